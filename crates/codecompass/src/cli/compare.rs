//! `codecompass compare`: what became of a symbol between two commits.

use std::{io::Write, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{
    Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession, Place},
};

/// Show how a symbol changed between two commits
#[derive(Args)]
pub struct Arguments {
    /// `total`, `Cart.total`, or an id that another answer shows
    symbol: String,
    /// A branch, tag or commit
    base: String,
    /// Another; `live` is the working tree
    #[arg(default_value = "live")]
    head: String,
    #[command(flatten)]
    place: Place,
    /// The file that defines it on either side, where several define the name
    #[arg(long = "in", value_name = "FILE")]
    file: Option<String>,
    /// The answer that `compare_symbol_between_commits` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(
        &AtRef {
            place: arguments.place,
            reference: None,
        },
        settings,
    )?;
    let mut call = json!({ "symbol_name": arguments.symbol, "base_ref": arguments.base, "head_ref": arguments.head });
    if let Some(file) = &arguments.file {
        call["path"] = json!(cli.repository_path(file));
    }
    let answer = match cli.ask("compare_symbol_between_commits", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    if arguments.json {
        session::print_json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for (key, mark) in [("base_version", '-'), ("head_version", '+')] {
        let version = &answer[key];
        if let Some(path) = version["path"].as_str() {
            let place = paint.place(
                &cli.seen(path),
                version["line_start"].as_u64().unwrap_or(1),
                1,
            );
            writeln!(
                output,
                "{mark} {place}: {}",
                plain(
                    version["signature"]
                        .as_str()
                        .or(version["name"].as_str())
                        .unwrap_or_default()
                )
            )?;
        }
    }
    let summary = &answer["diff_summary"];
    let status = summary["status"].as_str().unwrap_or_default();
    match (
        summary["lines_added"].as_u64(),
        summary["lines_removed"].as_u64(),
    ) {
        (Some(added), Some(removed)) => {
            let how = summary["matched_by"].as_str().unwrap_or_default();
            writeln!(
                output,
                "{status}: {added} lines added, {removed} removed; matched by {}",
                how.replace('_', " ")
            )?;
        }
        _ => writeln!(output, "{status}")?,
    }
    session::warn(&answer);
    Ok(ExitCode::SUCCESS)
}
