//! One file per question. Every answer has a stated order and says whether it is complete.

mod answers;
pub mod architecture;
mod calls;
pub mod change;
mod code_users;
mod compare;
mod contents;
mod definition;
mod dispatch;
mod effects;
mod entry_points;
mod hierarchy;
mod implicit;
mod leads;
mod lookup;
mod named_places;
mod overriding;
mod reaching_tests;
mod references;
mod related;
mod requests;
pub mod search;
mod structure;
mod symbols;
mod test_cases;
mod unused;
mod value_calls;

pub(crate) use answers::Answers;
pub use calls::{
    Call, OutsideCall, Site, UnlinkedCalls, called_as, callees, callees_of_file, callers,
    direct_callees, direct_callers, enclosing_callable, is_made_by_macro,
};
pub(crate) use code_users::code_around;
pub use compare::{Difference, MatchedBy, changed_lines, counterpart, difference};
pub use contents::of_each;
pub use definition::{At, Definition, at_position, definition_at};
pub use effects::{Access, Affected, Effects, SideEffect, Thrown, ThrownBy, Touches, effects};
pub use hierarchy::{Hierarchy, Related, hierarchy};
pub use implicit::{ImplicitCall, implicit_callees, implicit_callees_of_file, implicit_callers};
pub use lookup::{sketches_named, symbols_named};
pub use overriding::{overridden, overriding};
pub use reaching_tests::{
    ReachKind, ReachingTest, RouteHandlers, TestBounds, TestStep, reaching_tests,
};
pub use references::{
    Account, Mention, Named, accounted_references, is_soon_found, references, same_symbol,
};
pub use related::{RelatedWithin, Relation, related};
pub use requests::{is_request_of, requests_of_route};
pub use structure::{ancestors, children};
pub use symbols::{Pattern, SymbolHit, SymbolQuestion, Term, symbols};
pub use test_cases::{CodeUnit, is_test_case, tests_of_file, titles};
pub use unused::{DeadDoubt, dead_doubt, is_dead_candidate, is_entry, is_published};
