//! `codecompass refs`: every place that means a symbol, and an account of the places that do not.

use std::{io::Write, process::ExitCode};

use answers::{
    Session, SymbolInfo,
    lookup::Wanted,
    occurrences::Occurrences,
    references::{self, References},
};
use clap::Args;

use super::{
    Settings, found,
    paint::{Paint, count, plain},
    session::{self, CliSession, FirstIndex, NamedArg},
};

/// List every place that refers to a symbol
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: NamedArg,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 500)]
    limit: u32,
    /// Show by which rule each place was found to mean it
    #[arg(long)]
    explain: bool,
    /// The answer that `find_references` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(
    arguments: &Arguments,
    settings: &Settings,
    first_index: FirstIndex,
) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_with(&arguments.named.at, settings, first_index)?;
    if arguments.json {
        let call = arguments.named.call(&cli, "find_references");
        return call.with("limit", arguments.limit).print();
    }
    let session = cli.session()?;
    let meant = arguments.named.lookup(&cli, &session, Wanted::Anything)?;
    let resolver = session.resolver();
    let references = References::to(&session, &resolver, &meant);
    cli.check(&session)?;
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    let mut n_shown = 0;
    for site in references.sites.iter().take(arguments.limit as usize) {
        let Some(shown) = site.text(&session) else {
            continue;
        };
        n_shown += 1;
        let from = site
            .enclosing
            .and_then(|symbol| SymbolInfo::of(&session, symbol))
            .map(|info| format!(" in {}", paint.name(&info.qualified_name)))
            .unwrap_or_default();
        let path = cli.seen(session.path(site.file));
        let place = paint.place(&path, shown.lines.0, shown.column);
        let kind = paint.kind(site.kind.as_str());
        writeln!(output, "{place}: {kind}{from}  {}", plain(&shown.text))?;
        if arguments.explain {
            let (outcome, rule) = (site.outcome.as_str(), site.rule.as_str());
            writeln!(output, "    {outcome}: {rule}")?;
            for reason in references::reasons(&resolver, site.file, site.span) {
                writeln!(output, "    {}", plain(&reason))?;
            }
        }
    }
    cli.note_others(&session, &meant);
    session::note(&session, &meant, references.cut);
    if let Some(symbol) = SymbolInfo::of(&session, meant.first()) {
        account(&session, &symbol, &references, n_shown);
    }
    Ok(found(!references.sites.is_empty()))
}

/// So that an empty list can be trusted, and a cut one is not taken for whole.
fn account(session: &Session, symbol: &SymbolInfo, found: &References, n_shown: usize) {
    let total = found.sites.len();
    if total > n_shown {
        eprintln!(
            "{n_shown} of {} references shown; --limit shows more",
            count(total as u64)
        );
    }
    let occurrences = match total {
        0 => found.occurrences(session),
        _ => Occurrences {
            account: found.account,
            ..Occurrences::default()
        },
    };
    let rest = occurrences.in_words();
    let rest = if rest.is_empty() {
        "nothing else uses the name".to_owned()
    } else {
        format!("other places with the name: {}", rest.join(", "))
    };
    eprintln!(
        "{} to {} ({}:{}); {rest}",
        match total {
            1 => "1 reference".to_owned(),
            _ => format!("{} references", count(total as u64)),
        },
        plain(&symbol.qualified_name),
        plain(&symbol.path),
        symbol.lines.0
    );
}
