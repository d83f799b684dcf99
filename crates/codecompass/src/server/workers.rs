//! Runs synchronous tools on threads of their own, a bounded number at a time, each within its
//! time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::{sync::Semaphore, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tools::{Answer, Cancel, Context, Host, Progress, Registry, ServerFacts, ToolError, invoke};

/// Calls that run at once. More than cores: some wait for a language server or the disk.
const RUNNING: usize = 16;
/// Calls that wait for a turn. Beyond it the server says that it is busy instead of growing.
const WAITING: usize = 2048;

/// Shared by all endpoints of a process.
pub struct Workers {
    running: Arc<Semaphore>,
    admitted: Arc<Semaphore>,
}

/// One call of one tool.
pub struct QueuedCall {
    pub registry: Arc<Registry>,
    /// Of the tool, in the registry's entries.
    pub index: usize,
    pub arguments: Value,
    pub host: Arc<dyn Host>,
    pub facts: Arc<ServerFacts>,
    pub strict: bool,
    pub progress: Progress,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers {
            running: Arc::new(Semaphore::new(RUNNING)),
            admitted: Arc::new(Semaphore::new(RUNNING + WAITING)),
        }
    }
}

/// A running tool. Dropping this value, for whatever reason its answer is no longer wanted, tells
/// the tool to stop.
struct RunningCall {
    task: JoinHandle<Result<Answer, ToolError>>,
    cancel: Cancel,
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if !self.task.is_finished() {
            self.cancel.set();
        }
    }
}

impl Workers {
    /// Waits for a worker, then for the answer; gives up at the deadline or when `cancelled`, and
    /// when it is dropped. What runs on is told to stop and keeps its worker until it does.
    pub async fn run(
        &self,
        job: QueuedCall,
        cancelled: &CancellationToken,
    ) -> Result<Answer, ToolError> {
        let Ok(admitted) = self.admitted.clone().try_acquire_owned() else {
            return Err(ToolError::busy());
        };
        let running = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(ToolError::cancelled()),
            running = self.running.clone().acquire_owned() => running.map_err(|_| ToolError::cancelled())?,
        };
        let entry = &job.registry.entries()[job.index];
        let allowed = entry
            .tool
            .deadline()
            .unwrap_or_else(|| job.host.limits(entry.contract).deadline);
        // A tool that watches its deadline gets the chance to answer in part before it is given up.
        let soft = allowed - (allowed / 10).min(Duration::from_secs(2));
        let started = Instant::now();
        let cancel = Cancel::default();
        let context = Context {
            cold: Default::default(),
            host: job.host,
            server: job.facts,
            strict: job.strict,
            deadline: started + soft,
            cancel: cancel.clone(),
            progress: job.progress,
            is_patient: false,
        };
        let (registry, index, arguments) = (job.registry, job.index, job.arguments);
        let task = tokio::task::spawn_blocking(move || {
            let _held = (admitted, running);
            invoke(&registry.entries()[index], &context, arguments)
        });
        let mut at_work = RunningCall { task, cancel };
        tokio::select! {
            biased;
            answer = &mut at_work.task => answer.unwrap_or_else(|error| Err(ToolError::internal(error.to_string()))),
            () = cancelled.cancelled() => Err(ToolError::cancelled()),
            () = tokio::time::sleep_until((started + allowed).into()) => Err(ToolError::timed_out()),
        }
    }
}
