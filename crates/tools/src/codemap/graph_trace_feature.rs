//! `graph.trace_feature`: from an entry point through calls, dispatch and registered services to
//! the leaves, each with its facts.

use std::collections::{BTreeMap, BTreeSet};

use answers::{
    call_graph::{CallDirection, CallGraph, CallNode, Dispatch, WalkOptions},
    card,
    handle::DocumentationIds,
};
use engine::{
    Resolver, SymbolId, query,
    query::architecture::{ArchitectureKind, Subject},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    architecture, budgets,
    envelope::{Confidence, Envelope},
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct GraphTraceFeature;

/// Follows a feature from its entry point through calls, implementations and registered services,
/// with routes, keys and tables on the way.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    entry_point: String,
    /// 3, at most 6.
    depth: Option<i64>,
    limit: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Trace {
    pub entry_point: String,
    pub entry_point_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_point_route: Option<String>,
    /// One tree; what was shown before is not shown again below it.
    pub nodes: Vec<TraceNode>,
    pub total_nodes_traversed: usize,
    pub depth: usize,
    pub truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TraceNode {
    pub symbol_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable_id: Option<String>,
    pub display_name: String,
    pub depth: usize,
    pub annotations: Vec<Annotation>,
    /// Nodes of the same form.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    pub children: Vec<TraceNode>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Annotation {
    /// Route, Config, DbTable, DiRegistration, Middleware, Exception, Log or RetryPolicy.
    pub kind: &'static str,
    pub value: String,
    pub confidence: Confidence,
}

impl Tool for GraphTraceFeature {
    const NAME: &'static str = "graph.trace_feature";
    type Input = Input;
    type Output = Envelope<Trace>;

    fn run(context: &Context, input: Input) -> Result<Envelope<Trace>, ToolError> {
        let request = Request::open(context, &input.at)?;
        let depth = request.allow(budgets::TRACE_DEPTH, input.depth);
        let limit = request.allow(budgets::TRACE_NODES, input.limit);
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let entry = symbols::one(&request, &ids, &resolver, &input.entry_point)?;
        let options = WalkOptions {
            dispatch: Dispatch::Registered(request.architecture()),
            max_symbols: limit,
            ..WalkOptions::new(CallDirection::Callees, depth)
        };
        let graph = CallGraph::walk(&request, &resolver, &[entry], &options);
        let is_kept = |index: &usize| graph.nodes[*index].is_kept;
        let mut children = graph.neighbors();
        children.iter_mut().for_each(|below| below.retain(is_kept));
        let tracer = Tracer {
            request: &request,
            resolver: &resolver,
            ids: &ids,
            graph: &graph,
            children,
        };
        let total = graph.nodes.iter().filter(|node| node.is_kept).count();
        let truncated = total < graph.nodes.len();
        let followed = graph.edges.iter().filter(|edge| is_kept(&edge.to));
        let confidence = followed.map(|edge| edge.outcome.into()).min();
        let nodes = tracer.node(0, 0, &mut BTreeSet::new());
        let route = request
            .architecture()
            .facts
            .iter()
            .find(|fact| fact.kind() == ArchitectureKind::Route && fact.symbol == Some(entry))
            .map(|fact| format!("{} {}", architecture::detail(&fact.subject), fact.name));
        let name = symbols::qualified_name(&request, entry);
        let served = route
            .as_ref()
            .map(|route| format!(", which serves {route}"))
            .unwrap_or_default();
        let cut = if truncated {
            " The limit cut it short."
        } else {
            ""
        };
        let late = request.cut()?;
        let answer =
            format!("{total} symbols from `{name}`{served}, within depth {depth}.{cut}{late}");
        let id = ids.of(entry);
        let evidence = request.evidence(entry, &id);
        let next = vec![request.card("What the entry point is.", &id)];
        let data = Trace {
            entry_point: id,
            entry_point_name: name,
            entry_point_route: route,
            nodes: nodes.into_iter().collect(),
            total_nodes_traversed: total,
            depth,
            truncated,
        };
        let confidence = confidence.unwrap_or(Confidence::High);
        request.finish(answer, data, evidence, next, confidence)
    }
}

struct Tracer<'a> {
    request: &'a Request<'a>,
    resolver: &'a Resolver<'a>,
    ids: &'a DocumentationIds<'a>,
    graph: &'a CallGraph,
    /// By node, those below it that the limit left.
    children: Vec<Vec<usize>>,
}

impl Tracer<'_> {
    /// `index` is a node of the graph. What was shown before has no children.
    fn node(&self, index: usize, depth: usize, shown: &mut BTreeSet<usize>) -> Option<TraceNode> {
        let CallNode::Symbol(symbol) = self.graph.nodes[index].node else {
            return None;
        };
        self.request.shows(symbol.file);
        let mut children = Vec::new();
        if shown.insert(index) {
            let below = self.children[index].iter();
            children.extend(below.filter_map(|child| self.node(*child, depth + 1, shown)));
        }
        Some(TraceNode {
            symbol_id: self.ids.of(symbol),
            stable_id: self.ids.stable(symbol),
            display_name: symbols::signature(self.request, symbol),
            depth,
            annotations: self.annotations(symbol),
            children,
        })
    }

    fn annotations(&self, symbol: SymbolId) -> Vec<Annotation> {
        let effects = query::effects(self.resolver, symbol, self.request.architecture()).value;
        let architecture = card::architecture_of(self.request, symbol, &effects).into_iter();
        let architecture = architecture.map(|fact| Annotation {
            kind: kind_name(fact.kind()),
            value: match &fact.subject {
                Subject::Route { method } => format!("{method} {}", fact.name),
                Subject::Service { implementation, .. } => {
                    format!("{} → {implementation}", fact.name)
                }
                _ => fact.name.clone(),
            },
            confidence: match fact.symbol == Some(symbol) {
                true => fact.certainty.into(),
                false => Confidence::High,
            },
        });
        let certain = |kind, value| Annotation {
            kind,
            value,
            confidence: Confidence::High,
        };
        let thrown = effects.thrown.into_iter();
        let logged = effects.logs.into_iter();
        architecture
            .chain(thrown.map(|thrown| certain("Exception", thrown.name)))
            .chain(logged.map(|(_, template)| certain("Log", template)))
            .collect()
    }
}

fn kind_name(kind: ArchitectureKind) -> &'static str {
    match kind {
        ArchitectureKind::Route => "Route",
        ArchitectureKind::Key => "Config",
        ArchitectureKind::Table => "DbTable",
        ArchitectureKind::Service => "DiRegistration",
        ArchitectureKind::Middleware => "Middleware",
        ArchitectureKind::RetryPolicy => "RetryPolicy",
    }
}
