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
        .says("`total` is now `sum_up`")
        .says("app.py:1:23")
        .says("1 more use in this file")
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
        .is(3)
        .says("1 file with new syntax errors")
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
    shop.check(&[]).refuses("this is not a git repository");
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

#[test]
fn a_conflict_is_on_the_side_that_wrote_the_line() {
    let shop = Repository::shop();
    let late = |argument: &str| {
        format!(
            "from shop.cart import size\n\n\ndef late():\n    return size({argument})\n\n\ndef other():\n    return 1\n"
        )
    };
    shop.write("late.py", &late(""));
    shop.commit("late");
    shop.git(&["checkout", "-q", "-b", "feature"]);
    shop.write(
        "late.py",
        &format!("{}\n\ndef later():\n    return 1 + size()\n", late("")),
    );
    shop.commit("later");
    shop.git(&["checkout", "-q", "main"]);
    shop.write(
        "shop/cart.py",
        &CART.replace("def size()", "def size(unit)"),
    );
    shop.write("late.py", &late("1"));
    shop.run(&["conflicts", "feature"], "")
        .is(1)
        .says("late.py:13:16")
        .says("in feature");
}

const TESTS: &str = "from shop.cart import total, size\n\n\ndef test_total():\n    assert total([]) == 0\n\n\ndef test_size():\n    assert size() == 1\n";

#[test]
fn tests_to_run_and_what_is_dead_belong_to_the_answer() {
    let shop = Repository::shop();
    shop.write("tests/test_cart.py", TESTS);
    shop.write(
        "main.py",
        "def _spare():\n    return 1\n\n\ndef main():\n    return _spare()\n\n\nif __name__ == \"__main__\":\n    main()\n",
    );
    shop.commit("tests");
    // A comment alone changes nothing that a test could see.
    shop.write("shop/cart.py", &format!("# Carts.\n{CART}"));
    let commented = shop.check(&[]).is(0);
    assert!(!commented.out.contains("tests to run"), "{}", commented.out);
    shop.write(
        "shop/cart.py",
        &CART.replace("return count", "return count + 1"),
    );
    shop.write(
        "main.py",
        "def _spare():\n    return 1\n\n\ndef main():\n    return 2\n\n\nif __name__ == \"__main__\":\n    main()\n",
    );
    shop.check(&[])
        .is(0)
        .says("tests to run: 1")
        .says("run: python -m pytest tests/test_cart.py::test_total")
        .says("tests/test_cart.py:4 sure test_total calls total")
        .says("main.py:1 _spare proven");
    let json = shop.check(&["--format", "json"]).is(0);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["tests"]["n_tests"], 1);
    assert_eq!(json["tests"]["tests"][0]["name"], "test_total");
    assert_eq!(json["dead"]["proven"][0]["name"], "_spare");
    shop.check(&["--format", "markdown"])
        .says("#### Tests to run")
        .says("#### Dead now")
        .says("- `main.py:1` `_spare` proven");
    let sarif = shop.check(&["--format", "sarif"]).is(0);
    let sarif: Value = serde_json::from_str(&sarif.out).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "dead");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "note");
    shop.check(&["--format", "github"])
        .says("::notice file=main.py,line=1,title=codecompass%3A dead::");
}

#[test]
fn tests_of_what_was_just_renamed_are_found() {
    let shop = Repository::shop();
    shop.write("tests/test_cart.py", TESTS);
    shop.commit("tests");
    shop.write("shop/cart.py", &renamed());
    // The tests still use the former name.
    for name in ["sum_up", "total"] {
        shop.run(&["tests", name], "")
            .is(0)
            .says("tests/test_cart.py::test_total");
    }
    shop.run(&["tests", "--changed"], "")
        .is(0)
        .says("tests/test_cart.py::test_total");
    shop.check(&[]).is(1).says("test_cart.py::test_total");
}

#[test]
fn routes_and_configuration_keys_are_contracts() {
    let shop = Repository::shop();
    let app = "import os\nfrom flask import Flask\n\napp = Flask(__name__)\n\n\n@app.route(\"/items/<int:item>\")\ndef item(item):\n    return os.environ[\"SHOP_URL\"]\n";
    shop.write("web.py", app);
    shop.write(
        "tests/test_web.py",
        "from web import app\n\n\ndef test_item():\n    app.test_client().get(\"/items/7\")\n",
    );
    shop.commit("web");
    let changed = app
        .replace("/items/<int:item>", "/things/<int:item>")
        .replace("SHOP_URL", "SHOP_ADDRESS");
    shop.write("web.py", &changed);
    shop.check(&[])
        .is(0)
        .says("routes, tables and configuration keys:")
        .says("- configuration key SHOP_URL  web.py:9")
        .says("+ configuration key SHOP_ADDRESS  web.py:9")
        .says("+ route GET /things/<int:item>  web.py:8 item")
        .says("first tests/test_web.py:5");
    let json = shop.check(&["--format", "json"]).is(0);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["interfaces"].as_array().map(Vec::len), Some(4));
}

