//! `go.mod`: the path under which a directory's packages are imported, and modules that are
//! replaced by directories.

use engine::{GoModule, Project, Unit};

use super::{
    ProjectFiles, join,
    packages::{PackageNames, PackageRegistry::Golang},
};

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    for file in files.named(|name| name == "go.mod") {
        let Some(text) = files.text(file) else {
            continue;
        };
        let Some(module) = parse(file.path.directory(), &text) else {
            continue;
        };
        project.units.push(Unit {
            name: module.path.clone(),
            directory: module.directory.clone(),
            manifest: file.path.to_string(),
            is_library: true,
        });
        project.go_modules.push(module);
    }
}

fn parse(directory: &str, text: &str) -> Option<GoModule> {
    let mut module = GoModule {
        directory: directory.to_owned(),
        ..GoModule::default()
    };
    for directive in directives(text) {
        match directive.verb {
            "module" => module.path = (*directive.words.first()?).to_owned(),
            "replace" => module
                .replaces
                .extend(replacement(directory, directive.words)),
            _ => {}
        }
    }
    (!module.path.is_empty()).then_some(module)
}

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(|name| name == "go.mod") {
        let Some(text) = files.text(file) else {
            continue;
        };
        for directive in directives(&text) {
            match (directive.verb, directive.words.first()) {
                ("module", Some(path)) => names.provide(Golang, file, path),
                // Code refers to those that are required directly.
                ("require", Some(path)) if !directive.is_indirect => {
                    names.require(Golang, file, path);
                }
                _ => {}
            }
        }
    }
}

/// `require example.com/shop v1.2.3 // indirect`, alone or in a block of its verb.
struct Directive<'a> {
    verb: &'a str,
    words: Vec<&'a str>,
    is_indirect: bool,
}

fn directives(text: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    let mut block = "";
    for line in text.lines() {
        let (line, comment) = line.split_once("//").unwrap_or((line, ""));
        let line = line.trim();
        let words = line.split_ascii_whitespace();
        let mut words: Vec<&str> = words.map(|word| word.trim_matches(['"', '`'])).collect();
        let Some(first) = words.first().copied() else {
            continue;
        };
        match (block, first) {
            _ if line.ends_with('(') => block = first.trim_end_matches('('),
            (_, ")") => block = "",
            _ => {
                let verb = match block {
                    "" => words.remove(0),
                    block => block,
                };
                found.push(Directive {
                    verb,
                    words,
                    is_indirect: comment.trim().starts_with("indirect"),
                });
            }
        }
    }
    found
}

/// `old [version] => new [version]`, where `new` is a directory.
fn replacement(directory: &str, words: Vec<&str>) -> Option<(String, String)> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let target = words
        .get(arrow + 1)
        .filter(|target| target.starts_with('.'))?;
    Some(((*words.first()?).to_owned(), join(directory, target)?))
}
