//! `types.hierarchy`: what a type extends and implements, and what extends or implements it.

use answers::{
    SymbolInfo,
    handle::DocumentationIds,
    hierarchy::{RelatedType, TypeHierarchy},
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
pub struct TypeHierarchyShape {
    target_type: String,
    /// The first superclass; further bases are among the interfaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_type: Option<TypeRef>,
    interfaces: Vec<TypeRef>,
    derived_types: Vec<TypeRef>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TypeRef {
    symbol_id: String,
    display_name: String,
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
    type Output = Envelope<TypeHierarchyShape>;

    fn run(context: &Context, input: Input) -> Result<Envelope<TypeHierarchyShape>, ToolError> {
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
        let found = TypeHierarchy::of(&request, symbol);
        let show = |related: RelatedType| match related {
            RelatedType::Own(info) => Some(shown(&request, &ids, *info)),
            RelatedType::Library(name) if ROOTS.contains(&name.as_str()) => None,
            RelatedType::Library(name) => Some(TypeRef {
                symbol_id: format!("T:{name}"),
                display_name: name,
            }),
        };
        let is_interface = matches!(kind, Some(SymbolKind::Interface | SymbolKind::Trait));
        let mut bases = found.bases.into_iter().filter_map(show).peekable();
        // An interface has no base type: what it extends are interfaces.
        let base_type = bases.next_if(|_| !is_interface);
        let interfaces = found.interfaces.into_iter().filter_map(show);
        let interfaces: Vec<TypeRef> = bases.chain(interfaces).collect();
        let derived = found.derived.into_iter();
        let derived_types: Vec<TypeRef> = derived.map(|info| shown(&request, &ids, info)).collect();
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
        let data = TypeHierarchyShape {
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

fn shown(request: &Request<'_>, ids: &DocumentationIds<'_>, info: SymbolInfo) -> TypeRef {
    request.shows(info.anchor.file());
    TypeRef {
        symbol_id: info
            .anchor
            .symbol()
            .map(|symbol| ids.of(symbol))
            .unwrap_or_default(),
        display_name: info.qualified_name,
    }
}
