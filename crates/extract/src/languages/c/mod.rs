//! C.

use facts::LanguageId;

use crate::language::Language;

pub static C: Language = Language {
    name: "c",
    id: LanguageId(9),
    extensions: &["c", "h"],
    ..Language::EMPTY
};
