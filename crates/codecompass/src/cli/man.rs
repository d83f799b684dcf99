//! `codecompass man`: the manual page, from the definitions of the commands themselves.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;

/// Print the manual page
#[derive(Args)]
pub struct Arguments {
    /// Write a page for every command into this directory instead
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.directory {
        Some(directory) => {
            fs::create_dir_all(&directory)
                .with_context(|| format!("cannot write into {}", directory.display()))?;
            clap_mangen::generate_to(super::command(), &directory)
                .with_context(|| format!("cannot write into {}", directory.display()))?;
        }
        None => clap_mangen::Man::new(super::command()).render(&mut std::io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
