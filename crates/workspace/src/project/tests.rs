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
fn npm_imports_mean_files_of_the_package() {
    let project = project(
        r##"
//- a/package.json
{ "name": "a", "imports": { "#models": { "sources": "./src/models/index.ts", "types": "./dist/models.d.ts", "default": "./dist/models.js" }, "#parts/*": "./src/parts/*.ts", "#log": "pino" } }
//- a/src/models/index.ts
//- a/src/parts/one.ts
"##,
    );
    let [config] = project.script_configs.as_slice() else {
        panic!("one configuration");
    };
    assert_eq!(config.directory, "a");
    let means = |pattern: &str, path: &str| (pattern.to_owned(), vec![path.to_owned()]);
    assert_eq!(
        config.paths,
        [
            means("#models", "a/src/models/index.ts"),
            means("#parts/*", "a/src/parts/*")
        ]
    );
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
    let (files, texts) = read_fixture(fixture);
    Projects::default().read(&files, &texts).as_ref().clone()
}

fn read_fixture(fixture: &str) -> (Vec<File>, Texts) {
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
    (files, Texts(texts))
}

/// `manifest: provided names < required names`, a line for each manifest.
fn said_packages(fixture: &str) -> String {
    let (files, texts) = read_fixture(fixture);
    let names = package_names(&files, &texts);
    let mut lines = String::new();
    for file in &files {
        let named = |is_provided: bool| {
            let here = names.iter().filter(|name| name.manifest == file.path);
            let here = here.filter(|name| name.is_provided == is_provided);
            let shown = here.map(|name| format!("{}/{}", name.registry.as_str(), name.name));
            shown.collect::<Vec<_>>().join(" ")
        };
        lines += &format!("{}: {} < {}\n", file.path, named(true), named(false));
    }
    lines
}

