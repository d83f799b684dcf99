//! What the parser gave up on: the lines in it that start a definition still say its name.

use crate::prelude::*;
use rustc_hash::FxHashSet;

/// Runs after the walk.
pub(super) fn recover(walk: &mut Walk<'_>) {
    let mut skipped: Vec<Span> = walk
        .facts()
        .problems
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Syntax)
        .map(|problem| problem.span)
        .collect();
    if skipped.is_empty() {
        return;
    }
    skipped.sort();
    let known: FxHashSet<u32> = walk
        .facts()
        .symbols
        .iter()
        .map(|symbol| symbol.name_span.start)
        .collect();
    let package = walk
        .facts()
        .symbols_with_index()
        .find(|(_, symbol)| symbol.kind == SymbolKind::Namespace)
        .map(|(index, _)| index);
    let mut recovered = FxHashSet::default();
    let mut read = 0;
    for span in skipped {
        let mut offset = span.start.max(read) as usize;
        let Some(text) = walk.text.get(offset..span.end as usize) else {
            continue;
        };
        for line in text.split_inclusive('\n') {
            if let Some((kind, start, len)) = definition(line) {
                let name_span = Span::new((offset + start) as u32, (offset + start + len) as u32);
                if !known.contains(&name_span.start) {
                    let whole = Span::new(offset as u32, (offset + line.trim_end().len()) as u32);
                    let name = walk.name_at(name_span);
                    let symbol = walk.new_symbol(kind, whole);
                    let found = walk.symbol_mut(symbol);
                    (found.name, found.name_span, found.parent) = (name, name_span, package);
                    recovered.insert(name_span.start);
                }
            }
            offset += line.len();
        }
        read = read.max(span.end);
    }
    // Their names were read as if they were in expressions.
    walk.facts_mut()
        .references
        .retain(|reference| !recovered.contains(&reference.span.start));
}

/// The kind, place and length of the name that a line defines.
fn definition(line: &str) -> Option<(SymbolKind, usize, usize)> {
    #[rustfmt::skip]
    const MODIFIERS: &[&str] = &[
        "public", "private", "protected", "internal", "open", "abstract", "final", "sealed", "data",
        "inner", "enum", "annotation", "value", "override", "suspend", "inline", "operator",
        "infix", "tailrec", "external", "expect", "actual", "fun",
    ];
    let mut kind = None;
    let mut rest = line.trim_start();
    loop {
        let word = rest
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or("");
        kind = match word {
            "fun" => Some(SymbolKind::Function),
            "class" => Some(SymbolKind::Class),
            "interface" => Some(SymbolKind::Interface),
            "object" => Some(SymbolKind::Object),
            _ if !MODIFIERS.contains(&word) => break,
            _ => kind,
        };
        rest = rest[word.len()..].trim_start();
    }
    let mut kind = kind?;
    if kind == SymbolKind::Class && line.trim_start().starts_with("enum ") {
        kind = SymbolKind::Enum;
    }
    if kind == SymbolKind::Function {
        // `fun <T> Receiver<A>.name(`: the name is the last word before the parameters.
        let head = rest
            .split('(')
            .next()
            .filter(|head| head.len() < rest.len())?;
        rest = &rest[head.rfind(['.', ' ', '>']).map_or(0, |end| end + 1)..];
    }
    let len = shared::word_len(rest);
    (len > 0).then(|| (kind, line.len() - rest.len(), len))
}
