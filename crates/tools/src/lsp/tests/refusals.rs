//! Questions that are not answered, and how.

use std::time::Duration;

use serde_json::json;

use super::{SHOP, Server, with};
use crate::{
    contract,
    lsp::{Gateway, ProviderChoice},
};

#[test]
fn a_uri_must_name_a_file_inside_the_roots() {
    let server = Server::new(SHOP);
    let outside = tempfile::NamedTempFile::new().unwrap();
    let position = json!({ "line": 0, "character": 0 });
    for (uri, code) in [
        ("http://example.org/a.py".to_owned(), "URI_INVALID"),
        ("a.py".to_owned(), "URI_INVALID"),
        ("file://elsewhere/a.py".to_owned(), "URI_INVALID"),
        (server.uri("missing.py"), "URI_INVALID"),
        (crate::file_uri(outside.path()), "WORKSPACE_DENIED"),
        ("file:///etc/passwd".to_owned(), "WORKSPACE_DENIED"),
        (
            format!("{}/../../../../../../etc/passwd", server.uri("shop")),
            "WORKSPACE_DENIED",
        ),
        (server.uri("shop"), "NOT_FOUND"),
    ] {
        for tool in ["definition", "references", "hover"] {
            assert_eq!(
                server.code(tool, json!({ "uri": uri, "position": position })),
                code,
                "{tool} {uri}"
            );
        }
        for tool in ["documentSymbols", "diagnostics.document"] {
            assert_eq!(
                server.code(tool, json!({ "uri": uri })),
                code,
                "{tool} {uri}"
            );
        }
    }
}

#[test]
fn a_position_must_exist() {
    let server = Server::new(SHOP);
    let uri = server.uri("app.py");
    for (line, character) in [(99, 0), (0, 99), (4_000_000_000u32, 0)] {
        let at = json!({ "uri": uri, "position": { "line": line, "character": character } });
        for tool in ["definition", "references", "hover"] {
            assert_eq!(
                server.code(tool, at.clone()),
                "NOT_FOUND",
                "{tool} {line}:{character}"
            );
        }
    }
    for end in [
        json!({ "line": 0, "character": 26 }),
        json!({ "line": 0.0, "character": 26.0 }),
    ] {
        server.answer("definition", json!({ "uri": uri, "position": end }));
    }
}

#[test]
fn arguments_must_fit_the_schema() {
    let server = Server::new(SHOP);
    let at = server.at("app.py", "cart.to$0tal()");
    for (tool, arguments) in [
        ("definition", json!({ "uri": server.uri("app.py") })),
        ("definition", with(at.clone(), json!({ "more": 1 }))),
        (
            "definition",
            with(
                at.clone(),
                json!({ "position": { "line": -1, "character": 0 } }),
            ),
        ),
        (
            "definition",
            with(
                at.clone(),
                json!({ "position": { "line": 1.5, "character": 0 } }),
            ),
        ),
        ("references", with(at.clone(), json!({ "pageSize": 0 }))),
        ("references", with(at.clone(), json!({ "pageSize": "10" }))),
        ("references", with(at, json!({ "cursor": 5 }))),
        ("documentSymbols", json!({ "uri": "" })),
        ("workspaceSymbols", json!({ "query": "  " })),
        ("workspaceSymbols", json!({ "query": "" })),
        ("workspaceSymbols", json!({ "query": "x".repeat(513) })),
        ("workspaceSymbols", json!({})),
    ] {
        assert_eq!(
            server.code(tool, arguments.clone()),
            "INVALID_PARAMS",
            "{tool} {arguments}"
        );
    }
}

#[test]
fn a_document_that_nothing_can_serve_says_so() {
    let server =
        Server::new("//- a.py\nx = 1\n//- .gitignore\nskipped.py\n//- skipped.py\ny = 1\n");
    std::process::Command::new("git")
        .args(["init", "-q"])
        .current_dir(server.root())
        .status()
        .unwrap();
    let server = server.restarted();
    assert_eq!(
        server.code(
            "documentSymbols",
            json!({ "uri": server.uri("skipped.py") })
        ),
        "PROVIDER_UNAVAILABLE"
    );
}

#[test]
fn language_servers_need_trust() {
    let server = Server::over(
        &[SHOP],
        Gateway::new(ProviderChoice::Lsp, Default::default()),
        false,
    );
    for tool in ["definition", "references", "hover"] {
        assert_eq!(
            server.code(tool, server.at("app.py", "cart.to$0tal()")),
            "PROVIDER_UNAVAILABLE",
            "{tool}"
        );
    }
    for tool in ["documentSymbols", "diagnostics.document"] {
        assert_eq!(
            server.code(tool, json!({ "uri": server.uri("app.py") })),
            "PROVIDER_UNAVAILABLE",
            "{tool}"
        );
    }
    assert_eq!(
        server.code("workspaceSymbols", json!({ "query": "cart" })),
        "PROVIDER_UNAVAILABLE"
    );
    assert_eq!(
        server.code("diagnostics.workspace", json!({})),
        "PROVIDER_UNAVAILABLE"
    );
    // Where the choice is ours, the index answers.
    let server = Server::over(
        &[SHOP],
        Gateway::new(ProviderChoice::Auto, Default::default()),
        false,
    );
    assert!(
        server.answer("definition", server.at("app.py", "cart.to$0tal()"))["summary"]
            .as_str()
            .unwrap()
            .ends_with("Provider: index.")
    );
}

#[test]
fn the_strict_contract_gives_json_rpc_errors() {
    let mut server = Server::new(SHOP);
    server.strict = true;
    let check = |tool: &str, arguments, expected: (i32, &str)| match server.wire(tool, arguments) {
        Err(contract::Wire::ProtocolError { code, data, .. }) => {
            assert_eq!((code, data["code"].as_str().unwrap()), expected)
        }
        other => panic!("{other:?}"),
    };
    check(
        "documentSymbols",
        json!({ "uri": "http://a" }),
        (-32602, "MCP_LSP_GATEWAY/URI_INVALID"),
    );
    check(
        "documentSymbols",
        json!({ "uri": server.uri("shop") }),
        (-32603, "MCP_LSP_GATEWAY/NOT_FOUND"),
    );
    check(
        "diagnostics.workspace",
        json!({ "cursor": "x" }),
        (-32602, "MCP_LSP_GATEWAY/CURSOR_INVALID"),
    );
    check(
        "diagnostics.workspace",
        json!({ "since": "x" }),
        (-32602, "MCP_LSP_GATEWAY/INVALID_PARAMS"),
    );
    check(
        "diagnostics.document",
        json!({ "uri": server.uri("app.py"), "since": "x" }),
        (-32602, "MCP_LSP_GATEWAY/INVALID_PARAMS"),
    );
}

#[test]
fn no_time_is_an_error_and_no_part_of_a_list() {
    let mut server = Server::new(SHOP);
    server.deadline = Duration::ZERO;
    assert_eq!(
        server.code("workspaceSymbols", json!({ "query": "cart" })),
        "CAP_EXCEEDED"
    );
}
