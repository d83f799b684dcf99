//! Names and paths that are like a short question.

use std::collections::BTreeMap;

use facts::{Facts, Modifiers, SymbolIndex, SymbolKind};
use rustc_hash::FxHashMap;

use super::{Factors, Intent, SearchSources, extension, fold, kind_word, stem};
use crate::{FileId, SymbolId, query};

/// What the same name is worth; a likeness is worth its share.
const NAME: f64 = 40.0;
/// Letter for letter.
const EXACT: f64 = 8.0;
/// But for case and separators.
const FOLDED: f64 = 4.0;
/// What a name in a sentence is worth until the candidates are compared.
pub(super) const SPELLED: f64 = 40.0;
const QUALIFIER: f64 = 12.0;
const KIND: f64 = 6.0;
/// What the same file stem is worth.
const STEM: f64 = 30.0;
/// The whole of what was asked for is the end of the path.
pub(super) const WHOLE_PATH: f64 = 60.0;
/// Names that share fewer groups of letters have nothing to do with each other.
const LEAST_LIKENESS: f64 = 0.45;
const LEAST_LIKENESS_OF_WORDS: f64 = 0.7;
const MOST_NAMES: usize = 60;
/// A name that is defined more often than this says little.
const MOST_SYMBOLS: usize = 300;

pub(super) type Candidates = FxHashMap<(FileId, Option<SymbolIndex>), Factors>;

/// What names and paths say for themselves.
pub(super) fn candidates(
    sources: &SearchSources<'_>,
    text: &str,
    intent: Intent,
    is_short: bool,
) -> Candidates {
    /// Longer texts are no names.
    const LONGEST: usize = 200;
    let mut candidates = Candidates::default();
    if text.is_empty() || text.len() > LONGEST || text.split_whitespace().count() > 6 {
        return candidates;
    }
    let (text, kind) = match text.split_once(char::is_whitespace) {
        Some((first, rest)) if kind_word(first).is_some() && !rest.trim().is_empty() => {
            (rest.trim(), kind_word(first))
        }
        _ => (text, None),
    };
    if intent != Intent::Path {
        add_names(sources, text, kind, is_short, &mut candidates);
    }
    if is_short || text.split_whitespace().count() <= 4 {
        add_paths(sources, text, intent, is_short, &mut candidates);
    }
    candidates
}

fn add_names(
    sources: &SearchSources<'_>,
    text: &str,
    kind: Option<&str>,
    is_short: bool,
    candidates: &mut Candidates,
) {
    let (qualifiers, last) = segments(text);
    let mut names: BTreeMap<&str, f64> = BTreeMap::new();
    let whole = fold(text);
    // Of a sentence only the whole can be a name; its last word is one among others.
    let lone = if is_short { &last } else { &whole };
    for name in sources
        .lexicon
        .folded(&whole)
        .chain(sources.lexicon.folded(lone))
    {
        names.insert(name, 1.0);
    }
    if is_short {
        let has_spaces = text.contains(char::is_whitespace);
        let is_one = fold(&last) == whole;
        for asked in std::iter::once(last.as_str()).chain((!is_one).then_some(whole.as_str())) {
            if asked.len() < 3 {
                continue;
            }
            // Two words that are no name share letters with many names.
            let least = if has_spaces {
                LEAST_LIKENESS_OF_WORDS
            } else {
                LEAST_LIKENESS
            };
            for found in sources.lexicon.like(asked, least, MOST_NAMES) {
                let likeness = names.entry(found.name).or_default();
                *likeness = likeness.max(found.likeness);
            }
            let folded = fold(asked);
            let share = |name: &str| folded.len() as f64 / fold(name).len().max(1) as f64;
            for (name, least) in sources
                .lexicon
                .beginning(asked, MOST_NAMES)
                .into_iter()
                .map(|name| (name, 0.6))
                .chain(
                    sources
                        .lexicon
                        .containing(asked, MOST_NAMES)
                        .into_iter()
                        .map(|name| (name, 0.5)),
                )
            {
                let likeness = names.entry(name).or_default();
                *likeness = likeness.max(least + (0.98 - least) * share(name));
            }
        }
    }
    let mut names: Vec<(&str, f64)> = names.into_iter().collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    names.truncate(2 * MOST_NAMES);
    let listed: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let read = query::sketches_named(sources.snapshot, &listed);
    let found = sources.budget.read(read);
    for ((name, likeness), symbols) in names.into_iter().zip(found) {
        if !sources.budget.spend() {
            return;
        }
        let exact = if name == last || name == text {
            EXACT
        } else if likeness >= 1.0 {
            FOLDED
        } else {
            0.0
        };
        for (symbol, declared) in symbols.into_iter().take(MOST_SYMBOLS) {
            let factors = candidates
                .entry((symbol.file, Some(symbol.index)))
                .or_default();
            factors.exact_match = exact;
            factors.name_likeness = NAME * likeness * prominence(declared.kind, declared.modifiers);
            factors.qualified_name = QUALIFIER * qualified(sources, symbol, &qualifiers);
            factors.kind_match = if kind.is_some_and(|kind| is_kind(declared.kind, kind)) {
                KIND
            } else {
                0.0
            };
        }
    }
}

