//! What is packed: the name, version and addresses, from the manifests of the workspace.

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context as _, ensure};
use serde_json::Value;

/// The name of the program, and of its package where the ecosystem has no scopes.
pub const NAME: &str = "codecompass";

/// At most 80 characters, which is what Debian packages may have.
pub const SUMMARY: &str =
    "Answers questions about code, for agents and people: definitions, callers";

/// `[workspace.package]` and `[workspace.metadata.packages]` of the root manifest.
pub struct Product {
    pub root: PathBuf,
    pub target_directory: PathBuf,
    /// Semantic, as in `Cargo.toml`: `0.1.0-rc.1`.
    pub version: String,
    pub repository: String,
    pub licence: String,
    /// `@codecompass`: the npm name without a scope belongs to others.
    pub npm_scope: String,
    /// In the MCP registry: `io.github.codecompass/codecompass`.
    pub mcp_name: String,
    /// `ghcr.io/codecompass/codecompass`
    pub image: String,
    /// `Name <address>`, as Debian packages name theirs.
    pub maintainer: String,
}

impl Product {
    pub fn read() -> anyhow::Result<Product> {
        let metadata = cargo_metadata(&["--no-deps"])?;
        let text = |value: &Value, what: &str| {
            let text = value.as_str().map(str::to_owned);
            text.with_context(|| format!("Cargo.toml has no {what}"))
        };
        let packages = metadata["packages"].as_array();
        let own = packages
            .and_then(|packages| packages.iter().find(|package| package["name"] == NAME))
            .context("the workspace has no package codecompass")?;
        let names = &metadata["metadata"]["packages"];
        let named = |name: &str| {
            text(
                &names[name],
                &format!("{name} in [workspace.metadata.packages]"),
            )
        };
        Ok(Product {
            root: text(&metadata["workspace_root"], "workspace")?.into(),
            target_directory: text(&metadata["target_directory"], "target directory")?.into(),
            version: text(&own["version"], "version")?,
            repository: text(&own["repository"], "repository")?,
            licence: text(&own["license"], "license")?,
            npm_scope: named("npm-scope")?,
            mcp_name: named("mcp-name")?,
            image: named("image")?,
            maintainer: named("maintainer")?,
        })
    }

    /// Where the file of a release can be downloaded.
    pub fn download(&self, file: &str) -> String {
        format!(
            "{}/releases/download/v{}/{file}",
            self.repository, self.version
        )
    }

    /// The README for a package index: links lead to the repository at this version.
    pub fn readme(&self) -> anyhow::Result<String> {
        let path = self.root.join("README.md");
        let text = std::fs::read_to_string(path).context("cannot read README.md")?;
        let base = format!("{}/blob/v{}/", self.repository, self.version);
        Ok(with_absolute_links(&text, &base))
    }
}

/// What `cargo metadata` tells about this workspace.
pub fn cargo_metadata(options: &[&str]) -> anyhow::Result<Value> {
    let mut arguments = vec!["metadata", "--locked", "--format-version", "1"];
    arguments.extend(options);
    let output = cargo(&arguments)?;
    serde_json::from_slice(&output).context("cargo metadata printed no JSON")
}

/// The output of a cargo command in this workspace.
pub fn cargo(arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "cargo {} failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}

fn with_absolute_links(markdown: &str, base: &str) -> String {
    let mut parts = markdown.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("](");
        let is_absolute = part.starts_with('#') || part.starts_with("http");
        if !is_absolute {
            text.push_str(base);
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn example() -> Product {
        let text = |text: &str| text.to_owned();
        Product {
            root: PathBuf::new(),
            target_directory: PathBuf::new(),
            version: text("1.2.3"),
            repository: text("https://example.org/c"),
            licence: text("MIT"),
            npm_scope: text("@scope"),
            mcp_name: text("org.example/c"),
            image: text("example.org/c"),
            maintainer: text("C <c@example.org>"),
        }
    }

    #[test]
    fn links_lead_to_the_repository() {
        let text = "[a](docs/a.md) [b](https://b) [c](#c) f](x)";
        assert_eq!(
            with_absolute_links(text, "https://r/blob/v1/"),
            "[a](https://r/blob/v1/docs/a.md) [b](https://b) [c](#c) f](https://r/blob/v1/x)"
        );
    }

    #[test]
    fn the_manifest_names_everything() {
        let product = Product::read().unwrap();
        assert!(product.npm_scope.starts_with('@'), "{}", product.npm_scope);
        assert!(product.repository.starts_with("https://github.com/"));
        // Labels of an image cannot be read from a manifest.
        let image = std::fs::read_to_string(product.root.join("Dockerfile")).unwrap();
        for name in [&product.mcp_name, &product.repository] {
            assert!(image.contains(&format!("=\"{name}\"")), "{name}");
        }
        // The registry accepts at most 100 characters.
        assert!(SUMMARY.len() <= 100, "{}", SUMMARY.len());
    }
}
