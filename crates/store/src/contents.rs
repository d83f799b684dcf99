//! Contents: the facts of each, and which names each defines and mentions.

use facts::{
    ContentId, ContentNumber, DecodeError, Facts, FactsId, LanguageId, NameId, ProblemKind,
    RepoPath, SkipReason, SymbolIndex, SymbolSketch,
};
use rusqlite::{Connection, Row, params};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Error, LiveFile, Result, Store, WorktreeNumber, live, snapshots, sql};

/// What one transaction publishes.
#[derive(Default)]
pub struct Batch<'a> {
    pub contents: &'a [NewContent],
    pub rejected: &'a [(ContentId, SkipReason)],
    /// All that is being indexed is a few files, as after an edit.
    pub is_small: bool,
}

/// Everything that is kept about one content, made by a worker and published by the writer.
#[derive(Clone, Debug)]
pub struct NewContent {
    id: FactsId,
    len: u32,
    lines: u32,
    symbols: u32,
    problem: Option<ProblemKind>,
    record: Vec<u8>,
    /// Names with sketches of their symbols; sorted.
    definitions: Vec<(String, Vec<u8>)>,
    /// Sorted.
    mentions: Vec<i64>,
    packed: Option<Vec<u8>>,
}

impl NewContent {
    /// `bytes` are given when git does not hold them.
    pub fn new(id: FactsId, facts: Facts, bytes: Option<&[u8]>) -> NewContent {
        NewContent {
            id,
            len: facts.lines.text_len(),
            lines: facts.lines.n_lines(),
            symbols: facts.symbols.len() as u32,
            problem: facts
                .problems
                .iter()
                .map(|problem| problem.kind)
                .max_by_key(|kind| severity(*kind)),
            definitions: definitions(&facts)
                .into_iter()
                .map(|(name, sketches)| (name.to_owned(), sketches))
                .collect(),
            mentions: mentions(&facts),
            packed: bytes.map(lz4_flex::compress_prepend_size),
            record: facts::encode_owned(facts),
        }
    }

    pub fn id(&self) -> FactsId {
        self.id
    }

    /// For those that keep it elsewhere.
    pub fn into_parts(self) -> ContentParts {
        ContentParts {
            record: self.record,
            definitions: self.definitions,
            mentions: self.mentions.into_iter().map(i64::cast_unsigned).collect(),
        }
    }

    pub fn n_symbols(&self) -> u64 {
        self.symbols.into()
    }

    /// How much work it is to publish it: rows, and pages of bytes.
    pub fn steps(&self) -> usize {
        let bytes = self.record.len() + self.packed.as_ref().map_or(0, Vec::len);
        1 + self.definitions.len() + self.mentions.len() + bytes / 1024
    }
}

/// The facts of a content, and the names in it.
pub struct ContentParts {
    /// As `facts::encode` writes it.
    pub record: Vec<u8>,
    /// Names with sketches of their symbols; sorted.
    pub definitions: Vec<(String, Vec<u8>)>,
    /// Keys of mentioned names; sorted. See [`name_key`].
    pub mentions: Vec<u64>,
}

/// What is known of a content without its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRow {
    pub number: ContentNumber,
    pub id: FactsId,
    pub len: u32,
    pub lines: u32,
    pub symbols: u32,
    /// The worst thing that happened when it was extracted.
    pub problem: Option<ProblemKind>,
}

/// The numbers of contents if all of them are published.
fn published(
    connection: &Connection,
    contents: &[NewContent],
) -> Result<Option<Vec<ContentNumber>>> {
    let mut numbers = Vec::with_capacity(contents.len());
    for content in contents {
        let id = &content.id.content;
        if content.packed.is_some() && packed(connection, id)?.is_none() {
            return Ok(None);
        }
        match number(connection, content.id)? {
            Some(number) => numbers.push(number),
            None => return Ok(None),
        }
    }
    Ok(Some(numbers))
}

/// The number of a content whose facts this version of the extractor made.
fn number(connection: &Connection, id: FactsId) -> Result<Option<ContentNumber>> {
    const FIND: &str =
        "SELECT number FROM content WHERE id = ?1 AND language = ?2 AND version = ?3";
    let key = params![id.content.as_bytes(), id.language.0, id.extractor_version];
    sql::row(connection, FIND, key, |row| Ok(ContentNumber(row.get(0)?)))
}

