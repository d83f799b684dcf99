//! Working trees as they were last read: what a file's metadata said, and which content it had.

use facts::{ContentNumber, FileState, LanguageId, RepoPath, SkipReason};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{Result, clock};

/// A working tree of the family, as the store counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorktreeNumber(pub i64);

/// What tells without reading that a file was not written to. Times in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stat {
    pub size: u64,
    pub mtime: i64,
    pub ctime: i64,
    pub inode: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveFile {
    pub stat: Stat,
    /// It was read in the clock tick in which it was written: the same metadata may belong to other
    /// bytes.
    pub racy: bool,
    pub state: FileState,
}

impl LiveFile {
    pub const GONE: LiveFile = LiveFile {
        stat: Stat {
            size: 0,
            mtime: 0,
            ctime: 0,
            inode: 0,
        },
        racy: false,
        state: FileState::Gone,
    };
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    pub number: WorktreeNumber,
    /// Every file was taken in at least once.
    pub complete: bool,
    /// When it was last synced, in milliseconds; 0 for never.
    pub synced: i64,
    /// The commit that was checked out then.
    pub head: Option<Vec<u8>>,
}

pub(crate) fn worktree(connection: &Connection, root: &str) -> Result<Option<Worktree>> {
    let mut statement = connection
        .prepare_cached("SELECT number, complete, synced, head FROM worktree WHERE root = ?1")?;
    let found = statement.query_row([root], |row| {
        Ok(Worktree {
            number: WorktreeNumber(row.get(0)?),
            complete: row.get(1)?,
            synced: row.get(2)?,
            head: row.get(3)?,
        })
    });
    Ok(found.optional()?)
}

pub(crate) fn add_worktree(connection: &Connection, root: &str) -> Result<WorktreeNumber> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO worktree (root) VALUES (?1)")?
        .execute([root])?;
    let number = connection
        .prepare_cached("SELECT number FROM worktree WHERE root = ?1")?
        .query_row([root], |row| row.get(0))?;
    Ok(WorktreeNumber(number))
}

pub(crate) fn worktrees(connection: &Connection) -> Result<Vec<(String, WorktreeNumber)>> {
    let mut statement =
        connection.prepare_cached("SELECT root, number FROM worktree ORDER BY root")?;
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, WorktreeNumber(row.get(1)?))))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(rows)
}

pub(crate) fn remove_worktree(connection: &Connection, worktree: WorktreeNumber) -> Result<()> {
    connection.execute("DELETE FROM live WHERE worktree = ?1", [worktree.0])?;
    connection.execute("DELETE FROM worktree WHERE number = ?1", [worktree.0])?;
    Ok(())
}

/// Whether the tree was marked so a moment ago.
pub(crate) fn is_synced(
    connection: &Connection,
    worktree: WorktreeNumber,
    head: Option<&[u8]>,
) -> Result<bool> {
    const MOMENT_MS: i64 = 1000;
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM worktree WHERE number = ?1 AND complete AND head IS ?2 AND abs(?3 - synced) < ?4")?;
    Ok(statement.exists(params![worktree.0, head, clock::now_ms(), MOMENT_MS])?)
}

pub(crate) fn mark_synced(
    connection: &Connection,
    worktree: WorktreeNumber,
    head: Option<&[u8]>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "UPDATE worktree SET complete = 1, synced = ?2, head = ?3 WHERE number = ?1",
    )?;
    statement.execute(params![worktree.0, clock::now_ms(), head])?;
    Ok(())
}

pub(crate) fn files(
    connection: &Connection,
    worktree: WorktreeNumber,
) -> Result<Vec<(RepoPath, LiveFile)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {FILE}, path FROM live WHERE worktree = ?1 ORDER BY path"
    ))?;
    let mut rows = statement.query([worktree.0])?;
    let mut files = Vec::new();
    while let Some(row) = rows.next()? {
        if let Some(file) = read_file(row)? {
            files.push((row.get::<_, String>(8)?.into(), file));
        }
    }
    Ok(files)
}

const FILE: &str = "size, mtime, ctime, inode, racy, content, language, reason";

/// `None` where a later version wrote what this one does not know.
fn read_file(row: &Row<'_>) -> rusqlite::Result<Option<LiveFile>> {
    let stat = Stat {
        size: row.get::<_, i64>(0)? as u64,
        mtime: row.get(1)?,
        ctime: row.get(2)?,
        inode: row.get::<_, i64>(3)? as u64,
    };
    let state = match row.get::<_, Option<u32>>(5)? {
        Some(content) => FileState::Indexed {
            content: ContentNumber(content),
            language: LanguageId(row.get::<_, Option<u16>>(6)?.unwrap_or(0)),
        },
        None => match SkipReason::from_number(row.get::<_, Option<u8>>(7)?.unwrap_or(0)) {
            Some(reason) => FileState::Skipped(reason),
            None => return Ok(None),
        },
    };
    Ok(Some(LiveFile {
        stat,
        racy: row.get(4)?,
        state,
    }))
}

fn file(connection: &Connection, worktree: WorktreeNumber, path: &str) -> Result<LiveFile> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {FILE} FROM live WHERE worktree = ?1 AND path = ?2"
    ))?;
    let found = statement
        .query_row(params![worktree.0, path], read_file)
        .optional()?;
    Ok(found.flatten().unwrap_or(LiveFile::GONE))
}

/// Whether the tree is already as these changes would make it.
pub(crate) fn holds(
    connection: &Connection,
    worktree: WorktreeNumber,
    changes: &[(RepoPath, LiveFile)],
) -> Result<bool> {
    for (path, changed) in changes {
        if file(connection, worktree, path.as_str())? != *changed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes what changed; a file that is gone is removed. A file that has another content than
/// before, or came or went, makes a new generation.
pub(crate) fn update(
    connection: &Connection,
    worktree: WorktreeNumber,
    changes: &[(RepoPath, LiveFile)],
) -> Result<()> {
    let mut put = connection.prepare_cached(
        "INSERT OR REPLACE INTO live (worktree, path, size, mtime, ctime, inode, racy, content, language, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let mut delete =
        connection.prepare_cached("DELETE FROM live WHERE worktree = ?1 AND path = ?2")?;
    let mut is_new = false;
    for (path, changed) in changes {
        let path = path.as_str();
        // The first difference decides.
        if !is_new {
            let former = file(connection, worktree, path)?;
            if former == *changed {
                continue;
            }
            is_new = former.state.content() != changed.state.content();
        }
        let LiveFile { stat, racy, state } = changed;
        let (content, language, reason) = match state {
            FileState::Indexed { content, language } => (Some(content.0), Some(language.0), None),
            FileState::Skipped(reason) => (None, None, Some(*reason as u8)),
            FileState::Gone => {
                delete.execute(params![worktree.0, path])?;
                continue;
            }
        };
        put.execute(params![
            worktree.0,
            path,
            stat.size as i64,
            stat.mtime,
            stat.ctime,
            stat.inode as i64,
            racy,
            content,
            language,
            reason
        ])?;
    }
    if is_new {
        next_generation(connection)?;
    }
    Ok(())
}

pub(crate) fn generation(connection: &Connection) -> Result<u64> {
    let number = connection
        .prepare_cached("SELECT number FROM generation")?
        .query_row([], |row| row.get::<_, i64>(0))?;
    Ok(number as u64)
}

pub(crate) fn next_generation(connection: &Connection) -> Result<u64> {
    connection
        .prepare_cached("UPDATE generation SET number = number + 1")?
        .execute([])?;
    generation(connection)
}
