//! A place in a file.

use bitcode::{Decode, Encode};

/// Byte offsets, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// A span of so many bytes.
    pub fn sized(start: u32, len: usize) -> Span {
        Span::new(start, start + len as u32)
    }

    /// The place just before an offset, without text.
    pub fn empty(at: u32) -> Span {
        Span::new(at, at)
    }

    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    pub fn encloses(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The text at this place, or what of it lies inside `text` on character boundaries.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start as usize..(self.end as usize).min(text.len()))
            .unwrap_or("")
    }
}
