//! Which documents of a snapshot hold which words, and how often. The counts are made over the
//! snapshot's own contents, in Tantivy or not, so that nothing else in the index changes them. The
//! engine ranks by them.

use facts::{ContentNumber, FieldCounts, N_FIELDS, SymbolIndex, TextDocument, TextMatches};
use rustc_hash::FxHashSet;
use tantivy::{Term, schema::IndexRecordOption};

use super::{
    documents::ContentDocuments,
    index::{SegmentColumns, TantivyIndex},
};
use crate::{ContentSet, Result};

/// How long and how many a snapshot's documents are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextStatistics {
    pub n_documents: u64,
    /// Words of all documents, by field.
    pub lengths: [u64; N_FIELDS],
    pub n_contents: u64,
}

impl TextStatistics {
    /// The statistics after some contents came and others went.
    pub fn after(&self, come: &TextStatistics, gone: &TextStatistics) -> TextStatistics {
        let mut after = self.clone();
        after.n_documents = after.n_documents + come.n_documents - gone.n_documents;
        after.n_contents = after.n_contents + come.n_contents - gone.n_contents;
        for (field, length) in after.lengths.iter_mut().enumerate() {
            *length = *length + come.lengths[field] - gone.lengths[field];
        }
        after
    }
}

impl TantivyIndex {
    /// Counts over the documents of `contents`. `make` gives the documents of contents that are not
    /// in Tantivy yet; those that it cannot give do not count.
    pub fn statistics(
        &self,
        contents: &ContentSet,
        make: &dyn Fn(ContentNumber) -> Option<ContentDocuments>,
    ) -> TextStatistics {
        let state = self.state();
        let mut statistics = TextStatistics {
            n_contents: contents.len() as u64,
            ..TextStatistics::default()
        };
        for columns in &state.segments {
            for (i, content) in columns.content.iter().enumerate() {
                if *content <= state.watermark && contents.contains(*content) {
                    statistics.n_documents += 1;
                    for field in 0..N_FIELDS {
                        statistics.lengths[field] += u64::from(columns.lengths[field][i]);
                    }
                }
            }
        }
        for number in contents.above(state.watermark) {
            let Some(documents) = self.pending_documents(number, make) else {
                continue;
            };
            for document in documents.documents() {
                statistics.n_documents += 1;
                for field in 0..N_FIELDS {
                    statistics.lengths[field] += u64::from(document.lengths[field]);
                }
            }
        }
        statistics
    }

    /// The documents of `contents` that hold any of `words`, which are as [`super::words`] gives
    /// them.
    pub fn matches(
        &self,
        contents: &ContentSet,
        words: &[&str],
        make: &dyn Fn(ContentNumber) -> Option<ContentDocuments>,
    ) -> Result<TextMatches> {
        let state = self.state();
        let mut matches = TextMatches {
            documents: Vec::new(),
            words: vec![Vec::new(); words.len()],
        };
        for (reader, columns) in state.searcher.segment_readers().iter().zip(&state.segments) {
            let mut collector = SegmentMatches::new(columns, contents, state.watermark);
            let fields = self.fields().words;
            let inverted = [
                reader.inverted_index(fields[0])?,
                reader.inverted_index(fields[1])?,
                reader.inverted_index(fields[2])?,
            ];
            for (i, word) in words.iter().enumerate() {
                collector.next_word();
                for field in 0..N_FIELDS {
                    let term = Term::from_field_text(fields[field], word);
                    let postings =
                        inverted[field].read_block_postings(&term, IndexRecordOption::WithFreqs);
                    let Some(mut postings) = postings.map_err(tantivy::TantivyError::from)? else {
                        continue;
                    };
                    while !postings.docs().is_empty() {
                        for (document, count) in postings.docs().iter().zip(postings.freqs()) {
                            collector.take(*document, field, *count);
                        }
                        postings.advance();
                    }
                }
                collector.finish_word(&mut matches, i);
            }
        }
        for number in contents.above(state.watermark) {
            let Some(documents) = self.pending_documents(number, make) else {
                continue;
            };
            let mut indexes = vec![u32::MAX; documents.documents().len()];
            for (i, word) in words.iter().enumerate() {
                for (document, counts) in documents.hits(word) {
                    let index = &mut indexes[*document as usize];
                    if *index == u32::MAX {
                        *index = matches.documents.len() as u32;
                        let text = &documents.documents()[*document as usize];
                        matches.documents.push(TextDocument {
                            content: number,
                            symbol: text.symbol,
                            lengths: text.lengths,
                        });
                    }
                    matches.words[i].push((*index, *counts));
                }
            }
        }
        Ok(matches)
    }

