//! `codecompass context`: the code that a question is about, as much as fits.

use std::{io::Write, process::ExitCode};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{
    NOTHING, Settings,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession},
};

/// Gather the code that a question is about, within a number of tokens
#[derive(Args)]
pub struct Arguments {
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    at: AtRef,
    #[arg(long, value_name = "N", default_value_t = 4000)]
    max_tokens: u32,
    #[arg(long, value_enum, default_value_t = Strategy::Breadth)]
    strategy: Strategy,
    /// Only this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// The answer that `get_code_context` gives over MCP
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Strategy {
    /// Many symbols with their signatures
    Breadth,
    /// Fewer, with their bodies
    Depth,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.at, settings)?;
    let strategy = match arguments.strategy {
        Strategy::Breadth => "breadth",
        Strategy::Depth => "depth",
    };
    let mut call = json!({ "query": arguments.query.join(" "), "max_tokens": arguments.max_tokens, "strategy": strategy });
    if let Some(language) = arguments.lang {
        call["language"] = json!(language);
    }
    let answer = match cli.ask("get_code_context", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let none = Vec::new();
    let items = answer["context_items"].as_array().unwrap_or(&none);
    if arguments.json {
        session::print_json(&answer)?;
    } else {
        let paint = Paint::stdout();
        let mut output = std::io::stdout().lock();
        for item in items {
            let text = |key: &str| item[key].as_str().unwrap_or_default();
            let place = paint.place(
                &cli.seen(text("path")),
                item["line_start"].as_u64().unwrap_or(1),
                1,
            );
            writeln!(
                output,
                "{place}: {} {}  {}",
                paint.kind(text("kind")),
                paint.name(text("qualified_name")),
                plain(text("signature"))
            )?;
            for line in text("body").lines() {
                writeln!(output, "    {}", plain(line))?;
            }
        }
        session::warn(&answer);
        if let Some(left) = answer["metadata"]["remaining_candidates"].as_u64() {
            let suggestion = answer["metadata"]["suggestion"]
                .as_str()
                .unwrap_or_default();
            eprintln!("{left} more did not fit; {}", plain(suggestion));
        }
    }
    Ok(if items.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}
