//! What indexing, syncing, editing and opening cost on a real repository: `cargo bench -p workspace
//! -- PATH`. Without a path, as in tests, a small generated one. Times are CPU time unless they say
//! otherwise; answers are printed beside them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use engine::{
    FileId, SymbolId, query,
    query::search::{is_test_or_docs, is_vendored_or_generated},
};
use facts::{Modifiers, SymbolSketch};
use workspace::{Options, Workspace, words};

/// As the program has it.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .map(PathBuf::from);
    let place = tempfile::TempDir::new().expect("a temporary directory");
    let repository = place.path().join("repository");
    match &given {
        // A copy: the bench edits files.
        Some(path) => git(
            place.path(),
            &[
                "clone",
                "-q",
                "--shared",
                &path.display().to_string(),
                "repository",
            ],
        ),
        None => generate(&repository),
    };
    let options = Options {
        home: Some(place.path().join("home")),
        ..Options::default()
    };
    let cold = cold_index(&repository, &options);
    stages(&repository, &options, cold);
    sync_without_a_change(&repository, &options);
    second_branch(&repository, &options);
    edits(&repository, &options);
    lookups(&repository, &options);
}

/// Returns the CPU time.
fn cold_index(repository: &Path, options: &Options) -> Duration {
    let workspace = Workspace::open(repository, options.clone()).expect("opens");
    let (report, cpu, wall) = timed(|| {
        workspace
            .index_live(false, &AtomicBool::new(false), |_| ())
            .expect("indexes")
    });
    let memory = peak_memory().unwrap_or_default() / 1024;
    let view = workspace.live();
    let status = workspace.status(&view).expect("has a status");
    let references: usize = view
        .snapshot
        .files()
        .filter_map(|(_, file)| view.snapshot.corpus().facts(file.content))
        .map(|facts| facts.references.len())
        .sum();
    println!("cold index: {cpu:.2?}, {wall:.2?} wall, peak memory {memory} MB");
    println!(
        "  {} files, {} lines, {} bytes; {} symbols, {references} references; {} skipped",
        report.files, status.lines, status.bytes, status.symbols, report.skipped
    );
    workspace.store().checkpoint().expect("moves the log");
    let (facts, words) = workspace.store().size();
    println!(
        "index size: {facts} + {words} bytes, {:.2} of the text",
        (facts + words) as f64 / status.bytes.max(1) as f64
    );
    cpu
}

/// Each file is parsed, then taken through the stages, so that the machine's moods meet all of them
/// alike.
fn stages(repository: &Path, options: &Options, cold: Duration) {
    let workspace = Workspace::open(repository, options.clone()).expect("opens");
    let mut extractor = extract::Extractor::new();
    let limits = extract::Limits::default();
    let [
        mut parse,
        mut read,
        mut extraction,
        mut encode,
        mut documents,
    ] = [Duration::ZERO; 5];
    let mut by_language: std::collections::BTreeMap<&str, (Duration, Duration)> =
        Default::default();
    for (_, file) in workspace.live().snapshot.files() {
        let start = thread_cpu();
        let Ok(bytes) = fs::read(repository.join(file.path.as_str())) else {
            continue;
        };
        read += thread_cpu() - start;
        let Some(language) = extract::language(file.language) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let start = thread_cpu();
        if language.has_grammar() {
            std::hint::black_box(extractor.parse(language, &text, &limits));
        }
        let parsed = thread_cpu();
        let facts = extractor.extract(language, &text, &limits);
        let extracted = thread_cpu();
        std::hint::black_box(store::text::ContentDocuments::new(&facts, &text));
        let cut = thread_cpu();
        std::hint::black_box(facts::encode_owned(facts));
        let ended = thread_cpu();
        parse += parsed - start;
        extraction += extracted - parsed;
        documents += cut - extracted;
        encode += ended - cut;
        let language = by_language.entry(language.name).or_default();
        language.0 += parsed - start;
        language.1 += extracted - parsed + (ended - cut);
    }
    let times = |time: Duration| time.as_secs_f64() / parse.as_secs_f64().max(f64::EPSILON);
    println!("only parsing: {parse:.2?}");
    println!(
        "  read {read:.2?}, parse and walk {extraction:.2?}, encode {encode:.2?}; cut into words {documents:.2?}"
    );
    println!(
        "  extraction: {:.2} times only parsing; everything: {:.2} times",
        times(read + extraction + encode),
        times(cold)
    );
    let mut by_language: Vec<_> = by_language.into_iter().collect();
    by_language.sort_by_key(|(_, (_, extraction))| std::cmp::Reverse(*extraction));
    for (name, (parse, extraction)) in by_language.into_iter().take(5) {
        println!("  {name}: parse {parse:.2?}, parse, walk and encode {extraction:.2?}");
    }
}

