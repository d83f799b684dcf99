//! `codecompass compare`: what became of a symbol between two commits.

use std::{io::Write, process::ExitCode};

use answers::{
    At,
    compare::{CompareError, SymbolChange, compare},
    symbol::signature,
};
use anyhow::bail;
use clap::Args;

use super::{
    Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession, DirectoryArg},
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
    place: DirectoryArg,
    /// The file that defines it on either side, where several define the name
    #[arg(long = "in", value_name = "FILE")]
    file: Option<String>,
    /// The answer that `compare_symbol_between_commits` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let at = AtRef {
        place: arguments.place,
        reference: None,
    };
    let cli = CliSession::open_synced(&at, settings)?;
    let file = arguments.file.map(|file| cli.repository_path(&file));
    if arguments.json {
        let call = cli
            .call("compare_symbol_between_commits")
            .with("path", file);
        let call = call.with("symbol_name", arguments.symbol);
        return call
            .with("base_ref", arguments.base)
            .with("head_ref", arguments.head)
            .print();
    }
    let base = cli.open(At::Commit(&arguments.base))?;
    let head = cli.open(At::Commit(&arguments.head))?;
    let found = match compare(&base, &head, &arguments.symbol, file.as_deref()) {
        Ok(found) => found,
        Err(CompareError::Unreadable) => bail!("the text of a file is no longer here"),
        Err(CompareError::Lookup { error, in_base }) => {
            let side = if in_base { &base } else { &head };
            return Err(cli.refuse(side, &arguments.symbol, error));
        }
    };
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for (session, version, mark) in [(&base, &found.base, '-'), (&head, &found.head, '+')] {
        if let Some(info) = version {
            let (line, column) = info.name_position;
            let place = paint.place(&cli.seen(&info.path), line, column);
            let signature = signature(session, info.anchor);
            let text = signature.as_deref().unwrap_or(&info.name);
            writeln!(output, "{mark} {place}: {}", plain(text))?;
        }
    }
    let status = found.change.as_str();
    match found.change {
        SymbolChange::Modified {
            difference,
            matched_by,
        } => writeln!(
            output,
            "{status}: {} lines added, {} removed; matched by {}",
            difference.lines_added,
            difference.lines_removed,
            matched_by.as_str().replace('_', " ")
        )?,
        _ => writeln!(output, "{status}")?,
    }
    session::note_gaps(&head, head.budget.cut());
    Ok(ExitCode::SUCCESS)
}
