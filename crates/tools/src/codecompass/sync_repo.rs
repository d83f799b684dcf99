//! `sync_repo`: takes changed files in, in the background.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::JobKind;

use super::{envelope::Metadata, index_repo::start};
use crate::{Annotations, Context, Tool, ToolError};

pub struct SyncRepo;

/// Take changed files into the index in the background.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    workspace: Option<String>,
    /// Read everything again
    #[serde(default)]
    force: bool,
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    job_id: String,
    status: &'static str,
    mode: &'static str,
    changed_files: Option<u64>,
    progress_token: String,
    metadata: Metadata,
}

impl Tool for SyncRepo {
    const NAME: &'static str = "sync_repo";
    const ANNOTATIONS: Annotations = Annotations::ADDITIVE;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let started = start(
            context,
            JobKind::Sync,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            input.force,
        )?;
        Ok(Output {
            progress_token: format!("index-job-{}", started.job_id),
            job_id: started.job_id,
            status: "running",
            mode: if input.force { "full" } else { "incremental" },
            changed_files: None,
            metadata: started.metadata,
        })
    }
}
