//! `codecompass tests`: the tests that run a symbol or a file, why each, and the commands for them.

use std::{io::Write, process::ExitCode};

use answers::{
    At, Session,
    lookup::{self, Wanted},
    symbol_report::local_name,
    test_groups::{SelectedTest, grouped},
    tests_to_run::{self, TestCertainty, TestsToRun},
};
use clap::Args;
use engine::query::{
    CodeUnit, ReachingTest,
    change::{ChangeSet, ChangedUnits},
};
use serde::Serialize;
use workspace::Source;

use super::{
    Settings, found,
    paint::{Paint, plain},
    session::{self, AtRef, CliSession},
};

/// List the tests that run a symbol or a file, nearest first
#[derive(Args)]
pub struct Arguments {
    /// `total`, `Cart.total`, an id that another answer shows, or a file
    #[arg(required_unless_present = "changed", conflicts_with = "changed")]
    target: Option<String>,
    /// What changed in the working tree since the last commit, or since the commit of --ref
    #[arg(long)]
    changed: bool,
    #[command(flatten)]
    at: AtRef,
    /// The file that defines the symbol, where several define the name
    #[arg(long = "in", value_name = "FILE")]
    file: Option<String>,
    #[arg(long, short = 'n', value_name = "N", default_value_t = 200)]
    limit: u32,
    /// Only the commands that run the tests
    #[arg(long, conflicts_with = "json")]
    commands: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (cli, session, answer) = match &arguments.target {
        Some(target) => {
            let cli = CliSession::open_synced(&arguments.at, settings)?;
            let session = cli.session()?;
            let answer = about_target(&cli, &session, target, arguments.file.as_deref())?;
            (cli, session, answer)
        }
        None => about_change(&arguments, settings)?,
    };
    if arguments.json {
        session::print_json(&TestsAnswer::of(&session, &answer))?;
    } else {
        print(&cli, &session, &answer, &arguments)?;
    }
    session::note_gaps(&session, answer.cut);
    if answer.cut.is_some() {
        eprintln!("note: the walk to tests ended early; there may be more");
    }
    Ok(found(!answer.tests.is_empty() || !answer.always.is_empty()))
}

/// Compares the working tree with a commit.
fn about_change(
    arguments: &Arguments,
    settings: &Settings,
) -> anyhow::Result<(CliSession, Session, TestsToRun)> {
    let live = AtRef {
        place: arguments.at.place.clone(),
        reference: None,
    };
    let cli = CliSession::open_synced(&live, settings)?;
    let session = cli.session()?;
    let base = match &arguments.at.reference {
        Some(reference) => cli.open(At::Commit(reference))?,
        None => cli.open(At::Head)?,
    };
    let (before, after) = (base.resolver(), session.resolver());
    let change = ChangeSet::new(&before, &after);
    let changed = ChangedUnits::of(&change);
    eprintln!(
        "{} symbols changed, and {} files outside of symbols",
        change.edits.len(),
        changed.paths.len()
    );
    let answer = tests_to_run::tests_to_run(&session, &changed.units, &changed.paths);
    Ok((cli, session, answer))
}

fn about_target(
    cli: &CliSession,
    session: &Session,
    name: &str,
    defined_in: Option<&str>,
) -> anyhow::Result<TestsToRun> {
    let path = cli.repository_path(name);
    let file = session.snapshot().find(&path);
    if let (Some(file), None) = (file, defined_in) {
        let path = session.snapshot().file(file).path.clone();
        let symbols = tests_to_run::units_of_file(session, file);
        return Ok(tests_to_run::tests_to_run(session, &symbols, &[path]));
    }
    let defined_in = defined_in.map(|file| cli.repository_path(file));
    // Tests may use names that the working tree has changed.
    let base = match session.view.source {
        Source::Live { .. } => cli.open(At::Head).ok(),
        _ => None,
    };
    let symbols = match cli.most_likely(session, name, defined_in.as_deref(), Wanted::Anything) {
        Ok(meant) => {
            cli.note_others(session, &meant);
            session::note(session, &meant, None);
            meant.symbols()
        }
        Err(reason) => {
            let former = base.as_ref().and_then(|base| {
                let meant =
                    lookup::lookup(base, name, defined_in.as_deref(), Wanted::Anything).ok()?;
                let now = tests_to_run::now(base, session, &meant.symbols());
                (!now.is_empty()).then_some(now)
            });
            let Some(now) = former else {
                return Err(cli.refuse(session, name, reason));
            };
            eprintln!("note: `{name}` is now `{}`", local_name(session, now[0]));
            now
        }
    };
    let units = match &base {
        Some(base) => tests_to_run::with_former_users(base, session, &symbols),
        None => symbols.into_iter().map(CodeUnit::Symbol).collect(),
    };
    Ok(tests_to_run::tests_to_run(session, &units, &[]))
}

