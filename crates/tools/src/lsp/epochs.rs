//! Counters that grow when what an answer rests on changes, so that no page is taken from two states.
//!
//! A counter begins with a hash of what was seen first and grows by one per change: equal states give equal cursors, also in another
//! process, and no restart makes an old cursor look new. Reading never moves a counter.

use std::{path::PathBuf, sync::Arc};

use engine::{File, Snapshot};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::shapes::sha256_hex;
use crate::{Moment, Roots};

#[derive(Default)]
pub struct Epochs(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    workspaces: FxHashMap<PathBuf, Workspace>,
    folders: Vec<PathBuf>,
    roots: u64,
}

struct Workspace {
    snapshot: Arc<Snapshot>,
    epoch: Epoch,
}

/// Where one or several workspaces stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epoch {
    pub text: u64,
    pub files: u64,
}

/// A file that is not what it was when the workspace was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Created,
    Changed,
    Deleted,
}

/// Sums of hashes stay far below what 64 bits hold.
const FIRST_BITS: u32 = 48;

impl Epochs {
    /// Takes in how a workspace looks now. `each_change` is told what differs from the last time.
    pub fn observe(&self, moment: &Moment, mut each_change: impl FnMut(Change)) -> Epoch {
        let mut seen = self.0.lock();
        let root = moment.workspace.root();
        let snapshot = &moment.view.snapshot;
        let Some(known) = seen.workspaces.get_mut(root) else {
            let epoch = first(moment);
            seen.workspaces.insert(root.to_path_buf(), Workspace { snapshot: snapshot.clone(), epoch });
            return epoch;
        };
        if !Arc::ptr_eq(&known.snapshot, snapshot) {
            let (mut text, mut files) = (false, false);
            differences(&known.snapshot, snapshot, |file, kind| {
                files |= kind != ChangeKind::Changed;
                text |= kind == ChangeKind::Changed;
                each_change(Change { path: root.join(file.path.as_str()), kind });
            });
            known.epoch.text += u64::from(text);
            known.epoch.files += u64::from(files);
            known.snapshot = snapshot.clone();
        }
        known.epoch
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
        Epoch { text: self.text.wrapping_add(other.text), files: self.files.wrapping_add(other.files) }
    }
}

/// The text that binds a snapshot key to a state: the roots, then the epochs in the contract's order.
pub fn tuple(roots: &Roots, epochs: &[u64]) -> String {
    let mut paths: Vec<String> = roots.paths().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    paths.sort_unstable();
    let key = sha256_hex(&serde_json::Value::from(paths).to_string());
    let epochs: Vec<String> = epochs.iter().map(u64::to_string).collect();
    format!("roots:{key}|epochs:{}", epochs.join(","))
}

fn first(moment: &Moment) -> Epoch {
    // Numbers of contents differ from store to store; their ids do not.
    let rows = moment.workspace.store().contents().unwrap_or_default();
    let ids: FxHashMap<u32, String> =
        rows.into_iter().map(|row| (row.number.0, format!("{}:{}", row.id.content, row.id.extractor_version))).collect();
    let (mut text, mut files) = (blake3::Hasher::new(), blake3::Hasher::new());
    for (_, file) in moment.view.snapshot.files() {
        files.update(file.path.as_str().as_bytes()).update(b"\0");
        text.update(ids.get(&file.content.0).map_or(&[][..], |id| id.as_bytes())).update(b"\0");
    }
    let bits = |hasher: blake3::Hasher| {
        let hash: [u8; 8] = hasher.finalize().as_bytes()[..8].try_into().unwrap_or_default();
        u64::from_be_bytes(hash) >> (64 - FIRST_BITS)
    };
    Epoch { text: bits(text), files: bits(files) }
}

/// Both lists are in order of path.
fn differences(former: &Snapshot, latter: &Snapshot, mut each: impl FnMut(&File, ChangeKind)) {
    let (mut before, mut after) = (former.files().map(|(_, file)| file).peekable(), latter.files().map(|(_, file)| file).peekable());
    loop {
        match (before.peek(), after.peek()) {
            (None, None) => return,
            (Some(old), Some(new)) if old.path == new.path => {
                if old.content != new.content {
                    each(new, ChangeKind::Changed);
                }
                before.next();
                after.next();
            }
            (Some(old), new) if new.is_none_or(|new| old.path < new.path) => {
                each(old, ChangeKind::Deleted);
                before.next();
            }
            (_, Some(new)) => {
                each(new, ChangeKind::Created);
                after.next();
            }
            (Some(_), None) => unreachable!("taken by the arm for what is gone"),
        }
    }
}
