//! `codecompass hook`: adds located symbols to what an agent has just searched or been asked.
//!
//! Claude Code and Codex start it with a JSON object on stdin and read one from stdout. It never
//! fails and never blocks: whatever is odd, late or unsure ends in silence and status 0.

use std::{
    io::{Read, Write},
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use answers::{Session, explore, hints, symbol};
use clap::Args;
use engine::{Budget, SymbolId};
use serde_json::{Value, json};
use tools::{Host, agent};
use workspace::{Freshness, Workspace};

use super::Settings;
use crate::host::{Directories, HostOptions};

/// Answer the hooks of Claude Code and Codex: JSON on stdin and stdout
#[derive(Args)]
pub struct Arguments {
    /// Milliseconds after which it stays silent
    #[arg(long, value_name = "N", default_value_t = 140)]
    patience: u64,
    /// Repositories with fewer files are searched as well without it
    #[arg(long, value_name = "N", default_value_t = 150)]
    min_files: usize,
}

/// No payload of a client is longer; a longer one is not read to its end.
const MAX_PAYLOAD: u64 = 4 << 20;
/// Tokens of what is added.
const MAX_TOKENS: usize = 300;

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let patience = Duration::from_millis(arguments.patience);
    let mut payload = String::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_PAYLOAD + 1)
        .read_to_string(&mut payload);
    let is_whole = read.is_ok_and(|n_bytes| n_bytes as u64 <= MAX_PAYLOAD);
    let Some(question) = is_whole.then(|| HookQuestion::parse(&payload)).flatten() else {
        return Ok(ExitCode::SUCCESS);
    };
    let config = settings
        .config(Some(&question.directory))
        .unwrap_or_default();
    let options = HostOptions {
        workspaces: vec![question.directory.clone()],
        config,
        ..HostOptions::default()
    };
    let event = question.event.clone();
    let (sender, receiver) = mpsc::channel();
    // What takes too long is left behind: the process ends without it.
    std::thread::Builder::new()
        .stack_size(engine::STACK_SIZE)
        .spawn(move || {
            let _ = sender.send(answered(options, &question, arguments.min_files));
        })?;
    let left = patience.saturating_sub(started.elapsed());
    if let Ok(Some(text)) = receiver.recv_timeout(left) {
        let answer = json!({ "hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": text,
        } });
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
    Ok(ExitCode::SUCCESS)
}

/// What a client has done or was asked.
struct HookQuestion {
    event: String,
    directory: PathBuf,
    asked: HookText,
}

enum HookText {
    Pattern(String),
    Prompt(String),
}

impl HookQuestion {
    /// Nothing where there is nothing to add, or the payload is of another kind.
    fn parse(payload: &str) -> Option<HookQuestion> {
        let payload: Value = serde_json::from_str(payload).ok()?;
        let event = payload["hook_event_name"].as_str()?.to_owned();
        let directory = payload["cwd"].as_str().map(PathBuf::from);
        let directory = directory.or_else(|| std::env::current_dir().ok())?;
        let input = &payload["tool_input"];
        let asked = match event.as_str() {
            "UserPromptSubmit" => HookText::Prompt(payload["prompt"].as_str()?.to_owned()),
            "PostToolUse" => match payload["tool_name"].as_str()? {
                "Grep" | "grep" | "search" => {
                    HookText::Pattern(input["pattern"].as_str()?.to_owned())
                }
                "Glob" | "glob" => HookText::Pattern(stem_of_glob(input["pattern"].as_str()?)?),
                "Bash" | "bash" | "shell" | "exec_command" => {
                    HookText::Pattern(pattern_of_command(&input["command"])?)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(HookQuestion {
            event,
            directory,
            asked,
        })
    }
}

/// The name in `**/*Cart*.java`.
fn stem_of_glob(glob: &str) -> Option<String> {
    let file = glob.rsplit('/').next().unwrap_or(glob);
    let stem = file.split('.').next().unwrap_or(file).trim_matches('*');
    let is_name = stem.len() >= 3 && stem.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| stem.to_owned())
}

/// The pattern of a command that is `rg` or `grep` and nothing else.
fn pattern_of_command(command: &Value) -> Option<String> {
    let text = match command {
        Value::String(text) => text.clone(),
        // `["bash", "-lc", "rg -n total"]`.
        Value::Array(words) => words.last()?.as_str()?.to_owned(),
        _ => return None,
    };
    let mut words = agent::shell_words(text.split(['|', ';', '&']).next()?).into_iter();
    let program = words.next()?;
    let is_search = match program.rsplit('/').next()? {
        "rg" | "grep" | "egrep" | "ag" => true,
        "git" => words.next()? == "grep",
        _ => false,
    };
    if !is_search {
        return None;
    }
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" | "--regexp" => return words.next(),
            "-g" | "--glob" | "-t" | "--type" | "-A" | "-B" | "-C" | "-m" | "--include" => {
                words.next();
            }
            flag if flag.starts_with('-') => {}
            _ => return Some(word),
        }
    }
    None
}

