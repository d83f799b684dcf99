//! Every rule of the HTTP transport, one request at a time and without a socket.

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use codecompass::server::{
    auth::{Door, Tokens},
    headers::Allowed,
    http::{Http, router},
};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

const TOKEN: &str = "a-token-for-tests-only";
const META: &str = "io.modelcontextprotocol/";

#[tokio::test]
async fn checks_come_in_their_order_with_empty_bodies() {
    let http = Client::new(false);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    // Everything is wrong at first; each step mends one thing and meets the next check.
    let steps: &[(&str, &str, StatusCode)] = &[
        ("", "", StatusCode::NOT_FOUND),
        (":path", "/mcp", StatusCode::METHOD_NOT_ALLOWED),
        (":method", "POST", StatusCode::FORBIDDEN),
        ("host", "127.0.0.1:9100", StatusCode::FORBIDDEN),
        ("origin", "http://localhost:9100", StatusCode::UNAUTHORIZED),
        (
            "authorization",
            "Bearer a-token-for-tests-only",
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ),
        (
            "content-type",
            "application/json",
            StatusCode::NOT_ACCEPTABLE,
        ),
        (
            "accept",
            "application/json, text/event-stream",
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
        (":size", "small", StatusCode::BAD_REQUEST),
        (":body", "valid", StatusCode::OK),
    ];
    let (mut path, mut method, mut small, mut valid) =
        ("/other".to_owned(), "GET".to_owned(), false, false);
    let mut headers: Vec<(&str, &str)> = vec![
        ("host", "evil.example.com"),
        ("origin", "http://evil.example.com"),
    ];
    for (what, value, expected) in steps {
        match *what {
            "" => {}
            ":path" => path = (*value).to_owned(),
            ":method" => method = (*value).to_owned(),
            ":size" => small = true,
            ":body" => valid = true,
            name => {
                headers.retain(|(known, _)| *known != name);
                headers.push((name, value));
            }
        }
        let body = match (valid, small) {
            (true, _) => ping.to_string(),
            (false, true) => "[1".to_owned(),
            (false, false) => format!("\"{}\"", "x".repeat(1024 * 1024)),
        };
        let mut request = Request::builder()
            .method(method.as_str())
            .uri(path.as_str());
        for (name, value) in &headers {
            request = request.header(*name, *value);
        }
        let reply = http.send(request.body(Body::from(body)).unwrap()).await;
        assert_eq!(reply.status, *expected, "after {what} {value}");
        if *expected != StatusCode::OK {
            assert_eq!(reply.body, "", "after {what} {value}");
        }
        match *expected {
            StatusCode::METHOD_NOT_ALLOWED => assert_eq!(reply.header("allow"), "POST"),
            StatusCode::UNAUTHORIZED => assert_eq!(reply.header("www-authenticate"), "Bearer"),
            StatusCode::PAYLOAD_TOO_LARGE => assert_eq!(reply.header("connection"), "close"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn envelopes_that_are_none_get_400() {
    let http = Client::new(false);
    for body in [
        "",
        "{",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":""}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"initialize","params":{}}"#,
    ] {
        let reply = http.post(&[], body.to_owned()).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body}");
        // A client that waits under an id is answered under it.
        match body.starts_with('{') && body.contains(r#""id":1,"#) {
            true => assert_eq!(reply.json()["id"], 1, "{body}"),
            false => assert_eq!(reply.body, "", "{body}"),
        }
    }
}

#[tokio::test]
async fn a_message_too_large_or_not_quite_json_is_refused_under_its_own_id() {
    let http = Client::new(false);
    let padding = "x".repeat(1024 * 1024);
    for (body, status, code) in [
        (
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"ping","params":{{"x":"{padding}"}}}}"#),
            StatusCode::PAYLOAD_TOO_LARGE,
            -32600,
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"x":"{padding}"}},"id":"a"}}"#),
            StatusCode::PAYLOAD_TOO_LARGE,
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":"\ud83d"}}"#.to_owned(),
            StatusCode::BAD_REQUEST,
            -32700,
        ),
    ] {
        let reply = http.post(&[], body).await;
        assert_eq!(reply.status, status);
        let json = reply.json();
        assert_eq!(
            (&json["id"], &json["error"]["code"]),
            (&json!("a"), &json!(code))
        );
    }
}

