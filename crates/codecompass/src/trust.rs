//! The workspaces whose code may run: language servers and precise indexers start build scripts and
//! plugins.
//!
//! Kept in the user's configuration, never in a repository, which could otherwise trust itself.

use std::{
    collections::BTreeSet,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::Context;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::platform;

#[derive(Debug, Default)]
pub struct Trust {
    file: PathBuf,
    /// Real paths. A trusted directory covers what lies below it.
    directories: BTreeSet<PathBuf>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(default)]
    trusted: BTreeSet<PathBuf>,
}

/// The decisions as they are now: trusting a workspace does not require starting a running server
/// again.
#[derive(Debug)]
pub struct LiveTrust {
    config: PathBuf,
    known: Mutex<(Option<SystemTime>, Trust)>,
}

impl LiveTrust {
    pub fn load(config: &Path) -> anyhow::Result<LiveTrust> {
        let trust = Trust::load(config)?;
        Ok(LiveTrust {
            config: config.to_path_buf(),
            known: Mutex::new((modified(&trust.file), trust)),
        })
    }

    pub fn covers(&self, real: &Path) -> bool {
        let mut known = self.known.lock();
        let now = modified(&known.1.file);
        if now != known.0 {
            match Trust::load(&self.config) {
                Ok(trust) => *known = (now, trust),
                // A file that cannot be read trusts no workspace.
                Err(error) => {
                    tracing::warn!(%error, "no workspace is trusted");
                    *known = (
                        now,
                        Trust {
                            file: known.1.file.clone(),
                            directories: BTreeSet::new(),
                        },
                    );
                }
            }
        }
        known.1.covers(real)
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file)
        .and_then(|metadata| metadata.modified())
        .ok()
}

impl Trust {
    pub fn load(config: &Path) -> anyhow::Result<Trust> {
        let file = config.join("trust.toml");
        let stored = match fs::read_to_string(&file) {
            Ok(text) => toml::from_str(&text)
                .with_context(|| format!("{} is not usable", file.display()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Stored::default(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        Ok(Trust {
            file,
            directories: stored.trusted,
        })
    }

    pub fn covers(&self, real: &Path) -> bool {
        self.directories
            .iter()
            .any(|trusted| real.starts_with(trusted))
    }

    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.directories.iter().map(PathBuf::as_path)
    }

    /// The real path that is trusted from now on.
    pub fn add(&mut self, directory: &Path) -> anyhow::Result<PathBuf> {
        let real = dunce::canonicalize(directory)
            .with_context(|| format!("cannot trust {}", directory.display()))?;
        anyhow::ensure!(real.is_dir(), "{} is not a directory", directory.display());
        self.directories.insert(real.clone());
        self.save()?;
        Ok(real)
    }

    /// Whether it was trusted. Works for directories that are gone, too.
    pub fn remove(&mut self, directory: &Path) -> anyhow::Result<bool> {
        let removed = self.directories.remove(&real_or_former(directory)?);
        if removed {
            self.save()?;
        }
        Ok(removed)
    }

    fn save(&self) -> anyhow::Result<()> {
        let write = || -> anyhow::Result<()> {
            let directory = self.file.parent().context("no directory")?;
            platform::create_private_directory(directory)?;
            let text = toml::to_string(&Stored {
                trusted: self.directories.clone(),
            })?;
            Ok(platform::replace_file(&self.file, text.as_bytes())?)
        };
        write().with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// The real path, or what it was: the real path of what still exists, and the rest as it is
/// spelled.
fn real_or_former(directory: &Path) -> anyhow::Result<PathBuf> {
    if let Ok(real) = dunce::canonicalize(directory) {
        return Ok(real);
    }
    let spelled = answers::lexical(
        &std::path::absolute(directory).context("the current directory is unknown")?,
    );
    let former = spelled.ancestors().find_map(|existing| {
        let rest = spelled.strip_prefix(existing).ok()?;
        Some(dunce::canonicalize(existing).ok()?.join(rest))
    });
    Ok(former.unwrap_or(spelled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_kept_and_taken_back() {
        let place = tempfile::tempdir().unwrap();
        let (config, project) = (place.path().join("config"), place.path().join("project"));
        fs::create_dir_all(project.join("inner")).unwrap();
        fs::create_dir_all(place.path().join("project-2")).unwrap();
        let real = |path: &Path| dunce::canonicalize(path).unwrap();

        assert!(!Trust::load(&config).unwrap().covers(&real(&project)));
        Trust::load(&config).unwrap().add(&project).unwrap();
        let mut trust = Trust::load(&config).unwrap();
        assert!(trust.covers(&real(&project)));
        assert!(trust.covers(&real(&project.join("inner"))));
        assert!(!trust.covers(&real(&place.path().join("project-2"))));
        assert_eq!(trust.directories().count(), 1);
        assert!(trust.remove(&project).unwrap());
        assert!(!trust.remove(&project).unwrap());
        assert!(!Trust::load(&config).unwrap().covers(&real(&project)));
    }

    #[test]
    fn a_directory_that_is_gone_is_found_by_its_name() {
        let place = tempfile::tempdir().unwrap();
        let gone = place.path().join("gone");
        fs::create_dir(&gone).unwrap();
        fs::create_dir(place.path().join("other")).unwrap();
        let mut trust = Trust::load(&place.path().join("config")).unwrap();
        trust.add(&gone).unwrap();
        fs::remove_dir(&gone).unwrap();
        assert!(!trust.remove(&place.path().join("other/gone")).unwrap());
        assert!(trust.remove(&place.path().join("other/.././gone")).unwrap());
    }

    #[test]
    fn a_broken_file_trusts_nothing() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("trust.toml"), "trusted = 5").unwrap();
        assert!(Trust::load(place.path()).is_err());
    }
}
