//! Which calls may run a function through a value: the inverse of [`super::targets`].
//!
//! From the places that name the function as a value, the search goes along assignments, results,
//! arguments and stores, by name within a file and by symbol across files. It collects calls through
//! any name on the way, which are too many, and keeps those that lead to the function.

use std::{collections::BTreeSet, sync::Arc};

use facts::{
    BindingId, Modifiers, NameId, Recipe, Role, ScopeId, ScopeKind, Symbol, SymbolIndex, SymbolKind,
};
use rustc_hash::FxHashSet;

use super::{
    Called, FlowNode, FlowSet, FlowSite, FlowValue, called_receiver,
    index::Sink,
    is_open_library_call, parameters, references,
    site::{SiteIndex, applied_to_library, called_object, targets},
    spend,
};
use crate::{FileId, Outcome, Resolver, SymbolId, query, resolve::FileView};

/// A call that may run the function asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueCaller {
    pub site: FlowSite,
    /// The value brings its receiver along.
    pub is_bound: bool,
}

/// Names that may hold the function, over all files.
const MAX_CARRIERS: usize = 120;
/// Symbols whose references are searched for.
const MAX_SPREADS: usize = 12;
/// Calls that are looked at.
const MAX_CANDIDATES: usize = 200;

/// The calls that may run a function or function expression through a value, in order of path and
/// place.
pub(crate) fn value_callers(resolver: &Resolver, called: Called) -> Arc<[ValueCaller]> {
    resolver.flow.memoize_cyclic(
        &resolver.analysis.tables.flow_callers,
        called,
        FlowNode::Callers(called),
        Arc::from([]),
        || {
            let mut search = CallerSearch::new(resolver, called);
            search.start();
            search.follow();
            search.confirmed().into()
        },
    )
}

/// Whether a call runs the function that it is a member of.
fn is_call_of_receiver(view: &FileView, site: SiteIndex) -> bool {
    match site {
        SiteIndex::Reference(i) => {
            let reference = &view.facts.references[i as usize];
            reference.receiver.is_some() && called_receiver(view, view.facts.name(reference.name))
        }
        _ => false,
    }
}

struct CallerSearch<'r, 'a> {
    resolver: &'r Resolver<'a>,
    called: Called,
    /// Names still to be followed; with `true`, the name is the function's own.
    open: Vec<(FileId, NameId, bool)>,
    seen: FxHashSet<(FileId, NameId, bool)>,
    spread: FxHashSet<SymbolId>,
    candidates: BTreeSet<FlowSite>,
}

impl<'r, 'a> CallerSearch<'r, 'a> {
    fn new(resolver: &'r Resolver<'a>, called: Called) -> CallerSearch<'r, 'a> {
        CallerSearch {
            resolver,
            called,
            open: Vec::new(),
            seen: FxHashSet::default(),
            spread: FxHashSet::default(),
            candidates: BTreeSet::new(),
        }
    }

    fn start(&mut self) {
        match self.called {
            Called::Symbol(symbol) => self.start_at_symbol(symbol),
            Called::Lambda(file, scope) => {
                let Some(view) = self.resolver.view(file) else {
                    return;
                };
                for sink in view.flow_index().sinks_of_lambda(scope).to_vec() {
                    self.reach(&view, sink);
                }
            }
        }
    }

    fn start_at_symbol(&mut self, symbol: SymbolId) {
        let Some((view, declared)) = self.resolver.symbol(symbol) else {
            return;
        };
        let is_decorated = view.dialect.flows.decorators_replace
            && view
                .facts
                .annotations
                .binary_search_by_key(&symbol.index, |annotation| annotation.symbol)
                .is_ok();
        // A function expression is a value where it is written.
        let mut files = BTreeSet::new();
        if is_decorated || declared.modifiers.contains(Modifiers::ANONYMOUS) {
            files.insert(symbol.file);
        }
        let is_expression = |body: &ScopeId| view.facts.scope(*body).kind == ScopeKind::Lambda;
        if let Some(body) = declared.body.filter(is_expression) {
            for sink in view.flow_index().sinks_of_lambda(body).to_vec() {
                self.reach(&view, sink);
            }
        }
        self.start_at_objects(&view, &declared);
        let mentions = query::references(self.resolver, symbol).value;
        for mention in &mentions {
            match mention.role {
                Role::Read => {
                    files.insert(mention.file);
                }
                Role::Annotation => self.add_decoration(mention),
                _ => {}
            }
        }
        let name = self.resolver.name(symbol);
        for file in files {
            self.push_names(file, &name, true);
        }
    }

