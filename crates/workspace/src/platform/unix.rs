//! Linux, macOS and other Unix systems: descriptors of directories, and `openat` below them.

use std::{
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use store::Stat;

use super::{NamedEntry, PathEntry};

/// To look at what is in a directory, which need not be readable for that.
#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY;

/// A directory below which files are opened.
#[derive(Debug)]
pub struct UnixRoot(OwnedFd);

impl UnixRoot {
    pub fn open(path: &Path) -> io::Result<UnixRoot> {
        Ok(UnixRoot(rustix::fs::open(
            path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?))
    }

    /// The names in a directory, in no order. `None` in place of a name that is no Unicode text.
    pub fn list(&self, directory: &str) -> io::Result<UnixListing> {
        let fd = if directory.is_empty() {
            self.0.try_clone()?
        } else {
            self.open_beneath(directory, OFlags::RDONLY | OFlags::DIRECTORY)?
        };
        let dir = Dir::read_from(&fd)?;
        Ok(UnixListing { fd, dir })
    }

    pub fn stat(&self, path: &str) -> io::Result<PathEntry> {
        // Through the parent, opened without links, so that a linked directory is not looked
        // through.
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if directory.is_empty() {
            return stat_at(&self.0, name);
        }
        stat_at(
            self.open_beneath(directory, LOOK | OFlags::DIRECTORY)?,
            name,
        )
    }

    /// Whatever has this name, opened without waiting for the other end of a pipe.
    pub(super) fn open_any(&self, path: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(File::from(self.open_beneath(path, flags)?))
    }

    #[cfg(target_os = "linux")]
    fn open_beneath(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&self.0, path, flags, Mode::empty(), resolve) {
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                self.open_step_by_step(path, flags)
            }
            other => Ok(other?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        self.open_step_by_step(path, flags | OFlags::CLOEXEC | OFlags::NOFOLLOW)
    }

    /// Every directory on the way is opened without following links.
    fn open_step_by_step(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let mut parts = path.split('/').peekable();
        let mut at = self.0.try_clone()?;
        while let Some(part) = parts.next() {
            if matches!(part, "" | "." | "..") {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            }
            let last = parts.peek().is_none();
            let flags = if last {
                flags
            } else {
                OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
            };
            at = rustix::fs::openat(&at, part, flags, Mode::empty())?;
        }
        Ok(at)
    }
}

/// The entries of one directory.
pub struct UnixListing {
    fd: OwnedFd,
    dir: Dir,
}

impl UnixListing {
    /// The next name with what it names. A name that is no Unicode text comes as an error with what
    /// can be shown of it.
    pub fn next(&mut self) -> Option<io::Result<NamedEntry>> {
        loop {
            let entry = match self.dir.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let what = match entry.file_type() {
                FileType::Directory => Ok(PathEntry::Directory),
                FileType::Symlink => Ok(PathEntry::SymbolicLink),
                FileType::RegularFile | FileType::Unknown => stat_at(&self.fd, name),
                _ => Ok(PathEntry::Special),
            };
            let name = name
                .to_str()
                .map(str::to_owned)
                .map_err(|_| name.to_string_lossy().into_owned());
            return Some(Ok((name, what)));
        }
    }
}

/// Whether changes made anywhere show as events here. On network file systems those of other
/// machines do not.
#[cfg(target_os = "linux")]
pub fn events_are_reliable(path: &Path) -> bool {
    /// NFS, SMB (three generations), FUSE, 9P, Ceph, AFS, Coda.
    const REMOTE: [u64; 9] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x6573_5546,
        0x0102_1997,
        0x00c3_6400,
        0x5346_414f,
        0x7375_7245,
    ];
    #[allow(clippy::unnecessary_cast)] // The field differs between architectures.
    rustix::fs::statfs(path).is_ok_and(|stat| !REMOTE.contains(&(stat.f_type as u64 & 0xffff_ffff)))
}

/// Makes a directory that only this user may look into; an error if it exists.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

pub fn link_directory(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Whether opening failed because a link would have had to be followed.
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether opening failed because another process has the file to itself: nobody can have that
/// here.
pub fn is_busy_error(_: &io::Error) -> bool {
    false
}

pub(super) fn entry_of(file: &File) -> io::Result<PathEntry> {
    Ok(entry(&rustix::fs::fstat(file)?))
}

pub(super) fn stat_of(file: &File) -> io::Result<Stat> {
    Ok(of(&rustix::fs::fstat(file)?))
}

fn stat_at(directory: impl AsFd, name: impl rustix::path::Arg) -> io::Result<PathEntry> {
    let stat = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(entry(&stat))
}

fn entry(stat: &rustix::fs::Stat) -> PathEntry {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => PathEntry::File(of(stat)),
        FileType::Directory => PathEntry::Directory,
        FileType::Symlink => PathEntry::SymbolicLink,
        _ => PathEntry::Special,
    }
}

#[allow(clippy::unnecessary_cast)] // The fields differ between platforms.
fn of(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        size: stat.st_size as u64,
        mtime: (stat.st_mtime as i64)
            .saturating_mul(1_000_000_000)
            .saturating_add(stat.st_mtime_nsec as i64),
        ctime: (stat.st_ctime as i64)
            .saturating_mul(1_000_000_000)
            .saturating_add(stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
    }
}