#[tokio::test]
async fn a_session_from_handshake_to_call() {
    let http = Client::new(false);
    let before = http.post(&[], request(1, "tools/list", json!({}))).await;
    assert_eq!(before.json()["error"]["message"], "Not initialized");
    let early = http
        .post(
            &[],
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        )
        .await;
    assert_eq!(early.status, StatusCode::BAD_REQUEST);

    let session = http.initialize("2025-11-25").await;
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let ping = http.post(&headers, request(2, "ping", json!({}))).await;
    assert_eq!(
        ping.json(),
        json!({ "jsonrpc": "2.0", "id": 2, "result": {} })
    );
    let early = http
        .post(&headers, request(3, "tools/list", json!({})))
        .await;
    assert_eq!(early.json()["error"]["code"], -32600);
    let as_request = http
        .post(&headers, request(3, "notifications/initialized", json!({})))
        .await;
    assert_eq!(as_request.json()["error"]["code"], -32600);

    let ready = http
        .post(
            &headers,
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        )
        .await;
    assert_eq!(
        (ready.status, ready.body.as_str()),
        (StatusCode::ACCEPTED, "")
    );
    let list = http
        .post(&headers, request(4, "tools/list", json!({})))
        .await
        .json();
    assert_eq!(list["result"]["tools"][0]["name"], "echo");
    assert_eq!(list["result"]["tools"][1]["name"], "test_count");
    assert!(list["result"].get("resultType").is_none());
    let call = json!({ "name": "echo", "arguments": { "text": "hi" } });
    let answer = http
        .post(&headers, request(5, "tools/call", call))
        .await
        .json();
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({ "text": "hi" })
    );
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"text":"hi"}"#);
    assert_eq!(answer["result"]["isError"], false);
    let unknown = http
        .post(&headers, request(6, "prompts/list", json!({})))
        .await;
    assert_eq!(
        (unknown.status, &unknown.json()["error"]["code"]),
        (StatusCode::OK, &json!(-32601))
    );
    let response = http
        .post(
            &headers,
            json!({ "jsonrpc": "2.0", "id": 9, "result": {} }).to_string(),
        )
        .await;
    assert_eq!(response.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn session_and_revision_headers() {
    let http = Client::new(false);
    let session = http.initialize("2025-11-25").await;
    let old = http.initialize("2025-03-26").await;
    let ping = || request(1, "ping", json!({}));
    for (headers, expected) in [
        (
            vec![("mcp-session-id", session.as_str())],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "2023-01-01"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "2025-06-18"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "foo"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "2026-07-28-draft"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![("mcp-protocol-version", "foo")],
            StatusCode::BAD_REQUEST,
        ),
        // Twice the same header, though both be right.
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "2025-11-25"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "2025-11-25"),
                ("mcp-protocol-version", "2025-11-25"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", "2025-11-25"),
                ("authorization", "Bearer a-token-for-tests-only"),
            ],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![("mcp-protocol-version", "2025-11-25")],
            StatusCode::BAD_REQUEST,
        ),
        (
            vec![
                ("mcp-session-id", "unknown"),
                ("mcp-protocol-version", "2025-11-25"),
            ],
            StatusCode::NOT_FOUND,
        ),
        (
            vec![
                ("MCP-Session-ID", session.as_str()),
                ("MCP-Protocol-Version", "2025-11-25"),
            ],
            StatusCode::OK,
        ),
        (vec![("mcp-session-id", old.as_str())], StatusCode::OK),
        (
            vec![("mcp-session-id", old.as_str()), ("mcp-method", "ping")],
            StatusCode::OK,
        ),
    ] {
        let reply = http.post(&headers, ping()).await;
        assert_eq!(reply.status, expected, "{headers:?}");
        if expected != StatusCode::OK {
            assert_eq!(reply.body, "");
        }
    }
    // A session belongs to its endpoint.
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    assert_eq!(
        http.post_to("/mcp/lsp", &headers, ping()).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn revisions_are_negotiated() {
    let http = Client::new(false);
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let reply = http.post(&[], handshake(asked)).await.json();
        assert_eq!(reply["result"]["protocolVersion"], agreed, "{asked}");
        assert_eq!(
            reply["result"]["capabilities"],
            json!({ "tools": { "listChanged": false } })
        );
        assert_eq!(reply["result"]["serverInfo"]["name"], "codecompass");
    }
    // Whatever headers of newer revisions come with it, a handshake is one.
    let reply = http
        .post(&[("mcp-method", "initialize")], handshake("2025-06-18"))
        .await;
    assert_eq!(
        (reply.status, &reply.json()["result"]["protocolVersion"]),
        (StatusCode::OK, &json!("2025-06-18"))
    );
    assert!(!reply.header("mcp-session-id").is_empty());
    // The gateway's document knows one revision only.
    let strict = Client::new(true);
    let reply = strict
        .post_to("/mcp/lsp", &[], handshake("2025-06-18"))
        .await
        .json();
    assert_eq!(
        reply["error"],
        json!({
            "code": -32602,
            "message": "Unsupported protocol version",
            "data": { "expected": "2025-11-25", "got": "2025-06-18" },
        })
    );
}

