//! Who calls a symbol and what it calls, some steps far: the one walk along calls.
//!
//! The walk goes breadth first, so that whatever ends it early keeps what is near. What a front end
//! shows of the graph, and in which order, is its own affair.

use std::collections::{BTreeMap, BTreeSet};

use engine::{
    FileId, Outcome, Resolver, SymbolId, Ty,
    query::{
        self, Site, UnlinkedCalls,
        architecture::{Architecture, ArchitectureKind},
    },
};
use facts::{ImplicitKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Anchor, Lookup, Session, SymbolInfo};

/// Calls from or to some symbols.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// The roots, then the others in the order in which they were first met.
    pub nodes: Vec<PlacedNode>,
    /// One per call site, in the order of the walk.
    pub edges: Vec<CallEdge>,
    /// Calls that lead to no symbol, by the node that makes them. Only callees have them.
    pub unlinked: BTreeMap<usize, UnlinkedCalls>,
    /// False where the walk ended before it had seen all within its depth.
    pub complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedNode {
    pub node: CallNode,
    /// Steps from the roots.
    pub depth: usize,
    /// Whether the walk went on from here, or would have at a greater depth. False for what a limit
    /// or [`WalkOptions::select`] left out.
    pub is_kept: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallNode {
    Symbol(SymbolId),
    /// The code of a file outside of every function.
    File(FileId),
    /// A path into a library.
    Library(String),
}

/// A call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// The node nearer to the roots, as an index into the graph's nodes.
    pub from: usize,
    pub to: usize,
    pub outcome: Outcome,
    /// What makes the language call it by itself; nothing for a call that is written.
    pub implicit: Option<ImplicitKind>,
    pub site: Site,
    /// Steps from the roots to `to`, along this edge.
    pub depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallDirection {
    Callers,
    Callees,
}

/// What may run behind a call of an interface, a base type or a trait.
#[derive(Clone, Copy)]
pub enum Dispatch<'a> {
    /// Every implementation, as far away as what is called.
    Beside,
    /// Every implementation, one step further away than what is called.
    Below,
    /// Where implementations are registered as services, those; else every one.
    Registered(&'a Architecture),
}

pub struct WalkOptions<'a> {
    pub direction: CallDirection,
    pub depth: usize,
    pub dispatch: Dispatch<'a>,
    /// Whether calls into libraries are nodes.
    pub libraries: bool,
    /// Whether calls that the language makes by itself are edges: loops, operators, properties.
    pub implicit: bool,
    /// After so many call sites the walk goes on for [`MAX_COUNTED`] symbols, to count the rest,
    /// and then ends.
    pub max_sites: usize,
    /// In the first step the roots take turns, so that one that everybody calls does not hide the
    /// others behind a limit.
    pub interleave_roots: bool,
    /// After so many symbols, the roots included, new ones are not kept. Not used where `select`
    /// decides.
    pub max_symbols: usize,
    /// Which nodes of a new level the walk keeps. It gets the level's depth.
    pub select: Option<&'a dyn Fn(usize, Vec<CallNode>) -> Vec<CallNode>>,
}

/// Symbols whose edges are counted when there are more than the answer shows.
pub const MAX_COUNTED: usize = 50;

/// Calls that are no edges, by name.
#[derive(Clone, Debug, Default)]
pub struct UnlinkedNames {
    pub external: BTreeSet<String>,
    /// The candidates of each call of which none was chosen.
    pub ambiguous: Vec<(Vec<SymbolId>, FileId, Span)>,
    /// With the receiver as written.
    pub unresolved: BTreeSet<String>,
}

impl CallNode {
    pub fn symbol(&self) -> Option<SymbolId> {
        match self {
            CallNode::Symbol(symbol) => Some(*symbol),
            CallNode::File(_) | CallNode::Library(_) => None,
        }
    }
}

impl From<Anchor> for CallNode {
    fn from(anchor: Anchor) -> CallNode {
        match anchor {
            Anchor::Symbol(symbol) => CallNode::Symbol(symbol),
            Anchor::File(file) => CallNode::File(file),
        }
    }
}

/// What runs when one of some overloads is called.
pub fn roots_of(resolver: &Resolver<'_>, overloads: &[Anchor]) -> Vec<CallNode> {
    let called = overloads.iter().flat_map(|anchor| match anchor {
        Anchor::Symbol(symbol) => query::called_as(resolver, *symbol),
        Anchor::File(_) => Vec::new(),
    });
    let files = overloads.iter().filter(|anchor| anchor.symbol().is_none());
    let files = files.map(|file| CallNode::from(*file));
    called.map(CallNode::Symbol).chain(files).collect()
}

