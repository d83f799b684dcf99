//! Many files become contents: workers read, hash and extract; one writer publishes what they made,
//! batch by batch.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use facts::{ContentId, FactsId, LanguageId};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use store::{Batch, ContentNumber, NewContent, SkipReason, Stat, Store, text::ContentDocuments};

use crate::{
    Error, Result,
    extraction::{self, Extractors},
    platform::{Root, is_link_error, is_racy},
    repository::{Hasher, LocalRepository, Repository},
    rules::Limits,
    search::FEW,
    shared_cache::Bundle,
};

/// A file to take in.
#[derive(Clone, Debug)]
pub struct Task {
    pub path: String,
    pub from: From,
}

#[derive(Clone, Debug)]
pub enum From {
    /// The working tree, where it had this metadata a moment ago.
    Disk(Stat),
    /// Git's objects.
    Object(ContentId),
}

/// What came of a task.
#[derive(Clone, Debug)]
pub struct Taken {
    pub path: String,
    /// From disk: the metadata of what was read, and whether it may have changed since without
    /// showing.
    pub stat: Option<(Stat, bool)>,
    pub outcome: TakenOutcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenOutcome {
    Indexed {
        content: ContentNumber,
        language: LanguageId,
    },
    Skipped(SkipReason),
    /// It vanished before it was read.
    Gone,
}

/// What stands around a run.
pub struct Pipeline<'a> {
    pub store: &'a Store,
    pub repository: Option<&'a Repository>,
    pub root: Option<&'a Root>,
    pub hasher: Hasher,
    pub limits: &'a Limits,
    pub extractors: &'a Extractors,
    pub cancel: &'a AtomicBool,
    /// Extract even what is known.
    pub force: bool,
    /// What another machine extracted already.
    pub bundle: Option<&'a Bundle>,
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files whose bytes were read.
    pub read: u64,
    /// Files whose content was never seen before.
    pub extracted: u64,
    /// Symbols of those contents.
    pub symbols: u64,
    /// Those of them whose facts another machine had made.
    pub pulled: u64,
}

/// What the workers of a run have in common.
#[derive(Default)]
struct Shared {
    /// Every content is to be extracted: none need be looked up. What another process publishes
    /// meanwhile keeps its number.
    all_new: bool,
    seen: Mutex<FxHashSet<FactsId>>,
    read: AtomicUsize,
    pulled: AtomicUsize,
}

impl Shared {
    fn counts(&self, writer: &Writer<'_>) -> Counts {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed) as u64;
        Counts {
            read: count(&self.read),
            extracted: writer.extracted,
            symbols: writer.symbols,
            pulled: count(&self.pulled),
        }
    }
}

/// What a worker made of a task.
struct Made {
    path: String,
    stat: Option<(Stat, bool)>,
    result: MadeResult,
}

enum MadeResult {
    Known(ContentNumber, LanguageId),
    New(Box<NewContent>, ContentDocuments),
    /// Another task of this run has the same content.
    Same(FactsId),
    Skipped(SkipReason, Option<ContentId>),
    Gone,
}

/// What is made is published after this time at the latest.
const BATCH_TIME: Duration = Duration::from_millis(400);

/// How much one transaction holds, in steps of work for the store: large enough to be cheap, and
/// where other processes use the index small enough for them to wait for, also when the machine is
/// busy and each step takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace {
    steps: usize,
}

impl Pace {
    /// Some 30 ms of a core of its own: each transaction writes the pages that it touches, which
    /// fewer and larger ones touch less often.
    const ALONE: Pace = Pace { steps: 16_000 };
    const MOST: Pace = Pace { steps: 8000 };
    const FIRST: Pace = Pace { steps: 2000 };
    const LEAST: Pace = Pace { steps: 250 };
    const AIM: Duration = Duration::from_millis(12);

