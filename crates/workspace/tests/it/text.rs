//! Full text: found at once, and scored by the snapshot alone.

use std::fmt::Write;

use crate::common::{Fixture, LONG, fresh, index};
use engine::{
    Budget, Unreadable,
    query::search::{self, Lexicon, PathWords, SearchQuestion, SearchSources, Spread, TextIndex},
};
use facts::{ContentNumber, N_FIELDS, RepoPath, TextMatches};
use workspace::{SnapshotView, Workspace, words};

/// The words of a view, as the engine asks for them.
struct Words<'a> {
    workspace: &'a Workspace,
    view: &'a SnapshotView,
}

impl TextIndex for Words<'_> {
    fn words(&self, text: &str, each: &mut dyn FnMut(&str)) {
        words(text, each);
    }

    fn statistics(&self) -> Result<(u64, [u64; N_FIELDS]), Unreadable> {
        let statistics = self.workspace.text().statistics(self.view).unwrap();
        Ok((statistics.n_documents, statistics.lengths))
    }

    fn matches(&self, words: &[&str]) -> Result<TextMatches, Unreadable> {
        Ok(self.workspace.text().matches(self.view, words).unwrap())
    }

    fn size(&self, content: ContentNumber) -> u32 {
        let facts = self.view.snapshot.corpus().facts(content).unwrap();
        facts.lines.text_len()
    }
}

/// Path, symbol and factors of the best hits, to the last bit, by the ranker that serves.
fn search(workspace: &Workspace, view: &SnapshotView, query: &str) -> String {
    let snapshot = &*view.snapshot;
    let text = Words { workspace, view };
    let found = search::search(
        &SearchSources {
            snapshot,
            lexicon: &Lexicon::from_facts(snapshot),
            paths: &PathWords::new(snapshot, &text),
            text: &text,
            budget: &Budget::unlimited(),
        },
        &SearchQuestion {
            text: query,
            languages: &[],
            repo_wide_terms: &[],
            limit: 20,
            spread: Spread::Files,
        },
    );
    assert_eq!(found.cut, None);
    let hits = found.value.hits;
    let mut text = String::new();
    for hit in hits {
        let file = view.snapshot.file(hit.file);
        let facts = view.snapshot.corpus().facts(file.content).unwrap();
        let symbol = hit
            .symbol
            .map_or("-", |symbol| facts.name(facts.symbol(symbol).name));
        writeln!(
            text,
            "{} {symbol} {:016x} {:?}",
            file.path,
            hit.factors.total().to_bits(),
            hit.factors
        )
        .unwrap();
    }
    text
}

fn found(workspace: &Workspace, view: &SnapshotView, query: &str) -> Vec<String> {
    let lines = search(workspace, view, query);
    lines
        .lines()
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect()
}

const SHOP: &str = "
class ShoppingCart:
    \"\"\"Holds the goods of a customer.\"\"\"
    def totalPrice(self):
        # adds up with discount
        return sum(self.items)
    def empty(self): ...

VAT_RATE = 19

def parse_config_file(path):
    raise ValueError('cannot read configuration')
";

#[test]
fn functions_types_and_the_rest_of_a_file_are_found() {
    let fixture = Fixture::git();
    fixture.write("shop.py", SHOP);
    fixture.write("README", "How to buy groceries\n");
    let workspace = fixture.indexed();
    let view = workspace.live();
    let first = |query: &str| {
        found(&workspace, &view, query)
            .first()
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(first("total price"), "shop.py totalPrice");
    assert_eq!(first("discount"), "shop.py totalPrice");
    assert_eq!(first("shopping cart customer"), "shop.py ShoppingCart");
    assert_eq!(
        first("cannot read configuration"),
        "shop.py parse_config_file"
    );
    assert_eq!(first("parse_config_file"), "shop.py parse_config_file");
    assert_eq!(first("vat"), "shop.py VAT_RATE");
    assert_eq!(first("groceries"), "README -");
    assert_eq!(first("nowhere"), "");
}

#[test]
fn edits_overlays_and_unsaved_files_are_searched_at_once() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def first(): ...\n");
    fixture.commit("first");
    let workspace = fixture.indexed();
    fixture.write("a.py", "def second(): ...\n");
    let live = fresh(&workspace);
    assert_eq!(found(&workspace, &live, "second"), ["a.py second"]);
    assert!(found(&workspace, &live, "first").is_empty());
    let (commit, _) = workspace.at_ref(Some("HEAD"), LONG).unwrap();
    assert_eq!(found(&workspace, &commit, "first"), ["a.py first"]);
    let unsaved = workspace
        .with_virtual_files(
            &commit,
            &[(RepoPath::new("a.py"), Some("def third(): ...\n".to_owned()))],
        )
        .unwrap();
    assert_eq!(found(&workspace, &unsaved, "third"), ["a.py third"]);
    assert!(found(&workspace, &unsaved, "first second").is_empty());
    // The same numbers for other text in the next request.
    let unsaved = workspace
        .with_virtual_files(
            &commit,
            &[(
                RepoPath::new("a.py"),
                Some("def fourth(): ...\n".to_owned()),
            )],
        )
        .unwrap();
    assert!(found(&workspace, &unsaved, "third").is_empty());
    assert_eq!(found(&workspace, &unsaved, "fourth"), ["a.py fourth"]);
}

