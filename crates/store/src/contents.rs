//! Contents: the facts of each, and which names each defines and mentions.

use facts::{
    ContentId, ContentNumber, Facts, FactsId, LanguageId, NameId, ProblemKind, SymbolIndex,
    SymbolSketch,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Error, Result};

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
            packed: bytes.map(pack),
            record: facts::encode_owned(facts),
        }
    }

    pub fn id(&self) -> FactsId {
        self.id
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
pub(crate) fn published(
    connection: &Connection,
    contents: &[NewContent],
) -> Result<Option<Vec<ContentNumber>>> {
    let mut find = connection.prepare_cached(FIND)?;
    let mut numbers = Vec::with_capacity(contents.len());
    for content in contents {
        let FactsId {
            content: id,
            language,
            extractor_version,
        } = content.id;
        if content.packed.is_some() && !has_bytes(connection, &id)? {
            return Ok(None);
        }
        match find
            .query_row(
                params![id.as_bytes(), language.0, extractor_version],
                |row| row.get(0),
            )
            .optional()?
        {
            Some(number) => numbers.push(ContentNumber(number)),
            None => return Ok(None),
        }
    }
    Ok(Some(numbers))
}

const FIND: &str = "SELECT number FROM content WHERE id = ?1 AND language = ?2 AND version = ?3";

/// Publishes contents; those that are there already keep their number. Returns the numbers in the
/// given order. Where `are_few`, as those of an edit are, their names stand apart from those of the
/// many.
pub(crate) fn add(
    connection: &Connection,
    contents: &[NewContent],
    are_few: bool,
) -> Result<Vec<ContentNumber>> {
    let mut find = connection.prepare_cached(FIND)?;
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
        let known: Option<u32> = find
            .query_row(
                params![id.as_bytes(), language.0, extractor_version],
                |row| row.get(0),
            )
            .optional()?;
        if let Some(number) = known {
            numbers.push(ContentNumber(number));
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

/// Rows of mentions that stand apart.
pub(crate) fn n_recent(connection: &Connection) -> Result<u64> {
    Ok(connection
        .prepare_cached("SELECT count(*) FROM recent_mention")?
        .query_row([], |row| row.get::<_, i64>(0))? as u64)
}

/// Moves up to `n` rows of each kind to where those of the many are. Returns false if there were
/// none.
pub(crate) fn fold_recent(connection: &Connection, n: u32) -> Result<bool> {
    let mut is_moved = false;
    for table in ["definition", "mention"] {
        // In order of name: each page of the large table is visited once.
        let some = format!("FROM recent_{table} ORDER BY name, content LIMIT ?1");
        connection
            .prepare_cached(&format!("INSERT OR IGNORE INTO {table} SELECT * {some}"))?
            .execute([n])?;
        let delete = format!(
            "DELETE FROM recent_{table} WHERE (name, content) IN (SELECT name, content {some})"
        );
        is_moved |= connection.prepare_cached(&delete)?.execute([n])? > 0;
    }
    Ok(is_moved)
}

/// Writes the record of a content again, after it was found damaged.
pub(crate) fn replace_record(
    connection: &Connection,
    number: ContentNumber,
    facts: &Facts,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE content SET facts = ?2 WHERE number = ?1")?
        .execute(params![number.0, facts::encode(facts)])?;
    Ok(())
}

pub(crate) fn record(connection: &Connection, number: ContentNumber) -> Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT facts FROM content WHERE number = ?1")?;
    Ok(statement
        .query_row([number.0], |row| row.get(0))
        .optional()?)
}

const ROW: &str = "number, id, language, version, len, lines, symbols, problem";

pub(crate) fn row(connection: &Connection, number: ContentNumber) -> Result<Option<ContentRow>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {ROW} FROM content WHERE number = ?1"))?;
    Ok(statement.query_row([number.0], read_row).optional()?)
}

/// Rows of all contents, by number.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<ContentRow>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {ROW} FROM content ORDER BY number"))?;
    let rows = statement
        .query_map([], read_row)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(rows)
}

pub(crate) fn any(connection: &Connection) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM content")?
        .exists([])?)
}

