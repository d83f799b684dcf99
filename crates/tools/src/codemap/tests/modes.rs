//! Answers about commits, kept workspaces and virtual files.

use super::*;

fn names(server: &Server, arguments: Value) -> Vec<String> {
    each(
        &server.data("symbols.search", arguments)["hits"],
        "fully_qualified_name",
    )
    .into_iter()
    .map(str::to_owned)
    .collect()
}

fn create(server: &Server, id: &str) -> Value {
    server.data(
        "workspace.create",
        json!({ "workspace_id": id, "solution_path": "." }),
    )
}

#[test]
fn committed_answers_do_not_see_the_dirty_tree() {
    let server = Server::new("//- a.py\ndef one(): ...\n");
    server.write("//- a.py\ndef two(): ...\n");
    assert_eq!(names(&server, json!({ "kinds": ["Method"] })), ["a.one"]);
    let span = server.data(
        "code.get_span",
        json!({ "file_path": "a.py", "start_line": 1, "end_line": 1 }),
    );
    assert_eq!(span["content"], "    1 | def one(): ...\n");
    let status = server.data("repo.status", json!({}));
    assert_eq!(
        (status["is_clean"].as_bool(), status["branch_name"].as_str()),
        (Some(false), Some("main"))
    );
}

#[test]
fn a_workspace_takes_edits_additions_deletions_and_undone_edits_in() {
    let server = Server::new(
        "//- a.py\ndef one(): ...\n//- b.py\nfrom a import one\none()\n//- c.py\ndef gone(): ...\n",
    );
    assert_eq!(create(&server, "w")["current_revision"], 0);
    server
        .write("//- a.py\n# moved\ndef one(): ...\ndef two(): one()\n//- d.py\ndef fresh(): ...\n");
    server.remove("c.py");
    let refreshed = server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    assert_eq!(
        (
            refreshed["files_reindexed"].as_u64(),
            refreshed["new_overlay_revision"].as_u64()
        ),
        (Some(3), Some(1))
    );
    assert_eq!(
        names(&server, json!({ "workspace_id": "w", "kinds": ["Method"] })),
        ["a.one", "a.two", "d.fresh"]
    );
    let callers = server.answer(
        "graph.callers",
        json!({ "workspace_id": "w", "symbol_id": "M:a.one" }),
    );
    assert_eq!(
        each(&callers["data"]["nodes"], "display_name"),
        ["a.one", "b.py", "a.two"]
    );
    assert_eq!(
        (
            callers["meta"]["workspace_id"].as_str(),
            callers["meta"]["overlay_revision"].as_u64()
        ),
        (Some("w"), Some(1))
    );
    let again = server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    assert_eq!(
        (
            again["files_reindexed"].as_u64(),
            again["new_overlay_revision"].as_u64()
        ),
        (Some(0), Some(1))
    );
    server.write("//- a.py\ndef one(): ...\n//- c.py\ndef gone(): ...\n");
    server.remove("d.py");
    server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    assert_eq!(
        names(&server, json!({ "workspace_id": "w", "kinds": ["Method"] })),
        ["a.one", "c.gone"]
    );
}

#[test]
fn two_workspaces_are_isolated_and_each_can_be_reset_and_deleted() {
    let server = Server::new("//- a.py\ndef one(): ...\n");
    create(&server, "first");
    create(&server, "second");
    server.write("//- a.py\ndef two(): ...\n");
    server.data(
        "index.refresh_overlay",
        json!({ "workspace_id": "first", "file_paths": ["a.py"] }),
    );
    assert_eq!(
        names(
            &server,
            json!({ "workspace_id": "first", "kinds": ["Method"] })
        ),
        ["a.two"]
    );
    assert_eq!(
        names(
            &server,
            json!({ "workspace_id": "second", "kinds": ["Method"] })
        ),
        ["a.one"]
    );
    assert_eq!(
        create(&server, "first")["current_revision"],
        1,
        "creating again keeps what is there"
    );
    let listed = server.data("workspace.list", json!({}));
    assert_eq!(
        each(&listed["workspaces"], "workspace_id"),
        ["first", "second"]
    );
    assert_eq!(
        (
            listed["workspaces"][0]["modified_file_count"].as_u64(),
            listed["workspaces"][0]["is_stale"].as_bool()
        ),
        (Some(1), Some(false))
    );
    let reset = server.data("workspace.reset", json!({ "workspace_id": "first" }));
    assert_eq!(
        (
            reset["previous_revision"].as_u64(),
            reset["new_revision"].as_u64()
        ),
        (Some(1), Some(0))
    );
    assert_eq!(
        names(
            &server,
            json!({ "workspace_id": "first", "kinds": ["Method"] })
        ),
        ["a.one"]
    );
    assert_eq!(
        server.data("workspace.delete", json!({ "workspace_id": "first" }))["deleted"],
        true
    );
    assert_eq!(
        server.data("workspace.delete", json!({ "workspace_id": "first" }))["deleted"],
        false
    );
    assert_eq!(
        server
            .error(
                "symbols.search",
                json!({ "workspace_id": "first", "query": "one" })
            )
            .0,
        "NOT_FOUND"
    );
    server.commit("second");
    assert_eq!(
        server.data("workspace.list", json!({}))["workspaces"][0]["is_stale"],
        true
    );
}

