//! `codecompass dead`: functions and types that nothing uses, proven or open.

use std::{io::Write, process::ExitCode};

use answers::{
    Session, SymbolInfo,
    dead_code::{self, DeadCode, DeadScope},
    lookup,
};
use clap::Args;
use engine::SymbolId;
use serde::Serialize;

use super::{
    Settings, found,
    paint::{Paint, count, plain},
    session::{self, AtRef, CliSession, SymbolRow},
};

/// List functions and types that nothing uses
///
/// `proven`: no entry point reaches it, and every occurrence of its name is accounted for. `open`:
/// nothing refers to it, and something that the text does not show may still use it.
#[derive(Args)]
pub struct Arguments {
    /// A file or a directory; the whole repository if absent
    target: Option<String>,
    #[command(flatten)]
    at: AtRef,
    /// Leave out what is open
    #[arg(long)]
    proven: bool,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 500)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.at, settings)?;
    let session = cli.session()?;
    let path = arguments.target.as_deref().unwrap_or_default();
    let path = match path {
        "" | "." => cli.repository_path("."),
        path => cli.repository_path(path.trim_end_matches('/')),
    };
    let path = if path == "." { String::new() } else { path };
    let is_known = session.snapshot().find(&path).is_some()
        || session.snapshot().below(&path).next().is_some();
    if !is_known {
        return Err(lookup::missing_file(&session, &path).into());
    }
    let mut answer = dead_code::dead_code(&session, DeadScope::Below(&path));
    if arguments.proven {
        answer.open.clear();
    }
    if arguments.json {
        session::print_json(&DeadAnswer::of(&session, &answer))?;
    } else {
        print(&cli, &session, &answer, arguments.limit as usize)?;
    }
    session::note_gaps(&session, answer.cut);
    if answer.cut.is_some() {
        eprintln!("note: not every symbol was looked at; ask about a directory");
    }
    Ok(found(!answer.proven.is_empty() || !answer.open.is_empty()))
}

fn print(
    cli: &CliSession,
    session: &Session,
    answer: &DeadCode,
    limit: usize,
) -> anyhow::Result<()> {
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    let proven = answer.proven.iter().map(|symbol| (*symbol, None));
    let open = answer
        .open
        .iter()
        .map(|open| (open.symbol, Some(open.why.text(session))));
    for (symbol, why) in proven.chain(open).take(limit) {
        let Some(info) = SymbolInfo::of(session, symbol) else {
            continue;
        };
        let line = cli.line(paint, &info);
        match why {
            None => writeln!(output, "{line}  {}", paint.bad("proven"))?,
            Some(why) => writeln!(output, "{line}  open: {}", plain(&why))?,
        }
    }
    let (n_proven, n_open) = (answer.proven.len(), answer.open.len());
    if n_proven + n_open > limit {
        eprintln!("{limit} of {} shown; --limit shows more", n_proven + n_open);
    }
    eprintln!(
        "{n_proven} proven, {n_open} open, of {} functions and types",
        count(answer.n_examined as u64)
    );
    Ok(())
}

#[derive(Serialize)]
struct DeadAnswer {
    proven: Vec<DeadRow>,
    open: Vec<DeadRow>,
    examined: usize,
    complete: bool,
}

#[derive(Serialize)]
struct DeadRow {
    #[serde(flatten)]
    symbol: SymbolRow,
    /// With its decorators and the comment before them, from 1.
    first_line: u32,
    last_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Where the documentation of a symbol starts, or the symbol itself.
fn first_line(session: &Session, symbol: SymbolId) -> u32 {
    session.facts(symbol.file).map_or(u32::MAX, |facts| {
        let declared = facts.symbol(symbol.index);
        let doc = declared.doc.unwrap_or(declared.span);
        facts.lines.line_number(doc.start.min(declared.span.start))
    })
}

impl DeadAnswer {
    fn of(session: &Session, answer: &DeadCode) -> DeadAnswer {
        let row = |symbol, why| {
            let info = SymbolInfo::of(session, symbol)?;
            Some(DeadRow {
                first_line: first_line(session, symbol).min(info.lines.0),
                last_line: info.lines.1,
                symbol: SymbolRow::of(&info),
                why,
            })
        };
        let proven = answer.proven.iter().filter_map(|symbol| row(*symbol, None));
        let open = answer.open.iter();
        DeadAnswer {
            proven: proven.collect(),
            open: open
                .filter_map(|open| row(open.symbol, Some(open.why.text(session))))
                .collect(),
            examined: answer.n_examined,
            complete: answer.cut.is_none(),
        }
    }
}
