//! `graph.trace_feature`: from an entry point through calls, dispatch and registered services to
//! the leaves, each with its facts.

use std::collections::BTreeMap;

use answers::{
    handle::DocumentationIds,
    trace::{FeatureTrace, TraceStep},
};
use engine::query::architecture::{ArchitectureKind, Subject};
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
    entry_point: String,
    entry_point_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_point_route: Option<String>,
    /// One tree; what was shown before is not shown again below it.
    nodes: Vec<TraceNode>,
    total_nodes_traversed: usize,
    depth: usize,
    truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TraceNode {
    symbol_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stable_id: Option<String>,
    display_name: String,
    depth: usize,
    annotations: Vec<TraceAnnotation>,
    /// Nodes of the same form.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    children: Vec<TraceNode>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TraceAnnotation {
    /// Route, Config, DbTable, DiRegistration, Middleware, Exception, Log or RetryPolicy.
    kind: &'static str,
    value: String,
    confidence: Confidence,
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
        let trace = FeatureTrace::of(&request, &resolver, entry, depth, limit);
        let (total, truncated) = (trace.n_symbols, trace.truncated);
        let confidence = trace.least_sure.map(Confidence::from);
        let nodes = trace.root.into_iter();
        let nodes = nodes
            .map(|step| TraceNode::of(&request, &ids, step))
            .collect();
        let route = trace.route;
        let route =
            route.map(|fact| format!("{} {}", architecture::detail(&fact.subject), fact.name));
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
            nodes,
            total_nodes_traversed: total,
            depth,
            truncated,
        };
        let confidence = confidence.unwrap_or(Confidence::High);
        request.finish(answer, data, evidence, next, confidence)
    }
}

impl TraceNode {
    fn of(request: &Request<'_>, ids: &DocumentationIds<'_>, step: TraceStep<'_>) -> TraceNode {
        request.shows(step.symbol.file);
        let annotations = annotations(&step);
        let children = step.children.into_iter();
        TraceNode {
            symbol_id: ids.of(step.symbol),
            stable_id: ids.stable(step.symbol),
            display_name: symbols::signature(request, step.symbol),
            depth: step.depth,
            annotations,
            children: children
                .map(|child| TraceNode::of(request, ids, child))
                .collect(),
        }
    }
}

fn annotations(step: &TraceStep<'_>) -> Vec<TraceAnnotation> {
    let architecture = step.facts.architecture.iter().map(|fact| TraceAnnotation {
        kind: kind_name(fact.kind()),
        value: match &fact.subject {
            Subject::Route { method } => format!("{method} {}", fact.name),
            Subject::Service { implementation, .. } => {
                format!("{} → {implementation}", fact.name)
            }
            _ => fact.name.clone(),
        },
        confidence: match fact.symbol == Some(step.symbol) {
            true => fact.certainty.into(),
            false => Confidence::High,
        },
    });
    let certain = |kind, value: &String| TraceAnnotation {
        kind,
        value: value.clone(),
        confidence: Confidence::High,
    };
    let thrown = step.facts.effects.thrown.iter();
    let logged = step.facts.effects.logs.iter();
    architecture
        .chain(thrown.map(|thrown| certain("Exception", &thrown.name)))
        .chain(logged.map(|(_, template)| certain("Log", template)))
        .collect()
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
