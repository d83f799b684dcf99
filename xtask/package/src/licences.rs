//! The licences of everything that is linked into the binary.
//!
//! `cargo about` would do for crates. It does not look for the C libraries inside of them
//! (jemalloc, Unicode tables of tree-sitter), nor for the standard library, takes minutes to build,
//! and asks a service for texts that a crate leaves out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
    process::Command,
};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use crate::{
    contents::PackedFile,
    platform::{Platform, System},
    product::{NAME, Product, cargo, cargo_metadata},
};

pub const THIRD_PARTY: &str = "THIRD-PARTY-LICENSES.txt";

/// A crate that is linked.
struct LinkedCrate {
    /// `tantivy 0.27.0`
    name: String,
    expression: String,
    authors: String,
    texts: Vec<String>,
}

/// Our own licences, those of all linked crates, and those of the standard library.
pub fn collect(product: &Product, platform: Platform) -> anyhow::Result<Vec<PackedFile>> {
    let mut files = Vec::new();
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let text = fs::read(product.root.join(name)).with_context(|| format!("no {name}"))?;
        files.push(PackedFile::new(name, text));
    }
    let crates = linked_crates(platform)?;
    files.push(PackedFile::new(THIRD_PARTY, document(&crates, platform)?));
    files.push(PackedFile::new(
        "RUST-STANDARD-LIBRARY-LICENSES.html",
        standard_library()?,
    ));
    Ok(files)
}

/// Crates of others that are part of the program on the platform. Build scripts, procedural macros
/// and what only tests use are not.
fn linked_crates(platform: Platform) -> anyhow::Result<Vec<LinkedCrate>> {
    let triple = platform.triple();
    let options = ["--edges", "normal,no-proc-macro", "--prefix", "none"];
    let mut arguments = vec!["tree", "--locked", "--package", NAME, "--target", triple];
    arguments.extend(options);
    let tree = String::from_utf8(cargo(&arguments)?)?;
    let linked: BTreeSet<String> = tree.lines().filter_map(name_and_version).collect();

    let metadata = cargo_metadata(&["--filter-platform", triple])?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut crates = Vec::new();
    for package in packages
        .iter()
        .filter(|package| !package["source"].is_null())
    {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        if !linked.contains(&name) {
            continue;
        }
        let manifest = Path::new(text("manifest_path"));
        let directory = manifest.parent().context("a manifest is in a folder")?;
        crates.push(LinkedCrate {
            name,
            expression: text("license").to_owned(),
            authors: authors(package),
            texts: licence_texts(directory)?,
        });
    }
    ensure!(!crates.is_empty(), "cargo tree lists no crates");
    Ok(crates)
}

/// `tantivy v0.27.0 (*)` is `tantivy 0.27.0`.
fn name_and_version(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let version = words.next()?.strip_prefix('v')?;
    Some(format!("{name} {version}"))
}

fn authors(package: &Value) -> String {
    let names = package["authors"].as_array();
    let names: Vec<&str> = names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    names.join(", ")
}

/// The texts of all licence files of a crate, those of C libraries inside of it included.
fn licence_texts(directory: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = fs::read_dir(&directory)
            .with_context(|| format!("cannot read {}", directory.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                // Tools of the crate's authors, not part of it.
                if !name.starts_with('.') && name != "node_modules" {
                    pending.push(path);
                }
            } else if is_licence_file(&name) {
                let bytes = fs::read(&path)?;
                texts.push((path, String::from_utf8_lossy(&bytes).replace("\r\n", "\n")));
            }
        }
    }
    texts.sort();
    Ok(texts.into_iter().map(|(_, text)| text).collect())
}

fn is_licence_file(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_text = ![".rs", ".yml", ".json", ".html", ".toml"]
        .iter()
        .any(|extension| name.ends_with(extension));
    let starts = [
        "license",
        "licence",
        "copying",
        "copyright",
        "notice",
        "unlicense",
    ];
    is_text && starts.iter().any(|start| name.starts_with(start))
}

