//! The SQLite file: opening it in whatever state it is, one writer, many readers.

use std::{
    fs::{self, File, TryLockError},
    io,
    ops::Deref,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, config::DbConfig};

use crate::{Error, NewerSchema, Result, schema};

/// How an index was found when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Existing,
    Created,
    /// It was there, but could not be used: everything must be indexed again.
    Rebuilt {
        reason: String,
        /// Else it was of a former schema.
        was_damaged: bool,
    },
    /// The directory cannot be written: a copy, or an empty index, that dies with the process.
    Memory {
        reason: String,
    },
}

/// One file, one writer at a time across all processes, any number of readers that wait for no one.
pub struct Database {
    location: DatabaseLocation,
    origin: Origin,
    turn: Turn,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

enum DatabaseLocation {
    Disk(PathBuf),
    /// A name in SQLite's `memdb`, where all connections of the process see the same database.
    Memory(String),
}

/// How long a writer waits for other processes' transactions, which are short, before it gives up.
const BUSY: Duration = Duration::from_secs(20);
/// Between two looks at a lock. SQLite's own pauses grow to a tenth of a second, in which others
/// come first again and again.
const PAUSE: Duration = Duration::from_millis(1);
/// Pages in the log at which SQLite moves them into the file, even while other writers wait.
const AUTOCHECKPOINT: u32 = 8000;
/// Bytes in the log that are worth moving while the index is idle.
const LONG_LOG: u64 = (AUTOCHECKPOINT / 4 * schema::PAGE_SIZE) as u64;

/// Negative: KiB of pages. Every connection of every open worktree fills its own in time, with pages
/// that the system keeps as well.
const SMALL_CACHE: i32 = -2 * 1024;
/// For index runs, which come back to the same pages of the tables of names again and again.
const LARGE_CACHE: i32 = -48 * 1024;

impl Database {
    /// Opens a file in whatever state it is; `ReadOnly` if it cannot be written.
    pub fn open(path: &Path) -> Result<Database> {
        let existed = path.exists();
        let origin = match Database::prepare(path) {
            Ok(()) if existed => Origin::Existing,
            Ok(()) => Origin::Created,
            Err(error @ (Error::Damaged | Error::FormerSchema)) => {
                // Other processes keep their open file; it no longer has a name. On Windows it cannot
                // be removed while they have it.
                for suffix in ["", "-wal", "-shm"] {
                    remove(&with_suffix(path, suffix)).map_err(|_| Error::ReadOnly)?;
                }
                Database::prepare(path)?;
                Origin::Rebuilt {
                    reason: error.to_string(),
                    was_damaged: matches!(error, Error::Damaged),
                }
            }
            Err(error) => return Err(error),
        };
        let location = DatabaseLocation::Disk(path.to_path_buf());
        let writer = location.connect(ConnectionMode::Write)?;
        let turn = Turn(
            File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(with_suffix(path, "-turn"))
                .ok(),
        );
        Ok(Database {
            location,
            origin,
            turn,
            writer: Mutex::new(writer),
            readers: Mutex::default(),
        })
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// For an index that was found in another state than the file tells.
    pub fn with_origin(self, origin: Origin) -> Database {
        let mut database = self;
        database.origin = origin;
        database
    }

    /// Runs `work` in one transaction: all of it is published, or nothing.
    #[track_caller]
    pub fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let asked = Instant::now();
        let mut writer = self.writer.lock();
        let turn = self.turn.take();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        drop(turn);
        let waited = asked.elapsed();
        let value = work(&transaction)?;
        let worked = asked.elapsed();
        transaction.commit()?;
        let committed = asked.elapsed();
        if committed >= 2 * PAUSE {
            let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
            tracing::debug!(
                waited = milliseconds(waited),
                worked = milliseconds(worked - waited),
                committed = milliseconds(committed - worked),
                at = std::panic::Location::caller().line(),
                "wrote"
            );
        }
        Ok(value)
    }

    /// A connection for reading. Statements on it see one state each; [`PooledReader::transaction`] sees
    /// one state throughout.
    pub fn read(&self) -> Result<PooledReader<'_>> {
        let pooled = self.readers.lock().pop();
        let connection = match pooled {
            Some(connection) => connection,
            None => self.location.connect(ConnectionMode::Read)?,
        };
        Ok(PooledReader {
            database: self,
            connection: Some(connection),
        })
    }

