//! The files of the working tree as they were last indexed, and how they are synced with the disk.

use std::{
    collections::BTreeMap,
    ops::Bound,
    time::{Duration, Instant},
};

use facts::{File, FileState, RepoPath, Skipped};
use rustc_hash::FxHashSet;
use store::{Batch, LiveFile, Stat, Store, Worktree, WorktreeNumber};

use crate::{
    Result,
    ingest::{Counts, IndexedFile, IngestContext, Task, TaskSource},
    text::FEW,
    view::file,
    walk::{DiskFile, DiskTree, Look, Walked},
};

/// Path by path, what was read and what it was. No file in it is gone.
pub struct LiveTree {
    pub number: WorktreeNumber,
    /// Every file was indexed at least once.
    pub complete: bool,
    pub files: BTreeMap<RepoPath, LiveFile>,
    /// How it differs from its last snapshot.
    pub delta: TreeDelta,
}

/// How a tree differs from its last snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeDelta {
    /// These files have other contents; no file came or went.
    Edited(Vec<RepoPath>),
    Anything,
}

/// Paths that may differ from what is known of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DirtyPaths {
    /// The whole tree is walked.
    #[default]
    All,
    /// Only these paths, and what is below them.
    Some(FxHashSet<String>),
}

impl DirtyPaths {
    pub const NONE: DirtyPaths =
        DirtyPaths::Some(FxHashSet::with_hasher(rustc_hash::FxBuildHasher));

    /// The paths that may differ in either.
    pub fn union(self, other: DirtyPaths) -> DirtyPaths {
        match (self, other) {
            (DirtyPaths::Some(mut paths), DirtyPaths::Some(others)) => {
                paths.extend(others);
                DirtyPaths::Some(paths)
            }
            _ => DirtyPaths::All,
        }
    }
}

impl FromIterator<String> for DirtyPaths {
    fn from_iter<I: IntoIterator<Item = String>>(paths: I) -> DirtyPaths {
        DirtyPaths::Some(paths.into_iter().collect())
    }
}

/// How far a sync has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexProgress {
    pub done: u64,
    pub total: u64,
    pub extracted: u64,
    /// Symbols of the contents that were extracted.
    pub symbols: u64,
    /// Files that were added, removed, or have another content than before.
    pub changed: u64,
}

impl IndexProgress {
    /// After another round of the same work.
    pub(crate) fn and(self, round: IndexProgress) -> IndexProgress {
        IndexProgress {
            done: self.done + round.done,
            total: self.total + round.total,
            extracted: self.extracted + round.extracted,
            symbols: self.symbols + round.symbols,
            changed: self.changed + round.changed,
        }
    }
}

/// How a sync went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Files that were added, changed or removed.
    pub changed: u64,
    pub counts: Counts,
    /// Files that are known to differ and were not indexed before the deadline.
    pub remaining: Vec<RepoPath>,
    /// Every directory that was listed.
    pub directories: Vec<String>,
}

impl LiveTree {
    pub fn load(store: &Store, worktree: &Worktree) -> Result<LiveTree> {
        Ok(LiveTree {
            number: worktree.number,
            complete: worktree.complete,
            files: store.live_files(worktree.number)?.into_iter().collect(),
            delta: TreeDelta::Anything,
        })
    }

    /// Makes the next sync read files with these contents again; until then they serve as they are.
    pub fn mark_outdated(&mut self, contents: &FxHashSet<facts::ContentNumber>) {
        if contents.is_empty() {
            return;
        }
        for file in self.files.values_mut() {
            let content = file.state.content();
            file.racy |= content.is_some_and(|(content, _)| contents.contains(&content));
        }
    }

    /// The files of a snapshot of this tree.
    pub fn snapshot_files(&self) -> Vec<File> {
        let indexed = |(path, known): (&RepoPath, &LiveFile)| file(path, known.state);
        self.files.iter().filter_map(indexed).collect()
    }

    pub fn skipped(&self) -> Vec<Skipped> {
        let skipped = |(path, file): (&RepoPath, &LiveFile)| match file.state {
            FileState::Skipped(reason) => Some(Skipped {
                path: path.clone(),
                reason,
            }),
            FileState::Indexed { .. } | FileState::Gone => None,
        };
        self.files.iter().filter_map(skipped).collect()
    }

