//! What a contract is: its tools, what a call may cost, and how success and failure look on the wire.
//!
//! | | CodeCompass | CodeMap | LSP gateway | agent |
//! |---|---|---|---|---|
//! | success | structured content, the same JSON as text | likewise | structured content, compact text; no text when strict | text |
//! | failure | `{error, metadata}` | `{code, message, details, retryable}` | `CODE: message`; a JSON-RPC error when strict | one line |
//!
//! A failure never has structured content: clients would hold it against the output schema and hide
//! it.

use std::{fmt, time::Duration};

use serde_json::{Map, Value, json};

use crate::{Answer, Code, Context, ErasedTool, ToolError, schema};

pub trait Contract: Send + Sync {
    /// As written on the command line.
    fn name(&self) -> &'static str;

    /// Where the contract's tools alone are served over HTTP.
    fn endpoint(&self) -> &'static str;

    /// In the order in which they are listed.
    fn tools(&self) -> &'static [&'static dyn ErasedTool];

    fn limits(&self) -> Limits {
        Limits::DEFAULT
    }

    /// Fields of answers, at any depth, that the contract's document does not have: absent under
    /// `--strict-contract`.
    fn own_fields(&self) -> &'static [&'static str] {
        &[]
    }

    /// The input schema as clients see it.
    fn listed_input(&self, schema: &Map<String, Value>) -> Map<String, Value> {
        schema::without_nulls(schema)
    }

    /// The arguments without what clients write and do not mean.
    fn tidy(&self, schema: &Map<String, Value>, arguments: Value) -> Value {
        schema::tidied(schema, arguments)
    }

    /// The text that goes out beside an answer's structured content: the same JSON. An answer that
    /// is text alone is that text.
    fn text<'a>(&self, answer: &'a Answer, _strict: bool) -> Option<&'a str> {
        let json = answer.json.as_ref().map(|json| json.get());
        json.or(answer.text.as_deref())
    }

    /// An error on the wire, without what is the same in every contract.
    fn fail_own(&self, error: &ToolError, strict: bool) -> Wire;

    /// The code as the contract's document spells it.
    fn code(&self, code: Code) -> &'static str;

    /// Adds what the contract tells beside an error of a call with these arguments.
    fn explain(&self, _context: &Context, _arguments: &Value, error: ToolError) -> ToolError {
        error
    }
}

pub type ContractRef = &'static dyn Contract;

impl dyn Contract {
    /// An error on the wire.
    pub fn fail(&self, error: &ToolError, strict: bool) -> Wire {
        if error.code == Code::MissingClientCapability {
            return Wire::ProtocolError {
                code: MISSING_CLIENT_CAPABILITY,
                message: error.message.clone(),
                data: json!({ "requiredCapabilities": error.data }),
            };
        }
        self.fail_own(error, strict)
    }
}

impl PartialEq for dyn Contract {
    fn eq(&self, other: &dyn Contract) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for dyn Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What one call may cost. Kept centrally, whatever the client asks for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the moment the tool starts to run; waiting for a worker does not count.
    pub deadline: Duration,
    /// The whole answer as it goes on the wire, text and structured content together.
    pub response_bytes: usize,
    /// Items of one list or one page.
    pub items: usize,
}

impl Limits {
    /// Of every contract. Clients show a model at most 25k tokens, about 100 kB; an answer that is
    /// sent as text and as structured content has room for twice that and more.
    pub const RESPONSE_BYTES: usize = 512 * 1024;

    pub const DEFAULT: Limits = Limits {
        deadline: Duration::from_secs(30),
        response_bytes: Limits::RESPONSE_BYTES,
        items: 1000,
    };

    /// The stricter of both, each by each.
    pub fn and(self, other: Limits) -> Limits {
        Limits {
            deadline: self.deadline.min(other.deadline),
            response_bytes: self.response_bytes.min(other.response_bytes),
            items: self.items.min(other.items),
        }
    }

    /// The size of a list: what was asked for, or `default`, at least 1 and at most the cap. The
    /// flag says that the cap cut it, which every contract has its own way to report.
    pub fn clamp_items(&self, asked: Option<u64>, default: usize) -> (usize, bool) {
        let asked = asked.map_or(default, |asked| {
            usize::try_from(asked).unwrap_or(usize::MAX)
        });
        (asked.clamp(1, self.items), asked > self.items)
    }
}

