//! All files of a commit or an overlay with their bytes, indexed or not: as a checkout of it would
//! have them, without a checkout.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use facts::{ContentId, Facts, FileState};
use parking_lot::Mutex;

use crate::{
    Error, Result, Workspace, extraction,
    repository::{FileVersion, LocalRepository, Repository, TreeEntryKind},
    view::Source,
};

/// Regular files by their path from the root. Links and submodules are not among them.
pub struct FileListing {
    paths: Vec<PathBuf>,
    contents: BTreeMap<PathBuf, ContentId>,
    repository: Arc<Repository>,
    store: Arc<store::Store>,
    /// Handles that no thread uses at the moment.
    handles: Mutex<Vec<LocalRepository>>,
}

impl Workspace {
    /// The files of a commit, or of an overlay with its edits. A working tree is listed by the disk.
    pub fn listing(&self, source: &Source) -> Result<FileListing> {
        let (commit, edits) = match source {
            Source::Commit { id } => (*id, Vec::new()),
            Source::Overlay { id, base, .. } => (*base, self.overlays().files(id)?),
            Source::Live { head } => (head.commit.ok_or_else(no_commit)?, Vec::new()),
            Source::Virtual { below } => return self.listing(below),
        };
        let repository = self.base.repository.clone().ok_or_else(no_commit)?;
        let mut contents: BTreeMap<PathBuf, ContentId> = BTreeMap::new();
        for entry in repository.local().tree(&commit)? {
            if let (TreeEntryKind::File, Ok(path)) = (entry.kind, entry.path) {
                contents.insert(PathBuf::from(path), entry.id);
            }
        }
        for (path, state) in edits {
            let path = PathBuf::from(path.as_str());
            match state {
                FileState::Indexed { content, .. } => {
                    if let Some(id) = self.corpus().content_id(content) {
                        contents.insert(path, id);
                    }
                }
                // What is not kept cannot be read.
                FileState::Skipped(_) | FileState::Gone => drop(contents.remove(&path)),
            }
        }
        Ok(FileListing {
            paths: contents.keys().cloned().collect(),
            contents,
            repository,
            store: self.base.store.clone(),
            handles: Mutex::default(),
        })
    }
}

impl Workspace {
    /// The commits that changed a file, newest first, from a commit back along first parents, and
    /// whether those are all.
    pub fn versions(
        &self,
        from: &ContentId,
        path: &str,
        at_most: usize,
        until: Instant,
    ) -> (Vec<FileVersion>, bool) {
        match &self.base.repository {
            Some(repository) => repository.local().versions(from, path, at_most, until),
            None => (Vec::new(), true),
        }
    }

    /// The facts and text of a version of a file, which need not be indexed.
    pub fn read_version(&self, path: &str, content: &ContentId) -> Option<(Facts, String)> {
        let bytes = self.base.repository.as_ref()?.local().blob(content)?;
        if extraction::rejection(&bytes).is_some() {
            return None;
        }
        let language = extraction::language_of(path, &bytes);
        let text = extraction::text_of(&bytes);
        let is_text = matches!(text, Cow::Borrowed(_));
        let extracted = self.base.extractors.extract(language, &text, is_text);
        Some((extracted.ok()?, text.into_owned()))
    }
}

fn no_commit() -> Error {
    Error::UnknownRef {
        name: "HEAD".to_owned(),
    }
}

impl FileListing {
    /// Sorted component by component.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Absent where there is no such file, or its bytes are not in this clone.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let id = self.contents.get(path)?;
        let handle = self.handles.lock().pop();
        let handle = handle.unwrap_or_else(|| self.repository.local());
        let blob = handle.blob(id);
        self.handles.lock().push(handle);
        blob.or_else(|| self.store.bytes(id).ok().flatten())
    }
}
