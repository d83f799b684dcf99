//! The names under which packages are known outside of a repository: those that its manifests
//! provide, and those that they require. References from one repository to another go by them.

use facts::{File, RepoPath};

use super::{ProjectFiles, cargo, dotnet, go, jvm, npm, php, python, ruby};

/// Where a package's name is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackageRegistry {
    Cargo,
    Composer,
    Gem,
    Golang,
    Maven,
    Npm,
    Nuget,
    Pypi,
}

impl PackageRegistry {
    pub const ALL: [PackageRegistry; 8] = [
        PackageRegistry::Cargo,
        PackageRegistry::Composer,
        PackageRegistry::Gem,
        PackageRegistry::Golang,
        PackageRegistry::Maven,
        PackageRegistry::Npm,
        PackageRegistry::Nuget,
        PackageRegistry::Pypi,
    ];

    /// The type of a package URL (`pkg:cargo/serde`).
    pub fn as_str(self) -> &'static str {
        match self {
            PackageRegistry::Cargo => "cargo",
            PackageRegistry::Composer => "composer",
            PackageRegistry::Gem => "gem",
            PackageRegistry::Golang => "golang",
            PackageRegistry::Maven => "maven",
            PackageRegistry::Npm => "npm",
            PackageRegistry::Nuget => "nuget",
            PackageRegistry::Pypi => "pypi",
        }
    }
}

/// A package that a manifest names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageName {
    pub registry: PackageRegistry,
    /// As the registry compares it: `group:artifact` for Maven, in small letters where case does
    /// not matter.
    pub name: Box<str>,
    /// The manifest is this package's; otherwise the package is one that it requires.
    pub is_provided: bool,
    pub manifest: RepoPath,
}

/// Gathers what manifests say.
#[derive(Default)]
pub struct PackageNames(Vec<PackageName>);

impl PackageNames {
    pub fn provide(&mut self, registry: PackageRegistry, file: &File, name: &str) {
        self.add(registry, file, name, true);
    }

    pub fn require(&mut self, registry: PackageRegistry, file: &File, name: &str) {
        self.add(registry, file, name, false);
    }

    fn add(&mut self, registry: PackageRegistry, file: &File, name: &str, is_provided: bool) {
        /// No registry has longer names.
        const LONGEST: usize = 300;
        let name = name.trim();
        if name.is_empty() || name.len() > LONGEST || name.contains(char::is_whitespace) {
            return;
        }
        let name = match registry {
            PackageRegistry::Pypi => python::normal_name(name),
            PackageRegistry::Nuget | PackageRegistry::Composer => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        };
        self.0.push(PackageName {
            registry,
            name: name.into(),
            is_provided,
            manifest: file.path.clone(),
        });
    }
}

/// The packages that manifests name, in order, each once for a manifest.
pub fn read(files: &ProjectFiles<'_>) -> Vec<PackageName> {
    let mut names = PackageNames::default();
    cargo::packages(files, &mut names);
    go::packages(files, &mut names);
    npm::packages(files, &mut names);
    python::packages(files, &mut names);
    dotnet::packages(files, &mut names);
    jvm::packages(files, &mut names);
    php::packages(files, &mut names);
    ruby::packages(files, &mut names);
    let mut names = names.0;
    names.sort();
    names.dedup();
    names
}

/// The text between quotes at the beginning of `text`, after blanks and `(`.
pub fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t', '(']);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &text[1..];
    Some(&inner[..inner.find(quote)?])
}
