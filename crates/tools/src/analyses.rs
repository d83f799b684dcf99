//! What has been worked out about recent snapshots, kept between calls.

use std::{path::PathBuf, sync::Arc};

use engine::Analysis;
use parking_lot::Mutex;
use workspace::{SnapshotView, Source, Workspace};

/// The analyses of the snapshots that were asked about last, the most recent one at the end.
#[derive(Default)]
pub struct Analyses(Mutex<Vec<Kept>>);

struct Kept {
    analysis: Arc<Analysis>,
    overlay: Option<OverlayKey>,
}

/// Overlays are put together anew for each request; equal keys mean equal files.
#[derive(Clone, PartialEq, Eq)]
struct OverlayKey {
    root: PathBuf,
    source: Source,
}

/// A session works on one or two snapshots at a time; each analysis holds views of up to some thousand files.
const KEPT: usize = 6;

impl Analyses {
    /// The analysis of a view's snapshot. Its own snapshot is the one to ask: for an overlay it may be an equal one.
    pub fn of(&self, workspace: &Workspace, view: &SnapshotView) -> Arc<Analysis> {
        let overlay = matches!(view.source, Source::Overlay { .. })
            .then(|| OverlayKey { root: workspace.root().to_path_buf(), source: view.source.clone() });
        let mut kept = self.0.lock();
        let same = |kept: &Kept| Arc::ptr_eq(kept.analysis.snapshot(), &view.snapshot) || overlay.is_some() && kept.overlay == overlay;
        if let Some(i) = kept.iter().position(same) {
            let found = kept.remove(i);
            let analysis = found.analysis.clone();
            kept.push(found);
            return analysis;
        }
        let analysis = Arc::new(Analysis::new(view.snapshot.clone()));
        // Unsaved files last for one request.
        if !matches!(view.source, Source::Virtual { .. }) {
            kept.push(Kept { analysis: analysis.clone(), overlay });
            if kept.len() > KEPT {
                kept.remove(0);
            }
        }
        analysis
    }
}
