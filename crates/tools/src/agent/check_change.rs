//! `check_change`: is a change safe?

use std::time::Duration;

use answers::change::{self, ChangeError, ChangeSource, LineOfWork};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{opened, text::one_line};
use crate::{
    Context, PlainText, Tool, ToolError,
    change::{TextLimits, conflict_text, text},
};

pub struct ChangeCheck;

/// What a change breaks before anything runs: uses of what it removes, renames or moves, calls that no longer fit, missing implementations; then contracts, callers, tests to run, dead code. The working tree against HEAD, or `range` (`main..branch`), `staged`, or a unified diff as `patch`.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    range: Option<String>,
    #[serde(default)]
    staged: bool,
    patch: Option<String>,
    /// Branches or worktrees to compare with instead
    #[serde(default)]
    against: Vec<String>,
    workspace: Option<String>,
}

/// Lines of work that one call compares.
const MOST_AGAINST: usize = 10;

impl Tool for ChangeCheck {
    const NAME: &'static str = "check_change";
    const DEADLINE: Option<Duration> = Some(Duration::from_secs(30));
    type Input = Input;
    type Output = PlainText;

    fn run(context: &Context, input: Input) -> Result<PlainText, ToolError> {
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let (range, patch) = (said(&input.range), said(&input.patch));
        let source = match (&patch, &range, input.staged) {
            (Some(text), over, false) => ChangeSource::Patch {
                text,
                over: over.as_deref().map(str::trim),
            },
            (None, Some(range), false) => {
                ChangeSource::range(range.trim()).map_err(refused_change)?
            }
            (None, None, true) => ChangeSource::Staged,
            (None, None, false) => ChangeSource::WorkingTree,
            _ => {
                return Err(ToolError::invalid_input(
                    "`staged` goes with neither `range` nor `patch`",
                ));
            }
        };
        let opening = opened::opening(context, input.workspace.as_deref())?;
        if !input.against.is_empty() {
            if source != ChangeSource::WorkingTree {
                return Err(ToolError::invalid_input(
                    "`against` compares the working tree: send neither `range`, `staged` nor `patch` with it",
                ));
            }
            let mut text = String::new();
            for other in input.against.iter().take(MOST_AGAINST) {
                context.check()?;
                let other = opening.work(other.trim());
                let report = opening.conflicts(&LineOfWork::WorkingTree, &other);
                text += &conflict_text(&report.map_err(refused_change)?);
            }
            return Ok(PlainText(text));
        }
        let opened = opening.open(source).map_err(refused_change)?;
        let report = change::check(&opened);
        let notes = opened::notes(&opened.head, None);
        Ok(PlainText(text(&report, TextLimits::MODEL) + &notes))
    }
}

fn refused_change(error: ChangeError) -> ToolError {
    match error {
        ChangeError::Open(error) => opened::refused(error),
        error => ToolError::invalid_input(one_line(&error.to_string())),
    }
}
