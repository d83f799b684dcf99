//! Where `codecompass lsp` asks the processes that keep language servers, and where they answer.
//!
//! A serving process holds a lock on `<id>.lock` in one directory of the user and looks there for
//! `<id>.ask`. It does what that file says, writes the state of its servers to `<id>.json`, and
//! removes the question. A lock that can be taken belongs to a process that has ended; the
//! next process that sees it removes its files. ControlFiles, because they work alike on all systems and under any path.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use language_servers::{ServerStatus, State};
use serde::{Deserialize, Serialize};
use tools::lsp::Gateway;

use crate::{paths, platform};

/// How soon a question is seen.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long an answer may take: stopping a server takes up to two seconds.
const PATIENCE: Duration = Duration::from_secs(8);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlRequest {
    pub action: ServerAction,
    /// All servers where absent.
    pub server: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerAction {
    Status,
    Restart,
    Stop,
}

/// What one process says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlReply {
    pub process: u32,
    /// How many servers were restarted or stopped.
    pub n_changed: usize,
    pub servers: Vec<ServerEntry>,
}

/// One language server, as `codecompass lsp status --json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerEntry {
    pub server: String,
    pub language: String,
    pub root: PathBuf,
    pub state: String,
    pub process: Option<u32>,
    pub resident_bytes: Option<u64>,
    pub open_documents: usize,
    pub crashes: usize,
    pub last_crash: Option<String>,
    pub tested: bool,
}

/// Answers questions about the servers of this process for as long as it lives, and ends those of
/// workspaces that are no longer trusted, without being asked.
pub fn open(
    gateway: Arc<Gateway>,
    is_trusted: impl Fn(&Path) -> bool + Send + 'static,
) -> anyhow::Result<()> {
    let files = ControlFiles::of(&directory()?, std::process::id());
    platform::create_private_directory(files.lock.parent().context("no directory")?)?;
    let lock = File::create(&files.lock)?;
    lock.try_lock()?;
    thread::Builder::new()
        .name("lsp control".to_owned())
        .spawn(move || {
            let _held = lock;
            loop {
                thread::sleep(INTERVAL);
                gateway.keep_trusted(&is_trusted);
                if let Err(error) = serve(&gateway, &files) {
                    tracing::warn!(%error, "a question of `codecompass lsp` was not answered");
                }
            }
        })?;
    Ok(())
}

/// Asks every process of this user that keeps language servers, in order of its number.
pub fn ask(question: &ControlRequest) -> anyhow::Result<Vec<ControlReply>> {
    ask_in(&directory()?, question)
}

fn directory() -> anyhow::Result<PathBuf> {
    Ok(paths::data()?.join("language-servers").join("processes"))
}

fn ask_in(directory: &Path, question: &ControlRequest) -> anyhow::Result<Vec<ControlReply>> {
    let asked = serde_json::to_vec(question)?;
    let mut waiting = Vec::new();
    for process in processes(directory)? {
        let files = ControlFiles::of(directory, process);
        if files.is_abandoned() {
            files.clear();
            continue;
        }
        let _ = fs::remove_file(&files.answer);
        platform::replace_file(&files.ask, &asked)?;
        waiting.push(files);
    }
    let end = Instant::now() + PATIENCE;
    let mut replies = Vec::new();
    for files in waiting {
        // The process removes the question once its answer is written.
        while files.ask.exists() && Instant::now() < end && !files.is_abandoned() {
            thread::sleep(Duration::from_millis(20));
        }
        match fs::read(&files.answer) {
            Ok(text) => replies.push(serde_json::from_slice(&text)?),
            Err(_) if files.is_abandoned() => files.clear(),
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("process {} does not answer", files.process));
            }
        }
    }
    Ok(replies)
}

fn processes(directory: &Path) -> anyhow::Result<Vec<u32>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", directory.display()));
        }
    };
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut processes: Vec<u32> = names
        .filter_map(|name| name.strip_suffix(".lock")?.parse().ok())
        .collect();
    processes.sort_unstable();
    Ok(processes)
}

