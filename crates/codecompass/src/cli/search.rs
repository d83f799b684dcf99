//! `codecompass search`: a question in words.

use std::{io::Write, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use super::{
    NOTHING, Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession},
};

/// Find code by words: a name, an error message, a path, or a question
#[derive(Args)]
pub struct Arguments {
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    at: AtRef,
    /// Only this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u32>,
    /// Show how each score came about
    #[arg(long)]
    explain: bool,
    /// The answer that `search_code` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.at, settings)?;
    let mut call = json!({ "query": arguments.query.join(" ") });
    if let Some(limit) = arguments.limit {
        call["limit"] = json!(limit);
    }
    if let Some(language) = arguments.lang {
        call["language"] = json!(language);
    }
    if arguments.explain {
        call["ranking_explain_level"] = json!("full");
    }
    let answer = match cli.ask("search_code", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let found = answer["results"]
        .as_array()
        .is_some_and(|results| !results.is_empty());
    if arguments.json {
        session::print_json(&answer)?;
    } else {
        show(&cli, &answer)?;
    }
    Ok(if found { ExitCode::SUCCESS } else { NOTHING })
}

fn show(cli: &CliSession, answer: &Value) -> anyhow::Result<()> {
    let paint = Paint::stdout();
    let session = cli.session()?;
    let mut output = std::io::stdout().lock();
    let none = Vec::new();
    let results = answer["results"].as_array().unwrap_or(&none);
    for (i, item) in results.iter().enumerate() {
        let path = cli.seen(item["path"].as_str().unwrap_or_default());
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let is_symbol = item["symbol_id"].is_string();
        let (line, column) = match item["snippet_line"].as_u64() {
            Some(line) if !is_symbol => (line as u32, 1),
            _ => session::place_of(&session, item),
        };
        write!(output, "{}:", paint.place(&path, line, column))?;
        if is_symbol {
            write!(
                output,
                " {} {}",
                paint.kind(text("kind")),
                paint.name(text("qualified_name"))
            )?;
        }
        let excerpt = if is_symbol && !text("signature").is_empty() {
            text("signature")
        } else {
            text("snippet")
        };
        writeln!(output, "  {}", plain(excerpt.trim()))?;
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
    session::warn(answer);
    if results.is_empty() {
        eprintln!("nothing found; try other words, or `codecompass status` to see what is indexed");
    }
    Ok(())
}
