//! The working tree: synced with the disk when a request asks, watched in between, published as a
//! view that readers take without waiting.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use engine::{FileId, Snapshot};
use facts::{ContentNumber, LanguageId, RepoPath};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use store::{Stat, Store};

use crate::{
    Error, IndexSummary, Result,
    base::WorkspaceBase,
    extraction,
    ingest::IngestContext,
    live::{DirtyPaths, IndexProgress, LiveTree, Synced, TreeDelta},
    platform::{PathEntry, Root, Watch},
    repository::{Head, Tracked},
    text::{FEW, TextSearch},
    view::{SnapshotView, Source},
    walk::{DiskTree, Walked},
};

pub(crate) struct WorkingTree {
    base: Arc<WorkspaceBase>,
    text: Arc<TextSearch>,
    /// Locked during a sync; readers take `published`.
    live: Mutex<LiveTree>,
    published: ArcSwap<PublishedView>,
    /// Paths that are known to be dirty, besides what the watcher tells.
    dirty: Mutex<DirtyPaths>,
    watch: Mutex<Watching>,
    tracked: Mutex<Option<(GitState, Arc<Tracked>)>>,
    /// Contents whose facts a former version of their extractor made, as it was when the index was
    /// opened.
    outdated: FxHashSet<ContentNumber>,
    /// No file has such a content any more, which stays so: what is read now is extracted as of now.
    is_renewed: AtomicBool,
}

enum Watching {
    /// Not asked for, or not possible: every answer walks the whole tree.
    Never,
    /// Starts with the first sync.
    Soon,
    On(Box<Watch>),
}

/// What tells that git's index or its ignore rules changed.
type GitState = (Option<Stat>, Option<Stat>);

/// The working tree as readers see it.
struct PublishedView {
    view: Arc<SnapshotView>,
    /// Every file was indexed at least once.
    complete: bool,
}

/// What a store knows of a working tree.
pub(crate) struct Loaded {
    live: LiveTree,
    outdated: FxHashSet<ContentNumber>,
}

impl Loaded {
    pub fn read(store: &Store, root: &str) -> Result<Loaded> {
        let mut live = LiveTree::load(store, &store.worktree(root)?)?;
        let outdated = extraction::outdated(store)?;
        live.mark_outdated(&outdated);
        Ok(Loaded { live, outdated })
    }
}

impl WorkingTree {
    pub fn new(base: Arc<WorkspaceBase>, text: Arc<TextSearch>, loaded: Loaded) -> WorkingTree {
        let Loaded { mut live, outdated } = loaded;
        let head = Head::default();
        let empty = base.view(Vec::new(), Source::Live { head }, Vec::new());
        let published = PublishedView {
            view: base.hand_out(empty),
            complete: false,
        };
        let watch = match base.options.watch && !base.is_bare() {
            true => Watching::Soon,
            false => Watching::Never,
        };
        let is_known = !live.files.is_empty() || live.complete;
        live.delta = TreeDelta::Anything;
        let tree = WorkingTree {
            base,
            text,
            live: Mutex::new(live),
            published: ArcSwap::from_pointee(published),
            dirty: Mutex::default(),
            watch: Mutex::new(watch),
            tracked: Mutex::default(),
            outdated,
            is_renewed: AtomicBool::new(false),
        };
        if is_known {
            let mut live = tree.live.lock();
            tree.publish(&live, tree.base.head());
            live.delta = TreeDelta::Edited(Vec::new());
        }
        tree
    }

    /// The tree as it was last synced, without looking at the disk. Empty before anything is
    /// indexed.
    pub fn view(&self) -> Arc<SnapshotView> {
        self.published.load().view.clone()
    }

    /// Whether every file was indexed at least once.
    pub fn is_indexed(&self) -> bool {
        self.published.load().complete
    }

    /// Files that still serve with facts of a former version of their extractor. The next sync reads
    /// them again.
    pub fn outdated_files(&self) -> usize {
        if self.is_renewed.load(Ordering::Relaxed) {
            return 0;
        }
        let published = self.published.load();
        let snapshot = &published.view.snapshot;
        let n_files = |content: &ContentNumber| snapshot.files_of(*content).len();
        let n_files = self.outdated.iter().map(n_files).sum();
        if n_files == 0 && published.complete {
            self.is_renewed.store(true, Ordering::Relaxed);
        }
        n_files
    }

