//! A server over HTTP for hours: many clients ask while files are edited, branches switched and
//! worktrees come and go.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::{
    Random,
    repository::{Repository, git},
    server::{Server, command, memory_mb},
};

const N_FILES: usize = 400;
const TOKEN: &str = "a-token-of-the-soak-test";
/// Between two looks at the memory.
const SAMPLE: Duration = Duration::from_secs(5);

struct Soak {
    repository: Repository,
    home: tempfile::TempDir,
    worktrees: tempfile::TempDir,
    stop: AtomicBool,
    n_answers: AtomicU64,
    /// What clients were told that they must not be.
    failures: Mutex<Vec<String>>,
}

/// `pause`: the longest time that a client waits between two questions, in milliseconds.
pub fn run(program: &Path, minutes: u64, n_clients: u64, pause: u64) -> anyhow::Result<()> {
    let mut random = Random::seeded();
    let soak = Soak {
        repository: Repository::new(N_FILES)?,
        home: tempfile::tempdir()?,
        worktrees: tempfile::tempdir()?,
        stop: AtomicBool::new(false),
        n_answers: AtomicU64::new(0),
        failures: Mutex::default(),
    };
    soak.prepare()?;
    let server = HttpServer::start(program, &soak)?;
    let started = Instant::now();
    let mut memory = Vec::new();
    let n_switches = AtomicU64::new(0);
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let (storm, switching) = (random.split(), random.split());
        scope.spawn(|| {
            soak.repository
                .edit_storm(storm, Duration::from_millis(100), &soak.stop)
        });
        scope.spawn(|| soak.guard(soak.switch(switching, &n_switches)));
        for _ in 0..n_clients {
            let (random, address) = (random.split(), server.address.as_str());
            let soak = &soak;
            scope.spawn(move || soak.guard(soak.ask(address, random, pause)));
        }
        let mut checked = Instant::now();
        let result = (|| {
            while started.elapsed() < Duration::from_secs(60 * minutes)
                && soak.failures.lock().is_empty()
            {
                std::thread::sleep(SAMPLE);
                memory.push(memory_mb(server.child.id(), "VmRSS"));
                if checked.elapsed() > Duration::from_secs(60) {
                    // Another process on the same index, which must see every edit.
                    let mut other =
                        Server::start(program, soak.repository.root(), soak.home.path())?;
                    let some = [(); 10].map(|()| random.below(N_FILES));
                    soak.repository.check(&mut other, some.into_iter())?;
                    checked = Instant::now();
                }
            }
            Ok(())
        })();
        soak.stop.store(true, Ordering::Relaxed);
        result
    })?;
    let failures = soak.failures.into_inner();
    ensure!(failures.is_empty(), "{failures:#?}");
    // The first tenth fills caches.
    let warm = &memory[memory.len() / 10..];
    let mean = |part: &[u64]| part.iter().sum::<u64>() as f64 / part.len().max(1) as f64;
    let quarter = warm.len().div_ceil(4);
    let (first, last) = (mean(&warm[..quarter]), mean(&warm[warm.len() - quarter..]));
    println!(
        "soak: {n_clients} clients for {:.0} min, {} answers, {} branch switches and worktrees; memory {first:.0} MB in the first quarter, {last:.0} MB in the last ({:+.1} %), at most {} MB",
        started.elapsed().as_secs_f64() / 60.,
        soak.n_answers.load(Ordering::Relaxed),
        n_switches.load(Ordering::Relaxed),
        (last / first - 1.) * 100.,
        memory.iter().max().unwrap_or(&0),
    );
    Ok(())
}

impl Soak {
    /// A second worktree with two branches that differ in many files.
    fn prepare(&self) -> anyhow::Result<()> {
        let lasting = self.lasting();
        let path = lasting
            .to_str()
            .context("a temporary directory has a plain name")?;
        git(
            self.repository.root(),
            &["worktree", "add", "-q", "-b", "left", path],
        )?;
        git(&lasting, &["checkout", "-q", "-b", "right"])?;
        for i in 0..50 {
            let text = format!("def right_{i}():\n    return {i}\n");
            std::fs::write(lasting.join(format!("right_{i}.py")), text)?;
        }
        git(&lasting, &["add", "-A"])?;
        git(&lasting, &["commit", "-q", "-m", "right"])
    }

    fn lasting(&self) -> PathBuf {
        self.worktrees.path().join("lasting")
    }

