//! Rust: the module tree of a crate.

use crate::resolve::{FileView, Found, Resolver, SymbolId, imports, modules, modules::Module};
use crate::{FileId, is_below, project::outer};
use facts::{Import, ImportKind, ScopeId, SymbolIndex, SymbolKind};

/// The module a `use` path or any path names, seen from a scope of a file.
pub(crate) fn rust_path(
    resolver: &Resolver<'_>,
    view: &FileView,
    scope: ScopeId,
    path: &str,
) -> Option<Module> {
    let mut parts = path
        .split("::")
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let own = rust_module_at(view, scope);
    let Some(first) = parts.next() else {
        return Some(own);
    };
    let mut module = match first {
        "crate" | "$crate" => rust_crate_root(resolver, view.id),
        "self" => own,
        "super" => rust_parent(resolver, &own)?,
        name => rust_first(resolver, view, &own, name)?,
    };
    for part in parts {
        module = match part {
            "self" => module,
            "super" => rust_parent(resolver, &module)?,
            name => rust_step(resolver, &module, name, view)?,
        };
    }
    Some(module)
}

pub(crate) fn rust_first(
    resolver: &Resolver<'_>,
    view: &FileView,
    own: &Module,
    name: &str,
) -> Option<Module> {
    if let Some(module) = rust_step(resolver, own, name, view)
        && !matches!(module, Module::External(_))
    {
        return Some(module);
    }
    if let Some(krate) = rust_dependency(resolver, view.id, name) {
        return Some(krate);
    }
    Some(Module::External(name.into()))
}

/// A crate by the name it has in the code of a file.
pub(crate) fn rust_dependency(resolver: &Resolver<'_>, file: FileId, name: &str) -> Option<Module> {
    let project = resolver.snapshot().project();
    let own = rust_crate(resolver, file);
    let root = |directory: &str| {
        let krate = project
            .cargo_crates
            .iter()
            .find(|krate| krate.directory == directory)?;
        resolver.snapshot().find(krate.library.as_deref()?)
    };
    if let Some(krate) = own {
        if krate.name == name
            && let Some(library) = krate
                .library
                .as_deref()
                .and_then(|path| resolver.snapshot().find(path))
        {
            return Some(Module::Rust(library, None));
        }
        let dependency = krate.dependencies.iter().find(|(used, _)| used == name);
        if let Some((_, Some(directory))) = dependency {
            return root(directory).map(|file| Module::Rust(file, None));
        }
        if dependency.is_some() {
            return Some(Module::External(name.into()));
        }
    }
    let krate = project
        .cargo_crates
        .iter()
        .find(|krate| krate.name == name)?;
    root(&krate.directory).map(|file| Module::Rust(file, None))
}

pub(crate) fn rust_step(
    resolver: &Resolver<'_>,
    module: &Module,
    name: &str,
    view: &FileView,
) -> Option<Module> {
    if let Module::External(path) = module {
        return Some(Module::External(format!("{path}::{name}").into()));
    }
    let found = modules::module_member(resolver, module, name, view);
    for found in found.iter() {
        match found {
            Found::Module(module) => return Some(module.clone()),
            Found::Symbol(symbol) => match resolver.kind(*symbol)? {
                SymbolKind::Module => {
                    return Some(Module::Rust(symbol.file, Some(symbol.index)));
                }
                kind if kind.is_type() => return Some(Module::Type(*symbol)),
                _ => {}
            },
            Found::External(path) => return Some(Module::External(path.clone())),
            _ => {}
        }
    }
    None
}

pub(crate) fn rust_crate<'a>(
    resolver: &Resolver<'a>,
    file: FileId,
) -> Option<&'a crate::CargoCrate> {
    let path = resolver.snapshot().file(file).path.as_str();
    let crates = resolver.snapshot().project().cargo_crates.iter();
    crates
        .filter(|krate| is_below(path, &krate.directory))
        .max_by_key(|krate| krate.directory.len())
}

/// The innermost inline module around a scope, else the file's own.
pub(crate) fn rust_module_at(view: &FileView, scope: ScopeId) -> Module {
    for scope in view.outwards(scope) {
        if let Some(owner) = view.facts.scope(scope).owner
            && view.symbol(owner).kind == SymbolKind::Module
        {
            return Module::Rust(view.id, Some(owner));
        }
    }
    Module::Rust(view.id, None)
}

pub(crate) fn rust_is_root(resolver: &Resolver<'_>, file: FileId) -> bool {
    let path = &resolver.snapshot().file(file).path;
    if let Some(krate) = rust_crate(resolver, file)
        && krate.roots.iter().any(|root| root == path.as_str())
    {
        return true;
    }
    let directory = path.directory();
    let last = directory.rsplit('/').next().unwrap_or("");
    matches!(path.file_name(), "lib.rs" | "main.rs" | "build.rs")
        || matches!(last, "bin" | "tests" | "examples" | "benches")
}

/// A file beside it that says `mod` of its name: `tests/tests.rs` with `mod feature;`.
pub(crate) fn rust_declared_beside(resolver: &Resolver<'_>, file: FileId) -> Option<FileId> {
    let path = &resolver.snapshot().file(file).path;
    let stem = path.file_name().trim_end_matches(".rs");
    let beside = resolver
        .snapshot()
        .below(path.directory())
        .filter(|(id, other)| {
            *id != file
                && other.path.directory() == path.directory()
                && other.path.as_str().ends_with(".rs")
        });
    for (id, _) in beside {
        let Some(view) = resolver.view(id) else {
            continue;
        };
        let declares = view.facts.imports.iter().any(|import| {
            import.kind == ImportKind::ModuleFile
                && import
                    .local
                    .is_some_and(|name| view.facts.name(name) == stem)
                && import.scope == ScopeId::FILE
        });
        if declares {
            return Some(id);
        }
    }
    None
}

