//! Inputs that break indexers: nothing crashes, hangs or reads outside the root, and the rest is
//! indexed.

use std::{fs, path::Path, sync::atomic::AtomicBool};

use crate::common::{Fixture, LONG, fresh, index, paths, render, run_git};
use facts::ProblemKind;
use workspace::{Options, SkipReason, Workspace};

fn reasons(workspace: &Workspace) -> Vec<(String, SkipReason)> {
    workspace
        .live()
        .skipped
        .iter()
        .map(|file| (file.path.to_string(), file.reason))
        .collect()
}

#[test]
fn strange_contents() {
    let fixture = Fixture::git();
    fixture.write("latin.py", b"name = '\xe4'\ndef latin(): ...\n");
    fixture.write("bom.py", "\u{feff}def bom(): ...\n");
    fixture.write("crlf.py", "def crlf():\r\n    pass\r\n");
    fixture.write(
        "nul.py",
        [b"def nul(): ...\n".as_slice(), &[b' '; 9000], b"\0\0"].concat(),
    );
    fixture.write("empty.py", "");
    fixture.write(
        "long.py",
        format!("x = '{}'\ndef long(): ...\n", "y".repeat(900_000)),
    );
    fixture.write(
        "deep.py",
        format!(
            "{}1{}\ndef deep(): ...\n",
            "(".repeat(100_000),
            ")".repeat(100_000)
        ),
    );
    fixture.write(
        "identifier.py",
        format!("def {}(): ...\n", "i".repeat(10_000)),
    );
    fixture.write("huge.js", vec![b'x'; 50 << 20]);
    let workspace = fixture.indexed();
    let live = workspace.live();
    assert_eq!(
        paths(&live),
        [
            "bom.py",
            "crlf.py",
            "deep.py",
            "empty.py",
            "identifier.py",
            "latin.py",
            "long.py",
            "nul.py"
        ]
    );
    assert_eq!(
        reasons(&workspace),
        [("huge.js".to_owned(), SkipReason::TooLarge)]
    );
    let corpus = live.snapshot.corpus();
    for name in ["latin", "bom", "crlf", "nul", "long"] {
        assert_eq!(corpus.defining(name).unwrap().len(), 1, "{name}");
    }
    assert_eq!(corpus.defining(&"i".repeat(10_000)).unwrap().len(), 1);
    let facts = |path: &str| {
        corpus
            .facts(
                live.snapshot
                    .file(live.snapshot.find(path).unwrap())
                    .content,
            )
            .unwrap()
    };
    assert!(
        facts("latin.py")
            .problems
            .iter()
            .any(|problem| problem.kind == ProblemKind::Encoding)
    );
    assert!(
        facts("deep.py")
            .problems
            .iter()
            .any(|problem| matches!(problem.kind, ProblemKind::TooDeep | ProblemKind::Deadline))
    );
    let status = workspace.status(&live).unwrap();
    assert_eq!(status.skipped.get(&SkipReason::TooLarge), Some(&1));
    assert_eq!(status.problems.get(&ProblemKind::Encoding), Some(&1));
}

#[cfg(unix)]
#[test]
fn strange_names() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::git();
    for name in [
        "-rf",
        "a'b\"c.py",
        "new\nline.py",
        "🦀.rs",
        "sp ace.py",
        "$(x).py",
        "..py",
        "%s.py",
        "a\\b.py",
    ] {
        fixture.write(name, "x = 1\n");
    }
    let bytes = std::ffi::OsStr::from_bytes(b"bad-\xff.py");
    fs::write(fixture.directory.path().join(bytes), "x = 2\n").unwrap();
    let id = fixture.commit("all");
    let workspace = fixture.indexed();
    let live = workspace.live();
    assert_eq!(live.snapshot.n_files(), 9);
    assert_eq!(
        reasons(&workspace),
        [("bad-\u{fffd}.py".to_owned(), SkipReason::Name)]
    );
    let (commit, _) = workspace.at_ref(Some(&id), LONG).unwrap();
    assert_eq!(render(&commit), render(&live));
}

