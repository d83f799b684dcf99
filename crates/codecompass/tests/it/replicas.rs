//! Servers without checkouts: they answer as a clone answers, each token sees its own repositories,
//! and any replica can go while others ask.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use crate::{
    processes::HttpServer,
    remote::{Team, commit, git},
};

const ALL: &str = "a-token-for-everything";
const SHOP: &str = "a-token-for-the-shop";
const NONE: &str = "a-token-for-nothing-here";
const NAME: &str = "example.org/team/shop";

/// A server in an empty directory, with a cache of its own.
fn replica(team: &Team, name: &str) -> HttpServer {
    let place = team.directory.path().join(name);
    fs::create_dir_all(&place).unwrap();
    let arguments = [
        "serve-mcp",
        "--transport",
        "http",
        "--port",
        "0",
        "--repositories",
        "*",
        "--surface",
        "all",
    ];
    let tokens = format!("{ALL} {SHOP} repositories={NAME} {NONE} repositories=example.org/none/*");
    let mut command = team.command(&place, &arguments);
    HttpServer::run(command.env("CODECOMPASS_HTTP_TOKEN", tokens))
}

/// The result of a call in the revision that knows no sessions.
fn call(server: &HttpServer, token: &str, tool: &str, arguments: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {} } } });
    let bearer = format!("Bearer {token}");
    let headers = [
        ("Authorization", &*bearer),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    let (status, answer) = server.send("POST", "/mcp", &headers, &message.to_string());
    assert_eq!(status, 200, "{answer}");
    answer["result"].clone()
}

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// Another published repository.
fn books(team: &Team) {
    let root = team.directory.path().join("books");
    fs::create_dir_all(&root).unwrap();
    fs::write(
        root.join("ledger.py"),
        "class Ledger:\n    def total(self):\n        return 2\n",
    )
    .unwrap();
    git(&root, &["init", "-q", "-b", "main"]);
    let address = "https://example.org/secret/books.git";
    git(&root, &["remote", "add", "origin", address]);
    commit(&root);
    team.ok(&root, &["publish"]);
}

#[test]
fn a_server_without_a_checkout_answers_as_a_clone_does() {
    let team = Team::new();
    let origin = team.origin(20);
    team.ok(&origin, &["publish"]);
    fs::write(origin.join("shop/user0.py"), "def only_here(): ...\n").unwrap();
    git(&origin, &["checkout", "-q", "-b", "topic"]);
    commit(&origin);
    team.ok(&origin, &["publish"]);
    git(&origin, &["checkout", "-q", "main"]);
    let server = replica(&team, "replica");
    // There is one repository: it need not be named.
    let definition = text(&call(
        &server,
        ALL,
        "symbol",
        json!({ "symbols": ["Cart.total"] }),
    ));
    assert!(definition.contains("shop/cart.py:2"), "{definition}");
    let callers = json!({ "symbol_name": "Cart.total", "workspace": NAME, "limit": 100 });
    let references = call(&server, ALL, "find_references", callers.clone());
    let references = &references["structuredContent"];
    assert_eq!(references["total_references"], 20, "{references}");
    assert_eq!(references["metadata"]["ref"], "main");
    assert_eq!(references["metadata"]["result_completeness"], "complete");
    // Text, from the packs.
    let grep = |arguments: Value| text(&call(&server, ALL, "grep", arguments));
    let found = grep(json!({ "args": ["-n", "def pay7"], "workspace": NAME }));
    assert!(found.contains("shop/user7.py\n4:def pay7():"), "{found}");
    let everything = grep(json!({ "args": ["-l", "."], "workspace": NAME }));
    assert_eq!(everything.lines().count(), 21, "{everything}");
    // Another ref, and its commit by its id.
    let topic = json!({ "args": ["only_here"], "ref": "topic" });
    assert!(grep(topic).contains("def only_here"), "another ref");
    assert!(grep(json!({ "args": ["only_here"] })).contains("no match"));
    let id = team.ok(&origin, &["remote", "show"]);
    let id = id.lines().find(|line| line.contains(" topic ")).unwrap();
    let id = id.rsplit(' ').next().unwrap();
    let by_id = grep(json!({ "args": ["only_here"], "ref": id[..10] }));
    assert!(by_id.contains("def only_here"), "{by_id}");
    let unknown = call(
        &server,
        ALL,
        "grep",
        json!({ "args": ["x"], "ref": "nothing" }),
    );
    assert_eq!(unknown["isError"], true, "{unknown}");
    let searched = call(&server, ALL, "search_code", json!({ "query": "pay7" }));
    let first = &searched["structuredContent"]["results"][0];
    assert_eq!(first["path"], "shop/user7.py", "{searched}");
    let packed = json!({ "query": "cart total", "max_tokens": 4000, "strategy": "depth" });
    let packed = call(&server, ALL, "get_code_context", packed);
    assert!(text(&packed).contains("return 1"), "{packed}");
    // What needs a working tree is refused in words.
    let refused = text(&call(&server, ALL, "index_repo", json!({})));
    assert!(refused.contains("codecompass publish"), "{refused}");
    // A newer commit is seen without a restart.
    fs::write(origin.join("shop/user1.py"), "def newest(): ...\n").unwrap();
    commit(&origin);
    team.ok(&origin, &["publish"]);
    crate::processes::until("the newer commit", || {
        let newest = text(&call(&server, ALL, "grep", json!({ "args": ["newest"] })));
        newest.contains("def newest")
    });
    let after = call(&server, ALL, "find_references", callers);
    assert_eq!(after["structuredContent"]["total_references"], 19);
}

