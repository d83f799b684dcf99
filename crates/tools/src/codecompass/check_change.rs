//! `check_change`: what a change breaks, which contracts it changes and what it reaches.

use std::time::Duration;

use answers::Session;
use answers::change::{
    self, AnswerTime, ChangeError, ChangeReport, ChangeSource, ConflictReport, DeadNow, FoundBreak,
    LineOfWork, SymbolDifference, SymbolSide, TestSelection,
};
use engine::{Cut, query::change::FindingConfidence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    envelope::{self, FreshnessInput, Metadata},
    errors,
};
use crate::{Context, Tool, ToolError, change::conflicts_json, kinds};

pub struct CheckChange;

/// Whether a change is safe: uses of what it removes, renames or moves, calls that no longer fit, missing members, with contracts, callers, tests to run, dead code and what was not seen. The working tree against HEAD by default.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    workspace: Option<String>,
    /// `BASE..HEAD`, `BASE...HEAD` (since they parted), or a base; `live` is the working tree
    range: Option<String>,
    /// What the next commit would change
    #[serde(default)]
    staged: bool,
    /// A unified diff, applied in memory to the working tree or to `range`
    patch: Option<String>,
    /// Texts that are not saved
    #[serde(default)]
    files: Vec<VirtualText>,
    /// A kept overlay against its base
    overlay: Option<String>,
    /// Branches, worktrees or overlays whose work may conflict with the working tree
    #[serde(default)]
    against: Vec<String>,
    /// What the answer may take: callers, tests and dead code are cut short first. 250, and 900 from 20,000 files on
    budget_ms: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
