//! Statements: blocks, branches, and what a test says about the statements after it.

use crate::prelude::*;

use super::{expressions::test_of_member, patterns};

/// Marks the outcome of a statement after which the next one does not run.
const EXITS: ListRange = ListRange {
    start: u32::MAX,
    len: 0,
};

/// A block has a scope of its own unless it is the body of a function, or what holds it has opened
/// one.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    if frame.scope.is_some() {
        return;
    }
    let Some(outer) = walk.ancestors().nth(1) else {
        return;
    };
    match outer.kind {
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "arrow_function"
        | "method_definition"
        | "class_static_block"
        | "catch_clause"
        | "else_clause"
        | "module"
        | "internal_module" => {}
        // `declare global { … }`.
        "ambient_declaration" => {
            frame.scope = Some(walk.new_scope(ScopeKind::Namespace, frame.span, None))
        }
        _ => frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None)),
    }
}

pub(super) fn block(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match walk.children(frame).last() {
        Some(last) if last.outcome.list == EXITS => Some(last.outcome),
        _ => None,
    }
}

pub(super) fn exits(_: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    Some(Outcome::list(EXITS))
}

pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    returned(walk, walk.first(frame).recipe, frame.span.end);
    exits(walk, frame)
}

/// A value that the innermost function returns or yields.
pub(super) fn returned(walk: &mut Walk<'_>, recipe: RecipeId, at: u32) {
    let mut scope = walk.scope();
    loop {
        let found = walk.scope_of(scope);
        let (kind, owner, parent) = (found.kind, found.owner, found.parent);
        match kind {
            ScopeKind::Function | ScopeKind::Lambda => {
                if let Some(owner) = owner {
                    walk.value(owner, recipe, at);
                }
                if kind == ScopeKind::Lambda {
                    walk.lambda_return(scope, recipe);
                }
                return;
            }
            ScopeKind::File | ScopeKind::Type | ScopeKind::Namespace => return,
            ScopeKind::Block | ScopeKind::Branch => scope = parent,
        }
    }
}

/// A condition starts without what earlier conditions told.
pub(super) fn enter_condition(walk: &mut Walk<'_>, frame: &mut Frame) {
    walk.take_narrowings();
    walk.take_refuted(frame.span.start);
}

/// What holds where the condition before `else` does not.
pub(super) fn enter_else(walk: &mut Walk<'_>, frame: &mut Frame) {
    enter_condition(walk, frame);
    let statement = walk.ancestors().nth(1).map(|outer| outer.span.start);
    for (name, span, ty) in walk.refuted_since(statement.unwrap_or(frame.span.start)) {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.from, binding.ty) = (frame.span.start, ty);
    }
}

/// In `case "paid":` of `switch (order.state)` the order is one that can be paid. A case that the one
/// before it falls into tells nothing.
pub(super) fn enter_case(walk: &mut Walk<'_>, frame: &mut Frame) {
    enter_condition(walk, frame);
    let text = walk.source(frame.span);
    let value = text.strip_prefix("case").map_or("", str::trim_start);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let len = match quote {
        Some(quote) => value[1..].find(quote).map(|len| len + 2),
        None => value.find(':'),
    };
    let Some(len) = len else {
        return;
    };
    let start = frame.span.start + (text.len() - value.len()) as u32;
    let value = Span::sized(start, len);
    let before = walk.text[..frame.span.start as usize].trim_end();
    let mut outer = walk.ancestors().enumerate().skip(1);
    let switch = outer.find(|(_, outer)| outer.kind == "switch_statement");
    let Some((place, _)) = switch.filter(|_| !before.ends_with(':')) else {
        return;
    };
    let mut tested = walk.children_of_ancestor(place).iter();
    let Some(tested) = tested.find(|child| child.field == "value") else {
        return;
    };
    let (tested, span) = (tested.outcome.recipe, tested.span);
    if let Some((name, ty)) = test_of_member(walk, tested, value) {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.from, binding.ty) = (frame.span.start, ty);
    }
}

/// After `if (!(x instanceof T)) return;` the name is a `T`.
pub(super) fn if_statement(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let refuted = walk.take_refuted(frame.span.start);
    let condition = walk.child(frame, "condition")?;
    let body = walk.child(frame, "consequence")?;
    if body.outcome.list == EXITS {
        for (name, span, ty) in refuted {
            if condition.span.encloses(span) {
                let binding = walk.new_binding(BindingKind::Narrowing, name, span);
                (binding.from, binding.ty) = (frame.span.end, ty);
            }
        }
    }
    None
}

/// `for (const x of xs)`, `for (const key in object)`.
pub(super) fn for_in(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let mut between = walk.between(left.span, right.span).split_whitespace();
    let header = walk.source(Span::new(frame.span.start, left.span.start));
    let mut element = if between.any(|word| word == "in") {
        walk.recipe(Recipe::Literal(LiteralKind::String))
    } else {
        let values = [right.outcome.recipe, RecipeId::UNKNOWN];
        let word = walk.waiting(frame, "");
        walk.implicit(ImplicitKind::Iterate, word, values, right.span);
        walk.recipe(Recipe::Element(right.outcome.recipe))
    };
    if header
        .trim_start_matches("for")
        .trim_start()
        .starts_with("await")
    {
        element = walk.recipe(Recipe::Await(element));
    }
    patterns::bind(walk, left, element, TypeId::UNKNOWN, right.span.end);
    None
}

pub(super) fn catch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parameter = walk.child(frame, "parameter")?;
    let written = walk.child(frame, "type");
    let text = written.map_or("", |written| walk.source(written.span));
    let mut ty = written.outcome().ty;
    if !ty.is_known() || matches!(text, ": any" | ": unknown" | ":any" | ":unknown") {
        ty = walk.type_named("Error");
    }
    patterns::bind(walk, parameter, RecipeId::UNKNOWN, ty, parameter.span.end);
    None
}
