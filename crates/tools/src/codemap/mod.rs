//! The tools of the CodeMap contract, in the order in which they are listed.
//!
//! [`request`] finds the snapshot that a request means and wraps its answer; the tools are one file
//! each.

mod architecture;
mod budgets;
mod code_get_span;
mod cursor;
mod envelope;
mod errors;
mod graph;
mod graph_trace_feature;
mod index_ensure_baseline;
mod occurrences;
mod refs_find;
mod repo_status;
mod request;
mod savings;
mod symbols;
mod symbols_get_card;
mod symbols_get_definition_span;
mod symbols_search;
mod types_hierarchy;
mod workspaces;

pub use architecture::{CoveragePlace, FrameworkCoverage, ledger as coverage};
pub use savings::{Calibration, calibration};

use serde_json::json;

use crate::{Code, Contract, ErasedTool, ToolError, contract::Wire};

/// The CodeMap contract.
pub struct CodeMap;

impl Contract for CodeMap {
    fn name(&self) -> &'static str {
        "codemap"
    }

    fn endpoint(&self) -> &'static str {
        "/mcp/codemap"
    }

    fn tools(&self) -> &'static [&'static dyn ErasedTool] {
        TOOLS
    }

    fn fail_own(&self, error: &ToolError, _strict: bool) -> Wire {
        let details = error.data.as_deref().cloned().unwrap_or_else(|| json!({}));
        let body = json!({
            "code": self.code(error.code),
            "message": error.message,
            "details": details,
            "retryable": error.retryable,
        });
        Wire::Failure {
            text: body.to_string(),
        }
    }

    fn code(&self, code: Code) -> &'static str {
        match code {
            Code::Own(code) => code,
            Code::InvalidInput | Code::PathInvalid | Code::PathDenied => "INVALID_ARGUMENT",
            Code::Timeout | Code::ResponseTooLarge => "BUDGET_EXCEEDED",
            Code::Cancelled => "CANCELLED",
            Code::Busy => "BUSY",
            Code::MissingClientCapability | Code::Internal => "INTERNAL",
        }
    }
}

const TOOLS: &[&dyn ErasedTool] = &[
    &repo_status::RepoStatus,
    &index_ensure_baseline::IndexEnsureBaseline,
    &symbols_search::SymbolsSearch,
    &symbols_get_card::SymbolsGetCard,
    &code_get_span::CodeGetSpan,
    &symbols_get_definition_span::SymbolsGetDefinitionSpan,
    &refs_find::RefsFind,
    &graph::GraphCallers,
    &graph::GraphCallees,
    &types_hierarchy::TypesHierarchy,
    &workspaces::WorkspaceCreate,
    &workspaces::WorkspaceReset,
    &workspaces::WorkspaceList,
    &workspaces::WorkspaceDelete,
    &workspaces::IndexRefreshOverlay,
    &architecture::ListEndpoints,
    &architecture::ListConfigKeys,
    &architecture::ListDbTables,
    &graph_trace_feature::GraphTraceFeature,
];

#[cfg(test)]
mod tests;
