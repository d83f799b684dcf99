//! How much a question may cost, and whether its answer is whole.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{Corpus, ReadFailures, Unreadable};

/// Why an answer is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cut {
    Deadline,
    Work,
    Cancelled,
    /// A list reached its limit.
    Limit,
    /// A table of the index, facts or a text could not be read, and counted as empty.
    Unreadable,
    /// Calls through function values, or implicit ones, were looked for as far as one question may.
    Values,
}

/// A value, and what cut it short if anything did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete<T> {
    pub value: T,
    pub cut: Option<Cut>,
}

/// Deadline, work units and a cancel flag; spent by one request.
#[derive(Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
    granted: u64,
    remaining: Cell<u64>,
    cut: Cell<Option<Cut>>,
    /// A read failed. The work goes on without what it would have found.
    unreadable: Cell<bool>,
    /// Function values were followed in part.
    partial_values: Cell<bool>,
    /// What the corpus could not read, and how much of that was before this request.
    failures: Option<(ReadFailures, u64)>,
    until_clock: Cell<u32>,
}

/// A budget on its way to another thread.
#[derive(Clone, Debug)]
pub struct Share {
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
    remaining: u64,
    cut: Option<Cut>,
    unreadable: bool,
    failures: Option<(ReadFailures, u64)>,
}

impl Share {
    pub fn open(self) -> Budget {
        let mut budget = Budget::new(self.remaining, self.deadline, self.cancelled);
        budget.failures = self.failures;
        budget.cut.set(self.cut);
        budget.unreadable.set(self.unreadable);
        budget.read_clock();
        budget
    }
}

/// The clock is read once per so many units: a unit is about a microsecond.
const UNITS_PER_CLOCK: u32 = 256;

impl Budget {
    pub fn new(work: u64, deadline: Option<Instant>, cancelled: Arc<AtomicBool>) -> Budget {
        let (remaining, cut, until_clock) =
            (Cell::new(work), Cell::new(None), Cell::new(UNITS_PER_CLOCK));
        Budget {
            deadline,
            cancelled,
            granted: work,
            remaining,
            cut,
            unreadable: Cell::new(false),
            partial_values: Cell::new(false),
            failures: None,
            until_clock,
        }
    }

    /// From now on, what a corpus cannot read makes the answer incomplete.
    pub fn watch(&mut self, corpus: &dyn Corpus) {
        let failures = corpus.failures();
        self.failures = failures.map(|failures| (failures.clone(), failures.count()));
    }

    /// For tests and offline work.
    pub fn unlimited() -> Budget {
        Budget::new(u64::MAX, None, Arc::default())
    }

    /// Spends one unit; false once nothing is left, and from then on.
    pub fn spend(&self) -> bool {
        if self.cut.get().is_some() {
            return false;
        }
        let remaining = self.remaining.get();
        if remaining == 0 {
            self.cut.set(Some(Cut::Work));
            return false;
        }
        self.remaining.set(remaining - 1);
        let until_clock = self.until_clock.get();
        if until_clock > 0 {
            self.until_clock.set(until_clock - 1);
            return true;
        }
        self.until_clock.set(UNITS_PER_CLOCK);
        self.read_clock();
        self.cut.get().is_none()
    }

    /// Ends the work where nobody waits for it any more.
    fn read_clock(&self) {
        if self.cut.get().is_some() {
            return;
        }
        if self.cancelled.load(Ordering::Relaxed) {
            self.cut.set(Some(Cut::Cancelled));
        } else if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.cut.set(Some(Cut::Deadline));
        }
    }

    /// Notes work that takes as long as so many units, so that the clock is read in time.
    pub(crate) fn weigh(&self, units: u32) {
        let until_clock = self.until_clock.get();
        self.until_clock.set(until_clock.saturating_sub(units));
    }

    /// What is left, for threads that work on the same question; each may spend all of it.
    pub fn share(&self) -> Share {
        Share {
            deadline: self.deadline,
            cancelled: self.cancelled.clone(),
            remaining: self.remaining.get(),
            cut: self.cut.get(),
            unreadable: self.unreadable.get(),
            failures: self.failures.clone(),
        }
    }

    /// A budget of its own for a part of the answer that may be left out, which may take at most so
    /// long: it ends with this one, and what it spends is not missing here.
    pub fn part(&self, most: Option<Duration>) -> Budget {
        let end = most.map(|most| Instant::now() + most);
        let deadline = match (self.deadline, end) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Share {
            deadline,
            ..self.share()
        }
        .open()
    }

    /// Takes what a thread has spent off what is left, and what cut it short.
    pub fn take_back(&self, spent: &Budget) {
        let used = spent.granted - spent.remaining.get();
        self.remaining
            .set(self.remaining.get().saturating_sub(used));
        if self.cut.get().is_none() {
            self.cut.set(spent.cut.get());
        }
        self.unreadable
            .set(self.unreadable.get() || spent.unreadable.get());
        self.partial_values
            .set(self.partial_values.get() || spent.partial_values.get());
    }

    /// What was read, or nothing where it could not be: then the answer is not whole.
    pub fn read<T: Default>(&self, read: Result<T, Unreadable>) -> T {
        read.unwrap_or_else(|Unreadable| {
            self.unreadable.set(true);
            T::default()
        })
    }

    /// When the time allowed ends, if it does.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether the client no longer wants the answer: read at once, for waits that spend nothing.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// What cut the work short so far.
    pub fn cut(&self) -> Option<Cut> {
        let values = || self.partial_values.get().then_some(Cut::Values);
        self.stopped().or_else(values)
    }

    /// What ended the work or lost a part of it, so that nothing found since may be kept. Function
    /// values that were followed in part are no such thing: asked again, the answer is the same.
    pub fn stopped(&self) -> Option<Cut> {
        let failed = |(failures, before): &(ReadFailures, u64)| failures.count() > *before;
        let is_unreadable = || self.unreadable.get() || self.failures.as_ref().is_some_and(failed);
        let unreadable = || is_unreadable().then_some(Cut::Unreadable);
        self.cut.get().or_else(unreadable)
    }

    /// Says that function values were followed in part.
    pub(crate) fn skip_values(&self) {
        self.partial_values.set(true);
    }

    /// Works, and tells whether the work followed function values in part.
    pub(crate) fn watching_values<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let before = self.partial_values.replace(false);
        let value = work();
        let is_partial = self.partial_values.get();
        self.partial_values.set(before || is_partial);
        (value, is_partial)
    }

    pub fn finish<T>(&self, value: T) -> Complete<T> {
        Complete {
            value,
            cut: self.cut(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_long_makes_the_clock_be_read_in_time() {
        let late = || Budget::new(u64::MAX, Some(Instant::now()), Arc::default());
        let budget = late();
        assert!(budget.spend());
        let budget = late();
        budget.weigh(UNITS_PER_CLOCK);
        assert!(!budget.spend());
        assert_eq!(budget.cut(), Some(Cut::Deadline));
    }
}
