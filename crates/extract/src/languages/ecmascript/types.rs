//! Types as TypeScript writes them.

use crate::prelude::*;

use super::{declarations, parameters};

/// The type of what says whether a value is of a type.
const PREDICATE: &str = "type predicate";

fn named(walk: &mut Walk<'_>, word: &'static str) -> Outcome {
    Outcome::ty(walk.type_named(word))
}

pub(super) fn this_type(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.type_value(TypeRecipe::SelfType)
}

/// `a.b` before a type, or as the name of a namespace.
pub(super) fn nested(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return None;
    }
    let object = walk.outcome(frame, "object");
    let property = walk.child(frame, "property")?;
    Some(shared::member_of(
        walk,
        frame.context,
        object,
        property.span,
    ))
}

/// `a.b.C`.
pub(super) fn nested_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (module, name) = (walk.outcome(frame, "module"), walk.child(frame, "name")?);
    Some(shared::member_of(walk, Context::Type, module, name.span))
}

/// `Map<K, V>`.
pub(super) fn generic(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let head = walk.outcome(frame, "name");
    let arguments = walk.outcome(frame, "type_arguments");
    let TypeRecipe::Tuple(arguments) = walk.type_of(arguments.ty) else {
        return Some(head);
    };
    let ty = match utility_type(walk, head.ty, arguments) {
        Some(ty) => ty,
        None => walk.ty(TypeRecipe::Apply(head.ty, arguments)),
    };
    Some(head.with_ty(ty))
}

/// The library's types that only change how another type may be used, or that ask what a value
/// gives.
fn utility_type(walk: &mut Walk<'_>, head: TypeId, arguments: TypeListRange) -> Option<TypeId> {
    let TypeRecipe::Name(head) = walk.type_of(head) else {
        return None;
    };
    let &first = walk.type_list_of(arguments).first()?;
    match walk.builder.word(head) {
        "Partial" | "Required" | "Readonly" | "NonNullable" | "NoInfer" | "Pick" | "Omit"
        | "Exclude" | "Extract" => Some(first),
        "ReturnType" => {
            let TypeRecipe::Of(function) = walk.type_of(first) else {
                return None;
            };
            let call = walk.plain_call(function);
            Some(walk.ty(TypeRecipe::Of(call)))
        }
        "InstanceType" => {
            let TypeRecipe::Of(class) = walk.type_of(first) else {
                return None;
            };
            Some(super::expressions::as_type(walk, class))
        }
        _ => None,
    }
}

/// `f<T>` without a call.
pub(super) fn instantiation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let head = walk.first(frame);
    let TypeRecipe::Tuple(arguments) = walk.type_of(walk.outcome(frame, "type_arguments").ty)
    else {
        return Some(head);
    };
    Some(head.with_recipe(walk.recipe(Recipe::TypeArguments(head.recipe, arguments))))
}

pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let item = walk.first(frame).ty;
    walk.type_value(TypeRecipe::Array(item))
}

pub(super) fn optional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame).ty;
    walk.type_value(TypeRecipe::Optional(inner))
}

/// `A | B`; with `null` or `undefined` it is an optional.
pub(super) fn union(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(union_of(walk, &types)))
}

fn union_of(walk: &mut Walk<'_>, types: &[TypeId]) -> TypeId {
    let (null, undefined) = (named(walk, "null").ty, named(walk, "undefined").ty);
    let mut parts = Vec::new();
    let mut is_optional = false;
    for &ty in types {
        match walk.type_of(ty) {
            TypeRecipe::Union(range) => parts.extend_from_slice(walk.type_list_of(range)),
            TypeRecipe::Optional(inner) => {
                is_optional = true;
                match walk.type_of(inner) {
                    TypeRecipe::Union(range) => parts.extend_from_slice(walk.type_list_of(range)),
                    _ => parts.push(inner),
                }
            }
            _ if ty == null || ty == undefined => is_optional = true,
            _ => parts.push(ty),
        }
    }
    let ty = match parts.as_slice() {
        [] => return null,
        [only] => *only,
        _ => walk.type_from(TypeRecipe::Union, &parts),
    };
    if is_optional {
        walk.ty(TypeRecipe::Optional(ty))
    } else {
        ty
    }
}

pub(super) fn intersection(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut parts = Vec::new();
    for ty in walk.types(frame) {
        match walk.type_of(ty) {
            TypeRecipe::Intersection(range) => parts.extend_from_slice(walk.type_list_of(range)),
            _ => parts.push(ty),
        }
    }
    let ty = walk.type_from(TypeRecipe::Intersection, &parts);
    Some(Outcome::ty(ty))
}

