//! Every question to real servers on small real projects. `tests/language-servers/install.sh`
//! installs them.
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::testing::*;
use language_servers::{
    Document, Error, FileChange, FileChangeKind, LspDiagnostic, LspDocumentSymbol, LspLocation,
    Pool, PoolSettings, Readiness, Trusted,
};

/// What the seven questions about one project must give. Places are `path:line:column-line:column`,
/// from 0 and in UTF-16.
struct Expected {
    server: &'static str,
    program: &'static str,
    fixture: &'static str,
    definition: &'static [&'static str],
    /// The declaration included.
    references: &'static [&'static str],
    hover: &'static str,
    /// Of the file under the cursor: names, those inside another after it with a dot.
    symbols: &'static [&'static str],
    /// A query, and a symbol it must find.
    workspace_symbol: (&'static str, &'static str),
    /// Of the file under the cursor: `line code` of each.
    diagnostics: &'static [&'static str],
    /// A file with diagnostics that is never opened, if the server looks at the whole project.
    elsewhere: Option<&'static str>,
}

const PYTHON: Expected = Expected {
    server: "basedpyright",
    program: "basedpyright-langserver",
    fixture: "
//- pyproject.toml
[project]
name = 'shop'
//- shop/__init__.py
//- shop/cart.py
class Cart:
    \"\"\"What is bought.\"\"\"
    def total(self) -> int:
        return 1
//- shop/broken.py
count: int = 'many'
//- app.py
from shop.cart import Cart
print('\u{1f9ed}', Cart().to$0tal())
wrong: int = 'text'
",
    definition: &["shop/cart.py:2:8-2:13"],
    references: &["app.py:1:19-1:24", "shop/cart.py:2:8-2:13"],
    hover: "def total",
    symbols: &["wrong"],
    workspace_symbol: ("total", "shop/cart.py:2:8-2:13"),
    diagnostics: &["2 reportAssignmentType"],
    elsewhere: Some("shop/broken.py"),
};

