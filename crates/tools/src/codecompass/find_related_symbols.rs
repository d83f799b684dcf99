//! `find_related_symbols`: what is near a symbol.

use answers::{related::RelatedSymbols, symbol::signature};
use engine::query::RelatedWithin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::MetadataWith,
    symbols::{NamedSymbol, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError, handle::HandleText};

pub struct FindRelatedSymbols;

/// Symbols in the same file, module or package as a symbol, and those its file imports.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: NamedSymbol,
    #[serde(default)]
    scope: ScopeInput,
    #[schemars(extend("default" = 20))]
    limit: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeInput {
    #[default]
    File,
    Module,
    Package,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    anchor: AnchorShape,
    related: Vec<RelatedItem>,
    scope_used: ScopeInput,
    total_found: usize,
    metadata: MetadataWith<NamedSymbols>,
}

#[derive(Serialize, JsonSchema)]
pub struct AnchorShape {
    symbol_id: HandleText,
    symbol_stable_id: HandleText,
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
        let (session, mut metadata) = input.at.open(context)?;
        let limit = metadata.clamp("limit", input.limit, 20, 200);
        let (anchor, named) = input.at.one(&session, &metadata)?;
        let scope = match input.scope {
            ScopeInput::File => RelatedWithin::File,
            ScopeInput::Module => RelatedWithin::Module,
            ScopeInput::Package => RelatedWithin::Package,
        };
        let found = RelatedSymbols::of(&session, anchor, scope, limit);
        let cut = found.cut;
        if found.total > found.shown.len() {
            metadata.truncated();
        }
        let related = found.shown.into_iter().map(|(info, relation)| {
            let signature = signature(&session, info.anchor);
            RelatedItem {
                symbol: SymbolShape::whole(&session, info, signature),
                relation: relation.as_str(),
            }
        });
        let related = related.collect();
        metadata.cut(cut.or(session.budget.cut()))?;
        let anchor = SymbolShape::found(&session, anchor)?;
        let anchor = AnchorShape {
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
            total_found: found.total,
            metadata: metadata.with(named),
        })
    }

    fn is_empty(output: &Output) -> bool {
        output.related.is_empty()
    }
}
