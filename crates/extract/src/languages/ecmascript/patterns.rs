//! What destructuring binds.

use crate::prelude::*;

use super::members;

/// `{ name }`.
pub(super) fn shorthand(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = super::expressions::identifier(walk, frame)?;
    let Some(pattern) = inner.pattern else {
        return Some(inner);
    };
    let fields = vec![(walk.name_at(frame.span), pattern)];
    Some(Outcome::pattern(walk.pattern(Pattern::Fields(fields))))
}

/// `{ key: pattern }`.
pub(super) fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (key, value) = (walk.child(frame, "key")?, walk.outcome(frame, "value"));
    let key_span = members::name_span(walk, key);
    let Some(inner) = value.pattern else {
        walk.label(key_span);
        walk.set_role(value, Role::Write);
        return None;
    };
    let name = walk.name_at(key_span);
    if key.kind == "computed_property_name" {
        return Some(Outcome::pattern(inner));
    }
    // The key is no name of this scope, but it represents the member that `bind` refers to.
    let binding = walk.bind(BindingKind::Label, name, key_span);
    let key = walk.pattern(Pattern::Name(binding));
    let both = walk.pattern(Pattern::Both(key, inner));
    let fields = Pattern::Fields(vec![(name, both)]);
    Some(Outcome::pattern(walk.pattern(fields)))
}

pub(super) fn object(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parts = walk.patterns(frame);
    let mut fields = Vec::with_capacity(parts.len());
    let mut rest = None;
    for part in parts {
        match walk.pattern_of(part) {
            Pattern::Fields(named) => fields.extend_from_slice(named),
            Pattern::Rest(inner) => rest = Some(*inner),
            // Nothing is known of computed keys.
            _ => walk.bind_pattern(part, RecipeId::UNKNOWN, TypeId::UNKNOWN, frame.span.end),
        }
    }
    let fields = walk.pattern(Pattern::Fields(fields));
    match rest {
        // What is left of an object has members of the whole.
        Some(rest) => Some(Outcome::pattern(walk.pattern(Pattern::Both(rest, fields)))),
        None => Some(Outcome::pattern(fields)),
    }
}

/// `[a, , b]`: places left empty count.
pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let mut parts = Vec::new();
    let mut end = frame.span.start;
    let mut place = 0;
    for child in children {
        let gap = walk.source(Span::new(end, child.span.start));
        place += gap.matches(',').count();
        end = child.span.end;
        let Some(pattern) = child.outcome.pattern else {
            walk.set_role(child.outcome, Role::Write);
            continue;
        };
        while parts.len() < place {
            let hole = walk.pattern(Pattern::Tuple(Vec::new()));
            parts.push(hole);
        }
        parts.push(match *walk.pattern_of(pattern) {
            Pattern::Rest(rest) => walk.pattern(Pattern::Items(rest)),
            _ => pattern,
        });
    }
    Some(Outcome::pattern(walk.pattern(Pattern::Tuple(parts))))
}

pub(super) fn rest(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    match inner.pattern {
        Some(pattern) => Some(Outcome::pattern(walk.pattern(Pattern::Rest(pattern)))),
        None => {
            walk.set_role(inner, Role::Write);
            None
        }
    }
}

/// `pattern = default`. What a parameter defaults to is handed on; elsewhere the value itself tells
/// more.
pub(super) fn with_default(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.outcome(frame, "left"), walk.outcome(frame, "right"));
    if frame.context == Context::Bind(BindingKind::Parameter) {
        return Some(left.with_recipe(right.recipe));
    }
    Some(left)
}

/// Gives what a target binds its part of a value; the members that it takes are referred to.
pub(super) fn bind(walk: &mut Walk<'_>, target: Child, value: RecipeId, ty: TypeId, from: u32) {
    let Some(pattern) = target.outcome.pattern else {
        return walk.set_role(target.outcome, Role::Write);
    };
    walk.bind_pattern(pattern, value, ty, from);
    if matches!(walk.pattern_of(pattern), Pattern::Name(_)) {
        return;
    }
    let mut key_value = RecipeId::UNKNOWN;
    for binding in walk.bindings_in(pattern) {
        let &Binding {
            kind,
            name,
            name_span: span,
            value,
            ..
        } = walk.binding(binding);
        let is_key = kind == BindingKind::Label;
        match walk.recipe_of(value) {
            // In `{ a: a }` the key has been referred to already.
            Recipe::Member(object, member) if member == name && (is_key || value != key_value) => {
                walk.reference_named(name, span, Role::Read, Some(object));
            }
            _ if is_key => walk.label(span),
            _ => {}
        }
        key_value = if is_key { value } else { RecipeId::UNKNOWN };
    }
}
