//! `get_call_graph`: who calls a symbol and what it calls, some steps far.

use std::collections::BTreeSet;

use answers::{
    Session, SymbolHandle, SymbolInfo, Wanted,
    call_graph::{self, CallDirection, CallEdge, CallGraph, CallNode, WalkOptions},
    names,
    references::References,
};
use engine::{FileId, Outcome, Resolver, query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    occurrences::OccurrencesShape,
    symbols::{self, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError};

pub struct GetCallGraph;

/// Who calls a function and what it calls, with call sites.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    symbol_name: String,
    workspace: Option<String>,
    /// Decides between files
    path: Option<String>,
    r#ref: Option<String>,
    #[serde(default)]
    direction: Directions,
    /// 1 to 5, default 1
    depth: Option<i64>,
    /// Per direction, default 20
    limit: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Directions {
    Callers,
    Callees,
    #[default]
    Both,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    symbol: SymbolShape,
    callers: Vec<EdgeShape>,
    callees: Vec<EdgeShape>,
    total_edges: usize,
    truncated: bool,
    depth_applied: usize,
    metadata: MetadataWith<CallGraphNotes>,
}

#[derive(Serialize, JsonSchema)]
pub struct EdgeShape {
    symbol: SymbolShape,
    call_site: CallSite,
    confidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'static str>,
    depth: usize,
    /// Which of the joined overloads is called or calls
    #[serde(skip_serializing_if = "Option::is_none")]
    overload: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct CallSite {
    file: String,
    line: u32,
}

/// What the metadata tell of calls that are no edges.
#[derive(Default, Serialize, JsonSchema)]
pub struct CallGraphNotes {
    #[serde(flatten)]
    named: NamedSymbols,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    external_calls: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ambiguous_edges: Option<AmbiguousEdges>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    unresolved_calls: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    absence: Option<OccurrencesShape>,
}

#[derive(Serialize, JsonSchema)]
pub struct AmbiguousEdges {
    count: usize,
    first: Vec<AmbiguousEdge>,
}

#[derive(Serialize, JsonSchema)]
pub struct AmbiguousEdge {
    call_site: CallSite,
    candidates: Vec<String>,
}

/// Names listed of calls into libraries, and of calls that were not resolved.
const MAX_NAMES: usize = 20;

impl Tool for GetCallGraph {
    const NAME: &'static str = "get_call_graph";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let mut opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            FreshnessPolicy::Balanced,
        )?;
        let depth = envelope::clamp(&mut opened.metadata, "depth", input.depth, 1, 5);
        let limit = envelope::clamp(&mut opened.metadata, "limit", input.limit, 20, 500);
        let (overloads, named) = symbols::joined(
            &opened,
            &input.symbol_name,
            input.path.as_deref(),
            Wanted::Called,
        )?;
        let Opened {
            session,
            mut metadata,
        } = opened;
        let resolver = session.resolver();
        let roots = call_graph::roots_of(&resolver, &overloads);
        let walk = |direction| {
            let options = WalkOptions {
                max_sites: limit,
                interleave_roots: overloads.len() > 1,
                ..WalkOptions::new(direction, depth)
            };
            CallGraph::walk(&session, &resolver, &roots, &options)
        };
        let mut shown = ShownEdges {
            session: &session,
            resolver: &resolver,
            limit,
            names_overloads: overloads.len() > 1,
            total_edges: 0,
            truncated: false,
        };
        let mut notes = CallGraphNotes {
            named,
            ..CallGraphNotes::default()
        };
        let (mut callers, mut callees) = (Vec::new(), Vec::new());
        if input.direction != Directions::Callees {
            callers = shown.edges(&walk(CallDirection::Callers));
            if shown.total_edges == 0 {
                let references = References::of(&resolver, &overloads);
                notes.absence = Some(references.occurrences(&session).into());
            }
        }
        if input.direction != Directions::Callers {
            let graph = walk(CallDirection::Callees);
            callees = shown.edges(&graph);
            notes.add_unlinked(&session, &graph);
        }
        let cut = session.budget.cut();
        let truncated = shown.truncated || cut.is_some();
        if truncated {
            metadata.truncated();
        }
        metadata.cut(cut)?;
        Ok(Output {
            symbol: SymbolShape::found(&session, overloads[0])?,
            total_edges: shown.total_edges,
            callers,
            callees,
            truncated,
            depth_applied: depth,
            metadata: metadata.with(notes),
        })
    }
}