#[test]
fn package_names_of_every_family() {
    let said = said_packages(
        r#"
//- Cargo.toml
[package]
name = "shop-app"
[workspace.dependencies]
serde = "1"
[dependencies]
serde.workspace = true
cart = { package = "shop-cart", version = "2" }
[target.'cfg(unix)'.dev-dependencies]
rustix = "1"
//- web/package.json
{"name": "@shop/web", "dependencies": {"react": "19", "old": "npm:@other/new@^2"}, "devDependencies": {"vite": "7"}}
//- py/pyproject.toml
[project]
name = "Shop.Core"
dependencies = ["requests[socks]>=2; python_version > '3.8'", "Typing_Extensions"]
optional-dependencies = { test = ["pytest"] }
[tool.poetry.dependencies]
python = "^3.9"
attrs = "*"
//- old/setup.cfg
[metadata]
name = shop-old
[options]
install_requires =
    six >= 1
    importlib-metadata; python_version < "3.8"
//- older/setup.py
setup(name="shop-older", install_requires=["uvicorn[standard]>=0.2", # a server
  'zope.interface'], extras_require={})
//- requirements-dev.txt
# tools
-r requirements.txt
black==24.1
tool @ https://example.com/tool.whl
https://example.com/other.whl
//- go.mod
module example.com/shop
require (
	github.com/spf13/pflag v1.0.5
	golang.org/x/sys v0.1.0 // indirect
)
require github.com/google/uuid v1.6.0
//- jvm/pom.xml
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.shop</groupId><artifactId>parent</artifactId></parent>
  <artifactId>shop-service</artifactId>
  <properties><orm>org.hibernate</orm></properties>
  <dependencyManagement><dependencies><dependency><groupId>org.managed</groupId><artifactId>no</artifactId></dependency></dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>${project.groupId}</groupId><artifactId>shop-model</artifactId>
      <exclusions><exclusion><groupId>org.excluded</groupId><artifactId>no</artifactId></exclusion></exclusions></dependency>
    <dependency><groupId>${orm}</groupId><artifactId>hibernate-core</artifactId></dependency>
    <dependency><groupId>${elsewhere}</groupId><artifactId>unknown</artifactId></dependency>
  </dependencies>
  <build><plugins><plugin><groupId>org.plugin</groupId><artifactId>no</artifactId></plugin></plugins></build>
</project>
//- gradle/app/build.gradle
group = 'org.shop'
dependencies {
    implementation 'com.google.guava:guava:33.0'
    api project(':core')
    testImplementation group: 'junit', name: 'junit', version: '4.13'
    implementation "org.example:managed"
}
//- gradle/libs.versions.toml
[libraries]
okio = "com.squareup.okio:okio:3.9"
moshi = { module = "com.squareup.moshi:moshi", version.ref = "moshi" }
//- net/Shop.Api.csproj
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><PackageId>Shop.Api.Client</PackageId></PropertyGroup>
<ItemGroup><PackageReference Include="Newtonsoft.Json" Version="13" /><ProjectReference Include="..\Other\Other.csproj" /></ItemGroup></Project>
//- net/Shop.Tests.csproj
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><IsPackable>false</IsPackable></PropertyGroup>
<ItemGroup><PackageReference Include="xunit"><Version>2</Version></PackageReference></ItemGroup></Project>
//- php/composer.json
{"name": "Shop/Cart", "require": {"php": ">=8", "ext-json": "*", "symfony/console": "^7"}, "require-dev": {"phpunit/phpunit": "^11"}}
//- rb/shop.gemspec
Gem::Specification.new do |spec|
  spec.name = "shop"
  spec.add_dependency "rack", "~> 3"
  spec.add_development_dependency("rspec")
end
//- rb/Gemfile
source "https://rubygems.org"
gemspec
gem "rails", "~> 7"
//- vendor/other/Cargo.toml
[package]
name = "someone-elses"
"#,
    );
    let expected = "\
Cargo.toml: cargo/shop-app < cargo/rustix cargo/serde cargo/shop-cart
web/package.json: npm/@shop/web < npm/@other/new npm/react npm/vite
py/pyproject.toml: pypi/shop-core < pypi/attrs pypi/pytest pypi/requests pypi/typing-extensions
old/setup.cfg: pypi/shop-old < pypi/importlib-metadata pypi/six
older/setup.py: pypi/shop-older < pypi/uvicorn pypi/zope-interface
requirements-dev.txt:  < pypi/black pypi/tool
go.mod: golang/example.com/shop < golang/github.com/google/uuid golang/github.com/spf13/pflag
jvm/pom.xml: maven/org.shop:shop-service < maven/org.hibernate:hibernate-core maven/org.shop:shop-model
gradle/app/build.gradle: maven/org.shop:app < maven/com.google.guava:guava maven/junit:junit maven/org.example:managed
gradle/libs.versions.toml:  < maven/com.squareup.moshi:moshi maven/com.squareup.okio:okio
net/Shop.Api.csproj: nuget/shop.api.client < nuget/newtonsoft.json
net/Shop.Tests.csproj:  < nuget/xunit
php/composer.json: composer/shop/cart < composer/phpunit/phpunit composer/symfony/console
rb/shop.gemspec: gem/shop < gem/rack gem/rspec
rb/Gemfile:  < gem/rails
vendor/other/Cargo.toml:  < 
";
    assert_eq!(said, expected);
}

#[test]
fn manifests_that_are_broken_name_nothing() {
    for broken in [
        "{",
        "[",
        "<project><a>",
        "setup(install_requires=[\"",
        "module",
        "\u{0}",
    ] {
        for name in [
            "Cargo.toml",
            "package.json",
            "pyproject.toml",
            "setup.py",
            "go.mod",
            "pom.xml",
            "build.gradle",
            "a.csproj",
            "composer.json",
            "Gemfile",
            "a.gemspec",
        ] {
            let (files, texts) = read_fixture(&format!("//- {name}\n{broken}"));
            let names = package_names(&files, &texts);
            // A project is named by its file.
            assert!(
                names.iter().all(|said| &*said.name == "a"),
                "{name} {broken}: {names:?}"
            );
        }
    }
}
