//! Snapshots of working trees and commits.

use crate::common::{Fixture, LONG, fresh, index, paths, render};
use workspace::{Error, FreshnessStatus, SkipReason};

#[test]
fn a_directory_without_git() {
    let fixture = Fixture::plain();
    fixture.write("a.py", "def total(): ...\n");
    fixture.write("sub/b.txt", "words\n");
    let workspace = fixture.indexed();
    assert_eq!(
        render(&workspace.live()),
        "a.py \"def total(): ...\\n\"\nsub/b.txt \"words\\n\""
    );
    let corpus = workspace
        .live()
        .snapshot
        .corpus()
        .defining("total")
        .unwrap();
    assert_eq!(corpus.len(), 1);
}

#[test]
fn tracked_and_untracked_files_and_ignore_rules() {
    let fixture = Fixture::git();
    fixture.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    fixture.write("src/.gitignore", "secret.txt\n");
    fixture.write(".codecompassignore", "vendor/\n");
    fixture.write("src/main.rs", "fn main() {}\n");
    fixture.write("src/secret.txt", "x");
    fixture.write("keep.log", "x");
    fixture.write("other.log", "x");
    fixture.write("tracked.log", "x");
    fixture.write("build/out.rs", "x");
    fixture.write("build/tracked.rs", "x");
    fixture.write("vendor/lib.rs", "x");
    fixture.write("excluded.txt", "x");
    fixture.write(".git/info/exclude", "excluded.txt\n");
    fixture.run(&[
        "add",
        "-f",
        "src/main.rs",
        "tracked.log",
        "build/tracked.rs",
        "vendor/lib.rs",
    ]);
    let workspace = fixture.indexed();
    let found = paths(&workspace.live());
    assert_eq!(
        found,
        [
            ".codecompassignore",
            ".gitignore",
            "build/tracked.rs",
            "keep.log",
            "src/.gitignore",
            "src/main.rs",
            "tracked.log"
        ]
    );
}

#[test]
fn a_commit_is_read_from_objects_and_the_working_tree_from_disk() {
    let fixture = Fixture::git();
    fixture.write("a.py", "one = 1\n");
    let first = fixture.commit("first");
    fixture.write("a.py", "two = 2\n");
    fixture.write("b.py", "b = 1\n");
    fixture.commit("second");
    fixture.run(&["tag", "v2"]);
    fixture.run(&["branch", "other", &first]);
    fixture.write("a.py", "three = 3\n");
    let workspace = fixture.indexed();
    let at = |name: Option<&str>| render(&workspace.at_ref(name, LONG).unwrap().0);
    let live = "a.py \"three = 3\\n\"\nb.py \"b = 1\\n\"";
    let second = "a.py \"two = 2\\n\"\nb.py \"b = 1\\n\"";
    assert_eq!(at(None), live);
    assert_eq!(at(Some("live")), live);
    assert_eq!(at(Some("main")), live);
    assert_eq!(at(Some("HEAD")), second);
    assert_eq!(at(Some("v2")), second);
    assert_eq!(at(Some("other")), "a.py \"one = 1\\n\"");
    assert_eq!(at(Some(&first[..10])), "a.py \"one = 1\\n\"");
    assert_eq!(at(Some("HEAD~1")), "a.py \"one = 1\\n\"");
    for name in ["nowhere", "--all", "", "HEAD~9", &"0".repeat(40)] {
        assert!(
            matches!(
                workspace.at_ref(Some(name), LONG),
                Err(Error::UnknownRef { .. })
            ),
            "{name}"
        );
    }
    // Stored by the first workspace, read by the second.
    let again = fixture.open();
    let id = again.commit("v2").unwrap();
    assert_eq!(render(&again.indexed_commit(id).unwrap().unwrap()), second);
}

#[test]
fn a_second_sync_reads_nothing_and_an_edit_extracts_one_file() {
    let fixture = Fixture::git();
    for i in 0..20 {
        fixture.write(&format!("f{i}.py"), format!("def f{i}(): ...\n"));
    }
    fixture.commit("all");
    let workspace = fixture.indexed();
    std::thread::sleep(std::time::Duration::from_millis(40));
    index(&workspace); // Files read in the tick in which they were written are read once more.
    let report = index(&workspace);
    assert_eq!(
        (report.files, report.read, report.extracted, report.changed),
        (20, 0, 0, 0)
    );
    fixture.write("f3.py", "def g3(): ...\n");
    let report = index(&workspace);
    assert_eq!((report.read, report.extracted, report.changed), (1, 1, 1));
    let again = fixture.open();
    assert!(again.is_indexed());
    std::thread::sleep(std::time::Duration::from_millis(40));
    index(&again);
    assert_eq!(index(&again).read, 0);
}

