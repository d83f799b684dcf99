//! Statements that bind names, return values or open scopes.

use crate::prelude::*;

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
    let ty = shared::declared(walk, ty);
    if let Some(pattern) = left.outcome.pattern {
        let element = walk.recipe(Recipe::Element(right.outcome.recipe));
        walk.bind_pattern(pattern, element, ty, right.span.end);
        walk.set_kind(pattern, BindingKind::Loop);
    }
    None
}

pub(super) fn catch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    if let Some(name) = walk.child(frame, "name") {
        let pattern = walk.bound_name(BindingKind::Caught, name.span);
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
    let target = walk.source(frame.span).trim_start_matches("goto");
    frame.context = if target.trim_start().starts_with("case") {
        Context::Value
    } else {
        Context::Label
    };
}
