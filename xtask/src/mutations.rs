//! Whether `codecompass tests` names the tests that fail: functions of a checkout are broken one at a
//! time, the tests that execute them run, and those that fail are looked for in the list.
//!
//! Functions and the tests that execute them come from a file that `cargo xtask test-coverage` wrote.
//! A mutation turns one operator or constant of the body round. One that no test notices, or that does not compile, does not
//! count. Each function is one line in the file of results, appended when it is done.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    process::Command,
};

use anyhow::{Context, bail};
use engine::{Analysis, Budget};
use serde_json::{Value, json};

use crate::{
    checkout::indexed,
    tests_to_run::{TestCoverage, done, symbols_of, tests_of, text_of},
};

/// What is written instead of what, most telling first.
const SWAPS: [(&str, &str); 14] = [
    (" == ", " != "),
    (" != ", " == "),
    (" === ", " !== "),
    (" !== ", " === "),
    (" is None", " is not None"),
    (" is not None", " is None"),
    (" && ", " || "),
    (" || ", " && "),
    (" and ", " or "),
    (" or ", " and "),
    ("true", "false"),
    ("True", "False"),
    (" < ", " >= "),
    (" + ", " - "),
];

pub fn run(truth: &Path, checkout: &Path, results: &Path, n_wanted: usize) -> anyhow::Result<()> {
    let coverage = TestCoverage::read(truth)?;
    let mut rows = done(results)?;
    let mut out = OpenOptions::new().create(true).append(true).open(results)?;
    let workspace = indexed(checkout)?;
    let analysis = Analysis::new(workspace.live().snapshot.clone());
    let n_suite = coverage.n_tests();
    for function in &coverage.functions {
        if rows.iter().filter(is_noticed).count() >= n_wanted {
            break;
        }
        let key = json!([function["path"], function["line"]]);
        if rows.iter().any(|row| row["function"] == key) {
            continue;
        }
        let budget = Budget::unlimited();
        let resolver = analysis.resolver(&budget);
        let path = text_of(function, "path");
        let text = fs::read_to_string(checkout.join(path))?;
        let symbol = symbols_of(&resolver, function)?;
        let body = symbol.first().and_then(|symbol| {
            let view = resolver.view(symbol.file)?;
            let symbol = view.symbol(symbol.index);
            Some((symbol.signature.end as usize, symbol.span.end as usize))
        });
        let Some((broken, swap)) = body.and_then(|body| mutated(&text, body)) else {
            continue;
        };
        let executing = TestCoverage::executing(function);
        fs::write(checkout.join(path), broken)?;
        let failing = failing(&coverage.language, checkout, &executing);
        fs::write(checkout.join(path), &text)?;
        let failing = failing?;
        let listed = tests_of(&resolver, function, &coverage.language)?;
        let selected = failing.iter().filter(|test| listed.contains_key(*test));
        let row = json!({
            "function": key,
            "name": function["name"],
            "swap": swap,
            "failing": failing.len(),
            "selected_failing": selected.count(),
            "selected": listed.len(),
            "suite": n_suite,
        });
        writeln!(out, "{row}")?;
        rows.push(row);
    }
    report(&rows);
    Ok(())
}

/// Whether some test failed.
fn is_noticed(row: &&Value) -> bool {
    row["failing"].as_u64().unwrap_or(0) > 0
}

/// The text with one operator or constant of a body turned round, and which.
fn mutated(text: &str, (start, end): (usize, usize)) -> Option<(String, &'static str)> {
    let body = text.get(start..end)?;
    SWAPS.iter().find_map(|(from, to)| {
        let at = start + body.find(from)?;
        let broken = [&text[..at], to, &text[at + from.len()..]].concat();
        Some((broken, from.trim()))
    })
}

/// Those of the tests that fail now. Nothing where the code does not compile.
fn failing(
    language: &str,
    checkout: &Path,
    tests: &BTreeSet<&str>,
) -> anyhow::Result<BTreeSet<String>> {
    match language {
        "python" => failing_python(checkout, tests),
        "go" => failing_go(checkout, tests),
        "javascript" => failing_files(checkout, tests),
        other => bail!("tests of `{other}` cannot be run"),
    }
}