/// On Windows: `platform/tests.rs`.
#[cfg(unix)]
#[test]
fn links_pipes_and_nested_repositories() {
    let outside = tempfile::TempDir::new().unwrap();
    fs::write(outside.path().join("secret.py"), "def secret(): ...\n").unwrap();
    let fixture = Fixture::git();
    fixture.write("real/a.py", "def inside(): ...\n");
    std::os::unix::fs::symlink(outside.path(), fixture.path("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.py"), fixture.path("secret.py"))
        .unwrap();
    std::os::unix::fs::symlink("loop", fixture.path("loop")).unwrap();
    std::os::unix::fs::symlink("..", fixture.path("real/up")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(fixture.path("pipe.py"))
        .status()
        .unwrap();
    assert!(made.success());
    fixture.write("nested/b.py", "def nested(): ...\n");
    run_git(&fixture.path("nested"), &["init", "-q"]);
    let workspace = fixture.indexed();
    assert_eq!(paths(&workspace.live()), ["real/a.py"]);
    let expected = [
        ("loop", SkipReason::SymbolicLink),
        ("nested", SkipReason::Submodule),
        ("out", SkipReason::SymbolicLink),
        ("pipe.py", SkipReason::SpecialFile),
        ("real/up", SkipReason::SymbolicLink),
        ("secret.py", SkipReason::SymbolicLink),
    ];
    assert_eq!(
        reasons(&workspace),
        expected.map(|(path, reason)| (path.to_owned(), reason))
    );
    assert!(
        workspace
            .live()
            .snapshot
            .corpus()
            .defining("secret")
            .unwrap()
            .is_empty()
    );
    // A directory that becomes a link while the process runs.
    fs::remove_dir_all(fixture.path("real")).unwrap();
    std::os::unix::fs::symlink(outside.path(), fixture.path("real")).unwrap();
    assert!(paths(&fresh(&workspace)).is_empty());
    for path in [
        "../x",
        "/etc/passwd",
        "a/../../b",
        "",
        ".git/config",
        "a//b",
    ] {
        assert!(workspace.repo_path(path).is_err(), "{path}");
    }
}

#[test]
fn states_of_git() {
    // Before the first commit.
    let fixture = Fixture::git();
    let workspace = fixture.indexed();
    assert!(paths(&workspace.live()).is_empty());
    assert!(workspace.at_ref(Some("HEAD"), LONG).is_err());
    fixture.write("a.py", "a = 1\n");
    assert_eq!(paths(&fresh(&workspace)), ["a.py"]);
    // Detached.
    let first = fixture.commit("first");
    fixture.write("a.py", "a = 2\n");
    fixture.commit("second");
    fixture.run(&["checkout", "-q", "--detach", &first]);
    assert_eq!(render(&fresh(&workspace)), "a.py \"a = 1\\n\"");
    assert_eq!(workspace.head().branch, None);
    assert_eq!(
        render(&workspace.at_ref(Some("main"), LONG).unwrap().0),
        "a.py \"a = 2\\n\""
    );
    // Bare.
    let place = tempfile::TempDir::new().unwrap();
    let source = fixture.directory.path().to_str().unwrap();
    run_git(place.path(), &["clone", "-q", "--bare", source, "bare.git"]);
    run_git(
        &place.path().join("bare.git"),
        &["symbolic-ref", "HEAD", "refs/heads/main"],
    );
    let bare = Workspace::open(&place.path().join("bare.git"), fixture.options()).unwrap();
    assert!(bare.is_bare());
    assert_eq!(
        render(&bare.at_ref(None, LONG).unwrap().0),
        "a.py \"a = 2\\n\""
    );
    assert_eq!(
        render(&bare.fresh_live(LONG).unwrap().0),
        "a.py \"a = 2\\n\""
    );
    assert_eq!(
        bare.index_live(false, &AtomicBool::new(false), |_| ())
            .unwrap()
            .files,
        1
    );
    // Shallow: the parent is not there.
    run_git(
        place.path(),
        &[
            "clone",
            "-q",
            "--depth",
            "1",
            "--branch",
            "main",
            &format!("file://{source}"),
            "shallow",
        ],
    );
    let shallow = Workspace::open(&place.path().join("shallow"), fixture.options()).unwrap();
    assert_eq!(
        render(&shallow.at_ref(Some("HEAD"), LONG).unwrap().0),
        "a.py \"a = 2\\n\""
    );
    assert!(shallow.at_ref(Some("HEAD~1"), LONG).is_err());
    assert!(shallow.at_ref(Some(&first), LONG).is_err());
}

#[test]
fn submodules_are_named_and_left_alone() {
    let library = Fixture::git();
    library.write("lib.py", "def lib(): ...\n");
    library.commit("lib");
    let fixture = Fixture::git();
    fixture.write("a.py", "a = 1\n");
    fixture.run(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        library.directory.path().to_str().unwrap(),
        "lib",
    ]);
    let id = fixture.commit("with a submodule");
    let workspace = fixture.indexed();
    assert_eq!(paths(&workspace.live()), [".gitmodules", "a.py"]);
    assert_eq!(
        reasons(&workspace),
        [("lib".to_owned(), SkipReason::Submodule)]
    );
    let (commit, _) = workspace.at_ref(Some(&id), LONG).unwrap();
    assert_eq!(render(&commit), render(&workspace.live()));
}

