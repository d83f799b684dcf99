//! `search_code`: functions, types and files that answer a question in words.

use answers::{
    At, Session, SymbolInfo,
    across::Sought,
    search::{self, MAX_QUERY},
};
use engine::{
    Budget, SymbolId,
    query::search::{Intent, SearchHit, SearchResult, Spread},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessInput, Metadata, MetadataWith},
    errors,
    results::{self, DetailLevel, ExplainLevel, RankingReasons, ResultItem, Shape},
    symbols,
};
use crate::{
    Context, Tool, ToolError,
    across::{self, OPENED},
    kinds,
};

pub struct SearchCode;

/// Search code by words: names, error messages, paths, or a question. Returns ranked symbols and
/// files.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Input {
    query: String,
    /// `*`, or a list with commas, asks several repositories
    workspace: Option<String>,
    /// Branch, tag or commit; the working tree if absent
    r#ref: Option<String>,
    language: Option<String>,
    /// Default 10
    limit: Option<i64>,
    #[serde(default)]
    detail_level: DetailLevel,
    /// Leave out everything large
    #[serde(default)]
    compact: bool,
    #[serde(default)]
    freshness_policy: FreshnessInput,
    #[serde(default)]
    ranking_explain_level: ExplainLevel,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    results: Vec<ResultItem>,
    /// One call away from the results of a question in prose: the cause of a symptom may share no
    /// word with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_results: Vec<RelatedResult>,
    query_intent: &'static str,
    total_candidates: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    suggested_next_actions: Vec<Value>,
    metadata: MetadataWith<SearchNotes>,
}

#[derive(Default, Serialize, JsonSchema)]
pub struct SearchNotes {
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_limit_applied: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed_duplicate_count: Option<usize>,
    #[serde(flatten)]
    ranking: RankingReasons,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent_escalation_hint: Option<&'static str>,
}

/// A function that a result calls or is called by.
#[derive(Serialize, JsonSchema)]
pub struct RelatedResult {
    symbol_id: String,
    kind: &'static str,
    name: String,
    path: String,
    line_start: u32,
    line_end: u32,
    /// `callee` or `caller`.
    relation: &'static str,
    /// The name of the result.
    of: String,
}

/// More is a mistake: nobody reads on.
pub const MOST: usize = 100;
/// Bytes of results; beyond, the last ones are dropped.
const SAFE_BYTES: usize = 65_536;

impl Tool for SearchCode {
    const NAME: &'static str = "search_code";
    const OWN_FIELDS: &'static [&'static str] = &["repository"];
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        match across::several(context, input.workspace.as_deref()) {
            Some(names) => of_several(context, &input, &names.map_err(errors::not_served)?),
            None => of_one(context, input),
        }
    }

    fn is_empty(output: &Output) -> bool {
        output.results.is_empty()
    }
}

/// The best repositories by their tables of words, each with its own best results.
fn of_several(context: &Context, input: &Input, names: &[Box<str>]) -> Result<Output, ToolError> {
    let query = checked(&input.query)?;
    let ranked = across::ranked(context, names, Sought::Words(query));
    let limit = input.limit.unwrap_or(10).clamp(1, MOST as i64);
    let n_opened = ranked.holding.len().clamp(1, OPENED) as i64;
    let answers = across::each(context, &ranked, |name| {
        let asked = Input {
            workspace: Some(name.to_owned()),
            limit: Some((limit / n_opened).max(2)),
            ..input.clone()
        };
        let output = of_one(context, asked)?;
        Ok((!output.results.is_empty()).then_some(output))
    })?;
    let mut metadata = Metadata::of_several(&ranked, OPENED);
    let (mut results, mut total_candidates, mut query_intent) = (Vec::new(), 0, "unknown");
    for (name, output) in answers {
        metadata.add(&name, &output.metadata.common);
        query_intent = output.query_intent;
        total_candidates += output.total_candidates;
        results.extend(output.results.into_iter().map(|item| ResultItem {
            repository: Some(name.clone()),
            ..item
        }));
    }
    Ok(Output {
        results,
        related_results: Vec::new(),
        query_intent,
        total_candidates,
        suggested_next_actions: Vec::new(),
        metadata: metadata.with(SearchNotes::default()),
    })
}

