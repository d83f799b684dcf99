//! `search_code`: functions, types and files that answer a question in words.

use std::collections::BTreeMap;

use answers::{Session, excerpts};
use engine::query::search::{self, Found, Hit, Intent, Question, Sources};
use engine::{Budget, Complete, SymbolId};
use facts::LanguageId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessPolicy, Metadata, MetadataWith, Opened},
    results::{self, DetailLevel, ExplainLevel, RankingReasons, ResultItem, Shape},
    symbols,
};
use crate::{CODECOMPASS, Context, ContractRef, Tool, ToolError};

pub struct SearchCode;

/// Search code by words: names, error messages, paths, or a question. Returns ranked symbols and
/// files.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    query: String,
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
    freshness_policy: FreshnessPolicy,
    #[serde(default)]
    ranking_explain_level: ExplainLevel,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    results: Vec<ResultItem>,
    /// One call away from the results of a question in prose: the cause of a symptom may share no
    /// word with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_results: Vec<Related>,
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
pub struct Related {
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
/// A pasted log is cut here; what tells is at its start.
const LONGEST: usize = 4_000;
/// Bytes of results; beyond, the last ones are dropped.
const SAFE_BYTES: usize = 65_536;

impl Tool for SearchCode {
    const NAME: &'static str = "search_code";
    const CONTRACT: ContractRef = CODECOMPASS;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let languages = symbols::languages(input.language.as_deref())?;
        let query = checked(&input.query)?;
        let mut opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            input.freshness_policy,
        )?;
        if query.len() < input.query.trim().len() {
            opened
                .metadata
                .warn(format!("the query was cut to its first {LONGEST} bytes"));
        }
        let limit = envelope::clamp(&mut opened.metadata, "limit", input.limit, 10, MOST);
        let found = search_in(context, &opened, query, &languages, limit);
        let Opened {
            session,
            mut metadata,
        } = opened;
        metadata.cut(found.cut)?;
        let found = found.value;
        let shape = Shape {
            detail: input.detail_level,
            compact: input.compact,
        };
        let mut results = Vec::new();
        let mut reasons = Vec::new();
        let mut bytes = 0;
        let mut suppressed = 0;
        let mut notes = SearchNotes::default();
        for hit in &found.hits {
            let Some(item) = shown(&session, query, hit, &found, shape) else {
                continue;
            };
            if results.iter().any(|known: &ResultItem| {
                known.path == item.path
                    && known.line_start == item.line_start
                    && known.line_end == item.line_end
                    && known.name == item.name
            }) {
                suppressed += 1;
                continue;
            }
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
        for item in &mut results {
            if !shape.compact {
                item.result_id = Some(results::result_id(item, &metadata.r#ref));
            }
        }
        if suppressed > 0 {
            notes.suppressed_duplicate_count = Some(suppressed);
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
            query_intent: found.intent.word(),
            total_candidates: found.total,
            suggested_next_actions,
            metadata: metadata.with(notes),
        })
    }
}

/// Not empty, and not longer than what is read of it.
pub fn checked(query: &str) -> Result<&str, ToolError> {
    let query = query.trim();
    if query.is_empty() {
        return Err(ToolError::invalid_input(
            "`query` must not be empty; give a name, a message, a path or a question",
        ));
    }
    let mut end = query.len().min(LONGEST);
    while !query.is_char_boundary(end) {
        end -= 1;
    }
    Ok(&query[..end])
}

/// Asks the engine.
pub fn search_in(
    context: &Context,
    opened: &Opened,
    query: &str,
    languages: &[LanguageId],
    limit: usize,
) -> Complete<Found> {
    let session = &opened.session;
    let budget = context.budget();
    let text = session.text_index();
    let sources = Sources {
        snapshot: session.snapshot(),
        lexicon: session.lexicon(),
        paths: session.path_words(),
        text: &text,
        budget: &budget,
    };
    let repo_wide = repo_wide_terms(session);
    search::search(
        &sources,
        &Question {
            text: query,
            languages,
            repo_wide_terms: &repo_wide,
            limit,
        },
    )
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

/// What is one call away from the results.
fn related(context: &Context, session: &Session, hits: &[Hit]) -> Vec<Related> {
    /// As many as one reads beside the results.
    const MOST_RELATED: usize = 5;
    /// A search is quick: what cannot be resolved within this much work is left out.
    const WORK: u64 = 5_000;
    let budget = Budget::new(WORK, Some(context.deadline), context.cancel.flag());
    let resolver = session.analysis.resolver(&budget);
    let neighbours = search::neighbours(&resolver, hits, MOST_RELATED).value;
    let shown = neighbours.into_iter().filter_map(|neighbour| {
        let shape = symbols::SymbolShape::of(session, neighbour.symbol)?;
        Some(Related {
            symbol_id: shape.symbol_id,
            kind: shape.kind,
            name: shape.name,
            path: shape.path,
            line_start: shape.line_start,
            line_end: shape.line_end,
            relation: neighbour.relation.word(),
            of: session.name(neighbour.of),
        })
    });
    shown.collect()
}

/// A hit in the shape asked for.
fn shown(
    session: &Session,
    query: &str,
    hit: &Hit,
    found: &Found,
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
            if !shape.compact {
                item.result_type = Some("symbol");
                if is_prose
                    && shape.detail > DetailLevel::Location
                    && let Some((line, text)) = best_line(
                        session,
                        query,
                        hit.file,
                        Some((item.line_start, item.line_end)),
                    )
                    && line != item.line_start
                {
                    (item.snippet, item.snippet_line) = (Some(text), Some(line));
                }
            }
            Some(item)
        }
        None => {
            let by_path = hit.factors.path_affinity > hit.factors.bm25;
            let place = if by_path {
                None
            } else {
                best_line(session, query, hit.file, None)
            };
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

/// The line that holds most of the query's words, and its text; the first of equals.
fn best_line(
    session: &Session,
    query: &str,
    file: engine::FileId,
    between: Option<(u32, u32)>,
) -> Option<(u32, String)> {
    let facts = session.facts(file)?;
    let text = session.text(file)?;
    let mut wanted: Vec<String> = Vec::new();
    workspace::words(query, |word| {
        if !search::is_stop_word(word)
            && word.len() > 1
            && !wanted.iter().any(|known| known == word)
        {
            wanted.push(word.to_owned());
        }
    });
    let (first, last) = between.unwrap_or((1, facts.lines.n_lines()));
    let body = excerpts::body(&facts, &text, first, last);
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
            best = Some((found.len(), first + i as u32));
        }
    }
    let (_, line) = best?;
    Some((
        line,
        excerpts::shorten(excerpts::body(&facts, &text, line, line).trim(), 200),
    ))
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
