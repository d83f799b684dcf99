//! Which test runs which function, as coverage tools measure it: the truth for `codecompass tests`.
//!
//! One line of JSON per function of the code under test: its place, and the tests that execute a
//! line of its body. Python: coverage.py with a context per test. Go: one run of the compiled test
//! binary per test. JavaScript: one run per test file, thus tests are files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::Path,
    process::Command,
};

use anyhow::{Context, bail};
use engine::{FileId, Snapshot, query::search::is_test_or_docs};
use facts::{Modifiers, SymbolIndex};
use serde_json::{Value, json};

use crate::checkout::{commit_of, indexed};

/// For each file, for each line that was executed: the tests that did.
type ExecutedLines = BTreeMap<String, BTreeMap<u32, BTreeSet<String>>>;

pub fn run(language: &str, checkout: &Path, out: &Path) -> anyhow::Result<()> {
    let executed = match language {
        "python" => python(checkout)?,
        "go" => go(checkout)?,
        "javascript" => javascript(checkout)?,
        other => bail!("coverage of `{other}` is not known; python, go or javascript"),
    };
    let workspace = indexed(checkout)?;
    let snapshot = workspace.live().snapshot.clone();
    let mut file = fs::File::create(out)?;
    let meta = json!({ "meta": {
        "language": language,
        "repository": checkout.file_name().map(|name| name.to_string_lossy()),
        "commit": commit_of(checkout)?,
    }});
    writeln!(file, "{meta}")?;
    let mut n_functions = 0;
    for (path, lines) in &executed {
        let Some(id) = snapshot.find(path).filter(|_| !is_test_or_docs(path)) else {
            continue;
        };
        // The line of a closing brace belongs to the statement around it.
        let n_closing = u32::from(language == "javascript");
        for (name, line, tests) in functions(&snapshot, id, lines, n_closing) {
            n_functions += 1;
            let row = json!({ "path": path, "line": line, "name": name, "tests": tests });
            writeln!(file, "{row}")?;
        }
    }
    println!("{n_functions} functions that tests execute");
    Ok(())
}

/// Name, line of the name and tests of each function that some test executes. The last `n_closing`
/// lines of a function say nothing of it.
fn functions(
    snapshot: &Snapshot,
    file: FileId,
    lines: &BTreeMap<u32, BTreeSet<String>>,
    n_closing: u32,
) -> Vec<(String, u32, BTreeSet<String>)> {
    let Some(facts) = snapshot.corpus().facts(snapshot.file(file).content) else {
        return Vec::new();
    };
    let line_of = |at: u32| facts.lines.line_number(at);
    let is_function = |symbol: &facts::Symbol| {
        symbol.kind.is_callable()
            && !symbol.modifiers.contains(Modifiers::LOCAL)
            && !symbol.modifiers.contains(Modifiers::PROTOTYPE)
    };
    let mut found = Vec::new();
    for (i, symbol) in facts.symbols.iter().enumerate() {
        if !is_function(symbol) {
            continue;
        }
        // The line of the signature runs when the function is defined.
        let first = line_of(symbol.signature.end.saturating_sub(1)) + 1;
        let last = line_of(symbol.span.end.saturating_sub(1)) - n_closing;
        let body = (first..=last).filter_map(|line| lines.get(&line));
        let tests: BTreeSet<String> = body.flatten().cloned().collect();
        if !tests.is_empty() {
            let chain = facts.container_chain(SymbolIndex(i as u32));
            let names = chain
                .iter()
                .map(|index| facts.name(facts.symbol(*index).name));
            let name = names.collect::<Vec<_>>().join(".");
            found.push((name, line_of(symbol.name_span.start), tests));
        }
    }
    found
}

/// Needs a Python with pytest, pytest-cov and the package itself; `PYTHON` names it.
fn python(checkout: &Path) -> anyhow::Result<ExecutedLines> {
    const DUMP: &str = r#"
import coverage, json, os
data = coverage.CoverageData()
data.read()
for file in sorted(data.measured_files()):
    lines = {}
    for line, contexts in data.contexts_by_lineno(file).items():
        lines[line] = sorted({c.split("|")[0].split("[")[0] for c in contexts if c})
    print(json.dumps({"path": os.path.relpath(file), "lines": lines}))
"#;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !checkout.join(".coverage").exists() {
        let pytest = [
            "-m",
            "pytest",
            "-q",
            "--cov",
            "--cov-context=test",
            "--cov-report=",
        ];
        let status = Command::new(&python)
            .args(pytest)
            .current_dir(checkout)
            .status()?;
        if !status.success() {
            bail!("pytest failed in {}", checkout.display());
        }
    }
    let dumped = Command::new(&python)
        .args(["-c", DUMP])
        .current_dir(checkout)
        .output()?;
    let mut executed = ExecutedLines::new();
    for line in String::from_utf8(dumped.stdout)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let path = row["path"].as_str().unwrap_or_default().to_owned();
        let lines = row["lines"].as_object().into_iter().flatten();
        for (number, tests) in lines {
            let tests = tests.as_array().into_iter().flatten();
            let tests = tests.filter_map(|test| Some(test.as_str()?.to_owned()));
            let of_file = executed.entry(path.clone()).or_default();
            of_file.entry(number.parse()?).or_default().extend(tests);
        }
    }
    Ok(executed)
}

