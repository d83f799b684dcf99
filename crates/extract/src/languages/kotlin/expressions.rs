//! Kotlin's statements and expressions.

use crate::prelude::*;

use super::{
    declarations::place_parameter,
    types::{is_variable, name_at, named, quoted, type_child},
};

/// A name. The grammar reads some words of the language as names too.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let word = walk.source(frame.span);
    if word.starts_with('`') {
        return quoted(walk, frame);
    }
    if frame.context == Context::Value {
        if let Some(literal) = literal(word) {
            walk.label(frame.span);
            return walk.value_of(literal);
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

fn literal(word: &str) -> Option<Recipe> {
    match word {
        "null" => Some(Recipe::Literal(LiteralKind::Null)),
        "true" | "false" => Some(Recipe::Literal(LiteralKind::Boolean)),
        _ => None,
    }
}

/// A name that was walked as a mere name although it is read.
pub(super) fn read(walk: &mut Walk<'_>, child: Child) -> Outcome {
    if child.kind != "identifier" {
        return child.outcome;
    }
    let name = name_at(walk, child.span);
    if let Some(literal) = literal(walk.source(child.span)) {
        walk.label(child.span);
        return Outcome::recipe(walk.recipe(literal));
    }
    let reference = walk.reference_named(name, child.span, Role::Read, None);
    Outcome::named(walk.recipe(Recipe::Name(name)), reference)
}

/// A block has a scope of its own unless it is the body of what has opened one.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    const WITH_SCOPE: [&str; 3] = ["function_body", "secondary_constructor", "catch_block"];
    if frame.scope.is_none() && !walk.ancestor_is(1, &WITH_SCOPE) {
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
    let position = walk.children(frame).iter().position(is_variable)?;
    let [variable, value, ..] = walk.children(frame)[position..] else {
        return None;
    };
    let values = [value.outcome.recipe, RecipeId::UNKNOWN];
    walk.implicit(ImplicitKind::Iterate, "", values, value.span);
    let pattern = variable.outcome.pattern?;
    let element = walk.recipe(Recipe::Element(value.outcome.recipe));
    walk.bind_pattern(pattern, element, TypeId::UNKNOWN, value.span.end);
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
    let blocks = walk.filter(frame, |child| matches!(child.kind, "block" | "catch_block"));
    Some(either(walk, &blocks))
}

/// One of several values; those that are not known say nothing.
fn either(walk: &mut Walk<'_>, values: &[Child]) -> Outcome {
    // The rest tells no more about the type.
    const MAX_VALUES: usize = 6;
    let mut known: Vec<RecipeId> = Vec::new();
    for value in values.iter().map(|value| value.outcome.recipe) {
        if value.is_known() && !known.contains(&value) && known.len() < MAX_VALUES {
            known.push(value);
        }
    }
    let one = known
        .into_iter()
        .reduce(|a, b| walk.recipe(Recipe::Either(a, b)));
    one.map_or(Outcome::NONE, Outcome::recipe)
}

/// `return x`, `return@label x`. It has no value itself.
pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const FUNCTIONS: [&str; 6] = [
        "function_declaration",
        "anonymous_function",
        "getter",
        "setter",
        "secondary_constructor",
        "property_declaration",
    ];
    let value = walk.find(frame, |child| child.field != "label");
    let value = value.outcome().recipe;
    let labelled = walk.child(frame, "label").is_some();
    // A lambda does not catch a `return`; the function around it does.
    let function = walk
        .ancestors()
        .find(|around| FUNCTIONS.contains(&around.kind));
    let function = function.map(|function| (function.kind, function.scope, function.symbol));
    match function.filter(|_| !labelled) {
        Some(("anonymous_function", Some(scope), _)) => walk.lambda_return(scope, value),
        Some(("getter" | "setter", Some(scope), _)) => {
            if let Some(owner) = walk.scope_of(scope).owner {
                walk.value(owner, value, frame.span.end);
            }
        }
        Some((_, _, Some(symbol))) => walk.value(symbol, value, frame.span.end),
        _ => shared::returned(walk, value, frame.span.end),
    }
    Some(Outcome::ty(named(walk, "Nothing")))
}

pub(super) fn throws(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    Some(Outcome::ty(named(walk, "Nothing")))
}

// Conditions and what they tell.

/// `if (c) a else b`. After `if (x !is Foo) return` the name is a `Foo`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let branches: Vec<Child> = walk.filter(frame, |child| child.field != "condition");
    if let (Some(condition), [only]) = (walk.child(frame, "condition"), branches.as_slice())
        && condition.kind == "is_expression"
        && only.outcome.ty == named(walk, "Nothing")
        && let Some((name, span)) = denied_name(walk, condition)
    {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.ty, binding.from) = (condition.outcome.ty, frame.span.end);
    }
    let value = either(walk, &branches);
    match branches.as_slice() {
        [a, b] if a.outcome.ty == b.outcome.ty => Some(value.with_ty(a.outcome.ty)),
        _ => Some(value),
    }
}

