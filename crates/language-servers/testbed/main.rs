//! Tests only. One binary in three parts: the guard, as the real binary would be; servers that
//! behave badly, one per word; and a client that starts a server and waits to be killed.

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use language_servers::{Document, Limit, Pool, PoolSettings, Trusted};
use serde_json::{Value, json};

fn main() {
    let args: Vec<OsString> = std::env::args_os().collect();
    if language_servers::is_guard_invocation(&args) {
        language_servers::guard_main(args);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", behaviour] => serve(behaviour),
        ["sleep-stubbornly"] => sleep_stubbornly(),
        ["hold", root, file, search_path] => hold(Path::new(root), Path::new(file), search_path),
        _ => panic!("see the source for what this takes: {args:?}"),
    }
}

/// Starts the server of `file`, prints its process id once it has answered, and waits.
fn hold(root: &Path, file: &Path, search_path: &str) {
    let settings = PoolSettings {
        search_path: vec![PathBuf::from(search_path)],
        cache_directory: root.join(".cache"),
        ..PoolSettings::default()
    };
    let pool = Pool::new(
        vec![Trusted::by_decision_of_the_user(root).unwrap()],
        settings,
    );
    let text = std::fs::read_to_string(file).unwrap();
    pool.document_symbols(
        Document {
            path: file,
            text: &text,
        },
        &Limit::within(Duration::from_secs(60)),
    )
    .unwrap();
    // The guard tells it soon after the start.
    let process = loop {
        match pool.status()[0].process {
            Some(process) => break process,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    println!("{process}");
    std::thread::sleep(Duration::from_secs(600));
}

/// A process that leaves its group and does not listen to SIGTERM.
fn sleep_stubbornly() {
    #[cfg(unix)]
    let _ = rustix::process::setsid();
    #[cfg(unix)]
    let _ignored = signal_hook::flag::register(
        signal_hook::consts::SIGTERM,
        std::sync::Arc::<std::sync::atomic::AtomicBool>::default(),
    );
    std::thread::sleep(Duration::from_secs(600));
}

fn serve(behaviour: &str) {
    if behaviour == "deaf" {
        std::thread::sleep(Duration::from_secs(600));
    }
    if behaviour == "dies-at-once" {
        eprintln!("cannot load libnothing.so");
        std::process::exit(7);
    }
    let mut stdin = std::io::stdin().lock();
    let mut documents = Vec::new();
    let mut plenty = Plenty::default();
    while let Some(message) = read(&mut stdin) {
        let method = message["method"].as_str().unwrap_or_default();
        let id = message["id"].clone();
        if behaviour == "plenty"
            && let Some(result) = plenty.result(method, &message["params"])
        {
            send_text(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"
            ));
            continue;
        }
        match (method, behaviour) {
            ("initialize", _) => {
                plenty.root = message["params"]["rootUri"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                answer(id, json!({"capabilities": capabilities(behaviour)}));
            }
            ("textDocument/didOpen", "plenty") => plenty.open(&message["params"]["textDocument"]),
            ("textDocument/definition", "late") if documents.len() < 2 => {
                documents.push(Value::Null);
                let sign =
                    PathBuf::from(plenty.root.trim_start_matches("file://")).join("answer-now");
                std::thread::spawn(move || {
                    while !sign.exists() {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                    answer(id, json!([]));
                });
            }
            ("initialized", "loads") => {
                send(
                    &json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "load"}}}),
                );
                std::thread::spawn(|| {
                    std::thread::sleep(Duration::from_millis(1500));
                    send(
                        &json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": 1, "value": {"kind": "end"}}}),
                    );
                });
            }
            ("initialized", "eats") => {
                // Touched, so that it is resident.
                let eaten = vec![1_u8; 300 << 20];
                std::mem::forget(std::hint::black_box(eaten));
            }
            ("initialized", "breeds") => {
                let me = std::env::current_exe().unwrap();
                // A child that ends at once and leaves its own child behind.
                let mut shell = Command::new("sh")
                    .arg("-c")
                    .arg(format!("'{}' sleep-stubbornly &", me.display()))
                    .spawn()
                    .unwrap();
                let _ = shell.wait();
            }
            ("textDocument/didOpen", _) => {
                documents.push(message["params"]["textDocument"]["uri"].clone());
                match behaviour {
                    "floods" => _ = std::thread::spawn(flood),
                    "asks" => _ = std::thread::spawn(ask_without_end),
                    _ => {}
                }
            }
            ("shutdown", "never-answers") => {}
            ("shutdown", _) => answer(id, Value::Null),
            ("exit", "never-answers") => {}
            ("exit", _) => return,
            (_, "never-answers") => {}
            ("textDocument/definition", "garbage") => {
                print!("Traceback (most recent call last):\n  boom\n")
            }
            ("textDocument/definition", "no-json") => print!("Content-Length: 5\r\n\r\n{{{{{{{{{{"),
            ("textDocument/definition", "huge") => print!("Content-Length: 99999999999\r\n\r\n"),
            ("textDocument/definition", "deep") => {
                let body = format!(
                    "{{\"id\":{id},\"result\":{}{}}}",
                    "[".repeat(1_000_000),
                    "]".repeat(1_000_000)
                );
                print!("Content-Length: {}\r\n\r\n{body}", body.len());
            }
            ("textDocument/definition", "crashes") => std::process::abort(),
            ("textDocument/definition", "lies") => answer(id, json!({"never": "a location"})),
            ("textDocument/definition", "modified") => {
                let n = documents.len();
                documents.push(Value::Null);
                if n < 4 {
                    send(
                        &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32801, "message": "content modified"}}),
                    );
                } else {
                    answer(id, json!([]));
                }
            }
            ("textDocument/definition", "outside") => answer(
                id,
                json!([
                    {"uri": "file:///etc/passwd", "range": range(0, 0, 4)},
                    {"uri": "https://example.org/x", "range": range(0, 0, 4)},
                    {"uri": message["params"]["textDocument"]["uri"], "range": range(0, 0, 4)},
                ]),
            ),
            // Says where it was asked, in its own units.
            ("textDocument/definition", _) => {
                let position = &message["params"]["position"];
                let (line, character) = (
                    position["line"].as_u64().unwrap(),
                    position["character"].as_u64().unwrap(),
                );
                answer(
                    id,
                    json!({"uri": message["params"]["textDocument"]["uri"], "range": range(line, 0, character)}),
                );
            }
            (_, _) if !id.is_null() && !method.is_empty() => {
                send(
                    &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "unknown"}}),
                );
            }
            _ => {}
        }
        let _ = std::io::stdout().flush();
    }
    if behaviour == "never-answers" {
        // Nor does it end with its input.
        std::thread::sleep(Duration::from_secs(600));
    }
}

