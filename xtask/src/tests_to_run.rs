//! How well `codecompass tests` agrees with coverage: for functions drawn from a file that
//! `cargo xtask test-coverage` wrote, the tests that the engine lists beside those that execute it.
//!
//! Each function is one line in the file of results, appended when it is done. A later run goes on
//! after them.

use std::{
    collections::{BTreeSet, hash_map::DefaultHasher},
    fs::{self, OpenOptions},
    hash::{Hash, Hasher},
    io::Write,
    path::Path,
};

use anyhow::Context;
use engine::{
    Analysis, Budget, Resolver, SymbolId,
    query::{self, CodeUnit, architecture},
};
use serde_json::{Value, json};

use crate::checkout::indexed;

/// Functions of one repository.
const N_DRAWN: usize = 100;

pub fn run(truth: &Path, checkout: &Path, results: &Path) -> anyhow::Result<()> {
    let text =
        fs::read_to_string(truth).with_context(|| format!("{} cannot be read", truth.display()))?;
    let mut lines = text.lines();
    let meta: Value = serde_json::from_str(lines.next().unwrap_or_default())?;
    let language = meta["meta"]["language"].as_str().unwrap_or_default();
    let mut functions: Vec<Value> = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
    // The same functions in every run, whatever their order in the file.
    functions.sort_by_key(|function| {
        let mut hasher = DefaultHasher::new();
        (text_of(function, "path"), text_of(function, "name")).hash(&mut hasher);
        hasher.finish()
    });
    functions.truncate(N_DRAWN);
    let done = fs::read_to_string(results).unwrap_or_default();
    let mut rows: Vec<Value> = done
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut out = OpenOptions::new().create(true).append(true).open(results)?;
    let workspace = indexed(checkout)?;
    let analysis = Analysis::new(workspace.live().snapshot.clone());
    for function in &functions {
        let key = json!([function["path"], function["line"]]);
        if rows.iter().any(|row| row["function"] == key) {
            continue;
        }
        let budget = Budget::unlimited();
        let resolver = analysis.resolver(&budget);
        let wanted: BTreeSet<&str> = function["tests"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let found = tests_of(&resolver, function, language)?;
        let right = found
            .iter()
            .filter(|test| wanted.contains(test.as_str()))
            .count();
        let row = json!({
            "function": key,
            "name": function["name"],
            "wanted": wanted.len(),
            "found": found.len(),
            "right": right,
        });
        writeln!(out, "{row}")?;
        rows.push(row);
    }
    report(&rows);
    Ok(())
}

/// The listed tests, named as the coverage names them.
fn tests_of(
    resolver: &Resolver<'_>,
    function: &Value,
    language: &str,
) -> anyhow::Result<BTreeSet<String>> {
    let snapshot = resolver.snapshot();
    let path = text_of(function, "path");
    let file = snapshot
        .find(path)
        .with_context(|| format!("{path} is not in the checkout"))?;
    let facts = snapshot.corpus().facts(snapshot.file(file).content);
    let facts = facts.with_context(|| format!("{path} has no facts"))?;
    let line = function["line"].as_u64().unwrap_or(0) as u32;
    let symbols = facts.symbols_with_index().filter(|(_, symbol)| {
        symbol.kind.is_callable() && facts.lines.line_number(symbol.name_span.start) == line
    });
    let targets: Vec<CodeUnit> = symbols
        .map(|(index, _)| CodeUnit::Symbol(SymbolId::new(file, index)))
        .collect();
    let routes = || {
        let found = architecture::architecture(resolver).value;
        let facts = found.facts.into_iter();
        facts
            .filter_map(|fact| Some((fact.symbol?, fact.name)))
            .collect()
    };
    let found = query::reaching_tests(resolver, &targets, &routes).value;
    let names = found
        .iter()
        .filter_map(|found| test_name(resolver, found.test, language));
    Ok(names.collect())
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
    let (wanted, found, right) = (count("wanted"), count("found"), count("right"));
    let mean = |of: &str| {
        let ratio = |row: &Value| match row[of].as_f64() {
            Some(n) if n > 0.0 => row["right"].as_f64().unwrap_or(0.0) / n,
            // Nothing listed is nothing wrong.
            _ => 1.0,
        };
        rows.iter().map(ratio).sum::<f64>() / rows.len().max(1) as f64
    };
    println!("functions {}", rows.len());
    println!(
        "recall {:.3}, mean of functions {:.3}",
        right / wanted.max(1.0),
        mean("wanted")
    );
    println!(
        "precision {:.3}, mean of functions {:.3}",
        right / found.max(1.0),
        mean("found")
    );
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}
