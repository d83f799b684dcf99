//! What parameters may be: what the calls of their functions give.

use facts::{
    Binding, BindingId, Modifiers, NameId, ParameterFlags, Recipe, RecipeId, Role, ScopeId, Symbol,
    SymbolKind,
};

use super::{
    CallFrame, Called, FlowPlace, FlowSet, FlowSite, FlowValue, Given, eval, references, results,
    site::{SiteIndex, bodies, is_called_by_class},
    value_callers,
};
use crate::{
    FileId, Outcome, Resolver, SymbolId,
    query::Mention,
    resolve::{FileView, Place, Ty, lookup},
};

/// Calls of one function that are looked at; from more, nothing is concluded.
const MAX_CALLS: usize = 60;

/// What any call of its function gives a parameter.
pub(super) fn parameter(resolver: &Resolver, view: &FileView, id: BindingId) -> FlowSet {
    let binding = &view.facts.bindings[id.0 as usize];
    let default = default_at(view, binding);
    if is_receiver(view, binding) {
        return eval::expression(resolver, default, binding.value);
    }
    let owner = view.facts.scope(binding.scope).owner;
    let owner = owner.filter(|owner| view.symbol(*owner).kind.is_callable());
    let (called, takes_many) = match owner {
        Some(owner) => {
            let flags = flags_of(view, view.symbol(owner), binding);
            let many =
                ParameterFlags(ParameterFlags::VARIADIC.0 | ParameterFlags::KEYWORD_VARIADIC.0);
            (Called::Symbol(view.symbol_id(owner)), flags.0 & many.0 != 0)
        }
        None => (Called::Lambda(view.id, binding.scope), false),
    };
    let mut values = FlowSet::default();
    if takes_many {
        return values;
    }
    let Some(calls) = calls_of(resolver, called) else {
        values.too_many = true;
        return values;
    };
    let mut is_omitted = calls.is_empty();
    for (site, offset) in calls {
        let Some(caller) = resolver.view(site.file) else {
            continue;
        };
        let at = FlowPlace::new(site.index.place(&caller));
        if let SiteIndex::Decoration(i) = site.index {
            if binding.parameter == Some(offset) {
                values.extend(results::decorated_within(resolver, &caller, i as usize));
            }
            continue;
        }
        let recipes = site.index.arguments(&caller);
        match argument(
            &caller,
            recipes,
            view.facts.name(binding.name),
            place_of(binding, offset),
        ) {
            Argument::Given(recipe) => values.extend(eval::expression(resolver, at, recipe)),
            Argument::Omitted => is_omitted = true,
            Argument::Unknown => {}
        }
    }
    if is_omitted {
        values.extend(eval::expression(resolver, default, binding.value));
    }
    values
}

/// What one call gives a parameter.
pub(super) fn given(
    resolver: &Resolver,
    view: &FileView,
    binding: &Binding,
    frame: &CallFrame,
) -> FlowSet {
    if is_receiver(view, binding) {
        return eval::expression(resolver, default_at(view, binding), binding.value);
    }
    match frame.given {
        Given::Decorated(values) if binding.parameter == Some(0) => values.clone(),
        Given::Decorated(_) => FlowSet::default(),
        Given::Arguments {
            at,
            recipes,
            offset,
        } => {
            let name = view.facts.name(binding.name);
            match argument(at.view(), recipes, name, place_of(binding, offset)) {
                Argument::Given(recipe) => eval::expression(resolver, at, recipe),
                Argument::Omitted => {
                    eval::expression(resolver, default_at(view, binding), binding.value)
                }
                Argument::Unknown => FlowSet::default(),
            }
        }
    }
}

fn default_at<'a>(view: &'a FileView, binding: &Binding) -> FlowPlace<'a> {
    FlowPlace::new(Place::of_binding(view, binding))
}

fn is_receiver(view: &FileView, binding: &Binding) -> bool {
    matches!(
        view.facts.recipe(binding.value),
        Recipe::SelfValue | Recipe::SelfType
    )
}

fn flags_of(view: &FileView, owner: &Symbol, binding: &Binding) -> ParameterFlags {
    let i = usize::from(binding.parameter.unwrap_or(0));
    let parameter = view.facts.parameters(owner).get(i);
    parameter.map_or(ParameterFlags::default(), |parameter| parameter.flags)
}

/// The place of a parameter's argument; nothing for the receiver.
fn place_of(binding: &Binding, offset: u16) -> Option<usize> {
    let place = binding.parameter?.checked_sub(offset)?;
    Some(place.into())
}

enum Argument {
    Given(RecipeId),
    Omitted,
    Unknown,
}

/// The argument that a call gives for a parameter, by name or by place.
fn argument(view: &FileView, recipes: &[RecipeId], name: &str, place: Option<usize>) -> Argument {
    let Some(place) = place else {
        return Argument::Unknown;
    };
    let mut n_before = 0;
    for &recipe in recipes {
        match view.facts.recipe(recipe) {
            Recipe::Field(keyword, value) => {
                if view.facts.name(keyword) == name {
                    return Argument::Given(value);
                }
            }
            Recipe::Spread(_) => return Argument::Unknown,
            _ if n_before == place => return Argument::Given(recipe),
            _ => n_before += 1,
        }
    }
    Argument::Omitted
}

