//! `codecompass init`: remembers a workspace. Nothing is written into the repository.

use std::process::ExitCode;

use clap::Args;

use super::{Settings, asking::Place};

/// Register a repository, so that servers can read it ahead
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let options = arguments.place.config(settings)?.workspace_options();
    let workspaces = workspace::Workspaces::new(options, None);
    let workspace = workspaces.register(&arguments.place.directory()?)?;
    println!("registered {}", workspace.root().display());
    if let Some(directory) = workspace.index_directory() {
        println!(
            "its index lives in {}; nothing is written into the repository",
            directory.display()
        );
    }
    println!("next: `codecompass index`, or just ask: `codecompass search \"...\"`");
    Ok(ExitCode::SUCCESS)
}
