//! `health_check`: how this server and its workspaces are.

use answers::{
    NotServed, Prewarm,
    status::{IndexState, freshness_now, health, last_failure, origin_reason},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use workspace::{FreshnessStatus, Workspace};

use super::{
    envelope::{Metadata, schema_status, status_words},
    errors,
    jobs::{self, ActiveJob, InterruptedReport},
};
use crate::{Context, Tool, ToolError};

pub struct HealthCheck;

/// How the server and its workspaces are.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// Absolute path; the default project if absent
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    status: &'static str,
    version: &'static str,
    uptime_seconds: u64,
    tantivy_ok: bool,
    sqlite_ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    sqlite_error: Option<String>,
    grammars: Grammars,
    active_job: Option<ActiveJob>,
    interrupted_recovery_report: Option<InterruptedReport>,
    workspace_warmset: Warmset,
    prewarm_status: &'static str,
    #[schemars(with = "crate::schema::AnyObject")]
    startup_checks: Value,
    projects: Vec<ProjectHealth>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
struct Grammars {
    available: Vec<&'static str>,
    missing: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Warmset {
    enabled: bool,
    capacity: usize,
    members: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ProjectHealth {
    project_id: String,
    repo_root: String,
    index_status: &'static str,
    schema_status: &'static str,
    current_schema_version: i64,
    required_schema_version: i64,
    freshness_status: &'static str,
    last_indexed_at: Option<String>,
    r#ref: String,
    file_count: u64,
    symbol_count: u64,
    /// Why the last index failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

impl Tool for HealthCheck {
    const NAME: &'static str = "health_check";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let workspaces = context.host.workspaces();
        let asked = match workspaces.find(input.workspace.as_deref()) {
            Ok(workspace) => Some(workspace),
            // A server without a project is healthy, and says that it has none.
            Err(NotServed::NoProject | NotServed::Unnamed { .. }) => None,
            Err(reason) => return Err(errors::not_served(reason)),
        };
        let mut shown = workspaces.opened();
        if let Some(asked) = asked.as_ref().filter(|_| input.workspace.is_some()) {
            shown.retain(|workspace| workspace.root() == asked.root());
        }
        let projects: Vec<ProjectHealth> =
            shown.iter().map(|workspace| project(workspace)).collect();
        let prewarm = workspaces.prewarm_status();
        let sqlite_error = asked
            .as_ref()
            .and_then(|workspace| workspace.jobs().recent(1).err())
            .map(|error| error.to_string());
        let tantivy_ok = asked
            .as_ref()
            .is_none_or(|workspace| workspace.text().statistics(&workspace.live()).is_ok());
        let status = if sqlite_error.is_some()
            || !tantivy_ok
            || prewarm == Prewarm::Failed
            || projects
                .iter()
                .any(|project| project.index_status == "error")
        {
            "error"
        } else if prewarm == Prewarm::Warming {
            "warming"
        } else if projects
            .iter()
            .any(|project| project.index_status == "indexing")
        {
            "indexing"
        } else {
            "ready"
        };
        let (capacity, members) = workspaces.warmset();
        let schema = asked
            .as_ref()
            .map_or("not_indexed", |workspace| schema_status(workspace));
        let missing = extract::LANGUAGES
            .iter()
            .filter(|language| !language.has_grammar() && language.semantics.is_some());
        Ok(Output {
            status,
            version: context.server.version,
            uptime_seconds: context.server.started.elapsed().as_secs(),
            tantivy_ok,
            sqlite_ok: sqlite_error.is_none(),
            sqlite_error,
            grammars: Grammars {
                available: extract::LANGUAGES
                    .iter()
                    .filter(|language| language.has_grammar())
                    .map(|language| language.name)
                    .collect(),
                missing: missing.map(|language| language.name).collect(),
            },
            active_job: asked
                .as_ref()
                .and_then(|workspace| ActiveJob::of(workspace)),
            interrupted_recovery_report: asked
                .as_ref()
                .and_then(|workspace| jobs::interrupted(workspace)),
            workspace_warmset: Warmset {
                enabled: prewarm != Prewarm::Skipped,
                capacity,
                members: members
                    .iter()
                    .map(|path| path.to_string_lossy().into_owned())
                    .collect(),
            },
            prewarm_status: prewarm.as_str(),
            startup_checks: json!({ "index": {
                "status": schema,
                "current_schema_version": workspace::SCHEMA_VERSION,
                "required_schema_version": workspace::SCHEMA_VERSION,
                "message": asked.as_ref().and_then(|workspace| reason(workspace)),
            } }),
            metadata: metadata(asked.as_deref()),
            projects,
        })
    }
}

fn project(workspace: &Workspace) -> ProjectHealth {
    let health = health(workspace);
    let status = health.status.as_ref();
    let synced = status
        .map(|status| status.synced)
        .filter(|synced| *synced > 0);
    ProjectHealth {
        project_id: jobs::project_id(workspace),
        repo_root: workspace.root().to_string_lossy().into_owned(),
        index_status: match health.state {
            IndexState::Failed => "error",
            state => state.as_str(),
        },
        schema_status: schema_status(workspace),
        current_schema_version: workspace::SCHEMA_VERSION,
        required_schema_version: workspace::SCHEMA_VERSION,
        freshness_status: status_words(health.freshness).0,
        last_indexed_at: synced.map(jobs::time),
        r#ref: workspace.head().branch.unwrap_or_else(|| "live".to_owned()),
        file_count: status.map_or(0, |status| status.files),
        symbol_count: status.map_or(0, |status| status.symbols),
        last_error: health.last_error,
    }
}

fn reason(workspace: &Workspace) -> Option<String> {
    let failure = || {
        let failure = last_failure(workspace)?;
        Some(format!("the last index failed: {failure}"))
    };
    let reason = origin_reason(workspace.origin()).map(str::to_owned);
    reason.or_else(failure)
}

fn metadata(workspace: Option<&Workspace>) -> Metadata {
    let reference = workspace
        .and_then(|workspace| workspace.head().branch)
        .unwrap_or_else(|| "live".to_owned());
    match workspace {
        Some(workspace) => Metadata::about(workspace, freshness_now(workspace), reference),
        None => Metadata::plain(FreshnessStatus::Absent, reference, "not_indexed"),
    }
}
