//! Refs: each answers for itself, and symbols are compared across them.

use serde_json::{Value, json};

use super::{Server, each};

const FIRST: &str = "//- a.py\ndef keep():\n    return 1\n\ndef grow(x):\n    y = x + 1\n    return y\n\ndef vanish():\n    return 3\n//- gone.py\ndef only_here(): ...\n";

fn server() -> Server {
    let server = Server::new(FIRST);
    server.git(&["checkout", "-q", "-b", "feature"]);
    std::fs::remove_file(server.directory.path().join("gone.py")).unwrap();
    server.write("//- a.py\n\ndef keep():\n    return 1\n\ndef grow(x, z):\n    y = x + 1\n    w = y * z\n    return w\n\ndef appear():\n    return 4\n");
    server.commit("second");
    server
}

#[test]
fn every_ref_gives_its_own_answer() {
    let server = server();
    let names = |name: &str, reference: &str| {
        server.answer("locate_symbol", json!({ "name": name, "ref": reference }))["total_candidates"].as_u64().unwrap()
    };
    assert_eq!((names("only_here", "main"), names("only_here", "feature")), (1, 0));
    assert_eq!((names("appear", "main"), names("appear", "feature")), (0, 1));
    assert_eq!(names("appear", "HEAD"), 1);
    assert_eq!(names("vanish", "HEAD~1"), 1);
    let searched = server.answer("search_code", json!({ "query": "only_here", "ref": "main" }));
    assert_eq!(searched["results"][0]["path"], "gone.py");
    assert_eq!(searched["metadata"]["ref"], "main");
    assert_eq!(server.answer("locate_symbol", json!({ "name": "keep" }))["metadata"]["ref"], "feature");
}

#[test]
fn the_checked_out_branch_means_the_working_tree_and_head_its_commit() {
    let server = server();
    server.write("//- new.py\ndef unsaved_thing(): ...\n");
    let count = |reference: Value| {
        server.answer("locate_symbol", json!({ "name": "unsaved_thing", "ref": reference }))["total_candidates"].as_u64().unwrap()
    };
    assert_eq!((count(json!(null)), count(json!("live")), count(json!("feature")), count(json!("HEAD"))), (1, 1, 1, 0));
}

#[test]
fn a_symbol_is_compared_between_commits() {
    let server = server();
    let compare = |name: &str| {
        server.answer("compare_symbol_between_commits", json!({ "symbol_name": name, "base_ref": "main", "head_ref": "feature" }))
    };
    let grown = compare("grow");
    assert_eq!(
        grown["diff_summary"],
        json!({ "status": "modified", "signature_changed": true, "body_changed": true, "lines_added": 3, "lines_removed": 2, "line_range_shifted": true, "matched_by": "name" })
    );
    assert_eq!(grown["base_version"]["signature"], "def grow(x)");
    assert_eq!(grown["head_version"]["signature"], "def grow(x, z)");
    assert_eq!(grown["base_version"]["symbol_id"], grown["head_version"]["symbol_id"]);
    assert_eq!(compare("keep")["diff_summary"], json!({ "status": "unchanged" }));
    let gone = compare("only_here");
    assert_eq!((&gone["head_version"], &gone["diff_summary"]["status"]), (&json!(null), &json!("deleted")));
    let new = compare("appear");
    assert_eq!(new["head_version"]["path"], "a.py");
    assert_eq!(
        server.error("compare_symbol_between_commits", json!({ "symbol_name": "nothing", "base_ref": "main", "head_ref": "feature" }))["code"],
        "symbol_not_found"
    );
}

#[test]
fn moves_and_renames_are_recognised() {
    let body = "    total = 0\n    for item in items:\n        total += item.price * item.amount\n    if total > limit:\n        raise ValueError(total)\n    return total\n";
    let server = Server::new(&format!("//- a.py\ndef add_up(items, limit):\n{body}\ndef other(): ...\n"));
    server.write(&format!("//- a.py\ndef other(): ...\n//- b.py\ndef add_up(items, limit):\n{body}"));
    server.commit("moved");
    let compare = |name: &str, base: &str, head: &str| {
        server.answer("compare_symbol_between_commits", json!({ "symbol_name": name, "base_ref": base, "head_ref": head }))
    };
    let moved = compare("add_up", "HEAD~1", "HEAD");
    assert_eq!((&moved["base_version"]["path"], &moved["head_version"]["path"]), (&json!("a.py"), &json!("b.py")));
    assert_eq!(moved["diff_summary"]["matched_by"], "moved");
    server.write(&format!("//- b.py\ndef sum_of_prices(items, limit):\n{body}"));
    server.commit("renamed");
    let renamed = compare("add_up", "HEAD~1", "HEAD");
    assert_eq!(renamed["head_version"]["name"], "sum_of_prices");
    assert_eq!(renamed["diff_summary"]["matched_by"], "similar_body");
    let live = compare("sum_of_prices", "HEAD", "live");
    assert_eq!(live["diff_summary"], json!({ "status": "unchanged" }));
}

#[test]
fn strict_refuses_what_is_not_taken_in_and_the_others_answer() {
    let mut files = String::new();
    for i in 0..2000 {
        files.push_str(&format!("//- src/f{i}.py\ndef function_{i}():\n    return {i}\n"));
    }
    let server = Server::new(&files);
    let rewritten = files.replace("return", "return 1 +");
    server.write(&rewritten);
    let answer = server.answer("locate_symbol", json!({ "name": "function_7", "freshness_policy": "best_effort" }));
    let status = answer["metadata"]["freshness_status"].as_str().unwrap().to_owned();
    if status == "fresh" {
        return; // A machine this fast has nothing to be strict about.
    }
    assert_eq!(each(&answer["results"], "path"), ["src/f7.py"]);
    server.write(&files.replace("return", "return 2 +"));
    if let Err(error) = server.call("locate_symbol", json!({ "name": "function_7", "freshness_policy": "strict" })) {
        let error = &error["error"];
        assert_eq!(error["code"], "index_stale");
        for field in ["last_indexed_commit", "current_head", "suggestion"] {
            assert!(error["data"][field].is_string(), "{field}");
        }
    }
    server.answer("locate_symbol", json!({ "name": "function_7", "freshness_policy": "balanced" }));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while server.answer("locate_symbol", json!({ "name": "function_7" }))["metadata"]["freshness_status"] != "fresh" {
        assert!(std::time::Instant::now() < deadline, "the background sync does not end");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
