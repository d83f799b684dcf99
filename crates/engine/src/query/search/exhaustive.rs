//! Every document that holds any of the terms, scored: what [`super::best`] must agree with.
use facts::N_FIELDS;

use super::{
    SearchSources,
    text::{B, K1, PATH_WEIGHT, TextHit, TextIndex, TextTerm, WEIGHTS},
};
use crate::{ContentNumber, FileId, Snapshot, Unreadable};

/// Every document that holds any of the terms, in no order.
pub fn score(sources: &SearchSources<'_>, terms: &[TextTerm]) -> Result<Vec<TextHit>, Unreadable> {
    let SearchSources {
        snapshot,
        paths,
        text: index,
        ..
    } = *sources;
    let asked: Vec<&str> = terms
        .iter()
        .flat_map(|term| &term.forms)
        .map(|(word, _)| word.as_str())
        .collect();
    let found = index.matches(&asked)?;
    let (n_documents, totals) = index.statistics()?;
    let n_documents = n_documents.max(1) as f64;
    let mean = totals.map(|total| (total as f64 / n_documents).max(1e-6));
    // One candidate per document and path; the documents of a content come one after another.
    let mut hits: Vec<TextHit> = Vec::with_capacity(found.documents.len());
    let mut first_of: Vec<(u32, u32)> = Vec::with_capacity(found.documents.len());
    let mut norms: Vec<[f64; N_FIELDS]> = Vec::with_capacity(found.documents.len());
    let mut holders: (Option<ContentNumber>, &[FileId]) = (None, &[]);
    for document in &found.documents {
        if holders.0 != Some(document.content) {
            holders = (Some(document.content), snapshot.files_of(document.content));
        }
        let start = hits.len() as u32;
        hits.extend(holders.1.iter().map(|&file| TextHit {
            file,
            symbol: document.symbol,
            bm25: 0.0,
            file_score: 0.0,
        }));
        first_of.push((start, hits.len() as u32));
        norms.push(std::array::from_fn(|field| {
            1.0 - B + B * f64::from(document.lengths[field]) / mean[field]
        }));
    }
    let n_files = snapshot.n_files().max(1) as f64;
    let mut files = FileMatches::new(snapshot, index, &hits, paths.mean_size(snapshot, index));
    let mut frequency = vec![0.0; hits.len()];
    let mut touched: Vec<u32> = Vec::new();
    let mut word = 0;
    for TextTerm { forms, weight, .. } in terms {
        touched.clear();
        for (text, counted) in forms {
            for (document, counts) in &found.words[word] {
                let norm = &norms[*document as usize];
                let own: f64 = (0..N_FIELDS)
                    .map(|field| WEIGHTS[field] * f64::from(counts[field]) / norm[field])
                    .sum();
                let (start, end) = first_of[*document as usize];
                for i in start..end {
                    if frequency[i as usize] == 0.0 {
                        touched.push(i);
                    }
                    frequency[i as usize] += counted * own;
                    // The body holds every word of the text once; names of containers repeat in
                    // each member.
                    files.of_hit(i).frequency += counted * f64::from(counts[2]);
                }
            }
            word += 1;
            for (file, share) in paths.files_of(text) {
                let Some(number) = files.number(file) else {
                    continue;
                };
                files.all[number].path += counted * PATH_WEIGHT * share;
                for i in files.hits(number) {
                    if frequency[*i as usize] == 0.0 {
                        touched.push(*i);
                    }
                    frequency[*i as usize] += counted * PATH_WEIGHT * share;
                }
            }
        }
        let rarity = |n: f64, df: f64| (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln();
        let idf = rarity(n_documents, touched.len() as f64);
        for i in &touched {
            let f = std::mem::take(&mut frequency[*i as usize]);
            hits[*i as usize].bm25 += weight * idf * f * (K1 + 1.0) / (f + K1);
        }
        let with_word = files
            .all
            .iter()
            .filter(|file| file.frequency > 0.0 || file.path > 0.0)
            .count() as f64;
        let idf = rarity(n_files, with_word);
        for file in files
            .all
            .iter_mut()
            .filter(|file| file.frequency > 0.0 || file.path > 0.0)
        {
            let (frequency, path) = (
                std::mem::take(&mut file.frequency),
                std::mem::take(&mut file.path),
            );
            let f = frequency / file.norm + path;
            file.score += weight * idf * f * (K1 + 1.0) / (f + K1);
        }
    }
    for (i, hit) in hits.iter_mut().enumerate() {
        hit.file_score = files.of_hit(i as u32).score;
    }
    Ok(hits)
}

/// The files that have a hit, by numbers of their own: a search that matches half of a large
/// repository looks them up a million times.
struct FileMatches {
    all: Vec<FileMatch>,
    /// For each file of the snapshot its number, and one.
    numbers: Vec<u32>,
    /// For each hit the number of its file.
    of_hits: Vec<u32>,
    /// The hits of each file, one file after another, and where each file's end.
    hits: Vec<u32>,
    ends: Vec<u32>,
}

struct FileMatch {
    /// What a long file counts less for.
    norm: f64,
    frequency: f64,
    path: f64,
    score: f64,
}

impl FileMatches {
    fn new(
        snapshot: &Snapshot,
        index: &dyn TextIndex,
        hits: &[TextHit],
        mean_size: f64,
    ) -> FileMatches {
        let (mut all, mut numbers, mut of_hits) = (
            Vec::new(),
            vec![0_u32; snapshot.n_files()],
            Vec::with_capacity(hits.len()),
        );
        let mut ends: Vec<u32> = Vec::new();
        for hit in hits {
            let number = &mut numbers[hit.file.0 as usize];
            if *number == 0 {
                let size = f64::from(index.size(snapshot.file(hit.file).content));
                all.push(FileMatch {
                    norm: 1.0 - B + B * size / mean_size,
                    frequency: 0.0,
                    path: 0.0,
                    score: 0.0,
                });
                ends.push(0);
                *number = all.len() as u32;
            }
            of_hits.push(*number - 1);
            ends[*number as usize - 1] += 1;
        }
        // Counts become the places where each file's hits start, which move to their ends as the
        // hits are put there.
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut by_file = vec![0; hits.len()];
        for (i, number) in of_hits.iter().enumerate() {
            let place = &mut ends[*number as usize];
            by_file[*place as usize] = i as u32;
            *place += 1;
        }
        FileMatches {
            all,
            numbers,
            of_hits,
            hits: by_file,
            ends,
        }
    }

    fn number(&self, file: FileId) -> Option<usize> {
        self.numbers[file.0 as usize]
            .checked_sub(1)
            .map(|number| number as usize)
    }

    fn of_hit(&mut self, hit: u32) -> &mut FileMatch {
        &mut self.all[self.of_hits[hit as usize] as usize]
    }

    fn hits(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.hits[start as usize..self.ends[number] as usize]
    }
}
