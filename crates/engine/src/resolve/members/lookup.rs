//! Members: in the type itself, then in its supertypes in the language's order, then in extensions.

use std::sync::Arc;

use crate::resolve::{
    FileView, Found, Guard, Place, Resolver, Sketch, SymbolId, Ty, eval::MAX_NESTING, extensions,
    generics, order, owner, prefer, values, written,
};
use facts::{BareNames, Inherit, MemberVisibility, Modifiers, SymbolKind};

/// A member, and the view of the receiver in which it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberHit {
    pub symbol: SymbolId,
    pub receiver: Ty,
}

/// The members of a name that a value or type has. Several: overloads, or one per alternative.
pub fn members(resolver: &Resolver, ty: &Ty, name: &str) -> Vec<MemberHit> {
    let mut hits = Vec::new();
    for ty in ty.alternatives() {
        for hit in members_of_one(resolver, &ty, name) {
            if !hits
                .iter()
                .any(|other: &MemberHit| other.symbol == hit.symbol)
            {
                hits.push(hit);
            }
        }
    }
    hits
}

/// Whether a member is of a block that implements a trait.
fn is_of_trait(resolver: &Resolver, member: SymbolId) -> bool {
    resolver.symbol(member).is_some_and(|(view, declared)| {
        let block = declared
            .parent
            .filter(|&parent| view.symbol(parent).kind == SymbolKind::Impl);
        let mut supertypes = view.facts.supertypes.iter();
        block.is_some_and(|block| supertypes.any(|supertype| supertype.symbol == block))
    })
}

/// Of several members of one name in one type, its own before those of traits, and of static and
/// other ones those that the receiver has. The latter only where a receiver is always written:
/// elsewhere a bare name may mean either.
fn of_receiver(resolver: &Resolver, receiver: &Ty, members: Vec<SymbolId>) -> Vec<SymbolId> {
    if members.len() < 2 {
        return members;
    }
    let members = prefer(members, |member| !is_of_trait(resolver, *member));
    let is_type = matches!(receiver, Ty::Type(..));
    prefer(members, |member| {
        resolver.symbol(*member).is_some_and(|(view, declared)| {
            let is_written = view.semantics.members == MemberVisibility::Open
                && view.semantics.bare_names == BareNames::Lexical;
            !is_written || declared.modifiers.contains(Modifiers::STATIC) == is_type
        })
    })
}

/// The members of a name that a value or type has, as what a name means.
pub fn found_members(resolver: &Resolver, ty: &Ty, name: &str) -> Vec<Found> {
    let hits = members(resolver, ty, name).into_iter();
    hits.map(|hit| Found::Symbol(hit.symbol)).collect()
}

/// The first member of a value that the language calls by itself.
pub fn protocol_member(resolver: &Resolver, ty: &Ty, names: &[&str]) -> Option<MemberHit> {
    names
        .iter()
        .find_map(|name| members(resolver, ty, name).into_iter().next())
}

pub fn members_of_one(resolver: &Resolver, ty: &Ty, name: &str) -> Vec<MemberHit> {
    let (Ty::Instance(symbol, _) | Ty::Type(symbol, _)) = ty else {
        return match ty {
            Ty::Parameter(symbol, i) => members_of_bounds(resolver, *symbol, *i, name),
            Ty::Projected(inner, member) => {
                members(resolver, &projected(resolver, inner, member), name)
            }
            Ty::Unknown | Ty::Null | Ty::Module(_) => Vec::new(),
            ty => extensions::extensions(resolver, ty, name),
        };
    };
    for view_of in order::linearized(resolver, *symbol, ty) {
        let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = &view_of else {
            continue;
        };
        let own = own_members(resolver, *holder, name);
        if !own.is_empty() {
            return of_receiver(resolver, ty, own.to_vec())
                .iter()
                .map(|symbol| MemberHit {
                    symbol: *symbol,
                    receiver: view_of.clone(),
                })
                .collect();
        }
        if let Some(companion) = companion_of(resolver, *holder) {
            let lent = own_members(resolver, companion, name);
            if !lent.is_empty() {
                return lent
                    .iter()
                    .map(|symbol| MemberHit {
                        symbol: *symbol,
                        receiver: Ty::instance(companion),
                    })
                    .collect();
            }
        }
    }
    if let Some(target) =
        deref_target(resolver, *symbol, ty).or_else(|| handed_on(resolver, *symbol, ty, name))
    {
        let hits = members(resolver, &target, name);
        if !hits.is_empty() {
            return hits;
        }
    }
    if let Some(target) = pointed_to(resolver, *symbol, ty, name) {
        let hits = resolver
            .memo
            .deeper(MAX_NESTING, || members(resolver, &target, name));
        if let Some(hits) = hits.filter(|hits| !hits.is_empty()) {
            return hits;
        }
    }
    extensions::extensions(resolver, ty, name)
}

