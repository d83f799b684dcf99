//! What a moment of a repository can be asked besides its analysis: its names, its words, its
//! files.

use engine::{
    ContentNumber, FileId, Snapshot, SymbolId,
    query::search::{Lexicon, PathWords, TextDocument, TextIndex, TextMatches},
};
use facts::Facts;
use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::{Moment, analyses::Lasting};

/// Numbers from here on belong to unsaved files, which no table on disk knows.
const UNSAVED: u32 = 0x8000_0000;

/// Contents whose size may be looked up one by one.
const FEW_CONTENTS: usize = 64;

impl Moment {
    /// The snapshot that the analysis is of.
    pub fn snapshot(&self) -> &Snapshot {
        self.analysis.snapshot()
    }

    pub fn facts(&self, file: FileId) -> Option<Arc<Facts>> {
        self.snapshot()
            .corpus()
            .facts(self.snapshot().file(file).content)
    }

    pub fn text(&self, file: FileId) -> Option<Arc<str>> {
        self.snapshot()
            .corpus()
            .text(self.snapshot().file(file).content)
    }

    pub fn path(&self, file: FileId) -> &str {
        self.snapshot().file(file).path.as_str()
    }

    /// The word for a file's language: `python`; `text` where no language claims it.
    pub fn language(&self, file: FileId) -> &'static str {
        extract::language(self.snapshot().file(file).language)
            .map_or("text", |language| language.name)
    }

    /// The symbol's own name.
    pub fn name(&self, symbol: SymbolId) -> String {
        self.facts(symbol.file).map_or_else(String::new, |facts| {
            facts.name(facts.symbol(symbol.index).name).to_owned()
        })
    }

    /// All names and file stems, made once per snapshot.
    pub fn lexicon(&self) -> &Lexicon {
        self.known.lasting.lexicon.get_or_init(|| {
            let snapshot = self.snapshot();
            let from_former = |(before, lasting): &(Arc<Snapshot>, Lasting)| {
                lasting.lexicon.get()?.after(before, snapshot)
            };
            if let Some(lexicon) = self.known.former.as_ref().and_then(from_former) {
                return Arc::new(lexicon);
            }
            let lexicon = Lexicon::new(snapshot, |each| {
                let read = self
                    .workspace
                    .store()
                    .definitions_from("", |name, content| {
                        each(name, ContentNumber(content.0));
                        true
                    });
                if let Err(error) = read {
                    tracing::warn!(%error, "the table of names cannot be read");
                }
                for (_, file) in snapshot
                    .files()
                    .filter(|(_, file)| read_is_blind_to(file.content))
                {
                    let Some(facts) = snapshot.corpus().facts(file.content) else {
                        continue;
                    };
                    for symbol in &facts.symbols {
                        each(facts.name(symbol.name), file.content);
                    }
                }
            });
            Arc::new(lexicon)
        })
    }

    /// The words of all paths, made once per snapshot.
    pub fn path_words(&self) -> &PathWords {
        self.known.lasting.paths.get_or_init(|| {
            let from_former = |(before, lasting): &(Arc<Snapshot>, Lasting)| {
                lasting.paths.get()?.after(before, self.snapshot())
            };
            let paths = self.known.former.as_ref().and_then(from_former);
            Arc::new(paths.unwrap_or_else(|| PathWords::new(self.snapshot(), &Words(self))))
        })
    }

    /// The words of functions, types and file rests.
    pub fn text_index(&self) -> impl TextIndex + '_ {
        Words(self)
    }
}

fn read_is_blind_to(content: ContentNumber) -> bool {
    content.0 >= UNSAVED
}

struct Words<'a>(&'a Moment);

impl TextIndex for Words<'_> {
    fn words(&self, text: &str, each: &mut dyn FnMut(&str)) {
        workspace::words(text, each);
    }

    fn statistics(&self) -> (u64, [u64; 3]) {
        match self.0.workspace.text().statistics(&self.0.view) {
            Ok(statistics) => (statistics.n_documents, statistics.lengths),
            Err(error) => {
                tracing::warn!(%error, "the text index cannot be read");
                (0, [0; 3])
            }
        }
    }

    fn matches(&self, words: &[&str]) -> TextMatches {
        let found = match self.0.workspace.text().matches(&self.0.view, words) {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "the text index cannot be read");
                return TextMatches {
                    documents: Vec::new(),
                    words: vec![Vec::new(); words.len()],
                };
            }
        };
        let documents = found.documents.iter().map(|found| TextDocument {
            content: ContentNumber(found.content.0),
            symbol: found.symbol,
            lengths: found.lengths,
        });
        TextMatches {
            documents: documents.collect(),
            words: found
                .words
                .iter()
                .map(|hits| hits.iter().map(|hit| (hit.document, hit.counts)).collect())
                .collect(),
        }
    }

    fn size(&self, content: ContentNumber) -> u32 {
        let sizes = self.0.known.lasting.sizes.get_or_init(|| {
            // The few contents that are not in it tell their size themselves.
            let lacks_little = |sizes: &&Arc<FxHashMap<u32, u32>>| {
                self.0
                    .snapshot()
                    .files()
                    .filter(|(_, file)| !sizes.contains_key(&file.content.0))
                    .take(FEW_CONTENTS)
                    .count()
                    < FEW_CONTENTS
            };
            let former = self
                .0
                .known
                .former
                .as_ref()
                .and_then(|(_, lasting)| lasting.sizes.get());
            if let Some(sizes) = former.filter(lacks_little) {
                return sizes.clone();
            }
            let rows = self.0.workspace.store().contents().unwrap_or_default();
            let own = rows.into_iter().filter(|row| {
                !self
                    .0
                    .snapshot()
                    .files_of(ContentNumber(row.number.0))
                    .is_empty()
            });
            Arc::new(own.map(|row| (row.number.0, row.len)).collect())
        });
        let unsaved = || {
            self.0
                .snapshot()
                .corpus()
                .facts(content)
                .map_or(0, |facts| facts.lines.text_len())
        };
        sizes.get(&content.0).copied().unwrap_or_else(unsaved)
    }
}
