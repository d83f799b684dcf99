//! `codecompass doctor`: looks at everything that can be wrong, and ends in a verdict.

use std::{path::Path, process::ExitCode};

use clap::Args;
use language_servers::Detected;
use serde::Serialize;
use workspace::{Origin, Workspace};

use super::{
    ERROR, Settings,
    paint::{Paint, bytes, count, plain},
    session::{self, Place},
    status,
};
use crate::{
    host,
    language_server_control::{self, ControlRequest, ServerAction},
    paths,
    trust::Trust,
};

/// Check everything that can be wrong, and say what to do
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Do not run language servers for their versions
    #[arg(long)]
    quick: bool,
    /// The findings and the verdict for programs
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Finding {
    Good,
    /// Works, and something is worth knowing.
    Note,
    Bad,
}

struct Report {
    paint: Paint,
    worst: Finding,
    /// For programs, instead of lines for people.
    findings: Option<Vec<CheckRow>>,
}

#[derive(Serialize)]
struct CheckRow {
    finding: Finding,
    what: String,
    text: String,
}

#[derive(Serialize)]
struct DoctorReport {
    verdict: Finding,
    findings: Vec<CheckRow>,
}

impl Report {
    fn say(&mut self, finding: Finding, what: &str, text: &str) {
        self.worst = self.worst.max(finding);
        if let Some(findings) = &mut self.findings {
            let (what, text) = (what.to_owned(), text.to_owned());
            return findings.push(CheckRow {
                finding,
                what,
                text,
            });
        }
        let mark = match finding {
            Finding::Good => self.paint.good("ok"),
            Finding::Note => "note".to_owned(),
            Finding::Bad => self.paint.bad("BAD"),
        };
        println!("{mark:<4} {what}: {}", plain(text));
    }
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut report = Report {
        paint: Paint::stdout(),
        worst: Finding::Good,
        findings: arguments.json.then(Vec::new),
    };
    report.say(Finding::Good, "version", env!("CODECOMPASS_VERSION"));
    let config = match arguments.place.config(settings) {
        Ok(config) => {
            let n_set = config
                .entries()
                .filter(|(_, _, origin)| **origin != crate::config::SettingOrigin::Default)
                .count();
            report.say(
                Finding::Good,
                "configuration",
                &format!(
                    "{n_set} settings differ from the default; `codecompass config` lists them"
                ),
            );
            config
                .ignored()
                .iter()
                .for_each(|ignored| report.say(Finding::Bad, "configuration", ignored));
            config
        }
        Err(error) => {
            report.say(Finding::Bad, "configuration", &format!("{error:#}"));
            crate::config::Config::default()
        }
    };
    grammars(&mut report);
    match arguments
        .place
        .directory()
        .and_then(|directory| Ok(Workspace::open(&directory, config.workspace_options())?))
    {
        Ok(workspace) => examine(&mut report, &workspace, &config)?,
        Err(error) => report.say(Finding::Bad, "repository", &format!("{error:#}")),
    }
    if !arguments.quick {
        language_servers(&mut report);
    }
    let verdict = match report.worst {
        Finding::Good => "healthy",
        Finding::Note => "healthy, with notes",
        Finding::Bad => "something is wrong; see BAD above",
    };
    match report.findings {
        Some(findings) => session::print_json(&DoctorReport {
            verdict: report.worst,
            findings,
        })?,
        None if report.worst == Finding::Bad => {
            println!("\nverdict: {}", report.paint.bad(verdict))
        }
        None => println!("\nverdict: {}", report.paint.good(verdict)),
    }
    Ok(if report.worst == Finding::Bad {
        ExitCode::from(ERROR)
    } else {
        ExitCode::SUCCESS
    })
}

fn grammars(report: &mut Report) {
    let all = extract::LANGUAGES.iter();
    let missing: Vec<&str> = all
        .clone()
        .filter(|language| !language.has_grammar() && language.semantics.is_some())
        .map(|language| language.name)
        .collect();
    let n_there = all.filter(|language| language.has_grammar()).count();
    match missing.as_slice() {
        [] => report.say(
            Finding::Good,
            "languages",
            &format!("{n_there} grammars built in"),
        ),
        missing => report.say(
            Finding::Note,
            "languages",
            &format!(
                "{n_there} grammars built in; not in this build: {}",
                missing.join(", ")
            ),
        ),
    }
}