fn print(
    cli: &CliSession,
    session: &Session,
    answer: &TestsToRun,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let paint = Paint::stdout();
    let mut output = std::io::stdout().lock();
    if !arguments.commands {
        let tests = answer.tests.iter().take(arguments.limit as usize);
        let tests: Vec<_> = tests.map(|test| SelectedTest::of(session, test)).collect();
        for group in grouped(&tests) {
            let first = group.first;
            let path = cli.seen(first.path.as_str());
            let certainty = paint.kind(first.certainty.as_str());
            let way = format!("{}{}", group.names(), first.steps);
            let place = paint.place(&path, first.line, 1);
            writeln!(output, "{place}: {certainty}  {}", plain(&way))?;
        }
    }
    for always in &answer.always {
        let why = always.why.as_str();
        eprintln!(
            "note: {} is a {why}; every test below it depends on it",
            always.path
        );
    }
    let commands = match arguments.commands {
        true => &answer.commands.exact,
        false => &answer.commands.short,
    };
    for command in commands {
        let place = match command.directory.as_str() {
            "" => String::new(),
            directory => format!("cd {} && ", plain(directory)),
        };
        writeln!(output, "{place}{}", plain(&command.line))?;
    }
    let n_tests = answer.tests.len();
    let n_shown = n_tests.min(arguments.limit as usize);
    if n_shown < n_tests && !arguments.commands {
        eprintln!("{n_shown} of {n_tests} tests shown; --limit shows more");
    }
    if n_tests == 0 && answer.always.is_empty() {
        eprintln!("no test was found that runs it");
    }
    Ok(())
}

#[derive(Serialize)]
struct TestsAnswer {
    tests: Vec<TestRow>,
    always: Vec<AlwaysRow>,
    commands: Vec<CommandRow>,
    complete: bool,
}

#[derive(Serialize)]
struct TestRow {
    #[serde(flatten)]
    test: UnitRow,
    certainty: &'static str,
    /// Tenths of a call.
    distance: u32,
    /// From the test to what was asked about.
    steps: Vec<StepRow>,
    target: UnitRow,
}

#[derive(Serialize)]
struct StepRow {
    #[serde(flatten)]
    unit: UnitRow,
    how: &'static str,
    outcome: &'static str,
}

#[derive(Serialize)]
struct UnitRow {
    path: String,
    line: u32,
    name: String,
}

#[derive(Serialize)]
struct AlwaysRow {
    path: String,
    why: &'static str,
    directory: String,
}

#[derive(Serialize)]
struct CommandRow {
    directory: String,
    command: String,
    tests: Option<usize>,
}

impl TestsAnswer {
    fn of(session: &Session, answer: &TestsToRun) -> TestsAnswer {
        let always = answer.always.iter().map(|always| AlwaysRow {
            path: always.path.to_string(),
            why: always.why.as_str(),
            directory: always.directory.clone(),
        });
        let commands = answer.commands.exact.iter().map(|command| CommandRow {
            directory: command.directory.clone(),
            command: command.line.clone(),
            tests: command.n_tests,
        });
        let tests = answer.tests.iter().map(|test| TestRow::of(session, test));
        TestsAnswer {
            tests: tests.collect(),
            always: always.collect(),
            commands: commands.collect(),
            complete: answer.cut.is_none(),
        }
    }
}

impl TestRow {
    fn of(session: &Session, test: &ReachingTest) -> TestRow {
        let steps = test.path.iter().map(|step| StepRow {
            unit: UnitRow::of(session, step.unit),
            how: step.how.as_str(),
            outcome: step.outcome.as_str(),
        });
        TestRow {
            test: UnitRow::of(session, test.test),
            certainty: TestCertainty::of(test).as_str(),
            distance: test.cost,
            steps: steps.collect(),
            target: UnitRow::of(session, test.target),
        }
    }
}

impl UnitRow {
    fn of(session: &Session, unit: CodeUnit) -> UnitRow {
        UnitRow {
            path: session.path(unit.file()).to_owned(),
            line: tests_to_run::unit_line(session, unit),
            name: tests_to_run::unit_name(session, unit),
        }
    }
}
