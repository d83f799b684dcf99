//! `workspace.create`, `workspace.reset`, `workspace.list`, `workspace.delete` and
//! `index.refresh_overlay`: a commit and edits over it, under a name of the client's, kept until
//! deleted.

use std::{sync::Arc, time::Duration};

use answers::At;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use workspace::{Overlay, Workspace};

use super::{
    envelope::{Confidence, Envelope, SemanticLevel},
    errors, index_ensure_baseline,
    request::{self, Request},
};
use crate::{Annotations, Context, Tool, ToolError, times};

pub struct WorkspaceCreate;
pub struct WorkspaceReset;
pub struct WorkspaceList;
pub struct WorkspaceDelete;
pub struct IndexRefreshOverlay;

/// Makes a workspace for edits over a commit (HEAD by default). One that exists is kept as it is.
#[derive(Deserialize, JsonSchema)]
pub struct CreateInput {
    repo_path: String,
    workspace_id: String,
    /// Any file or directory of the repository.
    solution_path: String,
    commit_sha: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Created {
    workspace_id: String,
    baseline_commit_sha: String,
    current_revision: u64,
}

impl Tool for WorkspaceCreate {
    const NAME: &'static str = "workspace.create";
    const ANNOTATIONS: Annotations = Annotations::ADDITIVE;
    type Input = CreateInput;
    type Output = Envelope<Created>;

    fn run(context: &Context, input: CreateInput) -> Result<Envelope<Created>, ToolError> {
        let workspace = request::repository(context, &input.repo_path)?;
        index_ensure_baseline::check_solution(context, &workspace, &input.solution_path)?;
        let asked = input
            .commit_sha
            .as_deref()
            .map(|sha| request::named_commit(&workspace, sha))
            .transpose()?;
        let existing = match workspace.overlays().find(&input.workspace_id) {
            Ok(overlay) => Some(overlay),
            Err(workspace::Error::UnknownOverlay { .. }) => None,
            Err(error) => return Err(errors::of_workspace(error)),
        };
        let (overlay, answer) = match existing {
            Some(overlay) if asked.is_none_or(|asked| asked == overlay.base) => {
                let answer = format!(
                    "Workspace `{}` exists at revision {} over {}.",
                    overlay.id,
                    overlay.revision,
                    &overlay.base.to_string()[..12]
                );
                (overlay, answer)
            }
            Some(overlay) => {
                let message = format!(
                    "workspace `{}` is based on another commit: delete it first, or pass its `commit_sha` {}",
                    overlay.id, overlay.base
                );
                return Err(
                    errors::invalid(message).with_data(json!({ "workspace_id": overlay.id, "base_commit_sha": overlay.base.to_string() }))
                );
            }
            None => {
                // The contract wants an indexed commit: it is indexed here if that takes a moment,
                // and said otherwise.
                let at = input.commit_sha.as_deref().map_or(At::Head, At::Commit);
                request::session(context, workspace.clone(), at)?;
                let Some(base) = asked.or(workspace.head().commit) else {
                    return Err(errors::invalid(
                        "a workspace is based on a commit, and this repository has none",
                    ));
                };
                let overlay = workspace
                    .overlays()
                    .create(&input.workspace_id, base)
                    .map_err(errors::of_workspace)?;
                let answer = format!(
                    "Workspace `{}` made over {}; `index_refresh_overlay` takes edits in.",
                    overlay.id,
                    &base.to_string()[..12]
                );
                (overlay, answer)
            }
        };
        let request = on_overlay(context, workspace, &overlay)?;
        let next = vec![request.next(
            "index.refresh_overlay",
            "Takes in what is edited in the working tree.",
            json!({ "workspace_id": overlay.id }),
        )];
        let data = Created {
            workspace_id: overlay.id,
            baseline_commit_sha: overlay.base.to_string(),
            current_revision: overlay.revision,
        };
        request.finish(answer, data, Vec::new(), next, Confidence::High)
    }
}

/// Discards a workspace's edits.
#[derive(Deserialize, JsonSchema)]
pub struct ResetInput {
    repo_path: String,
    workspace_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Reset {
    workspace_id: String,
    previous_revision: u64,
    new_revision: u64,
}

impl Tool for WorkspaceReset {
    const NAME: &'static str = "workspace.reset";
    const ANNOTATIONS: Annotations = Annotations::DESTRUCTIVE;
    type Input = ResetInput;
    type Output = Envelope<Reset>;

