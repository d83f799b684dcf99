//! Full text: words are counted over the contents of one view, so that a store that has seen other
//! commits counts the same. The engine ranks by these counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use engine::Unreadable;
use facts::{ContentNumber, TextDocument, TextMatches, TextSegment};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use store::{
    ContentSet,
    text::{ContentDocuments, TantivyIndex, TextStatistics},
};

use crate::{Error, Result, base::WorkspaceBase, litter::Litter, view::SnapshotView};

/// Contents that may wait for a commit to Tantivy: searching them from memory costs less than the
/// commit.
pub(crate) const FEW: usize = 16;
const MANY: usize = 200;
/// A search does not make documents of more contents than this; they are committed first.
const TOO_MANY: usize = 1000;
/// Texts of a published commit that are read together before they are searched.
const AHEAD: usize = 1000;
/// Bytes of documents in memory during indexing.
const MAX_PENDING_BYTES: usize = 64 << 20;

/// The text index of a workspace.
pub struct TextSearch {
    base: Arc<WorkspaceBase>,
    /// A thread is committing or tidying.
    is_busy: AtomicBool,
    litter: Mutex<Litter>,
}

impl TextSearch {
    pub(crate) fn new(base: Arc<WorkspaceBase>) -> TextSearch {
        TextSearch {
            base,
            is_busy: AtomicBool::new(false),
            litter: Mutex::default(),
        }
    }

    /// Every document of the view that holds any of `words`, with counts by field.
    pub fn matches(&self, view: &SnapshotView, words: &[&str]) -> Result<TextMatches> {
        if let Some(published) = view.published() {
            let matches = published.read(|commit| commit.matches(words));
            let mut matches = matches.map_err(|Unreadable| Error::Remote)?;
            add_unsaved(&mut matches, view, words);
            return Ok(matches);
        }
        self.commit_for(view);
        let text = self.base.store.text()?;
        let make = |number| documents(view.snapshot.corpus(), number);
        Ok(text.matches(view.contents(), words, &make)?)
    }

    /// Lists of the documents of the view that hold each of `words`: a search for the best ones does
    /// not look at all of them.
    pub fn segments(&self, view: &SnapshotView, words: &[&str]) -> Result<Vec<TextSegment>> {
        let Some(published) = view.published() else {
            return Ok(vec![TextSegment::of(&self.matches(view, words)?)]);
        };
        let segments = published.read(|commit| commit.segments(words));
        let mut segments = segments.map_err(|Unreadable| Error::Remote)?;
        if unsaved(view).next().is_some() {
            for segment in &mut segments {
                segment.retain(|content| view.contents().contains(content));
            }
            let mut matches = TextMatches {
                documents: Vec::new(),
                words: vec![Vec::new(); words.len()],
            };
            add_unsaved(&mut matches, view, words);
            segments.push(TextSegment::of(&matches));
        }
        Ok(segments)
    }

    /// The contents of the view that may hold one piece of each list: parts of words, in small
    /// ASCII letters, digits and `_`. None that does is missing.
    pub fn may_hold(
        &self,
        view: &SnapshotView,
        lists: &[Vec<String>],
    ) -> Result<FxHashSet<ContentNumber>> {
        if let Some(published) = view.published() {
            let contents = published.read(|commit| commit.may_hold(lists));
            let mut contents = contents.map_err(|Unreadable| Error::Remote)?;
            if contents.len() <= AHEAD {
                let ahead: Vec<ContentNumber> = contents.iter().copied().collect();
                published.read_texts_ahead(&ahead);
            }
            contents.extend(unsaved(view));
            return Ok(contents);
        }
        self.commit_for(view);
        let text = self.base.store.text()?;
        Ok(text.may_hold(view.contents(), lists)?)
    }

