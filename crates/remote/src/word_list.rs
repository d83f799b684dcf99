//! All words of a pack in one text, so that those that hold a piece are found by one search over it.

use memchr::{memchr, memmem, memrchr};
use store::text::MAX_WORD;

use crate::pack::{self, BlockPlace, SortedTable};

/// The keys of a table of words, and the block that each is in.
pub struct WordList {
    /// Each word, after and before a line feed.
    text: Vec<u8>,
    /// Where the words of each block begin in the text.
    blocks: Vec<(usize, BlockPlace)>,
    /// The documents with words that may be cut off, which may hold any piece; ascending.
    cut: Vec<u32>,
}

/// The words of one block of the table, sorted.
pub struct WordsInBlock<'a> {
    pub place: BlockPlace,
    pub words: Vec<&'a [u8]>,
}

impl WordList {
    /// Of the payloads of all blocks of the table. `None` if one is damaged.
    pub fn read<'p>(
        table: &SortedTable,
        payloads: impl Iterator<Item = Option<&'p [u8]>>,
    ) -> Option<WordList> {
        let mut list = WordList {
            text: vec![b'\n'],
            blocks: Vec::new(),
            cut: Vec::new(),
        };
        for (place, payload) in table.blocks_from(b"").zip(payloads) {
            list.blocks.push((list.text.len(), place));
            let mut is_sound = true;
            pack::each_in_block(&pack::unpack(payload?)?, |word, value| {
                if word.len() >= MAX_WORD {
                    let read = pack::each_posting(value, |document| list.cut.push(document));
                    is_sound &= read.is_some();
                }
                list.text.extend_from_slice(word);
                list.text.push(b'\n');
                is_sound
            })?;
            if !is_sound {
                return None;
            }
        }
        list.text.shrink_to_fit();
        list.cut.sort_unstable();
        list.cut.dedup();
        Some(list)
    }

    /// The documents that may hold any piece.
    pub fn cut(&self) -> &[u32] {
        &self.cut
    }

    /// The words that hold any of these pieces.
    pub fn holding(&self, pieces: &[String]) -> Vec<WordsInBlock<'_>> {
        let mut starts = Vec::new();
        for piece in pieces {
            let finder = memmem::Finder::new(piece);
            let mut from = 0;
            while let Some(at) = finder.find(&self.text[from..]).map(|found| from + found) {
                let start = memrchr(b'\n', &self.text[..at]).map_or(0, |before| before + 1);
                starts.push(start);
                // One hit in a word is enough.
                from = start + self.word(start).len();
            }
        }
        starts.sort_unstable();
        starts.dedup();
        let block_of = |start: &usize| self.blocks.partition_point(|(first, _)| first <= start);
        let of_block = |starts: &[usize]| WordsInBlock {
            place: self.blocks[block_of(&starts[0]) - 1].1,
            words: starts.iter().map(|start| self.word(*start)).collect(),
        };
        let by_block = starts.chunk_by(|a, b| block_of(a) == block_of(b));
        by_block.map(of_block).collect()
    }

    fn word(&self, start: usize) -> &[u8] {
        let rest = &self.text[start..];
        &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
    }

    /// Bytes in memory.
    pub fn weight(&self) -> usize {
        self.text.capacity() + 32 * self.blocks.len() + 4 * self.cut.capacity()
    }
}
