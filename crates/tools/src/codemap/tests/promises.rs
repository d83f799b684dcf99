//! What holds for every tool alike: which files answer, how much one answer holds, how a cut list
//! goes on.

use super::*;

/// One text in three versions, told apart by a word in everything it declares.
fn version(word: &str) -> String {
    format!(
        "import os\nfrom flask import Flask\nfrom sqlalchemy.orm import DeclarativeBase\nclass Base(DeclarativeBase): ...\napp = Flask(__name__)\nclass {word}_row(Base):\n    __tablename__ = '{word}_table'\nclass {word}_below({word}_row): ...\n@app.route('/{word}')\ndef {word}_page():\n    os.getenv('{word}_key')\n    {word}_leaf()\ndef {word}_leaf(): ...\n"
    )
}

/// Every tool that answers about code, with a question whose answer holds the word of the version
/// that it came from.
fn questions(word: &str) -> Vec<(&'static str, Value)> {
    let page = format!("M:app.{word}_page");
    let leaf = format!("M:app.{word}_leaf");
    vec![
        ("symbols.search", json!({ "kinds": ["Method"] })),
        ("symbols.get_card", json!({ "symbol_id": page })),
        (
            "code.get_span",
            json!({ "file_path": "app.py", "start_line": 6, "end_line": 6 }),
        ),
        ("symbols.get_definition_span", json!({ "symbol_id": leaf })),
        ("refs.find", json!({ "symbol_id": leaf })),
        ("graph.callers", json!({ "symbol_id": leaf })),
        ("graph.callees", json!({ "symbol_id": page })),
        (
            "types.hierarchy",
            json!({ "symbol_id": format!("T:app.{word}_row") }),
        ),
        ("surfaces.list_endpoints", json!({})),
        ("surfaces.list_config_keys", json!({})),
        ("surfaces.list_db_tables", json!({})),
        ("graph.trace_feature", json!({ "entry_point": page })),
    ]
}

const BY_SYMBOL: &[&str] = &[
    "symbols.get_card",
    "symbols.get_definition_span",
    "refs.find",
    "graph.callers",
    "graph.callees",
    "types.hierarchy",
    "graph.trace_feature",
];

#[test]
fn every_tool_answers_from_the_commit_the_workspace_or_the_unsaved_text() {
    let server = Server::new(&format!("//- app.py\n{}", version("first")));
    server.data(
        "workspace.create",
        json!({ "workspace_id": "w", "solution_path": "." }),
    );
    server.write(&format!("//- app.py\n{}", version("second")));
    server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    let modes = [
        ("first", json!({})),
        ("second", json!({ "workspace_id": "w" })),
        (
            "third",
            json!({ "workspace_id": "w", "virtual_files": [{ "file_path": "app.py", "content": version("third") }] }),
        ),
    ];
    let with = |mut question: Value, mode: &Value| {
        question
            .as_object_mut()
            .unwrap()
            .extend(mode.as_object().unwrap().clone());
        question
    };
    for (word, mode) in &modes {
        for (tool, question) in questions(word) {
            let data = server.data(tool, with(question, mode)).to_string();
            assert!(
                data.contains(&format!("{word}_")) || data.contains(&format!("/{word}")),
                "{tool} in {word}: {data}"
            );
            for (other, _) in modes.iter().filter(|(other, _)| other != word) {
                assert!(
                    !data.contains(other),
                    "{tool} in {word} tells of {other}: {data}"
                );
            }
        }
        for (other, _) in modes.iter().filter(|(other, _)| other != word) {
            for (tool, question) in questions(other)
                .into_iter()
                .filter(|(tool, _)| BY_SYMBOL.contains(tool))
            {
                assert_eq!(
                    server.error(tool, with(question, mode)).0,
                    "NOT_FOUND",
                    "{tool} in {word} about {other}"
                );
            }
        }
    }
    let kept = server
        .data(
            "symbols.search",
            json!({ "kinds": ["Method"], "workspace_id": "w" }),
        )
        .to_string();
    assert!(
        kept.contains("second_page") && !kept.contains("third"),
        "unsaved texts leave nothing behind"
    );
}