/// What is shown of graphs, and what was left out of them.
struct ShownEdges<'a> {
    session: &'a Session,
    resolver: &'a Resolver<'a>,
    limit: usize,
    /// Several overloads are asked for, and each edge of the first step says which one it belongs
    /// to.
    names_overloads: bool,
    total_edges: usize,
    truncated: bool,
}

impl ShownEdges<'_> {
    /// Nearest first, up to the limit.
    fn edges(&mut self, graph: &CallGraph) -> Vec<EdgeShape> {
        let sites = graph.distinct_sites();
        self.total_edges += sites.len();
        self.truncated |= !graph.complete || sites.len() > self.limit;
        sites
            .into_iter()
            .take(self.limit)
            .filter_map(|edge| self.edge(graph, edge))
            .collect()
    }

    fn edge(&self, graph: &CallGraph, edge: &CallEdge) -> Option<EdgeShape> {
        let symbol = match &graph.nodes[edge.to].node {
            CallNode::Symbol(symbol) => {
                let mut shape = SymbolShape::node(SymbolInfo::of(self.session, *symbol)?);
                // A body that only a macro names is shown at its call.
                if edge.site.file == symbol.file && query::is_made_by_macro(self.resolver, *symbol)
                {
                    shape.line_start = edge.site.line;
                }
                shape
            }
            CallNode::File(file) => top_level(self.session, *file, edge.site.line),
            CallNode::Library(_) => return None,
        };
        let (confidence, via) = match edge.outcome {
            Outcome::Static => ("static", None),
            Outcome::Dispatch => ("heuristic", Some("dispatch")),
            _ => ("heuristic", None),
        };
        let overload = match &graph.nodes[edge.from].node {
            CallNode::Symbol(symbol) if self.names_overloads && edge.depth == 1 => {
                SymbolHandle::symbol_id(self.session, *symbol).map(|id| id.to_string())
            }
            _ => None,
        };
        Some(EdgeShape {
            symbol,
            call_site: site(self.session, edge.site.file, edge.site.line),
            confidence,
            via,
            depth: edge.depth,
            overload,
        })
    }
}

impl CallGraphNotes {
    /// Tells of the calls of the roots that are no edges.
    fn add_unlinked(&mut self, session: &Session, graph: &CallGraph) {
        let unlinked = graph.unlinked_of_roots();
        self.external_calls = unlinked.external.into_iter().take(MAX_NAMES).collect();
        self.unresolved_calls = unlinked.unresolved.into_iter().take(MAX_NAMES).collect();
        let ambiguous = unlinked.ambiguous;
        if ambiguous.is_empty() {
            return;
        }
        let first = ambiguous.iter().take(5).map(|(candidates, file, span)| {
            let names = candidates
                .iter()
                .take(5)
                .filter_map(|symbol| SymbolInfo::of(session, *symbol))
                .map(|info| info.qualified_name);
            let line = session
                .facts(*file)
                .map_or(0, |facts| facts.lines.line_number(span.start));
            AmbiguousEdge {
                call_site: site(session, *file, line),
                candidates: names.collect(),
            }
        });
        self.ambiguous_edges = Some(AmbiguousEdges {
            count: ambiguous.len(),
            first: first.collect(),
        });
    }
}

/// Code outside of every function: the file calls, on the line of the call.
fn top_level(session: &Session, file: FileId, line: u32) -> SymbolShape {
    let path = session.path(file).to_owned();
    let handle = SymbolHandle::File(path.clone()).to_string();
    SymbolShape {
        symbol_id: handle.clone(),
        symbol_stable_id: handle,
        name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        kind: "module",
        qualified_name: names::module_name(session.snapshot(), file),
        path,
        line_start: line,
        line_end: line,
        signature: None,
        language: None,
        visibility: None,
    }
}

fn site(session: &Session, file: FileId, line: u32) -> CallSite {
    CallSite {
        file: session.path(file).to_owned(),
        line,
    }
}