#[test]
fn a_sha256_repository() {
    let fixture = Fixture::git_with(&["--object-format=sha256"]);
    fixture.write("a.py", "def a(): ...\n");
    let id = fixture.commit("first");
    assert_eq!(id.len(), 64);
    let workspace = fixture.indexed();
    let (commit, _) = workspace.at_ref(Some(&id), LONG).unwrap();
    assert_eq!(render(&commit), render(&workspace.live()));
    let content = workspace.live().snapshot.files().next().unwrap().1.content;
    assert_eq!(
        workspace.corpus().content_id(content).unwrap().to_string(),
        fixture.run(&["rev-parse", "HEAD:a.py"])
    );
    assert_eq!(index(&workspace).extracted, 0);
}

/// What git stores and what is on disk are two contents, and each can be read back.
#[test]
fn line_ends_that_git_converts() {
    let fixture = Fixture::git();
    fixture.run(&["config", "core.autocrlf", "true"]);
    fixture.write("a.py", "one = 1\r\ntwo = 2\r\n");
    let id = fixture.commit("first");
    let workspace = fixture.indexed();
    assert_eq!(
        render(&workspace.live()),
        "a.py \"one = 1\\r\\ntwo = 2\\r\\n\""
    );
    assert_eq!(
        render(&workspace.at_ref(Some(&id), LONG).unwrap().0),
        "a.py \"one = 1\\ntwo = 2\\n\""
    );
    // The text outlives the file.
    let before = workspace.live();
    fixture.remove("a.py");
    fresh(&workspace);
    assert_eq!(render(&before), "a.py \"one = 1\\r\\ntwo = 2\\r\\n\"");
}

/// As `git lfs` leaves it: a pointer in git, the text on disk. The filter is configured and must
/// not run.
#[test]
fn large_file_storage() {
    let fixture = Fixture::git();
    let marker = fixture.home.path().join("ran");
    fixture.write(".gitattributes", "*.py filter=lfs -text\n");
    fixture.write(
        "data.py",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
    );
    let id = fixture.commit("pointer");
    fixture.run(&[
        "config",
        "filter.lfs.smudge",
        &format!("touch {}", marker.display()),
    ]);
    fixture.run(&[
        "config",
        "filter.lfs.clean",
        &format!("touch {}", marker.display()),
    ]);
    fixture.run(&[
        "config",
        "filter.lfs.process",
        &format!("touch {}", marker.display()),
    ]);
    fixture.write("data.py", "def real(): ...\n");
    let workspace = fixture.indexed();
    assert!(render(&workspace.live()).contains("data.py \"def real(): ...\\n\""));
    let (commit, _) = workspace.at_ref(Some(&id), LONG).unwrap();
    assert!(render(&commit).contains("data.py skipped: large_file_pointer"));
    assert!(!marker.exists());
}