/// More of everything than one answer holds by default, and less than its cap.
fn plenty() -> Server {
    let mut text = String::from(
        "import os\nfrom flask import Flask\napp = Flask(__name__)\ndef target(): ...\n",
    );
    for i in 0..60 {
        text.push_str(&format!("@app.route('/r{i:03}')\ndef user_{i:03}():\n    os.getenv('KEY_{i:03}')\n    target()\n"));
    }
    text.push_str("def entry():\n");
    for i in 0..60 {
        text.push_str(&format!("    user_{i:03}()\n"));
    }
    for i in 0..60 {
        text.push_str(&format!("    leaf_{i:03}()\n"));
    }
    for i in 0..60 {
        text.push_str(&format!("def leaf_{i:03}(): ...\n"));
    }
    text.push_str("def chain_0(): chain_1()\n");
    for i in 1..9 {
        text.push_str(&format!("def chain_{i}(): chain_{}()\n", i + 1));
    }
    text.push_str("def chain_9(): ...\n");
    let tables: String = (0..60)
        .map(|i| format!("create table t{i:03} (id int);\n"))
        .collect();
    let long: String = (0..200)
        .map(|i| format!("{i:03} {}\n", "x".repeat(400)))
        .collect();
    Server::new(&format!(
        "//- app.py\n{text}//- schema.sql\n{tables}//- long.txt\n{long}"
    ))
}

/// A tool, a question, the list in its answer, and the argument that bounds it with its default and
/// cap.
type Bound = (&'static str, Value, &'static str, &'static str, usize, i64);

fn bounds() -> Vec<Bound> {
    vec![
        (
            "symbols.search",
            json!({ "kinds": ["Method"] }),
            "hits",
            "limit",
            20,
            100,
        ),
        (
            "refs.find",
            json!({ "symbol_id": "M:app.target" }),
            "references",
            "limit",
            50,
            500,
        ),
        // The root is a node too.
        (
            "graph.callers",
            json!({ "symbol_id": "M:app.target" }),
            "nodes",
            "limit_per_level",
            21,
            500,
        ),
        (
            "graph.callees",
            json!({ "symbol_id": "M:app.entry" }),
            "nodes",
            "limit_per_level",
            21,
            500,
        ),
        (
            "surfaces.list_endpoints",
            json!({}),
            "endpoints",
            "limit",
            20,
            100,
        ),
        (
            "surfaces.list_config_keys",
            json!({}),
            "keys",
            "limit",
            20,
            100,
        ),
        (
            "surfaces.list_db_tables",
            json!({}),
            "tables",
            "limit",
            20,
            100,
        ),
    ]
}

fn field(argument: &str, tool: &str) -> &'static str {
    match (argument, tool) {
        ("limit_per_level", _) | ("limit", "refs.find") => "max_references",
        _ => "max_results",
    }
}

#[test]
fn every_list_has_its_default_and_its_cap() {
    let server = plenty();
    for (tool, question, list, argument, default, cap) in bounds() {
        let ask = |value: Option<i64>| {
            let mut question = question.clone();
            if let Some(value) = value {
                question[argument] = json!(value);
            }
            server.answer(tool, question)
        };
        let plain = ask(None);
        assert_eq!(
            plain["data"][list].as_array().unwrap().len(),
            default,
            "{tool}"
        );
        assert_eq!(
            (
                &plain["meta"]["limits_applied"],
                &plain["data"]["truncated"]
            ),
            (&json!({}), &json!(true)),
            "{tool}"
        );
        for (asked, applied) in [(cap + 1, cap), (0, 1), (-7, 1)] {
            let expected =
                json!({ field(argument, tool): { "requested": asked, "hard_cap": applied } });
            assert_eq!(
                ask(Some(asked))["meta"]["limits_applied"],
                expected,
                "{tool}"
            );
        }
        assert_eq!(
            ask(Some(cap))["meta"]["limits_applied"],
            json!({}),
            "{tool}"
        );
    }
}

