//! What can go wrong between the index and the disk, one variant per thing a caller does
//! differently.

use std::{io, path::PathBuf};

use rusqlite::{
    ErrorCode,
    ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE},
};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Newer(#[from] NewerSchema),
    /// Another process writes; trying again later is right.
    #[error("another process is writing to the index")]
    Busy,
    /// The disk is full, a quota or a file size limit is reached, or the disk fails.
    #[error("no room is left on the disk that holds the index")]
    Full,
    #[error("the index cannot be written: its directory is read-only")]
    ReadOnly,
    #[error("the index is damaged and must be built again")]
    Damaged,
    #[error("the index was written by a former release and must be built again")]
    FormerSchema,
    #[error("cannot use {path}")]
    Io { path: PathBuf, source: io::Error },
    #[error("the index database failed")]
    Database(#[source] rusqlite::Error),
    #[error("the text index failed")]
    Text(#[source] tantivy::TantivyError),
}

/// The index was written by a later release, whose tables this one cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the index in {path} was written by a newer codecompass (schema {found}; this one knows {known}): update codecompass, or remove the index with `codecompass clean`"
)]
pub struct NewerSchema {
    pub path: PathBuf,
    pub found: i64,
    pub known: i64,
}

pub type Result<T> = std::result::Result<T, Error>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            // Busy is never read as corrupt.
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
            Some(ErrorCode::DiskFull) => Error::Full,
            Some(ErrorCode::ReadOnly) => Error::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Damaged,
            // A file size limit or a quota shows as a failed write, and a disk without room for the
            // shared memory of the log as a failed resize.
            Some(ErrorCode::SystemIoFailure)
                if error.sqlite_error().is_some_and(|error| {
                    matches!(
                        error.extended_code,
                        SQLITE_IOERR_WRITE | SQLITE_IOERR_SHMSIZE
                    )
                }) =>
            {
                Error::Full
            }
            _ => Error::Database(error),
        }
    }
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Error {
        match &error {
            tantivy::TantivyError::LockFailure(..) => Error::Busy,
            tantivy::TantivyError::IoError(source) => match source.kind() {
                io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::FileTooLarge => Error::Full,
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                    Error::ReadOnly
                }
                _ => Error::Text(error),
            },
            tantivy::TantivyError::DataCorruption(_) => Error::Damaged,
            _ => Error::Text(error),
        }
    }
}
