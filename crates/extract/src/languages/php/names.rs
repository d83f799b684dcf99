//! PHP's names: variables, class names with their namespaces, and types as written.
//!
//! A leading backslash is dropped where a namespace follows it; before a single name it says that
//! the name is not one of the namespace around, and it is kept as a
//! name of its own.

use crate::prelude::*;

/// A name without `$`: what it is may depend on whether it comes first or last in its parent.
pub(super) fn name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parent = walk.parent();
    let is_first = parent.is_none_or(|parent| walk.children(parent).is_empty());
    match parent.map_or("", |parent| parent.kind) {
        "const_element" if is_first => return None,
        "class_constant_access_expression" if !is_first => return None,
        "use_as_clause" if !is_first => return None,
        "use_as_clause" => {
            let receiver = walk.recipe(Recipe::SelfType);
            let reference = walk.reference(frame.span, Role::Read, Some(receiver));
            let name = walk.name_at(frame.span);
            let recipe = walk.recipe(Recipe::Scoped(receiver, name));
            return Some(Outcome::named(recipe, reference));
        }
        "property_hook" => return shared::identifier(walk, &frame.in_context(Context::Label)),
        // `"${x}"` is `$x`.
        "dynamic_variable_name" => {
            let name = walk.name(format!("${}", walk.source(frame.span)));
            let reference = walk.reference_named(name, frame.span, Role::Read, None);
            return Some(Outcome::named(walk.recipe(Recipe::Name(name)), reference));
        }
        // `"$a[key]"`: a key, not a constant.
        "subscript_expression" if walk.ancestor_is(1, &["encapsed_string", "heredoc_body"]) => {
            walk.label(frame.span);
            return None;
        }
        _ => {}
    }
    if frame.context == Context::Type
        && let Some(outcome) = relative(walk, frame)
    {
        walk.label(frame.span);
        return Some(outcome);
    }
    shared::identifier(walk, frame)
}

/// `self`, `static` and `parent` before `::`.
pub(super) fn relative_scope(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(relative(walk, frame).unwrap_or_default())
}

fn relative(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    if text.eq_ignore_ascii_case("self") || text.eq_ignore_ascii_case("static") {
        let recipe = walk.recipe(Recipe::SelfType);
        return Some(Outcome::recipe(recipe).with_ty(walk.ty(TypeRecipe::SelfType)));
    }
    if text.eq_ignore_ascii_case("parent") {
        let recipe = walk.recipe(Recipe::Super);
        return Some(Outcome::recipe(recipe).with_ty(walk.ty(TypeRecipe::Of(recipe))));
    }
    None
}

/// `$x`. Where a class is expected, it is a value that says which.
pub(super) fn variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span) == "$this" {
        walk.label(frame.span);
        return walk.value_of(Recipe::SelfValue);
    }
    match frame.context {
        Context::Type => shared::identifier(walk, &frame.in_context(Context::Value)),
        Context::Bind(BindingKind::Outer) => {
            let outcome = shared::identifier(walk, frame)?;
            let (value, ty) = (RecipeId::UNKNOWN, TypeId::UNKNOWN);
            walk.bind_pattern(outcome.pattern, value, ty, frame.span.end);
            Some(outcome)
        }
        _ => shared::identifier(walk, frame),
    }
}

/// The namespace before a class name. Its first word may be an alias, hence a reference.
pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        // A declaration is known by its first word.
        for child in walk.children(frame).to_vec().iter().skip(1) {
            walk.label(child.span);
        }
        return None;
    }
    let parent = walk.parent().map_or("", |parent| walk.source(parent.span));
    let absolute = parent.starts_with('\\');
    let mut outcome = Outcome::NONE;
    for child in walk.children(frame).to_vec() {
        let name = walk.name_at(child.span);
        if absolute || outcome.recipe.is_known() {
            walk.label(child.span);
        } else {
            walk.reference(child.span, Role::Read, None);
        }
        outcome.recipe = walk.recipe(match outcome.recipe {
            RecipeId::UNKNOWN => Recipe::Name(name),
            outer => Recipe::Scoped(outer, name),
        });
        outcome.ty = walk.type_in(outcome.ty, name);
    }
    Some(outcome)
}

fn root(walk: &mut Walk<'_>) -> Outcome {
    let root = walk.name("\\");
    Outcome::recipe(walk.recipe(Recipe::Name(root))).with_ty(walk.ty(TypeRecipe::Name(root)))
}

/// `A\B`, `\A\B`, `namespace\B`.
pub(super) fn qualified(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return None;
    }
    let name = walk.rfind(frame, |child| child.kind == "name")?;
    let mut prefix = walk.outcome_of_kind(frame, "namespace_name");
    if !prefix.recipe.is_known() && walk.source(frame.span).starts_with('\\') {
        prefix = root(walk);
    }
    if !prefix.recipe.is_known() {
        let mut bare = frame.clone();
        bare.span = name.span;
        return shared::identifier(walk, &bare);
    }
    let role = shared::role(frame.context);
    let reference = walk.reference(name.span, role, Some(prefix.recipe));
    let word = walk.name_at(name.span);
    let recipe = walk.recipe(Recipe::Scoped(prefix.recipe, word));
    let ty = walk.ty(TypeRecipe::Scoped(prefix.ty, word));
    Some(Outcome::named_type(recipe, ty, reference))
}

/// A class name met as a value, read as a type.
pub(super) fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    match walk.recipe_of(recipe) {
        Recipe::Name(name) if !walk.builder.word(name).starts_with('$') => {
            walk.ty(TypeRecipe::Name(name))
        }
        Recipe::Scoped(outer, name) => {
            let outer = as_type(walk, outer);
            walk.ty(TypeRecipe::Scoped(outer, name))
        }
        Recipe::Type(ty) => ty,
        Recipe::SelfType => walk.ty(TypeRecipe::SelfType),
        _ => TypeId::UNKNOWN,
    }
}

pub(super) fn primitive_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    let ty = if text.contains(|c: char| c.is_ascii_uppercase()) {
        walk.type_named(text.to_ascii_lowercase())
    } else {
        walk.type_named(text)
    };
    Some(Outcome::ty(ty))
}

pub(super) fn optional_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    Some(Outcome::ty(walk.ty(TypeRecipe::Optional(inner.ty))).with_reference(inner.reference))
}

pub(super) fn union_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(union(walk, &types)))
}

/// A union; with `null` it is an optional.
pub(super) fn union(walk: &mut Walk<'_>, types: &[TypeId]) -> TypeId {
    let null = walk.type_named("null");
    let is_part = |ty: &TypeId| *ty != null && ty.is_known();
    let parts: Vec<TypeId> = types.iter().copied().filter(is_part).collect();
    let ty = walk.union(&parts);
    match (types.contains(&null), ty) {
        (true, TypeId::UNKNOWN) => null,
        (true, _) => walk.ty(TypeRecipe::Optional(ty)),
        (false, _) => ty,
    }
}

pub(super) fn intersection_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    let ty = walk.type_from(TypeRecipe::Intersection, &types);
    Some(Outcome::ty(ty))
}
