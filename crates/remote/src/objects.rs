//! PackBlocks of packs: from memory, from disk, or from the bucket.

use std::{ops::Range, sync::Arc};

use facts::Postings;
use moka::sync::Cache;

use crate::{
    Bucket, DiskCache, Result, Secrecy,
    bucket::FOLDER,
    pack::{BlockPlace, SortedTable},
    seal::ObjectSeal,
    tree::{PackEntry, Tree, TreeObject},
    word_list::WordList,
};

/// PackBlocks in memory.
const MEMORY: u64 = 48 << 20;
/// Trees in memory from which others differ: what many refs of one repository share.
const BASES: u64 = 4;
/// Lists of words in memory.
const WORD_LISTS: u64 = 32 << 20;
/// Documents of words in memory: those that every second question has are long.
const POSTINGS: u64 = 48 << 20;
/// Entries of tables in memory. Most are of packs that have no such name or word: a question about
/// many repositories asks each of them.
const VALUES: u64 = 32 << 20;
/// Longer ones are not kept.
const LONGEST_VALUE: usize = 4 << 10;
/// PackBlocks that are this near to each other are read by one request: a request costs more than the
/// bytes between them.
const GAP: u64 = 24 << 10;
/// Where more requests than this would be needed, twice as much may lie between blocks: requests wait
/// for each other then.
const MANY_REQUESTS: usize = 48;
/// One block that is read alone brings this much before and after it along, where the disk keeps it:
/// what a question reads next often lies beside it, and each such read would wait for the store.
const AROUND: u64 = 32 << 10;
/// And no request is longer.
const LONGEST: u64 = 8 << 20;

/// The documents of a pack with a word: `None` if they were not read, `None` in it if there are none.
pub(crate) type KnownPostings = Option<Option<Arc<Postings>>>;

/// The value of a key of a table, likewise.
pub(crate) type KnownValue = Option<Option<Arc<[u8]>>>;

/// Immutable objects of a bucket, as readers see them.
pub struct Objects {
    pub(crate) bucket: Bucket,
    pub(crate) secrecy: Secrecy,
    disk: Option<DiskCache>,
    /// Payloads, by pack and offset.
    blocks: Cache<(Arc<str>, u64), Arc<[u8]>>,
    /// By pack.
    word_lists: Cache<Box<str>, Arc<WordList>>,
    /// By [`postings_key`]; `None` for a word that the pack has not.
    postings: Cache<Box<str>, Option<Arc<Postings>>>,
    /// By [`value_key`]; `None` for a key that the table has not.
    values: Cache<u128, Option<Arc<[u8]>>>,
    /// Trees from which others differ, by name.
    bases: Cache<Box<str>, Arc<Tree>>,
}

impl Objects {
    pub fn new(bucket: Bucket, secrecy: Secrecy, disk: Option<DiskCache>) -> Objects {
        Objects {
            bucket,
            secrecy,
            disk,
            blocks: Cache::builder()
                .max_capacity(MEMORY)
                .weigher(|_, payload: &Arc<[u8]>| payload.len() as u32 + 128)
                .build(),
            word_lists: Cache::builder()
                .max_capacity(WORD_LISTS)
                .weigher(|_, list: &Arc<WordList>| list.weight() as u32 + 128)
                .build(),
            postings: Cache::builder()
                .max_capacity(POSTINGS)
                .weigher(|_, list: &Option<Arc<Postings>>| {
                    list.as_ref()
                        .map_or(0, |list| 16 * list.documents.len() as u32)
                        + 160
                })
                .build(),
            values: Cache::builder()
                .max_capacity(VALUES)
                .weigher(|_, value: &Option<Arc<[u8]>>| {
                    value.as_ref().map_or(0, |value| value.len() as u32 + 32) + 160
                })
                .build(),
            bases: Cache::new(BASES),
        }
    }

    pub(crate) fn pack_place(&self, name: &str) -> String {
        self.place("packs", name)
    }

    pub(crate) fn tree_place(&self, name: &str) -> String {
        self.place("trees", name)
    }

    fn place(&self, kind: &str, name: &str) -> String {
        let spread = name.get(..2).unwrap_or(name);
        format!(
            "{FOLDER}/{}/{kind}/{spread}/{name}",
            self.secrecy.directory()
        )
    }

    /// A tree; `None` if it, or the one that it differs from, is absent or damaged.
    pub fn tree(&self, name: &str) -> Result<Option<Tree>> {
        Ok(match self.tree_object(name)? {
            Some(TreeObject::Whole(tree)) => Some(tree),
            Some(TreeObject::Upon { base, differences }) => {
                let below = self.base(&base)?;
                below.and_then(|below| differences.apply(&base, &below))
            }
            None => None,
        })
    }

