//! What rules cannot say about Ruby's expressions.

use crate::prelude::*;

use super::macros;

/// A local is read; any other bare word calls a method.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.name_at(frame.span);
    match frame.context {
        Context::Name | Context::Label => return shared::identifier(walk, frame),
        // `x += 1` and `x ||= 1` of a local that there is.
        Context::Bind(BindingKind::Assignment)
            if walk.parent_is(&["operator_assignment"]) && is_local(walk, name) => {}
        Context::Bind(_) => return shared::identifier(walk, frame),
        _ => {}
    }
    if is_local(walk, name) || bind_implicit(walk, frame, name) {
        return shared::identifier(walk, &frame.in_context(Context::Value));
    }
    let receiver = own_class(walk, frame.span);
    let callee = match receiver {
        Some(receiver) => walk.recipe(Recipe::Member(receiver, name)),
        None => walk.recipe(Recipe::Name(name)),
    };
    let reference = walk.reference(frame.span, Role::Call, receiver);
    let call = walk.plain_call(callee);
    walk.reference_mut(reference).call = Some(call);
    let recipe = macros::described(walk, frame).unwrap_or(call);
    Some(Outcome::named(recipe, reference))
}

/// A bare `new` in a method of the class itself makes an object of the class.
fn own_class(walk: &mut Walk<'_>, span: Span) -> Option<RecipeId> {
    let of_class = walk.source(span) == "new" && is_class_itself(walk);
    of_class.then(|| walk.recipe(Recipe::SelfType))
}

/// Whether `self` is the class around: in its body, and in methods of the class itself.
fn is_class_itself(walk: &Walk<'_>) -> bool {
    walk.current_symbol().is_some_and(|symbol| {
        let symbol = walk.symbol(symbol);
        symbol.kind.is_type() || symbol.modifiers.contains(Modifiers::CLASS_METHOD)
    })
}

/// Whether a name is bound in this method, or in a block of it that is open.
pub(super) fn is_local(walk: &Walk<'_>, name: NameId) -> bool {
    // More than a method binds; a bound on generated code.
    const MAX_NAMES: usize = 1_000;
    use ScopeKind::{Block, Branch, Lambda};
    let mut outermost = walk.scope();
    while matches!(walk.scope_of(outermost).kind, Lambda | Block | Branch) {
        outermost = walk.scope_of(outermost).parent;
    }
    let start = walk.scope_of(outermost).span.start;
    let recent = walk.facts().bindings.iter().rev().take(MAX_NAMES);
    let mut nearby = recent.take_while(|binding| binding.name_span.start >= start);
    nearby.any(|binding| {
        if binding.name != name {
            return false;
        }
        // Branches do not hide; blocks end with their end.
        let bound_in = outside_branches(walk, binding.scope);
        let mut scope = walk.scope();
        while scope != bound_in && scope != outermost {
            scope = walk.scope_of(scope).parent;
        }
        scope == bound_in
    })
}

/// A scope, or the nearest one around it that is no branch.
fn outside_branches(walk: &Walk<'_>, mut scope: ScopeId) -> ScopeId {
    while walk.scope_of(scope).kind == ScopeKind::Branch {
        scope = walk.scope_of(scope).parent;
    }
    scope
}

/// `it` and `_1` in a block that names no parameters.
fn bind_implicit(walk: &mut Walk<'_>, frame: &Frame, name: NameId) -> bool {
    let index = match walk.source(frame.span) {
        "it" | "_1" => 0,
        "_2" => 1,
        _ => return false,
    };
    let scope = outside_branches(walk, walk.scope());
    if walk.scope_of(scope).kind != ScopeKind::Lambda || frame.context != Context::Value {
        return false;
    }
    let from = walk.scope_of(scope).span.start;
    let binding = walk.new_binding(BindingKind::Parameter, name, frame.span);
    (binding.scope, binding.from, binding.parameter) = (scope, from, Some(index));
    true
}

/// `Foo`; in a pattern, what it matches is a `Foo`.
pub(super) fn constant(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.name_at(frame.span);
    match frame.context {
        Context::Name => return None,
        Context::Label => return shared::identifier(walk, frame),
        // The assignment around has defined it.
        Context::Bind(BindingKind::Assignment) => {
            let recipe = walk.recipe(Recipe::Name(name));
            if walk.parent().is_some_and(|parent| parent.symbol.is_some()) {
                return Some(Outcome::recipe(recipe));
            }
            let reference = walk.reference(frame.span, Role::Write, None);
            return Some(Outcome::named(recipe, reference));
        }
        _ => {}
    }
    let role = match frame.context {
        Context::Bind(_) => Role::TypeUse,
        _ => Role::Read,
    };
    let reference = walk.reference(frame.span, role, None);
    let recipe = walk.recipe(Recipe::Name(name));
    let outcome = Outcome::named_type(recipe, walk.ty(TypeRecipe::Name(name)), reference);
    macros::mix_in(walk, outcome);
    Some(outcome)
}

