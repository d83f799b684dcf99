//! What every answer of this contract carries, and how a request finds its snapshot.

use std::time::{Duration, Instant};

use engine::Cut;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use workspace::{Freshness, FreshnessStatus, JobState, Meaning, Origin, Source, Workspace};

use super::{errors, jobs};
use crate::{Code, Context, Moment, ToolError};

/// Protocol v1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Metadata {
    pub codecompass_protocol_version: &'static str,
    pub freshness_status: &'static str,
    pub indexing_status: &'static str,
    pub result_completeness: &'static str,
    pub r#ref: String,
    pub schema_status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What a call asked about, for the metadata beside its error: every response has them.
pub struct Asked {
    workspace: Option<String>,
    r#ref: Option<String>,
}

impl Asked {
    pub fn of(arguments: &Value) -> Asked {
        let text = |field: &str| arguments[field].as_str();
        // No ref is longer; whatever else came is not sent back whole.
        let shown = |name: &str| name.chars().take(250).collect();
        Asked {
            workspace: text("workspace").map(str::to_owned),
            r#ref: text("ref").or_else(|| text("head_ref")).map(shown),
        }
    }

    /// The error, with how the workspace is: whether a symbol is missing, or only not indexed yet.
    pub fn with_metadata(&self, context: &Context, error: ToolError) -> ToolError {
        if error.metadata.is_some() {
            return error;
        }
        let error = errors::with_remedy(error);
        // Who refuses because of what is not taken in does not take it in now.
        let known = (error.code == Code::Own("index_stale")).then_some(FreshnessStatus::Stale);
        let mut metadata = self.metadata(context, known);
        if error.code == Code::Own("index_incompatible") {
            (
                metadata.freshness_status,
                metadata.indexing_status,
                metadata.result_completeness,
            ) = ("stale", "failed", "partial");
            metadata.schema_status = "reindex_required";
        }
        match serde_json::to_value(metadata) {
            Ok(metadata) => error.with_metadata(metadata),
            Err(_) => error,
        }
    }

    fn metadata(&self, context: &Context, known: Option<FreshnessStatus>) -> Metadata {
        let workspaces = context.host.workspaces();
        // Nothing is opened for the sake of an error.
        let opened = workspaces.opened();
        let workspace = match &self.workspace {
            None => workspaces
                .registered()
                .first()
                .and_then(|root| opened.iter().find(|workspace| workspace.root() == root)),
            Some(named) => {
                let real = std::path::Path::new(named).canonicalize().ok();
                real.and_then(|real| {
                    opened
                        .iter()
                        .filter(|workspace| real.starts_with(workspace.root()))
                        .max_by_key(|workspace| workspace.root().as_os_str().len())
                })
            }
        };
        let branch = workspace.and_then(|workspace| workspace.head().branch);
        let reference = self
            .r#ref
            .clone()
            .or(branch)
            .unwrap_or_else(|| "live".to_owned());
        let now = || {
            workspace.map_or(FreshnessStatus::Absent, |workspace| {
                freshness_now(workspace)
            })
        };
        let status = known.unwrap_or_else(now);
        match workspace {
            Some(workspace) => Metadata::about(workspace, status, reference),
            None => Metadata::plain(status, reference, "not_indexed"),
        }
    }
}

/// The metadata of an error that was met before anything was known of its call.
pub fn unknown_metadata() -> Value {
    serde_json::to_value(Metadata::plain(
        FreshnessStatus::Absent,
        "live".to_owned(),
        "not_indexed",
    ))
    .unwrap_or_default()
}

/// What to do when files changed that could not be taken in before answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreshnessPolicy {
    /// Refuse.
    Strict,
    /// Answer, and take them in meanwhile.
    #[default]
    Balanced,
    /// Answer.
    BestEffort,
}

/// A request's snapshot with the metadata of its answer.
pub struct Opened {
    pub moment: Moment,
    pub metadata: Metadata,
}

