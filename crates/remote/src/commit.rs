//! A published commit, read range by range as questions need it.

use std::sync::{Arc, OnceLock};

use facts::{
    ContentId, ContentNumber, FactsId, File, SegmentContents, SegmentDocuments, Skipped,
    TextSegment,
};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use store::{ContentSet, text::TextStatistics};
use workspace::{FactsSource, PackageName, PublishedCommit, PublishedContent, Unreadable};

use crate::{
    Manifest, Objects, Result,
    objects::{KnownPostings, KnownValue},
    pack::{
        self, BlockPlace, ContentTable, Footer, SortedTable, each_in_block, each_posting,
        mention_key, read_definitions, read_documents, read_mentions, read_postings,
        value_in_block,
    },
    tree::{PackEntry, Tree},
};

/// The tree of a commit and its packs.
pub struct CommitIndex {
    objects: Arc<Objects>,
    commit: ContentId,
    /// The ref that it was published as.
    reference: Box<str>,
    /// The name of the tree.
    name: Box<str>,
    tree: Tree,
    packs: Vec<PackReader>,
    /// Contents that the commit has; packs may have more.
    contents: ContentSet,
}

/// One pack of a commit.
struct PackReader {
    entry: PackEntry,
    /// Contents of the packs before it: its first has the number after these, and one.
    before: u32,
    footer: Mutex<Option<Arc<Footer>>>,
    rows: Mutex<Option<Arc<ContentTable>>>,
    documents: Mutex<Option<Arc<SegmentDocuments>>>,
    /// A bit for each document whose content the commit has; `None` in it where all are.
    present: OnceLock<Option<Arc<[u64]>>>,
}

/// Of this many contents or more, whole packs are read.
const WHOLE_PACKS: usize = 400;

impl CommitIndex {
    /// `None` if the tree is absent or damaged.
    pub fn open(objects: &Arc<Objects>, manifest: &Manifest) -> Result<Option<CommitIndex>> {
        let Some(commit) = manifest.commit() else {
            return Ok(None);
        };
        let tree = objects.tree(&manifest.tree)?;
        Ok(tree.map(|tree| CommitIndex::of(objects.clone(), commit, manifest, tree)))
    }

    fn of(
        objects: Arc<Objects>,
        commit: ContentId,
        manifest: &Manifest,
        tree: Tree,
    ) -> CommitIndex {
        let mut before = 0_u32;
        let mut packs = Vec::with_capacity(tree.packs.len());
        for entry in &tree.packs {
            packs.push(PackReader::new(entry, before));
            before = before.saturating_add(entry.n_contents);
        }
        let number = |file: &crate::tree::TreeFile| packs[file.pack as usize].number(file.content);
        let contents = tree.files.iter().map(number).collect();
        CommitIndex {
            objects,
            commit,
            reference: manifest.reference.clone(),
            name: manifest.tree.clone(),
            tree,
            packs,
            contents,
        }
    }

    /// Reads all packs into the disk cache. Returns how many bytes were read for it.
    pub fn pull(&self) -> Result<u64> {
        let mut n_bytes = 0;
        for pack in &self.packs {
            n_bytes += self.objects.pull(&pack.entry)?;
        }
        Ok(n_bytes)
    }

