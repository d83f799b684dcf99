//! Commit snapshots: one compressed record each, sorted paths with shared beginnings left out.

use facts::{
    ContentId, ContentNumber, File, LanguageId, RepoPath, SkipReason, Skipped, read_number,
    write_number,
};
use rusqlite::{Connection, params};

use crate::{Result, Store, clock, sql};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// Sorted by path.
    pub files: Vec<File>,
    /// Sorted by path.
    pub skipped: Vec<Skipped>,
}

impl Store {
    /// `revision` names what the snapshot is of: a commit id, with the rules it was made by.
    pub fn put_snapshot(&self, revision: &[u8], snapshot: &StoredSnapshot) -> Result<()> {
        const PUT: &str = "INSERT OR REPLACE INTO snapshot (revision, files, skipped, created, accessed) VALUES (?1, ?2, ?3, ?4, ?4)";
        let files = encode_files(&snapshot.files);
        let skipped = encode_skipped(&snapshot.skipped);
        let row = params![revision, files, skipped, clock::now_ms()];
        self.database
            .write(|connection| sql::execute(connection, PUT, row))?;
        Ok(())
    }

    pub fn snapshot(&self, revision: &[u8]) -> Result<Option<StoredSnapshot>> {
        get(&*self.database.read()?, revision)
    }

    /// Revisions, the most recently stored first.
    pub fn snapshots(&self) -> Result<Vec<Vec<u8>>> {
        list(&*self.database.read()?)
    }

    pub fn remove_snapshot(&self, revision: &[u8]) -> Result<()> {
        const REMOVE: &str = "DELETE FROM snapshot WHERE revision = ?1";
        self.database
            .write(|connection| sql::execute(connection, REMOVE, [revision]))?;
        Ok(())
    }

    /// Why these bytes are not indexed, if they were looked at and are not.
    pub fn rejected(&self, id: &ContentId) -> Result<Option<SkipReason>> {
        const FIND: &str = "SELECT reason FROM rejected WHERE id = ?1";
        let number = sql::row(&*self.database.read()?, FIND, [id.as_bytes()], |row| {
            row.get(0)
        })?;
        Ok(number.and_then(SkipReason::from_number))
    }
}

