//! Expressions and blocks of Rust.

use crate::prelude::*;

use super::{expansion, macros, types};

/// A block opens a scope unless the node around it has opened one for it.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    if frame.scope.is_some() {
        return;
    }
    let Some(parent) = walk.ancestors().nth(1) else {
        return;
    };
    let kind = match parent.kind {
        "function_item" | "closure_expression" | "for_expression" | "else_clause" | "match_arm" => {
            return;
        }
        "if_expression" | "while_expression" if parent.scope.is_some() => return,
        "if_expression" | "while_expression" | "loop_expression" | "let_declaration" => {
            ScopeKind::Branch
        }
        _ => ScopeKind::Block,
    };
    frame.scope = Some(walk.new_scope(kind, frame.span, None));
}

/// The value of a block is that of its last expression.
pub(super) fn block(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let last = walk.children(frame).last()?.outcome.recipe;
    // What a function or closure returns is read inside it.
    if walk.parent_is(&["function_item", "closure_expression"]) {
        return Some(Outcome::recipe(last));
    }
    let scope = walk.scope();
    Some(Outcome::recipe(seen_from_outside(walk, last, scope)))
}

/// The value of a scope, with the names that are bound in it replaced by what they are bound to.
fn seen_from_outside(walk: &mut Walk<'_>, value: RecipeId, scope: ScopeId) -> RecipeId {
    // A value is mostly a name or a short chain of calls.
    const MAX_STEPS: u32 = 32;
    let mut steps = MAX_STEPS;
    replaced(walk, value, scope, &mut steps)
}

/// Recurses at most `steps` times.
fn replaced(walk: &mut Walk<'_>, value: RecipeId, scope: ScopeId, steps: &mut u32) -> RecipeId {
    if !value.is_known() {
        return value;
    }
    let Some(left) = steps.checked_sub(1) else {
        return RecipeId::UNKNOWN;
    };
    *steps = left;
    let new = match walk.recipe_of(value) {
        Recipe::Name(name) => return bound_to(walk, name, value, scope),
        Recipe::Member(object, name) => Recipe::Member(replaced(walk, object, scope, steps), name),
        Recipe::Call(callee, arguments) => {
            let callee = replaced(walk, callee, scope, steps);
            Recipe::Call(callee, replaced_list(walk, arguments, scope, steps))
        }
        Recipe::New(ty, arguments) => Recipe::New(ty, replaced_list(walk, arguments, scope, steps)),
        Recipe::Tuple(items) => Recipe::Tuple(replaced_list(walk, items, scope, steps)),
        Recipe::List(items) => Recipe::List(replaced_list(walk, items, scope, steps)),
        Recipe::Field(name, value) => Recipe::Field(name, replaced(walk, value, scope, steps)),
        Recipe::Index(object, index) => Recipe::Index(replaced(walk, object, scope, steps), index),
        Recipe::Element(of) => Recipe::Element(replaced(walk, of, scope, steps)),
        Recipe::Await(of) => Recipe::Await(replaced(walk, of, scope, steps)),
        Recipe::Try(of) => Recipe::Try(replaced(walk, of, scope, steps)),
        Recipe::Deref(of) => Recipe::Deref(replaced(walk, of, scope, steps)),
        Recipe::Reference(of) => Recipe::Reference(replaced(walk, of, scope, steps)),
        Recipe::Part(of, place) => Recipe::Part(replaced(walk, of, scope, steps), place),
        Recipe::TypeArguments(of, types) => {
            Recipe::TypeArguments(replaced(walk, of, scope, steps), types)
        }
        Recipe::Either(a, b) => {
            let a = replaced(walk, a, scope, steps);
            Recipe::Either(a, replaced(walk, b, scope, steps))
        }
        Recipe::Operation(a, b) => {
            let a = replaced(walk, a, scope, steps);
            Recipe::Operation(a, replaced(walk, b, scope, steps))
        }
        _ => return value,
    };
    walk.recipe(new)
}

fn replaced_list(
    walk: &mut Walk<'_>,
    list: ListRange,
    scope: ScopeId,
    steps: &mut u32,
) -> ListRange {
    let mut items = walk.list_of(list).to_vec();
    for item in &mut items {
        *item = replaced(walk, *item, scope, steps);
    }
    walk.list(&items)
}

