//! The best documents of a question in words, without scoring those that cannot be among them.
//!
//! What a term adds to a document and to its file is bounded, since frequencies saturate. Files
//! with the term that may add most are scored first, then those with the next one, until what the
//! remaining terms may add together is less than the least of the best (MaxScore, with files in
//! place of documents: the score of a document depends on its file). How rare a term is depends on
//! all documents that match, also on those that are not scored: they are counted, a bit for each.

use std::ops::Range;

use facts::{FieldCounts, N_FIELDS, Postings, TextSegment};
use rustc_hash::FxHashSet;

use super::{
    Factors, SearchSources,
    names::Candidates,
    text::{PATH_WEIGHT, TextHit, TextTerm, file_norm, own_frequency, rarity, saturated},
};
use crate::{ContentNumber, FileId, Unreadable};

/// Which documents are wanted.
pub(super) struct WantedHits<'a> {
    /// This many, and those that are worth as much as the last of them.
    pub n_best: usize,
    /// What the documents of a file count, at most 1; nothing for a file that is not wanted.
    pub penalty: &'a dyn Fn(FileId) -> Option<f64>,
    /// Whether there are files that are not wanted.
    pub is_filtered: bool,
    /// These are wanted whatever they score, and do not count among the best.
    pub named: &'a Candidates,
}

#[derive(Default)]
pub(super) struct BestHits {
    /// In no order.
    pub hits: Vec<TextHit>,
    /// How many documents of wanted files hold a term.
    pub n_matching: usize,
}

/// Bounds are compared with this margin: sums are rounded.
const MARGIN: f64 = 1.0 + 1e-9;

/// The best documents that hold any of the terms, and the named ones that do.
pub(super) fn best(
    sources: &SearchSources<'_>,
    terms: &[TextTerm],
    wanted: &WantedHits<'_>,
) -> Result<BestHits, Unreadable> {
    let words: Vec<&str> = terms
        .iter()
        .flat_map(|term| &term.forms)
        .map(|(word, _)| word.as_str())
        .collect();
    let segments = sources.text.segments(&words)?;
    let (n_documents, totals) = sources.text.statistics()?;
    let n_documents = n_documents.max(1) as f64;
    let mut matched = Matched::new(sources, &segments, &words);
    let weights: Vec<TermWeight> = (0..terms.len())
        .map(|i| matched.weigh(terms, i, n_documents))
        .collect();
    let path_bits = std::mem::take(&mut matched.path_bits);
    let scoring = Scoring {
        sources,
        terms,
        weights: &weights,
        path_bits: &path_bits,
        words: &words,
        wanted,
        named_files: wanted.named.keys().map(|(file, _)| *file).collect(),
        mean: totals.map(|total| (total as f64 / n_documents).max(1e-6)),
        mean_size: sources.paths.mean_size(sources.snapshot, sources.text),
    };
    let n_matching = matched.n_matching(sources, wanted);
    let mut best = Best::new(wanted.n_best);
    let mut order: Vec<usize> = (0..terms.len()).collect();
    order.sort_by(|a, b| weights[*b].bound.total_cmp(&weights[*a].bound));
    for (i, term) in order.iter().enumerate() {
        let remaining: f64 = order[i..].iter().map(|term| weights[*term].bound).sum();
        if remaining * MARGIN < best.least() {
            break;
        }
        for segment in &mut matched.segments {
            segment.score_holding(*term, &scoring, &mut best);
        }
    }
    matched.score_named(&scoring, &mut best);
    Ok(BestHits {
        hits: best.finish(),
        n_matching,
    })
}

/// How much a term counts, in documents and in files.
struct TermWeight {
    in_documents: f64,
    in_files: f64,
    /// No document gains more by it.
    bound: f64,
}

