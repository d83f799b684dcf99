//! Facts in words, for reasons and receiver hints.

use facts::{Facts, Recipe, RecipeId, TypeId, TypeRecipe};

/// Deeper expressions end in `…`.
const MAX_DEPTH: u32 = 8;

/// An expression, roughly as it was written.
pub fn recipe(facts: &Facts, id: RecipeId) -> String {
    recipe_at(facts, id, 0)
}

fn recipe_at(facts: &Facts, id: RecipeId, depth: u32) -> String {
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    let inner = |id| recipe_at(facts, id, depth + 1);
    match facts.recipe(id) {
        Recipe::Name(name) => facts.name(name).to_owned(),
        Recipe::Member(object, name) => format!("{}.{}", inner(object), facts.name(name)),
        Recipe::Scoped(RecipeId::UNKNOWN, name) => facts.name(name).to_owned(),
        Recipe::Scoped(object, name) => format!("{}::{}", inner(object), facts.name(name)),
        Recipe::Call(callee, arguments) => format!(
            "{}({})",
            inner(callee),
            if arguments.len == 0 { "" } else { "…" }
        ),
        Recipe::New(..) => "new …".to_owned(),
        Recipe::Index(value, _) => format!("{}[…]", inner(value)),
        Recipe::Await(value) => format!("await {}", inner(value)),
        Recipe::Try(value) => format!("{}?", inner(value)),
        Recipe::Deref(value) => format!("*{}", inner(value)),
        Recipe::SelfValue => "self".to_owned(),
        Recipe::SelfType => "Self".to_owned(),
        Recipe::Super => "super".to_owned(),
        Recipe::Str(_) | Recipe::Literal(_) => "literal".to_owned(),
        _ => "…".to_owned(),
    }
}

/// A type, roughly as it was written.
pub fn written_type(facts: &Facts, id: TypeId) -> String {
    type_at(facts, id, 0)
}

fn type_at(facts: &Facts, id: TypeId, depth: u32) -> String {
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    let inner = |id| type_at(facts, id, depth + 1);
    let list = |range, separator: &str| {
        let types = facts.type_list(range).iter().map(|ty| inner(*ty));
        types.collect::<Vec<_>>().join(separator)
    };
    match facts.type_recipe(id) {
        TypeRecipe::Unknown | TypeRecipe::Inferred => String::new(),
        TypeRecipe::Name(name) | TypeRecipe::Literal(name) => facts.name(name).to_owned(),
        TypeRecipe::Scoped(outer, name) => format!("{}.{}", inner(outer), facts.name(name)),
        TypeRecipe::Apply(of, arguments) => format!("{}<{}>", inner(of), list(arguments, ", ")),
        TypeRecipe::Array(item) => format!("{}[]", inner(item)),
        TypeRecipe::Pointer(to) => format!("*{}", inner(to)),
        TypeRecipe::Reference(to) => format!("&{}", inner(to)),
        TypeRecipe::Optional(of) => format!("{}?", inner(of)),
        TypeRecipe::Function(types) => format!("fn({})", list(types, ", ")),
        TypeRecipe::Union(types) => list(types, " | "),
        TypeRecipe::Intersection(types) | TypeRecipe::Bounds(types) => list(types, " & "),
        TypeRecipe::Tuple(types) => format!("({})", list(types, ", ")),
        TypeRecipe::SelfType => "Self".to_owned(),
        TypeRecipe::Of(value) => format!("typeof {}", recipe(facts, value)),
        TypeRecipe::Members(_) => "{…}".to_owned(),
        TypeRecipe::Indexed(of, key) => format!("{}[{}]", inner(of), inner(key)),
    }
}
