//! Facts of many files become a [`Snapshot`], and a snapshot answers questions.
//!
//! The engine opens nothing: facts and text come through [`Corpus`]. It names languages in
//! `resolve/dialect/` only; other differences arrive as [`facts::Semantics`] and as a [`Project`]. Every query takes a [`Budget`] and
//! says whether its answer is complete.

mod bounded;
mod budget;
mod corpus;
mod differences;
pub mod query;
mod resolve;
mod snapshot;
pub mod text;

pub use bounded::Bounded;
pub use budget::{Budget, Complete, Cut};
pub use corpus::{Corpus, ReadFailures, Sketches, Unreadable};
pub use facts::{ContentNumber, File, RepoPath};
pub use resolve::dialect::project::{
    CargoCrate, GoModule, IncludePaths, Package, Project, ScriptConfig, Unit, is_below,
};
pub use resolve::{
    Analysis, External, FileView, Found, Module, Outcome, Place, Resolution, Resolver, Rule,
    STACK_SIZE, Step, SymbolId, Ty,
};
pub use snapshot::{FileId, ReadProject, Snapshot};
