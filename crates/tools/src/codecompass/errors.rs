//! The contract's error registry: every code has one function here, which says what happened and
//! what to try.
//!
//! `overlay_not_ready`, `merge_base_failed`, `result_not_found` and `no_edges_available` are
//! reserved: nothing raises them.

use answers::{NotServed, lookup::MissingFile};
use serde_json::{Map, Value, json};
use workspace::{Job, JobErrorKind};

use super::{envelope::Metadata, symbols::CandidateList};
use crate::{Code, ToolError};

/// Every code that a tool of this contract may answer with, besides those of the server (`timeout`,
/// `cancelled`, `busy`, `response_too_large`).
#[cfg(test)]
pub const RAISED: &[&str] = &[
    "invalid_input",
    "invalid_strategy",
    "invalid_max_tokens",
    "project_not_found",
    "workspace_not_registered",
    "workspace_not_allowed",
    "workspace_limit_exceeded",
    "index_in_progress",
    "index_not_ready",
    "sync_in_progress",
    "index_stale",
    "index_incompatible",
    "ref_not_indexed",
    "symbol_not_found",
    "ambiguous_symbol",
    "file_not_found",
    "internal_error",
];

fn with_remediation(
    code: &'static str,
    message: impl Into<String>,
    mut data: Map<String, Value>,
    remediation: &str,
) -> ToolError {
    data.insert("remediation".to_owned(), json!(remediation));
    ToolError::own(code, message).with_data(Value::Object(data))
}

/// Adds what to try to an error that every contract has.
pub fn with_remedy(error: ToolError) -> ToolError {
    let remediation = match error.code {
        Code::InvalidInput => {
            "Correct the arguments as the message says; `tools/list` has each tool's schema."
        }
        Code::Timeout => "Ask for less, or again once `index_status` is `ready`.",
        Code::ResponseTooLarge => "Ask for less: a smaller `limit`, or `compact`.",
        Code::Busy => "Ask again in a moment.",
        _ => return error,
    };
    let mut facts = error.data.as_deref().cloned().map(data).unwrap_or_default();
    facts.insert("remediation".to_owned(), json!(remediation));
    error.with_data(Value::Object(facts))
}

fn data(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(data) => data,
        _ => Map::new(),
    }
}

pub fn not_served(reason: NotServed) -> ToolError {
    let message = reason.to_string();
    match reason {
        NotServed::NoProject => with_remediation(
            "project_not_found",
            message,
            Map::new(),
            "Pass `workspace`, or start the server inside a repository.",
        ),
        NotServed::NotRegistered => with_remediation(
            "workspace_not_registered",
            message,
            Map::new(),
            "Start the server with `--workspace DIR`, or with `--auto-workspace --allowed-root DIR`.",
        ),
        NotServed::NotAllowed => with_remediation(
            "workspace_not_allowed",
            message,
            Map::new(),
            "Name a directory below an allowed root.",
        ),
        NotServed::Unpublished => with_remediation(
            "workspace_not_registered",
            message,
            Map::new(),
            "Name a repository that is published and that your token allows.",
        ),
        NotServed::Unnamed { .. } => with_remediation(
            "project_not_found",
            message,
            Map::new(),
            "Pass the name of a repository as `workspace`.",
        ),
        NotServed::LimitExceeded { at_most } => with_remediation(
            "workspace_limit_exceeded",
            message,
            data(json!({ "max_auto_workspaces": at_most })),
            "Wait for a running job, or raise `--max-auto-workspaces`.",
        )
        .retryable(),
        NotServed::Failed(error) => failed(error),
    }
}

/// Why a request gets no session.
pub fn of_session(error: answers::Error) -> ToolError {
    match error {
        answers::Error::NotServed(reason) => not_served(reason),
        answers::Error::InvalidRef { name } => {
            ref_not_indexed(&name, "cannot name a branch, tag or commit")
        }
        answers::Error::UnreadableCommit { name } => {
            ref_not_indexed(&name, "names a commit whose objects cannot be read here")
        }
        answers::Error::NotIndexed { job } => index_not_ready(job.as_deref()),
        answers::Error::IndexFailed { job } => index_failed(&job),
        answers::Error::Stale {
            indexed,
            head,
            remaining_files,
        } => index_stale(
            indexed.map(|id| id.to_string()),
            head.map(|id| id.to_string()),
            remaining_files,
        ),
        answers::Error::Cancelled => ToolError::cancelled(),
        answers::Error::Workspace(error) => failed(error),
    }
}

