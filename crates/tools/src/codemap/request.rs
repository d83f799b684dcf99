//! One question from its routing to its envelope: which snapshot answers, what it may cost, and
//! what it saved.
//!
//! Without a workspace the commit's own tree answers (*committed*), with one the commit and the
//! workspace's edits (*workspace*), and with virtual files those over both (*ephemeral*). All tools
//! ask the same snapshot in the same way, so that no tool lags behind another.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use answers::{Anchor, At, Session, SymbolInfo, Waits, excerpts, occurrences::Occurrences, survey};
use engine::{Cut, FileId};
use facts::ContentId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::Digest;
use workspace::{Freshness, FreshnessStatus, SnapshotView, Source, Workspace};

use super::{
    budgets::Allowance,
    envelope::{
        Confidence, Envelope, Evidence, LimitApplied, Meta, NextAction, ProjectDiagnostic,
        SemanticLevel, Timing,
    },
    errors, savings,
};
use crate::{Context, ToolError};

/// Where a question is asked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Target {
    pub repo_path: String,
    /// An overlay; the commit itself when absent.
    pub workspace_id: Option<String>,
    /// Unsaved texts over the workspace.
    pub virtual_files: Option<Vec<VirtualFile>>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct VirtualFile {
    pub file_path: String,
    pub content: String,
}

/// Virtual files of one request, together.
const VIRTUAL_BYTES: usize = 1 << 20;

/// A question on a commit that nobody has indexed waits this long for the index.
const PATIENCE: Duration = Duration::from_secs(10);
const WAITS: Waits = Waits {
    sync: PATIENCE,
    first_index: PATIENCE,
    commit: PATIENCE,
};

/// A question in progress: the session that answers it, and what its envelope will tell.
pub struct Request<'a> {
    pub context: &'a Context,
    pub repo_id: String,
    pub timing: Cell<Timing>,
    session: Session,
    started: Instant,
    limits_applied: RefCell<BTreeMap<&'static str, LimitApplied>>,
    /// Files that a reader would have opened instead.
    replaced: RefCell<BTreeSet<FileId>>,
    /// Files whose problems concern the answer; none where all do.
    grounds: RefCell<BTreeSet<FileId>>,
}

impl Deref for Request<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl<'a> Request<'a> {
    pub fn open(context: &'a Context, target: &Target) -> Result<Request<'a>, ToolError> {
        let started = Instant::now();
        let workspace = repository(context, &target.repo_path)?;
        let overlay = target.workspace_id.as_deref().filter(|id| !id.is_empty());
        let mut session = session(context, workspace, overlay.map_or(At::Head, At::Overlay))?;
        let found = started.elapsed();
        let files = target.virtual_files.as_deref().unwrap_or_default();
        if !files.is_empty() {
            if overlay.is_none() {
                return Err(errors::workspace_required());
            }
            let view = with_virtual_files(&session, files)?;
            session = context.session(session.workspace.clone(), view, Freshness::fresh());
        }
        let extracted = started.elapsed() - found;
        let timing = Timing {
            cache_lookup_ms: milliseconds(found),
            roslyn_compile_ms: milliseconds(extracted),
            ..Timing::default()
        };
        Ok(Request {
            started,
            timing: Cell::new(timing),
            ..Request::of(context, session)
        })
    }

    /// A question about a view that is already at hand.
    pub fn on(
        context: &'a Context,
        workspace: Arc<Workspace>,
        view: Arc<SnapshotView>,
    ) -> Request<'a> {
        Request::of(
            context,
            context.session(workspace, view, Freshness::fresh()),
        )
    }

