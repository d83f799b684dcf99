//! Which functions, types and file rests hold which words: `store` counts them, `engine` ranks them.

use crate::{ContentNumber, SymbolIndex};

/// The fields of a document: its name, the names around it, its body.
pub const N_FIELDS: usize = 3;

/// How often a word occurs in each field, or how many words each field has.
pub type FieldCounts = [u32; N_FIELDS];

/// Documents that hold at least one of the words asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextMatches {
    /// The documents of a content come one after another; the order means nothing else.
    pub documents: Vec<TextDocument>,
    /// For each word asked for, the documents that hold it, as indexes, and how often.
    pub words: Vec<Vec<(u32, FieldCounts)>>,
}

/// One function, one type without its functions, or the rest of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextDocument {
    pub content: ContentNumber,
    /// Absent for the rest of the file.
    pub symbol: Option<SymbolIndex>,
    pub lengths: FieldCounts,
}
