//! `codecompass definition`: where a name, or the thing at a place, is defined.

use std::{io::Write, process::ExitCode};

use answers::{
    LookupError, Session, SymbolInfo, definition, excerpts, lookup, references, search,
    symbol::signature,
};
use anyhow::bail;
use clap::Args;
use engine::{Found, Module, query};
use serde::Serialize;

use super::{
    NOTHING, Settings, found,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession, FirstIndex, SymbolRow},
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

pub fn run(
    arguments: &Arguments,
    settings: &Settings,
    first_index: FirstIndex,
) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_with(&arguments.at, settings, first_index)?;
    match place(&arguments.what) {
        Some((file, line, column)) => at_place(&cli, arguments, file, line, column),
        None => by_name(&cli, arguments),
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
        let call = cli.call("locate_symbol").with("name", name);
        let explain = arguments.explain.then_some("full");
        return call.with("ranking_explain_level", explain).print();
    }
    let session = cli.session()?;
    let located = search::locate(&session, name, &[], None);
    cli.check(&session)?;
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    let file = lookup::file_named(&session, name);
    if let Some(info) = file.and_then(|file| SymbolInfo::of(&session, file)) {
        writeln!(output, "{}", cli.line(paint, &info))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (symbol, factors) in located.iter().take(MAX_SHOWN) {
        let Some(info) = SymbolInfo::of(&session, *symbol) else {
            continue;
        };
        let signature = signature(&session, *symbol).unwrap_or_default();
        writeln!(output, "{}  {}", cli.line(paint, &info), plain(&signature))?;
        if arguments.explain {
            session::print_factors(&mut output, factors)?;
        }
    }
    if let Some((first, _)) = located.first() {
        session::note_inherited(&session, name, *first);
    }
    session::note_gaps(&session, session.budget.cut());
    if located.len() > MAX_SHOWN {
        let n = located.len();
        eprintln!("{MAX_SHOWN} of {n} shown; a qualified name says which one is meant");
    }
    if located.is_empty() {
        let nearest = lookup::nearest(&session, name, 5);
        return Err(cli.refuse(&session, name, LookupError::Missing { nearest }));
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
    let file = cli.file(&session, &path);
    cli.check(&session)?;
    let file = file?;
    let facts = session.facts(file);
    cli.check(&session)?;
    let Some(facts) = facts else {
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
    let definition = query::definition_at(&resolver, file, offset);
    cli.check(&session)?;
    let Some(definition) = definition else {
        eprintln!("there is no name at {path}:{line}:{column}");
        return Ok(NOTHING);
    };
    let resolution = &definition.resolution;
    let (mut definitions, mut outside) = (Vec::new(), Vec::new());
    for target in &resolution.targets {
        match target {
            Found::External(path) => outside.push(path.to_string()),
            Found::Module(
                Module::External(path)
                | Module::Directory(path)
                | Module::Package(path)
                | Module::Namespace(path),
            ) => outside.push(path.to_string()),
            target => definitions.extend(row(&session, target)),
        }
    }
    let (outcome, rule) = (resolution.outcome.as_str(), resolution.rule.as_str());
    let any = !definitions.is_empty() || !outside.is_empty();
    if arguments.json {
        session::print_json(&DefinitionRows {
            definitions,
            outside,
            outcome,
            rule,
        })?;
        return Ok(found(any));
    }
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for row in &definitions {
        writeln!(output, "{}", cli.row(paint, row))?;
    }
    for name in &outside {
        writeln!(output, "{} (not in this repository)", plain(name))?;
    }
    if arguments.explain {
        writeln!(output, "    {outcome}: {rule}")?;
        let mut references = facts.references.iter();
        if let Some(span) = definition::span_at(&session, file, offset)
            && references.any(|reference| reference.span == span)
        {
            for reason in references::reasons(&resolver, file, span) {
                writeln!(output, "    {}", plain(&reason))?;
            }
        }
    }
    if !any {
        eprintln!("{outcome}: no definition was found");
    }
    session::note_gaps(&session, session.budget.cut());
    Ok(found(any))
}

/// For programs: no tool of the contract answers this.
#[derive(Serialize)]
struct DefinitionRows {
    definitions: Vec<SymbolRow>,
    outside: Vec<String>,
    outcome: &'static str,
    rule: &'static str,
}

/// A target that is in the repository.
fn row(session: &Session, target: &Found) -> Option<SymbolRow> {
    let symbol = match target {
        Found::TypeParameter(symbol, _) => Some(*symbol),
        target => definition::symbol_of(target),
    };
    if let Some(symbol) = symbol {
        return SymbolInfo::of(session, symbol).map(|info| SymbolRow::of(&info));
    }
    let (file, span) = definition::name_of(session, target)?;
    let facts = session.facts(file)?;
    if let Found::Binding(_, id) = target {
        let name = facts.name(facts.bindings[id.0 as usize].name).to_owned();
        let position = excerpts::position(&facts, span.start);
        let path = session.path(file).to_owned();
        return Some(SymbolRow::other(path, position, "local", name));
    }
    SymbolInfo::of(session, file).map(|info| SymbolRow::of(&info))
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
