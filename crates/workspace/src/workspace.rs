//! A directory kept in step with snapshots of it.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use engine::{File, FileId, RepoPath, Snapshot};
use facts::{ContentId, LanguageId};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use store::{JobState, Origin, Stat, Store, StoredSnapshot};

use crate::{
    Error, Limits, Result,
    commits::{self, CommitSurroundings},
    corpus::{StoreCorpus, engine_number},
    extraction::{self, Extractors},
    jobs::{JobTable, Jobs},
    live::{LiveTree, Progress, Since, Surroundings, Suspects, Synced},
    overlays::Overlays,
    platform::{Entry, Root},
    project::Projects,
    repository::{Head, Repository, Tracked},
    search::{FEW, TextSearch},
    view::{SnapshotView, Source},
    watch::Watch,
};

/// How a workspace is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub limits: Limits,
    /// Where indexes live; [`store::home`] when absent.
    pub home: Option<PathBuf>,
    /// A directory that other machines read and write as well; see [`crate::shared_cache`].
    pub shared_cache: Option<PathBuf>,
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
    pub(crate) root: PathBuf,
    pub(crate) root_text: String,
    pub(crate) is_bare: bool,
    pub(crate) repository: Option<Arc<Repository>>,
    common_git_directory: Option<PathBuf>,
    pub(crate) store: Arc<Store>,
    pub(crate) corpus: Arc<StoreCorpus>,
    pub(crate) extractors: Arc<Extractors>,
    pub(crate) options: Options,
    pub(crate) projects: Arc<Projects>,
    /// Contents whose facts a former version of their extractor made, as it was when the index was
    /// opened.
    outdated: FxHashSet<store::ContentNumber>,
    /// None of them serves any more, which stays so: what is read now is extracted as of now.
    is_renewed: AtomicBool,
    /// Locked by whoever brings it into step; readers take `published`.
    pub(crate) live: Mutex<LiveTree>,
    pub(crate) published: ArcSwap<Published>,
    /// What is known to be out of step, besides what the watcher tells.
    pub(crate) suspects: Mutex<Suspects>,
    watch: Mutex<Watching>,
    tracked: Mutex<Option<(GitState, Arc<Tracked>)>>,
    /// Views that someone may still hold.
    pub(crate) views: Mutex<Vec<Weak<SnapshotView>>>,
    /// Something is being settled in the background.
    pub(crate) settling: AtomicBool,
    commits: Mutex<Vec<Arc<SnapshotView>>>,
    commit_turn: Mutex<()>,
    pub(crate) jobs: JobTable,
}

enum Watching {
    /// Not asked for, or not possible: every answer looks at the whole tree.
    Never,
    /// Starts with the first sync.
    Soon,
    On(Box<Watch>),
}

/// What tells that git's index or its ignore rules changed.
type GitState = (Option<Stat>, Option<Stat>);

/// The working tree as readers see it.
pub(crate) struct Published {
    pub view: Arc<SnapshotView>,
    /// Every file was taken in at least once.
    pub complete: bool,
}

/// What a name in a request means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The working tree.
    Live,
    Commit(ContentId),
}

/// Whether an answer is about what is on disk now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    pub status: FreshnessStatus,
    /// Files known to differ from the snapshot; 0 where their number is not known.
    pub remaining_files: u64,
    /// The job that is bringing the snapshot into step, if one runs.
    pub job: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FreshnessStatus {
    /// Equal to the disk at some moment after the question came.
    Fresh,
    /// Some files differ, and nobody is taking them in.
    Stale,
    /// Some files differ, and a job takes them in.
    Syncing,
    /// Indexed for the first time, or again after the index was lost: what is there so far.
    Indexing,
    /// Nothing is indexed, and nobody is indexing.
    Absent,
}

/// How indexing went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
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

