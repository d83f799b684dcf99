//! `composer.json`: the package of a directory and those that it requires.

use serde_json::Value;

use super::{
    ProjectFiles,
    packages::{PackageNames, PackageRegistry::Composer},
};

pub fn packages(files: &ProjectFiles<'_>, names: &mut PackageNames) {
    for file in files.named(|name| name == "composer.json") {
        let text = files.text(file);
        let Some(json) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else {
            continue;
        };
        if let Some(name) = json.get("name").and_then(Value::as_str) {
            names.provide(Composer, file, name);
        }
        for section in ["require", "require-dev"] {
            let section = json.get(section).and_then(Value::as_object);
            // The language itself and its extensions have no vendor.
            for name in section.into_iter().flat_map(|section| section.keys()) {
                if name.contains('/') {
                    names.require(Composer, file, name);
                }
            }
        }
    }
}
