//! Code that answers a question in words, and symbols of a name in the order of their worth.

use std::collections::{BTreeMap, BTreeSet};

use engine::{
    Budget, Complete, SymbolId,
    query::{
        self,
        search::{
            self, Factors, Neighbour, SearchHit, SearchQuestion, SearchResult, SearchSources,
            Spread, is_test_or_docs, is_vendored_or_generated,
        },
    },
};
use facts::{LanguageId, Modifiers, SymbolKind, SymbolSketch};

use crate::{Session, SymbolHandle, excerpts, lookup};

/// The first bytes of a question, which are all that is read of it: what tells is at its start.
pub const MAX_QUERY: usize = 4_000;

/// Ranked functions, types and files, without those that only repeat another, and how many these
/// are.
pub fn search(
    session: &Session,
    text: &str,
    languages: &[LanguageId],
    limit: usize,
    spread: Spread,
) -> (Complete<SearchResult>, usize) {
    let index = session.text_index();
    let sources = SearchSources {
        snapshot: session.snapshot(),
        lexicon: session.lexicon(),
        paths: session.path_words(),
        text: &index,
        budget: &session.budget,
    };
    let question = SearchQuestion {
        text,
        languages,
        repo_wide_terms: &repo_wide_terms(session),
        limit,
        spread,
    };
    let mut found = search::search(&sources, &question);
    let mut seen = BTreeSet::new();
    let n_hits = found.value.hits.len();
    found.value.hits.retain(|hit| {
        let Some(index) = hit.symbol else {
            return true;
        };
        session.facts(hit.file).is_some_and(|facts| {
            let symbol = facts.symbol(index);
            seen.insert((hit.file, excerpts::lines(&facts, symbol.span), symbol.name))
        })
    });
    let n_duplicates = n_hits - found.value.hits.len();
    (found, n_duplicates)
}

/// A question without what is beyond [`MAX_QUERY`] and the blanks around it.
pub fn shorten(text: &str) -> &str {
    let text = text.trim();
    &text[..text.floor_char_boundary(MAX_QUERY)]
}

/// The names of the languages that most of the repository's code is written in: they tell no part
/// of it from another.
fn repo_wide_terms(session: &Session) -> Vec<&'static str> {
    let mut n_files: BTreeMap<LanguageId, usize> = BTreeMap::new();
    for (_, file) in session.snapshot().files() {
        if session
            .snapshot()
            .corpus()
            .semantics(file.language)
            .is_some()
        {
            *n_files.entry(file.language).or_default() += 1;
        }
    }
    let total: usize = n_files.values().sum();
    let main = n_files
        .into_iter()
        .filter(|(_, n)| 2 * n > total)
        .filter_map(|(id, _)| extract::language(id));
    main.flat_map(|language| match language.name {
        "go" => vec!["go", "golang"],
        name => vec![name],
    })
    .collect()
}

/// The symbols one call away from the hits: the cause of a symptom may share no word with it.
pub fn neighbours(session: &Session, budget: &Budget, hits: &[SearchHit]) -> Vec<Neighbour> {
    /// As many as one reads beside the results.
    const MAX_NEIGHBOURS: usize = 5;
    let resolver = session.analysis.resolver(budget);
    search::neighbours(&resolver, hits, MAX_NEIGHBOURS).value
}

/// The line of a hit that holds most of the question's words, and its text; the first of equals.
/// A file that was found by its path has none.
pub fn best_line(session: &Session, text: &str, hit: &SearchHit) -> Option<(u32, String)> {
    let facts = session.facts(hit.file)?;
    let lines = match hit.symbol {
        Some(index) => excerpts::lines(&facts, facts.symbol(index).span),
        None if hit.factors.path_affinity > hit.factors.bm25 => return None,
        None => (1, facts.lines.n_lines()),
    };
    let source = session.text(hit.file)?;
    let mut wanted: Vec<String> = Vec::new();
    workspace::words(text, |word| {
        if !search::is_stop_word(word)
            && word.len() > 1
            && !wanted.iter().any(|known| known == word)
        {
            wanted.push(word.to_owned());
        }
    });
    let body = excerpts::body(&facts, &source, lines.0, lines.1);
    let mut best: Option<(usize, u32)> = None;
    for (i, line) in body.lines().enumerate().take(5_000) {
        let mut found: Vec<&str> = Vec::new();
        workspace::words(line, |word| {
            if let Some(word) = wanted.iter().find(|wanted| *wanted == word)
                && !found.contains(&word.as_str())
            {
                found.push(word);
            }
        });
        if !found.is_empty() && best.is_none_or(|(most, _)| found.len() > most) {
            best = Some((found.len(), lines.0 + i as u32));
        }
    }
    let (_, line) = best?;
    let shown = excerpts::body(&facts, &source, line, line);
    Some((line, excerpts::shorten(shown.trim(), 200)))
}

