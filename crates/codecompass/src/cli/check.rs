//! `codecompass check`: is a change safe?

use std::{
    io::{IsTerminal, Read, Write},
    process::ExitCode,
};

use answers::change::{
    self, ChangeReport, ChangeSource, ChangeVerdict, ConflictReport, LineOfWork,
};
use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use tools::{
    change::{
        PageLinks, TextLimits, conflict_text, conflicts_markdown, github, markdown, sarif, text,
    },
    codecompass::check_change,
};

use super::{
    Settings,
    session::{self, AtRef, CliSession, DirectoryArg},
};

/// Tell what a change breaks, which contracts it changes, which tests to run and what is dead now
///
/// The working tree is compared with HEAD, files that git does not track included, unless a range, --staged or --patch
/// says otherwise. Nothing is written anywhere.
///
/// Exit status: 0 nothing certain breaks, 1 something does, 2 an error, 3 not everything was looked at.
#[derive(Args)]
pub struct Arguments {
    /// `BASE..HEAD`, `BASE...HEAD` (since they parted), or BASE and HEAD; a base alone is compared with the working
    /// tree
    #[arg(value_name = "RANGE", num_args = 0..=2)]
    range: Vec<String>,
    /// What the next commit would change
    #[arg(long, conflicts_with_all = ["range", "patch"])]
    staged: bool,
    /// A unified diff, or `-` for stdin, over the working tree or over RANGE if that names one commit
    #[arg(long, value_name = "FILE")]
    patch: Option<String>,
    /// A branch, commit, worktree or overlay whose work may conflict with the working tree
    #[arg(long, value_name = "REF|WORKTREE", conflicts_with_all = ["range", "patch", "staged"])]
    against: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    /// Work for at most so long; what was not looked at is then said
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    #[command(flatten)]
    place: DirectoryArg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    #[default]
    Text,
    /// What `check_change` answers over MCP
    Json,
    /// A page for a pull request
    Markdown,
    /// For code scanning
    Sarif,
    /// Annotations of lines in GitHub Actions
    Github,
}

/// Bytes of a patch that are read.
const MOST_PATCH: u64 = 64 << 20;
/// Nothing certain breaks, and not everything was looked at.
const INCOMPLETE: u8 = 3;

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let at = AtRef {
        place: arguments.place.clone(),
        reference: None,
    };
    let patch = arguments.patch.as_deref().map(read_patch).transpose()?;
    let cli = CliSession::open_synced(&at, settings)?;
    let range = match arguments.range.as_slice() {
        [base, head] => Some(format!("{base}..{head}")),
        [range] => Some(range.clone()),
        _ => None,
    };
    let source = match (&patch, &range) {
        (Some(text), over) => ChangeSource::Patch {
            text,
            over: over.as_deref(),
        },
        (None, Some(range)) => ChangeSource::range(range)?,
        (None, None) if arguments.staged => ChangeSource::Staged,
        (None, None) => ChangeSource::WorkingTree,
    };
    let opening = cli.opening(arguments.timeout);
    let opened = opening.open(source)?;
    let report = change::check(&opened);
    let others = arguments.against.iter().map(|name| opening.work(name));
    let conflicts = others.map(|other| opening.conflicts(&LineOfWork::WorkingTree, &other));
    let conflicts: Vec<ConflictReport> = conflicts.collect::<Result<_, _>>()?;
    let verdict = [report.verdict()]
        .into_iter()
        .chain(conflicts.iter().map(ConflictReport::verdict))
        .fold(ChangeVerdict::Passes, ChangeVerdict::and);
    if arguments.format == CheckFormat::Json {
        let answer = check_change::answer(&opened.head, report, &conflicts);
        session::print_json(&answer.map_err(|error| anyhow!(error.message))?)?;
    } else {
        print(&report, &conflicts, arguments.format)?;
        session::note_gaps(&opened.head, None);
    }
    Ok(status(verdict))
}

fn print(
    report: &ChangeReport,
    conflicts: &[ConflictReport],
    format: CheckFormat,
) -> anyhow::Result<()> {
    let mut output = std::io::stdout().lock();
    let shown = match format {
        CheckFormat::Text | CheckFormat::Json => {
            let conflicts = conflicts.iter().map(conflict_text);
            text(report, TextLimits::PERSON) + &conflicts.collect::<String>()
        }
        CheckFormat::Markdown => {
            let links = links(&report.head);
            markdown(report, &links) + &conflicts_markdown(conflicts, &links)
        }
        CheckFormat::Github => github(report),
        CheckFormat::Sarif => {
            let version = env!("CODECOMPASS_VERSION");
            let mut text = serde_json::to_string_pretty(&sarif(report, version))?;
            text.push('\n');
            text
        }
    };
    // A terminal obeys some characters that a file may hold.
    let shown = match output.is_terminal() {
        true => shown
            .lines()
            .map(|line| super::paint::plain(line) + "\n")
            .collect(),
        false => shown,
    };
    output.write_all(shown.as_bytes())?;
    Ok(())
}

pub(super) fn status(verdict: ChangeVerdict) -> ExitCode {
    match verdict {
        ChangeVerdict::Passes => ExitCode::SUCCESS,
        ChangeVerdict::Breaks => ExitCode::FAILURE,
        ChangeVerdict::Incomplete => ExitCode::from(INCOMPLETE),
    }
}

/// Links to the lines of the head, where GitHub runs the check.
fn links(head: &str) -> PageLinks {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let address = variable("GITHUB_SERVER_URL").zip(variable("GITHUB_REPOSITORY"));
    PageLinks {
        address: address.map(|(server, repository)| format!("{server}/{repository}")),
        commit: variable("GITHUB_SHA").unwrap_or_else(|| head.to_owned()),
    }
}

fn read_patch(file: &str) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let n_read = match file {
        "-" => std::io::stdin()
            .lock()
            .take(MOST_PATCH + 1)
            .read_to_end(&mut bytes),
        file => {
            let opened = std::fs::File::open(file);
            let opened = opened.with_context(|| format!("cannot read the patch {file}"))?;
            opened.take(MOST_PATCH + 1).read_to_end(&mut bytes)
        }
    };
    let n_read = n_read.with_context(|| format!("cannot read the patch {file}"))?;
    if n_read as u64 > MOST_PATCH {
        bail!(
            "the patch is larger than {} MB; check a commit instead",
            MOST_PATCH >> 20
        );
    }
    // Old files may hold other encodings; their hunks then do not apply, and say so.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
