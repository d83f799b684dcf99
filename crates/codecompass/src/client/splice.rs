//! Pieces of text, put in and cut out: what both kinds of configuration files have in common.

use std::ops::Range;

/// How lines of this text end; as on Unix where there is one line only.
pub fn line_break(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((line, _)) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The line end directly before `at`; empty where there is none.
pub fn line_break_before(text: &str, at: usize) -> Range<usize> {
    let before = &text[..at];
    let line = before
        .strip_suffix("\r\n")
        .or_else(|| before.strip_suffix('\n'))
        .unwrap_or(before);
    line.len()..at
}

pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Where the line around `at` ends, before what breaks it.
pub fn line_end(text: &str, at: usize) -> usize {
    match text[at..].find('\n') {
        Some(n) => line_break_before(text, at + n + 1).start.max(at),
        None => text.len(),
    }
}

/// Spaces and tabs directly before `at`.
pub fn blanks_before(text: &str, at: usize) -> Range<usize> {
    text[..at].trim_end_matches([' ', '\t']).len()..at
}

pub fn replace(text: &str, range: Range<usize>, piece: &str) -> String {
    format!("{}{piece}{}", &text[..range.start], &text[range.end..])
}

pub fn insert(text: &str, at: usize, piece: &str) -> String {
    replace(text, at..at, piece)
}

/// The text without these parts of it, in whatever order they come.
pub fn cut(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        kept.push_str(&text[at..range.start.max(at)]);
        at = range.end.max(at);
    }
    kept + &text[at..]
}
