//! `symbols.get_card`: what a symbol is, says, calls, throws and does.

use engine::{Outcome, SymbolId, query};
use facts::{Role, SymbolKind, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    envelope::{Confidence, Envelope, Evidence},
    errors,
    ids::Ids,
    session::{At, Session},
    survey, symbols, symbols_search,
};
use crate::{Context, Surface, Tool, ToolError, excerpts};

pub struct SymbolsGetCard;

/// What a symbol is: signature, documentation, calls, exceptions, side effects, facts.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: At,
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
    /// What it calls, in order of the first call.
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
    const SURFACE: Surface = Surface::Codemap;
    type Input = Input;
    type Output = Envelope<Card>;

    fn run(context: &Context, input: Input) -> Result<Envelope<Card>, ToolError> {
        let session = Session::open(context, &input.at)?;
        let resolver = session.analysis.resolver(&session.budget);
        let ids = Ids::new(&session.moment, &resolver);
        let symbol = symbols::one(&session, &ids, &resolver, &input.symbol_id)?;
        let facts = session.moment.facts(symbol.file).ok_or_else(|| errors::not_found("the symbol's file cannot be read"))?;
        let declared = facts.symbol(symbol.index);
        session.shows(symbol.file);
        let text = session.moment.text(symbol.file);
        let (span_start, span_end) = excerpts::lines(&facts, declared.span);
        let effects = query::effects(&resolver, symbol).value;
        let symbol_id = ids.of(symbol);
        let evidence: Vec<Evidence> = session.evidence(symbol, Some(symbol_id.clone())).into_iter().collect();
        let card = Card {
            fully_qualified_name: symbols::qualified_name(&session, symbol),
            kind: symbols::kind(&session, symbol),
            signature: symbols::signature(&session, symbol),
            documentation: text.as_deref().and_then(|text| excerpts::documentation(declared, text)).map(|prose| plain(&prose)),
            namespace: symbols_search::namespace_of(&session, symbol.file, &facts, symbol.index),
            containing_type: containing_type(&facts, symbol),
            file_path: session.moment.path(symbol.file).to_owned(),
            span_start,
            span_end,
            visibility: visibility(declared).to_owned(),
            calls_top: calls(&session, &resolver, &ids, symbol),
            facts: facts_of(&session, symbol, &effects),
            side_effects: effects.side_effects,
            thrown_exceptions: effects.thrown,
            evidence: evidence.clone(),
            confidence: session.confidence(symbol.file),
            stable_id: ids.stable(symbol),
            project_name: survey::project_of(&session.moment, symbol.file).to_owned(),
            symbol_id,
        };
        let answer = format!(
            "`{}` is a {} in {}, lines {}-{}.",
            card.fully_qualified_name, card.kind, card.file_path, card.span_start, card.span_end
        );
        let parameters = json!({ "symbol_id": card.symbol_id });
        let mut next = vec![session.next("symbols.get_definition_span", "Its source.", parameters.clone())];
        next.push(match declared.kind.is_type() {
            true => session.next("types.hierarchy", "What it extends and what extends it.", parameters),
            false => session.next("refs.find", "Where it is used.", parameters),
        });
        let confidence = card.confidence;
        drop(ids);
        session.finish(answer, card, evidence, next, confidence)
    }
}

/// What a symbol calls, in order of the first call. Libraries are named where calls into the repository leave room.
fn calls(session: &Session<'_>, resolver: &engine::Resolver<'_>, ids: &Ids<'_>, symbol: SymbolId) -> Vec<CallRef> {
    let (calls, beyond) = query::callees(resolver, symbol).value;
    let site_of = |call: query::Call| Some((*call.sites.first()?, Ok(call.symbol)));
    // Only what the call names: which implementations may run behind it is what `graph.callees` tells.
    let is_named = |call: &query::Call| !matches!(call.outcome, Outcome::Ambiguous | Outcome::Dispatch);
    let mut found: Vec<_> = calls.into_iter().filter(is_named).filter_map(site_of).take(CALLS).collect();
    for (path, file, span) in beyond.external {
        if found.len() < CALLS && !found.iter().any(|(_, target)| target.as_ref() == Err(&path)) {
            found.push(((file, span), Err(path)));
        }
    }
    found.sort_by_key(|((file, span), _)| (*file, span.start));
    let shown = found.into_iter().filter_map(|((file, span), target)| {
        let facts = session.moment.facts(file)?;
        let makes = facts.references.iter().any(|reference| reference.span == span && reference.role == Role::Instantiate);
        let (to_symbol, fully_qualified_name) = match target {
            Ok(symbol) => (ids.of(symbol), symbols::qualified_name(session, symbol)),
            Err(path) => (format!("M:{path}"), path),
        };
        Some(CallRef {
            to_symbol,
            fully_qualified_name,
            kind: if makes { "instantiate" } else { "call" },
            file_path: session.moment.path(file).to_owned(),
            line: facts.lines.line_number(span.start),
        })
    });
    shown.collect()
}