    fn of(context: &'a Context, session: Session) -> Request<'a> {
        Request {
            context,
            repo_id: repo_id(&session.workspace),
            timing: Cell::default(),
            session,
            started: Instant::now(),
            limits_applied: RefCell::default(),
            replaced: RefCell::default(),
            grounds: RefCell::default(),
        }
    }

    /// What was asked for within what is allowed.
    pub fn allow(&self, allowance: Allowance, asked: Option<i64>) -> usize {
        let asked = asked.unwrap_or(allowance.default);
        let allowed = asked.clamp(1, allowance.hard_cap);
        if allowed != asked {
            self.limits_applied.borrow_mut().insert(
                allowance.field,
                LimitApplied {
                    requested: asked,
                    hard_cap: allowed,
                },
            );
        }
        allowed as usize
    }

    /// Remembers that the answer shows something of a file.
    pub fn shows(&self, file: FileId) {
        self.replaced.borrow_mut().insert(file);
    }

    /// Remembers that the answer rests on a file, and on no others than those remembered so:
    /// problems elsewhere do not concern it.
    pub fn rests_on(&self, file: FileId) {
        self.grounds.borrow_mut().insert(file);
    }

    /// Says that a list was cut, and how long it is.
    pub fn limit(&self, field: &'static str, total: usize, shown: usize) {
        self.limits_applied.borrow_mut().insert(
            field,
            LimitApplied {
                requested: total as i64,
                hard_cap: shown as i64,
            },
        );
    }

    /// The definition of a symbol, or a file, as evidence.
    pub fn evidence(&self, anchor: impl Into<Anchor>, symbol_id: &str) -> Vec<Evidence> {
        let info = SymbolInfo::of(self, anchor);
        let evidence = info.map(|info| Evidence {
            repo_id: self.repo_id.clone(),
            excerpt: answers::symbol::signature(self, info.anchor),
            file_path: info.path,
            line_start: info.lines.0,
            line_end: info.lines.1,
            symbol_id: Some(symbol_id.to_owned()),
        });
        evidence.into_iter().collect()
    }

    /// Lines of files as evidence.
    pub fn line_evidence(&self, places: &[(FileId, u32)]) -> Vec<Evidence> {
        let evidence = |(file, offset): &(FileId, u32)| {
            let facts = self.facts(*file)?;
            let line = facts.lines.line_number(*offset);
            let text = self.text(*file);
            Some(Evidence {
                repo_id: self.repo_id.clone(),
                file_path: self.path(*file).to_owned(),
                line_start: line,
                line_end: line,
                symbol_id: None,
                excerpt: text.map(|text| excerpts::line(&facts, &text, *offset)),
            })
        };
        places.iter().filter_map(evidence).collect()
    }

    /// Where the name of something unused occurs.
    pub fn occurrence_evidence(&self, occurrences: Option<&Occurrences>) -> Vec<Evidence> {
        occurrences.map_or_else(Vec::new, |found| {
            self.line_evidence(&found.elsewhere.places)
        })
    }

    /// A follow-up call on the same repository and workspace.
    pub fn next(&self, tool: &str, rationale: impl Into<String>, parameters: Value) -> NextAction {
        let mut all = Map::new();
        all.insert(
            "repo_path".to_owned(),
            Value::from(self.workspace.root().to_string_lossy()),
        );
        if let Some(id) = self.overlay().map(|(id, _)| id) {
            all.insert("workspace_id".to_owned(), Value::from(id));
        }
        if let Value::Object(parameters) = parameters {
            all.extend(parameters);
        }
        let tool = if self.context.strict {
            tool.to_owned()
        } else {
            tool.replace('.', "_")
        };
        NextAction {
            tool,
            rationale: rationale.into(),
            parameters: Some(all),
        }
    }

    /// A follow-up call that tells what a symbol is.
    pub fn card(&self, rationale: impl Into<String>, symbol_id: &str) -> NextAction {
        let parameters = serde_json::json!({ "symbol_id": symbol_id });
        self.next("symbols.get_card", rationale, parameters)
    }

    /// The sentence that tells why the engine stopped early, if it did.
    pub fn cut(&self) -> Result<&'static str, ToolError> {
        match self.budget.cut() {
            None | Some(Cut::Limit) => Ok(""),
            Some(Cut::Cancelled) => Err(ToolError::cancelled()),
            Some(Cut::Deadline | Cut::Work) => Ok(" The time allowed ran out: there may be more."),
            Some(Cut::Values) => Ok(
                " Calls through function values were followed in part: there may be more of them.",
            ),
            Some(Cut::Unreadable) if self.view.published().is_some() => Ok(
                " The remote store does not give a part of the published index: there may be more; ask again when it answers.",
            ),
            Some(Cut::Unreadable) => Ok(" A part of the index cannot be read: there may be more."),
        }
    }

    /// How sure a statement about a file can be.
    pub fn confidence(&self, file: FileId) -> Confidence {
        match self.facts(file) {
            Some(facts) if facts.problems.is_empty() => Confidence::High,
            _ => Confidence::Low,
        }
    }

    /// What tells this question's snapshot from others, for cursors.
    pub fn revision(&self) -> String {
        format!("{:?}", self.view.source)
    }

    fn overlay(&self) -> Option<(String, u64)> {
        fn of(source: &Source) -> Option<(String, u64)> {
            match source {
                Source::Overlay { id, revision, .. } => Some((id.clone(), *revision)),
                Source::Virtual { below } => of(below),
                _ => None,
            }
        }
        of(&self.view.source)
    }

    /// The envelope of an answer that speaks for itself.
    pub fn finish_plain<T: Serialize>(
        self,
        answer: String,
        data: T,
    ) -> Result<Envelope<T>, ToolError> {
        self.finish(answer, data, Vec::new(), Vec::new(), Confidence::High)
    }

