//! `graph.callers` and `graph.callees`: who calls a symbol and what it calls, level by level.

use std::collections::{BTreeMap, BTreeSet};

use answers::{
    handle::{DocumentationIds, of_library},
    occurrences::Occurrences,
};
use engine::{Outcome, Resolver, SymbolId, query};
use facts::SymbolKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    budgets,
    cursor::Page,
    envelope::{Confidence, Envelope},
    errors, occurrences,
    session::{At, Session},
    symbols,
};
use crate::{CODEMAP, Context, ContractRef, Tool, ToolError};

pub struct GraphCallers;
pub struct GraphCallees;

/// Who calls a function, method, constructor or property, up to `depth` calls away.
#[derive(Deserialize, JsonSchema)]
pub struct CallersInput {
    #[serde(flatten)]
    question: Question,
}

/// What a function, method or constructor calls, up to `depth` calls away.
#[derive(Deserialize, JsonSchema)]
pub struct CalleesInput {
    #[serde(flatten)]
    question: Question,
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    #[serde(flatten)]
    at: At,
    symbol_id: String,
    /// At most 6.
    depth: Option<i64>,
    limit_per_level: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CallGraph {
    pub root: String,
    /// The root at depth 0, then by depth and id.
    pub nodes: Vec<Node>,
    /// Without the root.
    pub total_nodes_found: usize,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Node {
    pub symbol_id: String,
    pub display_name: String,
    pub kind: String,
    pub depth: usize,
    /// Absent for libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    pub line: u32,
    /// Callers: those that call this one. Callees: those that this one calls.
    pub edges_to: Vec<String>,
    pub confidence: Confidence,
}

impl Tool for GraphCallers {
    const NAME: &'static str = "graph.callers";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = CallersInput;
    type Output = Envelope<CallGraph>;

    fn run(context: &Context, input: CallersInput) -> Result<Envelope<CallGraph>, ToolError> {
        answer(context, input.question, Direction::Callers)
    }
}

impl Tool for GraphCallees {
    const NAME: &'static str = "graph.callees";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = CalleesInput;
    type Output = Envelope<CallGraph>;

    fn run(context: &Context, input: CalleesInput) -> Result<Envelope<CallGraph>, ToolError> {
        answer(context, input.question, Direction::Callees)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    Callers,
    Callees,
}

/// A node before it has an id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Symbol(SymbolId),
    /// The file's own code, outside of any function.
    File(engine::FileId),
    /// A path into a library.
    Library(String),
}

struct Edge {
    to: Key,
    outcome: Outcome,
    /// The first call.
    site: (engine::FileId, facts::Span),
}

fn answer(
    context: &Context,
    question: Question,
    direction: Direction,
) -> Result<Envelope<CallGraph>, ToolError> {
    let session = Session::open(context, &question.at)?;
    let depth = session.allow(budgets::DEPTH, question.depth);
    let per_level = session.allow(budgets::PER_LEVEL, question.limit_per_level);
    let resolver = session.analysis.resolver(&session.budget);
    let ids = DocumentationIds::new(&session.moment, &resolver);
    let root = symbols::one(&session, &ids, &resolver, &question.symbol_id)?;
    let root_id = ids.of(root);
    if !can_be_called(&resolver, root) {
        let message = format!(
            "`{root_id}` is a {}: ask about a method, function, constructor or property; `refs_find` lists uses of types",
            symbols::kind(&session, root)
        );
        return Err(errors::invalid(message).with_data(json!({ "symbol_id": root_id })));
    }
    let page = Page::of(
        &session,
        (&root_id, direction, depth, per_level),
        question.cursor.as_deref(),
        per_level,
    )?;
    let mut graph = Graph {
        session: &session,
        resolver: &resolver,
        direction,
        outside: Vec::new(),
    };
    let mut levels: Vec<Vec<Key>> = vec![vec![Key::Symbol(root)]];
    let mut edges: BTreeMap<Key, Vec<Edge>> = BTreeMap::new();
    let mut seen: BTreeSet<Key> = BTreeSet::from([Key::Symbol(root)]);
    let mut total = 0;
    let mut truncated = false;
    let mut last_cut = 0;
    // What may run behind an interface, base or trait stands one level below what is called.
    let mut behind: BTreeSet<Key> = BTreeSet::new();
    for level in 0..=depth {
        let mut next = std::mem::take(&mut behind);
        if level == depth && next.is_empty() {
            break;
        }
        let opened = if level < depth {
            levels[level].clone()
        } else {
            Vec::new()
        };
        for key in opened {
            let Key::Symbol(symbol) = key else { continue };
            let found = graph.edges(symbol);
            for edge in found.iter().filter(|edge| !seen.contains(&edge.to)) {
                let list = if edge.outcome == Outcome::Dispatch {
                    &mut behind
                } else {
                    &mut next
                };
                list.insert(edge.to.clone());
            }
            edges.insert(Key::Symbol(symbol), found);
        }
        behind.retain(|key| !next.contains(key));
        let mut next: Vec<Key> = next.into_iter().collect();
        next.sort_by_cached_key(|key| (matches!(key, Key::Library(_)), graph.id(&ids, key)));
        seen.extend(next.iter().cloned());
        total += next.len();
        // A cursor goes on in the first level, from which the others follow.
        let (skip, keep) = if level == 0 {
            (page.start, page.len)
        } else {
            (0, per_level)
        };
        truncated |= next.len() > skip + keep;
        if level == 0 {
            last_cut = next.len();
        }
        levels.push(next.into_iter().skip(skip).take(keep).collect());
    }
    let mut nodes = Vec::new();
    let mut confidence = Confidence::High;
    for (depth, keys) in levels.iter().enumerate() {
        for key in keys {
            let reached = || edges.values().flatten().filter(|edge| edge.to == *key);
            let own = confidence_of(
                reached()
                    .map(|edge| edge.outcome)
                    .min()
                    .unwrap_or(Outcome::Static),
            );
            let first_call = reached()
                .map(|edge| edge.site)
                .min_by_key(|(file, span)| (*file, span.start));
            confidence = confidence.min(own);
            let edges_to = edges
                .get(key)
                .map(|edges| edges.iter().map(|edge| graph.id(&ids, &edge.to)).collect())
                .unwrap_or_default();
            nodes.push(graph.node(&ids, key, depth, edges_to, own, first_call));
        }
    }
    let cut = session.cut(session.budget.cut())?.unwrap_or_default();
    let (verb, name) = (
        if direction == Direction::Callers {
            "callers of"
        } else {
            "callees of"
        },
        symbols::qualified_name(&session, root),
    );
    let account = graph.account();
    let absence = (total == 0 && direction == Direction::Callers).then(|| {
        let account = query::accounted_references(&resolver, &[root])
            .value
            .account;
        Occurrences::of(&session.moment, root, account)
    });
    let answer = match total {
        0 => {
            let absence = absence
                .as_ref()
                .map(occurrences::sentence)
                .unwrap_or_default();
            format!("No {verb} `{name}` within depth {depth}.{account}{absence}{cut}")
        }
        _ if truncated => format!(
            "{total} {verb} `{name}` within depth {depth}, {} shown.{account}{cut}",
            nodes.len() - 1
        ),
        _ => format!("{total} {verb} `{name}` within depth {depth}.{account}{cut}"),
    };
    let mut evidence: Vec<_> = session
        .evidence(root, Some(root_id.clone()))
        .into_iter()
        .collect();
    evidence.extend(session.absence_evidence(absence.as_ref()));
    let cards = nodes
        .iter()
        .skip(1)
        .filter(|node| node.file_path.is_some())
        .take(3);
    let next = cards
        .map(|node| {
            session.next(
                "symbols.get_card",
                format!("What does `{}` do?", node.display_name),
                json!({ "symbol_id": node.symbol_id }),
            )
        })
        .collect();
    let data = CallGraph {
        root: root_id,
        nodes,
        total_nodes_found: total,
        truncated,
        next_cursor: page.next(&session, last_cut),
    };
    session.finish(answer, data, evidence, next, confidence)
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

pub fn confidence_of(outcome: Outcome) -> Confidence {
    match outcome {
        Outcome::Static | Outcome::External => Confidence::High,
        Outcome::Dispatch | Outcome::Heuristic => Confidence::Medium,
        Outcome::Ambiguous | Outcome::Unresolved => Confidence::Low,
    }
}

fn to_symbols(calls: Vec<query::Call>) -> Vec<Edge> {
    let edge = |call: query::Call| {
        let site = call.sites.first()?;
        Some(Edge {
            to: Key::Symbol(call.symbol),
            outcome: call.outcome,
            site: (site.file, site.span),
        })
    };
    calls.into_iter().filter_map(edge).collect()
}

struct Graph<'a> {
    session: &'a Session<'a>,
    resolver: &'a Resolver<'a>,
    direction: Direction,
    /// Calls that are no edges: how many are ambiguous, how many unresolved.
    outside: Vec<Outcome>,
}

impl Graph<'_> {
    fn edges(&mut self, symbol: SymbolId) -> Vec<Edge> {
        match self.direction {
            Direction::Callers => {
                let (calls, outside) = query::callers(self.resolver, symbol).value;
                let mut edges = to_symbols(calls);
                let mut files = BTreeMap::new();
                for site in outside {
                    files.entry(site.file).or_insert((site.file, site.span));
                }
                edges.extend(files.into_iter().map(|(file, site)| Edge {
                    to: Key::File(file),
                    outcome: Outcome::Static,
                    site,
                }));
                edges
            }
            Direction::Callees => {
                let (calls, beyond) = query::callees(self.resolver, symbol).value;
                let mut edges = to_symbols(calls);
                for (path, file, span) in beyond.external {
                    let to = Key::Library(path);
                    if !edges.iter().any(|edge| edge.to == to) {
                        edges.push(Edge {
                            to,
                            outcome: Outcome::External,
                            site: (file, span),
                        });
                    }
                }
                self.outside
                    .extend(beyond.ambiguous.iter().map(|_| Outcome::Ambiguous));
                self.outside
                    .extend(beyond.unresolved.iter().map(|_| Outcome::Unresolved));
                edges
            }
        }
    }

    /// What was left out of the graph, so that silence is not taken for absence.
    fn account(&self) -> String {
        let count = |outcome| {
            self.outside
                .iter()
                .filter(|other| **other == outcome)
                .count()
        };
        let (ambiguous, unresolved) = (count(Outcome::Ambiguous), count(Outcome::Unresolved));
        match (ambiguous, unresolved) {
            (0, 0) => String::new(),
            _ => format!(" Left out: {ambiguous} ambiguous and {unresolved} unresolved calls."),
        }
    }

    fn id(&self, ids: &DocumentationIds<'_>, key: &Key) -> String {
        match key {
            Key::Symbol(symbol) => ids.of(*symbol),
            Key::File(file) => format!("!:{}", self.session.moment.path(*file)),
            Key::Library(path) => of_library(path),
        }
    }

    fn node(
        &self,
        ids: &DocumentationIds<'_>,
        key: &Key,
        depth: usize,
        edges_to: Vec<String>,
        confidence: Confidence,
        first_call: Option<(engine::FileId, facts::Span)>,
    ) -> Node {
        // Code that no declaration names stands at its first call.
        let line_of_call = || {
            let (file, span) = first_call.filter(|_| self.direction == Direction::Callers)?;
            self.session
                .moment
                .facts(file)
                .map(|facts| facts.lines.line_number(span.start))
        };
        let symbol_id = self.id(ids, key);
        let node = |display_name, kind: &str, file_path, line| Node {
            symbol_id,
            display_name,
            kind: kind.to_owned(),
            depth,
            file_path,
            line,
            edges_to,
            confidence,
        };
        match key {
            Key::Symbol(symbol) => {
                self.session.shows(symbol.file);
                let path = self.session.moment.path(symbol.file).to_owned();
                let undeclared = query::is_made_by_macro(self.resolver, *symbol)
                    .then(line_of_call)
                    .flatten();
                node(
                    symbols::qualified_name(self.session, *symbol),
                    symbols::kind(self.session, *symbol),
                    Some(path),
                    undeclared.unwrap_or_else(|| symbols::line(self.session, *symbol)),
                )
            }
            Key::File(file) => {
                self.session.shows(*file);
                let path = self.session.moment.path(*file).to_owned();
                node(
                    path.clone(),
                    "file",
                    Some(path),
                    line_of_call().unwrap_or(1),
                )
            }
            Key::Library(path) => node(path.clone(), "external", None, 0),
        }
    }
}
