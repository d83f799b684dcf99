//! Compilers whose errors are the truth about a broken tree.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail};
use engine::Snapshot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    Go,
    /// `javac` over the sources of one module, with the jars of `CLASSPATH`; the directory of the
    /// module, or nothing for the root.
    Java(&'static str),
    /// `cargo check` of all targets.
    Rust,
    /// `tsc`, or the program that `TSC` names, with the packages of the directory `NODE_MODULES` and the
    /// configuration `TSCONFIG` instead of the tree's own, where these are set.
    TypeScript,
    /// `basedpyright`, or the program that `BASEDPYRIGHT` names.
    Python,
}

/// An error at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerError {
    pub path: String,
    pub line: u32,
    pub text: String,
}

impl Compiler {
    pub fn named(name: &str) -> Option<Compiler> {
        match name {
            "go" => Some(Compiler::Go),
            "java" => Some(Compiler::Java("")),
            "rust" => Some(Compiler::Rust),
            "typescript" => Some(Compiler::TypeScript),
            "python" => Some(Compiler::Python),
            name => {
                let module = name.strip_prefix("java:")?;
                // One for the whole run.
                Some(Compiler::Java(format!("{module}/").leak()))
            }
        }
    }

    /// Whether the compiler looks at a file.
    pub fn compiles(self, path: &str) -> bool {
        match self {
            Compiler::Go => path.ends_with(".go") && !path.contains("testdata/"),
            Compiler::Java(module) => {
                let below = path.strip_prefix(module);
                below.is_some_and(|below| {
                    below.starts_with("src/main/java/") && below.ends_with(".java")
                })
            }
            Compiler::Rust => path.ends_with(".rs"),
            Compiler::TypeScript => path.ends_with(".ts") || path.ends_with(".tsx"),
            Compiler::Python => path.ends_with(".py"),
        }
    }

    /// Whether nothing else needs a file, as far as its name tells: a test.
    pub fn is_leaf(self, path: &str) -> bool {
        engine::query::search::is_test_or_docs(path) || self != Compiler::Go
    }

    /// Whether errors keep the compiler from finding others. A checker of types finds all, so that a
    /// tree may have errors of its own: packages that are not installed.
    pub fn stops_early(self) -> bool {
        !matches!(self, Compiler::TypeScript | Compiler::Python)
    }

    /// The errors of a tree, in the order in which they are printed.
    pub fn errors(self, root: &Path) -> anyhow::Result<Vec<CompilerError>> {
        match self {
            Compiler::Go => go(root),
            Compiler::Java(module) => java(root, module),
            Compiler::Rust => rust(root),
            Compiler::TypeScript => typescript(root),
            Compiler::Python => python(root),
        }
    }
}

impl CompilerError {
    /// Whether it is of a kind that a change check reports: names, members, arguments,
    /// implementations, duplicates; not types of values.
    pub fn is_of_known_kind(&self) -> bool {
        const KINDS: &[&str] = &[
            "undefined:",
            "undefined (type",
            "has no field or method",
            "not enough arguments in call",
            "too many arguments in call",
            "redeclared in this block",
            "already declared",
            "missing method",
            "wrong type for method",
            "import cycle",
            "could not import",
            "is not in std",
            "no required module provides",
            "cannot find symbol",
            "does not exist",
            "cannot be applied to given types",
            "is not abstract and does not override",
            "does not override or implement",
            "has private access",
            "is not public in",
            "is already defined in",
            "non-static method",
            "no suitable",
            // rustc
            "cannot find",
            "unresolved import",
            "could not find",
            "failed to resolve",
            "no method named",
            "no field",
            "no function or associated item",
            "no variant",
            "this function takes",
            "this method takes",
            "this enum variant takes",
            "not all trait items implemented",
            "is not a member of trait",
            "is private",
            "defined multiple times",
            // tsc
            "Cannot find name",
            "Cannot find module",
            "has no exported member",
            "does not exist on type",
            "but it is not exported",
            "arguments, but got",
            "incorrectly implements",
            "does not implement inherited abstract",
            "Duplicate identifier",
            "Duplicate function",
            // basedpyright
            "is not defined",
            "is unknown import symbol",
            "could not be resolved",
            "Cannot access attribute",
            "No parameter named",
            "missing for parameter",
            "positional argument",
        ];
        KINDS.iter().any(|kind| self.text.contains(kind))
    }
}

