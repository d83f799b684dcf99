//! No language server outlives us, however we end: nor do its children, nor those that left its
//! process group.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::testing::*;

const TYPESCRIPT: &str =
    "//- package.json\n{}\n//- tsconfig.json\n{}\n//- a.ts\nexport const on$0e = 1;\n";

/// Starts a process of ours that holds a server open, and returns it with the server's process.
fn hold(project: &Project, search_path: &Path) -> (Child, u32) {
    let mut holder = Command::new(TESTBED)
        .arg("hold")
        .args([&project.root, &project.cursor_file()])
        .arg(search_path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let server = line
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("no server started: {line:?}"));
    (holder, server)
}

#[track_caller]
fn check_all_end(project: &Project, what: &str) {
    let began = Instant::now();
    let name = project.root.to_string_lossy().into_owned();
    while !processes_naming(&name).is_empty() {
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "left after 2 s: {:?}",
            processes_naming(&name)
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    println!(
        "{what}: every process gone after {} ms",
        began.elapsed().as_millis()
    );
}

#[test]
fn kill_9_leaves_nothing_of_typescript_language_server() {
    let Some(servers) = real_servers("typescript-language-server") else {
        return;
    };
    let project = Project::new(TYPESCRIPT);
    let (mut holder, server) = hold(&project, &servers);
    let before = processes_naming(&project.root.to_string_lossy());
    // Holder, guard, typescript-language-server, and tsserver below it, perhaps twice (syntax and
    // types).
    assert!(before.len() >= 4 && before.contains(&server), "{before:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    check_all_end(&project, "kill -9 of the client");
}

#[test]
fn kill_9_of_the_guard_ends_the_server_too() {
    let project = Project::new("//- a.fake\n$0\n");
    let pool = project.fake("never-answers", "first-response");
    wait_ready(&pool, &project.cursor_file());
    let server = process_of(&pool);
    let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap();
    let guard = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .nth(1)
        .unwrap()
        .to_string();
    assert_eq!(
        std::fs::read_to_string(format!("/proc/{guard}/comm"))
            .unwrap()
            .trim(),
        "lsp-guard"
    );
    Command::new("kill").args(["-9", &guard]).status().unwrap();
    wait_for(2, || format!("{server} lives"), || !is_alive(server));
    wait_for(
        2,
        || format!("{:?}", pool.status()),
        || pool.status()[0].n_crashes == 1,
    );
}

#[test]
fn sigterm_to_the_guard_ends_everything_in_order() {
    let project = Project::new("//- a.fake\n$0\n");
    let pool = project.fake("never-answers", "first-response");
    wait_ready(&pool, &project.cursor_file());
    let server = process_of(&pool);
    let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap();
    let guard = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .nth(1)
        .unwrap()
        .to_string();
    Command::new("kill").arg(&guard).status().unwrap();
    wait_for(2, || format!("{server} lives"), || !is_alive(server));
}

#[test]
fn dropping_the_pool_ends_a_stubborn_orphan_outside_the_group() {
    let project = Project::new("//- a.fake\n$0\n");
    let pool = project.fake("breeds", "first-response");
    wait_ready(&pool, &project.cursor_file());
    let name = project.root.to_string_lossy().into_owned();
    // Guard, server, and the orphan that ignores SIGTERM in a session of its own.
    wait_for(
        5,
        || format!("{:?}", processes_naming(&name)),
        || processes_naming(&name).len() >= 3,
    );
    drop(pool);
    check_all_end(&project, "drop of the pool");
}

#[test]
fn a_server_that_says_goodbye_badly_ends_too() {
    let project = Project::new("//- a.fake\n$0\n");
    let pool = project.fake("never-answers", "first-response");
    wait_ready(&pool, &project.cursor_file());
    let server = process_of(&pool);
    pool.stop(None);
    wait_for(3, || format!("{server} lives"), || !is_alive(server));
}
