//! From byte offsets to lines and columns, without the text.

use bitcode::{Decode, Encode};

/// Where each line of a file starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct LineIndex {
    /// Offset of the first byte of each line; the first is always 0.
    starts: Vec<u32>,
    len: u32,
}

/// A zero-based line and a zero-based column counted in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line_index: u32,
    pub column: u32,
}

impl LineIndex {
    pub fn new(text: &str) -> LineIndex {
        // Lines of code are some forty bytes long.
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1));
        LineIndex {
            starts,
            len: text.len() as u32,
        }
    }

    pub(crate) fn from_starts(starts: Vec<u32>, len: u32) -> LineIndex {
        LineIndex { starts, len }
    }

    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Length of the text in bytes.
    pub fn text_len(&self) -> u32 {
        self.len
    }

    /// Number of lines; a text that ends in a line break has an empty last line, which does not
    /// count.
    pub fn n_lines(&self) -> u32 {
        let n_starts = self.starts.len() as u32;
        if n_starts > 1 && self.starts.last() == Some(&self.len) {
            n_starts - 1
        } else {
            n_starts
        }
    }

    pub fn position(&self, offset: u32) -> Position {
        let line_index = self
            .starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1);
        Position {
            line_index: line_index as u32,
            column: offset - self.starts.get(line_index).copied().unwrap_or(0),
        }
    }

    pub fn line_index(&self, offset: u32) -> u32 {
        self.position(offset).line_index
    }

    /// The 1-based number of the line that holds `offset`.
    pub fn line_number(&self, offset: u32) -> u32 {
        self.line_index(offset) + 1
    }

    /// Offset of the first byte of a line, if there is such a line.
    pub fn line_start(&self, line_index: u32) -> Option<u32> {
        self.starts.get(line_index as usize).copied()
    }

    /// The line's bytes without its line break; the text decides about a trailing `\r`.
    pub fn line_span(&self, line_index: u32) -> Option<crate::Span> {
        let start = self.line_start(line_index)?;
        let end = self
            .line_start(line_index + 1)
            .map_or(self.len, |next| next - 1);
        Some(crate::Span::new(start, end))
    }

    /// The offset of a position, clamped to its line.
    pub fn offset(&self, position: Position) -> Option<u32> {
        let line = self.line_span(position.line_index)?;
        Some((line.start + position.column).min(line.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_positions_agree() {
        let index = LineIndex::new("ab\ncd\n");
        assert_eq!(index.n_lines(), 2);
        assert_eq!(
            index.position(4),
            Position {
                line_index: 1,
                column: 1
            }
        );
        assert_eq!(
            index.offset(Position {
                line_index: 1,
                column: 1
            }),
            Some(4)
        );
        assert_eq!(
            index.offset(Position {
                line_index: 0,
                column: 99
            }),
            Some(2)
        );
        assert_eq!(
            index.offset(Position {
                line_index: 9,
                column: 0
            }),
            None
        );
        assert_eq!(LineIndex::new("").n_lines(), 1);
    }
}
