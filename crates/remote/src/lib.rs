//! Indexes of commits in an object store, published by one machine and read by many.
//!
//! `docs/scale.md` is the contract of what lies in a bucket. Bottom up: [`Bucket`] reads and writes
//! objects within a bounded time; [`Secrecy`] names, seals and opens them; a *pack* holds the facts,
//! texts, names and words of many contents ([`pack`]); a *tree* says which file of a commit has
//! which content of which pack; a *manifest* names the tree of a ref. [`Remote`] is all of it, as
//! `workspace` uses it.

mod bucket;
mod commit;
mod directory;
mod disk_cache;
mod error;
mod gc;
mod health;
mod http;
mod manifest;
mod objects;
pub mod pack;
mod publish;
mod remote;
mod repository_name;
mod seal;
mod tree;
mod word_list;

pub use bucket::{Bucket, Patience};
pub use commit::CommitIndex;
pub use disk_cache::DiskCache;
pub use error::{Error, Result};
pub use gc::Collected;
pub use manifest::Manifest;
pub use objects::Objects;
pub use publish::Published;
pub use remote::{Remote, RemoteOptions};
pub use repository_name::repository_name;
pub use seal::{Secrecy, TeamKey};
pub use tree::{PackEntry, Tree};