/// What is named in its own right counts more than what is declared inside of something else.
fn prominence(kind: SymbolKind, modifiers: Modifiers) -> f64 {
    let own = match kind {
        SymbolKind::Impl | SymbolKind::Namespace | SymbolKind::Module => 0.9,
        SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element => 0.8,
        SymbolKind::Variable | SymbolKind::Field | SymbolKind::EnumMember => 0.94,
        // Its type has the same name.
        SymbolKind::Constructor => 0.92,
        SymbolKind::Property | SymbolKind::Constant => 0.96,
        _ => 1.0,
    };
    let declared = if modifiers.contains(Modifiers::PROTOTYPE) {
        0.97
    } else {
        1.0
    };
    let local = if modifiers.contains(Modifiers::LOCAL) {
        0.85
    } else {
        1.0
    };
    own * declared * local
}

fn is_kind(kind: SymbolKind, word: &str) -> bool {
    match word {
        "fn" | "func" | "function" | "def" => kind.is_callable(),
        "method" => matches!(kind, SymbolKind::Method | SymbolKind::Constructor),
        "type" => kind.is_type(),
        word => kind.as_str() == word || word == "const" && kind == SymbolKind::Constant,
    }
}

/// The share of the qualifiers that containers, file or directories have, the nearest first.
fn qualified(
    sources: &SearchSources<'_>,
    SymbolId { file, index }: SymbolId,
    qualifiers: &[String],
) -> f64 {
    if qualifiers.is_empty() {
        return 0.0;
    }
    let Some(facts) = sources
        .snapshot
        .corpus()
        .facts(sources.snapshot.file(file).content)
    else {
        return 0.0;
    };
    let chain = facts.container_chain(index);
    let mut around: Vec<String> = chain[..chain.len() - 1]
        .iter()
        .rev()
        .map(|index| fold(facts.name(facts.symbol(*index).name)))
        .collect();
    if let Some(owner) = owner_name(&facts, index) {
        around.insert(0, fold(owner));
    }
    let path = &sources.snapshot.file(file).path;
    around.push(fold(stem(path.file_name())));
    around.extend(path.directory().rsplit('/').map(fold));
    let matched = qualifiers
        .iter()
        .filter(|qualifier| around.contains(qualifier))
        .count();
    matched as f64 / qualifiers.len() as f64
}

fn owner_name(facts: &Facts, index: SymbolIndex) -> Option<&str> {
    let mut id = facts.symbol(index).owner;
    for _ in 0..8 {
        match facts.type_recipe(id) {
            facts::TypeRecipe::Name(name) | facts::TypeRecipe::Scoped(_, name) => {
                return Some(facts.name(name));
            }
            facts::TypeRecipe::Apply(inner, _)
            | facts::TypeRecipe::Pointer(inner)
            | facts::TypeRecipe::Reference(inner) => id = inner,
            _ => return None,
        }
    }
    None
}

