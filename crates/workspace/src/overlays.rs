//! Overlays: a base commit and the working tree's edits over it, kept until deleted. A repository
//! can have several.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use facts::{ContentId, File, FileState, RepoPath};

use crate::{
    Error, Result, Workspace,
    view::{SnapshotView, Source},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    pub id: String,
    pub base: ContentId,
    /// Rises with every change.
    pub revision: u64,
    /// Milliseconds since 1970.
    pub created: i64,
    pub accessed: i64,
    /// Files that differ from the base, in order.
    pub files: Vec<(RepoPath, OverlayChange)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverlayChange {
    Added,
    Modified,
    Deleted,
}

/// What a refresh found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayRefresh {
    pub overlay: Overlay,
    /// Paths whose content in the overlay is another than before, in order.
    pub changed: Vec<RepoPath>,
}

/// Long enough for any edit; a tree that changes for longer is refreshed again by its client.
const PATIENCE: Duration = Duration::from_secs(60);

/// The overlays of a workspace.
#[derive(Clone, Copy)]
pub struct Overlays<'a>(pub(crate) &'a Workspace);

impl Overlays<'_> {
    /// Makes an overlay on a commit, or resets the one of this name. It starts without edits.
    pub fn create(&self, id: &str, base: ContentId) -> Result<Overlay> {
        check_overlay_id(id)?;
        if self.0.is_published() {
            return Err(Error::PublishedOnly);
        }
        self.0.history.at_commit(base)?;
        let root = &self.0.base.root_text;
        let row = self.store().create_overlay(id, root, base.as_bytes())?;
        self.describe(row, &[])
    }

    pub fn list(&self) -> Result<Vec<Overlay>> {
        let rows = self.store().overlays(&self.0.base.root_text)?;
        let described = rows.into_iter().map(|row| {
            let files = self.store().overlay_files(&row)?;
            self.describe(row, &files)
        });
        described.collect()
    }

    pub fn find(&self, id: &str) -> Result<Overlay> {
        let row = self.row(id)?;
        let files = self.store().overlay_files(&row)?;
        self.describe(row, &files)
    }

    pub fn delete(&self, id: &str) -> Result<()> {
        let row = self.row(id)?;
        Ok(self.store().delete_overlay(&row)?)
    }

    /// Takes the working tree's differences from the base into the overlay: all of them, or those
    /// of the given paths.
    pub fn refresh(&self, id: &str, paths: Option<&[RepoPath]>) -> Result<OverlayRefresh> {
        let row = self.row(id)?;
        let base = self.0.history.at_commit(base_of(&row)?)?;
        let (live, _) = self.0.fresh_live(PATIENCE)?;
        let former: BTreeMap<RepoPath, FileState> =
            self.store().overlay_files(&row)?.into_iter().collect();
        let files = match paths {
            None => differences(&base, &live).collect(),
            Some(paths) => {
                let mut files = former.clone();
                for path in paths {
                    match (state_in(&base, path), state_in(&live, path)) {
                        (before, now) if before == now => files.remove(path),
                        (_, now) => files.insert(path.clone(), now),
                    };
                }
                files
            }
        };
        let list: Vec<_> = files
            .iter()
            .map(|(path, file)| (path.clone(), *file))
            .collect();
        let row = self.store().replace_overlay_files(&row, &list)?;
        let mut changed: Vec<_> = list
            .iter()
            .filter(|(path, file)| former.get(path) != Some(file))
            .map(|(path, _)| path.clone())
            .collect();
        changed.extend(
            former
                .keys()
                .filter(|path| !files.contains_key(*path))
                .cloned(),
        );
        changed.sort();
        Ok(OverlayRefresh {
            overlay: self.describe(row, &list)?,
            changed,
        })
    }

    /// The base commit with the overlay's edits over it.
    pub fn view(&self, id: &str) -> Result<Arc<SnapshotView>> {
        let row = self.row(id)?;
        let base_id = base_of(&row)?;
        let base = self.0.history.at_commit(base_id)?;
        let edits: BTreeMap<RepoPath, FileState> =
            self.store().overlay_files(&row)?.into_iter().collect();
        let (files, skipped) = base.with_edits(&edits);
        let source = Source::Overlay {
            id: id.to_owned(),
            base: base_id,
            revision: row.revision,
        };
        let base = &self.0.base;
        Ok(base.hand_out(base.view(files, source, skipped)))
    }

    fn store(&self) -> &store::Store {
        &self.0.base.store
    }

    /// What an overlay has otherwise than its base.
    pub(crate) fn files(&self, id: &str) -> Result<Vec<(RepoPath, FileState)>> {
        Ok(self.0.base.store.overlay_files(&self.row(id)?)?)
    }

    fn row(&self, id: &str) -> Result<store::OverlayRow> {
        check_overlay_id(id)?;
        self.store()
            .overlay(id, &self.0.base.root_text)?
            .ok_or_else(|| Error::UnknownOverlay { id: id.to_owned() })
    }

    fn describe(&self, row: store::OverlayRow, files: &[(RepoPath, FileState)]) -> Result<Overlay> {
        let base_id = base_of(&row)?;
        let base = if files.is_empty() {
            None
        } else {
            Some(self.0.history.at_commit(base_id)?)
        };
        let in_base = |path: &RepoPath| {
            base.as_ref()
                .is_some_and(|base| base.snapshot.find(path.as_str()).is_some())
        };
        let change = |(path, state): &(RepoPath, FileState)| {
            let change = match state {
                FileState::Indexed { .. } if in_base(path) => OverlayChange::Modified,
                FileState::Indexed { .. } => OverlayChange::Added,
                FileState::Skipped(_) | FileState::Gone => OverlayChange::Deleted,
            };
            (path.clone(), change)
        };
        let files = files.iter().map(change).collect();
        Ok(Overlay {
            id: row.id,
            base: base_id,
            revision: row.revision,
            created: row.created,
            accessed: row.accessed,
            files,
        })
    }
}