/// The name in `name !is Foo`.
fn denied_name(walk: &mut Walk<'_>, condition: Child) -> Option<(NameId, Span)> {
    let text = walk.source(condition.span);
    let (name, rest) = text.split_once(char::is_whitespace)?;
    if !rest.trim_start().starts_with("!is") || shared::word_len(name) < name.len() {
        return None;
    }
    Some((
        walk.name(name),
        Span::sized(condition.span.start, name.len()),
    ))
}
/// `x is Foo` narrows a name in the branch that follows.
pub(super) fn is(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (Some(left), Some(right)) = (walk.child(frame, "left"), walk.child(frame, "right")) else {
        return shared::boolean(walk, frame);
    };
    let operator = walk.between(left.span, right.span).trim_start();
    if let Recipe::Name(name) = walk.recipe_of(left.outcome.recipe)
        && !operator.starts_with('!')
    {
        walk.narrow(name, left.span, right.outcome.ty);
    }
    Some(shared::boolean(walk, frame)?.with_ty(right.outcome.ty))
}

/// What is after `&&` is read with what the left side told; the branch that follows needs it
/// once more.
pub(super) fn and(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (around, symbol) = (walk.parent()?.span, walk.current_symbol()?);
    let told = walk.take_narrowings();
    if told.is_empty() {
        return None;
    }
    let rest = Span::new(frame.span.end, around.end);
    let scope = walk.new_scope(ScopeKind::Branch, rest, None);
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
    let value = walk.last(frame);
    let Some(pattern) = walk.outcome_of_kind(frame, "variable_declaration").pattern else {
        return Some(value);
    };
    walk.bind_pattern(pattern, value.recipe, TypeId::UNKNOWN, frame.span.end);
    let binding = walk.bindings_in(pattern).first().copied()?;
    walk.value_of(Recipe::Name(walk.binding(binding).name))
}

/// `is Foo ->`: the subject is a `Foo` there; after `is A, is B ->` one or the other.
pub(super) fn type_test(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_ALTERNATIVES: usize = 16;
    let ty = type_child(walk, frame);
    let when = walk
        .ancestors()
        .nth(1)
        .filter(|around| around.kind == "when_expression");
    let subject = when.and_then(|when| walk.child_of_kind(when, "when_subject"));
    let denied = walk.source(frame.span).starts_with('!');
    let (Recipe::Name(name), false) = (walk.recipe_of(subject.outcome().recipe), denied) else {
        return Some(Outcome::ty(ty));
    };
    let mut narrowed = ty;
    if let Some(&(_, _, before)) = walk.take_narrowings().first() {
        let mut parts = match walk.type_of(before) {
            TypeRecipe::Union(parts) => walk.type_list_of(parts).to_vec(),
            _ => vec![before],
        };
        if parts.len() < MAX_ALTERNATIVES {
            parts.push(ty);
        }
        narrowed = walk.type_from(TypeRecipe::Union, &parts);
    }
    walk.narrow(name, frame.span, narrowed);
    Some(Outcome::ty(ty))
}

