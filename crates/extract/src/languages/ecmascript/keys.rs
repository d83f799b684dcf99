//! Keys of object literals: each names a member of what the object is expected to be.
//!
//! The text around the literal (a declared type, a call) tells what that is, often only after the
//! literal has been read; until then its keys wait in [`Walk::keys`]. Keys of which nothing is
//! ever known are mere words.

use crate::prelude::*;

/// Notes a key of the object literal that starts at `object`. Keys of a literal that is its value
/// are below it.
pub(super) fn note(
    walk: &mut Walk<'_>,
    name: NameId,
    span: Span,
    object: u32,
    value: Option<Child>,
) {
    let place = walk.keys.len();
    if let Some(value) = value.filter(|value| matches!(value.kind, "object" | "array")) {
        for key in walk
            .keys
            .iter_mut()
            .rev()
            .take_while(|key| key.span.start >= value.span.start)
        {
            if key.object == value.span.start && key.outer.is_none() {
                key.outer = Some(place);
            }
        }
    }
    walk.keys.push(ObjectKey {
        name,
        span,
        object,
        elements: 0,
        outer: None,
        argument: None,
    });
}

/// Says of the literals in an array that they are its elements.
pub(super) fn note_elements(walk: &mut Walk<'_>, frame: &Frame) {
    let start = frame.span.start;
    if walk.keys.last().is_none_or(|key| key.span.start < start) {
        return;
    }
    let places: Vec<u32> = literals(walk, frame).map(|(_, start)| start).collect();
    let keys = walk.keys.iter_mut().rev();
    for key in keys.take_while(|key| key.span.start >= start) {
        if key.outer.is_none() && places.binary_search(&key.object).is_ok() {
            key.object = start;
            key.elements = key.elements.saturating_add(1);
        }
    }
}

/// The object and array literals among the children of a node, by place and start.
fn literals(walk: &Walk<'_>, frame: &Frame) -> impl Iterator<Item = (u16, u32)> {
    let children = walk.children(frame).iter().enumerate();
    children
        .filter(|(_, child)| matches!(child.kind, "object" | "array"))
        .map(|(i, child)| (i as u16, child.span.start))
}

/// Says of the literals among some arguments which place they have.
pub(super) fn note_arguments(walk: &mut Walk<'_>, frame: &Frame) {
    if walk
        .keys
        .last()
        .is_none_or(|key| key.span.start < frame.span.start)
    {
        return;
    }
    let places: Vec<(u32, u16)> = literals(walk, frame).map(|(i, start)| (start, i)).collect();
    for key in walk
        .keys
        .iter_mut()
        .rev()
        .take_while(|key| key.span.start >= frame.span.start)
    {
        if key.outer.is_none()
            && let Ok(at) = places.binary_search_by_key(&key.object, |(start, _)| *start)
        {
            key.argument = Some(places[at].1);
        }
    }
}

/// The keys among the arguments of a call are members of its parameters.
pub(super) fn resolve_call_keys(walk: &mut Walk<'_>, arguments: Span, call: RecipeId) {
    resolve_keys(walk, arguments.start, |walk, key| {
        key.argument
            .map(|argument| walk.recipe(Recipe::Parameter(call, argument)))
    });
}

/// The keys of the literal that starts at `object` are members of `expected`.
pub(super) fn resolve_object_keys(walk: &mut Walk<'_>, object: u32, expected: RecipeId) {
    resolve_keys(walk, object, |_, key| {
        (key.object == object).then_some(expected)
    });
}

/// Refers to what the keys from `start` on name; `root` tells what an outermost literal is.
fn resolve_keys(
    walk: &mut Walk<'_>,
    start: u32,
    root: impl Fn(&mut Walk<'_>, &ObjectKey) -> Option<RecipeId>,
) {
    let first = walk
        .keys
        .iter()
        .rposition(|key| key.span.start < start)
        .map_or(0, |last| last + 1);
    let keys = walk.keys.split_off(first);
    // An outer key is after the keys of its value.
    let mut objects: Vec<Option<RecipeId>> = vec![None; keys.len()];
    for i in (0..keys.len()).rev() {
        let key = keys[i];
        let object = match key.outer.and_then(|outer| outer.checked_sub(first)) {
            Some(outer) => objects
                .get(outer)
                .copied()
                .flatten()
                .map(|object| walk.recipe(Recipe::Member(object, keys[outer].name))),
            None => root(walk, &key),
        };
        let object = object.map(|mut object| {
            for _ in 0..key.elements {
                object = walk.recipe(Recipe::Element(object));
            }
            object
        });
        objects[i] = object;
        match object {
            Some(object) => {
                walk.reference_named(key.name, key.span, Role::Write, Some(object));
            }
            None => walk.label(key.span),
        }
    }
}

/// Runs after the walk: what is left is known of nothing.
pub(super) fn finish(walk: &mut Walk<'_>) {
    for key in std::mem::take(&mut walk.keys) {
        walk.label(key.span);
    }
}
