//! Symbols by words of their names, signatures and documentation: every word must be there, a word
//! that ends in `*` need only begin so.
//!
//! Names come first, from the table of names. Where they do not fill the answer, functions and
//! types whose text holds all the words are looked at, and those with the words in signature or
//! documentation count.

use std::{cell::OnceCell, collections::BTreeSet};

use facts::{Facts, Modifiers, SymbolIndex, SymbolKind, SymbolSketch};

use crate::{
    Complete, FileId, Snapshot, SymbolId,
    query::search::{SearchSources, fold},
    query::sketches_named,
};

/// Alternatives, each a list of words that must all match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    pub alternatives: Vec<Vec<Term>>,
}

/// One word, perhaps with the names that must be around it: `Order.Submit*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    pub text: String,
    pub is_prefix: bool,
    /// Names of containers, outermost first.
    pub within: Vec<String>,
}

/// What is looked for, and among which symbols.
pub struct SymbolQuestion<'a> {
    pub pattern: &'a Pattern,
    pub wants: &'a dyn Fn(FileId, &SymbolSketch) -> bool,
    /// Signature and documentation of a symbol, in one text.
    pub prose: &'a dyn Fn(FileId, &Facts, SymbolIndex) -> String,
    /// Text is read only where names give fewer than this.
    pub enough: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SymbolHit {
    pub symbol: SymbolId,
    /// Higher is better.
    pub score: f64,
}

/// Documents whose text is read where no name answers, and where some do.
const READ: usize = 400;
const READ_BESIDE_NAMES: usize = 40;

impl Pattern {
    /// Words between blanks; `OR` between alternatives; quotes and carets say nothing.
    pub fn parse(text: &str) -> Pattern {
        let mut alternatives = vec![Vec::new()];
        for word in text.split_whitespace() {
            match word {
                "OR" | "|" => alternatives.push(Vec::new()),
                "AND" => {}
                word => {
                    if let (Some(term), Some(last)) = (Term::parse(word), alternatives.last_mut()) {
                        last.push(term);
                    }
                }
            }
        }
        alternatives.retain(|terms: &Vec<Term>| !terms.is_empty());
        Pattern { alternatives }
    }

    pub fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }
}

impl Term {
    fn parse(word: &str) -> Option<Term> {
        let word = word.trim_matches(['"', '\'', '`', '^', '(', ')', ',', ';']);
        let is_prefix = word.ends_with('*');
        let word = word.trim_end_matches('*');
        let word = word.split_once('(').map_or(word, |(name, _)| name);
        let word = match word.as_bytes() {
            // A documentation id's letter.
            [b'T' | b'M' | b'P' | b'F' | b'E' | b'N', b':', next, ..] if *next != b':' => {
                &word[2..]
            }
            _ => word,
        };
        let mut parts: Vec<&str> = word
            .split(['.', ':', '#', '/', '\\'])
            .filter(|part| !part.is_empty())
            .collect();
        let text = parts.pop()?.to_owned();
        fold(&text).chars().next().or_else(|| text.chars().next())?;
        Some(Term {
            text,
            is_prefix,
            within: parts.into_iter().map(str::to_owned).collect(),
        })
    }
}

/// Best first; equal ones in order of path and place.
pub fn symbols(
    sources: &SearchSources<'_>,
    question: &SymbolQuestion<'_>,
) -> Complete<Vec<SymbolHit>> {
    let mut hits: Vec<SymbolHit> = Vec::new();
    let mut seen: BTreeSet<SymbolId> = BTreeSet::new();
    for terms in &question.pattern.alternatives {
        add_named(sources, question, terms, &mut seen, &mut hits);
    }
    if hits.len() < question.enough {
        for terms in &question.pattern.alternatives {
            add_described(sources, question, terms, &mut seen, &mut hits);
        }
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.symbol.cmp(&b.symbol)));
    sources.budget.finish(hits)
}

