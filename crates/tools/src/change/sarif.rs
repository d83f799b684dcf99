//! What a change breaks, as SARIF 2.1.0 for code scanning.

use answers::change::ChangeReport;
use engine::query::change::FindingConfidence;
use serde_json::{Value, json};

/// The kinds of breaks with what each means.
const RULES: &[(&str, &str)] = &[
    (
        "removed",
        "A place names something that the change removes.",
    ),
    ("renamed", "A place uses a former name."),
    ("moved", "A place uses a former file or module."),
    (
        "import",
        "An import, or a name that a file handed on, is gone.",
    ),
    ("hidden", "A place may no longer see what it names."),
    ("arguments", "A call no longer fits the parameters."),
    ("unimplemented", "A type lacks a member that it must have."),
    ("override", "A member overrides nothing any more."),
    ("duplicate", "A name is defined twice in one place."),
    ("cycle", "Modules import one another."),
    ("dead", "Nothing uses it any more."),
];

pub fn sarif(report: &ChangeReport, version: &str) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }))
        .collect();
    let mut results: Vec<Value> = report
        .breaks
        .iter()
        .map(|found| {
            let level = match found.confidence {
                FindingConfidence::Certain => "error",
                FindingConfidence::Likely => "warning",
            };
            json!({
                "ruleId": found.kind.as_str(),
                "level": level,
                "message": { "text": found.message },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": uri(found.path.as_str()), "uriBaseId": "%SRCROOT%" },
                        "region": {
                            "startLine": found.line,
                            "startColumn": found.column,
                            "endColumn": found.end_column.max(found.column + 1),
                        },
                    },
                }],
                "properties": {
                    "confidence": found.confidence.as_str(),
                    "rule": found.rule.as_str(),
                },
            })
        })
        .collect();
    results.extend(report.dead.proven.iter().map(|side| {
        json!({
            "ruleId": "dead",
            "level": "note",
            "message": { "text": format!("nothing uses `{}` any more", side.name) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri(side.path.as_str()), "uriBaseId": "%SRCROOT%" },
                    "region": { "startLine": side.line, "startColumn": side.column },
                },
            }],
        })
    }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "codecompass", "version": version, "rules": rules } },
            "results": results,
            "invocations": [{ "executionSuccessful": report.cut.is_none() }],
            "columnKind": "unicodeCodePoints",
        }],
    })
}

fn uri(path: &str) -> String {
    path.replace('%', "%25")
        .replace(' ', "%20")
        .replace('#', "%23")
        .replace('?', "%3F")
}