/// Publishes contents; those that are there already keep their number. Returns the numbers in the
/// given order. Where `are_few`, as those of an edit are, their names go to the small tables.
fn add(
    connection: &Connection,
    contents: &[NewContent],
    are_few: bool,
) -> Result<Vec<ContentNumber>> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO content (id, language, version, len, lines, symbols, problem, facts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut insert_bytes =
        connection.prepare_cached("INSERT OR IGNORE INTO bytes (id, packed) VALUES (?1, ?2)")?;
    let mut numbers = Vec::with_capacity(contents.len());
    let mut definitions = Vec::new();
    let mut mentions = Vec::new();
    for content in contents {
        let FactsId {
            content: id,
            language,
            extractor_version,
        } = content.id;
        if let Some(packed) = &content.packed {
            insert_bytes.execute(params![id.as_bytes(), packed])?;
        }
        if let Some(known) = number(connection, content.id)? {
            numbers.push(known);
            continue;
        }
        insert.execute(params![
            id.as_bytes(),
            language.0,
            extractor_version,
            content.len,
            content.lines,
            content.symbols,
            content.problem.map_or(0, severity),
            content.record
        ])?;
        let number = u32::try_from(connection.last_insert_rowid()).map_err(|_| Error::Full)?;
        definitions.extend(
            content
                .definitions
                .iter()
                .map(|(name, sketches)| (name.as_str(), number, sketches.as_slice())),
        );
        mentions.extend(content.mentions.iter().map(|name| (*name, number)));
        numbers.push(ContentNumber(number));
    }
    // Sorted, so that each page of the two trees is visited once.
    definitions.sort_unstable();
    mentions.sort_unstable();
    let mut insert = connection.prepare_cached(match are_few {
        true => {
            "INSERT OR IGNORE INTO recent_definition (name, content, sketches) VALUES (?1, ?2, ?3)"
        }
        false => "INSERT OR IGNORE INTO definition (name, content, sketches) VALUES (?1, ?2, ?3)",
    })?;
    for (name, number, sketches) in definitions {
        insert.execute(params![name, number, sketches])?;
    }
    let mut insert = connection.prepare_cached(match are_few {
        true => "INSERT OR IGNORE INTO recent_mention (name, content) VALUES (?1, ?2)",
        false => "INSERT OR IGNORE INTO mention (name, content) VALUES (?1, ?2)",
    })?;
    for (name, number) in mentions {
        insert.execute(params![name, number])?;
    }
    Ok(numbers)
}

/// Rows of the small table of mentions.
pub(crate) fn n_recent(connection: &Connection) -> Result<u64> {
    const COUNT: &str = "SELECT count(*) FROM recent_mention";
    let count = sql::row(connection, COUNT, [], |row| row.get::<_, i64>(0))?;
    Ok(count.unwrap_or(0) as u64)
}

/// Moves up to `n` rows of each small table to its large one. Returns false if there were none.
pub(crate) fn fold_recent(connection: &Connection, n: u32) -> Result<bool> {
    let mut is_moved = false;
    for table in ["definition", "mention"] {
        // In order of name: each page of the large table is visited once.
        let some = format!("FROM recent_{table} ORDER BY name, content LIMIT ?1");
        let copy = format!("INSERT OR IGNORE INTO {table} SELECT * {some}");
        sql::execute(connection, &copy, [n])?;
        let delete = format!(
            "DELETE FROM recent_{table} WHERE (name, content) IN (SELECT name, content {some})"
        );
        is_moved |= sql::execute(connection, &delete, [n])? > 0;
    }
    Ok(is_moved)
}

/// The newest facts of a content in a language: their number, and the version of their extractor.
pub type FoundContents = FxHashMap<(ContentId, LanguageId), (ContentNumber, u32)>;

impl Store {
    pub fn publish(&self, batch: &Batch<'_>) -> Result<Vec<ContentNumber>> {
        self.database.write(|connection| publish(connection, batch))
    }

    /// Publishes contents together with the files of a working tree that have them: `files` sees
    /// the new numbers. Of several processes that see an edit, those that come later find it
    /// published and wait for no one.
    pub fn publish_live(
        &self,
        worktree: WorktreeNumber,
        batch: &Batch<'_>,
        files: impl Fn(&[ContentNumber]) -> Vec<(RepoPath, LiveFile)>,
    ) -> Result<Vec<ContentNumber>> {
        if batch.is_small && batch.rejected.is_empty() {
            let reader = self.database.read()?;
            if let Some(numbers) = published(&reader, batch.contents)?
                && live::holds(&reader, worktree, &files(&numbers))?
            {
                return Ok(numbers);
            }
        }
        self.database.write(|connection| {
            let numbers = publish(connection, batch)?;
            live::update(connection, worktree, &files(&numbers))?;
            Ok(numbers)
        })
    }

