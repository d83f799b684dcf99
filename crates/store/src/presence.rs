//! Which processes use an index right now. Each holds a lock on a file of its own; the lock dies
//! with the process, so a killed holder is noticed without process ids, which are reused, or
//! heartbeats, which lie after a suspend.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{Error, Result, database::create_private_directory};

/// This process's entry; gone when dropped or when the process ends, in whatever way.
#[derive(Debug)]
pub struct Presence {
    directory: Option<PathBuf>,
    name: String,
    _file: Option<File>,
}

impl Presence {
    pub(crate) fn announce(directory: &Path) -> Result<Presence> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        create_private_directory(directory)?;
        loop {
            let name = format!(
                "{}-{}-{}",
                std::process::id(),
                NEXT.fetch_add(1, Ordering::Relaxed),
                crate::clock::now_ms()
            );
            let path = directory.join(&name);
            let file = File::create(&path).map_err(|source| cannot_create(&path, source))?;
            // A process that removes old entries may have locked and removed it in between.
            if file.try_lock().is_ok() && path.exists() {
                return Ok(Presence {
                    directory: Some(directory.to_path_buf()),
                    name,
                    _file: Some(file),
                });
            }
        }
    }

    /// For an index in memory, which no other process sees.
    pub(crate) fn alone() -> Presence {
        Presence {
            directory: None,
            name: "alone".to_owned(),
            _file: None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the process of this name still runs.
    pub(crate) fn is_alive(&self, name: &str) -> bool {
        if name == self.name {
            return true;
        }
        let Some(directory) = &self.directory else {
            return false;
        };
        // A name from the database is not trusted to be a plain file name.
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return false;
        }
        match File::open(directory.join(name)) {
            Ok(file) => file.try_lock_shared().is_err(),
            Err(_) => false,
        }
    }

    /// How many other processes use the index. Removes what dead ones left.
    pub(crate) fn others(&self) -> usize {
        let Some(directory) = &self.directory else {
            return 0;
        };
        let (others, left) = self.entries(directory);
        left.iter().for_each(|path| drop(fs::remove_file(path)));
        others
    }

    /// A directory below `all` that is this process's own. Removes those of dead ones.
    pub(crate) fn own_directory(&self, all: &Path) -> PathBuf {
        let (_, left) = self.entries(all);
        left.iter().for_each(|path| drop(fs::remove_dir_all(path)));
        all.join(&self.name)
    }

    /// Among entries named after processes: how many belong to others that live, and those of dead
    /// ones.
    fn entries(&self, directory: &Path) -> (usize, Vec<PathBuf>) {
        let (mut others, mut left) = (0, Vec::new());
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            match self.is_alive(&name) {
                _ if name == self.name => {}
                true => others += 1,
                false => left.push(entry.path()),
            }
        }
        (others, left)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            let _ = fs::remove_file(directory.join(&self.name));
        }
    }
}

/// An exclusive right that one process has at a time, for as long as this value lives.
#[derive(Debug)]
pub struct Claim {
    _file: Option<File>,
}

impl Claim {
    /// `None` if another holds it.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Claim>> {
        let file = Claim::open(path)?;
        Ok(file
            .try_lock()
            .is_ok()
            .then_some(Claim { _file: Some(file) }))
    }

    /// A part of a right that many may have at a time, as long as nobody has all of it.
    pub(crate) fn try_share(path: &Path) -> Result<Option<Claim>> {
        let file = Claim::open(path)?;
        Ok(file
            .try_lock_shared()
            .is_ok()
            .then_some(Claim { _file: Some(file) }))
    }

    pub(crate) fn take(path: &Path) -> Result<Claim> {
        let file = Claim::open(path)?;
        file.lock().map_err(|source| Error::Io {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(Claim { _file: Some(file) })
    }

    /// For an index in memory, which no other process can claim.
    pub(crate) fn free() -> Claim {
        Claim { _file: None }
    }

    fn open(path: &Path) -> Result<File> {
        let opened = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path);
        opened.map_err(|source| cannot_create(path, source))
    }
}

fn cannot_create(path: &Path, source: std::io::Error) -> Error {
    match source.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Error::ReadOnly
        }
        std::io::ErrorKind::StorageFull => Error::Full,
        _ => Error::Io {
            path: path.to_path_buf(),
            source,
        },
    }
}
