//! What differs between operating systems, for the binary.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

pub use system::{create_private_directory, create_private_file, is_private, parent_is_gone};

/// Writes a temporary file and renames it: readers see the whole old or the whole new content. It has the
/// rights of the file it replaces, and is the user's alone where there was none; nobody else can
/// read it meanwhile.
pub fn replace_file(path: &Path, text: &[u8]) -> io::Result<()> {
    let aside = path.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&aside);
    let write = || {
        create_private_file(&aside)?.write_all(text)?;
        if let Ok(old) = fs::metadata(path) {
            fs::set_permissions(&aside, old.permissions())?;
        }
        fs::rename(&aside, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&aside);
    })
}

#[cfg(unix)]
mod system {
    use std::{
        fs::{self, File},
        io,
        os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
        path::Path,
    };

    /// Fails if the file exists: who put it there is unknown.
    pub fn create_private_file(path: &Path) -> io::Result<File> {
        fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
    }

    pub fn create_private_directory(path: &Path) -> io::Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
    }

    pub fn is_private(path: &Path) -> io::Result<bool> {
        Ok(fs::metadata(path)?.mode() & 0o077 == 0)
    }

    /// Whether whoever started this process has died without closing its pipes.
    pub fn parent_is_gone(at_start: Option<u32>) -> (Option<u32>, bool) {
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get() as u32);
        (parent, at_start.is_some() && parent != at_start)
    }
}

#[cfg(windows)]
mod system {
    use std::{
        fs::{self, File},
        io,
        path::Path,
    };

    /// Inherits the rights of the user's own profile directory, which others cannot read.
    pub fn create_private_file(path: &Path) -> io::Result<File> {
        fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
    }

    pub fn create_private_directory(path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    pub fn is_private(_: &Path) -> io::Result<bool> {
        Ok(true)
    }

    /// Pipes are closed with their owner here; the end of input tells.
    pub fn parent_is_gone(_: Option<u32>) -> (Option<u32>, bool) {
        (None, false)
    }
}

/// Returns when the system asks this process to end.
pub async fn asked_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    if let Ok(mut terminated) =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    {
        tokio::select! {
            _ = interrupted => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    let _ = interrupted.await;
}
