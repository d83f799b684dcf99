//! Clock jumps: the wall clock of a running server goes forward and back by years, and so do the
//! times of files.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    Random,
    repository::Repository,
    server::{Server, command, index},
};

const N_FILES: usize = 100;
/// Seconds from the true time.
const JUMPS: [i64; 12] = [
    0,
    3600,
    -3600,
    86_400,
    -86_400,
    1,
    -1,
    315_360_000,
    -315_360_000,
    // Before 1990, and beyond what 32 bits hold.
    -1_200_000_000,
    2_000_000_000,
    0,
];

pub fn run(program: &Path) -> anyhow::Result<()> {
    let mut random = Random::seeded();
    let repository = Repository::new(N_FILES)?;
    let home = tempfile::tempdir()?;
    let clock = home.path().join("clock");
    let library = build_library(home.path())?;
    let faked = |command: &mut Command| {
        command
            .env("LD_PRELOAD", &library)
            .env("CLOCK_OFFSET_FILE", &clock);
    };
    let set = |seconds: i64| std::fs::write(&clock, seconds.to_string());
    set(0)?;
    let started = Instant::now();
    let mut command_of_server = command(program, home.path());
    faked(&mut command_of_server);
    let mut running = Server::spawn(&mut command_of_server, repository.root())?;
    let mut n_checks = 0;
    for jump in JUMPS {
        set(jump)?;
        for round in 0..3 {
            for _ in 0..5 {
                let i = random.below(N_FILES);
                repository.edit(i)?;
                // Files from the future and the past, as unpacked archives have them.
                let shift = Duration::from_secs(86_400 * 365 * (1 + random.below(20) as u64));
                let time = match random.below(3) {
                    0 => SystemTime::now() + shift,
                    1 => SystemTime::now() - shift,
                    _ => SystemTime::now(),
                };
                File::options()
                    .append(true)
                    .open(repository.path_of(i))?
                    .set_modified(time)?;
            }
            repository.check(&mut running, (0..N_FILES).filter(|i| i % 3 == round))?;
            n_checks += 1;
        }
        // Others that start and index under this clock, on the same index.
        let mut indexing = index(program, repository.root(), home.path());
        faked(&mut indexing);
        anyhow::ensure!(
            indexing.status()?.success(),
            "it does not index at {jump:+} s"
        );
        let mut command_of_server = command(program, home.path());
        faked(&mut command_of_server);
        let mut server = Server::spawn(&mut command_of_server, repository.root())?;
        repository.check(&mut server, 0..N_FILES)?;
        n_checks += 1;
    }
    println!(
        "clock: {} jumps between -38 and +63 years in {:.0} s, {n_checks} checks, no wrong answer",
        JUMPS.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The library that makes the clock wrong, built with the system's compiler.
fn build_library(directory: &Path) -> anyhow::Result<PathBuf> {
    let (source, library) = (directory.join("clock.c"), directory.join("clock.so"));
    std::fs::write(&source, include_str!("clock.c"))?;
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .status()?;
    anyhow::ensure!(built.success(), "cc cannot build {}", source.display());
    Ok(library)
}
