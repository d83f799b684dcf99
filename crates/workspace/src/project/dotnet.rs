//! `*.csproj` and its siblings: projects by their file's name.

use engine::Project;

use super::Files;

pub fn is_project(name: &str) -> bool {
    [".csproj", ".fsproj", ".vbproj"].iter().any(|extension| name.ends_with(extension))
}

pub fn read(files: &Files<'_>, project: &mut Project) {
    for file in files.named(is_project) {
        let name = file.path.file_name().rsplit_once('.').map_or("", |(stem, _)| stem);
        project.units.push((name.to_owned(), file.path.directory().to_owned(), file.path.to_string()));
    }
}
