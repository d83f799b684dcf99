//! `graph.callers` and `graph.callees`: who calls a symbol and what it calls, level by level.

use answers::{
    Anchor,
    call_graph::{self, CallDirection, CallEdge, CallNode, Dispatch, WalkOptions},
    handle::{DocumentationIds, of_library},
    lookup,
    references::References,
};
use engine::{Resolver, SymbolId, query};
use facts::{ImplicitKind, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    budgets,
    cursor::Page,
    envelope::{Confidence, Envelope, summary},
    errors, occurrences,
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct GraphCallers;
pub struct GraphCallees;

/// Who calls a function, method, constructor or property, up to `depth` calls away.
#[derive(Deserialize, JsonSchema)]
pub struct CallersInput {
    #[serde(flatten)]
    question: CallQuestion,
}

/// What a function, method or constructor calls, up to `depth` calls away.
#[derive(Deserialize, JsonSchema)]
pub struct CalleesInput {
    #[serde(flatten)]
    question: CallQuestion,
}

#[derive(Deserialize, JsonSchema)]
struct CallQuestion {
    #[serde(flatten)]
    at: Target,
    symbol_id: String,
    /// At most 6.
    depth: Option<i64>,
    limit_per_level: Option<i64>,
    cursor: Option<String>,
    /// Also loops, operators and other calls that the language makes.
    #[serde(default)]
    include_implicit: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphLevels {
    root: String,
    /// The root at depth 0, then by depth and id.
    nodes: Vec<GraphNode>,
    /// Without the root.
    total_nodes_found: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphNode {
    symbol_id: String,
    display_name: String,
    kind: &'static str,
    depth: usize,
    /// Absent for libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<String>,
    line: u32,
    /// Callers: those that call this one. Callees: those that this one calls.
    edges_to: Vec<String>,
    confidence: Confidence,
    /// All edges that lead to it are calls that the language makes by itself; what makes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    implicit: Option<&'static str>,
}

impl Tool for GraphCallers {
    const NAME: &'static str = "graph.callers";
    const OWN_FIELDS: &'static [&'static str] = &["include_implicit"];
    type Input = CallersInput;
    type Output = Envelope<GraphLevels>;

    fn run(context: &Context, input: CallersInput) -> Result<Envelope<GraphLevels>, ToolError> {
        answer(context, input.question, CallDirection::Callers)
    }
}

impl Tool for GraphCallees {
    const NAME: &'static str = "graph.callees";
    const OWN_FIELDS: &'static [&'static str] = &["include_implicit"];
    type Input = CalleesInput;
    type Output = Envelope<GraphLevels>;

    fn run(context: &Context, input: CalleesInput) -> Result<Envelope<GraphLevels>, ToolError> {
        answer(context, input.question, CallDirection::Callees)
    }
}

fn answer(
    context: &Context,
    question: CallQuestion,
    direction: CallDirection,
) -> Result<Envelope<GraphLevels>, ToolError> {
    let request = Request::open(context, &question.at)?;
    let depth = request.allow(budgets::DEPTH, question.depth);
    let per_level = request.allow(budgets::PER_LEVEL, question.limit_per_level);
    let resolver = request.resolver();
    let ids = DocumentationIds::new(&request, &resolver);
    let root = match lookup::file_named(&request, &question.symbol_id) {
        Some(file) => Anchor::File(file),
        None => symbols::one(&request, &ids, &resolver, &question.symbol_id)?.into(),
    };
    let root_id = id_of(&request, &ids, &root.into());
    if let Some(symbol) = root.symbol()
        && !can_be_called(&resolver, symbol)
    {
        let kind = symbols::kind(&request, symbol);
        let message = format!(
            "`{root_id}` is a {kind}: ask about a method, function, constructor or property; `refs_find` lists uses of types"
        );
        return Err(errors::invalid(message).with_data(json!({ "symbol_id": root_id })));
    }
    let page = Page::of(
        &request,
        (
            &root_id,
            direction,
            depth,
            per_level,
            question.include_implicit,
        ),
        question.cursor.as_deref(),
        per_level,
    )?;
    let select = |depth, mut level: Vec<CallNode>| -> Vec<CallNode> {
        level.sort_by_cached_key(|node| order(node, id_of(&request, &ids, node)));
        // A cursor goes on in the first level, from which the others follow.
        let start = if depth == 1 { page.start } else { 0 };
        level.into_iter().skip(start).take(per_level).collect()
    };
    let options = WalkOptions {
        dispatch: Dispatch::Below,
        libraries: true,
        implicit: question.include_implicit,
        select: Some(&select),
        ..WalkOptions::new(direction, depth)
    };
    let graph = call_graph::CallGraph::walk(&request, &resolver, &[root.into()], &options);
    let nodes = nodes(&request, &resolver, &ids, &graph, direction);
    let confidence = nodes.iter().map(|node| node.confidence).min();
    let total = graph.nodes.len() - 1;
    let n_first = graph.nodes.iter().filter(|node| node.depth == 1).count();
    let is_cut_below = |node: &call_graph::PlacedNode| node.depth > 1 && !node.is_kept;
    let truncated = page.is_cut(n_first) || graph.nodes.iter().any(is_cut_below);
    let elsewhere = (total == 0 && direction == CallDirection::Callers && root.symbol().is_some())
        .then(|| {
            let symbols: Vec<SymbolId> = root.symbol().into_iter().collect();
            References::of(&request, &resolver, &symbols).occurrences(&request)
        });
    let verb = match direction {
        CallDirection::Callers => "callers of",
        CallDirection::Callees => "callees of",
    };
    let info = graph.info(&request, 0);
    let name = info.map_or_else(String::new, |info| info.qualified_name);
    let what = format!("{verb} `{name}` within depth {depth}");
    let answer = summary(total, &what, nodes.len() - 1, truncated)
        + &left_out(&graph)
        + &elsewhere
            .as_ref()
            .map(occurrences::sentence)
            .unwrap_or_default()
        + request.cut()?;
    let mut evidence = request.evidence(root, &root_id);
    evidence.extend(request.occurrence_evidence(elsewhere.as_ref()));
    let cards = nodes
        .iter()
        .skip(1)
        .filter(|node| node.file_path.is_some())
        .take(3);
    let next = cards
        .map(|node| {
            let why = format!("What does `{}` do?", node.display_name);
            request.card(why, &node.symbol_id)
        })
        .collect();
    let data = GraphLevels {
        root: root_id,
        nodes,
        total_nodes_found: total,
        truncated,
        next_cursor: page.next(&request, n_first),
    };
    let confidence = confidence.unwrap_or(Confidence::High);
    request.finish(answer, data, evidence, next, confidence)
}

fn can_be_called(resolver: &Resolver<'_>, symbol: SymbolId) -> bool {
    let kind = resolver.kind(symbol);
    // Without a way to look names up (an outline language) there are no calls, and the answer says
    // none.
    kind.is_none_or(|kind| {
        kind.is_callable()
            || kind.is_value()
            || matches!(
                kind,
                SymbolKind::Class | SymbolKind::Struct | SymbolKind::Record | SymbolKind::Delegate
            )
    })
}

/// Calls that are no edges, so that silence is not taken for absence.
fn left_out(graph: &call_graph::CallGraph) -> String {
    let unlinked = || graph.unlinked.values();
    let ambiguous: usize = unlinked().map(|calls| calls.ambiguous.len()).sum();
    let unresolved: usize = unlinked().map(|calls| calls.unresolved.len()).sum();
    match (ambiguous, unresolved) {
        (0, 0) => String::new(),
        _ => format!(" Left out: {ambiguous} ambiguous and {unresolved} unresolved calls."),
    }
}

fn id_of(request: &Request<'_>, ids: &DocumentationIds<'_>, node: &CallNode) -> String {
    match node {
        CallNode::Symbol(symbol) => ids.of(*symbol),
        CallNode::File(file) => format!("!:{}", request.path(*file)),
        CallNode::Library(path) => of_library(path),
    }
}

/// The order inside of a level: libraries come last.
fn order(node: &CallNode, id: String) -> (bool, String) {
    (matches!(node, CallNode::Library(_)), id)
}

fn nodes(
    request: &Request<'_>,
    resolver: &Resolver<'_>,
    ids: &DocumentationIds<'_>,
    graph: &call_graph::CallGraph,
    direction: CallDirection,
) -> Vec<GraphNode> {
    let mut calls: Vec<Vec<&CallEdge>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        calls[edge.to].push(edge);
    }
    let neighbors = graph.neighbors();
    let show = |index: usize| {
        let node = &graph.nodes[index].node;
        let outcome = calls[index].iter().map(|call| call.outcome).min();
        // Code that no declaration names is shown at its first call.
        let line_of_call = || {
            let sites = calls[index].iter().map(|call| call.site);
            let first = sites.min_by_key(|site| (site.file, site.span.start));
            first
                .filter(|_| direction == CallDirection::Callers)
                .map(|site| site.line)
        };
        let (display_name, kind, file, line) = match node {
            CallNode::Symbol(symbol) => {
                let undeclared = query::is_made_by_macro(resolver, *symbol)
                    .then(line_of_call)
                    .flatten();
                (
                    symbols::qualified_name(request, *symbol),
                    symbols::kind(request, *symbol),
                    Some(symbol.file),
                    undeclared.unwrap_or_else(|| symbols::line(request, *symbol)),
                )
            }
            CallNode::File(file) => (
                request.path(*file).to_owned(),
                "file",
                Some(*file),
                line_of_call().unwrap_or(1),
            ),
            CallNode::Library(path) => (path.clone(), "external", None, 0),
        };
        file.into_iter().for_each(|file| request.shows(file));
        GraphNode {
            symbol_id: id_of(request, ids, node),
            display_name,
            kind,
            depth: graph.nodes[index].depth,
            file_path: file.map(|file| request.path(file).to_owned()),
            line,
            edges_to: neighbors[index]
                .iter()
                .map(|to| id_of(request, ids, &graph.nodes[*to].node))
                .collect(),
            confidence: outcome.map_or(Confidence::High, Confidence::from),
            implicit: match calls[index].as_slice() {
                calls if calls.iter().all(|call| call.implicit.is_some()) => calls
                    .first()
                    .and_then(|call| call.implicit)
                    .map(ImplicitKind::as_str),
                _ => None,
            },
        }
    };
    let mut kept: Vec<usize> = (0..graph.nodes.len())
        .filter(|index| graph.nodes[*index].is_kept)
        .collect();
    kept.sort_by_cached_key(|index| {
        let placed = &graph.nodes[*index];
        (
            placed.depth,
            order(&placed.node, id_of(request, ids, &placed.node)),
        )
    });
    kept.into_iter().map(show).collect()
}