    /// A tree that was written as a whole.
    pub(crate) fn base(&self, name: &str) -> Result<Option<Arc<Tree>>> {
        if let Some(base) = self.bases.get(name) {
            return Ok(Some(base));
        }
        let Some(TreeObject::Whole(tree)) = self.tree_object(name)? else {
            return Ok(None);
        };
        let base = Arc::new(tree);
        self.bases.insert(name.into(), base.clone());
        Ok(Some(base))
    }

    fn tree_object(&self, name: &str) -> Result<Option<TreeObject>> {
        let cached_name = format!("tree-{name}");
        let cached = self.disk.as_ref().and_then(|disk| {
            let length = disk.get(&cached_name, &(0..8))?;
            let length = u64::from_le_bytes(length.try_into().ok()?);
            disk.get(&cached_name, &(8..8 + length))
        });
        if let Some(object) = cached
            && let Some(tree) = Tree::open(&self.secrecy, name, &object)
        {
            return Ok(Some(tree));
        }
        let place = self.tree_place(name);
        let Some((object, _)) = self.bucket.get(&place)? else {
            return Ok(None);
        };
        let tree = Tree::open(&self.secrecy, name, &object);
        match (&tree, &self.disk) {
            (None, _) => self.bucket.gave_wrong_bytes(&place),
            (Some(_), Some(disk)) => {
                disk.forget(&cached_name);
                let length = (object.len() as u64).to_le_bytes();
                disk.put(&cached_name, 0, &[&length[..], &object].concat());
            }
            (Some(_), None) => {}
        }
        Ok(tree)
    }

    /// The payloads of blocks of a pack, in the given order. One that is damaged is `None`.
    pub fn blocks(
        &self,
        pack: &PackEntry,
        places: &[BlockPlace],
    ) -> Result<Vec<Option<Arc<[u8]>>>> {
        let name: Arc<str> = Arc::from(&*pack.name);
        let in_memory = |place: &BlockPlace| self.blocks.get(&(name.clone(), place.at));
        let mut payloads: Vec<Option<Arc<[u8]>>> = places.iter().map(in_memory).collect();
        let mut missing: Vec<usize> = (0..places.len())
            .filter(|i| payloads[*i].is_none() && places[*i].end() <= pack.len)
            .collect();
        if missing.is_empty() {
            return Ok(payloads);
        }
        let seal = self.secrecy.object(&name);
        if let Some(disk) = &self.disk {
            missing.retain(|&i| {
                let place = places[i];
                let Some(stored) = disk.get(&name, &(place.at..place.end())) else {
                    return true;
                };
                payloads[i] = self.open(&name, &seal, place, &stored);
                if payloads[i].is_none() {
                    disk.forget(&name);
                }
                payloads[i].is_none()
            });
        }
        if missing.is_empty() {
            return Ok(payloads);
        }
        missing.sort_by_key(|i| places[*i].at);
        let wanted = || missing.iter().map(|i| places[*i]);
        let (mut ranges, mut range_of) = coalesced(wanted(), GAP);
        if ranges.len() > MANY_REQUESTS {
            (ranges, range_of) = coalesced(wanted(), 2 * GAP);
        }
        if let ([only], [_], Some(_)) = (&mut ranges[..], &missing[..], &self.disk) {
            *only = only.start.saturating_sub(AROUND)..(only.end + AROUND).min(pack.len);
        }
        let read = self.bucket.ranges(&self.pack_place(&name), &ranges)?;
        if let Some(disk) = &self.disk {
            for (range, bytes) in ranges.iter().zip(&read) {
                disk.put(&name, range.start, bytes);
            }
        }
        for (i, range) in missing.into_iter().zip(range_of) {
            let from = (places[i].at - ranges[range].start) as usize;
            let stored = read[range].get(from..from + places[i].len as usize);
            payloads[i] = stored.and_then(|stored| self.open(&name, &seal, places[i], stored));
            if payloads[i].is_none() {
                self.bucket.gave_wrong_bytes(&name);
                if let Some(disk) = &self.disk {
                    disk.forget(&name);
                }
            }
        }
        Ok(payloads)
    }

    /// Whether blocks of a pack can be had without reading.
    pub fn has_in_memory(
        &self,
        pack: &PackEntry,
        mut places: impl Iterator<Item = BlockPlace>,
    ) -> bool {
        let name: Arc<str> = Arc::from(&*pack.name);
        places.all(|place| self.blocks.contains_key(&(name.clone(), place.at)))
    }

    /// One block.
    pub fn block(&self, pack: &PackEntry, place: BlockPlace) -> Result<Option<Arc<[u8]>>> {
        Ok(self.blocks(pack, &[place])?.pop().flatten())
    }