#[test]
fn a_branch_switch_extracts_only_contents_never_seen() {
    let fixture = Fixture::git();
    for i in 0..20 {
        fixture.write(&format!("f{i}.py"), format!("def f{i}(): ...\n"));
    }
    fixture.commit("main");
    fixture.run(&["switch", "-q", "-c", "other"]);
    fixture.write("f1.py", "def other(): ...\n");
    fixture.remove("f2.py");
    fixture.commit("other");
    let workspace = fixture.indexed();
    fixture.run(&["switch", "-q", "main"]);
    let report = index(&workspace);
    assert_eq!((report.extracted, report.changed), (2, 2));
    fixture.run(&["switch", "-q", "other"]);
    let report = index(&workspace);
    assert_eq!((report.extracted, report.changed), (0, 2));
}

#[test]
fn worktrees_share_one_store() {
    let fixture = Fixture::git();
    fixture.write("a.py", "a = 1\n");
    fixture.commit("first");
    let workspace = fixture.indexed();
    let second = tempfile::TempDir::new().unwrap();
    let path = second.path().join("tree");
    fixture.run(&[
        "worktree",
        "add",
        "-q",
        path.to_str().unwrap(),
        "-b",
        "side",
    ]);
    let other = workspace::Workspace::open(&path, fixture.options()).unwrap();
    assert_eq!(other.index_directory(), workspace.index_directory());
    let report = index(&other);
    assert_eq!((report.files, report.extracted), (1, 0));
    assert_eq!(other.head().branch.as_deref(), Some("side"));
}

#[test]
fn the_first_question_indexes() {
    let fixture = Fixture::git();
    fixture.write("a.py", "a = 1\n");
    let workspace = fixture.open();
    assert!(!workspace.is_indexed());
    assert_eq!(paths(&fresh(&workspace)), ["a.py"]);
}

#[test]
fn what_is_not_taken_in_makes_the_answer_stale() {
    let fixture = Fixture::git();
    for i in 0..300 {
        fixture.write(&format!("f{i}.py"), format!("def f{i}(): ...\n"));
    }
    let workspace = fixture.indexed();
    for i in 0..300 {
        fixture.write(&format!("f{i}.py"), format!("def g{i}(): return {i}\n"));
    }
    let (_, freshness) = workspace.fresh_live(std::time::Duration::ZERO).unwrap();
    assert_eq!(freshness.status, FreshnessStatus::Stale);
    assert!(freshness.remaining_files > 0);
    fresh(&workspace);
}

#[test]
fn skipped_files_have_reasons() {
    let fixture = Fixture::git();
    fixture.write("big.txt", "x".repeat(3 << 20));
    fixture.write("image.png", b"\x89PNG\0\0");
    fixture.write(".env", "TOKEN=1");
    fixture.write(
        "pointer.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    );
    #[cfg(unix)]
    for (link, target) in [("etc", "/etc"), ("loop", ".")] {
        std::os::unix::fs::symlink(target, fixture.path(link)).unwrap();
    }
    fixture.write("ok.txt", "fine");
    let id = fixture.commit("all");
    let workspace = fixture.indexed();
    let mut expected = vec![
        (".env", SkipReason::Credential),
        ("big.txt", SkipReason::TooLarge),
        ("etc", SkipReason::SymbolicLink),
        ("image.png", SkipReason::Binary),
        ("loop", SkipReason::SymbolicLink),
        ("pointer.bin", SkipReason::LargeFilePointer),
    ];
    expected.retain(|(_, reason)| cfg!(unix) || *reason != SkipReason::SymbolicLink);
    let live = workspace.live();
    let found: Vec<_> = live
        .skipped
        .iter()
        .map(|file| (file.path.as_str(), file.reason))
        .collect();
    assert_eq!(found, expected);
    let (commit, _) = workspace.at_ref(Some(&id), LONG).unwrap();
    assert_eq!(commit.skipped, live.skipped);
    assert_eq!(paths(&commit), ["ok.txt"]);
}
