//! The words of a text as a small set of hashes: whether a file can mention a name is told without
//! its facts.

use extract::declaring::{DeclarationSyntax, DeclaringText};

use crate::parallel::in_parallel;

/// The words of one text. It may claim a word that is not there, and never misses one that is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WordSet(Box<[u32]>);

/// The words of a name, which a text must hold all of to mention it.
pub(super) struct NameWords(Vec<u32>);

/// What a thread gathers words with.
pub(super) struct WordScratch {
    /// Words that were seen lately, two for each place, so that most repetitions are not gathered.
    recent: Vec<[u32; 2]>,
    words: Vec<u32>,
}

const N_RECENT: usize = 1 << 11;
/// More words than this are sorted to find the repetitions among them.
const MANY_WORDS: usize = 1 << 10;

impl Default for WordScratch {
    fn default() -> WordScratch {
        WordScratch {
            recent: vec![[0; 2]; N_RECENT],
            words: Vec::new(),
        }
    }
}

impl WordScratch {
    /// The words of a text for which `is_wanted` holds somewhere.
    fn gather(&mut self, text: &[u8], is_wanted: impl Fn(usize, usize) -> bool) -> WordSet {
        self.recent.fill([0; 2]);
        self.words.clear();
        each_word(text, |start, end, hash| {
            let recent = &mut self.recent[hash as usize % N_RECENT];
            if recent[0] != hash && recent[1] != hash && is_wanted(start, end) {
                *recent = [hash, recent[0]];
                self.words.push(hash);
            }
        });
        if self.words.len() > MANY_WORDS {
            self.words.sort_unstable();
            self.words.dedup();
        }
        WordSet(self.words.as_slice().into())
    }
}

impl WordSet {
    pub fn of(text: &[u8], scratch: &mut WordScratch) -> WordSet {
        scratch.gather(text, |_, _| true)
    }

    /// The words that may name what the text defines.
    pub fn definable(
        text: &[u8],
        syntax: &DeclarationSyntax,
        scratch: &mut WordScratch,
    ) -> WordSet {
        let declaring = DeclaringText::new(syntax, text);
        scratch.gather(text, |start, end| declaring.may_define(start, end))
    }