fn of_one(context: &Context, input: Input) -> Result<Output, ToolError> {
    let languages = symbols::languages(input.language.as_deref())?;
    let query = checked(&input.query)?;
    let at = At::Ref(input.r#ref.as_deref());
    let (session, mut metadata) =
        envelope::open_at(context, &input.workspace, at, input.freshness_policy)?;
    if query.len() < input.query.trim().len() {
        metadata.warn(format!("the query was cut to its first {MAX_QUERY} bytes"));
    }
    let limit = metadata.clamp("limit", input.limit, 10, MOST);
    let (found, n_duplicates) = search::search(&session, query, &languages, limit, Spread::Files);
    let (found, cut) = (found.value, found.cut);
    let shape = Shape {
        detail: input.detail_level,
        compact: input.compact,
    };
    let mut results = Vec::new();
    let mut reasons = Vec::new();
    let mut bytes = 0;
    let mut notes = SearchNotes {
        suppressed_duplicate_count: (n_duplicates > 0).then_some(n_duplicates),
        ..SearchNotes::default()
    };
    for hit in &found.hits {
        let Some(item) = shown(&session, query, hit, &found, shape) else {
            continue;
        };
        bytes += serde_json::to_string(&item).map_or(0, |text| text.len());
        if bytes > SAFE_BYTES {
            metadata.truncated();
            notes.safety_limit_applied = Some(true);
            break;
        }
        reasons.extend(results::explain(
            results.len(),
            &hit.factors,
            input.ranking_explain_level,
        ));
        results.push(item);
    }
    // Excerpts are read here, and may not be readable.
    metadata.cut(cut.or(session.budget.cut()))?;
    for item in &mut results {
        item.result_id = Some(results::result_id(item, &metadata.r#ref));
    }
    notes.ranking = RankingReasons::new(input.ranking_explain_level, reasons);
    if found.certainty < 0.65 && !input.compact {
        notes.intent_escalation_hint = Some(
            "the query may be a name or a word: locate_symbol finds names, more words find meaning",
        );
    }
    let is_prose = matches!(found.intent, Intent::NaturalLanguage | Intent::Error);
    let related_results = if is_prose && !input.compact {
        related(context, &session, &found.hits)
    } else {
        Vec::new()
    };
    let suggested_next_actions = if input.compact {
        Vec::new()
    } else {
        next_actions(query, &results, &metadata)
    };
    Ok(Output {
        results,
        related_results,
        query_intent: found.intent.as_str(),
        total_candidates: found.total,
        suggested_next_actions,
        metadata: metadata.with(notes),
    })
}

/// Not empty, and not longer than what is read of it.
pub fn checked(query: &str) -> Result<&str, ToolError> {
    let query = query.trim();
    if query.is_empty() {
        return Err(ToolError::invalid_input(
            "`query` must not be empty; give a name, a message, a path or a question",
        ));
    }
    Ok(search::shorten(query))
}

/// What is one call away from the results.
fn related(context: &Context, session: &Session, hits: &[SearchHit]) -> Vec<RelatedResult> {
    /// A search is quick: what cannot be resolved within this much work is left out.
    const WORK: u64 = 5_000;
    let budget = Budget::new(WORK, Some(context.deadline), context.cancel.flag());
    let neighbours = search::neighbours(session, &budget, hits);
    let shown = neighbours.into_iter().filter_map(|neighbour| {
        let info = SymbolInfo::of(session, neighbour.symbol)?;
        Some(RelatedResult {
            symbol_id: info.symbol_id.to_string(),
            kind: kinds::names_of(info.kind).codecompass,
            name: info.name,
            path: info.path,
            line_start: info.lines.0,
            line_end: info.lines.1,
            relation: neighbour.relation.as_str(),
            of: session.name(neighbour.of),
        })
    });
    shown.collect()
}

/// A hit in the shape asked for.
fn shown(
    session: &Session,
    query: &str,
    hit: &SearchHit,
    found: &SearchResult,
    shape: Shape,
) -> Option<ResultItem> {
    let score = hit.factors.score();
    let is_prose = matches!(found.intent, Intent::NaturalLanguage | Intent::Error);
    match hit.symbol {
        Some(index) => {
            let mut item = results::of_symbol(
                session,
                SymbolId {
                    file: hit.file,
                    index,
                },
                score,
                shape,
            )?;
            item.result_type = Some("symbol");
            if is_prose
                && !shape.compact
                && shape.detail > DetailLevel::Location
                && let Some((line, text)) = search::best_line(session, query, hit)
                && line != item.line_start
            {
                (item.snippet, item.snippet_line) = (Some(text), Some(line));
            }
            Some(item)
        }
        None => {
            let place = search::best_line(session, query, hit);
            let mut item = results::of_file(
                session,
                hit.file,
                place.as_ref().map(|(line, _)| *line),
                score,
                shape,
            )?;
            if !shape.compact && shape.detail > DetailLevel::Location {
                (item.snippet_line, item.snippet) =
                    place.map_or((None, None), |(line, text)| (Some(line), Some(text)));
            }
            Some(item)
        }
    }
}

fn next_actions(query: &str, results: &[ResultItem], metadata: &Metadata) -> Vec<Value> {
    let mut actions = Vec::new();
    if let Some(top) = results.iter().find_map(|item| item.name.as_deref()) {
        actions.push(json!({ "tool": "locate_symbol", "name": top, "ref": metadata.r#ref }));
    }
    if results.len() > 3 {
        actions.push(
            json!({ "tool": "search_code", "query": query, "ref": metadata.r#ref, "limit": 5 }),
        );
    }
    actions
}
