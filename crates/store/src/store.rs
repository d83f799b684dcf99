//! Opening, tidying and removing an index. What it keeps has a file per kind: [`crate::contents`],
//! `live`, `snapshots`, `overlays`, `jobs`.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;

use crate::{
    Claim, Error, Origin, Result, contents,
    database::{Database, create_private_directory},
    presence::Presence,
    sql,
    text::TextIndex,
};

/// All that is indexed of one repository family.
pub struct Store {
    directory: Option<PathBuf>,
    pub(crate) database: Database,
    pub(crate) presence: Presence,
    /// Opened by the first who searches or indexes.
    text: Mutex<Option<Arc<TextIndex>>>,
}

impl Store {
    /// Opens the index in `directory`, in whatever state it is: absent, of a former schema or
    /// damaged, it starts empty; where it cannot be written, in memory. See [`Store::origin`].
    pub fn open(directory: &Path) -> Result<Store> {
        let database = match create_private_directory(directory)
            .and_then(|()| Claim::take(&directory.join("opening")))
        {
            // Held while a damaged file is replaced, so that two processes do not replace each
            // other's.
            Ok(_claim) => Database::open(&directory.join(FILE))?,
            Err(Error::ReadOnly) => Database::open(&directory.join(FILE))?,
            Err(error) => return Err(error),
        };
        if matches!(database.origin(), Origin::Memory { .. }) {
            return Ok(Store {
                directory: None,
                database,
                presence: Presence::alone(),
                text: Mutex::new(None),
            });
        }
        let presence = Presence::announce(&directory.join("processes"))?;
        let store = Store {
            directory: Some(directory.to_path_buf()),
            database,
            presence,
            text: Mutex::new(None),
        };
        store.recover_jobs()?;
        Ok(store)
    }

    /// Begins an index anew that opened but turned out to be damaged further in.
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
        Ok(Store {
            directory: None,
            database: Database::in_memory()?,
            presence: Presence::alone(),
            text: Mutex::new(None),
        })
    }

    pub fn origin(&self) -> &Origin {
        self.database.origin()
    }

    /// Where it is; `None` in memory.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
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
    pub fn text(&self) -> Result<Arc<TextIndex>> {
        let mut slot = self.text.lock();
        if let Some(text) = &*slot {
            return Ok(text.clone());
        }
        let opened = match &self.directory {
            Some(directory) => {
                TextIndex::open(&directory.join(TEXT), &self.identity()?).or_else(|error| {
                    tracing::warn!(%error, "the text index is kept in memory");
                    TextIndex::in_memory()
                })
            }
            None => TextIndex::in_memory(),
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

    /// Bytes of what was written since the last checkpoint.
    pub fn log_size(&self) -> u64 {
        self.database.log_size()
    }

    /// [`Store::tidy`] would spare the writers some work, and all who wait for them.
    pub fn is_untidy(&self) -> bool {
        self.database.is_log_long()
    }

    /// Does at leisure what someone would have to wait for later. Nothing where another process is
    /// at it.
    pub fn tidy(&self) -> Result<()> {
        /// Rows that an edit's names stand among without being spread far.
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
        match &self.directory {
            Some(directory) => Claim::try_take(&directory.join(format!("{what}.lock"))),
            None => Ok(Some(Claim::free())),
        }
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
