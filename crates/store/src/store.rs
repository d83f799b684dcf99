//! Opening, tidying and removing an index. What it keeps has a file per kind: [`crate::contents`],
//! `live`, `snapshots`, `overlays`, `jobs`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{
    Claim, Error, NewerSchema, Origin, Result, contents,
    database::{Database, LargeCache, create_private_directory},
    presence::Presence,
    sql,
    text::TantivyIndex,
};

/// All that is indexed of one repository family.
pub struct Store {
    /// `None` in memory.
    directory: Option<PathBuf>,
    /// Where a copy of an index is that cannot be written.
    temporary: Option<TemporaryDirectory>,
    pub(crate) database: Database,
    pub(crate) presence: Presence,
    /// Opened by the first search or index run.
    text: Mutex<Option<Arc<TantivyIndex>>>,
}

impl Store {
    /// Opens the index in `directory`, in whatever state it is: absent, of a former schema or
    /// damaged, it starts empty; where it cannot be written, a copy is used that ends with this
    /// process. See [`Store::origin`].
    pub fn open(directory: &Path) -> Result<Store> {
        match Store::open_writable(directory) {
            Err(Error::ReadOnly) => Store::copy_aside(directory),
            opened => opened,
        }
    }

    fn open_writable(directory: &Path) -> Result<Store> {
        create_private_directory(directory)?;
        // Held while a damaged file is replaced, so that two processes do not replace each other's.
        let claim = Claim::take(&directory.join("opening"))?;
        let database = Database::open(&directory.join(FILE))?;
        drop(claim);
        let presence = Presence::announce(&directory.join("processes"))?;
        let store = Store {
            directory: Some(directory.to_path_buf()),
            temporary: None,
            database,
            presence,
            text: Mutex::new(None),
        };
        store.recover_jobs()?;
        Ok(store)
    }

    /// A copy of an index that cannot be written; an empty index in memory where there is nothing
    /// to copy, or no room for it.
    fn copy_aside(directory: &Path) -> Result<Store> {
        let shown = directory.display();
        tracing::warn!(directory = %shown, "the index cannot be written: edits are indexed, but not kept");
        let origin = Origin::Memory {
            reason: format!("{shown} cannot be written"),
        };
        let copied = TemporaryDirectory::create().and_then(|copy| {
            copy_file(&directory.join(FILE), &copy.0)?;
            // Changes that were not moved into the file yet.
            let log = directory.join(format!("{FILE}-wal"));
            if log.exists() {
                copy_file(&log, &copy.0)?;
            }
            copy_below(&directory.join(TEXT), &copy.0.join(TEXT))?;
            Ok(copy)
        });
        let opened = copied.and_then(|copy| {
            let mut store = Store::open_writable(&copy.0)?;
            store.temporary = Some(copy);
            Ok(store)
        });
        match opened {
            Ok(mut store) => {
                store.database = store.database.with_origin(origin);
                Ok(store)
            }
            Err(Error::Newer(newer)) => Err(Error::Newer(NewerSchema {
                path: directory.join(FILE),
                ..newer
            })),
            Err(_) => Store::empty(origin),
        }
    }

    /// Replaces an index that opened but turned out to be damaged by an empty one.
    pub fn rebuild(directory: &Path) -> Result<Store> {
        Store::remove(directory)?;
        let mut store = Store::open(directory)?;
        store.database = store.database.with_origin(Origin::Rebuilt {
            reason: Error::Damaged.to_string(),
            was_damaged: true,
        });
        Ok(store)
    }

    /// For tests, and for sessions that must leave nothing behind.
    pub fn in_memory() -> Result<Store> {
        Store::empty(Origin::Created)
    }

    fn empty(origin: Origin) -> Result<Store> {
        Ok(Store {
            directory: None,
            temporary: None,
            database: Database::in_memory(origin)?,
            presence: Presence::alone(),
            text: Mutex::new(None),
        })
    }

    pub fn origin(&self) -> &Origin {
        self.database.origin()
    }

    /// Where it is kept; `None` if it ends with this process.
    pub fn directory(&self) -> Option<&Path> {
        let kept = self.directory.as_deref();
        kept.filter(|_| self.temporary.is_none())
    }

    /// Bytes on disk: the database and the text index.
    pub fn size(&self) -> (u64, u64) {
        let text = self
            .directory
            .as_ref()
            .map_or(0, |directory| size_below(&directory.join(TEXT)));
        (self.database.size(), text)
    }

    /// The text index. Where it cannot be kept on disk, one in memory.
    pub fn text(&self) -> Result<Arc<TantivyIndex>> {
        let mut slot = self.text.lock();
        if let Some(text) = &*slot {
            return Ok(text.clone());
        }
        let opened = match &self.directory {
            Some(directory) => TantivyIndex::open(&directory.join(TEXT), &self.identity()?)
                .or_else(|error| {
                    tracing::warn!(%error, "the text index is kept in memory");
                    TantivyIndex::in_memory()
                }),
            None => TantivyIndex::in_memory(),
        };
        Ok(slot.insert(Arc::new(opened?)).clone())
    }

    fn identity(&self) -> Result<String> {
        Ok(self
            .database
            .read()?
            .query_row("SELECT id FROM identity", [], |row| row.get(0))?)
    }

    /// Where this process alone puts files of some kind for as long as it runs; `None` in memory.
    pub fn own_directory(&self, kind: &str) -> Option<PathBuf> {
        Some(
            self.presence
                .own_directory(&self.directory.as_ref()?.join(kind)),
        )
    }

