//! Java's statements, patterns, expressions and types as written.

use crate::prelude::*;

use super::declarations::{arrays_of, local, place_parameter, with_dimensions};

// Statements.

/// A block has a scope of its own unless it is the body of what has opened one.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    const WITH_SCOPE: [&str; 5] = [
        "method_declaration",
        "compact_constructor_declaration",
        "lambda_expression",
        "catch_clause",
        "switch_rule",
    ];
    if frame.scope.is_none() && !walk.ancestor_is(1, &WITH_SCOPE) {
        frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None));
    }
}

pub(super) fn enhanced_for(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, value) = (walk.child(frame, "name")?, walk.child(frame, "value")?);
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "type").ty);
    let element = walk.recipe(Recipe::Element(value.outcome.recipe));
    local(walk, BindingKind::Loop, name, ty, element, value.span.end);
    None
}

/// `try (Foo foo = ...)`.
pub(super) fn resource(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let Some(name) = walk.child(frame, "name") else {
        // `try (lock)`: a variable that there is.
        let values = [walk.first(frame).recipe, RecipeId::UNKNOWN];
        walk.implicit(ImplicitKind::Enter, "", values, frame.span);
        return None;
    };
    let value = walk.outcome(frame, "value");
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "type").ty);
    let (kind, from) = (BindingKind::Local, frame.span.end);
    let held = match shared::declared(walk, ty) {
        ty if ty.is_known() => walk.cast(ty),
        _ => value.recipe,
    };
    let values = [held, RecipeId::UNKNOWN];
    walk.implicit(ImplicitKind::Enter, "", values, frame.span);
    local(walk, kind, name, ty, value.recipe, from);
    None
}

pub(super) fn caught(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = walk.outcome_of_kind(frame, "catch_type").ty;
    let (kind, from) = (BindingKind::Caught, frame.span.end);
    local(walk, kind, name, ty, RecipeId::UNKNOWN, from);
    None
}

/// As an expression it is one of the values of its rules.
pub(super) fn switch_block(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut values: Vec<RecipeId> = Vec::new();
    for child in walk.children(frame) {
        let value = child.outcome.recipe;
        if value.is_known() && !values.contains(&value) && values.len() < 6 {
            values.push(value);
        }
    }
    let values = values.into_iter();
    let either = values.reduce(|a, b| walk.recipe(Recipe::Either(a, b)));
    either.map(Outcome::recipe)
}

pub(super) fn switch_rule(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.child_of_kind(frame, "expression_statement")?;
    Some(Outcome::recipe(value.outcome.recipe))
}

/// A bare name is a constant of the enum that is switched on; `declarations::finish` takes back
/// where it is not.
pub(super) fn switch_label(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let switch = walk
        .ancestors()
        .nth(2)
        .filter(|around| around.kind == "switch_expression")?;
    let condition = walk.outcome(switch, "condition").recipe;
    if condition.is_known() {
        for child in walk.children(frame).to_vec() {
            if let ("identifier", Some(reference)) = (child.kind, child.outcome.reference) {
                walk.reference_mut(reference).receiver = Some(condition);
            }
        }
    }
    None
}

// Patterns.

/// The pattern of a `case`.
pub(super) fn pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.first(frame).pattern;
    walk.bind_pattern(pattern, RecipeId::UNKNOWN, TypeId::UNKNOWN, frame.span.end);
    None
}

/// `Foo foo`, in a `case` or inside a record pattern.
pub(super) fn type_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [ty, .., name] = children.as_slice() else {
        // `_` keeps its place.
        return Some(Outcome::pattern(walk.pattern(Pattern::Tuple(Vec::new()))));
    };
    let pattern = name.outcome.pattern?;
    let ty = shared::declared(walk, ty.outcome.ty);
    walk.set_type(pattern, ty);
    Some(Outcome::pattern(pattern))
}

pub(super) fn record_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [ty, .., body] = walk.children(frame) else {
        return None;
    };
    let body = body.outcome.pattern.map(|pattern| walk.pattern_of(pattern));
    let parts = match body {
        Some(Pattern::Tuple(parts)) => parts.clone(),
        _ => Vec::new(),
    };
    let pattern = Pattern::Of(ty.outcome.ty, parts);
    Some(Outcome::pattern(walk.pattern(pattern)))
}

/// `x instanceof Foo foo`: the name is known from there on, as far as the block goes.
pub(super) fn instance_of(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, from) = (walk.outcome(frame, "right").ty, frame.span.end);
    if let Some(name) = walk.child(frame, "name") {
        local(
            walk,
            BindingKind::Pattern,
            name,
            ty,
            RecipeId::UNKNOWN,
            from,
        );
    }
    let pattern = walk.outcome(frame, "pattern").pattern;
    walk.bind_pattern(pattern, RecipeId::UNKNOWN, TypeId::UNKNOWN, from);
    shared::boolean(walk, frame)
}

