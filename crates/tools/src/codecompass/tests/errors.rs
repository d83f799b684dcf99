//! Every code of the registry, raised.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use answers::Routing;
use serde_json::json;

use super::{SHOP, Server, git, write};
use crate::codecompass::errors::RAISED;

#[test]
fn wrong_arguments() {
    let server = Server::new(SHOP);
    for (tool, arguments) in [
        ("search_code", json!({})),
        ("search_code", json!({ "query": "  " })),
        (
            "search_code",
            json!({ "query": "a", "detail_level": "everything" }),
        ),
        (
            "search_code",
            json!({ "query": "a", "language": "klingon" }),
        ),
        ("locate_symbol", json!({ "name": "" })),
        ("locate_symbol", json!({ "name": "a", "kind": "klass_of" })),
        (
            "get_symbol_hierarchy",
            json!({ "symbol_name": "Cart", "direction": "sideways" }),
        ),
        (
            "find_related_symbols",
            json!({ "symbol_name": "Cart", "scope": "world" }),
        ),
        (
            "suggest_followup_queries",
            json!({ "previous_query": { "params": {} }, "previous_results": {} }),
        ),
        (
            "suggest_followup_queries",
            json!({ "previous_query": { "tool": "search_code" }, "previous_results": {} }),
        ),
        (
            "suggest_followup_queries",
            json!({ "previous_query": { "tool": "search_code", "params": {} } }),
        ),
        ("get_file_outline", json!({ "path": "../outside.py" })),
        ("get_file_outline", json!({ "path": "/etc/passwd" })),
        ("get_file_outline", json!({ "path": "" })),
    ] {
        assert_eq!(
            server.error(tool, arguments.clone())["code"],
            "invalid_input",
            "{tool} {arguments}"
        );
    }
    assert_eq!(
        server.error(
            "get_code_context",
            json!({ "query": "a", "strategy": "width" })
        )["code"],
        "invalid_strategy"
    );
    for max_tokens in [0, -1] {
        assert_eq!(
            server.error(
                "get_code_context",
                json!({ "query": "a", "max_tokens": max_tokens })
            )["code"],
            "invalid_max_tokens"
        );
    }
}

#[test]
fn what_is_not_there_is_named_with_the_nearest() {
    let server = Server::new(SHOP);
    let error = server.error("get_call_graph", json!({ "symbol_name": "tax_raet" }));
    assert_eq!(error["code"], "symbol_not_found");
    assert_eq!(error["data"]["nearest"][0], "tax_rate");
    assert_eq!(error["data"]["ref"], "main");
    let error = server.error("get_file_outline", json!({ "path": "shop/carts.py" }));
    assert_eq!(error["code"], "file_not_found");
    assert_eq!(error["data"]["nearest"][0], "shop/cart.py");
    assert_eq!(
        server.error(
            "get_symbol_hierarchy",
            json!({ "symbol_name": "Cart", "path": "shop/nowhere.py" })
        )["code"],
        "file_not_found"
    );
    for reference in [
        "nowhere",
        "--upload-pack=x",
        "",
        "a b",
        "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
    ] {
        assert_eq!(
            server.error("search_code", json!({ "query": "cart", "ref": reference }))["code"],
            "ref_not_indexed",
            "{reference}"
        );
    }
    assert_eq!(
        server.error(
            "compare_symbol_between_commits",
            json!({ "symbol_name": "Cart", "base_ref": "nowhere", "head_ref": "main" })
        )["code"],
        "ref_not_indexed"
    );
}

#[test]
fn a_name_in_several_files_is_ambiguous_until_a_path_decides() {
    let server = Server::new("//- a.py\ndef run(): ...\n//- b.py\ndef run(): ...\n");
    for tool in [
        "get_symbol_hierarchy",
        "find_related_symbols",
        "get_call_graph",
        "find_references",
    ] {
        let error = server.error(tool, json!({ "symbol_name": "run" }));
        assert_eq!(error["code"], "ambiguous_symbol", "{tool}");
        assert_eq!(error["data"]["candidate_count"], 2);
        assert_eq!(error["data"]["candidates"][1]["path"], "b.py");
        server.answer(tool, json!({ "symbol_name": "run", "path": "b.py" }));
        server.answer(
            tool,
            json!({ "symbol_name": error["data"]["candidates"][0]["symbol_id"] }),
        );
    }
}

