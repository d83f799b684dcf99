//! Java's statements, patterns, expressions and types as written.

use facts::{
    BindingKind, ListRange, LiteralKind, Recipe, RecipeId, Role, ScopeKind, Span, TypeId,
    TypeRecipe,
};

use super::declarations::{arrays_of, declared, local, place_parameter, with_dimensions};
use crate::{
    handlers as shared,
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

// Statements.

/// A block has a scope of its own unless it is the body of what has opened one.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    let has_scope = frame.scope.is_some()
        || walk.ancestors().nth(1).is_some_and(|around| {
            matches!(
                around.kind,
                "method_declaration"
                    | "compact_constructor_declaration"
                    | "lambda_expression"
                    | "catch_clause"
                    | "switch_rule"
            )
        });
    if !has_scope {
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
    let (name, value) = (walk.child(frame, "name")?, walk.outcome(frame, "value"));
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "type").ty);
    local(
        walk,
        BindingKind::Local,
        name,
        ty,
        value.recipe,
        frame.span.end,
    );
    None
}

pub(super) fn caught(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = walk.outcome_of_kind(frame, "catch_type").ty;
    local(
        walk,
        BindingKind::Caught,
        name,
        ty,
        RecipeId::UNKNOWN,
        frame.span.end,
    );
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
    let either = values
        .into_iter()
        .reduce(|a, b| walk.recipe(Recipe::Either(a, b)));
    either.map(Outcome::recipe)
}

pub(super) fn switch_rule(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.child_of_kind(frame, "expression_statement")
        .map(|value| Outcome::recipe(value.outcome.recipe))
}

/// A bare name is a constant of the enum that is switched on; `declarations::finish` takes back
/// where it is not.
pub(super) fn switch_label(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let switch = walk
        .ancestors()
        .nth(2)
        .filter(|around| around.kind == "switch_expression")
        .cloned()?;
    let condition = walk.outcome(&switch, "condition").recipe;
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
    if let Some(pattern) = walk.first(frame).pattern {
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, TypeId::UNKNOWN, frame.span.end);
    }
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
    let ty = declared(walk, ty.outcome.ty);
    for binding in walk.bindings_in(pattern) {
        walk.binding_mut(binding).ty = ty;
    }
    Some(Outcome::pattern(pattern))
}

pub(super) fn record_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [ty, .., body] = children.as_slice() else {
        return None;
    };
    let parts = match body
        .outcome
        .pattern
        .map(|pattern| walk.pattern_of(pattern).clone())
    {
        Some(Pattern::Tuple(parts)) => parts,
        _ => Vec::new(),
    };
    Some(Outcome::pattern(
        walk.pattern(Pattern::Of(ty.outcome.ty, parts)),
    ))
}

pub(super) fn record_pattern_body(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::tuple_pattern(walk, frame)
}

/// `x instanceof Foo foo`: the name is known from there on, as far as the block goes.
pub(super) fn instance_of(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "right").ty;
    if let Some(name) = walk.child(frame, "name") {
        local(
            walk,
            BindingKind::Pattern,
            name,
            ty,
            RecipeId::UNKNOWN,
            frame.span.end,
        );
    }
    if let Some(pattern) = walk.outcome(frame, "pattern").pattern {
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, TypeId::UNKNOWN, frame.span.end);
    }
    shared::boolean(walk, frame)
}

// Expressions.

/// `f()`, `x.f()`, `super.f()`, `Iface.super.f()`, `x.<T>f()`.
pub(super) fn invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, arguments) = (
        walk.child(frame, "name")?,
        walk.outcome(frame, "arguments").list,
    );
    let object = walk
        .child(frame, "object")
        .map(|object| qualified_super(walk, frame, object));
    let reference = walk.reference(name.span, Role::Call, object);
    let name = walk.name_at(name.span);
    let mut callee = walk.recipe(match object {
        Some(object) => Recipe::Member(object, name),
        None => Recipe::Name(name),
    });
    if let Some(types) = walk.child(frame, "type_arguments")
        && let TypeRecipe::Tuple(types) = walk.type_of(types.outcome.ty)
    {
        callee = walk.recipe(Recipe::TypeArguments(callee, types));
    }
    Some(shared::call_of(
        walk,
        Outcome::named(callee, reference),
        arguments,
    ))
}

/// The receiver before a dot; in `Iface.super.f()` it is the view of that type.
fn qualified_super(walk: &mut Walk<'_>, frame: &Frame, object: Child) -> RecipeId {
    if walk
        .children(frame)
        .iter()
        .any(|child| child.kind == "super" && child.field.is_empty())
    {
        return as_instance(walk, object.outcome);
    }
    object.outcome.recipe
}

/// A type named like a value, in `Outer.this` and `Iface.super`.
fn as_instance(walk: &mut Walk<'_>, named: Outcome) -> RecipeId {
    walk.set_role(named, Role::TypeUse);
    let ty = as_type(walk, named.recipe);
    if ty.is_known() {
        walk.recipe(Recipe::Cast(ty))
    } else {
        RecipeId::UNKNOWN
    }
}

/// `a.b.C` read as a type.
fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    let mut members = Vec::new();
    let mut recipe = recipe;
    let mut ty = loop {
        match walk.recipe_of(recipe) {
            Recipe::Member(object, name) => {
                members.push(name);
                recipe = object;
            }
            Recipe::Name(name) => break walk.ty(TypeRecipe::Name(name)),
            Recipe::Type(ty) => break ty,
            _ => return TypeId::UNKNOWN,
        }
    };
    for name in members.into_iter().rev() {
        ty = walk.ty(TypeRecipe::Scoped(ty, name));
    }
    ty
}

