//! TypeScript.

use facts::LanguageId;

use crate::language::Language;

pub static TYPESCRIPT: Language = Language {
    name: "typescript",
    id: LanguageId(4),
    extensions: &["ts", "mts", "cts"],
    ..Language::EMPTY
};
