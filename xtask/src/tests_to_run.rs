//! How well `codecompass tests` agrees with coverage: for functions drawn from a file that
//! `cargo xtask test-coverage` wrote, the tests that the engine lists beside those that execute it.
//!
//! Each function is one line in the file of results, appended when it is done. A later run goes on
//! after them.

use std::{
    collections::{BTreeMap, BTreeSet, hash_map::DefaultHasher},
    fs::{self, OpenOptions},
    hash::{Hash, Hasher},
    io::Write,
    path::Path,
};

use anyhow::Context;
use engine::{
    Analysis, Budget, Outcome, Resolver, SymbolId,
    query::{self, CodeUnit, ReachingTest, architecture},
};
use facts::SymbolIndex;
use serde_json::{Value, json};

use crate::checkout::indexed;

/// Functions of one repository.
const N_DRAWN: usize = 100;

/// What coverage tells of a repository.
pub struct TestCoverage {
    pub language: String,
    /// In an order that depends on their names alone.
    pub functions: Vec<Value>,
}

impl TestCoverage {
    pub fn read(truth: &Path) -> anyhow::Result<TestCoverage> {
        let text = fs::read_to_string(truth)
            .with_context(|| format!("{} cannot be read", truth.display()))?;
        let mut lines = text.lines();
        let meta: Value = serde_json::from_str(lines.next().unwrap_or_default())?;
        let mut functions: Vec<Value> =
            lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        // The same functions in every run, whatever their order in the file.
        functions.sort_by_key(|function| {
            let mut hasher = DefaultHasher::new();
            (text_of(function, "path"), text_of(function, "name")).hash(&mut hasher);
            hasher.finish()
        });
        Ok(TestCoverage {
            language: text_of(&meta["meta"], "language").to_owned(),
            functions,
        })
    }

    /// The tests that execute a function.
    pub fn executing(function: &Value) -> BTreeSet<&str> {
        let tests = function["tests"].as_array().into_iter().flatten();
        tests.filter_map(Value::as_str).collect()
    }

    /// The tests that execute anything.
    pub fn n_tests(&self) -> usize {
        let all: BTreeSet<&str> = self
            .functions
            .iter()
            .flat_map(TestCoverage::executing)
            .collect();
        all.len()
    }
}

pub fn run(truth: &Path, checkout: &Path, results: &Path) -> anyhow::Result<()> {
    let coverage = TestCoverage::read(truth)?;
    let mut rows = done(results)?;
    let mut out = OpenOptions::new().create(true).append(true).open(results)?;
    let workspace = indexed(checkout)?;
    let analysis = Analysis::new(workspace.live().snapshot.clone());
    for function in coverage.functions.iter().take(N_DRAWN) {
        let key = json!([function["path"], function["line"]]);
        if rows.iter().any(|row| row["function"] == key) {
            continue;
        }
        let budget = Budget::unlimited();
        let resolver = analysis.resolver(&budget);
        let wanted = TestCoverage::executing(function);
        let found = tests_of(&resolver, function, &coverage.language)?;
        let right = |certainty: &str| {
            let listed = found.iter().filter(|(_, of)| of.certainty == certainty);
            let n_right = listed
                .clone()
                .filter(|(test, _)| wanted.contains(test.as_str()));
            (listed.count(), n_right.count())
        };
        let (sure, likely, possible) = (right("sure"), right("likely"), right("possible"));
        let mut row = json!({
            "function": key,
            "name": function["name"],
            "wanted": wanted.len(),
            "found": sure.0 + likely.0 + possible.0,
            "right": sure.1 + likely.1 + possible.1,
            "sure": sure.0,
            "sure_right": sure.1,
            "likely": likely.0,
            "likely_right": likely.1,
        });
        if std::env::var_os("EACH_TEST").is_some() {
            let each = found.iter().map(|(test, of)| {
                let is_right = wanted.contains(test.as_str());
                json!([test, of.certainty, of.cost, of.n_steps, is_right])
            });
            row["tests"] = each.collect();
        }
        writeln!(out, "{row}")?;
        rows.push(row);
    }
    report(&rows);
    Ok(())
}

/// The results of earlier runs.
pub fn done(results: &Path) -> anyhow::Result<Vec<Value>> {
    let done = fs::read_to_string(results).unwrap_or_default();
    Ok(done
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?)
}

