//! `symbols.get_card`: what a symbol is, says, calls, throws and does.

use answers::{
    Session,
    card::{self, Callee, CardCall, CardCalls},
    documentation, excerpts,
    handle::{DocumentationIds, of_library},
    survey,
};
use engine::{
    SymbolId,
    query::{
        self, Access, Affected, Effects, SideEffect, ThrownBy, architecture::ArchitectureKind,
    },
};
use facts::Visibility;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    architecture,
    envelope::{Confidence, Envelope, Evidence},
    errors,
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

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
    symbol_id: String,
    fully_qualified_name: String,
    kind: &'static str,
    signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<String>,
    namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_type: Option<String>,
    file_path: String,
    span_start: u32,
    span_end: u32,
    visibility: &'static str,
    /// What it calls, in order of place. `!:` before what is a library's: no handle.
    calls_top: Vec<CallRef>,
    facts: Vec<Fact>,
    side_effects: Vec<String>,
    thrown_exceptions: Vec<String>,
    evidence: Vec<Evidence>,
    confidence: Confidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    stable_id: Option<String>,
    project_name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CallRef {
    to_symbol: String,
    fully_qualified_name: String,
    kind: &'static str,
    file_path: String,
    line: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fact {
    kind: &'static str,
    /// `GET /orders`, `Smtp:Host|GetValue`, `Orders|DbSet`.
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
}

/// Calls that a card shows.
const CALLS: usize = 10;

impl Tool for SymbolsGetCard {
    const NAME: &'static str = "symbols.get_card";
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
        let calls = CardCalls::of(&request, &resolver, symbol, &effects, CALLS);
        let calls_top = calls.shown.iter();
        let calls_top: Vec<CallRef> = calls_top
            .filter_map(|call| call_ref(&request, &ids, call))
            .collect();
        let (documentation, documented_at) =
            documentation::of(&request, &resolver, &ids, symbol).unzip();
        let is_guess = effects.by_name || calls.shown.iter().any(|call| call.is_guess);
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
            namespace: card::namespace(&request, &facts, symbol),
            containing_type: card::containing_type(&facts, symbol),
            file_path: evidence.file_path.clone(),
            span_start,
            span_end,
            visibility: visibility(declared),
            calls_top,
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

fn call_ref(request: &Request<'_>, ids: &DocumentationIds<'_>, call: &CardCall) -> Option<CallRef> {
    let facts = request.facts(call.file)?;
    let (to_symbol, fully_qualified_name) = match &call.callee {
        Callee::Own(symbol) => {
            request.rests_on(symbol.file);
            (ids.of(*symbol), symbols::qualified_name(request, *symbol))
        }
        Callee::Library(path) => (of_library(path), path.clone()),
    };
    Some(CallRef {
        to_symbol,
        fully_qualified_name,
        kind: match call.instantiates(&facts) {
            true => "instantiate",
            false => "call",
        },
        file_path: request.path(call.file).to_owned(),
        line: facts.lines.line_number(call.span.start),
    })
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
            format!(
                "writes {} {}{name}",
                kind.as_str(),
                owner.unwrap_or_default()
            )
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

/// What a symbol serves, reads, stores, throws and logs.
fn facts_of(session: &Session, symbol: SymbolId, effects: &Effects) -> Vec<Fact> {
    let architecture = card::architecture_of(session, symbol, effects).into_iter();
    let architecture = architecture.map(|fact| {
        let (name, detail) = (&fact.name, architecture::detail(&fact.subject));
        Fact {
            kind: architecture::kind_name(fact.kind()),
            value: match fact.kind() {
                ArchitectureKind::Route => format!("{detail} {name}"),
                ArchitectureKind::Service => format!("{name} → {detail}"),
                _ => format!("{name}|{detail}"),
            },
            detail: Some(fact.framework),
        }
    });
    let thrown = effects.thrown.iter().map(|thrown| {
        let by = match thrown.by {
            ThrownBy::Throw => "throw",
            ThrownBy::Guard => "guard",
        };
        Fact {
            kind: "exception",
            value: format!("{}|{by}", thrown.name),
            detail: None,
        }
    });
    let logged = effects.logs.iter().map(|(level, template)| Fact {
        kind: "log",
        value: format!("{template}|{level}"),
        detail: None,
    });
    architecture.chain(thrown).chain(logged).collect()
}

fn visibility(symbol: &facts::Symbol) -> &'static str {
    match symbol.visibility {
        Visibility::Default if symbol.modifiers.contains(facts::Modifiers::EXPORTED) => "public",
        visibility => visibility.as_str(),
    }
}
