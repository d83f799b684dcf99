//! Expressions: what they give, and what they name.

use crate::prelude::*;

use super::{declarations, names, types};

/// `#if` around an expression: its first branch represents it.
pub(super) fn alternatives(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.find(frame, |child| {
        child.field != "condition" && child.outcome.recipe.is_known()
    })
    .map(|child| child.outcome)
}

pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.child(frame, "function")?;
    let arguments = walk.outcome(frame, "arguments");
    if function.kind == "identifier" && walk.source(function.span) == "nameof" {
        let named = walk.child(frame, "arguments")?.span;
        let named = walk.source(named).trim_matches(['(', ')', ' ']);
        let last = named.rsplit('.').next().unwrap_or(named).trim();
        let text = walk.name(last);
        return walk.value_of(Recipe::Str(text));
    }
    let outcome = shared::call_of(walk, function.outcome, arguments.list);
    let written = walk.child(frame, "arguments")?.span;
    expect_new(walk, written, arguments.list, outcome.recipe);
    out_variable(walk, function.outcome.recipe, arguments, frame.span.end);
    Some(outcome)
}

/// `TryGetValue(key, out var x)` and similar methods give what the collection holds.
fn out_variable(walk: &mut Walk<'_>, callee: RecipeId, arguments: Outcome, from: u32) {
    let (Recipe::Member(object, method), Some(pattern)) =
        (walk.recipe_of(callee), arguments.pattern)
    else {
        return;
    };
    let value = match (walk.word(method).as_str(), walk.list_of(arguments.list)) {
        ("TryGetValue" | "TryRemove", &[key, _]) => Recipe::Index(object, key),
        ("TryPeek" | "TryPop" | "TryDequeue" | "TryTake" | "TryRead", &[_]) => {
            Recipe::Element(object)
        }
        _ => return,
    };
    let value = walk.recipe(value);
    walk.bind_pattern(pattern, value, TypeId::UNKNOWN, from);
}

/// A list of values; the last variable declared among them goes with it.
pub(super) fn arguments(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.patterns(frame).last().copied();
    let list = shared::value_list(walk, frame);
    Some(Outcome::list(list).with_pattern(pattern))
}

/// `x`, `name: x`, `out var x`.
pub(super) fn argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.rfind(frame, |child| child.field != "name")?;
    let text = walk.source(frame.span);
    let written = text.starts_with("out ") || text.starts_with("ref ") || assigned_tuple(walk);
    if written {
        walk.set_role(value.outcome, Role::Write);
    }
    let Some(name) = walk.child(frame, "name") else {
        return Some(value.outcome);
    };
    match attribute_type(walk, frame, name.span) {
        Some(attribute) => {
            let receiver = walk.cast(attribute);
            walk.reference(name.span, Role::Write, Some(receiver));
        }
        None => walk.label(name.span),
    }
    let name = walk.name_at(name.span);
    let recipe = walk.recipe(Recipe::Field(name, value.outcome.recipe));
    Some(Outcome::recipe(recipe).with_pattern(value.outcome.pattern))
}

/// The type of the attribute that `[Option(Name = 1)]` sets a property of. It is written without the
/// end of its name.
fn attribute_type(walk: &mut Walk<'_>, frame: &Frame, name: Span) -> Option<TypeId> {
    let rest = walk.source(Span::new(name.end, frame.span.end));
    if frame.kind != "attribute_argument" || !rest.trim_start().starts_with('=') {
        return None;
    }
    let around = walk.children_of_ancestor(1).iter();
    let attribute = around.rev().find(|child| child.field == "name")?.span;
    let written = walk.source(attribute);
    let word = written.rsplit('.').next().unwrap_or(written);
    Some(match word.ends_with("Attribute") {
        true => walk.type_named(word),
        false => walk.type_named(format!("{word}Attribute")),
    })
}

/// Whether the innermost open node is the left side of `(a, b) = ..`.
fn assigned_tuple(walk: &Walk<'_>) -> bool {
    let tuple = walk
        .parent()
        .filter(|tuple| tuple.kind == "tuple_expression");
    tuple.is_some_and(|tuple| tuple.field == "left")
        && walk.ancestor_is(1, &["assignment_expression"])
}

pub(super) fn member(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let object = walk.outcome(frame, "expression");
    let Some(name) = walk.child(frame, "name") else {
        return Some(object);
    };
    let outcome = member_of(walk, object.recipe, name);
    // `Color.Red` where a property `Color` is of type `Color`: what follows tells which is meant.
    // Type arguments tell which type of that name it is.
    let written = match walk.recipe_of(object.recipe) {
        Recipe::Name(_) => Some(outcome.recipe),
        Recipe::TypeArguments(..) => Some(object.recipe),
        _ => None,
    };
    if let (Some(qualifier), Some(_)) = (object.reference, written) {
        let reference = walk.reference_mut(qualifier);
        if reference.role == Role::Read {
            reference.call = written;
        }
    }
    Some(outcome)
}

