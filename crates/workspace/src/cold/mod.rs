//! The working tree before it is indexed: one scan tells which words each file holds, and facts are
//! made of the files that a question leads to. What is made is kept in the store, where indexing
//! finds it.

mod words;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use engine::{Corpus, Sketches, Snapshot, Unreadable};
use extract::Language;
use facts::{
    ContentNumber, Facts, File, FileState, LanguageId, RepoPath, Semantics, SkipReason, Skipped,
    SymbolSketch,
};
use moka::sync::Cache;
use parking_lot::Mutex;
use store::{Batch, NewContent, Stat};

use crate::{
    Error, Result, Workspace,
    base::WorkspaceBase,
    extraction,
    ingest::n_workers,
    platform::{Root, is_racy},
    text::FEW,
    view::{SnapshotView, Source},
    walk::DiskFile,
};
use words::{NameWords, Recent, WordSet};

/// A smaller tree is indexed in about a second, and every later answer gains by that.
const MIN_FILES: usize = 1_000;
/// A question that leads to more files than this gains nothing over indexing.
const MAX_EXTRACTED: usize = 2_000;
const FACTS_CACHE: u64 = 64 << 20;
/// Contents that wait to be written, in all.
const MAX_UNKEPT: usize = 500;

/// The files of a working tree that is not indexed. Contents are numbered by file, in order of
/// path, from [`ContentNumber::FIRST_UNSAVED`]: two files are two contents, whatever they hold.
pub struct ColdCorpus {
    base: Arc<WorkspaceBase>,
    root: Root,
    files: Vec<ScannedFile>,
    facts: Cache<usize, Arc<Facts>>,
    /// What was made and is not written yet.
    unkept: Mutex<Vec<NewContent>>,
    /// Files that were read for the question at hand.
    n_read: AtomicUsize,
    /// How often something was asked for that only an index can tell.
    n_refusals: AtomicUsize,
}

/// A file as the scan saw it.
#[derive(Clone)]
struct ScannedFile {
    path: RepoPath,
    stat: Stat,
    /// It may have changed since without its metadata showing it.
    racy: bool,
    language: &'static Language,
    words: WordSet,
}

/// What a scan makes of a file.
enum Scanned {
    File(ScannedFile),
    Skipped(SkipReason),
    Gone,
}

impl Workspace {
    /// The working tree as it is now, for questions that do not wait for its index: names,
    /// references, outlines. Nothing where it is indexed, or is as good as indexed.
    pub fn cold(&self) -> Result<Option<Arc<SnapshotView>>> {
        if self.is_bare() || self.is_indexed() || self.is_indexed_elsewhere() {
            *self.cold.lock() = None;
            return Ok(None);
        }
        self.scan(MIN_FILES)
    }

