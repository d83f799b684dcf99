//! Many files become contents: workers read, hash and extract; one writer publishes what they made,
//! batch by batch.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use extract::Language;
use facts::{ContentId, ContentNumber, Facts, FactsId, FileState, RepoPath, SkipReason};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use store::{Batch, LiveFile, NewContent, Stat, Store, WorktreeNumber, text::ContentDocuments};

use crate::{
    Error, Result,
    extraction::{self, Extractors},
    facts_source::{FactsSource, decode_foreign},
    platform::{Root, is_busy_error, is_link_error, is_racy},
    repository::{Hasher, LocalRepository, Repository},
    rules::FileLimits,
    text::FEW,
};

/// What files are read from and written to: one for the working tree, one for each commit.
#[derive(Clone, Copy)]
pub struct IngestContext<'a> {
    pub store: &'a Store,
    /// Whose files these are; absent for those of a commit.
    pub worktree: Option<WorktreeNumber>,
    pub repository: Option<&'a Repository>,
    /// Where files lie on disk; absent for those of a commit.
    pub root: Option<&'a Root>,
    pub hasher: Hasher,
    pub limits: &'a FileLimits,
    pub extractors: &'a Extractors,
    pub cancel: &'a AtomicBool,
    /// Extract even what is known.
    pub force: bool,
    /// What another machine extracted already.
    pub source: Option<&'a dyn FactsSource>,
    /// Questions that go first.
    pub n_questions: &'a AtomicUsize,
}

/// A file to index.
#[derive(Clone, Debug)]
pub struct Task {
    pub path: RepoPath,
    pub from: TaskSource,
}

#[derive(Clone, Debug)]
pub enum TaskSource {
    /// The working tree, where it had this metadata a moment ago.
    Disk(Stat),
    /// Git's objects.
    Object(ContentId),
}

/// What came of a task. Files from git's objects have no metadata.
pub type IndexedFile = (RepoPath, LiveFile);

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
    next: AtomicUsize,
    stop: AtomicBool,
    read: AtomicUsize,
    pulled: AtomicUsize,
}

/// What a worker made of a task.
struct WorkerOutput {
    path: RepoPath,
    stat: Stat,
    /// The file may have changed since it was read without its metadata showing it.
    racy: bool,
    made: Made,
}

enum Made {
    /// Nothing to publish: the content is known, or the file is skipped or gone.
    State(FileState),
    /// The bytes are not indexed under any path.
    Rejected(ContentId, SkipReason),
    New(Box<NewContent>, ContentDocuments),
    /// Another task of this run has the same content.
    Same(FactsId),
}

const ABSENT: Made = Made::State(FileState::Skipped(SkipReason::Absent));

/// What is made is published after this time at the latest.
const BATCH_TIME: Duration = Duration::from_millis(400);

/// How much one transaction holds, in steps of work for the store: large enough to be cheap, and
/// where other processes use the index small enough for them to wait for, also when the machine is
/// busy and each step takes its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BatchSize(usize);

impl BatchSize {
    /// Some 30 ms of a core of its own: each transaction writes the pages that it touches, which
    /// fewer and larger ones touch less often.
    const SOLO: BatchSize = BatchSize(16_000);
    const MAX: BatchSize = BatchSize(8000);
    const FIRST: BatchSize = BatchSize(2000);
    const MIN: BatchSize = BatchSize(250);
    /// What a transaction takes where others wait for it.
    const TARGET: Duration = Duration::from_millis(12);

    /// The size of the next transaction, when the last one took so long.
    fn after(self, took: Duration) -> BatchSize {
        let steps = match took {
            took if took > BatchSize::TARGET => self.0 / 2,
            took if took < BatchSize::TARGET / 2 => self.0 + self.0 / 4,
            _ => self.0,
        };
        BatchSize(steps.clamp(BatchSize::MIN.0, BatchSize::MAX.0))
    }
}

