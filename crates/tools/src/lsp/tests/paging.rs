//! Pages of one list, across edits.

use serde_json::{Value, json};

use super::{Server, with};

fn calls(n: usize) -> String {
    format!("//- a.py\ndef called(): ...\n{}", "called()\n".repeat(n))
}

#[test]
fn pages_make_up_the_whole_list() {
    let server = Server::new(&calls(250));
    let at = server.at("a.py", "def cal$0led");
    let (mut lines, mut cursor, mut sizes) = (Vec::new(), Value::Null, Vec::new());
    loop {
        // More than the largest page is clamped.
        let page = server.answer(
            "references",
            with(at.clone(), json!({ "pageSize": 1000, "cursor": cursor })),
        );
        sizes.push(page["items"].as_array().unwrap().len());
        lines.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["range"]["start"]["line"].as_u64().unwrap()),
        );
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            assert_eq!(page["summary"], "Returned 50 references. Provider: index.");
            break;
        }
        assert_eq!(
            page["summary"],
            "Returned 200 references (next page available). Provider: index."
        );
    }
    assert_eq!(sizes, [200, 50]);
    assert_eq!(lines, (1..=250).collect::<Vec<_>>());
}

#[test]
fn an_edit_makes_a_cursor_stale_and_reading_does_not() {
    let server = Server::new(&calls(5));
    let at = server.at("a.py", "def cal$0led");
    let page = |cursor: Value| with(at.clone(), json!({ "pageSize": 2, "cursor": cursor }));
    let first = server.answer("references", page(Value::Null));
    server.answer("documentSymbols", json!({ "uri": server.uri("a.py") }));
    server.answer("hover", at.clone());
    let second = server.answer("references", page(first["nextCursor"].clone()));
    assert_eq!(second["items"][0]["range"]["start"]["line"], 3);
    server.write("//- b.py\nfrom a import called\n");
    assert_eq!(
        server.code("references", page(second["nextCursor"].clone())),
        "CURSOR_STALE"
    );
    let again = server.answer("references", page(Value::Null));
    server.write(&calls(6));
    assert_eq!(
        server.code("references", page(again["nextCursor"].clone())),
        "CURSOR_STALE"
    );
}

#[test]
fn a_cursor_belongs_to_its_question() {
    let server = Server::new(&calls(5));
    let at = server.at("a.py", "def cal$0led");
    let first = server.answer("references", with(at.clone(), json!({ "pageSize": 2 })));
    let cursor = &first["nextCursor"];
    assert_eq!(
        server.code(
            "references",
            with(
                at.clone(),
                json!({ "cursor": cursor, "includeDeclaration": true })
            )
        ),
        "CURSOR_INVALID"
    );
    assert_eq!(
        server.code(
            "workspaceSymbols",
            json!({ "query": "called", "cursor": cursor })
        ),
        "CURSOR_INVALID"
    );
    assert_eq!(
        server.code("references", with(at, json!({ "cursor": "nonsense" }))),
        "CURSOR_INVALID"
    );
    assert_eq!(
        server.code("diagnostics.workspace", json!({ "cursor": cursor })),
        "CURSOR_INVALID"
    );
}

#[test]
fn another_process_knows_the_cursor_but_not_its_pages() {
    let server = Server::kept(&calls(5));
    let at = server.at("a.py", "def cal$0led");
    let first = server.answer("references", with(at.clone(), json!({ "pageSize": 2 })));
    let server = server.restarted();
    let again = with(
        at.clone(),
        json!({ "pageSize": 2, "cursor": first["nextCursor"] }),
    );
    assert_eq!(server.code("references", again.clone()), "CURSOR_EXPIRED");
    // Equal states give equal bytes, also in another process.
    assert_eq!(
        server.answer("references", with(at, json!({ "pageSize": 2 }))),
        first
    );
    server.write(&calls(6));
    assert_eq!(server.restarted().code("references", again), "CURSOR_STALE");
}

#[test]
fn no_restart_repeats_an_epoch_for_another_state() {
    let page = |server: &Server, cursor: &Value| {
        with(
            server.at("a.py", "def cal$0led"),
            json!({ "pageSize": 2, "includeDeclaration": true, "cursor": cursor }),
        )
    };
    let mut server = Server::kept(&calls(5));
    let (mut cursors, mut n_calls) = (Vec::new(), 5);
    for _ in 0..3 {
        // Each process sees one edit; that it counts its changes from the same number each time
        // must not show.
        server.answer("references", page(&server, &Value::Null));
        n_calls += 1;
        server.write(&calls(n_calls));
        for stale in &cursors {
            assert_eq!(
                server.code("references", page(&server, stale)),
                "CURSOR_STALE"
            );
        }
        cursors
            .push(server.answer("references", page(&server, &Value::Null))["nextCursor"].clone());
        // Back to what it was when the process began.
        server.write(&calls(5));
        n_calls += 10;
        server = server.restarted();
    }
}

#[test]
fn ten_thousand_references_come_in_fifty_pages_each_place_once() {
    let server = Server::new(&calls(10_000));
    let at = server.at("a.py", "def cal$0led");
    let (mut cursor, mut sizes, mut lines) =
        (Value::Null, Vec::new(), std::collections::BTreeSet::new());
    loop {
        let page = server.answer(
            "references",
            with(at.clone(), json!({ "pageSize": 200, "cursor": cursor })),
        );
        let items = page["items"].as_array().unwrap();
        sizes.push(items.len());
        lines.extend(
            items
                .iter()
                .map(|item| item["range"]["start"]["line"].as_u64().unwrap()),
        );
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!((sizes, lines.len()), (vec![200; 50], 10_000));
}

#[test]
fn more_references_than_the_cap_are_refused() {
    let server = Server::new(&calls(20_001));
    assert_eq!(
        server.code("references", server.at("a.py", "def cal$0led")),
        "CAP_EXCEEDED"
    );
}

#[test]
fn diagnostics_are_paged_by_file() {
    let files: String = (0..5).map(|i| format!("//- f{i}.py\ndef f(:\n")).collect();
    let server = Server::new(&files);
    let first = server.answer("diagnostics.workspace", json!({ "pageSize": 3 }));
    assert_eq!(first["items"].as_array().unwrap().len(), 3);
    let second = server.answer(
        "diagnostics.workspace",
        json!({ "pageSize": 3, "cursor": first["nextCursor"] }),
    );
    assert_eq!(second["items"].as_array().unwrap().len(), 2);
    assert_eq!(second["token"], first["token"]);
    server.write("//- f0.py\ndef f(): ...\n");
    assert_eq!(
        server.code(
            "diagnostics.workspace",
            json!({ "cursor": first["nextCursor"] })
        ),
        "CURSOR_STALE"
    );
}