#[test]
fn virtual_files_change_every_answer() {
    let server = Server::new(
        "//- app.py\nfrom flask import Flask\napp = Flask(__name__)\n@app.route('/old')\ndef old(): ...\n//- b.py\nfrom app import old\ndef use(): old()\n",
    );
    create(&server, "w");
    let text = "from flask import Flask\napp = Flask(__name__)\nclass Base: ...\nclass Derived(Base): ...\n@app.route('/new')\ndef new():\n    raise ValueError('x')\ndef old(): new()\n";
    let ask = |tool: &str, extra: Value| {
        let mut arguments = json!({ "workspace_id": "w", "virtual_files": [{ "file_path": "app.py", "content": text }] });
        arguments
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        server.data(tool, arguments)
    };
    assert_eq!(
        each(
            &ask("symbols.search", json!({ "query": "new" }))["hits"],
            "fully_qualified_name"
        ),
        ["app.new"]
    );
    assert_eq!(
        ask("symbols.get_card", json!({ "symbol_id": "M:app.new" }))["thrown_exceptions"],
        json!(["ValueError"])
    );
    assert_eq!(
        each(
            &ask("refs.find", json!({ "symbol_id": "M:app.new" }))["references"],
            "from_symbol"
        ),
        ["M:app.old"]
    );
    assert_eq!(
        each(
            &ask(
                "graph.callers",
                json!({ "symbol_id": "M:app.new", "depth": 2 })
            )["nodes"],
            "display_name"
        ),
        ["app.new", "app.old", "b.use"]
    );
    assert_eq!(
        each(
            &ask("types.hierarchy", json!({ "symbol_id": "T:app.Base" }))["derived_types"],
            "display_name"
        ),
        ["app.Derived"]
    );
    assert_eq!(
        each(
            &ask("surfaces.list_endpoints", json!({}))["endpoints"],
            "route_path"
        ),
        ["/new"]
    );
    assert_eq!(
        ask(
            "code.get_span",
            json!({ "file_path": "app.py", "start_line": 3, "end_line": 3 })
        )["content"],
        "    3 | class Base: ...\n"
    );
    assert_eq!(
        each(
            &server.data("surfaces.list_endpoints", json!({ "workspace_id": "w" }))["endpoints"],
            "route_path"
        ),
        ["/old"]
    );
}

#[test]
fn clones_of_one_repository_have_one_id() {
    let server = Server::new("//- a.py\ndef one(): ...\n");
    let id = || {
        let again = Server::over(tempfile::tempdir().unwrap(), true);
        git(
            again.directory.path(),
            &["clone", "-q", &server.root(), "."],
        );
        again
    };
    let repo_id = |server: &Server| {
        server.data("repo.status", json!({}))["repo_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        repo_id(&server).starts_with("local-"),
        "it was not cloned from anywhere"
    );
    let (first, second) = (id(), id());
    assert_eq!(repo_id(&first), repo_id(&second));
    assert!(
        repo_id(&first).len() == 16 && repo_id(&first).bytes().all(|byte| byte.is_ascii_hexdigit())
    );
    let signed_in = |url: &str| {
        let clone = id();
        git(
            clone.directory.path(),
            &["remote", "set-url", "origin", url],
        );
        repo_id(&clone)
    };
    let plain = signed_in("https://example.org/acme/shop");
    assert_eq!(
        signed_in("https://somebody:secret@example.org/Acme/Shop.git/"),
        plain
    );
    assert_ne!(signed_in("https://example.org/acme/till"), plain);
}

#[test]
fn any_commit_can_be_indexed_and_stays_what_it_was() {
    let server = Server::new("//- a.py\ndef one(): ...\n");
    let first = server.data("index.ensure_baseline", json!({}));
    assert_eq!(
        (
            first["already_existed"].as_bool(),
            first["stats"]["symbol_count"].as_u64()
        ),
        (Some(false), Some(1))
    );
    assert_eq!(first["stats"]["semantic_level"], "full");
    let sha = first["commit_sha"].as_str().unwrap();
    server.write("//- a.py\ndef two(): ...\n");
    server.commit("second");
    assert_eq!(
        server.data("index.ensure_baseline", json!({ "commit_sha": sha }))["already_existed"],
        true
    );
    assert_eq!(names(&server, json!({ "kinds": ["Method"] })), ["a.two"]);
    server.data(
        "workspace.create",
        json!({ "workspace_id": "old", "solution_path": "a.py", "commit_sha": &sha[..10] }),
    );
    assert_eq!(
        names(
            &server,
            json!({ "kinds": ["Method"], "workspace_id": "old" })
        ),
        ["a.one"]
    );
}

#[test]
fn workspaces_survive_a_restart() {
    let (place, home) = (one_committed(), tempfile::tempdir().unwrap());
    let open = |directory: TempDir| open_with(&home, directory);
    let server = open(place);
    create(&server, "w");
    server.write("//- a.py\ndef two(): ...\n");
    server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    let Server {
        directory, host, ..
    } = server;
    drop(host);
    let server = open(directory);
    assert_eq!(
        names(&server, json!({ "workspace_id": "w", "kinds": ["Method"] })),
        ["a.two"]
    );
    assert_eq!(
        server.data("workspace.list", json!({}))["workspaces"][0]["overlay_revision"],
        1
    );
}

#[test]
fn a_renamed_file_keeps_the_ids_of_what_declares_its_namespace() {
    let server =
        Server::new("//- Old.cs\nnamespace Acme;\npublic class Till { public void Sell() { } }\n");
    create(&server, "w");
    let id = |arguments: Value| {
        server.data("symbols.get_card", arguments)["stable_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let before = id(json!({ "symbol_id": "Till.Sell", "workspace_id": "w" }));
    let file = |name: &str| server.directory.path().join(name);
    std::fs::rename(file("Old.cs"), file("New.cs")).unwrap();
    let refreshed = server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    assert_eq!(
        refreshed["files_reindexed"], 2,
        "one gone, one new: {refreshed}"
    );
    let card = server.data(
        "symbols.get_card",
        json!({ "symbol_id": before, "workspace_id": "w" }),
    );
    assert_eq!(
        (card["file_path"].as_str(), card["symbol_id"].as_str()),
        (Some("New.cs"), Some("M:Acme.Till.Sell"))
    );
    assert_eq!(
        id(json!({ "symbol_id": "Till.Sell" })),
        before,
        "the commit still has it under its old name"
    );
}

#[test]
fn two_clients_refresh_one_overlay_at_once() {
    let server = Server::new("//- a.py\ndef one(): ...\n");
    create(&server, "w");
    server.write("//- a.py\ndef two(): ...\n//- b.py\ndef three(): ...\n");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| server.data("index.refresh_overlay", json!({ "workspace_id": "w" })));
        }
    });
    assert_eq!(
        names(&server, json!({ "workspace_id": "w", "kinds": ["Method"] })),
        ["a.two", "b.three"]
    );
    assert_eq!(
        server.data("index.refresh_overlay", json!({ "workspace_id": "w" }))["files_reindexed"],
        0
    );
}

