//! One file per question. Every answer has a stated order and says whether it is complete.

mod calls;
mod definition;
mod hierarchy;
mod lookup;
mod references;
pub mod search;

pub use calls::{Call, callees, callers, enclosing_callable};
pub use definition::{Definition, at_position, definition_at};
pub use hierarchy::{Hierarchy, Related, hierarchy};
pub use lookup::symbols_named;
pub use references::{Mention, references, same_symbol};
