//! `package.json`: packages, and the source file that each of their entry points means.

use engine::{Package, Project, ScriptConfig, Unit};
use serde_json::Value;

use super::{
    ProjectFiles,
    cargo::path_in,
    join,
    packages::{PackageNames, PackageRegistry::Npm},
};

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    for file in files.named(|name| name == "package.json") {
        let Some(json) = files
            .text(file)
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        else {
            continue;
        };
        let directory = file.path.directory().to_owned();
        let name = json
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        if !name.is_empty() {
            project.units.push(Unit {
                name: name.clone(),
                directory: directory.clone(),
                manifest: file.path.to_string(),
                is_library: json.get("private") != Some(&Value::Bool(true)),
            });
        }
        let exports = exports(files, &directory, &json);
        let paths = private_imports(files, &directory, &json);
        if !paths.is_empty() {
            project.script_configs.push(ScriptConfig {
                directory: directory.clone(),
                paths,
                ..ScriptConfig::default()
            });
        }
        let dependencies = dependencies(&json).map(|(name, _)| name.clone());
        let mut dependencies: Vec<String> = dependencies.collect();
        dependencies.sort();
        dependencies.dedup();
        project.packages.push(Package {
            directory,
            name,
            exports,
            dependencies,
        });
    }
}

/// The dependencies of all sections, with their versions.
fn dependencies(json: &Value) -> impl Iterator<Item = (&String, &Value)> {
    const SECTIONS: [&str; 4] = [
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
    ];
    let sections = SECTIONS.iter();
    sections
        .filter_map(|section| json.get(*section)?.as_object())
        .flatten()
}

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(|name| name == "package.json") {
        let text = files.text(file);
        let Some(json) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else {
            continue;
        };
        if let Some(name) = json.get("name").and_then(Value::as_str) {
            names.provide(Npm, file, name);
        }
        for (name, version) in dependencies(&json) {
            // `npm:other@1` is another package under this name.
            let other = version
                .as_str()
                .and_then(|version| version.strip_prefix("npm:"));
            let other = other.map(|other| match other.rfind('@') {
                Some(at) if at > 0 => &other[..at],
                _ => other,
            });
            names.require(Npm, file, other.unwrap_or(name));
        }
    }
}

fn exports(files: &ProjectFiles<'_>, directory: &str, json: &Value) -> Vec<(String, String)> {
    let mut exports = Vec::new();
    match json.get("exports") {
        Some(Value::Object(entries)) if entries.keys().any(|key| key.starts_with('.')) => {
            for (key, value) in entries {
                exports.extend(
                    targets(value)
                        .iter()
                        .find_map(|target| Some((key.clone(), source(files, directory, target)?))),
                );
            }
        }
        Some(value) => exports.extend(
            targets(value)
                .iter()
                .find_map(|target| Some((".".to_owned(), source(files, directory, target)?))),
        ),
        None => {}
    }
    if !exports.iter().any(|(key, _)| key == ".") {
        let written = ["source", "module", "main", "types", "typings", "browser"]
            .iter()
            .filter_map(|key| json.get(*key)?.as_str());
        let main = written
            .chain(["index"])
            .find_map(|target| source(files, directory, target));
        exports.extend(
            main.or_else(|| source(files, directory, "src/index"))
                .map(|path| (".".to_owned(), path)),
        );
    }
    exports
}

/// `"imports": { "#models": … }`: names that the files of one package have for its own files. All
/// conditions count that name a source file.
fn private_imports(
    files: &ProjectFiles<'_>,
    directory: &str,
    json: &Value,
) -> Vec<(String, Vec<String>)> {
    let entries = json.get("imports").and_then(Value::as_object);
    let named = entries.into_iter().flatten().map(|(pattern, value)| {
        let targets = targets(value);
        let own = targets.iter().filter(|target| target.starts_with('.'));
        let sources = own.filter_map(|target| source(files, directory, target));
        let mut sources: Vec<String> = sources.collect();
        // What is built from one file means that file.
        sources.dedup();
        (pattern.clone(), sources)
    });
    named.filter(|(_, sources)| !sources.is_empty()).collect()
}

/// The files that a condition tree names, the most telling first.
fn targets(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    // A manifest nests as deep as its author likes; a stack of our own does not mind.
    while let Some(value) = open.pop() {
        match value {
            Value::String(target) => found.push(target.clone()),
            Value::Array(values) => open.extend(values.iter().rev()),
            Value::Object(conditions) => {
                let rank = |key: &str| {
                    [
                        "source",
                        "development",
                        "types",
                        "import",
                        "module",
                        "require",
                        "default",
                    ]
                    .iter()
                    .position(|known| *known == key)
                    .unwrap_or(7)
                };
                let mut conditions: Vec<_> = conditions.iter().collect();
                conditions.sort_by_key(|(key, _)| rank(key));
                open.extend(conditions.into_iter().rev().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    found
}

/// Names of directories that hold what a build makes of `src`.
const BUILT: &[&str] = &[
    "dist", "lib", "build", "out", "esm", "cjs", "es", "types", "output",
];

/// The source file that an entry point means: itself, or what it was built from. Patterns keep
/// their `*`.
fn source(files: &ProjectFiles<'_>, directory: &str, target: &str) -> Option<String> {
    let target = target.trim_start_matches("./");
    let mut stems = vec![stem(target).to_owned()];
    if let Some((first, rest)) = target.split_once('/')
        && BUILT.contains(&first)
    {
        // `dist/esm/index.js` was `src/index.ts`.
        let mut rest = rest;
        while let Some((next, deeper)) = rest.split_once('/') {
            if !BUILT.contains(&next) && next != "src" {
                break;
            }
            rest = deeper;
        }
        stems.extend([format!("src/{}", stem(rest)), stem(rest).to_owned()]);
    }
    if target.contains('*') {
        let exists = |stem: &String| {
            let before = stem.split('*').next().unwrap_or_default();
            join(directory, before)
                .is_some_and(|path| files.directory_exists(path.trim_end_matches('/')))
        };
        return stems
            .iter()
            .rev()
            .find(|stem| stem.starts_with("src/") && exists(stem))
            .or(stems.first())
            .map(|stem| path_in(directory, stem));
    }
    if let Some(path) = join(directory, target).filter(|path| files.exists(path)) {
        return Some(path);
    }
    let stems = stems.iter().filter_map(|stem| join(directory, stem));
    stems
        .into_iter()
        .find_map(|stem| files.first(with_extensions(&stem)))
}

/// What a specifier without an extension may mean, in the order of preference.
pub fn with_extensions(stem: &str) -> impl Iterator<Item = String> {
    const EXTENSIONS: [&str; 10] = [
        "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte",
    ];
    let direct = EXTENSIONS.iter().map({
        let stem = stem.to_owned();
        move |extension| format!("{stem}.{extension}")
    });
    let index = EXTENSIONS[..8].iter().map({
        let stem = stem.to_owned();
        move |extension| format!("{stem}/index.{extension}")
    });
    direct.chain(index)
}

fn stem(path: &str) -> &str {
    for suffix in [
        ".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts",
    ] {
        if let Some(stem) = path.strip_suffix(suffix) {
            return stem;
        }
    }
    path
}
