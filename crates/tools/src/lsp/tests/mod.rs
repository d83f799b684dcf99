//! Behaviour of the gateway's tools, asked as a client asks, on real temporary directories. The
//! index answers here; real language servers answer in `crates/codecompass/tests/gateway.rs`.

mod answers;
mod paging;
mod promises;
mod refusals;
mod schemas;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use ::answers::{Routing, Workspaces};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Gateway, ProviderChoice};
use crate::{Answer, Context, Host, LSP, Registry, Roots, ServerFacts, contract, file_uri};

/// A server over temporary directories.
pub struct Server {
    _directories: Vec<TempDir>,
    host: Arc<TestHost>,
    registry: Registry,
    /// Where indexes are kept; they are in memory where absent.
    home: Option<TempDir>,
    pub strict: bool,
    pub deadline: Duration,
}

struct TestHost {
    roots: Roots,
    workspaces: Workspaces,
    gateway: Gateway,
    trusts: bool,
}

impl Host for TestHost {
    fn begin(&self) {}

    fn roots(&self) -> &Roots {
        &self.roots
    }

    fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    fn is_trusted(&self, _: &Path) -> bool {
        self.trusts
    }
}

impl Server {
    /// `//- path` starts a file.
    pub fn new(files: &str) -> Server {
        Server::over(
            &[files],
            Gateway::new(ProviderChoice::Auto, Default::default()),
            false,
        )
    }

    /// One root per text.
    pub fn over(roots: &[&str], gateway: Gateway, trusts: bool) -> Server {
        let directories: Vec<TempDir> =
            roots.iter().map(|_| tempfile::tempdir().unwrap()).collect();
        for (directory, files) in directories.iter().zip(roots) {
            write(directory.path(), files);
        }
        let real = directories
            .iter()
            .map(|directory| dunce::canonicalize(directory.path()).unwrap())
            .collect();
        Server::serve(directories, real, gateway, trusts, None)
    }

