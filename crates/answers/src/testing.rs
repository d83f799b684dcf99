//! Sessions on small repositories, for tests.

use std::path::Path;

use engine::Budget;
use tempfile::TempDir;
use workspace::{Freshness, Options};

use crate::{Routing, Session, Workspaces};

/// A session with the directory that it is about, which is removed with it.
pub struct TestSession {
    pub session: Session,
    _directory: TempDir,
}

impl std::ops::Deref for TestSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

/// `//- path` starts a file.
pub fn session(files: &str) -> TestSession {
    let in_memory = true;
    session_with(
        files,
        Options {
            in_memory,
            ..Options::default()
        },
    )
}

pub fn session_with(files: &str, options: Options) -> TestSession {
    let (workspaces, directory) = repository(files, options);
    let workspace = workspaces.find(None).unwrap();
    workspace
        .index_live(false, &Default::default(), |_| ())
        .unwrap();
    let view = workspace.live();
    TestSession {
        session: workspaces.session(workspace, view, Freshness::fresh(), Budget::unlimited()),
        _directory: directory,
    }
}

/// The workspaces of a process that serves one repository, which is not indexed.
pub fn repository(files: &str, options: Options) -> (Workspaces, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    for file in files.split("//- ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        write(&directory.path().join(path.trim()), text);
    }
    let workspaces = Workspaces::new(Routing {
        registered: vec![dunce::canonicalize(directory.path()).unwrap()],
        options,
        ..Routing::default()
    });
    (workspaces, directory)
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
