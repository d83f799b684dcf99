//! Symbols from a line scan, for text that cannot be parsed within its limits.

use facts::{
    Facts, ListRange, Modifiers, Problem, ProblemKind, ScopeId, Span, Symbol, TypeId, Visibility,
};
use rustc_hash::FxHashSet;

use crate::{builder::Builder, language::Language, walk::Walk};

/// One symbol per line that starts, after its indentation and other words, with a defining word and
/// a name.
pub(crate) fn scan(language: &'static Language, text: &str, problem: Problem) -> Facts {
    let mut builder = Builder::new(language.id, text);
    builder.facts.problems.push(problem);
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        // A line longer than this is data or generated.
        if line.len() < 1_000 {
            scan_line(&mut builder, language, line, offset);
        }
        offset += line.len() as u32;
    }
    builder.finish()
}

/// The definitions in text that the parser skipped, for a language's `finish`: an unclosed class
/// still has its name.
pub(crate) fn recover(walk: &mut Walk<'_>) {
    let skipped: Vec<Span> = walk
        .facts()
        .problems
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Syntax)
        .map(|problem| problem.span)
        .collect();
    let Some(first) = skipped.iter().map(|span| span.start).min() else {
        return;
    };
    let last = skipped.iter().map(|span| span.end).max().unwrap_or(first);
    let (text, language) = (walk.text, walk.language);
    let named: FxHashSet<u32> = walk
        .facts()
        .symbols
        .iter()
        .map(|symbol| symbol.name_span.start)
        .collect();
    let mut trivia: Vec<Span> = walk
        .facts()
        .trivia
        .iter()
        .map(|trivia| trivia.span)
        .collect();
    trivia.sort_unstable();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len() as u32;
        if start + line.len() as u32 <= first || start > last || line.len() >= 1_000 {
            continue;
        }
        let code = start + (line.len() - line.trim_start().len()) as u32;
        let before = trivia.partition_point(|span| span.start <= code);
        let in_trivia = before > 0 && trivia[before - 1].contains(code);
        let is_skipped = skipped
            .iter()
            .take(MAX_SKIPPED)
            .any(|span| span.contains(code));
        if in_trivia || !is_skipped {
            continue;
        }
        let n_symbols = walk.builder.facts.symbols.len();
        scan_line(&mut walk.builder, language, line, start);
        if let Some(symbol) = walk.builder.facts.symbols[n_symbols..].first() {
            let words_before = Span::new(code, symbol.name_span.start).text(text);
            let plain = words_before
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == ' ');
            if !plain || named.contains(&symbol.name_span.start) {
                walk.builder.facts.symbols.truncate(n_symbols);
            }
        }
    }
}

/// A file with more places that cannot be parsed is not worth the search.
const MAX_SKIPPED: usize = 50;

fn scan_line<'text>(
    builder: &mut Builder<'text>,
    language: &Language,
    line: &'text str,
    offset: u32,
) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = line
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let Some((_, kind)) = language
            .line_definitions
            .iter()
            .find(|(defining, _)| *defining == word)
        else {
            continue;
        };
        let Some(name) = words
            .next()
            .filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
        else {
            return;
        };
        let start = offset + (name.as_ptr() as usize - line.as_ptr() as usize) as u32;
        let span = Span::new(offset, offset + line.trim_end().len() as u32);
        let name_id = builder.name(name);
        builder.facts.symbols.push(Symbol {
            kind: *kind,
            name: name_id,
            parent: None,
            span,
            name_span: Span::sized(start, name.len()),
            signature: span,
            doc: None,
            visibility: Visibility::Default,
            modifiers: Modifiers::default(),
            declared_in: ScopeId::FILE,
            body: None,
            owner: TypeId::UNKNOWN,
            ty: TypeId::UNKNOWN,
            values: ListRange::default(),
            parameters: ListRange::default(),
            type_parameters: ListRange::default(),
        });
        return;
    }
}
