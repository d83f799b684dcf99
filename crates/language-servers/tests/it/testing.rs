//! What the tests of this crate share: a project written as one string, and a pool that guards with
//! the testbed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use language_servers::{
    Catalogue, Document, Limit, LspLocation, LspPosition, LspRange, Place, Pool, PoolSettings,
    State, Trusted, uri,
};

pub const TESTBED: &str = env!("CARGO_BIN_EXE_language-servers-testbed");

/// Files in a temporary directory. `//- path` starts a file, `$0` is the cursor.
pub struct Project {
    directory: tempfile::TempDir,
    pub root: PathBuf,
    texts: BTreeMap<String, String>,
    cursor: (String, LspPosition),
}

impl Project {
    pub fn new(fixture: &str) -> Project {
        let directory = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(directory.path())
            .unwrap()
            .join("project");
        std::fs::create_dir(&root).unwrap();
        let mut project = Project {
            directory,
            root,
            texts: BTreeMap::new(),
            cursor: Default::default(),
        };
        for file in fixture.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            let path = path.trim();
            if let Some((before, after)) = text.split_once("$0") {
                let line = before.matches('\n').count() as u32;
                let character = before.rsplit('\n').next().unwrap().encode_utf16().count() as u32;
                project.cursor = (path.to_string(), LspPosition { line, character });
                project.write(path, &format!("{before}{after}"));
            } else {
                project.write(path, text);
            }
        }
        project
    }

    pub fn write(&mut self, path: &str, text: &str) {
        let text = text.replace("{root}", &self.root.to_string_lossy());
        let full = self.root.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, &text).unwrap();
        self.texts.insert(path.to_string(), text);
    }

    /// Cursor's document and place.
    pub fn at_cursor<T>(&self, ask: impl FnOnce(&Place) -> T) -> T {
        let (path, position) = &self.cursor;
        let full = self.root.join(path);
        ask(&Place {
            document: Document {
                path: &full,
                text: &self.texts[path],
            },
            unsaved: &[],
            position: *position,
        })
    }

    pub fn document<T>(&self, path: &str, ask: impl FnOnce(Document) -> T) -> T {
        ask(Document {
            path: &self.root.join(path),
            text: &self.texts[path],
        })
    }

    pub fn cursor(&self) -> (&str, LspPosition) {
        (&self.cursor.0, self.cursor.1)
    }

    pub fn cursor_file(&self) -> PathBuf {
        self.root.join(&self.cursor.0)
    }

    /// `path:line:column-line:column`, from 0, sorted; outside the project the URI stands for the
    /// path.
    pub fn show(&self, locations: &[LspLocation]) -> Vec<String> {
        let mut lines: Vec<String> = locations
            .iter()
            .map(|location| {
                format!(
                    "{}:{}",
                    self.show_uri(&location.uri),
                    show_range(location.range)
                )
            })
            .collect();
        lines.sort();
        lines
    }

    pub fn show_uri(&self, uri: &str) -> String {
        let path = uri::to_path(uri).unwrap_or_default();
        path.strip_prefix(&self.root).map_or_else(
            |_| uri.to_string(),
            |path| path.to_string_lossy().into_owned(),
        )
    }

    pub fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    pub fn settings(&self) -> PoolSettings {
        PoolSettings {
            cache_directory: self.cache(),
            guard: PathBuf::from(TESTBED),
            ..PoolSettings::default()
        }
    }

    pub fn pool_with(&self, settings: PoolSettings) -> Pool {
        Pool::new(
            vec![Trusted::by_decision_of_the_user(&self.root).unwrap()],
            settings,
        )
    }

    /// A pool whose server for `.fake` files behaves as named.
    pub fn fake(&self, behaviour: &str, ready: &str) -> Pool {
        self.pool_with(PoolSettings {
            catalogue: fake_catalogue(behaviour, ready),
            ..self.settings()
        })
    }
}

pub fn fake_catalogue(behaviour: &str, ready: &str) -> Catalogue {
    Catalogue::with_user(&format!(
        "[[server]]\nname='fake'\nlanguage='fake'\ncommand='{TESTBED}'\nargs=['serve', '{behaviour}']\nextensions={{fake='fake'}}\nready='{ready}'"
    ))
    .unwrap()
}

pub fn show_range(range: LspRange) -> String {
    let (start, end) = (range.start, range.end);
    format!(
        "{}:{}-{}:{}",
        start.line, start.character, end.line, end.character
    )
}

pub fn seconds(n: u64) -> Limit {
    Limit::within(Duration::from_secs(n))
}

/// Waits until the server of this file is ready.
#[track_caller]
pub fn wait_ready(pool: &Pool, path: &Path) {
    wait_for(
        60,
        || format!("{:?}", pool.status()),
        || pool.prepare(path).unwrap() == State::Ready,
    );
}

/// The process of a pool's one server; its guard tells it soon after the start.
#[track_caller]
pub fn process_of(pool: &Pool) -> u32 {
    wait_for(
        60,
        || format!("{:?}", pool.status()),
        || pool.status()[0].process.is_some(),
    );
    pool.status()[0].process.expect("it was just there")
}

#[track_caller]
pub fn wait_for(n_seconds: u64, state: impl Fn() -> String, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(
            began.elapsed() < Duration::from_secs(n_seconds),
            "not within {n_seconds} s: {}",
            state()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Where the real servers are, or `None` with a note when nobody asked for these tests.
#[track_caller]
pub fn real_servers(program: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("CODECOMPASS_LANGUAGE_SERVERS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/language-servers/bin"),
        PathBuf::from,
    );
    if directory.join(program).exists() {
        return Some(directory);
    }
    let note = format!(
        "{program} is not in {}: run tests/language-servers/install.sh",
        directory.display()
    );
    assert!(
        std::env::var_os("CODECOMPASS_TEST_LANGUAGE_SERVERS").is_none_or(|value| value != "1"),
        "{note}"
    );
    eprintln!("skipped: {note}");
    None
}

/// Whether a process is there and not merely waiting to be reaped.
pub fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Processes whose command line or working directory names `text`.
pub fn processes_naming(text: &str) -> Vec<u32> {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let names = |pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let directory = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(text)
            || directory.to_string_lossy().contains(text)
    };
    pids.filter(|pid| *pid != std::process::id() && is_alive(*pid))
        .filter(names)
        .collect()
}
