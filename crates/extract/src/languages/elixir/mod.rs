//! Elixir, by its outline. Definitions are calls of `defmodule`, `def` and their kin; clauses of
//! one function are one symbol.

use crate::{outline, prelude::*, rules::*};

pub static ELIXIR: Language = Language {
    name: "elixir",
    id: LanguageId(24),
    extensions: &["ex", "exs"],
    file_names: &["mix.lock"],
    interpreters: &["elixir", "iex"],
    version: 1,
    grammar: || tree_sitter_elixir::LANGUAGE.into(),
    n_node_kinds: 235,
    rules: &[RULES],
    finish: Some(crate::flat::recover),
    line_definitions: &[
        ("defmodule", SymbolKind::Module),
        ("defprotocol", SymbolKind::Interface),
        ("def", SymbolKind::Function),
        ("defp", SymbolKind::Function),
        ("defmacro", SymbolKind::Macro),
    ],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("call").enter(enter_call).no_value(),
    on("unary_operator").enter(enter_attribute).no_value(),
];

/// What a call of a defining word defines.
struct DefiningMacro {
    kind: SymbolKind,
    scope: Option<ScopeKind>,
    visibility: Visibility,
    modifiers: Modifiers,
}

fn definition_of(word: &str) -> Option<DefiningMacro> {
    let new = |kind, scope| DefiningMacro {
        kind,
        scope,
        visibility: Visibility::Default,
        modifiers: Modifiers::default(),
    };
    let private = |kind| DefiningMacro {
        visibility: Visibility::Private,
        ..new(kind, Some(ScopeKind::Function))
    };
    Some(match word {
        "defmodule" => new(SymbolKind::Module, Some(ScopeKind::Namespace)),
        "defprotocol" => new(SymbolKind::Interface, Some(ScopeKind::Type)),
        "defimpl" => new(SymbolKind::Impl, Some(ScopeKind::Type)),
        "def" | "defdelegate" | "defn" => new(SymbolKind::Function, Some(ScopeKind::Function)),
        "defp" | "defnp" => private(SymbolKind::Function),
        "defmacro" | "defguard" => new(SymbolKind::Macro, Some(ScopeKind::Function)),
        "defmacrop" | "defguardp" => private(SymbolKind::Macro),
        "defstruct" | "defexception" => new(SymbolKind::Field, None),
        "test" | "property" => DefiningMacro {
            modifiers: Modifiers::TEST,
            ..new(SymbolKind::Function, Some(ScopeKind::Function))
        },
        "describe" => new(SymbolKind::Element, Some(ScopeKind::Namespace)),
        _ => return None,
    })
}

fn enter_call(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let len = shared::word_len(text);
    let Some(definition) = definition_of(&text[..len]) else {
        return;
    };
    // Tests define modules; functions in the bodies of macros are only quoted.
    if outline::in_body(walk)
        && !matches!(
            definition.kind,
            SymbolKind::Module | SymbolKind::Interface | SymbolKind::Impl
        )
    {
        return;
    }
    let rest = text[len..].trim_start_matches([' ', '\t', '(']);
    let from = frame.span.start + (text.len() - rest.len()) as u32;
    if definition.scope.is_none() {
        return fields(walk, frame, Span::new(from, frame.span.end));
    }
    let Some(name) = name_at(walk, &text[..len], Span::new(from, frame.span.end)) else {
        return;
    };
    if definition.scope == Some(ScopeKind::Function) && belongs_to_last(walk, frame, name) {
        frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, None));
        return;
    }
    let symbol = walk.define(frame, definition.kind, frame.span);
    take_attributes(walk, frame.span, symbol);
    shared::name_symbol(walk, symbol, name);
    let signature = Span::new(frame.span.start, head_end(walk, frame.span));
    let symbol_mut = walk.symbol_mut(symbol);
    (symbol_mut.visibility, symbol_mut.signature) = (definition.visibility, signature);
    symbol_mut.modifiers.insert(definition.modifiers);
    outline::enter_member(walk, frame);
    if let Some(kind) = definition.scope {
        frame.scope = Some(walk.new_scope(kind, frame.span, Some(symbol)));
    }
}

