//! What may run a changed symbol: callers, and their callers, through dispatch and through what the
//! language calls by itself.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{ChangeSet, EditKind};
use crate::{Complete, Cut, SymbolId, query};

/// A symbol of the head that may run a changed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedSymbol {
    pub symbol: SymbolId,
    /// Calls from it to the nearest changed symbol; 1 calls it itself.
    pub depth: usize,
    /// What it calls on the way.
    pub through: SymbolId,
}

/// The callers of what changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// By depth, then in order of path and place. Changed symbols are not among them.
    pub symbols: Vec<ReachedSymbol>,
    /// Code outside of every function that calls a changed symbol, by file.
    pub files: Vec<crate::FileId>,
}

/// Symbols whose callers are looked for at once.
const AT_ONCE: usize = 32;

/// Follows callers as far as `depth`, and stops at `most` of them.
pub fn reach(change: &ChangeSet, depth: usize, most: usize) -> Complete<Reach> {
    let starts = change
        .edits
        .iter()
        .filter(|edit| edit.kind != EditKind::Added);
    let mut level: Vec<SymbolId> = starts
        .filter_map(|edit| edit.after)
        .filter(|symbol| {
            change
                .head
                .kind(*symbol)
                .is_some_and(facts::SymbolKind::is_callable)
        })
        .collect();
    let mut seen: FxHashSet<SymbolId> = level.iter().copied().collect();
    let mut found = Reach::default();
    let mut cut = None;
    for depth in 1..=depth {
        let mut next: BTreeMap<SymbolId, SymbolId> = BTreeMap::new();
        'level: for some in level.chunks(AT_ONCE) {
            let callers = query::of_each(change.head, some, |head, symbol| {
                let (calls, outside) = query::callers(head, *symbol).value;
                (calls, outside, query::implicit_callers(head, *symbol).value)
            });
            for (&symbol, (calls, outside, implicit)) in some.iter().zip(callers) {
                for call in calls {
                    if !seen.contains(&call.symbol) {
                        next.entry(call.symbol).or_insert(symbol);
                    }
                }
                if depth == 1 {
                    found
                        .files
                        .extend(outside.iter().map(|call| call.site.file));
                }
                for call in implicit {
                    match call.symbol {
                        Some(caller) if !seen.contains(&caller) => {
                            next.entry(caller).or_insert(symbol);
                        }
                        None if depth == 1 => found.files.push(call.site.file),
                        _ => {}
                    }
                }
                if seen.len() + next.len() > most || change.head.budget.stopped().is_some() {
                    break 'level;
                }
            }
        }
        level = next.keys().copied().collect();
        for (symbol, through) in next {
            if seen.len() >= most {
                cut = Some(Cut::Limit);
                break;
            }
            seen.insert(symbol);
            found.symbols.push(ReachedSymbol {
                symbol,
                depth,
                through,
            });
        }
        if level.is_empty() || cut.is_some() || change.head.budget.stopped().is_some() {
            break;
        }
    }
    found.files.sort_unstable();
    found.files.dedup();
    Complete {
        value: found,
        cut: change.head.budget.cut().or(cut),
    }
}
