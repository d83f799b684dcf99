//! The command line as people and scripts meet it: real processes, what they print, and how they
//! end.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A repository, and a home of its own for the index.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(place.root()).unwrap();
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    fn shop() -> Place {
        Place::new(&[
            ("shop/__init__.py", ""),
            (
                "shop/cart.py",
                "class Base:\n    pass\n\n\nclass Cart(Base):\n    def total(self):\n        return 1\n\n    def empty(self):\n        return 0\n",
            ),
            (
                "shop/app.py",
                "from shop.cart import Cart\n\n\ndef pay():\n    cart = Cart()\n    return cart.total()\n\n\ndef main():\n    pay()\n",
            ),
        ])
    }

    fn root(&self) -> PathBuf {
        dunce::canonicalize(self.directory.path())
            .unwrap()
            .join("repository")
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Done {
        self.run_in(&self.root(), arguments, &[])
    }

    fn run_in(&self, directory: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Done {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
        command
            .args(arguments)
            .current_dir(directory)
            .env("CODECOMPASS_HOME", self.home())
            .env_remove("NO_COLOR");
        for (name, value) in environment {
            command.env(name, value);
        }
        Done(command.output().unwrap())
    }
}

struct Done(Output);

impl Done {
    fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    fn out(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    fn err(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out())
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out(), self.err()))
    }

    #[track_caller]
    fn is(&self, code: i32) -> &Done {
        assert_eq!(
            self.code(),
            code,
            "stdout: {}\nstderr: {}",
            self.out(),
            self.err()
        );
        self
    }
}

#[test]
fn a_search_on_a_directory_never_indexed_just_works() {
    let place = Place::shop();
    let found = place.run(&["search", "total"]);
    found.is(0);
    assert!(
        found.out().starts_with("shop/cart.py:6:9: "),
        "{}",
        found.out()
    );
    assert!(found.err().contains("indexed 3 files"), "{}", found.err());
    assert!(!found.out().contains('\x1b'), "plain when piped");
    // The next one finds the index, and what changed meanwhile.
    place.write("shop/late.py", "def arrived_late():\n    pass\n");
    let found = place.run(&["search", "arrived_late"]);
    assert!(
        found.is(0).out().starts_with("shop/late.py:1:5: "),
        "{}",
        found.out()
    );
    assert!(!found.err().contains("indexed"), "{}", found.err());
    assert!(
        !place.root().join(".codecompass").exists(),
        "nothing is written into the repository"
    );
}

#[test]
fn the_exit_status_tells_found_from_nothing_from_errors() {
    let place = Place::shop();
    place.run(&["search", "Cart"]).is(0);
    place.run(&["search", "zzqxv"]).is(1);
    place
        .run(&["search", "Cart", "--ref", "no-such-branch"])
        .is(2);
    place.run(&["search", "--lang", "klingon", "Cart"]).is(2);
    place.run(&["refs", "NoSuchSymbol"]).is(1);
    place.run(&["outline", "no/such/file.py"]).is(2);
    place.run(&["search"]).is(2);
    place.run(&["frobnicate"]).is(2);
    place.run(&["index", "--path", "/no/such/directory"]).is(2);
}

#[test]
fn without_arguments_three_next_steps_are_shown() {
    let shown = Place::shop().run(&[]);
    assert_eq!(
        shown
            .is(0)
            .out()
            .lines()
            .filter(|line| line.starts_with("  codecompass "))
            .count(),
        3,
        "{}",
        shown.out()
    );
}

#[test]
fn the_version_names_the_commit() {
    let shown = Place::shop().run(&["--version"]);
    let out = shown.is(0).out();
    assert!(
        out.starts_with(concat!("codecompass ", env!("CARGO_PKG_VERSION"), " (")),
        "{out}"
    );
}

