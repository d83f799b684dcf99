//! Types, paths and type parameters of Rust.

use crate::prelude::*;

use super::lexer::is_keyword;

/// An identifier, or the words that represent a type: `Self`, `_`. In a pattern, a capital means a
/// constant or variant.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    match frame.context {
        // Not there: the parser assumed it.
        _ if text.is_empty() => None,
        // In tokens that the parser could not read.
        Context::Value | Context::Type | Context::Bind(_)
            if is_keyword(text) && !matches!(text, "Self" | "_") =>
        {
            None
        }
        Context::Value | Context::Type if text == "Self" => {
            walk.label(frame.span);
            let recipe = walk.recipe(Recipe::SelfType);
            Some(Outcome::recipe(recipe).with_ty(walk.ty(TypeRecipe::SelfType)))
        }
        Context::Type if text == "_" => {
            walk.label(frame.span);
            walk.type_value(TypeRecipe::Inferred)
        }
        Context::Bind(_) if is_capital(text) => {
            let outcome = shared::identifier(walk, &frame.in_context(Context::Type))?;
            walk.set_role(outcome, Role::Read);
            Some(outcome)
        }
        _ => shared::identifier(walk, frame),
    }
}

/// An identifier that the grammar knows to be a type.
pub(super) fn type_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Name | Context::Label => shared::identifier(walk, frame),
        _ => identifier(walk, &frame.in_context(Context::Type)),
    }
}

fn is_capital(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_uppercase)
}

/// A path that starts with the name of a variable starts with a module all the same:
/// `let it = 1; it::check(it)`. Then the start is a path without anything before it.
fn shadowed_module(walk: &mut Walk<'_>, path: RecipeId) -> Option<RecipeId> {
    /// Variables that are declared nearby.
    const NEAR: usize = 64;
    let Recipe::Name(name) = walk.recipe_of(path) else {
        return None;
    };
    let mut nearby = walk.facts().bindings.iter().rev().take(NEAR);
    let is_variable = nearby.any(|binding| binding.name == name);
    is_variable.then(|| walk.recipe(Recipe::Scoped(RecipeId::UNKNOWN, name)))
}

/// `crate`, `super`, and `self` at the start of a path.
pub(super) fn path_start(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(path_word(walk, frame.span))
}

fn path_word(walk: &mut Walk<'_>, word: Span) -> Outcome {
    let name = walk.name_at(word);
    let recipe = walk.recipe(Recipe::Name(name));
    Outcome::recipe(recipe).with_ty(walk.ty(TypeRecipe::Name(name)))
}

/// `self`: the receiver, a parameter, or the start of a path.
pub(super) fn self_word(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Value => walk.value_of(Recipe::SelfValue),
        Context::Type => path_start(walk, frame),
        _ => None,
    }
}

pub(super) fn primitive(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    path_start(walk, frame)
}

/// `a::b`, a value or a type as the context says; what is before the `::` is a type when
/// capitalised, else a module.
pub(super) fn scoped(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name_child = walk
        .child(frame, "name")
        .filter(|name| !name.span.is_empty());
    let Some(name_child) = name_child else {
        return Some(walk.outcome(frame, "path"));
    };
    let context = match frame.kind {
        "scoped_type_identifier" => Context::Type,
        _ => frame.context,
    };
    let path = walk.child(frame, "path").map(|path| match path.kind {
        // `self::f` starts at the module, not at the receiver.
        "self" => path_word(walk, path.span),
        _ => path.outcome,
    });
    let name = walk.name_at(name_child.span);
    if name_child.kind == "super" {
        let object = path.unwrap_or_default();
        let recipe = walk.recipe(Recipe::Scoped(object.recipe, name));
        let ty = walk.ty(TypeRecipe::Scoped(object.ty, name));
        return Some(Outcome::recipe(recipe).with_ty(ty));
    }
    let mut receiver = path.map(|path| path.recipe);
    if let Some(reference) = path.and_then(|path| path.reference) {
        let span = walk.reference_mut(reference).span;
        let capital = is_capital(walk.source(span));
        let shadowed = receiver.and_then(|path| shadowed_module(walk, path));
        let names_type = capital || shadowed.is_some();
        walk.reference_mut(reference).role = if names_type {
            Role::TypeUse
        } else {
            Role::Read
        };
        receiver = shadowed.or(receiver);
    }
    let reference = walk.reference(name_child.span, shared::role(context), receiver);
    let recipe = match path {
        Some(path) => Recipe::Scoped(path.recipe, name),
        None => Recipe::Name(name),
    };
    let recipe = walk.recipe(recipe);
    let ty = match path {
        _ if context == Context::Value => TypeId::UNKNOWN,
        Some(path) => walk.ty(TypeRecipe::Scoped(path.ty, name)),
        None => walk.ty(TypeRecipe::Name(name)),
    };
    Some(Outcome::named_type(recipe, ty, reference))
}

