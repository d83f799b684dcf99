//! What answers cost an agent in tokens, and whether they hold what was asked for.
//!
//! ```text
//! agent_cost list                          the list of tools, by contract
//! agent_cost callers QUESTIONS DIRECTORY   callers of a symbol, beside `get_call_graph`
//! agent_cost find    QUESTIONS DIRECTORY   tokens until the right function is shown, beside `search_code` and rg
//! agent_cost answers QUESTIONS DIRECTORY   the answers of `find` as JSON lines, to read what is missed
//! ```
//!
//! `QUESTIONS` is a file of JSON lines; lines of other questions are passed over.
//!
//! - callers: `{"q": "callers", "path", "line", "name", "ans": [[[path, line, start, name], ..], ..]}`
//! - find: `{"kind", "query", "functions": [{"path", "start", "end"}]}`
//!
//! rg is asked with `-n` for the word of the question that fewest lines hold. Counted are its lines
//! up to the first in the right function, and the function itself, which must be read to be seen.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use answers::grep_text::grep_disk;
use anyhow::{Context as _, bail};
use codecompass::host::{Directories, HostOptions};
use serde_json::{Value, json};
use tools::{
    AGENT, CODECOMPASS, CODEMAP, CONTRACTS, Context, LSP, Registry, ServerFacts, contract::Wire,
    tokens::count,
};

fn main() -> anyhow::Result<()> {
    let thread = std::thread::Builder::new().stack_size(engine::STACK_SIZE);
    let thread = thread.spawn(|| {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match texts.as_slice() {
            ["list"] => list(),
            ["callers", questions, directory] => callers(questions, directory),
            ["find", questions, directory] => find(questions, directory),
            ["answers", questions, directory] => answers(questions, directory),
            _ => bail!("see the first lines of crates/codecompass/examples/agent_cost.rs"),
        }
    })?;
    thread.join().expect("the thread has not panicked")
}

fn list() -> anyhow::Result<()> {
    for contract in [AGENT, CODECOMPASS, CODEMAP, LSP] {
        let registry = Registry::of(&[contract]);
        let listed = registry.entries().iter().map(|entry| {
            let mut tool = json!({
                "name": entry.portable_name,
                "description": entry.description,
                "inputSchema": entry.input_schema,
                "annotations": { "readOnlyHint": true, "openWorldHint": false },
            });
            if let Some(schema) = &entry.output_schema {
                tool["outputSchema"] = json!(schema);
            }
            tool
        });
        let listed = json!({ "tools": listed.collect::<Vec<_>>() }).to_string();
        println!(
            "{:12} {:2} tools {:6} tokens {:6} bytes",
            contract.name(),
            registry.entries().len(),
            count(&listed),
            listed.len()
        );
    }
    Ok(())
}

/// The tools over one repository, in this process.
struct Asked {
    registry: Registry,
    context: Context,
    directory: PathBuf,
}

impl Asked {
    fn new(directory: &str) -> anyhow::Result<Asked> {
        let options = HostOptions {
            workspaces: vec![PathBuf::from(directory)],
            ..HostOptions::default()
        };
        let server = ServerFacts {
            version: "0",
            started: Instant::now(),
            transport: "cli",
        };
        let asked = Asked {
            registry: Registry::of(&CONTRACTS),
            context: Context::quiet(Arc::new(Directories::new(options)?), Arc::new(server)),
            directory: PathBuf::from(directory),
        };
        let workspace = asked.context.workspace(None)?;
        workspace.index_live(false, &Default::default(), |_| ())?;
        Ok(asked)
    }

    /// What a client shows the model of an answer or an error.
    fn text(&self, tool: &str, arguments: Value) -> anyhow::Result<String> {
        let entry = self.registry.find(tool).context("no such tool")?;
        let error = match tools::invoke(entry, &self.context, arguments) {
            Ok(answer) => {
                let text = entry.contract.text(&answer, false);
                return Ok(text.unwrap_or_default().to_owned());
            }
            Err(error) => error,
        };
        Ok(match entry.contract.fail(&error, false) {
            Wire::Failure { text } => text,
            Wire::ProtocolError { message, .. } => message,
        })
    }
}

fn questions(file: &str) -> anyhow::Result<Vec<Value>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
    let rows = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok(rows.collect())
}

