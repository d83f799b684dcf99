//! JSON, by its keys.

use crate::{prelude::*, rules::*};

use super::keys;

pub static JSON: Language = Language {
    name: "json",
    id: LanguageId(31),
    extensions: &["json", "jsonc", "webmanifest", "code-workspace"],
    file_names: &[".babelrc", ".eslintrc", ".jshintrc", ".swcrc"],
    version: 1,
    grammar: || tree_sitter_json::LANGUAGE.into(),
    n_node_kinds: 25,
    rules: &[RULES],
    finish: Some(keys::finish),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("string").opaque(),
    on("array").no_value(),
    on("pair").enter(enter_pair).leave(pair),
];

fn enter_pair(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(name) = key(walk, frame.span) else {
        return;
    };
    keys::enter(walk, frame, name, &["pair"], &["array"]);
}

/// What is between the quotes of a pair's key.
fn key(walk: &Walk<'_>, pair: Span) -> Option<Span> {
    let inner = walk.source(pair).strip_prefix('"')?;
    let mut escaped = false;
    for (i, byte) in inner.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return Some(Span::sized(pair.start + 1, i)),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    None
}

fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(symbol) = frame.symbol {
        let value = walk.start_of(frame, "value");
        keys::sign(walk, symbol, value);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::JSON;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&JSON, "json/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&JSON);
    }
}
