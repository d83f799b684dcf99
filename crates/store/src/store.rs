//! The store's face: everything that can be asked of it and written to it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use facts::{
    ContentId, ContentNumber, DecodeError, Facts, FileState, LanguageId, RepoPath, SkipReason,
    SymbolSketch,
};
use parking_lot::Mutex;
use rusqlite::Connection;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Claim, ContentRow, Error, Job, JobCounts, JobKind, JobState, LiveFile, NewContent, Origin,
    Overlay, Result, StoredSnapshot, Worktree, WorktreeNumber, clock, contents,
    database::{Database, create_private_directory},
    jobs, live, overlays,
    presence::Presence,
    snapshots,
    text::TextIndex,
};

/// All that is indexed of one repository family.
pub struct Store {
    directory: Option<PathBuf>,
    database: Database,
    presence: Presence,
    /// Opened by the first who searches or indexes.
    text: Mutex<Option<Arc<TextIndex>>>,
}

/// What one transaction publishes.
#[derive(Default)]
pub struct Batch<'a> {
    pub contents: &'a [NewContent],
    pub rejected: &'a [(ContentId, SkipReason)],
    /// All that is being taken in is a few files, as after an edit.
    pub is_small: bool,
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

/// Contents.
impl Store {
    pub fn publish(&self, batch: &Batch<'_>) -> Result<Vec<ContentNumber>> {
        self.database.write(|connection| publish(connection, batch))
    }

    /// Publishes contents together with the files of a working tree that have them: `files` sees
    /// the new numbers. Of several processes that see an edit, those that come later find it
    /// published and wait for no one.
    pub fn publish_live(
        &self,
        worktree: WorktreeNumber,
        batch: &Batch<'_>,
        files: impl Fn(&[ContentNumber]) -> Vec<(RepoPath, LiveFile)>,
    ) -> Result<Vec<ContentNumber>> {
        if batch.is_small && batch.rejected.is_empty() {
            let reader = self.database.read()?;
            if let Some(numbers) = contents::published(&reader, batch.contents)?
                && live::holds(&reader, worktree, &files(&numbers))?
            {
                return Ok(numbers);
            }
        }
        self.database.write(|connection| {
            let numbers = publish(connection, batch)?;
            live::update(connection, worktree, &files(&numbers))?;
            Ok(numbers)
        })
    }

    /// `Ok(Err(..))` if there is a record that cannot be read: it must be extracted again.
    pub fn facts(
        &self,
        number: ContentNumber,
    ) -> Result<Option<std::result::Result<Facts, DecodeError>>> {
        Ok(contents::record(&*self.database.read()?, number)?.map(|record| facts::decode(&record)))
    }

    pub fn replace_facts(&self, number: ContentNumber, facts: &Facts) -> Result<()> {
        self.database
            .write(|connection| contents::replace_record(connection, number, facts))
    }

    pub fn content(&self, number: ContentNumber) -> Result<Option<ContentRow>> {
        contents::row(&*self.database.read()?, number)
    }

    /// All contents, by number.
    pub fn contents(&self) -> Result<Vec<ContentRow>> {
        contents::rows(&*self.database.read()?)
    }

    /// Contents whose language and extractor version are accepted.
    pub fn contents_where(
        &self,
        accepts: impl Fn(LanguageId, u32) -> bool,
    ) -> Result<FxHashSet<ContentNumber>> {
        contents::filter(&*self.database.read()?, accepts)
    }

