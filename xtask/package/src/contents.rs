//! What every package has inside: the program, its manual pages and completions, and licences.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
};

use anyhow::{Context as _, ensure};

use crate::{
    binary::ensure_made_for,
    deflate::Deflated,
    licences,
    platform::Platform,
    product::{NAME, Product},
};

/// What a file has inside. It is compressed once, however many packages have the file.
pub struct Content {
    bytes: Vec<u8>,
    deflated: OnceLock<Deflated>,
}

impl Content {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Arc<Content> {
        Arc::new(Content {
            bytes: bytes.into(),
            deflated: OnceLock::new(),
        })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn deflated(&self) -> anyhow::Result<&Deflated> {
        if let Some(deflated) = self.deflated.get() {
            return Ok(deflated);
        }
        let deflated = Deflated::of(&self.bytes)?;
        Ok(self.deflated.get_or_init(|| deflated))
    }
}

/// A file of a package.
#[derive(Clone)]
pub struct PackedFile {
    /// With `/`, relative to the root of the package.
    pub path: String,
    pub content: Arc<Content>,
    pub is_executable: bool,
}

impl PackedFile {
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> PackedFile {
        PackedFile {
            path: path.into(),
            content: Content::new(bytes),
            is_executable: false,
        }
    }

    pub fn executable(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> PackedFile {
        PackedFile {
            is_executable: true,
            ..PackedFile::new(path, bytes)
        }
    }

    /// The file under another path.
    pub fn at(&self, path: impl Into<String>) -> PackedFile {
        PackedFile {
            path: path.into(),
            ..self.clone()
        }
    }

    pub fn bytes(&self) -> &[u8] {
        self.content.bytes()
    }
}

pub struct PackageContents {
    /// Under the name that the program has on the platform.
    pub program: PackedFile,
    /// One for each command, named `codecompass-search.1`.
    pub manual: Vec<PackedFile>,
    /// Named as shells look for them: `codecompass.bash`, `_codecompass`, `codecompass.fish` …
    pub completions: Vec<PackedFile>,
    /// Of codecompass and of everything linked into it.
    pub licences: Vec<PackedFile>,
}

impl PackageContents {
    pub fn collect(
        product: &Product,
        platform: Platform,
        binary: &Path,
        runs_here: &Path,
    ) -> anyhow::Result<PackageContents> {
        let bytes =
            fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
        ensure_made_for(platform, &bytes)?;
        let scratch = product.target_directory.join("packages-tmp");
        let version = run(runs_here, &["--version"])?;
        let version = String::from_utf8_lossy(&version).into_owned();
        let expected = format!("{NAME} {} ", product.version);
        ensure!(
            version.starts_with(&expected),
            "{} is `{}`, not `{}`",
            runs_here.display(),
            version.lines().next().unwrap_or_default(),
            expected.trim()
        );
        Ok(PackageContents {
            program: PackedFile::executable(platform.program_name(), bytes),
            manual: manual(runs_here, &scratch.join("man"))?,
            completions: completions(runs_here)?,
            licences: licences::collect(product, platform)?,
        })
    }
}

fn run(program: &Path, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    ensure!(
        output.status.success(),
        "{} {} failed: {}",
        program.display(),
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}

fn manual(program: &Path, directory: &PathBuf) -> anyhow::Result<Vec<PackedFile>> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    let path = directory.to_str().context("the path is not UTF-8")?;
    run(program, &["man", "--directory", path])?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push(PackedFile::new(name, fs::read(entry.path())?));
    }
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    ensure!(!pages.is_empty(), "{} wrote no manual", program.display());
    fs::remove_dir_all(directory)?;
    Ok(pages)
}

fn completions(program: &Path) -> anyhow::Result<Vec<PackedFile>> {
    let shells = [
        ("bash", "codecompass.bash"),
        ("elvish", "codecompass.elv"),
        ("fish", "codecompass.fish"),
        ("powershell", "codecompass.ps1"),
        ("zsh", "_codecompass"),
    ];
    let files = shells.into_iter().map(|(shell, name)| {
        let script = run(program, &["completions", shell])?;
        Ok(PackedFile::new(name, script))
    });
    files.collect()
}
