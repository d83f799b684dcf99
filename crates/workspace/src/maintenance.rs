//! How an index is, and removing what nobody needs any more.

use std::{collections::BTreeMap, sync::Weak, time::Duration};

use store::{Job, Origin, SkipReason};

use crate::{
    Result, Workspace, corpus::engine_number, extraction, repository::Head, view::SnapshotView,
};

/// What there is to say about a workspace's index.
#[derive(Clone, Debug)]
pub struct Status {
    pub origin: Origin,
    pub head: Head,
    /// Every file was taken in at least once.
    pub indexed: bool,
    /// When it was last brought into step, in milliseconds since 1970; 0 for never.
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
    pub fn status(&self, view: &SnapshotView) -> Result<Status> {
        let mut status = Status {
            origin: self.store.origin().clone(),
            head: self.head(),
            indexed: self.is_indexed(),
            synced: self.store.worktree(&self.root_text)?.synced,
            files: view.snapshot.n_files() as u64,
            symbols: 0,
            lines: 0,
            bytes: 0,
            languages: BTreeMap::new(),
            skipped: BTreeMap::new(),
            problems: BTreeMap::new(),
            outdated: 0,
            contents: 0,
            size: self.store.size(),
            other_processes: self.store.other_processes(),
            running_job: self.jobs().running(),
        };
        for row in self.store.contents()? {
            status.contents += 1;
            let n_files = view.snapshot.files_of(engine_number(row.number)).len() as u64;
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

    /// Forgets commits that were not asked for lately and removes contents that nothing names.
    /// Returns how many contents went.
    pub fn collect(&self) -> Result<usize> {
        /// Commit snapshots kept, the most recently used first; a snapshot is cheap to make again
        /// while its contents are there.
        const SNAPSHOTS: usize = 64;
        for (revision, _) in self.store.snapshots()?.into_iter().skip(SNAPSHOTS) {
            self.store.remove_snapshot(&revision)?;
        }
        for (root, number) in self.store.worktrees()? {
            if root != self.root_text && !std::path::Path::new(&root).exists() {
                self.store.remove_worktree(number)?;
            }
        }
        let held: Vec<_> = self
            .views
            .lock()
            .iter()
            .filter_map(std::sync::Weak::upgrade)
            .collect();
        let removed = self
            .store
            .collect(&|number| held.iter().any(|view| view.needs(engine_number(number))))?;
        Ok(removed.len())
    }
}

/// Tidies the store once nobody has written to it for a while. Not at all while there is no end of
/// writing.
pub(crate) fn tidy_when_quiet(workspace: &Weak<Workspace>) {
    const QUIET: Duration = Duration::from_secs(2);
    const LOOKS: usize = 10;
    let mut before = None;
    for _ in 0..LOOKS {
        let Some(workspace) = workspace.upgrade() else {
            return;
        };
        let size = Some(workspace.store.log_size());
        if size == before {
            if let Err(error) = workspace.store.tidy() {
                tracing::warn!(%error, "the index was not tidied");
            }
            return;
        }
        drop(workspace);
        before = size;
        std::thread::sleep(QUIET);
    }
}
