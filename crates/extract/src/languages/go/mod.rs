//! Go.

use facts::LanguageId;

use crate::language::Language;

pub static GO: Language = Language {
    name: "go",
    id: LanguageId(7),
    extensions: &["go"],
    ..Language::EMPTY
};
