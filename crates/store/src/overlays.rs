//! Overlays: a base commit and what differs from it, kept until deleted.

use facts::{ContentNumber, FileState, LanguageId, RepoPath};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{Result, clock};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    number: i64,
    /// As the client named it.
    pub id: String,
    /// Root of the working tree whose edits it takes in.
    pub worktree: String,
    /// The commit it stands on.
    pub base: Vec<u8>,
    /// Rises with every change.
    pub revision: u64,
    /// Milliseconds since 1970.
    pub created: i64,
    pub accessed: i64,
}

/// Makes an overlay, or resets the one of this name to a base without changes.
pub(crate) fn create(
    connection: &Connection,
    id: &str,
    worktree: &str,
    base: &[u8],
) -> Result<Overlay> {
    if let Some(former) = get(connection, id, worktree)? {
        delete(connection, &former)?;
    }
    let now = clock::now_ms();
    let mut statement = connection
        .prepare_cached("INSERT INTO overlay (id, worktree, base, revision, created, accessed) VALUES (?1, ?2, ?3, 0, ?4, ?4)")?;
    statement.execute(params![key(id, worktree), worktree, base, now])?;
    let number = connection.last_insert_rowid();
    Ok(Overlay {
        number,
        id: id.to_owned(),
        worktree: worktree.to_owned(),
        base: base.to_vec(),
        revision: 0,
        created: now,
        accessed: now,
    })
}

pub(crate) fn get(connection: &Connection, id: &str, worktree: &str) -> Result<Option<Overlay>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM overlay WHERE id = ?1"))?;
    Ok(statement.query_row([key(id, worktree)], read).optional()?)
}

pub(crate) fn list(connection: &Connection, worktree: &str) -> Result<Vec<Overlay>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM overlay WHERE worktree = ?1 ORDER BY created, number"
    ))?;
    let overlays = statement
        .query_map([worktree], read)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(overlays)
}

/// What differs from the base, by path: an indexed file, or one that the overlay removes.
pub(crate) fn files(
    connection: &Connection,
    overlay: &Overlay,
) -> Result<Vec<(RepoPath, FileState)>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, content, language FROM overlay_file WHERE overlay = ?1 ORDER BY path",
    )?;
    let mut rows = statement.query([overlay.number])?;
    let mut files = Vec::new();
    while let Some(row) = rows.next()? {
        let state = match row.get::<_, Option<u32>>(1)? {
            Some(content) => FileState::Indexed {
                content: ContentNumber(content),
                language: LanguageId(row.get::<_, Option<u16>>(2)?.unwrap_or(0)),
            },
            None => FileState::Gone,
        };
        files.push((row.get::<_, String>(0)?.into(), state));
    }
    Ok(files)
}

/// Makes `files` all that differs from the base. The revision rises if that changes anything.
pub(crate) fn replace_files(
    connection: &Connection,
    overlay: &Overlay,
    files: &[(RepoPath, FileState)],
) -> Result<Overlay> {
    let mut overlay =
        get(connection, &overlay.id, &overlay.worktree)?.unwrap_or_else(|| overlay.clone());
    if self::files(connection, &overlay)? != files {
        overlay.revision += 1;
        connection.execute(
            "DELETE FROM overlay_file WHERE overlay = ?1",
            [overlay.number],
        )?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO overlay_file (overlay, path, content, language) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (path, state) in files {
            let content = state.content();
            insert.execute(params![
                overlay.number,
                path.as_str(),
                content.map(|(content, _)| content.0),
                content.map(|(_, language)| language.0)
            ])?;
        }
    }
    overlay.accessed = clock::now_ms();
    let mut statement = connection
        .prepare_cached("UPDATE overlay SET revision = ?2, accessed = ?3 WHERE number = ?1")?;
    statement.execute(params![
        overlay.number,
        overlay.revision as i64,
        overlay.accessed
    ])?;
    Ok(overlay)
}

pub(crate) fn delete(connection: &Connection, overlay: &Overlay) -> Result<()> {
    connection.execute(
        "DELETE FROM overlay_file WHERE overlay = ?1",
        [overlay.number],
    )?;
    connection.execute("DELETE FROM overlay WHERE number = ?1", [overlay.number])?;
    Ok(())
}

const COLUMNS: &str = "number, id, worktree, base, revision, created, accessed";

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Overlay> {
    let id: String = row.get(1)?;
    Ok(Overlay {
        number: row.get(0)?,
        id: id
            .split_once('\0')
            .map_or_else(|| id.clone(), |(_, id)| id.to_owned()),
        worktree: row.get(2)?,
        base: row.get(3)?,
        revision: row.get::<_, i64>(4)? as u64,
        created: row.get(5)?,
        accessed: row.get(6)?,
    })
}

/// Overlays of one name in two working trees are two.
fn key(id: &str, worktree: &str) -> String {
    format!("{worktree}\0{id}")
}
