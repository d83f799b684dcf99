//! Java.

use facts::LanguageId;

use crate::language::Language;

pub static JAVA: Language = Language {
    name: "java",
    id: LanguageId(2),
    extensions: &["java"],
    ..Language::EMPTY
};