    /// `Ok(Err(..))` if there is a record that cannot be read: it must be extracted again.
    pub fn facts(
        &self,
        number: ContentNumber,
    ) -> Result<Option<std::result::Result<Facts, DecodeError>>> {
        let record = record(&*self.database.read()?, number)?;
        Ok(record.map(|record| facts::decode(&record)))
    }

    /// Writes the record of a content again, after it was found damaged.
    pub fn replace_facts(&self, number: ContentNumber, facts: &Facts) -> Result<()> {
        const REPLACE: &str = "UPDATE content SET facts = ?2 WHERE number = ?1";
        let row = params![number.0, facts::encode(facts)];
        self.database
            .write(|connection| sql::execute(connection, REPLACE, row))?;
        Ok(())
    }

    pub fn content(&self, number: ContentNumber) -> Result<Option<ContentRow>> {
        let find = format!("SELECT {ROW} FROM content WHERE number = ?1");
        sql::row(&*self.database.read()?, &find, [number.0], read_row)
    }

    /// All contents, by number.
    pub fn contents(&self) -> Result<Vec<ContentRow>> {
        let list = format!("SELECT {ROW} FROM content ORDER BY number");
        sql::rows(&*self.database.read()?, &list, [], read_row)
    }

    /// Nothing is indexed yet.
    pub fn is_empty(&self) -> Result<bool> {
        let any = sql::row(&*self.database.read()?, "SELECT 1 FROM content", [], |_| {
            Ok(())
        })?;
        Ok(any.is_none())
    }

    /// Contents above a number, ascending.
    pub fn contents_above(&self, number: ContentNumber) -> Result<Vec<ContentNumber>> {
        above(&*self.database.read()?, number)
    }

    /// Contents whose language and extractor version are accepted, read from an index alone.
    pub fn contents_where(
        &self,
        accepts: impl Fn(LanguageId, u32) -> bool,
    ) -> Result<FxHashSet<ContentNumber>> {
        const ALL: &str = "SELECT language, version, number FROM content INDEXED BY content_by_id";
        let reader = self.database.read()?;
        let mut statement = reader.prepare_cached(ALL)?;
        let mut rows = statement.query([])?;
        let mut found = FxHashSet::default();
        while let Some(row) = rows.next()? {
            if accepts(LanguageId(row.get(0)?), row.get(1)?) {
                found.insert(ContentNumber(row.get(2)?));
            }
        }
        Ok(found)
    }

