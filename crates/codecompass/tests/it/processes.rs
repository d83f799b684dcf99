//! The real program over HTTP, and what it writes where: tokens, logs, client files.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
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
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    assert!(
        !server.first_line.contains(&token),
        "the token must not be shown"
    );
    assert!(server.first_line.contains("http-tokens"));

    let (status, health) = server.send("GET", "/health", &[], "");
    assert_eq!((status, &health["status"]), (200, &json!("ready")));
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } } })
    .to_string();
    assert_eq!(
        server.send("POST", "/mcp", &[], &initialize),
        (401, Value::Null)
    );
    assert_eq!(
        server
            .send(
                "POST",
                "/mcp",
                &[("Authorization", "Bearer wrong-wrong-wrong")],
                &initialize
            )
            .0,
        401
    );
    let bearer = format!("Bearer {token}");
    for path in ["/mcp", "/mcp/codecompass", "/mcp/codemap", "/mcp/lsp"] {
        let (status, reply) = server.send("POST", path, &[("Authorization", &bearer)], &initialize);
        assert_eq!(
            (status, &reply["result"]["protocolVersion"]),
            (200, &json!("2025-11-25")),
            "{path}"
        );
    }
    assert_eq!(
        server
            .send("GET", "/mcp", &[("Authorization", &bearer)], "")
            .0,
        405
    );
    assert_eq!(
        server
            .send("DELETE", "/mcp", &[("Authorization", &bearer)], "")
            .0,
        405
    );
    assert_eq!(
        server
            .send("POST", "/", &[("Authorization", &bearer)], "")
            .0,
        404
    );

    // A second start uses the same token; another one from the environment takes its place.
    drop(server);
    let server = HttpServer::start(home.path(), &[]);
    assert_eq!(
        server
            .send("POST", "/mcp", &[("Authorization", &bearer)], &initialize)
            .0,
        200
    );
    drop(server);
    let server = HttpServer::start(
        home.path(),
        &[("CODECOMPASS_HTTP_TOKEN", "another-token-for-tests")],
    );
    assert_eq!(
        server
            .send("POST", "/mcp", &[("Authorization", &bearer)], &initialize)
            .0,
        401
    );
    let bearer = "Bearer another-token-for-tests";
    assert_eq!(
        server
            .send("POST", "/mcp", &[("Authorization", bearer)], &initialize)
            .0,
        200
    );
}

#[test]
fn a_connection_that_sends_nothing_blocks_nobody() {
    let home = tempfile::tempdir().unwrap();
    let server = HttpServer::start(home.path(), &[]);
    let idle: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            stream
                .write_all(b"POST /mcp HTTP/1.1\r\nHost: 127")
                .unwrap();
            stream
        })
        .collect();
    let started = Instant::now();
    assert_eq!(server.send("GET", "/health", &[], "").0, 200);
    // The idle connections have half a minute for their headers.
    assert!(started.elapsed() < Duration::from_secs(20));
    drop(idle);
}

/// More connections than are served at once, none of which ever says what it wants.
#[cfg(target_os = "linux")]
#[test]
fn strangers_neither_keep_clients_out_nor_the_server_up() {
    let home = tempfile::tempdir().unwrap();
    let mut server = HttpServer::start(home.path(), &[]);
    let token = fs::read_to_string(home.path().join("config/http-tokens")).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    // One that has shown its token is no stranger, and stays connected.
    let mut client = server.connect();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    assert_eq!(server.ask(&mut client, &bearer, &ping), 200);
    let strangers: Vec<_> = (0..600)
        .map(|_| {
            let mut stream = server.connect();
            // Those that came first may be gone already.
            let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127");
            stream
        })
        .collect();
    assert_eq!(server.send("GET", "/health", &[], "").0, 200);
    assert_eq!(server.ask(&mut client, &bearer, &ping), 200);
    assert!(
        Command::new("kill")
            .arg(server.process.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    until("the server ends", || {
        server.process.try_wait().unwrap().is_some()
    });
    drop(strangers);
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_answers_to_the_address_that_it_listens_on() {
    let home = tempfile::tempdir().unwrap();
    let server = HttpServer::run(real(home.path()).args(["--bind", "127.0.0.2"]));
    assert_eq!(server.address.ip().to_string(), "127.0.0.2");
    assert_eq!(server.send("GET", "/health", &[], "").0, 200);
    // The target may name the host too, but then the right one.
    assert_eq!(
        server
            .send("GET", &format!("http://{}/health", server.address), &[], "")
            .0,
        200
    );
    assert_eq!(
        server
            .send("GET", "http://evil.example.com/health", &[], "")
            .0,
        403
    );
    assert_eq!(
        server
            .send("POST", "http://evil.example.com/mcp", &[], "")
            .0,
        403
    );
}

#[test]
fn hanging_up_cancels_where_there_is_no_session() {
    let place = tempfile::tempdir().unwrap();
    let server = HttpServer::fixture();
    let running = || fs::read_dir(place.path()).unwrap().count();
    for progress in [json!({}), json!({ "progressToken": "p" })] {
        // More than run at once, so that the rest waits for its turn.
        let calls: Vec<_> = (0..20)
            .map(|number| {
                let mut meta = progress.clone();
                meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
                meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
                let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "test_wait", "arguments": { "shown_by": place.path().join(number.to_string()) }, "_meta": meta } });
                let mut stream = server.connect();
                let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "test_wait")];
                server.write(&mut stream, "POST", "/mcp", &with_token(&headers), &call.to_string());
                stream
            })
            .collect();
        until("all workers are taken", || running() == 16);
        drop(calls);
        until("no call runs", || running() == 0);
    }
}

