//! What a change does, as a page for a pull request.

use std::fmt::Write as _;

use answers::{
    change::{ChangeReport, ChangeVerdict, ConflictReport},
    test_groups::{grouped, n_tests},
};
use engine::query::change::FindingConfidence;

use super::{counted, interface, place, sides, summary, typed};

/// Where lines of files are shown: `{address}/blob/{commit}/{path}#L{line}`; none for plain paths.
#[derive(Clone, Debug, Default)]
pub struct PageLinks {
    pub address: Option<String>,
    /// The commit of the head.
    pub commit: String,
}

/// Lines of each list; a reviewer reads for a minute.
const MOST_BREAKS: usize = 30;
const MOST_CONTRACTS: usize = 30;
const MOST_PACKAGES: usize = 10;
const MOST_BLIND: usize = 15;
const MOST_TESTS: usize = 15;
const MOST_DEAD: usize = 15;
const MOST_COMMANDS: usize = 5;

pub fn markdown(report: &ChangeReport, links: &PageLinks) -> String {
    let verdict = match report.verdict() {
        ChangeVerdict::Passes => "nothing certain breaks",
        ChangeVerdict::Breaks => "something breaks",
        ChangeVerdict::Incomplete => "not everything could be looked at",
    };
    let mut out = format!("### Change check: {verdict}\n\n{}\n", summary(report));
    for confidence in [FindingConfidence::Certain, FindingConfidence::Likely] {
        let found = report.breaks_that_are(confidence);
        if found.is_empty() {
            continue;
        }
        let title = match confidence {
            FindingConfidence::Certain => "Breaks",
            FindingConfidence::Likely => "May break",
        };
        let _ = writeln!(out, "\n#### {title}\n");
        for found in found.iter().take(MOST_BREAKS) {
            let place = links.link(found.path.as_str(), found.line);
            let _ = writeln!(out, "- {place} {}", escaped(&found.message));
            if !found.text.is_empty() {
                let _ = writeln!(out, "  {}", code(&found.text));
            }
        }
        rest(&mut out, found.len(), MOST_BREAKS);
    }
    let n_contracts = report.contracts().count();
    if n_contracts > 0 {
        out += "\n#### Public contracts\n\n";
        for symbol in report.contracts().take(MOST_CONTRACTS) {
            let (sign, text) = sides(symbol);
            let (path, line) = place(symbol);
            let uses = match symbol.n_uses {
                0 => String::new(),
                n => format!(", {} elsewhere", counted(n, "use")),
            };
            let place = links.link(path, line);
            let _ = writeln!(
                out,
                "- {} {}{uses} {place}",
                symbol.kind.as_str(),
                code(&format!("{sign} {text}"))
            );
        }
        rest(&mut out, n_contracts, MOST_CONTRACTS);
    }
    interfaces(&mut out, report, links);
    if !report.reach.packages.is_empty() {
        out += "\n#### Callers of what changed\n\n";
        for package in report.reach.packages.iter().take(MOST_PACKAGES) {
            let nearest = package.callers.first().map(|caller| {
                let place = links.link(caller.side.path.as_str(), caller.side.line);
                format!(", nearest {} {place}", code(&caller.side.name))
            });
            let directory = match package.directory.as_str() {
                "" => ".",
                directory => directory,
            };
            let _ = writeln!(
                out,
                "- {}: {}{}",
                code(directory),
                counted(package.n_callers, "caller"),
                nearest.unwrap_or_default()
            );
        }
        rest(&mut out, report.reach.packages.len(), MOST_PACKAGES);
    }
    tests(&mut out, report, links);
    dead(&mut out, report, links);
    if !report.blind_spots.is_empty() || report.cut.is_some() {
        out += "\n#### Not seen\n\n";
        if report.cut.is_some() {
            out += "- the time ran out, so that something may be missing\n";
        }
        for spot in report.blind_spots.iter().take(MOST_BLIND) {
            let place = links.link(spot.path.as_str(), spot.line.unwrap_or(1));
            let _ = writeln!(out, "- {place} {}", spot.kind.explanation());
        }
        rest(&mut out, report.blind_spots.len(), MOST_BLIND);
    }
    out
}

fn interfaces(out: &mut String, report: &ChangeReport, links: &PageLinks) {
    if report.interfaces.is_empty() {
        return;
    }
    out.push_str("\n#### Routes, tables and configuration keys\n\n");
    for of in report.interfaces.iter().take(MOST_CONTRACTS) {
        let (sign, text) = interface(of);
        let place = links.link(of.path.as_str(), of.line);
        let used = of.used.first().map(|(path, line)| {
            let n = counted(of.used.len(), "place");
            let first = links.link(path.as_str(), *line);
            format!(", still requested in {n}, first {first}")
        });
        let text = code(&format!("{sign} {text}"));
        let _ = writeln!(out, "- {text} {place}{}", used.unwrap_or_default());
    }
    rest(out, report.interfaces.len(), MOST_CONTRACTS);
}

