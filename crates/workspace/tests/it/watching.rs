//! A long-running process sees every change before it answers.

use std::fs;

use crate::common::{Fixture, fresh, paths, render};
use workspace::{Options, Workspace};

fn watched(fixture: &Fixture) -> std::sync::Arc<Workspace> {
    let workspace = Workspace::open(
        fixture.directory.path(),
        Options {
            watch: true,
            ..fixture.options()
        },
    )
    .unwrap();
    fresh(&workspace);
    fresh(&workspace);
    workspace
}

#[test]
fn edits_are_seen_at_once() {
    let fixture = Fixture::git();
    fixture.write("src/a.py", "a = 1\n");
    fixture.commit("first");
    let workspace = watched(&fixture);
    for i in 0..50 {
        let text = format!("a = {}\n", i % 10);
        fixture.write("src/a.py", &text);
        assert_eq!(
            render(&fresh(&workspace)),
            format!("src/a.py {text:?}"),
            "edit {i}"
        );
    }
}

#[test]
fn new_moved_and_removed_directories_are_seen() {
    let fixture = Fixture::git();
    fixture.write("a.py", "a = 1\n");
    let workspace = watched(&fixture);
    fixture.write("deep/er/b.py", "b = 1\n");
    assert_eq!(paths(&fresh(&workspace)), ["a.py", "deep/er/b.py"]);
    fixture.write("deep/er/c.py", "c = 1\n");
    assert_eq!(
        paths(&fresh(&workspace)),
        ["a.py", "deep/er/b.py", "deep/er/c.py"]
    );
    fs::rename(fixture.path("deep"), fixture.path("moved")).unwrap();
    assert_eq!(
        paths(&fresh(&workspace)),
        ["a.py", "moved/er/b.py", "moved/er/c.py"]
    );
    fixture.write("moved/er/d.py", "d = 1\n");
    assert_eq!(
        paths(&fresh(&workspace)),
        ["a.py", "moved/er/b.py", "moved/er/c.py", "moved/er/d.py"]
    );
    fs::remove_dir_all(fixture.path("moved")).unwrap();
    assert_eq!(paths(&fresh(&workspace)), ["a.py"]);
    fixture.write("moved/er/e.py", "e = 1\n");
    assert_eq!(paths(&fresh(&workspace)), ["a.py", "moved/er/e.py"]);
}

#[test]
fn changed_rules_and_tracked_files_are_seen() {
    let fixture = Fixture::git();
    fixture.write("a.log", "a\n");
    fixture.write("b.log", "b\n");
    let workspace = watched(&fixture);
    fixture.write(".gitignore", "*.log\n");
    assert_eq!(paths(&fresh(&workspace)), [".gitignore"]);
    fixture.run(&["add", "-f", "b.log"]);
    assert_eq!(paths(&fresh(&workspace)), [".gitignore", "b.log"]);
    fixture.run(&["rm", "-q", "--cached", "b.log"]);
    assert_eq!(paths(&fresh(&workspace)), [".gitignore"]);
    fixture.write(".git/info/exclude", ".gitignore\n");
    assert_eq!(paths(&fresh(&workspace)), Vec::<String>::new());
}

#[test]
fn a_commit_moves_the_head_of_the_view() {
    let fixture = Fixture::git();
    fixture.write("a.py", "a = 1\n");
    fixture.commit("first");
    let workspace = watched(&fixture);
    let id = fixture.commit("second");
    assert_eq!(fresh(&workspace).commit().unwrap().to_string(), id);
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let fixture = Fixture::git();
    fixture.write("a.py", "a = 1\n");
    let first = watched(&fixture);
    let cookies = first.index_directory().unwrap().join("cookies");
    fs::create_dir(cookies.join("4711-0-1700000000000")).unwrap();
    let _second = watched(&fixture);
    assert_eq!(fs::read_dir(&cookies).unwrap().count(), 2);
    fixture.write("a.py", "a = 2\n");
    assert_eq!(render(&fresh(&first)), "a.py \"a = 2\\n\"");
}