/// Facts that hang on a symbol: what it serves, reads, stores, throws and logs.
pub fn facts_of(session: &Session<'_>, symbol: SymbolId, effects: &query::Effects) -> Vec<Fact> {
    use engine::query::surfaces::SurfaceKind;
    let mut found: Vec<Fact> = Vec::new();
    // What a function registers or maps stands inside of it; the fact itself belongs to the service or handler.
    let facts = session.moment.facts(symbol.file);
    let body =
        facts.as_ref().map(|facts| facts.symbol(symbol.index)).filter(|declared| declared.kind.is_callable()).map(|declared| declared.span);
    let surfaces = session.surfaces();
    let hangs_on = |fact: &&engine::query::surfaces::SurfaceFact| {
        fact.symbol == Some(symbol)
            || fact.other == Some(symbol)
            || fact.file == symbol.file && body.is_some_and(|body| body.contains(fact.span.start))
    };
    for fact in surfaces.facts.iter().filter(hangs_on) {
        let (kind, value) = match fact.kind {
            SurfaceKind::Route => ("route", format!("{} {}", fact.detail, fact.value)),
            SurfaceKind::Config => ("config", format!("{}|{}", fact.value, fact.detail)),
            SurfaceKind::DbTable => ("db_table", format!("{}|{}", fact.value, fact.detail)),
            SurfaceKind::DiRegistration => ("di_registration", format!("{} → {}", fact.value, fact.detail)),
            SurfaceKind::Middleware => ("middleware", format!("{}|{}", fact.value, fact.detail)),
            SurfaceKind::RetryPolicy => ("retry_policy", format!("{}|{}", fact.value, fact.detail)),
        };
        let shown = Fact { kind, value, detail: Some(fact.framework.to_owned()) };
        if !found.contains(&shown) {
            found.push(shown);
        }
    }
    found.extend(effects.thrown.iter().map(|name| Fact { kind: "exception", value: format!("{name}|throw"), detail: None }));
    found.extend(effects.logs.iter().map(|(level, template)| Fact { kind: "log", value: format!("{template}|{level}"), detail: None }));
    found
}

fn containing_type(facts: &facts::Facts, symbol: SymbolId) -> Option<String> {
    let mut chain = facts.container_chain(symbol.index);
    chain.pop();
    let holder = chain.into_iter().rev().find(|index| facts.symbol(*index).kind.is_type() || facts.symbol(*index).kind == SymbolKind::Impl);
    let outside = || crate::names::type_name(facts, facts.symbol(symbol.index).owner).map(str::to_owned);
    holder.map(|index| facts.name(facts.symbol(index).name).to_owned()).or_else(outside)
}

fn visibility(symbol: &facts::Symbol) -> &'static str {
    match symbol.visibility {
        Visibility::Default if symbol.modifiers.contains(facts::Modifiers::EXPORTED) => "public",
        visibility => visibility.word(),
    }
}

/// Documentation as prose: the tags of XML comments are left out.
pub fn plain(prose: &str) -> String {
    let mut out = String::with_capacity(prose.len());
    let mut rest = prose;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match tag.find('>').filter(|_| is_tag) {
            Some(close) => {
                // `<see cref="T:Order"/>` and `<paramref name="id"/>` name something.
                let named = ["cref=\"", "name=\"", "langword=\""]
                    .iter()
                    .find_map(|key| tag[..close].split_once(key))
                    .and_then(|(_, value)| value.split('"').next());
                if let Some(name) = named.filter(|_| tag[..close].ends_with('/')) {
                    out.push_str(name.split_once(':').map_or(name, |(_, name)| name));
                }
                rest = &tag[close + 1..];
            }
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_documentation_are_left_out() {
        assert_eq!(plain("<summary>\nPays an <see cref=\"T:Shop.Order\"/>.\n</summary>"), "Pays an Shop.Order.");
        assert_eq!(plain("a < b and Vec<T>"), "a < b and Vec");
    }
}
