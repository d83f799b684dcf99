//! Maven and Gradle modules by the directory of their build file.

use engine::{Project, Unit};

use super::{
    ProjectFiles,
    packages::{PackageNames, PackageRegistry::Maven, quoted},
    xml,
};

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    for file in files.named(|name| matches!(name, "pom.xml" | "build.gradle" | "build.gradle.kts"))
    {
        let directory = file.path.directory();
        let written = (file.path.file_name() == "pom.xml")
            .then(|| files.text(file))
            .flatten()
            .and_then(|text| Pom::read(&text).artifact);
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

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(is_build_file) {
        let Some(text) = files.text(file) else {
            continue;
        };
        match file.path.file_name() {
            "pom.xml" => {
                let pom = Pom::read(&text);
                if let Some(artifact) = &pom.artifact {
                    let group = pom.group.as_deref().unwrap_or_default();
                    names.provide(Maven, file, &format!("{group}:{artifact}"));
                }
                for name in &pom.dependencies {
                    names.require(Maven, file, name);
                }
            }
            "libs.versions.toml" => {
                for name in catalogue(&text) {
                    names.require(Maven, file, &name);
                }
            }
            _ => {
                let directory = file.path.directory();
                let own = root_name(files, directory)
                    .or_else(|| Some(directory.rsplit('/').next()?.to_owned()));
                if let (Some(group), Some(name)) = (gradle_group(&text), own) {
                    names.provide(Maven, file, &format!("{group}:{name}"));
                }
                for name in gradle_dependencies(&text) {
                    names.require(Maven, file, &name);
                }
            }
        }
    }
}

fn is_build_file(name: &str) -> bool {
    let names = [
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "libs.versions.toml",
    ];
    names.contains(&name)
}

/// What a `pom.xml` says of names, its own properties put in.
#[derive(Debug, Default)]
struct Pom {
    group: Option<String>,
    artifact: Option<String>,
    /// `group:artifact`.
    dependencies: Vec<String>,
}

impl Pom {
    fn read(text: &str) -> Pom {
        let (mut pom, mut parent) = (Pom::default(), None);
        let mut properties: Vec<(String, String)> = Vec::new();
        let mut dependency = (String::new(), String::new());
        xml::each_element(text, |element| match &element.path[..] {
            ["project", "groupId"] => pom.group = Some(element.text.to_owned()),
            ["project", "artifactId"] => pom.artifact = Some(element.text.to_owned()),
            ["project", "parent", "groupId"] => parent = Some(element.text.to_owned()),
            ["project", "properties", name] => {
                properties.push(((*name).to_owned(), element.text.to_owned()));
            }
            // Also those of profiles; not those that are managed, nor those of plugins.
            [.., before, "dependencies", "dependency"]
                if matches!(*before, "project" | "profile") =>
            {
                let (group, artifact) = std::mem::take(&mut dependency);
                pom.dependencies.push(format!("{group}:{artifact}"));
            }
            [.., "dependencies", "dependency"] => dependency = Default::default(),
            [.., "dependency", "groupId"] => dependency.0 = element.text.to_owned(),
            [.., "dependency", "artifactId"] => dependency.1 = element.text.to_owned(),
            _ => {}
        });
        pom.group = pom.group.or(parent);
        let own = ["project.groupId", "pom.groupId", "groupId"];
        let group = pom.group.clone().unwrap_or_default();
        properties.extend(own.map(|name| (name.to_owned(), group.clone())));
        let filled = |text: &str| {
            let put_in = |text: String, (name, value): &(String, String)| {
                text.replace(&format!("${{{name}}}"), value)
            };
            properties.iter().fold(text.to_owned(), put_in)
        };
        pom.group = pom.group.as_deref().map(filled);
        pom.dependencies = pom.dependencies.iter().map(|name| filled(name)).collect();
        // What other files say is not known here.
        pom.dependencies.retain(|name| !name.contains('$'));
        pom
    }
}

/// `group = "com.example"` of a build script.
fn gradle_group(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let value = line.trim_start().strip_prefix("group")?.trim_start();
        quoted(value.strip_prefix('=').unwrap_or(value))
    })
}

/// `"com.example:shop:1.0"`, and `group: "com.example", name: "shop"`.
fn gradle_dependencies(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let after = |word: &str| quoted(line.split_once(word)?.1);
        if let (Some(group), Some(name)) = (after("group:"), after("name:")) {
            found.push(format!("{group}:{name}"));
            continue;
        }
        let parts: Vec<&str> = line.split(['"', '\'']).collect();
        for written in parts.iter().skip(1).step_by(2) {
            found.extend(coordinates(written));
        }
    }
    found
}

/// The libraries of a version catalogue.
fn catalogue(text: &str) -> Vec<String> {
    let table = text.parse::<toml::Table>().ok();
    let libraries = table
        .as_ref()
        .and_then(|table| table.get("libraries")?.as_table());
    let of_library = |library: &toml::Value| match library {
        toml::Value::String(written) => coordinates(written),
        library => {
            let said = |key: &str| library.get(key).and_then(toml::Value::as_str);
            let parts = || Some(format!("{}:{}", said("group")?, said("name")?));
            said("module").map(str::to_owned).or_else(parts)
        }
    };
    let libraries = libraries
        .into_iter()
        .flat_map(|libraries| libraries.values());
    libraries.filter_map(of_library).collect()
}

/// `group:artifact` of `group:artifact:version`.
fn coordinates(written: &str) -> Option<String> {
    let mut parts = written.split(':');
    let (group, artifact, version) = (parts.next()?, parts.next()?, parts.next());
    let is_name = |part: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        !part.is_empty() && part.chars().all(is_part)
    };
    // Without a version it is a dependency only if the group looks like one.
    let is_dependency =
        is_name(group) && is_name(artifact) && (version.is_some() || group.contains('.'));
    is_dependency.then(|| format!("{group}:{artifact}"))
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