/// What `infer` names is known inside the conditional type.
pub(super) fn enter_conditional(walk: &mut Walk<'_>, frame: &mut Frame) {
    if walk.source(frame.span).contains("infer") {
        frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None));
    }
}

/// `A extends B ? C : D` is a `C` or a `D`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let never = named(walk, "never").ty;
    let sides = ["consequence", "alternative"].map(|side| walk.outcome(frame, side).ty);
    let sides: Vec<TypeId> = sides.into_iter().filter(|&side| side != never).collect();
    Some(Outcome::ty(union_of(walk, &sides)))
}

/// `infer U extends Bound`.
pub(super) fn infer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).first().copied()?;
    let written = walk.children(frame).get(1).copied();
    let mut bound = written.outcome().ty;
    if let Some(written) = written.filter(|written| written.kind == "type_identifier") {
        walk.reference(written.span, Role::TypeUse, None);
        bound = walk.type_named(walk.source(written.span));
    }
    bind_type(walk, name.span, bound);
    Some(Outcome::ty(walk.type_named(walk.source(name.span))))
}

/// A type variable that no symbol declares.
fn bind_type(walk: &mut Walk<'_>, name: Span, bound: TypeId) {
    let word = walk.name_at(name);
    let from = walk.scope_start();
    let binding = walk.new_binding(BindingKind::Pattern, word, name);
    (binding.ty, binding.from) = (bound, from);
}

/// A function type with type parameters of its own has a scope for them.
pub(super) fn enter_generic_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span).trim_start_matches("abstract");
    let text = text.trim_start().trim_start_matches("new");
    if text.trim_start().starts_with('<') {
        frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None));
    }
}

/// `(a: A) => B`.
pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut types = match walk.type_of(walk.outcome(frame, "parameters").ty) {
        TypeRecipe::Tuple(types) => walk.type_list_of(types).to_vec(),
        _ => Vec::new(),
    };
    let result = match frame.kind {
        "function_type" => "return_type",
        _ => "type",
    };
    types.push(walk.outcome(frame, result).ty);
    Some(Outcome::ty(walk.type_from(TypeRecipe::Function, &types)))
}

/// `<T extends Bound = Default>`.
pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let bound = walk.outcome(frame, "constraint").ty;
    let owner = walk.ancestors().nth(1);
    match owner.and_then(|owner| declarations::symbol_of(walk, owner)) {
        Some(symbol) => {
            let bounds = shared::bounds(walk, bound);
            let word = walk.name_at(name.span);
            walk.type_parameter(symbol, word, name.span, bounds);
            let default = walk.outcome_of_kind(frame, "default_type").ty;
            walk.type_parameter_default(default);
        }
        None => bind_type(walk, name.span, bound),
    }
    None
}

/// The members of an object type belong to the alias, field or variable whose type it is, else to a
/// symbol without a name.
pub(super) fn enter_object(walk: &mut Walk<'_>, frame: &mut Frame) {
    const BETWEEN: [&str; 3] = ["intersection_type", "parenthesized_type", "type_annotation"];
    const HOLDERS: [&str; 4] = [
        "type_alias_declaration",
        "property_signature",
        "public_field_definition",
        "variable_declarator",
    ];
    let mut outer = walk.ancestors().skip(1);
    let holder = outer.find(|outer| !BETWEEN.contains(&outer.kind));
    let holder = holder.filter(|holder| HOLDERS.contains(&holder.kind));
    let holder = holder.and_then(|holder| holder.symbol);
    let owner = match holder {
        // Of several object types in an intersection the first gives the scope.
        Some(holder) => Some(holder).filter(|&holder| walk.symbol(holder).body.is_none()),
        None => {
            let symbol = walk.define(frame, SymbolKind::Field, frame.span);
            let name = walk.name("{}");
            let found = walk.symbol_mut(symbol);
            (found.name, found.signature) = (name, Span::empty(frame.span.start));
            walk.mark(
                symbol,
                Modifiers::LOCAL | Modifiers::ANONYMOUS | Modifiers::SYNTHETIC,
            );
            Some(symbol)
        }
    };
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, owner));
}

pub(super) fn object(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    match walk.children(frame) {
        [only] if only.kind == "index_signature" && only.outcome.ty.is_known() => {
            Some(Outcome::ty(only.outcome.ty))
        }
        _ => walk.type_value(TypeRecipe::Members(scope)),
    }
}