/// How a listed test reaches a function.
pub struct ListedTest {
    pub certainty: &'static str,
    /// In tenths of a call.
    pub cost: u32,
    pub n_steps: usize,
}

impl ListedTest {
    fn of(found: &ReachingTest) -> ListedTest {
        ListedTest {
            certainty: match found.outcome {
                Outcome::Static | Outcome::Dispatch => "sure",
                Outcome::Heuristic => "likely",
                Outcome::Ambiguous | Outcome::External | Outcome::Unresolved => "possible",
            },
            cost: found.cost,
            n_steps: found.path.len(),
        }
    }
}

/// The function that a row of coverage is about: its file and symbols.
pub fn symbols_of(resolver: &Resolver<'_>, function: &Value) -> anyhow::Result<Vec<SymbolId>> {
    let snapshot = resolver.snapshot();
    let path = text_of(function, "path");
    let file = snapshot
        .find(path)
        .with_context(|| format!("{path} is not in the checkout"))?;
    let facts = snapshot.corpus().facts(snapshot.file(file).content);
    let facts = facts.with_context(|| format!("{path} has no facts"))?;
    let line = function["line"].as_u64().unwrap_or(0) as u32;
    let of_line = |(_, symbol): &(SymbolIndex, &facts::Symbol)| {
        symbol.kind.is_callable() && facts.lines.line_number(symbol.name_span.start) == line
    };
    let symbols = facts.symbols_with_index().filter(of_line);
    Ok(symbols
        .map(|(index, _)| SymbolId::new(file, index))
        .collect())
}

/// The listed tests, named as the coverage names them; the surest and nearest way of each.
pub fn tests_of(
    resolver: &Resolver<'_>,
    function: &Value,
    language: &str,
) -> anyhow::Result<BTreeMap<String, ListedTest>> {
    let targets: Vec<CodeUnit> = symbols_of(resolver, function)?
        .into_iter()
        .map(CodeUnit::Symbol)
        .collect();
    let routes = || {
        let found = architecture::architecture(resolver).value;
        let facts = found.facts.into_iter();
        facts
            .filter_map(|fact| Some((fact.symbol?, fact.name)))
            .collect()
    };
    let mut listed = BTreeMap::new();
    for found in query::reaching_tests(resolver, &targets, &routes, query::TestBounds::ALL).value {
        if let Some(name) = test_name(resolver, found.test, language) {
            listed.entry(name).or_insert_with(|| ListedTest::of(&found));
        }
    }
    Ok(listed)
}

fn test_name(resolver: &Resolver<'_>, test: CodeUnit, language: &str) -> Option<String> {
    let path = resolver.snapshot().file(test.file()).path.as_str();
    if language == "javascript" {
        return Some(path.to_owned());
    }
    let symbol = test.symbol()?;
    let view = resolver.view(symbol.file)?;
    let chain = view.facts.container_chain(symbol.index);
    let names: Vec<&str> = chain.iter().map(|index| view.name_of(*index)).collect();
    Some(match language {
        "go" => match path.rsplit_once('/') {
            Some((directory, _)) => format!("{directory}/{}", names.last()?),
            None => (*names.last()?).to_owned(),
        },
        _ => format!("{path}::{}", names.join("::")),
    })
}

/// Over all pairs of function and test, and as the mean over functions.
fn report(rows: &[Value]) {
    let count = |key: &str| rows.iter().filter_map(|row| row[key].as_f64()).sum::<f64>();
    let mean = |right: &str, of: &str| {
        let ratio = |row: &Value| match row[of].as_f64() {
            Some(n) if n > 0.0 => row[right].as_f64().unwrap_or(0.0) / n,
            // Nothing listed is nothing wrong.
            _ => 1.0,
        };
        rows.iter().map(ratio).sum::<f64>() / rows.len().max(1) as f64
    };
    println!("functions {}", rows.len());
    for (what, right, of) in [
        ("recall", "right", "wanted"),
        ("precision", "right", "found"),
        ("recall of those that are sure", "sure_right", "wanted"),
        ("precision of those that are sure", "sure_right", "sure"),
    ] {
        println!(
            "{what} {:.3}, mean of functions {:.3}",
            count(right) / count(of).max(1.0),
            mean(right, of)
        );
    }
}

pub fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}