#[test]
fn a_tool_of_one_set_is_called_where_several_have_its_name() {
    let place = Place::shop();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let mut command = Command::new("git");
        command.args(identity).args(arguments);
        assert!(
            command
                .current_dir(place.root())
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    place.write("shop/cart.py", "class Cart:\n    pass\n");
    let text = place.run(&["call", "--surface", "agent", "check_change"]);
    let out = text.is(0).out();
    assert!(
        out.contains("shop/app.py") && !out.starts_with('{'),
        "{out}"
    );
    let json = place.run(&["call", "check_change"]).json();
    assert_eq!(json["verdict"], "breaks");
}

#[test]
fn help_names_the_program_and_every_own_flag() {
    let place = Place::shop();
    let grep = place.run(&["grep", "--help"]);
    let out = grep.is(0).out();
    for part in [
        "Usage: codecompass grep [FLAGS] PATTERN",
        "--ref REF",
        "--path DIR",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let call = place.run(&["call", "--help"]);
    assert!(
        call.is(0).out().contains("Usage: codecompass call "),
        "{}",
        call.out()
    );
    let tool = place.run(&["call", "check_change", "--help"]);
    let out = tool.is(0).out();
    assert!(out.contains("Absent for a removed file"), "{out}");
    let callers = place.run(&["callers", "--help"]);
    assert!(callers.is(0).out().contains("1 to 5"), "{}", callers.out());
    place.run(&["search", "total", "--limit", "0"]).is(2);
}

#[test]
fn an_inherited_member_is_named_through_the_type_that_inherits_it() {
    let place = Place::shop();
    place.write(
        "shop/more.py",
        "from shop.cart import Cart\n\n\nclass Gift(Cart):\n    pass\n",
    );
    let refs = place.run(&["refs", "Gift.total"]);
    assert!(
        refs.is(0).out().contains("shop/app.py:6:17"),
        "{}",
        refs.out()
    );
    let note = "note: Gift.total is inherited from Cart";
    assert!(refs.err().contains(note), "{}", refs.err());
    let definition = place.run(&["definition", "Gift.total"]);
    assert!(
        definition.is(0).out().starts_with("shop/cart.py:6:9: "),
        "{}",
        definition.out()
    );
    assert!(definition.err().contains(note), "{}", definition.err());
}

#[test]
fn json_is_what_the_tools_answer() {
    let place = Place::shop();
    let found = place
        .run(&["search", "total", "--json", "--limit", "1"])
        .json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert_eq!(found["metadata"]["freshness_status"], "fresh");
    let called = place
        .run(&[
            "call",
            "search_code",
            "--json",
            r#"{"query":"total","limit":1}"#,
        ])
        .json();
    assert_eq!(found, called);
    let outline = place.run(&["outline", "shop/cart.py", "--json"]).json();
    assert_eq!(outline["file_path"], "shop/cart.py");
    for (command, tool, arguments) in [
        (
            vec!["definition", "Cart"],
            "locate_symbol",
            r#"{"name":"Cart"}"#,
        ),
        (
            vec!["refs", "Cart", "-n", "20"],
            "find_references",
            r#"{"symbol_name":"Cart"}"#,
        ),
        (
            vec!["callers", "total", "-n", "20"],
            "get_call_graph",
            r#"{"symbol_name":"total","direction":"callers"}"#,
        ),
        (
            vec!["callees", "pay", "-n", "20"],
            "get_call_graph",
            r#"{"symbol_name":"pay","direction":"callees"}"#,
        ),
        (
            vec!["outline", "shop/cart.py"],
            "get_file_outline",
            r#"{"path":"shop/cart.py"}"#,
        ),
        (
            vec!["related", "total", "--scope", "module"],
            "find_related_symbols",
            r#"{"symbol_name":"total","scope":"module"}"#,
        ),
        (
            vec!["context", "total", "--max-tokens", "300"],
            "get_code_context",
            r#"{"query":"total","max_tokens":300}"#,
        ),
    ] {
        let mut command = command;
        command.push("--json");
        let called = place.run(&["call", tool, "--json", arguments]).json();
        assert_eq!(place.run(&command).json(), called, "{command:?}");
    }
}

#[test]
fn context_related_and_compare_for_people() {
    let place = Place::shop();
    let context = place.run(&["context", "total", "--strategy", "depth"]);
    assert!(
        context.is(0).out().contains("fn shop.cart.Cart.total"),
        "{}",
        context.out()
    );
    let small = place.run(&["context", "total", "--max-tokens", "1"]);
    assert!(small.is(1).err().contains("did not fit"), "{}", small.err());
    let related = place.run(&["related", "total"]);
    assert!(
        related.is(0).out().contains("same file"),
        "{}",
        related.out()
    );
    let git = |arguments: &[&str]| {
        let identity = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        assert!(
            Command::new("git")
                .args(identity)
                .args(arguments)
                .current_dir(place.root())
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    let same = place.run(&["compare", "Cart.total", "HEAD"]);
    assert!(same.is(0).out().ends_with("unchanged\n"), "{}", same.out());
    let json = place
        .run(&["compare", "Cart.total", "HEAD", "--json"])
        .json();
    assert_eq!(
        json["diff_summary"],
        serde_json::json!({ "status": "unchanged" })
    );
    place.run(&["compare", "nowhere_at_all", "HEAD"]).is(1);
}

#[test]
fn path_and_workspace_mean_the_same() {
    let place = Place::shop();
    let elsewhere = tempfile::tempdir().unwrap();
    let root = place.root();
    let root = root.to_str().unwrap();
    for flag in ["--path", "--workspace"] {
        let found = place.run_in(elsewhere.path(), &["search", "total", flag, root], &[]);
        assert!(
            found
                .is(0)
                .out()
                .starts_with(&format!("{root}/shop/cart.py:6:9: ")),
            "{}",
            found.out()
        );
        place
            .run_in(elsewhere.path(), &["index", flag, root], &[])
            .is(0);
        place
            .run_in(
                elsewhere.path(),
                &[
                    "call",
                    "search_code",
                    flag,
                    root,
                    "--json",
                    r#"{"query":"total"}"#,
                ],
                &[],
            )
            .is(0);
    }
}

#[test]
fn paths_are_seen_from_the_current_directory() {
    let place = Place::shop();
    // Only a repository is found from within.
    assert!(
        Command::new("git")
            .args(["init", "-q"])
            .current_dir(place.root())
            .status()
            .unwrap()
            .success()
    );
    let found = place.run_in(&place.root().join("shop"), &["definition", "Cart"], &[]);
    assert!(
        found
            .is(0)
            .out()
            .starts_with("cart.py:5:7: class shop.cart.Cart"),
        "{}",
        found.out()
    );
    let found = place.run_in(&place.root().join("shop"), &["outline", "cart.py"], &[]);
    assert!(
        found.is(0).out().contains("cart.py:6:9:   "),
        "{}",
        found.out()
    );
}

#[test]
fn an_ambiguous_name_is_answered_for_the_best_with_the_others_beside() {
    let place = Place::shop();
    place.write(
        "tests/test_tax.py",
        "def total(): ...\ndef test_total():\n    total()\n",
    );
    let callers = place.run(&["callers", "total"]);
    assert_eq!(callers.is(0).out(), "shop/app.py:6:17: fn shop.app.pay\n");
    let told = callers.err();
    assert!(told.contains("note: this is shop/cart.py:6:9: "), "{told}");
    assert!(told.contains("  also tests/test_tax.py:1:5: "), "{told}");
    // The contract of the tools has an error for it.
    place.run(&["callers", "total", "--json"]).is(2);
}

#[test]
fn references_calls_types_and_definitions() {
    let place = Place::shop();
    let refs = place.run(&["refs", "Cart.total"]);
    assert!(
        refs.is(0)
            .out()
            .starts_with("shop/app.py:6:17: call in shop.app.pay"),
        "{}",
        refs.out()
    );
    let callers = place.run(&["callers", "total", "--depth", "2"]);
    assert_eq!(
        callers.is(0).out(),
        "shop/app.py:6:17: fn shop.app.pay\nshop/app.py:10:5:   fn shop.app.main\n"
    );
    let callees = place.run(&["callees", "pay", "--json"]).json();
    assert!(
        callees["callees"]
            .as_array()
            .unwrap()
            .iter()
            .any(|edge| edge["symbol"]["name"] == "total"),
        "{callees}"
    );
    let types = place.run(&["hierarchy", "Cart"]);
    assert_eq!(
        types.is(0).out(),
        "shop/cart.py:1:7: class shop.cart.Base (extends)\n"
    );
    let definition = place.run(&["definition", "shop/app.py:6:18", "--explain"]);
    assert!(
        definition.is(0).out().starts_with("shop/cart.py:6:9: "),
        "{}",
        definition.out()
    );
    assert!(definition.out().contains("static"), "{}", definition.out());
    // An empty list says what became of the name.
    let unused = place.run(&["refs", "empty"]);
    assert!(
        unused
            .is(1)
            .err()
            .contains("0 references to shop.cart.Cart.empty"),
        "{}",
        unused.err()
    );
}

#[test]
fn graphs_are_drawn() {
    let place = Place::shop();
    let mermaid = place.run(&["callers", "total", "--depth", "2", "--format", "mermaid"]);
    assert!(
        mermaid.is(0).out().starts_with("flowchart LR\n"),
        "{}",
        mermaid.out()
    );
    assert_eq!(mermaid.out().matches("-->").count(), 2, "{}", mermaid.out());
    assert!(
        place
            .run(&["hierarchy", "Base", "--format", "dot"])
            .is(0)
            .out()
            .starts_with("digraph {")
    );
    let svg = place
        .run(&["callees", "main", "--depth", "3", "--format", "svg"])
        .is(0)
        .out();
    assert!(
        svg.starts_with("<svg ") && svg.contains("shop.cart.Cart.total"),
        "{svg}"
    );
}

#[test]
fn skipped_files_are_never_silent() {
    let place = Place::shop();
    place.write(".env", "TOKEN=hunter2\n");
    fs::write(place.root().join("picture.bin"), [0u8, 1, 2, 0, 255, 254]).unwrap();
    place.write("large.py", &"x = 1\n".repeat(400_000));
    let index = place.run(&["index"]);
    assert!(index.is(0).out().contains("3 skipped"), "{}", index.out());
    let status = place.run(&["status"]);
    assert!(
        status
            .is(0)
            .out()
            .contains("too_large 1, binary 1, credential 1"),
        "{}",
        status.out()
    );
    let listed = place.run(&["status", "--skipped"]).is(0).out();
    assert!(
        listed.contains(".env: credential") && listed.contains("large.py: too_large"),
        "{listed}"
    );
    assert!(
        place
            .run(&["doctor", "--quick"])
            .is(0)
            .out()
            .contains("credential 1")
    );
    assert!(place.run(&["search", "hunter2"]).code() == 1);
}

#[test]
fn status_before_and_after() {
    let place = Place::shop();
    let before = place.run(&["status"]);
    assert!(
        before.is(1).out().contains("not_indexed"),
        "{}",
        before.out()
    );
    assert!(place.run(&["init"]).is(0).out().contains("registered "));
    place.run(&["index"]).is(0);
    let again = place.run(&["sync"]);
    assert!(
        again.is(0).out().contains("nothing changed"),
        "{}",
        again.out()
    );
    let after = place.run(&["status", "--json"]).is(0).json();
    assert_eq!(
        (&after["index_status"], &after["file_count"]),
        (&Value::from("ready"), &Value::from(3))
    );
}

#[test]
fn init_has_servers_serve_the_repository_until_clean() {
    let place = Place::shop();
    let root = place.root().to_str().unwrap().to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    let asked = serde_json::json!({ "workspace": root, "path": "shop/cart.py" }).to_string();
    let outline = ["call", "get_file_outline", "--json", &asked];
    let here = elsewhere.path().to_str().unwrap();
    let call = |more: &[&str]| place.run_in(elsewhere.path(), &[&outline, more].concat(), &[]);
    let refused = |done: Done| {
        let error = done.is(2).err();
        assert!(error.contains("workspace_not_registered"), "{error}");
    };
    refused(call(&[]));
    place.run(&["init"]).is(0);
    let answer = call(&[]).is(0).json();
    assert_eq!(answer["symbols"][0]["name"], "Base", "{answer}");
    // Directories that are named are a limit.
    refused(call(&["--workspace", here]));
    place.run(&["clean"]).is(0);
    refused(call(&[]));
}

/// A repository whose index looks as if a former version had found no symbols in it.
fn indexed_by_a_former_version() -> Place {
    let place = Place::shop();
    place.run(&["index"]).is(0);
    let file = walk(&place.home())
        .into_iter()
        .find(|file| file.ends_with("index.db"))
        .unwrap();
    let connection = rusqlite::Connection::open(file).unwrap();
    connection
        .execute_batch("DELETE FROM definition; UPDATE content SET version = 0;")
        .unwrap();
    place
}

#[test]
fn facts_of_a_former_version_are_made_again_before_an_answer() {
    let place = indexed_by_a_former_version();
    let refs = place.run(&["refs", "Cart"]);
    assert!(
        refs.is(0).err().contains(
            "3 files were indexed by a former version of codecompass; they are read again"
        ),
        "{}",
        refs.err()
    );
    assert!(refs.out().contains("shop/app.py:5:12: "), "{}", refs.out());
    let again = place.run(&["refs", "Cart"]);
    assert_eq!(
        (again.is(0).out(), again.err().contains("former version")),
        (refs.out(), false)
    );
    assert_eq!(
        place.run(&["status", "--json"]).is(0).json()["outdated_files"],
        Value::from(0)
    );
}

#[test]
fn facts_of_a_former_version_are_not_silent() {
    let place = indexed_by_a_former_version();
    let found = place.run(&["doctor", "--quick"]);
    assert!(
        found
            .is(0)
            .out()
            .contains("3 files were indexed by a former version"),
        "{}",
        found.out()
    );
    let status = place.run(&["status", "--json"]).is(0).json();
    assert_eq!(
        (
            &status["outdated_files"],
            &status["metadata"]["freshness_status"]
        ),
        (&Value::from(3), &Value::from("stale"))
    );
    // Who wants an answer at once is told what it is worth.
    let hasty = place.run_in(
        &place.root(),
        &["refs", "Cart"],
        &[("CODECOMPASS_QUERY_FRESHNESS_POLICY", "best_effort")],
    );
    assert!(
        hasty
            .err()
            .contains("former version of codecompass; `codecompass sync` reads them again"),
        "{}",
        hasty.err()
    );
}

#[test]
fn doctor_ends_in_a_verdict() {
    let place = Place::shop();
    place.run(&["index"]).is(0);
    let out = place.run(&["doctor", "--quick"]).is(0).out();
    assert!(
        out.lines().last().unwrap().starts_with("verdict: healthy"),
        "{out}"
    );
    place.write(
        ".codecompass/config.toml",
        "[query]\nfreshnes_policy = \"strict\"\n",
    );
    let sick = place.run(&["doctor", "--quick"]);
    assert!(
        sick.is(2)
            .out()
            .lines()
            .last()
            .unwrap()
            .starts_with("verdict: something is wrong"),
        "{}",
        sick.out()
    );
}

#[test]
fn doctor_tells_programs_too() {
    let place = Place::shop();
    place.write(".env", "TOKEN=hunter2\n");
    place.run(&["index"]).is(0);
    let told = place.run(&["doctor", "--quick", "--json"]).is(0).json();
    assert_eq!(told["verdict"], "note", "{told}");
    let findings = told["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding["what"] == "skipped files" && finding["text"] == "credential 1"),
        "{told}"
    );
}

#[test]
fn doctor_lists_every_language_server_and_marks_those_that_no_test_runs() {
    let place = Place::shop();
    let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
    // Nothing is installed where there is nothing to look through.
    command
        .args(["doctor", "--json"])
        .current_dir(place.root())
        .env("CODECOMPASS_HOME", place.home())
        .env("PATH", place.home());
    let output = command.output().unwrap();
    let told: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let findings = told["findings"].as_array().unwrap();
    let catalogue = language_servers::Catalogue::builtin();
    assert!(
        catalogue.servers.iter().any(|server| server.tested)
            && catalogue.servers.iter().any(|server| !server.tested)
    );
    for server in &catalogue.servers {
        let what = format!("{} ({})", server.name, server.language);
        let finding = findings
            .iter()
            .find(|finding| finding["what"] == what.as_str())
            .unwrap_or_else(|| panic!("no {what}: {told}"));
        let text = finding["text"].as_str().unwrap();
        assert!(
            text.starts_with("not installed; to install: ") && text.contains(&server.install),
            "{finding}"
        );
        assert_eq!(text.ends_with("; untested"), !server.tested, "{finding}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colours_unless_it_wants_none() {
    // util-linux's `script` runs a command on a terminal of its own.
    let on_terminal = |place: &Place, environment: &[(&str, &str)]| {
        let mut command = Command::new("script");
        let search = format!("'{}' definition Cart", env!("CARGO_BIN_EXE_codecompass"));
        command
            .args(["-qec", &search, "/dev/null"])
            .current_dir(place.root());
        command
            .env("CODECOMPASS_HOME", place.home())
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
        command
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let place = Place::shop();
    place.run(&["index"]).is(0);
    // Not every machine has it.
    let Ok(painted) = on_terminal(&place, &[]) else {
        return;
    };
    assert!(
        painted.contains("\x1b[35mshop/cart.py\x1b[0m:\x1b[32m5\x1b[0m:\x1b[32m7\x1b[0m"),
        "{painted:?}"
    );
    let plain = on_terminal(&place, &[("NO_COLOR", "1")]).unwrap();
    assert!(
        plain.contains("shop/cart.py:5:7: class shop.cart.Cart"),
        "{plain:?}"
    );
    assert!(
        !on_terminal(&place, &[("TERM", "dumb")])
            .unwrap()
            .contains("\x1b[35m")
    );
}

#[test]
fn branches_and_commits_are_asked_without_a_checkout() {
    let place = Place::shop();
    let git = |arguments: &[&str]| {
        let all = [
            &["-c", "user.name=a", "-c", "user.email=a@localhost"],
            arguments,
        ]
        .concat();
        assert!(
            Command::new("git")
                .args(all)
                .current_dir(place.root())
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    git(&["checkout", "-q", "-b", "side"]);
    place.write("shop/side.py", "def only_on_side():\n    pass\n");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "side"]);
    git(&["checkout", "-q", "main"]);
    place.run(&["search", "only_on_side"]).is(1);
    let found = place.run(&["search", "only_on_side", "--ref", "side"]);
    assert!(
        found.is(0).out().starts_with("shop/side.py:1:5: "),
        "{}",
        found.out()
    );
    assert!(
        place
            .run(&["index", "--ref", "side", "--force"])
            .is(0)
            .out()
            .starts_with("4 files")
    );
    assert!(
        place
            .run(&["sync", "--ref", "side"])
            .is(0)
            .out()
            .contains("nothing changed")
    );
    place
        .run(&["outline", "shop/side.py", "--ref", "side"])
        .is(0);
    place.run(&["outline", "shop/side.py"]).is(2);
    assert!(!place.root().join("shop/side.py").exists());
}

#[test]
fn settings_have_their_effect() {
    let place = Place::shop();
    place.write(".env", "TOKEN=hunter2\n");
    place.write("large.txt", &"filler ".repeat(1000));
    let elsewhere = place.directory.path().join("elsewhere");
    let data = format!("storage.data_dir={}", elsewhere.display());
    let index = place.run(&[
        "index",
        "--json",
        "--set",
        &data,
        "--set",
        "index.max_file_size=5000",
        "--set",
        "index.credentials=true",
    ]);
    assert_eq!(
        (
            index.is(0).json()["files"].as_u64(),
            index.json()["skipped"].as_u64()
        ),
        (Some(4), Some(1))
    );
    assert!(elsewhere.join("repositories").exists() && !place.home().join("repositories").exists());
    place
        .run(&[
            "search",
            "hunter2",
            "--set",
            &data,
            "--set",
            "index.credentials=true",
        ])
        .is(0);
    // How much of a score is explained, by the legacy key, the new one, and not at all.
    let reasons = |setting: &str| {
        place
            .run(&["search", "Cart", "--json", "--set", setting])
            .json()["metadata"]["ranking_reasons"]
            .is_array()
    };
    assert!(reasons("debug.ranking_reasons=true") && reasons("query.ranking_explain_level=full"));
    assert!(!reasons("query.ranking_explain_level=off"));
    let wrong = place.run(&[
        "search",
        "Cart",
        "--set",
        "query.freshness_policy=sometimes",
    ]);
    assert!(
        wrong
            .is(2)
            .err()
            .contains("it takes strict, balanced, best_effort"),
        "{}",
        wrong.err()
    );
    let wrong = place.run(&["search", "Cart", "--set", "search.default_limit=0"]);
    assert!(
        wrong.is(2).err().contains("a number from 1 to 100"),
        "{}",
        wrong.err()
    );
    let wrong = place.run_in(
        &place.root(),
        &["search", "Cart"],
        &[("CODECOMPASS_SEARCH_DEFAULT_LIMIT", "many")],
    );
    assert!(
        wrong
            .is(2)
            .err()
            .contains("CODECOMPASS_SEARCH_DEFAULT_LIMIT"),
        "{}",
        wrong.err()
    );
}

#[test]
fn clean_removes_what_it_says() {
    let place = Place::shop();
    place.run(&["index"]).is(0);
    let cleaned = place.run(&["clean"]);
    assert!(
        cleaned.is(0).out().starts_with("removed "),
        "{}",
        cleaned.out()
    );
    place.run(&["search", "Cart"]).is(0);
    place.run(&["trust"]).is(0);
    let all = place.run(&["clean", "--all"]);
    assert!(
        all.is(0).out().contains("repositories") && all.out().contains("trust.toml"),
        "{}",
        all.out()
    );
    let left: Vec<_> = walk(&place.home());
    assert!(left.is_empty(), "{left:?}");
    assert!(place.root().join("shop/cart.py").exists());
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut rest = vec![directory.to_path_buf()];
    while let Some(directory) = rest.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                rest.push(entry.path())
            } else {
                files.push(entry.path())
            }
        }
    }
    files
}

#[test]
fn configuration_tells_where_each_value_comes_from() {
    let place = Place::shop();
    place.write(".codecompass/config.toml", "[search]\ndefault_limit = 1\n");
    let shown = place.run(&["config"]).is(0).out();
    assert!(
        shown.contains("search.default_limit = 1  # ")
            && shown.contains(".codecompass/config.toml:2"),
        "{shown}"
    );
    assert!(
        shown.contains("query.freshness_policy = \"balanced\"  # default"),
        "{shown}"
    );
    let shown = place
        .run_in(
            &place.root(),
            &["config", "--json"],
            &[("CODECOMPASS_SEARCH_DEFAULT_LIMIT", "7")],
        )
        .json();
    assert_eq!(shown["search.default_limit"]["value"], 7);
    assert_eq!(
        shown["search.default_limit"]["origin"],
        "$CODECOMPASS_SEARCH_DEFAULT_LIMIT"
    );
    // It has an effect, and a flag wins.
    assert_eq!(
        place.run(&["search", "Cart", "--json"]).json()["results"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        place
            .run(&[
                "search",
                "Cart",
                "--json",
                "--set",
                "search.default_limit=2"
            ])
            .json()["results"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    place.write(".codecompass/config.toml", "[search]\n\ndefault_limt = 1\n");
    let wrong = place.run(&["search", "Cart"]);
    assert!(
        wrong.is(0).err().contains(
            "config.toml:3: unknown key `search.default_limt`; the nearest is `default_limit`"
        ),
        "{}",
        wrong.err()
    );
}

#[test]
fn names_with_escapes_reach_no_terminal() {
    let place = Place::new(&[("a.py", "def plain():\n    pass\n")]);
    place.write("b\u{1b}[2J.py", "def hidden_here():\n    pass\n");
    let found = place.run(&["search", "hidden_here"]);
    assert!(!found.is(0).out().contains('\x1b'), "{:?}", found.out());
}

#[test]
fn completions_and_manual_come_from_the_definitions() {
    let place = Place::shop();
    assert!(
        place
            .run(&["completions", "bash"])
            .is(0)
            .out()
            .contains("--workspace")
    );
    assert!(place.run(&["man"]).is(0).out().contains(".TH codecompass"));
}

#[test]
fn a_reader_that_has_read_enough_ends_a_command_quietly() {
    let place = Place::shop();
    for arguments in [&[] as &[&str], &["config"], &["status"], &["index"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_codecompass"))
            .args(arguments)
            .current_dir(place.root())
            .env("CODECOMPASS_HOME", place.home())
            .stdout(writer)
            .output()
            .unwrap();
        let done = Done(output);
        assert!(!done.is(0).err().contains("panicked"), "{}", done.err());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_index_is_usable_and_goes_on() {
    use std::process::Stdio;
    let place = Place::new(&[]);
    for i in 0..3_000 {
        let body: String = (0..40)
            .map(|n| format!("def work_{i}_{n}(x):\n    return work_{i}_{}(x)\n\n", n + 1))
            .collect();
        place.write(&format!("m{}/f{i}.py", i % 50), &body);
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_codecompass"));
    child
        .arg("index")
        .current_dir(place.root())
        .env("CODECOMPASS_HOME", place.home())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(400));
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ended = child.wait_with_output().unwrap();
    // On a very fast machine it may have been done before.
    assert!(matches!(ended.status.code(), Some(130 | 0)), "{:?}", ended);
    let found = place.run(&["search", "work_2999_7"]);
    assert!(
        found.is(0).out().contains("f2999.py"),
        "{}{}",
        found.out(),
        found.err()
    );
}

#[test]
fn tests_to_run_and_dead_code() {
    let place = Place::new(&[
        ("go.mod", "module example.com/shop\n"),
        (
            "cart.go",
            "package shop\n\nfunc Total() int { return sum() }\n\nfunc sum() int { return 1 }\n\nfunc gone() {}\n",
        ),
        (
            "cart_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) { Total() }\n\nfunc TestNothing(t *testing.T) {}\n",
        ),
    ]);
    let tests = place.run(&["tests", "sum"]);
    assert_eq!(
        tests.is(0).out(),
        "cart_test.go:5:1: sure  TestTotal calls Total calls sum\ngo test . -run '^(TestTotal)$'\n"
    );
    let commands = place.run(&["tests", "cart.go", "--commands"]);
    assert_eq!(commands.is(0).out(), "go test . -run '^(TestTotal)$'\n");
    let json = place.run(&["tests", "sum", "--json"]).json();
    assert_eq!(json["tests"][0]["steps"][1]["name"], "Total");
    assert_eq!(json["complete"], true);
    place.run(&["tests", "gone"]).is(1);
    place.run(&["tests"]).is(2);

    let dead = place.run(&["dead"]);
    let out = dead.is(0).out();
    assert!(
        out.starts_with("cart.go:7:6: fn ") && out.ends_with("gone  proven\n"),
        "{out}"
    );
    let json = place.run(&["dead", "cart.go", "--json"]).json();
    assert_eq!(json["proven"][0]["last_line"], 7);
    place.run(&["dead", "cart_test.go"]).is(1);
    place.run(&["dead", "nowhere"]).is(2);

    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let mut command = Command::new("git");
        let command = command.args(identity).args(["-c", "commit.gpgsign=false"]);
        let status = command.args(arguments).current_dir(place.root()).status();
        assert!(status.unwrap().success());
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    place.run(&["tests", "--changed"]).is(1);
    place.write(
        "cart.go",
        "package shop\n\nfunc Total() int { return sum() }\n\nfunc sum() int { return 2 }\n",
    );
    let changed = place.run(&["tests", "--changed", "--commands"]);
    assert_eq!(changed.is(0).out(), "go test . -run '^(TestTotal)$'\n");
    place.write("go.mod", "module example.com/shop\n\ngo 1.22\n");
    let changed = place.run(&["tests", "--changed", "--commands"]);
    assert_eq!(changed.is(0).out(), "go test ./...\n");

    // Of several with one name, one is answered for, and the others are told.
    place.write(
        "more/more.go",
        "package more\n\nfunc sum() int { return 2 }\n",
    );
    let tests = place.run(&["tests", "sum"]);
    tests.is(0);
    assert!(
        tests.err().contains("  also more/more.go:3:6: fn "),
        "{}",
        tests.err()
    );
}