    /// The pace of the next transaction, when the last one took so long.
    fn after(self, took: Duration) -> Pace {
        let steps = match took {
            took if took > Pace::AIM => self.steps / 2,
            took if took < Pace::AIM / 2 => self.steps + self.steps / 4,
            _ => self.steps,
        };
        Pace {
            steps: steps.clamp(Pace::LEAST.steps, Pace::MOST.steps),
        }
    }
}

impl Pipeline<'_> {
    /// Takes in `tasks` and hands each published batch to `published`. Returns the tasks that were
    /// not begun at the deadline.
    ///
    /// `publish` gets new contents and rejected ids, stores them in one transaction together with
    /// whatever belongs to them, and returns the numbers; see [`store::Store::publish_live`].
    pub fn run(
        &self,
        tasks: Vec<Task>,
        deadline: Option<Instant>,
        mut publish: impl FnMut(&Published<'_>) -> Result<Vec<ContentNumber>>,
        mut published: impl FnMut(Vec<Taken>, Counts),
    ) -> Result<(Vec<Task>, Counts)> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let shared = Shared {
            all_new: self.force || self.store.is_empty()?,
            ..Shared::default()
        };
        let (sender, receiver) = crossbeam_channel::bounded::<(usize, Made)>(64);
        let n_workers = n_workers().min(tasks.len()).max(1);
        let mut writer = Writer::new(self.store, tasks.len() <= FEW);
        let mut done = vec![false; tasks.len()];
        let mut outcome = Ok(());
        std::thread::scope(|scope| {
            for _ in 0..n_workers {
                let sender = sender.clone();
                let (next, stop, shared, tasks) = (&next, &stop, &shared, &tasks);
                let work = move || {
                    let git = self.repository.map(Repository::local);
                    while !stop.load(Ordering::Relaxed) && !self.cancel.load(Ordering::Relaxed) {
                        // The first task is always done, so that every call gets somewhere.
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= tasks.len()
                            || (i > 0
                                && deadline.is_some_and(|deadline| Instant::now() >= deadline))
                        {
                            break;
                        }
                        let made = self.make(&tasks[i], git.as_ref(), shared);
                        if sender.send((i, made)).is_err() {
                            break;
                        }
                    }
                };
                // C code below the parsers may recurse: a deep stack keeps one hostile file from
                // ending the process.
                let spawned = std::thread::Builder::new()
                    .name("index".to_owned())
                    .stack_size(16 << 20)
                    .spawn_scoped(scope, work);
                if let Err(source) = spawned {
                    outcome = Err(Error::Io {
                        path: "thread".into(),
                        source,
                    });
                }
            }
            drop(sender);
            let mut since = Instant::now();
            loop {
                let waited = receiver.recv_timeout(BATCH_TIME);
                let (ended, idle) = match waited {
                    Ok((i, made)) => {
                        done[i] = true;
                        writer.take(made);
                        (false, false)
                    }
                    Err(crossbeam_channel::RecvTimeoutError::Timeout) => (false, true),
                    Err(crossbeam_channel::RecvTimeoutError::Disconnected) => (true, true),
                };
                if ended || idle || writer.is_full() || since.elapsed() >= BATCH_TIME {
                    since = Instant::now();
                    match writer.flush(ended, &mut publish) {
                        Ok(taken) => published(taken, shared.counts(&writer)),
                        Err(error) => {
                            outcome = Err(error);
                            stop.store(true, Ordering::Relaxed);
                            // Workers that wait for room in the channel must see that no one reads
                            // any more.
                            while receiver.recv().is_ok() {}
                            break;
                        }
                    }
                }
                if ended {
                    break;
                }
            }
        });
        outcome?;
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        let rest = tasks
            .into_iter()
            .zip(done)
            .filter(|(_, done)| !done)
            .map(|(task, _)| task)
            .collect();
        Ok((rest, shared.counts(&writer)))
    }

    fn make(&self, task: &Task, git: Option<&LocalRepository>, shared: &Shared) -> Made {
        let path = task.path.clone();
        match &task.from {
            From::Disk(stat) => {
                if let Some(reason) = self.limits.reason(&path, stat.size) {
                    return Made {
                        path,
                        stat: Some((*stat, false)),
                        result: MadeResult::Skipped(reason, None),
                    };
                }
                shared.read.fetch_add(1, Ordering::Relaxed);
                match self.read_settled(&path) {
                    Settled::Read { bytes, stat, racy } => {
                        let result = self.content(&path, &bytes, None, git, shared);
                        Made {
                            path,
                            stat: Some((stat, racy)),
                            result,
                        }
                    }
                    Settled::Skipped(reason) => Made {
                        path,
                        stat: Some((*stat, reason == SkipReason::Changing)),
                        result: MadeResult::Skipped(reason, None),
                    },
                    Settled::Gone => Made {
                        path,
                        stat: None,
                        result: MadeResult::Gone,
                    },
                }
            }
            From::Object(id) => {
                let made = |result| Made {
                    path: path.clone(),
                    stat: None,
                    result,
                };
                let Some(git) = git else {
                    return made(MadeResult::Skipped(SkipReason::Absent, None));
                };
                match git.blob_size(id) {
                    None => return made(MadeResult::Skipped(SkipReason::Absent, None)),
                    Some(size) => {
                        if let Some(reason) = self.limits.reason(&path, size) {
                            return made(MadeResult::Skipped(reason, None));
                        }
                    }
                }
                shared.read.fetch_add(1, Ordering::Relaxed);
                let Some(bytes) = git.blob(id) else {
                    return made(MadeResult::Skipped(SkipReason::Absent, None));
                };
                made(self.content(&path, &bytes, Some(*id), Some(git), shared))
            }
        }
    }

    /// `id` is given for bytes from git's objects, which need not be kept.
    fn content(
        &self,
        path: &str,
        bytes: &[u8],
        id: Option<ContentId>,
        git: Option<&LocalRepository>,
        shared: &Shared,
    ) -> MadeResult {
        let Some(content) = id.or_else(|| self.hasher.id(bytes)) else {
            return MadeResult::Skipped(SkipReason::Failed, None);
        };
        if let Some(reason) = extraction::rejection(bytes) {
            return MadeResult::Skipped(reason, Some(content));
        }
        let language = extraction::language_of(path, bytes);
        let facts_id = extraction::facts_id(content, language);
        if !shared.all_new {
            match self.store.find(&[(content, language.id)]) {
                Ok(found) => {
                    if let Some((number, version)) = found.get(&(content, language.id)).copied()
                        && version == language.version
                    {
                        // Known from git's objects once, and git may have dropped them since.
                        return MadeResult::Known(number, language.id);
                    }
                }
                Err(error) => tracing::warn!(%error, "cannot look up a content"),
            }
        }
        if !shared.seen.lock().insert(facts_id) {
            return MadeResult::Same(facts_id);
        }
        let text = extraction::text_of(bytes);
        let facts = match self
            .bundle
            .filter(|_| !self.force)
            .and_then(|bundle| bundle.facts(facts_id, &text))
        {
            Some(facts) => {
                shared.pulled.fetch_add(1, Ordering::Relaxed);
                facts
            }
            None => match self.extractors.extract(
                language,
                &text,
                matches!(text, std::borrow::Cow::Borrowed(_)),
            ) {
                Ok(facts) => facts,
                Err(reason) => return MadeResult::Skipped(reason, None),
            },
        };
        let in_git = id.is_some() || git.is_some_and(|git| git.has(&content));
        let documents = ContentDocuments::new(&facts, &text);
        MadeResult::New(
            Box::new(NewContent::new(facts_id, facts, (!in_git).then_some(bytes))),
            documents,
        )
    }

    /// Reads a file until its metadata is the same before and after.
    fn read_settled(&self, path: &str) -> Settled {
        const TRIES: usize = 4;
        let Some(root) = self.root else {
            return Settled::Gone;
        };
        for _ in 0..TRIES {
            let read_at = SystemTime::now();
            match root.read(path, self.limits.max_file_size) {
                Ok((bytes, before, after)) => {
                    if bytes.len() as u64 > self.limits.max_file_size {
                        return Settled::Skipped(SkipReason::TooLarge);
                    }
                    if before == after && bytes.len() as u64 == after.size {
                        return Settled::Read {
                            bytes,
                            stat: after,
                            racy: is_racy(&after, read_at),
                        };
                    }
                }
                Err(error) => {
                    return match error.kind() {
                        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                            Settled::Gone
                        }
                        std::io::ErrorKind::InvalidInput => {
                            Settled::Skipped(SkipReason::SpecialFile)
                        }
                        // It, or a directory on the way, became a link.
                        _ if is_link_error(&error) => Settled::Skipped(SkipReason::SymbolicLink),
                        _ => Settled::Skipped(SkipReason::Unreadable),
                    };
                }
            }
        }
        Settled::Skipped(SkipReason::Changing)
    }
}

