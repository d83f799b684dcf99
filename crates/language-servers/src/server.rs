//! One server for one project root through its lives: idle, starting, running, waiting after a
//! crash, given up. `pool` holds these by (server, root) and watches over them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};

use crate::Error;
use crate::answer::Readiness;
use crate::catalogue::ServerSpec;
use crate::client::{Connection, Limit};
use crate::documents::Documents;
use crate::encoding::Encoding;
use crate::incoming::{Incoming, PullDiagnostics, ServerEpochs};
use crate::process::ServerLaunch;
use crate::uri;

/// How long a server may take to answer `initialize`.
const START_TIME: Duration = Duration::from_secs(60);
/// The pause after a first crash; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// So many crashes in this time, and only `restart` tries again.
const MOST_CRASHES: usize = 6;
const CRASH_MEMORY: Duration = Duration::from_secs(600);

pub struct LanguageServer {
    pub spec: Arc<ServerSpec>,
    pub root: PathBuf,
    name: Arc<str>,
    launch: ServerLaunch,
    cache: PathBuf,
    epochs: Arc<ServerEpochs>,
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    phase: Phase,
    /// Counts starts, so that the end of an earlier life is not taken for the end of this one.
    life: u64,
    crashes: VecDeque<Instant>,
    last_crash: Option<String>,
    last_used: Instant,
    /// The readiness that the epochs know of.
    seen_ready: bool,
}

enum Phase {
    /// Starts with the next question.
    Idle,
    Starting(Option<Arc<Connection>>),
    Running(Arc<Running>),
    Paused {
        until: Instant,
    },
    /// Crashed too often.
    GivenUp,
    /// Somebody stopped it: it stays so until `restart`.
    Stopped,
}

/// A server that has answered `initialize`.
pub struct Running {
    pub client: Arc<Connection>,
    pub abilities: Abilities,
    pub documents: Mutex<Documents>,
}

/// What a server says it can do.
#[derive(Debug, Default)]
pub struct Abilities {
    pub encoding: Encoding,
    pub pull: Option<PullDiagnostics>,
    capabilities: Value,
}

/// The state of one server, for `status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    pub server: String,
    pub language: String,
    pub root: PathBuf,
    pub state: State,
    /// The server's own process.
    pub process: Option<u32>,
    /// Of the server and all below it, where the system tells.
    pub resident_bytes: Option<u64>,
    pub n_open_documents: usize,
    /// Crashes of the last ten minutes.
    pub n_crashes: usize,
    pub last_crash: Option<String>,
    pub tested: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not running; the next question starts it.
    Idle,
    Starting,
    Loading,
    Ready,
    /// It has left a question unanswered, and nothing has come since. The next question after a
    /// while, or its answer, shows whether it still does.
    Silent,
    /// Crashed; starts again by itself.
    Paused {
        retry_after: Duration,
    },
    /// Crashed too often; waits for `restart`.
    GivenUp,
    /// Stopped by somebody; waits for `restart`.
    Stopped,
}

impl LanguageServer {
    pub fn new(
        spec: Arc<ServerSpec>,
        root: PathBuf,
        launch: ServerLaunch,
        cache: PathBuf,
        epochs: Arc<ServerEpochs>,
    ) -> Arc<LanguageServer> {
        let inner = Inner {
            phase: Phase::Idle,
            life: 0,
            crashes: VecDeque::new(),
            last_crash: None,
            last_used: Instant::now(),
            seen_ready: false,
        };
        let name = Arc::from(spec.name.as_str());
        Arc::new(LanguageServer {
            spec,
            root,
            name,
            launch,
            cache,
            epochs,
            inner: Mutex::new(inner),
            changed: Condvar::new(),
        })
    }

    pub fn name(&self) -> Arc<str> {
        self.name.clone()
    }

