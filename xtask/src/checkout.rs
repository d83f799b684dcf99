//! A checkout of a repository: its commit, and an index of it in memory.

use std::{
    path::Path,
    process::Command,
    sync::{Arc, atomic::AtomicBool},
};

use anyhow::{Context, bail};
use workspace::{Options, Workspace};

pub fn indexed(checkout: &Path) -> anyhow::Result<Arc<Workspace>> {
    let options = Options {
        in_memory: true,
        ..Options::default()
    };
    let workspace = Workspace::open(checkout, options)
        .with_context(|| format!("{} cannot be opened", checkout.display()))?;
    workspace.index_live(false, &AtomicBool::new(false), |_| {})?;
    Ok(workspace)
}

pub fn commit_of(checkout: &Path) -> anyhow::Result<String> {
    let output = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(checkout)
        .output()?;
    if !output.status.success() {
        bail!("{} is no git repository", checkout.display());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
