//! `codecompass callers` and `codecompass callees`: some steps of the call graph.

use std::{io::Write, process::ExitCode};

use answers::{
    Anchor, Session,
    call_graph::{CallDirection, CallEdge, CallGraph, WalkOptions},
    excerpts,
    lookup::Wanted,
    references,
};
use clap::Args;
use engine::{Outcome, Resolver};

use super::{
    Settings, found,
    graph::{Drawing, Format},
    paint::{Paint, plain},
    session::{self, CliSession, FirstIndex, NamedArg},
};

/// List what calls a function
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: NamedArg,
    /// Steps from the function, 1 to 5
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    depth: u8,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 200)]
    limit: u32,
    /// Also what the language calls by itself: loops, operators, indexes, conversions, properties
    #[arg(long)]
    include_implicit: bool,
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

pub fn run(
    arguments: &Arguments,
    settings: &Settings,
    direction: CallDirection,
    first_index: FirstIndex,
) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open_with(&arguments.named.at, settings, first_index)?;
    let (depth, limit) = (arguments.depth, arguments.limit as usize);
    if arguments.json {
        let word = match direction {
            CallDirection::Callers => "callers",
            CallDirection::Callees => "callees",
        };
        let call = arguments.named.call(&cli, "get_call_graph");
        let call = call.with("direction", word).with("depth", depth);
        let call = match arguments.include_implicit {
            true => call.with("include_implicit", true),
            false => call,
        };
        return call.with("limit", limit).print();
    }
    let session = cli.session()?;
    let meant = arguments.named.lookup(&cli, &session, Wanted::Called)?;
    let resolver = session.resolver();
    let options = WalkOptions {
        max_sites: limit,
        implicit: arguments.include_implicit,
        ..WalkOptions::new(direction, depth.into())
    };
    let graph = CallGraph::around(&session, &resolver, &meant, options);
    cli.check(&session)?;
    let sites = graph.distinct_sites();
    let shown = &sites[..limit.min(sites.len())];
    let listing = CallListing {
        cli: &cli,
        session: &session,
        resolver: &resolver,
        graph: &graph,
        explain: arguments.explain,
    };
    match arguments.format {
        Some(format) => print_text!("{}", listing.draw(shown, direction).draw(format)),
        None => listing.print(shown)?,
    }
    cli.note_others(&session, &meant);
    session::note(&session, &meant, session.budget.cut());
    listing.note_unlinked();
    if !graph.complete || shown.len() < sites.len() {
        let (n_shown, n_sites) = (shown.len(), sites.len());
        eprintln!("{n_shown} of {n_sites} edges shown; --limit shows more");
    }
    if sites.is_empty() {
        let words = match direction {
            CallDirection::Callers => "nothing calls",
            CallDirection::Callees => "no call in the repository from",
        };
        eprintln!(
            "{words} {}; `codecompass refs` accounts for every place that has its name",
            plain(
                &graph
                    .info(&session, 0)
                    .map_or_else(String::new, |info| info.name)
            )
        );
    }
    Ok(found(!sites.is_empty()))
}

struct CallListing<'a> {
    cli: &'a CliSession,
    session: &'a Session,
    resolver: &'a Resolver<'a>,
    graph: &'a CallGraph,
    explain: bool,
}

impl CallListing<'_> {
    /// One line per call site, and the reasons for it where they are asked for.
    fn print(&self, edges: &[&CallEdge]) -> anyhow::Result<()> {
        let paint = Paint::stdout();
        let mut output = std::io::stdout().lock();
        for edge in edges {
            let Some((kind, name, _)) = self.node(edge.to) else {
                continue;
            };
            let Some(facts) = self.session.facts(edge.site.file) else {
                continue;
            };
            let (line, column) = excerpts::position(&facts, edge.site.span.start);
            let path = self.cli.seen(self.session.path(edge.site.file));
            let indent = "  ".repeat(edge.depth - 1);
            let sure = match (edge.implicit, edge.outcome) {
                (Some(implicit), _) => format!(" (implicit: {})", implicit.as_str()),
                (None, Outcome::Static) => String::new(),
                (None, Outcome::Dispatch) => " (dispatch)".to_owned(),
                _ => " (heuristic)".to_owned(),
            };
            writeln!(
                output,
                "{}: {indent}{} {}{sure}",
                paint.place(&path, line, column),
                paint.kind(kind),
                paint.name(&name)
            )?;
            if self.explain {
                let outcome = edge.outcome.as_str();
                let reasons = references::reasons(self.resolver, edge.site.file, edge.site.span);
                let reasons = match reasons.as_slice() {
                    [] => "known from an earlier step".to_owned(),
                    reasons => reasons.join("; "),
                };
                writeln!(output, "    {outcome}: {}", plain(&reasons))?;
            }
        }
        Ok(())
    }

    fn draw(&self, edges: &[&CallEdge], direction: CallDirection) -> Drawing {
        let mut drawing = Drawing::default();
        let deepest = edges.iter().map(|edge| edge.depth).max().unwrap_or(0);
        let add = |drawing: &mut Drawing, index: usize| {
            let (_, name, place) = self.node(index)?;
            let depth = self.graph.nodes[index].depth;
            // Callers are to the left of what they call.
            let column = match direction {
                CallDirection::Callers => deepest.saturating_sub(depth),
                CallDirection::Callees => depth,
            };
            Some(drawing.node(name, place, column))
        };
        add(&mut drawing, 0);
        for edge in edges {
            let (Some(near), Some(far)) =
                (add(&mut drawing, edge.from), add(&mut drawing, edge.to))
            else {
                continue;
            };
            let (from, to) = match direction {
                CallDirection::Callers => (far, near),
                CallDirection::Callees => (near, far),
            };
            let label = match (edge.implicit, edge.outcome) {
                (Some(_), _) => "implicit",
                (None, Outcome::Static) => "",
                (None, outcome) => outcome.as_str(),
            };
            drawing.edge(from, to, label, !label.is_empty());
        }
        drawing
    }

    /// The kind, the qualified name and the place of a node.
    fn node(&self, index: usize) -> Option<(&'static str, String, String)> {
        let info = self.graph.info(self.session, index)?;
        let place = match info.anchor {
            Anchor::Symbol(_) => format!("{}:{}", info.path, info.name_position.0),
            Anchor::File(_) => info.path.clone(),
        };
        Some((session::kind(&info), info.qualified_name, place))
    }

    /// Calls of the function itself that are no edges.
    fn note_unlinked(&self) {
        let unlinked = self.graph.unlinked_of_roots();
        for (names, words) in [
            (&unlinked.external, "into libraries"),
            (&unlinked.unresolved, "not resolved"),
        ] {
            if !names.is_empty() {
                let names: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
                eprintln!("{words}: {}", plain(&names.join(", ")));
            }
        }
        if let n @ 1.. = unlinked.ambiguous.len() {
            eprintln!(
                "{n} calls could mean several functions and are left out; --json shows the candidates"
            );
        }
    }
}
