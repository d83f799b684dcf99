//! PHP's names: variables, class names with their namespaces, and types as written.
//!
//! A leading backslash is dropped where a namespace follows it; before a single name it says that
//! the name is not one of the namespace around, and it is kept as a
//! name of its own.

use facts::{Recipe, RecipeId, Role, TypeId, TypeRecipe};

use crate::{
    handlers as shared,
    rules::Context,
    walk::{Frame, Outcome, Pattern, Walk},
};

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
            return Some(Outcome {
                recipe: walk.recipe(Recipe::Scoped(receiver, name)),
                reference: Some(reference),
                ..Outcome::NONE
            });
        }
        "property_hook" => return shared::identifier(walk, &frame.in_context(Context::Label)),
        // `"${x}"` is `$x`.
        "dynamic_variable_name" => {
            let name = walk.name(format!("${}", walk.source(frame.span)));
            let reference = walk.reference_named(name, frame.span, Role::Read, None);
            return Some(Outcome::named(walk.recipe(Recipe::Name(name)), reference));
        }
        // `"$a[key]"`: a key, not a constant.
        "subscript_expression"
            if walk
                .ancestors()
                .nth(1)
                .is_some_and(|outer| matches!(outer.kind, "encapsed_string" | "heredoc_body")) =>
        {
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
        return Some(Outcome {
            recipe: walk.recipe(Recipe::SelfType),
            ty: walk.ty(TypeRecipe::SelfType),
            ..Outcome::NONE
        });
    }
    if text.eq_ignore_ascii_case("parent") {
        let recipe = walk.recipe(Recipe::Super);
        return Some(Outcome {
            recipe,
            ty: walk.ty(TypeRecipe::Of(recipe)),
            ..Outcome::NONE
        });
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
        Context::Bind(facts::BindingKind::Outer) => {
            let outcome = shared::identifier(walk, frame)?;
            if let Some(Pattern::Name(binding)) = outcome
                .pattern
                .map(|pattern| walk.pattern_of(pattern).clone())
            {
                walk.binding_mut(binding).from = frame.span.end;
            }
            Some(outcome)
        }
        _ => shared::identifier(walk, frame),
    }
}

/// The namespace before a class name. Its first word may be an alias, hence a reference.
pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        // A declaration is known by its first word.
        for child in walk
            .children(frame)
            .iter()
            .skip(1)
            .map(|child| child.span)
            .collect::<Vec<_>>()
        {
            walk.label(child);
        }
        return None;
    }
    let absolute = walk
        .parent()
        .is_some_and(|parent| walk.source(parent.span).starts_with('\\'));
    let mut outcome = Outcome::NONE;
    for child in walk.children(frame).to_vec() {
        let name = walk.name_at(child.span);
        if absolute || outcome.recipe.is_known() {
            walk.label(child.span);
        } else {
            walk.reference(child.span, Role::Read, None);
        }
        if outcome.recipe.is_known() {
            outcome.recipe = walk.recipe(Recipe::Scoped(outcome.recipe, name));
            outcome.ty = walk.ty(TypeRecipe::Scoped(outcome.ty, name));
        } else {
            outcome.recipe = walk.recipe(Recipe::Name(name));
            outcome.ty = walk.ty(TypeRecipe::Name(name));
        }
    }
    Some(outcome)
}

fn root(walk: &mut Walk<'_>) -> Outcome {
    let root = walk.name("\\");
    Outcome {
        recipe: walk.recipe(Recipe::Name(root)),
        ty: walk.ty(TypeRecipe::Name(root)),
        ..Outcome::NONE
    }
}

/// `A\B`, `\A\B`, `namespace\B`.
pub(super) fn qualified(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return None;
    }
    let name = walk.children_of_kind(frame, "name").last()?;
    let mut prefix = walk.outcome_of_kind(frame, "namespace_name");
    if !prefix.recipe.is_known() && walk.source(frame.span).starts_with('\\') {
        prefix = root(walk);
    }
    let role = if frame.context == Context::Type {
        Role::TypeUse
    } else {
        Role::Read
    };
    if !prefix.recipe.is_known() {
        let mut bare = frame.clone();
        bare.span = name.span;
        return shared::identifier(walk, &bare);
    }
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
    let name = if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        walk.name(text.to_ascii_lowercase())
    } else {
        walk.name(text)
    };
    walk.type_value(TypeRecipe::Name(name))
}

pub(super) fn optional_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    Some(Outcome {
        ty: walk.ty(TypeRecipe::Optional(inner.ty)),
        reference: inner.reference,
        ..Outcome::NONE
    })
}

pub(super) fn union_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(union(walk, &types)))
}

/// A union; with `null` it is an optional.
pub(super) fn union(walk: &mut Walk<'_>, types: &[TypeId]) -> TypeId {
    let null = walk.name("null");
    let null = walk.ty(TypeRecipe::Name(null));
    let parts: Vec<TypeId> = types
        .iter()
        .copied()
        .filter(|&ty| ty != null && ty.is_known())
        .collect();
    let ty = match parts.as_slice() {
        [] => {
            return if types.contains(&null) {
                null
            } else {
                TypeId::UNKNOWN
            };
        }
        [only] => *only,
        _ => {
            let parts = walk.type_list(&parts);
            walk.ty(TypeRecipe::Union(parts))
        }
    };
    if types.contains(&null) {
        walk.ty(TypeRecipe::Optional(ty))
    } else {
        ty
    }
}

pub(super) fn intersection_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    let types = walk.type_list(&types);
    walk.type_value(TypeRecipe::Intersection(types))
}
