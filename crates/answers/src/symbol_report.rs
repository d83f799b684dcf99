//! Who uses a symbol and what it uses, grouped by file and by the symbol around each place.
//!
//! Lists are complete unless `cut` says why not: what a front end leaves out for its size is its
//! own affair. Files of tests and documents come after the others.

use std::collections::{BTreeMap, BTreeSet};

use engine::{
    Cut, FileId, Outcome, Resolver, SymbolId, Ty,
    query::{self, search::is_test_or_docs},
};
use facts::{Modifiers, Role, SymbolKind};

use crate::{
    Anchor, Session,
    call_graph::{self, CallDirection, CallGraph, CallNode, WalkOptions},
    names,
    references::{ReferenceKind, ReferenceSite, References},
    symbol,
};

/// The places that use a symbol.
#[derive(Clone, Debug, Default)]
pub struct Usages {
    pub files: Vec<FileUsages>,
    /// Places that may mean the symbol: several come into question, or the receiver is not known.
    pub uncertain: Vec<FileUsages>,
    /// Places where the language runs the symbol by itself.
    pub implicit: ImplicitPlaces,
    pub cut: Option<Cut>,
}

/// Calls that the language makes by itself, beside those that are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImplicitPlaces {
    /// What makes them: `for`, `with`; each word once, in order.
    pub words: BTreeSet<&'static str>,
    /// File and line of each, in order of path and place.
    pub places: Vec<(FileId, u32)>,
    /// Who makes them, or what they call.
    pub symbols: BTreeSet<SymbolId>,
}

impl ImplicitPlaces {
    fn add(&mut self, call: &query::ImplicitCall) {
        self.words.insert(call.kind.as_str());
        self.places.push((call.site.file, call.site.line));
        self.symbols.extend(call.symbol);
    }
}

/// The places in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUsages {
    pub file: FileId,
    /// In the order of their names' lines.
    pub users: Vec<User>,
}

/// A symbol that uses another, with every place where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Nothing for code outside of every symbol.
    pub symbol: Option<SymbolId>,
    /// Every place is reached only through a base type or an interface.
    pub is_dispatched: bool,
    /// Every place means it only because nothing else has its name.
    pub is_guessed: bool,
    /// Line and kind, each once, in order.
    pub places: Vec<(u32, ReferenceKind)>,
}

impl Usages {
    pub fn n_users(&self) -> usize {
        self.files.iter().map(|file| file.users.len()).sum()
    }

    pub fn n_places(&self) -> usize {
        let users = self.files.iter().flat_map(|file| &file.users);
        users.map(|user| user.places.len()).sum()
    }

    /// Whether some user is reached only through a base type or an interface.
    pub fn has_dispatch(&self) -> bool {
        let mut users = self.files.iter().flat_map(|file| &file.users);
        users.any(|user| user.is_dispatched)
    }

    /// Whether some user is one only by the name that it calls.
    pub fn has_guesses(&self) -> bool {
        let mut users = self.files.iter().flat_map(|file| &file.users);
        users.any(|user| user.is_guessed)
    }
}

/// The functions that call one of some overloads.
pub fn callers(session: &Session, overloads: &[SymbolId]) -> Usages {
    let resolver = session.resolver();
    let roots = roots_of(&resolver, overloads);
    let options = WalkOptions::new(CallDirection::Callers, 1);
    let graph = CallGraph::walk(session, &resolver, &roots, &options);
    let mut grouped = Grouped::default();
    for edge in &graph.edges {
        let symbol = match &graph.nodes[edge.to].node {
            CallNode::Symbol(symbol) => Some(*symbol),
            CallNode::File(_) | CallNode::Library(_) => None,
        };
        grouped.add(
            edge.site.file,
            symbol,
            (edge.site.line, ReferenceKind::Use(Role::Call)),
            edge.outcome,
        );
    }
    let found = References::of(session, &resolver, overloads);
    let mut implicit = ImplicitPlaces::default();
    for root in roots.iter().filter_map(CallNode::symbol) {
        let calls = query::implicit_callers(&resolver, root).value;
        calls.iter().for_each(|call| implicit.add(call));
    }
    let mut uncertain = Grouped::default();
    let is_call = |site: &&ReferenceSite| {
        matches!(
            site.kind,
            ReferenceKind::Use(Role::Call | Role::Instantiate)
        )
    };
    for site in found.uncertain.iter().filter(is_call) {
        uncertain.add_site(session, &resolver, site);
    }
    Usages {
        files: grouped.into_files(session),
        uncertain: uncertain.into_files(session),
        implicit,
        cut: session.budget.cut().or(found.cut),
    }
}

