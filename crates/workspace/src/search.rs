//! Full text over a snapshot. Scores depend on the snapshot alone: a store that has seen other
//! commits answers the same bytes.

use std::sync::{Weak, atomic::Ordering};

use engine::FileId;
use facts::SymbolIndex;
use store::{
    ContentNumber,
    text::{ContentDocuments, Matches, N_FIELDS, TextStatistics, Weights},
};

use crate::{Result, Workspace, corpus::engine_number, maintenance, view::SnapshotView};

pub struct TextQuery<'a> {
    /// Words as [`store::text::words`] gives them, with their weights.
    pub words: &'a [(String, f64)],
    pub weights: Weights,
    pub limit: usize,
}

/// A function, a type, or the rest of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TextHit {
    pub file: FileId,
    pub symbol: Option<SymbolIndex>,
    pub score: f64,
    /// For each word of the query, how often it stands in each field.
    pub counts: Vec<[u32; N_FIELDS]>,
}

/// Contents that may wait for a commit to Tantivy: searching them from memory costs less than the
/// commit.
pub(crate) const FEW: usize = 16;
const MANY: usize = 200;
/// A search does not make documents of more contents than this; they are committed first.
const TOO_MANY: usize = 1000;
/// Bytes of documents in memory during indexing.
const RELIEF: usize = 64 << 20;

/// Full text over the views of a workspace.
#[derive(Clone, Copy)]
pub struct TextSearch<'a>(pub(crate) &'a Workspace);

impl TextSearch<'_> {
    /// The best matches, best first; equal scores in order of path and place.
    pub fn search_text(&self, view: &SnapshotView, query: &TextQuery<'_>) -> Result<Vec<TextHit>> {
        let words: Vec<&str> = query.words.iter().map(|(word, _)| word.as_str()).collect();
        let weights: Vec<f64> = query.words.iter().map(|(_, weight)| *weight).collect();
        let matches = self.matches(view, &words)?;
        let scores = matches.scores(self.statistics(view)?, &query.weights, &weights);
        Ok(best(view, &matches, &scores, query.limit))
    }

    /// Every document of the view that holds any of `words`, with counts by field.
    pub fn matches(&self, view: &SnapshotView, words: &[&str]) -> Result<Matches> {
        self.commit_for(view);
        let text = self.0.store.text()?;
        Ok(text.matches(&view.contents().0, words, &|number| documents(view, number))?)
    }

    /// How many and how long the view's documents are.
    pub fn statistics<'v>(&self, view: &'v SnapshotView) -> Result<&'v TextStatistics> {
        if let Some(statistics) = view.statistics.get() {
            return Ok(statistics);
        }
        self.commit_for(view);
        let text = self.0.store.text()?;
        let count = |contents: &store::ContentSet| {
            text.statistics(contents, &|number| documents(view, number))
        };
        Ok(view.statistics.get_or_init(|| match &view.basis {
            Some(basis) => basis
                .statistics
                .after(&count(&basis.come), &count(&basis.gone)),
            None => count(&view.contents().0),
        }))
    }

    /// Hands documents on while many more are on their way, and commits them where they are too
    /// many to be kept in memory.
    pub(crate) fn flush_while_indexing(&self) {
        let Ok(text) = self.0.store.text() else {
            return;
        };
        let (n_waiting, bytes) = text.pending();
        if bytes > RELIEF {
            self.commit(true);
        } else if n_waiting > MANY {
            self.log_failure(
                text.feed(&|above| self.0.store.contents_above(above), &|number| {
                    self.made_documents(number)
                }),
                &text,
            );
        }
    }

    /// Commits documents if more than `few` contents wait.
    pub(crate) fn commit_pending(&self, few: usize) {
        let Ok(text) = self.0.store.text() else {
            return;
        };
        let waiting = self
            .0
            .store
            .contents_above(text.watermark())
            .map_or(0, |numbers| numbers.len());
        if waiting > few {
            self.commit(false);
        } else if let Err(error) = text.release() {
            tracing::warn!(%error, "the text index is not closed");
        }
    }

    pub(crate) fn commit_in_background(&self) {
        let Ok(text) = self.0.store.text() else {
            return;
        };
        if text.pending().0 > MANY {
            self.in_background(|workspace| {
                workspace
                    .upgrade()
                    .iter()
                    .for_each(|workspace| workspace.text().commit_pending(MANY))
            });
        } else if self.0.options.watch && self.0.store.is_untidy() {
            self.in_background(maintenance::tidy_when_quiet);
        }
    }

    /// Does `work` unless something else is being done.
    fn in_background(&self, work: impl FnOnce(&Weak<Workspace>) + Send + 'static) {
        if self.0.settling.swap(true, Ordering::Relaxed) {
            return;
        }
        let this = self.0.this.clone();
        let work = move || {
            work(&this);
            if let Some(workspace) = this.upgrade() {
                workspace.settling.store(false, Ordering::Relaxed);
            }
        };
        if std::thread::Builder::new()
            .name("settle".to_owned())
            .spawn(work)
            .is_err()
        {
            self.0.settling.store(false, Ordering::Relaxed);
        }
    }

    /// Makes sure that a search of the view need not make documents of many contents.
    fn commit_for(&self, view: &SnapshotView) {
        let Ok(text) = self.0.store.text() else {
            return;
        };
        let waiting = |watermark: ContentNumber| view.contents().0.above(watermark.0).count();
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
        let Ok(text) = self.0.store.text() else {
            return;
        };
        let done = text.commit(
            &|above| self.0.store.contents_above(above),
            &|number| self.made_documents(number),
            keep_writer,
        );
        self.log_failure(done, &text);
    }

    fn made_documents(&self, number: ContentNumber) -> Option<ContentDocuments> {
        let number = engine_number(number);
        let corpus: &dyn engine::Corpus = &*self.0.corpus;
        Some(ContentDocuments::new(
            &*corpus.facts(number)?,
            &corpus.text(number)?,
        ))
    }

    fn log_failure(&self, done: store::Result<()>, text: &store::text::TextIndex) {
        match done {
            Ok(()) => {}
            // Another process commits, and these with it.
            Err(store::Error::Busy) => {
                let _ = text.reload();
            }
            Err(error) => tracing::warn!(%error, "documents stay in memory"),
        }
    }
}

