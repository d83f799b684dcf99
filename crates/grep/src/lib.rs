//! Searches text as ripgrep does: its flags, its output to the byte and its exit status, over the
//! working directory or over files that are not on disk, such as those of another commit.
//!
//! [`run`] takes ripgrep's own arguments and a [`SearchTree`] to search:
//!
//! - [`WorkingDirectory`] walks the disk as ripgrep does;
//! - [`ListedTree`] searches files that someone else lists and reads, as a clean checkout of them
//!   would be searched.
//!
//! The matching, reading and printing is done by the libraries that ripgrep is made of. This crate
//! parses the arguments (`args.rs`, `flags.rs`), finds the files (`directory.rs`, `listing.rs`),
//! and runs the search on several threads with output in the order of paths (`run.rs`,
//! `sequence.rs`).
//!
//! # What differs from ripgrep
//!
//! - Results always are sorted by path, as with `rg --sort path`.
//! - Standard input is never searched, and no configuration file is read.
//! - Messages on standard error begin with the name that the caller gives, and some are shorter.
//! - Flags that start other programs (`--pre`, `-z`), choose another engine (`-P`) or log are
//!   refused by name, with status 2.
//! - `--symbols` names the symbol around each line (see [`Annotate`]).

mod args;
mod capacity;
mod directory;
mod flags;
mod listing;
mod literals;
mod matcher;
mod platform;
mod printer;
mod run;
pub mod search;
pub mod selection;
mod sequence;
mod symbols;
mod tree;

use std::{ffi::OsString, io, io::Write};

pub use args::{GrepRequest, parse};
pub use directory::WorkingDirectory;
pub use listing::{ListedFiles, ListedTree, MemoryFiles};
pub use literals::AnyOf;
pub use run::FindCandidates;
pub use symbols::Annotate;
pub use tree::{FileContent, FoundFile, PathKind, SearchTree, VisitItem, WalkItem};

/// The release of ripgrep whose output is printed: the one that the `grep-*` libraries belong to.
pub const RIPGREP: &str = "15.2.0";

/// How a search ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exit {
    Found,
    NotFound,
    /// Something could not be searched, or the arguments are wrong.
    Error,
}

impl Exit {
    /// The exit status of a process, as ripgrep has it.
    pub fn status(self) -> u8 {
        match self {
            Exit::Found => 0,
            Exit::NotFound => 1,
            Exit::Error => 2,
        }
    }
}

/// Why a search did not begin, or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The arguments are wrong; the text says how.
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Filter(#[from] ignore::Error),
    /// The output could not be written.
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// What a caller decides about a search.
#[derive(Clone, Copy)]
pub struct GrepOptions<'a> {
    /// Stands before each message on standard error, and in `--help`.
    pub name: &'a str,
    /// The most threads to search with.
    pub n_threads: usize,
    /// Whether the output goes to a terminal, which has headings, line numbers and colours.
    pub is_terminal: bool,
    /// An index that narrows the files to read.
    pub candidates: Option<&'a FindCandidates<'a>>,
    /// An index that knows the symbols of lines, for `--symbols`.
    pub annotate: Option<&'a dyn Annotate>,
}

impl Default for GrepOptions<'_> {
    fn default() -> Self {
        let n_cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        GrepOptions {
            name: "grep",
            // More threads than this wait for the disk and for each other.
            n_threads: n_cores.min(12),
            is_terminal: false,
            candidates: None,
            annotate: None,
        }
    }
}

/// Runs a search with ripgrep's arguments. Results go to `out`, messages to `errors`.
pub fn run(
    arguments: impl IntoIterator<Item = impl Into<OsString>>,
    tree: &dyn SearchTree,
    options: &GrepOptions<'_>,
    out: &mut (dyn Write + Send),
    errors: &mut (dyn Write + Send),
) -> Exit {
    let outcome = parse(arguments).and_then(|request| match request {
        GrepRequest::Search(search) => {
            let sinks = sequence::Sinks {
                out,
                errors: &mut *errors,
                name: options.name,
            };
            run::run(&search, tree, options, sinks)
        }
        GrepRequest::Help => Ok(out
            .write_all(flags::help(options.name).as_bytes())
            .map(|()| Exit::Found)?),
        GrepRequest::Version => {
            Ok(writeln!(out, "grep, as in ripgrep {RIPGREP}").map(|()| Exit::Found)?)
        }
    });
    match outcome {
        Ok(exit) => exit,
        Err(Error::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Found,
        Err(error) => {
            // Nobody reads a message that cannot be written.
            let _ = writeln!(errors, "{}: {error}", options.name);
            Exit::Error
        }
    }
}
