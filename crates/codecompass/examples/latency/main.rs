//! How long answers take, as a client waits for them over stdio, and what the server holds in
//! memory.
//!
//! ```text
//! latency tools  CODECOMPASS DIRECTORY                                     every tool on names of the repository
//! latency checks CODECOMPASS DIRECTORY N                                   `check_change` of the newest N commits that change 4 to 25 files and can be undone
//! latency index  CODECOMPASS DIRECTORY PLACE QUERY                         the gateway's tools on the index; PLACE is a symbol with many references
//! latency server CODECOMPASS DIRECTORY PLACE LANGUAGE COMMAND…             one definition, asked of the bare server and through the gateway in turn
//! ```
//!
//! `PLACE` is `path:line:character` from 0. The index goes to a temporary directory, or stays in
//! `LATENCY_HOME` for further runs. With `ONE_SHOT` set, `checks` asks the command line the same. The processor time
//! that codecompass itself spends is printed beside the time that passes: on a busy machine only that says something.

mod checks;
mod client;
mod gateway;
mod tools;

use std::time::{Duration, Instant};

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match texts.as_slice() {
        ["tools", program, directory] => tools::measure(program, directory),
        ["checks", program, directory, n_commits] => {
            checks::measure(program, directory, n_commits.parse()?)
        }
        ["server", program, directory, place, language, command @ ..] if !command.is_empty() => {
            gateway::server(program, directory, place, language, command)
        }
        ["index", program, directory, place, query] => {
            gateway::index(program, directory, place, query)
        }
        _ => bail!("see the first lines of crates/codecompass/examples/latency/main.rs"),
    }
}

fn timed<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Duration)> {
    let started = Instant::now();
    let value = run()?;
    Ok((value, started.elapsed()))
}

/// p50 and p95 in milliseconds.
fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
    (at(50), at(95))
}
