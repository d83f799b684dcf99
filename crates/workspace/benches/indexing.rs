//! What indexing, syncing, editing and opening cost on a real repository: `cargo bench -p workspace -- PATH`.
//! Without a path, as in tests, a small generated one. Times are CPU time of this process; answers are printed beside them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use workspace::{Options, TextQuery, Weights, Workspace, words};

fn main() {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let place = tempfile::TempDir::new().expect("a temporary directory");
    let repository = place.path().join("repository");
    match &given {
        // A copy: the bench edits files.
        Some(path) => git(place.path(), &["clone", "-q", "--no-hardlinks", &path.display().to_string(), "repository"]),
        None => generate(&repository),
    };
    let home = place.path().join("home");
    let options = || Options { home: Some(home.clone()), ..Options::default() };
    let never = AtomicBool::new(false);

    let workspace = Workspace::open(&repository, options()).expect("opens");
    let (report, cpu, wall) = timed(|| workspace.index_live(false, &never, |_| ()).expect("indexes"));
    let status = workspace.status(&workspace.live()).expect("has a status");
    let text: u64 = status.bytes;
    println!(
        "cold index: {cpu:.2?} CPU, {wall:.2?} wall; {} files, {} lines, {text} bytes, {} symbols, {} skipped",
        report.files, status.lines, status.symbols, report.skipped
    );
    workspace.store().checkpoint().expect("moves the log");
    let (facts, words_size) = workspace.store().size();
    println!("index size: {facts} + {words_size} bytes, {:.2} of the text", (facts + words_size) as f64 / text.max(1) as f64);

    // Files read in the tick in which they were written are read once more.
    std::thread::sleep(Duration::from_millis(50));
    workspace.index_live(false, &never, |_| ()).expect("syncs");
    let status_cpu = children_cpu(|| git(&repository, &["status", "--porcelain"]));
    let (report, cpu, _) = timed(|| {
        let workspace = Workspace::open(&repository, options()).expect("opens");
        workspace.index_live(false, &never, |_| ()).expect("syncs")
    });
    println!("sync without a change, from opening on: {cpu:.2?} CPU, {} files read; git status {status_cpu:.2?} CPU", report.read);

    let watched = Workspace::open(&repository, Options { watch: true, ..options() }).expect("opens");
    watched.fresh_live(Duration::from_secs(60)).expect("is fresh");
    watched.fresh_live(Duration::from_secs(60)).expect("is fresh");
    let sources: Vec<PathBuf> = watched
        .live()
        .snapshot
        .files()
        .filter(|(_, file)| file.language.0 != 0)
        .map(|(_, file)| repository.join(file.path.as_str()))
        .collect();
    let mut edits = Vec::new();
    for (i, path) in sources.iter().step_by((sources.len() / 100).max(1)).take(100).enumerate() {
        let Ok(mut text) = fs::read(path) else { continue };
        if text.len() > 100_000 {
            continue;
        }
        text.extend(format!("\nmarker{i}\n").bytes());
        fs::write(path, &text).expect("writes");
        let ((found, fresh), cpu, wall) = timed(|| {
            let (view, freshness) = watched.fresh_live(Duration::from_secs(60)).expect("is fresh");
            (search(&watched, &view, &format!("marker{i}")), freshness.is_fresh())
        });
        assert!(found == 1 && fresh, "the edit of {} is found", path.display());
        edits.push((cpu, wall));
    }
    let total: Duration = edits.iter().map(|(cpu, _)| *cpu).sum();
    println!("edit until searchable: {:.2?} CPU on average", total / edits.len().max(1) as u32);
    println!("edit until searchable, wall: {}", percentiles(edits.iter().map(|(_, wall)| *wall)));
    let barriers = (0..100).map(|_| timed(|| watched.fresh_live(Duration::from_secs(60)).expect("is fresh")).2);
    println!("no edit, watched, wall: {}", percentiles(barriers));

    let name = "main";
    let (found, cpu, wall) = timed(|| {
        let workspace = Workspace::open(&repository, options()).expect("opens");
        workspace.live().snapshot.corpus().defining(name).len()
    });
    println!("open and look up `{name}`: {cpu:.2?} CPU, {wall:.2?} wall; {found} contents");
    let view = watched.live();
    let lookups = (0..200).map(|_| timed(|| view.snapshot.corpus().defining(name).len()).2);
    println!("definitions of `{name}`: {}", percentiles(lookups));
    search(&watched, &view, "warm");
    for query in ["error", "parse config file", "the value of a request is not handled when the reader returns an error early"] {
        let times: Vec<_> = (0..50).map(|_| timed(|| search(&watched, &view, query)).2).collect();
        println!("search `{query}`: {}; {} found", percentiles(times.into_iter()), search(&watched, &view, query));
    }
    if let Some(memory) = peak_memory() {
        println!("peak memory: {} MB", memory / 1024);
    }
}

fn search(workspace: &Workspace, view: &workspace::SnapshotView, query: &str) -> usize {
    let mut terms = Vec::new();
    words(query, |word| terms.push((word.to_owned(), 1.0)));
    // The whole identifier alone, where there is one: its parts are in every marker.
    if !query.contains(' ') {
        terms.truncate(1);
    }
    workspace.search_text(view, &TextQuery { words: &terms, weights: Weights::default(), limit: 50 }).expect("searches").len()
}

fn generate(repository: &Path) {
    for i in 0..20 {
        let functions: String = (0..30).map(|k| format!("def function_{i}_{k}(value):\n    return main(value, {k})\n\n")).collect();
        fs::create_dir_all(repository.join(format!("d{}", i % 3))).expect("makes a directory");
        fs::write(repository.join(format!("d{}/f{i}.py", i % 3)), functions).expect("writes");
    }
    git(repository, &["init", "-q"]);
}

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git").current_dir(directory).args(arguments).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration, Duration) {
    let (cpu, wall) = (own_cpu(), Instant::now());
    let value = work();
    (value, own_cpu().saturating_sub(cpu), wall.elapsed())
}

/// In ticks of 10 ms: single edits are too short for it, a hundred of them are not.
fn own_cpu() -> Duration {
    cpu(11)
}

/// CPU time of a child.
fn children_cpu(work: impl FnOnce()) -> Duration {
    let before = cpu(13);
    work();
    cpu(13).saturating_sub(before)
}

/// User and system time from `/proc/self/stat`, which stand at this place and the next after the process's name.
fn cpu(place: usize) -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(place) + ticks(place + 1)))
}

fn percentiles(times: impl Iterator<Item = Duration>) -> String {
    let mut times: Vec<_> = times.collect();
    times.sort();
    let at =
        |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1))).copied().unwrap_or_default();
    format!("p50 {:.2?}, p95 {:.2?}, max {:.2?} of {}", at(0.5), at(0.95), at(1.0), times.len())
}

fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.trim().parse().ok()
}
