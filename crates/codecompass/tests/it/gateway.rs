//! The LSP gateway as a client meets it: the real program over stdio, with real language servers
//! (`tests/language-servers/install.sh` installs them) and with servers that behave badly. What the
//! index answers is tested in `crates/tools/src/lsp/tests`.
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// One language with its server, a small project, and what is asked of it.
struct Language {
    server: &'static str,
    /// What must be installed.
    program: &'static str,
    files: &'static str,
    /// The file and line of a call, with `$0` where it is asked about.
    call: (&'static str, &'static str),
    /// `path:line:character` of its definition.
    definition: &'static str,
    references: &'static [&'static str],
    hover: &'static str,
    /// A name and its container in the file of the definition.
    outline: (&'static str, Option<&'static str>),
    /// A name to look for, and the file that has it.
    symbol: (&'static str, &'static str),
    /// A file and an edit of it that puts an error on a line.
    broken: (&'static str, &'static str, u64),
}

const PYTHON: Language = Language {
    server: "basedpyright",
    program: "basedpyright-langserver",
    files: "\
//- pyproject.toml
[project]
name = 'shop'
//- shop/__init__.py
//- shop/tax.py
def tax_rate(country: str) -> float:
    '''The tax of a country.'''
    return {'de': 1.19}[country]
//- app.py
import json
from shop.tax import tax_rate

crab = '🦀'; rate = tax_rate('de')
json.dumps(rate)
",
    call: ("app.py", "rate = tax_$0rate('de')"),
    definition: "shop/tax.py:0:4",
    references: &["app.py:1:21", "app.py:3:20"],
    hover: "The tax of a country.",
    outline: ("tax_rate", None),
    symbol: ("tax_rate", "shop/tax.py"),
    broken: (
        "app.py",
        "from shop.tax import tax_rate\n\nx: str = tax_rate('de')\n",
        2,
    ),
};