/// What runs when one of some overloads is called.
fn roots_of(resolver: &Resolver<'_>, overloads: &[SymbolId]) -> Vec<CallNode> {
    let anchors: Vec<Anchor> = overloads.iter().copied().map(Anchor::from).collect();
    call_graph::roots_of(resolver, &anchors)
}

/// Every place that refers to one of some overloads.
pub fn references(session: &Session, overloads: &[SymbolId]) -> Usages {
    let resolver = session.resolver();
    let found = References::of(session, &resolver, overloads);
    let group = |sites: &[ReferenceSite]| {
        let mut grouped = Grouped::default();
        for site in sites {
            grouped.add_site(session, &resolver, site);
        }
        grouped.into_files(session)
    };
    Usages {
        files: group(&found.sites),
        uncertain: group(&found.uncertain),
        implicit: ImplicitPlaces::default(),
        cut: found.cut,
    }
}

#[derive(Default)]
struct Grouped(BTreeMap<FileId, BTreeMap<Option<SymbolId>, User>>);

impl Grouped {
    fn add_site(&mut self, session: &Session, resolver: &Resolver<'_>, site: &ReferenceSite) {
        let Some(facts) = session.facts(site.file) else {
            return;
        };
        let line = facts.lines.line_number(site.span.start);
        let user = site.enclosing.map(|symbol| user_of(resolver, symbol));
        self.add(site.file, user, (line, site.kind), site.outcome);
    }

    fn add(
        &mut self,
        file: FileId,
        symbol: Option<SymbolId>,
        place: (u32, ReferenceKind),
        outcome: Outcome,
    ) {
        let users = self.0.entry(file).or_default();
        let user = users.entry(symbol).or_insert(User {
            symbol,
            is_dispatched: true,
            is_guessed: true,
            places: Vec::new(),
        });
        user.is_dispatched &= outcome == Outcome::Dispatch;
        user.is_guessed &= outcome == Outcome::Heuristic;
        user.places.push(place);
    }

    fn into_files(self, session: &Session) -> Vec<FileUsages> {
        let files = self.0.into_iter().map(|(file, users)| {
            let mut users: Vec<User> = users.into_values().collect();
            for user in &mut users {
                user.places.sort_unstable();
                user.places.dedup();
            }
            users.sort_by_key(|user| user.symbol.map(|symbol| symbol::name_line(session, symbol)));
            FileUsages { file, users }
        });
        let mut files: Vec<FileUsages> = files.collect();
        files.sort_by_key(|found| (is_test_or_docs(session.path(found.file)), found.file));
        files
    }
}

/// The symbol that people name when they say where a place is: a function rather than a variable in
/// it.
fn user_of(resolver: &Resolver<'_>, symbol: SymbolId) -> SymbolId {
    let callable = resolver
        .view(symbol.file)
        .and_then(|view| query::enclosing_callable(&view, symbol.index));
    callable.map_or(symbol, |index| SymbolId {
        file: symbol.file,
        index,
    })
}

