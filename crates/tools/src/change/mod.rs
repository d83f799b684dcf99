//! The forms in which people and programs read what a change does: text, Markdown, SARIF and the
//! annotations of GitHub. The command line and the agent contract share them.

mod conflicts;
mod github;
mod markdown;
mod sarif;
mod text;

use answers::{
    change::{ChangeReport, FileStatus, InterfaceDifference, SymbolDifference},
    test_commands::TestCommand,
};
use engine::query::change::{EditKind, FindingConfidence};

pub use conflicts::{conflict_text, conflicts_json};
pub use github::github;
pub use markdown::{PageLinks, conflicts_markdown, markdown};
pub use sarif::sarif;
pub use text::{TextLimits, text};

/// `3 files`, `1 file`.
fn counted(n: usize, one: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {one}{plural}")
}

/// What was found, in one line.
fn summary(report: &ChangeReport) -> String {
    let n_contracts = report.contracts().count();
    let unread = match report.broken_files() {
        0 => String::new(),
        n => format!("; {} with new syntax errors", counted(n, "file")),
    };
    format!(
        "{}, {}, {}; {} certain and {} likely{unread}",
        counted(report.files.len(), "file"),
        counted(report.symbols.len(), "symbol"),
        counted(n_contracts, "public contract"),
        counted(report.n_breaks(FindingConfidence::Certain), "break"),
        report.n_breaks(FindingConfidence::Likely)
    )
}

/// How a public symbol differs: a sign, and one or two signatures.
fn sides(symbol: &SymbolDifference) -> (char, String) {
    let shown = |side: &Option<answers::change::SymbolSide>| {
        side.as_ref().map_or_else(String::new, |side| {
            let text = side.signature.as_deref().unwrap_or(&side.name);
            answers::excerpts::shorten(text, 110)
        })
    };
    match symbol.kind {
        EditKind::Added => ('+', shown(&symbol.after)),
        EditKind::Removed => ('-', shown(&symbol.before)),
        _ if shown(&symbol.before) == shown(&symbol.after) => ('~', shown(&symbol.after)),
        _ => (
            '~',
            format!("{} -> {}", shown(&symbol.before), shown(&symbol.after)),
        ),
    }
}

/// Where a symbol is, in the head if it is there.
fn place(symbol: &SymbolDifference) -> (&str, u32) {
    let side = symbol.after.as_ref().or(symbol.before.as_ref());
    side.map_or(("", 1), |side| (side.path.as_str(), side.line))
}

/// How a route, table or key differs: a sign, and what it is.
fn interface(of: &InterfaceDifference) -> (char, String) {
    let sign = match of.status {
        FileStatus::Added => '+',
        FileStatus::Removed => '-',
        FileStatus::Renamed | FileStatus::Modified => '~',
    };
    (sign, format!("{} {}", of.kind.as_str(), of.name))
}

/// A command as it is typed at the root.
pub(crate) fn typed(command: &TestCommand) -> String {
    match command.directory.as_str() {
        "" => command.line.clone(),
        directory => format!("cd {directory} && {}", command.line),
    }
}