/// `A::B`; `::A` is taken for `A`. As the name of a class it gives the type that holds the class.
pub(super) fn scope_resolution(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let scope = walk.outcome(frame, "scope");
    if walk.child(frame, "scope").is_none() {
        let mut bare = frame.clone();
        bare.span = name.span;
        return constant(walk, &bare);
    }
    if frame.context == Context::Name {
        return Some(Outcome::ty(as_type(walk, scope.recipe)));
    }
    let role = match frame.context {
        Context::Bind(BindingKind::Assignment) => Role::Write,
        Context::Bind(_) => Role::TypeUse,
        _ => Role::Read,
    };
    let word = walk.name_at(name.span);
    let reference = walk.reference(name.span, role, Some(scope.recipe));
    let recipe = walk.recipe(Recipe::Scoped(scope.recipe, word));
    let ty = walk.wrapped_type(scope.ty, |ty| TypeRecipe::Scoped(ty, word));
    let outcome = Outcome::named_type(recipe, ty, reference);
    macros::mix_in(walk, outcome);
    Some(outcome)
}

/// An expression read as a type: `A`, `A::B`, `Struct.new(:x)`, `Migration[7.0]`.
pub(super) fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    match walk.recipe_of(recipe) {
        Recipe::Name(name) if walk.builder.word(name).starts_with(char::is_uppercase) => {
            walk.ty(TypeRecipe::Name(name))
        }
        Recipe::Scoped(outer, name) => {
            let outer = as_type(walk, outer);
            walk.ty(TypeRecipe::Scoped(outer, name))
        }
        Recipe::Index(inner, _) => as_type(walk, inner),
        Recipe::Call(callee, _) => match walk.recipe_of(callee) {
            Recipe::Member(receiver, _) => as_type(walk, receiver),
            _ => TypeId::UNKNOWN,
        },
        _ => TypeId::UNKNOWN,
    }
}

/// `@x`, `@@x` are members of the object; `$x` is everybody's. A write holds its value until
/// `finish` has seen it.
pub(super) fn variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if matches!(frame.context, Context::Name | Context::Label) {
        return shared::identifier(walk, &frame.in_context(Context::Label));
    }
    let name = walk.name_at(frame.span);
    let is_global = frame.kind == "global_variable";
    let receiver = (!is_global).then(|| walk.recipe(Recipe::SelfValue));
    let is_write = matches!(frame.context, Context::Bind(_));
    let role = if is_write { Role::Write } else { Role::Read };
    let reference = walk.reference(frame.span, role, receiver);
    if is_write {
        walk.reference_mut(reference).call = Some(RecipeId::UNKNOWN);
    }
    let recipe = match receiver {
        Some(receiver) => Recipe::Member(receiver, name),
        None => Recipe::Name(name),
    };
    Some(Outcome::named(walk.recipe(recipe), reference))
}

/// `name:` in a hash or among arguments; its pair deals with it.
pub(super) fn key(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.name_at(frame.span);
    walk.value_of(Recipe::Str(name))
}

/// In the methods of a class itself, and in its body, `self` is the class.
pub(super) fn self_value(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    if is_class_itself(walk) {
        let recipe = walk.recipe(Recipe::SelfType);
        return Some(Outcome::recipe(recipe).with_ty(walk.ty(TypeRecipe::SelfType)));
    }
    walk.value_of(Recipe::SelfValue)
}

/// `super` without arguments hands on those of the method.
pub(super) fn bare_super(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return None;
    }
    Some(super_call(walk, frame.span, ListRange::default()))
}

/// A call of the method around as the superclass has it.
fn super_call(walk: &mut Walk<'_>, span: Span, arguments: ListRange) -> Outcome {
    let mut outer = walk.ancestors();
    let method = outer.find(|outer| matches!(outer.kind, "method" | "singleton_method"));
    let name = method.and_then(|method| walk.child(method, "name"));
    let name = walk.name_at(name.map_or(span, |name| name.span));
    let receiver = walk.recipe(Recipe::Super);
    let callee = walk.recipe(Recipe::Member(receiver, name));
    let reference = walk.reference_named(name, span, Role::Call, Some(receiver));
    shared::call_of(walk, Outcome::named(callee, reference), arguments)
}

