//! Facts in words, for reasons and receiver hints.

use facts::{Facts, Recipe, RecipeId};

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
