//! Patterns of Rust: what they bind, and which part of the value each name is.

use crate::prelude::*;

use super::types;

/// Children with their places among commas: `_` has no node of its own.
pub(super) fn by_position(
    walk: &Walk<'_>,
    children: &[Child],
    mut from: u32,
) -> Vec<(usize, Child)> {
    let mut placed = Vec::with_capacity(children.len());
    let mut place = 0;
    for child in children {
        let mut gap = walk.source(Span::new(from, child.span.start));
        // Comments in the gap may hold commas.
        while let Some(at) = gap.find([',', '/']) {
            let rest = &gap[at..];
            gap = if let Some(after) = rest.strip_prefix(',') {
                place += 1;
                after
            } else if rest.starts_with("//") {
                rest.find('\n').map_or("", |end| &rest[end..])
            } else {
                rest.find("*/").map_or("", |end| &rest[end + 2..])
            };
        }
        placed.push((place, *child));
        from = child.span.end;
    }
    placed
}

/// The parts of a tuple, slice or variant by position; what binds nothing is an empty pattern, what
/// follows `..` has no known place.
fn parts(walk: &mut Walk<'_>, children: &[Child], from: u32) -> Option<Vec<PatternId>> {
    if children.iter().all(|child| child.outcome.pattern.is_none()) {
        return None;
    }
    let mut parts = Vec::new();
    let mut after_rest = false;
    for (place, child) in by_position(walk, children, from) {
        after_rest |= child.kind == "remaining_field_pattern";
        let Some(mut pattern) = child.outcome.pattern else {
            continue;
        };
        if after_rest {
            pattern = walk.pattern(Pattern::Rest(pattern));
        }
        while parts.len() < place {
            parts.push(walk.pattern(Pattern::Tuple(Vec::new())));
        }
        parts.push(pattern);
    }
    Some(parts)
}

/// `(a, b)`, `[a, .., b]`.
pub(super) fn tuple(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let parts = parts(walk, &children, frame.span.start)?;
    Some(Outcome::pattern(walk.pattern(Pattern::Tuple(parts))))
}

/// `Some(x)`, `Shape::Circle(r)`.
pub(super) fn tuple_struct(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let (head, inner) = children.split_first()?;
    let parts = parts(walk, inner, head.span.end)?;
    let variant = walk.source(head.span).rsplit("::").next().unwrap_or("");
    let pattern = match (variant, parts.as_slice()) {
        ("Some" | "Ok", [part]) => Pattern::Inside(*part),
        ("Err", [part]) => {
            let method = walk.name("unwrap_err");
            Pattern::Given(method, *part)
        }
        _ => Pattern::Of(head.outcome.ty, parts),
    };
    Some(Outcome::pattern(walk.pattern(pattern)))
}

/// `Point { x, y: Some(z), .. }`: the fields know their values already.
pub(super) fn structure(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let fields = walk.patterns(frame);
    let mut whole: Option<PatternId> = None;
    for field in fields {
        let field = walk.pattern(Pattern::Rest(field));
        whole = Some(match whole {
            Some(whole) => walk.pattern(Pattern::Both(whole, field)),
            None => field,
        });
    }
    whole.map(Outcome::pattern)
}

/// `x`, `y: pattern` of a struct pattern.
pub(super) fn field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let structure = walk
        .parent()
        .and_then(|parent| walk.children(parent).first());
    let object = types::cast(walk, structure.outcome().ty);
    walk.reference(name.span, Role::Read, Some(object));
    let pattern = walk
        .child(frame, "pattern")
        .unwrap_or(name)
        .outcome
        .pattern?;
    let name = walk.name_at(name.span);
    let value = walk.wrapped(object, |value| Recipe::Member(value, name));
    walk.bind_pattern(pattern, value, TypeId::UNKNOWN, frame.span.end);
    Some(Outcome::pattern(pattern))
}

/// `x @ pattern`; `rest @ ..` is no single part.
pub(super) fn captured(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [whole, inner, ..] = *walk.children(frame) else {
        return None;
    };
    let pattern = match (whole.outcome.pattern, inner.outcome.pattern) {
        (Some(whole), _) if inner.kind == "remaining_field_pattern" => {
            walk.pattern(Pattern::Rest(whole))
        }
        (Some(whole), Some(inner)) => walk.pattern(Pattern::Both(whole, inner)),
        (whole, inner) => whole.or(inner)?,
    };
    Some(Outcome::pattern(pattern))
}

