//! One symbol in two snapshots: which symbol of the other it is, and how its text differs.

use facts::{Facts, Symbol};
use similar::{ChangeTag, TextDiff};

use crate::{Budget, Snapshot, SymbolId, query};

/// How a symbol was recognised in the other snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// Same path, same containers, same name.
    Name,
    /// Same containers and name in another file.
    Move,
    /// Another name, much the same body.
    Body,
}

impl MatchedBy {
    pub fn word(self) -> &'static str {
        match self {
            MatchedBy::Name => "name",
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
/// Bodies that are compared before giving up.
const MOST_BODIES: usize = 400;

/// The symbol of `to` that is what `symbol` is in `from`.
pub fn counterpart(from: &Snapshot, symbol: SymbolId, to: &Snapshot, budget: &Budget) -> Option<(SymbolId, MatchedBy)> {
    let facts = from.corpus().facts(from.file(symbol.file).content)?;
    let name = facts.name(facts.symbol(symbol.index).name).to_owned();
    let path = &from.file(symbol.file).path;
    let chain = container_names(&facts, symbol);
    let kind = facts.symbol(symbol.index).kind;
    let same = |candidate: &SymbolId| {
        let other = to.corpus().facts(to.file(candidate.file).content);
        other.is_some_and(|other| other.symbol(candidate.index).kind == kind && container_names(&other, *candidate) == chain)
    };
    let named: Vec<SymbolId> = query::symbols_named(to, &name).into_iter().filter(|candidate| same(candidate)).collect();
    if let Some(here) = named.iter().find(|candidate| to.file(candidate.file).path == *path) {
        return Some((*here, MatchedBy::Name));
    }
    // One that `from` has as well is another symbol of that name.
    let is_new = |candidate: &SymbolId| {
        let there = from.find(to.file(candidate.file).path.as_str());
        there.is_none_or(|file| !query::symbols_named(from, &name).iter().any(|known| known.file == file))
    };
    if let Some(moved) = named.iter().copied().find(is_new) {
        return Some((moved, MatchedBy::Move));
    }
    by_body(from, symbol, &facts, to, budget).map(|found| (found, MatchedBy::Body))
}

fn container_names(facts: &Facts, symbol: SymbolId) -> Vec<String> {
    let chain = facts.container_chain(symbol.index);
    chain[..chain.len() - 1].iter().map(|index| facts.name(facts.symbol(*index).name).to_owned()).collect()
}

/// The most similar symbol of the same kind that is not in `from` under its own name: in the same file, else in files that changed.
fn by_body(from: &Snapshot, symbol: SymbolId, facts: &Facts, to: &Snapshot, budget: &Budget) -> Option<SymbolId> {
    let body = text_of(from, symbol)?;
    let kind = facts.symbol(symbol.index).kind;
    let path = from.file(symbol.file).path.as_str();
    let changed = to.files().filter(|(_, file)| from.find(file.path.as_str()).is_none_or(|id| from.file(id).content != file.content));
    let mut files: Vec<_> = changed.map(|(id, file)| (file.path.as_str() != path, id)).collect();
    files.sort();
    let mut best: Option<(f64, SymbolId)> = None;
    let mut compared = 0;
    for (_, file) in files {
        let Some(other) = to.corpus().facts(to.file(file).content) else { continue };
        for (index, candidate) in other.symbols_with_index().filter(|(_, candidate)| candidate.kind == kind) {
            if compared >= MOST_BODIES || !budget.spend() {
                return best.map(|(_, symbol)| symbol);
            }
            let id = SymbolId { file, index };
            let known_before = from
                .find(to.file(file).path.as_str())
                .is_some_and(|before| query::symbols_named(from, other.name(candidate.name)).iter().any(|known| known.file == before));
            if known_before || !near_in_size(facts.symbol(symbol.index), candidate) {
                continue;
            }
            compared += 1;
            let Some(text) = text_of(to, id) else { continue };
            let likeness = f64::from(TextDiff::from_lines(&body, &text).ratio());
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
pub fn difference(base: &Snapshot, before: SymbolId, head: &Snapshot, after: SymbolId) -> Option<Difference> {
    let (old, new) = (text_of(base, before)?, text_of(head, after)?);
    let (old_signature, new_signature) = (signature_of(base, before)?, signature_of(head, after)?);
    let mut difference = Difference { signature_changed: old_signature != new_signature, ..Difference::default() };
    for change in TextDiff::from_lines(&old, &new).iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => difference.lines_added += 1,
            ChangeTag::Delete => difference.lines_removed += 1,
            ChangeTag::Equal => {}
        }
    }
    let rest = |text: &str, signature: &str| text.replacen(signature, "", 1);
    difference.body_changed = rest(&old, &old_signature) != rest(&new, &new_signature);
    Some(difference)
}

/// The symbol's own text, with an end of line.
fn text_of(snapshot: &Snapshot, symbol: SymbolId) -> Option<String> {
    let content = snapshot.file(symbol.file).content;
    let facts = snapshot.corpus().facts(content)?;
    let text = snapshot.corpus().text(content)?;
    Some(format!("{}\n", facts.symbols.get(symbol.index.0 as usize)?.span.text(&text)))
}

fn signature_of(snapshot: &Snapshot, symbol: SymbolId) -> Option<String> {
    let content = snapshot.file(symbol.file).content;
    let facts = snapshot.corpus().facts(content)?;
    let text = snapshot.corpus().text(content)?;
    Some(facts.symbols.get(symbol.index.0 as usize)?.signature.text(&text).to_owned())
}