/// What a smart pointer of the repository points to: what its own `operator->` gives.
fn pointed_to(resolver: &Resolver, symbol: SymbolId, ty: &Ty, name: &str) -> Option<Ty> {
    const ARROW: &str = "operator->";
    let has_arrows = resolver.view(symbol.file)?.semantics.prototypes;
    if !has_arrows || name == ARROW || !matches!(ty, Ty::Instance(..)) {
        return None;
    }
    let arrow = members_of_one(resolver, ty, ARROW).into_iter().next()?;
    let target = values::hit_type(resolver, &arrow);
    (target.is_known() && target != *ty).then_some(target)
}

/// What a type hands its members on from: `type Target = Inner` of `impl Deref for Outer`.
fn deref_target(resolver: &Resolver, symbol: SymbolId, ty: &Ty) -> Option<Ty> {
    let view = resolver.view(symbol.file)?;
    if !view.semantics.declarations.impls || !matches!(ty, Ty::Instance(..)) {
        return None;
    }
    let targets = own_members(resolver, symbol, "Target");
    let target = targets.iter().copied().find(|target| {
        resolver.symbol(*target).is_some_and(|(other, declared)| {
            let mut supertypes = other.facts.supertypes.iter();
            supertypes.any(|above| {
                Some(above.symbol) == declared.parent && mentions_type(&other, above.ty, "Deref")
            })
        })
    })?;
    let target_type = values::symbol_type(resolver, target);
    let target_type = generics::substitute_receiver_args(resolver, target, &target_type, ty);
    // A type that hands on to itself would go round in circles.
    let is_other = target_type.holder() != Some(symbol);
    (target_type.is_known() && is_other).then_some(target_type)
}

/// What a type hands members on from that it does not have: the result of C++'s `operator->`.
fn handed_on(resolver: &Resolver, symbol: SymbolId, ty: &Ty, name: &str) -> Option<Ty> {
    let view = resolver.view(symbol.file)?;
    let hands_on = view.semantics.protocols.hands_on;
    if hands_on.contains(&name) || !matches!(ty, Ty::Instance(..)) {
        return None;
    }
    let hit = protocol_member(resolver, ty, hands_on)?;
    let target = values::hit_type(resolver, &hit);
    (target.is_known() && target.holder() != Some(symbol)).then_some(target)
}

/// The type of a member of a type that is known by its bounds only.
pub fn projected(resolver: &Resolver, ty: &Ty, member: &str) -> Ty {
    let hits = members(resolver, ty, member);
    Ty::union(hits.iter().map(|hit| values::hit_value(resolver, hit)))
}

/// The static object inside a type, whose members are reached through the type: Kotlin's
/// companion.
pub fn companion_of(resolver: &Resolver, symbol: SymbolId) -> Option<SymbolId> {
    let view = resolver.view(symbol.file)?;
    let is_companion = |index: &facts::SymbolIndex| {
        let found = view.symbol(*index);
        found.kind == SymbolKind::Object && found.modifiers.contains(Modifiers::STATIC)
    };
    view.children(Some(symbol.index))
        .find(is_companion)
        .map(|index| symbol.beside(index))
}

/// The types that bound a type parameter.
pub fn bounds(resolver: &Resolver, symbol: SymbolId, i: u16) -> Vec<Ty> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Vec::new();
    };
    let Some(parameter) = view.facts.type_parameters(&declared).get(i as usize) else {
        return Vec::new();
    };
    // The name of a bound is looked up inside of what is bounded, and so may lead here again.
    let bounds = resolver.memo.guard(&Guard::Bounds(symbol, i), || {
        let scope = declared.body.unwrap_or(declared.declared_in);
        let place = Place::new(&view, scope, declared.span.end);
        let bounds = view.facts.type_list(parameter.bounds).iter();
        bounds
            .map(|&bound| written::written_type(resolver, place, bound))
            .collect()
    });
    bounds.unwrap_or_default()
}

