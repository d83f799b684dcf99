//! What a macro of the same file makes where it is called: functions that an argument names
//! (`pub fn $name(…) -> Cart`), and a variable that an argument names (`let $cart = $shop.cart();`).
//!
//! Macros are not expanded. The rules of the definition are read for these two forms, and the
//! arguments of the call are told apart by the marks between them.

use crate::prelude::*;

use super::lexer::{Token, TokenKind, tokens};

/// Larger files are generated, and each call searches the file for the definition.
const MAX_TEXT: usize = 512 << 10;

/// One rule of a macro: what it matches, and what it becomes.
struct MacroRule {
    pattern: Span,
    expansion: Span,
}

/// Functions that a call of a macro makes beside other items. The arguments that name them are no
/// references; they are returned.
pub(super) fn functions(walk: &mut Walk<'_>, name: Span, arguments: Span) -> Vec<Span> {
    let text = walk.text;
    let in_body = matches!(
        walk.enclosing_scope_kind(),
        ScopeKind::Function | ScopeKind::Lambda
    );
    let given = segments(text, arguments);
    let mut made: Vec<Span> = Vec::new();
    if in_body || !given.iter().any(|one| only_word(text, *one).is_some()) {
        return made;
    }
    for rule in rules(text, name.text(text)) {
        for function in functions_in(text, &rule) {
            let Some(name) = given
                .get(function.argument)
                .and_then(|one| only_word(text, *one))
            else {
                continue;
            };
            if !made.contains(&name) {
                made.push(name);
                define(walk, name, &function);
            }
        }
    }
    made
}

/// Binds the variable that a call of a macro makes in a scope of its own, and tells what of the
/// arguments is left to be read in that scope.
pub(super) fn variable(
    walk: &mut Walk<'_>,
    whole: Span,
    name: Span,
    arguments: Span,
) -> Option<(ScopeId, Vec<Span>)> {
    let text = walk.text;
    let given = segments(text, arguments);
    let (made, place, value) = rules(text, name.text(text)).into_iter().find_map(|rule| {
        let parts = segments(text, rule.pattern);
        // The marks between the arguments are those of the rule.
        let fits = parts.len() == given.len();
        let made = fits.then(|| variable_in(text, &rule)).flatten()?;
        let variable = place_of(text, &parts, made.variable.text(text))?;
        let source = place_of(text, &parts, made.source.text(text))?;
        let name = only_word(text, given[variable])?;
        Some((
            (variable, name),
            only_word(text, given[source])?,
            made.steps,
        ))
    })?;
    let (variable, name) = made;
    let mut recipe = match place.text(text) {
        "self" => walk.recipe(Recipe::SelfValue),
        _ => {
            let source = walk.name_at(place);
            walk.recipe(Recipe::Name(source))
        }
    };
    for (step, is_call) in value {
        let step = walk.name_at(step);
        recipe = walk.recipe(Recipe::Member(recipe, step));
        if is_call {
            recipe = walk.plain_call(recipe);
        }
    }
    let scope = walk.new_scope(ScopeKind::Block, whole, None);
    let binding = walk.new_binding_at(BindingKind::Local, name);
    (binding.value, binding.from) = (recipe, name.end);
    let mut rest = given;
    rest.remove(variable);
    rest.retain(|one| *one != place);
    Some((scope, rest))
}

/// The rules of the macro of a name that the file defines.
fn rules(text: &str, name: &str) -> Vec<MacroRule> {
    const WORD: &str = "macro_rules!";
    let mut found = Vec::new();
    if text.len() > MAX_TEXT {
        return found;
    }
    for start in memchr::memmem::find_iter(text.as_bytes(), WORD) {
        let start = start + WORD.len();
        let rest = text[start..].trim_start();
        let after = rest.strip_prefix(name).map(str::trim_start);
        let Some(body) = after.filter(|after| after.starts_with(['{', '('])) else {
            continue;
        };
        let body = Span::new((text.len() - body.len()) as u32, text.len() as u32);
        found.extend(rules_in(text, body));
    }
    found
}

