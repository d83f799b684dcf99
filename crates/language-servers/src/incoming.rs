//! What a server says unasked: diagnostics, progress, its status, and questions of its own.
//! `client` hands every such message here; `pool` reads the outcome. All that is kept is bounded,
//! whatever the server sends.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::{LspDiagnostic, RawDiagnostic, Readiness};
use crate::catalogue::{ReadySignal, ServerSpec};
use crate::uri;

/// Diagnostics kept of one document, documents kept, and characters of one message.
pub const MOST_DIAGNOSTICS: usize = 1_000;
pub const MOST_DOCUMENTS: usize = 20_000;
pub const LONGEST_TEXT: usize = 4_000;
const MOST_PROGRESS_TOKENS: usize = 256;
/// How soon a server that reports progress begins to, after its start and after its first document.
const PROGRESS_BEGINS: Duration = Duration::from_millis(700);

/// Counters that only grow. The gateway adds them to its own epochs.
#[derive(Debug, Default)]
pub struct ServerEpochs {
    /// A server became ready, stopped being ready, or went away: another provider may answer now.
    pub provider: AtomicU64,
    /// A server's diagnostics changed.
    pub diagnostics: AtomicU64,
}

pub struct Incoming {
    ready_signal: ReadySignal,
    settings: Value,
    workspace_folders: Value,
    epochs: Arc<ServerEpochs>,
    state: Mutex<IncomingState>,
    changed: Condvar,
}

#[derive(Default)]
struct IncomingState {
    initialized: Option<Instant>,
    first_document: Option<Instant>,
    progress: HashSet<String>,
    quiescent: bool,
    notified: bool,
    diagnostics: BTreeMap<String, PublishedDiagnostics>,
    last_publication: Option<Instant>,
    diagnostics_truncated: bool,
    registered_pull: Option<PullDiagnostics>,
    /// Partial results of requests of ours, by the token we gave.
    partial: BTreeMap<String, Vec<Box<RawValue>>>,
    last_partial: Option<Instant>,
}

/// How a server is asked for diagnostics: said when it starts, or registered later.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PullDiagnostics {
    pub identifier: Option<String>,
    pub workspace_diagnostics: bool,
}

/// What a server published last about one document.
#[derive(Debug, Clone)]
pub struct PublishedDiagnostics {
    pub items: Vec<LspDiagnostic>,
    pub version: Option<i64>,
    pub at: Instant,
    pub truncated: bool,
}

