//! `graph.trace_feature`: from an entry point through calls, dispatch and registered services to
//! the leaves, each with its facts.

use std::collections::{BTreeMap, BTreeSet};

use answers::handle::DocumentationIds;
use engine::{Outcome, Resolver, SymbolId, query, query::architecture::ArchitectureKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    budgets,
    envelope::{Confidence, Envelope},
    graph,
    session::{At, Session},
    surfaces, symbols, symbols_get_card,
};
use crate::{CODEMAP, Context, ContractRef, Tool, ToolError};

pub struct GraphTraceFeature;

/// Follows a feature from its entry point through calls, implementations and registered services,
/// with routes, keys and tables on the way.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: At,
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
    pub kind: String,
    pub value: String,
    pub confidence: Confidence,
}

impl Tool for GraphTraceFeature {
    const NAME: &'static str = "graph.trace_feature";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = Input;
    type Output = Envelope<Trace>;

    fn run(context: &Context, input: Input) -> Result<Envelope<Trace>, ToolError> {
        let session = Session::open(context, &input.at)?;
        let depth = session.allow(budgets::TRACE_DEPTH, input.depth);
        let limit = session.allow(budgets::TRACE_NODES, input.limit);
        let resolver = session.analysis.resolver(&session.budget);
        let ids = DocumentationIds::new(&session.moment, &resolver);
        let entry = symbols::one(&session, &ids, &resolver, &input.entry_point)?;
        let mut tracer = Tracer {
            session: &session,
            resolver: &resolver,
            children: BTreeMap::new(),
            confidence: Confidence::High,
            truncated: false,
        };
        let total = tracer.walk(entry, depth, limit);
        let mut seen = BTreeSet::new();
        let root = tracer.node(&ids, entry, 0, depth, &mut seen);
        let route = session
            .architecture()
            .facts
            .iter()
            .find(|fact| fact.kind() == ArchitectureKind::Route && fact.symbol == Some(entry))
            .map(|fact| format!("{} {}", surfaces::detail(&fact.subject), fact.name));
        let name = symbols::qualified_name(&session, entry);
        let (truncated, confidence) = (tracer.truncated, tracer.confidence);
        let served = route
            .as_ref()
            .map(|route| format!(", which serves {route}"))
            .unwrap_or_default();
        let cut = if truncated {
            " The limit cut it short."
        } else {
            ""
        };
        let late = session.cut(session.budget.cut())?.unwrap_or_default();
        let answer =
            format!("{total} symbols from `{name}`{served}, within depth {depth}.{cut}{late}");
        let id = ids.of(entry);
        let evidence = session
            .evidence(entry, Some(id.clone()))
            .into_iter()
            .collect();
        let next = vec![session.next(
            "symbols.get_card",
            "What the entry point is.",
            json!({ "symbol_id": id }),
        )];
        let data = Trace {
            entry_point: id,
            entry_point_name: name,
            entry_point_route: route,
            nodes: vec![root],
            total_nodes_traversed: total,
            depth,
            truncated,
        };
        session.finish(answer, data, evidence, next, confidence)
    }
}

struct Tracer<'a> {
    session: &'a Session<'a>,
    resolver: &'a Resolver<'a>,
    children: BTreeMap<SymbolId, Vec<SymbolId>>,
    confidence: Confidence,
    truncated: bool,
}

