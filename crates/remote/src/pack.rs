//! A pack: facts, texts, names and words of many contents in one immutable object.
//!
//! `docs/scale.md` describes the bytes. Facts and texts are blocks of their own, in the order in
//! which contents were added. Names and words are sorted tables, cut into blocks whose first keys
//! are in the footer: a reader that wants one name reads the footer and one block.

use std::sync::Arc;

use bytes::Bytes;
use facts::{
    ContentId, FactsId, FieldCounts, LanguageId, N_FIELDS, Postings, SegmentDocument,
    SegmentDocuments, SymbolIndex, read_number, write_number,
};
use rustc_hash::FxHashMap;

use crate::{
    seal::{OVERHEAD, Secrecy},
    tree::PackEntry,
};

/// The first bytes of every pack; the version follows.
const MAGIC: &[u8; 16] = b"codecompass-pack";
/// 1: first version.
const VERSION: u8 = 1;
const HEADER: usize = 32;

/// A block of a table is closed when it is this long, before compression.
const TABLE_BLOCK: usize = 16 << 10;
const WORD_BLOCK: usize = 32 << 10;

/// More than any block unpacks to.
const MAX_UNPACKED: usize = 1 << 28;

/// A pack is finished when its texts have this many bytes: larger ones take much memory to make,
/// smaller ones many requests to read.
const FULL_BYTES: usize = 64 << 20;
const FULL_CONTENTS: usize = 1 << 15;

/// Everything a pack keeps about one content.
#[derive(Clone, Debug)]
pub struct PackedContent {
    pub row: ContentEntry,
    /// As `facts::encode` writes it.
    pub record: Vec<u8>,
    /// The file's own bytes.
    pub bytes: Vec<u8>,
    /// Names with sketches of their symbols; sorted.
    pub definitions: Vec<(String, Vec<u8>)>,
    /// Keys of mentioned names; sorted.
    pub mentions: Vec<u64>,
    pub documents: Vec<PackedDocument>,
}

/// A function, a type without its functions, or the rest of a file, with its words.
#[derive(Clone, Debug)]
pub struct PackedDocument {
    pub symbol: Option<SymbolIndex>,
    pub lengths: FieldCounts,
    pub words: Vec<(Box<str>, FieldCounts)>,
}

/// What is known of a content without its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentEntry {
    pub id: FactsId,
    pub len: u32,
    pub lines: u32,
    pub symbols: u32,
    /// It was not extracted without a problem.
    pub is_broken: bool,
}

/// A block: where it begins in the object, and how long it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockPlace {
    pub at: u64,
    pub len: u32,
}

impl BlockPlace {
    pub fn end(self) -> u64 {
        self.at + u64::from(self.len)
    }
}

/// Gathers contents.
#[derive(Default)]
pub struct PackBuilder {
    rows: Vec<ContentEntry>,
    records: Vec<Vec<u8>>,
    texts: Vec<Vec<u8>>,
    definitions: Vec<(Box<str>, u32, Vec<u8>)>,
    mentions: Vec<(u64, u32)>,
    documents: Vec<u8>,
    n_documents: u32,
    lengths: [u64; N_FIELDS],
    words: FxHashMap<Box<str>, EncodedPostings>,
    n_bytes: usize,
}

/// The documents that hold a word, encoded.
#[derive(Default)]
struct EncodedPostings {
    last: u32,
    bytes: Vec<u8>,
}

impl PackBuilder {
    pub fn add(&mut self, content: PackedContent) {
        let ordinal = self.rows.len() as u32;
        self.n_bytes += content.bytes.len() + content.record.len();
        self.rows.push(content.row);
        self.records.push(content.record);
        self.texts
            .push(lz4_flex::compress_prepend_size(&content.bytes));
        let definitions = content.definitions.into_iter();
        self.definitions
            .extend(definitions.map(|(name, sketches)| (name.into(), ordinal, sketches)));
        self.mentions
            .extend(content.mentions.into_iter().map(|key| (key, ordinal)));
        write_number(&mut self.documents, content.documents.len() as u64);
        for document in content.documents {
            self.add_document(document);
        }
    }

