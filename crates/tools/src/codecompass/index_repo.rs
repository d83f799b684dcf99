//! `index_repo`: starts indexing in the background.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{FreshnessStatus, JobKind};

use super::{
    envelope::{Metadata, schema_status},
    errors,
};
use crate::{Annotations, Context, Tool, ToolError};

pub struct IndexRepo;

/// Index the repository in the background. Rarely needed: questions index on demand.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    workspace: Option<String>,
    /// Read everything again
    #[serde(default)]
    force: bool,
    /// Branch, tag or commit
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    job_id: String,
    status: &'static str,
    mode: &'static str,
    file_count: Option<u64>,
    progress_token: String,
    metadata: Metadata,
}

impl Tool for IndexRepo {
    const NAME: &'static str = "index_repo";
    const ANNOTATIONS: Annotations = Annotations::ADDITIVE;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let started = start(
            context,
            JobKind::Index,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            input.force,
        )?;
        Ok(Output {
            progress_token: format!("index-job-{}", started.job_id),
            job_id: started.job_id,
            status: "running",
            mode: if started.is_full {
                "full"
            } else {
                "incremental"
            },
            file_count: None,
            metadata: started.metadata,
        })
    }
}

pub struct StartedJob {
    pub job_id: String,
    pub is_full: bool,
    pub metadata: Metadata,
}

/// Starts a job, unless the same one runs.
pub fn start(
    context: &Context,
    kind: JobKind,
    workspace: Option<&str>,
    name: Option<&str>,
    force: bool,
) -> Result<StartedJob, ToolError> {
    let workspace = context.workspace(workspace).map_err(errors::not_served)?;
    let is_full = force || !workspace.is_indexed();
    let name = name.filter(|name| *name != "live");
    let (started, code) = match kind {
        JobKind::Index => (
            workspace.jobs().start_index(name, force),
            "index_in_progress",
        ),
        JobKind::Sync => (workspace.jobs().start_sync(name, force), "sync_in_progress"),
    };
    let job_id = match started {
        Ok(job) => job,
        Err(workspace::Error::InProgress { job }) => return Err(errors::in_progress(code, &job)),
        Err(error) => return Err(errors::failed(error)),
    };
    let reference = match name {
        Some(name) => name.to_owned(),
        None => workspace.head().branch.unwrap_or_else(|| "live".to_owned()),
    };
    let metadata = Metadata {
        freshness_status: "syncing",
        indexing_status: "indexing",
        result_completeness: "complete",
        ..Metadata::plain(
            FreshnessStatus::Indexing,
            reference,
            schema_status(&workspace),
        )
    };
    Ok(StartedJob {
        job_id,
        is_full,
        metadata,
    })
}
