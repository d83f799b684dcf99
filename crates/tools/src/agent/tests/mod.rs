//! Behaviour of the agent's tools, asked as a client asks.

mod bad_input;
mod change;
mod find;
mod forms;
mod grep;
mod symbol;

use std::{path::PathBuf, sync::Arc, time::Instant};

use ::answers::{Routing, Workspaces};
use expect_test::Expect;
use serde_json::Value;
use tempfile::TempDir;

use crate::{AGENT, Context, Host, Registry, Roots, ServerFacts, contract::Wire};

/// A server over one temporary repository.
pub struct AgentServer {
    pub directory: TempDir,
    host: Arc<AgentHost>,
    registry: Registry,
}

struct AgentHost {
    roots: Roots,
    workspaces: Workspaces,
}

impl Host for AgentHost {
    fn begin(&self) {}

    fn roots(&self) -> &Roots {
        &self.roots
    }

    fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }
}

impl AgentServer {
    /// `//- path` starts a file. Everything is committed on `main`.
    pub fn new(files: &str) -> AgentServer {
        let directory = tempfile::tempdir().unwrap();
        for file in files.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            let path = directory.path().join(path.trim());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        git(&directory, &["init", "-q", "-b", "main"]);
        commit(&directory, "first");
        let root: PathBuf = dunce::canonicalize(directory.path()).unwrap();
        let mut routing = Routing {
            registered: vec![root.clone()],
            ..Routing::default()
        };
        routing.options.in_memory = true;
        let host = AgentHost {
            roots: Roots::new([&root]).unwrap(),
            workspaces: Workspaces::new(routing),
        };
        let workspace = host.workspaces.find(None).unwrap();
        workspace
            .index_live(false, &Default::default(), |_| ())
            .unwrap();
        AgentServer {
            directory,
            host: Arc::new(host),
            registry: Registry::of(&[AGENT]),
        }
    }

    /// The text of an answer, or of an error, which has one line.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<String, String> {
        let server = ServerFacts {
            version: "0.0.0",
            started: Instant::now(),
            transport: "test",
        };
        let context = Context::quiet(self.host.clone(), Arc::new(server));
        let entry = self.registry.find(tool).unwrap();
        let error = match crate::invoke(entry, &context, arguments) {
            Ok(answer) => {
                assert!(answer.json.is_none());
                return Ok(AGENT.text(&answer, false).unwrap().to_owned());
            }
            Err(error) => error,
        };
        match AGENT.fail(&error, false) {
            Wire::Failure { text } => {
                assert_eq!(text.lines().count(), 1, "{text}");
                Err(text)
            }
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    pub fn answer(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments)
            .unwrap_or_else(|error| panic!("{tool} failed: {error}"))
    }

    #[track_caller]
    pub fn check(&self, tool: &str, arguments: Value, expected: Expect) {
        let answer = match self.call(tool, arguments) {
            Ok(text) => text,
            Err(error) => format!("error: {error}"),
        };
        expected.assert_eq(&answer);
    }
}

pub fn git(directory: &TempDir, arguments: &[&str]) {
    let done = std::process::Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(directory.path())
        .status()
        .unwrap();
    assert!(done.success());
}

pub fn commit(directory: &TempDir, message: &str) {
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-q", "-m", message]);
}

/// A repository with a class, a subclass, decorators, tests and a second symbol of the same name.
pub const SHOP: &str = r#"
//- shop/cart.py
from decimal import Decimal


class Cart:
    """What a customer wants to buy."""

    def __init__(self):
        self.items = []

    def total(self, tax=0):
        """The sum of all items."""
        return sum(self.items) + tax

    @property
    def size(self):
        return len(self.items)


class GiftCart(Cart):
    def total(self, tax=0):
        return Decimal(0)
//- shop/app.py
from shop.cart import Cart


@route("/checkout")
@login_required
def checkout(cart: Cart):
    first = cart.total()
    if first:
        return cart.total(tax=3)
    return log(cart.total(
        tax=1))


def log(amount):
    print(amount)


DEFAULT = Cart().total()
//- shop/report.py
class Report:
    def total(self):
        return 1
//- tests/test_cart.py
from shop.app import checkout
from shop.cart import Cart


def test_total():
    assert Cart().total() == 0


def test_checkout():
    checkout(Cart())
"#;
