//! Modules: sets of names that can be asked for a member.

use std::sync::Arc;

use crate::FileId;
use crate::resolve::{
    FileView, Found, Guard, Resolver, SymbolId, c, go, imports, namespaces, python, rust, script,
};
use facts::{Import, ImportKind, ModuleSystem, ScopeId, SymbolIndex, SymbolKind};

/// A set of names that can be asked for a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    /// A file that is a module by itself.
    File(FileId),
    /// A directory that is a package without a file of its own, by path.
    Directory(Arc<str>),
    /// All files of a directory, by path: Go.
    Package(Arc<str>),
    /// A namespace by its dotted name.
    Namespace(Arc<str>),
    /// A Rust module: a file, or an inline module of it.
    Rust(FileId, Option<SymbolIndex>),
    /// A type used as a module: Rust `use Kind::*`.
    Type(SymbolId),
    /// A library, by the path written.
    External(Arc<str>),
}

/// The module that an import statement names.
pub(crate) fn module_of_import(
    resolver: &Resolver<'_>,
    view: &FileView,
    import: &Import,
) -> Option<Module> {
    let path = view.facts.name(import.module);
    match view.semantics.modules {
        ModuleSystem::PythonPackages => {
            Some(python::python_module(resolver, view, path, import.level))
        }
        ModuleSystem::EcmaScript => Some(script::script_module(resolver, view, path)),
        ModuleSystem::GoPackages => Some(go::go_package(resolver, path)),
        ModuleSystem::RustCrates => rust::rust_path(resolver, view, import.scope, path),
        ModuleSystem::DeclaredNamespaces => {
            Some(Module::Namespace(imports::normalized(path).into()))
        }
        ModuleSystem::Includes if import.kind == ImportKind::Include => {
            c::included_file(resolver, view, path).map(Module::File)
        }
        ModuleSystem::Includes => Some(Module::Namespace(imports::normalized(path).into())),
        ModuleSystem::GlobalConstants | ModuleSystem::None => None,
    }
}

/// The module that the bound name of a module import stands for.
pub(crate) fn imported_module(
    resolver: &Resolver<'_>,
    view: &FileView,
    import: &Import,
) -> Option<Module> {
    // `import a.b.c` binds `a`.
    if view.semantics.modules == ModuleSystem::PythonPackages
        && import.alias_span.is_none()
        && let Some(first) = import.local
    {
        return Some(python::python_module(
            resolver,
            view,
            view.facts.name(first),
            import.level,
        ));
    }
    module_of_import(resolver, view, import)
}

/// What a module gives under a name; nothing if it has no such member.
pub(crate) fn module_member(
    resolver: &Resolver<'_>,
    module: &Module,
    name: &str,
    view: &FileView,
) -> Arc<[Found]> {
    let key = (
        module.clone(),
        Arc::<str>::from(name),
        view.semantics.family,
    );
    let guard = Guard::Module(module.clone(), key.1.clone());
    resolver.memoize_cyclic(
        &resolver.analysis.tables.module_members,
        key,
        guard,
        Arc::from([]),
        || {
            let found = match module {
                Module::File(file) => file_member(resolver, *file, name),
                Module::Directory(directory) => python::python_submodule(resolver, directory, name)
                    .into_iter()
                    .map(Found::Module)
                    .collect(),
                Module::Package(directory) => go::package_member(resolver, directory, name),
                Module::Namespace(namespace) => {
                    namespaces::namespace_member(resolver, namespace, name, view)
                }
                Module::Rust(file, inline) => rust::rust_member(resolver, *file, *inline, name),
                Module::Type(_) | Module::External(_) => Vec::new(),
            };
            found.into()
        },
    )
}

pub(crate) fn file_member(resolver: &Resolver<'_>, file: FileId, name: &str) -> Vec<Found> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    match view.semantics.modules {
        ModuleSystem::EcmaScript => script::script_export(resolver, &view, name),
        ModuleSystem::PythonPackages => {
            let found = file_level(resolver, &view, name);
            if !found.is_empty() {
                return found;
            }
            let path = &resolver.snapshot().file(file).path;
            if path.file_name().starts_with("__init__.")
                && let Some(module) = python::python_submodule(resolver, path.directory(), name)
            {
                return vec![Found::Module(module)];
            }
            through_globs(resolver, &view, name)
        }
        _ => file_level(resolver, &view, name),
    }
}

/// Symbols and imports at the top of a file.
pub(crate) fn file_level(resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
    let Some(id) = view.facts.names.find(name) else {
        return Vec::new();
    };
    let symbols: Vec<Found> = view
        .symbols_named(id)
        .filter(|&index| {
            view.region(view.symbol(index).declared_in) == ScopeId::FILE
                && view.symbol(index).kind != SymbolKind::Impl
        })
        .filter(|&index| {
            view.symbol(index)
                .parent
                .is_none_or(|parent| !view.symbol(parent).kind.is_type())
        })
        .map(|index| {
            Found::Symbol(SymbolId {
                file: view.id,
                index,
            })
        })
        .collect();
    if !symbols.is_empty() {
        return symbols;
    }
    let imports = view.facts.imports.iter().enumerate();
    imports
        .filter(|(_, import)| {
            import.local == Some(id) && view.region(import.scope) == ScopeId::FILE
        })
        .flat_map(|(i, _)| imports::import_targets(resolver, view, i as u32).to_vec())
        .collect()
}

pub(crate) fn through_globs(resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
    for i in 0..view.facts.imports.len() as u32 {
        let found = imports::glob_member(resolver, view, i, name);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

pub(crate) fn joined(directory: &str, name: &str) -> String {
    match (directory.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// `a/b` and `../c` is `a/c`; nothing if it leaves the root.
pub(crate) fn relative(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What `*` stands for when a pattern matches, or nothing to stand for.
pub(crate) fn matched<'path>(pattern: &str, path: &'path str) -> Option<&'path str> {
    match pattern.split_once('*') {
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == path).then_some(""),
    }
}