impl Workspace {
    /// Opens the working tree, repository or directory that `directory` belongs to. Indexes nothing
    /// yet.
    pub fn open(directory: &Path, options: Options) -> Result<Arc<Workspace>> {
        let (root, repository) = discover(directory)?;
        let repository = repository.map(Arc::new);
        let is_bare = repository
            .as_ref()
            .is_some_and(|repository| repository.work_tree().is_none());
        let common_git_directory = repository
            .as_ref()
            .map(|repository| repository.common_directory());
        let root_text = root.to_string_lossy().into_owned();
        let (store, live, outdated) = if options.in_memory {
            load(Store::in_memory()?, &root_text)?
        } else {
            let home = options.home.clone().unwrap_or_else(store::home);
            let directory =
                store::index_directory(&home, common_git_directory.as_deref().unwrap_or(&root));
            match load(Store::open(&directory)?, &root_text) {
                Err(Error::Store(store::Error::Damaged)) => {
                    load(Store::rebuild(&directory)?, &root_text)?
                }
                loaded => loaded?,
            }
        };
        let store = Arc::new(store);
        let extractors = Arc::new(Extractors::default());
        let on_disk = (!is_bare).then(|| root.clone());
        let corpus = Arc::new(StoreCorpus::new(
            store.clone(),
            repository.clone(),
            on_disk,
            extractors.clone(),
        ));
        let empty = Snapshot::new(corpus.clone(), Vec::new(), engine::Project::default());
        let empty = SnapshotView::new(
            empty,
            Source::Live {
                head: Head::default(),
            },
            Arc::new([]),
        );
        let watching = if options.watch && !is_bare {
            Watching::Soon
        } else {
            Watching::Never
        };
        let workspace = Arc::new_cyclic(|this| Workspace {
            this: this.clone(),
            root,
            root_text,
            is_bare,
            repository,
            common_git_directory,
            store,
            corpus,
            extractors,
            options,
            projects: Arc::default(),
            outdated,
            is_renewed: AtomicBool::new(false),
            published: ArcSwap::from_pointee(Published {
                view: Arc::new(empty),
                complete: false,
            }),
            live: Mutex::new(live),
            suspects: Mutex::default(),
            watch: Mutex::new(watching),
            tracked: Mutex::default(),
            views: Mutex::default(),
            settling: AtomicBool::new(false),
            commits: Mutex::default(),
            commit_turn: Mutex::default(),
            jobs: JobTable::default(),
        });
        let mut live = workspace.live.lock();
        if !live.files.is_empty() || live.complete {
            workspace.publish_synced(&mut live, workspace.head());
        }
        drop(live);
        Ok(workspace)
    }

    /// The root that the workspace of a directory would have; see [`Workspace::root`].
    pub fn root_of(directory: &Path) -> Result<PathBuf> {
        Ok(discover(directory)?.0)
    }

    /// The real path of the working tree, of the bare repository, or of the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the index is; `None` in memory.
    pub fn index_directory(&self) -> Option<&Path> {
        self.store.directory()
    }

    /// How the index was found when it was opened.
    pub fn origin(&self) -> &Origin {
        self.store.origin()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn corpus(&self) -> &Arc<StoreCorpus> {
        &self.corpus
    }

    pub fn jobs(&self) -> Jobs<'_> {
        Jobs(self)
    }

