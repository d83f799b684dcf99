//! `codecompass search`: a question in words.

use std::{io::Write, process::ExitCode};

use answers::{SymbolInfo, search, symbol::signature};
use clap::Args;
use engine::{SymbolId, query::search::Spread};

use super::{
    Settings, found,
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
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
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
    let query = arguments.query.join(" ");
    if arguments.json {
        let call = cli.call("search_code").with("query", query);
        let call = call.with("limit", arguments.limit);
        let explain = arguments.explain.then_some("full");
        let call = call.with("ranking_explain_level", explain);
        return call.with("language", arguments.lang).print();
    }
    let languages = session::languages(arguments.lang.as_deref())?;
    let limit = arguments
        .limit
        .map_or(cli.config.search_limit() as usize, |limit| limit as usize);
    let session = cli.session()?;
    let query = search::shorten(&query);
    let (hits, _) = search::search(&session, query, &languages, limit, Spread::Files);
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    for hit in &hits.value.hits {
        let symbol = hit.symbol.map(|index| SymbolId {
            file: hit.file,
            index,
        });
        let best_line = || search::best_line(&session, query, hit);
        match symbol.and_then(|symbol| SymbolInfo::of(&session, symbol)) {
            Some(info) => {
                let signature = signature(&session, info.anchor);
                let text = signature.or_else(|| best_line().map(|(_, text)| text));
                let text = text.unwrap_or_default();
                writeln!(output, "{}  {}", cli.line(paint, &info), plain(text.trim()))?;
            }
            None => {
                let (line, text) = best_line().unwrap_or((1, String::new()));
                let path = cli.seen(session.path(hit.file));
                writeln!(output, "{}:  {}", paint.place(&path, line, 1), plain(&text))?;
            }
        }
        if arguments.explain {
            session::print_factors(&mut output, &hit.factors)?;
        }
    }
    session::note_gaps(&session, hits.cut);
    if hits.value.hits.is_empty() {
        eprintln!("nothing found; try other words, or `codecompass status` to see what is indexed");
    }
    Ok(found(!hits.value.hits.is_empty()))
}