    /// About how many bytes it takes in memory, once its tables have been read.
    pub(crate) fn weight(&self) -> u32 {
        /// Files have a path, a row and about ten documents.
        const FILE: usize = 600;
        const REST: usize = 4 << 10;
        let n_contents: usize = self
            .packs
            .iter()
            .map(|pack| pack.entry.n_contents as usize)
            .sum();
        let n_files = self.tree.files.len().max(n_contents);
        u32::try_from(REST + n_files * FILE).unwrap_or(u32::MAX)
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The name of the tree.
    pub(crate) fn tree_name(&self) -> &str {
        &self.name
    }

    /// The pack of a content, and its place there.
    fn pack_of(&self, content: ContentNumber) -> Option<(&PackReader, u32)> {
        let index = content.0.checked_sub(1)?;
        let after = self.packs.partition_point(|pack| pack.before <= index);
        let pack = &self.packs[after.checked_sub(1)?];
        let ordinal = index - pack.before;
        (ordinal < pack.entry.n_contents).then_some((pack, ordinal))
    }

    fn payload(
        &self,
        content: ContentNumber,
        place: impl Fn(&ContentTable, u32) -> Option<BlockPlace>,
    ) -> Option<Arc<[u8]>> {
        let (pack, ordinal) = self.pack_of(content)?;
        let rows = pack.rows(&self.objects)?;
        pack.block(&self.objects, place(&rows, ordinal)?)
    }

    /// The values of a key in a table of every pack that has it.
    fn values(
        &self,
        table: impl Fn(&Footer) -> &SortedTable + Sync,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Vec<(usize, Arc<[u8]>)>>, Unreadable> {
        let of_pack = |pack: &PackReader| pack.values(&self.objects, &table, keys);
        let is_at_hand = |pack: &PackReader| pack.is_at_hand(&self.objects, &table, keys);
        // Starting threads takes longer than looking at what is in memory.
        let by_pack = match self.packs.iter().all(is_at_hand) {
            true => self.packs.iter().map(of_pack).collect(),
            false => in_parallel(&self.packs, of_pack),
        };
        let mut by_key = vec![Vec::new(); keys.len()];
        for (i, values) in by_pack.into_iter().enumerate() {
            for (key, value) in values?.into_iter().enumerate() {
                by_key[key].extend(value.map(|value| (i, value)));
            }
        }
        Ok(by_key)
    }

    /// Reads blocks of several packs at the same time; they stay in the caches.
    fn read_blocks(&self, by_pack: Vec<(&PackReader, Vec<BlockPlace>)>) {
        in_parallel(&by_pack, |(pack, places)| {
            if let Err(error) = self.objects.blocks(&pack.entry, places) {
                tracing::debug!(%error, "nothing is read ahead");
            }
        });
    }
}

impl FactsSource for CommitIndex {
    fn prepare(&self, n_contents: usize) -> bool {
        if n_contents >= WHOLE_PACKS
            && let Err(error) = self.pull()
        {
            tracing::debug!(%error, "packs are not pulled");
            return false;
        }
        let rows = in_parallel(&self.packs, |pack| pack.rows(&self.objects));
        rows.iter().any(Option::is_some)
    }

    fn record(&self, id: &FactsId) -> Option<Vec<u8>> {
        self.facts_record(self.find(id)?)
    }
}

impl PublishedCommit for CommitIndex {
    fn commit(&self) -> ContentId {
        self.commit
    }

    fn reference(&self) -> &str {
        &self.reference
    }

    fn identity(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<File> {
        let file = |file: &crate::tree::TreeFile| File {
            path: file.path.clone(),
            content: self.packs[file.pack as usize].number(file.content),
            language: file.language,
        };
        self.tree.files.iter().map(file).collect()
    }

    fn skipped(&self) -> Vec<Skipped> {
        self.tree.skipped.clone()
    }

    fn rows(&self) -> Vec<PublishedContent> {
        self.contents
            .iter()
            .filter_map(|content| self.row(content))
            .collect()
    }

    fn row(&self, content: ContentNumber) -> Option<PublishedContent> {
        let (pack, ordinal) = self.pack_of(content)?;
        let row = *pack.rows(&self.objects)?.rows.get(ordinal as usize)?;
        Some(PublishedContent {
            number: content,
            id: row.id,
            len: row.len,
            lines: row.lines,
            symbols: row.symbols,
            is_broken: row.is_broken,
        })
    }

    fn package_names(&self) -> Option<Vec<PackageName>> {
        self.tree.packages.clone()
    }

    fn find(&self, id: &FactsId) -> Option<ContentNumber> {
        self.packs.iter().find_map(|pack| {
            let ordinal = pack.rows(&self.objects)?.find(id)?;
            Some(pack.number(ordinal))
        })
    }

    fn facts_record(&self, content: ContentNumber) -> Option<Vec<u8>> {
        Some(self.payload(content, ContentTable::facts)?.to_vec())
    }

    fn bytes(&self, content: ContentNumber) -> Option<Vec<u8>> {
        pack::unpack(&self.payload(content, ContentTable::text)?)
    }

    fn read_ahead(&self, facts: &[ContentNumber], texts: &[ContentNumber]) {
        let mut by_pack: FxHashMap<u32, (&PackReader, Vec<BlockPlace>)> = FxHashMap::default();
        let places: [(_, fn(&ContentTable, u32) -> Option<BlockPlace>); 2] =
            [(facts, ContentTable::facts), (texts, ContentTable::text)];
        for (contents, place) in places {
            for (pack, ordinal) in contents.iter().filter_map(|content| self.pack_of(*content)) {
                let Some(rows) = pack.rows(&self.objects) else {
                    continue;
                };
                let (_, wanted) = by_pack.entry(pack.before).or_insert((pack, Vec::new()));
                wanted.extend(place(&rows, ordinal));
            }
        }
        self.read_blocks(by_pack.into_values().collect());
    }

    fn defining(&self, names: &[&str]) -> Result<Vec<Vec<(ContentNumber, Vec<u8>)>>, Unreadable> {
        let keys: Vec<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let by_name = self.values(|footer| &footer.definitions, &keys)?;
        let of_name = |values: Vec<(usize, Arc<[u8]>)>| {
            let mut found = Vec::new();
            for (i, value) in values {
                let contents = read_definitions(&value).ok_or(Unreadable)?.into_iter();
                found.extend(contents.filter_map(|(ordinal, sketches)| {
                    let content = self.packs[i].number(ordinal);
                    self.contents
                        .contains(content)
                        .then_some((content, sketches))
                }));
            }
            Ok(found)
        };
        by_name.into_iter().map(of_name).collect()
    }

    fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        let key = mention_key(store::name_key(name)).to_vec();
        let mut values = self.values(|footer| &footer.mentions, &[key])?;
        let mut found = Vec::new();
        for (i, value) in values.pop().unwrap_or_default() {
            let contents = read_mentions(&value).ok_or(Unreadable)?.into_iter();
            let numbers = contents.map(|ordinal| self.packs[i].number(ordinal));
            found.extend(numbers.filter(|content| self.contents.contains(*content)));
        }
        Ok(found)
    }

    fn each_definition(&self, each: &mut dyn FnMut(&str, ContentNumber)) -> Result<(), Unreadable> {
        let all =
            |pack: &PackReader| pack.table_blocks(&self.objects, |footer| &footer.definitions);
        let by_pack = in_parallel(&self.packs, all);
        for (pack, blocks) in self.packs.iter().zip(by_pack) {
            for block in blocks? {
                let mut is_sound = true;
                let read = each_in_block(&block, |name, value| {
                    match (std::str::from_utf8(name), read_definitions(value)) {
                        (Ok(name), Some(contents)) => contents
                            .iter()
                            .for_each(|(ordinal, _)| each(name, pack.number(*ordinal))),
                        _ => is_sound = false,
                    }
                    is_sound
                });
                if read.is_none() || !is_sound {
                    return Err(Unreadable);
                }
            }
        }
        Ok(())
    }

    fn statistics(&self) -> Result<TextStatistics, Unreadable> {
        let mut statistics = TextStatistics {
            n_contents: self.contents.len() as u64,
            ..TextStatistics::default()
        };
        let documents = in_parallel(&self.packs, |pack| pack.documents(&self.objects));
        for (pack, documents) in self.packs.iter().zip(documents) {
            for document in documents.ok_or(Unreadable)?.all() {
                if self.contents.contains(pack.number(document.content)) {
                    statistics.n_documents += 1;
                    for (total, length) in statistics.lengths.iter_mut().zip(document.lengths) {
                        *total += u64::from(length);
                    }
                }
            }
        }
        Ok(statistics)
    }

    fn n_holding(&self, words: &[&str]) -> Result<Vec<u64>, Unreadable> {
        let keys: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let by_word = self.values(|footer| &footer.words, &keys)?;
        let n_postings = |(_, value): (usize, Arc<[u8]>)| {
            let mut n_postings = 0;
            each_posting(&value, |_| n_postings += 1).ok_or(Unreadable)?;
            Ok(n_postings)
        };
        let of_word = |values: Vec<(usize, Arc<[u8]>)>| values.into_iter().map(n_postings).sum();
        by_word.into_iter().map(of_word).collect()
    }

    fn segments(&self, words: &[&str]) -> Result<Vec<TextSegment>, Unreadable> {
        let of_pack = |pack: &PackReader| pack.segment(&self.objects, &self.contents, words);
        let is_at_hand = |pack: &PackReader| pack.has_postings(&self.objects, words);
        // Starting threads takes longer than looking at what is in memory.
        let by_pack: Vec<_> = match self.packs.iter().all(is_at_hand) {
            true => self.packs.iter().map(of_pack).collect(),
            false => in_parallel(&self.packs, of_pack),
        };
        by_pack.into_iter().collect()
    }

    fn may_hold(&self, lists: &[Vec<String>]) -> Result<FxHashSet<ContentNumber>, Unreadable> {
        let of_pack = |pack: &PackReader| {
            let holding = lists
                .iter()
                .map(|pieces| pack.holding(&self.objects, pieces));
            holding.collect::<Result<Vec<FxHashSet<u32>>, Unreadable>>()
        };
        let mut found = FxHashSet::default();
        for (pack, holding) in self.packs.iter().zip(in_parallel(&self.packs, of_pack)) {
            let both = |a: FxHashSet<u32>, b: FxHashSet<u32>| a.intersection(&b).copied().collect();
            let ordinals = holding?.into_iter().reduce(both).unwrap_or_default();
            let numbers = ordinals.into_iter().map(|ordinal| pack.number(ordinal));
            found.extend(numbers.filter(|number| self.contents.contains(*number)));
        }
        Ok(found)
    }
}

/// The contents of a pack.
pub(crate) fn content_table(objects: &Objects, pack: &PackEntry) -> Option<Arc<ContentTable>> {
    PackReader::new(pack, 0).rows(objects)
}

impl PackReader {
    fn new(entry: &PackEntry, before: u32) -> PackReader {
        PackReader {
            entry: entry.clone(),
            before,
            footer: Mutex::default(),
            rows: Mutex::default(),
            documents: Mutex::default(),
            present: OnceLock::new(),
        }
    }

    fn number(&self, ordinal: u32) -> ContentNumber {
        ContentNumber(self.before.saturating_add(ordinal).saturating_add(1))
    }

    fn block(&self, objects: &Objects, place: BlockPlace) -> Option<Arc<[u8]>> {
        match objects.block(&self.entry, place) {
            Ok(payload) => payload,
            Err(error) => {
                tracing::debug!(%error, "a block cannot be read");
                None
            }
        }
    }

    fn footer(&self, objects: &Objects) -> Option<Arc<Footer>> {
        keep(&self.footer, || {
            Footer::read(&self.block(objects, self.entry.footer)?)
                .filter(|footer| footer.n_contents == self.entry.n_contents)
        })
    }

    fn rows(&self, objects: &Objects) -> Option<Arc<ContentTable>> {
        keep(&self.rows, || {
            let footer = self.footer(objects)?;
            ContentTable::read(&footer, &self.block(objects, footer.rows)?)
        })
    }

    fn documents(&self, objects: &Objects) -> Option<Arc<SegmentDocuments>> {
        keep(&self.documents, || {
            let footer = self.footer(objects)?;
            read_documents(&footer, &self.block(objects, footer.documents)?)
        })
    }

    /// Whether the values of these keys can be had without reading.
    fn is_at_hand(
        &self,
        objects: &Objects,
        table: impl Fn(&Footer) -> &SortedTable,
        keys: &[Vec<u8>],
    ) -> bool {
        let footer = self.footer.lock().clone();
        footer.is_some_and(|footer| {
            let table = table(&footer);
            keys.iter().all(|key| {
                let place = table.block_of(key).into_iter();
                objects.knows_value(&self.entry, table, key)
                    || objects.has_in_memory(&self.entry, place)
            })
        })
    }

    /// The value of each key in a table, where there is one.
    fn values(
        &self,
        objects: &Objects,
        table: impl Fn(&Footer) -> &SortedTable,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Option<Arc<[u8]>>>, Unreadable> {
        let footer = self.footer(objects).ok_or(Unreadable)?;
        let table = table(&footer);
        let known = |key: &Vec<u8>| objects.value(&self.entry, table, key);
        let mut values: Vec<KnownValue> = keys.iter().map(known).collect();
        let mut wanted: Vec<(BlockPlace, usize)> = Vec::new();
        for (i, (key, value)) in keys.iter().zip(&mut values).enumerate() {
            if value.is_some() {
                continue;
            }
            match table.block_of(key) {
                Some(place) => wanted.push((place, i)),
                None => *value = Some(None),
            }
        }
        wanted.sort_by_key(|(place, _)| place.at);
        let by_block: Vec<&[(BlockPlace, usize)]> =
            wanted.chunk_by(|(a, _), (b, _)| a == b).collect();
        let places: Vec<BlockPlace> = by_block.iter().map(|same| same[0].0).collect();
        let blocks = objects.blocks(&self.entry, &places).map_err(|error| {
            tracing::debug!(%error, "a table cannot be read");
            Unreadable
        })?;
        for (same, payload) in by_block.into_iter().zip(blocks) {
            let block = pack::unpack(&payload.ok_or(Unreadable)?).ok_or(Unreadable)?;
            for (_, i) in same {
                let value = value_in_block(&block, &keys[*i]);
                objects.keep_value(&self.entry, table, &keys[*i], value.clone());
                values[*i] = Some(value);
            }
        }
        Ok(values.into_iter().map(Option::flatten).collect())
    }

    /// Whether the documents with these words can be had without reading.
    fn has_postings(&self, objects: &Objects, words: &[&str]) -> bool {
        let is_known = |word: &&str| objects.knows_postings(&self.entry, word);
        self.documents.lock().is_some() && words.iter().all(is_known)
    }

    /// The documents of the pack with each word, of the contents that a commit has.
    fn segment(
        &self,
        objects: &Objects,
        contents: &ContentSet,
        words: &[&str],
    ) -> Result<TextSegment, Unreadable> {
        let documents = self.documents(objects).ok_or(Unreadable)?;
        let mut lists: Vec<KnownPostings> = words
            .iter()
            .map(|word| objects.postings(&self.entry, word))
            .collect();
        let unread: Vec<usize> = (0..words.len()).filter(|i| lists[*i].is_none()).collect();
        let keys: Vec<Vec<u8>> = unread.iter().map(|i| words[*i].into()).collect();
        let values = self.values(objects, |footer| &footer.words, &keys)?;
        for (i, value) in unread.into_iter().zip(values) {
            let n_documents = documents.all().len() as u32;
            let read = |value: Arc<[u8]>| read_postings(&value, n_documents).ok_or(Unreadable);
            let list = value.map(read).transpose()?.map(Arc::new);
            objects.keep_postings(&self.entry, words[i], list.clone());
            lists[i] = Some(list);
        }
        let mut segment = TextSegment {
            contents: SegmentContents::From(self.number(0)),
            words: lists.into_iter().map(Option::flatten).collect(),
            present: None,
            documents,
        };
        let present = self.present.get_or_init(|| {
            let mut numbers = (0..self.entry.n_contents).map(|ordinal| self.number(ordinal));
            if !numbers.all(|number| contents.contains(number)) {
                segment.retain(|number| contents.contains(number));
            }
            segment.present.clone()
        });
        segment.present.clone_from(present);
        Ok(segment)
    }

    /// The contents with a word that holds any of these pieces, as the pack counts.
    fn holding(&self, objects: &Objects, pieces: &[String]) -> Result<FxHashSet<u32>, Unreadable> {
        let documents = self.documents(objects).ok_or(Unreadable)?;
        let footer = self.footer(objects).ok_or(Unreadable)?;
        let list = objects.word_list(&self.entry, &footer.words);
        let list = list.map_err(|_| Unreadable)?.ok_or(Unreadable)?;
        let by_block = list.holding(pieces);
        let places: Vec<BlockPlace> = by_block.iter().map(|words| words.place).collect();
        let blocks = objects.blocks(&self.entry, &places);
        let content = |n: &u32| Some(documents.all().get(*n as usize)?.content);
        let mut found: FxHashSet<u32> = list.cut().iter().filter_map(content).collect();
        for (of_block, payload) in by_block.iter().zip(blocks.map_err(|_| Unreadable)?) {
            let block = pack::unpack(&payload.ok_or(Unreadable)?).ok_or(Unreadable)?;
            let mut words = of_block.words.iter().peekable();
            let mut is_sound = true;
            let read = each_in_block(&block, |word, value| {
                if words.next_if(|wanted| **wanted == word).is_some() {
                    let read = each_posting(value, |n| found.extend(content(&n)));
                    is_sound &= read.is_some();
                }
                is_sound && words.peek().is_some()
            });
            if read.is_none() || !is_sound {
                return Err(Unreadable);
            }
        }
        Ok(found)
    }

    /// All blocks of a table, unpacked.
    fn table_blocks(
        &self,
        objects: &Objects,
        table: impl Fn(&Footer) -> &SortedTable,
    ) -> Result<Vec<Vec<u8>>, Unreadable> {
        let footer = self.footer(objects).ok_or(Unreadable)?;
        let places: Vec<BlockPlace> = table(&footer).blocks_from(b"").collect();
        let blocks = objects
            .blocks(&self.entry, &places)
            .map_err(|_| Unreadable)?;
        let unpacked = |payload: Option<Arc<[u8]>>| pack::unpack(&payload?);
        let blocks = blocks
            .into_iter()
            .map(|block| unpacked(block).ok_or(Unreadable));
        blocks.collect()
    }
}

/// What is kept, else what `read` gives, which is then kept. A failure is not.
fn keep<T>(slot: &Mutex<Option<Arc<T>>>, read: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
    let mut slot = slot.lock();
    if slot.is_none() {
        *slot = Some(Arc::new(read()?));
    }
    slot.clone()
}

/// Several packs at the same time: what takes the time is waiting for the store.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if items.len() <= 1 {
        return items.iter().map(work).collect();
    }
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = items
            .iter()
            .map(|item| scope.spawn(move || work(item)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a reader does not panic"))
            .collect()
    })
}
