//! What rules cannot say about Go's statements and expressions.

use crate::prelude::*;

use super::types;

/// An identifier; `_` names nothing, and where something is bound it represents a part that is
/// dropped.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span) != "_" || frame.context == Context::Bind(BindingKind::Parameter) {
        return shared::identifier(walk, frame);
    }
    walk.label(frame.span);
    match frame.context {
        Context::Bind(_) => Some(Outcome::pattern(walk.pattern(Pattern::Tuple(Vec::new())))),
        _ => None,
    }
}

/// A block that is by itself hides what is declared in it; the blocks of functions and branches
/// have their scope already.
pub(super) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    if frame.field.is_empty() {
        frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None));
    }
}

/// What the header of `if`, `for` or `switch` declares lives as long as the statement.
pub(super) fn enter_header(walk: &mut Walk<'_>, frame: &mut Frame) {
    // Headers are short; a longer one is taken to declare something, which costs only a scope.
    const MAX_HEADER: usize = 2_000;
    let bytes = walk.source(frame.span).as_bytes();
    let bytes = &bytes[..bytes.len().min(MAX_HEADER)];
    let declares = match memchr::memchr(b'{', bytes) {
        Some(brace) => bytes[..brace].windows(2).any(|pair| pair == b":="),
        None => true,
    };
    if declares {
        frame.scope = Some(walk.new_scope(ScopeKind::Block, frame.span, None));
    }
}

/// `k, v := range x` binds, `k, v = range x` assigns.
pub(super) fn enter_range(walk: &mut Walk<'_>, frame: &mut Frame) {
    frame.context = left_context(walk, frame, BindingKind::Loop);
}

/// `v, ok := <-c` binds, `v = <-c` assigns.
pub(super) fn enter_receive(walk: &mut Walk<'_>, frame: &mut Frame) {
    frame.context = left_context(walk, frame, BindingKind::Local);
}

fn left_context(walk: &Walk<'_>, frame: &Frame, kind: BindingKind) -> Context {
    let text = walk.source(frame.span);
    match text.find('=') {
        Some(sign) if text[..sign].ends_with(':') => Context::Bind(kind),
        _ => Context::Value,
    }
}

/// The key is part 0 of what ranging gives, the value what indexing gives (see `shapes.txt`).
pub(super) fn range(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.outcome(frame, "left").pattern?;
    let over = walk.outcome(frame, "right").recipe;
    let Pattern::Tuple(parts) = walk.pattern_of(pattern).clone() else {
        return None;
    };
    for (i, part) in parts.into_iter().enumerate() {
        let value = match i {
            _ if !over.is_known() => over,
            0 => {
                let element = walk.recipe(Recipe::Element(over));
                walk.recipe(Recipe::Part(element, 0))
            }
            _ => walk.recipe(Recipe::Index(over, RecipeId::UNKNOWN)),
        };
        walk.bind_pattern(part, value, TypeId::UNKNOWN, frame.span.end);
    }
    None
}

/// `a, b := f()`; names that the scope has already are assigned again.
pub(super) fn short_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.outcome(frame, "left").pattern?;
    let right = walk.child(frame, "right")?;
    let Pattern::Tuple(parts) = walk.pattern_of(pattern).clone() else {
        return None;
    };
    let values = match right.kind {
        "expression_list" => right.outcome.list,
        _ => walk.list(&[right.outcome.recipe]),
    };
    let values = paired(walk, values, parts.len());
    for (&part, &value) in parts.iter().zip(&values) {
        walk.bind_pattern(part, value, TypeId::UNKNOWN, frame.span.end);
        if parts.len() > 1 && frame.kind == "short_var_declaration" {
            mark_repeated(walk, part, parts.len());
        }
    }
    None
}

