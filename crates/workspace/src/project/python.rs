//! Python: the directories below which modules are named.

use engine::{File, Project, Unit};
use toml::{Table, Value};

use super::{
    ProjectFiles,
    cargo::path_in,
    join,
    packages::{PackageNames, PackageRegistry::Pypi},
};

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    let mut roots = Vec::new();
    for file in files.named(|name| matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py")) {
        let directory = file.path.directory();
        let Some(text) = files.text(file) else {
            continue;
        };
        let (name, written) = match file.path.file_name() {
            "pyproject.toml" => from_pyproject(&text),
            "setup.cfg" => from_setup_cfg(&text),
            _ => from_setup_py(&text),
        };
        roots.extend(written.iter().filter_map(|path| join(directory, path)));
        // A project inside the repository names its modules from its own directory.
        if !directory.is_empty() {
            roots.push(directory.to_owned());
        }
        // The src layout, written down or not.
        let source = path_in(directory, "src");
        if !files.exists(&path_in(&source, "__init__.py")) && files.below(&source).any(is_python) {
            roots.push(source);
        }
        if let Some(name) = name {
            project.units.push(Unit {
                name,
                directory: directory.to_owned(),
                manifest: file.path.to_string(),
                is_library: true,
            });
        }
    }
    roots.retain(|root| !root.is_empty() && files.directory_exists(root));
    roots.sort();
    roots.dedup();
    project.python_roots = roots;
}

fn is_python(file: &File) -> bool {
    file.path.as_str().ends_with(".py") || file.path.as_str().ends_with(".pyi")
}

fn from_pyproject(text: &str) -> (Option<String>, Vec<String>) {
    let Ok(table) = text.parse::<Table>() else {
        return (None, Vec::new());
    };
    let root = Value::Table(table);
    let at = |path: &[&str]| path.iter().try_fold(&root, |value, key| value.get(*key));
    let name = at(&["project", "name"])
        .or(at(&["tool", "poetry", "name"]))
        .and_then(Value::as_str)
        .map(str::to_owned);
    let mut roots = Vec::new();
    let strings = |value: Option<&Value>| -> Vec<String> {
        value
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    roots.extend(strings(at(&[
        "tool",
        "setuptools",
        "packages",
        "find",
        "where",
    ])));
    roots.extend(
        at(&["tool", "setuptools", "package-dir", ""])
            .and_then(Value::as_str)
            .map(str::to_owned),
    );
    roots.extend(
        at(&["tool", "pdm", "build", "package-dir"])
            .and_then(Value::as_str)
            .map(str::to_owned),
    );
    roots.extend(strings(at(&[
        "tool",
        "pytest",
        "ini_options",
        "pythonpath",
    ])));
    for package in at(&["tool", "poetry", "packages"])
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        roots.extend(
            package
                .get("from")
                .and_then(Value::as_str)
                .map(str::to_owned),
        );
    }
    // Hatch names packages; their parents are the roots.
    for package in strings(at(&[
        "tool", "hatch", "build", "targets", "wheel", "packages",
    ])) {
        roots.extend(
            package
                .rsplit_once('/')
                .map(|(parent, _)| parent.to_owned()),
        );
    }
    (name, roots)
}

fn from_setup_cfg(text: &str) -> (Option<String>, Vec<String>) {
    let (mut name, mut roots) = (None, Vec::new());
    each_in_setup_cfg(text, |section, key, value| match (section, key) {
        ("metadata", "name") => name = Some(value.to_owned()),
        ("options.packages.find", "where") => roots.push(value.to_owned()),
        // `=src` maps all packages.
        ("options", "package_dir") => {
            roots.extend(value.strip_prefix('=').map(|path| path.trim().to_owned()))
        }
        _ => {}
    });
    (name, roots)
}

/// Calls `each` with section, key and value of every line that has a value.
fn each_in_setup_cfg<'t>(text: &'t str, mut each: impl FnMut(&'t str, &'t str, &'t str)) {
    let (mut section, mut key) = ("", "");
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with(['#', ';']) || trimmed.is_empty() {
            continue;
        }
        if let Some(header) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = header;
            key = "";
            continue;
        }
        let continued = line.starts_with([' ', '\t']);
        let value = match trimmed.split_once('=') {
            Some((before, after)) if !continued => {
                key = before.trim();
                after.trim()
            }
            _ => trimmed,
        };
        if !value.is_empty() {
            each(section, key, value);
        }
    }
}

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    let is_requirements = |name: &str| name.starts_with("requirements") && name.ends_with(".txt");
    let is_manifest = |name: &str| {
        matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py") || is_requirements(name)
    };
    for file in files.named(is_manifest) {
        let Some(text) = files.text(file) else {
            continue;
        };
        let (provided, required) = match file.path.file_name() {
            "pyproject.toml" => (from_pyproject(&text).0, pyproject_requirements(&text)),
            "setup.cfg" => (from_setup_cfg(&text).0, setup_cfg_requirements(&text)),
            "setup.py" => (from_setup_py(&text).0, setup_py_requirements(&text)),
            _ => (None, text.lines().map(str::to_owned).collect()),
        };
        if let Some(name) = provided {
            names.provide(Pypi, file, &name);
        }
        for requirement in &required {
            if let Some(name) = required_name(requirement) {
                names.require(Pypi, file, name);
            }
        }
    }
}

