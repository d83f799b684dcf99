//! JavaScript and TypeScript: module specifiers, exports, types by their members.

mod augment;

use facts::{Modifiers, Recipe, SymbolKind};

use super::{Dialect, ModuleWords, USUAL};
use crate::{
    FileId, is_below,
    resolve::{
        FileView, Found, Place, Resolver, SymbolId, Ty, flow::LibraryFlows, lookup, modules,
        modules::Module, scopes, scopes::Space, values,
    },
};

pub(super) static DIALECT: Dialect = Dialect {
    imports_bind_once: true,
    module_of_import: |resolver, view, import| {
        Some(module_named(resolver, view, view.facts.name(import.module)))
    },
    member_of_file: export,
    exported_whole,
    module_words,
    implicitly_visible: |resolver, view, name| match name {
        // What the module exports by itself.
        "exports" => vec![Found::Module(Module::File(view.id))],
        _ => augment::globals(resolver, view, name),
    },
    whole: augment::whole,
    added_parts: augment::added_parts,
    implemented: augment::implemented,
    function_members,
    type_of_symbol,
    flows: &FLOWS,
    ..USUAL
};

const FLOWS: LibraryFlows = LibraryFlows {
    follows_values: true,
    members_are_keys: true,
    decorators_replace: true,
    applies: &[
        "map",
        "filter",
        "forEach",
        "some",
        "every",
        "find",
        "findIndex",
        "findLast",
        "flatMap",
        "reduce",
        "reduceRight",
        "sort",
        "from",
        "replace",
        "then",
        "catch",
        "finally",
        "setTimeout",
        "setInterval",
        "setImmediate",
        "nextTick",
        "queueMicrotask",
        "requestAnimationFrame",
        "addEventListener",
        "on",
        "once",
        "addListener",
    ],
    gives_first: &["freeze", "from", "seal", "promisify"],
    calls_receiver: &["call", "apply"],
    gives_receiver: &["bind", "slice", "concat", "reverse", "filter"],
    gives_element: &["get", "pop", "shift", "at", "find"],
    gives_held: &["values"],
    gives_pairs: &["entries"],
    puts: &[("push", 0), ("unshift", 0), ("add", 0), ("set", 1)],
    merges_into_first: &["assign"],
    ..LibraryFlows::NONE
};

fn type_of_symbol(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> Option<Ty> {
    match view.symbol(symbol.index).kind {
        // A function that `new` makes objects of.
        SymbolKind::Function => Some(Ty::instance(symbol)),
        // `P & { extra: string }` has members of its own beside those of the other types.
        SymbolKind::TypeAlias if view.children(Some(symbol.index)).next().is_some() => {
            let target = values::symbol_type(resolver, symbol);
            Some(Ty::union([target, Ty::instance(symbol)]))
        }
        _ => None,
    }
}

const EXTENSIONS: &[&str] = &[
    "ts", "tsx", "d.ts", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "d.mts", "d.cts",
];

fn module_named(resolver: &Resolver, view: &FileView, specifier: &str) -> Module {
    let own = resolver.path(view.id).directory();
    if specifier.starts_with('.') {
        return match modules::relative(own, specifier).and_then(|path| file_at(resolver, &path)) {
            Some(file) => Module::File(file),
            None => Module::External(specifier.into()),
        };
    }
    let project = resolver.snapshot().project();
    let mut configs: Vec<_> = project
        .script_configs
        .iter()
        .filter(|config| own == config.directory || is_below(own, &config.directory))
        .collect();
    configs.sort_by_key(|config| std::cmp::Reverse(config.directory.len()));
    for config in configs {
        for (pattern, targets) in &config.paths {
            let Some(rest) = modules::matched(pattern, specifier) else {
                continue;
            };
            for target in targets {
                if let Some(file) = file_at(resolver, &target.replacen('*', rest, 1)) {
                    return Module::File(file);
                }
            }
        }
        if let Some(base) = &config.base_url
            && let Some(file) = file_at(resolver, &modules::joined(base, specifier))
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
                && let Some(file) = file_at(
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
            if let Some(file) = file_at(resolver, &path) {
                return Module::File(file);
            }
        }
    }
    Module::External(specifier.into())
}

/// The file that a path without or with a wrong extension means.
fn file_at(resolver: &Resolver, path: &str) -> Option<FileId> {
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
        for extension in EXTENSIONS {
            if let Some(file) = snapshot.find(&format!("{base}.{extension}")) {
                return Some(file);
            }
        }
    }
    if let Some(main) = main_of(resolver, path) {
        return Some(main);
    }
    for extension in EXTENSIONS {
        if let Some(file) = snapshot
            .find(modules::joined(path, &format!("index.{extension}")).trim_start_matches('/'))
        {
            return Some(file);
        }
    }
    None
}