/// A bit for each of many.
#[derive(Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)])
    }

    #[inline]
    fn set(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    #[inline]
    fn has(&self, i: u32) -> bool {
        self.0[i as usize / 64] >> (i % 64) & 1 == 1
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }

    /// The parts of a range, one for each number of 64 bits.
    fn parts(range: Range<u32>) -> impl Iterator<Item = (usize, u64)> {
        let words = range.start / 64..range.end.div_ceil(64);
        words.map(move |word| {
            let from = range.start.saturating_sub(word * 64);
            let until = (range.end - word * 64).min(64);
            let mask = (u64::MAX << from) & (u64::MAX >> (64 - until));
            (word as usize, mask)
        })
    }

    fn count_in(&self, range: Range<u32>) -> u64 {
        if range.is_empty() {
            return 0;
        }
        let parts = Bits::parts(range);
        parts
            .map(|(word, mask)| u64::from((self.0[word] & mask).count_ones()))
            .sum()
    }

    /// Those of a range that the other has not.
    fn count_without(&self, other: &Bits, range: Range<u32>) -> u64 {
        if range.is_empty() {
            return 0;
        }
        let parts = Bits::parts(range);
        parts
            .map(|(word, mask)| u64::from((self.0[word] & !other.0[word] & mask).count_ones()))
            .sum()
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(word as u32 * 64 + bit)
            })
        })
    }
}

/// Which documents and contents of the segments hold the terms.
struct Matched<'a, 's> {
    sources: &'a SearchSources<'s>,
    segments: Vec<MatchedSegment<'a>>,
    /// Contents that several files have: segment, place, how many more than one.
    repeated: Vec<(usize, u32, u64)>,
    /// For each word the files whose path holds it.
    path_bits: Vec<Option<Bits>>,
}

struct MatchedSegment<'a> {
    segment: &'a TextSegment,
    /// Documents with any term.
    any: Bits,
    /// For each term that was weighed, the contents with it in a document or in a path.
    holding: Vec<Bits>,
    scored: Bits,
    /// Documents that hold the term that is being weighed.
    with_term: Bits,
    /// Contents that hold it in a body.
    in_body: Bits,
}

impl<'a, 's> Matched<'a, 's> {
    fn new(
        sources: &'a SearchSources<'s>,
        segments: &'a [TextSegment],
        words: &[&str],
    ) -> Matched<'a, 's> {
        let segments: Vec<MatchedSegment<'a>> = segments.iter().map(MatchedSegment::new).collect();
        let mut matched = Matched {
            sources,
            segments,
            repeated: Vec::new(),
            path_bits: Vec::new(),
        };
        let repeated = sources.paths.repeated_contents(sources.snapshot).iter();
        matched.repeated = repeated
            .filter_map(|(content, n_files)| {
                let (segment, place) = matched.place(*content)?;
                Some((segment, place, u64::from(*n_files) - 1))
            })
            .collect();
        matched.path_bits = words
            .iter()
            .map(|word| {
                let files = sources.paths.files_of(word);
                (files.len() > 0).then(|| {
                    let mut bits = Bits::new(sources.snapshot.n_files());
                    files.for_each(|(file, _)| bits.set(file.0));
                    bits
                })
            })
            .collect();
        matched
    }

    /// Where a content is that has a document with any term.
    fn place(&self, content: ContentNumber) -> Option<(usize, u32)> {
        self.segments.iter().enumerate().find_map(|(i, segment)| {
            let place = segment.segment.contents.place(content)?;
            let documents = &segment.segment.documents;
            let is_here =
                place < documents.n_contents() && segment.any.count_in(documents.range(place)) > 0;
            is_here.then_some((i, place))
        })
    }

