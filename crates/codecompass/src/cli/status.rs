//! `codecompass status`: how the index is, what it holds, and what it leaves out.

use std::{collections::BTreeMap, process::ExitCode};

use answers::status::{IndexHealth, IndexState, index_report, origin_reason};
use clap::Args;
use facts::ProblemKind;
use serde_json::json;
use workspace::{IndexFigures, Workspace};

use super::{
    Settings, found,
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
    let cli = CliSession::new(&arguments.at, settings)?;
    let workspace = &cli.workspace;
    let report = index_report(workspace, arguments.at.reference.as_deref())?;
    let (view, status) = (&report.view, &report.status);
    let is_ready = report.state == IndexState::Ready;
    let code = found(is_ready);
    if arguments.skipped {
        let paint = Paint::stdout();
        for file in view.skipped.iter() {
            print_line!(
                "{}: {}",
                plain(&cli.seen(file.path.as_str())),
                paint.kind(file.reason.as_str())
            );
        }
        return Ok(found(!view.skipped.is_empty()));
    }
    if arguments.json {
        let mut answer = cli.call("index_status").ask()?.value();
        answer["languages"] = json!(languages(status));
        answer["skipped_files"] = json!(skipped(status));
        answer["problem_files"] = json!(problems(status));
        answer["outdated_files"] = json!(status.outdated);
        session::print_json(&answer)?;
        return Ok(code);
    }
    print_index(workspace, &report);
    print_contents(workspace, status);
    if !is_ready {
        print_line!("`codecompass index` indexes it; so does the first question");
    }
    Ok(code)
}

fn row(name: &str, text: &str) {
    print_line!("{name:<11} {text}");
}

/// Which repository it is, and how its index is.
fn print_index(workspace: &Workspace, report: &IndexHealth) {
    let paint = Paint::stdout();
    let status = &report.status;
    let root = paint.name(&workspace.root().display().to_string());
    row("repository", &format!("{root}{}", head(status)));
    let state = match report.state {
        IndexState::Ready => paint.good(report.state.as_str()),
        state => paint.bad(state.as_str()),
    };
    let when = match status.synced {
        0 => String::new(),
        synced => format!(", last changed {}", ago(synced)),
    };
    row("index", &format!("{state}{when}"));
    if let Some(reason) = origin_reason(&status.origin) {
        row("", &plain(reason));
    }
    if let Some(job) = &status.running_job {
        let (done, total) = (count(job.counts.done), count(job.counts.total));
        row("running", &format!("{done} of {total} files"));
    }
}

/// What the index holds and leaves out.
fn print_contents(workspace: &Workspace, status: &IndexFigures) {
    row(
        "files",
        &format!(
            "{} with {} symbols, {} lines, {}",
            count(status.files),
            count(status.symbols),
            count(status.lines),
            bytes(status.bytes)
        ),
    );
    if status.outdated > 0 {
        let outdated = session::outdated(status.outdated);
        row(
            "",
            &format!("{outdated}; the next question, or `codecompass sync`, reads them again"),
        );
    }
    row("languages", &listed(&languages(status)));
    row("skipped", &listed(&skipped(status)));
    row("problems", &listed(&problems(status)));
    if let Some(directory) = workspace.index_directory() {
        let (facts, text) = (bytes(status.size.0), bytes(status.size.1));
        let directory = directory.display();
        row(
            "on disk",
            &format!("{facts} facts, {text} text index, in {directory}"),
        );
    }
    if let n @ 1.. = status.other_processes {
        row("shared", &format!("with {n} other processes"));
    }
}

/// Files by language, the most frequent first.
pub fn languages(status: &IndexFigures) -> Vec<(&'static str, u64)> {
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
pub fn skipped(status: &IndexFigures) -> Vec<(&'static str, u64)> {
    status
        .skipped
        .iter()
        .map(|(reason, n_files)| (reason.as_str(), *n_files))
        .collect()
}

/// Files by what is wrong with them; they are indexed as far as possible.
pub fn problems(status: &IndexFigures) -> Vec<(&'static str, u64)> {
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

fn head(status: &IndexFigures) -> String {
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