#[test]
fn a_whole_name_is_not_part_of_a_longer_one() {
    let server = Server::new(
        "//- request.rb\nmodule Rack\n  class Request\n  end\nend\n//- basic.rb\nmodule Rack\n  module Auth\n    class Request\n    end\n  end\nend\n",
    );
    for (name, path) in [
        ("Rack::Request", "request.rb"),
        ("Rack::Auth::Request", "basic.rb"),
        ("Auth::Request", "basic.rb"),
    ] {
        let answer = server.answer("find_references", json!({ "symbol_name": name }));
        assert_eq!(answer["symbol"]["path"], path, "{name}");
    }
    assert_eq!(
        server.error("find_references", json!({ "symbol_name": "Request" }))["code"],
        "ambiguous_symbol"
    );
}

#[test]
fn workspaces_are_served_by_the_rules() {
    let other = tempfile::tempdir().unwrap();
    let other_path = other.path().to_str().unwrap();
    let server = Server::new(SHOP);
    assert_eq!(
        server.error(
            "search_code",
            json!({ "query": "a", "workspace": other_path })
        )["code"],
        "workspace_not_registered"
    );
    // What is missing outside is not told from what is there.
    assert_eq!(
        server.error(
            "search_code",
            json!({ "query": "a", "workspace": "/no/such/place" })
        )["code"],
        "workspace_not_registered"
    );
    assert_eq!(
        server.error("health_check", json!({ "workspace": other_path }))["code"],
        "workspace_not_registered"
    );
    let homeless = Server::over(tempfile::tempdir().unwrap(), |_| Routing::default());
    assert_eq!(
        homeless.error("search_code", json!({ "query": "a" }))["code"],
        "project_not_found"
    );
    assert_eq!(
        homeless.answer("health_check", json!({}))["projects"],
        json!([])
    );
    let none_fit = Server::over(tempfile::tempdir().unwrap(), |root| Routing {
        allowed_roots: vec![root],
        at_most: 0,
        ..Routing::default()
    });
    let inside = none_fit.directory.path().to_str().unwrap();
    assert_eq!(
        none_fit.error("search_code", json!({ "query": "a", "workspace": inside }))["code"],
        "workspace_limit_exceeded"
    );
    assert_eq!(
        none_fit.error(
            "search_code",
            json!({ "query": "a", "workspace": other_path })
        )["code"],
        "workspace_not_allowed"
    );
}

#[test]
fn the_same_job_does_not_run_twice() {
    let mut files = String::new();
    for i in 0..1500 {
        files.push_str(&format!("//- src/f{i}.py\ndef function_{i}(a, b):\n    return [a + b for c in range({i}) if c > {i}]\n"));
    }
    let server = Server::unindexed(&files);
    let started = server.answer("index_repo", json!({ "force": true }));
    assert_eq!(
        (&started["status"], &started["mode"]),
        (&json!("running"), &json!("full"))
    );
    assert_eq!(
        started["progress_token"],
        format!("index-job-{}", started["job_id"].as_str().unwrap())
    );
    let again = server.error("index_repo", json!({}));
    assert_eq!(
        (&again["code"], &again["data"]["job_id"]),
        (&json!("index_in_progress"), &started["job_id"])
    );
    assert_eq!(
        server.error("sync_repo", json!({}))["code"],
        "sync_in_progress"
    );
    let workspace = server.workspace();
    assert!(workspace.jobs().wait(
        started["job_id"].as_str().unwrap(),
        std::time::Instant::now() + std::time::Duration::from_secs(120)
    ));
    let status = server.answer("index_status", json!({}));
    assert_eq!(status["recent_jobs"][0]["status"], "published");
    assert_eq!(server.answer("sync_repo", json!({}))["mode"], "incremental");
}

