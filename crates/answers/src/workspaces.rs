//! Which workspace a call means, and what of it stays in memory between calls.
//!
//! A call names a workspace by path, or none and means the default. Named on the command line means
//! *registered*; below an allowed root others are opened when a call asks for them, up to a limit,
//! and the one unused for longest makes room. Repositories that others published are named as they
//! are published, and need no directory.

use std::{
    path::{Component, Path, PathBuf},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use engine::{Budget, Unreadable};
use parking_lot::Mutex;
use workspace::{Freshness, Options, PublishedIndexes, SnapshotView, Workspace};

use crate::{
    At, NotServed, Result, Scope, Session, Waits,
    session::{self, FreshnessPolicy},
    snapshot_cache::SnapshotCaches,
};

/// How workspaces are found and opened. All paths are real.
#[derive(Clone, Debug, Default)]
pub struct Routing {
    /// In the order of the command line; the first is the default.
    pub registered: Vec<PathBuf>,
    /// Below these, a workspace that nobody named may be opened; none where that is switched off.
    pub allowed_roots: Vec<PathBuf>,
    /// How many such workspaces are open at once.
    pub at_most: usize,
    pub options: Options,
    pub published: Option<PublishedRouting>,
}

/// Published repositories that are served without a checkout.
#[derive(Clone, Debug)]
pub struct PublishedRouting {
    pub indexes: Arc<dyn PublishedIndexes>,
    /// Which of them. Where it names one only, that is the default.
    pub repositories: Scope,
}

/// How far reading ahead has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prewarm {
    Pending,
    Warming,
    Complete,
    Failed,
    Skipped,
}

/// The workspaces that this process serves, as far as a caller may know of them.
pub struct Workspaces {
    shared: Arc<SharedWorkspaces>,
    /// Nothing outside it is found, listed or counted.
    scope: Scope,
    /// Those registered within the scope.
    registered: Vec<PathBuf>,
}

struct SharedWorkspaces {
    routing: Routing,
    open: Mutex<Vec<Open>>,
    caches: SnapshotCaches,
    stays: AtomicBool,
    prewarm: AtomicU8,
}

struct Open {
    workspace: Arc<Workspace>,
    registered: bool,
    used: Instant,
}

/// Workspaces read ahead at start, and named as warm in health checks.
/// `CODECOMPASS_WARMSET_CAPACITY` overrides.
const WARMSET: usize = 3;
/// Names in the message to a caller who named no repository.
const SHOWN_NAMES: usize = 20;
/// Published repositories that are open at once, where nothing else is said.
const PUBLISHED_AT_ONCE: usize = 64;

impl Workspaces {
    pub fn new(routing: Routing) -> Workspaces {
        Workspaces {
            registered: routing.registered.clone(),
            shared: Arc::new(SharedWorkspaces {
                routing,
                open: Mutex::default(),
                caches: SnapshotCaches::default(),
                stays: AtomicBool::new(false),
                prewarm: AtomicU8::new(Prewarm::Pending as u8),
            }),
            scope: Scope::all(),
        }
    }

