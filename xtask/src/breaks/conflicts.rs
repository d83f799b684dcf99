//! Two lines of work that merge as texts and break one another, or do not.
//!
//! `dependent` takes a commit that changes a declaration and a file that uses it, and an older commit
//! that made the file use it. One side has the newer commit with the file as it was before both, the
//! other side has what the older one did to the file: it uses what the first side changed. `random` puts two commits that edit different files side by side on the base
//! of the older one.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use anyhow::Context;
use engine::{Snapshot, query::change::FindingConfidence};
use serde_json::{Value, json};
use workspace::{FileEdit, SnapshotView};

use super::{
    CaseFinding, CaseFindings, Cases, CompiledTree, Compiler,
    compilers::new_errors,
    git, report,
    states::{EditedFile, edited_files},
};

/// Older commits that are tried as the other side of a commit.
const WINDOW: usize = 40;

pub fn dependent(
    compiler: Compiler,
    repository: &Path,
    results: &Path,
    n_cases: usize,
) -> anyhow::Result<()> {
    let mut cases = Cases::open(repository, results)?;
    let mut tree = CompiledTree::beside(repository, results)?;
    for (commit, parent) in cases.commits()? {
        if cases.n_told >= n_cases {
            break;
        }
        if cases.done.contains(&commit) {
            continue;
        }
        let (before, after) = (cases.view(&parent)?, cases.view(&commit)?);
        let files = edited_files(&before.snapshot, &after.snapshot, compiler);
        let uses = files.iter().filter(|file| !file.is_declaring);
        let mut told = None;
        for file in uses.filter(|file| !file.use_lines().is_empty()) {
            let Some(former) = without_uses(repository, &parent, file)? else {
                continue;
            };
            let pair = Pair::over(&cases, (&before, &after), (&file.path, &former))?;
            let sides = (parent.as_str(), commit.as_str());
            let case = pair.case((compiler, &mut tree), sides, (&file.path, &former));
            told = case.unwrap_or_else(|error| {
                println!("{} {error:#}", &commit[..12]);
                None
            });
            if told.is_some() {
                break;
            }
        }
        let mut case = told.unwrap_or_else(|| json!({ "mode": "untold" }));
        case["commit"] = json!(commit);
        println!("{} {case}", &commit[..12]);
        cases.add(&case)?;
    }
    report(results)
}

pub fn random(repository: &Path, results: &Path, n_cases: usize) -> anyhow::Result<()> {
    let mut cases = Cases::open(repository, results)?;
    let commits = cases.commits()?;
    for (i, (commit, parent)) in commits.iter().enumerate() {
        if cases.done.len() >= n_cases {
            break;
        }
        if cases.done.contains(commit) {
            continue;
        }
        // The same commit always meets the same older ones.
        let start = usize::from_str_radix(&commit[..6], 16).unwrap_or(0);
        let others = (0..WINDOW).map(|k| i + 1 + (start + k) % WINDOW);
        for (other, base) in others.filter_map(|j| commits.get(j)) {
            let Some(pair) = Pair::beside(&cases, (commit, parent), (other, base))? else {
                continue;
            };
            let found = pair.findings();
            let case = json!({
                "mode": "random",
                "commit": commit,
                "other": other,
                "certain": found.shown(FindingConfidence::Certain),
                "likely": found.shown(FindingConfidence::Likely),
            });
            if let Some(first) = case["certain"].get(0) {
                println!("{} {} {first}", &commit[..12], &other[..12]);
            }
            cases.add(&case)?;
            break;
        }
    }
    report(results)
}

/// Two sides over one base, and both together.
struct Pair {
    base: Arc<Snapshot>,
    ours: Arc<Snapshot>,
    theirs: Arc<Snapshot>,
    both: Arc<Snapshot>,
}

impl Pair {
    /// A commit beside an older edit of a file; `former` is the file before that.
    fn over(
        cases: &Cases,
        (before, after): (&Arc<SnapshotView>, &Arc<SnapshotView>),
        (path, former): (&str, &str),
    ) -> anyhow::Result<Pair> {
        let text = text_of(&before.snapshot, path).context("the file is in the base")?;
        let over = |view: &Arc<SnapshotView>, text: &str| -> anyhow::Result<_> {
            let edits: Vec<FileEdit> = vec![(path.to_owned().into(), Some(text.to_owned()))];
            let edited = cases.workspace.with_virtual_files(view, &edits)?;
            Ok(edited.snapshot.clone())
        };
        Ok(Pair {
            base: over(before, former)?,
            ours: before.snapshot.clone(),
            theirs: over(after, former)?,
            both: over(after, &text)?,
        })
    }

