//! `suggest_followup_queries`: what to ask next when an answer was poor.

use answers::{
    At, Session,
    identifiers::{Identifiers, telling_words},
    lookup,
};
use engine::{
    SymbolId,
    query::search::{self, fold},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::envelope::{self, FreshnessInput, Metadata};
use crate::{Context, Tool, ToolError, kinds};

pub struct SuggestFollowupQueries;

/// What to ask next after a poor answer: give the call and its result.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// `{tool, params}`
    previous_query: Map<String, Value>,
    /// May be abbreviated
    previous_results: Map<String, Value>,
    workspace: Option<String>,
    /// Default 0.5
    confidence_threshold: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    suggestions: Vec<Suggestion>,
    analysis: AnswerAnalysis,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema, PartialEq)]
pub struct Suggestion {
    tool: &'static str,
    #[schemars(with = "crate::schema::AnyObject")]
    params: Value,
    reason: String,
}

#[derive(Serialize, JsonSchema)]
pub struct AnswerAnalysis {
    previous_confidence: &'static str,
    top_score: f64,
    threshold: f64,
    extracted_identifiers: Vec<String>,
}

impl Tool for SuggestFollowupQueries {
    const NAME: &'static str = "suggest_followup_queries";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let previous = Previous::of(&input)?;
        let at = At::Ref(previous.param("ref"));
        let (session, mut metadata) =
            envelope::open_at(context, &input.workspace, at, FreshnessInput::BestEffort)?;
        let asked = input.confidence_threshold.unwrap_or(0.5);
        let threshold = if asked.is_finite() {
            asked.clamp(0.0, 1.0)
        } else {
            0.5
        };
        if threshold != asked {
            metadata.warn(format!(
                "`confidence_threshold` {asked} was clamped to {threshold}"
            ));
        }
        let top_score = previous.top_score();
        let text = previous.text();
        let identifiers = Identifiers::of(&session, text);
        let is_low = match previous.tool {
            "get_call_graph" => previous.number("total_edges").unwrap_or(0.0) == 0.0,
            _ => previous.n_candidates() == 0.0 || top_score < threshold,
        };
        let suggestions = match is_low {
            true => suggest(&session, &previous, text, &identifiers),
            false => Vec::new(),
        };
        let analysis = AnswerAnalysis {
            previous_confidence: if is_low { "low" } else { "sufficient" },
            top_score,
            threshold,
            extracted_identifiers: identifiers.all(),
        };
        Ok(Output {
            suggestions,
            analysis,
            reason: (!is_low).then_some("results are above confidence threshold"),
            metadata,
        })
    }
}

/// The call that is followed up.
struct Previous<'a> {
    tool: &'a str,
    params: &'a Map<String, Value>,
    results: &'a Map<String, Value>,
}

impl<'a> Previous<'a> {
    fn of(input: &'a Input) -> Result<Previous<'a>, ToolError> {
        let tool = input
            .previous_query
            .get("tool")
            .and_then(Value::as_str)
            .filter(|tool| !tool.trim().is_empty());
        let tool = tool.ok_or_else(|| {
            ToolError::invalid_input("`previous_query.tool` is missing: pass `{\"tool\": \"search_code\", \"params\": {...}}`")
        })?;
        let params = input
            .previous_query
            .get("params")
            .and_then(Value::as_object);
        let params = params.ok_or_else(|| {
            ToolError::invalid_input(
                "`previous_query.params` is missing: pass the arguments of that call",
            )
        })?;
        Ok(Previous {
            tool,
            params,
            results: &input.previous_results,
        })
    }

    fn param(&self, name: &str) -> Option<&'a str> {
        self.params.get(name)?.as_str()
    }

    /// What was asked for.
    fn text(&self) -> &'a str {
        ["query", "name", "symbol_name", "path"]
            .into_iter()
            .find_map(|name| self.param(name))
            .unwrap_or("")
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.results.get(name)?.as_f64()
    }

    fn list(&self) -> &'a [Value] {
        let lists = [
            "results",
            "context_items",
            "references",
            "related",
            "hierarchy",
        ]
        .into_iter()
        .find_map(|name| self.results.get(name)?.as_array());
        lists.map_or(&[], Vec::as_slice)
    }

    fn n_candidates(&self) -> f64 {
        self.number("total_candidates")
            .unwrap_or(self.list().len() as f64)
    }

    fn top_score(&self) -> f64 {
        let scores = self
            .list()
            .iter()
            .filter_map(|item| item.get("score")?.as_f64());
        self.number("top_score")
            .unwrap_or_else(|| scores.fold(0.0, f64::max))
    }
}

/// Suggestions, none twice.
#[derive(Default)]
struct Suggestions(Vec<Suggestion>);

impl Suggestions {
    fn add(&mut self, tool: &'static str, params: Value, reason: impl Into<String>) {
        let is_known = |known: &Suggestion| known.tool == tool && known.params == params;
        if !self.0.iter().any(is_known) {
            let reason = reason.into();
            self.0.push(Suggestion {
                tool,
                params,
                reason,
            });
        }
    }

