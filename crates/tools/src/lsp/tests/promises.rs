//! `docs/contracts/lsp.md`: every promise names tests or files that exist.

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_promise_of_the_page_has_tests_that_exist() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(crates.join("../docs/contracts/lsp.md")).unwrap();
    let (mut tests, mut files) = (BTreeSet::new(), BTreeSet::new());
    for place in ["tools/src/lsp", "codecompass/tests", "codecompass/src", "language-servers/tests"] {
        collect(&crates.join(place), &mut tests, &mut files);
    }
    let mut n_named = 0;
    let mut promises = page.split("\n**").skip(1).peekable();
    assert!(promises.peek().is_some());
    for promise in promises {
        let mut is_kept = false;
        for name in promise.split('`').skip(1).step_by(2) {
            if name.matches('_').count() >= 3 && name.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_') {
                assert!(tests.contains(name), "there is no test `{name}`");
                (is_kept, n_named) = (true, n_named + 1);
            } else if name.ends_with(".rs") {
                let known = files.iter().any(|file| file == name || name.ends_with(&format!("/{file}")));
                assert!(known, "there is no file `{name}`");
                is_kept = true;
            }
        }
        assert!(is_kept, "a promise without a test: {}", promise.lines().next().unwrap_or_default());
    }
    assert!(n_named >= 20, "only {n_named} tests were found in the page");
}

#[test]
fn the_page_tells_tested_servers_from_others() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contracts/lsp.md")).unwrap();
    let (_, after) = page.split_once("Tested with ours:").unwrap();
    let (tested, after) = after.split_once("Known and untested:").unwrap();
    let (untested, _) = after.split_once(". ").unwrap();
    let names = |text: &str| text.split(',').map(|name| name.trim().trim_end_matches('.').to_owned()).collect::<BTreeSet<_>>();
    let catalogue = language_servers::Catalogue::builtin();
    let known = |tested: bool| catalogue.servers.iter().filter(|spec| spec.tested == tested).map(|spec| spec.name.clone()).collect();
    assert_eq!(names(tested), known(true));
    assert_eq!(names(untested), known(false));
}

/// The names of test functions and of files below a directory.
fn collect(directory: &Path, tests: &mut BTreeSet<String>, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, tests, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.insert(entry.file_name().to_string_lossy().into_owned());
            let text = fs::read_to_string(&path).unwrap();
            let after = text.split("#[test]").skip(1).filter_map(|rest| rest.split("fn ").nth(1)?.split('(').next());
            tests.extend(after.map(str::to_owned));
        }
    }
}