    /// Counts the documents and files that hold a term, which must be the one after those that were
    /// weighed before.
    fn weigh(&mut self, terms: &[TextTerm], term: usize, n_documents: f64) -> TermWeight {
        let first: usize = terms[..term].iter().map(|term| term.forms.len()).sum();
        let words = first..first + terms[term].forms.len();
        let (mut n_holding, mut n_files) = (0, 0);
        for segment in &mut self.segments {
            segment.mark(words.clone());
            n_holding += segment.with_term.count();
            n_files += segment.in_body.count();
        }
        for (segment, place, more) in &self.repeated {
            let segment = &self.segments[*segment];
            let range = segment.segment.documents.range(*place);
            n_holding += more * segment.with_term.count_in(range);
            n_files += more * u64::from(segment.in_body.has(*place));
        }
        let mut in_paths: Option<Bits> = None;
        for bits in self.path_bits[words].iter().flatten() {
            match &mut in_paths {
                None => in_paths = Some(bits.clone()),
                Some(all) => all.0.iter_mut().zip(&bits.0).for_each(|(a, b)| *a |= b),
            }
        }
        for file in in_paths.iter().flat_map(Bits::iter) {
            let content = self.sources.snapshot.file(FileId(file)).content;
            let Some((segment, place)) = self.place(content) else {
                continue;
            };
            let segment = &mut self.segments[segment];
            let range = segment.segment.documents.range(place);
            n_holding += segment.any.count_without(&segment.with_term, range);
            n_files += u64::from(!segment.in_body.has(place));
            segment.holding[term].set(place);
        }
        let weight = terms[term].weight;
        let all_files = self.sources.snapshot.n_files().max(1) as f64;
        let in_documents = weight * rarity(n_documents, n_holding as f64);
        let in_files = weight * rarity(all_files, n_files as f64);
        TermWeight {
            in_documents,
            in_files,
            bound: saturated(in_documents, f64::INFINITY)
                + super::FILE_SHARE * saturated(in_files, f64::INFINITY),
        }
    }

    fn n_matching(&self, sources: &SearchSources<'_>, wanted: &WantedHits<'_>) -> usize {
        let mut n_matching = 0;
        if !wanted.is_filtered {
            n_matching += self.segments.iter().map(|it| it.any.count()).sum::<u64>();
            for (segment, place, more) in &self.repeated {
                let segment = &self.segments[*segment];
                n_matching += more
                    * segment
                        .any
                        .count_in(segment.segment.documents.range(*place));
            }
            return n_matching as usize;
        }
        for MatchedSegment { segment, any, .. } in &self.segments {
            for content in 0..segment.documents.n_contents() {
                let n_documents = any.count_in(segment.documents.range(content));
                if n_documents > 0 {
                    let files = sources.snapshot.files_of(segment.contents.number(content));
                    let are_wanted = files.iter().filter(|f| (wanted.penalty)(**f).is_some());
                    n_matching += n_documents * are_wanted.count() as u64;
                }
            }
        }
        n_matching as usize
    }

    /// Scores the files of named documents that were not scored.
    fn score_named(&mut self, scoring: &Scoring<'_, '_>, best: &mut Best) {
        let mut places: Vec<(usize, u32)> = scoring
            .wanted
            .named
            .keys()
            .filter_map(|(file, _)| self.place(self.sources.snapshot.file(*file).content))
            .collect();
        places.sort_unstable();
        places.dedup();
        for of_segment in places.chunk_by(|a, b| a.0 == b.0) {
            let segment = &mut self.segments[of_segment[0].0];
            let mut cursors = Cursors::new(segment.segment);
            for (_, place) in of_segment {
                if !segment.scored.has(*place) {
                    segment.scored.set(*place);
                    scoring.score(segment, *place, &mut cursors, best);
                }
            }
        }
    }
}

impl<'a> MatchedSegment<'a> {
    fn new(segment: &'a TextSegment) -> MatchedSegment<'a> {
        let n_documents = segment.documents.all().len();
        let contents = || Bits::new(segment.documents.n_contents() as usize);
        let mut any = Bits::new(n_documents);
        for list in segment.words.iter().flatten() {
            list.documents
                .iter()
                .for_each(|document| any.set(*document));
        }
        let mut matched = MatchedSegment {
            segment,
            any,
            holding: Vec::new(),
            scored: contents(),
            with_term: Bits::new(n_documents),
            in_body: contents(),
        };
        keep_present(segment, &mut matched.any);
        matched
    }

    /// Marks the documents and contents that hold any of some words.
    fn mark(&mut self, words: Range<usize>) {
        self.with_term.clear();
        self.in_body.clear();
        let mut holding = Bits::new(self.segment.documents.n_contents() as usize);
        let documents = self.segment.documents.all();
        for list in self.segment.words[words].iter().flatten() {
            for (document, counts) in list.documents.iter().zip(&list.counts) {
                if !self.segment.is_present(*document) {
                    continue;
                }
                let content = documents[*document as usize].content;
                self.with_term.set(*document);
                holding.set(content);
                if counts[N_FIELDS - 1] > 0 {
                    self.in_body.set(content);
                }
            }
        }
        self.holding.push(holding);
    }

    /// Scores the files that hold a term and may be among the best.
    fn score_holding(&mut self, term: usize, scoring: &Scoring<'_, '_>, best: &mut Best) {
        let mut cursors = Cursors::new(self.segment);
        let holding = self.holding[term].clone();
        for content in holding.iter() {
            if !self.scored.has(content) {
                self.scored.set(content);
                scoring.score(self, content, &mut cursors, best);
            }
        }
    }
}

fn keep_present(segment: &TextSegment, documents: &mut Bits) {
    if let Some(present) = &segment.present {
        let both = documents.0.iter_mut().zip(present.iter());
        both.for_each(|(bits, present)| *bits &= present);
    }
}

/// Where each list of a segment was read last: contents are scored in order.
struct Cursors<'a> {
    lists: Vec<Option<&'a Postings>>,
    at: Vec<usize>,
    /// The postings of the content that is being scored.
    found: Vec<Range<usize>>,
    frequencies: Vec<f64>,
    scores: Vec<f64>,
}

