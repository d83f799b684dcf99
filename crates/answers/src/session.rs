//! One snapshot of a repository as one request sees it from start to end: the one way in.
//!
//! A [`Session`] holds the snapshot, how fresh it is, what has been worked out about it and what
//! the request may still spend. [`Workspaces::open`](crate::Workspaces::open) makes one from what a
//! request says; every question of this crate takes one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use engine::{
    Analysis, Budget, ContentNumber, FileId, Resolver, Snapshot, SymbolId, Unreadable,
    query::{
        self,
        architecture::{self, Architecture},
        search::{Lexicon, PathWords, TextIndex},
    },
};
use facts::{ContentId, Facts};
use workspace::{Freshness, FreshnessStatus, JobState, Meaning, SnapshotView, Source, Workspace};

use crate::{
    Error, Result,
    cold::ColdSession,
    rankings::Rankings,
    snapshot_cache::{Incremental, SnapshotCache},
    text_index::SnapshotWords,
};

pub struct Session {
    pub workspace: Arc<Workspace>,
    pub view: Arc<SnapshotView>,
    pub freshness: Freshness,
    pub analysis: Arc<Analysis>,
    /// What this request may still spend.
    pub budget: Budget,
    pub(crate) cache: Arc<SnapshotCache>,
    /// Where the working tree is not indexed.
    pub(crate) cold: Option<ColdSession>,
}

/// Which snapshot of a workspace a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At<'a> {
    /// What a `ref` means: none, `live` and the checked-out branch are the working tree, everything
    /// else is a commit.
    Ref(Option<&'a str>),
    /// The commit that a name means, the checked-out branch's name included. Only `live` is the
    /// working tree.
    Commit(&'a str),
    /// The commit that is checked out; the working tree where there is none.
    Head,
    /// A kept overlay, by its id.
    Overlay(&'a str),
}

/// How long a request waits for a snapshot that is not there yet.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// For changed files to be taken in.
    pub sync: Duration,
    /// For the first files of a working tree that nobody has indexed.
    pub first_index: Duration,
    /// For a commit that nobody has indexed.
    pub commit: Duration,
}

impl Waits {
    /// Until everything is there: who waits sees why, or has nothing else to do.
    pub const UNTIL_INDEXED: Waits = {
        const HOUR: Duration = Duration::from_secs(3600);
        Waits {
            sync: HOUR,
            first_index: HOUR,
            commit: HOUR,
        }
    };
}

/// What to do when files changed that could not be taken in before answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreshnessPolicy {
    /// Refuse.
    Strict,
    /// Answer, and take them in meanwhile.
    #[default]
    Balanced,
    /// Answer.
    BestEffort,
}

impl Session {
    /// The snapshot that the analysis is of.
    pub fn snapshot(&self) -> &Snapshot {
        self.analysis.snapshot()
    }

    /// The same snapshot for a part of the answer with a budget of its own.
    pub fn with_budget(&self, budget: Budget) -> Session {
        Session {
            workspace: self.workspace.clone(),
            view: self.view.clone(),
            freshness: self.freshness.clone(),
            analysis: self.analysis.clone(),
            budget,
            cache: self.cache.clone(),
            cold: None,
        }
    }

