//! `codecompass outline`: the symbols of a file.

use std::{io::Write, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use super::{
    NOTHING, Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession},
};

/// List the symbols of a file
#[derive(Args)]
pub struct Arguments {
    file: String,
    #[command(flatten)]
    at: AtRef,
    /// Only what stands directly in the file
    #[arg(long)]
    top: bool,
    /// The answer that `get_file_outline` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.at, settings)?;
    let path = cli.repository_path(&arguments.file);
    let call = json!({ "path": path, "depth": if arguments.top { "top" } else { "all" } });
    let answer = match cli.ask("get_file_outline", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let symbols = answer["symbols"].as_array().cloned().unwrap_or_default();
    if arguments.json {
        session::print_json(&answer)?;
    } else {
        let session = cli.session()?;
        let file = cli.seen(answer["file_path"].as_str().unwrap_or(&path));
        let mut output = std::io::stdout().lock();
        for symbol in symbols.iter().filter(|symbol| symbol["kind"] != "use") {
            show(&mut output, &session, &file, symbol, 0)?;
        }
        session::warn(&answer);
    }
    Ok(if symbols.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}

fn show(
    output: &mut impl Write,
    session: &answers::Session,
    file: &str,
    symbol: &Value,
    depth: usize,
) -> anyhow::Result<()> {
    let paint = Paint::stdout();
    let (line, column) = session::place_of(session, symbol);
    let text = |key: &str| symbol[key].as_str().unwrap_or_default();
    let place = paint.place(file, line, column);
    writeln!(
        output,
        "{place}: {}{} {}  {}",
        "  ".repeat(depth),
        paint.kind(text("kind")),
        paint.name(text("name")),
        plain(text("signature"))
    )?;
    for child in symbol["children"].as_array().into_iter().flatten() {
        show(output, session, file, child, depth + 1)?;
    }
    Ok(())
}
