//! A server process below its guard, as `client` sees it: two pipes, the last words on standard
//! error, and an end.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How much of a server's standard error is remembered, to explain its end.
const LAST_WORDS: usize = 4096;

pub struct ServerLaunch {
    /// The binary that is a guard when called with `__guard`; our own, outside tests.
    pub guard: PathBuf,
    pub program: PathBuf,
    pub args: Vec<String>,
    pub directory: PathBuf,
    /// Put before `PATH`, so that a server finds what is installed beside it.
    pub search_path: Vec<PathBuf>,
}

/// Everything about the process but its pipes. Dropping it ends the server.
pub struct Process {
    /// The server's own process where there is no guard.
    #[cfg_attr(windows, allow(dead_code))]
    guard: u32,
    state: Arc<Mutex<Observed>>,
    #[cfg(unix)]
    lifeline: std::os::unix::net::UnixStream,
    #[cfg(windows)]
    job: crate::platform::ProcessJob,
    child: Mutex<Child>,
}

#[derive(Default)]
struct Observed {
    server: Option<u32>,
    last_words: VecDeque<u8>,
    /// Nothing more will be said.
    is_heard_out: bool,
}

impl Process {
    /// Starts the server below a guard.
    #[cfg(unix)]
    pub fn spawn(launch: &ServerLaunch) -> io::Result<(Process, ChildStdin, ChildStdout)> {
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;
        use std::os::unix::process::CommandExt;

        let (ours, guards) = UnixStream::pair()?;
        let mut child = Command::new(&launch.guard)
            // A signal sent to all processes of our name must not end the guard too.
            .arg0("lsp-guard")
            .arg(crate::guard::GUARD_ARGUMENT)
            .arg(&launch.program)
            .args(&launch.args)
            .current_dir(&launch.directory)
            .env("PATH", path_with(&launch.search_path))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(OwnedFd::from(guards))
            .spawn()?;
        let (stdin, stdout) = pipes(&mut child)?;
        let state = Arc::new(Mutex::new(Observed::default()));
        let process = Process {
            guard: child.id(),
            state: state.clone(),
            lifeline: ours.try_clone()?,
            child: Mutex::new(child),
        };
        std::thread::Builder::new()
            .name("lsp stderr".into())
            .spawn(move || listen(ours, &state))?;
        Ok((process, stdin, stdout))
    }

    /// Starts the server in a job of its own, which the system ends with us: no guard is needed.
    #[cfg(windows)]
    pub fn spawn(launch: &ServerLaunch) -> io::Result<(Process, ChildStdin, ChildStdout)> {
        let mut child = Command::new(&launch.program)
            .args(&launch.args)
            .current_dir(&launch.directory)
            .env("PATH", path_with(&launch.search_path))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let job = crate::platform::ProcessJob::of(&child).inspect_err(|_| {
            let _ = child.kill();
        })?;
        let (stdin, stdout) = pipes(&mut child)?;
        let errors = child.stderr.take();
        let state = Arc::new(Mutex::new(Observed {
            server: Some(child.id()),
            ..Observed::default()
        }));
        let process = Process {
            guard: child.id(),
            state: state.clone(),
            job,
            child: Mutex::new(child),
        };
        let listen = move || {
            errors.map(|errors| remember(errors, &state));
            state.lock().is_heard_out = true;
        };
        std::thread::Builder::new()
            .name("lsp stderr".into())
            .spawn(listen)?;
        Ok((process, stdin, stdout))
    }

    /// The server's own process, once the guard has named it.
    pub fn id(&self) -> Option<u32> {
        self.state.lock().server
    }

    /// Resident memory of the server and everything below it, where the system tells.
    pub fn resident_bytes(&self) -> Option<u64> {
        #[cfg(unix)]
        return crate::platform::descendants(self.guard)
            .map(|processes| processes.iter().map(|process| process.resident_bytes).sum());
        #[cfg(windows)]
        None
    }

    /// Waits a little until the server that ended has been heard out: what it wrote last comes
    /// through its guard.
    pub fn hear_out(&self) {
        wait_until(|| self.state.lock().is_heard_out);
    }

    /// The end of what the server wrote to standard error, one line, without control characters.
    pub fn last_words(&self) -> String {
        let bytes: Vec<u8> = self.state.lock().last_words.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines[lines.len().saturating_sub(3)..].join("; ");
        last.chars()
            .filter(|character| !character.is_control())
            .take(300)
            .collect()
    }

    /// Has the guard or the system end everything, without waiting.
    pub fn end(&self) {
        #[cfg(unix)]
        let _ = self.lifeline.shutdown(std::net::Shutdown::Write);
        #[cfg(windows)]
        self.job.end();
    }

    /// Waits until guard and server are gone. The guard bounds the wait.
    pub fn wait(&self) {
        let _ = self.child.lock().wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        let _ = self.child.lock().try_wait();
    }
}

/// `program` as found on the search path: the given directories, then `PATH`.
pub fn find_program(program: &str, search_path: &[PathBuf]) -> Option<PathBuf> {
    if program.contains(std::path::is_separator) {
        return is_executable(Path::new(program)).then(|| PathBuf::from(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = search_path
        .iter()
        .cloned()
        .chain(std::env::split_paths(&path));
    // An empty or relative entry would run what lies in the repository.
    directories
        .filter(|directory| directory.is_absolute())
        .find_map(|directory| {
            let names = if cfg!(windows) {
                vec![format!("{program}.exe"), format!("{program}.cmd")]
            } else {
                vec![program.to_string()]
            };
            names
                .into_iter()
                .map(|name| directory.join(name))
                .find(|path| is_executable(path))
        })
}

/// `PATH` with these directories before it.
pub fn path_with(search_path: &[PathBuf]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = search_path
        .iter()
        .cloned()
        .chain(std::env::split_paths(&path));
    std::env::join_paths(directories).unwrap_or(path)
}

fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}

/// Looks again and again for some seconds, which is long for a busy machine, too.
pub fn wait_until(is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(3);
    while !is_so() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn pipes(child: &mut Child) -> io::Result<(ChildStdin, ChildStdout)> {
    match (child.stdin.take(), child.stdout.take()) {
        (Some(stdin), Some(stdout)) => Ok((stdin, stdout)),
        _ => Err(io::Error::other("no pipes to the server")),
    }
}

/// Reads the guard's socket to its end: first the line with the server's id, then its standard
/// error.
#[cfg(unix)]
fn listen(guard: std::os::unix::net::UnixStream, state: &Mutex<Observed>) {
    use std::io::{BufRead, BufReader, Read};
    let mut guard = BufReader::new(guard);
    let mut line = String::new();
    if guard.by_ref().take(64).read_line(&mut line).is_ok() {
        match line.trim().parse() {
            Ok(server) => state.lock().server = Some(server),
            Err(_) => state.lock().last_words.extend(line.bytes()),
        }
    }
    remember(guard, state);
    state.lock().is_heard_out = true;
    // Normally nothing is left by now; a guard that was itself killed leaves its server to us.
    if let Some(server) = state.lock().server {
        crate::platform::end_group(server, true);
    }
}

/// Reads what a server writes to its standard error, and keeps the end of it.
fn remember(mut errors: impl io::Read, state: &Mutex<Observed>) {
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = errors.read(&mut buffer) {
        let words = &mut state.lock().last_words;
        words.extend(&buffer[..n]);
        let excess = words.len().saturating_sub(LAST_WORDS);
        words.drain(..excess);
    }
}