pub struct VirtualText {
    path: String,
    /// Absent for a removed file
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    base: String,
    head: String,
    /// `passes`, `breaks`, `incomplete`
    verdict: &'static str,
    n_certain: usize,
    n_likely: usize,
    breaks: Vec<BreakOutput>,
    contracts: Vec<ContractOutput>,
    /// Routes, tables and configuration keys
    interfaces: Vec<InterfaceOutput>,
    reach: ReachOutput,
    tests: TestsOutput,
    dead: DeadOutput,
    files: Vec<FileOutput>,
    blind_spots: Vec<BlindSpotOutput>,
    /// One entry for each of `against`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    conflicts: Vec<Value>,
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
struct BreakOutput {
    kind: &'static str,
    confidence: &'static str,
    path: String,
    line: u32,
    column: u32,
    name: String,
    message: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SideOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<SideOutput>,
    outcome: &'static str,
    rule: &'static str,
    n_uses: usize,
}

#[derive(Serialize, JsonSchema)]
struct SideOutput {
    name: String,
    kind: &'static str,
    path: String,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ContractOutput {
    edit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SideOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<SideOutput>,
    n_uses: usize,
}

#[derive(Serialize, JsonSchema)]
struct ReachOutput {
    by_depth: Vec<usize>,
    is_cut: bool,
    /// `time`, `number`, `values`, `index`
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_by: Option<&'static str>,
    packages: Vec<ReachedOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ReachedOutput {
    directory: String,
    n_callers: usize,
    callers: Vec<SideOutput>,
}

#[derive(Serialize, JsonSchema)]
struct InterfaceOutput {
    kind: &'static str,
    name: String,
    /// `added`, `removed`, `modified`
    status: &'static str,
    path: String,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// Places that still request what is gone
    n_used: usize,
}

#[derive(Serialize, JsonSchema)]
struct TestsOutput {
    n_tests: usize,
    is_cut: bool,
    /// `time`, `number`, `values`, `index`
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_by: Option<&'static str>,
    /// The surest and nearest first
    tests: Vec<SelectedOutput>,
    commands: Vec<String>,
    /// Changed files on which every test below them depends
    always: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct SelectedOutput {
    path: String,
    line: u32,
    name: String,
    certainty: &'static str,
    way: String,
}

#[derive(Serialize, JsonSchema)]
struct DeadOutput {
    is_cut: bool,
    /// `time`, `number`, `values`, `index`
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_by: Option<&'static str>,
    proven: Vec<SideOutput>,
    open: Vec<OpenOutput>,
}

#[derive(Serialize, JsonSchema)]
struct OpenOutput {
    #[serde(flatten)]
    symbol: SideOutput,
    why: String,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    former: Option<String>,
    status: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct BlindSpotOutput {
    kind: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// Rows of each list in one answer.
const MOST_ROWS: usize = 500;
/// Lines of work that one call compares.
const MOST_AGAINST: usize = 10;

impl Tool for CheckChange {
    const NAME: &'static str = "check_change";
    const IS_OWN: bool = true;
    const DEADLINE: Option<Duration> = Some(Duration::from_secs(30));
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let (range, patch, overlay) =
            (said(&input.range), said(&input.patch), said(&input.overlay));
        let n_sources = usize::from(patch.is_some())
            + usize::from(input.staged)
            + usize::from(!input.files.is_empty())
            + usize::from(overlay.is_some());
        if n_sources > 1 || range.is_some() && (input.staged || overlay.is_some()) {
            return Err(ToolError::invalid_input(
                "send one of `range`, `staged`, `patch`, `files` and `overlay`; only `patch` and `files` go with a `range`, which then names one commit",
            ));
        }
        let over = range.as_deref().map(str::trim);
        let files: Vec<change::UnsavedFile> = input
            .files
            .into_iter()
            .map(|file| (file.path, file.text))
            .collect();
        let source = match (&patch, &overlay) {
            (Some(text), _) => ChangeSource::Patch { text, over },
            (None, Some(overlay)) => ChangeSource::Overlay(overlay),
            _ if input.staged => ChangeSource::Staged,
            _ if !files.is_empty() => ChangeSource::Files {
                files: &files,
                over,
            },
            _ => match over {
                Some(range) => ChangeSource::range(range).map_err(refused)?,
                None => ChangeSource::WorkingTree,
            },
        };
        let mut opening = envelope::opening(context, &input.workspace, FreshnessInput::Balanced)?;
        if let Some(ms) = input.budget_ms {
            opening.patience = AnswerTime::AtMost(Duration::from_millis(ms));
        }
        let opened = opening.open(source).map_err(refused)?;
        let report = change::check(&opened);
        let mut conflicts = Vec::new();
        for other in input.against.iter().take(MOST_AGAINST) {
            context.check()?;
            let other = opening.work(other.trim());
            let report = opening.conflicts(&LineOfWork::WorkingTree, &other);
            conflicts.push(report.map_err(refused)?);
        }
        answer(&opened.head, report, &conflicts)
    }
}

/// What this tool answers about a change, for the command line too.
pub fn answer(
    head: &Session,
    report: ChangeReport,
    conflicts: &[ConflictReport],
) -> Result<Output, ToolError> {
    let mut metadata = Metadata::new(head, head.reference(None));
    metadata.cut(report.cut)?;
    let mut output = output(report, metadata);
    if let Value::Array(conflicts) = conflicts_json(conflicts)["conflicts"].take() {
        output.conflicts = conflicts;
    }
    Ok(output)
}

fn refused(error: ChangeError) -> ToolError {
    match error {
        ChangeError::Open(error) => errors::of_session(error),
        error => ToolError::invalid_input(error.to_string()),
    }
}

fn output(report: ChangeReport, metadata: Metadata) -> Output {
    let contracts = report.contracts().take(MOST_ROWS).map(contract).collect();
    let packages = report.reach.packages.iter().take(MOST_ROWS);
    let reach = ReachOutput {
        by_depth: report.reach.by_depth.clone(),
        is_cut: report.reach.cut.is_some(),
        cut_by: report.reach.cut.map(cut_by),
        packages: packages
            .map(|package| ReachedOutput {
                directory: package.directory.clone(),
                n_callers: package.n_callers,
                callers: package
                    .callers
                    .iter()
                    .map(|caller| side(&caller.side))
                    .collect(),
            })
            .collect(),
    };
    Output {
        verdict: report.verdict().as_str(),
        n_certain: report.n_breaks(FindingConfidence::Certain),
        n_likely: report.n_breaks(FindingConfidence::Likely),
        breaks: report.breaks.iter().take(MOST_ROWS).map(broken).collect(),
        contracts,
        interfaces: report
            .interfaces
            .iter()
            .take(MOST_ROWS)
            .map(|of| InterfaceOutput {
                kind: of.kind.as_str(),
                name: of.name.clone(),
                status: of.status.as_str(),
                path: of.path.to_string(),
                line: of.line,
                by: of.by.clone(),
                n_used: of.used.len(),
            })
            .collect(),
        reach,
        tests: tests(&report.tests),
        dead: dead(&report.dead),
        files: report
            .files
            .iter()
            .take(MOST_ROWS)
            .map(|file| FileOutput {
                path: file.path.to_string(),
                former: file.former.as_ref().map(ToString::to_string),
                status: file.status.as_str(),
            })
            .collect(),
        blind_spots: report
            .blind_spots
            .iter()
            .take(MOST_ROWS)
            .map(|spot| BlindSpotOutput {
                kind: spot.kind.as_str(),
                path: spot.path.to_string(),
                line: spot.line,
            })
            .collect(),
        base: report.base,
        head: report.head,
        conflicts: Vec::new(),
        metadata,
    }
}

fn tests(of: &TestSelection) -> TestsOutput {
    let tests = of.tests.iter().take(MOST_ROWS);
    let tests = tests.map(|test| SelectedOutput {
        path: test.path.to_string(),
        line: test.line,
        name: test.name.clone(),
        certainty: test.certainty.as_str(),
        way: test.way(),
    });
    TestsOutput {
        n_tests: of.tests.len(),
        is_cut: of.cut.is_some(),
        cut_by: of.cut.map(cut_by),
        tests: tests.collect(),
        commands: of.commands.exact.iter().map(crate::change::typed).collect(),
        always: of.always.iter().map(|of| of.path.to_string()).collect(),
    }
}

fn dead(of: &DeadNow) -> DeadOutput {
    let open = of.open.iter().take(MOST_ROWS);
    DeadOutput {
        is_cut: of.cut.is_some(),
        cut_by: of.cut.map(cut_by),
        proven: of.proven.iter().take(MOST_ROWS).map(side).collect(),
        open: open
            .map(|(symbol, why)| OpenOutput {
                symbol: side(symbol),
                why: why.clone(),
            })
            .collect(),
    }
}

/// What cut a part of the answer short.
fn cut_by(cut: Cut) -> &'static str {
    match cut {
        Cut::Deadline | Cut::Work | Cut::Cancelled => "time",
        Cut::Limit => "number",
        Cut::Values => "values",
        Cut::Unreadable => "index",
    }
}

fn broken(found: &FoundBreak) -> BreakOutput {
    BreakOutput {
        kind: found.kind.as_str(),
        confidence: found.confidence.as_str(),
        path: found.path.to_string(),
        line: found.line,
        column: found.column,
        name: found.name.clone(),
        message: found.message.clone(),
        text: found.text.clone(),
        inside: found.inside.clone(),
        before: found.before.as_ref().map(side),
        after: found.after.as_ref().map(side),
        outcome: found.outcome.as_str(),
        rule: found.rule.as_str(),
        n_uses: found.n_uses,
    }
}

fn contract(symbol: &SymbolDifference) -> ContractOutput {
    ContractOutput {
        edit: symbol.kind.as_str(),
        before: symbol.before.as_ref().map(side),
        after: symbol.after.as_ref().map(side),
        n_uses: symbol.n_uses,
    }
}

fn side(side: &SymbolSide) -> SideOutput {
    SideOutput {
        name: side.name.clone(),
        kind: kinds::names_of(side.kind).codecompass,
        path: side.path.to_string(),
        line: side.line,
        signature: side.signature.clone(),
    }
}
