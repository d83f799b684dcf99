//! Jobs, times and project ids as this contract writes them.

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Job, JobState, Workspace};

use crate::times;

/// A job that runs.
#[derive(Serialize, JsonSchema)]
pub struct ActiveJob {
    job_id: String,
    project_id: String,
    status: &'static str,
    r#ref: String,
    mode: &'static str,
    progress_token: String,
    files_scanned: u64,
    files_indexed: u64,
    symbols_extracted: u64,
    changed_files: u64,
    estimated_completion_pct: Option<u64>,
    started_at: String,
}

/// A job that ended.
#[derive(Serialize, JsonSchema)]
pub struct RecentJob {
    job_id: String,
    r#ref: String,
    mode: &'static str,
    status: &'static str,
    changed_files: u64,
    duration_ms: Option<i64>,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Jobs that ended with their process. Stays until a later one succeeds.
#[derive(Serialize, JsonSchema)]
pub struct InterruptedReport {
    detected: bool,
    interrupted_jobs: usize,
    last_interrupted_at: String,
    recommended_action: &'static str,
}

impl ActiveJob {
    pub fn of(workspace: &Workspace) -> Option<ActiveJob> {
        let job = workspace.jobs().running()?;
        let counts = job.counts;
        let done = (counts.total > 0).then(|| (100 * counts.done / counts.total).min(99));
        Some(ActiveJob {
            project_id: project_id(workspace),
            status: "running",
            r#ref: job.target.clone(),
            mode: mode(&job),
            progress_token: format!("index-job-{}", job.id),
            files_scanned: counts.total,
            files_indexed: counts.done,
            symbols_extracted: counts.symbols,
            changed_files: counts.changed,
            estimated_completion_pct: done,
            started_at: time(job.started),
            job_id: job.id,
        })
    }
}

/// At most five, the most recent first.
pub fn recent(workspace: &Workspace) -> Vec<RecentJob> {
    let jobs = workspace
        .jobs()
        .recent(6)
        .unwrap_or_default()
        .into_iter()
        .filter(|job| job.state != JobState::Running);
    let jobs = jobs.take(5).map(|job| RecentJob {
        r#ref: job.target.clone(),
        mode: mode(&job),
        status: match job.state {
            JobState::Running => "running",
            JobState::Succeeded => "published",
            JobState::Failed => "failed",
            JobState::Cancelled => "rolled_back",
            JobState::Interrupted => "interrupted",
        },
        changed_files: job.counts.changed,
        duration_ms: job.finished.map(|finished| (finished - job.started).max(0)),
        created_at: time(job.started),
        error: job.error.map(|error| error.message),
        job_id: job.id,
    });
    jobs.collect()
}

pub fn interrupted(workspace: &Workspace) -> Option<InterruptedReport> {
    let jobs = workspace.jobs().recent(50).ok()?;
    let since = jobs
        .iter()
        .take_while(|job| job.state != JobState::Succeeded);
    let interrupted: Vec<&Job> = since
        .filter(|job| job.state == JobState::Interrupted)
        .collect();
    let last = interrupted.first()?;
    Some(InterruptedReport {
        detected: true,
        interrupted_jobs: interrupted.len(),
        last_interrupted_at: time(last.finished.unwrap_or(last.started)),
        recommended_action: "none: the next question goes on where the job stopped; sync_repo does it now",
    })
}

fn mode(job: &Job) -> &'static str {
    if job.full { "full" } else { "incremental" }
}

/// 16 hex digits of the hash of the root's real path.
pub fn project_id(workspace: &Workspace) -> String {
    blake3::hash(workspace.root().as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned()
}

/// `2026-02-23T10:30:00Z` of milliseconds since 1970.
pub fn time(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000) * 1000;
    times::iso(seconds).replace(".000Z", "Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_771_842_600_000), "2026-02-23T10:30:00Z");
        assert_eq!(time(951_782_400_000), "2000-02-29T00:00:00Z");
    }
}
