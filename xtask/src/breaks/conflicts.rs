//! Two lines of work that merge as texts and break one another, or do not.
//!
//! `dependent` takes a commit that changes a declaration and a file that uses it. One side has the
//! commit without that file, the other side adds the file as it was before: it still uses what the
//! first side changed. `random` puts two commits that edit different files side by side on the base
//! of the older one.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use anyhow::Context;
use engine::{Snapshot, query::change::FindingConfidence};
use serde_json::{Value, json};
use workspace::{FileEdit, SnapshotView};

use super::{CaseFinding, CaseFindings, Cases, CompiledTree, Compiler, report, uses_of};

/// Older commits that are tried as the other side of a commit.
const WINDOW: usize = 40;

pub fn dependent(
    compiler: Compiler,
    repository: &Path,
    results: &Path,
    n_cases: usize,
) -> anyhow::Result<()> {
    let mut cases = Cases::open(repository, results)?;
    let mut tree = CompiledTree::beside(results)?;
    for (commit, parent) in cases.commits()? {
        if cases.n_told >= n_cases {
            break;
        }
        if cases.done.contains(&commit) {
            continue;
        }
        let (before, after) = (cases.view(&parent)?, cases.view(&commit)?);
        let uses = uses_of(&before.snapshot, &after.snapshot, compiler);
        let mut told = None;
        for path in uses.iter().filter(|path| compiler.is_leaf(path)) {
            let pair = Pair::without(&cases, (&before, &after), path)?;
            told = pair.case(compiler, &mut tree)?;
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
    /// A commit without a file that it edits, beside that file as it was.
    fn without(
        cases: &Cases,
        (before, after): (&Arc<SnapshotView>, &Arc<SnapshotView>),
        path: &str,
    ) -> anyhow::Result<Pair> {
        let text = text_of(&before.snapshot, path).context("the file is in the base")?;
        let over = |view: &Arc<SnapshotView>, text: Option<String>| -> anyhow::Result<_> {
            let edits: Vec<FileEdit> = vec![(path.to_owned().into(), text)];
            let edited = cases.workspace.with_virtual_files(view, &edits)?;
            Ok(edited.snapshot.clone())
        };
        Ok(Pair {
            base: over(before, None)?,
            ours: before.snapshot.clone(),
            theirs: over(after, None)?,
            both: over(after, Some(text))?,
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

    /// Nothing where a side does not compile by itself, or both together do.
    fn case(&self, compiler: Compiler, tree: &mut CompiledTree) -> anyhow::Result<Option<Value>> {
        tree.hold(&self.both)?;
        let errors = compiler.errors(&tree.root)?;
        if errors.is_empty() {
            return Ok(None);
        }
        for side in [&self.ours, &self.theirs] {
            tree.hold(side)?;
            if !compiler.errors(&tree.root)?.is_empty() {
                return Ok(None);
            }
        }
        let found = self.findings();
        let missed = errors.iter().take(3);
        let missed = missed.map(|error| format!("{}:{} {}", error.path, error.line, error.text));
        Ok(Some(json!({
            "mode": "dependent",
            "n_known": errors.iter().filter(|error| error.is_of_known_kind()).count(),
            "errors": missed.collect::<Vec<_>>(),
            "certain": found.shown(FindingConfidence::Certain),
            "likely": found.shown(FindingConfidence::Likely),
        })))
    }
}

fn text_of(snapshot: &Snapshot, path: &str) -> Option<String> {
    let content = snapshot.file(snapshot.find(path)?).content;
    snapshot.corpus().text(content).map(|text| text.to_string())
}
