//! The places of a local variable in its file.

use std::collections::BTreeSet;

use engine::{FileId, FileView, Found, Place, Resolver};
use facts::{BindingId, BindingKind, Facts, NameId, Span};

/// References, later assignments and, where wanted, the first binding of a local variable.
///
/// Bindings belong together where one place may mean either, and where an assignment means what was
/// bound before.
pub fn spans(
    resolver: &Resolver<'_>,
    file: FileId,
    binding: BindingId,
    include_declaration: bool,
) -> BTreeSet<Span> {
    let Some(view) = resolver.view(file) else {
        return BTreeSet::new();
    };
    let Some(bound) = view.facts.bindings.get(binding.0 as usize) else {
        return BTreeSet::new();
    };
    let groups = groups(resolver, &view, file, bound.name);
    let mut same: BTreeSet<BindingId> = BTreeSet::from([binding]);
    let is_meant = |same: &BTreeSet<BindingId>, group: &VariableGroup| {
        group.bindings.iter().any(|binding| same.contains(binding))
    };
    loop {
        let n_known = same.len();
        for group in &groups {
            if is_meant(&same, group) {
                same.extend(&group.bindings);
            }
        }
        if same.len() == n_known {
            break;
        }
    }
    let meaning = groups.iter().filter(|group| is_meant(&same, group));
    let mut spans: BTreeSet<Span> = meaning.filter_map(|group| group.reference).collect();
    let bound: BTreeSet<Span> = same
        .iter()
        .map(|id| &view.facts.bindings[id.0 as usize])
        .filter(|binding| binding.kind != BindingKind::Narrowing)
        .map(|binding| binding.name_span)
        .collect();
    spans.extend(&bound);
    if let Some(declared) = bound.first()
        && !include_declaration
    {
        spans.remove(declared);
    }
    spans
}

/// Bindings that are one variable.
struct VariableGroup {
    /// The reference that may mean each of them.
    reference: Option<Span>,
    bindings: Vec<BindingId>,
}

fn groups(
    resolver: &Resolver<'_>,
    view: &FileView,
    file: FileId,
    name: NameId,
) -> Vec<VariableGroup> {
    let own = |targets: &[Found]| -> Vec<BindingId> {
        let own = targets.iter().filter_map(|found| match found {
            Found::Binding(of, id) if *of == file => Some(*id),
            _ => None,
        });
        own.collect()
    };
    let references = view.facts.references_of(name).iter();
    let mut groups: Vec<VariableGroup> = references
        .filter(|reference| reference.receiver.is_none())
        .map(|reference| VariableGroup {
            reference: Some(reference.span),
            bindings: own(&resolver.resolve(view, reference).targets),
        })
        .collect();
    for id in bindings_of(&view.facts, name) {
        let bound = &view.facts.bindings[id.0 as usize];
        if matches!(
            bound.kind,
            BindingKind::Assignment
                | BindingKind::Narrowing
                | BindingKind::Outer
                | BindingKind::Enclosing
        ) {
            let place = Place::new(view, bound.scope, bound.name_span.start);
            let before = resolver.name_at(place, view.facts.name(name));
            let mut bindings = before
                .map(|resolution| own(&resolution.targets))
                .unwrap_or_default();
            bindings.push(id);
            groups.push(VariableGroup {
                reference: None,
                bindings,
            });
        }
    }
    groups
}

fn bindings_of(facts: &Facts, name: NameId) -> impl Iterator<Item = BindingId> {
    let start = facts
        .bindings
        .partition_point(|binding| binding.name < name);
    let end = facts
        .bindings
        .partition_point(|binding| binding.name <= name);
    (start..end).map(|i| BindingId(i as u32))
}
