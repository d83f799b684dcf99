//! What every answer of the contract is wrapped in.

use std::collections::BTreeMap;

use answers::survey;
use engine::{Outcome, query::architecture::Certainty};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// `answer` is a sentence for people and models, `data` the payload that the tool's document
/// describes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Envelope<T> {
    pub answer: String,
    pub data: T,
    pub evidence: Vec<Evidence>,
    pub next_actions: Vec<NextAction>,
    pub confidence: Confidence,
    pub meta: Meta,
}

/// How sure an answer is: declared in the source, concluded by a pattern or a name, or read from a
/// file that did not parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// A place that shows what the answer says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Evidence {
    pub repo_id: String,
    pub file_path: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

/// A call that would tell more.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NextAction {
    pub tool: String,
    pub rationale: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    pub parameters: Option<Map<String, Value>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Meta {
    pub timing: Timing,
    /// Zeros where no commit is behind the answer.
    pub baseline_commit_sha: String,
    /// Budgets that were cut to what is allowed.
    pub limits_applied: BTreeMap<&'static str, LimitApplied>,
    pub tokens_saved: u64,
    /// In US dollars.
    pub cost_avoided: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    pub overlay_revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_level: Option<SemanticLevel>,
    /// Only projects with files that did not parse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project_diagnostics: Vec<ProjectDiagnostic>,
}

/// Milliseconds. `cache_lookup_ms`: finding the snapshot; `roslyn_compile_ms`: extracting what was
/// not indexed.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Timing {
    pub total_ms: f64,
    pub db_query_ms: f64,
    pub cache_lookup_ms: f64,
    pub roslyn_compile_ms: f64,
    pub ranking_ms: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LimitApplied {
    pub requested: i64,
    /// What was applied instead.
    pub hard_cap: i64,
}

/// How deep the files are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SemanticLevel {
    Full,
    Partial,
    SyntaxOnly,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProjectDiagnostic {
    pub project_name: String,
    /// All its files parsed.
    pub compiled: bool,
    pub symbol_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<String>>,
}

impl From<Outcome> for Confidence {
    fn from(outcome: Outcome) -> Confidence {
        match outcome {
            Outcome::Static | Outcome::External => Confidence::High,
            Outcome::Dispatch | Outcome::Heuristic => Confidence::Medium,
            Outcome::Ambiguous | Outcome::Unresolved => Confidence::Low,
        }
    }
}

impl From<Certainty> for Confidence {
    fn from(certainty: Certainty) -> Confidence {
        match certainty {
            Certainty::Declared => Confidence::High,
            Certainty::Pattern => Confidence::Medium,
            Certainty::Partial => Confidence::Low,
        }
    }
}

/// The first sentence of an answer that lists things.
pub fn summary(total: usize, what: &str, shown: usize, is_cut: bool) -> String {
    match (total, is_cut) {
        (0, _) => format!("No {what}."),
        (_, true) => format!("{total} {what}, {shown} shown."),
        _ => format!("{total} {what}."),
    }
}

impl From<survey::ParsedLevel> for SemanticLevel {
    fn from(level: survey::ParsedLevel) -> SemanticLevel {
        match level {
            survey::ParsedLevel::Full => SemanticLevel::Full,
            survey::ParsedLevel::Partial => SemanticLevel::Partial,
            survey::ParsedLevel::SyntaxOnly => SemanticLevel::SyntaxOnly,
        }
    }
}

impl From<&survey::ProjectSurvey> for ProjectDiagnostic {
    fn from(project: &survey::ProjectSurvey) -> ProjectDiagnostic {
        let errors: Vec<String> = project
            .unparsed
            .iter()
            .map(|path| format!("{path}: parts of the file did not parse"))
            .collect();
        ProjectDiagnostic {
            project_name: project.name.clone(),
            compiled: project.is_parsed(),
            symbol_count: project.n_symbols,
            reference_count: None,
            errors: (!errors.is_empty()).then_some(errors),
        }
    }
}