/// The children that are part of the expression: a heredoc's text may be anywhere.
fn parts(walk: &Walk<'_>, frame: &Frame) -> Vec<Child> {
    walk.filter(frame, |child| {
        !matches!(child.kind, "heredoc_body" | "empty_statement")
    })
}

/// Statements: the value is that of the last.
pub(super) fn body(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const NO_VALUE: [&str; 5] = [
        "heredoc_body",
        "empty_statement",
        "rescue",
        "ensure",
        "else",
    ];
    let last = walk.rfind(frame, |child| !NO_VALUE.contains(&child.kind))?;
    Some(last.outcome.with_reference(None).with_pattern(None))
}

/// `if`, `elsif` and `a ? b : c`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    let [a, b] = walk.values(frame, ["consequence", "alternative"]);
    Some(either(walk, a, b))
}

fn either(walk: &mut Walk<'_>, a: RecipeId, b: RecipeId) -> Outcome {
    match (a.is_known(), b.is_known()) {
        (true, true) if a != b => Outcome::recipe(walk.recipe(Recipe::Either(a, b))),
        (true, _) => Outcome::recipe(a),
        _ => Outcome::recipe(b),
    }
}

/// `x if y`.
pub(super) fn modifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// `x rescue y`.
pub(super) fn rescue_modifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [a, b] = walk.values(frame, ["body", "handler"]);
    Some(either(walk, a, b))
}

pub(super) fn for_loop(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (target, value) = (walk.child(frame, "pattern")?, walk.child(frame, "value")?);
    if let Some(pattern) = target.outcome.pattern {
        let over = value.outcome.recipe;
        let element = walk.wrapped(over, Recipe::Element);
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, value.span.end);
    }
    None
}

/// The classes that are rescued, as a union.
pub(super) fn exceptions(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut types = Vec::new();
    for child in parts(walk, frame) {
        walk.set_role(child.outcome, Role::TypeUse);
        types.push(as_type(walk, child.outcome.recipe));
    }
    types.retain(|ty| ty.is_known());
    Some(Outcome::ty(walk.union(&types)))
}

pub(super) fn rescue(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "exceptions").ty;
    if let Some(variable) = walk.child(frame, "variable")
        && let Some(pattern) = variable.outcome.pattern
    {
        if !ty.is_known() {
            let standard = walk.name("StandardError");
            ty = walk.ty(TypeRecipe::Name(standard));
        }
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, ty, variable.span.end);
    }
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// `return a, b` ends the method, also from within a block.
pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = returned_value(walk, frame);
    let mut scope = walk.scope();
    loop {
        let found = walk.scope_of(scope);
        match (found.kind, found.owner) {
            (ScopeKind::Function, Some(owner)) => {
                walk.value(owner, value, frame.span.end);
                break;
            }
            (ScopeKind::File | ScopeKind::Type | ScopeKind::Namespace, _) => break,
            _ => scope = found.parent,
        }
    }
    None
}

/// `next x` gives a block its value.
pub(super) fn next(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = returned_value(walk, frame);
    let scope = outside_branches(walk, walk.scope());
    if frame.kind == "next" && walk.scope_of(scope).kind == ScopeKind::Lambda {
        walk.lambda_return(scope, value);
    }
    None
}

fn returned_value(walk: &mut Walk<'_>, frame: &Frame) -> RecipeId {
    let list = walk.outcome_of_kind(frame, "argument_list").list;
    match walk.list_of(list) {
        [] => RecipeId::UNKNOWN,
        [only] => *only,
        _ => walk.recipe(Recipe::Tuple(list)),
    }
}

/// One of the branches.
pub(super) fn case(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_BRANCHES: usize = 4;
    let branches = walk.filter(frame, |child| {
        matches!(child.kind, "when" | "in_clause" | "else")
    });
    let values = branches.iter().map(|child| child.outcome.recipe);
    let known = values.filter(|value| value.is_known()).take(MAX_BRANCHES);
    let value = known.reduce(|a, b| either(walk, a, b).recipe);
    value.map(Outcome::recipe)
}

