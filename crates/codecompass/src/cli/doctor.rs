//! `codecompass doctor`: looks at everything that can be wrong, and ends in a verdict.

use std::{path::Path, process::ExitCode};

use clap::{Args, ValueEnum};
use language_servers::Detected;
use serde::Serialize;
use workspace::{Origin, Workspace};

use super::{
    ERROR, Settings,
    paint::{Paint, bytes, count, plain},
    session::{self, DirectoryArg},
    status,
};
use crate::{
    client::{Client, ConfigScope},
    config::{Config, SettingOrigin},
    host,
    language_server_control::{self, ControlRequest, ServerAction},
    paths,
    trust::Trust,
};

/// Check everything that can be wrong, and say what to do
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
    /// Do not run language servers for their versions
    #[arg(long)]
    quick: bool,
    /// The findings and the verdict for programs
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckResult {
    Good,
    /// Works, and something is worth knowing.
    Note,
    Bad,
}

struct Report {
    paint: Paint,
    worst: CheckResult,
    /// For programs, instead of lines for people.
    findings: Option<Vec<CheckRow>>,
}

#[derive(Serialize)]
struct CheckRow {
    finding: CheckResult,
    what: String,
    text: String,
}

#[derive(Serialize)]
struct DoctorReport {
    verdict: CheckResult,
    findings: Vec<CheckRow>,
}

impl Report {
    fn say(&mut self, finding: CheckResult, what: &str, text: &str) {
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
            CheckResult::Good => self.paint.good("ok"),
            CheckResult::Note => "note".to_owned(),
            CheckResult::Bad => self.paint.bad("BAD"),
        };
        print_line!("{mark:<4} {what}: {}", plain(text));
    }

    fn good(&mut self, what: &str, text: impl AsRef<str>) {
        self.say(CheckResult::Good, what, text.as_ref());
    }

    fn note(&mut self, what: &str, text: impl AsRef<str>) {
        self.say(CheckResult::Note, what, text.as_ref());
    }

    fn bad(&mut self, what: &str, text: impl AsRef<str>) {
        self.say(CheckResult::Bad, what, text.as_ref());
    }
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut report = Report {
        paint: Paint::stdout(),
        worst: CheckResult::Good,
        findings: arguments.json.then(Vec::new),
    };
    report.good("version", env!("CODECOMPASS_VERSION"));
    let config = match arguments.place.config(settings) {
        Ok(config) => {
            let entries = config.entries();
            let is_set = |origin: &SettingOrigin| *origin != SettingOrigin::Default;
            let n_set = entries.filter(|(_, _, origin)| is_set(origin)).count();
            let about = "settings differ from the default; `codecompass config` lists them";
            report.good("configuration", format!("{n_set} {about}"));
            for ignored in config.ignored() {
                report.bad("configuration", ignored);
            }
            config
        }
        Err(error) => {
            report.bad("configuration", format!("{error:#}"));
            Config::default()
        }
    };
    grammars(&mut report);
    match arguments
        .place
        .directory()
        .and_then(|directory| Ok(Workspace::open(&directory, config.workspace_options())?))
    {
        Ok(workspace) => examine(&mut report, &workspace, &config)?,
        Err(error) => report.bad("repository", format!("{error:#}")),
    }
    clients(&mut report);
    if !arguments.quick {
        language_servers(&mut report);
    }
    let verdict = match report.worst {
        CheckResult::Good => "healthy",
        CheckResult::Note => "healthy, with notes",
        CheckResult::Bad => "something is wrong; see BAD above",
    };
    match report.findings {
        Some(findings) => session::print_json(&DoctorReport {
            verdict: report.worst,
            findings,
        })?,
        None if report.worst == CheckResult::Bad => {
            print_line!("\nverdict: {}", report.paint.bad(verdict))
        }
        None => print_line!("\nverdict: {}", report.paint.good(verdict)),
    }
    Ok(if report.worst == CheckResult::Bad {
        ExitCode::from(ERROR)
    } else {
        ExitCode::SUCCESS
    })
}

/// Entries in clients' files that start other tools than `client add` would today.
fn clients(report: &mut Report) {
    let Ok(project) = std::env::current_dir() else {
        return;
    };
    for client in Client::value_variants() {
        for (scope, flag) in [(ConfigScope::Project, ""), (ConfigScope::User, " --user")] {
            let Ok(file) = client.file(scope, &project) else {
                continue;
            };
            if client.has_old_entry(&file) {
                let name = client.to_possible_value();
                let name = name.as_ref().map_or("", |name| name.get_name());
                let text = format!(
                    "{} has an entry of an earlier version; `codecompass client add {name}{flag}` moves it to the tools for agents",
                    file.display()
                );
                report.note("client", text);
            }
        }
    }
}

