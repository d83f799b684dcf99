//! Arguments whose type no longer satisfies the interface that a parameter asks for, where having its
//! methods is all that it takes.

use facts::{Modifiers, ParameterFlags, Recipe, Role, Span, Structural, SymbolKind};
use rustc_hash::FxHashSet;

use super::{Break, BreakKind, ChangeSet, EditKind, FindingConfidence, SymbolEdit};
use crate::{FileId, FileView, Outcome, Place, Resolver, Rule, SymbolId, Ty, query};

/// Files that are searched for places, and calls that are looked at, for one pair of types.
const MOST_FILES: usize = 200;
const MOST_CALLS: usize = 500;

/// Types whose embedding is followed for one method.
const MOST_EMBEDDING: usize = 200;

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    let mut seen = FxHashSet::default();
    for edit in &change.edits {
        if !change.head.budget.spend() {
            return;
        }
        for lost in lost_pairs(change, edit) {
            if seen.insert((lost.ty, lost.interface)) {
                into.extend(lost.places(change));
            }
        }
    }
}

/// A type and an interface of the head that it satisfied in the base.
struct LostSatisfaction {
    ty: SymbolId,
    interface: SymbolId,
    /// The method that is missing, or does not fit.
    method: String,
    before: Option<SymbolId>,
    after: Option<SymbolId>,
}

/// What an edit of a method takes from types.
fn lost_pairs(change: &ChangeSet, edit: &SymbolEdit) -> Vec<LostSatisfaction> {
    if edit.kind == EditKind::Body {
        return Vec::new();
    }
    let holder = match (edit.before, edit.after) {
        (Some(before), _) => change.base.self_type(before).holder(),
        (None, Some(after)) => {
            let holder = change.head.self_type(after).holder();
            holder.and_then(|holder| change.before(holder))
        }
        (None, None) => None,
    };
    let Some(holder) = holder.filter(|holder| is_by_structure(change.base, *holder)) else {
        return Vec::new();
    };
    let pairs: Vec<(SymbolId, SymbolId)> = match change.base.kind(holder) {
        Some(SymbolKind::Interface) => {
            let below = change.base.derived(holder);
            below.iter().map(|ty| (*ty, holder)).collect()
        }
        _ => {
            let types = with_embedding(change.base, holder).into_iter();
            let pairs = types.flat_map(|ty| {
                let above = change.base.satisfied(ty);
                above
                    .iter()
                    .map(|interface| (ty, *interface))
                    .collect::<Vec<_>>()
            });
            pairs.collect()
        }
    };
    let (resolver, symbol) = match (edit.before, edit.after) {
        (Some(before), _) => (change.base, before),
        (None, Some(after)) => (change.head, after),
        (None, None) => return Vec::new(),
    };
    let method = resolver.name(symbol);
    let lost = pairs.into_iter().filter_map(|(ty, interface)| {
        let (ty, interface) = (change.after(ty)?, change.after(interface)?);
        let is_lost = change.head.kind(ty) != Some(SymbolKind::Interface)
            && !change.head.has_library_base(ty)
            && !change.head.satisfied(ty).contains(&interface);
        is_lost.then(|| LostSatisfaction {
            ty,
            interface,
            method: method.clone(),
            before: edit.before,
            after: edit.after,
        })
    });
    lost.collect()
}

/// A type, and those that its methods belong to because they embed it.
fn with_embedding(resolver: &Resolver, holder: SymbolId) -> Vec<SymbolId> {
    let mut types = vec![holder];
    let mut i = 0;
    while i < types.len().min(MOST_EMBEDDING) && resolver.budget.spend() {
        for ty in resolver.derived(types[i]).iter() {
            if !types.contains(ty) {
                types.push(*ty);
            }
        }
        i += 1;
    }
    types
}

fn is_by_structure(resolver: &Resolver, ty: SymbolId) -> bool {
    resolver.view(ty.file).is_some_and(|view| {
        view.semantics.structural == Structural::Interfaces
            && !view.semantics.checks.implementations
    })
}

