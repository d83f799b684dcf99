//! Which functions, types and files answer a question asked in words.
//!
//! A question is routed by its length. One or two words are taken for a name or a path: exact,
//! folded, prefix and fuzzy matches of names and file stems lead ([`lexicon`]). Longer ones, and
//! two words that nothing is named by, are prose or a message: stop words are dropped, BM25F ranks
//! ([`text`]), and candidates that hold the question's own phrases, or whose names it spells out,
//! rise ([`phrase`], [`naming`]), names that it spells lead ([`spelled`]). Both end in one list;
//! [`Factors`] tell how each place was earned.
//! What is one call away from the answers is offered beside them ([`neighbours`]).

mod best;
#[cfg(test)]
mod exhaustive;
mod intent;
mod lexicon;
mod names;
mod naming;
mod neighbours;
mod phrase;
mod spelled;
mod text;
mod words;

use facts::{LanguageId, Modifiers, SymbolIndex, SymbolKind};

use rustc_hash::{FxHashMap, FxHashSet};

use self::{best::WantedHits, naming::Prose, text::TextTerm};
use crate::{Budget, Complete, FileId, Snapshot};
pub use intent::{Intent, extension, intent, kind_word};
pub use lexicon::{Lexicon, Likeness, fold, name_bits, stem};
pub use neighbours::{CallRelation, Neighbour, neighbours};
pub use spelled::is_question;
pub use text::{PathWords, TextIndex};
pub use words::{
    is_asking_word, is_report_word, is_stop_word, is_test_in_unit, is_test_or_docs,
    is_vendored_or_generated,
};

/// What is looked for, and where.
pub struct SearchQuestion<'a> {
    pub text: &'a str,
    /// Only files of these languages; all when empty.
    pub languages: &'a [LanguageId],
    /// Words that tell nothing here because they hold for the whole repository, such as the name of
    /// its language. In lower case.
    pub repo_wide_terms: &'a [&'a str],
    pub limit: usize,
    pub spread: Spread,
}

/// What the first results of a question in words are to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// As many files as answer it: one reads on from there.
    Files,
    /// The best symbols, also several of one file: they are read as they are.
    Symbols,
}

/// What a search reads.
pub struct SearchSources<'a> {
    pub snapshot: &'a Snapshot,
    pub lexicon: &'a Lexicon,
    pub paths: &'a PathWords,
    pub text: &'a dyn TextIndex,
    pub budget: &'a Budget,
}

#[derive(Clone, Debug)]
pub struct SearchResult {
    pub intent: Intent,
    /// How sure the intent is.
    pub certainty: f64,
    /// Best first; equal scores in order of path and place.
    pub hits: Vec<SearchHit>,
    /// Candidates before the limit.
    pub total: usize,
}

/// A symbol, or a file (without a symbol).
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    pub file: FileId,
    pub symbol: Option<SymbolIndex>,
    pub factors: Factors,
}

/// What a score is made of: [`Factors::total`] is their sum times the penalty, [`Factors::score`]
/// brings it between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Factors {
    /// The name is what was asked for, letter for letter, or but for case and separators.
    pub exact_match: f64,
    /// How much the name is like what was asked for.
    pub name_likeness: f64,
    /// Containers or modules match the qualifiers asked for.
    pub qualified_name: f64,
    /// The path is like what was asked for.
    pub path_affinity: f64,
    /// A definition, not a mere place.
    pub definition: f64,
    /// The kind is the one asked for.
    pub kind_match: f64,
    pub bm25: f64,
    /// What the file as a whole scores.
    pub file_score: f64,
    /// It contains the question's own phrases.
    pub phrase: f64,
    /// The question's words make up the name.
    pub name_cover: f64,
    /// Below 1 for tests, examples, documents, generated and vendored code, for what is no function
    /// where a question is prose, and for what waits behind hits of other files.
    pub penalty: f64,
}

impl Factors {
    pub fn total(&self) -> f64 {
        let sum = self.exact_match
            + self.name_likeness
            + self.qualified_name
            + self.path_affinity
            + self.definition
            + self.kind_match
            + self.bm25
            + self.file_score
            + self.phrase
            + self.name_cover;
        sum * self.penalty
    }