fn serve(gateway: &Gateway, files: &ControlFiles) -> anyhow::Result<()> {
    let text = match fs::read(&files.ask) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let question: ControlRequest = match serde_json::from_slice(&text) {
        Ok(question) => question,
        Err(error) => {
            fs::remove_file(&files.ask)?;
            return Err(error.into());
        }
    };
    let server = question.server.as_deref();
    let pool = gateway.pool();
    let n_changed = match question.action {
        ServerAction::Status => 0,
        ServerAction::Restart => pool.map_or(0, |pool| pool.restart(server)),
        ServerAction::Stop => pool.map_or(0, |pool| pool.stop(server)),
    };
    let servers = pool.map(|pool| pool.status()).unwrap_or_default();
    let servers = servers
        .into_iter()
        .filter(|status| server.is_none_or(|name| status.server == name))
        .map(entry)
        .collect();
    let reply = ControlReply {
        process: files.process,
        n_changed,
        servers,
    };
    platform::replace_file(&files.answer, &serde_json::to_vec(&reply)?)?;
    fs::remove_file(&files.ask)?;
    Ok(())
}

fn entry(status: ServerStatus) -> ServerEntry {
    let state = match status.state {
        State::Idle => "idle".to_owned(),
        State::Starting => "starting".to_owned(),
        State::Loading => "loading".to_owned(),
        State::Ready => "ready".to_owned(),
        State::Silent => "does not answer".to_owned(),
        State::Paused { retry_after } => format!(
            "crashed, starts again in {:.1} s",
            retry_after.as_secs_f64()
        ),
        State::GivenUp => "crashed too often".to_owned(),
        State::Stopped => "stopped".to_owned(),
    };
    ServerEntry {
        server: status.server,
        language: status.language,
        root: status.root,
        state,
        process: status.process,
        resident_bytes: status.resident_bytes,
        open_documents: status.n_open_documents,
        crashes: status.n_crashes,
        last_crash: status.last_crash,
        tested: status.tested,
    }
}

struct ControlFiles {
    process: u32,
    lock: PathBuf,
    ask: PathBuf,
    answer: PathBuf,
}

impl ControlFiles {
    fn of(directory: &Path, process: u32) -> ControlFiles {
        let file = |extension: &str| directory.join(format!("{process}.{extension}"));
        ControlFiles {
            process,
            lock: file("lock"),
            ask: file("ask"),
            answer: file("json"),
        }
    }

    /// Whether the process has ended: nobody holds its lock.
    fn is_abandoned(&self) -> bool {
        match File::open(&self.lock).map(|lock| lock.try_lock()) {
            Ok(Err(TryLockError::WouldBlock)) => false,
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    fn clear(&self) {
        for file in [&self.ask, &self.answer, &self.lock] {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_is_cleared_away_and_a_living_one_answers() {
        let directory = tempfile::tempdir().unwrap();
        let status = ControlRequest {
            action: ServerAction::Status,
            server: None,
        };
        assert_eq!(ask_in(&directory.path().join("none"), &status).unwrap(), []);
        fs::write(directory.path().join("7.lock"), "").unwrap();
        assert_eq!(ask_in(directory.path(), &status).unwrap(), []);
        assert!(!directory.path().join("7.lock").exists());

        let files = ControlFiles::of(directory.path(), 8);
        let lock = File::create(&files.lock).unwrap();
        lock.try_lock().unwrap();
        let asked = thread::scope(|scope| {
            let asked = scope.spawn(|| ask_in(directory.path(), &status));
            while !asked.is_finished() {
                serve(Gateway::shared(), &files).unwrap();
                thread::yield_now();
            }
            asked.join().unwrap().unwrap()
        });
        assert_eq!(
            asked,
            [ControlReply {
                process: 8,
                n_changed: 0,
                servers: Vec::new()
            }]
        );
    }
}
