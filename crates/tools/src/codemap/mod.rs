//! The tools of the CodeMap contract, in the order in which they are listed.
//!
//! [`session`] finds the snapshot that a request means and wraps its answer; [`ids`] names symbols; the tools are one file each.

mod budgets;
mod cursor;
mod envelope;
mod errors;
mod framework;
mod graph;
mod ids;
mod index_ensure_baseline;
mod refs_find;
mod savings;
mod session;
mod survey;
mod symbols;
mod symbols_search;
mod types_hierarchy;

pub use survey::Survey;

use crate::ErasedTool;

pub const TOOLS: &[&dyn ErasedTool] = &[
    &index_ensure_baseline::IndexEnsureBaseline,
    &symbols_search::SymbolsSearch,
    &refs_find::RefsFind,
    &graph::GraphCallers,
    &graph::GraphCallees,
    &types_hierarchy::TypesHierarchy,
];
