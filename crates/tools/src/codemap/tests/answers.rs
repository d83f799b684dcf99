use super::*;

#[test]
fn words_of_names_find_symbols_and_filters_come_before_the_limit() {
    let server = Server::new(SHOP);
    let hits = |arguments: Value| {
        each(&server.data("symbols.search", arguments)["hits"], "fully_qualified_name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(hits(json!({ "query": "Order" })), ["Acme.Shop.Order", "Acme.Shop.Order.Order"]);
    assert_eq!(hits(json!({ "query": "Invalid*", "kinds": ["Class"] })), ["Acme.Shop.InvalidPayment"]);
    assert_eq!(
        hits(json!({ "query": "Till OR IPriced" })),
        ["Acme.Shop.IPriced", "Acme.Shop.Till", "Acme.Shop.Order", "Acme.Shop.Till.Sum"]
    );
    assert_eq!(hits(json!({ "query": "Order.Pay" })), ["Acme.Shop.Order.Pay"]);
    assert_eq!(hits(json!({ "query": "settles bill" })), ["Acme.Shop.Order.Pay"]);
    assert_eq!(hits(json!({ "kinds": ["interface"] })), ["Acme.Shop.IPriced"]);
    assert_eq!(hits(json!({ "query": "Total", "file_path": "shop/ipriced", "limit": 1 })), ["Acme.Shop.IPriced.Total"]);
    assert_eq!(hits(json!({ "query": "Total", "namespace": "Acme.Shops" })), Vec::<String>::new());
    let answer = server.answer("symbols.search", json!({ "query": "Ordr" }));
    assert!(answer["answer"].as_str().unwrap().contains("`Order`"), "{answer}");
}

#[test]
fn a_list_that_a_cap_cuts_goes_on_at_its_cursor() {
    let server = Server::new(SHOP);
    let first = server.answer("symbols.search", json!({ "kinds": ["Method"], "limit": 2 }));
    assert_eq!((first["data"]["total_count"].as_u64(), first["data"]["truncated"].as_bool()), (Some(6), Some(true)));
    let rest = server.data("symbols.search", json!({ "kinds": ["Method"], "limit": 100, "cursor": first["data"]["next_cursor"] }));
    assert_eq!(rest["hits"].as_array().unwrap().len(), 4);
    let (code, _) = server.error("symbols.search", json!({ "kinds": ["Class"], "cursor": first["data"]["next_cursor"] }));
    assert_eq!(code, "INVALID_ARGUMENT");
    let strict = Server { strict: true, ..server };
    let first = strict.data("symbols.search", json!({ "kinds": ["Method"], "limit": 2 }));
    assert!(first.get("next_cursor").is_none());
    assert_eq!(strict.error("symbols.search", json!({ "kinds": ["Method"], "cursor": "0-2" })).0, "INVALID_ARGUMENT");
}

#[test]
fn budgets_are_clamped_and_said_so() {
    let server = Server::new(SHOP);
    let applied = |tool: &str, arguments: Value| server.answer(tool, arguments)["meta"]["limits_applied"].clone();
    assert_eq!(
        applied("symbols.search", json!({ "query": "Order", "limit": 1000 })),
        json!({ "max_results": { "requested": 1000, "hard_cap": 100 } })
    );
    assert_eq!(
        applied("symbols.search", json!({ "query": "Order", "limit": -3 })),
        json!({ "max_results": { "requested": -3, "hard_cap": 1 } })
    );
    assert_eq!(
        applied("graph.callers", json!({ "symbol_id": "Order.Pay", "depth": 9, "limit_per_level": 900 })),
        json!({ "max_depth": { "requested": 9, "hard_cap": 6 }, "max_references": { "requested": 900, "hard_cap": 500 } })
    );
    assert_eq!(
        applied("code.get_span", json!({ "file_path": "Shop/Till.cs", "start_line": 1, "end_line": 5, "max_lines": 500 })),
        json!({ "max_lines": { "requested": 500, "hard_cap": 400 } })
    );
    assert_eq!(applied("refs.find", json!({ "symbol_id": "Order.Pay" })), json!({}));
}

#[test]
fn ids_are_those_of_documentation_comments() {
    let server = Server::new(SHOP);
    let id = |query: &str, kind: &str| {
        server.data("symbols.search", json!({ "query": query, "kinds": [kind] }))["hits"][0]["symbol_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(id("Pay", "Method"), "M:Acme.Shop.Order.Pay(System.Int32,System.String)");
    assert_eq!(id("Pick", "Method"), "M:Acme.Shop.Order.Pick``1(System.Collections.Generic.List{``0},``0[])");
    assert_eq!(id("Order", "Constructor"), "M:Acme.Shop.Order.#ctor(System.Int32)");
    assert_eq!(id("Sum", "Method"), "M:Acme.Shop.Till.Sum(Acme.Shop.IPriced)");
    assert_eq!(id("Id", "Property"), "P:Acme.Shop.Order.Id");
    assert_eq!(id("_paid", "Field"), "F:Acme.Shop.Order._paid");
    let card = |handle: &str| server.data("symbols.get_card", json!({ "symbol_id": handle }))["symbol_id"].as_str().unwrap().to_owned();
    let pay = "M:Acme.Shop.Order.Pay(System.Int32,System.String)";
    let stable = server.data("symbols.get_card", json!({ "symbol_id": pay }))["stable_id"].as_str().unwrap().to_owned();
    assert!(stable.starts_with("sym_") && stable.len() == 20);
    for handle in [pay, "M:Acme.Shop.Order.Pay", "Acme.Shop.Order.Pay", "Order.Pay", stable.as_str()] {
        assert_eq!(card(handle), pay, "{handle}");
    }
    assert_eq!(card("M:Acme.Shop.Order.#ctor"), "M:Acme.Shop.Order.#ctor(System.Int32)");
}

#[test]
fn a_card_tells_what_a_symbol_says_calls_throws_and_writes() {
    let server = Server::new(SHOP);
    let card = server.data("symbols.get_card", json!({ "symbol_id": "Order.Pay" }));
    assert_eq!(card["signature"], "public void Pay(int amount, string? code)");
    assert_eq!(card["documentation"], "Settles the bill.");
    assert_eq!(
        (card["namespace"].as_str(), card["containing_type"].as_str(), card["visibility"].as_str()),
        (Some("Acme.Shop"), Some("Order"), Some("public"))
    );
    assert_eq!(card["thrown_exceptions"], json!(["InvalidPayment"]));
    assert_eq!(card["side_effects"], json!(["writes field Order._paid"]));
    assert_eq!(card["facts"], json!([{ "kind": "exception", "value": "InvalidPayment|throw" }]));
    assert_eq!(card["evidence"][0]["file_path"], "Shop/Order.cs");
    let sell = server.data("symbols.get_card", json!({ "symbol_id": "Till.Sell" }));
    assert_eq!(
        each(&sell["calls_top"], "to_symbol"),
        [
            "M:Acme.Shop.Order.#ctor(System.Int32)",
            "M:Acme.Shop.Order.Pay(System.Int32,System.String)",
            "M:Acme.Shop.Till.Sum(Acme.Shop.IPriced)"
        ]
    );
    assert_eq!(each(&sell["calls_top"], "kind"), ["instantiate", "call", "call"]);
}

#[test]
fn references_are_classified_and_filtered() {
    let server = Server::new(SHOP);
    let kinds = |arguments: Value| {
        server.data("refs.find", arguments)["references"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| format!("{} {}:{}", found["kind"].as_str().unwrap(), found["file_path"].as_str().unwrap(), found["line_start"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(json!({ "symbol_id": "IPriced.Total" })), ["implementation Shop/Order.cs:10", "call Shop/Till.cs:4"]);
    assert_eq!(kinds(json!({ "symbol_id": "M:Acme.Shop.Order.#ctor(System.Int32)" })), ["instantiate Shop/Till.cs:7"]);
    assert_eq!(kinds(json!({ "symbol_id": "P:Acme.Shop.Order.Id", "kind": "Write" })), ["write Shop/Order.cs:8", "write Shop/Till.cs:9"]);
    let found = server.data("refs.find", json!({ "symbol_id": "Order.Pay", "kind": "call", "resolution_state": "resolved" }));
    assert_eq!(found["references"][0]["excerpt"], "order.Pay(5, \"x\");");
    assert_eq!(found["references"][0]["from_symbol"], "M:Acme.Shop.Till.Sell");
}

#[test]
fn graphs_and_hierarchies_name_their_nodes() {
    let server = Server::new(SHOP);
    let callers = server.data("graph.callers", json!({ "symbol_id": "IPriced.Total", "depth": 2 }));
    assert_eq!(each(&callers["nodes"], "display_name"), ["Acme.Shop.IPriced.Total", "Acme.Shop.Till.Sum", "Acme.Shop.Till.Sell"]);
    assert_eq!(
        (callers["total_nodes_found"].as_u64(), callers["nodes"][1]["edges_to"][0].as_str()),
        (Some(2), Some("M:Acme.Shop.Till.Sell"))
    );
    let hierarchy = server.data("types.hierarchy", json!({ "symbol_id": "T:Acme.Shop.IPriced" }));
    assert_eq!(each(&hierarchy["derived_types"], "symbol_id"), ["T:Acme.Shop.Order"]);
    let trace = server.data("graph.trace_feature", json!({ "entry_point": "Till.Sell", "depth": 2 }));
    assert_eq!(trace["nodes"][0]["children"].as_array().unwrap().len(), 3);
    let text = trace.to_string();
    assert!(text.contains(r#"{"kind":"Exception","value":"InvalidPayment","confidence":"high"}"#), "{text}");
    assert!(text.contains("M:Acme.Shop.Order.Total"), "dispatch is followed: {text}");
}

#[test]
fn spans_are_numbered_and_cut() {
    let server = Server::new("//- a.py\none = 1\ntwo = 2\nthree = 3\n");
    let span = |arguments: Value| server.data("code.get_span", arguments);
    let all = span(json!({ "file_path": "a.py", "start_line": 2, "end_line": 2, "context_lines": 1 }));
    assert_eq!(all["content"], "    1 | one = 1\n    2 | two = 2\n    3 | three = 3\n");
    assert_eq!(
        (all["start_line"].as_u64(), all["end_line"].as_u64(), all["total_file_lines"].as_u64(), all["truncated"].as_bool()),
        (Some(1), Some(3), Some(3), Some(false))
    );
    let cut = span(json!({ "file_path": "a.py", "start_line": 1, "end_line": 3, "max_lines": 2 }));
    assert_eq!((cut["end_line"].as_u64(), cut["truncated"].as_bool()), (Some(2), Some(true)));
    let cut = span(json!({ "file_path": "a.py", "start_line": 1, "end_line": 3, "max_chars": 20 }));
    assert_eq!((cut["content"].as_str(), cut["truncated"].as_bool()), (Some("    1 | one = 1\n"), Some(true)));
    let definition = server.data("symbols.get_definition_span", json!({ "symbol_id": "two", "context_lines": 0 }));
    assert_eq!(definition["content"], "    2 | two = 2\n");
}

#[test]
fn savings_add_up() {
    let server = Server::new(SHOP);
    let saved = server.answer("symbols.get_card", json!({ "symbol_id": "Till" }))["meta"]["tokens_saved"].as_u64().unwrap();
    server.answer("symbols.get_card", json!({ "symbol_id": "Till" }));
    let totals = server.host.workspaces.find(None).unwrap().store().savings().unwrap();
    let total = totals.iter().find(|(key, _)| key == "tokens_saved").unwrap().1;
    assert_eq!(total as u64, 2 * saved);
}

#[test]
fn the_ratio_of_a_language_is_held_against_the_tokenizer() {
    let source = include_str!("../savings.rs");
    let server = Server::new(&format!("//- a.rs\n{source}"));
    let workspace = server.host.workspaces.find(None).unwrap();
    server.data("index.ensure_baseline", json!({}));
    let (view, freshness) = workspace.at_ref(Some("HEAD"), std::time::Duration::from_secs(60)).unwrap();
    let rows = crate::codemap::calibration(&server.context().moment(workspace, view, freshness));
    assert_eq!((rows.len(), rows[0].language), (1, "rust"));
    assert!(rows[0].error.abs() < 0.2, "{rows:?}");
    assert!((rows[0].measured_bytes_per_token - rows[0].bytes as f64 / rows[0].tokens as f64).abs() < 0.001);
}

/// An empty list says what became of every place that bears the name, and shows where it stands.
#[test]
fn absence_is_accounted_for() {
    let server = Server::new(
        "//- a.py\nclass Lamp:\n    def glow(self): ...\n//- b.py\n# glow is what lamps do\nTEXT = 'glow'\n//- c.py\ndef glow(): ...\nglow()\n\
         //- notes.txt\nLamps glow.\n",
    );
    for (tool, none) in [("refs.find", "No references to `a.Lamp.glow`."), ("graph.callers", "No callers of `a.Lamp.glow` within depth 1.")]
    {
        let answer = server.answer(tool, json!({ "symbol_id": "a.Lamp.glow" }));
        let account =
            "Of the other places with its name, 1 mean something else, 2 stand in comments and strings, 1 stand in files that are no code.";
        assert_eq!(answer["answer"], format!("{none} {account}"));
        let shown: Vec<_> = answer["evidence"].as_array().unwrap().iter().map(|place| place["excerpt"].as_str().unwrap()).collect();
        assert_eq!(shown, ["def glow(self)", "# glow is what lamps do", "TEXT = 'glow'", "Lamps glow."]);
    }
}
