//! Handles across the contracts: what one tool prints, every tool takes, and means the same by.

use std::collections::BTreeSet;

use super::*;
use crate::CODECOMPASS;

const REPOSITORY: &str = r#"
//- Shop/Order.cs
namespace Acme.Shop;
public class Order
{
    public Order(int id) { Id = id; }
    public int Id { get; set; }
    public void Pay(int amount, string code) { Check(amount); }
    public void Pay(string code) { }
    private void Check(int amount) { }
}
public enum State { Open, Paid }
//- shop/__init__.py
//- shop/cart.py
class Cart:
    def total(self):
        return tax(1)
def tax(rate):
    return rate
print(tax(2))
//- app.py
from shop import cart
cart.tax(3)
//- web/cart.ts
export class Basket { constructor(private n: number) {} add(): void { this.add() } }
new Basket(1).add()
"#;

/// Asks a tool of the CodeCompass contract.
fn ask(server: &Server, tool: &str, mut arguments: Value) -> Result<Value, String> {
    let registry = Registry::of(&[CODECOMPASS]);
    let entry = registry.find(tool).unwrap();
    arguments["workspace"] = json!(server.root());
    let answer = crate::invoke(entry, &server.context(), arguments);
    answer
        .map(|answer| answer.value())
        .map_err(|error| error.message)
}

/// The symbol ids of an outline, at every level.
fn outlined(nodes: &Value, found: &mut BTreeSet<String>) {
    for node in nodes.as_array().into_iter().flatten() {
        found.extend(node["symbol_id"].as_str().map(str::to_owned));
        outlined(&node["children"], found);
    }
}

/// Every way in which a tool of CodeCompass is told what a question is about.
const NAMED: [(&str, &str); 6] = [
    ("locate_symbol", "name"),
    ("find_references", "symbol_name"),
    ("get_call_graph", "symbol_name"),
    ("get_symbol_hierarchy", "symbol_name"),
    ("find_related_symbols", "symbol_name"),
    ("compare_symbol_between_commits", "symbol_name"),
];

#[test]
fn every_handle_that_one_contract_prints_every_tool_takes() {
    let server = Server::new(REPOSITORY);
    let mut ids = BTreeSet::new();
    for path in ["Shop/Order.cs", "shop/cart.py", "web/cart.ts"] {
        let outline = ask(&server, "get_file_outline", json!({ "path": path })).unwrap();
        outlined(&outline["symbols"], &mut ids);
    }
    assert!(ids.len() > 10, "{ids:?}");
    for id in &ids {
        // CodeCompass to CodeMap: the card has the handles of the other contract.
        let card = server.data("symbols.get_card", json!({ "symbol_id": id }));
        let located = ask(&server, "locate_symbol", json!({ "name": id })).unwrap();
        let stable_id = &located["results"][0]["symbol_stable_id"];
        let mut handles = vec![json!(id), stable_id.clone()];
        handles.extend([card["symbol_id"].clone(), card["stable_id"].clone()]);
        for handle in handles {
            assert!(handle.is_string(), "{card} {located}");
            for (tool, field) in NAMED {
                let mut question = json!({ field: handle });
                if tool.starts_with("compare") {
                    (question["base_ref"], question["head_ref"]) = (json!("HEAD"), json!("live"));
                }
                let answer = ask(&server, tool, question);
                let answer = answer.unwrap_or_else(|error| panic!("{tool} {handle}: {error}"));
                let told = answer.to_string();
                assert!(told.contains(id.as_str()), "{tool} {handle}: {answer}");
            }
            for tool in [
                "symbols.get_card",
                "symbols.get_definition_span",
                "refs.find",
            ] {
                server.answer(tool, json!({ "symbol_id": handle }));
            }
        }
    }
}

#[test]
fn the_code_of_a_file_outside_of_every_function_has_a_handle_that_every_tool_takes() {
    let server = Server::new(REPOSITORY);
    let graph = ask(&server, "get_call_graph", json!({ "symbol_name": "tax" })).unwrap();
    let callers = each(&graph["callers"], "symbol");
    assert_eq!(callers.len(), 3);
    let printed: Vec<&str> = graph["callers"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|edge| edge["symbol"]["symbol_id"].as_str())
        .filter(|id| id.starts_with("file::"))
        .collect();
    assert_eq!(printed, ["file::app.py", "file::shop/cart.py"]);
    let levels = server.data("graph.callers", json!({ "symbol_id": "shop.cart.tax" }));
    assert!(
        each(&levels["nodes"], "symbol_id").contains(&"!:app.py"),
        "{levels}"
    );
    for handle in ["file::shop/cart.py", "!:shop/cart.py"] {
        for (tool, field) in NAMED {
            let mut question = json!({ field: handle });
            if tool.starts_with("compare") {
                (question["base_ref"], question["head_ref"]) = (json!("HEAD"), json!("live"));
            }
            ask(&server, tool, question).unwrap_or_else(|error| panic!("{tool} {handle}: {error}"));
        }
        let callees = server.data("graph.callees", json!({ "symbol_id": handle }));
        assert!(
            each(&callees["nodes"], "symbol_id").contains(&"M:shop.cart.tax(rate)"),
            "{callees}"
        );
    }
    let outline = ask(
        &server,
        "get_file_outline",
        json!({ "path": "file::shop/cart.py" }),
    )
    .unwrap();
    assert_eq!(outline["file_path"], "shop/cart.py");

    let question = json!({ "symbol_name": "file::shop/cart.py" });
    let graph = ask(&server, "get_call_graph", question.clone()).unwrap();
    assert_eq!(graph["symbol"]["kind"], "module");
    assert_eq!(graph["callees"][0]["symbol"]["name"], "tax");
    assert_eq!(
        graph["callees"][0]["call_site"],
        json!({ "file": "shop/cart.py", "line": 6 })
    );
    let references = ask(&server, "find_references", question.clone()).unwrap();
    assert_eq!(references["total_references"], 1, "{references}");
    assert_eq!(references["references"][0]["path"], "app.py");
    let mut inside = question;
    inside["direction"] = json!("descendants");
    let inside = ask(&server, "get_symbol_hierarchy", inside).unwrap();
    assert_eq!(
        each(&inside["hierarchy"][0]["children"], "name"),
        ["Cart", "tax"]
    );
    let missing = ask(
        &server,
        "get_call_graph",
        json!({ "symbol_name": "file::none.py" }),
    );
    assert!(
        missing
            .unwrap_err()
            .starts_with("no symbol `file::none.py`")
    );
}
