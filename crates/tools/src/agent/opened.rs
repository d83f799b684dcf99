//! A request's session, or the one line that says why there is none.

use std::time::Duration;

use answers::{
    At, NotServed, Session, Waits,
    across::Sought,
    change::{AnswerTime, Opening},
    session::FreshnessPolicy,
};
use engine::Cut;
use workspace::FreshnessStatus;

use super::text::one_line;
use crate::{
    Context, PlainText, ToolError,
    across::{self, OPENED},
};

/// An agent edits and asks at once; a first answer that is complete is worth a wait.
const WAITS: Waits = Waits {
    sync: Duration::from_secs(4),
    first_index: Duration::from_secs(25),
    commit: Duration::from_secs(25),
};

/// The snapshot that a request means. `reference` is a branch, tag, commit or overlay.
pub fn open(
    context: &Context,
    workspace: Option<&str>,
    reference: Option<&str>,
) -> Result<Session, ToolError> {
    let workspace = context
        .workspace(workspace.map(str::trim).filter(|path| !path.is_empty()))
        .map_err(|reason| ToolError::invalid_input(reason.to_string()))?;
    let reference = reference.map(str::trim).filter(|name| !name.is_empty());
    let at = match reference {
        Some(name) if workspace.overlays().find(name).is_ok() => At::Overlay(name),
        reference => At::Ref(reference),
    };
    let policy = FreshnessPolicy::Balanced;
    context
        .open_fresh(workspace, at, policy, &WAITS)
        .map_err(refused)
}

/// The texts of several repositories, each below its name, and what is said of the others.
pub fn texts_of_several(
    context: &Context,
    names: Result<Vec<Box<str>>, NotServed>,
    sought: Sought<'_>,
    mut ask: impl FnMut(&str, usize) -> Result<PlainText, ToolError>,
) -> Result<PlainText, ToolError> {
    let names = names.map_err(|reason| ToolError::invalid_input(reason.to_string()))?;
    let ranked = across::ranked(context, &names, sought);
    let n_opened = ranked.holding.len().min(OPENED);
    let answers = across::each(context, &ranked, |name| ask(name, n_opened).map(Some))?;
    let mut text = String::new();
    for (name, PlainText(answer)) in &answers {
        text += &format!("# {name}\n{answer}");
    }
    if answers.is_empty() {
        let n = ranked.n_asked;
        text += &format!("nothing in {n} repositories\n");
    }
    for note in across::notes(&ranked, OPENED) {
        text += &format!("note: {note}\n");
    }
    Ok(PlainText(text))
}

/// Opens both sides of a change.
pub fn opening<'c>(
    context: &'c Context,
    workspace: Option<&str>,
) -> Result<Opening<'c>, ToolError> {
    let workspace = context
        .workspace(workspace.map(str::trim).filter(|path| !path.is_empty()))
        .map_err(|reason| ToolError::invalid_input(reason.to_string()))?;
    Ok(Opening {
        workspaces: context.host.workspaces(),
        workspace,
        policy: FreshnessPolicy::Balanced,
        waits: context.waits(&WAITS),
        budget: Box::new(|| context.budget()),
        patience: AnswerTime::Usual,
    })
}

pub fn refused(error: answers::Error) -> ToolError {
    let remedy = match &error {
        answers::Error::NotServed(_) => "",
        answers::Error::InvalidRef { .. }
        | answers::Error::UnreadableCommit { .. }
        | answers::Error::Workspace(
            workspace::Error::UnknownRef { .. } | workspace::Error::AmbiguousRef { .. },
        ) => "; send a branch, tag or commit that exists here, or no `ref` for the working tree",
        answers::Error::NotIndexed { .. } | answers::Error::Stale { .. } => {
            "; ask again in a few seconds, or use rg meanwhile"
        }
        answers::Error::Cancelled => return ToolError::cancelled(),
        answers::Error::IndexFailed { .. } | answers::Error::Workspace(_) => {
            "; `codecompass doctor` says more"
        }
    };
    ToolError::invalid_input(one_line(&format!("{error}{remedy}")))
}

/// What keeps an answer from being fresh and complete, each on a line; empty for most answers.
pub fn notes(session: &Session, cut: Option<Cut>) -> String {
    let mut notes = String::new();
    match session.freshness.status {
        FreshnessStatus::Fresh => {}
        FreshnessStatus::Indexing | FreshnessStatus::Absent => {
            notes += "note: indexing is under way, so that something may be missing\n";
        }
        FreshnessStatus::Stale | FreshnessStatus::Syncing => {
            notes += "note: some edited files are not read yet\n";
        }
    }
    match cut {
        None | Some(Cut::Limit) => {}
        Some(Cut::Values) => {
            notes += "note: calls through function values were followed in part, so that there may be more\n";
        }
        Some(Cut::Unreadable) => {
            notes += &format!("note: {}\n", session.unreadable());
        }
        Some(Cut::Deadline | Cut::Work | Cut::Cancelled) => {
            notes += "note: the time ran out, so that something may be missing\n";
        }
    }
    notes
}
