//! Which two snapshots a change is: opened, or refused with a remedy.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use engine::Budget;
use workspace::{Freshness, Workspace};

use super::AnswerTime;
use crate::{
    At, Error, Session, Waits, Workspaces,
    patch::{Patch, PatchError},
    session::FreshnessPolicy,
};

/// A path below the root and its text; no text removes the file.
pub type UnsavedFile = (String, Option<String>);

/// Which change a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeSource<'a> {
    /// The working tree against the commit that is checked out.
    WorkingTree,
    /// Git's index against the commit that is checked out.
    Staged,
    /// From one commit to another; `live` is the working tree.
    Between { base: &'a str, head: &'a str },
    /// From where two commits parted to the second.
    SinceFork { base: &'a str, head: &'a str },
    /// A unified diff over the working tree, or over a commit.
    Patch {
        text: &'a str,
        over: Option<&'a str>,
    },
    /// Texts that are not saved, over the working tree or a commit.
    Files {
        files: &'a [UnsavedFile],
        over: Option<&'a str>,
    },
    /// A kept overlay against its base.
    Overlay(&'a str),
}

/// Why a change cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    Open(#[from] Error),
    #[error(transparent)]
    Patch(#[from] PatchError),
    #[error(
        "`{base}` and `{head}` have no common history here: compare them with `{base}..{head}`, or fetch more of it (`git fetch --unshallow`)"
    )]
    NoCommonHistory { base: String, head: String },
    #[error(
        "there is no commit to compare the working tree with: commit once, or send a patch (`--patch FILE` on the command line)"
    )]
    NoCommit,
    #[error(
        "this is not a git repository, which would have the state before: send a patch (`--patch FILE` on the command line)"
    )]
    NoRepository,
    #[error("`{range}` names no change: send `BASE..HEAD`, `BASE...HEAD`, or a base alone")]
    InvalidRange { range: String },
}

/// Both sides of a change.
pub struct OpenChange {
    pub base: Session,
    pub head: Session,
    /// What the sides are called.
    pub names: (String, String),
    /// Binary files that the change touches and nobody can look into.
    pub binary: Vec<String>,
    /// Repositories inside the repository that a patch moves to another commit.
    pub submodules: Vec<String>,
    /// How long the answer should take, and when it was asked for. Callers, tests and dead code get
    /// what breaks and contracts leave of it; as long as the budget allows where nothing is said.
    pub patience: Option<(Duration, Instant)>,
}

impl<'a> ChangeSource<'a> {
    /// What `BASE..HEAD`, `BASE...HEAD` or `BASE` means; without a head the working tree.
    pub fn range(text: &'a str) -> Result<ChangeSource<'a>, ChangeError> {
        let invalid = || ChangeError::InvalidRange {
            range: text.to_owned(),
        };
        let (base, head, since_fork) = match (text.split_once("..."), text.split_once("..")) {
            (Some((base, head)), _) => (base, head, true),
            (None, Some((base, head))) => (base, head, false),
            (None, None) => (text, "live", false),
        };
        let base = if base.is_empty() { "HEAD" } else { base };
        let head = if head.is_empty() { "HEAD" } else { head };
        if base.contains("..") || head.contains("..") {
            return Err(invalid());
        }
        Ok(match since_fork {
            true => ChangeSource::SinceFork { base, head },
            false => ChangeSource::Between { base, head },
        })
    }
}

/// The commit that is checked out.
pub(super) fn checked_out(workspace: &Workspace) -> Result<facts::ContentId, ChangeError> {
    workspace.head().commit.ok_or(match workspace.is_git() {
        true => ChangeError::NoCommit,
        false => ChangeError::NoRepository,
    })
}

/// How sides are opened.
pub struct Opening<'w> {
    pub workspaces: &'w Workspaces,
    pub workspace: Arc<Workspace>,
    pub policy: FreshnessPolicy,
    pub waits: Waits,
    /// What each side may spend.
    pub budget: Box<dyn Fn() -> Budget + 'w>,
    /// How long the answer should take.
    pub patience: AnswerTime,
}

