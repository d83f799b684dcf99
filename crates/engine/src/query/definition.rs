//! What is at a position, and where it is defined.

use facts::{BindingId, SymbolIndex};

use crate::{FileId, Found, Outcome, Resolution, Resolver, Rule, SymbolId};

/// What is written at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    Reference(usize),
    Import(u32),
    Export(usize),
    Symbol(SymbolIndex),
    Binding(BindingId),
    Nothing,
}

/// A definition with the way it was found.
#[derive(Clone, Debug)]
pub struct Definition {
    pub resolution: Resolution,
    pub at: At,
}

/// What is written at an offset of a file: a name's last character counts as the name.
pub fn at_position(resolver: &Resolver, file: FileId, offset: u32) -> At {
    let Some(view) = resolver.view(file) else {
        return At::Nothing;
    };
    let facts = &view.facts;
    let covers = |span: facts::Span| span.start <= offset && offset <= span.end && !span.is_empty();
    // An exact hit is preferred to a name that ends just before.
    let best = |spans: Vec<(facts::Span, At)>| {
        spans
            .into_iter()
            .min_by_key(|(span, _)| (offset >= span.end, span.len()))
    };
    let mut found = Vec::new();
    // A block of members has the name of its type, which is a reference.
    let named =
        |symbol: &facts::Symbol| covers(symbol.name_span) && symbol.kind != facts::SymbolKind::Impl;
    found.extend(
        facts
            .symbols_with_index()
            .filter(|(_, symbol)| named(symbol))
            .map(|(index, symbol)| (symbol.name_span, At::Symbol(index))),
    );
    found.extend(
        facts
            .references
            .iter()
            .enumerate()
            .filter(|(_, reference)| covers(reference.span))
            .map(|(i, reference)| (reference.span, At::Reference(i))),
    );
    if found.is_empty() {
        let imports = facts.imports.iter().enumerate().filter(|(_, import)| {
            covers(import.name_span) || import.alias_span.is_some_and(covers)
        });
        found.extend(imports.map(|(i, import)| (import.name_span, At::Import(i as u32))));
        found.extend(
            facts
                .exports
                .iter()
                .enumerate()
                .filter(|(_, export)| covers(export.name_span))
                .map(|(i, export)| (export.name_span, At::Export(i))),
        );
        found.extend(
            facts
                .bindings
                .iter()
                .enumerate()
                .filter(|(_, binding)| covers(binding.name_span))
                .map(|(i, binding)| (binding.name_span, At::Binding(BindingId(i as u32)))),
        );
    }
    best(found).map_or(At::Nothing, |(_, at)| at)
}

/// Where the thing at an offset is defined. A definition's own name is its definition.
pub fn definition_at(resolver: &Resolver, file: FileId, offset: u32) -> Option<Definition> {
    let view = resolver.view(file)?;
    let at = at_position(resolver, file, offset);
    let resolved = |targets| Resolution {
        outcome: Outcome::Static,
        rule: Rule::Scope,
        targets,
        named_type: None,
    };
    let resolution = match at {
        At::Reference(i) => resolver.resolve(&view, &view.facts.references[i]),
        At::Symbol(index) => {
            let symbol = SymbolId { file, index };
            let declared = resolver.assigned_member(symbol).unwrap_or(symbol);
            resolved(vec![Found::Symbol(declared)])
        }
        At::Binding(id) => {
            let binding = &view.facts.bindings[id.0 as usize];
            resolver
                .name_at(
                    crate::Place::new(&view, binding.scope, binding.name_span.start),
                    view.facts.name(binding.name),
                )
                .unwrap_or_else(|| resolved(vec![Found::Binding(file, id)]))
        }
        At::Import(i) => {
            let targets = resolver.import_targets(&view, i).to_vec();
            let external = !targets.is_empty()
                && targets.iter().all(|found| {
                    matches!(
                        found,
                        Found::External(_) | Found::Module(crate::Module::External(_))
                    )
                });
            let outcome = match (targets.is_empty(), external) {
                (true, _) => Outcome::Unresolved,
                (_, true) => Outcome::External,
                _ => Outcome::Static,
            };
            Resolution {
                outcome,
                rule: Rule::Import,
                targets,
                named_type: None,
            }
        }
        At::Export(i) => {
            let export = &view.facts.exports[i];
            let name = view.facts.name(export.exported);
            let found = resolver.exported(&view, name);
            Resolution {
                outcome: if found.is_empty() {
                    Outcome::Unresolved
                } else {
                    Outcome::Static
                },
                rule: Rule::Import,
                targets: found,
                named_type: None,
            }
        }
        At::Nothing => return None,
    };
    let resolution = with_added_parts(resolver, resolution);
    Some(Definition { resolution, at })
}

/// A type that several files declare is defined in each of them.
fn with_added_parts(resolver: &Resolver, mut resolution: Resolution) -> Resolution {
    let symbols: Vec<SymbolId> = resolution.symbols().collect();
    for symbol in symbols {
        for part in resolver.added_parts(symbol).iter() {
            let part = Found::Symbol(*part);
            if !resolution.targets.contains(&part) {
                resolution.targets.push(part);
            }
        }
    }
    resolution
}