enum Settled {
    Read {
        bytes: Vec<u8>,
        stat: Stat,
        racy: bool,
    },
    Skipped(SkipReason),
    Gone,
}

impl Published<'_> {
    pub fn batch(&self) -> Batch<'_> {
        Batch {
            contents: self.contents,
            rejected: self.rejected,
            is_small: self.is_small,
        }
    }

    /// Makes the batch searchable, once it is published.
    pub fn add_text(&self, store: &Store, numbers: &[ContentNumber]) -> Result<()> {
        let text = store.text()?;
        for (number, documents) in numbers.iter().zip(self.documents) {
            text.add(*number, documents.clone());
        }
        Ok(())
    }
}

/// What a batch holds, before it has numbers.
pub struct Published<'a> {
    pub contents: &'a [NewContent],
    /// What is searched of each.
    pub documents: &'a [Arc<ContentDocuments>],
    pub rejected: &'a [(ContentId, SkipReason)],
    /// The whole run is a few files.
    pub is_small: bool,
    /// The files of the batch once the contents have these numbers.
    pub files: &'a dyn Fn(&[ContentNumber]) -> Vec<Taken>,
}

struct Writer<'a> {
    store: &'a Store,
    contents: Vec<NewContent>,
    /// One per content.
    documents: Vec<Arc<ContentDocuments>>,
    rejected: Vec<(ContentId, SkipReason)>,
    files: Vec<Waiting>,
    /// Files whose content is still on its way from another worker.
    deferred: Vec<Waiting>,
    numbers: FxHashMap<FactsId, ContentNumber>,
    steps: usize,
    pace: Pace,
    /// Whether no other process uses the index, as far as anyone has looked since the last
    /// transaction.
    alone: Option<bool>,
    is_small: bool,
    extracted: u64,
    symbols: u64,
}

