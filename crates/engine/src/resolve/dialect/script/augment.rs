//! Types that several files declare together: `declare global { interface Cart { … } }` in each of them, and
//! `declare module "./cart" { interface Cart { … } }`, which adds to a type of another module.

use std::sync::Arc;

use facts::{Family, Modifiers, ScopeId, SymbolKind};

use super::module_named;
use crate::resolve::{
    FileView, Found, Resolver, Sketch, SymbolId, Ty, lookup, lookup::MemberHit, modules,
    modules::Module,
};

/// Declarations of one name that count; more are copies in trees of examples.
const MAX_PARTS: usize = 256;

/// What blocks and files that declare for all files declare under a name.
pub(super) fn globals(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    // What the platform has stays the platform's: `interface Array<T>` only adds to it.
    if view.semantics.builtins.contains(&name) || view.shapes().find(name).is_some() {
        return Vec::new();
    }
    let declared = declared_for_all(resolver, name).into_iter();
    declared.map(Found::Symbol).collect()
}

fn declared_for_all(resolver: &Resolver, name: &str) -> Vec<SymbolId> {
    let sketches = resolver.sketches(name);
    let declared = sketches
        .iter()
        .filter(|sketch| is_for_all(resolver, sketch));
    declared.map(|sketch| sketch.id).take(MAX_PARTS).collect()
}

fn is_for_all(resolver: &Resolver, sketch: &Sketch) -> bool {
    let is_outermost =
        sketch.family == Family::JavaScript && sketch.parent.is_none() && !sketch.has_owner;
    is_outermost
        && (sketch.modifiers.contains(Modifiers::EXTERN)
            || !sketch.modifiers.contains(Modifiers::LOCAL) && is_ambient_file(resolver, sketch.id))
}

/// Whether a symbol is of a file that only declares, and that is no module.
fn is_ambient_file(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver.path(symbol.file).as_str().contains(".d.")
        && resolver.view(symbol.file).is_some_and(|view| {
            let declared = view.symbol(symbol.index);
            view.facts.imports.is_empty()
                && view.facts.exports.is_empty()
                && !declared.modifiers.contains(Modifiers::EXPORTED)
                && declared.declared_in == ScopeId::FILE
        })
}

/// The declaration by which a type is known that several files declare.
pub(super) fn whole(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> SymbolId {
    let declared = view.symbol(symbol.index);
    let is_ambient = declared.modifiers.contains(Modifiers::EXTERN)
        || declared.parent.is_none() && resolver.path(view.id).as_str().contains(".d.");
    if !is_ambient || !declared.kind.is_type() {
        return symbol;
    }
    let name = view.name_of(symbol.index);
    let known = match declared.parent.map(|parent| view.symbol(parent)) {
        None if declared.modifiers.contains(Modifiers::EXTERN)
            || is_ambient_file(resolver, symbol) =>
        {
            first_type(resolver, &declared_for_all(resolver, name))
        }
        Some(module) if module.kind == SymbolKind::Module => {
            let module = module_named(resolver, view, view.facts.name(module.name));
            let Module::File(_) = module else {
                return symbol;
            };
            let exported = modules::module_member(resolver, &module, name, view);
            let symbols: Vec<SymbolId> = exported.iter().filter_map(Found::symbol).collect();
            first_type(resolver, &symbols)
        }
        _ => None,
    };
    known.unwrap_or(symbol)
}

fn first_type(resolver: &Resolver, symbols: &[SymbolId]) -> Option<SymbolId> {
    let is_type = |symbol: &&SymbolId| resolver.kind(**symbol).is_some_and(SymbolKind::is_type);
    symbols.iter().find(is_type).copied()
}

/// The declarations of a symbol in other files, and those for all files in its own.
pub(super) fn added_parts(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
) -> Arc<[SymbolId]> {
    let sketches = resolver.sketches(view.name_of(symbol.index));
    let adds = |sketch: &Sketch| {
        sketch.family == Family::JavaScript
            && (sketch.modifiers.contains(Modifiers::EXTERN) || is_for_all(resolver, sketch))
    };
    if !sketches.iter().any(adds) {
        return Arc::from([]);
    }
    let own = sketches.iter().find(|sketch| sketch.id == symbol);
    if own.is_some_and(|own| is_for_all(resolver, own)) {
        let mut parts = declared_for_all(resolver, view.name_of(symbol.index));
        parts.retain(|part| *part != symbol);
        return parts.into();
    }
    if !view.symbol(symbol.index).kind.is_type() {
        return Arc::from([]);
    }
    let known = whole(resolver, view, symbol);
    let is_part = |part: SymbolId| {
        part == known
            || resolver
                .view(part.file)
                .is_some_and(|other| whole(resolver, &other, part) == known)
    };
    sketches
        .iter()
        .filter(|sketch| sketch.id == known || adds(sketch) && sketch.parent.is_some())
        .map(|sketch| sketch.id)
        .filter(|&part| part != symbol && is_part(part))
        .take(MAX_PARTS)
        .collect()
}

/// Members that the repository adds to a type of the platform: `interface Array<T> { last(): T }`, declared
/// for all files.
pub(super) fn implemented(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    name: &str,
) -> Vec<MemberHit> {
    let (of, types): (&str, Arc<[Ty]>) = match ty {
        Ty::Library(of, types) | Ty::LibraryType(of, types) => (of, types.clone()),
        Ty::Array(item) => ("Array", Arc::from([(**item).clone()])),
        _ => return Vec::new(),
    };
    if view.shapes().member(of, name).is_some() {
        return Vec::new();
    }
    let is_member = |sketch: &&Sketch| {
        sketch.family == Family::JavaScript && sketch.parent == Some(SymbolKind::Interface)
    };
    if !resolver
        .sketches(name)
        .iter()
        .any(|sketch| is_member(&sketch))
    {
        return Vec::new();
    }
    let parts = declared_for_all(resolver, of);
    let is_type = |part: &&SymbolId| resolver.kind(**part) == Some(SymbolKind::Interface);
    let mut hits: Vec<MemberHit> = Vec::new();
    if let Some(part) = parts.iter().find(is_type) {
        let members = lookup::own_members(resolver, *part, name);
        hits.extend(members.iter().map(|member| MemberHit {
            symbol: *member,
            receiver: Ty::Instance(*part, types.clone()),
        }));
    }
    hits
}
