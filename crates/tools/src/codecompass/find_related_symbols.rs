//! `find_related_symbols`: what is near a symbol.

use engine::query;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    symbols::{self, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError};

pub struct FindRelatedSymbols;

/// Symbols in the same file, module or package as a symbol, and those its file imports.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    symbol_name: String,
    workspace: Option<String>,
    /// Decides between files
    path: Option<String>,
    r#ref: Option<String>,
    #[serde(default)]
    scope: Scope,
    /// Default 20
    limit: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    #[default]
    File,
    Module,
    Package,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    anchor: Anchor,
    related: Vec<RelatedItem>,
    scope_used: Scope,
    total_found: usize,
    metadata: MetadataWith<NamedSymbols>,
}

#[derive(Serialize, JsonSchema)]
pub struct Anchor {
    symbol_id: String,
    symbol_stable_id: String,
    name: String,
    kind: &'static str,
    path: String,
    line_start: u32,
}

#[derive(Serialize, JsonSchema)]
pub struct RelatedItem {
    #[serde(flatten)]
    symbol: SymbolShape,
    relation: &'static str,
}

impl Tool for FindRelatedSymbols {
    const NAME: &'static str = "find_related_symbols";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let mut opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            FreshnessPolicy::Balanced,
        )?;
        let limit = envelope::clamp(&mut opened.metadata, "limit", input.limit, 20, 200);
        let (symbol, named) = symbols::one(&opened, &input.symbol_name, input.path.as_deref())?;
        let Opened {
            session,
            mut metadata,
        } = opened;
        let resolver = session.resolver();
        let scope = match input.scope {
            Scope::File => query::Scope::File,
            Scope::Module => query::Scope::Module,
            Scope::Package => query::Scope::Package,
        };
        let found = query::related(&resolver, symbol, scope, limit);
        metadata.cut(found.cut)?;
        let (list, total_found) = found.value;
        if total_found > list.len() {
            metadata.truncated();
        }
        let related = list.into_iter().filter_map(|(symbol, relation)| {
            Some(RelatedItem {
                symbol: SymbolShape::of(&session, symbol)?,
                relation: relation.word(),
            })
        });
        let related = related.collect();
        let anchor = SymbolShape::found(&session, symbol)?;
        let anchor = Anchor {
            symbol_id: anchor.symbol_id,
            symbol_stable_id: anchor.symbol_stable_id,
            name: anchor.name,
            kind: anchor.kind,
            path: anchor.path,
            line_start: anchor.line_start,
        };
        Ok(Output {
            anchor,
            related,
            scope_used: input.scope,
            total_found,
            metadata: metadata.with(named),
        })
    }
}
