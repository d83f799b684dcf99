//! What JSON, YAML and TOML have in common: keys nested two levels deep, and only so many of them.
//!
//! Lock files and data files have keys by the hundred thousand; an outline is for the files that
//! people write.

use crate::prelude::*;

const MAX_LEVELS: usize = 2;
const MAX_KEYS: usize = 2_000;

/// Opens the symbol of a pair unless the pair is too deep, in a list, or after too many others.
///
/// `pairs` are the node kinds that have a key, `lists` those whose elements have no names.
pub fn enter(
    walk: &mut Walk<'_>,
    frame: &mut Frame,
    name: Span,
    pairs: &[&str],
    lists: &[&str],
) -> Option<SymbolIndex> {
    let name_is_plain = !name.is_empty() && name.len() <= 200 && !walk.source(name).contains('\n');
    if !name_is_plain || walk.facts().symbols.len() >= MAX_KEYS || !stands_high(walk, pairs, lists)
    {
        return None;
    }
    let symbol = walk.define(
        frame,
        SymbolKind::Key,
        Span::new(frame.span.start, end_of_text(walk, frame.span)),
    );
    shared::name_symbol(walk, symbol, name);
    Some(symbol)
}

fn stands_high(walk: &Walk<'_>, pairs: &[&str], lists: &[&str]) -> bool {
    // Between two keys are a few nodes at most; more are broken text.
    const MAX_NODES: usize = 20;
    let mut n_levels = 0;
    for (i, open) in walk.ancestors().enumerate() {
        n_levels += usize::from(pairs.contains(&open.kind));
        if n_levels > MAX_LEVELS || i > MAX_NODES || lists.contains(&open.kind) {
            return false;
        }
    }
    true
}

/// Some nodes go on to the start of what follows.
pub fn end_of_text(walk: &Walk<'_>, span: Span) -> u32 {
    span.start + walk.source(span).trim_end().len() as u32
}

/// The signature of a pair: all of a short one, else what is before the value.
pub fn sign(walk: &mut Walk<'_>, symbol: SymbolIndex, value_start: u32) {
    const MAX_SIGNATURE: u32 = 200;
    let span = walk.symbol(symbol).span;
    let short = span.len() <= MAX_SIGNATURE && !walk.source(span).contains('\n');
    let head = Span::new(span.start, value_start.clamp(span.start, span.end));
    let end = if short {
        span.end
    } else {
        end_of_text(walk, head)
    };
    walk.symbol_mut(symbol).signature = Span::new(span.start, end);
}

/// A lock file lists what other files ask for: its own keys are enough.
pub fn finish(walk: &mut Walk<'_>) {
    let mut top = walk
        .facts()
        .symbols
        .iter()
        .filter(|symbol| symbol.parent.is_none());
    if top.any(|symbol| symbol.name_span.text(walk.text) == "lockfileVersion") {
        // What stays has no parent, so no number of another symbol changes meaning.
        walk.facts_mut()
            .symbols
            .retain(|symbol| symbol.parent.is_none());
    }
}
