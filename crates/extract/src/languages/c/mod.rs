//! C. What declares is a declarator; macros and all branches of `#if` count; see `cases.md` for the
//! rest.

mod semantics;

use crate::{prelude::*, rules::*};

use super::c_family::{self, prepare, preprocessor};

pub static C: Language = Language {
    name: "c",
    id: LanguageId(9),
    extensions: &["c", "h"],
    // 5: alternative headers and bodies, calling conventions are blanked
    version: 6, // 6: macros between fields, attributes given numbers
    grammar: || tree_sitter_c::LANGUAGE.into(),
    n_node_kinds: 363,
    rules: &[c_family::RULES, RULES],
    modifiers: &[
        ("static", Modifiers::STATIC),
        ("const", Modifiers::CONST),
        ("constexpr", Modifiers::CONST),
        ("extern", Modifiers::EXTERN),
    ],
    prepare: Some(prepare::prepare_c),
    finish: Some(preprocessor::finish_file),
    line_definitions: &[
        ("struct", SymbolKind::Struct),
        ("union", SymbolKind::Union),
        ("enum", SymbolKind::Enum),
        ("typedef", SymbolKind::TypeAlias),
        ("define", SymbolKind::Macro),
    ],
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[on("macro_type_specifier")
    .children(&[ty("type"), name("name")])
    .leave(shared::first_child)];

#[cfg(test)]
mod tests {
    use super::C;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&C, "c/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&C);
    }
}
