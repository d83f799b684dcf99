//! What a search reads from: the working directory (`directory.rs`), or files that are listed and
//! read some other way, such as those of a commit (`listing.rs`).

use std::{
    borrow::Cow,
    collections::HashSet,
    fs::File,
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use crate::{Error, selection::Selection};

/// Files that can be searched.
pub trait SearchTree: Sync {
    /// What a path names that was given as an argument.
    fn kind(&self, path: &Path) -> PathKind;

    /// Reports every file that a selection has, sorted by path below each path that it names, and
    /// what could not be looked at. Stops when `visit` breaks. Files that are not among `candidates`,
    /// where there are any, need not be reported.
    ///
    /// An error means that nothing was reported.
    fn walk(
        &self,
        selection: &Selection,
        candidates: Option<&HashSet<PathBuf>>,
        visit: &mut VisitItem<'_>,
    ) -> Result<(), Error>;

    /// The content of a file that [`SearchTree::walk`] reported.
    fn open(&self, file: &FoundFile) -> io::Result<FileContent<'_>>;

    /// The content of a file that an argument names, such as the patterns of `-f`.
    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>>;
}

/// Takes what [`SearchTree::walk`] reports, one by one.
pub type VisitItem<'a> = dyn FnMut(WalkItem) -> ControlFlow<()> + 'a;

/// What a walk reports.
#[derive(Debug)]
pub enum WalkItem {
    File(FoundFile),
    /// A path that could not be looked at; the search ends with an error status.
    Failure(String),
    /// An ignore file with rules that could not be read; the others apply.
    BrokenRules(String),
}

/// A file to search.
#[derive(Clone, Debug)]
pub struct FoundFile {
    /// The path to print.
    pub shown: PathBuf,
    /// The path by which the tree opens the file, and by which an index knows it: relative to the
    /// root of the tree.
    pub path: PathBuf,
    /// Whether an argument named this file itself, rather than a directory above it.
    pub is_named: bool,
}

/// What a path is, links followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PathKind {
    File,
    Directory,
    /// Nothing, or something that is neither.
    Other,
}

/// The content of a file.
pub enum FileContent<'a> {
    File(File),
    Bytes(Cow<'a, [u8]>),
}

impl FileContent<'_> {
    pub(crate) fn reader(&self) -> Box<dyn io::Read + '_> {
        match self {
            FileContent::File(file) => Box::new(file),
            FileContent::Bytes(bytes) => Box::new(&bytes[..]),
        }
    }
}
