//! Refs: each answers for itself, and symbols are compared across them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{SHOP, Server, each};

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
    assert_eq!(
        (names("only_here", "main"), names("only_here", "feature")),
        (1, 0)
    );
    assert_eq!(
        (names("appear", "main"), names("appear", "feature")),
        (0, 1)
    );
    assert_eq!(names("appear", "HEAD"), 1);
    assert_eq!(names("vanish", "HEAD~1"), 1);
    let searched = server.answer(
        "search_code",
        json!({ "query": "only_here", "ref": "main" }),
    );
    assert_eq!(searched["results"][0]["path"], "gone.py");
    assert_eq!(searched["metadata"]["ref"], "main");
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "keep" }))["metadata"]["ref"],
        "feature"
    );
}

#[test]
fn the_checked_out_branch_means_the_working_tree_and_head_its_commit() {
    let server = server();
    server.write("//- new.py\ndef unsaved_thing(): ...\n");
    let count = |reference: Value| {
        server.answer(
            "locate_symbol",
            json!({ "name": "unsaved_thing", "ref": reference }),
        )["total_candidates"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(
        (
            count(json!(null)),
            count(json!("live")),
            count(json!("feature")),
            count(json!("HEAD"))
        ),
        (1, 1, 1, 0)
    );
}

#[test]
fn a_symbol_is_compared_between_commits() {
    let server = server();
    let compare = |name: &str| {
        server.answer(
            "compare_symbol_between_commits",
            json!({ "symbol_name": name, "base_ref": "main", "head_ref": "feature" }),
        )
    };
    let grown = compare("grow");
    assert_eq!(
        grown["diff_summary"],
        json!({ "status": "modified", "signature_changed": true, "body_changed": true, "lines_added": 3, "lines_removed": 2, "line_range_shifted": true, "matched_by": "name" })
    );
    assert_eq!(grown["base_version"]["signature"], "def grow(x)");
    assert_eq!(grown["head_version"]["signature"], "def grow(x, z)");
    assert_eq!(
        grown["base_version"]["symbol_id"],
        grown["head_version"]["symbol_id"]
    );
    assert_eq!(
        compare("keep")["diff_summary"],
        json!({ "status": "unchanged" })
    );
    let gone = compare("only_here");
    assert_eq!(
        (&gone["head_version"], &gone["diff_summary"]["status"]),
        (&json!(null), &json!("deleted"))
    );
    let new = compare("appear");
    assert_eq!(new["head_version"]["path"], "a.py");
    let other = Server::new("//- a.py\ndef first(): ...\n");
    other.write("//- b.py\nclass Second:\n    size = 3\n");
    other.commit("second");
    let added = other.answer(
        "compare_symbol_between_commits",
        json!({ "symbol_name": "Second", "base_ref": "HEAD~1", "head_ref": "HEAD" }),
    );
    assert_eq!(
        (&added["base_version"], &added["diff_summary"]["status"]),
        (&json!(null), &json!("added")),
        "{added}"
    );
    assert_eq!(
        server.error(
            "compare_symbol_between_commits",
            json!({ "symbol_name": "nothing", "base_ref": "main", "head_ref": "feature" })
        )["code"],
        "symbol_not_found"
    );
}

#[test]
fn moves_and_renames_are_recognised() {
    let body = "    total = 0\n    for item in items:\n        total += item.price * item.amount\n    if total > limit:\n        raise ValueError(total)\n    return total\n";
    let server = Server::new(&format!(
        "//- a.py\ndef add_up(items, limit):\n{body}\ndef other(): ...\n"
    ));
    server.write(&format!(
        "//- a.py\ndef other(): ...\n//- b.py\ndef add_up(items, limit):\n{body}"
    ));
    server.commit("moved");
    let compare = |name: &str, base: &str, head: &str| {
        server.answer(
            "compare_symbol_between_commits",
            json!({ "symbol_name": name, "base_ref": base, "head_ref": head }),
        )
    };
    let moved = compare("add_up", "HEAD~1", "HEAD");
    assert_eq!(
        (
            &moved["base_version"]["path"],
            &moved["head_version"]["path"]
        ),
        (&json!("a.py"), &json!("b.py"))
    );
    assert_eq!(moved["diff_summary"]["matched_by"], "moved");
    server.write(&format!(
        "//- b.py\ndef sum_of_prices(items, limit):\n{body}"
    ));
    server.commit("renamed");
    let renamed = compare("add_up", "HEAD~1", "HEAD");
    assert_eq!(renamed["head_version"]["name"], "sum_of_prices");
    assert_eq!(renamed["diff_summary"]["matched_by"], "similar_body");
    let live = compare("sum_of_prices", "HEAD", "live");
    assert_eq!(live["diff_summary"], json!({ "status": "unchanged" }));
}

#[test]
fn the_status_of_a_commit_is_its_own() {
    let server = Server::new(SHOP);
    server.write("//- shop/more.py\ndef more(): ...\n");
    server.commit("second");
    let before = server.answer("index_status", json!({ "ref": "HEAD~1" }));
    assert_eq!(
        (
            &before["ref"],
            &before["index_status"],
            &before["last_indexed_at"]
        ),
        (&json!("HEAD~1"), &json!("not_indexed"), &json!(null))
    );
    server.answer("locate_symbol", json!({ "name": "Cart", "ref": "HEAD~1" }));
    let after = server.answer("index_status", json!({ "ref": "HEAD~1" }));
    assert_eq!(
        (&after["index_status"], &after["file_count"]),
        (&json!("ready"), &json!(6))
    );
    assert_eq!(after["metadata"]["freshness_status"], "fresh");
}

/// A file that got another name, with the class in it: its methods are found there, small as they
/// are.
#[test]
fn a_renamed_file_takes_its_symbols_along() {
    let lamp = |class: &str, is: &str| {
        format!(
            "class {class}:\n    def __init__(self, watts):\n        self.watts = watts\n        self.is_on = False\n\n    def switch(self):\n        self.is_on = {is}\n\n    def power(self):\n        return self.watts if self.is_on else 0\n"
        )
    };
    let files = format!(
        "//- home/lamp.py\n{}//- home/other.py\nclass Other:\n    def power(self): return 7\n",
        lamp("Lamp", "not self.is_on")
    );
    let server = Server::new(&files);
    server.git(&["mv", "home/lamp.py", "home/torch.py"]);
    server.write(&format!(
        "//- home/torch.py\n{}//- home/new.py\nclass New:\n    def power(self): return 8\n",
        lamp("Torch", "True")
    ));
    server.commit("renamed");
    let compare = |name: &str| {
        let arguments = json!({ "symbol_name": name, "path": "home/lamp.py", "base_ref": "HEAD~1", "head_ref": "HEAD" });
        let answer = server.answer("compare_symbol_between_commits", arguments);
        let status = answer["diff_summary"]["matched_by"]
            .as_str()
            .unwrap_or("none")
            .to_owned();
        (
            status,
            answer["head_version"]["path"]
                .as_str()
                .unwrap_or("none")
                .to_owned(),
            answer["diff_summary"]["lines_added"].clone(),
        )
    };
    let there = "home/torch.py".to_owned();
    assert_eq!(
        compare("power"),
        ("renamed_file".to_owned(), there.clone(), json!(0))
    );
    assert_eq!(
        compare("switch"),
        ("renamed_file".to_owned(), there.clone(), json!(1))
    );
    assert_eq!(
        compare("Lamp"),
        ("similar_body".to_owned(), there, json!(2))
    );
}

/// A switch of branches changes 2,000 files, and who asks waits a moment only: too short to take
/// them in.
#[test]
fn strict_refuses_what_is_not_taken_in_and_the_others_answer() {
    let mut files = String::new();
    for i in 0..2000 {
        files.push_str(&format!(
            "//- src/f{i}.py\ndef function_{i}():\n    return {i}\n"
        ));
    }
    let server = Server::new(&files);
    server.git(&["checkout", "-q", "-b", "other"]);
    server.write(&files.replace("return", "return 1 +"));
    server.commit("all of them");
    server.git(&["checkout", "-q", "main"]);
    server.index();
    server.git(&["checkout", "-q", "other"]);
    let moment = Duration::from_millis(5);
    let ask = |policy: &str| {
        server.call_within(
            moment,
            "locate_symbol",
            json!({ "name": "function_7", "freshness_policy": policy }),
        )
    };
    let n_jobs = || server.workspace().jobs().recent(100).unwrap().len();
    let n_before = n_jobs();

    let refused = ask("strict").expect_err("2,000 files within 5 ms");
    let error = &refused["error"];
    assert_eq!(error["code"], "index_stale");
    for field in ["last_indexed_commit", "current_head", "suggestion"] {
        assert!(error["data"][field].is_string(), "{field}: {error}");
    }
    assert_eq!(n_jobs(), n_before, "who refuses starts nothing");

    let answered = ask("best_effort").unwrap();
    assert_eq!(each(&answered["results"], "path"), ["src/f7.py"]);
    assert_eq!(answered["metadata"]["freshness_status"], "stale");
    assert_eq!(n_jobs(), n_before, "best_effort starts nothing");

    let answered = ask("balanced").unwrap();
    assert_eq!(answered["metadata"]["freshness_status"], "stale");
    assert_eq!(n_jobs(), n_before + 1, "balanced syncs in the background");
    let deadline = Instant::now() + Duration::from_secs(120);
    while server
        .call_within(
            moment,
            "locate_symbol",
            json!({ "name": "function_7", "freshness_policy": "strict" }),
        )
        .is_err()
    {
        assert!(
            Instant::now() < deadline,
            "the background sync does not end"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let fresh = server.answer(
        "search_code",
        json!({ "query": "function_7", "freshness_policy": "strict", "detail_level": "context" }),
    );
    assert_eq!(fresh["metadata"]["freshness_status"], "fresh");
    assert!(
        fresh["results"][0]["body_preview"]
            .as_str()
            .unwrap()
            .contains("1 + 7"),
        "{fresh}"
    );
}

/// What was answered before stays true of its own ref only.
#[test]
fn a_file_deleted_on_a_branch_is_not_answered_from_another() {
    let server = server();
    for (tool, arguments) in [
        (
            "get_file_outline",
            json!({ "path": "gone.py", "ref": "feature" }),
        ),
        (
            "get_call_graph",
            json!({ "symbol_name": "only_here", "path": "gone.py", "ref": "feature" }),
        ),
        ("get_file_outline", json!({ "path": "gone.py" })),
    ] {
        assert_eq!(
            server.error(tool, arguments.clone())["code"],
            "file_not_found",
            "{tool} {arguments}"
        );
    }
    assert_eq!(
        server.answer(
            "get_file_outline",
            json!({ "path": "gone.py", "ref": "main" })
        )["symbols"][0]["name"],
        "only_here"
    );
    server.git(&["tag", "-a", "v1", "main", "-m", "first release"]);
    assert_eq!(
        server.answer("locate_symbol", json!({ "name": "only_here", "ref": "v1" }))["total_candidates"],
        1
    );
    for reference in ["v1", "main", "HEAD~1"] {
        let context = server.answer(
            "get_code_context",
            json!({ "query": "only_here", "ref": reference }),
        );
        assert_eq!(
            context["context_items"][0]["path"], "gone.py",
            "{reference}"
        );
    }
    let context = server.answer("get_code_context", json!({ "query": "only_here" }));
    assert!(
        context["context_items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|item| item["path"] != "gone.py"),
        "{context}"
    );
}
