//! The tools of the CodeMap contract, in the order in which they are listed.
//!
//! [`session`] finds the snapshot that a request means and wraps its answer; [`ids`] names symbols;
//! the tools are one file each.

mod budgets;
mod code_get_span;
mod cursor;
mod documentation;
mod envelope;
mod errors;
mod framework;
mod graph;
mod graph_trace_feature;
mod ids;
mod index_ensure_baseline;
mod refs_find;
mod repo_status;
mod savings;
mod session;
mod surfaces;
mod survey;
mod symbols;
mod symbols_get_card;
mod symbols_get_definition_span;
mod symbols_search;
mod times;
mod types_hierarchy;
mod workspaces;

pub(crate) use ids::SharedIds;
pub use savings::{Calibration, calibration};
pub use surfaces::{CoveragePlace, FrameworkCoverage, ledger as coverage};
pub use survey::Survey;
pub(crate) use symbols_search::Rankings;

use crate::ErasedTool;

pub const TOOLS: &[&dyn ErasedTool] = &[
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
    &surfaces::ListEndpoints,
    &surfaces::ListConfigKeys,
    &surfaces::ListDbTables,
    &graph_trace_feature::GraphTraceFeature,
];

#[cfg(test)]
mod tests;