impl LostSatisfaction {
    fn places(&self, change: &ChangeSet) -> Vec<Break> {
        let head = change.head;
        let mut found = Vec::new();
        let mut n_calls = 0;
        for view in files_naming(head, self.interface) {
            for (index, declared) in view.facts.symbols_with_index() {
                if !head.budget.spend() {
                    return found;
                }
                let takes = view.parameters(declared).into_iter().enumerate();
                let takes = takes.filter(|(_, parameter)| {
                    self.is_asked_by(head, &view, declared, parameter.ty)
                        && !parameter.flags.contains(ParameterFlags::VARIADIC)
                });
                for (i, _) in takes.collect::<Vec<_>>() {
                    let function = view.symbol_id(index);
                    self.in_calls(head, (function, i), &mut n_calls, &mut found);
                }
            }
        }
        found.sort_by_key(|of| (of.file, of.span.start));
        found.dedup_by_key(|of| (of.file, of.span.start));
        found
    }

    /// The calls that hand a value of the type to a parameter of a function.
    fn in_calls(
        &self,
        head: &Resolver,
        (function, i): (SymbolId, usize),
        n_calls: &mut usize,
        into: &mut Vec<Break>,
    ) {
        for mention in query::references(head, function).value {
            *n_calls += 1;
            if *n_calls > MOST_CALLS || !head.budget.spend() {
                return;
            }
            if mention.role != Role::Call || mention.outcome != Outcome::Static {
                continue;
            }
            let Some(view) = head.view(mention.file) else {
                continue;
            };
            let mut references = view.facts.references.iter();
            let Some(reference) = references.find(|of| of.span == mention.span) else {
                continue;
            };
            let Some(Recipe::Call(_, arguments)) =
                reference.call.map(|call| view.facts.recipe(call))
            else {
                continue;
            };
            let Some(argument) = view.facts.list(arguments).get(i) else {
                continue;
            };
            if self.is_given(head, Place::of(&view, reference), *argument) {
                into.push(self.at(&view, reference.span, reference.enclosing));
            }
        }
    }

    /// Whether a type in the header of a declaration is the interface.
    fn is_asked_by(
        &self,
        head: &Resolver,
        view: &FileView,
        declared: &facts::Symbol,
        ty: facts::TypeId,
    ) -> bool {
        ty.is_known()
            && matches!(
                head.header_type(view, declared, ty),
                Ty::Instance(of, _) if of == self.interface
            )
    }

    /// Whether an expression is a value of the type.
    fn is_given(&self, head: &Resolver, place: Place, recipe: facts::RecipeId) -> bool {
        matches!(head.eval(place, recipe), Ty::Instance(of, _) if of == self.ty)
    }

    fn at(&self, view: &FileView, span: Span, enclosing: Option<facts::SymbolIndex>) -> Break {
        Break {
            kind: BreakKind::Unimplemented,
            confidence: FindingConfidence::of(!view.facts.symbols.iter().any(is_generic)),
            file: view.id,
            span,
            enclosing,
            name: self.method.clone(),
            before: self.before,
            after: self.after,
            outcome: Outcome::Static,
            rule: Rule::Member,
            n_uses: 0,
            is_import: false,
            root: self.method.clone(),
        }
    }
}

/// Type parameters change what methods take and give.
fn is_generic(symbol: &facts::Symbol) -> bool {
    symbol.type_parameters.len > 0 && !symbol.modifiers.contains(Modifiers::LOCAL)
}

/// The files that mention the name of a type.
fn files_naming(head: &Resolver, ty: SymbolId) -> Vec<std::sync::Arc<FileView>> {
    let snapshot = head.snapshot();
    let name = head.name(ty);
    let contents = head.budget.read(snapshot.corpus().mentioning(&name));
    let mut files: Vec<FileId> = contents
        .into_iter()
        .flat_map(|content| snapshot.files_of(content).iter().copied())
        .collect();
    files.push(ty.file);
    files.sort_unstable();
    files.dedup();
    let files = files.into_iter().take(MOST_FILES);
    files.filter_map(|file| head.view(file)).collect()
}
