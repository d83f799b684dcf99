//! Python: packages and their roots, enumerations, pytest fixtures.

use std::collections::BTreeSet;

use facts::{Import, Recipe, RecipeId, SymbolIndex, SymbolKind};

use super::{Dialect, ImportCycles, USUAL};
use crate::{
    is_below,
    resolve::{
        FileView, Found, Resolver, SymbolId, Ty, flow::LibraryFlows, modules, modules::Module,
        order, owner, values,
    },
};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import,
    module_bound_by,
    member_of_file,
    member_of_module,
    field_value: enumerated,
    untyped_parameter: fixture,
    handed_in: |resolver, view, binding| {
        let fixture = asked_fixture(resolver, view, binding)?;
        let own = resolver.path(view.id).directory();
        let around = resolver.path(fixture.file).directory();
        let is_around = own == around || is_below(own, around);
        (fixture.file == view.id || is_around).then_some(fixture)
    },
    has_ambient_names: false,
    import_cycles: ImportCycles::Risky,
    flows: &FLOWS,
    ..USUAL
};

const FLOWS: LibraryFlows = LibraryFlows {
    follows_values: true,
    decorators_replace: true,
    applies: &[
        "map",
        "filter",
        "reduce",
        "sorted",
        "sort",
        "min",
        "max",
        "starmap",
        "takewhile",
        "dropwhile",
        "groupby",
        "Thread",
        "Process",
        "Timer",
        "submit",
        "apply_async",
        "run_in_executor",
        "to_thread",
        "call_soon",
        "call_soon_threadsafe",
        "call_later",
        "call_at",
        "add_done_callback",
        "add_signal_handler",
        "create_task",
        "ensure_future",
        "register",
        "signal",
    ],
    gives_first: &[
        "partial",
        "partialmethod",
        "list",
        "tuple",
        "iter",
        "reversed",
        "sorted",
        "set",
        "frozenset",
        "dict",
        "copy",
        "deepcopy",
        "cache",
        "staticmethod",
        "classmethod",
    ],
    gives_receiver: &["copy"],
    gives_element: &["get", "pop", "setdefault"],
    gives_held: &["values"],
    gives_pairs: &["items"],
    puts: &[
        ("append", 0),
        ("add", 0),
        ("appendleft", 0),
        ("insert", 1),
        ("setdefault", 1),
        ("extend", 0),
        ("update", 0),
    ],
    merges: &["extend", "update"],
    ..LibraryFlows::NONE
};

fn module_of_import(resolver: &Resolver, view: &FileView, import: &Import) -> Option<Module> {
    let path = view.facts.name(import.module);
    Some(module(resolver, view, path, import.level))
}

/// `import a.b.c` binds `a`.
fn module_bound_by(resolver: &Resolver, view: &FileView, import: &Import) -> Option<Module> {
    match import.local.filter(|_| import.alias_span.is_none()) {
        Some(first) => Some(module(resolver, view, view.facts.name(first), import.level)),
        None => module_of_import(resolver, view, import),
    }
}

fn member_of_file(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let found = modules::file_level(resolver, view, name);
    if !found.is_empty() {
        return found;
    }
    let path = resolver.path(view.id);
    if path.file_name().starts_with("__init__.")
        && let Some(module) = submodule(resolver, path.directory(), name)
    {
        return vec![Found::Module(module)];
    }
    modules::through_globs(resolver, view, name)
}

fn member_of_module(resolver: &Resolver, module: &Module, name: &str) -> Vec<Found> {
    let Module::Directory(directory) = module else {
        return Vec::new();
    };
    let module = submodule(resolver, directory, name);
    module.into_iter().map(Found::Module).collect()
}

fn module(resolver: &Resolver, view: &FileView, path: &str, level: u8) -> Module {
    let parts: Vec<&str> = path.split('.').filter(|part| !part.is_empty()).collect();
    let own = resolver.path(view.id).directory();
    if level > 0 {
        let mut base = own;
        for _ in 1..level {
            base = base.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        return module_below(resolver, base, &parts).unwrap_or_else(|| {
            Module::External(format!("{}{path}", ".".repeat(level as usize)).into())
        });
    }
    // A script sees its own directory first, then every directory that holds top-level
    // packages.
    let own_root = !is_package(resolver, own);
    let roots = roots(resolver);
    // A package that contains the file is meant before one of the same name elsewhere.
    let mut ordered: Vec<&str> = roots.iter().map(String::as_str).collect();
    ordered.sort_by_key(|root| {
        std::cmp::Reverse(
            if own == *root || own.starts_with(&format!("{root}/")) || root.is_empty() {
                root.len() + 1
            } else {
                0
            },
        )
    });
    let candidates = own_root.then_some(own).into_iter().chain(ordered);
    for root in candidates {
        if let Some(module) = module_below(resolver, root, &parts) {
            return module;
        }
    }
    Module::External(path.into())
}

fn is_package(resolver: &Resolver, directory: &str) -> bool {
    ["__init__.py", "__init__.pyi"].iter().any(|name| {
        resolver
            .snapshot()
            .find(&modules::joined(directory, name))
            .is_some()
    })
}

/// Directories that hold packages and are none themselves.
fn roots<'a>(resolver: &Resolver<'a>) -> &'a [String] {
    resolver.analysis.tables.source_roots.get_or_init(|| {
        let mut roots: BTreeSet<String> = BTreeSet::from([String::new()]);
        roots.extend(resolver.snapshot().project().python_roots.iter().cloned());
        for (_, file) in resolver.snapshot().files() {
            if matches!(file.path.file_name(), "__init__.py" | "__init__.pyi") {
                let package = file.path.directory();
                let outer = package.rsplit_once('/').map_or("", |(outer, _)| outer);
                if !package.is_empty() && !is_package(resolver, outer) {
                    roots.insert(outer.to_owned());
                }
            }
        }
        roots.into_iter().collect()
    })
}

