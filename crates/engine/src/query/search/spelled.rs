//! Names that a sentence spells: `DaskIndexingAdapter`, `map_blocks()`, `Cart.total`.
//!
//! A question that spells a name asks about it, whatever its kind. Reports and messages also spell
//! names, but of what they saw fail, which is often not the answer: there a name counts less.

use facts::{Modifiers, SymbolIndex, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{SearchSources, fold};
use crate::{FileId, SymbolId, query};

/// Names that are looked up; a pasted log has many more.
const MOST_NAMES: usize = 24;
/// A name with more definitions tells nothing by itself.
const MOST_DEFINITIONS: usize = 60;
/// What one of several definitions counts if another one is in the type that is named beside it.
const ELSEWHERE: f64 = 0.3;
/// What a word counts that only its capital letter makes a name.
const CAPITALISED: f64 = 0.6;

/// What a text spells.
#[derive(Default)]
pub(super) struct SpelledNames {
    /// How much each definition is meant: 1 for the only one of its name.
    definitions: FxHashMap<(FileId, SymbolIndex), f64>,
    /// The types among them, by name: their members are meant, too.
    types: FxHashSet<String>,
}

impl SpelledNames {
    pub fn find(sources: &SearchSources<'_>, text: &str) -> SpelledNames {
        let mut spelled = SpelledNames::default();
        let mut words = spellings(text);
        // `the Shop application` is about the program, not about its class `Shop`.
        words.retain(|word| {
            !word.is_capitalised || !sources.paths.is_repo_wide(&word.name.to_lowercase())
        });
        let last: Vec<&str> = words.iter().map(|word| word.name.as_str()).collect();
        let found = sources
            .budget
            .read(query::sketches_named(sources.snapshot, &last));
        let found: Vec<_> = words.into_iter().zip(found).collect();
        for (word, symbols) in &found {
            if symbols.iter().any(|(_, sketch)| sketch.kind.is_type()) {
                spelled.types.insert(word.name.clone());
            }
        }
        for (word, symbols) in &found {
            let wanted = symbols.iter().filter(|(_, sketch)| {
                let is_named = !matches!(
                    sketch.kind,
                    SymbolKind::Constructor | SymbolKind::Impl | SymbolKind::Key
                ) && !sketch.modifiers.contains(Modifiers::LOCAL);
                is_named && (!word.is_capitalised || sketch.kind.is_type())
            });
            let wanted: Vec<SymbolId> = wanted.map(|(symbol, _)| *symbol).collect();
            if wanted.len() > MOST_DEFINITIONS {
                continue;
            }
            spelled.add(sources, word, &wanted);
        }
        spelled
    }

    fn add(&mut self, sources: &SearchSources<'_>, word: &Spelling, symbols: &[SymbolId]) {
        let around = |symbol: &SymbolId| {
            word.qualifiers
                .iter()
                .any(|qualifier| container(sources, *symbol).as_ref() == Some(qualifier))
                || container(sources, *symbol).is_some_and(|name| self.types.contains(&name))
        };
        let inside: Vec<bool> = symbols.iter().map(around).collect();
        let n_inside = inside.iter().filter(|is_inside| **is_inside).count();
        let certainty = if word.is_capitalised {
            CAPITALISED
        } else {
            1.0
        };
        for (symbol, is_inside) in symbols.iter().zip(inside) {
            let share = match (n_inside, is_inside) {
                (0, _) => 1.0 / (symbols.len() as f64).sqrt(),
                (n, true) => 1.0 / (n as f64).sqrt(),
                (_, false) => ELSEWHERE / (symbols.len() as f64).sqrt(),
            };
            let known = self
                .definitions
                .entry((symbol.file, symbol.index))
                .or_default();
            *known = known.max(certainty * share);
        }
    }

    pub fn definitions(&self) -> impl Iterator<Item = (FileId, SymbolIndex)> + '_ {
        self.definitions.keys().copied()
    }

    /// How much a symbol is meant by its name, from 0 to 1.
    pub fn share(&self, file: FileId, symbol: SymbolIndex) -> f64 {
        self.definitions
            .get(&(file, symbol))
            .copied()
            .unwrap_or_default()
    }

    pub fn has_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }
}

