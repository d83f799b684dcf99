//! Where facts and text come from. `workspace` implements this over the store, the git object
//! database and memory; tests implement it over a string.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use facts::{ContentNumber, Facts, LanguageId, Semantics, SymbolSketch};

/// A table of the index cannot be read. Whoever reads it logs why; the answer says that it is not
/// whole: [`crate::Cut::Unreadable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// How often facts or a text could not be read. A request compares the count at its end with that
/// at its start: what failed meanwhile for another request makes an answer partial as well, which
/// is on the safe side.
#[derive(Clone, Debug, Default)]
pub struct ReadFailures(Arc<AtomicU64>);

impl ReadFailures {
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The symbols of one name, by content.
pub type Sketches = Vec<(ContentNumber, Vec<SymbolSketch>)>;

/// What has been indexed. Answers never depend on which other snapshots share the corpus:
/// a query asks for contents and keeps those of its own snapshot.
pub trait Corpus: Send + Sync {
    /// The facts of a content; absent only if they can neither be read nor made again.
    fn facts(&self, content: ContentNumber) -> Option<Arc<Facts>>;

    /// The text of a content; absent if no one has it any more.
    fn text(&self, content: ContentNumber) -> Option<Arc<str>>;

    /// Contents with a symbol of this name, in ascending order.
    fn defining(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable>;

    /// Sketches of the symbols of each of these names, by content in ascending order.
    fn sketches(&self, names: &[&str]) -> Result<Vec<Sketches>, Unreadable> {
        let of_name = |name: &&str| {
            let named =
                |content| Some((content, SymbolSketch::named(&*self.facts(content)?, name)));
            Ok(self.defining(name)?.into_iter().filter_map(named).collect())
        };
        names.iter().map(of_name).collect()
    }

    /// Sketches of the symbols of a name in some contents only, in ascending order. `among` may be
    /// asked about contents without such a symbol.
    fn sketches_among(
        &self,
        name: &str,
        among: &dyn Fn(ContentNumber) -> bool,
    ) -> Result<Sketches, Unreadable> {
        let found = self.sketches(&[name])?.into_iter().flatten();
        Ok(found.filter(|(content, _)| among(*content)).collect())
    }

    /// Contents in which this name is referred to, bound, imported, exported or defined, in
    /// ascending order.
    fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable>;

    /// Whether more contents than some mention this name.
    fn is_mentioned_by_more_than(&self, most: usize, name: &str) -> Result<bool, Unreadable> {
        Ok(self.mentioning(name)?.len() > most)
    }

    /// Whether the text of a content may hold a word. True where only reading it would tell: then
    /// tables tell as much as the word would.
    fn may_hold(&self, _content: ContentNumber, _word: &str) -> bool {
        true
    }

    /// Contents among some in which this name is mentioned, in ascending order.
    fn mentioning_among(
        &self,
        name: &str,
        among: &dyn Fn(ContentNumber) -> bool,
    ) -> Result<Vec<ContentNumber>, Unreadable> {
        let found = self.mentioning(name)?.into_iter();
        Ok(found.filter(|content| among(*content)).collect())
    }

    /// What could not be read so far; absent where everything always can.
    fn failures(&self) -> Option<&ReadFailures> {
        None
    }

    /// How names of a language are looked up; absent for languages without resolution.
    fn semantics(&self, language: LanguageId) -> Option<&'static Semantics>;
}
