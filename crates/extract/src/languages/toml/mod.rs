//! TOML, by its tables and keys.

use crate::{prelude::*, rules::*};

use super::keys;

pub static TOML: Language = Language {
    name: "toml",
    id: LanguageId(33),
    extensions: &["toml"],
    file_names: &["Pipfile"],
    version: 1,
    grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
    n_node_kinds: 66,
    rules: &[RULES],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on_any(&["table", "table_array_element"])
        .enter(enter_table)
        .no_value(),
    on("pair").enter(enter_pair).leave(pair),
    on("array").no_value(),
];

/// `[package]`, `[[bin]]`, `[a.b]`: what follows up to the next header is inside.
fn enter_table(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let header = text.lines().next().unwrap_or("");
    let Some(name) = key(walk, Span::sized(frame.span.start, header.len()), ']') else {
        return;
    };
    if let Some(symbol) = keys::enter(walk, frame, name, PAIRS, LISTS) {
        walk.symbol_mut(symbol).signature = Span::new(
            frame.span.start,
            frame.span.start + header.trim_end().len() as u32,
        );
    }
}

fn enter_pair(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(name) = key(walk, frame.span, '=') else {
        return;
    };
    keys::enter(walk, frame, name, PAIRS, LISTS);
}

const PAIRS: &[&str] = &["table", "table_array_element", "pair"];
const LISTS: &[&str] = &["array"];

/// The key before an end mark; a single one without its quotes.
fn key(walk: &Walk<'_>, span: Span, end: char) -> Option<Span> {
    let text = walk.source(span);
    let inner = text.trim_start_matches(['[', ' ', '\t']);
    let mut quote = None;
    let len = inner.find(|c: char| match quote {
        Some(open) => {
            if c == open {
                quote = None;
            }
            false
        }
        None => {
            if matches!(c, '"' | '\'') {
                quote = Some(c);
            }
            c == end
        }
    })?;
    let written = inner[..len].trim_end();
    let quoted = |quote: char| {
        written
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
            .filter(|name| !name.contains(quote))
    };
    let name = quoted('"').or_else(|| quoted('\'')).unwrap_or(written);
    let start = span.start + (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
    Some(Span::sized(start, name.len()))
}

fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(symbol) = frame.symbol {
        // The grammar counts a comment behind the value in.
        let value = walk
            .children(frame)
            .get(1)
            .map_or(frame.span, |value| value.span);
        walk.symbol_mut(symbol).span.end = value.end;
        keys::sign(walk, symbol, value.start);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::TOML;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&TOML, "toml/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&TOML);
    }
}
