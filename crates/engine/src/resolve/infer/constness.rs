//! Whether a value may be changed through an expression, which tells members apart that differ in `const`
//! alone.

use facts::{Modifiers, Recipe, RecipeId, SymbolKind, TypeId, TypeRecipe};

use crate::resolve::{
    FileView, Found, Place, Resolver, SymbolId, Ty, eval, lookup, overloads, prefer, scopes,
    scopes::Space,
};

/// Steps from an expression to the declaration that tells.
const MAX_STEPS: u32 = 8;

/// Of members that differ in `const` alone those that a call on this receiver means.
pub fn as_receiver(
    resolver: &Resolver,
    place: Place,
    candidates: Vec<SymbolId>,
    call: RecipeId,
) -> Vec<SymbolId> {
    if candidates.len() < 2 || !place.view.semantics.prototypes {
        return candidates;
    }
    let facts = &place.view.facts;
    let Recipe::Call(callee, _) = facts.recipe(call) else {
        return candidates;
    };
    let Recipe::Member(receiver, _) = facts.recipe(callee) else {
        return candidates;
    };
    match is_const(resolver, place, receiver, 0) {
        Some(wanted) => prefer(candidates, |candidate| {
            has_const(resolver, *candidate) == wanted
        }),
        None => candidates,
    }
}

/// Of members that differ in `const` alone, a bare call in a `const` member means the `const` one.
pub fn as_around(resolver: &Resolver, place: Place, candidates: Vec<SymbolId>) -> Vec<SymbolId> {
    if candidates.len() < 2 || !place.view.semantics.prototypes {
        return candidates;
    }
    match callable_around(place.view, place) {
        Some((kind, in_const)) if kind != SymbolKind::Function => prefer(candidates, |candidate| {
            has_const(resolver, *candidate) == in_const
        }),
        _ => candidates,
    }
}

fn has_const(resolver: &Resolver, member: SymbolId) -> bool {
    let declared = resolver.symbol(member);
    declared.is_some_and(|(_, found)| found.modifiers.contains(Modifiers::CONST))
}

/// Whether what an expression gives, or points to, is `const`; nothing where that cannot be told.
fn is_const(resolver: &Resolver, place: Place, value: RecipeId, depth: u32) -> Option<bool> {
    if depth >= MAX_STEPS || !resolver.budget.spend() {
        return None;
    }
    let view = place.view;
    let of = |value| is_const(resolver, place, value, depth + 1);
    match view.facts.recipe(value) {
        Recipe::SelfValue => Some(in_const_member(view, place)),
        Recipe::New(..) => Some(false),
        Recipe::Cast(ty) => declared_const(view, ty),
        Recipe::Deref(inner) | Recipe::Reference(inner) | Recipe::Try(inner) => of(inner),
        // Pointers in a `const` container may be to what is not.
        Recipe::Element(inner) | Recipe::Index(inner, _) => of(inner).filter(|is_const| !is_const),
        Recipe::Either(a, b) => of(a).filter(|a| of(b) == Some(*a)),
        Recipe::Name(name) => {
            let name = view.facts.name(name);
            let (found, _) = scopes::lookup(resolver, place, name, Space::Value);
            match found.as_slice() {
                [Found::Binding(file, id)] => {
                    let other = resolver.view(*file)?;
                    let binding = other.facts.bindings.get(id.0 as usize)?;
                    let place = Place::of_binding(&other, binding);
                    declared_const(&other, binding.ty).or_else(|| {
                        let given = is_const(resolver, place, binding.value, depth + 1);
                        // A copy of what is `const` is not, and nothing tells copies from pointers.
                        given.filter(|is_const| !is_const)
                    })
                }
                [Found::Symbol(symbol)] => {
                    let around = || Some(in_const_member(view, place));
                    field_const(resolver, *symbol, around)
                }
                _ => None,
            }
        }
        Recipe::Member(object, name) => {
            let ty = eval::expression(resolver, place, object);
            let name = view.facts.name(name);
            let hits = lookup::members(resolver, &ty, name);
            let [hit] = hits.as_slice() else {
                return None;
            };
            field_const(resolver, hit.symbol, || of(object))
        }
        Recipe::Call(callee, _) => result_const(resolver, place, callee, value, depth),
        _ => None,
    }
}