const TYPESCRIPT: Expected = Expected {
    server: "typescript-language-server",
    program: "typescript-language-server",
    fixture: "
//- package.json
{}
//- tsconfig.json
{\"compilerOptions\": {\"strict\": true, \"module\": \"esnext\", \"moduleResolution\": \"bundler\", \"target\": \"es2022\"}}
//- cart.ts
/** What is bought. */
export class Cart {
    total(): number { return 1; }
}
//- app.ts
import { Cart } from './cart';
console.log('\u{1f9ed}', new Cart().to$0tal());
const wrong: number = 'text';
",
    definition: &["cart.ts:2:4-2:9"],
    references: &["app.ts:1:29-1:34", "cart.ts:2:4-2:9"],
    hover: "Cart.total(): number",
    symbols: &["wrong"],
    workspace_symbol: ("total", "cart.ts:2:4-2:33"),
    diagnostics: &["2 2322", "2 6133"],
    elsewhere: None,
};

const GO: Expected = Expected {
    server: "gopls",
    program: "gopls",
    fixture: "
//- go.mod
module example.com/shop

go 1.24
//- cart/cart.go
package cart

// Cart is what is bought.
type Cart struct{}

func (c Cart) Total() int { return 1 }
//- main.go
package main

import \"example.com/shop/cart\"

func main() {
\tprintln(\"\u{1f9ed}\", cart.Cart{}.To$0tal())
\tvar wrong int = \"text\"
}
",
    definition: &["cart/cart.go:5:14-5:19"],
    references: &["cart/cart.go:5:14-5:19", "main.go:5:27-5:32"],
    hover: "func (c cart.Cart) Total() int",
    symbols: &["main"],
    workspace_symbol: ("Total", "cart/cart.go:5:14-5:19"),
    diagnostics: &["6 IncompatibleAssign", "6 UnusedVar"],
    elsewhere: None,
};

const CPLUSPLUS: Expected = Expected {
    server: "clangd",
    program: "clangd",
    fixture: "
//- compile_commands.json
[{\"directory\": \"{root}\", \"file\": \"app.cpp\", \"command\": \"c++ -std=c++17 -c app.cpp\"},
 {\"directory\": \"{root}\", \"file\": \"cart.cpp\", \"command\": \"c++ -std=c++17 -c cart.cpp\"}]
//- cart.hpp
/// What is bought.
struct Cart { int total(); };
//- cart.cpp
#include \"cart.hpp\"
int Cart::total() { return 1; }
//- app.cpp
#include \"cart.hpp\"
const char *name = \"\u{1f9ed}\"; int n = Cart().to$0tal();
int wrong = \"text\";
",
    definition: &["cart.cpp:1:10-1:15"],
    references: &[
        "app.cpp:1:40-1:45",
        "cart.cpp:1:10-1:15",
        "cart.hpp:1:18-1:23",
    ],
    hover: "total",
    symbols: &["name", "n", "wrong"],
    workspace_symbol: ("total", "cart.cpp:1:10-1:15"),
    diagnostics: &["2 init_conversion_failed"],
    elsewhere: None,
};

const RUST: Expected = Expected {
    server: "rust-analyzer",
    program: "rust-analyzer",
    fixture: "
//- Cargo.toml
[package]
name = 'shop'
version = '0.1.0'
edition = '2021'
[workspace]
//- src/cart.rs
/// What is bought.
pub struct Cart;
impl Cart {
    pub fn total(&self) -> u32 { 1 }
}
//- src/main.rs
mod cart;
fn main() {
    let _text = (\"\u{1f9ed}\", cart::Cart.to$0tal());
    let _wrong: u32 = \"text\";
}
",
    definition: &["src/cart.rs:3:11-3:16"],
    references: &["src/cart.rs:3:11-3:16", "src/main.rs:2:34-2:39"],
    hover: "pub fn total(&self) -> u32",
    symbols: &["cart", "main"],
    workspace_symbol: ("total", "src/cart.rs:3:11-3:16"),
    diagnostics: &["3 E0308"],
    elsewhere: None,
};

#[test]
fn python_with_basedpyright() {
    check(&PYTHON);
}

#[test]
fn typescript_with_typescript_language_server() {
    check(&TYPESCRIPT);
}

#[test]
fn go_with_gopls() {
    check(&GO);
}

#[test]
fn cplusplus_with_clangd() {
    check(&CPLUSPLUS);
}

#[test]
fn rust_with_rust_analyzer() {
    check(&RUST);
}

fn check(expected: &Expected) {
    let Some((project, pool)) = start(expected) else {
        return;
    };
    let version = language_servers::detect(&only(expected.server), &search_path());
    println!(
        "{}: {}",
        expected.server,
        version[0].version.as_deref().unwrap_or("?")
    );

    let definition = project
        .at_cursor(|place| pool.definition(place, &seconds(60)))
        .unwrap();
    // The first document may set off another round of loading.
    wait_ready(&pool, &project.cursor_file());
    assert_eq!(&*definition.server, expected.server);
    let definition = project
        .at_cursor(|place| pool.definition(place, &seconds(60)))
        .unwrap();
    assert_eq!(definition.readiness, Readiness::Ready);
    assert_eq!(project.show(&definition.value), expected.definition);

    let references = project
        .at_cursor(|place| pool.references(place, true, &seconds(60)))
        .unwrap();
    assert_eq!(project.show(&references.value), expected.references);
    let uses = project
        .at_cursor(|place| pool.references(place, false, &seconds(60)))
        .unwrap()
        .value;
    assert!(
        uses.len() < expected.references.len(),
        "the declaration was not left out"
    );
    let (file, position) = project.cursor();
    let covers =
        |location: &LspLocation| location.range.start <= position && position <= location.range.end;
    assert!(
        uses.iter()
            .any(|one| project.show_uri(&one.uri) == file && covers(one)),
        "the place asked about is a use: {uses:?}"
    );

    let hover = project
        .at_cursor(|place| pool.hover(place, &seconds(60)))
        .unwrap()
        .value
        .expect("a hover");
    let text: String = hover
        .contents
        .iter()
        .map(|markup| markup.value.as_str())
        .collect();
    assert!(text.contains(expected.hover), "{text}");

    let file = project
        .cursor_file()
        .strip_prefix(&project.root)
        .unwrap()
        .to_str()
        .unwrap()
        .to_string();
    let symbols = project
        .document(&file, |document| {
            pool.document_symbols(document, &seconds(60))
        })
        .unwrap()
        .value;
    assert_eq!(names(&symbols), expected.symbols);

    let (query, place) = expected.workspace_symbol;
    let symbols = project
        .document(&file, |document| {
            pool.workspace_symbols(document, query, &seconds(60))
        })
        .unwrap()
        .value;
    let places: Vec<_> = symbols.into_iter().map(|symbol| symbol.location).collect();
    assert!(
        project.show(&places).iter().any(|found| found == place),
        "{:?}",
        project.show(&places)
    );

    let limit = seconds(30);
    let diagnostics = project
        .document(&file, |document| {
            pool.document_diagnostics(document, &[], &limit)
        })
        .unwrap()
        .value;
    assert!(diagnostics.settled && !diagnostics.truncated);
    assert_eq!(
        show_diagnostics(&diagnostics.items),
        expected.diagnostics,
        "{:?}",
        diagnostics.items
    );

    let everywhere = || {
        let answer = project
            .document(&file, |document| {
                pool.workspace_diagnostics(document, &seconds(30))
            })
            .unwrap()
            .value;
        assert!(answer.settled);
        answer
    };
    let all = everywhere();
    assert_eq!(all, everywhere(), "the same question has the same answer");
    let files: Vec<String> = all
        .files
        .iter()
        .map(|(uri, _)| project.show_uri(uri))
        .collect();
    assert_eq!(all.whole_project, expected.elsewhere.is_some());
    if let Some(expected) = expected.elsewhere {
        assert!(files.iter().any(|file| file == expected), "{files:?}");
    }
    nothing_was_written(&project);
}

/// An error made in an unsaved text is reported, gone with the next text, and the disk has neither.
#[test]
fn unsaved_text_is_what_counts() {
    for expected in [&PYTHON, &TYPESCRIPT, &GO, &CPLUSPLUS, &RUST] {
        let Some((project, pool)) = start(expected) else {
            continue;
        };
        project
            .at_cursor(|place| pool.definition(place, &seconds(60)))
            .unwrap();
        wait_ready(&pool, &project.cursor_file());
        let path = project.cursor_file();
        let disk = std::fs::read_to_string(&path).unwrap();
        let repaired: String = disk
            .lines()
            .filter(|line| !line.contains("wrong"))
            .map(|line| format!("{line}\n"))
            .collect();
        let codes = |text: &str| {
            let answer = pool
                .document_diagnostics(Document { path: &path, text }, &[], &seconds(30))
                .unwrap()
                .value;
            assert!(answer.settled, "{}", expected.server);
            show_diagnostics(&answer.items)
        };
        assert_eq!(codes(&repaired), [""; 0], "{}", expected.server);
        assert_eq!(codes(&disk), expected.diagnostics, "{}", expected.server);
        assert_eq!(codes(&repaired), [""; 0], "{}", expected.server);
    }
}

/// A definition moves on disk, in a file that was open and in one that never was; then a file
/// appears.
#[test]
fn files_changed_behind_the_servers_back() {
    for expected in [&PYTHON, &TYPESCRIPT, &GO, &CPLUSPLUS, &RUST] {
        let Some((mut project, pool)) = start(expected) else {
            continue;
        };
        let server = expected.server;
        project
            .at_cursor(|place| pool.definition(place, &seconds(60)))
            .unwrap();
        wait_ready(&pool, &project.cursor_file());
        let target = expected.definition[0].split(':').next().unwrap();
        let line: u32 = expected.definition[0]
            .split(':')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let definition_line = || {
            let answer = project
                .at_cursor(|place| pool.definition(place, &seconds(60)))
                .unwrap()
                .value;
            answer.first().map(|location| location.range.start.line)
        };
        assert_eq!(definition_line(), Some(line), "{server}");

        // Never opened: the watcher of the workspace tells.
        let before = std::fs::read_to_string(project.root.join(target)).unwrap();
        std::fs::write(project.root.join(target), format!("\n\n{before}")).unwrap();
        pool.files_changed(&[FileChange {
            path: project.root.join(target),
            kind: FileChangeKind::Changed,
        }]);
        wait_for(
            20,
            || format!("{server}: {:?}", definition_line()),
            || definition_line() == Some(line + 2),
        );

        // Open, and nobody tells: the stamp does, at the next question.
        project.write(target, &format!("\n\n{before}"));
        project
            .document(target, |document| {
                pool.document_symbols(document, &seconds(30))
            })
            .unwrap();
        std::fs::write(project.root.join(target), format!("\n\n\n{before}")).unwrap();
        let definition_line = || {
            let answer = project
                .at_cursor(|place| pool.definition(place, &seconds(60)))
                .unwrap()
                .value;
            answer.first().map(|location| location.range.start.line)
        };
        wait_for(
            20,
            || format!("{server}: {:?}", definition_line()),
            || definition_line() == Some(line + 3),
        );
    }
}

#[test]
fn a_server_killed_in_the_middle_comes_back_and_answers_again() {
    for expected in [&PYTHON, &TYPESCRIPT, &GO, &CPLUSPLUS, &RUST] {
        let Some((project, pool)) = start(expected) else {
            continue;
        };
        project
            .at_cursor(|place| pool.definition(place, &seconds(60)))
            .unwrap();
        let epoch = pool.text_epoch();
        let process = process_of(&pool).to_string();
        let killer = std::thread::spawn(move || {
            Command::new("kill")
                .args(["-9", &process])
                .status()
                .unwrap()
        });
        // Whatever was under way ends soon, with an answer or with the news.
        loop {
            match project.at_cursor(|place| pool.references(place, true, &seconds(60))) {
                Ok(_) => {}
                Err(Error::Gone { .. } | Error::Unavailable { .. }) => break,
                Err(error) => panic!("{}: {error}", expected.server),
            }
        }
        killer.join().unwrap();
        wait_for(60, || "epoch".into(), || pool.text_epoch() > epoch);
        wait_ready(&pool, &project.cursor_file());
        project
            .at_cursor(|place| pool.definition(place, &seconds(60)))
            .unwrap();
        wait_ready(&pool, &project.cursor_file());
        let again = project
            .at_cursor(|place| pool.references(place, true, &seconds(60)))
            .unwrap();
        assert_eq!(
            project.show(&again.value),
            expected.references,
            "{}",
            expected.server
        );
        assert_eq!(pool.status()[0].n_crashes, 1);
    }
}

#[test]
fn two_roots_have_two_servers_and_separate_answers() {
    let Some((first, pool)) = start(&PYTHON) else {
        return;
    };
    let second = Project::new(PYTHON.fixture);
    let refused = second
        .at_cursor(|place| pool.definition(place, &seconds(5)))
        .unwrap_err();
    assert!(matches!(refused, Error::Untrusted), "{refused}");
    pool.trust(Trusted::by_decision_of_the_user(&second.root).unwrap());
    for project in [&first, &second] {
        let answer = project
            .at_cursor(|place| pool.references(place, true, &seconds(60)))
            .unwrap();
        assert_eq!(project.show(&answer.value), PYTHON.references);
    }
    let roots: Vec<PathBuf> = pool
        .status()
        .into_iter()
        .map(|status| status.root)
        .collect();
    assert!(
        roots.len() == 2 && roots.contains(&first.root) && roots.contains(&second.root),
        "{roots:?}"
    );
}

/// What the pool adds to a question: measured beside a server that answers at once.
#[test]
fn the_pool_costs_little_per_question() {
    let Some((project, pool)) = start(&TYPESCRIPT) else {
        return;
    };
    for _ in 0..20 {
        project
            .at_cursor(|place| pool.definition(place, &seconds(60)))
            .unwrap();
    }
    let real = times(200, || {
        _ = project
            .at_cursor(|place| pool.definition(place, &seconds(60)))
            .unwrap()
    });
    let fixture = Project::new("//- a.fake\none$0\n");
    let fake = fixture.fake("plain", "first-response");
    fixture
        .at_cursor(|place| fake.definition(place, &seconds(60)))
        .unwrap();
    let bare = times(500, || {
        _ = fixture
            .at_cursor(|place| fake.definition(place, &seconds(60)))
            .unwrap()
    });
    println!(
        "definition, typescript-language-server through the pool: p50 {:?} p95 {:?}",
        real.0, real.1
    );
    println!(
        "definition, a server that answers at once: p50 {:?} p95 {:?}",
        bare.0, bare.1
    );
    assert!(bare.1 < Duration::from_millis(20), "{bare:?}");
}

fn times(n: usize, mut run: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..n)
        .map(|_| {
            let began = std::time::Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    times.sort();
    (times[n / 2], times[n * 95 / 100])
}

/// The project on disk and a pool whose server for it is ready.
#[track_caller]
fn start(expected: &Expected) -> Option<(Project, Pool)> {
    real_servers(expected.program)?;
    let project = Project::new(expected.fixture);
    let settings = PoolSettings {
        catalogue: only(expected.server),
        search_path: search_path(),
        ..project.settings()
    };
    let pool = project.pool_with(settings);
    wait_ready(&pool, &project.cursor_file());
    Some((project, pool))
}

fn only(server: &str) -> language_servers::Catalogue {
    let mut catalogue = language_servers::Catalogue::builtin();
    catalogue.servers.retain(|spec| spec.name == server);
    catalogue
}

fn search_path() -> Vec<PathBuf> {
    real_servers("clangd").into_iter().collect()
}

fn names(symbols: &[LspDocumentSymbol]) -> Vec<String> {
    symbols.iter().map(|symbol| symbol.name.clone()).collect()
}

fn show_diagnostics(items: &[LspDiagnostic]) -> Vec<String> {
    let mut lines: Vec<String> = items
        .iter()
        .map(|item| {
            format!(
                "{} {}",
                item.range.start.line,
                item.code.as_deref().unwrap_or("-")
            )
        })
        .collect();
    lines.sort();
    lines
}

/// Servers keep what they write out of the repository. `Cargo.lock` is cargo's own doing.
fn nothing_was_written(project: &Project) {
    let mut names: Vec<String> = project
        .root
        .read_dir()
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name.starts_with('.') || name == "target" || name == "node_modules");
    assert!(names.is_empty(), "written into the repository: {names:?}");
}
