//! The tables, and what happens to a file that has others.

use rusqlite::Connection;

use crate::Result;

/// 1: first version. 2: definitions with sketches of their symbols. 3: names of contents that came
/// a few at a time are neighbours.
pub const SCHEMA_VERSION: i64 = 3;

/// `code` in ASCII: tells our file from any other SQLite file.
pub const APPLICATION_ID: i64 = 0x636f_6465;

pub const PAGE_SIZE: u32 = 8192;

pub fn create(connection: &Connection) -> Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         {TABLES}
         {GENERATION}
         {JOB_COUNTS}
         {JOB_ERROR_KIND}
         {IDENTITY}
         PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {SCHEMA_VERSION};
         COMMIT;"
    ))?;
    Ok(())
}

const TABLES: &str = "
-- AUTOINCREMENT: a number is never given twice, not even after its content was collected.
CREATE TABLE content (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL,
    language INTEGER NOT NULL,
    version INTEGER NOT NULL,
    len INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    problem INTEGER NOT NULL,
    facts BLOB NOT NULL
);
CREATE UNIQUE INDEX content_by_id ON content (id, language, version);

-- `sketches` tells the symbols of the name in the content apart.
CREATE TABLE definition (
    name TEXT NOT NULL,
    content INTEGER NOT NULL,
    sketches BLOB NOT NULL,
    PRIMARY KEY (name, content)
) WITHOUT ROWID;
-- `name` is a 47-bit hash: half the size of the words, and a false match is only one content more to look into.
CREATE TABLE mention (name INTEGER NOT NULL, content INTEGER NOT NULL, PRIMARY KEY (name, content)) WITHOUT ROWID;
-- The same of contents that came a few at a time, as edits do. The names of one file are spread over all of a large table, so that an edit
-- would write a page for each of them; here they are a handful of pages, and mostly those of the edit before.
CREATE TABLE recent_definition (
    name TEXT NOT NULL,
    content INTEGER NOT NULL,
    sketches BLOB NOT NULL,
    PRIMARY KEY (name, content)
) WITHOUT ROWID;
CREATE TABLE recent_mention (name INTEGER NOT NULL, content INTEGER NOT NULL, PRIMARY KEY (name, content)) WITHOUT ROWID;

-- Bytes that git does not hold, compressed. Keyed by the id of the bytes: several contents may share them.
CREATE TABLE bytes (id BLOB NOT NULL UNIQUE, packed BLOB NOT NULL);

-- Bytes that were looked at and are not indexed, whatever their path.
CREATE TABLE rejected (id BLOB NOT NULL PRIMARY KEY, reason INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE snapshot (
    revision BLOB NOT NULL PRIMARY KEY,
    files BLOB NOT NULL,
    skipped BLOB NOT NULL,
    created INTEGER NOT NULL,
    accessed INTEGER NOT NULL
);

CREATE TABLE worktree (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    root TEXT NOT NULL UNIQUE,
    complete INTEGER NOT NULL DEFAULT 0,
    synced INTEGER NOT NULL DEFAULT 0,
    head BLOB
);
-- A file of a working tree as it was last read; `content` is absent when it was skipped, `reason` then says why.
CREATE TABLE live (
    worktree INTEGER NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    ctime INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    racy INTEGER NOT NULL,
    content INTEGER,
    language INTEGER,
    reason INTEGER,
    PRIMARY KEY (worktree, path)
) WITHOUT ROWID;

CREATE TABLE overlay (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    worktree TEXT NOT NULL,
    base BLOB NOT NULL,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL,
    accessed INTEGER NOT NULL
);
-- `content` is absent for a file that the overlay removes.
CREATE TABLE overlay_file (
    overlay INTEGER NOT NULL,
    path TEXT NOT NULL,
    content INTEGER,
    language INTEGER,
    PRIMARY KEY (overlay, path)
) WITHOUT ROWID;

CREATE TABLE job (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    worktree TEXT NOT NULL,
    target TEXT NOT NULL,
    mode TEXT NOT NULL,
    state TEXT NOT NULL,
    total INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0,
    extracted INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    holder TEXT NOT NULL,
    started INTEGER NOT NULL,
    finished INTEGER
);

CREATE TABLE saving (key TEXT NOT NULL PRIMARY KEY, amount REAL NOT NULL) WITHOUT ROWID;
";

/// Grows with every change to the files of a working tree, and never shrinks: one row. Not a new
/// version of the schema, since a file without it lacks nothing that must be read again.
const GENERATION: &str = "
CREATE TABLE IF NOT EXISTS generation (number INTEGER NOT NULL);
INSERT INTO generation SELECT 0 WHERE NOT EXISTS (SELECT * FROM generation);
";

/// What a job counts besides files; no new version for the same reason.
const JOB_COUNTS: &str = "
ALTER TABLE job ADD COLUMN symbols INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
";

/// What kind of error ended a job; absent for errors that a former release wrote.
const JOB_ERROR_KIND: &str = "ALTER TABLE job ADD COLUMN error_kind TEXT;";

/// Tells this file from every other at the same path, before and after it: their numbers mean other
/// contents. One row.
const IDENTITY: &str = "
CREATE TABLE identity (id TEXT NOT NULL);
INSERT INTO identity SELECT lower(hex(randomblob(8)));
";

/// Adds what a file of this version was made without.
pub fn complete(connection: &Connection) -> Result<()> {
    let has_generation = "SELECT count(*) FROM sqlite_schema WHERE name = 'generation'";
    let has_job_counts = "SELECT count(*) FROM pragma_table_info('job') WHERE name = 'changed'";
    let has_error_kind = "SELECT count(*) FROM pragma_table_info('job') WHERE name = 'error_kind'";
    let has_identity = "SELECT count(*) FROM sqlite_schema WHERE name = 'identity'";
    for (has_it, addition) in [
        (has_generation, GENERATION),
        (has_job_counts, JOB_COUNTS),
        (has_error_kind, JOB_ERROR_KIND),
        (has_identity, IDENTITY),
    ] {
        let is_missing = || {
            Ok::<_, crate::Error>(
                connection.query_row(has_it, [], |row| row.get::<_, i64>(0))? == 0,
            )
        };
        if is_missing()? {
            connection.execute_batch("BEGIN IMMEDIATE;")?;
            // Another process may have been quicker.
            let added = if is_missing()? {
                connection.execute_batch(addition)
            } else {
                Ok(())
            };
            connection.execute_batch(if added.is_ok() {
                "COMMIT;"
            } else {
                "ROLLBACK;"
            })?;
            added?;
        }
    }
    Ok(())
}
