//! Narrowing by an index: no match is lost, and other files are not read.

use std::{
    borrow::Cow,
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use grep_command::{AnyOf, GrepOptions, ListedFiles, ListedTree, MemoryFiles};
use proptest::prelude::*;

use crate::{find, made, run, run_with};

/// Counts how often files are read.
struct Counted {
    files: MemoryFiles,
    n_reads: AtomicUsize,
}

impl ListedFiles for &Counted {
    fn paths(&self) -> &[PathBuf] {
        self.files.paths()
    }

    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        self.n_reads.fetch_add(1, Ordering::Relaxed);
        self.files.read(path)
    }
}

/// The best index there can be: the files that do contain the literals, and those in UTF-16.
fn containing(files: &MemoryFiles, required: &[AnyOf]) -> HashSet<PathBuf> {
    let has_all = |bytes: &[u8]| {
        required
            .iter()
            .all(|AnyOf(any)| any.iter().any(|text| find(bytes, text).is_some()))
    };
    let paths = files.paths().iter();
    let read = |path: &&PathBuf| files.read(path).expect("a file of the list");
    let found = paths.filter(|path| read(path).starts_with(b"\xFF\xFE") || has_all(&read(path)));
    found.cloned().collect()
}

#[test]
fn only_candidates_are_read() {
    let counted = Counted {
        files: made::in_memory(),
        n_reads: AtomicUsize::new(0),
    };
    let tree = ListedTree::new(&counted);
    let index = |required: &[AnyOf]| Some(containing(&counted.files, required));
    let options = GrepOptions {
        candidates: Some(&index),
        ..GrepOptions::default()
    };
    let narrowed = run_with(&tree, &["-uu", r"def \w+\(item|Cart\(\)"], &options);
    // `src/cart.py`, and the file in UTF-16.
    assert_eq!(counted.n_reads.load(Ordering::Relaxed), 2);
    assert_eq!(narrowed, run(&tree, &["-uu", r"def \w+\(item|Cart\(\)"]));
}

#[test]
fn an_index_that_does_not_know_changes_nothing() {
    let tree = ListedTree::new(made::in_memory());
    let options = GrepOptions {
        candidates: Some(&|_| None),
        ..GrepOptions::default()
    };
    assert_eq!(
        run_with(&tree, &["total"], &options),
        run(&tree, &["total"])
    );
}

/// Regexes of the shapes that people search for.
fn regexes() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "total",
        "item",
        "self",
        "a",
        "Total",
        "TOTAL",
        r"\w",
        r"\s+",
        ".",
        "[a-z]",
        "[st]k",
        "ſk",
        "größe",
        r"\bfn\b",
        "^",
        "$",
        r"\(",
        "(?i)cart",
        "line 1",
        "é?",
        r"(?-u)\xE9",
        "",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(4, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (
                inner.clone(),
                prop::sample::select(vec!["*", "+", "?", "{2}", "{0,2}", "{1,}"])
            )
                .prop_map(|(inner, times)| format!("({inner}){times}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn no_match_is_lost(
        regex in regexes(),
        flags in prop::sample::subsequence(
            vec!["-i", "-S", "-w", "-x", "-F", "-v", "-c", "-l", "--json", "--crlf", "-C1", "-a",
                "--no-unicode", "-U", "--include-zero"],
            0..4,
        ),
        // With rules of ignore files, which hold for candidates too, and without.
        rules in prop::sample::select(vec!["-uu", "-u", "-.", "--no-ignore-dot", "--no-ignore-vcs"]),
    ) {
        let files = made::in_memory();
        let tree = ListedTree::new(files.clone());
        let index = |required: &[AnyOf]| Some(containing(&files, required));
        let options = GrepOptions { candidates: Some(&index), ..GrepOptions::default() };
        let arguments = [&flags[..], &[rules, "-e", &regex]].concat();
        let (narrowed, whole) = (run_with(&tree, &arguments, &options), run(&tree, &arguments));
        prop_assert_eq!(narrowed.without_times(), whole.without_times());
        prop_assert_eq!(narrowed.exit, whole.exit);
    }
}