/// What an alias represents. `{ … } & A & B` is a type of its own, with the members of `A` and `B`.
pub(super) fn aliased(walk: &mut Walk<'_>, symbol: SymbolIndex, ty: TypeId) -> TypeId {
    let TypeRecipe::Intersection(parts) = walk.type_of(ty) else {
        return ty;
    };
    let parts = walk.type_list_of(parts).to_vec();
    let is_own = |walk: &Walk<'_>, part: TypeId| matches!(walk.type_of(part), TypeRecipe::Members(scope) if walk.scope_of(scope).owner == Some(symbol));
    let Some(&own) = parts.iter().find(|&&part| is_own(walk, part)) else {
        return ty;
    };
    for part in parts {
        if part.is_known() && !matches!(walk.type_of(part), TypeRecipe::Members(_)) {
            walk.supertype(symbol, part, Inherit::Mixin);
        }
    }
    own
}

/// `K in keyof T`: gives the type whose keys are meant.
pub(super) fn mapped_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, keys) = (walk.child(frame, "name")?, walk.outcome(frame, "type").ty);
    bind_type(walk, name.span, keys);
    Some(Outcome::ty(keys))
}

/// `{ [K in keyof T]: T[K] }` is much like `T`, also where its members may be missing; otherwise it is
/// a record.
pub(super) fn mapped(walk: &mut Walk<'_>, keys: TypeId, value: TypeId) -> TypeId {
    let plain = match walk.type_of(value) {
        TypeRecipe::Optional(inner) => inner,
        _ => value,
    };
    if let TypeRecipe::Indexed(object, _) = walk.type_of(plain)
        && keys_of(walk, keys) == Some(object)
    {
        return object;
    }
    let head = named(walk, "Record").ty;
    walk.applied_type(head, &[keys, value])
}

fn keys_of(walk: &Walk<'_>, keys: TypeId) -> Option<TypeId> {
    let TypeRecipe::Apply(head, _) = walk.type_of(keys) else {
        return None;
    };
    let TypeRecipe::Name(head) = walk.type_of(head) else {
        return None;
    };
    walk.first_argument(keys)
        .filter(|_| walk.builder.word(head) == "keyof")
}

/// `keyof T`, written like a generic type of that name.
pub(super) fn keys(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame).ty;
    let head = named(walk, "keyof").ty;
    Some(Outcome::ty(walk.applied_type(head, &[inner])))
}

/// `T["member"]`.
pub(super) fn lookup(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [object, index] = walk.child_array(frame)?;
    walk.type_value(TypeRecipe::Indexed(object.outcome.ty, index.outcome.ty))
}

/// `typeof value`.
pub(super) fn query(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let recipe = walk.first(frame).recipe;
    walk.type_value(TypeRecipe::Of(recipe))
}

/// `"GET"`, `3`, `true`, `null`.
pub(super) fn literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match walk.source(frame.span) {
        "true" | "false" => Some(named(walk, "boolean")),
        "null" => Some(named(walk, "null")),
        "undefined" => Some(named(walk, "undefined")),
        text => {
            let name = walk.name(shared::unquoted(text));
            walk.type_value(TypeRecipe::Literal(name))
        }
    }
}

pub(super) fn template(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    Some(named(walk, "string"))
}

/// What `x is T` and `asserts x` are about is a parameter, where those are more than words.
pub(super) fn enter_predicate(walk: &mut Walk<'_>, frame: &mut Frame) {
    const PARTS: [&str; 4] = [
        "type_predicate_annotation",
        "asserts_annotation",
        "asserts",
        "type_predicate",
    ];
    let function = walk.ancestors().find(|outer| !PARTS.contains(&outer.kind));
    frame.context = if function.is_some_and(parameters::are_bound_in) {
        Context::Value
    } else {
        Context::Label
    };
}

/// `x is T`, written like a generic type of a name that no type has.
pub(super) fn predicate(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    let name = walk.name(text.split_whitespace().next().unwrap_or(""));
    let tested = walk.ty(TypeRecipe::Literal(name));
    let ty = walk.outcome(frame, "type").ty;
    let head = named(walk, PREDICATE).ty;
    Some(Outcome::ty(walk.applied_type(head, &[tested, ty])))
}

/// `asserts x is T`.
pub(super) fn asserts(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    Some(named(walk, "void"))
}
