//! Files that are listed give the results of a checkout of them.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use grep_command::{ListedTree, MemoryFiles, WorkingDirectory};
use proptest::prelude::*;

use crate::{made, run};

/// Searches the files on disk and in memory, in a directory of them.
#[track_caller]
fn check_equal(directory: &str, arguments: &[&str]) {
    let on_disk = made::on_disk();
    let disk = WorkingDirectory::new(on_disk.path().join(directory)).expect("a directory");
    let listed = ListedTree::in_directory(made::in_memory(), directory);
    let (on_disk, in_memory) = (run(&disk, arguments), run(&listed, arguments));
    assert_eq!(on_disk.exit, in_memory.exit, "{arguments:?}");
    assert_eq!(
        String::from_utf8_lossy(&on_disk.without_times()),
        String::from_utf8_lossy(&in_memory.without_times()),
        "{arguments:?}",
    );
}

#[test]
fn a_listing_is_searched_as_its_checkout() {
    for arguments in [
        &["total"][..],
        &["-n", "total", "src", "a", "a.txt"],
        &["--files"],
        &["--files", "-."] as &[&str],
        &["--files", "--no-ignore"],
        &["--files", "--no-ignore-dot"],
        &["--files", "--no-ignore-vcs"],
        &["--files", "-uu", "-t", "rust"],
        &["--files", "-g", "*.txt", "-g", "!b*"],
        &["--files", "-g", "src/**", "-g", "!/src/cart/"],
        &["--files", "-g", "!web"],
        &["--files", "--iglob", "*.Txt"],
        &["--files", "-t", "py", "-T", "rust"],
        &["--files", "-t", "toml"],
        &["--files", "-d", "2"],
        &["--files", "-d", "0"],
        &["--files", "--max-filesize", "1K"],
        &["--files", "./src/", "a/../web", "."],
        &["--files", "vendor", "build", "web/index.html"],
        &[
            "--files",
            "--ignore-file",
            "README.md",
            "--ignore-file",
            "src/lib.rs",
        ],
        &["--files", "--ignore-file-case-insensitive"],
        &["-c", "total", "bin"],
        &["-uuuc", "total", "bin"],
        &["total", "bin/data.bin"],
        &["total", "bin/late.bin"],
        &["--mmap", "-c", "total", "bin"],
        &["--no-mmap", "-c", "total", "bin/late.bin"],
        &["-a", "-c", "total"],
        &["-Uc", r"total\n", "-g", "!*.bin"],
        &["utf16"],
        &["--json", "total"],
        &["--heading", "-C2", "total"],
        &["--files-without-match", "total"],
        &["-f", "src/no_newline.txt", "-c"],
        &["total", "nowhere"],
        &["-q", "total", "nowhere", "src"],
    ] {
        check_equal("", arguments);
    }
}

#[test]
fn a_search_in_a_directory_of_the_tree() {
    for arguments in [
        &["total"][..],
        &["--files"],
        &["--files", ".."] as &[&str],
        &["--files", "../web", "./"],
        &["--files", "--no-ignore-parent"],
        &["--files", "--no-ignore-parent", "cart", "."],
        &["--files", "-g", "/cart/*"],
        &["--files", "-g", "cart*"],
        &["-c", "total", "../README.md"],
    ] {
        check_equal("src", arguments);
    }
}

#[test]
fn a_path_out_of_the_tree_does_not_exist() {
    let tree = ListedTree::new(made::in_memory());
    check(
        &tree,
        &["total", "../elsewhere"],
        expect![[r#"
        grep: ../elsewhere: No such file or directory (os error 2)
        status 2
    "#]],
    );
    check(
        &tree,
        &["total", "/etc/passwd"],
        expect![[r#"
        grep: /etc/passwd: No such file or directory (os error 2)
        status 2
    "#]],
    );
    check(
        &tree,
        &["-f", "../patterns", "a.txt"],
        expect![[r#"
        grep: ../patterns: No such file or directory (os error 2)
        status 2
    "#]],
    );
}

#[track_caller]
fn check(tree: &ListedTree<MemoryFiles>, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&run(tree, arguments).text());
}

#[test]
fn a_tree_deeper_than_any_file_system() {
    let deep = "d/".repeat(100_000) + "file";
    let tree = ListedTree::new(MemoryFiles::from_iter([
        (deep.as_str(), "total"),
        ("x", "total"),
    ]));
    check(
        &tree,
        &["total"],
        expect![[r#"
        x:total
    "#]],
    );
}

/// Names and ignore rules that meet often.
fn rules() -> impl Strategy<Value = String> {
    let rule = prop::sample::select(vec![
        "a", "b/", "/a", "!a", "!b", "*.rs", "!*.rs", "a/b", "a/*", "**/b", "a/**", "!/a/b", "*",
        "!.h", ".h", "[ab]", "c?", "# no", "!", "/", "\\!a", "a ", "{a,b}", "[",
    ]);
    prop::collection::vec(rule, 0..4).prop_map(|rules| rules.join("\n"))
}

fn trees() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = prop::sample::select(vec!["a", "b", "c1", "x.rs", ".h", "a-b", "b.rs", "A"]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"));
    let ignore = prop::sample::select(vec![".gitignore", ".ignore", ".rgignore"]);
    let directory = prop::sample::select(vec!["", "a/", "b/", "a/b/"]);
    let files = prop::collection::vec(path.prop_map(|path| (path, "x\n".to_owned())), 1..12);
    let ignores = prop::collection::vec(
        (directory, ignore, rules()).prop_map(|(in_, name, rules)| (format!("{in_}{name}"), rules)),
        0..4,
    );
    (files, ignores).prop_map(|(files, ignores)| {
        let mut tree = BTreeMap::new();
        for (path, text) in files.into_iter().chain(ignores) {
            // A path cannot be a file and a directory.
            let clashes = tree.keys().any(|known: &String| {
                known.starts_with(&format!("{path}/")) || path.starts_with(&format!("{known}/"))
            });
            if !clashes {
                tree.insert(path, text);
            }
        }
        tree
    })
}

fn flags() -> impl Strategy<Value = Vec<&'static str>> {
    let flag = prop::sample::select(vec![
        &["-."][..],
        &["--no-ignore"],
        &["--no-ignore-dot"],
        &["--no-ignore-vcs"],
        &["-uu"],
        &["-g*.rs"],
        &["-g!a"],
        &["-gb/**"],
        &["-g/a"],
        &["--iglob=a*"],
        &["-trust"],
        &["-Trust"],
        &["-d2"],
        &["a"],
        &["a/b"],
        &["."],
    ]);
    prop::collection::vec(flag, 0..4).prop_map(|flags| flags.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_listing_has_the_files_of_its_checkout(tree in trees(), flags in flags()) {
        let directory = tempfile::tempdir().unwrap();
        made::write(directory.path(), &tree);
        let disk = WorkingDirectory::new(directory.path()).unwrap();
        let listed = ListedTree::new(MemoryFiles::from_iter(tree));
        // A listing has no `.git`, which ripgrep lists with `--hidden`. The last glob decides.
        let arguments = [&["--files"][..], &flags[..], &["-g!.git"]].concat();
        let (on_disk, in_memory) = (run(&disk, &arguments), run(&listed, &arguments));
        prop_assert_eq!(
            String::from_utf8_lossy(&on_disk.out),
            String::from_utf8_lossy(&in_memory.out),
            "{:?}", arguments,
        );
        prop_assert_eq!(on_disk.exit, in_memory.exit);
    }
}
