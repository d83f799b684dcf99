//! `codecompass conflicts`: what lines of work do to one another although git merges them.

use std::{io::Write, process::ExitCode};

use answers::change::{ChangeVerdict, ConflictReport, LineOfWork};
use clap::{Args, ValueEnum};
use tools::change::{conflict_text, conflicts_json};

use super::{
    Settings,
    session::{self, AtRef, CliSession, DirectoryArg},
};

/// Tell what the working tree and other branches, working trees or overlays break of one another
///
/// Without a name: all other working trees of the repository, and the local branches that are not merged into HEAD.
///
/// Exit status: 0 nothing certain breaks, 1 something does, 2 an error, 3 not everything was looked at.
#[derive(Args)]
pub struct Arguments {
    /// Branches, commits, directories of working trees, or overlays
    #[arg(value_name = "REF|WORKTREE")]
    others: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    format: ConflictFormat,
    /// Work for at most so long; what was not looked at is then said
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    #[command(flatten)]
    place: DirectoryArg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ConflictFormat {
    #[default]
    Text,
    Json,
}

/// Lines of work that are compared when none is named.
const MOST_OTHERS: usize = 50;

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let at = AtRef {
        place: arguments.place.clone(),
        reference: None,
    };
    let cli = CliSession::open_synced(&at, settings)?;
    let opening = cli.opening(arguments.timeout);
    let mut others: Vec<LineOfWork> = match arguments.others.as_slice() {
        [] => opening.other_works(),
        named => named.iter().map(|name| opening.work(name)).collect(),
    };
    let n_left = others.len().saturating_sub(MOST_OTHERS);
    others.truncate(MOST_OTHERS);
    let mut reports: Vec<ConflictReport> = Vec::new();
    for other in &others {
        match opening.conflicts(&LineOfWork::WorkingTree, other) {
            Ok(report) => reports.push(report),
            Err(error) if arguments.others.is_empty() => {
                eprintln!("note: {} is left out: {error}", other.name());
            }
            Err(error) => return Err(error.into()),
        }
    }
    if arguments.format == ConflictFormat::Json {
        session::print_json(&conflicts_json(&reports))?;
    } else {
        let mut output = std::io::stdout().lock();
        for report in &reports {
            output.write_all(conflict_text(report).as_bytes())?;
        }
        if others.is_empty() {
            writeln!(
                output,
                "there is no other working tree and no unmerged branch"
            )?;
        }
        if n_left > 0 {
            writeln!(output, "{n_left} more branches are not compared: name them")?;
        }
    }
    let verdicts = reports.iter().map(ConflictReport::verdict);
    let verdict = verdicts.fold(ChangeVerdict::Passes, ChangeVerdict::and);
    Ok(super::check::status(match n_left {
        0 => verdict,
        _ => verdict.and(ChangeVerdict::Incomplete),
    }))
}
