//! How far `codecompass dead` can be trusted, on clones of real repositories.
//!
//! `dead-code` deletes everything that is *proven* and runs the repository's own build and tests:
//! nothing may fail. `seeded-dead` adds copies of functions under names that nothing uses and counts
//! how many of them are found. Each run appends one line of JSON to the file of results.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail};
use engine::query::search::{is_test_or_docs, is_vendored_or_generated};
use facts::{Modifiers, SymbolKind};
use serde_json::{Value, json};

use crate::checkout::{commit_of, indexed};

/// Deletes what is proven to be dead in a clone, and runs `check` there.
pub fn delete(checkout: &Path, check: &str, results: &Path) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let clone = clone(checkout, directory.path())?;
    let proven = dead(&clone)?;
    let proven = proven["proven"].as_array().cloned().unwrap_or_default();
    let mut files: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for row in &proven {
        let line = |key: &str| row[key].as_u64().unwrap_or(0) as usize;
        let path = row["path"].as_str().unwrap_or_default();
        let lines = (line("first_line"), line("last_line"));
        files.entry(path).or_default().push(lines);
        println!("{path}:{}-{} {}", lines.0, lines.1, row["qualified_name"]);
    }
    for (path, ranges) in files {
        let path = clone.join(path);
        let text = fs::read_to_string(&path)?;
        let is_kept = |i: &usize| {
            !ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(i))
        };
        let lines = text.split_inclusive('\n').enumerate();
        let kept = lines
            .filter(|(i, _)| is_kept(&(i + 1)))
            .map(|(_, line)| line);
        fs::write(&path, kept.collect::<String>())?;
    }
    let run = Command::new("sh")
        .args(["-c", check])
        .current_dir(&clone)
        .output()?;
    let passed = run.status.success();
    let row = json!({
        "repository": checkout.file_name().map(|name| name.to_string_lossy()),
        "commit": commit_of(checkout)?,
        "proven": proven.len(),
        "check": check,
        "passed": passed,
    });
    writeln!(
        OpenOptions::new().create(true).append(true).open(results)?,
        "{row}"
    )?;
    println!("{row}");
    if !passed {
        let tail = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(40)..].join("\n")
        };
        bail!("{}\n{}", tail(&run.stdout), tail(&run.stderr));
    }
    Ok(())
}

/// Adds dead functions to a clone and counts those that are found.
pub fn seed(checkout: &Path, n: usize, results: &Path) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let clone = clone(checkout, directory.path())?;
    let seeded = add_dead_functions(&clone, n)?;
    let answer = dead(&clone)?;
    let named = |key: &str, name: &str| {
        let rows = answer[key].as_array().into_iter().flatten();
        rows.clone().find(|row| row["name"] == name).cloned()
    };
    let mut n_proven = 0;
    for (name, path) in &seeded {
        match (named("proven", name), named("open", name)) {
            (Some(_), _) => n_proven += 1,
            (None, Some(open)) => println!("{path} {name}: open, {}", open["why"]),
            (None, None) => println!("{path} {name}: not listed"),
        }
    }
    let row = json!({
        "repository": checkout.file_name().map(|name| name.to_string_lossy()),
        "commit": commit_of(checkout)?,
        "seeded": seeded.len(),
        "proven": n_proven,
    });
    writeln!(
        OpenOptions::new().create(true).append(true).open(results)?,
        "{row}"
    )?;
    println!("{row}");
    Ok(())
}

fn clone(checkout: &Path, into: &Path) -> anyhow::Result<PathBuf> {
    let clone = into.join(checkout.file_name().context("the checkout has no name")?);
    let status = Command::new("git")
        .args(["clone", "-q", "--shared"])
        .args([checkout, &clone])
        .status()?;
    match status.success() {
        true => Ok(clone),
        false => bail!("{} cannot be cloned", checkout.display()),
    }
}

