//! `locate_symbol`: where a name is defined.

use answers::{
    At, SymbolHandle,
    across::{Sought, own_name},
    lookup, search,
};
use facts::SymbolKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessInput, Metadata, MetadataWith},
    errors,
    results::{self, DetailLevel, ExplainLevel, RankingReasons, ResultItem, Shape},
    search_code::MOST,
    symbols,
};
use crate::{
    Context, Tool, ToolError,
    across::{self, OPENED},
    kinds, schema,
};

pub struct LocateSymbol;

/// Find where a symbol is defined, by exact name, qualified name or id.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Input {
    /// `validate_token`, `Cart.total`, or a symbol id
    name: String,
    /// `*`, or a list with commas, asks several repositories
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
    freshness_policy: FreshnessInput,
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
    const OWN_FIELDS: &'static [&'static str] = &["repository"];
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        match across::several(context, input.workspace.as_deref()) {
            Some(names) => of_several(context, &input, &names.map_err(errors::not_served)?),
            None => of_one(context, &input),
        }
    }

    fn is_empty(output: &Output) -> bool {
        output.results.is_empty()
    }
}

/// The repositories whose tables have the name.
fn of_several(context: &Context, input: &Input, names: &[Box<str>]) -> Result<Output, ToolError> {
    let own = own_name(input.name.trim());
    let ranked = across::ranked(context, names, Sought::Names(&[own]));
    let answers = across::each(context, &ranked, |name| {
        let asked = Input {
            workspace: Some(name.to_owned()),
            ..input.clone()
        };
        let output = of_one(context, &asked)?;
        Ok((!output.results.is_empty()).then_some(output))
    })?;
    let mut metadata = Metadata::of_several(&ranked, OPENED);
    let (mut results, mut total_candidates) = (Vec::new(), 0);
    for (name, output) in answers {
        metadata.add(&name, &output.metadata.common);
        total_candidates += output.total_candidates;
        results.extend(output.results.into_iter().map(|item| ResultItem {
            repository: Some(name.clone()),
            ..item
        }));
    }
    Ok(Output {
        results,
        total_candidates,
        suggested_next_actions: Vec::new(),
        metadata: metadata.with(RankingReasons::new(ExplainLevel::Off, Vec::new())),
    })
}

fn of_one(context: &Context, input: &Input) -> Result<Output, ToolError> {
    let name = input.name.trim();
    if name.is_empty() {
        return Err(ToolError::invalid_input("`name` must not be empty"));
    }
    let languages = symbols::languages(input.language.as_deref())?;
    let wanted = kinds_of(input.kind.as_deref())?;
    let at = At::Ref(input.r#ref.as_deref());
    let (session, mut metadata) =
        envelope::open_at(context, &input.workspace, at, input.freshness_policy)?;
    let limit = metadata.clamp("limit", input.limit, 10, MOST);
    let found = search::locate(&session, name, &languages, wanted.as_deref());
    let file = lookup::file_named(&session, name);
    let total = found.len() + usize::from(file.is_some());
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
    let file = file.and_then(|file| results::of_file(&session, file, None, 1.0, shape));
    let mut results: Vec<ResultItem> = file.into_iter().collect();
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
