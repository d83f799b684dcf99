//! Ruby's patterns: `case x in {name: String => n}`.

use crate::prelude::*;

use super::expressions::as_type;

/// `in pattern`: its names are parts of the value of the `case`.
pub(super) fn clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.parent().and_then(|case| walk.child(case, "value"));
    bind(walk, frame, value.outcome().recipe);
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// `value => pattern`, `value in pattern`.
pub(super) fn matched(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "value").recipe;
    bind(walk, frame, value);
    None
}

fn bind(walk: &mut Walk<'_>, frame: &Frame, value: RecipeId) {
    if let Some(pattern) = walk.child(frame, "pattern")
        && pattern.outcome.pattern.is_some()
    {
        let value = cast(walk, pattern.outcome, value);
        walk.bind_pattern(
            pattern.outcome.pattern,
            value,
            TypeId::UNKNOWN,
            pattern.span.end,
        );
    }
}

/// The value, of the type that the pattern says.
fn cast(walk: &mut Walk<'_>, pattern: Outcome, value: RecipeId) -> RecipeId {
    if pattern.ty.is_known() {
        walk.recipe(Recipe::Cast(pattern.ty))
    } else {
        value
    }
}

/// Patterns of the parts, with what their types say already bound.
fn parts(walk: &mut Walk<'_>, frame: &Frame) -> Vec<PatternId> {
    let mut parts = Vec::new();
    for child in walk.filter(frame, |child| {
        child.field != "class" && child.kind != "heredoc_body"
    }) {
        let Some(pattern) = child.outcome.pattern else {
            parts.push(walk.pattern(Pattern::Tuple(Vec::new())));
            continue;
        };
        if child.outcome.ty.is_known() {
            let value = cast(walk, child.outcome, RecipeId::UNKNOWN);
            walk.bind_pattern(pattern, value, TypeId::UNKNOWN, child.span.end);
        }
        parts.push(pattern);
    }
    parts
}

fn class(walk: &mut Walk<'_>, frame: &Frame) -> TypeId {
    let class = walk.outcome(frame, "class");
    walk.set_role(class, Role::TypeUse);
    as_type(walk, class.recipe)
}

/// `[a, *rest]`, `Point[x, y]`.
pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, parts) = (class(walk, frame), parts(walk, frame));
    Some(Outcome::ty(ty).with_pattern(walk.pattern(Pattern::Tuple(parts))))
}

/// `[*, x, *]`: elements of the value, in no known place.
pub(super) fn find(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, parts) = (class(walk, frame), parts(walk, frame));
    let parts = parts.into_iter();
    let parts = parts
        .map(|part| walk.pattern(Pattern::Rest(part)))
        .collect();
    Some(Outcome::ty(ty).with_pattern(walk.pattern(Pattern::Tuple(parts))))
}

/// `{name:, age: Integer => n}`, `Point(x:, y:)`.
pub(super) fn hash(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = class(walk, frame);
    let mut fields = Vec::new();
    for part in parts(walk, frame) {
        if let Pattern::Fields(named) = walk.pattern_of(part).clone() {
            fields.extend(named);
        }
    }
    Some(Outcome::ty(ty).with_pattern(walk.pattern(Pattern::Fields(fields))))
}

/// `name: pattern`; without a pattern the key itself is bound.
pub(super) fn keyword(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let key = walk.child(frame, "key")?;
    let name = walk.name_at(key.span);
    let pattern = match walk.child(frame, "value") {
        Some(value) => {
            walk.label(key.span);
            let pattern = value.outcome.pattern?;
            if value.outcome.ty.is_known() {
                let cast = walk.cast(value.outcome.ty);
                walk.bind_pattern(pattern, cast, TypeId::UNKNOWN, value.span.end);
            }
            pattern
        }
        None => walk.bound_name(BindingKind::Pattern, key.span),
    };
    let fields = Pattern::Fields(vec![(name, pattern)]);
    Some(Outcome::pattern(walk.pattern(fields)))
}

/// `pattern => name`.
pub(super) fn alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, name) = (walk.outcome(frame, "value"), walk.outcome(frame, "name"));
    let ty = type_of(walk, value);
    let pattern = match (name.pattern, value.pattern) {
        (Some(whole), Some(inner)) => Some(walk.pattern(Pattern::Both(whole, inner))),
        (whole, inner) => whole.or(inner),
    };
    Some(Outcome::ty(ty).with_pattern(pattern))
}

/// The type that a pattern says, or is.
fn type_of(walk: &mut Walk<'_>, pattern: Outcome) -> TypeId {
    match pattern.ty {
        TypeId::UNKNOWN => as_type(walk, pattern.recipe),
        ty => ty,
    }
}

/// `A | B`: of one type or the other.
pub(super) fn alternatives(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut types = Vec::new();
    for child in walk.children(frame).to_vec() {
        types.push(type_of(walk, child.outcome));
        if let Some(pattern) = child.outcome.pattern {
            let value = cast(walk, child.outcome, RecipeId::UNKNOWN);
            walk.bind_pattern(pattern, value, TypeId::UNKNOWN, child.span.end);
        }
    }
    if types.iter().any(|ty| !ty.is_known()) {
        return None;
    }
    Some(Outcome::ty(walk.type_from(TypeRecipe::Union, &types)))
}