fn callers(file: &str, directory: &str) -> anyhow::Result<()> {
    let asked = Asked::new(directory)?;
    let (mut n_callers, mut caller_tokens, mut n_questions) = (0, 0, 0);
    let (mut tokens, mut bytes, mut json_tokens, mut json_bytes) = (0, 0, 0, 0);
    let (mut n_expected, mut n_found) = (0, 0);
    for row in questions(file)?.iter().filter(|row| row["q"] == "callers") {
        let place = format!(
            "{}:{}",
            row["path"].as_str().unwrap_or_default(),
            row["line"]
        );
        let answer = asked.text("symbol", json!({ "symbols": [place], "show": ["callers"] }))?;
        let mut path = "";
        let mut found: Vec<(&str, u64)> = Vec::new();
        for line in answer.lines() {
            if let Some(caller) = line.strip_prefix("  ") {
                n_callers += 1;
                caller_tokens += count(&format!("{line}\n"));
                let number = caller.split(' ').next().unwrap_or_default();
                found.extend(number.parse().map(|number| (path, number)));
            } else {
                path = line;
            }
        }
        let is_found = |definition: &Value| {
            let path = definition[0].as_str().unwrap_or_default();
            let lines = [definition[1].as_u64(), definition[2].as_u64()];
            found
                .iter()
                .any(|(known, line)| *known == path && lines.contains(&Some(*line)))
        };
        for group in row["ans"].as_array().into_iter().flatten() {
            n_expected += 1;
            let mut definitions = group.as_array().into_iter().flatten();
            n_found += usize::from(definitions.any(is_found));
        }
        let ask = json!({ "symbol_name": row["name"], "path": row["path"], "direction": "callers", "limit": 500 });
        let whole = asked.text("get_call_graph", ask)?;
        n_questions += 1;
        (tokens, bytes) = (tokens + count(&answer), bytes + answer.len());
        (json_tokens, json_bytes) = (json_tokens + count(&whole), json_bytes + whole.len());
    }
    println!("questions {n_questions}, callers shown {n_callers}");
    println!("expected callers on the line of their name {n_found} of {n_expected}");
    println!(
        "tokens per caller beyond its file's line {:.1}",
        caller_tokens as f64 / f64::from(n_callers.max(1))
    );
    println!(
        "symbol {tokens} tokens, {bytes} bytes; get_call_graph {json_tokens} tokens, {json_bytes} bytes"
    );
    Ok(())
}

/// What one way of asking cost, over questions of one kind.
#[derive(Default)]
struct Cost {
    tokens: usize,
    /// Until the function is shown; all of it where it never is.
    tokens_until: usize,
    bytes: usize,
    n_hits: usize,
}

impl Cost {
    fn add(&mut self, text: &str, shown_at: Option<usize>, extra: usize) {
        self.tokens += count(text) + extra;
        self.tokens_until += count(&text[..shown_at.unwrap_or(text.len())]) + extra;
        self.bytes += text.len();
        self.n_hits += usize::from(shown_at.is_some());
    }
}

fn find(file: &str, directory: &str) -> anyhow::Result<()> {
    let asked = Asked::new(directory)?;
    let mut costs: BTreeMap<String, (usize, [Cost; 3])> = BTreeMap::new();
    let (mut n_places, mut place_tokens) = (0, 0);
    for row in questions(file)? {
        let (Some(kind), Some(query)) = (row["kind"].as_str(), row["query"].as_str()) else {
            continue;
        };
        let functions = Functions::of(&row);
        if functions.0.is_empty() {
            continue;
        }
        let (n, [agent, json, rg]) = costs.entry(kind.to_owned()).or_default();
        *n += 1;
        let text = asked.text("find", json!({ "question": query }))?;
        agent.add(&text, functions.shown_in_text(&text), 0);
        let is_place = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
        n_places += text.lines().filter(is_place).count();
        place_tokens += count(&text);
        let text = asked.text("search_code", json!({ "query": query, "limit": 10 }))?;
        json.add(&text, functions.shown_in_json(&text), 0);
        let (text, shown_at) = functions.searched_with_rg(&asked.directory, query)?;
        // What rg shows is a line: the function has to be read.
        let extra = shown_at.map_or(0, |_| functions.tokens(&asked.directory));
        rg.add(&text, shown_at, extra);
    }
    println!(
        "kind     n    find: hits tokens until bytes | search_code: hits tokens until bytes | rg: hits tokens until bytes"
    );
    for (kind, (n, costs)) in &costs {
        print!("{kind:8} {n:4}");
        for cost in costs {
            print!(
                " | {:4} {:7} {:7} {:8}",
                cost.n_hits, cost.tokens, cost.tokens_until, cost.bytes
            );
        }
        println!();
    }
    println!(
        "tokens per place {:.1}",
        place_tokens as f64 / n_places.max(1) as f64
    );
    Ok(())
}