/// What a name is bound to, if it is bound in this very scope; else the name itself.
fn bound_to(walk: &mut Walk<'_>, name: NameId, otherwise: RecipeId, scope: ScopeId) -> RecipeId {
    const MAX_LOOK_BACK: usize = 256;
    let start = walk.scope_of(scope).span.start;
    let bindings = walk.facts().bindings.iter().rev().take(MAX_LOOK_BACK);
    let mut nearby = bindings.take_while(|binding| binding.name_span.start >= start);
    let binding = nearby.find(|binding| binding.name == name && binding.scope == scope);
    match binding.map(|binding| (binding.ty, binding.value)) {
        Some((ty, _)) if ty.is_known() => types::cast(walk, ty),
        Some((_, value)) => value,
        None => otherwise,
    }
}

pub(super) fn expression_statement(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span).ends_with(';') {
        return None;
    }
    shared::first_child(walk, frame)
}

/// The value of a node around a block or expression.
pub(super) fn last_child(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::recipe(walk.last(frame).recipe))
}

fn either(walk: &mut Walk<'_>, a: RecipeId, b: RecipeId) -> RecipeId {
    match (a.is_known(), b.is_known()) {
        (true, true) if a != b => walk.recipe(Recipe::Either(a, b)),
        (true, _) => a,
        _ => b,
    }
}

pub(super) fn if_expression(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [a, b] = walk.values(frame, ["consequence", "alternative"]);
    walk.child(frame, "alternative")?;
    Some(Outcome::recipe(either(walk, a, b)))
}

/// The values of the first few arms.
pub(super) fn match_block(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_ARMS: usize = 4;
    let mut values: Vec<RecipeId> = Vec::new();
    for child in walk.children(frame) {
        let value = child.outcome.recipe;
        if value.is_known() && values.len() < MAX_ARMS && !values.contains(&value) {
            values.push(value);
        }
    }
    let mut value = RecipeId::UNKNOWN;
    for arm in values {
        value = either(walk, value, arm);
    }
    Some(Outcome::recipe(value))
}

pub(super) fn match_arm(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, scope) = (walk.outcome(frame, "value").recipe, walk.scope());
    Some(Outcome::recipe(seen_from_outside(walk, value, scope)))
}

/// A call of a function, method, tuple struct or variant; or of a macro that the first parse read
/// as a function.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let callee = walk.child(frame, "function")?;
    let arguments = walk.child(frame, "arguments")?;
    let list = arguments.outcome.list;
    let is_macro = matches!(callee.kind, "identifier" | "scoped_identifier")
        && macros::bang_before(walk, callee.span, arguments.span);
    if !is_macro {
        return Some(shared::call_of(walk, callee.outcome, list));
    }
    macros::format_strings(walk, arguments.span, list);
    let reference = callee.outcome.reference;
    let name = reference.map_or(callee.span, |reference| walk.reference_mut(reference).span);
    let inner = Span::new(
        arguments.span.start + 1,
        (arguments.span.end - 1).max(arguments.span.start + 1),
    );
    for made in expansion::functions(walk, name, inner) {
        walk.forget_reference(made);
    }
    Some(macros::call(walk, callee.outcome, name, list))
}

pub(super) fn arguments(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let items = walk.filter(frame, |child| child.kind != "attribute_item");
    let items: Vec<RecipeId> = items.iter().map(|child| child.outcome.recipe).collect();
    Some(Outcome::list(walk.list(&items)))
}

/// `value.field`, `value.0`.
pub(super) fn field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, field) = (walk.outcome(frame, "value"), walk.child(frame, "field")?);
    if field.span.is_empty() {
        return Some(value);
    }
    if field.kind != "integer_literal" {
        return Some(shared::member_of(walk, frame.context, value, field.span));
    }
    let place: u16 = walk.source(field.span).parse().unwrap_or(0);
    let part = walk.wrapped(value.recipe, |value| Recipe::Part(value, place));
    Some(Outcome::recipe(part))
}

pub(super) fn index(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [value, index] = walk.child_array(frame)?.map(|child| child.outcome.recipe);
    walk.value_of(Recipe::Index(value, index))
}

/// `*x` is what it points to; `-x` and `!x` are of its own kind.
pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span).starts_with('*') {
        let written = walk.first(frame).reference;
        return Some(shared::dereferenced(walk, frame)?.with_reference(written));
    }
    Some(Outcome::recipe(walk.first(frame).recipe))
}

pub(super) fn reference(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "value").recipe;
    Some(Outcome::recipe(walk.wrapped(value, Recipe::Reference)))
}