/// The name in `name[extra] >= 1; marker`; nothing for options, addresses and comments.
fn required_name(requirement: &str) -> Option<&str> {
    let requirement = requirement.trim();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let end = requirement
        .find(|c| !is_part(c))
        .unwrap_or(requirement.len());
    let (name, rest) = requirement.split_at(end);
    let rest = rest.trim_start();
    let is_requirement = rest.is_empty()
        || rest.starts_with(['[', '(', '=', '<', '>', '!', '~', ';', '@', '#', ',']);
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (starts_well && is_requirement).then_some(name)
}

/// Names are equal if they differ in case and in which of `-`, `_` and `.` they have only.
pub fn normal_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

fn pyproject_requirements(text: &str) -> Vec<String> {
    let Ok(table) = text.parse::<Table>() else {
        return Vec::new();
    };
    let root = Value::Table(table);
    let at = |path: &[&str]| path.iter().try_fold(&root, |value, key| value.get(*key));
    let mut found = Vec::new();
    let mut add_list = |list: &Value| {
        let list = list.as_array().into_iter().flatten();
        found.extend(list.filter_map(Value::as_str).map(str::to_owned));
    };
    at(&["project", "dependencies"])
        .into_iter()
        .for_each(&mut add_list);
    for groups in [
        at(&["project", "optional-dependencies"]),
        at(&["dependency-groups"]),
    ] {
        let groups = groups.and_then(Value::as_table).into_iter();
        groups
            .flat_map(|groups| groups.values())
            .for_each(&mut add_list);
    }
    let mut poetry = vec![
        at(&["tool", "poetry", "dependencies"]),
        at(&["tool", "poetry", "dev-dependencies"]),
    ];
    let groups = at(&["tool", "poetry", "group"]).and_then(Value::as_table);
    let groups = groups.into_iter().flat_map(|groups| groups.values());
    poetry.extend(groups.map(|group| group.get("dependencies")));
    for section in poetry.into_iter().flatten().filter_map(Value::as_table) {
        found.extend(section.keys().filter(|name| *name != "python").cloned());
    }
    found
}

fn setup_cfg_requirements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_in_setup_cfg(text, |section, key, value| match (section, key) {
        ("options", "install_requires") | ("options.extras_require", _) => {
            found.extend(value.split(';').next().map(str::to_owned));
        }
        _ => {}
    });
    found
}

/// The literals of `install_requires=[...]`.
fn setup_py_requirements(text: &str) -> Vec<String> {
    let list = text.split_once("install_requires").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        rest.strip_prefix('[')
    });
    let mut found = Vec::new();
    let mut rest = list.unwrap_or_default();
    // Extras have brackets inside of the literals.
    while let Some(at) = rest.find(['"', '\'', ']', '#']) {
        let (mark, after) = (&rest[at..=at], &rest[at + 1..]);
        rest = match mark {
            "]" => break,
            "#" => after.split_once('\n').map_or("", |(_, next)| next),
            quote => {
                let (literal, next) = after.split_once(quote).unwrap_or((after, ""));
                found.push(literal.to_owned());
                next
            }
        };
    }
    found
}

/// Programs are not run: only the two usual spellings are understood.
fn from_setup_py(text: &str) -> (Option<String>, Vec<String>) {
    let quoted_after = |marker: &str| {
        let rest = text[text.find(marker)? + marker.len()..]
            .trim_start()
            .strip_prefix(['=', ':'])
            .unwrap_or("")
            .trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next().map(str::to_owned)
    };
    let package_dir = text
        .find("package_dir")
        .map(|at| &text[at..])
        .and_then(|rest| {
            let rest = rest.get(..rest.len().min(200)).unwrap_or(rest);
            let value = rest
                .split_once("\"\"")
                .or_else(|| rest.split_once("''"))?
                .1
                .trim_start()
                .strip_prefix(':')?
                .trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            value[1..].split(quote).next().map(str::to_owned)
        });
    (
        quoted_after("name").filter(|name| !name.is_empty()),
        package_dir.into_iter().collect(),
    )
}
