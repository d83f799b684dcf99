//! Definitions inside text that the parser gave up on, found by their first words.

use crate::{flat, prelude::*};

/// Adds the symbols that lines of unread text define: constants only where they are at the start
/// of a line.
pub(super) fn recover(walk: &mut Walk<'_>) {
    let n_symbols = walk.facts().symbols.len();
    flat::recover(walk);
    let mut recovered = walk.facts_mut().symbols.split_off(n_symbols);
    recovered.retain_mut(|symbol| {
        let line = symbol.span.text(walk.text);
        symbol
            .modifiers
            .insert_if(Modifiers::EXPORTED, line.starts_with("export"));
        if symbol.kind == SymbolKind::Constant && line.contains("=>") {
            symbol.kind = SymbolKind::Function;
        }
        !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Function)
            || line.contains("function")
            || !line.starts_with([' ', '\t'])
    });
    walk.facts_mut().symbols.extend(recovered);
}
