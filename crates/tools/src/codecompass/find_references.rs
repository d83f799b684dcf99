//! `find_references`: every place that means a symbol.

use engine::{Outcome, SymbolId, query};
use facts::{Role, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, FreshnessPolicy, Metadata, Opened},
    symbols::{self, SymbolShape},
};
use crate::{
    Context, Surface, Tool, ToolError,
    absence::{self, Absence},
    excerpts,
    lookup::Wanted,
};

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
    metadata: Metadata,
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
    const SURFACE: Surface = Surface::Codecompass;
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
        let meant = symbols::joined(
            &mut opened,
            &input.symbol_name,
            input.path.as_deref(),
            Wanted::Anything,
        )?;
        let symbol = meant[0];
        let Opened {
            moment,
            mut metadata,
        } = opened;
        let budget = context.budget();
        let resolver = moment.analysis.resolver(&budget);
        let kind = resolver.kind(symbol);
        let named = query::accounted_references(&resolver, &meant).value;
        let (mut mentions, account) = (named.mentions.clone(), named.account);
        let n_ambiguous = mentions
            .iter()
            .filter(|mention| mention.outcome == Outcome::Ambiguous)
            .count();
        mentions.retain(|mention| {
            mention.outcome != Outcome::Ambiguous
                && input
                    .kind
                    .is_none_or(|wanted| edge_word(mention.role, kind) == wanted.word())
        });
        let total_references = mentions.len();
        let mut references = Vec::new();
        for mention in mentions.into_iter().take(limit) {
            let (Some(facts), Some(text)) = (moment.facts(mention.file), moment.text(mention.file))
            else {
                continue;
            };
            let place = facts.lines.position(mention.span.start);
            let from = mention.enclosing.and_then(|index| {
                SymbolShape::of(
                    &moment,
                    SymbolId {
                        file: mention.file,
                        index,
                    },
                )
            });
            references.push(Reference {
                path: moment.path(mention.file).to_owned(),
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
                from_symbol: from.map(|shape| FromSymbol {
                    symbol_id: shape.symbol_id,
                    symbol_stable_id: shape.symbol_stable_id,
                    name: shape.name,
                    qualified_name: shape.qualified_name,
                    kind: shape.kind,
                }),
            });
        }
        let absence = match total_references {
            0 => Absence::of(&moment, symbol, account).to_json(),
            _ => absence::account_json(&account),
        };
        metadata.set("absence", absence);
        if total_references > references.len() {
            metadata.truncated();
        }
        metadata.cut(budget.cut())?;
        let shape = SymbolShape::of(&moment, symbol)
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))?;
        Ok(Output {
            symbol: shape.without_text(),
            references,
            total_references,
            unresolved_count: account.unresolved + n_ambiguous,
            metadata,
        })
    }
}

impl EdgeKind {
    fn word(self) -> &'static str {
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
