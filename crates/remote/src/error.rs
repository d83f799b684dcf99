//! What can go wrong with a remote store, one variant per thing that a caller does differently.

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "`{url}` is no address of a remote store: {why}; write s3://BUCKET/PREFIX, gs://, az:// or file:///DIRECTORY"
    )]
    Url { url: String, why: String },
    #[error(
        "the team key has {length} characters; it takes at least {least}: `openssl rand -hex 32` makes one"
    )]
    ShortKey { length: usize, least: usize },
    /// It failed a short while ago and is not asked again yet.
    #[error("the remote store failed {seconds} s ago and is left alone for now")]
    Resting { seconds: u64 },
    #[error("the remote store did not answer within {seconds} s")]
    TimedOut { seconds: u64 },
    #[error("the remote store refuses: {0}")]
    Denied(String),
    #[error("the remote store failed: {0}")]
    Failed(String),
    #[error("{0} is not there")]
    Absent(String),
    #[error("{0} is damaged, or was sealed with another key")]
    Damaged(String),
    /// Another publisher was quicker.
    #[error("{0} was changed by another publisher")]
    Conflict(String),
    #[error(
        "the store ignores conditional writes ({0}): two publishers would overwrite each other, so nothing was published; use a store that honours If-None-Match and If-Match"
    )]
    Unconditional(&'static str),
    #[error("a newer program wrote this: {0}")]
    Newer(String),
    #[error(
        "the commit cannot be published: {0} of its files are not in this clone; fetch them first"
    )]
    Incomplete(usize),
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    /// Whether the store itself misbehaved, so that it is better left alone for a while.
    pub(crate) fn is_of_the_store(&self) -> bool {
        matches!(
            self,
            Error::TimedOut { .. } | Error::Failed(_) | Error::Denied(_)
        )
    }
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Error {
        use object_store::Error as Of;
        match error {
            Of::NotFound { path, .. } => Error::Absent(path),
            Of::AlreadyExists { path, .. } | Of::Precondition { path, .. } => Error::Conflict(path),
            Of::PermissionDenied { .. } | Of::Unauthenticated { .. } => {
                Error::Denied(error.to_string())
            }
            other => Error::Failed(other.to_string()),
        }
    }
}
