//! kill -9 at random points: while indexing, syncing and answering, with edits all the time.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::{
    Random,
    repository::Repository,
    server::{Server, index},
};

const N_FILES: usize = 300;
/// Rounds between two looks at every file.
const FULL_CHECK: u64 = 50;

pub fn run(program: &Path, rounds: u64) -> anyhow::Result<()> {
    let mut random = Random::seeded();
    let repository = Repository::new(N_FILES)?;
    let home = tempfile::tempdir()?;
    let started = Instant::now();
    let indexed = index(program, repository.root(), home.path()).status()?;
    ensure!(indexed.success(), "the repository cannot be indexed");
    // A little longer than a run, so that some rounds kill at its end.
    let longest = (started.elapsed() * 5 / 4).max(Duration::from_millis(200));

    let started = Instant::now();
    let stop = AtomicBool::new(false);
    let (mut n_indexing, mut n_serving) = (0, 0);
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let storm = random.split();
        scope.spawn(|| repository.edit_storm(storm, Duration::from_millis(5), &stop));
        let result = (0..rounds).try_for_each(|round| {
            let at = longest.mul_f64(random.below(1000) as f64 / 1000.);
            if round % 2 == 0 {
                n_indexing += u64::from(kill_index(
                    program,
                    &repository,
                    home.path(),
                    at,
                    &mut random,
                )?);
            } else {
                n_serving += u64::from(kill_server(
                    program,
                    &repository,
                    home.path(),
                    at,
                    &mut random,
                )?);
            }
            let mut server = Server::start(program, repository.root(), home.path())?;
            let some = [(); 4].map(|()| random.below(N_FILES));
            repository
                .check(&mut server, some.into_iter())
                .with_context(|| format!("round {round}"))?;
            if round % FULL_CHECK == FULL_CHECK - 1 || round == rounds - 1 {
                drop(server);
                repository
                    .check_all(program, home.path())
                    .with_context(|| format!("round {round}"))?;
                check_database(home.path())?;
            }
            Ok(())
        });
        stop.store(true, Ordering::Relaxed);
        result
    })?;
    println!(
        "kill: {rounds} rounds in {:.0} s, {n_indexing} index runs and {n_serving} servers were killed at work, no wrong answer, the database is sound",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Whether the run was still at work.
fn kill_index(
    program: &Path,
    repository: &Repository,
    home: &Path,
    at: Duration,
    random: &mut Random,
) -> anyhow::Result<bool> {
    let mut command = index(program, repository.root(), home);
    // Most of them do all the work again.
    if random.below(4) != 0 {
        command.arg("--force");
    }
    let mut child = command.spawn()?;
    std::thread::sleep(at);
    let was_at_work = child.try_wait()?.is_none();
    child.kill()?;
    child.wait()?;
    Ok(was_at_work)
}

/// A server that syncs what the storm edits for each answer.
fn kill_server(
    program: &Path,
    repository: &Repository,
    home: &Path,
    at: Duration,
    random: &mut Random,
) -> anyhow::Result<bool> {
    let mut server = Server::start(program, repository.root(), home)?;
    let until = Instant::now() + at;
    while Instant::now() < until {
        let i = random.below(repository.n_files());
        let (tool, arguments) = match random.below(4) {
            0 => (
                "search_code",
                json!({ "query": format!("helper_{i} value") }),
            ),
            1 => ("sync_repo", json!({})),
            2 => (
                "find_references",
                json!({ "symbol_name": format!("helper_{i}") }),
            ),
            _ => ("locate_symbol", json!({ "name": format!("helper_{i}") })),
        };
        server.call(tool, &arguments)?;
    }
    let was_at_work = server.is_alive();
    server.kill()?;
    Ok(was_at_work)
}

/// SQLite's own check of every index below `home`.
pub fn check_database(home: &Path) -> anyhow::Result<()> {
    let mut open = vec![home.to_path_buf()];
    let mut n_checked = 0;
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory)?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if entry.file_name() == "index.db" {
                let connection = rusqlite::Connection::open(&path)?;
                let verdict: String =
                    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
                ensure!(verdict == "ok", "{}: {verdict}", path.display());
                n_checked += 1;
            }
        }
    }
    ensure!(n_checked > 0, "there is no index below {}", home.display());
    Ok(())
}
