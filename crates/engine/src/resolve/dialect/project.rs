//! The project model: what manifests say about modules, as data. `workspace` reads the manifests of
//! a snapshot; the engine looks names up in it.

/// Empty where there is no manifest; resolution then goes by paths alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Directories below which Python modules are named, besides the root: `src`, `lib`.
    pub python_roots: Vec<String>,
    pub go_modules: Vec<GoModule>,
    pub cargo_crates: Vec<CargoCrate>,
    /// npm packages of the repository by directory.
    pub packages: Vec<Package>,
    /// Nearest enclosing directory wins.
    pub script_configs: Vec<ScriptConfig>,
    pub includes: IncludePaths,
    /// Namespaces that all files below a directory see without importing them: (directory,
    /// namespace).
    pub shared_namespaces: Vec<(String, String)>,
    /// Every package, crate or project, for *package* scope and project diagnostics; in order.
    pub units: Vec<Unit>,
}

/// A package, crate or project.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    pub directory: String,
    pub name: String,
    pub manifest: String,
    /// The manifest publishes it for others to use.
    pub is_library: bool,
}

impl Project {
    /// The units whose directory holds a path, the innermost first.
    pub fn units_around(&self, path: &str) -> impl Iterator<Item = &Unit> {
        let directories = std::iter::successors(Some(outer(path)), |directory| {
            (!directory.is_empty()).then(|| outer(directory))
        });
        directories.flat_map(|directory| {
            let start = self
                .units
                .partition_point(|unit| unit.directory.as_str() < directory);
            let n_units = self.units[start..]
                .iter()
                .take_while(|unit| unit.directory == directory)
                .count();
            self.units[start..start + n_units].iter().rev()
        })
    }
}

/// The directory of a path; empty for the root.
pub(crate) fn outer(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Whether a path lies below a directory, which is not below itself; everything lies below the
/// root, which is empty.
pub fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.starts_with('/'))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoModule {
    pub directory: String,
    /// `example.com/shop`.
    pub path: String,
    /// Import path to a directory of this repository.
    pub replaces: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CargoCrate {
    pub directory: String,
    /// With `_` for `-`.
    pub name: String,
    /// Crate root files: library, binaries, tests, examples, benches, build script.
    pub roots: Vec<String>,
    /// The library's root file, which other crates and this crate's binaries mean by `name`.
    pub library: Option<String>,
    /// Name used in code, and the directory of the crate when it is in this repository.
    pub dependencies: Vec<(String, Option<String>)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    pub directory: String,
    pub name: String,
    /// Sub-path (`.`, `./cart`, `./*`) and the file it means, mapped back to source where it names
    /// build output.
    pub exports: Vec<(String, String)>,
    pub dependencies: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptConfig {
    pub directory: String,
    pub base_url: Option<String>,
    /// Pattern and targets, relative to the repository.
    pub paths: Vec<(String, Vec<String>)>,
    pub out_dir: Option<String>,
    pub root_dir: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncludePaths {
    pub directories: Vec<String>,
}