/// Every call of a function, by name or through values, each with how many parameters come before
/// its first argument; nothing where there are too many.
fn calls_of(resolver: &Resolver, called: Called) -> Option<Vec<(FlowSite, u16)>> {
    let mut calls = Vec::new();
    let mut through_values = vec![called];
    if let Called::Symbol(symbol) = called {
        let classes = constructed_by(resolver, symbol);
        let named = std::iter::once(symbol).chain(classes.iter().copied());
        for name in named {
            // Constructors share one name; the types that they make tell their calls.
            let Some(mentions) = references(resolver, name) else {
                if classes.is_empty() {
                    return None;
                }
                continue;
            };
            for mention in mentions.iter().filter(|mention| is_call(mention)) {
                calls.extend(call_at(resolver, symbol, mention));
                if calls.len() > MAX_CALLS {
                    return None;
                }
            }
        }
        through_values.extend(classes.into_iter().map(Called::Symbol));
    }
    for called in through_values {
        for caller in value_callers(resolver, called).iter() {
            let call = (caller.site, u16::from(caller.is_bound));
            if !calls.iter().any(|(site, _)| *site == caller.site) {
                calls.push(call);
            }
        }
    }
    (calls.len() <= MAX_CALLS).then_some(calls)
}

/// The types that a constructor makes, where calls name the type: its own and those that inherit
/// the constructor.
fn constructed_by(resolver: &Resolver, constructor: SymbolId) -> Vec<SymbolId> {
    let parent = resolver
        .symbol(constructor)
        .and_then(|(_, declared)| declared.parent);
    let Some(class) = parent.map(|parent| constructor.beside(parent)) else {
        return Vec::new();
    };
    let is_constructor = is_called_by_class(resolver, class)
        && lookup::constructors(resolver, class).contains(&constructor);
    if !is_constructor {
        return Vec::new();
    }
    let derived = resolver.derived(class);
    let heirs = derived
        .iter()
        .copied()
        .filter(|heir| lookup::constructors(resolver, *heir).is_empty());
    std::iter::once(class).chain(heirs).collect()
}

fn is_call(mention: &Mention) -> bool {
    matches!(
        mention.role,
        Role::Call | Role::Instantiate | Role::Annotation
    ) && mention.outcome != Outcome::Ambiguous
        && !mention.through_type
}

fn call_at(resolver: &Resolver, symbol: SymbolId, mention: &Mention) -> Option<(FlowSite, u16)> {
    let view = resolver.view(mention.file)?;
    if mention.role == Role::Annotation {
        let annotations = &view.facts.annotations;
        let i = annotations
            .iter()
            .position(|annotation| annotation.span.encloses(mention.span))?;
        // `@decorator(…)` is a call of its own.
        let is_plain = !matches!(view.facts.recipe(annotations[i].recipe), Recipe::Call(..));
        let site = FlowSite::new(view.id, SiteIndex::Decoration(i as u32));
        return is_plain.then_some((site, 0));
    }
    let index = view.flow_index().call_at(mention.span.start)?;
    let SiteIndex::Reference(i) = index else {
        return None;
    };
    let reference = &view.facts.references[i as usize];
    let is_bound = has_receiver(resolver, symbol)
        && match reference.receiver {
            Some(receiver) => {
                let of_type = matches!(
                    resolver.eval(Place::of(&view, reference), receiver),
                    Ty::Type(..)
                );
                !of_type || is_constructor_or_of_class(resolver, symbol)
            }
            None => true,
        };
    Some((FlowSite::new(view.id, index), u16::from(is_bound)))
}

/// Whether the first parameter of a function is its receiver.
fn has_receiver(resolver: &Resolver, symbol: SymbolId) -> bool {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return false;
    };
    let first = view.facts.parameters(&declared).first();
    first.is_some_and(|first| first.flags.contains(ParameterFlags::RECEIVER))
}

fn is_constructor_or_of_class(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver.symbol(symbol).is_some_and(|(_, declared)| {
        declared.kind == SymbolKind::Constructor
            || declared.modifiers.contains(Modifiers::CLASS_METHOD)
    })
}

/// Whether a called value brings its receiver along, so that arguments start after it.
pub(super) fn is_bound(resolver: &Resolver, callee: &FlowValue) -> bool {
    match callee {
        FlowValue::Function(symbol, receiver) => {
            receiver.is_some() && has_receiver(resolver, *symbol)
        }
        FlowValue::Class(_) | FlowValue::Object(_) => true,
        _ => false,
    }
}

/// The names of the parameters that may receive an argument of a call.
pub(super) fn receiving(
    resolver: &Resolver,
    caller: &FileView,
    site: SiteIndex,
    callee: &FlowValue,
    argument: u16,
) -> Vec<(FileId, NameId)> {
    let recipes = site.arguments(caller);
    let keyword = match recipes
        .get(argument as usize)
        .map(|&given| caller.facts.recipe(given))
    {
        Some(Recipe::Field(name, _)) => Some(caller.facts.name(name)),
        _ => None,
    };
    let scopes: Vec<(FileId, ScopeId, bool)> = match callee {
        FlowValue::Lambda(file, scope, _) => vec![(*file, *scope, false)],
        callee => {
            let bodies = bodies(resolver, callee).into_iter();
            bodies
                .filter_map(|symbol| {
                    let (_, declared) = resolver.symbol(symbol)?;
                    let takes_receiver = has_receiver(resolver, symbol);
                    Some((symbol.file, declared.body?, takes_receiver))
                })
                .collect()
        }
    };
    let mut found = Vec::new();
    for (file, scope, takes_receiver) in scopes {
        let Some(view) = resolver.view(file) else {
            continue;
        };
        let parameters = view
            .facts
            .bindings
            .iter()
            .filter(|binding| binding.scope == scope && binding.parameter.is_some());
        for binding in parameters {
            let place = binding.parameter.unwrap_or(0);
            let name = view.facts.name(binding.name);
            let fits = match keyword {
                Some(keyword) => keyword == name,
                None => place == argument || takes_receiver && place == argument + 1,
            };
            if fits {
                found.push((file, binding.name));
            }
        }
    }
    found
}