    pub fn score(&self) -> f64 {
        /// A total that is worth a half: what a few rare words in one function score.
        const HALF: f64 = 20.0;
        let total = self.total().max(0.0);
        total / (total + HALF)
    }
}

/// How much a file counts that holds tests or documents, or is vendored or generated.
const SECONDARY: f64 = 0.5;
/// How much the score of the whole file adds to that of its parts.
const FILE_SHARE: f64 = 0.6;
/// Text outside of functions and types is rarely the answer.
const REST_SHARE: f64 = 0.3;
/// What a word counts that holds for the whole repository.
const REPO_WIDE: f64 = 0.1;
/// Candidates whose text is read for phrases.
const READ: usize = 150;

pub fn search(
    sources: &SearchSources<'_>,
    question: &SearchQuestion<'_>,
) -> Complete<SearchResult> {
    let (intent, certainty) = intent(question.text);
    let trimmed = question.text.trim();
    let n_words = trimmed.split_whitespace().count();
    let is_short = n_words <= 2
        || n_words <= 3
            && trimmed
                .split_whitespace()
                .next()
                .is_some_and(|word| kind_word(word).is_some());
    // Two words that nothing is named by are a question, too.
    let is_name = is_short
        && (intent != Intent::NaturalLanguage
            || n_words < 2
            || sources.lexicon.folded(trimmed).next().is_some());
    let is_question = !is_name && spelled::is_question(trimmed);
    let mut terms = terms(sources, trimmed, question.repo_wide_terms, is_name);
    if is_question {
        lower_common_words(sources, &mut terms);
    }
    // A name written in words is found whatever its length: `field naming strategy`.
    let mut named = names::candidates(sources, trimmed, intent, is_short);
    // A report names what failed, which is often not the answer.
    let prose = if is_question {
        Prose::of(sources, trimmed)
    } else {
        Prose::default()
    };
    for (file, symbol) in prose.spelled.definitions() {
        named.entry((file, Some(symbol))).or_default();
    }
    let is_spread = is_question && question.spread == Spread::Files;
    let mut n_rescored = question.limit.max(1) * 3 + 20;
    // Few files may have the best fifty.
    if is_spread {
        n_rescored = n_rescored.max(READ);
    }
    let n_best = n_rescored.max(READ);
    let (mut hits, total) = candidates(sources, question, &terms, named, &prose, n_best);
    keep_best(&mut hits, n_best);
    sort(&mut hits);
    if !is_name {
        let read = hits.len().min(READ);
        naming::add(sources, &terms, &prose, &mut hits[..read]);
        phrase::add(sources, trimmed, &mut hits[..read]);
        sort(&mut hits[..read]);
    }
    let mut rescored: Vec<SearchHit> = Vec::new();
    for hit in hits.into_iter().take(n_rescored) {
        if !sources.budget.spend() {
            break;
        }
        if let Some(hit) = rescore_by_symbol(sources, hit) {
            rescored.push(hit);
        }
    }
    sort(&mut rescored);
    if is_spread {
        prefer_files_with_more_hits(&mut rescored);
    }
    if !is_name {
        let diversity = if is_spread {
            &Diversity::QUESTION
        } else {
            &Diversity::PROSE
        };
        rescored = diverse(rescored, diversity);
    }
    rescored.truncate(question.limit);
    sources.budget.finish(SearchResult {
        intent,
        certainty,
        hits: rescored,
        total,
    })
}