/// `A(x) | B(x)`: every side binds its names to the same value.
pub(super) fn alternatives(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let sides = walk.patterns(frame);
    match *sides.as_slice() {
        [a, b] => Some(Outcome::pattern(walk.pattern(Pattern::Both(a, b)))),
        [only] => Some(Outcome::pattern(only)),
        _ => None,
    }
}

/// `ref x`, `mut x`, `&x`, `&mut x`: what they wrap.
pub(super) fn wrapped(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.last(frame).pattern.map(Outcome::pattern)
}

/// The pattern of a match arm, bound to what is matched.
pub(super) fn arm(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.children(frame).first().copied()?;
    let pattern = Some(pattern).filter(|child| child.field != "condition")?;
    let matched = walk
        .ancestors()
        .nth(2)
        .filter(|matched| matched.kind == "match_expression");
    let value = matched.and_then(|matched| walk.children(matched).first());
    let (value, from) = (value.outcome().recipe, pattern.span.end);
    walk.bind_pattern(pattern.outcome.pattern, value, TypeId::UNKNOWN, from);
    None
}

/// `let pattern = value` as a condition.
pub(super) fn let_condition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let_declaration(walk, frame)
}

/// `let pattern: T = value else { … };`
pub(super) fn let_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.outcome(frame, "pattern");
    let ty = walk.outcome(frame, "type");
    let value = walk.outcome(frame, "value");
    walk.bind_pattern(pattern.pattern, value.recipe, ty.ty, frame.span.end);
    None
}

pub(super) fn loop_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (pattern, value) = (walk.child(frame, "pattern")?, walk.child(frame, "value")?);
    if let Some(pattern) = pattern.outcome.pattern {
        let element = walk.wrapped(value.outcome.recipe, Recipe::Element);
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, value.span.end);
    }
    None
}

/// A condition with `let` opens a scope for what it binds, around itself and the body.
pub(super) fn enter_condition(walk: &mut Walk<'_>, frame: &mut Frame) {
    // Nested conditions are not gone through again and again.
    const MAX_CONDITION: usize = 4_096;
    let text = walk.source(frame.span).as_bytes();
    let text = &text[..text.len().min(MAX_CONDITION)];
    let condition = &text[..memchr::memchr(b'{', text).unwrap_or(text.len())];
    if condition.windows(4).any(|word| word == b"let ") {
        frame.scope = Some(walk.new_scope(ScopeKind::Branch, frame.span, None));
    }
}

/// What the condition binds is not visible in the alternative.
pub(super) fn enter_alternative(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(own) = frame.scope else { return };
    let condition = walk.ancestors().nth(1).and_then(|parent| parent.scope);
    if condition.is_some_and(|condition| walk.scope_of(own).parent == condition) {
        let outer = condition.map_or(own, |condition| walk.scope_of(condition).parent);
        walk.facts_mut().scopes[own.0 as usize].parent = outer;
    }
}

/// Binds the parameters of a closure; one that is a larger pattern gets a name that no text has.
pub(super) fn closure_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let from = walk.scope_start();
    for (index, child) in by_position(walk, &children, frame.span.start) {
        let Some(pattern) = child.outcome.pattern else {
            continue;
        };
        if let Pattern::Name(binding) = *walk.pattern_of(pattern) {
            let binding = walk.binding_mut(binding);
            (binding.parameter, binding.from) = (Some(index as u16), from);
            binding.ty = child.outcome.ty;
            continue;
        }
        let whole = walk.name(format!("#{index}"));
        let place = Span::empty(child.span.start);
        let binding = walk.new_binding(BindingKind::Parameter, whole, place);
        (binding.parameter, binding.from) = (Some(index as u16), from);
        binding.ty = child.outcome.ty;
        let whole = walk.recipe(Recipe::Name(whole));
        walk.bind_pattern(pattern, whole, TypeId::UNKNOWN, from);
    }
    None
}