/// Every answer of `find` with its cost, and the functions that it should show.
fn answers(file: &str, directory: &str) -> anyhow::Result<()> {
    let asked = Asked::new(directory)?;
    for row in questions(file)? {
        let functions = Functions::of(&row);
        let Some(query) = row["query"].as_str().filter(|_| !functions.0.is_empty()) else {
            continue;
        };
        let text = asked.text("find", json!({ "question": query }))?;
        let shown_at = functions.shown_in_text(&text);
        let lines = text.split_inclusive('\n').map(count);
        let answer = json!({
            "kind": row["kind"],
            "query": query,
            "functions": row["functions"],
            "answer": text,
            "tokens": count(&text),
            "tokens_by_line": lines.collect::<Vec<_>>(),
            "tokens_until": shown_at.map(|at| count(&text[..at])),
        });
        println!("{answer}");
    }
    Ok(())
}

/// The functions of which one has to be shown.
struct Functions(Vec<(String, u64, u64)>);

impl Functions {
    fn of(row: &Value) -> Functions {
        let functions = row["functions"].as_array().into_iter().flatten();
        let functions = functions.filter_map(|function| {
            let path = function["path"].as_str()?.to_owned();
            Some((path, function["start"].as_u64()?, function["end"].as_u64()?))
        });
        Functions(functions.collect())
    }

    fn holds(&self, path: &str, line: u64) -> bool {
        self.0
            .iter()
            .any(|(known, start, end)| known == path && (*start..=*end).contains(&line))
    }

    /// The end of the line that shows one.
    fn shown_in_text(&self, text: &str) -> Option<usize> {
        let (mut path, mut at) = ("", 0);
        for line in text.split_inclusive('\n') {
            at += line.len();
            match line.trim_end().strip_prefix("  ") {
                None => path = line.trim_end(),
                Some(rest) => {
                    let digits: String = rest
                        .trim_start()
                        .chars()
                        .take_while(char::is_ascii_digit)
                        .collect();
                    if digits.parse().is_ok_and(|line| self.holds(path, line)) {
                        return Some(at);
                    }
                }
            }
        }
        None
    }

    fn shown_in_json(&self, text: &str) -> Option<usize> {
        let answer: Value = serde_json::from_str(text).ok()?;
        let shown = answer["results"].as_array()?.iter().find(|result| {
            let (path, line) = (result["path"].as_str(), result["line_start"].as_u64());
            self.holds(path.unwrap_or_default(), line.unwrap_or_default())
        })?;
        let id = shown["symbol_id"].as_str()?;
        text.find(id).map(|at| at + id.len())
    }

    /// The output of rg for the rarest word up to the line that is in one of the functions.
    fn searched_with_rg(
        &self,
        directory: &Path,
        query: &str,
    ) -> anyhow::Result<(String, Option<usize>)> {
        let words = answers::explore::telling_words(query);
        let mut best: Option<String> = None;
        for word in words {
            let arguments = ["-n", "-i", "-w", "-F", "-e", &word].map(OsString::from);
            let (mut out, mut errors) = (Vec::new(), Vec::new());
            // The same bytes as those of `rg --sort path`.
            grep_disk(directory, "rg", false, &arguments, (&mut out, &mut errors))?;
            let text = String::from_utf8_lossy(&out).into_owned();
            let is_better = |best: &String| text.len() < best.len();
            if !text.is_empty() && best.as_ref().is_none_or(is_better) {
                best = Some(text);
            }
        }
        let text = best.unwrap_or_default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            let mut parts = line.splitn(3, ':');
            let (path, number) = (parts.next().unwrap_or_default(), parts.next());
            if number
                .and_then(|number| number.parse().ok())
                .is_some_and(|line| self.holds(path, line))
            {
                return Ok((text, Some(at)));
            }
        }
        Ok((text, None))
    }

    /// Of the shortest function as text.
    fn tokens(&self, directory: &Path) -> usize {
        let of = |(path, start, end): &(String, u64, u64)| {
            let text = fs::read_to_string(directory.join(path)).ok()?;
            let first = (*start as usize).saturating_sub(1);
            let lines = text.lines().skip(first).take((*end as usize) - first);
            Some(count(&lines.collect::<Vec<_>>().join("\n")))
        };
        self.0.iter().filter_map(of).min().unwrap_or(0)
    }
}