    /// The function is used as a decorator.
    fn add_decoration(&mut self, mention: &query::Mention) {
        let view = self.resolver.view(mention.file);
        let Some(view) = view.filter(|view| view.dialect.flows.decorators_replace) else {
            return;
        };
        let mut annotations = view.facts.annotations.iter();
        let i = annotations.position(|annotation| annotation.span.encloses(mention.span));
        if let Some(i) = i {
            self.add_candidate(FlowSite::new(view.id, SiteIndex::Decoration(i as u32)));
        }
    }

    /// Follows a name, and what a file imports under another name for it.
    fn push_names(&mut self, file: FileId, name: &str, whole: bool) {
        let Some(view) = self.resolver.view(file) else {
            return;
        };
        let Some(id) = view.facts.names.find(name) else {
            return;
        };
        self.push(file, id, whole);
        let imports = view.facts.imports.iter();
        for local in imports.filter_map(|import| import.local.filter(|_| import.item == Some(id))) {
            self.push(file, local, whole);
        }
    }

    fn push(&mut self, file: FileId, name: NameId, whole: bool) {
        if self.seen.len() < MAX_CARRIERS && self.seen.insert((file, name, whole)) {
            self.open.push((file, name, whole));
        }
    }

    fn follow(&mut self) {
        while let Some((file, name, whole)) = self.open.pop() {
            let Some(view) = self.resolver.view(file) else {
                continue;
            };
            let sinks: Vec<Sink> = view.flow_index().sinks_of(name, whole).collect();
            for sink in sinks {
                if !spend(self.resolver) {
                    return;
                }
                self.reach(&view, sink);
            }
            for &site in view.flow_index().calls_of(name) {
                // The function's own name is called directly, except as in `f.call(…)`.
                if !whole || is_call_of_receiver(&view, site) {
                    self.add_candidate(FlowSite::new(file, site));
                }
            }
        }
    }

    /// An object whose type has this method is called like a function.
    fn start_at_objects(&mut self, view: &FileView, method: &Symbol) {
        let name = view.facts.name(method.name);
        if !view.semantics.protocols.call.contains(&name) {
            return;
        }
        if let Some(class) = method
            .parent
            .filter(|class| view.symbol(*class).kind.is_type())
        {
            self.reach_symbol(view, class);
        }
    }

    fn add_candidate(&mut self, site: FlowSite) {
        if self.candidates.len() < MAX_CANDIDATES {
            self.candidates.insert(site);
        }
    }

    /// Goes on from where a value went.
    fn reach(&mut self, view: &FileView, sink: Sink) {
        match sink {
            Sink::Binding(binding) => self.reach_binding(view, binding),
            Sink::Symbol(symbol) => self.reach_symbol(view, symbol),
            Sink::Argument(site, i) => self.reach_argument(view, site, i),
            Sink::Store(i) => {
                let store = &view.facts.stores[i as usize];
                match view.facts.recipe(store.target) {
                    Recipe::Index(container, _) => self.reach_container(view, container),
                    Recipe::Member(object, name) => {
                        self.push(view.id, name, false);
                        self.reach_container(view, object);
                    }
                    _ => {}
                }
            }
        }
    }

    fn reach_binding(&mut self, view: &FileView, binding: BindingId) {
        let name = view.facts.bindings[binding.0 as usize].name;
        self.push(view.id, name, false);
    }

    /// A variable or field that holds the function, or a function that returns it.
    fn reach_symbol(&mut self, view: &FileView, index: SymbolIndex) {
        let declared = view.symbol(index);
        self.push(view.id, declared.name, false);
        let symbol = view.symbol_id(index);
        // What the language calls by itself is reached through objects of the type.
        let protocols = &view.semantics.protocols;
        let name = view.facts.name(declared.name);
        let by_language = [
            protocols.iterate,
            protocols.step,
            protocols.index,
            protocols.call,
        ];
        if by_language.iter().any(|names| names.contains(&name))
            && let Some(class) = declared.parent
            && view.symbol(class).kind.is_type()
        {
            self.reach_symbol(view, class);
        }
        let around = declared.parent.map(|parent| view.symbol(parent).kind);
        let is_local = declared.modifiers.contains(Modifiers::LOCAL)
            || around.is_some_and(SymbolKind::is_callable);
        if is_local || self.spread.len() >= MAX_SPREADS || !self.spread.insert(symbol) {
            return;
        }
        let mentions = references(self.resolver, symbol).unwrap_or_default();
        let files: BTreeSet<FileId> = mentions.iter().map(|mention| mention.file).collect();
        let name = view.facts.name(declared.name).to_owned();
        for file in files {
            self.push_names(file, &name, false);
        }
    }

