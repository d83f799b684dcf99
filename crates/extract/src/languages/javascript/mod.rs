//! JavaScript.

use facts::LanguageId;

use crate::language::Language;

pub static JAVASCRIPT: Language = Language {
    name: "javascript",
    id: LanguageId(6),
    extensions: &["js", "mjs", "cjs", "jsx"],
    ..Language::EMPTY
};