/// Of several names declared together, those that the scope has already are merely assigned.
fn mark_repeated(walk: &mut Walk<'_>, part: PatternId, n_parts: usize) {
    // Far more than the names of a function; a bound on generated code.
    const MAX_NAMES: usize = 300;
    let Pattern::Name(id) = *walk.pattern_of(part) else {
        return;
    };
    let binding = walk.binding(id);
    let (name, scope, start) = (binding.name, binding.scope, binding.name_span.start);
    let first = walk.scope_of(scope).span.start;
    let recent = walk.facts().bindings.iter().rev().take(MAX_NAMES + n_parts);
    let mut nearby = recent.take_while(|other| other.name_span.start >= first);
    let is_it = |other: &Binding| other.name == name && other.scope == scope;
    if nearby.any(|other| is_it(other) && other.name_span.start < start) {
        walk.binding_mut(id).kind = BindingKind::Assignment;
    }
}

/// The value for each of `n` names: one each, or the parts of a call; `v, ok` of an index,
/// assertion or receive is the value and a boolean.
pub(super) fn paired(walk: &mut Walk<'_>, values: ListRange, n: usize) -> Vec<RecipeId> {
    let values = walk.list_of(values).to_vec();
    match values.as_slice() {
        [] => vec![RecipeId::UNKNOWN; n],
        [only] if n == 1 => vec![*only],
        [only] if only.is_known() => match walk.recipe_of(*only) {
            Recipe::Call(..) => parts(walk, *only, n),
            _ if n == 2 => vec![*only, walk.recipe(Recipe::Literal(LiteralKind::Boolean))],
            _ => parts(walk, *only, n),
        },
        _ => {
            let mut values = values;
            values.resize(n, RecipeId::UNKNOWN);
            values
        }
    }
}

fn parts(walk: &mut Walk<'_>, value: RecipeId, n: usize) -> Vec<RecipeId> {
    let places = 0..n as u16;
    places
        .map(|i| walk.recipe(Recipe::Part(value, i)))
        .collect()
}

/// `x++`.
pub(super) fn step(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let target = walk.first(frame);
    walk.set_role(target, Role::Write);
    None
}

/// Results have declared types. A function that returns a string or a name at once keeps it: it is
/// a constant in the form of a method.
pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.siblings_before(frame).is_empty()
        && let [values] = walk.children(frame)
        && let recipe = values.outcome.recipe
        && matches!(walk.recipe_of(recipe), Recipe::Str(_) | Recipe::Name(_))
    {
        shared::returned(walk, recipe, frame.span.end);
    }
    None
}

/// Values, or names to bind, by position. On the left of an assignment they are written.
pub(super) fn expression_list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    if let Context::Bind(_) = frame.context {
        return shared::tuple_pattern(walk, frame);
    }
    if frame.field == "left" {
        for child in &children {
            walk.set_role(child.outcome, Role::Write);
        }
        return None;
    }
    if let [only] = children[..]
        && walk.parent_is(&["return_statement"])
    {
        return Some(only.outcome);
    }
    if !matches!(frame.field, "right" | "value") {
        return None;
    }
    shared::list(walk, frame)
}

/// `switch v := x.(type)`: the name is `x` unless a case says more.
pub(super) fn type_switch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (alias, value) = (walk.outcome(frame, "alias"), walk.child(frame, "value"));
    if let (Some(pattern), Some(value)) = (alias.pattern, value)
        && let Pattern::Tuple(parts) = walk.pattern_of(pattern).clone()
    {
        for part in parts {
            walk.bind_pattern(part, value.outcome.recipe, TypeId::UNKNOWN, value.span.end);
        }
    }
    None
}

