//! What the CodeMap tools answer about a small shop.

use super::*;

#[test]
fn words_of_names_find_symbols_and_filters_come_before_the_limit() {
    let server = Server::new(SHOP);
    let hits = |arguments: Value| {
        each(
            &server.data("symbols.search", arguments)["hits"],
            "fully_qualified_name",
        )
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>()
    };
    assert_eq!(
        hits(json!({ "query": "Order" })),
        ["Acme.Shop.Order", "Acme.Shop.Order.Order"]
    );
    assert_eq!(
        hits(json!({ "query": "Invalid*", "kinds": ["Class"] })),
        ["Acme.Shop.InvalidPayment"]
    );
    assert_eq!(
        hits(json!({ "query": "Till OR IPriced" })),
        [
            "Acme.Shop.IPriced",
            "Acme.Shop.Till",
            "Acme.Shop.Order",
            "Acme.Shop.Till.Sum"
        ]
    );
    assert_eq!(
        hits(json!({ "query": "Order.Pay" })),
        ["Acme.Shop.Order.Pay"]
    );
    assert_eq!(
        hits(json!({ "query": "settles bill" })),
        ["Acme.Shop.Order.Pay"]
    );
    assert_eq!(
        hits(json!({ "kinds": ["interface"] })),
        ["Acme.Shop.IPriced"]
    );
    assert_eq!(
        hits(json!({ "query": "Total", "file_path": "shop/ipriced", "limit": 1 })),
        ["Acme.Shop.IPriced.Total"]
    );
    assert_eq!(
        hits(json!({ "query": "Total", "namespace": "Acme.Shops" })),
        Vec::<String>::new()
    );
    let answer = server.answer("symbols.search", json!({ "query": "Ordr" }));
    assert!(
        answer["answer"].as_str().unwrap().contains("`Order`"),
        "{answer}"
    );
}

#[test]
fn a_list_that_a_cap_cuts_goes_on_at_its_cursor() {
    let server = Server::new(SHOP);
    let first = server.answer("symbols.search", json!({ "kinds": ["Method"], "limit": 2 }));
    assert_eq!(
        (
            first["data"]["total_count"].as_u64(),
            first["data"]["truncated"].as_bool()
        ),
        (Some(6), Some(true))
    );
    let rest = server.data(
        "symbols.search",
        json!({ "kinds": ["Method"], "limit": 100, "cursor": first["data"]["next_cursor"] }),
    );
    assert_eq!(rest["hits"].as_array().unwrap().len(), 4);
    let (code, _) = server.error(
        "symbols.search",
        json!({ "kinds": ["Class"], "cursor": first["data"]["next_cursor"] }),
    );
    assert_eq!(code, "INVALID_ARGUMENT");
    let strict = Server {
        strict: true,
        ..server
    };
    let first = strict.data("symbols.search", json!({ "kinds": ["Method"], "limit": 2 }));
    assert!(first.get("next_cursor").is_none());
    assert_eq!(
        strict
            .error(
                "symbols.search",
                json!({ "kinds": ["Method"], "cursor": "0-2" })
            )
            .0,
        "INVALID_ARGUMENT"
    );
}

#[test]
fn budgets_are_clamped_and_said_so() {
    let server = Server::new(SHOP);
    let applied = |tool: &str, arguments: Value| {
        server.answer(tool, arguments)["meta"]["limits_applied"].clone()
    };
    assert_eq!(
        applied("symbols.search", json!({ "query": "Order", "limit": 1000 })),
        json!({ "max_results": { "requested": 1000, "hard_cap": 100 } })
    );
    assert_eq!(
        applied("symbols.search", json!({ "query": "Order", "limit": -3 })),
        json!({ "max_results": { "requested": -3, "hard_cap": 1 } })
    );
    assert_eq!(
        applied(
            "graph.callers",
            json!({ "symbol_id": "Order.Pay", "depth": 9, "limit_per_level": 900 })
        ),
        json!({ "max_depth": { "requested": 9, "hard_cap": 6 }, "max_references": { "requested": 900, "hard_cap": 500 } })
    );
    assert_eq!(
        applied(
            "code.get_span",
            json!({ "file_path": "Shop/Till.cs", "start_line": 1, "end_line": 5, "max_lines": 500 })
        ),
        json!({ "max_lines": { "requested": 500, "hard_cap": 400 } })
    );
    assert_eq!(
        applied("refs.find", json!({ "symbol_id": "Order.Pay" })),
        json!({})
    );
}