    fn add_document(&mut self, document: PackedDocument) {
        let ordinal = self.n_documents;
        self.n_documents += 1;
        let symbol = document.symbol.map_or(0, |symbol| u64::from(symbol.0) + 1);
        write_number(&mut self.documents, symbol);
        for field in 0..N_FIELDS {
            write_number(&mut self.documents, document.lengths[field].into());
            self.lengths[field] += u64::from(document.lengths[field]);
        }
        for (word, counts) in document.words {
            let postings = self.words.entry(word).or_default();
            // The difference and which fields have the word, in one number.
            let fields = (0..N_FIELDS).filter(|field| counts[*field] > 0);
            let mask = fields.clone().fold(0, |mask, field| mask | (1 << field));
            let difference = u64::from(ordinal - postings.last);
            write_number(&mut postings.bytes, (difference << N_FIELDS) | mask);
            for field in fields {
                write_number(&mut postings.bytes, counts[field].into());
            }
            postings.last = ordinal;
        }
    }

    /// The contents added so far, in order.
    pub fn ids(&self) -> Vec<FactsId> {
        self.rows.iter().map(|row| row.id).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.n_bytes >= FULL_BYTES || self.rows.len() >= FULL_CONTENTS
    }

    /// The object, and what a tree says of it.
    pub fn finish(mut self, secrecy: &Secrecy) -> (PackEntry, Bytes) {
        let mut blocks = PackBlocks::new();
        let records = std::mem::take(&mut self.records);
        let texts = std::mem::take(&mut self.texts);
        let (facts_at, n_contents) = (blocks.at, self.rows.len());
        let record_lengths: Vec<u32> = records.into_iter().map(|b| blocks.push(b).len).collect();
        let texts_at = blocks.at;
        let text_lengths: Vec<u32> = texts.into_iter().map(|b| blocks.push(b).len).collect();

        let mut rows = Vec::new();
        for ((row, record), text) in self.rows.iter().zip(&record_lengths).zip(&text_lengths) {
            write_row(&mut rows, row, *record, *text);
        }
        let rows = blocks.push_packed(&rows);
        let documents = blocks.push_packed(&std::mem::take(&mut self.documents));
        let definitions = self.definition_table(&mut blocks);
        let mentions = self.mention_table(&mut blocks);
        let words = self.word_table(&mut blocks);

        let mut footer = Vec::new();
        let numbers = [
            n_contents as u64,
            u64::from(self.n_documents),
            facts_at,
            texts_at,
            rows.at,
            rows.len.into(),
            documents.at,
            documents.len.into(),
        ];
        for number in numbers.into_iter().chain(self.lengths) {
            write_number(&mut footer, number);
        }
        for table in [definitions, mentions, words] {
            table.write(&mut footer);
        }
        let footer = blocks.push_packed(&footer);
        blocks.seal(secrecy, footer, n_contents as u32)
    }

    fn definition_table(&mut self, blocks: &mut PackBlocks) -> SortedTable {
        let mut definitions = std::mem::take(&mut self.definitions);
        definitions.sort_unstable();
        let mut table = SortedTableBuilder::new(blocks, TABLE_BLOCK);
        for of_name in definitions.chunk_by(|a, b| a.0 == b.0) {
            let mut value = Vec::new();
            let mut last = 0;
            for (_, ordinal, sketches) in of_name {
                write_number(&mut value, u64::from(ordinal - last));
                last = *ordinal;
                write_number(&mut value, sketches.len() as u64);
                value.extend_from_slice(sketches);
            }
            table.add(of_name[0].0.as_bytes(), &value);
        }
        table.finish()
    }

