//! `codecompass related`: what is near a symbol.

use std::{io::Write, process::ExitCode};

use answers::{lookup::Wanted, related::RelatedSymbols};
use clap::{Args, ValueEnum};
use engine::query::RelatedWithin;

use super::{
    Settings, found,
    paint::Paint,
    session::{self, CliSession, NamedArg},
};

/// List the symbols near a symbol: of its file, module or package, and imported ones
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: NamedArg,
    #[arg(long, value_enum, default_value_t = RelatedScope::File)]
    scope: RelatedScope,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: u32,
    /// The answer that `find_related_symbols` gives over MCP
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum RelatedScope {
    File,
    Module,
    Package,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.named.at, settings)?;
    let (word, scope) = match arguments.scope {
        RelatedScope::File => ("file", RelatedWithin::File),
        RelatedScope::Module => ("module", RelatedWithin::Module),
        RelatedScope::Package => ("package", RelatedWithin::Package),
    };
    if arguments.json {
        let call = arguments.named.call(&cli, "find_related_symbols");
        return call
            .with("scope", word)
            .with("limit", arguments.limit)
            .print();
    }
    let session = cli.session()?;
    let meant = arguments.named.lookup(&cli, &session, Wanted::Anything)?;
    let meant = meant.first_alone();
    let limit = arguments.limit as usize;
    let related = RelatedSymbols::of(&session, meant.first(), scope, limit);
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for (info, relation) in &related.shown {
        let relation = relation.as_str().replace('_', " ");
        writeln!(output, "{}  {relation}", cli.line(paint, info))?;
    }
    cli.note_others(&session, &meant);
    session::note(&session, &meant, related.cut);
    let (n_shown, total) = (related.shown.len(), related.total);
    if total > n_shown {
        eprintln!("{n_shown} of {total} shown; --limit shows more");
    }
    Ok(found(n_shown > 0))
}
