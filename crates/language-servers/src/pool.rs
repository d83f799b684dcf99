//! The servers of all trusted roots, by server and project root: chosen by a file's extension, started by the first
//! question, watched by one thread, and asked the gateway's seven questions.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, RwLock};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Error;
use crate::answer::{
    self, Answer, Diagnostic, DocumentDiagnostics, DocumentSymbol, Hover, Location, Position, Readiness, WorkspaceDiagnostics,
    WorkspaceSymbol,
};
use crate::catalogue::{Catalogue, ServerSpec};
use crate::client::Limit;
use crate::detect::{Detected, ServerReport, detect_one};
use crate::documents::{Document, FileChange};
use crate::encoding::{Encoding, Lines};
use crate::incoming::Epochs;
use crate::process::Launch;
use crate::server::{PullDiagnostics, Running, Server, ServerStatus, State};
use crate::uri;

/// How often the watch looks.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);
/// How often it weighs: reading every process of the machine costs a millisecond or more.
const WEIGH_INTERVAL: Duration = Duration::from_secs(2);
/// Partial results that have been quiet this long are all: some servers keep the question open to report later changes.
const PARTIAL_QUIET: Duration = Duration::from_millis(700);
/// The pause before asking again what a server dropped because its documents changed meanwhile.
const RETRY_PAUSE: Duration = Duration::from_millis(30);
/// What a server says then: content modified, cancelled by the server.
const RETRIED_CODES: [i64; 2] = [-32801, -32802];
/// The longest file read to convert columns.
const LONGEST_FILE: u64 = 8 << 20;

/// That somebody decided to let programs run on what this directory holds: build scripts, plugins, compilers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    root: PathBuf,
}

impl Trusted {
    /// Call this only for a root that the user named to `codecompass trust` or to the flag of the same meaning. A
    /// directory's own content (its configuration, its name, that it was opened) is never such a decision.
    pub fn by_decision_of_the_user(root: &Path) -> std::io::Result<Trusted> {
        Ok(Trusted { root: root.canonicalize()? })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

#[derive(Debug, Clone)]
pub struct Settings {
    pub catalogue: Catalogue,
    /// Looked through before `PATH`.
    pub search_path: Vec<PathBuf>,
    /// Where servers keep what they would else write into the repository.
    pub cache_directory: PathBuf,
    /// The binary whose `main` calls [`crate::guard_main`]: this one, outside tests.
    pub guard: PathBuf,
    /// A server unused for so long is stopped.
    pub idle: Duration,
    /// Resident bytes of one server with its children, and of all together.
    pub memory_per_server: u64,
    pub memory_in_all: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            catalogue: Catalogue::builtin(),
            search_path: Vec::new(),
            cache_directory: std::env::temp_dir().join("codecompass-language-servers"),
            guard: std::env::current_exe().unwrap_or_default(),
            idle: Duration::from_secs(20 * 60),
            memory_per_server: 4 << 30,
            memory_in_all: 8 << 30,
        }
    }
}

/// A place in a document, and what else the caller has not saved.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub document: Document<'a>,
    /// Further documents whose text is not the one on disk.
    pub unsaved: &'a [Document<'a>],
    pub position: Position,
}

/// Dropping the pool ends every server.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    trusted: RwLock<Vec<Trusted>>,
    servers: Mutex<BTreeMap<(String, PathBuf), Arc<Server>>>,
    /// What detection found, by server; `None` while it looks.
    detected: Mutex<HashMap<String, Option<ServerReport>>>,
    detection: Condvar,
    epochs: Arc<Epochs>,
    over: Mutex<bool>,
    wake: Condvar,
}

impl Pool {
    pub fn new(trusted: Vec<Trusted>, settings: Settings) -> Pool {
        let shared = Arc::new(Shared {
            settings,
            trusted: RwLock::new(trusted),
            servers: Mutex::default(),
            detected: Mutex::default(),
            detection: Condvar::new(),
            epochs: Arc::default(),
            over: Mutex::new(false),
            wake: Condvar::new(),
        });
        let watched = shared.clone();
        if let Err(error) = thread::Builder::new().name("lsp watch".into()).spawn(move || watched.watch()) {
            tracing::error!(%error, "no thread to watch over language servers");
        }
        Pool { shared }
    }

