//! Go: packages are directories.

use crate::resolve::{FileView, Found, Resolver, modules, modules::Module};
use facts::{ModuleSystem, ScopeId, SymbolKind};

pub(crate) fn go_package(resolver: &Resolver<'_>, path: &str) -> Module {
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

pub(crate) fn package_member(resolver: &Resolver<'_>, directory: &str, name: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for symbol in resolver.symbols_named_in(directory, name).iter() {
        let path = &resolver.snapshot().file(symbol.file).path;
        let Some((view, declared)) = resolver.symbol(*symbol) else {
            continue;
        };
        let top = declared.declared_in == ScopeId::FILE
            && !declared.owner.is_known()
            && declared.kind != SymbolKind::Namespace;
        if top
            && view.semantics.modules == ModuleSystem::GoPackages
            && !path.as_str().ends_with("_test.go")
        {
            found.push(Found::Symbol(*symbol));
        }
    }
    found
}

/// The package clause of a Go file.
pub(crate) fn go_package_name(view: &FileView) -> Option<String> {
    let clause = view
        .facts
        .symbols
        .iter()
        .find(|symbol| symbol.kind == SymbolKind::Namespace)?;
    Some(view.facts.name(clause.name).to_owned())
}
