//! Wrong arguments of every kind, and the error that each gets.

use super::*;

#[track_caller]
fn check(server: &Server, tool: &str, arguments: Value, code: &str) {
    let (found, error) = server.error(tool, arguments.clone());
    assert_eq!(found, code, "{tool} {arguments}: {error}");
    assert_eq!(
        error["retryable"],
        json!(matches!(
            code,
            "INDEX_NOT_AVAILABLE" | "COMPILATION_FAILED" | "BUSY"
        ))
    );
}

#[test]
fn every_error_has_its_code() {
    let server = Server::new(SHOP);
    let elsewhere = tempfile::tempdir().unwrap();
    for (tool, arguments, code) in [
        (
            "symbols.search",
            json!({ "repo_path": elsewhere.path(), "query": "x" }),
            "NOT_FOUND",
        ),
        (
            "symbols.search",
            json!({ "repo_path": "", "query": "x" }),
            "INVALID_ARGUMENT",
        ),
        ("symbols.search", json!({}), "INVALID_ARGUMENT"),
        (
            "symbols.search",
            json!({ "query": "  ^ " }),
            "INVALID_ARGUMENT",
        ),
        (
            "symbols.search",
            json!({ "kinds": ["Klass"] }),
            "INVALID_ARGUMENT",
        ),
        (
            "symbols.search",
            json!({ "query": "x", "limit": "many" }),
            "INVALID_ARGUMENT",
        ),
        (
            "symbols.search",
            json!({ "query": "x", "unknown": 1 }),
            "INVALID_ARGUMENT",
        ),
        (
            "symbols.search",
            json!({ "query": "x", "workspace_id": "none" }),
            "NOT_FOUND",
        ),
        (
            "symbols.search",
            json!({ "query": "x", "virtual_files": [{ "file_path": "a.py", "content": "" }] }),
            "WORKSPACE_REQUIRED",
        ),
        (
            "symbols.get_card",
            json!({ "symbol_id": "M:Acme.Shop.Ordre" }),
            "NOT_FOUND",
        ),
        (
            "symbols.get_card",
            json!({ "symbol_id": "sym_0123456789abcdef" }),
            "NOT_FOUND",
        ),
        (
            "symbols.get_card",
            json!({ "symbol_id": " " }),
            "INVALID_ARGUMENT",
        ),
        (
            "symbols.get_card",
            json!({ "symbol_id": "Total" }),
            "INVALID_ARGUMENT",
        ),
        (
            "code.get_span",
            json!({ "file_path": "none.cs", "start_line": 1, "end_line": 1 }),
            "NOT_FOUND",
        ),
        (
            "code.get_span",
            json!({ "file_path": "../x.cs", "start_line": 1, "end_line": 1 }),
            "INVALID_ARGUMENT",
        ),
        (
            "code.get_span",
            json!({ "file_path": "/etc/passwd", "start_line": 1, "end_line": 1 }),
            "INVALID_ARGUMENT",
        ),
        (
            "code.get_span",
            json!({ "file_path": "Shop/Till.cs", "start_line": 0, "end_line": 1 }),
            "INVALID_ARGUMENT",
        ),
        (
            "code.get_span",
            json!({ "file_path": "Shop/Till.cs", "start_line": 5, "end_line": 2 }),
            "INVALID_ARGUMENT",
        ),
        (
            "code.get_span",
            json!({ "file_path": "Shop/Till.cs", "start_line": 900, "end_line": 901 }),
            "INVALID_ARGUMENT",
        ),
        (
            "code.get_span",
            json!({ "file_path": "Shop/Till.cs", "start_line": 1, "end_line": 2, "context_lines": -1 }),
            "INVALID_ARGUMENT",
        ),
        (
            "symbols.get_definition_span",
            json!({ "symbol_id": "Till", "context_lines": -1 }),
            "INVALID_ARGUMENT",
        ),
        (
            "refs.find",
            json!({ "symbol_id": "Till", "kind": "Uses" }),
            "INVALID_ARGUMENT",
        ),
        (
            "refs.find",
            json!({ "symbol_id": "Till", "resolution_state": "maybe" }),
            "INVALID_ARGUMENT",
        ),
        (
            "graph.callers",
            json!({ "symbol_id": "T:Acme.Shop.IPriced" }),
            "INVALID_ARGUMENT",
        ),
        (
            "types.hierarchy",
            json!({ "symbol_id": "Till.Sell" }),
            "INVALID_ARGUMENT",
        ),
        (
            "index.ensure_baseline",
            json!({ "commit_sha": "0".repeat(40) }),
            "NOT_FOUND",
        ),
        (
            "index.ensure_baseline",
            json!({ "commit_sha": "main; rm" }),
            "INVALID_ARGUMENT",
        ),
        (
            "index.ensure_baseline",
            json!({ "solution_path": "None.sln" }),
            "NOT_FOUND",
        ),
        (
            "index.ensure_baseline",
            json!({ "solution_path": "/etc" }),
            "INVALID_ARGUMENT",
        ),
        (
            "workspace.create",
            json!({ "workspace_id": "../x", "solution_path": "." }),
            "INVALID_ARGUMENT",
        ),
        (
            "workspace.create",
            json!({ "workspace_id": "w", "solution_path": "" }),
            "INVALID_ARGUMENT",
        ),
        (
            "workspace.reset",
            json!({ "workspace_id": "none" }),
            "NOT_FOUND",
        ),
        (
            "workspace.delete",
            json!({ "workspace_id": "a/b" }),
            "INVALID_ARGUMENT",
        ),
        (
            "index.refresh_overlay",
            json!({ "workspace_id": "none" }),
            "NOT_FOUND",
        ),
        (
            "graph.trace_feature",
            json!({ "entry_point": "Nothing.Here" }),
            "NOT_FOUND",
        ),
    ] {
        check(&server, tool, arguments, code);
    }
}

