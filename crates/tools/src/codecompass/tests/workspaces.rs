//! Several workspaces behind one server, what is kept warm, and what a process that died leaves
//! behind.

use serde_json::json;

use super::{SHOP, Server, commit, each, git, write};
use ::answers::Routing;

#[test]
fn each_workspace_answers_for_itself_and_the_default_is_warm_first() {
    let directory = tempfile::tempdir().unwrap();
    for (name, files) in [("one", SHOP), ("two", "//- lamp.py\ndef glow(): ...\n")] {
        let root = directory.path().join(name);
        std::fs::create_dir(&root).unwrap();
        write(&root, files);
        git(&root, &["init", "-q", "-b", "main"]);
        commit(&root, "first");
    }
    let server = Server::over(directory, |root| Routing {
        registered: vec![root.join("one")],
        allowed_roots: vec![root],
        at_most: 2,
        ..Routing::default()
    });
    let root = dunce::canonicalize(server.directory.path()).unwrap();
    let (one, two) = (root.join("one"), root.join("two"));
    server.host.workspaces.prewarm();
    let count = |name: &str, workspace: Option<&std::path::Path>| {
        server.answer(
            "locate_symbol",
            json!({ "name": name, "workspace": workspace }),
        )["total_candidates"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(
        (
            count("glow", None),
            count("glow", Some(&one)),
            count("glow", Some(&two))
        ),
        (0, 0, 1)
    );
    assert_eq!(
        (count("tax_rate", None), count("tax_rate", Some(&two))),
        (1, 0)
    );
    let health = server.answer("health_check", json!({}));
    assert_eq!(health["prewarm_status"], "complete");
    assert_eq!(
        health["workspace_warmset"],
        json!({ "enabled": true, "capacity": 3, "members": [&one, &two] })
    );
    assert_eq!(
        each(&health["projects"], "repo_root"),
        [one.to_str().unwrap(), two.to_str().unwrap()]
    );
    let asked = server.answer("health_check", json!({ "workspace": two }));
    assert_eq!(
        each(&asked["projects"], "repo_root"),
        [two.to_str().unwrap()]
    );
    // A link out of the allowed roots leads nowhere.
    #[cfg(unix)]
    {
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        let question = json!({ "query": "a", "workspace": root.join("link") });
        assert_eq!(
            server.error("search_code", question)["code"],
            "workspace_not_allowed"
        );
    }
}

/// One question after the other finds room for its workspace, though the one before has hardly been
/// indexed.
#[test]
fn the_next_workspace_waits_for_the_last_one_to_finish() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["one", "two", "three"] {
        let files: String = (0..60)
            .map(|i| format!("//- f{i}.py\ndef {name}_{i}():\n    return {i}\n"))
            .collect();
        write(&directory.path().join(name), &files);
    }
    let server = Server::over(directory, |root| Routing {
        allowed_roots: vec![root],
        at_most: 1,
        ..Routing::default()
    });
    for name in ["one", "two", "three", "one", "three"] {
        let asked =
            json!({ "name": format!("{name}_7"), "workspace": server.directory.path().join(name) });
        // The index is in memory here, and gone with the workspace that made room.
        assert_eq!(
            server.answer("locate_symbol", asked)["total_candidates"],
            1,
            "{name}"
        );
    }
}

/// A server whose index is on disk, and nothing is indexed yet.
fn on_disk() -> (Server, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    write(directory.path(), SHOP);
    git(directory.path(), &["init", "-q", "-b", "main"]);
    commit(directory.path(), "first");
    let options = options_in(&home);
    (
        Server::over(directory, |root| Routing {
            registered: vec![root],
            options,
            ..Routing::default()
        }),
        home,
    )
}

fn options_in(home: &tempfile::TempDir) -> workspace::Options {
    workspace::Options {
        home: Some(home.path().to_path_buf()),
        ..Default::default()
    }
}

#[test]
fn a_failed_index_is_told_with_its_cause_and_tried_again_by_the_next_question() {
    let (server, _home) = on_disk();
    // A directory is where the file is locked that one process locks to index alone.
    let obstacle = server
        .workspace()
        .index_directory()
        .unwrap()
        .join("indexing.lock");
    std::fs::create_dir(&obstacle).unwrap();
    for (tool, arguments) in [
        ("locate_symbol", json!({ "name": "tax_rate" })),
        (
            "search_code",
            json!({ "query": "tax rate", "freshness_policy": "best_effort" }),
        ),
        (
            "search_code",
            json!({ "query": "tax rate", "freshness_policy": "strict" }),
        ),
        ("get_code_context", json!({ "query": "tax rate" })),
        ("get_file_outline", json!({ "path": "shop/tax.py" })),
        ("get_call_graph", json!({ "symbol_name": "tax_rate" })),
    ] {
        let failed = server.call(tool, arguments).expect_err(tool);
        let error = &failed["error"];
        assert_eq!(
            (&error["code"], &failed["metadata"]["indexing_status"]),
            (&json!("index_not_ready"), &json!("failed")),
            "{tool}: {failed}"
        );
        assert!(
            error["data"]["cause"]
                .as_str()
                .unwrap()
                .contains("directory"),
            "{tool}: {error}"
        );
        assert!(
            error["data"]["job_id"].is_string() && error["data"]["remediation"].is_string(),
            "{tool}: {error}"
        );
    }
    let status = server.answer("index_status", json!({}));
    assert_eq!(
        (&status["index_status"], &status["active_job"]),
        (&json!("failed"), &json!(null))
    );
    assert_eq!(status["metadata"]["indexing_status"], "failed");
    assert_eq!(status["recent_jobs"][0]["status"], "failed");
    assert!(
        status["recent_jobs"][0]["error"]
            .as_str()
            .unwrap()
            .contains("directory"),
        "{status}"
    );
    let health = server.answer("health_check", json!({}));
    assert_eq!(
        (&health["status"], &health["projects"][0]["index_status"]),
        (&json!("error"), &json!("error"))
    );
    assert_eq!(health["metadata"]["indexing_status"], "failed");
    assert!(
        health["projects"][0]["last_error"]
            .as_str()
            .unwrap()
            .contains("directory"),
        "{health}"
    );
    assert!(
        health["startup_checks"]["index"]["message"]
            .as_str()
            .unwrap()
            .contains("failed"),
        "{health}"
    );

    std::fs::remove_dir(&obstacle).unwrap();
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "tax_rate" }))["total_candidates"],
        1
    );
    let status = server.answer("index_status", json!({}));
    assert_eq!(
        (
            &status["index_status"],
            &status["metadata"]["indexing_status"]
        ),
        (&json!("ready"), &json!("ready"))
    );
    assert_eq!(server.answer("health_check", json!({}))["status"], "ready");

    // Who asks for a job that fails hears of it, and what was indexed before is answered as before.
    std::fs::remove_file(&obstacle).unwrap();
    std::fs::create_dir(&obstacle).unwrap();
    let job = server.answer("sync_repo", json!({}))["job_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(server.workspace().jobs().wait(
        &job,
        std::time::Instant::now() + std::time::Duration::from_secs(60)
    ));
    let status = server.answer("index_status", json!({}));
    assert_eq!(
        (&status["index_status"], &status["recent_jobs"][0]["status"]),
        (&json!("ready"), &json!("failed")),
        "{status}"
    );
    assert_eq!(server.answer("health_check", json!({}))["status"], "error");
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "tax_rate" }))["metadata"]["freshness_status"],
        "fresh"
    );
}