/// What texts and names suggest: the best `n_best` at least, and how many there are.
fn candidates(
    sources: &SearchSources<'_>,
    question: &SearchQuestion<'_>,
    terms: &[TextTerm],
    mut named: names::Candidates,
    prose: &Prose,
    n_best: usize,
) -> (Vec<SearchHit>, usize) {
    let wants_tests = question
        .text
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| {
            ["test", "tests", "spec", "example", "benchmark", "docs"]
                .contains(&word.to_lowercase().as_str())
        });
    let wants = |file: FileId| {
        question.languages.is_empty()
            || question
                .languages
                .contains(&sources.snapshot.file(file).language)
    };
    let penalty = |file: FileId, may_be_aside: bool| {
        let is_aside = may_be_aside && !wants_tests && sources.paths.is_test_or_docs(file);
        match is_aside || sources.paths.is_vendored_or_generated(file) {
            true => SECONDARY,
            false => 1.0,
        }
    };
    let wanted = WantedHits {
        n_best,
        penalty: &|file| wants(file).then(|| penalty(file, true)),
        is_filtered: !question.languages.is_empty(),
        named: &named,
    };
    let in_text = sources.budget.read(best::best(sources, terms, &wanted));
    let mut hits: Vec<SearchHit> = Vec::with_capacity(in_text.hits.len() + named.len());
    let mut add = |file: FileId, symbol: Option<SymbolIndex>, mut factors: Factors| {
        let is_spelled = symbol.is_some_and(|symbol| prose.spelled.share(file, symbol) > 0.5);
        if is_spelled {
            factors.exact_match = factors.exact_match.max(names::SPELLED);
        }
        let may_be_aside = !is_spelled && factors.path_affinity < names::WHOLE_PATH;
        factors.penalty = penalty(file, may_be_aside);
        hits.push(SearchHit {
            file,
            symbol,
            factors,
        });
    };
    for hit in in_text.hits {
        let known = named.remove(&(hit.file, hit.symbol));
        let factors = hit.factors(known.unwrap_or_default(), 1.0);
        add(hit.file, hit.symbol, factors);
    }
    named.retain(|(file, _), _| wants(*file));
    let total = in_text.n_matching + named.len();
    named
        .into_iter()
        .for_each(|((file, symbol), factors)| add(file, symbol, factors));
    (hits, total)
}

/// Looks at the symbol itself: tests inside of code files count less, definitions a little more
/// than what is merely written there.
fn rescore_by_symbol(sources: &SearchSources<'_>, mut hit: SearchHit) -> Option<SearchHit> {
    let Some(index) = hit.symbol else {
        return Some(hit);
    };
    let facts = sources
        .snapshot
        .corpus()
        .facts(sources.snapshot.file(hit.file).content)?;
    let symbol = facts.symbols.get(index.0 as usize)?;
    hit.factors.definition = match symbol.kind {
        SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element => 0.0,
        _ if symbol.modifiers.contains(Modifiers::PROTOTYPE) => 0.1,
        _ => 0.5,
    };
    let in_test = facts.container_chain(index).iter().any(|index| {
        let around = facts.symbol(*index);
        around.modifiers.contains(Modifiers::TEST)
            || around.kind == SymbolKind::Module
                && matches!(facts.name(around.name), "test" | "tests")
    });
    if in_test {
        hit.factors.penalty = hit.factors.penalty.min(SECONDARY);
    }
    Some(hit)
}

/// Of two files with equally good hits, the one that has another good hit answers better: a hit is
/// placed as if it had a share of the next best of its file. Takes hits in order; their scores stay
/// as they are.
fn prefer_files_with_more_hits(hits: &mut Vec<SearchHit>) {
    const NEXT_HIT: f64 = 0.25;
    let mut next_best: FxHashMap<FileId, f64> = FxHashMap::default();
    let mut placed: Vec<(f64, SearchHit)> = Vec::with_capacity(hits.len());
    for hit in hits.drain(..).rev() {
        let total = hit.factors.total();
        let next = next_best.insert(hit.file, total).unwrap_or_default();
        placed.push((total + NEXT_HIT * next, hit));
    }
    placed.reverse();
    placed.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    hits.extend(placed.into_iter().map(|(_, hit)| hit));
}

/// How hits of one file are kept apart: among `window` hits in a row at most `of_one_file`, as far
/// as others are worth at least `least` of the best.
struct Diversity {
    window: usize,
    of_one_file: usize,
    least: f64,
}

impl Diversity {
    /// Who asks in prose wants to see where else to look.
    const PROSE: Diversity = Diversity {
        window: 5,
        of_one_file: 2,
        least: 0.5,
    };
    /// The answer to a question is often told by several files together.
    const QUESTION: Diversity = Diversity {
        window: 10,
        of_one_file: 1,
        least: 0.2,
    };
}

