//! Ruby.

use facts::LanguageId;

use crate::language::Language;

pub static RUBY: Language = Language {
    name: "ruby",
    id: LanguageId(11),
    extensions: &["rb"],
    ..Language::EMPTY
};
