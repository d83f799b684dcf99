//! Jobs that take a while, visible to every process that shares the index.

use rusqlite::{Connection, Params, params};

use crate::{Result, Store, clock, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub id: String,
    pub kind: JobKind,
    /// Root of the working tree it was started for.
    pub worktree: String,
    /// `live`, or what a commit was called.
    pub target: String,
    /// Everything, or what changed.
    pub full: bool,
    pub state: JobState,
    pub counts: JobCounts,
    pub error: Option<JobError>,
    pub(crate) holder: String,
    /// Milliseconds since 1970.
    pub started: i64,
    pub finished: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobKind {
    Index,
    Sync,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    Running,
    Succeeded,
    Failed,
    Cancelled,
    /// Its process ended before it did.
    Interrupted,
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    pub kind: JobErrorKind,
    /// The error with its causes, in one line.
    pub message: String,
}

/// What a client does about a failed job. The words are written to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobErrorKind {
    Busy,
    Full,
    ReadOnly,
    Newer,
    Other,
}

impl JobErrorKind {
    const ALL: [JobErrorKind; 5] = [
        JobErrorKind::Busy,
        JobErrorKind::Full,
        JobErrorKind::ReadOnly,
        JobErrorKind::Newer,
        JobErrorKind::Other,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            JobErrorKind::Busy => "busy",
            JobErrorKind::Full => "full",
            JobErrorKind::ReadOnly => "read_only",
            JobErrorKind::Newer => "newer",
            JobErrorKind::Other => "other",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Files to look at.
    pub total: u64,
    pub done: u64,
    /// Files whose content was never seen before.
    pub extracted: u64,
    /// Symbols of those contents.
    pub symbols: u64,
    /// Files that were added, removed, or have another content than before.
    pub changed: u64,
}

impl JobKind {
    pub fn as_str(self) -> &'static str {
        match self {
            JobKind::Index => "index",
            JobKind::Sync => "sync",
        }
    }
}

impl JobState {
    const ALL: [JobState; 5] = [
        JobState::Running,
        JobState::Succeeded,
        JobState::Failed,
        JobState::Cancelled,
        JobState::Interrupted,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            JobState::Running => "running",
            JobState::Succeeded => "succeeded",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
            JobState::Interrupted => "interrupted",
        }
    }
}

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
            prune(connection)?;
            put(connection, &job)
        })?;
        Ok(job)
    }

    pub fn update_job(&self, job: &Job) -> Result<()> {
        self.database.write(|connection| put(connection, job))
    }

    pub fn job(&self, id: &str) -> Result<Option<Job>> {
        Ok(self.jobs_where("WHERE id = ?1", [id])?.pop())
    }

    /// The most recent first.
    pub fn jobs(&self, limit: usize) -> Result<Vec<Job>> {
        self.jobs_where("ORDER BY started DESC, id DESC LIMIT ?1", [limit as i64])
    }

    /// Jobs whose process still works on them.
    pub fn running_jobs(&self) -> Result<Vec<Job>> {
        let mut jobs = self.jobs_where("WHERE state = 'running' ORDER BY started, id", [])?;
        jobs.retain(|job| job.state == JobState::Running);
        Ok(jobs)
    }

    /// Jobs of dead processes are interrupted, whatever their row says.
    fn jobs_where(&self, condition: &str, params: impl Params) -> Result<Vec<Job>> {
        let select = format!("SELECT {COLUMNS} FROM job {condition}");
        let mut jobs = sql::rows(&*self.database.read()?, &select, params, read)?;
        for job in &mut jobs {
            if job.state == JobState::Running && !self.presence.is_alive(&job.holder) {
                job.state = JobState::Interrupted;
            }
        }
        Ok(jobs)
    }

    /// Marks the jobs that dead processes left running.
    pub(crate) fn recover_jobs(&self) -> Result<()> {
        const INTERRUPT: &str = "UPDATE job SET state = 'interrupted', finished = ?2 WHERE id = ?1 AND state = 'running'";
        let mut dead = self.jobs_where("WHERE state = 'running'", [])?;
        dead.retain(|job| job.state == JobState::Interrupted);
        if dead.is_empty() {
            return Ok(());
        }
        self.database.write(|connection| {
            for job in dead {
                sql::execute(connection, INTERRUPT, params![job.id, clock::now_ms()])?;
            }
            Ok(())
        })
    }
}

fn put(connection: &Connection, job: &Job) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO job (id, kind, worktree, target, mode, state, total, done, extracted, error, holder, started, finished,
             symbols, changed, error_kind)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    )?;
    let counts = job.counts;
    statement.execute(params![
        job.id,
        job.kind.as_str(),
        job.worktree,
        job.target,
        if job.full { "full" } else { "incremental" },
        job.state.as_str(),
        counts.total as i64,
        counts.done as i64,
        counts.extracted as i64,
        job.error.as_ref().map(|error| &error.message),
        job.holder,
        job.started,
        job.finished,
        counts.symbols as i64,
        counts.changed as i64,
        job.error.as_ref().map(|error| error.kind.as_str()),
    ])?;
    Ok(())
}

/// Keeps the most recent ones.
fn prune(connection: &Connection) -> Result<()> {
    const KEPT: i64 = 50;
    const PRUNE: &str = "DELETE FROM job WHERE state <> 'running' AND id NOT IN (SELECT id FROM job ORDER BY started DESC, id DESC LIMIT ?1)";
    sql::execute(connection, PRUNE, [KEPT])?;
    Ok(())
}

const COLUMNS: &str = "id, kind, worktree, target, mode, state, total, done, extracted, error, holder, started, finished, symbols, changed, error_kind";

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Job> {
    let state: String = row.get(5)?;
    Ok(Job {
        id: row.get(0)?,
        kind: if row.get_ref(1)?.as_str().ok() == Some("sync") {
            JobKind::Sync
        } else {
            JobKind::Index
        },
        worktree: row.get(2)?,
        target: row.get(3)?,
        full: row.get_ref(4)?.as_str().ok() == Some("full"),
        state: JobState::ALL
            .into_iter()
            .find(|known| known.as_str() == state)
            .unwrap_or(JobState::Failed),
        counts: JobCounts {
            total: row.get::<_, i64>(6)? as u64,
            done: row.get::<_, i64>(7)? as u64,
            extracted: row.get::<_, i64>(8)? as u64,
            symbols: row.get::<_, i64>(13)? as u64,
            changed: row.get::<_, i64>(14)? as u64,
        },
        error: read_error(row)?,
        holder: row.get(10)?,
        started: row.get(11)?,
        finished: row.get(12)?,
    })
}

/// A former release wrote the message without its kind.
fn read_error(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<JobError>> {
    let Some(message) = row.get(9)? else {
        return Ok(None);
    };
    let word: Option<String> = row.get(15)?;
    let kind = JobErrorKind::ALL
        .into_iter()
        .find(|kind| word.as_deref() == Some(kind.as_str()))
        .unwrap_or(JobErrorKind::Other);
    Ok(Some(JobError { kind, message }))
}
