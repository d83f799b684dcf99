//! Functions of which the change takes one half: the declaration or the definition of C and C++.

use facts::Modifiers;

use super::{Break, BreakKind, ChangeSet, EditKind, FindingConfidence, SymbolEdit};
use crate::{Outcome, Resolver, Rule, SymbolId};

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    for edit in &change.edits {
        if !change.head.budget.spend() {
            return;
        }
        let kind = match edit.kind {
            EditKind::Removed => BreakKind::Removed,
            EditKind::Renamed => BreakKind::Renamed,
            _ => continue,
        };
        let halves = edit.before.map(|before| left_alone(change, before));
        for half in halves.unwrap_or_default() {
            into.extend(left(change, edit, half, kind.clone()));
        }
    }
}

/// The other halves of a function that the change keeps, and that have no half any more.
fn left_alone(change: &ChangeSet, before: SymbolId) -> Vec<SymbolId> {
    let is_half = change
        .base
        .symbol(before)
        .is_some_and(|(view, declared)| view.semantics.prototypes && declared.kind.is_callable());
    if !is_half {
        return Vec::new();
    }
    let name = change.base.name(before);
    let of_others = |head: &Resolver, symbol: SymbolId| {
        let mut others = head.declarations_of(symbol).into_iter();
        others.any(|other| is_prototype(head, other) != is_prototype(head, symbol))
    };
    let others = change.base.declarations_of(before).into_iter();
    others
        .filter(|other| is_prototype(change.base, *other) != is_prototype(change.base, before))
        .filter_map(|other| change.after(other))
        .filter(|half| change.head.name(*half) == name && !of_others(change.head, *half))
        .collect()
}

fn is_prototype(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver
        .symbol(symbol)
        .is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::PROTOTYPE))
}

/// Another file, which is not read, may have the half: nothing is certain.
fn left(change: &ChangeSet, edit: &SymbolEdit, half: SymbolId, kind: BreakKind) -> Option<Break> {
    let (view, declared) = change.head.symbol(half)?;
    Some(Break {
        kind,
        confidence: FindingConfidence::Likely,
        file: half.file,
        span: declared.name_span,
        enclosing: Some(half.index),
        name: view.name_of(half.index).to_owned(),
        before: edit.before,
        after: edit.after,
        outcome: Outcome::Static,
        rule: Rule::Scope,
        n_uses: 0,
        is_import: false,
        root: view.name_of(half.index).to_owned(),
    })
}
