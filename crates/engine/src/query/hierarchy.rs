//! Supertypes and subtypes of a type.

use facts::{Inherit, Structural, SymbolKind};

use crate::{Complete, Resolver, SymbolId, Ty};

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
    /// Interfaces, traits and mix-ins, in the order written; then interfaces satisfied by
    /// structure.
    pub interfaces: Vec<Related>,
    /// Types that extend or implement it, in order of path and place.
    pub derived: Vec<SymbolId>,
}

pub fn hierarchy(resolver: &Resolver, symbol: SymbolId) -> Complete<Hierarchy> {
    let mut found = Hierarchy::default();
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return resolver.budget.finish(found);
    };
    // A type that is embedded lends its members and is no supertype: only interfaces are.
    let only_interfaces = view.semantics.structural == Structural::Interfaces;
    for supertype in resolver.supertypes(symbol).iter() {
        let related = match &supertype.ty {
            Ty::Instance(of, _) | Ty::Type(of, _) => Related::Symbol(*of),
            ty => match ty.library_path() {
                Some(path) => Related::Library(path),
                None => continue,
            },
        };
        let is_interface = match &related {
            Related::Symbol(of) => matches!(
                resolver.kind(*of),
                Some(SymbolKind::Interface | SymbolKind::Trait)
            ),
            Related::Library(_) => false,
        };
        if only_interfaces && supertype.how == Inherit::Mixin && !is_interface {
            continue;
        }
        // An interface extends interfaces; of classes, the first base is the class.
        let list = if supertype.how == Inherit::Extends
            && (!is_interface || declared.kind == SymbolKind::Interface)
        {
            &mut found.bases
        } else {
            &mut found.interfaces
        };
        if !list.contains(&related) {
            list.push(related);
        }
    }
    for &interface in resolver.satisfied(symbol).iter() {
        let related = Related::Symbol(interface);
        if !found.interfaces.contains(&related) && !found.bases.contains(&related) {
            found.interfaces.push(related);
        }
    }
    if !only_interfaces || declared.kind == SymbolKind::Interface {
        found.derived = resolver.derived(symbol).to_vec();
    }
    resolver.budget.finish(found)
}
