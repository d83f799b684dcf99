//! What could not be seen of a change.

use std::collections::BTreeSet;

use engine::query::{
    change::{self, ChangeSet},
    search::is_vendored_or_generated,
};
use facts::{Facts, ProblemKind, RepoPath, SkipReason};

use super::OpenChange;
use crate::{Session, excerpts};

/// Something about which nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlindSpot {
    pub kind: BlindSpotKind,
    pub path: RepoPath,
    /// From 1; absent where the whole file is meant.
    pub line: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlindSpotKind {
    /// The parser did not understand a part of the file.
    Syntax,
    /// A merge left its marks in the file.
    ConflictMarkers,
    /// The file is binary.
    Binary,
    /// The file is not indexed: too large, a link, not text.
    NotIndexed,
    /// Names of the language are not resolved.
    Language,
    /// Nobody wrote the file: what made it must be run again.
    Generated,
    /// Changed code names something at run time.
    DynamicAccess,
    /// Another commit of a repository inside the repository is used.
    Submodule,
}

impl BlindSpotKind {
    pub fn as_str(self) -> &'static str {
        match self {
            BlindSpotKind::Syntax => "syntax",
            BlindSpotKind::ConflictMarkers => "conflict_markers",
            BlindSpotKind::Binary => "binary",
            BlindSpotKind::NotIndexed => "not_indexed",
            BlindSpotKind::Language => "language",
            BlindSpotKind::Generated => "generated",
            BlindSpotKind::DynamicAccess => "dynamic_access",
            BlindSpotKind::Submodule => "submodule",
        }
    }

    /// What it means for a reader.
    pub fn explanation(self) -> &'static str {
        match self {
            BlindSpotKind::Syntax => "a part of the file could not be parsed",
            BlindSpotKind::ConflictMarkers => "the file has conflict markers of a merge",
            BlindSpotKind::Binary => "the file is binary",
            BlindSpotKind::NotIndexed => "the file is not indexed",
            BlindSpotKind::Language => "names in this language are not resolved",
            BlindSpotKind::Generated => "the file is generated or vendored",
            BlindSpotKind::DynamicAccess => "changed code names something at run time",
            BlindSpotKind::Submodule => {
                "a submodule is at another commit; its code is not looked at"
            }
        }
    }
}

/// In order of path.
pub(super) fn blind_spots(change: &ChangeSet, opened: &OpenChange) -> Vec<BlindSpot> {
    let (base, head) = (&opened.base, &opened.head);
    let mut found = Vec::new();
    let spot = |kind, path: &str, line| BlindSpot {
        kind,
        path: RepoPath::new(path),
        line,
    };
    for file in &change.files {
        let Some(after) = file.after else { continue };
        let path = head.path(after);
        let Some(facts) = head.facts(after) else {
            continue;
        };
        let has_names = head.resolver().view(after).is_some();
        if is_code(&facts) && !has_names {
            found.push(spot(BlindSpotKind::Language, path, None));
        }
        if is_vendored_or_generated(path) {
            found.push(spot(BlindSpotKind::Generated, path, None));
        }
        let markers = head.text(after).and_then(|text| conflict_marker(&text));
        if let Some(line) = markers {
            found.push(spot(BlindSpotKind::ConflictMarkers, path, Some(line)));
            continue;
        }
        let known = file.before.and_then(|file| base.facts(file));
        let n_known = known.map_or(0, |facts| n_problems(&facts));
        if has_names && n_problems(&facts) > n_known {
            let line = facts
                .problems
                .first()
                .map(|problem| excerpts::position(&facts, problem.span.start).0);
            found.push(spot(BlindSpotKind::Syntax, path, line));
        }
    }
    for (file, span) in change::dynamic_places(change) {
        let line = head
            .facts(file)
            .map(|facts| excerpts::position(&facts, span.start).0);
        found.push(spot(BlindSpotKind::DynamicAccess, head.path(file), line));
    }
    for path in &opened.binary {
        found.push(spot(BlindSpotKind::Binary, path, None));
    }
    for path in opened
        .submodules
        .iter()
        .chain(&moved_submodules(base, head))
    {
        found.push(spot(BlindSpotKind::Submodule, path, None));
    }
    found.extend(newly_skipped(base, head));
    found.sort_by(|a, b| (&a.path, a.kind, a.line).cmp(&(&b.path, b.kind, b.line)));
    found.dedup();
    found
}

/// Repositories inside the repository of which the sides use different commits.
fn moved_submodules(base: &Session, head: &Session) -> Vec<String> {
    let has_some = |session: &Session| {
        let mut skipped = session.view.skipped.iter();
        skipped.any(|skipped| skipped.reason == SkipReason::Submodule)
    };
    if !has_some(base) && !has_some(head) {
        return Vec::new();
    }
    let links = |session: &Session| session.workspace.submodules(&session.view.source);
    let (old, new) = (links(base), links(head));
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let moved = paths
        .into_iter()
        .filter(|path| old.get(*path) != new.get(*path));
    moved.cloned().collect()
}

/// Files that only one side could not index.
fn newly_skipped(base: &Session, head: &Session) -> Vec<BlindSpot> {
    let was_skipped = |path: &facts::RepoPath| {
        base.view
            .skipped
            .binary_search_by(|skipped| skipped.path.cmp(path))
            .is_ok()
    };
    let skipped = head.view.skipped.iter();
    let new = skipped.filter(|skipped| !was_skipped(&skipped.path));
    let new = new.filter(|skipped| base.snapshot().find(skipped.path.as_str()).is_some());
    new.map(|skipped| BlindSpot {
        kind: BlindSpotKind::NotIndexed,
        path: skipped.path.clone(),
        line: None,
    })
    .collect()
}

fn n_problems(facts: &Facts) -> usize {
    let is_gap = |kind| kind != ProblemKind::Encoding;
    facts
        .problems
        .iter()
        .filter(|problem| is_gap(problem.kind))
        .count()
}

/// Whether a file has symbols that programs have.
fn is_code(facts: &Facts) -> bool {
    facts
        .symbols
        .iter()
        .any(|symbol| symbol.kind.is_callable() || symbol.kind.is_type())
}

/// The line of `<<<<<<< ` if the marks of a merge follow one another.
fn conflict_marker(text: &str) -> Option<u32> {
    let mut start = None;
    for (i, line) in text.lines().enumerate() {
        if line.starts_with("<<<<<<< ") {
            start = Some(i as u32 + 1);
        } else if line.starts_with(">>>>>>> ") && start.is_some() {
            return start;
        }
    }
    None
}