/// What the workspace could not do.
pub fn failed(error: workspace::Error) -> ToolError {
    match error {
        workspace::Error::UnknownRef { name } => {
            ref_not_indexed(&name, "names no commit that this repository holds")
        }
        workspace::Error::AmbiguousRef { name } => {
            ref_not_indexed(&name, "is an abbreviation of several commits")
        }
        workspace::Error::InvalidPath { .. } => {
            ToolError::invalid_input("`path` must lie below the repository's root: `src/main.rs`")
        }
        workspace::Error::NotADirectory { .. } => not_served(NotServed::NotAllowed),
        workspace::Error::Cancelled => ToolError::cancelled(),
        workspace::Error::Busy => ToolError::busy(),
        workspace::Error::Full
        | workspace::Error::ReadOnly
        | workspace::Error::Newer(_)
        | workspace::Error::Store(_) => {
            unusable_index(error.job_error_kind(), || error.to_string())
        }
        workspace::Error::PublishedOnly => ToolError::invalid_input(error.to_string()),
        workspace::Error::Remote => unreadable(&error.to_string()),
        error => ToolError::internal(error.to_string()),
    }
}

/// A part of the index is not to be had, so that there is no answer.
pub fn unreadable(what: &str) -> ToolError {
    let remediation = "Ask again in a minute; `codecompass doctor` says more.";
    with_remediation("index_incompatible", what, Map::new(), remediation).retryable()
}

/// What keeps an index from being used, in this process or in the one whose job failed.
fn unusable_index(kind: JobErrorKind, cause: impl FnOnce() -> String) -> ToolError {
    let own = |message: &str, remediation: &str| {
        with_remediation(
            "index_incompatible",
            message,
            data(json!({ "schema_status": "reindex_required" })),
            remediation,
        )
    };
    match kind {
        JobErrorKind::Busy => ToolError::busy(),
        JobErrorKind::Newer => own(
            "the index was written by a newer codecompass",
            "Update codecompass, or remove the index with `codecompass clean`.",
        ),
        JobErrorKind::Full => own(
            "no room is left on the disk that holds the index",
            "Free some room, then run `codecompass index --force`.",
        ),
        JobErrorKind::ReadOnly => own(
            "the index cannot be written: its directory is read-only",
            "Set CODECOMPASS_HOME to a directory that can be written, then run `codecompass index --force`.",
        ),
        JobErrorKind::Other => {
            let mut error = own(
                "the index cannot be used",
                "Run `codecompass index --force`.",
            );
            error.cause = Some(cause());
            error
        }
    }
}

pub fn ref_not_indexed(name: &str, why: &str) -> ToolError {
    let shown: String = name.chars().take(100).collect();
    with_remediation(
        "ref_not_indexed",
        format!("`{shown}` {why}"),
        data(json!({ "ref": shown })),
        "Pass a branch, tag or commit that exists here (a shallow clone lacks older ones), or leave `ref` out for the working tree.",
    )
}

pub fn index_not_ready(job: Option<&str>) -> ToolError {
    let facts = job.map(of_job).unwrap_or_default();
    let message = "nothing is indexed yet; indexing runs in the background";
    with_remediation(
        "index_not_ready",
        message,
        facts,
        "Ask again in a moment; `index_status` tells how far it is.",
    )
    .retryable()
}

/// The index that a question started has failed, and there is nothing to answer from. The next
/// question starts it again.
pub fn index_failed(job: &Job) -> ToolError {
    let mut facts = of_job(&job.id);
    let (kind, cause) = match &job.error {
        Some(error) => (error.kind, error.message.as_str()),
        None => (JobErrorKind::Other, "unknown cause"),
    };
    // What keeps the index from being written is named as such, with its own remedy.
    if matches!(
        kind,
        JobErrorKind::Full | JobErrorKind::ReadOnly | JobErrorKind::Newer
    ) {
        let unusable = unusable_index(kind, || cause.to_owned());
        facts.extend(
            unusable
                .data
                .as_deref()
                .cloned()
                .map(data)
                .unwrap_or_default(),
        );
        return unusable.with_data(Value::Object(facts));
    }
    facts.insert("cause".to_owned(), json!(cause));
    let remediation = "Remove the cause and ask again: every question tries anew. `index_status` keeps the causes in `recent_jobs`.";
    with_remediation(
        "index_not_ready",
        format!("the index failed: {cause}"),
        facts,
        remediation,
    )
    .retryable()
}

fn of_job(job: &str) -> Map<String, Value> {
    data(json!({ "job_id": job, "progress_token": format!("index-job-{job}") }))
}

pub fn index_stale(
    last_indexed: Option<String>,
    head: Option<String>,
    remaining: u64,
) -> ToolError {
    let facts = json!({
        "last_indexed_commit": last_indexed,
        "current_head": head,
        "remaining_files": remaining,
        "suggestion": "Call sync_repo to update the index before querying.",
    });
    with_remediation(
        "index_stale",
        "Index is stale: files changed that are not taken in yet. Run sync_repo to refresh.",
        data(facts),
        "Call sync_repo, or ask with `freshness_policy: \"balanced\"`.",
    )
    .retryable()
}