    /// All words of a pack; `None` if a block of the table is damaged.
    pub(crate) fn word_list(
        &self,
        pack: &PackEntry,
        words: &SortedTable,
    ) -> Result<Option<Arc<WordList>>> {
        if let Some(list) = self.word_lists.get(&pack.name) {
            return Ok(Some(list));
        }
        let places: Vec<BlockPlace> = words.blocks_from(b"").collect();
        let payloads = self.blocks(pack, &places)?;
        let list = WordList::read(words, payloads.iter().map(|payload| payload.as_deref()));
        let list = list.map(Arc::new);
        if let Some(list) = &list {
            self.word_lists.insert(pack.name.clone(), list.clone());
        }
        Ok(list)
    }

    /// The documents of a pack with a word, if they were read before.
    pub(crate) fn postings(&self, pack: &PackEntry, word: &str) -> KnownPostings {
        self.postings.get(&*postings_key(pack, word))
    }

    pub(crate) fn knows_postings(&self, pack: &PackEntry, word: &str) -> bool {
        self.postings.contains_key(&*postings_key(pack, word))
    }

    pub(crate) fn keep_postings(&self, pack: &PackEntry, word: &str, list: Option<Arc<Postings>>) {
        self.postings.insert(postings_key(pack, word), list);
    }

    /// The value of a key in a table of a pack, if it was looked for before.
    pub(crate) fn value(&self, pack: &PackEntry, table: &SortedTable, key: &[u8]) -> KnownValue {
        self.values.get(&value_key(pack, table, key))
    }

    pub(crate) fn knows_value(&self, pack: &PackEntry, table: &SortedTable, key: &[u8]) -> bool {
        self.values.contains_key(&value_key(pack, table, key))
    }

    pub(crate) fn keep_value(
        &self,
        pack: &PackEntry,
        table: &SortedTable,
        key: &[u8],
        value: Option<Arc<[u8]>>,
    ) {
        if value
            .as_ref()
            .is_none_or(|value| value.len() <= LONGEST_VALUE)
        {
            self.values.insert(value_key(pack, table, key), value);
        }
    }

    /// Reads a whole pack into the disk cache. Returns how many bytes were read for it.
    pub fn pull(&self, pack: &PackEntry) -> Result<u64> {
        let Some(disk) = &self.disk else {
            return Ok(0);
        };
        if disk.get(&pack.name, &(0..pack.len)).is_some() {
            return Ok(0);
        }
        let starts = (0..pack.len).step_by(LONGEST as usize);
        let parts: Vec<Range<u64>> = starts
            .map(|start| start..(start + LONGEST).min(pack.len))
            .collect();
        let read = self.bucket.ranges(&self.pack_place(&pack.name), &parts)?;
        disk.forget(&pack.name);
        disk.put(&pack.name, 0, &read.concat());
        Ok(pack.len)
    }

    fn open(
        &self,
        name: &Arc<str>,
        seal: &ObjectSeal,
        place: BlockPlace,
        stored: &[u8],
    ) -> Option<Arc<[u8]>> {
        let payload: Arc<[u8]> = seal.open(place.at, stored)?.into();
        self.blocks
            .insert((name.clone(), place.at), payload.clone());
        Some(payload)
    }
}

fn value_key(pack: &PackEntry, table: &SortedTable, key: &[u8]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(pack.name.as_bytes());
    hasher.update(&table.start().to_le_bytes());
    hasher.update(key);
    let hash = hasher.finalize();
    let (bytes, _) = hash
        .as_bytes()
        .split_first_chunk()
        .expect("a hash has 32 bytes");
    u128::from_le_bytes(*bytes)
}

fn postings_key(pack: &PackEntry, word: &str) -> Box<str> {
    [&*pack.name, word].join(" ").into()
}

/// Ranges that hold all places, which are sorted, with at most `gap` bytes between two of one range;
/// and for each place which range.
fn coalesced(places: impl Iterator<Item = BlockPlace>, gap: u64) -> (Vec<Range<u64>>, Vec<usize>) {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut range_of = Vec::new();
    for place in places {
        match ranges.last_mut() {
            Some(last) if place.at <= last.end + gap && place.end() - last.start <= LONGEST => {
                last.end = last.end.max(place.end());
            }
            _ => ranges.push(place.at..place.end()),
        }
        range_of.push(ranges.len() - 1);
    }
    (ranges, range_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_request() {
        let place = |at, len| BlockPlace { at, len };
        let far = 100 + 2 * GAP;
        let (ranges, range_of) = coalesced(
            [place(10, 20), place(30, 5), place(far, 10)].into_iter(),
            GAP,
        );
        assert_eq!(ranges, [10..35, far..far + 10]);
        assert_eq!(range_of, [0, 0, 1]);
    }
}
