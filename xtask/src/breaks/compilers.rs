//! Compilers whose errors are the truth about a broken tree.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::bail;
use engine::Snapshot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    Go,
    /// `javac` over the sources of one module, with the jars of `CLASSPATH`; the directory of the
    /// module, or nothing for the root.
    Java(&'static str),
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
        }
    }

    /// The errors of a tree, in the order in which they are printed.
    pub fn errors(self, root: &Path) -> anyhow::Result<Vec<CompilerError>> {
        match self {
            Compiler::Go => go(root),
            Compiler::Java(module) => java(root, module),
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
        ];
        KINDS.iter().any(|kind| self.text.contains(kind))
    }
}

/// Writes the indexed files of a snapshot into an empty directory: what a compiler reads is text.
pub fn write_tree(snapshot: &Snapshot, into: &Path) -> anyhow::Result<()> {
    for (_, file) in snapshot.files() {
        let Some(text) = snapshot.corpus().text(file.content) else {
            continue;
        };
        let path = into.join(file.path.as_str());
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        std::fs::write(path, text.as_bytes())?;
    }
    Ok(())
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
