//! Whole sessions on stdio with real processes: what a client writes and what it reads.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// Far below what would pass if nothing ended the wait, and far above what a busy machine adds.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_session_of_the_real_program() {
    transcript(
        Session::real(),
        r#"
            {"jsonrpc":"2.0","id":0,"method":"ping"}
            {"jsonrpc":"2.0","id":1,"method":"tools/list"}
            {"jsonrpc":"2.0","method":"notifications/early"}
            {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            {"jsonrpc":"2.0","id":2,"method":"resources/list"}
            {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such_tool"}}
            {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":5}}
            {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}}
        "#,
        expect![[r#"
            {"jsonrpc":"2.0","id":0,"result":{}}
            {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Not initialized: send `initialize` first, or state the revision in `_meta`"}}
            {"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":false}},"serverInfo":{"name":"codecompass","version":"VERSION"},"instructions":"INSTRUCTIONS"}}
            {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: resources/list"}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: `no_such_tool`","data":{"tool":"no_such_tool"}}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: invalid type: integer `5`, expected a string"}}
            {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: the list has one page and no cursor"}}
        "#]],
    );
}

#[test]
fn calls_with_a_handshake() {
    transcript(
        Session::fixture(&[]),
        &format!(
            "{HANDSHAKE}\n{}",
            r#"
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}
            {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_count","arguments":{"to":2,"pause_ms":0}}}
            {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test.count","arguments":{"to":"2","pause_ms":0}}}
            {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_lsp_locate","arguments":{"uri":"file:///x","cursor":"y"}}}
            {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"panic"}}}
        "#
        ),
        expect![[r##"
            {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":false}},"serverInfo":{"name":"codecompass","version":"VERSION"},"instructions":"INSTRUCTIONS"}}
            {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"text\":\"hi\"}"}],"structuredContent":{"text":"hi"},"isError":false}}
            {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"counted\":2,\"complete\":true}"}],"structuredContent":{"counted":2,"complete":true},"isError":false}}
            {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"code\":\"INVALID_ARGUMENT\",\"message\":\"`to` must be an integer, not a string\",\"details\":{\"tool\":\"test_count\",\"issues\":[{\"path\":\"/to\",\"keyword\":\"type\",\"schemaPath\":\"#/properties/to/type\"}]},\"retryable\":false}"}],"isError":true}}
            {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"MCP_LSP_GATEWAY/CURSOR_INVALID: there are no pages"}],"isError":true}}
            {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"{\"error\":{\"code\":\"internal_error\",\"message\":\"internal error; the server's log has the details\"},\"metadata\":{\"codecompass_protocol_version\":\"1.0\",\"freshness_status\":\"stale\",\"indexing_status\":\"not_indexed\",\"result_completeness\":\"partial\",\"ref\":\"live\",\"schema_status\":\"not_indexed\"}}"}],"isError":true}}
        "##]],
    );
}

#[test]
fn calls_without_a_handshake() {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    transcript(
        Session::fixture(&[]),
        &r#"
            {"jsonrpc":"2.0","id":1,"method":"server/discover"}
            {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},META}}
            {"jsonrpc":"2.0","id":3,"method":"ping","params":{META}}
            {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}
            {"jsonrpc":"2.0","id":5,"method":"tools/list"}
        "#
        .replace("META", meta),
        expect![[r#"
            {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: `_meta` lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities"}}
            {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"text\":\"hi\"}"}],"structuredContent":{"text":"hi"},"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"codecompass","version":"VERSION"}}}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found: ping"}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2030-01-01","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}}}
            {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Not initialized: send `initialize` first, or state the revision in `_meta`"}}
        "#]],
    );
}

