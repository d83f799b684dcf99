//! Frameworks by example: the `*.md` beside each framework in `src/query/architecture/frameworks/`.
//!
//! A case is a heading, a block of files and a block of the facts expected of them. Look-alikes are
//! beside the real thing and must not be taken for it. `UPDATE_EXPECT=1 cargo test` rewrites the
//! expected blocks; the difference is reviewed.

use std::path::{Path, PathBuf};

use engine::{
    Analysis,
    query::architecture::{Subject, TableSource, architecture_of},
};

#[test]
fn frameworks_are_read_as_their_cases_say() {
    let mut failures = Vec::new();
    let (mut n_cases, mut n_look_alikes) = (0, 0);
    for file in files("md") {
        let text = std::fs::read_to_string(&file).unwrap();
        let (updated, differences) = check(&text);
        let name = file.file_name().unwrap().to_string_lossy();
        let named = differences.into_iter();
        failures.extend(named.map(|difference| format!("{name} {difference}")));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, updated).unwrap();
            failures.clear();
        }
        let titles: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert!(!titles.is_empty(), "{name} has no case");
        n_cases += titles.len();
        n_look_alikes += titles
            .iter()
            .filter(|title| title.starts_with("Look-alike"))
            .count();
    }
    assert!(n_cases >= 240, "{n_cases} cases");
    assert!(n_look_alikes >= 48, "{n_look_alikes} look-alikes");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn every_framework_has_an_example_beside_it() {
    for file in files("rs") {
        let directory = file.parent().unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy();
        let is_framework = stem != "unsupported" && directory.ends_with("frameworks");
        assert!(
            !is_framework || stem == "mod" || file.with_extension("md").exists(),
            "{} has no example",
            file.display()
        );
        let has_example = || files("md").iter().any(|md| md.starts_with(directory));
        assert!(has_example(), "{} has no example", directory.display());
    }
}

/// Names of frameworks beside those of the files in `frameworks/`.
const NAMES: &[&str] = &[
    "asp.net",
    "aspnetcore",
    "chi",
    "dapper",
    "devise",
    "django",
    "drizzle",
    "eloquent",
    "fastendpoints",
    "gin",
    "gorilla",
    "hibernate",
    "jpa",
    "knex",
    "next.js",
    "polly",
    "pydantic",
    "rails",
    "efcore",
    "razor",
    "sea_orm",
    "seaorm",
    "sqlx",
    "starlette",
    "viper",
];

#[test]
fn frameworks_are_named_in_their_own_files_only() {
    // Files that are named for what they read instead of a framework.
    let others = ["mod", "environment", "sql_files", "unsupported"];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let own = files("rs");
    let libraries = files_below(&source.join("query/effects/libraries"), "rs");
    let stems = own
        .iter()
        .filter(|file| {
            file.parent()
                .is_some_and(|parent| parent.ends_with("frameworks"))
        })
        .filter_map(|file| file.file_stem()?.to_str());
    let names: Vec<&str> = stems
        .filter(|stem| !others.contains(stem))
        .chain(NAMES.iter().copied())
        .collect();
    assert!(names.contains(&"express") && names.contains(&"rails"));
    for file in files_below(&source, "rs") {
        if own.contains(&file) || libraries.contains(&file) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for (i, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            let named = names.iter().find(|name| has_word(&line, name));
            assert_eq!(
                named,
                None,
                "{}:{}: only files in frameworks/ may name a framework; say it there, or without the name",
                file.display(),
                i + 1
            );
        }
    }
}

fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_letter) && !line[at + word.len()..].starts_with(is_letter)
    })
}

/// The files below `frameworks/` with an ending, sorted.
fn files(ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/query/architecture/frameworks");
    files_below(&root, ending)
}

fn files_below(root: &Path, ending: &str) -> Vec<PathBuf> {
    let (mut directories, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|own| own == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
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
        let subject = match &fact.subject {
            Subject::Route { method } => format!("route {method}"),
            Subject::Key { usage } => format!("config {usage}"),
            Subject::Table { source } => match source {
                TableSource::Annotation(name) => format!("db_table @{name}"),
                TableSource::Other(name) => format!("db_table {name}"),
            },
            Subject::Service {
                implementation,
                lifetime,
            } => format!("di_registration {implementation}|{lifetime}"),
            Subject::Middleware { position } => format!("middleware pos:{position}"),
            Subject::RetryPolicy { library } => format!("retry_policy {library}"),
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
        let line = format!(
            "{subject} {schema}{}  {}",
            fact.name,
            name.unwrap_or_default()
        );
        out.push_str(line.trim_end());
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