    /// The names of an expression that the function is put into.
    fn reach_container(&mut self, view: &FileView, container: facts::RecipeId) {
        match view.facts.recipe(container) {
            Recipe::Name(name) => {
                self.push(view.id, name, false);
                // A table of the module may be used by others.
                let at_top = |index: &SymbolIndex| {
                    let symbol = view.symbol(*index);
                    symbol.declared_in == ScopeId::FILE && symbol.kind.is_value()
                };
                if let Some(symbol) = view.symbols_named(name).find(at_top) {
                    self.reach_symbol(view, symbol);
                }
            }
            Recipe::Member(_, name) => self.push(view.id, name, false),
            Recipe::Index(inner, _) => self.reach_container(view, inner),
            Recipe::Call(callee, _) => self.reach_container(view, callee),
            _ => {}
        }
    }

    /// The parameter of what is called, or what a library does with the argument.
    fn reach_argument(&mut self, view: &FileView, site: SiteIndex, argument: u16) {
        let resolver = self.resolver;
        let mut callees: Vec<FlowValue> = Vec::new();
        let mut is_open = true;
        if let SiteIndex::Reference(i) = site {
            let reference = &view.facts.references[i as usize];
            let resolution = resolver.resolve(view, reference);
            is_open =
                resolution.outcome != Outcome::External || is_open_library_call(view, reference);
            for symbol in resolution.symbols() {
                match resolver.kind(symbol) {
                    Some(kind) if kind.is_callable() => {
                        callees.push(FlowValue::Function(symbol, Some(symbol)));
                    }
                    Some(kind) if kind.is_type() => callees.push(FlowValue::Class(symbol)),
                    _ => {}
                }
            }
            if let Some(receiver) = reference.receiver {
                let name = view.facts.name(reference.name);
                if view.dialect.flows.puts.iter().any(|(put, _)| *put == name) {
                    self.reach_container(view, receiver);
                }
                let into = site.arguments(view).first();
                if view.dialect.flows.merges_into_first.contains(&name)
                    && let Some(&into) = into
                {
                    self.reach_container(view, into);
                }
            }
        }
        if callees.is_empty() && is_open {
            callees = targets(resolver, view, site).all;
            self.add_candidate(FlowSite::new(view.id, site));
        }
        for callee in callees {
            for (file, name) in parameters::receiving(resolver, view, site, &callee, argument) {
                self.push(file, name, false);
            }
        }
    }

    /// The candidates that lead to the function.
    fn confirmed(&self) -> Vec<ValueCaller> {
        let mut found = Vec::new();
        for &site in &self.candidates {
            let Some(view) = self.resolver.view(site.file) else {
                continue;
            };
            if !spend(self.resolver) {
                break;
            }
            let mut values = targets(self.resolver, &view, site.index);
            values.extend(applied_to_library(self.resolver, &view, site.index));
            if let Some(is_bound) = self.is_among(&values) {
                found.push(ValueCaller { site, is_bound });
            }
        }
        found
    }

    /// Whether the function asked for is among some values, and whether with its receiver.
    fn is_among(&self, values: &FlowSet) -> Option<bool> {
        if values.too_many {
            return None;
        }
        let resolver = self.resolver;
        let is_it = |value: &&FlowValue| match (value, self.called) {
            (FlowValue::Function(symbol, _), Called::Symbol(called)) => *symbol == called,
            (FlowValue::Class(class), Called::Symbol(called)) => *class == called,
            (FlowValue::Object(class), Called::Symbol(called)) => {
                called_object(resolver, *class) == Some(called)
            }
            (FlowValue::Lambda(file, scope, _), Called::Lambda(of, called)) => {
                (*file, *scope) == (of, called)
            }
            _ => false,
        };
        let value = values.all.iter().find(is_it)?;
        Some(parameters::is_bound(resolver, value))
    }
}
