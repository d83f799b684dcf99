//! `cargo xtask package`: runs the crate `package`, which is built without the engine.

use std::{env, process::Command};

use anyhow::Context as _;

pub fn run(arguments: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "--locked", "--package", "package", "--"])
        .args(arguments)
        .status()
        .context("cannot run cargo")?;
    // It has said what is wrong.
    std::process::exit(status.code().unwrap_or(2))
}
