//! Several processes on one index, and processes that die.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::AtomicBool,
    time::Duration,
};

use crate::common::{Fixture, fresh, index, render};
use store::Store;
use workspace::{JobState, Options, Workspace};

/// Not a test of its own: what other processes run.
#[test]
#[ignore = "started by the other tests"]
fn other_process() {
    let root = PathBuf::from(std::env::var_os("OTHER_ROOT").unwrap());
    let home = PathBuf::from(std::env::var_os("OTHER_HOME").unwrap());
    let workspace = Workspace::open(
        &root,
        Options {
            home: Some(home),
            ..Options::default()
        },
    )
    .unwrap();
    let job = workspace
        .jobs()
        .start_index(None, std::env::var_os("OTHER_FORCE").is_some());
    let ended = match job {
        Ok(job) | Err(workspace::Error::InProgress { job }) => {
            workspace
                .jobs()
                .wait(&job, std::time::Instant::now() + Duration::from_secs(100));
            workspace.jobs().get(&job).unwrap().unwrap()
        }
        Err(error) => panic!("{error}"),
    };
    if ended.state != JobState::Succeeded {
        eprintln!("{:?}", ended.error);
        std::process::exit(3);
    }
}

fn start(fixture: &Fixture, wrapper: &[&str]) -> Child {
    let this = std::env::current_exe().unwrap();
    let mut words: Vec<&Path> = wrapper.iter().map(Path::new).collect();
    words.push(&this);
    Command::new(words[0])
        .args(&words[1..])
        .args([
            "--ignored",
            "--exact",
            "processes::other_process",
            "--nocapture",
        ])
        .env("OTHER_ROOT", fixture.directory.path())
        .env("OTHER_HOME", fixture.home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn many_files() -> Fixture {
    let fixture = Fixture::git();
    for i in 0..600 {
        let functions: String = (0..40)
            .map(|k| {
                format!("def function_{i}_{k}(argument):\n    return other_{k}(argument, {i})\n\n")
            })
            .collect();
        fixture.write(&format!("d{}/f{i}.py", i % 20), functions);
    }
    fixture
}

fn expected(fixture: &Fixture) -> String {
    let scratch = Workspace::open(
        fixture.directory.path(),
        Options {
            in_memory: true,
            ..Options::default()
        },
    )
    .unwrap();
    render(&fresh(&scratch))
}

#[test]
fn a_killed_index_goes_on_where_it_was() {
    let fixture = many_files();
    let expected = expected(&fixture);
    for milliseconds in [5, 60, 150, 300, 600, 1200] {
        let mut child = start(&fixture, &[]);
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever state it left, it opens, and says that no one is at work.
        let workspace = fixture.open();
        assert!(workspace.jobs().running().is_none());
        assert!(
            workspace
                .jobs()
                .recent(9)
                .unwrap()
                .iter()
                .all(|job| job.state != JobState::Running)
        );
    }
    let workspace = fixture.indexed();
    assert_eq!(render(&workspace.live()), expected);
    assert_eq!(render(&fresh(&fixture.open())), expected);
}

#[test]
fn two_processes_index_at_once() {
    let fixture = many_files();
    let mut children = [start(&fixture, &[]), start(&fixture, &[])];
    let workspace = fixture.open();
    // Meanwhile questions are answered.
    let (_, freshness) = workspace.fresh_live(Duration::from_millis(10)).unwrap();
    drop(freshness);
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(render(&fresh(&workspace)), expected(&fixture));
    let n_contents = workspace.store().contents().unwrap().len();
    assert_eq!(n_contents, 600);
}

#[test]
fn a_large_index_is_written_in_many_short_transactions() {
    let fixture = many_files();
    // Someone who may have to wait.
    let _other = fixture.open();
    let workspace = fixture.indexed();
    // Each makes a generation. 600 files that define 40 names and mention 80 are far more than
    // others should have to wait for.
    let n_transactions = workspace.store().generation().unwrap();
    assert!(
        n_transactions >= 600 * 120 / 8000,
        "{n_transactions} transactions"
    );
}

#[test]
fn a_full_disk_fails_the_job_and_leaves_the_index_sound() {
    let fixture = many_files();
    // No file above 600 blocks of 1 KiB; the signal for it is ignored, so that writes fail.
    let limit = "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\"";
    let mut child = start(&fixture, &["bash", "-c", limit]);
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let workspace = fixture.open();
    let job = &workspace.jobs().recent(1).unwrap()[0];
    assert!(
        matches!(job.state, JobState::Failed | JobState::Interrupted),
        "{job:?}"
    );
    assert_eq!(render(&fresh(&workspace)), expected(&fixture));
}

#[test]
fn damaged_records_are_made_again() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def a(): ...\n");
    fixture.write("b.py", "def b(): ...\n");
    let workspace = fixture.indexed();
    let before = render(&workspace.live());
    let file = workspace.index_directory().unwrap().join("index.db");
    drop(workspace);
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection
        .execute(
            "UPDATE content SET facts = zeroblob(30) WHERE number = 1",
            [],
        )
        .unwrap();
    connection
        .execute("UPDATE content SET facts = x'' WHERE number = 2", [])
        .unwrap();
    drop(connection);
    let workspace = fixture.open();
    assert_eq!(render(&workspace.live()), before);
    assert!(matches!(
        workspace.store().facts(facts::ContentNumber(1)),
        Ok(Some(Ok(_)))
    ));
}

#[test]
fn a_damaged_file_is_built_again() {
    let fixture = Fixture::git();
    for i in 0..50 {
        fixture.write(&format!("f{i}.py"), format!("def f{i}(): ...\n"));
    }
    let expected = expected(&fixture);
    let directory = fixture.indexed().index_directory().unwrap().to_path_buf();
    let file = directory.join("index.db");
    let whole = std::fs::read(&file).unwrap();
    for (n, damage) in [0, 100, 4096, whole.len() / 2].into_iter().enumerate() {
        let mut bytes = whole.clone();
        match n {
            0 => bytes.clear(),
            1 => bytes.truncate(damage),
            _ => bytes[damage..damage + 4000].fill(0x5a),
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(directory.join(format!("index.db{suffix}")));
        }
        std::fs::write(&file, &bytes).unwrap();
        // Opened, or refused as damaged and then removed and built: never a panic, never a wrong
        // answer.
        let view = match Workspace::open(fixture.directory.path(), fixture.options()) {
            Ok(workspace) => match workspace.index_live(false, &AtomicBool::new(false), |_| ()) {
                Ok(_) => workspace.live(),
                Err(workspace::Error::Store(store::Error::Damaged | store::Error::Database(_))) => {
                    continue;
                }
                Err(error) => panic!("{error}"),
            },
            Err(workspace::Error::Store(store::Error::Damaged | store::Error::Database(_))) => {
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(render(&view), expected);
    }
    Store::remove(&directory).unwrap();
    assert_eq!(render(&fresh(&fixture.open())), expected);
}

#[test]
fn unused_contents_are_collected_and_their_numbers_stay_unused() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def first(): ...\n");
    let workspace = fixture.indexed();
    for i in 0..5 {
        fixture.write("a.py", format!("def next_{i}(): ...\n"));
        fresh(&workspace);
    }
    let held = workspace.live();
    fixture.write("a.py", "def last(): ...\n");
    fresh(&workspace);
    assert_eq!(workspace.collect().unwrap(), 5);
    // What someone holds is spared.
    assert_eq!(render(&held), "a.py \"def next_4(): ...\\n\"");
    drop(held);
    assert_eq!(workspace.collect().unwrap(), 1);
    assert!(
        workspace
            .live()
            .snapshot
            .corpus()
            .defining("first")
            .unwrap()
            .is_empty()
    );
    fixture.write("a.py", "def after(): ...\n");
    let number = fresh(&workspace).snapshot.files().next().unwrap().1.content;
    assert_eq!(number.0, 8);
    index(&workspace);
}