    fn mention_table(&mut self, blocks: &mut PackBlocks) -> SortedTable {
        let mut mentions = std::mem::take(&mut self.mentions);
        mentions.sort_unstable();
        let mut table = SortedTableBuilder::new(blocks, TABLE_BLOCK);
        for of_key in mentions.chunk_by(|a, b| a.0 == b.0) {
            let mut value = Vec::new();
            let mut last = 0;
            for (_, ordinal) in of_key {
                write_number(&mut value, u64::from(ordinal - last));
                last = *ordinal;
            }
            table.add(&mention_key(of_key[0].0), &value);
        }
        table.finish()
    }

    fn word_table(&mut self, blocks: &mut PackBlocks) -> SortedTable {
        let words = std::mem::take(&mut self.words);
        let mut words: Vec<(Box<str>, EncodedPostings)> = words.into_iter().collect();
        words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut table = SortedTableBuilder::new(blocks, WORD_BLOCK);
        for (word, postings) in words {
            table.add(word.as_bytes(), &postings.bytes);
        }
        table.finish()
    }
}

/// Keys of 47 bits, as the table of mentions sorts them.
pub fn mention_key(key: u64) -> [u8; 6] {
    let bytes = key.to_be_bytes();
    [bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]
}

/// The blocks of an object on their way, with where each will lie.
struct PackBlocks {
    payloads: Vec<Vec<u8>>,
    at: u64,
}

impl PackBlocks {
    fn new() -> PackBlocks {
        PackBlocks {
            payloads: Vec::new(),
            at: HEADER as u64,
        }
    }

    fn push(&mut self, payload: Vec<u8>) -> BlockPlace {
        let place = BlockPlace {
            at: self.at,
            len: (payload.len() + OVERHEAD) as u32,
        };
        self.at = place.end();
        self.payloads.push(payload);
        place
    }

    fn push_packed(&mut self, payload: &[u8]) -> BlockPlace {
        self.push(lz4_flex::compress_prepend_size(payload))
    }

    fn seal(self, secrecy: &Secrecy, footer: BlockPlace, n_contents: u32) -> (PackEntry, Bytes) {
        let mut hasher = blake3::Hasher::new();
        for payload in &self.payloads {
            hasher.update(&(payload.len() as u64).to_le_bytes());
            hasher.update(payload);
        }
        let name = secrecy.name("pack", hasher.finalize().as_bytes());
        let seal = secrecy.object(&name);
        let mut object = Vec::with_capacity(self.at as usize + TAIL);
        object.extend_from_slice(MAGIC);
        object.extend_from_slice(&[VERSION, 0, 0, 0, 0, 0, 0, 0]);
        object.extend_from_slice(&secrecy.key_id());
        for payload in self.payloads {
            let sealed = seal.seal(object.len() as u64, payload);
            object.extend_from_slice(&sealed);
        }
        object.extend_from_slice(&footer.at.to_le_bytes());
        object.extend_from_slice(&footer.len.to_le_bytes());
        object.extend_from_slice(b"pack");
        let entry = PackEntry {
            name: name.into(),
            len: object.len() as u64,
            footer,
            n_contents,
        };
        (entry, Bytes::from(object))
    }
}

/// Where the footer is, for readers that come without a tree: offset, length, `pack`.
const TAIL: usize = 16;

/// Cuts a sorted table into blocks.
struct SortedTableBuilder<'a> {
    blocks: &'a mut PackBlocks,
    block_size: usize,
    table: SortedTable,
    first: Vec<u8>,
    previous: Vec<u8>,
    payload: Vec<u8>,
}

