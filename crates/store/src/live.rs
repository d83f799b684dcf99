//! Working trees as they were last read: what a file's metadata said, and which content it had.

use facts::{ContentNumber, FileState, LanguageId, RepoPath, SkipReason};
use rusqlite::{Connection, Row, params};

use crate::{Result, Store, clock, sql};

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
    /// Every file was indexed at least once.
    pub complete: bool,
    /// When it was last synced, in milliseconds; 0 for never.
    pub synced: i64,
    /// The commit that was checked out then.
    pub head: Option<Vec<u8>>,
}

impl Store {
    /// The working tree with this root, which is added if it is new.
    pub fn worktree(&self, root: &str) -> Result<Worktree> {
        const FIND: &str = "SELECT number, complete, synced, head FROM worktree WHERE root = ?1";
        let read = |row: &Row<'_>| {
            Ok(Worktree {
                number: WorktreeNumber(row.get(0)?),
                complete: row.get(1)?,
                synced: row.get(2)?,
                head: row.get(3)?,
            })
        };
        if let Some(worktree) = sql::row(&*self.database.read()?, FIND, [root], read)? {
            return Ok(worktree);
        }
        self.database.write(|connection| {
            const ADD: &str = "INSERT OR IGNORE INTO worktree (root) VALUES (?1)";
            sql::execute(connection, ADD, [root])?;
            Ok(connection.query_row(FIND, [root], read)?)
        })
    }

    pub fn worktrees(&self) -> Result<Vec<(String, WorktreeNumber)>> {
        const LIST: &str = "SELECT root, number FROM worktree ORDER BY root";
        sql::rows(&*self.database.read()?, LIST, [], |row| {
            Ok((row.get(0)?, WorktreeNumber(row.get(1)?)))
        })
    }

    pub fn remove_worktree(&self, worktree: WorktreeNumber) -> Result<()> {
        self.database.write(|connection| {
            connection.execute("DELETE FROM live WHERE worktree = ?1", [worktree.0])?;
            connection.execute("DELETE FROM worktree WHERE number = ?1", [worktree.0])?;
            Ok(())
        })
    }

    /// A number that grows with every change to the files of any working tree, in the transaction
    /// that publishes the change. Two reads of the same number, in whatever process, see the
    /// same files.
    pub fn generation(&self) -> Result<u64> {
        generation(&*self.database.read()?)
    }

    /// A generation of its own, for what changes without the files.
    pub fn next_generation(&self) -> Result<u64> {
        self.database.write(|connection| {
            raise_generation(connection)?;
            generation(connection)
        })
    }

    pub fn live_files(&self, worktree: WorktreeNumber) -> Result<Vec<(RepoPath, LiveFile)>> {
        let list = format!("SELECT {FILE}, path FROM live WHERE worktree = ?1 ORDER BY path");
        let files = sql::rows(&*self.database.read()?, &list, [worktree.0], |row| {
            Ok((row.get::<_, String>(8)?, read_file(row)?))
        })?;
        let known = |(path, file): (String, Option<LiveFile>)| Some((path.into(), file?));
        Ok(files.into_iter().filter_map(known).collect())
    }

    /// Notes that every file of a working tree was indexed, unless someone did a moment ago.
    pub fn mark_synced(&self, worktree: WorktreeNumber, head: Option<&[u8]>) -> Result<()> {
        const MOMENT_MS: i64 = 1000;
        const IS_MARKED: &str = "SELECT 1 FROM worktree WHERE number = ?1 AND complete AND head IS ?2 AND abs(?3 - synced) < ?4";
        const MARK: &str =
            "UPDATE worktree SET complete = 1, head = ?2, synced = ?3 WHERE number = ?1";
        let (number, now) = (worktree.0, clock::now_ms());
        let marked = params![number, head, now, MOMENT_MS];
        if sql::row(&*self.database.read()?, IS_MARKED, marked, |_| Ok(()))?.is_some() {
            return Ok(());
        }
        self.database
            .write(|connection| sql::execute(connection, MARK, params![number, head, now]))?;
        Ok(())
    }
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
    let find = format!("SELECT {FILE} FROM live WHERE worktree = ?1 AND path = ?2");
    let found = sql::row(connection, &find, params![worktree.0, path], read_file)?;
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
    match is_new {
        true => raise_generation(connection),
        false => Ok(()),
    }
}

fn generation(connection: &Connection) -> Result<u64> {
    let number = sql::row(connection, "SELECT number FROM generation", [], |row| {
        row.get::<_, i64>(0)
    })?;
    Ok(number.unwrap_or(0) as u64)
}

fn raise_generation(connection: &Connection) -> Result<()> {
    sql::execute(connection, "UPDATE generation SET number = number + 1", [])?;
    Ok(())
}
