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
    assert!(
        cut["metadata"]["warnings"][0]
            .as_str()
            .unwrap()
            .contains("cut")
    );
    assert_eq!(cut["results"][0]["name"], "tax_rate");
}

#[test]
fn limits_are_clamped_and_said_so() {
    let server = Server::new(SHOP);
    for limit in [0, -1, 1_000_000_000] {
        for (tool, field, list) in [
            ("search_code", "query", "results"),
            ("locate_symbol", "name", "results"),
            ("find_related_symbols", "symbol_name", "related"),
            ("get_call_graph", "symbol_name", "callers"),
            ("find_references", "symbol_name", "references"),
        ] {
            let answer = server.answer(tool, json!({ field: "tax_rate", "limit": limit }));
            let said = each_text(&answer["metadata"]["warnings"]);
            assert!(
                matches!(said.as_slice(), [one] if one.starts_with(&format!("`limit` {limit} was clamped"))),
                "{tool}: {said:?}"
            );
            assert!(
                !answer[list].as_array().unwrap().is_empty(),
                "{tool} {limit}: {answer}"
            );
        }
        let answer = server.answer(
            "get_call_graph",
            json!({ "symbol_name": "tax_rate", "depth": limit }),
        );
        let applied = if limit > 5 { 5 } else { 1 };
        assert_eq!(
            each_text(&answer["metadata"]["warnings"]),
            [format!("`depth` {limit} was clamped to {applied}")]
        );
        assert_eq!(answer["depth_applied"], applied);
    }
    for (asked, meant) in [(-0.5, 0.0), (1.5, 1.0)] {
        let previous = json!({ "tool": "search_code", "params": { "query": "tax" } });
        let arguments = json!({ "previous_query": previous, "previous_results": { "top_score": 0.5 }, "confidence_threshold": asked });
        let answer = server.answer("suggest_followup_queries", arguments);
        assert_eq!(
            (
                &answer["analysis"]["threshold"],
                each_text(&answer["metadata"]["warnings"]).len()
            ),
            (&json!(meant), 1),
            "{answer}"
        );
    }
    let all = server.answer(
        "get_code_context",
        json!({ "query": "cart", "max_tokens": 1_000_000_000 }),
    );
    assert_eq!(all["truncated"], false, "{all}");
}

/// Whoever leaves a parameter out gets the answer of its default.
#[test]
fn a_parameter_left_out_means_its_default() {
    let server = Server::new(SHOP);
    let plain = json!({ "detail_level": "signature", "compact": false, "freshness_policy": "balanced", "ranking_explain_level": "off", "limit": 10 });
    for (tool, arguments, defaults) in [
        (
            "search_code",
            json!({ "query": "the tax of a country" }),
            plain.clone(),
        ),
        ("locate_symbol", json!({ "name": "tax_rate" }), plain),
        (
            "get_file_outline",
            json!({ "path": "shop/cart.py" }),
            json!({ "depth": "all" }),
        ),
        (
            "get_symbol_hierarchy",
            json!({ "symbol_name": "total" }),
            json!({ "direction": "ancestors" }),
        ),
        (
            "find_related_symbols",
            json!({ "symbol_name": "total" }),
            json!({ "scope": "file", "limit": 20 }),
        ),
        (
            "get_code_context",
            json!({ "query": "tax" }),
            json!({ "max_tokens": 4000, "strategy": "breadth" }),
        ),
        (
            "get_call_graph",
            json!({ "symbol_name": "tax_rate" }),
            json!({ "direction": "both", "depth": 1, "limit": 20 }),
        ),
        (
            "find_references",
            json!({ "symbol_name": "tax_rate" }),
            json!({ "limit": 20 }),
        ),
        (
            "suggest_followup_queries",
            json!({ "previous_query": { "tool": "search_code", "params": { "query": "tax" } }, "previous_results": { "top_score": 0.4 } }),
            json!({ "confidence_threshold": 0.5 }),
        ),
    ] {
        let mut spelled = arguments.clone();
        let mut absent = arguments.clone();
        for (field, value) in defaults.as_object().unwrap() {
            spelled[field] = value.clone();
            absent[field] = json!(null);
        }
        spelled["ref"] = json!("live");
        if tool == "suggest_followup_queries" {
            spelled.as_object_mut().unwrap().remove("ref");
        }
        let answer = server.answer(tool, arguments);
        assert_eq!(answer, server.answer(tool, spelled), "{tool}");
        assert_eq!(
            answer,
            server.answer(tool, absent),
            "{tool}: null is as good as nothing"
        );
    }
}

#[test]
fn numbers_are_read_as_they_are_meant() {
    let server = Server::new(SHOP);
    let ask = |limit: serde_json::Value| {
        server.answer("search_code", json!({ "query": "cart", "limit": limit }))
    };
    assert_eq!(ask(json!(2.0)), ask(json!(2)));
    for many in [json!(1e30), json!(u64::MAX)] {
        assert_eq!(
            ask(many.clone())["results"],
            ask(json!(100))["results"],
            "{many}"
        );
    }
    for wrong in [json!(2.5), json!("2"), json!([2]), json!(true)] {
        let error = server.error("search_code", json!({ "query": "cart", "limit": wrong }));
        assert_eq!(
            (&error["code"], &error["data"]["issues"][0]["path"]),
            (&json!("invalid_input"), &json!("/limit")),
            "{error}"
        );
    }
}

