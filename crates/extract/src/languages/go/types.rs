//! Go's types as written. A map is `map<K, V>` and a channel `chan<T>`, so that library shapes can
//! speak of them.

use facts::{Inherit, Modifiers, Recipe, Role, ScopeKind, SymbolKind, TypeId, TypeRecipe};

use crate::{
    rules::Context,
    walk::{Frame, Outcome, Walk},
};

/// `Stack[T]`.
pub(super) fn generic(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (head, arguments) = (
        walk.outcome(frame, "type"),
        walk.outcome(frame, "type_arguments").ty,
    );
    let TypeRecipe::Tuple(arguments) = walk.type_of(arguments) else {
        return Some(head);
    };
    let ty = walk.ty(TypeRecipe::Apply(head.ty, arguments));
    Some(Outcome {
        ty,
        recipe: head.recipe,
        reference: head.reference,
        ..Outcome::NONE
    })
}

/// `package.Type`.
pub(super) fn qualified(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (package, name) = (walk.outcome(frame, "package"), walk.child(frame, "name"));
    let Some(name) = name else {
        return Some(package);
    };
    // The name was met as a bare type; it is one of the package.
    let Some(reference) = name.outcome.reference else {
        return Some(package);
    };
    if let Some(package) = package.reference {
        walk.reference_mut(package).role = Role::Read;
    }
    walk.reference_mut(reference).receiver = Some(package.recipe);
    let word = walk.name_at(name.span);
    let recipe = walk.recipe(Recipe::Member(package.recipe, word));
    let ty = walk.ty(TypeRecipe::Scoped(package.ty, word));
    Some(Outcome::named_type(recipe, ty, reference))
}

pub(super) fn pointer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    Some(Outcome {
        ty: walk.ty(TypeRecipe::Pointer(inner.ty)),
        reference: inner.reference,
        ..Outcome::NONE
    })
}

/// Arrays and slices alike.
pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let element = walk.outcome(frame, "element").ty;
    walk.type_value(TypeRecipe::Array(element))
}

pub(super) fn map(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = [
        walk.outcome(frame, "key").ty,
        walk.outcome(frame, "value").ty,
    ];
    Some(Outcome::ty(applied(walk, "map", &types)))
}

pub(super) fn channel(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = [walk.outcome(frame, "value").ty];
    Some(Outcome::ty(applied(walk, "chan", &types)))
}

fn applied(walk: &mut Walk<'_>, head: &'static str, arguments: &[TypeId]) -> TypeId {
    let head = walk.name(head);
    let head = walk.ty(TypeRecipe::Name(head));
    let arguments = walk.type_list(arguments);
    walk.ty(TypeRecipe::Apply(head, arguments))
}

/// `func(A, B) C`.
pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let result = result(walk, frame);
    let mut types = match walk.type_of(walk.outcome(frame, "parameters").ty) {
        TypeRecipe::Tuple(types) => walk.type_list_of(types).to_vec(),
        _ => Vec::new(),
    };
    types.push(result);
    let types = walk.type_list(&types);
    walk.type_value(TypeRecipe::Function(types))
}

/// The result of a function: nothing, a type, or several as a tuple.
pub(super) fn result(walk: &Walk<'_>, frame: &Frame) -> TypeId {
    let Some(result) = walk.child(frame, "result") else {
        return TypeId::UNKNOWN;
    };
    match walk.type_of(result.outcome.ty) {
        TypeRecipe::Tuple(types) if result.kind == "parameter_list" => {
            match walk.type_list_of(types) {
                [] => TypeId::UNKNOWN,
                [only] => *only,
                _ => result.outcome.ty,
            }
        }
        _ => result.outcome.ty,
    }
}

/// The members of a type declaration belong to it; a struct or interface without a name is a symbol
/// of its own.
pub(super) fn enter_members(walk: &mut Walk<'_>, frame: &mut Frame) {
    let is_named = walk
        .ancestors()
        .nth(1)
        .is_some_and(|parent| matches!(parent.kind, "type_spec" | "type_alias"));
    let is_empty = || {
        walk.source(frame.span)
            .split_once('{')
            .is_some_and(|(_, members)| members.trim_start().starts_with('}'))
    };
    if is_named || is_empty() {
        return;
    }
    let kind = if frame.kind == "struct_type" {
        SymbolKind::Struct
    } else {
        SymbolKind::Interface
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
        let any = walk.name("any");
        return walk.type_value(TypeRecipe::Name(any));
    }
    None
}

/// What is between `|`: a constraint, a type argument, or an embedded interface.
pub(super) fn element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    let [only] = walk.children(frame) else {
        let types = walk.type_list(&types);
        return walk.type_value(TypeRecipe::Union(types));
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
