//! The scan: every file is read once for its words.

use std::time::SystemTime;

use extract::Language;
use facts::{ContentId, FileState, LanguageId, RepoPath, SkipReason, Skipped};
use store::Stat;

use super::words::{WordScratch, WordSet};
use crate::{
    Result, Workspace,
    base::WorkspaceBase,
    extraction,
    parallel::in_parallel,
    platform::{Root, is_racy},
    repository::{LocalRepository, Repository},
    walk::DiskFile,
};

/// A file as the scan saw it.
#[derive(Clone)]
pub(crate) struct ScannedFile {
    pub path: RepoPath,
    pub from: ScannedFrom,
    pub language: &'static Language,
    pub words: WordSet,
}

/// Where the bytes of a file are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScannedFrom {
    Disk {
        stat: Stat,
        /// It may have changed since without its metadata showing it.
        racy: bool,
    },
    Git(ContentId),
}

/// What a scan makes of a file.
enum Scanned {
    File(ScannedFile),
    Skipped(Skipped),
    Gone,
}

/// Files that are read at once by one thread.
pub(super) const AT_ONCE: usize = 32;

impl ScannedFile {
    /// Whether it is what another scan saw.
    pub fn is_surely(&self, other: &ScannedFile) -> bool {
        let is_racy = matches!(self.from, ScannedFrom::Disk { racy: true, .. });
        self.path == other.path && !is_racy && self.from == other.from
    }
}

/// The files of the working tree that are to be scanned, in order of path, and the others.
pub(super) fn list(
    workspace: &Workspace,
    root: &Root,
) -> Result<(Vec<(RepoPath, Stat)>, Vec<Skipped>)> {
    let limits = &workspace.base.options.limits;
    let walked = workspace.tree.walk(root)?;
    let (mut found, mut skipped) = (Vec::with_capacity(walked.files.len()), Vec::new());
    for (path, file) in walked.files {
        let path = RepoPath::from(path);
        match file {
            DiskFile::File(stat) => match limits.reason(path.as_str(), stat.size) {
                Some(reason) => skipped.push(Skipped { path, reason }),
                None => found.push((path, stat)),
            },
            DiskFile::Skipped(reason) => skipped.push(Skipped { path, reason }),
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok((found, skipped))
}

/// Scans files in parallel, in their order. What a former scan knows is not read again.
pub(super) fn scan_disk(
    base: &WorkspaceBase,
    root: &Root,
    files: &[(RepoPath, Stat)],
    former: &[ScannedFile],
) -> (Vec<ScannedFile>, Vec<Skipped>) {
    let scan_some = |files: &&[(RepoPath, Stat)]| {
        let mut scratch = WordScratch::default();
        let mut scan = |(path, stat): &(RepoPath, Stat)| {
            let known = former
                .binary_search_by(|file| file.path.cmp(path))
                .map(|i| &former[i]);
            let unchanged = ScannedFrom::Disk {
                stat: *stat,
                racy: false,
            };
            match known {
                Ok(known) if known.from == unchanged => Scanned::File(known.clone()),
                _ => scan_file(base, root, path, &mut scratch),
            }
        };
        files.iter().map(&mut scan).collect::<Vec<Scanned>>()
    };
    let some: Vec<&[(RepoPath, Stat)]> = files.chunks(AT_ONCE).collect();
    apart(in_parallel(&some, scan_some))
}

/// Scans the files of a commit in parallel, in their order.
pub(super) fn scan_commit(
    base: &WorkspaceBase,
    repository: &Repository,
    files: &[(RepoPath, ContentId, Option<LanguageId>)],
) -> (Vec<ScannedFile>, Vec<Skipped>) {
    let scan_some = |files: &&[(RepoPath, ContentId, Option<LanguageId>)]| {
        let mut scratch = WordScratch::default();
        let git = repository.local();
        let mut scan = |(path, id, _): &(RepoPath, ContentId, _)| {
            scan_blob(base, &git, path, id, &mut scratch)
        };
        files.iter().map(&mut scan).collect::<Vec<Scanned>>()
    };
    // Blobs that follow one another are often deltas of one another.
    let some: Vec<&[_]> = files.chunks(AT_ONCE * 8).collect();
    apart(in_parallel(&some, scan_some))
}

/// The files that can be asked about, and those that cannot.
fn apart(scanned: Vec<Vec<Scanned>>) -> (Vec<ScannedFile>, Vec<Skipped>) {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for scanned in scanned.into_iter().flatten() {
        match scanned {
            Scanned::File(file) => files.push(file),
            Scanned::Skipped(file) => skipped.push(file),
            Scanned::Gone => {}
        }
    }
    (files, skipped)
}

fn scan_file(
    base: &WorkspaceBase,
    root: &Root,
    path: &RepoPath,
    scratch: &mut WordScratch,
) -> Scanned {
    let limit = base.options.limits.max_file_size;
    let read_at = SystemTime::now();
    let (bytes, before, after) = match root.read(path.as_str(), limit) {
        Ok(read) => read,
        Err(error) => {
            return match crate::ingest::state_of_unreadable(&error) {
                FileState::Skipped(reason) => skipped(path, reason),
                _ => Scanned::Gone,
            };
        }
    };
    if bytes.len() as u64 > limit {
        return skipped(path, SkipReason::TooLarge);
    }
    let from = ScannedFrom::Disk {
        stat: after,
        racy: before != after || is_racy(&after, read_at),
    };
    scan_bytes(path, &bytes, from, scratch)
}

fn scan_blob(
    base: &WorkspaceBase,
    git: &LocalRepository,
    path: &RepoPath,
    id: &ContentId,
    scratch: &mut WordScratch,
) -> Scanned {
    let Some(size) = git.blob_size(id) else {
        return skipped(path, SkipReason::Absent);
    };
    if let Some(reason) = base.options.limits.reason(path.as_str(), size) {
        return skipped(path, reason);
    }
    match git.blob(id) {
        Some(bytes) => scan_bytes(path, &bytes, ScannedFrom::Git(*id), scratch),
        None => skipped(path, SkipReason::Absent),
    }
}

fn scan_bytes(
    path: &RepoPath,
    bytes: &[u8],
    from: ScannedFrom,
    scratch: &mut WordScratch,
) -> Scanned {
    if let Some(reason) = extraction::rejection(bytes) {
        return skipped(path, reason);
    }
    let text = extraction::text_of(bytes);
    Scanned::File(ScannedFile {
        path: path.clone(),
        from,
        language: extraction::language_of(path.as_str(), bytes),
        words: WordSet::of(text.as_bytes(), scratch),
    })
}

fn skipped(path: &RepoPath, reason: SkipReason) -> Scanned {
    Scanned::Skipped(Skipped {
        path: path.clone(),
        reason,
    })
}