fn member_of(walk: &mut Walk<'_>, object: RecipeId, name: Child) -> Outcome {
    let span = types::identifier_span(walk, name.span);
    let word = walk.name_at(span);
    let reference = walk.reference(span, Role::Read, Some(object));
    let recipe = walk.recipe(Recipe::Member(object, word));
    types::with_arguments(walk, Outcome::named(recipe, reference), name.outcome.ty)
}

/// What is before the `?` of the conditional access around.
fn condition(walk: &mut Walk<'_>) -> RecipeId {
    let around = walk.parent();
    let value = around.map_or(Outcome::NONE, |around| walk.outcome(around, "condition"));
    walk.wrapped(value.recipe, Recipe::Try)
}

/// The grammar binds `?.` more loosely than any operator: `a || b?.c()` arrives as `(a || b)?.c()`.
/// What is accessed is the last operand.
fn is_accessed(walk: &Walk<'_>) -> bool {
    const OPERATORS: [&str; 4] = [
        "binary_expression",
        "prefix_unary_expression",
        "await_expression",
        "cast_expression",
    ];
    let mut ancestors = walk.ancestors();
    let around = ancestors.find(|ancestor| !OPERATORS.contains(&ancestor.kind));
    around.is_some_and(|around| around.kind == "conditional_access_expression")
}

/// `.b` of `a?.b`.
pub(super) fn member_binding(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let object = condition(walk);
    Some(member_of(walk, object, name))
}

/// `[i]` of `a?[i]`, or of an object initialiser.
pub(super) fn element_binding(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let index = shared::value_list(walk, frame);
    let object = if walk.parent_is(&["conditional_access_expression"]) {
        condition(walk)
    } else {
        RecipeId::UNKNOWN
    };
    Some(index_of(walk, object, index))
}

pub(super) fn conditional_access(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.find(frame, |child| child.field != "condition")
        .map(|child| child.outcome)
}

pub(super) fn element_access(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let object = walk.outcome(frame, "expression");
    let index = walk.outcome(frame, "subscript").list;
    Some(index_of(walk, object.recipe, index))
}

fn index_of(walk: &mut Walk<'_>, object: RecipeId, index: ListRange) -> Outcome {
    let index = match walk.list_of(index) {
        &[index] => index,
        _ => walk.recipe(Recipe::Tuple(index)),
    };
    Outcome::recipe(walk.recipe(Recipe::Index(object, index)))
}

pub(super) fn object_creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type");
    let arguments = walk.outcome(frame, "arguments");
    let made = shared::new_of(walk, ty, arguments.list);
    expect_new(walk, frame.span, arguments.list, made.recipe);
    Some(made)
}

/// What `new()` among the arguments of a call makes is what the call takes there; the members that
/// it sets are members of that.
fn expect_new(walk: &mut Walk<'_>, written: Span, arguments: ListRange, call: RecipeId) {
    let inferred = walk.ty(TypeRecipe::Inferred);
    let plain = |walk: &Walk<'_>, argument| match walk.recipe_of(argument) {
        Recipe::Field(_, value) => value,
        _ => argument,
    };
    let list = walk.list_of(arguments).to_vec();
    let made: Vec<RecipeId> = list.iter().map(|&argument| plain(walk, argument)).collect();
    for (i, &new) in made.iter().enumerate() {
        let is_target_typed = matches!(walk.recipe_of(new), Recipe::New(ty, _) if ty == inferred);
        // Two that are written alike cannot be told apart.
        if !is_target_typed || made.iter().filter(|&&other| other == new).count() > 1 {
            continue;
        }
        let expected = walk.recipe(Recipe::Parameter(call, i.min(u16::MAX as usize) as u16));
        let references = walk.facts_mut().references.iter_mut().rev();
        for reference in references.take_while(|reference| reference.span.start >= written.start) {
            let is_made = reference.role == Role::Instantiate
                && reference.receiver.is_none()
                && reference.call == Some(new);
            if is_made || reference.receiver == Some(new) {
                reference.receiver = Some(expected);
            }
        }
    }
}