fn examine(
    report: &mut Report,
    workspace: &Workspace,
    config: &crate::config::Config,
) -> anyhow::Result<()> {
    let head = workspace.head();
    let what = match (workspace.is_git(), workspace.is_bare(), &head.branch) {
        (false, ..) => "a directory without git".to_owned(),
        (true, true, _) => "a bare repository".to_owned(),
        (true, false, Some(branch)) => format!("on {branch}"),
        (true, false, None) => "at a detached HEAD".to_owned(),
    };
    report.say(
        Finding::Good,
        "repository",
        &format!("{}, {what}", workspace.root().display()),
    );
    match workspace.origin() {
        Origin::Memory { reason } => report.say(
            Finding::Bad,
            "index",
            &format!("kept in memory only: {reason}; set CODECOMPASS_HOME to a directory that can be written"),
        ),
        Origin::Rebuilt { reason, .. } => report.say(Finding::Note, "index", &format!("was begun anew: {reason}")),
        _ => {
            let place = workspace.index_directory().map(|directory| directory.display().to_string()).unwrap_or_default();
            report.say(Finding::Good, "index", &place);
        }
    }
    let view = workspace.live();
    let status = workspace.status(&view)?;
    if !workspace.is_indexed() && !workspace.is_bare() {
        report.say(
            Finding::Note,
            "contents",
            "not indexed yet; the first question indexes, or `codecompass index`",
        );
    } else {
        let size = bytes(status.size.0 + status.size.1);
        report.say(
            Finding::Good,
            "contents",
            &format!(
                "{} files, {} symbols, {size} on disk",
                count(status.files),
                count(status.symbols)
            ),
        );
        if status.outdated > 0 {
            let text = format!(
                "{}; the next question, or `codecompass sync`, reads them again",
                session::outdated(status.outdated)
            );
            report.say(Finding::Note, "outdated files", &text);
        }
        match workspace.text().statistics(&view) {
            Ok(_) => report.say(Finding::Good, "text index", "can be read"),
            Err(error) => report.say(
                Finding::Bad,
                "text index",
                &format!("{error}; run `codecompass index --force`"),
            ),
        }
    }
    let (skipped, problems) = (status::skipped(&status), status::problems(&status));
    let finding = |list: &[(&str, u64)]| {
        if list.is_empty() {
            Finding::Good
        } else {
            Finding::Note
        }
    };
    report.say(
        finding(&skipped),
        "skipped files",
        &status::listed(&skipped),
    );
    report.say(
        finding(&problems),
        "files with problems",
        &status::listed(&problems),
    );
    if let Some(job) = workspace.jobs().recent(1)?.first()
        && let Some(error) = &job.error
    {
        report.say(
            Finding::Bad,
            "last job",
            &format!("{}; run `codecompass index`", error.message),
        );
    }
    watching(report, &view);
    let is_trusted = Trust::load(&paths::config()?)?.covers(workspace.root());
    let text = match (config.language_servers(), is_trusted) {
        (false, _) => "language servers are switched off by lsp.enabled",
        (true, true) => "trusted: language servers may start here",
        (true, false) => {
            "not trusted: answers come from the index alone; `codecompass trust` lets language servers start here"
        }
    };
    report.say(Finding::Good, "trust", text);
    Ok(())
}

/// Linux counts watched directories.
fn watching(report: &mut Report, view: &workspace::SnapshotView) {
    let limit = std::fs::read_to_string(Path::new("/proc/sys/fs/inotify/max_user_watches"));
    let Some(limit) = limit
        .ok()
        .and_then(|text| text.trim().parse::<usize>().ok())
    else {
        return;
    };
    let directories: std::collections::BTreeSet<&str> = view
        .snapshot
        .files()
        .map(|(_, file)| file.path.directory())
        .collect();
    let text = format!(
        "{} directories of at most {} that may be watched",
        directories.len(),
        limit
    );
    if directories.len() < limit {
        report.say(Finding::Good, "watching", &text);
    } else {
        report.say(
            Finding::Note,
            "watching",
            &format!("{text}: each answer looks at the whole tree instead; raise fs.inotify.max_user_watches"),
        );
    }
}

/// What this machine has of the servers that we know, what runs of them, and how to get the others.
fn language_servers(report: &mut Report) {
    let settings = match host::server_settings() {
        Ok(settings) => settings,
        Err(error) => return report.say(Finding::Bad, "language servers", &format!("{error:#}")),
    };
    let servers = language_servers::detect(&settings.catalogue, &settings.search_path);
    let replies = language_server_control::ask(&ControlRequest {
        action: ServerAction::Status,
        server: None,
    })
    .unwrap_or_default();
    let kept: Vec<_> = replies
        .into_iter()
        .flat_map(|reply| reply.servers)
        .collect();
    let serving = |language: &str| {
        servers
            .iter()
            .find(|server| server.language == language && server.state == Detected::Works)
            .map(|one| &one.server)
    };
    for server in &servers {
        let untested = if server.tested { "" } else { "; untested" };
        let what = format!("{} ({})", server.server, server.language);
        match &server.state {
            Detected::Works => {
                let version = server.version.as_deref().unwrap_or("version unknown");
                let path = server
                    .path
                    .as_deref()
                    .map(|path| format!(", {}", path.display()))
                    .unwrap_or_default();
                let states: Vec<&str> = kept
                    .iter()
                    .filter(|kept| kept.server == server.server)
                    .map(|kept| kept.state.as_str())
                    .collect();
                let state = if states.is_empty() {
                    "not running".to_owned()
                } else {
                    states.join(", ")
                };
                report.say(
                    Finding::Good,
                    &what,
                    &format!("{version}{path}; {state}{untested}"),
                );
            }
            Detected::Broken { reason } => {
                report.say(
                    Finding::Note,
                    &what,
                    &format!(
                        "does not run: {reason}; to install: {}{untested}",
                        server.install_hint
                    ),
                );
            }
            Detected::Missing => {
                let instead = serving(&server.language)
                    .map(|other| format!(", {other} serves instead"))
                    .unwrap_or_default();
                report.say(
                    Finding::Good,
                    &what,
                    &format!(
                        "not installed{instead}; to install: {}{untested}",
                        server.install_hint
                    ),
                );
            }
        }
    }
}