#[test]
fn files_that_change_and_vanish_while_they_are_read() {
    let fixture = Fixture::git();
    for i in 0..100 {
        fixture.write(&format!("f{i}.py"), "x = 1\n");
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut i = 0_usize;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                i += 1;
                let path = fixture.path(&format!("f{}.py", i % 100));
                match i % 3 {
                    0 => drop(fs::remove_file(path)),
                    1 => drop(fs::write(path, format!("y = {i}\n").repeat(i % 50))),
                    _ => drop(fs::write(path, "")),
                }
            }
        });
        let workspace = fixture.open();
        for _ in 0..5 {
            index(&workspace);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let scratch = Workspace::open(
        fixture.directory.path(),
        Options {
            in_memory: true,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(render(&fresh(&fixture.open())), render(&fresh(&scratch)));
}

#[test]
fn alternates_that_form_a_cycle_or_are_missing_are_passed_over() {
    let lender = Fixture::git();
    lender.write("a.py", "def lent(): ...\n");
    lender.commit("first");
    let directory = tempfile::TempDir::new().unwrap();
    let clone = directory.path().join("clone");
    let (from, to) = (lender.directory.path(), clone.to_str().unwrap());
    run_git(from, &["clone", "-q", "--shared", ".", to]);
    let alternates = |repository: &Path| repository.join(".git/objects/info/alternates");
    let own_objects = clone.join(".git/objects").display().to_string();
    let options = || Options {
        home: Some(lender.home.path().to_path_buf()),
        ..Options::default()
    };
    // The two lend to one another.
    fs::write(alternates(from), format!("{own_objects}\n")).unwrap();
    // git itself reads on.
    run_git(&clone, &["log", "-1", "HEAD"]);
    fs::write(clone.join("b.py"), "def own(): ...\n").unwrap();
    let workspace = Workspace::open(&clone, options()).unwrap();
    assert_eq!(paths(&fresh(&workspace)), ["a.py", "b.py"]);
    let commit = workspace.at_ref(Some("HEAD~0"), LONG).unwrap().0;
    assert_eq!(paths(&commit), ["a.py"]);
    // Objects that come later are seen as well.
    for setting in [["user.name", "a"], ["user.email", "a@example.com"]] {
        run_git(&clone, &["config", setting[0], setting[1]]);
    }
    run_git(&clone, &["add", "b.py"]);
    run_git(&clone, &["commit", "-q", "-m", "second"]);
    let commit = workspace.at_ref(Some("HEAD~0"), LONG).unwrap().0;
    assert_eq!(paths(&commit), ["a.py", "b.py"]);

    // A list that leads nowhere: what is here is indexed.
    let missing = directory.path().join("missing/objects");
    fs::remove_file(alternates(from)).unwrap();
    fs::write(alternates(&clone), format!("{}\n", missing.display())).unwrap();
    let workspace = Workspace::open(&clone, options()).unwrap();
    assert_eq!(paths(&fresh(&workspace)), ["a.py", "b.py"]);
    let lent = format!("{}\n{}/.git/objects\n", missing.display(), from.display());
    fs::write(alternates(&clone), lent).unwrap();
    let workspace = Workspace::open(&clone, options()).unwrap();
    let commit = workspace.at_ref(Some("HEAD~1"), LONG).unwrap().0;
    assert_eq!(paths(&commit), ["a.py"]);
}

/// Looking up many contents reads whole pack indexes, tens of megabytes in a large clone. They do
/// not stay in memory.
#[cfg(target_os = "linux")]
#[test]
fn an_index_run_leaves_no_pack_index_in_memory() {
    use std::{io::Write, process::Stdio};
    let fixture = Fixture::git();
    let blobs: String = (0..20_000)
        .map(|i| format!("blob\ndata {}\n{i}\n", i.to_string().len()))
        .collect();
    let mut import = std::process::Command::new("git")
        .current_dir(fixture.directory.path())
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    import
        .stdin
        .take()
        .unwrap()
        .write_all(blobs.as_bytes())
        .unwrap();
    assert!(import.wait().unwrap().success());
    for i in 0..300 {
        fixture.write(&format!("f{i}.py"), format!("def f{i}(): ...\n"));
    }
    let workspace = fixture.indexed();
    assert_eq!(workspace.live().snapshot.n_files(), 300);
    let packs = dunce::canonicalize(fixture.path(".git/objects/pack")).unwrap();
    let index = packs.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let index = index.filter(|path| path.extension().is_some_and(|end| end == "idx"));
    let size: u64 = index.map(|path| path.metadata().unwrap().len()).sum();
    let mut resident = 0;
    let mut is_pack = false;
    for line in fs::read_to_string("/proc/self/smaps").unwrap().lines() {
        match line.strip_prefix("Rss:") {
            Some(kilobytes) if is_pack => {
                let kilobytes = kilobytes.trim().trim_end_matches(" kB");
                resident += 1024 * kilobytes.parse::<u64>().unwrap();
            }
            Some(_) => {}
            None if line.contains('-') => is_pack = line.contains(packs.to_str().unwrap()),
            None => {}
        }
    }
    assert!(
        size > 500_000 && resident < size / 4,
        "{resident} of {size}"
    );
}

#[test]
fn an_index_that_cannot_be_written_is_kept_in_memory() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def a(): ...\n");
    let options = Options {
        home: Some(fixture.path("a.py")),
        ..Options::default()
    };
    let workspace = Workspace::open(fixture.directory.path(), options).unwrap();
    assert!(matches!(
        workspace.origin(),
        workspace::Origin::Memory { .. }
    ));
    assert_eq!(paths(&fresh(&workspace)), ["a.py"]);
    assert_eq!(workspace.index_directory(), None);
}

#[test]
fn the_repository_is_not_written_to() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def a(): ...\n");
    let id = fixture.commit("first");
    fixture.write("b.py", "def b(): ...\n");
    let before = listing(fixture.directory.path());
    let workspace = Workspace::open(
        fixture.directory.path(),
        Options {
            watch: true,
            ..fixture.options()
        },
    )
    .unwrap();
    fresh(&workspace);
    workspace.at_ref(Some(&id), LONG).unwrap();
    workspace
        .overlays()
        .create("w", workspace.commit("HEAD").unwrap())
        .unwrap();
    workspace.overlays().refresh("w", None).unwrap();
    workspace.collect().unwrap();
    assert_eq!(listing(fixture.directory.path()), before);
}

