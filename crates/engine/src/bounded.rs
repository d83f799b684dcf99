//! A table of bounded weight that forgets what has not been asked for lately.

use std::{borrow::Borrow, collections::HashMap, hash::Hash};

use rustc_hash::FxBuildHasher;

/// `LIMIT` is in the unit that weights are given in. Two halves: what is asked for moves to the
/// young one, and when that is full, the old one is forgotten and the young one grows old.
pub struct Bounded<K, V, const LIMIT: usize> {
    young: Half<K, V>,
    old: Half<K, V>,
    weight: usize,
}

/// Values with their weights.
type Half<K, V> = HashMap<K, (V, usize), FxBuildHasher>;

impl<K, V, const LIMIT: usize> Default for Bounded<K, V, LIMIT> {
    fn default() -> Self {
        Bounded {
            young: HashMap::default(),
            old: HashMap::default(),
            weight: 0,
        }
    }
}

impl<K: Hash + Eq, V: Clone, const LIMIT: usize> Bounded<K, V, LIMIT> {
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if let Some((value, _)) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, (value, weight)) = self.old.remove_entry(key)?;
        self.keep(key, value.clone(), weight);
        Some(value)
    }

    pub fn keep(&mut self, key: K, value: V, weight: usize) {
        if self.weight >= LIMIT / 2 {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
        self.young.insert(key, (value, weight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let mut table: Bounded<u32, u32, 20> = Bounded::default();
        for i in 0..1_000 {
            table.keep(i, i, 1);
            assert_eq!(table.get(&0), Some(0));
        }
        assert_eq!((table.get(&1), table.get(&999)), (None, Some(999)));
        assert!(table.young.len() + table.old.len() <= 21);
    }
}
