//! TypeScript, with and without elements; see `cases.md`. What it shares with JavaScript is in
//! `ecmascript`.

mod prepare;

use crate::{prelude::*, rules::*};

pub(super) use prepare::prepare;

use super::ecmascript::{self, ASSERTIONS, COMMON, JSX, TYPED};

pub static TYPESCRIPT: Language = Language {
    name: "typescript",
    id: LanguageId(4),
    extensions: &["ts", "mts", "cts"],
    interpreters: &["deno", "ts-node", "tsx", "bun"],
    // 2: types that only the documentation tells
    // 3: predicates name parameters, and parts of parameters follow them
    // 4: what is thrown; `import.meta`
    // 6: defaults of type parameters
    // 9: implicit calls
    version: 13, // 12: words of modules, functions in literals that are returned; 13: predicates, elements of literals
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    n_node_kinds: 383,
    rules: RULES,
    modifiers: ecmascript::MODIFIERS,
    visibilities: ecmascript::VISIBILITIES,
    prepare: Some(prepare),
    finish: Some(ecmascript::finish),
    line_definitions: ecmascript::LINE_DEFINITIONS,
    semantics: Some(&ecmascript::TYPESCRIPT),
    ..Language::EMPTY
};

pub static TSX: Language = Language {
    name: "tsx",
    id: LanguageId(5),
    extensions: &["tsx"],
    // 2: types that only the documentation tells
    // 3: predicates name parameters, and parts of parameters follow them
    // 4: what is thrown; `import.meta`
    // 6: defaults of type parameters
    // 9: implicit calls
    version: 13, // 12: words of modules, functions in literals that are returned; 13: predicates, elements of literals
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    n_node_kinds: 400,
    rules: &[TYPED, JSX, COMMON],
    modifiers: ecmascript::MODIFIERS,
    visibilities: ecmascript::VISIBILITIES,
    prepare: Some(prepare),
    finish: Some(ecmascript::finish),
    line_definitions: ecmascript::LINE_DEFINITIONS,
    semantics: Some(&ecmascript::TYPESCRIPT),
    ..Language::EMPTY
};

pub(super) const RULES: &[&[Rule]] = &[TYPED, ASSERTIONS, COMMON];

#[cfg(test)]
mod tests {
    use super::{TSX, TYPESCRIPT};
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&TYPESCRIPT, "typescript/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn cases_with_elements() {
        cases::check(&TSX, "typescript/cases_tsx.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&TYPESCRIPT);
        cases::check_grammar(&TSX);
    }
}