impl Incoming {
    pub fn new(spec: &ServerSpec, workspace_folders: Value, epochs: Arc<ServerEpochs>) -> Incoming {
        Incoming {
            ready_signal: spec.ready.clone(),
            settings: spec.settings.clone(),
            workspace_folders,
            epochs,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    pub fn initialized(&self) {
        self.state.lock().initialized = Some(Instant::now());
    }

    pub fn document_opened(&self) {
        self.state
            .lock()
            .first_document
            .get_or_insert_with(Instant::now);
    }

    pub fn readiness(&self) -> Readiness {
        let state = self.state.lock();
        let Some(initialized) = state.initialized else {
            return Readiness::Loading;
        };
        let ready = match &self.ready_signal {
            ReadySignal::FirstResponse => true,
            ReadySignal::ServerStatus => state.quiescent,
            ReadySignal::Notification { .. } | ReadySignal::Log(_) => state.notified,
            ReadySignal::Progress => {
                let last_reason = state
                    .first_document
                    .map_or(initialized, |first| first.max(initialized));
                state.progress.is_empty() && last_reason.elapsed() > PROGRESS_BEGINS
            }
        };
        if ready {
            Readiness::Ready
        } else {
            Readiness::Loading
        }
    }

    /// Whether the server asked, after its start, to be pulled for diagnostics.
    pub fn registered_pull(&self) -> Option<PullDiagnostics> {
        self.state.lock().registered_pull.clone()
    }

    pub fn published(&self, uri: &str) -> Option<PublishedDiagnostics> {
        self.state.lock().diagnostics.get(uri).cloned()
    }

    /// Every document with diagnostics, and whether some were not kept.
    pub fn all_published(&self) -> (Vec<(String, Vec<LspDiagnostic>)>, bool) {
        let state = self.state.lock();
        let with_items = state
            .diagnostics
            .iter()
            .filter(|(_, published)| !published.items.is_empty());
        let files = with_items
            .map(|(uri, published)| (uri.clone(), published.items.clone()))
            .collect();
        let truncated = state.diagnostics_truncated
            || state
                .diagnostics
                .values()
                .any(|published| published.truncated);
        (files, truncated)
    }

    pub fn last_publication(&self) -> Option<Instant> {
        self.state.lock().last_publication
    }

    /// Waits for the next message of any kind, or until `until`.
    pub fn wait(&self, until: Instant) {
        self.changed.wait_until(&mut self.state.lock(), until);
    }

    pub fn expect_partial(&self, token: &str) {
        self.state
            .lock()
            .partial
            .insert(token.to_string(), Vec::new());
    }

    pub fn take_partial(&self, token: &str) -> Vec<Box<RawValue>> {
        self.state.lock().partial.remove(token).unwrap_or_default()
    }

    pub fn last_partial(&self) -> Option<Instant> {
        self.state.lock().last_partial
    }

    pub fn notification(&self, method: &str, params: Option<&RawValue>) {
        let text = params.map_or("null", RawValue::get);
        match method {
            "textDocument/publishDiagnostics" => self.publish(text),
            "$/progress" => self.progress(text),
            "experimental/serverStatus" => {
                if let Ok(status) = serde_json::from_str::<StatusNotification>(text) {
                    self.state.lock().quiescent = status.quiescent;
                }
            }
            "window/logMessage" if self.logged_ready(text) => self.state.lock().notified = true,
            "$/logMessage" | "window/logMessage" | "window/showMessage" | "telemetry/event"
            | "$/logTrace" => return,
            _ => {}
        }
        if let ReadySignal::Notification {
            method: expected,
            kind,
        } = &self.ready_signal
            && method == expected
        {
            let kind_of = |text| {
                serde_json::from_str::<Value>(text)
                    .ok()?
                    .get("type")?
                    .as_str()
                    .map(str::to_string)
            };
            if kind.is_none() || kind_of(text) == *kind {
                self.state.lock().notified = true;
            }
        }
        self.changed.notify_all();
    }

    fn logged_ready(&self, text: &str) -> bool {
        let ReadySignal::Log(beginnings) = &self.ready_signal else {
            return false;
        };
        let logged = serde_json::from_str::<Logged>(text)
            .unwrap_or_default()
            .message;
        beginnings
            .iter()
            .any(|beginning| logged.starts_with(beginning.as_str()))
    }

    /// The answer to a question of the server, or `None` for one we do not know.
    pub fn request(&self, method: &str, params: Option<&RawValue>) -> Option<Value> {
        match method {
            "workspace/configuration" => Some(self.configuration(params)),
            "workspace/workspaceFolders" => Some(self.workspace_folders.clone()),
            "client/registerCapability" => {
                self.register(params);
                Some(Value::Null)
            }
            "workspace/diagnostic/refresh" => {
                self.epochs.diagnostics.fetch_add(1, Ordering::Release);
                Some(Value::Null)
            }
            "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest"
            | "workspace/semanticTokens/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/codeLens/refresh"
            | "workspace/foldingRange/refresh" => Some(Value::Null),
            // We only read.
            "workspace/applyEdit" => {
                Some(json!({"applied": false, "failureReason": "this client only reads"}))
            }
            "window/showDocument" => Some(json!({"success": false})),
            _ => None,
        }
    }

    fn register(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Params {
            registrations: Vec<CapabilityRegistration>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct CapabilityRegistration {
            method: String,
            register_options: Option<Value>,
        }
        let registrations = params
            .and_then(|params| serde_json::from_str::<Params>(params.get()).ok())
            .map(|params| params.registrations);
        for registration in registrations
            .into_iter()
            .flatten()
            .filter(|registration| registration.method == "textDocument/diagnostic")
        {
            let options = serde_json::from_value(registration.register_options.unwrap_or_default())
                .unwrap_or_default();
            self.state.lock().registered_pull = Some(options);
            self.changed.notify_all();
        }
    }

    fn configuration(&self, params: Option<&RawValue>) -> Value {
        #[derive(Deserialize)]
        struct Params {
            items: Vec<ConfigurationItem>,
        }
        #[derive(Deserialize)]
        struct ConfigurationItem {
            section: Option<String>,
        }
        let items = params
            .and_then(|params| serde_json::from_str::<Params>(params.get()).ok())
            .map_or(Vec::new(), |params| params.items);
        let section = |item: ConfigurationItem| match item.section {
            None => self.settings.clone(),
            Some(section) => section
                .split('.')
                .try_fold(&self.settings, |value, key| value.get(key))
                .cloned()
                .unwrap_or(Value::Null),
        };
        items.into_iter().map(section).collect()
    }

    fn publish(&self, text: &str) {
        #[derive(Deserialize)]
        struct Params {
            uri: String,
            version: Option<i64>,
            diagnostics: Vec<RawDiagnostic>,
        }
        let Ok(params) = serde_json::from_str::<Params>(text) else {
            return;
        };
        let uri = uri::canonical(&params.uri);
        let truncated = params.diagnostics.len() > MOST_DIAGNOSTICS;
        let items: Vec<LspDiagnostic> = params
            .diagnostics
            .into_iter()
            .take(MOST_DIAGNOSTICS)
            .map(|raw| bounded(raw.into()))
            .collect();
        let published = PublishedDiagnostics {
            items,
            version: params.version,
            at: Instant::now(),
            truncated,
        };

        let mut state = self.state.lock();
        state.last_publication = Some(published.at);
        let known = state.diagnostics.get(&uri);
        if known.map_or(&[][..], |known| &known.items) != published.items {
            self.epochs.diagnostics.fetch_add(1, Ordering::Release);
        }
        if known.is_none() && state.diagnostics.len() >= MOST_DOCUMENTS {
            state.diagnostics_truncated |= !published.items.is_empty();
            return;
        }
        state.diagnostics.insert(uri, published);
    }

    fn progress(&self, text: &str) {
        #[derive(Deserialize)]
        struct Params<'a> {
            token: Value,
            #[serde(borrow)]
            value: &'a RawValue,
        }
        #[derive(Deserialize)]
        struct Work {
            kind: String,
        }
        let Ok(params) = serde_json::from_str::<Params>(text) else {
            return;
        };
        let token = params.token.to_string();
        let mut state = self.state.lock();
        if let Some(parts) = params
            .token
            .as_str()
            .and_then(|token| state.partial.get_mut(token))
        {
            // The cap on one message bounds each part; this bounds their number.
            if parts.len() < MOST_DOCUMENTS {
                parts.push(params.value.to_owned());
            }
            state.last_partial = Some(Instant::now());
            return;
        }
        match serde_json::from_str::<Work>(params.value.get())
            .as_ref()
            .map(|work| work.kind.as_str())
        {
            Ok("begin") if state.progress.len() < MOST_PROGRESS_TOKENS => {
                _ = state.progress.insert(token)
            }
            Ok("end") => _ = state.progress.remove(&token),
            _ => {}
        }
    }
}

#[derive(Default, Deserialize)]
struct Logged {
    message: String,
}

#[derive(Deserialize)]
struct StatusNotification {
    #[serde(default)]
    quiescent: bool,
}

fn bounded(mut diagnostic: LspDiagnostic) -> LspDiagnostic {
    if let Some((cut, _)) = diagnostic.message.char_indices().nth(LONGEST_TEXT) {
        diagnostic.message.truncate(cut);
    }
    diagnostic.code = diagnostic.code.filter(|code| code.len() <= LONGEST_TEXT);
    diagnostic.source = diagnostic
        .source
        .filter(|source| source.len() <= LONGEST_TEXT);
    diagnostic
}