    /// Resolves names within this request's budget.
    pub fn resolver(&self) -> Resolver<'_> {
        self.analysis.resolver(&self.budget)
    }

    pub fn facts(&self, file: FileId) -> Option<Arc<Facts>> {
        self.snapshot()
            .corpus()
            .facts(self.snapshot().file(file).content)
    }

    pub fn text(&self, file: FileId) -> Option<Arc<str>> {
        self.snapshot()
            .corpus()
            .text(self.snapshot().file(file).content)
    }

    pub fn path(&self, file: FileId) -> &str {
        self.snapshot().file(file).path.as_str()
    }

    /// The word for a file's language: `python`; `text` where no language claims it.
    pub fn language(&self, file: FileId) -> &'static str {
        extract::language(self.snapshot().file(file).language)
            .map_or("text", |language| language.name)
    }

    /// The symbol's own name.
    pub fn name(&self, symbol: SymbolId) -> String {
        self.facts(symbol.file).map_or_else(String::new, |facts| {
            facts.name(facts.symbol(symbol.index).name).to_owned()
        })
    }

    /// Every symbol of a name, in order of path and place.
    pub fn symbols_named(&self, name: &str) -> Vec<SymbolId> {
        self.budget
            .read(query::symbols_named(self.snapshot(), name))
    }

    /// The file that a request's path or handle means: below the root, or absolute inside it.
    pub fn find_file(&self, path: &str) -> Option<FileId> {
        let path = path.strip_prefix("file::").unwrap_or(path);
        let path = self.workspace.repo_path(&path.replace('\\', "/")).ok()?;
        self.snapshot().find(path.as_str())
    }

    /// Whether the tree is not indexed and something was asked for that only an index can tell: then
    /// nothing that was answered is complete.
    pub fn needs_index(&self) -> bool {
        let needs_index = |cold: &ColdSession| cold.question.needs_index();
        self.cold.as_ref().is_some_and(needs_index)
    }

    /// What to tell of an answer for which something could not be read, and what to do about it.
    pub fn unreadable(&self) -> &'static str {
        match self.view.published() {
            Some(_) => {
                "the remote store does not give a part of the published index, so that something may be missing; ask again when it answers, or run `codecompass index` in a clone"
            }
            None => {
                "a part of the index cannot be read, so that something may be missing; run `codecompass index --force`"
            }
        }
    }

    /// Notes that what is asked for next is complete in an index only.
    pub(crate) fn require_index(&self) {
        if let Some(cold) = self.view.cold() {
            self.budget.read::<()>(Err(cold.require_index()));
        }
    }

    /// All names and file stems, made once per snapshot.
    pub fn lexicon(&self) -> &Arc<Lexicon> {
        self.require_index();
        let (lexicon, read) = self.cache.incremental.lexicon.get_or_init(|| {
            let snapshot = self.snapshot();
            let from_previous = |(before, incremental): &(Arc<Snapshot>, Incremental)| {
                let (lexicon, read) = incremental.lexicon.get()?;
                read.ok()?;
                lexicon.after(before, snapshot)
            };
            if let Some(lexicon) = self.cache.previous.as_ref().and_then(from_previous) {
                return (Arc::new(lexicon), Ok(()));
            }
            let mut read = Ok(());
            let lexicon = Lexicon::new(snapshot, |each| read = self.each_definition(each));
            (Arc::new(lexicon), read)
        });
        self.budget.read(*read);
        lexicon
    }

    /// The names that a lookup of one must know: all of them, or without an index those like it.
    pub fn lexicon_about(&self, name: &str) -> Arc<Lexicon> {
        let Some(cold) = self.view.cold() else {
            return self.lexicon().clone();
        };
        let mut near = self.cache.near.lock();
        match near.as_ref() {
            Some((about, lexicon)) if about == name => lexicon.clone(),
            _ => {
                let names = cold.names_like(name);
                let lexicon = Lexicon::new(self.snapshot(), |each| {
                    names
                        .iter()
                        .for_each(|(name, content)| each(name, *content));
                });
                let lexicon = Arc::new(lexicon);
                *near = Some((name.to_owned(), lexicon.clone()));
                lexicon
            }
        }
    }

    /// Every defined name with the content that defines it.
    fn each_definition(
        &self,
        each: &mut dyn FnMut(&str, ContentNumber),
    ) -> std::result::Result<(), Unreadable> {
        if self.view.cold().is_some() {
            return Err(Unreadable);
        }
        let read = self.workspace.each_definition(&self.view, each);
        for (_, file) in self
            .snapshot()
            .files()
            .filter(|(_, file)| file.content.is_unsaved())
        {
            let Some(facts) = self.snapshot().corpus().facts(file.content) else {
                continue;
            };
            for symbol in &facts.symbols {
                each(facts.name(symbol.name), file.content);
            }
        }
        read
    }

    /// The words of all paths, made once per snapshot.
    pub fn path_words(&self) -> &PathWords {
        self.cache.incremental.paths.get_or_init(|| {
            let from_previous = |(before, incremental): &(Arc<Snapshot>, Incremental)| {
                incremental.paths.get()?.after(before, self.snapshot())
            };
            let paths = self.cache.previous.as_ref().and_then(from_previous);
            Arc::new(paths.unwrap_or_else(|| PathWords::new(self.snapshot(), &SnapshotWords(self))))
        })
    }

    /// The words of functions, types and file rests.
    pub fn text_index(&self) -> impl TextIndex + '_ {
        SnapshotWords(self)
    }

    /// Routes, configuration keys, tables and services, made once per snapshot.
    pub fn architecture(&self) -> &Architecture {
        self.require_index();
        let read = || match self.view.cold() {
            Some(_) => Architecture::default(),
            None => architecture::architecture_of(&self.analysis),
        };
        self.cache.architecture.get_or_init(read)
    }

    /// The same, if an earlier question about this snapshot has read it.
    pub(crate) fn known_architecture(&self) -> Option<&Architecture> {
        self.cache.architecture.get()
    }

    /// Rankings of earlier questions about this snapshot.
    pub fn rankings(&self) -> &Rankings {
        &self.cache.rankings
    }

    /// The name that an answer is about: the branch, `live`, or what was asked for.
    pub fn reference(&self, asked: Option<&str>) -> String {
        reference(&self.workspace, &self.view.source, asked)
    }

    /// Refuses or starts a sync where files changed that could not be taken in.
    pub(crate) fn apply(&self, policy: FreshnessPolicy) -> Result<()> {
        match (self.freshness.status, policy) {
            (FreshnessStatus::Fresh, _) => Ok(()),
            (_, FreshnessPolicy::Strict) => Err(Error::Stale {
                indexed: self.view.commit(),
                head: self.workspace.head().commit,
                remaining_files: self.freshness.remaining_files,
            }),
            (FreshnessStatus::Stale, FreshnessPolicy::Balanced) => {
                match self.workspace.jobs().start_sync(None, false) {
                    Ok(_) | Err(workspace::Error::InProgress { .. }) => {}
                    Err(error) => tracing::warn!(%error, "no sync in the background"),
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn reference(workspace: &Workspace, source: &Source, asked: Option<&str>) -> String {
    match source {
        // What is not indexed yet was seen at no head.
        Source::Live { head } => head
            .branch
            .clone()
            .or_else(|| workspace.head().branch.filter(|_| head.commit.is_none()))
            .unwrap_or_else(|| "live".to_owned()),
        Source::Commit { id } => match asked {
            Some(name) => name.to_owned(),
            None => workspace.head().branch.unwrap_or_else(|| id.to_string()),
        },
        Source::Overlay { id, .. } => id.clone(),
        Source::Virtual { below } => reference(workspace, below, asked),
    }
}

/// The snapshot that a request means, waited for as long as it may.
pub(crate) fn view_at(
    workspace: &Workspace,
    at: At<'_>,
    policy: FreshnessPolicy,
    waits: &Waits,
    budget: &Budget,
) -> Result<(Arc<SnapshotView>, Freshness)> {
    let name = match at {
        At::Ref(name) => name,
        At::Commit("live") => Some("live"),
        At::Commit(name) => {
            check_ref(name)?;
            let view = commit(
                workspace,
                workspace.commit(name)?,
                Some(name),
                waits,
                budget,
            )?;
            return Ok((view, Freshness::fresh()));
        }
        At::Head => {
            let Some(id) = workspace.head().commit else {
                return live(workspace, policy, waits, budget);
            };
            let view = commit(workspace, id, None, waits, budget)?;
            return Ok((view, Freshness::fresh()));
        }
        At::Overlay(id) => return Ok((workspace.overlays().view(id)?, Freshness::fresh())),
    };
    if let Some(name) = name {
        check_ref(name)?;
    }
    let meaning = match workspace.meaning(name) {
        // A bare repository before its first commit is an empty one.
        Err(_) if name.is_none() && !workspace.is_published() => Meaning::Live,
        meaning => meaning?,
    };
    match meaning {
        Meaning::Live => live(workspace, policy, waits, budget),
        Meaning::Commit(id) => Ok((
            commit(workspace, id, name, waits, budget)?,
            Freshness::fresh(),
        )),
    }
}

/// Names that git would read as something else.
fn check_ref(name: &str) -> Result<()> {
    let is_odd = name.trim().is_empty()
        || name.starts_with('-')
        || name.len() > 1000
        || name.chars().any(char::is_control);
    if is_odd {
        Err(Error::InvalidRef {
            name: name.to_owned(),
        })
    } else {
        Ok(())
    }
}

/// When a wait ends: never after the request's own deadline.
fn end_of(wait: Duration, budget: &Budget) -> Instant {
    let end = Instant::now() + wait;
    budget.deadline().map_or(end, |deadline| end.min(deadline))
}

fn live(
    workspace: &Workspace,
    policy: FreshnessPolicy,
    waits: &Waits,
    budget: &Budget,
) -> Result<(Arc<SnapshotView>, Freshness)> {
    let is_indexed = workspace.is_indexed();
    let wait = if policy == FreshnessPolicy::Strict || !is_indexed {
        waits.first_index
    } else {
        waits.sync
    };
    let until = end_of(wait, budget);
    let wait = until.saturating_duration_since(Instant::now());
    let first_wait = if is_indexed {
        wait
    } else {
        wait.min(waits.sync)
    };
    let (mut view, mut freshness) = workspace.fresh_live(first_wait)?;
    // An empty snapshot is worth some patience; a part of the files answers at once and is called
    // partial.
    while view.snapshot.n_files() == 0
        && matches!(
            freshness.status,
            FreshnessStatus::Indexing | FreshnessStatus::Absent
        )
    {
        if let Some(job) = freshness.job.as_deref()
            && let Ok(Some(job)) = workspace.jobs().get(job)
            && job.state == JobState::Failed
        {
            return Err(Error::IndexFailed { job: Box::new(job) });
        }
        if Instant::now() >= until {
            return Err(Error::NotIndexed { job: freshness.job });
        }
        if budget.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let left = until
            .saturating_duration_since(Instant::now())
            .min(Duration::from_millis(100));
        (view, freshness) = workspace.fresh_live(left)?;
    }
    Ok((view, freshness))
}

fn commit(
    workspace: &Workspace,
    id: ContentId,
    name: Option<&str>,
    waits: &Waits,
    budget: &Budget,
) -> Result<Arc<SnapshotView>> {
    if let Some(view) = workspace.indexed_commit(id)? {
        return Ok(view);
    }
    let hex = id.to_string();
    let job = match workspace.jobs().start_index(Some(&hex), false) {
        Ok(job) | Err(workspace::Error::InProgress { job }) => job,
        Err(error) => return Err(error.into()),
    };
    let until = end_of(waits.commit, budget);
    while !workspace
        .jobs()
        .wait(&job, until.min(Instant::now() + Duration::from_millis(50)))
    {
        if budget.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if Instant::now() >= until {
            return Err(Error::NotIndexed { job: Some(job) });
        }
    }
    if let Some(view) = workspace.indexed_commit(id)? {
        return Ok(view);
    }
    match workspace.jobs().get(&job) {
        // Objects that are not here (a shallow or partial clone) show as a failed read.
        Ok(Some(ended)) if ended.state == JobState::Failed && ended.error.is_some() => {
            Err(Error::UnreadableCommit {
                name: name.unwrap_or(&hex).to_owned(),
            })
        }
        _ => Err(Error::NotIndexed { job: Some(job) }),
    }
}
