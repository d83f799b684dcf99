//! One directory and everything that can be asked about it: the face of this crate.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use engine::Unreadable;
use facts::{ContentId, ContentNumber, RepoPath};
use parking_lot::Mutex;
use store::{Origin, Store};

use crate::{
    Error, FileLimits, Freshness, Result,
    base::WorkspaceBase,
    cold::ColdViews,
    corpus::StoreCorpus,
    extraction::Extractors,
    history::History,
    ingest::Counts,
    jobs::{JobTable, Jobs},
    litter,
    live::IndexProgress,
    overlays::Overlays,
    platform,
    published::{PublishedIndexes, PublishedRepository},
    repository::{Head, Repository},
    text::TextSearch,
    tree::{Loaded, WorkingTree},
    view::SnapshotView,
};

/// How a workspace is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub limits: FileLimits,
    /// Where indexes live; [`store::home`] when absent.
    pub home: Option<PathBuf>,
    /// A directory that other machines read and write as well; see [`crate::shared_cache`].
    pub shared_cache: Option<PathBuf>,
    /// Where other machines publish commits that they indexed.
    pub published: Option<Arc<dyn PublishedIndexes>>,
    /// Keep nothing on disk.
    pub in_memory: bool,
    /// Watch the working tree, so that an answer need not look at all of it first. For processes
    /// that stay.
    pub watch: bool,
}

/// One directory: a working tree, a bare repository, or plain files. Shared by all requests about
/// it.
pub struct Workspace {
    pub(crate) this: Weak<Workspace>,
    pub(crate) base: Arc<WorkspaceBase>,
    pub(crate) tree: WorkingTree,
    pub(crate) history: History,
    pub(crate) text: Arc<TextSearch>,
    pub(crate) jobs: JobTable,
    pub(crate) unkept: UnkeptEdits,
    /// The last scan of a tree that is not indexed.
    pub(crate) cold: Mutex<ColdViews>,
}

/// Whether edits can be written to the index, and whether someone was told that they cannot.
pub(crate) struct UnkeptEdits {
    /// The last sync could not write.
    is_failing: AtomicBool,
    is_untold: AtomicBool,
}

impl UnkeptEdits {
    fn new(origin: &Origin) -> UnkeptEdits {
        let is_copy = matches!(origin, Origin::Memory { .. });
        UnkeptEdits {
            is_failing: AtomicBool::new(is_copy),
            is_untold: AtomicBool::new(is_copy),
        }
    }

    /// A sync found the index to be read-only. Says whether that is new.
    pub fn failed(&self) -> bool {
        let is_new = !self.is_failing.swap(true, Ordering::Relaxed);
        self.is_untold.fetch_or(is_new, Ordering::Relaxed);
        is_new
    }

    pub fn succeeded(&self) {
        self.is_failing.store(false, Ordering::Relaxed);
    }
}

/// How large a content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentSize {
    pub number: ContentNumber,
    /// Bytes of its text.
    pub len: u32,
    pub symbols: u32,
    /// It was not extracted without a problem.
    pub is_broken: bool,
}

/// What a name in a request means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The working tree.
    Live,
    Commit(ContentId),
}

/// How indexing went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexSummary {
    /// Files of the snapshot.
    pub files: u64,
    /// Files added, changed or removed against the state before.
    pub changed: u64,
    /// Files whose bytes were read.
    pub read: u64,
    /// Files whose content was never seen before.
    pub extracted: u64,
    pub skipped: u64,
    /// Files whose facts came from the shared cache.
    pub pulled: u64,
}

impl IndexSummary {
    pub(crate) fn new(view: &SnapshotView, changed: u64, counts: Counts) -> IndexSummary {
        IndexSummary {
            files: view.snapshot.n_files() as u64,
            changed,
            read: counts.read,
            extracted: counts.extracted,
            skipped: view.skipped.len() as u64,
            pulled: counts.pulled,
        }
    }
}