#[tokio::test]
async fn a_request_without_session_says_everything_itself() {
    let http = Client::new(false);
    let ok = http
        .modern(
            "tools/call",
            json!({ "name": "echo", "arguments": { "text": "hi" } }),
            &[],
        )
        .await;
    assert_eq!(ok.status, StatusCode::OK);
    let result = &ok.json()["result"];
    assert_eq!(result["structuredContent"], json!({ "text": "hi" }));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "codecompass"
    );

    let list = http.modern("tools/list", json!({}), &[]).await.json();
    assert!(list["result"]["ttlMs"].is_u64() && list["result"]["cacheScope"] == "public");
    let discovered = http.modern("server/discover", json!({}), &[]).await.json();
    assert_eq!(discovered["result"]["supportedVersions"][4], "2026-07-28");
    assert!(discovered["result"]["instructions"].is_string());

    // There are neither prompts nor resources, and whoever asks for one is told so.
    for list in ["prompts/list", "resources/list", "resources/templates/list"] {
        let result = &http.modern(list, json!({}), &[]).await.json()["result"];
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "codecompass",
            "{list}"
        );
    }
    let prompt = http
        .modern("prompts/get", json!({ "name": "x" }), &[])
        .await
        .json();
    assert_eq!(
        (&prompt["error"]["code"], &prompt["error"]["data"]),
        (&json!(-32602), &json!({ "name": "x" }))
    );
    let resource = http
        .modern(
            "resources/read",
            json!({ "uri": "file:///x" }),
            &[("mcp-name", "file:///x")],
        )
        .await
        .json();
    assert_eq!(
        (&resource["error"]["code"], &resource["error"]["data"]),
        (&json!(-32602), &json!({ "uri": "file:///x" }))
    );

    let missing = http.modern("test_x", json!({}), &[]).await;
    assert_eq!(
        (missing.status, &missing.json()["error"]["code"]),
        (StatusCode::NOT_FOUND, &json!(-32601))
    );
    for removed in ["initialize", "ping"] {
        let reply = http
            .modern(
                removed,
                json!({ "protocolVersion": "2026-07-28", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } }),
                &[],
            )
            .await;
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (StatusCode::NOT_FOUND, &json!(-32601)),
            "{removed}"
        );
    }
    for (headers, code) in [
        (vec![("mcp-method", "tools/call")], -32020),
        (vec![("mcp-method", "TOOLS/LIST")], -32020),
        (vec![("mcp-protocol-version", "2025-11-25")], -32020),
        (vec![("mcp-method", "")], -32020),
        (
            vec![
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-protocol-version", "2026-07-28"),
            ],
            -32020,
        ),
        (vec![("mcp-protocol-version", "foo")], -32020),
    ] {
        let reply = http.modern("tools/list", json!({}), &headers).await;
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"]),
            (StatusCode::BAD_REQUEST, &json!(code)),
            "{headers:?}"
        );
    }
    let name = http
        .modern(
            "tools/call",
            json!({ "name": "echo" }),
            &[("mcp-name", "other")],
        )
        .await;
    assert_eq!(
        (name.status, &name.json()["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32020))
    );

    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let bare = http
        .post(&headers, request(1, "tools/list", json!({})))
        .await;
    assert_eq!(
        (bare.status, &bare.json()["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32602))
    );
    let broken = http.post(&headers, "{".to_owned()).await;
    assert_eq!(
        (broken.status, &broken.json()["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32700))
    );
    let unknown = json!({ "_meta": { format!("{META}protocolVersion"): "2030-01-01", format!("{META}clientCapabilities"): {} } });
    let headers = [
        ("mcp-protocol-version", "2030-01-01"),
        ("mcp-method", "tools/list"),
    ];
    let reply = http.post(&headers, request(1, "tools/list", unknown)).await;
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32022))
    );
    assert_eq!(reply.json()["error"]["data"]["requested"], "2030-01-01");
}

#[tokio::test]
async fn failures_have_the_form_of_their_contract() {
    let http = Client::new(false);
    let call = async |name: &str, arguments: Value| {
        http.modern(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
            &[("mcp-name", name)],
        )
        .await
        .json()
    };
    let wrong = call("echo", json!({ "txt": "hi" })).await;
    assert_eq!(wrong["result"]["isError"], true);
    assert!(wrong["result"].get("structuredContent").is_none());
    let text: Value =
        serde_json::from_str(wrong["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["error"]["code"], "invalid_input");
    let message = text["error"]["message"].as_str().unwrap();
    let said = "unknown field `txt` (did you mean `text`?); known fields: ";
    assert!(message.starts_with(said), "{message}");

    let denied = call("test_lsp_locate", json!({ "uri": "file:///etc/passwd" })).await;
    let text = denied["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("MCP_LSP_GATEWAY/WORKSPACE_DENIED: ") && !text.contains("passwd"),
        "{text}"
    );
    let panicked = call("echo", json!({ "text": "panic" })).await.to_string();
    assert!(
        panicked.contains("internal_error") && !panicked.contains("hunter2"),
        "{panicked}"
    );
    // Sent twice, as text and as structured content, it has more than 512 KiB.
    for times in [300_000, 2_000_000] {
        let large = call("echo", json!({ "text": "x", "times": times }))
            .await
            .to_string();
        assert!(
            large.contains("response_too_large") && large.len() < 1000,
            "{times}"
        );
    }
    let late = call(
        "test.count",
        json!({ "to": 24, "pause_ms": 100, "stubborn": true }),
    )
    .await
    .to_string();
    assert!(late.contains("BUDGET_EXCEEDED"), "{late}");
    let soft = call("test.count", json!({ "to": 100, "pause_ms": 100 })).await;
    assert_eq!(soft["result"]["structuredContent"]["complete"], false);
    let unknown = call("echoo", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(
        unknown["error"]["message"],
        "Unknown tool: `echoo`; did you mean `echo`?"
    );

    let strict = Client::new(true);
    let call = json!({ "name": "test.lsp.locate", "arguments": { "uri": "http://x" } });
    let reply = strict
        .modern("tools/call", call, &[("mcp-name", "test.lsp.locate")])
        .await
        .json();
    assert_eq!(
        (&reply["error"]["code"], &reply["error"]["data"]["code"]),
        (&json!(-32602), &json!("MCP_LSP_GATEWAY/URI_INVALID"))
    );
    let names: Vec<_> = strict.modern("tools/list", json!({}), &[]).await.json()["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert!(names.contains(&json!("test.count")), "{names:?}");
}

#[tokio::test]
async fn progress_turns_the_answer_into_events() {
    let http = Client::new(false);
    let call = |token: Option<&str>| {
        let mut params = json!({ "name": "test_count", "arguments": { "to": 3, "pause_ms": 120 } });
        if let Some(token) = token {
            params["_meta"] = json!({ "progressToken": token });
        }
        params
    };
    let quiet = http.modern("tools/call", call(None), &[]).await;
    assert_eq!(quiet.header("content-type"), "application/json");
    let told = http.modern("tools/call", call(Some("p")), &[]).await;
    assert_eq!(told.header("content-type"), "text/event-stream");
    let messages: Vec<Value> = told
        .body
        .split("\n\n")
        .filter_map(|event| event.split_once("data: "))
        .map(|(_, data)| serde_json::from_str(data).unwrap())
        .collect();
    let progress: Vec<_> = messages[..messages.len() - 1]
        .iter()
        .map(|message| message["params"]["progress"].as_f64().unwrap())
        .collect();
    assert_eq!(progress, [1.0, 2.0, 3.0]);
    assert!(
        messages
            .iter()
            .rev()
            .skip(1)
            .all(|message| message["params"]["progressToken"] == "p")
    );
    assert_eq!(
        messages.last().unwrap()["result"]["structuredContent"]["counted"],
        3
    );
}

#[tokio::test]
async fn a_session_can_cancel_its_request() {
    let http = Client::new(false);
    let session = http.initialize("2025-11-25").await;
    let headers = [
        ("mcp-session-id", session.as_str()),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    http.post(
        &headers,
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
    )
    .await;
    let started = std::time::Instant::now();
    let count = json!({ "name": "test_count", "arguments": { "to": 1000, "pause_ms": 50 } });
    let call = http.post(&headers, request(7, "tools/call", count));
    let cancel = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
        http.post(&headers, cancel.to_string()).await
    };
    let (call, cancel) = tokio::join!(call, cancel);
    assert_eq!(
        (call.status, cancel.status),
        (StatusCode::ACCEPTED, StatusCode::ACCEPTED)
    );
    // Where events have begun, the stream ends without an answer.
    let count = json!({ "name": "test_count", "arguments": { "to": 1000, "pause_ms": 50 }, "_meta": { "progressToken": "p" } });
    let call = http.post(&headers, request(7, "tools/call", count));
    let cancel = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
        http.post(&headers, cancel.to_string()).await
    };
    let (call, _) = tokio::join!(call, cancel);
    assert_eq!(call.header("content-type"), "text/event-stream");
    assert!(
        call.body.contains("notifications/progress") && !call.body.contains("\"id\":7"),
        "{}",
        call.body
    );
    // Uncancelled, the calls would take a minute and more.
    assert!(started.elapsed() < std::time::Duration::from_secs(30));
}

#[tokio::test]
async fn a_body_that_never_ends_meets_its_deadline() {
    let http = Client::new(false);
    let endless = futures_util::stream::unfold(0_u32, |sent| async move {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        Some((Ok::<_, std::io::Error>("x"), sent + 1))
    });
    let request = Request::post("/mcp")
        .header("host", "127.0.0.1:9100")
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Body::from_stream(endless))
        .unwrap();
    let reply = http.send(request).await;
    assert_eq!(
        (reply.status, reply.header("connection")),
        (StatusCode::REQUEST_TIMEOUT, "close")
    );
}

#[tokio::test]
async fn a_body_without_a_stated_length_meets_the_cap() {
    let http = Client::new(false);
    let chunks =
        futures_util::stream::iter((0..20).map(|_| Ok::<_, std::io::Error>("x".repeat(100_000))));
    let request = Request::post("/mcp")
        .header("host", "127.0.0.1:9100")
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Body::from_stream(chunks))
        .unwrap();
    assert_eq!(
        http.send(request).await.status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
}

#[tokio::test]
async fn health_needs_no_token_and_tells_no_secret() {
    let http = Client::new(false);
    let request = Request::get("/health")
        .header("host", "localhost:9100")
        .body(Body::empty())
        .unwrap();
    let reply = http.send(request).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(reply.json()["status"], "ready");
    assert!(!reply.body.contains(TOKEN));
    let foreign = Request::get("/health")
        .header("host", "evil.example.com")
        .body(Body::empty())
        .unwrap();
    assert_eq!(http.send(foreign).await.status, StatusCode::FORBIDDEN);
    let foreign = Request::get("http://evil.example.com/health")
        .header("host", "localhost:9100")
        .body(Body::empty())
        .unwrap();
    assert_eq!(http.send(foreign).await.status, StatusCode::FORBIDDEN);
}

struct Client(Router);

struct Reply {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    body: String,
}

impl Client {
    fn new(strict: bool) -> Client {
        let tokens = Tokens::parse(TOKEN).unwrap();
        Client(router(Http::new(
            crate::fixture::server(strict, "http"),
            Door::Fixed(tokens),
            Allowed::at(([127, 0, 0, 1], 9100).into()),
        )))
    }

    async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.0.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    async fn post(&self, headers: &[(&str, &str)], body: String) -> Reply {
        self.post_to("/mcp", headers, body).await
    }

    async fn post_to(&self, path: &str, headers: &[(&str, &str)], body: String) -> Reply {
        let mut request = Request::post(path)
            .header("host", "127.0.0.1:9100")
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Body::from(body)).unwrap()).await
    }

    async fn initialize(&self, revision: &str) -> String {
        let reply = self.post(&[], handshake(revision)).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
        reply.header("mcp-session-id").to_owned()
    }

    /// A request of revision 2026-07-28; a header given here takes the place of the right one, or
    /// takes it away.
    async fn modern(&self, method: &str, mut params: Value, headers: &[(&str, &str)]) -> Reply {
        let name = params["name"].as_str().map(str::to_owned);
        params["_meta"][format!("{META}protocolVersion")] = json!("2026-07-28");
        params["_meta"][format!("{META}clientCapabilities")] = json!({});
        let mut all = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        if let Some(name) = &name {
            all.push(("mcp-name", name));
        }
        all.retain(|(name, _)| headers.iter().all(|(replaced, _)| replaced != name));
        all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
        self.post(&all, request(1, method, params)).await
    }
}

impl Reply {
    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|_| panic!("not JSON: {} {}", self.status, self.body))
    }
}

fn request(id: u32, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn handshake(revision: &str) -> String {
    let client = json!({ "name": "test", "version": "0" });
    request(
        0,
        "initialize",
        json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client }),
    )
}
