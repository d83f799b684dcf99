//! Compilers whose errors are the truth about a broken tree.

use std::{
    collections::{BTreeMap, hash_map::DefaultHasher},
    fs::OpenOptions,
    hash::{Hash as _, Hasher as _},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use workspace::FileEdit;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compiler {
    Go,
    /// `javac` over the sources and tests of one module, with the jars of `CLASSPATH`; the directory of the
    /// module, or nothing for the root.
    Java(&'static str),
    /// `cargo check` of all targets.
    Rust,
    /// `tsc`, or the program that `TSC` names, with the packages of the directory `NODE_MODULES` and the
    /// configuration `TSCONFIG` instead of the tree's own, where these are set; `SOURCES` are the
    /// directories that the configuration includes, with commas between them.
    TypeScript,
    /// `basedpyright`, or the program that `BASEDPYRIGHT` names, with the packages of the interpreter that
    /// `PYTHON` names.
    Python,
    /// The tests of a Python repository, run by the interpreter that `PYTHON` names: what nobody
    /// compiles fails when it is run.
    Pytest,
    /// The tests of a JavaScript repository, run by `TESTS` (`npm test`).
    NodeTests,
    /// The tests of a Ruby repository, run by `TESTS` (`rake test`).
    RubyTests,
}

/// An error at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
            "pytest" => Some(Compiler::Pytest),
            "node-tests" => Some(Compiler::NodeTests),
            "ruby-tests" => Some(Compiler::RubyTests),
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
                    let is_source =
                        below.starts_with("src/main/java/") || below.starts_with("src/test/java/");
                    is_source && below.ends_with(".java")
                })
            }
            Compiler::Rust => path.ends_with(".rs"),
            Compiler::TypeScript => {
                let is_source = path.ends_with(".ts") || path.ends_with(".tsx");
                is_source
                    && std::env::var("SOURCES").map_or(true, |sources| {
                        let first = path.split('/').next();
                        sources.split(',').any(|source| Some(source) == first)
                    })
            }
            Compiler::Python | Compiler::Pytest => path.ends_with(".py"),
            Compiler::NodeTests => {
                let endings = [".js", ".mjs", ".cjs"];
                endings.iter().any(|ending| path.ends_with(ending))
            }
            Compiler::RubyTests => path.ends_with(".rb"),
        }
    }

    /// Whether errors keep the compiler from finding others.
    pub fn stops_early(self) -> bool {
        use Compiler::{Go, NodeTests, Pytest, RubyTests, Rust};
        matches!(self, Go | Rust | Pytest | NodeTests | RubyTests)
    }

    /// Whether a tree that has errors of its own tells nothing. A checker of types finds all, so that
    /// packages may be missing; tests fail one by one.
    pub fn needs_clean_tree(self) -> bool {
        matches!(self, Compiler::Go | Compiler::Rust)
    }

    /// The errors of a tree, in the order in which they are printed.
    fn errors(self, root: &Path) -> anyhow::Result<Vec<CompilerError>> {
        match self {
            Compiler::Go => go(root),
            Compiler::Java(module) => java(root, module),
            Compiler::Rust => rust(root),
            Compiler::TypeScript => typescript(root),
            Compiler::Python => python(root),
            Compiler::Pytest => pytest(root),
            Compiler::NodeTests => own_tests(root, "npm test", v8_frame),
            Compiler::RubyTests => own_tests(root, "rake test", ruby_frame),
        }
    }
}

impl CompilerError {
    /// The member that a value is said not to have.
    pub fn member(&self) -> Option<&str> {
        const BEFORE: &[&str] = &[
            "no field or method ",
            "Property '",
            "no method named `",
            "no field `",
            "Cannot access attribute \"",
        ];
        let after = |mark: &&str| Some(self.text.split_once(*mark)?.1);
        let rest = BEFORE.iter().find_map(after)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        rest.split(|c| !is_word(c)).next()
    }

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
            // python
            "has no attribute",
            "cannot import name",
            "No module named",
            "unexpected keyword argument",
            "required keyword-only argument",
            // node
            "is not a function",
            "is not a constructor",
            "does not provide an export",
            // ruby
            "undefined method",
            "undefined local variable",
            "uninitialized constant",
            "wrong number of arguments",
            "cannot load such file",
            "missing keyword",
            "unknown keyword",
        ];
        KINDS.iter().any(|kind| self.text.contains(kind))
    }
}

/// A clone that holds one tree after another, so that compilers need to look only at what differs.
///
/// What a compiler said of a tree is kept in a file, so that a later run over the same trees, with other findings, asks none.
pub struct CompiledTree {
    root: PathBuf,
    told: BTreeMap<u64, Vec<CompilerError>>,
    told_file: PathBuf,
}

