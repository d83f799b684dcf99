//! Manifests become the project model: which directories are packages, and under which names files
//! are found.
//!
//! One file per family of manifests. Each reads what its manifests say and adds it to the
//! [`Project`]; a manifest that cannot be read says nothing. The answer is a function of the
//! snapshot's paths and its manifests' contents.

mod cargo;
mod dotnet;
mod go;
mod includes;
mod jvm;
mod npm;
mod packages;
mod php;
mod python;
mod ruby;
mod script_config;
mod xml;

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use engine::{Corpus, File, Project};
use parking_lot::Mutex;
use rustc_hash::FxHasher;

pub use packages::{PackageName, PackageRegistry};

/// Reads the manifests of snapshots, and remembers the last answers: most edits touch no manifest
/// and add no file.
#[derive(Default)]
pub struct Projects(Mutex<Vec<(u64, Arc<Project>)>>);

impl Projects {
    pub fn read(&self, files: &[File], corpus: &dyn Corpus) -> Arc<Project> {
        /// The working tree, a commit or two, an overlay.
        const KEPT: usize = 4;
        let files = ProjectFiles::new(files, corpus);
        let key = files.key();
        let mut kept = self.0.lock();
        if let Some((_, project)) = kept.iter().find(|(known, _)| *known == key) {
            return project.clone();
        }
        drop(kept);
        let project = Arc::new(read(&files));
        kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((key, project.clone()));
        project
    }
}

/// The packages that the manifests among these files provide and require, in order.
pub fn package_names(files: &[File], corpus: &dyn Corpus) -> Vec<PackageName> {
    packages::read(&ProjectFiles::new(files, corpus))
}

fn read(files: &ProjectFiles<'_>) -> Project {
    let mut project = Project::default();
    cargo::read(files, &mut project);
    go::read(files, &mut project);
    npm::read(files, &mut project);
    script_config::read(files, &mut project);
    python::read(files, &mut project);
    includes::read(files, &mut project);
    dotnet::read(files, &mut project);
    jvm::read(files, &mut project);
    project.units.sort();
    project.units.dedup();
    project
}

/// The files of a snapshot, as readers of manifests see them.
pub struct ProjectFiles<'a> {
    /// Sorted by path.
    files: Vec<&'a File>,
    corpus: &'a dyn Corpus,
}

impl<'a> ProjectFiles<'a> {
    fn new(files: &'a [File], corpus: &'a dyn Corpus) -> ProjectFiles<'a> {
        let mut files: Vec<&File> = files.iter().collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        ProjectFiles { files, corpus }
    }

    /// What the project model depends on: every path, and the contents of manifests.
    fn key(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for file in &self.files {
            file.path.as_str().hash(&mut hasher);
            if !is_manifest(file.path.file_name()) {
                continue;
            }
            // Numbers of unsaved contents are those of one request.
            match file.content.is_unsaved() {
                true => self.corpus.text(file.content).hash(&mut hasher),
                false => file.content.0.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    /// The files with a name like this, in order of path, vendored ones left out.
    pub fn named(&self, accepts: impl Fn(&str) -> bool) -> impl Iterator<Item = &'a File> {
        self.files.iter().copied().filter(move |file| {
            accepts(file.path.file_name()) && !is_vendored(file.path.directory())
        })
    }

    pub fn text(&self, file: &File) -> Option<Arc<str>> {
        self.corpus.text(file.content)
    }

    pub fn find(&self, path: &str) -> Option<&'a File> {
        let i = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()?;
        Some(self.files[i])
    }

    pub fn exists(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    pub fn directory_exists(&self, directory: &str) -> bool {
        directory.is_empty() || self.below(directory).next().is_some()
    }

    /// Everything below a directory, in order.
    pub fn below(&self, directory: &str) -> impl Iterator<Item = &'a File> + use<'_, 'a> {
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let start = self
            .files
            .partition_point(|file| file.path.as_str() < prefix.as_str());
        self.files[start..]
            .iter()
            .copied()
            .take_while(move |file| file.path.as_str().starts_with(&prefix))
    }

    /// The files directly in a directory, in order.
    pub fn directly_in(&self, directory: &str) -> impl Iterator<Item = &'a File> {
        let directory = directory.to_owned();
        self.below(&directory.clone())
            .filter(move |file| file.path.directory() == directory)
    }

    /// The first of these that exists.
    pub fn first(&self, candidates: impl IntoIterator<Item = String>) -> Option<String> {
        candidates.into_iter().find(|path| self.exists(path))
    }
}

/// Whether a file's content says something about the project.
pub fn is_manifest(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "Cargo.toml",
        "go.mod",
        "package.json",
        "pnpm-workspace.yaml",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "compile_commands.json",
        "CMakeLists.txt",
        "pom.xml",
        "settings.gradle",
        "settings.gradle.kts",
        "build.gradle",
        "build.gradle.kts",
    ];
    NAMES.contains(&name) || dotnet::is_manifest(name) || script_config::is_config(name)
}

/// Manifests below these belong to someone else's project.
fn is_vendored(directory: &str) -> bool {
    directory
        .split('/')
        .any(|part| matches!(part, "node_modules" | "vendor" | "third_party" | "testdata"))
}

/// `path` as written in a manifest of `directory`, as a path below the root; `None` if it leads out
/// of it.
pub fn join(directory: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let path = path.replace('\\', "/");
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;
