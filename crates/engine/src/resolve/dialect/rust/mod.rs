//! Rust: the module tree of a crate.

mod traits;

use facts::{
    Family, Import, ImportKind, Recipe, RecipeId, Role, ScopeId, Span, SymbolIndex, SymbolKind,
};

use super::{Dialect, LibraryFlows, USUAL, project::outer};
use crate::{
    CargoCrate, FileId, is_below,
    resolve::{
        FileView, Found, Place, Resolver, SymbolId, Ty, imports, modules, modules::Module, owner,
    },
};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |resolver, view, import| {
        path_module(resolver, view, import.scope, view.facts.name(import.module))
    },
    declared_module: |resolver, view, import| {
        child_file(resolver, view, import).map(|file| Module::Tree(file, None))
    },
    member_of_module,
    macro_reaches,
    path_start,
    implemented: traits::implemented,
    named_by_path: traits::named_by_path,
    may_be_left_out,
    flows: &LibraryFlows::PLAIN,
    ..USUAL
};

/// Whether a place, or an item around it, has `#[cfg(…)]`, or is in a macro that perhaps nobody calls.
/// What only tests need is no such thing: a build of the tests has it.
fn may_be_left_out(view: &FileView, enclosing: Option<SymbolIndex>, at: u32) -> bool {
    /// Lines from an attribute to the statement or import that it belongs to.
    const NEAR: u32 = 2;
    let facts = &view.facts;
    let is_named = |recipe: RecipeId, wanted: &str| match facts.recipe(recipe) {
        Recipe::Name(name) => facts.name(name) == wanted,
        _ => false,
    };
    let is_condition = |recipe: RecipeId| match facts.recipe(recipe) {
        Recipe::Call(callee, arguments) if is_named(callee, "cfg") => {
            !matches!(facts.list(arguments), [only] if is_named(*only, "test"))
        }
        _ => false,
    };
    let has_condition = |symbol: SymbolIndex| {
        let own = facts.annotations.iter();
        own.filter(|annotation| annotation.symbol == symbol)
            .any(|annotation| is_condition(annotation.recipe))
    };
    let is_macro = |symbol: SymbolIndex| view.symbol(symbol).kind == SymbolKind::Macro;
    let mut around = std::iter::successors(enclosing, |index| view.symbol(*index).parent);
    if around.any(|symbol| has_condition(symbol) || is_macro(symbol)) {
        return true;
    }
    let line = facts.lines.line_number(at);
    let is_near = |of: Span| {
        let distance = line.checked_sub(facts.lines.line_number(of.start));
        distance.is_some_and(|distance| distance <= NEAR)
    };
    // Attributes of statements and imports belong to no symbol.
    let is_of_symbol = |of: Span| {
        let mut annotations = facts.annotations.iter();
        annotations.any(|annotation| annotation.span.encloses(of))
    };
    facts.references.iter().any(|reference| {
        reference.role == Role::Annotation
            && facts.name(reference.name) == "cfg"
            && is_near(reference.span)
            && !is_of_symbol(reference.span)
    })
}

/// Whether a macro is one of the same crate or exported; where the standard library has one of that
/// name, only one of the same file counts.
fn macro_reaches(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
    is_standard: bool,
) -> bool {
    if symbol.file == view.id || is_standard {
        return symbol.file == view.id;
    }
    crate_root(resolver, symbol.file) == crate_root(resolver, view.id)
        || is_exported_macro(resolver, symbol)
}

fn is_exported_macro(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver.view(symbol.file).is_some_and(|view| {
        let mut annotations = view.facts.annotations.iter();
        annotations.any(|annotation| {
            annotation.symbol == symbol.index
                && matches!(view.facts.recipe(annotation.recipe), Recipe::Name(name) if view.facts.name(name) == "macro_export")
        })
    })
}

/// Exported macros are members of their crate's root, wherever they are written.
fn exported_macros(resolver: &Resolver, root: &Module, name: &str) -> Vec<Found> {
    let named = resolver.sketches(name);
    let macros = named.iter().filter(|sketch| {
        sketch.kind == SymbolKind::Macro
            && sketch.family == Family::Rust
            && crate_root(resolver, sketch.id.file) == *root
            && is_exported_macro(resolver, sketch.id)
    });
    macros.map(|sketch| Found::Symbol(sketch.id)).collect()
}

fn path_start(resolver: &Resolver, place: Place, name: &str) -> Option<Ty> {
    if name == "Self" {
        return Some(owner::self_type_at(resolver, place.view, place.scope).reified());
    }
    match path_module(resolver, place.view, place.scope, name)? {
        Module::Type(symbol) => Some(Ty::type_of(symbol)),
        module => Some(Ty::Module(module)),
    }
}

