//! Namespaces that files declare: their members, and who sees them without an import.

use std::{collections::BTreeSet, sync::Arc};

use crate::resolve::{
    FileView, Found, Resolver, Sketch, SymbolId, c, go, imports, modules, modules::Module,
};
use crate::{FileId, is_below};
use facts::{Import, ImportKind, Modifiers, ModuleSystem, ScopeId, SymbolKind};

/// The members of a name that imports for every file of the project bring in: `global using`,
/// or what the project file says.
pub(crate) fn shared_member(resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
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
    let mut seen = Vec::new();
    found.retain(|found| {
        !seen.contains(found) && {
            seen.push(found.clone());
            true
        }
    });
    found
}

/// Whether what a namespace declares can be meant without its path: it is around the file's
/// code, imported, or imported for every file. `name` may also be imported by itself.
pub(crate) fn sees_namespace(
    resolver: &Resolver<'_>,
    view: &FileView,
    namespace: &str,
    name: &str,
) -> bool {
    let is_within = |path: &str| {
        path.strip_prefix(namespace)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    // Written inside a namespace, a path may start there: `using Internal;` in `Shop.Carts`
    // means `Shop.Internal`.
    let is_meant = |path: &str| {
        namespace
            .strip_suffix(path)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let brings = |view: &FileView, import: &Import| match import.kind {
        ImportKind::Glob => is_meant(&imports::normalized(view.facts.name(import.module))),
        // Types of the namespace, whose members they are.
        ImportKind::Static => is_within(&imports::normalized(view.facts.name(import.module))),
        ImportKind::Item => {
            import
                .item
                .is_some_and(|item| view.facts.name(item) == name)
                && is_within(&imports::normalized(view.facts.name(import.module)))
        }
        _ => false,
    };
    view.semantics.modules != facts::ModuleSystem::DeclaredNamespaces
        || namespace.is_empty()
        || view.namespaces().iter().any(|own| is_within(own))
        || view.facts.imports.iter().any(|import| brings(view, import))
        || sharing_files(resolver, view).any(|other| {
            other
                .facts
                .imports
                .iter()
                .any(|import| import.reexported && brings(&other, import))
        })
        || shared_namespaces(resolver, view).any(|shared| shared == namespace)
}

/// The files of the same project that import for all of them.
pub(crate) fn sharing_files(
    resolver: &Resolver<'_>,
    view: &FileView,
) -> impl Iterator<Item = Arc<FileView>> {
    let all: &[(String, FileId)] =
        if view.semantics.modules == facts::ModuleSystem::DeclaredNamespaces {
            all_sharing_files(resolver)
        } else {
            &[]
        };
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
pub(crate) fn all_sharing_files<'a>(resolver: &Resolver<'a>) -> &'a [(String, FileId)] {
    resolver.analysis.tables.sharing_files.get_or_init(|| {
        let snapshot = resolver.snapshot();
        let mut sharing = Vec::new();
        for content in snapshot.corpus().mentioning("*") {
            for &file in snapshot.files_of(content) {
                let shares = |view: &Arc<FileView>| {
                    view.semantics.modules == facts::ModuleSystem::DeclaredNamespaces
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
pub(crate) fn shared_namespaces<'a>(
    resolver: &Resolver<'a>,
    view: &FileView,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let path = resolver.snapshot().file(view.id).path.clone();
    let shared = resolver.snapshot().project().shared_namespaces.iter();
    shared
        .filter(move |(directory, _)| is_below(path.as_str(), directory))
        .map(|(_, namespace)| namespace.as_str())
}

/// The directory of the project that a file belongs to; the root's where there is none.
pub(crate) fn unit_directory<'a>(resolver: &Resolver<'a>, file: FileId) -> &'a str {
    let mut around = resolver
        .snapshot()
        .project()
        .units_around(resolver.snapshot().file(file).path.as_str());
    around
        .find(|unit| unit.manifest.ends_with("proj"))
        .map_or("", |unit| &unit.directory)
}

pub(crate) fn namespace_member(
    resolver: &Resolver<'_>,
    namespace: &str,
    name: &str,
    view: &FileView,
) -> Vec<Found> {
    let (mut exact, mut nested) = (Vec::new(), Vec::new());
    let may_be_meant = |sketch: &&Sketch| {
        let extends = sketch.modifiers.contains(Modifiers::EXTENSION)
            && matches!(sketch.kind, SymbolKind::Method | SymbolKind::Function);
        sketch.family == view.semantics.family
            && (!sketch.has_owner || extends)
            && sketch.kind != SymbolKind::Impl
            && sketch
                .parent
                .is_none_or(|parent| parent == SymbolKind::Namespace || c::is_enumerator(sketch))
            && !c::is_test_case(sketch.family, sketch.modifiers)
    };
    for sketch in resolver.sketches(name).iter().filter(may_be_meant) {
        let symbol = &sketch.id;
        let Some((other, found)) = resolver.symbol(*symbol) else {
            continue;
        };
        let holder = other.holder_of(symbol.index);
        if found.kind == SymbolKind::EnumMember
            && holder.is_some_and(|holder| other.symbol(holder).kind != SymbolKind::Namespace)
        {
            continue;
        }
        let own = match holder {
            Some(holder) => imports::normalized(&other.namespace_of(holder)),
            None => String::new(),
        };
        if own == namespace {
            exact.push(Found::Symbol(*symbol));
        } else if !namespace.is_empty()
            && own.ends_with(namespace)
            && own[..own.len() - namespace.len()].ends_with('.')
        {
            nested.push(Found::Symbol(*symbol));
        }
    }
    if exact.is_empty() { nested } else { exact }
}

/// Names that other files of the same package or namespace declare.
pub(crate) fn siblings(resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
    match view.semantics.modules {
        ModuleSystem::GoPackages => {
            let (directory, package) = (
                resolver
                    .snapshot()
                    .file(view.id)
                    .path
                    .directory()
                    .to_owned(),
                go::go_package_name(view),
            );
            let same = |symbol: &&SymbolId| {
                resolver.symbol(**symbol).is_some_and(|(other, found)| {
                    other.semantics.modules == ModuleSystem::GoPackages
                        && found.declared_in == ScopeId::FILE
                        && !found.owner.is_known()
                        && found.kind != SymbolKind::Namespace
                        && go::go_package_name(&other) == package
                })
            };
            resolver
                .symbols_named_in(&directory, name)
                .iter()
                .filter(same)
                .map(|symbol| Found::Symbol(*symbol))
                .collect()
        }
        _ => {
            let namespaces: BTreeSet<String> = view
                .facts
                .symbols_with_index()
                .filter(|(_, symbol)| symbol.kind == SymbolKind::Namespace)
                .map(|(index, _)| view.namespace_of(index))
                .chain([String::new()])
                .collect();
            for namespace in namespaces.iter().rev() {
                let found = modules::module_member(
                    resolver,
                    &Module::Namespace(namespace.as_str().into()),
                    name,
                    view,
                );
                if !found.is_empty() {
                    return found.to_vec();
                }
            }
            Vec::new()
        }
    }
}
