//! A directory as a bucket: objects are files, written aside and renamed into place under a lock.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::SystemTime,
};

use bytes::Bytes;

use crate::{
    bucket::{FOLDER, ListedObject},
    seal::hex,
};

/// Objects below a directory, which several machines may share.
pub(crate) struct Directory(pub PathBuf);

/// What an object must be for a write to happen.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    Absent,
    /// Its bytes have this hash.
    Hash(blake3::Hash),
}

impl Directory {
    pub fn get(&self, name: &str) -> io::Result<Option<Bytes>> {
        match fs::read(self.0.join(name)) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// `None` if the object is absent or shorter.
    pub fn ranges(&self, name: &str, ranges: &[Range<u64>]) -> io::Result<Option<Vec<Bytes>>> {
        let mut file = match File::open(self.0.join(name)) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let mut read = Vec::with_capacity(ranges.len());
        for range in ranges {
            if range.end > length {
                return Ok(None);
            }
            let mut bytes = vec![0; (range.end - range.start) as usize];
            file.seek(SeekFrom::Start(range.start))?;
            file.read_exact(&mut bytes)?;
            read.push(Bytes::from(bytes));
        }
        Ok(Some(read))
    }

    /// Writes an object if it is as expected. Returns false if it is not, and leaves it alone.
    pub fn put(&self, name: &str, bytes: &[u8], expected: Expected) -> io::Result<bool> {
        let path = self.0.join(name);
        let _lock = self.lock(name)?;
        let is_expected = match (self.get(name)?, expected) {
            (None, Expected::Absent) => true,
            (Some(bytes), Expected::Hash(hash)) => blake3::hash(&bytes) == hash,
            _ => false,
        };
        if !is_expected {
            return Ok(false);
        }
        fs::create_dir_all(path.parent().unwrap_or(&self.0))?;
        let unfinished = self.unfinished()?;
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .open(&unfinished)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written.map(|()| true)
    }

    pub fn list(&self, directory: &str) -> io::Result<Vec<ListedObject>> {
        let mut listed = Vec::new();
        self.list_below(&self.0.join(directory), &mut listed)?;
        Ok(listed)
    }

    pub fn delete(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.0.join(name)) {
            Err(error) if !is_absent(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Held while an object is compared and replaced; ends with the process.
    fn lock(&self, name: &str) -> io::Result<File> {
        let locks = self.0.join(FOLDER).join("locks");
        fs::create_dir_all(&locks)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(locks.join(hex(&blake3::hash(name.as_bytes()).as_bytes()[..1])))?;
        file.lock()?;
        Ok(file)
    }

    /// A file that is nobody else's. What a killed process leaves there is collected as garbage.
    fn unfinished(&self) -> io::Result<PathBuf> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let directory = self.0.join(FOLDER).join("unfinished");
        fs::create_dir_all(&directory)?;
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(directory.join(format!("{}-{next}-{}", std::process::id(), hex(&random))))
    }

    fn list_below(&self, directory: &Path, listed: &mut Vec<ListedObject>) -> io::Result<()> {
        let entries = match fs::read_dir(directory) {
            Err(error) if is_absent(&error) => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let (path, metadata) =
                match entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) {
                    // Removed meanwhile.
                    Err(error) if is_absent(&error) => continue,
                    read => read?,
                };
            if metadata.is_dir() {
                self.list_below(&path, listed)?;
                continue;
            }
            let below = path.strip_prefix(&self.0).ok().and_then(Path::to_str);
            listed.extend(below.map(|below| ListedObject {
                name: below.replace(std::path::MAIN_SEPARATOR, "/").into(),
                size: metadata.len(),
                modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                version: metadata.modified().ok().map(|modified| {
                    let since = modified.duration_since(SystemTime::UNIX_EPOCH);
                    let nanos = since.map_or(0, |since| since.as_nanos());
                    format!("{nanos}-{}", metadata.len()).into()
                }),
            }));
        }
        Ok(())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