    /// The running server: started if idle, waited for while it starts.
    pub fn running(self: &Arc<LanguageServer>, limit: &Limit) -> Result<Arc<Running>, Error> {
        let mut inner = self.inner.lock();
        inner.last_used = Instant::now();
        loop {
            match &inner.phase {
                Phase::Running(running) if !running.client.has_ended() => {
                    return Ok(running.clone());
                }
                Phase::Idle => self.start(&mut inner),
                // The second arm: its end is known to the client, and in a moment to us.
                Phase::Starting(_) | Phase::Running(_) => {}
                Phase::Paused { until } => {
                    let retry_after = Some(until.saturating_duration_since(Instant::now()));
                    let reason = inner.last_crash.clone().unwrap_or_default();
                    return Err(Error::Unavailable {
                        server: self.name.to_string(),
                        reason,
                        retry_after,
                    });
                }
                Phase::GivenUp => {
                    let last = inner.last_crash.clone().unwrap_or_default();
                    let reason = format!("it crashed {} times, last: {last}", inner.crashes.len());
                    return Err(Error::Unavailable {
                        server: self.name.to_string(),
                        reason,
                        retry_after: None,
                    });
                }
                Phase::Stopped => {
                    let reason = "it was stopped; restart it".into();
                    return Err(Error::Unavailable {
                        server: self.name.to_string(),
                        reason,
                        retry_after: None,
                    });
                }
            }
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let slice = limit
                .deadline
                .min(Instant::now() + Duration::from_millis(50));
            if self.changed.wait_until(&mut inner, slice).timed_out()
                && Instant::now() >= limit.deadline
            {
                return Err(Error::Starting {
                    server: self.name.to_string(),
                });
            }
        }
    }

    /// Starts it if it is idle, and returns its state.
    pub fn prepare(self: &Arc<LanguageServer>) -> State {
        let mut inner = self.inner.lock();
        inner.last_used = Instant::now();
        if matches!(inner.phase, Phase::Idle) {
            self.start(&mut inner);
        }
        drop(inner);
        self.state()
    }

    pub fn state(&self) -> State {
        self.observe(&mut self.inner.lock())
    }

    /// The running server, if there is one, without counting as use.
    pub fn peek(&self) -> Option<Arc<Running>> {
        match &self.inner.lock().phase {
            Phase::Running(running) => Some(running.clone()),
            _ => None,
        }
    }

    pub fn last_used(&self) -> Instant {
        self.inner.lock().last_used
    }

    pub fn status(&self) -> ServerStatus {
        let mut inner = self.inner.lock();
        let state = self.observe(&mut inner);
        let running = match &inner.phase {
            Phase::Running(running) => Some(running.clone()),
            _ => None,
        };
        inner.forget_old_crashes();
        let (n_crashes, last_crash) = (inner.crashes.len(), inner.last_crash.clone());
        drop(inner);
        ServerStatus {
            server: self.spec.name.clone(),
            language: self.spec.language.clone(),
            root: self.root.clone(),
            state,
            process: running
                .as_ref()
                .and_then(|running| running.client.process.id()),
            resident_bytes: running
                .as_ref()
                .and_then(|running| running.client.process.resident_bytes()),
            n_open_documents: running
                .as_ref()
                .map_or(0, |running| running.documents.lock().n_open()),
            n_crashes,
            last_crash,
            tested: self.spec.tested,
        }
    }

    /// Ends it. `may_return` tells whether the next question starts it again.
    pub fn stop(&self, reason: &str, may_return: bool) {
        let mut inner = self.inner.lock();
        let next = if may_return {
            Phase::Idle
        } else {
            Phase::Stopped
        };
        match std::mem::replace(&mut inner.phase, next) {
            Phase::Running(running) => running.client.clone().stop(reason),
            Phase::Starting(Some(client)) => client.kill(reason),
            _ => {}
        }
        self.observe(&mut inner);
        self.changed.notify_all();
    }

    /// Ends it without a goodbye, when we end ourselves.
    pub fn kill(&self) {
        let mut inner = self.inner.lock();
        match std::mem::replace(&mut inner.phase, Phase::Stopped) {
            Phase::Running(running) => running.client.kill("we end"),
            Phase::Starting(Some(client)) => client.kill("we end"),
            _ => {}
        }
    }

    /// Ends it, forgets its crashes and starts it again.
    pub fn restart(self: &Arc<LanguageServer>) {
        self.stop("restarted", true);
        let mut inner = self.inner.lock();
        inner.crashes.clear();
        if matches!(inner.phase, Phase::Idle) {
            self.start(&mut inner);
        }
    }

    /// Starts it again when its pause after a crash is over.
    pub fn resume(self: &Arc<LanguageServer>) {
        let mut inner = self.inner.lock();
        if matches!(inner.phase, Phase::Paused { until } if until <= Instant::now()) {
            self.start(&mut inner);
        }
    }

