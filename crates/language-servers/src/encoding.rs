//! Columns. We speak UTF-16, as the protocol's default and the gateway's contract do; a server may
//! insist on another unit, and then `pool` converts what goes in and comes out, through the text of
//! the line.

use std::borrow::Cow;

use crate::answer::{LspPosition, LspRange};

/// What a server counts columns in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    pub fn named(name: &str) -> Encoding {
        match name {
            "utf-8" => Encoding::Utf8,
            "utf-32" => Encoding::Utf32,
            _ => Encoding::Utf16,
        }
    }

    fn width(self, character: char) -> u32 {
        match self {
            Encoding::Utf8 => character.len_utf8() as u32,
            Encoding::Utf16 => character.len_utf16() as u32,
            Encoding::Utf32 => 1,
        }
    }
}

/// Where the lines of a text begin.
pub struct EncodedLines<'a> {
    text: Cow<'a, str>,
    starts: Vec<usize>,
}

impl<'a> EncodedLines<'a> {
    pub fn new(text: impl Into<Cow<'a, str>>) -> EncodedLines<'a> {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (index, &byte) in bytes.iter().enumerate() {
            // The protocol ends a line at \n, \r\n and \r.
            if byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
                starts.push(index + 1);
            }
        }
        EncodedLines { text, starts }
    }

    /// Converts a position to another unit. A column inside a character moves to its start, one
    /// beyond the line to its end.
    pub fn convert(&self, position: LspPosition, from: Encoding, to: Encoding) -> LspPosition {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return position;
        };
        let end = self
            .starts
            .get(position.line as usize + 1)
            .copied()
            .unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\r', '\n']);
        let (mut passed, mut character) = (0, 0);
        for c in line.chars() {
            passed += from.width(c);
            if passed > position.character {
                break;
            }
            character += to.width(c);
        }
        LspPosition {
            line: position.line,
            character,
        }
    }

    pub fn convert_range(&self, range: LspRange, from: Encoding, to: Encoding) -> LspRange {
        LspRange {
            start: self.convert(range.start, from, to),
            end: self.convert(range.end, from, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, from: (Encoding, u32, u32), to: (Encoding, u32)) {
        let position = LspPosition {
            line: from.1,
            character: from.2,
        };
        assert_eq!(
            EncodedLines::new(text).convert(position, from.0, to.0),
            LspPosition {
                line: from.1,
                character: to.1
            }
        );
    }

    #[test]
    fn columns_between_units() {
        let text = "a\r\n\u{1f9ed}é = x\nlast";
        check(text, (Encoding::Utf16, 1, 2), (Encoding::Utf8, 4));
        check(text, (Encoding::Utf8, 1, 6), (Encoding::Utf16, 3));
        check(text, (Encoding::Utf16, 1, 6), (Encoding::Utf32, 5));
        check(text, (Encoding::Utf16, 1, 1), (Encoding::Utf8, 0));
        check(text, (Encoding::Utf16, 1, 99), (Encoding::Utf8, 10));
        check(text, (Encoding::Utf16, 0, 5), (Encoding::Utf8, 1));
        check(text, (Encoding::Utf16, 2, 4), (Encoding::Utf8, 4));
        check(text, (Encoding::Utf16, 9, 4), (Encoding::Utf8, 4));
    }
}
