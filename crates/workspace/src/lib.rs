//! A directory kept in sync with snapshots of it.
//!
//! # For authors of tools
//!
//! ```no_run
//! # fn main() -> workspace::Result<()> {
//! use std::{path::Path, time::Duration};
//! use workspace::{Options, Workspace};
//!
//! // Cheap; indexes nothing yet. Any directory inside the repository will do.
//! let workspace = Workspace::open(Path::new("."), Options::default())?;
//! // The working tree as it is now. Never indexed before: indexing starts, and this waits for the given time.
//! let (view, freshness) = workspace.fresh_live(Duration::from_millis(150))?;
//! // What a `ref` means: the working tree, or a commit that is indexed on demand from git's objects.
//! let (view, freshness) = workspace.at_ref(Some("v1.2"), Duration::from_millis(150))?;
//! for (id, file) in view.snapshot.files() {
//!     let facts = view.snapshot.corpus().facts(file.content);
//! }
//! # Ok(()) }
//! ```
//!
//! - One request takes one [`SnapshotView`] and uses it from start to end. It never changes.
//! - [`Freshness`] says whether the view equals the disk; what to do when it does not is the
//!   caller's policy: [`Jobs::start_sync`] starts a job, [`Jobs::wait`] waits for
//!   it.
//! - [`Workspace::meaning`] is for `ref`, [`Workspace::commit`] for `base_ref`, `head_ref` and
//!   committed mode.
//! - [`Workspace::index_live`] and [`Workspace::index_commit`] do the work in the calling thread,
//!   with progress and a cancel flag: for the command line. [`Jobs::start_index`] does it in
//!   the background: for servers.
//! - [`RepositoryRegistry`] lists the repositories that the user registered with `codecompass init`.
//! - [`TextSearch::matches`] counts words over the view's own contents, for the engine to rank by.
//!   [`words`] cuts queries as it cuts text.
//! - [`Overlays::create`], [`Overlays::refresh`], [`Overlays::view`]: a base commit and the edits
//!   over it, kept. [`Workspace::with_virtual_files`]: any view with unsaved text over it, for one
//!   request.

mod alternates;
mod base;
mod cold;
mod content_cache;
mod corpus;
mod error;
mod extraction;
mod facts_source;
mod freshness;
mod history;
mod ingest;
mod jobs;
mod listing;
mod litter;
mod live;
mod maintenance;
mod overlays;
mod parallel;
mod platform;
mod project;
mod published;
mod registry;
mod repository;
mod rules;
mod shared_cache;
mod sides;
mod text;
mod tree;
mod view;
mod virtual_files;
mod walk;
#[cfg(target_os = "linux")]
mod watch;
mod workspace;

pub use cold::{ColdCorpus, ColdQuestion};
pub use corpus::StoreCorpus;
pub use engine::Unreadable;
pub use error::{Error, Result};
pub use extraction::extractor_versions;
pub use facts::{SkipReason, Skipped};
pub use facts_source::FactsSource;
pub use freshness::{Freshness, FreshnessStatus};
pub use jobs::Jobs;
pub use listing::FileListing;
pub use live::IndexProgress;
pub use maintenance::IndexFigures;
pub use overlays::{Overlay, OverlayChange, OverlayRefresh, Overlays};
pub use platform::with_slashes;
pub use project::{PackageName, PackageRegistry, is_manifest};
pub use published::{PublishedCommit, PublishedContent, PublishedCorpus, PublishedIndexes};
pub use registry::RepositoryRegistry;
pub use repository::{FileVersion, Head};
pub use rules::FileLimits;
pub use sides::FileEdit;
pub use store::text::{Field, TextStatistics, words};
pub use store::{
    ContentSet, Job, JobCounts, JobError, JobErrorKind, JobKind, JobState, Origin, SCHEMA_VERSION,
};
pub use text::TextSearch;
pub use view::{SnapshotView, Source};
pub use workspace::{ContentSize, IndexSummary, Meaning, Options, Workspace};
