//! Pieces of source as answers show them: one line, a signature, a documentation comment, a body.

use facts::{Facts, Span, Symbol, TriviaKind};

/// The longest line shown, in characters.
const LINE: usize = 200;
const SIGNATURE: usize = 400;

/// The line around an offset, without the blanks around it.
pub fn line(facts: &Facts, text: &str, offset: u32) -> String {
    let line_index = facts.lines.line_index(offset);
    let span = facts.lines.line_span(line_index).unwrap_or_default();
    shorten(span.text(text).trim(), LINE)
}

/// The signature on one line, as written but for the comments in it.
pub fn signature(facts: &Facts, symbol: &Symbol, text: &str) -> String {
    let whole = symbol.signature;
    let mut written = String::new();
    let mut at = whole.start;
    let first = facts
        .trivia
        .partition_point(|trivia| trivia.span.start < whole.start);
    let inside = facts.trivia[first..]
        .iter()
        .take_while(|trivia| trivia.span.end <= whole.end);
    for comment in inside.filter(|trivia| trivia.kind == TriviaKind::Comment) {
        written.push_str(Span::new(at, comment.span.start).text(text));
        written.push(' ');
        at = comment.span.end;
    }
    written.push_str(Span::new(at, whole.end).text(text));
    shorten(&extract::render::signature_line(&written), SIGNATURE)
}

/// The documentation comment as prose: marks of comments and the indentation of their lines
/// removed.
pub fn documentation(symbol: &Symbol, text: &str) -> Option<String> {
    let written = symbol.doc?.text(text).trim();
    let inner = ["\"\"\"", "'''"]
        .iter()
        .find_map(|quote| {
            written
                .strip_prefix(quote)
                .map(|rest| rest.trim_end_matches(quote))
        })
        .unwrap_or(written);
    let mut lines: Vec<&str> = inner.lines().map(undecorated).collect();
    while lines.first().is_some_and(|line| line.is_empty()) {
        lines.remove(0);
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let prose = lines.join("\n");
    (!prose.is_empty()).then_some(prose)
}

fn undecorated(line: &str) -> &str {
    let line = line.trim();
    let line = line.trim_end_matches("*/").trim_end();
    for mark in ["///", "//!", "/**", "/*!", "/*", "//", "##", "#", "*", "--"] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim();
        }
    }
    line
}

/// The first and last line of a span, counted from 1.
pub fn lines(facts: &Facts, span: Span) -> (u32, u32) {
    let last = span.end.saturating_sub(1).max(span.start);
    (
        facts.lines.line_index(span.start) + 1,
        facts.lines.line_index(last) + 1,
    )
}

/// The line and column of an offset, counted from 1.
pub fn position(facts: &Facts, offset: u32) -> (u32, u32) {
    let position = facts.lines.position(offset);
    (position.line_index + 1, position.column + 1)
}

/// The whole lines from one to another, counted from 1.
pub fn body<'a>(facts: &Facts, text: &'a str, first: u32, last: u32) -> &'a str {
    let start = facts
        .lines
        .line_span(first.saturating_sub(1))
        .unwrap_or_default()
        .start;
    let end = facts
        .lines
        .line_span(last.saturating_sub(1))
        .map_or(text.len() as u32, |line| line.end);
    Span::new(start, end)
        .text(text)
        .trim_end_matches(['\r', '\n'])
}

/// At most so many characters; what is cut off shows as `…`.
pub fn shorten(text: &str, at_most: usize) -> String {
    match text.char_indices().nth(at_most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_prose() {
        let check = |source: &str, expected: &str| {
            let snapshot = fixture::repository(source).snapshot;
            let (_, file) = snapshot.files().next().unwrap();
            let facts = snapshot.corpus().facts(file.content).unwrap();
            let text = snapshot.corpus().text(file.content).unwrap();
            assert_eq!(
                documentation(&facts.symbols[0], &text).as_deref(),
                Some(expected)
            );
        };
        check(
            "//- a.rs\n/// Adds.\n///\n/// Twice.\nfn add() {}\n",
            "Adds.\n\nTwice.",
        );
        check(
            "//- a.py\ndef add():\n    \"\"\"Adds.\n\n    Twice.\n    \"\"\"\n",
            "Adds.\n\nTwice.",
        );
        check(
            "//- A.java\n/**\n * Adds.\n * @see B\n */\nclass A {}\n",
            "Adds.\n@see B",
        );
    }

    #[test]
    fn signatures_go_without_their_comments() {
        let check = |source: &str, expected: &str| {
            let snapshot = fixture::repository(source).snapshot;
            let (_, file) = snapshot.files().next().unwrap();
            let facts = snapshot.corpus().facts(file.content).unwrap();
            let text = snapshot.corpus().text(file.content).unwrap();
            assert_eq!(signature(&facts, &facts.symbols[0], &text), expected);
        };
        check(
            "//- a.py\ndef add(a, b):\n    # Adds.\n    return a + b\n",
            "def add(a, b)",
        );
        check(
            "//- a.ts\nexport class Box<\n  // anything\n  T = any, /* and */\n> {}\n",
            "export class Box<T = any>",
        );
        check(
            "//- a.rs\nfn add(\n    a: u8, // one\n    b: u8,\n) -> u8 { a + b }\n",
            "fn add(a: u8, b: u8) -> u8",
        );
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("äbcd", 3), "äbc…");
    }
}
