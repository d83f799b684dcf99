//! `codecompass context`: the code that a question is about, as much as fits.

use std::{io::Write, process::ExitCode};

use answers::{
    context::{self, ContextItem, ContextRoom, ContextStrategy},
    search,
};
use clap::{Args, ValueEnum};

use super::{
    Settings, found,
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
    let (word, strategy) = match arguments.strategy {
        Strategy::Breadth => ("breadth", ContextStrategy::Breadth),
        Strategy::Depth => ("depth", ContextStrategy::Depth),
    };
    let query = arguments.query.join(" ");
    if arguments.json {
        let call = cli.call("get_code_context").with("query", query);
        let call = call.with("max_tokens", arguments.max_tokens);
        return call
            .with("strategy", word)
            .with("language", arguments.lang)
            .print();
    }
    let languages = session::languages(arguments.lang.as_deref())?;
    let session = cli.session()?;
    let paint = Paint::stdout();
    let shown = |item: &ContextItem| {
        let signature = item.signature.as_deref().unwrap_or_default();
        let mut text = format!("{}  {}\n", cli.line(paint, &item.info), plain(signature));
        for line in item.body.as_deref().unwrap_or_default().lines() {
            text.push_str(&format!("    {}\n", plain(line)));
        }
        text
    };
    let room = ContextRoom {
        total: arguments.max_tokens as usize,
        cost: &|item| tools::tokens::count(&shown(item)),
    };
    let query = search::shorten(&query);
    let context = context::gather(&session, query, &languages, strategy, &room);
    let mut output = std::io::stdout().lock();
    for item in &context.value.items {
        output.write_all(shown(item).as_bytes())?;
    }
    session::note_gaps(&session, context.cut);
    if let n @ 1.. = context.value.n_candidates - context.value.n_shown {
        eprintln!(
            "{n} more did not fit; --max-tokens makes room, `codecompass definition` shows one symbol"
        );
    }
    Ok(found(!context.value.items.is_empty()))
}
