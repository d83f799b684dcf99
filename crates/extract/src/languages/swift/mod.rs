//! Swift, by its outline: types, extensions, members, functions, properties.

use crate::{outline, prelude::*, rules::*};

pub static SWIFT: Language = Language {
    name: "swift",
    id: LanguageId(20),
    extensions: &["swift"],
    interpreters: &["swift"],
    version: 1,
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    n_node_kinds: 572,
    rules: &[RULES],
    modifiers: &[
        ("static", Modifiers::STATIC),
        ("final", Modifiers::FINAL),
        ("override", Modifiers::OVERRIDE),
        ("async", Modifiers::ASYNC),
        ("optional", Modifiers::OPTIONAL),
    ],
    finish: Some(crate::flat::recover),
    line_definitions: &[
        ("func", SymbolKind::Function),
        ("class", SymbolKind::Class),
        ("struct", SymbolKind::Struct),
        ("enum", SymbolKind::Enum),
        ("protocol", SymbolKind::Interface),
        ("extension", SymbolKind::Impl),
        ("actor", SymbolKind::Class),
    ],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("multiline_comment").comment(),
    on_any(&[
        "modifiers",
        "property_modifier",
        "inheritance_modifier",
        "member_modifier",
        "function_modifier",
    ])
    .lifts_modifiers(),
    on("visibility_modifier")
        .lifts_modifiers()
        .enter(enter_visibility),
    on("class_declaration")
        .defines_type(SymbolKind::Class)
        .leave(type_declaration),
    on("protocol_declaration")
        .defines_type(SymbolKind::Interface)
        .leave(outline::definition),
    on("function_declaration")
        .defines_function(SymbolKind::Function)
        .enter(outline::enter_member)
        .leave(outline::definition),
    on("protocol_function_declaration")
        .defines_function(SymbolKind::Method)
        .leave(requirement),
    on("init_declaration")
        .defines_function(SymbolKind::Constructor)
        .leave(named_by_keyword),
    on("deinit_declaration")
        .defines_function(SymbolKind::Method)
        .leave(named_by_keyword),
    on("subscript_declaration")
        .defines_function(SymbolKind::Indexer)
        .leave(named_by_keyword),
    on("typealias_declaration")
        .defines(SymbolKind::TypeAlias)
        .leave(outline::definition),
    on("associatedtype_declaration")
        .defines(SymbolKind::TypeAlias)
        .leave(requirement),
    on("enum_entry").enter(outline::enter_value).leave(cases),
    on_any(&["property_declaration", "protocol_property_declaration"])
        .enter(outline::enter_value)
        .leave(property),
    on_any(&["computed_property", "willset_didset_block"]).opens(ScopeKind::Function),
    on("lambda_literal").opens(ScopeKind::Lambda),
    on("macro_declaration")
        .defines_function(SymbolKind::Macro)
        .leave(first_word),
    on("operator_declaration")
        .defines(SymbolKind::Operator)
        .leave(first_word),
];

fn enter_visibility(walk: &mut Walk<'_>, frame: &mut Frame) {
    frame.visibility = match walk.source(frame.span) {
        "public" | "open" => Visibility::Public,
        "internal" | "package" => Visibility::Internal,
        "private" | "fileprivate" => Visibility::Private,
        // `private(set)` is about writing only.
        _ => Visibility::Default,
    };
}

/// Classes, structs, enums, actors and extensions, told apart by the word before the name.
fn type_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let name = walk.child(frame, "name")?;
    let before = walk.source(Span::new(frame.span.start, name.span.start));
    let kind = match before.split_whitespace().next_back() {
        Some("struct") => SymbolKind::Struct,
        Some("enum") => SymbolKind::Enum,
        Some("extension") => SymbolKind::Impl,
        _ => SymbolKind::Class,
    };
    walk.symbol_mut(symbol).kind = kind;
    // An extension of `A.B<C>` is named `B`.
    let end = walk
        .source(name.span)
        .find('<')
        .map_or(name.span.end, |end| name.span.start + end as u32);
    let path = Span::new(name.span.start, end);
    if let Some(&last) = outline::words(walk, path).last() {
        shared::name_symbol(walk, symbol, last);
    }
    None
}

/// What a protocol asks for.
fn requirement(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(symbol) = shared::finish_symbol(walk, frame, "name", "body") {
        walk.mark(symbol, Modifiers::ABSTRACT);
    }
    None
}

fn named_by_keyword(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "body")?;
    let from = walk
        .child_of_kind(frame, "modifiers")
        .map_or(frame.span.start, |modifiers| modifiers.span.end);
    let keyword = match frame.kind {
        "init_declaration" => "init",
        "deinit_declaration" => "deinit",
        _ => "subscript",
    };
    if let Some(name) = outline::keyword(walk, frame.span, from, keyword) {
        shared::name_symbol(walk, symbol, name);
    }
    if let Some(body) = walk.child_of_kind(frame, "computed_property") {
        walk.symbol_mut(symbol).signature.end = body.span.start;
    }
    None
}

/// `case a, b(Int)`.
fn cases(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let names: Vec<_> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "name")
        .map(|child| child.span)
        .collect();
    if let Some(symbol) = frame.symbol {
        walk.symbol_mut(symbol).kind = SymbolKind::EnumMember;
    }
    outline::name_values(walk, frame, &names, frame.span.end);
    None
}

/// `var a = 1, b: Int`, `let (c, d) = e`.
fn property(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let patterns: Vec<_> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "name")
        .map(|child| child.span)
        .collect();
    let names: Vec<_> = patterns
        .into_iter()
        .flat_map(|pattern| outline::words(walk, pattern))
        .filter(|&name| !matches!(walk.source(name), "var" | "let"))
        .collect();
    let symbol = frame.symbol?;
    let constant = walk
        .child_of_kind(frame, "value_binding_pattern")
        .is_some_and(|word| walk.source(word.span) == "let");
    let kind = match walk.symbol(symbol).kind {
        SymbolKind::Field => SymbolKind::Property,
        _ if constant => SymbolKind::Constant,
        other => other,
    };
    walk.symbol_mut(symbol).kind = kind;
    if frame.kind == "protocol_property_declaration" {
        walk.mark(symbol, Modifiers::ABSTRACT);
    }
    let end = walk
        .child(frame, "value")
        .or_else(|| walk.child(frame, "computed_value"))
        .map_or(frame.span.end, |value| value.span.start);
    outline::name_values(walk, frame, &names, end);
    None
}

/// A declaration whose name is its first word or operator.
fn first_word(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "definition")?;
    let name = walk
        .children(frame)
        .iter()
        .find(|child| matches!(child.kind, "simple_identifier" | "custom_operator"))
        .map(|child| child.span);
    if let Some(name) = name {
        shared::name_symbol(walk, symbol, name);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::SWIFT;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&SWIFT, "swift/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&SWIFT);
    }
}
