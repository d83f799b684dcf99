//! One result of a search or look-up, in the shapes that `detail_level` and `compact` ask for.

use answers::{Session, excerpts, handle::Identity, names};
use engine::{FileId, SymbolId, query::search::Factors};
use facts::{Facts, SymbolIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbols::visibility;
use crate::{handle::HandleText, kinds};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DetailLevel {
    Location,
    #[default]
    Signature,
    Context,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExplainLevel {
    #[default]
    Off,
    Basic,
    Full,
}

/// What is not there is left out, never null.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ResultItem {
    /// Where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_id: Option<HandleText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_stable_id: Option<HandleText>,
    /// `symbol`, `snippet` or `file`; a symbol where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<&'static str>,
    pub path: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
    pub score: f64,
    /// The line that matches best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Nearby>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_symbols: Vec<Nearby>,
}

/// Another symbol, by its place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Nearby {
    kind: &'static str,
    name: String,
    path: String,
    line: u32,
}

/// How a result is shown.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub detail: DetailLevel,
    pub compact: bool,
}

/// The longest signature where size counts, in characters.
const COMPACT: usize = 60;

/// A symbol's result.
pub fn of_symbol(
    session: &Session,
    symbol: SymbolId,
    score: f64,
    shape: Shape,
) -> Option<ResultItem> {
    let facts = session.facts(symbol.file)?;
    let declared = facts.symbols.get(symbol.index.0 as usize)?;
    let (line_start, line_end) = excerpts::lines(&facts, declared.span);
    let snapshot = session.snapshot();
    let identity = Identity::of(snapshot, &facts, symbol.index);
    let mut item = ResultItem {
        symbol_id: Some(identity.symbol_id(session.path(symbol.file)).into()),
        path: session.path(symbol.file).to_owned(),
        line_start,
        line_end,
        kind: Some(kinds::names_of(declared.kind).codecompass),
        name: Some(facts.name(declared.name).to_owned()),
        score: rounded(score),
        symbol_stable_id: Some(identity.stable_id().into()),
        ..ResultItem::default()
    };
    if shape.detail == DetailLevel::Location {
        return Some(item);
    }
    let text = session.text(symbol.file);
    item.signature = text
        .as_ref()
        .map(|text| excerpts::signature(&facts, declared, text))
        .filter(|signature| !signature.is_empty());
    if shape.compact {
        // What a callable takes is worth its size; that of a type or a value says little more than
        // its kind and name, and a qualified name little more than path and name.
        item.signature = item
            .signature
            .filter(|_| declared.kind.is_callable())
            .map(|signature| excerpts::shorten(&signature, COMPACT));
        return Some(item);
    }
    item.qualified_name = Some(names::qualified_name(
        snapshot,
        symbol.file,
        &facts,
        symbol.index,
    ));
    item.language = Some(session.language(symbol.file));
    item.visibility = visibility(declared.visibility);
    if shape.detail == DetailLevel::Context {
        item.body_preview = text
            .as_ref()
            .map(|text| preview(excerpts::body(&facts, text, line_start, line_end)));
        item.parent = declared
            .parent
            .and_then(|parent| nearby(session, symbol.file, &facts, parent));
        item.related_symbols = related(session, symbol, &facts);
    }
    Some(item)
}

/// A file's result: the whole file, or the place in it that matches.
pub fn of_file(
    session: &Session,
    file: FileId,
    place: Option<u32>,
    score: f64,
    shape: Shape,
) -> Option<ResultItem> {
    let facts = session.facts(file)?;
    let n_lines = facts.lines.n_lines().max(1);
    let mut item = ResultItem {
        result_type: Some(if place.is_some() { "snippet" } else { "file" }),
        path: session.path(file).to_owned(),
        line_start: place.map_or(1, |line| line.saturating_sub(2).max(1)),
        line_end: place.map_or(n_lines, |line| (line + 2).min(n_lines)),
        score: rounded(score),
        ..ResultItem::default()
    };
    if shape.detail > DetailLevel::Location && !shape.compact {
        item.language = Some(session.language(file));
    }
    if shape.detail == DetailLevel::Context && !shape.compact {
        item.body_preview = session.text(file).map(|text| {
            preview(excerpts::body(
                &facts,
                &text,
                item.line_start,
                item.line_end,
            ))
        });
    }
    Some(item)
}

