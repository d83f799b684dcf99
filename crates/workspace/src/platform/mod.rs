//! The operating system: opening what lies below a root and nothing else, and what metadata says.
//!
//! No link is followed on the way, so that nothing outside the root is read even while the tree
//! changes under us, and no file is mapped into memory, so that a file cut short while it is read
//! is an error and not a signal.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use store::Stat;

#[cfg(not(target_os = "linux"))]
mod no_watch;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use crate::watch::Watch;
#[cfg(not(target_os = "linux"))]
pub use no_watch::NoWatch as Watch;
#[cfg(unix)]
use unix as system;
#[cfg(unix)]
pub use unix::UnixRoot as Root;
#[cfg(target_os = "linux")]
pub use unix::events_are_reliable;
#[cfg(windows)]
use windows as system;
#[cfg(windows)]
pub use windows::WindowsRoot as Root;

pub use system::{create_private_directory, is_busy_error, is_link_error, link_directory};

/// What a directory holds under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEntry {
    File(Stat),
    Directory,
    SymbolicLink,
    Special,
}

/// The name of an entry, or what can be shown of one that is no Unicode text; and what it names.
pub type NamedEntry = (Result<String, String>, io::Result<PathEntry>);

impl Root {
    /// At most `limit` bytes and one; with the metadata before and after.
    pub fn read(&self, path: &str, limit: u64) -> io::Result<(Vec<u8>, Stat, Stat)> {
        let (mut file, before) = self.open_file(path)?;
        let mut bytes = Vec::with_capacity(before.size.min(limit) as usize + 1);
        (&mut file).take(limit + 1).read_to_end(&mut bytes)?;
        let after = system::stat_of(&file)?;
        Ok((bytes, before, after))
    }

    /// A regular file; a pipe with this name does not block, and anything that is no regular file
    /// is an error.
    pub fn open_file(&self, path: &str) -> io::Result<(File, Stat)> {
        let file = self.open_any(path)?;
        match system::entry_of(&file)? {
            PathEntry::File(stat) => Ok((file, stat)),
            _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
        }
    }
}

/// A path of the user's as repositories write it.
pub fn with_slashes(path: &str) -> Cow<'_, str> {
    match std::path::MAIN_SEPARATOR {
        '/' => Cow::Borrowed(path),
        separator => Cow::Owned(path.replace(separator, "/")),
    }
}

/// The same tick of a file system's clock, with room: most count in jiffies of 1 to 10 ms, Windows
/// in ticks of up to 16 ms.
const TICK: Duration = Duration::from_millis(20);

/// Whether a file with this metadata may have been written again after `read_at` without its
/// metadata showing it.
pub fn is_racy(stat: &Stat, read_at: SystemTime) -> bool {
    let read_at = read_at
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as i64);
    stat.mtime.max(stat.ctime) + TICK.as_nanos() as i64 >= read_at
}

#[cfg(test)]
mod tests;
