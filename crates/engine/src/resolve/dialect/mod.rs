//! What one language or module system does differently, one file per dialect. Nothing else in the
//! engine names a language: the test below keeps that.

mod c;
mod dotnet;
mod go;
mod namespaced;
pub(crate) mod project;
mod python;
mod rust;
mod script;

use facts::{Family, Import, Modifiers, Symbol, SymbolKind};

use super::{
    FileView, Found, Place, Resolver, Sketch, SymbolId, Ty,
    modules::{self, Module},
};

/// How the files of a language family find modules and names, where that is more than data. What is
/// not said here is what most languages do.
pub(crate) trait Dialect: Sync {
    /// The module that an import statement names.
    fn module_of_import(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _import: &Import,
    ) -> Option<Module> {
        None
    }

    /// The module that the name bound by a module import means.
    fn module_bound_by(
        &self,
        resolver: &Resolver<'_>,
        view: &FileView,
        import: &Import,
    ) -> Option<Module> {
        self.module_of_import(resolver, view, import)
    }

    /// The module that a declaration says to be in another file: `mod cart;`.
    fn declared_module(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _import: &Import,
    ) -> Option<Module> {
        None
    }

    /// What a file that is a module gives under a name.
    fn member_of_file(&self, resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
        modules::file_level(resolver, view, name)
    }

    /// What a module that is neither a file nor a namespace gives under a name.
    fn member_of_module(
        &self,
        _resolver: &Resolver<'_>,
        _module: &Module,
        _name: &str,
    ) -> Vec<Found> {
        Vec::new()
    }

    /// What a module itself is where it exports one thing.
    fn exported_whole(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _module: &Module,
    ) -> Option<Found> {
        None
    }

    /// Names that other files of the same package or namespace declare.
    fn siblings(&self, resolver: &Resolver<'_>, view: &FileView, name: &str) -> Vec<Found> {
        super::namespaces::siblings(resolver, view, name)
    }

    /// Names in sight without an import that binds them.
    fn implicitly_visible(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _name: &str,
    ) -> Vec<Found> {
        Vec::new()
    }

    /// Names that imports for every file of the project bring in.
    fn shared_member(&self, _resolver: &Resolver<'_>, _view: &FileView, _name: &str) -> Vec<Found> {
        Vec::new()
    }

    /// Whether what a namespace declares can be meant without its path.
    fn sees_namespace(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _namespace: &str,
        _name: &str,
    ) -> bool {
        true
    }

    /// Whether a name that the repository lacks may come from a library, as far as the file tells.
    fn may_be_of_library(&self, _resolver: &Resolver<'_>, _view: &FileView) -> bool {
        false
    }

    /// Whether a macro can be meant in a file.
    fn macro_reaches(
        &self,
        _resolver: &Resolver<'_>,
        _symbol: SymbolId,
        _view: &FileView,
        _is_standard: bool,
    ) -> bool {
        true
    }

    /// Of the types of a name those that are meant where it is written without a keyword before it.
    fn without_tags(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _name: &str,
        found: Vec<Found>,
    ) -> Vec<Found> {
        found
    }

    /// Whether code can name a symbol with these modifiers.
    fn is_nameable(&self, _modifiers: Modifiers) -> bool {
        true
    }

    /// Members of a plain enum are names of what is around the enum.
    fn spills_enum_members(&self) -> bool {
        false
    }

    /// What the first part of a path means where no name in reach does.
    fn path_start(&self, _resolver: &Resolver<'_>, _place: Place<'_>, _name: &str) -> Option<Ty> {
        None
    }

    /// Members that are assigned to a function.
    fn function_members(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _symbol: SymbolId,
        _name: &str,
    ) -> Vec<Found> {
        Vec::new()
    }

    /// The value of a field, where its class decides that.
    fn field_value(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _symbol: SymbolId,
        _declared: &Symbol,
    ) -> Option<Ty> {
        None
    }

    /// The type of a parameter that neither declaration nor call tells.
    fn untyped_parameter(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _binding: &facts::Binding,
    ) -> Ty {
        Ty::Unknown
    }

    /// What iterating over a type itself gives.
    fn element_of_type(&self, _instance: Ty) -> Ty {
        Ty::Unknown
    }

    /// A value of several types at once: what is known of any part can be used.
    fn intersection(&self, types: Vec<Ty>) -> Ty {
        first_known(types)
    }

    /// A type that is declared once for all files.
    fn global_type(&self, _resolver: &Resolver<'_>, _name: &str) -> Option<Ty> {
        None
    }

    /// A value of what a symbol in type position means, where that is not plainly the symbol.
    fn type_of_symbol(
        &self,
        _resolver: &Resolver<'_>,
        _view: &FileView,
        _symbol: SymbolId,
    ) -> Option<Ty> {
        None
    }

    /// A generic library type that is an alias of something made of its arguments.
    fn applied_library(&self, _name: &str, _arguments: &[Ty]) -> Option<Ty> {
        None
    }
}

pub(crate) fn of(family: Family) -> &'static dyn Dialect {
    match family {
        Family::Python => &python::Python,
        Family::JavaScript => &script::Script,
        Family::Jvm | Family::Php => &namespaced::Namespaced,
        Family::DotNet => &dotnet::DotNet,
        Family::Rust => &rust::Rust,
        Family::Go => &go::Go,
        Family::C => &c::C,
        Family::Ruby | Family::None => &Plain,
    }
}

/// Nothing that data does not say.
struct Plain;

impl Dialect for Plain {}

/// Whether the name of a symbol is one of what is around its enum.
pub(crate) fn is_spilled(sketch: &Sketch) -> bool {
    sketch.kind == SymbolKind::EnumMember
        && sketch.parent == Some(SymbolKind::Enum)
        && of(sketch.family).spills_enum_members()
}

/// Of several types that a value has at once the one to go by.
pub(crate) fn first_known(types: Vec<Ty>) -> Ty {
    let instance = types.iter().find(|ty| matches!(ty, Ty::Instance(..)));
    let known = instance.or_else(|| types.iter().find(|ty| ty.is_known()));
    known.cloned().unwrap_or(Ty::Unknown)
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
        assert!(named.is_empty(), "{}", named.join("\n"));
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
