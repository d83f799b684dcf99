//! How often findings about changes are right.
//!
//! `quiet` looks at commits of a history, of which nearly all compile: a certain finding is a false
//! alarm. `broken` takes commits that change a declaration and its uses, undoes the change of some of
//! the uses, and holds the findings against the errors of a compiler. Each case is a line
//! of JSON in a file of results; a case that the file has is not run again.

mod compilers;
mod conflicts;
mod states;

use std::{
    collections::BTreeSet,
    fs::OpenOptions,
    io::Write as _,
    path::Path,
    process::Command,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use anyhow::{Context, bail};
use engine::{
    Analysis, Budget, Snapshot,
    query::change::{self, Break, BreakKind, ChangeSet, EditKind, FindingConfidence},
};
use serde_json::{Value, json};
use workspace::{Options, SnapshotView, Workspace};

use compilers::{CompiledTree, Compiler, CompilerError};
use conflicts::text_of;
use states::BrokenState;

pub const USAGE: &str = "\
usage: cargo xtask breaks quiet REPOSITORY RESULTS [N]
         checks N commits (100), newest first, each against its first parent
       cargo xtask breaks broken go|java|java:MODULE|rust|typescript|python|pytest|node-tests|ruby-tests REPOSITORY RESULTS [N]
         makes N broken states (100) by undoing parts of commits, at most three of each, and asks the
         compiler; the tree that is compiled is kept in RESULTS.tree, what the compiler said in RESULTS.told
       cargo xtask breaks dependent COMPILER REPOSITORY RESULTS [N]
         puts N commits (100) beside a file that uses what they change
       cargo xtask breaks random REPOSITORY RESULTS [N]
         puts N pairs (100) of commits side by side that edit different files
       cargo xtask breaks report RESULTS...
         sums up files of results";

/// Commits of a history that are looked at for cases.
const MOST_COMMITS: usize = 20_000;

pub fn run(arguments: &[String]) -> anyhow::Result<()> {
    let number = |i: usize| match arguments.get(i) {
        Some(text) => text
            .parse()
            .context("the last argument is a number of cases"),
        None => Ok(100),
    };
    match arguments.first().map(String::as_str) {
        Some("quiet") if (3..=4).contains(&arguments.len()) => quiet(
            Path::new(&arguments[1]),
            Path::new(&arguments[2]),
            number(3)?,
        ),
        Some("broken") if (4..=5).contains(&arguments.len()) => {
            let compiler = Compiler::named(&arguments[1]).context(USAGE)?;
            let (repository, results) = (Path::new(&arguments[2]), Path::new(&arguments[3]));
            broken(compiler, repository, results, number(4)?)
        }
        Some("dependent") if (4..=5).contains(&arguments.len()) => {
            let compiler = Compiler::named(&arguments[1]).context(USAGE)?;
            let (repository, results) = (Path::new(&arguments[2]), Path::new(&arguments[3]));
            conflicts::dependent(compiler, repository, results, number(4)?)
        }
        Some("random") if (3..=4).contains(&arguments.len()) => conflicts::random(
            Path::new(&arguments[1]),
            Path::new(&arguments[2]),
            number(3)?,
        ),
        Some("report") if arguments.len() > 1 => arguments[1..]
            .iter()
            .try_for_each(|file| report(Path::new(file))),
        _ => bail!(USAGE),
    }
}

/// A history with its cases so far.
struct Cases<'a> {
    repository: &'a Path,
    workspace: Arc<Workspace>,
    results: &'a Path,
    done: BTreeSet<String>,
    /// Cases in which a compiler told something.
    n_told: usize,
}

fn is_told(case: &Value) -> bool {
    case["mode"] == "broken" || case["mode"] == "dependent"
}

