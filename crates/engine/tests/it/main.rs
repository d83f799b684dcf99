//! The integration tests of the engine, in one binary: linking thirty grammars once is enough.

mod architecture;
mod bad_input;
mod call_graphs;
mod change;
mod edits;
mod effects;
mod judged_lists;
mod resolution;