    fn run(context: &Context, input: ResetInput) -> Result<Envelope<Reset>, ToolError> {
        let workspace = request::repository(context, &input.repo_path)?;
        let before = workspace
            .overlays()
            .find(&input.workspace_id)
            .map_err(errors::of_workspace)?;
        let overlay = workspace
            .overlays()
            .create(&before.id, before.base)
            .map_err(errors::of_workspace)?;
        let request = on_overlay(context, workspace, &overlay)?;
        let answer = format!(
            "Workspace `{}` is back at its commit; {} changed files were dropped.",
            overlay.id,
            before.files.len()
        );
        let data = Reset {
            workspace_id: overlay.id,
            previous_revision: before.revision,
            new_revision: overlay.revision,
        };
        request.finish_plain(answer, data)
    }
}

/// All workspaces of a repository.
#[derive(Deserialize, JsonSchema)]
pub struct ListInput {
    repo_path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct List {
    workspaces: Vec<Listed>,
    current_commit_sha: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    workspace_id: String,
    base_commit_sha: String,
    overlay_revision: u64,
    modified_file_count: usize,
    /// Its commit is not the one checked out.
    is_stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_level: Option<SemanticLevel>,
    /// Architecture facts of the whole snapshot.
    fact_count: usize,
    created_at: String,
}

impl Tool for WorkspaceList {
    const NAME: &'static str = "workspace.list";
    type Input = ListInput;
    type Output = Envelope<List>;

    fn run(context: &Context, input: ListInput) -> Result<Envelope<List>, ToolError> {
        let workspace = request::repository(context, &input.repo_path)?;
        let head = workspace.head().commit;
        let overlays = workspace.overlays().list().map_err(errors::of_workspace)?;
        let mut workspaces = Vec::new();
        for overlay in &overlays {
            let request = on_overlay(context, workspace.clone(), overlay)?;
            workspaces.push(Listed {
                workspace_id: overlay.id.clone(),
                base_commit_sha: overlay.base.to_string(),
                overlay_revision: overlay.revision,
                modified_file_count: overlay.files.len(),
                is_stale: head != Some(overlay.base),
                semantic_level: request.survey().level.map(SemanticLevel::from),
                fact_count: request.architecture().facts.len(),
                created_at: times::iso(overlay.created),
            });
        }
        let request = Request::on(context, workspace.clone(), workspace.live());
        let answer = match workspaces.len() {
            0 => "No workspaces.".to_owned(),
            n => format!(
                "{n} workspaces, {} of them on another commit than the one checked out.",
                workspaces.iter().filter(|listed| listed.is_stale).count()
            ),
        };
        let data = List {
            workspaces,
            current_commit_sha: request::sha(head),
        };
        request.finish_plain(answer, data)
    }
}

/// Deletes a workspace.
#[derive(Deserialize, JsonSchema)]
pub struct DeleteInput {
    repo_path: String,
    workspace_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Deleted {
    workspace_id: String,
    /// False if there was none.
    deleted: bool,
}

impl Tool for WorkspaceDelete {
    const NAME: &'static str = "workspace.delete";
    const ANNOTATIONS: Annotations = Annotations::DESTRUCTIVE;
    type Input = DeleteInput;
    type Output = Envelope<Deleted>;

