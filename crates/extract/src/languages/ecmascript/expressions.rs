//! Expressions: calls, members, assignments, tests, elements.

use crate::prelude::*;

use super::{keys, literal, members, modules, patterns, statements};

/// A name: read, bound, or, on the left of an assignment, both written and bound anew.
pub(super) fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context != Context::Bind(BindingKind::Assignment) {
        return shared::identifier(walk, frame);
    }
    let outcome = shared::identifier(walk, &frame.in_context(Context::Value))?;
    walk.set_role(outcome, Role::Write);
    let pattern = walk.bound_name(BindingKind::Assignment, frame.span);
    Some(outcome.with_pattern(pattern))
}

/// `#name` by itself asks whether an object has that member: `#name in object`.
pub(super) fn private_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return None;
    }
    let this = walk.recipe(Recipe::SelfValue);
    let reference = walk.reference(frame.span, Role::Read, Some(this));
    Some(Outcome::NONE.with_reference(reference))
}

/// `{ name }` in an object.
pub(super) fn shorthand(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = shared::identifier(walk, &frame.in_context(Context::Value))?;
    let name = walk.name_at(frame.span);
    if let Some(object) = walk.parent().map(|object| object.span.start) {
        keys::note(walk, name, frame.span, object, None);
    }
    walk.value_of(Recipe::Field(name, value.recipe))
}

pub(super) fn member(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut object = walk.outcome(frame, "object");
    let property = walk.child(frame, "property")?;
    let mut context = Context::Value;
    if frame.context == Context::Type {
        // `import("./cart").Cart` as a type.
        (context, object.ty) = (Context::Type, as_type(walk, object.recipe));
    }
    Some(shared::member_of(walk, context, object, property.span))
}

/// `import.meta`, `new.target`.
pub(super) fn meta_property(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.name_at(frame.span);
    walk.value_of(Recipe::Name(name))
}

pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    keys::note_elements(walk, frame);
    shared::list_literal(walk, frame)
}

pub(super) fn arguments(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    keys::note_arguments(walk, frame);
    shared::list(walk, frame)
}

/// A call; of `super`, of `import` and `require`, or with a template.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.child(frame, "function")?;
    let arguments = match walk.child(frame, "arguments") {
        Some(arguments) if arguments.kind == "template_string" => {
            walk.list(&[arguments.outcome.recipe])
        }
        Some(arguments) => arguments.outcome.list,
        None => ListRange::default(),
    };
    let mut callee = function.outcome;
    match function.kind {
        "import" => return Some(modules::module_value(walk, frame, arguments)),
        "identifier" if walk.source(function.span) == "require" => {
            shared::call_of(walk, callee, arguments);
            return Some(modules::module_value(walk, frame, arguments));
        }
        "super" => {
            let reference = walk.reference(function.span, Role::Call, Some(callee.recipe));
            callee.reference = Some(reference);
        }
        _ => {}
    }
    if let TypeRecipe::Tuple(types) = walk.type_of(walk.outcome(frame, "type_arguments").ty) {
        callee.recipe = walk.recipe(Recipe::TypeArguments(callee.recipe, types));
    }
    let outcome = shared::call_of(walk, callee, arguments);
    walk.value_call(callee, outcome.recipe, frame.span);
    test_of_call(walk, frame, callee.recipe, outcome.recipe);
    if walk.source(function.span) == "Object.assign" {
        mixed_in(walk, arguments);
    }
    if let Some(arguments) = walk.child(frame, "arguments") {
        keys::resolve_call_keys(walk, arguments.span, outcome.recipe);
    }
    Some(outcome)
}

/// `Object.assign(Cart.prototype, Priced.prototype)` gives a class of the file the members of others.
fn mixed_in(walk: &mut Walk<'_>, arguments: ListRange) {
    let arguments = walk.list_of(arguments).to_vec();
    let class_of = |walk: &Walk<'_>, prototype: RecipeId| match walk.recipe_of(prototype) {
        Recipe::Member(object, name) if walk.word(name) == "prototype" => {
            match walk.recipe_of(object) {
                Recipe::Name(class) => Some(class),
                _ => None,
            }
        }
        _ => None,
    };
    let into = arguments.first().and_then(|&into| class_of(walk, into));
    let symbols = &walk.facts().symbols;
    let class = symbols
        .iter()
        .rposition(|symbol| Some(symbol.name) == into && symbol.kind == SymbolKind::Class);
    let Some(class) = class.map(|index| SymbolIndex(index as u32)) else {
        return;
    };
    for &from in &arguments[1..] {
        if let Some(other) = class_of(walk, from) {
            let ty = walk.ty(TypeRecipe::Name(other));
            walk.supertype(class, ty, Inherit::Mixin);
        }
    }
}