pub(crate) fn above(connection: &Connection, number: ContentNumber) -> Result<Vec<ContentNumber>> {
    let mut statement = connection
        .prepare_cached("SELECT number FROM content WHERE number > ?1 ORDER BY number")?;
    let numbers = statement
        .query_map([number.0], |row| Ok(ContentNumber(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(numbers)
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

pub(crate) fn read_id(row: &Row<'_>, column: usize) -> rusqlite::Result<ContentId> {
    let bytes = row.get_ref(column)?.as_blob()?;
    ContentId::from_bytes(bytes).ok_or(rusqlite::Error::InvalidQuery)
}

/// Contents by language and extractor version, read from the index alone.
pub(crate) fn filter(
    connection: &Connection,
    accepts: impl Fn(LanguageId, u32) -> bool,
) -> Result<FxHashSet<ContentNumber>> {
    let mut statement = connection
        .prepare_cached("SELECT language, version, number FROM content INDEXED BY content_by_id")?;
    let mut rows = statement.query([])?;
    let mut found = FxHashSet::default();
    while let Some(row) = rows.next()? {
        if accepts(LanguageId(row.get(0)?), row.get(1)?) {
            found.insert(ContentNumber(row.get(2)?));
        }
    }
    Ok(found)
}

/// The newest facts of each content asked for, whatever their extractor's version: (number,
/// version).
pub(crate) fn find(
    connection: &Connection,
    ids: &[(ContentId, LanguageId)],
) -> Result<FxHashMap<(ContentId, LanguageId), (ContentNumber, u32)>> {
    /// Above this share of lookups one scan of the index is cheaper.
    const SCAN_FROM: usize = 400;
    let mut found = FxHashMap::default();
    if ids.len() < SCAN_FROM {
        let mut statement = connection
            .prepare_cached("SELECT number, version FROM content WHERE id = ?1 AND language = ?2 ORDER BY version DESC LIMIT 1")?;
        for (id, language) in ids {
            let known = statement
                .query_row(params![id.as_bytes(), language.0], |row| {
                    Ok((ContentNumber(row.get(0)?), row.get(1)?))
                })
                .optional()?;
            if let Some(known) = known {
                found.insert((*id, *language), known);
            }
        }
        return Ok(found);
    }
    let mut all: FxHashMap<(ContentId, LanguageId), (ContentNumber, u32)> = FxHashMap::default();
    // Rising versions: the newest is written last.
    let mut statement = connection
        .prepare_cached("SELECT id, language, version, number FROM content INDEXED BY content_by_id ORDER BY id, language, version")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        all.insert(
            (read_id(row, 0)?, LanguageId(row.get(1)?)),
            (ContentNumber(row.get(3)?), row.get(2)?),
        );
    }
    for key in ids {
        if let Some(known) = all.get(key) {
            found.insert(*key, *known);
        }
    }
    Ok(found)
}

pub(crate) fn defining(connection: &Connection, name: &str) -> Result<Vec<ContentNumber>> {
    let mut statement = connection.prepare_cached(
        "SELECT content FROM definition WHERE name = ?1 UNION ALL SELECT content FROM recent_definition WHERE name = ?1 ORDER BY content",
    )?;
    let numbers = statement
        .query_map([name], |row| Ok(ContentNumber(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(numbers)
}

/// The same for each of several names, with sketches of the symbols; absent where they cannot be
/// read.
pub(crate) fn sketches(
    connection: &Connection,
    names: &[&str],
) -> Result<Vec<Vec<(ContentNumber, Option<Vec<SymbolSketch>>)>>> {
    // All names in one state, which is taken once.
    let _transaction = if names.len() > 1 {
        Some(connection.unchecked_transaction()?)
    } else {
        None
    };
    let mut statement = connection.prepare_cached(
        "SELECT content, sketches FROM definition WHERE name = ?1
         UNION ALL SELECT content, sketches FROM recent_definition WHERE name = ?1 ORDER BY content",
    )?;
    let read = |row: &Row<'_>| {
        Ok((
            ContentNumber(row.get(0)?),
            SymbolSketch::read_all(row.get_ref(1)?.as_blob().unwrap_or(&[0xff])),
        ))
    };
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        all.push(
            statement
                .query_map([name], read)?
                .collect::<rusqlite::Result<_>>()?,
        );
    }
    Ok(all)
}

pub(crate) fn mentioning(connection: &Connection, name: &str) -> Result<Vec<ContentNumber>> {
    let mut statement = connection.prepare_cached(
        "SELECT content FROM mention WHERE name = ?1 UNION ALL SELECT content FROM recent_mention WHERE name = ?1 ORDER BY content",
    )?;
    let numbers = statement
        .query_map([name_key(name)], |row| Ok(ContentNumber(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(numbers)
}

/// Calls `each` with every defined name that starts with `prefix` and a content that defines it, in
/// order of name.
pub(crate) fn definitions_from(
    connection: &Connection,
    prefix: &str,
    mut each: impl FnMut(&str, ContentNumber) -> bool,
) -> Result<()> {
    let mut statement = connection.prepare_cached(
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

/// Removes contents for good. Their numbers stay unused.
pub(crate) fn remove(connection: &Connection, numbers: &[ContentNumber]) -> Result<()> {
    let mut delete_definition =
        connection.prepare_cached("DELETE FROM definition WHERE name = ?1 AND content = ?2")?;
    let mut delete_mention =
        connection.prepare_cached("DELETE FROM mention WHERE name = ?1 AND content = ?2")?;
    let mut delete_recent_definition = connection
        .prepare_cached("DELETE FROM recent_definition WHERE name = ?1 AND content = ?2")?;
    let mut delete_recent_mention =
        connection.prepare_cached("DELETE FROM recent_mention WHERE name = ?1 AND content = ?2")?;
    let mut delete = connection.prepare_cached("DELETE FROM content WHERE number = ?1")?;
    for &number in numbers {
        // What a damaged record does not tell stays behind: a number that no snapshot names.
        if let Some(facts) =
            record(connection, number)?.and_then(|record| facts::decode(&record).ok())
        {
            for (name, _) in definitions(&facts) {
                if delete_recent_definition.execute(params![name, number.0])? == 0 {
                    delete_definition.execute(params![name, number.0])?;
                }
            }
            for name in mentions(&facts) {
                if delete_recent_mention.execute(params![name, number.0])? == 0 {
                    delete_mention.execute(params![name, number.0])?;
                }
            }
        }
        delete.execute([number.0])?;
    }
    connection.execute(
        "DELETE FROM bytes WHERE id NOT IN (SELECT id FROM content)",
        [],
    )?;
    Ok(())
}

pub(crate) fn bytes(connection: &Connection, id: &ContentId) -> Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT packed FROM bytes WHERE id = ?1")?;
    let packed: Option<Vec<u8>> = statement
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?;
    // A damaged text is as good as none; whoever reads it compares the hash.
    Ok(packed.and_then(|packed| lz4_flex::decompress_size_prepended(&packed).ok()))
}

fn has_bytes(connection: &Connection, id: &ContentId) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM bytes WHERE id = ?1")?
        .exists([id.as_bytes()])?)
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::compress_prepend_size(bytes)
}

/// The defined names, each with sketches of its symbols.
fn definitions(facts: &Facts) -> Vec<(&str, Vec<u8>)> {
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
fn mentions(facts: &Facts) -> Vec<i64> {
    let mut keys: Vec<i64> = facts
        .mentioned_names()
        .into_iter()
        .map(|name| name_key(facts.name(name)))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// FNV-1a, mixed, cut to 47 bits: what SQLite stores in six bytes.
fn name_key(name: &str) -> i64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in name.as_bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    ((hash ^ (hash >> 29)) & ((1 << 47) - 1)) as i64
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
    use crate::database::Database;

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
        content.mentions = names.iter().map(|name| name_key(name)).collect();
        content
    }

    #[test]
    fn names_are_found_wherever_they_stand() {
        let database = Database::in_memory().unwrap();
        let add = |contents: &[NewContent], are_few| {
            database
                .write(|connection| add(connection, contents, are_few))
                .unwrap()
        };
        add(
            &[content(1, &["both", "many"]), content(2, &["many"])],
            false,
        );
        add(&[content(3, &["both", "few"])], true);
        add(&[content(4, &["both", "late"])], false);
        let found = || {
            let reader = database.read().unwrap();
            let mut all = Vec::new();
            definitions_from(&reader, "", |name, number| {
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
            let sketched = sketches(&reader, &["both"])
                .unwrap()
                .remove(0)
                .into_iter()
                .map(|(number, _)| number.0)
                .collect();
            (
                all,
                numbers(defining(&reader, "both")),
                numbers(mentioning(&reader, "both")),
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
        assert_eq!(n_recent(&database.read().unwrap()).unwrap(), 2);
        let fold = || {
            database
                .write(|connection| fold_recent(connection, 1))
                .unwrap()
        };
        while fold() {
            assert_eq!(found(), before);
        }
        assert_eq!(
            (n_recent(&database.read().unwrap()).unwrap(), found()),
            (0, before)
        );
    }
}
