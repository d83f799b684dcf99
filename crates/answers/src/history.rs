//! The commits that changed a symbol: those of its file, as far as its own text differs.

use std::time::{Duration, Instant};

use engine::SymbolId;
use facts::{ContentId, Facts};

use crate::{Session, names};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolHistory {
    /// Newest first.
    pub changes: Vec<SymbolRevision>,
    /// False where older commits were not looked at.
    pub is_complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRevision {
    /// Nothing for what is not committed.
    pub commit: Option<ContentId>,
    /// Since 1970.
    pub seconds: i64,
    /// The first line of the commit's message.
    pub subject: String,
    /// It was not there before, in this file.
    pub is_first: bool,
}

/// Versions of the file that are compared.
const MAX_VERSIONS: usize = 300;
const PATIENCE: Duration = Duration::from_secs(2);

/// Up to so many changes, from the snapshot's commit back along first parents. A symbol is the same
/// where its name and the names around it are; a file that was moved begins anew.
pub fn history(session: &Session, symbol: SymbolId, at_most: usize) -> SymbolHistory {
    let mut found = SymbolHistory::default();
    let workspace = &session.workspace;
    let from = session.view.commit().or_else(|| workspace.head().commit);
    let (Some(facts), Some(text)) = (session.facts(symbol.file), session.text(symbol.file)) else {
        return found;
    };
    let Some(from) = from else {
        return found;
    };
    let identity = Identified::of(&facts, symbol);
    let path = session.path(symbol.file);
    let until = Instant::now() + PATIENCE;
    let (versions, is_complete) = workspace.versions(&from, path, MAX_VERSIONS, until);
    found.is_complete = is_complete;
    let body_of = |content: Option<ContentId>| -> Option<String> {
        let (facts, text) = workspace.read_version(path, &content?)?;
        identity.body(&facts, &text)
    };
    let mut newer = identity.body(&facts, &text);
    for (i, version) in versions.iter().enumerate() {
        let body = body_of(version.content);
        // What the version before this one made of it.
        if newer != body {
            let made_by = i.checked_sub(1).map(|i| &versions[i]);
            found.changes.push(SymbolRevision {
                commit: made_by.map(|version| version.commit),
                seconds: made_by.map_or(0, |version| version.seconds),
                subject: made_by.map_or_else(String::new, |version| version.subject.clone()),
                is_first: body.is_none(),
            });
        }
        if body.is_none() || found.changes.len() >= at_most {
            found.is_complete &= body.is_none();
            return found;
        }
        if Instant::now() >= until {
            found.is_complete = false;
            return found;
        }
        newer = body;
    }
    if let (true, Some(_), Some(version)) = (found.is_complete, newer, versions.last()) {
        found.changes.push(SymbolRevision {
            commit: Some(version.commit),
            seconds: version.seconds,
            subject: version.subject.clone(),
            is_first: true,
        });
    }
    found
}

/// What makes a symbol the same in another version of its file.
struct Identified {
    chain: Vec<String>,
    /// How many of that name are before it.
    ordinal: usize,
}

impl Identified {
    fn of(facts: &Facts, symbol: SymbolId) -> Identified {
        let chain = names::chain(facts, symbol.index);
        let before = facts
            .symbols_with_index()
            .take_while(|(index, _)| *index < symbol.index)
            .filter(|(index, _)| names::chain(facts, *index) == chain);
        Identified {
            ordinal: before.count(),
            chain,
        }
    }

    /// Its text in a version; nothing where it is not there.
    fn body(&self, facts: &Facts, text: &str) -> Option<String> {
        let last = self.chain.last()?;
        let mut same = facts.symbols_with_index().filter(|(index, declared)| {
            facts.name(declared.name) == last && names::chain(facts, *index) == self.chain
        });
        let (_, declared) = same.nth(self.ordinal)?;
        Some(declared.span.text(text).to_owned())
    }
}