/// `new(..)`: of the type that the declaration, assignment or function around says. It mentions
/// that type without naming it.
pub(super) fn implicit_object_creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let arguments = walk.outcome_of_kind(frame, "argument_list");
    let ty = target_type(walk, 0);
    let word = declarations::simple_name(walk, ty);
    let keyword = Span::new(frame.span.start, frame.span.start + 3);
    let name = match word.as_str() {
        "" => walk.name_at(keyword),
        _ => walk.name(word),
    };
    let reference = walk.reference_named(name, keyword, Role::Instantiate, None);
    let made = Outcome::ty(ty).with_reference(reference);
    let made = shared::new_of(walk, made, arguments.list);
    expect_new(walk, frame.span, arguments.list, made.recipe);
    Some(made)
}

/// What a target-typed expression must be, told by the nodes around it; those up to `skip` do not
/// count.
fn target_type(walk: &mut Walk<'_>, skip: usize) -> TypeId {
    const MAX_HOPS: usize = 8;
    let inferred = walk.ty(TypeRecipe::Inferred);
    let mut n_elements = 0;
    let mut in_function = false;
    let mut found = None;
    for frame in walk.ancestors().skip(skip).take(MAX_HOPS) {
        let field = match frame.kind {
            "variable_declarator"
            | "parenthesized_expression"
            | "conditional_expression"
            | "switch_expression"
            | "switch_expression_arm" => continue,
            "binary_expression" if walk.source(frame.span).contains("??") => continue,
            "block" | "if_statement" if in_function => continue,
            "initializer_expression" => {
                if !RecipeId(frame.note).is_known() {
                    n_elements += 1;
                    continue;
                }
                break;
            }
            "return_statement" | "arrow_expression_clause" => {
                in_function = true;
                continue;
            }
            "method_declaration" if in_function => "returns",
            "variable_declaration" | "property_declaration" | "array_creation_expression" => "type",
            "local_function_statement" | "operator_declaration" if in_function => "type",
            "assignment_expression" => "left",
            _ => break,
        };
        found = Some((field, frame.clone()));
        break;
    }
    let Some((field, frame)) = found else {
        return inferred;
    };
    let target = walk.outcome(&frame, field);
    if field == "left" && !target.recipe.is_known() {
        return inferred;
    }
    if field == "left" {
        return walk.ty(TypeRecipe::Of(target.recipe));
    }
    let mut ty = target.ty;
    if in_function && frame.modifiers.contains(Modifiers::ASYNC) {
        // An async method gives what its task holds.
        ty = walk.first_argument(ty).unwrap_or(ty);
    }
    for _ in 0..n_elements {
        ty = match walk.type_of(ty) {
            TypeRecipe::Array(item) => item,
            _ => walk.first_argument(ty).unwrap_or_default(),
        };
    }
    if let TypeRecipe::Optional(inner) = walk.type_of(ty) {
        ty = inner;
    }
    if ty.is_known() { ty } else { inferred }
}

/// The object that an initialiser's assignments write to, for the names in it.
pub(super) fn enter_initializer(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(parent) = walk.ancestors().nth(1).cloned() else {
        return;
    };
    let object = match parent.kind {
        "object_creation_expression" => {
            let arguments = walk.outcome(&parent, "arguments").list;
            Recipe::New(walk.outcome(&parent, "type").ty, arguments)
        }
        "implicit_object_creation_expression" => {
            let arguments = walk.outcome_of_kind(&parent, "argument_list").list;
            Recipe::New(target_type(walk, 2), arguments)
        }
        // `A = { B = 1 }` writes to the object that `A` already holds.
        "assignment_expression" => {
            let left = walk.outcome(&parent, "left").recipe;
            frame.note = left.0;
            return;
        }
        _ => return,
    };
    frame.note = walk.recipe(object).0;
}

/// The elements of a collection; the assignments of an object initialiser are accounted for by
/// themselves.
pub(super) fn initializer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let object = RecipeId(frame.note);
    if !object.is_known() {
        return shared::list_literal(walk, frame);
    }
    // Each element is added: `new Rules { r => r.Name }` is `rules.Add(r => r.Name)`.
    for child in walk.children(frame).to_vec() {
        let value = child.outcome.recipe;
        let arguments = match walk.recipe_of(value) {
            Recipe::List(items) if child.kind == "initializer_expression" => items,
            Recipe::Lambda(..) => walk.list(&[value]),
            _ => continue,
        };
        let mut items = walk.list_of(arguments).iter();
        if items.any(|&item| matches!(walk.recipe_of(item), Recipe::Lambda(..))) {
            let add = walk.name("Add");
            let callee = walk.recipe(Recipe::Member(object, add));
            let call = walk.recipe(Recipe::Call(callee, arguments));
            walk.hand_to_call(call, arguments);
        }
    }
    None
}

