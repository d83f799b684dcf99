//! C++.

use facts::LanguageId;

use crate::language::Language;

pub static CPP: Language = Language {
    name: "cpp",
    id: LanguageId(10),
    extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "ipp"],
    ..Language::EMPTY
};
