//! A feature from its entry point through calls, dispatch and registered services to the leaves,
//! each with what it serves, reads, stores and throws.

use std::collections::BTreeSet;

use engine::{
    Outcome, Resolver, SymbolId,
    query::{
        self, Effects,
        architecture::{ArchitectureFact, ArchitectureKind},
    },
};

use crate::{
    Session,
    call_graph::{CallDirection, CallGraph, CallNode, Dispatch, WalkOptions},
    card,
};

pub struct FeatureTrace<'a> {
    /// The route that the entry point serves.
    pub route: Option<&'a ArchitectureFact>,
    pub root: Option<TraceStep<'a>>,
    pub n_symbols: usize,
    /// The limit left symbols out.
    pub truncated: bool,
    /// The least sure of the calls that were followed.
    pub least_sure: Option<Outcome>,
}

/// A symbol on the way. What was shown before has no children.
pub struct TraceStep<'a> {
    pub symbol: SymbolId,
    pub depth: usize,
    pub architecture: Vec<&'a ArchitectureFact>,
    pub effects: Effects,
    pub children: Vec<TraceStep<'a>>,
}

impl<'a> FeatureTrace<'a> {
    pub fn of(
        session: &'a Session,
        resolver: &Resolver<'_>,
        entry: SymbolId,
        depth: usize,
        limit: usize,
    ) -> FeatureTrace<'a> {
        let options = WalkOptions {
            dispatch: Dispatch::Registered(session.architecture()),
            max_symbols: limit,
            ..WalkOptions::new(CallDirection::Callees, depth)
        };
        let graph = CallGraph::walk(session, resolver, &[CallNode::Symbol(entry)], &options);
        let is_kept = |index: &usize| graph.nodes[*index].is_kept;
        let mut children = graph.neighbors();
        children.iter_mut().for_each(|below| below.retain(is_kept));
        let n_symbols = graph.nodes.iter().filter(|node| node.is_kept).count();
        let followed = graph.edges.iter().filter(|edge| is_kept(&edge.to));
        let routes = session.architecture().facts.iter();
        let mut routes = routes.filter(|fact| fact.kind() == ArchitectureKind::Route);
        let mut tree = TraceTree {
            session,
            resolver,
            graph: &graph,
            children,
            shown: BTreeSet::new(),
        };
        FeatureTrace {
            route: routes.find(|fact| fact.symbol == Some(entry)),
            root: tree.step(0, 0),
            n_symbols,
            truncated: n_symbols < graph.nodes.len(),
            least_sure: followed.map(|edge| edge.outcome).max(),
        }
    }
}

struct TraceTree<'a, 'r> {
    session: &'a Session,
    resolver: &'r Resolver<'r>,
    graph: &'r CallGraph,
    /// By node, those below it that the limit left.
    children: Vec<Vec<usize>>,
    shown: BTreeSet<usize>,
}

impl<'a> TraceTree<'a, '_> {
    /// `index` is a node of the graph.
    fn step(&mut self, index: usize, depth: usize) -> Option<TraceStep<'a>> {
        let CallNode::Symbol(symbol) = self.graph.nodes[index].node else {
            return None;
        };
        let mut children = Vec::new();
        if self.shown.insert(index) {
            let below = std::mem::take(&mut self.children[index]);
            children.extend(
                below
                    .into_iter()
                    .filter_map(|child| self.step(child, depth + 1)),
            );
        }
        let effects = query::effects(self.resolver, symbol, self.session.architecture()).value;
        Some(TraceStep {
            symbol,
            depth,
            architecture: card::architecture_of(self.session, symbol, &effects),
            effects,
            children,
        })
    }
}