/// A case with one type narrows the name of its type switch.
pub(super) fn type_case(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [only] = *walk.filter(frame, |child| child.field == "type") else {
        return None;
    };
    let ty = only.outcome.ty;
    let narrows = ty.is_known() && walk.source(only.span) != "nil";
    // The name is before the cases, perhaps after an initialiser.
    let mut header = walk.children(walk.parent()?).iter().take(2);
    let alias = header.find(|child| child.field == "alias");
    if let Some(pattern) = alias.outcome().pattern.filter(|_| narrows) {
        for id in walk.bindings_in(pattern) {
            let (name, span) = (walk.binding(id).name, walk.binding(id).name_span);
            let binding = walk.new_binding(BindingKind::Narrowing, name, span);
            (binding.from, binding.ty) = (frame.span.start, ty);
        }
    }
    None
}

/// A function literal gives what its result type says.
pub(super) fn function_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let result = types::result(walk, frame);
    if frame.symbol.is_some() {
        return super::declarations::swallowed_function(walk, frame);
    }
    let result = walk.cast(result);
    walk.lambda_return(scope, result);
    Some(Outcome::recipe(walk.lambda(scope)))
}

/// A call; `new(T)`, `make(T)` and `(*T)(x)` give what they say.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.child(frame, "function")?;
    let arguments = walk.outcome(frame, "arguments");
    let mut callee = function.outcome;
    if let TypeRecipe::Tuple(types) = walk.type_of(walk.outcome(frame, "type_arguments").ty) {
        callee.recipe = walk.recipe(Recipe::TypeArguments(callee.recipe, types));
    }
    let pointed = match walk.recipe_of(callee.recipe) {
        Recipe::Deref(inner)
            if function.kind == "parenthesized_expression" && arguments.list.len == 1 =>
        {
            as_type(walk, inner)
        }
        _ => TypeId::UNKNOWN,
    };
    if pointed.is_known() {
        let ty = walk.ty(TypeRecipe::Pointer(pointed));
        return walk.value_of(Recipe::Cast(ty));
    }
    let outcome = shared::call_of(walk, callee, arguments.list);
    let made = match walk.source(function.span) {
        "new" if arguments.ty.is_known() => walk.ty(TypeRecipe::Pointer(arguments.ty)),
        "make" => arguments.ty,
        _ => TypeId::UNKNOWN,
    };
    match walk.cast(made) {
        RecipeId::UNKNOWN => Some(outcome),
        made => Some(Outcome::recipe(made)),
    }
}

/// Values, and the type that `new` and `make` take first.
pub(super) fn arguments(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.first(frame).ty;
    Some(Outcome::list(shared::value_list(walk, frame)).with_ty(ty))
}
/// An expression read as a type: `T`, `p.T`.
fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    match walk.recipe_of(recipe) {
        Recipe::Name(name) => walk.ty(TypeRecipe::Name(name)),
        Recipe::Member(package, name) => {
            let Recipe::Name(package) = walk.recipe_of(package) else {
                return TypeId::UNKNOWN;
            };
            let package = walk.ty(TypeRecipe::Name(package));
            walk.ty(TypeRecipe::Scoped(package, name))
        }
        Recipe::Index(head, argument) => {
            let (head, argument) = (as_type(walk, head), as_type(walk, argument));
            walk.applied_type(head, &[argument])
        }
        _ => TypeId::UNKNOWN,
    }
}

/// A slice of a slice is one too.
pub(super) fn slice(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::recipe(walk.outcome(frame, "operand").recipe))
}

/// `x.(T)`, `[]T(x)`; what looks like `T[A, B](x)` may as well call a function.
pub(super) fn conversion(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.child(frame, "type")?;
    let TypeRecipe::Apply(_, types) = walk.type_of(ty.outcome.ty) else {
        return walk.value_of(Recipe::Cast(ty.outcome.ty));
    };
    if frame.kind != "type_conversion_expression" || ty.kind != "generic_type" {
        return walk.value_of(Recipe::Cast(ty.outcome.ty));
    }
    let callee = walk.recipe(Recipe::TypeArguments(ty.outcome.recipe, types));
    let callee = ty.outcome.with_recipe(callee);
    let operand = walk.outcome(frame, "operand").recipe;
    let arguments = walk.list(&[operand]);
    Some(shared::call_of(walk, callee, arguments))
}

