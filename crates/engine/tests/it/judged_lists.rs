//! Scores `tests/judged/<language>.jsonl`: call sites and types of real repositories, drawn with a
//! fixed seed and judged by a compiler, a type checker, a run of the test suite or by reading,
//! before our answers were seen.
//!
//! The repositories are not part of this one: `JUDGED_CHECKOUTS` names a directory with
//! `<owner>__<name>` at the commits of the lists. `JUDGED_CHECKOUTS=… cargo test -p engine --test it
//! judged_lists -- --ignored --nocapture` prints the table, and every miss.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use engine::{Analysis, Budget, Outcome, Project, Resolver, Snapshot, SymbolId, query};
use serde_json::Value;

const LANGUAGES: &[&str] = &["javascript", "php", "kotlin", "ruby"];
const PRECISION: f64 = 0.90;
const RECALL: f64 = 0.75;

#[test]
#[ignore = "needs checkouts of the judged repositories in JUDGED_CHECKOUTS"]
fn answers_hold_against_the_judged_lists() {
    let checkouts = PathBuf::from(
        std::env::var("JUDGED_CHECKOUTS").expect("JUDGED_CHECKOUTS names a directory of checkouts"),
    );
    let only = std::env::var("JUDGED_LANGUAGE").ok();
    let mut below = String::new();
    for language in LANGUAGES
        .iter()
        .filter(|language| only.as_deref().is_none_or(|only| only == **language))
    {
        let list = List::read(language);
        let snapshot = list.snapshot(&checkouts);
        let (calls, types) = list.score(&snapshot);
        for (what, score) in [("calls", calls), ("types", types)] {
            println!("{language:<12}{what:<8}{score}");
            if score.precision() < PRECISION || score.recall() < RECALL {
                let _ = writeln!(below, "{language} {what}: {score}");
            }
        }
    }
    assert!(below.is_empty(), "below {PRECISION} / {RECALL}:\n{below}");
}

