//! Lines of a file as the snapshot has them, numbered.

use engine::{FileId, SymbolId};
use facts::LineIndex;

use crate::{Session, excerpts};

/// Lines that are asked for, and how much of them may be shown.
#[derive(Clone, Copy, Debug)]
pub struct LineRange {
    /// From 1.
    pub first: i64,
    /// Included.
    pub last: i64,
    /// Lines around them.
    pub context: i64,
    pub max_lines: usize,
    pub max_chars: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedLines {
    /// The first and last line shown, from 1.
    pub lines: (u32, u32),
    /// Of the whole file.
    pub n_lines: u32,
    /// Each line after its number: `   42 | public void Submit()`.
    pub content: String,
    /// Something asked for is not shown.
    pub is_cut: bool,
}

/// Why there are no such lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLines {
    /// The text is gone from git's objects.
    Unreadable,
    /// The file has so many lines, and the first one asked for is behind them.
    Beyond { n_lines: u32 },
}

/// The lines of a symbol's definition; with the comment before it, if that is wanted.
pub fn definition_lines(
    session: &Session,
    symbol: SymbolId,
    commented: bool,
) -> Option<(u32, u32)> {
    let facts = session.facts(symbol.file)?;
    let declared = facts.symbol(symbol.index);
    let (first, last) = excerpts::lines(&facts, declared.span);
    let before = |doc: &facts::Span| commented && doc.end <= declared.span.start;
    let doc = declared.doc.filter(before);
    let first = doc.map_or(first, |doc| first.min(excerpts::lines(&facts, doc).0));
    Some((first, last))
}

/// The lines, cut at the end of the file, after `max_lines`, and where they would hold more than
/// `max_chars`.
pub fn numbered_lines(
    session: &Session,
    file: FileId,
    asked: &LineRange,
) -> Result<NumberedLines, NoLines> {
    let text = session.text(file).ok_or(NoLines::Unreadable)?;
    let index = session
        .facts(file)
        .map_or_else(|| LineIndex::new(&text), |facts| facts.lines.clone());
    let n_lines = if text.is_empty() { 0 } else { index.n_lines() };
    if asked.first > i64::from(n_lines.max(1)) {
        return Err(NoLines::Beyond { n_lines });
    }
    let first = (asked.first - asked.context).max(1) as u32;
    let wanted = asked.last.saturating_add(asked.context);
    let wanted = wanted.min(i64::from(n_lines)) as u32;
    let last = wanted.min(
        first
            .saturating_add(asked.max_lines as u32)
            .saturating_sub(1),
    );
    let mut shown = NumberedLines {
        lines: (first, first.saturating_sub(1)),
        n_lines,
        content: String::new(),
        is_cut: last < wanted || asked.last > i64::from(n_lines),
    };
    let mut room = asked.max_chars;
    for number in first..=last {
        let line = index.line_span(number - 1).unwrap_or_default().text(&text);
        let numbered = format!("{number:>5} | {}\n", line.trim_end_matches('\r'));
        let n_chars = numbered.chars().count();
        if n_chars > room {
            shown.is_cut = true;
            // One line that is too long by itself shows its beginning.
            if shown.content.is_empty() {
                shown.content.extend(numbered.chars().take(room));
                shown.lines.1 = number;
            }
            break;
        }
        room -= n_chars;
        shown.content.push_str(&numbered);
        shown.lines.1 = number;
    }
    Ok(shown)
}
