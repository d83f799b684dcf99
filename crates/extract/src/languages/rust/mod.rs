//! Rust.

use facts::LanguageId;

use crate::language::Language;

pub static RUST: Language = Language {
    name: "rust",
    id: LanguageId(3),
    extensions: &["rs"],
    ..Language::EMPTY
};
