//! The integration tests of workspaces, in one binary: linking thirty grammars once is enough.

mod common;
mod corpus;
mod hostile;
mod overlays;
mod processes;
mod properties;
mod snapshots;
mod text;
mod watching;