/// Symbols whose name matches a word and whose name or surroundings match the others.
fn add_named(
    sources: &SearchSources<'_>,
    question: &SymbolQuestion<'_>,
    terms: &[Term],
    seen: &mut BTreeSet<SymbolId>,
    hits: &mut Vec<SymbolHit>,
) {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for term in terms {
        let folded = fold(&term.text);
        if folded.len() >= 3 {
            names.extend(sources.lexicon.containing(&folded, usize::MAX));
        } else {
            // Too short for the index of letters: every name is looked at.
            names.extend(
                sources
                    .lexicon
                    .hashed(0, 0)
                    .filter(|name| name_likeness(name, term) > 0.0),
            );
        }
        if folded.is_empty() && sources.lexicon.contains(&term.text) {
            names.extend(
                sources
                    .lexicon
                    .hashed(crate::query::search::name_bits(&term.text), 32)
                    .filter(|name| *name == term.text),
            );
        }
    }
    let like = |name: &&str| terms.iter().any(|term| name_likeness(name, term) > 0.0);
    let names: Vec<&str> = names.into_iter().filter(like).collect();
    let named = sources
        .budget
        .read(sketches_named(sources.snapshot, &names));
    for (name, symbols) in names.iter().zip(named) {
        let likeness: Vec<f64> = terms.iter().map(|term| name_likeness(name, term)).collect();
        for (symbol, sketch) in symbols {
            if !sources.budget.spend() {
                return;
            }
            if seen.contains(&symbol) || !(question.wants)(symbol.file, &sketch) {
                continue;
            }
            // Only words that the name does not answer need the file.
            let facts = OnceCell::new();
            let facts = || {
                facts
                    .get_or_init(|| {
                        sources
                            .snapshot
                            .corpus()
                            .facts(sources.snapshot.file(symbol.file).content)
                    })
                    .as_deref()
            };
            let mut score = 0.0;
            let mut prose: Option<String> = None;
            let all = terms.iter().zip(&likeness).all(|(term, likeness)| {
                if !term.within.is_empty()
                    && !facts()
                        .is_some_and(|facts| stands_within(sources.snapshot, symbol, facts, term))
                {
                    return false;
                }
                let worth = match (*likeness, terms.len()) {
                    (likeness, _) if likeness > 0.0 => likeness,
                    (_, 1) => 0.0,
                    _ => facts().map_or(0.0, |facts| {
                        around(sources.snapshot, symbol, facts, term).max_or(|| {
                            said(
                                prose.get_or_insert_with(|| {
                                    (question.prose)(symbol.file, facts, symbol.index)
                                }),
                                term,
                            )
                        })
                    }),
                };
                score += worth;
                worth > 0.0
            });
            if all {
                seen.insert(symbol);
                let score = score / terms.len() as f64 * prominence(sources, symbol.file, &sketch);
                hits.push(SymbolHit { symbol, score });
            }
        }
    }
}