#[test]
fn virtual_files_stay_inside_and_small() {
    let server = Server::new(SHOP);
    server.answer(
        "workspace.create",
        json!({ "workspace_id": "w", "solution_path": "." }),
    );
    let ask = |path: &str, content: String| json!({ "workspace_id": "w", "query": "x", "virtual_files": [{ "file_path": path, "content": content }] });
    check(
        &server,
        "symbols.search",
        ask("../out.cs", String::new()),
        "INVALID_ARGUMENT",
    );
    check(
        &server,
        "symbols.search",
        ask("in.cs", "x".repeat((1 << 20) + 1)),
        "INVALID_ARGUMENT",
    );
    check(
        &server,
        "index.refresh_overlay",
        json!({ "workspace_id": "w", "file_paths": ["../x"] }),
        "INVALID_ARGUMENT",
    );
}

#[test]
fn a_symbol_that_is_not_there_gives_the_nearest() {
    let server = Server::new(SHOP);
    let (_, error) = server.error(
        "symbols.get_card",
        json!({ "symbol_id": "M:Acme.Shop.Order.Payy" }),
    );
    assert!(
        error["details"]["candidates"]
            .to_string()
            .contains("M:Acme.Shop.Order.Pay("),
        "{error}"
    );
}

/// A required argument of every tool, and a value of the wrong type for it.
const WRONG_TYPES: &[(&str, &str)] = &[
    ("repo.status", "repo_path"),
    ("index.ensure_baseline", "commit_sha"),
    ("symbols.search", "kinds"),
    ("symbols.get_card", "symbol_id"),
    ("code.get_span", "start_line"),
    ("symbols.get_definition_span", "symbol_id"),
    ("refs.find", "symbol_id"),
    ("graph.callers", "symbol_id"),
    ("graph.callees", "depth"),
    ("types.hierarchy", "symbol_id"),
    ("workspace.create", "workspace_id"),
    ("workspace.reset", "workspace_id"),
    ("workspace.list", "repo_path"),
    ("workspace.delete", "workspace_id"),
    ("index.refresh_overlay", "file_paths"),
    ("surfaces.list_endpoints", "path_filter"),
    ("surfaces.list_config_keys", "limit"),
    ("surfaces.list_db_tables", "virtual_files"),
    ("graph.trace_feature", "entry_point"),
];

#[test]
fn wrong_json_types_and_unknown_fields_are_invalid_arguments_in_every_tool() {
    let server = Server::new(SHOP);
    assert_eq!(WRONG_TYPES.len(), 19);
    for (tool, argument) in WRONG_TYPES {
        for wrong in [json!({ "a": 1 }), json!(true), json!([[1]])] {
            let mut arguments = json!({});
            arguments[*argument] = wrong;
            check(&server, tool, arguments, "INVALID_ARGUMENT");
        }
        check(
            &server,
            tool,
            json!({ "no_such_field": 1 }),
            "INVALID_ARGUMENT",
        );
    }
}

