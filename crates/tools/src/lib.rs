//! One file per tool: a question in, an answer out. Here is what all tools share.
//!
//! A [`Tool`] states its question and answer as Rust types; those types are its schema, its parser
//! and its documentation. Tools belong to a [`Contract`], and a [`Registry`] serves
//! a choice of contracts to stdio, HTTP and `codecompass call` alike. [`invoke`] is the one
//! way in: it checks the arguments, runs the tool, and keeps a panic from costing more than its
//! request. What a failure looks like on the wire is the contract's affair: [`contract`].

pub mod agent;
pub mod change;
pub mod codecompass;
pub mod codemap;
pub mod lsp;

mod across;
mod context;
pub mod contract;
mod error;
mod handle;
pub mod kinds;
mod platform;
#[cfg(test)]
mod promises;
mod registry;
mod roots;
mod schema;
mod scoped_host;
mod times;
pub mod tokens;
mod tool;

pub use context::{Cancel, Context, Host, Progress, ProgressUpdate, ServerFacts};
pub use contract::{Contract, ContractRef, Limits};
pub use error::{Code, Issue, ToolError};
pub use registry::{Entry, Registry, invoke};
pub use roots::{Denied, Roots, file_uri, path_of_uri};
pub use scoped_host::ScopedHost;
pub use tool::{Annotations, Answer, ErasedTool, PlainText, Reply, Tool};

pub const CODECOMPASS: ContractRef = &codecompass::CodeCompass;
pub const CODEMAP: ContractRef = &codemap::CodeMap;
pub const LSP: ContractRef = &lsp::LspGateway;
pub const AGENT: ContractRef = &agent::Agent;
pub const CONTRACTS: [ContractRef; 4] = [CODECOMPASS, CODEMAP, LSP, AGENT];