#[test]
fn depths_spans_and_traces_have_theirs() {
    let server = plenty();
    let applied = |tool: &str, question: Value| {
        server.answer(tool, question)["meta"]["limits_applied"].clone()
    };
    let depth = |question: Value| {
        let nodes = server.data("graph.callees", question)["nodes"].clone();
        nodes
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["depth"].as_u64().unwrap())
            .max()
    };
    assert_eq!(depth(json!({ "symbol_id": "M:app.chain_0" })), Some(1));
    assert_eq!(
        depth(json!({ "symbol_id": "M:app.chain_0", "depth": 99 })),
        Some(6)
    );
    for tool in ["graph.callers", "graph.callees"] {
        let expected = json!({ "max_depth": { "requested": 7, "hard_cap": 6 } });
        assert_eq!(
            applied(tool, json!({ "symbol_id": "M:app.chain_4", "depth": 7 })),
            expected
        );
    }
    let trace = |question: Value| server.answer("graph.trace_feature", question);
    let plain = trace(json!({ "entry_point": "M:app.chain_0" }));
    assert_eq!(
        (
            plain["data"]["total_nodes_traversed"].as_u64(),
            plain["data"]["depth"].as_u64()
        ),
        (Some(4), Some(3))
    );
    let wide = trace(json!({ "entry_point": "M:app.entry" }));
    assert_eq!(
        (
            wide["data"]["total_nodes_traversed"].as_u64(),
            &wide["data"]["truncated"]
        ),
        (Some(100), &json!(true))
    );
    let clamped = trace(json!({ "entry_point": "M:app.chain_0", "depth": 8, "limit": 501 }));
    assert_eq!(
        clamped["meta"]["limits_applied"],
        json!({ "max_depth": { "requested": 8, "hard_cap": 6 }, "max_results": { "requested": 501, "hard_cap": 500 } })
    );
    let span = |question: Value| server.data("code.get_span", question);
    let whole = json!({ "file_path": "app.py", "start_line": 1, "end_line": 400 });
    assert_eq!(
        (&span(whole.clone())["end_line"], &span(whole)["truncated"]),
        (&json!(120), &json!(true))
    );
    let long = span(json!({ "file_path": "long.txt", "start_line": 1, "end_line": 100 }));
    let n_chars = long["content"].as_str().unwrap().len();
    assert!(
        (11_000..=12_000).contains(&n_chars) && long["truncated"] == true,
        "{n_chars}"
    );
    let most = json!({ "file_path": "long.txt", "start_line": 1, "end_line": 200, "max_lines": 401, "max_chars": 40_001 });
    assert_eq!(
        applied("code.get_span", most.clone()),
        json!({ "max_lines": { "requested": 401, "hard_cap": 400 }, "max_chars": { "requested": 40_001, "hard_cap": 40_000 } })
    );
    assert!(span(most)["content"].as_str().unwrap().len() <= 40_000);
    let definition = json!({ "symbol_id": "M:app.entry", "max_lines": 500 });
    assert_eq!(
        applied("symbols.get_definition_span", definition),
        json!({ "max_lines": { "requested": 500, "hard_cap": 400 } })
    );
}

#[test]
fn every_cut_list_goes_on_at_its_cursor_until_all_is_told() {
    let server = plenty();
    for (tool, question, list, argument, _, _) in bounds() {
        let (mut told, mut pages, mut cursor): (Vec<Value>, usize, Option<Value>) =
            (Vec::new(), 0, None);
        let total = loop {
            let mut question = question.clone();
            question[argument] = json!(25);
            question["cursor"] = cursor.clone().unwrap_or(Value::Null);
            let data = server.data(tool, question);
            let items = data[list].as_array().unwrap().iter();
            // Each page of a graph begins with its root.
            told.extend(
                items
                    .filter(|item| item.get("depth").is_none_or(|depth| depth != 0))
                    .cloned(),
            );
            pages += 1;
            match data.get("next_cursor").filter(|next| !next.is_null()) {
                Some(next) => cursor = Some(next.clone()),
                None => {
                    break data
                        .get("total_count")
                        .or(data.get("total_nodes_found"))
                        .and_then(Value::as_u64)
                        .unwrap();
                }
            }
        };
        assert!(pages > 2, "{tool}: {pages} pages");
        let mut texts: Vec<String> = told.iter().map(Value::to_string).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(
            (texts.len(), told.len() as u64),
            (told.len(), total),
            "{tool}: nothing twice, nothing left out"
        );
        let mut question = question.clone();
        question["cursor"] = json!("0-25");
        assert_eq!(
            server.error(tool, question).0,
            "INVALID_ARGUMENT",
            "{tool}: a cursor of another question"
        );
    }
}
