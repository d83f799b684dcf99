//! Every tool, on names drawn evenly from the repository.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{client::Server, percentiles, timed};

const N_FILES: usize = 60;
const SYMBOLS_PER_FILE: usize = 3;
const IDLE: Duration = Duration::from_secs(20);
const EXTENSIONS: [&str; 18] = [
    "rs", "py", "ts", "tsx", "js", "jsx", "go", "java", "cs", "c", "h", "cc", "cpp", "hpp", "rb",
    "php", "kt", "vue",
];

struct Drawn {
    name: String,
    path: String,
    symbol_id: String,
    signature: String,
    is_callable: bool,
    is_type: bool,
}

pub fn measure(program: &str, directory: &str) -> anyhow::Result<()> {
    let root = dunce::canonicalize(Path::new(directory))?;
    let mut server = Server::start(program, &root, "all", &[])?;
    let (_, first) = timed(|| server.call("locate_symbol", &json!({ "name": "main" })))?;
    println!(
        "first answer after the handshake: {:.0} ms",
        first.as_secs_f64() * 1e3
    );
    let spent = server.processor_ms();
    std::thread::sleep(IDLE);
    let share = (server.processor_ms() - spent) / IDLE.as_millis() as f64 * 100.0;
    let (resident, own) = server.memory_mb();
    println!(
        "at rest, {} s that include reading ahead: {share:.2} % of a core, {resident} MB resident, {own} MB its own",
        IDLE.as_secs()
    );
    let spent = server.processor_ms();
    std::thread::sleep(IDLE);
    println!(
        "at rest, the next {} s: {:.2} % of a core",
        IDLE.as_secs(),
        (server.processor_ms() - spent) / IDLE.as_millis() as f64 * 100.0
    );

    let files = draw_files(&root);
    let mut drawn = Vec::new();
    let mut n_calls = 0;
    let mut outlines = Vec::new();
    for path in &files {
        outlines.push(json!({ "path": path }));
        let Ok(outline) = server.call("get_file_outline", &outlines[outlines.len() - 1]) else {
            continue;
        };
        let mut symbols = Vec::new();
        collect(&outline["symbols"], path, &mut symbols);
        let step = (symbols.len() / SYMBOLS_PER_FILE).max(1);
        drawn.extend(symbols.into_iter().step_by(step).take(SYMBOLS_PER_FILE));
    }
    println!(
        "{} files and {} symbols drawn; each question twice, the second time counts\n",
        files.len(),
        drawn.len()
    );
    println!("| tool | p50 | p95 | processor time per call |\n|---|---|---|---|");
    let repository = json!(root.to_string_lossy());
    let of_all = |make: &dyn Fn(&Drawn) -> Value| drawn.iter().map(make).collect::<Vec<_>>();
    let callables = |make: &dyn Fn(&Drawn) -> Value| {
        drawn
            .iter()
            .filter(|one| one.is_callable)
            .map(make)
            .collect::<Vec<_>>()
    };
    let types = |make: &dyn Fn(&Drawn) -> Value| {
        drawn
            .iter()
            .filter(|one| one.is_type)
            .map(make)
            .collect::<Vec<_>>()
    };
    let codemap = |one: &Drawn, mut more: Value| {
        more["repo_path"] = repository.clone();
        more["symbol_id"] = json!(one.symbol_id);
        more
    };
    let questions: Vec<(&str, &str, Vec<Value>)> = vec![
        ("get_file_outline", "", outlines),
        (
            "locate_symbol",
            "",
            of_all(&|one| json!({ "name": one.name })),
        ),
        (
            "search_code",
            "names",
            of_all(&|one| json!({ "query": one.name })),
        ),
        (
            "search_code",
            "prose",
            of_all(&|one| json!({ "query": prose(one) })),
        ),
        (
            "get_code_context",
            "",
            of_all(&|one| json!({ "query": prose(one) })),
        ),
        (
            "find_references",
            "",
            of_all(&|one| json!({ "symbol_name": one.symbol_id })),
        ),
        (
            "get_call_graph",
            "depth 1",
            callables(&|one| json!({ "symbol_name": one.symbol_id })),
        ),
        (
            "get_call_graph",
            "callers, depth 5",
            callables(
                &|one| json!({ "symbol_name": one.symbol_id, "direction": "callers", "depth": 5 }),
            ),
        ),
        (
            "get_symbol_hierarchy",
            "",
            of_all(&|one| json!({ "symbol_name": one.symbol_id })),
        ),
        (
            "find_related_symbols",
            "",
            of_all(&|one| json!({ "symbol_name": one.symbol_id })),
        ),
        (
            "index.ensure_baseline",
            "unchanged",
            vec![json!({ "repo_path": repository }); 40],
        ),
        (
            "symbols.search",
            "",
            of_all(&|one| json!({ "repo_path": repository, "query": one.name })),
        ),
        (
            "symbols.get_card",
            "",
            of_all(&|one| codemap(one, json!({}))),
        ),
        ("refs.find", "", of_all(&|one| codemap(one, json!({})))),
        (
            "graph.callers",
            "depth 2",
            callables(&|one| codemap(one, json!({ "depth": 2 }))),
        ),
        (
            "graph.callees",
            "depth 2",
            callables(&|one| codemap(one, json!({ "depth": 2 }))),
        ),
        ("types.hierarchy", "", types(&|one| codemap(one, json!({})))),
        (
            "graph.trace_feature",
            "depth 3",
            callables(
                &|one| json!({ "repo_path": repository, "entry_point": one.symbol_id, "depth": 3 }),
            ),
        ),
    ];
    let mut failures = Vec::new();
    for (tool, how, asked) in &questions {
        let mut answerable = Vec::new();
        for arguments in asked {
            n_calls += 1;
            match server.call(tool, arguments) {
                Ok(_) => answerable.push(arguments),
                Err(error) => failures.push(error.to_string()),
            }
        }
        if answerable.is_empty() {
            continue;
        }
        let spent = server.processor_ms();
        let mut times = Vec::new();
        for arguments in &answerable {
            n_calls += 1;
            times.push(timed(|| server.call(tool, arguments))?.1);
        }
        let spent = (server.processor_ms() - spent) / answerable.len() as f64;
        let (p50, p95) = percentiles(times);
        println!(
            "| {tool}{}{how} | {p50:.2} ms | {p95:.2} ms | {spent:.2} ms |",
            if how.is_empty() { "" } else { ", " }
        );
    }
    measure_refresh(&mut server, &root, &files)?;
    let (resident, own) = server.memory_mb();
    println!(
        "\nafter {n_calls} calls: {resident} MB resident, {own} MB its own; {} calls refused",
        failures.len()
    );
    for failure in failures.iter().take(20) {
        println!("refused: {}", failure.chars().take(300).collect::<String>());
    }
    Ok(())
}