    /// Nothing is indexed yet.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(!contents::any(&*self.database.read()?)?)
    }

    /// Contents above a number, ascending.
    pub fn contents_above(&self, number: ContentNumber) -> Result<Vec<ContentNumber>> {
        contents::above(&*self.database.read()?, number)
    }

    /// Which of these are indexed, by whichever version of their extractor: number and version.
    pub fn find(
        &self,
        ids: &[(ContentId, LanguageId)],
    ) -> Result<FxHashMap<(ContentId, LanguageId), (ContentNumber, u32)>> {
        contents::find(&*self.database.read()?, ids)
    }

    /// Contents with a symbol of this name, ascending.
    pub fn defining(&self, name: &str) -> Result<Vec<ContentNumber>> {
        contents::defining(&*self.database.read()?, name)
    }

    /// The same for each of several names, with sketches of the symbols, absent where they cannot
    /// be read.
    pub fn sketches(
        &self,
        names: &[&str],
    ) -> Result<Vec<Vec<(ContentNumber, Option<Vec<SymbolSketch>>)>>> {
        contents::sketches(&*self.database.read()?, names)
    }

    /// Contents in which this name is referred to, bound, imported, exported or defined, ascending.
    /// Very rarely one more.
    pub fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>> {
        contents::mentioning(&*self.database.read()?, name)
    }

    /// Calls `each` with every defined name that starts with `prefix` and each content that defines
    /// it, in order, until it returns false.
    pub fn definitions_from(
        &self,
        prefix: &str,
        each: impl FnMut(&str, ContentNumber) -> bool,
    ) -> Result<()> {
        contents::definitions_from(&*self.database.read()?, prefix, each)
    }

    /// The bytes of a content that git does not hold.
    pub fn bytes(&self, id: &ContentId) -> Result<Option<Vec<u8>>> {
        contents::bytes(&*self.database.read()?, id)
    }

    /// Why these bytes are not indexed, if they were looked at and are not.
    pub fn rejected(&self, id: &ContentId) -> Result<Option<SkipReason>> {
        snapshots::rejected(&*self.database.read()?, id)
    }

    /// Removes contents that no snapshot, working tree or overlay names and no other process may
    /// hold. Returns their numbers.
    pub fn collect(&self, spared: &dyn Fn(ContentNumber) -> bool) -> Result<Vec<ContentNumber>> {
        if self.other_processes() > 0 {
            return Ok(Vec::new());
        }
        let removed = self.database.write(|connection| {
            let named = snapshots::named_contents(connection)?;
            let rows = contents::rows(connection)?
                .into_iter()
                .map(|row| row.number);
            let unused: Vec<_> = rows
                .filter(|number| named.binary_search(number).is_err() && !spared(*number))
                .collect();
            contents::remove(connection, &unused)?;
            Ok(unused)
        })?;
        // What stays there if this fails belongs to no snapshot.
        self.text()?.remove(&removed)?;
        Ok(removed)
    }
}

/// Snapshots, working trees and overlays.
impl Store {
    pub fn put_snapshot(&self, revision: &[u8], snapshot: &StoredSnapshot) -> Result<()> {
        self.database
            .write(|connection| snapshots::put(connection, revision, snapshot))
    }

    pub fn snapshot(&self, revision: &[u8]) -> Result<Option<StoredSnapshot>> {
        snapshots::get(&*self.database.read()?, revision)
    }

    /// Revisions, the most recently stored first.
    pub fn snapshots(&self) -> Result<Vec<Vec<u8>>> {
        snapshots::list(&*self.database.read()?)
    }

    pub fn remove_snapshot(&self, revision: &[u8]) -> Result<()> {
        self.database
            .write(|connection| snapshots::remove(connection, revision))
    }

    /// The working tree with this root, which is added if it is new.
    pub fn worktree(&self, root: &str) -> Result<Worktree> {
        if let Some(worktree) = live::worktree(&*self.database.read()?, root)? {
            return Ok(worktree);
        }
        let number = self
            .database
            .write(|connection| live::add_worktree(connection, root))?;
        Ok(Worktree {
            number,
            complete: false,
            synced: 0,
            head: None,
        })
    }

    pub fn worktrees(&self) -> Result<Vec<(String, WorktreeNumber)>> {
        live::worktrees(&*self.database.read()?)
    }

    pub fn remove_worktree(&self, worktree: WorktreeNumber) -> Result<()> {
        self.database
            .write(|connection| live::remove_worktree(connection, worktree))
    }

    /// A number that grows with every change to the files of any working tree, in the transaction
    /// that publishes the change. Whoever sees the same number twice, in whatever process, sees the
    /// same files.
    pub fn generation(&self) -> Result<u64> {
        live::generation(&*self.database.read()?)
    }

    /// A generation of its own, for what changes without the files.
    pub fn next_generation(&self) -> Result<u64> {
        self.database
            .write(|connection| live::next_generation(connection))
    }

    pub fn live_files(&self, worktree: WorktreeNumber) -> Result<Vec<(RepoPath, LiveFile)>> {
        live::files(&*self.database.read()?, worktree)
    }