/// The file that the package of a directory is.
fn main_of(resolver: &Resolver, directory: &str) -> Option<FileId> {
    let snapshot = resolver.snapshot();
    let packages = snapshot.project().packages.iter();
    let mut own = packages.filter(|package| package.directory == directory);
    let exports = &own.next()?.exports;
    let (_, main) = exports.iter().find(|(name, _)| name == ".")?;
    snapshot.find(main.trim_start_matches("./"))
}

/// The words of the file, of the directory and the package that mean it, and of the names that
/// configurations have for it.
fn module_words(resolver: &Resolver, file: FileId) -> ModuleWords {
    let path = resolver.path(file);
    let project = resolver.snapshot().project();
    let own = facts::module_word(path.as_str());
    let mut words = vec![own.to_owned()];
    let mut directories = Vec::new();
    if own == "index" {
        directories.push(path.directory().to_owned());
    }
    for package in &project.packages {
        let entries = package.exports.iter();
        for (name, _) in entries.filter(|(_, target)| target == path.as_str()) {
            if name == "." {
                words.push(facts::module_word(&package.name).to_owned());
                directories.push(package.directory.clone());
            } else {
                words.push(facts::module_word(name).to_owned());
            }
        }
    }
    let of_directories = directories.iter();
    words.extend(of_directories.map(|directory| facts::module_word(directory).to_owned()));
    for config in &project.script_configs {
        let means_it = |target: &String| {
            let rest = path.as_str().strip_prefix(target.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        };
        let named = config.paths.iter();
        let named = named.filter(|(_, targets)| targets.iter().any(means_it));
        words.extend(named.map(|(name, _)| facts::module_word(name).to_owned()));
    }
    words.sort();
    words.dedup();
    words.retain(|word| !word.is_empty() && word != "*");
    ModuleWords { words, directories }
}

fn export(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let id = view.facts.names.find(name);
    // What is exported as default need not say the word.
    if id.is_none() && name != "default" {
        return reexports(resolver, view, name);
    }
    let at_end = |name| {
        let name = view.facts.name(name);
        scopes::lookup(resolver, Place::end_of_file(view), name, Space::Value).0
    };
    let mut found = Vec::new();
    for export in view
        .facts
        .exports
        .iter()
        .filter(|export| Some(export.exported) == id)
    {
        match (export.module, export.local) {
            (Some(module), local) => {
                let module = module_named(resolver, view, view.facts.name(module));
                match local.map(|local| view.facts.name(local)) {
                    Some("*") | None => found.push(Found::Module(module)),
                    Some(local) => found.extend(
                        modules::module_member(resolver, &module, local, view)
                            .iter()
                            .cloned(),
                    ),
                }
            }
            (None, Some(local)) => found.extend(at_end(local)),
            (None, None) => match view.facts.recipe(export.value) {
                Recipe::Name(local) => found.extend(at_end(local)),
                Recipe::Symbol(index) => found.push(Found::Symbol(view.symbol_id(index))),
                _ => {}
            },
        }
    }
    if name == "default" {
        let default = view
            .facts
            .symbols_with_index()
            .filter(|(_, symbol)| symbol.modifiers.contains(Modifiers::DEFAULT_EXPORT));
        found.extend(default.map(|(index, _)| Found::Symbol(view.symbol_id(index))));
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
        reexports(resolver, view, name)
    } else {
        found
    }
}

/// `export * from "m"`.
fn reexports(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
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
        let module = module_named(resolver, view, view.facts.name(module));
        let found = modules::module_member(resolver, &module, name, view);
        if !found.is_empty() {
            return found.to_vec();
        }
    }
    Vec::new()
}

fn is_declaration_file(resolver: &Resolver, view: &FileView) -> bool {
    resolver.path(view.id).as_str().contains(".d.")
}

/// What a module itself is where it exports one thing: `module.exports = Cart`. A literal of
/// several things stays a module.
fn exported_whole(resolver: &Resolver, view: &FileView, module: &Module) -> Option<Found> {
    if !matches!(module, Module::File(_)) {
        return None;
    }
    let is_one = |found: &Found| match found {
        // The literal that is assigned to `exports` has its name.
        Found::Symbol(symbol) => resolver.kind(*symbol).is_some_and(|kind| {
            kind.is_type()
                || kind.is_callable()
                || kind.is_value() && resolver.name(*symbol) != "exports"
        }),
        _ => false,
    };
    modules::module_member(resolver, module, "=", view)
        .iter()
        .find(|found| is_one(found))
        .cloned()
}

/// Members that are assigned to a function: `make.fast = …`; where the function is what its
/// module exports, the module's as well.
fn function_members(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
    name: &str,
) -> Vec<Found> {
    let own = lookup::own_members(resolver, symbol, name);
    if !own.is_empty() {
        return own.iter().map(|symbol| Found::Symbol(*symbol)).collect();
    }
    let module = Module::File(symbol.file);
    match exported_whole(resolver, view, &module) {
        Some(Found::Symbol(whole)) if whole == symbol => {
            modules::module_member(resolver, &module, name, view).to_vec()
        }
        _ => Vec::new(),
    }
}