/// Moves hits behind those of other files. What had to wait counts as much as what went before it,
/// so that scores tell the order.
fn diverse(hits: Vec<SearchHit>, diversity: &Diversity) -> Vec<SearchHit> {
    let best = hits.first().map_or(0.0, |hit| hit.factors.total());
    let worth = best * diversity.least;
    let mut waiting: std::collections::VecDeque<SearchHit> = hits.into();
    let mut shown: Vec<SearchHit> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let before = &shown[shown.len().saturating_sub(diversity.window - 1)..];
        let fits = |hit: &SearchHit| {
            before.iter().filter(|other| other.file == hit.file).count() < diversity.of_one_file
        };
        let next = waiting
            .iter()
            .take_while(|hit| hit.factors.total() >= worth)
            .position(fits)
            .unwrap_or(0);
        let Some(mut hit) = waiting.remove(next) else {
            break;
        };
        if let Some(last) = shown.last().map(|last| last.factors.total())
            && hit.factors.total() > last
        {
            hit.factors.penalty *= last / hit.factors.total();
        }
        shown.push(hit);
    }
    shown
}

/// Leaves out what comes after the first `n`, of which equal ones stay together: sorting all that
/// match would cost more than finding them.
fn keep_best(hits: &mut Vec<SearchHit>, n: usize) {
    if hits.len() <= n {
        return;
    }
    let mut totals: Vec<f64> = hits.iter().map(|hit| hit.factors.total()).collect();
    let (_, least, _) = totals.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a));
    let least = *least;
    hits.retain(|hit| hit.factors.total() >= least);
}

fn sort(hits: &mut [SearchHit]) {
    hits.sort_by(|a, b| {
        b.factors
            .total()
            .total_cmp(&a.factors.total())
            .then((a.file, a.symbol).cmp(&(b.file, b.symbol)))
    });
}

/// What is looked up, in order of appearance. Prose is looked up in other forms of its words, too.
fn terms(
    sources: &SearchSources<'_>,
    text: &str,
    repo_wide_terms: &[&str],
    is_short: bool,
) -> Vec<TextTerm> {
    /// A question has at most so many words that count; a pasted log has many more.
    const MOST: usize = 64;
    /// What another form of a word counts.
    const OTHER_FORM: f64 = 0.6;
    let mut terms: Vec<TextTerm> = Vec::new();
    let text: &str = clip(text, 4_000);
    let joined = if is_short {
        String::new()
    } else {
        hyphenated(text)
    };
    sources
        .text
        .words(&format!("{text} {joined}"), &mut |word| {
            let says_nothing =
                !is_short && (is_stop_word(word) || word.bytes().all(|byte| byte.is_ascii_digit()));
            if says_nothing || word.chars().count() < 2 && !is_short {
                return;
            }
            match terms.iter().position(|term| term.forms[0].0 == word) {
                Some(i) => terms[i].weight = 2.0,
                None if terms.len() < MOST => terms.push(TextTerm {
                    forms: vec![(word.to_owned(), 1.0)],
                    weight: 1.0,
                    is_asking: false,
                }),
                None => {}
            }
        });
    if !is_short {
        let written: FxHashSet<String> = terms.iter().map(|term| term.forms[0].0.clone()).collect();
        for term in &mut terms {
            if repo_wide_terms.contains(&term.forms[0].0.as_str()) {
                term.weight *= REPO_WIDE;
            }
            let others = words::other_forms(&term.forms[0].0)
                .into_iter()
                .filter(|other| !written.contains(other));
            term.forms.extend(others.map(|other| (other, OTHER_FORM)));
        }
    }
    terms
}

/// In a question, words that say what is asked count less than those that say what about, and so
/// does the name of the package.
fn lower_common_words(sources: &SearchSources<'_>, terms: &mut [TextTerm]) {
    const ASKING: f64 = 0.3;
    for term in terms {
        if is_asking_word(&term.forms[0].0) {
            term.weight *= ASKING;
            term.is_asking = true;
        } else if sources.paths.is_repo_wide(&term.forms[0].0) {
            term.weight *= REPO_WIDE;
        }
    }
}

/// `multi-dimensional` is also looked for as `multidimensional`.
fn hyphenated(text: &str) -> String {
    let pairs = text
        .split_whitespace()
        .filter(|word| word.contains('-') && word.chars().all(|c| c.is_alphabetic() || c == '-'));
    pairs
        .map(|word| word.replace('-', ""))
        .collect::<Vec<_>>()
        .join(" ")
}

fn clip(text: &str, at_most: usize) -> &str {
    let mut end = text.len().min(at_most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