/// Every path below a directory with its size and time of change.
fn listing(directory: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let metadata = entry.path().symlink_metadata().unwrap();
        found.push(format!(
            "{:?} {} {:?}",
            entry.path(),
            metadata.len(),
            metadata.modified().unwrap()
        ));
        if metadata.is_dir() {
            found.extend(listing(&entry.path()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_repository_shows_no_other_directory_in_its_place() {
    let (fixture, other) = (Fixture::git(), Fixture::git());
    fixture.write("mine.py", "mine = 1\n");
    other.write("secret.py", "secret = 1\n");
    other.commit("first");
    let elsewhere = other.directory.path().to_str().unwrap();
    fixture.run(&["config", "core.worktree", elsewhere]);
    assert_eq!(paths(&fresh(&fixture.open())), ["mine.py"]);
    // A `.git` that leads elsewhere is no repository of this directory.
    fs::remove_dir_all(fixture.path(".git")).unwrap();
    fixture.write(".git", format!("gitdir: {elsewhere}/.git\n"));
    let workspace = fixture.open();
    assert_eq!(
        (workspace.is_git(), paths(&fresh(&workspace))),
        (false, vec!["mine.py".to_owned()])
    );
    #[cfg(unix)]
    {
        fs::remove_file(fixture.path(".git")).unwrap();
        std::os::unix::fs::symlink(other.path(".git"), fixture.path(".git")).unwrap();
        assert!(!fixture.open().is_git());
    }
}

#[test]
fn a_working_tree_or_submodule_that_its_repository_knows_is_one() {
    let (fixture, library) = (Fixture::git(), Fixture::git());
    library.write("l.py", "l = 1\n");
    library.commit("first");
    fixture.write("a.py", "a = 1\n");
    fixture.run(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        library.directory.path().to_str().unwrap(),
        "lib",
    ]);
    fixture.commit("first");
    let inner = Workspace::open(&fixture.path("lib"), fixture.options()).unwrap();
    assert_eq!(
        (inner.is_git(), inner.root().file_name().unwrap().to_str()),
        (true, Some("lib"))
    );
    let linked = tempfile::tempdir().unwrap();
    let path = linked.path().join("side");
    fixture.run(&[
        "worktree",
        "add",
        "-q",
        path.to_str().unwrap(),
        "-b",
        "side",
    ]);
    let workspace = Workspace::open(&path, fixture.options()).unwrap();
    assert_eq!(
        (workspace.is_git(), workspace.root()),
        (true, dunce::canonicalize(&path).unwrap().as_path())
    );
}
