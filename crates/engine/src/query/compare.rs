//! One symbol in two snapshots: which symbol of the other it is, and how its text differs.

use std::cmp::Ordering;

use facts::{Facts, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Budget, FileId, Snapshot, SymbolId,
    differences::{likeness, lines, n_equal, operations},
    query,
};

/// How a symbol was recognised in the other snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// Same path, same containers, same name.
    Name,
    /// Same name in the file that its file became.
    RenamedFile,
    /// Same containers and name in another file.
    Move,
    /// Another name, much the same body.
    Body,
}

impl MatchedBy {
    pub fn as_str(self) -> &'static str {
        match self {
            MatchedBy::Name => "name",
            MatchedBy::RenamedFile => "renamed_file",
            MatchedBy::Move => "moved",
            MatchedBy::Body => "similar_body",
        }
    }
}

/// What changed between two texts of a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub signature_changed: bool,
    pub body_changed: bool,
    pub lines_added: usize,
    pub lines_removed: usize,
}

/// Bodies less alike than this are different functions.
const LEAST_LIKENESS: f64 = 0.6;
/// In the file that its file became, less will do for what kept its name.
const LEAST_LIKENESS_OF_NAMESAKES: f64 = 0.3;
/// Bodies that are compared before giving up.
const MOST_BODIES: usize = 400;

/// The symbol of `to` that is what `symbol` is in `from`.
pub fn counterpart(
    from: &Snapshot,
    symbol: SymbolId,
    to: &Snapshot,
    budget: &Budget,
) -> Option<(SymbolId, MatchedBy)> {
    let facts = from.corpus().facts(from.file(symbol.file).content)?;
    let name = facts.name(facts.symbol(symbol.index).name).to_owned();
    let path = &from.file(symbol.file).path;
    let chain = container_names(&facts, symbol);
    let kind = facts.symbol(symbol.index).kind;
    let same = |candidate: &SymbolId| {
        let other = to.corpus().facts(to.file(candidate.file).content);
        other.is_some_and(|other| {
            other.symbol(candidate.index).kind == kind
                && container_names(&other, *candidate) == chain
        })
    };
    let named: Vec<SymbolId> = named_in(to, &name, budget)
        .into_iter()
        .filter(|candidate| same(candidate))
        .collect();
    if let Some(here) = named
        .iter()
        .find(|candidate| to.file(candidate.file).path == *path)
    {
        return Some((*here, MatchedBy::Name));
    }
    let renamed = renamed_file(from, symbol.file, to, budget);
    if let Some(there) = renamed {
        let alike = |candidate: &SymbolId| likeness_of(from, symbol, to, *candidate).unwrap_or(0.0);
        let own = named_in(to, &name, budget)
            .into_iter()
            .filter(|candidate| candidate.file == there);
        let own = own.filter(|candidate| {
            to.corpus()
                .facts(to.file(there).content)
                .is_some_and(|facts| facts.symbol(candidate.index).kind == kind)
        });
        let found = own
            .map(|candidate| (same(&candidate), alike(&candidate), candidate))
            .max_by(|a, b| {
                (a.0, a.1)
                    .partial_cmp(&(b.0, b.1))
                    .unwrap_or(Ordering::Equal)
            });
        if let Some((_, _, found)) =
            found.filter(|(same, alike, _)| *same || *alike >= LEAST_LIKENESS_OF_NAMESAKES)
        {
            return Some((found, MatchedBy::RenamedFile));
        }
    }
    // One that `from` has as well is another symbol of that name.
    let is_new = |candidate: &SymbolId| {
        let there = from.find(to.file(candidate.file).path.as_str());
        there.is_none_or(|file| {
            !named_in(from, &name, budget)
                .iter()
                .any(|known| known.file == file)
        })
    };
    if let Some(moved) = named.iter().copied().find(is_new) {
        return Some((moved, MatchedBy::Move));
    }
    by_body(from, symbol, &facts, to, renamed, budget).map(|found| (found, MatchedBy::Body))
}

/// The file that a file became: one that is new, of which at least half of the larger text's lines
/// are the other's, and most so. As git tells renames, but here between any two snapshots, also
/// where no commit has them.
fn named_in(snapshot: &Snapshot, name: &str, budget: &Budget) -> Vec<SymbolId> {
    budget.read(query::symbols_named(snapshot, name))
}

fn renamed_file(from: &Snapshot, file: FileId, to: &Snapshot, budget: &Budget) -> Option<FileId> {
    /// Texts that are compared before giving up.
    const MOST_FILES: usize = 300;
    let before = from.file(file);
    if to.find(before.path.as_str()).is_some() {
        return None;
    }
    let text = from.corpus().text(before.content)?;
    let lines = counted_lines(&text);
    let mut new: Vec<(bool, FileId)> = to
        .files()
        .filter(|(_, other)| {
            other.language == before.language && from.find(other.path.as_str()).is_none()
        })
        .map(|(id, other)| (other.path.file_name() != before.path.file_name(), id))
        .collect();
    // A file that only moved keeps its name.
    new.sort_unstable();
    let mut best: Option<(f64, FileId)> = None;
    for (_, id) in new.into_iter().take(MOST_FILES) {
        if !budget.spend() {
            break;
        }
        if to.file(id).content == before.content {
            return Some(id);
        }
        let Some(other) = to.corpus().text(to.file(id).content) else {
            continue;
        };
        if other.len().max(text.len()) > 2 * other.len().min(text.len()) {
            continue;
        }
        let mut left = lines.clone();
        let shared: usize = other.lines().map(|line| take_line(&mut left, line)).sum();
        let share = shared as f64 / other.len().max(text.len()).max(1) as f64;
        if share >= 0.5 && best.is_none_or(|(most, _)| share > most) {
            best = Some((share, id));
        }
    }
    best.map(|(_, id)| id)
}

