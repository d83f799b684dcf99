//! Members that take another's place, and those whose place is taken: what a call through a base,
//! interface or trait may run.

use std::collections::BTreeSet;

use facts::{
    Facts, MemberVisibility, Modifiers, Overriding, ParameterFlags, Symbol, SymbolKind, TypeId,
    TypeRecipe,
};

use crate::{Complete, FileView, Resolver, SymbolId, Ty};

/// How many levels of derived types are looked at.
const MAX_LEVELS: usize = 12;

/// For a member: the members of derived types that override it, or implement it where it has no
/// body of its own (`true`). In order of path and place.
pub fn overriding(resolver: &Resolver, symbol: SymbolId) -> Complete<Vec<(SymbolId, bool)>> {
    let mut found: BTreeSet<(SymbolId, bool)> = BTreeSet::new();
    let Some(member) = Member::of(resolver, symbol).filter(|member| {
        !member.declared.modifiers.contains(Modifiers::FINAL) && member.may_be_overridden(resolver)
    }) else {
        return resolver.budget.finish(Vec::new());
    };
    let implements = member.declared.modifiers.contains(Modifiers::ABSTRACT)
        || matches!(
            resolver.kind(member.holder),
            Some(SymbolKind::Interface | SymbolKind::Trait)
        );
    let mut level = vec![member.holder];
    let mut seen: BTreeSet<SymbolId> = level.iter().copied().collect();
    for _ in 0..MAX_LEVELS {
        let mut next = Vec::new();
        for ty in level {
            for &derived in resolver.derived(ty).iter() {
                if !seen.insert(derived) {
                    continue;
                }
                next.push(derived);
                let mut others = member.counterparts(resolver, derived);
                if member.is_overridden_in_words(resolver) {
                    others.retain(|other| has_any(resolver, *other, Modifiers::OVERRIDE));
                }
                if others.is_empty() && implements {
                    others = member.inherited_by(resolver, derived);
                }
                found.extend(others.into_iter().map(|other| (other, implements)));
            }
        }
        if next.is_empty() || !resolver.budget.spend() {
            break;
        }
        level = next;
    }
    resolver.budget.finish(found.into_iter().collect())
}

/// For a member: the members of the types above that it overrides or implements, nearest first.
pub fn overridden(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let Some(member) = Member::of(resolver, symbol) else {
        return Vec::new();
    };
    let above = resolver.supertypes_declaring(member.holder, &member.name);
    let mut found = Vec::new();
    for ty in &above {
        // A member that names an interface implements what that one declares.
        if member
            .interface
            .as_ref()
            .is_some_and(|of| of.holder() != Some(*ty))
        {
            continue;
        }
        let mut others = member.counterparts(resolver, *ty);
        let says_so = member.declared.modifiers.contains(Modifiers::OVERRIDE);
        others.retain(|other| match member.view.semantics.overriding {
            Overriding::ByName | Overriding::OfVirtual => true,
            Overriding::OfInterfaces => is_interface(resolver, *ty),
            Overriding::Declared => {
                is_interface(resolver, *ty) || says_so && has_any(resolver, *other, OPEN)
            }
        });
        found.extend(others);
    }
    // One that is virtual makes all below it virtual.
    if member.view.semantics.overriding == Overriding::OfVirtual
        && !found.iter().any(|other| has_any(resolver, *other, OPEN))
    {
        found.clear();
    }
    for interface in member.interfaces_of_heirs(resolver) {
        if !above.contains(&interface) {
            found.extend(member.counterparts(resolver, interface));
        }
    }
    found
}

/// Derived types of a class that are asked which interfaces they add: a class of more is a
/// framework's, whose members nobody inherits for an interface of their own.
const MAX_HEIRS: usize = 20;

/// The types that derive from the holder of a member directly.
pub(super) fn heirs(resolver: &Resolver, holder: SymbolId) -> Vec<SymbolId> {
    let derived = resolver.derived(holder);
    match derived.len() {
        0..=MAX_HEIRS => derived.to_vec(),
        _ => Vec::new(),
    }
}

/// What says that a member may be overridden; what overrides may be overridden, too.
const OPEN: Modifiers =
    Modifiers(Modifiers::VIRTUAL.0 | Modifiers::ABSTRACT.0 | Modifiers::OVERRIDE.0);

/// Whether a member or one of its declarations has one of these modifiers.
fn has_any(resolver: &Resolver, member: SymbolId, modifiers: Modifiers) -> bool {
    let has = |symbol: SymbolId| {
        let declared = resolver.symbol(symbol);
        declared.is_some_and(|(_, declared)| declared.modifiers.0 & modifiers.0 != 0)
    };
    has(member) || resolver.declarations_of(member).into_iter().any(has)
}

fn is_interface(resolver: &Resolver, ty: SymbolId) -> bool {
    resolver.kind(ty) == Some(SymbolKind::Interface)
}

/// A member of a type that members of other types may override or implement.
struct Member {
    symbol: SymbolId,
    view: std::sync::Arc<FileView>,
    declared: Symbol,
    holder: SymbolId,
    name: String,
    /// The interface through which alone it is seen: `void IFoo.Bar()`.
    interface: Option<Ty>,
}