fn sync_without_a_change(repository: &Path, options: &Options) {
    // Files read in the tick in which they were written are read once more.
    std::thread::sleep(Duration::from_millis(50));
    let sync = || {
        let workspace = Workspace::open(repository, options.clone()).expect("opens");
        workspace
            .index_live(false, &AtomicBool::new(false), |_| ())
            .expect("syncs")
    };
    let (report, first, _) = timed(sync);
    git(repository, &["status", "--porcelain"]);
    // The time of children is told in steps of 10 ms, over all rounds together: enough rounds for a
    // second of each.
    let n_rounds = (1000 / first.as_millis().max(1) as u32).clamp(5, 200);
    let (mut ours, mut n_read, before) = (Duration::ZERO, report.read, children_cpu());
    for _ in 0..n_rounds {
        git(
            repository,
            &["--no-optional-locks", "status", "--porcelain"],
        );
        let (report, cpu, _) = timed(sync);
        ours += cpu;
        n_read += report.read;
    }
    let status = children_cpu() - before;
    println!(
        "sync without a change, opening included: {:.2?}, {n_read} files read; git status {:.2?}; {:.2} times",
        ours / n_rounds,
        status / n_rounds,
        ours.as_secs_f64() / status.as_secs_f64().max(f64::EPSILON)
    );
}

/// A branch that differs in 50 files costs 50 files.
fn second_branch(repository: &Path, options: &Options) {
    let workspace = Workspace::open(repository, options.clone()).expect("opens");
    git(repository, &["checkout", "-q", "-b", "second"]);
    for (i, path) in sources(repository, &workspace.live())
        .iter()
        .take(50)
        .enumerate()
    {
        let mut text = fs::read(path).expect("reads");
        text.extend(format!("\nsecond{i}\n").bytes());
        fs::write(path, &text).expect("writes");
    }
    let author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    git(
        repository,
        &[&author[..], &["commit", "-q", "-a", "-m", "second"]].concat(),
    );
    git(repository, &["checkout", "-q", "-"]);
    let commit = workspace.commit("second").expect("exists");
    let (report, cpu, wall) = timed(|| {
        workspace
            .index_commit(commit, false, &AtomicBool::new(false), |_| ())
            .expect("indexes")
            .1
    });
    println!(
        "a second branch: {cpu:.2?}, {wall:.2?} wall; {} files, {} extracted",
        report.files, report.extracted
    );
}

fn edits(repository: &Path, options: &Options) {
    let workspace = Workspace::open(
        repository,
        Options {
            watch: true,
            ..options.clone()
        },
    )
    .expect("opens");
    workspace
        .fresh_live(Duration::from_secs(60))
        .expect("is fresh");
    workspace
        .fresh_live(Duration::from_secs(60))
        .expect("is fresh");
    // The second one of a process: the first opens what later ones use.
    search(&workspace, &workspace.live(), "warm");
    let (mut cpus, mut walls) = (Vec::new(), Vec::new());
    for (i, path) in sources(repository, &workspace.live()).iter().enumerate() {
        let mut text = fs::read(path).expect("reads");
        text.extend(format!("\nmarker{i}\n").bytes());
        fs::write(path, &text).expect("writes");
        let ((found, fresh), cpu, wall) = timed(|| {
            let (view, freshness) = workspace
                .fresh_live(Duration::from_secs(60))
                .expect("is fresh");
            (
                search(&workspace, &view, &format!("marker{i}")),
                freshness.is_fresh(),
            )
        });
        assert!(
            found == 1 && fresh,
            "the edit of {} is found",
            path.display()
        );
        cpus.push(cpu);
        walls.push(wall);
    }
    println!("edit until searchable: {}", percentiles(cpus));
    println!("  wall: {}", percentiles(walls));
    let barriers = (0..100)
        .map(|_| {
            timed(|| {
                workspace
                    .fresh_live(Duration::from_secs(60))
                    .expect("is fresh")
            })
            .2
        })
        .collect();
    println!("no edit, watched, wall: {}", percentiles(barriers));
}