/// What a shell command said on stdout; a command that hangs is ended.
fn said(line: &str, checkout: &Path) -> anyhow::Result<(String, bool)> {
    let output = Command::new("timeout")
        .args(["300", "sh", "-c", line])
        .current_dir(checkout)
        .output()
        .with_context(|| line.to_owned())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((text, output.status.success()))
}

/// `PYTHON` names the interpreter.
fn failing_python(checkout: &Path, tests: &BTreeSet<&str>) -> anyhow::Result<BTreeSet<String>> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let files: BTreeSet<&str> = tests
        .iter()
        .filter_map(|test| test.split("::").next())
        .collect();
    let files: Vec<&str> = files.into_iter().collect();
    let line = format!(
        "{python} -m pytest -q --tb=no -rfE -p no:cacheprovider {}",
        files.join(" ")
    );
    let (text, _) = said(&line, checkout)?;
    // FAILED tests/test_cart.py::test_total[1] - AssertionError
    let failed = text.lines().filter_map(|line| {
        let test = line
            .strip_prefix("FAILED ")
            .or(line.strip_prefix("ERROR "))?;
        let test = test.split(" - ").next()?.split('[').next()?;
        Some(test.trim().to_owned())
    });
    Ok(failed
        .filter(|test| tests.contains(test.as_str()))
        .collect())
}

fn failing_go(checkout: &Path, tests: &BTreeSet<&str>) -> anyhow::Result<BTreeSet<String>> {
    let mut failed = BTreeSet::new();
    let packages: BTreeSet<&str> = tests
        .iter()
        .map(|test| test.rsplit_once('/').map_or("", |(package, _)| package))
        .collect();
    for package in packages {
        let (text, _) = said(&format!("go test ./{package} 2>&1"), checkout)?;
        // --- FAIL: TestTotal (0.00s)
        let names = text.lines().filter_map(|line| {
            let name = line.strip_prefix("--- FAIL: ")?.split(' ').next()?;
            Some(match package {
                "" => name.to_owned(),
                package => format!("{package}/{name}"),
            })
        });
        failed.extend(names.filter(|test| tests.contains(test.as_str())));
    }
    Ok(failed)
}

/// Tests are files; `RUNNER` is the command to which one is added.
fn failing_files(checkout: &Path, tests: &BTreeSet<&str>) -> anyhow::Result<BTreeSet<String>> {
    let runner = std::env::var("RUNNER").unwrap_or_else(|_| "npx mocha --exit".to_owned());
    let mut failed = BTreeSet::new();
    for test in tests {
        let (_, passes) = said(&format!("{runner} {test}"), checkout)?;
        if !passes {
            failed.insert((*test).to_owned());
        }
    }
    Ok(failed)
}

fn report(rows: &[Value]) {
    let noticed: Vec<&Value> = rows.iter().filter(is_noticed).collect();
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(0.0);
    let n_some = noticed
        .iter()
        .filter(|row| number(row, "selected_failing") > 0.0)
        .count();
    let n_all = noticed
        .iter()
        .filter(|row| row["selected_failing"] == row["failing"])
        .count();
    let share: f64 = noticed
        .iter()
        .map(|row| number(row, "selected") / number(row, "suite").max(1.0))
        .sum();
    println!(
        "{} mutations that a test notices ({} that none does): a failing test is selected for {n_some}, all of them for {n_all}; share of the suite {:.2}",
        noticed.len(),
        rows.len() - noticed.len(),
        share / noticed.len().max(1) as f64
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operator_of_the_body_is_turned_round() {
        let text = "def a(x=1 == 1):\n    return x == 2 and x\n";
        let body = (text.find(':').unwrap(), text.len());
        let (broken, swap) = mutated(text, body).unwrap();
        assert_eq!(broken, "def a(x=1 == 1):\n    return x != 2 and x\n");
        assert_eq!(swap, "==");
        assert_eq!(mutated("def a():\n    pass\n", (8, 18)), None);
    }
}