/// A server over an index whose file was changed in between.
fn over_changed_index(change: impl FnOnce(&mut Vec<u8>)) -> (Server, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    write(directory.path(), SHOP);
    // So many that the text of them is written, too.
    write(
        directory.path(),
        &(0..40)
            .map(|i| format!("//- more/file_{i}.py\ndef filler_{i}(): ...\n"))
            .collect::<String>(),
    );
    git(directory.path(), &["init", "-q", "-b", "main"]);
    let options = workspace::Options {
        home: Some(home.path().to_path_buf()),
        ..Default::default()
    };
    let workspace = workspace::Workspace::open(directory.path(), options.clone()).unwrap();
    workspace
        .index_live(false, &Default::default(), |_| ())
        .unwrap();
    let database = std::fs::read_dir(workspace.index_directory().unwrap())
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            path.is_file()
                && std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3"))
        });
    let database = database.expect("the database");
    workspace.store().checkpoint().unwrap();
    drop(workspace);
    let mut bytes = std::fs::read(&database).unwrap();
    change(&mut bytes);
    std::fs::write(&database, bytes).unwrap();
    for extra in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{extra}", database.display()));
    }
    (
        Server::over(directory, |root| Routing {
            registered: vec![root],
            options,
            ..Routing::default()
        }),
        home,
    )
}

/// `user_version` is at byte 60 of the header.
fn set_schema(version: u32) -> impl FnOnce(&mut Vec<u8>) {
    move |bytes| bytes[60..64].copy_from_slice(&version.to_be_bytes())
}

#[test]
fn an_index_of_a_newer_release_is_incompatible() {
    let (server, _home) = over_changed_index(set_schema(9_999));
    let failed = server
        .call("search_code", json!({ "query": "cart" }))
        .expect_err("incompatible");
    assert_eq!(failed["error"]["code"], "index_incompatible");
    assert!(
        failed["error"]["data"]["remediation"]
            .as_str()
            .unwrap()
            .contains("codecompass")
    );
    assert_eq!(
        (
            &failed["metadata"]["indexing_status"],
            &failed["metadata"]["schema_status"]
        ),
        (&json!("failed"), &json!("reindex_required"))
    );
}

/// What can be built again is built again, by itself.
#[test]
fn an_old_or_damaged_index_is_built_again_and_says_so_until_then() {
    let damage: Box<dyn FnOnce(&mut Vec<u8>)> = Box::new(|bytes| bytes[..64].fill(7));
    for (change, status) in [
        (
            Box::new(set_schema(0)) as Box<dyn FnOnce(&mut Vec<u8>)>,
            "reindex_required",
        ),
        (damage, "corrupt_manifest"),
    ] {
        let (server, _home) = over_changed_index(change);
        // The contents get other numbers than before.
        server.write(
            "//- before_all_others.py\ndef weigh_parcels(parcels):\n    \"\"\"The postage of heavy parcels.\"\"\"\n    return parcels\n",
        );
        let before = server.answer("index_status", json!({}));
        assert_eq!(
            (&before["schema_status"], &before["index_status"]),
            (&json!(status), &json!("not_indexed"))
        );
        assert!(
            before["compatibility_reason"]
                .as_str()
                .unwrap()
                .contains("built again"),
            "{before}"
        );
        let health = server.answer("health_check", json!({}));
        assert_eq!(health["startup_checks"]["index"]["status"], status);
        assert_eq!(
            server.answer("locate_symbol", json!({ "name": "tax_rate" }))["total_candidates"],
            1
        );
        assert_eq!(
            server.answer("index_status", json!({}))["schema_status"],
            "compatible"
        );
        for (query, name) in [
            ("the postage of what is heavy", "weigh_parcels"),
            ("value added tax of a country", "tax_rate"),
        ] {
            let answer = server.answer("search_code", json!({ "query": query }));
            assert_eq!(answer["results"][0]["name"], name, "{query}: {answer}");
        }
    }
}

