//! Statements that bind names, return values or open scopes.

use facts::{BindingKind, Modifiers, Recipe, RecipeId, ScopeKind, TypeId};

use super::types;
use crate::{
    handlers as shared,
    rules::Context,
    walk::{Frame, Outcome, Pattern, Walk},
};

/// A block has a scope of its own, unless the node around it opened one for it.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    let kind = match walk.ancestors().nth(1).map(|parent| parent.kind) {
        Some(
            "method_declaration"
            | "constructor_declaration"
            | "destructor_declaration"
            | "operator_declaration"
            | "conversion_operator_declaration"
            | "local_function_statement"
            | "accessor_declaration"
            | "lambda_expression"
            | "anonymous_method_expression"
            | "catch_clause"
            | "for_statement"
            | "foreach_statement"
            | "using_statement"
            | "fixed_statement"
            | "while_statement",
        ) => return,
        Some("if_statement" | "do_statement" | "try_statement" | "finally_clause") => {
            ScopeKind::Branch
        }
        _ => ScopeKind::Block,
    };
    frame.scope = Some(walk.new_scope(kind, frame.span, None));
}

pub(super) fn foreach(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let ty = walk.outcome(frame, "type").ty;
    let ty = types::declared(walk, ty);
    if let Some(pattern) = left.outcome.pattern {
        let element = walk.recipe(Recipe::Element(right.outcome.recipe));
        walk.bind_pattern(pattern, element, ty, right.span.end);
        for binding in walk.bindings_in(pattern) {
            walk.binding_mut(binding).kind = BindingKind::Loop;
        }
    }
    None
}

pub(super) fn catch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    if let Some(name) = walk.child(frame, "name") {
        let word = walk.name_at(name.span);
        let binding = walk.bind(BindingKind::Caught, word, name.span);
        let pattern = walk.pattern(Pattern::Name(binding));
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, ty, frame.span.end);
    }
    Some(Outcome::ty(TypeId::UNKNOWN))
}

pub(super) fn yields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.ancestors().find(|frame| {
        matches!(
            frame.kind,
            "method_declaration"
                | "local_function_statement"
                | "property_declaration"
                | "operator_declaration"
                | "indexer_declaration"
        )
    });
    if let Some(symbol) = function.and_then(|frame| frame.symbol) {
        walk.mark(symbol, Modifiers::GENERATOR);
    }
    shared::returns(walk, frame)
}

/// `goto case X` has a value, `goto x` a label.
pub(super) fn enter_goto(walk: &mut Walk<'_>, frame: &mut Frame) {
    let target = walk
        .source(frame.span)
        .trim_start_matches("goto")
        .trim_start();
    frame.context = if target.starts_with("case") {
        Context::Value
    } else {
        Context::Label
    };
}