impl Workspace {
    /// Opens the working tree, repository or directory that `directory` belongs to. Indexes nothing
    /// yet.
    pub fn open(directory: &Path, options: Options) -> Result<Arc<Workspace>> {
        let (root, repository) = discover(directory)?;
        let repository = repository.map(Arc::new);
        let common_git_directory = repository
            .as_ref()
            .map(|repository| repository.common_directory());
        let (store, loaded) = open_store(&options, common_git_directory.as_deref(), &root)?;
        let found = Found {
            root,
            repository,
            common_git_directory,
            served: None,
        };
        Ok(Workspace::assemble(found, store, loaded, options))
    }

    /// A repository that others published, by its name: nothing of it lies here, its root is its
    /// name, and every question reads what it needs of it.
    pub fn published(
        name: &str,
        indexes: &Arc<dyn PublishedIndexes>,
        options: &Options,
    ) -> Result<Arc<Workspace>> {
        let options = Options {
            in_memory: true,
            watch: false,
            ..options.clone()
        };
        let root = PathBuf::from(name);
        let (store, loaded) = open_store(&options, None, &root)?;
        let served = PublishedRepository {
            name: name.into(),
            indexes: indexes.clone(),
        };
        let found = Found {
            root,
            repository: None,
            common_git_directory: None,
            served: Some(served),
        };
        Ok(Workspace::assemble(found, store, loaded, options))
    }

    fn assemble(found: Found, store: Store, loaded: Loaded, options: Options) -> Arc<Workspace> {
        let Found {
            root,
            repository,
            common_git_directory,
            served,
        } = found;
        let root_text = root.to_string_lossy().into_owned();
        let (store, extractors) = (Arc::new(store), Arc::new(Extractors::default()));
        let is_bare = repository
            .as_ref()
            .is_some_and(|repository| repository.work_tree().is_none())
            || served.is_some();
        let corpus = Arc::new(StoreCorpus::new(
            store.clone(),
            repository.clone(),
            (!is_bare).then(|| root.clone()),
            extractors.clone(),
        ));
        let base = Arc::new(WorkspaceBase {
            root,
            root_text,
            repository,
            served,
            common_git_directory,
            store,
            corpus,
            extractors,
            options,
            projects: Arc::default(),
            views: Default::default(),
            n_questions: Default::default(),
        });
        let text = Arc::new(TextSearch::new(base.clone()));
        Arc::new_cyclic(|this| Workspace {
            this: this.clone(),
            tree: WorkingTree::new(base.clone(), text.clone(), loaded),
            history: History::new(base.clone(), text.clone()),
            unkept: UnkeptEdits::new(base.store.origin()),
            base,
            text,
            jobs: JobTable::default(),
            cold: Mutex::default(),
        })
    }

    /// The root that the workspace of a directory would have; see [`Workspace::root`].
    pub fn root_of(directory: &Path) -> Result<PathBuf> {
        Ok(discover(directory)?.0)
    }

    /// The real path of the working tree, of the bare repository, or of the directory.
    pub fn root(&self) -> &Path {
        &self.base.root
    }

    /// Where the index is; `None` in memory.
    pub fn index_directory(&self) -> Option<&Path> {
        self.base.store.directory()
    }

    /// How the index was found when it was opened.
    pub fn origin(&self) -> &Origin {
        self.base.store.origin()
    }

    /// Whether the user is to be told that edits are not kept, as the index cannot be written. True
    /// for one caller, until edits were kept again.
    pub fn take_unkept_notice(&self) -> bool {
        self.unkept.is_untold.swap(false, Ordering::Relaxed)
    }

    pub fn store(&self) -> &Store {
        &self.base.store
    }

    pub fn corpus(&self) -> &Arc<StoreCorpus> {
        &self.base.corpus
    }

