//! What libraries do with functions and containers that they are given.

use facts::{Recipe, RecipeId, Reference};

use super::{FlowPlace, FlowSet, FlowValue, containers, eval};
use crate::{
    Resolver,
    resolve::{FileView, scopes, scopes::Space},
};

/// What the libraries of a language do, by the last word of what is called. A word counts only where
/// it is called on, or with, a value that is known to be a function or a container.
pub(crate) struct LibraryFlows {
    /// Functions are followed as values.
    pub follows_values: bool,
    /// `object.name` and `object["name"]` are the same.
    pub members_are_keys: bool,
    /// Annotations are functions that are called with what they decorate, and its name means what
    /// they give.
    pub decorators_replace: bool,
    /// They call the functions that they are given: `map`, `forEach`, `setTimeout`.
    pub applies: &'static [&'static str],
    /// They give back their first argument, a function or what it holds: `partial`, `list`.
    pub gives_first: &'static [&'static str],
    /// Methods of a function that call it: `call`.
    pub calls_receiver: &'static [&'static str],
    /// Methods that give back their receiver, a function or a container: `bind`, `copy`.
    pub gives_receiver: &'static [&'static str],
    /// Methods of a container that give one element, by a key or any: `get`, `pop`.
    pub gives_element: &'static [&'static str],
    /// Methods of a container, or functions of one, that give all that it holds: `values`.
    pub gives_held: &'static [&'static str],
    /// The same, each with its key: `items`.
    pub gives_pairs: &'static [&'static str],
    /// Methods that put an argument, by its place, into their receiver: `append`.
    pub puts: &'static [(&'static str, u8)],
    /// Those of [`LibraryFlows::puts`] that put in what the argument holds: `update`.
    pub merges: &'static [&'static str],
    /// Functions that put what their later arguments hold into the first: `Object.assign`.
    pub merges_into_first: &'static [&'static str],
}

impl LibraryFlows {
    pub const NONE: LibraryFlows = LibraryFlows {
        follows_values: false,
        members_are_keys: false,
        decorators_replace: false,
        applies: &[],
        gives_first: &[],
        calls_receiver: &[],
        gives_receiver: &[],
        gives_element: &[],
        gives_held: &[],
        gives_pairs: &[],
        puts: &[],
        merges: &[],
        merges_into_first: &[],
    };

    /// What is in variables, parameters, fields and containers is followed; nothing is known of
    /// libraries.
    pub const PLAIN: LibraryFlows = LibraryFlows {
        follows_values: true,
        ..LibraryFlows::NONE
    };
}

/// Whether a library's function of this name calls the functions that it is given.
pub(super) fn applies(view: &FileView, name: &str) -> bool {
    view.dialect.flows.applies.contains(&name)
}

/// Whether a method of this name calls the function that it is called on: `f.call(…)`, or the method
/// of a library's interface that the function was given for.
pub(crate) fn called_receiver(view: &FileView, name: &str) -> bool {
    view.dialect.flows.calls_receiver.contains(&name)
        || view.semantics.protocols.functional.contains(&name)
}

/// Whether values may tell more of a call of a library's function than its name: only some things
/// that libraries do are known.
pub(crate) fn is_open_library_call(view: &FileView, reference: &Reference) -> bool {
    let name = view.facts.name(reference.name);
    applies(view, name)
        || called_receiver(view, name)
        || view.dialect.flows.members_are_keys && reference.receiver.is_some()
}

