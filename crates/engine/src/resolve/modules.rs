//! How a module is named and found: one strategy per [`ModuleSystem`], over paths and the project
//! model.

use std::{collections::BTreeSet, collections::HashMap, sync::Arc};

use facts::{
    Family, Import, ImportKind, Modifiers, ModuleSystem, Recipe, ScopeId, SymbolIndex, SymbolKind,
};

use super::{FileView, Found, Guard, Resolver, Sketch, Space, SymbolId, imports::normalized};
use crate::{FileId, is_below, project::outer};

/// A set of names that can be asked for a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    /// A file that is a module by itself.
    File(FileId),
    /// A directory that is a package without a file of its own, by path.
    Directory(Arc<str>),
    /// All files of a directory, by path: Go.
    Package(Arc<str>),
    /// A namespace by its dotted name.
    Namespace(Arc<str>),
    /// A Rust module: a file, or an inline module of it.
    Rust(FileId, Option<SymbolIndex>),
    /// A type used as a module: Rust `use Kind::*`.
    Type(SymbolId),
    /// A library, by the path written.
    External(Arc<str>),
}

const SCRIPT_EXTENSIONS: &[&str] = &[
    "ts", "tsx", "d.ts", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "d.mts", "d.cts",
];

impl Resolver<'_> {
    /// The module that an import statement names.
    pub(super) fn module_of_import(&self, view: &FileView, import: &Import) -> Option<Module> {
        let path = view.facts.name(import.module);
        match view.semantics.modules {
            ModuleSystem::PythonPackages => Some(self.python_module(view, path, import.level)),
            ModuleSystem::EcmaScript => Some(self.script_module(view, path)),
            ModuleSystem::GoPackages => Some(self.go_package(path)),
            ModuleSystem::RustCrates => self.rust_path(view, import.scope, path),
            ModuleSystem::DeclaredNamespaces => Some(Module::Namespace(normalized(path).into())),
            ModuleSystem::Includes if import.kind == ImportKind::Include => {
                self.included_file(view, path).map(Module::File)
            }
            ModuleSystem::Includes => Some(Module::Namespace(normalized(path).into())),
            ModuleSystem::GlobalConstants | ModuleSystem::None => None,
        }
    }

    /// The module that the bound name of a module import stands for.
    pub(super) fn imported_module(&self, view: &FileView, import: &Import) -> Option<Module> {
        // `import a.b.c` binds `a`.
        if view.semantics.modules == ModuleSystem::PythonPackages
            && import.alias_span.is_none()
            && let Some(first) = import.local
        {
            return Some(self.python_module(view, view.facts.name(first), import.level));
        }
        self.module_of_import(view, import)
    }

    /// What a module gives under a name; nothing if it has no such member.
    pub(super) fn module_member(
        &self,
        module: &Module,
        name: &str,
        view: &FileView,
    ) -> Arc<[Found]> {
        let key = (
            module.clone(),
            Arc::<str>::from(name),
            view.semantics.family,
        );
        let guard = Guard::Module(module.clone(), key.1.clone());
        self.remember(
            |memo| &memo.module_members,
            key,
            guard,
            Arc::from([]),
            || {
                let found = match module {
                    Module::File(file) => self.file_member(*file, name),
                    Module::Directory(directory) => self
                        .python_submodule(directory, name)
                        .into_iter()
                        .map(Found::Module)
                        .collect(),
                    Module::Package(directory) => self.package_member(directory, name),
                    Module::Namespace(namespace) => self.namespace_member(namespace, name, view),
                    Module::Rust(file, inline) => self.rust_member(*file, *inline, name),
                    Module::Type(_) | Module::External(_) => Vec::new(),
                };
                found.into()
            },
        )
    }

    fn file_member(&self, file: FileId, name: &str) -> Vec<Found> {
        let Some(view) = self.view(file) else {
            return Vec::new();
        };
        match view.semantics.modules {
            ModuleSystem::EcmaScript => self.script_export(&view, name),
            ModuleSystem::PythonPackages => {
                let found = self.file_level(&view, name);
                if !found.is_empty() {
                    return found;
                }
                let path = &self.snapshot().file(file).path;
                if path.file_name().starts_with("__init__.")
                    && let Some(module) = self.python_submodule(path.directory(), name)
                {
                    return vec![Found::Module(module)];
                }
                self.through_globs(&view, name)
            }
            _ => self.file_level(&view, name),
        }
    }

    /// Symbols and imports at the top of a file.
    fn file_level(&self, view: &FileView, name: &str) -> Vec<Found> {
        let Some(id) = view.facts.names.find(name) else {
            return Vec::new();
        };
        let symbols: Vec<Found> = view
            .symbols_named(id)
            .filter(|&index| {
                view.region(view.symbol(index).declared_in) == ScopeId::FILE
                    && view.symbol(index).kind != SymbolKind::Impl
            })
            .filter(|&index| {
                view.symbol(index)
                    .parent
                    .is_none_or(|parent| !view.symbol(parent).kind.is_type())
            })
            .map(|index| {
                Found::Symbol(SymbolId {
                    file: view.id,
                    index,
                })
            })
            .collect();
        if !symbols.is_empty() {
            return symbols;
        }
        let imports = view.facts.imports.iter().enumerate();
        imports
            .filter(|(_, import)| {
                import.local == Some(id) && view.region(import.scope) == ScopeId::FILE
            })
            .flat_map(|(i, _)| self.import_targets(view, i as u32).to_vec())
            .collect()
    }

    fn through_globs(&self, view: &FileView, name: &str) -> Vec<Found> {
        for i in 0..view.facts.imports.len() as u32 {
            let found = self.glob_member(view, i, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    // Python.

    fn python_module(&self, view: &FileView, path: &str, level: u8) -> Module {
        let parts: Vec<&str> = path.split('.').filter(|part| !part.is_empty()).collect();
        let own = self.snapshot().file(view.id).path.directory().to_owned();
        if level > 0 {
            let mut base = own.as_str();
            for _ in 1..level {
                base = base.rsplit_once('/').map_or("", |(outer, _)| outer);
            }
            return self.python_below(base, &parts).unwrap_or_else(|| {
                Module::External(format!("{}{path}", ".".repeat(level as usize)).into())
            });
        }
        // A script sees its own directory first, then every directory that holds top-level
        // packages.
        let own_root = !self.is_python_package(&own);
        let roots = self.python_roots();
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
            if let Some(module) = self.python_below(root, &parts) {
                return module;
            }
        }
        Module::External(path.into())
    }

    fn is_python_package(&self, directory: &str) -> bool {
        ["__init__.py", "__init__.pyi"]
            .iter()
            .any(|name| self.snapshot().find(&joined(directory, name)).is_some())
    }

    /// Directories that hold packages and are none themselves.
    fn python_roots(&self) -> &[String] {
        self.analysis.memo.python_roots.get_or_init(|| {
            let mut roots: BTreeSet<String> = BTreeSet::from([String::new()]);
            roots.extend(self.snapshot().project().python_roots.iter().cloned());
            for (_, file) in self.snapshot().files() {
                if matches!(file.path.file_name(), "__init__.py" | "__init__.pyi") {
                    let package = file.path.directory();
                    let outer = package.rsplit_once('/').map_or("", |(outer, _)| outer);
                    if !package.is_empty() && !self.is_python_package(outer) {
                        roots.insert(outer.to_owned());
                    }
                }
            }
            roots.into_iter().collect()
        })
    }

    fn python_below(&self, root: &str, parts: &[&str]) -> Option<Module> {
        let directory = parts
            .iter()
            .fold(root.to_owned(), |path, part| joined(&path, part));
        self.python_at(&directory)
    }

    /// The module at a path without extension: a file, a package, or a directory that holds Python
    /// files.
    fn python_at(&self, path: &str) -> Option<Module> {
        for name in [
            format!("{path}.py"),
            joined(path, "__init__.py"),
            format!("{path}.pyi"),
            joined(path, "__init__.pyi"),
        ] {
            if let Some(file) = self.snapshot().find(name.trim_start_matches('/')) {
                return Some(Module::File(file));
            }
        }
        let python = |path: &str| path.ends_with(".py") || path.ends_with(".pyi");
        let holds = !path.is_empty()
            && self
                .snapshot()
                .below(path)
                .take(200)
                .any(|(_, file)| python(file.path.as_str()));
        holds.then(|| Module::Directory(path.into()))
    }

    fn python_submodule(&self, directory: &str, name: &str) -> Option<Module> {
        self.python_at(&joined(directory, name))
    }

    // JavaScript and TypeScript.

    fn script_module(&self, view: &FileView, specifier: &str) -> Module {
        let own = self.snapshot().file(view.id).path.directory().to_owned();
        if specifier.starts_with('.') {
            return match relative(&own, specifier).and_then(|path| self.script_file(&path)) {
                Some(file) => Module::File(file),
                None => Module::External(specifier.into()),
            };
        }
        let project = self.snapshot().project();
        let mut configs: Vec<_> = project
            .script_configs
            .iter()
            .filter(|config| own == config.directory || is_below(&own, &config.directory))
            .collect();
        configs.sort_by_key(|config| std::cmp::Reverse(config.directory.len()));
        for config in configs {
            for (pattern, targets) in &config.paths {
                let Some(rest) = matched(pattern, specifier) else {
                    continue;
                };
                for target in targets {
                    if let Some(file) = self.script_file(&target.replacen('*', rest, 1)) {
                        return Module::File(file);
                    }
                }
            }
            if let Some(base) = &config.base_url
                && let Some(file) = self.script_file(&joined(base, specifier))
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
                if let Some(star) = matched(pattern, &wanted)
                    && let Some(file) = self
                        .script_file(&joined(&package.directory, &target.replacen('*', star, 1)))
                {
                    return Module::File(file);
                }
            }
            let direct = joined(&package.directory, rest.trim_start_matches('/'));
            for path in [
                direct.clone(),
                joined(&package.directory, &format!("src{rest}")),
            ] {
                if let Some(file) = self.script_file(&path) {
                    return Module::File(file);
                }
            }
        }
        Module::External(specifier.into())
    }

    /// The file that a path without or with a wrong extension means.
    fn script_file(&self, path: &str) -> Option<FileId> {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let snapshot = self.snapshot();
        if let Some(file) = snapshot.find(path)
            && self.view(file).is_some()
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
            if let Some(file) =
                snapshot.find(joined(path, &format!("index.{extension}")).trim_start_matches('/'))
            {
                return Some(file);
            }
        }
        None
    }

    fn script_export(&self, view: &FileView, name: &str) -> Vec<Found> {
        let id = view.facts.names.find(name);
        // What is exported as default need not say the word.
        if id.is_none() && name != "default" {
            return self.script_reexports(view, name);
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
                    let module = self.script_module(view, view.facts.name(module));
                    match local.map(|local| view.facts.name(local)) {
                        Some("*") | None => found.push(Found::Module(module)),
                        Some(local) => {
                            found.extend(self.module_member(&module, local, view).iter().cloned())
                        }
                    }
                }
                (None, Some(local)) => found.extend(
                    self.lookup(
                        view,
                        ScopeId::FILE,
                        u32::MAX,
                        view.facts.name(local),
                        Space::Value,
                    )
                    .0,
                ),
                (None, None) => match view.facts.recipe(export.value) {
                    Recipe::Name(local) => found.extend(
                        self.lookup(
                            view,
                            ScopeId::FILE,
                            u32::MAX,
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
                        || is_declaration_file(self, view)
                }
                _ => false,
            };
            found = self
                .file_level(view, name)
                .into_iter()
                .filter(exported)
                .collect();
        }
        found.dedup();
        if found.is_empty() {
            self.script_reexports(view, name)
        } else {
            found
        }
    }

    /// `export * from "m"`.
    fn script_reexports(&self, view: &FileView, name: &str) -> Vec<Found> {
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
            let module = self.script_module(view, view.facts.name(module));
            let found = self.module_member(&module, name, view);
            if !found.is_empty() {
                return found.to_vec();
            }
        }
        Vec::new()
    }

    // Go.

    fn go_package(&self, path: &str) -> Module {
        let project = self.snapshot().project();
        for module in &project.go_modules {
            for (replaced, directory) in &module.replaces {
                if let Some(rest) = path
                    .strip_prefix(replaced.as_str())
                    .filter(|rest| rest.is_empty() || rest.starts_with('/'))
                {
                    return Module::Package(joined(directory, rest.trim_start_matches('/')).into());
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
                Module::Package(joined(&module.directory, rest.trim_start_matches('/')).into())
            }
            None => Module::External(path.into()),
        }
    }

    fn package_member(&self, directory: &str, name: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for symbol in self.symbols_named_in(directory, name).iter() {
            let path = &self.snapshot().file(symbol.file).path;
            let Some((view, declared)) = self.symbol(*symbol) else {
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
    fn go_package_name(&self, view: &FileView) -> Option<String> {
        let clause = view
            .facts
            .symbols
            .iter()
            .find(|symbol| symbol.kind == SymbolKind::Namespace)?;
        Some(view.facts.name(clause.name).to_owned())
    }

    /// Names that other files of the same package or namespace declare.
    pub(super) fn siblings(&self, view: &FileView, name: &str) -> Vec<Found> {
        match view.semantics.modules {
            ModuleSystem::GoPackages => {
                let (directory, package) = (
                    self.snapshot().file(view.id).path.directory().to_owned(),
                    self.go_package_name(view),
                );
                let same = |symbol: &&SymbolId| {
                    self.symbol(**symbol).is_some_and(|(other, found)| {
                        other.semantics.modules == ModuleSystem::GoPackages
                            && found.declared_in == ScopeId::FILE
                            && !found.owner.is_known()
                            && found.kind != SymbolKind::Namespace
                            && self.go_package_name(&other) == package
                    })
                };
                self.symbols_named_in(&directory, name)
                    .iter()
                    .filter(same)
                    .map(|symbol| Found::Symbol(*symbol))
                    .collect()
            }
            _ => {
                let namespaces: BTreeSet<String> = view
                    .facts
                    .symbols_with_index()
                    .filter(|(_, symbol)| symbol.kind == SymbolKind::Namespace)
                    .map(|(index, _)| view.namespace_of(index))
                    .chain([String::new()])
                    .collect();
                for namespace in namespaces.iter().rev() {
                    let found = self.module_member(
                        &Module::Namespace(namespace.as_str().into()),
                        name,
                        view,
                    );
                    if !found.is_empty() {
                        return found.to_vec();
                    }
                }
                Vec::new()
            }
        }
    }

    // Namespaces that files declare.

    fn namespace_member(&self, namespace: &str, name: &str, view: &FileView) -> Vec<Found> {
        let (mut exact, mut nested) = (Vec::new(), Vec::new());
        let may_be_meant = |sketch: &&Sketch| {
            let extends = sketch.modifiers.contains(Modifiers::EXTENSION)
                && matches!(sketch.kind, SymbolKind::Method | SymbolKind::Function);
            sketch.family == view.semantics.family
                && (!sketch.has_owner || extends)
                && sketch.kind != SymbolKind::Impl
                && sketch
                    .parent
                    .is_none_or(|parent| parent == SymbolKind::Namespace || is_enumerator(sketch))
                && !is_test_case(sketch.family, sketch.modifiers)
        };
        for sketch in self.sketches(name).iter().filter(may_be_meant) {
            let symbol = &sketch.id;
            let Some((other, found)) = self.symbol(*symbol) else {
                continue;
            };
            let holder = other.holder_of(symbol.index);
            if found.kind == SymbolKind::EnumMember
                && holder.is_some_and(|holder| other.symbol(holder).kind != SymbolKind::Namespace)
            {
                continue;
            }
            let own = match holder {
                Some(holder) => normalized(&other.namespace_of(holder)),
                None => String::new(),
            };
            if own == namespace {
                exact.push(Found::Symbol(*symbol));
            } else if !namespace.is_empty()
                && own.ends_with(namespace)
                && own[..own.len() - namespace.len()].ends_with('.')
            {
                nested.push(Found::Symbol(*symbol));
            }
        }
        if exact.is_empty() { nested } else { exact }
    }

    // Rust.

    /// The module a `use` path or any path names, seen from a scope of a file.
    pub(super) fn rust_path(&self, view: &FileView, scope: ScopeId, path: &str) -> Option<Module> {
        let mut parts = path
            .split("::")
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let own = self.rust_module_at(view, scope);
        let Some(first) = parts.next() else {
            return Some(own);
        };
        let mut module = match first {
            "crate" | "$crate" => self.rust_crate_root(view.id),
            "self" => own,
            "super" => self.rust_parent(&own)?,
            name => self.rust_first(view, &own, name)?,
        };
        for part in parts {
            module = match part {
                "self" => module,
                "super" => self.rust_parent(&module)?,
                name => self.rust_step(&module, name, view)?,
            };
        }
        Some(module)
    }

    fn rust_first(&self, view: &FileView, own: &Module, name: &str) -> Option<Module> {
        if let Some(module) = self.rust_step(own, name, view)
            && !matches!(module, Module::External(_))
        {
            return Some(module);
        }
        if let Some(krate) = self.rust_dependency(view.id, name) {
            return Some(krate);
        }
        Some(Module::External(name.into()))
    }

    /// A crate by the name it has in the code of a file.
    pub(super) fn rust_dependency(&self, file: FileId, name: &str) -> Option<Module> {
        let project = self.snapshot().project();
        let own = self.rust_crate(file);
        let root = |directory: &str| {
            let krate = project
                .cargo_crates
                .iter()
                .find(|krate| krate.directory == directory)?;
            self.snapshot().find(krate.library.as_deref()?)
        };
        if let Some(krate) = own {
            if krate.name == name
                && let Some(library) = krate
                    .library
                    .as_deref()
                    .and_then(|path| self.snapshot().find(path))
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

    fn rust_step(&self, module: &Module, name: &str, view: &FileView) -> Option<Module> {
        if let Module::External(path) = module {
            return Some(Module::External(format!("{path}::{name}").into()));
        }
        let found = self.module_member(module, name, view);
        for found in found.iter() {
            match found {
                Found::Module(module) => return Some(module.clone()),
                Found::Symbol(symbol) => match self.kind(*symbol)? {
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

    fn rust_crate(&self, file: FileId) -> Option<&crate::CargoCrate> {
        let path = self.snapshot().file(file).path.as_str();
        let crates = self.snapshot().project().cargo_crates.iter();
        crates
            .filter(|krate| is_below(path, &krate.directory))
            .max_by_key(|krate| krate.directory.len())
    }

    /// The innermost inline module around a scope, else the file's own.
    pub(super) fn rust_module_at(&self, view: &FileView, scope: ScopeId) -> Module {
        for scope in view.outwards(scope) {
            if let Some(owner) = view.facts.scope(scope).owner
                && view.symbol(owner).kind == SymbolKind::Module
            {
                return Module::Rust(view.id, Some(owner));
            }
        }
        Module::Rust(view.id, None)
    }

    fn rust_is_root(&self, file: FileId) -> bool {
        let path = &self.snapshot().file(file).path;
        if let Some(krate) = self.rust_crate(file)
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
    fn rust_declared_beside(&self, file: FileId) -> Option<FileId> {
        let path = &self.snapshot().file(file).path;
        let stem = path.file_name().trim_end_matches(".rs");
        let beside = self
            .snapshot()
            .below(path.directory())
            .filter(|(id, other)| {
                *id != file
                    && other.path.directory() == path.directory()
                    && other.path.as_str().ends_with(".rs")
            });
        for (id, _) in beside {
            let Some(view) = self.view(id) else { continue };
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

    pub(super) fn rust_crate_root(&self, file: FileId) -> Module {
        let mut module = Module::Rust(file, None);
        // Module trees are shallow; the bound guards against links in a circle.
        for _ in 0..64 {
            match self.rust_parent(&module) {
                Some(parent) => module = parent,
                None => break,
            }
        }
        module
    }

    fn rust_parent(&self, module: &Module) -> Option<Module> {
        let Module::Rust(file, inline) = module else {
            return None;
        };
        if let Some(inline) = inline {
            let view = self.view(*file)?;
            let mut parent = view.symbol(*inline).parent;
            while let Some(index) = parent {
                if view.symbol(index).kind == SymbolKind::Module {
                    return Some(Module::Rust(*file, Some(index)));
                }
                parent = view.symbol(index).parent;
            }
            return Some(Module::Rust(*file, None));
        }
        let known = self.analysis.memo.rust_modules.lock().get(file);
        if let Some(parent) = known {
            return parent;
        }
        let parent = self.rust_parent_file(*file);
        self.analysis
            .memo
            .rust_modules
            .lock()
            .keep(*file, parent.clone(), 1);
        parent
    }

    fn rust_parent_file(&self, file: FileId) -> Option<Module> {
        if self.rust_is_root(file) {
            let path = &self.snapshot().file(file).path;
            let maybe_part = matches!(
                path.directory().rsplit('/').next(),
                Some("tests" | "examples" | "benches" | "bin")
            );
            let parent = maybe_part
                .then(|| self.rust_declared_beside(file))
                .flatten();
            return parent.map(|parent| Module::Rust(parent, None));
        }
        let path = self.snapshot().file(file).path.clone();
        let directory = if path.file_name() == "mod.rs" {
            outer(path.directory())
        } else {
            path.directory()
        };
        let beside = format!("{directory}.rs");
        for candidate in [
            joined(directory, "mod.rs"),
            beside,
            joined(directory, "lib.rs"),
            joined(directory, "main.rs"),
        ] {
            if candidate != path.as_str()
                && let Some(parent) = self.snapshot().find(candidate.trim_start_matches('/'))
            {
                return Some(Module::Rust(parent, None));
            }
        }
        // Declared with a path of its own: the root that mentions it.
        let krate = self.rust_crate(file)?;
        let declares = |root: &&String| {
            let Some(root) = self.snapshot().find(root).filter(|root| *root != file) else {
                return false;
            };
            let Some(view) = self.view(root) else {
                return false;
            };
            view.facts.imports.iter().any(|import| {
                import.kind == ImportKind::ModuleFile
                    && self.rust_child_file(
                        &view,
                        import,
                        import.local.map_or("", |name| view.facts.name(name)),
                    ) == Some(file)
            })
        };
        let root = krate.roots.iter().find(declares)?;
        self.snapshot()
            .find(root)
            .map(|root| Module::Rust(root, None))
    }

    /// The file of `mod name;`.
    pub(super) fn rust_child_file(
        &self,
        view: &FileView,
        import: &Import,
        name: &str,
    ) -> Option<FileId> {
        let path = &self.snapshot().file(view.id).path;
        // `#[path = "x.rs"]` is kept as the item.
        if let Some(item) = import.item
            && let Some(target) = relative(path.directory(), view.facts.name(item))
        {
            return self.snapshot().find(&target);
        }
        let mut directory = path.directory().to_owned();
        if !self.rust_is_root(view.id) && path.file_name() != "mod.rs" {
            directory = joined(&directory, path.file_name().trim_end_matches(".rs"));
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
                directory = joined(&directory, view.name_of(owner));
            }
        }
        let candidates = [
            joined(&directory, &format!("{name}.rs")),
            joined(&joined(&directory, name), "mod.rs"),
        ];
        candidates
            .iter()
            .find_map(|candidate| self.snapshot().find(candidate))
    }

    fn rust_member(&self, file: FileId, inline: Option<SymbolIndex>, name: &str) -> Vec<Found> {
        let Some(view) = self.view(file) else {
            return Vec::new();
        };
        let Some(scope) = inline.map_or(Some(ScopeId::FILE), |inline| view.symbol(inline).body)
        else {
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
                    found.extend(self.import_targets(&view, i as u32).iter().cloned());
                }
            }
        }
        if found.is_empty() {
            for (i, import) in view.facts.imports.iter().enumerate() {
                if import.kind == ImportKind::Glob && import.scope == scope {
                    found.extend(self.glob_member(&view, i as u32, name));
                }
            }
        }
        found.dedup();
        found
    }

    // C and C++.

    /// The file an include means: beside the file, below an include directory, else the file whose
    /// path ends so.
    pub(super) fn included_file(&self, view: &FileView, written: &str) -> Option<FileId> {
        let written = written.trim_matches(['"', '<', '>', ' ']);
        let own = self.snapshot().file(view.id).path.directory().to_owned();
        if let Some(path) = relative(&own, written)
            && let Some(file) = self.snapshot().find(&path)
        {
            return Some(file);
        }
        let directories = &self.snapshot().project().includes.directories;
        for directory in directories
            .iter()
            .map(String::as_str)
            .chain(["", "include", "src"])
        {
            if let Some(file) =
                relative(directory, written).and_then(|path| self.snapshot().find(&path))
            {
                return Some(file);
            }
        }
        let name = written.rsplit('/').next().unwrap_or(written);
        let files = self.include_index().get(name)?;
        let ends = |file: &&FileId| {
            let path = self.snapshot().file(**file).path.as_str();
            path.strip_suffix(written.trim_start_matches("../"))
                .is_some_and(|rest| rest.ends_with('/'))
        };
        let mut matching = files.iter().filter(ends);
        let first = *matching.next()?;
        matching.next().is_none().then_some(first)
    }

    fn include_index(&self) -> &HashMap<String, Vec<FileId>> {
        self.analysis.memo.include_index.get_or_init(|| {
            let mut index: HashMap<String, Vec<FileId>> = HashMap::new();
            for (id, file) in self.snapshot().files() {
                index
                    .entry(file.path.file_name().to_owned())
                    .or_default()
                    .push(id);
            }
            index
        })
    }

    /// Names in sight without an import that binds them: what included files declare, at any depth.
    pub(super) fn implicitly_visible(&self, view: &FileView, name: &str) -> Vec<Found> {
        if view.semantics.modules != ModuleSystem::Includes {
            return Vec::new();
        }
        let is_in_sight = |sketch: &&Sketch| {
            let top = sketch
                .parent
                .is_none_or(|parent| parent == SymbolKind::Namespace || is_enumerator(sketch));
            let private = sketch.modifiers.contains(Modifiers::STATIC)
                && sketch.id.file != view.id
                && !self
                    .snapshot()
                    .file(sketch.id.file)
                    .path
                    .as_str()
                    .contains(".h");
            sketch.family == view.semantics.family
                && top
                && !sketch.has_owner
                && !private
                && !is_test_case(sketch.family, sketch.modifiers)
        };
        let candidates: Vec<SymbolId> = self
            .sketches(name)
            .iter()
            .filter(is_in_sight)
            .map(|sketch| sketch.id)
            .collect();
        let own = candidates.iter().any(|symbol| symbol.file == view.id);
        let reached = own || {
            let reach = self.include_closure(view);
            candidates.iter().any(|symbol| reach.contains(&symbol.file))
        };
        if reached {
            candidates.into_iter().map(Found::Symbol).collect()
        } else {
            Vec::new()
        }
    }

    fn include_closure(&self, view: &FileView) -> BTreeSet<FileId> {
        /// Deeper include trees are cut; they come from vendored libraries.
        const MAX_FILES: usize = 2_000;
        let mut seen = BTreeSet::from([view.id]);
        let mut open = vec![view.id];
        while let Some(file) = open.pop() {
            let Some(view) = self.view(file) else {
                continue;
            };
            for import in view
                .facts
                .imports
                .iter()
                .filter(|import| import.kind == ImportKind::Include)
            {
                if let Some(included) = self.included_file(&view, view.facts.name(import.module))
                    && seen.len() < MAX_FILES
                    && seen.insert(included)
                {
                    open.push(included);
                }
            }
        }
        seen
    }
}

/// A member of an enum that is written in C or C++, where those of plain enums are names of what
/// surrounds the enum.
fn is_enumerator(sketch: &Sketch) -> bool {
    sketch.family == Family::C
        && sketch.kind == SymbolKind::EnumMember
        && sketch.parent == Some(SymbolKind::Enum)
}

/// `TEST(Cart, adds) { .. }`: the macro makes another name of it, so that no code can mean it.
pub(super) fn is_test_case(family: Family, modifiers: Modifiers) -> bool {
    family == Family::C && modifiers.contains(Modifiers::TEST)
}

fn is_declaration_file(resolver: &Resolver<'_>, view: &FileView) -> bool {
    resolver
        .snapshot()
        .file(view.id)
        .path
        .as_str()
        .contains(".d.")
}

pub(crate) fn joined(directory: &str, name: &str) -> String {
    match (directory.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// `a/b` and `../c` is `a/c`; nothing if it leaves the root.
fn relative(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What `*` stands for when a pattern matches, or nothing to stand for.
fn matched<'path>(pattern: &str, path: &'path str) -> Option<&'path str> {
    match pattern.split_once('*') {
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == path).then_some(""),
    }
}
