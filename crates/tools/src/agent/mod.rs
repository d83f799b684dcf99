//! The agent contract: few tools that answer in plain text, for a model that pays for every token.
//!
//! Arguments forgive what models write ([`arguments`]); a session is opened or refused in one line
//! ([`opened`]); [`text`] has the forms that the tools share. The thinking is in `answers`.

mod arguments;
mod opened;
mod test_list;
mod text;

mod check_change;
mod find;
mod grep;
mod symbol;

#[cfg(test)]
mod tests;

pub use arguments::shell_words;
pub use text::qualified_signature;

use serde_json::{Map, Value};

use crate::{Code, Context, Contract, ErasedTool, ToolError, contract::Wire, schema};

/// The agent contract.
pub struct Agent;

impl Contract for Agent {
    fn name(&self) -> &'static str {
        "agent"
    }

    fn endpoint(&self) -> &'static str {
        "/mcp/agent"
    }

    fn tools(&self) -> &'static [&'static dyn ErasedTool] {
        TOOLS
    }

    /// Whatever is understood is not forbidden, and saying so would cost tokens in every list.
    fn listed_input(&self, schema: &Map<String, Value>) -> Map<String, Value> {
        let mut schema = schema::without_nulls(schema);
        schema.shift_remove("additionalProperties");
        schema
    }

    fn tidy(&self, schema: &Map<String, Value>, arguments: Value) -> Value {
        schema::tidied(schema, arguments::understood(schema, arguments))
    }

    fn fail_own(&self, error: &ToolError, _strict: bool) -> Wire {
        Wire::Failure {
            text: format!("{}\n", text::one_line(&error.message)),
        }
    }

    fn code(&self, code: Code) -> &'static str {
        match code {
            Code::Own(code) => code,
            Code::InvalidInput | Code::PathInvalid => "invalid_input",
            Code::PathDenied => "not_allowed",
            Code::Timeout => "timeout",
            Code::Cancelled => "cancelled",
            Code::ResponseTooLarge => "response_too_large",
            Code::Busy => "busy",
            Code::MissingClientCapability | Code::Internal => "internal_error",
        }
    }

    /// Wrong arguments are answered with an example of right ones.
    fn explain(&self, _context: &Context, _arguments: &Value, mut error: ToolError) -> ToolError {
        let tool = error.data.as_deref().and_then(|data| data["tool"].as_str());
        if let Some((_, example)) = EXAMPLES.iter().find(|(name, _)| Some(*name) == tool) {
            error.message = format!("{}; send for example {example}", error.message);
        }
        error
    }
}

const EXAMPLES: &[(&str, &str)] = &[
    ("find", r#"{"question": "where are sessions stored"}"#),
    (
        "symbol",
        r#"{"symbols": ["Cart.total"], "show": ["callers"]}"#,
    ),
    ("check_change", r#"{"range": "main..HEAD"}"#),
    ("grep", r#"{"args": ["-w", "total", "src"]}"#),
];

const TOOLS: &[&dyn ErasedTool] = &[
    &find::Find,
    &symbol::AboutSymbol,
    &grep::Grep,
    &check_change::ChangeCheck,
];