impl CompiledTree {
    /// Beside a file of results; what a run before left there is taken over.
    pub fn beside(repository: &Path, results: &Path) -> anyhow::Result<CompiledTree> {
        let beside = |ending: &str| {
            let mut path = results.as_os_str().to_owned();
            path.push(ending);
            std::path::absolute(PathBuf::from(path))
        };
        let root = beside(".tree")?;
        let told_file = beside(".told")?;
        let told = std::fs::read_to_string(&told_file).unwrap_or_default();
        let told = told
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        if !root.join(".git").exists() {
            let from = std::path::absolute(repository)?;
            let to = root.to_string_lossy();
            let from = from.to_string_lossy();
            super::git(
                Path::new("."),
                &["clone", "-q", "--shared", "--no-checkout", &from, &to],
            )?;
        }
        if let Ok(modules) = std::env::var("NODE_MODULES") {
            let link = root.join("node_modules");
            if !link.exists() {
                #[cfg(unix)]
                std::os::unix::fs::symlink(&modules, &link)?;
                #[cfg(not(unix))]
                bail!("link {modules} to {}", link.display());
            }
        }
        Ok(CompiledTree {
            root,
            told: told.collect(),
            told_file,
        })
    }

    /// What a compiler says of a commit with some files edited or removed.
    pub fn errors(
        &mut self,
        compiler: Compiler,
        commit: &str,
        edits: &[FileEdit],
    ) -> anyhow::Result<Vec<CompilerError>> {
        let mut hasher = DefaultHasher::new();
        (compiler, commit).hash(&mut hasher);
        for (path, text) in edits {
            (path.as_str(), text).hash(&mut hasher);
        }
        let key = hasher.finish();
        if let Some(errors) = self.told.get(&key) {
            return Ok(errors.clone());
        }
        self.hold(commit, edits)?;
        let errors = compiler.errors(&self.root)?;
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.told_file)?;
        writeln!(file, "{}", serde_json::to_string(&(key, &errors))?)?;
        self.told.insert(key, errors.clone());
        Ok(errors)
    }

    /// The path of the Go module that is compiled.
    pub fn go_module(&self) -> String {
        let text = std::fs::read_to_string(self.root.join("go.mod")).unwrap_or_default();
        let module = text.lines().find_map(|line| line.strip_prefix("module "));
        module.unwrap_or("no module").trim().to_owned()
    }

    /// Whether a file belongs to a module of Go below the one that is compiled.
    pub fn leaves_out(&self, path: &str) -> bool {
        let parents = Path::new(path).ancestors().skip(1);
        let mut below = parents.filter(|parent| !parent.as_os_str().is_empty());
        path.ends_with(".go") && below.any(|parent| self.root.join(parent).join("go.mod").exists())
    }

    /// Makes the clone hold a commit with some files edited or removed.
    fn hold(&mut self, commit: &str, edits: &[FileEdit]) -> anyhow::Result<()> {
        super::git(
            &self.root,
            &["checkout", "-q", "--force", "--detach", commit],
        )?;
        for (path, text) in edits {
            let path = self.root.join(path.as_str());
            match text {
                Some(text) => std::fs::write(path, text)?,
                None => std::fs::remove_file(path)?,
            }
        }
        Ok(())
    }
}

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
            // Benchmarks of older commits need another compiler.
            "--tests",
            "--bins",
            "--examples",
            "--keep-going",
            "--message-format=short",
        ])
        .current_dir(root)
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .env_remove("RUSTC_WRAPPER")
        // A newer compiler warns of more.
        .env("RUSTFLAGS", "--cap-lints=warn")
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
    told(errors, &output)
}

/// The errors of a run that says where they are.
fn told(errors: Vec<CompilerError>, output: &Output) -> anyhow::Result<Vec<CompilerError>> {
    if errors.is_empty() && !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = text.lines().take(5).collect::<Vec<_>>();
        bail!("the compiler fails without a place: {}", first.join(" "));
    }
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
    told(text.lines().filter_map(error).collect(), &output)
}

