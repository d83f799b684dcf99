//! `get_call_graph`: who calls a symbol and what it calls, some steps far.

use std::collections::BTreeSet;

use answers::{
    Session, SymbolHandle, SymbolInfo, Wanted,
    call_graph::{CallDirection, CallEdge, CallGraph, CallNode, WalkOptions},
    references::References,
};
use engine::{FileId, Outcome, Resolver, query};
use facts::ImplicitKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{LIST_BYTES, MetadataWith},
    occurrences::OccurrencesShape,
    symbols::{CompactSymbol, NamedSymbol, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError};

pub struct GetCallGraph;

/// Who calls a function and what it calls, with call sites.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: NamedSymbol,
    #[serde(default)]
    direction: Directions,
    /// 1 to 5, default 1
    depth: Option<i64>,
    /// Per direction, default 20
    limit: Option<i64>,
    /// One entry per symbol, with one handle
    #[serde(default)]
    compact: bool,
    /// Also loops, operators and other calls that the language makes
    #[serde(default)]
    include_implicit: bool,
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
    callers: Vec<EdgeItem>,
    callees: Vec<EdgeItem>,
    total_edges: usize,
    truncated: bool,
    depth_applied: usize,
    metadata: MetadataWith<CallGraphNotes>,
}

// All edges of an answer are of one kind: a box around each would only cost.
#[allow(clippy::large_enum_variant)]
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EdgeItem {
    Site(EdgeShape),
    Symbol(CompactEdge),
}

/// All calls between two symbols.
#[derive(Serialize, JsonSchema)]
pub struct CompactEdge {
    path: String,
    /// Absent for code outside of every function
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<CompactSymbol>,
    /// Lines of the calls
    lines: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'static str>,
    /// What makes the language call it by itself: `for`, `with`, `operator`
    #[serde(skip_serializing_if = "Option::is_none")]
    implicit: Option<&'static str>,
    depth: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct EdgeShape {
    symbol: SymbolShape,
    call_site: CallSiteShape,
    confidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'static str>,
    /// What makes the language call it by itself: `for`, `with`, `operator`
    #[serde(skip_serializing_if = "Option::is_none")]
    implicit: Option<&'static str>,
    depth: usize,
    /// Which of the joined overloads is called or calls
    #[serde(skip_serializing_if = "Option::is_none")]
    overload: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct CallSiteShape {
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
    call_site: CallSiteShape,
    candidates: Vec<String>,
}

/// Names listed of calls into libraries, and of calls that were not resolved.
const MAX_NAMES: usize = 20;

impl Tool for GetCallGraph {
    const NAME: &'static str = "get_call_graph";
    const OWN_FIELDS: &'static [&'static str] = &["compact", "include_implicit"];
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let (session, mut metadata) = input.at.open(context)?;
        let depth = metadata.clamp("depth", input.depth, 1, 5);
        let limit = metadata.clamp("limit", input.limit, 20, 500);
        let (meant, named) = input.at.joined(&session, &metadata, Wanted::Called)?;
        let resolver = session.resolver();
        let walk = |direction| {
            let options = WalkOptions {
                max_sites: limit,
                implicit: input.include_implicit,
                ..WalkOptions::new(direction, depth)
            };
            CallGraph::around(&session, &resolver, &meant, options)
        };
        let mut shown = ShownEdges {
            session: &session,
            resolver: &resolver,
            limit,
            names_overloads: meant.overloads.len() > 1,
            compact: input.compact,
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
                let references = References::to(&session, &resolver, &meant);
                notes.absence = Some(references.occurrences(&session).into());
            }
        }
        if input.direction != Directions::Callers {
            let graph = walk(CallDirection::Callees);
            callees = shown.edges(&graph);
            notes.add_unlinked(&session, &graph);
        }
        let mut room = LIST_BYTES;
        let n_shown = callers.len() + callees.len();
        metadata.fit(&mut callers, &mut room);
        metadata.fit(&mut callees, &mut room);
        let is_cut = callers.len() + callees.len() < n_shown;
        let cut = session.budget.cut();
        let truncated = is_cut || shown.truncated || cut.is_some();
        if truncated {
            metadata.truncated();
        }
        metadata.cut(cut)?;
        Ok(Output {
            symbol: SymbolShape::found(&session, meant.first())?,
            total_edges: shown.total_edges,
            callers,
            callees,
            truncated,
            depth_applied: depth,
            metadata: metadata.with(notes),
        })
    }

    fn is_empty(output: &Output) -> bool {
        output.callers.is_empty() && output.callees.is_empty()
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
    compact: bool,
    total_edges: usize,
    truncated: bool,
}

impl ShownEdges<'_> {
    /// Nearest first, up to the limit.
    fn edges(&mut self, graph: &CallGraph) -> Vec<EdgeItem> {
        let sites = graph.distinct_sites();
        self.total_edges += sites.len();
        self.truncated |= !graph.complete || sites.len() > self.limit;
        let sites = sites.into_iter().take(self.limit);
        if self.compact {
            let edges = self.by_symbol(graph, sites).into_iter();
            return edges.map(EdgeItem::Symbol).collect();
        }
        let edges = sites.filter_map(|edge| self.edge(graph, edge));
        edges.map(EdgeItem::Site).collect()
    }

    /// The sites of each symbol together, in the order of the first.
    fn by_symbol<'g>(
        &self,
        graph: &CallGraph,
        sites: impl Iterator<Item = &'g CallEdge>,
    ) -> Vec<CompactEdge> {
        let mut edges: Vec<((usize, Option<ImplicitKind>), CompactEdge)> = Vec::new();
        for site in sites {
            let key = (site.to, site.implicit);
            if let Some((_, known)) = edges.iter_mut().find(|(known, _)| *known == key) {
                known.lines.push(site.site.line);
                continue;
            }
            let (file, symbol) = match &graph.nodes[site.to].node {
                CallNode::Symbol(symbol) => (symbol.file, CompactSymbol::of(self.session, *symbol)),
                CallNode::File(file) => (*file, None),
                CallNode::Library(_) => continue,
            };
            let edge = CompactEdge {
                path: self.session.path(file).to_owned(),
                symbol,
                lines: vec![site.site.line],
                via: (site.outcome == Outcome::Dispatch).then_some("dispatch"),
                implicit: site.implicit.map(ImplicitKind::as_str),
                depth: site.depth,
            };
            edges.push((key, edge));
        }
        edges.into_iter().map(|(_, edge)| edge).collect()
    }

    fn edge(&self, graph: &CallGraph, edge: &CallEdge) -> Option<EdgeShape> {
        let mut symbol = SymbolShape::node(graph.info(self.session, edge.to)?);
        let line = edge.site.line;
        match &graph.nodes[edge.to].node {
            // A body that only a macro names is shown at its call.
            CallNode::Symbol(called)
                if edge.site.file == called.file
                    && query::is_made_by_macro(self.resolver, *called) =>
            {
                symbol.line_start = line;
            }
            // So is code outside of every function.
            CallNode::File(_) => {
                (symbol.line_start, symbol.line_end) = (line, line);
                symbol.name_line = Some(line);
            }
            _ => {}
        }
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
            implicit: edge.implicit.map(ImplicitKind::as_str),
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

fn site(session: &Session, file: FileId, line: u32) -> CallSiteShape {
    CallSiteShape {
        file: session.path(file).to_owned(),
        line,
    }
}