pub(super) fn when_entry(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.find(frame, |child| child.field != "condition")?;
    Some(Outcome::recipe(body.outcome.recipe))
}

pub(super) fn when(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let entries = walk.filter(frame, |child| child.kind == "when_entry");
    Some(either(walk, &entries))
}

// Calls and lambdas.

/// `f(a)`, `x.f(a) { ... }`, `f<T>(a)`: a function written after the arguments is the last of them.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [callee, rest @ ..] = children.as_slice() else {
        return None;
    };
    if let [lambda] = rest
        && lambda.kind == "annotated_lambda"
        && !lambda.outcome.recipe.is_known()
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
    let arguments = walk.list(&arguments);
    let outcome = shared::call_of(walk, callee, arguments);
    const ASSERTS: [&str; 4] = ["require", "check", "assert", "assertTrue"];
    if ASSERTS.contains(&walk.source(children[0].span)) {
        shared::keep_narrowings(walk, frame.span.end);
    }
    Some(outcome.with_reference(callee.reference))
}

/// The grammar reads `f(a) { ... }` as a call of `f(a)`: its callee and arguments.
fn call_before_lambda(walk: &Walk<'_>, children: &[Child]) -> Option<(RecipeId, Vec<RecipeId>)> {
    let [call, lambda] = children else {
        return None;
    };
    let is_it = call.kind == "call_expression" && lambda.kind == "annotated_lambda";
    match walk.recipe_of(call.outcome.recipe) {
        Recipe::Call(callee, arguments) if is_it && walk.source(call.span).ends_with(')') => {
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
    let before = walk.source(Span::new(frame.span.start, value.span.start));
    let spread = before.trim_end().ends_with('*');
    let mut recipe = read.recipe;
    if spread {
        recipe = walk.recipe(Recipe::Spread(recipe));
    }
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
    let is_body = walk.ancestor_is(3, &["explicit_delegation"]);
    if !is_body {
        frame.scope = Some(walk.new_scope(ScopeKind::Lambda, frame.span, None));
    }
}

/// A lambda gives its last statement. Without parameters it has `it`, if it is used.
pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let it = walk.name("it");
    let last = walk.children(frame).last().copied();
    let has_parameters = walk.child_of_kind(frame, "lambda_parameters").is_some();
    let is_it = |reference: &Reference| reference.name == it;
    if !has_parameters && walk.references_since(frame.span.start).any(is_it) {
        let place = Span::empty(frame.span.start);
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
    let parameters = children.iter().filter(|child| is_variable(child));
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
                walk.set_kind(pattern, BindingKind::Local);
                walk.bind(BindingKind::Parameter, name, child.span)
            }
        };
        let ty = child.outcome.ty;
        place_parameter(walk, binding, index as u16, ty, RecipeId::UNKNOWN);
    }
    None
}

/// `fun(x: Int): Int = ...`.
pub(super) fn anonymous_function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    frame.scope.map(|scope| Outcome::recipe(walk.lambda(scope)))
}

// Other expressions.

/// `x.y`, `x?.y`, `X::y`.
pub(super) fn navigation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [object, .., member] = children.as_slice() else {
        return walk.children(frame).first().map(|child| child.outcome);
    };
    let Some(reference) = member.outcome.reference else {
        if walk.source(member.span) != "class" {
            return None;
        }
        let ty = as_type(walk, object.outcome.recipe);
        return type_value(walk, ty);
    };
    let mut receiver = object.outcome.recipe;
    if walk.between(object.span, member.span).contains('?') {
        receiver = walk.wrapped(receiver, Recipe::Try);
    }
    Some(member_of(walk, receiver, member.span, reference))
}