    /// Serves this root too.
    pub fn trust(&self, trusted: Trusted) {
        let mut roots = self.shared.trusted.write();
        if !roots.contains(&trusted) {
            roots.push(trusted);
        }
    }

    /// Starts the server of this file if it is not running, and says where it stands, without waiting for anything.
    pub fn prepare(&self, path: &Path) -> Result<State, Error> {
        match self.shared.server_for(path, &Limit::within(Duration::ZERO)) {
            Ok((server, _)) => Ok(server.prepare()),
            Err(Error::Starting { .. }) => Ok(State::Starting),
            Err(error) => Err(error),
        }
    }

    pub fn definition(&self, place: &Place, limit: &Limit) -> Result<Answer<Vec<Location>>, Error> {
        let question = Question { method: "textDocument/definition", provider: "definitionProvider" };
        self.at_place(question, place, json!({}), limit, answer::locations, |texts, locations| texts.locations(locations))
    }

    pub fn references(&self, place: &Place, include_declaration: bool, limit: &Limit) -> Result<Answer<Vec<Location>>, Error> {
        let question = Question { method: "textDocument/references", provider: "referencesProvider" };
        let context = json!({"context": {"includeDeclaration": include_declaration}});
        self.at_place(question, place, context, limit, answer::locations, |texts, locations| texts.locations(locations))
    }

    pub fn hover(&self, place: &Place, limit: &Limit) -> Result<Answer<Option<Hover>>, Error> {
        let question = Question { method: "textDocument/hover", provider: "hoverProvider" };
        let uri = uri::from_path(place.document.path);
        self.at_place(question, place, json!({}), limit, answer::hover, |texts, hover| {
            if let Some(range) = hover.as_mut().and_then(|hover| hover.range.as_mut()) {
                *range = texts.range(&uri, *range);
            }
        })
    }

    pub fn document_symbols(&self, document: Document, limit: &Limit) -> Result<Answer<Vec<DocumentSymbol>>, Error> {
        let question = Question { method: "textDocument/documentSymbol", provider: "documentSymbolProvider" };
        let (server, path) = self.shared.server_for(document.path, limit)?;
        let document = Document { path: &path, ..document };
        let uri = uri::from_path(&path);
        let params = json!({"textDocument": {"uri": uri}});
        ask(&server, question, &[document], |_| params.clone(), limit, answer::document_symbols, |running, symbols| {
            self.texts(running).symbols(&uri, symbols);
        })
    }

    /// Symbols of the project that `anchor`, any of its documents, belongs to.
    pub fn workspace_symbols(&self, anchor: Document, query: &str, limit: &Limit) -> Result<Answer<Vec<WorkspaceSymbol>>, Error> {
        let question = Question { method: "workspace/symbol", provider: "workspaceSymbolProvider" };
        let (server, path) = self.shared.server_for(anchor.path, limit)?;
        let anchor = [Document { path: &path, ..anchor }];
        let documents = if server.spec.needs_document { &anchor[..] } else { &[] };
        ask(&server, question, documents, |_| json!({"query": query}), limit, answer::workspace_symbols, |running, symbols| {
            let mut texts = self.texts(running);
            for symbol in symbols {
                symbol.location.range = texts.range(&symbol.location.uri, symbol.location.range);
            }
        })
    }

    /// The diagnostics of one document: pulled where the server offers that, else those it pushed, once they have settled
    /// or the deadline has come.
    pub fn document_diagnostics(
        &self,
        document: Document,
        unsaved: &[Document],
        limit: &Limit,
    ) -> Result<Answer<DocumentDiagnostics>, Error> {
        let (server, path) = self.shared.server_for(document.path, limit)?;
        let document = Document { path: &path, ..document };
        let uri = uri::from_path(&path);
        let running = server.running(limit)?;
        let mut found = match pull(&running) {
            Some(pull) => {
                let question = Question { method: "textDocument/diagnostic", provider: "" };
                let mut params = json!({"textDocument": {"uri": uri}});
                if let Some(identifier) = &pull.identifier {
                    params["identifier"] = json!(identifier);
                }
                let unsaved = unsaved_of(&server, unsaved);
                let documents = with_unsaved(document, &unsaved);
                let pulled = ask(&server, question, &documents, |_| params.clone(), limit, answer::pulled_diagnostics, |_, _| {})?;
                // A server that is pulled may still push what it learns elsewhere, from a compiler it runs.
                let mut items = pulled.value;
                let pushed = running.client.incoming.published(&uri).map(|published| published.items).unwrap_or_default();
                items.extend(pushed.into_iter().filter(|item| !items.contains(item)).collect::<Vec<_>>());
                DocumentDiagnostics { items, settled: true, truncated: false }
            }
            None => pushed(&server, &running, document, unsaved, limit)?,
        };
        let mut texts = self.texts(&running);
        for item in &mut found.items {
            item.range = texts.range(&uri, item.range);
        }
        Ok(Answer { value: found, readiness: readiness(&server), server: server.name() })
    }