/// `new { A = 1, b.C }`.
pub(super) fn anonymous_object(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let mut fields = Vec::new();
    let mut pending: Option<NameId> = None;
    for child in children {
        if pending.is_none() && child.kind == "identifier" && names::is_assigned(walk, child.span) {
            pending = Some(walk.name_at(child.span));
            continue;
        }
        let name = match (pending.take(), walk.recipe_of(child.outcome.recipe)) {
            (Some(name), _) | (None, Recipe::Name(name) | Recipe::Member(_, name)) => name,
            _ => continue,
        };
        fields.push(walk.recipe(Recipe::Field(name, child.outcome.recipe)));
    }
    Some(Outcome::recipe(walk.recipe_from(Recipe::Object, &fields)))
}

pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.outcome(frame, "left"), walk.outcome(frame, "right"));
    walk.set_role(left, Role::Write);
    walk.hand_to_target(right.recipe, left.recipe);
    walk.bind_pattern(left.pattern, right.recipe, TypeId::UNKNOWN, frame.span.end);
    Some(Outcome::recipe(right.recipe))
}

/// Deconstructs where it declares variables, else gives a value.
pub(super) fn tuple(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::tuple_literal(walk, frame)?;
    if walk.patterns(frame).is_empty() {
        return Some(outcome);
    }
    let children = walk.children(frame).to_vec().into_iter();
    let part = |child: Child| {
        child
            .outcome
            .pattern
            .unwrap_or_else(|| walk.pattern(Pattern::Fields(Vec::new())))
    };
    let parts = children.map(part).collect();
    Some(outcome.with_pattern(walk.pattern(Pattern::Tuple(parts))))
}

/// `out var x`, `(int a, var b) = ..`: visible from here on.
pub(super) fn declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = walk.outcome(frame, "type").ty;
    let ty = shared::declared(walk, ty);
    let pattern = walk.bound_name(BindingKind::Local, name.span);
    walk.set_type(pattern, ty);
    Some(Outcome::recipe(walk.cast(ty)).with_pattern(pattern))
}

pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let body = walk
        .child(frame, "body")
        .filter(|body| body.kind != "block");
    walk.lambda_return(scope, body.outcome().recipe);
    let recipe = walk.lambda(scope);
    let target = target_type(walk, 0);
    if !matches!(
        walk.type_of(target),
        TypeRecipe::Inferred | TypeRecipe::Of(_) | TypeRecipe::Unknown
    ) {
        let target = walk.recipe(Recipe::Cast(target));
        walk.hand_to_target(recipe, target);
    }
    let is_async = walk
        .filter(frame, |child| child.kind == "modifier")
        .iter()
        .any(|modifier| walk.source(modifier.span) == "async");
    let Recipe::Lambda(_, returns) = walk.recipe_of(recipe) else {
        return None;
    };
    if !is_async || returns.len == 0 {
        return Some(Outcome::recipe(recipe));
    }
    // An async function gives a task of what it returns.
    let task = walk.type_named("Task");
    let mut tasks = walk.list_of(returns).to_vec();
    for returned in &mut tasks {
        let value = walk.ty(TypeRecipe::Of(*returned));
        let ty = walk.applied_type(task, &[value]);
        *returned = walk.recipe(Recipe::Cast(ty));
    }
    let returns = walk.list(&tasks);
    walk.value_of(Recipe::Lambda(scope, returns))
}

/// The operator between two operands.
fn operator<'text>(walk: &Walk<'text>, frame: &Frame) -> &'text str {
    let (Some(left), Some(right)) = (walk.child(frame, "left"), walk.child(frame, "right")) else {
        return "";
    };
    walk.between(left.span, right.span).trim()
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if is_accessed(walk) {
        return Some(walk.outcome(frame, "right"));
    }
    let [left, right] = walk.values(frame, ["left", "right"]);
    let recipe = match operator(walk, frame) {
        "??" => {
            let left = walk.wrapped(left, Recipe::Try);
            Recipe::Either(left, right)
        }
        "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        _ => Recipe::Operation(left, right),
    };
    walk.value_of(recipe)
}

pub(super) fn awaited(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if is_accessed(walk) {
        shared::first_child(walk, frame)
    } else {
        shared::awaited(walk, frame)
    }
}