    pub fn mark_synced(&self, worktree: WorktreeNumber, head: Option<&[u8]>) -> Result<()> {
        if live::is_synced(&*self.database.read()?, worktree, head)? {
            return Ok(());
        }
        self.database
            .write(|connection| live::mark_synced(connection, worktree, head))
    }

    pub fn create_overlay(&self, id: &str, worktree: &str, base: &[u8]) -> Result<Overlay> {
        self.database
            .write(|connection| overlays::create(connection, id, worktree, base))
    }

    pub fn overlay(&self, id: &str, worktree: &str) -> Result<Option<Overlay>> {
        overlays::get(&*self.database.read()?, id, worktree)
    }

    pub fn overlays(&self, worktree: &str) -> Result<Vec<Overlay>> {
        overlays::list(&*self.database.read()?, worktree)
    }

    pub fn overlay_files(&self, overlay: &Overlay) -> Result<Vec<(RepoPath, FileState)>> {
        overlays::files(&*self.database.read()?, overlay)
    }

    pub fn replace_overlay_files(
        &self,
        overlay: &Overlay,
        files: &[(RepoPath, FileState)],
    ) -> Result<Overlay> {
        self.database
            .write(|connection| overlays::replace_files(connection, overlay, files))
    }

    pub fn delete_overlay(&self, overlay: &Overlay) -> Result<()> {
        self.database
            .write(|connection| overlays::delete(connection, overlay))
    }
}

/// Jobs and savings.
impl Store {
    pub fn start_job(
        &self,
        id: &str,
        kind: JobKind,
        worktree: &str,
        target: &str,
        full: bool,
    ) -> Result<Job> {
        let job = Job {
            id: id.to_owned(),
            kind,
            worktree: worktree.to_owned(),
            target: target.to_owned(),
            full,
            state: JobState::Running,
            counts: JobCounts::default(),
            error: None,
            holder: self.presence.name().to_owned(),
            started: clock::now_ms(),
            finished: None,
        };
        self.database.write(|connection| {
            jobs::prune(connection)?;
            jobs::put(connection, &job)
        })?;
        Ok(job)
    }

    pub fn update_job(&self, job: &Job) -> Result<()> {
        self.database.write(|connection| jobs::put(connection, job))
    }

    pub fn job(&self, id: &str) -> Result<Option<Job>> {
        Ok(jobs::get(&*self.database.read()?, id)?.map(|job| self.as_of_now(job)))
    }

    /// The most recent first.
    pub fn jobs(&self, limit: usize) -> Result<Vec<Job>> {
        Ok(jobs::list(&*self.database.read()?, limit)?
            .into_iter()
            .map(|job| self.as_of_now(job))
            .collect())
    }

    /// Jobs whose process still works on them.
    pub fn running_jobs(&self) -> Result<Vec<Job>> {
        let jobs = jobs::running(&*self.database.read()?)?;
        Ok(jobs
            .into_iter()
            .map(|job| self.as_of_now(job))
            .filter(|job| job.state == JobState::Running)
            .collect())
    }

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
        let reader = self.database.read()?;
        let mut statement = reader.prepare_cached("SELECT key, amount FROM saving ORDER BY key")?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(rows)
    }

    fn as_of_now(&self, mut job: Job) -> Job {
        if job.state == JobState::Running && !self.presence.is_alive(&job.holder) {
            job.state = JobState::Interrupted;
        }
        job
    }

    /// Marks what dead processes left running.
    fn recover_jobs(&self) -> Result<()> {
        let running = jobs::running(&*self.database.read()?)?;
        let dead: Vec<_> = running
            .into_iter()
            .filter(|job| !self.presence.is_alive(&job.holder))
            .collect();
        if dead.is_empty() {
            return Ok(());
        }
        self.database.write(|connection| {
            dead.iter()
                .try_for_each(|job| jobs::interrupt(connection, &job.id))
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

fn publish(connection: &Connection, batch: &Batch<'_>) -> Result<Vec<ContentNumber>> {
    for (id, reason) in batch.rejected {
        snapshots::reject(connection, id, *reason)?;
    }
    contents::add(connection, batch.contents, batch.is_small)
}
