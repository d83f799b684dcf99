//! Places that bear a symbol's name and for which nothing was found: they may mean it.

use crate::{Complete, Outcome, Resolver, SymbolId, query::Mention};

/// Unresolved places of the same family of languages, each with its receiver as written; in order of path and place.
pub fn unsettled(resolver: &Resolver<'_>, symbol: SymbolId) -> Complete<Vec<(Mention, Option<String>)>> {
    let mut found = Vec::new();
    let Some(own) = resolver.view(symbol.file) else { return resolver.budget.finish(found) };
    let name = own.name_of(symbol.index).to_owned();
    let snapshot = resolver.snapshot();
    for content in snapshot.corpus().mentioning(&name) {
        for &file in snapshot.files_of(content) {
            if !resolver.budget.spend() {
                return resolver.budget.finish(found);
            }
            let Some(view) = resolver.view(file).filter(|view| view.semantics.family == own.semantics.family) else { continue };
            let Some(id) = view.facts.names.find(&name) else { continue };
            for reference in view.facts.references_of(id) {
                if !resolver.budget.spend() {
                    return resolver.budget.finish(found);
                }
                let resolution = resolver.resolve(&view, reference);
                if resolution.outcome != Outcome::Unresolved {
                    continue;
                }
                let hint = reference.receiver.map(|receiver| crate::text::recipe(&view.facts, receiver));
                let mention = Mention {
                    file,
                    span: reference.span,
                    role: reference.role,
                    enclosing: reference.enclosing,
                    outcome: resolution.outcome,
                    rule: resolution.rule,
                    through_type: false,
                };
                found.push((mention, hint));
            }
        }
    }
    found.sort_by_key(|(mention, _)| (mention.file, mention.span.start));
    resolver.budget.finish(found)
}