#[test]
fn a_workspace_outlives_its_history() {
    let server = Server::new("//- a.py\ndef one(): ...\n");
    create(&server, "w");
    server.write("//- a.py\ndef two(): ...\n");
    git(
        server.directory.path(),
        &["commit", "-q", "--amend", "-a", "-m", "other"],
    );
    git(
        server.directory.path(),
        &["reflog", "expire", "--expire=now", "--all"],
    );
    git(server.directory.path(), &["gc", "-q", "--prune=now"]);
    assert_eq!(
        names(&server, json!({ "workspace_id": "w", "kinds": ["Method"] })),
        ["a.one"]
    );
    assert_eq!(
        server.data("workspace.list", json!({}))["workspaces"][0]["is_stale"],
        true
    );
    server.data("index.refresh_overlay", json!({ "workspace_id": "w" }));
    assert_eq!(
        names(&server, json!({ "workspace_id": "w", "kinds": ["Method"] })),
        ["a.two"]
    );
}

#[test]
fn a_damaged_index_is_built_again() {
    let (place, home) = (one_committed(), tempfile::tempdir().unwrap());
    let open = |directory: TempDir| open_with(&home, directory);
    let Server {
        directory, host, ..
    } = {
        let server = open(place);
        server.data("index.ensure_baseline", json!({}));
        server
    };
    drop(host);
    let mut open_directories = vec![home.path().to_path_buf()];
    while let Some(inside) = open_directories.pop() {
        for entry in std::fs::read_dir(inside)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            match entry.is_dir() {
                true => open_directories.push(entry),
                false => {
                    let length = std::fs::metadata(&entry).unwrap().len();
                    std::fs::OpenOptions::new()
                        .write(true)
                        .open(&entry)
                        .unwrap()
                        .set_len(length / 3)
                        .unwrap();
                }
            }
        }
    }
    let server = open(directory);
    server.data("index.ensure_baseline", json!({}));
    assert_eq!(names(&server, json!({ "kinds": ["Method"] })), ["a.one"]);
}

/// A repository with one function, committed.
fn one_committed() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "//- a.py\ndef one(): ...\n");
    git(place.path(), &["init", "-q", "-b", "main"]);
    git(place.path(), &["add", "-A"]);
    git(place.path(), &["commit", "-q", "-m", "first"]);
    place
}

/// A server whose index outlives it in `home`.
fn open_with(home: &TempDir, directory: TempDir) -> Server {
    let root = dunce::canonicalize(directory.path()).unwrap();
    let mut routing = Routing {
        registered: vec![root.clone()],
        ..Routing::default()
    };
    routing.options.home = Some(home.path().to_path_buf());
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
