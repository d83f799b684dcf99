//! `get_symbol_hierarchy`: what is around a symbol, or inside of it.

use answers::Session;
use engine::{Resolver, SymbolId, query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    symbols::{self, NamedSymbols, SymbolShape},
};
use crate::{Context, Tool, ToolError};

pub struct GetSymbolHierarchy;

/// The parent chain of a symbol (method, class, module), or the tree inside of it.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    symbol_name: String,
    workspace: Option<String>,
    /// Decides between files
    path: Option<String>,
    r#ref: Option<String>,
    #[serde(default)]
    direction: Direction,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    #[default]
    Ancestors,
    Descendants,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Symbols with `depth`; in descendants with `children` of the same shape.
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    hierarchy: Vec<Value>,
    direction: Direction,
    chain_length: usize,
    metadata: MetadataWith<NamedSymbols>,
}

/// Nodes of a tree; a namespace of a large repository has more than anyone reads.
const MOST: usize = 2_000;

impl Tool for GetSymbolHierarchy {
    const NAME: &'static str = "get_symbol_hierarchy";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            FreshnessPolicy::Balanced,
        )?;
        let (symbol, named) = symbols::one(&opened, &input.symbol_name, input.path.as_deref())?;
        let Opened {
            session,
            mut metadata,
        } = opened;
        let resolver = session.resolver();
        let (hierarchy, chain_length) = match input.direction {
            Direction::Ancestors => {
                let chain = std::iter::once(symbol).chain(query::ancestors(&resolver, symbol));
                let nodes: Vec<Value> = chain
                    .enumerate()
                    .filter_map(|(depth, symbol)| node(&session, symbol, depth))
                    .collect();
                let length = nodes.len();
                (nodes, length)
            }
            Direction::Descendants => {
                let mut path = vec![symbol];
                let mut n_nodes = 0;
                let root = tree(&session, &resolver, symbol, &mut path, &mut n_nodes);
                (root.into_iter().collect(), n_nodes)
            }
        };
        if chain_length >= MOST {
            metadata.truncated();
        }
        metadata.cut(session.budget.cut())?;
        Ok(Output {
            hierarchy,
            direction: input.direction,
            chain_length,
            metadata: metadata.with(named),
        })
    }
}

fn node(session: &Session, symbol: SymbolId, depth: usize) -> Option<Value> {
    let mut shape = SymbolShape::of(session, symbol)?;
    (shape.language, shape.visibility) = (None, None);
    let mut node = serde_json::to_value(shape).ok()?;
    node["depth"] = json!(depth);
    Some(node)
}

/// `path` are the symbols from the root to this one: none is its own descendant.
fn tree(
    session: &Session,
    resolver: &Resolver<'_>,
    symbol: SymbolId,
    path: &mut Vec<SymbolId>,
    n_nodes: &mut usize,
) -> Option<Value> {
    let mut root = node(session, symbol, path.len() - 1)?;
    *n_nodes += 1;
    let mut inner = Vec::new();
    for child in query::children(resolver, symbol) {
        if *n_nodes >= MOST || path.len() > 32 {
            break;
        }
        if path.contains(&child) {
            continue;
        }
        path.push(child);
        inner.extend(tree(session, resolver, child, path, n_nodes));
        path.pop();
    }
    if !inner.is_empty() {
        root["children"] = Value::Array(inner);
    }
    Some(root)
}
