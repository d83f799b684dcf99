//! Who calls a symbol, and what it calls.

use std::collections::BTreeMap;

use facts::{Role, Span, SymbolIndex, SymbolKind};

use rustc_hash::FxHashSet;

use super::{
    answers::{Callees, Callers, answered},
    dispatch, value_calls,
};
use crate::{
    Complete, FileId, FileView, Found, Outcome, Resolver, Rule, SymbolId, query,
    resolve::flow::{self, SiteIndex},
};

/// One edge with every call site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller, or what is called.
    pub symbol: SymbolId,
    pub outcome: Outcome,
    pub sites: Vec<Site>,
}

/// Where a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    pub file: FileId,
    pub span: Span,
    /// From 1.
    pub line: u32,
}

/// A call outside of any callable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideCall {
    pub site: Site,
    pub outcome: Outcome,
}

/// What a call graph leaves out of its edges, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlinkedCalls {
    /// Paths into libraries.
    pub external: Vec<(String, FileId, Span)>,
    /// Candidates of calls of which none was chosen.
    pub ambiguous: Vec<(Vec<SymbolId>, FileId, Span)>,
    /// Names that nothing was found for, with the receiver as written.
    pub unresolved: Vec<(String, Option<String>, FileId, Span)>,
}

/// What runs when a symbol is called: itself, and of a type its constructors.
pub fn called_as(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let mut called = vec![symbol];
    if resolver.kind(symbol).is_some_and(SymbolKind::is_type) {
        let members = query::children(resolver, symbol);
        called.extend(
            members
                .into_iter()
                .filter(|member| resolver.kind(*member) == Some(SymbolKind::Constructor)),
        );
    }
    called
}

/// The callables that call a symbol, in order of path and place. Calls outside of any callable are
/// in the second list.
pub fn callers(resolver: &Resolver, symbol: SymbolId) -> Complete<(Vec<Call>, Vec<OutsideCall>)> {
    callers_along(resolver, symbol, true)
}

/// The callers of a symbol without calls that may arrive through a base type or a value.
pub fn direct_callers(
    resolver: &Resolver,
    symbol: SymbolId,
) -> Complete<(Vec<Call>, Vec<OutsideCall>)> {
    callers_along(resolver, symbol, false)
}

fn callers_along(
    resolver: &Resolver,
    symbol: SymbolId,
    dispatched: bool,
) -> Complete<(Vec<Call>, Vec<OutsideCall>)> {
    let find = || find_callers(resolver, symbol, dispatched);
    resolver.budget.finish(
        (*answered(
            resolver,
            |answers| &answers.callers,
            (symbol, dispatched),
            find,
        ))
        .clone(),
    )
}

fn find_callers(resolver: &Resolver, symbol: SymbolId, dispatched: bool) -> Callers {
    let mentions = query::references(resolver, symbol);
    let mut calls: BTreeMap<SymbolId, Call> = BTreeMap::new();
    let mut outside = Vec::new();
    let asked_kind = resolver.kind(symbol);
    for mention in mentions.value {
        let is_call = match mention.role {
            Role::Call | Role::Instantiate => true,
            // Reading or writing a property runs it.
            Role::Read | Role::Write => {
                matches!(asked_kind, Some(SymbolKind::Property | SymbolKind::Indexer))
            }
            _ => false,
        };
        if is_call && mention.outcome != Outcome::Ambiguous && !mention.through_type {
            add_caller(&mut calls, &mut outside, &mention, mention.outcome);
        }
    }
    let mut indirect = Vec::new();
    if dispatched {
        resolver.flow_fuel.set(flow::FUEL);
        indirect = dispatch::indirect_calls(resolver, symbol).to_vec();
        indirect.extend(value_calls::callers(resolver, symbol));
    }
    if !indirect.is_empty() {
        let mut known: FxHashSet<Site> = calls
            .values()
            .flat_map(|call| &call.sites)
            .chain(outside.iter().map(|call: &OutsideCall| &call.site))
            .copied()
            .collect();
        for mention in indirect
            .iter()
            .filter(|mention| known.insert(site_of(mention)))
        {
            let outcome = match mention.rule {
                Rule::Value => mention.outcome,
                _ => Outcome::Dispatch,
            };
            add_caller(&mut calls, &mut outside, mention, outcome);
        }
    }
    (calls.into_values().collect(), outside)
}

