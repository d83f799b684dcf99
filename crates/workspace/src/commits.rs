//! Snapshots of commits, straight from git's objects.

use std::{path::Path, sync::atomic::AtomicBool};

use facts::{ContentId, LanguageId};
use rustc_hash::FxHashMap;
use store::{SkipReason, Skipped, Store, StoredFile, StoredSnapshot};

use crate::{
    Result,
    extraction::{self, Extractors},
    live::Progress,
    pipeline::{Counts, From, Pipeline, Published, TakenOutcome, Task},
    repository::{LocalRepository, Repository, TreeEntry, TreeEntryKind},
    rules::{Limits, OwnRules, is_never},
    shared_cache::{self, Bundle},
};

/// What stands around the making of a commit's snapshot.
pub struct CommitSurroundings<'a> {
    pub store: &'a Store,
    pub repository: &'a Repository,
    pub limits: &'a Limits,
    pub extractors: &'a Extractors,
    pub cancel: &'a AtomicBool,
    pub force: bool,
    /// Read before anything is extracted, and written afterwards.
    pub shared_cache: Option<&'a Path>,
}

/// The stored snapshot of a commit, if there is one that still holds.
pub fn stored(
    store: &Store,
    limits: &Limits,
    commit: &ContentId,
) -> Result<Option<StoredSnapshot>> {
    Ok(store.snapshot(&revision(limits, commit))?)
}

/// Reads a commit's tree, takes in the contents never seen before, and stores the snapshot.
pub fn index(
    around: &CommitSurroundings<'_>,
    commit: &ContentId,
    mut progress: impl FnMut(Progress),
) -> Result<(StoredSnapshot, Counts)> {
    let git = around.repository.local();
    let entries = git.tree(commit)?;
    let rules = own_rules(&git, &entries);
    let mut skipped = Vec::new();
    let mut wanted: Vec<(String, ContentId, Option<LanguageId>)> = Vec::new();
    for TreeEntry { path, id, kind } in entries {
        let path = match path {
            Ok(path) => path,
            Err(shown) => {
                skipped.push(Skipped {
                    path: shown,
                    reason: SkipReason::Name,
                });
                continue;
            }
        };
        if rules.excludes(&path) || path.split('/').any(is_never) {
            continue;
        }
        match kind {
            TreeEntryKind::Link => skipped.push(Skipped {
                path,
                reason: SkipReason::SymbolicLink,
            }),
            TreeEntryKind::Submodule => skipped.push(Skipped {
                path,
                reason: SkipReason::Submodule,
            }),
            TreeEntryKind::File => match around.limits.reason(&path, 0) {
                Some(reason) => skipped.push(Skipped { path, reason }),
                None => {
                    let language = extraction::language_by_name(&path).map(|language| language.id);
                    wanted.push((path, id, language));
                }
            },
        }
    }

    let known = if around.force {
        FxHashMap::default()
    } else {
        known(around.store, &wanted)?
    };
    let mut files = Vec::with_capacity(wanted.len());
    let mut tasks = Vec::new();
    for (path, id, language) in wanted {
        let number = language.and_then(|language| Some((known.get(&(id, language))?.0, language)));
        if let Some((content, language)) = number {
            files.push(StoredFile {
                path,
                content,
                language,
            });
        } else if let Some(reason) = around.store.rejected(&id)? {
            skipped.push(Skipped { path, reason });
        } else {
            tasks.push(Task {
                path,
                from: From::Object(id),
            });
        }
    }

    let mut at = Progress {
        total: tasks.len() as u64,
        ..Progress::default()
    };
    progress(at);
    let revision = revision(around.limits, commit);
    let bundle = around
        .shared_cache
        .filter(|_| !tasks.is_empty())
        .and_then(|directory| Bundle::pull(directory, &revision));
    let pipeline = Pipeline {
        bundle: bundle.as_ref(),
        store: around.store,
        repository: Some(around.repository),
        root: None,
        hasher: around.repository.hasher(),
        limits: around.limits,
        extractors: around.extractors,
        cancel: around.cancel,
        force: around.force,
    };
    let publish = |batch: &Published<'_>| {
        let numbers = around.store.publish(&batch.batch())?;
        batch.add_text(around.store, &numbers)?;
        Ok(numbers)
    };
    let (_, counts) = pipeline.run(tasks, None, publish, |taken, counts| {
        at.done += taken.len() as u64;
        (at.extracted, at.symbols, at.changed) =
            (counts.extracted, counts.symbols, counts.extracted);
        for file in taken {
            match file.outcome {
                TakenOutcome::Indexed { content, language } => files.push(StoredFile {
                    path: file.path,
                    content,
                    language,
                }),
                TakenOutcome::Skipped(reason) => skipped.push(Skipped {
                    path: file.path,
                    reason,
                }),
                TakenOutcome::Gone => skipped.push(Skipped {
                    path: file.path,
                    reason: SkipReason::Absent,
                }),
            }
        }
        progress(at);
    })?;

    files.sort_by(|a, b| a.path.cmp(&b.path));
    skipped.sort();
    let snapshot = StoredSnapshot { files, skipped };
    // A clone that lacks objects may get them later.
    if snapshot
        .skipped
        .iter()
        .all(|file| file.reason != SkipReason::Absent)
    {
        around.store.put_snapshot(&revision, &snapshot)?;
        if let Some(directory) = around.shared_cache {
            shared_cache::push(directory, &revision, around.store, &snapshot);
        }
    }
    Ok((snapshot, counts))
}

/// Contents that are indexed by the current extractors.
fn known(
    store: &Store,
    wanted: &[(String, ContentId, Option<LanguageId>)],
) -> Result<FxHashMap<(ContentId, LanguageId), (store::ContentNumber, u32)>> {
    let keys: Vec<_> = wanted
        .iter()
        .filter_map(|(_, id, language)| Some((*id, (*language)?)))
        .collect();
    let mut known = store.find(&keys)?;
    known.retain(|(_, language), (_, version)| {
        extraction::current_version(*language) == Some(*version)
    });
    Ok(known)
}

fn own_rules(git: &LocalRepository, entries: &[TreeEntry]) -> OwnRules {
    let files = entries.iter().filter_map(|entry| {
        let path = entry
            .path
            .as_ref()
            .ok()
            .filter(|path| OwnRules::is_own_file(path) && entry.kind == TreeEntryKind::File)?;
        Some((path.clone(), git.blob(&entry.id)?))
    });
    OwnRules::new(files)
}

/// What a stored snapshot depends on besides the commit: our rules and the extractors, whose
/// contents it names.
fn revision(limits: &Limits, commit: &ContentId) -> Vec<u8> {
    let mut hash = blake3::Hasher::new();
    hash.update(format!("{limits:?}").as_bytes());
    for language in extract::LANGUAGES {
        hash.update(
            &[
                language.id.0.to_le_bytes(),
                (language.version as u16).to_le_bytes(),
            ]
            .concat(),
        );
    }
    [commit.as_bytes(), &hash.finalize().as_bytes()[..4]].concat()
}