    /// Two commits over the base of the older one; nothing where they edit the same file, or the
    /// newer one edits what is not in the base as it found it.
    fn beside(
        cases: &Cases,
        newer: (&str, &str),
        older: (&str, &str),
    ) -> anyhow::Result<Option<Pair>> {
        let (base, ours) = (cases.view(older.1)?, cases.view(older.0)?);
        let (from, to) = (cases.view(newer.1)?, cases.view(newer.0)?);
        let changed = |one: &Snapshot, other: &Snapshot| -> BTreeSet<String> {
            let files = one.differing_files(other).into_iter();
            let path = |(before, after)| match (before, after) {
                (_, Some(after)) => Some(other.file(after).path.to_string()),
                (Some(before), None) => Some(one.file(before).path.to_string()),
                (None, None) => None,
            };
            files.filter_map(path).collect()
        };
        let own = changed(&base.snapshot, &ours.snapshot);
        let other = changed(&from.snapshot, &to.snapshot);
        let is_clean = |path: &String| {
            !own.contains(path) && text_of(&base.snapshot, path) == text_of(&from.snapshot, path)
        };
        if own.is_empty() || other.is_empty() || !other.iter().all(is_clean) {
            return Ok(None);
        }
        let edits: Vec<FileEdit> = other
            .iter()
            .map(|path| (path.clone().into(), text_of(&to.snapshot, path)))
            .collect();
        let over = |view: &Arc<SnapshotView>| -> anyhow::Result<_> {
            let edited = cases.workspace.with_virtual_files(view, &edits)?;
            Ok(edited.snapshot.clone())
        };
        Ok(Some(Pair {
            theirs: over(&base)?,
            both: over(&ours)?,
            base: base.snapshot.clone(),
            ours: ours.snapshot.clone(),
        }))
    }

    /// What breaks of each side once both are there, without what the other side breaks by itself:
    /// as `codecompass conflicts` tells it.
    fn findings(&self) -> CaseFindings {
        let mut all = CaseFindings {
            n_symbols: 0,
            taken: BTreeSet::new(),
            found: Vec::new(),
        };
        for (side, other) in [(&self.ours, &self.theirs), (&self.theirs, &self.ours)] {
            let identity =
                |found: &CaseFinding| (found.path.clone(), found.kind, found.name.clone());
            let known = CaseFindings::of(&self.base, other).found;
            let known: BTreeSet<_> = known.iter().map(identity).collect();
            let found = CaseFindings::of(side, &self.both);
            all.n_symbols += found.n_symbols;
            let new = found.found.into_iter();
            all.found
                .extend(new.filter(|found| !known.contains(&identity(found))));
        }
        all
    }

    /// What a compiler says of a commit with a file as it was before; nothing where a side does not
    /// compile by itself, or both together do.
    fn case(
        &self,
        (compiler, tree): (Compiler, &mut CompiledTree),
        (parent, commit): (&str, &str),
        (path, former): (&str, &str),
    ) -> anyhow::Result<Option<Value>> {
        let mut errors_of = |commit: &str, text: &str| {
            let edits = [(path.to_owned().into(), Some(text.to_owned()))];
            tree.errors(compiler, commit, &edits)
        };
        let own = text_of(&self.ours, path).context("the file is in the base")?;
        let with = errors_of(commit, &own)?;
        if with.is_empty() {
            return Ok(None);
        }
        let (ours, theirs) = (errors_of(parent, &own)?, errors_of(commit, former)?);
        if compiler.needs_clean_tree() && !(ours.is_empty() && theirs.is_empty()) {
            return Ok(None);
        }
        let errors = new_errors(&ours, new_errors(&theirs, with));
        if errors.is_empty() {
            return Ok(None);
        }
        let found = self.findings();
        let missed = errors.iter().take(3);
        let missed = missed.map(|error| format!("{}:{} {}", error.path, error.line, error.text));
        Ok(Some(json!({
            "mode": "dependent",
            "path": path,
            "n_known": errors.iter().filter(|error| error.is_of_known_kind()).count(),
            "errors": missed.collect::<Vec<_>>(),
            "certain": found.shown(FindingConfidence::Certain),
            "likely": found.shown(FindingConfidence::Likely),
        })))
    }
}

/// The newest text of a file, at a commit or before, that has none of the lines that use what a change
/// edits.
fn without_uses(
    repository: &Path,
    commit: &str,
    file: &EditedFile,
) -> anyhow::Result<Option<String>> {
    let most = format!("--max-count={WINDOW}");
    let listed = git(
        repository,
        &["log", "--format=%H", &most, commit, "--", &file.path],
    )?;
    let uses = file.use_lines();
    for edited in listed.lines() {
        let Ok(text) = git(repository, &["show", &format!("{edited}:{}", file.path)]) else {
            return Ok(None);
        };
        if !text.lines().any(|line| uses.contains(&line.trim())) {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

pub(super) fn text_of(snapshot: &Snapshot, path: &str) -> Option<String> {
    let content = snapshot.file(snapshot.find(path)?).content;
    snapshot.corpus().text(content).map(|text| text.to_string())
}