#[test]
fn an_abbreviation_of_several_commits_is_not_indexed() {
    let server = Server::new(SHOP);
    // Among 1,500 commits two begin with the same four digits, but for one time in ten million.
    let mut script = String::new();
    for i in 0..1500 {
        let message = format!("commit {i}");
        script.push_str(&format!(
            "commit refs/heads/many\ncommitter t <t@example.org> {i} +0000\ndata {}\n{message}\n",
            message.len()
        ));
    }
    let import = std::process::Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(server.directory.path())
        .stdin(std::process::Stdio::piped())
        .spawn();
    let mut import = import.unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), script.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    let listed = std::process::Command::new("git")
        .args(["rev-list", "many"])
        .current_dir(server.directory.path())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut starts = BTreeSet::new();
    let twice = listed
        .lines()
        .map(|id| &id[..4])
        .find(|start| !starts.insert(*start))
        .expect("two commits that begin alike");
    let error = server.error("locate_symbol", json!({ "name": "tax_rate", "ref": twice }));
    assert_eq!(error["code"], "ref_not_indexed");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("several commits"),
        "{error}"
    );
}

/// While indexing runs, what is missing may come yet, and the error says so.
#[test]
fn what_is_missing_while_indexing_may_come_yet() {
    let mut files = String::new();
    for i in 0..1500 {
        files.push_str(&format!("//- src/f{i}.py\ndef function_{i}(a, b):\n    return [a + b for c in range({i}) if c > {i}]\n"));
    }
    let server = Server::unindexed(&files);
    let job = server.answer("index_repo", json!({ "force": true }))["job_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let until = Instant::now() + Duration::from_secs(120);
    // However quick the index is, each error is of one of three moments: nothing yet, some of it,
    // all of it.
    loop {
        let failed = server
            .call("get_call_graph", json!({ "symbol_name": "nowhere" }))
            .expect_err("nowhere");
        let (code, metadata) = (
            failed["error"]["code"].as_str().unwrap(),
            &failed["metadata"],
        );
        let says_so = failed["error"]["message"]
            .as_str()
            .unwrap()
            .contains("indexing is under way");
        match code {
            "index_not_ready" => {}
            "symbol_not_found"
                if metadata["indexing_status"] == "ready"
                    && metadata["freshness_status"] == "fresh"
                    && !says_so =>
            {
                break;
            }
            "symbol_not_found" => {}
            other => panic!("{other}: {failed}"),
        }
        assert!(Instant::now() < until);
    }
    assert!(server.workspace().jobs().wait(&job, until));
}

/// `index_stale` is raised in `history.rs`.
#[test]
fn nothing_is_answerable_before_anything_is_indexed() {
    let mut files = String::new();
    for i in 0..500 {
        files.push_str(&format!(
            "//- src/f{i}.py\ndef function_{i}():\n    return {i}\n"
        ));
    }
    let server = Server::unindexed(&files);
    // On a busy machine a moment may be over before the call begins.
    let failed = loop {
        let failed = server
            .call_within(
                Duration::from_millis(1),
                "locate_symbol",
                json!({ "name": "function_7" }),
            )
            .expect_err("too early");
        if failed["error"]["code"] != "timeout" {
            break failed;
        }
    };
    let error = &failed["error"];
    assert_eq!(error["code"], "index_not_ready", "{error}");
    let job = error["data"]["job_id"]
        .as_str()
        .expect("the job that works on it")
        .to_owned();
    assert!(
        server
            .workspace()
            .jobs()
            .wait(&job, Instant::now() + Duration::from_secs(120))
    );
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "function_7" }))["total_candidates"],
        1
    );
}

#[test]
fn a_ref_whose_objects_are_gone_is_not_indexed() {
    let server = Server::new(SHOP);
    server.write("//- shop/tax.py\ndef tax_rate(): return 1\n");
    server.commit("second");
    let output = std::process::Command::new("git")
        .args(["rev-parse", "HEAD~1^{tree}"])
        .current_dir(server.directory.path())
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let (start, rest) = tree.trim().split_at(2);
    std::fs::remove_file(
        server
            .directory
            .path()
            .join(".git/objects")
            .join(start)
            .join(rest),
    )
    .unwrap();
    let error = server.error(
        "locate_symbol",
        json!({ "name": "tax_rate", "ref": "HEAD~1" }),
    );
    assert_eq!(error["code"], "ref_not_indexed", "{error}");
    assert_eq!(
        server.answer(
            "locate_symbol",
            json!({ "name": "tax_rate", "ref": "HEAD" })
        )["total_candidates"],
        1
    );
}

#[test]
fn the_registry_has_no_code_twice() {
    assert_eq!(RAISED.iter().collect::<BTreeSet<_>>().len(), RAISED.len());
}
