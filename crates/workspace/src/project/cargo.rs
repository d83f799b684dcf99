//! `Cargo.toml`: crates, their root files, and which of their dependencies are in this repository.

use engine::{CargoCrate, Project, Unit};
use rustc_hash::FxHashMap;
use toml::{Table, Value};

use super::{
    ProjectFiles, join,
    packages::{PackageNames, PackageRegistry::Cargo},
};

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    let manifests = files.named(|name| name == "Cargo.toml").filter_map(|file| {
        let table: Table = files.text(file)?.parse().ok()?;
        Some((file.path.directory().to_owned(), table))
    });
    let manifests: Vec<(String, Table)> = manifests.collect();
    // Dependencies that members take over with `workspace = true`, by the directory of the
    // workspace.
    let shared: FxHashMap<&str, &Table> = manifests
        .iter()
        .filter_map(|(directory, table)| {
            Some((
                directory.as_str(),
                table.get("workspace")?.get("dependencies")?.as_table()?,
            ))
        })
        .collect();
    for (directory, table) in &manifests {
        let Some(package) = table.get("package").and_then(Value::as_table) else {
            continue;
        };
        let Some(name) = package.get("name").and_then(Value::as_str) else {
            continue;
        };
        let library = library(files, directory, table);
        let has_library = library.is_some();
        let library_name = table
            .get("lib")
            .and_then(|lib| lib.get("name"))
            .and_then(Value::as_str)
            .unwrap_or(name);
        let mut roots: Vec<String> = library.iter().cloned().collect();
        roots.extend(targets(files, directory, table));
        match package.get("build") {
            Some(Value::String(path)) => roots.extend(join(directory, path)),
            Some(Value::Boolean(false)) => {}
            _ => roots.extend(join(directory, "build.rs")),
        }
        roots.retain(|path| files.exists(path));
        roots.sort();
        roots.dedup();
        let workspace =
            ancestors(directory).find_map(|directory| Some((directory, *shared.get(directory)?)));
        project.cargo_crates.push(CargoCrate {
            directory: directory.clone(),
            name: library_name.replace('-', "_"),
            roots,
            library,
            dependencies: dependencies(directory, table, workspace),
        });
        project.units.push(Unit {
            name: name.to_owned(),
            directory: directory.clone(),
            manifest: path_in(directory, "Cargo.toml"),
            is_library: has_library && package.get("publish") != Some(&Value::Boolean(false)),
        });
    }
}

fn library(files: &ProjectFiles<'_>, directory: &str, table: &Table) -> Option<String> {
    let path = table
        .get("lib")
        .and_then(|lib| lib.get("path"))
        .and_then(Value::as_str)
        .unwrap_or("src/lib.rs");
    join(directory, path).filter(|path| files.exists(path))
}

/// Root files that are written down, and those that Cargo finds by itself.
fn targets(files: &ProjectFiles<'_>, directory: &str, table: &Table) -> Vec<String> {
    let mut roots: Vec<String> = join(directory, "src/main.rs").into_iter().collect();
    for (section, folder) in [
        ("bin", "src/bin"),
        ("test", "tests"),
        ("example", "examples"),
        ("bench", "benches"),
    ] {
        let written = table
            .get(section)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        roots.extend(written.filter_map(|target| join(directory, target.get("path")?.as_str()?)));
        let folder = path_in(directory, folder);
        roots.extend(
            files
                .directly_in(&folder)
                .map(|file| file.path.to_string())
                .filter(|path| path.ends_with(".rs")),
        );
        let deeper = files
            .below(&folder)
            .map(|file| file.path.as_str())
            .filter(|path| path.ends_with("/main.rs"));
        roots.extend(
            deeper
                .filter(|path| path[folder.len() + 1..].matches('/').count() == 1)
                .map(str::to_owned),
        );
    }
    roots
}

fn dependencies(
    directory: &str,
    table: &Table,
    workspace: Option<(&str, &Table)>,
) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (name, value) in written_dependencies(table) {
        let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
        let path = match (inherited, workspace) {
            (true, Some((root, shared))) => shared
                .get(name)
                .and_then(|value| join(root, value.get("path")?.as_str()?)),
            _ => value
                .get("path")
                .and_then(Value::as_str)
                .and_then(|path| join(directory, path)),
        };
        found.push((name.replace('-', "_"), path));
    }
    found.sort();
    found.dedup();
    found
}

/// The dependencies of all sections, as they are written.
fn written_dependencies(table: &Table) -> impl Iterator<Item = (&String, &Value)> {
    const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let own = SECTIONS
        .iter()
        .filter_map(|section| table.get(*section)?.as_table());
    let targets = table
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(|targets| targets.values());
    let of_targets = targets.flat_map(|target| {
        SECTIONS
            .iter()
            .filter_map(|section| target.get(*section)?.as_table())
    });
    own.chain(of_targets).flatten()
}

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(|name| name == "Cargo.toml") {
        let text = files.text(file);
        let Some(table) = text.and_then(|text| text.parse::<Table>().ok()) else {
            continue;
        };
        let package = table.get("package").and_then(|package| package.get("name"));
        if let Some(name) = package.and_then(Value::as_str) {
            names.provide(Cargo, file, name);
        }
        // What members inherit is required by the workspace.
        let shared = table
            .get("workspace")
            .and_then(|workspace| workspace.get("dependencies")?.as_table());
        let shared = shared.into_iter().flatten();
        for (name, value) in written_dependencies(&table).chain(shared) {
            let renamed = value.get("package").and_then(Value::as_str);
            let is_inherited = value.get("workspace").is_some();
            if !is_inherited || renamed.is_some() {
                names.require(Cargo, file, renamed.unwrap_or(name));
            }
        }
    }
}

/// A directory and those around it, the nearest first; the root is the empty path.
fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| match at.rsplit_once('/') {
        Some((parent, _)) => Some(parent),
        None => (!at.is_empty()).then_some(""),
    })
}

pub fn path_in(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}
