//! What the places that have a name mean. Symbols that share a name are looked for in the same
//! places, and what a place means does not depend on who asks: the places of a name are resolved
//! once, for all of its symbols.

use std::sync::Arc;

use facts::{Family, NameId, Role, Span};

use super::{
    answers::answered, calls::enclosing_callable, contents::over_contents, references::Mention,
};
use crate::{ContentNumber, FileView, Found, Outcome, Resolver, Rule, SymbolId};

/// The files of a snapshot in which places are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PlacesIn {
    /// Those of one family of languages.
    Family(Family),
    /// Those of all others.
    OtherFamilies(Family),
}

/// The places that have one name.
#[derive(Debug, Default)]
pub(crate) struct NamedPlaces {
    /// Those that may mean a symbol of the repository: by content, then references, assignments,
    /// imports and exports, each in order.
    pub places: Vec<NamedPlace>,
    /// Files that refer to the name.
    pub n_files: usize,
    /// References that mean a local or something out of a library.
    pub n_elsewhere: usize,
    /// Of those: the ones that are named through something else, and those that are not static.
    pub n_elsewhere_through: usize,
}

/// A place that has a name.
#[derive(Clone, Debug)]
pub(crate) struct NamedPlace {
    pub mention: Mention,
    /// The symbols that it means; several where each is meant or none is chosen.
    pub targets: Box<[SymbolId]>,
    /// The type that is named where its constructor is meant.
    pub named_type: Option<SymbolId>,
    pub kind: PlaceKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    Reference {
        has_receiver: bool,
    },
    /// An assignment that makes a symbol of its own of what the type of the object declares.
    Assignment,
    /// With the name that it binds.
    Import {
        alias: Option<Box<str>>,
    },
    /// With the name that others import.
    Export {
        alias: Option<Box<str>>,
        /// A member of `module.exports = { … }`, which is named in the object.
        is_of_object: bool,
    },
}

/// What the places that have a name mean.
pub(crate) fn places_named(resolver: &Resolver, name: &str, within: PlacesIn) -> Arc<NamedPlaces> {
    let find = || {
        let read = resolver.snapshot().corpus().mentioning(name);
        let contents = resolver.budget.read(read);
        let mut all = NamedPlaces::default();
        for found in over_contents(resolver, &contents, |resolver, content, into| {
            in_content(resolver, content, name, within, into)
        }) {
            all.places.extend(found.places);
            all.n_files += found.n_files;
            all.n_elsewhere += found.n_elsewhere;
            all.n_elsewhere_through += found.n_elsewhere_through;
        }
        all
    };
    let key = (Box::from(name), within);
    answered(resolver, |answers| &answers.places, key, find)
}

/// The same of one content.
pub(crate) fn places_in(
    resolver: &Resolver,
    content: ContentNumber,
    name: &str,
    within: PlacesIn,
) -> NamedPlaces {
    let mut found = NamedPlaces::default();
    in_content(resolver, content, name, within, &mut found);
    found
}

fn in_content(
    resolver: &Resolver,
    content: ContentNumber,
    name: &str,
    within: PlacesIn,
    into: &mut NamedPlaces,
) {
    let snapshot = resolver.snapshot();
    for &file in snapshot.files_of(content) {
        let semantics = snapshot.corpus().semantics(snapshot.file(file).language);
        let is_within = semantics.is_some_and(|semantics| match within {
            PlacesIn::Family(family) => semantics.family == family,
            PlacesIn::OtherFamilies(family) => semantics.family != family,
        });
        if !is_within {
            continue;
        }
        if !resolver.budget.spend() {
            return;
        }
        let Some(view) = resolver.passing_view(file) else {
            continue;
        };
        let Some(id) = view.facts.names.find(name) else {
            continue;
        };
        add_references(resolver, &view, id, into);
        add_assignments(resolver, &view, id, into);
        if let PlacesIn::Family(_) = within {
            add_imports(resolver, &view, id, into);
            add_exports(resolver, &view, id, into);
        }
    }
}

