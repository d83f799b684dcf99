//! Symbols by their name, in every language, resolution or not.

use facts::SymbolSketch;

use crate::{Snapshot, SymbolId};

/// Every symbol of a name in the snapshot, in order of path and place.
pub fn symbols_named(snapshot: &Snapshot, name: &str) -> Vec<SymbolId> {
    sketches_named(snapshot, name).into_iter().map(|(symbol, _)| symbol).collect()
}

/// The same with what is known of each without its facts.
pub fn sketches_named(snapshot: &Snapshot, name: &str) -> Vec<(SymbolId, SymbolSketch)> {
    let mut symbols = Vec::new();
    for (content, sketches) in snapshot.corpus().sketches(name) {
        for file in snapshot.files_of(content) {
            symbols.extend(sketches.iter().map(|sketch| (SymbolId { file: *file, index: sketch.index }, *sketch)));
        }
    }
    symbols.sort_unstable_by_key(|(symbol, _)| *symbol);
    symbols
}