impl<'a> Cases<'a> {
    fn open(repository: &'a Path, results: &'a Path) -> anyhow::Result<Cases<'a>> {
        let options = Options {
            in_memory: true,
            ..Options::default()
        };
        let known = std::fs::read_to_string(results).unwrap_or_default();
        let known: Vec<Value> = known
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let n_told = known.iter().filter(|case| is_told(case)).count();
        let done = known
            .iter()
            .filter_map(|case| Some(case["commit"].as_str()?.to_owned()));
        Ok(Cases {
            repository,
            workspace: Workspace::open(repository, options)?,
            results,
            done: done.collect(),
            n_told,
        })
    }

    /// Commits with one parent, newest first.
    fn commits(&self) -> anyhow::Result<Vec<(String, String)>> {
        let most = format!("--max-count={MOST_COMMITS}");
        let listed = git(
            self.repository,
            &["log", "--first-parent", "--format=%H %P", &most, "HEAD"],
        )?;
        let pair = |line: &str| {
            let mut ids = line.split(' ');
            let commit = ids.next()?.to_owned();
            // The first commit has no parent.
            let parent = ids.next().filter(|parent| !parent.is_empty())?;
            Some((commit, parent.to_owned()))
        };
        Ok(listed.lines().filter_map(pair).collect())
    }

    fn view(&self, commit: &str) -> anyhow::Result<Arc<SnapshotView>> {
        let id = self.workspace.commit(commit)?;
        let stop = AtomicBool::new(false);
        Ok(self.workspace.index_commit(id, false, &stop, |_| ())?.0)
    }

    fn add(&mut self, case: &Value) -> anyhow::Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.results)?;
        writeln!(file, "{case}")?;
        self.n_told += usize::from(is_told(case));
        self.done
            .insert(case["commit"].as_str().unwrap_or_default().to_owned());
        Ok(())
    }
}

fn git(repository: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(arguments)
        .output()?;
    if !output.status.success() {
        bail!(
            "git {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn quiet(repository: &Path, results: &Path, n_cases: usize) -> anyhow::Result<()> {
    let mut cases = Cases::open(repository, results)?;
    let n_before = cases.done.len();
    for (commit, parent) in cases.commits()? {
        if cases.done.len() >= n_cases {
            break;
        }
        if cases.done.contains(&commit) {
            continue;
        }
        let (base, head) = (cases.view(&parent)?, cases.view(&commit)?);
        let started = Instant::now();
        let found = CaseFindings::of(&base.snapshot, &head.snapshot);
        // A change of documents alone says nothing.
        if found.n_symbols == 0 {
            continue;
        }
        let case = json!({
            "mode": "quiet",
            "commit": commit,
            "n_symbols": found.n_symbols,
            "certain": found.shown(FindingConfidence::Certain),
            "likely": found.shown(FindingConfidence::Likely),
            "ms": started.elapsed().as_millis() as u64,
        });
        if let Some(first) = case["certain"].get(0) {
            println!("{} {first}", &commit[..12]);
        }
        cases.add(&case)?;
    }
    println!(
        "{} cases, {n_before} of them known before",
        cases.done.len()
    );
    report(results)
}

/// What a change breaks, with places as text.
struct CaseFindings {
    n_symbols: usize,
    /// The names of symbols that are gone, or not seen any more, in part or as a whole.
    taken: BTreeSet<String>,
    found: Vec<CaseFinding>,
}

struct CaseFinding {
    confidence: FindingConfidence,
    kind: &'static str,
    path: String,
    line: u32,
    /// The last line of the import statement or the call that it is in.
    last_line: u32,
    name: String,
    /// The line, if it is in the definition of a macro, whose errors are told where the macro is called.
    macro_line: Option<String>,
}

impl CaseFindings {
    fn of(base: &Arc<Snapshot>, head: &Arc<Snapshot>) -> CaseFindings {
        let (before, after) = (Analysis::new(base.clone()), Analysis::new(head.clone()));
        let budget = Budget::unlimited();
        let (before, after) = (before.resolver(&budget), after.resolver(&budget));
        let change = ChangeSet::new(&before, &after);
        let of = |found: &Break| {
            let file = head.file(found.file);
            let facts = head.corpus().facts(file.content);
            let line = facts
                .as_ref()
                .map_or(0, |facts| facts.lines.line_number(found.span.start));
            let import = facts
                .as_ref()
                .filter(|_| found.is_import)
                .and_then(|facts| {
                    let mut imports = facts.imports.iter();
                    let import = imports.find(|import| import.name_span == found.span)?;
                    Some(facts.lines.line_number(import.span.end))
                });
            let in_macro = facts.zip(found.enclosing).is_some_and(|(facts, around)| {
                facts.symbol(around).kind == facts::SymbolKind::Macro
            });
            let text = head.corpus().text(file.content).filter(|_| in_macro);
            let macro_line =
                text.and_then(|text| Some(text.lines().nth(line as usize - 1)?.to_owned()));
            let whole = head.corpus().text(file.content);
            let call = whole.filter(|_| matches!(found.kind, BreakKind::Arguments(_)));
            let call = call.map(|text| line + n_lines_of_call(&text[found.span.end as usize..]));
            CaseFinding {
                macro_line,
                confidence: found.confidence,
                kind: found.kind.as_str(),
                path: file.path.to_string(),
                line,
                last_line: import.or(call).unwrap_or(line),
                name: found.name.clone(),
            }
        };
        let is_taken = |kind| {
            use EditKind::{Hidden, Moved, Removed, Renamed};
            matches!(kind, Removed | Renamed | Moved | Hidden)
        };
        let taken = change.edits.iter().filter(|edit| is_taken(edit.kind));
        let taken = taken.filter_map(|edit| Some(before.name(edit.before?)));
        CaseFindings {
            taken: taken.collect(),
            n_symbols: change.edits.len(),
            found: change::breaks(&change).found.iter().map(of).collect(),
        }
    }

    fn shown(&self, confidence: FindingConfidence) -> Vec<String> {
        let of = self
            .found
            .iter()
            .filter(|found| found.confidence == confidence);
        of.map(|found| {
            format!(
                "{}:{} {} {}",
                found.path, found.line, found.kind, found.name
            )
        })
        .collect()
    }
}

/// How many line ends are between the name of a call and its last bracket: compilers report some
/// arguments where they are written.
fn n_lines_of_call(rest: &str) -> u32 {
    let (mut depth, mut n_lines) = (0, 0);
    for c in rest.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' => n_lines += 1,
            _ => {}
        }
        if depth <= 0 && (c == ')' || !"(.<".contains(c) && depth == 0) {
            break;
        }
    }
    n_lines
}

