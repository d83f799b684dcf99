//! `find_references`: every place that means a symbol.

use answers::{
    Session, SymbolInfo, Wanted,
    references::{ReferenceKind, ReferenceSite, References},
};
use engine::Outcome;
use facts::{Role, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{LIST_BYTES, MetadataWith},
    occurrences::OccurrencesShape,
    symbols::{CompactSymbol, NamedSymbol, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError, kinds};

pub struct FindReferences;

/// Every place that refers to a symbol, with its line; calls, reads, types, imports, overrides.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: NamedSymbol,
    /// Only these
    kind: Option<EdgeKind>,
    /// Default 20
    limit: Option<i64>,
    /// One entry per symbol around the places, with one handle
    #[serde(default)]
    compact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    Imports,
    Calls,
    Implements,
    Extends,
    References,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    symbol: SymbolShape,
    references: Vec<ReferenceItem>,
    total_references: usize,
    unresolved_count: usize,
    metadata: MetadataWith<ReferenceNotes>,
}

#[derive(Serialize, JsonSchema)]
pub struct ReferenceNotes {
    #[serde(flatten)]
    named: NamedSymbols,
    absence: OccurrencesShape,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReferenceItem {
    Place(ReferenceRow),
    Symbol(CompactReference),
}

/// All places of one role inside of one symbol.
#[derive(Serialize, JsonSchema)]
pub struct CompactReference {
    path: String,
    lines: Vec<u32>,
    role: &'static str,
    /// Absent for code outside of every symbol
    #[serde(skip_serializing_if = "Option::is_none")]
    from_symbol: Option<CompactSymbol>,
}

#[derive(Serialize, JsonSchema)]
pub struct ReferenceRow {
    path: String,
    line_start: u32,
    line_end: u32,
    column: u32,
    edge_type: &'static str,
    /// `call`, `read`, `write`, `instantiate`, `type`, `inherit`, `import` or `annotation`.
    role: &'static str,
    confidence: &'static str,
    context: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_symbol: Option<FromSymbol>,
}

#[derive(Serialize, JsonSchema)]
pub struct FromSymbol {
    symbol_id: String,
    symbol_stable_id: String,
    name: String,
    qualified_name: String,
    kind: &'static str,
}

impl Tool for FindReferences {
    const NAME: &'static str = "find_references";
    const OWN_FIELDS: &'static [&'static str] = &["compact"];
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let (session, mut metadata) = input.at.open(context)?;
        let limit = metadata.clamp("limit", input.limit, 20, 500);
        let (meant, named) = input.at.joined(&session, &metadata, Wanted::Anything)?;
        let resolver = session.resolver();
        let kind = meant
            .first()
            .symbol()
            .and_then(|symbol| resolver.kind(symbol));
        let mut found = References::to(&session, &resolver, &meant);
        let n_ambiguous = found
            .uncertain
            .iter()
            .filter(|site| site.outcome == Outcome::Ambiguous)
            .count();
        let is_wanted = |site: &ReferenceSite| {
            let word = edge_word(site.kind, kind);
            input.kind.is_none_or(|wanted| word == wanted.as_str())
        };
        found.sites.retain(is_wanted);
        let total_references = found.sites.len();
        let shown = &found.sites[..total_references.min(limit)];
        let mut references: Vec<ReferenceItem> = if input.compact {
            let grouped = CompactReference::grouped(&session, shown).into_iter();
            grouped.map(ReferenceItem::Symbol).collect()
        } else {
            let rows = shown.iter();
            let rows = rows.filter_map(|site| ReferenceRow::of(&session, site, kind));
            rows.map(ReferenceItem::Place).collect()
        };
        let n_shown = shown.len();
        let absence = match total_references {
            0 => found.occurrences(&session).into(),
            _ => found.account.into(),
        };
        let mut room = LIST_BYTES;
        metadata.fit(&mut references, &mut room);
        if total_references > n_shown || !input.compact && n_shown > references.len() {
            metadata.truncated();
        }
        metadata.cut(found.cut.or(session.budget.cut()))?;
        Ok(Output {
            symbol: SymbolShape::found(&session, meant.first())?,
            references,
            total_references,
            unresolved_count: found.account.unresolved + n_ambiguous,
            metadata: metadata.with(ReferenceNotes { named, absence }),
        })
    }

    fn is_empty(output: &Output) -> bool {
        output.references.is_empty()
    }
}

impl CompactReference {
    /// Places of one symbol and role together, in the order of the first.
    fn grouped(session: &Session, sites: &[ReferenceSite]) -> Vec<CompactReference> {
        let mut keys = Vec::new();
        let mut grouped: Vec<CompactReference> = Vec::new();
        for site in sites {
            let Some(place) = site.text(session) else {
                continue;
            };
            let key = (site.file, site.enclosing, site.kind);
            if let Some(i) = keys.iter().position(|known| *known == key) {
                grouped[i].lines.push(place.lines.0);
                continue;
            }
            keys.push(key);
            grouped.push(CompactReference {
                path: session.path(site.file).to_owned(),
                lines: vec![place.lines.0],
                role: site.kind.as_str(),
                from_symbol: site
                    .enclosing
                    .and_then(|symbol| CompactSymbol::of(session, symbol)),
            });
        }
        grouped
    }
}

impl ReferenceRow {
    fn of(
        session: &Session,
        site: &ReferenceSite,
        target: Option<SymbolKind>,
    ) -> Option<ReferenceRow> {
        let shown = site.text(session)?;
        let enclosing = site
            .enclosing
            .and_then(|symbol| SymbolInfo::of(session, symbol));
        Some(ReferenceRow {
            path: session.path(site.file).to_owned(),
            line_start: shown.lines.0,
            line_end: shown.lines.1,
            column: shown.column,
            edge_type: edge_word(site.kind, target),
            role: site.kind.as_str(),
            confidence: match site.outcome {
                Outcome::Static => "static",
                _ => "heuristic",
            },
            context: shown.text,
            from_symbol: enclosing.map(|info| FromSymbol {
                symbol_id: info.symbol_id.to_string(),
                symbol_stable_id: info.stable_id.to_string(),
                name: info.name,
                qualified_name: info.qualified_name,
                kind: kinds::names_of(info.kind).codecompass,
            }),
        })
    }
}

impl EdgeKind {
    fn as_str(self) -> &'static str {
        match self {
            EdgeKind::Imports => "imports",
            EdgeKind::Calls => "calls",
            EdgeKind::Implements => "implements",
            EdgeKind::Extends => "extends",
            EdgeKind::References => "references",
        }
    }
}

fn edge_word(kind: ReferenceKind, target: Option<SymbolKind>) -> &'static str {
    let is_interface = matches!(target, Some(SymbolKind::Interface | SymbolKind::Trait));
    match kind {
        ReferenceKind::Use(Role::Call | Role::Instantiate) => "calls",
        ReferenceKind::Use(Role::Import) => "imports",
        ReferenceKind::Use(Role::Inherit) if is_interface => "implements",
        ReferenceKind::Use(Role::Inherit) => "extends",
        _ => "references",
    }
}