/// The name that a definition gives: a module path, a function or operator, the text of a test, the
/// type of an impl.
fn name_at(walk: &Walk<'_>, word: &str, rest: Span) -> Option<Span> {
    let text = walk.source(rest);
    let at = |start: usize, len: usize| {
        Some(Span::new(
            rest.start + start as u32,
            rest.start + (start + len) as u32,
        ))
        .filter(|_| len > 0)
    };
    let path_len = |text: &str| {
        text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
            .unwrap_or(text.len())
    };
    match word {
        "defmodule" | "defprotocol" => at(0, path_len(text)),
        "defimpl" => {
            let line = text.lines().next().unwrap_or("");
            let of = line.find("for:").map_or(0, |of| of + 4);
            let start = of + line[of..].len() - line[of..].trim_start_matches([' ', '[']).len();
            at(start, path_len(&text[start..]))
        }
        "test" | "describe" | "property" => {
            let inner = text.strip_prefix('"')?;
            at(1, inner.find('"')?)
        }
        _ => {
            let len = shared::word_len(text);
            let len = len
                + usize::from(
                    text[len..].starts_with(['?', '!']) && !text[len + 1..].starts_with('='),
                );
            // `def a + b`.
            let after = text[len..].trim_start_matches(' ');
            let operator = after
                .find(|c: char| !"+-*/<>=|&^~!@.".contains(c))
                .unwrap_or(0);
            let is_default = after.starts_with("->");
            if operator > 0 && after.len() < text[len..].len() && !is_default {
                return at(text.len() - after.len(), operator);
            }
            at(0, len).filter(|_| &text[..len] != "unquote")
        }
    }
}

/// Whether this is one more clause of the symbol before: same scope, name and number of parameters.
fn belongs_to_last(walk: &mut Walk<'_>, frame: &Frame, name: Span) -> bool {
    let Some(last) = walk.facts().symbols.last() else {
        return false;
    };
    let head = walk.source(Span::new(name.end, head_end(walk, frame.span)));
    let last_head = walk.source(Span::new(last.name_span.end, last.signature.end));
    let same = last.declared_in == walk.scope()
        && matches!(
            last.kind,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro
        )
        && walk.source(last.name_span) == walk.source(name)
        && n_parameters(head) == n_parameters(last_head);
    if same {
        walk.forget_leading();
        let index = SymbolIndex(walk.facts().symbols.len() as u32 - 1);
        walk.symbol_mut(index).span.end = frame.span.end;
    }
    same
}

fn n_parameters(head: &str) -> usize {
    let (mut depth, mut commas, mut any) = (0, 0, false);
    for c in head.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            ',' if depth == 1 => commas += 1,
            c if depth == 0 && !c.is_whitespace() => break,
            c => any |= !c.is_whitespace(),
        }
    }
    commas + usize::from(any || commas > 0)
}

/// Where the head of a definition ends: at its `do`.
fn head_end(walk: &Walk<'_>, span: Span) -> u32 {
    // Heads are short; the whole body is not gone through at every level of nesting.
    const MAX_HEAD: u32 = 2_000;
    let mut head = Span::new(span.start, span.end.min(span.start + MAX_HEAD));
    while !walk.text.is_char_boundary(head.end as usize) {
        head.end -= 1;
    }
    let text = walk.source(head);
    let end = [" do\n", " do ", " do:", "\tdo:"]
        .into_iter()
        .filter_map(|word| text.find(word))
        .min();
    let head = match end {
        Some(end) => text[..end].trim_end().trim_end_matches(','),
        None => text.lines().next().unwrap_or(""),
    };
    span.start + head.len() as u32
}

