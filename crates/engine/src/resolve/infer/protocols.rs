//! What indexing, iterating and taking apart give.

use std::sync::Arc;

use facts::{Recipe, RecipeId};

use crate::resolve::{
    FileView, Place, Resolver, Ty,
    call::{CallArguments, CallOf},
    calls, eval, generics, library, lookup,
    ty::Step,
    values,
};

/// What indexing gives.
pub fn index_value(resolver: &Resolver, place: Place, value: &Ty, index: RecipeId) -> Ty {
    let view = place.view;
    match value {
        Ty::Array(_) if is_range(resolver, place, index) => value.clone(),
        Ty::Array(item) => (**item).clone(),
        Ty::Tuple(items) => Ty::union(items.iter().cloned()),
        Ty::Type(symbol, _) => Ty::Type(
            *symbol,
            Arc::from([eval::expression(resolver, place, index).instantiated()]),
        ),
        Ty::LibraryType(name, _) => Ty::LibraryType(
            name.clone(),
            Arc::from([eval::expression(resolver, place, index).instantiated()]),
        ),
        Ty::Instance(symbol, _) => {
            let indexes = [index];
            // `row["name"]` of a `TypedDict`.
            if let Recipe::Str(key) = view.facts.recipe(index) {
                let member = values::member_value(resolver, view, value, view.facts.name(key));
                if member.is_known() {
                    return member;
                }
            }
            if let Some(key) = computed_key(view, index) {
                let member = values::member_value(resolver, view, value, &key);
                if member.is_known() {
                    return member;
                }
            }
            let arguments = CallArguments::new(place, &indexes);
            if let Some(hit) =
                lookup::protocol_member(resolver, value, view.semantics.protocols.index)
            {
                let call = CallOf::new(hit.symbol, Some(value), arguments);
                return calls::function_result(resolver, call);
            }
            match library::base_member(resolver, view, *symbol, value, "[]") {
                Ty::LibraryMember(receiver, name) => {
                    library::call_member(resolver, &receiver, &name, arguments)
                }
                // `type Items map[string]Item`.
                _ => match values::symbol_type(resolver, *symbol) {
                    of @ (Ty::Library(..) | Ty::Array(_)) => {
                        index_value(resolver, place, &of, index)
                    }
                    // A pointer to the first of several.
                    _ if view.semantics.declarations.arrays_decay => value.clone(),
                    _ => Ty::Unknown,
                },
            }
        }
        // A part of it is as it is.
        Ty::Library(..) if is_range(resolver, place, index) => value.clone(),
        Ty::Library(..) => match library::unwrapped(view, value.clone(), "[]") {
            ty if ty != *value => ty,
            _ => match library::dereferenced(view, value, "[]") {
                Some(inner) => index_value(resolver, place, &inner, index),
                None => Ty::Unknown,
            },
        },
        Ty::Optional(_) | Ty::Union(_) => {
            value.map_alternatives(|part| index_value(resolver, place, part, index))
        }
        Ty::External(_) => value.after(Step::Index),
        _ => Ty::Unknown,
    }
}

/// The name of the member whose key is the value of an expression: `cart[total]` for `[total]: number`.
fn computed_key(view: &FileView, index: RecipeId) -> Option<String> {
    let by_key = view.semantics.declarations.members_by_index;
    match view.facts.recipe(index) {
        Recipe::Name(name) if by_key => Some(format!("[{}]", view.facts.name(name))),
        Recipe::Member(object, name) if by_key => match view.facts.recipe(object) {
            Recipe::Name(object) => {
                let (object, name) = (view.facts.name(object), view.facts.name(name));
                Some(format!("[{object}.{name}]"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether an index is written as a range, which gives a part of what is indexed: `carts[1..]`.
fn is_range(resolver: &Resolver, place: Place, index: RecipeId) -> bool {
    matches!(place.view.facts.recipe(index), Recipe::New(..))
        && matches!(
            eval::expression(resolver, place, index),
            Ty::Library(name, _) if &*name == "Range"
        )
}

/// What iterating gives.
pub fn element(resolver: &Resolver, view: &FileView, value: &Ty) -> Ty {
    match value {
        Ty::Array(item) => (**item).clone(),
        Ty::Tuple(items) => Ty::union(items.iter().cloned()),
        Ty::Library(..) => match library::unwrapped(view, value.clone(), "*") {
            ty if ty == *value => Ty::Unknown,
            ty => ty,
        },
        Ty::Instance(symbol, _) => {
            let protocols = &view.semantics.protocols;
            if let Some(hit) = lookup::protocol_member(resolver, value, protocols.iterate) {
                let iterator = values::hit_type(resolver, &hit);
                let item = match iterator != *value {
                    true => element(resolver, view, &iterator),
                    false => Ty::Unknown,
                };
                let is_told = item.is_known() || !view.semantics.declarations.impls;
                if iterator != *value && is_told {
                    return item;
                }
                // What its blocks say that it iterates over: `type Item = Cart`.
                let items = lookup::own_members(resolver, *symbol, "Item");
                let items = items
                    .iter()
                    .map(|item| values::symbol_type(resolver, *item));
                let item = Ty::union(items.collect::<Vec<_>>());
                if item.is_known() {
                    return generics::substitute_type_args_of(resolver, &item, value);
                }
            }
            if let Some(hit) = lookup::protocol_member(resolver, value, protocols.step) {
                return match values::hit_type(resolver, &hit) {
                    Ty::Optional(inner) => (*inner).clone(),
                    item => library::unwrapped(view, item, "?"),
                };
            }
            match library::base_member(resolver, view, *symbol, value, "*") {
                Ty::LibraryMember(receiver, _) => element(resolver, view, &receiver),
                _ => Ty::Unknown,
            }
        }
        Ty::Type(..) if view.semantics.declarations.iterable_types => value.instantiated(),
        Ty::Optional(_) | Ty::Union(_) => {
            value.map_alternatives(|part| element(resolver, view, part))
        }
        Ty::External(_) => value.after(Step::Element),
        _ => Ty::Unknown,
    }
}

/// The part at a position of what is taken apart.
pub fn part(resolver: &Resolver, view: &FileView, value: &Ty, i: u16) -> Ty {
    match value {
        Ty::Tuple(items) => items.get(i as usize).cloned().unwrap_or(Ty::Unknown),
        Ty::Array(item) => (**item).clone(),
        Ty::Library(_, types) => {
            let item = element(resolver, view, value);
            match types.get(i as usize) {
                _ if item.is_known() => item,
                // A pair is taken apart into what it was made of.
                Some(part) if types.len() > 1 => part.clone(),
                _ => library::unwrapped(view, value.clone(), "?"),
            }
        }
        Ty::Optional(_) | Ty::Union(_) => value.map_alternatives(|of| part(resolver, view, of, i)),
        // The parts of a variant or tuple struct are its parameters.
        Ty::Function(symbol, _) => values::parameter_type(resolver, *symbol, i),
        Ty::Instance(symbol, arguments) => {
            let ty = values::parameter_type(resolver, *symbol, i);
            ty.with_arguments(*symbol, arguments)
        }
        Ty::External(_) => value.after(Step::Index),
        _ => Ty::Unknown,
    }
}