#[test]
fn strictly_by_the_documents() {
    transcript(
        Session::fixture(&["--strict"]),
        &format!(
            "{HANDSHAKE}\n{}",
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_lsp_locate","arguments":{"uri":"file:///x","cursor":"y"}}}"#
        ),
        expect![[r#"
            {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":false}},"serverInfo":{"name":"codecompass","version":"VERSION"},"instructions":"INSTRUCTIONS"}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params","data":{"code":"MCP_LSP_GATEWAY/CURSOR_INVALID","message":"there are no pages"}}}
        "#]],
    );
}

#[test]
fn a_handshake_that_fails_says_why_and_is_none() {
    let client = r#""clientInfo":{"name":"t","version":"0"}"#;
    transcript(
        Session::start(PathBuf::from(env!("CARGO_BIN_EXE_codecompass")), &["serve-mcp", "--surface", "lsp", "--strict-contract"]),
        &r#"
            {"jsonrpc":"2.0","id":1,"method":"initialize"}
            {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
            {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25",CLIENT}}
            {"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":5,"capabilities":{},CLIENT}}
            {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":null,"capabilities":{},CLIENT}}
            {"jsonrpc":"2.0","id":6,"method":"tools/list"}
            {"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},CLIENT}}
            {"jsonrpc":"2.0","id":8,"method":"tools/list"}
        "#
        .replace("CLIENT", client),
        expect![[r#"
            {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: missing field `protocolVersion`"}}
            {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: missing field `clientInfo`"}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params: missing field `capabilities`"}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: invalid type: integer `5`, expected a string"}}
            {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: invalid type: null, expected a string"}}
            {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Not initialized: send `initialize` first, or state the revision in `_meta`"}}
            {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"expected":"2025-11-25","got":"2025-06-18"}}}
            {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Not initialized: send `initialize` first, or state the revision in `_meta`"}}
        "#]],
    );
}

#[test]
fn hostile_lines_are_answered_and_the_session_goes_on() {
    let mut session = Session::real();
    session.write(HANDSHAKE.as_bytes());
    session.write(b"\n");
    assert_eq!(session.read()["id"], 0);
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}",
        "x".repeat(3 * 1024 * 1024)
    );
    let nested = "[".repeat(200_000);
    let cases: &[(&[u8], i64)] = &[
        (b"{", -32700),
        (b"nonsense", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"\"\xc3\x28\"", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {\"x\":1}",
            -32700,
        ),
        (b"[]", -32600),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        (b"null", -32600),
        (b"{}", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1e400,\"method\":\"ping\"}",
            -32700,
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"query":"\ud83d"}}"#,
            -32700,
        ),
        (long.as_bytes(), -32600),
        (nested.as_bytes(), -32700),
    ];
    for (number, (line, code)) in cases.iter().enumerate() {
        session.write(line);
        session.write(b"\r\n");
        let reply = session.read();
        // Under its own id where there is one to read: the client waits for that.
        let has_id = line.starts_with(br#"{"jsonrpc":"2.0","id":1,"#);
        let id = if has_id { json!(1) } else { Value::Null };
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&id, &json!(code)),
            "case {number}"
        );
        // Blank lines, stray answers and unknown notifications are nothing to answer.
        session.write(b"\n  \r\n{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":5}\n");
        session.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":{}}}\n");
        session.write(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n");
        assert_eq!(session.read()["id"], "p", "case {number}");
    }
    // Any bytes at all: some are answered, some are blank, none ends the session.
    const ALPHABET: &[u8] = b"{}[]\",:0az\xff\x00\r\\ ";
    let mut seed = 0x9e37_79b9_u32;
    for round in 0..300 {
        let line: Vec<u8> = (0..round % 40)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ALPHABET[(seed >> 24) as usize % ALPHABET.len()]
            })
            .collect();
        session.write(&line);
        session.write(b"\n");
    }
    session.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"still\",\"method\":\"ping\"}\n");
    while session.read()["id"] != "still" {}
    // Half a line, and then the end.
    session.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth");
    let rest = session.end();
    assert_eq!(
        serde_json::from_str::<Value>(&rest).unwrap()["error"]["code"],
        -32700
    );
}

#[test]
fn a_line_of_exactly_the_cap_is_read() {
    let mut session = Session::real();
    let empty =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "" } }).to_string();
    let full = |len: usize| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "x".repeat(len - empty.len()) } }).to_string()
    };
    for (len, fits) in [
        (1024 * 1024, true),
        (1024 * 1024 + 1, false),
        (1024 * 1024 + 2, false),
        (1024 * 1024 + 3, false),
    ] {
        session.write(full(len).as_bytes());
        session.write(b"\r\n");
        assert_eq!(session.read().get("result").is_some(), fits, "{len}");
        // A byte order mark does not count either.
        for end in ["\n", "\r\n"] {
            session.write(format!("\u{feff}{}{end}", full(len)).as_bytes());
            assert_eq!(
                session.read().get("result").is_some(),
                fits,
                "{len} {end:?}"
            );
        }
    }
}