/// `@doc` and other attributes before a definition.
fn take_attributes(walk: &mut Walk<'_>, span: Span, symbol: SymbolIndex) {
    let mut start = span.start;
    while let Some(annotation) = walk
        .facts()
        .annotations
        .last()
        .filter(|annotation| annotation.symbol == symbol)
    {
        let at = annotation.span;
        if walk.source(at).starts_with("@doc") || walk.source(at).starts_with("@typedoc") {
            walk.symbol_mut(symbol).doc = Some(at);
        } else {
            start = start.min(at.start);
        }
        walk.facts_mut().annotations.pop();
    }
    walk.symbol_mut(symbol).span.start = start;
}

/// `defstruct [:a, b: 1]`: the fields of the module around.
fn fields(walk: &mut Walk<'_>, frame: &Frame, list: Span) {
    let text = walk.source(list);
    let mut depth = 0;
    let mut position = 0;
    while let Some(c) = text[position..].chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            '"' => position += text[position + 1..].find('"').map_or(0, |end| end + 1),
            _ => {}
        }
        let atom = c == ':' && text[position + 1..].starts_with(is_word);
        let start = position + usize::from(atom);
        if depth <= 1 && (atom || is_word(c)) {
            let len = text[start..]
                .find(|c: char| !is_word(c))
                .unwrap_or(text.len() - start);
            let key = text[start + len..].starts_with(": ");
            if atom || key {
                let name = Span::new(list.start + start as u32, list.start + (start + len) as u32);
                let symbol = walk.new_symbol(
                    SymbolKind::Field,
                    if frame.span.encloses(name) {
                        name
                    } else {
                        frame.span
                    },
                );
                shared::name_symbol(walk, symbol, name);
            }
            position = start + len;
            if key {
                // The default is no field.
                let value = &text[position..];
                position += value.find(',').unwrap_or(value.len());
            }
            continue;
        }
        position += c.len_utf8();
    }
}

/// `@moduledoc`, `@doc`, `@type`, `@callback`, and constants like `@max 10`.
fn enter_attribute(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let Some(inner) = text.strip_prefix('@').filter(|_| !outline::in_body(walk)) else {
        return;
    };
    let len = shared::word_len(inner);
    let rest = inner[len..].trim_start();
    let from = frame.span.end - rest.len() as u32;
    let (kind, modifiers, visibility) = match &inner[..len] {
        "moduledoc" => {
            if let Some(module) = walk.current_symbol() {
                walk.symbol_mut(module).doc = Some(frame.span);
            }
            return;
        }
        "doc" | "typedoc" | "spec" | "impl" | "deprecated" | "tag" | "dialyzer" | "since" => {
            return walk.leading_annotation(RecipeId::UNKNOWN, frame.span);
        }
        "type" | "opaque" => (
            SymbolKind::TypeAlias,
            Modifiers::default(),
            Visibility::Default,
        ),
        "typep" => (
            SymbolKind::TypeAlias,
            Modifiers::default(),
            Visibility::Private,
        ),
        "callback" | "macrocallback" => {
            (SymbolKind::Method, Modifiers::ABSTRACT, Visibility::Default)
        }
        "behaviour" | "derive" | "enforce_keys" | "compile" | "before_compile"
        | "after_compile" | "on_load" | "external_resource" | "moduletag" | "describetag"
        | "optional_callbacks" | "on_definition" => return,
        _ => (
            SymbolKind::Constant,
            Modifiers::default(),
            Visibility::Default,
        ),
    };
    let constant = kind == SymbolKind::Constant;
    let name = if constant {
        Span::sized(frame.span.start + 1, len)
    } else {
        let word = rest
            .find(|c: char| !c.is_alphanumeric() && !"_?!".contains(c))
            .unwrap_or(rest.len());
        Span::sized(from, word)
    };
    if rest.is_empty() || name.is_empty() {
        return;
    }
    let symbol = walk.define(frame, kind, frame.span);
    take_attributes(walk, frame.span, symbol);
    shared::name_symbol(walk, symbol, name);
    let symbol = walk.symbol_mut(symbol);
    symbol.visibility = visibility;
    symbol.modifiers.insert(modifiers);
}

#[cfg(test)]
mod tests {
    use super::ELIXIR;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&ELIXIR, "elixir/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&ELIXIR);
    }
}
