//! A server process and a client of it.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    n_requests: u64,
    home: PathBuf,
    is_temporary: bool,
}

impl Server {
    /// Indexes the directory and starts a server on it.
    pub fn start(
        program: &str,
        root: &Path,
        surface: &str,
        arguments: &[&str],
    ) -> anyhow::Result<Server> {
        let kept = std::env::var_os("LATENCY_HOME").map(PathBuf::from);
        let is_temporary = kept.is_none();
        let home = kept.unwrap_or_else(|| {
            std::env::temp_dir().join(format!("latency-{}", std::process::id()))
        });
        let indexed = Command::new(program)
            .env("CODECOMPASS_HOME", &home)
            .args(["index", "--path"])
            .arg(root)
            .status()?;
        ensure!(indexed.success(), "the directory cannot be indexed");
        let mut command = Command::new(program);
        command
            .env("CODECOMPASS_HOME", &home)
            .args(["serve-mcp", "--surface", surface, "--workspace"])
            .arg(root)
            .args(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = (
            child.stdin.take().context("no input")?,
            child.stdout.take().context("no output")?,
        );
        let mut server = Server {
            child,
            input,
            output: BufReader::new(output),
            n_requests: 0,
            home,
            is_temporary,
        };
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "latency", "version": "0" } });
        server.request("initialize", &client)?;
        writeln!(
            server.input,
            "{}",
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
        )?;
        Ok(server)
    }

    /// What the process has used so far; 0 where the system does not tell in Linux's way. A tick is
    /// 10 ms.
    pub fn processor_ms(&self) -> f64 {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let ticks = |i: usize| {
            fields
                .get(i)
                .and_then(|field| field.parse::<u64>().ok())
                .unwrap_or(0)
        };
        (ticks(11) + ticks(12)) as f64 * 10.0
    }

    /// Where the index is.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Resident memory, and how much of it is the process's own, in megabytes.
    pub fn memory_mb(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .unwrap_or_default();
        let kilobytes = |key: &str| {
            let line = status.lines().find(|line| line.starts_with(key))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        };
        (
            kilobytes("VmRSS:").unwrap_or(0) / 1024,
            kilobytes("RssAnon:").unwrap_or(0) / 1024,
        )
    }

    fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.n_requests += 1;
        writeln!(
            self.input,
            "{}",
            json!({ "jsonrpc": "2.0", "id": self.n_requests, "method": method, "params": params })
        )?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server ended");
            let reply: Value = serde_json::from_str(&line)?;
            if reply["id"] == self.n_requests {
                return Ok(reply);
            }
        }
    }

    /// The structured answer; an error of the tool is one here.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let mut reply = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )?;
        ensure!(
            reply["result"]["isError"] == false,
            "{tool} {arguments}: {reply}"
        );
        Ok(reply["result"]["structuredContent"].take())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if self.is_temporary {
            let _ = std::fs::remove_dir_all(&self.home);
        }
    }
}
