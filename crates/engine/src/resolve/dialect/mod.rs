//! What one language or module system does differently, one file per dialect. Nothing else in the
//! engine names a language: the test below keeps that.

mod c;
mod dotnet;
mod go;
mod namespaced;
pub(crate) mod project;
mod python;
mod reflection;
mod ruby;
mod rust;
mod script;

use std::sync::Arc;

use facts::{Binding, Family, Import, Reference, Symbol, SymbolIndex};

pub(crate) use reflection::dynamic_calls;

use crate::FileId;

use super::{
    FileView, Found, Place, Resolver, SymbolId, Ty, flow::LibraryFlows, lookup::MemberHit, modules,
    modules::Module, namespaces,
};

/// How the files of a language family find modules and names, where that is more than data.
pub(crate) struct Dialect {
    /// The module that an import statement names.
    pub module_of_import: fn(&Resolver, &FileView, &Import) -> Option<Module>,
    /// The module that the name bound by a module import means.
    pub module_bound_by: fn(&Resolver, &FileView, &Import) -> Option<Module>,
    /// The module that a declaration says to be in another file: `mod cart;`.
    pub declared_module: fn(&Resolver, &FileView, &Import) -> Option<Module>,
    /// What a file that is a module gives under a name.
    pub member_of_file: fn(&Resolver, &FileView, &str) -> Vec<Found>,
    /// What a module that is neither a file nor a namespace gives under a name.
    pub member_of_module: fn(&Resolver, &Module, &str) -> Vec<Found>,
    /// What a module itself is where it exports one thing.
    pub exported_whole: fn(&Resolver, &FileView, &Module) -> Option<Found>,
    /// By which words imports may name a module without naming what they import from it.
    pub module_words: fn(&Resolver, FileId) -> ModuleWords,
    /// Names that other files of the same package or namespace declare.
    pub siblings: fn(&Resolver, &FileView, &str) -> Vec<Found>,
    /// Names in sight without an import that binds them.
    pub implicitly_visible: fn(&Resolver, &FileView, &str) -> Vec<Found>,
    /// Names that imports for every file of the project bring in.
    pub shared_member: fn(&Resolver, &FileView, &str) -> Vec<Found>,
    /// Whether a name of a namespace, which comes first, can be meant without its path.
    pub sees_namespace: fn(&Resolver, &FileView, &str, &str) -> bool,
    /// Whether a name that the repository lacks may come from a library, as far as the file tells.
    pub may_be_of_library: fn(&Resolver, &FileView) -> bool,
    /// Whether a file can see what another declares, where several files declare a name.
    pub reaches: fn(&Resolver, &FileView, FileId) -> bool,
    /// Whether a file can name what a namespace declares, perhaps in another file.
    pub sees_member: fn(&Resolver, &FileView, SymbolId) -> bool,
    /// Whether a macro can be meant in a file; the last tells whether the standard library has one
    /// of that name.
    pub macro_reaches: fn(&Resolver, &FileView, SymbolId, bool) -> bool,
    /// Of the types of a name those that are meant where it is written without a keyword before it.
    pub without_tags: fn(&Resolver, &FileView, &str, Vec<Found>) -> Vec<Found>,
    /// What the first part of a path means where no name in reach does.
    pub path_start: fn(&Resolver, Place, &str) -> Option<Ty>,
    /// Members that are assigned to a function.
    pub function_members: fn(&Resolver, &FileView, SymbolId, &str) -> Vec<Found>,
    /// The declaration by which a type is known that several files declare.
    pub whole: fn(&Resolver, &FileView, SymbolId) -> SymbolId,
    /// The declarations that other files add to a symbol, where nothing in the symbol says so.
    pub added_parts: fn(&Resolver, &FileView, SymbolId) -> Arc<[SymbolId]>,
    /// Members of a name that blocks apart from a type give it, where the type has none itself.
    pub implemented: fn(&Resolver, &FileView, &Ty, &str) -> Vec<MemberHit>,
    /// The members that a call by the path of a trait means, where its arguments or its result tell
    /// whose: `Display::fmt(self, f)`.
    pub named_by_path: fn(&Resolver, Place, &Reference, &Ty) -> Vec<SymbolId>,
    /// The value of a field, where its class decides that.
    pub field_value: fn(&Resolver, &FileView, SymbolId, &Symbol) -> Option<Ty>,
    /// The type of a parameter that neither declaration nor call tells.
    pub untyped_parameter: fn(&Resolver, &FileView, &Binding) -> Ty,
    /// What is handed in for a parameter because it has the parameter's name.
    pub handed_in: fn(&Resolver, &FileView, &Binding) -> Option<SymbolId>,
    /// The methods of a library's interface.
    pub interface_methods: fn(&str) -> Option<&'static [&'static str]>,
    /// A value of what a symbol in type position means, where that is not plainly the symbol.
    pub type_of_symbol: fn(&Resolver, &FileView, SymbolId) -> Option<Ty>,
    /// Whether a file is a part of the program under some conditions only, so that another file may
    /// declare the same.
    pub is_conditional: fn(&Resolver, &FileView) -> bool,
    /// Whether a build may leave out the code at a place, which is in a symbol or in none.
    pub may_be_left_out: fn(&FileView, Option<SymbolIndex>, u32) -> bool,
    /// Whether names that no file declares or imports may be there all the same: globals, implicit imports.
    pub has_ambient_names: bool,
    /// Whether the import statements of a file may bind a name only once, and hand it on only once.
    pub imports_bind_once: bool,
    /// What modules do that import one another.
    pub import_cycles: ImportCycles,
    /// What libraries do with functions and containers.
    pub flows: &'static LibraryFlows,
}

