//! Expressions: what they give, and what they name.

use crate::prelude::*;

use super::{declarators, names};

pub(crate) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.outcome(frame, "function");
    let arguments = walk.outcome(frame, "arguments");
    if let Recipe::Type(ty) = walk.recipe_of(function.recipe) {
        // `int(x)`, and `static_cast<T>(x)`, whose handler says so.
        let recipe = walk.recipe(Recipe::Cast(ty));
        shared::call_of(walk, function, arguments.list);
        return Some(Outcome::recipe(recipe));
    }
    Some(shared::call_of(walk, function, arguments.list))
}

/// `a.b`, `a->b`: the arrow goes through a pointer, or through what acts as one.
pub(crate) fn field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (argument, field) = (walk.child(frame, "argument")?, walk.child(frame, "field")?);
    let between = walk.between(argument.span, field.span);
    let mut object = argument.outcome.recipe;
    if between.contains("->") {
        object = deref(walk, object);
    }
    let place = names::place(field.outcome).unwrap_or(field.span);
    let name = walk.name_at(place);
    let reference = walk.reference(place, Role::Read, Some(object));
    let recipe = walk.recipe(Recipe::Member(object, name));
    let outcome = Outcome::named(recipe, reference);
    match walk.type_of(field.outcome.ty) {
        // Type arguments of a member template.
        TypeRecipe::Tuple(types) => {
            Some(outcome.with_recipe(walk.recipe(Recipe::TypeArguments(recipe, types))))
        }
        _ => Some(outcome),
    }
}

/// What a pointer points to; the pointer to what it is taken of is the thing itself.
pub(crate) fn deref(walk: &mut Walk<'_>, pointer: RecipeId) -> RecipeId {
    match walk.recipe_of(pointer) {
        Recipe::SelfValue | Recipe::Unknown => pointer,
        Recipe::Reference(inner) => inner,
        _ => walk.recipe(Recipe::Deref(pointer)),
    }
}

pub(crate) fn pointer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let argument = walk.outcome(frame, "argument");
    if walk.source(frame.span).starts_with('*') {
        return Some(Outcome::recipe(deref(walk, argument.recipe)));
    }
    if !argument.recipe.is_known() {
        return None;
    }
    walk.value_of(Recipe::Reference(argument.recipe))
}

pub(crate) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.outcome(frame, "left"), walk.outcome(frame, "right"));
    walk.set_role(left, Role::Write);
    assign(walk, left, right.recipe);
    Some(Outcome::recipe(right.recipe))
}

/// Keeps with a write what is assigned where that is a name: functions are put into fields so, and
/// called through them.
fn assign(walk: &mut Walk<'_>, target: Outcome, value: RecipeId) {
    let name = match walk.recipe_of(value) {
        Recipe::Reference(inner) => inner,
        _ => value,
    };
    if let Some(reference) = target.reference
        && matches!(walk.recipe_of(name), Recipe::Name(_))
    {
        walk.reference_mut(reference).call = Some(name);
    }
}

pub(crate) fn update(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let argument = walk.outcome(frame, "argument");
    walk.set_role(argument, Role::Write);
    Some(Outcome::recipe(argument.recipe))
}

pub(crate) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span).starts_with('!') {
        return shared::boolean(walk, frame);
    }
    Some(Outcome::recipe(walk.outcome(frame, "argument").recipe))
}

pub(crate) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let recipe = match walk.between(left.span, right.span).trim() {
        "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "and" | "or" | "not_eq" => {
            Recipe::Literal(LiteralKind::Boolean)
        }
        _ => Recipe::Operation(left.outcome.recipe, right.outcome.recipe),
    };
    walk.value_of(recipe)
}

/// The last of several.
pub(crate) fn comma(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::recipe(walk.outcome(frame, "right").recipe))
}

/// `(Foo){ .a = 1 }`; in C++ also `Foo{1}`.
pub(crate) fn compound_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, value) = (walk.outcome(frame, "type"), walk.outcome(frame, "value"));
    if walk.source(frame.span).starts_with('(') {
        return shared::cast(walk, frame);
    }
    let arguments = match walk.recipe_of(value.recipe) {
        Recipe::List(items) => items,
        _ => ListRange::default(),
    };
    Some(shared::new_of(walk, ty, arguments))
}

/// `offsetof(struct foo, member)`.
pub(crate) fn offset(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    if let Some(member) = walk.child(frame, "member") {
        let object = walk.recipe(Recipe::Cast(ty));
        walk.reference(member.span, Role::Read, Some(object));
    }
    shared::integer(walk, frame)
}