impl WalkOptions<'_> {
    pub fn new(direction: CallDirection, depth: usize) -> WalkOptions<'static> {
        WalkOptions {
            direction,
            depth,
            dispatch: Dispatch::Beside,
            libraries: false,
            implicit: false,
            max_sites: usize::MAX,
            interleave_roots: false,
            max_symbols: 2_000,
            select: None,
        }
    }
}

impl CallGraph {
    /// Walks from `roots`.
    pub fn walk(
        session: &Session,
        resolver: &Resolver<'_>,
        roots: &[CallNode],
        options: &WalkOptions<'_>,
    ) -> CallGraph {
        let mut walk = CallWalk {
            session,
            resolver,
            options,
            graph: CallGraph {
                complete: true,
                ..CallGraph::default()
            },
            index_of: FxHashMap::default(),
            placed: Vec::new(),
            n_visited: 0,
            n_sites: 0,
            n_counted: 0,
        };
        let mut level: Vec<usize> = Vec::new();
        for root in roots {
            let index = walk.index(root.clone(), 0);
            if !std::mem::replace(&mut walk.placed[index], true) {
                walk.graph.nodes[index].is_kept = true;
                level.push(index);
            }
        }
        walk.n_visited = level.len();
        walk.run(level);
        walk.graph
    }

    /// The calls of what a name means. Where it means several overloads, they take turns.
    pub fn around(
        session: &Session,
        resolver: &Resolver<'_>,
        meant: &Lookup,
        options: WalkOptions<'_>,
    ) -> CallGraph {
        let options = WalkOptions {
            interleave_roots: meant.overloads.len() > 1,
            ..options
        };
        let roots = roots_of(resolver, &meant.overloads);
        CallGraph::walk(session, resolver, &roots, &options)
    }

    /// What a node is; nothing for a library's.
    pub fn info(&self, session: &Session, node: usize) -> Option<SymbolInfo> {
        match &self.nodes[node].node {
            CallNode::Symbol(symbol) => SymbolInfo::of(session, *symbol),
            CallNode::File(file) => SymbolInfo::of(session, *file),
            CallNode::Library(_) => None,
        }
    }

    /// The calls of the roots that are no edges.
    pub fn unlinked_of_roots(&self) -> UnlinkedNames {
        let mut names = UnlinkedNames::default();
        for (from, unlinked) in &self.unlinked {
            if self.nodes[*from].depth > 0 {
                continue;
            }
            let external = unlinked.external.iter();
            names
                .external
                .extend(external.map(|(name, ..)| name.clone()));
            names.ambiguous.extend_from_slice(&unlinked.ambiguous);
            let unresolved = unlinked.unresolved.iter();
            names
                .unresolved
                .extend(unresolved.map(|(name, receiver, ..)| match receiver {
                    Some(receiver) => format!("{receiver}.{name}"),
                    None => name.clone(),
                }));
        }
        names
    }

    /// The edges without those that lead to the same node from the same line at the same depth.
    pub fn distinct_sites(&self) -> Vec<&CallEdge> {
        let mut seen = FxHashSet::default();
        self.edges
            .iter()
            .filter(|edge| seen.insert((edge.depth, edge.to, edge.site.file, edge.site.line)))
            .collect()
    }

    /// By node, the nodes that its edges lead to, each once, in the order of the walk.
    pub fn neighbors(&self) -> Vec<Vec<usize>> {
        let mut neighbors = vec![Vec::new(); self.nodes.len()];
        let mut seen = FxHashSet::default();
        for edge in &self.edges {
            if seen.insert((edge.from, edge.to)) {
                neighbors[edge.from].push(edge.to);
            }
        }
        neighbors
    }
}

struct CallWalk<'a> {
    session: &'a Session,
    resolver: &'a Resolver<'a>,
    options: &'a WalkOptions<'a>,
    graph: CallGraph,
    index_of: FxHashMap<CallNode, usize>,
    /// Whether a node belongs to a level, by its index.
    placed: Vec<bool>,
    /// Symbols that were followed, or will be.
    n_visited: usize,
    /// Distinct ones, as [`CallGraph::distinct_sites`] counts them.
    n_sites: usize,
    n_counted: usize,
}

struct CallStep {
    to: CallNode,
    outcome: Outcome,
    implicit: Option<ImplicitKind>,
    site: Site,
}

