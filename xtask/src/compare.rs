//! Indexing with codecompass and with others, one after the other on the same files; CPU time, as
//! wall time says more about the machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};

struct Rival {
    name: &'static str,
    what: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
}

pub fn run(repository: &Path) -> anyhow::Result<()> {
    let place = tempfile::TempDir::new()?;
    let copy = place.path().join("repository");
    // A copy: some write into it.
    let cloned = Command::new("git")
        .args(["clone", "-q", "--shared"])
        .arg(repository)
        .arg(&copy)
        .status()?;
    ensure!(
        cloned.success(),
        "{} cannot be cloned",
        repository.display()
    );
    let commit = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .current_dir(&copy)
        .output()?;
    println!(
        "{} at {}",
        repository.display(),
        String::from_utf8_lossy(&commit.stdout).trim()
    );
    let program = |name: &str| {
        PathBuf::from(std::env::var_os(name.to_uppercase()).unwrap_or_else(|| name.into()))
    };
    let rivals = [
        Rival {
            name: "codecompass",
            what: "index, from nothing",
            program: ours(),
            arguments: &["index"],
        },
        Rival {
            name: "ctags",
            what: "symbols only",
            program: program("ctags"),
            arguments: &["-R", "-f", "/dev/null", "."],
        },
        Rival {
            name: "ripgrep",
            what: "one full scan",
            program: program("rg"),
            arguments: &["--count", "zzqxv", "."],
        },
        Rival {
            name: "codegraph",
            what: "symbols and edges",
            program: program("codegraph"),
            arguments: &["init", "."],
        },
    ];
    let mut own = None;
    for rival in rivals {
        let home = place.path().join("home");
        match measure(&rival, &copy, &home) {
            Ok((cpu, wall)) => {
                let own = *own.get_or_insert(cpu);
                let ratio = cpu.as_secs_f64() / own.as_secs_f64().max(f64::EPSILON);
                println!(
                    "  {:<12} {cpu:>8.2?} CPU, {wall:>8.2?} wall, {ratio:>6.2} times ours  ({})",
                    rival.name, rival.what
                );
            }
            Err(error) => println!("  {:<12} not measured: {error:#}", rival.name),
        }
    }
    Ok(())
}

/// `CODECOMPASS`, or what was built beside this program in release mode.
fn ours() -> PathBuf {
    let built = std::env::current_exe()
        .ok()
        .and_then(|own| Some(own.parent()?.parent()?.join("release/codecompass")));
    std::env::var_os("CODECOMPASS")
        .map(PathBuf::from)
        .or(built)
        .unwrap_or_else(|| "codecompass".into())
}

fn measure(rival: &Rival, directory: &Path, home: &Path) -> anyhow::Result<(Duration, Duration)> {
    let (before, started) = (children_cpu()?, Instant::now());
    let mut command = Command::new(&rival.program);
    command
        .args(rival.arguments)
        .current_dir(directory)
        .env("CODECOMPASS_HOME", home)
        .env("CI", "1");
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let status = status.with_context(|| format!("{} does not run", rival.program.display()))?;
    // ripgrep ends in 1 where nothing was found, which is what it was asked for.
    ensure!(
        status.code().is_some_and(|code| code <= 1),
        "{} ended with {status}",
        rival.program.display()
    );
    Ok((children_cpu()?.saturating_sub(before), started.elapsed()))
}

/// User and system time of all children that have ended, in ticks of 10 ms.
fn children_cpu() -> anyhow::Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")
        .context("only Linux tells the CPU time of children")?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks: u64 = fields
        .iter()
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Ok(Duration::from_millis(10 * ticks))
}
