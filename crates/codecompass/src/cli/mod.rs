//! The command line: one file per command. [`session`] is what those that ask about code share.

#[macro_use]
mod print;

mod call;
mod calls;
mod check;
mod clean;
mod client;
mod compare;
mod completions;
mod config;
mod conflicts;
mod context;
mod coverage;
mod dead;
mod definition;
mod doctor;
mod graph;
mod grep;
mod hierarchy;
mod hook;
mod index;
mod init;
mod lsp;
mod man;
mod outline;
mod paint;
mod progress;
#[cfg(feature = "remote")]
mod publish;
#[cfg(feature = "remote")]
mod pull;
mod refs;
mod related;
#[cfg(feature = "remote")]
mod remote;
mod savings;
mod search;
mod serve_mcp;
mod session;
mod status;
mod tests_to_run;
mod trust;

use std::{
    fmt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use answers::call_graph::CallDirection;
use clap::{Args, Parser, Subcommand};

use self::session::without_index;
use crate::{
    config::{Config, ConfigSources},
    host, paths,
    server::log,
};

/// Nothing was found.
const NOTHING: ExitCode = ExitCode::FAILURE;

/// Something went wrong; the message says what to do.
const ERROR: u8 = 2;

/// The exit status of a command that looks for something.
fn found(any: bool) -> ExitCode {
    if any { ExitCode::SUCCESS } else { NOTHING }
}

/// Ends a command whose reason was already printed, with this exit status.
#[derive(Debug)]
struct Told(ExitCode);

impl std::error::Error for Told {}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reason was printed before")
    }
}

/// Answers questions about code, for agents and people.
///
/// Exit status: 0 found or done, 1 nothing found, 2 an error.
#[derive(Parser)]
#[command(name = "codecompass", version = env!("CODECOMPASS_VERSION"))]
struct Cli {
    /// Log more to stderr; twice for details
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: Option<Command>,
}

/// How configuration is given, for all commands.
#[derive(Args, Clone)]
struct Settings {
    /// A configuration file besides the usual ones
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// A setting for this run: `query.freshness_policy=strict`
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    set: Vec<String>,
}

#[derive(Subcommand)]
enum Command {
    Search(search::Arguments),
    Definition(definition::Arguments),
    Refs(refs::Arguments),
    Callers(calls::Arguments),
    #[command(about = "List what a function calls")]
    Callees(calls::Arguments),
    Hierarchy(hierarchy::Arguments),
    Outline(outline::Arguments),
    Related(related::Arguments),
    Context(context::Arguments),
    Compare(compare::Arguments),
    Check(check::Arguments),
    Conflicts(conflicts::Arguments),
    Tests(tests_to_run::Arguments),
    Dead(dead::Arguments),
    #[command(disable_help_flag = true)]
    Grep(grep::Arguments),
    Init(init::Arguments),
    Index(index::Arguments),
    #[command(about = "Take in what changed since the last index")]
    Sync(index::Arguments),
    Status(status::Arguments),
    #[cfg(feature = "remote")]
    Publish(publish::Arguments),
    #[cfg(feature = "remote")]
    Pull(pull::Arguments),
    #[cfg(feature = "remote")]
    Remote(remote::Arguments),
    Doctor(doctor::Arguments),
    Clean(clean::Arguments),
    Config(config::Arguments),
    Coverage(coverage::Arguments),
    Savings(savings::Arguments),
    ServeMcp(serve_mcp::Arguments),
    // `--help` after a tool tells about the tool.
    #[command(disable_help_flag = true)]
    Call(call::Arguments),
    Client(client::Arguments),
    Hook(hook::Arguments),
    Lsp(lsp::Arguments),
    Trust(trust::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

pub fn main() -> ExitCode {
    let cli = match greps() {
        Some(command) => command,
        None => Cli::parse(),
    };
    let thread = std::thread::Builder::new()
        .name("main".to_owned())
        .stack_size(engine::STACK_SIZE)
        .spawn(|| run(cli));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // A panic has been printed.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("error: no thread can be started: {error}");
            ExitCode::from(2)
        }
    }
}

/// Behind `grep` every flag is ripgrep's: `-v` inverts, and does not log more.
fn greps() -> Option<Cli> {
    let mut given = std::env::args_os().skip(1);
    let is_grep = given.next().is_some_and(|first| first == "grep");
    is_grep.then(|| Cli {
        verbose: 0,
        settings: Settings {
            config: None,
            set: Vec::new(),
        },
        command: Some(Command::Grep(grep::Arguments {
            arguments: given.collect(),
        })),
    })
}