/// `Vec<T>`, `Vec::<T>`.
pub(super) fn generic(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let head = walk.outcome(frame, "type");
    let arguments = types_in(walk, walk.outcome(frame, "type_arguments").ty);
    let mut ty = head.ty;
    if arguments.len > 0 {
        ty = walk.ty(TypeRecipe::Apply(ty, arguments));
    }
    let recipe = walk.recipe(Recipe::Type(ty));
    Some(
        Outcome::recipe(recipe)
            .with_ty(ty)
            .with_reference(head.reference),
    )
}

/// `f::<T>`, `x.collect::<Vec<_>>`.
pub(super) fn generic_function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.outcome(frame, "function");
    let arguments = types_in(walk, walk.outcome(frame, "type_arguments").ty);
    Some(function.with_recipe(walk.recipe(Recipe::TypeArguments(function.recipe, arguments))))
}

/// The list inside a tuple of types.
pub(super) fn types_in(walk: &Walk<'_>, ty: TypeId) -> TypeListRange {
    match walk.type_of(ty) {
        TypeRecipe::Tuple(list) | TypeRecipe::Bounds(list) => list,
        _ => TypeListRange::default(),
    }
}

/// The types of all children but lifetimes, as a tuple.
pub(super) fn type_arguments(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const NO_TYPES: [&str; 3] = ["lifetime", "attribute_item", "trait_bounds"];
    let types = walk.filter(frame, |child| !NO_TYPES.contains(&child.kind));
    let types: Vec<TypeId> = types.iter().map(|child| child.outcome.ty).collect();
    Some(tuple_of(walk, &types))
}

pub(super) fn tuple_of(walk: &mut Walk<'_>, types: &[TypeId]) -> Outcome {
    Outcome::ty(walk.type_from(TypeRecipe::Tuple, types))
}

pub(super) fn unit_type(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    Some(tuple_of(walk, &[]))
}

/// `Item = T` among type arguments: the type is after those by position.
pub(super) fn type_binding(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type");
    let generic = walk.ancestors().nth(1);
    let head = generic
        .and_then(|generic| walk.children(generic).first())
        .outcome();
    if let Some(name) = walk.child(frame, "name") {
        let receiver = walk.recipe(Recipe::Type(head.ty));
        walk.reference(name.span, Role::TypeUse, Some(receiver));
    }
    Some(Outcome::ty(ty.ty))
}

/// `&T`, `*const T`, `[T; 3]`.
pub(super) fn wrapped_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (field, wrap): (_, fn(TypeId) -> TypeRecipe) = match frame.kind {
        "reference_type" => ("type", TypeRecipe::Reference),
        "pointer_type" => ("type", TypeRecipe::Pointer),
        _ => ("element", TypeRecipe::Array),
    };
    let inner = walk.outcome(frame, field);
    let ty = walk.ty(wrap(inner.ty));
    Some(Outcome::ty(ty).with_reference(inner.reference))
}

/// `fn(A) -> B`, `Fn(A) -> B`.
pub(super) fn function_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parameters = types_in(walk, walk.outcome(frame, "parameters").ty);
    let mut types = walk.type_list_of(parameters).to_vec();
    let result = match walk.child(frame, "return_type") {
        Some(result) => result.outcome.ty,
        None => tuple_of(walk, &[]).ty,
    };
    types.push(result);
    let ty = walk.type_from(TypeRecipe::Function, &types);
    Some(Outcome::ty(ty).with_reference(walk.outcome(frame, "trait").reference))
}

