use super::*;

#[track_caller]
fn check(server: &Server, tool: &str, arguments: Value, code: &str) {
    let (found, error) = server.error(tool, arguments.clone());
    assert_eq!(found, code, "{tool} {arguments}: {error}");
    assert_eq!(error["retryable"], json!(matches!(code, "INDEX_NOT_AVAILABLE" | "COMPILATION_FAILED" | "BUSY")));
}

#[test]
fn every_error_has_its_code() {
    let server = Server::new(SHOP);
    let elsewhere = tempfile::tempdir().unwrap();
    for (tool, arguments, code) in [
        ("symbols.search", json!({ "repo_path": elsewhere.path(), "query": "x" }), "NOT_FOUND"),
        ("symbols.search", json!({ "repo_path": "", "query": "x" }), "INVALID_ARGUMENT"),
        ("symbols.search", json!({}), "INVALID_ARGUMENT"),
        ("symbols.search", json!({ "query": "  ^ " }), "INVALID_ARGUMENT"),
        ("symbols.search", json!({ "kinds": ["Klass"] }), "INVALID_ARGUMENT"),
        ("symbols.search", json!({ "query": "x", "limit": "many" }), "INVALID_ARGUMENT"),
        ("symbols.search", json!({ "query": "x", "unknown": 1 }), "INVALID_ARGUMENT"),
        ("symbols.search", json!({ "query": "x", "workspace_id": "none" }), "NOT_FOUND"),
        ("symbols.search", json!({ "query": "x", "virtual_files": [{ "file_path": "a.py", "content": "" }] }), "WORKSPACE_REQUIRED"),
        ("symbols.get_card", json!({ "symbol_id": "M:Acme.Shop.Ordre" }), "NOT_FOUND"),
        ("symbols.get_card", json!({ "symbol_id": "sym_0123456789abcdef" }), "NOT_FOUND"),
        ("symbols.get_card", json!({ "symbol_id": " " }), "INVALID_ARGUMENT"),
        ("symbols.get_card", json!({ "symbol_id": "Total" }), "INVALID_ARGUMENT"),
        ("code.get_span", json!({ "file_path": "none.cs", "start_line": 1, "end_line": 1 }), "NOT_FOUND"),
        ("code.get_span", json!({ "file_path": "../x.cs", "start_line": 1, "end_line": 1 }), "INVALID_ARGUMENT"),
        ("code.get_span", json!({ "file_path": "/etc/passwd", "start_line": 1, "end_line": 1 }), "INVALID_ARGUMENT"),
        ("code.get_span", json!({ "file_path": "Shop/Till.cs", "start_line": 0, "end_line": 1 }), "INVALID_ARGUMENT"),
        ("code.get_span", json!({ "file_path": "Shop/Till.cs", "start_line": 5, "end_line": 2 }), "INVALID_ARGUMENT"),
        ("code.get_span", json!({ "file_path": "Shop/Till.cs", "start_line": 900, "end_line": 901 }), "INVALID_ARGUMENT"),
        ("code.get_span", json!({ "file_path": "Shop/Till.cs", "start_line": 1, "end_line": 2, "context_lines": -1 }), "INVALID_ARGUMENT"),
        ("symbols.get_definition_span", json!({ "symbol_id": "Till", "context_lines": -1 }), "INVALID_ARGUMENT"),
        ("refs.find", json!({ "symbol_id": "Till", "kind": "Uses" }), "INVALID_ARGUMENT"),
        ("refs.find", json!({ "symbol_id": "Till", "resolution_state": "maybe" }), "INVALID_ARGUMENT"),
        ("graph.callers", json!({ "symbol_id": "T:Acme.Shop.IPriced" }), "INVALID_ARGUMENT"),
        ("types.hierarchy", json!({ "symbol_id": "Till.Sell" }), "INVALID_ARGUMENT"),
        ("index.ensure_baseline", json!({ "commit_sha": "0".repeat(40) }), "NOT_FOUND"),
        ("index.ensure_baseline", json!({ "commit_sha": "main; rm" }), "INVALID_ARGUMENT"),
        ("index.ensure_baseline", json!({ "solution_path": "None.sln" }), "NOT_FOUND"),
        ("index.ensure_baseline", json!({ "solution_path": "/etc" }), "INVALID_ARGUMENT"),
        ("workspace.create", json!({ "workspace_id": "../x", "solution_path": "." }), "INVALID_ARGUMENT"),
        ("workspace.create", json!({ "workspace_id": "w", "solution_path": "" }), "INVALID_ARGUMENT"),
        ("workspace.reset", json!({ "workspace_id": "none" }), "NOT_FOUND"),
        ("workspace.delete", json!({ "workspace_id": "a/b" }), "INVALID_ARGUMENT"),
        ("index.refresh_overlay", json!({ "workspace_id": "none" }), "NOT_FOUND"),
        ("graph.trace_feature", json!({ "entry_point": "Nothing.Here" }), "NOT_FOUND"),
    ] {
        check(&server, tool, arguments, code);
    }
}

#[test]
fn virtual_files_stay_inside_and_small() {
    let server = Server::new(SHOP);
    server.answer("workspace.create", json!({ "workspace_id": "w", "solution_path": "." }));
    let ask = |path: &str, content: String| json!({ "workspace_id": "w", "query": "x", "virtual_files": [{ "file_path": path, "content": content }] });
    check(&server, "symbols.search", ask("../out.cs", String::new()), "INVALID_ARGUMENT");
    check(&server, "symbols.search", ask("in.cs", "x".repeat((1 << 20) + 1)), "INVALID_ARGUMENT");
    check(&server, "index.refresh_overlay", json!({ "workspace_id": "w", "file_paths": ["../x"] }), "INVALID_ARGUMENT");
}

#[test]
fn a_symbol_that_is_not_there_gives_the_nearest() {
    let server = Server::new(SHOP);
    let (_, error) = server.error("symbols.get_card", json!({ "symbol_id": "M:Acme.Shop.Order.Payy" }));
    assert!(error["details"]["candidates"].to_string().contains("M:Acme.Shop.Order.Pay("), "{error}");
}