    /// The diagnostics of the project that `anchor`, any of its documents, belongs to.
    pub fn workspace_diagnostics(&self, anchor: Document, limit: &Limit) -> Result<Answer<WorkspaceDiagnostics>, Error> {
        let (server, path) = self.shared.server_for(anchor.path, limit)?;
        let running = server.running(limit)?;
        let documents = [Document { path: &path, ..anchor }];
        let documents = if server.spec.needs_document { &documents[..] } else { &[] };
        running.documents.lock().synchronize(&running.client, &server.spec, documents)?;
        let mut found = match pull(&running).filter(|pull| pull.workspace) {
            Some(pull) => pulled_from_workspace(&server, &running, pull.identifier, limit)?,
            None => pushed_in_workspace(&server, &running, limit)?,
        };
        let mut texts = self.texts(&running);
        for (uri, items) in &mut found.files {
            for item in items {
                item.range = texts.range(uri, item.range);
            }
        }
        Ok(Answer { value: found, readiness: readiness(&server), server: server.name() })
    }

    /// Tells every running server below whose root they lie of files that changed on disk.
    pub fn files_changed(&self, changes: &[FileChange]) {
        for server in self.shared.all() {
            let Some(running) = server.peek() else { continue };
            let changes: Vec<FileChange> = changes.iter().filter(|change| change.path.starts_with(&server.root)).cloned().collect();
            if !changes.is_empty() {
                // A server that is ending will read the disk when it starts again.
                let _ = running.documents.lock().files_changed(&running.client, &changes);
            }
        }
    }

    /// Every server that was ever asked for, in order of name and root.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.shared.all().iter().map(|server| server.status()).collect()
    }

    /// Restarts the servers of this name, or all; how many there are.
    pub fn restart(&self, server: Option<&str>) -> usize {
        // What was installed meanwhile shall be found.
        self.shared.detected.lock().retain(|_, report| report.is_none());
        let chosen = self.shared.named(server);
        chosen.iter().for_each(Server::restart);
        chosen.len()
    }

    /// Stops the servers of this name, or all, until they are restarted; how many there are.
    pub fn stop(&self, server: Option<&str>) -> usize {
        let chosen = self.shared.named(server);
        chosen.iter().for_each(|server| server.stop("stopped", false));
        chosen.len()
    }

    /// Grows whenever a server becomes ready or stops being ready: answers may have another provider, or other content.
    pub fn text_epoch(&self) -> u64 {
        self.shared.observe();
        self.shared.epochs.provider.load(Ordering::Acquire)
    }

    /// Grows with [`Pool::text_epoch`], and whenever a server publishes diagnostics other than before.
    pub fn diagnostics_epoch(&self) -> u64 {
        self.shared.observe();
        self.shared.epochs.diagnostics.load(Ordering::Acquire)
    }

    fn at_place<T>(
        &self,
        question: Question,
        place: &Place,
        further: Value,
        limit: &Limit,
        read: impl Fn(&RawValue) -> serde_json::Result<T>,
        convert: impl Fn(&mut Texts, &mut T),
    ) -> Result<Answer<T>, Error> {
        let (server, path) = self.shared.server_for(place.document.path, limit)?;
        let document = Document { path: &path, ..place.document };
        let params = |running: &Running| {
            let mut position = place.position;
            if running.abilities.encoding != Encoding::Utf16 {
                position = Lines::new(document.text).convert(position, Encoding::Utf16, running.abilities.encoding);
            }
            let mut params = further.clone();
            params["textDocument"] = json!({"uri": uri::from_path(&path)});
            params["position"] = json!({"line": position.line, "character": position.character});
            params
        };
        let unsaved = unsaved_of(&server, place.unsaved);
        let documents = with_unsaved(document, &unsaved);
        ask(&server, question, &documents, params, limit, read, |running, value| convert(&mut self.texts(running), value))
    }

    fn texts<'a>(&'a self, running: &'a Running) -> Texts<'a> {
        Texts { running, shared: &self.shared, read: HashMap::new() }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        *self.shared.over.lock() = true;
        self.shared.wake.notify_all();
        for server in self.shared.all() {
            server.kill();
        }
    }
}

