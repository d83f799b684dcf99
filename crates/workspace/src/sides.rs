//! What changes are compared with: git's index, merge bases, other branches and working trees.

use std::{collections::BTreeMap, path::PathBuf};

use facts::{ContentId, RepoPath};
use rustc_hash::FxHashMap;

use crate::{
    Error, Result, Source, Workspace,
    repository::{LocalRepository, TreeEntryKind},
};

/// A text in place of a file's; `None` removes the file.
pub type FileEdit = (RepoPath, Option<String>);

impl Workspace {
    /// How the files of git's index differ from those of a commit: what the next commit would
    /// change. Files that are no text are left out.
    pub fn staged_edits(&self, commit: ContentId) -> Result<Vec<FileEdit>> {
        let git = self.git()?;
        let (entries, unmerged) = git.index_entries();
        if let Some(path) = unmerged.into_iter().next() {
            return Err(Error::Unmerged { path });
        }
        let committed = git.tree(&commit)?.into_iter();
        let mut committed: FxHashMap<String, ContentId> = committed
            .filter(|entry| entry.kind == TreeEntryKind::File)
            .filter_map(|entry| Some((entry.path.ok()?, entry.id)))
            .collect();
        let mut edits = Vec::new();
        for entry in entries {
            let Ok(path) = entry.path else { continue };
            if entry.kind != TreeEntryKind::File {
                continue;
            }
            if committed.remove(&path) == Some(entry.id) {
                continue;
            }
            let bytes = git.blob(&entry.id).filter(|bytes| !bytes.contains(&0));
            if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                edits.push((RepoPath::from(path), Some(text)));
            }
        }
        let removed = committed.into_keys();
        edits.extend(removed.map(|path| (RepoPath::from(path), None)));
        edits.sort();
        Ok(edits)
    }

    /// The commits of the repositories inside the repository, by path: those that a commit names, or
    /// that git's index names for the working tree.
    pub fn submodules(&self, source: &Source) -> BTreeMap<String, ContentId> {
        let Ok(git) = self.git() else {
            return BTreeMap::new();
        };
        let entries = match source {
            Source::Live { .. } => return git.index_submodules().into_iter().collect(),
            Source::Commit { id } | Source::Overlay { base: id, .. } => {
                git.tree(id).unwrap_or_default()
            }
            Source::Virtual { below } => return self.submodules(below),
        };
        let entries = entries.into_iter();
        let links = entries.filter(|entry| entry.kind == TreeEntryKind::Submodule);
        links
            .filter_map(|entry| Some((entry.path.ok()?, entry.id)))
            .collect()
    }

    /// The last commit that two commits have in common, if this clone holds one.
    pub fn merge_base(&self, one: ContentId, other: ContentId) -> Option<ContentId> {
        self.git().ok()?.merge_base(&one, &other)
    }

    /// Local branches that are not part of what is checked out, in order of name.
    pub fn unmerged_branches(&self) -> Vec<(String, ContentId)> {
        let (Ok(git), Some(head)) = (self.git(), self.head().commit) else {
            return Vec::new();
        };
        let mut branches = git.branches();
        branches.retain(|(_, commit)| git.merge_base(commit, &head) != Some(*commit));
        branches
    }

    /// The roots of the other working trees of the repository.
    pub fn other_worktrees(&self) -> Vec<PathBuf> {
        self.git()
            .map(|git| git.other_worktrees())
            .unwrap_or_default()
    }

    /// Paths that a merge left unresolved.
    pub fn unmerged_paths(&self) -> Vec<String> {
        self.git()
            .map(|git| git.index_entries().1)
            .unwrap_or_default()
    }

    fn git(&self) -> Result<LocalRepository> {
        let unknown = || Error::UnknownRef {
            name: "HEAD".to_owned(),
        };
        let repository = self.base.repository.as_deref().ok_or_else(unknown)?;
        Ok(repository.local())
    }
}