/// What a call of a library's function gives, where that is something it was given.
pub(super) fn result(
    resolver: &Resolver,
    at: FlowPlace,
    callee: RecipeId,
    arguments: &[RecipeId],
) -> Option<FlowSet> {
    let view = at.view();
    let flows = view.dialect.flows;
    match view.facts.recipe(callee) {
        Recipe::Member(object, name) => {
            let name = view.facts.name(name);
            of_method(resolver, at, object, name, arguments).or_else(|| {
                // `functools.partial(f)`, `Object.values(table)`.
                let is_known = flows.gives_first.contains(&name)
                    || flows.gives_held.contains(&name)
                    || flows.gives_pairs.contains(&name);
                let is_library = is_known && eval::member(resolver, at, object, name).is_empty();
                is_library.then(|| of_function(resolver, at, name, arguments))?
            })
        }
        Recipe::Name(name) => {
            let name = view.facts.name(name);
            let is_known = flows.gives_first.contains(&name);
            let is_own = || {
                let (found, _) = scopes::lookup(resolver, at.place, name, Space::Callable);
                found
                    .iter()
                    .any(|found| !matches!(found, crate::Found::External(_)))
            };
            (is_known && !is_own()).then(|| of_function(resolver, at, name, arguments))?
        }
        _ => None,
    }
}

fn of_function(
    resolver: &Resolver,
    at: FlowPlace,
    name: &str,
    arguments: &[RecipeId],
) -> Option<FlowSet> {
    let view = at.view();
    let flows = view.dialect.flows;
    let first = *arguments.first()?;
    let values = eval::expression(resolver, at, first);
    if flows.gives_first.contains(&name) {
        let keeps = |value: &FlowValue| {
            matches!(
                value,
                FlowValue::Function(..)
                    | FlowValue::Lambda(..)
                    | FlowValue::Class(_)
                    | FlowValue::Container(..)
                    | FlowValue::Held(_)
                    | FlowValue::Yielded(_)
            )
        };
        return values.all.iter().any(keeps).then_some(values);
    }
    views(view, name, values)
}

fn of_method(
    resolver: &Resolver,
    at: FlowPlace,
    object: RecipeId,
    name: &str,
    arguments: &[RecipeId],
) -> Option<FlowSet> {
    let view = at.view();
    let flows = view.dialect.flows;
    let is_known = [
        flows.gives_receiver,
        flows.gives_element,
        flows.gives_held,
        flows.gives_pairs,
    ];
    if !is_known.iter().any(|names| names.contains(&name)) {
        return None;
    }
    let receiver = eval::expression(resolver, at, object);
    let is_function =
        |value: &FlowValue| matches!(value, FlowValue::Function(..) | FlowValue::Lambda(..));
    let is_container =
        |value: &FlowValue| matches!(value, FlowValue::Container(..) | FlowValue::Held(_));
    if flows.gives_receiver.contains(&name) {
        let is_kept = |value: &FlowValue| is_function(value) || is_container(value);
        let from = match name {
            "slice" => slice_start(view, arguments),
            _ => 0,
        };
        return receiver
            .all
            .iter()
            .any(is_kept)
            .then(|| containers::rest(receiver, from));
    }
    if !receiver.all.iter().any(is_container) {
        return None;
    }
    if flows.gives_element.contains(&name) {
        let keys = match arguments.first() {
            Some(&key) => containers::keys(resolver, at, key),
            None => Vec::new(),
        };
        let mut values = containers::elements_at(resolver, at, &receiver, &keys);
        // `table.get(key, default)`.
        if let Some(&default) = arguments.get(1) {
            values.extend(eval::expression(resolver, at, default));
        }
        return Some(values);
    }
    views(view, name, receiver)
}

/// All that containers hold, alone or with their keys.
fn views(view: &FileView, name: &str, receiver: FlowSet) -> Option<FlowSet> {
    let pairs = view.dialect.flows.gives_pairs.contains(&name);
    let mut values = FlowSet::default();
    for value in receiver.all {
        if let FlowValue::Container(written, _) = value {
            values.add(match pairs {
                true => FlowValue::Pairs(written),
                false => FlowValue::Held(written),
            });
        }
    }
    (!values.is_empty()).then_some(values)
}

/// Where a part of a list starts; what is not written as a digit may be anywhere.
fn slice_start(view: &FileView, arguments: &[RecipeId]) -> u16 {
    match arguments.first().map(|&first| view.facts.recipe(first)) {
        None => 0,
        Some(Recipe::Literal(facts::LiteralKind::Digit(digit))) => digit.into(),
        Some(_) => u16::MAX,
    }
}
