//! Symbols by their name, in every language, resolution or not.

use crate::{Snapshot, SymbolId};

/// Every symbol of a name in the snapshot, in order of path and place.
pub fn symbols_named(snapshot: &Snapshot, name: &str) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    for content in snapshot.corpus().defining(name) {
        let files = snapshot.files_of(content);
        if files.is_empty() {
            continue;
        }
        let Some(facts) = snapshot.corpus().facts(content) else { continue };
        let Some(id) = facts.names.find(name) else { continue };
        for (index, _) in facts.symbols_with_index().filter(|(_, symbol)| symbol.name == id) {
            symbols.extend(files.iter().map(|file| SymbolId { file: *file, index }));
        }
    }
    symbols.sort_unstable();
    symbols
}
