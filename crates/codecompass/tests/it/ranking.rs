//! `eval/ranking.md`: at which rank a search finds what a question is about, so that a change to
//! ranking is a difference that somebody reviews.
//!
//! The questions are asked about this repository as it was at one commit, which the table names:
//! other changes of the code move no rank.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

/// One row of the table.
struct Question<'a> {
    text: &'a str,
    /// A path below `crates/`, then the name of a symbol where one is meant.
    expected: &'a str,
}

const RANKS: [&str; 4] = ["1", "2-3", "4-10", "none"];

#[test]
fn ranks_are_those_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("eval/ranking.md");
    let table = fs::read_to_string(&path).unwrap();
    let commit = table
        .split('`')
        .find(|word| is_commit(word))
        .expect("a commit in the text");
    let place = tempfile::tempdir().unwrap();
    if !check_out(&root, commit, place.path()) {
        // Past the capture of test output: what was not tested must be seen.
        let _ = writeln!(
            std::io::stderr(),
            "NOT TESTED: ranking; this clone does not have the commit {commit}"
        );
        return;
    }
    let questions: Vec<Question> = table.lines().filter_map(question).collect();
    assert!(questions.len() >= 200, "{} questions", questions.len());
    let ranks = ranks(place.path(), &questions);

    let mut updated = String::new();
    let mut ranks = ranks.iter();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with("In all: ")) {
        match question(line) {
            Some(Question { text, expected }) => {
                let rank = ranks.next().unwrap();
                *counts.entry(rank).or_default() += 1;
                writeln!(updated, "| {text} | {expected} | {rank} |").unwrap();
            }
            None => writeln!(updated, "{line}").unwrap(),
        }
    }
    let counts = RANKS.map(|rank| format!("{rank}: {}", counts.get(rank).unwrap_or(&0)));
    let updated = format!("{}\n\nIn all: {}\n", updated.trim_end(), counts.join(", "));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, updated).unwrap();
        return;
    }
    let changed: Vec<&str> = updated
        .lines()
        .filter(|line| !table.contains(*line))
        .collect();
    assert!(
        changed.is_empty(),
        "ranks changed; if that is meant, UPDATE_EXPECT=1 writes them:\n{}",
        changed.join("\n")
    );
}

fn is_commit(word: &str) -> bool {
    word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn question(line: &str) -> Option<Question<'_>> {
    let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
    let (text, expected, rank) = (cells.next()?, cells.next()?, cells.next()?);
    RANKS.contains(&rank).then_some(Question { text, expected })
}

/// Writes the files of a commit into `place/repository`, if git has the commit.
fn check_out(root: &Path, commit: &str, place: &Path) -> bool {
    let git = |arguments: &[&str]| {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(root)
            .env("GIT_INDEX_FILE", place.join("git-index"))
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    let prefix = format!("--prefix={}/", place.join("repository").display());
    git(&["read-tree", commit]) && git(&["checkout-index", "--all", &prefix])
}

/// The rank of what each question expects, as the table writes it.
fn ranks(place: &Path, questions: &[Question]) -> Vec<&'static str> {
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
        command
            .current_dir(place.join("repository"))
            .env("CODECOMPASS_HOME", place.join("home"))
            .stderr(Stdio::null());
        command
    };
    assert!(
        program()
            .arg("index")
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let mut server = program()
        .arg("serve-mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(server.stdout.take().unwrap());
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let mut receive = || {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    send(
        json!({ "jsonrpc": "2.0", "id": "initialize", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "ranking", "version": "0" } } }),
    );
    receive();
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let mut ranks = Vec::new();
    for question in questions {
        send(
            json!({ "jsonrpc": "2.0", "id": "search", "method": "tools/call", "params": {
            "name": "search_code",
            "arguments": { "query": question.text, "limit": 10, "compact": true } } }),
        );
        let answer = receive();
        let results = answer["result"]["structuredContent"]["results"]
            .as_array()
            .unwrap_or_else(|| panic!("{}: {answer}", question.text));
        let (path, name) = match question.expected.split_once(' ') {
            Some((path, name)) => (path, Some(name)),
            None => (question.expected, None),
        };
        let rank = results.iter().position(|result| {
            result["path"] == json!(format!("crates/{path}"))
                && name.is_none_or(|name| result["name"] == json!(name))
        });
        ranks.push(match rank {
            Some(0) => "1",
            Some(1..=2) => "2-3",
            Some(_) => "4-10",
            None => "none",
        });
    }
    drop(input);
    server.wait().unwrap();
    ranks
}
