//! Frameworks by example: `src/query/architecture/cases/*.md`, one file each.
//!
//! A case is a heading, a block of files and a block of what they offer. Look-alikes stand beside
//! the real thing and must not be taken for it. `UPDATE_EXPECT=1 cargo test` rewrites the expected
//! blocks; the difference is reviewed.

use std::path::{Path, PathBuf};

use engine::{
    Analysis,
    query::architecture::{ArchitectureKind, architecture_of},
};

/// So many cases speak for a framework.
const MIN_CASES: usize = 8;
const MIN_LOOK_ALIKES: usize = 2;

#[test]
fn frameworks_are_read_as_their_cases_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/query/architecture/cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut failures = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let (updated, differences) = check(&text);
        let name = file.file_name().unwrap().to_string_lossy();
        failures.extend(
            differences
                .into_iter()
                .map(|difference| format!("{name} {difference}")),
        );
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(file, updated).unwrap();
            failures.clear();
        }
        let titles: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert!(titles.len() >= MIN_CASES, "{name}: {} cases", titles.len());
        assert!(
            titles
                .iter()
                .filter(|title| title.starts_with("Look-alike"))
                .count()
                >= MIN_LOOK_ALIKES,
            "{name}: look-alikes"
        );
        let across = text
            .split("## ")
            .any(|case| case.matches("//- ").count() > 1);
        assert!(across, "{name}: no case across files");
    }
    assert!(files.len() >= 20, "{} case files", files.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// The file with what was found in place of what was expected, and the differences.
fn check(file: &str) -> (String, Vec<String>) {
    let (mut updated, mut differences) = (String::new(), Vec::new());
    let (mut title, mut files) = ("", String::new());
    let mut lines = file.split_inclusive('\n');
    while let Some(line) = lines.next() {
        updated.push_str(line);
        if let Some(heading) = line.strip_prefix("## ") {
            title = heading.trim();
        }
        let info = line.trim_end();
        if info != "```files" && info != "```facts" {
            continue;
        }
        let block: String = lines
            .by_ref()
            .take_while(|line| line.trim_end() != "```")
            .collect();
        if info == "```files" {
            files = block.clone();
            updated.push_str(&block);
        } else {
            let found = shown(&files);
            if found != block {
                differences.push(format!("## {title}\nexpected:\n{block}found:\n{found}"));
            }
            updated.push_str(&found);
        }
        updated.push_str("```\n");
    }
    (updated, differences)
}

fn shown(repository: &str) -> String {
    let snapshot = fixture::repository(repository).snapshot;
    let analysis = Analysis::new(snapshot.clone());
    let found = architecture_of(&analysis);
    let mut out = String::new();
    for fact in &found.facts {
        let kind = match fact.kind {
            ArchitectureKind::Route => "route",
            ArchitectureKind::Config => "config",
            ArchitectureKind::DbTable => "db_table",
            ArchitectureKind::DiRegistration => "di_registration",
            ArchitectureKind::Middleware => "middleware",
            ArchitectureKind::RetryPolicy => "retry_policy",
        };
        let name = fact.symbol.and_then(|symbol| {
            let facts = snapshot
                .corpus()
                .facts(snapshot.file(symbol.file).content)?;
            Some(facts.name(facts.symbol(symbol.index).name).to_owned())
        });
        let schema = fact
            .schema
            .as_ref()
            .map(|schema| format!("{schema}."))
            .unwrap_or_default();
        out.push_str(
            format!(
                "{kind} {} {schema}{}  {}",
                fact.detail,
                fact.value,
                name.unwrap_or_default()
            )
            .trim_end(),
        );
        out.push('\n');
    }
    let unread: usize = found
        .coverage
        .values()
        .map(|coverage| coverage.not_understood.len())
        .sum();
    if unread > 0 {
        out.push_str(&format!("not understood: {unread}\n"));
    }
    out
}