/// `impl A + B`, `dyn A`.
pub(super) fn bounds_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.outcome(frame, "trait");
    if matches!(walk.type_of(inner.ty), TypeRecipe::Bounds(_)) {
        return Some(inner);
    }
    let bounds = shared::bounds(walk, inner.ty);
    Some(Outcome::ty(walk.ty(TypeRecipe::Bounds(bounds))).with_reference(inner.reference))
}

/// `A + B + 'a`, nested to the left.
pub(super) fn bounded_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let mut bounds = Vec::new();
    for child in &children {
        match walk.type_of(child.outcome.ty) {
            TypeRecipe::Unknown => {}
            TypeRecipe::Bounds(list) => bounds.extend_from_slice(walk.type_list_of(list)),
            _ => bounds.push(child.outcome.ty),
        }
    }
    let bounds = walk.type_list(&bounds);
    let reference = children.first().and_then(|child| child.outcome.reference);
    Some(Outcome::ty(walk.ty(TypeRecipe::Bounds(bounds))).with_reference(reference))
}

/// `: A + B`. What a trait is bounded by, it inherits.
pub(super) fn trait_bounds(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let of_trait = walk.parent_is(&["trait_item"]);
    for child in children.iter().filter(|_| of_trait) {
        walk.set_role(child.outcome, Role::Inherit);
    }
    let bounds = children.iter().map(|child| child.outcome.ty);
    let bounds: Vec<TypeId> = bounds.filter(|ty| ty.is_known()).collect();
    Some(Outcome::ty(walk.type_from(TypeRecipe::Bounds, &bounds)))
}

/// `<T as Trait>`: a `T`, seen as a trait.
pub(super) fn qualified_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(walk.outcome(frame, "type").with_reference(None))
}

/// `<T>` at the start of a path.
pub(super) fn bracketed_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.first(frame).ty;
    Some(Outcome::recipe(walk.recipe(Recipe::Type(ty))).with_ty(ty))
}

pub(super) fn higher_ranked(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(walk.outcome(frame, "type"))
}

/// `T: Bound`, `const N: usize` of the open symbol.
pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (walk.current_symbol()?, walk.child(frame, "name")?);
    let bounds = match frame.kind {
        "const_parameter" => {
            let ty = walk.outcome(frame, "type").ty;
            walk.type_list(&[ty])
        }
        _ => types_in(walk, walk.outcome(frame, "bounds").ty),
    };
    let name_id = walk.name_at(name.span);
    walk.type_parameter(symbol, name_id, name.span, bounds);
    None
}

/// `where T: Bound` adds to the type parameter of the open symbol; `where Self: Bound` of a trait
/// names a supertrait.
pub(super) fn where_predicate(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left").ty;
    let bounds = types_in(walk, walk.outcome(frame, "bounds").ty);
    let symbol = walk.current_symbol()?;
    match walk.type_of(left) {
        TypeRecipe::SelfType if walk.symbol(symbol).kind == SymbolKind::Trait => {
            for ty in walk.type_list_of(bounds).to_vec() {
                walk.supertype(symbol, ty, Inherit::Extends);
            }
        }
        TypeRecipe::Name(name) => {
            // Those of the open symbol are the last ones: its members come later.
            let own = walk
                .builder
                .type_parameters
                .iter()
                .enumerate()
                .rev()
                .take_while(|(_, (of, _))| *of == symbol);
            let known = own
                .map(|(i, (_, parameter))| (i, parameter.name))
                .find(|(_, of)| *of == name)
                .map(|(i, _)| i);
            if let Some(known) = known {
                let older = walk.builder.type_parameters[known].1.bounds;
                let all = [walk.type_list_of(older), walk.type_list_of(bounds)].concat();
                let all = walk.type_list(&all);
                walk.builder.type_parameters[known].1.bounds = all;
            }
        }
        _ => {}
    }
    None
}

/// The type that a value is said to have.
pub(super) fn cast(walk: &mut Walk<'_>, ty: TypeId) -> RecipeId {
    walk.cast(ty)
}
