//! Windows: handles of directories, and files opened relative to them.
//!
//! The functions of the C library and of Win32 take whole paths and follow junctions and symbolic
//! links in them. `NtCreateFile` takes a handle and a path below it, and with `OBJ_DONT_REPARSE`
//! fails where a link would have to be followed. It also takes names as they are: `aux.c`, `a.`
//! and paths of more than 260 characters are ordinary files here, as they are to git.

// The calls have no safe wrapper in the standard library; each is wrapped once, below.
#![allow(unsafe_code)]

use std::{
    fs::{File, OpenOptions},
    io, mem,
    os::windows::{
        fs::OpenOptionsExt,
        io::{AsRawHandle, FromRawHandle},
    },
    path::Path,
    ptr,
};

use store::Stat;
use windows_sys::{
    Wdk::{
        Foundation::OBJECT_ATTRIBUTES,
        Storage::FileSystem::{
            FILE_DIRECTORY_FILE, FILE_ID_BOTH_DIR_INFORMATION, FILE_NETWORK_OPEN_INFORMATION,
            FILE_OPEN, FILE_SYNCHRONOUS_IO_NONALERT, FileIdBothDirectoryInformation,
            FileNetworkOpenInformation, NtCreateFile, NtQueryDirectoryFile, NtQueryInformationFile,
        },
    },
    Win32::{
        Foundation::{
            ERROR_LOCK_VIOLATION, ERROR_REPARSE_POINT_ENCOUNTERED, ERROR_SHARING_VIOLATION, HANDLE,
            NTSTATUS, OBJ_CASE_INSENSITIVE, OBJ_DONT_REPARSE, RtlNtStatusToDosError,
            STATUS_DELETE_PENDING, STATUS_NO_MORE_FILES, UNICODE_STRING,
        },
        Storage::FileSystem::{
            FILE_ATTRIBUTE_DEVICE, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
            FILE_FLAG_BACKUP_SEMANTICS, FILE_GENERIC_READ, FILE_LIST_DIRECTORY,
            FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
            FILE_TRAVERSE, SYNCHRONIZE,
        },
        System::IO::IO_STATUS_BLOCK,
    },
};

use super::{NamedEntry, PathEntry};

/// A directory below which files are opened. Others may rename and remove what we have open.
#[derive(Debug)]
pub struct WindowsRoot(File);

const SHARE_ALL: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
const LIST: u32 = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | SYNCHRONIZE;

impl WindowsRoot {
    pub fn open(path: &Path) -> io::Result<WindowsRoot> {
        let directory = OpenOptions::new()
            .access_mode(LIST)
            .share_mode(SHARE_ALL)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
            .open(path)?;
        if !directory.metadata()?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        Ok(WindowsRoot(directory))
    }

    /// The names in a directory, in no order.
    pub fn list(&self, directory: &str) -> io::Result<WindowsListing> {
        let directory = self.open_directory(directory)?;
        let mut entries = Vec::new();
        while query_directory(&directory, None, &mut entries)? {}
        entries.retain(|(name, _)| !matches!(name.as_deref(), Ok("." | "..")));
        Ok(WindowsListing {
            entries: entries.into_iter(),
        })
    }

    /// Names are compared as they are written, as everywhere else: `Cart.py` is not there if the
    /// directory has `cart.py`.
    pub fn stat(&self, path: &str) -> io::Result<PathEntry> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        check_names(name)?;
        let mut found = Vec::new();
        query_directory(&self.open_directory(directory)?, Some(name), &mut found)?;
        let same = |(found, _): &NamedEntry| found.as_deref() == Ok(name);
        match found.into_iter().find(same) {
            Some((_, entry)) => entry,
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    /// Whatever has this name.
    pub(super) fn open_any(&self, path: &str) -> io::Result<File> {
        check_names(path)?;
        open_below(&self.0, path, FILE_GENERIC_READ, 0)
    }

    /// With a handle of its own, because a handle keeps the position and the pattern of a listing.
    fn open_directory(&self, path: &str) -> io::Result<File> {
        if !path.is_empty() {
            check_names(path)?;
        }
        open_below(&self.0, path, LIST, FILE_DIRECTORY_FILE)
    }
}

/// The entries of one directory.
pub struct WindowsListing {
    entries: std::vec::IntoIter<NamedEntry>,
}

impl WindowsListing {
    /// The next name with what it names. A name that is no Unicode text comes as an error with what
    /// can be shown of it.
    pub fn next(&mut self) -> Option<io::Result<NamedEntry>> {
        self.entries.next().map(Ok)
    }
}

/// Makes a directory; an error if it exists. What is below the user's own directory for temporary
/// files only this user may look into.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Needs the right to make symbolic links, which Windows gives to developers only.
pub fn link_directory(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, link)
}