fn counted_lines(text: &str) -> FxHashMap<&str, usize> {
    let mut lines = FxHashMap::default();
    text.lines()
        .for_each(|line| *lines.entry(line).or_default() += 1);
    lines
}

/// The bytes of a line that is still there, and takes it away.
fn take_line(lines: &mut FxHashMap<&str, usize>, line: &str) -> usize {
    match lines.get_mut(line) {
        Some(n) if *n > 0 => {
            *n -= 1;
            line.len() + 1
        }
        _ => 0,
    }
}

fn likeness_of(from: &Snapshot, symbol: SymbolId, to: &Snapshot, other: SymbolId) -> Option<f64> {
    Some(likeness(&text_of(from, symbol)?, &text_of(to, other)?))
}

fn container_names(facts: &Facts, symbol: SymbolId) -> Vec<String> {
    let chain = facts.container_chain(symbol.index);
    chain[..chain.len() - 1]
        .iter()
        .map(|index| facts.name(facts.symbol(*index).name).to_owned())
        .collect()
}

/// The most similar symbol of the same kind that is not in `from` under its own name: in the same
/// file, else in files that changed, those first that hold a symbol of the same name.
fn by_body(
    from: &Snapshot,
    symbol: SymbolId,
    facts: &Facts,
    to: &Snapshot,
    renamed: Option<FileId>,
    budget: &Budget,
) -> Option<SymbolId> {
    let body = text_of(from, symbol)?;
    let kind = facts.symbol(symbol.index).kind;
    let path = from.file(symbol.file).path.as_str();
    let changed = to.files().filter(|(_, file)| {
        from.find(file.path.as_str())
            .is_none_or(|id| from.file(id).content != file.content)
    });
    let namesakes: FxHashSet<FileId> =
        named_in(to, facts.name(facts.symbol(symbol.index).name), budget)
            .iter()
            .map(|symbol| symbol.file)
            .collect();
    let is_its_own = |id: FileId, there: &str| there == path || Some(id) == renamed;
    let mut files: Vec<_> = changed
        .map(|(id, file)| {
            (
                !is_its_own(id, file.path.as_str()),
                !namesakes.contains(&id),
                id,
            )
        })
        .collect();
    files.sort();
    let mut best: Option<(f64, SymbolId)> = None;
    let mut compared = 0;
    for (_, _, file) in files {
        let Some(other) = to.corpus().facts(to.file(file).content) else {
            continue;
        };
        for (index, candidate) in other
            .symbols_with_index()
            .filter(|(_, candidate)| candidate.kind == kind)
        {
            if compared >= MOST_BODIES || !budget.spend() {
                return best.map(|(_, symbol)| symbol);
            }
            let id = SymbolId { file, index };
            let known_before = from
                .find(to.file(file).path.as_str())
                .is_some_and(|before| {
                    named_in(from, other.name(candidate.name), budget)
                        .iter()
                        .any(|known| known.file == before)
                });
            if known_before || !near_in_size(facts.symbol(symbol.index), candidate) {
                continue;
            }
            compared += 1;
            let Some(text) = text_of(to, id) else {
                continue;
            };
            let likeness = likeness(&body, &text);
            if likeness >= LEAST_LIKENESS && best.is_none_or(|(most, _)| likeness > most) {
                best = Some((likeness, id));
            }
        }
    }
    best.map(|(_, symbol)| symbol)
}

fn near_in_size(a: &Symbol, b: &Symbol) -> bool {
    let (a, b) = (a.span.len().max(1), b.span.len().max(1));
    a.max(b) <= 3 * a.min(b)
}

/// How a symbol differs between two snapshots. `None` where a text is gone.
pub fn difference(
    base: &Snapshot,
    before: SymbolId,
    head: &Snapshot,
    after: SymbolId,
) -> Option<Difference> {
    let (old, new) = (text_of(base, before)?, text_of(head, after)?);
    let (old_signature, new_signature) = (signature_of(base, before)?, signature_of(head, after)?);
    let rest = |text: &str, signature: &str| text.replacen(signature, "", 1);
    Some(Difference {
        signature_changed: old_signature != new_signature,
        body_changed: rest(&old, &old_signature) != rest(&new, &new_signature),
        ..changed_lines(&old, &new)
    })
}

/// How a text without a signature changed.
pub fn changed_lines(old: &str, new: &str) -> Difference {
    let mut difference = Difference {
        body_changed: old != new,
        ..Difference::default()
    };
    let (old, new) = (lines(old), lines(new));
    let n_equal = n_equal(&operations(&old, &new, None));
    difference.lines_added = new.len() - n_equal;
    difference.lines_removed = old.len() - n_equal;
    difference
}

/// The symbol's own text, with an end of line.
fn text_of(snapshot: &Snapshot, symbol: SymbolId) -> Option<String> {
    let content = snapshot.file(symbol.file).content;
    let facts = snapshot.corpus().facts(content)?;
    let text = snapshot.corpus().text(content)?;
    Some(format!(
        "{}\n",
        facts.symbols.get(symbol.index.0 as usize)?.span.text(&text)
    ))
}

fn signature_of(snapshot: &Snapshot, symbol: SymbolId) -> Option<String> {
    let content = snapshot.file(symbol.file).content;
    let facts = snapshot.corpus().facts(content)?;
    let text = snapshot.corpus().text(content)?;
    Some(
        facts
            .symbols
            .get(symbol.index.0 as usize)?
            .signature
            .text(&text)
            .to_owned(),
    )
}
