//! Modules: sets of names that can be asked for a member.

use std::sync::Arc;

use facts::{ScopeId, SymbolIndex, SymbolKind};

use crate::{
    FileId,
    resolve::{FileView, Found, Guard, Resolver, SymbolId, Ty, imports, lookup, namespaces},
};

/// A set of names that can be asked for a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    /// A file that is a module by itself.
    File(FileId),
    /// A directory that is a package without a file of its own, by path.
    Directory(Arc<str>),
    /// All files of a directory, by path.
    Package(Arc<str>),
    /// A namespace by its dotted name.
    Namespace(Arc<str>),
    /// A module of a tree that starts at a root file: a file, or an inline module of it.
    Tree(FileId, Option<SymbolIndex>),
    /// A type used as a module: `use Kind::*`.
    Type(SymbolId),
    /// A library, by the path written.
    External(Arc<str>),
}

/// What a module gives under a name; nothing if it has no such member.
pub fn module_member(
    resolver: &Resolver,
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
                Module::File(file) => resolver.view(*file).map_or_else(Vec::new, |file| {
                    (file.dialect.member_of_file)(resolver, &file, name)
                }),
                Module::Namespace(namespace) => {
                    namespaces::namespace_member(resolver, namespace, name, view)
                }
                Module::Type(symbol) => {
                    lookup::found_members(resolver, &Ty::type_of(*symbol), name)
                }
                module => (view.dialect.member_of_module)(resolver, module, name),
            };
            found.into()
        },
    )
}

/// Symbols and imports at the top of a file.
pub fn file_level(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
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
        .map(|index| Found::Symbol(view.symbol_id(index)))
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

pub fn through_globs(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    for i in 0..view.facts.imports.len() as u32 {
        let found = imports::glob_member(resolver, view, i, name);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

pub fn joined(directory: &str, name: &str) -> String {
    match (directory.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// `a/b` and `../c` is `a/c`; nothing if it leaves the root.
pub fn relative(directory: &str, path: &str) -> Option<String> {
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

/// The text that `*` matches; empty where the pattern has none and matches.
pub fn matched<'path>(pattern: &str, path: &'path str) -> Option<&'path str> {
    match pattern.split_once('*') {
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == path).then_some(""),
    }
}