/// Qualifiers, folded, and the name: `auth::jwt::validate` is `auth`, `jwt` and `validate`.
pub(super) fn segments(text: &str) -> (Vec<String>, String) {
    let text = text
        .trim_end_matches("()")
        .trim_matches(['`', '"', '\'', ' ']);
    let mut parts: Vec<&str> = text
        .split([':', '.', '#', '/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    let last = parts.pop().unwrap_or("").to_owned();
    (
        parts
            .into_iter()
            .map(fold)
            .filter(|part| !part.is_empty())
            .collect(),
        last,
    )
}

fn add_paths(
    sources: &SearchSources<'_>,
    text: &str,
    intent: Intent,
    is_short: bool,
    candidates: &mut Candidates,
) {
    let plain = text.replace('\\', "/").to_lowercase();
    let plain = plain.trim_start_matches("./").trim_matches('/');
    let is_path = intent == Intent::Path;
    let weight = if is_path { 1.0 } else { 0.7 };
    let mut files: BTreeMap<FileId, f64> = BTreeMap::new();
    let mut raise = |file: FileId, worth: f64| {
        let known = files.entry(file).or_default();
        *known = known.max(worth);
    };
    let (directories, name) = plain.rsplit_once('/').unwrap_or(("", plain));
    let asked_extension = extension(name).map(str::to_owned);
    let asked_stem = stem(name).to_owned();
    let spaced: Vec<&str> = plain.split_whitespace().collect();
    if spaced.len() == 1 {
        for (file, likeness) in sources.lexicon.files_like(&asked_stem, LEAST_LIKENESS, 80) {
            raise(file, STEM * likeness);
        }
        for (file, share) in sources.lexicon.files_beginning(&asked_stem, 80) {
            raise(file, STEM * (0.6 + 0.39 * share));
        }
    } else {
        // `stream json reader` is directories, then the words of the name.
        for split in 0..spaced.len() {
            let joined = spaced[split..].concat();
            let whole = (spaced.len() - split) as f64 / spaced.len() as f64;
            for (file, likeness) in
                sources
                    .lexicon
                    .files_like(&joined, if is_short { 0.6 } else { 0.99 }, 40)
            {
                let path = &sources.snapshot.file(file).path;
                let around = fold(path.directory());
                let matched = spaced[..split]
                    .iter()
                    .filter(|word| around.contains(&fold(word)))
                    .count() as f64;
                let share = whole + matched / spaced.len() as f64;
                raise(
                    file,
                    STEM * likeness * share * if share >= 0.999 { 1.3 } else { 1.0 },
                );
            }
        }
    }
    for (file, worth) in files {
        let path = sources.snapshot.file(file).path.as_str().to_lowercase();
        let mut worth = worth;
        if !directories.is_empty() {
            let around: Vec<&str> = path.rsplit('/').skip(1).collect();
            let asked: Vec<&str> = directories
                .split('/')
                .filter(|part| !part.is_empty())
                .collect();
            let matched = asked.iter().filter(|part| around.contains(part)).count();
            let adjacent = asked
                .iter()
                .rev()
                .zip(&around)
                .filter(|(asked, around)| asked == around)
                .count();
            worth += 14.0 * matched as f64 / asked.len().max(1) as f64
                + 8.0 * adjacent as f64 / asked.len().max(1) as f64;
        }
        if let Some(extension) = &asked_extension {
            worth += if path.ends_with(&format!(".{extension}")) {
                4.0
            } else {
                -4.0
            };
        }
        if spaced.len() == 1 && (path == plain || path.ends_with(&format!("/{plain}"))) {
            worth = WHOLE_PATH + if path == plain { 10.0 } else { 0.0 };
        }
        let factors = candidates.entry((file, None)).or_default();
        // Of several files that fit alike, the one nearest to the root.
        let depth = path.matches('/').count() as f64;
        factors.path_affinity = weight * worth - 0.05 * depth;
    }
}
