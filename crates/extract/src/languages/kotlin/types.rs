//! Kotlin's types as written, and names in backticks.

use crate::prelude::*;

/// The name at a place, without the backticks it may be in.
pub(super) fn name_at(walk: &mut Walk<'_>, span: Span) -> NameId {
    let word = walk.source(span);
    walk.name(word.trim_matches('`'))
}

/// Whether a child is a type; annotations and expressions give none.
pub(super) fn is_type(child: &Child) -> bool {
    matches!(
        child.kind,
        "user_type"
            | "nullable_type"
            | "non_nullable_type"
            | "parenthesized_type"
            | "function_type"
    )
}

/// Whether a child declares a variable, or several at once.
pub(super) fn is_variable(child: &Child) -> bool {
    matches!(
        child.kind,
        "variable_declaration" | "multi_variable_declaration"
    )
}

/// The first child that is a type.
pub(super) fn type_child(walk: &Walk<'_>, frame: &Frame) -> TypeId {
    walk.find(frame, is_type).outcome().ty
}

/// `a.B<C>.D`: names, each perhaps with arguments.
pub(super) fn user_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut outcome = Outcome::NONE;
    for child in walk.children(frame).to_vec() {
        match child.kind {
            "identifier" => outcome = inner_type(walk, outcome, child),
            "type_arguments" => {
                if let TypeRecipe::Tuple(types) = walk.type_of(child.outcome.ty) {
                    outcome.ty = walk.ty(TypeRecipe::Apply(outcome.ty, types));
                }
            }
            _ => {}
        }
    }
    Some(outcome)
}

fn inner_type(walk: &mut Walk<'_>, outer: Outcome, inner: Child) -> Outcome {
    let (Some(reference), true) = (inner.outcome.reference, outer.ty.is_known()) else {
        return inner.outcome;
    };
    let name = name_at(walk, inner.span);
    shared::inner_type(walk, outer, name, reference)
}

pub(super) fn nullable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = first_type(walk, frame)?;
    match walk.type_of(inner.ty) {
        TypeRecipe::Optional(_) | TypeRecipe::Unknown => Some(inner),
        _ => Some(inner.with_ty(walk.ty(TypeRecipe::Optional(inner.ty)))),
    }
}

/// The type inside parentheses, projections and `T & Any`.
pub(super) fn first_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.find(frame, is_type).map(|child| child.outcome)
}

/// `(A, B) -> C`; the receiver of `R.(A) -> B` is first, marked as `this`.
pub(super) fn function_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parameters = walk.child_of_kind(frame, "function_type_parameters");
    let result = walk.rfind(frame, is_type).outcome().ty;
    let mut types = match walk.type_of(parameters.outcome().ty) {
        TypeRecipe::Tuple(types) => walk.type_list_of(types).to_vec(),
        _ => Vec::new(),
    };
    types.push(result);
    // What is before the parameters is the receiver, which the lambda's body sees as `this`.
    let start = parameters.map_or(0, |child| child.span.start);
    let receiver = walk.find(frame, |child| is_type(child) && child.span.end <= start);
    let receiver = receiver.outcome().ty;
    if receiver.is_known() {
        let this = named(walk, "this");
        types.insert(0, walk.applied_type(this, &[receiver]));
    }
    Some(Outcome::ty(walk.type_from(TypeRecipe::Function, &types)))
}

/// The type that a word of the language represents: `Nothing`, `Array`.
pub(super) fn named(walk: &mut Walk<'_>, word: &'static str) -> TypeId {
    walk.type_named(word)
}

/// A name in backticks in any context.
pub(super) fn quoted(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = name_at(walk, frame.span);
    let recipe = walk.recipe(Recipe::Name(name));
    match frame.context {
        Context::Value => {
            let reference = walk.reference_named(name, frame.span, Role::Read, None);
            Some(Outcome::named(recipe, reference))
        }
        Context::Type => {
            let ty = walk.ty(TypeRecipe::Name(name));
            let reference = walk.reference_named(name, frame.span, Role::TypeUse, None);
            Some(Outcome::named_type(recipe, ty, reference))
        }
        Context::Label => {
            walk.label(frame.span);
            None
        }
        Context::Bind(_) | Context::Name => None,
    }
}
