//! How each contract puts success and failure on the wire.
//!
//! | | CodeCompass | CodeMap | LSP gateway |
//! |---|---|---|---|
//! | success | structured content, the same JSON as text | likewise | structured content, compact text; no text when strict |
//! | failure | `{error, metadata}` | `{code, message, details, retryable}` | `CODE: message`; a JSON-RPC error when strict |
//!
//! A failure never has structured content: clients would hold it against the output schema and hide
//! it.

use serde_json::{Value, json};

use crate::{Answer, Code, Surface, ToolError};

/// What goes back to the client, in the protocol's terms.
#[derive(Clone, Debug, PartialEq)]
pub enum Wire {
    Success {
        structured: Value,
        text: Option<String>,
    },
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

pub fn success(surface: Surface, answer: Answer, strict: bool) -> Wire {
    let text = match surface {
        Surface::Lsp if strict => None,
        Surface::Lsp => Some(answer.text.unwrap_or_else(|| answer.json.to_string())),
        Surface::Codecompass | Surface::Codemap => Some(answer.json.to_string()),
    };
    Wire::Success {
        structured: answer.json,
        text,
    }
}

pub fn failure(surface: Surface, error: &ToolError, strict: bool) -> Wire {
    if error.code == Code::MissingClientCapability {
        let data = json!({ "requiredCapabilities": error.data });
        return Wire::ProtocolError {
            code: MISSING_CLIENT_CAPABILITY,
            message: error.message.clone(),
            data,
        };
    }
    let code = code(surface, error.code);
    match surface {
        Surface::Codecompass => {
            let mut inner = json!({ "code": code, "message": error.message });
            if let Some(data) = &error.data {
                inner["data"] = Value::clone(data);
            }
            let metadata = error.metadata.as_deref().cloned();
            let metadata = metadata.unwrap_or_else(crate::codecompass::unknown_metadata);
            Wire::Failure {
                text: json!({ "error": inner, "metadata": metadata }).to_string(),
            }
        }
        Surface::Codemap => {
            let details = error.data.as_deref().cloned().unwrap_or_else(|| json!({}));
            let body = json!({ "code": code, "message": error.message, "details": details, "retryable": error.retryable });
            Wire::Failure {
                text: body.to_string(),
            }
        }
        Surface::Lsp if strict => {
            let mut data = error
                .data
                .as_deref()
                .cloned()
                .filter(Value::is_object)
                .unwrap_or_else(|| json!({}));
            data["code"] = json!(code);
            data["message"] = json!(error.message);
            let (code, message) = gateway_class(code);
            Wire::ProtocolError {
                code,
                message: message.to_owned(),
                data,
            }
        }
        Surface::Lsp => Wire::Failure {
            text: format!("{code}: {}", error.message),
        },
    }
}

/// The code as the contract's document spells it.
pub fn code(surface: Surface, code: Code) -> &'static str {
    if let Code::Own(code) = code {
        return code;
    }
    match surface {
        Surface::Codecompass => match code {
            Code::InvalidInput | Code::PathInvalid => "invalid_input",
            Code::PathDenied => "workspace_not_allowed",
            Code::Timeout => "timeout",
            Code::Cancelled => "cancelled",
            Code::ResponseTooLarge => "response_too_large",
            Code::Busy => "busy",
            Code::MissingClientCapability | Code::Internal | Code::Own(_) => "internal_error",
        },
        Surface::Codemap => match code {
            Code::InvalidInput | Code::PathInvalid | Code::PathDenied => "INVALID_ARGUMENT",
            Code::Timeout | Code::ResponseTooLarge => "BUDGET_EXCEEDED",
            Code::Cancelled => "CANCELLED",
            Code::Busy => "BUSY",
            Code::MissingClientCapability | Code::Internal | Code::Own(_) => "INTERNAL",
        },
        Surface::Lsp => match code {
            Code::InvalidInput => "MCP_LSP_GATEWAY/INVALID_PARAMS",
            Code::PathInvalid => "MCP_LSP_GATEWAY/URI_INVALID",
            Code::PathDenied => "MCP_LSP_GATEWAY/WORKSPACE_DENIED",
            Code::Timeout | Code::ResponseTooLarge | Code::Busy => "MCP_LSP_GATEWAY/CAP_EXCEEDED",
            Code::Cancelled | Code::MissingClientCapability | Code::Internal | Code::Own(_) => {
                "MCP_LSP_GATEWAY/INTERNAL"
            }
        },
    }
}