#[test]
fn an_unknown_repository_or_workspace_is_not_found_in_every_tool() {
    let server = Server::new(SHOP);
    let elsewhere = tempfile::tempdir().unwrap();
    let at = |tool: &str| match tool {
        "symbols.search" => json!({ "query": "x" }),
        "code.get_span" => json!({ "file_path": "Shop/Till.cs", "start_line": 1, "end_line": 1 }),
        "symbols.get_card"
        | "symbols.get_definition_span"
        | "refs.find"
        | "graph.callers"
        | "graph.callees"
        | "types.hierarchy" => {
            json!({ "symbol_id": "Till" })
        }
        "graph.trace_feature" => json!({ "entry_point": "Till.Sell" }),
        "workspace.create" => json!({ "workspace_id": "w", "solution_path": "." }),
        "workspace.reset" | "workspace.delete" | "index.refresh_overlay" => {
            json!({ "workspace_id": "w" })
        }
        _ => json!({}),
    };
    for (tool, _) in WRONG_TYPES {
        let mut question = at(tool);
        question["repo_path"] = json!(elsewhere.path());
        check(&server, tool, question, "NOT_FOUND");
    }
    let asks_code = |tool: &&str| {
        !tool.starts_with("workspace.") && !tool.starts_with("index.") && *tool != "repo.status"
    };
    for tool in WRONG_TYPES.iter().map(|(tool, _)| *tool).filter(asks_code) {
        let mut question = at(tool);
        question["workspace_id"] = json!("nobody");
        check(&server, tool, question.clone(), "NOT_FOUND");
        question["workspace_id"] = json!("../nobody");
        check(&server, tool, question, "INVALID_ARGUMENT");
        let mut question = at(tool);
        question["virtual_files"] = json!([{ "file_path": "a.cs", "content": "" }]);
        check(&server, tool, question, "WORKSPACE_REQUIRED");
    }
}

#[test]
fn workspace_ids_cannot_lead_elsewhere() {
    let server = Server::new(SHOP);
    for id in ["../x", "..", "a/b", "a\\b", "/etc", " ", "", "a\0b"] {
        for tool in [
            "workspace.create",
            "workspace.reset",
            "workspace.delete",
            "index.refresh_overlay",
        ] {
            let mut arguments = json!({ "workspace_id": id });
            if tool == "workspace.create" {
                arguments["solution_path"] = json!(".");
            }
            check(&server, tool, arguments, "INVALID_ARGUMENT");
        }
    }
    assert_eq!(
        server.data("workspace.list", json!({}))["workspaces"],
        json!([])
    );
}

#[test]
fn commits_that_do_not_exist_and_spans_that_cannot_be() {
    let server = Server::new(SHOP);
    let absent = "1234567890".repeat(4);
    for sha in [absent.as_str(), "12345678"] {
        check(
            &server,
            "index.ensure_baseline",
            json!({ "commit_sha": sha }),
            "NOT_FOUND",
        );
        check(
            &server,
            "workspace.create",
            json!({ "workspace_id": "w", "solution_path": ".", "commit_sha": sha }),
            "NOT_FOUND",
        );
    }
    for (start, end) in [(-1, 2), (0, 0), (3, -3), (2, 1), (400, 500)] {
        let span = json!({ "file_path": "Shop/Till.cs", "start_line": start, "end_line": end });
        check(&server, "code.get_span", span, "INVALID_ARGUMENT");
    }
    let past = server.data(
        "code.get_span",
        json!({ "file_path": "Shop/Till.cs", "start_line": 12, "end_line": 900 }),
    );
    assert_eq!(
        past["end_line"], past["total_file_lines"],
        "what begins inside ends with the file"
    );
}

#[test]
fn what_is_cancelled_not_indexed_or_not_parsed_says_so() {
    let files: String = (0..300)
        .map(|i| format!("//- m{i}.py\ndef f{i}(): ...\n"))
        .collect();
    let server = Server::new(&files);
    let ask = |change: &dyn Fn(&mut Context)| {
        let mut context = server.context();
        change(&mut context);
        let entry = server.registry.find("symbols.search").unwrap();
        let error = crate::invoke(
            entry,
            &context,
            json!({ "repo_path": server.root(), "query": "f1" }),
        )
        .unwrap_err();
        match CODEMAP.fail(&error, false) {
            contract::Wire::Failure { text } => serde_json::from_str::<Value>(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let late = ask(&|context| context.deadline = Instant::now());
    assert!(
        late["retryable"] == true
            && ["INDEX_NOT_AVAILABLE", "BUDGET_EXCEEDED"].contains(&late["code"].as_str().unwrap()),
        "{late}"
    );
    let stopped = ask(&|context| context.cancel.set());
    assert_eq!(
        (stopped["code"].as_str(), stopped["retryable"].as_bool()),
        (Some("CANCELLED"), Some(false))
    );
    let broken = Server::new("//- a.cs\n}}}} ))) class class {{{ ((\n");
    let (code, error) = broken.error("index.ensure_baseline", json!({}));
    assert_eq!(
        (code.as_str(), &error["retryable"]),
        ("COMPILATION_FAILED", &json!(true)),
        "{error}"
    );
}
