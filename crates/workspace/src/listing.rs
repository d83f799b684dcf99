//! All files of a commit or an overlay with their bytes, indexed or not: as a checkout of it would
//! have them, without a checkout.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use facts::{ContentId, Facts, FileState, SkipReason, Skipped};
use parking_lot::Mutex;

use crate::{
    Error, Result, Workspace, extraction, platform,
    repository::{FileVersion, LocalRepository, Repository, TreeEntryKind},
    view::{SnapshotView, Source},
};

/// Regular files by their path from the root. Links and submodules are not among them.
pub struct FileListing {
    paths: Arc<[PathBuf]>,
    from: ListedFrom,
}

enum ListedFrom {
    Git {
        contents: BTreeMap<PathBuf, ContentId>,
        repository: Arc<Repository>,
        store: Arc<store::Store>,
        /// Handles that no thread uses at the moment.
        handles: Mutex<Vec<LocalRepository>>,
    },
    /// A published commit has the files that are indexed.
    Published {
        view: Arc<SnapshotView>,
        n_read: AtomicUsize,
    },
}

/// Of a published commit from which so many files were read one by one, the rest is read in bulk.
const ONE_BY_ONE: usize = 32;

impl Workspace {
    /// The files of a commit, or of an overlay with its edits. A working tree is listed by the disk.
    pub fn listing(&self, source: &Source) -> Result<FileListing> {
        let (commit, edits) = match source {
            Source::Commit { id } => (*id, Vec::new()),
            Source::Overlay { id, base, .. } => (*base, self.overlays().files(id)?),
            Source::Live { head } => (head.commit.ok_or_else(no_commit)?, Vec::new()),
            Source::Virtual { below } => return self.listing(below),
        };
        if self.is_published() {
            let view = self.indexed_commit(commit)?.ok_or(Error::Remote)?;
            return Ok(FileListing::of_published(view));
        }
        let repository = self.base.repository.clone().ok_or_else(no_commit)?;
        let mut contents: BTreeMap<PathBuf, ContentId> = BTreeMap::new();
        for entry in repository.local().tree(&commit)? {
            if let (TreeEntryKind::File, Ok(path)) = (entry.kind, entry.path) {
                contents.insert(PathBuf::from(path), entry.id);
            }
        }
        for (path, state) in edits {
            let path = PathBuf::from(path.as_str());
            match state {
                FileState::Indexed { content, .. } => {
                    if let Some(id) = self.corpus().content_id(content) {
                        contents.insert(path, id);
                    }
                }
                // What is not kept cannot be read.
                FileState::Skipped(_) | FileState::Gone => drop(contents.remove(&path)),
            }
        }
        Ok(FileListing {
            paths: contents.keys().cloned().collect(),
            from: ListedFrom::Git {
                contents,
                repository,
                store: self.base.store.clone(),
                handles: Mutex::default(),
            },
        })
    }
}

impl Workspace {
    /// The commits that changed a file, newest first, from a commit back along first parents, and
    /// whether those are all.
    pub fn versions(
        &self,
        from: &ContentId,
        path: &str,
        at_most: usize,
        until: Instant,
    ) -> (Vec<FileVersion>, bool) {
        match &self.base.repository {
            Some(repository) => repository.local().versions(from, path, at_most, until),
            // What is published of a repository has no history.
            None => (Vec::new(), !self.is_published()),
        }
    }

    /// The facts and text of a version of a file, which need not be indexed.
    pub fn read_version(&self, path: &str, content: &ContentId) -> Option<(Facts, String)> {
        let bytes = self.base.repository.as_ref()?.local().blob(content)?;
        if extraction::rejection(&bytes).is_some() {
            return None;
        }
        let language = extraction::language_of(path, &bytes);
        let text = extraction::text_of(&bytes);
        let is_text = matches!(text, Cow::Borrowed(_));
        let extracted = self.base.extractors.extract(language, &text, is_text);
        Some((extracted.ok()?, text.into_owned()))
    }
}

fn no_commit() -> Error {
    Error::UnknownRef {
        name: "HEAD".to_owned(),
    }
}

impl FileListing {
    fn of_published(view: Arc<SnapshotView>) -> FileListing {
        let paths = view.listed_paths.get_or_init(|| {
            let files = view.snapshot.files();
            let mut paths: Vec<PathBuf> = files
                .map(|(_, file)| PathBuf::from(file.path.as_str()))
                .collect();
            paths.sort();
            paths.into()
        });
        FileListing {
            paths: paths.clone(),
            from: ListedFrom::Published {
                view,
                n_read: AtomicUsize::new(0),
            },
        }
    }

    /// Sorted component by component.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The files that an index of the same commit does not know.
    pub fn unindexed(&self, view: &SnapshotView) -> Vec<PathBuf> {
        let is_unknown = |path: &&PathBuf| {
            let path = path.to_str();
            path.is_none_or(|path| view.snapshot.find(path).is_none())
        };
        match &self.from {
            ListedFrom::Git { .. } => self.paths.iter().filter(is_unknown).cloned().collect(),
            ListedFrom::Published { .. } => Vec::new(),
        }
    }

    /// Files that a checkout would have and the listing lacks, though they may hold text.
    pub fn n_unlisted(&self) -> usize {
        let may_be_text = |file: &&Skipped| {
            !matches!(
                file.reason,
                SkipReason::Binary | SkipReason::SymbolicLink | SkipReason::Submodule
            )
        };
        match &self.from {
            ListedFrom::Git { .. } => 0,
            ListedFrom::Published { view, .. } => view.skipped.iter().filter(may_be_text).count(),
        }
    }

    /// Absent where there is no such file, or its bytes cannot be had.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        match &self.from {
            ListedFrom::Git {
                contents,
                repository,
                store,
                handles,
            } => {
                let id = contents.get(path)?;
                let handle = handles.lock().pop();
                let handle = handle.unwrap_or_else(|| repository.local());
                let blob = handle.blob(id);
                handles.lock().push(handle);
                blob.or_else(|| store.bytes(id).ok().flatten())
            }
            ListedFrom::Published { view, n_read } => {
                let file = view
                    .snapshot
                    .find(&platform::with_slashes(path.to_str()?))?;
                let published = view.published()?;
                if n_read.fetch_add(1, Ordering::Relaxed) == ONE_BY_ONE {
                    published.commit().prepare(view.snapshot.n_files());
                }
                let bytes = published.commit().bytes(view.snapshot.file(file).content);
                published.read(|_| bytes.ok_or(engine::Unreadable)).ok()
            }
        }
    }
}
