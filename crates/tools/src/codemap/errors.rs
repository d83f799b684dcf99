//! The contract's errors: what happened, what to try, and whether the same call may succeed later.

use answers::NotServed;
use serde_json::json;

use crate::ToolError;

pub fn not_found(message: impl Into<String>) -> ToolError {
    ToolError::own("NOT_FOUND", message)
}

pub fn invalid(message: impl Into<String>) -> ToolError {
    ToolError::invalid_input(message)
}

pub fn index_not_available(message: impl Into<String>) -> ToolError {
    ToolError::own("INDEX_NOT_AVAILABLE", message).retryable()
}

pub fn workspace_required() -> ToolError {
    ToolError::own(
        "WORKSPACE_REQUIRED",
        "`virtual_files` are edits over a workspace: create one with `workspace_create` and pass its `workspace_id`",
    )
}

pub fn compilation_failed(message: impl Into<String>) -> ToolError {
    ToolError::own("COMPILATION_FAILED", message).retryable()
}

pub fn unknown_repository(repo_path: &str, why: NotServed) -> ToolError {
    match why {
        NotServed::LimitExceeded { .. } => ToolError::busy(),
        NotServed::Failed(error) => of_workspace(error),
        why => not_found(format!("no repository at `repo_path`: {why}"))
            .with_data(json!({ "repo_path": repo_path })),
    }
}

/// Why there is no snapshot to answer from.
pub fn of_session(error: answers::Error) -> ToolError {
    use answers::Error;
    match error {
        Error::Workspace(error) => of_workspace(error),
        Error::Cancelled => ToolError::cancelled(),
        Error::NotIndexed { job } => index_not_available(
            "the commit is not indexed yet; call `index_ensure_baseline` or ask again in a moment",
        )
        .with_data(json!({ "job": job })),
        error => index_not_available(error.to_string()),
    }
}

/// What the workspace says, in this contract's words.
pub fn of_workspace(error: workspace::Error) -> ToolError {
    use workspace::Error;
    match error {
        Error::UnknownRef { ref name } => not_found(format!("{error}")).with_data(json!({ "commit_sha": name })),
        Error::AmbiguousRef { .. } | Error::InvalidOverlayId { .. } | Error::InvalidPath { .. } => invalid(error.to_string()),
        Error::UnknownOverlay { ref id } => {
            not_found(format!("there is no workspace `{id}`; `workspace_list` shows those that are, `workspace_create` makes one"))
                .with_data(json!({ "workspace_id": id }))
        }
        Error::InProgress { ref job } => {
            index_not_available("the commit is being indexed; ask again in a moment").with_data(json!({ "job": job }))
        }
        Error::Cancelled => ToolError::cancelled(),
        Error::NotADirectory { .. } => not_found("the repository's directory cannot be read"),
        Error::Busy | Error::Full | Error::ReadOnly | Error::Newer(_) | Error::Store(_) => {
            let mut told = index_not_available("the index cannot be used right now; ask again in a moment");
            told.cause = Some(chain(&error));
            told
        }
        Error::PublishedOnly => invalid(error.to_string()),
        Error::Remote => index_not_available(error.to_string()),
        error => ToolError::internal(chain(&error)),
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
