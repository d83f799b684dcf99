//! What can go wrong between a question and a snapshot, one variant per thing a caller does
//! differently.

use std::{io, path::PathBuf};

use store::JobErrorKind;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path} is not a directory that can be read")]
    NotADirectory { path: PathBuf, source: io::Error },
    #[error("the repository at {path} cannot be opened")]
    Repository {
        path: PathBuf,
        source: Box<gix::Error>,
    },
    /// There is no git repository, or no such name in it, or its objects are not here.
    #[error("`{name}` names no commit that this repository holds")]
    UnknownRef { name: String },
    #[error("`{name}` is an abbreviation of several commits")]
    AmbiguousRef { name: String },
    #[error("there is no overlay `{id}`")]
    UnknownOverlay { id: String },
    #[error("`{id}` cannot name an overlay: use 1 to 128 letters, digits, `-`, `_`, `.` or `:`")]
    InvalidOverlayId { id: String },
    #[error("`{path}` is not a path below the repository's root")]
    InvalidPath { path: String },
    /// A merge is under way.
    #[error("a merge left {path} unresolved: resolve it and `git add` it first")]
    Unmerged { path: String },
    #[error("the same work is already under way as job {job}")]
    InProgress { job: String },
    #[error("cancelled")]
    Cancelled,
    #[error("git's objects cannot be read")]
    Git(#[source] Box<gix::Error>),
    /// Another process writes to the index; trying again later is right.
    #[error("{}", store::Error::Busy)]
    Busy,
    #[error("{}", store::Error::Full)]
    Full,
    #[error("{}", store::Error::ReadOnly)]
    ReadOnly,
    #[error(transparent)]
    Newer(store::NewerSchema),
    /// The index is damaged, or its database failed in another way.
    #[error(transparent)]
    Store(store::Error),
    /// What another machine published cannot be read, and is not here.
    #[error(
        "the published index cannot be read: the remote store does not answer, or lost an object"
    )]
    Remote,
    /// Nothing can be indexed or kept here.
    #[error(
        "the repository is served as it was published, without a working tree: `codecompass publish` brings newer commits"
    )]
    PublishedOnly,
    #[error("cannot read {path}")]
    Io { path: PathBuf, source: io::Error },
}

pub type Result<T> = std::result::Result<T, Error>;

impl From<gix::Error> for Error {
    fn from(error: gix::Error) -> Error {
        Error::Git(Box::new(error))
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        match error {
            store::Error::Busy => Error::Busy,
            store::Error::Full => Error::Full,
            store::Error::ReadOnly => Error::ReadOnly,
            store::Error::Newer(newer) => Error::Newer(newer),
            error => Error::Store(error),
        }
    }
}

impl Error {
    /// As a job keeps it for other processes.
    pub fn job_error_kind(&self) -> JobErrorKind {
        match self {
            Error::Busy => JobErrorKind::Busy,
            Error::Full => JobErrorKind::Full,
            Error::ReadOnly => JobErrorKind::ReadOnly,
            Error::Newer(_) => JobErrorKind::Newer,
            _ => JobErrorKind::Other,
        }
    }
}
