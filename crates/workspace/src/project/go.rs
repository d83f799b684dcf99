//! `go.mod`: the path under which a directory's packages are imported, and modules that are
//! replaced by directories.

use engine::{GoModule, Project, Unit};

use super::{ProjectFiles, join};

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
    let mut block = "";
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        let mut words = line
            .split_ascii_whitespace()
            .map(|word| word.trim_matches(['"', '`']));
        let first = words.next().unwrap_or_default();
        if line.ends_with('(') {
            block = first;
            continue;
        }
        match (block, first) {
            (_, "") => {}
            (_, ")") => block = "",
            ("", "module") => module.path = words.next()?.to_owned(),
            ("", "replace") => module
                .replaces
                .extend(replacement(directory, words.collect())),
            ("replace", first) => module.replaces.extend(replacement(
                directory,
                std::iter::once(first).chain(words).collect(),
            )),
            _ => {}
        }
    }
    (!module.path.is_empty()).then_some(module)
}

/// `old [version] => new [version]`, where `new` is a directory.
fn replacement(directory: &str, words: Vec<&str>) -> Option<(String, String)> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let target = words
        .get(arrow + 1)
        .filter(|target| target.starts_with('.'))?;
    Some(((*words.first()?).to_owned(), join(directory, target)?))
}
