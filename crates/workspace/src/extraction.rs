//! Bytes become facts: the language, the text, and why some bytes are not indexed.

use std::{borrow::Cow, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use extract::{Extractor, Language};
use facts::{
    ContentId, ContentNumber, Facts, FactsId, LanguageId, Problem, ProblemKind, SkipReason, Span,
};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

/// What limits one file's extraction. The deadline is wall time: long enough that a busy machine,
/// where a second of work takes ten, gives the same facts as an idle one.
const LIMITS: extract::Limits = extract::Limits {
    deadline: Duration::from_secs(10),
    max_depth: 2000,
};

/// As much of a file as tells its language or that it is binary; git looks as far.
const HEAD: usize = 8000;

/// Why these bytes are not indexed under any name.
pub fn rejection(bytes: &[u8]) -> Option<SkipReason> {
    if memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]).is_some() {
        return Some(SkipReason::Binary);
    }
    // https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: under 1024 bytes, `version` first.
    if bytes.len() < 1024 && bytes.starts_with(b"version https://git-lfs.github.com/spec/") {
        return Some(SkipReason::LargeFilePointer);
    }
    None
}

pub fn language_of(path: &str, bytes: &[u8]) -> &'static Language {
    extract::language_of(path, &bytes[..bytes.len().min(HEAD)]).unwrap_or(&extract::PLAIN_TEXT)
}

/// The language that the name alone tells, whatever the file holds.
pub fn language_by_name(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let decided = extract::language_of(path, b"");
    if name.ends_with(".h") || (decided.is_none() && !name.contains('.')) {
        return None;
    }
    Some(decided.unwrap_or(&extract::PLAIN_TEXT))
}

pub fn facts_id(content: ContentId, language: &Language) -> FactsId {
    FactsId {
        content,
        language: language.id,
        extractor_version: language.version,
    }
}

/// The text that facts and answers speak about: bytes that are no UTF-8 are replaced.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // Checked as a whole first, which is far quicker than looking for what to replace.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

pub fn into_text(bytes: Vec<u8>) -> Arc<str> {
    match String::from_utf8(bytes) {
        Ok(text) => Arc::from(text),
        Err(error) => Arc::from(String::from_utf8_lossy(error.as_bytes())),
    }
}

/// Extractors that are not at work; each keeps its parsers.
#[derive(Default)]
pub struct Extractors(Mutex<Vec<Extractor>>);

impl Extractors {
    /// Gives back the memory of parsers that are not at work.
    pub fn release_memory(&self) {
        self.0.lock().clear();
    }

    /// `Err` if extraction panicked, which costs this file only.
    pub fn extract(
        &self,
        language: &'static Language,
        text: &str,
        bytes_were_text: bool,
    ) -> Result<Facts, SkipReason> {
        let mut extractor = self.0.lock().pop().unwrap_or_default();
        let extracted = std::panic::catch_unwind(AssertUnwindSafe(|| {
            extractor.extract(language, text, &LIMITS)
        }));
        let Ok(mut facts) = extracted else {
            // Its extractor may be in any state and is not used again.
            tracing::warn!(
                language = language.name,
                len = text.len(),
                "extraction failed"
            );
            return Err(SkipReason::Failed);
        };
        self.0.lock().push(extractor);
        if !bytes_were_text {
            facts.problems.push(Problem {
                kind: ProblemKind::Encoding,
                span: Span::new(0, text.len() as u32),
            });
        }
        Ok(facts)
    }
}

/// The current version of a language's extractor; `None` if this build does not know the language.
pub fn current_version(language: LanguageId) -> Option<u32> {
    extract::language(language).map(|language| language.version)
}

/// By which extractors facts are made: equal texts mean equal versions of all of them.
pub fn extractor_versions() -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[facts::FORMAT_VERSION]);
    for language in extract::LANGUAGES {
        hasher.update(&language.id.0.to_le_bytes());
        hasher.update(&language.version.to_le_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Whether facts come from a former version of their extractor.
pub fn is_outdated(language: LanguageId, version: u32) -> bool {
    current_version(language).is_some_and(|current| current != version)
}

/// Contents whose facts come from a former version of their extractor. They serve until they are
/// extracted again.
pub fn outdated(store: &store::Store) -> Result<FxHashSet<ContentNumber>, store::Error> {
    store.contents_where(is_outdated)
}