fn get(connection: &Connection, revision: &[u8]) -> Result<Option<StoredSnapshot>> {
    const GET: &str = "SELECT files, skipped FROM snapshot WHERE revision = ?1";
    let found: Option<(Vec<u8>, Vec<u8>)> = sql::row(connection, GET, [revision], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    // A damaged record is as good as none: the snapshot is made again from git's trees.
    Ok(found.and_then(|(files, skipped)| {
        Some(StoredSnapshot {
            files: decode_files(&files)?,
            skipped: decode_skipped(&skipped)?,
        })
    }))
}

pub(crate) fn list(connection: &Connection) -> Result<Vec<Vec<u8>>> {
    const LIST: &str = "SELECT revision FROM snapshot ORDER BY accessed DESC, revision";
    sql::rows(connection, LIST, [], |row| row.get(0))
}

pub(crate) fn reject(connection: &Connection, id: &ContentId, reason: SkipReason) -> Result<()> {
    const PUT: &str = "INSERT OR REPLACE INTO rejected (id, reason) VALUES (?1, ?2)";
    sql::execute(connection, PUT, params![id.as_bytes(), reason as u8])?;
    Ok(())
}

/// The contents that these snapshots name.
pub(crate) fn contents_of(
    connection: &Connection,
    revisions: &[Vec<u8>],
) -> Result<Vec<ContentNumber>> {
    let mut numbers = Vec::new();
    for revision in revisions {
        let files = get(connection, revision)?.unwrap_or_default().files;
        numbers.extend(files.iter().map(|file| file.content));
    }
    Ok(numbers)
}

/// The contents that some working tree or overlay names.
pub(crate) fn uncommitted_contents(connection: &Connection) -> Result<Vec<ContentNumber>> {
    const UNCOMMITTED: &str = "SELECT content FROM live WHERE content IS NOT NULL UNION ALL SELECT content FROM overlay_file WHERE content IS NOT NULL";
    let numbers = sql::rows(connection, UNCOMMITTED, [], |row| row.get(0))?;
    Ok(numbers.into_iter().map(ContentNumber).collect())
}

fn encode_files(files: &[File]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_number(&mut bytes, files.len() as u64);
    let mut previous = "";
    let mut last = 0_i64;
    for file in files {
        write_path(&mut bytes, previous, file.path.as_str());
        previous = file.path.as_str();
        // Neighbours were often indexed one after the other.
        let number = i64::from(file.content.0);
        let difference = number - last;
        write_number(&mut bytes, ((difference << 1) ^ (difference >> 63)) as u64);
        last = number;
        write_number(&mut bytes, u64::from(file.language.0));
    }
    seal(&bytes)
}

fn decode_files(record: &[u8]) -> Option<Vec<File>> {
    let bytes = unseal(record)?;
    let mut bytes = &bytes[..];
    let n_files = read_number(&mut bytes)? as usize;
    let mut files = Vec::with_capacity(n_files.min(1 << 20));
    let mut path = String::new();
    let mut last = 0_i64;
    for _ in 0..n_files {
        read_path(&mut bytes, &mut path)?;
        let zigzag = read_number(&mut bytes)?;
        last += ((zigzag >> 1) as i64) ^ -((zigzag & 1) as i64);
        let language = LanguageId(read_number(&mut bytes)? as u16);
        files.push(File {
            path: RepoPath::new(&path),
            content: ContentNumber(u32::try_from(last).ok()?),
            language,
        });
    }
    Some(files)
}

fn encode_skipped(skipped: &[Skipped]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_number(&mut bytes, skipped.len() as u64);
    let mut previous = "";
    for file in skipped {
        write_path(&mut bytes, previous, file.path.as_str());
        previous = file.path.as_str();
        bytes.push(file.reason as u8);
    }
    seal(&bytes)
}

fn decode_skipped(record: &[u8]) -> Option<Vec<Skipped>> {
    let bytes = unseal(record)?;
    let mut bytes = &bytes[..];
    let n_files = read_number(&mut bytes)? as usize;
    let mut skipped = Vec::with_capacity(n_files.min(1 << 20));
    let mut path = String::new();
    for _ in 0..n_files {
        read_path(&mut bytes, &mut path)?;
        let (reason, rest) = bytes.split_first()?;
        bytes = rest;
        skipped.push(Skipped {
            path: RepoPath::new(&path),
            reason: SkipReason::from_number(*reason)?,
        });
    }
    Some(skipped)
}

/// Eight bytes of checksum, then lz4.
fn seal(bytes: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::compress_prepend_size(bytes);
    let mut record = blake3::hash(&packed).as_bytes()[..8].to_vec();
    record.extend_from_slice(&packed);
    record
}

fn unseal(record: &[u8]) -> Option<Vec<u8>> {
    let (sum, packed) = record.split_at_checked(8)?;
    if blake3::hash(packed).as_bytes()[..8] != *sum {
        return None;
    }
    lz4_flex::decompress_size_prepended(packed).ok()
}

fn write_path(bytes: &mut Vec<u8>, previous: &str, path: &str) {
    let mut shared = previous
        .bytes()
        .zip(path.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    while !path.is_char_boundary(shared) {
        shared -= 1;
    }
    write_number(bytes, shared as u64);
    write_number(bytes, (path.len() - shared) as u64);
    bytes.extend_from_slice(&path.as_bytes()[shared..]);
}

fn read_path(bytes: &mut &[u8], path: &mut String) -> Option<()> {
    let shared = read_number(bytes)? as usize;
    let len = read_number(bytes)? as usize;
    let (rest, after) = bytes.split_at_checked(len)?;
    *bytes = after;
    if !path.is_char_boundary(shared) {
        return None;
    }
    path.truncate(shared);
    path.push_str(std::str::from_utf8(rest).ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_as_they_were() {
        let file = |path: &str, content| File {
            path: RepoPath::new(path),
            content: ContentNumber(content),
            language: LanguageId(7),
        };
        let files = vec![
            file("a/ä.rs", 9),
            file("a/å.rs", 1),
            file("a/b/c", u32::MAX),
            file("z\n", 0),
        ];
        let record = encode_files(&files);
        assert_eq!(decode_files(&record).as_ref(), Some(&files));
        for i in 0..record.len() {
            let mut damaged = record.clone();
            damaged[i] ^= 1;
            assert_eq!(decode_files(&damaged), None);
        }
        let skipped = vec![
            Skipped {
                path: RepoPath::new("a"),
                reason: SkipReason::Binary,
            },
            Skipped {
                path: RepoPath::new("ab"),
                reason: SkipReason::Absent,
            },
        ];
        assert_eq!(decode_skipped(&encode_skipped(&skipped)), Some(skipped));
    }
}
