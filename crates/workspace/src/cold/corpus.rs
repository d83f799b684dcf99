//! The corpus of a tree that is not indexed: facts are made when a question leads to a file.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use engine::{Corpus, Sketches, Unreadable};
use facts::{ContentId, ContentNumber, Facts, LanguageId, Semantics, SymbolSketch};
use moka::sync::Cache;
use parking_lot::Mutex;
use store::{Batch, NewContent};

use super::{
    scan::{AT_ONCE, ScannedFile, ScannedFrom},
    words::{NameWords, WordMatrix, WordScratch, WordSet},
};
use crate::{
    Error, Workspace,
    base::WorkspaceBase,
    extraction,
    ingest::n_workers,
    parallel::in_parallel,
    platform::Root,
    repository::LocalRepository,
    text::FEW,
    view::{SnapshotView, Source},
};

type Read<T> = std::result::Result<T, Unreadable>;

/// A question that leads to more files than this, and to more than a quarter of all, gains little
/// over indexing.
const MAX_EXTRACTED: usize = 2_000;
/// Files whose facts are held at once while a name is looked for.
const HELD_AT_ONCE: usize = 256;
const FACTS_CACHE: u64 = 64 << 20;
/// Contents that wait to be written, in all.
const MAX_UNKEPT: usize = 500;

/// The files of a tree that is not indexed. Contents are numbered by file, in order of path, from
/// [`ContentNumber::FIRST_UNSAVED`]: two files are two contents, whatever they hold.
pub struct ColdCorpus {
    pub(super) base: Arc<WorkspaceBase>,
    /// Absent where the files are those of a commit.
    root: Option<Root>,
    pub(super) files: Vec<ScannedFile>,
    matrix: WordMatrix,
    /// Of files whose facts are not made: the words that they may define.
    definable: Box<[OnceLock<WordSet>]>,
    facts: Cache<usize, Arc<Facts>>,
    /// What was made and is not written yet.
    unkept: Mutex<Vec<NewContent>>,
    /// Files that were read for the question at hand.
    n_read: AtomicUsize,
    /// How often something was asked for that only an index can tell.
    n_refusals: AtomicUsize,
}

pub(super) fn number(i: usize) -> ContentNumber {
    ContentNumber(ContentNumber::FIRST_UNSAVED.0 + i as u32)
}

impl ColdCorpus {
    /// `files` in order of path.
    pub(super) fn new(
        base: Arc<WorkspaceBase>,
        root: Option<Root>,
        files: Vec<ScannedFile>,
    ) -> ColdCorpus {
        let weigh = |_: &usize, facts: &Arc<Facts>| facts.size_in_memory() as u32;
        let words: Vec<&WordSet> = files.iter().map(|file| &file.words).collect();
        ColdCorpus {
            base,
            root,
            matrix: WordMatrix::of(&words),
            definable: files.iter().map(|_| OnceLock::new()).collect(),
            files,
            facts: Cache::builder()
                .max_capacity(FACTS_CACHE)
                .weigher(weigh)
                .build(),
            unkept: Mutex::default(),
            n_read: AtomicUsize::new(0),
            n_refusals: AtomicUsize::new(0),
        }
    }

    pub(super) fn files(&self) -> &[ScannedFile] {
        &self.files
    }

    /// Refuses what only an index can tell: the question is to be asked again when there is one.
    pub fn require_index(&self) -> Unreadable {
        self.n_refusals.fetch_add(1, Ordering::Relaxed);
        Unreadable
    }

    /// The contents whose text holds every word of a name, in order.
    pub fn holding(&self, name: &str) -> Vec<ContentNumber> {
        let holding = self.candidates(name, &|_| true).into_iter();
        holding.map(number).collect()
    }

    fn candidates(&self, name: &str, among: &dyn Fn(ContentNumber) -> bool) -> Vec<usize> {
        let words = NameWords::of(name);
        let may_hold = self.matrix.holding(&words);
        let holds = |i: &usize| {
            let file = self.files.get(*i);
            file.is_some_and(|file| file.words.has_all(&words)) && among(number(*i))
        };
        may_hold.filter(holds).collect()
    }

    fn index_of(&self, content: ContentNumber) -> Option<usize> {
        let i = content.0.checked_sub(ContentNumber::FIRST_UNSAVED.0)? as usize;
        (i < self.files.len()).then_some(i)
    }