/// What is worth adding, if anything.
fn answered(options: HostOptions, question: &HookQuestion, min_files: usize) -> Option<String> {
    let host = Directories::new(options).ok()?;
    let workspaces = host.workspaces();
    let workspace = workspaces.find(None).ok()?;
    let view = view_at_hand(&workspace)?;
    if view.snapshot.n_files() < min_files {
        return None;
    }
    let session = workspaces.session(workspace, view, Freshness::fresh(), Budget::unlimited());
    let (symbols, frames) = match &question.asked {
        HookText::Pattern(pattern) => (hints::of_pattern(&session, pattern), Vec::new()),
        HookText::Prompt(prompt) => {
            let frames = explore::frames(&session, prompt);
            (hints::of_prompt(&session, prompt), frames)
        }
    };
    let frames = frames
        .into_iter()
        .filter_map(|(file, line)| explore::symbol_at(&session, file, line));
    let mut all: Vec<SymbolId> = frames.collect();
    all.extend(symbols);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|symbol| seen.insert(*symbol));
    added(&session, &all)
}

/// The index as it is, without looking at the disk: a hint may be a moment old.
fn view_at_hand(workspace: &Arc<Workspace>) -> Option<Arc<workspace::SnapshotView>> {
    workspace.is_indexed().then(|| workspace.live())
}

fn added(session: &Session, symbols: &[SymbolId]) -> Option<String> {
    const TITLE: &str = "codecompass knows these definitions; its tools `symbol` and `find` tell callers and more:\n";
    let mut text = String::new();
    let mut n_tokens = tools::tokens::count(TITLE);
    for symbol in symbols {
        let line = format!(
            "{}:{} {}\n",
            session.path(symbol.file),
            symbol::name_line(session, *symbol),
            agent::qualified_signature(session, *symbol)
        );
        n_tokens += tools::tokens::count(&line);
        if n_tokens > MAX_TOKENS {
            break;
        }
        text += &line;
    }
    (!text.is_empty()).then(|| format!("{TITLE}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(payload: &Value) -> Option<String> {
        match HookQuestion::parse(&payload.to_string())?.asked {
            HookText::Pattern(pattern) => Some(pattern),
            HookText::Prompt(prompt) => Some(format!("prompt {prompt}")),
        }
    }

    #[test]
    fn payloads_of_both_clients_are_understood() {
        let used = |tool: &str, input: Value| json!({ "hook_event_name": "PostToolUse", "cwd": "/", "tool_name": tool, "tool_input": input });
        for (payload, expected) in [
            (used("Grep", json!({ "pattern": "total" })), Some("total")),
            (
                used("Glob", json!({ "pattern": "**/*Cart*.java" })),
                Some("Cart"),
            ),
            (used("Glob", json!({ "pattern": "**/*.java" })), None),
            (
                used("Bash", json!({ "command": "rg -n 'def total' src | head" })),
                Some("def total"),
            ),
            (
                used("Bash", json!({ "command": "grep -rn -e total ." })),
                Some("total"),
            ),
            (
                used("Bash", json!({ "command": "git grep -n total" })),
                Some("total"),
            ),
            (
                used("shell", json!({ "command": ["bash", "-lc", "rg total"] })),
                Some("total"),
            ),
            (used("Bash", json!({ "command": "cargo test total" })), None),
            (used("Bash", json!({ "command": "git log total" })), None),
            (used("Read", json!({ "file_path": "/a/b.py" })), None),
            (
                json!({ "hook_event_name": "UserPromptSubmit", "prompt": "hi" }),
                Some("prompt hi"),
            ),
            (json!({ "hook_event_name": "Stop" }), None),
            (json!({ "event": "PostToolUse" }), None),
            (json!([1, 2]), None),
        ] {
            assert_eq!(pattern(&payload).as_deref(), expected, "{payload}");
        }
        assert!(HookQuestion::parse("no JSON").is_none());
    }
}
