//! The documents of all contents in Tantivy: postings on disk, columns in memory.
//!
//! A content's documents never change and its number is never reused, so the index only grows and,
//! when contents are collected, shrinks. What it holds is told by the watermark: the payload of the
//! commit that the open searcher reads.

use std::{path::Path, sync::Arc};

use facts::{ContentNumber, N_FIELDS};
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};
use tantivy::{
    Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, Term,
    directory::MmapDirectory,
    index::SegmentId,
    indexer::{LogMergePolicy, UserOperation},
    schema::{
        Document, FAST, Field as TantivyField, INDEXED, IndexRecordOption, NumericOptions, Schema,
        TextFieldIndexing, TextOptions, Value,
        document::{ReferenceValue, ReferenceValueLeaf},
    },
    tokenizer::{Token, TokenStream, Tokenizer},
};

use super::documents::{ContentDocuments, DocumentText};
use crate::{Error, Result, database::create_private_directory};

/// Text documents of contents: those in Tantivy, and those that will be there soon.
pub struct TantivyIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    state: RwLock<Arc<SearchState>>,
    pending: Mutex<Pending>,
    writer: Mutex<Option<OpenWriter>>,
}

/// Tantivy's writer, which one process has at a time.
struct OpenWriter {
    writer: IndexWriter<IndexedDocument>,
    /// Contents up to this number were handed to it: they are searchable once it commits.
    fed: ContentNumber,
}

/// One commit, as searches see it.
pub(super) struct SearchState {
    pub searcher: Searcher,
    /// Contents up to this number are in the searcher; what it has beyond is left out.
    pub watermark: ContentNumber,
    pub segments: Vec<Arc<SegmentColumns>>,
}

/// What a segment says about its documents, by document.
pub(super) struct SegmentColumns {
    pub content: Vec<ContentNumber>,
    /// 0 for the rest of a file, else the symbol's index and one.
    pub symbol: Vec<u32>,
    pub lengths: [Vec<u32>; N_FIELDS],
}

#[derive(Default)]
struct Pending {
    documents: FxHashMap<ContentNumber, Arc<ContentDocuments>>,
    weight: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Fields {
    content: TantivyField,
    symbol: TantivyField,
    lengths: [TantivyField; N_FIELDS],
    pub words: [TantivyField; N_FIELDS],
}

/// Changes with every change of the documents or their words; an index of another version is rebuilt.
/// 1: first version.
const VERSION: u32 = 1;

/// One thread and little memory: extraction is what takes the time.
const WRITER_MEMORY: usize = 48 << 20;

/// The part of a segment's documents that may be removed ones.
const MOST_REMOVED: f32 = 0.3;

/// Documents given to Tantivy's thread at once: waking it for each costs more than many documents
/// do.
const TOGETHER: usize = 500;

impl TantivyIndex {
    /// The text index of the database with this identity. One that cannot be read, is of another
    /// version, or belongs to a database that was removed, is rebuilt: its contents come
    /// back from facts and text.
    pub fn open(directory: &Path, identity: &str) -> Result<TantivyIndex> {
        let name = format!("v{VERSION}-{identity}");
        remove_others(directory, &name);
        let directory = directory.join(name);
        match TantivyIndex::open_in(&directory) {
            Err(Error::Text(error)) => {
                tracing::warn!(%error, "the text index is built again");
                std::fs::remove_dir_all(&directory).map_err(|source| Error::Io {
                    path: directory.clone(),
                    source,
                })?;
                TantivyIndex::open_in(&directory)
            }
            Err(Error::Damaged) => {
                std::fs::remove_dir_all(&directory).map_err(|source| Error::Io {
                    path: directory.clone(),
                    source,
                })?;
                TantivyIndex::open_in(&directory)
            }
            other => other,
        }
    }

    pub fn in_memory() -> Result<TantivyIndex> {
        let (schema, fields) = schema();
        TantivyIndex::new(Index::create_in_ram(schema), fields)
    }

    /// Contents up to this number are in Tantivy.
    pub fn watermark(&self) -> ContentNumber {
        self.state.read().watermark
    }

    /// Makes documents searchable at once; they reach Tantivy with the next commit.
    pub fn add(&self, number: ContentNumber, documents: Arc<ContentDocuments>) {
        let mut pending = self.pending.lock();
        pending.weight += documents.weight();
        if let Some(former) = pending.documents.insert(number, documents) {
            pending.weight -= former.weight();
        }
    }

