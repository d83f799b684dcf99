//! Kotlin's statements and expressions.

use facts::{
    BindingKind, LiteralKind, NameId, Recipe, RecipeId, Role, ScopeKind, Span, TypeId, TypeRecipe,
};

use super::{
    declarations::place_parameter,
    types::{name_at, named, quoted, type_child},
};
use crate::{
    handlers as shared,
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

/// A name. The grammar reads some words of the language as names too.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let word = walk.source(frame.span);
    if word.starts_with('`') {
        return quoted(walk, frame);
    }
    if frame.context == Context::Value {
        let literal = match word {
            "null" => Some(LiteralKind::Null),
            "true" | "false" => Some(LiteralKind::Boolean),
            _ => None,
        };
        if let Some(literal) = literal {
            walk.label(frame.span);
            return walk.value_of(Recipe::Literal(literal));
        }
        if matches!(word, "break" | "continue") {
            walk.label(frame.span);
            return Some(Outcome::ty(named(walk, "Nothing")));
        }
        if word == "class" {
            // Of `Foo::class`; see `navigation`.
            walk.label(frame.span);
            return None;
        }
    }
    shared::identifier(walk, frame)
}

/// A name that was walked as a mere name although it is read.
pub(super) fn read(walk: &mut Walk<'_>, child: Child) -> Outcome {
    if child.kind != "identifier" {
        return child.outcome;
    }
    let name = name_at(walk, child.span);
    let literal = match walk.source(child.span) {
        "null" => Some(LiteralKind::Null),
        "true" | "false" => Some(LiteralKind::Boolean),
        _ => None,
    };
    if let Some(literal) = literal {
        walk.label(child.span);
        return Outcome::recipe(walk.recipe(Recipe::Literal(literal)));
    }
    let reference = walk.reference_named(name, child.span, Role::Read, None);
    Outcome::named(walk.recipe(Recipe::Name(name)), reference)
}

/// A block has a scope of its own unless it is the body of what has opened one.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    let has_scope = frame.scope.is_some()
        || walk.ancestors().nth(1).is_some_and(|around| {
            matches!(
                around.kind,
                "function_body" | "secondary_constructor" | "catch_block"
            )
        });
    if !has_scope {
        frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None));
    }
}

/// The grammar reads `break@outer` as an expression `outer` with a label.
pub(super) fn enter_labeled(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    frame.context = if text.starts_with("break@") || text.starts_with("continue@") {
        Context::Label
    } else {
        Context::Value
    };
}

// Statements.

pub(super) fn for_loop(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let Some(position) = children.iter().position(|child| {
        matches!(
            child.kind,
            "variable_declaration" | "multi_variable_declaration"
        )
    }) else {
        return None;
    };
    if let (Some(pattern), Some(value)) = (
        children[position].outcome.pattern,
        children.get(position + 1),
    ) {
        let element = walk.recipe(Recipe::Element(value.outcome.recipe));
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, value.span.end);
    }
    None
}

/// Variables have the type they were declared with, so an assignment is a write and no new binding.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    let left = walk.outcome(frame, "left");
    walk.set_role(left, Role::Write);
    None
}

pub(super) fn catch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.outcome_of_kind(frame, "block");
    let Some(name) = walk.child_of_kind(frame, "identifier") else {
        return Some(body);
    };
    let ty = type_child(walk, frame);
    let word = name_at(walk, name.span);
    walk.new_binding(BindingKind::Caught, word, name.span).ty = ty;
    Some(body)
}

/// `try { a } catch (e: E) { b }` is one or the other.
pub(super) fn try_(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let values: Vec<RecipeId> = walk
        .children(frame)
        .iter()
        .filter(|child| matches!(child.kind, "block" | "catch_block"))
        .map(|child| child.outcome.recipe)
        .collect();
    Some(either(walk, &values))
}

