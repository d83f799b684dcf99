//! What each tool answers.

use serde_json::json;

use super::{SHOP, Server, each};

#[test]
fn a_name_is_located_with_all_its_fields() {
    let server = Server::new(SHOP);
    let answer = server.answer("locate_symbol", json!({ "name": "total" }));
    let found = &answer["results"][0];
    assert_eq!(found["path"], "shop/cart.py");
    assert_eq!(
        (&found["line_start"], &found["line_end"]),
        (&json!(12), &json!(13))
    );
    assert_eq!(found["kind"], "fn");
    assert_eq!(found["qualified_name"], "shop.cart.Cart.total");
    assert_eq!(found["signature"], "def total(self)");
    assert_eq!(found["language"], "python");
    assert_eq!(answer["total_candidates"], 1);
}

#[test]
fn a_symbol_is_found_by_every_handle_and_by_its_qualified_name() {
    let server = Server::new(SHOP);
    let found = server.answer("locate_symbol", json!({ "name": "total" }))["results"][0].clone();
    for name in [
        found["symbol_id"].as_str().unwrap(),
        found["symbol_stable_id"].as_str().unwrap(),
        "Cart.total",
        "shop.cart.Cart.total",
        "cart.total",
        "M:shop.cart.Cart.total",
    ] {
        let again = server.answer("locate_symbol", json!({ "name": name }));
        assert_eq!(
            again["results"][0]["symbol_id"], found["symbol_id"],
            "{name}"
        );
        let graph = server.answer("get_call_graph", json!({ "symbol_name": name }));
        assert_eq!(graph["symbol"]["symbol_id"], found["symbol_id"], "{name}");
    }
}

#[test]
fn kinds_filter_by_their_common_names() {
    let server = Server::new(
        "//- a.py\nclass run: ...\n//- b.py\ndef run(): ...\n//- c.py\nclass X:\n    def run(self): ...\n",
    );
    let paths = |kind: &str| {
        let answer = server.answer("locate_symbol", json!({ "name": "run", "kind": kind }));
        each(&answer["results"], "path").join(" ")
    };
    assert_eq!(paths("class"), "a.py");
    assert_eq!(paths("function"), "b.py c.py");
    assert_eq!(paths("def"), "b.py c.py");
    assert_eq!(paths("method"), "c.py");
}

#[test]
fn case_and_separators_do_not_matter_when_nothing_is_spelled_so() {
    let server = Server::new(SHOP);
    let answer = server.answer("locate_symbol", json!({ "name": "taxRate" }));
    assert_eq!(each(&answer["results"], "name"), ["tax_rate"]);
    let answer = server.answer("locate_symbol", json!({ "name": "taxes_rate" }));
    assert_eq!(answer["total_candidates"], 0);
    assert!(
        answer["metadata"]["warnings"][0]
            .as_str()
            .unwrap()
            .contains("tax_rate")
    );
}

#[test]
fn detail_levels_add_fields_and_compact_takes_them_away() {
    let server = Server::new(SHOP);
    let item = |detail: &str, compact: bool| {
        server.answer(
            "locate_symbol",
            json!({ "name": "total", "detail_level": detail, "compact": compact }),
        )["results"][0]
            .clone()
    };
    assert!(item("location", false).get("signature").is_none());
    assert!(item("signature", false).get("body_preview").is_none());
    let context = item("context", false);
    assert_eq!(
        context["parent"],
        json!({ "kind": "class", "name": "Cart", "path": "shop/cart.py", "line": 4 })
    );
    assert!(
        context["body_preview"]
            .as_str()
            .unwrap()
            .contains("tax_rate('de')")
    );
    assert_eq!(
        each(&context["related_symbols"], "name"),
        ["__init__", "items", "add"]
    );
    let compact = item("context", true);
    for field in ["body_preview", "parent", "related_symbols", "snippet"] {
        assert!(compact.get(field).is_none(), "{field}");
    }
    assert_eq!(compact["symbol_id"], context["symbol_id"]);
}

