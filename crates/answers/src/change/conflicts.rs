//! What two lines of work do to one another although their texts merge.

use engine::{
    Budget, Cut,
    query::change::{self, ChangeSet, EditKind, FindingConfidence, merge_texts},
};
use facts::RepoPath;
use rustc_hash::FxHashSet;
use workspace::FileEdit;

use super::{ChangeError, ChangeVerdict, FoundBreak, Opening, Sides, SymbolSide, side, sides};
use crate::{At, Session};

/// What is compared: a name for answers, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOfWork {
    /// The working tree that is open.
    WorkingTree,
    /// A branch, tag or commit.
    Commit(String),
    /// Another working tree of the repository, by its directory.
    Worktree(std::path::PathBuf),
    Overlay(String),
}

/// What two lines of work do to one another.
#[derive(Clone, Debug)]
pub struct ConflictReport {
    pub ours: String,
    pub theirs: String,
    /// Files that git cannot merge by itself.
    pub texts: Vec<String>,
    /// Places of one side that what the other did breaks; most certain first.
    pub breaks: Vec<ConflictBreak>,
    /// Symbols whose header both sides changed, each in its own way.
    pub contracts: Vec<ContractConflict>,
    pub cut: Option<Cut>,
}

/// A place that breaks once both sides are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictBreak {
    pub found: FoundBreak,
    /// The place is of our side, and theirs broke it.
    pub is_ours: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractConflict {
    pub before: SymbolSide,
    /// Absent where a side removed it.
    pub ours: Option<SymbolSide>,
    pub theirs: Option<SymbolSide>,
}

impl ConflictReport {
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.breaks.is_empty() && self.contracts.is_empty()
    }

    pub fn verdict(&self) -> ChangeVerdict {
        let is_certain = |of: &ConflictBreak| of.found.confidence == FindingConfidence::Certain;
        if self.breaks.iter().any(is_certain) {
            ChangeVerdict::Breaks
        } else if self.cut.is_some() {
            ChangeVerdict::Incomplete
        } else {
            ChangeVerdict::Passes
        }
    }
}

impl LineOfWork {
    pub fn name(&self) -> String {
        match self {
            LineOfWork::WorkingTree => "working tree".to_owned(),
            LineOfWork::Commit(name) | LineOfWork::Overlay(name) => name.clone(),
            LineOfWork::Worktree(root) => root.display().to_string(),
        }
    }
}

/// A side that is open, and the commit it started from.
struct OpenWork {
    name: String,
    session: Session,
    commit: facts::ContentId,
}

impl Opening<'_> {
    /// What a text means: an overlay, a branch or commit, or the directory of a working tree.
    pub fn work(&self, text: &str) -> LineOfWork {
        if matches!(text, "live" | "") {
            return LineOfWork::WorkingTree;
        }
        if self.workspace.overlays().find(text).is_ok() {
            return LineOfWork::Overlay(text.to_owned());
        }
        let root = dunce::canonicalize(text).ok();
        let others = self.workspace.other_worktrees();
        match root.filter(|root| others.contains(root)) {
            Some(root) => LineOfWork::Worktree(root),
            None => LineOfWork::Commit(text.to_owned()),
        }
    }

    /// All other working trees, then the local branches that are not merged into HEAD and that no
    /// working tree has checked out.
    pub fn other_works(&self) -> Vec<LineOfWork> {
        let worktrees = self.workspace.other_worktrees();
        let checked_out: Vec<String> = worktrees
            .iter()
            .filter_map(|root| {
                workspace::Workspace::open(root, self.workspaces.options().clone()).ok()
            })
            .filter_map(|other| other.head().branch)
            .collect();
        let branches = self.workspace.unmerged_branches().into_iter();
        let branches = branches.filter(|(name, _)| !checked_out.contains(name));
        let worktrees = worktrees.into_iter().map(LineOfWork::Worktree);
        worktrees
            .chain(branches.map(|(name, _)| LineOfWork::Commit(name)))
            .collect()
    }

    fn open_work(&self, work: &LineOfWork) -> Result<OpenWork, ChangeError> {
        let head = || sides::checked_out(&self.workspace);
        let (session, commit) = match work {
            LineOfWork::WorkingTree => (self.at(At::Ref(None))?, head()?),
            LineOfWork::Commit(name) => {
                let commit = self.workspace.commit(name).map_err(crate::Error::from)?;
                (self.at(At::Commit(name))?, commit)
            }
            LineOfWork::Overlay(id) => {
                let overlay = self.workspace.overlays().find(id);
                let commit = overlay.map_err(crate::Error::from)?.base;
                (self.at(At::Overlay(id))?, commit)
            }
            LineOfWork::Worktree(root) => {
                let options = self.workspaces.options().clone();
                let other = workspace::Workspace::open(root, options);
                let other = other.map_err(crate::Error::from)?;
                let commit = sides::checked_out(&other)?;
                let budget = (self.budget)();
                let opened =
                    self.workspaces
                        .open(other, At::Ref(None), self.policy, &self.waits, budget);
                (opened?, commit)
            }
        };
        Ok(OpenWork {
            name: work.name(),
            session,
            commit,
        })
    }

    /// What one line of work and another do to each other.
    pub fn conflicts(
        &self,
        ours: &LineOfWork,
        theirs: &LineOfWork,
    ) -> Result<ConflictReport, ChangeError> {
        let (ours, theirs) = (self.open_work(ours)?, self.open_work(theirs)?);
        let fork = self.workspace.merge_base(ours.commit, theirs.commit);
        let fork = fork.ok_or_else(|| ChangeError::NoCommonHistory {
            base: ours.name.clone(),
            head: theirs.name.clone(),
        })?;
        let base = self.at(At::Commit(&fork.to_string()))?;
        let (edits, texts) = merged(&base, &ours.session, &theirs.session);
        let both = self.over(&ours.session, &edits)?;
        let mut report = ConflictReport {
            ours: ours.name,
            theirs: theirs.name,
            texts,
            breaks: Vec::new(),
            contracts: contracts(&base, &ours.session, &theirs.session),
            cut: None,
        };
        let (ours, theirs) = (&ours.session, &theirs.session);
        for (is_ours, side, other) in [(true, ours, theirs), (false, theirs, ours)] {
            // What the other side broke by itself is no conflict.
            let known = breaks(&base, other);
            let known: FxHashSet<_> = known.iter().map(identity).collect();
            let found = breaks(side, &both);
            let new = found
                .into_iter()
                .filter(|found| !known.contains(&identity(found)));
            // A line that this side does not have was merged into it.
            let has_line = |found: &FoundBreak| {
                let file = side.snapshot().find(found.path.as_str());
                let text = file.and_then(|file| side.text(file));
                text.is_some_and(|text| text.lines().any(|line| line.trim() == found.text.trim()))
            };
            report.breaks.extend(new.map(|found| ConflictBreak {
                is_ours: is_ours == has_line(&found),
                found,
            }));
        }
        report.breaks.sort_by(|a, b| {
            let key = |of: &ConflictBreak| (of.found.confidence, !of.is_ours);
            key(a).cmp(&key(b))
        });
        let mut seen = FxHashSet::default();
        report.breaks.retain(|of| seen.insert(identity(&of.found)));
        let cut = |session: &Session| session.budget.cut();
        report.cut = [&base, ours, theirs, &both].into_iter().find_map(cut);
        Ok(report)
    }
}

