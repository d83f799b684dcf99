//! BM25F over the documents of a snapshot: name, container, body and path as fields, and the file
//! as a whole beside its parts. [`super::best`] adds it up.

use std::sync::{Arc, OnceLock};

use facts::{FieldCounts, N_FIELDS, SymbolIndex, TextMatches, TextSegment};
use rustc_hash::FxHashMap;

use super::{
    FILE_SHARE, Factors, REST_SHARE,
    words::{is_test_or_docs, is_vendored_or_generated},
};
use crate::{ContentNumber, FileId, Snapshot, Unreadable};

/// Where the words of a snapshot's functions, types and file rests are found.
pub trait TextIndex {
    /// Cuts text and queries alike.
    fn words(&self, text: &str, each: &mut dyn FnMut(&str));
    /// How many documents there are, and how many words their fields have together.
    fn statistics(&self) -> Result<(u64, [u64; N_FIELDS]), Unreadable>;
    /// The documents that hold any of the words.
    fn matches(&self, words: &[&str]) -> Result<TextMatches, Unreadable>;
    /// The lists of the documents that hold each word. Every content of the snapshot that has one of
    /// the words is in one segment.
    fn segments(&self, words: &[&str]) -> Result<Vec<TextSegment>, Unreadable> {
        Ok(vec![TextSegment::of(&self.matches(words)?)])
    }
    /// The bytes of a content.
    fn size(&self, content: ContentNumber) -> u32;
}

/// A document that matches, before anything but words was looked at.
#[derive(Clone, Copy, Debug)]
pub struct TextHit {
    pub file: FileId,
    pub symbol: Option<SymbolIndex>,
    pub bm25: f64,
    /// What its file as a whole scores.
    pub file_score: f64,
}

impl TextHit {
    /// What it is worth, beside what names and paths tell.
    pub(super) fn factors(&self, mut factors: Factors, penalty: f64) -> Factors {
        let share = match self.symbol {
            Some(_) => 1.0,
            None => REST_SHARE,
        };
        (factors.bm25, factors.file_score) =
            (share * self.bm25, share * FILE_SHARE * self.file_score);
        factors.penalty = penalty;
        factors
    }
}

pub(super) const K1: f64 = 1.2;
/// How much less a long field or file counts: little, since long functions are often the ones that
/// are asked about.
pub(super) const B: f64 = 0.5;
/// How much less a long path counts.
const PATH_B: f64 = 0.75;
pub(super) const WEIGHTS: [f64; N_FIELDS] = [3.0, 2.0, 1.0];
pub(super) const PATH_WEIGHT: f64 = 3.0;

/// Something looked for, in one or several forms that count as one word.
#[derive(Clone, Debug)]
pub struct TextTerm {
    /// Each with how much it counts.
    pub forms: Vec<(String, f64)>,
    pub weight: f64,
    /// It says what a question wants to know, not what about.
    pub is_asking: bool,
}

/// What a frequency adds to a score; less and less, up to `weight` times `K1 + 1`.
pub(super) fn saturated(weight: f64, frequency: f64) -> f64 {
    match frequency.is_finite() {
        true => weight * frequency * (K1 + 1.0) / (frequency + K1),
        false => weight * (K1 + 1.0),
    }
}

/// How much it tells that something is held by `n_holding` of `n`.
pub(super) fn rarity(n: f64, n_holding: f64) -> f64 {
    (1.0 + (n - n_holding + 0.5).max(0.0) / (n_holding + 0.5)).ln()
}

/// How often a document holds a word, by the weight and length of its fields.
#[inline]
pub(super) fn own_frequency(
    counts: &FieldCounts,
    lengths: &FieldCounts,
    mean: &[f64; N_FIELDS],
) -> f64 {
    let mut own = 0.0;
    for field in 0..N_FIELDS {
        if counts[field] > 0 {
            let norm = 1.0 - B + B * f64::from(lengths[field]) / mean[field];
            own += WEIGHTS[field] * f64::from(counts[field]) / norm;
        }
    }
    own
}

/// What a long file counts less for.
pub(super) fn file_norm(size: u32, mean_size: f64) -> f64 {
    1.0 - B + B * f64::from(size) / mean_size
}

/// The words of a snapshot's paths. Made once per snapshot.
pub struct PathWords {
    paths: Arc<Paths>,
    mean_size: OnceLock<f64>,
    repeated: OnceLock<Vec<(ContentNumber, u32)>>,
}

/// What depends on the paths alone.
struct Paths {
    /// For each word the files whose path holds it, and how often.
    files: FxHashMap<Box<str>, Vec<(FileId, u32)>>,
    /// What a word of a file's path counts less for, the longer the path is.
    norms: Vec<f32>,
    /// What each path tells: [`TEST_OR_DOCS`], [`VENDORED_OR_GENERATED`].
    flags: Vec<u8>,
}

const TEST_OR_DOCS: u8 = 1;
const VENDORED_OR_GENERATED: u8 = 2;