/// A directory that holds one tree after another, so that compilers need to look only at what
/// differs.
pub struct CompiledTree {
    pub root: PathBuf,
    written: BTreeSet<String>,
}

impl CompiledTree {
    /// Beside a file of results; what a run before left there is taken over.
    pub fn beside(results: &Path) -> anyhow::Result<CompiledTree> {
        let mut root = results.as_os_str().to_owned();
        root.push(".tree");
        let root = PathBuf::from(root);
        std::fs::create_dir_all(&root)?;
        let root = std::path::absolute(root)?;
        let written = std::fs::read_to_string(root.join(LISTING)).unwrap_or_default();
        let written = written.lines().map(str::to_owned).collect();
        if let Ok(modules) = std::env::var("NODE_MODULES") {
            let link = root.join("node_modules");
            if !link.exists() {
                #[cfg(unix)]
                std::os::unix::fs::symlink(&modules, &link)?;
                #[cfg(not(unix))]
                bail!("link {modules} to {}", link.display());
            }
        }
        Ok(CompiledTree { root, written })
    }

    /// Makes the directory hold the indexed files of a snapshot: what a compiler reads is text.
    pub fn hold(&mut self, snapshot: &Snapshot) -> anyhow::Result<()> {
        let mut kept = BTreeSet::new();
        for (_, file) in snapshot.files() {
            let Some(text) = snapshot.corpus().text(file.content) else {
                continue;
            };
            let path = self.root.join(file.path.as_str());
            kept.insert(file.path.to_string());
            if std::fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
                continue;
            }
            if let Some(directory) = path.parent() {
                std::fs::create_dir_all(directory)?;
            }
            std::fs::write(path, text.as_bytes())?;
        }
        for gone in self.written.difference(&kept) {
            let _ = std::fs::remove_file(self.root.join(gone));
        }
        let listed: Vec<&str> = kept.iter().map(String::as_str).collect();
        std::fs::write(self.root.join(LISTING), listed.join("\n"))?;
        self.written = kept;
        Ok(())
    }
}

/// The files of a [`CompiledTree`], one a line.
const LISTING: &str = ".written-files";

/// The errors of a broken tree that the whole one does not have.
pub fn new_errors(whole: &[CompilerError], broken: Vec<CompilerError>) -> Vec<CompilerError> {
    let mut known: Vec<(&str, &str)> = whole
        .iter()
        .map(|error| (error.path.as_str(), error.text.as_str()))
        .collect();
    let mut new = broken;
    new.retain(|error| {
        let is_it = |other: &(&str, &str)| *other == (error.path.as_str(), error.text.as_str());
        match known.iter().position(is_it) {
            Some(i) => {
                known.swap_remove(i);
                false
            }
            None => true,
        }
    });
    new
}

fn rust(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    let output = Command::new("cargo")
        .args([
            "check",
            "-q",
            "--workspace",
            "--all-targets",
            "--keep-going",
            "--message-format=short",
        ])
        .current_dir(root)
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .output()
        .context("cargo cannot be run")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut errors: Vec<CompilerError> = text
        .lines()
        .filter_map(|line| error_of(line, "error", root))
        .collect();
    // Each target that holds a file tells of it.
    errors.sort_by(|a, b| (&a.path, a.line, &a.text).cmp(&(&b.path, b.line, &b.text)));
    errors.dedup();
    Ok(errors)
}

fn typescript(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    let program = std::env::var("TSC").unwrap_or_else(|_| "tsc".to_owned());
    let mut configuration = Vec::new();
    if let Ok(file) = std::env::var("TSCONFIG") {
        let name = "tsconfig.checked.json";
        std::fs::copy(&file, root.join(name)).with_context(|| format!("cannot read {file}"))?;
        configuration.extend(["-p", name]);
    }
    let output = Command::new(program)
        .args(["--noEmit", "--pretty", "false", "--incremental", "false"])
        .args(configuration)
        .current_dir(root)
        .output()
        .context("tsc cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = |line: &str| {
        let (place, text) = line.split_once(": error ")?;
        let (path, position) = place.strip_suffix(')')?.rsplit_once('(')?;
        Some(CompilerError {
            path: path.to_owned(),
            line: position.split(',').next()?.parse().ok()?,
            text: text.to_owned(),
        })
    };
    Ok(text.lines().filter_map(error).collect())
}

