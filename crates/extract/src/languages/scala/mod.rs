//! Scala, by its outline: packages, classes, objects, traits, enums, members, givens.

use crate::{outline, prelude::*, rules::*};

pub static SCALA: Language = Language {
    name: "scala",
    id: LanguageId(21),
    extensions: &["scala", "sc", "sbt"],
    interpreters: &["scala", "scala-cli", "amm"],
    version: 1,
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    n_node_kinds: 462,
    rules: &[RULES],
    modifiers: &[
        ("abstract", Modifiers::ABSTRACT),
        ("final", Modifiers::FINAL),
        ("override", Modifiers::OVERRIDE),
    ],
    visibilities: &[
        ("private", Visibility::Private),
        ("protected", Visibility::Protected),
    ],
    finish: Some(crate::flat::recover),
    line_definitions: &[
        ("class", SymbolKind::Class),
        ("object", SymbolKind::Object),
        ("trait", SymbolKind::Trait),
        ("enum", SymbolKind::Enum),
        ("def", SymbolKind::Function),
    ],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("block_comment").comment(),
    on_any(&["modifiers", "access_modifier"]).lifts_modifiers(),
    on("package_clause").enter(enter_package).leave(package),
    on_any(&["package_object", "object_definition"])
        .defines_type(SymbolKind::Object)
        .leave(outline::definition),
    on("class_definition")
        .defines_type(SymbolKind::Class)
        .leave(outline::definition),
    on("trait_definition")
        .defines_type(SymbolKind::Trait)
        .leave(outline::definition),
    on("enum_definition")
        .defines_type(SymbolKind::Enum)
        .leave(outline::definition),
    on("simple_enum_case")
        .defines(SymbolKind::EnumMember)
        .leave(outline::definition),
    on("full_enum_case")
        .defines_type(SymbolKind::EnumMember)
        .leave(outline::definition),
    on("class_parameter")
        .enter(enter_class_parameter)
        .leave(class_parameter),
    on_any(&["function_definition", "function_declaration"])
        .defines_function(SymbolKind::Function)
        .enter(outline::enter_member)
        .leave(function),
    on_any(&[
        "val_definition",
        "val_declaration",
        "var_definition",
        "var_declaration",
    ])
    .enter(outline::enter_value)
    .leave(value),
    on("given_definition")
        .enter(enter_given)
        .opens(ScopeKind::Type)
        .leave(given),
    on("type_definition")
        .defines(SymbolKind::TypeAlias)
        .leave(outline::definition),
    on_any(&["lambda_expression", "block"]).opens(ScopeKind::Lambda),
];

/// `package a.b` holds for the rest of the file, `package a { … }` for its body.
fn enter_package(walk: &mut Walk<'_>, frame: &mut Frame) {
    let mut span = frame.span;
    if !walk.source(frame.span).ends_with('}') {
        span.end = walk.text.len() as u32;
    }
    let symbol = walk.define(frame, SymbolKind::Namespace, span);
    frame.scope = Some(walk.new_scope(ScopeKind::Namespace, span, Some(symbol)));
}

fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let scope = frame.scope?;
    if walk.child(frame, "body").is_none() {
        walk.continue_in(symbol, scope);
    }
    None
}

/// A class parameter is a member when it says `val` or `var`, and in case classes.
fn enter_class_parameter(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let written = text
        .split([':', '='])
        .next()
        .unwrap_or("")
        .split_whitespace()
        .any(|word| matches!(word, "val" | "var"));
    let class = walk
        .ancestors()
        .nth(2)
        .map_or("", |class| walk.source(class.span));
    let of_case = class
        .split(['(', '[', '{'])
        .next()
        .unwrap_or("")
        .split_whitespace()
        .any(|word| word == "case");
    if written || of_case {
        let symbol = walk.define(frame, SymbolKind::Field, frame.span);
        walk.mark(symbol, Modifiers::CONSTRUCTOR_PARAMETER);
    }
}

fn class_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::finish_symbol(walk, frame, "name", "default_value");
    None
}

fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let is_constructor = walk
        .child(frame, "name")
        .is_some_and(|name| walk.source(name.span) == "this");
    let in_extension = walk
        .ancestors()
        .take(2)
        .any(|around| around.kind == "extension_definition");
    let symbol = walk.symbol_mut(symbol);
    if is_constructor {
        symbol.kind = SymbolKind::Constructor;
    }
    symbol
        .modifiers
        .insert_if(Modifiers::ABSTRACT, frame.kind == "function_declaration");
    symbol
        .modifiers
        .insert_if(Modifiers::EXTENSION, in_extension);
    None
}

/// `val a, b = 1`, `val (p, q) = pair`.
fn value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    if walk.symbol(symbol).kind == SymbolKind::Variable && frame.kind.starts_with("val") {
        walk.symbol_mut(symbol).kind = SymbolKind::Constant;
    }
    let named = |child: &&Child| matches!(child.field, "pattern" | "name");
    let patterns: Vec<Span> = walk
        .children(frame)
        .iter()
        .filter(named)
        .map(|child| child.span)
        .collect();
    // In `Some(x)` only `x` is bound.
    let bound =
        |walk: &Walk<'_>, name: Span| walk.text.as_bytes().get(name.end as usize) != Some(&b'(');
    let names: Vec<Span> = patterns
        .into_iter()
        .flat_map(|pattern| outline::words(walk, pattern))
        .filter(|&name| bound(walk, name))
        .collect();
    let end = walk.start_of(frame, "value");
    outline::name_values(walk, frame, &names, end);
    None
}

/// A given without a name cannot be asked for.
fn enter_given(walk: &mut Walk<'_>, frame: &mut Frame) {
    let symbol = walk.define(frame, SymbolKind::Object, frame.span);
    if let Some(scope) = frame.scope {
        walk.symbol_mut(symbol).body = Some(scope);
        walk.facts_mut().scopes[scope.0 as usize].owner = Some(symbol);
        let outer = walk.scope_of(scope).parent;
        walk.symbol_mut(symbol).declared_in = outer;
    }
}

fn given(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    if walk.child(frame, "name").is_none() {
        walk.mark(symbol, Modifiers::ANONYMOUS);
        if let Some(ty) = walk.child(frame, "return_type") {
            shared::name_symbol(walk, symbol, ty.span);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::SCALA;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&SCALA, "scala/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&SCALA);
    }
}
