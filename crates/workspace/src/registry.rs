//! The repositories that the user registered with `codecompass init`. A server that is started
//! without `--workspace` serves them beside the repository that it is started in.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Error, Options, Result};

/// The list of registered repositories: one file beside the indexes.
pub struct RepositoryRegistry(PathBuf);

#[derive(Serialize, Deserialize)]
struct Registration {
    root: PathBuf,
    /// Milliseconds since 1970.
    used: i64,
}

impl RepositoryRegistry {
    pub fn new(options: &Options) -> RepositoryRegistry {
        let home = options.home.clone().unwrap_or_else(store::home);
        RepositoryRegistry(home.join("workspaces.json"))
    }

    pub fn file(&self) -> &Path {
        &self.0
    }

    /// The roots of the registered repositories that exist, the most recently registered first.
    pub fn roots(&self) -> Vec<PathBuf> {
        let roots = self.read().into_iter().map(|known| known.root);
        roots.filter(|root| root.is_dir()).collect()
    }

    /// Registers a repository by its root; see [`crate::Workspace::root`].
    pub fn add(&self, root: &Path) -> Result<()> {
        let mut known = self.read();
        known.retain(|known| known.root != root);
        known.push(Registration {
            root: root.to_path_buf(),
            used: store::now_ms(),
        });
        self.write(&known)
    }

    pub fn remove(&self, root: &Path) -> Result<()> {
        let mut known = self.read();
        known.retain(|known| known.root != root);
        self.write(&known)
    }

    /// A file that is no list counts as an empty one; the next registration replaces it.
    fn read(&self) -> Vec<Registration> {
        let text = fs::read(&self.0).unwrap_or_default();
        let mut known: Vec<Registration> = serde_json::from_slice(&text).unwrap_or_default();
        known.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.root.cmp(&b.root)));
        known
    }

    /// Writes beside the file and renames: a reader sees one list or the other.
    fn write(&self, known: &[Registration]) -> Result<()> {
        let failed = |source| Error::Io {
            path: self.0.clone(),
            source,
        };
        let text = serde_json::to_vec_pretty(known).map_err(|error| failed(error.into()))?;
        if let Some(directory) = self.0.parent() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        let aside = self.0.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&aside, text).map_err(failed)?;
        fs::rename(&aside, &self.0).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_registration_comes_first_and_missing_directories_are_left_out() {
        let home = tempfile::tempdir().unwrap();
        let registry = RepositoryRegistry::new(&Options {
            home: Some(home.path().to_path_buf()),
            ..Options::default()
        });
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for directory in [&one, &two, &one] {
            registry.add(directory.path()).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert_eq!(registry.roots(), [one.path(), two.path()]);
        registry.remove(one.path()).unwrap();
        assert_eq!(registry.roots(), [two.path()]);
        drop(two);
        assert!(registry.roots().is_empty());
    }
}