    /// The state now; a change of readiness becomes an epoch.
    fn observe(&self, inner: &mut Inner) -> State {
        let state = match &inner.phase {
            Phase::Idle => State::Idle,
            Phase::Starting(_) => State::Starting,
            Phase::Running(running) if running.client.has_ended() => State::Starting,
            Phase::Running(running) if running.client.is_silent() => State::Silent,
            Phase::Running(running) => match running.client.incoming.readiness() {
                Readiness::Ready => State::Ready,
                Readiness::Loading => State::Loading,
            },
            Phase::Paused { until } => State::Paused {
                retry_after: until.saturating_duration_since(Instant::now()),
            },
            Phase::GivenUp => State::GivenUp,
            Phase::Stopped => State::Stopped,
        };
        let ready = state == State::Ready;
        if ready != inner.seen_ready {
            inner.seen_ready = ready;
            self.epochs.provider.fetch_add(1, Ordering::Release);
            self.epochs.diagnostics.fetch_add(1, Ordering::Release);
        }
        state
    }

    fn start(self: &Arc<LanguageServer>, inner: &mut Inner) {
        inner.life += 1;
        inner.phase = Phase::Starting(None);
        let (life, server) = (inner.life, self.clone());
        let start = move || {
            if let Err(reason) = server.start_now(life) {
                server.ended(life, &reason);
            }
        };
        if let Err(error) = thread::Builder::new().name("lsp start".into()).spawn(start) {
            self.crashed(inner, &format!("no thread to start it: {error}"));
        }
    }

    /// Starts the process and shakes hands. An error here, or the end of the process, is a crash.
    fn start_now(self: &Arc<LanguageServer>, life: u64) -> Result<(), String> {
        let args = self
            .prepare_cache()
            .map_err(|error| format!("cannot write its cache directory: {error}"))?;
        let folders = json!([{"uri": uri::from_path(&self.root), "name": self.root.file_name().map_or("/".into(), |name| name.to_string_lossy())}]);
        let incoming = Arc::new(Incoming::new(
            &self.spec,
            folders.clone(),
            self.epochs.clone(),
        ));
        let launch = ServerLaunch {
            guard: self.launch.guard.clone(),
            program: self.launch.program.clone(),
            args,
            directory: self.root.clone(),
            search_path: self.launch.search_path.clone(),
        };
        let server = Arc::downgrade(self);
        let on_end = move |reason: &str| {
            if let Some(server) = server.upgrade() {
                server.ended(life, reason);
            }
        };
        let client = Connection::start(self.name.clone(), &launch, incoming, on_end)
            .map_err(|error| format!("cannot start it: {error}"))?;
        {
            let mut inner = self.inner.lock();
            if inner.life != life || !matches!(inner.phase, Phase::Starting(_)) {
                client.kill("no longer wanted");
                return Ok(());
            }
            inner.phase = Phase::Starting(Some(client.clone()));
        }
        let params = self.initialize_params(folders);
        let answer = client
            .ask("initialize", params)
            .and_then(|pending| pending.wait(&Limit::within(START_TIME)));
        let answer: Value = match answer.map(|raw| serde_json::from_str(raw.get())) {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                return fail(
                    &client,
                    format!("its answer to initialize is malformed: {error}"),
                );
            }
            // Its end is reported by `on_end`, with its last words.
            Err(Error::Gone { .. }) => return Ok(()),
            Err(error) => return fail(&client, error.to_string()),
        };
        let _ = client.notify("initialized", json!({}));
        if !self.spec.settings.is_null() {
            let _ = client.notify(
                "workspace/didChangeConfiguration",
                json!({"settings": self.spec.settings}),
            );
        }
        client.incoming.initialized();
        let mut inner = self.inner.lock();
        if inner.life == life && matches!(inner.phase, Phase::Starting(_)) {
            let abilities = Abilities::read(answer);
            inner.phase = Phase::Running(Arc::new(Running {
                client,
                abilities,
                documents: Mutex::default(),
            }));
            self.observe(&mut inner);
            self.changed.notify_all();
        }
        Ok(())
    }

    fn ended(&self, life: u64, reason: &str) {
        let mut inner = self.inner.lock();
        if inner.life == life && matches!(inner.phase, Phase::Starting(_) | Phase::Running(_)) {
            self.crashed(&mut inner, reason);
        }
    }

    fn crashed(&self, inner: &mut Inner, reason: &str) {
        tracing::warn!(server = %self.name, reason, "language server ended");
        inner.last_crash = Some(reason.to_string());
        inner.forget_old_crashes();
        inner.crashes.push_back(Instant::now());
        let n_crashes = inner.crashes.len();
        inner.phase = if n_crashes >= MOST_CRASHES {
            Phase::GivenUp
        } else {
            Phase::Paused {
                until: Instant::now() + pause_after(n_crashes),
            }
        };
        self.observe(inner);
        self.changed.notify_all();
    }

    /// Makes the server's own directory, links what it shall reach through it, and returns the
    /// command line.
    fn prepare_cache(&self) -> std::io::Result<Vec<String>> {
        std::fs::create_dir_all(&self.cache)?;
        let mut args = self.spec.args.clone();
        if let Some(link) = &self.spec.link {
            let at = self.cache.join(&link.name);
            let _ = std::fs::remove_file(&at);
            let target = link
                .candidates
                .iter()
                .map(|name| self.root.join(name))
                .find(|path| path.is_file());
            if let Some(target) = target {
                crate::platform::link_file(&target, &at)?;
                args.extend(link.args.iter().cloned());
            }
        }
        Ok(args
            .iter()
            .map(|arg| arg.replace("{cache}", &self.cache.to_string_lossy()))
            .collect())
    }

    fn initialize_params(&self, folders: Value) -> Value {
        let root = uri::from_path(&self.root);
        json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "codecompass", "version": env!("CARGO_PKG_VERSION")},
            "rootUri": root,
            "rootPath": self.root.to_string_lossy(),
            "workspaceFolders": folders,
            "initializationOptions": with_cache(&self.spec.options, &self.cache),
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"], "staleRequestSupport": {"cancel": true, "retryOnContentModified": []}},
                "window": {"workDoneProgress": true},
                "workspace": {
                    "configuration": true,
                    "workspaceFolders": true,
                    "didChangeConfiguration": {"dynamicRegistration": true},
                    "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
                    "symbol": {"dynamicRegistration": false},
                    "diagnostics": {"refreshSupport": true},
                },
                "textDocument": {
                    "synchronization": {"didSave": true},
                    "definition": {"linkSupport": true},
                    "references": {},
                    "hover": {"contentFormat": ["markdown", "plaintext"]},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                    "publishDiagnostics": {"versionSupport": true, "codeDescriptionSupport": true},
                    "diagnostic": {"dynamicRegistration": true, "relatedDocumentSupport": false},
                },
                "experimental": {"serverStatusNotification": true},
            },
        })
    }
}

