//! `codecompass outline`: the symbols of a file.

use std::{io::Write, process::ExitCode};

use answers::outline::{Outline, OutlineEntry, OutlineSymbol};
use anyhow::bail;
use clap::Args;

use super::{
    Settings, found,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession, FirstIndex},
};

/// List the symbols of a file
#[derive(Args)]
pub struct Arguments {
    file: String,
    #[command(flatten)]
    at: AtRef,
    /// Only what is directly in the file
    #[arg(long)]
    top: bool,
    /// The answer that `get_file_outline` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(
    arguments: &Arguments,
    settings: &Settings,
    first_index: FirstIndex,
) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_with(&arguments.at, settings, first_index)?;
    let path = cli.repository_path(&arguments.file);
    if arguments.json {
        let depth = if arguments.top { "top" } else { "all" };
        let call = cli.call("get_file_outline").with("path", path);
        return call.with("depth", depth).print();
    }
    let session = cli.session()?;
    let file = cli.file(&session, &path);
    cli.check(&session)?;
    let file = file?;
    let outline = Outline::of(&session, file, !arguments.top);
    cli.check(&session)?;
    let Some(outline) = outline else {
        bail!("the facts of {path} cannot be read; run `codecompass index --force`")
    };
    let mut output = std::io::stdout().lock();
    for entry in &outline.entries {
        if let OutlineEntry::Symbol(symbol) = entry {
            show(&mut output, &cli.seen(session.path(file)), symbol, 0)?;
        }
    }
    if outline.n_problems > 0 {
        let n = outline.n_problems;
        eprintln!("note: the file has {n} syntax problems; the outline covers its sound parts");
    }
    session::note_gaps(&session, outline.cut);
    Ok(found(!outline.entries.is_empty()))
}

fn show(
    output: &mut impl Write,
    path: &str,
    symbol: &OutlineSymbol,
    depth: usize,
) -> anyhow::Result<()> {
    let paint = Paint::stdout();
    let (line, column) = symbol.info.name_position;
    writeln!(
        output,
        "{}: {}{} {}  {}",
        paint.place(path, line, column),
        "  ".repeat(depth),
        paint.kind(session::kind(&symbol.info)),
        paint.name(&symbol.info.name),
        plain(symbol.signature.as_deref().unwrap_or_default())
    )?;
    for child in &symbol.children {
        show(output, path, child, depth + 1)?;
    }
    Ok(())
}