pub(crate) fn rust_crate_root(resolver: &Resolver<'_>, file: FileId) -> Module {
    let mut module = Module::Rust(file, None);
    // Module trees are shallow; the bound guards against links in a circle.
    for _ in 0..64 {
        match rust_parent(resolver, &module) {
            Some(parent) => module = parent,
            None => break,
        }
    }
    module
}

pub(crate) fn rust_parent(resolver: &Resolver<'_>, module: &Module) -> Option<Module> {
    let Module::Rust(file, inline) = module else {
        return None;
    };
    if let Some(inline) = inline {
        let view = resolver.view(*file)?;
        let mut parent = view.symbol(*inline).parent;
        while let Some(index) = parent {
            if view.symbol(index).kind == SymbolKind::Module {
                return Some(Module::Rust(*file, Some(index)));
            }
            parent = view.symbol(index).parent;
        }
        return Some(Module::Rust(*file, None));
    }
    let known = resolver.analysis.tables.rust_modules.lock().get(file);
    if let Some(parent) = known {
        return parent;
    }
    let parent = rust_parent_file(resolver, *file);
    resolver
        .analysis
        .tables
        .rust_modules
        .lock()
        .keep(*file, parent.clone(), 1);
    parent
}

pub(crate) fn rust_parent_file(resolver: &Resolver<'_>, file: FileId) -> Option<Module> {
    if rust_is_root(resolver, file) {
        let path = &resolver.snapshot().file(file).path;
        let maybe_part = matches!(
            path.directory().rsplit('/').next(),
            Some("tests" | "examples" | "benches" | "bin")
        );
        let parent = maybe_part
            .then(|| rust_declared_beside(resolver, file))
            .flatten();
        return parent.map(|parent| Module::Rust(parent, None));
    }
    let path = resolver.snapshot().file(file).path.clone();
    let directory = if path.file_name() == "mod.rs" {
        outer(path.directory())
    } else {
        path.directory()
    };
    let beside = format!("{directory}.rs");
    for candidate in [
        modules::joined(directory, "mod.rs"),
        beside,
        modules::joined(directory, "lib.rs"),
        modules::joined(directory, "main.rs"),
    ] {
        if candidate != path.as_str()
            && let Some(parent) = resolver.snapshot().find(candidate.trim_start_matches('/'))
        {
            return Some(Module::Rust(parent, None));
        }
    }
    // Declared with a path of its own: the root that mentions it.
    let krate = rust_crate(resolver, file)?;
    let declares = |root: &&String| {
        let Some(root) = resolver.snapshot().find(root).filter(|root| *root != file) else {
            return false;
        };
        let Some(view) = resolver.view(root) else {
            return false;
        };
        view.facts.imports.iter().any(|import| {
            import.kind == ImportKind::ModuleFile
                && rust_child_file(
                    resolver,
                    &view,
                    import,
                    import.local.map_or("", |name| view.facts.name(name)),
                ) == Some(file)
        })
    };
    let root = krate.roots.iter().find(declares)?;
    resolver
        .snapshot()
        .find(root)
        .map(|root| Module::Rust(root, None))
}

/// The file of `mod name;`.
pub(crate) fn rust_child_file(
    resolver: &Resolver<'_>,
    view: &FileView,
    import: &Import,
    name: &str,
) -> Option<FileId> {
    let path = &resolver.snapshot().file(view.id).path;
    // `#[path = "x.rs"]` is kept as the item.
    if let Some(item) = import.item
        && let Some(target) = modules::relative(path.directory(), view.facts.name(item))
    {
        return resolver.snapshot().find(&target);
    }
    let mut directory = path.directory().to_owned();
    if !rust_is_root(resolver, view.id) && path.file_name() != "mod.rs" {
        directory = modules::joined(&directory, path.file_name().trim_end_matches(".rs"));
    }
    for scope in view
        .outwards(import.scope)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        if let Some(owner) = view.facts.scope(scope).owner
            && view.symbol(owner).kind == SymbolKind::Module
        {
            directory = modules::joined(&directory, view.name_of(owner));
        }
    }
    let candidates = [
        modules::joined(&directory, &format!("{name}.rs")),
        modules::joined(&modules::joined(&directory, name), "mod.rs"),
    ];
    candidates
        .iter()
        .find_map(|candidate| resolver.snapshot().find(candidate))
}

pub(crate) fn rust_member(
    resolver: &Resolver<'_>,
    file: FileId,
    inline: Option<SymbolIndex>,
    name: &str,
) -> Vec<Found> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let Some(scope) = inline.map_or(Some(ScopeId::FILE), |inline| view.symbol(inline).body) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Some(id) = view.facts.names.find(name) {
        for index in view.symbols_named(id) {
            let symbol = view.symbol(index);
            if symbol.declared_in == scope && symbol.kind != SymbolKind::Impl {
                found.push(if symbol.kind == SymbolKind::Module {
                    Found::Module(Module::Rust(file, Some(index)))
                } else {
                    Found::Symbol(SymbolId { file, index })
                });
            }
        }
        for (i, import) in view.facts.imports.iter().enumerate() {
            if import.local == Some(id) && import.scope == scope {
                found.extend(
                    imports::import_targets(resolver, &view, i as u32)
                        .iter()
                        .cloned(),
                );
            }
        }
    }
    if found.is_empty() {
        for (i, import) in view.facts.imports.iter().enumerate() {
            if import.kind == ImportKind::Glob && import.scope == scope {
                found.extend(imports::glob_member(resolver, &view, i as u32, name));
            }
        }
    }
    found.dedup();
    found
}