/// `x[i]`; a function called as `f[T](x)` is given a type.
pub(super) fn index(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let operand = walk.outcome(frame, "operand");
    let index = walk.outcome(frame, "index").recipe;
    let is_called = frame.field == "function" && walk.parent_is(&["call_expression"]);
    if is_called && let Some(ty) = type_argument(walk, operand.recipe, index) {
        return Some(with_types(walk, operand, &[ty]));
    }
    walk.value_of(Recipe::Index(operand.recipe, index))
}

/// A function that is given types.
fn with_types(walk: &mut Walk<'_>, function: Outcome, types: &[TypeId]) -> Outcome {
    let types = walk.type_list(types);
    let recipe = walk.recipe(Recipe::TypeArguments(function.recipe, types));
    Outcome::recipe(recipe).with_reference(function.reference)
}

/// The index as a type, where it is written like one and what is indexed is no local value.
fn type_argument(walk: &mut Walk<'_>, operand: RecipeId, index: RecipeId) -> Option<TypeId> {
    // Locals are declared nearby.
    const MAX_NAMES: usize = 300;
    match walk.recipe_of(operand) {
        Recipe::Name(name) => {
            let mut recent = walk.facts().bindings.iter().rev().take(MAX_NAMES);
            if recent.any(|binding| binding.name == name) {
                return None;
            }
        }
        Recipe::Member(package, _) if matches!(walk.recipe_of(package), Recipe::Name(_)) => {}
        _ => return None,
    }
    let (inner, is_pointer) = match walk.recipe_of(index) {
        Recipe::Deref(inner) => (inner, true),
        _ => (index, false),
    };
    let (Recipe::Name(name) | Recipe::Member(_, name)) = walk.recipe_of(inner) else {
        return None;
    };
    let word = walk.builder.word(name);
    if !word.starts_with(char::is_uppercase) && !super::semantics::TYPES.contains(&word) {
        return None;
    }
    let mut ty = as_type(walk, inner);
    if is_pointer {
        ty = walk.ty(TypeRecipe::Pointer(ty));
    }
    Some(ty)
}

/// `f[A, B]`.
pub(super) fn instantiation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.outcome(frame, "type");
    let types = walk.filter(frame, |child| child.field != "type");
    let types: Vec<TypeId> = types.iter().map(|child| child.outcome.ty).collect();
    Some(with_types(walk, function, &types))
}

/// `T{...}` makes a `T`; slices, arrays and maps are what their type says.
pub(super) fn composite_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, body) = (walk.outcome(frame, "type"), walk.outcome(frame, "body"));
    if ty.reference.is_some() && !is_container(walk, ty.ty) {
        return Some(shared::new_of(walk, ty, body.list));
    }
    walk.value_of(Recipe::Cast(ty.ty))
}

/// Slices, arrays and maps by their type alone.
fn is_container(walk: &Walk<'_>, ty: TypeId) -> bool {
    match walk.type_of(ty) {
        TypeRecipe::Array(_) => true,
        TypeRecipe::Apply(head, _) => {
            matches!(walk.type_of(head), TypeRecipe::Name(name) if walk.builder.word(name) == "map")
        }
        _ => false,
    }
}

/// Notes the type of the literal: as written, or as the literal around it says for its elements.
pub(super) fn enter_literal_value(walk: &mut Walk<'_>, frame: &mut Frame) {
    let mut around = walk.ancestors().skip(1);
    let (Some(parent), second, third) = (around.next(), around.next(), around.next()) else {
        return;
    };
    let outer = |frame: Option<&Frame>| {
        frame
            .filter(|outer| outer.kind == "literal_value")
            .map(|outer| TypeId(outer.note))
    };
    let is_key = parent.field == "key";
    let ty = match (parent.kind, outer(second), outer(third)) {
        ("composite_literal", ..) => walk.outcome(parent, "type").ty,
        (_, Some(outer), _) => element_type(walk, outer, false),
        (_, None, Some(outer)) => element_type(walk, outer, is_key),
        _ => TypeId::UNKNOWN,
    };
    frame.note = ty.0;
}

