//! Where values of a file go: what binds, assigns, returns, stores or passes what a name stands
//! for. Made when a question first follows values through the file.

use facts::{BindingId, Facts, NameId, Recipe, RecipeId, Role, ScopeId, SymbolIndex};
use rustc_hash::FxHashMap;

use super::site::SiteIndex;

/// A place that a value goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    Binding(BindingId),
    /// A variable or field takes it, or a callable returns it.
    Symbol(SymbolIndex),
    Argument(SiteIndex, u16),
    Store(u32),
}

#[derive(Default)]
pub(crate) struct FlowIndex {
    /// By a name that the value mentions; `true` where the value may be what the name stands for,
    /// not only something taken from it.
    sinks: FxHashMap<NameId, Vec<(Sink, bool)>>,
    /// By a function expression that the value mentions.
    lambdas: FxHashMap<ScopeId, Vec<Sink>>,
    /// Calls by the names that their callees mention.
    calls: FxHashMap<NameId, Vec<SiteIndex>>,
    /// Calls of names by where the names start.
    by_start: FxHashMap<u32, SiteIndex>,
}

/// Larger expressions are generated.
const MAX_NODES: usize = 256;

impl FlowIndex {
    /// `decorators` tells whether annotations are functions that are called.
    pub fn new(facts: &Facts, decorators: bool) -> FlowIndex {
        let mut index = FlowIndex::default();
        for (i, binding) in facts.bindings.iter().enumerate() {
            index.add(facts, binding.value, Sink::Binding(BindingId(i as u32)));
        }
        for (symbol, declared) in facts.symbols_with_index() {
            for value in facts.values(declared) {
                index.add(facts, value.recipe, Sink::Symbol(symbol));
            }
        }
        for (i, reference) in facts.references.iter().enumerate() {
            if matches!(reference.role, Role::Call | Role::Instantiate) {
                let site = SiteIndex::Reference(i as u32);
                index.by_start.insert(reference.span.start, site);
                let mut names = vec![reference.name];
                names.extend(reference.receiver.iter().flat_map(|r| names_in(facts, *r)));
                index.add_call(facts, site, names, reference.call);
            }
        }
        for (i, call) in facts.value_calls.iter().enumerate() {
            let site = SiteIndex::Value(i as u32);
            if let Recipe::Call(callee, _) = facts.recipe(call.recipe) {
                index.add_call(facts, site, names_in(facts, callee), Some(call.recipe));
            }
        }
        for (i, store) in facts.stores.iter().enumerate() {
            index.add(facts, store.value, Sink::Store(i as u32));
        }
        let annotations = facts.annotations.iter().filter(|_| decorators);
        for (i, annotation) in annotations.enumerate() {
            let names = names_in(facts, annotation.recipe);
            let site = SiteIndex::Decoration(i as u32);
            names.into_iter().for_each(|name| {
                index.calls.entry(name).or_default().push(site);
            });
            index.add(facts, annotation.recipe, Sink::Symbol(annotation.symbol));
            let decorated = facts.symbol(annotation.symbol).name;
            let sink = (Sink::Argument(site, 0), true);
            index.sinks.entry(decorated).or_default().push(sink);
        }
        index
    }