/// A type that is a value: `Foo::class`.
fn type_value(walk: &mut Walk<'_>, ty: TypeId) -> Option<Outcome> {
    if !ty.is_known() {
        return None;
    }
    walk.value_of(Recipe::Type(ty))
}

/// A member that was walked as a name of its own.
fn member_of(
    walk: &mut Walk<'_>,
    receiver: RecipeId,
    name: Span,
    reference: ReferenceId,
) -> Outcome {
    walk.reference_mut(reference).receiver = Some(receiver);
    let name = name_at(walk, name);
    Outcome::named(walk.recipe(Recipe::Member(receiver, name)), reference)
}

/// `a.b.C` read as a type.
fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    shared::path_type(walk, recipe)
}

/// `::f`, `Foo::bar`, `Foo::class`.
pub(super) fn callable_reference(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.find(frame, |child| child.kind != "identifier");
    let ty = ty.outcome().ty;
    let member = walk.rfind(frame, |child| child.kind == "identifier");
    let Some((member, reference)) =
        member.and_then(|child| Some((child, child.outcome.reference?)))
    else {
        return type_value(walk, ty);
    };
    if !ty.is_known() {
        return Some(member.outcome);
    }
    let receiver = walk.recipe(Recipe::Type(ty));
    Some(member_of(walk, receiver, member.span, reference))
}

pub(super) fn index(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [value, index, ..] = walk.children(frame) else {
        return None;
    };
    let (value, index) = (value.outcome.recipe, index.outcome.recipe);
    walk.value_of(Recipe::Index(value, index))
}

/// `a f b` calls `a.f(b)`.
pub(super) fn infix(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [left, function, right] = walk.child_array(frame)?;
    let reference = function.outcome.reference?;
    let callee = member_of(walk, left.outcome.recipe, function.span, reference);
    let arguments = walk.list(&[right.outcome.recipe]);
    Some(shared::call_of(walk, callee, arguments))
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let operator = walk.between(left.span, right.span).trim();
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
            let a = left.outcome.with_recipe(walk.wrapped(a, Recipe::Try));
            return Some(either(walk, &[Child { outcome: a, ..left }, right]));
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
        let inside = walk.recipe(Recipe::Try(argument.recipe));
        return Some(argument.with_recipe(inside));
    }
    if text.starts_with('!') {
        walk.take_narrowings();
        return shared::boolean(walk, frame);
    }
    let mut writing = ["++", "--"].iter();
    if writing.any(|operator| text.starts_with(operator) || text.ends_with(operator)) {
        walk.set_role(argument, Role::Write);
    }
    Some(Outcome::recipe(argument.recipe))
}

/// `1..n` is a range of integers where one end says so.
pub(super) fn range(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [a, b] = walk.child_array(frame)?.map(|end| end.outcome.recipe);
    let integer = Recipe::Literal(LiteralKind::Integer);
    let recipe = if [a, b].map(|end| walk.recipe_of(end)).contains(&integer) {
        Recipe::Cast(named(walk, "IntRange"))
    } else {
        Recipe::Operation(a, b)
    };
    walk.value_of(recipe)
}

/// `x as Foo`, `x as? Foo`.
pub(super) fn as_(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let mut ty = right.outcome.ty;
    if walk.between(left.span, right.span).contains('?') {
        ty = walk.ty(TypeRecipe::Optional(ty));
    }
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
    let is_dollar =
        |child: &Child| child.kind == "string_content" && walk.source(child.span) == "$";
    let mut names = 0;
    for start in walk
        .filter(frame, is_dollar)
        .iter()
        .map(|dollar| dollar.span.end)
    {
        let rest = walk.source(Span::new(start, frame.span.end));
        let len = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(0);
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        names += 1;
        if &rest[..len] != "this" {
            walk.reference(Span::sized(start, len), Role::Read, None);
        }
    }
    if names == 0 {
        return shared::string(walk, frame);
    }
    walk.string_trivia(frame.span);
    walk.value_of(Recipe::Literal(LiteralKind::Template))
}