fn element_type(walk: &mut Walk<'_>, outer: TypeId, is_key: bool) -> TypeId {
    let element = match walk.type_of(outer) {
        TypeRecipe::Unknown => TypeId::UNKNOWN,
        TypeRecipe::Array(element) => element,
        TypeRecipe::Apply(_, arguments) if is_container(walk, outer) => {
            match *walk.type_list_of(arguments) {
                [key, _] if is_key => key,
                [_, value] => value,
                _ => TypeId::UNKNOWN,
            }
        }
        _ if is_key => TypeId::UNKNOWN,
        // A named slice or map.
        _ => {
            let outer = walk.recipe(Recipe::Cast(outer));
            let element = walk.recipe(Recipe::Index(outer, RecipeId::UNKNOWN));
            walk.ty(TypeRecipe::Of(element))
        }
    };
    match walk.type_of(element) {
        TypeRecipe::Pointer(inner) => inner,
        _ => element,
    }
}

/// The fields of a literal; those of slices and maps, and of elements without a type of their own,
/// need not be kept.
pub(super) fn literal_value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["composite_literal"]) && !is_container(walk, TypeId(frame.note)) {
        return shared::list(walk, frame);
    }
    Some(Outcome::recipe(walk.cast(TypeId(frame.note))))
}

/// `Field: value` of a struct writes the field; a key of a slice or map is read.
pub(super) fn keyed_element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let key = walk.child(frame, "key")?;
    let value = walk.outcome(frame, "value").recipe;
    let literal = walk
        .parent()
        .map_or(TypeId::UNKNOWN, |parent| TypeId(parent.note));
    let text = walk.source(key.span);
    let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && shared::word_len(text) == text.len();
    if !is_name || key.outcome.recipe.is_known() {
        return walk.value_of(Recipe::Entry(key.outcome.recipe, value));
    }
    let name: NameId = walk.name_at(key.span);
    if is_container(walk, literal) {
        walk.reference(key.span, Role::Read, None);
        let key = walk.recipe(Recipe::Name(name));
        return walk.value_of(Recipe::Entry(key, value));
    }
    let literal = walk.cast(literal);
    walk.reference(key.span, Role::Write, Some(literal));
    walk.value_of(Recipe::Field(name, value))
}

/// `&x`, `*x`, `<-x` (see `chan` in `shapes.txt`), `!x`, `-x`.
pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let operand = walk.outcome(frame, "operand").recipe;
    let text = walk.source(frame.span);
    let recipe = match text.as_bytes().first() {
        Some(b'!') => Recipe::Literal(LiteralKind::Boolean),
        _ if !operand.is_known() => return None,
        Some(b'&') => Recipe::Reference(operand),
        Some(b'*') => Recipe::Deref(operand),
        Some(b'<') => Recipe::Await(operand),
        _ => return Some(Outcome::recipe(operand)),
    };
    walk.value_of(recipe)
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let between = walk.between(left.span, right.span);
    let boolean = Recipe::Literal(LiteralKind::Boolean);
    let recipe = match between.trim_start().as_bytes() {
        [b'=' | b'!', b'=', ..] | [b'&', b'&', ..] | [b'|', b'|', ..] => boolean,
        [b'<' | b'>', next, ..] if *next != b'<' && *next != b'>' => boolean,
        _ => Recipe::Operation(left.outcome.recipe, right.outcome.recipe),
    };
    walk.value_of(recipe)
}

/// A string literal; an import's path is no string.
pub(super) fn string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name && frame.field == "path" {
        return None;
    }
    shared::string(walk, frame)
}
