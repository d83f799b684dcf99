//! `codecompass hierarchy`: what a type extends and implements, and what extends or implements it.

use std::{io::Write, process::ExitCode};

use answers::{
    SymbolInfo,
    hierarchy::{RelatedType, TypeHierarchy},
    lookup::Wanted,
};
use clap::Args;
use serde::Serialize;

use super::{
    NOTHING, Settings, found,
    graph::{Drawing, Format},
    paint::{Paint, plain},
    session::{self, CliSession, FirstIndex, NamedArg, SymbolRow},
};

/// List the types above and below a type
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: NamedArg,
    /// Draw the graph instead of listing it
    #[arg(long, value_enum, conflicts_with = "json")]
    format: Option<Format>,
    #[arg(long)]
    json: bool,
}

/// For programs: no tool of the contract answers this.
#[derive(Serialize)]
struct HierarchyRows {
    symbol: SymbolRow,
    extends: Vec<TypeRow>,
    implements: Vec<TypeRow>,
    extended_by: Vec<TypeRow>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TypeRow {
    Own(SymbolRow),
    Library { name: String, library: bool },
}

pub fn run(
    arguments: &Arguments,
    settings: &Settings,
    first_index: FirstIndex,
) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_with(&arguments.named.at, settings, first_index)?;
    let session = cli.session()?;
    let meant = arguments.named.lookup(&cli, &session, Wanted::Anything)?;
    let Some(own) = SymbolInfo::of(&session, meant.first()) else {
        return Ok(NOTHING);
    };
    let types = TypeHierarchy::of(&session, own.anchor);
    cli.check(&session)?;
    let any = !types.is_empty();
    let rows = |list: &[RelatedType]| -> Vec<TypeRow> { list.iter().map(TypeRow::of).collect() };
    let derived = types.derived.iter().map(SymbolRow::of).map(TypeRow::Own);
    let rows = HierarchyRows {
        symbol: SymbolRow::of(&own),
        extends: rows(&types.bases),
        implements: rows(&types.interfaces),
        extended_by: derived.collect(),
    };
    match arguments.format {
        _ if arguments.json => session::print_json(&rows)?,
        Some(format) => print_text!("{}", rows.drawing().draw(format)),
        None => rows.print(&cli)?,
    }
    if !any && !arguments.json && arguments.format.is_none() {
        let name = plain(&own.qualified_name);
        eprintln!("{name} extends nothing, and nothing extends it");
    }
    cli.note_others(&session, &meant);
    if session.view.cold().is_some() {
        session::note_cold();
    }
    Ok(found(any))
}

impl TypeRow {
    fn of(related: &RelatedType) -> TypeRow {
        match related {
            RelatedType::Own(info) => TypeRow::Own(SymbolRow::of(info)),
            RelatedType::Library(name) => TypeRow::Library {
                name: name.clone(),
                library: true,
            },
        }
    }
}

impl HierarchyRows {
    fn lists(&self) -> [(&'static str, &[TypeRow]); 3] {
        [
            ("extends", &self.extends),
            ("implements", &self.implements),
            ("extended by", &self.extended_by),
        ]
    }

    fn print(&self, cli: &CliSession) -> anyhow::Result<()> {
        let paint = Paint::stdout();
        let mut output = std::io::stdout().lock();
        for (word, list) in self.lists() {
            for row in list {
                let (shown, note) = match row {
                    TypeRow::Own(row) => (cli.row(paint, row), format!("({word})")),
                    TypeRow::Library { name, .. } => {
                        (paint.name(name), format!("({word}, a library's)"))
                    }
                };
                writeln!(output, "{shown} {}", paint.kind(&note))?;
            }
        }
        Ok(())
    }

    fn drawing(&self) -> Drawing {
        let mut drawing = Drawing::default();
        let node = |drawing: &mut Drawing, row: &SymbolRow, depth| {
            let (name, place) = row.caption();
            drawing.node(name, place, depth)
        };
        let center = node(&mut drawing, &self.symbol, 1);
        for (word, list) in self.lists() {
            let is_below = word == "extended by";
            let depth = if is_below { 0 } else { 2 };
            for row in list {
                let other = match row {
                    TypeRow::Own(row) => node(&mut drawing, row, depth),
                    TypeRow::Library { name, .. } => drawing.library(name, depth),
                };
                match is_below {
                    true => drawing.edge(other, center, "", false),
                    false => drawing.edge(center, other, word, false),
                }
            }
        }
        drawing
    }
}
