//! The tools of the CodeCompass contract, in the order in which they are listed.
//!
//! [`envelope`] finds a request's snapshot and writes the metadata, [`errors`] is the registry of
//! codes, [`symbols`] and [`results`] are the shapes that several tools share. The thinking is in
//! `engine::query`.

mod envelope;
mod errors;
mod jobs;
mod results;
mod symbols;

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

pub(crate) use envelope::{Asked, unknown_metadata};

use crate::ErasedTool;

pub const TOOLS: &[&dyn ErasedTool] = &[
    &search_code::SearchCode,
    &locate_symbol::LocateSymbol,
    &get_file_outline::GetFileOutline,
    &find_references::FindReferences,
    &get_call_graph::GetCallGraph,
    &get_symbol_hierarchy::GetSymbolHierarchy,
    &find_related_symbols::FindRelatedSymbols,
    &get_code_context::GetCodeContext,
    &compare_symbol_between_commits::CompareSymbolBetweenCommits,
    &suggest_followup_queries::SuggestFollowupQueries,
    &index_repo::IndexRepo,
    &sync_repo::SyncRepo,
    &index_status::IndexStatus,
    &health_check::HealthCheck,
];
