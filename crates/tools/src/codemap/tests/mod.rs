//! Behaviour of the CodeMap tools, asked as a client asks, on real temporary repositories.

mod answers;
mod bad_input;
mod cards;
mod handles;
mod modes;
mod promises;
mod shared_cache;
mod surfaces;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Instant,
};

use ::answers::{Routing, Workspaces};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{CODEMAP, Context, Host, Registry, Roots, ServerFacts, contract};

/// A server over one temporary repository.
struct Server {
    directory: TempDir,
    host: Arc<TestHost>,
    registry: Registry,
    strict: bool,
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
    fn new(files: &str) -> Server {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), files);
        git(directory.path(), &["init", "-q", "-b", "main"]);
        let server = Server::over(directory, true);
        server.commit("first");
        server
    }

    fn context(&self) -> Context {
        let facts = ServerFacts {
            version: "0.0.0",
            started: Instant::now(),
            transport: "test",
        };
        let mut context = Context::quiet(self.host.clone(), Arc::new(facts));
        context.strict = self.strict;
        context
    }

    fn over(directory: TempDir, in_memory: bool) -> Server {
        let root = dunce::canonicalize(directory.path()).unwrap();
        let mut routing = Routing {
            registered: vec![root.clone()],
            ..Routing::default()
        };
        routing.options.in_memory = in_memory;
        let host = TestHost {
            roots: Roots::new([&root]).unwrap(),
            workspaces: Workspaces::new(routing),
        };
        Server {
            directory,
            host: Arc::new(host),
            registry: Registry::of(&[CODEMAP]),
            strict: false,
        }
    }

    fn root(&self) -> String {
        dunce::canonicalize(self.directory.path())
            .unwrap()
            .to_string_lossy()
            .into_owned()
    }

    /// The answer, or the error as the contract writes it. `repo_path` is added where it is
    /// missing.
    fn call(&self, tool: &str, mut arguments: Value) -> Result<Value, Value> {
        let context = self.context();
        if arguments.get("repo_path").is_none() {
            arguments["repo_path"] = json!(self.root());
        }
        let entry = self
            .registry
            .find(tool)
            .unwrap_or_else(|| panic!("no tool {tool}"));
        match crate::invoke(entry, &context, arguments) {
            Ok(answer) => {
                let answer = answer.value();
                check_envelope(&answer);
                Ok(answer)
            }
            Err(error) => match CODEMAP.fail(&error, false) {
                contract::Wire::Failure { text } => Err(serde_json::from_str(&text).unwrap()),
                other => panic!("{other:?}"),
            },
        }
    }

    #[track_caller]
    fn answer(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments)
            .unwrap_or_else(|error| panic!("{tool} failed: {error}"))
    }

    #[track_caller]
    fn data(&self, tool: &str, arguments: Value) -> Value {
        self.answer(tool, arguments)["data"].clone()
    }

    /// The error's code; its message says something.
    #[track_caller]
    fn error(&self, tool: &str, arguments: Value) -> (String, Value) {
        match self.call(tool, arguments) {
            Ok(answer) => panic!("{tool} answered {answer}"),
            Err(error) => {
                assert!(!error["message"].as_str().unwrap().is_empty());
                assert!(error["retryable"].is_boolean() && error["details"].is_object());
                (error["code"].as_str().unwrap().to_owned(), error)
            }
        }
    }

    fn write(&self, files: &str) {
        write(self.directory.path(), files);
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.directory.path().join(path)).unwrap();
    }

    fn commit(&self, message: &str) {
        git(self.directory.path(), &["add", "-A"]);
        git(
            self.directory.path(),
            &["commit", "-q", "--allow-empty", "-m", message],
        );
    }
}

#[track_caller]
fn check_envelope(answer: &Value) {
    assert!(!answer["answer"].as_str().unwrap().is_empty());
    assert!(
        answer["data"].is_object()
            && answer["evidence"].is_array()
            && answer["next_actions"].is_array()
    );
    assert!(["high", "medium", "low"].contains(&answer["confidence"].as_str().unwrap()));
    let meta = &answer["meta"];
    assert_eq!(meta["baseline_commit_sha"].as_str().unwrap().len(), 40);
    assert!(
        meta["timing"]["total_ms"].is_number()
            && meta["tokens_saved"].is_u64()
            && meta["cost_avoided"].is_number()
    );
    assert!(meta["limits_applied"].is_object() && meta["overlay_revision"].is_u64());
}

fn write(root: &Path, files: &str) {
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

fn git(root: &Path, arguments: &[&str]) {
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

/// A field of each item of a list.
fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|item| item[field].as_str().unwrap_or(""))
        .collect()
}

const SHOP: &str = r#"
//- Shop/Order.cs
using System.Collections.Generic;
namespace Acme.Shop;

/// <summary>Something bought.</summary>
public class Order : IPriced
{
    private int _paid;
    public Order(int id) { Id = id; }
    public int Id { get; set; }
    public int Total() => 3;
    /// <summary>Settles the bill.</summary>
    public void Pay(int amount, string? code)
    {
        if (amount < 0) throw new InvalidPayment("no");
        _paid = amount;
    }
    public T Pick<T>(List<T> items, T[] others) => items[0];
}

public class InvalidPayment : System.Exception
{
    public InvalidPayment(string message) : base(message) { }
}
//- Shop/IPriced.cs
namespace Acme.Shop;
public interface IPriced { int Total(); }
//- Shop/Till.cs
namespace Acme.Shop;
public class Till
{
    public int Sum(IPriced priced) => priced.Total();
    public void Sell()
    {
        var order = new Order(1);
        order.Pay(5, "x");
        order.Id = 7;
        Sum(order);
        order.Vanish();
    }
}
"#;