    /// What `each` makes of the facts of some files, in order.
    pub(super) fn of_facts<T>(
        &self,
        files: &[usize],
        each: impl Fn(&Facts) -> Option<T>,
    ) -> Read<Vec<(ContentNumber, T)>> {
        let mut found = Vec::new();
        for files in files.chunks(HELD_AT_ONCE) {
            for (i, facts) in files.iter().zip(self.make_all(files)?) {
                found.extend(each(&facts).map(|value| (number(*i), value)));
            }
        }
        Ok(found)
    }

    /// The files that may mention a name, in order. Plain text mentions nothing.
    fn may_mention(&self, name: &str, among: &dyn Fn(ContentNumber) -> bool) -> Vec<usize> {
        let mut files = self.candidates(name, among);
        files.retain(|i| self.files[*i].language.has_grammar());
        files
    }

    fn mentioning_of(&self, files: &[usize], name: &str) -> Read<Vec<ContentNumber>> {
        let found = self.of_facts(files, |facts| {
            let id = facts.names.find(name)?;
            facts.mentioned_names().contains(&id).then_some(())
        })?;
        Ok(found.into_iter().map(|(content, ())| content).collect())
    }

    /// The files that may define a name, in order.
    pub(super) fn may_define(&self, name: &str) -> Vec<usize> {
        self.may_define_among(name, &|_| true)
    }

    fn may_define_among(&self, name: &str, among: &dyn Fn(ContentNumber) -> bool) -> Vec<usize> {
        let words = NameWords::of(name);
        let mut files = self.candidates(name, among);
        let n_holding = files.len();
        files.retain(|i| self.files[*i].language.has_grammar());
        // What is written around a word tells of names that are one word.
        if !words.is_one() {
            return files;
        }
        let is_unknown = |i: &&usize| {
            self.definable[**i].get().is_none()
                && self.files[**i].language.declaration_syntax.is_some()
                && !self.facts.contains_key(*i)
        };
        let unknown: Vec<usize> = files.iter().filter(is_unknown).copied().collect();
        let chunks: Vec<&[usize]> = unknown.chunks(AT_ONCE).collect();
        in_parallel(&chunks, |files| {
            let mut scratch = WordScratch::default();
            for &i in *files {
                self.definable[i].get_or_init(|| self.definable_words(i, &mut scratch));
            }
        });
        files.retain(|i| {
            let definable = self.definable[*i].get();
            definable.is_none_or(|definable| definable.has_all(&words))
        });
        tracing::debug!(name, n_holding, n = files.len(), "files that may define");
        files
    }

    fn definable_words(&self, i: usize, scratch: &mut WordScratch) -> WordSet {
        let syntax = self.files[i].language.declaration_syntax;
        match (self.bytes(i, None), syntax) {
            (Some(bytes), Some(syntax)) => {
                let text = extraction::text_of(&bytes);
                WordSet::definable(text.as_bytes(), syntax, scratch)
            }
            // Making its facts finds out what is wrong with it.
            _ => self.files[i].words.clone(),
        }
    }

    /// The facts of files, made in parallel.
    fn make_all(&self, files: &[usize]) -> Read<Vec<Arc<Facts>>> {
        let known: Vec<Option<Arc<Facts>>> = files.iter().map(|i| self.facts.get(i)).collect();
        let missing = files.iter().zip(&known);
        let missing: Vec<usize> = missing
            .filter_map(|(i, facts)| facts.is_none().then_some(*i))
            .collect();
        let mut made = self.make_missing(&missing)?.into_iter();
        let all = known.into_iter().map(|facts| facts.or_else(|| made.next()));
        let all: Option<Vec<Arc<Facts>>> = all.collect();
        all.ok_or_else(|| self.require_index())
    }