    pub fn has_all(&self, words: &NameWords) -> bool {
        words.0.iter().all(|word| self.0.contains(word))
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Which of many texts may hold a word, told for all of them at once: a Bloom filter per text, in
/// blocks of texts and there by the bits of the filter. It rules out nearly all texts that lack a
/// word; [`WordSet::has_all`] decides about the rest.
pub(super) struct WordMatrix(Vec<Box<[TextBits]>>);

/// Whether each text of a block has a bit of its filter set.
type TextBits = [u64; TEXTS_PER_BLOCK / 64];

const TEXTS_PER_BLOCK: usize = 512;
/// A block takes 256 kB, which stays in the processor's cache while it is filled.
const N_FILTER_BITS: usize = 1 << 12;

impl WordMatrix {
    pub fn of(texts: &[&WordSet]) -> WordMatrix {
        let blocks: Vec<&[&WordSet]> = texts.chunks(TEXTS_PER_BLOCK).collect();
        WordMatrix(in_parallel(&blocks, |texts| {
            let mut block = vec![TextBits::default(); N_FILTER_BITS].into_boxed_slice();
            for (i, text) in texts.iter().enumerate() {
                for word in &text.0 {
                    for bit in filter_bits(*word) {
                        block[bit][i / 64] |= 1 << (i % 64);
                    }
                }
            }
            block
        }))
    }

    /// The texts that may hold all of these words, in order. Of no words all, perhaps with places
    /// after the last text.
    pub fn holding<'a>(&'a self, words: &'a NameWords) -> impl Iterator<Item = usize> + 'a {
        let blocks = self.0.iter().enumerate();
        blocks.flat_map(move |(n_blocks, block)| {
            let mut texts: TextBits = [u64::MAX; TEXTS_PER_BLOCK / 64];
            for bit in words.0.iter().flat_map(|word| filter_bits(*word)) {
                for (texts, has_bit) in texts.iter_mut().zip(&block[bit]) {
                    *texts &= has_bit;
                }
            }
            let first = n_blocks * TEXTS_PER_BLOCK;
            texts
                .into_iter()
                .enumerate()
                .flat_map(move |(i, mut texts)| {
                    std::iter::from_fn(move || {
                        let bit = texts.trailing_zeros() as usize;
                        texts &= texts.wrapping_sub(1);
                        (bit < 64).then_some(first + i * 64 + bit)
                    })
                })
        })
    }
}

fn filter_bits(word: u32) -> [usize; 2] {
    [
        word as usize % N_FILTER_BITS,
        (word >> 16) as usize % N_FILTER_BITS,
    ]
}

/// Names that facts may mention without the text: of companions, anonymous classes, default exports
/// and backing fields. `#0` and the like name parts of patterns.
const UNWRITTEN: &[&str] = &["Companion", "class@anonymous", "default", "field"];

impl NameWords {
    /// None for a name that need not be written.
    pub fn of(name: &str) -> NameWords {
        let mut words = Vec::new();
        let is_part = name
            .strip_prefix('#')
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        if is_part || UNWRITTEN.contains(&name) {
            return NameWords(words);
        }
        each_word(name.as_bytes(), |_, _, hash| words.push(hash));
        NameWords(words)
    }

    pub fn is_one(&self) -> bool {
        self.0.len() == 1
    }
}

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Hands out where every word starts and ends and its hash, in order. Letters, digits, `_` and
/// everything beyond ASCII, which is not looked at more closely, make words. No hash is 0.
pub(super) fn each_word(text: &[u8], mut each: impl FnMut(usize, usize, u32)) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    // Where the word starts that goes on in the next block.
    let mut open: Option<usize> = None;
    for (i, block) in blocks.iter().chain([&last]).enumerate() {
        let parts = word_parts(block);
        let before = parts << 1 | u64::from(open.is_some());
        let (mut starts, mut ends) = (parts & !before, !parts & before);
        while ends != 0 {
            let end = i * BLOCK + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            let start = open.take().unwrap_or_else(|| {
                let start = i * BLOCK + starts.trailing_zeros() as usize;
                starts &= starts - 1;
                start
            });
            each(start, end, hash(text, start, end));
        }
        if starts != 0 {
            open = Some(i * BLOCK + starts.trailing_zeros() as usize);
        }
    }
    // A space is after the text, so that no word is open.
}

/// A bit for each byte that is part of a word. The loop has no branches and the function is not
/// inlined, so that the compiler compares many bytes at once: inlined, it compared one by one.
#[inline(never)]
fn word_parts(block: &[u8; BLOCK]) -> u64 {
    let mut is_part = [0; BLOCK];
    for (is_part, &byte) in is_part.iter_mut().zip(block) {
        let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let is_digit = byte.wrapping_sub(b'0') < 10;
        *is_part = u8::from(is_letter | is_digit | (byte == b'_') | (byte >= 128));
    }
    let mut parts = 0;
    for (i, eight) in is_part.as_chunks::<8>().0.iter().enumerate() {
        // Moves the lowest bit of each byte into the highest byte.
        let packed = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        parts |= packed << (8 * i);
    }
    parts
}

fn hash(text: &[u8], start: usize, end: usize) -> u32 {
    let eight_at = |at: usize| match text[at..].first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => {
            let mut eight = [0; 8];
            eight[..text.len() - at].copy_from_slice(&text[at..]);
            u64::from_le_bytes(eight)
        }
    };
    let mix = |hash: u64, eight: u64| {
        let product = u128::from(hash ^ eight) * 0x9e37_79b9_7f4a_7c15;
        (product >> 64) as u64 ^ product as u64
    };
    let length = end - start;
    let mut hash = mix(0x2c1b_3c6d, length as u64);
    if length <= 8 {
        hash = mix(hash, eight_at(start) & (u64::MAX >> (64 - 8 * length)));
    } else {
        let mut at = start;
        while at + 8 < end {
            hash = mix(hash, eight_at(at));
            at += 8;
        }
        hash = mix(hash, eight_at(end - 8));
    }
    ((hash ^ (hash >> 32)) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_words_that_are_written_in_it() {
        let text = "fn total_of(cart: &Cart) -> u32 { cart.items * größe }";
        let words = WordSet::of(text.as_bytes(), &mut WordScratch::default());
        for name in ["total_of", "Cart", "cart.items", "größe", "&Cart", "*"] {
            assert!(words.has_all(&NameWords::of(name)), "{name}");
        }
        for name in ["total", "of", "CART", "gr", "total_of.Order"] {
            assert!(!words.has_all(&NameWords::of(name)), "{name}");
        }
        assert_eq!(words.len(), 7);
    }

    proptest::proptest! {
        #[test]
        fn words_are_those_of_a_plain_split(text in "[a-zA-Z0-9_ .\\né-]{0,300}") {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128;
            let bytes = text.as_bytes();
            let expected = bytes.split(|byte| !is_part(*byte)).filter(|word| !word.is_empty());
            let mut found = Vec::new();
            each_word(bytes, |start, end, found_hash| {
                let word = &bytes[start..end];
                // A word has one hash, wherever it is.
                assert_eq!(found_hash, hash(word, 0, word.len()));
                found.push(word);
            });
            assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_matrix_rules_out_no_text_with_the_word() {
        let texts: Vec<String> = (0..1500)
            .map(|i| format!("word{i} shared{}", i % 7))
            .collect();
        let mut scratch = WordScratch::default();
        let sets = texts
            .iter()
            .map(|text| WordSet::of(text.as_bytes(), &mut scratch));
        let sets: Vec<WordSet> = sets.collect();
        let matrix = WordMatrix::of(&sets.iter().collect::<Vec<_>>());
        for i in [0, 63, 64, 511, 512, 1499] {
            let words = NameWords::of(&format!("word{i}.shared{}", i % 7));
            let found: Vec<usize> = matrix
                .holding(&words)
                .filter(|i| *i < texts.len())
                .collect();
            assert!(found.contains(&i) && found.len() < 20, "{found:?}");
        }
        let unwritten = NameWords::of("#0");
        let all = matrix.holding(&unwritten).filter(|i| *i < texts.len());
        assert_eq!(all.count(), texts.len());
    }

    /// Every block of source in the case files of all languages.
    fn sources() -> Vec<(&'static extract::Language, String)> {
        let languages = concat!(env!("CARGO_MANIFEST_DIR"), "/../extract/src/languages");
        let mut sources = Vec::new();
        for directory in std::fs::read_dir(languages).unwrap() {
            let cases = directory.unwrap().path().join("cases.md");
            let Ok(cases) = std::fs::read_to_string(cases) else {
                continue;
            };
            for block in cases.split("\n```").skip(1).step_by(2) {
                let Some((name, text)) = block.split_once('\n') else {
                    continue;
                };
                let named = |language: &&&extract::Language| language.name == name.trim();
                if let Some(language) = extract::LANGUAGES.iter().find(named) {
                    sources.push((*language, text.to_owned()));
                }
            }
        }
        sources
    }

    #[test]
    fn what_facts_mention_is_written_in_the_text() {
        let extractors = crate::extraction::Extractors::default();
        let sources = sources();
        assert!(sources.len() > 100, "{}", sources.len());
        let mut unwritten = Vec::new();
        for (language, text) in sources {
            let facts = extractors.extract(language, &text, true).unwrap();
            let words = WordSet::of(text.as_bytes(), &mut WordScratch::default());
            for name in facts.mentioned_names() {
                let name = facts.name(name);
                if !words.has_all(&NameWords::of(name)) {
                    unwritten.push(format!("{}: `{name}` in\n{text}", language.name));
                }
            }
        }
        assert!(unwritten.is_empty(), "{}", unwritten.join("\n\n"));
    }
}
