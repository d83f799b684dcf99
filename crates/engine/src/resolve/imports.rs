//! What an import statement brings into its file.

use std::sync::Arc;

use facts::{Import, ImportKind};

use super::{FileView, Found, Guard, Module, Resolver, Ty};
use crate::{FileId, is_below};

impl Resolver<'_> {
    /// What the name bound by an import means: symbols, a module, or a path into a library.
    pub fn import_targets(&self, view: &FileView, index: u32) -> Arc<[Found]> {
        let guard = Guard::Import(view.id, index);
        self.remember(
            |memo| &memo.imports,
            (view.id, index),
            guard,
            Arc::from([]),
            || {
                let import = &view.facts.imports[index as usize];
                self.resolve_import(view, import).into()
            },
        )
    }

    fn resolve_import(&self, view: &FileView, import: &Import) -> Vec<Found> {
        match import.kind {
            ImportKind::Glob | ImportKind::Include => Vec::new(),
            ImportKind::Module => {
                let module = self.imported_module(view, import);
                module
                    .into_iter()
                    .map(|module| {
                        self.exported_whole(view, &module)
                            .unwrap_or(Found::Module(module))
                    })
                    .collect()
            }
            ImportKind::ModuleFile => {
                let name = import.local.map_or("", |name| view.facts.name(name));
                self.rust_child_file(view, import, name)
                    .into_iter()
                    .map(|file| Found::Module(Module::Rust(file, None)))
                    .collect()
            }
            ImportKind::Default => self.imported_item(view, import, "default"),
            ImportKind::Item => match import.item {
                Some(item) => self.imported_item(view, import, view.facts.name(item)),
                None => self
                    .imported_module(view, import)
                    .into_iter()
                    .map(Found::Module)
                    .collect(),
            },
            ImportKind::Static => {
                let Some(item) = import.item else {
                    return Vec::new();
                };
                let module = normalized(view.facts.name(import.module));
                let Some(ty) = self.type_by_qualified_name(view, &module) else {
                    return vec![Found::External(
                        format!("{module}.{}", view.facts.name(item)).into(),
                    )];
                };
                self.members(&ty, view.facts.name(item))
                    .into_iter()
                    .map(|hit| Found::Symbol(hit.symbol))
                    .collect()
            }
        }
    }

    fn imported_item(&self, view: &FileView, import: &Import, item: &str) -> Vec<Found> {
        let Some(module) = self.module_of_import(view, import) else {
            return Vec::new();
        };
        let found = self.module_member(&module, item, view);
        if !found.is_empty() {
            return found.to_vec();
        }
        if item == "default"
            && let Some(whole) = self.exported_whole(view, &module)
        {
            return vec![whole];
        }
        match module {
            Module::External(path) => vec![Found::External(
                format!("{path}{}{item}", view.semantics.separator).into(),
            )],
            // A type of that name may hold the item: a nested type, an enum's variant.
            Module::Namespace(path) => match self.type_by_qualified_name(view, &path) {
                Some(ty) => {
                    let hits = self.members(&ty, item);
                    hits.into_iter()
                        .map(|hit| Found::Symbol(hit.symbol))
                        .collect()
                }
                None => vec![Found::External(format!("{path}.{item}").into())],
            },
            _ => Vec::new(),
        }
    }

    /// What a module itself is where it exports one thing: `module.exports = Cart`. A literal of
    /// several things stays a module.
    pub(super) fn exported_whole(&self, view: &FileView, module: &Module) -> Option<Found> {
        if view.semantics.modules != facts::ModuleSystem::EcmaScript
            || !matches!(module, Module::File(_))
        {
            return None;
        }
        let is_one = |found: &Found| match found {
            // The literal that is assigned to `exports` bears its name.
            Found::Symbol(symbol) => self.kind(*symbol).is_some_and(|kind| {
                kind.is_type()
                    || kind.is_callable()
                    || kind.is_value() && self.name(*symbol) != "exports"
            }),
            _ => false,
        };
        self.module_member(module, "=", view)
            .iter()
            .find(|found| is_one(found))
            .cloned()
    }

    /// The type with a dotted name: namespace and name, or a type nested in another.
    pub(super) fn type_by_qualified_name(&self, view: &FileView, path: &str) -> Option<Ty> {
        let (outer, name) = path.rsplit_once('.').unwrap_or(("", path));
        for found in self
            .module_member(&Module::Namespace(outer.into()), name, view)
            .iter()
        {
            if let Found::Symbol(symbol) = found
                && self.kind(*symbol).is_some_and(|kind| kind.is_type())
            {
                return Some(Ty::Type(*symbol, Arc::from([])));
            }
        }
        if outer.is_empty() {
            return None;
        }
        let outer = self.type_by_qualified_name(view, outer)?;
        let hit = self
            .members(&outer, name)
            .into_iter()
            .find(|hit| self.kind(hit.symbol).is_some_and(|kind| kind.is_type()))?;
        Some(Ty::Type(hit.symbol, Arc::from([])))
    }

    /// The members of a name that imports for every file of the project bring in: `global using`,
    /// or what the project file says.
    pub(super) fn shared_member(&self, view: &FileView, name: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for other in self.sharing_files(view) {
            for (i, _) in other
                .facts
                .imports
                .iter()
                .enumerate()
                .filter(|(_, import)| import.reexported)
            {
                found.extend(self.glob_member(&other, i as u32, name));
            }
        }
        for namespace in self.shared_namespaces(view) {
            found.extend(
                self.module_member(&Module::Namespace(namespace.into()), name, view)
                    .iter()
                    .cloned(),
            );
        }
        let mut seen = Vec::new();
        found.retain(|found| {
            !seen.contains(found) && {
                seen.push(found.clone());
                true
            }
        });
        found
    }

    /// Whether what a namespace declares can be meant without its path: it is around the file's
    /// code, imported, or imported for every file. `name` may also be imported by itself.
    pub(super) fn sees_namespace(&self, view: &FileView, namespace: &str, name: &str) -> bool {
        let is_within = |path: &str| {
            path.strip_prefix(namespace)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        // Written inside a namespace, a path may start there: `using Internal;` in `Shop.Carts`
        // means `Shop.Internal`.
        let is_meant = |path: &str| {
            namespace
                .strip_suffix(path)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let brings = |view: &FileView, import: &Import| match import.kind {
            ImportKind::Glob => is_meant(&normalized(view.facts.name(import.module))),
            // Types of the namespace, whose members they are.
            ImportKind::Static => is_within(&normalized(view.facts.name(import.module))),
            ImportKind::Item => {
                import
                    .item
                    .is_some_and(|item| view.facts.name(item) == name)
                    && is_within(&normalized(view.facts.name(import.module)))
            }
            _ => false,
        };
        view.semantics.modules != facts::ModuleSystem::DeclaredNamespaces
            || namespace.is_empty()
            || view.namespaces().iter().any(|own| is_within(own))
            || view.facts.imports.iter().any(|import| brings(view, import))
            || self.sharing_files(view).any(|other| {
                other
                    .facts
                    .imports
                    .iter()
                    .any(|import| import.reexported && brings(&other, import))
            })
            || self
                .shared_namespaces(view)
                .any(|shared| shared == namespace)
    }

    /// The files of the same project that import for all of them.
    fn sharing_files(&self, view: &FileView) -> impl Iterator<Item = Arc<FileView>> {
        let all: &[(String, FileId)] =
            if view.semantics.modules == facts::ModuleSystem::DeclaredNamespaces {
                self.all_sharing_files()
            } else {
                &[]
            };
        let unit = if all.is_empty() {
            ""
        } else {
            self.unit_directory(view.id)
        };
        all.iter()
            .filter(move |(of, _)| of == unit)
            .filter_map(|(_, file)| self.view(*file))
    }

    /// Every file that imports for its whole project, with the project's directory.
    fn all_sharing_files(&self) -> &[(String, FileId)] {
        self.analysis.memo.sharing_files.get_or_init(|| {
            let snapshot = self.snapshot();
            let mut sharing = Vec::new();
            for content in snapshot.corpus().mentioning("*") {
                for &file in snapshot.files_of(content) {
                    let shares = |view: &Arc<FileView>| {
                        view.semantics.modules == facts::ModuleSystem::DeclaredNamespaces
                            && view.facts.imports.iter().any(|import| import.reexported)
                    };
                    if self.view(file).as_ref().is_some_and(shares) {
                        sharing.push((self.unit_directory(file).to_owned(), file));
                    }
                }
            }
            sharing.sort();
            sharing
        })
    }

    /// Namespaces that the project files around a file import for it.
    fn shared_namespaces(&self, view: &FileView) -> impl Iterator<Item = &str> {
        let path = self.snapshot().file(view.id).path.clone();
        let shared = self.snapshot().project().shared_namespaces.iter();
        shared
            .filter(move |(directory, _)| is_below(path.as_str(), directory))
            .map(|(_, namespace)| namespace.as_str())
    }

    /// The directory of the project that a file belongs to; the root's where there is none.
    fn unit_directory(&self, file: FileId) -> &str {
        let mut around = self
            .snapshot()
            .project()
            .units_around(self.snapshot().file(file).path.as_str());
        around
            .find(|unit| unit.manifest.ends_with("proj"))
            .map_or("", |unit| &unit.directory)
    }

    /// The members of a name that a glob import brings in.
    pub(super) fn glob_member(&self, view: &FileView, index: u32, name: &str) -> Vec<Found> {
        let import = &view.facts.imports[index as usize];
        match import.kind {
            ImportKind::Glob => {
                let Some(module) = self.module_of_import(view, import) else {
                    return Vec::new();
                };
                if let Module::External(_) = module {
                    return Vec::new();
                }
                let guard = Guard::Module(module.clone(), name.into());
                if self.open.borrow().contains_key(&guard) {
                    return Vec::new();
                }
                let found = self.module_member(&module, name, view);
                if !found.is_empty() {
                    return found.to_vec();
                }
                // `use Kind::*`, `import static a.B.*`: the members of a type.
                match &module {
                    Module::Namespace(path) => match self.type_by_qualified_name(view, path) {
                        Some(ty) => self
                            .members(&ty, name)
                            .into_iter()
                            .map(|hit| Found::Symbol(hit.symbol))
                            .collect(),
                        None => Vec::new(),
                    },
                    Module::Type(symbol) => {
                        let ty = Ty::Type(*symbol, Arc::from([]));
                        self.members(&ty, name)
                            .into_iter()
                            .map(|hit| Found::Symbol(hit.symbol))
                            .collect()
                    }
                    _ => Vec::new(),
                }
            }
            ImportKind::Static if import.item.is_none() => {
                let module = normalized(view.facts.name(import.module));
                let Some(ty) = self.type_by_qualified_name(view, &module) else {
                    return Vec::new();
                };
                self.members(&ty, name)
                    .into_iter()
                    .map(|hit| Found::Symbol(hit.symbol))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A name below a path. The root, which PHP writes as `\\`, is left out.
pub(super) fn below(path: &str, separator: &str, name: &str) -> Arc<str> {
    if matches!(path, "" | "\\") {
        name.into()
    } else {
        format!("{path}{separator}{name}").into()
    }
}

/// Namespaces with one separator, whatever the language writes.
pub(super) fn normalized(path: &str) -> String {
    path.trim_start_matches('\\')
        .replace("::", ".")
        .replace('\\', ".")
}