impl CallWalk<'_> {
    fn run(&mut self, mut level: Vec<usize>) {
        // Implementations, which are one step further away than the call that may run them.
        let mut below: Vec<usize> = Vec::new();
        for depth in 1.. {
            let mut found = NextLevel::new(std::mem::take(&mut below));
            if depth > self.options.depth {
                if found.next.is_empty() {
                    return;
                }
                level.clear();
            }
            let interleave = self.options.interleave_roots && depth == 1;
            let mut pending = level.into_iter();
            loop {
                // What lies beyond the limit is only counted, and that has its own end.
                self.n_counted += usize::from(self.n_sites >= self.options.max_sites);
                if self.n_counted > MAX_COUNTED {
                    self.graph.complete = false;
                    return;
                }
                let steps = if interleave {
                    let lists: Vec<_> = pending.by_ref().map(|from| self.steps(from)).collect();
                    if lists.is_empty() {
                        break;
                    }
                    by_turns(lists)
                } else {
                    match pending.next() {
                        Some(from) => self.steps(from),
                        None => break,
                    }
                };
                for (from, step) in steps {
                    self.follow(from, step, depth, &mut found);
                }
            }
            found.below.retain(|node| !found.in_next.contains(node));
            below = found.below;
            level = self.select(found.next, depth);
        }
    }

    /// Records a step, and where it leads if that is new.
    fn follow(&mut self, from: usize, step: CallStep, depth: usize, found: &mut NextLevel) {
        let to = self.index(step.to, depth);
        let is_new_site = found.sites.insert((to, step.site.file, step.site.line));
        self.n_sites += usize::from(is_new_site);
        self.graph.edges.push(CallEdge {
            from,
            to,
            outcome: step.outcome,
            implicit: step.implicit,
            site: step.site,
            depth,
        });
        if self.placed[to] {
            return;
        }
        let is_below =
            matches!(self.options.dispatch, Dispatch::Below) && step.outcome == Outcome::Dispatch;
        if is_below {
            if !found.below.contains(&to) {
                found.below.push(to);
            }
        } else if found.in_next.insert(to) {
            found.next.push(to);
        }
    }

    /// The nodes of a new level that are kept.
    fn select(&mut self, found: Vec<usize>, depth: usize) -> Vec<usize> {
        for index in &found {
            self.placed[*index] = true;
            self.graph.nodes[*index].depth = depth;
        }
        let kept: Vec<usize> = match self.options.select {
            Some(select) => {
                let nodes = found
                    .iter()
                    .map(|index| self.graph.nodes[*index].node.clone());
                let selected = select(depth, nodes.collect());
                selected
                    .iter()
                    .filter_map(|node| self.index_of.get(node).copied())
                    .collect()
            }
            None => {
                let room = self.options.max_symbols.saturating_sub(self.n_visited);
                let mut n_symbols = 0;
                let fits = |index: &usize| {
                    let is_symbol = matches!(self.graph.nodes[*index].node, CallNode::Symbol(_));
                    n_symbols += usize::from(is_symbol);
                    !is_symbol || n_symbols <= room
                };
                found.into_iter().filter(fits).collect()
            }
        };
        for index in &kept {
            let node = &mut self.graph.nodes[*index];
            node.is_kept = true;
            self.n_visited += usize::from(matches!(node.node, CallNode::Symbol(_)));
        }
        kept
    }

    fn index(&mut self, node: CallNode, depth: usize) -> usize {
        let graph = &mut self.graph;
        let placed = &mut self.placed;
        *self.index_of.entry(node).or_insert_with_key(|node| {
            graph.nodes.push(PlacedNode {
                node: node.clone(),
                depth,
                is_kept: false,
            });
            placed.push(false);
            graph.nodes.len() - 1
        })
    }

    fn steps(&mut self, from: usize) -> Vec<(usize, CallStep)> {
        let node = &self.graph.nodes[from].node;
        let steps = match (node, self.options.direction, self.options.dispatch) {
            // Nothing calls what runs when its file is loaded.
            (CallNode::Library(_), ..) | (CallNode::File(_), CallDirection::Callers, _) => {
                Vec::new()
            }
            (CallNode::Symbol(symbol), CallDirection::Callers, _) => self.callers(*symbol),
            (
                CallNode::Symbol(symbol),
                CallDirection::Callees,
                Dispatch::Registered(architecture),
            ) => self.services(*symbol, architecture),
            (node, CallDirection::Callees, _) => {
                let (calls, unlinked) = match node {
                    CallNode::Symbol(symbol) => query::callees(self.resolver, *symbol).value,
                    CallNode::File(file) => query::callees_of_file(self.resolver, *file).value,
                    CallNode::Library(_) => Default::default(),
                };
                let mut steps = steps_of(calls);
                if self.options.implicit {
                    steps.extend(self.implicit_callees(node));
                }
                if self.options.libraries {
                    steps.extend(self.libraries(&unlinked));
                }
                self.graph.unlinked.insert(from, unlinked);
                steps
            }
        };
        steps.into_iter().map(|step| (from, step)).collect()
    }

    fn callers(&self, symbol: SymbolId) -> Vec<CallStep> {
        let (calls, outside) = query::callers(self.resolver, symbol).value;
        let mut steps = steps_of(calls);
        steps.extend(outside.into_iter().map(|call| CallStep {
            to: CallNode::File(call.site.file),
            outcome: call.outcome,
            implicit: None,
            site: call.site,
        }));
        if self.options.implicit {
            let calls = query::implicit_callers(self.resolver, symbol).value;
            steps.extend(calls.into_iter().map(implicit_step));
        }
        steps
    }

    fn implicit_callees(&self, node: &CallNode) -> Vec<CallStep> {
        let calls = match node {
            CallNode::Symbol(symbol) => query::implicit_callees(self.resolver, *symbol).value,
            CallNode::File(file) => query::implicit_callees_of_file(self.resolver, *file).value,
            CallNode::Library(_) => Vec::new(),
        };
        calls.into_iter().map(implicit_step).collect()
    }

    fn libraries(&self, unlinked: &UnlinkedCalls) -> Vec<CallStep> {
        let step = |(path, file, span): &(String, FileId, facts::Span)| {
            let facts = self.session.facts(*file)?;
            let site = Site {
                file: *file,
                span: *span,
                line: facts.lines.line_number(span.start),
            };
            Some(CallStep {
                to: CallNode::Library(path.clone()),
                outcome: Outcome::External,
                implicit: None,
                site,
            })
        };
        unlinked.external.iter().filter_map(step).collect()
    }

    /// What may run next: what is called, and what implements it. Each is one step, however often
    /// it is called.
    fn services(&self, symbol: SymbolId, architecture: &Architecture) -> Vec<CallStep> {
        let mut steps: Vec<CallStep> = Vec::new();
        // Implementations are chosen here, by what is registered.
        let calls = query::callees(self.resolver, symbol).value.0.into_iter();
        for call in calls.filter(|call| call.outcome != Outcome::Dispatch) {
            let Some(site) = call.sites.first().copied() else {
                continue;
            };
            steps.push(CallStep {
                to: CallNode::Symbol(call.symbol),
                outcome: call.outcome,
                implicit: None,
                site,
            });
            let registered = self.registered(call.symbol, architecture);
            for (other, _) in query::overriding(self.resolver, call.symbol).value {
                // Where a service is registered, its implementation is the one that runs.
                let holder = self.holder(other);
                if registered.is_empty()
                    || holder.is_some_and(|holder| registered.contains(&holder))
                {
                    steps.push(CallStep {
                        to: CallNode::Symbol(other),
                        outcome: Outcome::Dispatch,
                        implicit: None,
                        site,
                    });
                }
            }
        }
        let mut seen = FxHashSet::default();
        steps.retain(|step| step.to != CallNode::Symbol(symbol) && seen.insert(step.to.clone()));
        steps
    }

    fn holder(&self, member: SymbolId) -> Option<SymbolId> {
        match self.resolver.self_type(member) {
            Ty::Instance(of, _) => Some(of),
            _ => None,
        }
    }

    /// The implementations registered for the type of a member.
    fn registered(&self, member: SymbolId, architecture: &Architecture) -> Vec<SymbolId> {
        let Some(holder) = self.holder(member) else {
            return Vec::new();
        };
        let registrations = architecture
            .facts
            .iter()
            .filter(|fact| fact.kind() == ArchitectureKind::Service && fact.symbol == Some(holder));
        registrations
            .filter_map(|fact| fact.other)
            .filter(|other| *other != holder)
            .collect()
    }
}

