//! Members of derived types that take a member's place: what a call through the base may run.

use std::collections::BTreeSet;

use facts::{Modifiers, SymbolKind};

use crate::{Complete, Resolver, SymbolId, Ty, query};

/// How many levels of derived types are looked at.
const MAX_LEVELS: usize = 12;

/// For a member: the members of derived types that override it, or implement it where it has no body of its own (`true`).
/// In order of path and place.
pub fn overriding(resolver: &Resolver<'_>, symbol: SymbolId) -> Complete<Vec<(SymbolId, bool)>> {
    let mut found: BTreeSet<(SymbolId, bool)> = BTreeSet::new();
    let Some((view, declared)) = resolver.symbol(symbol) else { return resolver.budget.finish(Vec::new()) };
    let is_member = matches!(declared.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Indexer | SymbolKind::Event);
    let can_be_replaced = is_member && !declared.modifiers.contains(Modifiers::STATIC) && !declared.modifiers.contains(Modifiers::FINAL);
    let Ty::Instance(holder, _) = resolver.self_type(symbol) else { return resolver.budget.finish(Vec::new()) };
    if !can_be_replaced {
        return resolver.budget.finish(Vec::new());
    }
    let name = view.name_of(symbol.index).to_owned();
    let implements = declared.modifiers.contains(Modifiers::ABSTRACT)
        || matches!(resolver.kind(holder), Some(SymbolKind::Interface | SymbolKind::Trait));
    let n_parameters = view.facts.parameters(&declared).len();
    let mut level = vec![holder];
    let mut seen: BTreeSet<SymbolId> = level.iter().copied().collect();
    for _ in 0..MAX_LEVELS {
        let mut next = Vec::new();
        for ty in level {
            for derived in query::hierarchy(resolver, ty).value.derived {
                if !seen.insert(derived) {
                    continue;
                }
                next.push(derived);
                for member in resolver.own_members(derived, &name).iter() {
                    let Some((other, found_member)) = resolver.symbol(*member) else { continue };
                    let fits = !view.semantics.overloads || other.facts.parameters(&found_member).len() == n_parameters;
                    if found_member.kind == declared.kind && fits && !found_member.modifiers.contains(Modifiers::STATIC) {
                        found.insert((*member, implements));
                    }
                }
            }
        }
        if next.is_empty() || !resolver.budget.spend() {
            break;
        }
        level = next;
    }
    resolver.budget.finish(found.into_iter().collect())
}
