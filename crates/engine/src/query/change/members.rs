//! Types that lack a member they must have, and members that override nothing any more.

use facts::{Modifiers, ParameterFlags, SymbolKind};
use rustc_hash::FxHashSet;

use super::{Break, BreakKind, ChangeSet, EditKind, FindingConfidence, SymbolEdit};
use crate::{FileView, Outcome, Resolver, Rule, SymbolId, Ty, query};

/// Types below a type that are looked at.
const MOST_DERIVED: usize = 2_000;

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    let mut seen = FxHashSet::default();
    for edit in &change.edits {
        if !change.head.budget.spend() {
            return;
        }
        if let Some(after) = edit.after.filter(|_| opens_member(change, edit)) {
            let mut lacking = asked_below(change.head, after);
            lacking.retain(|ty| lacks(change.head, *ty, after));
            for &ty in &lacking {
                // Of a class and what extends it, compilers name the class.
                let supertypes = change.head.all_supertypes(ty);
                let is_below = supertypes.iter().any(|above| lacking.contains(above));
                if !is_below && seen.insert((ty, after)) {
                    into.extend(unimplemented(change, ty, after, edit.before));
                }
            }
        }
        if let Some(before) = edit.before.filter(|_| takes_member(edit)) {
            lost_implementation(change, before, &mut seen, into);
            overrides_nothing(change, before, into);
        }
    }
}

/// Whether a member was left open by the change: it is new, or has another name or parameters.
fn opens_member(change: &ChangeSet, edit: &SymbolEdit) -> bool {
    let is_open = |resolver: &Resolver, symbol: Option<SymbolId>| {
        symbol
            .and_then(|symbol| resolver.symbol(symbol))
            .is_some_and(|(_, declared)| {
                declared.modifiers.contains(Modifiers::ABSTRACT) && declared.kind.is_callable()
            })
    };
    let overloads = |symbol: SymbolId| {
        let view = change.head.view(symbol.file);
        view.is_some_and(|view| view.semantics.overloads)
    };
    is_open(change.head, edit.after)
        && (!is_open(change.base, edit.before)
            || edit.kind == EditKind::Renamed
            || edit.parameters && edit.after.is_some_and(overloads))
}

/// Whether a member no longer is what others implement or override, or implements nothing itself.
fn takes_member(edit: &SymbolEdit) -> bool {
    matches!(edit.kind, EditKind::Removed | EditKind::Renamed) || edit.parameters
}

/// The types below a member's type of which it asks an implementation, or a declaration.
fn asked_below(head: &Resolver, member: SymbolId) -> Vec<SymbolId> {
    let Some(holder) = head.self_type(member).holder() else {
        return Vec::new();
    };
    let is_of_interface = head.kind(holder) == Some(SymbolKind::Interface);
    let mut open = vec![holder];
    let mut seen: FxHashSet<SymbolId> = open.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(ty) = open.pop() {
        if seen.len() > MOST_DERIVED || !head.budget.spend() {
            break;
        }
        for &derived in head.derived(ty).iter() {
            if seen.insert(derived) {
                open.push(derived);
                found.push(derived);
            }
        }
    }
    found.retain(|ty| is_concrete(head, *ty) || is_of_interface && must_declare(head, *ty));
    found.sort_unstable();
    found
}

fn is_concrete(head: &Resolver, ty: SymbolId) -> bool {
    head.symbol(ty).is_some_and(|(_, declared)| {
        matches!(
            declared.kind,
            SymbolKind::Class
                | SymbolKind::Struct
                | SymbolKind::Enum
                | SymbolKind::Record
                | SymbolKind::Object
        ) && !declared.modifiers.contains(Modifiers::ABSTRACT)
    })
}

/// Whether a type that cannot be made must declare what its interfaces ask for.
fn must_declare(head: &Resolver, ty: SymbolId) -> bool {
    head.symbol(ty).is_some_and(|(view, declared)| {
        declared.kind == SymbolKind::Class && view.semantics.checks.abstract_classes_declare
    })
}