impl Member {
    fn of(resolver: &Resolver, symbol: SymbolId) -> Option<Member> {
        let (view, declared) = resolver.symbol(symbol)?;
        let is_member = matches!(
            declared.kind,
            SymbolKind::Method | SymbolKind::Property | SymbolKind::Indexer | SymbolKind::Event
        );
        let fixed = declared.modifiers.contains(Modifiers::STATIC)
            || declared.modifiers.contains(Modifiers::EXTENSION);
        let Ty::Instance(holder, _) = resolver.self_type(symbol) else {
            return None;
        };
        let name = view.name_of(symbol.index).to_owned();
        let interface = resolver.implemented_explicitly(&view, &declared);
        (is_member && !fixed).then_some(Member {
            symbol,
            view,
            declared,
            holder,
            name,
            interface,
        })
    }

    /// Whether members of derived types may take its place.
    fn may_be_overridden(&self, resolver: &Resolver) -> bool {
        match self.view.semantics.overriding {
            Overriding::ByName => true,
            Overriding::OfInterfaces => is_interface(resolver, self.holder),
            Overriding::Declared => {
                is_interface(resolver, self.holder) || has_any(resolver, self.symbol, OPEN)
            }
            Overriding::OfVirtual => {
                has_any(resolver, self.symbol, OPEN)
                    || !overridden(resolver, self.symbol).is_empty()
            }
        }
    }

    /// Whether what overrides it has to say so.
    fn is_overridden_in_words(&self, resolver: &Resolver) -> bool {
        self.view.semantics.overriding == Overriding::Declared
            && !is_interface(resolver, self.holder)
    }

    /// What a type that implements an interface, and has no such member itself, inherits for it from
    /// a class: `class Cart extends Base implements Priced`.
    fn inherited_by(&self, resolver: &Resolver, ty: SymbolId) -> Vec<SymbolId> {
        let above = resolver.supertypes_declaring(ty, &self.name).into_iter();
        let mut classes = above.filter(|above| resolver.kind(*above) == Some(SymbolKind::Class));
        let found = classes.find_map(|class| {
            let found = self.counterparts(resolver, class);
            (!found.is_empty()).then_some(found)
        });
        found.unwrap_or_default()
    }

    /// The interfaces that derived classes implement by inheriting this member. Where types need not
    /// say what they implement, there is nothing to find.
    fn interfaces_of_heirs(&self, resolver: &Resolver) -> Vec<SymbolId> {
        let is_declared = self.view.semantics.members == MemberVisibility::Separate;
        if !is_declared || resolver.kind(self.holder) != Some(SymbolKind::Class) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for heir in heirs(resolver, self.holder) {
            if self.counterparts(resolver, heir).is_empty() {
                found.extend(resolver.supertypes_declaring(heir, &self.name));
            }
        }
        found.retain(|ty| resolver.kind(*ty) == Some(SymbolKind::Interface));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The members of another type that override or implement it: a definition rather than its prototype.
    fn counterparts(&self, resolver: &Resolver, ty: SymbolId) -> Vec<SymbolId> {
        let mut found: Vec<(SymbolId, bool)> = Vec::new();
        // What names the interface comes before a member that only has its name.
        let explicit = resolver.explicit_members(ty, &self.name);
        let for_holder = |member: &SymbolId| {
            let (view, other) = resolver.symbol(*member)?;
            let interface = resolver.implemented_explicitly(&view, &other)?;
            (interface.holder() == Some(self.holder)).then_some(*member)
        };
        let explicit: Vec<SymbolId> = explicit.iter().filter_map(for_holder).collect();
        let members = match explicit.is_empty() {
            true => resolver.own_members(ty, &self.name),
            false => explicit.into(),
        };
        for member in members.iter() {
            let Some((view, other)) = resolver.symbol(*member) else {
                continue;
            };
            let same_kind =
                other.kind == self.declared.kind && !other.modifiers.contains(Modifiers::STATIC);
            let of_class = |symbol: &Symbol| symbol.modifiers.contains(Modifiers::CLASS_METHOD);
            if same_kind
                && of_class(&other) == of_class(&self.declared)
                && self.takes_the_same(&view, &other)
            {
                found.push((*member, other.modifiers.contains(Modifiers::PROTOTYPE)));
            }
        }
        let defined = found.iter().any(|(_, prototype)| !prototype);
        found
            .into_iter()
            .filter(|(_, prototype)| !(defined && *prototype))
            .map(|(member, _)| member)
            .collect()
    }

    /// Where parameters tell members of one name apart, both must take the same, as far as the text
    /// says.
    fn takes_the_same(&self, view: &FileView, other: &Symbol) -> bool {
        if !self.view.semantics.overloads {
            return true;
        }
        let own: Vec<_> = plain(&self.view.facts, &self.declared);
        let theirs: Vec<_> = plain(&view.facts, other);
        own.len() == theirs.len()
            && own
                .iter()
                .zip(&theirs)
                .all(|(own, theirs)| match (own, theirs) {
                    (Some(own), Some(theirs)) => own == theirs,
                    _ => true,
                })
    }
}

/// The names of a member's parameter types; nothing for those that are no plain names, or that
/// are aliases of another type.
fn plain<'facts>(facts: &'facts Facts, symbol: &Symbol) -> Vec<Option<&'facts str>> {
    let is_parameter = |name: &str| {
        facts
            .type_parameters
            .iter()
            .any(|parameter| facts.name(parameter.name) == name)
    };
    let of = |ty: TypeId| match facts.type_recipe(ty) {
        TypeRecipe::Name(name) => Some(facts.name(name)).filter(|name| !is_parameter(name)),
        _ => None,
    };
    let parameters = facts
        .parameters(symbol)
        .iter()
        .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER));
    parameters.map(|parameter| of(parameter.ty)).collect()
}
