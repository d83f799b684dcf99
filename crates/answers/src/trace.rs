//! A feature from its entry point through calls, dispatch and registered services to the leaves,
//! each with what it serves, reads, stores and throws.

use std::rc::Rc;

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
    /// The limit left symbols out, or places where a symbol is shown again.
    pub truncated: bool,
    /// The least sure of the calls that were followed.
    pub least_sure: Option<Outcome>,
}

/// A symbol on the way. What was shown before has no children.
pub struct TraceStep<'a> {
    pub symbol: SymbolId,
    pub depth: usize,
    pub facts: Rc<StepFacts<'a>>,
    pub children: Vec<TraceStep<'a>>,
}

/// What a symbol serves, reads, stores, throws and logs.
pub struct StepFacts<'a> {
    pub architecture: Vec<&'a ArchitectureFact>,
    pub effects: Effects,
}

/// How often symbols may be shown again, for each symbol that the limit allows: functions that call
/// each other would fill an answer with themselves.
const SHOWN_AGAIN: usize = 4;

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
            shown: vec![None; children.len()],
            children,
            again: Some(SHOWN_AGAIN * limit),
        };
        let root = tree.step(0, 0);
        FeatureTrace {
            route: routes.find(|fact| fact.symbol == Some(entry)),
            root,
            n_symbols,
            truncated: n_symbols < graph.nodes.len() || tree.again.is_none(),
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
    /// By node, what was shown of it.
    shown: Vec<Option<Rc<StepFacts<'a>>>>,
    /// How many more nodes may be shown again; nothing once one was left out.
    again: Option<usize>,
}

impl<'a> TraceTree<'a, '_> {
    /// `index` is a node of the graph.
    fn step(&mut self, index: usize, depth: usize) -> Option<TraceStep<'a>> {
        let CallNode::Symbol(symbol) = self.graph.nodes[index].node else {
            return None;
        };
        let (facts, children) = match &self.shown[index] {
            Some(facts) => {
                self.again = self.again.and_then(|left| left.checked_sub(1));
                self.again?;
                (facts.clone(), Vec::new())
            }
            None => {
                let facts = Rc::new(StepFacts::of(self.session, self.resolver, symbol));
                self.shown[index] = Some(facts.clone());
                let below = std::mem::take(&mut self.children[index]).into_iter();
                let children = below.filter_map(|child| self.step(child, depth + 1));
                (facts, children.collect())
            }
        };
        Some(TraceStep {
            symbol,
            depth,
            facts,
            children,
        })
    }
}

impl<'a> StepFacts<'a> {
    fn of(session: &'a Session, resolver: &Resolver<'_>, symbol: SymbolId) -> StepFacts<'a> {
        let effects = query::effects(resolver, symbol, session.architecture()).value;
        StepFacts {
            architecture: card::architecture_of(session, symbol, &effects),
            effects,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lookup, testing};

    fn n_steps(step: &TraceStep<'_>) -> usize {
        1 + step.children.iter().map(n_steps).sum::<usize>()
    }

    #[test]
    fn functions_that_all_call_each_other_do_not_fill_an_answer() {
        let names: Vec<String> = (0..8).map(|i| format!("f{i}")).collect();
        let calls: String = names.iter().map(|name| format!("    {name}()\n")).collect();
        let functions = names.iter().map(|name| format!("def {name}():\n{calls}\n"));
        let session = testing::session(&format!("//- a.py\n{}", functions.collect::<String>()));
        let resolver = session.resolver();
        let entry = lookup::all(&session, "f0")[0];
        let trace = FeatureTrace::of(&session, &resolver, entry, 3, 8);
        assert_eq!((trace.n_symbols, trace.truncated), (8, true));
        let root = trace.root.unwrap();
        assert_eq!(n_steps(&root), 8 + 8 * SHOWN_AGAIN);

        let whole = FeatureTrace::of(&session, &resolver, entry, 3, 100);
        assert_eq!((whole.n_symbols, whole.truncated), (8, false));
    }
}
