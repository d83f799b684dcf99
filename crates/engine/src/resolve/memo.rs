//! Memoisation of questions that may lead back to themselves.
//!
//! Tables outlive a request; a [`Memo`] belongs to one request and knows which questions it is
//! answering. A value that a cycle cut short must not reach a table, because the same question
//! asked first would come out otherwise.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::HashMap,
    hash::Hash,
};

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use crate::{Budget, bounded::Bounded};

/// Answers to one kind of question.
pub type Table<K, V> = Mutex<Bounded<K, V, MAX_ENTRIES>>;

/// Entries of one table.
const MAX_ENTRIES: usize = 30_000;

/// Questions within questions after which a chain is given up.
const MAX_DEPTH: u32 = 120;

/// Answers that [`Memo::remember`] keeps: the end of every question looks through them.
const MAX_REMEMBERED: usize = 1_000;

/// No answer in progress was cut short.
const COMPLETE: u32 = u32::MAX;

/// The questions of type `Q` that one request is answering. Frames are numbered from 1 by the order
/// in which their questions were begun.
pub struct Memo<'a, Q> {
    budget: &'a Budget,
    depth: Cell<u32>,
    /// Questions in progress, with their frames.
    in_progress: RefCell<HashMap<Q, u32, FxBuildHasher>>,
    /// The outermost frame that a question led back to since the innermost one was begun: until that
    /// frame ends, what was found depends on it. 0 where the budget or the depth cut it short.
    incomplete: Cell<u32>,
    /// Answers found inside of a cycle, with the outermost frame that they depend on. They hold
    /// until that frame ends, so that a cycle of many questions answers each of them once.
    provisional: RefCell<HashMap<Q, (u32, Box<dyn Any>), FxBuildHasher>>,
}

impl<'a, Q: Hash + Eq + Clone> Memo<'a, Q> {
    pub fn new(budget: &'a Budget) -> Memo<'a, Q> {
        Memo {
            budget,
            depth: Cell::new(0),
            in_progress: RefCell::default(),
            incomplete: Cell::new(COMPLETE),
            provisional: RefCell::default(),
        }
    }

    /// No question is in progress.
    pub fn is_idle(&self) -> bool {
        self.in_progress.borrow().is_empty()
    }

    pub fn is_in_progress(&self, question: &Q) -> bool {
        self.in_progress.borrow().contains_key(question)
    }

    /// Says that the answers in progress miss something, so that none of them is kept.
    pub fn mark_incomplete(&self) {
        self.depends_on(0);
    }

    /// Answers a question once per table, unless a cycle cuts the answer short. A question that
    /// leads back to itself gets `on_cycle`.
    pub fn memoize_cyclic<K: Hash + Eq, V: Clone + 'static>(
        &self,
        table: &Table<K, V>,
        key: K,
        question: Q,
        on_cycle: V,
        compute: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = table.lock().get(&key) {
            return value;
        }
        if self.depth.get() >= MAX_DEPTH || !self.budget.spend() {
            self.mark_incomplete();
            return on_cycle;
        }
        if let Some((frame, value)) = self.provisional.borrow().get(&question)
            && let Some(value) = value.downcast_ref::<V>()
        {
            self.depends_on(*frame);
            return value.clone();
        }
        if !self.begin(&question) {
            return on_cycle;
        }
        let outer = self.incomplete.replace(COMPLETE);
        self.depth.set(self.depth.get() + 1);
        let value = compute();
        self.depth.set(self.depth.get() - 1);
        let frame = self.end(&question);
        if self.incomplete.get() >= frame {
            // Every cycle closes in this frame, so that the value depends on no caller in progress.
            table.lock().keep(key, value.clone(), 1);
            self.incomplete.set(COMPLETE);
        } else if self.incomplete.get() > 0 {
            let value: Box<dyn Any> = Box::new(value.clone());
            self.provisional
                .borrow_mut()
                .insert(question, (self.incomplete.get(), value));
        }
        if self.is_idle() {
            self.incomplete.set(COMPLETE);
        }
        self.depends_on(outer);
        value
    }

