//! What has been indexed, on disk: one SQLite file and one text index per repository family.
//!
//! Facts come in from `extract` through `workspace`, keyed by content; they go out to the engine.
//! Beside them are snapshots (which path has which content), overlays, jobs and savings.
//! Everything is published by one transaction: a process killed at any moment leaves the state
//! before it. Readers never wait for the writer, and the writer's lock dies with its process.

mod clock;
mod collection;
mod content_set;
mod contents;
mod database;
mod error;
mod jobs;
mod live;
mod location;
mod overlays;
mod presence;
mod schema;
mod snapshots;
mod sql;
mod store;
pub mod text;

pub use clock::now_ms;
pub use collection::Unnamed;
pub use content_set::ContentSet;
pub use contents::{Batch, ContentParts, ContentRow, FoundContents, NewContent, name_key, unpack};
pub use database::{LargeCache, Origin};
pub use error::{Error, NewerSchema, Result};
pub use jobs::{Job, JobCounts, JobError, JobErrorKind, JobKind, JobState};
pub use live::{LiveFile, Stat, Worktree, WorktreeNumber};
pub use location::{home, index_directory};
pub use overlays::OverlayRow;
pub use presence::Claim;
pub use schema::SCHEMA_VERSION;
pub use snapshots::StoredSnapshot;
pub use store::Store;