    /// The contents that may hold one piece of each list: all that do, those whose words were cut
    /// for their length, and those that are not in the index yet. A piece is a part of a word, in
    /// small ASCII letters, digits and `_`, that is no `_` alone.
    pub fn may_hold(
        &self,
        contents: &ContentSet,
        lists: &[Vec<String>],
    ) -> Result<FxHashSet<ContentNumber>> {
        let state = self.state();
        let mut found: Option<FxHashSet<ContentNumber>> = None;
        for pieces in lists {
            let finders: Vec<_> = pieces.iter().map(memchr::memmem::Finder::new).collect();
            let mut holding: FxHashSet<ContentNumber> = contents.above(state.watermark).collect();
            for (reader, columns) in state.searcher.segment_readers().iter().zip(&state.segments) {
                for field in self.fields().words {
                    let inverted = reader.inverted_index(field)?;
                    let mut terms = inverted
                        .terms()
                        .stream()
                        .map_err(tantivy::TantivyError::from)?;
                    while terms.advance() {
                        let word = terms.key();
                        let holds = word.len() >= super::words::MAX_WORD
                            || finders.iter().any(|finder| finder.find(word).is_some());
                        if !holds {
                            continue;
                        }
                        let postings = inverted.read_block_postings_from_terminfo(
                            terms.value(),
                            IndexRecordOption::Basic,
                        );
                        let mut postings = postings.map_err(tantivy::TantivyError::from)?;
                        while !postings.docs().is_empty() {
                            let of = |document: &u32| columns.content[*document as usize];
                            let read = postings.docs().iter().map(of);
                            holding.extend(read.filter(|content| contents.contains(*content)));
                            postings.advance();
                        }
                    }
                }
            }
            found = Some(match found {
                None => holding,
                Some(found) => found.intersection(&holding).copied().collect(),
            });
        }
        Ok(found.unwrap_or_default())
    }
}

/// Gathers the hits of one segment, word by word.
struct SegmentMatches<'a> {
    columns: &'a SegmentColumns,
    contents: &'a ContentSet,
    watermark: ContentNumber,
    /// For each document of the segment its index in the result, and one.
    index: Vec<u32>,
    /// For each document of the segment its place among this word's hits, with the word that put it
    /// there.
    place: Vec<(u32, u32)>,
    word: u32,
    hits: Vec<(u32, FieldCounts)>,
}

impl<'a> SegmentMatches<'a> {
    fn new(
        columns: &'a SegmentColumns,
        contents: &'a ContentSet,
        watermark: ContentNumber,
    ) -> SegmentMatches<'a> {
        let n_documents = columns.content.len();
        SegmentMatches {
            columns,
            contents,
            watermark,
            index: vec![0; n_documents],
            place: vec![(0, 0); n_documents],
            word: 0,
            hits: Vec::new(),
        }
    }

    fn next_word(&mut self) {
        self.word += 1;
        self.hits.clear();
    }

    fn take(&mut self, document: u32, field: usize, count: u32) {
        let content = self.columns.content[document as usize];
        if content > self.watermark || !self.contents.contains(content) {
            return;
        }
        let place = &mut self.place[document as usize];
        if place.0 != self.word {
            *place = (self.word, self.hits.len() as u32);
            self.hits.push((document, [0; N_FIELDS]));
        }
        self.hits[place.1 as usize].1[field] += count;
    }

    fn finish_word(&mut self, matches: &mut TextMatches, word: usize) {
        for &(document, counts) in &self.hits {
            let i = document as usize;
            if self.index[i] == 0 {
                let columns = self.columns;
                matches.documents.push(TextDocument {
                    content: columns.content[i],
                    symbol: columns.symbol[i].checked_sub(1).map(SymbolIndex),
                    lengths: [
                        columns.lengths[0][i],
                        columns.lengths[1][i],
                        columns.lengths[2][i],
                    ],
                });
                self.index[i] = matches.documents.len() as u32;
            }
            matches.words[word].push((self.index[i] - 1, counts));
        }
    }
}
