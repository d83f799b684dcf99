//! Wrong arguments get one line that says what to send instead.

use expect_test::expect;
use serde_json::json;

use super::{AgentServer, SHOP};

#[test]
fn wrong_arguments_are_answered_with_right_ones() {
    let server = AgentServer::new(SHOP);
    for (tool, arguments, expected) in [
        (
            "symbol",
            json!({}),
            expect![[r#"
            error: missing field `symbols`; send for example {"symbols": ["Cart.total"], "show": ["callers"]}
        "#]],
        ),
        (
            "symbol",
            json!({ "symbols": [] }),
            expect![[r#"
            error: `symbols` is empty; send names such as "Cart.total", or "path:line"
        "#]],
        ),
        (
            "symbol",
            json!({ "symbols": ["Cart"], "show": ["colour"] }),
            expect![[r#"
                error: `show[0]` must be one of "definition", "signature", "callers", "callees", "references", "implementations", "overrides", "supertypes", "subtypes", "tests", "dead", "history", "outline", "source"; send for example {"symbols": ["Cart.total"], "show": ["callers"]}
            "#]],
        ),
        (
            "symbol",
            json!({ "symbols": ["Cart"], "ref": "no-such-branch" }),
            expect![[r#"
                error: `no-such-branch` names no commit that this repository holds; send a branch, tag or commit that exists here, or no `ref` for the working tree
            "#]],
        ),
        (
            "symbol",
            json!({ "symbols": ["Cart"], "workspace": "/nowhere" }),
            expect![[r#"
                error: the workspace is not one of those this server was started with: add `--workspace DIR`, or `--auto-workspace --allowed-root DIR`
            "#]],
        ),
        (
            "symbol",
            json!({ "symbols": ["Crat"] }),
            expect![[r#"
            error: no symbol `Crat`; search with `find`
        "#]],
        ),
        (
            "symbol",
            json!({ "symbols": ["shop/crat.py:3-9"] }),
            expect![[r#"
                error: no file `shop/crat.py`
            "#]],
        ),
        (
            "symbol",
            json!({ "symbols": ["shop/cart.py:900-999"] }),
            expect![[r#"
                shop/cart.py has 21 lines
            "#]],
        ),
        (
            "symbol",
            json!({ "symbols": 5 }),
            expect![[r#"
            error: `symbols[0]` must be a string, not a number; send for example {"symbols": ["Cart.total"], "show": ["callers"]}
        "#]],
        ),
        (
            "find",
            json!({ "question": "" }),
            expect![[r#"
            error: `question` is empty; send words, a message, a stack trace, names or paths
        "#]],
        ),
        (
            "find",
            json!({ "question": "cart", "budget": 0 }),
            expect![[r#"
                error: `budget` 0 is too small; send at least 100, or none for 1200
            "#]],
        ),
        (
            "find",
            json!({ "question": "cart", "budget": "many" }),
            expect![[r#"
                error: `budget` must be an integer, not a string; send for example {"question": "where are sessions stored"}
            "#]],
        ),
        (
            "find",
            json!({ "question": "cart", "colour": "red" }),
            expect![[r#"
                error: unknown field `colour`; known fields: question, budget, ref, workspace; send for example {"question": "where are sessions stored"}
            "#]],
        ),
    ] {
        server.check(tool, arguments, expected);
    }
}

#[test]
fn ten_thousand_names_are_answered_for_the_first() {
    let server = AgentServer::new(SHOP);
    let names: Vec<String> = (0..10_000).map(|i| format!("name{i}")).collect();
    let error = server
        .call("symbol", json!({ "symbols": names }))
        .unwrap_err();
    assert!(error.len() < 3_000, "{error}");
    assert!(
        error.contains("; 9980 names left out: send at most 20 at once"),
        "{error}"
    );
    let mut names = names;
    names[3] = "log".to_owned();
    let answer = server.answer("symbol", json!({ "symbols": names }));
    assert!(
        answer.contains("9980 names left out: send at most 20 at once"),
        "{answer}"
    );
    let question = names.join("\n");
    assert!(server.call("find", json!({ "question": question })).is_ok());
}
