//! Input that could hurt: long lines, patterns that backtrack elsewhere, odd files and paths.

use std::{
    fs,
    time::{Duration, Instant},
};

use grep_command::{Exit, ListedTree, MemoryFiles, WorkingDirectory};

use crate::{made, run};

#[test]
fn a_line_of_50_megabytes() {
    let mut line = vec![b'x'; 50 << 20];
    line[30 << 20] = b'y';
    let tree = ListedTree::new(MemoryFiles::from_iter([("line", line)]));
    let started = Instant::now();
    assert_eq!(run(&tree, &["-c", "y"]).out, b"line:1\n");
    assert_eq!(
        run(&tree, &["-M100", "xyx"]).out,
        b"line:[Omitted long matching line]\n"
    );
    assert_eq!(run(&tree, &["-ob", ".?y"]).out, b"line:31457279:xy\n");
    assert_eq!(run(&tree, &["z"]).exit, Exit::NotFound);
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_pattern_that_backtracks_elsewhere() {
    let tree = ListedTree::new(MemoryFiles::from_iter([("a", "a".repeat(100_000) + "!")]));
    let started = Instant::now();
    for pattern in [
        "(a+)+$",
        "(a|aa)+$",
        "(.*)*b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ] {
        assert_eq!(
            run(&tree, &["-c", pattern]).exit,
            Exit::NotFound,
            "{pattern}"
        );
    }
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_pattern_that_is_too_large() {
    let tree = ListedTree::new(made::in_memory());
    let outcome = run(&tree, &[r"(\w{1000}){1000}"]);
    assert_eq!(outcome.exit, Exit::Error);
    assert!(outcome.errors.contains("size limit"), "{}", outcome.errors);
    let nested = "(".repeat(10_000) + "a" + &")".repeat(10_000);
    assert_eq!(run(&tree, &[&nested]).exit, Exit::Error);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_files_that_cannot_be_read() {
    use std::os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    };
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::write(path("a"), "total\n").expect("a file");
    symlink("a", path("link")).expect("a link");
    symlink("nowhere", path("broken")).expect("a link");
    symlink(".", path("circle")).expect("a link");
    fs::write(path("closed"), "total\n").expect("a file");
    fs::set_permissions(path("closed"), fs::Permissions::from_mode(0o0)).expect("permissions");
    let name = std::ffi::OsStr::from_bytes(b"\xFF\xFE");
    fs::write(directory.path().join(name), "total\n").expect("a file with an odd name");
    let tree = WorkingDirectory::new(directory.path()).expect("a directory");
    let outcome = run(&tree, &["total"]);
    // The superuser can read everything.
    let closed: &[u8] = if fs::read(path("closed")).is_ok() {
        b"closed:total\n"
    } else {
        b""
    };
    assert_eq!(
        outcome.out,
        [b"a:total\n", closed, b"\xFF\xFE:total\n"].concat()
    );
    assert_eq!(run(&tree, &["-c", "total", "link"]).out, b"1\n");
    let followed = run(&tree, &["-L", "--files-with-matches", "total"]);
    assert_eq!(followed.exit, Exit::Error);
    assert!(followed.out.starts_with(b"a\n"));
    assert!(followed.errors.contains("broken"), "{}", followed.errors);
}

#[test]
fn a_confined_search_reads_nothing_outside() {
    let outside = tempfile::tempdir().expect("a directory");
    let root = outside.path().join("root");
    made::write(&root, made::files());
    fs::write(outside.path().join("secret"), "total\n").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", root.join("link")).expect("a link");
    let tree = WorkingDirectory::confined(&root, "src").expect("a directory");
    let absolute = outside.path().join("secret");
    let absolute = absolute.to_str().expect("UTF-8");
    for arguments in [
        &["total", "../../secret"][..],
        &["total", absolute],
        &["total", "/"],
        &["total", "../link"],
        &["total", "../.."],
        &["-L", "total", ".."],
        &["-f", "../../secret"],
        &["total", "--ignore-file", "../../secret"],
        &["total", "../../nowhere"],
        &["--files", absolute],
    ] {
        let outcome = run(&tree, arguments);
        assert_eq!(outcome.exit, Exit::Error, "{arguments:?}");
        assert!(outcome.out.is_empty(), "{arguments:?}");
        assert_eq!(outcome.errors.lines().count(), 1, "{arguments:?}");
    }
    assert_eq!(run(&tree, &["-c", "total", "../a.txt"]).out, b"1\n");
    assert!(WorkingDirectory::confined(&root, "..").is_err());
}
