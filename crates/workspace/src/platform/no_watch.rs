//! Takes the place of `watch` where no watcher can be relied on: the working tree is walked before
//! each answer.
//!
//! On Windows, `notify` does not tell that the system dropped events, and events of two directories
//! come in no order. On macOS its `kqueue` watcher needs a descriptor for every file, and the
//! other one a framework of Apple's. An answer must not be called fresh that is not.

use std::{
    convert::Infallible,
    path::{Path, PathBuf},
};

use crate::live::DirtyPaths;

/// There is none.
pub enum NoWatch {}

impl NoWatch {
    pub fn start(_: &Path, _: PathBuf) -> Option<NoWatch> {
        None
    }

    pub fn add(&mut self, _: &[String]) -> Result<Vec<String>, Infallible> {
        match *self {}
    }

    pub fn take_dirty(&mut self) -> DirtyPaths {
        match *self {}
    }
}
