//! What the program withstands: each subcommand drives the real program, checks its answers against
//! a repository whose contents are known, and prints one line with what was done and found.
//!
//! ```text
//! reliability kill     CODECOMPASS [ROUNDS]              kill -9 at random points of index runs, syncs and answers, under edits
//! reliability soak     CODECOMPASS [MINUTES] [CLIENTS] [PAUSE_MS]
//!                                                        one server over HTTP: questions, edits, branch switches, worktrees
//! reliability full     CODECOMPASS [KIB]                 index runs on a disk of every size, in steps of so many KiB (as root)
//! reliability clock    CODECOMPASS                       the clock jumps while a server runs (needs cc)
//! reliability versions CODECOMPASS OTHER                 two versions of the program use one index in turn and at once
//! reliability tree     CODECOMPASS DIRECTORY             a large tree: index killed in the middle, sync, answers, memory
//! ```
//!
//! `RELIABILITY_SEED` repeats a run. docs/reliability.md has the results.

mod clock;
mod full;
mod kill;
mod repository;
mod server;
mod soak;
mod tree;
mod versions;

use std::path::Path;

use anyhow::{Context, bail};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: Option<&&str>, default: u64| match text {
        Some(text) => text
            .parse()
            .with_context(|| format!("`{text}` is no number")),
        None => Ok(default),
    };
    match texts.as_slice() {
        ["kill", program, more @ ..] => kill::run(Path::new(program), number(more.first(), 500)?),
        ["soak", program, more @ ..] => soak::run(
            Path::new(program),
            number(more.first(), 120)?,
            number(more.get(1), 20)?,
            number(more.get(2), 400)?,
        ),
        ["full", program, more @ ..] => full::run(Path::new(program), number(more.first(), 4)?),
        ["clock", program] => clock::run(Path::new(program)),
        ["versions", program, other] => versions::run(Path::new(program), Path::new(other)),
        ["tree", program, directory] => tree::run(Path::new(program), Path::new(directory)),
        _ => bail!("see the first lines of crates/codecompass/examples/reliability/main.rs"),
    }
}

/// Numbers that a seed decides.
pub struct Random(u64);

impl Random {
    pub fn seeded() -> Random {
        let seed = std::env::var("RELIABILITY_SEED").ok();
        let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |since| since.as_nanos() as u64)
        });
        eprintln!("RELIABILITY_SEED={seed}");
        Random(seed | 1)
    }

    /// For another thread.
    pub fn split(&mut self) -> Random {
        Random(self.next() | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to `end`, without it.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}
