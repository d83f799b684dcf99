//! `codecompass hierarchy`: what a type extends and implements, and what extends or implements it.

use std::{io::Write, process::ExitCode};

use answers::{SymbolInfo, lookup::Wanted};
use clap::Args;
use engine::query::{self, Related};
use serde_json::json;

use super::{
    NOTHING, Settings,
    graph::{Drawing, Format},
    paint::{Paint, plain},
    session::{self, AtRef, CliSession},
};

/// List the types above and below a type
#[derive(Args)]
pub struct Arguments {
    /// `Cart`, `shop.Cart`, or an id that another answer shows
    symbol: String,
    #[command(flatten)]
    at: AtRef,
    /// The file that defines it, where several define the name
    #[arg(long = "in", value_name = "FILE")]
    file: Option<String>,
    /// Draw the graph instead of listing it
    #[arg(long, value_enum, conflicts_with = "json")]
    format: Option<Format>,
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.at, settings)?;
    let session = cli.session()?;
    let symbol = match cli.lookup(
        &session,
        &arguments.symbol,
        arguments.file.as_deref(),
        Wanted::Anything,
    ) {
        Ok(meant) => meant.first(),
        Err(code) => return Ok(code),
    };
    let resolver = session.resolver();
    let found = query::hierarchy(&resolver, symbol).value;
    let shown = |related: &Related| match related {
        Related::Symbol(symbol) => SymbolInfo::of(&session, *symbol).ok_or_else(String::new),
        Related::Library(name) => Err(name.clone()),
    };
    let lists = [
        ("extends", found.bases.iter().map(shown).collect::<Vec<_>>()),
        ("implements", found.interfaces.iter().map(shown).collect()),
        (
            "extended_by",
            found
                .derived
                .iter()
                .map(|symbol| shown(&Related::Symbol(*symbol)))
                .collect(),
        ),
    ];
    let is_empty = lists.iter().all(|(_, list)| list.is_empty());
    let Some(own) = SymbolInfo::of(&session, symbol) else {
        return Ok(NOTHING);
    };
    if arguments.json {
        let related = |list: &[Result<SymbolInfo, String>]| -> Vec<_> {
            list.iter()
                .map(|related| match related {
                    Ok(info) => session::symbol_json(info),
                    Err(name) => json!({ "name": name, "library": true }),
                })
                .collect()
        };
        session::print_json(
            &json!({ "symbol": session::symbol_json(&own), "extends": related(&lists[0].1), "implements": related(&lists[1].1), "extended_by": related(&lists[2].1) }),
        )?;
    } else if let Some(format) = arguments.format {
        let mut drawing = Drawing::default();
        let node = |drawing: &mut Drawing, info: &SymbolInfo, depth| {
            let place = format!("{}:{}", info.path, info.name_position.0);
            drawing.node(info.qualified_name.clone(), place, depth)
        };
        let center = node(&mut drawing, &own, 1);
        for (word, list) in &lists {
            let depth = if *word == "extended_by" { 0 } else { 2 };
            for related in list {
                let other = match related {
                    Ok(info) => node(&mut drawing, info, depth),
                    Err(name) => drawing.library(name, depth),
                };
                match *word {
                    "extended_by" => drawing.edge(other, center, "", false),
                    word => drawing.edge(center, other, word, false),
                }
            }
        }
        print!("{}", drawing.draw(format));
    } else {
        let paint = Paint::stdout();
        let mut output = std::io::stdout().lock();
        for (word, list) in &lists {
            for related in list {
                match related {
                    Ok(info) => writeln!(
                        output,
                        "{} {}",
                        cli.line(paint, info),
                        paint.kind(&format!("({})", word.replace('_', " ")))
                    )?,
                    Err(name) => writeln!(
                        output,
                        "{} {}",
                        paint.name(name),
                        paint.kind(&format!("({}, a library's)", word.replace('_', " ")))
                    )?,
                }
            }
        }
        if is_empty {
            eprintln!(
                "{} extends nothing, and nothing extends it",
                plain(&own.qualified_name)
            );
        }
    }
    Ok(if is_empty { NOTHING } else { ExitCode::SUCCESS })
}
