//! The status of an index, and removing what is no longer needed.

use std::collections::BTreeMap;

use facts::SkipReason;
use store::{Job, Origin};

use crate::{Result, Workspace, extraction, repository::Head, view::SnapshotView};

/// The state of a workspace's index, in figures.
#[derive(Clone, Debug)]
pub struct IndexFigures {
    pub origin: Origin,
    pub head: Head,
    /// Every file was indexed at least once.
    pub indexed: bool,
    /// When it was last synced, in milliseconds since 1970; 0 for never.
    pub synced: i64,
    pub files: u64,
    pub symbols: u64,
    pub lines: u64,
    pub bytes: u64,
    /// Files by language number.
    pub languages: BTreeMap<u16, u64>,
    pub skipped: BTreeMap<SkipReason, u64>,
    /// Files whose extraction met a problem, by the worst one.
    pub problems: BTreeMap<facts::ProblemKind, u64>,
    /// Files whose facts a former version of their extractor made.
    pub outdated: u64,
    /// Contents of all snapshots together.
    pub contents: u64,
    /// Bytes on disk: facts, and the text index.
    pub size: (u64, u64),
    pub other_processes: usize,
    pub running_job: Option<Job>,
}

impl Workspace {
    /// Counts what a view holds and how its index is.
    pub fn status(&self, view: &SnapshotView) -> Result<IndexFigures> {
        let store = &self.base.store;
        let mut status = IndexFigures {
            origin: store.origin().clone(),
            head: self.head(),
            indexed: self.is_indexed(),
            synced: store.worktree(&self.base.root_text)?.synced,
            files: view.snapshot.n_files() as u64,
            symbols: 0,
            lines: 0,
            bytes: 0,
            languages: BTreeMap::new(),
            skipped: BTreeMap::new(),
            problems: BTreeMap::new(),
            outdated: 0,
            contents: 0,
            size: store.size(),
            other_processes: store.other_processes(),
            running_job: self.jobs().running(),
        };
        if let Some(published) = view.published() {
            for row in published.commit().rows() {
                let n_files = view.snapshot.files_of(row.number).len() as u64;
                status.contents += 1;
                status.symbols += n_files * u64::from(row.symbols);
                status.lines += n_files * u64::from(row.lines);
                status.bytes += n_files * u64::from(row.len);
                *status.languages.entry(row.id.language.0).or_default() += n_files;
            }
        }
        for row in store.contents()? {
            status.contents += 1;
            let n_files = view.snapshot.files_of(row.number).len() as u64;
            if n_files == 0 {
                continue;
            }
            status.symbols += n_files * u64::from(row.symbols);
            status.lines += n_files * u64::from(row.lines);
            status.bytes += n_files * u64::from(row.len);
            *status.languages.entry(row.id.language.0).or_default() += n_files;
            if extraction::is_outdated(row.id.language, row.id.extractor_version) {
                status.outdated += n_files;
            }
            if let Some(problem) = row.problem {
                *status.problems.entry(problem).or_default() += n_files;
            }
        }
        for file in &*view.skipped {
            *status.skipped.entry(file.reason).or_default() += 1;
        }
        Ok(status)
    }

    /// Forgets all but the most recently indexed commits and removes contents that nothing names,
    /// unless another process uses the index, which may still read them. Returns how many contents
    /// went.
    pub fn collect(&self) -> Result<usize> {
        /// Commit snapshots kept, the most recently indexed first; a snapshot is cheap to make again
        /// while its contents are there.
        const SNAPSHOTS: usize = 64;
        let store = &self.base.store;
        if store.other_processes() > 0 {
            return Ok(0);
        }
        for revision in store.snapshots()?.into_iter().skip(SNAPSHOTS) {
            store.remove_snapshot(&revision)?;
        }
        for (root, number) in store.worktrees()? {
            if root != self.base.root_text && !std::path::Path::new(&root).exists() {
                store.remove_worktree(number)?;
            }
        }
        self.base.collect(&store.unnamed()?)
    }
}
