//! A tree before it is indexed: one scan tells which words each file holds, and facts are made of the
//! files that a question leads to. What is made is kept in the store, where indexing finds it.

mod corpus;
mod scan;
mod spellings;
mod words;

use std::sync::Arc;

use engine::Snapshot;
use facts::{ContentId, File, Skipped};

use crate::{
    Result, Workspace, history,
    view::{SnapshotView, Source},
};

pub use corpus::{ColdCorpus, ColdQuestion};
use scan::ScannedFile;

/// A smaller tree is indexed in about a second, and every later answer gains by that.
const MIN_FILES: usize = 1_000;

/// Scans that later questions find again.
#[derive(Default)]
pub(crate) struct ColdViews {
    live: Option<Arc<SnapshotView>>,
    /// The last one asked for.
    commit: Option<Arc<SnapshotView>>,
}

impl Workspace {
    /// The working tree as it is now, for questions that do not wait for its index: names,
    /// references, outlines. Nothing where it is indexed, or is as good as indexed.
    pub fn cold(&self) -> Result<Option<Arc<SnapshotView>>> {
        if self.is_bare() || self.is_indexed() || self.is_indexed_elsewhere() {
            self.cold.lock().live = None;
            return Ok(None);
        }
        self.scan(MIN_FILES)
    }

    /// Scans the working tree, unless it has fewer files than `min_files`.
    pub fn scan(&self, min_files: usize) -> Result<Option<Arc<SnapshotView>>> {
        let mut known = self.cold.lock();
        let root = self.base.open_root()?;
        let (found, mut skipped) = scan::list(self, &root)?;
        if found.len() < min_files {
            return Ok(None);
        }
        let former = known.live.as_ref().and_then(|view| view.cold.as_deref());
        let former = former.map_or(&[][..], ColdCorpus::files);
        let (files, unread) = scan::scan_disk(&self.base, &root, &found, former);
        skipped.extend(unread);
        skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let is_same = |view: &&Arc<SnapshotView>| {
            former.len() == files.len()
                && former.iter().zip(&files).all(|(a, b)| b.is_surely(a))
                && *view.skipped == *skipped
        };
        if let Some(view) = known.live.as_ref().filter(is_same) {
            return Ok(Some(view.clone()));
        }
        let source = Source::Live {
            head: self.base.head(),
        };
        let view = Arc::new(self.cold_view(Some(root), files, source, skipped));
        known.live = Some(view.clone());
        Ok(Some(view))
    }

    /// A commit, for questions that do not wait for its index. Nothing where it is indexed, or where
    /// most of its files are.
    pub fn cold_commit(&self, id: ContentId) -> Result<Option<Arc<SnapshotView>>> {
        if self.is_published() || self.indexed_commit(id)?.is_some() {
            return Ok(None);
        }
        self.scan_commit(id, MIN_FILES)
    }

    /// Scans a commit, unless fewer of its files than `min_files` are to be indexed.
    pub fn scan_commit(
        &self,
        id: ContentId,
        min_files: usize,
    ) -> Result<Option<Arc<SnapshotView>>> {
        let Some(repository) = &self.base.repository else {
            return Ok(None);
        };
        let source = Source::Commit { id };
        let mut known = self.cold.lock();
        if let Some(view) = known.commit.as_ref().filter(|view| view.source == source) {
            return Ok(Some(view.clone()));
        }
        let limits = &self.base.options.limits;
        let (wanted, mut skipped) = history::read_tree(&repository.local(), limits, &id)?;
        let n_known = history::known(&self.base.store, &wanted)?.len();
        if wanted.len().saturating_sub(n_known) < min_files {
            return Ok(None);
        }
        let (files, unread) = scan::scan_commit(&self.base, repository, &wanted);
        skipped.extend(unread);
        skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let view = Arc::new(self.cold_view(None, files, source, skipped));
        known.commit = Some(view.clone());
        Ok(Some(view))
    }

    fn cold_view(
        &self,
        root: Option<crate::platform::Root>,
        mut files: Vec<ScannedFile>,
        source: Source,
        skipped: Vec<Skipped>,
    ) -> SnapshotView {
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let listed = files.iter().enumerate().map(|(i, file)| File {
            path: file.path.clone(),
            content: corpus::number(i),
            language: file.language.id,
        });
        let listed: Vec<File> = listed.collect();
        let corpus = Arc::new(ColdCorpus::new(self.base.clone(), root, files));
        let projects = self.base.projects.clone();
        let read = move |snapshot: &Snapshot| {
            let files: Vec<File> = snapshot.files().map(|(_, file)| file.clone()).collect();
            projects.read(&files, snapshot.corpus())
        };
        let snapshot = Snapshot::with_project_read_later(corpus.clone(), listed, Arc::new(read));
        let mut view = SnapshotView::new(snapshot, source, skipped.into());
        view.cold = Some(corpus);
        view
    }
}
