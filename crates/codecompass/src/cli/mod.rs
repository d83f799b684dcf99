//! The command line: one file per command.

mod call;
mod client;
mod serve_mcp;
mod trust;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::server::log;

/// Answers questions about code, for agents and people.
#[derive(Parser)]
#[command(name = "codecompass", version)]
struct Cli {
    /// Log more to stderr; twice for details.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    ServeMcp(serve_mcp::Arguments),
    Call(call::Arguments),
    Client(client::Arguments),
    Trust(trust::Arguments),
}

pub fn main() -> ExitCode {
    let cli = Cli::parse();
    log::init(cli.verbose);
    let done = match cli.command {
        Command::ServeMcp(arguments) => serve_mcp::run(arguments),
        Command::Call(arguments) => call::run(arguments),
        Command::Client(arguments) => client::run(arguments),
        Command::Trust(arguments) => trust::run(arguments),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", log::redact(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

/// The command itself, for shells' completions and manual pages.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
