//! `codecompass refs`: every place that means a symbol, and an account of the places that do not.

use std::{collections::BTreeMap, io::Write, process::ExitCode};

use answers::lookup::Wanted;
use clap::Args;
use engine::{FileId, Resolver, query};
use serde_json::{Value, json};

use super::{
    NOTHING, Settings,
    asking::{self, Asking, Named},
    paint::{Paint, count, plain},
};

/// List every place that refers to a symbol
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    named: Named,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 500)]
    limit: u32,
    /// Show by which rule each place was found to mean it
    #[arg(long)]
    explain: bool,
    /// The answer that `find_references` gives over MCP
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let asking = Asking::ready(&arguments.named.at, settings)?;
    let call = arguments
        .named
        .call(&asking, json!({ "limit": arguments.limit }));
    let answer = match asking.ask("find_references", call, arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let none = Vec::new();
    let references = answer["references"].as_array().unwrap_or(&none);
    if arguments.json {
        asking::print_json(&answer)?;
    } else {
        let reasons = if arguments.explain {
            reasons(&asking, &arguments)?
        } else {
            BTreeMap::new()
        };
        let paint = Paint::stdout();
        let mut output = std::io::stdout().lock();
        for reference in references {
            let number = |key: &str| reference[key].as_u64().unwrap_or(1);
            let path = reference["path"].as_str().unwrap_or_default();
            let from = reference["from_symbol"]["qualified_name"]
                .as_str()
                .map(|name| format!(" in {}", paint.name(name)))
                .unwrap_or_default();
            let place = paint.place(&asking.seen(path), number("line_start"), number("column"));
            let role = paint.kind(reference["role"].as_str().unwrap_or_default());
            writeln!(
                output,
                "{place}: {role}{from}  {}",
                plain(reference["context"].as_str().unwrap_or_default())
            )?;
            for reason in reasons
                .get(&(path.to_owned(), number("line_start"), number("column")))
                .into_iter()
                .flatten()
            {
                writeln!(output, "    {}", plain(reason))?;
            }
        }
        asking::warn(&answer);
        account(&answer, references.len());
    }
    Ok(if references.is_empty() {
        NOTHING
    } else {
        ExitCode::SUCCESS
    })
}

/// So that an empty list can be trusted, and a cut one is not taken for whole.
fn account(answer: &Value, n_shown: usize) {
    let total = answer["total_references"].as_u64().unwrap_or(0);
    let place = format!(
        "{}:{}",
        answer["symbol"]["path"].as_str().unwrap_or_default(),
        answer["symbol"]["line_start"]
    );
    if total > n_shown as u64 {
        eprintln!(
            "{} of {} references shown; --limit shows more",
            n_shown,
            count(total)
        );
    }
    let account = &answer["metadata"]["absence"];
    let part = |key: &str, words: &str| {
        account[key]
            .as_u64()
            .filter(|n| *n > 0)
            .map(|n| format!("{n} {words}"))
    };
    let rest: Vec<String> = [
        part("other_meanings", "mean something else"),
        part("ambiguous", "could mean it or another"),
        part("unresolved", "could not be resolved"),
        part("in_comments_and_strings", "stand in comments and strings"),
        part("in_other_files", "stand in files that are no code"),
        part("not_understood", "stand in code that was not understood"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let rest = if rest.is_empty() {
        "the name stands nowhere else in code".to_owned()
    } else {
        format!("of its name elsewhere: {}", rest.join(", "))
    };
    eprintln!(
        "{} references to {} ({place}); {rest}",
        count(total),
        plain(
            answer["symbol"]["qualified_name"]
                .as_str()
                .unwrap_or_default()
        )
    );
}

/// Rule and chain of reasons of each place.
fn reasons(
    asking: &Asking,
    arguments: &Arguments,
) -> anyhow::Result<BTreeMap<(String, u64, u64), Vec<String>>> {
    let session = asking.session()?;
    let budget = asking.budget();
    let resolver = session.analysis.resolver(&budget);
    let mut found = BTreeMap::new();
    let Ok(meant) = asking.meant(
        &session,
        &arguments.named.symbol,
        arguments.named.file.as_deref(),
        Wanted::Anything,
    ) else {
        return Ok(found);
    };
    for mention in meant
        .overloads
        .iter()
        .flat_map(|symbol| query::references(&resolver, *symbol).value)
    {
        let Some(facts) = session.facts(mention.file) else {
            continue;
        };
        let place = facts.lines.position(mention.span.start);
        let mut lines = vec![format!(
            "{}: {}",
            mention.outcome.word(),
            mention.rule.word()
        )];
        lines.extend(chain(&resolver, mention.file, mention.span));
        found.insert(
            (
                session.path(mention.file).to_owned(),
                u64::from(place.line_index) + 1,
                u64::from(place.column) + 1,
            ),
            lines,
        );
    }
    Ok(found)
}

/// Why the reference at a place means what it means, as far as it is not known from before.
pub fn chain(resolver: &Resolver<'_>, file: FileId, span: facts::Span) -> Vec<String> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let Some(reference) = view
        .facts
        .references
        .iter()
        .find(|reference| reference.span == span)
    else {
        return Vec::new();
    };
    resolver.explain();
    resolver.resolve(&view, reference);
    resolver.take_reasons()
}