/// How imports name a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModuleWords {
    /// The words that paths to it end in.
    pub words: Vec<String>,
    /// The directories that mean the file: files below them import it as `..`.
    pub directories: Vec<String>,
}

/// What comes of modules that import one another at their top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportCycles {
    /// Nothing, or it cannot be told.
    Harmless,
    /// A module may find another half-made.
    Risky,
    /// The compiler refuses them.
    Forbidden,
}

/// What most languages do.
const USUAL: Dialect = Dialect {
    module_of_import: |_, _, _| None,
    module_bound_by: |resolver, view, import| {
        (view.dialect.module_of_import)(resolver, view, import)
    },
    declared_module: |_, _, _| None,
    member_of_file: modules::file_level,
    member_of_module: |_, _, _| Vec::new(),
    exported_whole: |_, _, _| None,
    module_words: |_, _| ModuleWords::default(),
    siblings: namespaces::siblings,
    implicitly_visible: |_, _, _| Vec::new(),
    shared_member: |_, _, _| Vec::new(),
    sees_namespace: |_, _, _, _| true,
    may_be_of_library: |_, _| false,
    reaches: |_, _, _| true,
    sees_member: |_, _, _| true,
    macro_reaches: |_, _, _, _| true,
    without_tags: |_, _, _, found| found,
    path_start: |_, _, _| None,
    function_members: |_, _, _, _| Vec::new(),
    whole: |_, _, symbol| symbol,
    added_parts: |_, _, _| Arc::from([]),
    implemented: |_, _, _, _| Vec::new(),
    named_by_path: |_, _, _, _| Vec::new(),
    field_value: |_, _, _, _| None,
    untyped_parameter: |_, _, _| Ty::Unknown,
    handed_in: |_, _, _| None,
    interface_methods: |_| None,
    type_of_symbol: |_, _, _| None,
    is_conditional: |_, _| false,
    may_be_left_out: |_, _, _| false,
    has_ambient_names: true,
    imports_bind_once: false,
    import_cycles: ImportCycles::Harmless,
    flows: &LibraryFlows::NONE,
};

pub(crate) fn of(family: Family) -> &'static Dialect {
    match family {
        Family::Python => &python::DIALECT,
        Family::JavaScript => &script::DIALECT,
        Family::Jvm | Family::Php => &namespaced::DIALECT,
        Family::DotNet => &dotnet::DIALECT,
        Family::Rust => &rust::DIALECT,
        Family::Go => &go::DIALECT,
        Family::C => &c::DIALECT,
        Family::Ruby => &ruby::DIALECT,
        Family::None => &USUAL,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    /// Where languages and frameworks may be named, besides this folder.
    const ELSEWHERE: [&str; 2] = ["query/architecture", "query/effects/libraries"];

    /// Words that name a language or a module system, as parts of identifiers.
    const NAMES: [&str; 18] = [
        "python",
        "rust",
        "golang",
        "go",
        "script",
        "javascript",
        "typescript",
        "ecma",
        "java",
        "jvm",
        "kotlin",
        "csharp",
        "dotnet",
        "cpp",
        "ruby",
        "php",
        "cargo",
        "npm",
    ];

    #[test]
    fn languages_are_named_in_dialects_only() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut named = Vec::new();
        let mut open = vec![source.clone()];
        while let Some(path) = open.pop() {
            let below = path
                .strip_prefix(&source)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            if below == "resolve/dialect" || ELSEWHERE.contains(&below.as_str()) {
                continue;
            }
            if path.is_dir() {
                open.extend(
                    fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for (i, line) in code.lines().enumerate() {
                let line = line.split("//").next().unwrap_or("");
                if names_language(line) {
                    named.push(format!("{below}:{}: {}", i + 1, line.trim()));
                }
            }
        }
        assert!(
            named.is_empty(),
            "name a language in resolve/dialect/ only; elsewhere use a field of `Dialect` or `Semantics`:\n{}",
            named.join("\n")
        );
    }

    fn names_language(line: &str) -> bool {
        // Strings are what users type and what files are called.
        let code: String = line.split('"').step_by(2).collect();
        let identifiers = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        line.contains("Family::")
            || line.contains("ModuleSystem::")
            || identifiers
                .filter(|word| *word != "rustc_hash")
                .any(|word| {
                    let lower = word.to_lowercase();
                    let mut parts = lower.split('_');
                    parts.any(|part| NAMES.contains(&part))
                })
    }
}
