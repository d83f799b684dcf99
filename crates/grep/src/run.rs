//! Carries out a search: walks the tree on the calling thread, searches files on others, and prints
//! in the order of paths.

use std::{
    collections::HashSet,
    io::{self, BufWriter, Read, Write},
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher};

use crate::{
    Error, Exit, GrepOptions,
    capacity::{self, ObservedReader},
    literals::{self, AnyOf},
    matcher,
    printer::{self, FileResult, Layout, Printer, SearchInput},
    search::{Color, GrepSearch, SearchMode, WholeFiles},
    sequence::{ColorWriter, Finished, Sequence, Sinks, TurnWriter},
    symbols::SymbolPrinter,
    tree::{FileContent, FoundFile, PathKind, SearchTree, WalkItem},
};

/// Names the files that contain one of each element, by their path from the root of the tree, or
/// nothing when it does not know. Files that are not UTF-8 text, such as those in UTF-16 with a
/// byte order mark, have to be among them, because they are searched in UTF-8.
pub type FindCandidates<'a> = dyn Fn(&[AnyOf]) -> Option<HashSet<PathBuf>> + Sync + 'a;

/// Files that wait for a worker. Enough to keep workers busy while a directory is listed.
const QUEUE: usize = 256;

/// Candidates that are searched on the calling thread: starting others takes as long as searching these.
const FEW_FILES: usize = 64;

/// Carries out a search and prints to `sinks`.
pub(crate) fn run(
    search: &GrepSearch,
    tree: &dyn SearchTree,
    options: &GrepOptions<'_>,
    sinks: Sinks<'_>,
) -> Result<Exit, Error> {
    let mut out = BufWriter::with_capacity(1 << 16, sinks.out);
    let sinks = Sinks {
        out: &mut out,
        errors: sinks.errors,
        name: sinks.name,
    };
    let exit = match search.mode {
        SearchMode::ListTypes => {
            printer::print_types(&search.selection, sinks.out).map(|has_types| {
                if has_types {
                    Exit::Found
                } else {
                    Exit::NotFound
                }
            })
        }
        SearchMode::ListFiles => list_files(search, tree, options, sinks),
        _ => search_files(search, tree, options, sinks),
    };
    match out.flush() {
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(error) => exit.and(Err(error.into())),
        Ok(()) => exit,
    }
}

fn has_color(search: &GrepSearch, options: &GrepOptions<'_>) -> bool {
    match search.output.color {
        Color::Always => true,
        Color::Auto => options.is_terminal,
        Color::Never => false,
    }
}

