//! Counters that grow when what an answer rests on changes, so that no page is taken from two
//! states.
//!
//! A counter begins with the store's generation, which every change to the files has made grow, and
//! grows by one per change that is seen here. So it is never ahead of the store, and where a
//! process begins with a number that another one had, the files are the same: no restart repeats
//! one for another state. Reading never moves a counter.

use std::{path::PathBuf, sync::Arc};

use answers::Session;
use engine::{File, Snapshot};
use language_servers::{FileChange, FileChangeKind};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::shapes::sha256_hex;
use crate::{Roots, ToolError};

#[derive(Default)]
pub struct Epochs(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    workspaces: FxHashMap<PathBuf, SeenWorkspace>,
    folders: Vec<PathBuf>,
    roots: u64,
}

struct SeenWorkspace {
    snapshot: Arc<Snapshot>,
    epoch: Epoch,
}

/// How often the texts and the list of files of some workspaces have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epoch {
    pub text: u64,
    pub files: u64,
}

impl Epochs {
    /// Takes in how a workspace looks now. `each_change` is told what differs from the last time.
    pub fn observe(
        &self,
        session: &Session,
        mut each_change: impl FnMut(FileChange),
    ) -> Result<Epoch, ToolError> {
        let mut seen = self.0.lock();
        let root = session.workspace.root();
        let snapshot = &session.view.snapshot;
        let Some(known) = seen.workspaces.get_mut(root) else {
            let generation = session
                .workspace
                .store()
                .generation()
                .map_err(|error| ToolError::internal(error.to_string()))?;
            let epoch = Epoch {
                text: generation,
                files: generation,
            };
            seen.workspaces.insert(
                root.to_path_buf(),
                SeenWorkspace {
                    snapshot: snapshot.clone(),
                    epoch,
                },
            );
            return Ok(epoch);
        };
        if !Arc::ptr_eq(&known.snapshot, snapshot) {
            let (mut text, mut files) = (false, false);
            differences(&known.snapshot, snapshot, |file, kind| {
                files |= kind != FileChangeKind::Changed;
                text |= kind == FileChangeKind::Changed;
                each_change(FileChange {
                    path: root.join(file.path.as_str()),
                    kind,
                });
            });
            known.epoch.text += u64::from(text);
            known.epoch.files += u64::from(files);
            known.snapshot = snapshot.clone();
        }
        Ok(known.epoch)
    }

    /// Takes in which workspaces there are.
    pub fn observe_folders(&self, folders: Vec<PathBuf>) {
        let mut seen = self.0.lock();
        if seen.folders != folders {
            seen.roots += u64::from(!seen.folders.is_empty());
            seen.folders = folders;
        }
    }

    pub fn roots(&self) -> u64 {
        self.0.lock().roots
    }
}

impl std::ops::Add for Epoch {
    type Output = Epoch;

    fn add(self, other: Epoch) -> Epoch {
        Epoch {
            text: self.text.wrapping_add(other.text),
            files: self.files.wrapping_add(other.files),
        }
    }
}

/// The text that binds a snapshot key to a state: the roots, then the epochs in the contract's
/// order.
pub fn tuple(roots: &Roots, epochs: &[u64]) -> String {
    let mut paths: Vec<String> = roots
        .paths()
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    paths.sort_unstable();
    let key = sha256_hex(&serde_json::Value::from(paths).to_string());
    let epochs: Vec<String> = epochs.iter().map(u64::to_string).collect();
    format!("roots:{key}|epochs:{}", epochs.join(","))
}

/// Both lists are in order of path.
fn differences(former: &Snapshot, latter: &Snapshot, mut each: impl FnMut(&File, FileChangeKind)) {
    let (mut before, mut after) = (
        former.files().map(|(_, file)| file).peekable(),
        latter.files().map(|(_, file)| file).peekable(),
    );
    loop {
        match (before.peek(), after.peek()) {
            (None, None) => return,
            (Some(old), Some(new)) if old.path == new.path => {
                if old.content != new.content {
                    each(new, FileChangeKind::Changed);
                }
                before.next();
                after.next();
            }
            (Some(old), new) if new.is_none_or(|new| old.path < new.path) => {
                each(old, FileChangeKind::Deleted);
                before.next();
            }
            (_, Some(new)) => {
                each(new, FileChangeKind::Created);
                after.next();
            }
            (Some(_), None) => unreachable!("taken by the arm for what is gone"),
        }
    }
}
