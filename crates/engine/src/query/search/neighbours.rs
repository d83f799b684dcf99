//! One step along the calls from what a search found. The cause of a symptom often shares no word
//! with it, but calls it or is called by it.

use std::collections::BTreeMap;

use facts::Modifiers;

use super::{SearchHit, is_test_or_docs, is_vendored_or_generated};
use crate::{Complete, Resolver, SymbolId, query};

/// A function beside the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub symbol: SymbolId,
    pub relation: CallRelation,
    /// The best answer that it is beside.
    pub of: SymbolId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallRelation {
    /// The answer calls it.
    Callee,
    /// It calls the answer.
    Caller,
}

impl CallRelation {
    pub fn as_str(self) -> &'static str {
        match self {
            CallRelation::Callee => "callee",
            CallRelation::Caller => "caller",
        }
    }
}

/// Answers whose calls are followed, and answers whose callers are looked for, which costs more.
const CALLEES_OF: usize = 6;
const CALLERS_OF: usize = 2;
/// A name that more contents mention is said too often to be followed in passing.
const MANY: usize = 200;

/// The functions nearest to the best answers that are not among `hits` themselves, those that
/// several answers lead to first.
pub fn neighbours(
    resolver: &Resolver,
    hits: &[SearchHit],
    limit: usize,
) -> Complete<Vec<Neighbour>> {
    let answers: Vec<(SymbolId, f64)> = hits
        .iter()
        .filter_map(|hit| Some((SymbolId::new(hit.file, hit.symbol?), hit.factors.total())))
        .filter(|(symbol, _)| {
            resolver
                .kind(*symbol)
                .is_some_and(|kind| kind.is_callable())
        })
        .collect();
    let mut found: BTreeMap<SymbolId, (f64, Neighbour)> = BTreeMap::new();
    for (i, (answer, score)) in answers.iter().enumerate().take(CALLEES_OF) {
        let mut beside: Vec<(SymbolId, CallRelation)> = Vec::new();
        let callees = query::direct_callees(resolver, *answer).value.0;
        beside.extend(
            callees
                .into_iter()
                .map(|call| (call.symbol, CallRelation::Callee)),
        );
        if i < CALLERS_OF {
            let name = resolver.name(*answer);
            let mentions = resolver.snapshot().corpus().mentioning(&name);
            let is_rare = resolver.budget.read(mentions).len() <= MANY;
            let callers = if is_rare {
                query::direct_callers(resolver, *answer).value.0
            } else {
                Vec::new()
            };
            beside.extend(
                callers
                    .into_iter()
                    .map(|call| (call.symbol, CallRelation::Caller)),
            );
        }
        // One of many says less than one of few.
        let share = score / ((i + 1) as f64 * (beside.len().max(1) as f64).sqrt());
        for (symbol, relation) in beside {
            let path = resolver.path(symbol.file).as_str();
            let is_answer = answers.iter().any(|(answer, _)| *answer == symbol);
            let is_prototype = resolver
                .symbol(symbol)
                .is_none_or(|(_, declared)| declared.modifiers.contains(Modifiers::PROTOTYPE));
            if is_answer || is_prototype || is_test_or_docs(path) || is_vendored_or_generated(path)
            {
                continue;
            }
            let neighbour = Neighbour {
                symbol,
                relation,
                of: *answer,
            };
            found.entry(symbol).or_insert((0.0, neighbour)).0 += share;
        }
    }
    let mut found: Vec<(f64, Neighbour)> = found.into_values().collect();
    found.sort_by(|(a, left), (b, right)| b.total_cmp(a).then(left.symbol.cmp(&right.symbol)));
    found.truncate(limit);
    resolver
        .budget
        .finish(found.into_iter().map(|(_, neighbour)| neighbour).collect())
}
