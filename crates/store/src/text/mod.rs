//! Full text: documents belong to contents, and a search sees those of one snapshot. [`words`] cuts
//! text and queries alike, [`ContentDocuments`] says what is searched as one, [`TantivyIndex`] keeps
//! it, [`facts::TextMatches`] is what a search finds.

mod documents;
mod index;
mod matches;
mod words;

pub use documents::{ContentDocuments, DocumentText, Field};
pub use index::TantivyIndex;
pub use matches::TextStatistics;
pub use words::{MAX_WORD, words};
