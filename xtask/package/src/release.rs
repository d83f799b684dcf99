//! What names the packages of a release, made when all of them are there: checksums, the Homebrew
//! formula and the entry of the MCP registry.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    bundle, npm,
    platform::{PLATFORMS, Platform, Processor, System},
    product::{NAME, Product, SUMMARY},
};

const CHECKSUMS: &str = "SHA256SUMS";
const FORMULA: &str = "codecompass.rb";
const REGISTRY_ENTRY: &str = "server.json";

/// A file of the release.
struct Package {
    name: String,
    sha256: String,
}

pub fn finish(product: &Product, directory: &Path) -> anyhow::Result<()> {
    let packages = packages(directory)?;
    ensure!(
        !packages.is_empty(),
        "{} has no packages: run `cargo xtask package` first",
        directory.display()
    );
    let mut sums = String::new();
    for Package { name, sha256 } in &packages {
        writeln!(sums, "{sha256}  {name}")?;
    }
    let entry = serde_json::to_string_pretty(&registry_entry(product, &packages))? + "\n";
    let mut files = vec![(CHECKSUMS, sums), (REGISTRY_ENTRY, entry)];
    match formula(product, &packages) {
        Some(formula) => files.push((FORMULA, formula)),
        None => {
            eprintln!("note: no {FORMULA}, since no archive for macOS or Linux (musl) is there")
        }
    }
    for (name, text) in files {
        let path = directory.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// In order of their names.
fn packages(directory: &Path) -> anyhow::Result<Vec<Package>> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_made_here = [CHECKSUMS, FORMULA, REGISTRY_ENTRY].contains(&name.as_str());
        if !is_made_here && entry.file_type()?.is_file() {
            let sha256 = hex(&Sha256::digest(fs::read(entry.path())?));
            packages.push(Package { name, sha256 });
        }
    }
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// For the archives that are there; Linux has the static binary.
fn formula(product: &Product, packages: &[Package]) -> Option<String> {
    let mut systems = String::new();
    for (system, block) in [(System::MacOs, "on_macos"), (System::LinuxMusl, "on_linux")] {
        let mut processors = String::new();
        for platform in PLATFORMS
            .iter()
            .filter(|platform| platform.system == system)
        {
            let name = format!("{NAME}-{}-{}.tar.gz", product.version, platform.triple());
            let Some(package) = packages.iter().find(|package| package.name == name) else {
                continue;
            };
            let block = match platform.processor {
                Processor::X86_64 => "on_intel",
                Processor::Aarch64 => "on_arm",
            };
            let url = product.download(&name);
            let sha256 = &package.sha256;
            processors += &format!(
                "    {block} do\n      url \"{url}\"\n      sha256 \"{sha256}\"\n    end\n"
            );
        }
        if !processors.is_empty() {
            systems += &format!("  {block} do\n{processors}  end\n\n");
        }
    }
    if systems.is_empty() {
        return None;
    }
    let Product {
        version,
        repository,
        ..
    } = product;
    Some(format!(
        r##"class Codecompass < Formula
  desc "{SUMMARY}"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{systems}  def install
    bin.install "codecompass"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/codecompass.bash" => "codecompass"
    fish_completion.install "completions/codecompass.fish"
    zsh_completion.install "completions/_codecompass"
    doc.install "README.md", "CHANGELOG.md", Dir["*LICENSE*"]
  end

  test do
    (testpath/"cart.py").write "def total(): ...\n"
    assert_match "cart.py:1:5", shell_output("#{{bin}}/codecompass definition total")
  end
end
"##
    ))
}

/// `server.json`: how a client of the MCP registry installs and starts the server.
fn registry_entry(product: &Product, packages: &[Package]) -> Value {
    let version = &product.version;
    let stdio = json!({ "type": "stdio" });
    let serve = json!([{ "type": "positional", "value": "serve-mcp" }]);
    let mut entries = vec![
        json!({
            "registryType": "npm",
            "identifier": npm::main_package(product),
            "version": version,
            "runtimeHint": "npx",
            "packageArguments": serve,
            "transport": stdio,
        }),
        json!({
            "registryType": "pypi",
            "identifier": NAME,
            "version": version,
            "runtimeHint": "uvx",
            "packageArguments": serve,
            "transport": stdio,
        }),
        json!({
            "registryType": "oci",
            "identifier": format!("{}:{version}", product.image),
            "runtimeHint": "docker",
            "runtimeArguments": [{
                "type": "named",
                "name": "--mount",
                "value": "type=bind,src={repository},dst=/workspace,readonly",
                "variables": {
                    "repository": {
                        "description": "The directory whose code questions are about",
                        "format": "filepath",
                        "isRequired": true,
                    },
                },
            }],
            "transport": stdio,
        }),
    ];
    let bundle = |platform: &Platform| {
        let name = bundle::file_name(product, *platform);
        let package = packages.iter().find(|package| package.name == name)?;
        Some(json!({
            "registryType": "mcpb",
            "identifier": product.download(&name),
            "fileSha256": package.sha256,
            "transport": stdio,
        }))
    };
    entries.extend(PLATFORMS.iter().filter_map(bundle));
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": product.mcp_name,
        "title": NAME,
        "description": SUMMARY,
        "version": version,
        "repository": { "url": product.repository, "source": "github" },
        "packages": entries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str) -> Package {
        Package {
            name: name.to_owned(),
            sha256: "0".repeat(64),
        }
    }

    #[test]
    fn the_formula_has_the_archives_that_are_there() {
        let product = crate::product::tests::example();
        let packages = [
            package("codecompass-1.2.3-aarch64-apple-darwin.tar.gz"),
            package("codecompass-1.2.3-x86_64-unknown-linux-gnu.tar.gz"),
            package("codecompass-1.2.3-x86_64-unknown-linux-musl.tar.gz"),
        ];
        let text = formula(&product, &packages).unwrap();
        let urls: Vec<&str> = text.lines().filter(|line| line.contains("url ")).collect();
        assert_eq!(
            urls,
            [
                "      url \"https://example.org/c/releases/download/v1.2.3/codecompass-1.2.3-aarch64-apple-darwin.tar.gz\"",
                "      url \"https://example.org/c/releases/download/v1.2.3/codecompass-1.2.3-x86_64-unknown-linux-musl.tar.gz\"",
            ]
        );
        assert!(formula(&product, &packages[1..2]).is_none());
    }

    #[test]
    fn the_registry_lists_bundles_with_their_digests() {
        let product = crate::product::tests::example();
        let name = "codecompass-1.2.3-x86_64-pc-windows-gnu.mcpb";
        let entry = registry_entry(&product, &[package(name)]);
        let packages = entry["packages"].as_array().unwrap();
        let kinds: Vec<&str> = packages
            .iter()
            .filter_map(|package| package["registryType"].as_str())
            .collect();
        assert_eq!(kinds, ["npm", "pypi", "oci", "mcpb"]);
        assert_eq!(packages[3]["fileSha256"], "0".repeat(64));
    }
}