/// One of several values; those that are not known say nothing.
fn either(walk: &mut Walk<'_>, values: &[RecipeId]) -> Outcome {
    // The rest tells no more about the type.
    const MAX_VALUES: usize = 6;
    let mut known: Vec<RecipeId> = Vec::new();
    for &value in values {
        if value.is_known() && !known.contains(&value) && known.len() < MAX_VALUES {
            known.push(value);
        }
    }
    known
        .into_iter()
        .reduce(|a, b| walk.recipe(Recipe::Either(a, b)))
        .map_or(Outcome::NONE, Outcome::recipe)
}

/// `return x`, `return@label x`. It has no value itself.
pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk
        .children(frame)
        .iter()
        .find(|child| child.field != "label")
        .map_or(RecipeId::UNKNOWN, |child| child.outcome.recipe);
    if walk.child(frame, "label").is_some() {
        shared::returned(walk, value, frame.span.end);
    } else {
        // A lambda does not catch a `return`; the function around it does.
        let function = walk.ancestors().find(|around| {
            matches!(
                around.kind,
                "function_declaration"
                    | "anonymous_function"
                    | "getter"
                    | "setter"
                    | "secondary_constructor"
                    | "property_declaration"
            )
        });
        let function = function.map(|function| (function.kind, function.scope, function.symbol));
        match function {
            Some(("anonymous_function", Some(scope), _)) => walk.lambda_return(scope, value),
            Some(("getter" | "setter", Some(scope), _)) => {
                if let Some(owner) = walk.scope_of(scope).owner {
                    walk.value(owner, value, frame.span.end);
                }
            }
            Some((_, _, Some(symbol))) => walk.value(symbol, value, frame.span.end),
            _ => shared::returned(walk, value, frame.span.end),
        }
    }
    Some(Outcome::ty(named(walk, "Nothing")))
}

pub(super) fn throws(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    Some(Outcome::ty(named(walk, "Nothing")))
}

// Conditions and what they tell.

/// `if (c) a else b`. After `if (x !is Foo) return` the name is a `Foo`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let branches: Vec<Child> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field != "condition")
        .copied()
        .collect();
    if let (Some(condition), [only]) = (walk.child(frame, "condition"), branches.as_slice())
        && condition.kind == "is_expression"
        && only.outcome.ty == named(walk, "Nothing")
        && let Some((name, span)) = denied_name(walk, condition)
    {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.ty, binding.from) = (condition.outcome.ty, frame.span.end);
    }
    let ends: Vec<TypeId> = branches.iter().map(|branch| branch.outcome.ty).collect();
    let values: Vec<RecipeId> = branches
        .iter()
        .map(|branch| branch.outcome.recipe)
        .collect();
    match ends.as_slice() {
        [first, second] if first == second => Some(Outcome {
            ty: *first,
            ..either(walk, &values)
        }),
        _ => Some(either(walk, &values)),
    }
}

/// The name in `name !is Foo`.
fn denied_name(walk: &mut Walk<'_>, condition: Child) -> Option<(NameId, Span)> {
    let (name, rest) = walk
        .source(condition.span)
        .split_once(char::is_whitespace)?;
    if !rest.trim_start().starts_with("!is")
        || !name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return None;
    }
    let span = Span::new(
        condition.span.start,
        condition.span.start + name.len() as u32,
    );
    Some((walk.name(name), span))
}

/// `x is Foo` narrows a name in the branch that follows.
pub(super) fn is(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (Some(left), Some(right)) = (walk.child(frame, "left"), walk.child(frame, "right")) else {
        return shared::boolean(walk, frame);
    };
    let denied = walk
        .source(Span::new(left.span.end, right.span.start))
        .trim_start()
        .starts_with('!');
    if let (Recipe::Name(name), false) = (walk.recipe_of(left.outcome.recipe), denied) {
        walk.narrow(name, left.span, right.outcome.ty);
    }
    Some(Outcome {
        ty: right.outcome.ty,
        ..shared::boolean(walk, frame)?
    })
}

/// What is after `&&` is read with what the left side told; the branch that follows needs it
/// once more.
pub(super) fn and(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (around, symbol) = walk
        .parent()
        .map(|parent| parent.span)
        .zip(walk.current_symbol())?;
    let told = walk.take_narrowings();
    if told.is_empty() {
        return None;
    }
    let scope = walk.new_scope(
        ScopeKind::Branch,
        Span::new(frame.span.end, around.end),
        None,
    );
    for (name, span, ty) in told {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.from, binding.ty) = (frame.span.end, ty);
        walk.narrow(name, span, ty);
    }
    walk.continue_in(symbol, scope);
    None
}

