//! What lists, tuples, tables and objects hold: as written, and what is put into them later.

use facts::{Recipe, RecipeId, Role, StoredValue};

use super::{
    FlowNode, FlowPlace, FlowSet, FlowValue, Key, WrittenValue, eval, references, results, spend,
};
use crate::{
    Outcome, Resolver, SymbolId,
    resolve::{FileView, Place},
};

/// `container[key]`.
pub(super) fn indexed(
    resolver: &Resolver,
    at: FlowPlace,
    container: RecipeId,
    key: RecipeId,
) -> FlowSet {
    let keys = keys(resolver, at, key);
    if let [key] = keys.as_slice()
        && let Some(values) = last_stored(resolver, at, container, key)
    {
        return values;
    }
    let containers = eval::expression(resolver, at, container);
    elements_at(resolver, at, &containers, &keys)
}

/// The keys that an expression may be; none where it may be any.
pub(super) fn keys(resolver: &Resolver, at: FlowPlace, key: RecipeId) -> Vec<Key> {
    let values = eval::expression(resolver, at, key);
    if values.too_many {
        return Vec::new();
    }
    let as_key = |value| match value {
        FlowValue::Key(key) => Some(key),
        _ => None,
    };
    // One alternative that is no key may be any key.
    let keys: Option<Vec<Key>> = values.all.into_iter().map(as_key).collect();
    keys.unwrap_or_default()
}

/// What the last store into the same expression under a key put there, if it is sure to have run.
fn last_stored(
    resolver: &Resolver,
    at: FlowPlace,
    container: RecipeId,
    key: &Key,
) -> Option<FlowSet> {
    let (view, place) = (at.view(), at.place);
    let region = view.region(place.scope);
    let mut best: Option<(u32, RecipeId, &StoredValue)> = None;
    for store in &view.facts.stores {
        let Recipe::Index(of, stored_key) = view.facts.recipe(store.target) else {
            continue;
        };
        let is_sure = store.at <= place.at
            && view.region(store.scope) == region
            && view.is_inside(place.scope, store.scope);
        if of != container || !is_sure || best.is_some_and(|(at, ..)| at > store.at) {
            continue;
        }
        let stored = FlowPlace {
            place: Place::new(view, store.scope, store.at.saturating_sub(1)),
            frame: at.frame,
        };
        if keys(resolver, stored, stored_key) == std::slice::from_ref(key) {
            best = Some((store.at, store.value, store));
        }
    }
    let (_, value, store) = best?;
    let stored = FlowPlace {
        place: Place::new(view, store.scope, store.at.saturating_sub(1)),
        frame: at.frame,
    };
    let values = eval::expression(resolver, stored, value);
    (!values.is_empty()).then_some(values)
}

/// What iterating over values gives.
pub(super) fn elements(resolver: &Resolver, at: FlowPlace, values: FlowSet) -> FlowSet {
    let mut found = FlowSet {
        too_many: values.too_many,
        ..FlowSet::default()
    };
    for value in values.all {
        found.extend(match value {
            FlowValue::Container(written, from) => {
                let is_table = resolver.view(written.file).is_some_and(|view| {
                    matches!(view.facts.recipe(written.recipe), Recipe::Object(_))
                });
                // Iterating over a table gives its keys.
                if is_table {
                    FlowSet::default()
                } else {
                    held(resolver, at, written, from, &[])
                }
            }
            FlowValue::Held(written) => held(resolver, at, written, 0, &[]),
            FlowValue::Pairs(written) => FlowSet::one(FlowValue::Pair(written)),
            FlowValue::Yielded(symbol) => results::yielded(resolver, symbol),
            FlowValue::Object(class) => results::iterated(resolver, class),
            _ => FlowSet::default(),
        });
    }
    found
}

/// What is found in values under one of some keys; any element where no key is known.
pub(super) fn elements_at(
    resolver: &Resolver,
    at: FlowPlace,
    values: &FlowSet,
    keys: &[Key],
) -> FlowSet {
    let mut found = FlowSet {
        too_many: values.too_many,
        ..FlowSet::default()
    };
    for value in &values.all {
        match value {
            FlowValue::Container(written, from) => {
                found.extend(held(resolver, at, *written, *from, keys));
            }
            FlowValue::Held(written) => found.extend(held(resolver, at, *written, 0, &[])),
            FlowValue::Pair(written) if keys == [Key::Digit(1)] => {
                found.extend(held(resolver, at, *written, 0, &[]));
            }
            _ => {}
        }
    }
    found
}

