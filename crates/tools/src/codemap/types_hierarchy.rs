//! `types.hierarchy`: what a type extends and implements, and what extends or implements it.

use answers::handle::DocumentationIds;
use engine::{
    SymbolId,
    query::{self, Related},
};
use facts::SymbolKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    envelope::{Confidence, Envelope},
    errors,
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct TypesHierarchy;

/// Base type, interfaces and derived types of a type.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    symbol_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Hierarchy {
    pub target_type: String,
    /// The first superclass; further bases are among the interfaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_type: Option<TypeRef>,
    pub interfaces: Vec<TypeRef>,
    pub derived_types: Vec<TypeRef>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TypeRef {
    pub symbol_id: String,
    pub display_name: String,
}

/// What every type extends where nothing else is written.
const ROOTS: [&str; 8] = [
    "System.Object",
    "System.ValueType",
    "System.Enum",
    "object",
    "Object",
    "java.lang.Object",
    "Any",
    "kotlin.Any",
];

impl Tool for TypesHierarchy {
    const NAME: &'static str = "types.hierarchy";
    type Input = Input;
    type Output = Envelope<Hierarchy>;

    fn run(context: &Context, input: Input) -> Result<Envelope<Hierarchy>, ToolError> {
        let request = Request::open(context, &input.at)?;
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let symbol = symbols::one(&request, &ids, &resolver, &input.symbol_id)?;
        let target = ids.of(symbol);
        let kind = request
            .facts(symbol.file)
            .map(|facts| facts.symbol(symbol.index).kind);
        if !kind.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Impl) {
            let message = format!(
                "`{target}` is a {}: ask about a class, struct, interface, enum or record",
                symbols::kind(&request, symbol)
            );
            return Err(errors::invalid(message).with_data(json!({ "symbol_id": target })));
        }
        let found = query::hierarchy(&resolver, symbol);
        let show = |related: &Related| match related {
            Related::Symbol(symbol) => Some(shown(&request, &ids, *symbol)),
            Related::Library(name) if ROOTS.contains(&name.as_str()) => None,
            Related::Library(name) => Some(TypeRef {
                symbol_id: format!("T:{name}"),
                display_name: name.clone(),
            }),
        };
        let is_interface = matches!(kind, Some(SymbolKind::Interface | SymbolKind::Trait));
        let mut bases: Vec<TypeRef> = found.value.bases.iter().filter_map(show).collect();
        // An interface has no base type: what it extends are interfaces.
        let base_type = if bases.is_empty() || is_interface {
            None
        } else {
            Some(bases.remove(0))
        };
        let interfaces: Vec<TypeRef> = bases
            .into_iter()
            .chain(found.value.interfaces.iter().filter_map(show))
            .collect();
        let derived_types: Vec<TypeRef> = found
            .value
            .derived
            .iter()
            .map(|symbol| shown(&request, &ids, *symbol))
            .collect();
        let name = symbols::qualified_name(&request, symbol);
        let base = base_type.as_ref().map_or_else(
            || "no base type".to_owned(),
            |base| format!("base type `{}`", base.display_name),
        );
        let cut = request.cut()?;
        let answer = format!(
            "`{name}` has {base}, {} interfaces and {} derived types.{cut}",
            interfaces.len(),
            derived_types.len()
        );
        let evidence = request.evidence(symbol, &target);
        let next = derived_types.iter().take(3).map(|derived| {
            let why = format!("What is `{}`?", derived.display_name);
            request.card(why, &derived.symbol_id)
        });
        let next = next.collect();
        request.shows(symbol.file);
        let confidence = request.confidence(symbol.file);
        let data = Hierarchy {
            target_type: target,
            base_type,
            interfaces,
            derived_types,
        };
        request.finish(
            answer,
            data,
            evidence,
            next,
            confidence.max(Confidence::Low),
        )
    }
}

fn shown(request: &Request<'_>, ids: &DocumentationIds<'_>, symbol: SymbolId) -> TypeRef {
    request.shows(symbol.file);
    TypeRef {
        symbol_id: ids.of(symbol),
        display_name: symbols::qualified_name(request, symbol),
    }
}
