//! What lines of work do to one another, as text and as JSON.

use std::fmt::Write as _;

use answers::change::{ConflictBreak, ConflictReport, SymbolSide};
use serde_json::{Value, json};

use super::counted;

/// Lines of each list.
const MOST_SHOWN: usize = 30;

pub fn conflict_text(report: &ConflictReport) -> String {
    let mut out = format!("{} and {}: ", report.ours, report.theirs);
    if report.is_empty() {
        out += match report.cut {
            None => "no conflict\n",
            Some(_) => "no conflict found, but the time ran out\n",
        };
        return out;
    }
    let _ = writeln!(
        out,
        "{}, {} changed on both sides, {} that git cannot merge",
        counted(report.breaks.len(), "break"),
        counted(report.contracts.len(), "contract"),
        counted(report.texts.len(), "file")
    );
    for of in report.breaks.iter().take(MOST_SHOWN) {
        let ConflictBreak { found, is_ours } = of;
        let side = if *is_ours {
            &report.ours
        } else {
            &report.theirs
        };
        let _ = writeln!(
            out,
            "{}:{}:{} {} ({}, in {side}) [{}]",
            found.path,
            found.line,
            found.column,
            found.message,
            found.confidence.as_str(),
            found.kind.as_str()
        );
        if !found.text.is_empty() {
            let _ = writeln!(out, "    {}", answers::excerpts::shorten(&found.text, 120));
        }
    }
    for of in report.contracts.iter().take(MOST_SHOWN) {
        let _ = writeln!(
            out,
            "{}:{} both change `{}`: {} and {}",
            of.before.path,
            of.before.line,
            of.before.name,
            written(&of.ours),
            written(&of.theirs)
        );
    }
    for path in report.texts.iter().take(MOST_SHOWN) {
        let _ = writeln!(out, "{path} git cannot merge");
    }
    let longest = report
        .breaks
        .len()
        .max(report.contracts.len())
        .max(report.texts.len());
    if longest > MOST_SHOWN {
        let _ = writeln!(out, "each list ends at {MOST_SHOWN}");
    }
    if report.cut.is_some() {
        out += "not complete: the time ran out\n";
    }
    out
}

fn written(side: &Option<SymbolSide>) -> String {
    match side {
        Some(side) => format!("`{}`", side.signature.as_deref().unwrap_or(&side.name)),
        None => "removed".to_owned(),
    }
}

pub fn conflicts_json(reports: &[ConflictReport]) -> Value {
    let side = |side: &Option<SymbolSide>| {
        side.as_ref().map(|side| {
            json!({ "name": side.name, "path": side.path.as_str(), "line": side.line, "signature": side.signature })
        })
    };
    let broken = |of: &ConflictBreak| {
        json!({
            "in": if of.is_ours { "ours" } else { "theirs" },
            "kind": of.found.kind.as_str(),
            "confidence": of.found.confidence.as_str(),
            "path": of.found.path.as_str(),
            "line": of.found.line,
            "column": of.found.column,
            "name": of.found.name,
            "message": of.found.message,
            "before": side(&of.found.before),
            "after": side(&of.found.after),
        })
    };
    let report = |report: &ConflictReport| {
        json!({
            "ours": report.ours,
            "theirs": report.theirs,
            "unmerged_files": report.texts,
            "breaks": report.breaks.iter().map(broken).collect::<Vec<_>>(),
            "contracts": report.contracts.iter().map(|of| json!({
                "name": of.before.name,
                "path": of.before.path.as_str(),
                "ours": side(&of.ours),
                "theirs": side(&of.theirs),
            })).collect::<Vec<_>>(),
            "is_complete": report.cut.is_none(),
        })
    };
    json!({ "conflicts": reports.iter().map(report).collect::<Vec<_>>() })
}
