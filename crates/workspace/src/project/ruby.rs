//! `*.gemspec` and `Gemfile`: gems by name. Programs are not run: only literals are understood.

use super::{
    ProjectFiles,
    packages::{PackageNames, PackageRegistry::Gem, quoted},
};

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(|name| name == "Gemfile" || name.ends_with(".gemspec")) {
        let Some(text) = files.text(file) else {
            continue;
        };
        let is_gemfile = file.path.file_name() == "Gemfile";
        for line in text.lines().map(str::trim_start) {
            if is_gemfile {
                let gem = line.strip_prefix("gem").and_then(quoted);
                gem.into_iter()
                    .for_each(|name| names.require(Gem, file, name));
                continue;
            }
            // `spec.name = "shop"`, `spec.add_dependency "rack", "~> 3"`
            let Some((_, said)) = line.split_once('.') else {
                continue;
            };
            if let Some(value) = said.strip_prefix("name").map(str::trim_start)
                && let Some(name) = value.strip_prefix('=').and_then(quoted)
            {
                names.provide(Gem, file, name);
            }
            let required = [
                "add_dependency",
                "add_runtime_dependency",
                "add_development_dependency",
            ];
            let required = required.iter().find_map(|method| said.strip_prefix(method));
            if let Some(name) = required.and_then(quoted) {
                names.require(Gem, file, name);
            }
        }
    }
}