impl Inner {
    fn forget_old_crashes(&mut self) {
        while self
            .crashes
            .front()
            .is_some_and(|at| at.elapsed() > CRASH_MEMORY)
        {
            self.crashes.pop_front();
        }
    }
}

impl Abilities {
    fn read(mut answer: Value) -> Abilities {
        let capabilities = answer
            .get_mut("capabilities")
            .map(Value::take)
            .unwrap_or_default();
        // clangd's own name for it is older than the protocol's.
        let encoding = capabilities
            .get("positionEncoding")
            .or_else(|| answer.get("offsetEncoding"))
            .and_then(Value::as_str);
        let pull = capabilities
            .get("diagnosticProvider")
            .filter(|provider| provider.is_object());
        let pull =
            pull.map(|provider| serde_json::from_value(provider.clone()).unwrap_or_default());
        Abilities {
            encoding: Encoding::named(encoding.unwrap_or("utf-16")),
            pull,
            capabilities,
        }
    }

    /// Whether the server announced `provider` (`definitionProvider` ...).
    pub fn has(&self, provider: &str) -> bool {
        self.capabilities
            .get(provider)
            .is_some_and(|value| value.as_bool().unwrap_or(!value.is_null()))
    }
}

fn fail(client: &Connection, reason: String) -> Result<(), String> {
    client.kill(&reason);
    Ok(())
}

fn with_cache(value: &Value, cache: &Path) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("{cache}", &cache.to_string_lossy())),
        Value::Array(items) => items.iter().map(|item| with_cache(item, cache)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), with_cache(value, cache)))
            .collect(),
        other => other.clone(),
    }
}

/// Twice as long after each crash.
fn pause_after(n_crashes: usize) -> Duration {
    (FIRST_PAUSE * 2_u32.pow(n_crashes.clamp(1, 16) as u32 - 1)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crash_after_crash_waits_longer() {
        let pauses: Vec<u64> = (1..=9)
            .map(|n_crashes| pause_after(n_crashes).as_millis() as u64)
            .collect();
        assert_eq!(
            pauses,
            [
                500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000
            ]
        );
    }
}
