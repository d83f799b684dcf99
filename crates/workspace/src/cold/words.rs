//! The words of a text as a small set of hashes: whether a file can mention a name is told without
//! its facts.

/// The words of one text. It may claim a word that is not there, and never misses one that is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WordSet(Box<[u32]>);

/// The words of a name, which a text must hold all of to mention it.
pub(super) struct NameWords(Vec<u32>);

/// Words that were seen lately, so that most repetitions are not gathered. One per thread.
pub(super) struct Recent(Vec<u32>);

const N_RECENT: usize = 1 << 12;

impl Default for Recent {
    fn default() -> Recent {
        Recent(vec![0; N_RECENT])
    }
}

impl WordSet {
    pub fn of(text: &[u8], recent: &mut Recent) -> WordSet {
        recent.0.fill(0);
        let mut words = Vec::with_capacity(256);
        each_word(text, |hash| {
            let slot = &mut recent.0[hash as usize % N_RECENT];
            if *slot != hash {
                *slot = hash;
                words.push(hash);
            }
        });
        words.sort_unstable();
        words.dedup();
        WordSet(words.into())
    }

    pub fn has_all(&self, words: &NameWords) -> bool {
        words
            .0
            .iter()
            .all(|word| self.0.binary_search(word).is_ok())
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
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
        each_word(name.as_bytes(), |hash| words.push(hash));
        NameWords(words)
    }
}

/// Letters, digits, `_` and everything beyond ASCII, which is not looked at more closely.
const IS_PART: [bool; 256] = {
    let mut parts = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        parts[byte] = ascii.is_ascii_alphanumeric() || ascii == b'_' || byte >= 128;
        byte += 1;
    }
    parts
};

/// Hands out the hash of every word, in order. No hash is 0.
fn each_word(text: &[u8], mut each: impl FnMut(u32)) {
    let mut at = 0;
    while at < text.len() {
        if !IS_PART[text[at] as usize] {
            at += 1;
            continue;
        }
        let mut hash = 0x811c_9dc5_u32;
        while at < text.len() && IS_PART[text[at] as usize] {
            hash = (hash ^ text[at] as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        each((hash ^ (hash >> 15)).wrapping_mul(0x2c1b_3c6d).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_words_that_are_written_in_it() {
        let text = "fn total_of(cart: &Cart) -> u32 { cart.items * größe }";
        let words = WordSet::of(text.as_bytes(), &mut Recent::default());
        for name in ["total_of", "Cart", "cart.items", "größe", "&Cart", "*"] {
            assert!(words.has_all(&NameWords::of(name)), "{name}");
        }
        for name in ["total", "of", "CART", "gr", "total_of.Order"] {
            assert!(!words.has_all(&NameWords::of(name)), "{name}");
        }
        assert_eq!(words.len(), 7);
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
            let words = WordSet::of(text.as_bytes(), &mut Recent::default());
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