/// `when (x)`, `when (val x = f())`.
pub(super) fn when_subject(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let value = children.last()?;
    let variable = children
        .iter()
        .find(|child| child.kind == "variable_declaration")
        .and_then(|variable| variable.outcome.pattern);
    let Some(pattern) = variable else {
        return Some(value.outcome);
    };
    walk.bind_pattern(
        pattern,
        value.outcome.recipe,
        TypeId::UNKNOWN,
        frame.span.end,
    );
    let name = walk
        .bindings_in(pattern)
        .first()
        .map(|&binding| walk.binding(binding).name);
    name.map(|name| Outcome::recipe(walk.recipe(Recipe::Name(name))))
}

/// `is Foo ->`: the subject is a `Foo` there; after `is A, is B ->` one or the other.
pub(super) fn type_test(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_ALTERNATIVES: usize = 16;
    let ty = type_child(walk, frame);
    let when = walk
        .ancestors()
        .nth(1)
        .filter(|around| around.kind == "when_expression")
        .cloned();
    let subject = when
        .and_then(|when| walk.child_of_kind(&when, "when_subject"))
        .map_or(RecipeId::UNKNOWN, |subject| subject.outcome.recipe);
    let Recipe::Name(name) = walk.recipe_of(subject) else {
        return Some(Outcome::ty(ty));
    };
    if walk.source(frame.span).starts_with('!') {
        return Some(Outcome::ty(ty));
    }
    let mut types: Vec<TypeId> = walk
        .take_narrowings()
        .into_iter()
        .map(|(_, _, ty)| ty)
        .collect();
    types.push(ty);
    let narrowed = match types.as_slice() {
        [first, .., last] => {
            let mut parts = match walk.type_of(*first) {
                TypeRecipe::Union(parts) => walk.type_list_of(parts).to_vec(),
                _ => vec![*first],
            };
            if parts.len() < MAX_ALTERNATIVES {
                parts.push(*last);
            }
            let parts = walk.type_list(&parts);
            walk.ty(TypeRecipe::Union(parts))
        }
        _ => ty,
    };
    walk.narrow(name, frame.span, narrowed);
    Some(Outcome::ty(ty))
}

pub(super) fn when_entry(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.children(frame)
        .iter()
        .find(|child| child.field != "condition")
        .map(|body| Outcome::recipe(body.outcome.recipe))
}

pub(super) fn when(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let values: Vec<RecipeId> = walk
        .children(frame)
        .iter()
        .filter(|child| child.kind == "when_entry")
        .map(|entry| entry.outcome.recipe)
        .collect();
    Some(either(walk, &values))
}

// Calls and lambdas.

/// `f(a)`, `x.f(a) { ... }`, `f<T>(a)`: a function written after the arguments is the last of them.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [callee, rest @ ..] = children.as_slice() else {
        return None;
    };
    if let [
        Child {
            kind: "annotated_lambda",
            outcome,
            ..
        },
    ] = rest
        && !outcome.recipe.is_known()
    {
        return Some(callee.outcome); // The body of a class; see `enter_lambda`.
    }
    let mut callee = *callee;
    let mut arguments: Vec<RecipeId> = Vec::new();
    for child in rest {
        match child.kind {
            "value_arguments" => arguments.extend_from_slice(walk.list_of(child.outcome.list)),
            "annotated_lambda" => arguments.push(child.outcome.recipe),
            "type_arguments" => {
                if let TypeRecipe::Tuple(types) = walk.type_of(child.outcome.ty) {
                    callee.outcome.recipe =
                        walk.recipe(Recipe::TypeArguments(callee.outcome.recipe, types));
                }
            }
            _ => {}
        }
    }
    let mut callee = callee.outcome;
    if let Some((inner, before)) = call_before_lambda(walk, &children) {
        callee.recipe = inner;
        arguments.splice(0..0, before);
    }
    let asserts = matches!(
        walk.source(children[0].span),
        "require" | "check" | "assert" | "assertTrue"
    );
    let arguments = walk.list(&arguments);
    let outcome = shared::call_of(walk, callee, arguments);
    for (name, span, ty) in if asserts {
        walk.take_narrowings()
    } else {
        Vec::new()
    } {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.from, binding.ty) = (frame.span.end, ty);
    }
    Some(Outcome {
        reference: callee.reference,
        ..outcome
    })
}

