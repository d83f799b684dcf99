//! Every place that means a symbol, its own definition excluded.

use facts::{Role, Span, SymbolIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Complete, FileId, Found, Outcome, Resolver, Rule, SymbolId};

/// A place that means the symbol asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub file: FileId,
    pub span: Span,
    pub role: Role,
    pub enclosing: Option<SymbolIndex>,
    pub outcome: Outcome,
    pub rule: Rule,
    /// The place names the type; the symbol asked for is its constructor, or the other way round.
    pub through_type: bool,
}

/// The mentions of a symbol in order of path and place; ambiguous ones are among them, marked.
pub fn references(resolver: &Resolver<'_>, symbol: SymbolId) -> Complete<Vec<Mention>> {
    let group = same_symbol(resolver, symbol);
    let Some(own_view) = resolver.view(symbol.file) else { return resolver.budget.finish(Vec::new()) };
    let family = own_view.semantics.family;
    let mut mentions: FxHashMap<(FileId, u32), Mention> = FxHashMap::default();
    let mut names: Vec<String> = vec![own_view.name_of(symbol.index).to_owned()];
    let is_constructor = own_view.symbol(symbol.index).kind == facts::SymbolKind::Constructor;
    if is_constructor {
        names.extend(["this", "super", "base", "self"].map(str::to_owned));
        names.extend(Some(own_view.semantics.construction.by_member).filter(|name| !name.is_empty()).map(str::to_owned));
        if let Some(parent) = own_view.symbol(symbol.index).parent {
            names.push(own_view.name_of(parent).to_owned());
        }
    }
    let mut seen: FxHashSet<String> = names.iter().cloned().collect();
    'names: while let Some(name) = names.pop() {
        let snapshot = resolver.snapshot();
        for content in snapshot.corpus().mentioning(&name) {
            for &file in snapshot.files_of(content) {
                if !resolver.budget.spend() {
                    break 'names;
                }
                let Some(view) = resolver.view(file).filter(|view| view.semantics.family == family) else { continue };
                let Some(id) = view.facts.names.find(&name) else { continue };
                for reference in view.facts.references_of(id) {
                    if !resolver.budget.spend() {
                        break 'names;
                    }
                    let resolution = resolver.resolve(&view, reference);
                    if matches!(resolution.outcome, Outcome::External | Outcome::Unresolved) {
                        continue;
                    }
                    let direct = resolution.symbols().any(|target| group.contains(&target));
                    let through = resolution.named_type.is_some_and(|named| group.contains(&named));
                    if direct || through {
                        let mention = Mention {
                            file,
                            span: reference.span,
                            role: reference.role,
                            enclosing: reference.enclosing,
                            outcome: resolution.outcome,
                            rule: resolution.rule,
                            through_type: through && !direct,
                        };
                        mentions.insert((file, reference.span.start), mention);
                    }
                }
                for (i, import) in view.facts.imports.iter().enumerate() {
                    if import.item != Some(id) && import.local != Some(id) {
                        continue;
                    }
                    let targets = resolver.import_targets(&view, i as u32);
                    if !targets.iter().any(|found| matches!(found, Found::Symbol(target) if group.contains(target))) {
                        continue;
                    }
                    let mention = Mention {
                        file,
                        span: import.name_span,
                        role: Role::Import,
                        enclosing: None,
                        outcome: Outcome::Static,
                        rule: Rule::Import,
                        through_type: false,
                    };
                    mentions.insert((file, import.name_span.start), mention);
                    // Another name for the same thing is searched for as well.
                    if let Some(local) = import.local.map(|local| view.facts.name(local))
                        && seen.insert(local.to_owned())
                    {
                        names.push(local.to_owned());
                    }
                }
                for export in view.facts.exports.iter().filter(|export| export.local == Some(id)) {
                    let exported = view.facts.name(export.exported);
                    let found = resolver.exported(&view, exported);
                    if !found.iter().any(|found| matches!(found, Found::Symbol(target) if group.contains(target))) {
                        continue;
                    }
                    let mention = Mention {
                        file,
                        span: export.name_span,
                        role: Role::Import,
                        enclosing: None,
                        outcome: Outcome::Static,
                        rule: Rule::Import,
                        through_type: false,
                    };
                    mentions.entry((file, export.name_span.start)).or_insert(mention);
                    if exported != "*" && seen.insert(exported.to_owned()) {
                        names.push(exported.to_owned());
                    }
                }
            }
        }
    }
    let mut mentions: Vec<Mention> = mentions.into_values().collect();
    mentions.retain(|mention| {
        !group.iter().any(|symbol| {
            symbol.file == mention.file
                && resolver.view(symbol.file).is_some_and(|view| view.symbol(symbol.index).name_span == mention.span)
        })
    });
    mentions.sort_by_key(|mention| (mention.file, mention.span.start));
    resolver.budget.finish(mentions)
}

/// The symbol and the other declarations of the same thing: prototypes and definitions, partial parts, accessors.
pub fn same_symbol(resolver: &Resolver<'_>, symbol: SymbolId) -> Vec<SymbolId> {
    let mut group = vec![symbol];
    for other in resolver.declarations_of(symbol) {
        if !group.contains(&other) {
            group.push(other);
        }
    }
    group
}
