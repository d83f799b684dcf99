//! `codecompass related`: what stands near a symbol.

use std::{io::Write, process::ExitCode};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{
    NOTHING, Settings,
    paint::{Paint, plain},
    session::{self, CliSession, Named},
};

/// List the symbols near a symbol: of its file, module or package, and imported ones
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: Named,
    #[arg(long, value_enum, default_value_t = Scope::File)]
    scope: Scope,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: u32,
    /// The answer that `find_related_symbols` gives over MCP
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scope {
    File,
    Module,
    Package,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.named.at, settings)?;
    let scope = match arguments.scope {
        Scope::File => "file",
        Scope::Module => "module",
        Scope::Package => "package",
    };
    let call = arguments
        .named
        .call(&cli, json!({ "scope": scope, "limit": arguments.limit }));
    let answer = match cli.ask("find_related_symbols", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let none = Vec::new();
    let related = answer["related"].as_array().unwrap_or(&none);
    if arguments.json {
        session::print_json(&answer)?;
    } else {
        let paint = Paint::stdout();
        let mut output = std::io::stdout().lock();
        for item in related {
            let text = |key: &str| item[key].as_str().unwrap_or_default();
            let place = paint.place(
                &cli.seen(text("path")),
                item["line_start"].as_u64().unwrap_or(1),
                1,
            );
            let name = paint.name(text("qualified_name"));
            writeln!(
                output,
                "{place}: {} {name}  {}",
                paint.kind(text("kind")),
                plain(&text("relation").replace('_', " "))
            )?;
        }
        session::warn(&answer);
        let total = answer["total_found"].as_u64().unwrap_or(0);
        if total > related.len() as u64 {
            eprintln!("{} of {total} shown; --limit shows more", related.len());
        }
    }
    Ok(if related.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}
