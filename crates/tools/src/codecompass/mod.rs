//! The tools of the CodeCompass contract, in the order in which they are listed.
//!
//! [`envelope`] finds a request's snapshot and writes the metadata, [`errors`] is the registry of
//! codes, [`symbols`] and [`results`] are the shapes that several tools share. The thinking is in
//! `engine::query`.

mod envelope;
mod errors;
mod jobs;
mod occurrences;
mod results;
mod symbols;

pub mod check_change;
mod compare_symbol_between_commits;
mod find_references;
mod find_related_symbols;
mod get_call_graph;
mod get_code_context;
mod get_file_outline;
mod get_symbol_hierarchy;
mod health_check;
mod index_repo;
mod index_status;
mod locate_symbol;
mod search_code;
mod suggest_followup_queries;
mod sync_repo;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::{Code, Context, Contract, ErasedTool, ToolError, contract::Wire};

/// The CodeCompass contract.
pub struct CodeCompass;

impl Contract for CodeCompass {
    fn name(&self) -> &'static str {
        "codecompass"
    }

    fn endpoint(&self) -> &'static str {
        "/mcp/codecompass"
    }

    fn tools(&self) -> &'static [&'static dyn ErasedTool] {
        TOOLS
    }

    /// The line of a symbol's name, where decorators and attributes are above it.
    fn own_fields(&self) -> &'static [&'static str] {
        &["name_line"]
    }

    fn fail_own(&self, error: &ToolError, _strict: bool) -> Wire {
        let mut inner = json!({ "code": self.code(error.code), "message": error.message });
        if let Some(data) = &error.data {
            inner["data"] = Value::clone(data);
        }
        let metadata = error.metadata.as_deref().cloned();
        let metadata = metadata.unwrap_or_else(envelope::unknown_metadata);
        Wire::Failure {
            text: json!({ "error": inner, "metadata": metadata }).to_string(),
        }
    }

    fn code(&self, code: Code) -> &'static str {
        match code {
            Code::Own(code) => code,
            Code::InvalidInput | Code::PathInvalid => "invalid_input",
            Code::PathDenied => "workspace_not_allowed",
            Code::Timeout => "timeout",
            Code::Cancelled => "cancelled",
            Code::ResponseTooLarge => "response_too_large",
            Code::Busy => "busy",
            Code::MissingClientCapability | Code::Internal => "internal_error",
        }
    }

    fn explain(&self, context: &Context, arguments: &Value, error: ToolError) -> ToolError {
        envelope::explain(context, arguments, error)
    }
}

const TOOLS: &[&dyn ErasedTool] = &[
    &search_code::SearchCode,
    &locate_symbol::LocateSymbol,
    &get_file_outline::GetFileOutline,
    &find_references::FindReferences,
    &get_call_graph::GetCallGraph,
    &get_symbol_hierarchy::GetSymbolHierarchy,
    &find_related_symbols::FindRelatedSymbols,
    &get_code_context::GetCodeContext,
    &compare_symbol_between_commits::CompareSymbolBetweenCommits,
    &check_change::CheckChange,
    &suggest_followup_queries::SuggestFollowupQueries,
    &index_repo::IndexRepo,
    &sync_repo::SyncRepo,
    &index_status::IndexStatus,
    &health_check::HealthCheck,
];
