//! Indexes in an object store: real processes, a directory as bucket, and real S3 servers where
//! they are installed (`tests/object-stores/install.sh`).

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::toxic_proxy::{ToxicProxy, Toxin};

/// A repository and its clones, each with a home of its own.
pub struct Team {
    pub directory: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

impl Team {
    /// With a directory as bucket.
    pub fn new() -> Team {
        let team = Team {
            directory: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
        };
        let bucket = team.directory.path().join("bucket");
        fs::create_dir(&bucket).unwrap();
        team.with(
            "CODECOMPASS_REMOTE_URL",
            format!("file://{}", bucket.display()),
        )
    }

    /// With a bucket of an S3 server.
    fn at(address: SocketAddr) -> Team {
        let mut team = Team::new();
        team.environment.clear();
        team.with("CODECOMPASS_REMOTE_URL", "s3://bucket/below".to_owned())
            .with("AWS_ENDPOINT", format!("http://{address}"))
            .with("AWS_ALLOW_HTTP", "true".to_owned())
            .with("AWS_ACCESS_KEY_ID", "access".to_owned())
            .with("AWS_SECRET_ACCESS_KEY", "secret-of-tests".to_owned())
            .with("AWS_REGION", "us-east-1".to_owned())
    }

    fn with(mut self, name: &str, value: String) -> Team {
        self.environment.push((name.to_owned(), value));
        self
    }

    /// The repository that everybody clones: files that each call one function.
    pub fn origin(&self, n_files: usize) -> PathBuf {
        let root = self.directory.path().join("origin");
        fs::create_dir_all(root.join("shop")).unwrap();
        fs::write(root.join("shop/__init__.py"), "").unwrap();
        fs::write(
            root.join("shop/cart.py"),
            "class Cart:\n    def total(self):\n        return 1\n",
        )
        .unwrap();
        for i in 0..n_files {
            let text = format!(
                "from shop.cart import Cart\n\n\ndef pay{i}():\n    cart = Cart()\n    return cart.total()\n"
            );
            fs::write(root.join(format!("shop/user{i}.py")), text).unwrap();
        }
        git(&root, &["init", "-q", "-b", "main"]);
        git(
            &root,
            &[
                "remote",
                "add",
                "origin",
                "https://example.org/team/shop.git",
            ],
        );
        commit(&root);
        root
    }

    fn clone(&self, name: &str) -> PathBuf {
        let root = self.directory.path().join(name);
        let origin = self.directory.path().join("origin");
        let (from, to) = (origin.to_str().unwrap(), root.to_str().unwrap());
        git(self.directory.path(), &["clone", "-q", from, to]);
        git(
            &root,
            &["remote", "set-url", "origin", "git@example.org:team/shop"],
        );
        root
    }

    pub fn command(&self, root: &Path, arguments: &[&str]) -> Command {
        let home = self.directory.path().join(format!(
            "home-{}",
            root.file_name().unwrap().to_str().unwrap()
        ));
        let mut command = Command::new(env!("CARGO_BIN_EXE_codecompass"));
        command
            .args(arguments)
            .current_dir(root)
            .env("CODECOMPASS_HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("NO_COLOR", "1");
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        command
    }

    fn run(&self, root: &Path, arguments: &[&str]) -> Output {
        self.command(root, arguments).output().unwrap()
    }

    #[track_caller]
    pub fn ok(&self, root: &Path, arguments: &[&str]) -> String {
        let output = self.run(root, arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            output.status.success(),
            "{arguments:?}: {}{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    #[track_caller]
    pub fn json(&self, root: &Path, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(root, arguments)).unwrap()
    }
}

pub fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {error}");
}

pub fn commit(root: &Path) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "files"]);
}

/// A real S3 server in a directory of its own; ended with the test.
struct S3Server {
    process: Child,
    address: SocketAddr,
    _directory: tempfile::TempDir,
}

