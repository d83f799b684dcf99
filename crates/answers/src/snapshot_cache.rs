//! What has been worked out about recent snapshots, kept between calls.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use engine::{
    Analysis, Bounded, ReadFailures, Snapshot, SymbolId, Unreadable,
    query::{
        architecture::Architecture,
        search::{Lexicon, PathWords},
    },
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use workspace::{SnapshotView, Source, Workspace};

use crate::{handle::SharedIds, occurrences::TextOccurrences, rankings::Rankings, survey::Survey};

/// The caches of the snapshots that were asked about last, the most recent one at the end.
#[derive(Default)]
pub(crate) struct SnapshotCaches(Mutex<Vec<KeptCache>>);

/// What lives as long as the snapshot it was worked out from. Everything but the analysis is made
/// when it is first asked for.
pub(crate) struct SnapshotCache {
    pub analysis: Arc<Analysis>,
    /// What an edit changes little.
    pub incremental: Incremental,
    /// The incremental part of the snapshot before, from which this one's is made.
    pub previous: Option<(Arc<Snapshot>, Incremental)>,
    /// The names like one that was asked for last, where the tree is not indexed.
    pub near: Mutex<Option<(String, Arc<Lexicon>)>>,
    pub survey: OnceLock<Survey>,
    pub architecture: OnceLock<Architecture>,
    pub shared_ids: SharedIds,
    /// The symbols that a handle named, by its text: of a common name every file that defines it
    /// must be looked into.
    pub handles: Mutex<Bounded<String, Arc<[SymbolId]>, 20_000>>,
    /// The symbols that a text meant to the CodeMap contract, which takes the parts of one symbol
    /// for one.
    pub ids: Mutex<Bounded<String, Arc<[SymbolId]>, 20_000>>,
    pub rankings: Rankings,
    /// Where a name occurs outside of understood code, by name.
    pub occurrences: Mutex<Bounded<String, TextOccurrences, 4_000>>,
}

/// The names, paths and sizes of a snapshot.
#[derive(Clone, Default)]
pub(crate) struct Incremental {
    /// With whether the table of names could be read.
    pub lexicon: OnceLock<(Arc<Lexicon>, Result<(), Unreadable>)>,
    pub paths: OnceLock<Arc<PathWords>>,
    pub sizes: OnceLock<Arc<FxHashMap<u32, u32>>>,
}

impl SnapshotCache {
    fn new(
        snapshot: Arc<Snapshot>,
        previous: Option<(Arc<Snapshot>, Incremental)>,
    ) -> SnapshotCache {
        SnapshotCache {
            analysis: Arc::new(Analysis::new(snapshot)),
            incremental: Incremental::default(),
            previous,
            near: Mutex::default(),
            survey: OnceLock::new(),
            architecture: OnceLock::new(),
            shared_ids: SharedIds::default(),
            handles: Mutex::default(),
            ids: Mutex::default(),
            rankings: Rankings::default(),
            occurrences: Mutex::default(),
        }
    }

    /// What the next snapshot can be made from.
    fn as_previous(&self) -> Option<(Arc<Snapshot>, Incremental)> {
        match self.incremental.lexicon.get() {
            Some(_) => Some((self.analysis.snapshot().clone(), self.incremental.clone())),
            None => self.previous.clone(),
        }
    }
}

struct KeptCache {
    cache: Arc<SnapshotCache>,
    root: PathBuf,
    overlay: Option<OverlayKey>,
    numbering: usize,
    /// What the corpus could not read before.
    n_failures: u64,
}

/// Overlays are put together anew for each request; equal keys mean equal files.
#[derive(Clone, PartialEq, Eq)]
struct OverlayKey {
    root: PathBuf,
    source: Source,
}

/// A client works on one or two snapshots at a time; each analysis holds views of up to some
/// thousand files.
const KEPT: usize = 4;

impl SnapshotCaches {
    /// The cache of a view's snapshot. Its own snapshot is the one to ask: for an overlay it may be
    /// an equal one.
    pub fn of(&self, workspace: &Workspace, view: &SnapshotView) -> Arc<SnapshotCache> {
        let overlay = matches!(view.source, Source::Overlay { .. }).then(|| OverlayKey {
            root: workspace.root().to_path_buf(),
            source: view.source.clone(),
        });
        let failures = view.snapshot.corpus().failures();
        let n_failures = failures.map_or(0, ReadFailures::count);
        let mut kept = self.0.lock();
        let same = |kept: &KeptCache| {
            Arc::ptr_eq(kept.cache.analysis.snapshot(), &view.snapshot)
                || overlay.is_some() && kept.overlay == overlay
        };
        let found = kept.iter().position(same).map(|i| kept.remove(i));
        let mut previous = None;
        if let Some(found) = found {
            let cache = found.cache.clone();
            if found.n_failures == n_failures {
                kept.push(found);
                return cache;
            }
            // Something could not be read since, and may be missing in what was worked out.
            previous = cache.as_previous();
        }
        let is_kin =
            |kept: &&KeptCache| kept.root == workspace.root() && kept.numbering == numbering(view);
        let mut kin = kept.iter().rev().filter(is_kin);
        let previous = previous.or_else(|| kin.find_map(|kept| kept.cache.as_previous()));
        let cache = Arc::new(SnapshotCache::new(view.snapshot.clone(), previous));
        // Unsaved files last for one request.
        if !matches!(view.source, Source::Virtual { .. }) {
            kept.push(KeptCache {
                cache: cache.clone(),
                root: workspace.root().to_path_buf(),
                overlay,
                numbering: numbering(view),
                n_failures,
            });
            if kept.len() > KEPT {
                kept.remove(0);
            }
        }
        cache
    }
}

/// Whose content numbers a view has: the workspace's, or those of a published commit.
fn numbering(view: &SnapshotView) -> usize {
    view.published()
        .map_or(0, |published| std::ptr::from_ref(published).addr())
}