pub fn members_of_bounds(
    resolver: &Resolver,
    symbol: SymbolId,
    i: u16,
    name: &str,
) -> Vec<MemberHit> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Vec::new();
    };
    let Some(parameter) = view
        .facts
        .type_parameters(&declared)
        .get(i as usize)
        .cloned()
    else {
        return Vec::new();
    };
    // The name of a bound is looked up inside of what is bounded, and so may lead here again.
    let hits = resolver.memo.guard(&Guard::Bounds(symbol, i), || {
        let scope = declared.body.unwrap_or(declared.declared_in);
        let mut hits = Vec::new();
        for &bound in view.facts.type_list(parameter.bounds) {
            let bound =
                written::written_type(resolver, Place::new(&view, scope, declared.span.end), bound);
            if !matches!(bound, Ty::Parameter(..)) {
                hits.extend(members(resolver, &bound, name));
            }
        }
        // Where a type says nothing about its parameter, what is written for the type does:
        // `impl<F: Format> Writer<F>`.
        if hits.is_empty() && declared.kind.is_type() && view.semantics.declarations.impls {
            hits = members_of_implementations(resolver, &view, symbol, i, name);
        }
        hits
    });
    hits.unwrap_or_default()
}

pub fn members_of_implementations(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
    i: u16,
    name: &str,
) -> Vec<MemberHit> {
    let implementations = view
        .facts
        .symbols_with_index()
        .filter(|(_, found)| found.kind == SymbolKind::Impl);
    for (index, _) in implementations.filter(|(_, found)| found.type_parameters.len > 0) {
        let implementation = view.symbol_id(index);
        let Ty::Instance(of, arguments) = owner::self_type(resolver, implementation) else {
            continue;
        };
        if of != symbol {
            continue;
        }
        if let Some(Ty::Parameter(own, j)) = arguments.get(i as usize)
            && *own == implementation
        {
            let hits = members_of_bounds(resolver, implementation, *j, name);
            if !hits.is_empty() {
                return hits;
            }
        }
    }
    Vec::new()
}

/// Members that a type itself declares, in all of its parts, or that are written for it
/// elsewhere.
pub fn own_members(resolver: &Resolver, symbol: SymbolId, name: &str) -> Arc<[SymbolId]> {
    let key = (symbol, Arc::<str>::from(name));
    let table = &resolver.analysis.tables.own_members;
    resolver.memo.memoize_acyclic(
        table,
        key,
        |_| 1,
        || {
            let mut members = Vec::new();
            for part in owner::parts(resolver, symbol) {
                let Some(view) = resolver.view(part.file) else {
                    continue;
                };
                let Some(id) = view.facts.names.find(name) else {
                    continue;
                };
                for index in view.symbols_named(id) {
                    let parent = view.symbol(index).parent;
                    let block = parent
                        .map(|parent| view.symbol(parent))
                        .filter(|parent| parent.kind == SymbolKind::Impl);
                    let explicit = owner::is_explicit_implementation(&view, view.symbol(index));
                    // What a block of extensions declares is a member of the type around as well.
                    let is_held = match block {
                        Some(block) => {
                            block.modifiers.contains(Modifiers::EXTENSION)
                                && block.parent == Some(part.index)
                        }
                        None => {
                            parent == Some(part.index)
                                || parent.is_some() && view.holder_of(index) == Some(part.index)
                        }
                    };
                    if is_held && !explicit {
                        members.push(part.beside(index));
                    }
                }
            }
            members.extend(members_elsewhere(resolver, symbol, name));
            members.sort();
            members.dedup();
            members.into()
        },
    )
}

/// Members of a type that are seen only through the interface they name.
pub fn explicit_members(resolver: &Resolver, symbol: SymbolId, name: &str) -> Vec<SymbolId> {
    let mut members = Vec::new();
    let is_explicit =
        |sketch: &Sketch| sketch.has_owner && sketch.parent.is_some_and(SymbolKind::is_type);
    if !resolver.sketches(name).iter().any(is_explicit) {
        return members;
    }
    for part in owner::parts(resolver, symbol) {
        let Some(view) = resolver.view(part.file) else {
            continue;
        };
        let Some(id) = view.facts.names.find(name) else {
            continue;
        };
        let explicit = view.symbols_named(id).filter(|&index| {
            let found = view.symbol(index);
            found.parent == Some(part.index) && owner::is_explicit_implementation(&view, found)
        });
        members.extend(explicit.map(|index| part.beside(index)));
    }
    members
}

