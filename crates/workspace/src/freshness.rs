//! How fresh an answer is, and how long a request waits for a fresher one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use store::JobState;

use crate::{Error, Result, Workspace, text::FEW, view::SnapshotView};

/// Whether an answer is about what is on disk now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    pub status: FreshnessStatus,
    /// Files known to differ from the snapshot; 0 where their number is not known.
    pub remaining_files: u64,
    /// The job that is syncing the snapshot, if one runs.
    pub job: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FreshnessStatus {
    /// Equal to the disk at some moment after the question came.
    Fresh,
    /// Some files differ, and no job is indexing them.
    Stale,
    /// Some files differ, and a job is indexing them.
    Syncing,
    /// Indexed for the first time, or again after the index was lost: what is there so far.
    Indexing,
    /// Nothing is indexed, and no job is indexing.
    Absent,
}

impl Freshness {
    /// Of a snapshot that no change on disk concerns.
    pub fn fresh() -> Freshness {
        Freshness {
            status: FreshnessStatus::Fresh,
            remaining_files: 0,
            job: None,
        }
    }

    pub fn is_fresh(&self) -> bool {
        self.status == FreshnessStatus::Fresh
    }
}

impl Workspace {
    /// The working tree as it is now, as far as `budget` allows: files that changed are indexed for
    /// that long, and the rest makes the answer stale. On a tree that was never indexed, indexing
    /// starts in the background.
    pub fn fresh_live(&self, budget: Duration) -> Result<(Arc<SnapshotView>, Freshness)> {
        let deadline = Instant::now() + budget;
        if self.is_bare() {
            let head = match self.commit("HEAD") {
                Ok(id) => self.history.at_commit(id)?,
                Err(Error::UnknownRef { .. }) if !self.is_published() => self.live(),
                Err(error) => return Err(error),
            };
            return Ok((head, Freshness::fresh()));
        }
        if !self.is_indexed() {
            return self.first_answer(deadline);
        }
        if self.outdated_files() > FEW
            && let Some(unfinished) = self.renew(deadline)?
        {
            return Ok(unfinished);
        }
        let freshness = match self.tree.sync_until(deadline) {
            Ok(Some(0)) => {
                self.unkept.succeeded();
                self.text.commit_in_background();
                Freshness::fresh()
            }
            Ok(Some(remaining)) => self.unfinished(FreshnessStatus::Stale, remaining as u64),
            Ok(None) => self.unfinished(FreshnessStatus::Syncing, 0),
            // Another process writes, or there is no room: the answer comes from what is there, and
            // is not called fresh.
            Err(error @ (Error::Busy | Error::Full | Error::ReadOnly)) => {
                if !matches!(error, Error::ReadOnly) || self.unkept.failed() {
                    tracing::warn!(%error, "the working tree cannot be synced");
                }
                self.unfinished(FreshnessStatus::Stale, 0)
            }
            Err(error) => return Err(error),
        };
        Ok((self.live(), freshness))
    }

    /// Starts the first index, waits as long as allowed, and answers from what there is.
    fn first_answer(&self, deadline: Instant) -> Result<(Arc<SnapshotView>, Freshness)> {
        loop {
            let job = match self.jobs().start_index(None, false) {
                Ok(job) | Err(Error::InProgress { job }) => job,
                Err(error) => return Err(error),
            };
            let ended = self.jobs().wait(&job, deadline);
            if self.is_indexed() {
                return Ok((self.live(), Freshness::fresh()));
            }
            let failed = self
                .jobs()
                .get(&job)?
                .is_some_and(|job| matches!(job.state, JobState::Failed | JobState::Cancelled));
            if failed {
                return Ok((
                    self.live(),
                    Freshness {
                        status: FreshnessStatus::Absent,
                        remaining_files: 0,
                        job: Some(job),
                    },
                ));
            }
            // Another process's job has ended: what it left is taken over, which reads next to
            // nothing.
            if !ended || Instant::now() >= deadline {
                let head = self.head().commit;
                let published = head.and_then(|head| self.history.published(head));
                return Ok((
                    published.unwrap_or_else(|| self.live()),
                    Freshness {
                        status: FreshnessStatus::Indexing,
                        remaining_files: 0,
                        job: Some(job),
                    },
                ));
            }
        }
    }

    /// Has the facts of a former version made again, which is one process's work however many have
    /// the index open. `None` if it is done, or if it failed: then each process syncs what it can.
    fn renew(&self, deadline: Instant) -> Result<Option<(Arc<SnapshotView>, Freshness)>> {
        loop {
            let job = match self.jobs().start_sync(None, false) {
                Ok(job) | Err(Error::InProgress { job }) => job,
                Err(error) => {
                    tracing::warn!(%error, "facts of a former version serve on");
                    return Ok(None);
                }
            };
            let ended = self.jobs().wait(&job, deadline);
            let has_failed = self
                .jobs()
                .get(&job)?
                .is_some_and(|job| matches!(job.state, JobState::Failed | JobState::Cancelled));
            if self.outdated_files() <= FEW || has_failed {
                return Ok(None);
            }
            // Another process's job has ended: what it made is taken over, which reads next to
            // nothing.
            if !ended || Instant::now() >= deadline {
                return Ok(Some((
                    self.live(),
                    self.unfinished(FreshnessStatus::Syncing, self.outdated_files() as u64),
                )));
            }
        }
    }

    fn unfinished(&self, status: FreshnessStatus, remaining_files: u64) -> Freshness {
        let job = self.jobs().running().map(|job| job.id);
        let status = match status {
            FreshnessStatus::Stale if job.is_some() => FreshnessStatus::Syncing,
            FreshnessStatus::Syncing if job.is_none() && remaining_files > 0 => {
                FreshnessStatus::Stale
            }
            status => status,
        };
        Freshness {
            status,
            remaining_files,
            job,
        }
    }
}
