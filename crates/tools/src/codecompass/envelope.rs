//! What every answer of this contract carries, and how a request finds its snapshot.

use std::{sync::Arc, time::Duration};

use answers::{
    At, Session, Waits,
    across::RankedRepositories,
    change::{AnswerTime, Opening},
    session::FreshnessPolicy,
    status::{freshness_now, last_failure},
};
use engine::Cut;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{FreshnessStatus, Origin, Source, Workspace};

use super::errors;
use crate::{Code, Context, ToolError, across};

/// Protocol v1.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Metadata {
    pub codecompass_protocol_version: &'static str,
    pub freshness_status: &'static str,
    pub indexing_status: &'static str,
    pub result_completeness: &'static str,
    pub r#ref: String,
    pub schema_status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What to tell if something could not be read.
    #[serde(skip)]
    pub unreadable: &'static str,
}

/// The metadata of an answer that tells more than what every answer tells.
#[derive(Serialize, JsonSchema)]
pub struct MetadataWith<Own> {
    #[serde(flatten)]
    pub common: Metadata,
    #[serde(flatten)]
    pub own: Own,
}

/// Adds to an error how the workspace is: whether a symbol is missing, or only not indexed yet.
pub fn explain(context: &Context, arguments: &Value, error: ToolError) -> ToolError {
    if error.metadata.is_some() {
        return error;
    }
    let error = errors::with_remedy(error);
    // An `index_stale` refusal must not trigger the sync it refused to wait for.
    let known = (error.code == Code::Own("index_stale")).then_some(FreshnessStatus::Stale);
    let mut metadata = metadata_of_call(context, arguments, known);
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

/// The metadata of a call that failed, from the arguments as they came: they may not have passed
/// the schema.
fn metadata_of_call(
    context: &Context,
    arguments: &Value,
    known: Option<FreshnessStatus>,
) -> Metadata {
    let argument = |field: &str| arguments[field].as_str();
    let workspaces = context.host.workspaces();
    // Of workspaces that nobody registered, none is opened for the sake of an error.
    let workspace = match argument("workspace") {
        None => workspaces.find(None).ok(),
        Some(named) => {
            let real = dunce::canonicalize(std::path::Path::new(named)).ok();
            let is_named = |workspace: &Arc<Workspace>| {
                workspace.is_published() && workspace.root() == std::path::Path::new(named)
            };
            let published = || workspaces.opened().into_iter().find(is_named);
            real.and_then(|real| {
                let is_around = |root: &std::path::Path| real.starts_with(root);
                let mut registered = workspaces.registered().iter();
                if registered.any(|root| is_around(root)) {
                    return workspaces.find(Some(named)).ok();
                }
                let opened = workspaces.opened().into_iter();
                opened
                    .filter(|workspace| is_around(workspace.root()))
                    .max_by_key(|workspace| workspace.root().as_os_str().len())
            })
            .or_else(published)
        }
    };
    let workspace = workspace.as_deref();
    // No ref is longer; whatever else came is not sent back whole.
    let shown = |name: &str| name.chars().take(250).collect();
    let reference = argument("ref")
        .or_else(|| argument("head_ref"))
        .map(shown)
        .or_else(|| workspace.and_then(|workspace| workspace.head().branch))
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
pub enum FreshnessInput {
    /// Refuse.
    Strict,
    /// Answer, and take them in meanwhile.
    #[default]
    Balanced,
    /// Answer.
    BestEffort,
}

impl From<FreshnessInput> for FreshnessPolicy {
    fn from(policy: FreshnessInput) -> Self {
        match policy {
            FreshnessInput::Strict => Self::Strict,
            FreshnessInput::Balanced => Self::Balanced,
            FreshnessInput::BestEffort => Self::BestEffort,
        }
    }
}

/// Before answering, changed files are taken in for so long.
const WAIT: Duration = Duration::from_millis(150);
/// A client that insists on a fresh answer waits longer, and so does one that finds nothing indexed
/// at all.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of the lists of one answer: twice as much goes on the wire, where the JSON is repeated as
/// text.
pub const LIST_BYTES: usize = 200 * 1024;
const FEW_ITEMS: usize = 100;

const WAITS: Waits = Waits {
    sync: WAIT,
    first_index: PATIENCE,
    commit: PATIENCE,
};

/// The snapshot that a request means, and the metadata of its answer.
pub fn open(
    context: &Context,
    workspace: &Option<String>,
    name: &Option<String>,
) -> Result<(Session, Metadata), ToolError> {
    let at = At::Ref(name.as_deref());
    open_at(context, workspace, at, FreshnessInput::Balanced)
}

/// For `base_ref` and `head_ref` the checked-out branch means its commit ([`At::Commit`]).
pub fn open_at(
    context: &Context,
    workspace: &Option<String>,
    at: At<'_>,
    policy: FreshnessInput,
) -> Result<(Session, Metadata), ToolError> {
    let workspace = context
        .workspace(workspace.as_deref())
        .map_err(errors::not_served)?;
    let session = context
        .open_fresh(workspace, at, policy.into(), &WAITS)
        .map_err(errors::of_session)?;
    let name = match at {
        At::Ref(name) => name,
        At::Commit(name) => Some(name),
        At::Head | At::Overlay(_) => None,
    };
    let metadata = Metadata::new(&session, session.reference(name));
    Ok((session, metadata))
}

/// Opens both sides of a change.
pub fn opening<'c>(
    context: &'c Context,
    workspace: &Option<String>,
    policy: FreshnessInput,
) -> Result<Opening<'c>, ToolError> {
    let workspace = context
        .workspace(workspace.as_deref())
        .map_err(errors::not_served)?;
    Ok(Opening {
        workspaces: context.host.workspaces(),
        workspace,
        policy: policy.into(),
        waits: context.waits(&WAITS),
        budget: Box::new(|| context.budget()),
        patience: AnswerTime::Usual,
    })
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
            unreadable: "a part of the index cannot be read",
        }
    }

    /// Of a workspace as it is, whatever can be answered from it.
    pub fn about(workspace: &Workspace, status: FreshnessStatus, reference: String) -> Metadata {
        let mut metadata = Metadata::plain(status, reference, schema_status(workspace));
        if status == FreshnessStatus::Absent && last_failure(workspace).is_some() {
            metadata.indexing_status = "failed";
        }
        metadata
    }

    pub fn new(session: &Session, reference: String) -> Metadata {
        let mut metadata = Metadata::about(&session.workspace, session.freshness.status, reference);
        metadata.unreadable = session.unreadable();
        if matches!(session.view.source, Source::Commit { .. }) {
            metadata.schema_status = "compatible";
        }
        if session.workspace.take_unkept_notice() {
            metadata.warn(
                "the index directory cannot be written: edits are not kept beyond this process",
            );
        }
        metadata
    }

    /// Of an answer of several repositories, before any of them was added.
    pub fn of_several(ranked: &RankedRepositories, n_opened: usize) -> Metadata {
        let reference = "several".to_owned();
        let mut metadata = Metadata::plain(FreshnessStatus::Fresh, reference, "compatible");
        if ranked.holding.len() > n_opened {
            metadata.truncated();
        }
        if !ranked.unread.is_empty() {
            metadata.result_completeness = "partial";
        }
        metadata.warnings = across::notes(ranked, n_opened);
        metadata
    }

    /// Adds what the answer of one of several repositories says of itself.
    pub fn add(&mut self, repository: &str, other: &Metadata) {
        if other.freshness_status != "fresh" {
            self.freshness_status = other.freshness_status;
        }
        if other.result_completeness == "partial" {
            self.result_completeness = "partial";
        }
        let warnings = other.warnings.iter();
        self.warnings
            .extend(warnings.map(|warning| format!("{repository}: {warning}")));
    }

    pub fn with<Own>(self, own: Own) -> MetadataWith<Own> {
        MetadataWith { common: self, own }
    }

    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// A number between 1 and `at_most`; what was asked beyond is clamped, and said so.
    pub fn clamp(
        &mut self,
        field: &str,
        asked: Option<i64>,
        default: usize,
        at_most: usize,
    ) -> usize {
        let Some(asked) = asked else { return default };
        let clamped = asked.clamp(1, at_most as i64);
        if clamped != asked {
            self.warn(format!("`{field}` {asked} was clamped to {clamped}"));
        }
        clamped as usize
    }

    /// Keeps the first of a long list, as many as there is room for.
    pub fn fit<Item: Serialize>(&mut self, items: &mut Vec<Item>, room: &mut usize) {
        // A short list fits in any case, and need not be measured.
        if items.len() <= FEW_ITEMS {
            return;
        }
        let fits = |item: &&Item| {
            let bytes = serde_json::to_string(item).map_or(0, |text| text.len());
            *room = room.saturating_sub(bytes);
            *room > 0
        };
        let n_fitting = items.iter().take_while(fits).count();
        if n_fitting < items.len() {
            items.truncate(n_fitting);
            self.truncated();
        }
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
            Some(Cut::Values) => {
                self.truncated();
                self.warn("calls through function values were followed in part; there may be more of them");
                Ok(())
            }
            Some(Cut::Unreadable) => {
                self.result_completeness = "partial";
                self.warn(self.unreadable);
                Ok(())
            }
        }
    }
}