#[test]
fn ids_are_those_of_documentation_comments() {
    let server = Server::new(SHOP);
    let id = |query: &str, kind: &str| {
        server.data("symbols.search", json!({ "query": query, "kinds": [kind] }))["hits"][0]["symbol_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        id("Pay", "Method"),
        "M:Acme.Shop.Order.Pay(System.Int32,System.String)"
    );
    assert_eq!(
        id("Pick", "Method"),
        "M:Acme.Shop.Order.Pick``1(System.Collections.Generic.List{``0},``0[])"
    );
    assert_eq!(
        id("Order", "Constructor"),
        "M:Acme.Shop.Order.#ctor(System.Int32)"
    );
    assert_eq!(
        id("Sum", "Method"),
        "M:Acme.Shop.Till.Sum(Acme.Shop.IPriced)"
    );
    assert_eq!(id("Id", "Property"), "P:Acme.Shop.Order.Id");
    assert_eq!(id("_paid", "Field"), "F:Acme.Shop.Order._paid");
    let card = |handle: &str| {
        server.data("symbols.get_card", json!({ "symbol_id": handle }))["symbol_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let pay = "M:Acme.Shop.Order.Pay(System.Int32,System.String)";
    let stable = server.data("symbols.get_card", json!({ "symbol_id": pay }))["stable_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(stable.starts_with("sym_") && stable.len() == 20);
    for handle in [
        pay,
        "M:Acme.Shop.Order.Pay",
        "Acme.Shop.Order.Pay",
        "Order.Pay",
        stable.as_str(),
    ] {
        assert_eq!(card(handle), pay, "{handle}");
    }
    assert_eq!(
        card("M:Acme.Shop.Order.#ctor"),
        "M:Acme.Shop.Order.#ctor(System.Int32)"
    );
}

#[test]
fn explicit_implementations_name_the_whole_interface() {
    let server = Server::new(
        "//- a.cs\nnamespace Acme.Parts;\npublic interface IStore<T> { void Put(T item); T this[int at] { get; } }\n//- b.cs\nusing System;\nusing Acme.Parts;\nnamespace Acme.Shop;\npublic class Shelf<T> : IStore<T>, IDisposable\n{\n    void IStore<T>.Put(T item) { }\n    T IStore<T>.this[int at] => default!;\n    void IDisposable.Dispose() { }\n}\npublic static class Extensions { public static void Sort<T>(this Shelf<T> shelf) { } }\n",
    );
    let hits = server.data(
        "symbols.search",
        json!({ "kinds": ["Method", "Indexer"], "file_path": "b.cs" }),
    );
    let ids = [
        "M:Acme.Shop.Shelf`1.Acme#Parts#IStore{T}#Put(`0)",
        "P:Acme.Shop.Shelf`1.Acme#Parts#IStore{T}#Item(System.Int32)",
        "M:Acme.Shop.Shelf`1.System#IDisposable#Dispose",
        "M:Acme.Shop.Extensions.Sort``1(Acme.Shop.Shelf{``0})",
    ];
    assert_eq!(each(&hits["hits"], "symbol_id"), ids);
    for id in ids {
        assert_eq!(
            server.data("symbols.get_card", json!({ "symbol_id": id }))["symbol_id"],
            id
        );
    }
    let names = [
        "Acme.Shop.Shelf.Put",
        "Acme.Shop.Shelf.this",
        "Acme.Shop.Shelf.Dispose",
        "Acme.Shop.Extensions.Sort",
    ];
    assert_eq!(each(&hits["hits"], "fully_qualified_name"), names);
}

/// The parameters of a primary constructor and of a delegate are no part of a type's id, and may
/// name the type itself.
#[test]
fn types_that_name_themselves_in_their_parameters_have_ids() {
    let server = Server::new(
        "//- a.cs\nnamespace Acme;\npublic class Node(Node? next, Link link) { public void Join(Node other, Link how) { } }\npublic delegate Link Link(Link before, Node node);\npublic record Pair(Pair Left, Pair Right);\n",
    );
    let hits = server.data(
        "symbols.search",
        json!({ "kinds": ["Class", "Delegate", "Record", "Method"] }),
    );
    assert_eq!(
        each(&hits["hits"], "symbol_id"),
        [
            "T:Acme.Node",
            "M:Acme.Node.Join(Acme.Node,Acme.Link)",
            "T:Acme.Link",
            "T:Acme.Pair"
        ]
    );
}

#[test]
fn a_card_tells_what_a_symbol_says_calls_throws_and_writes() {
    let server = Server::new(SHOP);
    let card = server.data("symbols.get_card", json!({ "symbol_id": "Order.Pay" }));
    assert_eq!(
        card["signature"],
        "public void Pay(int amount, string? code)"
    );
    assert_eq!(card["documentation"], "Settles the bill.");
    assert_eq!(
        (
            card["namespace"].as_str(),
            card["containing_type"].as_str(),
            card["visibility"].as_str()
        ),
        (Some("Acme.Shop"), Some("Order"), Some("public"))
    );
    assert_eq!(card["thrown_exceptions"], json!(["InvalidPayment"]));
    assert_eq!(card["side_effects"], json!(["writes field Order._paid"]));
    assert_eq!(
        card["facts"],
        json!([{ "kind": "exception", "value": "InvalidPayment|throw" }])
    );
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
    assert_eq!(
        each(&sell["calls_top"], "kind"),
        ["instantiate", "call", "call"]
    );
}

#[test]
fn a_card_names_calls_into_libraries() {
    let server = Server::new(
        "//- a.py\nimport os\nimport json\ndef own(): ...\ndef read(path):\n    os.path.join(path)\n    own()\n    json.loads(path)\n",
    );
    let card = server.data("symbols.get_card", json!({ "symbol_id": "M:a.read(path)" }));
    assert_eq!(
        each(&card["calls_top"], "to_symbol"),
        ["!:os.path.join", "M:a.own", "!:json.loads"]
    );
    assert_eq!(card["calls_top"][0]["line"], 5);
}

#[test]
fn references_are_classified_and_filtered() {
    let server = Server::new(SHOP);
    let kinds = |arguments: Value| {
        server.data("refs.find", arguments)["references"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| {
                format!(
                    "{} {}:{}",
                    found["kind"].as_str().unwrap(),
                    found["file_path"].as_str().unwrap(),
                    found["line_start"]
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(json!({ "symbol_id": "IPriced.Total" })),
        ["implementation Shop/Order.cs:10", "call Shop/Till.cs:4"]
    );
    assert_eq!(
        kinds(json!({ "symbol_id": "M:Acme.Shop.Order.#ctor(System.Int32)" })),
        ["instantiate Shop/Till.cs:7"]
    );
    assert_eq!(
        kinds(json!({ "symbol_id": "P:Acme.Shop.Order.Id", "kind": "Write" })),
        ["write Shop/Order.cs:8", "write Shop/Till.cs:9"]
    );
    let found = server.data(
        "refs.find",
        json!({ "symbol_id": "Order.Pay", "kind": "call", "resolution_state": "resolved" }),
    );
    assert_eq!(found["references"][0]["excerpt"], "order.Pay(5, \"x\");");
    assert_eq!(
        found["references"][0]["from_symbol"],
        "M:Acme.Shop.Till.Sell"
    );
}

#[test]
fn graphs_and_hierarchies_name_their_nodes() {
    let server = Server::new(SHOP);
    let callers = server.data(
        "graph.callers",
        json!({ "symbol_id": "IPriced.Total", "depth": 2 }),
    );
    assert_eq!(
        each(&callers["nodes"], "display_name"),
        [
            "Acme.Shop.IPriced.Total",
            "Acme.Shop.Till.Sum",
            "Acme.Shop.Till.Sell"
        ]
    );
    assert_eq!(
        (
            callers["total_nodes_found"].as_u64(),
            callers["nodes"][1]["edges_to"][0].as_str()
        ),
        (Some(2), Some("M:Acme.Shop.Till.Sell"))
    );
    let hierarchy = server.data(
        "types.hierarchy",
        json!({ "symbol_id": "T:Acme.Shop.IPriced" }),
    );
    assert_eq!(
        each(&hierarchy["derived_types"], "symbol_id"),
        ["T:Acme.Shop.Order"]
    );
    let trace = server.data(
        "graph.trace_feature",
        json!({ "entry_point": "Till.Sell", "depth": 2 }),
    );
    assert_eq!(trace["nodes"][0]["children"].as_array().unwrap().len(), 3);
    let text = trace.to_string();
    assert!(
        text.contains(r#"{"kind":"Exception","value":"InvalidPayment","confidence":"high"}"#),
        "{text}"
    );
    assert!(
        text.contains("M:Acme.Shop.Order.Total"),
        "dispatch is followed: {text}"
    );
}

#[test]
fn spans_are_numbered_and_cut() {
    let server = Server::new("//- a.py\none = 1\ntwo = 2\nthree = 3\n");
    let span = |arguments: Value| server.data("code.get_span", arguments);
    let all =
        span(json!({ "file_path": "a.py", "start_line": 2, "end_line": 2, "context_lines": 1 }));
    assert_eq!(
        all["content"],
        "    1 | one = 1\n    2 | two = 2\n    3 | three = 3\n"
    );
    assert_eq!(
        (
            all["start_line"].as_u64(),
            all["end_line"].as_u64(),
            all["total_file_lines"].as_u64(),
            all["truncated"].as_bool()
        ),
        (Some(1), Some(3), Some(3), Some(false))
    );
    let cut = span(json!({ "file_path": "a.py", "start_line": 1, "end_line": 3, "max_lines": 2 }));
    assert_eq!(
        (cut["end_line"].as_u64(), cut["truncated"].as_bool()),
        (Some(2), Some(true))
    );
    let cut = span(json!({ "file_path": "a.py", "start_line": 1, "end_line": 3, "max_chars": 20 }));
    assert_eq!(
        (cut["content"].as_str(), cut["truncated"].as_bool()),
        (Some("    1 | one = 1\n"), Some(true))
    );
    let definition = server.data(
        "symbols.get_definition_span",
        json!({ "symbol_id": "two", "context_lines": 0 }),
    );
    assert_eq!(definition["content"], "    2 | two = 2\n");
}

#[test]
fn a_definition_without_context_is_what_the_card_shows() {
    let server = Server::new(SHOP);
    let card = server.data("symbols.get_card", json!({ "symbol_id": "Order.Pay" }));
    let span = |question: Value| server.data("symbols.get_definition_span", question);
    let alone = span(json!({ "symbol_id": "Order.Pay", "context_lines": 0 }));
    assert_eq!(
        (&alone["start_line"], &alone["end_line"]),
        (&card["span_start"], &card["span_end"])
    );
    let documented = span(json!({ "symbol_id": "Order.Pay" }));
    let content = documented["content"].as_str().unwrap();
    assert!(content.contains("Settles the bill."), "{content}");
}

#[test]
fn an_enum_member_is_a_constant() {
    let server = Server::new(
        "//- a.py\nimport enum\nclass State(enum.Enum):\n    OPEN = 1\n//- A.cs\nenum State { Open, Paid }\n",
    );
    let card = server.data("symbols.get_card", json!({ "symbol_id": "State.Paid" }));
    assert_eq!(card["kind"], "constant");
    for kind in ["Constant", "enum_member"] {
        let hits = server.data("symbols.search", json!({ "kinds": [kind] }));
        assert!(hits.to_string().contains("State.Paid"), "{kind}: {hits}");
    }
}

#[test]
fn before_the_first_commit_there_is_no_baseline() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "//- a.py\ndef one(): ...\n");
    git(directory.path(), &["init", "-q", "-b", "main"]);
    let server = Server::over(directory, true);
    for _ in 0..2 {
        let status = server.answer("repo.status", json!({}));
        assert_eq!(status["data"]["baseline_index_exists"], false);
        assert_eq!(status["next_actions"], json!([]));
        let (code, error) = server.error("index.ensure_baseline", json!({}));
        assert_eq!(code, "NOT_FOUND");
        assert!(error["message"].as_str().unwrap().contains("no commit yet"));
    }
}

#[test]
fn savings_add_up() {
    let server = Server::new(SHOP);
    let saved =
        server.answer("symbols.get_card", json!({ "symbol_id": "Till" }))["meta"]["tokens_saved"]
            .as_u64()
            .unwrap();
    server.answer("symbols.get_card", json!({ "symbol_id": "Till" }));
    let totals = server
        .host
        .workspaces
        .find(None)
        .unwrap()
        .store()
        .savings()
        .unwrap();
    let total = totals
        .iter()
        .find(|(key, _)| key == "tokens_saved")
        .unwrap()
        .1;
    assert_eq!(total as u64, 2 * saved);
}

#[test]
fn the_ratio_of_a_language_is_held_against_the_tokenizer() {
    let source = include_str!("../savings.rs");
    let server = Server::new(&format!("//- a.rs\n{source}"));
    let workspace = server.host.workspaces.find(None).unwrap();
    server.data("index.ensure_baseline", json!({}));
    let (view, freshness) = workspace
        .at_ref(Some("HEAD"), std::time::Duration::from_secs(60))
        .unwrap();
    let rows = crate::codemap::calibration(&server.context().session(workspace, view, freshness));
    assert_eq!((rows.len(), rows[0].language), (1, "rust"));
    assert!(rows[0].error.abs() < 0.2, "{rows:?}");
    assert!(
        (rows[0].measured_bytes_per_token - rows[0].bytes as f64 / rows[0].tokens as f64).abs()
            < 0.001
    );
}

/// An empty list says what became of every place that has the name, and shows where it is.
#[test]
fn a_directory_means_the_file_that_its_manifest_names() {
    let server = Server::new(
        "//- package.json\n{ \"name\": \"shop\", \"main\": \"lib/shop.js\" }\n\
         //- lib/shop.js\nmodule.exports = build;\nfunction build() {}\n\
         //- test/cart.test.js\nconst make = require('..');\nfunction testCart() { make(); }\n\
         //- other/user.js\nconst shop = require('shop');\nfunction user() { shop(); }\n",
    );
    let answer = server.answer("graph.callers", json!({ "symbol_id": "build" }));
    assert_eq!(
        answer["answer"],
        "2 callers of `shop.build` within depth 1."
    );
}

#[test]
fn absence_is_accounted_for() {
    let server = Server::new(
        "//- a.py\nclass Lamp:\n    def glow(self): ...\n//- b.py\n# glow is what lamps do\nTEXT = 'glow'\n//- c.py\ndef glow(): ...\nglow()\n\
         //- notes.txt\nLamps glow.\n",
    );
    for (tool, none) in [
        ("refs.find", "No references to `a.Lamp.glow`."),
        (
            "graph.callers",
            "No callers of `a.Lamp.glow` within depth 1.",
        ),
    ] {
        let answer = server.answer(tool, json!({ "symbol_id": "a.Lamp.glow" }));
        let account = "Other places with its name: 1 of another meaning, 2 in comments and strings, 1 in files that are no code.";
        assert_eq!(answer["answer"], format!("{none} {account}"));
        let shown: Vec<_> = answer["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .map(|place| place["excerpt"].as_str().unwrap())
            .collect();
        assert_eq!(
            shown,
            [
                "def glow(self)",
                "# glow is what lamps do",
                "TEXT = 'glow'",
                "Lamps glow."
            ]
        );
    }
}

#[test]
fn ids_of_everything_that_csharp_declares() {
    let server = Server::new(
        r#"
//- a.cs
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
namespace Acme
{
    public struct Money
    {
        public static Money operator +(Money a, Money b) => a;
        public static implicit operator decimal(Money a) => 0;
        public static explicit operator Money(int a) => default;
        public int this[string key, int at] => 0;
    }
    public class Outer<T>
    {
        static Outer() { }
        public event EventHandler Changed;
        public const int Most = 3;
        public class Inner<U>
        {
            public void Put(T item, U other, Dictionary<string, List<U>> all, int?[] some) { }
            public enum Level { Low }
        }
        public Task<Money> Pay(ref int a, out string b, in DateTime c, params object[] rest) { b = ""; return null; }
        public (int, string) Pair((int Left, string Right) pair, Func<T, bool> test) => default;
    }
    public delegate void Done(Money paid);
}
"#,
    );
    let mut ids = Vec::new();
    for kind in [
        "Class",
        "Struct",
        "Enum",
        "Delegate",
        "Method",
        "Operator",
        "Indexer",
        "Constructor",
        "Event",
        "Constant",
    ] {
        ids.extend(
            each(
                &server.data("symbols.search", json!({ "kinds": [kind] }))["hits"],
                "symbol_id",
            )
            .into_iter()
            .map(str::to_owned),
        );
    }
    let expected = [
        "T:Acme.Outer`1",
        "T:Acme.Outer`1.Inner`1",
        "T:Acme.Money",
        "T:Acme.Outer`1.Inner`1.Level",
        "T:Acme.Done",
        "M:Acme.Outer`1.Inner`1.Put(`0,`1,System.Collections.Generic.Dictionary{System.String,System.Collections.Generic.List{`1}},System.Nullable{System.Int32}[])",
        "M:Acme.Outer`1.Pay(System.Int32@,System.String@,System.DateTime@,System.Object[])",
        "M:Acme.Outer`1.Pair(System.ValueTuple{System.Int32,System.String},System.Func{`0,System.Boolean})",
        "M:Acme.Money.op_Addition(Acme.Money,Acme.Money)",
        "M:Acme.Money.op_Implicit(Acme.Money)~System.Decimal",
        "M:Acme.Money.op_Explicit(System.Int32)~Acme.Money",
        "P:Acme.Money.Item(System.String,System.Int32)",
        "M:Acme.Outer`1.#cctor",
        "E:Acme.Outer`1.Changed",
        "F:Acme.Outer`1.Most",
        "F:Acme.Outer`1.Inner`1.Level.Low",
    ];
    assert_eq!(ids, expected);
    for id in expected {
        assert_eq!(
            server.data("symbols.get_card", json!({ "symbol_id": id }))["symbol_id"],
            id
        );
    }
}

#[test]
fn a_stable_id_outlives_edits_elsewhere_and_new_siblings() {
    let server =
        Server::new("//- a.py\nclass Shop:\n    def sell(self): ...\n    def buy(self): ...\n");
    server.data(
        "workspace.create",
        json!({ "workspace_id": "w", "solution_path": "." }),
    );
    let id = |name: &str| {
        let card = server.data(
            "symbols.get_card",
            json!({ "symbol_id": name, "workspace_id": "w" }),
        );
        card["stable_id"].as_str().unwrap().to_owned()
    };
    let before = [id("Shop.sell"), id("Shop.buy"), id("Shop")];
    server.write("//- a.py\n# moved down\nclass First: ...\nclass Shop:\n    def open(self): ...\n    def sell(self): return 1\n    def buy(self): ...\n");
    server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    assert_eq!([id("Shop.sell"), id("Shop.buy"), id("Shop")], before);
    let found = server.data(
        "symbols.get_card",
        json!({ "symbol_id": before[0], "workspace_id": "w" }),
    );
    assert_eq!(
        found["symbol_id"], "M:a.Shop.sell",
        "and finds what it names"
    );
}

#[test]
fn names_with_digits_and_words_of_one_letter_are_found_and_an_exact_name_is_one() {
    let server = Server::new(
        "//- a.py\nclass OAuth2Token: ...\nclass OAuth2TokenStore: ...\ndef to_x_y(): ...\ndef verify_2fa(): ...\ndef verify(): ...\nclass Verify: ...\n",
    );
    let first = |query: &str| {
        let hits = server.data("symbols.search", json!({ "query": query }))["hits"].clone();
        each(&hits, "fully_qualified_name")
            .first()
            .map(|name| (*name).to_owned())
            .unwrap_or_default()
    };
    for (query, name) in [
        ("OAuth2Token", "a.OAuth2Token"),
        ("oauth2*", "a.OAuth2Token"),
        ("to_x_y", "a.to_x_y"),
        ("x y", "a.to_x_y"),
        ("verify_2fa", "a.verify_2fa"),
        ("2fa", "a.verify_2fa"),
    ] {
        assert_eq!(first(query), name, "{query}");
    }
    for (handle, id) in [
        ("OAuth2Token", "T:a.OAuth2Token"),
        ("verify", "M:a.verify"),
        ("Verify", "T:a.Verify"),
    ] {
        assert_eq!(
            server.data("symbols.get_card", json!({ "symbol_id": handle }))["symbol_id"],
            id,
            "{handle} is one symbol"
        );
    }
}

#[test]
fn references_tell_overrides_reads_and_what_cannot_be_resolved() {
    let server = Server::new(
        r#"
//- a.cs
namespace Acme;
public class Base { public virtual void Run() { } public int Count; }
public class Derived : Base
{
    public override void Run() { Count = Count + 1; base.Run(); }
}
//- b.py
class Shop:
    def sell(self): ...
class Stall:
    def sell(self): ...
def use(thing):
    thing.sell()
"#,
    );
    let find = |arguments: Value| {
        let found = server.data("refs.find", arguments)["references"].clone();
        let line = |item: &Value| {
            format!(
                "{} {} {}",
                item["kind"].as_str().unwrap(),
                item["line_start"],
                item["resolution_state"].as_str().unwrap()
            )
        };
        found
            .as_array()
            .unwrap()
            .iter()
            .map(line)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        find(json!({ "symbol_id": "Base.Run", "kind": "Override" })),
        ["override 5 resolved"]
    );
    assert_eq!(
        find(json!({ "symbol_id": "Base.Count" })),
        ["write 5 resolved", "read 5 resolved"]
    );
    assert_eq!(
        find(json!({ "symbol_id": "Base.Count", "kind": "Read" })),
        ["read 5 resolved"]
    );
    let unresolved = server.data(
        "refs.find",
        json!({ "symbol_id": "M:b.Shop.sell", "resolution_state": "unresolved" }),
    );
    let item = &unresolved["references"][0];
    assert_eq!(
        (item["to_name"].as_str(), item["to_container_hint"].as_str()),
        (Some("sell"), Some("thing")),
        "{unresolved}"
    );
}

#[test]
fn a_trace_goes_through_interfaces_and_registrations_to_the_leaves() {
    let server = Server::new(
        r#"
//- Program.cs
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddScoped<Acme.IOrders, Acme.SqlOrders>();
//- Orders.cs
using Microsoft.AspNetCore.Mvc;
namespace Acme;
public interface IOrders { void Place(); }
public class SqlOrders : IOrders { public void Place() { Check(); } void Check() { throw new System.InvalidOperationException("full"); } }
public class IdleOrders : IOrders { public void Place() { } }
[ApiController, Route("orders")]
public class OrdersController : ControllerBase
{
    private readonly IOrders _orders;
    public OrdersController(IOrders orders) { _orders = orders; }
    [HttpPost] public void Post() { _orders.Place(); }
}
"#,
    );
    let trace = server.data(
        "graph.trace_feature",
        json!({ "entry_point": "OrdersController.Post", "depth": 5 }),
    );
    assert_eq!(trace["entry_point_route"], "POST /orders");
    let text = trace["nodes"].to_string();
    assert!(
        text.contains("SqlOrders.Place") && text.contains("SqlOrders.Check"),
        "{text}"
    );
    assert!(
        text.contains("InvalidOperationException") && text.contains(r#""kind":"Exception""#),
        "the leaf is annotated: {text}"
    );
}

#[test]
fn a_trace_shows_log_messages_whole() {
    let server = Server::new("//- a.py\nimport logging\ndef run():\n    logging.info('in|out')\n");
    let trace = server.data("graph.trace_feature", json!({ "entry_point": "run" }));
    let annotation = &trace["nodes"][0]["annotations"][0];
    assert_eq!(
        (annotation["kind"].as_str(), annotation["value"].as_str()),
        (Some("Log"), Some("in|out")),
        "{trace}"
    );
}

#[test]
fn implicit_calls_are_edges_where_they_are_asked_for() {
    let server = Server::new(
        "//- shop.py
class Items:
    def __len__(self): return 1


def use(items: Items):
    return len(items)
",
    );
    let question = json!({ "symbol_id": "shop.Items.__len__", "include_implicit": true });
    let found = server.data("graph.callers", question.clone());
    assert_eq!(found["nodes"][1]["display_name"], "shop.use");
    assert_eq!(found["nodes"][1]["implicit"], "conversion");
    let usual = server.data(
        "graph.callers",
        json!({ "symbol_id": "shop.Items.__len__" }),
    );
    assert_eq!(usual["total_nodes_found"], 0);
    let strict = Server {
        strict: true,
        ..server
    };
    assert_eq!(
        strict.error("graph.callers", question).0,
        "INVALID_ARGUMENT"
    );
}
