//! What an agent meets: the tools over stdio, `call`, `grep` and `hook`, with the real program.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A repository with its own index.
struct Shop {
    directory: TempDir,
    home: TempDir,
}

impl Shop {
    fn new() -> Shop {
        let shop = Shop {
            directory: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        shop.write(
            "cart.py",
            "class Cart:\n    def total(self):\n        return 1\n",
        );
        shop.write(
            "app.py",
            "from cart import Cart\n\n\n@route\ndef checkout(cart: Cart):\n    return cart.total()\n",
        );
        shop.git(&["init", "-q", "-b", "main"]);
        shop.commit("first");
        shop
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.directory.path().join(path), text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.directory.path())
            .status();
        assert!(done.unwrap().success());
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("CODECOMPASS_HOME", self.home.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .stdout(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a run prints, with its exit status.
    #[track_caller]
    fn said(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), text)
    }

    /// What a run prints that reads `input`.
    fn fed(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut process = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = process.stdin.take().unwrap();
        // A program that has read enough closes its input.
        let _ = stdin.write_all(input);
        drop(stdin);
        process.wait_with_output().unwrap()
    }
}

#[test]
fn a_question_that_needs_no_index_does_not_wait_for_it() {
    let shop = Shop::new();
    for i in 0..1_000 {
        shop.write(&format!("f{i}.py"), "x = 1\n");
    }
    const NOTE: &str =
        "note: answered without an index; `codecompass index` makes later answers quick\n";
    let told = |arguments: &[&str]| {
        let output = shop.run(arguments);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let commands: [&[&str]; 6] = [
        &["callers", "Cart.total"],
        &["refs", "total"],
        &["definition", "checkout"],
        &["definition", "app.py:6:17"],
        &["outline", "app.py"],
        &[
            "call",
            "symbol",
            "--json",
            r#"{"symbol": "total", "show": "callers"}"#,
        ],
    ];
    let cold: Vec<(String, String)> = commands.iter().map(|command| told(command)).collect();
    for ((stdout, stderr), command) in cold.iter().zip(commands) {
        let expected = if command.contains(&"app.py:6:17") {
            "cart.py:2:9: fn cart.Cart.total"
        } else {
            "checkout"
        };
        assert!(stdout.contains(expected), "{command:?}: {stdout}");
        assert!(stderr.contains(NOTE), "{command:?}: {stderr}");
    }
    // A misspelt name is held against the words of the files.
    let (_, stderr) = told(&["definition", "chekout"]);
    assert!(stderr.contains("nearest: checkout"), "{stderr}");
    assert!(!stderr.contains("indexed"), "{stderr}");
    let (_, stderr) = told(&["search", "price of all items"]);
    assert!(stderr.contains("indexed 1,002 files"), "{stderr}");
    for ((stdout, stderr), command) in cold.iter().zip(commands) {
        let expected = (stdout.clone(), stderr.replace(NOTE, ""));
        assert_eq!(told(command), expected, "{command:?}");
    }
}

#[test]
fn a_session_of_the_agents_tools() {
    let shop = Shop::new();
    assert!(shop.run(&["index"]).status.success());
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "symbol", "arguments": { "symbol": "Cart.total", "show": "callers" } } }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "symbol", "arguments": { "symbols": ["Crat"] } } }),
    ];
    let input: String = messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    let output = shop.fed(&["serve-mcp", "--surface", "agent"], input.as_bytes());
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let result = |id: i64| {
        let answer = answers.iter().find(|answer| answer["id"] == id);
        &answer.unwrap_or_else(|| panic!("no answer {id}: {answers:?}"))["result"]
    };
    let instructions = result(0)["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("`find` locates code"),
        "{instructions}"
    );
    let tools = result(1)["tools"].as_array().unwrap();
    assert!(tools.len() <= 4);
    for tool in tools {
        assert!(tool.get("outputSchema").is_none(), "{tool}");
    }
    let n_tokens = tools::tokens::count(&result(1).to_string());
    assert!(n_tokens <= 700, "the list has {n_tokens} tokens");
    expect![[r#"{"content":[{"type":"text","text":"cart.py:2-3 def Cart.total(self)\ncallers: 1 in 1 file\napp.py\n  5 checkout  6\n"}],"isError":false}"#]]
    .assert_eq(&result(2).to_string());
    expect![[
        r#"{"content":[{"type":"text","text":"no symbol `Crat`; search with `find`\n"}],"isError":true}"#
    ]]
    .assert_eq(&result(3).to_string());
}

#[test]
fn call_prints_an_agents_answer_as_it_is_and_tells_about_tools() {
    let shop = Shop::new();
    let ask = r#"{"symbols": ["Cart.total"], "show": ["callers"]}"#;
    let (status, said) = shop.said(&["call", "symbol", "--json", ask]);
    assert_eq!(
        (status, said.as_str()),
        (
            0,
            "cart.py:2-3 def Cart.total(self)\ncallers: 1 in 1 file\napp.py\n  5 checkout  6\n"
        )
    );
    assert_eq!(shop.said(&["call", "symbol", ask]), (0, said));
    let wrong = shop.run(&["call", "find", "where is the total"]);
    let wrong = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.contains("`codecompass call find --help`"), "{wrong}");
    let (status, help) = shop.said(&["call", "symbol", "--help"]);
    assert_eq!(status, 0);
    assert!(help.starts_with("symbol: "), "{help}");
    assert!(
        help.contains("\n  symbols (list of string, required)"),
        "{help}"
    );
    assert!(
        help.contains("\n  show (list of one of definition, "),
        "{help}"
    );
    assert_eq!(shop.said(&["call", "--list", "symbol"]).1, help);
    let (_, list) = shop.said(&["call", "--list"]);
    for line in list.lines() {
        let (name, what) = line.split_once('\t').unwrap();
        assert!(
            !name.is_empty() && !what.is_empty() && what.len() < 200,
            "{line}"
        );
    }
    assert!(
        list.lines().any(|line| line.starts_with("find\t")),
        "{list}"
    );
    let (status, usage) = shop.said(&["call", "--help"]);
    assert!(status == 0 && usage.contains("--json"), "{usage}");
    let missing = shop.run(&["call", "symbl"]);
    let missing = String::from_utf8(missing.stderr).unwrap();
    assert!(missing.contains("did you mean `symbol`?"), "{missing}");
}