fn python(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    let program = std::env::var("BASEDPYRIGHT").unwrap_or_else(|_| "basedpyright".to_owned());
    let output = Command::new(program)
        .args(["--outputjson", "--level", "error"])
        .current_dir(root)
        .output()
        .context("basedpyright cannot be run")?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let found = answer["generalDiagnostics"].as_array();
    let error = |found: &serde_json::Value| {
        let path = Path::new(found["file"].as_str()?);
        Some(CompilerError {
            path: path.strip_prefix(root).ok()?.to_string_lossy().into_owned(),
            line: found["range"]["start"]["line"].as_u64()? as u32 + 1,
            text: found["message"].as_str()?.replace('\n', " "),
        })
    };
    Ok(found.into_iter().flatten().filter_map(error).collect())
}

fn go(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    let run = |arguments: &[&str]| {
        Command::new("go")
            .args(arguments)
            .current_dir(root)
            .env("GOFLAGS", "-mod=mod")
            .output()
    };
    // Tests are compiled and none is run.
    let built = run(&["build", "-gcflags=-e", "./..."])?;
    let tested = run(&["test", "-run=^$", "-vet=off", "-gcflags=-e", "./..."])?;
    let mut errors = Vec::new();
    for output in [built, tested] {
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8_lossy(&text).into_owned();
            errors.extend(text.lines().filter_map(|line| error_of(line, "", root)));
        }
    }
    errors.dedup();
    errors.sort_by(|a, b| (&a.path, a.line, &a.text).cmp(&(&b.path, b.line, &b.text)));
    errors.dedup();
    Ok(errors)
}

fn java(root: &Path, module: &str) -> anyhow::Result<Vec<CompilerError>> {
    let mut sources: Vec<PathBuf> = Vec::new();
    let start = root.join(module).join("src/main/java");
    if !start.is_dir() {
        bail!("there is no {}", start.display());
    }
    let mut open = vec![start];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            let is_source = path
                .extension()
                .is_some_and(|extension| extension == "java");
            if path.is_dir() {
                open.push(path);
            } else if is_source && !path.ends_with("module-info.java") {
                sources.push(path);
            }
        }
    }
    let out = tempfile::tempdir()?;
    let output = Command::new("javac")
        .args([
            "-proc:none",
            "-nowarn",
            "-Xmaxerrs",
            "1000",
            "-encoding",
            "UTF-8",
            "-d",
        ])
        .arg(out.path())
        .args(&sources)
        .current_dir(root)
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let mut errors: Vec<CompilerError> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(mut error) = error_of(line, "error: ", root) else {
            continue;
        };
        // The symbol that was not found is on a line below.
        let below = lines[i + 1..]
            .iter()
            .take_while(|line| line.starts_with(' '));
        for line in below.take(4) {
            error.text.push(' ');
            error.text.push_str(line.trim());
        }
        errors.push(error);
    }
    Ok(errors)
}

/// `path:line:column: text` or `path:line: mark text`.
fn error_of(line: &str, mark: &str, root: &Path) -> Option<CompilerError> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let (path, rest) = line.split_once(':')?;
    let (number, text) = rest.split_once(':')?;
    let number = number.parse().ok()?;
    let text = match text.split_once(':') {
        Some((column, text)) if column.parse::<u32>().is_ok() => text,
        _ => text,
    };
    let text = text.trim_start().strip_prefix(mark)?;
    let path = Path::new(path);
    let below = path.strip_prefix(root).unwrap_or(path);
    let below = below.to_string_lossy();
    let path = below.strip_prefix("./").unwrap_or(&below).to_owned();
    Some(CompilerError {
        path,
        line: number,
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_from_lines() {
        let go = error_of("./cart/cart.go:12:3: undefined: Total", "", Path::new("/r")).unwrap();
        assert_eq!((go.path.as_str(), go.line), ("cart/cart.go", 12));
        assert_eq!(go.text, "undefined: Total");
        assert!(go.is_of_known_kind());
        let java = "/r/src/main/java/A.java:7: error: cannot find symbol";
        let java = error_of(java, "error: ", Path::new("/r")).unwrap();
        assert_eq!((java.path.as_str(), java.line), ("src/main/java/A.java", 7));
        assert_eq!(error_of("# example.com/shop", "", Path::new("/r")), None);
        assert_eq!(
            error_of("a.go:1:2: warning", "error: ", Path::new("/r")),
            None
        );
    }
}
