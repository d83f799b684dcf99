//! The symbols in which two snapshots differ, for questions about a change.

use std::{collections::BTreeMap, sync::Arc};

use engine::{FileId, RepoPath, SymbolId, query};
use facts::{Facts, Span, SymbolIndex, SymbolKind, TriviaKind};

use crate::Session;

/// What differs, as the newer snapshot has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedSymbols {
    /// Symbols that are new or whose own text differs, what is inside of them left out, and those that
    /// used something that is gone; in order of path and place.
    pub symbols: Vec<SymbolId>,
    /// Files that differ outside of every symbol, that are no code, or that are gone; in order.
    pub paths: Vec<RepoPath>,
}

/// What a symbol is called, with what is around it.
type SymbolKey = (Vec<String>, SymbolKind);

/// Compares two snapshots of one workspace. Comments and blanks are no difference.
pub fn changed_symbols(base: &Session, head: &Session) -> ChangedSymbols {
    let mut changed = ChangedSymbols::default();
    for (path, before, after) in changed_files(base, head) {
        let old = before
            .map(|file| OwnTexts::of(base, file))
            .unwrap_or_default();
        let new = after
            .map(|file| OwnTexts::of(head, file))
            .unwrap_or_default();
        if old.outside != new.outside || after.is_none() || new.symbols.is_empty() {
            changed.paths.push(path);
        }
        for (key, (symbol, text)) in &new.symbols {
            if old
                .symbols
                .get(key)
                .is_none_or(|(_, before)| before != text)
            {
                changed.symbols.push(*symbol);
            }
        }
        for (key, (symbol, _)) in &old.symbols {
            if !new.symbols.contains_key(key) {
                changed
                    .symbols
                    .extend(users_of_removed(base, head, *symbol));
            }
        }
    }
    changed.symbols.sort_unstable();
    changed.symbols.dedup();
    changed
}

/// Paths whose contents differ, with the file on each side; in order.
fn changed_files(
    base: &Session,
    head: &Session,
) -> Vec<(RepoPath, Option<FileId>, Option<FileId>)> {
    let mut found = Vec::new();
    for (file, entry) in base.snapshot().files() {
        let after = head.snapshot().find(entry.path.as_str());
        // Two workspaces number their contents apart.
        let is_shared = Arc::ptr_eq(&base.workspace, &head.workspace);
        let is_same = after.is_some_and(|after| match is_shared {
            true => head.snapshot().file(after).content == entry.content,
            false => head.text(after) == base.text(file),
        });
        if !is_same {
            found.push((entry.path.clone(), Some(file), after));
        }
    }
    for (file, entry) in head.snapshot().files() {
        if base.snapshot().find(entry.path.as_str()).is_none() {
            found.push((entry.path.clone(), None, Some(file)));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The symbols of the head that are what used a removed symbol in the base.
fn users_of_removed(base: &Session, head: &Session, removed: SymbolId) -> Vec<SymbolId> {
    let resolver = base.resolver();
    let mentions = query::references(&resolver, removed).value.into_iter();
    let users = mentions.filter_map(|mention| {
        let facts = base.facts(mention.file)?;
        let key = key_of(&facts, mention.caller.or(mention.enclosing)?);
        let file = head.snapshot().find(base.path(mention.file))?;
        let facts = head.facts(file)?;
        let mut indexes = (0..facts.symbols.len() as u32).map(SymbolIndex);
        let index = indexes.find(|index| key_of(&facts, *index) == key)?;
        Some(SymbolId::new(file, index))
    });
    users.collect()
}

fn key_of(facts: &Facts, index: SymbolIndex) -> SymbolKey {
    let chain = facts.container_chain(index);
    let names = chain
        .iter()
        .map(|index| facts.name(facts.symbol(*index).name).to_owned());
    (names.collect(), facts.symbol(index).kind)
}

/// The text of each symbol of a file without what is inside of it, and the text outside of all.
#[derive(Default)]
struct OwnTexts {
    symbols: BTreeMap<SymbolKey, (SymbolId, String)>,
    outside: String,
}

impl OwnTexts {
    fn of(session: &Session, file: FileId) -> OwnTexts {
        let (Some(facts), Some(text)) = (session.facts(file), session.text(file)) else {
            return OwnTexts::default();
        };
        let mut inside: BTreeMap<Option<SymbolIndex>, Vec<Span>> = BTreeMap::new();
        for symbol in &facts.symbols {
            inside.entry(symbol.parent).or_default().push(symbol.span);
        }
        let comments = facts.trivia.iter();
        let comments = comments.filter(|trivia| trivia.kind == TriviaKind::Comment);
        let comments: Vec<Span> = comments.map(|trivia| trivia.span).collect();
        let own = |span: Span, of: Option<SymbolIndex>| {
            let holes = inside.get(&of).into_iter().flatten().chain(&comments);
            own_text(&text, span, holes.copied().collect())
        };
        let mut texts = OwnTexts {
            outside: own(Span::new(0, text.len() as u32), None),
            ..OwnTexts::default()
        };
        for (index, symbol) in facts.symbols_with_index() {
            let text = own(symbol.span, Some(index));
            let entry = texts.symbols.entry(key_of(&facts, index));
            // Overloads share a key: each one's change is a change of all.
            let (_, known) = entry.or_insert((SymbolId::new(file, index), String::new()));
            known.push_str(&text);
        }
        texts
    }
}

/// The words of a text outside of some parts of it.
fn own_text(text: &str, span: Span, mut holes: Vec<Span>) -> String {
    holes.sort_by_key(|hole| hole.start);
    let mut own = String::new();
    let mut at = span.start;
    for hole in holes {
        if hole.start >= at && hole.end <= span.end {
            own.push_str(
                text.get(at as usize..hole.start as usize)
                    .unwrap_or_default(),
            );
            own.push(' ');
            at = hole.end;
        }
    }
    own.push_str(text.get(at as usize..span.end as usize).unwrap_or_default());
    own.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{symbol_report::local_name, testing::session};

    #[test]
    fn own_texts_tell_what_changed() {
        let base = session(
            "
//- a.py
class Cart:
    # A comment.
    def total(self):
        return 1
    def size(self):
        return 2
def gone(): ...
def user():
    gone()
X = 1
//- b.py
import a
//- c.txt
text
",
        );
        let head = session(
            "
//- a.py
class Cart:
    # Another comment.
    def total(self):

        return 3
    def size(self):
        return 2
def user():
    gone()
X = 1
def added(): ...
//- b.py
import a, sys
//- c.txt
text
",
        );
        let changed = changed_symbols(&base, &head);
        let names: Vec<String> = changed
            .symbols
            .iter()
            .map(|symbol| local_name(&head, *symbol))
            .collect();
        assert_eq!(names, ["Cart.total", "user", "added"]);
        let paths: Vec<&str> = changed.paths.iter().map(RepoPath::as_str).collect();
        assert_eq!(paths, ["b.py"]);
    }
}
