//! One file of a repository: its path, what it holds, and whether that is indexed.
//!
//! The state of a file has one form from the walk of the working tree to the tables on disk.

use std::{borrow::Borrow, fmt, sync::Arc};

use crate::{ContentNumber, LanguageId};

/// A path below the repository's root, with `/` between its parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    pub fn new(path: &str) -> RepoPath {
        RepoPath(Arc::from(path))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The directory, without a trailing `/`; empty for the root.
    pub fn directory(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory)
    }
}

impl From<String> for RepoPath {
    fn from(path: String) -> RepoPath {
        RepoPath(Arc::from(path))
    }
}

/// Compares and hashes as its text does.
impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<&str> for RepoPath {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == *text
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An indexed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: RepoPath,
    pub content: ContentNumber,
    pub language: LanguageId,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    Indexed {
        content: ContentNumber,
        language: LanguageId,
    },
    Skipped(SkipReason),
    /// It is not there, or no longer.
    Gone,
}

impl FileState {
    /// What the file holds, if it is indexed.
    pub fn content(self) -> Option<(ContentNumber, LanguageId)> {
        match self {
            FileState::Indexed { content, language } => Some((content, language)),
            FileState::Skipped(_) | FileState::Gone => None,
        }
    }
}

/// A file that is there and not indexed. Skipped files are never silent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    pub path: RepoPath,
    pub reason: SkipReason,
}

/// Why a file is not indexed: one variant per thing a user can do about it. The numbers are written to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SkipReason {
    TooLarge = 1,
    Binary = 2,
    /// Likely to hold secrets: `.env`, private keys.
    Credential = 3,
    Unreadable = 4,
    /// A pipe, socket or device.
    SpecialFile = 5,
    SymbolicLink = 6,
    /// A repository inside the repository; open it as a workspace of its own.
    Submodule = 7,
    /// The path is no Unicode text, or too long.
    Name = 8,
    /// It changed each time it was read.
    Changing = 9,
    /// Extracting it failed; the failure is ours.
    Failed = 10,
    /// The object is not in this clone.
    Absent = 11,
    /// Git holds a pointer to it; the text itself is in large-file storage.
    LargeFilePointer = 12,
}

impl SkipReason {
    pub const ALL: &'static [SkipReason] = {
        use SkipReason::*;
        &[
            TooLarge,
            Binary,
            Credential,
            Unreadable,
            SpecialFile,
            SymbolicLink,
            Submodule,
            Name,
            Changing,
            Failed,
            Absent,
            LargeFilePointer,
        ]
    };

    pub fn from_number(number: u8) -> Option<SkipReason> {
        SkipReason::ALL
            .iter()
            .copied()
            .find(|reason| *reason as u8 == number)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::TooLarge => "too_large",
            SkipReason::Binary => "binary",
            SkipReason::Credential => "credential",
            SkipReason::Unreadable => "unreadable",
            SkipReason::SpecialFile => "special_file",
            SkipReason::SymbolicLink => "symbolic_link",
            SkipReason::Submodule => "submodule",
            SkipReason::Name => "name",
            SkipReason::Changing => "changing",
            SkipReason::Failed => "failed",
            SkipReason::Absent => "absent",
            SkipReason::LargeFilePointer => "large_file_pointer",
        }
    }
}
