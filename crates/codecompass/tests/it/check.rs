//! `codecompass check` as people and CI meet it: real processes on real git repositories.

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

/// A git repository with one commit, and a home of its own for the index.
struct Repository {
    directory: tempfile::TempDir,
}

struct Checked {
    code: i32,
    out: String,
    err: String,
}

const CART: &str =
    "def total(items):\n    count = len(items)\n    return count\n\n\ndef size():\n    return 1\n";
const APP: &str =
    "from shop.cart import total, size\n\n\ndef pay():\n    return total([]) + size()\n";

impl Repository {
    fn shop() -> Repository {
        let repository = Repository {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(repository.root()).unwrap();
        repository.write("shop/__init__.py", "");
        repository.write("shop/cart.py", CART);
        repository.write("app.py", APP);
        repository.write(".gitignore", "ignored.py\n");
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit("one");
        repository
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("repository")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let output = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(self.root())
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn check(&self, arguments: &[&str]) -> Checked {
        self.check_with(arguments, "")
    }

    fn check_with(&self, arguments: &[&str], input: &str) -> Checked {
        self.run(&[&["check"], arguments].concat(), input)
    }

    fn run(&self, arguments: &[&str], input: &str) -> Checked {
        let mut process = Command::new(env!("CARGO_BIN_EXE_codecompass"))
            .args(arguments)
            .current_dir(self.root())
            .env("CODECOMPASS_HOME", self.directory.path().join("home"))
            .env_remove("GITHUB_SERVER_URL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        process
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        let output = process.wait_with_output().unwrap();
        Checked {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Checked {
    #[track_caller]
    fn is(self, code: i32) -> Checked {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Checked {
        assert!(
            self.out.contains(text),
            "no `{text}` in\n{}{}",
            self.out,
            self.err
        );
        self
    }

    /// One line on stderr that says this.
    #[track_caller]
    fn refuses(self, text: &str) -> Checked {
        let checked = self.is(2);
        let line = checked.err.lines().find(|line| line.starts_with("error: "));
        let line = line.unwrap_or_else(|| panic!("no error in {}", checked.err));
        assert!(line.contains(text), "{line}");
        checked
    }
}

fn renamed() -> String {
    CART.replace("def total", "def sum_up")
}

#[test]
fn the_working_tree_is_held_against_head() {
    let shop = Repository::shop();
    shop.check(&[]).is(0).says("0 breaks certain");
    shop.write("shop/cart.py", &renamed());
    shop.check(&[])
        .is(1)
        .says("app.py:1:23 `total` is now `sum_up`")
        .says("1 use in this file")
        .says("~ def total(items) -> def sum_up(items)");
    // Files that git does not track belong to it, those that it ignores do not.
    shop.write("shop/cart.py", CART);
    shop.write("new.py", "from shop.cart import total\n");
    shop.write("ignored.py", "from shop.cart import nothing\n");
    shop.check(&[]).is(0).says("1 file,");
}

#[test]
fn the_index_and_ranges_are_changes_too() {
    let shop = Repository::shop();
    shop.write("shop/cart.py", &renamed());
    shop.git(&["add", "shop/cart.py"]);
    shop.write("shop/cart.py", CART);
    shop.check(&["--staged"]).is(1).says("HEAD..index");
    shop.check(&[]).is(0);
    shop.git(&["checkout", "-q", "-f", "-b", "branch"]);
    shop.write("shop/cart.py", &renamed());
    shop.commit("two");
    shop.check(&["main..branch"]).is(1).says("main..branch");
    shop.check(&["main", "branch"]).is(1);
    shop.check(&["main...branch"]).is(1);
    shop.check(&["main"]).is(1);
    // The branch broke a use, which the way back mends.
    shop.check(&["branch..main"])
        .is(0)
        .says("~ def sum_up(items) -> def total(items)");
    shop.check(&["main..main"]).is(0);
    shop.check(&["main..nowhere"])
        .refuses("`nowhere` names no commit");
    shop.check(&["a..b..c"]).refuses("names no change");
}

#[test]
fn a_patch_is_applied_in_memory() {
    let shop = Repository::shop();
    shop.write("shop/cart.py", &renamed());
    let patch = shop.git(&["diff"]);
    shop.git(&["checkout", "-q", "."]);
    shop.check_with(&["--patch", "-"], &patch)
        .is(1)
        .says("`sum_up`");
    assert_eq!(shop.git(&["status", "--porcelain"]), "");
    assert_eq!(
        fs::read_to_string(shop.root().join("shop/cart.py")).unwrap(),
        CART
    );
    let odd = patch.replace(" count = len", " n = len");
    shop.check_with(&["--patch", "-"], &odd)
        .refuses("of shop/cart.py does not apply");
    shop.check_with(&["--patch", "-"], "hello\n")
        .refuses("holds no change");
    shop.check(&["--patch", "absent.diff"])
        .refuses("cannot read the patch absent.diff");
    let outside = patch.replace("shop/cart.py", "../../etc/passwd");
    shop.check_with(&["--patch", "-"], &outside)
        .refuses("not a path below the repository's root");
}

#[test]
fn patches_of_every_shape_are_understood() {
    let shop = Repository::shop();
    let moved = "diff --git a/shop/cart.py b/shop/basket.py\nsimilarity index 100%\nrename from shop/cart.py\nrename to shop/basket.py\n";
    shop.check_with(&["--patch", "-"], moved)
        .is(1)
        .says("app.py:1:");
    let mode = "diff --git a/app.py b/app.py\nold mode 100644\nnew mode 100755\ndiff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n";
    shop.check_with(&["--patch", "-"], mode)
        .is(0)
        .says("logo.png the file is binary");
    shop.write("shop/cart.py", &renamed());
    let crlf = shop.git(&["diff"]).replace('\n', "\r\n");
    shop.git(&["checkout", "-q", "."]);
    shop.check_with(&["--patch", "-"], &crlf).is(1);
}

#[test]
fn every_format_says_the_same() {
    let shop = Repository::shop();
    shop.write("shop/cart.py", &renamed());
    let json = shop.check(&["--format", "json"]).is(1);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["verdict"], "breaks");
    assert_eq!(json["breaks"][0]["path"], "app.py");
    assert_eq!(json["breaks"][0]["confidence"], "certain");
    assert_eq!(json["breaks"][0]["after"]["signature"], "def sum_up(items)");
    shop.check(&["--format", "markdown"])
        .is(1)
        .says("### Change check: something breaks")
        .says("- `app.py:1` `total` is now `sum_up`");
    shop.check(&["--format", "github"])
        .is(1)
        .says("::error file=app.py,line=1,col=23,title=codecompass%3A renamed::");
    let sarif = shop.check(&["--format", "sarif"]).is(1);
    let sarif: Value = serde_json::from_str(&sarif.out).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "renamed");
    assert_eq!(result["level"], "error");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 1);
}

#[test]
fn histories_that_do_not_meet_and_merges_that_stopped_are_told() {
    let shop = Repository::shop();
    shop.git(&["checkout", "-q", "--orphan", "other"]);
    shop.write("shop/cart.py", &renamed());
    shop.commit("two");
    shop.check(&["main...other"]).refuses("no common history");
    shop.check(&["main..other"]).is(1);
    shop.git(&["checkout", "-q", "main"]);
    shop.git(&["checkout", "-q", "-b", "left"]);
    shop.write("app.py", "x = 1\n");
    shop.commit("left");
    shop.git(&["checkout", "-q", "-b", "right", "main"]);
    shop.write("app.py", "x = 2\n");
    shop.commit("right");
    let merge = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "merge",
            "left",
        ])
        .current_dir(shop.root())
        .output()
        .unwrap();
    assert!(!merge.status.success());
    shop.check(&[])
        .says("app.py:1 the file has conflict markers of a merge");
    shop.check(&["--staged"])
        .refuses("a merge left app.py unresolved");
}

#[test]
fn a_directory_without_commits_has_nothing_to_compare() {
    let shop = Repository {
        directory: tempfile::tempdir().unwrap(),
    };
    fs::create_dir(shop.root()).unwrap();
    shop.write("app.py", "x = 1\n");
    shop.git(&["init", "-q"]);
    shop.check(&[])
        .refuses("there is no commit to compare the working tree with");
}

#[test]
fn work_in_other_branches_and_worktrees_conflicts() {
    let shop = Repository::shop();
    // One side renames what the other begins to use, in files of their own.
    shop.git(&["checkout", "-q", "-b", "renames"]);
    shop.write("shop/cart.py", &renamed());
    shop.write("app.py", &APP.replace("total", "sum_up"));
    shop.commit("rename");
    shop.git(&["checkout", "-q", "main"]);
    shop.run(&["conflicts"], "")
        .is(0)
        .says("working tree and renames: no conflict");
    shop.write(
        "late.py",
        "from shop.cart import total\n\n\ndef late():\n    return total([1])\n",
    );
    shop.run(&["conflicts", "renames"], "")
        .is(1)
        .says("late.py:1:23 `total` is now `sum_up`")
        .says("in working tree");
    let json = shop.run(&["conflicts", "--format", "json"], "").is(1);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["conflicts"][0]["breaks"][0]["path"], "late.py");
    let other = shop.directory.path().join("other");
    shop.git(&["worktree", "add", "-q", other.to_str().unwrap(), "renames"]);
    shop.run(&["conflicts"], "").is(1).says("late.py:1:23");
    shop.run(&["conflicts", "nowhere"], "")
        .refuses("`nowhere` names no commit");
    // Both change one header.
    shop.git(&["checkout", "-q", "-b", "wider", "main"]);
    shop.write(
        "shop/cart.py",
        &CART.replace("def size()", "def size(unit)"),
    );
    shop.commit("wider");
    shop.git(&["checkout", "-q", "main"]);
    shop.write(
        "shop/cart.py",
        &CART.replace("def size()", "def size(scale, unit)"),
    );
    shop.run(&["conflicts", "wider"], "")
        .says("both change `size`")
        .says("shop/cart.py git cannot merge");
}