impl Opening<'_> {
    pub fn open(&self, source: ChangeSource<'_>) -> Result<OpenChange, ChangeError> {
        let started = Instant::now();
        let workspace = &self.workspace;
        let words = |base: &str, head: &str| (base.to_owned(), head.to_owned());
        let named = |name: Option<&str>| name.unwrap_or("working tree").to_owned();
        let (mut binary, mut submodules) = (Vec::new(), Vec::new());
        let (mut base, mut head, names) = match source {
            ChangeSource::WorkingTree => {
                self.require_commit()?;
                let (base, head) = (self.at(At::Head)?, self.at(At::Ref(None))?);
                (base, head, words("HEAD", "working tree"))
            }
            ChangeSource::Staged => {
                let commit = self.require_commit()?;
                let base = self.at(At::Head)?;
                let edits = workspace.staged_edits(commit).map_err(Error::from)?;
                let head = self.over(&base, &edits)?;
                (base, head, words("HEAD", "index"))
            }
            ChangeSource::Between { base, head } => {
                let names = words(base, head);
                (
                    self.at(At::Commit(base))?,
                    self.at(At::Commit(head))?,
                    names,
                )
            }
            ChangeSource::SinceFork { base, head } => {
                let fork = self.fork(base, head)?;
                let name = format!("{base}...{head}");
                let sides = (self.at(At::Commit(&fork))?, self.at(At::Commit(head))?);
                (
                    sides.0,
                    sides.1,
                    (format!("{} of {name}", &fork[..12]), head.to_owned()),
                )
            }
            ChangeSource::Patch { text, over } => {
                let patch = Patch::parse(text)?;
                let base = self.at(at(over))?;
                let edits = patched(&base, &patch)?;
                let head = self.over(&base, &edits)?;
                (binary, submodules) = (patch.binary, patch.submodules);
                (base, head, (named(over), "patch".to_owned()))
            }
            ChangeSource::Files { files, over } => {
                let base = self.at(at(over))?;
                let mut edits = Vec::new();
                for (path, text) in files {
                    let path = workspace.repo_path(path).map_err(Error::from)?;
                    edits.push((path, text.clone()));
                }
                let head = self.over(&base, &edits)?;
                (base, head, (named(over), "unsaved files".to_owned()))
            }
            ChangeSource::Overlay(id) => {
                let overlay = workspace.overlays().find(id).map_err(Error::from)?;
                let base = overlay.base.to_string();
                let names = words(&base[..12.min(base.len())], id);
                (
                    self.at(At::Commit(&base))?,
                    self.at(At::Overlay(id))?,
                    names,
                )
            }
        };
        let limit = self.patience.limit(head.snapshot().n_files());
        if let AnswerTime::AtMost(limit) = self.patience {
            let left = Some(limit.saturating_sub(started.elapsed()));
            base.budget = base.budget.part(left);
            head.budget = head.budget.part(left);
        }
        Ok(OpenChange {
            base,
            head,
            names,
            binary,
            submodules,
            patience: limit.map(|limit| (limit, started)),
        })
    }

    pub fn at(&self, at: At<'_>) -> Result<Session, ChangeError> {
        let (workspace, budget) = (self.workspace.clone(), (self.budget)());
        let opened = self
            .workspaces
            .open(workspace, at, self.policy, &self.waits, budget);
        Ok(opened?)
    }

    /// A session on a view with other texts in it.
    pub fn over(
        &self,
        base: &Session,
        edits: &[workspace::FileEdit],
    ) -> Result<Session, ChangeError> {
        let view = self.workspace.with_virtual_files(&base.view, edits);
        let view = view.map_err(Error::from)?;
        let (workspace, budget) = (self.workspace.clone(), (self.budget)());
        Ok(self
            .workspaces
            .session(workspace, view, Freshness::fresh(), budget))
    }

    fn require_commit(&self) -> Result<facts::ContentId, ChangeError> {
        checked_out(&self.workspace)
    }

    /// The commit at which two names parted.
    fn fork(&self, base: &str, head: &str) -> Result<String, ChangeError> {
        let commit = |name: &str| match name {
            "live" => self.require_commit(),
            name => Ok(self.workspace.commit(name).map_err(Error::from)?),
        };
        let (one, other) = (commit(base)?, commit(head)?);
        let fork = self.workspace.merge_base(one, other);
        let fork = fork.ok_or_else(|| ChangeError::NoCommonHistory {
            base: base.to_owned(),
            head: head.to_owned(),
        })?;
        Ok(fork.to_string())
    }
}

fn at(name: Option<&str>) -> At<'_> {
    match name {
        Some(name) => At::Commit(name),
        None => At::Ref(None),
    }
}

/// What a patch makes of the files of a session.
fn patched(base: &Session, patch: &Patch) -> Result<Vec<workspace::FileEdit>, ChangeError> {
    let mut edits = Vec::new();
    let path_of = |path: &str| {
        let is_absolute = path.starts_with('/') || path.contains(":\\");
        let below = base.workspace.repo_path(path).ok();
        let below = below.filter(|below| !is_absolute && below.as_str() == path);
        below.ok_or_else(|| PatchError::Outside {
            path: path.to_owned(),
        })
    };
    for file in &patch.files {
        let (before, after) = (
            file.before.as_deref().map(path_of).transpose()?,
            file.after.as_deref().map(path_of).transpose()?,
        );
        let text = |path: &facts::RepoPath| {
            let file = base.snapshot().find(path.as_str())?;
            base.text(file)
        };
        // A copy leaves what it was made from.
        let old = before.as_ref().or(after.as_ref()).and_then(text);
        let new = file.apply(old.as_deref())?;
        if let Some(before) = before.filter(|before| Some(before) != after.as_ref()) {
            edits.push((before, None));
        }
        if let Some(after) = after {
            edits.push((after, new));
        }
    }
    Ok(edits)
}
