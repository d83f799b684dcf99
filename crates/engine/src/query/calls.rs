//! Who calls a symbol, and what it calls.

use std::collections::BTreeMap;

use facts::{Role, Span, SymbolIndex, SymbolKind};

use rustc_hash::FxHashSet;

use super::{
    answers::{Callees, Callers, answered},
    dispatch,
};
use crate::{Complete, FileId, FileView, Found, Outcome, Resolver, SymbolId, query};

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
pub fn callers(resolver: &Resolver, symbol: SymbolId) -> Complete<(Vec<Call>, Vec<Site>)> {
    callers_along(resolver, symbol, true)
}

/// The callers of a symbol without calls that may arrive through a base type.
pub fn direct_callers(resolver: &Resolver, symbol: SymbolId) -> Complete<(Vec<Call>, Vec<Site>)> {
    callers_along(resolver, symbol, false)
}

fn callers_along(
    resolver: &Resolver,
    symbol: SymbolId,
    dispatched: bool,
) -> Complete<(Vec<Call>, Vec<Site>)> {
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
    let indirect = if dispatched {
        dispatch::indirect_calls(resolver, symbol)
    } else {
        Vec::new()
    };
    if !indirect.is_empty() {
        let direct: FxHashSet<Site> = calls
            .values()
            .flat_map(|call| &call.sites)
            .chain(&outside)
            .copied()
            .collect();
        for mention in indirect
            .iter()
            .filter(|mention| !direct.contains(&site_of(mention)))
        {
            add_caller(&mut calls, &mut outside, mention, Outcome::Dispatch);
        }
    }
    (calls.into_values().collect(), outside)
}

fn add_caller(
    calls: &mut BTreeMap<SymbolId, Call>,
    outside: &mut Vec<Site>,
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
        None => outside.push(site),
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
    let mut references: Vec<&facts::Reference> = view
        .facts
        .references
        .iter()
        .filter(|reference| matches!(reference.role, Role::Call | Role::Instantiate))
        .filter(|reference| belongs(&view, reference.enclosing))
        .collect();
    references.sort_by_key(|reference| reference.span.start);
    for reference in references {
        if !resolver.budget.spend() {
            break;
        }
        let resolution = resolver.resolve(&view, reference);
        let site = Site {
            file,
            span: reference.span,
            line: view.facts.lines.line_number(reference.span.start),
        };
        let name = || view.facts.name(reference.name).to_owned();
        match resolution.outcome {
            Outcome::Ambiguous => {
                beyond
                    .ambiguous
                    .push((resolution.symbols().collect(), site.file, site.span))
            }
            Outcome::External => {
                let path = resolution.targets.iter().find_map(|found| {
                    if let Found::External(path) = found {
                        Some(path.to_string())
                    } else {
                        None
                    }
                });
                beyond
                    .external
                    .push((path.unwrap_or_else(name), site.file, site.span));
            }
            Outcome::Unresolved => {
                let hint = reference
                    .receiver
                    .map(|receiver| crate::text::recipe(&view.facts, receiver));
                beyond.unresolved.push((name(), hint, site.file, site.span));
            }
            outcome => {
                for target in resolution.symbols() {
                    add_callee(&mut calls, target, outcome, site);
                    let behind = if dispatched {
                        dispatch::implementations(resolver, &view, reference, target)
                    } else {
                        Vec::new()
                    };
                    for implementation in behind {
                        add_callee(&mut calls, implementation, Outcome::Dispatch, site);
                    }
                }
            }
        }
    }
    (calls, beyond)
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
