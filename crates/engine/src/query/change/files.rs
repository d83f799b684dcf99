//! The files in which two snapshots differ, and which file became which.

use rustc_hash::FxHashMap;

use crate::{Budget, FileId, Snapshot};

/// A file that is in one snapshot only, or has another content or path in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// In the base.
    pub before: Option<FileId>,
    /// In the head.
    pub after: Option<FileId>,
}

/// Texts that are compared to find out which removed file became which added one.
const MOST_COMPARED: usize = 4_000;
/// Bytes of the larger text that the other must share, as for git.
const LEAST_SHARED: f64 = 0.5;

/// In order of the path in the head, else of that in the base; a renamed file is one entry.
pub fn changed_files(base: &Snapshot, head: &Snapshot, budget: &Budget) -> Vec<ChangedFile> {
    let mut changed = Vec::new();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (before, after) in base.differing_files(head) {
        match (before, after) {
            (Some(before), None) => removed.push(before),
            (None, Some(after)) => added.push(after),
            _ => changed.push(ChangedFile { before, after }),
        }
    }
    pair_renamed(base, head, &mut removed, &mut added, &mut changed, budget);
    changed.extend(removed.into_iter().map(|before| ChangedFile {
        before: Some(before),
        after: None,
    }));
    changed.extend(added.into_iter().map(|after| ChangedFile {
        before: None,
        after: Some(after),
    }));
    let path = |file: &ChangedFile| match (file.after, file.before) {
        (Some(after), _) => head.file(after).path.clone(),
        (None, Some(before)) => base.file(before).path.clone(),
        (None, None) => facts::RepoPath::new(""),
    };
    changed.sort_by_cached_key(path);
    changed
}

fn pair_renamed(
    base: &Snapshot,
    head: &Snapshot,
    removed: &mut Vec<FileId>,
    added: &mut Vec<FileId>,
    changed: &mut Vec<ChangedFile>,
    budget: &Budget,
) {
    let mut candidates: Vec<(bool, f64, FileId, FileId)> = Vec::new();
    let mut n_compared = 0;
    for &before in removed.iter() {
        let old = base.file(before);
        let Some(text) = base.corpus().text(old.content) else {
            continue;
        };
        let lines = counted_lines(&text);
        for &after in added.iter() {
            let new = head.file(after);
            if new.language != old.language || n_compared >= MOST_COMPARED || !budget.spend() {
                continue;
            }
            n_compared += 1;
            let same_name = new.path.file_name() == old.path.file_name();
            let shared = head
                .corpus()
                .text(new.content)
                .map_or(0.0, |other| shared_part(&text, &lines, &other));
            if shared >= LEAST_SHARED {
                candidates.push((same_name, shared, before, after));
            }
        }
    }
    // The most alike first; of equals the one that kept its name.
    candidates.sort_by(|a, b| {
        let by_share = b.1.total_cmp(&a.1);
        by_share
            .then(b.0.cmp(&a.0))
            .then((a.2, a.3).cmp(&(b.2, b.3)))
    });
    for (_, _, before, after) in candidates {
        if !removed.contains(&before) || !added.contains(&after) {
            continue;
        }
        removed.retain(|file| *file != before);
        added.retain(|file| *file != after);
        changed.push(ChangedFile {
            before: Some(before),
            after: Some(after),
        });
    }
}

fn counted_lines(text: &str) -> FxHashMap<&str, usize> {
    let mut lines = FxHashMap::default();
    text.lines()
        .for_each(|line| *lines.entry(line).or_default() += 1);
    lines
}

/// The part of the larger text, in bytes, whose lines both have.
fn shared_part(text: &str, lines: &FxHashMap<&str, usize>, other: &str) -> f64 {
    let (small, large) = (text.len().min(other.len()), text.len().max(other.len()));
    if large == 0 || small * 2 < large {
        return 0.0;
    }
    let mut left = lines.clone();
    let shared: usize = other
        .lines()
        .filter_map(|line| {
            let n = left.get_mut(line).filter(|n| **n > 0)?;
            *n -= 1;
            Some(line.len() + 1)
        })
        .sum();
    shared as f64 / large as f64
}