/// Functions and types whose signature or documentation holds what their name does not.
fn add_described(
    sources: &SearchSources<'_>,
    question: &SymbolQuestion<'_>,
    terms: &[Term],
    seen: &mut BTreeSet<SymbolId>,
    hits: &mut Vec<SymbolHit>,
) {
    let mut words: Vec<(usize, String)> = Vec::new();
    for (i, term) in terms.iter().enumerate().filter(|(_, term)| !term.is_prefix) {
        let mut first = None;
        sources.text.words(&term.text, &mut |word| {
            first.get_or_insert_with(|| word.to_owned());
        });
        words.extend(first.map(|word| (i, word)));
    }
    if words.is_empty() {
        return;
    }
    let plain: Vec<&str> = words.iter().map(|(_, word)| word.as_str()).collect();
    let matches = sources.budget.read(sources.text.matches(&plain));
    let mut counts = vec![0_u32; matches.documents.len()];
    for found in &matches.words {
        for (document, _) in found {
            counts[*document as usize] += 1;
        }
    }
    let all = matches
        .documents
        .iter()
        .enumerate()
        .filter(|(i, _)| counts[*i] as usize == plain.len());
    let mut all: Vec<_> = all
        .filter_map(|(_, document)| Some((document, document.symbol?)))
        .collect();
    if !hits.is_empty() {
        // Signature and documentation are most of what a short one says.
        all.sort_by_key(|(document, index)| {
            (
                document.lengths.iter().sum::<u32>(),
                document.content,
                *index,
            )
        });
        all.truncate(READ_BESIDE_NAMES);
    }
    all.truncate(READ);
    for (document, index) in all {
        for file in sources.snapshot.files_of(document.content) {
            if !sources.budget.spend() {
                return;
            }
            let Some(facts) = sources.snapshot.corpus().facts(document.content) else {
                continue;
            };
            // A type's document holds its fields' comments too.
            let inner = facts.symbols_with_index().filter(|(_, symbol)| {
                symbol.parent == Some(index) && !symbol.kind.is_callable() && !symbol.kind.is_type()
            });
            for index in std::iter::once(index).chain(inner.map(|(index, _)| index)) {
                let symbol = SymbolId { file: *file, index };
                let sketch = SymbolSketch::of(&facts, index);
                if seen.contains(&symbol) || !(question.wants)(*file, &sketch) {
                    continue;
                }
                let prose = (question.prose)(*file, &facts, index);
                let name = facts.name(facts.symbol(index).name);
                let worth: Vec<f64> = terms
                    .iter()
                    .map(|term| name_likeness(name, term).max_or(|| said(&prose, term)))
                    .collect();
                if worth.iter().all(|worth| *worth > 0.0) {
                    seen.insert(symbol);
                    let score = worth.iter().sum::<f64>() / terms.len() as f64
                        * prominence(sources, *file, &sketch);
                    hits.push(SymbolHit { symbol, score });
                }
            }
        }
    }
}

/// How well a name answers a word: 100 for the very name, less the more it has besides, 0 for none.
fn name_likeness(name: &str, term: &Term) -> f64 {
    if name == term.text {
        return 100.0;
    }
    let (own, asked) = (fold(name), fold(&term.text));
    if asked.is_empty() {
        return 0.0;
    }
    let share = asked.chars().count() as f64 / own.chars().count().max(1) as f64;
    if own == asked {
        return 90.0;
    }
    if term.is_prefix && own.starts_with(&asked) {
        return 50.0 + 20.0 * share;
    }
    let parts = parts(name);
    // Whole words of the name, one after another: `order service` in `OrderServiceFactory`.
    for start in 0..parts.len() {
        let mut joined = String::new();
        for part in &parts[start..] {
            joined.push_str(part);
            if joined == asked || term.is_prefix && joined.starts_with(&asked) {
                return if start == 0 {
                    45.0 + 20.0 * share
                } else {
                    35.0 + 20.0 * share
                };
            }
            if joined.len() > asked.len() {
                break;
            }
        }
    }
    0.0
}

/// The words of a name in lower case: `parseHTTPRequest2` is `parse`, `http`, `request`, `2`.
fn parts(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    for (i, c) in characters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| characters[i]);
        let after = characters.get(i + 1);
        let starts = match before {
            Some(before) if c.is_uppercase() => {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            }
            Some(before) => c.is_numeric() != before.is_numeric(),
            None => false,
        };
        if (starts || !c.is_alphanumeric()) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Whether the names that a term wants around it are there, in their order.
fn stands_within(snapshot: &Snapshot, symbol: SymbolId, facts: &Facts, term: &Term) -> bool {
    let around = surroundings(snapshot, symbol, facts);
    let mut rest = around.iter();
    term.within
        .iter()
        .all(|wanted| rest.any(|name| fold(name) == fold(wanted)))
}

/// What a word is worth that names something around the symbol.
fn around(snapshot: &Snapshot, symbol: SymbolId, facts: &Facts, term: &Term) -> f64 {
    let found = surroundings(snapshot, symbol, facts)
        .iter()
        .any(|name| name_likeness(name, term) > 0.0);
    if found { 25.0 } else { 0.0 }
}

