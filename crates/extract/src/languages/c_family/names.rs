//! Identifiers, alone and after `A::`. A declarator's name is no reference: its place travels up to
//! the declaration.

use crate::prelude::*;

use super::declarators;

/// A declarator's outcome holds the place of the name it declares, as a run of bytes.
pub(crate) fn at_place(span: Span) -> Outcome {
    Outcome::list(ListRange {
        start: span.start,
        len: span.len(),
    })
}

/// The place of the name that a declarator declares.
pub(crate) fn place(outcome: Outcome) -> Option<Span> {
    (outcome.list.len > 0)
        .then(|| Span::new(outcome.list.start, outcome.list.start + outcome.list.len))
}

pub(crate) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Value if is_cast(walk.source(frame.span)) && frame.field == "name" => {
            walk.label(frame.span);
            None
        }
        Context::Value => match prefix(walk, frame).or_else(|| loose_prefix(walk, frame.span)) {
            Some(prefix) => Some(scoped(walk, frame.span, prefix, Role::Read)),
            None => shared::identifier(walk, frame),
        },
        Context::Type => type_identifier(walk, frame),
        Context::Name => declared_name(walk, frame),
        _ => shared::identifier(walk, frame),
    }
}

/// Casts that are keywords, though the grammar takes them for names.
fn is_cast(word: &str) -> bool {
    matches!(
        word,
        "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast"
    )
}

pub(crate) fn type_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Name => declared_name(walk, frame),
        Context::Label | Context::Bind(_) => shared::identifier(walk, frame),
        Context::Type | Context::Value => {
            if let Some(outcome) = declarators::test_argument(walk, frame) {
                return Some(outcome);
            }
            match prefix(walk, frame).or_else(|| loose_prefix(walk, frame.span)) {
                Some(prefix) => Some(scoped(walk, frame.span, prefix, Role::TypeUse)),
                None => shared::type_identifier(walk, frame),
            }
        }
    }
}

/// The name in a declarator, with the type that it is qualified with: `Foo::bar`.
fn declared_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let owner = prefix(walk, frame).map_or(TypeId::UNKNOWN, |prefix| prefix.ty);
    Some(owned_name(walk, frame.span, owner))
}

pub(crate) fn owned_name(walk: &mut Walk<'_>, span: Span, owner: TypeId) -> Outcome {
    let recipe = if owner.is_known() {
        walk.recipe(Recipe::Type(owner))
    } else {
        RecipeId::UNKNOWN
    };
    at_place(span).with_recipe(recipe)
}

/// The type that a declarator's name is qualified with.
pub(crate) fn owner_of(walk: &Walk<'_>, declarator: Outcome) -> TypeId {
    match walk.recipe_of(declarator.recipe) {
        Recipe::Type(owner) => owner,
        _ => TypeId::UNKNOWN,
    }
}

/// A name inside what `prefix` names.
pub(crate) fn scoped(walk: &mut Walk<'_>, span: Span, prefix: Outcome, role: Role) -> Outcome {
    let name = walk.name_at(span);
    let reference = walk.reference(span, role, Some(prefix.recipe));
    let recipe = walk.recipe(Recipe::Scoped(prefix.recipe, name));
    let ty = walk.ty(TypeRecipe::Scoped(prefix.ty, name));
    Outcome::named_type(recipe, ty, reference)
}

/// What is before the `::` in front of this name. The grammar nests `a::(b::c)`, so it may
/// be one node further out.
pub(crate) fn prefix(walk: &Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut around = walk.ancestors();
    let mut inner_field = frame.field;
    let mut parent = around.next()?;
    while matches!(
        parent.kind,
        "template_type" | "template_function" | "template_method" | "dependent_name"
    ) {
        if inner_field != "name" && parent.kind != "dependent_name" {
            return None;
        }
        inner_field = parent.field;
        parent = around.next()?;
    }
    if parent.kind != "qualified_identifier" {
        return None;
    }
    let scope_of = |qualified: &Frame| {
        walk.children(qualified)
            .first()
            .filter(|child| child.field == "scope")
            .map(|child| child.outcome)
    };
    if inner_field == "name" {
        return scope_of(parent).or_else(|| outer_prefix(walk, parent, around.next()));
    }
    outer_prefix(walk, parent, around.next())
}

/// The word before `::` in text that did not parse, where the path fell into its words: the last of
/// them is no name by itself.
fn loose_prefix(walk: &mut Walk<'_>, span: Span) -> Option<Outcome> {
    let before = walk.text[..span.start as usize].strip_suffix("::")?;
    let start = before
        .rfind(|c: char| !c.is_alphanumeric() && c != '_')
        .map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
    let word = &before[start..];
    if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let name = walk.name_at(Span::new(start as u32, before.len() as u32));
    let recipe = walk.recipe(Recipe::Name(name));
    let ty = walk.ty(TypeRecipe::Name(name));
    Some(Outcome::recipe(recipe).with_ty(ty))
}

fn outer_prefix(walk: &Walk<'_>, inner: &Frame, outer: Option<&Frame>) -> Option<Outcome> {
    let outer =
        outer.filter(|outer| outer.kind == "qualified_identifier" && inner.field == "name")?;
    walk.children(outer)
        .first()
        .filter(|child| child.field == "scope" && child.span.end <= inner.span.start)
        .map(|child| child.outcome)
}

pub(crate) fn statement_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let defines = walk.parent_is(&["labeled_statement"]);
    if defines {
        let name = walk.name_at(frame.span);
        walk.bind(BindingKind::Label, name, frame.span);
    } else {
        walk.label(frame.span);
    }
    None
}