impl PathWords {
    pub fn new(snapshot: &Snapshot, index: &dyn TextIndex) -> PathWords {
        let mut lengths = vec![0_u32; snapshot.n_files()];
        let mut files: FxHashMap<Box<str>, Vec<(FileId, u32)>> = FxHashMap::default();
        for (id, file) in snapshot.files() {
            index.words(file.path.as_str(), &mut |word| {
                lengths[id.0 as usize] += 1;
                let holders = match files.get_mut(word) {
                    Some(holders) => holders,
                    None => files.entry(word.into()).or_default(),
                };
                match holders.last_mut().filter(|(last, _)| *last == id) {
                    Some((_, count)) => *count += 1,
                    None => holders.push((id, 1)),
                }
            });
        }
        files.values_mut().for_each(Vec::shrink_to_fit);
        let mean = (lengths.iter().map(|length| f64::from(*length)).sum::<f64>()
            / lengths.len().max(1) as f64)
            .max(1e-6);
        let norms = lengths
            .into_iter()
            .map(|length| (1.0 - PATH_B + PATH_B * f64::from(length) / mean) as f32)
            .collect();
        let flags = snapshot.files().map(|(_, file)| {
            let path = file.path.as_str();
            (u8::from(is_test_or_docs(path)) * TEST_OR_DOCS)
                | (u8::from(is_vendored_or_generated(path)) * VENDORED_OR_GENERATED)
        });
        PathWords {
            paths: Arc::new(Paths {
                files,
                norms,
                flags: flags.collect(),
            }),
            mean_size: OnceLock::new(),
            repeated: OnceLock::new(),
        }
    }

    /// Those of `snapshot`, if it has the paths of `before`, which these are of.
    pub fn after(&self, before: &Snapshot, snapshot: &Snapshot) -> Option<PathWords> {
        let shared = || PathWords {
            paths: self.paths.clone(),
            mean_size: OnceLock::new(),
            repeated: OnceLock::new(),
        };
        before.has_paths_of(snapshot).then(shared)
    }

    /// Whether a word is in the paths of most files of the code itself, as the name of the package
    /// often is: then it tells no part of the repository from another.
    pub(super) fn is_repo_wide(&self, word: &str) -> bool {
        let flags = &self.paths.flags;
        let is_code = |file: FileId| flags[file.0 as usize] == 0;
        let n_code = flags.iter().filter(|flags| **flags == 0).count();
        let holders = self.paths.files.get(word).map_or(&[][..], Vec::as_slice);
        let n_holding = holders.iter().filter(|(file, _)| is_code(*file)).count();
        3 * n_holding > 2 * n_code
    }

    /// Whether a file holds tests, examples or documents.
    pub fn is_test_or_docs(&self, file: FileId) -> bool {
        self.paths.flags[file.0 as usize] & TEST_OR_DOCS != 0
    }

    /// Whether a file was made by a program, or belongs to someone else.
    pub fn is_vendored_or_generated(&self, file: FileId) -> bool {
        self.paths.flags[file.0 as usize] & VENDORED_OR_GENERATED != 0
    }

    /// The files whose path holds a word, and how much of the path it is.
    pub fn files_of(&self, word: &str) -> impl ExactSizeIterator<Item = (FileId, f64)> + '_ {
        let holders = self.paths.files.get(word).map_or(&[][..], Vec::as_slice);
        holders.iter().map(|(file, count)| {
            (
                *file,
                f64::from(*count) / f64::from(self.paths.norms[file.0 as usize]),
            )
        })
    }

    /// How much of a file's path a word is, if it is there.
    pub(super) fn share(&self, word: &str, file: FileId) -> Option<f64> {
        let holders = self.paths.files.get(word)?;
        let place = holders
            .binary_search_by_key(&file, |(file, _)| *file)
            .ok()?;
        let norm = f64::from(self.paths.norms[file.0 as usize]);
        Some(f64::from(holders[place].1) / norm)
    }

    /// The contents that several files have, and how many.
    pub(super) fn repeated_contents(&self, snapshot: &Snapshot) -> &[(ContentNumber, u32)] {
        self.repeated.get_or_init(|| {
            let mut contents: Vec<ContentNumber> =
                snapshot.files().map(|(_, file)| file.content).collect();
            contents.sort_unstable();
            let same = contents.chunk_by(|a, b| a == b);
            let repeated = same.filter(|same| same.len() > 1);
            repeated.map(|same| (same[0], same.len() as u32)).collect()
        })
    }

    pub(super) fn mean_size(&self, snapshot: &Snapshot, index: &dyn TextIndex) -> f64 {
        *self.mean_size.get_or_init(|| {
            let total: f64 = snapshot
                .files()
                .map(|(_, file)| f64::from(index.size(file.content)))
                .sum();
            (total / snapshot.n_files().max(1) as f64).max(1.0)
        })
    }
}
