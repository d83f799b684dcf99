//! Symbols by their name, in every language, resolution or not.

use facts::SymbolSketch;

use crate::{Sketches, Snapshot, SymbolId};

/// Every symbol of a name in the snapshot, in order of path and place.
pub fn symbols_named(snapshot: &Snapshot, name: &str) -> Vec<SymbolId> {
    sketches_named(snapshot, &[name])
        .into_iter()
        .flatten()
        .map(|(symbol, _)| symbol)
        .collect()
}

/// The same for each of several names, with what is known of each symbol without its facts.
pub fn sketches_named(snapshot: &Snapshot, names: &[&str]) -> Vec<Vec<(SymbolId, SymbolSketch)>> {
    let in_snapshot = |of_name: Sketches| {
        let mut symbols = Vec::new();
        for (content, sketches) in of_name {
            for file in snapshot.files_of(content) {
                symbols.extend(sketches.iter().map(|sketch| {
                    (
                        SymbolId {
                            file: *file,
                            index: sketch.index,
                        },
                        *sketch,
                    )
                }));
            }
        }
        symbols.sort_unstable_by_key(|(symbol, _)| *symbol);
        symbols
    };
    snapshot
        .corpus()
        .sketches(names)
        .into_iter()
        .map(in_snapshot)
        .collect()
}
