//! C#.

use facts::LanguageId;

use crate::language::Language;

pub static CSHARP: Language = Language {
    name: "csharp",
    id: LanguageId(8),
    extensions: &["cs"],
    ..Language::EMPTY
};