#[test]
fn hanging_up_does_not_cancel_in_a_session() {
    let place = tempfile::tempdir().unwrap();
    let server = HttpServer::fixture();
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } } });
    let mut stream = server.connect();
    server.write(
        &mut stream,
        "POST",
        "/mcp",
        &with_token(&[]),
        &initialize.to_string(),
    );
    let (head, _) = head_and_body(&mut stream);
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .unwrap()
        .to_owned();
    let headers = [
        ("MCP-Protocol-Version", "2025-11-25"),
        ("Mcp-Session-Id", session.as_str()),
    ];
    let post =
        |message: Value| server.send("POST", "/mcp", &with_token(&headers), &message.to_string());
    post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let file = place.path().join("running");
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "test_wait", "arguments": { "shown_by": file } } });
    let mut stream = server.connect();
    server.write(
        &mut stream,
        "POST",
        "/mcp",
        &with_token(&headers),
        &call.to_string(),
    );
    until("the call runs", || file.exists());
    drop(stream);
    let echo = json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "hi" } } });
    assert_eq!(post(echo).1["result"]["structuredContent"]["text"], "hi");
    // Its id is still taken: the call goes on.
    let again = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" });
    assert_eq!(post(again).1["error"]["code"], -32600);
    assert!(file.exists());
    assert_eq!(post(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } })).0, 202);
    until("the call has stopped", || !file.exists());
}

#[test]
fn a_start_that_would_be_unsafe_fails_and_says_why() {
    for (arguments, why) in [
        (
            &[
                "serve-mcp",
                "--transport",
                "http",
                "--port",
                "0",
                "--bind",
                "0.0.0.0",
            ][..],
            "--allow-remote",
        ),
        (&["serve-mcp", "--auto-workspace"][..], "--allowed-root"),
        (
            &["serve-mcp", "--allowed-root", "."][..],
            "--auto-workspace",
        ),
        (
            &[
                "serve-mcp",
                "--auto-workspace",
                "--allowed-root",
                ".",
                "--max-auto-workspaces",
                "0",
            ][..],
            "a number from 1 on",
        ),
        (
            &["serve-mcp", "--workspace", "/no/such/directory"][..],
            "/no/such/directory",
        ),
    ] {
        let output = run(arguments, None);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains(why),
            "{arguments:?}: {said}"
        );
        assert!(output.stdout.is_empty());
    }
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("config")).unwrap();
    fs::write(home.path().join("config/http-tokens"), "short\n").unwrap();
    let output = run(
        &["serve-mcp", "--transport", "http", "--port", "0"],
        Some(home.path()),
    );
    assert!(!output.status.success());
    // A token in the environment that is none does not leave the door to those in the file.
    let home = tempfile::tempdir().unwrap();
    let unusable = |token: &OsStr| {
        let output = real(home.path())
            .env("CODECOMPASS_HTTP_TOKEN", token)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains("CODECOMPASS_HTTP_TOKEN"),
            "{token:?}: {said}"
        );
    };
    unusable(OsStr::new(""));
    unusable(OsStr::new("short"));
    #[cfg(unix)]
    unusable(std::os::unix::ffi::OsStrExt::from_bytes(
        b"a-token-that-is-no-text-\xff\xfe",
    ));
}

#[test]
fn a_panic_leaves_a_line_in_the_log_without_the_words_of_the_client() {
    let mut process = Command::new(fixture_server())
        .arg("stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let call = |id: u32, text: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "echo", "arguments": { "text": text },
            "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } })
    };
    writeln!(input, "{}\n{}", call(1, "panic"), call(2, "and on")).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    let (answers, log) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert!(
        answers.contains("internal_error") && answers.contains("and on"),
        "{answers}"
    );
    assert!(
        log.contains("panicked") && log.contains("it/fixture.rs"),
        "{log}"
    );
    assert!(
        !log.contains("hunter2") && !answers.contains("hunter2"),
        "{log}"
    );
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
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    assert!(said(&["client", "add", "claude-code", "--file", file]).0);
    let written: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(
        written["mcpServers"]["codecompass"]["args"],
        json!(["serve-mcp", "--surface", "agent"])
    );
    let (_, printed) = said(&["client", "print", "claude-code"]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), written);
    assert!(said(&["client", "remove", "claude-code", "--file", file]).0);
    assert!(!Path::new(file).exists());
    assert!(said(&["client", "instructions"]).1.contains("`symbol`"));

    let project = project.to_str().unwrap();
    assert_eq!(said(&["trust", "--list"]), (true, String::new()));
    assert!(said(&["trust", project]).0);
    assert_eq!(said(&["trust", "--list"]).1.lines().count(), 1);
    assert!(said(&["trust", project, "--remove"]).0);
    assert!(!said(&["trust", project, "--remove"]).0);
}

