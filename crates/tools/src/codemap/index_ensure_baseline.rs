//! `index.ensure_baseline`: the commit's own tree is indexed, now if it was not.

use std::time::{Duration, Instant};

use answers::{Session, survey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use workspace::Workspace;

use super::{
    architecture::{FrameworkCoverage, ledger},
    envelope::{Confidence, Envelope, ProjectDiagnostic, SemanticLevel},
    errors,
    request::{self, Request},
};
use crate::{Annotations, Context, Tool, ToolError};

pub struct IndexEnsureBaseline;

/// Indexes a commit (HEAD by default) if it is not indexed yet.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    repo_path: String,
    /// Any file or directory of the repository; the whole is indexed.
    solution_path: Option<String>,
    commit_sha: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct EnsuredBaseline {
    commit_sha: String,
    already_existed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<IndexStats>,
    from_cache: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexStats {
    symbol_count: u64,
    reference_count: u64,
    file_count: u64,
    elapsed_seconds: f64,
    confidence: Confidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_level: Option<SemanticLevel>,
    project_diagnostics: Vec<ProjectDiagnostic>,
    /// Frameworks that were seen, what was read of them and what was not: silence is not absence.
    coverage: Vec<FrameworkCoverage>,
}

impl Tool for IndexEnsureBaseline {
    const NAME: &'static str = "index.ensure_baseline";
    const ANNOTATIONS: Annotations = Annotations::ADDITIVE;
    /// A first index of the largest repositories.
    const DEADLINE: Option<Duration> = Some(Duration::from_secs(30 * 60));
    type Input = Input;
    type Output = Envelope<EnsuredBaseline>;

    fn run(context: &Context, input: Input) -> Result<Envelope<EnsuredBaseline>, ToolError> {
        let started = Instant::now();
        let workspace = request::repository(context, &input.repo_path)?;
        if let Some(path) = input.solution_path.as_deref() {
            check_solution(context, &workspace, path)?;
        }
        let commit = match input.commit_sha.as_deref() {
            Some(sha) => Some(request::named_commit(&workspace, sha)?),
            None => workspace.head().commit,
        };
        if commit.is_none() && workspace.is_git() {
            return Err(errors::not_found(
                "this repository has no commit yet, so that there is no baseline: commit something first",
            ));
        }
        let existed = match commit {
            Some(commit) => workspace
                .indexed_commit(commit)
                .map_err(errors::of_workspace)?
                .is_some(),
            None => workspace.is_indexed(),
        };
        // The call's own flag, so that one that waits for its turn hears of it too.
        let cancel = context.cancel.flag();
        let progress = |at: workspace::IndexProgress| {
            if context.check().is_err() {
                context.cancel.set();
            }
            context
                .progress
                .report(at.done as f64, Some(at.total as f64), "files indexed");
        };
        let (view, report) = match commit {
            Some(commit) => workspace
                .index_commit(commit, false, &cancel, progress)
                .map_err(errors::of_workspace)?,
            None => {
                let report = workspace
                    .index_live(false, &cancel, progress)
                    .map_err(errors::of_workspace)?;
                (workspace.live(), report)
            }
        };
        // Nothing had to be extracted here: another machine had done it.
        let from_cache = report.pulled > 0 && report.pulled == report.extracted;
        let request = Request::on(context, workspace, view);
        let stats = if existed || from_cache {
            None
        } else {
            Some(stats(&request, started.elapsed()))
        };
        if let Some(stats) = &stats
            && stats.symbol_count == 0
            && is_hopeless(&request)
        {
            let failed: Vec<&str> = stats
                .project_diagnostics
                .iter()
                .map(|project| project.project_name.as_str())
                .collect();
            return Err(errors::compilation_failed(
                "there is source code, but none of it could be parsed",
            )
            .with_data(json!({ "failed_projects": failed })));
        }
        let mut timing = request.timing.get();
        if !existed {
            timing.roslyn_compile_ms = request::milliseconds(started.elapsed());
        }
        request.timing.set(timing);
        let sha = request::sha(commit);
        let confidence = stats
            .as_ref()
            .map_or(Confidence::High, |stats| stats.confidence);
        let answer = match &stats {
            None if from_cache => format!(
                "Commit {} came from the shared cache: {} files.",
                &sha[..12],
                report.files
            ),
            None => format!("Commit {} was already indexed.", &sha[..12]),
            Some(stats) => format!(
                "Commit {} is indexed: {} symbols in {} files.",
                &sha[..12],
                stats.symbol_count,
                stats.file_count
            ),
        };
        let next = vec![request.next(
            "symbols.search",
            "Find where to begin.",
            json!({ "kinds": ["Class", "Interface"] }),
        )];
        request.finish(
            answer,
            EnsuredBaseline {
                commit_sha: sha,
                already_existed: existed || from_cache,
                stats,
                from_cache,
            },
            Vec::new(),
            next,
            confidence,
        )
    }
}

/// Any existing file or directory of the repository will do: the whole repository is indexed.
pub fn check_solution(
    context: &Context,
    workspace: &Workspace,
    path: &str,
) -> Result<(), ToolError> {
    if path.trim().is_empty() {
        return Err(errors::invalid(
            "`solution_path` is empty: pass a file or directory of the repository",
        ));
    }
    let absolute = workspace.root().join(path.replace('\\', "/"));
    match context.roots().check(&absolute) {
        Ok(real) if real.starts_with(workspace.root()) => Ok(()),
        Ok(_) | Err(crate::Denied::Outside) => Err(errors::invalid(
            "`solution_path` lies outside the repository",
        )),
        Err(_) => Err(errors::not_found("`solution_path` does not exist")
            .with_data(json!({ "solution_path": path }))),
    }
}

fn stats(request: &Request<'_>, elapsed: Duration) -> IndexStats {
    let session: &Session = request;
    let known = session.survey();
    let mut projects: Vec<ProjectDiagnostic> =
        known.projects.iter().map(ProjectDiagnostic::from).collect();
    let mut reference_count = 0;
    for (id, file) in session.snapshot().files() {
        let Some(facts) = session.snapshot().corpus().facts(file.content) else {
            continue;
        };
        reference_count += facts.references.len() as u64;
        let name = survey::project_of(session, id);
        if let Ok(i) = projects.binary_search_by(|project| project.project_name.as_str().cmp(name))
        {
            *projects[i].reference_count.get_or_insert(0) += facts.references.len() as u64;
        }
    }
    let semantic_level = known.level.map(SemanticLevel::from);
    let confidence = match semantic_level {
        Some(SemanticLevel::Full) | None => Confidence::High,
        Some(SemanticLevel::Partial) => Confidence::Medium,
        Some(SemanticLevel::SyntaxOnly) => Confidence::Low,
    };
    IndexStats {
        symbol_count: projects.iter().map(|project| project.symbol_count).sum(),
        reference_count,
        file_count: session.snapshot().n_files() as u64,
        elapsed_seconds: (elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        confidence,
        semantic_level,
        project_diagnostics: projects,
        coverage: ledger(session),
    }
}

/// There are files of languages that we know, and each of them failed.
fn is_hopeless(session: &Session) -> bool {
    let known = session.survey();
    known.level == Some(survey::ParsedLevel::Partial)
        && known.projects.iter().all(|project| !project.is_parsed())
}
