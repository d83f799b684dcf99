//! `get_code_context`: as much of the best answers as fits a budget of tokens.

use answers::{
    Session,
    context::{self, CodeContext, ContextItem, ContextRoom, ContextStrategy},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, MetadataWith},
    errors,
    results::rounded,
    search_code,
    symbols::{self, SymbolShape},
};
use crate::{Context, Tool, ToolError, tokens};

pub struct GetCodeContext;

/// The code that best answers a question, fitted to a token budget.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    query: String,
    workspace: Option<String>,
    #[schemars(extend("default" = 4000))]
    max_tokens: Option<i64>,
    /// `breadth`: many signatures; `depth`: fewer, with bodies
    #[schemars(extend("default" = "breadth"))]
    strategy: Option<String>,
    r#ref: Option<String>,
    language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    context_items: Vec<Item>,
    estimated_tokens: usize,
    truncated: bool,
    metadata: MetadataWith<ContextNotes>,
}

/// What was chosen from, and how.
#[derive(Serialize, JsonSchema)]
pub struct ContextNotes {
    total_candidates: usize,
    returned: usize,
    strategy: &'static str,
    counted_tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_candidates: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub struct Item {
    #[serde(flatten)]
    symbol: SymbolShape,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// More than any model reads.
const MOST_TOKENS: i64 = 200_000;

impl Tool for GetCodeContext {
    const NAME: &'static str = "get_code_context";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let strategy = match input.strategy.as_deref() {
            None | Some("breadth") if context.strict => ContextStrategy::BreadthApart,
            None | Some("breadth") => ContextStrategy::Breadth,
            Some("depth") => ContextStrategy::Depth,
            Some(other) => return Err(errors::invalid_strategy(other)),
        };
        let asked = input.max_tokens.unwrap_or(4000);
        if asked < 1 {
            return Err(errors::invalid_max_tokens(asked));
        }
        let languages = symbols::languages(input.language.as_deref())?;
        let query = search_code::checked(&input.query)?;
        let (session, mut metadata) = envelope::open(context, &input.workspace, &input.r#ref)?;
        if asked > MOST_TOKENS {
            metadata.warn(format!("`max_tokens` {asked} was clamped to {MOST_TOKENS}"));
        }
        let max_tokens = asked.min(MOST_TOKENS) as usize;
        // By the contract's estimate and by a real tokenizer, whichever says more.
        let cost = |item: &ContextItem| match serde_json::to_string(&Item::of(&session, item)) {
            Ok(json) => tokens::estimate(&json).max(tokens::count(&json) + 1),
            Err(_) => usize::MAX,
        };
        let room = ContextRoom {
            total: max_tokens,
            cost: &cost,
        };
        let found = context::gather(&session, query, &languages, strategy, &room);
        metadata.cut(found.cut.or(session.budget.cut()))?;
        let CodeContext {
            items,
            n_candidates,
            n_shown,
            cost: counted,
        } = found.value;
        let context_items: Vec<Item> = items.iter().map(|item| Item::of(&session, item)).collect();
        let json = context_items.iter().map(serde_json::to_string);
        let estimated = json.flatten().map(|json| tokens::estimate(&json)).sum();
        let remaining = n_candidates - n_shown;
        let truncated = remaining > 0;
        if truncated {
            metadata.result_completeness = "partial";
        }
        let notes = ContextNotes {
            total_candidates: n_candidates,
            returned: context_items.len(),
            strategy: match strategy {
                ContextStrategy::Depth => "depth",
                _ => "breadth",
            },
            counted_tokens: counted,
            remaining_candidates: truncated.then_some(remaining),
            suggestion: truncated
                .then_some("Use locate_symbol for specific symbols, or increase max_tokens"),
        };
        Ok(Output {
            context_items,
            estimated_tokens: estimated,
            truncated,
            metadata: metadata.with(notes),
        })
    }

    fn is_empty(output: &Output) -> bool {
        output.context_items.is_empty()
    }
}

impl Item {
    fn of(session: &Session, item: &ContextItem) -> Item {
        let signature = item.signature.clone();
        Item {
            symbol: SymbolShape::packed(session, item.info.clone(), signature),
            score: rounded(item.score),
            body: item.body.clone(),
        }
    }
}