/// What one view has that another has not, path by path.
fn differences<'a>(
    base: &'a SnapshotView,
    live: &'a SnapshotView,
) -> impl Iterator<Item = (RepoPath, FileState)> + 'a {
    let is_as_before = |file: &File| {
        base.snapshot
            .find(file.path.as_str())
            .is_some_and(|id| base.snapshot.file(id).content == file.content)
    };
    let edited = live
        .snapshot
        .files()
        .map(|(_, file)| file)
        .filter(move |file| !is_as_before(file));
    let edited = edited.map(|file| (file.path.clone(), state_of(file)));
    let deleted = base
        .snapshot
        .files()
        .map(|(_, file)| file)
        .filter(|file| live.snapshot.find(file.path.as_str()).is_none());
    edited.chain(deleted.map(|file| (file.path.clone(), FileState::Gone)))
}

fn state_of(file: &File) -> FileState {
    FileState::Indexed {
        content: file.content,
        language: file.language,
    }
}

fn state_in(view: &SnapshotView, path: &RepoPath) -> FileState {
    let id = view.snapshot.find(path.as_str());
    id.map_or(FileState::Gone, |id| state_of(view.snapshot.file(id)))
}

/// Letters, digits and a few signs: an id never names a file, and never anything outside of the
/// index.
fn check_overlay_id(id: &str) -> Result<()> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    match !id.is_empty() && id.len() <= 128 && id.bytes().all(is_letter) && !id.starts_with('.') {
        true => Ok(()),
        false => Err(Error::InvalidOverlayId { id: id.to_owned() }),
    }
}

fn base_of(row: &store::OverlayRow) -> Result<ContentId> {
    ContentId::from_bytes(&row.base).ok_or(Error::Store(store::Error::Damaged))
}