    fn run(context: &Context, input: DeleteInput) -> Result<Envelope<Deleted>, ToolError> {
        let workspace = request::repository(context, &input.repo_path)?;
        let deleted = match workspace.overlays().delete(&input.workspace_id) {
            Ok(()) => true,
            Err(workspace::Error::UnknownOverlay { .. }) => false,
            Err(error) => return Err(errors::of_workspace(error)),
        };
        let view = workspace.live();
        let request = Request::on(context, workspace, view);
        let answer = if deleted {
            format!("Workspace `{}` is deleted.", input.workspace_id)
        } else {
            format!("There was no workspace `{}`.", input.workspace_id)
        };
        let data = Deleted {
            workspace_id: input.workspace_id,
            deleted,
        };
        request.finish_plain(answer, data)
    }
}

/// Takes the working tree's edits, additions, deletions and renames into a workspace.
#[derive(Deserialize, JsonSchema)]
pub struct RefreshInput {
    repo_path: String,
    workspace_id: String,
    /// Only these; all that changed when absent.
    file_paths: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Refreshed {
    files_reindexed: usize,
    symbols_updated: u64,
    new_overlay_revision: u64,
}

impl Tool for IndexRefreshOverlay {
    const NAME: &'static str = "index.refresh_overlay";
    const ANNOTATIONS: Annotations = Annotations::ADDITIVE;
    const DEADLINE: Option<Duration> = Some(Duration::from_secs(120));
    type Input = RefreshInput;
    type Output = Envelope<Refreshed>;

    fn run(context: &Context, input: RefreshInput) -> Result<Envelope<Refreshed>, ToolError> {
        let workspace = request::repository(context, &input.repo_path)?;
        let paths = input.file_paths.as_deref().map(|paths| {
            paths
                .iter()
                .map(|path| request::repo_path(&workspace, path))
                .collect::<Result<Vec<_>, ToolError>>()
        });
        let paths = paths.transpose()?;
        let before = workspace
            .overlays()
            .view(&input.workspace_id)
            .map_err(errors::of_workspace)?;
        let refreshed = workspace
            .overlays()
            .refresh(&input.workspace_id, paths.as_deref())
            .map_err(errors::of_workspace)?;
        let request = on_overlay(context, workspace, &refreshed.overlay)?;
        let symbols_updated = refreshed
            .changed
            .iter()
            .map(|path| changed_symbols(&before, &request.view, path.as_str()))
            .sum();
        let data = Refreshed {
            files_reindexed: refreshed.changed.len(),
            symbols_updated,
            new_overlay_revision: refreshed.overlay.revision,
        };
        let named = refreshed
            .changed
            .iter()
            .take(5)
            .map(|path| path.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        let answer = match data.files_reindexed {
            0 => format!("Nothing changed; revision {}.", data.new_overlay_revision),
            n => format!(
                "{n} files taken in ({named}{}), {symbols_updated} symbols; revision {}.",
                if n > 5 { ", …" } else { "" },
                data.new_overlay_revision
            ),
        };
        request.finish_plain(answer, data)
    }
}

/// Symbols that were written or removed with a file: those of the new text, or of the old one where
/// it is gone.
fn changed_symbols(
    before: &workspace::SnapshotView,
    now: &workspace::SnapshotView,
    path: &str,
) -> u64 {
    let count = |view: &workspace::SnapshotView| {
        let file = view.snapshot.find(path)?;
        Some(
            view.snapshot
                .corpus()
                .facts(view.snapshot.file(file).content)?
                .symbols
                .len() as u64,
        )
    };
    count(now).or_else(|| count(before)).unwrap_or(0)
}

fn on_overlay<'a>(
    context: &'a Context,
    workspace: Arc<Workspace>,
    overlay: &Overlay,
) -> Result<Request<'a>, ToolError> {
    let view = workspace
        .overlays()
        .view(&overlay.id)
        .map_err(errors::of_workspace)?;
    Ok(Request::on(context, workspace, view))
}