/// `when A, B` narrows the local that the `case` is about.
pub(super) fn when(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let case = walk
        .parent()
        .and_then(|parent| walk.children(parent).first());
    let value = case.filter(|child| child.field == "value").outcome().recipe;
    let patterns = walk.filter(frame, |child| child.field == "pattern");
    if let Recipe::Name(name) = walk.recipe_of(value) {
        let values = patterns.iter().map(|pattern| pattern.outcome.recipe);
        let types: Vec<TypeId> = values.map(|value| as_type(walk, value)).collect();
        if let Some(first) = patterns
            .first()
            .filter(|_| types.iter().all(|ty| ty.is_known()))
        {
            let ty = walk.union(&types);
            let binding = walk.new_binding(BindingKind::Narrowing, name, first.span);
            (binding.from, binding.ty) = (frame.span.start, ty);
        }
    }
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// Names on the left of `=`, by position.
pub(super) fn targets(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut patterns = Vec::new();
    for child in parts(walk, frame) {
        let nothing = || walk.pattern(Pattern::Tuple(Vec::new()));
        patterns.push(child.outcome.pattern.unwrap_or_else(nothing));
    }
    Some(Outcome::pattern(walk.pattern(Pattern::Tuple(patterns))))
}

pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left");
    let right = walk.outcome(frame, "right").recipe;
    walk.bind_pattern(left.pattern, right, TypeId::UNKNOWN, frame.span.end);
    written(walk, frame, left, right);
    Some(Outcome::recipe(right))
}

/// `x ||= y`, `x += y`.
pub(super) fn operator_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let target = walk.child(frame, "left")?;
    let right = walk.outcome(frame, "right").recipe;
    let left = target.outcome;
    let operator = walk.source(Span::new(target.span.end, frame.span.end));
    let value = match operator.trim_start().get(..3) {
        Some("||=" | "&&=") => right,
        _ => RecipeId::UNKNOWN,
    };
    walk.bind_pattern(left.pattern, right, TypeId::UNKNOWN, frame.span.end);
    walk.set_role(left, Role::Write);
    written(walk, frame, left, value);
    if left.pattern.is_some() {
        return Some(Outcome::recipe(right));
    }
    Some(either(walk, left.recipe, value))
}

/// Tells a constant, field or global what it is given.
fn written(walk: &mut Walk<'_>, frame: &Frame, left: Outcome, value: RecipeId) {
    if let Some(symbol) = frame.symbol {
        let scope = frame.scope.unwrap_or(walk.scope());
        return match walk.symbol(symbol).kind {
            SymbolKind::Constant => walk.value_in(symbol, value, scope, frame.span.end),
            _ => made_from(walk, symbol, value),
        };
    }
    let Some(reference) = left.reference else {
        return;
    };
    let span = walk.reference_mut(reference).span;
    let is_literal = matches!(walk.recipe_of(value), Recipe::Str(_) | Recipe::Literal(_));
    if is_literal || walk.source(span).starts_with(['@', '$']) {
        walk.reference_mut(reference).call = Some(value);
    }
}

/// `Struct.new(...)` makes a struct, `Class.new(A)` a class that extends `A`.
fn made_from(walk: &mut Walk<'_>, symbol: SymbolIndex, value: RecipeId) {
    let mut ty = as_type(walk, value);
    if let Recipe::Call(callee, arguments) = walk.recipe_of(value)
        && let Recipe::Member(class, _) = walk.recipe_of(callee)
        && let Recipe::Name(class) = walk.recipe_of(class)
        && matches!(walk.builder.word(class), "Class" | "Module")
    {
        let base = walk.list_of(arguments).first().copied().unwrap_or_default();
        ty = as_type(walk, base);
    }
    if ty.is_known() {
        walk.supertype(symbol, ty, Inherit::Extends);
    }
}

/// A call with its receiver, arguments and block.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let receiver = walk.child(frame, "receiver");
    let arguments = call_arguments(walk, frame);
    let Some(method) = walk.child(frame, "method") else {
        // `f.(x)`
        let callee = receiver.outcome().with_reference(None);
        return Some(shared::call_of(walk, callee, arguments));
    };
    if method.kind == "super" {
        return Some(super_call(walk, method.span, arguments));
    }
    let word = walk.source(method.span);
    if let Context::Bind(_) = frame.context {
        return Some(setter(walk, receiver, method.span));
    }
    let Some(receiver) = receiver else {
        return Some(bare_call(walk, frame, method, word, arguments));
    };
    let of = receiver.outcome;
    let is_class = matches!(receiver.kind, "constant" | "scope_resolution");
    let name = walk.name_at(method.span);
    let reference = walk.reference(method.span, Role::Call, Some(of.recipe));
    let callee = walk.recipe(Recipe::Member(of.recipe, name));
    let outcome = shared::call_of(walk, Outcome::named(callee, reference), arguments);
    if word == "new" && is_class {
        walk.set_role(of, Role::Instantiate);
    }
    if word == "class" && receiver.kind == "self" {
        return Some(outcome.with_recipe(walk.recipe(Recipe::SelfType)));
    }
    if matches!(word, "is_a?" | "kind_of?" | "instance_of?")
        && let Recipe::Name(local) = walk.recipe_of(of.recipe)
        && let [class] = *walk.list_of(arguments)
    {
        let ty = as_type(walk, class);
        if ty.is_known() {
            walk.narrow(local, frame.span, ty);
        }
    }
    Some(outcome)
}

