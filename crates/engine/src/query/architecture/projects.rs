//! Projects of a solution: which of them no program uses.
//!
//! A class library takes part in a program only if a chain of references leads from the program's
//! project to it. Controllers and entities of other libraries are built and never loaded.

use std::collections::{BTreeMap, BTreeSet};

use facts::Family;

use super::{is_aside, scan::Scan};
use crate::{FileId, resolve::names::modules};

/// What tells a program from a library.
const PROGRAMS: &[&str] = &[
    "Microsoft.NET.Sdk.Web\"",
    "Microsoft.NET.Sdk.Worker\"",
    "<OutputType>Exe",
    "<OutputType>WinExe",
];
/// What a project says that others load without a reference to it.
const LOADED: &[&str] = &["<EnableDynamicLoading>true", "<OutputPath>", "<OutDir>"];

struct SolutionProject {
    directory: String,
    is_program: bool,
    is_loaded: bool,
    references: Vec<String>,
}

/// The files of projects that no program uses. Nothing where there is no program, or where
/// references are made by patterns.
pub fn unused(scan: &Scan<'_>) -> BTreeSet<FileId> {
    let nothing = BTreeSet::new();
    if scan.framework.family != Family::DotNet {
        return nothing;
    }
    let snapshot = scan.resolver.snapshot();
    let mut projects: BTreeMap<String, SolutionProject> = BTreeMap::new();
    for (id, file) in snapshot.files() {
        let path = file.path.as_str();
        if !path.ends_with(".csproj") || is_aside(snapshot, id) {
            continue;
        }
        let Some(text) = snapshot.corpus().text(file.content) else {
            return nothing;
        };
        let directory = file.path.directory().to_owned();
        let references = referenced(&text);
        if references.iter().any(|path| path.contains(['*', '$', '@'])) {
            return nothing;
        }
        let references = references
            .iter()
            .filter_map(|path| modules::relative(&directory, path))
            .collect();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let project = SolutionProject {
            is_program: says(PROGRAMS),
            is_loaded: says(LOADED),
            references,
            directory,
        };
        projects.insert(path.to_owned(), project);
    }
    let begins = |project: &&SolutionProject| project.is_program || project.is_loaded;
    if !projects.values().any(|project| project.is_program) {
        return nothing;
    }
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut next: Vec<&str> = projects
        .iter()
        .filter(|(_, project)| begins(project))
        .map(|(path, _)| path.as_str())
        .collect();
    while let Some(path) = next.pop() {
        if let Some((path, project)) = projects.get_key_value(path)
            && used.insert(path)
        {
            next.extend(project.references.iter().map(String::as_str));
        }
    }
    let directories: BTreeMap<&str, bool> = projects
        .iter()
        .map(|(path, project)| (project.directory.as_str(), used.contains(path.as_str())))
        .collect();
    if directories.values().all(|is_used| *is_used) {
        return nothing;
    }
    let is_unused = |directory: &str| {
        let mut directory = directory;
        loop {
            if let Some(is_used) = directories.get(directory) {
                return !is_used;
            }
            match directory.rsplit_once('/') {
                Some((above, _)) => directory = above,
                None if directory.is_empty() => return false,
                None => directory = "",
            }
        }
    };
    let files = snapshot.files();
    files
        .filter(|(_, file)| is_unused(file.path.directory()))
        .map(|(id, _)| id)
        .collect()
}

/// The paths of `<ProjectReference Include="..\Shop\Shop.csproj" />`.
fn referenced(text: &str) -> Vec<String> {
    let elements = text.split("<ProjectReference").skip(1);
    elements
        .filter_map(|element| {
            let (_, rest) = element.split_once("Include=\"")?;
            Some(rest.split_once('"')?.0.replace('\\', "/"))
        })
        .collect()
}
