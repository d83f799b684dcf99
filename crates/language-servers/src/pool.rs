//! The servers of all trusted roots, by server and project root: chosen by a file's extension,
//! started by the first question, and watched by one thread. `questions` asks them.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, RwLock};

use crate::Error;
use crate::catalogue::{Catalogue, ServerSpec};
use crate::client::Limit;
use crate::detect::{Detected, ServerReport, detect_one};
use crate::documents::FileChange;
use crate::incoming::ServerEpochs;
use crate::process::ServerLaunch;
use crate::server::{LanguageServer, ServerStatus, State};

/// How often the watch looks.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);
/// How often it weighs: reading every process of the machine costs a millisecond or more.
const WEIGH_INTERVAL: Duration = Duration::from_secs(2);
/// A server that does not look at the disk has so many changed files opened for it; with more it
/// starts from zero.
const MOST_OPENED_CHANGES: usize = 32;
/// How long a server that did not run when it was looked for counts as broken: it may have been the
/// machine that was busy.
const BROKEN_FOR: Duration = Duration::from_secs(30);

/// That somebody decided to let programs run on what this directory holds: build scripts, plugins,
/// compilers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    root: PathBuf,
}

impl Trusted {
    /// Call this only for a root that the user named to `codecompass trust` or to the flag of the
    /// same meaning. A directory's own content (its configuration, its name, that it was opened) is
    /// never such a decision.
    pub fn by_decision_of_the_user(root: &Path) -> std::io::Result<Trusted> {
        Ok(Trusted {
            root: dunce::canonicalize(root)?,
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

#[derive(Debug, Clone)]
pub struct PoolSettings {
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

impl Default for PoolSettings {
    fn default() -> PoolSettings {
        PoolSettings {
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

/// Dropping the pool ends every server.
pub struct Pool {
    pub(crate) shared: Arc<PoolState>,
}

pub(crate) struct PoolState {
    pub settings: PoolSettings,
    trusted: RwLock<Vec<Trusted>>,
    servers: Mutex<BTreeMap<(String, PathBuf), Arc<LanguageServer>>>,
    /// What detection found, by server, and when; `None` while it looks.
    detected: Mutex<HashMap<String, Option<(ServerReport, Instant)>>>,
    detection: Condvar,
    epochs: Arc<ServerEpochs>,
    over: Mutex<bool>,
    wake: Condvar,
}

impl Pool {
    pub fn new(trusted: Vec<Trusted>, settings: PoolSettings) -> Pool {
        let shared = Arc::new(PoolState {
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
        if let Err(error) = thread::Builder::new()
            .name("lsp watch".into())
            .spawn(move || watched.watch())
        {
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

    /// Serves no root any longer that is not trusted now, and ends the servers of what is no longer
    /// below one.
    pub fn keep_trusted(&self, is_trusted: impl Fn(&Path) -> bool) {
        let mut roots = self.shared.trusted.write();
        let n_before = roots.len();
        roots.retain(|trusted| is_trusted(&trusted.root));
        if roots.len() == n_before {
            return;
        }
        // Held until they are gone: nobody may trust a root again and find its server on the way
        // out.
        let mut servers = self.shared.servers.lock();
        servers.retain(|_, server| {
            let stays = roots
                .iter()
                .any(|trusted| server.root.starts_with(&trusted.root));
            if !stays {
                server.stop("its root is no longer trusted", false);
            }
            stays
        });
    }

    /// Starts the server of this file if it is not running, and returns its state, without
    /// waiting for anything.
    pub fn prepare(&self, path: &Path) -> Result<State, Error> {
        match self.shared.server_for(path, &Limit::within(Duration::ZERO)) {
            Ok((server, _)) => Ok(server.prepare()),
            Err(Error::Starting { .. }) => Ok(State::Starting),
            Err(error) => Err(error),
        }
    }

    /// Tells every running server below whose root they lie of files that changed on disk.
    pub fn files_changed(&self, changes: &[FileChange]) {
        for server in self.shared.all() {
            let Some(running) = server.peek() else {
                continue;
            };
            let below = changes
                .iter()
                .filter(|change| change.path.starts_with(&server.root));
            let changes: Vec<FileChange> = below.cloned().collect();
            let of_its_language: Vec<FileChange> = changes
                .iter()
                .filter(|change| server.spec.language_id(&change.path).is_some())
                .cloned()
                .collect();
            if server.spec.ignores_disk && of_its_language.len() > MOST_OPENED_CHANGES {
                server.stop(
                    "many files changed, and it reads them only when it starts",
                    true,
                );
                continue;
            }
            let mut documents = running.documents.lock();
            // A server that is ending will read the disk when it starts again.
            let _ = documents.files_changed(&running.client, &changes);
            if server.spec.ignores_disk {
                let _ = documents.open_changed(&running.client, &server.spec, &of_its_language);
            }
        }
    }

    /// Every server that was ever asked for, in order of name and root.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.shared
            .all()
            .iter()
            .map(|server| server.status())
            .collect()
    }

    /// Restarts the servers of this name, or all; how many there are.
    pub fn restart(&self, server: Option<&str>) -> usize {
        // What was installed meanwhile shall be found.
        self.shared
            .detected
            .lock()
            .retain(|_, report| report.is_none());
        let chosen = self.shared.named(server);
        chosen.iter().for_each(LanguageServer::restart);
        chosen.len()
    }

    /// Stops the servers of this name, or all, until they are restarted; how many there are.
    pub fn stop(&self, server: Option<&str>) -> usize {
        let chosen = self.shared.named(server);
        chosen
            .iter()
            .for_each(|server| server.stop("stopped", false));
        chosen.len()
    }

    /// Grows whenever a server becomes ready or stops being ready: answers may have another
    /// provider, or other content.
    pub fn text_epoch(&self) -> u64 {
        self.shared.observe();
        self.shared.epochs.provider.load(Ordering::Acquire)
    }

    /// Grows with [`Pool::text_epoch`], and whenever a server publishes diagnostics other than
    /// before.
    pub fn diagnostics_epoch(&self) -> u64 {
        self.shared.observe();
        self.shared.epochs.diagnostics.load(Ordering::Acquire)
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

impl PoolState {
    fn all(&self) -> Vec<Arc<LanguageServer>> {
        self.servers.lock().values().cloned().collect()
    }

    fn named(&self, name: Option<&str>) -> Vec<Arc<LanguageServer>> {
        self.all()
            .into_iter()
            .filter(|server| name.is_none_or(|name| server.spec.name == name))
            .collect()
    }

    fn observe(&self) {
        for server in self.all() {
            server.state();
        }
    }

    pub fn is_trusted(&self, path: &Path) -> bool {
        self.trusted
            .read()
            .iter()
            .any(|trusted| path.starts_with(&trusted.root))
    }

    /// The server of a file, and the file's real path. Waits for detection within the limit, not
    /// for the server.
    pub fn server_for(
        self: &Arc<PoolState>,
        path: &Path,
        limit: &Limit,
    ) -> Result<(Arc<LanguageServer>, PathBuf), Error> {
        let path = real_path(path).ok_or(Error::Untrusted)?;
        let trusted = self
            .trusted
            .read()
            .iter()
            .find(|trusted| path.starts_with(&trusted.root))
            .cloned();
        let trusted = trusted.ok_or(Error::Untrusted)?;
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut hint = String::new();
        let mut broken = None;
        for spec in self.settings.catalogue.for_extension(&extension) {
            let report = self.detected(spec, limit)?;
            match (report.state, report.path) {
                (Detected::Works, Some(program)) => {
                    let root = project_root(&path, trusted.root(), &spec.root_markers);
                    return Ok((self.server(spec, root, program), path));
                }
                (Detected::Broken { reason }, _) => {
                    _ = broken.get_or_insert((spec.name.clone(), reason))
                }
                _ if hint.is_empty() => hint = format!("; install one: {}", spec.install),
                _ => {}
            }
        }
        match broken {
            Some((server, reason)) => Err(Error::Unavailable {
                server,
                reason,
                retry_after: Some(BROKEN_FOR),
            }),
            None => Err(Error::NoServer { extension, hint }),
        }
    }

    fn server(&self, spec: &ServerSpec, root: PathBuf, program: PathBuf) -> Arc<LanguageServer> {
        let mut servers = self.servers.lock();
        let key = (spec.name.clone(), root.clone());
        let server = servers.entry(key).or_insert_with(|| {
            let mut hasher = DefaultHasher::new();
            root.hash(&mut hasher);
            let cache = self.settings.cache_directory.join(format!(
                "{}-{:016x}",
                spec.name,
                hasher.finish()
            ));
            let launch = ServerLaunch {
                guard: self.settings.guard.clone(),
                program,
                args: spec.args.clone(),
                directory: root.clone(),
                search_path: self.settings.search_path.clone(),
            };
            LanguageServer::new(
                Arc::new(spec.clone()),
                root,
                launch,
                cache,
                self.epochs.clone(),
            )
        });
        server.clone()
    }

    /// What detection says about this server; it runs once, beside us, since it may take seconds.
    fn detected(
        self: &Arc<PoolState>,
        spec: &ServerSpec,
        limit: &Limit,
    ) -> Result<ServerReport, Error> {
        let mut detected = self.detected.lock();
        let is_over = |known: &(ServerReport, Instant)| {
            matches!(known.0.state, Detected::Broken { .. }) && known.1.elapsed() > BROKEN_FOR
        };
        if detected
            .get(&spec.name)
            .is_none_or(|known| known.as_ref().is_some_and(is_over))
        {
            if crate::process::find_program(&spec.command, &self.settings.search_path).is_none() {
                // Nothing to run, nothing to wait for.
                let report = detect_one(spec, &self.settings.search_path);
                detected.insert(spec.name.clone(), Some((report, Instant::now())));
            } else {
                detected.insert(spec.name.clone(), None);
                self.detect_beside(spec.clone());
            }
        }
        loop {
            match detected.get(&spec.name) {
                Some(Some((report, _))) => return Ok(report.clone()),
                Some(None) => {}
                // A restart forgot it.
                None => {
                    return Err(Error::Starting {
                        server: spec.name.clone(),
                    });
                }
            }
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if Instant::now() >= limit.deadline {
                return Err(Error::Starting {
                    server: spec.name.clone(),
                });
            }
            let slice = limit
                .deadline
                .min(Instant::now() + Duration::from_millis(50));
            self.detection.wait_until(&mut detected, slice);
        }
    }

    fn detect_beside(self: &Arc<PoolState>, spec: ServerSpec) {
        let shared = self.clone();
        let detect = move || {
            let report = detect_one(&spec, &shared.settings.search_path);
            shared
                .detected
                .lock()
                .insert(spec.name, Some((report, Instant::now())));
            shared.detection.notify_all();
        };
        if let Err(error) = thread::Builder::new()
            .name("lsp detect".into())
            .spawn(detect)
        {
            tracing::error!(%error, "no thread to look for a language server");
        }
    }

    fn watch(self: Arc<PoolState>) {
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

    /// Ends servers over their ceiling, and while all together are over theirs, the one unused for
    /// longest.
    fn weigh(&self) {
        let mut weights = Vec::new();
        for server in self.all() {
            let Some(running) = server.peek() else {
                continue;
            };
            let Some(bytes) = running.client.process.resident_bytes() else {
                continue;
            };
            if bytes > self.settings.memory_per_server {
                let (used, ceiling) = (bytes >> 20, self.settings.memory_per_server >> 20);
                running.client.kill(&format!(
                    "it used {used} MiB of memory, over its ceiling of {ceiling} MiB"
                ));
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

/// The path without links. A file that is not there yet has the real path of its directory.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    dunce::canonicalize(path).ok().or_else(|| {
        Some(
            dunce::canonicalize(path.parent()?)
                .ok()?
                .join(path.file_name()?),
        )
    })
}

/// The outermost directory from the trusted root down to the file that has a marker: one server
/// then sees the whole of a repository with many packages. Without any marker, the trusted root.
pub fn project_root(path: &Path, trusted: &Path, markers: &[String]) -> PathBuf {
    let below = path
        .ancestors()
        .skip(1)
        .take_while(|directory| directory.starts_with(trusted));
    let outermost = below
        .filter(|directory| markers.iter().any(|marker| has_marker(directory, marker)))
        .last();
    outermost.unwrap_or(trusted).to_path_buf()
}

fn has_marker(directory: &Path, marker: &str) -> bool {
    let Some(suffix) = marker.strip_prefix('*') else {
        return directory.join(marker).is_file();
    };
    let mut names = directory
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_marker_is_the_project_root() {
        let directory = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(directory.path()).unwrap();
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
        let pool = Pool::new(vec![trusted], PoolSettings::default());
        let file = outside.path().join("x.py");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(pool.prepare(&file), Err(Error::Untrusted)));
        #[cfg(unix)]
        {
            let link = inside.path().join("link.py");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            assert!(matches!(pool.prepare(&link), Err(Error::Untrusted)));
        }
        assert!(matches!(
            pool.prepare(&inside.path().join("x.unknown")),
            Err(Error::NoServer { .. })
        ));
        assert!(pool.status().is_empty());
    }
}