/// The JSON-RPC code and message of a gateway code: what the client did, or what the server met.
fn gateway_class(code: &str) -> (i32, &'static str) {
    const INPUT: &[&str] = &[
        "INVALID_PARAMS",
        "URI_INVALID",
        "WORKSPACE_DENIED",
        "CURSOR_INVALID",
        "CURSOR_STALE",
        "CURSOR_EXPIRED",
        "SNAPSHOT_TOO_LARGE",
    ];
    if INPUT.contains(&code.trim_start_matches("MCP_LSP_GATEWAY/")) {
        (INVALID_PARAMS, "Invalid params")
    } else {
        (INTERNAL_ERROR, "Internal error")
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn success_carries_the_same_facts_twice_except_for_the_strict_gateway() {
        let answer = || Answer {
            json: json!({ "n": 1 }),
            text: Some("one".to_owned()),
        };
        let text = |surface, strict| match success(surface, answer(), strict) {
            Wire::Success { text, structured } => {
                assert_eq!(structured, json!({ "n": 1 }));
                text
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(
            text(Surface::Codecompass, false).as_deref(),
            Some(r#"{"n":1}"#)
        );
        assert_eq!(
            text(Surface::Codecompass, true).as_deref(),
            Some(r#"{"n":1}"#)
        );
        assert_eq!(text(Surface::Codemap, false).as_deref(), Some(r#"{"n":1}"#));
        assert_eq!(text(Surface::Lsp, false).as_deref(), Some("one"));
        assert_eq!(text(Surface::Lsp, true), None);
    }

    #[test]
    fn failures_have_their_contracts_shape() {
        let stale =
            ToolError::own("index_stale", "stale").with_data(json!({ "suggestion": "sync" }));
        check(
            Surface::Codecompass,
            false,
            &stale,
            expect![[
                r#"Failure { text: "{\"error\":{\"code\":\"index_stale\",\"message\":\"stale\",\"data\":{\"suggestion\":\"sync\"}},\"metadata\":{\"codecompass_protocol_version\":\"1.0\",\"freshness_status\":\"stale\",\"indexing_status\":\"not_indexed\",\"result_completeness\":\"partial\",\"ref\":\"live\",\"schema_status\":\"not_indexed\"}}" }"#
            ]],
        );
        check(
            Surface::Codemap,
            false,
            &ToolError::timed_out(),
            expect![[
                r#"Failure { text: "{\"code\":\"BUDGET_EXCEEDED\",\"message\":\"the call took longer than it may; ask for less, or again once indexing is done\",\"details\":{},\"retryable\":true}" }"#
            ]],
        );
        check(
            Surface::Lsp,
            false,
            &ToolError::path_invalid("not a file: URI"),
            expect![[r#"Failure { text: "MCP_LSP_GATEWAY/URI_INVALID: not a file: URI" }"#]],
        );
        check(
            Surface::Lsp,
            true,
            &ToolError::path_invalid("not a file: URI"),
            expect![[
                r#"ProtocolError { code: -32602, message: "Invalid params", data: Object {"code": String("MCP_LSP_GATEWAY/URI_INVALID"), "message": String("not a file: URI")} }"#
            ]],
        );
        check(
            Surface::Lsp,
            true,
            &ToolError::own("MCP_LSP_GATEWAY/NOT_FOUND", "no such position"),
            expect![[
                r#"ProtocolError { code: -32603, message: "Internal error", data: Object {"code": String("MCP_LSP_GATEWAY/NOT_FOUND"), "message": String("no such position")} }"#
            ]],
        );
    }

    #[track_caller]
    fn check(surface: Surface, strict: bool, error: &ToolError, expected: Expect) {
        expected.assert_eq(&format!("{:?}", failure(surface, error, strict)));
    }
}