fn lookups(repository: &Path, options: &Options) {
    let name = "main";
    let ((located, workspace), cpu, wall) = timed(|| {
        let workspace = Workspace::open(repository, options.clone()).expect("opens");
        (locate(&workspace.live(), name), workspace)
    });
    println!(
        "open and look up `{name}`: {cpu:.2?}, {wall:.2?} wall; {} definitions",
        located.n_found
    );
    let view = workspace.live();
    let names: Vec<String> = sample(&view)
        .iter()
        .filter_map(|facts| Some(facts.name(facts.symbols.last()?.name).to_owned()))
        .collect();
    // Once to warm up: what is asked again and again is in memory.
    let most = names
        .iter()
        .map(|name| locate(&view, name))
        .max_by_key(|located| located.n_found)
        .expect("there are symbols");
    let times = names
        .iter()
        .map(|name| timed(|| std::hint::black_box(locate(&view, name))).1)
        .collect();
    println!(
        "exact name: {}; the most common has {} definitions, {} shown",
        percentiles(times),
        most.n_found,
        most.shown.len()
    );
    let n_files = view.snapshot.n_files() as u32;
    let files = || {
        (0..n_files)
            .step_by((n_files as usize / 200).max(1))
            .map(engine::FileId)
    };
    let most = files()
        .map(|file| outline(&view, file).len())
        .max()
        .unwrap_or_default();
    let times = files()
        .map(|file| timed(|| std::hint::black_box(outline(&view, file))).1)
        .collect();
    println!(
        "outline: {}; the longest has {most} symbols",
        percentiles(times)
    );
    search(&workspace, &view, "warm");
    for query in [
        "error",
        "parse config file",
        "the value of a request is not handled when the reader returns an error early",
    ] {
        let times = (0..50)
            .map(|_| timed(|| search(&workspace, &view, query)).1)
            .collect();
        println!(
            "search `{query}`: {}; {} found",
            percentiles(times),
            search(&workspace, &view, query)
        );
    }
}

/// What an answer says of a symbol.
#[allow(dead_code)] // Made, and shown to nobody.
struct Place {
    path: String,
    line: u32,
    kind: facts::SymbolKind,
    name: String,
}

struct Located {
    /// In the working tree.
    n_found: usize,
    /// The best, as many as an answer shows.
    shown: Vec<Place>,
}

/// What `locate_symbol` does for a name: all symbols of that name are ranked by what the table of
/// names and their paths tell, and the first ten are looked up in the facts of their files.
fn locate(view: &workspace::SnapshotView, name: &str) -> Located {
    const SHOWN: usize = 10;
    let snapshot = &view.snapshot;
    let found = query::sketches_named(snapshot, &[name]).unwrap();
    let found = found.into_iter().flatten();
    let rank = |symbol: SymbolId, sketch: SymbolSketch| {
        let path = snapshot.file(symbol.file).path.as_str();
        let is_minor = sketch.modifiers.contains(Modifiers::PROTOTYPE)
            || sketch.modifiers.contains(Modifiers::LOCAL);
        (
            is_test_or_docs(path) || is_vendored_or_generated(path),
            is_minor,
            !sketch.kind.is_type(),
            !sketch.kind.is_callable(),
            symbol,
        )
    };
    let mut ranked: Vec<_> = found.map(|(symbol, sketch)| rank(symbol, sketch)).collect();
    ranked.sort_unstable();
    let shown = ranked.iter().take(SHOWN).filter_map(|(.., symbol)| {
        let facts = snapshot
            .corpus()
            .facts(snapshot.file(symbol.file).content)?;
        Some(place(view, symbol.file, &facts, facts.symbol(symbol.index)))
    });
    let shown: Vec<Place> = shown.collect();
    assert!(
        shown.iter().all(|place| place.name == name),
        "the table of names tells the truth of {name}"
    );
    Located {
        n_found: ranked.len(),
        shown,
    }
}