fn grammars(report: &mut Report) {
    let all = extract::LANGUAGES.iter();
    let is_missing =
        |language: &&&extract::Language| !language.has_grammar() && language.semantics.is_some();
    let missing: Vec<&str> = all
        .clone()
        .filter(is_missing)
        .map(|language| language.name)
        .collect();
    let n_there = all.filter(|language| language.has_grammar()).count();
    let built_in = format!("{n_there} grammars built in");
    match missing.as_slice() {
        [] => report.good("languages", built_in),
        missing => {
            let missing = missing.join(", ");
            report.note(
                "languages",
                format!("{built_in}; not in this build: {missing}"),
            );
        }
    }
}

fn examine(report: &mut Report, workspace: &Workspace, config: &Config) -> anyhow::Result<()> {
    let head = workspace.head();
    let what = match (workspace.is_git(), workspace.is_bare(), &head.branch) {
        (false, ..) => "a directory without git".to_owned(),
        (true, true, _) => "a bare repository".to_owned(),
        (true, false, Some(branch)) => format!("on {branch}"),
        (true, false, None) => "at a detached HEAD".to_owned(),
    };
    report.good(
        "repository",
        format!("{}, {what}", workspace.root().display()),
    );
    match workspace.origin() {
        Origin::Memory { reason } => {
            let remedy = "set CODECOMPASS_HOME to a directory that can be written";
            report.bad("index", format!("kept in memory only: {reason}; {remedy}"));
        }
        Origin::Rebuilt { reason, .. } => {
            report.note("index", format!("was begun anew: {reason}"));
        }
        _ => {
            let directory = workspace.index_directory();
            let directory = directory.map(|directory| directory.display().to_string());
            report.good("index", directory.unwrap_or_default());
        }
    }
    let view = workspace.live();
    let status = workspace.status(&view)?;
    if !workspace.is_indexed() && !workspace.is_bare() {
        let text = "not indexed yet; the first question indexes, or `codecompass index`";
        report.note("contents", text);
    } else {
        let (files, symbols) = (count(status.files), count(status.symbols));
        let size = bytes(status.size.0 + status.size.1);
        report.good(
            "contents",
            format!("{files} files, {symbols} symbols, {size} on disk"),
        );
        if status.outdated > 0 {
            let outdated = session::outdated(status.outdated);
            let text = "the next question, or `codecompass sync`, reads them again";
            report.note("outdated files", format!("{outdated}; {text}"));
        }
        match workspace.text().statistics(&view) {
            Ok(_) => report.good("text index", "can be read"),
            Err(error) => {
                report.bad(
                    "text index",
                    format!("{error}; run `codecompass index --force`"),
                );
            }
        }
    }
    for (what, list) in [
        ("skipped files", status::skipped(&status)),
        ("files with problems", status::problems(&status)),
    ] {
        match list.is_empty() {
            true => report.good(what, status::listed(&list)),
            false => report.note(what, status::listed(&list)),
        }
    }
    if let Some(job) = workspace.jobs().recent(1)?.first()
        && let Some(error) = &job.error
    {
        report.bad(
            "last job",
            format!("{}; run `codecompass index`", error.message),
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
    report.good("trust", text);
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
    let n = directories.len();
    let text = format!("{n} directories of at most {limit} that may be watched");
    if n < limit {
        report.good("watching", text);
    } else {
        let remedy =
            "each answer looks at the whole tree instead; raise fs.inotify.max_user_watches";
        report.note("watching", format!("{text}: {remedy}"));
    }
}

/// What this machine has of the servers that we know, what runs of them, and how to get the others.
fn language_servers(report: &mut Report) {
    let settings = match host::server_settings() {
        Ok(settings) => settings,
        Err(error) => {
            return report.bad("language servers", format!("{error:#}"));
        }
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
        let install = format!("to install: {}{untested}", server.install_hint);
        let what = format!("{} ({})", server.server, server.language);
        match &server.state {
            Detected::Works => {
                let version = server.version.as_deref().unwrap_or("version unknown");
                let path = server.path.as_deref();
                let path = path.map(|path| format!(", {}", path.display()));
                let path = path.unwrap_or_default();
                let kept = kept.iter().filter(|kept| kept.server == server.server);
                let states: Vec<&str> = kept.map(|kept| kept.state.as_str()).collect();
                let state = match states.is_empty() {
                    true => "not running".to_owned(),
                    false => states.join(", "),
                };
                report.good(&what, format!("{version}{path}; {state}{untested}"));
            }
            Detected::Broken { reason } => {
                report.note(&what, format!("does not run: {reason}; {install}"));
            }
            Detected::Missing => {
                let instead = serving(&server.language);
                let instead = instead.map(|other| format!(", {other} serves instead"));
                let instead = instead.unwrap_or_default();
                report.good(&what, format!("not installed{instead}; {install}"));
            }
        }
    }
}