impl<'a> Cursors<'a> {
    fn new(segment: &'a TextSegment) -> Cursors<'a> {
        let lists: Vec<Option<&Postings>> = segment.words.iter().map(Option::as_deref).collect();
        Cursors {
            at: vec![0; lists.len()],
            found: vec![0..0; lists.len()],
            lists,
            frequencies: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Finds the postings of some documents, which come after those that were looked for before.
    fn find(&mut self, range: Range<u32>) {
        for (i, list) in self.lists.iter().enumerate() {
            let Some(list) = list else { continue };
            let documents = &list.documents[..];
            let start = gallop(documents, self.at[i], range.start);
            let of_range = documents[start..].iter().take_while(|d| **d < range.end);
            self.found[i] = start..start + of_range.count();
            self.at[i] = self.found[i].end;
        }
        let n_documents = range.len();
        self.frequencies.clear();
        self.frequencies.resize(n_documents, 0.0);
    }

    fn postings(&self, word: usize) -> impl Iterator<Item = (u32, &FieldCounts)> {
        let list = self.lists[word].into_iter();
        let range = self.found[word].clone();
        list.flat_map(move |list| {
            let documents = list.documents[range.clone()].iter().copied();
            documents.zip(&list.counts[range.clone()])
        })
    }
}

/// The first place from `from` on whose document is not before `document`.
fn gallop(documents: &[u32], from: usize, document: u32) -> usize {
    let mut step = 1;
    let (mut low, mut high) = (from, from);
    while high < documents.len() && documents[high] < document {
        low = high + 1;
        high += step;
        step *= 2;
    }
    let high = high.min(documents.len());
    low + documents[low..high].partition_point(|other| *other < document)
}

/// What scores need.
struct Scoring<'a, 's> {
    sources: &'a SearchSources<'s>,
    terms: &'a [TextTerm],
    weights: &'a [TermWeight],
    path_bits: &'a [Option<Bits>],
    words: &'a [&'a str],
    wanted: &'a WantedHits<'a>,
    named_files: FxHashSet<FileId>,
    /// Words of a document, by field.
    mean: [f64; N_FIELDS],
    /// Bytes of a file.
    mean_size: f64,
}

impl Scoring<'_, '_> {
    /// Scores the documents of a content, as often as files have it.
    fn score(
        &self,
        segment: &MatchedSegment<'_>,
        content: u32,
        cursors: &mut Cursors<'_>,
        best: &mut Best,
    ) {
        let number = segment.segment.contents.number(content);
        let held = segment.holding.iter().zip(self.weights);
        let bound: f64 = held
            .filter(|(holding, _)| holding.has(content))
            .map(|(_, weight)| weight.bound)
            .sum();
        let mut is_found = false;
        for file in self.sources.snapshot.files_of(number) {
            let Some(penalty) = (self.wanted.penalty)(*file) else {
                continue;
            };
            let is_out = bound * penalty * MARGIN < best.least();
            if is_out && !self.named_files.contains(file) {
                continue;
            }
            if !is_found {
                cursors.find(segment.segment.documents.range(content));
                is_found = true;
            }
            self.score_file(segment, content, (*file, penalty), cursors, best);
        }
    }

    fn score_file(
        &self,
        segment: &MatchedSegment<'_>,
        content: u32,
        (file, penalty): (FileId, f64),
        cursors: &mut Cursors<'_>,
        best: &mut Best,
    ) {
        let documents = segment.segment.documents.all();
        let range = segment.segment.documents.range(content);
        let first = range.start;
        let size = self
            .sources
            .text
            .size(segment.segment.contents.number(content));
        let norm_of_file = file_norm(size, self.mean_size);
        let mut frequencies = std::mem::take(&mut cursors.frequencies);
        let mut scores = std::mem::take(&mut cursors.scores);
        scores.clear();
        scores.resize(range.len(), 0.0);
        let mut file_score = 0.0;
        let mut word = 0;
        for (term, weight) in self.terms.iter().zip(self.weights) {
            let (mut in_file, mut in_path) = (0.0, 0.0);
            for (_, counted) in &term.forms {
                for (document, counts) in cursors.postings(word) {
                    let lengths = &documents[document as usize].lengths;
                    let own = own_frequency(counts, lengths, &self.mean);
                    frequencies[(document - first) as usize] += counted * own;
                    // The body holds every word of the text once; names of containers repeat in
                    // each member.
                    in_file += counted * f64::from(counts[N_FIELDS - 1]);
                }
                if let Some(share) = self.share_of_path(word, file) {
                    let gain = counted * PATH_WEIGHT * share;
                    in_path += gain;
                    for document in range.clone().filter(|document| segment.any.has(*document)) {
                        frequencies[(document - first) as usize] += gain;
                    }
                }
                word += 1;
            }
            for (frequency, score) in frequencies.iter_mut().zip(&mut scores) {
                if *frequency > 0.0 {
                    *score += saturated(weight.in_documents, std::mem::take(frequency));
                }
            }
            if in_file > 0.0 || in_path > 0.0 {
                file_score += saturated(weight.in_files, in_file / norm_of_file + in_path);
            }
        }
        for document in range.filter(|document| segment.any.has(*document)) {
            let hit = TextHit {
                file,
                symbol: documents[document as usize].symbol,
                bm25: scores[(document - first) as usize],
                file_score,
            };
            if self.wanted.named.contains_key(&(file, hit.symbol)) {
                best.named.push(hit);
            } else {
                best.add(hit, penalty);
            }
        }
        (cursors.frequencies, cursors.scores) = (frequencies, scores);
    }

    /// How much of a file's path a word is.
    fn share_of_path(&self, word: usize, file: FileId) -> Option<f64> {
        let is_there = self.path_bits[word].as_ref()?.has(file.0);
        is_there.then(|| self.sources.paths.share(self.words[word], file))?
    }
}

/// The best so far.
struct Best {
    n: usize,
    /// Their totals; ascending.
    totals: Vec<f64>,
    /// Those that were among the best when they came.
    hits: Vec<(f64, TextHit)>,
    named: Vec<TextHit>,
}

impl Best {
    fn new(n: usize) -> Best {
        Best {
            n,
            totals: Vec::with_capacity(n + 1),
            hits: Vec::new(),
            named: Vec::new(),
        }
    }

    /// What a hit must be worth to be among the best.
    fn least(&self) -> f64 {
        match self.totals.first() {
            Some(least) if self.totals.len() >= self.n => *least,
            _ => f64::NEG_INFINITY,
        }
    }

    fn add(&mut self, hit: TextHit, penalty: f64) {
        let total = hit.factors(Factors::default(), penalty).total();
        if total < self.least() {
            return;
        }
        self.hits.push((total, hit));
        let place = self.totals.partition_point(|other| *other < total);
        self.totals.insert(place, total);
        if self.totals.len() > self.n {
            self.totals.remove(0);
        }
    }

    fn finish(self) -> Vec<TextHit> {
        let least = self.least();
        let best = self.hits.into_iter().filter(|(total, _)| *total >= least);
        let mut hits = self.named;
        hits.extend(best.map(|(_, hit)| hit));
        hits
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use facts::{
        Facts, File, LanguageId, RepoPath, Semantics, SymbolIndex, TextDocument, TextMatches,
    };
    use proptest::prelude::*;

    use super::{
        super::{Lexicon, PathWords, TextIndex, exhaustive},
        *,
    };
    use crate::{Budget, Corpus, Project, Snapshot};

    struct Nothing;

    impl Corpus for Nothing {
        fn facts(&self, _: ContentNumber) -> Option<Arc<Facts>> {
            None
        }
        fn text(&self, _: ContentNumber) -> Option<Arc<str>> {
            None
        }
        fn defining(&self, _: &str) -> Result<Vec<ContentNumber>, Unreadable> {
            Ok(Vec::new())
        }
        fn mentioning(&self, _: &str) -> Result<Vec<ContentNumber>, Unreadable> {
            Ok(Vec::new())
        }
        fn semantics(&self, _: LanguageId) -> Option<&'static Semantics> {
            None
        }
    }

    /// The documents of each content: length of each field, and the words with their counts.
    type Contents = Vec<Vec<(FieldCounts, Vec<(usize, FieldCounts)>)>>;

    /// Words `a`, `b`, … of contents, whose lists lie in two segments where `split` says so.
    struct Words {
        contents: Contents,
        split: usize,
    }

    impl Words {
        fn number(word: &str) -> usize {
            usize::from(word.as_bytes()[0] - b'a')
        }

        fn matches_of(&self, range: Range<usize>, words: &[&str]) -> TextMatches {
            let mut matches = TextMatches {
                documents: Vec::new(),
                words: vec![Vec::new(); words.len()],
            };
            for (content, documents) in self.contents.iter().enumerate() {
                for (symbol, (lengths, held)) in documents.iter().enumerate() {
                    let index = matches.documents.len() as u32;
                    let found: Vec<(usize, FieldCounts)> = words
                        .iter()
                        .enumerate()
                        .flat_map(|(i, word)| {
                            let of_word = held.iter().filter(|(w, _)| *w == Words::number(word));
                            of_word.map(move |(_, counts)| (i, *counts))
                        })
                        .collect();
                    if found.is_empty() || !range.contains(&content) {
                        continue;
                    }
                    matches.documents.push(TextDocument {
                        content: ContentNumber(content as u32),
                        symbol: (symbol > 0).then_some(SymbolIndex(symbol as u32)),
                        lengths: *lengths,
                    });
                    for (i, counts) in found {
                        matches.words[i].push((index, counts));
                    }
                }
            }
            matches
        }
    }

    impl TextIndex for Words {
        fn words(&self, text: &str, each: &mut dyn FnMut(&str)) {
            text.split('/').for_each(each);
        }

        fn statistics(&self) -> Result<(u64, [u64; N_FIELDS]), Unreadable> {
            let documents = self.contents.iter().flatten();
            let mut totals = [0; N_FIELDS];
            for (lengths, _) in documents.clone() {
                for field in 0..N_FIELDS {
                    totals[field] += u64::from(lengths[field]);
                }
            }
            Ok((documents.count() as u64, totals))
        }

        fn matches(&self, words: &[&str]) -> Result<TextMatches, Unreadable> {
            Ok(self.matches_of(0..self.contents.len(), words))
        }

        fn segments(&self, words: &[&str]) -> Result<Vec<TextSegment>, Unreadable> {
            let parts = [0..self.split, self.split..self.contents.len()];
            let segment = |part| TextSegment::of(&self.matches_of(part, words));
            Ok(parts.into_iter().map(segment).collect())
        }

        fn size(&self, content: ContentNumber) -> u32 {
            content.0 * 37 % 11 * 100
        }
    }

    const N_WORDS: usize = 7;

    fn contents() -> impl Strategy<Value = Contents> {
        // Few different counts, so that there are ties.
        let counts = (0..2_u32, 0..2_u32, 0..4_u32).prop_map(|(a, b, c)| [a, b, c + 1 - a.min(1)]);
        let held = proptest::collection::btree_map(0..N_WORDS, counts, 0..4);
        let lengths = [1..3_u32, 0..4_u32, 1..60_u32];
        let document = (lengths, held).prop_map(|(lengths, held)| {
            let held = held.into_iter().filter(|(_, counts)| *counts != [0; 3]);
            (lengths, held.collect())
        });
        proptest::collection::vec(proptest::collection::vec(document, 1..6), 1..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_best_are_those_of_the_exhaustive_scorer(
            contents in contents(),
            split in 0..60_usize,
            paths in proptest::collection::vec((0..60_usize, 0..N_WORDS + 3), 0..70),
            forms in proptest::collection::vec((1..3_usize, 1..20_u32), 1..5),
            named in proptest::collection::vec((0..70_u32, 0..5_u32), 0..4),
            n_best in 1..12_usize,
            unwanted in 1..6_u32,
        ) {
            let split = split.min(contents.len());
            // Some contents have several paths, and some of these are made of words.
            let of_content = (0..contents.len()).map(|content| (content, N_WORDS));
            let paths = paths.into_iter().filter(|(content, _)| *content < contents.len());
            let files = of_content.chain(paths).enumerate().map(|(i, (content, word))| File {
                path: RepoPath::new(&match word < N_WORDS {
                    true => format!("{}/f{i}", (b'a' + word as u8) as char),
                    false => format!("x/tests/f{i}"),
                }),
                content: ContentNumber(content as u32),
                language: LanguageId(i as u16 % 3),
            });
            let snapshot = Snapshot::new(Arc::new(Nothing), files.collect(), Project::default());
            let text = Words { contents, split };
            let mut next = 0;
            let terms: Vec<TextTerm> = forms.into_iter().map(|(n_forms, weight)| {
                let forms = (next..next + n_forms).map(|word| {
                    let letter = (b'a' + (word % N_WORDS) as u8) as char;
                    (letter.to_string(), if word == next { 1.0 } else { 0.6 })
                });
                let term = TextTerm {
                    forms: forms.collect(),
                    weight: f64::from(weight) / 10.0,
                    is_asking: false,
                };
                next += n_forms;
                term
            }).collect();
            let sources = SearchSources {
                snapshot: &snapshot,
                lexicon: &Lexicon::from_facts(&snapshot),
                paths: &PathWords::new(&snapshot, &text),
                text: &text,
                budget: &Budget::unlimited(),
            };
            let named: Candidates = named.into_iter()
                .filter(|(file, _)| (*file as usize) < snapshot.n_files())
                .map(|(file, symbol)| {
                    let symbol = (symbol > 0).then_some(SymbolIndex(symbol));
                    ((FileId(file), symbol), Factors::default())
                })
                .collect();
            let penalty = |file: FileId| match file.0 % 7 {
                n if n == unwanted => None,
                0 | 1 => Some(0.5),
                _ => Some(1.0),
            };
            let wanted = WantedHits {
                n_best,
                penalty: &penalty,
                is_filtered: true,
                named: &named,
            };
            let found = best(&sources, &terms, &wanted).unwrap();

            let mut all = exhaustive::score(&sources, &terms).unwrap();
            all.retain(|hit| penalty(hit.file).is_some());
            prop_assert_eq!(found.n_matching, all.len());
            let is_named = |hit: &TextHit| named.contains_key(&(hit.file, hit.symbol));
            let total = |hit: &TextHit| {
                hit.factors(Factors::default(), penalty(hit.file).unwrap()).total()
            };
            let mut totals: Vec<f64> =
                all.iter().filter(|hit| !is_named(hit)).map(total).collect();
            totals.sort_by(|a, b| b.total_cmp(a));
            let least = totals.get(n_best - 1).or(totals.last()).copied().unwrap_or(0.0);
            all.retain(|hit| is_named(hit) || total(hit) >= least);
            let sorted = |hits: Vec<TextHit>| {
                let mut hits: Vec<_> = hits.into_iter()
                    .map(|hit| (hit.file, hit.symbol, hit.bm25.to_bits(), hit.file_score.to_bits()))
                    .collect();
                hits.sort_unstable();
                hits
            };
            prop_assert_eq!(sorted(found.hits), sorted(all));
        }
    }
}