pub(super) fn instantiation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.outcome(frame, "constructor");
    let arguments = walk.outcome(frame, "arguments").list;
    let mut ty = as_type(walk, class.recipe);
    if let TypeRecipe::Tuple(types) = walk.type_of(walk.outcome(frame, "type_arguments").ty) {
        ty = walk.ty(TypeRecipe::Apply(ty, types));
    }
    let outcome = shared::new_of(walk, class.with_ty(ty), arguments);
    if let Some(arguments) = walk.child(frame, "arguments") {
        keys::resolve_call_keys(walk, arguments.span, outcome.recipe);
    }
    Some(outcome)
}

/// An expression read as the type whose instances it makes: `a.B`, `mixin(Base)`.
pub(super) fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    let ty = match walk.recipe_of(recipe) {
        Recipe::Unknown => return TypeId::UNKNOWN,
        Recipe::Name(name) => TypeRecipe::Name(name),
        // `new this()` in a static method, `new this.constructor()` in others.
        Recipe::SelfValue => TypeRecipe::SelfType,
        Recipe::Member(object, name)
            if walk.builder.word(name) == "constructor"
                && walk.recipe_of(object) == Recipe::SelfValue =>
        {
            TypeRecipe::SelfType
        }
        Recipe::Member(object, name) => {
            let object = as_type(walk, object);
            TypeRecipe::Scoped(object, name)
        }
        Recipe::TypeArguments(head, arguments) => {
            let head = as_type(walk, head);
            TypeRecipe::Apply(head, arguments)
        }
        _ => TypeRecipe::Of(recipe),
    };
    walk.ty(ty)
}

pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.outcome(frame, "right"));
    patterns::bind(walk, left, right.recipe, TypeId::UNKNOWN, frame.span.end);
    walk.set_role(left.outcome, Role::Write);
    if left.kind == "member_expression" {
        members::assign(walk, frame, left, right.recipe);
    }
    let target = left.outcome.recipe;
    let of_receiver = matches!(walk.recipe_of(target), Recipe::Member(object, _)
        if walk.recipe_of(object) == Recipe::SelfValue);
    if !of_receiver {
        walk.store(target, right.recipe, frame.span.end);
    }
    Some(right.with_reference(None))
}

pub(super) fn augmented_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.outcome(frame, "left"), walk.outcome(frame, "right"));
    walk.set_role(left, Role::Write);
    walk.value_of(Recipe::Either(left.recipe, right.recipe))
}

pub(super) fn update(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let argument = walk.outcome(frame, "argument");
    walk.set_role(argument, Role::Write);
    Some(literal(walk, LiteralKind::Integer))
}

/// An operation; a test of a type also says what a name is in the branch that follows.
/// `...x` steps through `x`, except in an object literal.
pub(super) fn spread(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["array", "arguments"]) {
        let values = [walk.first(frame).recipe, RecipeId::UNKNOWN];
        walk.implicit(ImplicitKind::Iterate, "", values, frame.span);
    }
    shared::spread(walk, frame)
}

pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let operator = walk
        .source(Span::new(left.span.end, right.span.start))
        .trim();
    let (a, b) = (left.outcome.recipe, right.outcome.recipe);
    let recipe = match operator {
        "&&" => {
            walk.take_refuted(frame.span.start);
            return Some(Outcome::recipe(b));
        }
        "||" | "??" => {
            // Neither side is sure to hold.
            for (name, span, ty) in walk.take_narrowings() {
                if span.start < frame.span.start {
                    walk.narrow(name, span, ty);
                }
            }
            Recipe::Either(a, b)
        }
        "instanceof" => {
            if let Recipe::Name(name) = walk.recipe_of(a) {
                let ty = as_type(walk, b);
                walk.narrow(name, left.span, ty);
            }
            return Some(literal(walk, LiteralKind::Boolean));
        }
        "===" | "==" | "!==" | "!=" => {
            match left.kind {
                "unary_expression" => test_of_typeof(walk, left.span, right.span),
                _ => test_of_typeof(walk, right.span, left.span),
            }
            if let Some((name, ty)) = test_of_member(walk, a, right.span) {
                walk.narrow(name, left.span, ty);
            }
            if operator.starts_with('!') {
                walk.negate_narrowings(frame.span.start);
            }
            return Some(literal(walk, LiteralKind::Boolean));
        }
        "in" => {
            test_of_key(walk, left.span, (b, right.span));
            return Some(literal(walk, LiteralKind::Boolean));
        }
        "<" | ">" | "<=" | ">=" => return Some(literal(walk, LiteralKind::Boolean)),
        _ => Recipe::Operation(a, b),
    };
    walk.value_of(recipe)
}

/// `typeof x === "string"`.
fn test_of_typeof(walk: &mut Walk<'_>, tested: Span, word: Span) {
    let Some(operand) = walk.source(tested).strip_prefix("typeof") else {
        return;
    };
    let operand = operand.trim().trim_matches(['(', ')']);
    let word = shared::unquoted(walk.source(word));
    let is_name = !operand.contains(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let ty = match word {
        "string" | "number" | "boolean" | "bigint" | "symbol" => word,
        "function" => "Function",
        _ => return,
    };
    if is_name && !operand.is_empty() {
        let at = tested.start + walk.source(tested).rfind(operand).unwrap_or(0) as u32;
        let (name, ty) = (walk.name(operand), walk.type_named(ty));
        walk.narrow(name, Span::sized(at, operand.len()), ty);
    }
}

/// `order.state === "paid"`: what the variable is where that holds, told by one of its members.
pub(super) fn test_of_member(
    walk: &mut Walk<'_>,
    tested: RecipeId,
    value: Span,
) -> Option<(NameId, TypeId)> {
    let Recipe::Member(object, member) = walk.recipe_of(tested) else {
        return None;
    };
    let Recipe::Name(name) = walk.recipe_of(object) else {
        return None;
    };
    let value = literal_type(walk, walk.source(value))?;
    let whole = walk.ty(TypeRecipe::Of(object));
    let member = walk.ty(TypeRecipe::Literal(member));
    let case = walk.type_from(TypeRecipe::Tuple, &[member, value]);
    Some((name, walk.ty(TypeRecipe::Indexed(whole, case))))
}

/// The type of one value that an expression is: `"paid"`, `State.Paid`.
fn literal_type<'text>(walk: &mut Walk<'text>, value: &'text str) -> Option<TypeId> {
    if value.starts_with(['"', '\'']) {
        let value = walk.name(shared::unquoted(value));
        return Some(walk.ty(TypeRecipe::Literal(value)));
    }
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let (of, member) = value.split_once('.')?;
    let is_member = is_word(of) && is_word(member) && of.starts_with(char::is_uppercase);
    let of = is_member.then(|| walk.type_named(of))?;
    let member = walk.name(member);
    Some(walk.ty(TypeRecipe::Scoped(of, member)))
}

/// `"total" in cart`: those of which a variable may be one that have the member.
fn test_of_key(walk: &mut Walk<'_>, key: Span, (object, span): (RecipeId, Span)) {
    let text = walk.source(key);
    let Recipe::Name(name) = walk.recipe_of(object) else {
        return;
    };
    if text.starts_with(['"', '\'']) {
        let member = walk.name(shared::unquoted(text));
        let member = walk.ty(TypeRecipe::Literal(member));
        let case = walk.type_from(TypeRecipe::Tuple, &[member]);
        let whole = walk.ty(TypeRecipe::Of(object));
        let ty = walk.ty(TypeRecipe::Indexed(whole, case));
        walk.narrow(name, span, ty);
    }
}