    /// With an index that the next process finds.
    pub fn kept(files: &str) -> Server {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), files);
        let real = vec![dunce::canonicalize(directory.path()).unwrap()];
        Server::serve(
            vec![directory],
            real,
            Gateway::new(ProviderChoice::Auto, Default::default()),
            false,
            Some(tempfile::tempdir().unwrap()),
        )
    }

    fn serve(
        directories: Vec<TempDir>,
        real: Vec<PathBuf>,
        gateway: Gateway,
        trusts: bool,
        home: Option<TempDir>,
    ) -> Server {
        let kept_in = home.as_ref().map(|home| home.path().to_path_buf());
        let options = workspace::Options {
            in_memory: home.is_none(),
            home: kept_in,
            ..workspace::Options::default()
        };
        let workspaces = Workspaces::new(Routing {
            registered: real.clone(),
            options,
            ..Routing::default()
        });
        let host = TestHost {
            roots: Roots::new(&real).unwrap(),
            workspaces,
            gateway,
            trusts,
        };
        let server = Server {
            _directories: directories,
            host: Arc::new(host),
            registry: Registry::of(&[LSP]),
            home,
            strict: false,
            deadline: Duration::from_secs(60),
        };
        for root in real {
            let workspace = server.host.workspaces.find(root.to_str()).unwrap();
            workspace
                .index_live(false, &Default::default(), |_| ())
                .unwrap();
        }
        server
    }

    /// The same directories, served by a process that has just started.
    pub fn restarted(self) -> Server {
        let Server {
            _directories: directories,
            host,
            home,
            ..
        } = self;
        let real: Vec<PathBuf> = host.roots.paths().to_vec();
        drop(host);
        Server::serve(
            directories,
            real,
            Gateway::new(ProviderChoice::Auto, Default::default()),
            false,
            home,
        )
    }

    /// A directory of a repository as the only root.
    pub fn around(place: TempDir, inner: &str) -> Server {
        let real = dunce::canonicalize(place.path().join(inner)).unwrap();
        Server::serve(
            vec![place],
            vec![real],
            Gateway::new(ProviderChoice::Auto, Default::default()),
            false,
            None,
        )
    }

    pub fn root(&self) -> PathBuf {
        self.host.roots.paths()[0].clone()
    }

    pub fn write(&self, files: &str) {
        write(&self.root(), files);
    }

    pub fn uri(&self, path: &str) -> String {
        file_uri(&self.root().join(path))
    }

    pub fn context(&self) -> Context {
        let facts = ServerFacts {
            version: "0.0.0",
            started: Instant::now(),
            transport: "test",
        };
        let mut context = Context::quiet(self.host.clone(), Arc::new(facts));
        context.strict = self.strict;
        context.deadline = Instant::now() + self.deadline;
        context
    }

    /// What goes on the wire, for the tool's short name.
    pub fn wire(&self, tool: &str, arguments: Value) -> Result<Answer, contract::Wire> {
        let entry = self
            .registry
            .find(&format!("vscode.lsp.{tool}"))
            .unwrap_or_else(|| panic!("no tool {tool}"));
        let context = self.context();
        crate::invoke(entry, &context, arguments).map_err(|error| LSP.fail(&error, self.strict))
    }

    #[track_caller]
    pub fn answer(&self, tool: &str, arguments: Value) -> Value {
        match self.wire(tool, arguments) {
            Ok(answer) => answer.value(),
            other => panic!("{tool}: {other:?}"),
        }
    }

    #[track_caller]
    pub fn text(&self, tool: &str, arguments: Value) -> String {
        let root = self.uri("").trim_end_matches('/').to_owned();
        match self.wire(tool, arguments) {
            Ok(answer) => {
                let text = LSP.text(&answer, self.strict).unwrap_or_default();
                text.replace(&root, "ROOT")
            }
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// The error's code without its prefix.
    #[track_caller]
    pub fn code(&self, tool: &str, arguments: Value) -> String {
        match self.wire(tool, arguments) {
            Err(contract::Wire::Failure { text }) => {
                let (code, message) = text.split_once(": ").unwrap();
                assert!(!message.is_empty());
                code.strip_prefix("MCP_LSP_GATEWAY/").unwrap().to_owned()
            }
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Arguments for the place where `$0` is in `file`'s line that contains `line` (with the
    /// `$0`).
    #[track_caller]
    pub fn at(&self, path: &str, line: &str) -> Value {
        let text = std::fs::read_to_string(self.root().join(path)).unwrap();
        let (before, _) = line.split_once("$0").expect("no $0");
        let plain = line.replace("$0", "");
        let (number, found) = text
            .lines()
            .enumerate()
            .find(|(_, known)| known.contains(&plain))
            .unwrap_or_else(|| panic!("no line {plain:?}"));
        let start = found.find(&plain).unwrap();
        let character: usize =
            found[..start].encode_utf16().count() + before.encode_utf16().count();
        json!({ "uri": self.uri(path), "position": { "line": number, "character": character } })
    }
}

pub fn write(root: &Path, files: &str) {
    let (mut path, mut text): (Option<PathBuf>, String) = Default::default();
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

/// Arguments with further fields.
pub fn with(mut arguments: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    arguments
}

pub const SHOP: &str = "
//- shop/__init__.py
//- shop/cart.py
from shop.tax import tax_rate

class Cart:
    \"\"\"Items with their prices.\"\"\"
    def __init__(self):
        self.items = []

    def total(self):
        crab = '🦀'; rate = tax_rate('de')
        return sum(self.items) * rate
//- shop/tax.py
RATES = {'de': 1.19}

def tax_rate(country):
    \"\"\"The value added tax of a country.\"\"\"
    return RATES[country]
//- app.py
from shop.cart import Cart
from shop.tax import tax_rate as rate_of

cart = Cart()
cart.total()
rate_of('at')
import json
json.dumps({})
";