fn run(cli: Cli) -> ExitCode {
    log::init(cli.verbose);
    let settings = &cli.settings;
    let Some(command) = cli.command else {
        welcome();
        return ExitCode::SUCCESS;
    };
    let done = match command {
        Command::Search(arguments) => search::run(arguments, settings),
        Command::Definition(arguments) => {
            without_index(|first_index| definition::run(&arguments, settings, first_index))
        }
        Command::Refs(arguments) => {
            without_index(|first_index| refs::run(&arguments, settings, first_index))
        }
        Command::Callers(arguments) => without_index(|first_index| {
            calls::run(&arguments, settings, CallDirection::Callers, first_index)
        }),
        Command::Callees(arguments) => without_index(|first_index| {
            calls::run(&arguments, settings, CallDirection::Callees, first_index)
        }),
        Command::Hierarchy(arguments) => {
            without_index(|first_index| hierarchy::run(&arguments, settings, first_index))
        }
        Command::Outline(arguments) => {
            without_index(|first_index| outline::run(&arguments, settings, first_index))
        }
        Command::Related(arguments) => related::run(arguments, settings),
        Command::Context(arguments) => context::run(arguments, settings),
        Command::Compare(arguments) => compare::run(arguments, settings),
        Command::Check(arguments) => check::run(arguments, settings),
        Command::Conflicts(arguments) => conflicts::run(arguments, settings),
        Command::Tests(arguments) => tests_to_run::run(arguments, settings),
        Command::Dead(arguments) => dead::run(arguments, settings),
        Command::Grep(arguments) => grep::run(arguments, settings),
        Command::Init(arguments) => init::run(arguments, settings),
        Command::Index(arguments) | Command::Sync(arguments) => index::run(arguments, settings),
        Command::Status(arguments) => status::run(arguments, settings),
        #[cfg(feature = "remote")]
        Command::Publish(arguments) => publish::run(arguments, settings),
        #[cfg(feature = "remote")]
        Command::Pull(arguments) => pull::run(arguments, settings),
        #[cfg(feature = "remote")]
        Command::Remote(arguments) => remote::run(arguments, settings),
        Command::Doctor(arguments) => doctor::run(arguments, settings),
        Command::Clean(arguments) => clean::run(arguments, settings),
        Command::Config(arguments) => config::run(arguments, settings),
        Command::Coverage(arguments) => coverage::run(arguments, settings),
        Command::Savings(arguments) => savings::run(arguments, settings),
        Command::ServeMcp(arguments) => serve_mcp::run(arguments, settings),
        Command::Call(arguments) => call::run(arguments, settings),
        Command::Client(arguments) => client::run(arguments),
        Command::Hook(arguments) => hook::run(arguments, settings),
        Command::Lsp(arguments) => lsp::run(arguments),
        Command::Trust(arguments) => trust::run(arguments),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Man(arguments) => man::run(arguments),
    };
    match done {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => match error.downcast::<Told>() {
            Ok(Told(code)) => code,
            Err(error) => {
                eprintln!("error: {}", log::redact(&format!("{error:#}")));
                ExitCode::from(ERROR)
            }
        },
    }
}

impl Settings {
    /// What is set for the repository around a directory, or around the current one.
    fn config(&self, directory: Option<&Path>) -> anyhow::Result<Config> {
        let config = Config::load(&self.sources(directory)?)?;
        for ignored in config.ignored() {
            eprintln!("warning: {}", log::redact(ignored));
        }
        Ok(config)
    }

    fn sources(&self, directory: Option<&Path>) -> anyhow::Result<ConfigSources> {
        let repository = match directory {
            Some(directory) => {
                let real = dunce::canonicalize(directory).ok();
                real.map(|real| {
                    real.ancestors()
                        .find(|around| around.join(".git").exists())
                        .map_or_else(|| real.clone(), Path::to_path_buf)
                })
            }
            None => host::enclosing_project(),
        };
        Ok(ConfigSources {
            flags: self.set.clone(),
            environment: std::env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            file: self.config.clone(),
            repository,
            user: Some(paths::config()?.join("config.toml")),
        })
    }
}

/// `codecompass` alone.
fn welcome() {
    print_line!(
        "codecompass answers questions about the code around you. Three next steps:

  codecompass search \"where are sessions stored\"   ask something; the first question indexes
  codecompass client add claude-code               let an agent ask (also: cursor, codex, ...)
  codecompass --help                               see everything else"
    );
}

/// Whoever read our output has read enough (`| head`).
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| {
        let cause = cause.downcast_ref::<std::io::Error>();
        cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// The command itself, for shells' completions and manual pages.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
