//! Architecture facts: routes, configuration keys, database tables, services, middleware, retry
//! policies.
//!
//! Found at question time: each framework's rules name what to look for, the table of names says
//! which files hold it, and the shape of the calls, annotations and types there decides. What a
//! rule cannot read (a path made at run time) is counted, so that silence is not taken for absence.

mod blocks;
mod config;
mod controllers;
mod files;
mod inflection;
mod places;
mod routers;
mod rules;
mod services;
mod sql;
mod tables;
mod urls;

use std::collections::BTreeMap;

use crate::{Budget, Complete, FileId, Resolver, Snapshot, SymbolId};
use facts::Span;
use places::Places;
pub(crate) use rules::family_named;

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArchitectureKind {
    Route,
    Config,
    DbTable,
    DiRegistration,
    Middleware,
    RetryPolicy,
}

/// How a fact was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Parts of it are made at run time.
    Partial,
    /// By a pattern.
    Pattern,
    /// As declared.
    Declared,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchitectureFact {
    pub kind: ArchitectureKind,
    pub framework: &'static str,
    /// The path, the key, the table, the service, the name of the middleware.
    pub value: String,
    /// The HTTP method, the way a key is read, where a table's name stands, implementation and
    /// lifetime, position.
    pub detail: String,
    /// Of a table: its schema.
    pub schema: Option<String>,
    /// The handler; what uses the key; the property or class of the table.
    pub symbol: Option<SymbolId>,
    /// Of a registered service: the implementation.
    pub other: Option<SymbolId>,
    pub file: FileId,
    pub span: Span,
    pub certainty: Certainty,
}

/// What was seen of a framework, and what was not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub facts: usize,
    /// Its modules are imported here.
    pub is_seen: bool,
    /// Places that a rule matched and could not read.
    pub not_understood: Vec<(FileId, Span)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Architecture {
    /// By kind, value, detail, path and place.
    pub facts: Vec<ArchitectureFact>,
    /// By framework; those whose imports are nowhere are absent.
    pub coverage: BTreeMap<&'static str, Coverage>,
    /// Frameworks that are used here and that no rule reads, with the files that import them.
    pub unsupported: Vec<(&'static str, Vec<FileId>)>,
}

pub fn architecture(resolver: &Resolver<'_>) -> Complete<Architecture> {
    let places = Places::new(resolver);
    for framework in rules::frameworks() {
        if !places.is_used(framework) {
            continue;
        }
        places.begin(framework);
        routers::read(&places, framework);
        controllers::read(&places, framework);
        urls::read(&places, framework);
        blocks::read(&places, framework);
        files::read(&places, framework);
        sql::read(&places, framework);
        config::read(&places, framework);
        tables::read(&places, framework);
        services::read(&places, framework);
    }
    let unsupported = places.unsupported();
    let mut found = places.finish();
    found.unsupported = unsupported;
    found.facts.sort_by(|a, b| {
        (a.kind, &a.value, &a.detail, a.file, a.span.start).cmp(&(
            b.kind,
            &b.value,
            &b.detail,
            b.file,
            b.span.start,
        ))
    });
    found.facts.dedup_by(|a, b| {
        a.kind == b.kind
            && a.value == b.value
            && a.detail == b.detail
            && a.file == b.file
            && a.span.start == b.span.start
    });
    resolver.budget.finish(found)
}

/// The architecture of a snapshot, without a limit on the work: it is cached with the snapshot.
pub fn architecture_of(analysis: &crate::Analysis) -> Architecture {
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    architecture(&resolver).value
}

/// Two pieces of a path with one `/` between them.
fn joined(prefix: &str, path: &str) -> String {
    let (prefix, path) = (prefix.trim_end_matches('/'), path.trim_start_matches('/'));
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => format!("/{path}"),
        (false, true) => rooted(prefix),
        (false, false) => rooted(&format!("{prefix}/{path}")),
    }
}

fn rooted(path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    }
}

/// Whether a file belongs to tests or to someone else. Examples and samples are programs, and
/// count.
fn is_aside(snapshot: &Snapshot, file: FileId) -> bool {
    const PROGRAMS: &[&str] = &[
        "example",
        "examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "doc",
        "docs",
        "documentation",
    ];
    let path = snapshot.file(file).path.as_str();
    let own: Vec<&str> = path
        .split('/')
        .filter(|part| !PROGRAMS.contains(&part.to_ascii_lowercase().as_str()))
        .collect();
    crate::query::search::is_aside(&own.join("/")) || crate::query::search::is_foreign(path)
}
