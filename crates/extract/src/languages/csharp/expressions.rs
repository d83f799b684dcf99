//! Expressions: what they give, and what they name.

use facts::{
    BindingKind, LiteralKind, Modifiers, NameId, Recipe, RecipeId, Role, Span, TypeId, TypeRecipe,
};

use super::{declarations, names, types};
use crate::{
    handlers as shared,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

/// `#if` around an expression: its first branch represents it.
pub(super) fn alternatives(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.children(frame)
        .iter()
        .find(|child| child.field != "condition" && child.outcome.recipe.is_known())
        .map(|child| child.outcome)
}

pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (function, arguments) = (
        walk.child(frame, "function")?,
        walk.outcome(frame, "arguments"),
    );
    if function.kind == "identifier" && walk.source(function.span) == "nameof" {
        return walk.value_of(Recipe::Literal(LiteralKind::String));
    }
    let outcome = shared::call_of(walk, function.outcome, arguments.list);
    if let Some(pattern) = arguments.pattern {
        out_variable(
            walk,
            function.outcome.recipe,
            arguments,
            pattern,
            frame.span.end,
        );
    }
    Some(outcome)
}

/// `TryGetValue(key, out var x)` and its kin give what the collection holds.
fn out_variable(
    walk: &mut Walk<'_>,
    callee: RecipeId,
    arguments: Outcome,
    pattern: crate::walk::PatternId,
    from: u32,
) {
    let Recipe::Member(object, method) = walk.recipe_of(callee) else {
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
    let pattern = walk
        .children(frame)
        .iter()
        .rev()
        .find_map(|child| child.outcome.pattern);
    let list = shared::value_list(walk, frame);
    Some(Outcome {
        list,
        pattern,
        ..Outcome::NONE
    })
}

/// `x`, `name: x`, `out var x`.
pub(super) fn argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk
        .children(frame)
        .iter()
        .rev()
        .find(|child| child.field != "name")
        .copied()?;
    let text = walk.source(frame.span);
    let written = text.starts_with("out ") || text.starts_with("ref ") || assigned_tuple(walk);
    if written {
        walk.set_role(value.outcome, Role::Write);
    }
    let Some(name) = walk.child(frame, "name") else {
        return Some(value.outcome);
    };
    walk.label(name.span);
    let name = walk.name_at(name.span);
    let recipe = walk.recipe(Recipe::Field(name, value.outcome.recipe));
    Some(Outcome {
        recipe,
        pattern: value.outcome.pattern,
        ..Outcome::NONE
    })
}

/// Whether the innermost open node is the left side of `(a, b) = ..`.
fn assigned_tuple(walk: &Walk<'_>) -> bool {
    let mut around = walk.ancestors();
    around
        .next()
        .is_some_and(|tuple| tuple.kind == "tuple_expression" && tuple.field == "left")
        && around
            .next()
            .is_some_and(|assignment| assignment.kind == "assignment_expression")
}

pub(super) fn member(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let object = walk.outcome(frame, "expression");
    let Some(name) = walk.child(frame, "name") else {
        return Some(object);
    };
    Some(member_of(walk, object.recipe, name))
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
    let Some(around) = walk.parent().cloned() else {
        return RecipeId::UNKNOWN;
    };
    let value = walk.outcome(&around, "condition").recipe;
    if value.is_known() {
        walk.recipe(Recipe::Try(value))
    } else {
        value
    }
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
    let around = walk
        .ancestors()
        .find(|ancestor| !OPERATORS.contains(&ancestor.kind));
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
    let object = match walk.parent().map(|parent| parent.kind) {
        Some("conditional_access_expression") => condition(walk),
        _ => RecipeId::UNKNOWN,
    };
    Some(index_of(walk, object, index))
}

pub(super) fn conditional_access(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.children(frame)
        .iter()
        .find(|child| child.field != "condition")
        .map(|child| child.outcome)
}

pub(super) fn element_access(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (object, index) = (
        walk.outcome(frame, "expression"),
        walk.outcome(frame, "subscript").list,
    );
    Some(index_of(walk, object.recipe, index))
}

fn index_of(walk: &mut Walk<'_>, object: RecipeId, index: facts::ListRange) -> Outcome {
    let index = match walk.list_of(index) {
        &[index] => index,
        _ => walk.recipe(Recipe::Tuple(index)),
    };
    Outcome::recipe(walk.recipe(Recipe::Index(object, index)))
}

pub(super) fn object_creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, arguments) = (
        walk.outcome(frame, "type"),
        walk.outcome(frame, "arguments"),
    );
    Some(shared::new_of(walk, ty, arguments.list))
}