#[test]
fn two_hundred_calls_at_once_are_all_answered() {
    let mut session = Session::fixture(&[]);
    session.write(HANDSHAKE.as_bytes());
    session.write(b"\n");
    session.read();
    for id in 1..=200 {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "test_count", "arguments": { "to": 5, "pause_ms": 10 } } });
        session.write(format!("{call}\n").as_bytes());
    }
    let mut answered: Vec<u64> = (0..200)
        .map(|_| {
            let reply = session.read();
            assert_eq!(
                reply["result"]["structuredContent"]["counted"], 5,
                "{reply}"
            );
            reply["id"].as_u64().unwrap()
        })
        .collect();
    answered.sort();
    assert_eq!(answered, (1..=200).collect::<Vec<_>>());
}

#[test]
fn a_cancelled_call_is_not_answered_and_stops() {
    let mut session = Session::fixture(&[]);
    session.write(HANDSHAKE.as_bytes());
    session.write(b"\n");
    session.read();
    for id in 1..=40 {
        // More than run at once: some are cancelled while they wait.
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "test_count", "arguments": { "to": 10000, "pause_ms": 10 } } });
        session.write(format!("{call}\n").as_bytes());
    }
    let reused = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    session.write(reused);
    session.write(b"\n");
    let reply = session.read();
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(1), &json!(-32600))
    );
    for id in 1..=40 {
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        session.write(format!("{cancel}\n").as_bytes());
    }
    session.write(br#"{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"}}}"#);
    session.write(b"\n");
    let started = Instant::now();
    assert_eq!(session.read()["id"], 99);
    assert!(started.elapsed() < SOON);
    assert_eq!(session.end(), "");
}