/// The name of what is around a symbol.
fn container(sources: &SearchSources<'_>, symbol: SymbolId) -> Option<String> {
    let content = sources.snapshot.file(symbol.file).content;
    let facts = sources.snapshot.corpus().facts(content)?;
    let parent = facts.symbol(symbol.index).parent?;
    Some(facts.name(facts.symbol(parent).name).to_owned())
}

/// A word of a text that can only be a name.
#[derive(Debug, PartialEq, Eq)]
struct Spelling {
    name: String,
    qualifiers: Vec<String>,
    /// Nothing but a capital letter inside of a sentence tells that it is a name.
    is_capitalised: bool,
}

/// The names that a text spells, each once.
fn spellings(text: &str) -> Vec<Spelling> {
    let mut found: Vec<Spelling> = Vec::new();
    let mut starts_sentence = true;
    for raw in text.split_whitespace() {
        let is_quoted = raw.contains('`');
        let ends_sentence = raw.ends_with(['.', '?', '!', ':']);
        let word = bare(raw);
        let is_capitalised = !starts_sentence
            && word.len() > 3
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.chars().skip(1).all(|c| c.is_ascii_lowercase());
        starts_sentence = ends_sentence;
        let is_path = word.contains(['/', '\\']) || super::extension(word).is_some();
        let is_name = is_quoted || is_identifier(word);
        if word.is_empty() || is_path || !(is_name || is_capitalised) {
            continue;
        }
        let mut parts: Vec<String> = word
            .split([':', '.', '#'])
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let is_clean = parts.iter().all(|part| {
            part.chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        });
        let Some(name) = parts.pop().filter(|_| is_clean) else {
            continue;
        };
        // The parts of `Cart.total` are names, too, if they look like ones.
        for part in parts.iter().filter(|part| is_identifier(part)) {
            keep(&mut found, part.clone(), Vec::new(), false);
        }
        keep(&mut found, name, parts, is_capitalised && !is_name);
        if found.len() >= MOST_NAMES {
            break;
        }
    }
    found
}

fn keep(found: &mut Vec<Spelling>, name: String, qualifiers: Vec<String>, is_capitalised: bool) {
    match found.iter_mut().find(|known| known.name == name) {
        Some(known) => {
            known.qualifiers.extend(qualifiers);
            known.is_capitalised &= is_capitalised;
        }
        None => found.push(Spelling {
            name,
            qualifiers,
            is_capitalised,
        }),
    }
}

/// A word without what a sentence puts around it: quotes, brackets, `'s`, the `()` of a call.
fn bare(raw: &str) -> &str {
    let open = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '/' | '.'));
    let word = raw.trim_start_matches(open);
    let word = word
        .split(['(', '[', '<', '`', '\'', '"', '’', ',', ';'])
        .next();
    word.unwrap_or_default()
        .trim_end_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
}

/// Whether no sentence writes a word so: it has an inner capital letter, an underscore, or parts
/// that dots or colons join.
fn is_identifier(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let has_capital =
        inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase);
    let is_joined = word
        .split(['.', ':', '#'])
        .filter(|part| part.len() > 1)
        .count()
        > 1;
    inner.len() > 2
        && inner.chars().any(char::is_alphabetic)
        && (has_capital || word.contains('_') || is_joined)
}

/// Whether a text asks, rather than reports.
pub fn is_question(text: &str) -> bool {
    const WORDS: [&str; 6] = ["what", "where", "which", "who", "how", "why"];
    let first = text.split_whitespace().next().unwrap_or_default();
    text.ends_with('?') || WORDS.contains(&fold(first).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        let names = |text: &str| -> Vec<String> {
            spellings(text).into_iter().map(|word| word.name).collect()
        };
        assert_eq!(
            names("Where does DaskIndexingAdapter call `run`, map_blocks() or Cart.total?"),
            ["DaskIndexingAdapter", "run", "map_blocks", "total"]
        );
        assert_eq!(
            names("How is the TLSServer's __init__ used by the Session class. Then it ends."),
            ["TLSServer", "__init__", "Session"]
        );
        assert!(names("Why is a plain sentence of words, e.g. this one, no name?").is_empty());
        assert!(names("see src/cart.py and https://example.org/A_b").is_empty());
        assert_eq!(names("shop::Cart::total fails"), ["total"]);
    }

    #[test]
    fn questions_are_told_from_reports() {
        assert!(is_question("Where is it parsed") && is_question("It is parsed where?"));
        assert!(!is_question("Fix parsing of dates"));
    }
}
