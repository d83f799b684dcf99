//! A directory that several machines share: what one of them extracted from a commit, the others
//! need not extract again.
//!
//! One file per commit, rules and extractors: `codecompass-1/<commit>-<revision>.facts`. It is
//! written beside its place and renamed into it, so that readers see all of it or nothing, and
//! writers at the same time write the same. It is foreign input: a file whose hash is wrong counts
//! as absent, and facts that do not fit the text they claim to be about are extracted again. No
//! failure here is anyone's failure.

use std::{
    fs,
    io::Write,
    ops::Range,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
};

use facts::{ContentId, ContentNumber, Facts, FactsId, LanguageId, Recipe, RecipeId};
use rustc_hash::FxHashMap;
use store::{Store, StoredSnapshot};

/// 1: first version.
const FORMAT: &[u8; 16] = b"codecompass-fct1";
const FOLDER: &str = "codecompass-1";
const HASH: usize = 32;
/// Larger files are not ours.
const MAX_BYTES: u64 = 4 << 30;
/// Facts of one file, unpacked.
const MAX_UNPACKED: u32 = 1 << 28;

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

    /// The facts of a content, if they are whole and can be about this text.
    pub fn facts(&self, id: FactsId, text: &str) -> Option<Facts> {
        let record = self.bytes.get(self.records.get(&id)?.clone())?;
        // What it says to unpack to is checked before it is unpacked.
        let claimed = record
            .get(9..13)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(u32::MAX, u32::from_le_bytes);
        if claimed > MAX_UNPACKED {
            return None;
        }
        let facts = facts::decode(record).ok()?;
        (facts.language == id.language && fits(&facts, text)).then_some(facts)
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

/// Whether facts can be about a text: every place lies in it, every index leads somewhere, and
/// nothing holds itself.
fn fits(facts: &Facts, text: &str) -> bool {
    let length = text.len() as u32;
    let within = |span: facts::Span| span.start <= span.end && span.end <= length;
    let is_below = |id: RecipeId, own: usize| (id.0 as usize) < own;
    let list = |range: facts::ListRange| {
        facts
            .lists
            .get(range.start as usize..(range.start as usize).saturating_add(range.len as usize))
    };
    let all_below =
        |range, own| list(range).is_some_and(|items| items.iter().all(|item| is_below(*item, own)));
    let recipes = facts
        .recipes
        .iter()
        .enumerate()
        .all(|(own, recipe)| match *recipe {
            Recipe::Member(a, _)
            | Recipe::Scoped(a, _)
            | Recipe::Element(a)
            | Recipe::Await(a)
            | Recipe::Try(a)
            | Recipe::Deref(a)
            | Recipe::Reference(a)
            | Recipe::Field(_, a)
            | Recipe::Spread(a)
            | Recipe::Part(a, _)
            | Recipe::Rest(a, _)
            | Recipe::TypeArguments(a, _)
            | Recipe::Parameter(a, _) => is_below(a, own),
            Recipe::Index(a, b)
            | Recipe::Entry(a, b)
            | Recipe::Either(a, b)
            | Recipe::Operation(a, b) => is_below(a, own) && is_below(b, own),
            Recipe::Call(a, range) => is_below(a, own) && all_below(range, own),
            Recipe::New(_, range)
            | Recipe::Tuple(range)
            | Recipe::List(range)
            | Recipe::Object(range)
            | Recipe::Lambda(_, range) => all_below(range, own),
            _ => true,
        });
    let symbols = facts.symbols.iter().enumerate().all(|(own, symbol)| {
        symbol.parent.is_none_or(|parent| (parent.0 as usize) < own)
            && within(symbol.span)
            && within(symbol.name_span)
            && within(symbol.signature)
    });
    let scopes = facts
        .scopes
        .iter()
        .enumerate()
        .all(|(own, scope)| (scope.parent.0 as usize) < own.max(1) && within(scope.span));
    let places = facts.references.iter().all(|reference| {
        within(reference.span) && (reference.scope.0 as usize) < facts.scopes.len()
    });
    let has_scope = |scope: facts::ScopeId| (scope.0 as usize) < facts.scopes.len();
    let flows = facts
        .value_calls
        .iter()
        .all(|call| within(call.span) && has_scope(call.scope))
        && facts.stores.iter().all(|store| has_scope(store.scope));
    let sound = facts.lines.text_len() == length
        && !facts.scopes.is_empty()
        && recipes
        && symbols
        && scopes
        && places
        && flows;
    // Whatever index is left that leads nowhere shows when all of it is read.
    sound
        && std::panic::catch_unwind(AssertUnwindSafe(|| {
            extract::render::render(facts, SECTIONS).len()
        }))
        .is_ok()
}

const SECTIONS: &[&str] = &[
    "symbols",
    "bindings",
    "references",
    "imports",
    "exports",
    "supertypes",
    "annotations",
    "values",
    "flows",
];