#[test]
fn compact_keeps_the_handles() {
    let server = Server::new(SHOP);
    let ask = |compact: bool| {
        let question = json!({ "query": "total", "compact": compact, "detail_level": "context" });
        server.answer("search_code", question)["results"][0].clone()
    };
    let (compact, whole) = (ask(true), ask(false));
    for field in [
        "symbol_id",
        "symbol_stable_id",
        "result_id",
        "result_type",
        "score",
    ] {
        assert!(!compact[field].is_null(), "{field} in {compact}");
        assert_eq!(compact[field], whole[field], "{field}");
    }
}

#[test]
fn long_lists_are_cut_to_what_an_answer_may_hold() {
    let mut text = "//- lib.py\ndef target(): ...\n".to_owned();
    for i in 0..500 {
        let name = format!("a_function_with_a_name_that_is_rather_long_{i}_").repeat(3);
        text.push_str(&format!("//- some/directory/below/{name}.py\n"));
        text.push_str(&format!(
            "from lib import target\ndef {name}():\n    target()\n"
        ));
    }
    let server = Server::new(&text);
    for (tool, list) in [
        ("find_references", "references"),
        ("get_call_graph", "callers"),
    ] {
        let answer = server.answer(tool, json!({ "symbol_name": "target", "limit": 500 }));
        let wire = answer.to_string();
        let bytes = wire.len() + json!(wire).to_string().len();
        assert!(bytes < 512 * 1024, "{tool}: {bytes}");
        assert!(answer[list].as_array().unwrap().len() > 100);
        assert_eq!(
            answer["metadata"]["result_completeness"], "truncated",
            "{tool}"
        );
    }
}

