//! Byte offsets of a file as lines and UTF-16 columns, and back.

use std::sync::Arc;

use answers::Session;
use engine::FileId;
use facts::{Facts, LineIndex, Span};

use super::shapes::{Position, Range};
use crate::ToolError;

/// The mark that some editors put first in a file; no column counts it.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub struct Utf16Columns {
    facts: Arc<Facts>,
    /// Absent where every byte is a column.
    text: Option<Arc<str>>,
}

impl Utf16Columns {
    pub fn of(session: &Session, file: FileId) -> Result<Utf16Columns, ToolError> {
        let facts = session.facts(file).ok_or_else(|| gone(session, file))?;
        let text = match facts.is_ascii {
            true => None,
            false => Some(session.text(file).ok_or_else(|| gone(session, file))?),
        };
        Ok(Utf16Columns { facts, text })
    }

    pub fn facts(&self) -> &Arc<Facts> {
        &self.facts
    }

    pub fn range(&self, span: Span) -> Range {
        Range {
            start: self.position(span.start),
            end: self.position(span.end.max(span.start)),
        }
    }

    pub fn position(&self, offset: u32) -> Position {
        let place = self
            .facts
            .lines
            .position(offset.min(self.facts.lines.text_len()));
        let Some(text) = &self.text else {
            return Position {
                line: place.line_index,
                character: place.column,
            };
        };
        let start = self.facts.lines.line_start(place.line_index).unwrap_or(0);
        let before = Span::new(start, start + place.column).text(text);
        let counted = before
            .strip_prefix(BYTE_ORDER_MARK)
            .filter(|_| start == 0)
            .unwrap_or(before);
        Position {
            line: place.line_index,
            character: counted.chars().map(|c| c.len_utf16() as u32).sum(),
        }
    }
}

/// The offset of a position in a text, if the text has that line and the line that column. Between
/// the halves of a character means before it.
pub fn offset(lines: &LineIndex, text: &str, position: Position) -> Option<u32> {
    let span = lines.line_span(position.line)?;
    let line = span.text(text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut start = span.start;
    let mut counted = line;
    if start == 0
        && let Some(rest) = line.strip_prefix(BYTE_ORDER_MARK)
    {
        counted = rest;
        start = BYTE_ORDER_MARK.len_utf8() as u32;
    }
    let mut column = 0;
    for (at, character) in counted.char_indices() {
        let next = column + character.len_utf16() as u32;
        if position.character < next {
            return Some(start + at as u32);
        }
        column = next;
    }
    (position.character == column).then_some(start + counted.len() as u32)
}

fn gone(session: &Session, file: FileId) -> ToolError {
    ToolError::internal(format!("facts or text of {} are gone", session.path(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        Facts {
            lines: LineIndex::new(text),
            is_ascii: text.is_ascii(),
            ..Facts::default()
        }
    }

    #[test]
    fn columns_count_utf16_units_both_ways() {
        let text = "\u{feff}é = '🦀'\r\nx";
        let facts = Arc::new(facts(text));
        let columns = Utf16Columns {
            facts: facts.clone(),
            text: Some(text.into()),
        };
        // The letter takes one unit of two bytes, the crab two of four, the mark none.
        for (byte, line, character) in [
            (3, 0, 0),
            (5, 0, 1),
            (9, 0, 5),
            (13, 0, 7),
            (14, 0, 8),
            (16, 1, 0),
            (17, 1, 1),
        ] {
            let position = Position { line, character };
            assert_eq!(columns.position(byte), position);
            assert_eq!(
                offset(&facts.lines, text, position),
                Some(byte),
                "{position}"
            );
        }
        let inside_the_crab = Position {
            line: 0,
            character: 6,
        };
        assert_eq!(offset(&facts.lines, text, inside_the_crab), Some(9));
        for (line, character) in [(0, 9), (1, 2), (2, 0)] {
            assert_eq!(
                offset(&facts.lines, text, Position { line, character }),
                None,
                "{line}:{character}"
            );
        }
    }

    #[test]
    fn the_empty_last_line_is_a_line() {
        let text = "a\n";
        assert_eq!(
            offset(
                &LineIndex::new(text),
                text,
                Position {
                    line: 1,
                    character: 0
                }
            ),
            Some(2)
        );
        assert_eq!(
            offset(&LineIndex::new(""), "", Position::default()),
            Some(0)
        );
    }
}
