//! `codecompass publish`: indexes a commit and puts it where other machines find it.

use std::{process::ExitCode, time::Instant};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::{
    Settings,
    paint::count,
    progress,
    session::{self, DirectoryArg},
};
use crate::remote_index;

/// Publish the index of a commit to the remote store
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
    /// A branch, tag or commit; what is checked out if absent
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// The name to publish it under; the branch, or what --ref says, if absent
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Make it the ref that is meant where a question names none
    #[arg(long)]
    default: bool,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct PublishedRow {
    repository: String,
    #[serde(rename = "ref")]
    reference: String,
    commit: String,
    files: u64,
    new_contents: u64,
    packs_written: u64,
    bytes_written: u64,
    requests: u64,
    seconds: f64,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let config = arguments.place.config(settings)?;
    let remote = remote_index::required(&config)?;
    let workspace = arguments.place.workspace(settings)?;
    let started = Instant::now();
    let asked = arguments.reference.as_deref();
    let commit = workspace
        .commit(asked.unwrap_or("HEAD"))
        .context("only commits are published")?;
    let reference = match (arguments.name, asked) {
        (Some(name), _) => name,
        (None, Some(name)) if name != "HEAD" => name.to_owned(),
        _ => match workspace.head().branch {
            Some(branch) => branch,
            None => bail!("no branch is checked out: say with --as NAME what to publish it as"),
        },
    };
    // By its id: the name of the checked-out branch would mean the working tree.
    progress::take_in(&workspace, Some(&commit.to_string()), false)?;
    let (view, _) = workspace.index_commit(commit, false, &Default::default(), |_| ())?;
    let repository = remote_index::name_of(&remote, &workspace);
    let report = remote.publish(&workspace, &view, &repository, &reference)?;
    if arguments.default {
        remote.set_default(&repository, &reference)?;
    }
    let row = PublishedRow {
        repository,
        reference,
        commit: commit.to_string(),
        files: report.files,
        new_contents: report.new_contents,
        packs_written: report.packs_written,
        bytes_written: report.bytes_written,
        requests: remote.traffic().requests,
        seconds: (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    };
    if arguments.json {
        session::print_json(&row)?;
    } else {
        print_line!(
            "{} {} is {}: {} files, {} of them new, {} bytes written in {:.2} s",
            row.repository,
            row.reference,
            row.commit,
            count(row.files),
            count(row.new_contents),
            count(row.bytes_written),
            row.seconds,
        );
    }
    Ok(ExitCode::SUCCESS)
}
