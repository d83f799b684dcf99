//! Protocol Buffers, by their outline: messages, fields, enums, services, calls.

use crate::{prelude::*, rules::*};

pub static PROTO: Language = Language {
    name: "proto",
    id: LanguageId(28),
    extensions: &["proto"],
    version: 1,
    grammar: || tree_sitter_proto::LANGUAGE.into(),
    n_node_kinds: 135,
    rules: &[RULES],
    finish: Some(crate::flat::recover),
    line_definitions: &[
        ("message", SymbolKind::Element),
        ("enum", SymbolKind::Enum),
        ("service", SymbolKind::Interface),
        ("rpc", SymbolKind::Method),
    ],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("package").defines(SymbolKind::Namespace).leave(package),
    on_any(&["message", "group"])
        .defines_type(SymbolKind::Element)
        .leave(definition),
    on("enum").defines_type(SymbolKind::Enum).leave(definition),
    on("service")
        .defines_type(SymbolKind::Interface)
        .leave(definition),
    on("extend")
        .defines_type(SymbolKind::Impl)
        .leave(definition),
    on("oneof")
        .defines_type(SymbolKind::Union)
        .leave(definition),
    on("rpc").defines(SymbolKind::Method).leave(definition),
    on_any(&["field", "map_field", "oneof_field"])
        .defines(SymbolKind::Field)
        .leave(definition),
    on("enum_field")
        .defines(SymbolKind::EnumMember)
        .leave(definition),
    on("option").opaque(),
];

fn definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const NAMES: &[&str] = &[
        "message_name",
        "enum_name",
        "service_name",
        "rpc_name",
        "identifier",
        "full_ident",
    ];
    let symbol = shared::finish_symbol(walk, frame, "", "")?;
    let name = walk
        .children(frame)
        .iter()
        .find(|child| NAMES.contains(&child.kind))
        .map(|child| child.span)?;
    shared::name_symbol(walk, symbol, name);
    // Options in brackets are no body.
    let text = walk.source(frame.span);
    let end = text
        .find(['{', '['])
        .filter(|&end| text[end..].starts_with('{'))
        .map_or(text.len(), |end| end);
    let end = frame.span.start + text[..end].trim_end_matches(';').trim_end().len() as u32;
    walk.symbol_mut(symbol).signature = Span::new(frame.span.start, end);
    let deprecated = matches!(
        walk.symbol(symbol).kind,
        SymbolKind::Field | SymbolKind::EnumMember
    ) && text.contains("deprecated = true");
    if deprecated {
        walk.mark(symbol, Modifiers::DEPRECATED);
    }
    None
}

/// Holds for the rest of the file.
fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "")?;
    let name = walk
        .child_of_kind(frame, "full_ident")
        .map(|name| name.span)?;
    shared::name_symbol(walk, symbol, name);
    let whole = Span::new(frame.span.start, walk.text.len() as u32);
    walk.symbol_mut(symbol).span = whole;
    let scope = walk.new_scope(ScopeKind::Namespace, whole, Some(symbol));
    walk.continue_in(symbol, scope);
    None
}

#[cfg(test)]
mod tests {
    use super::PROTO;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&PROTO, "proto/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&PROTO);
    }
}
