//! A place in a file: where a name is looked up and a recipe is read.

use facts::{Reference, ScopeId, Symbol, SymbolValue};

use super::FileView;

/// A scope of a file and an offset in it, which tells what is already bound there.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub view: &'a FileView,
    pub scope: ScopeId,
    pub at: u32,
}

impl<'a> Place<'a> {
    pub fn new(view: &'a FileView, scope: ScopeId, at: u32) -> Place<'a> {
        Place { view, scope, at }
    }

    /// Where a reference is written.
    pub fn of(view: &'a FileView, reference: &Reference) -> Place<'a> {
        Place::new(view, reference.scope, reference.span.start)
    }

    /// Inside a declaration, where the types of its header are read: its own type parameters are in
    /// scope.
    pub(crate) fn inside(view: &'a FileView, declared: &Symbol) -> Place<'a> {
        let scope = declared.body.unwrap_or(declared.declared_in);
        Place::new(view, scope, declared.span.start)
    }

    /// Where the value of a symbol is read: just before the symbol has it.
    pub(crate) fn of_value(view: &'a FileView, value: &SymbolValue) -> Place<'a> {
        Place::new(view, value.scope, value.at.saturating_sub(1))
    }

    /// The file's own scope, after everything that is bound in it.
    pub(crate) fn end_of_file(view: &'a FileView) -> Place<'a> {
        Place::new(view, ScopeId::FILE, u32::MAX)
    }
}
