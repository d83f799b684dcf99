//! Commits: indexed on demand, straight from git's objects.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
    time::Duration,
};

use facts::{ContentId, ContentNumber, File, FileState, LanguageId, RepoPath, SkipReason, Skipped};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use store::{Store, StoredSnapshot};

use crate::{
    Error, IndexSummary, Result,
    base::WorkspaceBase,
    extraction,
    facts_source::FactsSource,
    ingest::{Counts, IngestContext, Task, TaskSource},
    live::IndexProgress,
    published::PublishedCommit,
    repository::{LocalRepository, Repository, TreeEntry, TreeEntryKind},
    rules::{FileLimits, OwnRules, is_never},
    shared_cache::{self, Bundle},
    text::{FEW, TextSearch},
    view::{self, SnapshotView, Source},
};

/// The commits of a repository; the recent ones stay in memory.
pub(crate) struct History {
    base: Arc<WorkspaceBase>,
    text: Arc<TextSearch>,
    /// The most recently used last.
    recent: Mutex<Vec<Arc<SnapshotView>>>,
    /// Commits that another machine published, in the same order.
    published: Mutex<Vec<Arc<SnapshotView>>>,
    turn: Mutex<()>,
}

impl History {
    pub fn new(base: Arc<WorkspaceBase>, text: Arc<TextSearch>) -> History {
        History {
            base,
            text,
            recent: Mutex::default(),
            published: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    /// The commit that a name means.
    pub fn commit(&self, name: &str) -> Result<ContentId> {
        if let Some(served) = &self.base.served {
            let view = self.keep_published(served.find(name)?);
            return view.commit().ok_or(Error::Remote);
        }
        self.repository(|| name.to_owned())?.local().commit(name)
    }

    /// The snapshot of a commit, indexed if it is not, here or elsewhere.
    pub fn at_commit(&self, id: ContentId) -> Result<Arc<SnapshotView>> {
        if let Some(view) = self.indexed(id)? {
            return Ok(view);
        }
        if let Some(view) = self.published(id) {
            return Ok(view);
        }
        Ok(self.index(id, false, &AtomicBool::new(false), |_| ())?.0)
    }

    /// The snapshot of a commit if it is indexed.
    pub fn indexed(&self, id: ContentId) -> Result<Option<Arc<SnapshotView>>> {
        let mut recent = self.recent.lock();
        if let Some(i) = recent.iter().position(|view| view.commit() == Some(id)) {
            let view = recent.remove(i);
            recent.push(view.clone());
            return Ok(Some(view));
        }
        drop(recent);
        let revision = revision(&self.base.options.limits, &id);
        let stored = self.base.store.snapshot(&revision)?;
        Ok(stored.map(|stored| self.keep(id, stored)))
    }

    /// The snapshot of a commit as another machine published it, if one did.
    pub fn published(&self, id: ContentId) -> Option<Arc<SnapshotView>> {
        let is_it = |view: &&Arc<SnapshotView>| view.commit() == Some(id);
        if let Some(view) = self.published.lock().iter().find(is_it) {
            return Some(view.clone());
        }
        let commit = match &self.base.served {
            Some(served) => served.find(&id.to_string()).ok()?,
            None => self.base.published_commit()?,
        };
        (commit.commit() == id).then(|| self.keep_published(commit))
    }

    /// The view of a published commit: the one that is there, unless it was published anew.
    fn keep_published(&self, commit: Arc<dyn PublishedCommit>) -> Arc<SnapshotView> {
        let mut published = self.published.lock();
        let is_it = |view: &Arc<SnapshotView>| view.commit() == Some(commit.commit());
        let is_same = |view: &Arc<SnapshotView>| {
            let known = view.published().map(|known| known.commit().identity());
            known == Some(commit.identity())
        };
        let found = published
            .iter()
            .position(is_it)
            .map(|i| published.remove(i));
        let view = match found.filter(is_same) {
            Some(view) => view,
            None => Arc::new(self.base.published_view(commit)),
        };
        published.push(view.clone());
        if published.len() > KEPT {
            published.remove(0);
        }
        view
    }

    /// Indexes the contents of a commit that were never seen before, and waits for it.
    pub fn index(
        &self,
        id: ContentId,
        force: bool,
        cancel: &AtomicBool,
        mut progress: impl FnMut(IndexProgress),
    ) -> Result<(Arc<SnapshotView>, IndexSummary)> {
        let report = |view: Arc<SnapshotView>, counts: Counts| {
            let report = IndexSummary::new(&view, counts.extracted, counts);
            (view, report)
        };
        if self.base.served.is_some() {
            return Err(Error::PublishedOnly);
        }
        if !force && let Some(view) = self.indexed(id)? {
            return Ok(report(view, Counts::default()));
        }
        let repository = self.repository(|| id.to_string())?;
        // One at a time: a thread that waited for the same commit finds it indexed.
        let _turn = loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            if let Some(turn) = self.turn.try_lock_for(Duration::from_millis(50)) {
                break turn;
            }
        };
        if !force && let Some(view) = self.indexed(id)? {
            return Ok(report(view, Counts::default()));
        }
        let published = self.base.published_facts();
        let context = IngestContext {
            source: Some(&published),
            ..self.base.ingest(cancel, force)
        };
        let cache = self.base.store.enlarge_cache()?;
        let shared_cache = self.base.options.shared_cache.as_deref();
        let (stored, counts) = index(&context, repository, shared_cache, &id, |at| {
            self.text.flush_while_indexing();
            progress(at);
        })?;
        self.text.commit_pending(FEW);
        drop(cache);
        if counts.extracted > FEW as u64 {
            self.base.release_memory()?;
        }
        Ok(report(self.keep(id, stored), counts))
    }

    fn repository(&self, name: impl FnOnce() -> String) -> Result<&Repository> {
        let unknown = || Error::UnknownRef { name: name() };
        self.base.repository.as_deref().ok_or_else(unknown)
    }

    fn keep(&self, id: ContentId, stored: StoredSnapshot) -> Arc<SnapshotView> {
        let StoredSnapshot { files, skipped } = stored;
        let view = self.base.view(files, Source::Commit { id }, skipped);
        let view = self.base.hand_out(view);
        let mut recent = self.recent.lock();
        recent.retain(|view| view.commit() != Some(id));
        recent.push(view.clone());
        if recent.len() > KEPT {
            recent.remove(0);
        }
        view
    }
}

/// Commits in memory; a comparison needs two, a session rarely more than a few.
const KEPT: usize = 6;

/// A file of a commit that may be indexed, with the language that its name tells.
pub(crate) type WantedFile = (RepoPath, ContentId, Option<LanguageId>);

/// Reads a commit's tree, indexes the contents never seen before, and stores the snapshot.
/// `shared_cache` is read before anything is extracted, and written afterwards.
fn index(
    context: &IngestContext<'_>,
    repository: &Repository,
    shared_cache: Option<&Path>,
    commit: &ContentId,
    mut progress: impl FnMut(IndexProgress),
) -> Result<(StoredSnapshot, Counts)> {
    let (wanted, mut skipped) = read_tree(&repository.local(), context.limits, commit)?;
    // Until the snapshot names them.
    let _claim = context.store.keep_contents()?;
    let known = match context.force {
        true => FxHashMap::default(),
        false => known(context.store, &wanted)?,
    };
    let mut files = Vec::with_capacity(wanted.len());
    let mut tasks = Vec::new();
    for (path, id, language) in wanted {
        let known = language.and_then(|language| Some((known.get(&(id, language))?.0, language)));
        if let Some((content, language)) = known {
            files.push(File {
                path,
                content,
                language,
            });
        } else if let Some(reason) = context.store.rejected(&id)? {
            skipped.push(Skipped { path, reason });
        } else {
            tasks.push(Task {
                path,
                from: TaskSource::Object(id),
            });
        }
    }

    let mut at = IndexProgress {
        total: tasks.len() as u64,
        ..IndexProgress::default()
    };
    progress(at);
    let revision = revision(context.limits, commit);
    let bundle = shared_cache
        .filter(|_| !tasks.is_empty())
        .and_then(|directory| Bundle::pull(directory, &revision));
    let context = IngestContext {
        source: bundle
            .as_ref()
            .map(|bundle| bundle as &dyn FactsSource)
            .or(context.source),
        ..*context
    };
    let (_, counts) = context.run(tasks, None, |indexed, counts| {
        at.done += indexed.len() as u64;
        (at.extracted, at.symbols) = (counts.extracted, counts.symbols);
        at.changed = counts.extracted;
        for (path, file) in indexed {
            let reason = match file.state {
                FileState::Skipped(reason) => reason,
                FileState::Indexed { .. } | FileState::Gone => SkipReason::Absent,
            };
            match view::file(&path, file.state) {
                Some(file) => files.push(file),
                None => skipped.push(Skipped { path, reason }),
            }
        }
        progress(at);
    })?;

    files.sort_by(|a, b| a.path.cmp(&b.path));
    skipped.sort();
    let snapshot = StoredSnapshot { files, skipped };
    // A clone that lacks objects may get them later.
    let is_absent = |file: &Skipped| file.reason == SkipReason::Absent;
    if !snapshot.skipped.iter().any(is_absent) {
        context.store.put_snapshot(&revision, &snapshot)?;
        if let Some(directory) = shared_cache {
            shared_cache::push(directory, &revision, context.store, &snapshot);
        }
    }
    Ok((snapshot, counts))
}

/// The files of a commit: those that may be indexed, and those that are skipped for their names.
pub(crate) fn read_tree(
    git: &LocalRepository,
    limits: &FileLimits,
    commit: &ContentId,
) -> Result<(Vec<WantedFile>, Vec<Skipped>)> {
    let entries = git.tree(commit)?;
    let rules = own_rules(git, &entries);
    let (mut wanted, mut skipped) = (Vec::new(), Vec::new());
    for TreeEntry { path, id, kind } in entries {
        let reason = match (&path, kind) {
            (Err(_), _) => Some(SkipReason::Name),
            (Ok(path), _) if rules.excludes(path) || path.split('/').any(is_never) => continue,
            (Ok(_), TreeEntryKind::Link) => Some(SkipReason::SymbolicLink),
            (Ok(_), TreeEntryKind::Submodule) => Some(SkipReason::Submodule),
            (Ok(path), TreeEntryKind::File) => limits.reason(path, 0),
        };
        let path = RepoPath::from(path.unwrap_or_else(|shown| shown));
        match reason {
            Some(reason) => skipped.push(Skipped { path, reason }),
            None => {
                let language = extraction::language_by_name(path.as_str());
                wanted.push((path, id, language.map(|language| language.id)));
            }
        }
    }
    Ok((wanted, skipped))
}

/// Contents that are indexed by the current extractors.
pub(crate) fn known(
    store: &Store,
    wanted: &[WantedFile],
) -> Result<FxHashMap<(ContentId, LanguageId), (ContentNumber, u32)>> {
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
fn revision(limits: &FileLimits, commit: &ContentId) -> Vec<u8> {
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