/// `isPaid(order)` in a condition: what the variable is where that holds, if the function says so.
fn test_of_call(walk: &mut Walk<'_>, frame: &Frame, callee: RecipeId, call: RecipeId) {
    /// A predicate is about its receiver or one of its first arguments.
    const MAX_ARGUMENTS: usize = 2;
    let name = match walk.recipe_of(callee) {
        Recipe::Name(name) | Recipe::Member(_, name) => name,
        _ => return,
    };
    let semantics = walk.language.semantics;
    let is_typed = semantics.is_some_and(|semantics| semantics.checks.typed);
    if !is_typed || !sounds_like_test(walk.builder.word(name)) || !is_condition(walk, frame) {
        return;
    }
    let Recipe::Call(_, arguments) = walk.recipe_of(call) else {
        return;
    };
    let mut tested: Vec<RecipeId> = walk.list_of(arguments).to_vec();
    tested.truncate(MAX_ARGUMENTS);
    if let Recipe::Member(object, _) = walk.recipe_of(callee) {
        tested.push(object);
    }
    for tested in tested {
        if let Recipe::Name(name) = walk.recipe_of(tested) {
            let whole = walk.ty(TypeRecipe::Of(tested));
            let case = walk.ty(TypeRecipe::Of(call));
            let ty = walk.ty(TypeRecipe::Indexed(whole, case));
            walk.narrow(name, frame.span, ty);
        }
    }
}

/// Whether a function of that name may say of which type a value is: `isPaid`, `hasTotal`.
fn sounds_like_test(name: &str) -> bool {
    let words = ["is", "has", "can"];
    let rest = words.iter().find_map(|word| name.strip_prefix(word));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether the node just left is a condition or one side of it.
fn is_condition(walk: &Walk<'_>, frame: &Frame) -> bool {
    let (mut field, mut end) = (frame.field, frame.span.end);
    for outer in walk.ancestors() {
        match outer.kind {
            "parenthesized_expression" | "unary_expression" => {}
            "binary_expression" => {
                if walk.text[end as usize..].trim_start().starts_with("&&") {
                    return true;
                }
            }
            "if_statement" | "ternary_expression" | "while_statement" => {
                return field == "condition";
            }
            _ => return false,
        }
        (field, end) = (outer.field, outer.span.end);
    }
    false
}

pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let argument = walk.outcome(frame, "argument");
    match walk.source(frame.span).as_bytes().first() {
        Some(b'!') => {
            walk.negate_narrowings(frame.span.start);
            Some(literal(walk, LiteralKind::Boolean))
        }
        Some(b't') => Some(literal(walk, LiteralKind::String)),
        Some(b'd') => Some(literal(walk, LiteralKind::Boolean)),
        Some(b'v') => Some(literal(walk, LiteralKind::Null)),
        _ => Some(Outcome::recipe(argument.recipe)),
    }
}

pub(super) fn yields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut value = walk.children(frame).first()?.outcome.recipe;
    let rest = walk.source(frame.span).trim_start_matches("yield");
    if rest.trim_start().starts_with('*') {
        value = walk.recipe(Recipe::Element(value));
    }
    statements::returned(walk, value, frame.span.end);
    None
}

pub(super) fn number(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    let is_float = text.contains('.') || (text.contains(['e', 'E']) && !text.starts_with("0x"));
    if is_float {
        shared::float(walk, frame)
    } else {
        shared::small_integer(walk, frame)
    }
}

pub(super) fn template(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.child_of_kind(frame, "template_substitution").is_some() {
        return Some(literal(walk, LiteralKind::Template));
    }
    shared::string(walk, frame)
}

/// The words of a template that has values inside; those of other strings are noted as a whole.
pub(super) fn template_text(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["template_string", "template_literal_type"]) {
        walk.string_trivia(frame.span);
    }
    None
}