    /// Syncs until the deadline. Returns how many files are known to differ still; `None` if another
    /// thread held the tree for all that time.
    pub fn sync_until(&self, deadline: Instant) -> Result<Option<usize>> {
        let Some(mut live) = self.live.try_lock_until(deadline) else {
            return Ok(None);
        };
        let never = AtomicBool::new(false);
        let context = self.base.ingest(&never, false);
        let synced = self.sync(&mut live, context, Some(deadline), |_| ())?;
        Ok(Some(synced.remaining.len()))
    }

    /// Indexes everything that changed, and waits for it.
    pub fn index(
        &self,
        force: bool,
        cancel: &AtomicBool,
        mut progress: impl FnMut(IndexProgress),
    ) -> Result<IndexSummary> {
        let store = &self.base.store;
        // One process indexes at a time; a process that waited finds most of the work done.
        let claim = loop {
            if let Some(claim) = store.try_claim("indexing")? {
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
            *live = LiveTree::load(store, &store.worktree(&self.base.root_text)?)?;
            live.mark_outdated(&self.outdated);
        }
        let cache = store.enlarge_cache()?;
        // Asked for by name: nothing is taken to be known.
        *self.dirty.lock() = DirtyPaths::All;
        let published = self.base.published_facts();
        let context = IngestContext {
            source: Some(&published),
            ..self.base.ingest(cancel, force)
        };
        let synced = self.sync(&mut live, context, None, |at| {
            self.text.flush_while_indexing();
            progress(at);
        })?;
        if live.delta == TreeDelta::Anything {
            self.publish(&live, self.base.head());
            live.delta = TreeDelta::Edited(Vec::new());
        }
        drop(live);
        self.text.commit_pending(FEW);
        drop(cache);
        if synced.counts.extracted > FEW as u64 {
            store.checkpoint()?;
            self.base.release_memory()?;
        }
        drop(claim);
        Ok(IndexSummary::new(
            &self.view(),
            synced.changed,
            synced.counts,
        ))
    }

    /// Syncs the tree with the disk, and publishes what came of it.
    fn sync(
        &self,
        live: &mut LiveTree,
        context: IngestContext<'_>,
        deadline: Option<Instant>,
        mut progress: impl FnMut(IndexProgress),
    ) -> Result<Synced> {
        /// A growing index is shown as often as that takes a small share of the time.
        const PAUSES: u32 = 30;
        let (mut shown, mut cost) = (Instant::now(), Duration::ZERO);
        let mut total = Synced::default();
        let mut complete = live.complete;
        let mut at = IndexProgress::default();
        // Directories listed for the first time are watched from now on, and looked at once more for
        // what happened in them before.
        for round in 0..4 {
            let (tracked, dirty) = self.take_dirty();
            if dirty == DirtyPaths::NONE {
                break;
            }
            let root = self.base.open_root()?;
            let tree = self.disk(&root, &tracked);
            let context = IngestContext {
                worktree: Some(live.number),
                root: Some(&root),
                force: context.force && round == 0,
                ..context
            };
            let before = at;
            let synced = live.sync(&context, &tree, &dirty, deadline, |tree, now| {
                // Before the first index is whole, readers see what there is of it.
                if !tree.complete && now.done > 0 && shown.elapsed() >= PAUSES * cost {
                    let started = Instant::now();
                    self.publish(tree, self.base.head());
                    (shown, cost) = (Instant::now(), started.elapsed());
                }
                at = before.and(now);
                progress(at);
            });
            // After a failure nothing that was dirty is known to be synced.
            let synced = synced.inspect_err(|_| *self.dirty.lock() = DirtyPaths::All)?;
            complete |= dirty == DirtyPaths::All && synced.remaining.is_empty();
            total.changed += synced.changed;
            total.counts.read += synced.counts.read;
            total.counts.extracted += synced.counts.extracted;
            total.counts.pulled += synced.counts.pulled;
            total.remaining = synced.remaining;
            let Some(added) = self.watch_directories(&synced.directories) else {
                break;
            };
            let is_watched = added.is_empty();
            let remaining = total.remaining.iter().map(ToString::to_string);
            *self.dirty.lock() = match dirty {
                DirtyPaths::All if !is_watched => DirtyPaths::All,
                _ => added.into_iter().chain(remaining).collect(),
            };
            if is_watched || !total.remaining.is_empty() {
                break;
            }
        }
        live.complete = complete;
        // Not only after a first index of our own: another process may have made it, so that nothing
        // is left to change.
        let is_first = complete && !self.is_indexed();
        let head = self.base.head();
        let is_at =
            |source: &Source| matches!(source, Source::Live { head: former } if *former == head);
        if is_first || total.changed > 0 || !is_at(&self.view().source) {
            let commit = head.commit.as_ref().map(|id| id.as_bytes());
            self.base.store.mark_synced(live.number, commit)?;
            self.publish(live, head);
            live.delta = TreeDelta::Edited(Vec::new());
        }
        Ok(total)
    }

    fn disk<'a>(&'a self, root: &'a Root, tracked: &'a Tracked) -> DiskTree<'a> {
        DiskTree {
            root,
            tracked,
            common_git_directory: self.base.common_git_directory.as_deref(),
        }
    }

    /// Lists the disk, whatever is known of it.
    pub fn walk(&self, root: &Root) -> Result<Walked> {
        let (tracked, _) = self.tracked();
        let walked = self.disk(root, &tracked).walk();
        walked.map_err(|source| Error::NotADirectory {
            path: self.base.root.clone(),
            source,
        })
    }

    /// Makes the tree what readers see. Where only contents changed since the last time, the cost
    /// depends on how many.
    fn publish(&self, live: &LiveTree, head: Head) {
        let former = self.view();
        let edits = match &live.delta {
            TreeDelta::Edited(paths) => {
                let edits = paths.iter().map(|path| edit(&former.snapshot, live, path));
                edits.collect::<Option<Vec<_>>>()
            }
            TreeDelta::Anything => None,
        };
        let source = Source::Live { head };
        let view = match edits {
            Some(edits) => former.edited(&edits, source),
            None => self
                .base
                .view(live.snapshot_files(), source, live.skipped()),
        };
        self.base.corpus.set_live(&view.snapshot);
        self.published.store(Arc::new(PublishedView {
            view: self.base.hand_out(view),
            complete: live.complete,
        }));
    }

    /// What git tracks here, and what must be looked at before the next answer: what the watcher
    /// saw, what an earlier sync left, and what git began or ceased to track.
    fn take_dirty(&self) -> (Arc<Tracked>, DirtyPaths) {
        let (tracked, retracked) = self.tracked();
        let Watching::On(watch) = &mut *self.watch.lock() else {
            return (tracked, DirtyPaths::All);
        };
        let seen = watch.take_dirty();
        let rest = std::mem::replace(&mut *self.dirty.lock(), DirtyPaths::NONE);
        (tracked, seen.union(rest).union(retracked))
    }

    /// What git tracks here, read again when git's index changed; and the paths for which that
    /// makes a difference.
    fn tracked(&self) -> (Arc<Tracked>, DirtyPaths) {
        let Some(repository) = &self.base.repository else {
            return (Arc::default(), DirtyPaths::NONE);
        };
        let stat = |directory: &Path, name: &str| match Root::open(directory)
            .and_then(|directory| directory.stat(name))
        {
            Ok(PathEntry::File(stat)) => Some(stat),
            _ => None,
        };
        let index = stat(&repository.git_directory(), "index");
        let common = self.base.common_git_directory.as_deref();
        let exclude = common.and_then(|directory| stat(directory, "info/exclude"));
        let mut cached = self.tracked.lock();
        let former = match &*cached {
            Some((known, tracked)) if *known == (index, exclude) => {
                return (tracked.clone(), DirtyPaths::NONE);
            }
            former => former.clone(),
        };
        let tracked = match index {
            Some(_) => Arc::new(repository.local().tracked()),
            None => Arc::default(),
        };
        *cached = Some(((index, exclude), tracked.clone()));
        let dirty = match former {
            None => DirtyPaths::NONE,
            // The ignore rules changed too: anything may count now.
            Some(((_, former), _)) if former != exclude => DirtyPaths::All,
            Some((_, former)) => {
                let changed = former.files.symmetric_difference(&tracked.files);
                changed.map(ToString::to_string).collect()
            }
        };
        (tracked, dirty)
    }

    /// Watches directories that were listed. Returns those that were not watched before; `None` if
    /// the tree is not watched.
    fn watch_directories(&self, directories: &[String]) -> Option<Vec<String>> {
        let mut watching = self.watch.lock();
        if matches!(*watching, Watching::Soon) {
            *watching = match Watch::start(&self.base.root, self.base.cookie_directory()) {
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
                let root = self.base.root.display();
                tracing::warn!(%error, %root, "the working tree cannot be watched; it is walked before each answer");
                *watching = Watching::Never;
                None
            }
        }
    }
}

/// What an edit changes in a snapshot; `None` if that takes a new one: the project model may depend
/// on it.
fn edit(
    former: &Snapshot,
    live: &LiveTree,
    path: &RepoPath,
) -> Option<(FileId, ContentNumber, LanguageId)> {
    let (content, language) = live.files.get(path)?.state.content()?;
    let is_plain = !crate::project::is_manifest(path.file_name());
    is_plain.then_some((former.find(path.as_str())?, content, language))
}
