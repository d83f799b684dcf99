//! The Rust sources of this repository as syntax trees, with test code told apart: what `loc` and
//! `house` measure.

use std::{
    collections::BTreeSet,
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use syn::{Attribute, ImplItem, Item, Meta, spanned::Spanned as _, visit::Visit};

/// One file below `crates/*/src` or `xtask/src`.
pub struct SourceFile {
    /// From the root of the repository: `crates/engine/src/lib.rs`.
    pub path: PathBuf,
    pub text: String,
    pub syntax: syn::File,
    /// Whether the whole file is compiled for tests only.
    pub is_test: bool,
}

impl SourceFile {
    /// The folder of its crate: `engine`, `xtask`.
    pub fn package(&self) -> &str {
        let folders = self.path.iter().filter(|folder| *folder != "crates");
        folders
            .filter_map(|folder| folder.to_str())
            .next()
            .unwrap_or_default()
    }

    /// The lines, from 1, of the items under `#[cfg(test)]`.
    pub fn test_lines(&self) -> Vec<RangeInclusive<usize>> {
        let mut visitor = TestItems::default();
        visitor.visit_file(&self.syntax);
        visitor.lines
    }
}

/// The root of the repository that this program was built from.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("xtask is a folder of the repository")
        .to_owned()
}

/// Every package folder of the workspace, from the root: `crates/engine`, `xtask`.
pub fn packages(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut packages = vec![PathBuf::from("xtask")];
    for entry in fs::read_dir(root.join("crates"))? {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            packages.push(path.strip_prefix(root)?.to_owned());
        }
    }
    packages.sort();
    Ok(packages)
}

/// All Rust sources of the workspace, tests included, in order of their paths.
pub fn read(root: &Path) -> anyhow::Result<Vec<SourceFile>> {
    let mut sources = Vec::new();
    for package in packages(root)? {
        for path in files_below(&root.join(&package).join("src"), &["rs"])? {
            let text = fs::read_to_string(&path)?;
            let relative = path.strip_prefix(root)?.to_owned();
            sources.push(SourceFile {
                syntax: syn::parse_file(&text).with_context(|| relative.display().to_string())?,
                path: relative,
                text,
                is_test: false,
            });
        }
    }
    let tests: BTreeSet<PathBuf> = sources.iter().flat_map(test_modules).collect();
    for source in &mut sources {
        let path = &source.path;
        // The files of `mod tests;` are `tests.rs`, `tests/mod.rs` and everything below `tests/`.
        source.is_test = path.ancestors().any(|path| tests.contains(path))
            || tests.contains(&path.with_extension(""));
    }
    Ok(sources)
}

/// The files below a directory with one of these extensions, sorted.
pub fn files_below(directory: &Path, extensions: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = fs::read_dir(&directory)
            .with_context(|| format!("cannot read {}", directory.display()))?;
        for entry in entries {
            let path = entry?.path();
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                pending.push(path);
            } else if extensions.contains(&&*extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Where the modules that this file declares for tests only are, without `.rs`.
fn test_modules(source: &SourceFile) -> Vec<PathBuf> {
    let path = &source.path;
    let directory = path.parent().expect("a source is in a folder");
    let stem = path.file_stem().unwrap_or_default();
    let directory = match stem.to_str() {
        Some("lib" | "main" | "mod") => directory.to_owned(),
        _ => directory.join(stem),
    };
    let modules = source.syntax.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_for_tests(&module.attrs) => {
            Some(directory.join(module.ident.to_string()))
        }
        _ => None,
    });
    modules.collect()
}

/// Whether one of the attributes is `#[test]`, `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            condition == "test" || condition.starts_with("all(test,")
        }
        _ => false,
    })
}

#[derive(Default)]
struct TestItems {
    lines: Vec<RangeInclusive<usize>>,
}

impl TestItems {
    fn add(&mut self, span: proc_macro2::Span) {
        self.lines.push(span.start().line..=span.end().line);
    }
}

impl Visit<'_> for TestItems {
    fn visit_item(&mut self, item: &Item) {
        if is_for_tests(item_attributes(item)) {
            self.add(item.span());
        } else {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &ImplItem) {
        match item {
            ImplItem::Fn(function) if is_for_tests(&function.attrs) => self.add(item.span()),
            _ => syn::visit::visit_impl_item(self, item),
        }
    }
}

pub fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
