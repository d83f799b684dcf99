//! `*.csproj` and its siblings: projects by their file's name, and the namespaces that they import
//! for all of their files.

use engine::{Project, Unit};

use super::{
    ProjectFiles,
    packages::{PackageNames, PackageRegistry::Nuget},
    xml,
};

pub fn is_project(name: &str) -> bool {
    [".csproj", ".fsproj", ".vbproj"]
        .iter()
        .any(|extension| name.ends_with(extension))
}

/// Read for every project below its directory.
const SHARED_PROPERTIES: [&str; 2] = ["Directory.Build.props", "Directory.Build.targets"];

pub fn is_manifest(name: &str) -> bool {
    is_project(name) || SHARED_PROPERTIES.contains(&name)
}

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    for file in files.named(is_project) {
        let name = stem(file.path.file_name());
        project.units.push(Unit {
            name: name.to_owned(),
            directory: file.path.directory().to_owned(),
            manifest: file.path.to_string(),
            is_library: !files.text(file).is_some_and(|text| is_program(&text)),
        });
    }
    for file in files.named(is_manifest) {
        let Some(text) = files.text(file) else {
            continue;
        };
        let directory = file.path.directory();
        project
            .shared_namespaces
            .extend(usings(&text).map(|namespace| (directory.to_owned(), namespace.to_owned())));
    }
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(stem, _)| stem)
}

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(is_manifest) {
        let Some(text) = files.text(file) else {
            continue;
        };
        let (mut id, mut is_packed) = (None, true);
        xml::each_element(&text, |element| match element.path.last().copied() {
            Some("PackageReference") => {
                let name = element.attribute("Include");
                name.into_iter()
                    .for_each(|name| names.require(Nuget, file, &name));
            }
            Some("PackageId") if !element.text.contains('$') => id = Some(element.text.to_owned()),
            Some("IsPackable") => is_packed &= !element.text.trim().eq_ignore_ascii_case("false"),
            _ => {}
        });
        if is_packed && is_project(file.path.file_name()) {
            let id = id.unwrap_or_else(|| stem(file.path.file_name()).to_owned());
            names.provide(Nuget, file, &id);
        }
    }
}

/// A program or tests, as the project file says; nobody refers to those.
fn is_program(text: &str) -> bool {
    let marks = [
        "<OutputType>Exe",
        "<OutputType>WinExe",
        "Microsoft.NET.Sdk.Web",
    ];
    let tests = ["<IsTestProject>true", "Microsoft.NET.Test.Sdk"];
    marks.iter().chain(&tests).any(|mark| text.contains(mark))
}

/// `<Using Include="Shop.Model" />`; aliases and static ones are left out.
fn usings(text: &str) -> impl Iterator<Item = &str> {
    text.split("<Using ").skip(1).filter_map(|element| {
        let element = element.split('>').next()?;
        let namespace = element
            .split_once("Include=\"")?
            .1
            .split('"')
            .next()?
            .trim();
        let is_plain =
            !namespace.is_empty() && !element.contains("Alias=") && !element.contains("Static=");
        is_plain.then_some(namespace)
    })
}