pub fn in_progress(code: &'static str, job: &str) -> ToolError {
    with_remediation(
        code,
        "the same work is already under way",
        of_job(job),
        "Wait for the job; `index_status` tells how far it is.",
    )
    .retryable()
}

pub fn symbol_not_found(name: &str, reference: &str, nearest: &[String]) -> ToolError {
    let shown: String = name.chars().take(100).collect();
    let message = match nearest {
        [] => format!("no symbol `{shown}`; search with `search_code`"),
        nearest => {
            format!(
                "no symbol `{shown}`; nearest: {}",
                nearest
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
    };
    let facts = json!({ "symbol_name": shown, "ref": reference, "nearest": nearest });
    with_remediation(
        "symbol_not_found",
        message,
        data(facts),
        "Call locate_symbol or search_code for its exact name.",
    )
}

/// What is missing while indexing runs may only not be reached yet.
pub fn unless_indexing(mut error: ToolError, metadata: &Metadata) -> ToolError {
    if metadata.indexing_status == "indexing" {
        error.message.push_str("; indexing is under way and may not have reached it: ask again when `index_status` is `ready`");
        error.retryable = true;
    }
    error
}

pub fn ambiguous_symbol(name: &str, candidates: &CandidateList) -> ToolError {
    let shown: String = name.chars().take(100).collect();
    let count = candidates.count;
    let facts = json!({
        "symbol_name": shown,
        "candidate_count": count,
        "candidates": candidates.first,
    });
    with_remediation(
        "ambiguous_symbol",
        format!(
            "{count} symbols in several files are named `{shown}`; pass `path`, a qualified name or a `symbol_id`"
        ),
        data(facts),
        "Repeat the call with `path`, or with a candidate's `symbol_id` as name.",
    )
}

pub fn file_not_found(missing: MissingFile) -> ToolError {
    let message = missing.to_string();
    let (path, nearest) = match missing {
        MissingFile::Skipped { path, .. } => (path, Vec::new()),
        MissingFile::Unknown { path, nearest } => (path, nearest),
        MissingFile::Invalid(error) => return failed(error),
    };
    with_remediation(
        "file_not_found",
        message,
        data(json!({ "path": path, "nearest": nearest })),
        "Pass a path relative to the repository's root; search_code finds files by name.",
    )
}

pub fn invalid_strategy(strategy: &str) -> ToolError {
    let shown: String = strategy.chars().take(50).collect();
    with_remediation(
        "invalid_strategy",
        format!("`strategy` must be `breadth` or `depth`, not `{shown}`"),
        Map::new(),
        "Use `breadth` for many signatures, `depth` for fewer bodies.",
    )
}

pub fn invalid_max_tokens(asked: i64) -> ToolError {
    with_remediation(
        "invalid_max_tokens",
        format!("`max_tokens` must be at least 1, not {asked}"),
        Map::new(),
        "Leave it out for 4000.",
    )
}

#[cfg(test)]
mod tests {
    use workspace::{JobError, JobKind, Options, Workspace};

    use super::*;

    /// A failed job as another process reads it.
    fn failed_job(kind: JobErrorKind, message: &str) -> Job {
        let directory = tempfile::tempdir().unwrap();
        let options = Options {
            in_memory: true,
            ..Options::default()
        };
        let workspace = Workspace::open(directory.path(), options).unwrap();
        let store = workspace.store();
        let mut job = store
            .start_job("01", JobKind::Index, "/", "live", true)
            .unwrap();
        job.error = Some(JobError {
            kind,
            message: message.to_owned(),
        });
        store.update_job(&job).unwrap();
        store.job("01").unwrap().unwrap()
    }

    #[test]
    fn the_kind_of_an_error_decides_and_not_its_text() {
        let of_path = "cannot read docs/read-only, no room is left.md";
        for (kind, message, code) in [
            (JobErrorKind::Other, of_path, "index_not_ready"),
            (JobErrorKind::Busy, "busy", "index_not_ready"),
            (JobErrorKind::Full, "full", "index_incompatible"),
            (JobErrorKind::ReadOnly, "read-only", "index_incompatible"),
            (JobErrorKind::Newer, "newer", "index_incompatible"),
        ] {
            let error = index_failed(&failed_job(kind, message));
            assert_eq!(error.code, Code::Own(code), "{kind:?}");
        }
        assert_eq!(failed(workspace::Error::Busy).code, Code::Busy);
    }
}
