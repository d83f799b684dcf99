//! `repo.status`: what is checked out, whether it is indexed, and which workspaces there are.

use std::sync::Arc;

use answers::At;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use workspace::Overlay;

use super::{
    envelope::{Confidence, Envelope},
    errors,
    request::{self, Request},
};
use crate::{Context, Tool, ToolError, times};

pub struct RepoStatus;

/// Commit, branch, cleanness, index and workspaces of a repository.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    repo_path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RepositoryStatus {
    repo_id: String,
    current_commit_sha: String,
    /// `HEAD` when no branch is checked out.
    branch_name: String,
    is_clean: bool,
    baseline_index_exists: bool,
    workspaces: Vec<Summary>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    workspace_id: String,
    repo_id: String,
    baseline_commit_sha: String,
    changed_file_count: usize,
    overlay_symbol_count: u64,
    created_at: String,
    last_accessed_at: String,
}

impl Tool for RepoStatus {
    const NAME: &'static str = "repo.status";
    type Input = Input;
    type Output = Envelope<RepositoryStatus>;

    fn run(context: &Context, input: Input) -> Result<Envelope<RepositoryStatus>, ToolError> {
        let workspace = request::repository(context, &input.repo_path)?;
        let head = workspace.head();
        let base = match head.commit {
            Some(commit) => workspace
                .indexed_commit(commit)
                .map_err(errors::of_workspace)?,
            // Before the first commit of a repository there is nothing that a baseline could be of.
            None if workspace.is_git() => None,
            None => workspace.is_indexed().then(|| workspace.live()),
        };
        let overlays = workspace.overlays().list().map_err(errors::of_workspace)?;
        let repo_id = request::repo_id(&workspace);
        let mut summaries = Vec::new();
        for overlay in &overlays {
            summaries.push(summary(&workspace, &repo_id, overlay)?);
        }
        let is_clean = is_clean(context, &workspace, base.as_deref())?;
        let view = base.clone().unwrap_or_else(|| workspace.live());
        let request = Request::on(context, workspace, view);
        let status = RepositoryStatus {
            repo_id,
            current_commit_sha: request::sha(head.commit),
            branch_name: head.branch.clone().unwrap_or_else(|| "HEAD".to_owned()),
            is_clean,
            baseline_index_exists: base.is_some(),
            workspaces: summaries,
        };
        let indexed = if status.baseline_index_exists {
            "indexed"
        } else {
            "not indexed"
        };
        let clean = if status.is_clean {
            "clean"
        } else {
            "with uncommitted changes"
        };
        let answer = format!(
            "`{}` at {}, {clean}, {indexed}, {} workspaces.",
            status.branch_name,
            &status.current_commit_sha[..12],
            status.workspaces.len()
        );
        let next = if status.baseline_index_exists || head.commit.is_none() {
            Vec::new()
        } else {
            vec![request.next(
                "index.ensure_baseline",
                "The commit is not indexed.",
                json!({}),
            )]
        };
        request.finish(answer, status, Vec::new(), next, Confidence::High)
    }
}

/// Whether the working tree is what is committed; files that are not tracked count.
fn is_clean(
    context: &Context,
    workspace: &Arc<workspace::Workspace>,
    base: Option<&workspace::SnapshotView>,
) -> Result<bool, ToolError> {
    let indexed;
    let base = match base {
        Some(base) => base,
        // Comparing needs the commit's contents, most of which the working tree shares.
        None => {
            indexed = request::session(context, workspace.clone(), At::Head)?
                .view
                .clone();
            &indexed
        }
    };
    let (live, _) = workspace
        .fresh_live(std::time::Duration::from_secs(5))
        .map_err(errors::of_workspace)?;
    let same = base.snapshot.n_files() == live.snapshot.n_files()
        && base
            .snapshot
            .files()
            .zip(live.snapshot.files())
            .all(|((_, before), (_, now))| {
                before.path == now.path && before.content == now.content
            });
    Ok(same)
}

fn summary(
    workspace: &workspace::Workspace,
    repo_id: &str,
    overlay: &Overlay,
) -> Result<Summary, ToolError> {
    let view = workspace
        .overlays()
        .view(&overlay.id)
        .map_err(errors::of_workspace)?;
    Ok(Summary {
        workspace_id: overlay.id.clone(),
        repo_id: repo_id.to_owned(),
        baseline_commit_sha: overlay.base.to_string(),
        changed_file_count: overlay.files.len(),
        overlay_symbol_count: overlay_symbols(&view, overlay),
        created_at: times::iso(overlay.created),
        last_accessed_at: times::iso(overlay.accessed),
    })
}

/// The symbols of the files that an overlay changes.
pub fn overlay_symbols(view: &workspace::SnapshotView, overlay: &Overlay) -> u64 {
    let files = overlay
        .files
        .iter()
        .filter_map(|(path, _)| view.snapshot.find(path.as_str()));
    let facts = files.filter_map(|file| {
        view.snapshot
            .corpus()
            .facts(view.snapshot.file(file).content)
    });
    facts.map(|facts| facts.symbols.len() as u64).sum()
}