/// The grammar reads `f(a) { ... }` as a call of `f(a)`: its callee and arguments.
fn call_before_lambda(walk: &Walk<'_>, children: &[Child]) -> Option<(RecipeId, Vec<RecipeId>)> {
    let [
        Child {
            kind: "call_expression",
            span,
            outcome,
            ..
        },
        Child {
            kind: "annotated_lambda",
            ..
        },
    ] = children
    else {
        return None;
    };
    match walk.recipe_of(outcome.recipe) {
        Recipe::Call(callee, arguments) if walk.source(*span).ends_with(')') => {
            Some((callee, walk.list_of(arguments).to_vec()))
        }
        _ => None,
    }
}

/// `x`, `name = x`, `*xs`.
pub(super) fn argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let value = children.last().copied()?;
    let read = read(walk, value);
    let spread = walk
        .source(Span::new(frame.span.start, value.span.start))
        .trim_end()
        .ends_with('*');
    let recipe = if spread {
        walk.recipe(Recipe::Spread(read.recipe))
    } else {
        read.recipe
    };
    match children.as_slice() {
        [name, _] if name.kind == "identifier" => {
            walk.label(name.span);
            let name = name_at(walk, name.span);
            walk.value_of(Recipe::Field(name, recipe))
        }
        _ if spread => Some(Outcome::recipe(recipe)),
        _ => Some(read),
    }
}

/// A lambda has a scope, but `class Foo : Bar by bar { ... }` is read as a call with a lambda,
/// which is the body of the class.
pub(super) fn enter_lambda(walk: &mut Walk<'_>, frame: &mut Frame) {
    let is_body = walk
        .ancestors()
        .nth(3)
        .is_some_and(|around| around.kind == "explicit_delegation");
    if !is_body {
        frame.scope = Some(walk.new_scope(ScopeKind::Lambda, frame.span, None));
    }
}

/// A lambda gives its last statement. Without parameters it has `it`, if it is used.
pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let it = walk.name("it");
    let last = walk.children(frame).last().copied();
    let has_parameters = walk
        .children(frame)
        .first()
        .is_some_and(|first| first.kind == "lambda_parameters");
    let used = || {
        walk.facts()
            .references
            .iter()
            .rev()
            .take_while(|reference| reference.span.start >= frame.span.start)
            .any(|reference| reference.name == it)
    };
    if !has_parameters && used() {
        let place = Span::new(frame.span.start, frame.span.start);
        let binding = walk.bind(BindingKind::Parameter, it, place);
        place_parameter(walk, binding, 0, TypeId::UNKNOWN, RecipeId::UNKNOWN);
    }
    if let Some(last) = last.filter(|last| last.kind != "lambda_parameters") {
        walk.lambda_return(scope, last.outcome.recipe);
    }
    Some(Outcome::recipe(walk.lambda(scope)))
}

/// Names, types, and parameters that are taken apart: `{ (key, value), i: Int -> ... }`.
pub(super) fn lambda_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let parameters = children.iter().filter(|child| {
        matches!(
            child.kind,
            "variable_declaration" | "multi_variable_declaration"
        )
    });
    for (index, child) in parameters.enumerate() {
        let Some(pattern) = child.outcome.pattern else {
            continue;
        };
        let binding = match walk.pattern_of(pattern) {
            Pattern::Name(binding) => *binding,
            _ => {
                // The parameter itself has no name; its text represents one.
                let name = walk.name_at(child.span);
                let whole = walk.recipe(Recipe::Name(name));
                walk.bind_pattern(pattern, whole, TypeId::UNKNOWN, child.span.end);
                for part in walk.bindings_in(pattern) {
                    walk.binding_mut(part).kind = BindingKind::Local;
                }
                walk.bind(BindingKind::Parameter, name, child.span)
            }
        };
        place_parameter(
            walk,
            binding,
            index as u16,
            child.outcome.ty,
            RecipeId::UNKNOWN,
        );
    }
    None
}

