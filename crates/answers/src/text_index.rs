//! The words of a snapshot's texts, handed to the engine's search.

use std::sync::Arc;

use engine::{ContentNumber, Unreadable, query::search::TextIndex};
use facts::{N_FIELDS, TextMatches, TextSegment};
use rustc_hash::FxHashMap;

use crate::Session;

/// Contents whose size may be looked up one by one.
const FEW_CONTENTS: usize = 64;

/// The text index of a session's snapshot, as the engine's search reads it.
pub(crate) struct SnapshotWords<'a>(pub &'a Session);

impl TextIndex for SnapshotWords<'_> {
    fn words(&self, text: &str, each: &mut dyn FnMut(&str)) {
        workspace::words(text, each);
    }

    fn statistics(&self) -> Result<(u64, [u64; N_FIELDS]), Unreadable> {
        if let Some(cold) = self.0.view.cold() {
            return Err(cold.require_index());
        }
        let statistics = self.0.workspace.text().statistics(&self.0.view);
        let statistics = statistics.map_err(unreadable_text)?;
        Ok((statistics.n_documents, statistics.lengths))
    }

    fn matches(&self, words: &[&str]) -> Result<TextMatches, Unreadable> {
        if let Some(cold) = self.0.view.cold() {
            return Err(cold.require_index());
        }
        let matches = self.0.workspace.text().matches(&self.0.view, words);
        matches.map_err(unreadable_text)
    }

    fn segments(&self, words: &[&str]) -> Result<Vec<TextSegment>, Unreadable> {
        if let Some(cold) = self.0.view.cold() {
            return Err(cold.require_index());
        }
        let segments = self.0.workspace.text().segments(&self.0.view, words);
        segments.map_err(unreadable_text)
    }

    fn size(&self, content: ContentNumber) -> u32 {
        let sizes = self.0.cache.incremental.sizes.get_or_init(|| {
            // The few contents that are not in it tell their size themselves.
            let lacks_little = |sizes: &&Arc<FxHashMap<u32, u32>>| {
                self.0
                    .snapshot()
                    .files()
                    .filter(|(_, file)| !sizes.contains_key(&file.content.0))
                    .take(FEW_CONTENTS)
                    .count()
                    < FEW_CONTENTS
            };
            let previous = self
                .0
                .cache
                .previous
                .as_ref()
                .and_then(|(_, incremental)| incremental.sizes.get());
            if let Some(sizes) = previous.filter(lacks_little) {
                return sizes.clone();
            }
            let rows = self.0.workspace.content_sizes(&self.0.view);
            let own = rows
                .into_iter()
                .filter(|row| !self.0.snapshot().files_of(row.number).is_empty());
            Arc::new(own.map(|row| (row.number.0, row.len)).collect())
        });
        let unsaved = || {
            self.0
                .snapshot()
                .corpus()
                .facts(content)
                .map_or(0, |facts| facts.lines.text_len())
        };
        sizes.get(&content.0).copied().unwrap_or_else(unsaved)
    }
}

fn unreadable_text(error: workspace::Error) -> Unreadable {
    tracing::warn!(%error, "the text index cannot be read");
    Unreadable
}