impl<'a> SortedTableBuilder<'a> {
    fn new(blocks: &'a mut PackBlocks, block_size: usize) -> SortedTableBuilder<'a> {
        SortedTableBuilder {
            blocks,
            block_size,
            table: SortedTable::default(),
            first: Vec::new(),
            previous: Vec::new(),
            payload: Vec::new(),
        }
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        if self.payload.len() >= self.block_size {
            self.close();
        }
        if self.payload.is_empty() {
            self.first = key.to_vec();
            self.previous.clear();
        }
        let pairs = self.previous.iter().zip(key);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        write_number(&mut self.payload, shared as u64);
        write_number(&mut self.payload, (key.len() - shared) as u64);
        self.payload.extend_from_slice(&key[shared..]);
        write_number(&mut self.payload, value.len() as u64);
        self.payload.extend_from_slice(value);
        self.previous = key.to_vec();
    }

    fn close(&mut self) {
        let place = self.blocks.push_packed(&self.payload);
        self.payload.clear();
        let first = std::mem::take(&mut self.first);
        self.table.blocks.push((first.into(), place));
    }

    fn finish(mut self) -> SortedTable {
        if !self.payload.is_empty() {
            self.close();
        }
        self.table
    }
}

/// A sorted table: the first key of each block, and where the block is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SortedTable {
    blocks: Vec<(Box<[u8]>, BlockPlace)>,
}

impl SortedTable {
    /// Where its first block begins, which tells it from other tables of the pack.
    pub fn start(&self) -> u64 {
        self.blocks.first().map_or(0, |(_, place)| place.at)
    }

    /// The block that has a key if any has.
    pub fn block_of(&self, key: &[u8]) -> Option<BlockPlace> {
        let after = self.blocks.partition_point(|(first, _)| **first <= *key);
        Some(self.blocks[after.checked_sub(1)?].1)
    }

    /// The blocks that have keys from this one on, in order.
    pub fn blocks_from(&self, key: &[u8]) -> impl Iterator<Item = BlockPlace> + '_ {
        let after = self.blocks.partition_point(|(first, _)| **first <= *key);
        self.blocks[after.saturating_sub(1)..]
            .iter()
            .map(|(_, place)| *place)
    }

    fn write(&self, into: &mut Vec<u8>) {
        write_number(into, self.blocks.len() as u64);
        write_number(into, self.blocks.first().map_or(0, |(_, place)| place.at));
        for (first, place) in &self.blocks {
            write_number(into, first.len() as u64);
            into.extend_from_slice(first);
            write_number(into, place.len.into());
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<SortedTable> {
        let n_blocks = read_number(bytes)? as usize;
        let mut at = read_number(bytes)?;
        let mut blocks = Vec::with_capacity(n_blocks.min(1 << 16));
        for _ in 0..n_blocks {
            let first = take_counted(bytes)?.into();
            let len = u32::try_from(read_number(bytes)?).ok()?;
            blocks.push((first, BlockPlace { at, len }));
            at = at.checked_add(len.into())?;
        }
        Some(SortedTable { blocks })
    }
}

/// The value of a key in a block of a table, if it is there. `None` also for a damaged block, whose
/// checksum has been looked at before.
pub fn value_in_block(block: &[u8], key: &[u8]) -> Option<Arc<[u8]>> {
    let mut found = None;
    each_in_block(block, |candidate, value| {
        if candidate == key {
            found = Some(value.into());
        }
        candidate < key
    });
    found
}

/// Calls `each` with the keys and values of a block until it returns false.
pub fn each_in_block(mut block: &[u8], mut each: impl FnMut(&[u8], &[u8]) -> bool) -> Option<()> {
    let mut key = Vec::new();
    while !block.is_empty() {
        let shared = read_number(&mut block)? as usize;
        if shared > key.len() {
            return None;
        }
        key.truncate(shared);
        key.extend_from_slice(take_counted(&mut block)?);
        let value = take_counted(&mut block)?;
        if !each(&key, value) {
            break;
        }
    }
    Some(())
}

/// The contents of an entry of the table of definitions, with their sketches.
pub fn read_definitions(mut value: &[u8]) -> Option<Vec<(u32, Vec<u8>)>> {
    let mut found = Vec::new();
    let mut ordinal = 0_u32;
    while !value.is_empty() {
        ordinal = ordinal.checked_add(u32::try_from(read_number(&mut value)?).ok()?)?;
        found.push((ordinal, take_counted(&mut value)?.to_vec()));
    }
    Some(found)
}

/// The contents of an entry of the table of mentions.
pub fn read_mentions(mut value: &[u8]) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    let mut ordinal = 0_u32;
    while !value.is_empty() {
        ordinal = ordinal.checked_add(u32::try_from(read_number(&mut value)?).ok()?)?;
        found.push(ordinal);
    }
    Some(found)
}