impl Shared {
    fn all(&self) -> Vec<Arc<Server>> {
        self.servers.lock().values().cloned().collect()
    }

    fn named(&self, name: Option<&str>) -> Vec<Arc<Server>> {
        self.all().into_iter().filter(|server| name.is_none_or(|name| server.spec.name == name)).collect()
    }

    fn observe(&self) {
        for server in self.all() {
            server.state();
        }
    }

    /// The server of a file, and the file's real path. Waits for detection within the limit, not for the server.
    fn server_for(self: &Arc<Shared>, path: &Path, limit: &Limit) -> Result<(Arc<Server>, PathBuf), Error> {
        let path = real_path(path).ok_or(Error::Untrusted)?;
        let trusted = self.trusted.read().iter().find(|trusted| path.starts_with(&trusted.root)).cloned();
        let trusted = trusted.ok_or(Error::Untrusted)?;
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        let mut hint = String::new();
        for spec in self.settings.catalogue.for_extension(&extension) {
            let report = self.detected(spec, limit)?;
            match (report.state, report.path) {
                (Detected::Works, Some(program)) => {
                    let root = project_root(&path, trusted.root(), &spec.root_markers);
                    return Ok((self.server(spec, root, program), path));
                }
                (Detected::Broken { reason }, _) => hint.push_str(&format!("; {} does not run: {reason}", spec.name)),
                _ if hint.is_empty() => hint = format!("; install one: {}", spec.install),
                _ => {}
            }
        }
        Err(Error::NoServer { extension, hint })
    }

    fn server(&self, spec: &ServerSpec, root: PathBuf, program: PathBuf) -> Arc<Server> {
        let mut servers = self.servers.lock();
        let key = (spec.name.clone(), root.clone());
        let server = servers.entry(key).or_insert_with(|| {
            let mut hasher = DefaultHasher::new();
            root.hash(&mut hasher);
            let cache = self.settings.cache_directory.join(format!("{}-{:016x}", spec.name, hasher.finish()));
            let launch = Launch {
                guard: self.settings.guard.clone(),
                program,
                args: spec.args.clone(),
                directory: root.clone(),
                search_path: self.settings.search_path.clone(),
            };
            Server::new(Arc::new(spec.clone()), root, launch, cache, self.epochs.clone())
        });
        server.clone()
    }

    /// What detection says about this server; it runs once, beside us, since it may take seconds.
    fn detected(self: &Arc<Shared>, spec: &ServerSpec, limit: &Limit) -> Result<ServerReport, Error> {
        let mut detected = self.detected.lock();
        if !detected.contains_key(&spec.name) {
            if crate::process::find_program(&spec.command, &self.settings.search_path).is_none() {
                // Nothing to run, nothing to wait for.
                let report = detect_one(spec, &self.settings.search_path);
                detected.insert(spec.name.clone(), Some(report));
            } else {
                detected.insert(spec.name.clone(), None);
                self.detect_beside(spec.clone());
            }
        }
        loop {
            match detected.get(&spec.name) {
                Some(Some(report)) => return Ok(report.clone()),
                Some(None) => {}
                // A restart forgot it.
                None => return Err(Error::Starting { server: spec.name.clone() }),
            }
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if Instant::now() >= limit.deadline {
                return Err(Error::Starting { server: spec.name.clone() });
            }
            let slice = limit.deadline.min(Instant::now() + Duration::from_millis(50));
            self.detection.wait_until(&mut detected, slice);
        }
    }