/// `fun(x: Int): Int = ...`.
pub(super) fn anonymous_function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.scope {
        Some(scope) => Some(Outcome::recipe(walk.lambda(scope))),
        None => None,
    }
}

// Other expressions.

/// `x.y`, `x?.y`, `X::y`.
pub(super) fn navigation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [object, .., member] = children.as_slice() else {
        return walk.children(frame).first().map(|child| child.outcome);
    };
    let Some(reference) = member.outcome.reference else {
        let ty = if walk.source(member.span) == "class" {
            as_type(walk, object.outcome.recipe)
        } else {
            TypeId::UNKNOWN
        };
        return if ty.is_known() {
            walk.value_of(Recipe::Type(ty))
        } else {
            None
        };
    };
    let mut receiver = object.outcome.recipe;
    if walk
        .source(Span::new(object.span.end, member.span.start))
        .contains('?')
        && receiver.is_known()
    {
        receiver = walk.recipe(Recipe::Try(receiver));
    }
    walk.reference_mut(reference).receiver = Some(receiver);
    let name = name_at(walk, member.span);
    Some(Outcome {
        recipe: walk.recipe(Recipe::Member(receiver, name)),
        reference: Some(reference),
        ..Outcome::NONE
    })
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
            _ => return TypeId::UNKNOWN,
        }
    };
    for name in members.into_iter().rev() {
        ty = walk.ty(TypeRecipe::Scoped(ty, name));
    }
    ty
}

/// `::f`, `Foo::bar`, `Foo::class`.
pub(super) fn callable_reference(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let ty = children
        .iter()
        .find(|child| child.kind != "identifier")
        .map_or(Outcome::NONE, |child| child.outcome);
    let Some((member, reference)) = children
        .iter()
        .rev()
        .find(|child| child.kind == "identifier")
        .and_then(|child| Some((child, child.outcome.reference?)))
    else {
        return if ty.ty.is_known() {
            walk.value_of(Recipe::Type(ty.ty))
        } else {
            None
        };
    };
    if !ty.ty.is_known() {
        return Some(member.outcome);
    }
    let receiver = walk.recipe(Recipe::Type(ty.ty));
    walk.reference_mut(reference).receiver = Some(receiver);
    let name = name_at(walk, member.span);
    Some(Outcome {
        recipe: walk.recipe(Recipe::Member(receiver, name)),
        reference: Some(reference),
        ..Outcome::NONE
    })
}

pub(super) fn index(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame);
    let [value, index, ..] = children else {
        return None;
    };
    let (value, index) = (value.outcome.recipe, index.outcome.recipe);
    walk.value_of(Recipe::Index(value, index))
}

/// `a f b` calls `a.f(b)`.
pub(super) fn infix(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [left, function, right] = children.as_slice() else {
        return None;
    };
    let reference = function.outcome.reference?;
    walk.reference_mut(reference).receiver = Some(left.outcome.recipe);
    let name = name_at(walk, function.span);
    let callee = walk.recipe(Recipe::Member(left.outcome.recipe, name));
    let arguments = walk.list(&[right.outcome.recipe]);
    Some(shared::call_of(
        walk,
        Outcome::named(callee, reference),
        arguments,
    ))
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let operator = walk
        .source(Span::new(left.span.end, right.span.start))
        .trim();
    let (a, b) = (left.outcome.recipe, right.outcome.recipe);
    let recipe = match operator {
        "||" => {
            // Neither side is sure.
            walk.take_narrowings();
            Recipe::Literal(LiteralKind::Boolean)
        }
        "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "&&" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        "?:" => {
            let a = if a.is_known() {
                walk.recipe(Recipe::Try(a))
            } else {
                a
            };
            return Some(either(walk, &[a, b]));
        }
        "+" if [a, b].iter().any(|&side| shared::is_string(walk, side)) => {
            Recipe::Literal(LiteralKind::String)
        }
        _ => Recipe::Operation(a, b),
    };
    walk.value_of(recipe)
}

