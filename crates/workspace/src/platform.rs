//! The operating system: opening what lies below a root and nothing else, and what metadata says.
//!
//! No link is followed on the way, so that nothing outside the root is read even while the tree
//! changes under us, and no file is mapped into memory, so that a file cut short while it is read
//! is an error and not a signal.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::{AsFd, OwnedFd},
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use store::Stat;

/// A directory below which files are opened.
#[derive(Debug)]
pub struct Root(OwnedFd);

/// What a directory holds under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEntry {
    File(Stat),
    Directory,
    SymbolicLink,
    Special,
}

impl Root {
    pub fn open(path: &Path) -> io::Result<Root> {
        Ok(Root(rustix::fs::open(
            path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?))
    }

    /// The names in a directory, in no order. `None` in place of a name that is no Unicode text.
    pub fn list(&self, directory: &str) -> io::Result<DirectoryListing> {
        let fd = if directory.is_empty() {
            self.0.try_clone()?
        } else {
            self.open_beneath(directory, OFlags::RDONLY | OFlags::DIRECTORY)?
        };
        let dir = Dir::read_from(&fd)?;
        Ok(DirectoryListing { fd, dir })
    }

    pub fn stat(&self, path: &str) -> io::Result<PathEntry> {
        // Through the parent, opened without links, so that a linked directory is not looked
        // through.
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if directory.is_empty() {
            return stat_at(&self.0, name);
        }
        stat_at(
            self.open_beneath(directory, OFlags::PATH | OFlags::DIRECTORY)?,
            name,
        )
    }

    /// A regular file; a pipe with this name does not block, and anything that is no regular file
    /// is an error.
    pub fn open_file(&self, path: &str) -> io::Result<(File, Stat)> {
        let file = File::from(
            self.open_beneath(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?,
        );
        let stat = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        Ok((file, of(&stat)))
    }

    /// At most `limit` bytes and one; with the metadata before and after.
    pub fn read(&self, path: &str, limit: u64) -> io::Result<(Vec<u8>, Stat, Stat)> {
        let (mut file, before) = self.open_file(path)?;
        let mut bytes = Vec::with_capacity(before.size.min(limit) as usize + 1);
        (&mut file).take(limit + 1).read_to_end(&mut bytes)?;
        let after = of(&rustix::fs::fstat(&file)?);
        Ok((bytes, before, after))
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
pub struct DirectoryListing {
    fd: OwnedFd,
    dir: Dir,
}

impl DirectoryListing {
    /// The next name with what it names. A name that is no Unicode text comes as an error with what
    /// can be shown of it.
    pub fn next(&mut self) -> Option<io::Result<(Result<String, String>, io::Result<PathEntry>)>> {
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

/// The same tick of a file system's clock, with room: most count in jiffies of 1 to 10 ms.
const TICK: Duration = Duration::from_millis(20);

/// Whether a file with this metadata may have been written again after `read_at` without its
/// metadata showing it.
pub fn is_racy(stat: &Stat, read_at: SystemTime) -> bool {
    let read_at = read_at
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as i64);
    stat.mtime.max(stat.ctime) + TICK.as_nanos() as i64 >= read_at
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

#[cfg(not(target_os = "linux"))]
pub fn events_are_reliable(_: &Path) -> bool {
    true
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

fn stat_at(directory: impl AsFd, name: impl rustix::path::Arg) -> io::Result<PathEntry> {
    let stat = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => PathEntry::File(of(&stat)),
        FileType::Directory => PathEntry::Directory,
        FileType::Symlink => PathEntry::SymbolicLink,
        _ => PathEntry::Special,
    })
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
