//! npm packages: one for each platform with the binary, and the main one with a launcher, which has
//! the others as optional dependencies. npm installs the one whose `os` and `cpu` fit; nothing runs
//! and nothing is downloaded by us at installation.

use serde_json::{Map, Value, json};

use crate::{
    archive::tar_gz,
    contents::{PackageContents, PackedFile},
    platform::{PLATFORMS, PackageFormat, Platform},
    product::{NAME, Product, SUMMARY},
};

const LAUNCHER: &str = include_str!("../npm/codecompass.js");

/// The package for the platform, and the main one.
pub fn pack(
    product: &Product,
    platform: Platform,
    contents: &PackageContents,
) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut own = vec![contents.program.clone()];
    own.extend(contents.licences.iter().cloned());
    let readme = format!(
        "# {}\n\nThe program of [{}]({}) for {}.\n",
        platform_package(product, platform),
        main_package(product),
        product.repository,
        platform.triple()
    );
    own.push(PackedFile::new("README.md", readme));
    let mut main = vec![
        PackedFile::executable("codecompass.js", LAUNCHER),
        PackedFile::new("README.md", product.readme()?),
    ];
    let licences = contents.licences.iter();
    main.extend(
        licences
            .filter(|file| file.path.starts_with("LICENSE"))
            .cloned(),
    );
    Ok(vec![
        tarball(&platform_manifest(product, platform), own)?,
        tarball(&main_manifest(product), main)?,
    ])
}

pub fn main_package(product: &Product) -> String {
    format!("{}/{NAME}", product.npm_scope)
}

fn platform_package(product: &Product, platform: Platform) -> String {
    let main = main_package(product);
    format!(
        "{main}-{}-{}",
        platform.node_platform(),
        platform.node_arch()
    )
}

fn manifest(product: &Product, name: String) -> Map<String, Value> {
    let fields = json!({
        "name": name,
        "version": product.version,
        "description": SUMMARY,
        "license": product.licence,
        "repository": { "type": "git", "url": format!("git+{}.git", product.repository) },
        "homepage": product.repository,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => unreachable!("it is written as an object"),
    }
}

fn platform_manifest(product: &Product, platform: Platform) -> Map<String, Value> {
    let mut manifest = manifest(product, platform_package(product, platform));
    manifest.insert("os".to_owned(), json!([platform.node_platform()]));
    manifest.insert("cpu".to_owned(), json!([platform.node_arch()]));
    // Yarn would otherwise leave the binary inside of an archive.
    manifest.insert("preferUnplugged".to_owned(), json!(true));
    manifest
}

fn main_manifest(product: &Product) -> Map<String, Value> {
    let released = PLATFORMS
        .iter()
        .filter(|platform| platform.released_formats().contains(&PackageFormat::Npm));
    let platforms: Map<String, Value> = released
        .map(|platform| (platform_package(product, *platform), json!(product.version)))
        .collect();
    let mut manifest = manifest(product, main_package(product));
    manifest.insert("mcpName".to_owned(), json!(product.mcp_name));
    manifest.insert(
        "keywords".to_owned(),
        json!(["mcp", "code-search", "code-intelligence"]),
    );
    manifest.insert("bin".to_owned(), json!({ NAME: "codecompass.js" }));
    manifest.insert("engines".to_owned(), json!({ "node": ">=18" }));
    manifest.insert("optionalDependencies".to_owned(), Value::Object(platforms));
    manifest
}

/// Named as `npm pack` names it: `scope-name-VERSION.tgz`.
fn tarball(
    manifest: &Map<String, Value>,
    files: Vec<PackedFile>,
) -> anyhow::Result<(String, Vec<u8>)> {
    let text = |field: &str| manifest[field].as_str().unwrap_or_default();
    let name = text("name").trim_start_matches('@').replace('/', "-");
    let name = format!("{name}-{}.tgz", text("version"));
    let json = serde_json::to_string_pretty(manifest)? + "\n";
    let mut packed = vec![PackedFile::new("package/package.json", json)];
    packed.extend(
        files
            .into_iter()
            .map(|file| file.at(format!("package/{}", file.path))),
    );
    Ok((name, tar_gz(&packed)?))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_main_package_depends_on_one_package_for_each_platform_of_node() {
        let product = crate::product::tests::example();
        let manifest = main_manifest(&product);
        expect![[r#"
            {
              "@scope/codecompass-linux-x64": "1.2.3",
              "@scope/codecompass-linux-arm64": "1.2.3",
              "@scope/codecompass-win32-x64": "1.2.3",
              "@scope/codecompass-darwin-x64": "1.2.3",
              "@scope/codecompass-darwin-arm64": "1.2.3"
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(&manifest["optionalDependencies"]).unwrap());
    }

    #[test]
    fn a_platform_package_is_installed_on_its_platform_only() {
        let product = crate::product::tests::example();
        let manifest = platform_manifest(&product, "aarch64-apple-darwin".parse().unwrap());
        assert_eq!(manifest["os"], json!(["darwin"]));
        assert_eq!(manifest["cpu"], json!(["arm64"]));
        let (name, _) = tarball(&manifest, Vec::new()).unwrap();
        assert_eq!(name, "scope-codecompass-darwin-arm64-1.2.3.tgz");
    }
}
