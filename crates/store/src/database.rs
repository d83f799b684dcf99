//! The SQLite file: opening it in whatever state it is, one writer, many readers.

use std::{
    fs, io,
    ops::Deref,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::{Error, Result, schema};

/// How an index was found when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Existing,
    Created,
    /// It was there, but could not be used: everything must be indexed again.
    Rebuilt {
        reason: String,
    },
    /// The directory cannot be written: a copy in memory, or an empty index, that dies with the process.
    Memory {
        reason: String,
    },
}

/// One file, one writer at a time across all processes, any number of readers that wait for no one.
pub struct Database {
    location: Location,
    origin: Origin,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

enum Location {
    Disk(PathBuf),
    /// A name in SQLite's `memdb`, where all connections of the process see the same database.
    Memory(String),
}

/// How long a writer waits for another process's transaction; ours are shorter than a second.
const BUSY: Duration = Duration::from_secs(20);

impl Database {
    pub fn open(path: &Path) -> Result<Database> {
        let file = path.to_path_buf();
        match Database::open_writable(&file) {
            Err(Error::ReadOnly) => Database::copy_into_memory(&file),
            other => other,
        }
    }

    pub fn in_memory() -> Result<Database> {
        Database::empty_in_memory(Origin::Created)
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Runs `work` in one transaction: all of it is published, or nothing.
    pub fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut writer = self.writer.lock();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }

    /// A connection for reading. Statements on it see one state each; [`Reader::transaction`] sees one state throughout.
    pub fn read(&self) -> Result<Reader<'_>> {
        let pooled = self.readers.lock().pop();
        let connection = match pooled {
            Some(connection) => connection,
            None => self.location.connect(Access::Read)?,
        };
        Ok(Reader { database: self, connection: Some(connection) })
    }

    /// Bytes on disk, the write-ahead log included.
    pub fn size(&self) -> u64 {
        let Location::Disk(path) = &self.location else { return 0 };
        ["", "-wal"].iter().filter_map(|suffix| fs::metadata(with_suffix(path, suffix)).ok()).map(|metadata| metadata.len()).sum()
    }

    /// Moves the write-ahead log into the file, as far as readers allow.
    pub fn checkpoint(&self) -> Result<()> {
        let writer = self.writer.lock();
        writer.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(())
    }

    fn open_writable(path: &PathBuf) -> Result<Database> {
        let existed = path.exists();
        let origin = match Database::prepare(path) {
            Ok(()) if existed => Origin::Existing,
            Ok(()) => Origin::Created,
            Err(Error::Damaged) => {
                // Other processes keep their open file; it no longer has a name.
                for suffix in ["", "-wal", "-shm"] {
                    remove(&with_suffix(path, suffix))?;
                }
                Database::prepare(path)?;
                Origin::Rebuilt { reason: "the index file was damaged or of a former schema".to_owned() }
            }
            Err(error) => return Err(error),
        };
        let location = Location::Disk(path.clone());
        let writer = location.connect(Access::Write)?;
        Ok(Database { location, origin, writer: Mutex::new(writer), readers: Mutex::default() })
    }

    /// Makes sure that `path` holds our tables; `Damaged` if it holds anything else.
    fn prepare(path: &Path) -> Result<()> {
        let connection = Location::Disk(path.to_path_buf()).connect(Access::Write)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let n_tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if version > schema::SCHEMA_VERSION && application == schema::APPLICATION_ID {
            return Err(Error::Newer { path: path.to_path_buf(), found: version, known: schema::SCHEMA_VERSION });
        }
        if n_tables == 0 && version == 0 {
            return match schema::create(&connection) {
                // Another process was quicker.
                Err(_) if has_tables(&connection) => Ok(()),
                created => created,
            };
        }
        if version != schema::SCHEMA_VERSION || application != schema::APPLICATION_ID {
            return Err(Error::Damaged);
        }
        Ok(())
    }

    fn copy_into_memory(path: &Path) -> Result<Database> {
        let reason = format!("{} cannot be written", path.parent().unwrap_or(path).display());
        let memory = Database::empty_in_memory(Origin::Memory { reason })?;
        let uri = format!("file:{}?immutable=1", escape_uri(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if let Ok(source) = Connection::open_with_flags(uri, flags) {
            let version: rusqlite::Result<i64> = source.pragma_query_value(None, "user_version", |row| row.get(0));
            match version {
                Ok(version) if version > schema::SCHEMA_VERSION => {
                    return Err(Error::Newer { path: path.to_path_buf(), found: version, known: schema::SCHEMA_VERSION });
                }
                Ok(version) if version == schema::SCHEMA_VERSION => {
                    let mut target = memory.writer.lock();
                    let backup = rusqlite::backup::Backup::new(&source, &mut target)?;
                    backup.run_to_completion(4096, Duration::ZERO, None)?;
                }
                _ => {}
            }
        }
        Ok(memory)
    }

    fn empty_in_memory(origin: Origin) -> Result<Database> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let location = Location::Memory(format!("codecompass-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let writer = location.connect(Access::Write)?;
        schema::create(&writer)?;
        Ok(Database { location, origin, writer: Mutex::new(writer), readers: Mutex::default() })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Location {
    fn connect(&self, access: Access) -> Result<Connection> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if access == Access::Write {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let connection = match self {
            Location::Disk(path) => {
                if access == Access::Write {
                    if let Some(directory) = path.parent() {
                        create_private_directory(directory)?;
                    }
                }
                Connection::open_with_flags(path, flags).map_err(|error| match error.sqlite_error_code() {
                    Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::PermissionDenied) => Error::ReadOnly,
                    _ => Error::from(error),
                })?
            }
            Location::Memory(name) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_CREATE;
                Connection::open_with_flags(format!("file:/{name}?vfs=memdb"), flags)?
            }
        };
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(64);
        if access == Access::Write {
            connection.pragma_update(None, "page_size", schema::PAGE_SIZE)?;
            if matches!(self, Location::Disk(_)) {
                let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
                if mode != "wal" {
                    tracing::debug!(mode, "the index database has no write-ahead log");
                }
                connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
                connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
            }
            connection.pragma_update(None, "cache_size", -48 * 1024)?;
        } else {
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "cache_size", -8 * 1024)?;
        }
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        Ok(connection)
    }
}

/// A borrowed connection; goes back to the pool when dropped.
pub struct Reader<'a> {
    database: &'a Database,
    connection: Option<Connection>,
}

impl Deref for Reader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("present until dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        /// More readers than this at once are rare; their caches are not worth keeping.
        const KEPT: usize = 8;
        if let Some(connection) = self.connection.take() {
            let mut readers = self.database.readers.lock();
            if readers.len() < KEPT {
                readers.push(connection);
            }
        }
    }
}

/// Only the owner may look into an index: it holds source text.
pub(crate) fn create_private_directory(directory: &Path) -> Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|source| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Error::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full,
        _ => Error::Io { path: directory.to_path_buf(), source },
    })
}

fn has_tables(connection: &Connection) -> bool {
    connection.query_row("SELECT count(*) FROM content", [], |row| row.get::<_, i64>(0)).is_ok()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Io { path: path.to_path_buf(), source }),
        _ => Ok(()),
    }
}

fn escape_uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().map(|&byte| if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
