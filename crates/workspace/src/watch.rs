//! The watcher only records which paths changed; the next request takes them and syncs.
//!
//! Only directories that belong to the repository are watched, one by one, so that `node_modules`
//! costs nothing. To know that every event up to now has arrived, a file is touched in a directory
//! of our own that the same watcher sees; events come in order.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;

use crate::{live::DirtyPaths, platform, rules::is_rule_file};

/// Watches one working tree. Dropped as soon as it cannot see everything.
pub struct Watch {
    root: PathBuf,
    watcher: RecommendedWatcher,
    watched: FxHashSet<String>,
    events: Arc<Events>,
    cookies: PathBuf,
}

#[derive(Default)]
struct Events {
    state: Mutex<WatchState>,
    cookie_seen: Condvar,
}

#[derive(Default)]
struct WatchState {
    /// Events were lost, or a rule changed: anything may differ.
    all: bool,
    paths: FxHashSet<String>,
    cookie: u64,
}

/// Longer than any queue takes to drain; after it the tree is looked at instead.
const PATIENCE: Duration = Duration::from_millis(250);

impl Watch {
    /// `None` where changes cannot be seen: a network file system, no watcher on this platform.
    pub fn start(root: &Path, cookies: PathBuf) -> Option<Watch> {
        if !platform::events_are_reliable(root) {
            return None;
        }
        fs::create_dir_all(&cookies).ok()?;
        let events = Arc::new(Events::default());
        let handler = {
            let events = events.clone();
            let (root, cookies) = (root.to_path_buf(), cookies.clone());
            move |event: notify::Result<Event>| events.record(&root, &cookies, event)
        };
        let mut watcher = notify::recommended_watcher(handler).ok()?;
        watcher.watch(&cookies, RecursiveMode::NonRecursive).ok()?;
        Some(Watch {
            root: root.to_path_buf(),
            watcher,
            watched: FxHashSet::default(),
            events,
            cookies,
        })
    }

    /// Watches directories that are not watched yet, and returns them: what happened in them before
    /// must be looked at once more. `Err` when no more can be watched.
    pub fn add(&mut self, directories: &[String]) -> Result<Vec<String>, notify::Error> {
        let mut added = Vec::new();
        for directory in directories {
            if self.watched.contains(directory) {
                continue;
            }
            match self
                .watcher
                .watch(&self.root.join(directory), RecursiveMode::NonRecursive)
            {
                Ok(()) => {}
                // Gone again, and its parent has the event.
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => continue,
                Err(notify::Error {
                    kind: notify::ErrorKind::Io(error),
                    ..
                }) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            self.watched.insert(directory.clone());
            added.push(directory.clone());
        }
        Ok(added)
    }

    /// The paths that changed since the last call, every event up to now included.
    pub fn take_dirty(&mut self) -> DirtyPaths {
        if !self.barrier() {
            return DirtyPaths::All;
        }
        let mut state = self.events.state.lock();
        let all = std::mem::take(&mut state.all);
        let paths = std::mem::take(&mut state.paths);
        drop(state);
        // A directory that was replaced has lost its watch; it is watched again when it is listed.
        for path in &paths {
            if self.watched.contains(path) {
                self.watched
                    .retain(|watched| !is_at_or_below(watched, path));
            }
        }
        if all {
            self.watched.clear();
            return DirtyPaths::All;
        }
        DirtyPaths::Some(paths)
    }

    /// Waits until every event that happened before has been taken.
    fn barrier(&self) -> bool {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let cookie = self.cookies.join(number.to_string());
        if fs::write(&cookie, b"").is_err() {
            return false;
        }
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.events.state.lock();
        while state.cookie < number {
            if self
                .events
                .cookie_seen
                .wait_until(&mut state, deadline)
                .timed_out()
            {
                break;
            }
        }
        let seen = state.cookie >= number;
        drop(state);
        let _ = fs::remove_file(cookie);
        seen
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.cookies);
    }
}

impl Events {
    fn record(&self, root: &Path, cookies: &Path, event: notify::Result<Event>) {
        let mut state = self.state.lock();
        let Ok(event) = event else {
            state.all = true;
            return;
        };
        if event.need_rescan() {
            state.all = true;
        }
        if matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
        {
            return;
        }
        for path in &event.paths {
            if let Ok(cookie) = path.strip_prefix(cookies) {
                let number = cookie
                    .to_str()
                    .and_then(|name| name.parse().ok())
                    .unwrap_or(0);
                if number > state.cookie {
                    state.cookie = number;
                    self.cookie_seen.notify_all();
                }
                continue;
            }
            match path.strip_prefix(root).map(Path::to_str) {
                Ok(Some("")) | Err(_) => state.all = true,
                Ok(Some(path)) => {
                    state.all |= is_rule_file(path.rsplit('/').next().unwrap_or(path));
                    state.paths.insert(path.to_owned());
                }
                // A name that is no Unicode text: the directory around it tells.
                Ok(None) => state.all = true,
            }
        }
    }
}

fn is_at_or_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
