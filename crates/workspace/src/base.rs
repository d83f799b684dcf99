//! What every part of a workspace works with: the directory, its repository, the index and the views
//! that are handed out.

use std::{
    path::PathBuf,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use engine::Snapshot;
use facts::{File, Skipped};
use parking_lot::Mutex;
use store::Store;

use crate::{
    Error, Options, Result,
    corpus::StoreCorpus,
    extraction::Extractors,
    ingest::IngestContext,
    platform::Root,
    project::Projects,
    repository::{Head, Repository},
    view::{SnapshotView, Source},
};

pub(crate) struct WorkspaceBase {
    pub root: PathBuf,
    pub root_text: String,
    pub repository: Option<Arc<Repository>>,
    pub common_git_directory: Option<PathBuf>,
    pub store: Arc<Store>,
    pub corpus: Arc<StoreCorpus>,
    pub extractors: Arc<Extractors>,
    pub options: Options,
    pub projects: Arc<Projects>,
    /// Views that someone may still hold.
    pub views: Mutex<Vec<Weak<SnapshotView>>>,
    /// Questions that are answered without an index at the moment; indexing waits for them.
    pub n_questions: AtomicUsize,
}

impl WorkspaceBase {
    pub fn is_bare(&self) -> bool {
        let is_bare = |repository: &Arc<Repository>| repository.work_tree().is_none();
        self.repository.as_ref().is_some_and(is_bare)
    }

    /// What is checked out.
    pub fn head(&self) -> Head {
        self.repository
            .as_ref()
            .map(|repository| repository.local().head())
            .unwrap_or_default()
    }

    /// For files of a commit; those of the working tree add where they lie.
    pub fn ingest<'a>(&'a self, cancel: &'a AtomicBool, force: bool) -> IngestContext<'a> {
        IngestContext {
            store: &self.store,
            worktree: None,
            repository: self.repository.as_deref(),
            root: None,
            hasher: self.corpus.hasher,
            limits: &self.options.limits,
            extractors: &self.extractors,
            cancel,
            force,
            bundle: None,
            n_questions: &self.n_questions,
        }
    }

    pub fn open_root(&self) -> Result<Root> {
        Root::open(&self.root).map_err(|source| Error::NotADirectory {
            path: self.root.clone(),
            source,
        })
    }

    /// Gives back what a run that extracted many files needed and answers do not.
    pub fn release_memory(&self) -> Result<()> {
        self.extractors.release_memory();
        Ok(self.store.release_memory()?)
    }

    /// A view of indexed files.
    pub fn view(&self, files: Vec<File>, source: Source, skipped: Vec<Skipped>) -> SnapshotView {
        let projects = self.projects.clone();
        let read = move |snapshot: &Snapshot| {
            let files: Vec<File> = snapshot.files().map(|(_, file)| file.clone()).collect();
            projects.read(&files, snapshot.corpus())
        };
        let snapshot =
            Snapshot::with_project_read_later(self.corpus.clone(), files, Arc::new(read));
        SnapshotView::new(snapshot, source, skipped.into())
    }

    /// Keeps the contents of a view from being collected while someone holds it.
    pub fn hand_out(&self, view: SnapshotView) -> Arc<SnapshotView> {
        let view = Arc::new(view);
        let mut views = self.views.lock();
        views.retain(|view| view.strong_count() > 0);
        views.push(Arc::downgrade(&view));
        view
    }

    /// A directory of this process, outside every repository.
    pub fn cookie_directory(&self) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.store.own_directory("cookies").unwrap_or_else(|| {
            let name = format!(
                "codecompass-cookies-{}-{}",
                std::process::id(),
                NEXT.fetch_add(1, Ordering::Relaxed)
            );
            std::env::temp_dir().join(name)
        })
    }
}
