//! `codecompass trust`: whose code may run.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use crate::{paths, trust::Trust};

/// Allow language servers in a workspace, which may run its code
#[derive(Args)]
pub struct Arguments {
    /// The workspace; what lies below it is trusted with it
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Show the trusted workspaces instead
    #[arg(long, conflicts_with = "remove")]
    list: bool,
    /// Trust it no longer
    #[arg(long)]
    remove: bool,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut trust = Trust::load(&paths::config()?)?;
    if arguments.list {
        for directory in trust.directories() {
            print_line!("{}", directory.display());
        }
    } else if arguments.remove {
        if !trust.remove(&arguments.directory)? {
            eprintln!("{} was not trusted", arguments.directory.display());
            return Ok(ExitCode::FAILURE);
        }
    } else {
        let real = trust.add(&arguments.directory)?;
        print_line!("trusted: {}", real.display());
    }
    Ok(ExitCode::SUCCESS)
}
