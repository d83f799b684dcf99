//! `symbols.get_card`: what a symbol is, says, calls, throws and does.

use answers::{
    excerpts,
    handle::{DocumentationIds, of_library},
    survey,
};
use engine::{
    FileId, Outcome, SymbolId,
    query::{self, Access, Affected, SideEffect, ThrownBy},
};
use facts::{Role, Span, SymbolKind, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    architecture, documentation,
    envelope::{Confidence, Envelope, Evidence},
    errors,
    request::{Request, Target},
    symbols, symbols_search,
};
use crate::{CODEMAP, Context, ContractRef, Tool, ToolError};

pub struct SymbolsGetCard;

/// What a symbol is: signature, documentation, calls, exceptions, side effects, facts.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    /// `M:Ns.Type.Method(Args)`, a stable_id, a qualified name or any handle.
    symbol_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Card {
    pub symbol_id: String,
    pub fully_qualified_name: String,
    pub kind: &'static str,
    pub signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    pub namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containing_type: Option<String>,
    pub file_path: String,
    pub span_start: u32,
    pub span_end: u32,
    pub visibility: String,
    /// What it calls, in order of place. `!:` before what is a library's: no handle.
    pub calls_top: Vec<CallRef>,
    pub facts: Vec<Fact>,
    pub side_effects: Vec<String>,
    pub thrown_exceptions: Vec<String>,
    pub evidence: Vec<Evidence>,
    pub confidence: Confidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable_id: Option<String>,
    pub project_name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CallRef {
    pub to_symbol: String,
    pub fully_qualified_name: String,
    pub kind: &'static str,
    pub file_path: String,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fact {
    pub kind: &'static str,
    /// `GET /orders`, `Smtp:Host|GetValue`, `Orders|DbSet`.
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Calls that a card shows.
const CALLS: usize = 10;

impl Tool for SymbolsGetCard {
    const NAME: &'static str = "symbols.get_card";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = Input;
    type Output = Envelope<Card>;

    fn run(context: &Context, input: Input) -> Result<Envelope<Card>, ToolError> {
        let request = Request::open(context, &input.at)?;
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let symbol = symbols::one(&request, &ids, &resolver, &input.symbol_id)?;
        let facts = request
            .facts(symbol.file)
            .ok_or_else(|| errors::not_found("the symbol's file cannot be read"))?;
        let declared = facts.symbol(symbol.index);
        request.shows(symbol.file);
        request.rests_on(symbol.file);
        let (span_start, span_end) = excerpts::lines(&facts, declared.span);
        let effects = query::effects(&resolver, symbol, request.architecture()).value;
        let calls = calls(&request, &resolver, &ids, symbol, &effects);
        let (documentation, documented_at) =
            documentation::of(&request, &resolver, &ids, symbol).unzip();
        let is_guess = calls.is_guess || effects.by_name;
        // The card says its symbol and signature itself.
        let evidence = Evidence {
            repo_id: request.repo_id.clone(),
            file_path: request.path(symbol.file).to_owned(),
            line_start: span_start,
            line_end: span_end,
            symbol_id: None,
            excerpt: None,
        };
        let card = Card {
            fully_qualified_name: symbols::qualified_name(&request, symbol),
            kind: symbols::kind(&request, symbol),
            signature: symbols::signature(&request, symbol),
            documentation,
            namespace: symbols_search::namespace_of(&request, symbol.file, &facts, symbol.index),
            containing_type: containing_type(&facts, symbol),
            file_path: evidence.file_path.clone(),
            span_start,
            span_end,
            visibility: visibility(declared).to_owned(),
            calls_top: calls.shown,
            facts: facts_of(&request, symbol, &effects),
            side_effects: effects.side_effects.iter().map(sentence).collect(),
            thrown_exceptions: effects
                .thrown
                .into_iter()
                .map(|thrown| thrown.name)
                .collect(),
            evidence: vec![evidence.clone()],
            confidence: request.confidence(symbol.file).min(if is_guess {
                Confidence::Medium
            } else {
                Confidence::High
            }),
            stable_id: ids.stable(symbol),
            project_name: survey::project_of(&request, symbol.file).to_owned(),
            symbol_id: ids.of(symbol),
        };
        let mut answer = format!(
            "`{}` is a {} in {}, lines {}-{}.",
            card.fully_qualified_name, card.kind, card.file_path, card.span_start, card.span_end
        );
        if let Some(other) = documented_at.flatten() {
            answer.push_str(&format!(
                " Its documentation is that of `{}`.",
                symbols::qualified_name(&request, other)
            ));
        }
        if calls.total > card.calls_top.len() {
            request.limit("calls_top", calls.total, card.calls_top.len());
            answer.push_str(&format!(
                " {} of {} calls are shown.",
                card.calls_top.len(),
                calls.total
            ));
        }
        // The short id says the same in fewer words.
        let parameters = json!({ "symbol_id": card.stable_id.as_ref().unwrap_or(&card.symbol_id) });
        let mut next = vec![request.next(
            "symbols.get_definition_span",
            "Its source.",
            parameters.clone(),
        )];
        next.push(match declared.kind.is_type() {
            true => request.next(
                "types.hierarchy",
                "What it extends and what extends it.",
                parameters,
            ),
            false => request.next("refs.find", "Where it is used.", parameters),
        });
        let confidence = card.confidence;
        request.finish(answer, card, vec![evidence], next, confidence)
    }
}

struct Calls {
    /// In order of place.
    shown: Vec<CallRef>,
    /// With those that are not shown.
    total: usize,
    /// One of those shown was found by its name alone.
    is_guess: bool,
}

/// What a call means.
#[derive(PartialEq)]
enum Callee {
    Own(SymbolId),
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

/// What a symbol calls. Where there are too many, calls into the repository come first, then what
/// has an effect, then other libraries.
fn calls(
    request: &Request<'_>,
    resolver: &engine::Resolver<'_>,
    ids: &DocumentationIds<'_>,
    symbol: SymbolId,
    effects: &query::Effects,
) -> Calls {
    // Only what the call names: which implementations may run behind it is what `graph.callees`
    // tells.
    let (calls, beyond) = query::direct_callees(resolver, symbol).value;
    let is_named = |call: &query::Call| call.outcome != Outcome::Ambiguous;
    let own = calls.into_iter().filter(is_named).filter_map(|call| {
        let site = call.sites.first()?;
        Some((
            0,
            site.file,
            site.span,
            Callee::Own(call.symbol),
            call.outcome == Outcome::Heuristic,
        ))
    });
    let mut found: Vec<(u8, FileId, Span, Callee, bool)> = own.collect();
    for (path, file, span) in beyond.external {
        let name = path.rsplit(['.', ':']).next().unwrap_or(&path);
        let callee = Callee::Library(declared_path(request, file, &path, name));
        // What is logged is among the facts.
        let is_said = PLUMBING.contains(&name) || effects.logging.contains(&span);
        if !is_said && !found.iter().any(|(.., other, _)| *other == callee) {
            found.push((
                if effects.calls.contains(&span) { 1 } else { 2 },
                file,
                span,
                callee,
                false,
            ));
        }
    }
    let total = found.len();
    found.sort_by_key(|(rank, file, span, ..)| (*rank, *file, span.start));
    found.truncate(CALLS);
    found.sort_by_key(|(_, file, span, ..)| (*file, span.start));
    let is_guess = found.iter().any(|(.., is_guess)| *is_guess);
    let shown = found.into_iter().filter_map(|(_, file, span, callee, _)| {
        let facts = request.facts(file)?;
        let makes = facts
            .references
            .iter()
            .any(|reference| reference.span == span && reference.role == Role::Instantiate);
        let (to_symbol, fully_qualified_name) = match callee {
            Callee::Own(symbol) => {
                request.rests_on(symbol.file);
                (ids.of(symbol), symbols::qualified_name(request, symbol))
            }
            Callee::Library(path) => (of_library(&path), path),
        };
        Some(CallRef {
            to_symbol,
            fully_qualified_name,
            kind: if makes { "instantiate" } else { "call" },
            file_path: request.path(file).to_owned(),
            line: facts.lines.line_number(span.start),
        })
    });
    Calls {
        shown: shown.collect(),
        total,
        is_guess,
    }
}

/// The path of what a library call runs: an extension method stands in a class of its own, and of a
/// value that only an expression tells, the member's name is all that is known.
fn declared_path(request: &Request<'_>, file: FileId, path: &str, name: &str) -> String {
    let receiver = path[..path.len() - name.len()].trim_end_matches(['.', ':']);
    let is_expression = receiver.contains(['(', '[', '*']);
    let holder = answers::handle::dotnet::extension_holder(receiver, name)
        .filter(|_| request.language(file) == "csharp");
    match holder {
        Some(holder) => format!("{holder}.{name}"),
        None if is_expression => name.to_owned(),
        None => path.to_owned(),
    }
}

fn thrown_by(by: ThrownBy) -> &'static str {
    match by {
        ThrownBy::Throw => "throw",
        ThrownBy::Guard => "guard",
    }
}

/// `writes field Order.Total`, `file system: File.Delete (line 12)`, `database: reads Orders
/// (lines 3, 9)`.
fn sentence(effect: &SideEffect) -> String {
    /// More lines than this are left out.
    const LINES: usize = 3;
    let numbers: Vec<String> = effect
        .lines
        .iter()
        .take(LINES)
        .map(u32::to_string)
        .collect();
    let lines = format!(
        "{} {}{}",
        if effect.lines.len() > 1 {
            "lines"
        } else {
            "line"
        },
        numbers.join(", "),
        if effect.lines.len() > LINES {
            ", …"
        } else {
            ""
        }
    );
    match &effect.on {
        Affected::Variable { kind, owner, name } => {
            let owner = owner.as_ref().map(|owner| format!("{owner}."));
            format!("writes {} {}{name}", kind.word(), owner.unwrap_or_default())
        }
        Affected::Library { touches, member } => {
            let read = if effect.access == Access::Reads {
                "read, "
            } else {
                ""
            };
            format!("{}: {member} ({read}{lines})", touches.as_str())
        }
        Affected::Table { name, written_by } => match written_by {
            Some(by) => format!("database: writes {name} ({by}, {lines})"),
            None => format!("database: reads {name} ({lines})"),
        },
    }
}

/// Facts that hang on a symbol: what it serves, reads, stores, throws and logs.
pub fn facts_of(request: &Request<'_>, symbol: SymbolId, effects: &query::Effects) -> Vec<Fact> {
    use engine::query::architecture::ArchitectureKind;
    let mut found: Vec<Fact> = Vec::new();
    // What a function registers or maps stands inside of it; the fact itself belongs to the service
    // or handler.
    let facts = request.facts(symbol.file);
    let body = facts
        .as_ref()
        .map(|facts| facts.symbol(symbol.index))
        .filter(|declared| declared.kind.is_callable())
        .map(|declared| declared.span);
    let architecture = request.architecture();
    let hangs_on = |fact: &&engine::query::architecture::ArchitectureFact| {
        fact.symbol == Some(symbol)
            || fact.other == Some(symbol)
            || fact.kind() == ArchitectureKind::Table
                && fact
                    .symbol
                    .is_some_and(|table| effects.tables.contains(&table))
            || fact.file == symbol.file && body.is_some_and(|body| body.contains(fact.span.start))
    };
    for fact in architecture.facts.iter().filter(hangs_on) {
        let (name, detail) = (&fact.name, architecture::detail(&fact.subject));
        let value = match fact.kind() {
            ArchitectureKind::Route => format!("{detail} {name}"),
            ArchitectureKind::Service => format!("{name} → {detail}"),
            _ => format!("{name}|{detail}"),
        };
        let kind = architecture::kind_name(fact.kind());
        let shown = Fact {
            kind,
            value,
            detail: Some(fact.framework.to_owned()),
        };
        if !found.contains(&shown) {
            found.push(shown);
        }
    }
    found.extend(effects.thrown.iter().map(|thrown| Fact {
        kind: "exception",
        value: format!("{}|{}", thrown.name, thrown_by(thrown.by)),
        detail: None,
    }));
    found.extend(effects.logs.iter().map(|(level, template)| Fact {
        kind: "log",
        value: format!("{template}|{level}"),
        detail: None,
    }));
    found
}

fn containing_type(facts: &facts::Facts, symbol: SymbolId) -> Option<String> {
    let mut chain = facts.container_chain(symbol.index);
    chain.pop();
    let holder = chain.into_iter().rev().find(|index| {
        facts.symbol(*index).kind.is_type() || facts.symbol(*index).kind == SymbolKind::Impl
    });
    let outside =
        || answers::names::type_name(facts, facts.symbol(symbol.index).owner).map(str::to_owned);
    holder
        .map(|index| facts.name(facts.symbol(index).name).to_owned())
        .or_else(outside)
}

fn visibility(symbol: &facts::Symbol) -> &'static str {
    match symbol.visibility {
        Visibility::Default if symbol.modifiers.contains(facts::Modifiers::EXPORTED) => "public",
        visibility => visibility.word(),
    }
}