/// The documents of an entry of the table of words, and how often each field has the word. `None` if
/// one of them is beyond the documents of the pack.
pub fn read_postings(mut value: &[u8], n_documents: u32) -> Option<Postings> {
    let mut found = Postings::default();
    // One takes two bytes at least.
    found.documents.reserve(value.len() / 2);
    found.counts.reserve(value.len() / 2);
    let mut document = 0_u32;
    while !value.is_empty() {
        let number = read_number(&mut value)?;
        document = document.checked_add(u32::try_from(number >> N_FIELDS).ok()?)?;
        let mut counts = [0; N_FIELDS];
        for (field, count) in counts.iter_mut().enumerate() {
            if (number >> field) & 1 == 1 {
                *count = u32::try_from(read_number(&mut value)?).ok()?;
            }
        }
        found.documents.push(document);
        found.counts.push(counts);
    }
    found.documents.shrink_to_fit();
    found.counts.shrink_to_fit();
    let is_sound = found.documents.is_sorted_by(|a, b| a < b)
        && found
            .documents
            .last()
            .is_none_or(|last| *last < n_documents);
    is_sound.then_some(found)
}

/// The documents of an entry of the table of words alone.
pub fn each_posting(mut value: &[u8], mut each: impl FnMut(u32)) -> Option<()> {
    let mut document = 0_u32;
    while !value.is_empty() {
        let number = read_number(&mut value)?;
        document = document.checked_add(u32::try_from(number >> N_FIELDS).ok()?)?;
        for _ in 0..(number & ((1 << N_FIELDS) - 1)).count_ones() {
            read_number(&mut value)?;
        }
        each(document);
    }
    Some(())
}

/// What the last block of a pack says.
#[derive(Clone, Debug)]
pub struct Footer {
    pub n_contents: u32,
    pub n_documents: u32,
    /// Words of all documents, by field.
    pub lengths: [u64; N_FIELDS],
    pub rows: BlockPlace,
    pub documents: BlockPlace,
    pub definitions: SortedTable,
    pub mentions: SortedTable,
    pub words: SortedTable,
    facts_at: u64,
    texts_at: u64,
}

impl Footer {
    pub fn read(payload: &[u8]) -> Option<Footer> {
        let unpacked = unpack(payload)?;
        let bytes = &mut &unpacked[..];
        let n_contents = u32::try_from(read_number(bytes)?).ok()?;
        let n_documents = u32::try_from(read_number(bytes)?).ok()?;
        let (facts_at, texts_at) = (read_number(bytes)?, read_number(bytes)?);
        let (rows, documents) = (read_place(bytes)?, read_place(bytes)?);
        let lengths = [
            read_number(bytes)?,
            read_number(bytes)?,
            read_number(bytes)?,
        ];
        Some(Footer {
            n_contents,
            n_documents,
            lengths,
            rows,
            documents,
            definitions: SortedTable::read(bytes)?,
            mentions: SortedTable::read(bytes)?,
            words: SortedTable::read(bytes)?,
            facts_at,
            texts_at,
        })
    }
}

/// The contents of a pack, and where the facts and the text of each are.
pub struct ContentTable {
    pub rows: Vec<ContentEntry>,
    facts: Vec<BlockPlace>,
    texts: Vec<BlockPlace>,
    by_id: FxHashMap<FactsId, u32>,
}