    /// How many other processes use this index now.
    pub fn other_processes(&self) -> usize {
        self.presence.others()
    }

    pub fn checkpoint(&self) -> Result<()> {
        self.database.checkpoint()
    }

    /// Takes the memory that makes a large index run quick, for as long as the cache lives.
    pub fn enlarge_cache(&self) -> Result<LargeCache<'_>> {
        self.database.enlarge_cache()
    }

    /// Gives back the memory that only a large index run needs.
    pub fn release_memory(&self) -> Result<()> {
        self.database.release_memory()
    }

    /// Bytes of what was written since the last checkpoint.
    pub fn log_size(&self) -> u64 {
        self.database.log_size()
    }

    /// Whether [`Store::tidy`] would save writers work.
    pub fn is_untidy(&self) -> bool {
        self.database.is_log_long()
    }

    /// Does the maintenance that a later writer would have to wait for. Does nothing while another
    /// process is doing it.
    pub fn tidy(&self) -> Result<()> {
        /// Rows of the small tables of names up to which an edit dirties few pages.
        const MOST_RECENT: u64 = 100_000;
        /// One transaction: others wait for it.
        const TOGETHER: u32 = 2000;
        let Some(_claim) = self.try_claim("tidying")? else {
            return Ok(());
        };
        if contents::n_recent(&*self.database.read()?)? > MOST_RECENT {
            while self
                .database
                .write(|connection| contents::fold_recent(connection, TOGETHER))?
            {}
        }
        self.checkpoint()
    }

    /// The right to do `what`, which one process has at a time; `None` if another holds it.
    pub fn try_claim(&self, what: &str) -> Result<Option<Claim>> {
        match self.claim_path(what) {
            Some(path) => Claim::try_take(&path),
            None => Ok(Some(Claim::free())),
        }
    }

    /// `None` for an index in memory, which no other process can claim.
    pub(crate) fn claim_path(&self, what: &str) -> Option<PathBuf> {
        let directory = self.directory.as_ref()?;
        Some(directory.join(format!("{what}.lock")))
    }

    /// Removes an index from disk. Processes that have it open keep what they have.
    pub fn remove(directory: &Path) -> Result<()> {
        match fs::remove_dir_all(directory) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::Io {
                path: directory.to_path_buf(),
                source,
            }),
            _ => Ok(()),
        }
    }
}

/// Savings.
impl Store {
    /// Adds to running totals.
    pub fn add_savings(&self, amounts: &[(&str, f64)]) -> Result<()> {
        self.database.write(|connection| {
            let mut add = connection.prepare_cached(
                "INSERT INTO saving (key, amount) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET amount = amount + excluded.amount",
            )?;
            for (key, amount) in amounts {
                add.execute(rusqlite::params![key, amount])?;
            }
            Ok(())
        })
    }

    pub fn savings(&self) -> Result<Vec<(String, f64)>> {
        const LIST: &str = "SELECT key, amount FROM saving ORDER BY key";
        sql::rows(&*self.database.read()?, LIST, [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }
}

/// A directory of this process; removed when dropped.
struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    fn create() -> Result<TemporaryDirectory> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = loop {
            let name = format!(
                "codecompass-{}-{}",
                std::process::id(),
                NEXT.fetch_add(1, Ordering::Relaxed)
            );
            let path = std::env::temp_dir().join(name);
            // One that exists belongs to a process that was killed, or to another user.
            if !path.exists() {
                break path;
            }
        };
        create_private_directory(&path)?;
        Ok(TemporaryDirectory(path))
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Copies the files of a directory, at any depth; none where it does not exist.
fn copy_below(from: &Path, to: &Path) -> Result<()> {
    create_private_directory(to)?;
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => copy_below(&entry.path(), &to.join(entry.file_name()))?,
            // Who holds a lock may keep others from reading it, and a copy needs none.
            _ if entry.path().extension().is_some_and(|end| end == "lock") => {}
            _ => copy_file(&entry.path(), to)?,
        }
    }
    Ok(())
}

/// The copy may be written, which the original may not.
fn copy_file(from: &Path, directory: &Path) -> Result<()> {
    let copy = |to: &Path| io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?);
    let to = directory.join(from.file_name().unwrap_or_default());
    copy(&to).map_err(|source| Error::Io {
        path: from.to_path_buf(),
        source,
    })?;
    Ok(())
}

const FILE: &str = "index.db";
const TEXT: &str = "text";

fn size_below(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_cannot_be_written_is_copied_and_the_copy_goes() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join(match cfg!(windows) {
            true => "odd name%20#",
            false => "odd name%20?#",
        });
        let original = Store::open(&path).unwrap();
        original.add_savings(&[("a", 1.0)]).unwrap();
        original.text().unwrap();
        let copy = Store::copy_aside(&path).unwrap();
        assert!(matches!(copy.origin(), Origin::Memory { .. }));
        assert_eq!(copy.directory(), None);
        copy.add_savings(&[("b", 1.0)]).unwrap();
        let keys = |store: &Store| -> Vec<String> {
            let savings = store.savings().unwrap();
            savings.into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(
            (keys(&copy), keys(&original)),
            (vec!["a".to_owned(), "b".to_owned()], vec!["a".to_owned()])
        );
        let place = copy.directory.clone().unwrap();
        assert!(place.join(TEXT).read_dir().unwrap().next().is_some());
        drop(copy);
        assert!(!place.exists());
    }
}