    pub fn finish<T: Serialize>(
        self,
        answer: String,
        data: T,
        evidence: Vec<Evidence>,
        next_actions: Vec<NextAction>,
        confidence: Confidence,
    ) -> Result<Envelope<T>, ToolError> {
        if self.budget.cut() == Some(Cut::Cancelled) {
            return Err(ToolError::cancelled());
        }
        let saved = savings::of(&self, &self.replaced.borrow(), &data);
        savings::keep(&self.workspace, &saved);
        let (level, projects) = survey::of_files(&self, &self.grounds.borrow());
        let semantic_level = level.map(SemanticLevel::from);
        let project_diagnostics = projects.into_iter().map(ProjectDiagnostic::from).collect();
        let mut timing = self.timing.get();
        timing.total_ms = milliseconds(self.started.elapsed());
        if timing.db_query_ms == 0.0 {
            let rest = timing.total_ms
                - timing.cache_lookup_ms
                - timing.roslyn_compile_ms
                - timing.ranking_ms;
            timing.db_query_ms = (rest.max(0.0) * 1e3).round() / 1e3;
        }
        let overlay = self.overlay();
        let meta = Meta {
            timing,
            baseline_commit_sha: sha(self.view.commit()),
            limits_applied: self.limits_applied.into_inner(),
            tokens_saved: saved.tokens,
            cost_avoided: saved.cost,
            workspace_id: overlay.as_ref().map(|(id, _)| id.clone()),
            overlay_revision: overlay.map_or(0, |(_, revision)| revision),
            semantic_level,
            project_diagnostics,
        };
        Ok(Envelope {
            answer,
            data,
            evidence,
            next_actions,
            confidence,
            meta,
        })
    }
}

pub fn repository(context: &Context, repo_path: &str) -> Result<Arc<Workspace>, ToolError> {
    if repo_path.trim().is_empty() {
        return Err(errors::invalid(
            "`repo_path` is empty: pass the repository's directory",
        ));
    }
    context
        .workspace(Some(repo_path))
        .map_err(|why| errors::unknown_repository(repo_path, why))
}

/// A session on an indexed snapshot: a part of the files would pass for all of them.
pub fn session(
    context: &Context,
    workspace: Arc<Workspace>,
    at: At<'_>,
) -> Result<Session, ToolError> {
    let session = context
        .open(workspace, at, &WAITS)
        .map_err(errors::of_session)?;
    match session.freshness.status {
        FreshnessStatus::Indexing | FreshnessStatus::Absent => Err(errors::index_not_available(
            "the files are being indexed; ask again in a moment",
        )),
        _ => Ok(session),
    }
}

/// A commit by its hexadecimal id, whole or shortened, or `HEAD`.
pub fn named_commit(workspace: &Workspace, sha: &str) -> Result<ContentId, ToolError> {
    let is_id = (4..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id && sha != "HEAD" {
        return Err(errors::invalid(
            "`commit_sha` must be 4 to 64 hexadecimal digits or `HEAD`",
        ));
    }
    workspace.commit(sha).map_err(errors::of_workspace)
}

fn with_virtual_files(
    session: &Session,
    files: &[VirtualFile],
) -> Result<Arc<SnapshotView>, ToolError> {
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    if bytes > VIRTUAL_BYTES {
        return Err(errors::invalid(format!(
            "`virtual_files` hold {bytes} bytes together, at most {VIRTUAL_BYTES} are allowed"
        )));
    }
    let placed = files.iter().map(|file| {
        let path = repo_path(&session.workspace, &file.file_path)?;
        Ok((path, Some(file.content.clone())))
    });
    let placed = placed.collect::<Result<Vec<_>, ToolError>>()?;
    session
        .workspace
        .with_virtual_files(&session.view, &placed)
        .map_err(errors::of_workspace)
}

/// The path below the root that a request's path means.
pub fn repo_path(workspace: &Workspace, path: &str) -> Result<engine::RepoPath, ToolError> {
    workspace
        .repo_path(&path.replace('\\', "/"))
        .map_err(errors::of_workspace)
}

/// Equal for every clone of one remote repository. Without a remote it is an id of this directory.
pub fn repo_id(workspace: &Workspace) -> String {
    match workspace.remote_url() {
        Some(url) => short_hash(&normal_url(&url)),
        None => format!(
            "local-{}",
            short_hash(&workspace.root().to_string_lossy().to_lowercase())
        ),
    }
}

/// An address without what differs between clones of one repository: letter case, `.git` and `/` at
/// its end, and who signs in.
fn normal_url(url: &str) -> String {
    let url = url.trim().to_lowercase();
    let url = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            format!("{scheme}://{host}/{path}")
        }
        None => url,
    };
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git")
        .unwrap_or(url)
        .trim_end_matches('/')
        .to_owned()
}

/// The first sixteen hexadecimal digits of a text's SHA-256.
fn short_hash(text: &str) -> String {
    sha2::Sha256::digest(text.as_bytes())[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Forty zeros where there is no commit.
pub fn sha(commit: Option<ContentId>) -> String {
    commit.map_or_else(|| "0".repeat(40), |commit| commit.to_string())
}

pub fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