    /// Contents that wait for a commit, and their bytes in memory.
    pub fn pending(&self) -> (usize, usize) {
        let pending = self.pending.lock();
        (pending.documents.len(), pending.weight)
    }

    /// The documents of a content that is not in Tantivy, made and remembered if they are not here.
    pub(super) fn pending_documents(
        &self,
        number: ContentNumber,
        make: &dyn Fn(ContentNumber) -> Option<ContentDocuments>,
    ) -> Option<Arc<ContentDocuments>> {
        if let Some(documents) = self.pending.lock().documents.get(&number) {
            return Some(documents.clone());
        }
        let documents = Arc::new(make(number)?);
        // Numbers of unsaved files mean something else in the next request.
        if !number.is_unsaved() {
            self.add(number, documents.clone());
        }
        Some(documents)
    }

    /// Hands contents to Tantivy, which begins to work on them; they are not searchable there
    /// before a commit. `numbers` gives all contents above a number that exist, ascending; `make`
    /// the documents of those that another process published. `Busy` if another process is writing,
    /// which then writes these as well. The writer stays open.
    pub fn feed(
        &self,
        numbers: &dyn Fn(ContentNumber) -> Result<Vec<ContentNumber>>,
        make: &dyn Fn(ContentNumber) -> Option<ContentDocuments>,
    ) -> Result<()> {
        let mut slot = self.writer.lock();
        let fed = self.feed_writer(&mut slot, numbers, make);
        if fed.is_err() {
            // How much it was given is unknown.
            *slot = None;
        }
        fed
    }

    /// Hands contents to Tantivy as [`TantivyIndex::feed`] does, and makes them searchable.
    ///
    /// With `keep_writer` the writer stays open for the next call; [`TantivyIndex::release`] closes
    /// it.
    pub fn commit(
        &self,
        numbers: &dyn Fn(ContentNumber) -> Result<Vec<ContentNumber>>,
        make: &dyn Fn(ContentNumber) -> Option<ContentDocuments>,
        keep_writer: bool,
    ) -> Result<()> {
        self.feed(numbers, make)?;
        let mut slot = self.writer.lock();
        // Another thread closed the writer in between: the next call hands over the rest.
        let Some(OpenWriter { writer, fed }) = &mut *slot else {
            return self.reload();
        };
        if *fed == stored_watermark(&self.index)? {
            drop(slot);
            return self.reload();
        }
        let committed = writer.prepare_commit().and_then(|mut commit| {
            commit.set_payload(&fed.0.to_string());
            commit.commit()
        });
        if let Err(error) = committed {
            // What was added is lost with the writer; the watermark has not moved.
            *slot = None;
            return Err(error.into());
        }
        if !keep_writer {
            close(&mut slot)?;
        }
        drop(slot);
        self.reload()
    }

    fn feed_writer(
        &self,
        slot: &mut Option<OpenWriter>,
        numbers: &dyn Fn(ContentNumber) -> Result<Vec<ContentNumber>>,
        make: &dyn Fn(ContentNumber) -> Option<ContentDocuments>,
    ) -> Result<()> {
        if slot.is_none() {
            let writer = self.open_writer()?;
            // Under the writer's lock no one else moves the watermark.
            *slot = Some(OpenWriter {
                writer,
                fed: stored_watermark(&self.index)?,
            });
        }
        let OpenWriter { writer, fed } = slot.as_mut().expect("opened above");
        let mut handed_over = *fed;
        let mut together = Vec::new();
        for number in numbers(*fed)? {
            let pending = self.pending.lock().documents.get(&number).cloned();
            handed_over = number;
            // A content whose text is gone has nothing to search.
            let Some(documents) = pending.or_else(|| make(number).map(Arc::new)) else {
                continue;
            };
            let of_content = (0..documents.documents().len()).map(|i| {
                let document = IndexedDocument {
                    fields: self.fields,
                    number,
                    documents: documents.clone(),
                    i,
                };
                UserOperation::Add(document)
            });
            together.extend(of_content);
            if together.len() >= TOGETHER {
                writer.run(std::mem::take(&mut together))?;
            }
        }
        writer.run(together)?;
        *fed = handed_over;
        Ok(())
    }

    /// Closes the writer, once its merges are done. What it was given and did not commit is lost to
    /// it, and given to the next one.
    pub fn release(&self) -> Result<()> {
        close(&mut self.writer.lock())?;
        self.reload()
    }