struct Waiting {
    path: String,
    stat: Option<(Stat, bool)>,
    what: WaitingFor,
}

enum WaitingFor {
    Settled(TakenOutcome),
    Content(FactsId),
}

impl Writer<'_> {
    fn new(store: &Store, is_small: bool) -> Writer<'_> {
        Writer {
            store,
            contents: Vec::new(),
            documents: Vec::new(),
            rejected: Vec::new(),
            files: Vec::new(),
            deferred: Vec::new(),
            numbers: FxHashMap::default(),
            steps: 0,
            pace: Pace::FIRST,
            alone: None,
            is_small,
            extracted: 0,
            symbols: 0,
        }
    }

    fn take(&mut self, made: Made) {
        let Made { path, stat, result } = made;
        let what = match result {
            MadeResult::Known(content, language) => {
                WaitingFor::Settled(TakenOutcome::Indexed { content, language })
            }
            MadeResult::New(content, documents) => {
                let id = content.id();
                self.documents.push(Arc::new(documents));
                self.steps += content.steps();
                self.extracted += 1;
                self.symbols += content.n_symbols();
                self.contents.push(*content);
                WaitingFor::Content(id)
            }
            MadeResult::Same(id) => {
                self.deferred.push(Waiting {
                    path,
                    stat,
                    what: WaitingFor::Content(id),
                });
                return;
            }
            MadeResult::Skipped(reason, id) => {
                if let Some(id) = id.filter(|_| reason.belongs_to_content()) {
                    self.rejected.push((id, reason));
                }
                WaitingFor::Settled(TakenOutcome::Skipped(reason))
            }
            MadeResult::Gone => WaitingFor::Settled(TakenOutcome::Gone),
        };
        self.files.push(Waiting { path, stat, what });
    }

    fn is_full(&mut self) -> bool {
        let steps = self.steps + self.files.len();
        steps >= self.pace.steps
            && (steps >= Pace::ALONE.steps
                || !*self
                    .alone
                    .get_or_insert_with(|| self.store.other_processes() == 0))
    }

    fn flush(
        &mut self,
        last: bool,
        publish: &mut impl FnMut(&Published<'_>) -> Result<Vec<ContentNumber>>,
    ) -> Result<Vec<Taken>> {
        let in_batch: FxHashMap<FactsId, usize> = self
            .contents
            .iter()
            .enumerate()
            .map(|(i, content)| (content.id(), i))
            .collect();
        let (ready, waiting) =
            std::mem::take(&mut self.deferred)
                .into_iter()
                .partition(|waiting| match waiting.what {
                    WaitingFor::Content(id) => {
                        last || in_batch.contains_key(&id) || self.numbers.contains_key(&id)
                    }
                    WaitingFor::Settled(_) => true,
                });
        self.deferred = waiting;
        self.files.extend::<Vec<_>>(ready);
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        let files = |numbers: &[ContentNumber]| {
            let outcome = |what: &WaitingFor| match what {
                WaitingFor::Settled(outcome) => *outcome,
                WaitingFor::Content(id) => {
                    let number = in_batch
                        .get(id)
                        .map(|i| numbers[*i])
                        .or_else(|| self.numbers.get(id).copied());
                    match number {
                        Some(content) => TakenOutcome::Indexed {
                            content,
                            language: id.language,
                        },
                        // The worker that had it failed.
                        None => TakenOutcome::Skipped(SkipReason::Failed),
                    }
                }
            };
            let taken = |file: &Waiting| Taken {
                path: file.path.clone(),
                stat: file.stat,
                outcome: outcome(&file.what),
            };
            self.files.iter().map(taken).collect::<Vec<_>>()
        };
        let began = Instant::now();
        let batch = Published {
            contents: &self.contents,
            documents: &self.documents,
            rejected: &self.rejected,
            is_small: self.is_small,
            files: &files,
        };
        let numbers = publish(&batch)?;
        self.pace = self.pace.after(began.elapsed());
        let taken = files(&numbers);
        self.numbers
            .extend(in_batch.into_iter().map(|(id, i)| (id, numbers[i])));
        self.contents.clear();
        self.documents.clear();
        self.rejected.clear();
        self.files.clear();
        self.steps = 0;
        self.alone = None;
        Ok(taken)
    }
}

/// Extraction takes four fifths of the time: all cores but no more than help.
fn n_workers() -> usize {
    std::thread::available_parallelism()
        .map_or(2, usize::from)
        .clamp(1, 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_shrink_where_they_take_long_and_grow_again() {
        let [slow, fast, right] = [90, 1, 10].map(Duration::from_millis);
        let halved = Pace::MOST.after(slow);
        assert_eq!(
            halved,
            Pace {
                steps: Pace::MOST.steps / 2
            }
        );
        assert_eq!(halved.after(right), halved);
        assert_eq!(
            halved.after(fast),
            Pace {
                steps: halved.steps * 5 / 4
            }
        );
        let after = |took| {
            std::iter::successors(Some(halved), move |pace: &Pace| Some(pace.after(took)))
                .nth(20)
                .unwrap()
        };
        assert_eq!((after(slow), after(fast)), (Pace::LEAST, Pace::MOST));
    }
}
