//! Every question that a front end may ask, answered as typed plain data.
//!
//! A [`Session`] is the one way in: it is one snapshot of a repository as one request sees it from
//! start to end. [`Workspaces`] opens sessions. Each module answers one question; none of them
//! knows JSON or prints. A contract of `tools`, the command line and every later front end only
//! translate: what two of them would compute belongs here.

pub mod across;
pub mod call_graph;
pub mod card;
pub mod change;
mod cold;
pub mod compare;
pub mod context;
pub mod dead_code;
pub mod definition;
pub mod documentation;
mod error;
pub mod excerpts;
pub mod explore;
pub mod grep_text;
pub mod handle;
pub mod hierarchy;
pub mod hints;
pub mod history;
pub mod identifiers;
pub mod locals;
pub mod lookup;
pub mod names;
pub mod occurrences;
pub mod outline;
pub mod patch;
pub mod rankings;
pub mod references;
pub mod related;
mod scope;
pub mod search;
pub mod session;
mod snapshot_cache;
pub mod source;
pub mod span;
pub mod status;
pub mod survey;
pub mod symbol;
pub mod symbol_report;
pub mod test_commands;
pub mod test_groups;
#[cfg(test)]
mod testing;
pub mod tests_to_run;
mod text_index;
pub mod trace;
mod workspaces;

pub use cold::ColdAnswers;
pub use error::{Error, NotServed, Result};
pub use handle::SymbolHandle;
pub use lookup::{Lookup, LookupError, Wanted};
pub use scope::Scope;
pub use session::{At, Session, Waits};
pub use symbol::{Anchor, SymbolInfo};
pub use workspaces::{Prewarm, PublishedRouting, Routing, Workspaces, lexical};