    /// Removes the documents of contents that no longer exist. `existing` are all that do,
    /// ascending; what came after the last of them stays.
    pub fn retain(&self, existing: &[ContentNumber]) -> Result<()> {
        let mut slot = self.writer.lock();
        let mut writer: IndexWriter<IndexedDocument> = match slot.take() {
            Some(OpenWriter { mut writer, .. }) => {
                // What it was given belongs to no commit yet, and the watermark does not tell of
                // it.
                writer.rollback()?;
                writer
            }
            None => self.open_writer()?,
        };
        self.reload()?;
        let is_gone = |number: &ContentNumber| {
            Some(number) <= existing.last() && existing.binary_search(number).is_err()
        };
        let state = self.state();
        let columns = state.segments.iter().flat_map(|segment| &segment.content);
        let gone: FxHashSet<ContentNumber> = columns.copied().filter(is_gone).collect();
        drop(state);
        let watermark = stored_watermark(&self.index)?;
        for number in gone {
            let term = Term::from_field_u64(self.fields.content, u64::from(number.0));
            writer.delete_term(term);
        }
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&watermark.0.to_string());
        commit.commit()?;
        writer.wait_merging_threads()?;
        drop(slot);
        self.reload()
    }

    fn open_writer(&self) -> Result<IndexWriter<IndexedDocument>> {
        let writer = self.index.writer_with_num_threads(1, WRITER_MEMORY)?;
        let mut merging = LogMergePolicy::default();
        // Without this a segment keeps the documents of removed contents until it is merged for
        // its size.
        merging.set_del_docs_ratio_before_merge(MOST_REMOVED);
        writer.set_merge_policy(Box::new(merging));
        Ok(writer)
    }

    /// Sees what other processes have committed.
    pub fn reload(&self) -> Result<()> {
        let mut state = self.state.write();
        // Read before the segments: what they hold beyond it is left out.
        let watermark = stored_watermark(&self.index)?;
        self.reader.reload()?;
        *state = Arc::new(SearchState::new(self.reader.searcher(), watermark, &state)?);
        drop(state);
        let mut pending = self.pending.lock();
        pending.documents.retain(|number, _| *number > watermark);
        pending.weight = pending
            .documents
            .values()
            .map(|documents| documents.weight())
            .sum();
        Ok(())
    }

    pub(super) fn state(&self) -> Arc<SearchState> {
        self.state.read().clone()
    }

    pub(super) fn fields(&self) -> Fields {
        self.fields
    }

    fn open_in(directory: &Path) -> Result<TantivyIndex> {
        create_private_directory(directory)?;
        let (schema, fields) = schema();
        let failed =
            |error: tantivy::directory::error::OpenDirectoryError| Error::Text(error.into());
        let mmap = MmapDirectory::open(directory).map_err(failed)?;
        let index = match Index::exists(&mmap) {
            Ok(true) => Index::open(mmap)?,
            _ => Index::create(mmap, schema.clone(), IndexSettings::default())?,
        };
        if index.schema() != schema {
            return Err(Error::Damaged);
        }
        TantivyIndex::new(index, fields)
    }

    fn new(index: Index, fields: Fields) -> Result<TantivyIndex> {
        index.tokenizers().register(TOKENIZER, SplitAtSpaces);
        let watermark = stored_watermark(&index)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let state = SearchState::new(
            reader.searcher(),
            watermark,
            &SearchState::nothing(reader.searcher()),
        )?;
        Ok(TantivyIndex {
            index,
            reader,
            fields,
            state: RwLock::new(Arc::new(state)),
            pending: Mutex::default(),
            writer: Mutex::new(None),
        })
    }
}

impl SearchState {
    fn nothing(searcher: Searcher) -> SearchState {
        SearchState {
            searcher,
            watermark: ContentNumber(0),
            segments: Vec::new(),
        }
    }