pub(super) fn prefix(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    if is_accessed(walk) {
        return Some(inner);
    }
    let text = walk.source(frame.span);
    if text.starts_with("++") || text.starts_with("--") {
        walk.set_role(inner, Role::Write);
    }
    let recipe = match text.as_bytes().first() {
        Some(b'!') => Recipe::Literal(LiteralKind::Boolean),
        Some(b'&') => Recipe::Reference(inner.recipe),
        Some(b'*') => Recipe::Deref(inner.recipe),
        Some(b'^') => Recipe::Literal(LiteralKind::Integer),
        _ => return Some(Outcome::recipe(inner.recipe)),
    };
    walk.value_of(recipe)
}

/// `x++`, `x!`.
pub(super) fn postfix(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    if walk.source(frame.span).ends_with('!') {
        let recipe = walk.wrapped(inner.recipe, Recipe::Try);
        return Some(inner.with_recipe(recipe));
    }
    walk.set_role(inner, Role::Write);
    Some(Outcome::recipe(inner.recipe))
}

/// The text says the type: `(T)x`, `x as T`, `new T[3]`.
pub(super) fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.kind == "cast_expression" && is_accessed(walk) {
        return Some(walk.outcome(frame, "value"));
    }
    let field = if frame.kind == "as_expression" {
        "right"
    } else {
        "type"
    };
    let ty = walk.outcome(frame, field).ty;
    walk.value_of(Recipe::Cast(ty))
}

pub(super) fn default(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match walk.child(frame, "type") {
        Some(_) => cast(walk, frame),
        None => shared::null(walk, frame),
    }
}

pub(super) fn type_of(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    walk.value_of(Recipe::Type(ty))
}

/// The first arms say what it may be.
pub(super) fn switch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_ARMS: usize = 4;
    let arms = walk.filter(frame, |child| child.kind == "switch_expression_arm");
    let values = arms.iter().map(|arm| arm.outcome.recipe);
    let known: Vec<_> = values
        .filter(|value| value.is_known())
        .take(MAX_ARMS)
        .collect();
    let mut arms = known.into_iter().rev();
    let mut recipe = arms.next()?;
    for arm in arms {
        if arm != recipe {
            recipe = walk.recipe(Recipe::Either(arm, recipe));
        }
    }
    Some(Outcome::recipe(recipe))
}

pub(super) fn switch_arm(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [_, .., value] = walk.children(frame) else {
        return None;
    };
    (value.kind != "when_clause").then(|| Outcome::recipe(value.outcome.recipe))
}

pub(super) fn interpolated_string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.child_of_kind(frame, "interpolation").is_none() {
        return shared::string(walk, frame);
    }
    walk.value_of(Recipe::Literal(LiteralKind::Template))
}

/// A query is its source's `Select` or `GroupBy` with the last clause as function.
pub(super) fn query(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let source = walk.outcome_of_kind(frame, "from_clause").recipe;
    let last = walk.rfind(frame, |child| {
        matches!(child.kind, "select_clause" | "group_clause")
    });
    let last = last.filter(|_| source.is_known())?;
    walk.lambda_return(scope, last.outcome.recipe);
    let function = walk.lambda(scope);
    let is_group = last.kind == "group_clause";
    let method = walk.name(if is_group { "GroupBy" } else { "Select" });
    let method = walk.recipe(Recipe::Member(source, method));
    let arguments = walk.list(&[function]);
    walk.value_of(Recipe::Call(method, arguments))
}

pub(super) fn from_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let source = walk.rfind(frame, |child| child.field.is_empty());
    let source = source.outcome().recipe;
    if let Some(name) = walk.child(frame, "name") {
        let ty = walk.outcome(frame, "type").ty;
        let pattern = walk.bound_name(BindingKind::Loop, name.span);
        let element = walk.wrapped(source, Recipe::Element);
        walk.bind_pattern(pattern, element, ty, frame.span.end);
    }
    Some(Outcome::recipe(source))
}

/// `join x in xs on a equals b into g`.
pub(super) fn join_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children: Vec<Child> = walk.filter(frame, |child| child.field != "type");
    let [name, source, ..] = children.as_slice() else {
        return None;
    };
    let ty = walk.outcome(frame, "type").ty;
    let source = source.outcome.recipe;
    if let Some(pattern) = name.outcome.pattern {
        let element = walk.wrapped(source, Recipe::Element);
        walk.bind_pattern(pattern, element, ty, name.span.end);
    }
    let group = walk.outcome_of_kind(frame, "join_into_clause").pattern;
    walk.bind_pattern(group, source, TypeId::UNKNOWN, frame.span.end);
    None
}

pub(super) fn let_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [name, value, ..] = walk.children(frame) else {
        return None;
    };
    let (name, value) = (name.outcome.pattern, value.outcome.recipe);
    walk.bind_pattern(name, value, TypeId::UNKNOWN, frame.span.end);
    None
}
