//! Kotlin's types as written, and names in backticks.

use facts::{NameId, Recipe, Role, Span, TypeId, TypeRecipe};

use crate::{
    rules::Context,
    walk::{Child, Frame, Outcome, Walk},
};

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

/// The first child that is a type.
pub(super) fn type_child(walk: &Walk<'_>, frame: &Frame) -> TypeId {
    walk.children(frame)
        .iter()
        .find(|child| is_type(child))
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty)
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
    walk.reference_mut(reference).receiver = Some(outer.recipe);
    walk.set_role(outer, Role::Read);
    let name = name_at(walk, inner.span);
    let recipe = walk.recipe(Recipe::Member(outer.recipe, name));
    let ty = walk.ty(TypeRecipe::Scoped(outer.ty, name));
    Outcome::named_type(recipe, ty, reference)
}

pub(super) fn nullable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = first_type(walk, frame)?;
    match walk.type_of(inner.ty) {
        TypeRecipe::Optional(_) | TypeRecipe::Unknown => Some(inner),
        _ => Some(Outcome {
            ty: walk.ty(TypeRecipe::Optional(inner.ty)),
            ..inner
        }),
    }
}

/// The type inside parentheses, projections and `T & Any`.
pub(super) fn first_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.children(frame)
        .iter()
        .find(|child| is_type(child))
        .map(|child| child.outcome)
}

/// `(A, B) -> C`; the receiver of `R.(A) -> B` is first, marked as `this`.
pub(super) fn function_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parameters = walk.outcome_of_kind(frame, "function_type_parameters").ty;
    let result = walk
        .children(frame)
        .iter()
        .rev()
        .find(|child| is_type(child))
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
    let mut types = match walk.type_of(parameters) {
        TypeRecipe::Tuple(types) => walk.type_list_of(types).to_vec(),
        _ => Vec::new(),
    };
    types.push(result);
    // What is before the parameters is the receiver, which the lambda's body sees as `this`.
    let parameters_at = walk
        .child_of_kind(frame, "function_type_parameters")
        .map_or(0, |child| child.span.start);
    let receiver = walk
        .children(frame)
        .iter()
        .find(|child| is_type(child) && child.span.end <= parameters_at)
        .map(|child| child.outcome.ty);
    if let Some(receiver) = receiver.filter(|receiver| receiver.is_known()) {
        let this = named(walk, "this");
        let arguments = walk.type_list(&[receiver]);
        types.insert(0, walk.ty(TypeRecipe::Apply(this, arguments)));
    }
    let types = walk.type_list(&types);
    walk.type_value(TypeRecipe::Function(types))
}

/// The type that a word of the language represents: `Nothing`, `Array`.
pub(super) fn named(walk: &mut Walk<'_>, word: &'static str) -> TypeId {
    let name = walk.name(word);
    walk.ty(TypeRecipe::Name(name))
}

/// A name in backticks in any context.
pub(super) fn quoted(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = name_at(walk, frame.span);
    let recipe = walk.recipe(Recipe::Name(name));
    match frame.context {
        Context::Value => Some(Outcome {
            recipe,
            reference: Some(walk.reference_named(name, frame.span, Role::Read, None)),
            ..Outcome::NONE
        }),
        Context::Type => {
            let ty = walk.ty(TypeRecipe::Name(name));
            Some(Outcome {
                recipe,
                ty,
                reference: Some(walk.reference_named(name, frame.span, Role::TypeUse, None)),
                ..Outcome::NONE
            })
        }
        Context::Label => {
            walk.label(frame.span);
            None
        }
        Context::Bind(_) | Context::Name => None,
    }
}