    fn detect_beside(self: &Arc<Shared>, spec: ServerSpec) {
        let shared = self.clone();
        let detect = move || {
            let report = detect_one(&spec, &shared.settings.search_path);
            shared.detected.lock().insert(spec.name, Some(report));
            shared.detection.notify_all();
        };
        if let Err(error) = thread::Builder::new().name("lsp detect".into()).spawn(detect) {
            tracing::error!(%error, "no thread to look for a language server");
        }
    }

    fn watch(self: Arc<Shared>) {
        let mut last_weighing = Instant::now();
        loop {
            {
                let mut over = self.over.lock();
                if !*over {
                    self.wake.wait_for(&mut over, WATCH_INTERVAL);
                }
                if *over {
                    return;
                }
            }
            for server in self.all() {
                server.state();
                if server.last_used().elapsed() < self.settings.idle {
                    server.resume();
                } else if server.peek().is_some() {
                    server.stop("idle", true);
                }
            }
            if last_weighing.elapsed() > WEIGH_INTERVAL {
                self.weigh();
                last_weighing = Instant::now();
            }
        }
    }

    /// Ends servers over their ceiling, and while all together are over theirs, the one unused for longest.
    fn weigh(&self) {
        let mut weights = Vec::new();
        for server in self.all() {
            let Some(running) = server.peek() else { continue };
            let Some(bytes) = running.client.process.resident_bytes() else { continue };
            if bytes > self.settings.memory_per_server {
                let (used, ceiling) = (bytes >> 20, self.settings.memory_per_server >> 20);
                running.client.kill(&format!("it used {used} MiB of memory, over its ceiling of {ceiling} MiB"));
            } else {
                weights.push((server.last_used(), bytes, server));
            }
        }
        weights.sort_by_key(|(last_used, ..)| *last_used);
        let mut total: u64 = weights.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, server) in weights {
            if total <= self.settings.memory_in_all {
                break;
            }
            server.stop("all language servers together used too much memory", true);
            total -= bytes;
        }
    }
}

#[derive(Clone, Copy)]
struct Question {
    method: &'static str,
    /// The capability that announces it; empty when that was seen to.
    provider: &'static str,
}

/// Asks with the documents in step, again while the server drops the question because they changed, until the limit.
fn ask<T>(
    server: &Arc<Server>,
    question: Question,
    documents: &[Document],
    params: impl Fn(&Running) -> Value,
    limit: &Limit,
    read: impl Fn(&RawValue) -> serde_json::Result<T>,
    convert: impl Fn(&Running, &mut T),
) -> Result<Answer<T>, Error> {
    let running = server.running(limit)?;
    if !question.provider.is_empty() && !running.abilities.has(question.provider) {
        return Err(Error::Unsupported { server: server.spec.name.clone(), method: question.method });
    }
    loop {
        let pending = {
            // Held until the question is queued: another caller's documents must not come between.
            let mut open = running.documents.lock();
            open.synchronize(&running.client, &server.spec, documents)?;
            running.client.ask(question.method, params(&running))?
        };
        match pending.wait(limit) {
            Ok(raw) => {
                let malformed = |error: serde_json::Error| Error::Malformed {
                    server: server.spec.name.clone(),
                    method: question.method,
                    detail: error.to_string(),
                };
                let mut value = read(&raw).map_err(malformed)?;
                if running.abilities.encoding != Encoding::Utf16 {
                    convert(&running, &mut value);
                }
                return Ok(Answer { value, readiness: readiness(server), server: server.name() });
            }
            Err(Error::Refused { code, .. }) if RETRIED_CODES.contains(&code) && !limit.is_over() => thread::sleep(RETRY_PAUSE),
            Err(error) => return Err(error),
        }
    }
}

