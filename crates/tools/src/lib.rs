//! One file per tool: a question in, an answer out. Here is what all tools share.
//!
//! A [`Tool`] states its question and answer as Rust types; those types are its schema, its parser
//! and its documentation. Tools are grouped by [`Surface`], one per contract, and a [`Registry`]
//! serves a choice of surfaces to stdio, HTTP and `codecompass call` alike. [`invoke`] is the one
//! way in: it checks the arguments, runs the tool, and keeps a panic from costing more than its
//! request. What a failure looks like on the wire is the contract's affair: [`contract`].

pub mod codecompass;
pub mod codemap;
pub mod lsp;

pub mod absence;
mod analyses;
mod context;
pub mod contract;
mod error;
pub mod excerpts;
pub mod handles;
pub mod kinds;
pub mod lookup;
pub mod moment;
pub mod names;
mod platform;
#[cfg(test)]
mod promises;
mod registry;
mod roots;
mod schema;
mod surface;
pub mod tokens;
mod tool;
mod workspaces;

pub use context::{Cancel, Context, Host, Progress, ProgressUpdate, ServerFacts};
pub use error::{Code, Issue, ToolError};
pub use registry::{Entry, Registry, invoke};
pub use roots::{Denied, Roots, file_uri, lexical, path_of_uri};
pub use surface::{Limits, Surface};
pub use tool::{Annotations, Answer, ErasedTool, Tool};
pub use workspaces::{Moment, Prewarm, Routing, Unserved, Workspaces};
