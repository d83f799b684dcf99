//! `codecompass pull`: reads a published index into the local cache, so that questions about it need
//! no network.

use std::{process::ExitCode, time::Instant};

use clap::Args;
use serde::Serialize;
use workspace::PublishedCommit as _;

use super::{
    NOTHING, Settings,
    paint::count,
    session::{self, DirectoryArg},
};
use crate::remote_index;

/// Read a published index from the remote store
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
    /// The published name; the checked-out branch, else the repository's default, if absent
    #[arg(long = "ref", value_name = "NAME")]
    reference: Option<String>,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct PulledRow {
    repository: String,
    commit: String,
    files: u64,
    bytes_read: u64,
    requests: u64,
    seconds: f64,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let config = arguments.place.config(settings)?;
    let remote = remote_index::required(&config)?;
    let workspace = arguments.place.workspace(settings)?;
    let started = Instant::now();
    let repository = remote_index::name_of(&remote, &workspace);
    let found = match &arguments.reference {
        Some(name) => remote.find(&repository, Some(name))?,
        None => {
            let branch = workspace.head().branch;
            let of_branch = match &branch {
                Some(branch) => remote.find(&repository, Some(branch))?,
                None => None,
            };
            match of_branch {
                Some(found) => Some(found),
                None => remote.find(&repository, None)?,
            }
        }
    };
    let Some(commit) = found else {
        eprintln!("nothing is published of {repository}; `codecompass publish` does it");
        return Ok(NOTHING);
    };
    commit.pull()?;
    let row = PulledRow {
        repository,
        commit: commit.commit().to_string(),
        files: commit.tree().files.len() as u64,
        bytes_read: remote.traffic().bytes_read,
        requests: remote.traffic().requests,
        seconds: (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    };
    if arguments.json {
        session::print_json(&row)?;
    } else {
        print_line!(
            "{} at {}: {} files, {} bytes read in {:.2} s",
            row.repository,
            row.commit,
            count(row.files),
            count(row.bytes_read),
            row.seconds
        );
    }
    Ok(ExitCode::SUCCESS)
}
