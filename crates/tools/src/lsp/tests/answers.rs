//! What the tools answer from the index.

use expect_test::expect;
use serde_json::json;

use super::{SHOP, Server, with};
use crate::lsp::{Gateway, ProviderChoice};

#[test]
fn a_definition_is_found_through_imports() {
    let server = Server::new(SHOP);
    expect![[r#"
        Found 1 definition. Provider: index. Paths below ROOT, 0-based line:character:
        shop/cart.py:7:8"#]]
    .assert_eq(&server.text("definition", server.at("app.py", "cart.to$0tal()")));
    expect![[r#"
        Found 1 definition. Provider: index. Paths below ROOT, 0-based line:character:
        shop/tax.py:2:4"#]]
    .assert_eq(&server.text("definition", server.at("app.py", "ra$0te_of('at')")));
    // Local names, and names of libraries.
    expect![[r#"
        Found 1 definition. Provider: index. Paths below ROOT, 0-based line:character:
        shop/cart.py:8:21"#]]
    .assert_eq(&server.text("definition", server.at("shop/cart.py", "* ra$0te")));
    expect!["Found 0 definitions. Provider: index. Paths below ROOT, 0-based line:character:"]
        .assert_eq(&server.text("definition", server.at("app.py", "json.dum$0ps")));
}

#[test]
fn columns_are_utf16() {
    let server = Server::new(SHOP);
    // The crab before it takes two units, four bytes.
    let answer = server.answer(
        "references",
        with(
            server.at("shop/tax.py", "def tax_$0rate"),
            json!({ "pageSize": 200 }),
        ),
    );
    let places: Vec<_> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["range"].to_string())
        .collect();
    assert!(
        places.contains(
            &r#"{"start":{"line":8,"character":28},"end":{"line":8,"character":36}}"#.to_owned()
        ),
        "{places:?}"
    );
}

#[test]
fn references_leave_the_declaration_out_unless_asked() {
    let server = Server::new(SHOP);
    let at = server.at("shop/tax.py", "def tax_$0rate");
    expect![[r#"
        Returned 4 references. Provider: index. Paths below ROOT, 0-based line:character:
        app.py:1:21 5:0
        shop/cart.py:0:21 8:28"#]]
    .assert_eq(&server.text("references", at.clone()));
    let with_declaration = server.text(
        "references",
        with(at, json!({ "includeDeclaration": true })),
    );
    assert!(
        with_declaration.contains("shop/tax.py:2:4"),
        "{with_declaration}"
    );
}

#[test]
fn a_local_name_has_references_in_its_body() {
    let server = Server::new(
        "//- a.py\ndef f(x):\n    y = x\n    if x:\n        y = 2\n    return y\n\ndef g(x, y):\n    return y\n",
    );
    let at = server.at("a.py", "return $0y");
    let declared = |value| {
        server.text(
            "references",
            with(at.clone(), json!({ "includeDeclaration": value })),
        )
    };
    expect![[r#"
        Returned 2 references. Provider: index. Paths below ROOT, 0-based line:character:
        a.py:3:8 4:11"#]]
    .assert_eq(&declared(false));
    expect![[r#"
        Returned 3 references. Provider: index. Paths below ROOT, 0-based line:character:
        a.py:1:4 3:8 4:11"#]]
    .assert_eq(&declared(true));
}

#[test]
fn hover_shows_signature_and_documentation() {
    let server = Server::new(SHOP);
    expect![[r#"
        Hover available. Provider: index.

        ```python
        def tax_rate(country)
        ```
        shop.tax.tax_rate

        The value added tax of a country."#]]
    .assert_eq(&server.text("hover", server.at("app.py", "ra$0te_of('at')")));
    let answer = server.answer("hover", server.at("app.py", "ra$0te_of('at')"));
    assert_eq!(
        answer["range"],
        json!({ "start": { "line": 5, "character": 0 }, "end": { "line": 5, "character": 7 } })
    );
    let nothing = server.answer("hover", server.at("app.py", "json.dum$0ps"));
    assert_eq!(
        nothing,
        json!({ "contents": [], "summary": "No hover available. Provider: index." })
    );
}

#[test]
fn an_outline_is_flat_in_order_with_containers() {
    let server = Server::new(SHOP);
    expect![[r#"
        Returned 4 document symbols. Provider: index.
        2:6-9:37 Cart (kind 5)
        4:8-5:23 __init__ (kind 6) in Cart
        5:13-5:23 items (kind 8) in Cart
        7:8-9:37 total (kind 6) in Cart"#]]
    .assert_eq(&server.text(
        "documentSymbols",
        json!({ "uri": server.uri("shop/cart.py") }),
    ));
}

#[test]
fn a_long_outline_is_capped_and_says_so() {
    let functions: String = (0..201).map(|i| format!("def f{i:03}(): ...\n")).collect();
    let server = Server::new(&format!("//- a.py\n{functions}"));
    let answer = server.answer("documentSymbols", json!({ "uri": server.uri("a.py") }));
    assert_eq!(answer["symbols"].as_array().unwrap().len(), 200);
    assert_eq!(answer["symbols"][199]["name"], "f199");
    assert_eq!(
        answer["summary"],
        "Returned 200 document symbols. (Capped.) Provider: index."
    );
}

#[test]
fn an_endless_outline_is_refused() {
    let functions: String = (0..20_001).map(|i| format!("def f{i}(): ...\n")).collect();
    let server = Server::new(&format!("//- a.py\n{functions}"));
    assert_eq!(
        server.code("documentSymbols", json!({ "uri": server.uri("a.py") })),
        "CAP_EXCEEDED"
    );
    assert_eq!(
        server.code("workspaceSymbols", json!({ "query": "f" })),
        "CAP_EXCEEDED"
    );
}

#[test]
fn symbols_are_found_by_parts_of_their_names() {
    let server = Server::new(SHOP);
    expect![[r#"
        Returned 1 workspace symbol. Provider: index. Paths below ROOT, 0-based line:character:
        shop/tax.py:2:4 tax_rate (kind 12)"#]]
    .assert_eq(&server.text("workspaceSymbols", json!({ "query": " TaxRate " })));
    for query in ["Cart.total", "cart::total", "tot"] {
        expect![[r#"
            Returned 1 workspace symbol. Provider: index. Paths below ROOT, 0-based line:character:
            shop/cart.py:7:8 total (kind 6) in Cart"#]]
        .assert_eq(&server.text("workspaceSymbols", json!({ "query": query })));
    }
    assert_eq!(
        server.answer("workspaceSymbols", json!({ "query": "Basket.total" }))["items"],
        json!([])
    );
}

#[test]
fn broken_source_has_diagnostics_and_an_edit_shows_only_its_own() {
    let server = Server::new("//- a.py\ndef f(:\n    pass\n//- b.py\ndef g(): pass\n");
    let document = json!({ "uri": server.uri("a.py") });
    let first = server.answer("diagnostics.document", document.clone());
    assert_eq!(first["diagnostics"][0]["severity"], 1);
    assert_eq!(first["diagnostics"][0]["source"], "codecompass");
    let everywhere = server.answer("diagnostics.workspace", json!({}));
    assert_eq!(everywhere["items"].as_array().unwrap().len(), 1);
    assert_eq!(everywhere["items"][0]["diagnostics"], first["diagnostics"]);
    // The old problem moves down a line; the new one is in another file.
    server.write("//- a.py\n\ndef f(:\n    pass\n//- b.py\ndef g(: pass\n");
    let since = server.answer(
        "diagnostics.document",
        with(document, json!({ "since": first["token"] })),
    );
    assert_eq!(since["diagnostics"], json!([]));
    assert_eq!(
        since["summary"],
        "Returned 0 new diagnostics. Provider: index."
    );
    let since = server.answer(
        "diagnostics.workspace",
        json!({ "since": everywhere["token"] }),
    );
    let files: Vec<_> = since["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["uri"].as_str().unwrap())
        .collect();
    assert_eq!(files, [server.uri("b.py")]);
    assert_eq!(
        server.code("diagnostics.workspace", json!({ "since": "0" })),
        "CURSOR_EXPIRED"
    );
}

#[test]
fn two_roots_answer_together() {
    let gateway = Gateway::new(ProviderChoice::Index, Default::default());
    let server = Server::over(
        &[
            "//- a.py\ndef wanted_here(): ...\n",
            "//- b.py\ndef wanted_there(): ...\n",
        ],
        gateway,
        false,
    );
    let answer = server.answer("workspaceSymbols", json!({ "query": "wanted" }));
    assert_eq!(answer["items"].as_array().unwrap().len(), 2);
}

#[test]
fn nothing_outside_the_roots_is_shown() {
    // The root is a directory inside a repository: the repository is indexed, the rest of it stays
    // out of sight.
    let place = tempfile::tempdir().unwrap();
    super::write(
        place.path(),
        "//- inner/a.py\nfrom outer import secret\nsecret()\n//- outer.py\ndef secret(): ...\n",
    );
    std::process::Command::new("git")
        .args(["init", "-q"])
        .current_dir(place.path())
        .status()
        .unwrap();
    let server = Server::around(place, "inner");
    assert_eq!(
        server.answer("definition", server.at("a.py", "sec$0ret()"))["locations"],
        json!([])
    );
    assert_eq!(
        server.answer("workspaceSymbols", json!({ "query": "secret" }))["items"],
        json!([])
    );
    assert_eq!(
        server.answer("hover", server.at("a.py", "sec$0ret()"))["contents"],
        json!([])
    );
    let references = server.answer(
        "references",
        with(
            server.at("a.py", "sec$0ret()"),
            json!({ "includeDeclaration": true }),
        ),
    );
    assert!(!references.to_string().contains("outer"), "{references}");
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let server = Server::new(SHOP);
    for (tool, arguments) in [
        ("definition", server.at("app.py", "cart.to$0tal()")),
        (
            "references",
            with(
                server.at("shop/tax.py", "def tax_$0rate"),
                json!({ "pageSize": 1 }),
            ),
        ),
        ("hover", server.at("app.py", "cart.to$0tal()")),
        (
            "documentSymbols",
            json!({ "uri": server.uri("shop/cart.py") }),
        ),
        ("workspaceSymbols", json!({ "query": "a", "pageSize": 1 })),
        (
            "diagnostics.document",
            json!({ "uri": server.uri("app.py") }),
        ),
        ("diagnostics.workspace", json!({})),
    ] {
        assert_eq!(
            server.answer(tool, arguments.clone()).to_string(),
            server.answer(tool, arguments).to_string(),
            "{tool}"
        );
    }
}

#[test]
fn the_strict_contract_has_no_text_and_no_token() {
    let mut server = Server::new(SHOP);
    server.strict = true;
    assert_eq!(
        server.text("definition", server.at("app.py", "cart.to$0tal()")),
        ""
    );
    let answer = server.answer("diagnostics.workspace", json!({}));
    assert_eq!(
        answer,
        json!({ "items": [], "nextCursor": null, "summary": "Returned diagnostics for 0 files. Provider: index." })
    );
}