fn breaks(base: &Session, head: &Session) -> Vec<FoundBreak> {
    let (before, after) = (base.resolver(), head.resolver());
    let change = ChangeSet::new(&before, &after);
    let found = change::breaks(&change);
    let sides = Sides { base, head };
    found.found.iter().map(|found| sides.found(found)).collect()
}

/// What tells a finding from others, wherever its line has moved.
fn identity(found: &FoundBreak) -> (RepoPath, &'static str, String, String) {
    (
        found.path.clone(),
        found.kind.as_str(),
        found.name.clone(),
        found.text.clone(),
    )
}

/// What their side changes of ours, and the files that do not merge.
fn merged(base: &Session, ours: &Session, theirs: &Session) -> (Vec<FileEdit>, Vec<String>) {
    let (mut edits, mut texts) = (Vec::new(), Vec::new());
    let text = |session: &Session, path: &str| {
        let file = session.snapshot().find(path)?;
        session.text(file)
    };
    for (before, after) in base.snapshot().differing_files(theirs.snapshot()) {
        let path = match (before, after) {
            (_, Some(after)) => theirs.path(after),
            (Some(before), None) => base.path(before),
            (None, None) => continue,
        };
        let (old, own, new) = (text(base, path), text(ours, path), text(theirs, path));
        if own == new {
            continue;
        }
        let result = match (&old, &own, &new) {
            // Ours has it as it was: theirs counts.
            _ if own == old => Some(new.as_deref().map(str::to_owned)),
            (Some(old), Some(own), Some(new)) => merge_texts(old, own, new).map(Some),
            _ => None,
        };
        match result {
            Some(text) => edits.push((RepoPath::new(path), text)),
            None => texts.push(path.to_owned()),
        }
    }
    (edits, texts)
}

/// Symbols whose header both sides changed in different ways.
fn contracts(base: &Session, ours: &Session, theirs: &Session) -> Vec<ContractConflict> {
    let budget = Budget::unlimited();
    let before = base.analysis.resolver(&budget);
    let (own, other) = (ours.resolver(), theirs.resolver());
    let (own, other) = (
        ChangeSet::new(&before, &own),
        ChangeSet::new(&before, &other),
    );
    let mut found = Vec::new();
    for edit in &own.edits {
        let Some(symbol) = edit.before.filter(|_| edit.kind < EditKind::Added) else {
            continue;
        };
        let Some(their) = other
            .edit(symbol)
            .filter(|edit| edit.kind < EditKind::Added)
        else {
            continue;
        };
        let (mine, yours) = (
            edit.after.and_then(|after| side(ours, after)),
            their.after.and_then(|after| side(theirs, after)),
        );
        let text = |side: &Option<SymbolSide>| {
            let side = side.as_ref()?;
            Some((side.signature.clone(), side.path.clone()))
        };
        if text(&mine) != text(&yours)
            && let Some(before) = side(base, symbol)
        {
            found.push(ContractConflict {
                before,
                ours: mine,
                theirs: yours,
            });
        }
    }
    found
}
