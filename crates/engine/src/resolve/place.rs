//! A place in a file: where a name is looked up and a recipe is read.

use facts::{Binding, Reference, ScopeId, Symbol, SymbolValue};

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

    /// Where the value of a binding is read: just before the binding has it.
    pub(crate) fn of_binding(view: &'a FileView, binding: &Binding) -> Place<'a> {
        Place::new(view, binding.scope, binding.from.saturating_sub(1))
    }

    /// Where a symbol is declared.
    pub(crate) fn of_declaration(view: &'a FileView, declared: &Symbol) -> Place<'a> {
        Place::new(view, declared.declared_in, declared.span.start)
    }

    /// A place in the file's own scope.
    pub(crate) fn in_file(view: &'a FileView, at: u32) -> Place<'a> {
        Place::new(view, ScopeId::FILE, at)
    }

    /// The file's own scope, after everything that is bound in it.
    pub(crate) fn end_of_file(view: &'a FileView) -> Place<'a> {
        Place::new(view, ScopeId::FILE, u32::MAX)
    }
}
