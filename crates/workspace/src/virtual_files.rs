//! Unsaved files over a snapshot, for one request: in memory only.

use std::{collections::BTreeMap, sync::Arc};

use engine::{Corpus, FileId, ReadFailures, Sketches, Snapshot, Unreadable};
use extract::Language;
use facts::{ContentNumber, Facts, FileState, LanguageId, RepoPath, Semantics, SymbolSketch};

use crate::{
    Workspace, extraction, is_manifest,
    parallel::in_parallel,
    view::{SnapshotView, Source},
};

impl Workspace {
    /// `view` with these texts in place of what it has; `None` removes a file. Every question sees
    /// them.
    pub fn with_virtual_files(
        &self,
        view: &SnapshotView,
        files: &[(RepoPath, Option<String>)],
    ) -> crate::Result<Arc<SnapshotView>> {
        let mut edits = BTreeMap::new();
        let mut unknown = Vec::new();
        for (path, text) in files {
            let state = match text {
                Some(text) => {
                    let language = extraction::language_of(path.as_str(), text.as_bytes());
                    let known = self.known_content(view, language, text)?;
                    let content = known.unwrap_or_else(|| {
                        unknown.push((language, text.as_str()));
                        unsaved_number(unknown.len() - 1)
                    });
                    let language = language.id;
                    FileState::Indexed { content, language }
                }
                None => FileState::Gone,
            };
            edits.insert(path.clone(), state);
        }
        let contents = self.extracted(&unknown);
        let below: Arc<dyn Corpus> = match &view.published {
            Some(published) => published.clone(),
            None => self.base.corpus.clone(),
        };
        let corpus = Arc::new(LayeredCorpus { below, contents });
        let source = Source::Virtual {
            below: Box::new(view.source.clone()),
        };
        let mut layered = match content_edits(&view.snapshot, &edits) {
            Some(edits) => {
                let snapshot = view.snapshot.edited_over(corpus, &edits);
                SnapshotView::new(snapshot, source, view.skipped.clone())
            }
            None => {
                let (all, skipped) = view.with_edits(&edits);
                let project = self.base.projects.read(&all, &*corpus);
                let snapshot = Snapshot::new(corpus, all, project);
                SnapshotView::new(snapshot, source, skipped.into())
            }
        };
        layered.published = view.published.clone();
        Ok(self.base.hand_out(layered))
    }

    /// The number of a text that is already indexed, saved or not.
    fn known_content(
        &self,
        view: &SnapshotView,
        language: &'static Language,
        text: &str,
    ) -> crate::Result<Option<ContentNumber>> {
        let Some(id) = self.base.corpus.hasher.id(text.as_bytes()) else {
            return Ok(None);
        };
        if let Some(published) = view.published() {
            let id = extraction::facts_id(id, language);
            return Ok(published.commit().find(&id));
        }
        let found = self.base.store.find(&[(id, language.id)])?;
        let current = found
            .get(&(id, language.id))
            .filter(|(_, version)| *version == language.version);
        Ok(current.map(|(number, _)| *number))
    }

    /// The facts of texts, in their order; several threads read them where there are many.
    fn extracted(&self, texts: &[(&'static Language, &str)]) -> Vec<VirtualContent> {
        /// Bytes that are worth a thread.
        const WORTH_A_THREAD: usize = 32 << 10;
        let extract = |&(language, text): &(&'static Language, &str)| {
            let extracted = self.base.extractors.extract(language, text, true);
            let facts = extracted.unwrap_or_else(|_| Facts {
                language: language.id,
                lines: facts::LineIndex::new(text),
                ..Facts::default()
            });
            VirtualContent {
                facts: Arc::new(facts),
                text: Arc::from(text),
            }
        };
        let n_bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
        if n_bytes < 2 * WORTH_A_THREAD {
            return texts.iter().map(extract).collect();
        }
        in_parallel(texts, extract)
    }
}

/// The edits as other contents of the same files; nothing where a path comes or goes, or where a
/// manifest changes and with it the project.
fn content_edits(
    snapshot: &Snapshot,
    edits: &BTreeMap<RepoPath, FileState>,
) -> Option<Vec<(FileId, ContentNumber, LanguageId)>> {
    let edits = edits.iter().map(|(path, state)| {
        let (content, language) = state.content()?;
        let file = snapshot.find(path.as_str())?;
        (!is_manifest(path.file_name())).then_some((file, content, language))
    });
    edits.collect()
}

fn unsaved_number(i: usize) -> ContentNumber {
    ContentNumber(ContentNumber::FIRST_UNSAVED.0 + i as u32)
}

/// A few contents in memory over those of a workspace.
pub(crate) struct LayeredCorpus {
    below: Arc<dyn Corpus>,
    contents: Vec<VirtualContent>,
}

struct VirtualContent {
    facts: Arc<Facts>,
    text: Arc<str>,
}

impl LayeredCorpus {
    fn own(&self, content: ContentNumber) -> Option<&VirtualContent> {
        self.contents
            .get(content.0.checked_sub(ContentNumber::FIRST_UNSAVED.0)? as usize)
    }

    fn with_own(
        &self,
        mut below: Vec<ContentNumber>,
        has: impl Fn(&Facts) -> bool,
    ) -> Vec<ContentNumber> {
        let own = self
            .contents
            .iter()
            .enumerate()
            .filter(|(_, content)| has(&content.facts));
        below.extend(own.map(|(i, _)| unsaved_number(i)));
        below
    }
}

impl Corpus for LayeredCorpus {
    fn facts(&self, content: ContentNumber) -> Option<Arc<Facts>> {
        match self.own(content) {
            Some(own) => Some(own.facts.clone()),
            None => self.below.facts(content),
        }
    }

    fn text(&self, content: ContentNumber) -> Option<Arc<str>> {
        match self.own(content) {
            Some(own) => Some(own.text.clone()),
            None => self.below.text(content),
        }
    }

    fn defining(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        let defines = |facts: &Facts| {
            facts
                .names
                .find(name)
                .is_some_and(|name| facts.symbols.iter().any(|symbol| symbol.name == name))
        };
        Ok(self.with_own(self.below.defining(name)?, defines))
    }

    fn sketches(&self, names: &[&str]) -> Result<Vec<Sketches>, Unreadable> {
        let mut all = self.below.sketches(names)?;
        for (name, sketches) in names.iter().zip(&mut all) {
            for (i, own) in self.contents.iter().enumerate() {
                let named = SymbolSketch::named(&own.facts, name);
                if !named.is_empty() {
                    sketches.push((unsaved_number(i), named));
                }
            }
        }
        Ok(all)
    }

    fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        let mentions = |facts: &Facts| {
            facts
                .names
                .find(name)
                .is_some_and(|name| facts.mentioned_names().contains(&name))
        };
        Ok(self.with_own(self.below.mentioning(name)?, mentions))
    }

    fn failures(&self) -> Option<&ReadFailures> {
        self.below.failures()
    }

    fn semantics(&self, language: LanguageId) -> Option<&'static Semantics> {
        self.below.semantics(language)
    }
}
