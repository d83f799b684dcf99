//! What a change does, as a page for a pull request.

use std::fmt::Write as _;

use answers::change::{ChangeReport, ChangeVerdict, FoundBreak};
use engine::query::change::FindingConfidence;

use super::{counted, place, sides, summary};

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

pub fn markdown(report: &ChangeReport, links: &PageLinks) -> String {
    let verdict = match report.verdict() {
        ChangeVerdict::Passes => "nothing certain breaks",
        ChangeVerdict::Breaks => "something breaks",
        ChangeVerdict::Incomplete => "not everything could be looked at",
    };
    let mut out = format!("### Change check: {verdict}\n\n{}\n", summary(report));
    for confidence in [FindingConfidence::Certain, FindingConfidence::Likely] {
        let found: Vec<&FoundBreak> = report
            .breaks
            .iter()
            .filter(|found| found.confidence == confidence)
            .collect();
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
    let text = answers::excerpts::shorten(&text.replace(['\n', '\r'], " "), 120);
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