const QUERIES: [&str; 5] = [
    "total price",
    "handle request error",
    "module 3",
    "parse",
    "value of item seven",
];

fn module(i: usize, generation: usize) -> String {
    let body = (0..=(i * 7 + generation) % 9)
        .map(|k| format!("    item = request_{k} + value({generation}) # parse total price\n"))
        .collect::<String>();
    format!(
        "class Module{i}:\n    def handleRequest{generation}(self): ...\n\ndef parse_{i}(error):\n{body}    return {generation}\n"
    )
}

/// Searched in Tantivy and from memory, alone and among others, in one store and in another: the
/// same bytes.
#[test]
fn a_store_that_has_seen_other_commits_answers_the_same_bytes() {
    let fixture = Fixture::git();
    let mut commits = Vec::new();
    for generation in 0..21 {
        for i in 0..30 {
            if generation == 0 || (i + generation) % 3 == 0 {
                fixture.write(&format!("m{i}.py"), module(i, generation));
            }
        }
        if generation % 4 == 1 {
            fixture.write(&format!("copy{generation}.py"), module(3, 0));
        }
        commits.push(fixture.commit("next"));
    }
    let old = fixture.open();
    for commit in &commits {
        old.at_ref(Some(commit), LONG).unwrap();
    }
    index(&old);
    for commit in [&commits[0], &commits[10], &commits[20]] {
        let home = tempfile::TempDir::new().unwrap();
        let options = workspace::Options {
            home: Some(home.path().to_path_buf()),
            ..Default::default()
        };
        let new = Workspace::open(fixture.directory.path(), options).unwrap();
        let memory = Workspace::open(
            fixture.directory.path(),
            workspace::Options {
                in_memory: true,
                ..Default::default()
            },
        )
        .unwrap();
        // A third opens the well-used store and makes what it needs by itself.
        let again = fixture.open();
        for query in QUERIES {
            let expected = search(&new, &new.at_ref(Some(commit), LONG).unwrap().0, query);
            assert!(!expected.is_empty());
            for workspace in [&old, &memory, &again] {
                assert_eq!(
                    search(
                        workspace,
                        &workspace.at_ref(Some(commit), LONG).unwrap().0,
                        query
                    ),
                    expected,
                    "{query} at {commit}"
                );
            }
        }
    }
}

#[test]
fn a_lost_text_index_comes_back() {
    let fixture = Fixture::git();
    for i in 0..40 {
        fixture.write(&format!("m{i}.py"), module(i, 0));
    }
    let workspace = fixture.indexed();
    let expected = search(&workspace, &workspace.live(), "parse total");
    let text = workspace.index_directory().unwrap().join("text");
    drop(workspace);
    // Damaged, then gone.
    let only = std::fs::read_dir(&text)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect::<Vec<_>>();
    assert_eq!(only.len(), 1, "{only:?}");
    for entry in std::fs::read_dir(&only[0]).unwrap().flatten() {
        if entry.file_name().to_string_lossy().contains("meta.json") {
            std::fs::write(entry.path(), b"{").unwrap();
        }
    }
    let workspace = fixture.open();
    assert_eq!(
        search(&workspace, &workspace.live(), "parse total"),
        expected
    );
    drop(workspace);
    std::fs::remove_dir_all(&text).unwrap();
    let workspace = fixture.open();
    assert_eq!(
        search(&workspace, &workspace.live(), "parse total"),
        expected
    );
    index(&workspace);
    assert_eq!(
        search(&workspace, &workspace.live(), "parse total"),
        expected
    );
}