/// What some overloads call.
#[derive(Clone, Debug, Default)]
pub struct CalledSymbols {
    /// In order of the first call.
    pub symbols: Vec<CalledSymbol>,
    /// Paths into libraries.
    pub libraries: Vec<String>,
    /// With the receiver as written.
    pub unresolved: Vec<String>,
    /// Calls of which several symbols come into question.
    pub n_ambiguous: usize,
    /// What the language calls by itself.
    pub implicit: ImplicitPlaces,
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledSymbol {
    pub symbol: SymbolId,
    /// It may run behind a base type or an interface.
    pub is_dispatched: bool,
    /// Every call means it only because nothing else has its name.
    pub is_guessed: bool,
    /// Lines of the calls, each once.
    pub lines: Vec<u32>,
}

pub fn callees(session: &Session, overloads: &[SymbolId]) -> CalledSymbols {
    let resolver = session.resolver();
    let roots = roots_of(&resolver, overloads);
    let options = WalkOptions::new(CallDirection::Callees, 1);
    let graph = CallGraph::walk(session, &resolver, &roots, &options);
    let mut called: Vec<CalledSymbol> = Vec::new();
    for edge in &graph.edges {
        let CallNode::Symbol(symbol) = graph.nodes[edge.to].node else {
            continue;
        };
        let is_dispatched = edge.outcome == Outcome::Dispatch;
        let is_guessed = edge.outcome == Outcome::Heuristic;
        match called.iter_mut().find(|known| known.symbol == symbol) {
            Some(known) => {
                known.is_dispatched &= is_dispatched;
                known.is_guessed &= is_guessed;
                known.lines.push(edge.site.line);
            }
            None => called.push(CalledSymbol {
                symbol,
                is_dispatched,
                is_guessed,
                lines: vec![edge.site.line],
            }),
        }
    }
    for call in &mut called {
        call.lines.sort_unstable();
        call.lines.dedup();
    }
    let mut implicit = ImplicitPlaces::default();
    for root in roots.iter().filter_map(CallNode::symbol) {
        let calls = query::implicit_callees(&resolver, root).value;
        calls.iter().for_each(|call| implicit.add(call));
    }
    let unlinked = graph.unlinked_of_roots();
    CalledSymbols {
        symbols: called,
        libraries: unlinked.external.into_iter().collect(),
        unresolved: unlinked.unresolved.into_iter().collect(),
        n_ambiguous: unlinked.ambiguous.len(),
        implicit,
        cut: session.budget.cut(),
    }
}

/// Types above and below a type, nearest first.
#[derive(Clone, Debug, Default)]
pub struct TypeFamily {
    /// The type itself: the one asked about, or the one around a member.
    pub of: Option<SymbolId>,
    pub supertypes: Vec<Relative>,
    pub subtypes: Vec<Relative>,
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    pub related: query::Related,
    /// From 1.
    pub steps: usize,
}

/// Types whose relatives are looked up.
const MAX_TYPES: usize = 500;

/// The types above and below a type, or the one that a member belongs to.
pub fn type_family(session: &Session, symbol: SymbolId) -> TypeFamily {
    let resolver = session.resolver();
    let of = match resolver.kind(symbol) {
        Some(kind) if kind.is_type() => Some(symbol),
        _ => holder(&resolver, symbol),
    };
    let Some(of) = of else {
        return TypeFamily::default();
    };
    let above = |of: SymbolId| {
        let found = query::hierarchy(&resolver, of).value;
        let bases = found.bases.into_iter();
        bases.chain(found.interfaces).collect::<Vec<_>>()
    };
    let below = |of: SymbolId| {
        let derived = resolver.derived(of);
        derived
            .iter()
            .copied()
            .map(query::Related::Symbol)
            .collect()
    };
    TypeFamily {
        of: Some(of),
        supertypes: relatives(of, &above),
        subtypes: relatives(of, &below),
        cut: session.budget.cut(),
    }
}

fn relatives(of: SymbolId, next: &dyn Fn(SymbolId) -> Vec<query::Related>) -> Vec<Relative> {
    let mut found: Vec<Relative> = Vec::new();
    let mut level = vec![of];
    for steps in 1.. {
        let mut further = Vec::new();
        for of in level {
            for related in next(of) {
                let is_known = found.iter().any(|known| known.related == related);
                if is_known || related == query::Related::Symbol(of) || found.len() >= MAX_TYPES {
                    continue;
                }
                if let query::Related::Symbol(symbol) = related {
                    further.push(symbol);
                }
                found.push(Relative { related, steps });
            }
        }
        if further.is_empty() {
            break;
        }
        level = further;
    }
    found
}

fn holder(resolver: &Resolver<'_>, member: SymbolId) -> Option<SymbolId> {
    match resolver.self_type(member) {
        Ty::Instance(of, _) => Some(of),
        _ => None,
    }
}

/// Members that stand for another: what a call through a base type or an interface may run.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// What it overrides or implements, nearest first.
    pub above: Vec<SymbolId>,
    /// What overrides or implements it, in order of path and place.
    pub below: Vec<SymbolId>,
    pub cut: Option<Cut>,
}

pub fn overrides(session: &Session, overloads: &[SymbolId]) -> Overrides {
    let resolver = session.resolver();
    let mut found = Overrides::default();
    for symbol in overloads {
        let below = query::overriding(&resolver, *symbol);
        found.cut = found.cut.or(below.cut);
        let below = below.value.into_iter().map(|(member, _)| member);
        found.below.extend(below);
        found.above.extend(query::overridden(&resolver, *symbol));
    }
    found.below.sort_unstable();
    found.below.dedup();
    found
}

/// The types that implement or extend a type, or the members that stand for a member.
pub fn implementations(session: &Session, overloads: &[SymbolId]) -> Vec<SymbolId> {
    let resolver = session.resolver();
    let is_type = overloads
        .first()
        .and_then(|symbol| resolver.kind(*symbol))
        .is_some_and(SymbolKind::is_type);
    if !is_type {
        return overrides(session, overloads).below;
    }
    let subtypes = type_family(session, overloads[0]).subtypes.into_iter();
    let symbols = subtypes.filter_map(|subtype| match subtype.related {
        query::Related::Symbol(symbol) => Some(symbol),
        query::Related::Library(_) => None,
    });
    let mut symbols: Vec<SymbolId> = symbols.collect();
    symbols.sort_unstable();
    symbols
}

