//! The working tree as it was last taken in, and how it is brought into step.

use std::{
    collections::BTreeMap,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use engine::{File, RepoPath};
use rustc_hash::FxHashSet;
use store::{Batch, LiveFile, Outcome, Skipped, Stat, Store, Worktree, WorktreeNumber};

use crate::{
    Result,
    corpus::engine_number,
    extraction::Extractors,
    pipeline::{Counts, From, Pipeline, Published, Taken, TakenOutcome, Task},
    platform::Root,
    repository::{Hasher, Repository, Tracked},
    rules::Limits,
    search::FEW,
    walk::{Found, Look, Tree, Walked},
};

/// Path by path, what was read and what it was.
pub struct LiveTree {
    pub number: WorktreeNumber,
    /// Every file was taken in at least once.
    pub complete: bool,
    pub files: BTreeMap<RepoPath, LiveFile>,
    /// What happened since it was last made a snapshot.
    pub since: Since,
}

/// How a tree differs from its last snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// These files have other contents; no file came or went.
    Edited(Vec<RepoPath>),
    Anything,
}

/// What may differ from what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Suspects {
    /// Anything: the whole tree is looked at.
    #[default]
    All,
    /// Only these paths, and what is below them.
    Paths(FxHashSet<String>),
}

/// How far a sync has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
    pub extracted: u64,
    /// Symbols of the contents that were extracted.
    pub symbols: u64,
    /// Files that were added, removed, or have another content than before.
    pub changed: u64,
}

impl Progress {
    /// After another round of the same work.
    pub(crate) fn and(self, round: Progress) -> Progress {
        Progress {
            done: self.done + round.done,
            total: self.total + round.total,
            extracted: self.extracted + round.extracted,
            symbols: self.symbols + round.symbols,
            changed: self.changed + round.changed,
        }
    }
}

/// What stands around a sync.
pub struct Surroundings<'a> {
    pub store: &'a Store,
    pub repository: Option<&'a Repository>,
    pub root: &'a Root,
    pub hasher: Hasher,
    pub limits: &'a Limits,
    pub extractors: &'a Extractors,
    pub tracked: &'a Tracked,
    pub common_git_directory: Option<&'a std::path::Path>,
    pub cancel: &'a AtomicBool,
    pub force: bool,
}

/// How a sync went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Files that were added, changed or removed.
    pub changed: u64,
    pub counts: Counts,
    /// Files that are known to differ and were not taken in before the deadline.
    pub remaining: Vec<String>,
    /// Every directory that was listed.
    pub directories: Vec<String>,
    /// How many files belong to the tree now, where all of it was looked at.
    pub total: u64,
}

impl LiveTree {
    pub fn load(store: &Store, worktree: &Worktree) -> Result<LiveTree> {
        let files = store
            .live_files(worktree.number)?
            .into_iter()
            .map(|(path, file)| (RepoPath::new(&path), file))
            .collect();
        Ok(LiveTree {
            number: worktree.number,
            complete: worktree.complete,
            files,
            since: Since::Anything,
        })
    }

    /// Makes the next sync read files with these contents again; until then they serve as they are.
    pub fn distrust(&mut self, contents: &FxHashSet<store::ContentNumber>) {
        if contents.is_empty() {
            return;
        }
        for file in self.files.values_mut() {
            file.racy |= matches!(file.outcome, Outcome::Indexed { content, .. } if contents.contains(&content));
        }
    }

    /// The files of a snapshot of this tree.
    pub fn snapshot_files(&self) -> Vec<File> {
        let indexed = self
            .files
            .iter()
            .filter_map(|(path, file)| match file.outcome {
                Outcome::Indexed { content, language } => Some(File {
                    path: path.clone(),
                    content: engine_number(content),
                    language,
                }),
                Outcome::Skipped(_) => None,
            });
        indexed.collect()
    }

    /// What a file holds, if it is indexed.
    pub fn content(&self, path: &RepoPath) -> Option<(engine::ContentNumber, facts::LanguageId)> {
        match self.files.get(path)?.outcome {
            Outcome::Indexed { content, language } => Some((engine_number(content), language)),
            Outcome::Skipped(_) => None,
        }
    }

    pub fn skipped(&self) -> Vec<Skipped> {
        let skipped = self
            .files
            .iter()
            .filter_map(|(path, file)| match file.outcome {
                Outcome::Skipped(reason) => Some(Skipped {
                    path: path.to_string(),
                    reason,
                }),
                Outcome::Indexed { .. } => None,
            });
        skipped.collect()
    }

