//! Unsaved files over a snapshot, for one request: in memory only.

use std::{collections::BTreeMap, sync::Arc};

use engine::{Corpus, ReadFailures, Sketches, Snapshot, Unreadable};
use facts::{ContentNumber, Facts, FileState, LanguageId, RepoPath, Semantics, SymbolSketch};

use crate::{
    Workspace, extraction,
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
        let mut contents = Vec::new();
        let mut edits = BTreeMap::new();
        for (path, text) in files {
            let state = match text {
                Some(text) => {
                    let (content, language) =
                        self.virtual_content(view, path, text, &mut contents)?;
                    FileState::Indexed { content, language }
                }
                None => FileState::Gone,
            };
            edits.insert(path.clone(), state);
        }
        let (all, skipped) = view.with_edits(&edits);
        let below: Arc<dyn Corpus> = match &view.published {
            Some(published) => published.clone(),
            None => self.base.corpus.clone(),
        };
        let corpus = Arc::new(LayeredCorpus { below, contents });
        let project = self.base.projects.read(&all, &*corpus);
        let snapshot = Snapshot::new(corpus, all, project);
        let source = Source::Virtual {
            below: Box::new(view.source.clone()),
        };
        let mut layered = SnapshotView::new(snapshot, source, skipped.into());
        layered.published = view.published.clone();
        Ok(self.base.hand_out(layered))
    }

    fn virtual_content(
        &self,
        view: &SnapshotView,
        path: &RepoPath,
        text: &str,
        contents: &mut Vec<VirtualContent>,
    ) -> crate::Result<(ContentNumber, LanguageId)> {
        let language = extraction::language_of(path.as_str(), text.as_bytes());
        // Text that is already indexed, saved or not, has its number.
        let id = self.base.corpus.hasher.id(text.as_bytes());
        if let (Some(id), Some(published)) = (id, view.published()) {
            let id = extraction::facts_id(id, language);
            if let Some(number) = published.commit().find(&id) {
                return Ok((number, language.id));
            }
        } else if let Some(id) = id {
            let found = self.base.store.find(&[(id, language.id)])?;
            if let Some((number, version)) = found.get(&(id, language.id))
                && *version == language.version
            {
                return Ok((*number, language.id));
            }
        }
        let facts = self
            .base
            .extractors
            .extract(language, text, true)
            .unwrap_or_else(|_| Facts {
                language: language.id,
                lines: facts::LineIndex::new(text),
                ..Facts::default()
            });
        let number = unsaved_number(contents.len());
        contents.push(VirtualContent {
            facts: Arc::new(facts),
            text: Arc::from(text),
        });
        Ok((number, language.id))
    }
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