#[test]
fn a_relative_path_to_a_directory_that_is_gone_is_trusted_no_longer() {
    let place = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let command = &mut Command::new(env!("CARGO_BIN_EXE_codecompass"));
        command
            .args(arguments)
            .current_dir(place.path())
            .env("CODECOMPASS_HOME", place.path().join("home"))
            .output()
            .unwrap()
    };
    fs::create_dir(place.path().join("gone")).unwrap();
    assert!(said(&["trust", "gone"]).status.success());
    fs::remove_dir(place.path().join("gone")).unwrap();
    assert!(said(&["trust", "--remove", "gone"]).status.success());
    assert!(said(&["trust", "--list"]).stdout.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn clients_are_configured_where_the_user_keeps_settings() {
    let place = tempfile::tempdir().unwrap();
    let (home, settings) = (place.path().join("home"), place.path().join("settings"));
    let add = |client: &str, settings: &Path| {
        let command = &mut Command::new(env!("CARGO_BIN_EXE_codecompass"));
        let command = command
            .args(["client", "add", client, "--user"])
            .current_dir(place.path());
        assert!(
            command
                .env("HOME", &home)
                .env("XDG_CONFIG_HOME", settings)
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    for (client, file) in [
        ("vscode", "Code/User/mcp.json"),
        ("zed", "zed/settings.json"),
    ] {
        add(client, &settings);
        assert!(settings.join(file).exists(), "{client}");
        add(client, Path::new(""));
        assert!(home.join(".config").join(file).exists(), "{client}");
    }
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

/// The program as a server on some free port, with all that it keeps below `home`.
fn real(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
    command
        .args(["serve-mcp", "--transport", "http", "--port", "0"])
        .current_dir(home)
        .env_remove("CODECOMPASS_HTTP_TOKEN")
        .env("CODECOMPASS_HOME", home);
    command
}

fn fixture_server() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_codecompass"));
    program
        .parent()
        .unwrap()
        .join("examples")
        .join(format!("fixture_server{}", std::env::consts::EXE_SUFFIX))
}

const TOKEN: &str = "a-token-for-tests-only";

/// Of the fixture's server.
fn with_token<'a>(headers: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [
        &[("Authorization", "Bearer a-token-for-tests-only")],
        headers,
    ]
    .concat()
}

#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{what}: not within a minute"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub struct HttpServer {
    process: Child,
    address: SocketAddr,
    first_line: String,
}

impl HttpServer {
    fn start(home: &Path, environment: &[(&str, &str)]) -> HttpServer {
        HttpServer::run(real(home).envs(environment.iter().copied()))
    }

    /// With the tools of the tests.
    fn fixture() -> HttpServer {
        HttpServer::run(
            Command::new(fixture_server())
                .args(["http", "0"])
                .env("CODECOMPASS_HTTP_TOKEN", TOKEN),
        )
    }

    pub fn run(command: &mut Command) -> HttpServer {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut first_line = String::new();
        BufReader::new(process.stderr.take().unwrap())
            .read_line(&mut first_line)
            .unwrap();
        let address = first_line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next()?.parse().ok());
        HttpServer {
            process,
            address: address.unwrap_or_else(|| panic!("no address in {first_line}")),
            first_line,
        }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, Value) {
        let mut stream = self.connect();
        self.write(
            &mut stream,
            method,
            path,
            &[&[("Connection", "close")], headers].concat(),
            body,
        );
        let (head, body) = head_and_body(&mut stream);
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    fn write(
        &self,
        stream: &mut TcpStream,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        write!(stream, "{request}\r\n{body}").unwrap();
    }

    /// The status of the answer, on a connection that stays open.
    fn ask(&self, stream: &mut TcpStream, bearer: &str, message: &str) -> u16 {
        self.write(
            stream,
            "POST",
            "/mcp",
            &[("Authorization", bearer)],
            message,
        );
        let (head, _) = head_and_body(stream);
        head.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

/// One answer of a stated length.
fn head_and_body(stream: &mut TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(
            reader.read_line(&mut head).unwrap() > 0,
            "no answer but {head:?}"
        );
    }
    let length = head
        .to_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
