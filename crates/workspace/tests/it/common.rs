//! A repository on disk, its index next to it, and what a snapshot of it says, as text.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use tempfile::TempDir;
use workspace::{IndexSummary, Options, SnapshotView, Workspace};

pub struct Fixture {
    pub directory: TempDir,
    pub home: TempDir,
}

pub const LONG: Duration = Duration::from_secs(60);

impl Fixture {
    /// A directory without git.
    pub fn plain() -> Fixture {
        Fixture {
            directory: TempDir::new().unwrap(),
            home: TempDir::new().unwrap(),
        }
    }

    pub fn git() -> Fixture {
        Fixture::git_with(&[])
    }

    pub fn git_with(arguments: &[&str]) -> Fixture {
        let fixture = Fixture::plain();
        fixture.run(&[&["init", "-q", "-b", "main"], arguments].concat());
        fixture.run(&["config", "user.name", "Someone"]);
        fixture.run(&["config", "user.email", "someone@example.com"]);
        fixture
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> String {
        run_git(self.directory.path(), arguments)
    }

    pub fn commit(&self, message: &str) -> String {
        self.run(&["add", "-A"]);
        self.run(&["commit", "-q", "--allow-empty", "-m", message]);
        self.run(&["rev-parse", "HEAD"])
    }

    pub fn options(&self) -> Options {
        Options {
            home: Some(self.home.path().to_path_buf()),
            ..Options::default()
        }
    }

    pub fn open(&self) -> Arc<Workspace> {
        Workspace::open(self.directory.path(), self.options()).unwrap()
    }

    /// Opens it and indexes the working tree.
    pub fn indexed(&self) -> Arc<Workspace> {
        let workspace = self.open();
        index(&workspace);
        workspace
    }
}

pub fn run_git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub fn index(workspace: &Workspace) -> IndexSummary {
    workspace
        .index_live(false, &AtomicBool::new(false), |_| ())
        .unwrap()
}

pub fn fresh(workspace: &Workspace) -> Arc<SnapshotView> {
    let (view, freshness) = workspace.fresh_live(LONG).unwrap();
    assert!(freshness.is_fresh(), "{freshness:?}");
    view
}

/// Every path with its text, one per line; skipped files with their reason.
pub fn render(view: &SnapshotView) -> String {
    let corpus = view.snapshot.corpus();
    let mut lines = Vec::new();
    for (_, file) in view.snapshot.files() {
        let text = corpus.text(file.content);
        let facts = corpus.facts(file.content).expect("facts of every file");
        assert_eq!(facts.language, file.language);
        lines.push(format!(
            "{} {:?}",
            file.path,
            text.as_deref().unwrap_or("(gone)")
        ));
    }
    lines.extend(
        view.skipped
            .iter()
            .map(|file| format!("{} skipped: {}", file.path, file.reason.as_str())),
    );
    lines.sort();
    lines.join("\n")
}

/// Paths of the files, in order.
pub fn paths(view: &SnapshotView) -> Vec<String> {
    view.snapshot
        .files()
        .map(|(_, file)| file.path.to_string())
        .collect()
}
