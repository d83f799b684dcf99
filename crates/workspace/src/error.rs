//! What can go wrong between a question and a snapshot, one variant per thing a caller does
//! differently.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path} is not a directory that can be read")]
    NotADirectory { path: PathBuf, source: io::Error },
    #[error("{path} lies outside the allowed roots")]
    OutsideRoots { path: PathBuf },
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
    #[error("the same work is already under way as job {job}")]
    InProgress { job: String },
    #[error("cancelled")]
    Cancelled,
    #[error("git's objects cannot be read")]
    Git(#[source] Box<gix::Error>),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("cannot read {path}")]
    Io { path: PathBuf, source: io::Error },
}

pub type Result<T> = std::result::Result<T, Error>;

impl From<gix::Error> for Error {
    fn from(error: gix::Error) -> Error {
        Error::Git(Box::new(error))
    }
}