fn documents(view: &SnapshotView, number: ContentNumber) -> Option<ContentDocuments> {
    let corpus = view.snapshot.corpus();
    let number = engine_number(number);
    Some(ContentDocuments::new(
        &*corpus.facts(number)?,
        &corpus.text(number)?,
    ))
}

fn best(view: &SnapshotView, matches: &Matches, scores: &[f64], limit: usize) -> Vec<TextHit> {
    if limit == 0 || scores.is_empty() {
        return Vec::new();
    }
    // All that score at least as the last one that counts, so that ties are settled by path and not
    // by the store's order.
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    let by_score = |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]);
    let threshold = if scores.len() > limit {
        let (_, last, _) = order.select_nth_unstable_by(limit - 1, by_score);
        scores[*last as usize]
    } else {
        f64::NEG_INFINITY
    };
    let mut hits: Vec<(TextHit, u32)> = Vec::new();
    for (i, document) in matches
        .documents
        .iter()
        .enumerate()
        .filter(|(i, _)| scores[*i] >= threshold)
    {
        for file in view.snapshot.files_of(engine_number(document.content)) {
            hits.push((
                TextHit {
                    file: *file,
                    symbol: document.symbol,
                    score: scores[i],
                    counts: Vec::new(),
                },
                i as u32,
            ));
        }
    }
    hits.sort_by(|(a, _), (b, _)| {
        b.score
            .total_cmp(&a.score)
            .then((a.file, a.symbol).cmp(&(b.file, b.symbol)))
    });
    hits.truncate(limit);
    let places: std::collections::HashMap<u32, usize> = hits
        .iter()
        .enumerate()
        .map(|(place, (_, document))| (*document, place))
        .collect();
    let mut counts = vec![vec![[0; N_FIELDS]; matches.words.len()]; hits.len()];
    for (word, found) in matches.words.iter().enumerate() {
        for hit in found {
            if let Some(place) = places.get(&hit.document) {
                counts[*place][word] = hit.counts;
            }
        }
    }
    // A content at several paths has one entry above.
    let first: Vec<usize> = hits.iter().map(|(_, document)| places[document]).collect();
    let hits = hits
        .into_iter()
        .zip(first)
        .map(|((hit, _), place)| TextHit {
            counts: counts[place].clone(),
            ..hit
        });
    hits.collect()
}
