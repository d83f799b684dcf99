//! JavaScript and TypeScript: module specifiers, exports.

use crate::resolve::{
    FileView, Found, Place, Resolver, SymbolId, modules, modules::Module, scopes, scopes::Space,
};
use crate::{FileId, is_below};
use facts::{Modifiers, Recipe};

pub(crate) const SCRIPT_EXTENSIONS: &[&str] = &[
    "ts", "tsx", "d.ts", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "d.mts", "d.cts",
];

pub(crate) fn script_module(resolver: &Resolver<'_>, view: &FileView, specifier: &str) -> Module {
    let own = resolver
        .snapshot()
        .file(view.id)
        .path
        .directory()
        .to_owned();
    if specifier.starts_with('.') {
        return match modules::relative(&own, specifier)
            .and_then(|path| script_file(resolver, &path))
        {
            Some(file) => Module::File(file),
            None => Module::External(specifier.into()),
        };
    }
    let project = resolver.snapshot().project();
    let mut configs: Vec<_> = project
        .script_configs
        .iter()
        .filter(|config| own == config.directory || is_below(&own, &config.directory))
        .collect();
    configs.sort_by_key(|config| std::cmp::Reverse(config.directory.len()));
    for config in configs {
        for (pattern, targets) in &config.paths {
            let Some(rest) = modules::matched(pattern, specifier) else {
                continue;
            };
            for target in targets {
                if let Some(file) = script_file(resolver, &target.replacen('*', rest, 1)) {
                    return Module::File(file);
                }
            }
        }
        if let Some(base) = &config.base_url
            && let Some(file) = script_file(resolver, &modules::joined(base, specifier))
        {
            return Module::File(file);
        }
    }
    for package in &project.packages {
        let Some(rest) = specifier
            .strip_prefix(package.name.as_str())
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            continue;
        };
        if package.name.is_empty() {
            continue;
        }
        let wanted = if rest.is_empty() {
            ".".to_owned()
        } else {
            format!(".{rest}")
        };
        for (pattern, target) in &package.exports {
            if let Some(star) = modules::matched(pattern, &wanted)
                && let Some(file) = script_file(
                    resolver,
                    &modules::joined(&package.directory, &target.replacen('*', star, 1)),
                )
            {
                return Module::File(file);
            }
        }
        let direct = modules::joined(&package.directory, rest.trim_start_matches('/'));
        for path in [
            direct.clone(),
            modules::joined(&package.directory, &format!("src{rest}")),
        ] {
            if let Some(file) = script_file(resolver, &path) {
                return Module::File(file);
            }
        }
    }
    Module::External(specifier.into())
}

/// The file that a path without or with a wrong extension means.
pub(crate) fn script_file(resolver: &Resolver<'_>, path: &str) -> Option<FileId> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let snapshot = resolver.snapshot();
    if let Some(file) = snapshot.find(path)
        && resolver.view(file).is_some()
    {
        return Some(file);
    }
    // `./cart.js` in the text is `cart.ts` on disk.
    let stem = [".js", ".jsx", ".mjs", ".cjs"]
        .iter()
        .find_map(|extension| path.strip_suffix(extension));
    for base in stem.into_iter().chain([path]) {
        for extension in SCRIPT_EXTENSIONS {
            if let Some(file) = snapshot.find(&format!("{base}.{extension}")) {
                return Some(file);
            }
        }
    }
    for extension in SCRIPT_EXTENSIONS {
        if let Some(file) = snapshot
            .find(modules::joined(path, &format!("index.{extension}")).trim_start_matches('/'))
        {
            return Some(file);
        }
    }
    None
}

pub(crate) fn script_export(resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
    let id = view.facts.names.find(name);
    // What is exported as default need not say the word.
    if id.is_none() && name != "default" {
        return script_reexports(resolver, view, name);
    }
    let mut found = Vec::new();
    for export in view
        .facts
        .exports
        .iter()
        .filter(|export| Some(export.exported) == id)
    {
        match (export.module, export.local) {
            (Some(module), local) => {
                let module = script_module(resolver, view, view.facts.name(module));
                match local.map(|local| view.facts.name(local)) {
                    Some("*") | None => found.push(Found::Module(module)),
                    Some(local) => found.extend(
                        modules::module_member(resolver, &module, local, view)
                            .iter()
                            .cloned(),
                    ),
                }
            }
            (None, Some(local)) => found.extend(
                scopes::lookup(
                    resolver,
                    Place::end_of_file(view),
                    view.facts.name(local),
                    Space::Value,
                )
                .0,
            ),
            (None, None) => match view.facts.recipe(export.value) {
                Recipe::Name(local) => found.extend(
                    scopes::lookup(
                        resolver,
                        Place::end_of_file(view),
                        view.facts.name(local),
                        Space::Value,
                    )
                    .0,
                ),
                Recipe::Symbol(index) => found.push(Found::Symbol(SymbolId {
                    file: view.id,
                    index,
                })),
                _ => {}
            },
        }
    }
    if name == "default" {
        let default = view
            .facts
            .symbols_with_index()
            .filter(|(_, symbol)| symbol.modifiers.contains(Modifiers::DEFAULT_EXPORT));
        found.extend(default.map(|(index, _)| {
            Found::Symbol(SymbolId {
                file: view.id,
                index,
            })
        }));
    }
    if found.is_empty() {
        let exported = |found: &Found| match found {
            // What is only imported here is another file's.
            Found::Symbol(symbol) => {
                symbol.file == view.id
                    && view
                        .symbol(symbol.index)
                        .modifiers
                        .contains(Modifiers::EXPORTED)
                    || is_declaration_file(resolver, view)
            }
            _ => false,
        };
        found = modules::file_level(resolver, view, name)
            .into_iter()
            .filter(exported)
            .collect();
    }
    found.dedup();
    if found.is_empty() {
        script_reexports(resolver, view, name)
    } else {
        found
    }
}

/// `export * from "m"`.
pub(crate) fn script_reexports(resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
    if name == "default" {
        return Vec::new();
    }
    let Some(star) = view.facts.names.find("*") else {
        return Vec::new();
    };
    for export in view
        .facts
        .exports
        .iter()
        .filter(|export| export.exported == star)
    {
        let Some(module) = export.module else {
            continue;
        };
        let module = script_module(resolver, view, view.facts.name(module));
        let found = modules::module_member(resolver, &module, name, view);
        if !found.is_empty() {
            return found.to_vec();
        }
    }
    Vec::new()
}

pub(crate) fn is_declaration_file(resolver: &Resolver<'_>, view: &FileView) -> bool {
    resolver
        .snapshot()
        .file(view.id)
        .path
        .as_str()
        .contains(".d.")
}