    /// Which of these are indexed, by whichever version of their extractor.
    pub fn find(&self, ids: &[(ContentId, LanguageId)]) -> Result<FoundContents> {
        /// From this many on, one scan of the index is cheaper than looking up each.
        const SCAN_FROM: usize = 400;
        const FIND: &str = "SELECT id, language, number, version FROM content WHERE id = ?1 AND language = ?2 ORDER BY version DESC LIMIT 1";
        // Rising versions: the newest is inserted last.
        const ALL: &str = "SELECT id, language, number, version FROM content INDEXED BY content_by_id ORDER BY id, language, version";
        let reader = self.database.read()?;
        let read = |row: &Row<'_>| {
            let key = (read_id(row, 0)?, LanguageId(row.get(1)?));
            Ok((key, (ContentNumber(row.get(2)?), row.get(3)?)))
        };
        if ids.len() >= SCAN_FROM {
            let all: FoundContents = sql::rows(&reader, ALL, [], read)?.into_iter().collect();
            let found = ids.iter().filter_map(|id| Some((*id, *all.get(id)?)));
            return Ok(found.collect());
        }
        let mut found = FoundContents::default();
        for (id, language) in ids {
            found.extend(sql::row(
                &reader,
                FIND,
                params![id.as_bytes(), language.0],
                read,
            )?);
        }
        Ok(found)
    }

    /// Contents with a symbol of this name, ascending.
    pub fn defining(&self, name: &str) -> Result<Vec<ContentNumber>> {
        const DEFINING: &str = "SELECT content FROM definition WHERE name = ?1 UNION ALL SELECT content FROM recent_definition WHERE name = ?1 ORDER BY content";
        sql::rows(&*self.database.read()?, DEFINING, [name], read_number)
    }

    /// Contents with a symbol of each of several names, with sketches of the symbols, which are
    /// absent where they cannot be read.
    pub fn sketches(
        &self,
        names: &[&str],
    ) -> Result<Vec<Vec<(ContentNumber, Option<Vec<SymbolSketch>>)>>> {
        const SKETCHES: &str = "SELECT content, sketches FROM definition WHERE name = ?1 UNION ALL SELECT content, sketches FROM recent_definition WHERE name = ?1 ORDER BY content";
        let reader = self.database.read()?;
        // All names in one state, which is taken once.
        let is_several = names.len() > 1;
        let _transaction = is_several
            .then(|| reader.unchecked_transaction())
            .transpose()?;
        let read = |row: &Row<'_>| {
            let sketches = row.get_ref(1)?.as_blob().unwrap_or(&[0xff]);
            Ok((read_number(row)?, SymbolSketch::read_all(sketches)))
        };
        let of_name = |name| sql::rows(&reader, SKETCHES, [name], read);
        names.iter().map(of_name).collect()
    }

    /// Contents in which this name is referred to, bound, imported, exported or defined, ascending.
    /// Very rarely one more.
    pub fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>> {
        const MENTIONING: &str = "SELECT content FROM mention WHERE name = ?1 UNION ALL SELECT content FROM recent_mention WHERE name = ?1 ORDER BY content";
        sql::rows(
            &*self.database.read()?,
            MENTIONING,
            [signed_key(name)],
            read_number,
        )
    }

    /// Calls `each` with every defined name that starts with `prefix` and each content that defines
    /// it, in order, until it returns false.
    pub fn definitions_from(
        &self,
        prefix: &str,
        mut each: impl FnMut(&str, ContentNumber) -> bool,
    ) -> Result<()> {
        let reader = self.database.read()?;
        let mut statement = reader.prepare_cached(
            "SELECT name, content FROM definition WHERE name >= ?1
             UNION ALL SELECT name, content FROM recent_definition WHERE name >= ?1 ORDER BY name, content",
        )?;
        let mut rows = statement.query([prefix])?;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            if !name.starts_with(prefix) || !each(name, ContentNumber(row.get(1)?)) {
                break;
            }
        }
        Ok(())
    }

    /// The bytes of a content that git does not hold.
    pub fn bytes(&self, id: &ContentId) -> Result<Option<Vec<u8>>> {
        let packed = packed(&*self.database.read()?, id)?;
        // A damaged text counts as missing; the reader compares the hash.
        Ok(packed.and_then(|packed| unpack(&packed)))
    }
}

/// What LZ4 packed, with its length before it. Other crates call it here: the code that unpacks is
/// made for each crate that calls LZ4 itself, as fast or as small as that crate is compiled.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    lz4_flex::decompress_size_prepended(packed).ok()
}

fn publish(connection: &Connection, batch: &Batch<'_>) -> Result<Vec<ContentNumber>> {
    for (id, reason) in batch.rejected {
        snapshots::reject(connection, id, *reason)?;
    }
    add(connection, batch.contents, batch.is_small)
}

pub(crate) fn record(connection: &Connection, number: ContentNumber) -> Result<Option<Vec<u8>>> {
    const RECORD: &str = "SELECT facts FROM content WHERE number = ?1";
    sql::row(connection, RECORD, [number.0], |row| row.get(0))
}

pub(crate) fn above(connection: &Connection, number: ContentNumber) -> Result<Vec<ContentNumber>> {
    const ABOVE: &str = "SELECT number FROM content WHERE number > ?1 ORDER BY number";
    sql::rows(connection, ABOVE, [number.0], read_number)
}

const ROW: &str = "number, id, language, version, len, lines, symbols, problem";

