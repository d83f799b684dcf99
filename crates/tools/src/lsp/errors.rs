//! The contract's own errors. What all contracts know (a URI outside the roots, a wrong argument,
//! the deadline) is `ToolError`'s.

use answers::NotServed;

use crate::{Code, ToolError};

pub fn not_found(what: impl Into<String>) -> ToolError {
    ToolError::own("MCP_LSP_GATEWAY/NOT_FOUND", what)
}

pub fn provider_unavailable(what: impl Into<String>) -> ToolError {
    ToolError::own("MCP_LSP_GATEWAY/PROVIDER_UNAVAILABLE", what)
}

/// More than the whole list may have; nothing of it is shown.
pub fn too_many(what: &str, at_most: usize) -> ToolError {
    ToolError::own(
        "MCP_LSP_GATEWAY/CAP_EXCEEDED",
        format!("more than {at_most} {what}; ask for something narrower"),
    )
}

pub fn index_not_ready() -> ToolError {
    ToolError::own(
        "MCP_LSP_GATEWAY/CAP_EXCEEDED",
        "the index is still being built; ask again in a moment",
    )
    .retryable()
}

pub fn cursor_invalid() -> ToolError {
    ToolError::own(
        "MCP_LSP_GATEWAY/CURSOR_INVALID",
        "the cursor cannot be read, or belongs to another question; ask again without it",
    )
}

pub fn cursor_stale() -> ToolError {
    ToolError::own(
        "MCP_LSP_GATEWAY/CURSOR_STALE",
        "files changed since the first page; ask again without the cursor",
    )
}

pub fn cursor_expired() -> ToolError {
    ToolError::own(
        "MCP_LSP_GATEWAY/CURSOR_EXPIRED",
        "the pages are no longer kept; ask again without the cursor",
    )
}

pub fn snapshot_too_large(bytes: usize, at_most: usize) -> ToolError {
    let message = format!(
        "all pages together have {bytes} bytes, more than the {at_most} that are kept; ask for something narrower"
    );
    ToolError::own("MCP_LSP_GATEWAY/SNAPSHOT_TOO_LARGE", message)
}

pub fn not_served(reason: NotServed) -> ToolError {
    match reason {
        NotServed::NoProject
        | NotServed::NotRegistered
        | NotServed::NotAllowed
        | NotServed::Unpublished
        | NotServed::Unnamed { .. } => ToolError::path_denied(),
        NotServed::LimitExceeded { .. } => ToolError::new(Code::Busy, reason.to_string()),
        NotServed::Failed(error) => failed(error),
    }
}

pub fn index_failed() -> ToolError {
    provider_unavailable("the index cannot be built; the server's log has the details")
}

/// Why there is no snapshot to answer from.
pub fn of_session(error: answers::Error) -> ToolError {
    match error {
        answers::Error::Workspace(error) => failed(error),
        answers::Error::Cancelled => ToolError::cancelled(),
        answers::Error::IndexFailed { .. } => index_failed(),
        error => ToolError::internal(error.to_string()),
    }
}

fn failed(error: workspace::Error) -> ToolError {
    ToolError::internal(error.to_string())
}

pub fn since_expired() -> ToolError {
    ToolError::own(
        "MCP_LSP_GATEWAY/CURSOR_EXPIRED",
        "the answer that `since` names is no longer kept; ask again without it",
    )
}