/// Every list says what it is about, and has the size that was drawn.
#[test]
fn lists_are_whole() {
    for language in LANGUAGES {
        let list = List::read(language);
        assert_eq!(
            list.head["commit"].as_str().map(str::len),
            Some(40),
            "{language}"
        );
        let n_of = |kind| {
            list.items
                .iter()
                .filter(|item| item["kind"] == kind)
                .count()
        };
        assert_eq!((n_of("call"), n_of("type")), (60, 20), "{language}");
        for item in &list.items {
            assert!(
                item["why"]
                    .as_str()
                    .is_some_and(|why| !why.is_empty() && why != "?"),
                "{language}: {item}"
            );
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Score {
    right: usize,
    answered: usize,
    found: usize,
    expected: usize,
}

impl Score {
    fn precision(self) -> f64 {
        if self.answered == 0 {
            1.0
        } else {
            self.right as f64 / self.answered as f64
        }
    }

    fn recall(self) -> f64 {
        if self.expected == 0 {
            1.0
        } else {
            self.found as f64 / self.expected as f64
        }
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Score {
            right,
            answered,
            found,
            expected,
        } = self;
        write!(
            f,
            "{:.2} ({right}/{answered})  {:.2} ({found}/{expected})",
            self.precision(),
            self.recall()
        )
    }
}

struct List {
    head: Value,
    items: Vec<Value>,
}

impl List {
    fn read(language: &str) -> List {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../tests/judged/{language}.jsonl"));
        let text = fs::read_to_string(&path).expect("a judged list");
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("one JSON object per line"));
        let head = lines.next().expect("a first line");
        List {
            head,
            items: lines.collect(),
        }
    }

    fn snapshot(&self, checkouts: &Path) -> std::sync::Arc<Snapshot> {
        let repository = self.head["repository"].as_str().unwrap_or_default();
        let root = checkouts.join(repository.replace('/', "__"));
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .arg("-C")
                .arg(&root)
                .args(arguments)
                .output()
                .expect("git");
            assert!(
                output.status.success(),
                "git {arguments:?} in {}",
                root.display()
            );
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        assert_eq!(
            git(&["rev-parse", "HEAD"]).trim(),
            self.head["commit"].as_str().unwrap_or_default(),
            "{repository} at another commit"
        );
        let files: Vec<(String, String)> = git(&["ls-files"])
            .lines()
            .filter_map(|path| Some((path.to_owned(), fs::read_to_string(root.join(path)).ok()?)))
            .filter(|(_, text)| text.len() < 1_000_000)
            .collect();
        fixture::snapshot(files, project(&root))
    }

    fn score(&self, snapshot: &std::sync::Arc<Snapshot>) -> (Score, Score) {
        let analysis = Analysis::new(snapshot.clone());
        let budget = Budget::unlimited();
        let resolver = analysis.resolver(&budget);
        let (mut calls, mut types) = (Score::default(), Score::default());
        for item in &self.items {
            match item["kind"].as_str() {
                Some("call") => self.score_call(&resolver, item, &mut calls),
                _ => self.score_type(&resolver, item, &mut types),
            }
        }
        (calls, types)
    }

    /// One question, one answer or none: a site counts as found when what was judged is among what
    /// we answer.
    fn score_call(&self, resolver: &Resolver<'_>, item: &Value, score: &mut Score) {
        let Some(definition) = offset_of(resolver.snapshot(), item)
            .and_then(|(file, at)| query::definition_at(resolver, file, at))
        else {
            score.expected += usize::from(!list(item, "expect").is_empty());
            return self.show(item, "nothing stands there", &BTreeSet::new());
        };
        let chosen = matches!(
            definition.resolution.outcome,
            Outcome::Static | Outcome::Dispatch | Outcome::Heuristic
        );
        let answers: BTreeSet<String> = if chosen {
            self.places(resolver, definition.resolution.symbols())
        } else {
            BTreeSet::new()
        };
        let (expected, accepted) = (list(item, "expect"), list(item, "accept"));
        let right = answers.intersection(&expected).count();
        let wrong = answers
            .iter()
            .filter(|answer| !expected.contains(*answer) && !accepted.contains(*answer))
            .count();
        score.right += right;
        score.answered += right + wrong;
        score.expected += usize::from(!expected.is_empty());
        score.found += usize::from(
            right > 0
                || !expected.is_empty() && answers.iter().any(|answer| accepted.contains(answer)),
        );
        if wrong > 0 || right == 0 && !expected.is_empty() {
            let how = format!(
                "{} by {}",
                definition.resolution.outcome.as_str(),
                definition.resolution.rule.as_str()
            );
            self.show(item, &how, &answers);
        }
    }

    fn score_type(&self, resolver: &Resolver<'_>, item: &Value, score: &mut Score) {
        let (supers, derived, accepted) = (
            list(item, "supers"),
            list(item, "derived"),
            list(item, "accept"),
        );
        score.expected += supers.len() + derived.len();
        let symbol = offset_of(resolver.snapshot(), item)
            .and_then(|(file, at)| query::definition_at(resolver, file, at))
            .and_then(|definition| definition.resolution.symbols().next());
        let Some(symbol) = symbol else {
            return self.show(item, "no type there", &BTreeSet::new());
        };
        let found = query::hierarchy(resolver, symbol).value;
        let related = |related: &query::Related| match related {
            query::Related::Symbol(symbol) => Some(*symbol),
            query::Related::Library(_) => None,
        };
        let our_supers = self.places(
            resolver,
            found
                .bases
                .iter()
                .chain(&found.interfaces)
                .filter_map(related),
        );
        let our_derived = self.places(resolver, found.derived.iter().copied());
        for (ours, expected) in [(our_supers, supers), (our_derived, derived)] {
            let right = ours.intersection(&expected).count();
            let wrong = ours
                .iter()
                .filter(|answer| !expected.contains(*answer) && !accepted.contains(*answer))
                .count();
            score.right += right;
            score.answered += right + wrong;
            score.found += right;
            if wrong > 0 || right < expected.len() {
                self.show(item, &format!("expected {expected:?}"), &ours);
            }
        }
    }

    fn places(
        &self,
        resolver: &Resolver<'_>,
        symbols: impl Iterator<Item = SymbolId>,
    ) -> BTreeSet<String> {
        symbols
            .filter_map(|symbol| place(resolver, symbol))
            .collect()
    }

    fn show(&self, item: &Value, how: &str, answers: &BTreeSet<String>) {
        let at = format!(
            "{}:{}:{}",
            item["path"].as_str().unwrap_or_default(),
            item["line"],
            item["column"]
        );
        println!(
            "  {at} {} expected {} {}: {answers:?}",
            item["name"], item["expect"], how
        );
    }
}

/// `path:line` of a symbol's name: lists from several judges differ in what they take for the
/// column.
fn place(resolver: &Resolver<'_>, symbol: SymbolId) -> Option<String> {
    let view = resolver.view(symbol.file)?;
    let line = view
        .facts
        .lines
        .line_number(view.symbol(symbol.index).name_span.start);
    Some(format!(
        "{}:{line}",
        resolver.snapshot().file(symbol.file).path
    ))
}

fn list(item: &Value, key: &str) -> BTreeSet<String> {
    let places = item[key]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    places
        .map(|place| place.splitn(3, ':').take(2).collect::<Vec<_>>().join(":"))
        .collect()
}

/// Columns are 1-based and count characters as the judges do; sites come after ASCII on their
/// line.
fn offset_of(snapshot: &Snapshot, item: &Value) -> Option<(engine::FileId, u32)> {
    let file = snapshot.find(item["path"].as_str()?)?;
    let text = snapshot.corpus().text(snapshot.file(file).content)?;
    let (line, column) = (
        item["line"].as_u64()? as usize,
        item["column"].as_u64()? as usize,
    );
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    Some((file, (start + column - 1) as u32))
}

/// What the manifest of a script package says: a file of the package may import it by name.
fn project(root: &Path) -> Project {
    let manifest = fs::read_to_string(root.join("package.json"))
        .ok()
        .and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let package = manifest.and_then(|manifest| {
        let (name, main) = (
            manifest["name"].as_str()?.to_owned(),
            manifest["main"].as_str()?.to_owned(),
        );
        Some(engine::Package {
            name,
            exports: vec![(".".to_owned(), main)],
            ..engine::Package::default()
        })
    });
    Project {
        packages: package.into_iter().collect(),
        ..Project::default()
    }
}