    /// Syncs the tree with the disk as far as the deadline allows. Removed files leave it at once;
    /// changed files keep their former content until they are indexed. `published` is called after
    /// each batch.
    pub fn sync(
        &mut self,
        context: &IngestContext<'_>,
        tree: &DiskTree<'_>,
        dirty: &DirtyPaths,
        deadline: Option<Instant>,
        mut published: impl FnMut(&LiveTree, IndexProgress),
    ) -> Result<Synced> {
        let Differences {
            unread,
            tasks,
            directories,
        } = self.compare(tree, dirty, context.force)?;
        let mut synced = Synced {
            directories,
            ..Synced::default()
        };
        /// One transaction: others wait for it.
        const TOGETHER: usize = 2000;
        for files in unread.chunks(TOGETHER) {
            let nothing = Batch {
                is_small: files.len() <= FEW,
                ..Batch::default()
            };
            context
                .store
                .publish_live(self.number, &nothing, |_| files.to_vec())?;
            synced.changed += self.apply(files.to_vec());
        }
        let mut progress = IndexProgress {
            total: tasks.len() as u64,
            changed: synced.changed,
            ..IndexProgress::default()
        };
        published(self, progress);
        if tasks.is_empty() {
            return Ok(synced);
        }
        let mut last = Instant::now();
        let (rest, counts) = context.run(tasks, deadline, |files, counts| {
            progress.done += files.len() as u64;
            (progress.extracted, progress.symbols) = (counts.extracted, counts.symbols);
            synced.changed += self.apply(files);
            progress.changed = synced.changed;
            if last.elapsed() >= Duration::from_millis(500) {
                published(self, progress);
                last = Instant::now();
            }
        })?;
        published(self, progress);
        synced.counts = counts;
        synced.remaining = rest.into_iter().map(|task| task.path).collect();
        Ok(synced)
    }

    /// Returns how many files were added, changed or removed.
    fn apply(&mut self, files: Vec<IndexedFile>) -> u64 {
        let mut changed = 0;
        for (path, file) in files {
            let former = match file.state {
                FileState::Gone => self.files.remove(&path),
                _ => self.files.insert(path.clone(), file),
            };
            let former = former.map_or(FileState::Gone, |former| former.state);
            if former == file.state {
                continue;
            }
            changed += 1;
            match &mut self.delta {
                TreeDelta::Edited(paths)
                    if former.content().is_some() && file.state.content().is_some() =>
                {
                    paths.push(path)
                }
                delta => *delta = TreeDelta::Anything,
            }
        }
        changed
    }

    /// Compares the disk with what is known, by metadata.
    fn compare(&self, tree: &DiskTree<'_>, dirty: &DirtyPaths, force: bool) -> Result<Differences> {
        let walked = match dirty {
            DirtyPaths::All => tree.walk().map_err(|source| crate::Error::Io {
                path: ".".into(),
                source,
            })?,
            DirtyPaths::Some(paths) => look_at(tree, paths),
        };
        let seen: FxHashSet<&str> = walked.files.iter().map(|(path, _)| path.as_str()).collect();
        let gone = |path: &RepoPath| {
            (!seen.contains(path.as_str())).then(|| (path.clone(), LiveFile::GONE))
        };
        let mut unread: Vec<IndexedFile> = match dirty {
            DirtyPaths::All => self.files.keys().filter_map(gone).collect(),
            DirtyPaths::Some(paths) => {
                let known = paths.iter().flat_map(|path| self.at_or_below(path));
                let known: FxHashSet<&RepoPath> = known.collect();
                known.into_iter().filter_map(gone).collect()
            }
        };
        unread.sort_by(|a, b| a.0.cmp(&b.0));
        let mut tasks = Vec::new();
        for (path, found) in walked.files {
            let known = self.files.get(path.as_str());
            match found {
                DiskFile::File(stat) => {
                    if force || known.is_none_or(|known| known.racy || known.stat != stat) {
                        tasks.push(Task {
                            path: path.into(),
                            from: TaskSource::Disk(stat),
                        });
                    }
                }
                DiskFile::Skipped(reason) => {
                    let file = LiveFile {
                        stat: Stat::default(),
                        racy: false,
                        state: FileState::Skipped(reason),
                    };
                    if known != Some(&file) {
                        unread.push((path.into(), file));
                    }
                }
            }
        }
        // Neighbours get neighbouring numbers, whatever order the directory has.
        tasks.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Differences {
            unread,
            tasks,
            directories: walked.directories,
        })
    }

    /// The known files at a path, and below it where it is a directory.
    fn at_or_below(&self, path: &str) -> impl Iterator<Item = &RepoPath> {
        let below = format!("{path}/");
        let at = self.files.get_key_value(path).map(|(path, _)| path);
        let from = (Bound::Included(below.as_str()), Bound::Unbounded);
        let known = self.files.range::<str, _>(from);
        at.into_iter().chain(
            known
                .map(|(known, _)| known)
                .take_while(move |known| known.as_str().starts_with(&below)),
        )
    }
}

/// What the disk shows beside what is known.
struct Differences {
    /// Files that are gone or skipped, whose bytes are not read.
    unread: Vec<IndexedFile>,
    tasks: Vec<Task>,
    directories: Vec<String>,
}

/// What is at these paths, and below them.
fn look_at(tree: &DiskTree<'_>, paths: &FxHashSet<String>) -> Walked {
    let mut walked = Walked::default();
    for path in paths {
        match tree.look(path) {
            Some(Look::File(found)) => walked.files.push((path.clone(), found)),
            Some(Look::Directory) => tree.walk_below(path, &mut walked),
            None => {}
        }
    }
    walked.files.sort_by(|a, b| a.0.cmp(&b.0));
    walked.files.dedup_by(|a, b| a.0 == b.0);
    walked
}
