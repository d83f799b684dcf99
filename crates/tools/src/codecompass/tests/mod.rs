//! Behaviour of the CodeCompass tools, asked as a client asks, on real temporary repositories.

mod answers;
mod bad_input;
mod change;
mod errors;
mod history;
mod search;
mod workspaces;

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Instant,
};

use ::answers::{Routing, Workspaces};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{CODECOMPASS, Context, Host, Registry, Roots, ServerFacts, contract};

/// A server over one temporary repository.
pub struct Server {
    pub directory: TempDir,
    host: Arc<TestHost>,
    registry: Registry,
}

struct TestHost {
    roots: Roots,
    workspaces: Workspaces,
}

impl Host for TestHost {
    fn begin(&self) {}

    fn roots(&self) -> &Roots {
        &self.roots
    }

    fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }
}

impl Server {
    /// `//- path` starts a file. Everything is committed on `main`.
    pub fn new(files: &str) -> Server {
        let server = Server::unindexed(files);
        server.index();
        server
    }

    pub fn unindexed(files: &str) -> Server {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), files);
        git(directory.path(), &["init", "-q", "-b", "main"]);
        commit(directory.path(), "first");
        Server::over(directory, |root| Routing {
            registered: vec![root],
            ..Routing::default()
        })
    }

    pub fn over(directory: TempDir, routing: impl FnOnce(PathBuf) -> Routing) -> Server {
        let root = dunce::canonicalize(directory.path()).unwrap();
        let mut routing = routing(root.clone());
        routing.options.in_memory = routing.options.home.is_none();
        let host = TestHost {
            roots: Roots::new([&root]).unwrap(),
            workspaces: Workspaces::new(routing),
        };
        Server {
            directory,
            host: Arc::new(host),
            registry: Registry::of(&[CODECOMPASS]),
        }
    }

    pub fn index(&self) {
        let workspace = self.host.workspaces.find(None).unwrap();
        workspace
            .index_live(false, &Default::default(), |_| ())
            .unwrap();
    }

    pub fn workspace(&self) -> Arc<workspace::Workspace> {
        self.host.workspaces.find(None).unwrap()
    }

    /// The answer, or the error as the contract writes it.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        self.call_within(std::time::Duration::from_secs(3600), tool, arguments)
    }

    /// Asked by someone who waits only so long.
    pub fn call_within(
        &self,
        patience: std::time::Duration,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, Value> {
        let server = ServerFacts {
            version: "0.0.0",
            started: Instant::now(),
            transport: "test",
        };
        let mut context = Context::quiet(self.host.clone(), Arc::new(server));
        context.deadline = Instant::now() + patience;
        let entry = self
            .registry
            .find(tool)
            .unwrap_or_else(|| panic!("no tool {tool}"));
        match crate::invoke(entry, &context, arguments) {
            Ok(answer) => {
                let answer = answer.value();
                check_metadata(&answer);
                Ok(answer)
            }
            Err(error) => match CODECOMPASS.fail(&error, false) {
                contract::Wire::Failure { text } => Err(serde_json::from_str(&text).unwrap()),
                other => panic!("{other:?}"),
            },
        }
    }

    #[track_caller]
    pub fn answer(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments)
            .unwrap_or_else(|error| panic!("{tool} failed: {error}"))
    }

    /// The code of the error, whose message and remedy must be there.
    #[track_caller]
    pub fn error(&self, tool: &str, arguments: Value) -> Value {
        let error = match self.call(tool, arguments) {
            Ok(answer) => panic!("{tool} answered {answer}"),
            Err(error) => error,
        };
        assert!(!error["error"]["message"].as_str().unwrap().is_empty());
        assert!(
            error["error"]["data"]["remediation"].is_string(),
            "{tool} does not say what to try: {error}"
        );
        check_metadata(&error);
        error["error"].clone()
    }

    pub fn write(&self, files: &str) {
        write(self.directory.path(), files);
    }

    pub fn git(&self, arguments: &[&str]) {
        git(self.directory.path(), arguments);
    }

    pub fn commit(&self, message: &str) {
        commit(self.directory.path(), message);
    }
}