    /// Where values go that mention a name; with `whole`, only those that may be what it stands for.
    pub fn sinks_of(&self, name: NameId, whole: bool) -> impl Iterator<Item = Sink> + '_ {
        let sinks = self.sinks.get(&name).map_or(&[][..], Vec::as_slice);
        let wanted = sinks
            .iter()
            .filter(move |(_, is_whole)| *is_whole || !whole);
        wanted.map(|(sink, _)| *sink)
    }

    pub fn sinks_of_lambda(&self, scope: ScopeId) -> &[Sink] {
        self.lambdas.get(&scope).map_or(&[], Vec::as_slice)
    }

    /// Calls whose callees mention a name.
    pub fn calls_of(&self, name: NameId) -> &[SiteIndex] {
        self.calls.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The call whose name starts at a place.
    pub fn call_at(&self, start: u32) -> Option<SiteIndex> {
        self.by_start.get(&start).copied()
    }

    fn add_call(
        &mut self,
        facts: &Facts,
        site: SiteIndex,
        names: Vec<NameId>,
        call: Option<RecipeId>,
    ) {
        for name in names {
            self.calls.entry(name).or_default().push(site);
        }
        let list = match call.map(|call| facts.recipe(call)) {
            Some(Recipe::Call(_, list) | Recipe::New(_, list)) => list,
            _ => return,
        };
        for (i, argument) in facts.list(list).iter().enumerate() {
            self.add(facts, *argument, Sink::Argument(site, i as u16));
        }
    }

    fn add(&mut self, facts: &Facts, recipe: RecipeId, sink: Sink) {
        let mut push = |name: NameId, whole: bool| {
            let sinks = self.sinks.entry(name).or_default();
            match sinks.last_mut() {
                Some((last, is_whole)) if *last == sink => *is_whole |= whole,
                _ => sinks.push((sink, whole)),
            }
        };
        let mut lambdas = Vec::new();
        visit(facts, recipe, |part, whole| match part {
            Recipe::Name(name) | Recipe::Member(_, name) | Recipe::Scoped(_, name) => {
                push(name, whole);
            }
            Recipe::Symbol(symbol) => push(facts.symbol(symbol).name, whole),
            Recipe::Lambda(scope, _) => lambdas.push(scope),
            _ => {}
        });
        for scope in lambdas {
            self.lambdas.entry(scope).or_default().push(sink);
        }
    }
}

/// The names that an expression mentions.
fn names_in(facts: &Facts, recipe: RecipeId) -> Vec<NameId> {
    let mut names = Vec::new();
    visit(facts, recipe, |part, _| match part {
        Recipe::Name(name) | Recipe::Member(_, name) | Recipe::Scoped(_, name) => names.push(name),
        Recipe::Symbol(symbol) => names.push(facts.symbol(symbol).name),
        _ => {}
    });
    names.sort_unstable();
    names.dedup();
    names
}

/// Visits the parts of an expression, each with whether the whole may be that part or hold it.
fn visit(facts: &Facts, recipe: RecipeId, mut found: impl FnMut(Recipe, bool)) {
    if !recipe.is_known() {
        return;
    }
    let mut open = vec![(recipe, true)];
    let mut n_nodes = 0;
    while let Some((id, whole)) = open.pop() {
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            return;
        }
        let part = facts.recipe(id);
        found(part, whole);
        match part {
            Recipe::Member(inner, _) | Recipe::Scoped(inner, _) | Recipe::Parameter(inner, _) => {
                open.push((inner, false));
            }
            Recipe::Call(callee, list) => {
                open.push((callee, false));
                // What a function is given it may give back.
                open.extend(facts.list(list).iter().map(|&item| (item, whole)));
            }
            Recipe::New(_, list) => {
                open.extend(facts.list(list).iter().map(|&item| (item, whole)));
            }
            Recipe::Index(inner, _)
            | Recipe::Element(inner)
            | Recipe::Part(inner, _)
            | Recipe::Rest(inner, _)
            | Recipe::Await(inner)
            | Recipe::Try(inner)
            | Recipe::Deref(inner)
            | Recipe::Reference(inner)
            | Recipe::Field(_, inner)
            | Recipe::Entry(_, inner)
            | Recipe::Spread(inner)
            | Recipe::TypeArguments(inner, _) => open.push((inner, whole)),
            Recipe::Either(a, b) => open.extend([(a, whole), (b, whole)]),
            Recipe::Tuple(list)
            | Recipe::List(list)
            | Recipe::Object(list)
            | Recipe::Lambda(_, list) => {
                open.extend(facts.list(list).iter().map(|&item| (item, whole)));
            }
            _ => {}
        }
    }
}