pub(crate) fn read_number(row: &Row<'_>) -> rusqlite::Result<ContentNumber> {
    Ok(ContentNumber(row.get(0)?))
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<ContentRow> {
    let id = FactsId {
        content: read_id(row, 1)?,
        language: LanguageId(row.get(2)?),
        extractor_version: row.get(3)?,
    };
    let problem = PROBLEMS
        .iter()
        .copied()
        .find(|(_, severity)| Ok(*severity) == row.get::<_, i64>(7))
        .map(|(kind, _)| kind);
    Ok(ContentRow {
        number: ContentNumber(row.get(0)?),
        id,
        len: row.get(4)?,
        lines: row.get(5)?,
        symbols: row.get(6)?,
        problem,
    })
}

fn read_id(row: &Row<'_>, column: usize) -> rusqlite::Result<ContentId> {
    let bytes = row.get_ref(column)?.as_blob()?;
    ContentId::from_bytes(bytes).ok_or(rusqlite::Error::InvalidQuery)
}

/// Removes contents for good. Their numbers stay unused.
fn packed(connection: &Connection, id: &ContentId) -> Result<Option<Vec<u8>>> {
    const PACKED: &str = "SELECT packed FROM bytes WHERE id = ?1";
    sql::row(connection, PACKED, [id.as_bytes()], |row| row.get(0))
}

/// The defined names, each with sketches of its symbols.
pub(crate) fn definitions(facts: &Facts) -> Vec<(&str, Vec<u8>)> {
    let mut symbols: Vec<(NameId, SymbolIndex)> = facts
        .symbols_with_index()
        .map(|(index, symbol)| (symbol.name, index))
        .collect();
    symbols.sort_unstable();
    let mut definitions = Vec::new();
    for same in symbols.chunk_by(|(a, _), (b, _)| a == b) {
        let name = facts.name(same[0].0);
        let mut sketches = Vec::with_capacity(6 * same.len());
        same.iter()
            .for_each(|(_, index)| SymbolSketch::of(facts, *index).write(&mut sketches));
        if !name.is_empty() {
            definitions.push((name, sketches));
        }
    }
    definitions
}

/// The keys of all names that are referred to, bound, imported, exported or defined.
pub(crate) fn mentions(facts: &Facts) -> Vec<i64> {
    let mut keys: Vec<i64> = facts
        .mentioned_names()
        .into_iter()
        .map(|name| signed_key(facts.name(name)))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn signed_key(name: &str) -> i64 {
    name_key(name).cast_signed()
}

/// The key of a mentioned name: FNV-1a, mixed, cut to 47 bits, which SQLite stores in six bytes.
/// Published packs have these keys too: it never changes.
pub fn name_key(name: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in name.as_bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash ^ (hash >> 29)) & ((1 << 47) - 1)
}

/// As written to disk; 0 is none.
const PROBLEMS: [(ProblemKind, i64); 5] = [
    (ProblemKind::Missing, 1),
    (ProblemKind::Syntax, 2),
    (ProblemKind::Encoding, 3),
    (ProblemKind::TooDeep, 4),
    (ProblemKind::Deadline, 5),
];

fn severity(kind: ProblemKind) -> i64 {
    PROBLEMS
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or(0, |(_, severity)| *severity)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A content that defines and mentions these names.
    fn content(id: u8, names: &[&str]) -> NewContent {
        let content = ContentId::from_bytes(&[id; 20]).unwrap();
        let id = FactsId {
            content,
            language: LanguageId(1),
            extractor_version: 1,
        };
        let mut content = NewContent::new(id, Facts::default(), None);
        content.definitions = names
            .iter()
            .map(|name| ((*name).to_owned(), Vec::new()))
            .collect();
        content.mentions = names.iter().map(|name| signed_key(name)).collect();
        content
    }

    #[test]
    fn names_are_found_in_the_small_tables_and_the_large_ones() {
        let store = Store::in_memory().unwrap();
        let add = |contents: &[NewContent], is_small| {
            let rejected = &[];
            let batch = Batch {
                contents,
                rejected,
                is_small,
            };
            store.publish(&batch).unwrap();
        };
        add(
            &[content(1, &["both", "many"]), content(2, &["many"])],
            false,
        );
        add(&[content(3, &["both", "few"])], true);
        add(&[content(4, &["both", "late"])], false);
        let found = || {
            let mut all = Vec::new();
            store
                .definitions_from("", |name, number| {
                    all.push(format!("{name} {}", number.0));
                    true
                })
                .unwrap();
            let numbers = |found: Result<Vec<ContentNumber>>| {
                found
                    .unwrap()
                    .into_iter()
                    .map(|number| number.0)
                    .collect::<Vec<_>>()
            };
            let sketched = store
                .sketches(&["both"])
                .unwrap()
                .remove(0)
                .into_iter()
                .map(|(number, _)| number.0)
                .collect();
            (
                all,
                numbers(store.defining("both")),
                numbers(store.mentioning("both")),
                sketched,
            )
        };
        let all = [
            "both 1", "both 3", "both 4", "few 3", "late 4", "many 1", "many 2",
        ]
        .map(str::to_owned)
        .to_vec();
        let both = vec![1, 3, 4];
        assert_eq!(found(), (all, both.clone(), both.clone(), both));
        let before = found();
        let n_recent = || n_recent(&store.database.read().unwrap()).unwrap();
        assert_eq!(n_recent(), 2);
        let fold = || {
            store
                .database
                .write(|connection| fold_recent(connection, 1))
                .unwrap()
        };
        while fold() {
            assert_eq!(found(), before);
        }
        assert_eq!((n_recent(), found()), (0, before));
    }
}
