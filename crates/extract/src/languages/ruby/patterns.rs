//! Ruby's patterns: `case x in {name: String => n}`.

use facts::{Recipe, RecipeId, Role, TypeId, TypeRecipe};

use super::expressions::as_type;
use crate::walk::{Frame, Outcome, Pattern, PatternId, Walk};

/// `in pattern`: its names are parts of the value of the `case`.
pub(super) fn clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.parent().map_or(RecipeId::UNKNOWN, |parent| {
        walk.outcome(parent, "value").recipe
    });
    bind(walk, frame, value);
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// `value => pattern`, `value in pattern`.
pub(super) fn matched(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "value").recipe;
    bind(walk, frame, value);
    None
}

fn bind(walk: &mut Walk<'_>, frame: &Frame, value: RecipeId) {
    let Some(pattern) = walk.child(frame, "pattern") else {
        return;
    };
    if let Some(bound) = pattern.outcome.pattern {
        let value = cast(walk, pattern.outcome, value);
        walk.bind_pattern(bound, value, TypeId::UNKNOWN, pattern.span.end);
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
    let children: Vec<_> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field != "class" && child.kind != "heredoc_body")
        .copied()
        .collect();
    let mut parts = Vec::new();
    for child in children {
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
    Some(Outcome {
        ty,
        pattern: Some(walk.pattern(Pattern::Tuple(parts))),
        ..Outcome::NONE
    })
}

/// `[*, x, *]`: elements of the value, in no known place.
pub(super) fn find(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, parts) = (class(walk, frame), parts(walk, frame));
    let parts = parts
        .into_iter()
        .map(|part| walk.pattern(Pattern::Rest(part)))
        .collect();
    Some(Outcome {
        ty,
        pattern: Some(walk.pattern(Pattern::Tuple(parts))),
        ..Outcome::NONE
    })
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
    Some(Outcome {
        ty,
        pattern: Some(walk.pattern(Pattern::Fields(fields))),
        ..Outcome::NONE
    })
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
                let cast = walk.recipe(Recipe::Cast(value.outcome.ty));
                walk.bind_pattern(pattern, cast, TypeId::UNKNOWN, value.span.end);
            }
            pattern
        }
        None => {
            let binding = walk.bind(facts::BindingKind::Pattern, name, key.span);
            walk.pattern(Pattern::Name(binding))
        }
    };
    Some(Outcome::pattern(
        walk.pattern(Pattern::Fields(vec![(name, pattern)])),
    ))
}

/// `pattern => name`.
pub(super) fn alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, name) = (walk.outcome(frame, "value"), walk.outcome(frame, "name"));
    let ty = if value.ty.is_known() {
        value.ty
    } else {
        as_type(walk, value.recipe)
    };
    let pattern = match (name.pattern, value.pattern) {
        (Some(whole), Some(inner)) => Some(walk.pattern(Pattern::Both(whole, inner))),
        (whole, inner) => whole.or(inner),
    };
    Some(Outcome {
        ty,
        pattern,
        ..Outcome::NONE
    })
}

/// `A | B`: of one type or the other.
pub(super) fn alternatives(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let mut types = Vec::new();
    for child in &children {
        let ty = if child.outcome.ty.is_known() {
            child.outcome.ty
        } else {
            as_type(walk, child.outcome.recipe)
        };
        types.push(ty);
        if let Some(pattern) = child.outcome.pattern {
            let value = cast(walk, child.outcome, RecipeId::UNKNOWN);
            walk.bind_pattern(pattern, value, TypeId::UNKNOWN, child.span.end);
        }
    }
    if types.iter().any(|ty| !ty.is_known()) {
        return None;
    }
    let types = walk.type_list(&types);
    walk.type_value(TypeRecipe::Union(types))
}
