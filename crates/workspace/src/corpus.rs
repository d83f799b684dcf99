//! Facts and text for the engine: from memory, the store, git's objects or the disk, whichever has
//! them.

use std::{
    path::PathBuf,
    sync::{Arc, Weak},
};

use engine::{Corpus, ReadFailures, Sketches, Snapshot, Unreadable};
use facts::{ContentId, ContentNumber, Facts, LanguageId, Semantics, SymbolSketch};
use parking_lot::RwLock;
use store::Store;

use crate::{
    content_cache::ContentCache,
    extraction::{self, Extractors},
    platform::Root,
    repository::{Hasher, Repository},
};

/// What a workspace has indexed. One per workspace: it knows where the files lie.
pub struct StoreCorpus {
    pub(crate) store: Arc<Store>,
    pub(crate) repository: Option<Arc<Repository>>,
    pub(crate) hasher: Hasher,
    pub(crate) extractors: Arc<Extractors>,
    root: Option<PathBuf>,
    /// The working tree as last published, to find a content on disk.
    live: RwLock<Weak<Snapshot>>,
    cache: ContentCache,
}

impl StoreCorpus {
    pub(crate) fn new(
        store: Arc<Store>,
        repository: Option<Arc<Repository>>,
        root: Option<PathBuf>,
        extractors: Arc<Extractors>,
    ) -> StoreCorpus {
        let hasher = repository
            .as_ref()
            .map_or(Hasher::SHA1, |repository| repository.hasher());
        StoreCorpus {
            store,
            repository,
            hasher,
            extractors,
            root,
            live: RwLock::default(),
            cache: ContentCache::default(),
        }
    }

    pub(crate) fn set_live(&self, snapshot: &Arc<Snapshot>) {
        *self.live.write() = Arc::downgrade(snapshot);
    }

    /// The id of a content's bytes.
    pub fn content_id(&self, content: ContentNumber) -> Option<ContentId> {
        Some(self.store.content(content).ok()??.id.content)
    }

    /// The facts of a content, past the cache: for those that read every content once.
    pub fn facts_unshared(&self, content: ContentNumber) -> Option<Facts> {
        self.read_facts(content)
    }

    /// The bytes of a content's file, past the cache.
    pub fn bytes_of(&self, content: ContentNumber) -> Option<Vec<u8>> {
        self.bytes(content, &self.content_id(content)?)
    }

    fn read_facts(&self, content: ContentNumber) -> Option<Facts> {
        match self.store.facts(content) {
            Ok(Some(Ok(facts))) => Some(facts),
            Ok(None) => None,
            Ok(Some(Err(damage))) => {
                tracing::info!(content = content.0, ?damage, "facts are extracted again");
                self.extract_again(content)
            }
            Err(error) => {
                tracing::warn!(%error, content = content.0, "facts cannot be read");
                self.extract_again(content)
            }
        }
    }

    fn extract_again(&self, content: ContentNumber) -> Option<Facts> {
        let row = self.store.content(content).ok()??;
        let language = extract::language(row.id.language)?;
        let bytes = self.bytes(content, &row.id.content)?;
        let text = extraction::text_of(&bytes);
        let facts = self
            .extractors
            .extract(
                language,
                &text,
                matches!(text, std::borrow::Cow::Borrowed(_)),
            )
            .ok()?;
        if let Err(error) = self.store.replace_facts(row.number, &facts) {
            tracing::debug!(%error, "facts made again are not kept");
        }
        Some(facts)
    }

    fn bytes(&self, content: ContentNumber, id: &ContentId) -> Option<Vec<u8>> {
        if let Some(bytes) = self.bytes_on_disk(content, id) {
            return Some(bytes);
        }
        if let Some(bytes) = self
            .repository
            .as_ref()
            .and_then(|repository| repository.local().blob(id))
        {
            return Some(bytes);
        }
        let bytes = self.store.bytes(id).ok()??;
        (self.hasher.id(&bytes) == Some(*id)).then_some(bytes)
    }

    /// What a file holds now, if that is still this content.
    fn bytes_on_disk(&self, content: ContentNumber, id: &ContentId) -> Option<Vec<u8>> {
        let live = self.live.read().upgrade()?;
        let file = live.file(*live.files_of(content).first()?);
        let root = Root::open(self.root.as_ref()?).ok()?;
        let (bytes, ..) = root.read(file.path.as_str(), u64::MAX - 1).ok()?;
        (self.hasher.id(&bytes) == Some(*id)).then_some(bytes)
    }
}

impl Corpus for StoreCorpus {
    fn facts(&self, content: ContentNumber) -> Option<Arc<Facts>> {
        self.cache.facts(content, || self.read_facts(content))
    }

    fn text(&self, content: ContentNumber) -> Option<Arc<str>> {
        self.cache.text(content, || {
            let id = self.content_id(content)?;
            Some(extraction::into_text(self.bytes(content, &id)?))
        })
    }

    fn defining(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        self.store.defining(name).map_err(unreadable)
    }

    fn sketches(&self, names: &[&str]) -> Result<Vec<Sketches>, Unreadable> {
        let all = self.store.sketches(names).map_err(unreadable)?;
        let of_name = |(name, found): (&&str, Vec<(ContentNumber, Option<_>)>)| {
            let known = found.into_iter().filter_map(|(content, sketches)| {
                let made_again = || Some(SymbolSketch::named(&*self.facts(content)?, name));
                Some((content, sketches.or_else(made_again)?))
            });
            known.collect()
        };
        Ok(names.iter().zip(all).map(of_name).collect())
    }

    fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        self.store.mentioning(name).map_err(unreadable)
    }

    fn failures(&self) -> Option<&ReadFailures> {
        Some(&self.cache.failures)
    }

    fn semantics(&self, language: LanguageId) -> Option<&'static Semantics> {
        extract::language(language)?.semantics
    }
}

fn unreadable(error: store::Error) -> Unreadable {
    tracing::warn!(%error, "the table of names cannot be read");
    Unreadable
}
