//! HTML, by its elements with an id. Scripts and styles are other languages.

use crate::{prelude::*, rules::*};

pub static HTML: Language = Language {
    name: "html",
    id: LanguageId(29),
    extensions: &["html", "htm", "xhtml"],
    version: 1,
    grammar: || tree_sitter_html::LANGUAGE.into(),
    n_node_kinds: 41,
    rules: &[RULES],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on_any(&["script_element", "style_element", "attribute"]).opaque(),
    on_any(&["start_tag", "self_closing_tag"]).leave(tag),
];

/// The rest of the element is in the symbol of its start tag.
fn tag(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let attributes = walk.filter(frame, |child| child.kind == "attribute");
    let id = attributes
        .iter()
        .find_map(|attribute| id(walk, attribute.span))?;
    let element = walk
        .parent()
        .filter(|parent| parent.kind == "element")?
        .span;
    // An element without an end tag goes on to what follows.
    let end = element.start + walk.source(element).trim_end().len() as u32;
    let symbol = walk.new_symbol(SymbolKind::Element, Span::new(element.start, end));
    shared::name_symbol(walk, symbol, id);
    walk.symbol_mut(symbol).signature = frame.span;
    walk.continue_in(symbol, walk.scope());
    None
}

/// The value of `id="value"`, unless a template makes it.
fn id(walk: &Walk<'_>, attribute: Span) -> Option<Span> {
    let text = walk.source(attribute);
    let (name, value) = text.split_once('=')?;
    if !name.trim_end().eq_ignore_ascii_case("id") {
        return None;
    }
    let value = value.trim_start();
    let inner = value.trim_matches(['"', '\'']);
    if inner.is_empty() || inner.contains(|c: char| c.is_whitespace() || "{}<>$%".contains(c)) {
        return None;
    }
    let start = attribute.start + (inner.as_ptr() as usize - text.as_ptr() as usize) as u32;
    Some(Span::sized(start, inner.len()))
}

#[cfg(test)]
mod tests {
    use super::HTML;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&HTML, "html/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&HTML);
    }
}
