//! What a call may run besides what it names: implementations behind an interface, trait or base,
//! and functions held by a field.

use std::{collections::BTreeSet, sync::Arc};

use facts::{Recipe, Reference, Role, SymbolKind};

use super::{answers::answered, overriding};
use crate::{FileId, FileView, Outcome, Place, Resolver, SymbolId, Ty, query};

/// More implementations of one member than anybody reads.
const MAX_IMPLEMENTATIONS: usize = 500;

/// The symbols that a call of `target` may run in its stead, in order of path and place.
pub fn implementations(
    resolver: &Resolver,
    view: &FileView,
    reference: &Reference,
    target: SymbolId,
) -> Vec<SymbolId> {
    if resolver.kind(target).is_some_and(SymbolKind::is_value)
        && view.semantics.declarations.functions_in_fields
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
    found.retain(|symbol| may_be(resolver, &receivers, *symbol, target));
    found.truncate(MAX_IMPLEMENTATIONS);
    found
}

/// The calls that may run a symbol without naming it, as places; in order of path and place.
pub fn indirect_calls(resolver: &Resolver, symbol: SymbolId) -> Arc<Vec<query::Mention>> {
    let find = || find_indirect_calls(resolver, symbol);
    answered(resolver, |answers| &answers.indirect, symbol, find)
}

fn find_indirect_calls(resolver: &Resolver, symbol: SymbolId) -> Vec<query::Mention> {
    let mut found: Vec<query::Mention> = Vec::new();
    for base in query::overridden(resolver, symbol) {
        for call in dispatched_calls(resolver, base).iter() {
            if may_be(resolver, &call.receivers, symbol, base) {
                found.push(call.mention.clone());
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

/// A call of a member that may run what overrides it.
#[derive(Debug)]
pub(crate) struct DispatchedCall {
    pub mention: query::Mention,
    /// The types that its receiver may have; none where nothing is known of them.
    pub receivers: Vec<SymbolId>,
}

/// The calls of a member that may run what overrides it: every member that does asks for them.
fn dispatched_calls(resolver: &Resolver, base: SymbolId) -> Arc<Vec<DispatchedCall>> {
    let find = || {
        let name = resolver.name(base);
        let is_property = resolver.kind(base) == Some(SymbolKind::Property);
        let mut found = Vec::new();
        for mention in query::references(resolver, base).value {
            let runs = matches!(mention.role, Role::Call)
                || matches!(mention.role, Role::Read | Role::Write) && is_property;
            if !runs || !matches!(mention.outcome, Outcome::Static | Outcome::Heuristic) {
                continue;
            }
            let Some(view) = resolver.view(mention.file) else {
                continue;
            };
            let receivers = reference_at(&view, &name, mention.span.start)
                .and_then(|reference| receivers(resolver, &view, reference));
            found.extend(receivers.map(|receivers| DispatchedCall { mention, receivers }));
        }
        found
    };
    answered(resolver, |answers| &answers.dispatched, base, find)
}

/// The types that a call's receiver may have, as far as they are known; nothing where the call
/// means exactly what it names.
fn receivers(resolver: &Resolver, view: &FileView, reference: &Reference) -> Option<Vec<SymbolId>> {
    let ty = match reference.receiver {
        Some(receiver) if view.facts.recipe(receiver) == Recipe::Super => return None,
        Some(receiver) => resolver.eval(Place::of(view, reference), receiver),
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

/// Whether a receiver of one of these types may be the one whose member this is, called as the member
/// `base`.
fn may_be(resolver: &Resolver, receivers: &[SymbolId], member: SymbolId, base: SymbolId) -> bool {
    let Ty::Instance(holder, _) = resolver.self_type(member) else {
        return false;
    };
    let is_one = |ty: SymbolId| {
        let mut receivers = receivers.iter();
        receivers.any(|receiver| resolver.is_a(ty, *receiver))
    };
    if receivers.is_empty() || is_one(holder) {
        return true;
    }
    // What a class has for an interface that only its derived classes implement.
    match resolver.self_type(base) {
        Ty::Instance(of, _) if !resolver.is_a(holder, of) => {
            overriding::heirs(resolver, holder).into_iter().any(is_one)
        }
        _ => false,
    }
}

/// Functions that are put into a field by name: `.run = start`, `ops.run = start`.
fn held_functions(resolver: &Resolver, field: SymbolId) -> Vec<SymbolId> {
    let name = resolver.name(field);
    let mut found = BTreeSet::new();
    let mentions = query::references(resolver, field).value.into_iter();
    for mention in mentions.filter(|mention| mention.role == Role::Write) {
        let Some(view) = resolver.view(mention.file) else {
            continue;
        };
        if let Some(write) = reference_at(&view, &name, mention.span.start) {
            found.extend(assigned(resolver, &view, write));
        }
    }
    found.retain(|symbol| resolver.kind(*symbol) == Some(SymbolKind::Function));
    found.into_iter().collect()
}

/// The fields that a function is put into by name.
fn holding_fields(resolver: &Resolver, function: SymbolId) -> Vec<SymbolId> {
    let Some((view, declared)) = resolver.symbol(function) else {
        return Vec::new();
    };
    if declared.kind != SymbolKind::Function || !view.semantics.declarations.functions_in_fields {
        return Vec::new();
    }
    let name = resolver.name(function);
    let declarations = resolver.declarations_of(function);
    let mentions = query::references(resolver, function).value.into_iter();
    let files: BTreeSet<FileId> = mentions
        .filter(|mention| mention.role == Role::Read)
        .map(|mention| mention.file)
        .collect();
    let mut found = BTreeSet::new();
    for view in files.into_iter().filter_map(|file| resolver.view(file)) {
        let Some(id) = view.facts.names.find(&name) else {
            continue;
        };
        let is_assigned = |write: &&Reference| {
            let value = write.call.filter(|_| write.role == Role::Write);
            value.is_some_and(|value| view.facts.recipe(value) == Recipe::Name(id))
        };
        for write in view.facts.references.iter().filter(is_assigned) {
            let mut values = assigned(resolver, &view, write).into_iter();
            if values.any(|value| value == function || declarations.contains(&value)) {
                found.extend(resolver.resolve(&view, write).symbols());
            }
        }
    }
    found.retain(|symbol| resolver.kind(*symbol).is_some_and(SymbolKind::is_value));
    found.into_iter().collect()
}

/// What the name means that a write assigns.
fn assigned(resolver: &Resolver, view: &FileView, write: &Reference) -> Vec<SymbolId> {
    let value = write.call.map(|value| view.facts.recipe(value));
    let Some(Recipe::Name(name)) = value.filter(|_| write.role == Role::Write) else {
        return Vec::new();
    };
    let references = view.facts.references_of(name);
    let value = references.partition_point(|reference| reference.span.start < write.span.end);
    references.get(value).map_or_else(Vec::new, |value| {
        resolver.resolve(view, value).symbols().collect()
    })
}

/// The reference of a name that starts at a place: they are in order of name, then place.
pub(super) fn reference_at<'view>(
    view: &'view FileView,
    name: &str,
    start: u32,
) -> Option<&'view Reference> {
    let references = view.facts.references_of(view.facts.names.find(name)?);
    let i = references.partition_point(|reference| reference.span.start < start);
    references
        .get(i)
        .filter(|reference| reference.span.start == start)
}