/// `new(..)`: of the type that the declaration, assignment or function around says. It mentions
/// that type without naming it.
pub(super) fn implicit_object_creation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let arguments = walk.outcome_of_kind(frame, "argument_list");
    let ty = target_type(walk, 0);
    let word = declarations::simple_name(walk, ty);
    let keyword = Span::new(frame.span.start, frame.span.start + 3);
    let name = if word.is_empty() {
        walk.name_at(keyword)
    } else {
        walk.name(word)
    };
    let reference = walk.reference_named(name, keyword, Role::Instantiate, None);
    Some(shared::new_of(
        walk,
        Outcome {
            ty,
            reference: Some(reference),
            ..Outcome::NONE
        },
        arguments.list,
    ))
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
    if field == "left" {
        return if target.recipe.is_known() {
            walk.ty(TypeRecipe::Of(target.recipe))
        } else {
            inferred
        };
    }
    let mut ty = target.ty;
    if in_function && frame.modifiers.contains(Modifiers::ASYNC) {
        // An async method gives what its task holds.
        ty = match walk.type_of(ty) {
            TypeRecipe::Apply(_, arguments) => walk
                .type_list_of(arguments)
                .first()
                .copied()
                .unwrap_or_default(),
            _ => ty,
        };
    }
    for _ in 0..n_elements {
        ty = match walk.type_of(ty) {
            TypeRecipe::Array(item) => item,
            TypeRecipe::Apply(_, arguments) => walk
                .type_list_of(arguments)
                .first()
                .copied()
                .unwrap_or_default(),
            _ => TypeId::UNKNOWN,
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
            let (ty, arguments) = (
                walk.outcome(&parent, "type").ty,
                walk.outcome(&parent, "arguments").list,
            );
            Recipe::New(ty, arguments)
        }
        "implicit_object_creation_expression" => {
            let arguments = walk.outcome_of_kind(&parent, "argument_list").list;
            let ty = target_type(walk, 2);
            Recipe::New(ty, arguments)
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
        let takes_function = walk
            .list_of(arguments)
            .to_vec()
            .into_iter()
            .any(|item| matches!(walk.recipe_of(item), Recipe::Lambda(..)));
        if takes_function {
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
        let name = pending
            .take()
            .or_else(|| match walk.recipe_of(child.outcome.recipe) {
                Recipe::Name(name) | Recipe::Member(_, name) => Some(name),
                _ => None,
            });
        if let Some(name) = name {
            fields.push(walk.recipe(Recipe::Field(name, child.outcome.recipe)));
        }
    }
    let fields = walk.list(&fields);
    walk.value_of(Recipe::Object(fields))
}

pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.outcome(frame, "left"), walk.outcome(frame, "right"));
    walk.set_role(left, Role::Write);
    walk.hand_to_target(right.recipe, left.recipe);
    if let Some(pattern) = left.pattern {
        walk.bind_pattern(pattern, right.recipe, TypeId::UNKNOWN, frame.span.end);
    }
    Some(Outcome::recipe(right.recipe))
}

/// Deconstructs where it declares variables, else gives a value.
pub(super) fn tuple(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parts: Vec<_> = walk
        .children(frame)
        .iter()
        .map(|child| child.outcome.pattern)
        .collect();
    let outcome = shared::tuple_literal(walk, frame)?;
    if parts.iter().all(Option::is_none) {
        return Some(outcome);
    }
    let parts = parts
        .into_iter()
        .map(|part| part.unwrap_or_else(|| walk.pattern(Pattern::Fields(Vec::new()))))
        .collect();
    let pattern = walk.pattern(Pattern::Tuple(parts));
    Some(Outcome {
        pattern: Some(pattern),
        ..outcome
    })
}

/// `out var x`, `(int a, var b) = ..`: visible from here on.
pub(super) fn declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = walk.outcome(frame, "type").ty;
    let ty = types::declared(walk, ty);
    let word = walk.name_at(name.span);
    let binding = walk.bind(BindingKind::Local, word, name.span);
    walk.binding_mut(binding).ty = ty;
    let recipe = if ty.is_known() {
        walk.recipe(Recipe::Cast(ty))
    } else {
        RecipeId::UNKNOWN
    };
    Some(Outcome {
        recipe,
        pattern: Some(walk.pattern(Pattern::Name(binding))),
        ..Outcome::NONE
    })
}

pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    if let Some(body) = walk
        .child(frame, "body")
        .filter(|body| body.kind != "block")
    {
        walk.lambda_return(scope, body.outcome.recipe);
    }
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
        .children_of_kind(frame, "modifier")
        .any(|modifier| walk.source(modifier.span) == "async");
    let Recipe::Lambda(_, returns) = walk.recipe_of(recipe) else {
        return Some(Outcome::recipe(recipe));
    };
    if !is_async || returns.len == 0 {
        return Some(Outcome::recipe(recipe));
    }
    // An async function gives a task of what it returns.
    let task = walk.name("Task");
    let task = walk.ty(TypeRecipe::Name(task));
    let tasks: Vec<RecipeId> = walk
        .list_of(returns)
        .to_vec()
        .into_iter()
        .map(|value| {
            let value = walk.ty(TypeRecipe::Of(value));
            let arguments = walk.type_list(&[value]);
            let ty = walk.ty(TypeRecipe::Apply(task, arguments));
            walk.recipe(Recipe::Cast(ty))
        })
        .collect();
    let returns = walk.list(&tasks);
    walk.value_of(Recipe::Lambda(scope, returns))
}

