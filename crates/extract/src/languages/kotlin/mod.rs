//! Kotlin.

use facts::LanguageId;

use crate::language::Language;

pub static KOTLIN: Language = Language {
    name: "kotlin",
    id: LanguageId(13),
    extensions: &["kt", "kts"],
    ..Language::EMPTY
};