impl Tracer<'_> {
    /// Level by level, so that a limit keeps what is near. Returns how many symbols were reached.
    fn walk(&mut self, entry: SymbolId, depth: usize, limit: usize) -> usize {
        let mut reached: BTreeSet<SymbolId> = BTreeSet::from([entry]);
        let mut level = vec![entry];
        for _ in 0..depth {
            let mut next = Vec::new();
            for symbol in level {
                let mut kept = Vec::new();
                for (to, outcome) in self.steps(symbol) {
                    if !reached.contains(&to) && reached.len() >= limit {
                        self.truncated = true;
                        continue;
                    }
                    self.confidence = self.confidence.min(graph::confidence_of(outcome));
                    kept.push(to);
                    if reached.insert(to) {
                        next.push(to);
                    }
                }
                self.children.insert(symbol, kept);
            }
            level = next;
        }
        reached.len()
    }

    /// What may run next: what is called, and what stands behind it where it is an interface's.
    fn steps(&self, symbol: SymbolId) -> Vec<(SymbolId, Outcome)> {
        let mut steps: Vec<(SymbolId, Outcome)> = Vec::new();
        // What stands behind a call is chosen below, by what is registered.
        for call in query::callees(self.resolver, symbol)
            .value
            .0
            .into_iter()
            .filter(|call| call.outcome != Outcome::Dispatch)
        {
            steps.push((call.symbol, call.outcome));
            let behind = query::overriding(self.resolver, call.symbol).value;
            let registered = self.registered(call.symbol);
            for (other, _) in behind {
                // Where a service is registered, its implementation is the one that runs.
                let holder = self.holder(other);
                if registered.is_empty()
                    || holder.is_some_and(|holder| registered.contains(&holder))
                {
                    steps.push((other, Outcome::Dispatch));
                }
            }
        }
        let mut seen = BTreeSet::new();
        steps.retain(|(to, _)| *to != symbol && seen.insert(*to));
        steps
    }

    fn holder(&self, member: SymbolId) -> Option<SymbolId> {
        match self.resolver.self_type(member) {
            engine::Ty::Instance(of, _) => Some(of),
            _ => None,
        }
    }

    /// The implementations registered for the type of a member.
    fn registered(&self, member: SymbolId) -> Vec<SymbolId> {
        let Some(holder) = self.holder(member) else {
            return Vec::new();
        };
        let registrations =
            self.session.architecture().facts.iter().filter(|fact| {
                fact.kind() == ArchitectureKind::Service && fact.symbol == Some(holder)
            });
        registrations
            .filter_map(|fact| fact.other)
            .filter(|other| *other != holder)
            .collect()
    }

    fn node(
        &self,
        ids: &DocumentationIds<'_>,
        symbol: SymbolId,
        depth: usize,
        max_depth: usize,
        seen: &mut BTreeSet<SymbolId>,
    ) -> TraceNode {
        self.session.shows(symbol.file);
        let is_new = seen.insert(symbol);
        let below = self
            .children
            .get(&symbol)
            .filter(|_| is_new && depth < max_depth);
        let children = below
            .map(|below| {
                below
                    .iter()
                    .map(|child| self.node(ids, *child, depth + 1, max_depth, seen))
                    .collect()
            })
            .unwrap_or_default();
        TraceNode {
            symbol_id: ids.of(symbol),
            stable_id: ids.stable(symbol),
            display_name: symbols::signature(self.session, symbol),
            depth,
            annotations: self.annotations(symbol),
            children,
        }
    }

    fn annotations(&self, symbol: SymbolId) -> Vec<Annotation> {
        let effects = query::effects(self.resolver, symbol, self.session.architecture()).value;
        let certain = |value: &str| {
            let own = self
                .session
                .architecture()
                .facts
                .iter()
                .find(|fact| fact.symbol == Some(symbol) && value.contains(&fact.name));
            own.map_or(Confidence::High, |fact| {
                surfaces::confidence_of(fact.certainty)
            })
        };
        let facts = symbols_get_card::facts_of(self.session, symbol, &effects);
        facts
            .into_iter()
            .map(|fact| {
                let kind: String = fact
                    .kind
                    .split('_')
                    .map(|word| word[..1].to_uppercase() + &word[1..])
                    .collect();
                let confidence = certain(&fact.value);
                Annotation {
                    kind,
                    value: fact.value.split('|').next().unwrap_or_default().to_owned(),
                    confidence,
                }
            })
            .collect()
    }
}
