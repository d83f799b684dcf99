//! Python: the directories below which modules are named.

use engine::{File, Project, Unit};
use toml::{Table, Value};

use super::{ProjectFiles, cargo::path_in, join};

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
    let (mut section, mut key) = ("", "");
    let (mut name, mut roots) = (None, Vec::new());
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
        match (section, key) {
            ("metadata", "name") if !value.is_empty() => name = Some(value.to_owned()),
            ("options.packages.find", "where") if !value.is_empty() => roots.push(value.to_owned()),
            // `=src` maps all packages.
            ("options", "package_dir") => {
                roots.extend(value.strip_prefix('=').map(|path| path.trim().to_owned()))
            }
            _ => {}
        }
    }
    (name, roots)
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
