//! What a call may run besides what it names: implementations behind an interface, trait or base,
//! and functions held by a field.

use std::collections::BTreeSet;

use facts::{Recipe, Reference, Role, SymbolKind};

use crate::{FileId, FileView, Outcome, Resolver, SymbolId, Ty, query};

/// More implementations of one member than anybody reads.
const MAX_IMPLEMENTATIONS: usize = 500;

/// The symbols that a call of `target` may run in its stead, in order of path and place.
pub fn implementations(
    resolver: &Resolver<'_>,
    view: &FileView,
    reference: &Reference,
    target: SymbolId,
) -> Vec<SymbolId> {
    if resolver.kind(target).is_some_and(SymbolKind::is_value)
        && view.dialect.calls_through_fields()
    {
        return held_functions(resolver, target);
    }
    let Some(receivers) = receivers(resolver, view, reference) else {
        return Vec::new();
    };
    let mut found: Vec<SymbolId> = query::overriding(resolver, target)
        .value
        .into_iter()
        .map(|(symbol, _)| symbol)
        .collect();
    found.retain(|symbol| may_be(resolver, &receivers, *symbol));
    found.truncate(MAX_IMPLEMENTATIONS);
    found
}

/// The calls that may run a symbol without naming it, as places; in order of path and place.
pub fn indirect_calls(resolver: &Resolver<'_>, symbol: SymbolId) -> Vec<query::Mention> {
    let mut found: Vec<query::Mention> = Vec::new();
    for base in query::overridden(resolver, symbol) {
        let name = resolver.name(base);
        for mention in query::references(resolver, base).value {
            let runs = matches!(mention.role, Role::Call)
                || matches!(mention.role, Role::Read | Role::Write)
                    && resolver.kind(base) == Some(SymbolKind::Property);
            if !runs || !matches!(mention.outcome, Outcome::Static | Outcome::Heuristic) {
                continue;
            }
            let Some(view) = resolver.view(mention.file) else {
                continue;
            };
            let Some(reference) = reference_at(&view, &name, mention.span.start) else {
                continue;
            };
            if receivers(resolver, &view, reference)
                .is_some_and(|receivers| may_be(resolver, &receivers, symbol))
            {
                found.push(mention);
            }
        }
    }
    for field in holding_fields(resolver, symbol) {
        found.extend(
            query::references(resolver, field)
                .value
                .into_iter()
                .filter(|mention| mention.role == Role::Call),
        );
    }
    found.sort_by_key(|mention| (mention.file, mention.span.start));
    found.dedup_by_key(|mention| (mention.file, mention.span.start));
    found
}

/// The types that a call's receiver may have, as far as they are known; nothing where the call
/// means exactly what it names.
fn receivers(
    resolver: &Resolver<'_>,
    view: &FileView,
    reference: &Reference,
) -> Option<Vec<SymbolId>> {
    let ty = match reference.receiver {
        Some(receiver) if view.facts.recipe(receiver) == Recipe::Super => return None,
        Some(receiver) => resolver.eval(crate::Place::of(view, reference), receiver),
        None => resolver.self_type_at(view, reference.scope),
    };
    let mut types = Vec::new();
    for alternative in ty.alternatives() {
        match alternative {
            Ty::Instance(symbol, _) => types.push(symbol),
            Ty::Type(..) | Ty::Module(_) => return None,
            // A value of a type parameter may be any that the bounds allow.
            _ => {}
        }
    }
    Some(types)
}

/// Whether a receiver of one of these types may be the one whose member this is.
fn may_be(resolver: &Resolver<'_>, receivers: &[SymbolId], member: SymbolId) -> bool {
    let Ty::Instance(holder, _) = resolver.self_type(member) else {
        return false;
    };
    receivers.is_empty()
        || receivers
            .iter()
            .any(|receiver| resolver.is_a(holder, *receiver))
}

/// Functions that are put into a field by name: `.run = start`, `ops.run = start`.
fn held_functions(resolver: &Resolver<'_>, field: SymbolId) -> Vec<SymbolId> {
    let mut found = BTreeSet::new();
    for mention in query::references(resolver, field).value {
        if mention.role != Role::Write {
            continue;
        }
        let (Some(view), Some(text)) =
            (resolver.view(mention.file), text_of(resolver, mention.file))
        else {
            continue;
        };
        let Some(start) = assigned_after(&text, mention.span.end as usize) else {
            continue;
        };
        let Some(reference) = reference_at(&view, word_from(&text, start), start as u32) else {
            continue;
        };
        found.extend(
            resolver
                .resolve(&view, reference)
                .symbols()
                .filter(|symbol| resolver.kind(*symbol) == Some(SymbolKind::Function)),
        );
    }
    found.into_iter().collect()
}

/// The fields that a function is put into by name.
fn holding_fields(resolver: &Resolver<'_>, function: SymbolId) -> Vec<SymbolId> {
    let is_function = resolver.symbol(function).is_some_and(|(view, declared)| {
        declared.kind == SymbolKind::Function && view.dialect.calls_through_fields()
    });
    if !is_function {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    for mention in query::references(resolver, function)
        .value
        .into_iter()
        .filter(|mention| mention.role == Role::Read)
    {
        let (Some(view), Some(text)) =
            (resolver.view(mention.file), text_of(resolver, mention.file))
        else {
            continue;
        };
        let Some(end) = assigned_before(&text, mention.span.start as usize) else {
            continue;
        };
        let word = word_before(&text, end);
        let written = reference_at(&view, word, (end - word.len()) as u32)
            .filter(|reference| reference.role == Role::Write);
        let fields = written.map(|reference| resolver.resolve(&view, reference));
        found.extend(
            fields
                .iter()
                .flat_map(|resolution| resolution.symbols())
                .filter(|symbol| resolver.kind(*symbol).is_some_and(SymbolKind::is_value)),
        );
    }
    found.into_iter().collect()
}

/// Where the value starts that follows a name and `=`.
fn assigned_after(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let value = rest
        .trim_start()
        .strip_prefix('=')?
        .trim_start_matches([' ', '\t', '\r', '\n', '&']);
    Some(text.len() - value.len()).filter(|_| !value.starts_with('='))
}

/// Where the name ends that stands before `=` and a value.
fn assigned_before(text: &str, start: usize) -> Option<usize> {
    let before = text
        .get(..start)?
        .trim_end_matches([' ', '\t', '\r', '\n', '&']);
    let name = before.strip_suffix('=')?.trim_end();
    Some(name.len()).filter(|_| !name.ends_with(['=', '!', '<', '>', '+', '-']))
}

fn text_of(resolver: &Resolver<'_>, file: FileId) -> Option<std::sync::Arc<str>> {
    resolver
        .snapshot()
        .corpus()
        .text(resolver.snapshot().file(file).content)
}

fn word_from(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())]
}

fn word_before(text: &str, end: usize) -> &str {
    let before = &text[..end];
    &before[before.rfind(|c: char| !is_word(c)).map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    })..]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The reference of a name that starts at a place: they are in order of name, then place.
fn reference_at<'view>(view: &'view FileView, name: &str, start: u32) -> Option<&'view Reference> {
    let references = view.facts.references_of(view.facts.names.find(name)?);
    let i = references.partition_point(|reference| reference.span.start < start);
    references
        .get(i)
        .filter(|reference| reference.span.start == start)
}
