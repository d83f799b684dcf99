//! A large tree: what an index costs that is killed in the middle and run again, what answers and
//! edits cost then, and what the server holds.

use std::{
    path::Path,
    process::Child,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::json;

use crate::server::{Server, index, memory_mb};

const NAMES: [&str; 10] = [
    "main", "new", "parse", "Error", "Config", "run", "init", "build", "String", "Context",
];

pub fn run(program: &Path, directory: &Path) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let mut peak = 0;
    let mut watch = |child: &mut Child, at_most: Duration| -> anyhow::Result<bool> {
        let until = Instant::now() + at_most;
        while Instant::now() < until {
            if let Some(status) = child.try_wait()? {
                ensure!(status.success(), "the tree cannot be indexed");
                return Ok(true);
            }
            peak = peak.max(memory_mb(child.id(), "VmHWM"));
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(false)
    };
    let mut child = index(program, directory, home.path()).spawn()?;
    let killed_after = Duration::from_secs(20);
    if !watch(&mut child, killed_after)? {
        child.kill()?;
        child.wait()?;
    }
    let started = Instant::now();
    let mut child = index(program, directory, home.path()).spawn()?;
    ensure!(
        watch(&mut child, Duration::from_secs(7200))?,
        "it takes too long"
    );
    let indexed = started.elapsed();
    let started = Instant::now();
    let mut child = index(program, directory, home.path()).spawn()?;
    ensure!(
        watch(&mut child, Duration::from_secs(600))?,
        "it takes too long"
    );
    let unchanged = started.elapsed();

    let started = Instant::now();
    let mut server = Server::start(program, directory, home.path())?;
    server.fresh("locate_symbol", &json!({ "name": "main" }))?;
    let cold = started.elapsed();
    let mut times = Vec::new();
    for name in NAMES {
        for (tool, arguments) in [
            ("locate_symbol", json!({ "name": name })),
            ("search_code", json!({ "query": name })),
        ] {
            server.call(tool, &arguments)?;
            let started = Instant::now();
            server.call(tool, &arguments)?;
            times.push(started.elapsed());
        }
    }
    times.sort();
    let probe = directory.join("reliability_probe.py");
    std::fs::write(&probe, "def reliability_probe(): ...\n")?;
    let started = Instant::now();
    let found = server.fresh("locate_symbol", &json!({ "name": "reliability_probe" }));
    let edited = started.elapsed();
    std::fs::remove_file(&probe)?;
    ensure!(
        found?["total_candidates"] == 1,
        "an added file is not found"
    );
    std::thread::sleep(Duration::from_secs(10));
    let status = server.fresh("index_status", &json!({}))?;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "tree: {} files, {} symbols; killed after {} s, then indexed in {:.0} s (peak {peak} MB), nothing changed {:.1} s; first answer {:.0} ms, warm p50 {:.1} ms, p95 {:.1} ms, after adding a file {:.0} ms; server holds {} MB, at most {} MB",
        status["file_count"],
        status["symbol_count"],
        killed_after.as_secs(),
        indexed.as_secs_f64(),
        unchanged.as_secs_f64(),
        ms(cold),
        ms(times[times.len() / 2]),
        ms(times[times.len() * 95 / 100]),
        ms(edited),
        memory_mb(server.id(), "VmRSS"),
        memory_mb(server.id(), "VmHWM"),
    );
    Ok(())
}
