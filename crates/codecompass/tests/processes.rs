//! The real program over HTTP, and what it writes where: tokens, logs, client files.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

#[test]
fn an_http_session_with_the_token_that_was_made_for_it() {
    let home = tempfile::tempdir().unwrap();
    let server = HttpServer::start(home.path(), &[]);
    let file = home.path().join("config/http-tokens");
    let token = fs::read_to_string(&file).unwrap().trim().to_owned();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(!server.first_line.contains(&token), "the token must not be shown");
    assert!(server.first_line.contains("http-tokens"));

    let (status, health) = server.send("GET", "/health", &[], "");
    assert_eq!((status, &health["status"]), (200, &json!("ready")));
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } } })
    .to_string();
    assert_eq!(server.send("POST", "/mcp", &[], &initialize), (401, Value::Null));
    assert_eq!(server.send("POST", "/mcp", &[("Authorization", "Bearer wrong-wrong-wrong")], &initialize).0, 401);
    let bearer = format!("Bearer {token}");
    for path in ["/mcp", "/mcp/codecompass", "/mcp/codemap", "/mcp/lsp"] {
        let (status, reply) = server.send("POST", path, &[("Authorization", &bearer)], &initialize);
        assert_eq!((status, &reply["result"]["protocolVersion"]), (200, &json!("2025-11-25")), "{path}");
    }
    assert_eq!(server.send("GET", "/mcp", &[("Authorization", &bearer)], "").0, 405);
    assert_eq!(server.send("DELETE", "/mcp", &[("Authorization", &bearer)], "").0, 405);
    assert_eq!(server.send("POST", "/", &[("Authorization", &bearer)], "").0, 404);

    // A second start uses the same token; another one from the environment takes its place.
    drop(server);
    let server = HttpServer::start(home.path(), &[]);
    assert_eq!(server.send("POST", "/mcp", &[("Authorization", &bearer)], &initialize).0, 200);
    drop(server);
    let server = HttpServer::start(home.path(), &[("CODECOMPASS_HTTP_TOKEN", "another-token-for-tests")]);
    assert_eq!(server.send("POST", "/mcp", &[("Authorization", &bearer)], &initialize).0, 401);
    let bearer = "Bearer another-token-for-tests";
    assert_eq!(server.send("POST", "/mcp", &[("Authorization", bearer)], &initialize).0, 200);
}

#[test]
fn a_connection_that_sends_nothing_blocks_nobody() {
    let home = tempfile::tempdir().unwrap();
    let server = HttpServer::start(home.path(), &[]);
    let idle: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127").unwrap();
            stream
        })
        .collect();
    let started = Instant::now();
    assert_eq!(server.send("GET", "/health", &[], "").0, 200);
    // The idle connections have half a minute for their headers.
    assert!(started.elapsed() < Duration::from_secs(20));
    drop(idle);
}

#[test]
fn a_start_that_would_be_unsafe_fails_and_says_why() {
    for (arguments, why) in [
        (&["serve-mcp", "--transport", "http", "--port", "0", "--bind", "0.0.0.0"][..], "--allow-remote"),
        (&["serve-mcp", "--auto-workspace"][..], "--allowed-root"),
        (&["serve-mcp", "--workspace", "/no/such/directory"][..], "/no/such/directory"),
    ] {
        let output = run(arguments, None);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    }
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("config")).unwrap();
    fs::write(home.path().join("config/http-tokens"), "short\n").unwrap();
    let output = run(&["serve-mcp", "--transport", "http", "--port", "0"], Some(home.path()));
    assert!(!output.status.success());
}

#[test]
fn a_panic_leaves_a_line_in_the_log_without_the_words_of_the_client() {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_codecompass"));
    let fixture = program.parent().unwrap().join("examples").join(format!("fixture_server{}", std::env::consts::EXE_SUFFIX));
    let mut process =
        Command::new(fixture).arg("stdio").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    let call = |id: u32, text: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "echo", "arguments": { "text": text },
            "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } })
    };
    writeln!(input, "{}\n{}", call(1, "panic"), call(2, "and on")).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    let (answers, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(answers.contains("internal_error") && answers.contains("and on"), "{answers}");
    assert!(log.contains("panicked") && log.contains("fixture/mod.rs"), "{log}");
    assert!(!log.contains("hunter2") && !answers.contains("hunter2"), "{log}");
}

#[test]
fn client_files_and_trust_from_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    fs::create_dir(&project).unwrap();
    let file = project.join(".mcp.json");
    let file = file.to_str().unwrap();
    let said = |arguments: &[&str]| {
        let output = run(arguments, Some(home.path()));
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    assert!(said(&["client", "add", "claude-code", "--file", file]).0);
    let written: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(written["mcpServers"]["codecompass"]["args"], json!(["serve-mcp"]));
    let (_, printed) = said(&["client", "print", "claude-code"]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), written);
    assert!(said(&["client", "remove", "claude-code", "--file", file]).0);
    assert!(!Path::new(file).exists());
    assert!(said(&["client", "instructions"]).1.contains("find_references"));

    let project = project.to_str().unwrap();
    assert_eq!(said(&["trust", "--list"]), (true, String::new()));
    assert!(said(&["trust", project]).0);
    assert_eq!(said(&["trust", "--list"]).1.lines().count(), 1);
    assert!(said(&["trust", project, "--remove"]).0);
    assert!(!said(&["trust", project, "--remove"]).0);
}

fn run(arguments: &[&str], home: Option<&Path>) -> Output {
    let place = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_codecompass"))
        .args(arguments)
        .current_dir(place.path())
        .env("CODECOMPASS_HOME", home.unwrap_or(place.path()))
        .env_remove("CODECOMPASS_HTTP_TOKEN")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

struct HttpServer {
    process: Child,
    port: u16,
    first_line: String,
}

impl HttpServer {
    fn start(home: &Path, environment: &[(&str, &str)]) -> HttpServer {
        let mut process = Command::new(env!("CARGO_BIN_EXE_codecompass"))
            .args(["serve-mcp", "--transport", "http", "--port", "0"])
            .current_dir(home)
            .env_remove("CODECOMPASS_HTTP_TOKEN")
            .env("CODECOMPASS_HOME", home)
            .envs(environment.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first_line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut first_line).unwrap();
        let port = first_line.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
        HttpServer { process, port: port.unwrap_or_else(|| panic!("no port in {first_line}")), first_line }
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.port,
            body.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        write!(stream, "{request}\r\n{body}").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