impl Drop for S3Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl S3Server {
    /// `None` with a note where it is not installed.
    fn start(name: &str) -> Option<S3Server> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
        let program = target.join("object-stores/bin").join(name);
        if !program.exists() {
            eprintln!("NOT TESTED: {name} is not installed (tests/object-stores/install.sh)");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("bucket")).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let mut command = Command::new(program);
        match name {
            "versitygw" => command
                .args([
                    "--access",
                    "access",
                    "--secret",
                    "secret-of-tests",
                    "--quiet",
                ])
                .args(["--port", &address.to_string(), "posix"])
                .arg(directory.path()),
            _ => command
                .args(["-backend", "memory", "-initialbucket", "bucket"])
                .args(["-host", &address.to_string()]),
        };
        let process = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = S3Server {
            process,
            address,
            _directory: directory,
        };
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < until, "{name} does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }
}

/// Publishes from one machine and asks on others.
fn check_team(team: &Team) {
    let origin = team.origin(30);
    let first = team.json(&origin, &["publish", "--json"]);
    assert_eq!(
        (&first["repository"], &first["ref"], &first["files"]),
        (&"example.org/team/shop".into(), &"main".into(), &32.into())
    );
    let again = team.json(&origin, &["publish", "--json"]);
    assert_eq!(
        (&again["new_contents"], &again["packs_written"]),
        (&0.into(), &0.into())
    );
    let shown = team.ok(&origin, &["remote", "show"]);
    assert!(shown.starts_with("example.org/team/shop main "), "{shown}");

    // A machine that has indexed nothing takes the facts from the store.
    let other = team.clone("other");
    let indexed = team.ok(&other, &["--verbose", "index"]);
    assert!(indexed.starts_with("32 files"), "{indexed}");
    // And answers about the commit without an index.
    let third = team.clone("third");
    let callers = team.ok(&third, &["callers", "Cart.total", "--ref", "HEAD"]);
    assert!(callers.contains("pay29"), "{callers}");
    assert_eq!(
        callers,
        team.ok(&origin, &["callers", "Cart.total", "--ref", "HEAD"]),
        "the published index answers as the local one"
    );
    let searched = team.ok(&third, &["search", "pay7", "--ref", "HEAD"]);
    assert!(searched.contains("user7.py"), "{searched}");
    let pulled = team.json(&third, &["pull", "--json"]);
    assert_eq!(pulled["files"], 32);

    // A second commit costs what it changes.
    fs::write(origin.join("shop/user0.py"), "def changed(): ...\n").unwrap();
    commit(&origin);
    let second = team.json(&origin, &["publish", "--json"]);
    assert_eq!(
        (&second["new_contents"], &second["packs_written"]),
        (&1.into(), &1.into())
    );
    let collected = team.json(&origin, &["remote", "gc", "--json"]);
    assert_eq!(
        (&collected["removed"], &collected["manifests"]),
        (&0.into(), &2.into())
    );
}

#[test]
fn a_directory_serves_a_team() {
    check_team(&Team::new());
}

