//! The document that a request names, and the session of its repository that answers: canonical,
//! inside the roots, and in step with the disk.

use std::{
    path::PathBuf,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use answers::{At, Session, Waits};
use engine::FileId;
use workspace::{FreshnessStatus, Workspace};

use super::{columns, errors, shapes::Position};
use crate::{Context, Denied, ToolError, file_uri, path_of_uri};

/// A document inside the roots.
pub struct Document {
    /// In its one spelling.
    pub uri: String,
    pub real: PathBuf,
    pub workspace: Arc<Workspace>,
}

/// The document as the index knows it.
pub struct Indexed {
    pub session: Rc<Session>,
    pub file: FileId,
}

/// What is left of a call's time when its repository must be in step.
const RESERVE: Duration = Duration::from_millis(400);
/// How long one wait lasts before the caller is asked whether they still want the answer.
const SLICE: Duration = Duration::from_millis(200);

/// The document that a URI names.
pub fn find(context: &Context, uri: &str) -> Result<Document, ToolError> {
    let path = path_of_uri(uri.trim())?;
    let real = context.roots().check(&path)?;
    match real.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(errors::not_found("the URI names no regular file")),
        Err(_) => return Err(Denied::Missing.into()),
    }
    let directory = real.parent().and_then(|directory| directory.to_str());
    let directory = directory.ok_or_else(|| ToolError::path_invalid("the path is no text"))?;
    let workspace = context
        .workspace(Some(directory))
        .map_err(errors::not_served)?;
    Ok(Document {
        uri: file_uri(&real),
        real,
        workspace,
    })
}

/// The workspaces that questions about everything mean, in order of their roots: those named at
/// start, and those opened since.
fn workspaces(context: &Context) -> Result<Vec<Arc<Workspace>>, ToolError> {
    if context.roots().paths().is_empty() {
        return Err(ToolError::path_denied());
    }
    let registered = context.host.workspaces().registered().to_vec();
    let mut all = Vec::new();
    for root in &registered {
        let named = root
            .to_str()
            .ok_or_else(|| ToolError::path_invalid("the path is no text"))?;
        all.push(context.workspace(Some(named)).map_err(errors::not_served)?);
    }
    all.extend(context.host.workspaces().opened());
    all.sort_by(|a, b| a.root().cmp(b.root()));
    all.dedup_by(|a, b| a.root() == b.root());
    Ok(all)
}

/// The working tree as it is now. Waits for the first index as long as the call may last: an
/// incomplete list would pass for a whole one.
pub fn session(context: &Context, workspace: &Arc<Workspace>) -> Result<Rc<Session>, ToolError> {
    session_with(context, workspace, |_| false)
}

/// All workspaces as they are now.
pub fn sessions(context: &Context) -> Result<Vec<Rc<Session>>, ToolError> {
    let all = workspaces(context)?;
    context.host.gateway().epochs.observe_folders(
        all.iter()
            .map(|workspace| workspace.root().to_path_buf())
            .collect(),
    );
    all.iter()
        .map(|workspace| session(context, workspace))
        .collect()
}

/// The document as the index knows it, in a repository that is in step.
pub fn indexed(context: &Context, document: &Document) -> Result<Indexed, ToolError> {
    located(document, &session(context, &document.workspace)?)
}

/// For questions about this document alone: they need not wait for the rest of its repository.
pub fn indexed_alone(context: &Context, document: &Document) -> Result<Indexed, ToolError> {
    let session = session_with(context, &document.workspace, |session| {
        find_file(session, document).is_some()
    })?;
    located(document, &session)
}

pub fn located(document: &Document, session: &Rc<Session>) -> Result<Indexed, ToolError> {
    match find_file(session, document) {
        Some(file) => Ok(Indexed {
            session: session.clone(),
            file,
        }),
        None => Err(errors::provider_unavailable(
            "the document is not indexed: it is ignored, too large, or no text",
        )),
    }
}

fn find_file(session: &Session, document: &Document) -> Option<FileId> {
    let path = session.workspace.repo_path(document.real.to_str()?).ok()?;
    session.snapshot().find(path.as_str())
}

fn session_with(
    context: &Context,
    workspace: &Arc<Workspace>,
    enough: impl Fn(&Session) -> bool,
) -> Result<Rc<Session>, ToolError> {
    let until = context.deadline_before(RESERVE);
    loop {
        context.check()?;
        let left = until.saturating_duration_since(Instant::now());
        let is_over = left.is_zero();
        let session = match live(context, workspace, left.min(SLICE)) {
            Err(answers::Error::NotIndexed { .. }) if is_over => {
                return Err(errors::index_not_ready());
            }
            Err(answers::Error::NotIndexed { .. }) => continue,
            session => session.map_err(errors::of_session)?,
        };
        match session.freshness.status {
            FreshnessStatus::Fresh => return Ok(Rc::new(session)),
            FreshnessStatus::Stale | FreshnessStatus::Syncing if is_over => {
                return Ok(Rc::new(session));
            }
            FreshnessStatus::Absent => return Err(errors::index_failed()),
            FreshnessStatus::Indexing if enough(&session) => return Ok(Rc::new(session)),
            FreshnessStatus::Indexing if is_over => return Err(errors::index_not_ready()),
            _ => {}
        }
    }
}

/// The working tree, taken in for so long.
fn live(context: &Context, workspace: &Arc<Workspace>, wait: Duration) -> answers::Result<Session> {
    let waits = Waits {
        sync: wait,
        first_index: wait,
        commit: wait,
    };
    context.open(workspace.clone(), At::Ref(None), &waits)
}

impl Indexed {
    /// The offset of a position that must exist.
    pub fn offset(&self, position: Position) -> Result<u32, ToolError> {
        let facts = self.session.facts(self.file);
        let text = self.session.text(self.file);
        let (Some(facts), Some(text)) = (facts, text) else {
            return Err(errors::not_found("the document's text cannot be read"));
        };
        columns::offset(&facts.lines, &text, position).ok_or_else(|| no_position(position))
    }
}

pub fn no_position(position: Position) -> ToolError {
    errors::not_found(format!("the document has no position {position}"))
}

/// Tells the language servers what changed on disk before they are asked.
pub fn keep_servers_in_step(
    context: &Context,
    workspace: &Arc<Workspace>,
) -> Result<(), ToolError> {
    let gateway = context.host.gateway();
    if gateway.servers.may_serve(context, workspace.root()) {
        match live(context, workspace, SLICE) {
            // Nothing is known yet that a server could be told.
            Err(answers::Error::NotIndexed { .. } | answers::Error::IndexFailed { .. }) => {}
            session => {
                gateway.observe(&session.map_err(errors::of_session)?)?;
            }
        }
    }
    Ok(())
}

/// What a summary adds about who answered, and how far behind the disk it may be.
pub fn provided_by_index(session: &Session, why: Option<String>) -> String {
    let state = match session.freshness.status {
        FreshnessStatus::Fresh => None,
        FreshnessStatus::Indexing => Some("still being built".to_owned()),
        _ => Some("files changed since".to_owned()),
    };
    let notes: Vec<String> = why.into_iter().chain(state).collect();
    if notes.is_empty() {
        "Provider: index.".to_owned()
    } else {
        format!("Provider: index ({}).", notes.join("; "))
    }
}

/// The root that compact texts leave out, where there is only one.
pub fn base(context: &Context) -> Option<String> {
    match context.roots().paths() {
        [root] => Some(file_uri(root)),
        _ => None,
    }
}
