//! Which functions, types and file rests hold which words: `store` counts them, `engine` ranks them.

use std::{ops::Range, sync::Arc};

use crate::{ContentNumber, SymbolIndex};

/// The fields of a document: its name, the names around it, its body.
pub const N_FIELDS: usize = 3;

/// How often a word occurs in each field, or how many words each field has.
pub type FieldCounts = [u32; N_FIELDS];

/// Documents that hold at least one of the words asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextMatches {
    /// The documents of a content come one after another; the order means nothing else.
    pub documents: Vec<TextDocument>,
    /// For each word asked for, the documents that hold it, as indexes, and how often.
    pub words: Vec<Vec<(u32, FieldCounts)>>,
}

/// One function, one type without its functions, or the rest of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextDocument {
    pub content: ContentNumber,
    /// Absent for the rest of the file.
    pub symbol: Option<SymbolIndex>,
    pub lengths: FieldCounts,
}

/// A part of an index whose documents have numbers of their own. Nothing in it is copied for a
/// question: a search for the best documents looks at few of those that a long list names.
#[derive(Clone, Debug)]
pub struct TextSegment {
    pub documents: Arc<SegmentDocuments>,
    pub contents: SegmentContents,
    /// A bit for each document whose content the snapshot has; absent where all are.
    pub present: Option<Arc<[u64]>>,
    /// For each word asked for, the documents that hold it.
    pub words: Vec<Option<Arc<Postings>>>,
}

/// The documents of a segment, those of a content one after another.
#[derive(Clone, Debug, Default)]
pub struct SegmentDocuments {
    documents: Vec<SegmentDocument>,
    /// Where the documents of each content begin, and where the last ones end.
    starts: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentDocument {
    /// As the segment counts contents.
    pub content: u32,
    /// Absent for the rest of the file.
    pub symbol: Option<SymbolIndex>,
    pub lengths: FieldCounts,
}

/// Which contents a segment has.
#[derive(Clone, Debug)]
pub enum SegmentContents {
    /// This one and those that follow it.
    From(ContentNumber),
    /// These; ascending.
    Listed(Vec<ContentNumber>),
}

/// The documents of a segment that hold a word, ascending, and how often: two lists of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Postings {
    pub documents: Vec<u32>,
    pub counts: Vec<FieldCounts>,
}

impl TextMatches {
    /// Everything that segments hold of the words that they were asked for.
    pub fn of(segments: &[TextSegment]) -> TextMatches {
        let n_words = segments.iter().map(|segment| segment.words.len()).max();
        let mut matches = TextMatches {
            documents: Vec::new(),
            words: vec![Vec::new(); n_words.unwrap_or(0)],
        };
        for segment in segments {
            let mut found: Vec<u32> = Vec::new();
            for list in segment.words.iter().flatten() {
                let present = list.documents.iter().copied();
                found.extend(present.filter(|document| segment.is_present(*document)));
            }
            found.sort_unstable();
            found.dedup();
            let first = matches.documents.len();
            matches.documents.extend(found.iter().map(|document| {
                let entry = segment.documents.documents[*document as usize];
                TextDocument {
                    content: segment.contents.number(entry.content),
                    symbol: entry.symbol,
                    lengths: entry.lengths,
                }
            }));
            for (list, hits) in segment.words.iter().zip(&mut matches.words) {
                let mut from = 0;
                for (document, counts) in list.iter().flat_map(|list| list.iter()) {
                    from += found[from..].partition_point(|other| *other < document);
                    if found.get(from) == Some(&document) {
                        hits.push(((first + from) as u32, counts));
                    }
                }
            }
        }
        matches
    }
}

impl TextSegment {
    /// Matches as one segment.
    pub fn of(matches: &TextMatches) -> TextSegment {
        let mut order: Vec<u32> = (0..matches.documents.len() as u32).collect();
        order.sort_unstable_by_key(|i| {
            let document = &matches.documents[*i as usize];
            (document.content, document.symbol, *i)
        });
        let mut places = vec![0_u32; order.len()];
        let mut numbers: Vec<ContentNumber> = Vec::new();
        let mut documents = Vec::with_capacity(order.len());
        for (place, i) in order.into_iter().enumerate() {
            places[i as usize] = place as u32;
            let document = &matches.documents[i as usize];
            if numbers.last() != Some(&document.content) {
                numbers.push(document.content);
            }
            documents.push(SegmentDocument {
                content: numbers.len() as u32 - 1,
                symbol: document.symbol,
                lengths: document.lengths,
            });
        }
        let list = |hits: &Vec<(u32, FieldCounts)>| {
            let mut hits: Vec<(u32, FieldCounts)> = hits
                .iter()
                .map(|(document, counts)| (places[*document as usize], *counts))
                .collect();
            hits.sort_unstable_by_key(|(place, _)| *place);
            let (documents, counts) = hits.into_iter().unzip();
            (Some(Arc::new(Postings { documents, counts }))).filter(|list| !list.is_empty())
        };
        TextSegment {
            words: matches.words.iter().map(list).collect(),
            documents: Arc::new(SegmentDocuments::new(documents, numbers.len() as u32)),
            contents: SegmentContents::Listed(numbers),
            present: None,
        }
    }

    /// Whether the snapshot has a document's content.
    #[inline]
    pub fn is_present(&self, document: u32) -> bool {
        let bit = |bits: &Arc<[u64]>| bits[document as usize / 64] >> (document % 64) & 1 == 1;
        self.present.as_ref().is_none_or(bit)
    }

    /// Leaves out the contents for which `is_present` is false.
    pub fn retain(&mut self, is_present: impl Fn(ContentNumber) -> bool) {
        let n_documents = self.documents.documents.len();
        let mut bits: Vec<u64> = match &self.present {
            Some(bits) => bits.to_vec(),
            None => vec![u64::MAX; n_documents.div_ceil(64)],
        };
        for content in 0..self.documents.n_contents() {
            if !is_present(self.contents.number(content)) {
                for document in self.documents.range(content) {
                    bits[document as usize / 64] &= !(1 << (document % 64));
                }
            }
        }
        self.present = Some(bits.into());
    }
}

impl SegmentDocuments {
    /// `documents` in order of content.
    pub fn new(documents: Vec<SegmentDocument>, n_contents: u32) -> SegmentDocuments {
        let mut starts = Vec::with_capacity(n_contents as usize + 1);
        for (i, document) in documents.iter().enumerate() {
            while starts.len() <= document.content as usize {
                starts.push(i as u32);
            }
        }
        starts.resize(n_contents as usize + 1, documents.len() as u32);
        SegmentDocuments { documents, starts }
    }

    pub fn all(&self) -> &[SegmentDocument] {
        &self.documents
    }

    pub fn n_contents(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }

    /// The documents of a content.
    pub fn range(&self, content: u32) -> Range<u32> {
        self.starts[content as usize]..self.starts[content as usize + 1]
    }
}

impl SegmentContents {
    pub fn number(&self, content: u32) -> ContentNumber {
        match self {
            SegmentContents::From(first) => ContentNumber(first.0 + content),
            SegmentContents::Listed(numbers) => numbers[content as usize],
        }
    }

    /// The place of a content among these; where they follow each other it may be beyond the last.
    pub fn place(&self, content: ContentNumber) -> Option<u32> {
        match self {
            SegmentContents::From(first) => content.0.checked_sub(first.0),
            SegmentContents::Listed(numbers) => Some(numbers.binary_search(&content).ok()? as u32),
        }
    }
}

impl Postings {
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, FieldCounts)> + '_ {
        self.documents
            .iter()
            .copied()
            .zip(self.counts.iter().copied())
    }
}