/// Before answering, changed files are taken in for so long.
const WAIT: Duration = Duration::from_millis(150);
/// Who insists on a fresh answer waits longer, and so does who finds nothing indexed at all.
const PATIENCE: Duration = Duration::from_secs(2);

/// The snapshot that a request means.
pub fn open(
    context: &Context,
    workspace: Option<&str>,
    name: Option<&str>,
    policy: FreshnessPolicy,
) -> Result<Opened, ToolError> {
    let workspace = context.workspace(workspace).map_err(errors::unserved)?;
    if let Some(name) = name {
        check_ref(name)?;
    }
    let meaning = match workspace.meaning(name) {
        // A bare repository before its first commit is an empty one.
        Err(_) if name.is_none() => Meaning::Live,
        meaning => meaning.map_err(errors::failed)?,
    };
    let (view, freshness) = match meaning {
        Meaning::Live => live(context, &workspace, policy)?,
        Meaning::Commit(id) => (commit(context, &workspace, id, name)?, fresh()),
    };
    let reference = effective_ref(&workspace, &view.source, name);
    let moment = context.moment(workspace, view, freshness);
    act_on(&moment, policy)?;
    let metadata = Metadata::new(&moment, reference);
    Ok(Opened { moment, metadata })
}

/// The snapshot of what a name means as a commit, for `base_ref` and `head_ref`: there the
/// checked-out branch means its commit, and only `live` the working tree.
pub fn open_commit(
    context: &Context,
    workspace: Option<&str>,
    name: &str,
) -> Result<Opened, ToolError> {
    if name == "live" {
        return open(context, workspace, Some("live"), FreshnessPolicy::Balanced);
    }
    check_ref(name)?;
    let workspace = context.workspace(workspace).map_err(errors::unserved)?;
    let id = workspace.commit(name).map_err(errors::failed)?;
    let view = commit(context, &workspace, id, Some(name))?;
    let moment = context.moment(workspace, view, fresh());
    let metadata = Metadata::new(&moment, name.to_owned());
    Ok(Opened { moment, metadata })
}

/// Names that git would read as something else.
fn check_ref(name: &str) -> Result<(), ToolError> {
    let is_odd = name.trim().is_empty()
        || name.starts_with('-')
        || name.len() > 1000
        || name.chars().any(char::is_control);
    if is_odd {
        Err(errors::ref_not_indexed(
            name,
            "cannot name a branch, tag or commit",
        ))
    } else {
        Ok(())
    }
}

fn fresh() -> Freshness {
    Freshness {
        status: FreshnessStatus::Fresh,
        remaining_files: 0,
        job: None,
    }
}

type View = std::sync::Arc<workspace::SnapshotView>;

fn live(
    context: &Context,
    workspace: &Workspace,
    policy: FreshnessPolicy,
) -> Result<(View, Freshness), ToolError> {
    let wait = if policy == FreshnessPolicy::Strict || !workspace.is_indexed() {
        PATIENCE
    } else {
        WAIT
    };
    let until = (Instant::now() + wait).min(context.deadline);
    let wait = until.saturating_duration_since(Instant::now());
    let first_wait = if workspace.is_indexed() {
        wait
    } else {
        wait.min(WAIT)
    };
    let (mut view, mut freshness) = workspace.fresh_live(first_wait).map_err(errors::failed)?;
    // Nothing at all is worth a little more patience; some of it is answered at once, and called
    // partial.
    while view.snapshot.n_files() == 0
        && matches!(
            freshness.status,
            FreshnessStatus::Indexing | FreshnessStatus::Absent
        )
    {
        if let Some(job) = freshness.job.as_deref()
            && let Ok(Some(job)) = workspace.jobs().get(job)
            && job.state == JobState::Failed
        {
            return Err(errors::index_failed(&job));
        }
        if Instant::now() >= until {
            return Err(errors::index_not_ready(freshness.job.as_deref()));
        }
        context.check()?;
        let left = until
            .saturating_duration_since(Instant::now())
            .min(Duration::from_millis(100));
        (view, freshness) = workspace.fresh_live(left).map_err(errors::failed)?;
    }
    Ok((view, freshness))
}

