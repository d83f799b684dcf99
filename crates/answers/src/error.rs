//! Why a question gets no session, one variant per thing a front end does differently.

use facts::ContentId;
use workspace::Job;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    NotServed(#[from] NotServed),
    #[error("`{name}` cannot name a branch, tag or commit")]
    InvalidRef { name: String },
    /// A shallow or partial clone lacks the objects.
    #[error("`{name}` names a commit whose objects cannot be read here")]
    UnreadableCommit { name: String },
    #[error("nothing is indexed yet; indexing runs in the background")]
    NotIndexed { job: Option<String> },
    /// There is nothing to answer from. The next question starts the index again.
    #[error("the index failed: {}", job.error.as_ref().map_or("unknown cause", |error| &error.message))]
    IndexFailed { job: Box<Job> },
    /// Files changed that are not taken in yet, and the client insists on a fresh answer.
    #[error("the index is stale")]
    Stale {
        indexed: Option<ContentId>,
        head: Option<ContentId>,
        remaining_files: u64,
    },
    #[error("cancelled")]
    Cancelled,
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
}

/// Why a call gets no workspace.
#[derive(Debug, thiserror::Error)]
pub enum NotServed {
    #[error(
        "no workspace was named, and this server has no default one: start it inside a repository or with `--workspace DIR`, or pass `workspace`"
    )]
    NoProject,
    #[error(
        "the workspace is not one of those this server was started with: add `--workspace DIR`, or `--auto-workspace --allowed-root DIR`"
    )]
    NotRegistered,
    #[error("the workspace lies outside the allowed roots, or cannot be resolved")]
    NotAllowed,
    /// Nothing is published under that name, or the caller may not know of it: one answer.
    #[error("no such repository is published here, or this token may not ask about it")]
    Unpublished,
    #[error(
        "this server serves {n_all} repositories: name one in `workspace`, or `*` for all, such as {}",
        some.join(", ")
    )]
    Unnamed { some: Vec<String>, n_all: usize },
    #[error("{at_most} workspaces are open and all of them are busy: try again when one is done")]
    LimitExceeded { at_most: usize },
    #[error(transparent)]
    Failed(#[from] workspace::Error),
}

pub type Result<T> = std::result::Result<T, Error>;
