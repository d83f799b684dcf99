//! Python: packages and their roots, enumerations, pytest fixtures.

use std::collections::BTreeSet;

use crate::resolve::{
    FileView, Resolver, SymbolId, Ty, modules, modules::Module, order, owner, values,
};
use facts::{Recipe, SymbolKind};

pub(crate) fn python_module(
    resolver: &Resolver<'_>,
    view: &FileView,
    path: &str,
    level: u8,
) -> Module {
    let parts: Vec<&str> = path.split('.').filter(|part| !part.is_empty()).collect();
    let own = resolver
        .snapshot()
        .file(view.id)
        .path
        .directory()
        .to_owned();
    if level > 0 {
        let mut base = own.as_str();
        for _ in 1..level {
            base = base.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        return python_below(resolver, base, &parts).unwrap_or_else(|| {
            Module::External(format!("{}{path}", ".".repeat(level as usize)).into())
        });
    }
    // A script sees its own directory first, then every directory that holds top-level
    // packages.
    let own_root = !is_python_package(resolver, &own);
    let roots = python_roots(resolver);
    // A package that contains the file is meant before one of the same name elsewhere.
    let mut ordered: Vec<&str> = roots.iter().map(String::as_str).collect();
    ordered.sort_by_key(|root| {
        std::cmp::Reverse(
            if own == **root || own.starts_with(&format!("{root}/")) || root.is_empty() {
                root.len() + 1
            } else {
                0
            },
        )
    });
    let candidates = own_root.then_some(own.as_str()).into_iter().chain(ordered);
    for root in candidates {
        if let Some(module) = python_below(resolver, root, &parts) {
            return module;
        }
    }
    Module::External(path.into())
}

pub(crate) fn is_python_package(resolver: &Resolver<'_>, directory: &str) -> bool {
    ["__init__.py", "__init__.pyi"].iter().any(|name| {
        resolver
            .snapshot()
            .find(&modules::joined(directory, name))
            .is_some()
    })
}

/// Directories that hold packages and are none themselves.
pub(crate) fn python_roots<'a>(resolver: &Resolver<'a>) -> &'a [String] {
    resolver.analysis.tables.python_roots.get_or_init(|| {
        let mut roots: BTreeSet<String> = BTreeSet::from([String::new()]);
        roots.extend(resolver.snapshot().project().python_roots.iter().cloned());
        for (_, file) in resolver.snapshot().files() {
            if matches!(file.path.file_name(), "__init__.py" | "__init__.pyi") {
                let package = file.path.directory();
                let outer = package.rsplit_once('/').map_or("", |(outer, _)| outer);
                if !package.is_empty() && !is_python_package(resolver, outer) {
                    roots.insert(outer.to_owned());
                }
            }
        }
        roots.into_iter().collect()
    })
}

pub(crate) fn python_below(resolver: &Resolver<'_>, root: &str, parts: &[&str]) -> Option<Module> {
    let directory = parts
        .iter()
        .fold(root.to_owned(), |path, part| modules::joined(&path, part));
    python_at(resolver, &directory)
}

/// The module at a path without extension: a file, a package, or a directory that holds Python
/// files.
pub(crate) fn python_at(resolver: &Resolver<'_>, path: &str) -> Option<Module> {
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

pub(crate) fn python_submodule(
    resolver: &Resolver<'_>,
    directory: &str,
    name: &str,
) -> Option<Module> {
    python_at(resolver, &modules::joined(directory, name))
}

/// What an enumeration of Python lists is one of its objects, whatever stands on the right.
pub(crate) fn enumerated(
    resolver: &Resolver<'_>,
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
    if view.semantics.family != facts::Family::Python
        || declared.kind != SymbolKind::Field
        || declared.ty.is_known()
    {
        return None;
    }
    let class = SymbolId {
        file: symbol.file,
        index: declared.parent?,
    };
    // Not `self.label = label` in one of its methods.
    if view.facts.values(declared).first()?.scope != view.symbol(class.index).body? {
        return None;
    }
    let is_enum = order::linearized(resolver, class, &Ty::instance(class)).iter().any(|ty| {
        let (Ty::Instance(of, _) | Ty::Type(of, _)) = ty else { return false };
        let supertypes = order::supertypes(resolver, *of);
        supertypes.iter().any(|above| {
            matches!(&above.ty, Ty::Library(name, _) | Ty::External(name) if ENUMS.contains(&name.rsplit('.').next().unwrap_or(name)))
        })
    });
    is_enum.then(|| owner::own_instance(resolver, class))
}

/// A test's parameter is the value of the fixture of its name (pytest).
pub(crate) fn fixture(resolver: &Resolver<'_>, view: &FileView, binding: &facts::Binding) -> Ty {
    if view.semantics.modules != facts::ModuleSystem::PythonPackages {
        return Ty::Unknown;
    }
    let name = view.facts.name(binding.name);
    let owner = view.facts.scope(binding.scope).owner;
    let is_test = owner.is_some_and(|owner| {
        view.name_of(owner).starts_with("test")
            || is_fixture(
                resolver,
                SymbolId {
                    file: view.id,
                    index: owner,
                },
            )
    });
    if !is_test {
        return Ty::Unknown;
    }
    let fixtures: Vec<SymbolId> = resolver
        .symbols_named(name)
        .iter()
        .copied()
        .filter(|symbol| is_fixture(resolver, *symbol))
        .collect();
    // The fixture of the nearest directory counts.
    let own = resolver.snapshot().file(view.id).path.directory();
    let nearest = fixtures.iter().max_by_key(|symbol| {
        let directory = resolver.snapshot().file(symbol.file).path.directory();
        (
            symbol.file == view.id,
            own.starts_with(directory),
            directory.len(),
        )
    });
    match nearest {
        Some(fixture) => match values::symbol_type(resolver, *fixture) {
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

pub(crate) fn is_fixture(resolver: &Resolver<'_>, symbol: SymbolId) -> bool {
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

/// `Self`, `typing.Self`.
pub(crate) fn is_python_self(view: &FileView, name: facts::NameId) -> bool {
    view.semantics.family == facts::Family::Python && view.facts.name(name) == "Self"
}
