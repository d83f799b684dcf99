//! What an import statement brings into its file.

use std::sync::Arc;

use crate::resolve::{FileView, Found, Guard, Resolver, Ty, lookup, modules, modules::Module};
use facts::{Import, ImportKind};

/// What the name bound by an import means: symbols, a module, or a path into a library.
pub fn import_targets(resolver: &Resolver, view: &FileView, index: u32) -> Arc<[Found]> {
    let guard = Guard::Import(view.id, index);
    resolver.memoize_cyclic(
        &resolver.analysis.tables.imports,
        (view.id, index),
        guard,
        Arc::from([]),
        || {
            let import = &view.facts.imports[index as usize];
            resolve_import(resolver, view, import).into()
        },
    )
}

pub fn resolve_import(resolver: &Resolver, view: &FileView, import: &Import) -> Vec<Found> {
    match import.kind {
        ImportKind::Glob | ImportKind::Include => Vec::new(),
        ImportKind::Module => {
            let module = (view.dialect.module_bound_by)(resolver, view, import);
            module
                .into_iter()
                .map(|module| {
                    (view.dialect.exported_whole)(resolver, view, &module)
                        .unwrap_or(Found::Module(module))
                })
                .collect()
        }
        ImportKind::ModuleFile => {
            let module = (view.dialect.declared_module)(resolver, view, import);
            module.into_iter().map(Found::Module).collect()
        }
        ImportKind::Default => imported_item(resolver, view, import, "default"),
        ImportKind::Item => match import.item {
            Some(item) => imported_item(resolver, view, import, view.facts.name(item)),
            None => (view.dialect.module_bound_by)(resolver, view, import)
                .into_iter()
                .map(Found::Module)
                .collect(),
        },
        ImportKind::Static => {
            let Some(item) = import.item else {
                return Vec::new();
            };
            let module = normalized(view.facts.name(import.module));
            let Some(ty) = type_by_qualified_name(resolver, view, &module) else {
                return vec![Found::External(
                    format!("{module}.{}", view.facts.name(item)).into(),
                )];
            };
            lookup::found_members(resolver, &ty, view.facts.name(item))
        }
    }
}

pub fn imported_item(
    resolver: &Resolver,
    view: &FileView,
    import: &Import,
    item: &str,
) -> Vec<Found> {
    let Some(module) = (view.dialect.module_of_import)(resolver, view, import) else {
        return Vec::new();
    };
    let found = modules::module_member(resolver, &module, item, view);
    if !found.is_empty() {
        return found.to_vec();
    }
    if item == "default"
        && let Some(whole) = (view.dialect.exported_whole)(resolver, view, &module)
    {
        return vec![whole];
    }
    match module {
        Module::External(path) => vec![Found::External(
            format!("{path}{}{item}", view.semantics.separator).into(),
        )],
        // A type of that name may hold the item: a nested type, an enum's variant.
        Module::Namespace(path) => match type_by_qualified_name(resolver, view, &path) {
            Some(ty) => lookup::found_members(resolver, &ty, item),
            None => vec![Found::External(format!("{path}.{item}").into())],
        },
        _ => Vec::new(),
    }
}

/// The members of a name that a glob import brings in.
pub fn glob_member(resolver: &Resolver, view: &FileView, index: u32, name: &str) -> Vec<Found> {
    let import = &view.facts.imports[index as usize];
    if view.semantics.declarations.path_keywords.contains(&name) {
        return Vec::new();
    }
    match import.kind {
        ImportKind::Glob => {
            let Some(module) = (view.dialect.module_of_import)(resolver, view, import) else {
                return Vec::new();
            };
            if let Module::External(_) = module {
                return Vec::new();
            }
            let guard = Guard::Module(module.clone(), name.into());
            if resolver.memo.is_in_progress(&guard) {
                return Vec::new();
            }
            let found = modules::module_member(resolver, &module, name, view);
            if !found.is_empty() {
                return found.to_vec();
            }
            // `use Kind::*`, `import static a.B.*`: the members of a type.
            match &module {
                Module::Namespace(path) => match type_by_qualified_name(resolver, view, path) {
                    Some(ty) => lookup::found_members(resolver, &ty, name),
                    None => Vec::new(),
                },
                Module::Type(symbol) => {
                    lookup::found_members(resolver, &Ty::type_of(*symbol), name)
                }
                _ => Vec::new(),
            }
        }
        ImportKind::Static if import.item.is_none() => {
            let module = normalized(view.facts.name(import.module));
            let Some(ty) = type_by_qualified_name(resolver, view, &module) else {
                return Vec::new();
            };
            lookup::found_members(resolver, &ty, name)
        }
        _ => Vec::new(),
    }
}

/// The type with a dotted name: namespace and name, or a type nested in another.
pub fn type_by_qualified_name(resolver: &Resolver, view: &FileView, path: &str) -> Option<Ty> {
    let (outer, name) = path.rsplit_once('.').unwrap_or(("", path));
    for found in
        modules::module_member(resolver, &Module::Namespace(outer.into()), name, view).iter()
    {
        if let Found::Symbol(symbol) = found
            && resolver.kind(*symbol).is_some_and(|kind| kind.is_type())
        {
            return Some(Ty::type_of(*symbol));
        }
    }
    if outer.is_empty() {
        return None;
    }
    let outer = type_by_qualified_name(resolver, view, outer)?;
    let hit = lookup::members(resolver, &outer, name)
        .into_iter()
        .find(|hit| resolver.kind(hit.symbol).is_some_and(|kind| kind.is_type()))?;
    Some(Ty::type_of(hit.symbol))
}

/// A name below a path. The root, which PHP writes as `\\`, is left out.
pub fn below(path: &str, separator: &str, name: &str) -> Arc<str> {
    if matches!(path, "" | "\\") {
        name.into()
    } else {
        format!("{path}{separator}{name}").into()
    }
}

/// Namespaces with one separator, whatever the language writes.
pub fn normalized(path: &str) -> String {
    path.trim_start_matches('\\')
        .replace("::", ".")
        .replace('\\', ".")
}