fn python(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    let program = std::env::var("BASEDPYRIGHT").unwrap_or_else(|_| "basedpyright".to_owned());
    // The tree's own configuration may leave out most of it.
    let own = root.join("pyrightconfig.json");
    std::fs::write(&own, r#"{ "typeCheckingMode": "standard" }"#)?;
    let interpreter = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(program)
        .args(["--outputjson", "--level", "error", "--pythonpath"])
        .arg(interpreter)
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

fn pytest(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    let interpreter = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(interpreter)
        .args([
            "-m",
            "pytest",
            "-q",
            "--tb=native",
            "-p",
            "no:cacheprovider",
        ])
        .current_dir(root)
        .env("PYTHONPATH", root.join("src"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .context("python cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(traceback_errors(&text, root))
}

/// The exceptions of tracebacks, each at the last line of the tree that it came through.
fn traceback_errors(text: &str, root: &Path) -> Vec<CompilerError> {
    let mut place: Option<(String, u32)> = None;
    let mut errors: Vec<CompilerError> = Vec::new();
    for line in text.lines() {
        // `  File "a.py", line 3, in f` of Python, `a.py:3: in f` of pytest.
        let python = line.trim_start().strip_prefix("File \"");
        let python = python.and_then(|rest| rest.split_once("\", line "));
        let pytest = line
            .split_once(".py:")
            .filter(|(_, rest)| rest.contains(": in "));
        let at = match (python, pytest) {
            (Some((path, rest)), _) => Some((path.to_owned(), rest)),
            (_, Some((stem, rest))) => Some((format!("{stem}.py"), rest)),
            _ => None,
        };
        if let Some((path, rest)) = at {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
            let number = digits.and_then(|digits| digits.parse().ok());
            let path = Path::new(&path);
            let below = path.strip_prefix(root).unwrap_or(path);
            if let Some(number) = number.filter(|_| below.is_relative()) {
                place = Some((below.to_string_lossy().into_owned(), number));
            }
            continue;
        }
        let raised = line.strip_prefix("E   ").unwrap_or(line);
        let is_error = raised
            .split_once(':')
            .is_some_and(|(name, _)| name.ends_with("Error") && !name.contains(' '));
        if let Some((path, line)) = place.clone().filter(|_| is_error) {
            let error = CompilerError {
                path,
                line,
                text: raised.to_owned(),
            };
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
    }
    errors
}

/// What the tests of a tree print, with the reader of the frames in their traces.
fn own_tests(
    root: &Path,
    usual: &str,
    frame: fn(&str) -> Option<(&str, u32)>,
) -> anyhow::Result<Vec<CompilerError>> {
    let command = std::env::var("TESTS").unwrap_or_else(|_| usual.to_owned());
    let output = Command::new("sh")
        .args(["-c", &format!("timeout 120 {command}")])
        .current_dir(root)
        .output()
        .context("sh cannot be run")?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(frame_errors(&text, root, frame))
}

/// The errors that traces begin with, each at the first frame of the tree. A call with too few arguments
/// is told where the method begins: the frame after it counts.
fn frame_errors(
    text: &str,
    root: &Path,
    frame: fn(&str) -> Option<(&str, u32)>,
) -> Vec<CompilerError> {
    let mut errors: Vec<CompilerError> = Vec::new();
    // The message, and how many frames of the tree come before its place.
    let mut raised: Option<(String, usize)> = None;
    let mut name: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some((path, line)) = frame(line) {
            let path = Path::new(path);
            let path = path.strip_prefix(root).unwrap_or(path);
            let is_own = path.is_relative() && !path.starts_with("node_modules");
            let Some((message, n_before)) = raised.take_if(|_| is_own) else {
                continue;
            };
            if n_before > 0 {
                raised = Some((message, n_before - 1));
                continue;
            }
            let path = path.strip_prefix(".").unwrap_or(path);
            let error = CompilerError {
                path: path.to_string_lossy().into_owned(),
                line,
                text: message,
            };
            if !errors.contains(&error) {
                errors.push(error);
            }
            continue;
        }
        // `NoMethodError:`, and the message in the next line.
        let whole = match name.take() {
            Some(name) => format!("{name} {line}"),
            None => line.to_owned(),
        };
        // What a test expects may be a message, too.
        let is_error = whole.split_once(": ").or(whole.split_once(':'));
        let is_error = is_error.is_some_and(|(word, message)| match word {
            "Error" => message.starts_with("Cannot find module"),
            _ => word.ends_with("Error") && !word.starts_with("Assertion") && !word.contains(' '),
        });
        if is_error && whole.ends_with(':') {
            name = Some(line);
        } else if is_error {
            let n_before = usize::from(whole.contains("wrong number of arguments"));
            raised = Some((whole, n_before));
        }
    }
    errors
}

/// `at Cart.total (lib/cart.js:3:9)`, `at file:///cart.js:3:9`.
fn v8_frame(line: &str) -> Option<(&str, u32)> {
    let frame = line.strip_prefix("at ")?;
    let place = match frame.rsplit_once('(') {
        Some((_, place)) => place.strip_suffix(')')?,
        None => frame.strip_prefix("async ").unwrap_or(frame),
    };
    let place = place.strip_prefix("file://").unwrap_or(place);
    let (place, _) = place.rsplit_once(':')?;
    let (path, line) = place.rsplit_once(':')?;
    // `node:internal/timers` is none of the tree.
    Some((path, line.parse().ok()?)).filter(|_| !path.contains(':'))
}

/// `lib/cart.rb:3:in `total'`, after `# ` where RSpec prints it.
fn ruby_frame(line: &str) -> Option<(&str, u32)> {
    let frame = line.strip_prefix("# ").unwrap_or(line);
    let (stem, rest) = frame.split_once(".rb:")?;
    let digits = rest.split(':').next()?;
    Some((frame.get(..stem.len() + 3)?, digits.parse().ok()?))
}

fn go(root: &Path) -> anyhow::Result<Vec<CompilerError>> {
    // Compiles packages and their tests, and links none of them.
    let output = Command::new("go")
        .args(["list", "-test", "-export", "-gcflags=-e", "-f="])
        .arg("./...")
        .current_dir(root)
        .env("GOFLAGS", "-mod=mod")
        .output()
        .context("go cannot be run")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut errors: Vec<CompilerError> = text
        .lines()
        .filter_map(|line| error_of(line, "", root))
        .collect();
    errors.sort_by(|a, b| (&a.path, a.line, &a.text).cmp(&(&b.path, b.line, &b.text)));
    errors.dedup();
    told(errors, &output)
}

fn java(root: &Path, module: &str) -> anyhow::Result<Vec<CompilerError>> {
    let mut sources: Vec<PathBuf> = Vec::new();
    let start = root.join(module).join("src/main/java");
    if !start.is_dir() {
        bail!("there is no {}", start.display());
    }
    let tests = root.join(module).join("src/test/java");
    let mut open = vec![start];
    open.extend(Some(tests).filter(|tests| tests.is_dir()));
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
            // It runs for a few seconds only, and what it would write is not wanted.
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-XDshould-stop.ifNoError=FLOW",
            "-proc:none",
            "-nowarn",
            "-Xmaxerrs",
            "10000",
            // Errors do not keep it from looking at the rest.
            "-XDshould-stop.ifError=FLOW",
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
    told(errors, &output)
}

/// `path:line:column: text` or `path:line: mark text`.
fn error_of(line: &str, mark: &str, root: &Path) -> Option<CompilerError> {
    let line = line
        .strip_prefix("go: can't load test package: ")
        .unwrap_or(line);
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
    fn errors_are_read_from_tracebacks() {
        let text = "\
Traceback (most recent call last):
  File \"/r/tests/test_cart.py\", line 9, in test_total
    cart.total(tax=1)
  File \"/r/src/cart.py\", line 4, in total
    return add(a, b)
  File \"/usr/lib/python3/functools.py\", line 80, in add
TypeError: add() missing 1 required positional argument: 'c'
ImportError while importing test module '/r/tests/test_item.py'.
tests/test_item.py:3: in <module>
    from cart import Item
E   ImportError: cannot import name 'Item' from 'cart'
";
        let found = traceback_errors(text, Path::new("/r"));
        let found: Vec<(&str, u32)> = found.iter().map(|of| (&*of.path, of.line)).collect();
        assert_eq!(found, [("src/cart.py", 4), ("tests/test_item.py", 3)]);
    }

    #[test]
    fn errors_are_read_from_what_node_and_ruby_print() {
        let places = |errors: &[CompilerError]| -> Vec<String> {
            let place = |of: &CompilerError| format!("{}:{} {}", of.path, of.line, of.text);
            errors.iter().map(place).collect()
        };
        let node = "\
  1) a cart
     TypeError: cart.total is not a function
      at Object.<anonymous> (node_modules/mocha/lib/run.js:8:1)
      at process.queue (node:internal/process:95:5)
      at Context.<anonymous> (test/cart.js:12:9)
      at /r/lib/cart.js:3:1
SyntaxError: The requested module './cart.js' does not provide an export named 'Item'
    at file:///r/lib/item.mjs:1:10
";
        assert_eq!(
            places(&frame_errors(node, Path::new("/r"), v8_frame)),
            [
                "test/cart.js:12 TypeError: cart.total is not a function",
                "lib/item.mjs:1 SyntaxError: The requested module './cart.js' does not provide an export named 'Item'",
            ]
        );
        let ruby = "\
NoMethodError: undefined method `total' for #<Cart>
    /usr/lib/ruby/set.rb:8:in `each'
    ./lib/shop.rb:5:in `sum'
     ArgumentError:
       wrong number of arguments (given 1, expected 0)
     # ./lib/cart.rb:2:in `total'
     # ./spec/cart_spec.rb:9:in `block'
";
        assert_eq!(
            places(&frame_errors(ruby, Path::new("/r"), ruby_frame)),
            [
                "lib/shop.rb:5 NoMethodError: undefined method `total' for #<Cart>",
                "spec/cart_spec.rb:9 ArgumentError: wrong number of arguments (given 1, expected 0)",
            ]
        );
    }

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