/// All symbols of a file.
fn outline(view: &workspace::SnapshotView, file: FileId) -> Vec<Place> {
    let Some(facts) = view
        .snapshot
        .corpus()
        .facts(view.snapshot.file(file).content)
    else {
        return Vec::new();
    };
    facts
        .symbols
        .iter()
        .map(|symbol| place(view, file, &facts, symbol))
        .collect()
}

fn place(
    view: &workspace::SnapshotView,
    file: FileId,
    facts: &facts::Facts,
    symbol: &facts::Symbol,
) -> Place {
    Place {
        path: view.snapshot.file(file).path.to_string(),
        line: facts.lines.line_index(symbol.name_span.start) + 1,
        kind: symbol.kind,
        name: facts.name(symbol.name).to_owned(),
    }
}

fn sample(view: &workspace::SnapshotView) -> Vec<Arc<facts::Facts>> {
    let n_files = view.snapshot.n_files();
    let files = view.snapshot.files().step_by((n_files / 200).max(1));
    files
        .filter_map(|(_, file)| view.snapshot.corpus().facts(file.content))
        .collect()
}

/// A hundred source files under 100 kB from all over the tree.
fn sources(repository: &Path, view: &workspace::SnapshotView) -> Vec<PathBuf> {
    let sources = view
        .snapshot
        .files()
        .filter(|(_, file)| file.language.0 != 0)
        .map(|(_, file)| repository.join(file.path.as_str()));
    let sources: Vec<PathBuf> = sources
        .filter(|path| fs::metadata(path).is_ok_and(|metadata| metadata.len() < 100_000))
        .collect();
    let n_sources = sources.len();
    sources
        .into_iter()
        .step_by((n_sources / 100).max(1))
        .take(100)
        .collect()
}

fn search(workspace: &Workspace, view: &workspace::SnapshotView, query: &str) -> usize {
    let mut asked: Vec<String> = Vec::new();
    words(query, |word| asked.push(word.to_owned()));
    // The whole identifier alone, where there is one: its parts are in every marker.
    if !query.contains(' ') {
        asked.truncate(1);
    }
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let matches = workspace.text().matches(view, &asked).expect("searches");
    matches.documents.len().min(50)
}

fn generate(repository: &Path) {
    for i in 0..20 {
        let functions: String = (0..30)
            .map(|k| format!("def function_{i}_{k}(value):\n    return main(value, {k})\n\n"))
            .collect();
        fs::create_dir_all(repository.join(format!("d{}", i % 3))).expect("makes a directory");
        fs::write(repository.join(format!("d{}/f{i}.py", i % 3)), functions).expect("writes");
    }
    git(repository, &["init", "-q"]);
    git(repository, &["add", "."]);
    git(
        repository,
        &[
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@localhost",
            "commit",
            "-q",
            "-m",
            "first",
        ],
    );
}

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration, Duration) {
    let (cpu, wall) = (process_cpu(), Instant::now());
    let value = work();
    (value, process_cpu() - cpu, wall.elapsed())
}

#[cfg(unix)]
fn process_cpu() -> Duration {
    clock(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn thread_cpu() -> Duration {
    clock(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn clock(id: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(id);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Windows tells CPU time in another way: here it is the time that passed.
#[cfg(windows)]
fn process_cpu() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(windows)]
use process_cpu as thread_cpu;

/// CPU time of all children so far, in ticks of 10 ms, from `/proc/self/stat`.
fn children_cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    // The 16th and 17th field of all, counted after the process's name.
    Duration::from_millis(
        10 * (fields.get(13).copied().unwrap_or(0) + fields.get(14).copied().unwrap_or(0)),
    )
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: f64| {
        times
            .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    };
    format!(
        "p50 {:.2?}, p95 {:.2?}, max {:.2?} of {}",
        at(0.5),
        at(0.95),
        at(1.0),
        times.len()
    )
}

fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .trim()
        .strip_suffix(" kB")?
        .trim()
        .parse()
        .ok()
}
