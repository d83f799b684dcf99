//! `symbols.get_definition_span`: the source of a symbol's definition, numbered.

use answers::{
    handle::DocumentationIds,
    span::{LineRange, definition_lines},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    budgets,
    code_get_span::{self, NumberedSpan},
    envelope::Envelope,
    errors,
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct SymbolsGetDefinitionSpan;

/// The source of a symbol's definition.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    symbol_id: String,
    max_lines: Option<i64>,
    /// Around it; 2 by default.
    context_lines: Option<i64>,
    max_chars: Option<i64>,
}

impl Tool for SymbolsGetDefinitionSpan {
    const NAME: &'static str = "symbols.get_definition_span";
    type Input = Input;
    type Output = Envelope<NumberedSpan>;

    fn run(context: &Context, input: Input) -> Result<Envelope<NumberedSpan>, ToolError> {
        let around = input.context_lines.unwrap_or(2);
        if around < 0 {
            return Err(errors::invalid("`context_lines` must not be negative"));
        }
        let request = Request::open(context, &input.at)?;
        let max_lines = request.allow(budgets::LINES, input.max_lines);
        let max_chars = request.allow(budgets::CHARS, input.max_chars);
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let symbol = symbols::one(&request, &ids, &resolver, &input.symbol_id)?;
        // Without context, exactly what the card shows.
        let (first, last) = definition_lines(&request, symbol, around > 0)
            .ok_or_else(|| errors::not_found("the symbol's file cannot be read"))?;
        let asked = LineRange {
            first: i64::from(first),
            last: i64::from(last),
            context: around,
            max_lines,
            max_chars,
        };
        let mut span = code_get_span::read(&request, symbol.file, &asked)?;
        // Context that the file does not have is not missing.
        span.truncated &= span.end_line < last;
        let answer = format!(
            "`{}`: {}",
            symbols::qualified_name(&request, symbol),
            code_get_span::said(&span)
        );
        let id = ids.of(symbol);
        let evidence = request.evidence(symbol, &id);
        let next = vec![request.next("refs.find", "Where it is used.", json!({ "symbol_id": id }))];
        let confidence = request.confidence(symbol.file);
        request.finish(answer, span, evidence, next, confidence)
    }
}
