//! Go: packages are directories.

use facts::{Family, ScopeId, Symbol, SymbolKind};

use super::{Dialect, USUAL};
use crate::resolve::{FileView, Found, Resolver, SymbolId, modules, modules::Module};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |resolver, view, import| {
        Some(package(resolver, view.facts.name(import.module)))
    },
    member_of_module,
    siblings,
    ..USUAL
};

fn siblings(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let directory = resolver.path(view.id).directory();
    let package = package_name(view);
    let is_sibling = |symbol: &&SymbolId| {
        resolver.symbol(**symbol).is_some_and(|(other, found)| {
            is_of_package(&other, &found) && package_name(&other) == package
        })
    };
    let named = resolver.symbols_named_in(directory, name);
    let siblings = named.iter().filter(is_sibling);
    siblings.map(|symbol| Found::Symbol(*symbol)).collect()
}

/// Whether a symbol is a name of its package.
fn is_of_package(view: &FileView, symbol: &Symbol) -> bool {
    view.semantics.family == Family::Go
        && symbol.declared_in == ScopeId::FILE
        && !symbol.owner.is_known()
        && symbol.kind != SymbolKind::Namespace
}

fn package(resolver: &Resolver, path: &str) -> Module {
    let project = resolver.snapshot().project();
    for module in &project.go_modules {
        for (replaced, directory) in &module.replaces {
            if let Some(rest) = path
                .strip_prefix(replaced.as_str())
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                return Module::Package(
                    modules::joined(directory, rest.trim_start_matches('/')).into(),
                );
            }
        }
    }
    let owner = project
        .go_modules
        .iter()
        .filter_map(|module| Some((module, path.strip_prefix(module.path.as_str())?)))
        .filter(|(_, rest)| rest.is_empty() || rest.starts_with('/'))
        .max_by_key(|(module, _)| module.path.len());
    match owner {
        Some((module, rest)) => {
            Module::Package(modules::joined(&module.directory, rest.trim_start_matches('/')).into())
        }
        None => Module::External(path.into()),
    }
}

fn member_of_module(resolver: &Resolver, module: &Module, name: &str) -> Vec<Found> {
    let Module::Package(directory) = module else {
        return Vec::new();
    };
    let is_member = |symbol: &&SymbolId| {
        let path = resolver.path(symbol.file);
        let declared = resolver.symbol(**symbol);
        declared.is_some_and(|(view, declared)| is_of_package(&view, &declared))
            && !path.as_str().ends_with("_test.go")
    };
    let named = resolver.symbols_named_in(directory, name);
    let members = named.iter().filter(is_member);
    members.map(|symbol| Found::Symbol(*symbol)).collect()
}

/// The package clause of a Go file.
fn package_name(view: &FileView) -> Option<String> {
    let clause = view
        .facts
        .symbols
        .iter()
        .find(|symbol| symbol.kind == SymbolKind::Namespace)?;
    Some(view.facts.name(clause.name).to_owned())
}
