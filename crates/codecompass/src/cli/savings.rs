//! `codecompass savings`: what answers have spared their readers, added up.

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;

use super::{
    Settings, found,
    paint::count,
    session::{self, AtRef, CliSession, DirectoryArg},
};

/// Show how many tokens the answers about a repository have saved
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
    /// Count the tokens of all files, and show how far the ratio that savings are worked out with
    /// is off in each language
    #[arg(long)]
    calibrate: bool,
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    if arguments.calibrate {
        return calibrate(arguments, settings);
    }
    let workspace = arguments.place.workspace(settings)?;
    let totals = workspace.store().savings()?;
    let total = |name: &str| {
        totals
            .iter()
            .find(|(known, _)| known == name)
            .map_or(0.0, |(_, value)| *value)
    };
    if arguments.json {
        session::print_json(&totals.iter().cloned().collect::<BTreeMap<_, _>>())?;
    } else if total("answers") == 0.0 {
        print_line!("no answers yet");
    } else {
        print_line!("{} answers", count(total("answers") as u64));
        print_line!(
            "{} tokens of source that nobody had to read",
            count(total("tokens_saved") as u64)
        );
        print_line!(
            "{:.2} US dollars, at the price of CODECOMPASS_PRICE_PER_MILLION_TOKENS",
            total("cost_avoided")
        );
    }
    Ok(found(total("answers") != 0.0))
}

fn calibrate(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let at = AtRef {
        place: arguments.place,
        ..AtRef::default()
    };
    let cli = CliSession::new(&at, settings)?;
    let rows = tools::codemap::calibration(&cli.session()?);
    if arguments.json {
        session::print_json(&BTreeMap::from([("calibration", &rows)]))?;
    } else {
        print_line!(
            "{:<14} {:>7} {:>12} {:>12} {:>9} {:>9} {:>8}",
            "language",
            "files",
            "bytes",
            "tokens",
            "measured",
            "assumed",
            "error"
        );
        for row in &rows {
            let (measured, assumed) = (row.measured_bytes_per_token, row.assumed_bytes_per_token);
            let error = row.error * 100.0;
            print_line!(
                "{:<14} {:>7} {:>12} {:>12} {measured:>9.2} {assumed:>9.2} {error:>7.1}%",
                row.language,
                row.files,
                row.bytes,
                row.tokens
            );
        }
    }
    Ok(found(!rows.is_empty()))
}