/// The first ten lines.
fn preview(body: &str) -> String {
    const LINES: usize = 10;
    let mut lines = body.lines();
    let mut shown: Vec<String> = lines
        .by_ref()
        .take(LINES)
        .map(|line| excerpts::shorten(line, 300))
        .collect();
    if lines.next().is_some() {
        shown.push("// ... truncated ...".to_owned());
    }
    shown.join("\n")
}

fn nearby(session: &Session, file: FileId, facts: &Facts, index: SymbolIndex) -> Option<Nearby> {
    let symbol = facts.symbols.get(index.0 as usize)?;
    Some(Nearby {
        kind: kinds::names_of(symbol.kind).codecompass,
        name: facts.name(symbol.name).to_owned(),
        path: session.path(file).to_owned(),
        line: facts.lines.line_number(symbol.name_span.start),
    })
}

/// Up to five symbols beside it: of the same container, the nearest first, then in order of line.
fn related(session: &Session, symbol: SymbolId, facts: &Facts) -> Vec<Nearby> {
    let declared = facts.symbol(symbol.index);
    let mut beside: Vec<(u32, SymbolIndex)> = facts
        .symbols_with_index()
        .filter(|(index, other)| *index != symbol.index && other.parent == declared.parent)
        .map(|(index, other)| (other.span.start.abs_diff(declared.span.start), index))
        .collect();
    beside.sort_unstable();
    beside.truncate(5);
    let mut beside: Vec<SymbolIndex> = beside.into_iter().map(|(_, index)| index).collect();
    beside.sort_unstable();
    beside
        .into_iter()
        .filter_map(|index| nearby(session, symbol.file, facts, index))
        .collect()
}

/// Four digits are enough to tell results apart, and cost few tokens.
pub fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// `res_` and 16 hex digits: the same for the same result at the same place.
pub fn result_id(item: &ResultItem, reference: &str) -> String {
    let (path, first, last) = (&item.path, item.line_start, item.line_end);
    let id = item.symbol_id.as_ref();
    let id = id.map(ToString::to_string).unwrap_or_default();
    let key = format!("result:1|{reference}|{path}|{first}|{last}|{id}");
    format!("res_{}", &blake3::hash(key.as_bytes()).to_hex()[..16])
}

/// How scores came about, where that is asked for.
#[derive(Default, Serialize, JsonSchema)]
pub struct RankingReasons {
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking_reasons: Option<Vec<RankingReason>>,
}

/// `full`: final_score = t / (t + 20), where t is the sum of all factors times `penalty`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RankingReason {
    Basic {
        result_index: usize,
        exact_match: bool,
        path_boost: f64,
        definition_boost: f64,
        final_score: f64,
    },
    Full {
        result_index: usize,
        exact_match_boost: f64,
        name_likeness: f64,
        qualified_name_boost: f64,
        path_affinity: f64,
        definition_boost: f64,
        kind_match: f64,
        bm25_score: f64,
        file_score: f64,
        phrase_boost: f64,
        name_cover: f64,
        penalty: f64,
        final_score: f64,
    },
}

impl RankingReasons {
    pub fn new(level: ExplainLevel, reasons: Vec<RankingReason>) -> RankingReasons {
        RankingReasons {
            ranking_reasons: (level != ExplainLevel::Off).then_some(reasons),
        }
    }
}

pub fn explain(
    result_index: usize,
    factors: &Factors,
    level: ExplainLevel,
) -> Option<RankingReason> {
    match level {
        ExplainLevel::Off => None,
        ExplainLevel::Basic => Some(RankingReason::Basic {
            result_index,
            exact_match: factors.exact_match > 0.0,
            path_boost: rounded(factors.path_affinity),
            definition_boost: rounded(factors.definition),
            final_score: rounded(factors.score()),
        }),
        ExplainLevel::Full => Some(RankingReason::Full {
            result_index,
            exact_match_boost: factors.exact_match,
            name_likeness: factors.name_likeness,
            qualified_name_boost: factors.qualified_name,
            path_affinity: factors.path_affinity,
            definition_boost: factors.definition,
            kind_match: factors.kind_match,
            bm25_score: factors.bm25,
            file_score: factors.file_score,
            phrase_boost: factors.phrase,
            name_cover: factors.name_cover,
            penalty: factors.penalty,
            final_score: factors.score(),
        }),
    }
}
