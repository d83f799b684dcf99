//! `find_references`: every place that means a symbol.

use answers::{SymbolInfo, Wanted, excerpts, occurrences::Occurrences};
use engine::{Outcome, SymbolId, query};
use facts::{Role, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    occurrences::OccurrencesShape,
    symbols::{self, NamedSymbols, SymbolShape},
};
use crate::{CODECOMPASS, Context, ContractRef, Tool, ToolError, kinds};

pub struct FindReferences;

/// Every place that refers to a symbol, with its line; calls, reads, types, imports, overrides.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    symbol_name: String,
    workspace: Option<String>,
    /// Decides between files
    path: Option<String>,
    r#ref: Option<String>,
    /// Only these
    kind: Option<EdgeKind>,
    /// Default 20
    limit: Option<i64>,
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
    references: Vec<Reference>,
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
pub struct Reference {
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
    const CONTRACT: ContractRef = CODECOMPASS;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let mut opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            FreshnessPolicy::Balanced,
        )?;
        let limit = envelope::clamp(&mut opened.metadata, "limit", input.limit, 20, 500);
        let (meant, named) = symbols::joined(
            &opened,
            &input.symbol_name,
            input.path.as_deref(),
            Wanted::Anything,
        )?;
        let symbol = meant[0];
        let Opened {
            session,
            mut metadata,
        } = opened;
        let resolver = session.resolver();
        let kind = resolver.kind(symbol);
        let found = query::accounted_references(&resolver, &meant).value;
        let (mut mentions, account) = (found.mentions.clone(), found.account);
        let n_ambiguous = mentions
            .iter()
            .filter(|mention| mention.outcome == Outcome::Ambiguous)
            .count();
        mentions.retain(|mention| {
            mention.outcome != Outcome::Ambiguous
                && input
                    .kind
                    .is_none_or(|wanted| edge_word(mention.role, kind) == wanted.as_str())
        });
        let total_references = mentions.len();
        let mut references = Vec::new();
        for mention in mentions.into_iter().take(limit) {
            let (Some(facts), Some(text)) =
                (session.facts(mention.file), session.text(mention.file))
            else {
                continue;
            };
            let place = facts.lines.position(mention.span.start);
            let from = mention.enclosing.and_then(|index| {
                let file = mention.file;
                SymbolInfo::of(&session, SymbolId { file, index })
            });
            references.push(Reference {
                path: session.path(mention.file).to_owned(),
                line_start: place.line_index + 1,
                line_end: excerpts::lines(&facts, mention.span).1,
                column: place.column + 1,
                edge_type: edge_word(mention.role, kind),
                role: mention.role.word(),
                confidence: if mention.outcome == Outcome::Static {
                    "static"
                } else {
                    "heuristic"
                },
                context: excerpts::line(&facts, &text, mention.span.start),
                from_symbol: from.map(|info| FromSymbol {
                    symbol_id: info.symbol_id.to_string(),
                    symbol_stable_id: info.stable_id.to_string(),
                    name: info.name,
                    qualified_name: info.qualified_name,
                    kind: kinds::names_of(info.kind).codecompass,
                }),
            });
        }
        let absence = match total_references {
            0 => Occurrences::of(&session, symbol, account).into(),
            _ => account.into(),
        };
        if total_references > references.len() {
            metadata.truncated();
        }
        metadata.cut(session.budget.cut())?;
        Ok(Output {
            symbol: SymbolShape::found(&session, symbol)?,
            references,
            total_references,
            unresolved_count: account.unresolved + n_ambiguous,
            metadata: metadata.with(ReferenceNotes { named, absence }),
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

fn edge_word(role: Role, target: Option<SymbolKind>) -> &'static str {
    match role {
        Role::Call | Role::Instantiate => "calls",
        Role::Import => "imports",
        Role::Inherit if matches!(target, Some(SymbolKind::Interface | SymbolKind::Trait)) => {
            "implements"
        }
        Role::Inherit => "extends",
        Role::Read | Role::Write | Role::TypeUse | Role::Annotation => "references",
    }
}
