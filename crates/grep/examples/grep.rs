//! Searches the current directory with ripgrep's arguments.

use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

use grep_command::{GrepOptions, WorkingDirectory};

fn main() -> io::Result<ExitCode> {
    let tree = WorkingDirectory::new(".")?.skip_stdout();
    let mut out = io::stdout();
    let options = GrepOptions {
        is_terminal: out.is_terminal(),
        ..GrepOptions::default()
    };
    let arguments = std::env::args_os().skip(1);
    let exit = grep_command::run(arguments, &tree, &options, &mut out, &mut io::stderr());
    Ok(ExitCode::from(exit.status()))
}
