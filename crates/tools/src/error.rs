//! Why a tool did not answer. The contract decides how it looks on the wire: see `contract.rs`.

use serde::Serialize;
use serde_json::{Value, json};

/// What went wrong, named once for all contracts, which spell it each in their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    InvalidInput,
    /// A path or URI that cannot be one.
    PathInvalid,
    /// A path outside the allowed roots.
    PathDenied,
    Timeout,
    Cancelled,
    ResponseTooLarge,
    /// More calls are waiting than the server keeps.
    Busy,
    /// The client did not declare a capability that the tool needs; `data` names it.
    MissingClientCapability,
    Internal,
    /// Known to one contract only, spelled as its document spells it.
    Own(&'static str),
}

/// Says what happened and what to try. Made by named functions, a contract's own ones beside its
/// tools.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub code: Code,
    /// Shown to the client: no path outside the roots, no secret.
    pub message: String,
    /// `data` or `details` of the contract's error.
    pub data: Option<Box<Value>>,
    /// CodeCompass shows metadata beside its errors too.
    pub metadata: Option<Box<Value>>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// For the log only.
    pub cause: Option<String>,
}

/// One thing that is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// A JSON pointer into the arguments; empty for the arguments as a whole.
    pub path: String,
    pub keyword: String,
    /// Stands in the error's own message, and there alone.
    #[serde(skip_serializing)]
    pub message: String,
    pub schema_path: String,
}

impl ToolError {
    pub fn new(code: Code, message: impl Into<String>) -> ToolError {
        let retryable = matches!(code, Code::Timeout | Code::Busy);
        ToolError {
            code,
            message: message.into(),
            data: None,
            metadata: None,
            retryable,
            cause: None,
        }
    }

    /// An error that only one contract knows.
    pub fn own(code: &'static str, message: impl Into<String>) -> ToolError {
        ToolError::new(Code::Own(code), message)
    }

    pub fn with_data(mut self, data: Value) -> ToolError {
        self.data = Some(Box::new(data));
        self
    }

    pub fn with_metadata(mut self, metadata: Value) -> ToolError {
        self.metadata = Some(Box::new(metadata));
        self
    }

    pub fn retryable(mut self) -> ToolError {
        self.retryable = true;
        self
    }

    pub fn invalid_input(message: impl Into<String>) -> ToolError {
        ToolError::new(Code::InvalidInput, message)
    }

    /// The first ten issues, in the order of their paths.
    pub fn invalid_arguments(tool: &str, mut issues: Vec<Issue>) -> ToolError {
        issues.sort();
        issues.dedup();
        issues.truncate(10);
        let message = issues
            .iter()
            .map(|issue| issue.message.as_str())
            .collect::<Vec<_>>()
            .join("; ");
        ToolError::invalid_input(message).with_data(json!({ "tool": tool, "issues": issues }))
    }

    pub fn path_denied() -> ToolError {
        // The path itself stays out: it may be what the asker wants confirmed.
        ToolError::new(
            Code::PathDenied,
            "the path is outside the allowed roots; ask about a file below one of them",
        )
    }

    pub fn path_invalid(what: impl Into<String>) -> ToolError {
        ToolError::new(Code::PathInvalid, what)
    }

    pub fn timed_out() -> ToolError {
        ToolError::new(
            Code::Timeout,
            "the call took longer than it may; ask for less, or again once indexing is done",
        )
    }

    pub fn cancelled() -> ToolError {
        ToolError::new(Code::Cancelled, "the call was cancelled")
    }

    pub fn response_too_large(bytes: usize, limit: usize) -> ToolError {
        let message = format!(
            "the answer has {bytes} bytes, more than the {limit} allowed; ask for less or page through it"
        );
        ToolError::new(Code::ResponseTooLarge, message)
    }

    pub fn busy() -> ToolError {
        ToolError::new(
            Code::Busy,
            "too many calls are waiting; try again in a moment",
        )
    }

    /// `capabilities` in the protocol's own form: `{"sampling": {}}`.
    pub fn missing_client_capability(capabilities: Value) -> ToolError {
        ToolError::new(
            Code::MissingClientCapability,
            "the client did not declare a capability that this tool needs",
        )
        .with_data(capabilities)
    }

    /// Something that should not happen; `cause` goes to the log, never to the client.
    pub fn internal(cause: impl Into<String>) -> ToolError {
        let mut error = ToolError::new(
            Code::Internal,
            "internal error; the server's log has the details",
        );
        error.cause = Some(cause.into());
        error
    }
}