    /// Brings the tree into step with the disk as far as the deadline allows. Removed files leave
    /// it at once; changed files keep their former content until they are taken in. `published` is
    /// called after each batch.
    pub fn sync(
        &mut self,
        around: &Surroundings<'_>,
        suspects: &Suspects,
        deadline: Option<Instant>,
        mut published: impl FnMut(&LiveTree, Progress),
    ) -> Result<Synced> {
        let look = self.look(around, suspects)?;
        let mut synced = Synced {
            directories: look.directories,
            total: look.total,
            ..Synced::default()
        };
        let mut settled: Vec<(String, Option<LiveFile>)> = look
            .removed
            .iter()
            .map(|path| (path.to_string(), None))
            .collect();
        settled.extend(
            look.skipped
                .iter()
                .map(|(path, file)| (path.clone(), Some(*file))),
        );
        /// One transaction: others wait for it.
        const TOGETHER: usize = 2000;
        for settled in settled.chunks(TOGETHER) {
            let nothing = Batch {
                is_small: settled.len() <= FEW,
                ..Batch::default()
            };
            around
                .store
                .publish_live(self.number, &nothing, |_| settled.to_vec())?;
            self.apply(settled.iter().cloned(), &mut synced.changed);
        }
        let n_tasks = look.tasks.len() as u64;
        let mut progress = Progress {
            total: n_tasks,
            changed: synced.changed,
            ..Progress::default()
        };
        if n_tasks == 0 {
            published(self, progress);
            return Ok(synced);
        }
        published(self, progress);
        let pipeline = Pipeline {
            bundle: None,
            store: around.store,
            repository: around.repository,
            root: Some(around.root),
            hasher: around.hasher,
            limits: around.limits,
            extractors: around.extractors,
            cancel: around.cancel,
            force: around.force,
        };
        let number = self.number;
        let publish = |batch: &Published<'_>| {
            let files = |numbers: &[store::ContentNumber]| {
                (batch.files)(numbers).into_iter().map(live_file).collect()
            };
            let numbers = around.store.publish_live(number, &batch.batch(), files)?;
            batch.add_text(around.store, &numbers)?;
            Ok(numbers)
        };
        let mut last = Instant::now();
        let (rest, counts) = pipeline.run(look.tasks, deadline, publish, |taken, counts| {
            progress.done += taken.len() as u64;
            (progress.extracted, progress.symbols) = (counts.extracted, counts.symbols);
            self.apply(taken.into_iter().map(live_file), &mut synced.changed);
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

    fn apply(
        &mut self,
        changes: impl IntoIterator<Item = (String, Option<LiveFile>)>,
        changed: &mut u64,
    ) {
        for (path, file) in changes {
            let path = RepoPath::new(&path);
            let former = match file {
                Some(file) => self.files.insert(path.clone(), file),
                None => self.files.remove(&path),
            };
            let (former, new) = (
                former.map(|file| file.outcome),
                file.map(|file| file.outcome),
            );
            if former == new {
                continue;
            }
            *changed += 1;
            match (&mut self.since, former, new) {
                (
                    Since::Edited(paths),
                    Some(Outcome::Indexed { .. }),
                    Some(Outcome::Indexed { .. }),
                ) => paths.push(path),
                _ => self.since = Since::Anything,
            }
        }
    }

    /// Compares what stands on disk with what is known, by metadata.
    fn look(&self, around: &Surroundings<'_>, suspects: &Suspects) -> Result<Looked> {
        let tree = Tree {
            root: around.root,
            tracked: around.tracked,
            common_git_directory: around.common_git_directory,
        };
        let mut looked = Looked::default();
        match suspects {
            Suspects::All => {
                let walked = tree.walk().map_err(|source| crate::Error::Io {
                    path: ".".into(),
                    source,
                })?;
                looked.total = walked.files.len() as u64;
                let seen: FxHashSet<&str> =
                    walked.files.iter().map(|(path, _)| path.as_str()).collect();
                looked.removed = self
                    .files
                    .keys()
                    .filter(|path| !seen.contains(path.as_str()))
                    .cloned()
                    .collect();
                drop(seen);
                self.compare(walked, around.force, &mut looked);
            }
            Suspects::Paths(paths) => {
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
                let seen: FxHashSet<&str> =
                    walked.files.iter().map(|(path, _)| path.as_str()).collect();
                let mut removed = Vec::new();
                for path in paths {
                    let at = RepoPath::new(path);
                    removed.extend(self.files.contains_key(&at).then_some(at));
                    let below = format!("{path}/");
                    let known = self
                        .files
                        .range(RepoPath::new(&below)..)
                        .map(|(known, _)| known);
                    removed.extend(
                        known
                            .take_while(|known| known.as_str().starts_with(&below))
                            .cloned(),
                    );
                }
                removed.retain(|path| !seen.contains(path.as_str()));
                removed.sort();
                removed.dedup();
                looked.removed = removed;
                drop(seen);
                self.compare(walked, around.force, &mut looked);
            }
        }
        Ok(looked)
    }

    fn compare(&self, walked: Walked, force: bool, looked: &mut Looked) {
        looked.directories = walked.directories;
        for (path, found) in walked.files {
            let known = self.files.get(&RepoPath::new(&path));
            match found {
                Found::File(stat) => {
                    if force || known.is_none_or(|known| known.racy || known.stat != stat) {
                        looked.tasks.push(Task {
                            path,
                            from: From::Disk(stat),
                        });
                    }
                }
                Found::Skipped(reason) => {
                    let file = LiveFile {
                        stat: Stat::default(),
                        racy: false,
                        outcome: Outcome::Skipped(reason),
                    };
                    if known != Some(&file) {
                        looked.skipped.push((path, file));
                    }
                }
            }
        }
        // Neighbours get neighbouring numbers, whatever order the directory has.
        looked.tasks.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

#[derive(Default)]
struct Looked {
    removed: Vec<RepoPath>,
    skipped: Vec<(String, LiveFile)>,
    tasks: Vec<Task>,
    directories: Vec<String>,
    total: u64,
}

fn live_file(taken: Taken) -> (String, Option<LiveFile>) {
    let Taken {
        path,
        stat,
        outcome,
    } = taken;
    let (stat, racy) = stat.unwrap_or_default();
    let outcome = match outcome {
        TakenOutcome::Indexed { content, language } => Outcome::Indexed { content, language },
        TakenOutcome::Skipped(reason) => Outcome::Skipped(reason),
        TakenOutcome::Gone => return (path, None),
    };
    (
        path,
        Some(LiveFile {
            stat,
            racy,
            outcome,
        }),
    )
}
