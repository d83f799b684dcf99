//! Haskell, by its outline: the clauses of a function and its signature are one symbol; local
//! functions are none.

use crate::{outline, prelude::*, rules::*};

pub static HASKELL: Language = Language {
    name: "haskell",
    id: LanguageId(23),
    extensions: &["hs", "hs-boot"],
    interpreters: &["runhaskell", "runghc", "stack"],
    version: 1,
    grammar: || tree_sitter_haskell::LANGUAGE.into(),
    n_node_kinds: 552,
    rules: &[RULES],
    finish: Some(crate::flat::recover),
    line_definitions: &[
        ("data", SymbolKind::Enum),
        ("newtype", SymbolKind::Struct),
        ("class", SymbolKind::Trait),
        ("module", SymbolKind::Module),
    ],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("haddock").comment(),
    on("header").enter(enter_module).leave(module),
    on("data_type").defines_type(SymbolKind::Enum).leave(named),
    on("newtype").defines_type(SymbolKind::Struct).leave(named),
    on_any(&["type_synonym", "type_family", "data_family"])
        .defines(SymbolKind::TypeAlias)
        .leave(named),
    on("class").defines_type(SymbolKind::Trait).leave(named),
    on("instance")
        .defines_type(SymbolKind::Impl)
        .leave(instance),
    on_any(&[
        "data_constructor",
        "gadt_constructor",
        "newtype_constructor",
    ])
    .defines(SymbolKind::EnumMember)
    .no_value(),
    on_any(&["constructor", "constructor_operator"]).leave(constructor),
    on("field").enter(enter_field).leave(field),
    on("signature").enter(enter_function).leave(signature),
    on("function").enter(enter_function).leave(function),
    on("bind").enter(enter_function).leave(bind),
    on("pattern_synonym").no_value(),
];

/// `module A.B where` holds for the rest of the file.
fn enter_module(walk: &mut Walk<'_>, frame: &mut Frame) {
    let span = Span::new(frame.span.start, walk.text.len() as u32);
    let symbol = walk.define(frame, SymbolKind::Module, span);
    frame.scope = Some(walk.new_scope(ScopeKind::Namespace, span, Some(symbol)));
}

fn module(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let (Some(symbol), Some(scope)) = (
        shared::finish_symbol(walk, frame, "module", ""),
        frame.scope,
    ) {
        walk.continue_in(symbol, scope);
    }
    None
}

fn named(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "")?;
    if walk.child(frame, "name").is_none() {
        // `data a :+: b`.
        let text = walk.source(frame.span);
        if let Some(start) = text.find(" :") {
            let len = text[start + 1..]
                .find(|c: char| c.is_alphanumeric() || c.is_whitespace())
                .unwrap_or(1);
            let start = frame.span.start + start as u32 + 1;
            shared::name_symbol(walk, symbol, Span::sized(start, len));
        }
    }
    let body = [
        "constructors",
        "constructor",
        "declarations",
        "closed_family",
    ]
    .into_iter()
    .find_map(|field| walk.child(frame, field));
    if let Some(body) = body {
        walk.symbol_mut(symbol).signature.end = body.span.start;
    }
    None
}

/// An instance is named after the type that it is for.
fn instance(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    named(walk, frame);
    let symbol = frame.symbol?;
    let of = walk
        .child(frame, "patterns")
        .and_then(|patterns| outline::words(walk, patterns.span).first().copied());
    if let Some(of) = of {
        shared::name_symbol(walk, symbol, of);
    }
    None
}

/// Names the constructor around it, if it has no name yet.
fn constructor(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let around = walk.ancestors().take(3).find(|around| {
        matches!(
            around.kind,
            "data_constructor" | "gadt_constructor" | "newtype_constructor"
        )
    });
    let symbol = around
        .and_then(|around| around.symbol)
        .filter(|&symbol| walk.symbol(symbol).name_span.is_empty());
    if let Some(symbol) = symbol {
        shared::name_symbol(walk, symbol, frame.span);
    }
    None
}

fn enter_field(walk: &mut Walk<'_>, frame: &mut Frame) {
    // Without a name it is the argument of a constructor.
    if walk.source(frame.span).contains("::") {
        walk.define(frame, SymbolKind::Field, frame.span);
    }
}

fn field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let names: Vec<Span> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "name")
        .map(|child| child.span)
        .collect();
    outline::name_values(walk, frame, &names, frame.span.end);
    None
}

