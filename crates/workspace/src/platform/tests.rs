//! What is below a root, on every system.

use std::{fs, io, path::Path};

use super::*;

fn root() -> (tempfile::TempDir, Root) {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("src/deep")).unwrap();
    fs::write(directory.path().join("src/deep/a.py"), "a = 1\r\n").unwrap();
    fs::write(directory.path().join("b.py"), "b = 1\n").unwrap();
    let root = Root::open(directory.path()).unwrap();
    (directory, root)
}

fn names(root: &Root, directory: &str) -> Vec<String> {
    let mut listing = root.list(directory).unwrap();
    let mut names: Vec<_> = std::iter::from_fn(|| listing.next())
        .map(|entry| entry.unwrap().0.unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn directories_are_listed_and_files_read() {
    let (_directory, root) = root();
    assert_eq!(names(&root, ""), ["b.py", "src"]);
    assert_eq!(names(&root, ""), ["b.py", "src"], "a second time");
    assert_eq!(names(&root, "src/deep"), ["a.py"]);
    let (bytes, before, after) = root.read("src/deep/a.py", 100).unwrap();
    assert_eq!(bytes, b"a = 1\r\n");
    assert_eq!(before, after);
    assert_eq!(before.size, 7);
    let (bytes, ..) = root.read("src/deep/a.py", 2).unwrap();
    assert_eq!(bytes, b"a =", "one byte more tells that there is more");
}

#[test]
fn more_entries_than_one_answer_of_the_system_holds() {
    let (directory, root) = root();
    fs::create_dir(directory.path().join("many")).unwrap();
    for i in 0..1500 {
        fs::write(directory.path().join(format!("many/file_{i:04}.py")), "").unwrap();
    }
    let names = names(&root, "many");
    assert_eq!(names.len(), 1500);
    assert_eq!(names[1499], "file_1499.py");
}

#[test]
fn a_listing_and_a_look_say_the_same() {
    let (_directory, root) = root();
    let mut listing = root.list("src/deep").unwrap();
    let (_, listed) = listing.next().unwrap().unwrap();
    let looked = root.stat("src/deep/a.py").unwrap();
    assert_eq!(listed.unwrap(), looked);
    let (_, stat) = root.open_file("src/deep/a.py").unwrap();
    assert_eq!(looked, PathEntry::File(stat));
    assert_eq!(root.stat("src").unwrap(), PathEntry::Directory);
    let age = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos() as i64
        - stat.mtime;
    assert!(age.abs() < 600 * 1_000_000_000, "{age} ns");
}

#[test]
fn an_edit_and_a_replacement_show_in_the_metadata() {
    let (directory, root) = root();
    let before = root.stat("b.py").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    fs::write(directory.path().join("b.py"), "b = 2\n").unwrap();
    let edited = root.stat("b.py").unwrap();
    assert_ne!(before, edited);
    // The same size and time of writing, under the same name.
    let new = directory.path().join("new.py");
    std::thread::sleep(Duration::from_millis(50));
    fs::write(&new, "b = 3\n").unwrap();
    let written = fs::metadata(directory.path().join("b.py"))
        .unwrap()
        .modified()
        .unwrap();
    fs::File::options()
        .write(true)
        .open(&new)
        .unwrap()
        .set_modified(written)
        .unwrap();
    fs::rename(&new, directory.path().join("b.py")).unwrap();
    assert_ne!(edited, root.stat("b.py").unwrap());
}

#[test]
fn what_is_not_there() {
    let (_directory, root) = root();
    let kind = |path: &str| root.stat(path).unwrap_err().kind();
    assert_eq!(kind("c.py"), io::ErrorKind::NotFound);
    assert_eq!(kind("none/c.py"), io::ErrorKind::NotFound);
    assert_eq!(
        root.open_file("none/c.py").unwrap_err().kind(),
        io::ErrorKind::NotFound
    );
    assert_eq!(
        root.open_file("src").unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
    assert!(root.list("b.py").is_err());
    assert!(Root::open(Path::new("none")).is_err());
}

#[test]
fn no_path_leads_out() {
    let (directory, _) = root();
    let root = Root::open(&directory.path().join("src")).unwrap();
    for path in [
        "../b.py",
        "deep/../../b.py",
        "/b.py",
        "..",
        r"..\b.py",
        r"deep\..\..\b.py",
    ] {
        assert!(root.open_file(path).is_err(), "{path}");
        assert!(root.stat(path).is_err() || path == "..", "{path}");
    }
    let outside = directory.path().join("b.py");
    assert!(root.open_file(outside.to_str().unwrap()).is_err());
}

/// What Windows alone has: names in any case, reserved names, streams, long paths, junctions.
#[cfg(windows)]
mod windows {
    use super::*;

    #[test]
    fn a_name_is_what_the_directory_says() {
        let (directory, root) = root();
        assert!(directory.path().join("B.PY").exists());
        assert_eq!(
            root.stat("B.PY").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        fs::rename(directory.path().join("b.py"), directory.path().join("B.py")).unwrap();
        assert!(root.stat("b.py").is_err());
        assert!(root.stat("B.py").is_ok());
    }

    #[test]
    fn names_that_windows_cannot_have_are_not_there() {
        let (_directory, root) = root();
        for path in [
            "b.py:stream",
            "b.py::$DATA",
            "b*",
            "b?py",
            r"src\deep\a.py",
            "CON",
            "a\0b",
        ] {
            assert!(root.stat(path).is_err(), "{path}");
            assert!(root.open_file(path).is_err(), "{path}");
        }
    }

    /// Under a verbatim path any program may make them, and git does.
    #[test]
    fn reserved_names_and_long_paths_are_files() {
        let (directory, root) = root();
        let verbatim = directory.path().canonicalize().unwrap();
        fs::write(verbatim.join("aux.py"), "x = 1\n").unwrap();
        assert_eq!(root.read("aux.py", 100).unwrap().0, b"x = 1\n");
        assert!(matches!(root.stat("aux.py"), Ok(PathEntry::File(_))));
        let name = "d".repeat(100);
        let long = format!("{name}/{name}/{name}/a.py");
        fs::create_dir_all(verbatim.join(&name).join(&name).join(&name)).unwrap();
        fs::write(verbatim.join(long.replace('/', r"\")), "y = 1\n").unwrap();
        assert_eq!(root.read(&long, 100).unwrap().0, b"y = 1\n");
        assert!(matches!(root.stat(&long), Ok(PathEntry::File(_))));
    }

    #[test]
    fn a_file_that_another_has_to_itself_is_busy() {
        use std::os::windows::fs::OpenOptionsExt;
        let (directory, root) = root();
        let path = directory.path().join("b.py");
        let held = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .share_mode(0)
            .open(path)
            .unwrap();
        assert!(is_busy_error(&root.open_file("b.py").unwrap_err()));
        assert!(root.stat("b.py").is_ok(), "its metadata can be had");
        drop(held);
        assert!(root.open_file("b.py").is_ok());
    }

    #[test]
    fn others_may_rename_and_remove_what_we_have_open() {
        let (directory, root) = root();
        let (file, _) = root.open_file("src/deep/a.py").unwrap();
        fs::rename(
            directory.path().join("src/deep/a.py"),
            directory.path().join("c.py"),
        )
        .unwrap();
        fs::remove_file(directory.path().join("c.py")).unwrap();
        drop(file);
        assert!(root.stat("src/deep/a.py").is_err());
    }

    /// A junction needs no rights. Wine makes none: its `mklink` fails, and the test says so.
    #[test]
    fn junctions_are_not_followed() {
        let (directory, root) = root();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.py"), "secret = 1\n").unwrap();
        let made = std::process::Command::new("cmd")
            .args(["/c", "mklink", "/J"])
            .args([&directory.path().join("out"), outside.path()])
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            eprintln!("NOT TESTED: `mklink /J` made no junction");
            return;
        }
        assert!(directory.path().join("out/secret.py").exists());
        assert_eq!(root.stat("out").unwrap(), PathEntry::SymbolicLink);
        for error in [
            root.open_file("out/secret.py").err(),
            root.list("out").err(),
        ] {
            assert!(is_link_error(&error.unwrap()));
        }
        assert!(is_link_error(&root.stat("out/secret.py").unwrap_err()));
    }
}
