//! Lua, by its outline: functions, and the variables and fields set outside of functions.
//!
//! A table that the file keeps in a variable owns the functions and fields written for it.

use crate::{outline, prelude::*, rules::*};
use rustc_hash::FxHashMap;

pub static LUA: Language = Language {
    name: "lua",
    id: LanguageId(26),
    extensions: &["lua", "luau", "rockspec"],
    file_names: &[".luacheckrc"],
    interpreters: &["lua", "luajit", "texlua"],
    version: 1,
    grammar: || tree_sitter_lua::LANGUAGE.into(),
    n_node_kinds: 143,
    rules: &[RULES],
    finish: Some(finish),
    line_definitions: &[("function", SymbolKind::Function)],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("function_declaration")
        .defines_function(SymbolKind::Function)
        .leave(function),
    on("function_definition").opens(ScopeKind::Function),
    on("variable_declaration").enter(enter_local).no_value(),
    on("assignment_statement")
        .enter(enter_assignment)
        .no_value(),
    on("field").enter(enter_field).no_value(),
];

/// `function f()`, `function Cart.new()`, `function Cart:add()`.
fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "body")?;
    let name = walk.child(frame, "name").map(|name| name.span)?;
    if walk.child(frame, "body").is_none() {
        let parameters = walk
            .child(frame, "parameters")
            .map_or(name.end, |parameters| parameters.span.end);
        walk.symbol_mut(symbol).signature.end = parameters;
    }
    if walk.source(name).contains(':') {
        walk.symbol_mut(symbol).kind = SymbolKind::Method;
    }
    name_path(walk, symbol, name);
    None
}

/// The last word of `a.b.c` is the name, what is before it the owner.
fn name_path(walk: &mut Walk<'_>, symbol: SymbolIndex, path: Span) {
    let text = walk.source(path);
    let Some(last) = text.rfind(['.', ':']) else {
        shared::name_symbol(walk, symbol, path);
        return;
    };
    let written = text[last + 1..].trim_start();
    shared::name_symbol(
        walk,
        symbol,
        Span::new(path.end - written.len() as u32, path.end),
    );
    let owner = walk.name(text[..last].trim_end());
    walk.symbol_mut(symbol).owner = walk.ty(TypeRecipe::Name(owner));
}

/// The next assignment starts at `local`; without one the names are alone.
fn enter_local(walk: &mut Walk<'_>, frame: &mut Frame) {
    if outline::in_body(walk) {
        return;
    }
    if walk.source(frame.span).contains('=') {
        return walk.leading_start(frame.span.start);
    }
    let from = frame.span.start + "local".len() as u32;
    define(walk, frame, Span::new(from, frame.span.end), "");
}

fn enter_assignment(walk: &mut Walk<'_>, frame: &mut Frame) {
    if outline::in_body(walk) {
        return;
    }
    let text = walk.source(frame.span);
    let head = text.split('=').next().unwrap_or("");
    let value = text[head.len()..].trim_start_matches('=').trim_start();
    define(
        walk,
        frame,
        Span::sized(frame.span.start, head.len()),
        value,
    );
    walk.forget_leading();
}

/// A symbol for each target that is a name or a path of names.
fn define(walk: &mut Walk<'_>, frame: &mut Frame, targets: Span, value: &str) {
    let is_function = is_function(value);
    let mut first = None;
    for target in walk.source(targets).split(',') {
        let (path, attribute) = target.split_once('<').unwrap_or((target, ""));
        let path = path.trim();
        let is_path = !path.is_empty() && path.split('.').all(is_name);
        if !is_path {
            continue;
        }
        let kind = match (path.contains('.'), is_function) {
            (_, true) => SymbolKind::Function,
            (true, _) => SymbolKind::Field,
            _ if attribute.starts_with("const") => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let start = targets.start
            + (path.as_ptr() as usize - walk.source(targets).as_ptr() as usize) as u32;
        let symbol = match first {
            None => walk.define(frame, kind, frame.span),
            Some(first) => {
                let symbol = walk.new_symbol(kind, frame.span);
                let (parent, span) = (walk.symbol(first).parent, walk.symbol(first).span);
                let symbol_mut = walk.symbol_mut(symbol);
                (symbol_mut.parent, symbol_mut.span) = (parent, span);
                symbol
            }
        };
        first.get_or_insert(symbol);
        name_path(walk, symbol, Span::sized(start, path.len()));
        sign(walk, symbol, targets.end, value);
    }
}

/// A function is signed with its parameters, a table without its fields.
fn sign(walk: &mut Walk<'_>, symbol: SymbolIndex, head_end: u32, value: &str) {
    let span = walk.symbol(symbol).span;
    let line = walk.source(span).lines().next().unwrap_or("").len() as u32;
    let head = if value.starts_with('{') {
        head_end
    } else {
        span.start + line
    };
    let end = match value.find(')').filter(|_| is_function(value)) {
        Some(end) => span.end - (value.len() - end) as u32 + 1,
        None => head,
    };
    let end = span.start
        + walk
            .source(Span::new(span.start, end.clamp(span.start, span.end)))
            .trim_end()
            .len() as u32;
    walk.symbol_mut(symbol).signature = Span::new(span.start, end);
}

fn is_function(value: &str) -> bool {
    value
        .strip_prefix("function")
        .is_some_and(|rest| rest.trim_start().starts_with('('))
}

fn is_name(word: &str) -> bool {
    let word = word.trim();
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Tables with more fields are data.
const MAX_SYMBOLS: usize = 5_000;

/// The fields of a table that a variable of the file holds or that the file returns.
fn enter_field(walk: &mut Walk<'_>, frame: &mut Frame) {
    let around: Vec<&str> = walk
        .ancestors()
        .skip(1)
        .take(3)
        .map(|open| open.kind)
        .collect();
    let stands_high = matches!(
        around[..],
        [
            "table_constructor",
            "expression_list",
            "assignment_statement" | "return_statement"
        ]
    );
    if !stands_high || outline::in_body(walk) || walk.facts().symbols.len() >= MAX_SYMBOLS {
        return;
    }
    let text = walk.source(frame.span);
    let Some((head, value)) = text.split_once('=') else {
        return;
    };
    let (name, value) = (head.trim_end(), value.trim_start());
    if !is_name(name) || value.starts_with('=') {
        return;
    }
    let kind = if is_function(value) {
        SymbolKind::Function
    } else {
        SymbolKind::Field
    };
    let symbol = walk.define(frame, kind, frame.span);
    shared::name_symbol(walk, symbol, Span::sized(frame.span.start, name.len()));
    sign(walk, symbol, frame.span.start + head.len() as u32, value);
}

fn finish(walk: &mut Walk<'_>) {
    crate::flat::recover(walk);
    outline::keep_first_values(walk);
    // `function Cart.new()` belongs to the `Cart` that is before it.
    let mut tables = FxHashMap::default();
    for index in 0..walk.facts().symbols.len() {
        let symbol = SymbolIndex(index as u32);
        let found = walk.symbol(symbol);
        if found.parent.is_none()
            && let TypeRecipe::Name(owner) = walk.type_of(found.owner)
        {
            let parent = tables.get(&owner).copied();
            walk.symbol_mut(symbol).parent = parent;
        } else if found.parent.is_none()
            && matches!(found.kind, SymbolKind::Variable | SymbolKind::Constant)
        {
            tables.entry(found.name).or_insert(symbol);
        }
        if walk.source(walk.symbol(symbol).span).starts_with("local ") {
            walk.symbol_mut(symbol).visibility = Visibility::Private;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LUA;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&LUA, "lua/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&LUA);
    }
}