/// The same containers from a later element on.
pub(super) fn rest(mut values: FlowSet, from: u16) -> FlowSet {
    for value in &mut values.all {
        if let FlowValue::Container(_, start) = value {
            *start = start.saturating_add(from);
        }
    }
    values
}

/// What a container holds under one of some keys: what is written in it, and what is put into it.
fn held(
    resolver: &Resolver,
    at: FlowPlace,
    written: WrittenValue,
    from: u16,
    keys: &[Key],
) -> FlowSet {
    let mut values = FlowSet::default();
    let Some(view) = resolver.view(written.file) else {
        return values;
    };
    let inside = FlowPlace {
        place: Place::new(&view, written.scope, written.at),
        frame: at.frame,
    };
    match view.facts.recipe(written.recipe) {
        Recipe::Tuple(list) | Recipe::List(list) => {
            values.extend(items(resolver, inside, view.facts.list(list), from, keys));
        }
        Recipe::Object(list) => {
            values.extend(entries(resolver, inside, view.facts.list(list), keys));
        }
        _ => {}
    }
    let node = FlowNode::Stores(written);
    let stored = resolver.flow.guard(&node, || {
        let mut stored = put_in(resolver, &view, written, keys);
        if at.view().id != view.id {
            stored.extend(put_in(resolver, at.view(), written, keys));
        }
        stored
    });
    values.extend(stored.unwrap_or_default());
    values
}

fn items(
    resolver: &Resolver,
    at: FlowPlace,
    items: &[RecipeId],
    from: u16,
    keys: &[Key],
) -> FlowSet {
    let view = at.view();
    let mut values = FlowSet::default();
    let is_spread = |item: &&RecipeId| matches!(view.facts.recipe(**item), Recipe::Spread(_));
    let places = items.iter().position(|item| is_spread(&item));
    let is_known_place = from != u16::MAX && places.is_none();
    for (i, &item) in items.iter().enumerate() {
        let wanted = !is_known_place && !keys.is_empty()
            || keys.is_empty() && (!is_known_place || i >= from as usize)
            || keys.iter().any(|key| match key {
                Key::Digit(digit) => i == (*digit as usize).saturating_add(from as usize),
                Key::Text(_) => false,
            });
        if !wanted {
            continue;
        }
        values.extend(match view.facts.recipe(item) {
            Recipe::Spread(inner) => {
                let spread = eval::expression(resolver, at, inner);
                elements(resolver, at, spread)
            }
            _ => eval::expression(resolver, at, item),
        });
    }
    values
}

fn entries(resolver: &Resolver, at: FlowPlace, items: &[RecipeId], keys: &[Key]) -> FlowSet {
    let view = at.view();
    let mut values = FlowSet::default();
    let mut by_key: Vec<(Option<Key>, FlowSet)> = Vec::new();
    for &item in items {
        let (key, value) = match view.facts.recipe(item) {
            Recipe::Field(name, value) => (Some(Key::Text(view.facts.name(name).into())), value),
            Recipe::Entry(key, value) => {
                let keys = self::keys(resolver, at, key);
                (<[Key; 1]>::try_from(keys).ok().map(|[key]| key), value)
            }
            Recipe::Spread(inner) => {
                let spread = eval::expression(resolver, at, inner);
                values.extend(elements_at(resolver, at, &spread, keys));
                continue;
            }
            _ => continue,
        };
        let is_wanted = keys.is_empty()
            || key.is_none()
            || key.as_ref().is_some_and(|key| is_one_of(view, key, keys));
        if is_wanted {
            let held = eval::expression(resolver, at, value);
            // A key that is written twice means the later value.
            by_key.retain(|(known, _)| known.is_none() || *known != key);
            by_key.push((key, held));
        }
    }
    by_key.into_iter().for_each(|(_, held)| values.extend(held));
    values
}

fn is_one_of(view: &FileView, key: &Key, keys: &[Key]) -> bool {
    let as_text = |key: &Key| match key {
        Key::Digit(digit) => digit.to_string(),
        Key::Text(text) => text.to_string(),
    };
    keys.contains(key)
        || view.dialect.flows.members_are_keys
            && keys.iter().any(|other| as_text(other) == as_text(key))
}

