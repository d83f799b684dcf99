//! Two machines that share a cache of facts.

use super::*;

/// A clone of one repository with a home of its own and a cache that it shares.
fn machine(origin: &Path, cache: &Path) -> (Server, TempDir) {
    let (place, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    git(
        place.path(),
        &["clone", "-q", origin.to_str().unwrap(), "."],
    );
    let root = dunce::canonicalize(place.path()).unwrap();
    let mut routing = Routing {
        registered: vec![root.clone()],
        ..Routing::default()
    };
    routing.options.home = Some(home.path().to_path_buf());
    routing.options.shared_cache = Some(cache.to_path_buf());
    let host = TestHost {
        roots: Roots::new([&root]).unwrap(),
        workspaces: Workspaces::new(routing),
    };
    (
        Server {
            directory: place,
            host: Arc::new(host),
            registry: Registry::of(&[CODEMAP]),
            strict: false,
        },
        home,
    )
}

fn origin() -> TempDir {
    let origin = tempfile::tempdir().unwrap();
    write(
        origin.path(),
        "//- a.py\nclass Shop:\n    def sell(self): ...\n//- b.py\nfrom a import Shop\nShop().sell()\n",
    );
    git(origin.path(), &["init", "-q", "-b", "main"]);
    git(origin.path(), &["add", "-A"]);
    git(origin.path(), &["commit", "-q", "-m", "first"]);
    origin
}

fn bundles(cache: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(cache.join("codecompass-1")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_baseline_is_pulled_before_it_is_built_and_pushed_after() {
    let (origin, cache) = (origin(), tempfile::tempdir().unwrap());
    let (first, _home) = machine(origin.path(), cache.path());
    let built = first.data("index.ensure_baseline", json!({}));
    assert_eq!(
        (
            built["already_existed"].as_bool(),
            built["from_cache"].as_bool()
        ),
        (Some(false), Some(false))
    );
    assert_eq!(bundles(cache.path()).len(), 1);
    let (second, _home) = machine(origin.path(), cache.path());
    let pulled = second.data("index.ensure_baseline", json!({}));
    assert_eq!(
        (
            pulled["already_existed"].as_bool(),
            pulled["from_cache"].as_bool()
        ),
        (Some(true), Some(true))
    );
    let callers = |server: &Server| {
        server.data("graph.callers", json!({ "symbol_id": "Shop.sell" }))["nodes"].clone()
    };
    assert_eq!(callers(&first), callers(&second));
    assert_eq!(
        second.data("index.ensure_baseline", json!({}))["from_cache"],
        false,
        "the next time it is found here"
    );
}

#[test]
fn a_damaged_bundle_is_built_anew_and_replaced() {
    let (origin, cache) = (origin(), tempfile::tempdir().unwrap());
    machine(origin.path(), cache.path())
        .0
        .data("index.ensure_baseline", json!({}));
    let bundle = bundles(cache.path()).remove(0);
    let whole = std::fs::read(&bundle).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [
        &whole[..whole.len() / 2],
        &flipped,
        b"",
        b"not a bundle at all, but longer than a hash is",
    ] {
        std::fs::write(&bundle, damaged).unwrap();
        let (server, _home) = machine(origin.path(), cache.path());
        assert_eq!(
            server.data("index.ensure_baseline", json!({}))["from_cache"],
            false
        );
        assert_eq!(
            server.data("symbols.search", json!({ "query": "sell" }))["total_count"],
            1
        );
        assert_eq!(
            std::fs::read(&bundle).unwrap(),
            whole,
            "the next machine finds it whole"
        );
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_nobodys_failure() {
    let (origin, place) = (origin(), tempfile::tempdir().unwrap());
    let file = place.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let (server, _home) = machine(origin.path(), &file);
    assert_eq!(
        server.data("index.ensure_baseline", json!({}))["from_cache"],
        false
    );
}

#[test]
fn machines_at_the_same_time_leave_one_whole_bundle() {
    let (origin, cache) = (origin(), tempfile::tempdir().unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                machine(origin.path(), cache.path())
                    .0
                    .data("index.ensure_baseline", json!({}))
            });
        }
    });
    assert_eq!(bundles(cache.path()).len(), 1);
    let (last, _home) = machine(origin.path(), cache.path());
    assert_eq!(
        last.data("index.ensure_baseline", json!({}))["from_cache"],
        true
    );
}
