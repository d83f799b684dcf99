//! The pages of `docs/contracts/`: every test and file that they name exists, and every promise
//! names one.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{CONTRACTS, Registry};

/// What is there to be named.
#[derive(Default)]
struct Sources {
    tests: BTreeSet<String>,
    /// Paths from the root of the repository.
    files: BTreeSet<String>,
}

#[test]
fn what_the_pages_of_the_contracts_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Sources::default();
    collect(&root, "crates", &mut sources);
    let tools = Registry::of(&CONTRACTS);
    let tools: BTreeSet<&str> = tools
        .entries()
        .iter()
        .map(|entry| entry.tool.name())
        .collect();
    let mut n_tests = 0;
    for (page, states_promises) in [
        ("agent.md", true),
        ("codecompass.md", true),
        ("codemap.md", false),
        ("lsp.md", true),
        ("server.md", true),
        ("kinds.md", false),
    ] {
        let text = fs::read_to_string(root.join("docs/contracts").join(page)).unwrap();
        for promise in text.split("\n**") {
            let mut is_kept = false;
            for name in promise.split('`').skip(1).step_by(2) {
                if is_name_of_a_test(name) && !tools.contains(name) {
                    assert!(
                        sources.tests.contains(name),
                        "{page}: there is no test `{name}`"
                    );
                    (is_kept, n_tests) = (true, n_tests + 1);
                } else if name.ends_with(".rs") && !name.contains('{') {
                    assert!(
                        sources.files.iter().any(|file| is_end_of(name, file)),
                        "{page}: there is no file `{name}`"
                    );
                    is_kept = true;
                } else if name.starts_with("tests/") {
                    assert!(
                        root.join(name).is_dir(),
                        "{page}: there is no directory `{name}`"
                    );
                    is_kept = true;
                }
            }
            let is_promise = states_promises
                && promise
                    .split_once("**")
                    .is_some_and(|(title, _)| !title.contains('\n'));
            assert!(
                is_kept || !is_promise,
                "{page}: a promise without a test: {}",
                promise.lines().next().unwrap_or_default()
            );
        }
    }
    assert!(
        n_tests >= 100,
        "only {n_tests} tests were found in the pages"
    );
}

/// Tests have names of four words and more; fields and codes of a contract have fewer.
fn is_name_of_a_test(name: &str) -> bool {
    name.matches('_').count() >= 3
        && name
            .chars()
            .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
}

fn is_end_of(name: &str, file: &str) -> bool {
    file == name || file.ends_with(&format!("/{name}"))
}

/// The names of test functions and of files below a directory.
fn collect(root: &Path, directory: &str, sources: &mut Sources) {
    for entry in fs::read_dir(root.join(directory)).unwrap().flatten() {
        let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(root, &name, sources);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(entry.path()).unwrap();
            let after = text
                .split("#[test]")
                .skip(1)
                .filter_map(|rest| rest.split("fn ").nth(1)?.split('(').next());
            sources.tests.extend(after.map(str::to_owned));
            sources.files.insert(name);
        }
    }
}
