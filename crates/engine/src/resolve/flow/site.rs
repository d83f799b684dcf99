//! Calls as places, and what they may run through values.

use facts::{Recipe, RecipeId, Span, SymbolIndex, SymbolKind};

use super::{FlowPlace, FlowSet, FlowValue, eval, library};
use crate::{
    FileId, Resolver, SymbolId,
    resolve::{FileView, Place, Ty, lookup, scopes::Space},
};

/// A call of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SiteIndex {
    /// An index into [`facts::Facts::references`].
    Reference(u32),
    /// An index into [`facts::Facts::value_calls`].
    Value(u32),
    /// An index into [`facts::Facts::annotations`]: a decorator is called with what it decorates.
    Decoration(u32),
}

/// A call of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FlowSite {
    pub file: FileId,
    pub index: SiteIndex,
}

impl FlowSite {
    pub fn new(file: FileId, index: SiteIndex) -> FlowSite {
        FlowSite { file, index }
    }
}

impl SiteIndex {
    pub fn span(self, view: &FileView) -> Span {
        match self {
            SiteIndex::Reference(i) => view.facts.references[i as usize].span,
            SiteIndex::Value(i) => view.facts.value_calls[i as usize].span,
            SiteIndex::Decoration(i) => view.facts.annotations[i as usize].span,
        }
    }

    /// The innermost symbol around the call.
    pub fn enclosing(self, view: &FileView) -> Option<SymbolIndex> {
        match self {
            SiteIndex::Reference(i) => view.facts.references[i as usize].enclosing,
            SiteIndex::Value(i) => view.facts.value_calls[i as usize].enclosing,
            SiteIndex::Decoration(i) => {
                let decorated = view.facts.annotations[i as usize].symbol;
                view.symbol(decorated).parent
            }
        }
    }

    pub(super) fn place(self, view: &FileView) -> Place<'_> {
        match self {
            SiteIndex::Reference(i) => Place::of(view, &view.facts.references[i as usize]),
            SiteIndex::Value(i) => {
                let call = &view.facts.value_calls[i as usize];
                Place::new(view, call.scope, call.span.start)
            }
            SiteIndex::Decoration(i) => {
                let annotation = &view.facts.annotations[i as usize];
                let declared = view.symbol(annotation.symbol);
                Place::new(view, declared.declared_in, annotation.span.start)
            }
        }
    }

    /// The arguments as written; a decoration has none.
    pub(super) fn arguments(self, view: &FileView) -> &[RecipeId] {
        let call = match self {
            SiteIndex::Reference(i) => view.facts.references[i as usize].call,
            SiteIndex::Value(i) => Some(view.facts.value_calls[i as usize].recipe),
            SiteIndex::Decoration(_) => None,
        };
        match call.map(|call| view.facts.recipe(call)) {
            Some(Recipe::Call(_, list) | Recipe::New(_, list)) => view.facts.list(list),
            _ => &[],
        }
    }
}

/// What a call may run, found by following the value that is called.
pub(crate) fn targets(resolver: &Resolver, view: &FileView, site: SiteIndex) -> FlowSet {
    let at = FlowPlace::new(site.place(view));
    match site {
        SiteIndex::Reference(i) => {
            let reference = &view.facts.references[i as usize];
            let name = view.facts.name(reference.name);
            match reference.receiver {
                None => eval::name(resolver, at, name, Space::Callable),
                Some(receiver) => match library::called_receiver(view, name) {
                    true => {
                        let called = eval::expression(resolver, at, receiver);
                        let is_function = |value: &FlowValue| {
                            matches!(value, FlowValue::Function(..) | FlowValue::Lambda(..))
                        };
                        match called.all.iter().any(is_function) {
                            true => called,
                            false => eval::member(resolver, at, receiver, name),
                        }
                    }
                    false => eval::member(resolver, at, receiver, name),
                },
            }
        }
        SiteIndex::Value(i) => match view.facts.recipe(view.facts.value_calls[i as usize].recipe) {
            Recipe::Call(callee, _) => eval::expression(resolver, at, callee),
            _ => FlowSet::default(),
        },
        SiteIndex::Decoration(i) => {
            eval::expression(resolver, at, view.facts.annotations[i as usize].recipe)
        }
    }
}

/// The functions that a call hands to a library that is known to call them: `map(f, items)`.
pub(crate) fn applied_to_library(resolver: &Resolver, view: &FileView, site: SiteIndex) -> FlowSet {
    let mut values = FlowSet::default();
    let SiteIndex::Reference(i) = site else {
        return values;
    };
    let name = view.facts.name(view.facts.references[i as usize].name);
    if !library::applies(view, name) {
        return values;
    }
    let at = FlowPlace::new(site.place(view));
    for &argument in site.arguments(view) {
        let argument = match view.facts.recipe(argument) {
            Recipe::Field(_, inner) => inner,
            _ => argument,
        };
        let given = eval::expression(resolver, at, argument);
        values.too_many |= given.too_many;
        let functions = given.all.into_iter();
        functions
            .filter(|value| matches!(value, FlowValue::Function(..) | FlowValue::Lambda(..)))
            .for_each(|value| values.add(value));
    }
    values
}

/// The symbols that a call of a value leads to: of a class, what an instantiation leads to in its
/// language.
pub(crate) fn runs(resolver: &Resolver, value: &FlowValue) -> Vec<SymbolId> {
    match value {
        FlowValue::Class(class) if is_called_by_class(resolver, *class) => vec![*class],
        value => match (value, bodies(resolver, value)) {
            (FlowValue::Class(class), bodies) if bodies.is_empty() => vec![*class],
            (_, bodies) => bodies,
        },
    }
}

/// Whether making an object of a type leads to the type itself, not to its constructor.
pub(crate) fn is_called_by_class(resolver: &Resolver, class: SymbolId) -> bool {
    let view = resolver.view(class.file);
    view.is_some_and(|view| !view.semantics.construction.constructors.is_empty())
}

/// The callables whose bodies run when a value is called.
pub(super) fn bodies(resolver: &Resolver, value: &FlowValue) -> Vec<SymbolId> {
    match value {
        FlowValue::Function(symbol, _) => vec![*symbol],
        FlowValue::Class(class) => {
            let own = lookup::constructors(resolver, *class);
            match own.is_empty() {
                true => lookup::constructor_of(resolver, &Ty::type_of(*class))
                    .into_iter()
                    .collect(),
                false => own,
            }
        }
        FlowValue::Object(class) => called_object(resolver, *class).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The method that calling an object of a type runs.
pub(super) fn called_object(resolver: &Resolver, class: SymbolId) -> Option<SymbolId> {
    let view = resolver.view(class.file)?;
    let protocol = view.semantics.protocols.call;
    let hit = lookup::protocol_member(resolver, &Ty::instance(class), protocol)?;
    resolver
        .kind(hit.symbol)
        .is_some_and(SymbolKind::is_callable)
        .then_some(hit.symbol)
}
