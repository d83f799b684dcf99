//! A question about several repositories: which of them answer it, and what is said of the others.

use std::time::Duration;

use answers::{
    Workspaces,
    across::{RankedRepositories, Sought},
};

use crate::{Context, ToolError};

/// Repositories that are opened to answer one question.
pub const OPENED: usize = 8;
/// Names of others that are shown.
const SHOWN: usize = 10;
/// What answering takes after it is known who can.
const RESERVE: Duration = Duration::from_secs(10);

/// The repositories that a `workspace` names where it names several; nothing where it names one.
pub fn several(
    context: &Context,
    named: Option<&str>,
) -> Option<Result<Vec<Box<str>>, answers::NotServed>> {
    let named = named.filter(|named| Workspaces::means_several(Some(named)))?;
    Some(context.host.workspaces().several(named))
}

/// Those of several repositories that hold what is sought, best first.
pub fn ranked(context: &Context, names: &[Box<str>], sought: Sought<'_>) -> RankedRepositories {
    let until = context.deadline_before(RESERVE);
    context.host.workspaces().rank(names, sought, until)
}

/// A sentence for what was not opened, and one for what could not be read; each if there is any.
pub fn notes(ranked: &RankedRepositories, n_opened: usize) -> Vec<String> {
    let listed = |names: &[Box<str>]| {
        let shown: Vec<&str> = names.iter().take(SHOWN).map(|name| &**name).collect();
        match names.len() - shown.len() {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    };
    let mut notes = Vec::new();
    let others = &ranked.holding[n_opened.min(ranked.holding.len())..];
    if !others.is_empty() {
        notes.push(format!(
            "{} more of {} repositories hold something of it: {}",
            others.len(),
            ranked.n_asked,
            listed(others)
        ));
    }
    if !ranked.unread.is_empty() {
        notes.push(format!(
            "not searched, as nothing could be read of them: {}",
            listed(&ranked.unread)
        ));
    }
    notes
}

/// Answers of the best repositories, in their order. One that has none after all is left out; an
/// error that all share is the answer.
pub fn each<T>(
    context: &Context,
    ranked: &RankedRepositories,
    mut ask: impl FnMut(&str) -> Result<Option<T>, ToolError>,
) -> Result<Vec<(Box<str>, T)>, ToolError> {
    let mut answers = Vec::new();
    let mut failed = None;
    for name in ranked.holding.iter().take(OPENED) {
        context.check()?;
        match ask(name) {
            Ok(Some(answer)) => answers.push((name.clone(), answer)),
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if answers.is_empty() => Err(error),
        _ => Ok(answers),
    }
}