impl ContentTable {
    pub fn read(footer: &Footer, payload: &[u8]) -> Option<ContentTable> {
        let unpacked = unpack(payload)?;
        let bytes = &mut &unpacked[..];
        let n_contents = footer.n_contents as usize;
        let mut table = ContentTable {
            rows: Vec::with_capacity(n_contents.min(1 << 20)),
            facts: Vec::new(),
            texts: Vec::new(),
            by_id: FxHashMap::default(),
        };
        let (mut facts_at, mut texts_at) = (footer.facts_at, footer.texts_at);
        let next = |at: &mut u64, len: u32| {
            let place = BlockPlace { at: *at, len };
            *at = at.checked_add(len.into())?;
            Some(place)
        };
        for ordinal in 0..footer.n_contents {
            let (row, record, text) = read_row(bytes)?;
            table.by_id.insert(row.id, ordinal);
            table.rows.push(row);
            table.facts.push(next(&mut facts_at, record)?);
            table.texts.push(next(&mut texts_at, text)?);
        }
        Some(table)
    }

    pub fn find(&self, id: &FactsId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub fn facts(&self, ordinal: u32) -> Option<BlockPlace> {
        self.facts.get(ordinal as usize).copied()
    }

    pub fn text(&self, ordinal: u32) -> Option<BlockPlace> {
        self.texts.get(ordinal as usize).copied()
    }
}

/// The documents of a pack, in order.
pub fn read_documents(footer: &Footer, payload: &[u8]) -> Option<SegmentDocuments> {
    let unpacked = unpack(payload)?;
    let bytes = &mut &unpacked[..];
    let mut documents = Vec::with_capacity((footer.n_documents as usize).min(1 << 22));
    for content in 0..footer.n_contents {
        for _ in 0..read_number(bytes)? {
            let symbol = u32::try_from(read_number(bytes)?).ok()?;
            let mut lengths = [0; N_FIELDS];
            for length in &mut lengths {
                *length = u32::try_from(read_number(bytes)?).ok()?;
            }
            documents.push(SegmentDocument {
                content,
                symbol: symbol.checked_sub(1).map(SymbolIndex),
                lengths,
            });
        }
    }
    let is_whole = documents.len() == footer.n_documents as usize;
    is_whole.then(|| SegmentDocuments::new(documents, footer.n_contents))
}

/// The payload of a block that was compressed.
pub fn unpack(payload: &[u8]) -> Option<Vec<u8>> {
    let (claimed, _) = payload.split_first_chunk::<4>()?;
    // What it says to unpack to is checked before it is unpacked.
    if u32::from_le_bytes(*claimed) as usize > MAX_UNPACKED {
        return None;
    }
    store::unpack(payload)
}

fn write_row(into: &mut Vec<u8>, row: &ContentEntry, record: u32, text: u32) {
    let id = row.id.content.as_bytes();
    into.push(id.len() as u8);
    into.extend_from_slice(id);
    let numbers = [
        u32::from(row.id.language.0),
        row.id.extractor_version,
        row.len,
        row.lines,
        row.symbols,
        row.is_broken.into(),
        record,
        text,
    ];
    numbers
        .into_iter()
        .for_each(|number| write_number(into, number.into()));
}

fn read_row(bytes: &mut &[u8]) -> Option<(ContentEntry, u32, u32)> {
    let content = ContentId::from_bytes(take_counted(bytes)?)?;
    let mut numbers = [0_u32; 8];
    for number in &mut numbers {
        *number = u32::try_from(read_number(bytes)?).ok()?;
    }
    let [
        language,
        extractor_version,
        len,
        lines,
        symbols,
        broken,
        record,
        text,
    ] = numbers;
    let id = FactsId {
        content,
        language: LanguageId(u16::try_from(language).ok()?),
        extractor_version,
    };
    let row = ContentEntry {
        id,
        len,
        lines,
        symbols,
        is_broken: broken != 0,
    };
    Some((row, record, text))
}

fn read_place(bytes: &mut &[u8]) -> Option<BlockPlace> {
    Some(BlockPlace {
        at: read_number(bytes)?,
        len: u32::try_from(read_number(bytes)?).ok()?,
    })
}

/// Takes a length and as many bytes off the start.
pub(crate) fn take_counted<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = read_number(bytes)? as usize;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}
