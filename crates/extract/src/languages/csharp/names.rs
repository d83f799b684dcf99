//! Identifiers whose meaning only the node around them tells, because the grammar gives them no
//! field of their own.

use crate::{declaring::is_word, prelude::*};

use super::{expressions, patterns};

pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Value
        && let Some(outcome) = by_parent(walk, frame)
    {
        return Some(outcome);
    }
    shared::identifier(walk, frame)
}

/// Whether a name after a dot may be that of a member that an interface asks for:
/// `void IList<T>.Clear()`. Then a type is before the interface.
pub(super) fn may_follow_interface(prefix: &[u8], after: &[u8]) -> bool {
    if !prefix.ends_with(b".") || matches!(after, [b'.' | b',' | b';' | b')', ..]) {
        return false;
    }
    let mut depth = 0_u32;
    let mut is_interface = |byte: &u8| {
        match byte {
            b'>' => depth += 1,
            b'<' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            b'.' | b':' => {}
            byte => return is_word(*byte),
        }
        true
    };
    let n_interface = prefix
        .iter()
        .rev()
        .take_while(|byte| is_interface(byte))
        .count();
    let before = prefix[..prefix.len() - n_interface].trim_ascii_end();
    let n_word = before
        .iter()
        .rev()
        .take_while(|byte| is_word(**byte))
        .count();
    match before {
        [.., b'=' | b'-', b'>'] => false,
        [.., b'>' | b']' | b'?' | b')' | b'*'] => true,
        _ => {
            let word = &before[before.len() - n_word..];
            let not_types = super::DECLARATION_SYNTAX.not_types.iter();
            n_word > 0 && !not_types.into_iter().any(|other| other.as_bytes() == word)
        }
    }
}

/// The first character after a place that is no space.
fn next_char(walk: &Walk<'_>, offset: u32) -> (Option<u8>, Option<u8>) {
    let rest = walk.text.as_bytes().get(offset as usize..).unwrap_or(&[]);
    let rest = rest.trim_ascii_start();
    (rest.first().copied(), rest.get(1).copied())
}

/// Whether `=` follows, and not `==` or `=>`.
pub(super) fn is_assigned(walk: &Walk<'_>, name: Span) -> bool {
    matches!(next_char(walk, name.end), (Some(b'='), second) if !matches!(second, Some(b'=' | b'>')))
}

fn by_parent(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parent = walk.parent()?;
    match parent.kind {
        "anonymous_object_creation_expression" if is_assigned(walk, frame.span) => {
            walk.label(frame.span);
            Some(Outcome::NONE)
        }
        "assignment_expression" if frame.field == "left" => {
            let around = walk.ancestors().nth(1)?;
            let object = RecipeId(around.note);
            let is_object = around.kind == "initializer_expression" && object.is_known();
            is_object.then(|| member(walk, frame.span, object, Role::Write))
        }
        "with_initializer" if walk.children(parent).is_empty() => {
            let with = walk.ancestors().nth(1)?.clone();
            let object = walk.children(&with).first().outcome().recipe;
            Some(member(walk, frame.span, object, Role::Write))
        }
        "subpattern"
            if walk.children(parent).is_empty()
                && next_char(walk, frame.span.end).0 == Some(b':') =>
        {
            let object = patterns::matched_object(walk, 0);
            Some(member(walk, frame.span, object, Role::Read))
        }
        "member_access_expression"
            if frame.field == "expression" && walk.ancestor_is(1, &["subpattern"]) =>
        {
            let around = walk.ancestors().nth(1)?;
            let is_name = walk.children(around).is_empty()
                && next_char(walk, parent.span.end).0 == Some(b':');
            is_name.then(|| {
                let object = patterns::matched_object(walk, 1);
                member(walk, frame.span, object, Role::Read)
            })
        }
        "invocation_expression"
            if frame.field == "function" && walk.source(frame.span) == "nameof" =>
        {
            walk.label(frame.span);
            Some(Outcome::NONE)
        }
        "let_clause" if walk.children(parent).is_empty() => {
            bound(walk, frame, BindingKind::Local, RecipeId::UNKNOWN)
        }
        "join_clause" if walk.find(parent, |child| child.field != "type").is_none() => {
            bound(walk, frame, BindingKind::Loop, RecipeId::UNKNOWN)
        }
        "join_into_clause" => bound(walk, frame, BindingKind::Loop, RecipeId::UNKNOWN),
        "query_expression" => {
            // `select x into y`: goes on with what the query gave so far.
            let last = walk.children(parent).last().copied()?;
            let query = parent.clone();
            let mut value = last.outcome.recipe;
            if last.kind == "group_clause" {
                let groups = expressions::query(walk, &query).unwrap_or_default().recipe;
                value = walk.recipe(Recipe::Element(groups));
            }
            bound(walk, frame, BindingKind::Loop, value)
        }
        "labeled_statement" if walk.children(parent).is_empty() => {
            let name = walk.name_at(frame.span);
            walk.bind(BindingKind::Label, name, frame.span);
            Some(Outcome::NONE)
        }
        _ => None,
    }
}

/// A member of an object that is not written before it.
fn member(walk: &mut Walk<'_>, span: Span, object: RecipeId, role: Role) -> Outcome {
    let name = walk.name_at(span);
    let reference = walk.reference(span, role, Some(object));
    let recipe = walk.recipe(Recipe::Member(object, name));
    Outcome::named(recipe, reference)
}

fn bound(
    walk: &mut Walk<'_>,
    frame: &Frame,
    kind: BindingKind,
    value: RecipeId,
) -> Option<Outcome> {
    let outcome = shared::identifier(walk, &frame.in_context(Context::Bind(kind)))?;
    walk.bind_pattern(outcome.pattern, value, TypeId::UNKNOWN, frame.span.end);
    Some(outcome)
}
