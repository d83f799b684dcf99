//! Full text: documents belong to contents, and a search sees those of one snapshot. [`words`] cuts
//! text and queries alike, [`ContentDocuments`] says what is searched as one, [`TextIndex`] keeps
//! it, [`Matches`] is what a search finds.

mod documents;
mod index;
mod matches;
mod words;

pub use documents::{ContentDocuments, DocumentText, Field, N_FIELDS};
pub use index::TextIndex;
pub use matches::{Hit, MatchedDocument, Matches, TextStatistics, Weights};
pub use words::words;