/// What a job tells of itself, here as another process sees it.
#[test]
fn a_running_job_tells_how_far_it_is() {
    let (server, home) = on_disk();
    let root = server.workspace().root().to_path_buf();
    let options = workspace::Options {
        home: Some(home.path().to_path_buf()),
        ..Default::default()
    };
    let other = workspace::Workspace::open(&root, options).unwrap();
    let mut job = other
        .store()
        .start_job(
            "01OTHER",
            workspace::JobKind::Index,
            root.to_str().unwrap(),
            "live",
            true,
        )
        .unwrap();
    let active = |tool: &str| server.answer(tool, json!({}))["active_job"].clone();
    for tool in ["index_status", "health_check"] {
        assert_eq!(
            (
                &active(tool)["status"],
                &active(tool)["estimated_completion_pct"]
            ),
            (&json!("running"), &json!(null)),
            "{tool}"
        );
    }
    job.counts = workspace::JobCounts {
        total: 40,
        done: 10,
        extracted: 9,
        symbols: 77,
        changed: 8,
    };
    other.store().update_job(&job).unwrap();
    for tool in ["index_status", "health_check"] {
        let active = active(tool);
        for (field, value) in [
            ("job_id", json!("01OTHER")),
            ("ref", json!("live")),
            ("mode", json!("full")),
            ("progress_token", json!("index-job-01OTHER")),
            ("files_scanned", json!(40)),
            ("files_indexed", json!(10)),
            ("symbols_extracted", json!(77)),
            ("changed_files", json!(8)),
            ("estimated_completion_pct", json!(25)),
        ] {
            assert_eq!(active[field], value, "{tool} {field}");
        }
        assert!(
            active["started_at"].is_string() && active["project_id"].is_string(),
            "{tool}: {active}"
        );
    }
    assert_eq!(
        server.answer("index_status", json!({}))["index_status"],
        "indexing"
    );
    let health = server.answer("health_check", json!({}));
    assert_eq!(
        (&health["status"], &health["projects"][0]["index_status"]),
        (&json!("indexing"), &json!("indexing"))
    );
}

