//! What every part of a workspace works with: the directory, its repository, the index and the views
//! that are handed out.

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use engine::Snapshot;
use facts::{FactsId, File, Skipped};
use parking_lot::Mutex;
use store::{Store, Unnamed};

use crate::{
    Error, Options, Result,
    corpus::StoreCorpus,
    extraction::Extractors,
    facts_source::FactsSource,
    ingest::IngestContext,
    platform::Root,
    project::{Projects, is_manifest},
    published::{PublishedCommit, PublishedCorpus, PublishedRepository},
    repository::{Head, Repository},
    text::FEW,
    view::{SnapshotView, Source},
};

pub(crate) struct WorkspaceBase {
    pub root: PathBuf,
    pub root_text: String,
    pub repository: Option<Arc<Repository>>,
    /// Where this is a repository that others published, without a clone.
    pub served: Option<PublishedRepository>,
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
        self.served.is_some() || self.repository.as_ref().is_some_and(is_bare)
    }

    /// What is checked out.
    pub fn head(&self) -> Head {
        if let Some(served) = &self.served {
            return served.head();
        }
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
            source: None,
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

    /// What another machine published of the checked-out branch, else of the repository's default
    /// ref.
    pub fn published_commit(&self) -> Option<Arc<dyn PublishedCommit>> {
        let indexes = self.options.published.as_ref()?;
        let address = self.address();
        let branch = self.head().branch;
        let of_branch = branch.and_then(|branch| indexes.commit(&address, Some(&branch)));
        of_branch.or_else(|| indexes.commit(&address, None))
    }

    /// Facts that another machine published, looked for when they are first needed.
    pub fn published_facts(&self) -> PublishedFacts<'_> {
        PublishedFacts {
            base: self,
            commit: OnceLock::new(),
        }
    }

    /// Where the repository was cloned from; else its own path.
    pub fn address(&self) -> String {
        let repository = self.repository.as_ref();
        let origin = repository.and_then(|repository| repository.local().remote_url());
        origin.unwrap_or_else(|| self.root_text.clone())
    }

    /// A view of a commit that another machine published.
    pub fn published_view(&self, commit: Arc<dyn PublishedCommit>) -> SnapshotView {
        let (files, skipped) = (commit.files(), commit.skipped());
        let source = Source::Commit {
            id: commit.commit(),
        };
        let corpus = Arc::new(PublishedCorpus::new(
            commit,
            self.repository.clone(),
            self.extractors.clone(),
        ));
        // Its own: contents of the same number are others here.
        let projects = Arc::new(Projects::default());
        let ahead = Arc::downgrade(&corpus);
        let read = move |snapshot: &Snapshot| {
            let files: Vec<File> = snapshot.files().map(|(_, file)| file.clone()).collect();
            if let Some(corpus) = ahead.upgrade() {
                let manifests = files
                    .iter()
                    .filter(|file| is_manifest(file.path.file_name()));
                let contents: Vec<_> = manifests.map(|file| file.content).collect();
                corpus.read_texts_ahead(&contents);
            }
            projects.read(&files, snapshot.corpus())
        };
        let snapshot = Snapshot::with_project_read_later(corpus.clone(), files, Arc::new(read));
        let mut view = SnapshotView::new(snapshot, source, skipped.into());
        view.published = Some(corpus);
        view
    }

    /// Keeps the contents of a view from being collected while someone holds it.
    pub fn hand_out(&self, view: SnapshotView) -> Arc<SnapshotView> {
        let view = Arc::new(view);
        let mut views = self.views.lock();
        views.retain(|view| view.strong_count() > 0);
        views.push(Arc::downgrade(&view));
        view
    }

    /// Removes contents that still have no name and that nobody here holds. Returns how many went.
    pub fn collect(&self, unnamed: &Unnamed) -> Result<usize> {
        let held: Vec<_> = self.views.lock().iter().filter_map(Weak::upgrade).collect();
        let is_held = |number| held.iter().any(|view| view.needs(number));
        Ok(self.store.collect(unnamed, &is_held)?)
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

/// Facts of a published commit.
pub(crate) struct PublishedFacts<'a> {
    base: &'a WorkspaceBase,
    commit: OnceLock<Option<Arc<dyn PublishedCommit>>>,
}

impl FactsSource for PublishedFacts<'_> {
    fn prepare(&self, n_contents: usize) -> bool {
        // Extracting a few files takes less time than asking for them.
        n_contents > FEW
            && self
                .commit
                .get_or_init(|| self.base.published_commit())
                .as_ref()
                .is_some_and(|commit| commit.prepare(n_contents))
    }

    fn record(&self, id: &FactsId) -> Option<Vec<u8>> {
        self.commit.get()?.as_ref()?.record(id)
    }
}
