//! `codecompass definition`: where a name, or the thing at a place, is defined.

use std::{io::Write, process::ExitCode};

use answers::{LookupError, SymbolInfo, excerpts, lookup, references, search, symbol::signature};
use anyhow::bail;
use clap::Args;
use engine::{Found, query};
use serde_json::{Value, json};

use super::{
    NOTHING, Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession},
};

/// Find where something is defined
#[derive(Args)]
pub struct Arguments {
    /// A name, or a place: `src/cart.rs:12:8`
    #[arg(value_name = "NAME|FILE:LINE:COL")]
    what: String,
    #[command(flatten)]
    at: AtRef,
    /// Show by which rule it was found
    #[arg(long)]
    explain: bool,
    /// For a name, the answer that `locate_symbol` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.at, settings)?;
    match place(&arguments.what) {
        Some((file, line, column)) => at_place(&cli, &arguments, file, line, column),
        None => by_name(&cli, &arguments),
    }
}

/// `file:line:column`, counted from 1.
fn place(text: &str) -> Option<(&str, u32, u32)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

fn by_name(cli: &CliSession, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    /// As many as one reads to choose from.
    const MAX_SHOWN: usize = 10;
    let name = arguments.what.trim();
    if arguments.json {
        let mut call = json!({ "name": name });
        if arguments.explain {
            call["ranking_explain_level"] = json!("full");
        }
        return cli.print_answer("locate_symbol", call, "results");
    }
    let session = cli.session()?;
    let found = search::locate(&session, name, &[], None);
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for (symbol, factors) in found.iter().take(MAX_SHOWN) {
        let Some(info) = SymbolInfo::of(&session, *symbol) else {
            continue;
        };
        let signature = signature(&session, *symbol).unwrap_or_default();
        writeln!(output, "{}  {}", cli.line(paint, &info), plain(&signature))?;
        if arguments.explain {
            session::print_factors(&mut output, factors)?;
        }
    }
    session::note_gaps(&session, session.budget.cut());
    if found.len() > MAX_SHOWN {
        let n = found.len();
        eprintln!("{MAX_SHOWN} of {n} shown; a qualified name says which one is meant");
    }
    if found.is_empty() {
        let nearest = lookup::nearest(&session, name, 5);
        return Ok(cli.refuse(&session, name, LookupError::Missing { nearest }));
    }
    Ok(ExitCode::SUCCESS)
}

fn at_place(
    cli: &CliSession,
    arguments: &Arguments,
    file: &str,
    line: u32,
    column: u32,
) -> anyhow::Result<ExitCode> {
    let session = cli.session()?;
    let path = cli.repository_path(file);
    let file = cli.file(&session, &path)?;
    let Some(facts) = session.facts(file) else {
        bail!("the facts of {path} cannot be read; run `codecompass index --force`")
    };
    let Some(span) = line
        .checked_sub(1)
        .and_then(|line_index| facts.lines.line_span(line_index))
    else {
        bail!("{path} has {} lines", facts.lines.n_lines())
    };
    let offset = (span.start + column.saturating_sub(1)).min(span.end);
    let resolver = session.resolver();
    let Some(definition) = query::definition_at(&resolver, file, offset) else {
        eprintln!("there is no name at {path}:{line}:{column}");
        return Ok(NOTHING);
    };
    let resolution = &definition.resolution;
    let paint = Paint::stdout();
    // For people and for programs.
    let mut found: Vec<(String, Value)> = Vec::new();
    let mut libraries: Vec<String> = Vec::new();
    for target in &resolution.targets {
        match target {
            Found::Symbol(symbol) | Found::TypeParameter(symbol, _) => {
                let info = SymbolInfo::of(&session, *symbol);
                found
                    .extend(info.map(|info| (cli.line(paint, &info), session::symbol_json(&info))));
            }
            Found::Binding(file, id) => {
                let Some(facts) = session.facts(*file) else {
                    continue;
                };
                let binding = &facts.bindings[id.0 as usize];
                let (line, column) = excerpts::position(&facts, binding.name_span.start);
                let (path, name) = (session.path(*file), facts.name(binding.name));
                let place = paint.place(&cli.seen(path), line, column);
                found.push((
                    format!("{place}: {} {}", paint.kind("local"), paint.name(name)),
                    json!({ "path": path, "line": line, "column": column, "kind": "local", "name": name, "qualified_name": name, "symbol_id": "" }),
                ));
            }
            Found::Module(module) => libraries.push(format!("{module:?}")),
            Found::External(path) => libraries.push(path.to_string()),
        }
    }
    let (outcome, rule) = (resolution.outcome.word(), resolution.rule.word());
    if arguments.json {
        let found: Vec<&Value> = found.iter().map(|(_, json)| json).collect();
        session::print_json(
            &json!({ "definitions": found, "outside": libraries, "outcome": outcome, "rule": rule }),
        )?;
    } else {
        let mut output = std::io::stdout().lock();
        for (line, _) in &found {
            writeln!(output, "{line}")?;
        }
        for name in &libraries {
            writeln!(output, "{} (not in this repository)", plain(name))?;
        }
        if arguments.explain {
            writeln!(output, "    {outcome}: {rule}")?;
            let covering = facts
                .references
                .iter()
                .filter(|reference| reference.span.start <= offset && offset <= reference.span.end);
            if let Some(reference) = covering.min_by_key(|reference| reference.span.len()) {
                for reason in references::reasons(&resolver, file, reference.span) {
                    writeln!(output, "    {}", plain(&reason))?;
                }
            }
        }
        if found.is_empty() && libraries.is_empty() {
            eprintln!("{outcome}: no definition was found");
        }
    }
    Ok(if found.is_empty() && libraries.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_place_is_told_from_a_qualified_name() {
        assert_eq!(place("a/b.rs:3:14"), Some(("a/b.rs", 3, 14)));
        assert_eq!(place("auth::jwt::validate"), None);
        assert_eq!(place("a.rs:3"), None);
    }
}