fn commit(
    context: &Context,
    workspace: &Workspace,
    id: facts::ContentId,
    name: Option<&str>,
) -> Result<View, ToolError> {
    if let Some(view) = workspace.indexed_commit(id).map_err(errors::failed)? {
        return Ok(view);
    }
    let hex = id.to_string();
    let job = match workspace.jobs().start_index(Some(&hex), false) {
        Ok(job) | Err(workspace::Error::InProgress { job }) => job,
        Err(error) => return Err(errors::failed(error)),
    };
    let until = (Instant::now() + PATIENCE).min(context.deadline);
    if !workspace.jobs().wait(&job, until) {
        return Err(errors::index_not_ready(Some(&job)));
    }
    match workspace.indexed_commit(id).map_err(errors::failed)? {
        Some(view) => Ok(view),
        None => match workspace.jobs().get(&job) {
            Ok(Some(ended)) if ended.state == JobState::Failed && ended.error.is_some() => {
                // Objects that are not here (a shallow or partial clone) show as a failed read.
                Err(errors::ref_not_indexed(
                    name.unwrap_or(&hex),
                    "names a commit whose objects cannot be read here",
                ))
            }
            _ => Err(errors::index_not_ready(Some(&job))),
        },
    }
}

/// How fresh an answer about the working tree would be now. Nothing is started: who asks how it is
/// does not ask for work.
pub fn freshness_now(workspace: &Workspace) -> FreshnessStatus {
    match (
        workspace.is_indexed() || workspace.is_bare(),
        workspace.jobs().running().is_some(),
    ) {
        (true, true) => FreshnessStatus::Syncing,
        // Facts of a former version serve until someone asks about code.
        (true, false) if workspace.outdated_files() > 0 => FreshnessStatus::Stale,
        // What cannot be compared with the disk is not called fresh.
        (true, false) => workspace
            .fresh_live(WAIT)
            .map_or(FreshnessStatus::Stale, |(_, freshness)| freshness.status),
        (false, true) => FreshnessStatus::Indexing,
        // Another process has indexed since this one looked: taking that over reads next to
        // nothing.
        (false, false) if workspace.is_indexed_elsewhere() => workspace
            .fresh_live(WAIT)
            .map_or(FreshnessStatus::Stale, |(_, freshness)| freshness.status),
        (false, false) => FreshnessStatus::Absent,
    }
}

