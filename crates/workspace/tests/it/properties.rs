//! An index reached edit by edit equals one built from scratch.

use std::fs;

use crate::common::{Fixture, fresh, render};
use proptest::prelude::*;
use workspace::{Options, Workspace};

#[derive(Clone, Debug)]
enum Edit {
    Write { path: usize, text: usize },
    Remove { path: usize },
    Rename { from: usize, to: usize },
    Ignore { pattern: usize },
    Commit,
    Switch { branch: usize },
    Look,
}

const PATHS: [&str; 8] = [
    "a.py",
    "b.py",
    "lib/c.py",
    "lib/d.rs",
    "lib/deep/e.txt",
    "x/f.py",
    "x.py",
    "lib.py",
];
/// All of one size, so that only time or content tells them apart.
const TEXTS: [&str; 4] = [
    "def one(): pass\n",
    "def two(): pass\n",
    "class A:   ...\n\n",
    "one = two = 17 \n",
];
const PATTERNS: [&str; 3] = ["", "*.py\n", "lib/\n"];
const BRANCHES: [&str; 2] = ["main", "other"];

fn edit() -> impl Strategy<Value = Edit> {
    let path = 0..PATHS.len();
    prop_oneof![
        6 => (path.clone(), 0..TEXTS.len()).prop_map(|(path, text)| Edit::Write { path, text }),
        2 => path.clone().prop_map(|path| Edit::Remove { path }),
        2 => (path.clone(), path).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => (0..PATTERNS.len()).prop_map(|pattern| Edit::Ignore { pattern }),
        1 => Just(Edit::Commit),
        1 => (0..BRANCHES.len()).prop_map(|branch| Edit::Switch { branch }),
        4 => Just(Edit::Look),
    ]
}

fn apply(fixture: &Fixture, edit: &Edit) {
    match edit {
        Edit::Write { path, text } => {
            if let Some(parent) = fixture.path(PATHS[*path]).parent()
                && fs::create_dir_all(parent).is_ok()
            {
                let _ = fs::write(fixture.path(PATHS[*path]), TEXTS[*text]);
            }
        }
        Edit::Remove { path } => {
            let _ = fs::remove_file(fixture.path(PATHS[*path]));
        }
        Edit::Rename { from, to } => {
            if let Some(parent) = fixture.path(PATHS[*to]).parent() {
                let _ = fs::create_dir_all(parent);
            }
            let _ = fs::rename(fixture.path(PATHS[*from]), fixture.path(PATHS[*to]));
        }
        Edit::Ignore { pattern } => fixture.write(".gitignore", PATTERNS[*pattern]),
        Edit::Commit => {
            fixture.commit("next");
        }
        Edit::Switch { branch } => {
            fixture.run(&["add", "-A"]);
            fixture.run(&["commit", "-q", "--allow-empty", "-m", "before the switch"]);
            let arguments: &[&str] = if fixture
                .run(&["branch", "--list", BRANCHES[*branch]])
                .is_empty()
            {
                &["switch", "-q", "-c"]
            } else {
                &["switch", "-q", "-f"]
            };
            fixture.run(&[arguments, &[BRANCHES[*branch]]].concat());
        }
        Edit::Look => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn edit_by_edit_equals_from_scratch(edits in prop::collection::vec(edit(), 1..25), watch in any::<bool>()) {
        let fixture = Fixture::git();
        fixture.write("a.py", TEXTS[0]);
        fixture.commit("first");
        let kept = Workspace::open(fixture.directory.path(), Options { watch, ..fixture.options() }).unwrap();
        fresh(&kept);
        for edit in edits.iter().chain([&Edit::Look]) {
            apply(&fixture, edit);
            if matches!(edit, Edit::Look) {
                let scratch = Workspace::open(fixture.directory.path(), Options { in_memory: true, ..Options::default() }).unwrap();
                let expected = render(&fresh(&scratch));
                prop_assert_eq!(render(&fresh(&kept)), expected.clone());
                // And so does what another process finds on disk.
                if !watch {
                    prop_assert_eq!(render(&fresh(&fixture.open())), expected);
                }
            }
        }
    }
}
