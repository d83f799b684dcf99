//! `codecompass status`: how the index is, what it holds, and what it leaves out.

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use facts::ProblemKind;
use serde_json::json;
use workspace::{Origin, Status};

use super::{
    NOTHING, Settings,
    paint::{Paint, bytes, count, plain},
    session::{self, AtRef, CliSession},
};

/// Show how the index is, and which files it leaves out
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    at: AtRef,
    /// List each file that is left out, with the reason
    #[arg(long)]
    skipped: bool,
    /// The answer that `index_status` gives over MCP, with languages and skipped files
    #[arg(long)]
    json: bool,
}

/// Exit status 1 where nothing is indexed yet.
pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let cli = CliSession::open(&arguments.at, settings)?;
    let workspace = &cli.workspace;
    let mut answer = match cli.ask("index_status", json!({}), arguments.json)? {
        Ok(answer) => answer,
        Err(code) => return Ok(code),
    };
    let is_indexed = answer["index_status"] == "ready";
    let view = match &arguments.at.reference {
        Some(_) if is_indexed => cli.session()?.view,
        _ => workspace.live(),
    };
    let status = workspace.status(&view)?;
    if arguments.skipped {
        let paint = Paint::stdout();
        for file in view.skipped.iter() {
            println!(
                "{}: {}",
                plain(&cli.seen(file.path.as_str())),
                paint.kind(file.reason.as_str())
            );
        }
        return Ok(if view.skipped.is_empty() {
            NOTHING
        } else {
            ExitCode::SUCCESS
        });
    }
    if arguments.json {
        answer["languages"] = json!(languages(&status));
        answer["skipped_files"] = json!(skipped(&status));
        answer["problem_files"] = json!(problems(&status));
        answer["outdated_files"] = json!(status.outdated);
        session::print_json(&answer)?;
        return Ok(if is_indexed {
            ExitCode::SUCCESS
        } else {
            NOTHING
        });
    }
    let paint = Paint::stdout();
    let row = |name: &str, text: String| println!("{:<11} {text}", name);
    row(
        "repository",
        format!(
            "{}{}",
            paint.name(&workspace.root().display().to_string()),
            head(&status)
        ),
    );
    let state = answer["index_status"].as_str().unwrap_or("unknown");
    let when = if status.synced > 0 {
        format!(", last changed {}", ago(status.synced))
    } else {
        String::new()
    };
    row(
        "index",
        format!(
            "{}{when}",
            if is_indexed {
                paint.good(state)
            } else {
                paint.bad(state)
            }
        ),
    );
    if let Some(reason) = reason(&status.origin) {
        row("", plain(reason));
    }
    if let Some(job) = &status.running_job {
        row(
            "running",
            format!(
                "{} of {} files",
                count(job.counts.done),
                count(job.counts.total)
            ),
        );
    }
    row(
        "files",
        format!(
            "{} with {} symbols, {} lines, {}",
            count(status.files),
            count(status.symbols),
            count(status.lines),
            bytes(status.bytes)
        ),
    );
    if status.outdated > 0 {
        row(
            "",
            format!(
                "{}; the next question, or `codecompass sync`, reads them again",
                session::outdated(status.outdated)
            ),
        );
    }
    row("languages", listed(&languages(&status)));
    row("skipped", listed(&skipped(&status)));
    row("problems", listed(&problems(&status)));
    if let Some(directory) = workspace.index_directory() {
        row(
            "on disk",
            format!(
                "{} facts, {} text index, in {}",
                bytes(status.size.0),
                bytes(status.size.1),
                directory.display()
            ),
        );
    }
    if status.other_processes > 0 {
        row(
            "shared",
            format!("with {} other processes", status.other_processes),
        );
    }
    if !is_indexed {
        println!("`codecompass index` indexes it; so does the first question");
    }
    Ok(if is_indexed {
        ExitCode::SUCCESS
    } else {
        NOTHING
    })
}

/// Files by language, the most frequent first.
pub fn languages(status: &Status) -> Vec<(&'static str, u64)> {
    let name = |number: u16| {
        extract::language(facts::LanguageId(number)).map_or("text", |language| language.name)
    };
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for (number, n_files) in &status.languages {
        *files.entry(name(*number)).or_default() += n_files;
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(name, n_files)| (std::cmp::Reverse(*n_files), *name));
    files
}

/// Files by the reason why they are left out.
pub fn skipped(status: &Status) -> Vec<(&'static str, u64)> {
    status
        .skipped
        .iter()
        .map(|(reason, n_files)| (reason.as_str(), *n_files))
        .collect()
}

/// Files by what is wrong with them; they are indexed as far as possible.
pub fn problems(status: &Status) -> Vec<(&'static str, u64)> {
    let word = |kind: ProblemKind| match kind {
        ProblemKind::Syntax => "syntax",
        ProblemKind::Missing => "something_missing",
        ProblemKind::TooDeep => "too_deep",
        ProblemKind::Deadline => "parse_deadline",
        ProblemKind::Encoding => "encoding",
    };
    status
        .problems
        .iter()
        .map(|(kind, n_files)| (word(*kind), *n_files))
        .collect()
}

pub fn listed(counts: &[(&'static str, u64)]) -> String {
    if counts.is_empty() {
        return "none".to_owned();
    }
    counts
        .iter()
        .map(|(name, n)| format!("{name} {}", count(*n)))
        .collect::<Vec<_>>()
        .join(", ")
}

pub fn reason(origin: &Origin) -> Option<&str> {
    match origin {
        Origin::Rebuilt { reason, .. } | Origin::Memory { reason } => Some(reason),
        _ => None,
    }
}

fn head(status: &Status) -> String {
    let commit = status
        .head
        .commit
        .as_ref()
        .map(|id| id.to_string().chars().take(12).collect::<String>());
    match (&status.head.branch, commit) {
        (Some(branch), Some(commit)) => format!(", {} at {commit}", plain(branch)),
        (Some(branch), None) => format!(", {} without a commit", plain(branch)),
        (None, Some(commit)) => format!(", at {commit}"),
        (None, None) => String::new(),
    }
}

fn ago(milliseconds: i64) -> String {
    let seconds = ((store::now_ms() - milliseconds) / 1000).max(0);
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