    /// Scans the working tree, unless it has fewer files than `min_files`.
    pub fn scan(&self, min_files: usize) -> Result<Option<Arc<SnapshotView>>> {
        let mut known = self.cold.lock();
        let root = self.base.open_root()?;
        let walked = self.tree.walk(&root)?;
        let mut found: Vec<(RepoPath, Stat)> = Vec::new();
        let mut skipped = Vec::new();
        for (path, file) in walked.files {
            let path = RepoPath::from(path);
            match file {
                DiskFile::File(stat) => {
                    match self.base.options.limits.reason(path.as_str(), stat.size) {
                        Some(reason) => skipped.push(Skipped { path, reason }),
                        None => found.push((path, stat)),
                    }
                }
                DiskFile::Skipped(reason) => skipped.push(Skipped { path, reason }),
            }
        }
        if found.len() < min_files {
            return Ok(None);
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let former = known.as_ref().and_then(|view| view.cold.as_deref());
        let former = former.map_or(&[][..], |cold| &cold.files);
        let scanned = scan_all(&self.base, &root, &found, former);
        let mut files = Vec::with_capacity(found.len());
        for ((path, _), scanned) in found.into_iter().zip(scanned) {
            match scanned {
                Scanned::File(file) => files.push(file),
                Scanned::Skipped(reason) => skipped.push(Skipped { path, reason }),
                Scanned::Gone => {}
            }
        }
        skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let is_same = |view: &&Arc<SnapshotView>| {
            let same = |a: &ScannedFile, b: &ScannedFile| a.path == b.path && a.is_surely(b);
            let former = view.cold.as_ref().map_or(&[][..], |cold| &cold.files);
            former.len() == files.len()
                && former.iter().zip(&files).all(|(a, b)| same(a, b))
                && *view.skipped == *skipped
        };
        if let Some(view) = known.as_ref().filter(is_same) {
            return Ok(Some(view.clone()));
        }
        let view = Arc::new(self.cold_view(root, files, skipped));
        *known = Some(view.clone());
        Ok(Some(view))
    }

    fn cold_view(
        &self,
        root: Root,
        files: Vec<ScannedFile>,
        skipped: Vec<Skipped>,
    ) -> SnapshotView {
        let listed = files.iter().enumerate().map(|(i, file)| File {
            path: file.path.clone(),
            content: number(i),
            language: file.language.id,
        });
        let listed: Vec<File> = listed.collect();
        let weigh = |_: &usize, facts: &Arc<Facts>| facts.size_in_memory() as u32;
        let corpus = Arc::new(ColdCorpus {
            base: self.base.clone(),
            root,
            files,
            facts: Cache::builder()
                .max_capacity(FACTS_CACHE)
                .weigher(weigh)
                .build(),
            unkept: Mutex::default(),
            n_read: AtomicUsize::new(0),
            n_refusals: AtomicUsize::new(0),
        });
        let projects = self.base.projects.clone();
        let read = move |snapshot: &Snapshot| {
            let files: Vec<File> = snapshot.files().map(|(_, file)| file.clone()).collect();
            projects.read(&files, snapshot.corpus())
        };
        let snapshot = Snapshot::with_project_read_later(corpus.clone(), listed, Arc::new(read));
        let head = self.base.head();
        let mut view = SnapshotView::new(snapshot, Source::Live { head }, skipped.into());
        view.cold = Some(corpus);
        view
    }
}

fn number(i: usize) -> ContentNumber {
    ContentNumber(ContentNumber::FIRST_UNSAVED.0 + i as u32)
}

impl ScannedFile {
    /// Whether it holds what it held in another scan.
    fn is_surely(&self, other: &ScannedFile) -> bool {
        !self.racy && self.stat == other.stat
    }
}

/// Scans files in parallel, in their order. What a former scan knows is not read again.
fn scan_all(
    base: &WorkspaceBase,
    root: &Root,
    files: &[(RepoPath, Stat)],
    former: &[ScannedFile],
) -> Vec<Scanned> {
    const AT_ONCE: usize = 32;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut recent = Recent::default();
        let mut scanned = Vec::new();
        loop {
            let start = next.fetch_add(AT_ONCE, Ordering::Relaxed);
            let some = files.iter().enumerate().skip(start).take(AT_ONCE);
            if some.len() == 0 {
                return scanned;
            }
            for (i, (path, stat)) in some {
                let known = former
                    .binary_search_by(|file| file.path.cmp(path))
                    .map(|i| &former[i]);
                let file = match known {
                    Ok(known) if known.stat == *stat && !known.racy => Scanned::File(known.clone()),
                    _ => scan(base, root, path, &mut recent),
                };
                scanned.push((i, file));
            }
        }
    };
    let mut scanned: Vec<(usize, Scanned)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..n_workers()).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for worker in workers {
            all.extend(worker.join().unwrap_or_default());
        }
        all
    });
    scanned.sort_unstable_by_key(|(i, _)| *i);
    // A worker that panicked leaves gaps: those files are read here.
    let mut recent = Recent::default();
    let mut in_order = scanned.into_iter().peekable();
    let file =
        |(i, (path, _)): (usize, &(RepoPath, Stat))| match in_order.next_if(|(at, _)| *at == i) {
            Some((_, scanned)) => scanned,
            None => scan(base, root, path, &mut recent),
        };
    files.iter().enumerate().map(file).collect()
}

fn scan(base: &WorkspaceBase, root: &Root, path: &RepoPath, recent: &mut Recent) -> Scanned {
    let limit = base.options.limits.max_file_size;
    let read_at = SystemTime::now();
    let (bytes, before, after) = match root.read(path.as_str(), limit) {
        Ok(read) => read,
        Err(error) => {
            return match crate::ingest::state_of_unreadable(&error) {
                FileState::Skipped(reason) => Scanned::Skipped(reason),
                _ => Scanned::Gone,
            };
        }
    };
    if bytes.len() as u64 > limit {
        return Scanned::Skipped(SkipReason::TooLarge);
    }
    if let Some(reason) = extraction::rejection(&bytes) {
        return Scanned::Skipped(reason);
    }
    let text = extraction::text_of(&bytes);
    Scanned::File(ScannedFile {
        path: path.clone(),
        stat: after,
        racy: before != after || is_racy(&after, read_at),
        language: extraction::language_of(path.as_str(), &bytes),
        words: WordSet::of(text.as_bytes(), recent),
    })
}

