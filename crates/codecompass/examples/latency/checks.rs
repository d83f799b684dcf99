//! `check_change` on commits of the repository, each undone as a patch over the working tree.

use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{client::Server, percentiles, timed};

/// Files that a commit must change to be asked about.
const N_FILES: std::ops::RangeInclusive<usize> = 4..=25;

/// One commit as it was asked about.
struct Check {
    wait: Duration,
    processor_ms: f64,
    /// The parts of the answer that are not whole, each with the reason.
    cut: Vec<String>,
}

pub fn measure(program: &str, directory: &str, n_commits: usize) -> anyhow::Result<()> {
    let root = dunce::canonicalize(Path::new(directory))?;
    let mut server = Server::start(program, &root, "codecompass", &[])?;
    server.call("locate_symbol", &json!({ "name": "main" }))?;
    let (mut checks, mut lone) = (Vec::new(), Vec::new());
    println!("| commit | files | wait | processor | cut |\n|---|--:|--:|--:|---|");
    for commit in commits(&root)? {
        if checks.len() >= n_commits {
            break;
        }
        let patch = undone(&root, &commit)?;
        let Some(check) = checked(&mut server, &patch)? else {
            continue;
        };
        if let Some(wait) = one_shot(program, &server, &root, &patch)? {
            lone.push(wait);
        }
        println!(
            "| {} | {} | {:.0} ms | {:.0} ms | {} |",
            &commit[..10],
            n_files(&patch),
            check.wait.as_secs_f64() * 1e3,
            check.processor_ms,
            check.cut.join(", ")
        );
        checks.push(check);
    }
    ensure!(
        !checks.is_empty(),
        "no commit of {N_FILES:?} files can be undone"
    );
    report(&checks, lone);
    Ok(())
}

fn report(checks: &[Check], lone: Vec<Duration>) {
    let (p50, p95) = percentiles(checks.iter().map(|check| check.wait).collect());
    println!(
        "\n{} commits: wait p50 {p50:.0} ms, p95 {p95:.0} ms",
        checks.len()
    );
    let processor = checks
        .iter()
        .map(|check| Duration::from_secs_f64(check.processor_ms / 1e3));
    let (p50, p95) = percentiles(processor.collect());
    println!("processor time p50 {p50:.0} ms, p95 {p95:.0} ms");
    if !lone.is_empty() {
        let (p50, p95) = percentiles(lone);
        println!("the command line without a server: p50 {p50:.0} ms, p95 {p95:.0} ms");
    }
    let is_late = |check: &&Check| check.cut.iter().any(|cut| cut.ends_with("(time)"));
    let late = checks.iter().filter(is_late).count();
    println!("answers that the time cut short: {late}");
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    for part in checks.iter().flat_map(|check| &check.cut) {
        *parts.entry(part).or_default() += 1;
    }
    let whole = checks.iter().filter(|check| check.cut.is_empty()).count();
    println!("whole answers: {whole}; parts that were cut: {parts:?}");
}

/// The commits along first parents, the newest first, without merges.
fn commits(root: &Path) -> anyhow::Result<Vec<String>> {
    let arguments = [
        "log",
        "--first-parent",
        "--no-merges",
        "--format=%H",
        "-n",
        "3000",
    ];
    Ok(git(root, &arguments)?.lines().map(str::to_owned).collect())
}

/// What takes a commit back.
fn undone(root: &Path, commit: &str) -> anyhow::Result<String> {
    git(root, &["show", "-R", "--format=", "--no-renames", commit])
}

fn n_files(patch: &str) -> usize {
    let is_head = |line: &&str| line.starts_with("diff --git ");
    patch.lines().filter(is_head).count()
}

/// Nothing where the commit is too small or too large, or where later ones changed the same lines.
fn checked(server: &mut Server, patch: &str) -> anyhow::Result<Option<Check>> {
    if !N_FILES.contains(&n_files(patch)) {
        return Ok(None);
    }
    let spent = server.processor_ms();
    let mut question = json!({ "patch": patch });
    if let Ok(budget) = std::env::var("BUDGET_MS") {
        question["budget_ms"] = budget.parse::<u64>()?.into();
    }
    let (answer, wait) = timed(|| Ok(server.call("check_change", &question)))?;
    let Ok(answer) = answer else {
        return Ok(None);
    };
    let mut cut = Vec::new();
    if answer["verdict"] == "incomplete" {
        cut.push("breaks".to_owned());
    }
    for part in ["reach", "tests", "dead"] {
        if answer[part]["is_cut"] == Value::Bool(true) {
            let why = answer[part]["cut_by"].as_str().unwrap_or("?");
            cut.push(format!("{part} ({why})"));
        }
    }
    Ok(Some(Check {
        wait,
        processor_ms: server.processor_ms() - spent,
        cut,
    }))
}

/// The same question to a process of its own, where `ONE_SHOT` asks for it.
fn one_shot(
    program: &str,
    server: &Server,
    root: &Path,
    patch: &str,
) -> anyhow::Result<Option<Duration>> {
    if std::env::var_os("ONE_SHOT").is_none() {
        return Ok(None);
    }
    let (output, wait) = timed(|| {
        let mut child = Command::new(program)
            .env("CODECOMPASS_HOME", server.home())
            .args(["call", "check_change", "-"])
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().context("no input")?;
        write!(input, "{}", json!({ "patch": patch }))?;
        drop(input);
        Ok(child.wait_with_output()?)
    })?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(Some(wait))
}

fn git(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()?;
    ensure!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