/// Comparisons and logic are booleans, arithmetic is of its operands' kind.
pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let recipe = match walk.between(left.span, right.span).trim() {
        "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        _ => Recipe::Operation(left.outcome.recipe, right.outcome.recipe),
    };
    walk.value_of(recipe)
}

/// `x = value`; among the arguments of a macro, a named argument.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.child(frame, "left")?;
    let right = walk.outcome(frame, "right").recipe;
    if left.kind == "identifier" && walk.parent_is(&["arguments"]) {
        return Some(named_argument(walk, left, right));
    }
    walk.set_role(left.outcome, Role::Write);
    if let Recipe::Name(name) = walk.recipe_of(left.outcome.recipe) {
        initialise(walk, name, right);
    }
    None
}

fn named_argument(walk: &mut Walk<'_>, name: Child, value: RecipeId) -> Outcome {
    let references = &mut walk.facts_mut().references;
    let read = references
        .iter()
        .rposition(|reference| reference.span == name.span);
    if let Some(read) = read {
        references.remove(read);
    }
    walk.label(name.span);
    let name = walk.name_at(name.span);
    Outcome::recipe(walk.recipe(Recipe::Field(name, value)))
}

/// `let x; … x = value;`: the first assignment says what it is.
fn initialise(walk: &mut Walk<'_>, name: NameId, value: RecipeId) {
    const MAX_LOOK_BACK: usize = 64;
    let mut recent = walk
        .facts_mut()
        .bindings
        .iter_mut()
        .rev()
        .take(MAX_LOOK_BACK);
    if let Some(binding) = recent.find(|binding| binding.name == name)
        && binding.kind == BindingKind::Local
        && !binding.value.is_known()
        && !binding.ty.is_known()
    {
        binding.value = value;
    }
}

pub(super) fn compound_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.set_role(walk.outcome(frame, "left"), Role::Write);
    None
}

pub(super) fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    Some(Outcome::recipe(types::cast(walk, ty)))
}

pub(super) fn range(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ends = walk.recipes(frame);
    let ends = walk.list(&ends);
    let ty = walk.type_named("Range");
    walk.value_of(Recipe::New(ty, ends))
}

/// `[a, b]`, `[a; n]`.
pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let is_item = |child: &Child| child.field != "length" && child.kind != "attribute_item";
    let items = walk.filter(frame, is_item);
    let items: Vec<RecipeId> = items.iter().map(|child| child.outcome.recipe).collect();
    Some(Outcome::recipe(walk.recipe_from(Recipe::List, &items)))
}

pub(super) fn unit(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.value_of(Recipe::Tuple(ListRange::default()))
}

pub(super) fn structure(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "name");
    let fields = walk.outcome(frame, "body").list;
    Some(shared::new_of(walk, ty, fields))
}

/// `field: value` of a struct literal; the field is named through the type.
pub(super) fn field_value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let field = walk.child(frame, "field")?;
    let value = walk.outcome(frame, "value").recipe;
    Some(named_field(walk, field, value))
}

/// `Point { x }`: the field and the variable.
pub(super) fn shorthand_field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let field = walk.child_of_kind(frame, "identifier")?;
    Some(named_field(walk, field, field.outcome.recipe))
}

fn named_field(walk: &mut Walk<'_>, field: Child, value: RecipeId) -> Outcome {
    if field.kind != "integer_literal" {
        let literal = walk.ancestors().nth(1);
        let ty = literal.and_then(|literal| walk.children(literal).first());
        let receiver = types::cast(walk, ty.outcome().ty);
        walk.reference(field.span, Role::Write, Some(receiver));
    }
    let name = walk.name_at(field.span);
    Outcome::recipe(walk.recipe(Recipe::Field(name, value)))
}

pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame).recipe;
    let mut scope = walk.scope();
    // Functions declare what they return; closures mostly do not.
    use ScopeKind::{Block, Branch};
    while matches!(walk.scope_of(scope).kind, Block | Branch) {
        scope = walk.scope_of(scope).parent;
    }
    if walk.scope_of(scope).kind == ScopeKind::Lambda {
        walk.lambda_return(scope, value);
    }
    None
}

pub(super) fn closure(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let value = match types::cast(walk, walk.outcome(frame, "return_type").ty) {
        RecipeId::UNKNOWN => walk.outcome(frame, "body").recipe,
        declared => declared,
    };
    walk.lambda_return(scope, value);
    Some(Outcome::recipe(walk.lambda(scope)))
}
