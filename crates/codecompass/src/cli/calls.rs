//! `codecompass callers` and `codecompass callees`: some steps of the call graph.

use std::{collections::BTreeMap, io::Write, process::ExitCode};

use answers::{lookup::Wanted, references};
use clap::Args;
use engine::{Outcome, SymbolId, query};
use serde_json::{Value, json};

use super::{
    NOTHING, Settings,
    graph::{Format, Graph},
    paint::{Paint, plain},
    session::{self, CliSession, Named, Shown},
};

/// List what calls a function
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: Named,
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    depth: u8,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 200)]
    limit: u32,
    /// Show by which rule each call was found
    #[arg(long)]
    explain: bool,
    /// Draw the graph instead of listing it
    #[arg(long, value_enum, conflicts_with = "json")]
    format: Option<Format>,
    /// The answer that `get_call_graph` gives over MCP
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Callers,
    Callees,
}

pub fn run(
    arguments: Arguments,
    settings: &Settings,
    direction: Direction,
) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_synced(&arguments.named.at, settings)?;
    if arguments.format.is_some() || arguments.explain {
        return walk(&cli, &arguments, direction);
    }
    let word = if direction == Direction::Callers {
        "callers"
    } else {
        "callees"
    };
    let call = arguments.named.call(
        &cli,
        json!({ "direction": word, "depth": arguments.depth, "limit": arguments.limit }),
    );
    let answer = match cli.ask("get_call_graph", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let none = Vec::new();
    let edges = answer[word].as_array().unwrap_or(&none);
    if arguments.json {
        session::print_json(&answer)?;
    } else {
        list(&cli, &answer, edges, direction)?;
    }
    Ok(if edges.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}

fn list(
    cli: &CliSession,
    answer: &Value,
    edges: &[Value],
    direction: Direction,
) -> anyhow::Result<()> {
    let paint = Paint::stdout();
    let session = cli.session()?;
    let mut output = std::io::stdout().lock();
    let asked = answer["symbol"]["name"].as_str().unwrap_or_default();
    // What callers of a depth call stands one step nearer to the question.
    let mut names_at: BTreeMap<u64, Vec<&str>> = BTreeMap::from([(0, vec![asked])]);
    for edge in edges {
        names_at
            .entry(edge["depth"].as_u64().unwrap_or(1))
            .or_default()
            .extend(edge["symbol"]["name"].as_str());
    }
    for edge in edges {
        let symbol = &edge["symbol"];
        let path = edge["call_site"]["file"].as_str().unwrap_or_default();
        let line = edge["call_site"]["line"].as_u64().unwrap_or(1);
        let depth = edge["depth"].as_u64().unwrap_or(1).max(1);
        let own = [symbol["name"].as_str().unwrap_or_default()];
        let called = match direction {
            Direction::Callees => own.as_slice(),
            Direction::Callers => names_at
                .get(&(depth - 1))
                .map_or([].as_slice(), Vec::as_slice),
        };
        let column = column(&session, path, line as u32, called);
        let sure = match (edge["confidence"].as_str(), edge["via"].as_str()) {
            (Some("static"), _) => String::new(),
            (_, Some(via)) => format!(" ({via})"),
            (Some(other), None) => format!(" ({other})"),
            _ => String::new(),
        };
        let indent = "  ".repeat(depth as usize - 1);
        let kind = paint.kind(symbol["kind"].as_str().unwrap_or_default());
        let name = paint.name(symbol["qualified_name"].as_str().unwrap_or_default());
        writeln!(
            output,
            "{}: {indent}{kind} {name}{sure}",
            paint.place(&cli.seen(path), line, column)
        )?;
    }
    session::warn(answer);
    let metadata = &answer["metadata"];
    for (key, words) in [
        ("external_calls", "into libraries"),
        ("unresolved_calls", "not resolved"),
    ] {
        let names: Vec<&str> = metadata[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !names.is_empty() {
            eprintln!("{words}: {}", plain(&names.join(", ")));
        }
    }
    if let Some(n) = metadata["ambiguous_edges"]["count"].as_u64() {
        eprintln!(
            "{n} calls could mean several functions and are left out; --json shows the candidates"
        );
    }
    if answer["truncated"] == true {
        eprintln!(
            "{} of {} edges shown; --limit shows more",
            edges.len(),
            answer["total_edges"]
        );
    }
    if edges.is_empty() {
        let word = if direction == Direction::Callers {
            "nothing calls"
        } else {
            "no call in the repository from"
        };
        eprintln!(
            "{word} {}; `codecompass refs` accounts for every place that bears its name",
            plain(asked)
        );
    }
    Ok(())
}

/// Where the first reference by one of these names stands in a line; the first column if it is
/// written otherwise there.
fn column(session: &answers::Session, path: &str, line: u32, names: &[&str]) -> u32 {
    let Some(facts) = session
        .snapshot()
        .find(path)
        .and_then(|file| session.facts(file))
    else {
        return 1;
    };
    let Some(span) = facts.lines.line_span(line.saturating_sub(1)) else {
        return 1;
    };
    let here = facts
        .references
        .iter()
        .filter(|reference| span.contains(reference.span.start));
    let named = here.filter(|reference| names.contains(&facts.name(reference.name)));
    named
        .map(|reference| facts.lines.position(reference.span.start).column + 1)
        .min()
        .unwrap_or(1)
}

struct Step {
    from: SymbolId,
    to: SymbolId,
    outcome: Outcome,
    sites: Vec<query::Site>,
    depth: usize,
}

/// Breadth first, with every edge's both ends and reasons.
fn walk(cli: &CliSession, arguments: &Arguments, direction: Direction) -> anyhow::Result<ExitCode> {
    let session = cli.session()?;
    let meant = match cli.lookup(
        &session,
        &arguments.named.symbol,
        arguments.named.file.as_deref(),
        Wanted::Called,
    ) {
        Ok(meant) => meant,
        Err(code) => return Ok(code),
    };
    let root = meant.first();
    let budget = cli.budget();
    let resolver = session.analysis.resolver(&budget);
    let mut level: Vec<SymbolId> = meant
        .overloads
        .iter()
        .flat_map(|symbol| query::called_as(&resolver, *symbol))
        .collect();
    let mut reached: BTreeMap<SymbolId, usize> = level.iter().map(|root| (*root, 0)).collect();
    let mut steps: Vec<Step> = Vec::new();
    for depth in 1..=usize::from(arguments.depth) {
        let mut next = Vec::new();
        for symbol in std::mem::take(&mut level) {
            let calls = match direction {
                Direction::Callers => query::callers(&resolver, symbol).value.0,
                Direction::Callees => query::callees(&resolver, symbol).value.0,
            };
            for call in calls {
                if steps.len() >= arguments.limit as usize {
                    break;
                }
                if reached
                    .insert(call.symbol, *reached.get(&call.symbol).unwrap_or(&depth))
                    .is_none()
                {
                    next.push(call.symbol);
                }
                let (from, to) = if direction == Direction::Callers {
                    (call.symbol, symbol)
                } else {
                    (symbol, call.symbol)
                };
                steps.push(Step {
                    from,
                    to,
                    outcome: call.outcome,
                    sites: call.sites,
                    depth,
                });
            }
        }
        level = next;
    }
    let mut output = std::io::stdout().lock();
    if let Some(format) = arguments.format {
        let mut graph = Graph::default();
        let deepest = reached.values().max().copied().unwrap_or(0);
        // Callers stand to the left of what they call.
        let column = |symbol: &SymbolId| {
            if direction == Direction::Callers {
                deepest - reached[symbol]
            } else {
                reached[symbol]
            }
        };
        let node = |graph: &mut Graph, symbol: &SymbolId| {
            Shown::of(&session, *symbol).map(|shown| graph.node(&shown, column(symbol)))
        };
        node(&mut graph, &root);
        for step in &steps {
            let (Some(from), Some(to)) = (node(&mut graph, &step.from), node(&mut graph, &step.to))
            else {
                continue;
            };
            let label = if step.outcome == Outcome::Static {
                ""
            } else {
                step.outcome.word()
            };
            graph.edge(from, to, label, step.outcome != Outcome::Static);
        }
        write!(output, "{}", graph.draw(format))?;
    } else {
        let paint = Paint::stdout();
        for step in &steps {
            let other = if direction == Direction::Callers {
                step.from
            } else {
                step.to
            };
            let Some(shown) = Shown::of(&session, other) else {
                continue;
            };
            writeln!(
                output,
                "{}{} ({})",
                "  ".repeat(step.depth - 1),
                cli.line(paint, &shown),
                step.outcome.word()
            )?;
            for site in &step.sites {
                let Some(facts) = session.facts(site.file) else {
                    continue;
                };
                let place = facts.lines.position(site.span.start);
                let place = paint.place(
                    &cli.seen(session.path(site.file)),
                    u64::from(place.line_index) + 1,
                    u64::from(place.column) + 1,
                );
                let reasons = references::reasons(&resolver, site.file, site.span);
                let reasons = if reasons.is_empty() {
                    "known from an earlier step".to_owned()
                } else {
                    reasons.join("; ")
                };
                writeln!(output, "    {place}: {}", plain(&reasons))?;
            }
        }
    }
    Ok(if steps.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}
