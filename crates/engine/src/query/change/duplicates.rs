//! Names that a change defines a second time in one place.

use facts::{Modifiers, SymbolKind};

use super::{Break, BreakKind, ChangeSet, EditKind, FindingConfidence};
use crate::{FileView, Outcome, Rule, SymbolId};

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
        let Some(other) = other else {
            continue;
        };
        into.push(Break {
            kind: BreakKind::Duplicate,
            confidence: FindingConfidence::Certain,
            file: after.file,
            span: view.symbol(after.index).name_span,
            enclosing: Some(after.index),
            name: view.name_of(after.index).to_owned(),
            before: change.before(after.beside(other)),
            after: Some(after.beside(other)),
            outcome: Outcome::Static,
            rule: Rule::Scope,
            root: view.name_of(after.index).to_owned(),
            is_import: false,
            n_uses: 0,
        });
    }
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
    let kind = declared.kind.is_type() && declared.kind != SymbolKind::Interface
        || matches!(declared.kind, SymbolKind::Function | SymbolKind::Method);
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
    let parameters = |symbol: &facts::Symbol| {
        let types = view.facts.parameters(symbol).iter();
        types
            .map(|parameter| crate::text::written_type(&view.facts, parameter.ty))
            .collect::<Vec<_>>()
    };
    let owner = |symbol: &facts::Symbol| crate::text::written_type(&view.facts, symbol.owner);
    a.kind == b.kind
        && a.parent == b.parent
        && a.declared_in == b.declared_in
        && owner(a) == owner(b)
        && may_clash(view, other)
        && a.type_parameters.len == b.type_parameters.len
        && (!view.semantics.overloads || !a.kind.is_callable() || parameters(a) == parameters(b))
}