/// Whether a symbol is a test, or code that only tests use.
pub fn is_test(session: &Session, symbol: SymbolId) -> bool {
    is_test_or_docs(session.path(symbol.file))
        || session.facts(symbol.file).is_some_and(|facts| {
            facts.container_chain(symbol.index).iter().any(|index| {
                let around = facts.symbol(*index);
                around.modifiers.contains(Modifiers::TEST)
                    || around.kind == SymbolKind::Module
                        && matches!(facts.name(around.name), "test" | "tests")
            })
        })
}

/// A symbol as people name it within its file: `Cart.total`.
pub fn local_name(session: &Session, symbol: SymbolId) -> String {
    session
        .facts(symbol.file)
        .map_or_else(String::new, |facts| {
            let chain = names::chain(&facts, symbol.index);
            // Where the text declares the namespace, it says no more than the path does.
            let n_namespaces = facts
                .container_chain(symbol.index)
                .into_iter()
                .map(|index| facts.symbol(index))
                .take_while(|around| around.kind == SymbolKind::Namespace)
                .map(|around| facts.name(around.name).split(['.', '\\', ':']))
                .flat_map(|parts| parts.filter(|part| !part.is_empty()))
                .count();
            let first = n_namespaces.min(chain.len().saturating_sub(1));
            // An anonymous type has the name of what is around it.
            let named = chain[first..].iter().filter(|part| !part.is_empty());
            let named: Vec<&str> = named.map(String::as_str).collect();
            named.join(names::separator(session.snapshot(), symbol.file))
        })
}

#[cfg(test)]
mod tests_of_reports {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{lookup, testing::session};

    const SHOP: &str = "
//- shop.py
class Cart:
    def total(self): ...
    @property
    def size(self):
        return self.total()
class Basket(Cart):
    def total(self): ...
def show(cart: Cart, thing):
    print(cart.total())
    print(cart.total(),
          cart.total())
    thing.total()
TOTAL = Cart().total()
//- tests/test_shop.py
from shop import show, Cart
def test_show():
    show(Cart(), None)
def test_total():
    Cart().total()
";

    #[test]
    fn callers_are_grouped_by_file_with_the_line_of_their_name() {
        check(
            SHOP,
            "Cart.total",
            &|session, meant| listed(session, &callers(session, meant)),
            expect![[r#"
                shop.py
                  - 13 call
                  4 Cart.size 5 call
                  8 show 9,10,11 call
                tests/test_shop.py
                  4 test_total 5 call
                maybe shop.py
                  8 show 12 call
            "#]],
        );
    }

    #[test]
    fn types_have_relatives_and_members_have_overrides() {
        check(
            SHOP,
            "Cart.total",
            &|session, meant| {
                let name = |symbol: &SymbolId| local_name(session, *symbol);
                let family = type_family(session, meant[0]);
                let subtypes = family
                    .subtypes
                    .iter()
                    .map(|subtype| match &subtype.related {
                        query::Related::Symbol(symbol) => name(symbol),
                        query::Related::Library(path) => path.clone(),
                    });
                format!(
                    "{:?} {:?} {:?}\n",
                    family.of.iter().map(name).collect::<Vec<_>>(),
                    subtypes.collect::<Vec<_>>(),
                    overrides(session, meant)
                        .below
                        .iter()
                        .map(name)
                        .collect::<Vec<_>>()
                )
            },
            expect![[r#"
                ["Cart"] ["Basket"] ["Basket.total"]
            "#]],
        );
    }

    fn listed(session: &Session, usages: &Usages) -> String {
        let mut out = String::new();
        for (mark, files) in [("", &usages.files), ("maybe ", &usages.uncertain)] {
            for found in files {
                out += &format!("{mark}{}\n", session.path(found.file));
                for user in &found.users {
                    let who = user.symbol.map_or_else(
                        || "-".to_owned(),
                        |symbol| {
                            let line = symbol::name_line(session, symbol);
                            format!("{line} {}", local_name(session, symbol))
                        },
                    );
                    let lines = user.places.iter().map(|(line, _)| line.to_string());
                    let lines = lines.collect::<Vec<_>>().join(",");
                    out += &format!("  {who} {lines} {}\n", user.places[0].1.as_str());
                }
            }
        }
        out
    }

    #[track_caller]
    fn check(
        repository: &str,
        name: &str,
        answer: &dyn Fn(&Session, &[SymbolId]) -> String,
        expected: Expect,
    ) {
        let session = session(repository);
        expected.assert_eq(&answer(&session, &lookup::all(&session, name)));
    }
}
