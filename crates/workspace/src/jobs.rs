//! Work in the background: one thread per job, visible in the store to every process.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use store::{Job, JobCounts, JobError, JobKind, JobState};

use crate::{Error, IndexProgress, Meaning, Result, Workspace};

/// The jobs that this process runs.
#[derive(Default)]
pub(crate) struct JobTable {
    running: Mutex<Vec<Arc<Running>>>,
    /// Jobs whose end could not be written, as no room was left or another process wrote: in the
    /// store they seem to run.
    unwritten: Mutex<Vec<Job>>,
}

type Running = Mutex<Job>;

/// The jobs of a workspace, whichever process runs them.
#[derive(Clone, Copy)]
pub struct Jobs<'a>(pub(crate) &'a Workspace);

impl Jobs<'_> {
    /// Indexes the working tree or, with a name, what it means, in the background. Returns the
    /// job's id, or [`Error::InProgress`] with the id of the job that does the same already.
    pub fn start_index(&self, name: Option<&str>, force: bool) -> Result<String> {
        self.start(JobKind::Index, name, force || !self.0.is_indexed(), force)
    }

    /// Syncs the working tree, or indexes what a name means, in the background.
    pub fn start_sync(&self, name: Option<&str>, force: bool) -> Result<String> {
        self.start(JobKind::Sync, name, force, force)
    }

    pub fn get(&self, id: &str) -> Result<Option<Job>> {
        Ok(match self.own().into_iter().find(|job| job.id == id) {
            Some(job) => Some(job),
            None => self.store().job(id)?.map(|job| self.as_it_ended(job)),
        })
    }

    /// The job that runs for this workspace, in this process or another.
    pub fn running(&self) -> Option<Job> {
        let own = self.own().into_iter().next();
        own.or_else(|| self.stored_running_jobs().ok()?.into_iter().next())
    }

    /// Jobs of this workspace, the most recent first.
    pub fn recent(&self, limit: usize) -> Result<Vec<Job>> {
        let jobs = self.store().jobs(50)?.into_iter();
        let jobs = jobs.filter(|job| job.worktree == self.0.base.root_text);
        Ok(jobs.take(limit).map(|job| self.as_it_ended(job)).collect())
    }

    /// Waits until a job has ended or the deadline has come. Says whether it has ended.
    pub fn wait(&self, id: &str, deadline: Instant) -> bool {
        let mut pause = Duration::from_millis(1);
        loop {
            let running = match self.get(id) {
                Ok(Some(job)) => job.state == JobState::Running,
                _ => false,
            };
            if !running {
                return true;
            }
            let now = Instant::now();
            if now >= deadline {
                return false;
            }
            std::thread::sleep(pause.min(deadline - now));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn start(&self, kind: JobKind, name: Option<&str>, full: bool, force: bool) -> Result<String> {
        if self.0.is_published() {
            return Err(Error::PublishedOnly);
        }
        let meaning = match self.0.meaning(name) {
            // A bare repository before its first commit has nothing to index, and that succeeds.
            Err(Error::UnknownRef { .. }) if name.is_none() => Meaning::Live,
            meaning => meaning?,
        };
        let target = match meaning {
            Meaning::Live => "live".to_owned(),
            Meaning::Commit(id) => id.to_string(),
        };
        self.write_ends();
        let mut jobs = self.0.jobs.running.lock();
        let own = jobs.iter().map(|running| running.lock().clone());
        let others = self.stored_running_jobs()?;
        if let Some(job) = own.chain(others).find(|job| job.target == target) {
            return Err(Error::InProgress { job: job.id });
        }
        let id = new_id();
        let root = &self.0.base.root_text;
        let job = self.store().start_job(&id, kind, root, &target, full)?;
        let running = Arc::new(Mutex::new(job));
        jobs.push(running.clone());
        drop(jobs);
        let Some(workspace) = self.0.this.upgrade() else {
            return Err(Error::Cancelled);
        };
        let spawned = std::thread::Builder::new().name("job".to_owned()).spawn({
            let running = running.clone();
            move || {
                // A panic ends the job, not the process.
                let work =
                    std::panic::AssertUnwindSafe(|| workspace.jobs().run(&running, meaning, force));
                let result = std::panic::catch_unwind(work)
                    .unwrap_or_else(|_| Err(Error::Store(store::Error::Damaged)));
                workspace.jobs().finish(&running, result);
            }
        });
        if let Err(source) = spawned {
            self.finish(&running, Err(Error::Cancelled));
            return Err(Error::Io {
                path: "thread".into(),
                source,
            });
        }
        Ok(id)
    }

    fn run(&self, running: &Running, meaning: Meaning, force: bool) -> Result<()> {
        let mut last = Instant::now();
        let progress = |at: IndexProgress| {
            let mut job = running.lock();
            job.counts = JobCounts {
                total: at.total,
                done: at.done,
                extracted: at.extracted,
                symbols: at.symbols,
                changed: at.changed,
            };
            // Other processes see it a little later.
            if last.elapsed() >= Duration::from_secs(1) {
                last = Instant::now();
                let job = job.clone();
                if let Err(error) = self.store().update_job(&job) {
                    tracing::debug!(%error, "a job's progress is not written");
                }
            }
        };
        let never = AtomicBool::new(false);
        match meaning {
            Meaning::Live => self.0.index_live(force, &never, progress).map(|_| ()),
            Meaning::Commit(id) => self.0.index_commit(id, force, &never, progress).map(|_| ()),
        }
    }

    fn finish(&self, running: &Running, result: Result<()>) {
        let mut job = running.lock().clone();
        job.finished = Some(store::now_ms());
        job.state = match &result {
            Ok(()) => JobState::Succeeded,
            Err(Error::Cancelled) => JobState::Cancelled,
            Err(_) => JobState::Failed,
        };
        job.error = result
            .err()
            .filter(|error| !matches!(error, Error::Cancelled))
            .map(|error| JobError {
                kind: error.job_error_kind(),
                message: chain(&error),
            });
        if let Err(error) = self.store().update_job(&job) {
            tracing::warn!(%error, job = job.id, "the end of a job is not written");
            self.0.jobs.unwritten.lock().push(job.clone());
        }
        *running.lock() = job.clone();
        let mut running = self.0.jobs.running.lock();
        running.retain(|other| other.lock().id != job.id);
    }

    fn store(&self) -> &store::Store {
        &self.0.base.store
    }

    /// Jobs that run in this process.
    fn own(&self) -> Vec<Job> {
        let running = self.0.jobs.running.lock();
        running.iter().map(|job| job.lock().clone()).collect()
    }

    /// Jobs of this workspace that run according to the store.
    fn stored_running_jobs(&self) -> Result<Vec<Job>> {
        let jobs = self.store().running_jobs()?.into_iter();
        let jobs = jobs.filter(|job| job.worktree == self.0.base.root_text);
        Ok(jobs
            .map(|job| self.as_it_ended(job))
            .filter(|job| job.state == JobState::Running)
            .collect())
    }

    /// A job of the store, with its end if that could not be written.
    fn as_it_ended(&self, job: Job) -> Job {
        let unwritten = self.0.jobs.unwritten.lock();
        unwritten
            .iter()
            .find(|ended| ended.id == job.id)
            .cloned()
            .unwrap_or(job)
    }

    /// Tries again to write what could not be written.
    fn write_ends(&self) {
        let mut unwritten = self.0.jobs.unwritten.lock();
        unwritten.retain(|job| self.store().update_job(job).is_err());
    }
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// 26 letters and digits, rising with time: a ULID.
fn new_id() -> String {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut random = [0; 10];
    // Without a source of randomness the clock and the process still make it unique enough for a
    // job.
    if getrandom::fill(&mut random).is_err() {
        random[..4].copy_from_slice(&std::process::id().to_le_bytes());
    }
    let mut bits = (store::now_ms() as u128) << 80;
    bits |= random
        .iter()
        .fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    (0..26)
        .rev()
        .map(|i| char::from(ALPHABET[(bits >> (5 * i)) as usize & 31]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_shape_of_a_ulid() {
        let id = new_id();
        assert_eq!(id.len(), 26);
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        );
        assert!(id.starts_with("01"));
    }
}