fn broken(
    compiler: Compiler,
    repository: &Path,
    results: &Path,
    n_cases: usize,
) -> anyhow::Result<()> {
    let mut cases = Cases::open(repository, results)?;
    let mut tree = CompiledTree::beside(repository, results)?;
    for (commit, parent) in cases.commits()? {
        if cases.n_told >= n_cases {
            break;
        }
        if cases.done.contains(&commit) {
            continue;
        }
        let (base, head) = (cases.view(&parent)?, cases.view(&commit)?);
        let files = states::edited_files(&base.snapshot, &head.snapshot, compiler);
        let states = states::states(&files, &commit);
        if states.is_empty() {
            continue;
        }
        let sides = (&base, &head);
        let told = match break_cases(&cases, (compiler, &mut tree), &commit, sides, &states) {
            Ok(told) => told,
            Err(error) => {
                println!("{} {error:#}", &commit[..12]);
                Vec::new()
            }
        };
        if told.is_empty() {
            // Noted too, so that a later run need not compile it again.
            cases.add(&json!({ "mode": "unbroken", "commit": commit }))?;
        }
        for case in told {
            println!(
                "{} {} errors {}",
                &commit[..12],
                case["n_errors"],
                case["wrong"]
            );
            cases.add(&case)?;
        }
    }
    report(results)
}

