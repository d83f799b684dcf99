//! `codecompass related`: what stands near a symbol.

use std::{io::Write, process::ExitCode};

use answers::{SymbolInfo, lookup::Wanted};
use clap::{Args, ValueEnum};
use engine::query;
use serde_json::json;

use super::{
    NOTHING, Settings,
    paint::Paint,
    session::{self, CliSession, Named},
};

/// List the symbols near a symbol: of its file, module or package, and imported ones
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: Named,
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
        RelatedScope::File => ("file", query::Scope::File),
        RelatedScope::Module => ("module", query::Scope::Module),
        RelatedScope::Package => ("package", query::Scope::Package),
    };
    if arguments.json {
        let call = json!({ "scope": word, "limit": arguments.limit });
        let call = arguments.named.call(&cli, call);
        return cli.print_answer("find_related_symbols", call, "related");
    }
    let session = cli.session()?;
    let meant = match arguments.named.lookup(&cli, &session, Wanted::Anything) {
        Ok(meant) => meant.first_alone(),
        Err(code) => return Ok(code),
    };
    let limit = arguments.limit as usize;
    let found = query::related(&session.resolver(), meant.first(), scope, limit);
    let (related, total) = found.value;
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for (symbol, relation) in &related {
        if let Some(info) = SymbolInfo::of(&session, *symbol) {
            let relation = relation.word().replace('_', " ");
            writeln!(output, "{}  {relation}", cli.line(paint, &info))?;
        }
    }
    session::note(&session, &meant, found.cut);
    if total > related.len() {
        eprintln!("{} of {total} shown; --limit shows more", related.len());
    }
    Ok(if related.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}
