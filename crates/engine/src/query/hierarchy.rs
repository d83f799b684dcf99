//! Supertypes and subtypes of a type.

use std::collections::BTreeSet;

use facts::{Inherit, Modifiers, SymbolKind};

use crate::{Complete, Resolver, SymbolId, Ty, query};

/// A direct relation to another type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Related {
    Symbol(SymbolId),
    /// A library type by its name.
    Library(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchy {
    /// Superclasses, in the order written.
    pub bases: Vec<Related>,
    /// Interfaces, traits and mix-ins, in the order written; then interfaces satisfied by structure.
    pub interfaces: Vec<Related>,
    /// Types that extend or implement it, in order of path and place.
    pub derived: Vec<SymbolId>,
}

pub fn hierarchy(resolver: &Resolver<'_>, symbol: SymbolId) -> Complete<Hierarchy> {
    let mut found = Hierarchy::default();
    let Some((view, declared)) = resolver.symbol(symbol) else { return resolver.budget.finish(found) };
    for supertype in resolver.supertypes(symbol).iter() {
        let related = match &supertype.ty {
            Ty::Instance(of, _) | Ty::Type(of, _) => Related::Symbol(*of),
            Ty::Library(name, _) | Ty::LibraryType(name, _) | Ty::External(name) => Related::Library(name.to_string()),
            _ => continue,
        };
        let is_interface = match &related {
            Related::Symbol(of) => matches!(resolver.kind(*of), Some(SymbolKind::Interface | SymbolKind::Trait)),
            Related::Library(_) => false,
        };
        // An interface extends interfaces; of classes, the first base is the class.
        let list = if supertype.how == Inherit::Extends && (!is_interface || declared.kind == SymbolKind::Interface) {
            &mut found.bases
        } else {
            &mut found.interfaces
        };
        if !list.contains(&related) {
            list.push(related);
        }
    }
    let mut derived: BTreeSet<SymbolId> = BTreeSet::new();
    for mention in query::references(resolver, symbol).value {
        let Some(view) = resolver.view(mention.file) else { continue };
        // The type header around the mention may list it as a supertype.
        let candidates = view.facts.supertypes.iter().filter(|supertype| {
            let holder = view.symbol(supertype.symbol);
            holder.span.encloses(mention.span)
        });
        for supertype in candidates {
            let mut holder = SymbolId { file: mention.file, index: supertype.symbol };
            if let Some(SymbolKind::Impl) = resolver.kind(holder) {
                match resolver.self_type(holder) {
                    Ty::Instance(of, _) => holder = of,
                    _ => continue,
                }
            }
            let inherits = resolver
                .supertypes(holder)
                .iter()
                .any(|supertype| matches!(&supertype.ty, Ty::Instance(of, _) | Ty::Type(of, _) if *of == symbol));
            if holder != symbol && inherits {
                derived.insert(holder);
            }
        }
    }
    if view.semantics.structural_interfaces {
        structural(resolver, symbol, declared.kind, &mut found, &mut derived);
    }
    found.derived = derived.into_iter().collect();
    resolver.budget.finish(found)
}

/// Interfaces are satisfied by having their methods (Go).
fn structural(resolver: &Resolver<'_>, symbol: SymbolId, kind: SymbolKind, found: &mut Hierarchy, derived: &mut BTreeSet<SymbolId>) {
    if kind == SymbolKind::Interface {
        let wanted = resolver.method_names(symbol);
        let Some(rarest) = wanted.iter().min_by_key(|name| resolver.symbols_named(name).len()) else { return };
        for candidate in resolver.symbols_named(rarest).iter() {
            let Ty::Instance(holder, _) = resolver.self_type(*candidate) else { continue };
            if holder != symbol && satisfies(resolver, holder, &wanted) {
                derived.insert(holder);
            }
        }
        // An interface that asks for all of another's methods implies it.
        for interface in interfaces_with_any(resolver, &wanted) {
            let other = resolver.method_names(interface);
            if interface != symbol && !other.is_empty() && other.iter().all(|name| wanted.contains(name)) && other.len() < wanted.len() {
                found.interfaces.push(Related::Symbol(interface));
            }
        }
        found.interfaces.dedup();
        return;
    }
    let own = resolver.method_names(symbol);
    for interface in interfaces_with_any(resolver, &own) {
        let wanted = resolver.method_names(interface);
        if !wanted.is_empty() && satisfies(resolver, symbol, &wanted) && !found.interfaces.contains(&Related::Symbol(interface)) {
            found.interfaces.push(Related::Symbol(interface));
        }
    }
}

fn satisfies(resolver: &Resolver<'_>, symbol: SymbolId, wanted: &BTreeSet<String>) -> bool {
    let own = resolver.method_names(symbol);
    wanted.iter().all(|name| own.contains(name))
}

fn interfaces_with_any(resolver: &Resolver<'_>, names: &BTreeSet<String>) -> BTreeSet<SymbolId> {
    let mut interfaces = BTreeSet::new();
    for name in names {
        for candidate in resolver.symbols_named(name).iter() {
            let Some((view, declared)) = resolver.symbol(*candidate) else { continue };
            if let Some(parent) = declared.parent
                && view.symbol(parent).kind == SymbolKind::Interface
                && !view.symbol(parent).modifiers.contains(Modifiers::LOCAL)
            {
                interfaces.insert(SymbolId { file: candidate.file, index: parent });
            }
        }
    }
    interfaces
}
