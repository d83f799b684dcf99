//! The symbol that a request names, and how symbols are shown.

use answers::{
    Session,
    handle::{DocumentationId, DocumentationIds},
    lookup, names,
};
use engine::{FileId, Resolver, SymbolId};
use facts::{Modifiers, SymbolKind};
use serde_json::json;

use super::errors;
use crate::{ToolError, kinds};

/// The one symbol that an id, a name or any other handle means.
pub fn one(
    session: &Session,
    ids: &DocumentationIds<'_>,
    resolver: &Resolver<'_>,
    text: &str,
) -> Result<SymbolId, ToolError> {
    if text.trim().is_empty() {
        return Err(errors::invalid(
            "`symbol_id` is empty: pass an id, a `stable_id` or a qualified name; `symbols_search` finds them",
        ));
    }
    let mut found = ids.find(text);
    if found.len() > 1 {
        found = without_repetitions(resolver, found);
    }
    match found.as_slice() {
        [] => {
            let candidates = nearest(session, ids, text);
            let hint = if candidates.is_empty() {
                "; find it with `symbols_search`".to_owned()
            } else {
                format!("; nearest: {}", candidates.join(", "))
            };
            Err(errors::not_found(format!("no symbol `{text}`{hint}"))
                .with_data(json!({ "symbol_id": text, "candidates": candidates })))
        }
        [symbol] => Ok(*symbol),
        several => {
            let candidates: Vec<String> = several
                .iter()
                .take(10)
                .map(|symbol| ids.of(*symbol))
                .collect();
            let message = format!(
                "`{text}` means {} symbols: pass one of {}",
                several.len(),
                candidates.join(", ")
            );
            Err(errors::invalid(message)
                .with_data(json!({ "symbol_id": text, "candidates": candidates })))
        }
    }
}

/// Parts of one type, signatures before one function, and the like count once.
fn without_repetitions(resolver: &Resolver<'_>, found: Vec<SymbolId>) -> Vec<SymbolId> {
    let mut kept: Vec<SymbolId> = Vec::new();
    for symbol in found {
        let group = engine::query::same_symbol(resolver, symbol);
        if !kept.iter().any(|other| group.contains(other)) {
            kept.push(symbol);
        }
    }
    let is_prototype = |symbol: &SymbolId| {
        resolver
            .symbol(*symbol)
            .is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::PROTOTYPE))
    };
    if kept.iter().any(|symbol| !is_prototype(symbol)) {
        kept.retain(|symbol| !is_prototype(symbol));
    }
    kept
}

fn nearest(session: &Session, ids: &DocumentationIds<'_>, text: &str) -> Vec<String> {
    let id = DocumentationId::parse(text.trim());
    let plain = match &id {
        Some(id) => id.without_parameters(),
        None => text.split_once('(').map_or(text, |(name, _)| name),
    };
    let names = lookup::nearest(session, plain, 5);
    let symbols = names
        .iter()
        .flat_map(|name| session.symbols_named(name).into_iter().take(2));
    let mut candidates: Vec<String> = symbols.map(|symbol| ids.of(symbol)).collect();
    candidates.dedup();
    candidates.truncate(5);
    candidates
}

pub fn kind(session: &Session, symbol: SymbolId) -> &'static str {
    session.facts(symbol.file).map_or("symbol", |facts| {
        kinds::names_of(facts.symbol(symbol.index).kind).codemap
    })
}

/// `Acme.Shop.Order.Pay`.
pub fn qualified_name(session: &Session, symbol: SymbolId) -> String {
    session
        .facts(symbol.file)
        .map_or_else(String::new, |facts| {
            names::qualified_name(session.snapshot(), symbol.file, &facts, symbol.index)
        })
}

/// The signature; the name where there is none.
pub fn signature(session: &Session, symbol: SymbolId) -> String {
    answers::symbol::signature(session, symbol).unwrap_or_else(|| session.name(symbol))
}

/// The id of a symbol; that of its file where there is none.
pub fn id_or_file(
    session: &Session,
    ids: &DocumentationIds<'_>,
    symbol: Option<SymbolId>,
    file: FileId,
) -> String {
    symbol.map_or_else(
        || format!("!:{}", session.path(file)),
        |symbol| ids.of(symbol),
    )
}

/// The line of the symbol's name.
pub fn line(session: &Session, symbol: SymbolId) -> u32 {
    session.facts(symbol.file).map_or(1, |facts| {
        facts
            .lines
            .line_number(facts.symbol(symbol.index).name_span.start)
    })
}

/// The engine kinds that the contract's words mean, in any case. `method` means functions as well:
/// most languages have them where C# has methods.
pub fn kinds_named(words: &[String]) -> Result<Vec<SymbolKind>, ToolError> {
    let mut meant = Vec::new();
    for word in words {
        let plain = word.trim().to_ascii_lowercase();
        let of_contract: Vec<SymbolKind> = kinds::KINDS
            .iter()
            .filter(|row| row.codemap == plain)
            .map(|row| row.kind)
            .collect();
        let found = match (plain.as_str(), of_contract.is_empty()) {
            ("method", _) => vec![SymbolKind::Method, SymbolKind::Function],
            (_, false) => of_contract,
            (_, true) => kinds::meant_by(&plain),
        };
        if found.is_empty() {
            let mut known: Vec<&str> = kinds::KINDS.iter().map(|row| row.codemap).collect();
            known.sort_unstable();
            known.dedup();
            return Err(errors::invalid(format!(
                "unknown kind `{word}`; known are {}",
                known.join(", ")
            )));
        }
        meant.extend(found);
    }
    Ok(meant)
}