    pub fn overlays(&self) -> Overlays<'_> {
        Overlays(self)
    }

    pub fn text(&self) -> TextSearch<'_> {
        TextSearch(self)
    }

    pub fn is_git(&self) -> bool {
        self.repository.is_some()
    }

    pub fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// What is checked out.
    pub fn head(&self) -> Head {
        self.repository
            .as_ref()
            .map(|repository| repository.local().head())
            .unwrap_or_default()
    }

    /// Where the repository was cloned from, as configured: it may hold a password and is not for
    /// showing.
    pub fn remote_url(&self) -> Option<String> {
        self.repository
            .as_ref()
            .and_then(|repository| repository.local().remote_url())
    }

    /// Branches and tags, as people write them, in order.
    pub fn ref_names(&self) -> Vec<String> {
        self.repository
            .as_ref()
            .map(|repository| repository.local().ref_names())
            .unwrap_or_default()
    }

    /// What a `ref` means: nothing, `live` and the checked-out branch mean the working tree,
    /// everything else a commit.
    pub fn meaning(&self, name: Option<&str>) -> Result<Meaning> {
        match name {
            None | Some("live") if !self.is_bare => Ok(Meaning::Live),
            Some(name)
                if !self.is_bare
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
        let repository = self.repository.as_ref().ok_or_else(|| Error::UnknownRef {
            name: name.to_owned(),
        })?;
        repository.local().commit(name)
    }

    /// The working tree as it was last taken in, without looking at the disk. Empty before anything
    /// is indexed.
    pub fn live(&self) -> Arc<SnapshotView> {
        self.published.load().view.clone()
    }

    /// Whether every file of the working tree was taken in at least once.
    pub fn is_indexed(&self) -> bool {
        self.published.load().complete
    }

    /// Whether the store holds the working tree, which another process must have indexed, while
    /// this one has not taken it over.
    pub fn is_indexed_elsewhere(&self) -> bool {
        !self.is_indexed()
            && self
                .store
                .worktree(&self.root_text)
                .is_ok_and(|worktree| worktree.complete)
    }

    /// Files of the working tree that still serve with facts of a former version of their
    /// extractor. The next sync reads them again.
    pub fn outdated_files(&self) -> usize {
        if self.is_renewed.load(Ordering::Relaxed) {
            return 0;
        }
        let published = self.published.load();
        let n_files = self
            .outdated
            .iter()
            .map(|content| {
                published
                    .view
                    .snapshot
                    .files_of(engine_number(*content))
                    .len()
            })
            .sum();
        if n_files == 0 && published.complete {
            self.is_renewed.store(true, Ordering::Relaxed);
        }
        n_files
    }

    /// The working tree as it is now, as far as `budget` allows: files that changed are taken in
    /// for that long, and the rest makes the answer stale. On a tree that was never indexed,
    /// indexing starts in the background.
    pub fn fresh_live(&self, budget: Duration) -> Result<(Arc<SnapshotView>, Freshness)> {
        let deadline = Instant::now() + budget;
        if self.is_bare {
            return Ok((self.bare_live()?, Freshness::fresh()));
        }
        if !self.is_indexed() {
            return self.first_answer(deadline);
        }
        if self.outdated_files() > FEW
            && let Some(unfinished) = self.renew(deadline)?
        {
            return Ok(unfinished);
        }
        let Some(mut live) = self.live.try_lock_until(deadline) else {
            return Ok((self.live(), self.unfinished(FreshnessStatus::Syncing, 0)));
        };
        match self.sync_locked(
            &mut live,
            Some(deadline),
            &AtomicBool::new(false),
            false,
            |_| (),
        ) {
            Ok(synced) if synced.remaining.is_empty() => {
                drop(live);
                self.text().commit_in_background();
                Ok((self.live(), Freshness::fresh()))
            }
            Ok(synced) => {
                drop(live);
                Ok((
                    self.live(),
                    self.unfinished(FreshnessStatus::Stale, synced.remaining.len() as u64),
                ))
            }
            // Someone else writes, or there is no room: what is there is answered, and not called
            // fresh.
            Err(error @ (Error::Busy | Error::Full | Error::ReadOnly)) => {
                tracing::warn!(%error, "the index cannot be brought into step");
                drop(live);
                Ok((self.live(), self.unfinished(FreshnessStatus::Stale, 0)))
            }
            Err(error) => Err(error),
        }
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
            Ok(Meaning::Commit(id)) => Ok((self.at_commit(id)?, Freshness::fresh())),
            // A bare repository before its first commit is an empty one.
            Err(_) if self.is_bare && name.is_none_or(|name| name == "live") => {
                Ok((self.live(), Freshness::fresh()))
            }
            Err(error) => Err(error),
        }
    }

    /// The snapshot of a commit, indexed if it is not.
    pub fn at_commit(&self, id: ContentId) -> Result<Arc<SnapshotView>> {
        Ok(self
            .index_commit(id, false, &AtomicBool::new(false), |_| ())?
            .0)
    }

    /// The snapshot of a commit if it is indexed.
    pub fn indexed_commit(&self, id: ContentId) -> Result<Option<Arc<SnapshotView>>> {
        if let Some(view) = self.recent_commit(id) {
            return Ok(Some(view));
        }
        let Some(stored) = commits::stored(&self.store, &self.options.limits, &id)? else {
            return Ok(None);
        };
        Ok(Some(self.keep_commit(id, stored)))
    }

    /// Takes in everything that changed in the working tree, and waits for it.
    pub fn index_live(
        &self,
        force: bool,
        cancel: &AtomicBool,
        mut progress: impl FnMut(Progress),
    ) -> Result<IndexReport> {
        if self.is_bare {
            return match self.commit("HEAD") {
                Ok(id) => Ok(self.index_commit(id, force, cancel, progress)?.1),
                Err(Error::UnknownRef { .. }) => Ok(IndexReport::default()),
                Err(error) => Err(error),
            };
        }
        // One process indexes at a time; who waited finds most of the work done.
        let claim = loop {
            if let Some(claim) = self.store.try_claim("indexing")? {
                break claim;
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let mut live = self.live.lock();
        // Another process may have indexed meanwhile, or made facts of a former version again.
        let is_loaded = !live.complete || self.outdated_files() > 0;
        if is_loaded {
            *live = LiveTree::load(&self.store, &self.store.worktree(&self.root_text)?)?;
            live.distrust(&self.outdated);
        }
        // Asked for by name: nothing is taken to be known.
        *self.suspects.lock() = Suspects::All;
        let synced = self.sync_locked(&mut live, None, cancel, force, |at| {
            self.text().flush_while_indexing();
            progress(at);
        })?;
        if is_loaded {
            self.publish_synced(&mut live, self.head());
        }
        drop(live);
        self.text().commit_pending(FEW);
        if synced.counts.extracted > FEW as u64 {
            self.store.checkpoint()?;
        }
        drop(claim);
        let view = self.live();
        Ok(IndexReport {
            files: view.snapshot.n_files() as u64,
            changed: synced.changed,
            read: synced.counts.read,
            extracted: synced.counts.extracted,
            skipped: view.skipped.len() as u64,
            pulled: synced.counts.pulled,
        })
    }

    /// Takes in the contents of a commit that were never seen before, and waits for it.
    pub fn index_commit(
        &self,
        id: ContentId,
        force: bool,
        cancel: &AtomicBool,
        mut progress: impl FnMut(Progress),
    ) -> Result<(Arc<SnapshotView>, IndexReport)> {
        if !force && let Some(view) = self.indexed_commit(id)? {
            let report = IndexReport {
                files: view.snapshot.n_files() as u64,
                skipped: view.skipped.len() as u64,
                ..IndexReport::default()
            };
            return Ok((view, report));
        }
        let repository = self
            .repository
            .as_deref()
            .ok_or_else(|| Error::UnknownRef {
                name: id.to_string(),
            })?;
        // One at a time: who waited for the same commit finds it done.
        let _turn = loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            if let Some(turn) = self.commit_turn.try_lock_for(Duration::from_millis(50)) {
                break turn;
            }
        };
        if !force && let Some(view) = self.indexed_commit(id)? {
            let report = IndexReport {
                files: view.snapshot.n_files() as u64,
                skipped: view.skipped.len() as u64,
                ..IndexReport::default()
            };
            return Ok((view, report));
        }
        let around = CommitSurroundings {
            store: &self.store,
            repository,
            limits: &self.options.limits,
            extractors: &self.extractors,
            cancel,
            force,
            shared_cache: self.options.shared_cache.as_deref(),
        };
        let (stored, counts) = commits::index(&around, &id, |at| {
            self.text().flush_while_indexing();
            progress(at);
        })?;
        self.text().commit_pending(FEW);
        let report = IndexReport {
            files: stored.files.len() as u64,
            changed: counts.extracted,
            read: counts.read,
            extracted: counts.extracted,
            skipped: stored.skipped.len() as u64,
            pulled: counts.pulled,
        };
        Ok((self.keep_commit(id, stored), report))
    }

    /// The path below the root that a user's path means: relative to the root, or absolute inside
    /// it.
    pub fn repo_path(&self, path: &str) -> Result<RepoPath> {
        let invalid = || Error::InvalidPath {
            path: path.to_owned(),
        };
        let relative = match Path::new(path).strip_prefix(&self.root) {
            Ok(below) => below.to_str().ok_or_else(invalid)?,
            Err(_) if Path::new(path).is_absolute() => return Err(invalid()),
            Err(_) => path,
        };
        let relative = relative.strip_prefix("./").unwrap_or(relative);
        if !crate::repository::is_plain(relative) {
            return Err(invalid());
        }
        Ok(RepoPath::new(relative))
    }
}

