//! A set of content numbers: one bit each, and a list for the few of unsaved files, which count
//! from far above.

use facts::ContentNumber;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSet {
    words: Vec<u64>,
    /// Sorted.
    unsaved: Vec<ContentNumber>,
    len: usize,
}

impl ContentSet {
    #[inline]
    pub fn contains(&self, number: ContentNumber) -> bool {
        if number.is_unsaved() {
            return self.unsaved.binary_search(&number).is_ok();
        }
        self.words
            .get(number.0 as usize / 64)
            .is_some_and(|word| word >> (number.0 % 64) & 1 == 1)
    }

    pub fn insert(&mut self, number: ContentNumber) {
        if number.is_unsaved() {
            if let Err(i) = self.unsaved.binary_search(&number) {
                self.unsaved.insert(i, number);
                self.len += 1;
            }
            return;
        }
        let (word, bit) = (number.0 as usize / 64, 1 << (number.0 % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.len += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    pub fn remove(&mut self, number: ContentNumber) {
        if number.is_unsaved() {
            if let Ok(i) = self.unsaved.binary_search(&number) {
                self.unsaved.remove(i);
                self.len -= 1;
            }
            return;
        }
        if self.contains(number) {
            self.words[number.0 as usize / 64] &= !(1 << (number.0 % 64));
            self.len -= 1;
        }
        // Equal sets are equal in their fields too.
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = ContentNumber> + '_ {
        self.from(0)
    }

    /// Those greater than `number`, ascending.
    pub fn above(&self, number: ContentNumber) -> impl Iterator<Item = ContentNumber> + '_ {
        self.from(number.0.saturating_add(1))
    }

    fn from(&self, first: u32) -> impl Iterator<Item = ContentNumber> + '_ {
        let start = (first as usize / 64).min(self.words.len());
        let words = self.words[start..].iter().enumerate();
        let low = words.flat_map(move |(i, word)| {
            let base = (start + i) as u32 * 64;
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| base + bit)
        });
        low.skip_while(move |number| *number < first)
            .map(ContentNumber)
            .chain(
                self.unsaved
                    .iter()
                    .copied()
                    .filter(move |number| number.0 >= first),
            )
    }
}

impl FromIterator<ContentNumber> for ContentSet {
    fn from_iter<I: IntoIterator<Item = ContentNumber>>(numbers: I) -> ContentSet {
        let mut set = ContentSet::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> ContentSet {
        numbers.iter().copied().map(ContentNumber).collect()
    }

    fn listed(numbers: impl Iterator<Item = ContentNumber>) -> Vec<u32> {
        numbers.map(|number| number.0).collect()
    }

    #[test]
    fn numbers_come_back_in_order() {
        let set = set(&[70, 3, 0xC000_0001, 64, 3, 0xC000_0000]);
        assert_eq!(listed(set.iter()), [3, 64, 70, 0xC000_0000, 0xC000_0001]);
        let above = |number| listed(set.above(ContentNumber(number)));
        assert_eq!(above(64), [70, 0xC000_0000, 0xC000_0001]);
        assert_eq!(above(1000).len(), 2);
        assert_eq!(set.len(), 5);
        let contains = |number| set.contains(ContentNumber(number));
        assert!(contains(0xC000_0001) && contains(64) && !contains(65));
    }

    #[test]
    fn a_removed_number_leaves_no_trace() {
        let mut removed = set(&[70, 3, 0xC000_0001]);
        for number in [70, 0xC000_0001, 5] {
            removed.remove(ContentNumber(number));
        }
        assert_eq!(removed, set(&[3]));
    }
}
