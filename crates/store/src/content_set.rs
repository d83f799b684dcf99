//! A set of content numbers: one bit each, and a list for the few of unsaved files, which count
//! from far above.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSet {
    words: Vec<u64>,
    /// Sorted.
    high: Vec<u32>,
    len: usize,
}

/// The store counts upwards from 1 and will not get here.
const HIGH: u32 = 0x8000_0000;

impl ContentSet {
    /// Whether a number was given to an unsaved file, for one request.
    pub fn is_passing(number: u32) -> bool {
        number >= HIGH
    }

    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        if number >= HIGH {
            return self.high.binary_search(&number).is_ok();
        }
        self.words
            .get(number as usize / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn insert(&mut self, number: u32) {
        if number >= HIGH {
            if let Err(i) = self.high.binary_search(&number) {
                self.high.insert(i, number);
                self.len += 1;
            }
            return;
        }
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.len += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    pub fn remove(&mut self, number: u32) {
        if number >= HIGH {
            if let Ok(i) = self.high.binary_search(&number) {
                self.high.remove(i);
                self.len -= 1;
            }
            return;
        }
        if self.contains(number) {
            self.words[number as usize / 64] &= !(1 << (number % 64));
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
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.from(0)
    }

    /// Those greater than `number`, ascending.
    pub fn above(&self, number: u32) -> impl Iterator<Item = u32> + '_ {
        self.from(number.saturating_add(1))
    }

    fn from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let start = (first as usize / 64).min(self.words.len());
        let words = self.words[start..].iter().enumerate();
        let low = words.flat_map(move |(i, word)| {
            let base = (start + i) as u32 * 64;
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| base + bit)
        });
        low.skip_while(move |number| *number < first).chain(
            self.high
                .iter()
                .copied()
                .filter(move |number| *number >= first),
        )
    }
}

impl FromIterator<u32> for ContentSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> ContentSet {
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

    #[test]
    fn numbers_come_back_in_order() {
        let set: ContentSet = [70, 3, 0xC000_0001, 64, 3, 0xC000_0000]
            .into_iter()
            .collect();
        assert_eq!(
            set.iter().collect::<Vec<_>>(),
            [3, 64, 70, 0xC000_0000, 0xC000_0001]
        );
        assert_eq!(
            set.above(64).collect::<Vec<_>>(),
            [70, 0xC000_0000, 0xC000_0001]
        );
        assert_eq!(set.above(1000).count(), 2);
        assert_eq!(set.len(), 5);
        assert!(set.contains(0xC000_0001) && set.contains(64) && !set.contains(65));
    }

    #[test]
    fn what_is_removed_leaves_no_trace() {
        let mut set: ContentSet = [70, 3, 0xC000_0001].into_iter().collect();
        for number in [70, 0xC000_0001, 5] {
            set.remove(number);
        }
        assert_eq!(set, [3].into_iter().collect());
    }
}
