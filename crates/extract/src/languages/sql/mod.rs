//! SQL, by what it creates: tables with their columns, views, functions, procedures, types,
//! indexes, triggers.
//!
//! No grammar reads every dialect; what this one skips is found by its `CREATE`.

use crate::{prelude::*, rules::*};

mod recovery;

pub static SQL: Language = Language {
    name: "sql",
    id: LanguageId(27),
    extensions: &["sql", "ddl", "psql", "pgsql", "plsql", "pks", "pkb"],
    version: 1,
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    n_node_kinds: 729,
    rules: &[RULES],
    prepare: Some(recovery::prepare),
    finish: Some(recovery::finish),
    line_definitions: &[
        ("TABLE", SymbolKind::Element),
        ("VIEW", SymbolKind::Element),
        ("FUNCTION", SymbolKind::Function),
        ("PROCEDURE", SymbolKind::Function),
    ],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("marginalia").comment(),
    on("create_table")
        .defines_type(SymbolKind::Element)
        .leave(created),
    on_any(&[
        "create_view",
        "create_materialized_view",
        "create_trigger",
        "create_sequence",
    ])
    .defines(SymbolKind::Element)
    .leave(created),
    on("create_index").enter(enter_index).leave(created),
    on_any(&["create_schema", "create_database"])
        .defines(SymbolKind::Namespace)
        .leave(created),
    on("create_type")
        .defines_type(SymbolKind::TypeAlias)
        .leave(created),
    on("create_function")
        .defines_function(SymbolKind::Function)
        .leave(created),
    on("column_definition").enter(enter_column).leave(column),
    on("enum_elements").leave(enum_elements),
];

fn created(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const BODIES: &[&str] = &[
        "column_definitions",
        "create_query",
        "function_body",
        "enum_elements",
    ];
    let symbol = shared::finish_symbol(walk, frame, "", "")?;
    let children = walk.children(frame);
    // An index is named before the table that it belongs to.
    let first = children
        .iter()
        .find(|child| matches!(child.kind, "object_reference" | "identifier" | "literal"));
    if let Some(path) = first.map(|child| child.span) {
        name(walk, symbol, path);
    }
    let children = walk.children(frame);
    let body = children.iter().find(|child| BODIES.contains(&child.kind));
    let end = body.map_or(frame.span.end, |body| body.span.start);
    let kind = match body.map(|body| body.kind) {
        Some("enum_elements") => Some(SymbolKind::Enum),
        Some("column_definitions") if frame.kind == "create_type" => Some(SymbolKind::Struct),
        _ => None,
    };
    let end = frame.span.start
        + walk
            .source(Span::new(frame.span.start, end))
            .trim_end()
            .len() as u32;
    let symbol = walk.symbol_mut(symbol);
    symbol.signature = Span::new(frame.span.start, end);
    symbol.kind = kind.unwrap_or(symbol.kind);
    None
}

/// The last part of `schema.name` is the name, without its quotes.
fn name(walk: &mut Walk<'_>, symbol: SymbolIndex, path: Span) {
    let text = walk.source(path);
    let last = recovery::last_part(text);
    let start = path.start + (last.as_ptr() as usize - text.as_ptr() as usize) as u32;
    shared::name_symbol(walk, symbol, Span::sized(start, last.len()));
}

/// `CREATE INDEX ON t (a)` has no name.
fn enter_index(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let unnamed = text
        .split_whitespace()
        .take(6)
        .zip(text.split_whitespace().skip(1))
        .any(|(word, next)| {
            let introduces = ["index", "concurrently"]
                .iter()
                .any(|introducing| word.eq_ignore_ascii_case(introducing));
            introduces && next.eq_ignore_ascii_case("on")
        });
    if !unnamed {
        walk.define(frame, SymbolKind::Element, frame.span);
    }
}

/// Columns of tables and composite types, and those that a migration adds.
fn enter_column(walk: &mut Walk<'_>, frame: &mut Frame) {
    let parent = walk.ancestors().nth(1).map(|parent| parent.kind);
    let of_created = walk.ancestor_is(2, &["create_table", "create_type"]);
    if of_created || parent == Some("add_column") {
        walk.define(frame, SymbolKind::Field, frame.span);
    }
}

fn column(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "")?;
    if let Some(written) = walk.child(frame, "name").map(|name| name.span) {
        name(walk, symbol, written);
    }
    walk.symbol_mut(symbol).modifiers = Modifiers::default();
    if walk.parent_is(&["add_column"])
        && let Some(table) = walk
            .children_of_ancestor(1)
            .iter()
            .find(|child| child.kind == "object_reference")
            .map(|child| child.span)
    {
        let table = walk.name(recovery::last_part(walk.source(table)));
        walk.symbol_mut(symbol).owner = walk.ty(TypeRecipe::Name(table));
    }
    None
}

fn enum_elements(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    for element in walk.filter(frame, |child| child.kind == "literal") {
        let symbol = walk.new_symbol(SymbolKind::EnumMember, element.span);
        name(walk, symbol, element.span);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::SQL;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&SQL, "sql/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&SQL);
    }
}