impl Freshness {
    /// Of a snapshot that no change on disk concerns.
    pub fn fresh() -> Freshness {
        Freshness {
            status: FreshnessStatus::Fresh,
            remaining_files: 0,
            job: None,
        }
    }

    pub fn is_fresh(&self) -> bool {
        self.status == FreshnessStatus::Fresh
    }
}

impl Workspace {
    /// Brings the tree into step, and publishes what came of it.
    pub(crate) fn sync_locked(
        &self,
        live: &mut LiveTree,
        deadline: Option<Instant>,
        cancel: &AtomicBool,
        force: bool,
        mut progress: impl FnMut(Progress),
    ) -> Result<Synced> {
        let mut total = Synced::default();
        let mut complete = live.complete;
        let mut at = Progress::default();
        // Directories seen for the first time are watched from now on, and looked at once more for
        // what happened before.
        for round in 0..4 {
            let tracked = self.tracked();
            let suspects = self.take_suspects(&tracked);
            let all = suspects == Suspects::All;
            if suspects == Suspects::Paths(FxHashSet::default()) {
                break;
            }
            let before = at;
            let mut told = |now| {
                at = before.and(now);
                progress(at);
            };
            let synced = match self.try_sync(
                live,
                &tracked.0,
                &suspects,
                deadline,
                cancel,
                force && round == 0,
                &mut told,
            ) {
                Ok(synced) => synced,
                Err(error) => {
                    // Nothing of what was suspected is known to be in step.
                    *self.suspects.lock() = Suspects::All;
                    return Err(error);
                }
            };
            complete |= all && synced.remaining.is_empty();
            total.changed += synced.changed;
            total.counts.read += synced.counts.read;
            total.counts.extracted += synced.counts.extracted;
            total.remaining = synced.remaining.clone();
            let again = self.watch_directories(&synced.directories);
            if !matches!(*self.watch.lock(), Watching::On(_)) {
                break;
            }
            let mut rest = self.suspects.lock();
            *rest = match again {
                Some(again) if all && !again.is_empty() => Suspects::All,
                Some(again) => Suspects::Paths(again.into_iter().chain(synced.remaining).collect()),
                None => Suspects::All,
            };
            if !total.remaining.is_empty() {
                break;
            }
        }
        live.complete = complete;
        // Not only after a first index of our own: another process may have made it, so that
        // nothing is left to change.
        let first = complete && !self.is_indexed();
        let head = self.head();
        if first
            || total.changed > 0
            || !matches!(&self.live().source, Source::Live { head: former } if *former == head)
        {
            self.store
                .mark_synced(live.number, head.commit.as_ref().map(|id| id.as_bytes()))?;
            self.publish_synced(live, head);
        }
        Ok(total)
    }