    fn guard(&self, result: anyhow::Result<()>) {
        if let Err(error) = result {
            self.failures.lock().push(format!("{error:#}"));
        }
    }

    /// Switches branches every few seconds; now and then a worktree comes and another goes.
    fn switch(&self, mut random: Random, n_switches: &AtomicU64) -> anyhow::Result<()> {
        let passing = self.worktrees.path().join("passing");
        let path = passing
            .to_str()
            .context("a temporary directory has a plain name")?;
        while !self.stop.load(Ordering::Relaxed) {
            let branch = ["left", "right"][random.below(2)];
            git(&self.lasting(), &["checkout", "-q", branch])?;
            n_switches.fetch_add(1, Ordering::Relaxed);
            if random.below(5) == 0 {
                match passing.exists() {
                    true => git(
                        self.repository.root(),
                        &["worktree", "remove", "--force", path],
                    )?,
                    false => git(
                        self.repository.root(),
                        &["worktree", "add", "-q", "--detach", path, "main"],
                    )?,
                }
            }
            std::thread::sleep(Duration::from_millis(500 + random.below(3000) as u64));
        }
        Ok(())
    }

    fn ask(&self, address: &str, mut random: Random, pause: u64) -> anyhow::Result<()> {
        let mut stream = BufReader::new(TcpStream::connect(address)?);
        while !self.stop.load(Ordering::Relaxed) {
            let i = random.below(N_FILES);
            let (tool, mut arguments) = match random.below(7) {
                0 => (
                    "search_code",
                    json!({ "query": format!("helper_{i} value") }),
                ),
                1 => (
                    "find_references",
                    json!({ "symbol_name": format!("helper_{i}") }),
                ),
                2 => (
                    "get_call_graph",
                    json!({ "symbol_name": format!("helper_{i}"), "direction": "callers" }),
                ),
                3 => (
                    "get_file_outline",
                    json!({ "path": format!("package_{}/module_{i}.py", i % 10) }),
                ),
                4 => (
                    "get_code_context",
                    json!({ "query": format!("what does helper_{i} return") }),
                ),
                5 => ("index_status", json!({})),
                _ => ("locate_symbol", json!({ "name": format!("helper_{i}") })),
            };
            match random.below(6) {
                0 => arguments["workspace"] = json!(self.lasting()),
                1 if self.worktrees.path().join("passing").exists() => {
                    arguments["workspace"] = json!(self.worktrees.path().join("passing"));
                }
                2 if tool == "locate_symbol" => arguments["ref"] = json!("right"),
                _ => {}
            }
            let answer = call(&mut stream, address, tool, &arguments)?;
            let text = answer.to_string();
            // A worktree may go between two looks at it; nothing else may fail.
            let is_broken = ["internal_error", "panicked", "index_incompatible"]
                .iter()
                .any(|word| text.contains(word));
            ensure!(!is_broken, "{tool} {arguments}: {text}");
            self.n_answers.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(random.below(pause as usize) as u64));
        }
        Ok(())
    }
}

struct HttpServer {
    child: Child,
    address: String,
}

impl HttpServer {
    fn start(program: &Path, soak: &Soak) -> anyhow::Result<HttpServer> {
        let mut child = command(program, soak.home.path())
            .args([
                "serve-mcp",
                "--transport",
                "http",
                "--port",
                "0",
                "--auto-workspace",
            ])
            .arg("--workspace")
            .arg(soak.repository.root())
            .arg("--allowed-root")
            .arg(soak.worktrees.path())
            .env("CODECOMPASS_HTTP_TOKEN", TOKEN)
            .stderr(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stderr.take().context("no stderr")?);
        let mut first = String::new();
        lines.read_line(&mut first)?;
        // The rest is read, so that the server never waits for it.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let address = first
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        let address = address
            .with_context(|| format!("no address in {first}"))?
            .to_owned();
        Ok(HttpServer { child, address })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One call in the revision that has no sessions, over a connection that stays open.
fn call(
    stream: &mut BufReader<TcpStream>,
    address: &str,
    tool: &str,
    arguments: &Value,
) -> anyhow::Result<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {} } } })
    .to_string();
    write!(
        stream.get_mut(),
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        ensure!(
            stream.read_line(&mut line)? > 0,
            "the server has closed the connection"
        );
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(stated) = line.strip_prefix("content-length: ") {
            length = stated.parse()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