fn surroundings(snapshot: &Snapshot, symbol: SymbolId, facts: &Facts) -> Vec<String> {
    let path = &snapshot.file(symbol.file).path;
    let mut names: Vec<String> = path
        .as_str()
        .split('/')
        .map(|part| crate::query::search::stem(part).to_owned())
        .collect();
    let mut chain = facts.container_chain(symbol.index);
    let owner = chain.pop().map(|index| facts.symbol(index).owner);
    for index in chain {
        names.extend(
            facts
                .name(facts.symbol(index).name)
                .split(['.', '\\'])
                .flat_map(|part| part.split("::"))
                .map(str::to_owned),
        );
    }
    if let Some(facts::TypeRecipe::Name(name)) = owner.map(|owner| facts.type_recipe(owner)) {
        names.push(facts.name(name).to_owned());
    }
    names
}

/// What a word in the signature or documentation is worth.
fn said(prose: &str, term: &Term) -> f64 {
    let asked = fold(&term.text);
    let words = prose.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let matches = |word: &str| {
        let folded = fold(word);
        folded == asked
            || term.is_prefix && folded.starts_with(&asked)
            || parts(word)
                .iter()
                .any(|part| *part == asked || term.is_prefix && part.starts_with(&asked))
    };
    if !asked.is_empty() && words.filter(|word| !word.is_empty()).any(matches) {
        15.0
    } else {
        0.0
    }
}

/// A symbol in its own right leads over one that only repeats or tests it.
fn prominence(sources: &SearchSources<'_>, file: FileId, declared: &SymbolSketch) -> f64 {
    let kind = match declared.kind {
        kind if kind.is_type() => 1.0,
        kind if kind.is_callable() => 0.99,
        SymbolKind::Property | SymbolKind::Constant | SymbolKind::Event => 0.97,
        SymbolKind::Variable | SymbolKind::Field | SymbolKind::EnumMember => 0.95,
        _ => 0.9,
    };
    let of = |modifier, factor| {
        if declared.modifiers.contains(modifier) {
            factor
        } else {
            1.0
        }
    };
    let aside = if sources.paths.is_test_or_docs(file) {
        0.9
    } else {
        1.0
    };
    kind * of(Modifiers::PROTOTYPE, 0.97) * of(Modifiers::LOCAL, 0.9) * aside
}

trait MaxOr {
    fn max_or(self, other: impl FnOnce() -> f64) -> f64;
}

impl MaxOr for f64 {
    fn max_or(self, other: impl FnOnce() -> f64) -> f64 {
        if self > 0.0 { self } else { other() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        assert_eq!(
            parts("parseHTTPRequest2"),
            ["parse", "http", "request", "2"]
        );
        assert_eq!(parts("to_x_y"), ["to", "x", "y"]);
        assert_eq!(parts("OAuth2Token"), ["o", "auth", "2", "token"]);
    }

    #[test]
    fn a_pattern_has_alternatives_of_terms() {
        let pattern = Pattern::parse("Order* submit OR M:Shop.Cart.add(int)");
        let texts: Vec<Vec<&str>> = pattern
            .alternatives
            .iter()
            .map(|terms| terms.iter().map(|term| term.text.as_str()).collect())
            .collect();
        assert_eq!(texts, [vec!["Order", "submit"], vec!["add"]]);
        assert!(pattern.alternatives[0][0].is_prefix);
        assert!(Pattern::parse(" \"\" * ").is_empty());
    }

    #[test]
    fn likeness_falls_with_what_else_a_name_holds() {
        let term = |text: &str, is_prefix| Term {
            text: text.to_owned(),
            is_prefix,
            within: Vec::new(),
        };
        let order = term("order", false);
        assert_eq!(name_likeness("order", &order), 100.0);
        assert_eq!(name_likeness("Order", &order), 90.0);
        assert!(name_likeness("OrderLine", &order) > name_likeness("CustomerOrderLine", &order));
        assert_eq!(name_likeness("Orders", &order), 0.0);
        assert!(name_likeness("Orders", &term("ord", true)) > 0.0);
        assert!(name_likeness("OAuth2Token", &term("OAuth2Token", false)) == 100.0);
    }
}
