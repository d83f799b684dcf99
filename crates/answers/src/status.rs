//! How the index of a workspace is. Nothing here starts a job: asking how it is must not change it.

use std::{sync::Arc, time::Duration};

use workspace::{
    FreshnessStatus, IndexFigures, JobState, Meaning, Origin, Result, SnapshotView, Workspace,
};

pub struct IndexHealth {
    pub state: IndexState,
    pub freshness: FreshnessStatus,
    pub meaning: Meaning,
    /// What was asked about; the working tree as far as it is indexed, where that is not indexed.
    pub view: Arc<SnapshotView>,
    pub status: IndexFigures,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    Ready,
    Indexing,
    Failed,
    NotIndexed,
}

impl IndexState {
    pub fn as_str(self) -> &'static str {
        match self {
            IndexState::Ready => "ready",
            IndexState::Indexing => "indexing",
            IndexState::Failed => "failed",
            IndexState::NotIndexed => "not_indexed",
        }
    }
}

/// The index of what a `ref` means: none is the working tree.
pub fn index_report(workspace: &Workspace, name: Option<&str>) -> Result<IndexHealth> {
    let meaning = match workspace.meaning(name) {
        // A bare repository before its first commit is an empty one.
        Err(_) if name.is_none() => Meaning::Live,
        meaning => meaning?,
    };
    // First, since it takes over what another process has indexed.
    let live = (meaning == Meaning::Live).then(|| freshness_now(workspace));
    let (view, is_indexed) = match meaning {
        Meaning::Live => (workspace.live(), workspace.is_indexed()),
        Meaning::Commit(id) => match workspace.indexed_commit(id)? {
            Some(view) => (view, true),
            None => (workspace.live(), false),
        },
    };
    let state = match is_indexed {
        true => IndexState::Ready,
        false if workspace.jobs().running().is_some() => IndexState::Indexing,
        false if last_failure(workspace).is_some() => IndexState::Failed,
        false => IndexState::NotIndexed,
    };
    // A commit does not change.
    let freshness = live.unwrap_or(match state {
        IndexState::Ready => FreshnessStatus::Fresh,
        IndexState::Indexing => FreshnessStatus::Indexing,
        IndexState::Failed | IndexState::NotIndexed => FreshnessStatus::Absent,
    });
    Ok(IndexHealth {
        status: workspace.status(&view)?,
        state,
        freshness,
        meaning,
        view,
    })
}

/// How fresh an answer about the working tree would be now.
pub fn freshness_now(workspace: &Workspace) -> FreshnessStatus {
    const WAIT: Duration = Duration::from_millis(150);
    // What cannot be compared with the disk is not called fresh.
    let compared = || {
        let compared = workspace.fresh_live(WAIT);
        compared.map_or(FreshnessStatus::Stale, |(_, freshness)| freshness.status)
    };
    match (
        workspace.is_indexed() || workspace.is_bare(),
        workspace.jobs().running().is_some(),
    ) {
        (true, true) => FreshnessStatus::Syncing,
        // Facts of a former version serve until someone asks about code.
        (true, false) if workspace.outdated_files() > 0 => FreshnessStatus::Stale,
        (true, false) => compared(),
        (false, true) => FreshnessStatus::Indexing,
        // Another process has indexed since this one looked: taking that over reads next to
        // nothing.
        (false, false) if workspace.is_indexed_elsewhere() => compared(),
        (false, false) => FreshnessStatus::Absent,
    }
}

/// Why the last job failed, if it did.
pub fn last_failure(workspace: &Workspace) -> Option<String> {
    let jobs = workspace.jobs().recent(10).ok()?;
    let mut ended = jobs
        .into_iter()
        .filter(|job| job.state != JobState::Running);
    let last = ended.next().filter(|job| job.state == JobState::Failed)?;
    let error = last.error.map(|error| error.message);
    Some(error.unwrap_or_else(|| "unknown cause".to_owned()))
}

/// How a workspace is, for health checks.
pub struct WorkspaceHealth {
    pub state: IndexState,
    pub freshness: FreshnessStatus,
    /// Nothing where it cannot be read.
    pub status: Option<IndexFigures>,
    /// Why the last index failed, unless one runs.
    pub last_error: Option<String>,
}

/// The working tree; of a published repository its default ref.
fn shown_view(workspace: &Workspace) -> Arc<SnapshotView> {
    let published = || Some(workspace.at_ref(None, Duration::ZERO).ok()?.0);
    let published = workspace.is_published().then(published).flatten();
    published.unwrap_or_else(|| workspace.live())
}

/// A workspace that is not indexed is ready: the first question indexes it.
pub fn health(workspace: &Workspace) -> WorkspaceHealth {
    let freshness = freshness_now(workspace);
    let is_running = workspace.jobs().running().is_some();
    let last_error = last_failure(workspace).filter(|_| !is_running);
    let is_indexed = workspace.is_indexed() || workspace.is_bare();
    let state = match (&last_error, is_indexed, is_running) {
        (Some(_), ..) => IndexState::Failed,
        (None, false, true) => IndexState::Indexing,
        _ => IndexState::Ready,
    };
    WorkspaceHealth {
        state,
        freshness,
        status: workspace.status(&shown_view(workspace)).ok(),
        last_error,
    }
}

/// Why an index was begun anew, or is kept in memory.
pub fn origin_reason(origin: &Origin) -> Option<&str> {
    match origin {
        Origin::Rebuilt { reason, .. } | Origin::Memory { reason } => Some(reason),
        _ => None,
    }
}