    fn make_missing(&self, missing: &[usize]) -> Read<Vec<Arc<Facts>>> {
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let n_read = self.n_read.fetch_add(missing.len(), Ordering::Relaxed) + missing.len();
        if n_read > MAX_EXTRACTED.max(self.files.len() / 4) {
            tracing::debug!(n_read, "too many files for a question without an index");
            return Err(self.require_index());
        }
        let made: Vec<OnceLock<Arc<Facts>>> = missing.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let git = self.base.repository.as_ref().map(|git| git.local());
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(&i) = missing.get(at) else { return };
                if let Some(facts) = self.make(i, git.as_ref()) {
                    self.facts.insert(i, facts.clone());
                    let _ = made[at].set(facts);
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
        let made = made.into_iter().map(OnceLock::into_inner);
        made.collect::<Option<_>>()
            .ok_or_else(|| self.require_index())
    }

    /// The facts of a file, if it still is what the scan saw.
    fn make(&self, i: usize, git: Option<&LocalRepository>) -> Option<Arc<Facts>> {
        let language = self.files[i].language;
        let (known_id, mut bytes) = match self.files[i].from {
            ScannedFrom::Git(id) => (Some(id), None),
            ScannedFrom::Disk { .. } => (None, Some(self.bytes(i, git)?)),
        };
        let hashed = || self.base.corpus.hasher.id(bytes.as_deref()?);
        let id = extraction::facts_id(known_id.or_else(hashed)?, language);
        let key = (id.content, language.id);
        if let Ok(found) = self.base.store.find(&[key])
            && let Some((number, version)) = found.get(&key)
            && *version == language.version
        {
            return self.base.corpus.facts(*number);
        }
        if bytes.is_none() {
            bytes = self.bytes(i, git);
        }
        let bytes = bytes?;
        let text = extraction::text_of(&bytes);
        let bytes_were_text = matches!(text, std::borrow::Cow::Borrowed(_));
        let extractors = &self.base.extractors;
        let facts = extractors.extract(language, &text, bytes_were_text).ok()?;
        let in_git = known_id.is_some() || git.is_some_and(|git| git.has(&id.content));
        let kept = NewContent::new(id, facts.clone(), (!in_git).then_some(&bytes));
        self.unkept.lock().push(kept);
        Some(Arc::new(facts))
    }

    /// The bytes of a file, if it still is what the scan saw.
    pub(super) fn bytes(&self, i: usize, git: Option<&LocalRepository>) -> Option<Vec<u8>> {
        let file = &self.files[i];
        match file.from {
            ScannedFrom::Git(id) => self.blob(&id, git),
            ScannedFrom::Disk { stat, racy } => {
                let root = self.root.as_ref()?;
                let (bytes, before, after) = root.read(file.path.as_str(), stat.size).ok()?;
                let is_same = || {
                    let text = extraction::text_of(&bytes);
                    !racy || WordSet::of(text.as_bytes(), &mut WordScratch::default()) == file.words
                };
                (before == stat && after == stat && is_same()).then_some(bytes)
            }
        }
    }

    fn blob(&self, id: &ContentId, git: Option<&LocalRepository>) -> Option<Vec<u8>> {
        match git {
            Some(git) => git.blob(id),
            None => self.base.repository.as_ref()?.local().blob(id),
        }
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
        let made = self.make_all(&[self.index_of(content)?]);
        made.ok()?.pop()
    }

    fn text(&self, content: ContentNumber) -> Option<Arc<str>> {
        let bytes = self.bytes(self.index_of(content)?, None);
        if bytes.is_none() {
            self.require_index();
        }
        Some(extraction::into_text(bytes?))
    }

    fn defining(&self, name: &str) -> Read<Vec<ContentNumber>> {
        let found = self.sketches_among(name, &|_| true)?;
        Ok(found.into_iter().map(|(content, _)| content).collect())
    }

    fn sketches(&self, names: &[&str]) -> Read<Vec<Sketches>> {
        let of_name = |name: &&str| self.sketches_among(name, &|_| true);
        names.iter().map(of_name).collect()
    }

    fn sketches_among(&self, name: &str, among: &dyn Fn(ContentNumber) -> bool) -> Read<Sketches> {
        // What has no name is in no table of names.
        if name.is_empty() {
            return Ok(Sketches::new());
        }
        let files = self.may_define_among(name, among);
        self.of_facts(&files, |facts| {
            let named = SymbolSketch::named(facts, name);
            (!named.is_empty()).then_some(named)
        })
    }

    fn mentioning(&self, name: &str) -> Read<Vec<ContentNumber>> {
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
    ) -> Read<Vec<ContentNumber>> {
        let files = self.may_mention(name, among);
        tracing::debug!(name, n = files.len(), "files that may mention");
        self.mentioning_of(&files, name)
    }

    fn is_mentioned_by_more_than(&self, most: usize, name: &str) -> Read<bool> {
        let mut n_mentioning = 0;
        // Most files that hold a word mention it: few have to be read.
        for files in self.may_mention(name, &|_| true).chunks(most + 1) {
            n_mentioning += self.mentioning_of(files, name)?.len();
            if n_mentioning > most {
                return Ok(true);
            }
        }
        Ok(false)
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
    /// The commit that is asked about; the working tree where absent.
    commit: Option<ContentId>,
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
            commit: match view.source {
                Source::Commit { id } => Some(id),
                _ => None,
            },
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
            let commit = self.commit.map(|id| id.to_string());
            match self.workspace.jobs().start_index(commit.as_deref(), false) {
                Ok(_) | Err(Error::InProgress { .. }) => {}
                Err(error) => tracing::warn!(%error, "the first index does not start"),
            }
        }
    }
}
