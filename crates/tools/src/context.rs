//! What one call sees: how long it may run, whom it tells about progress, and the host behind the
//! tools.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde_json::{Map, Value};

use workspace::{Freshness, SnapshotView, Workspace};

use answers::{At, ColdAnswers, NotServed, Session, Waits, Workspaces, session::FreshnessPolicy};

use crate::{ContractRef, Limits, Roots, ToolError};

/// What all tools of a process share: the workspaces and what serves them.
pub trait Host: Send + Sync {
    /// Starts what may take a while (indexing, prewarming) in the background; returns at once.
    /// Called when the transport is ready, so that no handshake waits for it.
    fn begin(&self);

    /// The directories outside which nothing is read or shown.
    fn roots(&self) -> &Roots;

    /// The workspaces behind the roots.
    fn workspaces(&self) -> &Workspaces {
        Workspaces::none()
    }

    /// What the gateway's tools keep between calls.
    fn gateway(&self) -> &crate::lsp::Gateway {
        crate::lsp::Gateway::shared()
    }

    /// Whether code of the repository at this real path may run: language servers, build scripts.
    fn is_trusted(&self, _real: &Path) -> bool {
        false
    }

    /// What one call may cost: the contract's caps, or stricter ones of the user's.
    fn limits(&self, contract: ContractRef) -> Limits {
        contract.limits()
    }

    /// Adds to a call's arguments what the user has set for calls that leave it out.
    fn complete(&self, _tool: &str, _arguments: &mut Value) {}

    /// What `/health` tells besides version and uptime, without a token: no path, no name of a
    /// repository.
    fn health(&self) -> Map<String, Value> {
        Map::new()
    }
}

/// One call's view. A tool gets it, asks it, and hands its deadline and cancel flag to the engine.
pub struct Context {
    pub host: Arc<dyn Host>,
    pub server: Arc<ServerFacts>,
    /// Whether the documents' exact names and shapes are asked for (`--strict-contract`).
    pub strict: bool,
    pub deadline: Instant,
    pub cancel: Cancel,
    pub progress: Progress,
    /// Whether whoever asks would rather wait for the index than hear that it is being made: the
    /// process ends with the answer, so that nobody can ask again.
    pub is_patient: bool,
    /// How this call fared where the tree is not indexed.
    pub cold: ColdAnswers,
}

/// What a health check tells about this process.
#[derive(Debug)]
pub struct ServerFacts {
    pub version: &'static str,
    pub started: Instant,
    pub transport: &'static str,
}

impl Context {
    /// For calls from the command line and for tests: no deadline worth the name, nobody to tell.
    pub fn quiet(host: Arc<dyn Host>, server: Arc<ServerFacts>) -> Context {
        Context {
            host,
            server,
            strict: false,
            deadline: Instant::now() + Duration::from_secs(24 * 3600),
            cancel: Cancel::default(),
            progress: Progress::silent(),
            is_patient: false,
            cold: ColdAnswers::default(),
        }
    }

    pub fn roots(&self) -> &Roots {
        self.host.roots()
    }

    pub fn limits(&self, contract: ContractRef) -> Limits {
        self.host.limits(contract)
    }

    /// The workspace that a call means: by its `workspace` argument, or the default one.
    pub fn workspace(&self, named: Option<&str>) -> Result<Arc<Workspace>, NotServed> {
        self.host.workspaces().find(named)
    }

    /// A session on a snapshot of a workspace, fresh or not.
    pub fn open(
        &self,
        workspace: Arc<Workspace>,
        at: At<'_>,
        waits: &Waits,
    ) -> answers::Result<Session> {
        self.open_fresh(workspace, at, FreshnessPolicy::BestEffort, waits)
    }

    /// A session on a snapshot of a workspace, as fresh as the policy asks for. A working tree that
    /// is not indexed is asked without an index first.
    pub fn open_fresh(
        &self,
        workspace: Arc<Workspace>,
        at: At<'_>,
        policy: FreshnessPolicy,
        waits: &Waits,
    ) -> answers::Result<Session> {
        let workspaces = self.host.workspaces();
        match workspaces.open_cold(&workspace, at, self.budget(), &self.cold)? {
            Some(session) => Ok(session),
            None => workspaces.open(workspace, at, policy, &self.waits(waits), self.budget()),
        }
    }

    /// How long this call waits where a contract says so.
    pub fn waits(&self, usual: &Waits) -> Waits {
        match self.is_patient {
            true => Waits::UNTIL_INDEXED,
            false => *usual,
        }
    }

    /// A session on a view that is already at hand: an overlay, unsaved files, a commit by its id.
    pub fn session(
        &self,
        workspace: Arc<Workspace>,
        view: Arc<SnapshotView>,
        freshness: Freshness,
    ) -> Session {
        self.host
            .workspaces()
            .session(workspace, view, freshness, self.budget())
    }

    /// What the engine may spend on this call: until its deadline, or until it is cancelled.
    pub fn budget(&self) -> engine::Budget {
        engine::Budget::new(u64::MAX, Some(self.deadline), self.cancel.flag())
    }

    /// The deadline of a step that must leave so much time to those after it, or a quarter of what
    /// is left where that is less.
    pub fn deadline_before(&self, reserve: Duration) -> Instant {
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.deadline
            .checked_sub(reserve.min(left / 4))
            .unwrap_or(self.deadline)
    }

    /// `Err` as soon as going on is useless.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.cancel.is_set() {
            Err(ToolError::cancelled())
        } else if Instant::now() >= self.deadline {
            Err(ToolError::timed_out())
        } else {
            Ok(())
        }
    }
}

/// Set once, by whoever no longer wants the answer.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// The flag itself, for engines that poll one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProgressUpdate {
    pub done: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// Where progress goes. Values that do not grow are dropped, and so are those that come too fast,
/// except the one that reaches the total: the protocol wants strictly growing values at a bearable
/// rate.
pub struct Progress {
    send: Option<Box<dyn Fn(ProgressUpdate) + Send + Sync>>,
    last: Mutex<Option<(f64, Instant)>>,
}

impl Progress {
    const PAUSE: Duration = Duration::from_millis(100);

    pub fn silent() -> Progress {
        Progress {
            send: None,
            last: Mutex::new(None),
        }
    }

    pub fn to(send: impl Fn(ProgressUpdate) + Send + Sync + 'static) -> Progress {
        Progress {
            send: Some(Box::new(send)),
            last: Mutex::new(None),
        }
    }

    /// Whether anybody listens, for work that is only done to be reported.
    pub fn is_wanted(&self) -> bool {
        self.send.is_some()
    }

    pub fn report(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let Some(send) = &self.send else { return };
        let mut last = self.last.lock();
        let now = Instant::now();
        if let Some((value, at)) = *last {
            let finished = total.is_some_and(|total| done >= total);
            if done <= value || (now < at + Self::PAUSE && !finished) {
                return;
            }
        }
        *last = Some((done, now));
        // Sent under the lock: two threads must not overtake each other on the way out.
        send(ProgressUpdate {
            done,
            total,
            message: Some(message.into()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows_and_reaches_its_total() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let progress = {
            let seen = seen.clone();
            Progress::to(move |update| seen.lock().push(update.done))
        };
        for done in [1.0, 1.0, 0.5, 2.0, 10.0, 10.0] {
            progress.report(done, Some(10.0), "");
        }
        // 2.0 came within a tenth of a second of 1.0.
        assert_eq!(*seen.lock(), [1.0, 10.0]);
    }
}