// Expressions.

/// `f()`, `x.f()`, `super.f()`, `Iface.super.f()`, `x.<T>f()`.
pub(super) fn invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let arguments = walk.outcome(frame, "arguments").list;
    let object = walk.child(frame, "object");
    let object = object.map(|object| qualified_super(walk, frame, object));
    let reference = walk.reference(name.span, Role::Call, object);
    let name = walk.name_at(name.span);
    let mut callee = walk.recipe(match object {
        Some(object) => Recipe::Member(object, name),
        None => Recipe::Name(name),
    });
    if let TypeRecipe::Tuple(types) = walk.type_of(walk.outcome(frame, "type_arguments").ty) {
        callee = walk.recipe(Recipe::TypeArguments(callee, types));
    }
    let callee = Outcome::named(callee, reference);
    Some(shared::call_of(walk, callee, arguments))
}

/// The receiver before a dot; in `Iface.super.f()` it is the view of that type.
fn qualified_super(walk: &mut Walk<'_>, frame: &Frame, object: Child) -> RecipeId {
    match walk.find(frame, |child| {
        child.kind == "super" && child.field.is_empty()
    }) {
        Some(_) => as_instance(walk, object.outcome),
        None => object.outcome.recipe,
    }
}

/// A type named like a value, in `Outer.this` and `Iface.super`.
fn as_instance(walk: &mut Walk<'_>, named: Outcome) -> RecipeId {
    walk.set_role(named, Role::TypeUse);
    let ty = shared::path_type(walk, named.recipe);
    walk.cast(ty)
}

/// `this(...)`, `super(...)`, `outer.super(...)`.
pub(super) fn constructor_invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let constructor = walk.child(frame, "constructor")?;
    let arguments = walk.outcome(frame, "arguments").list;
    let recipe = constructor.outcome.recipe;
    let reference = walk.reference(constructor.span, Role::Call, Some(recipe));
    let callee = Outcome::named(recipe, reference);
    Some(shared::call_of(walk, callee, arguments))
}

/// `new Foo(...)`, `outer.new Inner(...)`.
pub(super) fn creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::instantiation(walk, frame);
    let [outer, ..] = *walk.children(frame) else {
        return outcome;
    };
    if outer.field.is_empty()
        && outer.outcome.recipe.is_known()
        && !outer.kind.ends_with("annotation")
        && let Some(made) = walk.outcome(frame, "type").reference
    {
        let receiver = &mut walk.reference_mut(made).receiver;
        receiver.get_or_insert(outer.outcome.recipe);
    }
    outcome
}

pub(super) fn array_creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    for child in walk.filter(frame, |child| child.field == "dimensions") {
        ty = match child.kind {
            "dimensions" => arrays_of(walk, ty, child.span),
            _ => walk.ty(TypeRecipe::Array(ty)),
        };
    }
    walk.value_of(Recipe::Cast(ty))
}

/// `x.y`, `Outer.this`, `Outer.super.y`.
pub(super) fn field_access(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (object, field) = (walk.child(frame, "object")?, walk.child(frame, "field")?);
    if field.kind == "this" {
        return Some(Outcome::recipe(as_instance(walk, object.outcome)));
    }
    let receiver = qualified_super(walk, frame, object);
    let object = object.outcome.with_recipe(receiver);
    Some(shared::member_of(walk, Context::Value, object, field.span))
}

/// `Foo::bar`, `this::bar`, `Foo::new`.
pub(super) fn method_reference(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [object, .., last] = children.as_slice() else {
        let object = children.first()?;
        return Some(constructor_reference(walk, frame, object.outcome));
    };
    let Some(reference) = last.outcome.reference.filter(|_| last.kind == "identifier") else {
        return Some(constructor_reference(walk, frame, object.outcome));
    };
    let receiver = if object.outcome.ty.is_known() {
        walk.recipe(Recipe::Type(object.outcome.ty))
    } else {
        object.outcome.recipe
    };
    walk.reference_mut(reference).receiver = Some(receiver);
    let name = walk.name_at(last.span);
    let member = walk.recipe(Recipe::Member(receiver, name));
    Some(Outcome::named(member, reference))
}

/// `Foo::new` is a function that gives a new `Foo`.
fn constructor_reference(walk: &mut Walk<'_>, frame: &Frame, object: Outcome) -> Outcome {
    let mut ty = object.ty;
    if !ty.is_known() {
        ty = shared::path_type(walk, object.recipe);
    }
    let made = match walk.type_of(ty) {
        TypeRecipe::Array(_) => walk.recipe(Recipe::Cast(ty)),
        _ => {
            walk.set_role(object, Role::Instantiate);
            walk.recipe(Recipe::New(ty, ListRange::default()))
        }
    };
    let scope = walk.new_scope(ScopeKind::Lambda, frame.span, None);
    walk.lambda_return(scope, made);
    Outcome::recipe(walk.lambda(scope))
}

pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let only = walk
        .child(frame, "parameters")
        .filter(|only| only.kind == "identifier");
    if let Some(pattern) = only.outcome().pattern {
        let binding = walk.bindings_in(pattern).first().copied();
        place_parameter(walk, binding, 0);
    }
    let body = walk
        .child(frame, "body")
        .filter(|body| body.kind != "block");
    walk.lambda_return(scope, body.outcome().recipe);
    let lambda = walk.lambda(scope);
    let target = lambda_target(walk);
    walk.hand_to_target(lambda, target);
    Some(Outcome::recipe(lambda))
}

/// What a function expression becomes where no call takes it: the variable, the member that is
/// assigned, the method's result.
fn lambda_target(walk: &mut Walk<'_>) -> RecipeId {
    const MAX_HOPS: usize = 6;
    let mut returned = false;
    let mut ty = TypeId::UNKNOWN;
    for outer in walk.ancestors().take(MAX_HOPS) {
        match outer.kind {
            "parenthesized_expression" | "ternary_expression" | "variable_declarator" => continue,
            "block" if returned => continue,
            "return_statement" => {
                returned = true;
                continue;
            }
            "local_variable_declaration" | "field_declaration" => {}
            "method_declaration" if returned => {}
            "assignment_expression" => return walk.outcome(outer, "left").recipe,
            _ => break,
        }
        ty = walk.outcome(outer, "type").ty;
        break;
    }
    walk.cast(ty)
}

pub(super) fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.filter(frame, |child| child.field == "type");
    let types: Vec<TypeId> = types.iter().map(|child| child.outcome.ty).collect();
    let ty = joined(walk, &types, TypeRecipe::Intersection);
    walk.value_of(Recipe::Cast(ty))
}

pub(super) fn class_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.first(frame).ty;
    walk.value_of(Recipe::Type(ty))
}

/// Variables have the type they were declared with, so an assignment is a write and no new binding.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left");
    walk.set_role(left, Role::Write);
    Some(Outcome::recipe(left.recipe))
}

pub(super) fn update(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let operand = walk.first(frame);
    walk.set_role(operand, Role::Write);
    Some(Outcome::recipe(operand.recipe))
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let operator = walk.between(left.span, right.span).trim();
    let sides = [left.outcome.recipe, right.outcome.recipe];
    let recipe = match operator {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        "+" if sides.iter().any(|&side| shared::is_string(walk, side)) => {
            Recipe::Literal(LiteralKind::String)
        }
        _ => Recipe::Operation(sides[0], sides[1]),
    };
    walk.value_of(recipe)
}

pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span).starts_with('!') {
        return shared::boolean(walk, frame);
    }
    Some(Outcome::recipe(walk.outcome(frame, "operand").recipe))
}

/// `STR."..."`.
pub(super) fn template(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.value_of(Recipe::Literal(LiteralKind::Template))
}

// Types as written.

/// A name; the grammar reads `default` in `case null, default` as one.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span) == "default" {
        walk.label(frame.span);
        return None;
    }
    shared::identifier(walk, frame)
}

/// A type's name; `var` says that the value tells the type.
pub(super) fn type_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context != Context::Name && walk.source(frame.span) == "var" {
        walk.label(frame.span);
        return walk.type_value(TypeRecipe::Inferred);
    }
    shared::type_identifier(walk, frame)
}

/// `List<Foo>`; the empty `<>` says nothing.
pub(super) fn generic_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [head, arguments, ..] = *walk.children(frame) else {
        return None;
    };
    match walk.type_of(arguments.outcome.ty) {
        TypeRecipe::Tuple(types) if types.len > 0 => {
            let ty = walk.ty(TypeRecipe::Apply(head.outcome.ty, types));
            Some(head.outcome.with_ty(ty))
        }
        _ => Some(head.outcome),
    }
}

/// `Map.Entry`, `java.util.List`.
pub(super) fn scoped_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [outer, .., inner] = *walk.children(frame) else {
        return None;
    };
    let Some(reference) = inner.outcome.reference else {
        return Some(outer.outcome);
    };
    let name = walk.name_at(inner.span);
    Some(shared::inner_type(walk, outer.outcome, name, reference))
}

pub(super) fn array_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "element").ty);
    Some(Outcome::ty(ty))
}

/// `A | B` of a `catch`.
pub(super) fn union(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(joined(walk, &types, TypeRecipe::Union)))
}

/// `extends A & B` of a type parameter.
pub(super) fn intersection(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(joined(walk, &types, TypeRecipe::Intersection)))
}

fn joined(walk: &mut Walk<'_>, types: &[TypeId], join: fn(TypeListRange) -> TypeRecipe) -> TypeId {
    match types {
        [] => TypeId::UNKNOWN,
        [only] => *only,
        _ => walk.type_from(join, types),
    }
}