#[test]
fn a_token_sees_its_own_repositories_only() {
    let team = Team::new();
    team.ok(&team.origin(3), &["publish"]);
    books(&team);
    let server = replica(&team, "replica");
    let ask = |token: &str, repository: &str| {
        let asked = json!({ "symbols": ["total"], "workspace": repository });
        call(&server, token, "symbol", asked)
    };
    let ledger = text(&ask(ALL, "example.org/secret/books"));
    assert!(ledger.contains("ledger.py"), "{ledger}");
    assert!(text(&ask(SHOP, NAME)).contains("shop/cart.py"));
    // What is there and forbidden, and what is not there, are one answer.
    let forbidden = ask(SHOP, "example.org/secret/books");
    assert_eq!(forbidden["isError"], true);
    assert_eq!(forbidden, ask(SHOP, "example.org/secret/none"));
    assert_eq!(forbidden, ask(NONE, NAME));
    // Nor is it listed or counted.
    let health = |token: &str| text(&call(&server, token, "health_check", json!({})));
    assert!(health(ALL).contains("secret/books"));
    assert!(!health(SHOP).contains("books") && health(SHOP).contains("team/shop"));
    assert!(!health(NONE).contains("team/shop"));
    // Of several repositories one must be named; the only one of a token need not be.
    let unnamed = text(&call(
        &server,
        ALL,
        "symbol",
        json!({ "symbols": ["total"] }),
    ));
    assert!(
        unnamed.contains("example.org/secret/books, example.org/team/shop"),
        "{unnamed}"
    );
    let only = text(&call(
        &server,
        SHOP,
        "symbol",
        json!({ "symbols": ["total"] }),
    ));
    assert!(
        only.contains("shop/cart.py") && !only.contains("ledger"),
        "{only}"
    );
}

