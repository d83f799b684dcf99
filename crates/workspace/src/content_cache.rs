//! Facts and texts that were read last, within bounds; and how often one could not be read.

use std::{sync::Arc, time::Duration};

use engine::ReadFailures;
use facts::{ContentNumber, Facts};
use moka::sync::Cache;

const FACTS_CACHE: u64 = 24 << 20;
const TEXT_CACHE: u64 = 12 << 20;
/// What nobody asked for in this time goes, so that a server in which files are edited all day does
/// not keep every state of them.
const UNUSED: Duration = Duration::from_secs(300);

pub(crate) struct ContentCache {
    facts: Cache<ContentNumber, Arc<Facts>>,
    texts: Cache<ContentNumber, Arc<str>>,
    pub failures: ReadFailures,
}

impl Default for ContentCache {
    fn default() -> ContentCache {
        ContentCache {
            facts: Cache::builder()
                .max_capacity(FACTS_CACHE)
                .weigher(|_, facts: &Arc<Facts>| facts.size_in_memory() as u32)
                .time_to_idle(UNUSED)
                .build(),
            texts: Cache::builder()
                .max_capacity(TEXT_CACHE)
                .weigher(|_, text: &Arc<str>| text.len() as u32 + 64)
                .time_to_idle(UNUSED)
                .build(),
            failures: ReadFailures::default(),
        }
    }
}

impl ContentCache {
    /// The facts of a content. What cannot be read is counted, and looked for again next time.
    pub fn facts(
        &self,
        content: ContentNumber,
        read: impl FnOnce() -> Option<Facts>,
    ) -> Option<Arc<Facts>> {
        if let Some(facts) = self.facts.get(&content) {
            return Some(facts);
        }
        let Some(facts) = read() else {
            self.failures.add();
            return None;
        };
        let facts = Arc::new(facts);
        self.facts.insert(content, facts.clone());
        Some(facts)
    }

    /// The text of a content, if it was read lately.
    pub fn known_text(&self, content: ContentNumber) -> Option<Arc<str>> {
        self.texts.get(&content)
    }

    /// The text of a content.
    pub fn text(
        &self,
        content: ContentNumber,
        read: impl FnOnce() -> Option<Arc<str>>,
    ) -> Option<Arc<str>> {
        if let Some(text) = self.texts.get(&content) {
            return Some(text);
        }
        let text = read()?;
        self.texts.insert(content, text.clone());
        Some(text)
    }

    /// Counts a read that failed.
    pub fn note<T, E>(&self, read: Result<T, E>) -> Result<T, E> {
        read.inspect_err(|_| self.failures.add())
    }
}
