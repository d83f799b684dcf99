//! `get_symbol_hierarchy`: what is around a symbol, or inside of it.

use answers::hierarchy::{self, ContainedSymbol, MAX_CONTAINED};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::MetadataWith,
    symbols::{NamedSymbol, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError};

pub struct GetSymbolHierarchy;

/// The parent chain of a symbol (method, class, module), or the tree inside of it.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: NamedSymbol,
    #[serde(default)]
    direction: HierarchyDirection,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HierarchyDirection {
    #[default]
    Ancestors,
    Descendants,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Symbols with `depth`; in descendants with `children` of the same shape.
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    hierarchy: Vec<HierarchyNode>,
    direction: HierarchyDirection,
    chain_length: usize,
    metadata: MetadataWith<NamedSymbols>,
}

#[derive(Serialize)]
struct HierarchyNode {
    #[serde(flatten)]
    symbol: SymbolShape,
    depth: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<HierarchyNode>,
}

impl Tool for GetSymbolHierarchy {
    const NAME: &'static str = "get_symbol_hierarchy";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let (session, mut metadata) = input.at.open(context)?;
        let (anchor, named) = input.at.one(&session, &metadata)?;
        let (nodes, chain_length) = match input.direction {
            HierarchyDirection::Ancestors => {
                let chain = hierarchy::containers(&session, anchor);
                let length = chain.len();
                (chain, length)
            }
            HierarchyDirection::Descendants => {
                let (root, n_nodes) = hierarchy::contents(&session, anchor);
                (root.into_iter().collect(), n_nodes)
            }
        };
        if chain_length >= MAX_CONTAINED {
            metadata.truncated();
        }
        metadata.cut(session.budget.cut())?;
        Ok(Output {
            hierarchy: nodes.into_iter().map(HierarchyNode::of).collect(),
            direction: input.direction,
            chain_length,
            metadata: metadata.with(named),
        })
    }
}

impl HierarchyNode {
    fn of(node: ContainedSymbol) -> HierarchyNode {
        HierarchyNode {
            symbol: SymbolShape {
                signature: node.signature,
                ..SymbolShape::node(node.info)
            },
            depth: node.depth,
            children: node.children.into_iter().map(HierarchyNode::of).collect(),
        }
    }
}
