//! Overlays: a base commit and what differs from it, kept until deleted.

use facts::{ContentNumber, FileState, LanguageId, RepoPath};
use rusqlite::{Connection, params};

use crate::{Result, Store, clock, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayRow {
    number: i64,
    /// As the client named it.
    pub id: String,
    /// Root of the working tree whose edits it holds.
    pub worktree: String,
    /// The commit it is based on.
    pub base: Vec<u8>,
    /// Rises with every change.
    pub revision: u64,
    /// Milliseconds since 1970.
    pub created: i64,
    pub accessed: i64,
}

impl Store {
    /// Makes an overlay, or resets the one of this name to a base without changes.
    pub fn create_overlay(&self, id: &str, worktree: &str, base: &[u8]) -> Result<OverlayRow> {
        const INSERT: &str = "INSERT INTO overlay (id, worktree, base, revision, created, accessed) VALUES (?1, ?2, ?3, 0, ?4, ?4)";
        let now = clock::now_ms();
        self.database.write(|connection| {
            if let Some(former) = get(connection, id, worktree)? {
                delete(connection, &former)?;
            }
            let overlay = params![key(id, worktree), worktree, base, now];
            sql::execute(connection, INSERT, overlay)?;
            Ok(OverlayRow {
                number: connection.last_insert_rowid(),
                id: id.to_owned(),
                worktree: worktree.to_owned(),
                base: base.to_vec(),
                revision: 0,
                created: now,
                accessed: now,
            })
        })
    }

    pub fn overlay(&self, id: &str, worktree: &str) -> Result<Option<OverlayRow>> {
        get(&*self.database.read()?, id, worktree)
    }

    pub fn overlays(&self, worktree: &str) -> Result<Vec<OverlayRow>> {
        let list =
            format!("SELECT {COLUMNS} FROM overlay WHERE worktree = ?1 ORDER BY created, number");
        sql::rows(&*self.database.read()?, &list, [worktree], read)
    }

    /// What differs from the base, by path: an indexed file, or one that the overlay removes.
    pub fn overlay_files(&self, overlay: &OverlayRow) -> Result<Vec<(RepoPath, FileState)>> {
        files(&*self.database.read()?, overlay)
    }

    /// Makes `files` all that differs from the base. The revision rises if that changes anything.
    pub fn replace_overlay_files(
        &self,
        overlay: &OverlayRow,
        files: &[(RepoPath, FileState)],
    ) -> Result<OverlayRow> {
        self.database.write(|connection| {
            let stored = get(connection, &overlay.id, &overlay.worktree)?;
            let mut overlay = stored.unwrap_or_else(|| overlay.clone());
            if self::files(connection, &overlay)? != files {
                overlay.revision += 1;
                delete_files(connection, &overlay)?;
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
            let OverlayRow { number, revision, accessed, .. } = overlay;
            connection
                .prepare_cached("UPDATE overlay SET revision = ?2, accessed = ?3 WHERE number = ?1")?
                .execute(params![number, revision as i64, accessed])?;
            Ok(overlay)
        })
    }

    pub fn delete_overlay(&self, overlay: &OverlayRow) -> Result<()> {
        self.database
            .write(|connection| delete(connection, overlay))
    }
}

fn get(connection: &Connection, id: &str, worktree: &str) -> Result<Option<OverlayRow>> {
    let find = format!("SELECT {COLUMNS} FROM overlay WHERE id = ?1");
    sql::row(connection, &find, [key(id, worktree)], read)
}

fn files(connection: &Connection, overlay: &OverlayRow) -> Result<Vec<(RepoPath, FileState)>> {
    const FILES: &str =
        "SELECT path, content, language FROM overlay_file WHERE overlay = ?1 ORDER BY path";
    sql::rows(connection, FILES, [overlay.number], |row| {
        let state = match row.get::<_, Option<u32>>(1)? {
            Some(content) => FileState::Indexed {
                content: ContentNumber(content),
                language: LanguageId(row.get::<_, Option<u16>>(2)?.unwrap_or(0)),
            },
            None => FileState::Gone,
        };
        Ok((row.get::<_, String>(0)?.into(), state))
    })
}

fn delete(connection: &Connection, overlay: &OverlayRow) -> Result<()> {
    delete_files(connection, overlay)?;
    connection.execute("DELETE FROM overlay WHERE number = ?1", [overlay.number])?;
    Ok(())
}

fn delete_files(connection: &Connection, overlay: &OverlayRow) -> Result<()> {
    const DELETE: &str = "DELETE FROM overlay_file WHERE overlay = ?1";
    sql::execute(connection, DELETE, [overlay.number])?;
    Ok(())
}

const COLUMNS: &str = "number, id, worktree, base, revision, created, accessed";

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<OverlayRow> {
    let id: String = row.get(1)?;
    Ok(OverlayRow {
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
