//! A snapshot together with where it came from and what it does not hold.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use engine::{FileId, Snapshot};
use facts::{ContentId, ContentNumber, File, FileState, LanguageId, RepoPath, Skipped};
use store::{ContentSet, text::TextStatistics};

use crate::{
    cold::ColdCorpus,
    project::{self, PackageName},
    published::PublishedCorpus,
    repository::Head,
};

/// One moment of a repository, as a request sees it from start to end.
pub struct SnapshotView {
    pub snapshot: Arc<Snapshot>,
    pub source: Source,
    /// Files that are there but not indexed, by path.
    pub skipped: Arc<[Skipped]>,
    contents: OnceLock<ContentSet>,
    pub(crate) statistics: OnceLock<TextStatistics>,
    /// As a search of all files wants them.
    pub(crate) listed_paths: OnceLock<Arc<[PathBuf]>>,
    /// The scan behind a view of a tree that is not indexed.
    pub(crate) cold: Option<Arc<ColdCorpus>>,
    /// Statistics of an earlier view, and how the contents differ from its.
    pub(crate) basis: Option<Basis>,
    /// Where the contents are, if another machine published them.
    pub(crate) published: Option<Arc<PublishedCorpus>>,
}

#[derive(Clone)]
pub(crate) struct Basis {
    pub statistics: TextStatistics,
    pub come: ContentSet,
    pub gone: ContentSet,
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
    pub(crate) fn new(snapshot: Snapshot, source: Source, skipped: Arc<[Skipped]>) -> SnapshotView {
        SnapshotView {
            snapshot: Arc::new(snapshot),
            source,
            skipped,
            contents: OnceLock::new(),
            statistics: OnceLock::new(),
            listed_paths: OnceLock::new(),
            cold: None,
            basis: None,
            published: None,
        }
    }

    /// The scan that this is a view of, where the tree is not indexed.
    pub fn cold(&self) -> Option<&ColdCorpus> {
        self.cold.as_deref()
    }

    /// Where the contents are, if another machine published them: they have numbers of their own.
    pub fn published(&self) -> Option<&PublishedCorpus> {
        self.published.as_deref()
    }

    /// The packages that the manifests provide and require, in order: the names by which other
    /// repositories are known to this one, and this one to others.
    pub fn package_names(&self) -> Vec<PackageName> {
        let said = self
            .published()
            .and_then(|corpus| corpus.commit().package_names());
        said.unwrap_or_else(|| {
            let files: Vec<File> = self
                .snapshot
                .files()
                .map(|(_, file)| file.clone())
                .collect();
            project::package_names(&files, self.snapshot.corpus())
        })
    }

    /// A view of the same files after some changed their contents; keeps what was computed so far.
    pub(crate) fn edited(
        &self,
        edits: &[(FileId, ContentNumber, LanguageId)],
        source: Source,
    ) -> SnapshotView {
        let mut view = SnapshotView::new(self.snapshot.edited(edits), source, self.skipped.clone());
        let Some(mut contents) = self.contents.get().cloned() else {
            return view;
        };
        let known = self.statistics.get().map(|statistics| Basis {
            statistics: statistics.clone(),
            come: ContentSet::default(),
            gone: ContentSet::default(),
        });
        let mut basis = known.or_else(|| self.basis.clone());
        let (left, entered) = (
            edits.iter().map(|edit| self.snapshot.file(edit.0).content),
            edits.iter().map(|edit| edit.1),
        );
        for content in left.chain(entered) {
            let is_held = !view.snapshot.files_of(content).is_empty();
            if is_held == contents.contains(content) {
                continue;
            }
            if is_held {
                contents.insert(content)
            } else {
                contents.remove(content)
            }
            if let Some(Basis { come, gone, .. }) = &mut basis {
                let (to, other) = if is_held { (come, gone) } else { (gone, come) };
                // What went and came back, or came and went, makes no difference.
                if other.contains(content) {
                    other.remove(content)
                } else {
                    to.insert(content)
                }
            }
        }
        view.basis = basis;
        let _ = view.contents.set(contents);
        view
    }

    /// The indexed and the skipped files with edits over them.
    pub(crate) fn with_edits(
        &self,
        edits: &BTreeMap<RepoPath, FileState>,
    ) -> (Vec<File>, Vec<Skipped>) {
        let is_untouched = |path: &RepoPath| !edits.contains_key(path);
        let files = self.snapshot.files().map(|(_, file)| file);
        let files = files.filter(|file| is_untouched(&file.path)).cloned();
        let edited = edits.iter().filter_map(|(path, state)| file(path, *state));
        let skipped = self.skipped.iter().filter(|file| is_untouched(&file.path));
        (files.chain(edited).collect(), skipped.cloned().collect())
    }

    /// Whether a content is named, or still to be subtracted from what an earlier view counted.
    pub(crate) fn needs(&self, content: ContentNumber) -> bool {
        self.contents().contains(content)
            || self
                .basis
                .as_ref()
                .is_some_and(|basis| basis.gone.contains(content))
    }

    /// The contents that the snapshot names.
    pub fn contents(&self) -> &ContentSet {
        self.contents.get_or_init(|| {
            self.snapshot
                .files()
                .map(|(_, file)| file.content)
                .collect()
        })
    }

    /// The commit that the snapshot is of, or is based on.
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

/// A file of a snapshot, if it is indexed.
pub(crate) fn file(path: &RepoPath, state: FileState) -> Option<File> {
    let (content, language) = state.content()?;
    let path = path.clone();
    Some(File {
        path,
        content,
        language,
    })
}
