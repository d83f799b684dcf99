//! .NET: namespaces, and imports that hold for a whole project.

use std::sync::Arc;

use facts::Family;

use super::{Dialect, LibraryFlows, USUAL};
use crate::{
    FileId, is_below,
    resolve::{FileView, Found, Resolver, imports, modules, modules::Module, namespaces},
};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |_, view, import| Some(namespaces::of_import(view, import)),
    shared_member,
    sees_namespace,
    flows: &LibraryFlows {
        calls_receiver: &["Invoke"],
        ..LibraryFlows::PLAIN
    },
    ..USUAL
};

fn sees_namespace(resolver: &Resolver, view: &FileView, namespace: &str, name: &str) -> bool {
    let is_shared = |other: Arc<FileView>| {
        let mut imports = other.facts.imports.iter();
        imports
            .any(|import| import.reexported && namespaces::brings(&other, import, namespace, name))
    };
    namespaces::sees(view, namespace, name)
        || sharing_files(resolver, view).any(is_shared)
        || shared_namespaces(resolver, view).any(|shared| shared == namespace)
}

/// The members of a name that imports for every file of the project bring in: `global using`,
/// or what the project file says.
fn shared_member(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for other in sharing_files(resolver, view) {
        for (i, _) in other
            .facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| import.reexported)
        {
            found.extend(imports::glob_member(resolver, &other, i as u32, name));
        }
    }
    for namespace in shared_namespaces(resolver, view) {
        found.extend(
            modules::module_member(resolver, &Module::Namespace(namespace.into()), name, view)
                .iter()
                .cloned(),
        );
    }
    let mut unique: Vec<Found> = Vec::new();
    for found in found {
        if !unique.contains(&found) {
            unique.push(found);
        }
    }
    unique
}

/// The files of the same project that import for all of them.
fn sharing_files(resolver: &Resolver, view: &FileView) -> impl Iterator<Item = Arc<FileView>> {
    let all = all_sharing_files(resolver);
    let unit = if all.is_empty() {
        ""
    } else {
        unit_directory(resolver, view.id)
    };
    all.iter()
        .filter(move |(of, _)| of == unit)
        .filter_map(|(_, file)| resolver.view(*file))
}

/// Every file that imports for its whole project, with the project's directory.
fn all_sharing_files<'a>(resolver: &Resolver<'a>) -> &'a [(String, FileId)] {
    let known = &resolver.analysis.tables.sharing_files;
    if let Some(sharing) = known.get() {
        return sharing;
    }
    let snapshot = resolver.snapshot();
    // `global using Shop;`
    let corpus = snapshot.corpus();
    let read = corpus.mentioning_among("*", &|content| corpus.may_hold(content, "global"));
    let Some(contents) = resolver.budget.read(read.map(Some)) else {
        return &[];
    };
    known.get_or_init(|| {
        let mut sharing = Vec::new();
        for content in contents {
            for &file in snapshot.files_of(content) {
                let shares = |view: &Arc<FileView>| {
                    view.semantics.family == Family::DotNet
                        && view.facts.imports.iter().any(|import| import.reexported)
                };
                if resolver.view(file).as_ref().is_some_and(shares) {
                    sharing.push((unit_directory(resolver, file).to_owned(), file));
                }
            }
        }
        sharing.sort();
        sharing
    })
}

/// Namespaces that the project files around a file import for it.
fn shared_namespaces<'a>(
    resolver: &Resolver<'a>,
    view: &FileView,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let path = resolver.path(view.id).clone();
    let shared = resolver.snapshot().project().shared_namespaces.iter();
    shared
        .filter(move |(directory, _)| is_below(path.as_str(), directory))
        .map(|(_, namespace)| namespace.as_str())
}

/// The directory of the project that a file belongs to; the root's where there is none.
fn unit_directory<'a>(resolver: &Resolver<'a>, file: FileId) -> &'a str {
    let mut around = resolver
        .snapshot()
        .project()
        .units_around(resolver.path(file).as_str());
    around
        .find(|unit| unit.manifest.ends_with("proj"))
        .map_or("", |unit| &unit.directory)
}
