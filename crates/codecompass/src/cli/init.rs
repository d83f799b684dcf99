//! `codecompass init`: registers a repository with the servers of this user. Nothing is written into
//! the repository.

use std::process::ExitCode;

use clap::Args;
use workspace::RepositoryRegistry;

use super::{Settings, session::DirectoryArg};

/// Register a repository: servers started without `--workspace` serve it, too
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let options = arguments.place.config(settings)?.workspace_options();
    let workspace = arguments.place.workspace(settings)?;
    RepositoryRegistry::new(&options).add(workspace.root())?;
    print_line!("registered {}", workspace.root().display());
    if let Some(directory) = workspace.index_directory() {
        print_line!(
            "its index is in {}; nothing is written into the repository",
            directory.display()
        );
    }
    print_line!("next: `codecompass index`, or just ask: `codecompass search \"...\"`");
    Ok(ExitCode::SUCCESS)
}
