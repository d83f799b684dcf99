//! What differs between operating systems, for this crate.

pub use system::{open_without_waiting, path_from_uri_bytes, same_file, uri_bytes_of_path};

#[cfg(unix)]
mod system {
    use std::{
        ffi::OsString,
        fs::{File, OpenOptions},
        io,
        os::unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::{MetadataExt, OpenOptionsExt},
        },
        path::{Path, PathBuf},
    };

    use rustix::fs::OFlags;

    /// A pipe that took a file's name would make an ordinary open wait for its writer.
    pub fn open_without_waiting(path: &Path) -> io::Result<File> {
        let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC).bits();
        OpenOptions::new()
            .read(true)
            .custom_flags(flags as i32)
            .open(path)
    }

    /// Whether `file` is what has this path now, which is no link.
    pub fn same_file(file: &File, path: &Path) -> io::Result<bool> {
        let (opened, named) = (file.metadata()?, path.symlink_metadata()?);
        Ok((opened.dev(), opened.ino()) == (named.dev(), named.ino()))
    }

    pub fn path_from_uri_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
        Some(PathBuf::from(OsString::from_vec(bytes)))
    }

    pub fn uri_bytes_of_path(path: &Path) -> Vec<u8> {
        path.as_os_str().as_bytes().to_vec()
    }
}

#[cfg(windows)]
mod system {
    use std::{
        fs::File,
        io,
        path::{Path, PathBuf},
    };

    use same_file::Handle;

    /// Named pipes have their own namespace here: a path below a root never is one.
    pub fn open_without_waiting(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Whether `file` is what has this path now, which is no link.
    pub fn same_file(file: &File, path: &Path) -> io::Result<bool> {
        Ok(Handle::from_file(file.try_clone()?)? == Handle::from_path(path)?)
    }

    /// `/c:/dir` is `c:\dir`.
    pub fn path_from_uri_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
        let text = String::from_utf8(bytes).ok()?;
        let path = text.strip_prefix('/')?.replace('/', "\\");
        Some(PathBuf::from(path))
    }

    pub fn uri_bytes_of_path(path: &Path) -> Vec<u8> {
        let text = path.to_string_lossy();
        let plain = text
            .strip_prefix(r"\\?\")
            .unwrap_or(&text)
            .replace('\\', "/");
        format!("/{plain}").into_bytes()
    }
}