    /// Answers a question that never leads back to itself, though it may ask others that are in
    /// progress.
    pub fn memoize_acyclic<K: Hash + Eq, V: Clone>(
        &self,
        table: &Table<K, V>,
        key: K,
        weight: impl FnOnce(&V) -> usize,
        compute: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = table.lock().get(&key) {
            return value;
        }
        let outer = self.incomplete.replace(COMPLETE);
        let value = compute();
        if self.incomplete.get() == COMPLETE && self.budget.stopped().is_none() {
            table.lock().keep(key, value.clone(), weight(&value));
        }
        self.depends_on(outer);
        value
    }

    /// Answers a question that is no part of a cycle itself and that the questions around it ask
    /// again and again: once, until one of them ends.
    pub fn remember<V: Clone + 'static>(&self, question: Q, compute: impl FnOnce() -> V) -> V {
        if let Some((frame, value)) = self.provisional.borrow().get(&question)
            && let Some(value) = value.downcast_ref::<V>()
        {
            self.depends_on(*frame);
            return value.clone();
        }
        let outer = self.incomplete.replace(COMPLETE);
        let depth = self.depth.get();
        let value = compute();
        let frame = self.incomplete.get();
        let mut provisional = self.provisional.borrow_mut();
        if depth == 0 && self.is_idle() {
            provisional.clear();
        } else if frame > 0 && provisional.len() < MAX_REMEMBERED {
            provisional.insert(question, (frame, Box::new(value.clone())));
        }
        drop(provisional);
        self.depends_on(outer);
        value
    }

    /// Answers a question without keeping the answer; nothing if it is in progress.
    pub fn guard<V>(&self, question: &Q, compute: impl FnOnce() -> V) -> Option<V> {
        self.begin(question).then(|| {
            let value = compute();
            self.end(question);
            value
        })
    }

    /// Goes one level deeper; nothing beyond `limit` levels.
    pub fn deeper<V>(&self, limit: u32, compute: impl FnOnce() -> V) -> Option<V> {
        let depth = self.depth.get();
        (depth < limit).then(|| {
            self.depth.set(depth + 1);
            let value = compute();
            self.depth.set(depth);
            value
        })
    }

    fn begin(&self, question: &Q) -> bool {
        let mut in_progress = self.in_progress.borrow_mut();
        if let Some(&frame) = in_progress.get(question) {
            self.depends_on(frame);
            return false;
        }
        let frame = in_progress.len() as u32 + 1;
        in_progress.insert(question.clone(), frame);
        true
    }

    /// Ends the question begun last and returns its frame.
    fn end(&self, question: &Q) -> u32 {
        let frame = self.in_progress.borrow_mut().remove(question).unwrap_or(0);
        let mut provisional = self.provisional.borrow_mut();
        if !provisional.is_empty() {
            provisional.retain(|_, (outermost, _)| *outermost < frame);
        }
        frame
    }

    fn depends_on(&self, frame: u32) {
        self.incomplete.set(self.incomplete.get().min(frame));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Questions are numbers; each asks those that `asks` lists and answers with all it reached.
    struct Graph<'a> {
        memo: Memo<'a, u32>,
        table: Table<u32, Vec<u32>>,
        asks: fn(u32) -> Vec<u32>,
        n_computed: Cell<u32>,
    }

    impl<'a> Graph<'a> {
        fn new(budget: &'a Budget, asks: fn(u32) -> Vec<u32>) -> Graph<'a> {
            Graph {
                memo: Memo::new(budget),
                table: Table::default(),
                asks,
                n_computed: Cell::new(0),
            }
        }

        fn reached(&self, question: u32) -> Vec<u32> {
            let compute = || {
                self.n_computed.set(self.n_computed.get() + 1);
                let mut all = vec![question];
                for asked in (self.asks)(question) {
                    all.extend(self.reached(asked));
                }
                all.sort_unstable();
                all.dedup();
                all
            };
            self.memo
                .memoize_cyclic(&self.table, question, question, Vec::new(), compute)
        }

        fn kept(&self, question: u32) -> Option<Vec<u32>> {
            self.table.lock().get(&question)
        }
    }

    #[test]
    fn an_answer_is_computed_once() {
        let budget = Budget::unlimited();
        let graph = Graph::new(
            &budget,
            |n| if n < 10 { vec![n + 1, n + 1] } else { vec![] },
        );
        assert_eq!(graph.reached(8), [8, 9, 10]);
        assert_eq!(graph.reached(9), [9, 10]);
        assert_eq!(graph.n_computed.get(), 3);
        assert!(graph.memo.is_idle());
    }

    #[test]
    fn an_answer_that_a_cycle_cut_short_is_not_kept() {
        let budget = Budget::unlimited();
        let graph = Graph::new(&budget, |n| vec![(n + 1) % 3]);
        assert_eq!(graph.reached(0), [0, 1, 2]);
        assert_eq!(graph.kept(0), Some(vec![0, 1, 2]));
        assert_eq!((graph.kept(1), graph.kept(2)), (None, None));
        // Asked first, each question of the cycle gets the whole answer.
        assert_eq!(graph.reached(1), [0, 1, 2]);
    }

    #[test]
    fn a_cycle_that_closes_below_is_kept() {
        let budget = Budget::unlimited();
        let graph = Graph::new(&budget, |n| [vec![1], vec![2], vec![1]][n as usize].clone());
        graph.reached(0);
        assert_eq!(graph.kept(1), Some(vec![1, 2]));
        assert_eq!((graph.kept(0), graph.kept(2)), (Some(vec![0, 1, 2]), None));
    }

    #[test]
    fn inside_of_a_cycle_each_question_is_computed_once() {
        let budget = Budget::unlimited();
        let graph = Graph::new(&budget, |n| (0..20).filter(|other| *other != n).collect());
        assert_eq!(graph.reached(0).len(), 20);
        assert!(graph.n_computed.get() < 500, "{}", graph.n_computed.get());
    }

    #[test]
    fn what_depth_or_budget_cut_short_is_not_kept() {
        let budget = Budget::unlimited();
        let graph = Graph::new(&budget, |n| vec![n + 1]);
        assert_eq!(graph.reached(0).len(), MAX_DEPTH as usize);
        assert_eq!(graph.kept(0), None);

        let budget = Budget::new(2, None, Arc::default());
        let graph = Graph::new(&budget, |n| if n < 10 { vec![n + 1] } else { vec![] });
        graph.reached(0);
        assert_eq!((graph.kept(0), graph.kept(1)), (None, None));
    }

    #[test]
    fn an_acyclic_answer_that_meets_a_question_in_progress_is_not_kept() {
        let budget = Budget::unlimited();
        let memo: Memo<'_, u32> = Memo::new(&budget);
        let table: Table<u32, u32> = Table::default();
        let met = memo.guard(&1, || {
            memo.memoize_acyclic(&table, 7, |_| 1, || memo.guard(&1, || ()).map_or(0, |()| 1))
        });
        assert_eq!((met, table.lock().get(&7)), (Some(0), None));
        assert_eq!(memo.memoize_acyclic(&table, 7, |_| 1, || 2), 2);
        assert_eq!(table.lock().get(&7), Some(2));
    }

    #[test]
    fn what_is_asked_twice_on_each_level_is_computed_once() {
        let budget = Budget::unlimited();
        let memo: Memo<'_, u32> = Memo::new(&budget);
        let n_computed = Cell::new(0);
        fn ask(memo: &Memo<'_, u32>, n_computed: &Cell<u32>, n: u32) -> u32 {
            let compute = || {
                n_computed.set(n_computed.get() + 1);
                let below = |_| ask(memo, n_computed, n - 1);
                let twice = || (0..2).map(below).max().unwrap_or_default() + 1;
                if n == 0 { 0 } else { twice() }
            };
            memo.remember(n, || memo.deeper(100, compute).unwrap_or_default())
        }
        assert_eq!((ask(&memo, &n_computed, 60), n_computed.get()), (60, 61));
        // Nothing is remembered when the outermost question has ended.
        assert_eq!((ask(&memo, &n_computed, 0), n_computed.get()), (0, 62));
    }

    #[test]
    fn what_is_remembered_within_a_cycle_is_forgotten_with_it() {
        let budget = Budget::unlimited();
        let memo: Memo<'_, u32> = Memo::new(&budget);
        let asks_one = || memo.remember(7, || memo.guard(&1, || ()).is_some());
        let within = memo.guard(&1, || (asks_one(), asks_one()));
        assert_eq!(within, Some((false, false)));
        assert!(asks_one());
    }

    #[test]
    fn levels_beyond_the_limit_are_refused() {
        let budget = Budget::unlimited();
        let memo: Memo<'_, u32> = Memo::new(&budget);
        let inner = memo.deeper(1, || memo.deeper(1, || ()));
        assert_eq!(inner, Some(None));
    }
}
