//! Answers that other questions are made of, kept with their snapshot: who asks for references asks
//! for callers next.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{
    calls::{Call, OutsideCall, Site, UnlinkedCalls},
    dispatch::DispatchedCall,
    implicit::{Giver, ImplicitCall, KnownUse},
    named_places::{NamedPlace, NamedPlaces, PlacesIn},
    references::{Mention, Named},
};
use crate::{FileId, Resolver, SymbolId, bounded::Bounded};

/// Bytes of each kind of answer, roughly.
const LIMIT: usize = 4 << 20;

/// Each answer with whether function values were followed in part for it.
type AnswerTable<K, V> = Mutex<Bounded<K, (Arc<V>, bool), LIMIT>>;

pub(crate) type Callers = (Vec<Call>, Vec<OutsideCall>);
pub(crate) type Callees = (Vec<Call>, UnlinkedCalls);

#[derive(Default)]
pub(crate) struct Answers {
    /// By name, and the files that are looked at.
    pub places: AnswerTable<(Box<str>, PlacesIn), NamedPlaces>,
    /// By overloads, and whether what means something else is counted.
    pub named: AnswerTable<(Box<[SymbolId]>, bool), Named>,
    /// By symbol, and whether calls through a base count.
    pub callers: AnswerTable<(SymbolId, bool), Callers>,
    pub callees: AnswerTable<(SymbolId, bool), Callees>,
    /// By symbol: the calls that may run it without naming it.
    pub indirect: AnswerTable<SymbolId, Vec<Mention>>,
    /// By member: the calls of it that may run what overrides it.
    pub dispatched: AnswerTable<SymbolId, Vec<DispatchedCall>>,
    /// By symbol, and whether its callers were asked for.
    pub implicit: AnswerTable<(SymbolId, bool), Vec<ImplicitCall>>,
    /// By file and the name of a member; by no name what is raised.
    pub uses: AnswerTable<(FileId, Box<str>), Vec<KnownUse>>,
    pub givers: AnswerTable<FileId, Vec<Giver>>,
}

/// How heavy an answer is, in bytes.
pub(crate) trait Weight {
    fn weight(&self) -> usize;
}

impl Weight for NamedPlaces {
    fn weight(&self) -> usize {
        let places = self.places.iter();
        let targets: usize = places.map(|place| place.targets.len()).sum();
        size_of::<NamedPlace>() * self.places.len() + size_of::<SymbolId>() * targets + 64
    }
}

impl Weight for Vec<DispatchedCall> {
    fn weight(&self) -> usize {
        let n_receivers: usize = self.iter().map(|call| call.receivers.len()).sum();
        size_of::<DispatchedCall>() * self.len() + size_of::<SymbolId>() * n_receivers + 64
    }
}

impl Weight for Vec<Mention> {
    fn weight(&self) -> usize {
        size_of::<Mention>() * self.len() + 64
    }
}

impl Weight for Named {
    fn weight(&self) -> usize {
        (self.mentions.len() + self.open_calls.len() + 2 * self.unsettled.len() + 4)
            * size_of::<Mention>()
    }
}

impl Weight for Callers {
    fn weight(&self) -> usize {
        weight_of(&self.0) + size_of::<OutsideCall>() * self.1.len() + 64
    }
}

impl Weight for Callees {
    fn weight(&self) -> usize {
        let UnlinkedCalls {
            external,
            ambiguous,
            unresolved,
        } = &self.1;
        let candidates: usize = ambiguous
            .iter()
            .map(|(candidates, ..)| candidates.len())
            .sum();
        weight_of(&self.0)
            + 64 * (external.len() + ambiguous.len() + unresolved.len())
            + 8 * candidates
            + 64
    }
}

impl Weight for Vec<KnownUse> {
    fn weight(&self) -> usize {
        size_of::<KnownUse>() * self.len() + 64
    }
}

impl Weight for Vec<Giver> {
    fn weight(&self) -> usize {
        // With room for the arguments of types.
        2 * size_of::<Giver>() * self.len() + 64
    }
}

impl Weight for Vec<ImplicitCall> {
    fn weight(&self) -> usize {
        size_of::<ImplicitCall>() * self.len() + 64
    }
}

fn weight_of(calls: &[Call]) -> usize {
    calls
        .iter()
        .map(|call| size_of::<Call>() + size_of::<Site>() * call.sites.len())
        .sum()
}

/// An answer from the table, or worked out and kept, unless it was cut short or reasons are wanted.
/// An answer that ran out of steps for values is kept and says so each time: asked again it would
/// cost as much, and find the same.
pub(super) fn answered<K: std::hash::Hash + Eq, V: Weight>(
    resolver: &Resolver,
    table: impl Fn(&Answers) -> &AnswerTable<K, V>,
    key: K,
    work_out: impl FnOnce() -> V,
) -> Arc<V> {
    let table = table(&resolver.analysis.answers);
    let may_be_kept = resolver.may_cache();
    let known = may_be_kept.then(|| table.lock().get(&key)).flatten();
    if let Some((answer, is_partial)) = known {
        if is_partial {
            resolver.budget.skip_values();
        }
        return answer;
    }
    let (answer, is_partial) = resolver.budget.watching_values(work_out);
    let answer = Arc::new(answer);
    if may_be_kept && resolver.budget.stopped().is_none() {
        let weight = answer.weight();
        table.lock().keep(key, (answer.clone(), is_partial), weight);
    }
    answer
}