/// The first clause or the signature of a function defines it; what follows under the same name
/// belongs to it.
fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    const LISTS: &[&str] = &[
        "declarations",
        "class_declarations",
        "instance_declarations",
        "foreign_import",
    ];
    // Function types have the same kind of node.
    if outline::in_body(walk)
        || !walk
            .ancestors()
            .nth(1)
            .is_some_and(|parent| LISTS.contains(&parent.kind))
    {
        return;
    }
    let name = defined_name(walk.source(frame.span));
    // A signature of several names is some symbols before.
    const MAX_LOOK_BACK: usize = 8;
    let symbols = walk
        .facts()
        .symbols
        .iter()
        .enumerate()
        .rev()
        .take(MAX_LOOK_BACK);
    let known = symbols
        .filter(|(_, symbol)| {
            matches!(
                symbol.kind,
                SymbolKind::Function | SymbolKind::Method | SymbolKind::Constant
            )
        })
        .find(|(_, symbol)| {
            symbol.declared_in == walk.scope()
                && !name.is_empty()
                && walk.source(symbol.name_span) == name
        })
        .map(|(i, _)| SymbolIndex(i as u32));
    if known.is_some() {
        frame.symbol = known;
        frame.note = 1;
    } else {
        walk.define(frame, SymbolKind::Function, frame.span);
        outline::enter_member(walk, frame);
    }
    if frame.kind != "signature" {
        frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, None));
    }
}

/// The name that a clause defines: `f x`, `(<+>) a b`, `a <+> b`, ``a `op` b``.
fn defined_name(clause: &str) -> &str {
    let is_operator = |c: char| "!#$%&*+./<=>?@\\^|-~:".contains(c);
    let head = clause.split(['=', '|']).next().unwrap_or("");
    if let Some(name) = head
        .split('`')
        .nth(1)
        .filter(|name| name.starts_with(char::is_lowercase))
    {
        return name;
    }
    let text = clause.strip_prefix('(').unwrap_or(clause);
    let word = text
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'')
        .unwrap_or(text.len());
    let rest = if word == 0 {
        text
    } else {
        text[word..].trim_start()
    };
    let len = rest.find(|c: char| !is_operator(c)).unwrap_or(rest.len());
    match &rest[..len] {
        "" | "=" | "|" | "::" | "@" => &text[..word],
        operator => operator,
    }
}

/// Extends the symbol of an earlier clause, or names the new one.
fn finish(walk: &mut Walk<'_>, frame: &Frame) -> Option<SymbolIndex> {
    let symbol = frame.symbol?;
    if frame.note == 1 {
        walk.symbol_mut(symbol).span.end = frame.span.end;
        return None;
    }
    shared::finish_symbol(walk, frame, "name", "match");
    let mut name = walk.symbol(symbol).name_span;
    if name.is_empty() {
        let clause = walk.source(frame.span);
        let word = defined_name(clause);
        let start = frame.span.start + (word.as_ptr() as usize - clause.as_ptr() as usize) as u32;
        name = Span::sized(start, word.len());
        shared::name_symbol(walk, symbol, name);
    }
    if walk.source(name).starts_with('(') {
        shared::name_symbol(walk, symbol, Span::new(name.start + 1, name.end - 1));
    }
    Some(symbol)
}

fn signature(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    let is_foreign = walk.parent_is(&["foreign_import"]);
    let is_function = walk.source(frame.span).contains("->");
    let of_class = walk.parent_is(&["class_declarations"]);
    let symbol_mut = walk.symbol_mut(symbol);
    if symbol_mut.kind == SymbolKind::Function && !is_function {
        symbol_mut.kind = SymbolKind::Constant;
    }
    symbol_mut
        .modifiers
        .insert_if(Modifiers::EXTERN, is_foreign);
    symbol_mut
        .modifiers
        .insert_if(Modifiers::ABSTRACT, of_class);
    if walk.child(frame, "name").is_none() {
        // `a, b :: Int`.
        let text = walk.source(frame.span);
        let head = Span::new(
            frame.span.start,
            frame.span.start + text.find("::").unwrap_or(text.len()) as u32,
        );
        let names = outline::words(walk, head);
        outline::name_values(walk, frame, &names, frame.span.end);
    }
    None
}

fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    finish(walk, frame);
    None
}

/// `limit = 10`, `(a, b) = pair`.
fn bind(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    if walk.symbol(symbol).kind == SymbolKind::Function {
        walk.symbol_mut(symbol).kind = SymbolKind::Constant;
    }
    if let Some(pattern) = walk.child(frame, "pattern") {
        let names = outline::words(walk, pattern.span);
        outline::name_values(walk, frame, &names, pattern.span.end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::HASKELL;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&HASKELL, "haskell/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&HASKELL);
    }
}