/// Whether the member around a place is `const`, and so its object.
fn in_const_member(view: &FileView, place: Place) -> bool {
    matches!(callable_around(view, place), Some((_, true)))
}

/// The kind of the callable around a place, and whether it is `const`.
fn callable_around(view: &FileView, place: Place) -> Option<(SymbolKind, bool)> {
    let owners = view.outwards(place.scope);
    let owners = owners.filter_map(|scope| view.facts.scope(scope).owner);
    let mut callables = owners.map(|owner| view.symbol(owner));
    let around = callables.find(|owner| owner.kind.is_callable())?;
    Some((around.kind, around.modifiers.contains(Modifiers::CONST)))
}

/// A field is as its object is, unless it points elsewhere.
fn field_const(
    resolver: &Resolver,
    field: SymbolId,
    of_object: impl FnOnce() -> Option<bool>,
) -> Option<bool> {
    let (view, declared) = resolver.symbol(field)?;
    if !declared.kind.is_value() {
        return None;
    }
    let by_type = declared_const(&view, declared.ty)?;
    let points = matches!(
        view.facts.type_recipe(declared.ty),
        TypeRecipe::Pointer(_) | TypeRecipe::Reference(_)
    );
    if points || declared.kind != SymbolKind::Field {
        return Some(by_type);
    }
    of_object()
}

/// What a function says of what it gives.
fn result_const(
    resolver: &Resolver,
    place: Place,
    callee: RecipeId,
    call: RecipeId,
    depth: u32,
) -> Option<bool> {
    let view = place.view;
    let symbols: Vec<SymbolId> = match view.facts.recipe(callee) {
        Recipe::Name(name) => {
            let name = view.facts.name(name);
            let (found, _) = scopes::lookup(resolver, place, name, Space::Callable);
            found.iter().filter_map(Found::symbol).collect()
        }
        Recipe::Member(object, name) => {
            let ty = eval::expression(resolver, place, object);
            let hits = lookup::members(resolver, &ty, view.facts.name(name));
            let symbols = hits.into_iter().map(|hit| hit.symbol).collect();
            match is_const(resolver, place, object, depth + 1) {
                Some(wanted) => prefer(symbols, |symbol| has_const(resolver, *symbol) == wanted),
                None => symbols,
            }
        }
        _ => Vec::new(),
    };
    let chosen = overloads::choose(resolver, symbols, place, Some(call), Some(&Ty::Unknown));
    let gives = |symbol: &SymbolId| {
        let (view, declared) = resolver.symbol(*symbol)?;
        match declared.kind.is_type() || declared.kind == SymbolKind::Constructor {
            true => Some(false),
            false => declared_const(&view, declared.ty),
        }
    };
    let mut results = chosen.iter().map(gives);
    let first = results.next()??;
    results.all(|other| other == Some(first)).then_some(first)
}

/// What a declared type says: a reference inside of a pointer or reference is `const`.
fn declared_const(view: &FileView, ty: TypeId) -> Option<bool> {
    let is_reference = |ty| matches!(view.facts.type_recipe(ty), TypeRecipe::Reference(_));
    match view.facts.type_recipe(ty) {
        TypeRecipe::Unknown | TypeRecipe::Inferred | TypeRecipe::Of(_) => None,
        TypeRecipe::Pointer(inner) | TypeRecipe::Reference(inner) | TypeRecipe::Array(inner) => {
            match view.facts.type_recipe(inner) {
                TypeRecipe::Inferred => None,
                // A pointer to pointers.
                TypeRecipe::Pointer(_) => declared_const(view, inner),
                _ => Some(is_reference(inner)),
            }
        }
        _ => Some(false),
    }
}
