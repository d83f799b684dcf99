//! How two sequences differ: lines of texts, letters of names. All are compared as numbers, because
//! the algorithm is generic, and each of its instances is 50 kB of the program.

use std::{hash::Hash, time::Instant};

use rustc_hash::FxHashMap;
use similar::{
    DiffOp,
    algorithms::{Capture, Compact, Replace, myers},
};

/// What makes one sequence of another. After `until` the rest counts as replaced.
pub(crate) fn operations<T: Eq + Hash>(
    old: &[T],
    new: &[T],
    until: Option<Instant>,
) -> Vec<DiffOp> {
    let mut numbers: FxHashMap<&T, u32> = FxHashMap::default();
    let mut number = |of| {
        let next = numbers.len() as u32;
        *numbers.entry(of).or_insert(next)
    };
    let old: Vec<u32> = old.iter().map(&mut number).collect();
    let new: Vec<u32> = new.iter().map(&mut number).collect();
    of_numbers(&old, &new, until)
}

fn of_numbers(old: &[u32], new: &[u32], until: Option<Instant>) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    let (all_old, all_new) = (0..old.len(), 0..new.len());
    let Ok(()) = myers::diff_deadline(&mut hook, old, all_old, new, all_new, until);
    hook.into_inner().into_inner().into_ops()
}

/// How many items stay.
pub(crate) fn n_equal(operations: &[DiffOp]) -> usize {
    let equal = operations.iter().map(|operation| match operation {
        DiffOp::Equal { len, .. } => *len,
        _ => 0,
    });
    equal.sum()
}

/// The share of lines that two texts have in common, in their order: 1 for equal texts.
pub(crate) fn likeness(old: &str, new: &str) -> f64 {
    let (old, new) = (lines(old), lines(new));
    match old.len() + new.len() {
        0 => 1.0,
        n => 2.0 * n_equal(&operations(&old, &new, None)) as f64 / n as f64,
    }
}

/// Lines with their ends.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_told_from_what_does_not() {
        assert_eq!(likeness("a\nb\n", "a\nb\n"), 1.0);
        assert_eq!(likeness("", ""), 1.0);
        assert_eq!(likeness("a\nb\nc\n", "a\nc\nd\n"), 4.0 / 6.0);
        assert_eq!(likeness("a\n", "a"), 0.0);
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        assert_eq!(
            operations(&letters("cart"), &letters("chat"), None),
            [
                DiffOp::Equal {
                    old_index: 0,
                    new_index: 0,
                    len: 1
                },
                DiffOp::Insert {
                    old_index: 1,
                    new_index: 1,
                    new_len: 1
                },
                DiffOp::Equal {
                    old_index: 1,
                    new_index: 2,
                    len: 1
                },
                DiffOp::Delete {
                    old_index: 2,
                    old_len: 1,
                    new_index: 3
                },
                DiffOp::Equal {
                    old_index: 3,
                    new_index: 3,
                    len: 1
                },
            ]
        );
    }
}
