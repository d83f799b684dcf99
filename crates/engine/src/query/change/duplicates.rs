//! Names that a change defines a second time in one place: in one scope of one file, or in two files
//! of one package.

use facts::{Modifiers, SymbolKind};

use super::{Break, BreakKind, ChangeSet, EditKind, FindingConfidence};
use crate::{FileView, Outcome, Resolver, Rule, SymbolId};

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    for edit in &change.edits {
        let is_new = matches!(
            edit.kind,
            EditKind::Added | EditKind::Renamed | EditKind::Moved
        );
        let Some(after) = edit.after.filter(|_| is_new) else {
            continue;
        };
        let Some(view) = change.head.view(after.file) else {
            continue;
        };
        if !view.semantics.checks.duplicates || !may_clash(&view, after) {
            continue;
        }
        let name = view.symbol(after.index).name;
        let other = view.symbols_named(name).find(|index| {
            let other = after.beside(*index);
            // Of two that are new, the second is the mistake.
            let comes_first = *index < after.index || change.before(other).is_some();
            other != after && comes_first && clash(&view, after, other)
        });
        let other = other.map(|index| after.beside(index));
        let Some(other) = other.or_else(|| in_other_file(change, &view, after)) else {
            continue;
        };
        into.push(Break {
            kind: BreakKind::Duplicate,
            confidence: FindingConfidence::Certain,
            file: after.file,
            span: view.symbol(after.index).name_span,
            enclosing: Some(after.index),
            name: view.name_of(after.index).to_owned(),
            before: change.before(other),
            after: Some(other),
            outcome: Outcome::Static,
            rule: Rule::Scope,
            root: view.name_of(after.index).to_owned(),
            is_import: false,
            n_uses: 0,
        });
    }
}

/// What another file of the same package defines under the name of a new symbol. Files of a package
/// are those of one directory that share a namespace.
fn in_other_file(change: &ChangeSet, view: &FileView, symbol: SymbolId) -> Option<SymbolId> {
    let head = change.head;
    if !view.semantics.siblings_visible || is_conditional(head, view) {
        return None;
    }
    let named = head.symbols_named_in(head.path(view.id).directory(), view.name_of(symbol.index));
    let is_it = |other: &&SymbolId| {
        if other.file == symbol.file {
            return false;
        }
        let Some(second) = head.view(other.file) else {
            return false;
        };
        // Of two that are new, the second is the mistake.
        let comes_first = **other < symbol || change.before(**other).is_some();
        comes_first
            && second.semantics.family == view.semantics.family
            && may_clash(&second, **other)
            && clash_across((view, symbol), (&second, **other))
            && !is_conditional(head, &second)
    };
    named.iter().find(is_it).copied()
}

/// Whether a file may be left out of the program: its language says so, or its name has a part
/// besides stem and ending (`Socket.Windows.cs`).
fn is_conditional(head: &Resolver, view: &FileView) -> bool {
    let name = head.path(view.id).file_name();
    name.split('.').count() > 2 || (view.dialect.is_conditional)(head, view)
}

/// Whether two definitions of different files stand in one namespace, or belong to one type.
fn clash_across(
    (one_view, one): (&FileView, SymbolId),
    (other_view, other): (&FileView, SymbolId),
) -> bool {
    let (a, b) = (one_view.symbol(one.index), other_view.symbol(other.index));
    let is_outer = |view: &FileView, symbol: &facts::Symbol| {
        symbol
            .parent
            .is_none_or(|parent| view.symbol(parent).kind == SymbolKind::Namespace)
    };
    let owner = |view: &FileView, symbol: &facts::Symbol| {
        crate::text::written_type(&view.facts, symbol.owner)
    };
    a.kind == b.kind
        && is_outer(one_view, a)
        && is_outer(other_view, b)
        && namespace(one_view, one) == namespace(other_view, other)
        && owner(one_view, a) == owner(other_view, b)
        && a.type_parameters.len == b.type_parameters.len
        && (!one_view.semantics.overloads
            || !a.kind.is_callable()
            || parameters(one_view, a) == parameters(other_view, b))
}

/// The namespace of a symbol; where the file has one for all of it, that.
fn namespace(view: &FileView, symbol: SymbolId) -> String {
    let own = view.namespace_of(symbol.index);
    match own.is_empty() {
        true => view.namespaces().into_iter().next().unwrap_or_default(),
        false => own,
    }
}

fn parameters(view: &FileView, symbol: &facts::Symbol) -> Vec<String> {
    let types = view.facts.parameters(symbol).iter();
    types
        .map(|parameter| crate::text::written_type(&view.facts, parameter.ty))
        .collect()
}

/// Whether a second definition of the name would be a mistake: not of parts, prototypes,
/// accessors, nor of what is compiled under a condition.
fn may_clash(view: &FileView, symbol: SymbolId) -> bool {
    let declared = view.symbol(symbol.index);
    let excepted = [
        Modifiers::LOCAL,
        Modifiers::PARTIAL,
        Modifiers::PROTOTYPE,
        Modifiers::GETTER,
        Modifiers::SETTER,
        Modifiers::EXTENSION,
        Modifiers::ANONYMOUS,
        Modifiers::SYNTHETIC,
        Modifiers::TEST,
    ];
    // A method outside of types is one of an object, and the next object may have it, too.
    let is_member = declared.owner.is_known()
        || declared.parent.is_some_and(|parent| {
            let parent = view.symbol(parent).kind;
            parent.is_type() || parent == SymbolKind::Impl
        });
    let kind = match declared.kind {
        SymbolKind::Function => true,
        SymbolKind::Method => is_member,
        kind => kind.is_type() && kind != SymbolKind::Interface,
    };
    let mut annotations = view.facts.annotations.iter();
    kind && !excepted
        .iter()
        .any(|flag| declared.modifiers.contains(*flag))
        && !annotations.any(|annotation| {
            annotation.symbol == symbol.index || Some(annotation.symbol) == declared.parent
        })
        && view.name_of(symbol.index) != "_"
        && view.name_of(symbol.index) != "init"
}

fn clash(view: &FileView, one: SymbolId, other: SymbolId) -> bool {
    let (a, b) = (view.symbol(one.index), view.symbol(other.index));
    let owner = |symbol: &facts::Symbol| crate::text::written_type(&view.facts, symbol.owner);
    a.kind == b.kind
        && a.parent == b.parent
        && a.declared_in == b.declared_in
        && owner(a) == owner(b)
        && may_clash(view, other)
        && a.type_parameters.len == b.type_parameters.len
        && (!view.semantics.overloads
            || !a.kind.is_callable()
            || parameters(view, a) == parameters(view, b))
}