    /// The same workspaces for a caller who may know of some only.
    pub fn within(&self, scope: &Scope) -> Workspaces {
        let registered = self.shared.routing.registered.iter();
        let is_within = |root: &&PathBuf| scope.allows(&root.to_string_lossy());
        Workspaces {
            shared: self.shared.clone(),
            scope: scope.clone(),
            registered: registered.filter(is_within).cloned().collect(),
        }
    }

    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// For hosts without any.
    pub fn none() -> &'static Workspaces {
        static NONE: LazyLock<Workspaces> = LazyLock::new(|| Workspaces::new(Routing::default()));
        &NONE
    }

    /// From now on the process is taken to stay: working trees that are opened are watched.
    pub fn stay(&self) {
        self.shared.stays.store(true, Ordering::Relaxed);
    }

    /// The workspace that a call means.
    pub fn find(&self, named: Option<&str>) -> std::result::Result<Arc<Workspace>, NotServed> {
        let Some(named) = named else {
            return match (self.registered.first(), &self.shared.routing.published) {
                (Some(default), _) => self.open_workspace(default, true),
                (None, Some(published)) => self.default_published(published),
                (None, None) => Err(NotServed::NoProject),
            };
        };
        if named.is_empty() || named.contains('\0') {
            return Err(NotServed::NotAllowed);
        }
        if let Some(published) = &self.shared.routing.published
            && !Path::new(named).is_absolute()
        {
            return self.find_published(published, named);
        }
        let real =
            dunce::canonicalize(Path::new(named)).map_err(|_| self.unresolved(Path::new(named)))?;
        // The nearest one around it: a path inside a registered repository means that repository.
        let around = self.registered.iter().filter(|root| real.starts_with(root));
        if let Some(registered) = around.max_by_key(|root| root.components().count()) {
            return self.open_workspace(registered, true);
        }
        let routing = &self.shared.routing;
        if routing.allowed_roots.is_empty() {
            return Err(NotServed::NotRegistered);
        }
        let allowed = |real: &Path| {
            let mut roots = routing.allowed_roots.iter();
            roots.any(|root| real.starts_with(root)) && self.scope.allows(&real.to_string_lossy())
        };
        if !allowed(&real) || !real.is_dir() {
            return Err(NotServed::NotAllowed);
        }
        // The repository around an allowed directory may reach beyond the roots.
        if !allowed(&Workspace::root_of(&real)?) {
            return Err(NotServed::NotAllowed);
        }
        self.open_workspace(&real, false)
    }

    /// Outside the registered workspaces, what is missing must not be told from what is there.
    fn unresolved(&self, named: &Path) -> NotServed {
        let named = lexical(&std::path::absolute(named).unwrap_or_else(|_| named.to_path_buf()));
        let inside = self.registered.iter().any(|root| named.starts_with(root));
        if inside || !self.shared.routing.allowed_roots.is_empty() {
            NotServed::NotAllowed
        } else {
            NotServed::NotRegistered
        }
    }

    /// A published repository. What is outside the scope is refused before anybody looks whether it
    /// exists.
    fn find_published(
        &self,
        published: &PublishedRouting,
        name: &str,
    ) -> std::result::Result<Arc<Workspace>, NotServed> {
        if !self.scope.allows(name) || !published.repositories.allows(name) {
            return Err(NotServed::Unpublished);
        }
        let root = Path::new(name);
        if let Some(workspace) = self.already_open(root) {
            return Ok(workspace);
        }
        match published.indexes.published_ref(name, None) {
            Ok(Some(_)) => {}
            Ok(None) => return Err(NotServed::Unpublished),
            Err(Unreadable) => return Err(NotServed::Failed(workspace::Error::Remote)),
        }
        let workspace =
            Workspace::published(name, &published.indexes, &self.shared.routing.options)?;
        self.keep(workspace, false)
    }

    /// The only repository of those that are served.
    fn default_published(
        &self,
        published: &PublishedRouting,
    ) -> std::result::Result<Arc<Workspace>, NotServed> {
        let names = self.repositories()?;
        match &names[..] {
            [only] => self.find_published(published, only),
            [] => Err(NotServed::Unpublished),
            _ => Err(NotServed::Unnamed {
                some: names
                    .iter()
                    .take(SHOWN_NAMES)
                    .map(|name| name.to_string())
                    .collect(),
                n_all: names.len(),
            }),
        }
    }

    pub(crate) fn published_routing(&self) -> Option<&PublishedRouting> {
        self.shared.routing.published.as_ref()
    }

    /// The names of all published repositories within the scope, in order.
    pub fn repositories(&self) -> std::result::Result<Vec<Box<str>>, NotServed> {
        let Some(published) = &self.shared.routing.published else {
            return Ok(Vec::new());
        };
        let mut names = match published.repositories.names() {
            Some(names) => names,
            None => {
                let listed = published.indexes.repositories();
                listed.map_err(|Unreadable| NotServed::Failed(workspace::Error::Remote))?
            }
        };
        let is_within = |name: &str| self.scope.allows(name) && published.repositories.allows(name);
        names.retain(|name| is_within(name));
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Opens a request's snapshot, waiting for what is not indexed yet as long as it may.
    pub fn open(
        &self,
        workspace: Arc<Workspace>,
        at: At<'_>,
        policy: FreshnessPolicy,
        waits: &Waits,
        budget: Budget,
    ) -> Result<Session> {
        let (view, freshness) = session::view_at(&workspace, at, policy, waits, &budget)?;
        let session = self.session(workspace, view, freshness, budget);
        session.apply(policy)?;
        Ok(session)
    }

    /// A session on a view that is already at hand: an overlay, unsaved files, a commit by its id.
    /// What is worked out about it is kept between calls as long as the view is among the recent
    /// ones.
    pub fn session(
        &self,
        workspace: Arc<Workspace>,
        view: Arc<SnapshotView>,
        freshness: Freshness,
        mut budget: Budget,
    ) -> Session {
        budget.watch(view.snapshot.corpus());
        let cache = self.shared.caches.of(&workspace, &view);
        Session {
            workspace,
            view,
            freshness,
            analysis: cache.analysis.clone(),
            budget,
            cache,
            cold: None,
        }
    }

    /// The open workspaces: registered ones in their order, then the others, the most recently used
    /// first.
    pub fn opened(&self) -> Vec<Arc<Workspace>> {
        let open = self.shared.open.lock();
        let mut listed: Vec<&Open> = open.iter().filter(|open| self.is_within(open)).collect();
        let place = |open: &Open| {
            self.registered
                .iter()
                .position(|root| open.registered && root == open.workspace.root())
        };
        listed.sort_by_key(|open| {
            (
                place(open).unwrap_or(usize::MAX),
                std::cmp::Reverse(open.used),
            )
        });
        listed
            .into_iter()
            .map(|open| open.workspace.clone())
            .collect()
    }

    /// How workspaces are opened.
    pub fn options(&self) -> &Options {
        &self.shared.routing.options
    }

    pub fn registered(&self) -> &[PathBuf] {
        &self.registered
    }

    fn is_within(&self, open: &Open) -> bool {
        self.scope.allows(&open.workspace.root().to_string_lossy())
    }

    /// How many workspaces are kept warm, and which: the default first, then the most recently
    /// used.
    pub fn warmset(&self) -> (usize, Vec<PathBuf>) {
        let capacity = std::env::var("CODECOMPASS_WARMSET_CAPACITY")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(WARMSET);
        let open = self.shared.open.lock();
        let mut listed: Vec<&Open> = open.iter().filter(|open| self.is_within(open)).collect();
        let default = self.registered.first();
        listed.sort_by_key(|open| {
            (
                default.is_none_or(|root| root != open.workspace.root()),
                std::cmp::Reverse(open.used),
            )
        });
        (
            capacity,
            listed
                .into_iter()
                .take(capacity)
                .map(|open| open.workspace.root().to_path_buf())
                .collect(),
        )
    }

    pub fn prewarm_status(&self) -> Prewarm {
        const ALL: [Prewarm; 5] = [
            Prewarm::Pending,
            Prewarm::Warming,
            Prewarm::Complete,
            Prewarm::Failed,
            Prewarm::Skipped,
        ];
        ALL[self.shared.prewarm.load(Ordering::Relaxed) as usize]
    }

    pub fn skip_prewarm(&self) {
        self.shared
            .prewarm
            .store(Prewarm::Skipped as u8, Ordering::Relaxed);
    }

    /// Reads ahead what the first questions will need. Blocks; for a thread of its own.
    pub fn prewarm(&self) {
        self.shared
            .prewarm
            .store(Prewarm::Warming as u8, Ordering::Relaxed);
        let (capacity, _) = self.warmset();
        let mut done = Prewarm::Complete;
        for root in self.registered.iter().take(capacity) {
            if let Err(error) = self.warm(root) {
                tracing::warn!(%error, root = %root.display(), "cannot be read ahead");
                done = Prewarm::Failed;
            }
        }
        self.shared.prewarm.store(done as u8, Ordering::Relaxed);
    }

    fn warm(&self, root: &Path) -> std::result::Result<(), NotServed> {
        /// The first index of a large repository takes longer; it goes on by itself.
        const PATIENCE: Duration = Duration::from_secs(10);
        let workspace = self.open_workspace(root, true)?;
        let (view, freshness) = workspace.at_ref(None, PATIENCE)?;
        let session = self.session(workspace, view, freshness, Budget::unlimited());
        // What every search needs, and the tables that every name goes through.
        session.lexicon();
        session.path_words();
        session.workspace.text().statistics(&session.view)?;
        Ok(())
    }

    fn open_workspace(
        &self,
        root: &Path,
        registered: bool,
    ) -> std::result::Result<Arc<Workspace>, NotServed> {
        if let Some(workspace) = self.already_open(root) {
            return Ok(workspace);
        }
        let mut options = self.shared.routing.options.clone();
        options.watch |= self.shared.stays.load(Ordering::Relaxed);
        self.keep(Workspace::open(root, options)?, registered)
    }

    /// Keeps a workspace open, unless it is already.
    fn keep(
        &self,
        workspace: Arc<Workspace>,
        registered: bool,
    ) -> std::result::Result<Arc<Workspace>, NotServed> {
        // The one that must make room may only be finishing what the last question started.
        let until = Instant::now() + Duration::from_secs(2);
        loop {
            let mut open = self.shared.open.lock();
            // Someone else may have opened it meanwhile, or it is the repository around `root`,
            // which is open.
            if let Some(other) = open
                .iter_mut()
                .find(|open| open.workspace.root() == workspace.root())
            {
                other.registered |= registered;
                other.used = Instant::now();
                return Ok(other.workspace.clone());
            }
            match if registered {
                Ok(())
            } else {
                self.make_room(&mut open)
            } {
                Ok(()) => {
                    open.push(Open {
                        workspace: workspace.clone(),
                        registered,
                        used: Instant::now(),
                    });
                    return Ok(workspace);
                }
                Err(error) if self.at_most() == 0 || Instant::now() >= until => {
                    return Err(error);
                }
                Err(_) => drop(open),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// How many workspaces that nobody registered are open at once.
    fn at_most(&self) -> usize {
        let routing = &self.shared.routing;
        match &routing.published {
            Some(_) => routing.at_most.max(PUBLISHED_AT_ONCE),
            None => routing.at_most,
        }
    }

    fn already_open(&self, root: &Path) -> Option<Arc<Workspace>> {
        let mut open = self.shared.open.lock();
        let found = open.iter_mut().find(|open| open.workspace.root() == root)?;
        found.used = Instant::now();
        Some(found.workspace.clone())
    }

    /// Closes the workspace that was unused for longest, of those nobody named and nobody uses.
    fn make_room(&self, open: &mut Vec<Open>) -> std::result::Result<(), NotServed> {
        let at_most = self.at_most();
        while open.iter().filter(|open| !open.registered).count() >= at_most.max(1) {
            let idle = |open: &Open| {
                !open.registered
                    && Arc::strong_count(&open.workspace) == 1
                    && open.workspace.jobs().running().is_none()
            };
            let oldest = open
                .iter()
                .enumerate()
                .filter(|(_, open)| idle(open))
                .min_by_key(|(_, open)| open.used);
            let Some((i, _)) = oldest else {
                return Err(NotServed::LimitExceeded { at_most });
            };
            open.remove(i);
        }
        if at_most == 0 {
            Err(NotServed::LimitExceeded { at_most })
        } else {
            Ok(())
        }
    }
}

impl Prewarm {
    pub fn as_str(self) -> &'static str {
        match self {
            Prewarm::Pending => "pending",
            Prewarm::Warming => "warming",
            Prewarm::Complete => "complete",
            Prewarm::Failed => "failed",
            Prewarm::Skipped => "skipped",
        }
    }
}

/// A path without `.` and `..`, as far as that can be told without looking.
pub fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routing(registered: &[&Path], allowed: &[&Path], at_most: usize) -> Workspaces {
        let real = |paths: &[&Path]| {
            paths
                .iter()
                .map(|path| dunce::canonicalize(path).unwrap())
                .collect()
        };
        let options = Options {
            in_memory: true,
            ..Options::default()
        };
        Workspaces::new(Routing {
            registered: real(registered),
            allowed_roots: real(allowed),
            at_most,
            options,
            published: None,
        })
    }

    fn name(path: &Path) -> Option<&str> {
        path.to_str()
    }

    #[test]
    fn without_a_name_the_first_registered_workspace_is_meant() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspaces = routing(&[one.path(), two.path()], &[], 0);
        assert_eq!(
            workspaces.find(None).unwrap().root(),
            dunce::canonicalize(one.path()).unwrap()
        );
        assert_eq!(
            workspaces.find(name(two.path())).unwrap().root(),
            dunce::canonicalize(two.path()).unwrap()
        );
        assert!(matches!(
            routing(&[], &[], 0).find(None),
            Err(NotServed::NoProject)
        ));
    }

    #[test]
    fn a_path_inside_a_registered_workspace_means_it() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("inner")).unwrap();
        let workspaces = routing(&[root.path()], &[], 0);
        assert_eq!(
            workspaces
                .find(name(&root.path().join("inner")))
                .unwrap()
                .root(),
            dunce::canonicalize(root.path()).unwrap()
        );
        assert!(matches!(
            workspaces.find(name(&root.path().join("absent"))),
            Err(NotServed::NotAllowed)
        ));
    }

    #[test]
    fn others_need_an_allowed_root() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(matches!(
            routing(&[one.path()], &[], 10).find(name(other.path())),
            Err(NotServed::NotRegistered)
        ));
        assert!(matches!(
            routing(&[one.path()], &[one.path()], 10).find(name(other.path())),
            Err(NotServed::NotAllowed)
        ));
        // Whether something is there is nobody's business.
        let missing = other.path().join("missing");
        assert!(matches!(
            routing(&[one.path()], &[], 10).find(name(&missing)),
            Err(NotServed::NotRegistered)
        ));
        assert!(matches!(
            routing(&[one.path()], &[one.path()], 10).find(name(&missing)),
            Err(NotServed::NotAllowed)
        ));
        assert!(
            routing(&[one.path()], &[other.path()], 10)
                .find(name(other.path()))
                .is_ok()
        );
    }

    #[test]
    fn the_one_unused_for_longest_makes_room_unless_all_are_busy() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        let workspaces = routing(&[], &[root.path()], 2);
        let path = |name: &str| dunce::canonicalize(root.path()).unwrap().join(name);
        workspaces.find(name(&path("a"))).unwrap();
        workspaces.find(name(&path("b"))).unwrap();
        workspaces.find(name(&path("a"))).unwrap();
        let held = workspaces.find(name(&path("c"))).unwrap();
        let open: Vec<_> = workspaces
            .opened()
            .iter()
            .map(|open| open.root().to_path_buf())
            .collect();
        assert_eq!(open, [path("c"), path("a")]);
        let also_held = workspaces.find(name(&path("a"))).unwrap();
        assert!(matches!(
            workspaces.find(name(&path("b"))),
            Err(NotServed::LimitExceeded { at_most: 2 })
        ));
        drop((held, also_held));
    }
}
