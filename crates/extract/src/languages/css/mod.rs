//! CSS, by its outline: a symbol for each selector of a rule, custom properties, keyframes, layers.

use crate::{outline, prelude::*, rules::*};

pub static CSS: Language = Language {
    name: "css",
    id: LanguageId(30),
    extensions: &["css", "pcss", "postcss"],
    version: 1,
    grammar: || tree_sitter_css::LANGUAGE.into(),
    n_node_kinds: 151,
    rules: &[RULES],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("js_comment").comment(),
    on("rule_set").defines(SymbolKind::Element).no_value(),
    on("selectors").leave(selectors),
    on("declaration").enter(enter_declaration).no_value(),
    on("keyframes_statement")
        .defines(SymbolKind::Element)
        .leave(keyframes),
    on("keyframe_block_list").opaque(),
    on("at_rule").enter(enter_at_rule).no_value(),
];

/// `.a, .b { }` is a rule for each.
fn selectors(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let rule = walk
        .parent()
        .filter(|parent| parent.kind == "rule_set")
        .cloned()?;
    let mut names: Vec<Span> = walk
        .children(frame)
        .iter()
        .filter(|child| child.kind != "ERROR")
        .map(|child| child.span)
        .collect();
    if names.is_empty() {
        names.push(frame.span);
    }
    // Of a selector in several lines, the last says what the rule is for.
    for name in &mut names {
        let text = walk.source(*name);
        let last = text.rfind('\n').map_or(text, |end| &text[end + 1..]);
        name.start = name.end - last.trim_start().len() as u32;
    }
    outline::name_values(walk, &rule, &names, frame.span.end);
    None
}

/// `--main: red`.
fn enter_declaration(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let Some(len) = text
        .find(|c: char| c == ':' || c.is_whitespace())
        .filter(|_| text.starts_with("--"))
    else {
        return;
    };
    let symbol = walk.define(frame, SymbolKind::Variable, frame.span);
    shared::name_symbol(walk, symbol, Span::sized(frame.span.start, len));
    let end = frame.span.start + text.trim_end_matches(';').trim_end().len() as u32;
    walk.symbol_mut(symbol).signature.end = end;
}

fn keyframes(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    if let Some(name) = walk.child_of_kind(frame, "keyframes_name") {
        shared::name_symbol(walk, symbol, name.span);
        walk.symbol_mut(symbol).signature.end = name.span.end;
    }
    None
}

/// `@layer base { }` holds rules, `@property --x { }` declares; what others are about has no name.
fn enter_at_rule(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let Some((head, _)) = text.split_once('{') else {
        return;
    };
    let mut words = head.split_whitespace();
    let kind = match words.next() {
        Some("@layer") => SymbolKind::Element,
        Some("@property") => SymbolKind::Variable,
        _ => return,
    };
    let Some(name) = words.next() else { return };
    let start = frame.span.start + (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
    let symbol = walk.define(frame, kind, frame.span);
    shared::name_symbol(walk, symbol, Span::sized(start, name.len()));
    walk.symbol_mut(symbol).signature.end = frame.span.start + head.trim_end().len() as u32;
}

#[cfg(test)]
mod tests {
    use super::CSS;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&CSS, "css/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&CSS);
    }
}