fn bare_call(
    walk: &mut Walk<'_>,
    frame: &Frame,
    method: Child,
    word: &str,
    arguments: ListRange,
) -> Outcome {
    if matches!(word, "require" | "require_relative" | "load" | "autoload") {
        macros::import(walk, frame, word);
    }
    let name = walk.name_at(method.span);
    let receiver = own_class(walk, method.span);
    let reference = walk.reference(method.span, Role::Call, receiver);
    let callee = match receiver {
        Some(receiver) => walk.recipe(Recipe::Member(receiver, name)),
        None => walk.recipe(Recipe::Name(name)),
    };
    let outcome = shared::call_of(walk, Outcome::named(callee, reference), arguments);
    if matches!(word, "raise" | "fail")
        && let Some(given) = walk.child(frame, "arguments")
        && let Some(&thrown) = walk.list_of(given.outcome.list).first()
    {
        walk.thrown(thrown, given.span);
    }
    macros::block_gives(walk, frame, method, word);
    if matches!(word, "lambda" | "proc")
        && let Some(block) = walk.child(frame, "block")
    {
        return Outcome::recipe(block.outcome.recipe);
    }
    outcome
}

/// `a.b = c` calls `b=`.
fn setter(walk: &mut Walk<'_>, receiver: Option<Child>, method: Span) -> Outcome {
    let receiver = receiver.outcome().recipe;
    let getter = walk.name_at(method);
    let getter = walk.recipe(Recipe::Member(receiver, getter));
    let read = walk.plain_call(getter);
    if walk.parent_is(&["operator_assignment"]) {
        let reference = walk.reference(method, Role::Call, Some(receiver));
        walk.reference_mut(reference).call = Some(read);
    }
    let name = walk.name(format!("{}=", walk.source(method)));
    let reference = walk.reference_named(name, method, Role::Write, Some(receiver));
    Outcome::named(read, reference)
}

/// The arguments, the block last.
fn call_arguments(walk: &mut Walk<'_>, frame: &Frame) -> ListRange {
    let arguments = walk.outcome(frame, "arguments").list;
    let Some(block) = walk.child(frame, "block") else {
        return arguments;
    };
    let mut items = walk.list_of(arguments).to_vec();
    items.push(block.outcome.recipe);
    walk.list(&items)
}

pub(super) fn arguments(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let items = parts(walk, frame);
    let items: Vec<RecipeId> = items.iter().map(|child| child.outcome.recipe).collect();
    Some(Outcome::list(walk.list(&items)))
}

pub(super) fn splat(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame).recipe;
    walk.value_of(Recipe::Spread(inner))
}

/// `&block`, `&:name`, `&method(:name)`.
pub(super) fn block_argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.children(frame).first().copied()?;
    if inner.kind == "simple_symbol" {
        let name = Span::new(inner.span.start + 1, inner.span.end);
        return Some(macros::symbol_to_proc(walk, frame, name));
    }
    Some(Outcome::recipe(inner.outcome.recipe))
}

/// `key: value`, `key => value`, and `key:` which reads `key`.
pub(super) fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let key = walk.child(frame, "key")?;
    let value = match walk.child(frame, "value") {
        Some(value) => {
            if key.kind == "hash_key_symbol" {
                walk.label(key.span);
            }
            value.outcome.recipe
        }
        None if key.kind == "hash_key_symbol" => {
            let mut read = frame.in_context(Context::Value);
            read.span = key.span;
            identifier(walk, &read).unwrap_or_default().recipe
        }
        None => RecipeId::UNKNOWN,
    };
    Some(shared::entry(walk, key.outcome.recipe, value))
}

