//! Symbols by their name, in every language, resolution or not.

use facts::SymbolSketch;

use crate::{Sketches, Snapshot, SymbolId, Unreadable};

/// Every symbol of a name in the snapshot, in order of path and place.
pub fn symbols_named(snapshot: &Snapshot, name: &str) -> Result<Vec<SymbolId>, Unreadable> {
    let named = sketches_named(snapshot, &[name])?;
    Ok(named
        .into_iter()
        .flatten()
        .map(|(symbol, _)| symbol)
        .collect())
}

/// For each name its symbols, with what the table of names tells of each.
pub fn sketches_named(
    snapshot: &Snapshot,
    names: &[&str],
) -> Result<Vec<Vec<(SymbolId, SymbolSketch)>>, Unreadable> {
    let in_snapshot = |of_name: Sketches| {
        let mut symbols = Vec::new();
        for (content, sketches) in of_name {
            for &file in snapshot.files_of(content) {
                let symbol = |sketch: &SymbolSketch| {
                    let index = sketch.index;
                    (SymbolId { file, index }, *sketch)
                };
                symbols.extend(sketches.iter().map(symbol));
            }
        }
        symbols.sort_unstable_by_key(|(symbol, _)| *symbol);
        symbols
    };
    let found = snapshot.corpus().sketches(names)?;
    Ok(found.into_iter().map(in_snapshot).collect())
}
