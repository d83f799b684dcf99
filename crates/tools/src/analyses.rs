//! What has been worked out about recent snapshots, kept between calls.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use engine::{
    Analysis, Bounded, Snapshot, SymbolId,
    query::search::{Lexicon, PathWords},
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use workspace::{SnapshotView, Source, Workspace};

/// The analyses of the snapshots that were asked about last, the most recent one at the end.
#[derive(Default)]
pub struct Analyses(Mutex<Vec<Kept>>);

/// What lives as long as the snapshot it was worked out from.
pub struct Known {
    pub analysis: Arc<Analysis>,
    /// What an edit changes little.
    pub(crate) lasting: Lasting,
    /// The same of the snapshot before, to make it from.
    pub(crate) former: Option<(Arc<Snapshot>, Lasting)>,
    pub(crate) survey: OnceLock<crate::codemap::Survey>,
    pub(crate) architecture: OnceLock<engine::query::architecture::Architecture>,
    pub(crate) shared_ids: crate::codemap::SharedIds,
    /// What handles and ids meant: of a common name every file that defines it must be looked into.
    pub(crate) handles: Mutex<Bounded<String, Arc<[SymbolId]>, 20_000>>,
    pub(crate) ids: Mutex<Bounded<String, Arc<[SymbolId]>, 20_000>>,
    pub(crate) rankings: crate::codemap::Rankings,
    /// What texts tell of names that nothing in code means, by name.
    pub(crate) absences: Mutex<Bounded<String, crate::absence::Absence, 4_000>>,
}

/// The names, paths and sizes of a snapshot, each made when it is first asked for.
#[derive(Clone, Default)]
pub struct Lasting {
    pub(crate) lexicon: OnceLock<Arc<Lexicon>>,
    pub(crate) paths: OnceLock<Arc<PathWords>>,
    pub(crate) sizes: OnceLock<Arc<FxHashMap<u32, u32>>>,
}

impl Known {
    /// What the next snapshot can be made from.
    fn as_former(&self) -> Option<(Arc<Snapshot>, Lasting)> {
        match self.lasting.lexicon.get() {
            Some(_) => Some((self.analysis.snapshot().clone(), self.lasting.clone())),
            None => self.former.clone(),
        }
    }
}

struct Kept {
    known: Arc<Known>,
    root: PathBuf,
    overlay: Option<OverlayKey>,
}

/// Overlays are put together anew for each request; equal keys mean equal files.
#[derive(Clone, PartialEq, Eq)]
struct OverlayKey {
    root: PathBuf,
    source: Source,
}

/// A session works on one or two snapshots at a time; each analysis holds views of up to some
/// thousand files.
const KEPT: usize = 4;

impl Analyses {
    /// The analysis of a view's snapshot. Its own snapshot is the one to ask: for an overlay it may
    /// be an equal one.
    pub fn of(&self, workspace: &Workspace, view: &SnapshotView) -> Arc<Known> {
        let overlay = matches!(view.source, Source::Overlay { .. }).then(|| OverlayKey {
            root: workspace.root().to_path_buf(),
            source: view.source.clone(),
        });
        let mut kept = self.0.lock();
        let same = |kept: &Kept| {
            Arc::ptr_eq(kept.known.analysis.snapshot(), &view.snapshot)
                || overlay.is_some() && kept.overlay == overlay
        };
        if let Some(i) = kept.iter().position(same) {
            let found = kept.remove(i);
            let known = found.known.clone();
            kept.push(found);
            return known;
        }
        let analysis = Arc::new(Analysis::new(view.snapshot.clone()));
        let known = Arc::new(Known {
            analysis,
            lasting: Lasting::default(),
            former: kept
                .iter()
                .rev()
                .filter(|kept| kept.root == workspace.root())
                .find_map(|kept| kept.known.as_former()),
            survey: OnceLock::new(),
            architecture: OnceLock::new(),
            shared_ids: crate::codemap::SharedIds::default(),
            handles: Mutex::default(),
            ids: Mutex::default(),
            rankings: crate::codemap::Rankings::default(),
            absences: Mutex::default(),
        });
        // Unsaved files last for one request.
        if !matches!(view.source, Source::Virtual { .. }) {
            kept.push(Kept {
                known: known.clone(),
                root: workspace.root().to_path_buf(),
                overlay,
            });
            if kept.len() > KEPT {
                kept.remove(0);
            }
        }
        known
    }
}