    /// SegmentColumns of segments that `former` has are taken from there.
    fn new(
        searcher: Searcher,
        watermark: ContentNumber,
        former: &SearchState,
    ) -> Result<SearchState> {
        let known: FxHashMap<SegmentId, &Arc<SegmentColumns>> = former
            .searcher
            .segment_readers()
            .iter()
            .map(|reader| reader.segment_id())
            .zip(&former.segments)
            .collect();
        let mut segments = Vec::new();
        for reader in searcher.segment_readers() {
            if let Some(columns) = known.get(&reader.segment_id()) {
                segments.push((*columns).clone());
                continue;
            }
            let column = |name: &str| -> Result<Vec<u32>> {
                let column = reader.fast_fields().column_first_or_default::<u64>(name)?;
                Ok((0..reader.max_doc())
                    .map(|document| column.get_val(document) as u32)
                    .collect())
            };
            let lengths = [
                column(LENGTHS[0])?,
                column(LENGTHS[1])?,
                column(LENGTHS[2])?,
            ];
            segments.push(Arc::new(SegmentColumns {
                content: column("content")?.into_iter().map(ContentNumber).collect(),
                symbol: column("symbol")?,
                lengths,
            }));
        }
        Ok(SearchState {
            searcher,
            watermark,
            segments,
        })
    }
}

/// Removes every entry of a directory but `name`. An entry that cannot be removed does no harm.
fn remove_others(directory: &Path, name: &str) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name() != name
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::debug!(%error, "a former text index stays");
        }
    }
}

fn close(slot: &mut Option<OpenWriter>) -> Result<()> {
    match slot.take() {
        Some(OpenWriter { writer, .. }) => Ok(writer.wait_merging_threads()?),
        None => Ok(()),
    }
}

fn stored_watermark(index: &Index) -> Result<ContentNumber> {
    let payload = index.load_metas()?.payload;
    let number = payload.and_then(|payload| payload.parse().ok());
    Ok(ContentNumber(number.unwrap_or(0)))
}

const TOKENIZER: &str = "words";
const WORDS: [&str; N_FIELDS] = ["name", "container", "body"];
const LENGTHS: [&str; N_FIELDS] = ["name_length", "container_length", "body_length"];

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let number = NumericOptions::default() | FAST;
    // Frequencies without positions: phrases are found by scanning the few best.
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    let text = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        content: builder.add_u64_field("content", number.clone() | INDEXED),
        symbol: builder.add_u64_field("symbol", number.clone()),
        lengths: LENGTHS.map(|name| builder.add_u64_field(name, number.clone())),
        words: WORDS.map(|name| builder.add_text_field(name, text.clone())),
    };
    (builder.build(), fields)
}

/// A document on its way to Tantivy, which reads it where it is.
struct IndexedDocument {
    fields: Fields,
    number: ContentNumber,
    documents: Arc<ContentDocuments>,
    /// Which of the documents.
    i: usize,
}

#[derive(Clone, Copy, Debug)]
enum DocumentValue<'a> {
    Number(u32),
    Words(&'a str),
}

impl Document for IndexedDocument {
    type Value<'a> = DocumentValue<'a>;
    type FieldsValuesIter<'a> =
        std::array::IntoIter<(TantivyField, DocumentValue<'a>), { 2 + 2 * N_FIELDS }>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let DocumentText {
            symbol,
            fields,
            lengths,
        } = &self.documents.documents()[self.i];
        let number = |field: usize| {
            (
                self.fields.lengths[field],
                DocumentValue::Number(lengths[field]),
            )
        };
        let words = |field: usize| {
            (
                self.fields.words[field],
                DocumentValue::Words(&fields[field]),
            )
        };
        let values = [
            (self.fields.content, DocumentValue::Number(self.number.0)),
            (
                self.fields.symbol,
                DocumentValue::Number(symbol.map_or(0, |symbol| symbol.0 + 1)),
            ),
            number(0),
            number(1),
            number(2),
            words(0),
            words(1),
            words(2),
        ];
        values.into_iter()
    }
}

impl<'a> Value<'a> for DocumentValue<'a> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = std::iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            DocumentValue::Number(number) => ReferenceValueLeaf::U64(number.into()),
            DocumentValue::Words(words) => ReferenceValueLeaf::Str(words),
        })
    }
}

/// Documents come as words with a space after each.
#[derive(Clone)]
struct SplitAtSpaces;

struct SpaceStream<'a> {
    text: &'a str,
    token: Token,
}

impl Tokenizer for SplitAtSpaces {
    type TokenStream<'a> = SpaceStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SpaceStream<'a> {
        SpaceStream {
            text,
            token: Token::default(),
        }
    }
}

impl TokenStream for SpaceStream<'_> {
    fn advance(&mut self) -> bool {
        // Words are short: no search is quicker than looking at each byte.
        let Some(end) = self.text.bytes().position(|byte| byte == b' ') else {
            return false;
        };
        let word = &self.text[..end];
        self.text = &self.text[end + 1..];
        self.token.text.clear();
        self.token.text.push_str(word);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
