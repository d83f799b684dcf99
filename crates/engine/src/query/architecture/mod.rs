//! Facts about a program's architecture: routes, configuration keys, database tables, services,
//! middleware, retry policies.
//!
//! They are found when a question is asked. The rules of each framework (`frameworks/`) say which
//! calls, annotations and types to look for, the table of names says which files mention them, and
//! the modules here read the arguments found there. A place that a rule matches and cannot read (a
//! path made at run time) is counted, so that an answer can say what it may lack.

mod blocks;
mod controllers;
mod frameworks;
mod inflection;
mod keys;
mod projects;
mod routers;
mod rules;
mod scan;
mod services;
mod sql;
mod strings;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Budget, Complete, FileId, Resolver, Snapshot, SymbolId};
use facts::Span;
use scan::{Findings, Scan};

/// What a fact is about, with what only facts of that kind have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Route {
        /// `GET`, or `ANY` where the framework takes every method.
        method: String,
    },
    Key {
        /// How the key is read: `environment`, `GetSection`.
        usage: &'static str,
    },
    Table {
        source: TableSource,
    },
    Service {
        implementation: String,
        lifetime: &'static str,
    },
    Middleware {
        /// Its position in its file, from 1.
        position: usize,
    },
    RetryPolicy {
        library: &'static str,
    },
}

/// Where the name of a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableSource {
    /// In an annotation of this name.
    Annotation(&'static str),
    /// In a call, an attribute, a statement, or nowhere (`convention`).
    Other(&'static str),
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
    pub subject: Subject,
    pub framework: &'static str,
    /// The path, the key, the table, the service, the name of the middleware.
    pub name: String,
    /// The schema of a table.
    pub schema: Option<String>,
    /// The handler; what uses the key; the property or class of the table; the service.
    pub symbol: Option<SymbolId>,
    /// The implementation of a service, the class of a table's rows.
    pub other: Option<SymbolId>,
    pub file: FileId,
    pub span: Span,
    pub certainty: Certainty,
}

/// What was seen of a framework, and what was not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub facts: usize,
    /// The program imports it; false for what is looked for in every program.
    pub is_seen: bool,
    /// Places that a rule matched and could not read.
    pub not_understood: Vec<(FileId, Span)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Architecture {
    /// By subject, name, file and place.
    pub facts: Vec<ArchitectureFact>,
    /// By framework; those that the program does not use are absent.
    pub coverage: BTreeMap<&'static str, Coverage>,
    /// Frameworks that are used here and that no rule reads, with the files that import them.
    pub unsupported: Vec<(&'static str, Vec<FileId>)>,
}

pub fn architecture(resolver: &Resolver) -> Complete<Architecture> {
    let mut found = read(resolver, None);
    found.unsupported = scan::unsupported(resolver);
    found.facts.sort_by(|a, b| {
        (a.kind(), &a.name, &a.subject, a.file, a.span.start).cmp(&(
            b.kind(),
            &b.name,
            &b.subject,
            b.file,
            b.span.start,
        ))
    });
    found.facts.dedup_by(|a, b| {
        (&a.subject, &a.name, a.file, a.span.start) == (&b.subject, &b.name, b.file, b.span.start)
    });
    resolver.budget.finish(found)
}

/// The facts of some files as those files alone say them: what other files add, such as a prefix of
/// their routes, is missing.
pub fn architecture_in(resolver: &Resolver, files: &BTreeSet<FileId>) -> Vec<ArchitectureFact> {
    let mut found = read(resolver, Some(files)).facts;
    found.retain(|fact| files.contains(&fact.file));
    found
}

/// Reads all frameworks, in these files or in all.
fn read(resolver: &Resolver, only: Option<&BTreeSet<FileId>>) -> Architecture {
    let findings = Findings::default();
    for framework in frameworks::FRAMEWORKS {
        let scan = Scan::new(resolver, framework, &findings, only);
        if !scan.is_used() {
            continue;
        }
        scan.begin();
        routers::read(&scan);
        controllers::read(&scan);
        blocks::read(&scan);
        sql::read(&scan);
        keys::read(&scan);
        tables::read(&scan);
        services::read(&scan);
        framework.read.iter().for_each(|read| read(&scan));
    }
    findings.into_architecture()
}

/// The architecture of a snapshot, without a limit on the work: it is cached with the snapshot.
pub fn architecture_of(analysis: &crate::Analysis) -> Architecture {
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    architecture(&resolver).value
}

/// What kind of fact one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArchitectureKind {
    Route,
    Key,
    Table,
    Service,
    Middleware,
    RetryPolicy,
}

impl ArchitectureKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ArchitectureKind::Route => "route",
            ArchitectureKind::Key => "configuration key",
            ArchitectureKind::Table => "table",
            ArchitectureKind::Service => "service",
            ArchitectureKind::Middleware => "middleware",
            ArchitectureKind::RetryPolicy => "retry policy",
        }
    }
}

impl ArchitectureFact {
    pub fn kind(&self) -> ArchitectureKind {
        match self.subject {
            Subject::Route { .. } => ArchitectureKind::Route,
            Subject::Key { .. } => ArchitectureKind::Key,
            Subject::Table { .. } => ArchitectureKind::Table,
            Subject::Service { .. } => ArchitectureKind::Service,
            Subject::Middleware { .. } => ArchitectureKind::Middleware,
            Subject::RetryPolicy { .. } => ArchitectureKind::RetryPolicy,
        }
    }

    /// A fact at a place; the rest is set with the methods below.
    fn new(subject: Subject, name: impl Into<String>, file: FileId, span: Span) -> Self {
        ArchitectureFact {
            subject,
            framework: "",
            name: name.into(),
            schema: None,
            symbol: None,
            other: None,
            file,
            span,
            certainty: Certainty::Declared,
        }
    }

    fn route(method: &str, path: impl Into<String>, file: FileId, span: Span) -> Self {
        let method = method.to_owned();
        Self::new(Subject::Route { method }, path, file, span)
    }

    fn table(source: &'static str, name: impl Into<String>, file: FileId, span: Span) -> Self {
        let source = TableSource::Other(source);
        Self::new(Subject::Table { source }, name, file, span)
    }

    fn of(mut self, symbol: Option<SymbolId>) -> Self {
        self.symbol = symbol;
        self
    }

    fn with_other(mut self, other: Option<SymbolId>) -> Self {
        self.other = other;
        self
    }

    fn in_schema(mut self, schema: Option<String>) -> Self {
        self.schema = schema;
        self
    }

    fn certain(mut self, certainty: Certainty) -> Self {
        self.certainty = certainty;
        self
    }
}

impl Certainty {
    fn of_text(is_whole: bool) -> Certainty {
        if is_whole {
            Certainty::Declared
        } else {
            Certainty::Partial
        }
    }
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
    crate::query::search::is_test_or_docs(&own.join("/"))
        || crate::query::search::is_vendored_or_generated(path)
}
