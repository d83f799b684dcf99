//! A directory that several machines share: what one of them extracted from a commit, the others
//! need not extract again.
//!
//! One file per commit, rules and extractors: `codecompass-1/<commit>-<revision>.facts`. It is
//! written beside its place and renamed into it, so that readers see all of it or nothing, and
//! writers at the same time write the same. It is foreign input: a file whose hash is wrong counts
//! as absent, and its records are checked as [`crate::facts_source`] says. No failure here is
//! anyone's failure.

use std::{
    fs,
    io::Write,
    ops::Range,
    path::{Path, PathBuf},
};

use facts::{ContentId, ContentNumber, FactsId, LanguageId};
use rustc_hash::FxHashMap;
use store::{Store, StoredSnapshot};

use crate::facts_source::FactsSource;

/// 1: first version.
const FORMAT: &[u8; 16] = b"codecompass-fct1";
const FOLDER: &str = "codecompass-1";
const HASH: usize = 32;
/// Larger files are not ours.
const MAX_BYTES: u64 = 4 << 30;

/// The facts of one commit's files, as another machine wrote them.
pub struct Bundle {
    bytes: Vec<u8>,
    records: FxHashMap<FactsId, Range<usize>>,
}

impl Bundle {
    /// The bundle of a commit, if the directory has one that is whole.
    pub fn pull(directory: &Path, revision: &[u8]) -> Option<Bundle> {
        let path = place(directory, revision);
        let length = fs::metadata(&path).ok()?.len();
        if length > MAX_BYTES {
            tracing::warn!(path = %path.display(), length, "a shared index is too large to be one");
            return None;
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "cannot read a shared index");
                return None;
            }
        };
        let records = parse(&bytes);
        if records.is_none() {
            tracing::warn!(path = %path.display(), "a shared index is damaged: the commit is indexed here");
        }
        Some(Bundle {
            records: records?,
            bytes,
        })
    }
}

impl FactsSource for Bundle {
    fn record(&self, id: &FactsId) -> Option<Vec<u8>> {
        let record = self.bytes.get(self.records.get(id)?.clone())?;
        Some(record.to_vec())
    }
}

/// Writes the facts of a snapshot where others find them. What cannot be written is left out of the
/// directory, and said in the log.
pub fn push(directory: &Path, revision: &[u8], store: &Store, snapshot: &StoredSnapshot) {
    let path = place(directory, revision);
    if path.is_file() && fs::read(&path).is_ok_and(|bytes| parse(&bytes).is_some()) {
        return;
    }
    if let Err(error) = write(&path, store, snapshot) {
        tracing::warn!(path = %path.display(), %error, "cannot write a shared index");
    }
}

fn write(
    path: &Path,
    store: &Store,
    snapshot: &StoredSnapshot,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers: Vec<ContentNumber> = snapshot.files.iter().map(|file| file.content).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut rows = Vec::with_capacity(numbers.len());
    for number in numbers {
        rows.extend(store.content(number)?);
    }
    // Numbers depend on which worker was faster; every machine writes the same bytes.
    rows.sort_by_key(|row| row.id);
    let mut bytes = FORMAT.to_vec();
    for row in rows {
        let Some(Ok(facts)) = store.facts(row.number)? else {
            continue;
        };
        let content = row.id.content;
        let record = facts::encode(&facts);
        bytes.push(content.as_bytes().len() as u8);
        bytes.extend_from_slice(content.as_bytes());
        bytes.extend_from_slice(&row.id.language.0.to_le_bytes());
        bytes.extend_from_slice(&row.id.extractor_version.to_le_bytes());
        bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&record);
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    // The name of an unfinished file is nobody else's: machines may share process ids, not the
    // moment and the place in memory as well.
    let moment = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let name = format!(
        ".unfinished-{}-{moment:x}-{:x}",
        std::process::id(),
        bytes.as_ptr() as usize
    );
    let unfinished = folder.join(name);
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&unfinished)?;
    let written = file
        .write_all(&bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    Ok(written?)
}

fn place(directory: &Path, revision: &[u8]) -> PathBuf {
    let name: String = revision.iter().map(|byte| format!("{byte:02x}")).collect();
    directory.join(FOLDER).join(format!("{name}.facts"))
}

/// The range of each record; `None` where a byte is not as it was written.
fn parse(bytes: &[u8]) -> Option<FxHashMap<FactsId, Range<usize>>> {
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    if !body.starts_with(FORMAT) || blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let mut records = FxHashMap::default();
    let mut at = FORMAT.len();
    let mut take = |n: usize| {
        let range = at..at.checked_add(n)?;
        at = range.end;
        body.get(range.clone()).map(|bytes| (bytes, range))
    };
    while let Some((length, _)) = take(1) {
        let (content, _) = take(usize::from(length[0]))?;
        let (language, _) = take(size_of::<LanguageId>())?;
        let (version, _) = take(4)?;
        let (n, _) = take(4)?;
        let (_, range) = take(u32::from_le_bytes(n.try_into().ok()?) as usize)?;
        let id = FactsId {
            content: ContentId::from_bytes(content)?,
            language: LanguageId(u16::from_le_bytes(language.try_into().ok()?)),
            extractor_version: u32::from_le_bytes(version.try_into().ok()?),
        };
        records.insert(id, range);
    }
    Some(records)
}
