//! Routes, tables and configuration keys that a change adds, removes or edits.

use std::collections::{BTreeMap, BTreeSet};

use engine::{
    FileId, SymbolId,
    query::{
        architecture::{self, ArchitectureFact, ArchitectureKind, Subject},
        change::ChangeSet,
    },
};
use facts::RepoPath;

use super::FileStatus;
use crate::{Session, excerpts, symbol_report::local_name};

/// A route, table or key that a change adds, removes, or hands to other code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceDifference {
    pub kind: ArchitectureKind,
    /// `GET /users/{id}`, `users`, `DATABASE_URL`.
    pub name: String,
    /// Added, removed or modified.
    pub status: FileStatus,
    /// Where it is declared or used: in the head, for what is gone in the base.
    pub path: RepoPath,
    /// From 1.
    pub line: u32,
    /// The handler, the class of the table, what reads the key.
    pub by: Option<String>,
    /// Other places of the head that use what is gone or changed, in order.
    pub used: Vec<(RepoPath, u32)>,
}

/// What identifies a fact on both sides.
type InterfaceKey = (ArchitectureKind, String);

/// What the changed files declare on each side, as far as they tell it themselves.
pub(super) struct ChangedFacts {
    pub old: Vec<ArchitectureFact>,
    pub new: Vec<ArchitectureFact>,
}

impl ChangedFacts {
    pub fn of(change: &ChangeSet) -> ChangedFacts {
        let before: BTreeSet<FileId> = change.files.iter().filter_map(|file| file.before).collect();
        let after: BTreeSet<FileId> = change.files.iter().filter_map(|file| file.after).collect();
        ChangedFacts {
            old: architecture::architecture_in(change.base, &before),
            new: architecture::architecture_in(change.head, &after),
        }
    }
}

/// By kind and name. `is_whole` says whether the program may be read as a whole, which tells the
/// prefixes that other files give to routes.
pub(super) fn interfaces(
    facts: &ChangedFacts,
    base: &Session,
    head: &Session,
    is_whole: bool,
) -> Vec<InterfaceDifference> {
    let (old, new) = (keyed(base, &facts.old), keyed(head, &facts.new));
    if shown(&old) == shown(&new) {
        return Vec::new();
    }
    if !is_whole {
        return differences(base, head, (&old, &new), None);
    }
    let (old, new) = (&base.architecture().facts, &head.architecture().facts);
    let (old, new) = (keyed(base, old), keyed(head, new));
    differences(base, head, (&old, &new), Some(&new))
}

/// The facts of the kinds that others depend on, by what identifies them.
fn keyed<'f>(
    session: &Session,
    facts: &'f [ArchitectureFact],
) -> BTreeMap<InterfaceKey, Vec<KeyedFact<'f>>> {
    let mut found: BTreeMap<InterfaceKey, Vec<KeyedFact>> = BTreeMap::new();
    for fact in facts {
        let name = match &fact.subject {
            Subject::Route { method } => format!("{method} {}", fact.name),
            Subject::Table { .. } => match &fact.schema {
                Some(schema) => format!("{schema}.{}", fact.name),
                None => fact.name.clone(),
            },
            Subject::Key { .. } => fact.name.clone(),
            Subject::Service { .. } | Subject::Middleware { .. } | Subject::RetryPolicy { .. } => {
                continue;
            }
        };
        let by = fact.symbol.or(fact.other);
        found
            .entry((fact.kind(), name))
            .or_default()
            .push(KeyedFact {
                fact,
                by: by.map(|symbol: SymbolId| local_name(session, symbol)),
            });
    }
    found
}

struct KeyedFact<'f> {
    fact: &'f ArchitectureFact,
    by: Option<String>,
}

/// What tells whether anything differs.
fn shown(
    facts: &BTreeMap<InterfaceKey, Vec<KeyedFact>>,
) -> BTreeMap<InterfaceKey, Vec<Option<String>>> {
    let by = |facts: &Vec<KeyedFact>| {
        let mut by: Vec<Option<String>> = facts.iter().map(|fact| fact.by.clone()).collect();
        by.sort_unstable();
        by.dedup();
        by
    };
    facts
        .iter()
        .map(|(key, facts)| (key.clone(), by(facts)))
        .collect()
}

type Interfaces<'f> = BTreeMap<InterfaceKey, Vec<KeyedFact<'f>>>;

fn differences(
    base: &Session,
    head: &Session,
    (old, new): (&Interfaces, &Interfaces),
    all: Option<&Interfaces>,
) -> Vec<InterfaceDifference> {
    let (was, is) = (shown(old), shown(new));
    let mut found = Vec::new();
    let keys: BTreeSet<&InterfaceKey> = was.keys().chain(is.keys()).collect();
    for key in keys {
        let (status, session, facts) = match (was.get(key), is.get(key)) {
            (None, Some(_)) => (FileStatus::Added, head, &new[key]),
            (Some(_), None) => (FileStatus::Removed, base, &old[key]),
            // Who reads a key is no difference of the key.
            (Some(one), Some(other)) if one != other && key.0 == ArchitectureKind::Route => {
                (FileStatus::Modified, head, &new[key])
            }
            _ => continue,
        };
        let Some(first) = facts.first() else { continue };
        let used = match status {
            FileStatus::Removed => all.map(|all| still_named(head, all, key)),
            _ => None,
        };
        found.push(InterfaceDifference {
            kind: key.0,
            name: key.1.clone(),
            status,
            path: session.snapshot().file(first.fact.file).path.clone(),
            line: line_of(session, first.fact),
            by: first.by.clone(),
            used: used.unwrap_or_default(),
        });
    }
    found
}

fn line_of(session: &Session, fact: &ArchitectureFact) -> u32 {
    session
        .facts(fact.file)
        .map_or(1, |facts| excerpts::position(&facts, fact.span.start).0)
}

/// Places of the head that request a route which is gone, or name a table in another form.
fn still_named(
    head: &Session,
    all: &Interfaces,
    (kind, name): &InterfaceKey,
) -> Vec<(RepoPath, u32)> {
    let path_of = |file| head.snapshot().file(file).path.clone();
    match kind {
        ArchitectureKind::Route => {
            let route = name.split_once(' ').map_or(name.as_str(), |(_, path)| path);
            // Another method or handler answers under the same path.
            let is_answered = all.keys().any(|(kind, other)| {
                *kind == ArchitectureKind::Route && other.ends_with(&format!(" {route}"))
            });
            if is_answered {
                return Vec::new();
            }
            let resolver = head.resolver();
            let found = engine::query::requests_of_route(&resolver, route);
            let mut places: Vec<(RepoPath, u32)> = found
                .into_iter()
                .map(|(file, line)| (path_of(file), line))
                .collect();
            places.sort_unstable();
            places.dedup();
            places
        }
        _ => Vec::new(),
    }
}