/// The module a `use` path or any path names, seen from a scope of a file.
fn path_module(resolver: &Resolver, view: &FileView, scope: ScopeId, path: &str) -> Option<Module> {
    let mut parts = path
        .split("::")
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let own = module_at(view, scope);
    let Some(first) = parts.next() else {
        return Some(own);
    };
    let mut module = match first {
        "crate" | "$crate" => crate_root(resolver, view.id),
        "self" => own,
        "super" => parent(resolver, &own)?,
        name => first_part(resolver, view, &own, name)?,
    };
    for part in parts {
        module = match part {
            "self" => module,
            "super" => parent(resolver, &module)?,
            name => step(resolver, &module, name, view)?,
        };
    }
    Some(module)
}

fn first_part(resolver: &Resolver, view: &FileView, own: &Module, name: &str) -> Option<Module> {
    if let Some(module) = step(resolver, own, name, view)
        && !matches!(module, Module::External(_))
    {
        return Some(module);
    }
    if let Some(krate) = dependency(resolver, view.id, name) {
        return Some(krate);
    }
    // In the edition of 2015 a path of `use` starts at the root of the crate. In others, a path that
    // starts with nothing in sight does not compile.
    let of_root = || child_module(resolver, &crate_root(resolver, view.id), name);
    let is_of_language = ["std", "core", "alloc", "proc_macro", "test"].contains(&name);
    let module = (!is_of_language).then(of_root).flatten();
    Some(module.unwrap_or_else(|| Module::External(name.into())))
}

/// A crate by the name it has in the code of a file.
fn dependency(resolver: &Resolver, file: FileId, name: &str) -> Option<Module> {
    let project = resolver.snapshot().project();
    let own = crate_of(resolver, file);
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
            return Some(Module::Tree(library, None));
        }
        let dependency = krate.dependencies.iter().find(|(used, _)| used == name);
        if let Some((_, Some(directory))) = dependency {
            return root(directory).map(|file| Module::Tree(file, None));
        }
        if dependency.is_some() {
            return Some(Module::External(name.into()));
        }
    }
    let krate = project
        .cargo_crates
        .iter()
        .find(|krate| krate.name == name)?;
    root(&krate.directory).map(|file| Module::Tree(file, None))
}