#[test]
fn a_team_with_a_key_reads_what_others_cannot() {
    let team = Team::new().with("CODECOMPASS_REMOTE_TEAM_KEY", "k".repeat(40));
    check_team(&team);
    let shown = team.ok(&team.directory.path().join("origin"), &["config"]);
    assert!(
        !shown.contains("kkkk") && shown.contains("remote.team_key = \"(set)\""),
        "{shown}"
    );
    let without = Team {
        directory: team.directory,
        environment: team.environment[..1].to_vec(),
    };
    let output = without.run(
        &without.directory.path().join("origin"),
        &["remote", "show"],
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_s3_server_serves_a_team() {
    let Some(server) = S3Server::start("versitygw") else {
        return;
    };
    check_team(&Team::at(server.address));
}

/// It honours conditional writes, or publishing is refused; nothing in between.
#[test]
fn an_s3_server_of_another_make_serves_or_is_refused() {
    let Some(server) = S3Server::start("gofakes3") else {
        return;
    };
    let team = Team::at(server.address);
    let origin = team.origin(3);
    let output = team.run(&origin, &["publish"]);
    let error = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => check_team(
            &Team::at(server.address)
                .with("CODECOMPASS_REMOTE_URL", "s3://bucket/elsewhere".to_owned()),
        ),
        false => {
            assert!(error.contains("ignores conditional writes"), "{error}");
            assert_eq!(
                team.run(&origin, &["remote", "show"]).status.code(),
                Some(1)
            );
        }
    }
}

#[test]
fn what_cannot_be_published_says_why() {
    let team = Team::new();
    let origin = team.origin(1);
    let error = |team: &Team, arguments: &[&str]| {
        let output = team.run(&origin, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    git(&origin, &["checkout", "-q", "--detach"]);
    assert!(error(&team, &["publish"]).contains("--as NAME"));
    assert!(error(&team, &["publish", "--ref", "nothing"]).contains("nothing"));
    let set = ["--set", "remote.url=ftp://x/y", "publish", "--as", "x"];
    assert!(error(&team, &set).contains("s3://BUCKET/PREFIX"));
    let short = ["--set", "remote.team_key=short", "publish", "--as", "x"];
    assert!(error(&team, &short).contains("at least 32"));
    let none = Team {
        directory: tempfile::tempdir().unwrap(),
        environment: Vec::new(),
    };
    assert!(error(&none, &["publish", "--as", "x"]).contains("no remote store is set"));
    assert!(error(&team, &["remote", "gc", "--grace", "soon"]).contains("7d"));
}

/// A store that misbehaves costs a bounded time, and the answer is right all the same.
#[test]
fn a_bad_network_costs_a_moment_and_no_answer() {
    let Some(server) = S3Server::start("versitygw") else {
        return;
    };
    let proxy = ToxicProxy::before(server.address);
    let team = Team::at(proxy.address);
    let origin = team.origin(30);
    team.ok(&origin, &["publish"]);
    let right = team.ok(&origin, &["callers", "Cart.total", "--ref", "HEAD"]);
    let toxins = [
        Toxin::Latency,
        Toxin::Reset,
        Toxin::Silence,
        Toxin::Truncate,
        Toxin::WrongByte,
        Toxin::Error,
        Toxin::SlowDown,
    ];
    for toxin in toxins {
        proxy.set(toxin);
        let before = proxy.n_requests();
        let clone = team.clone(&format!("{toxin:?}"));
        let began = Instant::now();
        assert_eq!(
            team.ok(&clone, &["callers", "Cart.total", "--ref", "HEAD"]),
            right,
            "{toxin:?}"
        );
        assert!(
            began.elapsed() < Duration::from_secs(40),
            "{toxin:?} {:?}",
            began.elapsed()
        );
        assert!(
            proxy.n_requests() > before,
            "{toxin:?}: the store was asked"
        );
        proxy.set(Toxin::None);
    }
}

/// Publishers are killed at any time: readers see the ref before or after, and it is whole.
#[test]
fn killed_publishers_leave_whole_refs() {
    let team = Team::new();
    let origin = team.origin(40);
    team.ok(&origin, &["publish"]);
    let reader = team.clone("reader");
    let rounds = std::env::var("CODECOMPASS_TEST_KILLS").ok();
    let rounds = rounds.and_then(|n| n.parse().ok()).unwrap_or(12);
    let mut published = vec![head(&origin)];
    for i in 0..rounds {
        fs::write(
            origin.join("shop/user1.py"),
            format!("def changed{i}(): ...\n"),
        )
        .unwrap();
        commit(&origin);
        published.push(head(&origin));
        let mut publisher = team
            .command(&origin, &["publish"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + 37 * (i % 9)));
        let _ = publisher.kill();
        publisher.wait().unwrap();
        let shown = team.ok(&reader, &["remote", "show"]);
        let commit = shown.split_whitespace().nth(2).unwrap();
        assert!(published.iter().any(|known| known == commit), "{shown}");
        // All of it can be read.
        let pulled = team.json(&reader, &["pull", "--json"]);
        assert_eq!(pulled["files"], 42);
    }
    team.ok(&origin, &["publish"]);
    let shown = team.ok(&reader, &["remote", "show"]);
    assert!(shown.contains(published.last().unwrap()), "{shown}");
}

fn head(root: &Path) -> String {
    let output = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(root)
        .output();
    String::from_utf8(output.unwrap().stdout)
        .unwrap()
        .trim()
        .to_owned()
}
