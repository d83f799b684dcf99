//! Several workspaces in one process: opened by path, kept open while they are used, remembered by
//! name on disk.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{Error, Options, Result, Workspace};

/// The workspaces of a process. Nothing outside the allowed roots is opened.
pub struct Workspaces {
    options: Options,
    /// Real paths; `None` allows everything, which is for the command line.
    allowed: Option<Vec<PathBuf>>,
    /// The most recently used last.
    open: Mutex<Vec<Arc<Workspace>>>,
}

/// A workspace that someone has registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    pub root: PathBuf,
    /// Milliseconds since 1970.
    pub registered: i64,
    pub used: i64,
}

/// Open workspaces beyond these are closed, the least recently used first, unless a request still
/// holds them.
const WARM: usize = 8;

impl Workspaces {
    /// Allowed roots that do not exist allow nothing.
    pub fn new(options: Options, allowed: Option<&[PathBuf]>) -> Workspaces {
        let allowed = allowed.map(|roots| {
            roots
                .iter()
                .filter_map(|root| root.canonicalize().ok())
                .collect()
        });
        Workspaces {
            options,
            allowed,
            open: Mutex::default(),
        }
    }

    /// The workspace that a directory belongs to.
    pub fn open(&self, directory: &Path) -> Result<Arc<Workspace>> {
        let real = directory
            .canonicalize()
            .map_err(|source| Error::NotADirectory {
                path: directory.to_path_buf(),
                source,
            })?;
        self.check(&real)?;
        let known = |open: &mut Vec<Arc<Workspace>>| {
            let i = open.iter().position(|workspace| workspace.root() == real)?;
            let workspace = open.remove(i);
            open.push(workspace.clone());
            Some(workspace)
        };
        if let Some(workspace) = known(&mut self.open.lock()) {
            return Ok(workspace);
        }
        let workspace = Workspace::open(&real, self.options.clone())?;
        // The repository around an allowed directory need not be allowed.
        self.check(workspace.root())?;
        let mut open = self.open.lock();
        // Another request may have been quicker, or the directory lies inside a workspace that is
        // open.
        if let Some(i) = open
            .iter()
            .position(|other| other.root() == workspace.root())
        {
            let other = open.remove(i);
            open.push(other.clone());
            return Ok(other);
        }
        open.push(workspace.clone());
        while open.len() > WARM {
            let Some(i) = open
                .iter()
                .position(|workspace| Arc::strong_count(workspace) == 1)
            else {
                break;
            };
            open.remove(i);
        }
        Ok(workspace)
    }

    /// Remembers a workspace for later processes. Writes nothing into the repository.
    pub fn register(&self, directory: &Path) -> Result<Arc<Workspace>> {
        let workspace = self.open(directory)?;
        let now = store::now_ms();
        let mut registered = self.registered();
        match registered
            .iter_mut()
            .find(|known| known.root == workspace.root())
        {
            Some(known) => known.used = now,
            None => registered.push(Registered {
                root: workspace.root().to_path_buf(),
                registered: now,
                used: now,
            }),
        }
        self.write(registered)?;
        Ok(workspace)
    }

    pub fn forget(&self, root: &Path) -> Result<()> {
        let mut registered = self.registered();
        registered.retain(|known| known.root != root);
        self.open
            .lock()
            .retain(|workspace| workspace.root() != root);
        self.write(registered)
    }

    /// The registered workspaces that may be opened, the most recently used first.
    pub fn registered(&self) -> Vec<Registered> {
        let text = fs::read(self.file()).unwrap_or_default();
        // A file that is no list is as good as none; it is written anew with the next registration.
        let mut registered: Vec<Registered> = serde_json::from_slice(&text).unwrap_or_default();
        registered.retain(|known| self.check(&known.root).is_ok());
        registered.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.root.cmp(&b.root)));
        registered
    }

    /// The workspaces that are open, the most recently used first.
    pub fn warm(&self) -> Vec<Arc<Workspace>> {
        self.open.lock().iter().rev().cloned().collect()
    }

    /// Opens the most recently used registered workspaces, so that their first question finds them
    /// ready.
    pub fn prewarm(&self, limit: usize) -> Vec<Arc<Workspace>> {
        let recent = self.registered().into_iter().take(limit.min(WARM));
        recent
            .filter_map(|known| self.open(&known.root).ok())
            .collect()
    }

    fn check(&self, real: &Path) -> Result<()> {
        let allows = |roots: &Vec<PathBuf>| roots.iter().any(|root| real.starts_with(root));
        if self.allowed.as_ref().is_none_or(allows) {
            Ok(())
        } else {
            Err(Error::OutsideRoots {
                path: real.to_path_buf(),
            })
        }
    }

    fn file(&self) -> PathBuf {
        self.options
            .home
            .clone()
            .unwrap_or_else(store::home)
            .join("workspaces.json")
    }

    /// Written aside and renamed: a reader sees one list or the other.
    fn write(&self, registered: Vec<Registered>) -> Result<()> {
        let file = self.file();
        let failed = |source| Error::Io {
            path: file.clone(),
            source,
        };
        let text = serde_json::to_vec_pretty(&registered).map_err(|error| failed(error.into()))?;
        if let Some(directory) = file.parent() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        let aside = file.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&aside, text).map_err(failed)?;
        fs::rename(&aside, &file).map_err(failed)
    }
}