#[test]
fn an_unknown_field_is_named_with_the_nearest_known_one() {
    let server = Server::new(SHOP);
    for (tool, arguments, said) in [
        (
            "search_code",
            json!({ "query": "a", "limt": 3 }),
            "unknown field `limt` (did you mean `limit`?)",
        ),
        (
            "locate_symbol",
            json!({ "name": "a", "detailLevel": "context" }),
            "unknown field `detailLevel` (did you mean `detail_level`?)",
        ),
        (
            "get_call_graph",
            json!({ "symbol": "a" }),
            "unknown field `symbol` (did you mean `symbol_name`?)",
        ),
        (
            "find_references",
            json!({ "name": "a" }),
            "unknown field `name` (did you mean `symbol_name`?)",
        ),
        (
            "health_check",
            json!({ "zzz": 1 }),
            "unknown field `zzz`; known fields: workspace",
        ),
    ] {
        let error = server.error(tool, arguments);
        assert_eq!(error["code"], "invalid_input", "{tool}");
        assert!(
            error["message"].as_str().unwrap().contains(said),
            "{tool}: {error}"
        );
    }
}

/// Nothing of a ref reaches git as an option, a path or a search, whichever tool it is given to.
#[test]
fn a_ref_that_is_none_is_refused_by_every_tool() {
    let server = Server::new(SHOP);
    let long = "a".repeat(5_000);
    for odd in [
        "",
        " ",
        "-n",
        "--upload-pack=touch x",
        "a b",
        "a..b",
        "nowhere",
        "refs/heads/../../x",
        "a\0b",
        "a\nb",
        long.as_str(),
    ] {
        for (tool, arguments) in [
            ("search_code", json!({ "query": "cart", "ref": odd })),
            ("locate_symbol", json!({ "name": "Cart", "ref": odd })),
            (
                "get_file_outline",
                json!({ "path": "shop/cart.py", "ref": odd }),
            ),
            (
                "get_symbol_hierarchy",
                json!({ "symbol_name": "Cart", "ref": odd }),
            ),
            (
                "find_related_symbols",
                json!({ "symbol_name": "Cart", "ref": odd }),
            ),
            ("get_code_context", json!({ "query": "cart", "ref": odd })),
            (
                "get_call_graph",
                json!({ "symbol_name": "Cart", "ref": odd }),
            ),
            (
                "find_references",
                json!({ "symbol_name": "Cart", "ref": odd }),
            ),
            (
                "compare_symbol_between_commits",
                json!({ "symbol_name": "Cart", "base_ref": odd, "head_ref": "HEAD" }),
            ),
            (
                "compare_symbol_between_commits",
                json!({ "symbol_name": "Cart", "base_ref": "HEAD", "head_ref": odd }),
            ),
            ("index_repo", json!({ "ref": odd })),
            ("sync_repo", json!({ "ref": odd })),
            ("index_status", json!({ "ref": odd })),
        ] {
            let error = server.error(tool, arguments);
            assert_eq!(error["code"], "ref_not_indexed", "{tool} {odd:?}: {error}");
            assert!(error.to_string().len() < 2_000, "{tool}: {error}");
        }
    }
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "Cart" }))["total_candidates"],
        1
    );
}

#[test]
fn a_path_that_escapes_is_refused_by_every_tool() {
    let server = Server::new(SHOP);
    for odd in [
        "../outside.py",
        "shop/../../outside.py",
        "/etc/passwd",
        "shop/\0.py",
        "..",
        "file:///etc/passwd/../x",
    ] {
        for (tool, arguments) in [
            ("get_file_outline", json!({ "path": odd })),
            (
                "get_symbol_hierarchy",
                json!({ "symbol_name": "Cart", "path": odd }),
            ),
            (
                "find_related_symbols",
                json!({ "symbol_name": "Cart", "path": odd }),
            ),
            (
                "get_call_graph",
                json!({ "symbol_name": "Cart", "path": odd }),
            ),
            (
                "find_references",
                json!({ "symbol_name": "Cart", "path": odd }),
            ),
            (
                "compare_symbol_between_commits",
                json!({ "symbol_name": "Cart", "path": odd, "base_ref": "HEAD", "head_ref": "live" }),
            ),
        ] {
            let error = server.error(tool, arguments);
            assert_eq!(error["code"], "invalid_input", "{tool} {odd:?}: {error}");
            assert!(!error.to_string().contains("passwd"), "{tool}: {error}");
        }
    }
}

fn each_text(list: &serde_json::Value) -> Vec<String> {
    list.as_array()
        .map(|list| {
            list.iter()
                .map(|text| text.as_str().unwrap().to_owned())
                .collect()
        })
        .unwrap_or_default()
}

#[test]
fn a_workspace_that_was_never_indexed_is_indexed_by_the_question() {
    let server = Server::unindexed(SHOP);
    let status = server.answer("index_status", json!({}));
    assert_eq!(
        (&status["index_status"], &status["schema_status"]),
        (&json!("not_indexed"), &json!("not_indexed"))
    );
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
