//! Types written in documentation, as text: what languages whose comments declare types share.

use crate::prelude::*;

/// The tags of a documentation comment, each with the text after it on its line.
pub(crate) fn tags<'text>(
    walk: &Walk<'text>,
    doc: Option<Span>,
) -> impl Iterator<Item = (&'text str, &'text str)> + use<'text> {
    let text = doc.map_or("", |doc| walk.source(doc));
    let lines = text.starts_with("/**").then(|| text.lines());
    lines.into_iter().flatten().filter_map(|line| {
        let line = line.trim_start_matches([' ', '\t', '*', '/']);
        let (tag, rest) = line.strip_prefix('@')?.split_once([' ', '\t'])?;
        Some((tag, rest.trim_start()))
    })
}

/// Whether a text starts with a whole word.
pub(crate) fn names(text: &str, word: &str, is_word: fn(char) -> bool) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(is_word))
}

/// What is between a pair of brackets around the whole text.
pub(crate) fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// The type at the start of a text ends at a space outside of brackets.
pub(crate) fn split_type(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            _ if c.is_whitespace() && depth <= 0 => return text.split_at(i),
            _ => {}
        }
    }
    (text, "")
}

/// Splits at a separator outside of brackets.
pub(crate) fn split_at(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
