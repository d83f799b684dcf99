//! The last rankings of a snapshot, by question: the next page is cut from the same one.

use std::sync::Arc;

use engine::{Bounded, Budget, SymbolId};
use parking_lot::Mutex;

/// A symbol that a search found.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    pub symbol: SymbolId,
    pub score: f64,
}

#[derive(Default)]
pub struct Rankings(Mutex<Bounded<String, Arc<[Ranked]>, MAX_RANKED>>);

/// Hits that are kept.
const MAX_RANKED: usize = 200_000;

impl Rankings {
    /// The ranking of a question, worked out once. One that the budget cut short is not kept.
    pub fn of(
        &self,
        question: &str,
        budget: &Budget,
        rank: impl FnOnce() -> Vec<Ranked>,
    ) -> Arc<[Ranked]> {
        let known = self.0.lock().get(question);
        known.unwrap_or_else(|| {
            let ranked: Arc<[Ranked]> = rank().into();
            if budget.cut().is_none() {
                self.0
                    .lock()
                    .keep(question.to_owned(), ranked.clone(), 100 + ranked.len());
            }
            ranked
        })
    }
}