/// The symbols that a name or handle may mean, best first: definitions before declarations, types
/// before functions before values, code before tests.
pub fn locate(
    session: &Session,
    name: &str,
    languages: &[LanguageId],
    kinds: Option<&[SymbolKind]>,
) -> Vec<(SymbolId, Factors)> {
    let mut found = candidates(session, name);
    found.retain(|(symbol, sketch, _)| {
        let language = session.snapshot().file(symbol.file).language;
        (languages.is_empty() || languages.contains(&language))
            && kinds.is_none_or(|kinds| kinds.contains(&sketch.kind))
    });
    let mut ranked: Vec<(SymbolId, Factors)> = found
        .iter()
        .map(|(symbol, sketch, is_exact)| {
            let path = session.path(symbol.file);
            (*symbol, factors(path, sketch, *is_exact, name))
        })
        .collect();
    ranked.sort_by(|(a, left), (b, right)| right.total().total_cmp(&left.total()).then(a.cmp(b)));
    ranked
}

/// What a text may mean, and whether it is the name itself. Of a name the table of names tells
/// enough: thousands may have it.
fn candidates(session: &Session, asked: &str) -> Vec<(SymbolId, SymbolSketch, bool)> {
    let is_handle = SymbolHandle::parse(asked).is_exact();
    let named = if is_handle {
        Vec::new()
    } else {
        let read = query::sketches_named(session.snapshot(), &[asked]);
        session.budget.read(read)
    };
    let named: Vec<_> = named
        .into_iter()
        .flatten()
        .map(|(symbol, sketch)| (symbol, sketch, true))
        .collect();
    if !named.is_empty() {
        return named;
    }
    let sketched = lookup::all(session, asked)
        .into_iter()
        .filter_map(|symbol| {
            let facts = session.facts(symbol.file)?;
            let is_exact = facts.name(facts.symbol(symbol.index).name) == asked || is_handle;
            Some((symbol, SymbolSketch::of(&facts, symbol.index), is_exact))
        });
    sketched.collect()
}

fn factors(path: &str, declared: &SymbolSketch, is_exact: bool, asked: &str) -> Factors {
    let SymbolSketch {
        kind, modifiers, ..
    } = *declared;
    let qualified = asked.contains("::") || asked.contains('.') || asked.contains('#');
    Factors {
        exact_match: if is_exact { 40.0 } else { 30.0 },
        qualified_name: if qualified { 12.0 } else { 0.0 },
        definition: match () {
            () if modifiers.contains(Modifiers::PROTOTYPE) => 2.0,
            () if modifiers.contains(Modifiers::LOCAL) => 1.0,
            () => 5.0,
        },
        kind_match: match kind {
            SymbolKind::Impl | SymbolKind::Namespace => 0.5,
            kind if kind.is_type() => 3.0,
            kind if kind.is_callable() => 2.5,
            SymbolKind::Constant | SymbolKind::Property => 1.5,
            SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element => 0.0,
            _ => 1.0,
        },
        penalty: if is_test_or_docs(path) || is_vendored_or_generated(path) {
            0.5
        } else {
            1.0
        },
        ..Factors::default()
    }
}

/// The languages that a word means: a name, an extension, or a common spelling; empty for a word
/// that means none.
pub fn languages_named(word: &str) -> Vec<LanguageId> {
    let plain = word.trim().to_ascii_lowercase();
    let plain = match plain.as_str() {
        "c++" | "cplusplus" => "cpp",
        "c#" | "cs" => "csharp",
        "golang" => "go",
        "node" | "nodejs" => "javascript",
        "shell" | "sh" => "bash",
        other => other,
    };
    let is_named = |language: &extract::Language| match plain {
        "typescript" => language.name.starts_with("typescript") || language.name == "tsx",
        "javascript" => language.name.starts_with("javascript") || language.name == "jsx",
        plain => language.name == plain,
    };
    let ids = |is_meant: &dyn Fn(&extract::Language) -> bool| -> Vec<LanguageId> {
        let meant = extract::LANGUAGES
            .iter()
            .filter(|language| is_meant(language));
        meant.map(|language| language.id).collect()
    };
    let named = ids(&is_named);
    if named.is_empty() {
        ids(&|language| language.extensions.contains(&plain))
    } else {
        named
    }
}