    #[allow(clippy::too_many_arguments)] // One call, from just above.
    fn try_sync(
        &self,
        live: &mut LiveTree,
        tracked: &Tracked,
        suspects: &Suspects,
        deadline: Option<Instant>,
        cancel: &AtomicBool,
        force: bool,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Synced> {
        let root = Root::open(&self.root).map_err(|source| Error::NotADirectory {
            path: self.root.clone(),
            source,
        })?;
        let around = Surroundings {
            store: &self.store,
            repository: self.repository.as_deref(),
            root: &root,
            hasher: self.corpus.hasher,
            limits: &self.options.limits,
            extractors: &self.extractors,
            tracked,
            common_git_directory: self.common_git_directory.as_deref(),
            cancel,
            force,
        };
        /// A growing index is shown as often as that takes a small share of the time.
        const PAUSES: u32 = 30;
        let (mut shown, mut cost) = (Instant::now(), Duration::ZERO);
        live.sync(&around, suspects, deadline, |tree, at| {
            // Before the first index is whole, readers see what there is of it.
            if !tree.complete && at.done > 0 && shown.elapsed() >= PAUSES * cost {
                let started = Instant::now();
                self.publish(tree, self.head());
                (shown, cost) = (Instant::now(), started.elapsed());
            }
            progress(at);
        })
    }

    /// Makes the tree what readers see.
    pub(crate) fn publish(&self, live: &LiveTree, head: Head) {
        let snapshot = self.snapshot_of(live.snapshot_files());
        self.publish_view(
            SnapshotView::new(snapshot, Source::Live { head }, live.skipped().into()),
            live.complete,
        );
    }

    /// The same after a sync; where only contents changed, what it costs depends on how many.
    fn publish_synced(&self, live: &mut LiveTree, head: Head) {
        let former = self.live();
        let edits = match &live.since {
            Since::Edited(paths) => paths
                .iter()
                .map(|path| edit(&former.snapshot, live, path))
                .collect::<Option<Vec<_>>>(),
            Since::Anything => None,
        };
        live.since = Since::Edited(Vec::new());
        match edits {
            Some(edits) => {
                self.publish_view(former.edited(&edits, Source::Live { head }), live.complete)
            }
            None => self.publish(live, head),
        }
    }

    fn publish_view(&self, view: SnapshotView, complete: bool) {
        self.corpus.set_live(&view.snapshot);
        self.published.store(Arc::new(Published {
            view: self.hand_out(view),
            complete,
        }));
    }

    /// A view of stored files.
    pub(crate) fn view_of(
        &self,
        files: Vec<File>,
        source: Source,
        skipped: Vec<store::Skipped>,
    ) -> SnapshotView {
        SnapshotView::new(self.snapshot_of(files), source, skipped.into())
    }

    fn snapshot_of(&self, files: Vec<File>) -> Snapshot {
        let projects = self.projects.clone();
        let read = move |snapshot: &Snapshot| {
            let files: Vec<File> = snapshot.files().map(|(_, file)| file.clone()).collect();
            projects.read(&files, snapshot.corpus())
        };
        Snapshot::with_project_read_later(self.corpus.clone(), files, Arc::new(read))
    }

    fn recent_commit(&self, id: ContentId) -> Option<Arc<SnapshotView>> {
        let mut commits = self.commits.lock();
        let i = commits.iter().position(|view| view.commit() == Some(id))?;
        let view = commits.remove(i);
        commits.push(view.clone());
        Some(view)
    }

    fn keep_commit(&self, id: ContentId, stored: StoredSnapshot) -> Arc<SnapshotView> {
        /// Commits in memory; a comparison needs two, a session rarely more than a few.
        const KEPT: usize = 6;
        let StoredSnapshot { files, skipped } = stored;
        let files = files.into_iter().map(|file| File {
            path: RepoPath::new(&file.path),
            content: engine_number(file.content),
            language: file.language,
        });
        let view = self.hand_out(self.view_of(files.collect(), Source::Commit { id }, skipped));
        let mut commits = self.commits.lock();
        commits.retain(|view| view.commit() != Some(id));
        commits.push(view.clone());
        if commits.len() > KEPT {
            commits.remove(0);
        }
        view
    }

    fn bare_live(&self) -> Result<Arc<SnapshotView>> {
        match self.commit("HEAD") {
            Ok(id) => self.at_commit(id),
            Err(Error::UnknownRef { .. }) => Ok(self.live()),
            Err(error) => Err(error),
        }
    }

    /// Starts the first index, waits as long as allowed, and answers from what there is.
    fn first_answer(&self, deadline: Instant) -> Result<(Arc<SnapshotView>, Freshness)> {
        loop {
            let job = match self.jobs().start_index(None, false) {
                Ok(job) | Err(Error::InProgress { job }) => job,
                Err(error) => return Err(error),
            };
            let ended = self.jobs().wait(&job, deadline);
            if self.is_indexed() {
                return Ok((self.live(), Freshness::fresh()));
            }
            let failed = self
                .jobs()
                .get(&job)?
                .is_some_and(|job| matches!(job.state, JobState::Failed | JobState::Cancelled));
            if failed {
                return Ok((
                    self.live(),
                    Freshness {
                        status: FreshnessStatus::Absent,
                        remaining_files: 0,
                        job: Some(job),
                    },
                ));
            }
            // Another process's job has ended: what it left is taken over, which reads next to
            // nothing.
            if !ended || Instant::now() >= deadline {
                return Ok((
                    self.live(),
                    Freshness {
                        status: FreshnessStatus::Indexing,
                        remaining_files: 0,
                        job: Some(job),
                    },
                ));
            }
        }
    }

    /// Has the facts of a former version made again, which is one process's work however many have
    /// the index open. `None` if it is done, or if it failed: then each takes in what it can.
    fn renew(&self, deadline: Instant) -> Result<Option<(Arc<SnapshotView>, Freshness)>> {
        loop {
            let job = match self.jobs().start_sync(None, false) {
                Ok(job) | Err(Error::InProgress { job }) => job,
                Err(error) => {
                    tracing::warn!(%error, "facts of a former version serve on");
                    return Ok(None);
                }
            };
            let ended = self.jobs().wait(&job, deadline);
            let has_failed = self
                .jobs()
                .get(&job)?
                .is_some_and(|job| matches!(job.state, JobState::Failed | JobState::Cancelled));
            if self.outdated_files() <= FEW || has_failed {
                return Ok(None);
            }
            // Another process's job has ended: what it made is taken over, which reads next to
            // nothing.
            if !ended || Instant::now() >= deadline {
                return Ok(Some((
                    self.live(),
                    self.unfinished(FreshnessStatus::Syncing, self.outdated_files() as u64),
                )));
            }
        }
    }

    fn unfinished(&self, status: FreshnessStatus, remaining_files: u64) -> Freshness {
        let job = self.jobs().running().map(|job| job.id);
        let status = match status {
            FreshnessStatus::Stale if job.is_some() => FreshnessStatus::Syncing,
            FreshnessStatus::Syncing if job.is_none() && remaining_files > 0 => {
                FreshnessStatus::Stale
            }
            status => status,
        };
        Freshness {
            status,
            remaining_files,
            job,
        }
    }

    /// What git tracks here, read again when git's index changed; and what it tracked before, if
    /// that differs.
    fn tracked(&self) -> (Arc<Tracked>, Option<Retracked>) {
        let Some(repository) = &self.repository else {
            return Default::default();
        };
        let stat = |directory: &Path, name: &str| match Root::open(directory)
            .and_then(|directory| directory.stat(name))
        {
            Ok(Entry::File(stat)) => Some(stat),
            _ => None,
        };
        let index = stat(&repository.git_directory(), "index");
        let exclude = self
            .common_git_directory
            .as_deref()
            .and_then(|directory| stat(directory, "info/exclude"));
        let mut cached = self.tracked.lock();
        let former = match &*cached {
            Some((known, tracked)) if *known == (index, exclude) => return (tracked.clone(), None),
            Some((known, tracked)) => Some((known.1 != exclude, tracked.clone())),
            None => None,
        };
        let tracked = Arc::new(
            index
                .map(|_| repository.local().tracked())
                .unwrap_or_default(),
        );
        *cached = Some(((index, exclude), tracked.clone()));
        let retracked = former.map(|(rules_changed, former)| match rules_changed {
            true => Retracked::Rules,
            false => Retracked::Paths(
                former
                    .files
                    .symmetric_difference(&tracked.files)
                    .map(|path| path.to_string())
                    .collect(),
            ),
        });
        (tracked, retracked)
    }

    /// What must be looked at before the next answer.
    fn take_suspects(&self, tracked: &(Arc<Tracked>, Option<Retracked>)) -> Suspects {
        let Watching::On(watch) = &mut *self.watch.lock() else {
            return Suspects::All;
        };
        let seen = watch.suspects();
        let rest = std::mem::replace(
            &mut *self.suspects.lock(),
            Suspects::Paths(FxHashSet::default()),
        );
        match (seen, rest, &tracked.1) {
            (Suspects::Paths(seen), Suspects::Paths(rest), None) => {
                Suspects::Paths(seen.into_iter().chain(rest).collect())
            }
            (Suspects::Paths(seen), Suspects::Paths(rest), Some(Retracked::Paths(paths))) => {
                Suspects::Paths(
                    seen.into_iter()
                        .chain(rest)
                        .chain(paths.iter().cloned())
                        .collect(),
                )
            }
            _ => Suspects::All,
        }
    }

    /// Watches directories that were listed. Returns those that were not watched before; `None` if
    /// they cannot be watched.
    fn watch_directories(&self, directories: &[String]) -> Option<Vec<String>> {
        let mut watching = self.watch.lock();
        if matches!(*watching, Watching::Soon) {
            *watching = match Watch::start(&self.root, self.cookie_directory()) {
                Some(watch) => Watching::On(Box::new(watch)),
                None => Watching::Never,
            };
        }
        let Watching::On(watch) = &mut *watching else {
            return None;
        };
        match watch.add(directories) {
            Ok(added) => Some(added),
            Err(error) => {
                tracing::warn!(%error, root = %self.root.display(), "the working tree cannot be watched; it is looked at before each answer");
                *watching = Watching::Never;
                None
            }
        }
    }

    /// A directory of our own, outside every repository.
    fn cookie_directory(&self) -> PathBuf {
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

    /// Remembers that someone may hold this view.
    pub(crate) fn hand_out(&self, view: SnapshotView) -> Arc<SnapshotView> {
        let view = Arc::new(view);
        let mut views = self.views.lock();
        views.retain(|view| view.strong_count() > 0);
        views.push(Arc::downgrade(&view));
        view
    }
}

/// The root of what a directory belongs to, and the repository if it is one.
fn discover(directory: &Path) -> Result<(PathBuf, Option<Repository>)> {
    let not_a_directory = |source| Error::NotADirectory {
        path: directory.to_path_buf(),
        source,
    };
    let real = directory.canonicalize().map_err(not_a_directory)?;
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

/// What an edit changes in a snapshot; `None` if that takes a new one: the project model may depend
/// on it.
fn edit(
    former: &Snapshot,
    live: &LiveTree,
    path: &RepoPath,
) -> Option<(FileId, engine::ContentNumber, LanguageId)> {
    let (content, language) = live.content(path)?;
    let is_plain = !crate::project::is_manifest(path.file_name());
    is_plain.then_some((former.find(path.as_str())?, content, language))
}

/// What a store knows of a working tree.
fn load(store: Store, root: &str) -> Result<(Store, LiveTree, FxHashSet<store::ContentNumber>)> {
    let mut live = LiveTree::load(&store, &store.worktree(root)?)?;
    let outdated = extraction::outdated(&store)?;
    live.distrust(&outdated);
    Ok((store, live, outdated))
}

/// How what git tracks changed.
enum Retracked {
    Paths(Vec<String>),
    /// The ignore rules changed too: anything may count now.
    Rules,
}