/// Whether opening failed because a link would have had to be followed.
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_REPARSE_POINT_ENCOUNTERED as i32)
}

/// Whether opening failed because another process has the file to itself: a compiler that writes
/// it, a scanner. It can be read later, and its metadata will not tell when.
pub fn is_busy_error(error: &io::Error) -> bool {
    const BUSY: [u32; 2] = [ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION];
    error
        .raw_os_error()
        .is_some_and(|code| BUSY.contains(&(code as u32)))
}

pub(super) fn entry_of(file: &File) -> io::Result<PathEntry> {
    let information = query_file(file)?;
    // Opened without following links, it is none.
    let attributes = information.FileAttributes & !FILE_ATTRIBUTE_REPARSE_POINT;
    Ok(entry(attributes, 0, of(&information)))
}

pub(super) fn stat_of(file: &File) -> io::Result<Stat> {
    query_file(file).map(|information| of(&information))
}

fn of(information: &FILE_NETWORK_OPEN_INFORMATION) -> Stat {
    stat(
        information.EndOfFile,
        information.LastWriteTime,
        (information.ChangeTime, information.CreationTime),
    )
}

/// Directories and handles tell the same sizes and times. The id of a file is left out: on some file
/// systems they differ in it, and a file that was replaced has another time of change.
fn stat(size: i64, written: i64, (changed, created): (i64, i64)) -> Stat {
    Stat {
        size: size as u64,
        mtime: nanoseconds(written),
        // FAT does not know when a file was changed.
        ctime: nanoseconds(if changed == 0 { created } else { changed }),
        inode: 0,
    }
}

/// Since 1970, from steps of 100 ns since 1601.
fn nanoseconds(file_time: i64) -> i64 {
    const UNIX_EPOCH: i64 = 116_444_736_000_000_000;
    file_time.saturating_sub(UNIX_EPOCH).saturating_mul(100)
}

fn entry(attributes: u32, reparse_tag: u32, stat: Stat) -> PathEntry {
    /// Of tags whose file stands for another one: symbolic links, junctions, mounted volumes.
    const NAME_SURROGATE: u32 = 0x2000_0000;
    /// Sockets, and pipes and devices of Linux programs.
    const SPECIAL: [u32; 4] = [0x8000_0023, 0x8000_0024, 0x8000_0025, 0x8000_0026];
    let is_reparse_point = attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0;
    // Files of other tags are plain to those who open them: compressed, deduplicated, in a cloud.
    if is_reparse_point && (reparse_tag == 0 || reparse_tag & NAME_SURROGATE != 0) {
        return PathEntry::SymbolicLink;
    }
    if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
        PathEntry::Directory
    } else if attributes & FILE_ATTRIBUTE_DEVICE != 0
        || (is_reparse_point && SPECIAL.contains(&reparse_tag))
    {
        PathEntry::Special
    } else {
        PathEntry::File(stat)
    }
}

