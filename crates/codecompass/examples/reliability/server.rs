//! The program as a process: a server over stdio with a client of it, and single commands.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    n_requests: u64,
}

/// How long an answer may take to become fresh, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

impl Server {
    pub fn start(program: &Path, root: &Path, home: &Path) -> anyhow::Result<Server> {
        Server::spawn(&mut command(program, home), root)
    }

    /// `command` is the program with its environment.
    pub fn spawn(command: &mut Command, root: &Path) -> anyhow::Result<Server> {
        let mut child = command
            .args(["serve-mcp", "--workspace"])
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut server = Server {
            child,
            input,
            output,
            n_requests: 0,
        };
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "reliability", "version": "0" } });
        server.request("initialize", &client)?;
        Ok(server)
    }

    pub fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.n_requests += 1;
        let id = self.n_requests;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let input = self.input.as_mut().context("the input is closed")?;
        writeln!(input, "{request}")?;
        loop {
            let mut line = String::new();
            ensure!(
                self.output.read_line(&mut line)? > 0,
                "the server has ended"
            );
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                return Ok(answer);
            }
        }
    }

    /// What a tool answers; an error of the tool as its text.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let answer = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )?;
        let result = &answer["result"];
        if let Some(structured) = result.get("structuredContent") {
            return Ok(structured.clone());
        }
        let text = result["content"][0]["text"].as_str();
        let text = text.with_context(|| format!("{tool} failed: {answer}"))?;
        Ok(serde_json::from_str(text).unwrap_or_else(|_| json!(text)))
    }

    /// What a tool answers once its answer is fresh.
    pub fn fresh(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.call(tool, arguments)?;
            if answer["metadata"]["freshness_status"] == "fresh" {
                return Ok(answer);
            }
            if Instant::now() > until {
                bail!("{tool} {arguments} does not become fresh: {answer}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// As kill -9 does.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        let until = Instant::now() + Duration::from_secs(5);
        while self.is_alive() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, with its index below `home` and nothing on stderr.
pub fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("CODECOMPASS_HOME", home)
        .stderr(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// `codecompass index`.
pub fn index(program: &Path, root: &Path, home: &Path) -> Command {
    let mut command = command(program, home);
    command.args(["index", "--path"]).arg(root);
    command
}

/// A line of `/proc/PID/status`, in megabytes.
pub fn memory_mb(process: u32, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}