/// Waits until what the server pushed about this document belongs to its present text and has been quiet for a while.
fn pushed(
    server: &Server,
    running: &Running,
    document: Document,
    unsaved: &[Document],
    limit: &Limit,
) -> Result<DocumentDiagnostics, Error> {
    let unsaved = unsaved_of(server, unsaved);
    let (version, since, last_change) = {
        let mut open = running.documents.lock();
        open.synchronize(&running.client, &server.spec, &with_unsaved(document, &unsaved))?;
        let (version, since) = open.version(document.path).unwrap_or((1, Instant::now()));
        (version, since, open.last_change.unwrap_or(since))
    };
    let settle = Duration::from_millis(server.spec.settle_ms);
    let uri = uri::from_path(document.path);
    let incoming = &running.client.incoming;
    loop {
        let published = incoming.published(&uri);
        let current = published.as_ref().filter(|published| published.at >= since && published.version.is_none_or(|v| v == version));
        let settles = current.map(|published| published.at.max(last_change) + settle);
        let settled = settles.is_some_and(|at| at <= Instant::now());
        if settled || limit.is_over() {
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let (items, truncated) = published.map_or((Vec::new(), false), |published| (published.items, published.truncated));
            return Ok(DocumentDiagnostics { items, settled, truncated });
        }
        if running.client.has_ended() {
            return Err(Error::Gone { server: server.spec.name.clone(), reason: "it ended".into() });
        }
        // A server that floods us wakes us often; looking again costs little, and the deadline bounds it.
        let next_look = settles.unwrap_or(limit.deadline).min(limit.deadline).min(Instant::now() + Duration::from_millis(50));
        incoming.wait(next_look);
    }
}

fn pushed_in_workspace(server: &Server, running: &Running, limit: &Limit) -> Result<WorkspaceDiagnostics, Error> {
    let settle = Duration::from_millis(server.spec.settle_ms);
    let last_change = running.documents.lock().last_change;
    let incoming = &running.client.incoming;
    let asked = Instant::now();
    loop {
        let quiet_since = incoming.last_publication().into_iter().chain(last_change).max().unwrap_or(asked);
        let settled = running.client.incoming.readiness() == Readiness::Ready && quiet_since + settle <= Instant::now();
        if settled || limit.is_over() {
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let (files, _, truncated) = incoming.all_published();
            return Ok(WorkspaceDiagnostics { files, settled, truncated, whole_project: false });
        }
        if running.client.has_ended() {
            return Err(Error::Gone { server: server.spec.name.clone(), reason: "it ended".into() });
        }
        incoming.wait(limit.deadline.min(Instant::now() + Duration::from_millis(50)));
    }
}

fn pulled_from_workspace(
    server: &Server,
    running: &Running,
    identifier: Option<String>,
    limit: &Limit,
) -> Result<WorkspaceDiagnostics, Error> {
    let incoming = &running.client.incoming;
    let method = "workspace/diagnostic";
    let token = running.client.unused_token();
    let mut params = json!({"previousResultIds": [], "partialResultToken": token});
    if let Some(identifier) = identifier {
        params["identifier"] = json!(identifier);
    }
    incoming.expect_partial(&token);
    let asked = Instant::now();
    let outcome = running.client.ask(method, params).and_then(|mut pending| {
        loop {
            if let Some(answer) = pending.poll(limit.deadline.min(Instant::now() + Duration::from_millis(20))) {
                return answer.map(|raw| (Some(raw), true));
            }
            let quiet = incoming.last_partial().is_some_and(|at| at > asked && at.elapsed() > PARTIAL_QUIET);
            if quiet || limit.is_over() {
                return Ok((None, quiet));
            }
        }
    });
    let parts = incoming.take_partial(&token);
    let (answer, settled) = outcome?;
    if limit.is_cancelled() {
        return Err(Error::Cancelled);
    }
    // A later report about a document replaces an earlier one.
    let mut files: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    for raw in parts.iter().chain(&answer) {
        let malformed = |error: serde_json::Error| Error::Malformed { server: server.spec.name.clone(), method, detail: error.to_string() };
        files.extend(answer::pulled_workspace_diagnostics(raw).map_err(malformed)?);
    }
    files.retain(|_, items| !items.is_empty());
    Ok(WorkspaceDiagnostics { files: files.into_iter().collect(), settled, truncated: false, whole_project: true })
}

/// Texts of documents, to convert columns of servers that count in other units. Reads below trusted roots only.
struct Texts<'a> {
    running: &'a Running,
    shared: &'a Shared,
    read: HashMap<String, Option<Lines<'static>>>,
}

