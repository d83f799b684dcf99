//! Which servers of the catalogue this machine has. A file of the right name proves nothing (rustup
//! puts a `rust-analyzer` in place that only complains), so each is run for its version. Read by
//! `doctor` and by `pool`.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::catalogue::{Catalogue, ServerSpec};
use crate::process::{find_program, path_with};

/// How long a server may take to say its version. Those that start a virtual machine first need
/// seconds on a cold disk, and many on a machine that is busy.
const VERSION_TIME: Duration = Duration::from_secs(30);
const LONGEST_OUTPUT: u64 = 16 << 10;

/// One server of the catalogue on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReport {
    pub server: String,
    pub language: String,
    pub path: Option<PathBuf>,
    pub version: Option<String>,
    pub state: Detected,
    pub install_hint: String,
    /// Whether our tests run this server.
    pub tested: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detected {
    /// It told its version, or is there and has no way to tell.
    Works,
    Missing,
    /// It is there and does not run.
    Broken {
        reason: String,
    },
}

/// Every server of the catalogue, in its order. `search_path` is looked through before `PATH`.
pub fn detect(catalogue: &Catalogue, search_path: &[PathBuf]) -> Vec<ServerReport> {
    thread::scope(|scope| {
        let running: Vec<_> = catalogue
            .servers
            .iter()
            .map(|spec| scope.spawn(move || detect_one(spec, search_path)))
            .collect();
        running
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect()
    })
}

pub fn detect_one(spec: &ServerSpec, search_path: &[PathBuf]) -> ServerReport {
    let mut report = ServerReport {
        server: spec.name.clone(),
        language: spec.language.clone(),
        path: find_program(&spec.command, search_path),
        version: None,
        state: Detected::Missing,
        install_hint: spec.install.clone(),
        tested: spec.tested,
    };
    if report.path.is_none() {
        return report;
    }
    report.state = match spec.version.split_first() {
        None => Detected::Works,
        Some((program, args)) => match find_program(program, search_path) {
            // The server is there and only its teller of versions is not.
            None => Detected::Works,
            Some(program) => match version(&program, args, search_path) {
                Ok(version) => {
                    report.version = version;
                    Detected::Works
                }
                Err(reason) => Detected::Broken { reason },
            },
        },
    };
    report
}

fn version(
    program: &Path,
    args: &[String],
    search_path: &[PathBuf],
) -> Result<Option<String>, String> {
    let mut command = Command::new(program);
    command
        .args(args)
        .env("PATH", path_with(search_path))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Not in the repository: rustup and others choose by the working directory, and may run what it
    // holds.
    command.current_dir(std::env::temp_dir());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot run it: {error}"))?;
    #[cfg(windows)]
    let job = crate::platform::ProcessJob::of(&child);
    let stdout = read_in_background(child.stdout.take());
    let stderr = read_in_background(child.stderr.take());
    let Some(status) = wait(&mut child, VERSION_TIME) else {
        #[cfg(unix)]
        crate::platform::end_group(child.id(), true);
        #[cfg(windows)]
        let _ = job.inspect(|job| job.end());
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!(
            "it did not tell its version within {} s",
            VERSION_TIME.as_secs()
        ));
    };
    let output = |receiver: mpsc::Receiver<Vec<u8>>| {
        let bytes = receiver
            .recv_timeout(Duration::from_millis(500))
            .unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (stdout, stderr) = (output(stdout), output(stderr));
    if status.success() {
        return Ok(first_version(&stdout).or_else(|| first_version(&stderr)));
    }
    let complaint = stderr
        .lines()
        .chain(stdout.lines())
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("it says nothing");
    let is_proxy = complaint.contains("Unknown binary")
        || complaint.contains("is not installed for the toolchain");
    let complaint: String = complaint
        .chars()
        .filter(|character| !character.is_control())
        .take(200)
        .collect();
    Err(
        if is_proxy && program.file_name() == Some(OsStr::new("rust-analyzer")) {
            format!("this is rustup's proxy, and the component is not installed ({complaint})")
        } else {
            format!("{status}: {complaint}")
        },
    )
}

/// The first line that holds a digit: some servers print a name or a notice before.
fn first_version(output: &str) -> Option<String> {
    let line = output
        .lines()
        .map(str::trim)
        .find(|line| line.contains(|character: char| character.is_ascii_digit()))?;
    Some(
        line.chars()
            .filter(|character| !character.is_control())
            .take(120)
            .collect(),
    )
}

fn wait(child: &mut Child, time: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + time;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            _ => return None,
        }
    }
}

fn read_in_background(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut bytes = Vec::new();
        let _ = pipe.by_ref().take(LONGEST_OUTPUT).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
        // What is beyond the cap is read away, so that the server can end.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[track_caller]
    fn check(script: &str, expected: Detected, version: Option<&str>) {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("rust-analyzer");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let catalogue = Catalogue::builtin();
        let spec = catalogue.for_extension("rs").next().unwrap();
        let report = detect_one(spec, &[directory.path().to_path_buf()]);
        assert_eq!(
            (report.state, report.version.as_deref()),
            (expected, version)
        );
    }

    #[test]
    fn a_server_that_tells_its_version() {
        check(
            "echo notice; echo 'rust-analyzer 1.2.3'",
            Detected::Works,
            Some("rust-analyzer 1.2.3"),
        );
    }

    #[test]
    fn a_rustup_proxy_without_its_component() {
        let complaint = "error: Unknown binary 'rust-analyzer' in official toolchain 'stable'.";
        let reason =
            format!("this is rustup's proxy, and the component is not installed ({complaint})");
        check(
            &format!("echo \"{complaint}\" >&2; exit 1"),
            Detected::Broken { reason },
            None,
        );
    }

    #[test]
    fn a_server_that_fails() {
        let reason = "exit status: 3: it says nothing".into();
        check("exit 3", Detected::Broken { reason }, None);
    }

    #[test]
    fn a_missing_server_comes_with_a_hint() {
        let catalogue =
            Catalogue::with_user("[[server]]\nname='none'\nlanguage='x'\ncommand='no-such-server'\nextensions={x='x'}\ninstall='buy one'")
                .unwrap();
        let report = detect_one(&catalogue.servers[0], &[]);
        assert_eq!(
            (report.state, report.install_hint.as_str(), report.tested),
            (Detected::Missing, "buy one", false)
        );
    }
}