    fn locate(&mut self, name: &str, reason: impl Into<String>) {
        self.add("locate_symbol", json!({ "name": name }), reason);
    }

    fn search(&mut self, query: &str, reason: impl Into<String>) {
        self.add("search_code", json!({ "query": query }), reason);
    }
}

/// By the contract's rules; never empty.
fn suggest(
    session: &Session,
    previous: &Previous<'_>,
    text: &str,
    identifiers: &Identifiers,
) -> Vec<Suggestion> {
    let mut found = Suggestions::default();
    let plain = text.trim();
    let intent = previous.results.get("query_intent").and_then(Value::as_str);
    let intent = intent.unwrap_or_else(|| search::intent(plain).0.as_str());
    let existing = &identifiers.existing;
    match previous.tool {
        "search_code" | "get_code_context" if intent == "symbol" => {
            for name in existing.iter().take(2) {
                let reason = "exists in this repository and is like what was asked for.";
                found.locate(name, format!("'{name}' {reason}"));
            }
            let broader: Vec<String> = telling_words(plain).into_iter().take(6).collect();
            if !broader.is_empty() {
                let reason = "The words of the name may find what has another name.";
                found.search(&broader.join(" "), reason);
            }
            if previous.param("language").is_some() {
                let reason = "Without the language filter, or with another one, there may be more.";
                found.search(plain, reason);
            }
        }
        "search_code" | "get_code_context" => after_prose(session, identifiers, &mut found),
        "locate_symbol" => {
            let reason = "it may be in text, or be spelled otherwise.";
            found.search(plain, format!("No symbol is named '{plain}': {reason}"));
            for name in existing.iter().take(2) {
                found.locate(name, format!("'{name}' exists and is like '{plain}'."));
            }
            let name = existing.first().map_or(plain, String::as_str);
            let reason = "It may be known only as something that is called.";
            found.add("get_call_graph", json!({ "symbol_name": name }), reason);
        }
        "get_call_graph" => {
            found.locate(plain, format!("Verify that '{plain}' is defined here."));
            found.search(plain, "It may be called by another name, or through text.");
            let reason = "It may be used without being called.";
            found.add("find_references", json!({ "symbol_name": plain }), reason);
        }
        _ => found.search(plain, "A search over names and text is the widest net."),
    }
    if found.0.is_empty() {
        let query = if plain.is_empty() { "main" } else { plain };
        let reason =
            "Nothing in the question names a symbol of this repository; more results may show one.";
        found.add(
            "search_code",
            json!({ "query": query, "limit": 20 }),
            reason,
        );
    }
    found.0
}

/// After a search in prose that found little: the symbols that the question speaks of.
fn after_prose(session: &Session, identifiers: &Identifiers, found: &mut Suggestions) {
    let Identifiers { spelled, existing } = identifiers;
    let is_spelled = |name: &str| spelled.iter().any(|spelled| fold(spelled) == fold(name));
    for name in existing.iter().take(2) {
        let mut params = json!({ "name": name });
        if let Some(kind) = main_symbol(session, name).and_then(|symbol| kind_of(session, symbol)) {
            params["kind"] = json!(kind);
        }
        let reason = match spelled.first().filter(|_| !is_spelled(name)) {
            Some(spelled) => {
                format!("'{name}' exists and is near '{spelled}', which the query spells.")
            }
            None => extracted(name),
        };
        found.add("locate_symbol", params, reason);
    }
    if let (Some(name), true) = (spelled.first(), existing.is_empty()) {
        found.locate(name, extracted(name));
    }
    let Some(first) = existing.first() else {
        return;
    };
    found.add(
        "get_call_graph",
        json!({ "symbol_name": first, "direction": "both", "depth": 1, "limit": 20 }),
        format!("What calls '{first}', and what it calls, may be the place that is looked for."),
    );
    let terms: Vec<&str> = existing.iter().take(4).map(String::as_str).collect();
    let mut params = json!({ "query": terms.join(" ") });
    if let Some(symbol) = main_symbol(session, first) {
        params["language"] = json!(session.language(symbol.file));
    }
    let reason = "Narrowing query to specific terms and language may improve relevance.";
    found.add("search_code", params, reason);
}

fn extracted(name: &str) -> String {
    format!(
        "Extracted identifier '{name}' from natural language query. Symbol lookup may yield more precise results."
    )
}

fn main_symbol(session: &Session, name: &str) -> Option<SymbolId> {
    let found = lookup::drop_redundant(session, lookup::all(session, name));
    found.first().copied()
}

fn kind_of(session: &Session, symbol: SymbolId) -> Option<&'static str> {
    let facts = session.facts(symbol.file)?;
    Some(kinds::names_of(facts.symbol(symbol.index).kind).codecompass)
}