    /// Bytes on disk, the write-ahead log included.
    pub fn size(&self) -> u64 {
        let DatabaseLocation::Disk(path) = &self.location else {
            return 0;
        };
        ["", "-wal"]
            .iter()
            .filter_map(|suffix| fs::metadata(with_suffix(path, suffix)).ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Moves the write-ahead log into the file and empties it, unless readers are in the way.
    pub fn checkpoint(&self) -> Result<()> {
        const PATIENCE: Duration = Duration::from_millis(20);
        let mut writer = self.writer.lock();
        // First what needs no lock, which is nearly all of it: emptying the log keeps others from
        // writing for as long as it takes.
        writer.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        writer.busy_timeout(PATIENCE)?;
        let moved = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        writer.busy_handler(Some(wait_for_lock))?;
        match moved.map_err(Error::from) {
            Err(Error::Busy) => Ok(()),
            other => other,
        }?;
        drop(writer);
        self.begin_log()
    }

    /// Lets the writer keep many pages.
    pub fn enlarge_cache(&self) -> Result<LargeCache<'_>> {
        let writer = self.writer.lock();
        writer.pragma_update(None, "cache_size", LARGE_CACHE)?;
        Ok(LargeCache(self))
    }

    /// Gives back the page caches that a large run has filled.
    pub fn release_memory(&self) -> Result<()> {
        self.readers.lock().clear();
        Ok(self.writer.lock().execute_batch("PRAGMA shrink_memory")?)
    }

    /// The first write to an empty log waits until the disk has it, and all writers wait for that.
    /// This write happens while nobody waits; the log then outlives the processes.
    fn begin_log(&self) -> Result<()> {
        if self.log_size() > 0 || matches!(self.location, DatabaseLocation::Memory(_)) {
            return Ok(());
        }
        self.write(|connection| {
            Ok(connection.pragma_update(None, "user_version", schema::SCHEMA_VERSION)?)
        })
    }

    /// So long that a writer will soon have to move it into the file.
    pub fn is_log_long(&self) -> bool {
        self.log_size() >= LONG_LOG
    }

    /// Bytes; 0 without a log.
    pub fn log_size(&self) -> u64 {
        let DatabaseLocation::Disk(path) = &self.location else {
            return 0;
        };
        fs::metadata(with_suffix(path, "-wal")).map_or(0, |metadata| metadata.len())
    }

    /// Makes sure that `path` holds our tables; `Damaged` or `FormerSchema` if it holds anything
    /// else.
    fn prepare(path: &Path) -> Result<()> {
        let connection =
            DatabaseLocation::Disk(path.to_path_buf()).connect(ConnectionMode::Write)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let application: i64 =
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let n_tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if version > schema::SCHEMA_VERSION && application == schema::APPLICATION_ID {
            return Err(Error::Newer(NewerSchema {
                path: path.to_path_buf(),
                found: version,
                known: schema::SCHEMA_VERSION,
            }));
        }
        if n_tables == 0 && version == 0 {
            return match schema::create(&connection) {
                // Another process was quicker.
                Err(_) if has_tables(&connection) => Ok(()),
                created => created,
            };
        }
        if application != schema::APPLICATION_ID {
            return Err(Error::Damaged);
        }
        if version != schema::SCHEMA_VERSION {
            return Err(Error::FormerSchema);
        }
        schema::complete(&connection)
    }

    pub fn in_memory(origin: Origin) -> Result<Database> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let location = DatabaseLocation::Memory(format!(
            "codecompass-{}",
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        let writer = location.connect(ConnectionMode::Write)?;
        schema::create(&writer)?;
        Ok(Database {
            location,
            origin,
            turn: Turn(None),
            writer: Mutex::new(writer),
            readers: Mutex::default(),
        })
    }
}

/// A file whose lock a process holds while it waits for SQLite's write lock. A process that has just
/// written thus queues behind one that waited meanwhile. Without it the order of writers is
/// arbitrary.
struct Turn(Option<File>);

struct Taken<'a>(&'a File);

impl Turn {
    /// `None` where there is no such file, or another process holds its lock for too long.
    fn take(&self) -> Option<Taken<'_>> {
        let file = self.0.as_ref()?;
        let until = Instant::now() + BUSY / 2;
        while let Err(error) = file.try_lock() {
            if !matches!(error, TryLockError::WouldBlock) || Instant::now() >= until {
                return None;
            }
            std::thread::sleep(PAUSE);
        }
        Some(Taken(file))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// What SQLite calls while another process holds a lock; `attempt` counts from 0.
fn wait_for_lock(attempt: i32) -> bool {
    std::thread::sleep(PAUSE);
    i64::from(attempt) < (BUSY.as_millis() / PAUSE.as_millis()) as i64
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ConnectionMode {
    Read,
    Write,
}

impl DatabaseLocation {
    fn connect(&self, access: ConnectionMode) -> Result<Connection> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if access == ConnectionMode::Write {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let mut connection = match self {
            DatabaseLocation::Disk(path) => {
                if access == ConnectionMode::Write
                    && let Some(directory) = path.parent()
                {
                    create_private_directory(directory)?;
                }
                Connection::open_with_flags(path, flags).map_err(|error| {
                    match error.sqlite_error_code() {
                        Some(
                            rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::PermissionDenied,
                        ) => Error::ReadOnly,
                        _ => Error::from(error),
                    }
                })?
            }
            DatabaseLocation::Memory(name) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_CREATE;
                Connection::open_with_flags(format!("file:/{name}?vfs=memdb"), flags)?
            }
        };
        connection.busy_handler(Some(wait_for_lock))?;
        // The log stays for the next process, which need not begin one.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_prepared_statement_cache_capacity(64);
        if access == ConnectionMode::Write {
            connection.pragma_update(None, "page_size", schema::PAGE_SIZE)?;
            if matches!(self, DatabaseLocation::Disk(_)) {
                let mode: String =
                    connection
                        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
                if mode != "wal" {
                    tracing::debug!(mode, "the index database has no write-ahead log");
                }
                connection.pragma_update(None, "wal_autocheckpoint", AUTOCHECKPOINT)?;
                connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
            }
        } else {
            connection.pragma_update(None, "query_only", true)?;
        }
        connection.pragma_update(None, "cache_size", SMALL_CACHE)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        Ok(connection)
    }
}

/// The writer of an index run has many pages in memory while this lives.
#[must_use]
pub struct LargeCache<'a>(&'a Database);

impl Drop for LargeCache<'_> {
    fn drop(&mut self) {
        let writer = self.0.writer.lock();
        if let Err(error) = writer.pragma_update(None, "cache_size", SMALL_CACHE) {
            tracing::warn!(%error, "the writer keeps its memory");
        }
    }
}

