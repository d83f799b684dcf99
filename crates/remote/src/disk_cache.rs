//! Ranges of objects that were read once, on disk and bounded.
//!
//! One file per object, to which ranges are appended: offset, length, bytes. Objects never change,
//! so a range once read stays true; blocks carry their own checksums, so that a damaged file is
//! noticed by whoever opens a block of it. Several processes may use one directory.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

const ENTRY_HEADER: usize = 12;
/// Files that are kept open.
const MAX_OPEN: usize = 128;

pub struct DiskCache {
    directory: PathBuf,
    /// Bytes.
    bound: u64,
    open: Mutex<FxHashMap<Box<str>, Arc<Mutex<CachedObject>>>>,
    written: AtomicU64,
}

struct CachedObject {
    file: File,
    /// By offset in the object: the length, and where in the file the bytes are.
    ranges: BTreeMap<u64, (u32, u64)>,
}

impl DiskCache {
    /// A cache of at most `bound` bytes, more or less a tenth.
    pub fn open(directory: &Path, bound: u64) -> io::Result<DiskCache> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
        let cache = DiskCache {
            directory: directory.to_path_buf(),
            bound,
            open: Mutex::default(),
            written: AtomicU64::new(0),
        };
        cache.shrink();
        Ok(cache)
    }

    /// A range of an object, if all of it was read before.
    pub fn get(&self, name: &str, range: &Range<u64>) -> Option<Vec<u8>> {
        let object = self.object(name, false)?;
        let mut object = object.lock();
        let (offset, (len, at)) = object.ranges.range(..=range.start).next_back()?;
        let skip = range.start - offset;
        if range.end > offset + u64::from(*len) {
            return None;
        }
        let from = at + skip;
        let mut bytes = vec![0; usize::try_from(range.end - range.start).ok()?];
        object.file.seek(SeekFrom::Start(from)).ok()?;
        object.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Keeps what was read. What cannot be kept is read again the next time.
    pub fn put(&self, name: &str, offset: u64, bytes: &[u8]) {
        let Some(object) = self.object(name, true) else {
            return;
        };
        let (kept, n_bytes) = (object.lock().append(offset, bytes), bytes.len() as u64);
        if let Err(error) = kept {
            tracing::debug!(%error, "a range is not cached");
            return self.forget(name);
        }
        let written = self.written.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
        if written > self.bound / 10 {
            self.written.store(0, Ordering::Relaxed);
            self.shrink();
        }
    }

    /// Removes what is cached of an object, which turned out to be damaged.
    pub fn forget(&self, name: &str) {
        self.open.lock().remove(name);
        let _ = fs::remove_file(self.directory.join(name));
    }

    fn object(&self, name: &str, create: bool) -> Option<Arc<Mutex<CachedObject>>> {
        let mut open = self.open.lock();
        if let Some(object) = open.get(name) {
            return Some(object.clone());
        }
        let file = File::options()
            .read(true)
            .append(true)
            .create(create)
            .open(self.directory.join(name))
            .ok()?;
        // Tells when it was last used.
        let _ = file.set_modified(SystemTime::now());
        let object = Arc::new(Mutex::new(CachedObject::load(file).ok()?));
        if open.len() >= MAX_OPEN {
            open.clear();
        }
        open.insert(name.into(), object.clone());
        Some(object)
    }

    /// Removes the objects that were unused for longest, until the rest fits.
    fn shrink(&self) {
        let entries = fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten();
        let mut files: Vec<(SystemTime, u64, String)> = entries
            .filter_map(|entry| {
                let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                let name = entry.file_name().into_string().ok()?;
                Some((metadata.modified().ok()?, metadata.len(), name))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, len, _)| len).sum();
        for (_, len, name) in files {
            if total <= self.bound {
                break;
            }
            self.forget(&name);
            total -= len;
        }
    }
}

impl CachedObject {
    fn load(mut file: File) -> io::Result<CachedObject> {
        let length = file.metadata()?.len();
        let mut ranges = BTreeMap::new();
        let mut at = 0;
        let mut header = [0; ENTRY_HEADER];
        while at + (ENTRY_HEADER as u64) <= length {
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut header)?;
            let offset = u64::from_le_bytes(header[..8].try_into().expect("eight bytes"));
            let len = u32::from_le_bytes(header[8..].try_into().expect("four bytes"));
            at += ENTRY_HEADER as u64;
            // A process was killed while it wrote.
            if at + u64::from(len) > length {
                file.set_len(at - ENTRY_HEADER as u64)?;
                break;
            }
            remember(&mut ranges, offset, len, at);
            at += u64::from(len);
        }
        Ok(CachedObject { file, ranges })
    }

    fn append(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut entry = Vec::with_capacity(ENTRY_HEADER + bytes.len());
        entry.extend_from_slice(&offset.to_le_bytes());
        entry.extend_from_slice(&len.to_le_bytes());
        entry.extend_from_slice(bytes);
        // One write: entries of two processes do not mix.
        self.file.write_all(&entry)?;
        let at = self.file.stream_position()? - u64::from(len);
        remember(&mut self.ranges, offset, len, at);
        Ok(())
    }
}

/// The longest range of an offset counts.
fn remember(ranges: &mut BTreeMap<u64, (u32, u64)>, offset: u64, len: u32, at: u64) {
    let known = ranges.entry(offset).or_insert((len, at));
    if known.0 < len {
        *known = (len, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_also_in_the_next_process() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::open(directory.path(), 1 << 20).unwrap();
        assert_eq!(cache.get("a", &(0..1)), None);
        cache.put("a", 100, b"hundred");
        cache.put("a", 7, b"seven");
        let check = |cache: &DiskCache| {
            assert_eq!(cache.get("a", &(101..104)).as_deref(), Some(&b"und"[..]));
            assert_eq!(cache.get("a", &(7..12)).as_deref(), Some(&b"seven"[..]));
            assert_eq!(cache.get("a", &(7..13)), None);
            assert_eq!(cache.get("a", &(0..8)), None);
        };
        check(&cache);
        let path = directory.path().join("a");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"cut short"].concat()).unwrap();
        check(&DiskCache::open(directory.path(), 1 << 20).unwrap());
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let cut = DiskCache::open(directory.path(), 1 << 20).unwrap();
        assert_eq!(cut.get("a", &(7..12)), None);
        cut.put("a", 7, b"seven");
        check(&cut);
    }

    #[test]
    fn it_stays_within_its_bound() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::open(directory.path(), 10_000).unwrap();
        for i in 0..100 {
            cache.put(&format!("object{i}"), 0, &[0; 1000]);
        }
        let sizes = fs::read_dir(directory.path()).unwrap();
        let total: u64 = sizes
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(total <= 12_000, "{total}");
    }
}
