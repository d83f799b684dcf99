//! What a change does, as plain text.

use std::fmt::Write as _;

use answers::{
    change::{ChangeReport, FoundBreak},
    test_groups::{grouped, n_tests},
};
use engine::{Cut, query::change::FindingConfidence};

use super::{counted, interface, place, sides, summary, typed};

/// Commands that run tests.
const MOST_COMMANDS: usize = 5;

/// How much of each list is shown; the rest is counted.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    pub breaks: usize,
    pub contracts: usize,
    pub packages: usize,
    pub tests: usize,
    pub dead: usize,
    pub blind_spots: usize,
}

impl TextLimits {
    /// For a terminal.
    pub const PERSON: TextLimits = TextLimits {
        breaks: 200,
        contracts: 100,
        packages: 20,
        tests: 50,
        dead: 50,
        blind_spots: 50,
    };
    /// For a model that pays for every token.
    pub const MODEL: TextLimits = TextLimits {
        breaks: 40,
        contracts: 25,
        packages: 8,
        tests: 12,
        dead: 12,
        blind_spots: 8,
    };
}

pub fn text(report: &ChangeReport, limits: TextLimits) -> String {
    let mut out = format!("{}..{}: {}\n", report.base, report.head, summary(report));
    for confidence in [FindingConfidence::Certain, FindingConfidence::Likely] {
        let found = report.breaks_that_are(confidence);
        if found.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\nbreaks, {}:", confidence.as_str());
        for cause in by_cause(&found[..found.len().min(limits.breaks)]) {
            broken(&mut out, &cause);
        }
        more(&mut out, found.len(), limits.breaks);
    }
    contracts(&mut out, report, limits.contracts);
    interfaces(&mut out, report, limits.contracts);
    reach(&mut out, report, limits.packages);
    tests(&mut out, report, limits.tests);
    dead(&mut out, report, limits.dead);
    if !report.blind_spots.is_empty() {
        out += "\nnot seen:\n";
        for spot in report.blind_spots.iter().take(limits.blind_spots) {
            let line = spot.line.map(|line| format!(":{line}")).unwrap_or_default();
            let _ = writeln!(out, "{}{line} {}", spot.path, spot.kind.explanation());
        }
        more(&mut out, report.blind_spots.len(), limits.blind_spots);
    }
    match report.cut {
        None | Some(Cut::Limit) => {}
        Some(Cut::Values) => {
            out += "\nnot complete: calls through function values were followed in part, so that there may be more\n";
        }
        Some(Cut::Unreadable) => {
            out += "\nnot complete: a part of the index cannot be read; `codecompass doctor` says more\n";
        }
        Some(Cut::Deadline | Cut::Work | Cut::Cancelled) => {
            out += "\nnot complete: the time ran out, so that something may be missing\n";
        }
    }
    out
}

/// Breaks with one cause, in the order in which each cause comes first.
fn by_cause<'a>(breaks: &[&'a FoundBreak]) -> Vec<Vec<&'a FoundBreak>> {
    let mut causes: Vec<Vec<&FoundBreak>> = Vec::new();
    for &found in breaks {
        let key = |found: &FoundBreak| {
            let sides = [&found.before, &found.after];
            let sides = sides.map(|side| side.as_ref().map(|side| (side.path.clone(), side.line)));
            (
                found.message.clone(),
                found.kind.as_str(),
                found.rule,
                sides,
            )
        };
        match causes.iter_mut().find(|cause| key(cause[0]) == key(found)) {
            Some(cause) => cause.push(found),
            None => causes.push(vec![found]),
        }
    }
    causes
}

/// What is wrong, the signature before and after, and every place.
fn broken(out: &mut String, cause: &[&FoundBreak]) {
    let first = cause[0];
    let (kind, rule) = (first.kind.as_str(), first.rule.as_str());
    let _ = writeln!(out, "{} [{kind}, {rule}]", first.message);
    let mut signed = |sign: char, side: &Option<answers::change::SymbolSide>| {
        if let Some(side) = side
            && let Some(signature) = &side.signature
        {
            let signature = answers::excerpts::shorten(signature, 110);
            let _ = writeln!(out, "    {sign} {signature}  {}:{}", side.path, side.line);
        }
    };
    signed('-', &first.before);
    if first.after.as_ref().map(|side| &side.signature)
        != first.before.as_ref().map(|side| &side.signature)
    {
        signed('+', &first.after);
    }
    for found in cause {
        let _ = write!(out, "  {}:{}:{}", found.path, found.line, found.column);
        let other = |inside: &&String| **inside != found.name;
        if let Some(inside) = found.inside.as_ref().filter(other) {
            let _ = write!(out, " in {inside}");
        }
        if found.n_uses > 0 {
            let _ = write!(
                out,
                ", and {} in this file",
                counted(found.n_uses, "more use")
            );
        }
        if !found.text.is_empty() {
            let text = answers::excerpts::shorten(&found.text, 120);
            let _ = write!(out, ": {text}");
        }
        out.push('\n');
    }
}