fn add_caller(
    calls: &mut BTreeMap<SymbolId, Call>,
    outside: &mut Vec<OutsideCall>,
    mention: &query::Mention,
    outcome: Outcome,
) {
    let site = site_of(mention);
    match mention.caller {
        Some(index) => {
            let caller = SymbolId::new(mention.file, index);
            let call = calls.entry(caller).or_insert_with(|| Call {
                symbol: caller,
                outcome,
                sites: Vec::new(),
            });
            call.outcome = call.outcome.min(outcome);
            call.sites.push(site);
        }
        None => outside.push(OutsideCall { site, outcome }),
    }
}

fn site_of(mention: &query::Mention) -> Site {
    Site {
        file: mention.file,
        span: mention.span,
        line: mention.line,
    }
}

/// The innermost callable around a symbol, itself included.
pub fn enclosing_callable(view: &FileView, mut index: SymbolIndex) -> Option<SymbolIndex> {
    loop {
        let symbol = view.symbol(index);
        // A function expression that only its own body can name belongs to the function around it.
        let nameless = symbol.body == Some(symbol.declared_in);
        if (symbol.kind.is_callable() || symbol.kind == SymbolKind::Property) && !nameless {
            return Some(index);
        }
        // A variable inside a function belongs to the function; a field's initialiser to no
        // callable.
        index = symbol.parent?;
    }
}

/// Whether a macro with a body makes a function (`TEST(Suite, name) { .. }`), which then has a
/// name but no declaration of its own.
pub fn is_made_by_macro(resolver: &Resolver, symbol: SymbolId) -> bool {
    let Some(view) = resolver.view(symbol.file) else {
        return false;
    };
    !view
        .semantics
        .is_nameable(view.symbol(symbol.index).modifiers)
}

/// What a symbol calls, in order of the first call, and what is not an edge.
pub fn callees(resolver: &Resolver, symbol: SymbolId) -> Complete<(Vec<Call>, UnlinkedCalls)> {
    callees_along(resolver, symbol, true)
}

/// What a symbol calls, without what may run behind a base type.
pub fn direct_callees(
    resolver: &Resolver,
    symbol: SymbolId,
) -> Complete<(Vec<Call>, UnlinkedCalls)> {
    callees_along(resolver, symbol, false)
}

fn callees_along(
    resolver: &Resolver,
    symbol: SymbolId,
    dispatched: bool,
) -> Complete<(Vec<Call>, UnlinkedCalls)> {
    let find = || {
        find_callees(resolver, symbol.file, dispatched, |view, enclosing| {
            enclosing.is_some_and(|enclosing| {
                enclosing == symbol.index
                    || enclosing_callable(view, enclosing) == Some(symbol.index)
            })
        })
    };
    resolver.budget.finish(
        (*answered(
            resolver,
            |answers| &answers.callees,
            (symbol, dispatched),
            find,
        ))
        .clone(),
    )
}

/// What the code of a file outside of every callable calls, as [`callees`] tells it of a symbol.
pub fn callees_of_file(resolver: &Resolver, file: FileId) -> Complete<(Vec<Call>, UnlinkedCalls)> {
    let found = find_callees(resolver, file, true, |view, enclosing| {
        enclosing.is_none_or(|enclosing| enclosing_callable(view, enclosing).is_none())
    });
    resolver.budget.finish(found)
}

/// `belongs` gets the innermost symbol around a call.
fn find_callees(
    resolver: &Resolver,
    file: FileId,
    dispatched: bool,
    belongs: impl Fn(&FileView, Option<SymbolIndex>) -> bool,
) -> Callees {
    let mut calls: Vec<Call> = Vec::new();
    let mut beyond = UnlinkedCalls::default();
    let Some(view) = resolver.view(file) else {
        return (calls, beyond);
    };
    resolver.flow_fuel.set(flow::FUEL);
    let mut sites: Vec<SiteIndex> = Vec::new();
    for (i, reference) in view.facts.references.iter().enumerate() {
        let is_call = matches!(reference.role, Role::Call | Role::Instantiate);
        if is_call && belongs(&view, reference.enclosing) {
            sites.push(SiteIndex::Reference(i as u32));
        }
    }
    if dispatched {
        let nameless = value_calls::nameless_sites(&view).into_iter();
        sites.extend(nameless.filter(|site| belongs(&view, site.enclosing(&view))));
    }
    sites.sort_by_key(|site| (site.span(&view).start, site.span(&view).end));
    for site in sites {
        if !resolver.budget.spend() {
            break;
        }
        let mut found = CalleesAt {
            resolver,
            view: &view,
            dispatched,
            calls: &mut calls,
            beyond: &mut beyond,
        };
        match site {
            SiteIndex::Reference(i) => found.add_reference(i),
            _ => found.add_nameless(site),
        }
    }
    (calls, beyond)
}

