//! Go: packages are directories.

use facts::{Family, Import, ScopeId, SymbolKind};

use super::Dialect;
use crate::resolve::{FileView, Found, Resolver, SymbolId, modules, modules::Module};

pub(super) struct Go;

impl Dialect for Go {
    fn module_of_import(
        &self,
        resolver: &Resolver<'_>,
        view: &FileView,
        import: &Import,
    ) -> Option<Module> {
        Some(package(resolver, view.facts.name(import.module)))
    }

    fn member_of_module(&self, resolver: &Resolver<'_>, module: &Module, name: &str) -> Vec<Found> {
        match module {
            Module::Package(directory) => package_member(resolver, directory, name),
            _ => Vec::new(),
        }
    }

    fn siblings(&self, resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
        let directory = resolver.snapshot().file(view.id).path.directory();
        let package = package_name(view);
        let is_sibling = |symbol: &&SymbolId| {
            resolver.symbol(**symbol).is_some_and(|(other, found)| {
                other.semantics.family == Family::Go
                    && found.declared_in == ScopeId::FILE
                    && !found.owner.is_known()
                    && found.kind != SymbolKind::Namespace
                    && package_name(&other) == package
            })
        };
        let named = resolver.symbols_named_in(directory, name);
        let siblings = named.iter().filter(is_sibling);
        siblings.map(|symbol| Found::Symbol(*symbol)).collect()
    }
}

fn package(resolver: &Resolver<'_>, path: &str) -> Module {
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

fn package_member(resolver: &Resolver<'_>, directory: &str, name: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for symbol in resolver.symbols_named_in(directory, name).iter() {
        let path = &resolver.snapshot().file(symbol.file).path;
        let Some((view, declared)) = resolver.symbol(*symbol) else {
            continue;
        };
        let top = declared.declared_in == ScopeId::FILE
            && !declared.owner.is_known()
            && declared.kind != SymbolKind::Namespace;
        if top && view.semantics.family == Family::Go && !path.as_str().ends_with("_test.go") {
            found.push(Found::Symbol(*symbol));
        }
    }
    found
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
