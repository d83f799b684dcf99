//! `grep` on small repositories.

use expect_test::expect;
use serde_json::json;

use super::{AgentServer, SHOP, commit};

#[test]
fn lines_are_grouped_by_file_and_say_their_symbol() {
    let server = AgentServer::new(SHOP);
    server.check(
        "grep",
        json!({ "args": ["-w", "log"] }),
        expect![[r#"
        shop/app.py
        10:    return log(cart.total(
        14:def log(amount):
    "#]],
    );
    server.check(
        "grep",
        json!({ "args": "--symbols -w log" }),
        expect![[r#"
        shop/app.py
        [checkout]
        10:    return log(cart.total(
        [log]
        14:def log(amount):
    "#]],
    );
    server.check(
        "grep",
        json!({ "args": ["-l", "total", "shop"] }),
        expect![[r#"
            shop/app.py
            shop/cart.py
            shop/report.py
        "#]],
    );
}

#[test]
fn another_commit_is_searched_without_checkout() {
    let server = AgentServer::new(SHOP);
    std::fs::write(server.directory.path().join("shop/app.py"), "\n").unwrap();
    commit(&server.directory, "second");
    let ask = |reference: &str| json!({ "args": ["log"], "ref": reference });
    assert_eq!(server.answer("grep", ask("main")), "no match\n");
    for (what, arguments) in [
        ("not indexed", ask("HEAD~1")),
        (
            "in the arguments",
            json!({ "args": ["--ref", "HEAD~1", "log"] }),
        ),
    ] {
        let answer = server.answer("grep", arguments);
        assert!(answer.starts_with("shop/app.py\n"), "{what}: {answer}");
    }
    // Indexed, only files that can match are read.
    server.answer("symbol", json!({ "symbols": ["log"], "ref": "HEAD~1" }));
    let answer = server.answer("grep", ask("HEAD~1"));
    assert!(answer.starts_with("shop/app.py\n"), "{answer}");
}

#[test]
fn arguments_of_other_search_tools_are_understood() {
    let server = AgentServer::new(SHOP);
    let expected = server.answer(
        "grep",
        json!({ "args": ["-i", "-g", "*.py", "-e", "TOTAL", "tests"] }),
    );
    assert!(expected.contains("test_total"), "{expected}");
    for arguments in [
        json!({ "args": "rg -i -g '*.py' -e TOTAL tests" }),
        json!({ "pattern": "TOTAL", "path": "tests", "glob": "*.py", "-i": true }),
        json!({ "command": "-i -g \"*.py\" TOTAL tests" }),
    ] {
        assert_eq!(
            server.answer("grep", arguments.clone()),
            expected,
            "{arguments}"
        );
    }
}

#[test]
fn what_cannot_be_searched_is_one_line() {
    let server = AgentServer::new(SHOP);
    for (arguments, expected) in [
        (
            json!({}),
            expect![[r#"
            error: missing field `args`; send for example {"args": ["-w", "total", "src"]}
        "#]],
        ),
        (
            json!({ "args": [] }),
            expect![[r#"
            error: grep: a search requires at least one pattern; see --help
        "#]],
        ),
        (
            json!({ "args": ["("] }),
            expect![[r#"
            error: grep: regex parse error: (?:() ^ error: unclosed group
        "#]],
        ),
        (
            json!({ "args": ["--pre", "cat", "x"] }),
            expect![[r#"
            error: grep: ripgrep's flag --pre is not available here: no other programs are started
        "#]],
        ),
        (
            json!({ "args": ["--colour-me", "x"] }),
            expect![[r#"
            error: grep: unrecognized flag --colour-me
        "#]],
        ),
        (
            json!({ "args": ["x", "/etc"] }),
            expect![[r#"
            error: grep: /etc: outside of the workspace
        "#]],
        ),
        (
            json!({ "args": ["x"], "ref": "no-such-ref" }),
            expect![[r#"
                error: `no-such-ref` names no commit that this repository holds; send a branch, tag or commit that exists here, or no `ref` for the working tree
            "#]],
        ),
    ] {
        server.check("grep", arguments, expected);
    }
}

#[test]
fn long_output_ends_within_its_budget() {
    let mut files = String::new();
    for i in 0..300 {
        files += &format!("//- m{i}.py\n{}", "word = 1\n".repeat(40));
    }
    files += &format!("//- long.txt\n{}\n", "word ".repeat(200_000));
    let server = AgentServer::new(&files);
    let answer = server.answer("grep", json!({ "args": ["word"] }));
    assert!(crate::tokens::count(&answer) <= 6_100);
    assert!(
        answer.ends_with("left out: the rest; narrow by a path, -g or -m, or list files with -l\n")
    );
}
