//! The house rules. Figures that may only fall are stated as they are: who lowers one, lowers it
//! here too.

use std::{collections::BTreeMap, fs};

use super::*;

/// Type names that several files declare, separated by spaces. The list may only become shorter.
const SHARED_TYPES: &str = "\
    Answer Arguments At Context Document Error Found Hit Input Limits Names Outcome Output \
    Page Pattern Place Position Project Result Rule Running Scope Table Tables Term";

#[test]
fn figures_only_fall() {
    let figures = Figures::of(&sources::read(&sources::root()).unwrap());
    let at_most = |what: &str, found: f64, limit: f64| {
        assert!(
            found <= limit,
            "{what}: {found:.1}, at most {limit}; `cargo xtask house` says more"
        );
    };
    at_most(
        "percent of type names in two or more files",
        figures.shared_type_share(),
        3.0,
    );
    at_most(
        "percent of public fields that are a String",
        figures.string_field_share(),
        10.0,
    );
    let n_lines = figures
        .functions
        .iter()
        .map(|function| function.n_lines)
        .max();
    at_most(
        "lines of the longest function",
        n_lines.unwrap_or_default() as f64,
        120.,
    );
    let n_parameters = figures
        .functions
        .iter()
        .map(|function| function.n_parameters)
        .max();
    at_most(
        "parameters of one function",
        n_parameters.unwrap_or_default() as f64,
        6.,
    );
    let n_lines = figures.engine_files[0].0;
    at_most(
        "lines of the largest file of the engine",
        n_lines as f64,
        900.,
    );
    let mut unlisted = figures.shared_types();
    unlisted.retain(|name| !SHARED_TYPES.split(' ').any(|listed| listed == *name));
    assert!(
        unlisted.is_empty(),
        "declared in several files; give each its own name: {unlisted:?}"
    );
}

#[test]
fn every_file_says_what_it_is_for() {
    let root = sources::root();
    let mut silent = Vec::new();
    for package in sources::packages(&root).unwrap() {
        for path in sources::files_below(&root.join(package), &["rs"]).unwrap() {
            let text = fs::read_to_string(&path).unwrap();
            if !text.starts_with("//! ") {
                silent.push(path);
            }
        }
    }
    assert!(
        silent.is_empty(),
        "the first line is no `//!` line: {silent:#?}"
    );
}

#[test]
fn language_ids_are_unique() {
    let mut names = BTreeMap::new();
    for language in extract::LANGUAGES
        .iter()
        .copied()
        .chain([&extract::PLAIN_TEXT])
    {
        if let Some(other) = names.insert(language.id.0, language.name) {
            panic!(
                "{other} and {} have the id {}",
                language.name, language.id.0
            );
        }
    }
}

/// The map in ARCHITECTURE.md has a line `name/  what it is  uses a, b` for every crate.
#[test]
fn the_map_shows_the_dependencies_between_crates() {
    let root = sources::root();
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let map = text
        .split("```")
        .nth(1)
        .expect("the first block is the map");
    let mut on_the_map: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in map.lines() {
        let Some((start, uses)) = line.split_once(" uses ") else {
            continue;
        };
        let name = start.split('/').next().unwrap_or_default().trim();
        let uses = uses.split(',').map(|name| name.trim().to_owned());
        let uses = uses.filter(|name| name != "nothing of ours").collect();
        on_the_map.insert(name.to_owned(), uses);
    }
    let packages = sources::packages(&root).unwrap();
    let names: BTreeSet<String> = packages
        .iter()
        .map(|package| package.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let mut found = BTreeMap::new();
    for package in &packages {
        let manifest = fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        // Tests may use more: only what a crate is built of has an arrow.
        let uses = manifest["dependencies"].as_table().unwrap().keys();
        let uses: BTreeSet<String> = uses.filter(|name| names.contains(*name)).cloned().collect();
        found.insert(
            package.file_name().unwrap().to_str().unwrap().to_owned(),
            uses,
        );
    }
    assert_eq!(on_the_map, found, "the map is on the left");
}
