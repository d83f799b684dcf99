//! What a symbol calls, and the routes, keys, tables and services that it has to do with.

use engine::{
    FileId, Outcome, Resolver, SymbolId,
    query::{
        self, Effects,
        architecture::{ArchitectureFact, ArchitectureKind},
    },
};
use facts::{Facts, Role, Span, SymbolKind};

use crate::{Session, handle::dotnet, names};

/// The calls of a symbol that tell most about it.
pub struct CardCalls {
    /// In order of place.
    pub shown: Vec<CardCall>,
    /// With those that are not shown.
    pub total: usize,
}

pub struct CardCall {
    pub callee: Callee,
    pub file: FileId,
    pub span: Span,
    /// It was found by its name alone.
    pub is_guess: bool,
    rank: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Own(SymbolId),
    /// A path into a library.
    Library(String),
}

/// Library calls that say nothing about what the code around them does.
const PLUMBING: &[&str] = &[
    "ConfigureAwait",
    "GetAwaiter",
    "GetType",
    "ToString",
    "GetHashCode",
    "toString",
    "hashCode",
    "to_string",
    "to_owned",
];

impl CardCalls {
    /// At most `limit` of them: calls into the repository come first, then what has an effect, then
    /// other libraries.
    pub fn of(
        session: &Session,
        resolver: &Resolver<'_>,
        symbol: SymbolId,
        effects: &Effects,
        limit: usize,
    ) -> CardCalls {
        // Only what the call names: which implementations may run is a question to the call graph.
        let (calls, unlinked) = query::direct_callees(resolver, symbol).value;
        let named = calls
            .into_iter()
            .filter(|call| call.outcome != Outcome::Ambiguous);
        let own = named.filter_map(|call| {
            let site = call.sites.first()?;
            Some(CardCall {
                callee: Callee::Own(call.symbol),
                file: site.file,
                span: site.span,
                is_guess: call.outcome == Outcome::Heuristic,
                rank: 0,
            })
        });
        let mut found: Vec<CardCall> = own.collect();
        for (path, file, span) in unlinked.external {
            let name = path.rsplit(['.', ':']).next().unwrap_or(&path);
            let callee = Callee::Library(declared_path(session, file, &path, name));
            // What is logged is among the effects.
            let is_told = PLUMBING.contains(&name) || effects.logging.contains(&span);
            if !is_told && !found.iter().any(|other| other.callee == callee) {
                found.push(CardCall {
                    callee,
                    file,
                    span,
                    is_guess: false,
                    rank: if effects.calls.contains(&span) { 1 } else { 2 },
                });
            }
        }
        let total = found.len();
        found.sort_by_key(|call| (call.rank, call.file, call.span.start));
        found.truncate(limit);
        found.sort_by_key(|call| (call.file, call.span.start));
        CardCalls {
            shown: found,
            total,
        }
    }
}

impl CardCall {
    pub fn instantiates(&self, facts: &Facts) -> bool {
        facts
            .references
            .iter()
            .any(|reference| reference.span == self.span && reference.role == Role::Instantiate)
    }
}

/// The path of what a library call runs: an extension method is declared in a class of its own, and
/// of a value that only an expression tells, the member's name is all that is known.
fn declared_path(session: &Session, file: FileId, path: &str, name: &str) -> String {
    let receiver = path[..path.len() - name.len()].trim_end_matches(['.', ':']);
    let is_expression = receiver.contains(['(', '[', '*']);
    let holder =
        dotnet::extension_holder(receiver, name).filter(|_| session.language(file) == "csharp");
    match holder {
        Some(holder) => format!("{holder}.{name}"),
        None if is_expression => name.to_owned(),
        None => path.to_owned(),
    }
}

/// What a symbol serves, reads, stores and registers, each once.
pub fn architecture_of<'a>(
    session: &'a Session,
    symbol: SymbolId,
    effects: &Effects,
) -> Vec<&'a ArchitectureFact> {
    // What a function registers or maps is written inside of it; the fact itself belongs to the
    // service or handler.
    let facts = session.facts(symbol.file);
    let body = facts
        .as_ref()
        .map(|facts| facts.symbol(symbol.index))
        .filter(|declared| declared.kind.is_callable())
        .map(|declared| declared.span);
    let uses_table = |fact: &ArchitectureFact| {
        fact.kind() == ArchitectureKind::Table
            && fact
                .symbol
                .is_some_and(|table| effects.tables.contains(&table))
    };
    let mut found: Vec<&ArchitectureFact> = Vec::new();
    for fact in &session.architecture().facts {
        let concerns = fact.symbol == Some(symbol)
            || fact.other == Some(symbol)
            || uses_table(fact)
            || fact.file == symbol.file && body.is_some_and(|body| body.contains(fact.span.start));
        let is_same = |other: &&ArchitectureFact| {
            (&other.name, &other.subject, other.framework)
                == (&fact.name, &fact.subject, fact.framework)
        };
        if concerns && !found.iter().any(is_same) {
            found.push(fact);
        }
    }
    found
}

/// The type around a symbol, or the one it belongs to from elsewhere.
pub fn containing_type(facts: &Facts, symbol: SymbolId) -> Option<String> {
    let mut chain = facts.container_chain(symbol.index);
    chain.pop();
    let holder = chain.into_iter().rev().find(|index| {
        facts.symbol(*index).kind.is_type() || facts.symbol(*index).kind == SymbolKind::Impl
    });
    let outside = || names::type_name(facts, facts.symbol(symbol.index).owner).map(str::to_owned);
    holder
        .map(|index| facts.name(facts.symbol(index).name).to_owned())
        .or_else(outside)
}

/// The namespace or module that a symbol belongs to, without its types.
pub fn namespace(session: &Session, facts: &Facts, symbol: SymbolId) -> String {
    let mut parts = names::module_path(session.snapshot(), symbol.file, facts);
    for index in facts.container_chain(symbol.index) {
        let around = facts.symbol(index);
        if matches!(around.kind, SymbolKind::Namespace | SymbolKind::Module) {
            let name = facts.name(around.name).split(['.', '\\']);
            parts.extend(name.flat_map(|part| part.split("::")).map(str::to_owned));
        }
    }
    parts.join(".")
}
