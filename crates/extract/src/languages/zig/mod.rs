//! Zig, by its outline: a type is a constant whose value is a struct, enum, union or error set.

use crate::{outline, prelude::*, rules::*};

pub static ZIG: Language = Language {
    name: "zig",
    id: LanguageId(22),
    extensions: &["zig"],
    version: 1,
    grammar: || tree_sitter_zig::LANGUAGE.into(),
    n_node_kinds: 274,
    rules: &[RULES],
    modifiers: &[
        ("extern", Modifiers::EXTERN),
        ("export", Modifiers::EXPORTED),
    ],
    visibilities: &[("pub", Visibility::Public)],
    finish: Some(crate::flat::recover),
    line_definitions: &[("fn", SymbolKind::Function)],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("function_declaration")
        .defines_function(SymbolKind::Function)
        .enter(outline::enter_member)
        .leave(outline::definition),
    on("variable_declaration")
        .enter(enter_variable)
        .leave(variable),
    on_any(&[
        "struct_declaration",
        "enum_declaration",
        "union_declaration",
        "opaque_declaration",
    ])
    .enter(enter_type)
    .no_value(),
    on("error_set_declaration").enter(enter_type).leave(errors),
    on("container_field")
        .enter(enter_field)
        .leave(outline::definition),
    on("test_declaration")
        .defines_function(SymbolKind::Function)
        .leave(test),
    on("comptime_declaration").opens(ScopeKind::Function),
    on("block").opens(ScopeKind::Lambda),
];

/// Variables in bodies are no symbols, types in bodies are.
fn enter_variable(walk: &mut Walk<'_>, frame: &mut Frame) {
    const TYPES: &[&str] = &[
        "struct", "enum", "union", "opaque", "error", "packed", "extern",
    ];
    let text = walk.source(frame.span);
    let value = text
        .split_once('=')
        .map_or("", |(_, value)| value.trim_start());
    let is_type = TYPES.iter().any(|word| {
        value
            .strip_prefix(word)
            .is_some_and(|rest| rest.starts_with([' ', '{', '(']))
    });
    if is_type || !outline::in_body(walk) {
        let head = text.split('=').next().unwrap_or("");
        let kind = if head.split_whitespace().any(|word| word == "const") {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        };
        walk.define(frame, kind, frame.span);
    }
}

fn variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk
        .child_of_kind(frame, "identifier")
        .map(|child| child.span)?;
    let text = walk.source(frame.span);
    let end = text
        .find('=')
        .map_or(frame.span.end, |end| frame.span.start + end as u32);
    outline::name_values(walk, frame, &[name], end);
    None
}

/// The body of a type: its members belong to the constant that holds it, else to the function that
/// returns it.
fn enter_type(walk: &mut Walk<'_>, frame: &mut Frame) {
    let kind = match frame.kind {
        "enum_declaration" | "error_set_declaration" => SymbolKind::Enum,
        "union_declaration" => SymbolKind::Union,
        _ => SymbolKind::Struct,
    };
    let holder = walk
        .ancestors()
        .nth(1)
        .filter(|parent| parent.kind == "variable_declaration")
        .and_then(|parent| parent.symbol);
    if let Some(holder) = holder {
        walk.symbol_mut(holder).kind = kind;
    }
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, holder));
}

fn enter_field(walk: &mut Walk<'_>, frame: &mut Frame) {
    let of_enum = walk.ancestor_is(1, &["enum_declaration"]);
    // Fields of tuples have no names, and an empty body has a field that is not there.
    let text = walk.source(frame.span);
    let text = text.strip_prefix("comptime ").unwrap_or(text);
    let len = shared::word_len(text);
    let quoted = text.starts_with("@\"");
    if quoted
        || len > 0
            && (of_enum
                || matches!(
                    text[len..].trim_start().chars().next(),
                    None | Some(':' | '=')
                ))
    {
        walk.define(
            frame,
            if of_enum {
                SymbolKind::EnumMember
            } else {
                SymbolKind::Field
            },
            frame.span,
        );
    }
}

fn errors(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    for name in walk.filter(frame, |child| child.kind == "identifier") {
        let symbol = walk.new_symbol(SymbolKind::EnumMember, name.span);
        shared::name_symbol(walk, symbol, name.span);
    }
    None
}

/// Named by its text or by what it tests.
fn test(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "")?;
    if let Some(body) = walk.child_of_kind(frame, "block") {
        walk.symbol_mut(symbol).signature.end = body.span.start;
    }
    let name = walk
        .child_of_kind(frame, "string")
        .map(|text| Span::new(text.span.start + 1, text.span.end - 1));
    let name = name.or_else(|| {
        walk.child_of_kind(frame, "identifier")
            .map(|child| child.span)
    });
    let name = name.or_else(|| outline::keyword(walk, frame.span, frame.span.start, "test"))?;
    shared::name_symbol(walk, symbol, name);
    walk.mark(symbol, Modifiers::TEST);
    None
}

#[cfg(test)]
mod tests {
    use super::ZIG;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&ZIG, "zig/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&ZIG);
    }
}
