//! `locate_symbol`: where a name is defined.

use answers::{Session, SymbolHandle, lookup};
use engine::{
    SymbolId, query,
    query::search::{Factors, is_test_or_docs, is_vendored_or_generated},
};
use facts::{Modifiers, SymbolKind, SymbolSketch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    results::{self, DetailLevel, ExplainLevel, RankingReasons, ResultItem, Shape},
    search_code::MOST,
    symbols,
};
use crate::{CODECOMPASS, Context, ContractRef, Tool, ToolError, kinds, schema};

pub struct LocateSymbol;

/// Find where a symbol is defined, by exact name, qualified name or id.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// `validate_token`, `Cart.total`, or a symbol id
    name: String,
    workspace: Option<String>,
    /// `fn`, `class`, `struct` ...
    kind: Option<String>,
    language: Option<String>,
    r#ref: Option<String>,
    /// Default 10
    limit: Option<i64>,
    #[serde(default)]
    detail_level: DetailLevel,
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
    total_candidates: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    suggested_next_actions: Vec<Value>,
    metadata: MetadataWith<RankingReasons>,
}

impl Tool for LocateSymbol {
    const NAME: &'static str = "locate_symbol";
    const CONTRACT: ContractRef = CODECOMPASS;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let name = input.name.trim();
        if name.is_empty() {
            return Err(ToolError::invalid_input("`name` must not be empty"));
        }
        let languages = symbols::languages(input.language.as_deref())?;
        let wanted = kinds_of(input.kind.as_deref())?;
        let opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            input.freshness_policy,
        )?;
        let Opened {
            session,
            mut metadata,
        } = opened;
        let limit = envelope::clamp(&mut metadata, "limit", input.limit, 10, MOST);
        let mut found = Vec::new();
        for (symbol, declared, is_exact) in candidates(&session, name) {
            let of_language = languages.is_empty()
                || languages.contains(&session.snapshot().file(symbol.file).language);
            let of_kind = wanted
                .as_ref()
                .is_none_or(|wanted| wanted.contains(&declared.kind));
            if of_language && of_kind {
                found.push((
                    symbol,
                    factors(session.path(symbol.file), &declared, is_exact, name),
                ));
            }
        }
        found
            .sort_by(|(a, left), (b, right)| right.total().total_cmp(&left.total()).then(a.cmp(b)));
        let total = found.len();
        if total == 0 {
            let nearest = lookup::nearest(&session, name, 5);
            if !nearest.is_empty() && !SymbolHandle::parse(name).is_exact() {
                metadata.warn(format!(
                    "no symbol is named so; nearest: {}",
                    nearest.join(", ")
                ));
            }
        }
        let shape = Shape {
            detail: input.detail_level,
            compact: input.compact,
        };
        let mut results = Vec::new();
        let mut reasons = Vec::new();
        for (symbol, factors) in found.into_iter().take(limit) {
            let Some(item) = results::of_symbol(&session, symbol, factors.score(), shape) else {
                continue;
            };
            reasons.extend(results::explain(
                results.len(),
                &factors,
                input.ranking_explain_level,
            ));
            results.push(item);
        }
        let mut suggested_next_actions = Vec::new();
        if total > results.len() {
            metadata.truncated();
        }
        if total > results.len() && !input.compact {
            suggested_next_actions.push(json!({ "tool": "locate_symbol", "name": name, "ref": metadata.r#ref, "limit": total.min(MOST) }));
        }
        metadata.cut(session.budget.cut())?;
        Ok(Output {
            results,
            total_candidates: total,
            suggested_next_actions,
            metadata: metadata.with(RankingReasons::new(input.ranking_explain_level, reasons)),
        })
    }
}

/// The engine kinds that the filter's word means.
pub fn kinds_of(word: Option<&str>) -> Result<Option<Vec<SymbolKind>>, ToolError> {
    let Some(word) = word else { return Ok(None) };
    let meant = kinds::meant_by(word);
    if meant.is_empty() {
        let known = kinds::codecompass_words();
        let nearest = schema::nearest(word, known.iter().copied())
            .map(|word| format!(" (did you mean `{word}`?)"))
            .unwrap_or_default();
        return Err(ToolError::invalid_input(format!(
            "unknown kind{nearest}; known: {}",
            known.join(", ")
        )));
    }
    Ok(Some(meant))
}

/// What a text may mean, and whether it is the name itself. Of a name the table of names tells
/// enough: thousands may bear it.
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

/// Definitions before declarations, types before functions before values, code before tests.
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