#[test]
fn progress_grows_and_ends_with_the_answer() {
    let mut session = Session::fixture(&[]);
    session.write(HANDSHAKE.as_bytes());
    session.write(b"\n");
    session.read();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "test_count", "arguments": { "to": 4, "pause_ms": 110 }, "_meta": { "progressToken": 7 } } });
    session.write(format!("{call}\n").as_bytes());
    let mut values = Vec::new();
    loop {
        let message = session.read();
        if message["id"] == 1 {
            break;
        }
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!(7))
        );
        assert_eq!(message["params"]["total"], 4.0);
        values.push(message["params"]["progress"].as_f64().unwrap());
    }
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn the_end_of_input_ends_the_process() {
    Session::real().end();
    let mut busy = Session::fixture(&[]);
    busy.write(HANDSHAKE.as_bytes());
    busy.write(b"\n");
    busy.read();
    busy.write(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_count","arguments":{"to":10000,"pause_ms":10,"stubborn":true}}}"#);
    busy.write(b"\n");
    // The call would go on for more than a minute.
    busy.end();
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_process_though_the_input_is_open() {
    let mut session = Session::real();
    session.write(format!("{HANDSHAKE}\n").as_bytes());
    session.read();
    let killed = Command::new("kill")
        .arg(session.process.id().to_string())
        .status()
        .unwrap();
    assert!(killed.success());
    let started = Instant::now();
    while session.process.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < SOON, "it still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn a_client_that_no_longer_reads_ends_the_process() {
    let mut session = Session::real();
    session.write(format!("{HANDSHAKE}\n").as_bytes());
    session.read();
    drop(session.output.take());
    let started = Instant::now();
    while session.process.try_wait().unwrap().is_none() {
        let _ = session
            .input
            .as_mut()
            .unwrap()
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        assert!(started.elapsed() < SOON, "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn answers_still_owed_at_the_end_of_input_are_given() {
    let mut session = Session::fixture(&[]);
    session.write(format!("{HANDSHAKE}\n").as_bytes());
    session.write(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_count","arguments":{"to":3,"pause_ms":100}}}"#);
    let rest = session.end();
    assert!(
        rest.lines().count() == 2 && rest.contains(r#""counted":3"#),
        "{rest}"
    );
}

/// Prints what the handshake and a call cost. The bars, 300 ms and 1 ms at p95, are held on a quiet
/// machine: see docs/benchmarks.md.
#[test]
fn what_the_handshake_and_a_call_cost() {
    let started = Instant::now();
    let mut session = Session::real();
    session.shake_hands();
    let handshake = started.elapsed();

    let mut session = Session::fixture(&[]);
    session.shake_hands();
    let mut times: Vec<_> = (0..500)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(
                session.call("echo", json!({ "text": "x" }))["result"]["isError"],
                false
            );
            started.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "handshake {handshake:?}, call p50 {:?} p95 {:?}",
        times[250], times[475]
    );
}

#[test]
fn every_answer_fits_the_schema_it_is_listed_with() {
    let mut session = Session::fixture(&[]);
    session.write(HANDSHAKE.as_bytes());
    session.write(b"\n");
    session.read();
    session.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    let list = session.read();
    let tools = list["result"]["tools"].as_array().unwrap();
    for (name, arguments) in [
        ("echo", json!({ "text": "x" })),
        ("test_count", json!({ "to": 1, "pause_ms": 0 })),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert!(jsonschema::is_valid(&tool["inputSchema"], &arguments));
        assert!(tool["annotations"]["readOnlyHint"].is_boolean());
        let call = json!({ "jsonrpc": "2.0", "id": name, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
        session.write(format!("{call}\n").as_bytes());
        let answer = session.read();
        assert!(
            jsonschema::is_valid(
                &tool["outputSchema"],
                &answer["result"]["structuredContent"]
            ),
            "{answer}"
        );
    }
}

#[test]
fn every_surface_lists_its_own_tools_in_a_list_that_clients_take() {
    // `check_change` is not in the document that `--strict-contract` follows.
    for (surface, n_tools, n_strict, one) in [
        ("codecompass", 15, 14, "search_code"),
        ("codemap", 19, 19, "symbols.get_card"),
        ("lsp", 7, 7, "vscode.lsp.definition"),
        ("agent", 4, 4, "find"),
        ("all", 44, 43, "refs.find"),
    ] {
        for strict in [false, true] {
            let mut arguments = vec!["serve-mcp", "--surface", surface];
            arguments.extend(strict.then_some("--strict-contract"));
            let mut session =
                Session::start(PathBuf::from(env!("CARGO_BIN_EXE_codecompass")), &arguments);
            session.shake_hands();
            session.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
            let list = session.read();
            let tools = list["result"]["tools"].as_array().unwrap();
            let expected = if strict { n_strict } else { n_tools };
            assert_eq!(tools.len(), expected, "{surface}");
            if surface != "all" {
                assert!(
                    list.to_string().len() <= 96_000,
                    "{surface}: {} bytes",
                    list.to_string().len()
                );
            }
            let listed = if strict {
                one.to_owned()
            } else {
                one.replace('.', "_")
            };
            assert!(
                tools.iter().any(|tool| tool["name"] == listed),
                "{surface}: no {listed}"
            );
            for tool in tools {
                let name = &tool["name"];
                assert!(
                    tool["annotations"]["readOnlyHint"].is_boolean()
                        && tool["annotations"]["openWorldHint"] == false,
                    "{name}"
                );
                let is_text = tool.get("outputSchema").is_none();
                let closed = tool["inputSchema"].get("additionalProperties");
                let expected = (!is_text).then_some(&Value::Bool(false));
                assert_eq!(closed, expected, "{name}");
                for schema in tool
                    .get("outputSchema")
                    .into_iter()
                    .chain([&tool["inputSchema"]])
                {
                    assert!(jsonschema::validator_for(schema).is_ok(), "{name}");
                }
            }
            // Both spellings are called, whichever is listed.
            for spelling in [one.to_owned(), one.replace('.', "_")] {
                let answer = session.call(&spelling, json!({ "no_such_field": 1 }));
                let said = answer.to_string();
                assert!(
                    said.contains("unknown field") && !said.contains("Unknown tool"),
                    "{spelling}: {said}"
                );
                assert!(answer["result"].get("structuredContent").is_none());
            }
        }
    }
}

#[test]
fn nothing_outside_the_served_directory_is_shown_or_confirmed() {
    let place = tempfile::tempdir().unwrap();
    let at = |path: &str| dunce::canonicalize(place.path()).unwrap().join(path);
    std::fs::create_dir_all(at("repository")).unwrap();
    std::fs::write(at("repository/in.py"), "def inside():\n    pass\n").unwrap();
    std::fs::write(at("outside.py"), "def hunter2():\n    pass\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("outside.py"), at("repository/link.py")).unwrap();
    let repository = at("repository").to_str().unwrap().to_owned();
    let mut session = Session::start(
        PathBuf::from(env!("CARGO_BIN_EXE_codecompass")),
        &["serve-mcp", "--surface", "all", "--workspace", &repository],
    );
    session.shake_hands();
    let position = json!({ "line": 0, "character": 5 });
    let asked = |path: &str| {
        let absolute = at("repository").join(path).to_str().unwrap().to_owned();
        let uri = format!("file://{absolute}");
        vec![
            ("get_file_outline", json!({ "path": path })),
            ("get_file_outline", json!({ "path": absolute })),
            (
                "find_references",
                json!({ "symbol_name": "hunter2", "path": path }),
            ),
            (
                "search_code",
                json!({ "query": "x", "workspace": absolute }),
            ),
            (
                "code_get_span",
                json!({ "repo_path": repository, "file_path": path, "start_line": 1, "end_line": 2 }),
            ),
            ("vscode_lsp_documentSymbols", json!({ "uri": uri })),
            (
                "vscode_lsp_definition",
                json!({ "uri": uri, "position": position }),
            ),
        ]
    };
    // What is there and what is not must look the same from inside.
    for (there, missing) in asked("../outside.py")
        .into_iter()
        .zip(asked("../missing.py"))
    {
        let said: Vec<_> = [there, missing]
            .into_iter()
            .map(|(tool, arguments)| {
                let answer = session.call(tool, arguments);
                let text = answer["result"]["content"][0]["text"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
                assert!(!text.contains("def hunter2"), "{tool}: {text}");
                text.replace("outside.py", "NAME")
                    .replace("missing.py", "NAME")
            })
            .collect();
        assert_eq!(said[0], said[1]);
    }
    for (tool, arguments) in asked("link.py") {
        let answer = session.call(tool, arguments).to_string();
        assert!(!answer.contains("def hunter2"), "{tool}: {answer}");
    }
    let found = session
        .call("search_code", json!({ "query": "hunter2" }))
        .to_string();
    assert!(
        !found.contains("def hunter2") && !found.contains("outside.py"),
        "{found}"
    );
}

#[test]
fn five_servers_on_one_repository_see_the_same_edits() {
    let place = tempfile::tempdir().unwrap();
    let repository = place.path().join("repository");
    std::fs::create_dir_all(&repository).unwrap();
    std::fs::write(repository.join("a.py"), "def first():\n    pass\n").unwrap();
    let mut servers: Vec<_> = (0..5)
        .map(|_| {
            let arguments = ["serve-mcp", "--workspace", repository.to_str().unwrap()];
            // One home: one index for all of them.
            let mut session = Session::start_at(
                PathBuf::from(env!("CARGO_BIN_EXE_codecompass")),
                &arguments,
                place.path(),
            );
            session.shake_hands();
            session
        })
        .collect();
    let names = |session: &mut Session, name: &str| {
        let answer = session.call(
            "locate_symbol",
            json!({ "name": name, "freshness_policy": "strict" }),
        );
        answer["result"]["structuredContent"]["results"]
            .as_array()
            .map_or(0, Vec::len)
    };
    for name in ["second", "third"] {
        std::fs::write(
            repository.join(format!("{name}.py")),
            format!("def {name}():\n    first()\n"),
        )
        .unwrap();
        for server in &mut servers {
            let started = Instant::now();
            while names(server, name) == 0 {
                assert!(
                    started.elapsed() < Duration::from_secs(30),
                    "{name} is never seen"
                );
            }
            assert_eq!(names(server, "first"), 1);
        }
    }
    std::fs::remove_file(repository.join("second.py")).unwrap();
    for server in &mut servers {
        let started = Instant::now();
        while names(server, "second") > 0 {
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "what is gone is still seen"
            );
        }
    }
}

/// No file may grow beyond a limit, which is what a full disk looks like to a process, whoever runs
/// it; then the limit is lifted.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_when_there_is_room_again_the_server_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let repository = place.path().join("repository");
    std::fs::create_dir_all(&repository).unwrap();
    for i in 0..400 {
        let functions: String = (0..40)
            .map(|k| format!("def function_{i}_{k}(a):\n    return other_{k}(a, {i})\n\n"))
            .collect();
        std::fs::write(repository.join(format!("f{i}.py")), functions).unwrap();
    }
    let most = rustix::process::getrlimit(rustix::process::Resource::Fsize).maximum;
    let room = |session: &Session, bytes: Option<u64>| {
        let process = rustix::process::Pid::from_child(&session.process);
        let limit = rustix::process::Rlimit {
            current: bytes.or(most),
            maximum: most,
        };
        rustix::process::prlimit(Some(process), rustix::process::Resource::Fsize, limit).unwrap();
    };
    // The signal that comes with the limit is ignored, so that writes fail.
    let limited = "trap '' XFSZ; exec \"$0\" \"$@\"";
    let program = env!("CARGO_BIN_EXE_codecompass");
    let arguments = [
        "-c",
        limited,
        program,
        "serve-mcp",
        "--no-prewarm",
        "--workspace",
        repository.to_str().unwrap(),
    ];
    let mut session = Session::start_at(PathBuf::from("bash"), &arguments, place.path());
    session.shake_hands();
    let told = |answer: &Value| -> Value {
        let result = &answer["result"];
        result.get("structuredContent").cloned().unwrap_or_else(|| {
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
        })
    };
    assert_eq!(
        told(&session.call("index_status", json!({})))["index_status"],
        "not_indexed"
    );
    room(&session, Some(400 * 1024));
    for _ in 0..2 {
        let refused = told(&session.call("locate_symbol", json!({ "name": "function_7_7" })));
        assert_eq!(refused["error"]["code"], "index_incompatible", "{refused}");
        assert!(
            refused["error"]["message"]
                .as_str()
                .unwrap()
                .contains("no room"),
            "{refused}"
        );
        assert!(
            refused["error"]["data"]["remediation"]
                .as_str()
                .unwrap()
                .contains("room"),
            "{refused}"
        );
        assert_eq!(
            refused["metadata"]["indexing_status"], "failed",
            "{refused}"
        );
    }
    let status = told(&session.call("index_status", json!({})));
    assert_eq!(
        (&status["index_status"], &status["recent_jobs"][0]["status"]),
        (&json!("failed"), &json!("failed")),
        "{status}"
    );
    let health = told(&session.call("health_check", json!({})));
    assert_eq!(
        (&health["status"], &health["prewarm_status"]),
        (&json!("error"), &json!("skipped"))
    );
    assert_eq!(health["workspace_warmset"]["enabled"], false);

    // Not even the end of a job can be written.
    room(&session, None);
    let job = told(&session.call("index_repo", json!({ "force": true })));
    room(&session, Some(1));
    let started = Instant::now();
    while told(&session.call("index_status", json!({})))["active_job"] != json!(null) {
        assert!(
            started.elapsed() < 3 * SOON,
            "a job that ended is still active"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    room(&session, None);
    let found = told(&session.call("locate_symbol", json!({ "name": "function_7_7" })));
    let started = Instant::now();
    while told(&session.call("index_status", json!({})))["index_status"] != "ready" {
        assert!(
            started.elapsed() < 3 * SOON,
            "it does not recover after {job} and {found}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let found = told(&session.call(
        "locate_symbol",
        json!({ "name": "function_7_7", "freshness_policy": "strict" }),
    ));
    assert_eq!(found["total_candidates"], 1, "{found}");
    // The job of the question may still put the text in order; nothing else is in the way of the
    // next one.
    let started = Instant::now();
    while told(&session.call("index_repo", json!({})))["status"] != "running" {
        assert!(started.elapsed() < 3 * SOON, "no other job can be started");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// As another user where the tests run as one who may write everywhere.
#[cfg(target_os = "linux")]
#[test]
fn an_index_that_became_read_only_answers_and_says_once_that_edits_are_not_kept() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    let place = tempfile::tempdir().unwrap();
    let (home, repository) = (place.path().join("home"), place.path().join("repository"));
    for directory in [&home, &repository] {
        std::fs::create_dir(directory).unwrap();
    }
    let program = place.path().join("codecompass");
    let built = env!("CARGO_BIN_EXE_codecompass");
    if std::fs::hard_link(built, &program).is_err() {
        std::fs::copy(built, &program).unwrap();
    }
    let everyone = std::fs::Permissions::from_mode(0o777);
    for path in [place.path(), &home, &repository] {
        std::fs::set_permissions(path, everyone.clone()).unwrap();
    }
    let start = || {
        let mut command = Command::new(&program);
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        let repository = repository.to_str().unwrap();
        command
            .args(["serve-mcp", "--workspace", repository])
            .current_dir(&home);
        let mut session = Session::spawn(&mut command, &home);
        session.shake_hands();
        session
    };
    let locate = |session: &mut Session, name: &str| {
        let answer = session.call("locate_symbol", json!({ "name": name }));
        let told = &answer["result"]["structuredContent"];
        let warned = told["metadata"]["warnings"]
            .to_string()
            .contains("edits are not kept");
        (
            told["total_candidates"].clone(),
            told["metadata"]["freshness_status"].clone(),
            warned,
        )
    };
    let edit = |text: &str| std::fs::write(repository.join("a.py"), text).unwrap();
    edit("def first(): ...\n");
    let mut session = start();
    while locate(&mut session, "first").0 != json!(1) {}
    session.end();
    let writable = |writable: bool| {
        let mut open = vec![home.clone()];
        while let Some(path) = open.pop() {
            let directory = path.is_dir();
            if directory {
                open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            }
            let mode = if directory { 0o555 } else { 0o444 } | if writable { 0o222 } else { 0 };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    writable(false);
    let mut session = start();
    let fresh = json!("fresh");
    assert_eq!(
        locate(&mut session, "first"),
        (json!(1), fresh.clone(), true)
    );
    edit("def second(): ...\n");
    assert_eq!(
        locate(&mut session, "second"),
        (json!(1), fresh.clone(), false)
    );
    session.end();
    // Nothing of it was kept, and once it can be written again, everything is.
    writable(true);
    let mut session = start();
    assert_eq!(locate(&mut session, "second"), (json!(1), fresh, false));
}

const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;

struct Session {
    process: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    /// Kept as long as the process.
    home: Option<tempfile::TempDir>,
}

impl Session {
    fn real() -> Session {
        Session::start(
            PathBuf::from(env!("CARGO_BIN_EXE_codecompass")),
            &["serve-mcp"],
        )
    }

    fn fixture(more: &[&str]) -> Session {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_codecompass"));
        let program = program
            .parent()
            .unwrap()
            .join("examples")
            .join(format!("fixture_server{}", std::env::consts::EXE_SUFFIX));
        assert!(
            program.exists(),
            "the example fixture_server is not built: test the whole package"
        );
        Session::start(program, &[&["stdio"], more].concat())
    }

    fn start(program: PathBuf, arguments: &[&str]) -> Session {
        let home = tempfile::tempdir().unwrap();
        let mut session = Session::start_at(program, arguments, home.path());
        session.home = Some(home);
        session
    }

    fn start_at(program: PathBuf, arguments: &[&str], home: &Path) -> Session {
        Session::spawn(
            Command::new(program).args(arguments).current_dir(home),
            home,
        )
    }

    fn spawn(command: &mut Command, home: &Path) -> Session {
        let mut process = command
            .env("CODECOMPASS_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = process.stdout.take().map(BufReader::new);
        Session {
            process,
            input,
            output,
            home: None,
        }
    }

    #[track_caller]
    fn shake_hands(&mut self) {
        self.write(format!("{HANDSHAKE}\n").as_bytes());
        assert_eq!(self.read()["id"], 0);
    }

    /// One call and its answer.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
        self.write(format!("{call}\n").as_bytes());
        let answer = self.read();
        assert_eq!(answer["id"], "call");
        answer
    }

    #[track_caller]
    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    #[track_caller]
    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"))
    }

    /// Closes the input; the rest of the output.
    #[track_caller]
    fn end(mut self) -> String {
        drop(self.input.take());
        let started = Instant::now();
        let mut rest = String::new();
        self.output
            .as_mut()
            .unwrap()
            .read_to_string(&mut rest)
            .unwrap();
        while self.process.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < SOON, "it still runs");
            std::thread::sleep(Duration::from_millis(5));
        }
        rest
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One message after the other, each answered before the next is sent.
#[track_caller]
fn transcript(mut session: Session, client: &str, expected: Expect) {
    let mut replies = String::new();
    for line in client
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        session.write(line.as_bytes());
        session.write(b"\n");
        let message: Value = serde_json::from_str(line).unwrap();
        if message.get("id").is_some() {
            let reply = session.read().to_string();
            let instructions =
                serde_json::to_string(codecompass::server::protocol::INSTRUCTIONS.trim()).unwrap();
            let reply = reply.replace(&instructions, "\"INSTRUCTIONS\"");
            replies.push_str(&reply.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
            replies.push('\n');
        }
    }
    assert_eq!(session.end(), "");
    expected.assert_eq(&replies);
}
