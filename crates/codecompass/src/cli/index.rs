//! `codecompass index` and `codecompass sync`: brings the index into step, and waits for it.

use std::{path::Path, process::ExitCode, time::Instant};

use clap::Args;
use serde::Serialize;

use super::{
    Settings,
    paint::count,
    progress,
    session::{self, AtRef},
};

/// Index the working tree, or a branch, tag or commit
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    at: AtRef,
    /// Read everything again
    #[arg(long)]
    force: bool,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct IndexedRow<'a> {
    repo_root: &'a Path,
    files: u64,
    changed: u64,
    read: u64,
    extracted: u64,
    skipped: u64,
    seconds: f64,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let workspace = arguments.at.place.workspace(settings)?;
    let started = Instant::now();
    let report = progress::take_in(
        &workspace,
        arguments.at.reference.as_deref(),
        arguments.force,
    )?;
    let seconds = started.elapsed().as_secs_f64();
    if arguments.json {
        session::print_json(&IndexedRow {
            repo_root: workspace.root(),
            files: report.files,
            changed: report.changed,
            read: report.read,
            extracted: report.extracted,
            skipped: report.skipped,
            seconds: (seconds * 1000.0).round() / 1000.0,
        })?;
    } else {
        let what = if report.changed == 0 {
            "nothing changed".to_owned()
        } else {
            format!(
                "{} changed, {} read",
                count(report.changed),
                count(report.read)
            )
        };
        print_line!(
            "{} files in {seconds:.2} s: {what}, {} skipped",
            count(report.files),
            count(report.skipped)
        );
        if report.skipped > 0 {
            print_line!("`codecompass status --skipped` tells which, and why");
        }
    }
    Ok(ExitCode::SUCCESS)
}
