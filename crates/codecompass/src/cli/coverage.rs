//! `codecompass coverage`: which frameworks are used here, what was read of them, and what was not.

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;

use super::{
    Settings, found,
    paint::{Paint, count, plain},
    session::{self, AtRef, CliSession},
};

/// Show which frameworks were seen, what was read of them, and what could not be read
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    at: AtRef,
    #[arg(long)]
    json: bool,
}

/// Exit status 1 where no framework is used.
pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::new(&arguments.at, settings)?;
    let rows = tools::codemap::coverage(&cli.session()?);
    if arguments.json {
        session::print_json(&BTreeMap::from([("coverage", &rows)]))?;
        return Ok(found(!rows.is_empty()));
    }
    let paint = Paint::stdout();
    for row in &rows {
        let read: Vec<String> = row
            .extracted
            .iter()
            .map(|(kind, n)| format!("{} {}", count(*n as u64), kind.replace('_', " ")))
            .collect();
        let state = match (row.supported, read.is_empty()) {
            (false, _) => "not supported".to_owned(),
            (true, true) => "nothing found".to_owned(),
            (true, false) => read.join(", "),
        };
        print_line!("{:<14} {state}", paint.name(row.framework));
        if row.supported && row.not_understood > 0 {
            print_line!(
                "{:<14} {} not understood",
                "",
                count(row.not_understood as u64)
            );
        }
        for place in &row.places {
            print_line!(
                "{:<14} {}:{}",
                "",
                plain(&cli.seen(&place.file_path)),
                place.line
            );
        }
    }
    if rows.is_empty() {
        print_line!("no framework that is known");
    }
    Ok(found(!rows.is_empty()))
}
