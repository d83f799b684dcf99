//! What a name at a position was found to mean, and where that is.

use engine::{FileId, Found, Module, Outcome, Resolver, SymbolId, query};
use facts::Span;

use crate::Session;

/// What the name at an offset means, and the type that was named where its constructor is meant.
/// Nothing where the engine is not sure enough.
pub fn certain_at(
    resolver: &Resolver<'_>,
    file: FileId,
    offset: u32,
) -> (Vec<Found>, Option<SymbolId>) {
    query::definition_at(resolver, file, offset)
        .map(|found| found.resolution)
        .filter(|found| matches!(found.outcome, Outcome::Static | Outcome::Heuristic))
        .map(|found| (found.targets, found.named_type))
        .unwrap_or_default()
}

/// The symbol that was found, if it is one.
pub fn symbol_of(found: &Found) -> Option<SymbolId> {
    match found {
        Found::Symbol(symbol) | Found::Module(Module::Type(symbol)) => Some(*symbol),
        Found::Module(Module::Tree(file, Some(index))) => Some(SymbolId {
            file: *file,
            index: *index,
        }),
        _ => None,
    }
}

/// The name of what was found; a module's is the start of its file. A library has no place here.
pub fn name_of(session: &Session, found: &Found) -> Option<(FileId, Span)> {
    if let Some(symbol) = symbol_of(found) {
        let facts = session.facts(symbol.file)?;
        return Some((symbol.file, facts.symbol(symbol.index).name_span));
    }
    match found {
        Found::Binding(file, id) => {
            let facts = session.facts(*file)?;
            Some((*file, facts.bindings.get(id.0 as usize)?.name_span))
        }
        Found::TypeParameter(id, i) => {
            let facts = session.facts(id.file)?;
            let parameters = facts.type_parameters(facts.symbol(id.index));
            Some((id.file, parameters.get(*i as usize)?.name_span))
        }
        Found::Module(Module::File(file) | Module::Tree(file, None)) => {
            Some((*file, Span::default()))
        }
        _ => None,
    }
}

/// The name that covers an offset; one that begins there is preferred to one that ends there.
pub fn span_at(session: &Session, file: FileId, offset: u32) -> Option<Span> {
    let facts = session.facts(file)?;
    let symbols = facts.symbols.iter().map(|symbol| symbol.name_span);
    let references = facts.references.iter().map(|reference| reference.span);
    let imports = facts.imports.iter();
    let imports = imports.flat_map(|import| [Some(import.name_span), import.alias_span]);
    let bindings = facts.bindings.iter().map(|binding| binding.name_span);
    let spans = symbols.chain(references).chain(imports.flatten());
    let covering = spans
        .chain(bindings)
        .filter(|span| span.start <= offset && offset <= span.end && !span.is_empty());
    covering.min_by_key(|span| (offset >= span.end, span.len()))
}
