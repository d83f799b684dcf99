//! Vue and Svelte files: their script parts, read as TypeScript. What such a file exports is the
//! component that it is.

use std::ops::Range;

use crate::prelude::*;

use super::{ecmascript, typescript};

pub static VUE: Language = Language {
    name: "vue",
    id: LanguageId(14),
    extensions: &["vue"],
    // 3: defaults of type parameters
    version: 8, // 7: words of modules, functions in literals that are returned; 8: predicates, elements of literals
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    n_node_kinds: 383,
    rules: typescript::RULES,
    modifiers: ecmascript::MODIFIERS,
    visibilities: ecmascript::VISIBILITIES,
    prepare: Some(typescript::prepare),
    parts: Some(scripts),
    finish: Some(finish),
    line_definitions: ecmascript::LINE_DEFINITIONS,
    semantics: Some(&ecmascript::JAVASCRIPT),
    ..Language::EMPTY
};

pub static SVELTE: Language = Language {
    name: "svelte",
    id: LanguageId(15),
    extensions: &["svelte"],
    // 3: defaults of type parameters
    version: 8, // 7: words of modules, functions in literals that are returned; 8: predicates, elements of literals
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    n_node_kinds: 383,
    rules: typescript::RULES,
    modifiers: ecmascript::MODIFIERS,
    visibilities: ecmascript::VISIBILITIES,
    prepare: Some(typescript::prepare),
    parts: Some(scripts),
    finish: Some(finish),
    line_definitions: ecmascript::LINE_DEFINITIONS,
    semantics: Some(&ecmascript::JAVASCRIPT),
    ..Language::EMPTY
};

/// What is between `<script …>` and `</script>`, each time that a line starts with it.
fn scripts(text: &str) -> Vec<Range<usize>> {
    const OPEN: &[u8] = b"<script";
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&bytes[at..], OPEN) {
        let tag = at + found;
        at = tag + OPEN.len();
        let starts_line = bytes[..tag]
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .all(|byte| byte.is_ascii_whitespace());
        let is_tag = bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'>');
        let Some(start) = end_of_tag(&bytes[at..])
            .map(|end| at + end)
            .filter(|_| starts_line && is_tag)
        else {
            continue;
        };
        let end = memchr::memmem::find(&bytes[start..], b"</script")
            .map_or(bytes.len(), |end| start + end);
        parts.push(start..end);
        at = end;
    }
    parts
}

/// The byte after the `>` that ends a tag; one inside quotes does not. A tag that ends itself has
/// no content.
fn end_of_tag(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (i, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return (i == 0 || bytes[i - 1] != b'/').then_some(i + 1),
            (None, _) => {}
        }
    }
    None
}

/// A file without a default export of its own still is a component that others import.
fn finish(walk: &mut Walk<'_>) {
    ecmascript::finish(walk);
    let default = walk.name("default");
    let facts = walk.facts();
    let has_default = facts
        .symbols
        .iter()
        .any(|symbol| symbol.modifiers.contains(Modifiers::DEFAULT_EXPORT))
        || facts
            .exports
            .iter()
            .any(|export| export.exported == default);
    if has_default {
        return;
    }
    let symbol = walk.new_symbol(SymbolKind::Class, Span::new(0, walk.text.len() as u32));
    let found = walk.symbol_mut(symbol);
    (found.name, found.signature, found.name_span) = (default, Span::empty(0), Span::empty(0));
    found.modifiers = Modifiers::DEFAULT_EXPORT | Modifiers::SYNTHETIC | Modifiers::ANONYMOUS;
}

#[cfg(test)]
mod tests {
    use super::{SVELTE, VUE};
    use crate::cases;

    #[test]
    fn vue() {
        cases::check(&VUE, "vue/cases.md", 5);
    }

    #[test]
    fn svelte() {
        cases::check(&SVELTE, "vue/cases_svelte.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&VUE);
        cases::check_grammar(&SVELTE);
    }
}