#[test]
fn call_asks_about_the_repository_around_where_none_is_named() {
    let shop = Shop::new();
    let ask = r#"{"query": "total"}"#;
    let (status, said) = shop.said(&["call", "symbols.search", ask]);
    assert!(status == 0 && said.contains("Cart.total"), "{said}");
    let strict = shop.run(&["call", "--strict-contract", "symbols.search", ask]);
    let strict = String::from_utf8(strict.stderr).unwrap();
    assert!(strict.contains("missing field `repo_path`"), "{strict}");
}

#[test]
fn a_call_waits_for_the_index_that_its_answer_needs() {
    let shop = Shop::new();
    let functions: String = (0..400)
        .map(|i| format!("def f{i}(cart):\n    return cart.total() + f{i}(cart)\n"))
        .collect();
    for i in 0..400 {
        shop.write(&format!("part{i}.py"), &functions);
    }
    let question = r#"{"patch": "--- a/cart.py\n+++ b/cart.py\n@@ -2,1 +2,1 @@\n-    def total(self):\n+    def sum(self):\n"}"#;
    let (status, said) = shop.said(&["call", "check_change", question]);
    assert!(status == 0 && said.contains(r#""verdict""#), "{said}");
    let (_, said) = shop.said(&["call", "symbol", r#"{"symbols": "Cart.total"}"#]);
    assert!(!said.contains("under way"), "{said}");
}

#[test]
fn grep_has_ripgreps_flags_and_searches_commits() {
    let shop = Shop::new();
    assert_eq!(
        shop.said(&["grep", "-n", "total"]),
        (
            0,
            "app.py:6:    return cart.total()\ncart.py:2:    def total(self):\n".to_owned()
        )
    );
    // `-v` is ripgrep's, not ours.
    assert_eq!(
        shop.said(&["grep", "-v", "-c", "Cart"]),
        (0, "app.py:4\ncart.py:2\n".to_owned())
    );
    assert_eq!(shop.said(&["grep", "nothing_like_it"]), (1, String::new()));
    let refused = shop.run(&["grep", "--pcre2", "x"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8(refused.stderr)
            .unwrap()
            .contains("--pcre2")
    );

    shop.write("cart.py", "class Basket:\n    pass\n");
    shop.commit("second");
    let old = (0, "cart.py:2:    def total(self):\n".to_owned());
    assert_eq!(
        shop.said(&["grep", "-n", "def total", "--ref", "HEAD~1"]),
        old
    );
    // Once the commit is indexed, the index says which files to read.
    assert!(shop.run(&["index", "--ref", "HEAD~1"]).status.success());
    assert_eq!(shop.said(&["grep", "-n", "def total", "--ref=HEAD~1"]), old);
    assert_eq!(shop.said(&["grep", "-n", "def total"]), (1, String::new()));
    assert_eq!(
        shop.said(&["grep", "-n", "--symbols", "def total", "--ref", "HEAD~1"]),
        (
            0,
            "cart.py:2:    def total(self):  [Cart.total]\n".to_owned()
        )
    );
    assert_eq!(
        shop.run(&["grep", "x", "--ref", "nowhere"]).status.code(),
        Some(2)
    );
    assert_eq!(
        shop.said(&["grep", "-n", "--symbols", "checkout"]),
        (
            0,
            "app.py:5:def checkout(cart: Cart):  [checkout]\n".to_owned()
        )
    );
    let sub = shop.directory.path().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("more.py"), "def inner():\n    checkout()\n").unwrap();
    let in_sub = shop
        .command(&["grep", "-n", "--symbols", "checkout"])
        .current_dir(&sub)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(in_sub.stdout).unwrap(),
        "more.py:2:    checkout()  [inner]\n"
    );
    assert!(Path::new(&sub).exists());
}

#[test]
fn a_hook_adds_definitions_and_is_silent_when_unsure() {
    let shop = Shop::new();
    let root = shop.directory.path().to_str().unwrap().to_owned();
    let used = |pattern: &str| {
        json!({ "session_id": "s", "hook_event_name": "PostToolUse", "cwd": root,
            "tool_name": "Grep", "tool_input": { "pattern": pattern }, "tool_response": "" })
        .to_string()
    };
    let prompted = |prompt: &str| {
        json!({ "hook_event_name": "UserPromptSubmit", "cwd": root, "prompt": prompt }).to_string()
    };
    // A busy machine may be slow; what is tested here is what it says.
    let patient = ["hook", "--patience", "60000", "--min-files", "1"];
    let said = |arguments: &[&str], payload: &str| {
        let output = shop.fed(arguments, payload.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said(&patient, &used("checkout")), "", "nothing is indexed");
    assert!(shop.run(&["index"]).status.success());
    let answer: Value = serde_json::from_str(&said(&patient, &used("checkout"))).unwrap();
    let added = &answer["hookSpecificOutput"];
    assert_eq!(added["hookEventName"], "PostToolUse");
    let text = added["additionalContext"].as_str().unwrap();
    assert!(
        text.ends_with(":\napp.py:5 def checkout(cart: Cart)\n"),
        "{text}"
    );
    let trace = "it fails:\n  File \"/srv/app.py\", line 6, in checkout\nTypeError in Cart.total()";
    let answer: Value = serde_json::from_str(&said(&patient, &prompted(trace))).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(
        text.contains("app.py:5") && text.contains("cart.py:2"),
        "{text}"
    );
    for (what, payload) in [
        ("no symbol", used("no_such_thing")),
        ("an expression", used("[a-z]+_x")),
        ("prose", prompted("please make everything nicer")),
        ("no JSON", "{".to_owned()),
        (
            "another version",
            json!({ "event": 1, "data": [] }).to_string(),
        ),
        ("10 MB", prompted(&"checkout ".repeat(1_200_000))),
    ] {
        assert_eq!(said(&patient, &payload), "", "{what}");
    }
    assert_eq!(
        said(&["hook", "--patience", "60000"], &used("checkout")),
        "",
        "a small repository"
    );
    assert_eq!(
        said(
            &["hook", "--patience", "0", "--min-files", "1"],
            &used("checkout")
        ),
        ""
    );
}

/// The manifests say what the program is called and which version it has.
#[test]
fn plugins_start_this_program() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let read = |path: &str| -> Value {
        let text = fs::read_to_string(plugins.join(path)).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    for (plugin, manifest) in [
        ("claude-code", ".claude-plugin/plugin.json"),
        ("codex", ".codex-plugin/plugin.json"),
    ] {
        let manifest = read(&format!("{plugin}/{manifest}"));
        assert_eq!(manifest["name"], "codecompass");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        let server = &read(&format!("{plugin}/.mcp.json"))["mcpServers"]["codecompass"];
        assert_eq!(server["args"], json!(["serve-mcp", "--surface", "agent"]));
        let hooks = &read(&format!("{plugin}/hooks/hooks.json"))["hooks"];
        for event in ["UserPromptSubmit", "PostToolUse"] {
            let command = hooks[event][0]["hooks"][0]["command"].as_str().unwrap();
            assert!(command.contains("codecompass hook") && command.ends_with("|| true"));
        }
        let skill = plugins.join(plugin).join("skills/codecompass/SKILL.md");
        let skill = fs::read_to_string(skill).unwrap();
        assert!(
            skill.starts_with("---\nname: codecompass\ndescription: "),
            "{skill}"
        );
    }
    // The marketplaces from which both clients install them.
    let claude = read(".claude-plugin/marketplace.json");
    let codex = read(".agents/plugins/marketplace.json");
    assert_eq!(claude["plugins"][0]["source"], "./claude-code");
    assert_eq!(codex["plugins"][0]["source"]["path"], "./codex");
    for marketplace in [claude, codex] {
        assert_eq!(marketplace["plugins"][0]["name"], "codecompass");
    }
}
