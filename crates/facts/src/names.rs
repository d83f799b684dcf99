//! The words of one file, each kept once.

use bitcode::{Decode, Encode};

/// A word of one file; never leaves the facts that hold it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct NameId(pub u32);

/// Sorted, so that a word is found by bisection and equal prefixes lie together on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// `words` must be sorted and free of duplicates.
    pub fn from_sorted<'a>(words: impl IntoIterator<Item = &'a str>) -> Names {
        let mut names = Names::default();
        for word in words {
            names.text.push_str(word);
            names.ends.push(names.text.len() as u32);
        }
        names
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn get(&self, id: NameId) -> &str {
        let i = id.0 as usize;
        let start = if i == 0 {
            0
        } else {
            self.ends.get(i - 1).copied().unwrap_or(0) as usize
        };
        let end = self.ends.get(i).copied().unwrap_or(start as u32) as usize;
        self.text.get(start..end).unwrap_or("")
    }

    pub fn find(&self, word: &str) -> Option<NameId> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.get(NameId(middle as u32)).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(NameId(middle as u32)),
            }
        }
        None
    }

    pub fn iter(&self) -> impl Iterator<Item = (NameId, &str)> {
        (0..self.len() as u32).map(|i| (NameId(i), self.get(NameId(i))))
    }
}
