//! Maven and Gradle modules by the directory of their build file.

use engine::{Project, Unit};

use super::ProjectFiles;

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    for file in files.named(|name| matches!(name, "pom.xml" | "build.gradle" | "build.gradle.kts"))
    {
        let directory = file.path.directory();
        let written = (file.path.file_name() == "pom.xml")
            .then(|| files.text(file))
            .flatten()
            .and_then(|text| artifact(&text));
        let by_directory = || {
            directory
                .rsplit('/')
                .next()
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
        };
        let name = written
            .or_else(|| root_name(files, directory))
            .or_else(by_directory)
            .unwrap_or_else(|| "root".to_owned());
        project.units.push(Unit {
            name,
            directory: directory.to_owned(),
            manifest: file.path.to_string(),
            is_library: true,
        });
    }
}

/// The project's own `<artifactId>`: the first outside `<parent>` and `<dependencies>`.
fn artifact(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        for skipped in [
            "parent>",
            "dependencies>",
            "build>",
            "dependencyManagement>",
        ] {
            if rest.starts_with(skipped) {
                rest = &rest[rest.find(&format!("</{skipped}"))?..];
                rest = &rest[1..];
                break;
            }
        }
        if let Some(value) = rest.strip_prefix("artifactId>") {
            return Some(value.split('<').next()?.trim().to_owned());
        }
    }
    None
}

/// `rootProject.name = "shop"` in the settings next to the build file.
fn root_name(files: &ProjectFiles<'_>, directory: &str) -> Option<String> {
    let settings = files
        .directly_in(directory)
        .find(|file| file.path.file_name().starts_with("settings.gradle"))?;
    let text = files.text(settings)?;
    let value = text
        .split_once("rootProject.name")?
        .1
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next().map(str::to_owned)
}