/// An error as the client gets it, in the protocol's terms.
#[derive(Clone, Debug, PartialEq)]
pub enum Wire {
    /// A result with `isError`: the model sees its text.
    Failure { text: String },
    /// A JSON-RPC error: most clients hide it from the model.
    ProtocolError {
        code: i32,
        message: String,
        data: Value,
    },
}

pub const INVALID_PARAMS: i32 = -32602;
pub const INTERNAL_ERROR: i32 = -32603;
pub const MISSING_CLIENT_CAPABILITY: i32 = -32021;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{AGENT, CODECOMPASS, CODEMAP, LSP};

    #[test]
    fn success_carries_the_same_facts_twice_except_for_the_strict_gateway() {
        let answer = Answer {
            json: serde_json::value::to_raw_value(&json!({ "n": 1 })).ok(),
            text: Some("one".to_owned()),
            is_empty: false,
        };
        let text = |contract: ContractRef, strict| contract.text(&answer, strict);
        assert_eq!(text(CODECOMPASS, false), Some(r#"{"n":1}"#));
        assert_eq!(text(CODECOMPASS, true), Some(r#"{"n":1}"#));
        assert_eq!(text(CODEMAP, false), Some(r#"{"n":1}"#));
        assert_eq!(text(LSP, false), Some("one"));
        assert_eq!(text(LSP, true), None);
    }

    #[test]
    fn plain_text_is_the_whole_answer() {
        let answer = Answer {
            json: None,
            text: Some("one\n".to_owned()),
            is_empty: false,
        };
        assert_eq!(AGENT.text(&answer, false), Some("one\n"));
    }

    #[test]
    fn failures_have_their_contracts_shape() {
        let stale =
            ToolError::own("index_stale", "stale").with_data(json!({ "suggestion": "sync" }));
        check(
            CODECOMPASS,
            false,
            &stale,
            expect![[
                r#"Failure { text: "{\"error\":{\"code\":\"index_stale\",\"message\":\"stale\",\"data\":{\"suggestion\":\"sync\"}},\"metadata\":{\"codecompass_protocol_version\":\"1.0\",\"freshness_status\":\"stale\",\"indexing_status\":\"not_indexed\",\"result_completeness\":\"partial\",\"ref\":\"live\",\"schema_status\":\"not_indexed\"}}" }"#
            ]],
        );
        check(
            CODEMAP,
            false,
            &ToolError::timed_out(),
            expect![[
                r#"Failure { text: "{\"code\":\"BUDGET_EXCEEDED\",\"message\":\"the call took longer than it may; ask for less, or again once indexing is done\",\"details\":{},\"retryable\":true}" }"#
            ]],
        );
        check(
            LSP,
            false,
            &ToolError::path_invalid("not a file: URI"),
            expect![[r#"Failure { text: "MCP_LSP_GATEWAY/URI_INVALID: not a file: URI" }"#]],
        );
        check(
            LSP,
            true,
            &ToolError::path_invalid("not a file: URI"),
            expect![[
                r#"ProtocolError { code: -32602, message: "Invalid params", data: Object {"code": String("MCP_LSP_GATEWAY/URI_INVALID"), "message": String("not a file: URI")} }"#
            ]],
        );
        check(
            LSP,
            true,
            &ToolError::own("MCP_LSP_GATEWAY/NOT_FOUND", "no such position"),
            expect![[
                r#"ProtocolError { code: -32603, message: "Internal error", data: Object {"code": String("MCP_LSP_GATEWAY/NOT_FOUND"), "message": String("no such position")} }"#
            ]],
        );
    }

    #[track_caller]
    fn check(contract: ContractRef, strict: bool, error: &ToolError, expected: Expect) {
        expected.assert_eq(&format!("{:?}", contract.fail(error, strict)));
    }

    #[test]
    fn too_many_items_are_cut_and_said_so() {
        let limits = LSP.limits();
        assert_eq!(limits.clamp_items(None, 100), (100, false));
        assert_eq!(limits.clamp_items(Some(0), 100), (1, false));
        assert_eq!(limits.clamp_items(Some(200), 100), (200, false));
        assert_eq!(limits.clamp_items(Some(u64::MAX), 100), (200, true));
    }
}
