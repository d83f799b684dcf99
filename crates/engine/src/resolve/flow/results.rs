//! What calls give, and what decorators make of functions.

use facts::{ListRange, Modifiers, Recipe, RecipeId, SymbolKind};

use super::{
    CallFrame, FlowPlace, FlowSet, FlowValue, Given, MAX_FRAMES, containers, eval, library,
    parameters, site::called_object,
};
use crate::{
    Resolver, SymbolId,
    resolve::{FileView, Place, Ty, owner, scopes::Space, values as types},
};

/// What a call gives.
pub(super) fn call(
    resolver: &Resolver,
    at: FlowPlace,
    recipe: RecipeId,
    callee: RecipeId,
    arguments: ListRange,
) -> FlowSet {
    let view = at.view();
    let recipes = view.facts.list(arguments);
    if let Some(values) = library::result(resolver, at, callee, recipes) {
        return values;
    }
    let callees = match view.facts.recipe(callee) {
        Recipe::Name(name) => eval::name(resolver, at, view.facts.name(name), Space::Callable),
        _ => eval::expression(resolver, at, callee),
    };
    let mut values = FlowSet {
        too_many: callees.too_many,
        ..FlowSet::default()
    };
    for callee in &callees.all {
        let offset = u16::from(parameters::is_bound(resolver, callee));
        let given = Given::Arguments {
            at,
            recipes,
            offset,
        };
        values.extend(of(resolver, callee, given, depth_of(at)));
    }
    eval::or_typed(resolver, at, recipe, values)
}

fn depth_of(at: FlowPlace) -> u8 {
    at.frame.map_or(0, |frame| frame.depth + 1)
}

/// What calling a value gives.
fn of(resolver: &Resolver, callee: &FlowValue, given: Given, depth: u8) -> FlowSet {
    match callee {
        FlowValue::Function(symbol, _) => of_function(resolver, *symbol, given, depth),
        FlowValue::Class(class) => FlowSet::one(FlowValue::Object(*class)),
        FlowValue::Object(class) => match called_object(resolver, *class) {
            Some(method) => of_function(resolver, method, given, depth),
            None => FlowSet::default(),
        },
        FlowValue::Lambda(file, scope, recipe) => {
            let Some(view) = resolver.view(*file) else {
                return FlowSet::default();
            };
            let Recipe::Lambda(_, returns) = view.facts.recipe(*recipe) else {
                return FlowSet::default();
            };
            let frame = CallFrame {
                file: *file,
                scope: *scope,
                given,
                depth,
            };
            let place = Place::new(&view, *scope, view.facts.scope(*scope).span.end);
            let frame = (depth < MAX_FRAMES).then_some(&frame);
            let mut values = FlowSet::default();
            for &returned in view.facts.list(returns) {
                values.extend(eval::expression(
                    resolver,
                    FlowPlace { place, frame },
                    returned,
                ));
            }
            values
        }
        _ => FlowSet::default(),
    }
}

fn of_function(resolver: &Resolver, symbol: SymbolId, given: Given, depth: u8) -> FlowSet {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return FlowSet::default();
    };
    if declared.kind == SymbolKind::Constructor {
        return FlowSet::of_type(&owner::self_type(resolver, symbol));
    }
    if declared.modifiers.contains(Modifiers::GENERATOR) {
        return FlowSet::one(FlowValue::Yielded(symbol));
    }
    let returned = view.facts.values(&declared);
    if returned.is_empty() {
        return FlowSet::of_type(&types::symbol_type(resolver, symbol));
    }
    let frame = declared.body.map(|scope| CallFrame {
        file: symbol.file,
        scope,
        given,
        depth,
    });
    let frame = frame.as_ref().filter(|_| depth < MAX_FRAMES);
    let mut values = FlowSet::default();
    for value in returned {
        let place = Place::of_value(&view, value);
        values.extend(eval::expression(
            resolver,
            FlowPlace { place, frame },
            value.recipe,
        ));
    }
    values
}

/// What a generator yields.
pub(super) fn yielded(resolver: &Resolver, symbol: SymbolId) -> FlowSet {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return FlowSet::default();
    };
    let mut values = FlowSet::default();
    for value in view.facts.values(&declared) {
        let at = FlowPlace::new(Place::of_value(&view, value));
        values.extend(eval::expression(resolver, at, value.recipe));
    }
    values
}

/// What the name of a function gives: the function, or what its decorators make of it.
pub(super) fn decorated(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> FlowSet {
    let first = view
        .facts
        .annotations
        .partition_point(|annotation| annotation.symbol < symbol.index);
    decorated_from(resolver, view, symbol, first)
}

/// What a decorator is given: the function as the decorators between the two left it.
pub(super) fn decorated_within(resolver: &Resolver, view: &FileView, decorator: usize) -> FlowSet {
    let symbol = view.symbol_id(view.facts.annotations[decorator].symbol);
    decorated_from(resolver, view, symbol, decorator + 1)
}

/// A function after some of its decorators: those from an index into the annotations on.
fn decorated_from(resolver: &Resolver, view: &FileView, symbol: SymbolId, first: usize) -> FlowSet {
    let is_type = view.symbol(symbol.index).kind.is_type();
    let mut current = FlowSet::one(match is_type {
        true => FlowValue::Class(symbol),
        false => FlowValue::Function(symbol, None),
    });
    if !view.dialect.flows.decorators_replace {
        return current;
    }
    let annotations: Vec<_> = view.facts.annotations[first..]
        .iter()
        .take_while(|annotation| annotation.symbol == symbol.index)
        .collect();
    let declared = view.symbol(symbol.index);
    // The nearest to the function is applied first.
    for annotation in annotations.into_iter().rev() {
        let place = Place::new(view, declared.declared_in, annotation.span.start);
        let decorators = eval::expression(resolver, FlowPlace::new(place), annotation.recipe);
        let mut made = FlowSet::default();
        for decorator in &decorators.all {
            made.extend(of(resolver, decorator, Given::Decorated(&current), 0));
        }
        // A decorator of which nothing is known is taken to give back what it is given.
        if made.all.iter().any(may_be_called) {
            current = made;
        }
    }
    current
}

fn may_be_called(value: &FlowValue) -> bool {
    matches!(
        value,
        FlowValue::Function(..)
            | FlowValue::Lambda(..)
            | FlowValue::Class(_)
            | FlowValue::Object(_)
    )
}

/// What iterating over an object of a type gives.
pub(super) fn iterated(resolver: &Resolver, class: SymbolId) -> FlowSet {
    let Some(view) = resolver.view(class.file) else {
        return FlowSet::default();
    };
    let protocols = &view.semantics.protocols;
    let ty = Ty::instance(class);
    let member = |names| crate::resolve::lookup::protocol_member(resolver, &ty, names);
    let Some(iterate) = member(protocols.iterate) else {
        return FlowSet::default();
    };
    let given = Given::Decorated(&FlowSet::default());
    let iterator = of_function(resolver, iterate.symbol, given, MAX_FRAMES);
    let steps_itself = iterator.all.contains(&FlowValue::Object(class));
    match member(protocols.step).filter(|_| steps_itself) {
        Some(step) => of_function(resolver, step.symbol, given, MAX_FRAMES),
        None => {
            let place = Place::end_of_file(&view);
            containers::elements(resolver, FlowPlace::new(place), iterator)
        }
    }
}