/// A list of all crates with the numbers of their texts, then every text once.
fn document(crates: &[LinkedCrate], platform: Platform) -> anyhow::Result<String> {
    let mut parts = Vec::new();
    for linked in crates {
        let mut own = linked.texts.clone();
        if own.is_empty() {
            own.push(standard_text(linked)?);
        }
        parts.push((format!("{}: {}", linked.name, linked.expression), own));
    }
    if platform.system == System::LinuxMusl {
        parts.push(("musl libc: MIT".to_owned(), vec![MUSL.to_owned()]));
    }

    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut texts = BTreeMap::new();
    for text in parts.iter().flat_map(|(_, own)| own) {
        texts.entry(words(text)).or_insert(text.as_str());
    }
    let mut texts: Vec<(String, &str)> = texts.into_iter().collect();
    // Variants of a licence are about equally long. One after another, they compress better.
    texts.sort_by_key(|(words, _)| words.len());
    let numbers: BTreeMap<&str, usize> = texts
        .iter()
        .enumerate()
        .map(|(index, (words, _))| (words.as_str(), index + 1))
        .collect();

    let mut list = String::new();
    for (part, own) in &parts {
        let own: BTreeSet<usize> = own
            .iter()
            .map(|text| numbers[words(text).as_str()])
            .collect();
        let own: Vec<String> = own.iter().map(usize::to_string).collect();
        writeln!(list, "{part} (texts {})", own.join(", "))?;
    }
    let mut document = format!(
        "{NAME} for {} contains the Rust crates below, and SQLite, which is in the public domain.\n\
         Licences of the Rust standard library are in a file of their own.\n\n{list}",
        platform.triple()
    );
    for (index, (_, text)) in texts.iter().enumerate() {
        let rule = "=".repeat(80);
        write!(
            document,
            "\n{rule}\ntext {}\n{rule}\n\n{}\n",
            index + 1,
            text.trim_end()
        )?;
    }
    Ok(document)
}

/// For a crate that says `MIT` in its manifest and has no file with the text.
fn standard_text(linked: &LinkedCrate) -> anyhow::Result<String> {
    let LinkedCrate {
        name,
        expression,
        authors,
        ..
    } = linked;
    let mut choices = expression.split([' ', '/']);
    if !choices.any(|choice| choice == "MIT") || expression.contains(" AND ") {
        bail!("{name} ({expression}) has no licence file: its text must be added by hand");
    }
    let holders = match authors.as_str() {
        "" => format!("the authors of {name}"),
        authors => authors.to_owned(),
    };
    Ok(format!(
        "MIT License\n\nCopyright (c) {holders}\n\n{MIT_TERMS}"
    ))
}

/// What the compiler's distribution says about the standard library.
fn standard_library() -> anyhow::Result<Vec<u8>> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    let sysroot = String::from_utf8(output.stdout)?;
    let path = Path::new(sysroot.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    fs::read(&path).with_context(|| {
        format!(
            "cannot read {}: a toolchain of rustup has it",
            path.display()
        )
    })
}

const MUSL: &str = "\
musl as a whole is licensed under the following standard MIT license:

Copyright © 2005-2020 Rich Felker, et al.

Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the
\"Software\"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
";

const MIT_TERMS: &str = "\
Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the \"Software\"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(name: &str, expression: &str, texts: &[&str]) -> LinkedCrate {
        LinkedCrate {
            name: name.to_owned(),
            expression: expression.to_owned(),
            authors: String::new(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn a_text_is_printed_once_and_a_missing_one_is_made() {
        let crates = [
            linked("a 1.0.0", "ISC", &["The  terms.\n"]),
            linked("b 1.0.0", "ISC", &["The terms."]),
            linked("c 1.0.0", "Apache-2.0 / MIT", &[]),
        ];
        let platform = "x86_64-unknown-linux-gnu".parse().unwrap();
        let document = document(&crates, platform).unwrap();
        assert!(document.contains("a 1.0.0: ISC (texts 1)\nb 1.0.0: ISC (texts 1)\nc 1.0.0:"));
        assert!(document.contains("Copyright (c) the authors of c 1.0.0"));
        assert!(!document.contains("musl"));
    }

    #[test]
    fn terms_that_nobody_states_are_an_error() {
        let platform = "x86_64-unknown-linux-musl".parse().unwrap();
        let error = document(&[linked("d 1.0.0", "BSD-3-Clause", &[])], platform).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("d 1.0.0 (BSD-3-Clause) has no licence file")
        );
    }

    #[test]
    fn every_linked_crate_has_terms() {
        let platform = "x86_64-unknown-linux-gnu".parse().unwrap();
        let document = document(&linked_crates(platform).unwrap(), platform).unwrap();
        for part in [
            "\ntree-sitter 0.",
            "\ntantivy 0.",
            "jemalloc",
            "UNICODE, INC.",
        ] {
            assert!(document.contains(part), "{part}");
        }
        assert!(!document.contains("\nexpect-test "), "only tests use it");
    }
}
