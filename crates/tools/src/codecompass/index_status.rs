//! `index_status`: how the index of one workspace is.

use answers::status::{IndexState, index_report, origin_reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{Freshness, Meaning};

use super::{
    envelope::{Metadata, schema_status},
    errors,
    jobs::{self, ActiveJob, InterruptedReport, RecentJob},
};
use crate::{Context, Tool, ToolError};

pub struct IndexStatus;

/// How the index is: state, counts, running and recent jobs.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    workspace: Option<String>,
    r#ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    project_id: String,
    repo_root: String,
    index_status: &'static str,
    r#ref: String,
    schema_status: &'static str,
    current_schema_version: i64,
    required_schema_version: i64,
    last_indexed_at: Option<String>,
    file_count: u64,
    symbol_count: u64,
    active_job: Option<ActiveJob>,
    recent_jobs: Vec<RecentJob>,
    interrupted_recovery_report: Option<InterruptedReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compatibility_reason: Option<String>,
    metadata: Metadata,
}

impl Tool for IndexStatus {
    const NAME: &'static str = "index_status";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let workspace = context
            .workspace(input.workspace.as_deref())
            .map_err(errors::not_served)?;
        let name = input.r#ref.as_deref();
        let report = index_report(&workspace, name).map_err(errors::failed)?;
        let is_indexed = report.state == IndexState::Ready;
        let status = &report.status;
        let counts = if is_indexed || report.meaning == Meaning::Live {
            (status.files, status.symbols)
        } else {
            (0, 0)
        };
        let session = context.session(
            workspace.clone(),
            report.view,
            Freshness {
                status: report.freshness,
                remaining_files: 0,
                job: None,
            },
        );
        // A commit that is not indexed yet is still the one that was asked about.
        let reference = match (report.meaning, name) {
            (Meaning::Commit(_), Some(name)) => name.to_owned(),
            _ => session.reference(name),
        };
        let metadata = Metadata::new(&session, reference.clone());
        let compatibility_reason = origin_reason(workspace.origin()).map(str::to_owned);
        Ok(Output {
            project_id: jobs::project_id(&workspace),
            repo_root: workspace.root().to_string_lossy().into_owned(),
            index_status: report.state.as_str(),
            r#ref: reference,
            schema_status: schema_status(&workspace),
            current_schema_version: workspace::SCHEMA_VERSION,
            required_schema_version: workspace::SCHEMA_VERSION,
            last_indexed_at: (is_indexed && status.synced > 0).then(|| jobs::time(status.synced)),
            file_count: counts.0,
            symbol_count: counts.1,
            active_job: ActiveJob::of(&workspace),
            recent_jobs: jobs::recent(&workspace),
            interrupted_recovery_report: jobs::interrupted(&workspace),
            compatibility_reason,
            metadata,
        })
    }
}
