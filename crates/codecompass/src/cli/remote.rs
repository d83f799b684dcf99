//! `codecompass remote`: looks after the remote store.

use std::{process::ExitCode, time::Duration};

use clap::{Args, Subcommand};

use super::{
    NOTHING, Settings,
    paint::count,
    session::{self, DirectoryArg},
};
use crate::remote_index;

/// Look after the remote store
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: RemoteCommand,
}

#[derive(Subcommand)]
enum RemoteCommand {
    Gc(GcArguments),
    Show(ShowArguments),
}

/// Remove what no published ref needs any more
#[derive(Args)]
struct GcArguments {
    /// How long something must have been unneeded; longer than any publisher runs
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = parse_time)]
    grace: Duration,
    #[arg(long)]
    json: bool,
}

/// Show what is published of a repository
#[derive(Args)]
struct ShowArguments {
    #[command(flatten)]
    place: DirectoryArg,
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    match arguments.command {
        RemoteCommand::Gc(arguments) => collect(&arguments, settings),
        RemoteCommand::Show(arguments) => show(&arguments, settings),
    }
}

fn collect(arguments: &GcArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let remote = remote_index::required(&settings.config(None)?)?;
    let done = remote.collect_garbage(arguments.grace)?;
    if arguments.json {
        session::print_json(&done)?;
    } else {
        print_line!(
            "{} refs need {} objects of {} bytes; {} objects of {} bytes removed, {} wait for the grace period to end",
            count(done.manifests),
            count(done.live),
            count(done.live_bytes),
            count(done.removed),
            count(done.removed_bytes),
            count(done.waiting),
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn show(arguments: &ShowArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let remote = remote_index::required(&arguments.place.config(settings)?)?;
    let workspace = arguments.place.workspace(settings)?;
    let repository = remote_index::name_of(&remote, &workspace);
    let manifests = remote.manifests(&repository)?;
    if arguments.json {
        session::print_json(&manifests)?;
    } else {
        for manifest in &manifests {
            let commit = manifest
                .commit()
                .map_or_else(String::new, |id| id.to_string());
            print_line!("{} {} {commit}", manifest.repository, manifest.reference);
        }
    }
    if manifests.is_empty() {
        eprintln!("nothing is published of {repository} in {}", remote.url());
        return Ok(NOTHING);
    }
    Ok(ExitCode::SUCCESS)
}

/// `90s`, `30m`, `12h`, `7d`
fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write it as 90s, 30m, 12h or 7d");
    let unit = text.char_indices().next_back().ok_or_else(wrong)?;
    let seconds = match unit.1 {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..unit.0].parse().map_err(|_| wrong())?;
    number
        .checked_mul(seconds)
        .map(Duration::from_secs)
        .ok_or_else(wrong)
}
