//! Supertypes, and the order in which members are looked up in them.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use facts::{Inherit, Linearization, SymbolIndex, SymbolKind};
use rustc_hash::FxBuildHasher;

use crate::resolve::{Guard, Place, Resolver, SymbolId, Ty, owner, values, written};

/// A supertype with its type arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Super {
    pub ty: Ty,
    pub how: Inherit,
}

/// The direct supertypes of a type, as declared anywhere in the snapshot.
pub fn supertypes(resolver: &Resolver, symbol: SymbolId) -> Arc<[Super]> {
    resolver.memoize_cyclic(
        &resolver.analysis.tables.supertypes,
        symbol,
        Guard::Supertypes(symbol),
        Arc::from([]),
        || {
            let mut found: Vec<Super> = Vec::new();
            let mut holders = owner::parts(resolver, symbol);
            holders.extend(owner::impls_of(resolver, symbol));
            for holder in holders {
                let Some((view, declared)) = resolver.symbol(holder) else {
                    continue;
                };
                let scope = declared.body.unwrap_or(declared.declared_in);
                let start = view
                    .facts
                    .supertypes
                    .partition_point(|supertype| supertype.symbol < holder.index);
                for supertype in view.facts.supertypes[start..]
                    .iter()
                    .take_while(|supertype| supertype.symbol == holder.index)
                {
                    resolver.header.set(Some(holder));
                    let ty = written::written_type(
                        resolver,
                        Place::new(&view, scope, declared.name_span.end),
                        supertype.ty,
                    );
                    resolver.header.set(None);
                    let ty = if is_itself(&ty, symbol) {
                        written::written_type(
                            resolver,
                            Place::new(&view, declared.declared_in, declared.span.start),
                            supertype.ty,
                        )
                    } else {
                        ty
                    };
                    let ty = if declared.kind == SymbolKind::Impl {
                        with_associated_type(resolver, holder, ty)
                    } else {
                        ty
                    };
                    if !is_itself(&ty, symbol) && !found.iter().any(|other| other.ty == ty) {
                        found.push(Super {
                            ty,
                            how: supertype.how,
                        });
                    }
                }
                if declared.kind == SymbolKind::TypeAlias
                    && let Ty::Instance(target, arguments) = values::symbol_type(resolver, holder)
                    && target != symbol
                {
                    found.push(Super {
                        ty: Ty::Instance(target, arguments),
                        how: Inherit::Extends,
                    });
                }
            }
            // What is mixed in hides what is inherited, wherever the text says so.
            found.sort_by_key(|above| above.how != Inherit::Mixin);
            found.into()
        },
    )
}

/// A library's trait with the type that a block says for it: `type Item = Cart` of `impl Iterator for
/// Carts`.
fn with_associated_type(resolver: &Resolver, block: SymbolId, ty: Ty) -> Ty {
    let (Ty::Library(name, types), Some(view)) = (&ty, resolver.view(block.file)) else {
        return ty;
    };
    if !types.is_empty() {
        return ty;
    }
    let aliases: Vec<SymbolIndex> = view
        .children(Some(block.index))
        .filter(|&child| view.symbol(child).kind == SymbolKind::TypeAlias)
        .collect();
    let item = aliases.iter().find(|&&alias| view.name_of(alias) == "Item");
    let alias = match (item, aliases.as_slice()) {
        (Some(&item), _) | (None, &[item]) => item,
        _ => return ty,
    };
    let given = values::symbol_type(resolver, block.beside(alias));
    Ty::Library(name.clone(), Arc::from([given]))
}

fn is_itself(ty: &Ty, symbol: SymbolId) -> bool {
    matches!(ty, Ty::Instance(other, _) if *other == symbol)
}

/// Deeper hierarchies are cut; real ones stay below twenty.
const MAX_TYPES: usize = 100;

/// The type and its supertypes in the order in which members are looked up, each with its type
/// arguments.
pub fn linearized(resolver: &Resolver, symbol: SymbolId, ty: &Ty) -> Vec<Ty> {
    let linearization = resolver
        .view(symbol.file)
        .map_or(Linearization::DepthFirst, |view| {
            view.semantics.linearization
        });
    match linearization {
        Linearization::C3 => {
            let mut known = HashMap::default();
            // A hierarchy without a consistent order does not run; any order will do.
            c3(resolver, ty, &mut known).unwrap_or_else(|| by_depth(resolver, ty))
        }
        Linearization::ByDepth => by_depth(resolver, ty),
        Linearization::DepthFirst => depth_first(resolver, ty),
    }
}