/// Whether neither a type nor what it extends implements a member; of a type that cannot be made,
/// whether none declares it.
fn lacks(head: &Resolver, ty: SymbolId, member: SymbolId) -> bool {
    let Some((view, wanted)) = head.symbol(member) else {
        return false;
    };
    let name = view.name_of(member.index);
    let n_wanted = view.parameters(&wanted).len();
    let fits = |view: &FileView, declared: &facts::Symbol| {
        let parameters = view.parameters(declared);
        let optional = |flags: ParameterFlags| {
            flags.contains(ParameterFlags::OPTIONAL) || flags.contains(ParameterFlags::VARIADIC)
        };
        let needed = parameters.iter().filter(|one| !optional(one.flags));
        match view.semantics.checks.fewer_parameters {
            true => needed.count() <= n_wanted,
            false => parameters.len() == n_wanted,
        }
    };
    let mut types = head.all_supertypes(ty);
    types.push(ty);
    let declares = !is_concrete(head, ty);
    let is_of_class = |symbol| {
        let holder = head.self_type(symbol).holder();
        holder.and_then(|holder| head.kind(holder)) == Some(SymbolKind::Class)
    };
    let implements = |symbol: &SymbolId| {
        head.symbol(*symbol).is_some_and(|(view, declared)| {
            let is_open = declared.modifiers.contains(Modifiers::ABSTRACT);
            (!is_open || declares && is_of_class(*symbol))
                && (!view.semantics.overloads || declared.kind.is_value() || fits(&view, &declared))
        })
    };
    !types
        .iter()
        .any(|ty| head.own_members(*ty, name).iter().any(implements))
}

fn unimplemented(
    change: &ChangeSet,
    ty: SymbolId,
    member: SymbolId,
    before: Option<SymbolId>,
) -> Option<Break> {
    let (view, declared) = change.head.symbol(ty)?;
    let sure = view.semantics.checks.implementations
        && !is_generated_for(change.head, ty)
        && !change.head.extends_library(ty);
    Some(Break {
        kind: BreakKind::Unimplemented,
        confidence: FindingConfidence::of(sure),
        file: ty.file,
        span: declared.name_span,
        enclosing: Some(ty.index),
        name: change.head.name(member),
        before,
        after: Some(member),
        outcome: Outcome::Static,
        rule: Rule::Member,
        root: view.name_of(ty.index).to_owned(),
        is_import: false,
        n_uses: 0,
    })
}

/// Whether annotations may add members to a type.
pub(super) fn is_generated_for(head: &Resolver, ty: SymbolId) -> bool {
    head.view(ty.file).is_some_and(|view| {
        let mut annotations = view.facts.annotations.iter();
        annotations.any(|annotation| annotation.symbol == ty.index)
            || view.symbol(ty.index).modifiers.contains(Modifiers::PARTIAL)
    })
}

/// A member that implemented an open one is gone, and its type implements it no more.
fn lost_implementation(
    change: &ChangeSet,
    before: SymbolId,
    seen: &mut FxHashSet<(SymbolId, SymbolId)>,
    into: &mut Vec<Break>,
) {
    let Some(holder) = change.base.self_type(before).holder() else {
        return;
    };
    let Some(ty) = change
        .after(holder)
        .filter(|ty| is_concrete(change.head, *ty))
    else {
        return;
    };
    for open in query::overridden(change.base, before) {
        let Some(after) = change.after(open) else {
            continue;
        };
        let is_open = change
            .head
            .symbol(after)
            .is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::ABSTRACT));
        let still_below = || {
            let above = change.head.self_type(after).holder();
            above.is_some_and(|above| change.head.all_supertypes(ty).contains(&above))
        };
        if is_open && still_below() && seen.insert((ty, after)) && lacks(change.head, ty, after) {
            into.extend(unimplemented(change, ty, after, Some(open)));
        }
    }
}

/// Members that overrode what is gone and say so.
fn overrides_nothing(change: &ChangeSet, before: SymbolId, into: &mut Vec<Break>) {
    for (former, _) in query::overriding(change.base, before).value {
        let Some(after) = change.after(former) else {
            continue;
        };
        let Some((view, declared)) = change.head.symbol(after) else {
            continue;
        };
        let in_block_of_supertype = declared.parent.is_some_and(|parent| {
            view.symbol(parent).kind == SymbolKind::Impl
                && view.facts.supertypes.iter().any(|of| of.symbol == parent)
        });
        let says_so = declared.modifiers.contains(Modifiers::OVERRIDE) || in_block_of_supertype;
        let Ty::Instance(holder, _) = change.head.self_type(after) else {
            continue;
        };
        if !says_so
            || change.head.has_library_base(holder)
            || !query::overridden(change.head, after).is_empty()
        {
            continue;
        }
        into.push(Break {
            kind: BreakKind::Override,
            confidence: FindingConfidence::of(view.semantics.checks.members),
            file: after.file,
            span: declared.name_span,
            enclosing: Some(after.index),
            name: view.name_of(after.index).to_owned(),
            before: Some(before),
            after: change.after(before),
            outcome: Outcome::Static,
            rule: Rule::Member,
            root: view.name_of(after.index).to_owned(),
            is_import: false,
            n_uses: 0,
        });
    }
}