/// Answers with as many items as the number says that is on the line it is asked about, on the
/// first line of the document, or in the query; a second number there is how long each name is.
#[derive(Default)]
struct Plenty {
    root: String,
    documents: std::collections::HashMap<String, String>,
}

impl Plenty {
    fn open(&mut self, document: &Value) {
        let (uri, text) = (
            document["uri"].as_str().unwrap_or_default(),
            document["text"].as_str().unwrap_or_default(),
        );
        self.documents.insert(uri.to_owned(), text.to_owned());
        let one = |line| json!({"range": range(line, 0, 1), "severity": 1, "message": "wrong"});
        let diagnostics: Vec<Value> = (0..number(text, 0)).map(one).collect();
        let params = json!({"uri": uri, "diagnostics": diagnostics});
        send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}),
        );
    }

    /// As text: tens of thousands of items must not take longer than a gateway waits.
    fn result(&self, method: &str, params: &Value) -> Option<String> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let text = self.documents.get(uri).map_or("", String::as_str);
        let asked = text
            .lines()
            .nth(params["position"]["line"].as_u64().unwrap_or(0) as usize)
            .unwrap_or_default();
        let query = params["query"].as_str().unwrap_or_default();
        let place = |line: u64| {
            format!(
                r#"{{"start":{{"line":{line},"character":0}},"end":{{"line":{line},"character":1}}}}"#
            )
        };
        let list = |n: u64, item: &dyn Fn(u64) -> String| {
            format!("[{}]", (0..n).map(item).collect::<Vec<_>>().join(","))
        };
        Some(match method {
            "textDocument/definition" | "textDocument/references" => {
                list(number(asked, 0), &|line| {
                    format!(r#"{{"uri":"{uri}","range":{}}}"#, place(line))
                })
            }
            "textDocument/hover" => {
                let long = "ä".repeat(number(asked, 1) as usize);
                format!(
                    r#"{{"contents":{}}}"#,
                    list(number(asked, 0), &|i| format!(r#""{i} {long}""#))
                )
            }
            "textDocument/documentSymbol" => list(number(text, 0), &|line| {
                format!(
                    r#"{{"name":"s{line}","kind":12,"range":{0},"selectionRange":{0}}}"#,
                    place(line)
                )
            }),
            "workspace/symbol" => {
                let (name, root) = ("n".repeat(number(query, 1) as usize), &self.root);
                list(number(query, 0), &|line| {
                    format!(
                        r#"{{"name":"{name}","kind":12,"location":{{"uri":"{root}/a.py","range":{}}}}}"#,
                        place(line)
                    )
                })
            }
            _ => return None,
        })
    }
}

/// The number at a place among the words of a text.
fn number(text: &str, at: usize) -> u64 {
    text.split_whitespace()
        .nth(at)
        .and_then(|word| word.parse().ok())
        .unwrap_or(1)
}

fn capabilities(behaviour: &str) -> Value {
    let mut capabilities = json!({"definitionProvider": true});
    if behaviour == "plenty" {
        for provider in [
            "referencesProvider",
            "hoverProvider",
            "documentSymbolProvider",
            "workspaceSymbolProvider",
        ] {
            capabilities[provider] = json!(true);
        }
    }
    if behaviour == "counts-bytes" {
        capabilities["positionEncoding"] = json!("utf-8");
    }
    capabilities
}

fn flood() {
    let items: Vec<Value> = (0..3_000)
        .map(|line| json!({"range": range(line, 0, 1), "message": "x".repeat(10_000)}))
        .collect();
    send(
        &json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": "file:///flood/many", "diagnostics": items}}),
    );
    for n in 0_u64.. {
        let item = json!({"range": range(n % 7, 0, 1), "message": format!("flood {n}")});
        let params = json!({"uri": format!("file:///flood/{}", n % 50_000), "diagnostics": [item]});
        send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}),
        );
        send(
            &json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": n, "value": {"kind": "begin", "title": "x"}}}),
        );
    }
}

fn ask_without_end() {
    for n in 0_u64.. {
        let items: Vec<Value> = (0..50).map(|_| json!({"section": "a.b"})).collect();
        send(
            &json!({"jsonrpc": "2.0", "id": format!("q{n}"), "method": "workspace/configuration", "params": {"items": items}}),
        );
    }
}

fn range(line: u64, start: u64, end: u64) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

fn answer(id: Value, result: Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn send(message: &Value) {
    send_text(&message.to_string());
}

fn send_text(body: &str) {
    let mut stdout = std::io::stdout().lock();
    if write!(stdout, "Content-Length: {}\r\n\r\n{body}", body.len())
        .and_then(|()| stdout.flush())
        .is_err()
    {
        std::process::exit(1);
    }
}

fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(':') {
            Some((_, value)) => length = value.trim().parse().ok()?,
            None => break,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
