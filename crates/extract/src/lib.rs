//! The text of one file becomes [`facts::Facts`].
//!
//! `extract` sees no path, no disk and no other file; hence files go in parallel, and equal bytes
//! give equal facts. One table-driven cursor walk ([`walk`]) serves every language; a language is
//! one folder below [`languages`].

// A build with some of the grammars uses some of what they share.
#![cfg_attr(
    not(all(feature = "full-depth", feature = "outline")),
    allow(dead_code, unused_imports)
)]

pub mod account;
mod builder;
#[cfg(test)]
mod cases;
pub mod declaring;
#[cfg(any(feature = "javascript", feature = "typescript", feature = "php"))]
mod doc_types;
mod flat;
mod handlers;
mod language;
mod languages;
mod outline;
mod parse;
mod prelude;
pub mod render;
mod rules;
mod walk;

pub use language::{
    Embedded, LANGUAGES, Language, PLAIN_TEXT, language, language_named, language_of,
};
pub use parse::{Extractor, Limits};