impl Texts<'_> {
    fn range(&mut self, uri: &str, range: answer::Range) -> answer::Range {
        let encoding = self.running.abilities.encoding;
        if encoding == Encoding::Utf16 {
            return range;
        }
        let (running, shared) = (self.running, self.shared);
        let lines = self.read.entry(uri.to_string()).or_insert_with(|| {
            let path = real_path(&uri::to_path(uri)?)?;
            if let Some(text) = running.documents.lock().text(&path) {
                return Some(Lines::new(text.to_string()));
            }
            let inside = shared.trusted.read().iter().any(|trusted| path.starts_with(&trusted.root));
            let small = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LONGEST_FILE);
            if inside && small { std::fs::read_to_string(path).ok().map(Lines::new) } else { None }
        });
        lines.as_ref().map_or(range, |lines| lines.convert_range(range, encoding, Encoding::Utf16))
    }

    fn locations(&mut self, locations: &mut [Location]) {
        for location in locations {
            location.range = self.range(&location.uri, location.range);
        }
    }

    fn symbols(&mut self, uri: &str, symbols: &mut [DocumentSymbol]) {
        for symbol in symbols {
            symbol.range = self.range(uri, symbol.range);
            symbol.selection_range = self.range(uri, symbol.selection_range);
            self.symbols(uri, &mut symbol.children);
        }
    }
}

/// How this server is pulled for diagnostics, if it is.
fn pull(running: &Running) -> Option<PullDiagnostics> {
    let registered = running.client.incoming.registered_pull().then(PullDiagnostics::default);
    running.abilities.pull.clone().or(registered)
}

fn readiness(server: &Server) -> Readiness {
    if server.state() == State::Ready { Readiness::Ready } else { Readiness::Loading }
}

/// The unsaved documents that concern this server, by their real paths.
fn unsaved_of<'a>(server: &Server, unsaved: &[Document<'a>]) -> Vec<(PathBuf, &'a str)> {
    let with_path = unsaved.iter().filter_map(|document| Some((real_path(document.path)?, document.text)));
    let concerns = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        path.starts_with(&server.root) && server.spec.extensions.contains_key(extension)
    };
    with_path.filter(|(path, _)| concerns(path)).collect()
}

fn with_unsaved<'a>(document: Document<'a>, unsaved: &'a [(PathBuf, &'a str)]) -> Vec<Document<'a>> {
    let unsaved = unsaved.iter().map(|(path, text)| Document { path, text });
    let mut documents: Vec<Document> = unsaved.filter(|other| other.path != document.path).collect();
    documents.push(document);
    documents
}

/// The path without links. A file that is not there yet has the real path of its directory.
fn real_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

/// The outermost directory from the trusted root down to the file that has a marker: one server then sees the whole of a
/// repository with many packages. Without any marker, the trusted root.
fn project_root(path: &Path, trusted: &Path, markers: &[String]) -> PathBuf {
    let below = path.ancestors().skip(1).take_while(|directory| directory.starts_with(trusted));
    let outermost = below.filter(|directory| markers.iter().any(|marker| has_marker(directory, marker))).last();
    outermost.unwrap_or(trusted).to_path_buf()
}

fn has_marker(directory: &Path, marker: &str) -> bool {
    let Some(suffix) = marker.strip_prefix('*') else { return directory.join(marker).is_file() };
    let mut names = directory.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_marker_is_the_project_root() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        let markers = ["go.mod".to_string(), "*.sln".to_string()];
        let find = || project_root(&root.join("a/b/c/x.go"), &root, &markers);
        assert_eq!(find(), root);
        std::fs::write(root.join("a/b/go.mod"), "").unwrap();
        assert_eq!(find(), root.join("a/b"));
        std::fs::write(root.join("a/x.sln"), "").unwrap();
        assert_eq!(find(), root.join("a"));
    }

    #[test]
    fn nothing_is_served_outside_trusted_roots() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let trusted = Trusted::by_decision_of_the_user(inside.path()).unwrap();
        let pool = Pool::new(vec![trusted], Settings::default());
        let file = outside.path().join("x.py");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(pool.prepare(&file), Err(Error::Untrusted)));
        #[cfg(unix)]
        {
            let link = inside.path().join("link.py");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            assert!(matches!(pool.prepare(&link), Err(Error::Untrusted)));
        }
        assert!(matches!(pool.prepare(&inside.path().join("x.unknown")), Err(Error::NoServer { .. })));
        assert!(pool.status().is_empty());
    }
}