pub(crate) fn subscript(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let argument = walk.outcome(frame, "argument").recipe;
    let index = match walk.child(frame, "index") {
        Some(index) => index.outcome.recipe,
        None => {
            let indices = walk.outcome(frame, "indices").list;
            walk.list_of(indices).first().copied().unwrap_or_default()
        }
    };
    walk.value_of(Recipe::Index(argument, index))
}

/// The object that an initialiser's designators name members of, for the names in it.
pub(crate) fn enter_initializer(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(parent) = walk.ancestors().nth(1).cloned() else {
        return;
    };
    let object = match parent.kind {
        "init_declarator" => {
            let declarator = walk.outcome(&parent, "declarator").ty;
            let declaration = walk.ancestors().nth(2).cloned();
            let base = declaration.map_or(TypeId::UNKNOWN, |declaration| {
                walk.outcome(&declaration, "type").ty
            });
            if !base.is_known() || walk.type_of(base) == TypeRecipe::Inferred {
                return;
            }
            let ty = declarators::fill(walk, declarator, base);
            Recipe::Cast(ty)
        }
        "compound_literal_expression" => Recipe::Cast(walk.outcome(&parent, "type").ty),
        "initializer_list" if RecipeId(parent.note).is_known() => {
            let index = walk.recipe(Recipe::Literal(LiteralKind::Integer));
            Recipe::Index(RecipeId(parent.note), index)
        }
        "initializer_pair" => {
            // `.a = { .b = 1 }`.
            let designator = walk.children(&parent).first().outcome().recipe;
            frame.note = designator.0;
            return;
        }
        _ => return,
    };
    frame.note = walk.recipe(object).0;
}

pub(crate) fn initializer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_ITEMS: usize = 16;
    let children = walk.children(frame);
    // A long table says nothing that its type does not.
    let items: Vec<RecipeId> = children
        .iter()
        .take(MAX_ITEMS)
        .map(|child| child.outcome.recipe)
        .collect();
    Some(Outcome::recipe(walk.recipe_from(Recipe::List, &items)))
}

/// The object of the initialiser list around a designator.
fn initialized(walk: &Walk<'_>, skip: usize) -> RecipeId {
    walk.ancestors()
        .nth(skip)
        .filter(|list| list.kind == "initializer_list")
        .map_or(RecipeId::UNKNOWN, |list| RecipeId(list.note))
}

/// `.member` of `{ .member = value }`.
pub(crate) fn field_designator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let member = walk.children(frame).first().copied()?;
    let object = initialized(walk, 1);
    let name = walk.name_at(member.span);
    let reference = walk.reference(member.span, Role::Write, Some(object));
    Some(Outcome {
        reference: Some(reference),
        ..Outcome::recipe(walk.recipe(Recipe::Member(object, name)))
    })
}

pub(crate) fn initializer_pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "value");
    let Some(designator) = walk.child(frame, "designator") else {
        return Some(value);
    };
    let name = match walk.recipe_of(designator.outcome.recipe) {
        Recipe::Member(_, name) => {
            assign(walk, designator.outcome, value.recipe);
            name
        }
        _ if designator.kind == "field_identifier" => {
            // The old form `member: value`.
            let object = initialized(walk, 0);
            walk.reference(designator.span, Role::Write, Some(object));
            walk.name_at(designator.span)
        }
        _ => return Some(Outcome::recipe(value.recipe)),
    };
    walk.value_of(Recipe::Field(name, value.recipe))
}

/// Adjacent literals, with macros among them.
/// `"a"`; `L"a"` is a text of other characters.
pub(crate) fn string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let is_wide = walk.source(frame.span).starts_with('L');
    let text = shared::string(walk, frame);
    if !is_wide {
        return text;
    }
    let (std, wide) = (walk.name("std"), walk.name("wstring"));
    let std = walk.ty(TypeRecipe::Name(std));
    let ty = walk.ty(TypeRecipe::Scoped(std, wide));
    walk.value_of(Recipe::Cast(ty))
}

pub(crate) fn concatenated(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.value_of(Recipe::Literal(LiteralKind::String))
}

pub(crate) fn number(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let float = text.contains('.') || (!hexadecimal && text.contains(['e', 'E']));
    let kind = if float {
        LiteralKind::Float
    } else {
        LiteralKind::Integer
    };
    walk.value_of(Recipe::Literal(kind))
}