    pub fn jobs(&self) -> Jobs<'_> {
        Jobs(self)
    }

    pub fn overlays(&self) -> Overlays<'_> {
        Overlays(self)
    }

    pub fn text(&self) -> &TextSearch {
        &self.text
    }

    pub fn is_git(&self) -> bool {
        self.base.repository.is_some()
    }

    pub fn is_bare(&self) -> bool {
        self.base.is_bare()
    }

    /// Whether it is a repository that others published, of which nothing lies here. It has commits
    /// and no working tree, as a bare one.
    pub fn is_published(&self) -> bool {
        self.base.served.is_some()
    }

    /// What is checked out.
    pub fn head(&self) -> Head {
        self.base.head()
    }

    /// Where the repository was cloned from, as configured: it may hold a password and is not for
    /// showing.
    pub fn remote_url(&self) -> Option<String> {
        if let Some(served) = &self.base.served {
            return Some(format!("https://{}", served.name));
        }
        self.base.repository.as_ref()?.local().remote_url()
    }

    /// What a `ref` means: nothing, `live` and the checked-out branch mean the working tree,
    /// everything else a commit.
    pub fn meaning(&self, name: Option<&str>) -> Result<Meaning> {
        match name {
            None | Some("live") if !self.is_bare() => Ok(Meaning::Live),
            Some(name)
                if !self.is_bare()
                    && self.head().branch.as_deref()
                        == Some(name.strip_prefix("refs/heads/").unwrap_or(name)) =>
            {
                Ok(Meaning::Live)
            }
            None | Some("live") => self.commit("HEAD").map(Meaning::Commit),
            Some(name) => self.commit(name).map(Meaning::Commit),
        }
    }

    /// The commit that a name means, the checked-out branch's name included: for `base_ref`,
    /// `head_ref` and committed mode.
    pub fn commit(&self, name: &str) -> Result<ContentId> {
        self.history.commit(name)
    }

    /// The working tree as it was last synced, without looking at the disk. Empty before anything is
    /// indexed.
    pub fn live(&self) -> Arc<SnapshotView> {
        self.tree.view()
    }

    /// Whether every file of the working tree was indexed at least once.
    pub fn is_indexed(&self) -> bool {
        self.tree.is_indexed()
    }

    /// Whether another process has indexed the working tree and this one has not read it yet.
    pub fn is_indexed_elsewhere(&self) -> bool {
        let stored = || self.base.store.worktree(&self.base.root_text);
        !self.is_indexed() && stored().is_ok_and(|worktree| worktree.complete)
    }

    /// Files of the working tree that still serve with facts of a former version of their
    /// extractor. The next sync reads them again.
    pub fn outdated_files(&self) -> usize {
        self.tree.outdated_files()
    }

    /// The snapshot that a `ref` means, fresh within `budget` where that is the working tree,
    /// indexed on demand where it is a commit.
    pub fn at_ref(
        &self,
        name: Option<&str>,
        budget: Duration,
    ) -> Result<(Arc<SnapshotView>, Freshness)> {
        match self.meaning(name) {
            Ok(Meaning::Live) => self.fresh_live(budget),
            Ok(Meaning::Commit(id)) => Ok((self.history.at_commit(id)?, Freshness::fresh())),
            // A bare repository before its first commit is an empty one.
            Err(_)
                if self.is_bare()
                    && !self.is_published()
                    && name.is_none_or(|name| name == "live") =>
            {
                Ok((self.live(), Freshness::fresh()))
            }
            Err(error) => Err(error),
        }
    }

    /// The snapshot of a commit if it is indexed, here or by another machine that published it.
    pub fn indexed_commit(&self, id: ContentId) -> Result<Option<Arc<SnapshotView>>> {
        if let Some(view) = self.history.indexed(id)? {
            return Ok(Some(view));
        }
        match self.history.published(id) {
            None if self.is_published() => Err(Error::Remote),
            published => Ok(published),
        }
    }

    /// Calls `each` with every defined name of a view and each content that defines it, and
    /// sometimes with contents that the view does not have.
    pub fn each_definition(
        &self,
        view: &SnapshotView,
        each: &mut dyn FnMut(&str, ContentNumber),
    ) -> std::result::Result<(), Unreadable> {
        if let Some(published) = view.published() {
            return published.read(|commit| commit.each_definition(each));
        }
        let read = self.store().definitions_from("", |name, content| {
            each(name, content);
            true
        });
        read.map_err(|error| {
            tracing::warn!(%error, "the table of names cannot be read");
            Unreadable
        })
    }

    /// What is known of a view's contents without their facts, and of other contents.
    pub fn content_sizes(&self, view: &SnapshotView) -> Vec<ContentSize> {
        let size = |number, len, symbols, is_broken| ContentSize {
            number,
            len,
            symbols,
            is_broken,
        };
        if let Some(published) = view.published() {
            let rows = published.commit().rows().into_iter();
            return rows
                .map(|row| size(row.number, row.len, row.symbols, row.is_broken))
                .collect();
        }
        let rows = self.store().contents().unwrap_or_default().into_iter();
        rows.map(|row| size(row.number, row.len, row.symbols, row.problem.is_some()))
            .collect()
    }

    /// Indexes everything that changed in the working tree, and waits for it.
    pub fn index_live(
        &self,
        force: bool,
        cancel: &AtomicBool,
        progress: impl FnMut(IndexProgress),
    ) -> Result<IndexSummary> {
        if !self.is_bare() {
            let summary = self.tree.index(force, cancel, progress)?;
            // A process that stays does it later, when nobody waits.
            if !self.base.options.watch && litter::is_likely(&self.base, summary.files) {
                self.collect()?;
            }
            return Ok(summary);
        }
        match self.commit("HEAD") {
            Ok(id) => Ok(self.index_commit(id, force, cancel, progress)?.1),
            Err(Error::UnknownRef { .. }) => Ok(IndexSummary::default()),
            Err(error) => Err(error),
        }
    }

    /// Indexes the contents of a commit that were never seen before, and waits for it.
    pub fn index_commit(
        &self,
        id: ContentId,
        force: bool,
        cancel: &AtomicBool,
        progress: impl FnMut(IndexProgress),
    ) -> Result<(Arc<SnapshotView>, IndexSummary)> {
        self.history.index(id, force, cancel, progress)
    }

    /// The path below the root that a user's path means: relative to the root, or absolute inside
    /// it.
    pub fn repo_path(&self, path: &str) -> Result<RepoPath> {
        let invalid = || Error::InvalidPath {
            path: path.to_owned(),
        };
        let relative = match Path::new(path).strip_prefix(&self.base.root) {
            Ok(below) => below.to_str().ok_or_else(invalid)?,
            Err(_) if Path::new(path).is_absolute() => return Err(invalid()),
            Err(_) => path,
        };
        let relative = &*platform::with_slashes(relative);
        let relative = relative.strip_prefix("./").unwrap_or(relative);
        if !crate::repository::is_plain(relative) {
            return Err(invalid());
        }
        Ok(RepoPath::new(relative))
    }
}

