//! What the project model reads from manifests.

use std::sync::Arc;

use engine::{Corpus, Unreadable};
use facts::{ContentNumber, Facts, File, LanguageId, RepoPath, Semantics};

use super::*;

#[test]
fn cargo_crates_with_targets_and_dependencies() {
    let project = project(
        r#"
//- Cargo.toml
[workspace]
members = ["crates/*"]
[workspace.dependencies]
shop-core = { path = "crates/core" }
serde = "1"
//- crates/core/Cargo.toml
[package]
name = "shop-core"
//- crates/core/src/lib.rs
//- crates/app/Cargo.toml
[package]
name = "app"
[dependencies]
shop-core.workspace = true
serde = { workspace = true }
[dev-dependencies]
other = { path = "../../other", package = "renamed" }
[[bin]]
name = "tool"
path = "tool/main.rs"
//- crates/app/src/main.rs
//- crates/app/src/bin/a.rs
//- crates/app/src/bin/b/main.rs
//- crates/app/src/bin/b/part.rs
//- crates/app/tests/it.rs
//- crates/app/tool/main.rs
//- crates/app/build.rs
"#,
    );
    let core = &project.cargo_crates[1];
    assert_eq!(
        (core.name.as_str(), core.library.as_deref()),
        ("shop_core", Some("crates/core/src/lib.rs"))
    );
    let app = &project.cargo_crates[0];
    let roots = [
        "build.rs",
        "src/bin/a.rs",
        "src/bin/b/main.rs",
        "src/main.rs",
        "tests/it.rs",
        "tool/main.rs",
    ];
    assert_eq!(app.roots, roots.map(|root| format!("crates/app/{root}")));
    let dependencies = [
        ("other", Some("other")),
        ("serde", None),
        ("shop_core", Some("crates/core")),
    ];
    assert_eq!(
        app.dependencies,
        dependencies.map(|(name, path)| (name.to_owned(), path.map(str::to_owned)))
    );
}

#[test]
fn go_modules_and_replacements() {
    let project = project(
        r#"
//- go.mod
module example.com/shop // the shop

go 1.22
require (
	example.com/other v1.0.0
)
replace (
	example.com/lib => ./lib
	example.com/x v1 => example.com/y v2
)
replace example.com/up => ../up
//- lib/go.mod
module example.com/lib
"#,
    );
    assert_eq!(project.go_modules[0].path, "example.com/shop");
    assert_eq!(
        project.go_modules[0].replaces,
        [("example.com/lib".to_owned(), "lib".to_owned())]
    );
    assert_eq!(project.go_modules[1].directory, "lib");
}

#[test]
fn npm_entry_points_mean_their_sources() {
    let project = project(
        r#"
//- packages/a/package.json
{ "name": "@shop/a", "exports": { ".": { "import": "./dist/esm/index.js", "types": "./dist/index.d.ts" }, "./cart": "./dist/cart.js", "./*": "./dist/*.js" }, "dependencies": { "b": "1" } }
//- packages/a/src/index.ts
//- packages/a/src/cart.tsx
//- packages/b/package.json
{ "name": "b", "main": "lib/main.js" }
//- packages/b/lib/main.js
//- packages/c/package.json
{ "name": "c" }
//- packages/c/index.js
//- node_modules/d/package.json
{ "name": "d" }
"#,
    );
    let exports = |i: usize| {
        project.packages[i]
            .exports
            .iter()
            .map(|(key, path)| format!("{key} {path}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        exports(0),
        [
            ". packages/a/src/index.ts",
            "./cart packages/a/src/cart.tsx",
            "./* packages/a/src/*"
        ]
    );
    assert_eq!(exports(1), [". packages/b/lib/main.js"]);
    assert_eq!(exports(2), [". packages/c/index.js"]);
    assert_eq!(project.packages.len(), 3);
}

#[test]
fn script_configs_with_comments_and_inheritance() {
    let project = project(
        r#"
//- tsconfig.base.json
{ /* all */ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["libs/*/src"], }, "outDir": "dist" } }
//- app/tsconfig.json
{ "extends": "../tsconfig.base", // "no": "comment"
  "compilerOptions": { "rootDir": "src", }, }
//- loop/tsconfig.json
{ "extends": "./tsconfig.json" }
"#,
    );
    let app = &project.script_configs[0];
    assert_eq!(app.directory, "app");
    assert_eq!(app.base_url.as_deref(), Some(""));
    assert_eq!(
        app.paths,
        [("@lib/*".to_owned(), vec!["libs/*/src".to_owned()])]
    );
    assert_eq!(
        (app.out_dir.as_deref(), app.root_dir.as_deref()),
        (Some("dist"), Some("app/src"))
    );
    assert_eq!(project.script_configs.len(), 2);
}