pub fn members_elsewhere(resolver: &Resolver, symbol: SymbolId, name: &str) -> Vec<SymbolId> {
    let Some(view) = resolver.view(symbol.file) else {
        return Vec::new();
    };
    let family = view.semantics.family;
    let type_name = view.name_of(symbol.index).to_owned();
    let mut members = Vec::new();
    let candidates = if view.semantics.declarations.members_in_directory {
        resolver.symbols_named_in(resolver.path(symbol.file).directory(), name)
    } else {
        let outside = |sketch: &&Sketch| {
            sketch.family == family
                && !sketch.modifiers.contains(Modifiers::EXTENSION)
                && (sketch.has_owner || sketch.parent == Some(SymbolKind::Impl))
        };
        let sketches = resolver.sketches(name);
        let outside = sketches.iter().filter(outside);
        outside.map(|sketch| sketch.id).collect()
    };
    for candidate in candidates.iter() {
        let Some((other, declared)) = resolver.symbol(*candidate) else {
            continue;
        };
        if other.semantics.family != family {
            continue;
        }
        let through_impl = declared
            .parent
            .filter(|&parent| other.symbol(parent).kind == SymbolKind::Impl);
        let plausible = match through_impl {
            // An impl has its type's name.
            Some(parent) => other.name_of(parent) == type_name,
            None => {
                declared.owner.is_known()
                    && !owner::is_explicit_implementation(&other, &declared)
                    && mentions_type(&other, declared.owner, &type_name)
            }
        };
        if plausible
            && matches!(owner::self_type(resolver, *candidate), Ty::Instance(of, _) if of == symbol)
        {
            members.push(*candidate);
        }
    }
    members
}

/// Whether the written type's own name is this one.
pub fn mentions_type(view: &FileView, ty: facts::TypeId, name: &str) -> bool {
    match view.facts.type_recipe(ty) {
        facts::TypeRecipe::Name(of) | facts::TypeRecipe::Scoped(_, of) => {
            view.facts.name(of) == name
        }
        facts::TypeRecipe::Apply(head, _) => mentions_type(view, head, name),
        facts::TypeRecipe::Pointer(inner) | facts::TypeRecipe::Reference(inner) => {
            mentions_type(view, inner, name)
        }
        _ => false,
    }
}

/// Whether some supertype is not in the repository, so that a missing member may come from
/// there.
pub fn has_library_base(resolver: &Resolver, symbol: SymbolId) -> bool {
    order::library_supertypes(resolver, symbol, &Ty::instance(symbol)).any(|above| {
        matches!(
            above,
            Ty::Library(..)
                | Ty::External(_)
                | Ty::Unknown
                | Ty::LibraryType(..)
                // A path that nothing in the repository starts: `javax.swing.JFrame`.
                | Ty::Module(_)
        )
    })
}

/// Whether a class of a library may be above a type, so that it may implement members there. An
/// interface of a library implements nothing that another type asks for.
pub fn extends_library(resolver: &Resolver, symbol: SymbolId) -> bool {
    let levels = order::linearized(resolver, symbol, &Ty::instance(symbol));
    let hands_down = |holder: SymbolId| {
        let is_class = !matches!(
            resolver.kind(holder),
            Some(SymbolKind::Interface | SymbolKind::Trait)
        );
        order::supertypes(resolver, holder).iter().any(|above| {
            above.ty.holder().is_none()
                && match above.how {
                    Inherit::Extends => is_class,
                    Inherit::Implements => false,
                    Inherit::Mixin => true,
                }
        })
    };
    levels.iter().filter_map(Ty::holder).any(hands_down)
}

/// The constructors that a type itself declares.
pub fn constructors(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let mut constructors = Vec::new();
    for part in owner::parts(resolver, symbol) {
        let Some(view) = resolver.view(part.file) else {
            continue;
        };
        for child in view.children(Some(part.index)) {
            let found = view.symbol(child);
            let by_name = view
                .semantics
                .construction
                .constructors
                .contains(&view.name_of(child));
            if found.kind == SymbolKind::Constructor || by_name {
                constructors.push(part.beside(child));
            }
        }
    }
    constructors
}

/// What making an object of a type may run where it has constructors: those, and the type itself
/// where its header takes parameters.
pub fn constructed_by(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let mut found = constructors(resolver, symbol);
    if !found.is_empty() {
        let mut parts = owner::parts(resolver, symbol);
        parts.retain(|part| {
            let declared = resolver.symbol(*part);
            declared.is_some_and(|(_, declared)| declared.parameters.len > 0)
        });
        found.extend(parts);
    }
    found
}

/// Whether a member of that name makes an object of the type it is called on.
pub fn constructs(view: &FileView, name: &str) -> bool {
    !name.is_empty() && name == view.semantics.construction.by_member
}

/// The member that runs when an object of the type is made, own or inherited.
pub fn constructor_of(resolver: &Resolver, ty: &Ty) -> Option<SymbolId> {
    let Ty::Type(symbol, _) = ty else { return None };
    let names = resolver
        .view(symbol.file)?
        .semantics
        .construction
        .constructors;
    names
        .iter()
        .find_map(|name| members(resolver, ty, name).first().map(|hit| hit.symbol))
}
