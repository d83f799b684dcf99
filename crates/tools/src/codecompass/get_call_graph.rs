//! `get_call_graph`: who calls a symbol and what it calls, some steps far.

use std::collections::BTreeSet;

use engine::{FileId, Outcome, Resolver, SymbolId, query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    envelope::{self, FreshnessPolicy, Metadata, Opened},
    symbols::{self, SymbolShape},
};
use crate::{Context, Moment, Surface, Tool, ToolError, absence::Absence, lookup::Wanted, names};

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
    direction: Direction,
    /// 1 to 5, default 1
    depth: Option<i64>,
    /// Per direction, default 20
    limit: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Callers,
    Callees,
    #[default]
    Both,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    symbol: SymbolShape,
    callers: Vec<Edge>,
    callees: Vec<Edge>,
    total_edges: usize,
    truncated: bool,
    depth_applied: usize,
    metadata: Metadata,
}

#[derive(Clone, Serialize, JsonSchema)]
pub struct Edge {
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

#[derive(Clone, Serialize, JsonSchema)]
pub struct CallSite {
    file: String,
    line: u32,
}

impl Tool for GetCallGraph {
    const NAME: &'static str = "get_call_graph";
    const SURFACE: Surface = Surface::Codecompass;
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
        let meant = symbols::joined(
            &mut opened,
            &input.symbol_name,
            input.path.as_deref(),
            Wanted::Called,
        )?;
        let Opened {
            moment,
            mut metadata,
        } = opened;
        let budget = context.budget();
        let resolver = moment.analysis.resolver(&budget);
        let roots: Vec<SymbolId> = meant
            .iter()
            .flat_map(|symbol| query::called_as(&resolver, *symbol))
            .collect();
        let graph = Graph {
            moment: &moment,
            resolver: &resolver,
            depth,
            limit,
            is_joined: meant.len() > 1,
        };
        let callers = if input.direction == Direction::Callees {
            Walked::default()
        } else {
            graph.callers(&roots)
        };
        let callees = if input.direction == Direction::Callers {
            Walked::default()
        } else {
            graph.callees(&roots, &mut metadata)
        };
        if input.direction != Direction::Callees && callers.n_edges == 0 {
            let account = query::accounted_references(&resolver, &meant).value.account;
            metadata.set("absence", Absence::of(&moment, meant[0], account).to_json());
        }
        let is_part = |walked: &Walked| walked.is_cut || walked.n_edges > walked.edges.len();
        let truncated = is_part(&callers) || is_part(&callees) || budget.cut().is_some();
        if truncated {
            metadata.truncated();
        }
        metadata.cut(budget.cut())?;
        let shape = SymbolShape::of(&moment, meant[0])
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))?;
        Ok(Output {
            symbol: shape.without_text(),
            total_edges: callers.n_edges + callees.n_edges,
            callers: callers.edges,
            callees: callees.edges,
            truncated,
            depth_applied: depth,
            metadata,
        })
    }
}

struct Graph<'a> {
    moment: &'a Moment,
    resolver: &'a Resolver<'a>,
    depth: usize,
    limit: usize,
    /// Several overloads are asked for, and each edge says which one it belongs to.
    is_joined: bool,
}

/// Symbols whose edges are followed; beyond, the graph is cut.
const MOST_VISITED: usize = 2_000;

/// Symbols whose edges are counted when there are more than the answer shows.
const MOST_COUNTED: usize = 50;

/// Edges up to the limit, nearest first.
#[derive(Default)]
struct Walked {
    edges: Vec<Edge>,
    /// All that were seen.
    n_edges: usize,
    /// There may be more than were seen.
    is_cut: bool,
}