/// `this(...)`, `super(...)`, `outer.super(...)`.
pub(super) fn constructor_invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (constructor, arguments) = (
        walk.child(frame, "constructor")?,
        walk.outcome(frame, "arguments").list,
    );
    let recipe = constructor.outcome.recipe;
    let reference = walk.reference(constructor.span, Role::Call, Some(recipe));
    Some(shared::call_of(
        walk,
        Outcome::named(recipe, reference),
        arguments,
    ))
}

/// `new Foo(...)`, `outer.new Inner(...)`.
pub(super) fn creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::instantiation(walk, frame);
    let outer = walk
        .children(frame)
        .first()
        .copied()
        .filter(|first| first.field.is_empty() && first.outcome.recipe.is_known());
    if let (Some(outer), Some(made)) = (
        outer.filter(|outer| !outer.kind.ends_with("annotation")),
        walk.outcome(frame, "type").reference,
    ) {
        walk.reference_mut(made)
            .receiver
            .get_or_insert(outer.outcome.recipe);
    }
    outcome
}

pub(super) fn array_creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    let dimensions: Vec<Child> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "dimensions")
        .copied()
        .collect();
    for child in dimensions {
        ty = if child.kind == "dimensions" {
            arrays_of(walk, ty, child.span)
        } else {
            walk.ty(TypeRecipe::Array(ty))
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
    Some(shared::member_of(
        walk,
        Context::Value,
        Outcome {
            recipe: receiver,
            ..object.outcome
        },
        field.span,
    ))
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
    Some(Outcome {
        recipe: walk.recipe(Recipe::Member(receiver, name)),
        reference: Some(reference),
        ..Outcome::NONE
    })
}

/// `Foo::new` is a function that gives a new `Foo`.
fn constructor_reference(walk: &mut Walk<'_>, frame: &Frame, object: Outcome) -> Outcome {
    let ty = if object.ty.is_known() {
        object.ty
    } else {
        as_type(walk, object.recipe)
    };
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
    if let Some(only) = walk
        .child(frame, "parameters")
        .filter(|parameters| parameters.kind == "identifier")
        && let Some(pattern) = only.outcome.pattern
    {
        let binding = walk.bindings_in(pattern).first().copied();
        place_parameter(walk, binding, 0);
    }
    if let Some(body) = walk
        .child(frame, "body")
        .filter(|body| body.kind != "block")
    {
        walk.lambda_return(scope, body.outcome.recipe);
    }
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
    let mut found = None;
    for outer in walk.ancestors().take(MAX_HOPS) {
        let field = match outer.kind {
            "parenthesized_expression" | "ternary_expression" | "variable_declarator" => continue,
            "block" if returned => continue,
            "return_statement" => {
                returned = true;
                continue;
            }
            "local_variable_declaration" | "field_declaration" => "type",
            "method_declaration" if returned => "type",
            "assignment_expression" => "left",
            _ => break,
        };
        found = Some((field, outer.clone()));
        break;
    }
    let Some((field, outer)) = found else {
        return RecipeId::UNKNOWN;
    };
    let target = walk.outcome(&outer, field);
    match field {
        "left" => target.recipe,
        _ if target.ty.is_known() => walk.recipe(Recipe::Cast(target.ty)),
        _ => RecipeId::UNKNOWN,
    }
}

pub(super) fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types: Vec<TypeId> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "type")
        .map(|child| child.outcome.ty)
        .collect();
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
    let operator = walk
        .source(Span::new(left.span.end, right.span.start))
        .trim();
    let recipe = match operator {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        "+" if [left, right]
            .iter()
            .any(|side| shared::is_string(walk, side.outcome.recipe)) =>
        {
            Recipe::Literal(LiteralKind::String)
        }
        _ => Recipe::Operation(left.outcome.recipe, right.outcome.recipe),
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
    let children = walk.children(frame).to_vec();
    let [head, arguments, ..] = children.as_slice() else {
        return None;
    };
    let ty = match walk.type_of(arguments.outcome.ty) {
        TypeRecipe::Tuple(types) if types.len > 0 => {
            walk.ty(TypeRecipe::Apply(head.outcome.ty, types))
        }
        _ => head.outcome.ty,
    };
    Some(Outcome { ty, ..head.outcome })
}

/// `Map.Entry`, `java.util.List`.
pub(super) fn scoped_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [outer, .., inner] = children.as_slice() else {
        return None;
    };
    let Some(reference) = inner.outcome.reference else {
        return Some(outer.outcome);
    };
    walk.reference_mut(reference).receiver = Some(outer.outcome.recipe);
    walk.set_role(outer.outcome, Role::Read);
    let name = walk.name_at(inner.span);
    let recipe = walk.recipe(Recipe::Member(outer.outcome.recipe, name));
    let ty = walk.ty(TypeRecipe::Scoped(outer.outcome.ty, name));
    Some(Outcome::named_type(recipe, ty, reference))
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

fn joined(
    walk: &mut Walk<'_>,
    types: &[TypeId],
    join: fn(facts::TypeListRange) -> TypeRecipe,
) -> TypeId {
    match types {
        [] => TypeId::UNKNOWN,
        [only] => *only,
        _ => {
            let types = walk.type_list(types);
            walk.ty(join(types))
        }
    }
}
