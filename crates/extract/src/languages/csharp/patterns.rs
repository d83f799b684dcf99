//! Pattern matching: `is T x`, `case T { A: var a }`, `switch` arms.

use crate::prelude::*;

/// Patterns nested more deeply than this lose the value they match, not their names.
const MAX_HOPS: usize = 24;

/// The value that the pattern just inside the innermost open node is matched against.
fn matched_value(walk: &mut Walk<'_>) -> RecipeId {
    value_at(walk, 0, MAX_HOPS)
}

/// The object whose members a subpattern names; the subpattern is `skip` open nodes out.
pub(super) fn matched_object(walk: &mut Walk<'_>, skip: usize) -> RecipeId {
    object_at(walk, skip, MAX_HOPS)
}

fn value_at(walk: &mut Walk<'_>, skip: usize, hops: usize) -> RecipeId {
    let mut n_lists = 0;
    let mut found = None;
    for (i, frame) in walk.ancestors().enumerate().skip(skip).take(hops) {
        match frame.kind {
            "list_pattern" => n_lists += 1,
            "is_pattern_expression" | "switch_expression" | "switch_statement" | "subpattern" => {
                found = Some((i, frame.clone()));
                break;
            }
            _ => {}
        }
    }
    let Some((i, frame)) = found else {
        return RecipeId::UNKNOWN;
    };
    let mut value = walk.children(&frame).first().outcome().recipe;
    if frame.kind == "subpattern" {
        let clause = walk.ancestors().nth(i + 1);
        if let Some(clause) = clause.filter(|clause| clause.kind == "positional_pattern_clause") {
            let children = walk.children(clause).iter().take(MAX_HOPS);
            let position = children
                .take_while(|child| child.span.start < frame.span.start)
                .count();
            let object = object_at(walk, i, hops.saturating_sub(i - skip + 3));
            value = walk.wrapped(object, |value| Recipe::Part(value, position as u16));
        }
    }
    for _ in 0..n_lists {
        value = walk.wrapped(value, Recipe::Element);
    }
    value
}

fn object_at(walk: &mut Walk<'_>, skip: usize, hops: usize) -> RecipeId {
    // Subpattern, its clause, the pattern that says the type, what is around.
    let mut around = walk.ancestors().skip(skip + 1);
    let (Some(clause), Some(pattern)) = (around.next(), around.next()) else {
        return RecipeId::UNKNOWN;
    };
    let own = walk
        .children(pattern)
        .first()
        .filter(|child| child.field == "type" && child.span.end <= clause.span.start);
    let ty = own.outcome().ty;
    if ty.is_known() {
        return walk.recipe(Recipe::Cast(ty));
    }
    value_at(walk, skip + 3, hops)
}

/// `T x`, `var x`, `{ A: 1 } x`, `[..] x`: binds the name to what is matched.
pub(super) fn declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    let ty = shared::declared(walk, ty);
    let designation = walk.outcome_of_kind(frame, "parenthesized_variable_designation");
    let pattern = match walk.child(frame, "name") {
        Some(name) if name.kind == "identifier" => Some(bind(walk, name.span)),
        _ => designation.pattern,
    };
    if let Some(pattern) = pattern {
        let value = matched_value(walk);
        walk.bind_pattern(pattern, value, ty, frame.span.end);
    }
    Some(Outcome::ty(ty))
}

fn bind(walk: &mut Walk<'_>, span: Span) -> PatternId {
    walk.bound_name(BindingKind::Pattern, span)
}

/// `(a, (b, _))` after `var`.
pub(super) fn designation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let mut parts = Vec::with_capacity(children.len());
    for child in children {
        parts.push(match child.outcome.pattern {
            Some(pattern) => pattern,
            None if child.kind == "identifier" => bind(walk, child.span),
            // A discard takes its place.
            None => walk.pattern(Pattern::Fields(Vec::new())),
        });
    }
    Some(Outcome::pattern(walk.pattern(Pattern::Tuple(parts))))
}
