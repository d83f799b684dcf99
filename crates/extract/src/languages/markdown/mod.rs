//! Markdown, by its headings: each reaches to the next of its own level or above.

use crate::{prelude::*, rules::*};

pub static MARKDOWN: Language = Language {
    name: "markdown",
    id: LanguageId(34),
    extensions: &["md", "markdown", "mdown", "mkd", "mdx"],
    version: 1,
    grammar: || tree_sitter_md::LANGUAGE.into(),
    n_node_kinds: 207,
    rules: &[RULES],
    finish: Some(nest),
    ..Language::EMPTY
};

// Headings in quotes and lists are none of the document's own.
const RULES: &[Rule] = &[
    on_any(&["atx_heading", "setext_heading"]).leave(heading),
    on_any(&[
        "block_quote",
        "list",
        "paragraph",
        "fenced_code_block",
        "indented_code_block",
        "html_block",
        "pipe_table",
    ])
    .opaque(),
];

fn heading(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let content = walk
        .child(frame, "heading_content")
        .map(|content| content.span)?;
    let text = walk.source(content);
    let line = text.trim_start().lines().next().unwrap_or("");
    // `# Title #`: hashes behind a space close the heading.
    let closed = line.trim_end().trim_end_matches('#');
    let atx_closed =
        frame.kind == "atx_heading" && (closed.is_empty() || closed.ends_with([' ', '\t']));
    let name = if atx_closed { closed } else { line }.trim_end();
    if name.is_empty() {
        return None;
    }
    let start = content.start + (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
    let symbol = walk.new_symbol(SymbolKind::Heading, frame.span);
    shared::name_symbol(walk, symbol, Span::sized(start, name.len()));
    let end = frame.span.start + walk.source(frame.span).trim_end().len() as u32;
    walk.symbol_mut(symbol).signature = Span::new(frame.span.start, end);
    None
}

/// Headings are below the one before them that has a lower level.
fn nest(walk: &mut Walk<'_>) {
    let text = walk.text;
    let mut open: Vec<(usize, usize)> = Vec::new();
    let close =
        |symbols: &mut [Symbol], open: &mut Vec<(usize, usize)>, level: usize, at: usize| {
            while let Some((_, index)) = open.pop_if(|(outer, _)| *outer >= level) {
                let start = symbols[index].span.start as usize;
                symbols[index].span.end = (start + text[start..at].trim_end().len()) as u32;
            }
        };
    let symbols = &mut walk.facts_mut().symbols;
    for index in 0..symbols.len() {
        let level = level(symbols[index].signature.text(text));
        let start = symbols[index].span.start as usize;
        close(symbols, &mut open, level, start);
        symbols[index].parent = open.last().map(|&(_, outer)| SymbolIndex(outer as u32));
        open.push((level, index));
    }
    close(symbols, &mut open, 0, text.len());
}

/// `##` is 2; a line of `=` below makes 1, one of `-` makes 2.
fn level(heading: &str) -> usize {
    let hashes = heading
        .trim_start()
        .bytes()
        .take_while(|&byte| byte == b'#')
        .count();
    match (heading.ends_with('='), heading.ends_with('-')) {
        (true, _) if !(1..=6).contains(&hashes) || heading.contains('\n') => 1,
        (_, true) if !(1..=6).contains(&hashes) || heading.contains('\n') => 2,
        _ => hashes.clamp(1, 6),
    }
}

#[cfg(test)]
mod tests {
    use super::MARKDOWN;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&MARKDOWN, "markdown/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&MARKDOWN);
    }
}
