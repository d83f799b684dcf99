//! Types as C# writes them.

use crate::prelude::*;

/// `int`, `string`, `object`: a keyword, so there is nothing to refer to.
pub(super) fn predefined(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.type_named(walk.source(frame.span));
    let recipe = walk.recipe(Recipe::Type(ty));
    Some(Outcome::recipe(recipe).with_ty(ty))
}

fn argument_list(walk: &Walk<'_>, arguments: TypeId) -> TypeListRange {
    match walk.type_of(arguments) {
        TypeRecipe::Tuple(types) => types,
        _ => TypeListRange::default(),
    }
}

/// `List<T>`: a type, a generic method's name, or a member name that its parent deals with and to
/// which it hands the arguments.
pub(super) fn generic_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let head = walk.first(frame);
    let arguments = walk.outcome_of_kind(frame, "type_argument_list").ty;
    if frame.context == Context::Name {
        return Some(Outcome::ty(arguments));
    }
    Some(with_arguments(walk, head, arguments))
}

/// A name with the type arguments that follow it, which are a tuple type or unknown.
pub(super) fn with_arguments(walk: &mut Walk<'_>, head: Outcome, arguments: TypeId) -> Outcome {
    let types = argument_list(walk, arguments);
    if types.len == 0 {
        return head;
    }
    let recipe = walk.wrapped(head.recipe, |value| Recipe::TypeArguments(value, types));
    let ty = walk.wrapped_type(head.ty, |ty| TypeRecipe::Apply(ty, types));
    if let (Some(reference), true) = (head.reference, ty.is_known()) {
        // How many arguments there are tells `IFoo<T>` from `IFoo`.
        let written = walk.recipe(Recipe::Type(ty));
        walk.reference_mut(reference).call = Some(written);
    }
    head.with_recipe(recipe).with_ty(ty)
}

/// The identifier at the start of a simple name, type arguments left out.
pub(super) fn identifier_span(walk: &Walk<'_>, name: Span) -> Span {
    let text = walk.source(name);
    let len = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '@' | '\\')))
        .unwrap_or(text.len());
    Span::sized(name.start, len)
}

/// `A.B`: a type inside a namespace or type, or a member where a value is expected.
pub(super) fn qualified_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return None;
    }
    let qualifier = walk.outcome(frame, "qualifier");
    let Some(name) = walk.child(frame, "name") else {
        return Some(qualifier);
    };
    let span = identifier_span(walk, name.span);
    let member = shared::member_of(walk, frame.context, qualifier, span);
    Some(with_arguments(walk, member, name.outcome.ty))
}

/// `global::A`, `alias::A`.
pub(super) fn alias_qualified_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (alias, name) = (walk.child(frame, "alias")?, walk.child(frame, "name")?);
    if frame.context == Context::Name {
        return None;
    }
    let span = identifier_span(walk, name.span);
    let role = shared::role(frame.context);
    let word = walk.name_at(span);
    let outcome = if walk.source(alias.span) == "global" {
        walk.label(alias.span);
        let reference = walk.reference(span, role, None);
        let recipe = walk.recipe(Recipe::Name(word));
        Outcome::named_type(recipe, walk.ty(TypeRecipe::Name(word)), reference)
    } else {
        walk.reference(alias.span, Role::Read, None);
        let object_name = walk.name_at(alias.span);
        let object = walk.recipe(Recipe::Name(object_name));
        let reference = walk.reference(span, role, Some(object));
        let recipe = walk.recipe(Recipe::Scoped(object, word));
        let object_type = walk.ty(TypeRecipe::Name(object_name));
        let ty = walk.ty(TypeRecipe::Scoped(object_type, word));
        Outcome::named_type(recipe, ty, reference)
    };
    Some(with_arguments(walk, outcome, name.outcome.ty))
}

fn wrapped(walk: &mut Walk<'_>, frame: &Frame, wrap: fn(TypeId) -> TypeRecipe) -> Outcome {
    let inner = walk.first(frame);
    let ty = walk.ty(wrap(inner.ty));
    Outcome::ty(ty).with_reference(inner.reference)
}

pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = wrapped(walk, frame, TypeRecipe::Array);
    Some(outcome.with_reference(None))
}

pub(super) fn nullable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(wrapped(walk, frame, TypeRecipe::Optional))
}

pub(super) fn pointer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(wrapped(walk, frame, TypeRecipe::Pointer))
}

pub(super) fn function_pointer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.filter(frame, |child| child.kind != "calling_convention");
    let types: Vec<TypeId> = types.iter().map(|child| child.outcome.ty).collect();
    Some(Outcome::ty(walk.type_from(TypeRecipe::Function, &types)))
}

pub(super) fn tuple_element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::ty(walk.outcome(frame, "type").ty))
}