fn rules_in(text: &str, body: Span) -> Vec<MacroRule> {
    let (mut depth, mut open, mut pattern) = (0, 0, None);
    let mut found = Vec::new();
    for token in tokens(text, body) {
        match token.kind {
            TokenKind::Open => {
                depth += 1;
                if depth == 2 {
                    open = token.span.end;
                }
            }
            TokenKind::Close => {
                depth -= 1;
                if depth == 1 {
                    let inner = Span::new(open, token.span.start);
                    match pattern.take() {
                        None => pattern = Some(inner),
                        Some(pattern) => found.push(MacroRule {
                            pattern,
                            expansion: inner,
                        }),
                    }
                }
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// A list divided at its commas and `=>`, without the space around the parts.
fn segments(text: &str, list: Span) -> Vec<Span> {
    let (mut depth, mut start, mut end) = (0, None, list.start);
    let mut found = Vec::new();
    let mut part = |start: &mut Option<u32>, end: u32| {
        found.extend(start.take().map(|start| Span::new(start, end)));
    };
    let mut equals = None;
    for token in tokens(text, list) {
        if token.kind == TokenKind::Comment {
            continue;
        }
        let mark = match token.kind {
            TokenKind::Mark if depth == 0 => token.span.text(text),
            _ => "",
        };
        let is_arrow = mark == ">" && equals == Some(token.span.start);
        equals = (mark == "=").then_some(token.span.end);
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            _ => {}
        }
        if mark == "," || is_arrow {
            part(&mut start, end);
            continue;
        }
        if equals.is_none() {
            start.get_or_insert(token.span.start);
            end = token.span.end;
        }
    }
    part(&mut start, end);
    found
}

/// The word that a part consists of, besides `mut`.
fn only_word(text: &str, part: Span) -> Option<Span> {
    let mut words = tokens(text, part).filter(|token| token.span.text(text) != "mut");
    let word = words.next().filter(|word| word.kind == TokenKind::Word)?;
    words.next().is_none().then_some(word.span)
}

/// The part of a pattern that has a metavariable.
fn place_of(text: &str, parts: &[Span], variable: &str) -> Option<usize> {
    let has = |part: &Span| {
        let mut dollar = false;
        tokens(text, *part).any(|token| {
            let is_it = dollar && token.span.text(text) == variable;
            dollar = token.span.text(text) == "$";
            is_it
        })
    };
    parts.iter().position(has)
}

/// A function in the expansion of a rule that an argument names.
struct MadeFunction {
    /// The place of the argument.
    argument: usize,
    parameters: Vec<Span>,
    /// The words of the path of what it gives.
    result: Vec<Span>,
    is_public: bool,
}

fn functions_in(text: &str, rule: &MacroRule) -> Vec<MadeFunction> {
    let parts = segments(text, rule.pattern);
    let all: Vec<Token> = tokens(text, rule.expansion)
        .filter(|token| token.kind != TokenKind::Comment)
        .collect();
    let word = |i: usize| all.get(i).map_or("", |token: &Token| token.span.text(text));
    let mut found = Vec::new();
    for i in 0..all.len() {
        if word(i) != "fn" || word(i + 1) != "$" {
            continue;
        }
        let Some(argument) = place_of(text, &parts, word(i + 2)) else {
            continue;
        };
        let Some(open) = (i + 3..all.len()).find(|&j| word(j) == "(") else {
            continue;
        };
        let (mut depth, mut close) = (0, open);
        let mut parameters = Vec::new();
        for (j, token) in all.iter().enumerate().skip(open) {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                TokenKind::Word if depth == 1 => {
                    let is_named = word(j + 1) == ":" && word(j + 2) != ":" && word(j - 1) != ":";
                    if is_named || word(j) == "self" {
                        parameters.push(token.span);
                    }
                }
                _ => {}
            }
            if depth == 0 {
                close = j;
                break;
            }
        }
        found.push(MadeFunction {
            argument,
            parameters,
            result: path_after_arrow(text, &all[close..]),
            is_public: i > 0 && word(i - 1) == "pub",
        });
    }
    found
}

/// `-> a::B<C>`: the words of the path.
fn path_after_arrow(text: &str, after: &[Token]) -> Vec<Span> {
    let word = |i: usize| {
        after
            .get(i)
            .map_or("", |token: &Token| token.span.text(text))
    };
    let mut path = Vec::new();
    if word(1) != "-" || word(2) != ">" {
        return path;
    }
    let mut i = 3;
    while after
        .get(i)
        .is_some_and(|token| token.kind == TokenKind::Word)
    {
        path.push(after[i].span);
        if word(i + 1) != ":" || word(i + 2) != ":" {
            break;
        }
        i += 3;
    }
    path
}

fn define(walk: &mut Walk<'_>, name: Span, function: &MadeFunction) {
    let around = walk.current_symbol().map(|symbol| walk.symbol(symbol).kind);
    let kind = match around {
        Some(SymbolKind::Impl | SymbolKind::Trait) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let symbol = walk.new_symbol(kind, name);
    shared::name_symbol(walk, symbol, name);
    let mut ty = TypeId::UNKNOWN;
    for (i, &word) in function.result.iter().enumerate() {
        ty = match (i, walk.source(word)) {
            (0, "Self") => walk.ty(TypeRecipe::SelfType),
            (0, first) => walk.type_named(first),
            _ => {
                let word = walk.name_at(word);
                walk.type_in(ty, word)
            }
        };
    }
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    found.modifiers.insert(Modifiers::IN_MACRO);
    if function.is_public {
        found.visibility = Visibility::Public;
    }
    for &parameter in &function.parameters {
        let mut flags = ParameterFlags::default();
        flags.insert_if(ParameterFlags::RECEIVER, walk.source(parameter) == "self");
        let parameter = walk.name_at(parameter);
        walk.parameter(symbol, parameter, TypeId::UNKNOWN, flags);
    }
}

/// `let $variable = $source.step().step;` in the expansion of a rule.
struct MadeVariable {
    variable: Span,
    source: Span,
    /// Members that are taken from the source, and whether each is called.
    steps: Vec<(Span, bool)>,
}

fn variable_in(text: &str, rule: &MacroRule) -> Option<MadeVariable> {
    let all: Vec<Token> = tokens(text, rule.expansion)
        .filter(|token| token.kind != TokenKind::Comment)
        .collect();
    let word = |i: usize| all.get(i).map_or("", |token: &Token| token.span.text(text));
    (0..all.len()).find_map(|i| {
        if word(i) != "let" {
            return None;
        }
        let i = i + 1 + usize::from(word(i + 1) == "mut");
        let starts = word(i) == "$" && word(i + 2) == "=" && word(i + 3) == "$";
        let (variable, source) = starts.then(|| Some((all.get(i + 1)?, all.get(i + 4)?)))??;
        let mut steps = Vec::new();
        let mut next = i + 5;
        while word(next) == "." && all.get(next + 1)?.kind == TokenKind::Word {
            let is_call = word(next + 2) == "(" && word(next + 3) == ")";
            steps.push((all[next + 1].span, is_call));
            next += if is_call { 4 } else { 2 };
        }
        (word(next) == ";").then_some(MadeVariable {
            variable: variable.span,
            source: source.span,
            steps,
        })
    })
}