#[test]
fn python_roots() {
    let project = project(
        r#"
//- pyproject.toml
[project]
name = "shop"
//- src/shop/__init__.py
//- libs/one/setup.cfg
[metadata]
name = one
[options]
package_dir =
    =lib
//- libs/one/lib/one/__init__.py
//- libs/two/setup.py
setup(name="two", package_dir={"": "code"})
//- libs/two/code/two.py
"#,
    );
    assert_eq!(
        project.python_roots,
        [
            "libs/one",
            "libs/one/lib",
            "libs/two",
            "libs/two/code",
            "src"
        ]
    );
    let names: Vec<_> = project
        .units
        .iter()
        .map(|unit| unit.name.as_str())
        .collect();
    assert_eq!(names, ["shop", "one", "two"]);
}

#[test]
fn include_directories_and_other_projects() {
    let project = project(
        r#"
//- CMakeLists.txt
target_include_directories(app PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/api "deps/x" ${UNKNOWN}/y)
//- api/a.h
//- deps/x/b.h
//- lib/include/lib/c.h
//- build/compile_commands.json
[{"directory": "/r/build", "command": "cc -I../gen -I/usr/include -isystem /r/build/sys -c a.c"}]
//- gen/g.h
//- build/sys/s.h
//- App/App.csproj
<Project><ItemGroup><Using Include="Shop.Model" /><Using Include="Shop.Texts" Alias="T" /></ItemGroup></Project>
//- java/pom.xml
<project><parent><artifactId>up</artifactId></parent><artifactId>shop</artifactId></project>
"#,
    );
    assert_eq!(
        project.includes.directories,
        ["api", "build/sys", "deps/x", "gen", "lib/include"]
    );
    let names: Vec<_> = project
        .units
        .iter()
        .map(|unit| format!("{} {}", unit.name, unit.directory))
        .collect();
    assert_eq!(names, ["App App", "shop java"]);
    assert_eq!(
        project.shared_namespaces,
        [("App".to_owned(), "Shop.Model".to_owned())]
    );
}

#[test]
fn broken_manifests_say_nothing() {
    let project = project(
        "//- Cargo.toml\n[package\n//- package.json\n{\n//- pyproject.toml\n= =\n//- tsconfig.json\n[[[\n//- go.mod\nmodule\n",
    );
    assert_eq!(
        project.cargo_crates.len()
            + project.packages.len()
            + project.go_modules.len()
            + project.units.len(),
        0
    );
    assert_eq!(join("a/b", "../../.."), None);
    assert_eq!(join("a", "/etc"), None);
}

struct Texts(Vec<Arc<str>>);

impl Corpus for Texts {
    fn facts(&self, _: ContentNumber) -> Option<Arc<Facts>> {
        None
    }
    fn text(&self, content: ContentNumber) -> Option<Arc<str>> {
        self.0.get(content.0 as usize).cloned()
    }
    fn defining(&self, _: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        Ok(Vec::new())
    }
    fn mentioning(&self, _: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        Ok(Vec::new())
    }
    fn semantics(&self, _: LanguageId) -> Option<&'static Semantics> {
        None
    }
}

fn project(fixture: &str) -> Project {
    let (mut files, mut texts) = (Vec::new(), Vec::new());
    for part in fixture.split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap_or((part, ""));
        files.push(File {
            path: RepoPath::new(path.trim()),
            content: ContentNumber(texts.len() as u32),
            language: LanguageId(0),
        });
        texts.push(Arc::from(text));
    }
    Projects::default()
        .read(&files, &Texts(texts))
        .as_ref()
        .clone()
}