/// A borrowed connection; goes back to the pool when dropped.
pub struct PooledReader<'a> {
    database: &'a Database,
    connection: Option<Connection>,
}

impl Deref for PooledReader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("present until dropped")
    }
}

impl Drop for PooledReader<'_> {
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
    builder
        .create(directory)
        .map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full,
            // Whatever the reason, nothing can be kept there.
            _ => Error::ReadOnly,
        })
}

fn has_tables(connection: &Connection) -> bool {
    connection
        .query_row("SELECT count(*) FROM content", [], |row| {
            row.get::<_, i64>(0)
        })
        .is_ok()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Io {
            path: path.to_path_buf(),
            source,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_comes_before_who_has_just_written() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("index.db");
        let (busy, other) = (
            Database::open(&path).unwrap(),
            Database::open(&path).unwrap(),
        );
        let is_let_in = std::sync::atomic::AtomicBool::new(false);
        let add = |connection: &Transaction<'_>| {
            Ok(connection
                .execute("UPDATE generation SET number = number + 1", [])
                .map(|_| ())?)
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                other.write(add).unwrap();
                is_let_in.store(true, Ordering::Release);
            });
            // One transaction after the other, with no pause between two.
            let one = |_| {
                let work = |connection: &Transaction<'_>| {
                    std::thread::sleep(4 * PAUSE);
                    add(connection)
                };
                busy.write(work).unwrap();
                is_let_in.load(Ordering::Acquire)
            };
            assert!((0..2000).any(one), "the other process never came to write");
        });
    }

    #[test]
    fn other_files_begin_anew_and_newer_ones_are_left_alone() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("index.db");
        for bytes in [
            &b"not a database at all, but long enough to be looked at"[..],
            &[0; 4096],
            b"SQLite format 3\0garbage",
        ] {
            fs::write(&path, bytes).unwrap();
            let origin = Database::open(&path).unwrap().origin().clone();
            assert!(
                matches!(
                    origin,
                    Origin::Rebuilt { .. } | Origin::Existing | Origin::Created
                ),
                "{origin:?}"
            );
            Database::open(&path)
                .unwrap()
                .read()
                .unwrap()
                .query_row("SELECT count(*) FROM content", [], |_| Ok(()))
                .unwrap();
        }
        let database = Database::open(&path).unwrap();
        database
            .write(|connection| {
                Ok(connection.pragma_update(None, "user_version", schema::SCHEMA_VERSION - 1)?)
            })
            .unwrap();
        if cfg!(windows) {
            assert!(matches!(Database::open(&path), Err(Error::ReadOnly)));
        }
        drop(database);
        assert!(matches!(
            Database::open(&path).unwrap().origin(),
            Origin::Rebuilt { .. }
        ));
        let database = Database::open(&path).unwrap();
        database
            .write(|connection| {
                Ok(connection.pragma_update(None, "user_version", schema::SCHEMA_VERSION + 1)?)
            })
            .unwrap();
        assert!(matches!(Database::open(&path), Err(Error::Newer(_))));
    }
}
