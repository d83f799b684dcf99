//! `get_code_context`: as much of the best answers as fits a budget of tokens.

use answers::{Session, excerpts};
use engine::SymbolId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    errors,
    results::rounded,
    search_code,
    symbols::{self, SymbolShape},
};
use crate::{CODECOMPASS, Context, ContractRef, Tool, ToolError, tokens};

pub struct GetCodeContext;

/// The code that best answers a question, fitted to a token budget.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    query: String,
    workspace: Option<String>,
    /// Default 4000
    max_tokens: Option<i64>,
    /// `breadth` (default): many signatures; `depth`: fewer, with bodies
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

#[derive(Clone, Serialize, JsonSchema)]
pub struct Item {
    #[serde(flatten)]
    symbol: SymbolShape,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strategy {
    Breadth,
    Depth,
}

/// Candidates that are looked at.
const CANDIDATES: usize = 50;
/// More than any model reads.
const MOST_TOKENS: i64 = 200_000;
/// A body shorter than this is not worth cutting to.
const FEWEST_LINES: usize = 4;

impl Tool for GetCodeContext {
    const NAME: &'static str = "get_code_context";
    const CONTRACT: ContractRef = CODECOMPASS;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let strategy = match input.strategy.as_deref() {
            None | Some("breadth") => Strategy::Breadth,
            Some("depth") => Strategy::Depth,
            Some(other) => return Err(errors::invalid_strategy(other)),
        };
        let asked = input.max_tokens.unwrap_or(4000);
        if asked < 1 {
            return Err(errors::invalid_max_tokens(asked));
        }
        let languages = symbols::languages(input.language.as_deref())?;
        let query = search_code::checked(&input.query)?;
        let mut opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            FreshnessPolicy::Balanced,
        )?;
        if asked > MOST_TOKENS {
            opened
                .metadata
                .warn(format!("`max_tokens` {asked} was clamped to {MOST_TOKENS}"));
        }
        let max_tokens = asked.min(MOST_TOKENS) as usize;
        let found = search_code::search_in(context, &opened, query, &languages, CANDIDATES);
        let Opened {
            session,
            mut metadata,
        } = opened;
        metadata.cut(found.cut)?;
        let candidates: Vec<(SymbolId, f64)> = found
            .value
            .hits
            .iter()
            .filter_map(|hit| {
                Some((
                    SymbolId {
                        file: hit.file,
                        index: hit.symbol?,
                    },
                    hit.factors.score(),
                ))
            })
            .collect();
        let mut packed = Packed {
            items: Vec::new(),
            estimated: 0,
            counted: 0,
            max_tokens,
        };
        for (symbol, score) in &candidates {
            context.check()?;
            let Some(shape) = SymbolShape::of(&session, *symbol) else {
                continue;
            };
            let item = Item {
                symbol: shape,
                score: rounded(*score),
                body: None,
            };
            match strategy {
                Strategy::Breadth => packed.take(item),
                Strategy::Depth => {
                    // Inside of something that is already shown in full there is nothing new.
                    let is_shown = packed.items.iter().any(|known| {
                        known.body.is_some()
                            && known.symbol.path == item.symbol.path
                            && known.symbol.line_start <= item.symbol.line_start
                            && item.symbol.line_end <= known.symbol.line_end
                    });
                    !is_shown && packed.take_with_body(item, &session, *symbol)
                }
            };
        }
        let n_candidates = candidates.len();
        let remaining = n_candidates - packed.items.len();
        let truncated = remaining > 0;
        if truncated {
            metadata.result_completeness = "partial";
        }
        let notes = ContextNotes {
            total_candidates: n_candidates,
            returned: packed.items.len(),
            strategy: match strategy {
                Strategy::Breadth => "breadth",
                Strategy::Depth => "depth",
            },
            counted_tokens: packed.counted,
            remaining_candidates: truncated.then_some(remaining),
            suggestion: truncated
                .then_some("Use locate_symbol for specific symbols, or increase max_tokens"),
        };
        Ok(Output {
            context_items: packed.items,
            estimated_tokens: packed.estimated,
            truncated,
            metadata: metadata.with(notes),
        })
    }
}

/// Items within the budget, by the contract's estimate and by a real tokenizer.
struct Packed {
    items: Vec<Item>,
    estimated: usize,
    counted: usize,
    max_tokens: usize,
}

impl Packed {
    /// Takes an item if it fits; a later one may still fit.
    fn take(&mut self, item: Item) -> bool {
        let Ok(json) = serde_json::to_string(&item) else {
            return false;
        };
        let (estimated, counted) = (tokens::estimate(&json), tokens::count(&json) + 1);
        if self.estimated + estimated > self.max_tokens || self.counted + counted > self.max_tokens
        {
            return false;
        }
        self.estimated += estimated;
        self.counted += counted;
        self.items.push(item);
        true
    }

    /// Takes an item with its body, or as much of it as fits.
    fn take_with_body(&mut self, item: Item, session: &Session, symbol: SymbolId) -> bool {
        let (Some(facts), Some(text)) = (session.facts(symbol.file), session.text(symbol.file))
        else {
            return self.take(item);
        };
        let body = excerpts::body(&facts, &text, item.symbol.line_start, item.symbol.line_end);
        let whole = Item {
            body: Some(body.to_owned()),
            ..item.clone()
        };
        if self.take(whole) {
            return true;
        }
        let lines: Vec<&str> = body.lines().collect();
        let mut keep = lines.len();
        // Halving finds a length that fits; then the cut moves up to where a piece of code ends.
        while keep > FEWEST_LINES {
            keep = (keep * 3 / 4).max(FEWEST_LINES);
            let end = sensible_end(&lines, keep);
            let rest = lines.len() - end;
            let cut = format!("{}\n// ... {rest} more lines ...", lines[..end].join("\n"));
            if self.take(Item {
                body: Some(cut),
                ..item.clone()
            }) {
                return true;
            }
        }
        self.take(item)
    }
}

/// The last place up to `at_most` lines where nothing is open deeper than at the start of the
/// body's inside, or a blank line.
fn sensible_end(lines: &[&str], at_most: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shallow = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent(line))
        .filter(|indent| *indent > 0)
        .min()
        .unwrap_or(0);
    let ends_here = |end: usize| {
        lines.get(end).is_none_or(|next| {
            next.trim().is_empty()
                || indent(next) <= shallow && !next.trim_start().starts_with(['}', ')', ']'])
        })
    };
    (FEWEST_LINES.max(at_most / 2)..=at_most)
        .rev()
        .find(|end| ends_here(*end))
        .unwrap_or(at_most)
}