/// Repositories have names that Windows cannot have: nothing is there under such a name. A
/// backslash would start another name, a colon a stream of the file.
fn check_names(path: &str) -> io::Result<()> {
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..")
            && !name.contains(|c: char| matches!(c, '\0'..='\x1f') || r#"\:*?"<>|"#.contains(c))
    };
    match path.split('/').all(is_name) {
        true => Ok(()),
        false => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

/// Opens what has a path below a directory, the directory itself for the empty path. Fails where a
/// link is on the way or at the end.
fn open_below(directory: &File, path: &str, access: u32, options: u32) -> io::Result<File> {
    let wide: Vec<u16> = path.replace('/', "\\").encode_utf16().collect();
    let name = unicode_string(&wide)?;
    let attributes = OBJECT_ATTRIBUTES {
        Length: mem::size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: directory.as_raw_handle(),
        ObjectName: &name,
        Attributes: OBJ_CASE_INSENSITIVE | OBJ_DONT_REPARSE,
        SecurityDescriptor: ptr::null(),
        SecurityQualityOfService: ptr::null(),
    };
    let mut handle: HANDLE = ptr::null_mut();
    let mut status_block = IO_STATUS_BLOCK::default();
    // SAFETY: every pointer is to a local that outlives the call; `name` points into `wide`.
    let status = unsafe {
        NtCreateFile(
            &mut handle,
            access | SYNCHRONIZE,
            &attributes,
            &mut status_block,
            ptr::null(),
            0,
            SHARE_ALL,
            FILE_OPEN,
            options | FILE_SYNCHRONOUS_IO_NONALERT,
            ptr::null(),
            0,
        )
    };
    check(status)?;
    // SAFETY: the call succeeded, so that the handle is open, and nobody else has it.
    Ok(unsafe { File::from_raw_handle(handle) })
}

fn query_file(file: &File) -> io::Result<FILE_NETWORK_OPEN_INFORMATION> {
    let mut information = FILE_NETWORK_OPEN_INFORMATION::default();
    let mut status_block = IO_STATUS_BLOCK::default();
    // SAFETY: the pointers are to locals, and the length is that of the one that is written to.
    let status = unsafe {
        NtQueryInformationFile(
            file.as_raw_handle(),
            &mut status_block,
            (&raw mut information).cast(),
            mem::size_of::<FILE_NETWORK_OPEN_INFORMATION>() as u32,
            FileNetworkOpenInformation,
        )
    };
    check(status)?;
    Ok(information)
}

/// Some more entries of a directory, or the one with a name, in any case. False when there are no
/// more.
fn query_directory(
    directory: &File,
    name: Option<&str>,
    entries: &mut Vec<NamedEntry>,
) -> io::Result<bool> {
    /// Of eight bytes, since entries are aligned to that: 64 KiB, which network file systems take.
    const WORDS: usize = 8192;
    let mut buffer = vec![0_u64; WORDS];
    let wide: Vec<u16> = name.unwrap_or_default().encode_utf16().collect();
    let name = name.map(|_| unicode_string(&wide)).transpose()?;
    let mut status_block = IO_STATUS_BLOCK::default();
    // SAFETY: the pointers are to locals, `name` points into `wide`, and the length is that of the
    // buffer. The handle is synchronous: nothing is written after the call.
    let status = unsafe {
        NtQueryDirectoryFile(
            directory.as_raw_handle(),
            ptr::null_mut(),
            None,
            ptr::null(),
            &mut status_block,
            buffer.as_mut_ptr().cast(),
            (WORDS * 8) as u32,
            FileIdBothDirectoryInformation,
            name.is_some(),
            name.as_ref().map_or(ptr::null(), ptr::from_ref),
            false,
        )
    };
    if status == STATUS_NO_MORE_FILES {
        return Ok(false);
    }
    check(status)?;
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    read_entries(&bytes[..status_block.Information.min(bytes.len())], entries);
    Ok(true)
}

/// The entries in a buffer that the system filled.
fn read_entries(buffer: &[u8], entries: &mut Vec<NamedEntry>) {
    use mem::offset_of;
    type Record = FILE_ID_BOTH_DIR_INFORMATION;
    let mut rest = buffer;
    while rest.len() >= offset_of!(Record, FileName) {
        let u32_at = |at: usize| {
            rest[at..]
                .first_chunk()
                .map_or(0, |b| u32::from_ne_bytes(*b))
        };
        let i64_at = |at: usize| {
            rest[at..]
                .first_chunk()
                .map_or(0, |b| i64::from_ne_bytes(*b))
        };
        let name = &rest[offset_of!(Record, FileName)..];
        let length = u32_at(offset_of!(Record, FileNameLength)) as usize;
        let name: Vec<u16> = name[..length.min(name.len())]
            .chunks_exact(2)
            .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]))
            .collect();
        let stat = stat(
            i64_at(offset_of!(Record, EndOfFile)),
            i64_at(offset_of!(Record, LastWriteTime)),
            (
                i64_at(offset_of!(Record, ChangeTime)),
                i64_at(offset_of!(Record, CreationTime)),
            ),
        );
        let entry = entry(
            u32_at(offset_of!(Record, FileAttributes)),
            // The tag is here if there is one.
            u32_at(offset_of!(Record, EaSize)),
            stat,
        );
        let name = String::from_utf16(&name).map_err(|_| String::from_utf16_lossy(&name));
        entries.push((name, Ok(entry)));
        match u32_at(offset_of!(Record, NextEntryOffset)) as usize {
            0 => return,
            next => rest = rest.get(next..).unwrap_or_default(),
        }
    }
}

/// Valid for as long as the text.
fn unicode_string(text: &[u16]) -> io::Result<UNICODE_STRING> {
    let too_long = |_| io::Error::from(io::ErrorKind::InvalidFilename);
    let length = u16::try_from(text.len() * 2).map_err(too_long)?;
    Ok(UNICODE_STRING {
        Length: length,
        MaximumLength: length,
        Buffer: text.as_ptr().cast_mut(),
    })
}

fn check(status: NTSTATUS) -> io::Result<()> {
    match status {
        0.. => Ok(()),
        // It is gone as soon as the last one closes it.
        STATUS_DELETE_PENDING => Err(io::Error::from(io::ErrorKind::NotFound)),
        // SAFETY: the function reads a table.
        _ => Err(io::Error::from_raw_os_error(
            unsafe { RtlNtStatusToDosError(status) } as i32,
        )),
    }
}
