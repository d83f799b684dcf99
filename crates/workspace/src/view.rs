//! A snapshot together with where it came from and what it does not hold.

use std::sync::{Arc, OnceLock};

use engine::{ContentNumber, Snapshot};
use facts::ContentId;
use store::{Skipped, text::TextStatistics};

use crate::repository::Head;

/// One moment of a repository, as a request sees it from start to end.
pub struct SnapshotView {
    pub snapshot: Arc<Snapshot>,
    pub source: Source,
    /// Files that are there but not indexed, by path.
    pub skipped: Arc<[Skipped]>,
    contents: OnceLock<ContentSet>,
    pub(crate) statistics: OnceLock<TextStatistics>,
}

/// What a snapshot is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The working tree, and what is checked out in it.
    Live {
        head: Head,
    },
    Commit {
        id: ContentId,
    },
    Overlay {
        id: String,
        base: ContentId,
        revision: u64,
    },
    /// Another view with unsaved files over it.
    Virtual {
        below: Box<Source>,
    },
}

impl SnapshotView {
    pub(crate) fn new(snapshot: Snapshot, source: Source, skipped: Vec<Skipped>) -> SnapshotView {
        SnapshotView {
            snapshot: Arc::new(snapshot),
            source,
            skipped: skipped.into(),
            contents: OnceLock::new(),
            statistics: OnceLock::new(),
        }
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

/// A set of contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSet(pub(crate) store::ContentSet);

impl ContentSet {
    pub fn contains(&self, content: ContentNumber) -> bool {
        self.0.contains(content.0)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = ContentNumber> + '_ {
        self.0.iter().map(ContentNumber)
    }
}

impl FromIterator<ContentNumber> for ContentSet {
    fn from_iter<I: IntoIterator<Item = ContentNumber>>(numbers: I) -> ContentSet {
        ContentSet(numbers.into_iter().map(|number| number.0).collect())
    }
}
