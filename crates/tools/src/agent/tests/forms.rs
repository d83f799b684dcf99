//! What the contract's forms may cost, and that arguments forgive.

use serde_json::{Value, json};

use super::{AgentServer, SHOP};
use crate::{AGENT, Registry};

#[test]
fn arguments_are_understood_as_models_write_them() {
    let server = AgentServer::new(SHOP);
    let expected = server.answer(
        "symbol",
        json!({ "symbols": ["Cart.total"], "show": ["callers"] }),
    );
    for arguments in [
        json!({ "symbol": "Cart.total", "show": "callers" }),
        json!({ "name": "Cart.total", "kind": "caller" }),
        json!({ "symbol_name": "Cart.total", "include": ["called-by"] }),
        json!({ "symbols": "[\"Cart.total\"]", "show": "[\"callers\"]" }),
        json!({ "name": "Cart.total", "path": "shop/cart.py", "show": "callers" }),
        json!({ "symbols": ["Cart.total"], "show": ["callers"], "ref": null, "after": null }),
        json!({ "symbols": ["Cart.total"], "show": ["callers"], "branch": "main" }),
        json!({ "symbols": ["Cart.total"], "show": ["callers"],
            "repo_path": server.directory.path().to_str().unwrap() }),
    ] {
        let answer = server.answer("symbol", arguments.clone());
        assert_eq!(answer, expected, "{arguments}");
    }
    let expected = server.answer("find", json!({ "question": "checkout", "budget": 300 }));
    for arguments in [
        json!({ "query": "checkout", "budget": "300" }),
        json!({ "q": "checkout", "max_tokens": 300.0 }),
        json!({ "symbols": ["checkout"], "token_budget": "300" }),
    ] {
        assert_eq!(
            server.answer("find", arguments.clone()),
            expected,
            "{arguments}"
        );
    }
    let both = server.answer(
        "symbol",
        json!({ "symbols": ["Cart.size, log"], "show": [] }),
    );
    let listed = server.answer("symbol", json!({ "symbols": "Cart.size, log" }));
    assert!(listed.contains("def log(amount)"), "{listed}");
    assert!(!both.is_empty());
}

#[test]
fn the_list_of_tools_costs_little() {
    let registry = Registry::of(&[AGENT]);
    assert!(registry.entries().len() <= 4);
    let listed = registry.entries().iter().map(|entry| {
        json!({
            "name": entry.portable_name,
            "description": entry.description,
            "inputSchema": entry.input_schema,
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    });
    let listed = json!({ "tools": listed.collect::<Vec<Value>>() }).to_string();
    let n_tokens = crate::tokens::count(&listed);
    assert!(n_tokens <= 700, "{n_tokens} tokens: {listed}");
    assert!(
        registry
            .entries()
            .iter()
            .all(|entry| entry.output_schema.is_none())
    );
}

#[test]
fn callers_and_places_cost_little() {
    let mut files = String::from("//- shop/cart.py\nclass Cart:\n    def total(self): ...\n");
    for i in 0..20 {
        files += &format!(
            "//- shop/orders/order_{i}.py\nfrom shop.cart import Cart\nclass OrderProcessor{i}:\n"
        );
        for j in 0..10 {
            files += &format!(
                "    def process_order_{j}(self, cart: Cart):\n        cart.total()\n        return cart.total()\n"
            );
        }
    }
    let server = AgentServer::new(&files);
    let answer = server.answer(
        "symbol",
        json!({ "symbols": ["Cart.total"], "show": ["callers"] }),
    );
    let lines = answer.lines().filter(|line| line.starts_with("  "));
    let costs: Vec<usize> = lines
        .map(|line| crate::tokens::count(&format!("{line}\n")))
        .collect();
    assert_eq!(costs.len(), 200);
    let mean = costs.iter().sum::<usize>() as f64 / costs.len() as f64;
    assert!(mean <= 18.0, "{mean} tokens per caller");

    let answer = server.answer(
        "find",
        json!({ "question": "where are orders of a cart processed" }),
    );
    let n_places = answer
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .count();
    let per_place = crate::tokens::count(&answer) / n_places;
    assert!(per_place <= 60, "{per_place} tokens per place:\n{answer}");
}