/// `x!!` is what an optional holds; `!x` denies what was told; `x++` writes.
pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let argument = walk.outcome(frame, "argument");
    let text = walk.source(frame.span);
    if text.ends_with("!!") && argument.recipe.is_known() {
        return Some(Outcome {
            recipe: walk.recipe(Recipe::Try(argument.recipe)),
            ..argument
        });
    }
    if text.starts_with('!') {
        walk.take_narrowings();
        return shared::boolean(walk, frame);
    }
    if ["++", "--"]
        .iter()
        .any(|operator| text.starts_with(operator) || text.ends_with(operator))
    {
        walk.set_role(argument, Role::Write);
    }
    Some(Outcome::recipe(argument.recipe))
}

/// `1..n` is a range of integers where one end says so.
pub(super) fn range(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ends = walk.recipes(frame);
    let [a, b] = ends.as_slice() else {
        return None;
    };
    let integers = [a, b]
        .iter()
        .any(|&&end| matches!(walk.recipe_of(end), Recipe::Literal(LiteralKind::Integer)));
    let recipe = if integers {
        Recipe::Cast(named(walk, "IntRange"))
    } else {
        Recipe::Operation(*a, *b)
    };
    walk.value_of(recipe)
}

/// `x as Foo`, `x as? Foo`.
pub(super) fn as_(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let safe = walk
        .source(Span::new(left.span.end, right.span.start))
        .contains('?');
    let ty = if safe {
        walk.ty(TypeRecipe::Optional(right.outcome.ty))
    } else {
        right.outcome.ty
    };
    walk.value_of(Recipe::Cast(ty))
}

/// `this`, `this@Outer`; a label that names a type says whose.
pub(super) fn this(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let Some(label) = walk.child_of_kind(frame, "identifier") else {
        return walk.value_of(Recipe::SelfValue);
    };
    if !walk.source(label.span).starts_with(char::is_uppercase) {
        walk.label(label.span);
        return walk.value_of(Recipe::SelfValue);
    }
    let name = name_at(walk, label.span);
    walk.reference_named(name, label.span, Role::TypeUse, None);
    let ty = walk.ty(TypeRecipe::Name(name));
    walk.value_of(Recipe::Cast(ty))
}

/// `super`, `super<Iface>`.
pub(super) fn super_(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = type_child(walk, frame);
    walk.value_of(if ty.is_known() {
        Recipe::Cast(ty)
    } else {
        Recipe::Super
    })
}

/// Which of `this` and `super` a delegation starts with, as a value and a place.
pub(super) fn this_or_super_word(walk: &mut Walk<'_>, span: Span) -> Option<(RecipeId, Span)> {
    let text = walk.source(span);
    let (recipe, len) = match () {
        () if text.starts_with("this") => (Recipe::SelfValue, 4),
        () if text.starts_with("super") => (Recipe::Super, 5),
        () => return None,
    };
    Some((walk.recipe(recipe), Span::new(span.start, span.start + len)))
}

/// A string. The grammar leaves the names in `"a $name"` to us.
pub(super) fn string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let dollars: Vec<u32> = walk
        .children(frame)
        .iter()
        .filter(|child| child.kind == "string_content" && walk.source(child.span) == "$")
        .map(|child| child.span.end)
        .collect();
    let mut names = 0;
    for start in dollars {
        let rest = walk.source(Span::new(start, frame.span.end));
        let len = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(0);
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        names += 1;
        if &rest[..len] != "this" {
            walk.reference(Span::new(start, start + len as u32), Role::Read, None);
        }
    }
    if names == 0 {
        return shared::string(walk, frame);
    }
    walk.string_trivia(frame.span);
    walk.value_of(Recipe::Literal(LiteralKind::Template))
}
