//! What differs between operating systems, for this crate.

use std::path::PathBuf;

/// The path under which a file is opened, whatever its name is.
#[cfg(unix)]
pub fn openable(path: PathBuf) -> PathBuf {
    path
}

/// The path under which a file is opened, whatever its name is: `aux.py` alone would be a device.
#[cfg(windows)]
pub fn openable(path: PathBuf) -> PathBuf {
    use std::{
        ffi::OsString,
        path::{Component, Prefix},
    };
    match path.components().next() {
        Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::Disk(_)) => {
            let mut verbatim = OsString::from(r"\\?\");
            // Behind this, `/` is no separator.
            verbatim.push(path.components().collect::<PathBuf>());
            PathBuf::from(verbatim)
        }
        _ => path,
    }
}