/// What a workspace is of.
struct Found {
    root: PathBuf,
    repository: Option<Arc<Repository>>,
    common_git_directory: Option<PathBuf>,
    served: Option<PublishedRepository>,
}

/// The root of what a directory belongs to, and the repository if it is one.
fn discover(directory: &Path) -> Result<(PathBuf, Option<Repository>)> {
    let not_a_directory = |source| Error::NotADirectory {
        path: directory.to_path_buf(),
        source,
    };
    let real = dunce::canonicalize(directory).map_err(not_a_directory)?;
    if !real.is_dir() {
        return Err(not_a_directory(std::io::ErrorKind::NotADirectory.into()));
    }
    let repository = Repository::discover(&real)?;
    let root = match &repository {
        Some(repository) => repository
            .work_tree()
            .map_or_else(|| repository.git_directory(), Path::to_path_buf),
        None => real,
    };
    Ok((root, repository))
}

/// The store of a repository family, with what it knows of the working tree.
fn open_store(
    options: &Options,
    common_git_directory: Option<&Path>,
    root: &Path,
) -> Result<(Store, Loaded)> {
    let load = |store: Store| -> Result<(Store, Loaded)> {
        let loaded = Loaded::read(&store, &root.to_string_lossy())?;
        Ok((store, loaded))
    };
    if options.in_memory {
        return load(Store::in_memory()?);
    }
    let home = options.home.clone().unwrap_or_else(store::home);
    let directory = store::index_directory(&home, common_git_directory.unwrap_or(root));
    match load(Store::open(&directory)?) {
        Err(Error::Store(store::Error::Damaged)) => load(Store::rebuild(&directory)?),
        loaded => loaded,
    }
}