/// The operator between two operands.
fn operator<'text>(walk: &Walk<'text>, frame: &Frame) -> &'text str {
    let (Some(left), Some(right)) = (walk.child(frame, "left"), walk.child(frame, "right")) else {
        return "";
    };
    walk.source(Span::new(left.span.end, right.span.start))
        .trim()
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if is_accessed(walk) {
        return Some(walk.outcome(frame, "right"));
    }
    let (left, right) = (
        walk.outcome(frame, "left").recipe,
        walk.outcome(frame, "right").recipe,
    );
    let recipe = match operator(walk, frame) {
        "??" => {
            let left = if left.is_known() {
                walk.recipe(Recipe::Try(left))
            } else {
                left
            };
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
        let recipe = if inner.recipe.is_known() {
            walk.recipe(Recipe::Try(inner.recipe))
        } else {
            inner.recipe
        };
        return Some(Outcome { recipe, ..inner });
    }
    walk.set_role(inner, Role::Write);
    Some(Outcome::recipe(inner.recipe))
}

/// The text says the type: `(T)x`, `x as T`, `new T[3]`.
pub(super) fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.kind == "cast_expression" && is_accessed(walk) {
        return Some(walk.outcome(frame, "value"));
    }
    let ty = if frame.kind == "as_expression" {
        walk.outcome(frame, "right").ty
    } else {
        walk.outcome(frame, "type").ty
    };
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
    let arms: Vec<RecipeId> = walk
        .children_of_kind(frame, "switch_expression_arm")
        .map(|arm| arm.outcome.recipe)
        .filter(|recipe| recipe.is_known())
        .take(MAX_ARMS)
        .collect();
    let mut arms = arms.into_iter().rev();
    let mut recipe = arms.next()?;
    for arm in arms {
        if arm != recipe {
            recipe = walk.recipe(Recipe::Either(arm, recipe));
        }
    }
    Some(Outcome::recipe(recipe))
}

pub(super) fn switch_arm(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame);
    match children {
        [_, .., value] if value.kind != "when_clause" => {
            Some(Outcome::recipe(value.outcome.recipe))
        }
        _ => None,
    }
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
    let last = walk
        .children(frame)
        .iter()
        .rev()
        .find(|child| matches!(child.kind, "select_clause" | "group_clause"))
        .copied();
    let (true, Some(last)) = (source.is_known(), last) else {
        return None;
    };
    walk.lambda_return(scope, last.outcome.recipe);
    let function = walk.lambda(scope);
    let method = walk.name(if last.kind == "group_clause" {
        "GroupBy"
    } else {
        "Select"
    });
    let method = walk.recipe(Recipe::Member(source, method));
    let arguments = walk.list(&[function]);
    walk.value_of(Recipe::Call(method, arguments))
}

pub(super) fn from_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let source = walk
        .children(frame)
        .iter()
        .rev()
        .find(|child| child.field.is_empty())
        .map_or(RecipeId::UNKNOWN, |child| child.outcome.recipe);
    if let Some(name) = walk.child(frame, "name") {
        let ty = walk.outcome(frame, "type").ty;
        let word = walk.name_at(name.span);
        let binding = walk.bind(BindingKind::Loop, word, name.span);
        let pattern = walk.pattern(Pattern::Name(binding));
        let element = if source.is_known() {
            walk.recipe(Recipe::Element(source))
        } else {
            source
        };
        walk.bind_pattern(pattern, element, ty, frame.span.end);
    }
    Some(Outcome::recipe(source))
}

/// `join x in xs on a equals b into g`.
pub(super) fn join_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children: Vec<Child> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field != "type")
        .copied()
        .collect();
    let [name, source, ..] = children.as_slice() else {
        return None;
    };
    let ty = walk.outcome(frame, "type").ty;
    let source = source.outcome.recipe;
    if let Some(pattern) = name.outcome.pattern {
        let element = if source.is_known() {
            walk.recipe(Recipe::Element(source))
        } else {
            source
        };
        walk.bind_pattern(pattern, element, ty, name.span.end);
    }
    if let Some(pattern) = walk.outcome_of_kind(frame, "join_into_clause").pattern {
        walk.bind_pattern(pattern, source, TypeId::UNKNOWN, frame.span.end);
    }
    None
}

pub(super) fn let_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame);
    let [name, value, ..] = children else {
        return None;
    };
    let (name, value) = (name.outcome, value.outcome);
    if let Some(pattern) = name.pattern {
        walk.bind_pattern(pattern, value.recipe, TypeId::UNKNOWN, frame.span.end);
    }
    None
}