fn add_references(resolver: &Resolver, view: &FileView, name: NameId, into: &mut NamedPlaces) {
    let references = view.facts.references_of(name);
    into.n_files += usize::from(!references.is_empty());
    for reference in references {
        if !resolver.budget.spend() {
            return;
        }
        let resolution = resolver.resolve(view, reference);
        let has_receiver = reference.receiver.is_some();
        let (mut targets, mut named_type) = (Box::default(), None);
        match resolution.outcome {
            Outcome::Unresolved => {}
            Outcome::External => {
                into.n_elsewhere += 1;
                into.n_elsewhere_through += 1;
                continue;
            }
            _ => {
                targets = resolution.symbols().collect();
                named_type = resolution.named_type;
            }
        }
        let is_elsewhere = targets.is_empty() && named_type.is_none();
        if is_elsewhere && !matches!(resolution.outcome, Outcome::Ambiguous | Outcome::Unresolved) {
            into.n_elsewhere += 1;
            into.n_elsewhere_through +=
                usize::from(has_receiver || resolution.outcome != Outcome::Static);
            continue;
        }
        into.places.push(NamedPlace {
            mention: Mention {
                file: view.id,
                span: reference.span,
                line: view.facts.lines.line_number(reference.span.start),
                role: reference.role,
                enclosing: reference.enclosing,
                caller: reference
                    .enclosing
                    .and_then(|enclosing| enclosing_callable(view, enclosing)),
                outcome: resolution.outcome,
                rule: resolution.rule,
                through_type: false,
            },
            targets,
            named_type,
            kind: PlaceKind::Reference { has_receiver },
        });
    }
}

fn add_assignments(resolver: &Resolver, view: &FileView, name: NameId, into: &mut NamedPlaces) {
    for index in view.symbols_named(name) {
        let Some(declared) = resolver.assigned_member(view.symbol_id(index)) else {
            continue;
        };
        let symbol = view.symbol(index);
        into.places.push(NamedPlace {
            mention: Mention {
                file: view.id,
                span: symbol.name_span,
                line: view.facts.lines.line_number(symbol.name_span.start),
                role: Role::Write,
                enclosing: symbol.parent,
                caller: symbol
                    .parent
                    .and_then(|parent| enclosing_callable(view, parent)),
                outcome: Outcome::Static,
                rule: Rule::Member,
                through_type: false,
            },
            targets: Box::from([declared]),
            named_type: None,
            kind: PlaceKind::Assignment,
        });
    }
}

fn add_imports(resolver: &Resolver, view: &FileView, name: NameId, into: &mut NamedPlaces) {
    for (i, import) in view.facts.imports.iter().enumerate() {
        if import.item != Some(name) && import.local != Some(name) {
            continue;
        }
        let targets = resolver.import_targets(view, i as u32);
        let alias = import.local.map(|local| Box::from(view.facts.name(local)));
        into.places.push(NamedPlace {
            mention: imported(view, import.name_span),
            targets: targets.iter().filter_map(Found::symbol).collect(),
            named_type: None,
            kind: PlaceKind::Import { alias },
        });
    }
}

fn add_exports(resolver: &Resolver, view: &FileView, name: NameId, into: &mut NamedPlaces) {
    let facts = &view.facts;
    let exports = facts.exports.iter();
    for export in exports.filter(|export| export.local == Some(name)) {
        let exported = facts.name(export.exported);
        let targets: Box<[SymbolId]> = resolver
            .exported(view, exported)
            .iter()
            .filter_map(Found::symbol)
            .collect();
        if targets.is_empty() {
            continue;
        }
        let is_whole = |other: &facts::Export| {
            other.name_span == export.name_span && facts.name(other.exported) == "="
        };
        into.places.push(NamedPlace {
            mention: imported(view, export.name_span),
            targets,
            named_type: None,
            kind: PlaceKind::Export {
                alias: (exported != "*").then(|| Box::from(exported)),
                is_of_object: exported != "=" && facts.exports.iter().any(is_whole),
            },
        });
    }
}

pub(super) fn imported(view: &FileView, span: Span) -> Mention {
    Mention {
        file: view.id,
        span,
        line: view.facts.lines.line_number(span.start),
        role: Role::Import,
        enclosing: None,
        caller: None,
        outcome: Outcome::Static,
        rule: Rule::Import,
        through_type: false,
    }
}
