//! Names that are spelled like one that is defined nowhere, from another pass over the texts.

use engine::query::search::fold;
use facts::ContentNumber;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{corpus::ColdCorpus, words::each_word};
use crate::{extraction, parallel::in_parallel};

/// Words that are looked at for a definition, most alike first.
const MAX_TRIED: usize = 24;
/// Names that are told, beside those that differ in case and separators only.
const MAX_ALIKE: usize = 8;
/// Files in which the definition of a word is looked for.
const MAX_FILES_TRIED: usize = 4;
/// Files whose facts are made before the next ones are needed.
const FILES_PER_TRY: usize = 8;
/// Files that are read at once by one thread.
const AT_ONCE: usize = 64;

impl ColdCorpus {
    /// Defined names that are another one when case and separators are left out, and some that are
    /// like it, in order, each with a content that defines it. Nothing where a file has changed.
    pub fn names_like(&self, name: &str) -> Vec<(String, ContentNumber)> {
        let sought = SoughtName::new(name);
        if sought.folded.is_empty() {
            return Vec::new();
        }
        let places: Vec<usize> = (0..self.files.len()).collect();
        let chunks: Vec<&[usize]> = places.chunks(AT_ONCE).collect();
        let found = in_parallel(&chunks, |files| {
            let git = self.base.repository.as_ref().map(|git| git.local());
            let mut found = Spellings::default();
            for &i in files
                .iter()
                .filter(|i| self.files[**i].language.has_grammar())
            {
                let Some(bytes) = self.bytes(i, git.as_ref()) else {
                    self.require_index();
                    return found;
                };
                found.read(i, extraction::text_of(&bytes).as_bytes(), &sought);
            }
            found
        });
        let mut all = Spellings::default();
        found.into_iter().for_each(|found| all.add_all(found));
        let same = all.same.iter().filter_map(|(name, written)| {
            let may_define = self.may_define(name).into_iter();
            let files: Vec<usize> = may_define.filter(|i| written.contains(i)).collect();
            Some((name.clone(), self.defining_among(name, &files)?))
        });
        let mut alike: Vec<(&String, f64)> =
            all.alike.iter().map(|(name, of)| (name, *of)).collect();
        alike.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let tried = alike.into_iter().take(MAX_TRIED);
        let alike = tried.filter_map(|(name, _)| {
            let mut files = self.may_define(name);
            files.truncate(MAX_FILES_TRIED);
            Some((name.clone(), self.defining_among(name, &files)?))
        });
        let mut names: Vec<_> = same.chain(alike.take(MAX_ALIKE)).collect();
        names.sort();
        names
    }

    /// A content of some files that defines a name.
    fn defining_among(&self, name: &str, files: &[usize]) -> Option<ContentNumber> {
        let defines = |facts: &facts::Facts| {
            let id = facts.names.find(name)?;
            facts.symbols.iter().find(|symbol| symbol.name == id)?;
            Some(())
        };
        files.chunks(FILES_PER_TRY).find_map(|files| {
            let found = self.of_facts(files, defines).ok()?;
            found.first().map(|(content, ())| *content)
        })
    }
}

/// What other spellings are held against.
struct SoughtName {
    folded: Vec<u8>,
    /// Groups of three letters, in order.
    grams: Vec<[u8; 3]>,
}

impl SoughtName {
    fn new(name: &str) -> SoughtName {
        let folded = fold(name).into_bytes();
        let mut grams = Vec::new();
        grams_of(&folded, &mut grams);
        SoughtName { folded, grams }
    }

    /// The end of a spelling that begins at a word and is the same when case and separators are left
    /// out.
    fn same_at(&self, text: &[u8], start: usize) -> Option<usize> {
        /// More than this between two words is no separator.
        const MAX_SEPARATOR: usize = 2;
        let (mut at, mut n_same, mut n_between) = (start, 0, 0);
        while n_same < self.folded.len() {
            let byte = *text.get(at)?;
            if byte.is_ascii_alphanumeric() || byte >= 128 {
                if byte.to_ascii_lowercase() != self.folded[n_same] {
                    return None;
                }
                (n_same, n_between) = (n_same + 1, 0);
            } else {
                n_between += 1;
                if n_between > MAX_SEPARATOR || byte == b'\n' {
                    return None;
                }
            }
            at += 1;
        }
        while text.get(at) == Some(&b'_') {
            at += 1;
        }
        let is_end = text
            .get(at)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte < 128);
        is_end.then_some(at)
    }
}

/// Spellings of what is sought.
#[derive(Default)]
struct Spellings {
    /// Those in which only case and separators differ, with the files that have them.
    same: FxHashMap<String, FxHashSet<usize>>,
    /// Others, with how like they are.
    alike: FxHashMap<String, f64>,
}

impl Spellings {
    fn read(&mut self, file: usize, text: &[u8], sought: &SoughtName) {
        /// As a lexicon asks for at least.
        const MIN_LIKENESS: f64 = 0.4;
        let (mut folded, mut grams) = (Vec::new(), Vec::new());
        let n_sought = sought.folded.len();
        each_word(text, |start, end, _| {
            if let Some(end) = sought.same_at(text, start) {
                if let Ok(spelling) = std::str::from_utf8(&text[start..end]) {
                    let written = self.same.entry(spelling.to_owned()).or_default();
                    written.insert(file);
                }
                return;
            }
            let word = &text[start..end];
            if word.len() < n_sought / 2 || word.len() > 2 * n_sought + 4 {
                return;
            }
            folded.clear();
            let letters = word.iter().filter(|byte| **byte != b'_');
            folded.extend(letters.map(u8::to_ascii_lowercase));
            grams_of(&folded, &mut grams);
            let is_shared = |gram: &&[u8; 3]| sought.grams.binary_search(gram).is_ok();
            let n_shared = grams.iter().filter(is_shared).count();
            let n_both = (grams.len() + sought.grams.len()).max(1);
            let likeness = 2.0 * n_shared as f64 / n_both as f64;
            if likeness >= MIN_LIKENESS
                && let Ok(word) = std::str::from_utf8(word)
                && !self.alike.contains_key(word)
            {
                self.alike.insert(word.to_owned(), likeness);
            }
        });
    }

    fn add_all(&mut self, others: Spellings) {
        for (spelling, files) in others.same {
            self.same.entry(spelling).or_default().extend(files);
        }
        self.alike.extend(others.alike);
    }
}

fn grams_of(folded: &[u8], grams: &mut Vec<[u8; 3]>) {
    grams.clear();
    grams.extend(folded.windows(3).map(|gram| [gram[0], gram[1], gram[2]]));
    grams.sort_unstable();
    grams.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_differ_in_case_and_separators_or_a_little() {
        let text = "def check_out(): CheckOut(); check-out, checkOut2; checkoutt; other check\nout";
        let mut found = Spellings::default();
        found.read(3, text.as_bytes(), &SoughtName::new("checkOut"));
        assert!(
            found
                .same
                .values()
                .all(|files| files.len() == 1 && files.contains(&3))
        );
        let same = found.same.keys().map(|name| (name.as_str(), true));
        let alike = found.alike.keys().map(|name| (name.as_str(), false));
        let mut found: Vec<(&str, bool)> = same.chain(alike).collect();
        found.sort_unstable();
        let expected = [
            ("CheckOut", true),
            ("check", false),
            ("check-out", true),
            ("checkOut2", false),
            ("check_out", true),
            ("checkoutt", false),
        ];
        assert_eq!(found, expected);
    }
}