impl IngestContext<'_> {
    /// Indexes `tasks` and hands each published batch to `published`. Returns the tasks that were
    /// not begun at the deadline.
    pub fn run(
        &self,
        tasks: Vec<Task>,
        deadline: Option<Instant>,
        published: impl FnMut(Vec<IndexedFile>, Counts),
    ) -> Result<(Vec<Task>, Counts)> {
        let _claim = self.store.keep_contents()?;
        let shared = Shared {
            all_new: self.force || self.store.is_empty()?,
            ..Shared::default()
        };
        let own_objects = self
            .repository
            .filter(|_| tasks.len() > FEW)
            .and_then(Repository::with_own_objects);
        let is_asked = |source: &&dyn FactsSource| !self.force && source.prepare(tasks.len());
        let worker_context = IngestContext {
            repository: own_objects.as_ref().or(self.repository),
            source: self.source.filter(is_asked),
            ..*self
        };
        let mut writer = BatchWriter::new(self, tasks.len() <= FEW);
        let mut done = vec![false; tasks.len()];
        let (sender, receiver) = crossbeam_channel::bounded(64);
        let mut outcome = Ok(());
        std::thread::scope(|scope| {
            for _ in 0..n_workers().min(tasks.len()).max(1) {
                let (sender, tasks, shared) = (sender.clone(), &tasks, &shared);
                let context = &worker_context;
                // C code below the parsers may recurse: a deep stack keeps one hostile file from
                // ending the process.
                let spawned = std::thread::Builder::new()
                    .name("index".to_owned())
                    .stack_size(16 << 20)
                    .spawn_scoped(scope, move || context.work(tasks, deadline, shared, sender));
                if let Err(source) = spawned {
                    outcome = Err(Error::Io {
                        path: "thread".into(),
                        source,
                    });
                }
            }
            drop(sender);
            if let Err(error) = writer.write(&receiver, &mut done, &shared, published) {
                outcome = Err(error);
                shared.stop.store(true, Ordering::Relaxed);
                // Unblocks workers that wait for room in the channel.
                while receiver.recv().is_ok() {}
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
        Ok((rest, writer.counts(&shared)))
    }

    /// One worker: takes tasks until there are none, the deadline has come or the run is stopped.
    fn work(
        &self,
        tasks: &[Task],
        deadline: Option<Instant>,
        shared: &Shared,
        sender: Sender<(usize, WorkerOutput)>,
    ) {
        let git = self.repository.map(Repository::local);
        while !shared.stop.load(Ordering::Relaxed) && !self.cancel.load(Ordering::Relaxed) {
            self.let_questions_go_first();
            let i = shared.next.fetch_add(1, Ordering::Relaxed);
            // The first task is always done, so that every call gets somewhere.
            let is_late = || i > 0 && deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let Some(task) = tasks.get(i).filter(|_| !is_late()) else {
                break;
            };
            let output = match &task.from {
                TaskSource::Disk(stat) => self.read_file(&task.path, stat, git.as_ref(), shared),
                TaskSource::Object(id) => WorkerOutput {
                    path: task.path.clone(),
                    stat: Stat::default(),
                    racy: false,
                    made: self.read_object(&task.path, id, git.as_ref(), shared),
                },
            };
            if sender.send((i, output)).is_err() {
                break;
            }
        }
    }

    /// Leaves the processor to questions that are answered without an index, for a while: an index
    /// that never ends would serve nobody.
    fn let_questions_go_first(&self) {
        const PATIENCE: Duration = Duration::from_secs(5);
        let until = Instant::now() + PATIENCE;
        while self.n_questions.load(Ordering::Relaxed) > 0
            && !self.cancel.load(Ordering::Relaxed)
            && Instant::now() < until
        {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Reads a file until its metadata is the same before and after.
    fn read_file(
        &self,
        path: &RepoPath,
        known: &Stat,
        git: Option<&LocalRepository>,
        shared: &Shared,
    ) -> WorkerOutput {
        const TRIES: usize = 4;
        let output = |stat, racy, made| WorkerOutput {
            path: path.clone(),
            stat,
            racy,
            made,
        };
        let skipped = |reason| {
            let state = FileState::Skipped(reason);
            output(*known, reason == SkipReason::Changing, Made::State(state))
        };
        if let Some(reason) = self.limits.reason(path.as_str(), known.size) {
            return skipped(reason);
        }
        shared.read.fetch_add(1, Ordering::Relaxed);
        let gone = || output(Stat::default(), false, Made::State(FileState::Gone));
        let Some(root) = self.root else {
            return gone();
        };
        for _ in 0..TRIES {
            let read_at = SystemTime::now();
            match root.read(path.as_str(), self.limits.max_file_size) {
                Ok((bytes, ..)) if bytes.len() as u64 > self.limits.max_file_size => {
                    return skipped(SkipReason::TooLarge);
                }
                Ok((bytes, before, after)) => {
                    if before == after && bytes.len() as u64 == after.size {
                        let made = self.content(path.as_str(), &bytes, None, git, shared);
                        return output(after, is_racy(&after, read_at), made);
                    }
                }
                Err(error) => {
                    return match state_of_unreadable(&error) {
                        FileState::Skipped(reason) => skipped(reason),
                        _ => gone(),
                    };
                }
            }
        }
        skipped(SkipReason::Changing)
    }

    fn read_object(
        &self,
        path: &RepoPath,
        id: &ContentId,
        git: Option<&LocalRepository>,
        shared: &Shared,
    ) -> Made {
        let Some((git, size)) = git.and_then(|git| Some((git, git.blob_size(id)?))) else {
            return ABSENT;
        };
        if let Some(reason) = self.limits.reason(path.as_str(), size) {
            return Made::State(FileState::Skipped(reason));
        }
        shared.read.fetch_add(1, Ordering::Relaxed);
        match git.blob(id) {
            Some(bytes) => self.content(path.as_str(), &bytes, Some(*id), Some(git), shared),
            None => ABSENT,
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
    ) -> Made {
        let Some(content) = id.or_else(|| self.hasher.id(bytes)) else {
            return Made::State(FileState::Skipped(SkipReason::Failed));
        };
        if let Some(reason) = extraction::rejection(bytes) {
            return Made::Rejected(content, reason);
        }
        let language = extraction::language_of(path, bytes);
        let facts_id = extraction::facts_id(content, language);
        if !shared.all_new {
            match self.store.find(&[(content, language.id)]) {
                Ok(found) => {
                    if let Some((number, version)) = found.get(&(content, language.id)).copied()
                        && version == language.version
                    {
                        return Made::State(FileState::Indexed {
                            content: number,
                            language: language.id,
                        });
                    }
                }
                Err(error) => tracing::warn!(%error, "cannot look up a content"),
            }
        }
        if !shared.seen.lock().insert(facts_id) {
            return Made::Same(facts_id);
        }
        let text = extraction::text_of(bytes);
        let bytes_were_text = matches!(text, Cow::Borrowed(_));
        let facts = match self.facts(language, &facts_id, (&text, bytes_were_text), shared) {
            Ok(facts) => facts,
            Err(reason) => return Made::State(FileState::Skipped(reason)),
        };
        let in_git = id.is_some() || git.is_some_and(|git| git.has(&content));
        let documents = ContentDocuments::new(&facts, &text);
        let content = NewContent::new(facts_id, facts, (!in_git).then_some(bytes));
        Made::New(Box::new(content), documents)
    }

    /// The facts of a text that the store does not have: another machine's, else extracted.
    fn facts(
        &self,
        language: &'static Language,
        id: &FactsId,
        (text, bytes_were_text): (&str, bool),
        shared: &Shared,
    ) -> std::result::Result<Facts, SkipReason> {
        if let Some(record) = self.source.and_then(|source| source.record(id))
            && let Some(facts) = decode_foreign(&record, id, text)
        {
            shared.pulled.fetch_add(1, Ordering::Relaxed);
            return Ok(facts);
        }
        self.extractors.extract(language, text, bytes_were_text)
    }
}

/// What a file is that cannot be read.
pub fn state_of_unreadable(error: &std::io::Error) -> FileState {
    FileState::Skipped(match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => return FileState::Gone,
        std::io::ErrorKind::InvalidInput => SkipReason::SpecialFile,
        // It, or a directory on the way, became a link.
        _ if is_link_error(error) => SkipReason::SymbolicLink,
        // Tried again by the next sync.
        _ if is_busy_error(error) => SkipReason::Changing,
        _ => SkipReason::Unreadable,
    })
}

/// Gathers what the workers made and publishes it in transactions of a fitting size.
struct BatchWriter<'a> {
    context: &'a IngestContext<'a>,
    contents: Vec<NewContent>,
    /// One per content.
    documents: Vec<Arc<ContentDocuments>>,
    rejected: Vec<(ContentId, SkipReason)>,
    files: Vec<Waiting>,
    /// Files whose content is still on its way from another worker.
    deferred: Vec<Waiting>,
    numbers: FxHashMap<FactsId, ContentNumber>,
    steps: usize,
    batch_size: BatchSize,
    /// Whether no other process uses the index, as far as anyone has looked since the last
    /// transaction.
    alone: Option<bool>,
    /// The whole run is a few files.
    is_small: bool,
    extracted: u64,
    symbols: u64,
}

/// A file on its way into a batch.
struct Waiting {
    path: RepoPath,
    file: LiveFile,
    /// The content whose number its state waits for.
    content: Option<FactsId>,
}

impl<'a> BatchWriter<'a> {
    fn new(context: &'a IngestContext<'a>, is_small: bool) -> BatchWriter<'a> {
        BatchWriter {
            context,
            contents: Vec::new(),
            documents: Vec::new(),
            rejected: Vec::new(),
            files: Vec::new(),
            deferred: Vec::new(),
            numbers: FxHashMap::default(),
            steps: 0,
            batch_size: BatchSize::FIRST,
            alone: None,
            is_small,
            extracted: 0,
            symbols: 0,
        }
    }

    fn counts(&self, shared: &Shared) -> Counts {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed) as u64;
        Counts {
            read: count(&shared.read),
            extracted: self.extracted,
            symbols: self.symbols,
            pulled: count(&shared.pulled),
        }
    }

    /// Takes what the workers send until all of them have ended.
    fn write(
        &mut self,
        receiver: &Receiver<(usize, WorkerOutput)>,
        done: &mut [bool],
        shared: &Shared,
        mut published: impl FnMut(Vec<IndexedFile>, Counts),
    ) -> Result<()> {
        let mut since = Instant::now();
        let mut ended = false;
        while !ended {
            let received = receiver.recv_timeout(BATCH_TIME);
            ended = matches!(received, Err(RecvTimeoutError::Disconnected));
            let is_idle = received.is_err();
            if let Ok((i, output)) = received {
                done[i] = true;
                self.take(output);
            }
            if is_idle || self.is_full() || since.elapsed() >= BATCH_TIME {
                since = Instant::now();
                let files = self.flush(ended)?;
                published(files, self.counts(shared));
            }
        }
        Ok(())
    }

    fn take(&mut self, output: WorkerOutput) {
        let WorkerOutput {
            path,
            stat,
            racy,
            made,
        } = output;
        let mut waiting = Waiting {
            path,
            file: LiveFile {
                stat,
                racy,
                state: FileState::Skipped(SkipReason::Failed),
            },
            content: None,
        };
        match made {
            Made::State(state) => waiting.file.state = state,
            Made::Rejected(id, reason) => {
                self.rejected.push((id, reason));
                waiting.file.state = FileState::Skipped(reason);
            }
            Made::New(content, documents) => {
                waiting.content = Some(content.id());
                self.documents.push(Arc::new(documents));
                self.steps += content.steps();
                self.extracted += 1;
                self.symbols += content.n_symbols();
                self.contents.push(*content);
            }
            Made::Same(id) => {
                waiting.content = Some(id);
                self.deferred.push(waiting);
                return;
            }
        }
        self.files.push(waiting);
    }

    fn is_full(&mut self) -> bool {
        let steps = self.steps + self.files.len();
        let store = self.context.store;
        steps >= self.batch_size.0
            && (steps >= BatchSize::SOLO.0
                || !*self
                    .alone
                    .get_or_insert_with(|| store.other_processes() == 0))
    }

    /// Publishes what was gathered: contents and files in one transaction, then their text.
    fn flush(&mut self, last: bool) -> Result<Vec<IndexedFile>> {
        let ids = self.contents.iter().map(NewContent::id);
        let in_batch: FxHashMap<FactsId, usize> = ids.enumerate().map(|(i, id)| (id, i)).collect();
        let has_number = |waiting: &Waiting| {
            let known = |id| in_batch.contains_key(id) || self.numbers.contains_key(id);
            last || waiting.content.as_ref().is_none_or(known)
        };
        let (ready, deferred): (Vec<_>, Vec<_>) = self.deferred.drain(..).partition(has_number);
        self.deferred = deferred;
        self.files.extend(ready);
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        let files = |numbers: &[ContentNumber]| {
            let number = |id: &FactsId| match in_batch.get(id) {
                Some(i) => Some(numbers[*i]),
                None => self.numbers.get(id).copied(),
            };
            let file = |waiting: &Waiting| {
                let mut file = waiting.file;
                // Without a number it stays skipped: the worker that had the content failed.
                if let Some(id) = &waiting.content
                    && let Some(content) = number(id)
                {
                    let language = id.language;
                    file.state = FileState::Indexed { content, language };
                }
                (waiting.path.clone(), file)
            };
            self.files.iter().map(file).collect::<Vec<_>>()
        };
        let batch = Batch {
            contents: &self.contents,
            rejected: &self.rejected,
            is_small: self.is_small,
        };
        let IngestContext {
            store, worktree, ..
        } = self.context;
        let began = Instant::now();
        let numbers = match worktree {
            Some(worktree) => store.publish_live(*worktree, &batch, files)?,
            None => store.publish(&batch)?,
        };
        let text = store.text()?;
        for (number, documents) in numbers.iter().zip(self.documents.drain(..)) {
            text.add(*number, documents);
        }
        self.batch_size = self.batch_size.after(began.elapsed());
        let files = files(&numbers);
        self.numbers
            .extend(in_batch.into_iter().map(|(id, i)| (id, numbers[i])));
        self.contents.clear();
        self.rejected.clear();
        self.files.clear();
        self.steps = 0;
        self.alone = None;
        Ok(files)
    }
}

/// Extraction takes four fifths of the time: all cores but no more than help.
pub fn n_workers() -> usize {
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
        let halved = BatchSize::MAX.after(slow);
        assert_eq!(halved, BatchSize(BatchSize::MAX.0 / 2));
        assert_eq!(halved.after(right), halved);
        assert_eq!(halved.after(fast), BatchSize(halved.0 * 5 / 4));
        let after = |took| {
            std::iter::successors(Some(halved), move |size: &BatchSize| Some(size.after(took)))
                .nth(20)
                .unwrap()
        };
        assert_eq!((after(slow), after(fast)), (BatchSize::MIN, BatchSize::MAX));
    }
}
