//! `codecompass completions`: for shells, from the definitions of the commands themselves.

use std::process::ExitCode;

use clap::Args;

/// Print completions for a shell
#[derive(Args)]
pub struct Arguments {
    shell: clap_complete::Shell,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    clap_complete::generate(
        arguments.shell,
        &mut super::command(),
        "codecompass",
        &mut std::io::stdout(),
    );
    Ok(ExitCode::SUCCESS)
}