/// What `codecompass dead --json` says; `CODECOMPASS` names the binary.
fn dead(clone: &Path) -> anyhow::Result<Value> {
    let binary = std::env::var("CODECOMPASS").unwrap_or_else(|_| "codecompass".to_owned());
    let home = tempfile::tempdir()?;
    let output = Command::new(&binary)
        .args(["dead", "--json", "--path"])
        .arg(clone)
        .env("CODECOMPASS_HOME", home.path())
        .output()
        .with_context(|| format!("{binary} cannot be run"))?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Copies functions and methods under fresh names, as private as their language allows. Gives each
/// name with its path.
fn add_dead_functions(clone: &Path, n: usize) -> anyhow::Result<Vec<(String, String)>> {
    let workspace = indexed(clone)?;
    let snapshot = workspace.live().snapshot.clone();
    let mut drawn: Vec<(u64, String, facts::Symbol, String)> = Vec::new();
    for (_, file) in snapshot.files() {
        let path = file.path.as_str();
        let Some(facts) = snapshot.corpus().facts(file.content) else {
            continue;
        };
        if is_test_or_docs(path) || is_vendored_or_generated(path) || !facts.problems.is_empty() {
            continue;
        }
        for symbol in facts.symbols.iter() {
            let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
            let unfit = Modifiers::LOCAL
                | Modifiers::PROTOTYPE
                | Modifiers::ABSTRACT
                | Modifiers::GETTER
                | Modifiers::SETTER
                | Modifiers::OVERRIDE;
            let parent = symbol.parent.map(|parent| facts.symbol(parent));
            let in_contract = parent.is_some_and(|parent| {
                matches!(parent.kind, SymbolKind::Interface | SymbolKind::Trait)
                    || parent.kind == SymbolKind::Impl && !facts.supertypes.is_empty()
            });
            let name = facts.name(symbol.name).to_owned();
            let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric());
            if is_function && is_plain && !in_contract && symbol.modifiers.0 & unfit.0 == 0 {
                let mut hasher = DefaultHasher::new();
                (path, symbol.span.start).hash(&mut hasher);
                drawn.push((hasher.finish(), path.to_owned(), symbol.clone(), name));
            }
        }
    }
    drawn.sort_by_key(|(hash, ..)| *hash);
    drawn.truncate(n);
    // From the end of each file, so that the places before keep theirs.
    drawn.sort_by_key(|(_, path, symbol, _)| (path.clone(), std::cmp::Reverse(symbol.span.start)));
    let mut seeded = Vec::new();
    for (i, (_, path, symbol, name)) in drawn.into_iter().enumerate() {
        let full = clone.join(&path);
        let text = fs::read_to_string(&full)?;
        let (start, end) = (symbol.signature.start as usize, symbol.span.end as usize);
        let name_at = symbol.name_span.start as usize - start;
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &text[line_start..start];
        if !indent.trim().is_empty() {
            continue;
        }
        let fresh = fresh_name(&path, i);
        let copy = &text[start..end];
        let copy = format!(
            "{}{fresh}{}",
            &copy[..name_at],
            &copy[name_at + name.len()..]
        );
        let copy = hidden(&path, &copy, !indent.is_empty());
        let rest_of_line = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        let (before, after) = text.split_at(rest_of_line);
        fs::write(&full, format!("{before}\n{indent}{copy}\n{after}"))?;
        seeded.push((fresh, path));
    }
    Ok(seeded)
}

fn fresh_name(path: &str, i: usize) -> String {
    match path.ends_with(".py") {
        true => format!("_quiet_heron_{i}"),
        false => format!("quietHeron{i}"),
    }
}

/// A function without what lets others see it.
fn hidden(path: &str, text: &str, is_member: bool) -> String {
    let mut text = text.to_owned();
    for word in [
        "export default ",
        "export ",
        "pub(crate) ",
        "pub ",
        "public ",
        "protected ",
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            text = rest.to_owned();
        }
    }
    let is_marked = [".java", ".cs", ".kt"]
        .iter()
        .any(|end| path.ends_with(end));
    match is_marked && is_member && !text.starts_with("private ") {
        true => format!("private {text}"),
        false => text,
    }
}
