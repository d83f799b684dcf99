//! The tools of the LSP gateway contract, in the order in which they are listed.
//!
//! A request names a document ([`documents`]); a provider answers it, the index ([`index`]) or a
//! language server ([`servers`]); the answer is brought into the contract's one form ([`shapes`])
//! and, where it is a long list, handed out in pages ([`pages`]) that stay valid for as long as
//! nothing changed ([`epochs`]). [`Gateway`] is what lives between calls.

mod baselines;
mod columns;
mod documents;
mod epochs;
mod errors;
mod gateway;
mod index;
mod pages;
mod servers;
mod shapes;

mod definition;
mod diagnostics_document;
mod diagnostics_workspace;
mod document_symbols;
mod hover;
mod references;
mod workspace_symbols;

#[cfg(test)]
mod tests;

pub use gateway::Gateway;
pub use servers::ProviderChoice;

// What the binary needs to keep servers: its `main` must be their guard when it is started as one.
pub use language_servers::{
    Detected, PoolSettings, ServerReport, ServerStatus, State, guard_main, is_guard_invocation,
};

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    Answer, Code, Contract, ErasedTool, Limits, ToolError,
    contract::{INTERNAL_ERROR, INVALID_PARAMS, Wire},
    schema,
};

/// The contract of the LSP gateway.
pub struct LspGateway;

impl Contract for LspGateway {
    fn name(&self) -> &'static str {
        "lsp"
    }

    fn endpoint(&self) -> &'static str {
        "/mcp/lsp"
    }

    fn tools(&self) -> &'static [&'static dyn ErasedTool] {
        TOOLS
    }

    /// §5.1 of its document. The numbers are hard: nothing may raise them.
    fn limits(&self) -> Limits {
        Limits {
            deadline: Duration::from_secs(2),
            response_bytes: Limits::RESPONSE_BYTES,
            items: 200,
        }
    }

    /// The document writes `null` itself.
    fn listed_input(&self, schema: &Map<String, Value>) -> Map<String, Value> {
        schema.clone()
    }

    fn tidy(&self, schema: &Map<String, Value>, arguments: Value) -> Value {
        schema::with_whole_numbers(schema, arguments)
    }

    fn text<'a>(&self, answer: &'a Answer, strict: bool) -> Option<&'a str> {
        let json = || answer.json.as_ref().map(|json| json.get());
        let text = answer.text.as_deref().or_else(json);
        text.filter(|_| !strict)
    }

    fn fail_own(&self, error: &ToolError, strict: bool) -> Wire {
        let code = self.code(error.code);
        if !strict {
            return Wire::Failure {
                text: format!("{code}: {}", error.message),
            };
        }
        let data = error.data.as_deref().cloned().filter(Value::is_object);
        let mut data = data.unwrap_or_else(|| json!({}));
        data["code"] = json!(code);
        data["message"] = json!(error.message);
        let (code, message) = json_rpc_class(code);
        Wire::ProtocolError {
            code,
            message: message.to_owned(),
            data,
        }
    }

    fn code(&self, code: Code) -> &'static str {
        match code {
            Code::Own(code) => code,
            Code::InvalidInput => "MCP_LSP_GATEWAY/INVALID_PARAMS",
            Code::PathInvalid => "MCP_LSP_GATEWAY/URI_INVALID",
            Code::PathDenied => "MCP_LSP_GATEWAY/WORKSPACE_DENIED",
            Code::Timeout | Code::ResponseTooLarge | Code::Busy => "MCP_LSP_GATEWAY/CAP_EXCEEDED",
            Code::Cancelled | Code::MissingClientCapability | Code::Internal => {
                "MCP_LSP_GATEWAY/INTERNAL"
            }
        }
    }
}

/// The JSON-RPC code and message of a gateway code: what the client did, or what the server met.
fn json_rpc_class(code: &str) -> (i32, &'static str) {
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

const TOOLS: &[&dyn ErasedTool] = &[
    &definition::LspDefinition,
    &references::LspReferences,
    &hover::Hover,
    &document_symbols::DocumentSymbols,
    &workspace_symbols::WorkspaceSymbols,
    &diagnostics_document::DocumentDiagnostics,
    &diagnostics_workspace::WorkspaceDiagnostics,
];

/// The most references or symbols of the whole list behind the pages, and the most nodes of an
/// outline.
const MOST_IN_ALL: usize = 20_000;
/// The most files with diagnostics.
const MOST_FILES: usize = 5_000;