impl ColdCorpus {
    /// Refuses what only an index can tell: the question is to be asked again when there is one.
    pub fn require_index(&self) -> Unreadable {
        self.n_refusals.fetch_add(1, Ordering::Relaxed);
        Unreadable
    }

    /// The contents whose text holds every word of a name, in order.
    pub fn holding(&self, name: &str) -> Vec<ContentNumber> {
        self.candidates(name, &|_| true)
            .into_iter()
            .map(number)
            .collect()
    }

    fn candidates(&self, name: &str, among: &dyn Fn(ContentNumber) -> bool) -> Vec<usize> {
        let words = NameWords::of(name);
        let files = self.files.iter().enumerate();
        let holding = files.filter(|(i, file)| file.words.has_all(&words) && among(number(*i)));
        holding.map(|(i, _)| i).collect()
    }

    fn index_of(&self, content: ContentNumber) -> Option<usize> {
        let i = content.0.checked_sub(ContentNumber::FIRST_UNSAVED.0)? as usize;
        (i < self.files.len()).then_some(i)
    }

    /// The files of `among` for which `is_wanted` holds of their facts, of those that hold every
    /// word of a name.
    fn facts_of_name<T>(
        &self,
        name: &str,
        among: &dyn Fn(ContentNumber) -> bool,
        each: impl Fn(&Facts) -> Option<T>,
    ) -> std::result::Result<Vec<(ContentNumber, T)>, Unreadable> {
        let candidates = self.candidates(name, among);
        self.make_all(&candidates)?;
        let mut found = Vec::new();
        for i in candidates {
            // What is no longer in the cache was too much to be kept.
            let facts = self.made(i).ok_or_else(|| self.require_index())?;
            found.extend(each(&facts).map(|value| (number(i), value)));
        }
        Ok(found)
    }

    fn made(&self, i: usize) -> Option<Arc<Facts>> {
        if let Some(facts) = self.facts.get(&i) {
            return Some(facts);
        }
        self.make_all(&[i]).ok()?;
        self.facts.get(&i)
    }

    /// Has the facts of these files made, in parallel.
    fn make_all(&self, files: &[usize]) -> std::result::Result<(), Unreadable> {
        let missing = files.iter().copied();
        let missing: Vec<usize> = missing.filter(|i| !self.facts.contains_key(i)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let n_read = self.n_read.fetch_add(missing.len(), Ordering::Relaxed);
        if n_read + missing.len() > MAX_EXTRACTED {
            tracing::debug!(
                n = missing.len(),
                "too many files for a question without an index"
            );
            return Err(self.require_index());
        }
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            let git = self.base.repository.as_ref().map(|git| git.local());
            while let Some(&i) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.make(i, git.as_ref()) {
                    Some(facts) => self.facts.insert(i, facts),
                    None => has_failed.store(true, Ordering::Relaxed),
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..n_workers().min(missing.len()) {
                // C code below the parsers may recurse: a deep stack keeps one hostile file from
                // ending the process.
                let thread = std::thread::Builder::new().stack_size(16 << 20);
                let thread = thread.name("extract".to_owned());
                if thread.spawn_scoped(scope, work).is_err() {
                    work();
                }
            }
        });
        if self.unkept.lock().len() > MAX_UNKEPT {
            self.keep();
        }
        match has_failed.into_inner() {
            true => Err(self.require_index()),
            false => Ok(()),
        }
    }

    /// The facts of a file, if it still is what the scan saw.
    fn make(
        &self,
        i: usize,
        git: Option<&crate::repository::LocalRepository>,
    ) -> Option<Arc<Facts>> {
        let bytes = self.bytes(i)?;
        let language = self.files[i].language;
        let id = extraction::facts_id(self.base.corpus.hasher.id(&bytes)?, language);
        let key = (id.content, language.id);
        if let Ok(found) = self.base.store.find(&[key])
            && let Some((number, version)) = found.get(&key)
            && *version == language.version
        {
            return self.base.corpus.facts(*number);
        }
        let text = extraction::text_of(&bytes);
        let bytes_were_text = matches!(text, std::borrow::Cow::Borrowed(_));
        let extractors = &self.base.extractors;
        let facts = extractors.extract(language, &text, bytes_were_text).ok()?;
        let in_git = git.is_some_and(|git| git.has(&id.content));
        let kept = NewContent::new(id, facts.clone(), (!in_git).then_some(&bytes));
        self.unkept.lock().push(kept);
        Some(Arc::new(facts))
    }

