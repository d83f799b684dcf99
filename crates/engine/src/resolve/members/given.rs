//! Which of several overloads is meant where a function is given as a value: `carts.map(Cart::total)`,
//! `Apply(Twice)`, `Function<Cart, Integer> count = Cart::count`.

use facts::{Modifiers, Recipe, RecipeId, Reference};

use crate::resolve::{
    Guard, Place, Resolver, SymbolId, Ty, eval, fit, lambdas, overloads, written,
};

/// The overload that is all that the text around lets the value be. A value that stands in several
/// places must mean the same in each.
pub fn given_overload(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    candidates: &[SymbolId],
) -> Option<SymbolId> {
    let facts = &place.view.facts;
    let is_named = |recipe: &Recipe| match *recipe {
        Recipe::Member(of, name) => reference.receiver == Some(of) && reference.name == name,
        Recipe::Name(name) => reference.receiver.is_none() && reference.name == name,
        _ => false,
    };
    let value = RecipeId(facts.recipes.iter().position(is_named)? as u32);
    let is_through_type = reference.receiver.is_some_and(|receiver| {
        matches!(eval::expression(resolver, place, receiver), Ty::Type(..))
    });
    let mut chosen = None;
    for expected in expected_types(resolver, place, value) {
        let (_, taken) = expected.as_deref()?.split_last()?;
        let fitting = best_fit(resolver, candidates, taken, is_through_type)?;
        if chosen.is_some_and(|other| other != fitting) {
            return None;
        }
        chosen = Some(fitting);
    }
    chosen
}

/// Parameters and result of what a value becomes, for each place where it is given.
fn expected_types(
    resolver: &Resolver,
    place: Place,
    value: RecipeId,
) -> Vec<Option<crate::resolve::ty::Types>> {
    let view = place.view;
    let facts = &view.facts;
    let mut expected = Vec::new();
    for (i, recipe) in facts.recipes.iter().enumerate() {
        let (Recipe::Call(_, arguments) | Recipe::New(_, arguments)) = *recipe else {
            continue;
        };
        let given = facts.list(arguments).iter();
        for argument in (0..).zip(given).filter(|(_, given)| **given == value) {
            let guard = Guard::Context(view.id, i as u32);
            let ty = resolver.memo.guard(&guard, || {
                lambdas::expected_argument(resolver, place, RecipeId(i as u32), argument.0)
            });
            expected.push(ty.and_then(|ty| lambdas::signature(resolver, view, &ty)));
        }
    }
    let declared = lambdas::declared_type_of(resolver, view, value);
    if declared.is_known() {
        expected.push(lambdas::signature(resolver, view, &declared));
    }
    expected
}

/// The one overload that takes some types best.
fn best_fit(
    resolver: &Resolver,
    candidates: &[SymbolId],
    taken: &[Ty],
    is_through_type: bool,
) -> Option<SymbolId> {
    let scored = candidates.iter().filter_map(|&candidate| {
        let score = score(resolver, candidate, taken, is_through_type)?;
        Some((score, candidate))
    });
    let scored: Vec<(u32, SymbolId)> = scored.collect();
    let best = scored.iter().map(|(score, _)| *score).max()?;
    let mut fitting = scored.iter().filter(|(score, _)| *score == best);
    match (fitting.next(), fitting.next()) {
        (Some((_, only)), None) => Some(*only),
        _ => None,
    }
}

/// How well a callable takes some types; nothing where it does not.
fn score(
    resolver: &Resolver,
    candidate: SymbolId,
    taken: &[Ty],
    is_through_type: bool,
) -> Option<u32> {
    let (view, declared) = resolver.symbol(candidate)?;
    // `Cart::total` takes the cart first.
    let taken = match is_through_type && !declared.modifiers.contains(Modifiers::STATIC) {
        true => taken.get(1..)?,
        false => taken,
    };
    if !overloads::takes_as_member(&view, &declared, taken.len()) {
        return None;
    }
    let mut score = 0;
    for (ty, parameter) in taken.iter().zip(view.parameters(&declared)) {
        let wanted = written::header_type(resolver, &view, &declared, parameter.ty);
        match fit::fits(resolver, ty, &wanted) {
            0 => return None,
            fit => score += fit,
        }
    }
    Some(score)
}