/// Every answer and every error has Protocol v1's fields with values of their lists.
#[track_caller]
fn check_metadata(answer: &Value) {
    let metadata = &answer["metadata"];
    let one_of = |field: &str, values: &[&str]| {
        let value = metadata[field]
            .as_str()
            .unwrap_or_else(|| panic!("{field} is missing in {metadata}"));
        assert!(values.contains(&value), "{field} is {value}");
    };
    assert_eq!(metadata["codecompass_protocol_version"], "1.0");
    one_of("freshness_status", &["fresh", "stale", "syncing"]);
    one_of(
        "indexing_status",
        &["not_indexed", "indexing", "ready", "failed"],
    );
    one_of("result_completeness", &["complete", "partial", "truncated"]);
    one_of(
        "schema_status",
        &[
            "compatible",
            "not_indexed",
            "reindex_required",
            "corrupt_manifest",
        ],
    );
    assert!(metadata["ref"].is_string());
}

pub fn write(root: &Path, files: &str) {
    let mut path: Option<PathBuf> = None;
    let mut text = String::new();
    let put = |path: &Option<PathBuf>, text: &str| {
        if let Some(path) = path {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    };
    for line in files.split_inclusive('\n') {
        match line.strip_prefix("//- ") {
            Some(name) => {
                put(&path, &text);
                path = Some(root.join(name.trim()));
                text.clear();
            }
            None => text.push_str(line),
        }
    }
    put(&path, &text);
}

pub fn git(root: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(root);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub fn commit(root: &Path, message: &str) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", message]);
}

/// A field of each item of a list.
pub fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|item| item[field].as_str().unwrap_or(""))
        .collect()
}

pub const SHOP: &str = "
//- shop/__init__.py
//- shop/cart.py
\"\"\"What a customer is about to buy.\"\"\"
from shop.tax import tax_rate

class Cart:
    \"\"\"Items with their prices.\"\"\"
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(self.items) * tax_rate('de')

def empty_cart():
    return Cart()
//- shop/tax.py
RATES = {'de': 1.19}

def tax_rate(country):
    \"\"\"The value added tax of a country.\"\"\"
    if country not in RATES:
        raise ValueError(f'no tax rate is known for country {country}')
    return RATES[country]
//- shop/report.py
from shop.cart import empty_cart

def print_report():
    cart = empty_cart()
    cart.add(3)
    print(cart.total())

print_report()
//- tests/test_cart.py
from shop.cart import Cart

def test_total():
    cart = Cart()
    assert cart.total() == 0
//- README.md
# Shop
Adds up carts and computes the value added tax.
";

#[test]
fn the_list_has_the_fifteen_tools() {
    let names: Vec<_> = Registry::of(&[CODECOMPASS])
        .entries()
        .iter()
        .map(|entry| entry.tool.name())
        .collect();
    assert_eq!(
        names.len(),
        15,
        "the list is a contract: a new tool needs its name here and in docs/contracts/codecompass.md"
    );
    for name in [
        "index_repo",
        "sync_repo",
        "index_status",
        "search_code",
        "locate_symbol",
        "get_file_outline",
        "health_check",
        "get_symbol_hierarchy",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for name in [
        "find_related_symbols",
        "get_code_context",
        "get_call_graph",
        "compare_symbol_between_commits",
        "suggest_followup_queries",
        "find_references",
        "check_change",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let (one, two) = (Server::new(SHOP), Server::new(SHOP));
    for (tool, arguments) in [
        (
            "search_code",
            json!({ "query": "value added tax of a country" }),
        ),
        (
            "locate_symbol",
            json!({ "name": "Cart", "detail_level": "context" }),
        ),
        (
            "get_call_graph",
            json!({ "symbol_name": "tax_rate", "depth": 3 }),
        ),
        ("find_references", json!({ "symbol_name": "Cart" })),
        (
            "get_code_context",
            json!({ "query": "cart total", "strategy": "depth" }),
        ),
    ] {
        assert_eq!(
            one.answer(tool, arguments.clone()).to_string(),
            two.answer(tool, arguments).to_string(),
            "{tool}"
        );
    }
}
