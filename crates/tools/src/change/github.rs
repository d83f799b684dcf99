//! What a change breaks, as commands that GitHub turns into annotations of lines.

use answers::change::ChangeReport;
use engine::query::change::FindingConfidence;

/// GitHub shows ten errors and ten warnings of a step.
const MOST_SHOWN: usize = 50;

pub fn github(report: &ChangeReport) -> String {
    let mut out = String::new();
    for found in report.breaks.iter().take(MOST_SHOWN) {
        let level = match found.confidence {
            FindingConfidence::Certain => "error",
            FindingConfidence::Likely => "warning",
        };
        out += &format!(
            "::{level} file={},line={},col={},title={}::{}\n",
            property(found.path.as_str()),
            found.line,
            found.column,
            property(&format!("codecompass: {}", found.kind.as_str())),
            data(&found.message)
        );
    }
    for side in report.dead.proven.iter().take(MOST_SHOWN) {
        out += &format!(
            "::notice file={},line={},title={}::{}\n",
            property(side.path.as_str()),
            side.line,
            property("codecompass: dead"),
            data(&format!("nothing uses `{}` any more", side.name))
        );
    }
    out += &format!(
        "::notice title=codecompass::{}\n",
        data(&super::summary(report))
    );
    out
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