/// The supertypes of a type that are not in the repository, of every level, nearest first.
pub fn library_supertypes(
    resolver: &Resolver,
    symbol: SymbolId,
    ty: &Ty,
) -> impl Iterator<Item = Ty> {
    let levels = linearized(resolver, symbol, ty).into_iter();
    levels.flat_map(|level| {
        let mut above = direct(resolver, &level);
        above.retain(|ty| ty.holder().is_none());
        above
    })
}

/// The direct supertypes of a type with its type arguments.
fn direct(resolver: &Resolver, ty: &Ty) -> Vec<Ty> {
    let (Ty::Instance(holder, arguments) | Ty::Type(holder, arguments)) = ty else {
        return Vec::new();
    };
    let supertypes = supertypes(resolver, *holder);
    let all = supertypes.iter();
    all.map(|above| above.ty.with_arguments(*holder, arguments))
        .collect()
}

/// Level by level: the nearest wins.
fn by_depth(resolver: &Resolver, ty: &Ty) -> Vec<Ty> {
    let mut order = vec![ty.clone()];
    let mut next = 0;
    while next < order.len() {
        for above in direct(resolver, &order[next]) {
            if above.holder().is_some() && order.len() < MAX_TYPES && !has(&order, &above) {
                order.push(above);
            }
        }
        next += 1;
    }
    order
}

/// A base with all its bases before the next interface.
fn depth_first(resolver: &Resolver, ty: &Ty) -> Vec<Ty> {
    let mut order: Vec<Ty> = Vec::new();
    // The first type that names a supertype places it, so that all direct ones are claimed at once.
    let mut claimed = vec![ty.clone()];
    let mut open = vec![ty.clone()];
    while let Some(current) = open.pop() {
        let mut above = direct(resolver, &current);
        order.push(current);
        above.retain(|ty| {
            let is_new = ty.holder().is_some() && claimed.len() < MAX_TYPES && !has(&claimed, ty);
            if is_new {
                claimed.push(ty.clone());
            }
            is_new
        });
        open.extend(above.into_iter().rev());
    }
    order
}

/// The order of Python: a type before its bases, bases in the order in which they are written, in
/// every type of the hierarchy. Nothing where no order keeps to that.
fn c3(resolver: &Resolver, ty: &Ty, known: &mut Known) -> Option<Vec<Ty>> {
    if let Some(order) = known.get(ty) {
        return order.clone();
    }
    let mut bases: Vec<Ty> = Vec::new();
    for base in direct(resolver, ty) {
        if base.holder().is_some() && !has(&bases, &base) {
            bases.push(base);
        }
    }
    if bases.is_empty() {
        return Some(vec![ty.clone()]);
    }
    // What leads back to itself has no order, and neither has what goes on without end.
    if known.len() >= MAX_TYPES {
        return None;
    }
    known.insert(ty.clone(), None);
    let mut lists: Vec<VecDeque<Ty>> = Vec::new();
    for base in &bases {
        lists.push(c3(resolver, base, known)?.into());
    }
    lists.push(bases.into());
    let mut order = vec![ty.clone()];
    loop {
        lists.retain(|list| !list.is_empty());
        let mut heads = lists.iter().map(|list| &list[0]);
        let is_last = |head: &&Ty| {
            let behind = |list: &VecDeque<Ty>| {
                let mut rest = list.iter().skip(1);
                rest.any(|other| other.holder() == head.holder())
            };
            !lists.iter().any(behind)
        };
        let Some(next) = heads.find(is_last).cloned() else {
            break;
        };
        for list in &mut lists {
            if list[0].holder() == next.holder() {
                list.pop_front();
            }
        }
        order.push(next);
    }
    let order = lists.is_empty().then_some(order);
    known.insert(ty.clone(), order.clone());
    order
}

/// Orders found so far; nothing for a type whose order is being found.
type Known = HashMap<Ty, Option<Vec<Ty>>, FxBuildHasher>;

/// Whether the same type is among these, with whatever arguments.
fn has(types: &[Ty], ty: &Ty) -> bool {
    types.iter().any(|other| other.holder() == ty.holder())
}