/// A block is a function handed to its call; the block of a lambda is the lambda itself.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    if !walk.ancestor_is(1, &["lambda"]) {
        frame.scope = Some(walk.new_scope(ScopeKind::Lambda, frame.span, None));
    }
}

pub(super) fn block(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "body").recipe;
    match frame.scope {
        Some(scope) => Some(function(walk, scope, value)),
        None => Some(Outcome::recipe(value)),
    }
}

pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "body").recipe;
    frame.scope.map(|scope| function(walk, scope, value))
}

fn function(walk: &mut Walk<'_>, scope: ScopeId, value: RecipeId) -> Outcome {
    walk.lambda_return(scope, value);
    Outcome::recipe(walk.lambda(scope))
}

/// `a[i]`.
pub(super) fn element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let object = walk.outcome(frame, "object").recipe;
    let index = walk.find(frame, |child| {
        child.field.is_empty() && child.kind != "heredoc_body"
    });
    let index = index.outcome().recipe;
    walk.value_of(Recipe::Index(object, index))
}

/// Larger literals are data; their elements tell nothing more.
const MAX_ELEMENTS: usize = 200;

fn elements(walk: &mut Walk<'_>, frame: &Frame) -> ListRange {
    let items = parts(walk, frame);
    let items = items
        .iter()
        .take(MAX_ELEMENTS)
        .map(|child| child.outcome.recipe);
    walk.list(&items.collect::<Vec<_>>())
}

pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let items = elements(walk, frame);
    walk.value_of(Recipe::List(items))
}

pub(super) fn hash(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let items = elements(walk, frame);
    walk.value_of(Recipe::Object(items))
}

/// Longer lists of words are data.
const MAX_WORDS: usize = 64;

/// `%w[a b]`, `%i[a b]`.
pub(super) fn word_array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.string_trivia(frame.span);
    let source = walk.source(frame.span);
    // `%w`, one delimiter, the words, the other delimiter.
    let (start, end) = (3.min(source.len()), source.len().saturating_sub(1));
    let inner = source.get(start..end.max(start)).unwrap_or("");
    let is_plain = !inner.contains("#{");
    let mut words = Vec::new();
    for word in inner.split_whitespace().take(MAX_WORDS) {
        let name = walk.name(word);
        words.push(walk.recipe(if is_plain {
            Recipe::Str(name)
        } else {
            Recipe::Literal(LiteralKind::String)
        }));
    }
    Some(Outcome::recipe(walk.recipe_from(Recipe::List, &words)))
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let (a, b) = (left.outcome.recipe, right.outcome.recipe);
    let operator = walk.between(left.span, right.span).trim();
    let recipe = match operator {
        "||" | "or" => {
            walk.take_narrowings();
            return Some(either(walk, a, b));
        }
        "&&" | "and" => return Some(Outcome::recipe(b)),
        "===" => {
            // `Cart === x`
            let ty = as_type(walk, a);
            if let Recipe::Name(local) = walk.recipe_of(b)
                && ty.is_known()
            {
                walk.narrow(local, frame.span, ty);
            }
            Recipe::Literal(LiteralKind::Boolean)
        }
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" | "!~" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        // Appending gives what is appended to.
        "<<" => return Some(Outcome::recipe(a)),
        _ => Recipe::Operation(a, b),
    };
    walk.value_of(recipe)
}

pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    if text.starts_with(['!', 'n', 'd']) {
        walk.take_narrowings();
        return walk.value_of(Recipe::Literal(LiteralKind::Boolean));
    }
    Some(Outcome::recipe(walk.outcome(frame, "operand").recipe))
}

/// `a..b` is a range of what it starts with.
pub(super) fn range(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [begin, end] = walk.values(frame, ["begin", "end"]);
    let list = walk.list(&[if begin.is_known() { begin } else { end }]);
    let range = walk.type_named("Range");
    walk.value_of(Recipe::New(range, list))
}

/// A string or quoted symbol; with values inside it is a template.
pub(super) fn string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.child_of_kind(frame, "interpolation").is_some() {
        walk.string_trivia(frame.span);
        return walk.value_of(Recipe::Literal(LiteralKind::Template));
    }
    if walk.source(frame.span).starts_with(['"', '\'', ':']) {
        return shared::string(walk, frame);
    }
    walk.string_trivia(frame.span);
    walk.value_of(Recipe::Literal(LiteralKind::String))
}

pub(super) fn heredoc_beginning(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.value_of(Recipe::Literal(LiteralKind::String))
}

pub(super) fn regex(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.string_trivia(frame.span);
    shared::regex(walk, frame)
}