/// Every number that a job shows while it runs is one that it has reached, and its end tells what
/// changed.
#[test]
fn the_counts_of_a_job_are_true() {
    let mut files = String::new();
    for i in 0..1200 {
        files.push_str(&format!(
            "//- src/f{i}.py\ndef first_{i}(a):\n    return a\n\ndef second_{i}(b):\n    return b\n"
        ));
    }
    let server = Server::unindexed(&files);
    let job = server.answer("index_repo", json!({}))["job_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut before = (0, 0);
    loop {
        let status = server.answer("index_status", json!({}));
        let active = &status["active_job"];
        let count = |field: &str| active[field].as_u64().unwrap();
        if active.is_null() {
            break;
        }
        let (done, symbols) = (count("files_indexed"), count("symbols_extracted"));
        assert!(
            done <= count("files_scanned") && count("files_scanned") <= 1200,
            "{active}"
        );
        // At least the two functions of each file.
        assert!(
            symbols >= 2 * done && count("changed_files") <= done,
            "{active}"
        );
        assert!(
            done >= before.0 && symbols >= before.1,
            "{active} after {before:?}"
        );
        before = (done, symbols);
    }
    let ended = server.workspace().jobs().get(&job).unwrap().unwrap();
    assert_eq!(
        (
            ended.counts.total,
            ended.counts.done,
            ended.counts.extracted,
            ended.counts.changed
        ),
        (1200, 1200, 1200, 1200)
    );
    let status = server.answer("index_status", json!({}));
    assert_eq!(json!(ended.counts.symbols), status["symbol_count"]);
    assert_eq!(status["recent_jobs"][0]["changed_files"], 1200);
    // A job that only takes in what changed says how much that was.
    server.write("//- src/f1.py\ndef other(): ...\n//- src/new.py\ndef new(): ...\n");
    std::fs::remove_file(server.directory.path().join("src/f2.py")).unwrap();
    let job = server.answer("sync_repo", json!({}))["job_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(server.workspace().jobs().wait(
        &job,
        std::time::Instant::now() + std::time::Duration::from_secs(60)
    ));
    assert_eq!(
        server.answer("index_status", json!({}))["recent_jobs"][0]["changed_files"],
        3
    );
    for _ in 0..6 {
        let job = server.answer("sync_repo", json!({}))["job_id"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(server.workspace().jobs().wait(
            &job,
            std::time::Instant::now() + std::time::Duration::from_secs(60)
        ));
    }
    let recent = server.answer("index_status", json!({}))["recent_jobs"].clone();
    assert_eq!(recent.as_array().unwrap().len(), 5);
    assert!(
        each(&recent, "created_at").is_sorted_by(|a, b| a >= b),
        "{recent}"
    );
}

#[test]
fn a_job_whose_process_died_is_reported_until_the_next_one_succeeds() {
    let (server, home) = on_disk();
    let root = dunce::canonicalize(server.directory.path()).unwrap();
    {
        let died = workspace::Workspace::open(&root, options_in(&home)).unwrap();
        died.store()
            .start_job(
                "01DIED",
                workspace::JobKind::Index,
                root.to_str().unwrap(),
                "live",
                true,
            )
            .unwrap();
    }
    for tool in ["index_status", "health_check"] {
        let report = &server.answer(tool, json!({}))["interrupted_recovery_report"];
        assert_eq!(
            (&report["detected"], &report["interrupted_jobs"]),
            (&json!(true), &json!(1)),
            "{tool}"
        );
        assert!(
            report["last_interrupted_at"].is_string() && report["recommended_action"].is_string(),
            "{tool}: {report}"
        );
    }
    // Nothing is left "in progress": the same job can be started, and ends the report.
    let job = server.answer("index_repo", json!({}))["job_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(120);
    assert!(server.workspace().jobs().wait(&job, patience));
    assert_eq!(
        server.answer("index_status", json!({}))["interrupted_recovery_report"],
        json!(null)
    );
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "tax_rate" }))["total_candidates"],
        1
    );
}

/// Several servers on one index: who did not make it takes it over, also when asked only how it is.
#[test]
fn an_index_that_another_server_made_is_known() {
    let (server, home) = on_disk();
    assert_eq!(
        server.answer("index_status", json!({}))["metadata"]["indexing_status"],
        "not_indexed"
    );
    let other = workspace::Workspace::open(server.directory.path(), options_in(&home)).unwrap();
    other
        .index_live(false, &Default::default(), |_| ())
        .unwrap();
    let metadata = &server.answer("index_status", json!({}))["metadata"];
    assert_eq!(
        (&metadata["indexing_status"], &metadata["freshness_status"]),
        (&json!("ready"), &json!("fresh"))
    );
}
