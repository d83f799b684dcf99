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
pub use servers::Choice;

// What the binary needs to keep servers: its `main` must be their guard when it is started as one.
pub use language_servers::{
    Detected, PoolSettings, ServerReport, ServerStatus, State, guard_main, is_guard_invocation,
};

use crate::ErasedTool;

pub const TOOLS: &[&dyn ErasedTool] = &[
    &definition::Definition,
    &references::References,
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