fn module_below(resolver: &Resolver, root: &str, parts: &[&str]) -> Option<Module> {
    let directory = parts
        .iter()
        .fold(root.to_owned(), |path, part| modules::joined(&path, part));
    module_at(resolver, &directory)
}

/// The module at a path without extension: a file, a package, or a directory that holds Python
/// files.
fn module_at(resolver: &Resolver, path: &str) -> Option<Module> {
    for name in [
        format!("{path}.py"),
        modules::joined(path, "__init__.py"),
        format!("{path}.pyi"),
        modules::joined(path, "__init__.pyi"),
    ] {
        if let Some(file) = resolver.snapshot().find(name.trim_start_matches('/')) {
            return Some(Module::File(file));
        }
    }
    let python = |path: &str| path.ends_with(".py") || path.ends_with(".pyi");
    let holds = !path.is_empty()
        && resolver
            .snapshot()
            .below(path)
            .take(200)
            .any(|(_, file)| python(file.path.as_str()));
    holds.then(|| Module::Directory(path.into()))
}

fn submodule(resolver: &Resolver, directory: &str, name: &str) -> Option<Module> {
    module_at(resolver, &modules::joined(directory, name))
}

/// What an enumeration lists is one of its objects, whatever is assigned to it.
fn enumerated(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
    declared: &facts::Symbol,
) -> Option<Ty> {
    const ENUMS: [&str; 8] = [
        "Enum",
        "IntEnum",
        "StrEnum",
        "Flag",
        "IntFlag",
        "TextChoices",
        "IntegerChoices",
        "Choices",
    ];
    if declared.kind != SymbolKind::Field || declared.ty.is_known() {
        return None;
    }
    let class = symbol.beside(declared.parent?);
    // Not `self.label = label` in one of its methods.
    if view.facts.values(declared).first()?.scope != view.symbol(class.index).body? {
        return None;
    }
    let is_enum = order::library_supertypes(resolver, class, &Ty::instance(class)).any(|above| {
        let path = above.library_path().unwrap_or_default();
        ENUMS.contains(&path.rsplit('.').next().unwrap_or(&path))
    });
    is_enum.then(|| owner::own_instance(resolver, class))
}

/// The fixture of the name of a test's parameter, whose value the parameter is (pytest).
fn asked_fixture(
    resolver: &Resolver,
    view: &FileView,
    binding: &facts::Binding,
) -> Option<SymbolId> {
    let name = view.facts.name(binding.name);
    let owner = view.facts.scope(binding.scope).owner?;
    let itself = view.symbol_id(owner);
    let asks = view.name_of(owner).starts_with("test") || is_fixture(resolver, itself);
    if !asks || is_parametrized(view, owner, name) {
        return None;
    }
    // A fixture that asks for its own name means the one that it replaces.
    let fixtures: Vec<SymbolId> = resolver
        .symbols_named(name)
        .iter()
        .copied()
        .filter(|symbol| *symbol != itself && is_fixture(resolver, *symbol))
        .collect();
    // The fixture of the nearest directory counts.
    let own = resolver.path(view.id).directory();
    let nearest = fixtures.iter().max_by_key(|symbol| {
        let directory = resolver.path(symbol.file).directory();
        (
            symbol.file == view.id,
            own.starts_with(directory),
            directory.len(),
        )
    });
    nearest.copied()
}

/// What a test's parameter is, as its fixture tells.
fn fixture(resolver: &Resolver, view: &FileView, binding: &facts::Binding) -> Ty {
    match asked_fixture(resolver, view, binding) {
        Some(fixture) => match values::symbol_type(resolver, fixture) {
            Ty::Library(name, arguments)
                if matches!(&*name, "Generator" | "Iterator" | "Iterable") =>
            {
                arguments.first().cloned().unwrap_or(Ty::Unknown)
            }
            ty => ty,
        },
        None => Ty::Unknown,
    }
}

/// Whether a decorator lists the values of a parameter: `@pytest.mark.parametrize("size, colour", [..])`.
fn is_parametrized(view: &FileView, test: SymbolIndex, name: &str) -> bool {
    let facts = &view.facts;
    let own = facts.annotations.iter();
    let mut own = own.filter(|annotation| annotation.symbol == test);
    own.any(|annotation| {
        let Recipe::Call(callee, arguments) = facts.recipe(annotation.recipe) else {
            return false;
        };
        let is_list = matches!(facts.recipe(callee), Recipe::Member(_, word) if facts.name(word) == "parametrize");
        let arguments = facts.list(arguments);
        // What goes through the fixture is no value of the parameter.
        let is_indirect = |argument: &RecipeId| {
            matches!(facts.recipe(*argument), Recipe::Field(word, _) if facts.name(word) == "indirect")
        };
        let names = arguments.first().map(|names| facts.recipe(*names));
        let Some(Recipe::Str(names)) = names.filter(|_| is_list) else {
            return false;
        };
        let mut names = facts.name(names).split(',').map(str::trim);
        names.any(|listed| listed == name) && !arguments.iter().any(is_indirect)
    })
}

fn is_fixture(resolver: &Resolver, symbol: SymbolId) -> bool {
    let Some(view) = resolver.view(symbol.file) else {
        return false;
    };
    view.facts.annotations.iter().filter(|annotation| annotation.symbol == symbol.index).any(|annotation| {
        let callee = match view.facts.recipe(annotation.recipe) {
            Recipe::Call(callee, _) => callee,
            _ => annotation.recipe,
        };
        matches!(view.facts.recipe(callee), Recipe::Name(name) | Recipe::Member(_, name) if view.facts.name(name) == "fixture")
    })
}