const TYPESCRIPT: Language = Language {
    server: "typescript-language-server",
    program: "typescript-language-server",
    files: "\
//- package.json
{ \"name\": \"shop\" }
//- tsconfig.json
{ \"compilerOptions\": { \"strict\": true, \"module\": \"nodenext\" }, \"include\": [\"*.ts\"] }
//- tax.ts
/** The tax of a country. */
export function taxRate(country: string): number {
    return country.length;
}
//- app.ts
import { taxRate } from './tax.js';

const crab = '🦀'; export const rate: number = taxRate('de');
",
    call: ("app.ts", "= tax$0Rate('de')"),
    definition: "tax.ts:1:16",
    references: &["app.ts:0:9", "app.ts:2:47"],
    hover: "The tax of a country.",
    outline: ("taxRate", None),
    symbol: ("taxRate", "tax.ts"),
    broken: (
        "app.ts",
        "import { taxRate } from './tax.js';\n\nexport const rate: string = taxRate('de');\n",
        2,
    ),
};

const GO: Language = Language {
    server: "gopls",
    program: "gopls",
    files: "\
//- go.mod
module shop

go 1.21
//- tax.go
package shop

// TaxRate is the tax of a country.
func TaxRate(country string) float64 {
\treturn float64(len(country))
}
//- app.go
package shop

var Crab, Rate = \"🦀\", TaxRate(\"de\")
",
    call: ("app.go", "Tax$0Rate(\"de\")"),
    definition: "tax.go:3:5",
    references: &["app.go:2:23"],
    hover: "TaxRate is the tax of a country.",
    outline: ("TaxRate", None),
    symbol: ("TaxRate", "tax.go"),
    broken: (
        "app.go",
        "package shop\n\nvar Rate string = TaxRate(\"de\")\n",
        2,
    ),
};

const CPLUSPLUS: Language = Language {
    server: "clangd",
    program: "clangd",
    files: "\
//- compile_commands.json
[{ \"directory\": \"{root}\", \"file\": \"{root}/app.cpp\", \"command\": \"c++ -std=c++17 -c app.cpp\" }]
//- tax.h
#pragma once
/// The tax of a country.
inline double tax_rate(int country) { return country * 0.19; }
//- app.cpp
#include \"tax.h\"
const char *crab = \"🦀\"; double rate = tax_rate(49);
",
    call: ("app.cpp", "= tax_$0rate(49)"),
    definition: "tax.h:2:14",
    references: &["app.cpp:1:39"],
    hover: "The tax of a country.",
    outline: ("tax_rate", None),
    symbol: ("tax_rate", "tax.h"),
    broken: ("app.cpp", "#include \"tax.h\"\nint *rate = tax_rate(49);\n", 1),
};

const RUST: Language = Language {
    server: "rust-analyzer",
    program: "rust-analyzer",
    files: "\
//- Cargo.toml
[package]
name = \"shop\"
version = \"0.1.0\"
edition = \"2021\"
//- Cargo.lock
version = 3

[[package]]
name = \"shop\"
version = \"0.1.0\"
//- src/lib.rs
mod tax;

pub fn rate() -> f64 {
    let _crab = \"🦀\"; tax::tax_rate(\"de\")
}
//- src/tax.rs
/// The tax of a country.
pub fn tax_rate(country: &str) -> f64 {
    country.len() as f64
}
",
    call: ("src/lib.rs", "tax::tax_$0rate(\"de\")"),
    definition: "src/tax.rs:1:7",
    references: &["src/lib.rs:3:27"],
    hover: "The tax of a country.",
    outline: ("tax_rate", None),
    symbol: ("tax_rate", "src/tax.rs"),
    broken: (
        "src/lib.rs",
        "mod tax;\n\npub fn rate() -> f64 {\n    tax::tax_rate(\"de\"\n}\n",
        3,
    ),
};

#[test]
fn python_is_served_by_basedpyright() {
    check(&PYTHON);
}

#[test]
fn typescript_is_served_by_typescript_language_server() {
    check(&TYPESCRIPT);
}

#[test]
fn go_is_served_by_gopls() {
    check(&GO);
}

#[test]
fn cplusplus_is_served_by_clangd() {
    check(&CPLUSPLUS);
}

#[test]
fn rust_is_served_by_rust_analyzer() {
    check(&RUST);
}

/// Every tool on one language: the index while its server starts, then the server, then the server
/// after an edit behind its back.
#[track_caller]
fn check(language: &Language) {
    let Some(mut session) = with_server(language, &[]) else {
        return;
    };
    let (path, line) = language.call;
    let first = session.answer("definition", session.at(path, line));
    assert_eq!(
        session.places(&first["locations"]),
        [language.definition],
        "{first}"
    );
    let next = ask_everything(&mut session, language, language.server);
    let name = format!("Provider: {}", language.server);

    // An error written behind the server's back, and what it caused.
    let (path, text, line) = language.broken;
    let document = json!({ "uri": session.uri(path) });
    let clean = session.served("diagnostics.document", document.clone());
    session.write(path, text);
    let caused = session.served_until(
        "diagnostics.document",
        with(&document, json!({ "since": clean["token"] })),
        |answer| {
            answer["diagnostics"]
                .as_array()
                .unwrap()
                .iter()
                .any(|one| one["severity"] == 1 && one["range"]["start"]["line"] == line)
        },
    );
    assert!(summary(&caused).contains(&name), "{caused}");
    let everywhere = session.served_until("diagnostics.workspace", json!({}), |answer| {
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|file| file["uri"] == document["uri"])
    });
    assert!(summary(&everywhere).contains(&name), "{everywhere}");
    assert_eq!(
        session.code("references", next),
        "CURSOR_STALE",
        "no page across an edit"
    );
}

#[test]
fn the_index_answers_the_same_questions_alike() {
    for language in [&PYTHON, &TYPESCRIPT, &GO, &CPLUSPLUS, &RUST] {
        let mut session = Session::start(
            vec![project(language.files)],
            None,
            "",
            &["--trust", "--lsp-provider", "index"],
        );
        let next = ask_everything(&mut session, language, "index");
        // Of an edit the parser sees what is wrong with the syntax.
        let (path, _) = language.call;
        let document = json!({ "uri": session.uri(path) });
        let clean = session.answer("diagnostics.document", document.clone());
        assert_eq!(clean["diagnostics"], json!([]), "{clean}");
        let text = std::fs::read_to_string(session.roots[0].join(path)).unwrap();
        session.write(path, &format!("{text}\n) ( }} {{\n"));
        let caused = session.answer(
            "diagnostics.document",
            with(&document, json!({ "since": clean["token"] })),
        );
        assert_ne!(
            caused["diagnostics"],
            json!([]),
            "{}: {caused}",
            language.server
        );
        assert_eq!(
            session.answer("diagnostics.workspace", json!({}))["items"][0]["uri"],
            document["uri"]
        );
        assert_eq!(
            session.code("references", next),
            "CURSOR_STALE",
            "no page across an edit"
        );
    }
}

/// Everything but diagnostics, of one provider. Returns what asked for the second page of a list.
#[track_caller]
fn ask_everything(session: &mut Session, language: &Language, provider: &str) -> Value {
    let name = format!("Provider: {provider}");
    let by = |session: &mut Session, tool: &str, arguments: &Value| {
        session.until(tool, arguments.clone(), |answer| {
            summary(answer).contains(&name)
        })
    };
    let (path, line) = language.call;
    let at = session.at(path, line);
    let definition = by(session, "definition", &at);
    assert_eq!(
        session.places(&definition["locations"]),
        [language.definition]
    );

    let references = by(session, "references", &at);
    assert_eq!(
        session.places(&references["items"]),
        language.references,
        "{references}"
    );
    let with_declaration = by(
        session,
        "references",
        &with(&at, json!({ "includeDeclaration": true })),
    );
    assert!(
        session
            .places(&with_declaration["items"])
            .iter()
            .any(|place| place == language.definition),
        "{with_declaration}"
    );
    let (paged, next) = session.paged(&at, &name);
    assert_eq!(
        &paged,
        with_declaration["items"].as_array().unwrap(),
        "pages make up the whole"
    );

    let hover = by(session, "hover", &at);
    assert!(
        hover["contents"].to_string().contains(language.hover),
        "{hover}"
    );
    let (defined_in, _) = language.definition.split_once(':').unwrap();
    let outline = by(
        session,
        "documentSymbols",
        &json!({ "uri": session.uri(defined_in) }),
    );
    let (symbol, container) = language.outline;
    let is_it = |one: &&Value| {
        one["name"]
            .as_str()
            .is_some_and(|name| name.trim_end_matches("()").ends_with(symbol))
    };
    let found = outline["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{outline}"));
    assert_eq!(
        found.get("containerName").and_then(Value::as_str),
        container,
        "{found}"
    );
    let (query, file) = language.symbol;
    let symbols = by(session, "workspaceSymbols", &json!({ "query": query }));
    assert!(
        symbols["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["location"]["uri"] == session.uri(file)),
        "{symbols}"
    );
    for tool in ["definition", "references", "hover"] {
        let (one, other) = (by(session, tool, &at), by(session, tool, &at));
        assert_eq!(
            one.to_string(),
            other.to_string(),
            "{tool}: the same bytes on repeat"
        );
    }
    next
}

#[test]
fn a_definition_in_a_library_outside_the_roots_is_left_out() {
    let Some(mut session) = with_server(&PYTHON, &[]) else {
        return;
    };
    let answer = session.served("definition", session.at("app.py", "json.dum$0ps"));
    assert_eq!(answer["locations"], json!([]), "{answer}");
}

#[test]
fn a_change_of_provider_makes_cursors_stale() {
    let Some(mut session) = with_server(&PYTHON, &[]) else {
        return;
    };
    let page = |session: &Session, cursor: &Value| {
        with(
            &session.at("shop/tax.py", "def tax_$0rate"),
            json!({ "pageSize": 1, "cursor": cursor }),
        )
    };
    let from_index = session.answer("references", page(&session, &Value::Null));
    assert!(
        summary(&from_index).contains("Provider: index"),
        "{from_index}"
    );
    session.served("hover", session.at("app.py", "rate = tax_$0rate"));
    let stale = page(&session, &from_index["nextCursor"]);
    assert_eq!(session.code("references", stale), "CURSOR_STALE");
}

#[test]
fn a_server_killed_in_the_middle_is_replaced_by_the_index_and_comes_back() {
    let Some(mut session) = with_server(&PYTHON, &[]) else {
        return;
    };
    let (path, line) = PYTHON.call;
    let at = session.at(path, line);
    session.served("definition", at.clone());
    let status = session.command(&["lsp", "status", "--json"]);
    let process = status[0]["servers"][0]["process"].as_u64().unwrap();
    assert_eq!(status[0]["servers"][0]["state"], "ready", "{status}");
    Command::new("kill")
        .args(["-9", &process.to_string()])
        .status()
        .unwrap();
    let between = session.answer("definition", at.clone());
    assert_eq!(
        session.places(&between["locations"]),
        [PYTHON.definition],
        "{between}"
    );
    session.served("definition", at.clone());
    let status = session.command(&["lsp", "status", "--json"]);
    assert_ne!(
        status[0]["servers"][0]["process"],
        json!(process),
        "{status}"
    );
    assert_eq!(status[0]["servers"][0]["crashes"], 1, "{status}");

    // Stopped it stays so, and the index answers; restarted it serves again.
    assert_eq!(
        session.command(&["lsp", "stop", "basedpyright", "--json"])[0]["n_changed"],
        1
    );
    let answer = session.answer("definition", at.clone());
    assert!(
        summary(&answer).contains("Provider: index (the language server was stopped)"),
        "{answer}"
    );
    assert_eq!(
        session.command(&["lsp", "restart", "--json"])[0]["n_changed"],
        1
    );
    session.served("definition", at);
}

#[test]
fn two_roots_have_two_servers() {
    let Some(servers) = installed(PYTHON.program) else {
        return;
    };
    let (one, two) = (project(PYTHON.files), project(PYTHON.files));
    let mut session = Session::start(vec![one, two], Some(&servers), "", &["--trust"]);
    for root in [0, 1] {
        let at = session.at_root(root, "app.py", "rate = tax_$0rate('de')");
        let answer = session.served("definition", at);
        let place = answer["locations"][0]["uri"].as_str().unwrap();
        assert!(place.starts_with(&session.root_uri(root)), "{answer}");
    }
    let symbols = session.served("workspaceSymbols", json!({ "query": "tax_rate" }));
    let files: BTreeSet<String> = symbols["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["location"]["uri"].to_string())
        .collect();
    assert_eq!(files.len(), 2, "{symbols}");
}

#[test]
fn without_trust_no_server_starts_and_trust_needs_no_restart() {
    let Some(mut session) = with_server(&PYTHON, &["--no-trust-here"]) else {
        return;
    };
    let (path, line) = PYTHON.call;
    let at = session.at(path, line);
    for _ in 0..3 {
        assert!(summary(&session.answer("definition", at.clone())).ends_with("Provider: index."));
    }
    let root = session.roots[0].to_str().unwrap().to_owned();
    run(session.home.path(), &["trust", &root]);
    session.served("definition", at.clone());

    // Taken back, the server ends, whether or not anybody asks again.
    let pool = processes_naming(&root);
    assert!(!pool.is_empty());
    run(session.home.path(), &["trust", "--remove", &root]);
    let end = Instant::now() + Duration::from_secs(60);
    while processes_naming(&root)
        .iter()
        .any(|process| *process != session.child.id())
    {
        assert!(
            Instant::now() < end,
            "still running: {:?}",
            processes_naming(&root)
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(summary(&session.answer("definition", at)).ends_with("Provider: index."));
    assert_eq!(
        session.command_or_nothing(&["lsp", "status", "--json"])[0]["servers"],
        json!([])
    );
}

#[test]
fn kill_9_leaves_nothing_of_typescript_language_server() {
    let Some(mut session) = with_server(&TYPESCRIPT, &[]) else {
        return;
    };
    let (path, line) = TYPESCRIPT.call;
    session.served("definition", session.at(path, line));
    let name = session.roots[0].to_string_lossy().into_owned();
    // The guard, the server, and tsserver below it, perhaps twice.
    let before = processes_naming(&name);
    assert!(before.len() >= 4, "{before:?}");
    session.child.kill().unwrap();
    session.child.wait().unwrap();
    let killed = Instant::now();
    while !processes_naming(&name).is_empty() {
        assert!(
            killed.elapsed() < Duration::from_secs(2),
            "left after 2 s: {:?}",
            processes_naming(&name)
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_that_never_answers_leaves_the_answer_to_the_index() {
    let mut session = Session::start(
        vec![project(FAKE)],
        None,
        &fake("never-answers"),
        &["--trust"],
    );
    let at = session.at("a.py", "cal$0led()");
    let answer = session.until("definition", at.clone(), |answer| {
        summary(answer).contains("fake did not answer in time")
    });
    assert_eq!(session.places(&answer["locations"]), ["a.py:0:4"]);
    // It is not waited for a second time, until it shows that it lives.
    for tool in ["definition", "hover", "documentSymbols"] {
        let arguments = if tool == "documentSymbols" {
            json!({ "uri": at["uri"] })
        } else {
            at.clone()
        };
        let answer = session.answer(tool, arguments);
        assert!(
            summary(&answer).contains("Provider: index (the language server does not answer)"),
            "{tool}: {answer}"
        );
    }
    assert_eq!(
        session.command(&["lsp", "status", "--json"])[0]["servers"][0]["state"],
        "does not answer"
    );
    drop(session);
    let mut session = Session::start(
        vec![project(FAKE)],
        None,
        &fake("never-answers"),
        &["--trust", "--lsp-provider", "lsp"],
    );
    assert_eq!(
        session.code("definition", session.at("a.py", "cal$0led()")),
        "CAP_EXCEEDED"
    );
}

#[test]
fn a_server_that_answers_late_is_asked_again_then() {
    let mut session = Session::start(vec![project(FAKE)], None, &fake("late"), &["--trust"]);
    let at = session.at("a.py", "cal$0led()");
    session.until("definition", at.clone(), |answer| {
        summary(answer).contains("fake did not answer in time")
    });
    let answer = session.answer("definition", at.clone());
    assert!(
        summary(&answer).contains("Provider: index (the language server does not answer)"),
        "{answer}"
    );
    session.write("answer-now", "");
    session.served("definition", at);
    assert_eq!(
        session.command(&["lsp", "status", "--json"])[0]["servers"][0]["state"],
        "ready"
    );
}

/// What a server may send is cut or refused as the contract says, each in its way.
#[test]
fn the_caps_hold_whatever_a_server_sends() {
    let files = "//- a.py\n300 9000\n20001\n//- many.py\n20001\n";
    let mut session = Session::start(vec![project(files)], None, &fake("plenty"), &["--trust"]);
    let at = |session: &Session, line: u64| json!({ "uri": session.uri("a.py"), "position": { "line": line, "character": 0 } });
    let n_items = |answer: &Value, list: &str| answer[list].as_array().unwrap().len();

    let definition = session.served("definition", at(&session, 0));
    assert_eq!(
        (n_items(&definition, "locations"), summary(&definition)),
        (200, "Found 200 definitions. (Capped.) Provider: fake.")
    );
    let outline = session.served("documentSymbols", json!({ "uri": session.uri("a.py") }));
    assert_eq!(
        (n_items(&outline, "symbols"), summary(&outline)),
        (
            200,
            "Returned 200 document symbols. (Capped.) Provider: fake."
        )
    );
    assert_eq!(
        session.refused("documentSymbols", json!({ "uri": session.uri("many.py") })),
        "CAP_EXCEEDED"
    );

    let references = session.served(
        "references",
        with(&at(&session, 0), json!({ "pageSize": 10_000 })),
    );
    assert_eq!(n_items(&references, "items"), 200);
    assert!(
        summary(&references).contains("next page available"),
        "{}",
        summary(&references)
    );
    assert_eq!(
        session.refused("references", at(&session, 1)),
        "CAP_EXCEEDED"
    );

    let hover = session.served("hover", at(&session, 0));
    assert_eq!(n_items(&hover, "contents"), 8);
    assert!(
        hover["contents"]
            .as_array()
            .unwrap()
            .iter()
            .all(|fragment| fragment["value"].as_str().unwrap().chars().count() == 8_192)
    );
    assert_eq!(
        summary(&hover),
        "Hover available. (Truncated.) Provider: fake."
    );

    let document = session.served(
        "diagnostics.document",
        json!({ "uri": session.uri("a.py") }),
    );
    assert_eq!(
        (n_items(&document, "diagnostics"), summary(&document)),
        (200, "Returned 200 diagnostics. (Capped.) Provider: fake.")
    );
    let workspace = session.served_until("diagnostics.workspace", json!({}), |answer| {
        n_items(answer, "items") == 2
    });
    assert!(
        workspace["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|file| n_items(file, "diagnostics") == 200)
    );
    assert!(
        summary(&workspace).starts_with("Returned diagnostics for 2 files (Capped)."),
        "{}",
        summary(&workspace)
    );

    let symbols = session.served("workspaceSymbols", json!({ "query": "300 5" }));
    assert_eq!(
        (n_items(&symbols, "items"), summary(&symbols)),
        (
            100,
            "Returned 100 workspace symbols (next page available). Provider: fake."
        )
    );
    assert_eq!(
        session.refused("workspaceSymbols", json!({ "query": "20001 5" })),
        "CAP_EXCEEDED"
    );
    // 100 of these make more than 512 KiB; all of the others together more than is kept.
    assert_eq!(
        session.refused("workspaceSymbols", json!({ "query": "100 6000" })),
        "CAP_EXCEEDED"
    );
    assert_eq!(
        session.refused("workspaceSymbols", json!({ "query": "3000 4000" })),
        "SNAPSHOT_TOO_LARGE"
    );
}

#[test]
fn stricter_caps_are_kept() {
    let files = format!(
        "//- a.py\ndef called(): ...\n{}//- many.py\n{}",
        "called()\n".repeat(30),
        "def f(): ...\n".repeat(30)
    );
    let set = [
        "--set",
        "lsp.max_items=10",
        "--set",
        "lsp.max_response_bytes=16384",
    ];
    let mut session = Session::start(vec![project(&files)], None, "", &set);
    let outline = session.answer("documentSymbols", json!({ "uri": session.uri("many.py") }));
    assert_eq!(outline["symbols"].as_array().unwrap().len(), 10);
    assert!(summary(&outline).contains("(Capped.)"), "{outline}");
    let page = session.answer(
        "references",
        with(
            &session.at("a.py", "def cal$0led"),
            json!({ "pageSize": 200 }),
        ),
    );
    assert_eq!(page["items"].as_array().unwrap().len(), 10);
    // A server still has its share of a short time.
    let mut session = Session::start(
        vec![project(FAKE)],
        None,
        &fake("outside"),
        &["--trust", "--set", "lsp.request_timeout_ms=700"],
    );
    session.served("definition", session.at("a.py", "cal$0led()"));
    let long = format!("//- a.py\nclass {}: ...\n", "a".repeat(9_000));
    let mut session = Session::start(vec![project(&long)], None, "", &set);
    assert_eq!(
        session.code("documentSymbols", json!({ "uri": session.uri("a.py") })),
        "CAP_EXCEEDED"
    );
}

#[test]
fn the_index_is_named_where_it_has_answered_beside_a_server() {
    let mut session = Session::start(
        vec![project("//- a.py\n1\n//- b.rb\ndef f(\n")],
        None,
        &fake("plenty"),
        &["--trust"],
    );
    session.served(
        "definition",
        json!({ "uri": session.uri("a.py"), "position": { "line": 0, "character": 0 } }),
    );
    let answer = session.served_until("diagnostics.workspace", json!({}), |answer| {
        answer["items"].as_array().unwrap().len() == 2
    });
    assert!(
        summary(&answer).contains("Provider: fake, index"),
        "{answer}"
    );
    // It looked through the Ruby files, which no server knows, and found nothing.
    let answer = session.served("workspaceSymbols", json!({ "query": "3 5" }));
    assert!(
        summary(&answer).ends_with("Provider: fake, index."),
        "{answer}"
    );
}

#[test]
fn a_server_that_is_still_loading_is_not_believed() {
    let mut session = Session::start(vec![project(FAKE)], None, &fake("loads"), &["--trust"]);
    let at = session.at("a.py", "cal$0led()");
    let (mut loading, end) = (0, Instant::now() + Duration::from_secs(60));
    loop {
        let answer = session.answer("definition", at.clone());
        if summary(&answer).contains("Provider: fake") {
            break;
        }
        assert_eq!(
            session.places(&answer["locations"]),
            ["a.py:0:4"],
            "{answer}"
        );
        loading += usize::from(
            summary(&answer).contains("starting") || summary(&answer).contains("loading"),
        );
        assert!(Instant::now() < end, "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(loading > 0, "the answers meanwhile said why");
}

#[test]
fn locations_outside_the_roots_are_dropped() {
    let mut session = Session::start(vec![project(FAKE)], None, &fake("outside"), &["--trust"]);
    let at = session.at("a.py", "cal$0led()");
    let answer = session.served("definition", at);
    assert_eq!(
        session.places(&answer["locations"]),
        ["a.py:0:0"],
        "{answer}"
    );
}

#[test]
fn a_flood_of_diagnostics_costs_no_answer() {
    let mut session = Session::start(vec![project(FAKE)], None, &fake("floods"), &["--trust"]);
    let at = session.at("a.py", "cal$0led()");
    session.served("definition", at);
    // What the flood is about lies outside the roots; it never settles, so the parser answers for
    // the file.
    for _ in 0..3 {
        let answer = session.answer(
            "diagnostics.document",
            json!({ "uri": session.uri("a.py") }),
        );
        assert_eq!(answer["diagnostics"], json!([]), "{answer}");
        let answer = session.answer("diagnostics.workspace", json!({}));
        assert_eq!(answer["items"], json!([]), "{answer}");
    }
}

#[test]
fn the_strict_list_is_the_documents() {
    let mut session = Session::start(vec![project(FAKE)], None, "", &["--strict-contract"]);
    let list = session.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/tools");
    let read = |file: String| -> Value {
        serde_json::from_slice(&std::fs::read(directory.join(file)).unwrap()).unwrap()
    };
    assert_eq!(tools.len(), 7);
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        for (key, file) in [
            ("inputSchema", format!("{name}.json")),
            ("outputSchema", format!("{name}.output.json")),
        ] {
            let mut expected = read(file);
            ["$schema", "$id", "title"]
                .iter()
                .for_each(|key| _ = expected.as_object_mut().unwrap().shift_remove(*key));
            assert_eq!(
                tool[key]["properties"], expected["properties"],
                "{name} {key}"
            );
        }
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
    }
    let reply = session.call("vscode.lsp.definition", session.at("a.py", "cal$0led()"));
    assert_eq!(reply["result"]["content"], json!([]), "{reply}");
    assert_eq!(reply["result"]["isError"], false, "{reply}");
    let reply = session.call(
        "vscode.lsp.documentSymbols",
        json!({ "uri": "http://elsewhere/a.py" }),
    );
    assert_eq!(
        (&reply["error"]["code"], &reply["error"]["data"]["code"]),
        (&json!(-32602), &json!("MCP_LSP_GATEWAY/URI_INVALID"))
    );
}

const FAKE: &str = "//- a.py\ndef called(): ...\ncalled()\n";

/// A list of servers with one that behaves as the testbed's word says.
fn fake(behaviour: &str) -> String {
    let testbed = Path::new(env!("CARGO_BIN_EXE_codecompass"))
        .with_file_name("examples")
        .join("language_servers_testbed");
    assert!(
        testbed.is_file(),
        "`cargo test -p codecompass` builds it, `--test it` alone does not: {}",
        testbed.display()
    );
    let others = ["basedpyright", "pyright", "ty", "pylsp"]
        .map(|name| format!("[[server]]\nname = '{name}'\nenabled = false\n"));
    format!(
        "[[server]]\nname = 'fake'\nlanguage = 'python'\ncommand = '{}'\nargs = ['serve', '{behaviour}']\nextensions = {{ py = 'python' }}\n\
         ready = '{}'\n{}",
        testbed.display(),
        if behaviour == "loads" {
            "progress"
        } else {
            "first-response"
        },
        others.concat()
    )
}

fn summary(answer: &Value) -> &str {
    answer["summary"].as_str().unwrap()
}

fn with(arguments: &Value, more: Value) -> Value {
    let mut arguments = arguments.clone();
    arguments
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    arguments
}

fn project(files: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = dunce::canonicalize(directory.path()).unwrap();
    for file in files.split("//- ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        let path = root.join(path.trim());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace("{root}", &root.to_string_lossy())).unwrap();
    }
    directory
}

/// Where the real servers are, or `None` with a note when nobody asked for these tests.
#[track_caller]
fn installed(program: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("CODECOMPASS_LANGUAGE_SERVERS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/language-servers/bin"),
        PathBuf::from,
    );
    if directory.join(program).exists() {
        return Some(dunce::canonicalize(&directory).unwrap());
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

/// A session over a language's project, trusted unless told otherwise.
#[track_caller]
fn with_server(language: &Language, arguments: &[&str]) -> Option<Session> {
    let servers = installed(language.program)?;
    let arguments = if arguments == ["--no-trust-here"] {
        &[][..]
    } else {
        &["--trust"]
    };
    Some(Session::start(
        vec![project(language.files)],
        Some(&servers),
        "",
        arguments,
    ))
}

/// A running server and its client.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    home: TempDir,
    roots: Vec<PathBuf>,
    _projects: Vec<TempDir>,
    n_requests: u64,
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Session {
    fn start(
        projects: Vec<TempDir>,
        servers: Option<&Path>,
        list: &str,
        arguments: &[&str],
    ) -> Session {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("config")).unwrap();
        std::fs::write(home.path().join("config/language-servers.toml"), list).unwrap();
        let roots: Vec<PathBuf> = projects
            .iter()
            .map(|project| dunce::canonicalize(project.path()).unwrap())
            .collect();
        for root in &roots {
            run(home.path(), &["index", "--path", root.to_str().unwrap()]);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
        command
            .env("CODECOMPASS_HOME", home.path())
            .args(["serve-mcp", "--surface", "lsp"]);
        for root in &roots {
            command.arg("--workspace").arg(root);
        }
        if let Some(servers) = servers {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let path = std::iter::once(servers.to_path_buf()).chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(path).unwrap());
        }
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let mut session = Session {
            child,
            input,
            output,
            home,
            roots,
            _projects: projects,
            n_requests: 0,
        };
        let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } });
        session.request("initialize", client);
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.n_requests += 1;
        let id = self.n_requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the server ended"
            );
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["id"] == id {
                return reply;
            }
        }
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
    }

    #[track_caller]
    fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.call(&format!("vscode.lsp.{tool}"), arguments);
        assert_eq!(reply["result"]["isError"], false, "{tool}: {reply}");
        reply["result"]["structuredContent"].clone()
    }

    /// The error's code without its prefix.
    #[track_caller]
    fn code(&mut self, tool: &str, arguments: Value) -> String {
        let reply = self.call(&format!("vscode.lsp.{tool}"), arguments);
        let text = reply["result"]["content"][0]["text"]
            .as_str()
            .filter(|_| reply["result"]["isError"] == true);
        let text = text.unwrap_or_else(|| panic!("{tool}: {reply}"));
        text.split_once(": ")
            .unwrap()
            .0
            .trim_start_matches("MCP_LSP_GATEWAY/")
            .to_owned()
    }

    /// The code of a server's answer that is refused: on a busy machine the index may have to
    /// answer first.
    #[track_caller]
    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            let reply = self.call(&format!("vscode.lsp.{tool}"), arguments.clone());
            let text = reply["result"]["content"][0]["text"]
                .as_str()
                .unwrap_or_default();
            if reply["result"]["isError"] == true {
                return text
                    .split_once(": ")
                    .unwrap()
                    .0
                    .trim_start_matches("MCP_LSP_GATEWAY/")
                    .to_owned();
            }
            assert!(
                text.contains("Provider: index") && Instant::now() < end,
                "{tool}: {}",
                text.lines().next().unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Asks until a language server has answered.
    #[track_caller]
    fn served(&mut self, tool: &str, arguments: Value) -> Value {
        self.served_until(tool, arguments, |_| true)
    }

    #[track_caller]
    fn served_until(
        &mut self,
        tool: &str,
        arguments: Value,
        enough: impl Fn(&Value) -> bool,
    ) -> Value {
        self.until(tool, arguments, |answer| {
            !summary(answer).contains("Provider: index") && enough(answer)
        })
    }

    #[track_caller]
    fn until(&mut self, tool: &str, arguments: Value, enough: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            let reply = self.call(&format!("vscode.lsp.{tool}"), arguments.clone());
            let answer = &reply["result"]["structuredContent"];
            if answer.is_object() && enough(answer) {
                return answer.clone();
            }
            assert!(Instant::now() < end, "{tool}: still {reply}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// All references with the declaration, from a page of one and a page of the rest, and what
    /// asked for the second page.
    #[track_caller]
    fn paged(&mut self, at: &Value, provider: &str) -> (Vec<Value>, Value) {
        // A server that goes on loading meanwhile is another provider, and makes the cursor stale.
        for _ in 0..20 {
            let asked = with(at, json!({ "includeDeclaration": true, "pageSize": 1 }));
            let first = self.until("references", asked, |answer| {
                summary(answer).contains(provider)
            });
            let next = with(
                at,
                json!({ "includeDeclaration": true, "pageSize": 200, "cursor": first["nextCursor"] }),
            );
            assert!(first["nextCursor"].is_string(), "{first}");
            let reply = self.call("vscode.lsp.references", next.clone());
            if reply["result"]["isError"] == false {
                let rest = &reply["result"]["structuredContent"];
                let items = [&first, rest]
                    .iter()
                    .flat_map(|page| page["items"].as_array().unwrap().clone())
                    .collect();
                return (items, next);
            }
            assert!(reply.to_string().contains("CURSOR_STALE"), "{reply}");
            std::thread::sleep(Duration::from_millis(200));
        }
        panic!("the provider changes without end")
    }

    fn uri(&self, path: &str) -> String {
        format!("{}/{path}", self.root_uri(0))
    }

    fn root_uri(&self, root: usize) -> String {
        format!("file://{}", self.roots[root].display())
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.roots[0].join(path), text).unwrap();
    }

    #[track_caller]
    fn at(&self, path: &str, line: &str) -> Value {
        self.at_root(0, path, line)
    }

    /// The place of `$0` in a file's line that holds `line`.
    #[track_caller]
    fn at_root(&self, root: usize, path: &str, line: &str) -> Value {
        let text = std::fs::read_to_string(self.roots[root].join(path)).unwrap();
        let (before, after) = line.split_once("$0").expect("no $0");
        let plain = format!("{before}{after}");
        let (number, whole) = text
            .lines()
            .enumerate()
            .find(|(_, known)| known.contains(&plain))
            .expect("no such line");
        let start = whole.find(&plain).unwrap();
        let character = whole[..start].encode_utf16().count() + before.encode_utf16().count();
        json!({ "uri": format!("{}/{path}", self.root_uri(root)), "position": { "line": number, "character": character } })
    }

    /// `path:line:character` of each location's start.
    fn places(&self, locations: &Value) -> Vec<String> {
        let place = |location: &Value| {
            let uri = location["uri"].as_str().unwrap();
            let path = uri
                .strip_prefix(&format!("{}/", self.root_uri(0)))
                .unwrap_or(uri);
            format!(
                "{path}:{}:{}",
                location["range"]["start"]["line"], location["range"]["start"]["character"]
            )
        };
        locations.as_array().unwrap().iter().map(place).collect()
    }

    /// What another command of the same user prints.
    #[track_caller]
    fn command(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&run(self.home.path(), arguments)).unwrap()
    }

    /// The same where there may be nothing to show, which has a status of its own.
    #[track_caller]
    fn command_or_nothing(&self, arguments: &[&str]) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_codecompass"))
            .env("CODECOMPASS_HOME", self.home.path())
            .args(arguments)
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[track_caller]
fn run(home: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_codecompass"))
        .env("CODECOMPASS_HOME", home)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Processes whose command line or working directory names `text`.
fn processes_naming(text: &str) -> Vec<u32> {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let names = |pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let directory = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(text)
            || directory.to_string_lossy().contains(text)
    };
    pids.filter(|pid| *pid != std::process::id() && names(pid))
        .collect()
}