fn go(checkout: &Path) -> anyhow::Result<ExecutedLines> {
    let directory = tempfile::tempdir()?;
    let module = output(
        Command::new("go")
            .args(["list", "-m"])
            .current_dir(checkout),
    )?;
    let packages = output(
        Command::new("go")
            .args(["list", "./..."])
            .current_dir(checkout),
    )?;
    let mut executed = ExecutedLines::new();
    for package in packages.lines() {
        let below = package.strip_prefix(module.trim()).unwrap_or(package);
        let below = below.trim_start_matches('/');
        let source = checkout.join(below);
        let binary = directory.path().join("package.test");
        let build = Command::new("go")
            .args(["test", "-c", "-cover", "-coverpkg=./...", "-o"])
            .arg(&binary)
            .arg(package)
            .current_dir(checkout)
            .status()?;
        if !build.success() || !binary.exists() {
            continue;
        }
        let listed = output(
            Command::new(&binary)
                .args(["-test.list", "."])
                .current_dir(&source),
        )?;
        // What runs before any test runs for all, and says nothing of any.
        let profile = directory.path().join("profile");
        let mut initial = BTreeSet::new();
        let run = Command::new(&binary)
            .arg("-test.run=^$")
            .arg(format!("-test.coverprofile={}", profile.display()))
            .current_dir(&source)
            .output()?;
        if run.status.success() {
            initial.extend(blocks(&fs::read_to_string(&profile)?, module.trim()));
        }
        let is_test = |name: &&str| name.starts_with("Test") || name.starts_with("Example");
        for test in listed.lines().filter(is_test) {
            let run = Command::new(&binary)
                .arg(format!("-test.run=^{test}$"))
                .arg(format!("-test.coverprofile={}", profile.display()))
                .current_dir(&source)
                .output()?;
            if !run.status.success() {
                continue;
            }
            let name = match below.is_empty() {
                true => test.to_owned(),
                false => format!("{below}/{test}"),
            };
            let executed_blocks = blocks(&fs::read_to_string(&profile)?, module.trim());
            let own = executed_blocks
                .into_iter()
                .filter(|block| !initial.contains(block));
            for (path, first, last) in own {
                let lines = executed.entry(path).or_default();
                for line in first..=last {
                    lines.entry(line).or_default().insert(name.clone());
                }
            }
        }
        fs::remove_file(&binary)?;
    }
    Ok(executed)
}

/// The executed blocks of a cover profile: path, first and last line.
fn blocks(profile: &str, module: &str) -> Vec<(String, u32, u32)> {
    let mut found = Vec::new();
    // example.com/shop/cart.go:12.34,15.2 3 1
    for line in profile.lines().skip(1) {
        let block = (|| {
            let (place, counts) = line.split_once(' ')?;
            let count = counts.split_once(' ')?.1;
            let (path, range) = place.rsplit_once(':')?;
            let (first, last) = range.split_once(',')?;
            let line_of = |place: &str| place.split('.').next()?.parse().ok();
            let path = path.strip_prefix(module)?.trim_start_matches('/');
            (count != "0").then_some((path.to_owned(), line_of(first)?, line_of(last)?))
        })();
        found.extend(block);
    }
    found
}

/// One run per test file. `COVERAGE` is the command, with `{file}` and `{reports}` in it, that leaves
/// a `coverage-final.json`.
fn javascript(checkout: &Path) -> anyhow::Result<ExecutedLines> {
    let command = std::env::var("COVERAGE").unwrap_or_else(|_| {
        "npx c8 --reporter=json --exclude-after-remap=false --reports-dir {reports} npx mocha --exit {file}"
            .to_owned()
    });
    let workspace = indexed(checkout)?;
    let snapshot = workspace.live().snapshot.clone();
    let mut executed = ExecutedLines::new();
    for (_, file) in snapshot.files() {
        let path = file.path.as_str();
        let is_script = [".js", ".mjs", ".cjs", ".ts"]
            .iter()
            .any(|end| path.ends_with(end));
        let name = file.path.file_name();
        let is_test = is_test_or_docs(path)
            && (name.contains(".test.") || name.contains(".spec.") || path.starts_with("test/"))
            && !path.contains("/support/")
            && !path.contains("/fixtures/");
        if !is_script || !is_test {
            continue;
        }
        let reports = tempfile::tempdir()?;
        let line = command
            .replace("{reports}", &reports.path().to_string_lossy())
            .replace("{file}", path);
        let run = Command::new("sh")
            .args(["-c", &line])
            .current_dir(checkout)
            .output()?;
        let report = reports.path().join("coverage-final.json");
        let Some(report) = fs::read_to_string(report)
            .ok()
            .filter(|_| run.status.success())
        else {
            eprintln!("{path}: {}", String::from_utf8_lossy(&run.stderr).trim());
            continue;
        };
        let report: Value = serde_json::from_str(&report)?;
        for (source, coverage) in report.as_object().into_iter().flatten() {
            let Ok(source) = Path::new(source).strip_prefix(dunce::canonicalize(checkout)?) else {
                continue;
            };
            let source = source.to_string_lossy().into_owned();
            let lines = executed.entry(source).or_default();
            for (id, place) in coverage["statementMap"].as_object().into_iter().flatten() {
                // A statement may hold functions that it only defines: its first line is its own.
                if coverage["s"][id].as_u64().unwrap_or(0) > 0 {
                    let first = place["start"]["line"].as_u64().unwrap_or(0) as u32;
                    lines.entry(first).or_default().insert(path.to_owned());
                }
            }
        }
    }
    Ok(executed)
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).context("the output is no text")
}