/// One file at a time is edited, taken into an overlay, and put back.
fn measure_refresh(server: &mut Server, root: &Path, files: &[String]) -> anyhow::Result<()> {
    let place = root.to_string_lossy();
    server.call(
        "workspace.create",
        &json!({ "repo_path": place, "workspace_id": "latency", "solution_path": place }),
    )?;
    let refresh = json!({ "repo_path": place, "workspace_id": "latency" });
    server.call("index.refresh_overlay", &refresh)?;
    let (mut times, spent) = (Vec::new(), server.processor_ms());
    for path in files.iter().take(20) {
        let full = root.join(path);
        let before = std::fs::read(&full)?;
        std::fs::write(&full, [&before[..], b"\n"].concat())?;
        let refreshed = timed(|| server.call("index.refresh_overlay", &refresh));
        std::fs::write(&full, &before)?;
        times.push(refreshed?.1);
    }
    let n_calls = times.len() as f64;
    let (p50, p95) = percentiles(times);
    println!(
        "| index.refresh_overlay, one edit | {p50:.2} ms | {p95:.2} ms | {:.2} ms |",
        (server.processor_ms() - spent) / n_calls
    );
    server.call("workspace.delete", &refresh)?;
    Ok(())
}

fn collect(symbols: &Value, path: &str, into: &mut Vec<Drawn>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let text = |key: &str| symbol[key].as_str().unwrap_or_default().to_owned();
        let kind = text("kind");
        let (is_callable, is_type) = (
            matches!(kind.as_str(), "fn" | "method" | "constructor"),
            matches!(
                kind.as_str(),
                "class" | "struct" | "interface" | "trait" | "enum" | "record"
            ),
        );
        if (is_callable || is_type) && symbol["symbol_id"].is_string() {
            let drawn = Drawn {
                name: text("name"),
                path: path.to_owned(),
                symbol_id: text("symbol_id"),
                signature: text("signature"),
                is_callable,
                is_type,
            };
            into.push(drawn);
        }
        collect(&symbol["children"], path, into);
    }
}

/// A question in words, from the words of a signature and its path.
fn prose(one: &Drawn) -> String {
    let mut words = String::new();
    for c in format!(
        "{} {}",
        one.path.rsplit('/').next().unwrap_or_default(),
        one.signature
    )
    .chars()
    {
        if c.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.push(if c.is_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            ' '
        });
    }
    let words: Vec<&str> = words.split_whitespace().take(9).collect();
    format!("where does it handle {}", words.join(" "))
}

/// Files of code, evenly over the whole tree in order of path.
fn draw_files(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir().into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && !name.to_string_lossy().starts_with('.') {
                directories.push(path);
            } else if kind.is_file()
                && is_code(&path)
                && (500..200_000).contains(&entry.metadata().map_or(0, |metadata| metadata.len()))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    let step = (found.len() / N_FILES).max(1);
    let below = |path: PathBuf| {
        path.strip_prefix(root)
            .ok()
            .map(|path| path.to_string_lossy().into_owned())
    };
    found
        .into_iter()
        .step_by(step)
        .take(N_FILES)
        .filter_map(below)
        .collect()
}

fn is_code(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| EXTENSIONS.contains(&extension))
}