/// What the code of a file puts into a container that is written somewhere.
fn put_in(resolver: &Resolver, view: &FileView, written: WrittenValue, keys: &[Key]) -> FlowSet {
    let mut values = FlowSet::default();
    let is_it = |values: &FlowSet| {
        let is_it = |value: &FlowValue| matches!(value, FlowValue::Container(other, _) if *other == written);
        values.all.iter().any(is_it)
    };
    for store in &view.facts.stores {
        if !spend(resolver) {
            return values;
        }
        let at = FlowPlace::new(Place::new(view, store.scope, store.at.saturating_sub(1)));
        let (container, key) = match view.facts.recipe(store.target) {
            Recipe::Index(container, key) => (container, self::keys(resolver, at, key)),
            Recipe::Member(object, name) if view.dialect.flows.members_are_keys => {
                (object, vec![Key::Text(view.facts.name(name).into())])
            }
            _ => continue,
        };
        let fits =
            keys.is_empty() || key.is_empty() || key.iter().any(|key| is_one_of(view, key, keys));
        if fits && is_it(&eval::expression(resolver, at, container)) {
            values.extend(eval::expression(resolver, at, store.value));
        }
    }
    let flows = view.dialect.flows;
    let by_method = flows.puts.iter().map(|(name, first)| (*name, Some(*first)));
    let by_function = flows.merges_into_first.iter().map(|name| (*name, None));
    for (name, first) in by_method.chain(by_function) {
        let Some(id) = view.facts.names.find(name) else {
            continue;
        };
        for reference in view.facts.references_of(id) {
            let Some(Recipe::Call(_, list)) = reference.call.map(|call| view.facts.recipe(call))
            else {
                continue;
            };
            let arguments = view.facts.list(list);
            let (container, put) = match first {
                Some(first) => (
                    reference.receiver,
                    arguments.iter().skip(first.into()).take(1),
                ),
                None => (arguments.first().copied(), arguments.iter().skip(1).take(8)),
            };
            let at = FlowPlace::new(Place::of(view, reference));
            let Some(container) = container.filter(|_| !arguments.is_empty() && spend(resolver))
            else {
                continue;
            };
            if !is_it(&eval::expression(resolver, at, container)) {
                continue;
            }
            for &argument in put {
                let put = eval::expression(resolver, at, argument);
                // What is merged into a table is a table itself.
                values.extend(match first.is_none() || flows.merges.contains(&name) {
                    true => elements_at(resolver, at, &put, keys),
                    false => put,
                });
            }
        }
    }
    values
}

/// What is assigned to a field through something else than the receiver of a method of its type:
/// `cart.callback = f`.
pub(super) fn stored_in_field(resolver: &Resolver, field: SymbolId) -> FlowSet {
    let mut values = FlowSet::default();
    let name = resolver.name(field);
    for mention in references(resolver, field).unwrap_or_default() {
        if mention.role != Role::Write || mention.outcome == Outcome::Ambiguous {
            continue;
        }
        let Some(view) = resolver.view(mention.file) else {
            continue;
        };
        let is_it = |store: &&StoredValue| {
            matches!(view.facts.recipe(store.target), Recipe::Member(_, member)
                if view.facts.name(member) == name)
                && store.at >= mention.span.end
        };
        let Some(store) = view.facts.stores.iter().find(is_it) else {
            continue;
        };
        let place = Place::new(&view, store.scope, store.at.saturating_sub(1));
        values.extend(eval::expression(
            resolver,
            FlowPlace::new(place),
            store.value,
        ));
    }
    values
}

/// What the code of a file assigns to a member of one of some objects, where no type declares the
/// member.
pub(super) fn stored_members(
    resolver: &Resolver,
    at: FlowPlace,
    objects: &FlowSet,
    name: &str,
) -> FlowSet {
    let view = at.view();
    let mut values = FlowSet::default();
    let Some(id) = view.facts.names.find(name) else {
        return values;
    };
    for store in &view.facts.stores {
        let Recipe::Member(object, member) = view.facts.recipe(store.target) else {
            continue;
        };
        if member != id || !spend(resolver) {
            continue;
        }
        let place = Place::new(view, store.scope, store.at.saturating_sub(1));
        let others = eval::expression(resolver, FlowPlace::new(place), object);
        if others.all.iter().any(|other| objects.all.contains(other)) {
            values.extend(eval::expression(
                resolver,
                FlowPlace::new(place),
                store.value,
            ));
        }
    }
    values
}
