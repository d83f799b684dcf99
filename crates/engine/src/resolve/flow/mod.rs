//! Functions as values: what a called expression may be, followed through variables, parameters,
//! results, fields, containers and decorators.
//!
//! [`eval`] asks what an expression may be, [`parameters`] which calls give a parameter its value,
//! [`containers`] what a list, table or object holds. [`callers`] is the inverse question: it
//! collects the calls that a function may arrive at and keeps those of which [`targets`] says the
//! same, so that both directions agree. Answers are sets. A set that outgrows its bound says so, and
//! is no edge.

mod callers;
mod containers;
mod eval;
mod index;
mod library;
mod parameters;
mod results;
mod site;

use std::sync::Arc;

use facts::{RecipeId, ScopeId};

use crate::{
    FileId, Resolver, SymbolId,
    query::{self, Mention},
    resolve::{FileView, Place, Ty, modules::Module},
};

pub(crate) use callers::{ValueCaller, value_callers};
pub(crate) use index::FlowIndex;
pub(crate) use library::{LibraryFlows, called_receiver, is_open_library_call};
pub(crate) use site::{FlowSite, SiteIndex, applied_to_library, is_called_by_class, runs, targets};

/// What an expression may be, as far as calls are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FlowValue {
    /// A function or method, with the type whose object or which itself it was taken from.
    Function(SymbolId, Option<SymbolId>),
    /// A function expression without a symbol.
    Lambda(FileId, ScopeId, RecipeId),
    Class(SymbolId),
    /// An object of a type.
    Object(SymbolId),
    /// A list, tuple, table or object as it is written, from one of its elements on.
    Container(WrittenValue, u16),
    /// All that a container holds, as a list.
    Held(WrittenValue),
    /// All that a container holds with its keys, as a list, and one of that list.
    Pairs(WrittenValue),
    Pair(WrittenValue),
    /// What a generator gives when it is iterated over.
    Yielded(SymbolId),
    Module(Module),
    /// A short string or a digit, which may be a key.
    Key(Key),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Text(Arc<str>),
    Digit(u16),
}

/// An expression with where it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WrittenValue {
    pub file: FileId,
    pub scope: ScopeId,
    pub at: u32,
    pub recipe: RecipeId,
}

/// The values that an expression may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowSet {
    pub all: Vec<FlowValue>,
    /// There are more than are kept: nothing may be concluded from those that are.
    pub too_many: bool,
}

/// More targets of one call tell nobody anything.
const MAX_VALUES: usize = 24;

impl FlowSet {
    pub fn one(value: FlowValue) -> FlowSet {
        FlowSet {
            all: vec![value],
            too_many: false,
        }
    }

    pub fn add(&mut self, value: FlowValue) {
        if self.all.contains(&value) {
            return;
        }
        if self.all.len() >= MAX_VALUES {
            self.too_many = true;
        } else {
            self.all.push(value);
        }
    }

    pub fn extend(&mut self, other: FlowSet) {
        self.too_many |= other.too_many;
        other.all.into_iter().for_each(|value| self.add(value));
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && !self.too_many
    }

    fn of_type(ty: &Ty) -> FlowSet {
        let mut values = FlowSet::default();
        for one in ty.alternatives() {
            match one {
                Ty::Instance(symbol, _) => values.add(FlowValue::Object(symbol)),
                Ty::Type(symbol, _) => values.add(FlowValue::Class(symbol)),
                Ty::Function(symbol, receiver) | Ty::Applied(symbol, receiver, _) => {
                    let holder = receiver.and_then(|receiver| receiver.holder());
                    values.add(FlowValue::Function(symbol, holder));
                }
                Ty::Lambda(file, scope, recipe) => {
                    values.add(FlowValue::Lambda(file, scope, recipe))
                }
                Ty::Module(module) if !matches!(module, Module::External(_)) => {
                    values.add(FlowValue::Module(module));
                }
                _ => {}
            }
        }
        values
    }
}

/// A question about values that may lead back to itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FlowNode {
    Symbol(SymbolId),
    Binding(FileId, facts::BindingId),
    Callers(Called),
    /// What is put into a container.
    Stores(WrittenValue),
}

/// What is looked for among the targets of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Called {
    Symbol(SymbolId),
    Lambda(FileId, ScopeId),
}

/// Where an expression is read, and the call whose arguments its parameters have.
#[derive(Clone, Copy)]
struct FlowPlace<'a> {
    place: Place<'a>,
    frame: Option<&'a CallFrame<'a>>,
}

impl<'a> FlowPlace<'a> {
    fn new(place: Place<'a>) -> FlowPlace<'a> {
        FlowPlace { place, frame: None }
    }

    fn view(&self) -> &'a FileView {
        self.place.view
    }

    fn written(&self, recipe: RecipeId) -> WrittenValue {
        WrittenValue {
            file: self.place.view.id,
            scope: self.place.scope,
            at: self.place.at,
            recipe,
        }
    }
}

/// One call that is followed into a function: its parameters are what this call gives.
struct CallFrame<'a> {
    file: FileId,
    /// The scope that binds the parameters.
    scope: ScopeId,
    given: Given<'a>,
    depth: u8,
}

/// Calls within calls that keep their own arguments; further in, parameters are what any call
/// gives.
const MAX_FRAMES: u8 = 4;

/// What a call gives to the parameters of what it calls.
#[derive(Clone, Copy)]
enum Given<'a> {
    Arguments {
        at: FlowPlace<'a>,
        recipes: &'a [RecipeId],
        /// Parameters before the first argument: the receiver.
        offset: u16,
    },
    /// A decorator is given what it decorates.
    Decorated(&'a FlowSet),
}

/// Steps that one question about callers or callees may spend on values.
pub(crate) const FUEL: u32 = 6_000;

/// What searching for the references of a symbol costs of [`FUEL`].
const SEARCH: u32 = 400;

/// Files that may have the name of a symbol whose references are searched for: a name of more files
/// costs more than values that come from so many places tell.
const MAX_FILES: usize = 40;

/// Whether the question may go on; every step costs a unit.
fn spend(resolver: &Resolver) -> bool {
    spend_some(resolver, 1)
}

fn spend_some(resolver: &Resolver, cost: u32) -> bool {
    let fuel = resolver.flow_fuel.get();
    if fuel < cost || !resolver.budget.spend() {
        resolver.flow_fuel.set(0);
        resolver.flow.mark_incomplete();
        resolver.budget.skip_values();
        return false;
    }
    resolver.flow_fuel.set(fuel - cost);
    true
}

/// The places that mean a symbol; nothing where too many files have its name, or nothing is left to
/// spend.
fn references(resolver: &Resolver, symbol: SymbolId) -> Option<Vec<Mention>> {
    let name = resolver.name(symbol);
    let corpus = resolver.snapshot().corpus();
    let too_many = corpus.is_mentioned_by_more_than(MAX_FILES, &name);
    let may_search = !resolver.budget.read(too_many) && spend_some(resolver, SEARCH);
    may_search.then(|| query::references(resolver, symbol).value)
}