fn step(resolver: &Resolver, module: &Module, name: &str, view: &FileView) -> Option<Module> {
    if let Module::External(path) = module {
        return Some(Module::External(format!("{path}::{name}").into()));
    }
    // Before what is imported: in `mod cart; pub use self::cart::cart;` the path starts at the
    // module.
    if let Some(child) = child_module(resolver, module, name) {
        return Some(child);
    }
    let found = modules::module_member(resolver, module, name, view);
    for found in found.iter() {
        match found {
            Found::Module(module) => return Some(module.clone()),
            Found::Symbol(symbol) => match resolver.kind(*symbol)? {
                SymbolKind::Module => {
                    return Some(Module::Tree(symbol.file, Some(symbol.index)));
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

/// The module of a name that a module declares.
fn child_module(resolver: &Resolver, module: &Module, name: &str) -> Option<Module> {
    let Module::Tree(file, inline) = *module else {
        return None;
    };
    let view = resolver.view(file)?;
    let scope = inline.map_or(Some(ScopeId::FILE), |inline| view.symbol(inline).body)?;
    let id = view.facts.names.find(name)?;
    let is_module = |index: &SymbolIndex| {
        let symbol = view.symbol(*index);
        symbol.declared_in == scope && symbol.kind == SymbolKind::Module
    };
    if let Some(index) = view.symbols_named(id).find(is_module) {
        return Some(Module::Tree(file, Some(index)));
    }
    let mut imports = view.facts.imports.iter();
    let declaration = imports.find(|import| {
        import.kind == ImportKind::ModuleFile && import.local == Some(id) && import.scope == scope
    })?;
    child_file(resolver, &view, declaration).map(|file| Module::Tree(file, None))
}

fn crate_of<'a>(resolver: &Resolver<'a>, file: FileId) -> Option<&'a CargoCrate> {
    let path = resolver.path(file).as_str();
    let crates = resolver.snapshot().project().cargo_crates.iter();
    crates
        .filter(|krate| is_below(path, &krate.directory))
        .max_by_key(|krate| krate.directory.len())
}

/// The innermost inline module around a scope, else the file's own.
fn module_at(view: &FileView, scope: ScopeId) -> Module {
    for scope in view.outwards(scope) {
        if let Some(owner) = view.facts.scope(scope).owner
            && view.symbol(owner).kind == SymbolKind::Module
        {
            return Module::Tree(view.id, Some(owner));
        }
    }
    Module::Tree(view.id, None)
}

fn is_root(resolver: &Resolver, file: FileId) -> bool {
    let path = resolver.path(file);
    let krate = crate_of(resolver, file);
    krate.is_some_and(|krate| krate.roots.iter().any(|root| root == path.as_str()))
        || matches!(path.file_name(), "lib.rs" | "main.rs" | "build.rs")
        || holds_roots(krate, path.directory())
}

/// Whether each file of a directory is a crate of its own: `tests` beside the manifest, but not
/// `src/cart/tests`.
fn holds_roots(krate: Option<&CargoCrate>, directory: &str) -> bool {
    let (outer, last) = directory.rsplit_once('/').unwrap_or(("", directory));
    match (last, krate) {
        ("bin", Some(krate)) => modules::joined(&krate.directory, "src") == outer,
        ("tests" | "examples" | "benches", Some(krate)) => krate.directory == outer,
        ("tests" | "examples" | "benches", None) => !outer.split('/').any(|part| part == "src"),
        ("bin", None) => true,
        _ => false,
    }
}

/// A file beside it that says `mod` of its name: `tests/tests.rs` with `mod feature;`.
fn declared_beside(resolver: &Resolver, file: FileId) -> Option<FileId> {
    let path = resolver.path(file);
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

fn crate_root(resolver: &Resolver, file: FileId) -> Module {
    let mut module = Module::Tree(file, None);
    // Module trees are shallow; the bound guards against links in a circle.
    for _ in 0..64 {
        match parent(resolver, &module) {
            Some(parent) => module = parent,
            None => break,
        }
    }
    module
}

fn parent(resolver: &Resolver, module: &Module) -> Option<Module> {
    let Module::Tree(file, inline) = module else {
        return None;
    };
    if let Some(inline) = inline {
        let view = resolver.view(*file)?;
        let mut parent = view.symbol(*inline).parent;
        while let Some(index) = parent {
            if view.symbol(index).kind == SymbolKind::Module {
                return Some(Module::Tree(*file, Some(index)));
            }
            parent = view.symbol(index).parent;
        }
        return Some(Module::Tree(*file, None));
    }
    let known = resolver.analysis.tables.module_parents.lock().get(file);
    if let Some(parent) = known {
        return parent;
    }
    let parent = parent_file(resolver, *file);
    resolver
        .analysis
        .tables
        .module_parents
        .lock()
        .keep(*file, parent.clone(), 1);
    parent
}

fn parent_file(resolver: &Resolver, file: FileId) -> Option<Module> {
    if is_root(resolver, file) {
        let path = resolver.path(file);
        let maybe_part = matches!(
            path.directory().rsplit('/').next(),
            Some("tests" | "examples" | "benches" | "bin")
        );
        let parent = maybe_part
            .then(|| declared_beside(resolver, file))
            .flatten();
        return parent.map(|parent| Module::Tree(parent, None));
    }
    let path = resolver.path(file).clone();
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
            return Some(Module::Tree(parent, None));
        }
    }
    // Declared with a path of its own: the root that mentions it.
    let krate = crate_of(resolver, file)?;
    let declares = |root: &&String| {
        let Some(root) = resolver.snapshot().find(root).filter(|root| *root != file) else {
            return false;
        };
        let Some(view) = resolver.view(root) else {
            return false;
        };
        view.facts.imports.iter().any(|import| {
            import.kind == ImportKind::ModuleFile
                && child_file(resolver, &view, import) == Some(file)
        })
    };
    let root = krate.roots.iter().find(declares)?;
    resolver
        .snapshot()
        .find(root)
        .map(|root| Module::Tree(root, None))
}

/// The file of `mod name;`.
fn child_file(resolver: &Resolver, view: &FileView, import: &Import) -> Option<FileId> {
    let name = import.local.map_or("", |name| view.facts.name(name));
    let path = resolver.path(view.id);
    // `#[path = "x.rs"]` is kept as the item.
    if let Some(item) = import.item
        && let Some(target) = modules::relative(path.directory(), view.facts.name(item))
    {
        return resolver.snapshot().find(&target);
    }
    let mut directory = path.directory().to_owned();
    if !is_root(resolver, view.id) && path.file_name() != "mod.rs" {
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

fn member_of_module(resolver: &Resolver, module: &Module, name: &str) -> Vec<Found> {
    let Module::Tree(file, inline) = *module else {
        return Vec::new();
    };
    if name == "super" {
        let parent = parent(resolver, module);
        return parent.into_iter().map(Found::Module).collect();
    }
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
                    Found::Module(Module::Tree(file, Some(index)))
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
    if found.is_empty() && inline.is_none() && parent(resolver, module).is_none() {
        found = exported_macros(resolver, module, name);
    }
    found.dedup();
    found
}