#[test]
fn branches_are_named_on_the_command_line_as_in_the_tool() {
    let shop = Repository::shop();
    shop.git(&["checkout", "-q", "-b", "renames"]);
    shop.write("shop/cart.py", &renamed());
    shop.write("app.py", &APP.replace("total", "sum_up"));
    shop.commit("rename");
    shop.git(&["checkout", "-q", "main"]);
    shop.write("late.py", "from shop.cart import total\n");
    shop.check(&[]).is(0);
    shop.check(&["--against", "renames"])
        .is(1)
        .says("late.py:1:23 `total` is now `sum_up`");
    let json = shop
        .check(&["--against", "renames", "--format", "json"])
        .is(1);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["conflicts"][0]["breaks"][0]["path"], "late.py");
    shop.check(&["--against", "renames", "--format", "markdown"])
        .is(1)
        .says("#### Conflicts with `renames`");
    shop.check(&["--against", "nowhere"])
        .refuses("`nowhere` names no commit");
}

#[test]
fn a_timeout_holds_in_every_format() {
    let shop = Repository::shop();
    let uses = "    total([])\n".repeat(600);
    for i in 0..20 {
        let text = format!("from shop.cart import total\n\n\ndef use():\n{uses}");
        shop.write(&format!("uses/use{i}.py"), &text);
    }
    shop.commit("uses");
    shop.write(
        "shop/cart.py",
        &CART.replace("total(items)", "total(items=())"),
    );
    // Both sides are indexed now.
    shop.check(&[]).is(0);
    shop.check(&["--timeout", "0"])
        .is(3)
        .says("not complete: the time ran out");
    let json = shop.check(&["--timeout", "0", "--format", "json"]).is(3);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["verdict"], "incomplete");
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let shop = Repository::shop();
    shop.write("shop/cart.py", &renamed());
    shop.commit("two");
    let clone = Repository {
        directory: tempfile::tempdir().unwrap(),
    };
    let from = format!("file://{}", shop.root().display());
    let into = clone.root();
    let cloned = Command::new("git")
        .args(["clone", "-q", "--depth", "1", &from])
        .arg(&into)
        .output()
        .unwrap();
    assert!(cloned.status.success(), "{cloned:?}");
    clone.check(&[]).is(0);
    clone.check(&["HEAD~1"]).refuses("`HEAD~1` names no commit");
    // The parent is known by its id, and not there.
    let parent = shop.git(&["rev-parse", "HEAD~1"]);
    clone.check(&[parent.trim()]).refuses("names no commit");
}

#[test]
fn another_commit_of_a_submodule_is_not_seen_and_said_so() {
    let shop = Repository::shop();
    let link = |id: char| format!("160000,{},lib", id.to_string().repeat(40));
    shop.git(&["update-index", "--add", "--cacheinfo", &link('1')]);
    shop.git(&["commit", "-q", "-m", "one"]);
    shop.git(&["update-index", "--cacheinfo", &link('2')]);
    shop.git(&["commit", "-q", "-m", "two"]);
    shop.check(&["HEAD~1..HEAD"])
        .is(0)
        .says("lib a submodule is at another commit");
    shop.check(&["HEAD~2..HEAD"])
        .is(0)
        .says("lib a submodule is at another commit");
    let patch = shop.git(&["diff", "HEAD~1..HEAD"]);
    shop.check_with(&["--patch", "-"], &patch)
        .is(0)
        .says("lib a submodule is at another commit");
}

#[test]
fn a_change_of_ten_thousand_files_is_answered() {
    let shop = Repository::shop();
    let mut patch = String::new();
    for i in 0..10_000 {
        patch += &format!(
            "diff --git a/many/m{i}.py b/many/m{i}.py\nnew file mode 100644\n--- /dev/null\n+++ b/many/m{i}.py\n@@ -0,0 +1,2 @@\n+def f{i}():\n+    return {i}\n"
        );
    }
    shop.check_with(&["--patch", "-"], &patch)
        .is(0)
        .says("10000 files, 10000 symbols");
}

#[test]
fn line_breaks_of_files_and_patches_may_differ() {
    let shop = Repository::shop();
    shop.git(&["config", "core.autocrlf", "false"]);
    shop.write("shop/cart.py", &CART.replace('\n', "\r\n"));
    shop.commit("line breaks");
    shop.write("shop/cart.py", &renamed().replace('\n', "\r\n"));
    let patch = shop.git(&["diff"]);
    shop.git(&["checkout", "-q", "."]);
    shop.check_with(&["--patch", "-"], &patch).is(1);
    // Mail programs change line breaks.
    shop.check_with(&["--patch", "-"], &patch.replace("\r\n", "\n"))
        .is(1);
}
