//! `codecompass definition`: where a name, or the thing at a place, is defined.

use std::{io::Write, process::ExitCode};

use answers::references;
use anyhow::bail;
use clap::Args;
use engine::{Found, query};
use serde_json::{Value, json};

use super::{
    NOTHING, Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession, Shown},
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
    let mut call = json!({ "name": arguments.what });
    if arguments.explain {
        call["ranking_explain_level"] = json!("full");
    }
    let answer = match cli.ask("locate_symbol", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    if arguments.json {
        session::print_json(&answer)?;
    } else {
        let (paint, session) = (Paint::stdout(), cli.session()?);
        let mut output = std::io::stdout().lock();
        for (i, item) in results.iter().enumerate() {
            let text = |key: &str| item[key].as_str().unwrap_or_default();
            let (line, column) = session::place_of(&session, item);
            let place = paint.place(&cli.seen(text("path")), line, column);
            writeln!(
                output,
                "{place}: {} {}  {}",
                paint.kind(text("kind")),
                paint.name(text("qualified_name")),
                plain(text("signature"))
            )?;
            let reasons = answer["metadata"]["ranking_reasons"]
                .get(i)
                .and_then(Value::as_object);
            for (name, value) in reasons
                .into_iter()
                .flatten()
                .filter(|(name, value)| *name != "result_index" && value.as_f64() != Some(0.0))
            {
                writeln!(output, "    {name} {value}")?;
            }
        }
        session::warn(&answer);
    }
    Ok(if results.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
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
    let Some(file) = session.find_file(&path) else {
        bail!(
            "no file `{}`; `codecompass status --skipped` lists what is left out",
            plain(&path)
        )
    };
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
    let budget = cli.budget();
    let resolver = session.analysis.resolver(&budget);
    let Some(definition) = query::definition_at(&resolver, file, offset) else {
        eprintln!("there is no name at {path}:{line}:{column}");
        return Ok(NOTHING);
    };
    let resolution = &definition.resolution;
    let mut found: Vec<Shown> = Vec::new();
    let mut libraries: Vec<String> = Vec::new();
    for target in &resolution.targets {
        match target {
            Found::Symbol(symbol) => found.extend(Shown::of(&session, *symbol)),
            Found::Binding(file, id) => {
                let Some(facts) = session.facts(*file) else {
                    continue;
                };
                let binding = &facts.bindings[id.0 as usize];
                let place = facts.lines.position(binding.name_span.start);
                let name = facts.name(binding.name).to_owned();
                found.push(Shown {
                    path: session.path(*file).to_owned(),
                    line: place.line_index + 1,
                    column: place.column + 1,
                    kind: "local",
                    qualified_name: name.clone(),
                    name,
                    symbol_id: String::new(),
                });
            }
            Found::TypeParameter(symbol, _) => found.extend(Shown::of(&session, *symbol)),
            Found::Module(module) => libraries.push(format!("{module:?}")),
            Found::External(path) => libraries.push(path.to_string()),
        }
    }
    let (outcome, rule) = (resolution.outcome.word(), resolution.rule.word());
    if arguments.json {
        session::print_json(
            &json!({ "definitions": found, "outside": libraries, "outcome": outcome, "rule": rule }),
        )?;
    } else {
        let mut output = std::io::stdout().lock();
        for shown in &found {
            writeln!(output, "{}", cli.line(Paint::stdout(), shown))?;
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