impl Graph<'_> {
    /// Breadth first: nearer callers come first, then in order of path and place.
    fn callers(&self, roots: &[SymbolId]) -> Walked {
        self.walk(roots, |symbol| {
            let (calls, outside) = query::callers(self.resolver, symbol).value;
            let mut edges: Vec<Step> = Vec::new();
            for call in calls {
                edges.extend(call.sites.into_iter().map(|site| Step {
                    to: To::Symbol(call.symbol),
                    outcome: call.outcome,
                    site,
                }));
            }
            edges.extend(outside.into_iter().map(|site| Step {
                to: To::File(site.file),
                outcome: Outcome::Static,
                site,
            }));
            edges
        })
    }

    /// In order of the calls; what is no edge goes to the metadata.
    fn callees(&self, roots: &[SymbolId], metadata: &mut Metadata) -> Walked {
        let mut beyond = query::Beyond::default();
        for root in roots {
            let of_root = query::callees(self.resolver, *root).value.1;
            beyond.external.extend(of_root.external);
            beyond.ambiguous.extend(of_root.ambiguous);
            beyond.unresolved.extend(of_root.unresolved);
        }
        if !beyond.external.is_empty() {
            let names: BTreeSet<&str> = beyond
                .external
                .iter()
                .map(|(name, ..)| name.as_str())
                .collect();
            metadata.set(
                "external_calls",
                names
                    .into_iter()
                    .take(20)
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            );
        }
        if !beyond.ambiguous.is_empty() {
            let first = beyond
                .ambiguous
                .iter()
                .take(5)
                .map(|(candidates, file, span)| {
                    let names: Vec<String> = candidates
                        .iter()
                        .take(5)
                        .filter_map(|symbol| SymbolShape::of(self.moment, *symbol))
                        .map(|shape| shape.qualified_name)
                        .collect();
                    let line = self
                        .moment
                        .facts(*file)
                        .map_or(0, |facts| facts.lines.line_number(span.start));
                    json!({ "call_site": self.site(*file, line), "candidates": names })
                });
            metadata.set(
                "ambiguous_edges",
                json!({ "count": beyond.ambiguous.len(), "first": first.collect::<Vec<_>>() }),
            );
        }
        if !beyond.unresolved.is_empty() {
            let names: BTreeSet<String> = beyond
                .unresolved
                .iter()
                .map(|(name, hint, ..)| {
                    hint.as_ref()
                        .map_or_else(|| name.clone(), |hint| format!("{hint}.{name}"))
                })
                .collect();
            metadata.set(
                "unresolved_calls",
                names.into_iter().take(20).collect::<Vec<_>>(),
            );
        }
        self.walk(roots, |symbol| {
            let calls = query::callees(self.resolver, symbol).value.0;
            calls
                .into_iter()
                .flat_map(|call| {
                    call.sites.into_iter().map(move |site| Step {
                        to: To::Symbol(call.symbol),
                        outcome: call.outcome,
                        site,
                    })
                })
                .collect()
        })
    }

    fn walk(&self, roots: &[SymbolId], steps: impl Fn(SymbolId) -> Vec<Step>) -> Walked {
        let mut walked = Walked::default();
        let mut visited: BTreeSet<SymbolId> = roots.iter().copied().collect();
        let mut level = roots.to_vec();
        let mut n_counted = 0;
        for depth in 1..=self.depth {
            let from = |symbol: SymbolId| {
                steps(symbol)
                    .into_iter()
                    .map(move |step| (symbol, step))
                    .collect::<Vec<_>>()
            };
            // Where overloads are joined, one that everybody calls does not hide the others behind
            // the limit.
            let in_turns = (self.is_joined && depth == 1)
                .then(|| by_turns(level.iter().map(|symbol| from(*symbol)).collect()));
            let lists: &mut dyn Iterator<Item = Vec<(SymbolId, Step)>> = match in_turns {
                Some(list) => &mut std::iter::once(list),
                None => &mut level.into_iter().map(from),
            };
            let mut next = Vec::new();
            let mut seen: BTreeSet<(Option<SymbolId>, FileId, u32)> = BTreeSet::new();
            loop {
                // What lies beyond the limit is only counted, and that has its own end.
                n_counted += usize::from(walked.edges.len() >= self.limit);
                if n_counted > MOST_COUNTED {
                    walked.is_cut = true;
                    return walked;
                }
                let Some(list) = lists.next() else { break };
                for (symbol, step) in list {
                    let to = match step.to {
                        To::Symbol(symbol) => Some(symbol),
                        To::File(_) => None,
                    };
                    if !seen.insert((to, step.site.file, step.site.line)) {
                        continue;
                    }
                    walked.n_edges += 1;
                    if walked.edges.len() < self.limit {
                        let overload = (self.is_joined && depth == 1).then_some(symbol);
                        walked.edges.extend(self.edge(&step, depth, overload));
                    }
                    if let Some(symbol) = to
                        && visited.len() < MOST_VISITED
                        && visited.insert(symbol)
                    {
                        next.push(symbol);
                    }
                }
            }
            level = next;
        }
        walked
    }

    fn edge(&self, step: &Step, depth: usize, overload: Option<SymbolId>) -> Option<Edge> {
        let symbol = match step.to {
            To::Symbol(symbol) => {
                let mut shape = SymbolShape::of(self.moment, symbol)?.without_text();
                // A body that only a macro names stands at its call.
                if step.site.file == symbol.file && query::is_made_by_macro(self.resolver, symbol) {
                    shape.line_start = step.site.line;
                }
                shape
            }
            To::File(file) => self.top_level(file, step.site.line)?,
        };
        let (confidence, via) = match step.outcome {
            Outcome::Static => ("static", None),
            Outcome::Dispatch => ("heuristic", Some("dispatch")),
            _ => ("heuristic", None),
        };
        let overload = overload
            .and_then(|symbol| SymbolShape::of(self.moment, symbol))
            .map(|shape| shape.symbol_id);
        Some(Edge {
            symbol,
            call_site: self.site(step.site.file, step.site.line),
            confidence,
            via,
            depth,
            overload,
        })
    }

    /// Code outside of every function: the file calls, where the call stands.
    fn top_level(&self, file: FileId, line: u32) -> Option<SymbolShape> {
        let path = self.moment.path(file).to_owned();
        let module = names::module_path(self.moment.snapshot(), file)
            .join(names::separator(self.moment.snapshot(), file));
        Some(SymbolShape {
            symbol_id: format!("file::{path}"),
            symbol_stable_id: format!("file::{path}"),
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            kind: "module",
            qualified_name: if module.is_empty() {
                path.clone()
            } else {
                module
            },
            path,
            line_start: line,
            line_end: line,
            signature: None,
            language: None,
            visibility: None,
        })
    }

    fn site(&self, file: FileId, line: u32) -> CallSite {
        CallSite {
            file: self.moment.path(file).to_owned(),
            line,
        }
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

struct Step {
    to: To,
    outcome: Outcome,
    site: query::Site,
}

#[derive(Clone, Copy)]
enum To {
    Symbol(SymbolId),
    File(FileId),
}