/// What one level of the walk finds.
#[derive(Default)]
struct NextLevel {
    next: Vec<usize>,
    in_next: FxHashSet<usize>,
    below: Vec<usize>,
    sites: FxHashSet<(usize, FileId, u32)>,
}

impl NextLevel {
    fn new(next: Vec<usize>) -> NextLevel {
        NextLevel {
            in_next: next.iter().copied().collect(),
            next,
            ..NextLevel::default()
        }
    }
}

fn steps_of(calls: Vec<query::Call>) -> Vec<CallStep> {
    let sites = |call: query::Call| {
        call.sites.into_iter().map(move |site| CallStep {
            to: CallNode::Symbol(call.symbol),
            outcome: call.outcome,
            implicit: None,
            site,
        })
    };
    calls.into_iter().flat_map(sites).collect()
}

fn implicit_step(call: query::ImplicitCall) -> CallStep {
    CallStep {
        to: match call.symbol {
            Some(symbol) => CallNode::Symbol(symbol),
            None => CallNode::File(call.site.file),
        },
        outcome: call.outcome,
        implicit: Some(call.kind),
        site: call.site,
    }
}

/// The first of each list, then the second of each, and so on.
fn by_turns<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    while !lists.is_empty() {
        lists.retain_mut(|list| {
            let next = list.next();
            let had_one = next.is_some();
            all.extend(next);
            had_one
        });
    }
    all
}
