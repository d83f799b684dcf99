//! Several workspaces behind one server, what is kept warm, and what a process that died leaves behind.

use serde_json::json;

use super::{SHOP, Server, commit, each, git, write};
use crate::Routing;

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
    let root = server.directory.path().canonicalize().unwrap();
    let (one, two) = (root.join("one"), root.join("two"));
    server.host.workspaces.prewarm();
    let count = |name: &str, workspace: Option<&std::path::Path>| {
        server.answer("locate_symbol", json!({ "name": name, "workspace": workspace }))["total_candidates"].as_u64().unwrap()
    };
    assert_eq!((count("glow", None), count("glow", Some(&one)), count("glow", Some(&two))), (0, 0, 1));
    assert_eq!((count("tax_rate", None), count("tax_rate", Some(&two))), (1, 0));
    let health = server.answer("health_check", json!({}));
    assert_eq!(health["prewarm_status"], "complete");
    assert_eq!(health["workspace_warmset"], json!({ "enabled": true, "capacity": 3, "members": [&one, &two] }));
    assert_eq!(each(&health["projects"], "repo_root"), [one.to_str().unwrap(), two.to_str().unwrap()]);
    let asked = server.answer("health_check", json!({ "workspace": two }));
    assert_eq!(each(&asked["projects"], "repo_root"), [two.to_str().unwrap()]);
    // A link out of the allowed roots leads nowhere.
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
    assert_eq!(server.error("search_code", json!({ "query": "a", "workspace": root.join("link") }))["code"], "workspace_not_allowed");
}

#[test]
fn a_job_whose_process_died_is_reported_until_the_next_one_succeeds() {
    let directory = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    write(directory.path(), SHOP);
    git(directory.path(), &["init", "-q", "-b", "main"]);
    commit(directory.path(), "first");
    let options = workspace::Options { home: Some(home.path().to_path_buf()), ..Default::default() };
    let root = directory.path().canonicalize().unwrap();
    {
        let died = workspace::Workspace::open(&root, options.clone()).unwrap();
        died.store().start_job("01DIED", workspace::JobKind::Index, root.to_str().unwrap(), "live", true).unwrap();
    }
    let server = Server::over(directory, |root| Routing { registered: vec![root], options, ..Routing::default() });
    for tool in ["index_status", "health_check"] {
        let report = &server.answer(tool, json!({}))["interrupted_recovery_report"];
        assert_eq!((&report["detected"], &report["interrupted_jobs"]), (&json!(true), &json!(1)), "{tool}");
        assert!(report["last_interrupted_at"].is_string() && report["recommended_action"].is_string(), "{tool}: {report}");
    }
    // Nothing is left "in progress": the same job can be started, and ends the report.
    let job = server.answer("index_repo", json!({}))["job_id"].as_str().unwrap().to_owned();
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(120);
    assert!(server.workspace().wait_for_job(&job, patience));
    assert_eq!(server.answer("index_status", json!({}))["interrupted_recovery_report"], json!(null));
    assert_eq!(server.answer("locate_symbol", json!({ "name": "tax_rate" }))["total_candidates"], 1);
}