fn contracts(out: &mut String, report: &ChangeReport, most: usize) {
    let n_contracts = report.contracts().count();
    if n_contracts == 0 {
        return;
    }
    out.push_str("\npublic contracts:\n");
    for symbol in report.contracts().take(most) {
        let (sign, text) = sides(symbol);
        let (path, line) = place(symbol);
        let _ = write!(out, "{sign} {text}  {path}:{line} {}", symbol.kind.as_str());
        if symbol.n_uses > 0 {
            let _ = write!(out, ", {} elsewhere", counted(symbol.n_uses, "use"));
        }
        out.push('\n');
    }
    more(out, n_contracts, most);
}

fn interfaces(out: &mut String, report: &ChangeReport, most: usize) {
    if report.interfaces.is_empty() {
        return;
    }
    out.push_str("\nroutes, tables and configuration keys:\n");
    for of in report.interfaces.iter().take(most) {
        let (sign, text) = interface(of);
        let _ = write!(out, "{sign} {text}  {}:{}", of.path, of.line);
        if let Some(by) = &of.by {
            let _ = write!(out, " {by}");
        }
        if let Some((path, line)) = of.used.first() {
            let n = counted(of.used.len(), "place");
            let _ = write!(out, ", still requested in {n}, first {path}:{line}");
        }
        out.push('\n');
    }
    more(out, report.interfaces.len(), most);
}

fn tests(out: &mut String, report: &ChangeReport, most: usize) {
    let tests = &report.tests;
    if tests.tests.is_empty() && tests.always.is_empty() {
        if tests.cut.is_some() {
            out.push_str("\ntests to run: none found in the time allowed\n");
        }
        return;
    }
    let at_least = if tests.cut.is_some() { "at least " } else { "" };
    let _ = writeln!(out, "\ntests to run: {at_least}{}", tests.tests.len());
    for always in &tests.always {
        let why = always.why.as_str();
        let _ = writeln!(out, "all below {}: it is a {why}", always.path);
    }
    for command in tests.commands.short.iter().take(MOST_COMMANDS) {
        let _ = writeln!(out, "run: {}", typed(command));
    }
    more(out, tests.commands.short.len(), MOST_COMMANDS);
    let groups = grouped(&tests.tests);
    for group in groups.iter().take(most) {
        let first = group.first;
        let certainty = first.certainty.as_str();
        let steps = answers::excerpts::shorten(&first.steps, 160);
        let names = group.names();
        let _ = writeln!(
            out,
            "{}:{} {certainty} {names}{steps}",
            first.path, first.line
        );
    }
    more(out, tests.tests.len(), n_tests(&groups, most));
}

fn dead(out: &mut String, report: &ChangeReport, most: usize) {
    let dead = &report.dead;
    let n = dead.proven.len() + dead.open.len();
    if n == 0 {
        return;
    }
    let at_least = if dead.cut.is_some() { "at least " } else { "" };
    let _ = writeln!(
        out,
        "\ndead now: {at_least}{} proven, {} open",
        dead.proven.len(),
        dead.open.len()
    );
    for side in dead.proven.iter().take(most) {
        let _ = writeln!(out, "{}:{} {} proven", side.path, side.line, side.name);
    }
    for (side, why) in dead
        .open
        .iter()
        .take(most.saturating_sub(dead.proven.len()))
    {
        let _ = writeln!(out, "{}:{} {} open: {why}", side.path, side.line, side.name);
    }
    more(out, n, most);
}

fn reach(out: &mut String, report: &ChangeReport, most: usize) {
    let reach = &report.reach;
    if reach.by_depth.is_empty() {
        return;
    }
    let depths: Vec<String> = reach
        .by_depth
        .iter()
        .enumerate()
        .map(|(i, n)| format!("{n} at {}", counted(i + 1, "step")))
        .collect();
    let at_least = if reach.cut.is_some() { "at least " } else { "" };
    let _ = writeln!(
        out,
        "\ncallers of what changed: {at_least}{}",
        depths.join(", ")
    );
    for package in reach.packages.iter().take(most) {
        let names: Vec<String> = package
            .callers
            .iter()
            .take(3)
            .map(|caller| {
                format!(
                    "{} ({}:{})",
                    caller.side.name, caller.side.path, caller.side.line
                )
            })
            .collect();
        let directory = match package.directory.as_str() {
            "" => ".",
            directory => directory,
        };
        let dots = if package.n_callers > names.len() {
            ", …"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "{directory}: {}: {}{dots}",
            package.n_callers,
            names.join(", ")
        );
    }
    more(out, reach.packages.len(), most);
}

fn more(out: &mut String, n: usize, shown: usize) {
    if n > shown {
        let _ = writeln!(out, "{} more", n - shown);
    }
}