/// `<Cart total={x}>` calls a component with an object; `<div>` names a member of the interface
/// that declares the page's elements.
pub(super) fn jsx_opening(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let attributes = walk.filter(frame, |child| child.kind == "jsx_attribute");
    let names: Vec<Span> = attributes
        .iter()
        .map(|child| attribute_name(walk, child.span))
        .collect();
    let component = match jsx_name(walk, frame) {
        Some(JsxName::Component(component)) => component,
        other => {
            for name in names {
                match other {
                    Some(JsxName::Element(element)) => {
                        walk.reference(name, Role::Write, Some(element));
                    }
                    _ => walk.label(name),
                }
            }
            return None;
        }
    };
    let attributes = walk.filter(frame, |child| child.field == "attribute");
    let values = attributes.iter().map(|child| child.outcome.recipe);
    let known: Vec<RecipeId> = values.filter(|value| value.is_known()).collect();
    let object = walk.recipe_from(Recipe::Object, &known);
    let arguments = walk.list(&[object]);
    let call = shared::call_of(walk, component, arguments).recipe;
    let expected = walk.recipe(Recipe::Parameter(call, 0));
    for name in names {
        walk.reference(name, Role::Write, Some(expected));
    }
    None
}

/// The name that starts an attribute.
fn attribute_name(walk: &Walk<'_>, attribute: Span) -> Span {
    let text = walk.source(attribute);
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | '/'));
    Span::sized(attribute.start, end.unwrap_or(text.len()))
}

pub(super) fn jsx_closing(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    jsx_name(walk, frame);
    None
}

enum JsxName {
    Component(Outcome),
    /// An element of the page: what its attributes belong to.
    Element(RecipeId),
}

/// What an element names. Elements of the page, not of the code, are written in lower case or with
/// a dash.
fn jsx_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<JsxName> {
    let name = walk.child(frame, "name")?;
    if name.kind == "member_expression" {
        return Some(JsxName::Component(name.outcome));
    }
    let text = walk.source(name.span);
    if text.contains(['-', ':']) {
        walk.label(name.span);
        return None;
    }
    if !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Some(JsxName::Component(read(walk, name.span)));
    }
    let elements = walk.type_named("IntrinsicElements");
    let elements = walk.recipe(Recipe::Cast(elements));
    walk.reference(name.span, Role::Read, Some(elements));
    let element = walk.name_at(name.span);
    let element = walk.recipe(Recipe::Member(elements, element));
    Some(JsxName::Element(element))
}

/// A name that its rule left alone is read after all.
pub(super) fn read(walk: &mut Walk<'_>, span: Span) -> Outcome {
    let reference = walk.reference(span, Role::Read, None);
    let name = walk.name_at(span);
    Outcome::named(walk.recipe(Recipe::Name(name)), reference)
}

pub(super) fn jsx_attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).first()?.span;
    let value = walk.children(frame).get(1).outcome().recipe;
    let name = walk.name_at(name);
    walk.value_of(Recipe::Field(name, value))
}

/// `x as T`, `<T>x`; `as const` changes nothing.
#[cfg(feature = "typescript")]
pub(super) fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.find(frame, |child| !child.outcome.ty.is_known());
    let value = value.outcome().recipe;
    let ty = walk.find(frame, |child| child.outcome.ty.is_known());
    // The type of `<T>x` is written as a list of arguments.
    let ty = match (frame.kind, walk.type_of(ty.outcome().ty)) {
        ("type_assertion", TypeRecipe::Tuple(types)) => walk
            .type_list_of(types)
            .first()
            .copied()
            .unwrap_or_default(),
        _ => ty.outcome().ty,
    };
    let literal = walk.find(frame, |child| {
        matches!(child.kind, "object" | "array" | "as_expression")
    });
    if let Some(literal) = literal.filter(|_| ty.is_known()) {
        let expected = walk.recipe(Recipe::Cast(ty));
        keys::resolve_object_keys(walk, literal.span.start, expected);
    }
    match walk.recipe_of(value) {
        // What is held keeps its symbol.
        Recipe::Symbol(_) => Some(Outcome::recipe(value)),
        _ if ty.is_known() => walk.value_of(Recipe::Cast(ty)),
        _ => Some(Outcome::recipe(value)),
    }
}

/// `x satisfies T` is what `x` is, where that is known.
#[cfg(feature = "typescript")]
pub(super) fn satisfies(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let cast = cast(walk, frame);
    match walk.first(frame).recipe {
        RecipeId::UNKNOWN => cast,
        value => Some(Outcome::recipe(value)),
    }
}

#[cfg(feature = "typescript")]
pub(super) fn non_null(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    // A call or an assignment through `x!` is one of `x`.
    Some(inner.with_recipe(walk.wrapped(inner.recipe, Recipe::Try)))
}