    fn bytes(&self, i: usize) -> Option<Vec<u8>> {
        let file = &self.files[i];
        let (bytes, before, after) = self.root.read(file.path.as_str(), file.stat.size).ok()?;
        let is_same = || {
            let text = extraction::text_of(&bytes);
            !file.racy || WordSet::of(text.as_bytes(), &mut Recent::default()) == file.words
        };
        (before == file.stat && after == file.stat && is_same()).then_some(bytes)
    }

    /// Writes what was made to the store, as far as it can be written.
    fn keep(&self) {
        let contents = std::mem::take(&mut *self.unkept.lock());
        if contents.is_empty() {
            return;
        }
        let batch = Batch {
            contents: &contents,
            is_small: contents.len() <= FEW,
            ..Batch::default()
        };
        if let Err(error) = self.base.store.publish(&batch) {
            tracing::debug!(%error, "facts made for a question are not kept");
        }
    }
}

impl Corpus for ColdCorpus {
    fn facts(&self, content: ContentNumber) -> Option<Arc<Facts>> {
        self.made(self.index_of(content)?)
    }

    fn text(&self, content: ContentNumber) -> Option<Arc<str>> {
        let bytes = self.bytes(self.index_of(content)?);
        if bytes.is_none() {
            self.require_index();
        }
        Some(extraction::into_text(bytes?))
    }

    fn defining(&self, name: &str) -> std::result::Result<Vec<ContentNumber>, Unreadable> {
        let found = self.sketches_among(name, &|_| true)?;
        Ok(found.into_iter().map(|(content, _)| content).collect())
    }

    fn sketches(&self, names: &[&str]) -> std::result::Result<Vec<Sketches>, Unreadable> {
        let of_name = |name: &&str| self.sketches_among(name, &|_| true);
        names.iter().map(of_name).collect()
    }

    fn sketches_among(
        &self,
        name: &str,
        among: &dyn Fn(ContentNumber) -> bool,
    ) -> std::result::Result<Sketches, Unreadable> {
        // What has no name is in no table of names.
        if name.is_empty() {
            return Ok(Sketches::new());
        }
        self.facts_of_name(name, among, |facts| {
            let named = SymbolSketch::named(facts, name);
            (!named.is_empty()).then_some(named)
        })
    }

    fn mentioning(&self, name: &str) -> std::result::Result<Vec<ContentNumber>, Unreadable> {
        self.mentioning_among(name, &|_| true)
    }

    fn may_hold(&self, content: ContentNumber, word: &str) -> bool {
        let holds = |i: usize| self.files[i].words.has_all(&NameWords::of(word));
        self.index_of(content).is_none_or(holds)
    }

    fn mentioning_among(
        &self,
        name: &str,
        among: &dyn Fn(ContentNumber) -> bool,
    ) -> std::result::Result<Vec<ContentNumber>, Unreadable> {
        let found = self.facts_of_name(name, among, |facts| {
            let id = facts.names.find(name)?;
            facts.mentioned_names().contains(&id).then_some(())
        })?;
        Ok(found.into_iter().map(|(content, ())| content).collect())
    }

    fn semantics(&self, language: LanguageId) -> Option<&'static Semantics> {
        self.base.corpus.semantics(language)
    }
}

/// A question about a tree that is not indexed. While it lasts, indexing waits; at its end, what it
/// made is kept.
pub struct ColdQuestion {
    workspace: Arc<Workspace>,
    corpus: Arc<ColdCorpus>,
    n_refusals: usize,
}

impl ColdQuestion {
    /// Nothing for a view of indexed files.
    pub fn about(workspace: &Arc<Workspace>, view: &SnapshotView) -> Option<ColdQuestion> {
        let corpus = view.cold.clone()?;
        corpus.n_read.store(0, Ordering::Relaxed);
        let workspace = workspace.clone();
        workspace.base.n_questions.fetch_add(1, Ordering::Relaxed);
        Some(ColdQuestion {
            n_refusals: corpus.n_refusals.load(Ordering::Relaxed),
            workspace,
            corpus,
        })
    }

    /// Whether something was asked for that only an index can tell: what was answered is to be
    /// thrown away.
    pub fn needs_index(&self) -> bool {
        self.corpus.n_refusals.load(Ordering::Relaxed) != self.n_refusals
    }
}

impl Drop for ColdQuestion {
    fn drop(&mut self) {
        self.corpus.keep();
        let base = &self.workspace.base;
        base.n_questions.fetch_sub(1, Ordering::Relaxed);
        // A process that stays goes on to index; one that answers once starts nothing.
        if base.options.watch {
            match self.workspace.jobs().start_index(None, false) {
                Ok(_) | Err(Error::InProgress { .. }) => {}
                Err(error) => tracing::warn!(%error, "the first index does not start"),
            }
        }
    }
}
