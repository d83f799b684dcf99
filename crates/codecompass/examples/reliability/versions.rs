//! Two versions of the program on one index: in turn, and at once. A version may refuse an index of
//! a newer one, in words; neither may answer wrongly.

use std::{path::Path, time::Instant};

use anyhow::Context;

use crate::{Random, kill::check_database, repository::Repository, server::Server};

const N_FILES: usize = 100;
const TURNS: usize = 10;

pub fn run(program: &Path, other: &Path) -> anyhow::Result<()> {
    let mut random = Random::seeded();
    let repository = Repository::new(N_FILES)?;
    let home = tempfile::tempdir()?;
    let started = Instant::now();
    let mut n_refused = 0;
    let check = |server: &mut Server, n_refused: &mut u64| -> anyhow::Result<()> {
        let answer = server.call("locate_symbol", &serde_json::json!({ "name": "helper_1" }))?;
        if answer.to_string().contains("newer") {
            *n_refused += 1;
            return Ok(());
        }
        repository.check(server, 0..N_FILES)
    };
    // The other one, which is the older, comes first: what follows is an upgrade.
    for turn in 0..TURNS {
        for (program, which) in [(other, "the other"), (program, "this")] {
            let mut server = Server::start(program, repository.root(), home.path())?;
            check(&mut server, &mut n_refused)
                .with_context(|| format!("{which} version, turn {turn}"))?;
            repository.edit(random.below(N_FILES))?;
        }
    }
    let mut servers = [
        Server::start(other, repository.root(), home.path())?,
        Server::start(program, repository.root(), home.path())?,
    ];
    for turn in 0..TURNS {
        for server in &mut servers {
            repository.edit(random.below(N_FILES))?;
            check(server, &mut n_refused).with_context(|| format!("at once, turn {turn}"))?;
        }
    }
    drop(servers);
    check_database(home.path())?;
    println!(
        "versions: {TURNS} turns each and {TURNS} at once in {:.0} s, {n_refused} refused as newer, no wrong answer",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}