    /// How many and how long the view's documents are.
    pub fn statistics<'v>(&self, view: &'v SnapshotView) -> Result<&'v TextStatistics> {
        if let Some(statistics) = view.statistics.get() {
            return Ok(statistics);
        }
        if let Some(published) = view.published() {
            let statistics = published.read(|commit| commit.statistics());
            let mut statistics = statistics.map_err(|Unreadable| Error::Remote)?;
            for documents in unsaved(view).filter_map(|n| documents(view.snapshot.corpus(), n)) {
                for document in documents.documents() {
                    statistics.n_documents += 1;
                    for (total, length) in statistics.lengths.iter_mut().zip(document.lengths) {
                        *total += u64::from(length);
                    }
                }
            }
            return Ok(view.statistics.get_or_init(|| statistics));
        }
        self.commit_for(view);
        let text = self.base.store.text()?;
        let make = |number| documents(view.snapshot.corpus(), number);
        let count = |contents: &ContentSet| text.statistics(contents, &make);
        Ok(view.statistics.get_or_init(|| match &view.basis {
            Some(basis) => basis
                .statistics
                .after(&count(&basis.come), &count(&basis.gone)),
            None => count(view.contents()),
        }))
    }

    /// Hands documents to Tantivy while many more are on their way, and commits them where they are
    /// too many to be kept in memory.
    pub(crate) fn flush_while_indexing(&self) {
        let Ok(text) = self.base.store.text() else {
            return;
        };
        let (n_waiting, bytes) = text.pending();
        if bytes > MAX_PENDING_BYTES {
            self.commit(true);
        } else if n_waiting > MANY {
            let numbers = |above| self.base.store.contents_above(above);
            let make = |number| documents(&*self.base.corpus, number);
            log_failure(&text, text.feed(&numbers, &make));
        }
    }

    /// Commits documents if more than `few` contents wait.
    pub(crate) fn commit_pending(&self, few: usize) {
        let Ok(text) = self.base.store.text() else {
            return;
        };
        let waiting = self
            .base
            .store
            .contents_above(text.watermark())
            .map_or(0, |numbers| numbers.len());
        if waiting > few {
            self.commit(false);
        } else if let Err(error) = text.release() {
            tracing::warn!(%error, "the text index is not closed");
        }
    }

    /// Commits, or tidies the store, in a thread, unless one is at it.
    pub(crate) fn commit_in_background(self: &Arc<Self>) {
        let Ok(text) = self.base.store.text() else {
            return;
        };
        let is_many = text.pending().0 > MANY;
        let stays = self.base.options.watch;
        let is_untidy = stays && self.base.store.is_untidy();
        let is_littered = stays && self.litter.lock().is_due(&self.base);
        let is_due = is_many || is_untidy || is_littered;
        if !is_due || self.is_busy.swap(true, Ordering::Relaxed) {
            return;
        }
        let weak = Arc::downgrade(self);
        let work = move || {
            if is_many && let Some(text) = weak.upgrade() {
                text.commit_pending(MANY);
            }
            if is_littered && let Some(text) = weak.upgrade() {
                text.litter.lock().reduce(&text.base);
            }
            if is_untidy && !is_many {
                tidy_when_quiet(&weak);
            }
            if let Some(text) = weak.upgrade() {
                text.is_busy.store(false, Ordering::Relaxed);
            }
        };
        let thread = std::thread::Builder::new().name("text".to_owned());
        if thread.spawn(work).is_err() {
            self.is_busy.store(false, Ordering::Relaxed);
        }
    }

    /// Makes sure that a search of the view need not make documents of many contents.
    fn commit_for(&self, view: &SnapshotView) {
        let Ok(text) = self.base.store.text() else {
            return;
        };
        let waiting = |watermark: ContentNumber| view.contents().above(watermark).count();
        let n_waiting = waiting(text.watermark());
        if n_waiting <= TOO_MANY || n_waiting <= text.pending().0 {
            return;
        }
        // Another process may have committed them.
        if text.reload().is_ok() && waiting(text.watermark()) <= TOO_MANY {
            return;
        }
        self.commit(false);
    }

    fn commit(&self, keep_writer: bool) {
        let Ok(text) = self.base.store.text() else {
            return;
        };
        let numbers = |above| self.base.store.contents_above(above);
        let make = |number| documents(&*self.base.corpus, number);
        log_failure(&text, text.commit(&numbers, &make, keep_writer));
    }
}

/// Tidies the store once it has not been written to for a while. Gives up if the writes do not
/// stop.
fn tidy_when_quiet(text: &std::sync::Weak<TextSearch>) {
    const QUIET: Duration = Duration::from_secs(2);
    const LOOKS: usize = 10;
    let mut before = None;
    for _ in 0..LOOKS {
        let Some(text) = text.upgrade() else {
            return;
        };
        let size = Some(text.base.store.log_size());
        if size == before {
            if let Err(error) = text.base.store.tidy() {
                tracing::warn!(%error, "the index was not tidied");
            }
            return;
        }
        drop(text);
        before = size;
        std::thread::sleep(QUIET);
    }
}

fn log_failure(text: &TantivyIndex, done: store::Result<()>) {
    match done {
        Ok(()) => {}
        // Another process commits, and these with it.
        Err(store::Error::Busy) => drop(text.reload()),
        Err(error) => tracing::warn!(%error, "documents stay in memory"),
    }
}

/// The contents of unsaved files.
fn unsaved(view: &SnapshotView) -> impl Iterator<Item = ContentNumber> + '_ {
    view.contents()
        .above(ContentNumber(ContentNumber::FIRST_UNSAVED.0 - 1))
}

/// Adds the documents of unsaved files that hold any of `words`.
fn add_unsaved(matches: &mut TextMatches, view: &SnapshotView, words: &[&str]) {
    for number in unsaved(view) {
        let Some(documents) = documents(view.snapshot.corpus(), number) else {
            continue;
        };
        let first = matches.documents.len() as u32;
        for text in documents.documents() {
            matches.documents.push(TextDocument {
                content: number,
                symbol: text.symbol,
                lengths: text.lengths,
            });
        }
        for (word, hits) in words.iter().zip(&mut matches.words) {
            let of_content = documents.hits(word).iter();
            hits.extend(of_content.map(|(document, counts)| (first + document, *counts)));
        }
    }
}

fn documents(corpus: &dyn engine::Corpus, number: ContentNumber) -> Option<ContentDocuments> {
    Some(ContentDocuments::new(
        &*corpus.facts(number)?,
        &corpus.text(number)?,
    ))
}
