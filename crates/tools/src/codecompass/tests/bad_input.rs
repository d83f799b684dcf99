//! Whatever comes in, an answer or an error of the contract comes out, and the server goes on.

use serde_json::json;

use super::{SHOP, Server};

#[test]
fn any_text_is_words() {
    let server = Server::new(SHOP);
    let long = "tax rate ".repeat(12_000);
    for query in [
        "*",
        ".*[a-z]+(",
        "AND OR NOT",
        "name:tax^2 AND (cart",
        "'; DROP TABLE content; --",
        "\"unclosed",
        "cart~2",
        "🛒 cart",
        "عربة التسوق",
        "a\0b",
        "\u{202e}cart",
        "((((",
        "/",
        "\\",
        ":",
        "::",
        ".",
        "b3:",
        "sym_",
        "M:",
        long.as_str(),
    ] {
        let shown: String = query.chars().take(20).collect();
        let answer = server.answer("search_code", json!({ "query": query }));
        assert!(answer["results"].is_array(), "{shown}");
        server.answer("get_code_context", json!({ "query": query }));
        server.answer("locate_symbol", json!({ "name": query }));
        // Marks around a name do not hide it.
        if let Err(error) = server.call("get_call_graph", json!({ "symbol_name": query })) {
            assert_eq!(error["error"]["code"], "symbol_not_found", "{shown}");
            assert!(error.to_string().len() < 2_000);
        }
    }
    let cut = server.answer("search_code", json!({ "query": long }));
    assert!(cut["metadata"]["warnings"][0].as_str().unwrap().contains("cut"));
    assert_eq!(cut["results"][0]["name"], "tax_rate");
}

#[test]
fn limits_are_clamped_and_said_so() {
    let server = Server::new(SHOP);
    for limit in [0, -1, 1_000_000_000] {
        let answer = server.answer("search_code", json!({ "query": "cart", "limit": limit }));
        assert!(answer["metadata"]["warnings"][0].as_str().unwrap().contains("`limit`"), "{limit}");
        assert!(!answer["results"].as_array().unwrap().is_empty());
        server.answer("locate_symbol", json!({ "name": "Cart", "limit": limit }));
        server.answer("find_related_symbols", json!({ "symbol_name": "Cart", "limit": limit }));
        server.answer("get_call_graph", json!({ "symbol_name": "total", "limit": limit, "depth": limit }));
        server.answer("find_references", json!({ "symbol_name": "total", "limit": limit }));
    }
    let all = server.answer("get_code_context", json!({ "query": "cart", "max_tokens": 1_000_000_000 }));
    assert_eq!(all["truncated"], false, "{all}");
}

#[test]
fn a_workspace_that_was_never_indexed_is_indexed_by_the_question() {
    let server = Server::unindexed(SHOP);
    let status = server.answer("index_status", json!({}));
    assert_eq!((&status["index_status"], &status["schema_status"]), (&json!("not_indexed"), &json!("not_indexed")));
    let answer = server.answer("locate_symbol", json!({ "name": "tax_rate" }));
    assert_eq!(answer["total_candidates"], 1);
}

#[test]
fn an_empty_repository_answers_nothing_without_fuss() {
    let server = Server::unindexed("");
    let answer = server.answer("search_code", json!({ "query": "anything at all" }));
    assert_eq!(answer["results"], json!([]));
    assert_eq!(answer["metadata"]["freshness_status"], "fresh");
}
