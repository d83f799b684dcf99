//! A table that is emptied when it grows too heavy: nothing tells which of its entries will be asked for again.

use std::{borrow::Borrow, collections::HashMap, hash::Hash};

use rustc_hash::FxBuildHasher;

/// `LIMIT` is in the unit that weights are given in.
pub(crate) struct Bounded<K, V, const LIMIT: usize> {
    of: HashMap<K, V, FxBuildHasher>,
    weight: usize,
}

impl<K, V, const LIMIT: usize> Default for Bounded<K, V, LIMIT> {
    fn default() -> Self {
        Bounded { of: HashMap::default(), weight: 0 }
    }
}

impl<K: Hash + Eq, V: Clone, const LIMIT: usize> Bounded<K, V, LIMIT> {
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.of.get(key).cloned()
    }

    pub fn keep(&mut self, key: K, value: V, weight: usize) {
        if self.weight >= LIMIT {
            *self = Bounded::default();
        }
        self.weight += weight;
        self.of.insert(key, value);
    }
}
