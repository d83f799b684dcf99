//! The gateway's answers, from the index and from language servers.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{client::Server, percentiles, timed};

const WARM_UP: usize = 30;
const TIMED: usize = 300;

pub fn server(
    program: &str,
    directory: &str,
    place: &str,
    language: &str,
    command: &[&str],
) -> anyhow::Result<()> {
    let (root, path, position) = parts(directory, place)?;
    let mut gateway = Server::start(program, &root, "lsp", &["--trust"])?;
    let arguments = json!({ "uri": uri(&path), "position": position });
    let end = Instant::now() + Duration::from_secs(120);
    let through = loop {
        let answer = gateway.call("vscode.lsp.definition", &arguments)?;
        if !answer["summary"]
            .as_str()
            .unwrap_or_default()
            .contains("Provider: index")
        {
            break answer;
        }
        ensure!(Instant::now() < end, "no server became ready: {answer}");
        std::thread::sleep(Duration::from_millis(200));
    };
    let mut bare = Bare::start(command, &root)?;
    bare.open(&path, language)?;
    let asked = json!({ "textDocument": { "uri": uri(&path) }, "position": position });
    while bare
        .ask("textDocument/definition", &asked)?
        .as_array()
        .is_none_or(Vec::is_empty)
    {
        ensure!(Instant::now() < end, "the bare server finds nothing");
        std::thread::sleep(Duration::from_millis(200));
    }
    println!("answer: {through}");
    for _ in 0..WARM_UP {
        gateway.call("vscode.lsp.definition", &arguments)?;
        bare.ask("textDocument/definition", &asked)?;
    }
    // In turn, so that whatever else the machine does hits both.
    let (mut gateway_times, mut bare_times) = (Vec::new(), Vec::new());
    let spent = gateway.processor_ms();
    for _ in 0..TIMED {
        gateway_times.push(timed(|| gateway.call("vscode.lsp.definition", &arguments))?.1);
        bare_times.push(timed(|| bare.ask("textDocument/definition", &asked))?.1);
    }
    let (with, without) = (
        report("through the gateway", gateway_times),
        report("bare server", bare_times),
    );
    println!(
        "overhead: p50 {:.2} ms, p95 {:.2} ms",
        with.0 - without.0,
        with.1 - without.1
    );
    println!(
        "processor time of the gateway per call: {:.2} ms",
        (gateway.processor_ms() - spent) / TIMED as f64
    );
    Ok(())
}

pub fn index(program: &str, directory: &str, place: &str, query: &str) -> anyhow::Result<()> {
    let (root, path, position) = parts(directory, place)?;
    let mut gateway = Server::start(program, &root, "lsp", &["--lsp-provider", "index"])?;
    let at = json!({ "uri": uri(&path), "position": position });
    for (tool, arguments) in [
        ("definition", at.clone()),
        (
            "references",
            json!({ "uri": at["uri"], "position": position, "pageSize": 200 }),
        ),
        ("hover", at.clone()),
        ("documentSymbols", json!({ "uri": at["uri"] })),
        ("workspaceSymbols", json!({ "query": query })),
        ("diagnostics.document", json!({ "uri": at["uri"] })),
        ("diagnostics.workspace", json!({})),
    ] {
        let mut summary = Value::Null;
        for _ in 0..WARM_UP {
            summary = gateway.call(&format!("vscode.lsp.{tool}"), &arguments)?["summary"].clone();
        }
        let spent = gateway.processor_ms();
        let times = (0..TIMED)
            .map(|_| Ok(timed(|| gateway.call(&format!("vscode.lsp.{tool}"), &arguments))?.1))
            .collect::<anyhow::Result<_>>()?;
        report(&format!("{tool}: {summary}"), times);
        println!(
            "    processor time per call: {:.2} ms",
            (gateway.processor_ms() - spent) / TIMED as f64
        );
    }
    Ok(())
}

/// p50 and p95 in milliseconds.
fn report(what: &str, times: Vec<Duration>) -> (f64, f64) {
    let (p50, p95) = percentiles(times);
    println!("{what}: p50 {p50:.2} ms, p95 {p95:.2} ms");
    (p50, p95)
}

fn parts(directory: &str, place: &str) -> anyhow::Result<(PathBuf, PathBuf, Value)> {
    let root = dunce::canonicalize(Path::new(directory))?;
    let mut parts = place.rsplitn(3, ':');
    let (character, line) = (
        parts.next().context("no character")?,
        parts.next().context("no line")?,
    );
    let path = root.join(parts.next().context("no path")?);
    Ok((
        root,
        path,
        json!({ "line": line.parse::<u32>()?, "character": character.parse::<u32>()? }),
    ))
}

fn uri(path: &Path) -> String {
    tools::file_uri(path)
}

/// A language server without anything between.
struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    n_requests: u64,
}

impl Bare {
    fn start(command: &[&str], root: &Path) -> anyhow::Result<Bare> {
        let mut started = Command::new(command[0]);
        started
            .args(&command[1..])
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = started.spawn()?;
        let (input, output) = (
            child.stdin.take().context("no input")?,
            child.stdout.take().context("no output")?,
        );
        let mut bare = Bare {
            child,
            input,
            output: BufReader::new(output),
            n_requests: 0,
        };
        let folders = json!([{ "uri": uri(root), "name": "root" }]);
        let params = json!({ "processId": std::process::id(), "rootUri": uri(root), "workspaceFolders": folders, "capabilities": {} });
        bare.ask("initialize", &params)?;
        bare.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?;
        Ok(bare)
    }

    fn open(&mut self, path: &Path, language: &str) -> anyhow::Result<()> {
        let text = std::fs::read_to_string(path)?;
        let document =
            json!({ "uri": uri(path), "languageId": language, "version": 1, "text": text });
        self.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }))
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(self.input.flush()?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.n_requests += 1;
        let id = self.n_requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                ensure!(
                    self.output.read_line(&mut line)? > 0,
                    "the language server ended"
                );
                match line.trim().split_once(':') {
                    Some((_, value)) => length = value.trim().parse()?,
                    None => break,
                }
            }
            let mut body = vec![0; length];
            self.output.read_exact(&mut body)?;
            let message: Value = serde_json::from_slice(&body)?;
            match (message["method"].as_str(), &message["id"]) {
                (None, answered) if *answered == id => return Ok(message["result"].clone()),
                // Its own questions get nothing, so that it goes on.
                (Some(_), asked) if !asked.is_null() => {
                    self.send(&json!({ "jsonrpc": "2.0", "id": asked, "result": null }))?
                }
                _ => {}
            }
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // Told to end, it ends what it started itself.
        let _ = self.ask("shutdown", &Value::Null);
        let _ = self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
        std::thread::sleep(Duration::from_millis(300));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