fn tests(out: &mut String, report: &ChangeReport, links: &PageLinks) {
    let tests = &report.tests;
    if tests.tests.is_empty() && tests.always.is_empty() {
        return;
    }
    let at_least = if tests.cut.is_some() { "at least " } else { "" };
    let n = counted(tests.tests.len(), "test");
    let _ = writeln!(out, "\n#### Tests to run\n\n{at_least}{n}\n");
    for always in &tests.always {
        let place = links.link(always.path.as_str(), 1);
        let _ = writeln!(out, "- all below {place}: it is a {}", always.why.as_str());
    }
    for command in tests.commands.short.iter().take(MOST_COMMANDS) {
        let _ = writeln!(out, "- run {}", spanned(&typed(command)));
    }
    let groups = grouped(&tests.tests);
    for group in groups.iter().take(MOST_TESTS) {
        let first = group.first;
        let place = links.link(first.path.as_str(), first.line);
        let certainty = first.certainty.as_str();
        let text = code(&format!("{}{}", group.names(), first.steps));
        let _ = writeln!(out, "- {place} {certainty}: {text}");
    }
    rest(out, tests.tests.len(), n_tests(&groups, MOST_TESTS));
}

fn dead(out: &mut String, report: &ChangeReport, links: &PageLinks) {
    let dead = &report.dead;
    let n = dead.proven.len() + dead.open.len();
    if n == 0 {
        return;
    }
    out.push_str("\n#### Dead now\n\n");
    let proven = dead.proven.iter().map(|side| (side, "proven".to_owned()));
    let open = dead.open.iter();
    let open = open.map(|(side, why)| (side, format!("open: {}", escaped(why))));
    for (side, verdict) in proven.chain(open).take(MOST_DEAD) {
        let place = links.link(side.path.as_str(), side.line);
        let _ = writeln!(out, "- {place} {} {verdict}", code(&side.name));
    }
    rest(out, n, MOST_DEAD);
}

/// What other lines of work do to this one, as the end of the page.
pub fn conflicts_markdown(reports: &[ConflictReport], links: &PageLinks) -> String {
    let mut out = String::new();
    for report in reports.iter().filter(|report| !report.is_empty()) {
        let _ = writeln!(out, "\n#### Conflicts with {}\n", code(&report.theirs));
        for of in report.breaks.iter().take(MOST_BREAKS) {
            let found = &of.found;
            let place = links.link(found.path.as_str(), found.line);
            let _ = writeln!(out, "- {place} {}", escaped(&found.message));
        }
        rest(&mut out, report.breaks.len(), MOST_BREAKS);
        for of in report.contracts.iter().take(MOST_CONTRACTS) {
            let place = links.link(of.before.path.as_str(), of.before.line);
            let _ = writeln!(out, "- {place} both change {}", code(&of.before.name));
        }
        rest(&mut out, report.contracts.len(), MOST_CONTRACTS);
        for path in report.texts.iter().take(MOST_CONTRACTS) {
            let _ = writeln!(out, "- {} git cannot merge", code(path));
        }
        rest(&mut out, report.texts.len(), MOST_CONTRACTS);
    }
    out
}

impl PageLinks {
    fn link(&self, path: &str, line: u32) -> String {
        let shown = code(&format!("{path}:{line}"));
        match &self.address {
            Some(address) => {
                let path: String = path.split('/').map(encoded).collect::<Vec<_>>().join("/");
                format!("[{shown}]({address}/blob/{}/{path}#L{line})", self.commit)
            }
            None => shown,
        }
    }
}

/// A part of a path in an address.
fn encoded(part: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let mut out = String::new();
    for byte in part.bytes() {
        match is_plain(byte) {
            true => out.push(char::from(byte)),
            false => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Text of a repository as code: it can neither end the span nor start markup.
fn code(text: &str) -> String {
    spanned(&answers::excerpts::shorten(
        &text.replace(['\n', '\r'], " "),
        120,
    ))
}

fn spanned(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}

/// A message, whose code spans stay.
fn escaped(text: &str) -> String {
    text.replace('<', "&lt;").replace(['\n', '\r'], " ")
}

fn rest(out: &mut String, n: usize, shown: usize) {
    if n > shown {
        let _ = writeln!(out, "- {} more", n - shown);
    }
}
