//! PHP.

use facts::LanguageId;

use crate::language::Language;

pub static PHP: Language = Language {
    name: "php",
    id: LanguageId(12),
    extensions: &["php"],
    ..Language::EMPTY
};
