//! A snapshot together with where it came from and what it does not hold.

use std::sync::{Arc, OnceLock};

use engine::{ContentNumber, Snapshot};
use facts::ContentId;
use store::Skipped;

use crate::repository::Head;

/// One moment of a repository, as a request sees it from start to end.
pub struct SnapshotView {
    pub snapshot: Arc<Snapshot>,
    pub source: Source,
    /// Files that are there but not indexed, by path.
    pub skipped: Arc<[Skipped]>,
    contents: OnceLock<ContentSet>,
}

/// What a snapshot is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The working tree, and what is checked out in it.
    Live { head: Head },
    Commit { id: ContentId },
    Overlay { id: String, base: ContentId, revision: u64 },
    /// Another view with unsaved files over it.
    Virtual { below: Box<Source> },
}

impl SnapshotView {
    pub(crate) fn new(snapshot: Snapshot, source: Source, skipped: Vec<Skipped>) -> SnapshotView {
        SnapshotView { snapshot: Arc::new(snapshot), source, skipped: skipped.into(), contents: OnceLock::new() }
    }

    /// The contents that the snapshot names.
    pub fn contents(&self) -> &ContentSet {
        self.contents.get_or_init(|| self.snapshot.files().map(|(_, file)| file.content).collect())
    }

    /// The commit that the snapshot is of, or stands on.
    pub fn commit(&self) -> Option<ContentId> {
        fn commit(source: &Source) -> Option<ContentId> {
            match source {
                Source::Live { head } => head.commit,
                Source::Commit { id } => Some(*id),
                Source::Overlay { base, .. } => Some(*base),
                Source::Virtual { below } => commit(below),
            }
        }
        commit(&self.source)
    }
}

/// A set of content numbers: one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSet {
    words: Vec<u64>,
    len: usize,
}

impl ContentSet {
    pub fn contains(&self, content: ContentNumber) -> bool {
        self.words.get(content.0 as usize / 64).is_some_and(|word| word >> (content.0 % 64) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = ContentNumber> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        self.words.iter().enumerate().flat_map(move |(i, word)| bits(*word).map(move |bit| ContentNumber(i as u32 * 64 + bit)))
    }
}

impl FromIterator<ContentNumber> for ContentSet {
    fn from_iter<I: IntoIterator<Item = ContentNumber>>(numbers: I) -> ContentSet {
        let mut set = ContentSet::default();
        for ContentNumber(number) in numbers {
            let (word, bit) = (number as usize / 64, 1 << (number % 64));
            if word >= set.words.len() {
                set.words.resize(word + 1, 0);
            }
            set.len += usize::from(set.words[word] & bit == 0);
            set.words[word] |= bit;
        }
        set
    }
}