/// The states of one commit that do not compile.
fn break_cases(
    cases: &Cases,
    (compiler, tree): (Compiler, &mut CompiledTree),
    commit: &str,
    (base, head): (&Arc<SnapshotView>, &Arc<SnapshotView>),
    states: &[BrokenState],
) -> anyhow::Result<Vec<Value>> {
    let whole = tree.errors(compiler, commit, &[])?;
    // A compiler that stops at its first errors leaves no truth.
    if !whole.is_empty() && compiler.needs_clean_tree() {
        bail!("does not compile: {:?}", whole[0]);
    }
    let mut told = Vec::new();
    for state in states {
        let Some(mixed) = states::snapshot_of(cases, head, state)? else {
            continue;
        };
        let errors = state.errors((compiler, tree), commit, &whole)?;
        if !errors.is_empty() {
            let mut findings = CaseFindings::of(&base.snapshot, &mixed);
            // What the compiler does not look at, it cannot judge.
            findings
                .found
                .retain(|found| compiler.compiles(&found.path) && !tree.leaves_out(&found.path));
            if compiler == Compiler::Go {
                let unseen = behind_errors(&mixed, &tree.go_module(), &errors);
                let is_seen = |found: &CaseFinding| !unseen.contains(directory_of(&found.path));
                findings.found.retain(is_seen);
            }
            let told_of = compared(
                commit,
                &state.paths(),
                &errors,
                &findings,
                (&base.snapshot, &mixed),
            );
            told.push(told_of);
        }
    }
    Ok(told)
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The packages of Go without errors of their own that import one with errors, also by way of others:
/// they are not compiled.
fn behind_errors(snapshot: &Snapshot, module: &str, errors: &[CompilerError]) -> BTreeSet<String> {
    let own: BTreeSet<&str> = errors.iter().map(|of| directory_of(&of.path)).collect();
    let mut imports: Vec<(String, String)> = Vec::new();
    for (_, file) in snapshot.below("") {
        let path = file.path.as_str();
        let facts = snapshot.corpus().facts(file.content);
        let Some(facts) = facts.filter(|_| path.ends_with(".go")) else {
            continue;
        };
        let named = facts.imports.iter().map(|of| facts.name(of.module));
        let below = named.filter_map(|name| name.strip_prefix(module));
        let to = below.map(|rest| rest.trim_start_matches('/').to_owned());
        imports.extend(to.map(|to| (directory_of(path).to_owned(), to)));
    }
    let mut behind: BTreeSet<String> = own.iter().map(|of| (*of).to_owned()).collect();
    loop {
        let is_new = |(from, to): &&(String, String)| behind.contains(to) && !behind.contains(from);
        let new: Vec<String> = imports
            .iter()
            .filter(is_new)
            .map(|of| of.0.clone())
            .collect();
        if new.is_empty() {
            break;
        }
        behind.extend(new);
    }
    behind.retain(|directory| !own.contains(directory.as_str()));
    behind
}

/// Of the errors, those count for recall that are of a known kind and at places that the base has: a new
/// place never meant anything.
fn compared(
    commit: &str,
    undone: &[String],
    errors: &[CompilerError],
    of: &CaseFindings,
    (base, mixed): (&Snapshot, &Snapshot),
) -> Value {
    let is_in_base = |error: &&CompilerError| {
        let (Some(before), Some(now)) = (text_of(base, &error.path), text_of(mixed, &error.path))
        else {
            return false;
        };
        let line = now.lines().nth(error.line.saturating_sub(1) as usize);
        line.is_some_and(|line| before.lines().any(|before| before.trim() == line.trim()))
    };
    let meets = |error: &CompilerError, found: &CaseFinding| {
        let is_near = error.path == found.path
            && ((found.line..=found.last_line).contains(&error.line)
                || error.text.contains(&found.name));
        is_near
            || found
                .macro_line
                .as_deref()
                .is_some_and(|line| is_of_macro(error, line))
    };
    let certain = || {
        of.found
            .iter()
            .filter(|found| found.confidence == FindingConfidence::Certain)
    };
    let wrong: Vec<String> = certain()
        .filter(|found| !errors.iter().any(|error| meets(error, found)))
        .map(|found| {
            format!(
                "{}:{} {} {}",
                found.path, found.line, found.kind, found.name
            )
        })
        .collect();
    let known: Vec<&CompilerError> = errors
        .iter()
        .filter(|error| error.is_of_known_kind())
        .filter(is_in_base)
        .collect();
    let is_met = |error: &CompilerError, only_certain: bool| {
        let may =
            |found: &&CaseFinding| !only_certain || found.confidence == FindingConfidence::Certain;
        of.found.iter().filter(may).any(|found| meets(error, found))
    };
    // A member that the change takes from no type is missed because a value has another type.
    let is_of_value = |error: &CompilerError| {
        let member = error.member();
        member.is_some_and(|member| !of.taken.contains(member)) && !is_met(error, false)
    };
    let n_met = |only_certain| {
        let known = known.iter();
        known.filter(|error| is_met(error, only_certain)).count()
    };
    let shown = |errors: &mut dyn Iterator<Item = &CompilerError>| -> Vec<String> {
        errors
            .map(|error| format!("{}:{} {}", error.path, error.line, error.text))
            .collect()
    };
    let missed = known.iter().copied();
    let missed = missed.filter(|error| !of.found.iter().any(|found| meets(error, found)));
    json!({
        "mode": "broken",
        "commit": commit,
        "undone": undone,
        "n_errors": errors.len(),
        "errors": shown(&mut errors.iter().take(20)),
        "n_known": known.len(),
        "n_of_value": known.iter().filter(|error| is_of_value(error)).count(),
        "n_met": n_met(false),
        "n_met_certain": n_met(true),
        "n_certain": certain().count(),
        "wrong": wrong,
        "missed": shown(&mut missed.take(20)),
    })
}

/// Whether an error is about a path from `$crate` that a line of a macro has.
fn is_of_macro(error: &CompilerError, line: &str) -> bool {
    let named = error.text.split('`').skip(1).step_by(2);
    let mut named = named.filter(|name| !name.starts_with('$'));
    error.text.contains("`$crate") && named.any(|name| line.contains(&format!("::{name}")))
}

/// Sums up a file of results.
fn report(results: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(results)?;
    let cases: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let mode = |mode: &str| {
        cases
            .iter()
            .filter(|case| case["mode"] == mode)
            .collect::<Vec<_>>()
    };
    let n_of = |list: &Value| list.as_array().map_or(0, Vec::len);
    let sum = |cases: &[&Value], field: &str| -> u64 {
        cases.iter().filter_map(|case| case[field].as_u64()).sum()
    };
    let quiet = mode("quiet");
    if !quiet.is_empty() {
        let alarms = quiet
            .iter()
            .filter(|case| n_of(&case["certain"]) > 0)
            .count();
        let likely = quiet
            .iter()
            .filter(|case| n_of(&case["likely"]) > 0)
            .count();
        let mut times: Vec<u64> = quiet
            .iter()
            .filter_map(|case| case["ms"].as_u64())
            .collect();
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(0);
        println!(
            "{}: {} commits, {alarms} with a certain finding ({:.1} %), {likely} with a likely one; ms p50 {} p95 {}",
            results.display(),
            quiet.len(),
            100.0 * alarms as f64 / quiet.len() as f64,
            at(50),
            at(95)
        );
    }
    for name in ["dependent", "random"] {
        let pairs = mode(name);
        if pairs.is_empty() {
            continue;
        }
        let has = |case: &Value, kinds: &[&str]| kinds.iter().any(|kind| n_of(&case[*kind]) > 0);
        let with = |kinds: &[&str]| pairs.iter().filter(|case| has(case, kinds)).count();
        println!(
            "{}: {} {name} pairs, {} with a certain conflict, {} with a certain or likely one",
            results.display(),
            pairs.len(),
            with(&["certain"]),
            with(&["certain", "likely"])
        );
        let known = pairs
            .iter()
            .filter(|case| case["n_known"].as_u64() > Some(0));
        let known: Vec<_> = known.collect();
        if !known.is_empty() {
            let found = known
                .iter()
                .filter(|case| has(case, &["certain", "likely"]));
            println!(
                "  {} with an error of a known kind, of which {} found",
                known.len(),
                found.count()
            );
        }
    }
    let broken = mode("broken");
    if !broken.is_empty() {
        let wrong: usize = broken.iter().map(|case| n_of(&case["wrong"])).sum();
        let certain = sum(&broken, "n_certain");
        let n_of_value = sum(&broken, "n_of_value");
        let n_known = sum(&broken, "n_known") - n_of_value;
        let known = n_known.max(1) as f64;
        println!(
            "{}: {} broken states, {} errors, {} of known kinds; certain findings {certain}, precision {:.3}; recall {:.3}, of certain findings {:.3}; {} more that a value of another type lacks",
            results.display(),
            broken.len(),
            sum(&broken, "n_errors"),
            n_known,
            1.0 - wrong as f64 / certain.max(1) as f64,
            sum(&broken, "n_met") as f64 / known,
            sum(&broken, "n_met_certain") as f64 / known,
            n_of_value
        );
    }
    Ok(())
}
