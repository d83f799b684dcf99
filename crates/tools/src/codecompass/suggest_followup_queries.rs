//! `suggest_followup_queries`: what to ask next when an answer was poor.

use answers::{Session, lookup};
use engine::query::search::{self, Lexicon, fold, is_report_word, is_stop_word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::envelope::{self, FreshnessPolicy, Metadata, Opened};
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
    analysis: Analysis,
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
pub struct Analysis {
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
        let opened = envelope::open(
            context,
            input.workspace.as_deref(),
            previous.param("ref"),
            FreshnessPolicy::BestEffort,
        )?;
        let Opened {
            session,
            mut metadata,
        } = opened;
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
        let extracted_identifiers = identifiers(session.lexicon(), text);
        let is_low = match previous.tool {
            "get_call_graph" => previous.number("total_edges").unwrap_or(0.0) == 0.0,
            _ => previous.n_candidates() == 0.0 || top_score < threshold,
        };
        let suggestions = if is_low {
            suggest(&session, &previous, text, &extracted_identifiers)
        } else {
            Vec::new()
        };
        let analysis = Analysis {
            previous_confidence: if is_low { "low" } else { "sufficient" },
            top_score,
            threshold,
            extracted_identifiers,
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

/// By the contract's rules; never empty.
fn suggest(
    session: &Session,
    previous: &Previous<'_>,
    text: &str,
    identifiers: &[String],
) -> Vec<Suggestion> {
    let mut found: Vec<Suggestion> = Vec::new();
    let mut add = |tool: &'static str, params: Value, reason: String| {
        let suggestion = Suggestion {
            tool,
            params,
            reason,
        };
        if !found
            .iter()
            .any(|known| known.tool == suggestion.tool && known.params == suggestion.params)
        {
            found.push(suggestion);
        }
    };
    let plain = text.trim();
    let intent = previous
        .results
        .get("query_intent")
        .and_then(Value::as_str)
        .unwrap_or_else(|| search::intent(plain).0.word());
    match previous.tool {
        "search_code" | "get_code_context" if intent == "symbol" => {
            for name in identifiers.iter().take(2) {
                add(
                    "locate_symbol",
                    json!({ "name": name }),
                    format!("'{name}' exists in this repository and is like what was asked for."),
                );
            }
            let broader: Vec<String> = words(plain).into_iter().take(6).collect();
            if !broader.is_empty() {
                add(
                    "search_code",
                    json!({ "query": broader.join(" ") }),
                    "The words of the name may find what bears another name.".to_owned(),
                );
            }
            if previous.param("language").is_some() {
                add(
                    "search_code",
                    json!({ "query": plain }),
                    "Without the language filter, or with another one, there may be more."
                        .to_owned(),
                );
            }
        }
        "search_code" | "get_code_context" => {
            for name in identifiers.iter().take(2) {
                let mut params = json!({ "name": name });
                if let Some(kind) = kind_of(session, name) {
                    params["kind"] = json!(kind);
                }
                add(
                    "locate_symbol",
                    params,
                    format!(
                        "Extracted identifier '{name}' from natural language query. Symbol lookup may yield more precise results."
                    ),
                );
            }
            if let Some(first) = identifiers.first() {
                add(
                    "get_call_graph",
                    json!({ "symbol_name": first, "direction": "both", "depth": 1, "limit": 20 }),
                    format!(
                        "What calls '{first}', and what it calls, may be the place that is looked for."
                    ),
                );
                let mut params = json!({ "query": identifiers.iter().take(4).cloned().collect::<Vec<_>>().join(" ") });
                if let Some(language) = main_language(session, first) {
                    params["language"] = json!(language);
                }
                add(
                    "search_code",
                    params,
                    "Narrowing query to specific terms and language may improve relevance."
                        .to_owned(),
                );
            }
        }
        "locate_symbol" => {
            add(
                "search_code",
                json!({ "query": plain }),
                format!(
                    "No symbol is named '{plain}': it may stand in text, or be spelled otherwise."
                ),
            );
            for name in identifiers.iter().take(2) {
                add(
                    "locate_symbol",
                    json!({ "name": name }),
                    format!("'{name}' exists and is like '{plain}'."),
                );
            }
            add(
                "get_call_graph",
                json!({ "symbol_name": identifiers.first().map_or(plain, String::as_str) }),
                "It may be known only as something that is called.".to_owned(),
            );
        }
        "get_call_graph" => {
            add(
                "locate_symbol",
                json!({ "name": plain }),
                format!("Verify that '{plain}' is defined here."),
            );
            add(
                "search_code",
                json!({ "query": plain }),
                "It may be called by another name, or through text.".to_owned(),
            );
            add(
                "find_references",
                json!({ "symbol_name": plain }),
                "It may be used without being called.".to_owned(),
            );
        }
        _ => add(
            "search_code",
            json!({ "query": plain }),
            "A search over names and text is the widest net.".to_owned(),
        ),
    }
    if found.is_empty() {
        let query = if plain.is_empty() { "main" } else { plain };
        found.push(Suggestion {
            tool: "search_code",
            params: json!({ "query": query, "limit": 20 }),
            reason: "Nothing in the question names a symbol of this repository; more results may show one.".to_owned(),
        });
    }
    found
}

/// Names of this repository that the text speaks of: as written, misspelt, as words in a row, or
/// from the same stem.
fn identifiers(lexicon: &Lexicon, text: &str) -> Vec<String> {
    const MOST: usize = 6;
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if found.len() < MOST && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    };
    /// Names less alike than this are no misspellings of each other.
    const LEAST_LIKENESS: f64 = 0.5;
    let is_one_word = !text.trim().contains(char::is_whitespace);
    for word in text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() >= 3)
    {
        let is_written_as_name = word.contains('_') || word.chars().skip(1).any(char::is_uppercase);
        if lexicon.contains(word) && (is_written_as_name || word.chars().any(char::is_uppercase)) {
            add(word);
        } else if is_written_as_name || is_one_word {
            lexicon
                .like(word, LEAST_LIKENESS, 2)
                .into_iter()
                .for_each(|like| add(like.name));
        }
    }
    let words = words(text);
    for n in [3, 2, 1] {
        for run in words.windows(n) {
            let joined = run.concat();
            let stemmed: String = run.iter().map(|word| stem(word)).collect();
            if n == 1 && joined.len() < 4 {
                continue;
            }
            lexicon.folded(&joined).take(2).for_each(&mut add);
            lexicon.folded(&stemmed).take(2).for_each(&mut add);
            if n > 1 || stemmed.len() >= 5 {
                lexicon
                    .beginning(&stemmed, 2)
                    .into_iter()
                    .for_each(&mut add);
            }
        }
    }
    found
}

/// The telling words of a text, folded, in order.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    workspace::words(text, |word| {
        let is_name = |word: &&str| !word.contains('_');
        if Some(word).filter(is_name).is_some()
            && word.len() > 1
            && !is_stop_word(word)
            && !is_report_word(word)
            && !GENERIC.contains(&word)
        {
            let folded = fold(word);
            if !found.contains(&folded) {
                found.push(folded);
            }
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
    for ending in ["ations", "ation", "ings", "ing", "ers", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= 3
        {
            return stem;
        }
    }
    word
}

fn kind_of(session: &Session, name: &str) -> Option<&'static str> {
    let symbol = *lookup::drop_redundant(session, lookup::all(session, name)).first()?;
    let facts = session.facts(symbol.file)?;
    Some(kinds::names_of(facts.symbol(symbol.index).kind).codecompass)
}

fn main_language(session: &Session, name: &str) -> Option<&'static str> {
    let symbol = *lookup::drop_redundant(session, lookup::all(session, name)).first()?;
    Some(session.language(symbol.file))
}
