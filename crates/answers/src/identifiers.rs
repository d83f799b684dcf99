//! The names that a question speaks of: those it spells, and those of the repository that are near.

use engine::query::search::{fold, is_report_word, is_stop_word};

use crate::Session;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identifiers {
    /// As written, or made of words in a row: `rate limiting` spells `rate_limit` and
    /// `rate_limiting`, whether or not there is such a symbol.
    pub spelled: Vec<String>,
    /// Names of the repository, the nearest first.
    pub existing: Vec<String>,
}

/// Of each kind.
const MAX_NAMES: usize = 6;
/// Names less alike than this are no misspellings of each other.
const LEAST_LIKENESS: f64 = 0.5;

impl Identifiers {
    pub fn of(session: &Session, text: &str) -> Identifiers {
        let written = || {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.filter(|word| word.len() >= 3)
        };
        let is_name =
            |word: &str| word.contains('_') || word.chars().skip(1).any(char::is_uppercase);
        let words = telling_words(text);
        let mut spelled = Vec::new();
        for word in written().filter(|word| is_name(word)) {
            add(&mut spelled, word);
        }
        // What is written as a name is no word of the prose around it.
        let mut prose = text.to_owned();
        for name in &spelled {
            prose = prose.replace(name.as_str(), " ");
        }
        for run in telling_words(&prose).windows(2) {
            add(&mut spelled, &[run[0].as_str(), stem(&run[1])].join("_"));
            add(&mut spelled, &run.join("_"));
        }
        let lexicon = session.lexicon();
        let mut existing = Vec::new();
        let is_one_word = !text.trim().contains(char::is_whitespace);
        for word in written() {
            if lexicon.contains(word) && word.contains(|c: char| c == '_' || c.is_uppercase()) {
                add(&mut existing, word);
            } else if is_name(word) || is_one_word {
                let like = lexicon.like(word, LEAST_LIKENESS, 2);
                like.iter().for_each(|like| add(&mut existing, like.name));
            }
        }
        for n in [3, 2, 1] {
            for run in words.windows(n) {
                let joined = run.concat();
                let stemmed: String = run.iter().map(|word| stem(word)).collect();
                if n == 1 && joined.len() < 4 {
                    continue;
                }
                let folded = [&joined, &stemmed].map(|name| lexicon.folded(name).take(2));
                folded
                    .into_iter()
                    .flatten()
                    .for_each(|name| add(&mut existing, name));
                if n > 1 || stemmed.len() >= 5 {
                    let beginning = lexicon.beginning(&stemmed, 2);
                    beginning
                        .into_iter()
                        .for_each(|name| add(&mut existing, name));
                }
            }
        }
        Identifiers { spelled, existing }
    }

    /// Those that the question spells, then those that exist, each once.
    pub fn all(&self) -> Vec<String> {
        let mut all = self.spelled.clone();
        self.existing.iter().for_each(|name| add(&mut all, name));
        all
    }
}

fn add(found: &mut Vec<String>, name: &str) {
    if found.len() < MAX_NAMES && !found.iter().any(|known| known == name) {
        found.push(name.to_owned());
    }
}

/// The words of a text that tell something, folded, in order.
pub fn telling_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    workspace::words(text, |word| {
        let is_telling = word.len() > 1
            && !word.contains('_')
            && !is_stop_word(word)
            && !is_report_word(word)
            && !GENERIC.contains(&word);
        let folded = fold(word);
        if is_telling && !found.contains(&folded) {
            found.push(folded);
        }
    });
    found
}

/// Words about code in general.
const GENERIC: &[&str] = &[
    "implemented",
    "implementation",
    "function",
    "method",
    "class",
    "module",
    "code",
    "file",
    "defined",
    "used",
    "work",
    "works",
];

fn stem(word: &str) -> &str {
    // `boxes` is of `box`, `rates` of `rate`.
    let plural = word.strip_suffix("es");
    let plural = plural.filter(|stem| stem.ends_with(['s', 'x', 'z', 'h']));
    let endings = ["ations", "ation", "ings", "ing", "ers", "ed", "s"];
    let stems = endings
        .iter()
        .filter_map(|ending| word.strip_suffix(ending));
    let mut stems = plural.into_iter().chain(stems);
    stems.find(|stem| stem.len() >= 3).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::session;

    #[test]
    fn what_a_question_spells_is_told_from_what_exists() {
        let session = session("//- a.py\ndef rate_limiter(): ...\ndef other(): ...\n");
        let found = Identifiers::of(&session, "where is rate limiting implemented");
        assert_eq!(found.spelled, ["rate_limit", "rate_limiting"]);
        assert_eq!(found.existing, ["rate_limiter"]);
        let found = Identifiers::of(&session, "where are the tax rates");
        assert_eq!(found.spelled, ["tax_rate", "tax_rates"]);
        let found = Identifiers::of(&session, "why does fetchAll fail");
        assert_eq!(found.spelled, ["fetchAll"]);
    }
}