/// `--files`.
fn list_files(
    search: &GrepSearch,
    tree: &dyn SearchTree,
    options: &GrepOptions<'_>,
    sinks: Sinks<'_>,
) -> Result<Exit, Error> {
    let mut paths = printer::path_printer(
        &search.output,
        ColorWriter::new(sinks.out, has_color(search, options)),
    );
    let mut has_files = false;
    let mut has_failed = false;
    let mut failure = None;
    tree.walk(&search.selection, None, &mut |found| {
        match found {
            WalkItem::File(file) => {
                has_files = true;
                if search.output.quiet {
                    return ControlFlow::Break(());
                }
                if let Err(error) = paths.write(&file.shown) {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            WalkItem::Failure(message) => {
                has_failed = true;
                if !search.hides_messages {
                    let _ = writeln!(sinks.errors, "{}: {message}", sinks.name);
                }
            }
            WalkItem::BrokenRules(message) => {
                if !search.hides_messages && !search.hides_ignore_messages {
                    let _ = writeln!(sinks.errors, "{}: {message}", sinks.name);
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    match failure {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(exit(search, has_files, has_failed)),
    }
}

fn exit(search: &GrepSearch, has_match: bool, has_failed: bool) -> Exit {
    match (has_match, has_failed) {
        (true, _) if search.output.quiet => Exit::Found,
        (_, true) => Exit::Error,
        (true, false) => Exit::Found,
        (false, false) => Exit::NotFound,
    }
}

fn search_files(
    search: &GrepSearch,
    tree: &dyn SearchTree,
    options: &GrepOptions<'_>,
    sinks: Sinks<'_>,
) -> Result<Exit, Error> {
    let started = Instant::now();
    let patterns = matcher::patterns(&search.pattern, tree)?;
    let cannot_match = patterns.is_empty() && !search.pattern.invert;
    if cannot_match || search.reading.max_count == Some(0) {
        return Ok(Exit::NotFound);
    }
    if search.output.symbols && options.annotate.is_none() {
        return Err(Error::Usage(
            "--symbols is not available here: there is no index".to_owned(),
        ));
    }
    let paths = &search.selection.paths;
    let is_one_file = matches!(&paths[..], [path] if tree.kind(path) != PathKind::Directory);
    let layout = Layout::new(search, is_one_file, options.is_terminal);
    let separator = layout.file_separator(search);
    let sequence = Sequence::new(sinks, separator);
    let job = SearchJob {
        search,
        tree,
        matcher: matcher::matcher(search, &patterns)?,
        layout,
        reads_whole_files: reads_whole_files(search, tree),
        has_color: has_color(search, options),
        candidates: candidates(search, &patterns, options),
        options,
        sequence: &sequence,
        totals: Mutex::new(Stats::new()),
        has_match: AtomicBool::new(false),
        has_failed: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
    };
    let n_threads = search
        .threads
        .unwrap_or(usize::MAX)
        .min(options.n_threads)
        .max(1);
    let is_small = |candidates: &HashSet<PathBuf>| candidates.len() <= FEW_FILES;
    let are_few = job.candidates.as_ref().is_some_and(is_small);
    let n_files = match is_one_file || n_threads == 1 || are_few {
        true => job.on_this_thread()?,
        false => job.on_threads(n_threads)?,
    };
    let SearchJob {
        totals,
        has_match,
        has_failed,
        ..
    } = job;
    let has_match = has_match.into_inner();
    let mut has_failed = has_failed.into_inner();
    let (sinks, failure) = sequence.into_sinks();
    if paths.is_empty() && n_files == 0 {
        has_failed = true;
        if !search.hides_messages {
            let _ = writeln!(
                sinks.errors,
                "{}: No files were searched: a filter or an ignore rule leaves out all files",
                sinks.name,
            );
        }
    }
    if search.mode == SearchMode::Json && failure.is_none() {
        let totals = totals
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        printer::print_summary(&totals, started.elapsed(), sinks.out)?;
    }
    match failure {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(exit(search, has_match, has_failed)),
    }
}

fn reads_whole_files(search: &GrepSearch, tree: &dyn SearchTree) -> bool {
    let roots = search.selection.roots();
    match search.reading.whole_files {
        WholeFiles::Always => true,
        WholeFiles::Never => false,
        WholeFiles::Auto => {
            roots.len() <= 10 && roots.iter().all(|root| tree.kind(root) == PathKind::File)
        }
    }
}

fn candidates(
    search: &GrepSearch,
    patterns: &[String],
    options: &GrepOptions<'_>,
) -> Option<HashSet<PathBuf>> {
    let candidates = options.candidates?;
    candidates(&literals::required(search, patterns)?)
}

/// A search that is carried out, shared by its threads.
struct SearchJob<'j, 'a> {
    search: &'j GrepSearch,
    tree: &'j dyn SearchTree,
    matcher: RegexMatcher,
    layout: Layout,
    reads_whole_files: bool,
    has_color: bool,
    candidates: Option<HashSet<PathBuf>>,
    options: &'j GrepOptions<'j>,
    sequence: &'j Sequence<'a>,
    totals: Mutex<Stats>,
    has_match: AtomicBool,
    has_failed: AtomicBool,
    is_over: AtomicBool,
}

impl<'j, 'a> SearchJob<'j, 'a> {
    /// Searches all files; says how many there are.
    fn on_this_thread(&self) -> Result<usize, Error> {
        let mut worker = Worker::new(self);
        self.walk(&mut |turn, found| worker.take(turn, found))
    }

    fn on_threads(&self, n_threads: usize) -> Result<usize, Error> {
        let (sender, receiver) = crossbeam_channel::bounded(QUEUE);
        thread::scope(|scope| {
            for _ in 0..n_threads {
                let receiver = receiver.clone();
                scope.spawn(move || {
                    let mut worker = Worker::new(self);
                    for (turn, found) in receiver {
                        worker.take(turn, found);
                    }
                });
            }
            drop(receiver);
            let walked = self.walk(&mut |turn, found| {
                // Fails only when all workers have panicked; the scope then panics too.
                let _ = sender.send((turn, found));
            });
            drop(sender);
            walked
        })
    }

    /// Hands out what has to be searched or reported, with its turn.
    fn walk(&self, hand_out: &mut dyn FnMut(usize, WalkItem)) -> Result<usize, Error> {
        let mut n_files = 0;
        let mut turn = 0;
        let candidates = self.candidates.as_ref();
        let selection = &self.search.selection;
        self.tree.walk(selection, candidates, &mut |found| {
            if self.is_over.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            if let WalkItem::File(file) = &found {
                n_files += 1;
                if candidates.is_some_and(|paths| !paths.contains(&file.path)) {
                    return ControlFlow::Continue(());
                }
            }
            hand_out(turn, found);
            turn += 1;
            ControlFlow::Continue(())
        })?;
        if n_files == 0 && candidates.is_some() {
            // Whether there is any file at all.
            self.tree.walk(selection, None, &mut |found| {
                n_files += usize::from(matches!(found, WalkItem::File(_)));
                match n_files {
                    0 => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            })?;
        }
        Ok(n_files)
    }
}

/// Searches one file after another.
struct Worker<'w, 'j, 'a> {
    job: &'w SearchJob<'j, 'a>,
    matcher: RegexMatcher,
    searcher: Searcher,
    printer: AnyPrinter<'w, 'a>,
}

enum AnyPrinter<'w, 'a> {
    Ripgrep(Printer<ColorWriter<TurnWriter<'w, 'a>>>),
    Symbols(SymbolPrinter<'w>),
}

impl<'w, 'j, 'a> Worker<'w, 'j, 'a> {
    fn new(job: &'w SearchJob<'j, 'a>) -> Worker<'w, 'j, 'a> {
        let printer = match job.options.annotate.filter(|_| job.search.output.symbols) {
            Some(annotate) => {
                AnyPrinter::Symbols(SymbolPrinter::new(job.search, job.layout, annotate))
            }
            None => {
                let writer = ColorWriter::turns(job.sequence, job.has_color);
                let mut printer = Printer::new(job.search, job.layout, writer);
                printer.begin_with_separator();
                AnyPrinter::Ripgrep(printer)
            }
        };
        Worker {
            job,
            // A clone has its own scratch space for matching.
            matcher: job.matcher.clone(),
            searcher: matcher::searcher(job.search, job.layout.line_numbers),
            printer,
        }
    }

    /// Searches or reports what has a turn, and ends the turn.
    fn take(&mut self, turn: usize, found: WalkItem) {
        let mut guard = TurnGuard {
            job: self.job,
            turn,
            finished: Finished::default(),
        };
        if self.job.is_over.load(Ordering::Relaxed) {
            return;
        }
        let search = self.job.search;
        match found {
            WalkItem::File(file) => {
                let pass = Pass {
                    turn,
                    file: &file,
                    is_provisional: false,
                };
                let result = self.search(pass, &mut guard.finished);
                if let Err(error) = result.map(|result| self.note(result)) {
                    self.job.has_failed.store(true, Ordering::Relaxed);
                    if !search.hides_messages {
                        let message = format!("{}: {error}", file.shown.display());
                        guard.finished.messages.push(message);
                    }
                }
            }
            WalkItem::Failure(message) => {
                self.job.has_failed.store(true, Ordering::Relaxed);
                if !search.hides_messages {
                    guard.finished.messages.push(message);
                }
            }
            WalkItem::BrokenRules(message) => {
                if !search.hides_messages && !search.hides_ignore_messages {
                    guard.finished.messages.push(message);
                }
            }
        }
    }

    fn note(&self, result: FileResult) {
        if result.has_match {
            self.job.has_match.store(true, Ordering::Relaxed);
            if self.job.search.output.quiet && self.job.search.mode != SearchMode::Json {
                self.job.is_over.store(true, Ordering::Relaxed);
            }
        }
        if let Some(stats) = result.stats {
            *self
                .job
                .totals
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()) += stats;
        }
    }

    /// Searches a file. What was printed until an error, if there is one, is in `finished`.
    fn search(&mut self, pass: Pass<'_>, finished: &mut Finished) -> io::Result<FileResult> {
        let detection = matcher::binary_detection(self.job.search, pass.file.is_named);
        self.searcher.set_binary_detection(detection.clone());
        let content = self.job.tree.open(pass.file)?;
        if self.job.reads_whole_files {
            let mut whole = Vec::new();
            match &content {
                FileContent::Bytes(bytes) => {
                    return self.print(pass, SearchInput::Slice(bytes), finished);
                }
                FileContent::File(file) if read_whole(file, &mut whole)? => {
                    return self.print(pass, SearchInput::Slice(&whole), finished);
                }
                FileContent::File(_) => {}
            }
        }
        let is_by_line = !self.searcher.multi_line_with_matcher(&self.matcher);
        if is_by_line && detection != BinaryDetection::none() {
            return self.search_by_line(pass, content, finished);
        }
        match &content {
            FileContent::File(file) => self.print(pass, SearchInput::File(file), finished),
            FileContent::Bytes(bytes) => {
                self.print(pass, SearchInput::Reader(&mut &bytes[..]), finished)
            }
        }
    }

    /// Searches a file whose results may depend on the files before it (see `capacity.rs`).
    fn search_by_line(
        &mut self,
        pass: Pass<'_>,
        content: FileContent<'_>,
        finished: &mut Finished,
    ) -> io::Result<FileResult> {
        let first = Pass {
            is_provisional: true,
            ..pass
        };
        let mut reader = ObservedReader::new(content.reader());
        let result = self.print(first, SearchInput::Reader(&mut reader), finished);
        finished.capacity = reader.capacity();
        if reader.capacity() > capacity::SMALLEST {
            self.renew_searcher(capacity::SMALLEST)?;
        }
        let is_written = match &mut self.printer {
            AnyPrinter::Ripgrep(printer) => !printer.get_mut().get_mut().is_provisional(),
            AnyPrinter::Symbols(_) => false,
        };
        if is_written || (result.is_ok() && !reader.depends_on_capacity()) {
            return result;
        }
        let capacity = self.job.sequence.wait_for(pass.turn);
        if capacity == capacity::SMALLEST {
            return result;
        }
        self.renew_searcher(capacity)?;
        let detection = matcher::binary_detection(self.job.search, pass.file.is_named);
        self.searcher.set_binary_detection(detection);
        let content = self.job.tree.open(pass.file)?;
        let result = self.print(pass, SearchInput::Reader(&mut content.reader()), finished);
        self.renew_searcher(capacity::SMALLEST)?;
        result
    }

    fn renew_searcher(&mut self, capacity: usize) -> io::Result<()> {
        self.searcher = matcher::searcher(self.job.search, self.job.layout.line_numbers);
        capacity::grow(&mut self.searcher, capacity)
    }

    fn print(
        &mut self,
        pass: Pass<'_>,
        input: SearchInput<'_>,
        finished: &mut Finished,
    ) -> io::Result<FileResult> {
        let Pass {
            turn,
            file,
            is_provisional,
        } = pass;
        match &mut self.printer {
            AnyPrinter::Ripgrep(printer) => {
                printer.get_mut().get_mut().begin(turn, is_provisional);
                let result = printer.print(&self.matcher, &file.shown, &mut self.searcher, input);
                finished.output = printer.get_mut().get_mut().take();
                result
            }
            AnyPrinter::Symbols(printer) => {
                finished.output.clear();
                let out = &mut finished.output;
                printer.print(&self.matcher, file, &mut self.searcher, input, out)
            }
        }
    }
}

/// One way through a file.
#[derive(Clone, Copy)]
struct Pass<'f> {
    turn: usize,
    file: &'f FoundFile,
    /// Whether another way may follow that prints something else.
    is_provisional: bool,
}

/// Reads a file into memory. Says no when its size is not known in advance, as with files that the
/// system makes up while they are read; those cannot be mapped into memory either.
fn read_whole(mut file: &std::fs::File, whole: &mut Vec<u8>) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    whole.clear();
    file.read_to_end(whole)?;
    Ok(true)
}

/// Ends a turn, also when its search panics: later turns wait for it.
struct TurnGuard<'w, 'j, 'a> {
    job: &'w SearchJob<'j, 'a>,
    turn: usize,
    finished: Finished,
}

impl Drop for TurnGuard<'_, '_, '_> {
    fn drop(&mut self) {
        let finished = std::mem::take(&mut self.finished);
        if !self.job.sequence.finish(self.turn, finished) {
            self.job.is_over.store(true, Ordering::Relaxed);
        }
    }
}
