//! Go's types as written. A map is `map<K, V>` and a channel `chan<T>`, so that library shapes can
//! speak of them.

use crate::prelude::*;

/// `Stack[T]`.
pub(super) fn generic(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let head = walk.outcome(frame, "type");
    let arguments = walk.outcome(frame, "type_arguments").ty;
    let TypeRecipe::Tuple(arguments) = walk.type_of(arguments) else {
        return Some(head);
    };
    let ty = walk.ty(TypeRecipe::Apply(head.ty, arguments));
    let outcome = Outcome::ty(ty).with_recipe(head.recipe);
    Some(outcome.with_reference(head.reference))
}

/// `package.Type`.
pub(super) fn qualified(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (package, name) = (walk.outcome(frame, "package"), walk.child(frame, "name"));
    // The name was met as a bare type; it is one of the package.
    let (Some(name), Some(reference)) = (name, name.outcome().reference) else {
        return Some(package);
    };
    let word = walk.name_at(name.span);
    Some(shared::inner_type(walk, package, word, reference))
}

pub(super) fn pointer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    Some(Outcome::ty(walk.ty(TypeRecipe::Pointer(inner.ty))).with_reference(inner.reference))
}

/// Arrays and slices alike.
pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let element = walk.outcome(frame, "element").ty;
    walk.type_value(TypeRecipe::Array(element))
}

pub(super) fn map(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = ["key", "value"].map(|field| walk.outcome(frame, field).ty);
    Some(Outcome::ty(applied(walk, "map", &types)))
}

pub(super) fn channel(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = [walk.outcome(frame, "value").ty];
    Some(Outcome::ty(applied(walk, "chan", &types)))
}

fn applied(walk: &mut Walk<'_>, head: &'static str, arguments: &[TypeId]) -> TypeId {
    let head = walk.type_named(head);
    walk.applied_type(head, arguments)
}

/// `func(A, B) C`.
pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let result = result(walk, frame);
    let mut types = match walk.type_of(walk.outcome(frame, "parameters").ty) {
        TypeRecipe::Tuple(types) => walk.type_list_of(types).to_vec(),
        _ => Vec::new(),
    };
    types.push(result);
    Some(Outcome::ty(walk.type_from(TypeRecipe::Function, &types)))
}

/// The result of a function: nothing, a type, or several as a tuple.
pub(super) fn result(walk: &Walk<'_>, frame: &Frame) -> TypeId {
    let Some(result) = walk.child(frame, "result") else {
        return TypeId::UNKNOWN;
    };
    let ty = result.outcome.ty;
    let TypeRecipe::Tuple(types) = walk.type_of(ty) else {
        return ty;
    };
    match walk.type_list_of(types) {
        [] if result.kind == "parameter_list" => TypeId::UNKNOWN,
        [only] if result.kind == "parameter_list" => *only,
        _ => ty,
    }
}

/// The members of a type declaration belong to it; a struct or interface without a name is a symbol
/// of its own.
pub(super) fn enter_members(walk: &mut Walk<'_>, frame: &mut Frame) {
    let is_named = walk.ancestor_is(1, &["type_spec", "type_alias"]);
    let members = walk
        .source(frame.span)
        .split_once('{')
        .map_or("", |(_, members)| members);
    if is_named || members.trim_start().starts_with('}') {
        return;
    }
    let kind = match frame.kind {
        "struct_type" => SymbolKind::Struct,
        _ => SymbolKind::Interface,
    };
    let symbol = walk.define(frame, kind, frame.span);
    walk.mark(symbol, Modifiers::ANONYMOUS);
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, Some(symbol)));
}

pub(super) fn members(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(scope) = frame.scope {
        return walk.type_value(TypeRecipe::Members(scope));
    }
    if frame.kind == "interface_type" && !walk.parent_is(&["type_spec"]) {
        return Some(Outcome::ty(walk.type_named("any")));
    }
    None
}

/// What is between `|`: a constraint, a type argument, or an embedded interface.
pub(super) fn element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    let [only] = walk.children(frame) else {
        return Some(Outcome::ty(walk.type_from(TypeRecipe::Union, &types)));
    };
    let (outcome, kind) = (only.outcome, only.kind);
    let in_interface = frame.context == Context::Type && walk.parent_is(&["interface_type"]);
    if in_interface && kind != "negated_type" {
        walk.set_role(outcome, Role::Inherit);
        if let Some(symbol) = walk.scope_of(walk.scope()).owner {
            walk.supertype(symbol, outcome.ty, Inherit::Mixin);
        }
    }
    Some(outcome)
}