#[test]
fn the_outline_of_a_huge_file_is_cut_and_says_so() {
    let mut text = "//- huge.py\nclass Huge:\n".to_owned();
    for i in 0..4_000 {
        text.push_str(&format!(
            "    def method_number_{i}(self, argument_of_{i}): ...\n"
        ));
    }
    let server = Server::new(&text);
    let outline = server.answer("get_file_outline", json!({ "path": "huge.py" }));
    let wire = outline.to_string();
    assert!(wire.len() + json!(wire).to_string().len() < 512 * 1024);
    let metadata = &outline["metadata"];
    assert_eq!(metadata["result_completeness"], "truncated");
    assert_eq!(metadata["symbol_count"], 4_001);
    let warning = metadata["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("are left out for their size; `depth"),
        "{warning}"
    );
    assert_eq!(
        outline["symbols"][0]["children"][0]["name"],
        "method_number_0"
    );
    let top = json!({ "path": "huge.py", "depth": "top" });
    let top = server.answer("get_file_outline", top);
    assert_eq!(top["metadata"]["result_completeness"], "complete");
}

#[test]
fn an_outline_is_a_tree_with_imports() {
    let server = Server::new(SHOP);
    let outline = server.answer("get_file_outline", json!({ "path": "shop/cart.py" }));
    assert_eq!(outline["language"], "python");
    assert_eq!(each(&outline["symbols"], "kind"), ["use", "class", "fn"]);
    assert_eq!(
        each(&outline["symbols"], "name"),
        ["shop.tax.tax_rate", "Cart", "empty_cart"]
    );
    let members = each(&outline["symbols"][1]["children"], "name");
    assert!(
        members.starts_with(&["__init__"]) && members.contains(&"total"),
        "{members:?}"
    );
    let top = server.answer(
        "get_file_outline",
        json!({ "path": "./shop/cart.py", "depth": "top" }),
    );
    assert!(top["symbols"][1].get("children").is_none());
    assert_eq!(top["metadata"]["symbol_count"], 3);
    let empty = server.answer("get_file_outline", json!({ "path": "shop/__init__.py" }));
    assert_eq!(empty["symbols"], json!([]));
}

#[test]
fn a_hierarchy_goes_up_and_down() {
    let server = Server::new(SHOP);
    let up = server.answer("get_symbol_hierarchy", json!({ "symbol_name": "total" }));
    assert_eq!(each(&up["hierarchy"], "name"), ["total", "Cart"]);
    assert_eq!(up["chain_length"], 2);
    assert_eq!(up["hierarchy"][1]["depth"], 1);
    let down = server.answer(
        "get_symbol_hierarchy",
        json!({ "symbol_name": "Cart", "direction": "descendants" }),
    );
    let children = each(&down["hierarchy"][0]["children"], "name");
    assert!(
        ["__init__", "add", "total"]
            .iter()
            .all(|name| children.contains(name)),
        "{children:?}"
    );
    assert_eq!(down["chain_length"], children.len() + 1);
}

#[test]
fn members_that_stand_outside_of_their_type_are_inside_of_it() {
    let server = Server::new(
        "//- src/lib.rs\npub struct Cart;\nimpl Cart { pub fn total(&self) {} }\n//- pkg/store.go\npackage pkg\ntype Store struct{}\nfunc (s *Store) Open() {}\n",
    );
    let down = server.answer(
        "get_symbol_hierarchy",
        json!({ "symbol_name": "Cart", "direction": "descendants" }),
    );
    assert_eq!(down["hierarchy"][0]["children"][0]["kind"], "impl");
    assert_eq!(
        down["hierarchy"][0]["children"][0]["children"][0]["qualified_name"],
        "Cart::total"
    );
    let up = server.answer("get_symbol_hierarchy", json!({ "symbol_name": "Open" }));
    assert_eq!(
        each(&up["hierarchy"], "qualified_name"),
        ["pkg.Store.Open", "pkg.Store"]
    );
}

#[test]
fn related_symbols_by_scope() {
    let server = Server::new(SHOP);
    let related = |scope: &str| {
        server.answer(
            "find_related_symbols",
            json!({ "symbol_name": "empty_cart", "scope": scope }),
        )
    };
    let file = related("file");
    assert!(
        each(&file["related"], "relation")
            .iter()
            .all(|relation| *relation == "same_file")
    );
    let module = related("module");
    let relations = each(&module["related"], "relation");
    assert!(
        relations.contains(&"same_module")
            && relations.is_sorted_by_key(|relation| *relation != "same_file")
    );
    assert!(each(&module["related"], "name").contains(&"print_report"));
    let few = server.answer(
        "find_related_symbols",
        json!({ "symbol_name": "empty_cart", "limit": 1 }),
    );
    assert_eq!(few["related"].as_array().unwrap().len(), 1);
    assert!(few["total_found"].as_u64().unwrap() > 1);
    assert_eq!(few["metadata"]["result_completeness"], "truncated");
}

#[test]
fn callers_and_callees_with_their_places() {
    let server = Server::new(SHOP);
    let graph = server.answer("get_call_graph", json!({ "symbol_name": "tax_rate" }));
    assert_eq!(
        graph["callers"][0]["symbol"]["qualified_name"],
        "shop.cart.Cart.total"
    );
    assert_eq!(
        graph["callers"][0]["call_site"],
        json!({ "file": "shop/cart.py", "line": 13 })
    );
    assert_eq!(graph["callers"][0]["confidence"], "static");
    assert_eq!(graph["truncated"], false);
    let deep = server.answer(
        "get_call_graph",
        json!({ "symbol_name": "tax_rate", "direction": "callers", "depth": 9 }),
    );
    assert_eq!(deep["depth_applied"], 5);
    assert!(
        deep["metadata"]["warnings"][0]
            .as_str()
            .unwrap()
            .contains("clamped")
    );
    assert_eq!(deep["callees"], json!([]));
    assert!(
        deep["callers"].as_array().unwrap().iter().any(|edge| edge["depth"] == 3 && edge["symbol"]["symbol_id"] == "file::shop/report.py"),
        "{deep}"
    );
    let callees = server.answer(
        "get_call_graph",
        json!({ "symbol_name": "print_report", "direction": "callees" }),
    );
    let names: Vec<_> = callees["callees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["symbol"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["empty_cart", "add", "total"]);
    // The limit counts for each direction, and what it hides is counted.
    let few = server.answer(
        "get_call_graph",
        json!({ "symbol_name": "print_report", "limit": 1 }),
    );
    assert_eq!(
        (
            few["callers"].as_array().unwrap().len(),
            few["callees"].as_array().unwrap().len()
        ),
        (1, 1)
    );
    assert_eq!(
        (&few["total_edges"], &few["truncated"]),
        (&json!(4), &json!(true))
    );
    assert_eq!(few["metadata"]["result_completeness"], "truncated");
}

#[test]
fn recursion_is_an_edge_to_itself_and_a_circle_has_an_end() {
    let server = Server::new(
        "//- a.py\ndef down(n):\n    return down(n - 1)\n\ndef ping():\n    pong()\n\ndef pong():\n    ping()\n",
    );
    let own = server.answer(
        "get_call_graph",
        json!({ "symbol_name": "down", "depth": 5 }),
    );
    for list in ["callers", "callees"] {
        assert_eq!(own[list].as_array().unwrap().len(), 1, "{own}");
        assert_eq!(
            (
                &own[list][0]["symbol"]["name"],
                &own[list][0]["call_site"]["line"]
            ),
            (&json!("down"), &json!(2))
        );
    }
    let circle = server.answer(
        "get_call_graph",
        json!({ "symbol_name": "ping", "direction": "callees", "depth": 5 }),
    );
    let steps: Vec<String> = circle["callees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| {
            format!(
                "{} {}",
                edge["depth"],
                edge["symbol"]["name"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(steps, ["1 pong", "2 ping"], "{circle}");
}

#[test]
fn callers_beyond_the_limit_are_counted_up_to_an_end() {
    let callers: String = (0..90)
        .map(|i| format!("def near_{i}():\n    hub()\n\ndef far_{i}():\n    near_{i}()\n\n"))
        .collect();
    let server = Server::new(&format!("//- hub.py\ndef hub():\n    pass\n\n{callers}"));
    let ask = |limit: usize| {
        let asked =
            json!({ "symbol_name": "hub", "direction": "callers", "depth": 2, "limit": limit });
        server.answer("get_call_graph", asked)
    };
    let all = ask(500);
    assert_eq!(
        (&all["total_edges"], &all["truncated"]),
        (&json!(180), &json!(false))
    );
    let few = ask(5);
    assert_eq!(few["callers"].as_array().unwrap().len(), 5);
    assert_eq!(few["truncated"], true);
    let counted = few["total_edges"].as_u64().unwrap();
    assert!(
        (90..180).contains(&counted),
        "all of the first level, a part of the second: {counted}"
    );
    assert_eq!(ask(5), few);
}

/// What is cut off is said, with the call that gives the rest.
#[test]
fn a_name_that_many_bear_is_cut_at_the_limit() {
    let files: String = (0..30)
        .map(|i| format!("//- f{i}.py\ndef same(): ...\n"))
        .collect();
    let server = Server::new(&files);
    let few = server.answer("locate_symbol", json!({ "name": "same" }));
    assert_eq!(
        (
            few["results"].as_array().unwrap().len(),
            &few["total_candidates"]
        ),
        (10, &json!(30))
    );
    assert_eq!(few["metadata"]["result_completeness"], "truncated");
    let mut next = few["suggested_next_actions"][0].clone();
    assert_eq!(
        next.as_object_mut().unwrap().shift_remove("tool"),
        Some(json!("locate_symbol"))
    );
    let all = server.answer("locate_symbol", next);
    assert_eq!(
        (
            all["results"].as_array().unwrap().len(),
            &all["metadata"]["result_completeness"]
        ),
        (30, &json!("complete"))
    );
    assert!(all.get("suggested_next_actions").is_none());
}

/// Who writes a name means all its overloads; other classes' methods of that name are told, and
/// each has a handle.
#[test]
fn overloads_are_answered_together() {
    let server = Server::new(
        "//- Printer.java\nclass Printer {\n    void print(int n) { count(); }\n    void print(String s) { flush(); }\n    void count() {}\n    void flush() {}\n}\n\
class Other {\n    void print(int n) {}\n}\n\
//- Use.java\nclass Use {\n    void numbers(Printer p) { p.print(1); }\n    void words(Printer p) { p.print(\"a\"); }\n    void others(Other o) { o.print(1); }\n}\n",
    );
    let asked = json!({ "symbol_name": "print", "path": "Printer.java" });
    let graph = server.answer("get_call_graph", asked.clone());
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|edge| edge["symbol"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        (names(&graph["callers"]), names(&graph["callees"])),
        (
            vec!["numbers".to_owned(), "words".to_owned()],
            vec!["count".to_owned(), "flush".to_owned()]
        )
    );
    let joined = &graph["metadata"]["joined_symbols"];
    assert_eq!(
        (&joined["count"], each(&joined["first"], "signature")),
        (&json!(2), vec!["void print(int n)", "void print(String s)"])
    );
    assert_eq!(
        graph["callers"][1]["overload"],
        joined["first"][1]["symbol_id"]
    );
    let others = &graph["metadata"]["other_symbols"];
    assert_eq!(each(&others["first"], "qualified_name"), ["Other.print"]);
    // A handle means one of them, and says nothing of the rest.
    let one = server.answer(
        "get_call_graph",
        json!({ "symbol_name": joined["first"][1]["symbol_id"] }),
    );
    assert_eq!(names(&one["callers"]), ["words"]);
    assert!(
        one["metadata"].get("joined_symbols").is_none()
            && one["callers"][0].get("overload").is_none()
    );
    let other = server.answer(
        "get_call_graph",
        json!({ "symbol_name": others["first"][0]["symbol_id"] }),
    );
    assert_eq!(names(&other["callers"]), ["others"]);
    let references = server.answer("find_references", asked.clone());
    assert_eq!(references["total_references"], 2);
    assert_eq!(
        references["metadata"]["absence"]["other_meanings"], 1,
        "{references}"
    );
    assert_eq!(references["metadata"]["joined_symbols"]["count"], 2);
    // Tools about one symbol take the first, and tell the rest.
    for tool in ["get_symbol_hierarchy", "find_related_symbols"] {
        assert_eq!(
            server.answer(tool, asked.clone())["metadata"]["other_symbols"]["count"],
            2,
            "{tool}"
        );
    }
}

#[test]
fn a_type_is_called_by_its_constructors() {
    let server = Server::new(
        "//- Lamp.java\nclass Lamp {\n    Lamp() { on(); }\n    Lamp(int watts) {}\n    void on() {}\n    static Lamp make() { return new Lamp(3); }\n    static Lamp plain() { return new Lamp(); }\n}\n\
//- lamp.ts\nexport class Torch {\n    constructor(watts: number) {}\n}\nexport function torch() { return new Torch(1) }\n\
//- lamp.h\nclass Bulb { public: Bulb(int w); };\n//- lamp.cc\n#include \"lamp.h\"\nBulb::Bulb(int w) {}\nvoid screw() { new Bulb(1); }\n",
    );
    let callers = |name: &str| {
        let graph = server.answer(
            "get_call_graph",
            json!({ "symbol_name": name, "direction": "callers" }),
        );
        let names: Vec<String> = graph["callers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| edge["symbol"]["name"].as_str().unwrap().to_owned())
            .collect();
        (
            graph["symbol"]["kind"].as_str().unwrap().to_owned(),
            names.join(" "),
        )
    };
    assert_eq!(
        callers("Lamp"),
        ("class".to_owned(), "plain make".to_owned())
    );
    assert_eq!(callers("Torch"), ("class".to_owned(), "torch".to_owned()));
    assert_eq!(callers("Bulb"), ("class".to_owned(), "screw".to_owned()));
}

#[test]
fn references_have_their_own_lines_and_an_account() {
    let server = Server::new(SHOP);
    let answer = server.answer("find_references", json!({ "symbol_name": "Cart" }));
    let places: Vec<String> = answer["references"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| {
            format!(
                "{}:{} {}",
                place["path"].as_str().unwrap(),
                place["line_start"],
                place["edge_type"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            "shop/cart.py:16 calls",
            "tests/test_cart.py:1 imports",
            "tests/test_cart.py:4 calls"
        ]
    );
    assert_eq!(answer["references"][0]["context"], "return Cart()");
    assert_eq!(
        answer["references"][0]["from_symbol"]["qualified_name"],
        "shop.cart.empty_cart"
    );
    let imports = server.answer(
        "find_references",
        json!({ "symbol_name": "Cart", "kind": "imports" }),
    );
    assert_eq!(imports["total_references"], 1);
    let none = server.answer(
        "find_references",
        json!({ "symbol_name": "print_report", "kind": "imports" }),
    );
    assert_eq!(none["total_references"], 0);
    assert!(none["metadata"]["absence"]["files_with_name"].is_number());
}

/// An empty answer says what became of every place that has the name.
#[test]
fn absence_is_accounted_for() {
    let server = Server::new(
        "//- a.py\nclass Lamp:\n    def glow(self): ...\n//- b.py\n# glow is what lamps do\nTEXT = 'glow'\n//- c.py\ndef glow(): ...\nglow()\n\
         //- notes.txt\nLamps glow.\n",
    );
    for (tool, list) in [
        ("find_references", "references"),
        ("get_call_graph", "callers"),
    ] {
        let answer = server.answer(tool, json!({ "symbol_name": "Lamp.glow" }));
        assert_eq!(answer[list], json!([]), "{answer}");
        let accounted = json!({
            "files_with_name": 1, "other_meanings": 1, "ambiguous": 0, "unresolved": 0,
            "in_comments_and_strings": 2, "in_other_files": 1, "not_understood": 0, "files_not_indexed": 0,
        });
        assert_eq!(answer["metadata"]["absence"], accounted, "{tool}");
    }
    // What is there needs no search of texts, and says what else has the name.
    let called = server.answer(
        "find_references",
        json!({ "symbol_name": "glow", "path": "c.py" }),
    );
    assert_eq!(called["total_references"], 1);
    assert_eq!(
        called["metadata"]["absence"],
        json!({ "files_with_name": 1, "other_meanings": 0, "ambiguous": 0, "unresolved": 0 })
    );
}

#[test]
fn an_outline_tells_definitions_from_declarations() {
    let server = Server::new(
        "//- lamp.h\nint lamp_on(int watts);\nint elsewhere(void);\nenum { RED, GREEN };\n//- lamp.c\n#include \"lamp.h\"\nint lamp_on(int watts) {\n    return watts;\n}\n\
//- over.py\nfrom typing import overload\n\n@overload\ndef parse(text: str) -> str: ...\n@overload\ndef parse(text: bytes) -> bytes: ...\ndef parse(text):\n    return text\n",
    );
    let header = server.answer("get_file_outline", json!({ "path": "lamp.h" }));
    // Nothing in the repository defines `elsewhere`, so that its prototype is all there is of it;
    // an anonymous enum shows its members only.
    assert_eq!(
        each(&header["symbols"], "name"),
        ["elsewhere", "RED", "GREEN"],
        "{header}"
    );
    assert_eq!(each(&header["declarations"], "name"), ["lamp_on"]);
    assert_eq!(
        header["declarations"][0]["defined_in"],
        json!({ "path": "lamp.c", "line": 2 })
    );
    let source = server.answer("get_file_outline", json!({ "path": "lamp.c" }));
    assert_eq!(each(&source["symbols"], "name"), ["lamp.h", "lamp_on"]);
    assert!(source.get("declarations").is_none());
    let overloaded = server.answer("get_file_outline", json!({ "path": "over.py" }));
    assert_eq!(
        each(&overloaded["symbols"], "name"),
        ["typing.overload", "parse"],
        "{overloaded}"
    );
    assert_eq!(
        (
            &overloaded["symbols"][1]["line_start"],
            &overloaded["symbols"][1]["line_end"]
        ),
        (&json!(3), &json!(8))
    );
}

#[test]
fn followups_name_what_exists() {
    let server = Server::new(SHOP);
    let ask = |query: serde_json::Value, results: serde_json::Value| {
        server.answer(
            "suggest_followup_queries",
            json!({ "previous_query": query, "previous_results": results }),
        )
    };
    let low = ask(
        json!({ "tool": "search_code", "params": { "query": "where are the tax rates" } }),
        json!({ "results": [], "query_intent": "natural_language", "total_candidates": 3, "top_score": 0.2 }),
    );
    assert_eq!(low["analysis"]["previous_confidence"], "low");
    assert_eq!(low["analysis"]["extracted_identifiers"][0], "tax_rate");
    assert_eq!(low["suggestions"][0]["tool"], "locate_symbol");
    assert_eq!(
        low["suggestions"][0]["params"],
        json!({ "name": "tax_rate", "kind": "fn" })
    );
    let unknown = ask(
        json!({ "tool": "search_code", "params": { "query": "where is rate limiting implemented" } }),
        json!({ "results": [], "query_intent": "natural_language", "total_candidates": 3, "top_score": 0.25 }),
    );
    assert_eq!(
        unknown["analysis"]["extracted_identifiers"],
        json!(["rate_limit", "rate_limiting"])
    );
    assert_eq!(unknown["suggestions"][0]["tool"], "locate_symbol");
    assert_eq!(
        unknown["suggestions"][0]["params"],
        json!({ "name": "rate_limit" })
    );
    let near = ask(
        json!({ "tool": "search_code", "params": { "query": "where is report printing implemented" } }),
        json!({ "results": [], "query_intent": "natural_language", "total_candidates": 3, "top_score": 0.25 }),
    );
    assert_eq!(near["suggestions"][0]["params"]["name"], "print_report");
    let reason = near["suggestions"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("exists and is near 'report_print'"),
        "{reason}"
    );
    let high = ask(
        json!({ "tool": "search_code", "params": { "query": "tax" } }),
        json!({ "total_candidates": 3, "top_score": 0.9 }),
    );
    assert_eq!(high["suggestions"], json!([]));
    assert_eq!(high["reason"], "results are above confidence threshold");
    let located = ask(
        json!({ "tool": "locate_symbol", "params": { "name": "tax_rates" } }),
        json!({ "results": [] }),
    );
    assert_eq!(each(&located["suggestions"], "tool")[0], "search_code");
    assert!(each(&located["suggestions"], "tool").contains(&"get_call_graph"));
    let graph = ask(
        json!({ "tool": "get_call_graph", "params": { "symbol_name": "tax_rate" } }),
        json!({ "total_edges": 0 }),
    );
    assert_eq!(
        each(&graph["suggestions"], "tool")[..2],
        ["locate_symbol", "search_code"]
    );
    // A misspelt name leads to the one that is meant, not to names of its parts.
    let misspelt = ask(
        json!({ "tool": "search_code", "params": { "query": "emptyCrat" } }),
        json!({ "results": [], "query_intent": "symbol", "top_score": 0.1 }),
    );
    assert_eq!(
        misspelt["suggestions"][0]["params"],
        json!({ "name": "empty_cart" }),
        "{misspelt}"
    );
    let odd = ask(json!({ "tool": "other", "params": {} }), json!({}));
    assert!(!odd["suggestions"].as_array().unwrap().is_empty());
}

#[test]
fn a_context_keeps_within_its_budget_by_both_counts() {
    let server = Server::new(SHOP);
    for strategy in ["breadth", "depth"] {
        for max_tokens in [1, 60, 150, 400, 4000] {
            let answer =
                server.answer("get_code_context", json!({ "query": "cart total tax", "strategy": strategy, "max_tokens": max_tokens }));
            let items = answer["context_items"].as_array().unwrap();
            let json: Vec<String> = items.iter().map(|item| item.to_string()).collect();
            let estimated: usize = json.iter().map(|item| crate::tokens::estimate(item)).sum();
            let counted: usize = json.iter().map(|item| crate::tokens::count(item)).sum();
            assert_eq!(answer["estimated_tokens"], estimated);
            assert!(
                estimated <= max_tokens && counted <= max_tokens,
                "{strategy} {max_tokens}: {estimated}, {counted}"
            );
            if max_tokens == 1 {
                assert_eq!((items.len(), &answer["truncated"]), (0, &json!(true)));
                assert!(answer["metadata"]["suggestion"].is_string());
            }
            if max_tokens == 4000 {
                assert_eq!(items[0].get("body").is_some(), strategy == "depth");
            }
        }
    }
}

#[test]
fn status_and_health_tell_how_it_is() {
    let server = Server::new(SHOP);
    let status = server.answer("index_status", json!({}));
    assert_eq!(status["index_status"], "ready");
    assert_eq!(status["file_count"], 6);
    assert!(status["symbol_count"].as_u64().unwrap() >= 8);
    assert_eq!(status["active_job"], json!(null));
    let health = server.answer("health_check", json!({}));
    assert_eq!(health["status"], "ready");
    assert_eq!(health["projects"][0]["index_status"], "ready");
    assert!(each_word(&health["grammars"]["available"]).contains(&"python".to_owned()));
    assert_eq!(health["startup_checks"]["index"]["status"], "compatible");
    // What they call fresh holds what is on disk.
    for (tool, n_files) in [("index_status", "7"), ("health_check", "8")] {
        server.write(&format!("//- shop/new_{n_files}.py\ndef new(): ...\n"));
        let told = server.answer(tool, json!({}));
        assert_eq!(told["metadata"]["freshness_status"], "fresh", "{tool}");
        let counted = told
            .get("file_count")
            .unwrap_or(&told["projects"][0]["file_count"]);
        assert_eq!(counted.to_string(), n_files, "{tool}");
    }
}

fn each_word(list: &serde_json::Value) -> Vec<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_crate_begins_where_its_root_stands() {
    let server = Server::new(
        "//- Cargo.toml\n[package]\nname = \"lamp\"\n[[bin]]\nname = \"lamp\"\npath = \"crates/core/main.rs\"\n\
         //- crates/core/main.rs\nmod flags;\nfn main() {}\n//- crates/core/flags/mod.rs\npub fn parse() {}\n",
    );
    let found = server.answer("locate_symbol", json!({ "name": "parse" }));
    assert_eq!(
        found["results"][0]["qualified_name"], "flags::parse",
        "{found}"
    );
}

const DECORATED: &str = "
//- app.py
@route
@login
def checkout(cart):
    total(cart)
    total(cart)

def total(cart): ...

total(None)
";

#[test]
fn compact_lists_have_one_handle_per_symbol_and_none_per_call_site() {
    let server = Server::new(DECORATED);
    let ask = |tool: &str| {
        let ask = json!({ "symbol_name": "total", "compact": true });
        server.answer(tool, ask)
    };
    let found = ask("find_references");
    assert_eq!(found["total_references"], 3);
    let references = found["references"].as_array().unwrap();
    assert_eq!(references.len(), 2, "{found}");
    assert_eq!(references[0]["lines"], json!([4, 5]));
    assert_eq!(references[0]["from_symbol"]["name"], "checkout");
    assert_eq!(references[0]["from_symbol"]["name_line"], 3);
    assert_eq!(references[1]["lines"], json!([9]));
    assert_eq!(references[1].get("from_symbol"), None);
    let found = ask("get_call_graph");
    let callers = found["callers"].as_array().unwrap();
    assert_eq!(callers.len(), 2, "{found}");
    assert_eq!(callers[0]["lines"], json!([4, 5]));
    assert_eq!(callers[0]["symbol"]["name_line"], 3);
    assert_eq!(found["symbol"]["name_line"], 7);
    assert_eq!(found.to_string().matches("sym_").count(), 2);
}

#[test]
fn places_and_numbers_of_parameters_name_a_symbol_in_every_tool() {
    let server = Server::new(DECORATED);
    for name in ["app.py:7", "total/1", "total(cart)"] {
        let found = server.answer(
            "find_references",
            json!({ "symbol_name": name, "kind": "call" }),
        );
        assert_eq!(found["total_references"], 3, "{name}");
    }
}

#[test]
fn implicit_calls_are_edges_where_they_are_asked_for() {
    let server = Server::new(
        "//- shop.py
class Items:
    def __iter__(self): return iter([])
    @property
    def total(self): return 1


def use(items: Items):
    for item in items: ...
    return items.total
",
    );
    let ask = |name: &str, direction: &str, include: bool, compact: bool| {
        let question = json!({
            "symbol_name": name, "direction": direction, "include_implicit": include,
            "compact": compact,
        });
        server.answer("get_call_graph", question)
    };
    let callers = ask("__iter__", "callers", true, false);
    assert_eq!(callers["callers"][0]["symbol"]["name"], "use");
    assert_eq!(callers["callers"][0]["implicit"], "for");
    assert_eq!(callers["callers"][0]["call_site"]["line"], 8);
    assert_eq!(callers["total_edges"], 1);
    assert_eq!(ask("__iter__", "callers", false, false)["total_edges"], 0);
    let callees = ask("use", "callees", true, true);
    assert_eq!(each(&callees["callees"], "implicit"), ["for", "property"]);
    assert_eq!(ask("use", "callees", false, true)["total_edges"], 0);
}