/// The policy acts on what could not be taken in before answering.
fn act_on(moment: &Moment, policy: FreshnessPolicy) -> Result<(), ToolError> {
    let freshness = &moment.freshness;
    match (freshness.status, policy) {
        (FreshnessStatus::Fresh, _) => Ok(()),
        (_, FreshnessPolicy::Strict) => {
            let head = moment.workspace.head().commit.map(|id| id.to_string());
            Err(errors::index_stale(
                moment.view.commit().map(|id| id.to_string()),
                head,
                freshness.remaining_files,
            ))
        }
        (FreshnessStatus::Stale, FreshnessPolicy::Balanced) => {
            match moment.workspace.jobs().start_sync(None, false) {
                Ok(_) | Err(workspace::Error::InProgress { .. }) => {}
                Err(error) => tracing::warn!(%error, "no sync in the background"),
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The name that an answer is about: the branch, `live`, or what was asked for.
pub fn effective_ref(workspace: &Workspace, source: &Source, name: Option<&str>) -> String {
    match source {
        // What is not indexed yet was seen at no head.
        Source::Live { head } => head
            .branch
            .clone()
            .or_else(|| workspace.head().branch.filter(|_| head.commit.is_none()))
            .unwrap_or_else(|| "live".to_owned()),
        Source::Commit { id } => match name {
            Some(name) => name.to_owned(),
            None => workspace.head().branch.unwrap_or_else(|| id.to_string()),
        },
        Source::Overlay { id, .. } => id.clone(),
        Source::Virtual { below } => effective_ref(workspace, below, name),
    }
}

/// Whether what is on disk can be read by this binary.
pub fn schema_status(workspace: &Workspace) -> &'static str {
    match workspace.origin() {
        _ if workspace.is_indexed() || workspace.is_bare() => "compatible",
        Origin::Rebuilt {
            was_damaged: true, ..
        } => "corrupt_manifest",
        Origin::Rebuilt { .. } => "reindex_required",
        _ => "not_indexed",
    }
}

/// `freshness_status`, `indexing_status` and `result_completeness`.
pub fn status_words(status: FreshnessStatus) -> (&'static str, &'static str, &'static str) {
    match status {
        FreshnessStatus::Fresh => ("fresh", "ready", "complete"),
        FreshnessStatus::Stale => ("stale", "ready", "complete"),
        FreshnessStatus::Syncing => ("syncing", "ready", "complete"),
        FreshnessStatus::Indexing => ("syncing", "indexing", "partial"),
        FreshnessStatus::Absent => ("stale", "not_indexed", "partial"),
    }
}

impl Metadata {
    pub fn plain(
        status: FreshnessStatus,
        reference: String,
        schema_status: &'static str,
    ) -> Metadata {
        let (freshness_status, indexing_status, result_completeness) = status_words(status);
        Metadata {
            codecompass_protocol_version: "1.0",
            freshness_status,
            indexing_status,
            result_completeness,
            r#ref: reference,
            schema_status,
            warnings: Vec::new(),
            more: Map::new(),
        }
    }

    /// Of a workspace as it is, whatever can be answered from it.
    pub fn about(workspace: &Workspace, status: FreshnessStatus, reference: String) -> Metadata {
        let mut metadata = Metadata::plain(status, reference, schema_status(workspace));
        if status == FreshnessStatus::Absent && jobs::last_failure(workspace).is_some() {
            metadata.indexing_status = "failed";
        }
        metadata
    }

    pub fn new(moment: &Moment, reference: String) -> Metadata {
        let mut metadata = Metadata::about(&moment.workspace, moment.freshness.status, reference);
        if matches!(moment.view.source, Source::Commit { .. }) {
            metadata.schema_status = "compatible";
        }
        if let Origin::Memory { .. } = moment.workspace.origin() {
            metadata.warn("the index directory cannot be written; the index is kept in memory and ends with this process");
        }
        metadata
    }

    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Something was left out for its size.
    pub fn truncated(&mut self) {
        if self.result_completeness == "complete" {
            self.result_completeness = "truncated";
        }
    }

    /// The work was cut short.
    pub fn cut(&mut self, cut: Option<Cut>) -> Result<(), ToolError> {
        match cut {
            None => Ok(()),
            Some(Cut::Cancelled) => Err(ToolError::cancelled()),
            Some(Cut::Limit) => {
                self.truncated();
                Ok(())
            }
            Some(Cut::Deadline | Cut::Work) => {
                self.result_completeness = "partial";
                self.warn("the time for this call ran out; ask for less to get all of it");
                Ok(())
            }
        }
    }

    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.more.insert(key.to_owned(), value.into());
    }
}

/// A number between 1 and `at_most`; what was asked beyond is clamped, and said so.
pub fn clamp(
    metadata: &mut Metadata,
    field: &str,
    asked: Option<i64>,
    default: usize,
    at_most: usize,
) -> usize {
    let Some(asked) = asked else { return default };
    let clamped = asked.clamp(1, at_most as i64);
    if clamped != asked {
        metadata.warn(format!("`{field}` {asked} was clamped to {clamped}"));
    }
    clamped as usize
}
