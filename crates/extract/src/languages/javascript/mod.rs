//! JavaScript; see `cases.md`. What it shares with TypeScript is in `ecmascript`.

use crate::prelude::*;

use super::ecmascript::{self, COMMON, JSX, PLAIN};

pub static JAVASCRIPT: Language = Language {
    name: "javascript",
    id: LanguageId(6),
    extensions: &["js", "mjs", "cjs", "jsx", "es6"],
    file_names: &["Jakefile"],
    interpreters: &["node", "nodejs"],
    // 2: types that only the documentation tells; 3: parts of parameters follow them
    // 4: what is thrown; `import.meta`
    // 6: defaults of type parameters
    version: 12, // 11: words of modules, functions in literals that are returned; 12: elements of literals
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    n_node_kinds: 265,
    rules: &[PLAIN, JSX, COMMON],
    modifiers: ecmascript::MODIFIERS,
    visibilities: &[],
    finish: Some(ecmascript::finish),
    line_definitions: ecmascript::LINE_DEFINITIONS,
    semantics: Some(&ecmascript::JAVASCRIPT),
    ..Language::EMPTY
};

#[cfg(test)]
mod tests {
    use super::JAVASCRIPT;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&JAVASCRIPT, "javascript/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&JAVASCRIPT);
    }
}
