//! What is around a symbol, and inside of it: by the text, and for members that are written elsewhere
//! by their type.

use facts::{Modifiers, SymbolKind};

use crate::{Resolver, SymbolId, Ty, query};

/// The symbols around one, innermost first, without itself. A method that is written outside of its
/// type is inside of it.
pub fn ancestors(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = Vec::new();
    let mut at = symbol;
    while let Some(around) = container(resolver, at) {
        if around == symbol || found.contains(&around) {
            break;
        }
        found.push(around);
        at = around;
    }
    found
}

fn container(resolver: &Resolver, symbol: SymbolId) -> Option<SymbolId> {
    let facts = resolver
        .snapshot()
        .corpus()
        .facts(resolver.snapshot().file(symbol.file).content)?;
    let declared = facts.symbols.get(symbol.index.0 as usize)?;
    if declared.owner.is_known() && declared.kind != SymbolKind::Impl {
        match resolver.self_type(symbol) {
            Ty::Instance(of, _) | Ty::Type(of, _) if of != symbol => return Some(of),
            _ => {}
        }
    }
    declared.parent.map(|index| symbol.beside(index))
}

/// What is directly inside of a symbol, in order of path and place; of a type also the blocks and
/// methods that are written elsewhere.
pub fn children(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let snapshot = resolver.snapshot();
    let Some(facts) = snapshot.corpus().facts(snapshot.file(symbol.file).content) else {
        return Vec::new();
    };
    let Some(declared) = facts.symbols.get(symbol.index.0 as usize) else {
        return Vec::new();
    };
    let is_shown = |symbol: &facts::Symbol| {
        !symbol.modifiers.contains(Modifiers::LOCAL)
            || symbol.kind.is_callable()
            || symbol.kind.is_type()
    };
    let inside = facts
        .symbols_with_index()
        .filter(|(_, inner)| inner.parent == Some(symbol.index) && is_shown(inner));
    let mut found: Vec<SymbolId> = inside.map(|(index, _)| symbol.beside(index)).collect();
    if declared.kind.is_type() {
        found.extend(elsewhere(resolver, symbol, facts.name(declared.name)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Blocks of members and single methods of a type that are written outside of it.
fn elsewhere(resolver: &Resolver, symbol: SymbolId, name: &str) -> Vec<SymbolId> {
    let snapshot = resolver.snapshot();
    let of_type = |candidate: SymbolId| matches!(resolver.self_type(candidate), Ty::Instance(of, _) | Ty::Type(of, _) if of == symbol);
    let named = resolver.budget.read(query::symbols_named(snapshot, name));
    let mut found: Vec<SymbolId> = named
        .into_iter()
        .filter(|other| resolver.kind(*other) == Some(SymbolKind::Impl) && of_type(*other))
        .collect();
    for content in resolver.budget.read(snapshot.corpus().mentioning(name)) {
        let files = snapshot.files_of(content);
        if files.is_empty() || !resolver.budget.spend() {
            continue;
        }
        let Some(facts) = snapshot.corpus().facts(content) else {
            continue;
        };
        let owned = facts.symbols_with_index().filter(|(_, other)| {
            other.owner.is_known()
                && other.kind != SymbolKind::Impl
                && other
                    .parent
                    .is_none_or(|parent| facts.symbol(parent).kind != SymbolKind::Impl)
        });
        for (index, _) in owned {
            found.extend(
                files
                    .iter()
                    .map(|file| SymbolId { file: *file, index })
                    .filter(|other| *other != symbol && of_type(*other)),
            );
        }
    }
    found
}