#[test]
fn an_answer_that_lacks_something_of_the_store_says_so() {
    let team = Team::new();
    let origin = team.origin(80);
    // More text than is read along with what a question needs.
    for i in 0..60_u64 {
        let line = |j: u64| {
            let number = (i * 1_000 + j + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            format!(
                "def f{number:x}(): return \"{:x}\"\n",
                number.rotate_left(29)
            )
        };
        let text: String = (0..80).map(line).collect();
        fs::write(origin.join(format!("shop/long{i}.py")), text).unwrap();
    }
    commit(&origin);
    team.ok(&origin, &["publish"]);
    let server = replica(&team, "replica");
    let asked = json!({ "symbols": ["Cart.total"], "show": ["callers"] });
    // The tables are read now, and few texts.
    call(&server, ALL, "symbol", json!({ "symbols": ["pay1"] }));
    let bucket = team.directory.path().join("bucket");
    fs::rename(&bucket, team.directory.path().join("away")).unwrap();
    fs::create_dir(&bucket).unwrap();
    // Nor does the disk have them.
    fs::remove_dir_all(team.directory.path().join("home-replica")).unwrap();
    let without = call(&server, ALL, "grep", json!({ "args": ["-c", "return"] }));
    let without = text(&without);
    assert!(
        without.contains("cannot be read") || without.contains("remote store"),
        "{without}"
    );
    fs::remove_dir(&bucket).unwrap();
    fs::rename(team.directory.path().join("away"), &bucket).unwrap();
    crate::processes::until("the store is back", || {
        let answer = text(&call(&server, ALL, "symbol", asked.clone()));
        answer.contains("pay79") && !answer.contains("note:")
    });
}

/// One is killed and another started cold while clients ask through whoever is there.
#[test]
fn replicas_come_and_go() {
    let team = Team::new();
    team.ok(&team.origin(20), &["publish"]);
    let first = replica(&team, "first");
    let second = replica(&team, "second");
    let (is_over, n_answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ask = |server: &HttpServer| {
        let asked = json!({ "symbol_name": "Cart.total", "limit": 100 });
        let answer = call(server, ALL, "find_references", asked);
        assert_eq!(answer["structuredContent"]["total_references"], 20);
        n_answers.fetch_add(1, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    ask(&second);
                }
            });
        }
        ask(&first);
        drop(first);
        let third = replica(&team, "third");
        for _ in 0..5 {
            ask(&third);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(n_answers.load(Ordering::Relaxed) > 10);
    assert!(Path::new(&team.directory.path().join("third")).exists());
}

#[test]
fn one_question_is_asked_of_many_repositories() {
    let team = Team::new();
    team.ok(&team.origin(3), &["publish"]);
    books(&team);
    let server = replica(&team, "replica");
    let places = |token: &str, tool: &str, arguments: Value| -> Vec<(String, String)> {
        let answer = call(&server, token, tool, arguments);
        let results = answer["structuredContent"]["results"].as_array().cloned();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let results = results.unwrap_or_else(|| panic!("{answer}"));
        results
            .iter()
            .map(|item| (text(&item["repository"]), text(&item["path"])))
            .collect()
    };
    let located = json!({ "name": "total", "workspace": "*" });
    let pair = |repository: &str, path: &str| (repository.to_owned(), path.to_owned());
    let in_shop = pair(NAME, "shop/cart.py");
    let in_books = pair("example.org/secret/books", "ledger.py");
    let found = places(ALL, "locate_symbol", located.clone());
    assert_eq!(found, [in_books.clone(), in_shop.clone()]);
    // A token's scope is what `*` means.
    let of_shop = places(SHOP, "locate_symbol", located.clone());
    assert_eq!(of_shop, [in_shop]);
    assert!(places(NONE, "locate_symbol", located).is_empty());
    let searched = json!({ "query": "Ledger total", "workspace": "example.org/*" });
    let found = places(ALL, "search_code", searched);
    assert_eq!(found[0], in_books, "{found:?}");
    assert!(found.iter().any(|place| place.0 == NAME), "{found:?}");
    // A list; one that may not be asked is as one that is not there.
    let list = |names: &str| json!({ "symbols": ["Cart"], "workspace": names });
    let told = text(&call(
        &server,
        ALL,
        "symbol",
        list("example.org/secret/books, example.org/team/shop"),
    ));
    assert!(told.starts_with("# example.org/team/shop\n"), "{told}");
    assert!(!told.contains("secret"), "{told}");
    let forbidden = call(
        &server,
        SHOP,
        "symbol",
        list("example.org/team/shop,example.org/secret/books"),
    );
    assert_eq!(forbidden["isError"], true);
    assert_eq!(
        forbidden,
        call(
            &server,
            SHOP,
            "symbol",
            list("example.org/team/shop,example.org/secret/none")
        )
    );
    let grep = json!({ "args": ["-n", "def total"], "workspace": "*" });
    let found = text(&call(&server, ALL, "grep", grep.clone()));
    assert!(
        found.contains("# example.org/secret/books\nledger.py\n2:"),
        "{found}"
    );
    assert!(
        found.contains("# example.org/team/shop\nshop/cart.py\n2:"),
        "{found}"
    );
    assert!(!text(&call(&server, SHOP, "grep", grep)).contains("books"));
    let asked = json!({ "question": "where is the ledger", "workspace": "*" });
    let found = text(&call(&server, ALL, "find", asked));
    assert!(
        found.starts_with("# example.org/secret/books\nledger.py"),
        "{found}"
    );
    let nothing = json!({ "args": ["no such text"], "workspace": "*" });
    let nothing = text(&call(&server, ALL, "grep", nothing));
    assert_eq!(nothing, "nothing in 2 repositories\n");
}