/// The calls of a file that are looked at, and what was found so far.
struct CalleesAt<'a> {
    resolver: &'a Resolver<'a>,
    view: &'a FileView,
    dispatched: bool,
    calls: &'a mut Vec<Call>,
    beyond: &'a mut UnlinkedCalls,
}

impl CalleesAt<'_> {
    fn site(&self, index: SiteIndex) -> Site {
        let span = index.span(self.view);
        Site {
            file: self.view.id,
            span,
            line: self.view.facts.lines.line_number(span.start),
        }
    }

    fn add_reference(&mut self, i: u32) {
        let (resolver, view) = (self.resolver, self.view);
        let reference = &view.facts.references[i as usize];
        let resolution = resolver.resolve(view, reference);
        let index = SiteIndex::Reference(i);
        let site = self.site(index);
        let is_unlinked = matches!(resolution.outcome, Outcome::Ambiguous | Outcome::Unresolved);
        if self.dispatched && value_calls::is_open(resolver, view, reference, &resolution) {
            // Other declarations of what is named are named as well.
            let named: Vec<SymbolId> = resolution
                .symbols()
                .filter(|_| !is_unlinked)
                .flat_map(|symbol| query::same_symbol(resolver, symbol))
                .collect();
            if self.add_values(index, &named) && is_unlinked {
                return;
            }
        }
        let name = || view.facts.name(reference.name).to_owned();
        match resolution.outcome {
            Outcome::Ambiguous => {
                let candidates = resolution.symbols().collect();
                let ambiguous = &mut self.beyond.ambiguous;
                ambiguous.push((candidates, site.file, site.span));
            }
            Outcome::External => {
                let path = resolution.targets.iter().find_map(|found| {
                    if let Found::External(path) = found {
                        Some(path.to_string())
                    } else {
                        None
                    }
                });
                let path = path.unwrap_or_else(name);
                self.beyond.external.push((path, site.file, site.span));
            }
            Outcome::Unresolved => {
                let hint = reference
                    .receiver
                    .map(|receiver| crate::text::recipe(&view.facts, receiver));
                let unresolved = &mut self.beyond.unresolved;
                unresolved.push((name(), hint, site.file, site.span));
            }
            outcome => {
                for target in resolution.symbols() {
                    add_callee(self.calls, target, outcome, site);
                    let behind = if self.dispatched {
                        dispatch::implementations(resolver, view, reference, target)
                    } else {
                        Vec::new()
                    };
                    for implementation in behind {
                        add_callee(self.calls, implementation, Outcome::Dispatch, site);
                    }
                }
            }
        }
    }

    /// Adds what a call may run through values besides what it names. Whether that says what runs.
    fn add_values(&mut self, index: SiteIndex, named: &[SymbolId]) -> bool {
        let found = value_calls::targets(self.resolver, self.view, index);
        let site = self.site(index);
        if found.too_many {
            let ambiguous = &mut self.beyond.ambiguous;
            ambiguous.push((found.symbols, site.file, site.span));
            return true;
        }
        let others = found
            .symbols
            .iter()
            .filter(|symbol| !named.contains(symbol));
        for &symbol in others {
            add_callee(self.calls, symbol, Outcome::Dispatch, site);
        }
        !found.symbols.is_empty()
    }

    fn add_nameless(&mut self, index: SiteIndex) {
        if self.add_values(index, &[]) || matches!(index, SiteIndex::Decoration(_)) {
            return;
        }
        let site = self.site(index);
        let callee = value_calls::callee_text(self.view, index);
        let unresolved = &mut self.beyond.unresolved;
        unresolved.push((callee, None, site.file, site.span));
    }
}

fn add_callee(calls: &mut Vec<Call>, symbol: SymbolId, outcome: Outcome, site: Site) {
    match calls.iter_mut().find(|call| call.symbol == symbol) {
        Some(call) => {
            call.outcome = call.outcome.min(outcome);
            call.sites.push(site);
        }
        None => calls.push(Call {
            symbol,
            outcome,
            sites: vec![site],
        }),
    }
}
